"""The gist of a log: its limits hold for any text, and what it says stands in the log where it says."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.secrets.scanner import find_secrets
from projection.text.session_digest import Digest, Quote, gist
from tests.conftest import each_row
from tests.processor_time import steps

MERCURY = Path(__file__).resolve().parents[2] / "shared" / "ledgers" / "mercury"

LOG = """\
---
agent: codex
ended: 2026-11-21T09:02:12.830Z
---
# Webhooks were lost

The retry worker dropped jobs when redis restarted, and `RetryWorker` said nothing. We decided to keep a
dead-letter table instead of retrying forever.

```python
raise RuntimeError("we decided nothing in code, next step: none")
```

- Fixed the drain loop in `src/worker.py`; Redis 7.2.4 needs
  `appendonly yes`.
- **Root cause:** the drain loop swallowed the error of Redis.

## Verification

- All 212 tests pass, and the soak test ran for an hour.

## Next steps

- [ ] Measure it with a slow database
- [x] Write the migration
- Ask Eric about `retry_limit`
- Done: the changelog

## Memory References

- Referenced: orders-stay
- Created: webhook-retries, retry-storm
- Superseded: webhook-once → webhook-retries

## Facts

- Webhooks retry three times, with jitter.
  <!-- id: webhook-retries | kind: decision | entity: Redis -->
- [ ] Find out whether a storm starves workers.
  <!-- id: retry-storm | kind: thread -->
