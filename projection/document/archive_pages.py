"""Write the archive: one page of facts per quarter, and an index of one line per fact.

Pure and deterministic, like `render`, whose block form the pages share. The index is made for grep:
` — ` stands between its four fields and nowhere else (FORMAT.md, section 7).
"""

from __future__ import annotations

from _collections_abc import Iterable, Sequence

from ledger.model.layout import ARCHIVE_INDEX, archive_page
from projection.document.page_renderer import block
from projection.fold.fact_history import NO_TEXT, REDACTED_TEXT, Fact
from projection.fold.live_view import SUPERSEDED, Standing

PAGE_TITLE = "Archive — "
INDEX_TITLE = "Archive"
SUMMARY_LIMIT_CHARS = 120


def pages(standings: Iterable[Standing]) -> dict[str, str]:
    """Write the archived facts among `standings`.

    Returns:
        The text of each file by its path in the home, in the order of paths; empty if no fact is
        archived.
    """
    archived = [standing for standing in standings if standing.reason]
    if not archived:
        return {}
    by_quarter: dict[str, list[Standing]] = {}
    for standing in archived:
        by_quarter.setdefault(standing.quarter, []).append(standing)
    files = {ARCHIVE_INDEX: index_page(sorted(map(index_line, archived)))}
    for quarter in sorted(by_quarter):
        files[archive_page(quarter)] = quarter_page(quarter, by_quarter[quarter])
    return files


def quarter_page(quarter: str, standings: Iterable[Standing]) -> str:
    """Write the page of a quarter, of which `standings` are all facts, in any order."""
    parts = [f"# {PAGE_TITLE}{quarter}"]
    for one in sorted(standings, key=lambda one: (one.fact.created, one.fact.id)):
        parts.append(block(one.fact, one.tier, one.fact.kind, reason_of(one)))
    return "\n\n".join(parts) + "\n"


def index_line(standing: Standing) -> str:
    """Write the line of an archived fact; lines are in order where their ids are."""
    fact = standing.fact
    return f"- {fact.id} — {summary_of(fact)} — {reason_of(standing)} — {standing.quarter}.md"


def index_page(lines: Sequence[str]) -> str:
    """Write the index of these lines, which are in order."""
    return "\n".join((f"# {INDEX_TITLE}", "", *lines, ""))


def index_lines(page: str) -> list[str]:
    """Return the lines of an index that `index_page` wrote."""
    return page.split("\n")[2:-1]


def reason_of(standing: Standing) -> str:
    """Say why a fact is archived: `faded`, `superseded by X`, `invalidated`, `closed` or `archived`."""
    successors = standing.fact.superseded_by
    if standing.reason == SUPERSEDED and successors:
        return f"{SUPERSEDED} by {', '.join(successors)}"
    return standing.reason


def summary_of(fact: Fact) -> str:
    """Say a fact in one line of at most 120 characters; standing versions are parted by ` / `."""
    if fact.redacted:
        return REDACTED_TEXT
    text = " / ".join([head.text.lstrip().split("\n", 1)[0] for head in fact.versions])
    start = text[: 8 * SUMMARY_LIMIT_CHARS]  # a line may have 64 KiB
    words = start.split()
    if "—" in start:
        words = ["–" if word == "—" else word for word in words]
    line = " ".join(words)
    if len(line) > SUMMARY_LIMIT_CHARS or len(start) < len(text):
        return line[: SUMMARY_LIMIT_CHARS - 1].rstrip(" ") + "…"
    return line or NO_TEXT
