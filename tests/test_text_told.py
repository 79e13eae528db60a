"""What a session came to, in a line: the title of its log and the beginning of its last report."""

from __future__ import annotations

import pytest

from projection.text.session_digest import gist, lead
from projection.text.session_lines import in_short, report_start
from tests.conftest import each_row

LOG = """---
host: claude
---
# fix(ci): keep the cache outside

## Commits

### fix(ci): keep the cache outside

The tree was dirty because of it.

## Turns

### Turn 1 of 2

I will look at the workflow first, and then at the cache.

### Turn 2 of 2

> and is it pushed?

**Done**

Pushed. The cache lies in `RUNNER_TEMP/go. mod` now, outside of the tree. Nothing else changed.

## Observed

- edited release.yml (3 times)
"""


def test_what_shows_one_line_shows_the_beginning_of_the_last_report() -> None:
    """Not what was asked, no bold heading, no earlier turn, no commit; whole sentences."""
    said = "Pushed. The cache lies in `RUNNER_TEMP/go. mod` now, outside of the tree."
    assert in_short(LOG) == ("fix(ci): keep the cache outside", said)
    assert gist(LOG).summary == lead(LOG).summary == said
    assert LOG[report_start(LOG) :].startswith("\n\n> and")


def test_the_digest_of_a_captured_log_keeps_its_headings() -> None:
    """A line for each answer, commit, turn and observation, in their order; nothing is called decided or open."""
    asked = LOG.replace(
        "## Commits", "## Answered\n\n- Keep it? → Yes, it must stay open\n\n## Commits", 1
    )
    found = gist(asked)
    assert [point.text for point in found.points] == [
        "Answered: Keep it? → Yes, it must stay open",
        "fix(ci): keep the cache outside: The tree was dirty because of it.",
        "Turn 1 of 2: I will look at the workflow first, and then at the cache.",
        "Turn 2 of 2: Pushed. The cache lies in `RUNNER_TEMP/go. mod` now, outside of the tree.",
        "Observed: edited release.yml (3 times)",
    ]
    lines = asked.split("\n")
    assert all(lines[point.line - 1].lstrip("#- ")[:6] in point.text for point in found.points)
    assert (found.actions, found.decisions) == ((), ())


@each_row(
    "text, told",
    [
        ("# T\n\nIt was so.\n\n- And it went on at some length then.\n", ("T", "It was so. And it went on at some length then.")),
        ("# T\n\n## Memory References\n\n- Created: a\n", ("T", "")),
        ("# T\n\n```sh\nrm x\n```\n\nSummary:\n\n**So**\n\nThe queue was emptied by hand, and twice. Then not.", ("T", "The queue was emptied by hand, and twice.")),
        ("# T\n\nNo \u2014 it is not allowed there. The chain is:\n\n- `a` of everything", ("T", "No \u2014 it is not allowed there. `a` of everything")),
        ("no title, but a sentence of some length that goes on", ("", "no title, but a sentence of some length that goes on")),
        ("", ("", "")),
    ],
)  # fmt: skip
def test_other_logs_are_told_by_their_first_sentence(text: str, told: tuple[str, str]) -> None:
    """What is no prose is passed over: headings, code, what announces, and the sections of facts."""
    assert in_short(text) == told
    assert report_start(text) == -1


@pytest.mark.parametrize(
    "piece", ["a.\n\n", "A. ", "```\n\n", "### Turn 1 of 2\n\n", "- \n\n", "**a**\n\n"]
)
def test_a_long_log_takes_no_time(piece: str) -> None:
    """It is read once."""
    text = "# T\n\n## Turns\n\n### Turn 1 of 1\n\n" + piece * (200_000 // len(piece))
    assert len(in_short(text)[0]) < 1000
