"""Tell what a person took away of a page from what only looks so.

A footer is nobody's but its own bullet's. People delete the line that they read and leave the footer below
it; editors break footers. So a fact is gone only where neither its text nor its footer stands there any
more, or its footer stands alone (FORMAT.md, A10).
"""

from __future__ import annotations

import re

from ledger.codec.fact_blocks import tidy
from ledger.codec.outline_by_lines import code_lines
from projection.document.changed_block import flowed
from projection.document.footer_reader import footers_inside
from projection.document.page_parser import Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    #: A finding: what is wrong, the line, and what to do.
    Said = tuple[str, int, str]

#: A text that begins with as many characters of another one is taken for a part of it.
_ALIKE_CHARS = 12
#: How many texts that begin alike are looked at.
_MOST_ALIKE = 20
_ID = re.compile(r"\bid\s*:\s*([a-z0-9][a-z0-9.-]*)")
#: What only footers hold, also where an editor made a dash of two hyphens.
_PIECE = re.compile(
    r"<!\s*(?:--|[–—])|(?:--|[–—])>"
    r"|(?:\||^)\s*(?:created|last_used|uses|tier|origin|verified|heads|moves)\s*:\s"
)
_BULLETS = ("- ", "* ", "+ ")
_TOGETHER = "keep each text together with its footer, or take both away"


def unstack(
    blocks: Iterable[Block], before: Mapping[str, Block]
) -> tuple[list[Block], list[Block]]:
    """Give each footer that came to stand under the bullet of another back to its own fact.

    `before` are the facts of the page as it was rendered, by id.

    Returns:
        The blocks, each with the first footer below it; and the other footers, as blocks without a
        bullet, with what text is left of it.
    """
    whole: list[Block] = []
    orphans: list[Block] = []
    for block in blocks:
        lines = block.text.split("\n")
        known = before[block.id].text.split("\n") if block.id in before else ()
        stack = [
            (at, pairs)
            for at, pairs in footers_inside(lines).items()
            if dict(pairs).get("id") and lines[at] not in known
        ]
        if not stack:
            whole.append(block)
            continue
        (end, own), *others = stack
        first = block._replace(id=dict(own)["id"], text="\n".join(lines[:end]), footer=own)
        whole.append(first._replace(versions=()))
        others.append((len(lines), block.footer))
        for at, pairs in others:
            left = tidy("\n".join(lines[end + 1 : at]))
            line, end = block.line + end + 1, at
            id = dict(pairs).get("id", "")
            orphans.append(Block(block.section, id, "", left, pairs, (), line))
    return whole, orphans


def broken(text: str, before: str) -> bool:
    """Tell whether a piece of a footer stands in a text that had none."""
    if not _PIECE.search(text):
        return False
    known = set(before.split("\n"))
    lines = text.split("\n")
    pieces = [n for n, line in enumerate(lines) if _PIECE.search(line) and line not in known]
    return not code_lines(lines).issuperset(pieces)


def left_below(base: str, lines: Sequence[str], footers: Iterable[int]) -> Iterator[Said]:
    """Say which text below a footer was a part of another fact, whose bullet went elsewhere.

    `base` is the page as it was rendered, `lines` are as it stands; `footers` are the lines of footers
    that text follows.
    """
    known = {line.strip() for line in base.split("\n")} - {""}
    for footer in footers:
        for number, line in enumerate(lines[footer:], footer + 1):
            if line[:1] not in ("", " ", "\t", "\r") and (line[:2] in _BULLETS or line[0] in "#<"):
                break
            if line.strip() in known:
                hint = "put it back below its own bullet, or take it away"
                yield "this line of another fact has lost its bullet", number, hint
                break


def doubts(
    gone: Mapping[str, Block],
    said: Iterable[tuple[Block, str]],
    base: str,
    lines: Sequence[str],
    orphans: Iterable[Block],
) -> Iterator[Said]:
    """Say which facts look gone and may not be.

    Args:
        gone: the facts that the page lacks, by id, as they stood in the base.
        said: each block that says something new, with its text in the base, "" for none.
        base: the page as it was rendered.
        lines: of the page as it stands.
        orphans: footers that stand alone.
    """
    if not gone:
        return
    known = set(base.replace("\r", "").split("\n")) | {""}
    alone = {one.id for one in orphans}
    for number, line in enumerate(lines, 1):
        if line.removesuffix("\r") in known:
            continue
        for id in _ID.findall(line):
            if id in gone and id not in alone:
                hint = "put its footer back as it was, in a line of its own below its bullet"
                yield f"the footer of {id} can not be read", number, hint
    alike: dict[str, list[Block]] = {}
    for block in gone.values():
        alike.setdefault(flowed(block.text)[:_ALIKE_CHARS], []).append(block)
    for block, before in said:
        text, before = flowed(block.text), flowed(before)
        shared = _shared(text, before)
        for one in alike.get(text[:_ALIKE_CHARS], ())[:_MOST_ALIKE]:
            there = flowed(one.text)
            begins = _shared(text, there)
            if begins > shared and 2 * begins >= min(len(text), len(there)):
                what = f"{block.id} begins" if block.id else "this bullet begins"
                yield f"{what} as {one.id} did, whose footer is gone", block.line, _TOGETHER
                break


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
