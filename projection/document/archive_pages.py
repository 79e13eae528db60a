"""Write the archive: one page of facts per quarter, and an index of one line per fact.

Pure and deterministic, like `render`, whose block form the pages share. The index is made for grep:
` — ` stands between its four fields and nowhere else (FORMAT.md, section 7).

What one log changes in an archive does not grow with it, so an update of its files after some facts moved
renders no other fact again. It gives what `pages` gives for the whole ledger, byte for byte, in the time
of a few searches.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping

from ledger.model.layout import ARCHIVE_INDEX, archive_page
from projection.document.page_renderer import NO_TEXT, REDACTED, block, ordered
from projection.fold.fact_history import Fact
from projection.fold.projection_state import SUPERSEDED, Standing

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
    archived.sort(key=lambda standing: (standing.fact.created, standing.fact.id))
    if not archived:
        return {}
    by_quarter: dict[str, list[str]] = {}
    for standing in archived:
        page = by_quarter.setdefault(standing.quarter, [f"# {PAGE_TITLE}{standing.quarter}"])
        page.append(page_block(standing))
    index = sorted([(standing.fact.id, index_line(standing)) for standing in archived])
    files = {ARCHIVE_INDEX: f"# {INDEX_TITLE}\n\n" + "\n".join([line for _, line in index]) + "\n"}
    for quarter in sorted(by_quarter):
        files[archive_page(quarter)] = "\n\n".join(by_quarter[quarter]) + "\n"
    return files


def page_block(standing: Standing) -> str:
    """Write the block of an archived fact."""
    fact = standing.fact
    return block(fact, standing.tier, fact.kind, reason_of(standing))


def index_line(standing: Standing) -> str:
    """Write the line of an archived fact in the index."""
    fact, reason = standing.fact, reason_of(standing)
    return f"- {fact.id} — {summary_of(fact)} — {reason} — {standing.quarter}.md"


def reason_of(standing: Standing) -> str:
    """Say why a fact is archived: `faded`, `superseded by X`, `invalidated`, `closed` or `archived`."""
    successors = standing.fact.superseded_by
    if standing.reason == SUPERSEDED and successors:
        return f"{SUPERSEDED} by {', '.join(successors)}"
    return standing.reason


def summary_of(fact: Fact) -> str:
    """Say a fact in one line of at most 120 characters; standing versions are parted by ` / `."""
    if fact.redacted:
        return REDACTED
    heads = ordered(fact.heads) if len(fact.heads) > 1 else fact.heads
    text = " / ".join([head.text.lstrip().split("\n", 1)[0] for head in heads])
    start = text[: 8 * SUMMARY_LIMIT_CHARS]  # a line may have 64 KiB
    words = start.split()
    if "—" in start:
        words = ["–" if word == "—" else word for word in words]
    line = " ".join(words)
    if len(line) > SUMMARY_LIMIT_CHARS or len(start) < len(text):
        return line[: SUMMARY_LIMIT_CHARS - 1].rstrip(" ") + "…"
    return line or NO_TEXT


_PART = "\n\n- "


def revise(
    read: Callable[[str], str], moved: Mapping[str, Standing | None]
) -> dict[str, str | None]:
    """Return the archive's files that differ now: path -> text, None for a page that is empty now.

    `read` gives the text of an archive file as it was rendered before, "" for one that there was not;
    `moved` is every fact whose archived form may be another now, where it stands now.
    """
    index = _Parts(
        read(ARCHIVE_INDEX), f"# {INDEX_TITLE}\n", "\n- ", lambda line: (line[: line.index(" ")],)
    )
    pages: dict[str, _Parts] = {}
    for fact, standing in sorted(moved.items()):
        archived = standing is not None and bool(standing.reason)
        line = index.find((fact,))
        if line is None and not archived:
            continue
        if line is not None:
            quarter = line[line.rindex(" ") + 1 : -3]
            _page(read, pages, quarter).take(fact)
            index.take(fact)
        if standing is not None and archived:
            value = standing.fact
            index.put((fact,), index_line(standing)[2:])
            block = page_block(standing)[2:]
            _page(read, pages, standing.quarter).put((value.created, fact), block)
    files = {ARCHIVE_INDEX: index, **{archive_page(name): page for name, page in pages.items()}}
    return {path: parts.text() for path, parts in sorted(files.items()) if parts.changed}


def _page(read: Callable[[str], str], pages: dict[str, _Parts], quarter: str) -> _Parts:
    if quarter not in pages:
        title = f"# {PAGE_TITLE}{quarter}"
        pages[quarter] = _Parts(read(archive_page(quarter)), title, _PART, _block_key)
    return pages[quarter]


class _Parts:
    """A file as its title and its parts, which stand in the order of their keys.

    No line of a part but its first begins in column 0, so only a part begins with "- " there.
    """

    def __init__(
        self, text: str, title: str, between: str, key: Callable[[str], tuple[str, ...]]
    ) -> None:
        self._was, self._title, self._between, self._key = text, title, between, key
        self._parts = text[:-1].split(between)[1:]

    def _place(self, key: tuple[str, ...]) -> int:
        return bisect_left(self._parts, key, key=self._key)

    def find(self, key: tuple[str, ...]) -> str | None:
        """Return the part of a key."""
        place = self._place(key)
        found = self._parts[place : place + 1]
        return found[0] if found and self._key(found[0]) == key else None

    def take(self, fact: str) -> None:
        """Take out the part of a fact, whatever else its key holds."""
        self._parts = [
            part for part in self._parts if fact not in part or self._key(part)[-1] != fact
        ]

    def put(self, key: tuple[str, ...], part: str) -> None:
        """Put a part in its place."""
        self._parts.insert(self._place(key), part)

    @property
    def changed(self) -> bool:
        return (self.text() or "") != self._was

    def text(self) -> str | None:
        """Return the file, None when it holds nothing."""
        if not self._parts:
            return None
        return self._between.join([self._title, *self._parts]) + "\n"


def _block_key(block: str) -> tuple[str, ...]:
    """Return (created, id) of a block, off its footer, which is its last line."""
    pairs = block[block.rindex("<!-- ") + 5 :].split(" | ")
    created = next((pair[9:] for pair in pairs[1:4] if pair.startswith("created: ")), "")
    return created, pairs[0][4:].removesuffix(" -->")