"""


def test_a_canonical_log() -> None:
    """Summary, points, actions and decisions come from prose, lists, boxes and facts, with their lines."""
    found = gist(LOG)
    assert found.title == "Webhooks were lost"
    assert (found.line, found.summary) == (
        7, "The retry worker dropped jobs when redis restarted, and `RetryWorker` said nothing.",
    )  # fmt: skip
    assert found.decisions == (Quote(37, "Webhooks retry three times, with jitter."),)
    assert found.actions == (
        Quote(24, "Measure it with a slow database"),
        Quote(39, "Find out whether a storm starves workers."),
    )
    assert [(one.line, one.text[:20]) for one in found.points] == [
        (7, "The retry worker dro"), (14, "Fixed the drain loop"), (16, "Root cause: the drai"),
    ]  # fmt: skip


@each_row(
    "text, title, summary",
    [
        ("", "", ""),
        ("# Session (2026-07-15T22:47:07.000Z)\n", "", ""),
        ("# Ship the webhooks\n", "Ship the webhooks", "Ship the webhooks"),
        ("# Session log\n\n**Agent:** Claude Code\n\nRenamed it.\n", "", "Renamed it."),
        ("# X\n\n## What happened\n\nA lot went on here today.\n\n## Summary\n\nThe cache is a file now.\n",
         "X", "A lot went on here today."),
        ("# 修\n\n用户登录后会话立即过期。原因是服务器时区错误。", "修", "用户登录后会话立即过期。原因是服务器时区错误。"),
        ("*Short one.* The cache moved into a file of its own, and nothing else changed there.",
         "", "*Short one.* The cache moved into a file of its own, and nothing else changed there."),
        ("**Session:** 12\n\nSession goal: find the leak in the renderer.", "",
         "Session goal: find the leak in the renderer."),
        ("**The rewrite of the pages: backlog closed:** all of them were written anew.", "",
         "The rewrite of the pages: backlog closed: all of them were written anew."),
        ("> A quoted line says what\n> was asked.\n\nThis came of it.\n", "", "This came of it."),
        ("# Broken\n\n<<<<<<< ours\nThis is one side of it all.\n=======\nAnd another side of it.\n>>>>>>> b\n",
         "Broken", "Broken"),
        ("The cache is a file now\n<!-- not\nfor the reader -->\nAnd the tests went with it.\n", "",
         "The cache is a file now"),
    ],
)  # fmt: skip
def test_summaries(text: str, title: str, summary: str) -> None:
    """The summary is how the log begins, with a paragraph that says more than a few words, or its title."""
    found = gist(text)
    assert (found.title, found.summary) == (title, summary)


def test_nothing_is_decided_or_open_by_how_it_is_worded() -> None:
    """A fact, an open box, or a kind of fact before a colon says so; no turn of phrase does."""
    worded = (
        "We decided to keep it.", "Next: the limit.", "The limit still needs a test.",
        "- Ask Ada", "- [x] Write it", "## Decisions", "We chose SQLite instead of a file.",
    )  # fmt: skip
    found = gist("# T\n\n" + "\n\n".join(worded))
    assert (found.decisions, found.actions) == ((), ())
    formal = "**Decision:** one file.\n\n- thread: who owns it?\n- [ ] Ask Ada\n"
    found = gist("# T\n\n" + formal)
    assert found.decisions == (Quote(3, "Decision: one file."),)
    assert found.actions == (Quote(5, "thread: who owns it?"), Quote(6, "Ask Ada"))


def test_a_fence_in_a_list_is_no_prose() -> None:
    """Code is not quoted, wherever its fence stands; one that is never closed hides nothing."""
    code = "- Look at the code below:\n  ```\n  thread: decision: to lie\n  ```\n- And then stop.\n"
    assert gist(code).actions == gist(code).decisions == ()
    assert "to lie" in repr(gist(code.replace("  ```\n- And", "- And")))


def test_secrets_are_never_quoted() -> None:
    """A secret is out of a digest, and the lines behind it keep their numbers."""
    token = "ghp_" + "aB3dE5fG7hI9" * 3
    key = (
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
    )
    found = gist(
        f"# T\n\nThe deploy key is {token} for all of us.\n\n{key}\n- [ ] rotate it today\n"
    )
    assert find_secrets(token) and token not in repr(found)
    assert "[redacted: " in found.summary and "MIIEvQ" not in repr(found)
    assert found.actions == (Quote(9, "rotate it today"),)


def test_a_summary_of_500_characters_stands_and_a_longer_one_is_cut() -> None:
    """A sentence that fits is told whole."""
    start = "The cache moved " + "out of the way and " * 25
    whole = start + "was done."
    assert len(whole) == 500
    assert gist(whole).summary == whole
    cut = gist(start + "was ready.").summary
    assert len(cut) <= 500 and cut.endswith("…")


#: Text that is like a log here and there, so that the rules are met.
_PIECES = st.sampled_from(
    ("# ", "## Decisions", "## Next steps", "## Facts", "## Memory References", "- [ ] ", "- ", "1. ", "+ ", "> ",
     "```", "~~~", "<!--", "-->", "**", "**Done:** ", "Next: ", "`", "`a_b`", "(", ")", "---", "| a |", "Ada", "we decided",
     "src/app.py", "v1.2.3", "fooBar", "…", ". ", "! ", ":", "- Created: a-b", "<!-- id: a-b | kind: decision -->",
     "<<<<<<< x", "=======", ">>>>>>> y", "\n", "\n\n", "\r\n", "\ufeff", "\0", "é", "🌍", "[[a-b]]", "e.g. ")
)  # fmt: skip
texts = st.lists(_PIECES | st.text(max_size=12) | st.just("\n"), max_size=60).map("".join)


def squeezed(text: str) -> str:
    """Leave out what a digest may leave out: white space, stars and the marks of a quotation."""
    return "".join(text.split()).replace("*", "").replace(">", "")


def stands(quote: Quote, lines: list[str]) -> bool:
    """Tell whether a quote begins on the line that it names."""
    at = squeezed("\n".join(lines[quote.line - 1 :])).find(
        squeezed(quote.text.rpartition("…")[0] or quote.text)
    )
    return 0 <= at <= len(squeezed(lines[quote.line - 1]))


def check(text: str, found: Digest) -> None:
    """Check what holds of every digest of a text without secrets."""
    assert len(found.summary) <= 500 and "\n" not in found.summary
    assert len(found.points) <= 20 and len(found.actions) <= 10
    assert len(found.decisions) <= 10
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    quotes = (*found.points, *found.actions, *found.decisions)
    if found.summary:
        quotes = (*quotes, Quote(found.line, found.summary))
    for quote in quotes:
        assert len(quote.text) <= 500 and "\n" not in quote.text
        assert stands(quote, lines), quote
    assert [quote.line for quote in found.points] == sorted(quote.line for quote in found.points)


@given(texts)
@example("- a b c d e f\n+ g. **H i** j k l m\n> n\n")
@example("A b # . . # _. c\n")
@example("## Facts\n\n- A text.\n  <!-- id: a-b | kind: decision -->\n")
def test_the_laws_of_a_digest(text: str) -> None:
    """Any text has a digest, always the same one, within the limits; what it says stands where it says."""
    found = gist(text)
    assert gist(text) == found
    if not find_secrets(text):
        check(text, found)


@pytest.mark.deep(reason="the_laws_of_a_digest are the small one")
@pytest.mark.skipif(not MERCURY.is_dir(), reason="the shared ledgers are not here")
def test_real_logs_have_a_digest() -> None:
    """Every log of a real ledger has a summary, and all of it stands in the log; half of it is left out."""
    logs = sorted((MERCURY / "memory" / "sessions").glob("*.md"))
    whole = said = 0
    for path in logs:
        text = path.read_text(encoding="utf-8")
        found = gist(text)
        check(text, found)
        assert len(found.summary.split()) > 2, path
        quotes = (*found.points, *found.actions, *found.decisions)
        whole, said = whole + len(text), said + sum(len(one.text) for one in quotes)
    assert len(logs) > 100 and said < whole // 2


@pytest.mark.parametrize(
    "unit",
    ["> ", "Aa ", "(", "`", "```\n", "<!--\n", "**a", "- [ ] x\n", "# a\n", "Next: ", "a. B", "## Facts\n", "é",
     "<<<<<<< a\n", "## Memory References\n- Created: a\n", "- x\n  <!-- id: a -->\n", "[", "x/", "a_", "1."],
)  # fmt: skip
def test_no_text_takes_long(unit: str) -> None:
    """Four times the text takes about four times as many steps, whatever is repeated in it."""
    once, more = [steps(partial(gist, unit * (size // len(unit)))) for size in (2_000, 8_000)]
    assert more < 5 * once + 1000
