"""The head of logs that were written by hand: who wrote them, and titles that say something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.codec.hand_written_logs import TITLE_CHARS
from ledger.codec.log import decode
from tests.conftest import each_row

DATED = "# Session (2026-07-21T01:37:06.000Z)\n\n"


def _read(text: str) -> tuple[dict[str, str], str]:
    log, _ = decode(text.encode(), sealed=False)
    return dict(log.header), log.title


TABLE = (
    (Path(__file__).parent / "by_hand.md").read_text(encoding="utf-8").replace("\\u200b", "\u200b")
)


@each_row("row", re.findall(r"(?ms)^## ([^\n]*)\n\n((?:> [^\n]*\n)*)(.*?)(?=^## |\Z)", TABLE))
def test_the_head_is_read_as_it_is_meant(row: tuple[str, str, str]) -> None:
    """Lines behind the title are header keys; a title that is a date gives way to what the log says."""
    title, header, text = row
    log, _ = decode(
        re.sub("(?m)^    ", "", text).strip("\n").replace("DATED\n\n", DATED).encode(), sealed=False
    )
    said = "".join(f"> {key}: {value}\n" for key, value in log.header)
    assert (log.title, said) == (title, header)


def test_the_front_matter_counts_first_and_sealed_logs_read_as_before() -> None:
    """What the front matter says is not overruled, and a sealed log has no labelled lines."""
    text = (
        "---\nagent: a\nbranch: main\n---\n# Session\n\n**Agent:** b\n**User:** c\n\nIt was built."
    )
    log, _ = decode(text.encode(), sealed=True)
    assert (dict(log.header), log.title) == ({"agent": "a", "branch": "main"}, "Session")
    assert log.prose == decode(text.encode(), sealed=False)[0].prose  # nothing is taken out of it


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
