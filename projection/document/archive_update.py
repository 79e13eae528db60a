"""Update the archive's files after some facts moved, without rendering all other facts again.

Pure. Gives what `archive.pages` gives for the whole ledger, byte for byte, in the time of a few searches:
an archive grows with the ledger, and what one log changes in it does not.
"""

from __future__ import annotations

from bisect import bisect_left

from ledger.model.layout import ARCHIVE_INDEX, archive_page
from projection.document.archive_pages import INDEX_TITLE, PAGE_TITLE, index_line, page_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from projection.fold.projection_state import Standing

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
