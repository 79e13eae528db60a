"""Find what a projection file says and no log does, and tell whether Diurna rendered the file.

Both look at nothing but the text and the facts, so they hold for files whose history nobody knows: a
squashed commit, a cherry-pick, a file that stood there before Diurna did (FORMAT.md, P5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ledger.codec.fact_blocks import tidy
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.layout import ARCHIVE_INDEX, CONTINUITY_FILE
from projection.document.page_parser import TWO_MACHINES, Block, Parsed, parse, unparse
from projection.document.page_renderer import NOTE, REDACTED
from projection.fold.fact_history import Fact, History

#: What says nothing of its own: where a text that both sides have stands twice.
_REPEATED = ("duplicate-block", "conflict-in-projection")
_HINT = "record what it says with `diurna note TEXT`, or move it to a file of your own"
_STAYS = "it stands here until a person's lines are out of the way and the page is written again"


def has_rendered_form(path: str, text: str) -> bool:
    """Tell whether a file is one that rendering may have written: nothing else stands in it."""
    if path == ARCHIVE_INDEX:
        return all(not line or line.startswith("# ") or _indexed(line) for line in text.split("\n"))
    parsed, noticed = parse(text, file=path)
    whole = parsed.machine is not None or path != CONTINUITY_FILE
    named = all(block.id for block in parsed.blocks)
    return not noticed and whole and named and unparse(parsed) == text


def unsaid(path: str, text: str, histories: Mapping[str, History]) -> tuple[Finding, ...]:
    """Name what stands in a projection file and in no log, by line."""
    if path == ARCHIVE_INDEX:
        lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        said = [(n, _indexed(line)) for n, line in lines if not line.startswith("# ")]
        return tuple([unsaid_line(path, n) for n, id in said if id not in histories])
    parsed, noticed = parse(text, file=path)
    found = [one for one in noticed if one.code not in _REPEATED and one.message != TWO_MACHINES]
    found += unsaid_blocks(path, parsed.blocks, histories)
    found += [unsaid_line(path, 1) for _ in _head(parsed)][:1]
    return tuple(sorted(found, key=lambda one: one.line))


def withheld(path: str, text: str, fact_of: Callable[[str], Fact | None]) -> list[Finding]:
    """Name what a projection file shows and was redacted since, by line."""
    return [] if path == ARCHIVE_INDEX else withheld_blocks(path, parse(text)[0].blocks, fact_of)


def unsaid_blocks(
    path: str, blocks: Iterable[Block], histories: Mapping[str, History]
) -> list[Finding]:
    """Name the blocks of a file that say what no log does."""
    found: list[Finding] = []
    texts: set[str] | None = None
    for block in blocks:
        if block.id in histories and _says(histories[block.id], block):
            continue
        if texts is None:
            texts = texts_in(histories)
        if tidy(block.text) not in texts:
            found.append(unsaid_line(path, block.line))
    return found


def withheld_blocks(
    path: str, blocks: Iterable[Block], fact_of: Callable[[str], Fact | None]
) -> list[Finding]:
    """Name the blocks of a file that show what was redacted since (F9)."""
    found = []
    for block in blocks:
        fact = fact_of(block.id) if block.text != REDACTED else None
        if fact is not None and fact.redacted:
            message = f"the text of {block.id} was redacted since"
            found.append(Finding("hand-edited", message, path, block.line, _STAYS))
    return found


def texts_in(histories: Mapping[str, History]) -> set[str]:
    """Return every text that logs ever brought."""
    return {said for fact in histories for said in _texts(histories[fact])}


def unsaid_line(path: str, line: int) -> Finding:
    """Say that what stands on a line is in no log."""
    return Finding("hand-edited", "this text is in no log", path, line, _HINT)


def _head(parsed: Parsed) -> list[str]:
    """Return the lines of the note that are not Diurna's, and state lines where nothing is computed."""
    ours = " ".join(NOTE.split())
    said = [line for line in parsed.note.split("\n") if " ".join(line.split()) not in ours]
    return said if parsed.machine else [*said, *(label for label, _ in parsed.state)]


def _says(history: History, block: Block) -> bool:
    """Tell whether logs brought every text of a block, or its texts are withheld."""
    known = _texts(history)
    if block.versions:
        return all(tidy(version.text) in known for version in block.versions)
    return tidy(block.text) in known or block.text == REDACTED


def _texts(history: History) -> set[str]:
    """Return every text that logs ever brought of a fact."""
    return {
        tidy(act.event.text)
        for act in history.acts
        if isinstance(act.event, FactCreated | FactUpdated) and act.event.text is not None
    }


def _indexed(line: str) -> str:
    """Return the id that a line of the archive's index is about, "" where it is no such line."""
    id, *parts = line.removeprefix("- ").split(" — ")
    return id if line[:2] == "- " and len(parts) == 3 and is_fact_id(id) else ""
