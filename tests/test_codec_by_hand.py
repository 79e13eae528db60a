"""The head of logs that were written by hand: who wrote them, and titles that say something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.codec.by_hand import TITLE_CHARS
from ledger.codec.log import decode
from tests.conftest import each_row

DATED = "# Session (2026-07-21T01:37:06.000Z)\n\n"


def _read(text: str) -> tuple[dict[str, str], str]:
    log, _ = decode(text.encode(), sealed=False)
    return dict(log.header), log.title


@each_row("lines, header",
    [
        ("**Agent:** Claude Code\n", {"agent": "Claude Code"}),
        ("**Agent**: Claude Code (Opus 4.6)  \n", {"agent": "Claude Code", "model": "Opus 4.6"}),
        ("- **agent:** `codex` (2026-08-22)\n", {"agent": "codex (2026-08-22)"}),
        ("**Agent:** (auto-stub — replace with your name)\n", {"agent": "auto-stub"}),
        ("**Date:** today\n**Agent:** A\n**User:** Move the\n  docs\n**Mode:** B\n",
         {"agent": "A", "user": "Move the docs"}),
        ("**Agent:** A\n**Lightweight:** docs only.\n", {"agent": "A", "lightweight": "docs only."}),
        ("**Agent:**\n", {}),
        ("It began.\n\n**Agent:** A\n", {}),
        ("## Notes\n\n**Agent:** A\n", {}),
        ("```\n**Agent:** A\n```\n", {}),
    ],
)  # fmt: skip
def test_labelled_lines_at_the_head_are_header_keys(lines: str, header: dict[str, str]) -> None:
    """They count right behind the title, and nowhere else."""
    assert _read(DATED + lines + "\nWe fixed it.\n")[0] == header


def test_the_front_matter_counts_first_and_sealed_logs_read_as_before() -> None:
    """What the front matter says is not overruled, and a sealed log has no labelled lines."""
    text = (
        "---\nagent: a\nbranch: main\n---\n# Session\n\n**Agent:** b\n**User:** c\n\nIt was built."
    )
    assert _read(text) == ({"agent": "a", "branch": "main", "user": "c"}, "It was built")
    log, _ = decode(text.encode(), sealed=True)
    assert (dict(log.header), log.title) == ({"agent": "a", "branch": "main"}, "Session")
    assert log.prose == decode(text.encode(), sealed=False)[0].prose  # nothing is taken out of it


@each_row("text, title",
    [
        ("# Retry queue\n\nIt works.\n", "Retry queue"),
        (DATED + "## Summary\n\nThe queue retries. It waits.\n", "The queue retries"),
        (DATED + "## What happened\n\n### The queue retries (both)\n\nText.\n", "The queue retries (both)"),
        (DATED + "**Agent:** A\n\n*Lightweight session.* Fixed the `flaky` test.\n", "Fixed the flaky test"),
        (DATED + "**Notes** The\u200bqueue retries.\n", "The queue retries"),
        (DATED + "**The queue\nretries** for good. More.\n", "The queue retries"),
        (DATED + "- [PR 5](https://x.y/5) was merged by hand.\n- No.\n", "PR 5 was merged by hand"),
        (DATED + "| a | b |\n\n```\ncode is code\n```\n\n> Quoted words count.\n", "Quoted words count"),
        (DATED + "**User:** Move the docs\n\n## Memory References\n\n- Referenced: a-b\n", "Move the docs"),
        (DATED + "**Lightweight:** stub\n\n## Summary\n", "stub"),
        (DATED + "## Memory References\n\n- Referenced: a-b\n", "Session (2026-07-21T01:37:06.000Z)"),
        (DATED + "1. A" + " word" * 60 + "\n", "A" + " word" * 19 + "…"),
    ],
)  # fmt: skip
def test_a_title_that_is_a_date_gives_way_to_what_the_log_says(text: str, title: str) -> None:
    """The first heading or sentence that says something is the title; a title that does, stays."""
    assert _read(text)[1] == title


@pytest.mark.parametrize(("size", "more"), [(1999, " Or so."), (2000, "")])
def test_a_labelled_line_goes_on_for_two_thousand_characters(size: int, more: str) -> None:
    """What a label says may be wrapped; who forgot the blank line behind it does not lose the log."""
    said = "x" * size
    assert _read(f"{DATED}**User:** {said}\nOr so.\n\nWe fixed it.\n")[0] == {"user": said + more}


@given(st.lists(st.sampled_from(
    ["**Agent:** A (B)", "**User:**", "## Summary", "It is. So", "**b**", "```", "<!--", "- x", "", "(", "*", "#"]
), max_size=12))  # fmt: skip
def test_any_head_is_read(lines: list[str]) -> None:
    """It never fails, and a title is one line of a bounded length."""
    title = _read(DATED + "\n".join(lines))[1]
    assert title and len(title) <= TITLE_CHARS
    assert title.isprintable()
