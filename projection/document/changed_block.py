"""Compare one bullet of a rendered file with what a person made of it: its text, and its footer.

That needs what the bullet showed (its versions, and moves of a task), and looks through what editors do to
a page and say nothing by: wrapped lines, blanks, wide bullets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ledger.codec.fact_blocks import tidy
from ledger.codec.outline_by_lines import code_lines
from ledger.model.findings import Finding
from ledger.model.ids import version_id
from ledger.model.order import is_stem, stem_in
from projection.document.footer_reader import footers_inside
from projection.document.page_parser import Block, Parsed
from projection.document.page_renderer import COMPUTED_KEYS
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.policy.model import CONTRADICTIONS

Known = Callable[[str], Standing | None]
#: A finding: what is wrong, the line, and what to do.
Said = tuple[str, int, str]
#: Notes a finding: what is wrong, its line, and what to do.
Find = Callable[[str, int, str], None]


COMPUTED = "it is computed; put it back as it was"
_DECIDE = "decide it where the fact stands: leave the text that holds, or write another"


def surroundings(
    before: Parsed,
    after: Parsed,
    lines: Sequence[str],
    titles: tuple[str, ...],
    known: Known,
    touched: set[str],
    file: str,
) -> list[Finding]:
    """Say what was written where no event can say it.

    `before` is the file as it was rendered, `after` and `lines` are as it stands; `titles` are of the
    sections there can be; `known` gives the facts as they stand in the ledger now; `touched` are ids
    that the edit says something of.
    """
    said = [*_head(before, after, lines)]
    for number, line in enumerate(lines, 1):
        title = line[3:].strip()
        if line[:3] == "## " and title and title not in (*titles, CONTRADICTIONS):
            hint = f"sections: {', '.join(titles)}; diurna.toml can name more kinds"
            said.append((f"there is no section {title[:60]!r}", number, hint))
    said += _contradictions(before, after, lines, known, touched)
    if after.machine and after.machine != before.machine:
        hint = "put it back as it was: it says what the file was made from"
        said.append(("the last line was changed", _line_of("<!-- diurna: ", lines), hint))
    return [Finding("hand-edited", message, file, line, hint) for message, line, hint in said]


def _head(before: Parsed, after: Parsed, lines: Sequence[str]) -> Iterator[Said]:
    if after.title and after.title != before.title:
        hint = "the project's name stands in diurna.toml"
        yield "the title was changed", _line_of(f"# {after.title}", lines), hint
    note = " ".join(before.note.split())
    for line in after.note.split("\n"):
        if " ".join(line.split()) not in note:
            hint = "write it as a bullet of a section"
            yield "the note was changed", _line_of(f"> {line}", lines), hint
    for label, value in after.state:
        if (label, value) not in before.state:
            yield f"`{label}` was changed", _line_of(f"- {label}: {value}", lines), COMPUTED


def _contradictions(
    before: Parsed, after: Parsed, lines: Sequence[str], known: Known, touched: set[str]
) -> Iterator[Said]:
    """Refuse a choice that was made in the list of contradictions and nowhere else."""
    listed = {entry.id: entry._replace(line=0) for entry in before.conflicts}
    for entry in after.conflicts:
        if listed.pop(entry.id, None) != entry._replace(line=0):
            yield f"the contradiction of {entry.id} was changed", entry.line, _DECIDE
    for entry in listed.values():
        standing = known(entry.id)
        ends = {entry.id, *entry.rivals, *[new for _, new in entry.denied]}
        if standing is not None and standing.fact.torn_apart and not touched & ends:
            line = _line_of(f"## {CONTRADICTIONS}", lines)
            yield f"the contradiction of {entry.id} was taken away", line, _DECIDE


def _line_of(start: str, lines: Sequence[str]) -> int:
    """Return the line that starts so, blanks apart; 1 if there is none."""
    wanted = start.replace(" ", "")
    for number, line in enumerate(lines, 1):
        if line.replace(" ", "").startswith(wanted):
            return number
    return 1


def seen_in(block: Block, fact: Fact) -> tuple[str, ...] | None:
    """Return the versions that a block shows; None for a withheld text, which shows none."""
    if fact.redacted:
        return None
    return tuple([one.id for one in block.versions]) or (version_id(tidy(block.text)),)


def closed_in(block: Block, fact: Fact) -> tuple[str, ...] | None:
    """Return the versions and the moves that a block shows, as a closing of it names them."""
    seen = seen_in(block, fact)
    return None if seen is None else (*seen, *moves_in(block))


def moves_in(block: Block) -> tuple[str, ...]:
    """Return the logs of the moves that a block shows."""
    moves = [part.partition(" in ")[2] for part in block.get("moves").split(", ")]
    return tuple(filter(is_stem, dict.fromkeys([stem_in(key) for key in moves if key])))


_FENCES = ("```", "~~~")
#: A bullet whose text stands further right than Diurna writes it.
_WIDE = re.compile(r"([-*+])( {2,4})(?=[^ ])")
#: What begins a line that markdown does not join to the one before.
_STRUCTURE = re.compile(r"[-*+>#|=]|\d+[.)]|<!--")


def flowed(text: str) -> str:
    """Return a text with its lines as markdown joins them, to compare it with another."""
    first, *rest = tidy(text.replace("\r\n", "\n").removesuffix("\r")).split("\n")
    out, code = [" ".join(first.split())], first[:3] in _FENCES
    for line in rest:
        words = " ".join(line.split())
        fence = words[:3] in _FENCES
        if code or fence or (line[:4] == "    " and not out[-1]):
            out.append(line)
            code ^= fence
        elif not words:
            out += [""] * bool(out[-1])
        elif (
            not out[-1] or out[-1][-1] == "\\" or out[-1][:3] in _FENCES or _STRUCTURE.match(words)
        ):
            out.append(line[: len(line) - len(line.lstrip(" "))] + words)
        else:
            out[-1] += f" {words}"
    return "\n".join(out)


def narrowed(text: str) -> str:
    """Return a page with its bullets as wide as Diurna writes them, line for line."""
    mixed = "\r\n" in text
    lines, inset = text.split("\n"), 0
    for number, line in enumerate(lines):
        if mixed:
            line = line.removesuffix("\r")
        wide = _WIDE.match(line)
        if wide:
            inset = len(wide[2]) - 1
            line = f"{wide[1]} {line[wide.end() :]}"
        elif line[:1] not in ("", " ", "\t", "\r"):
            inset = 0
        elif inset and line[: inset + 2].strip(" ") == "":
            line = line[inset:]
        lines[number] = line
    return "\n".join(lines)


def new_text(before: Block, after: Block, find: Find) -> tuple[str, tuple[str, ...]]:
    """Return the text that is to stand and the versions it replaces; "" if nothing changed."""
    if not before.versions:
        text = tidy(after.text)
        if after.versions:
            hint = "several versions are what Diurna finds; write one text"
            find(f"{before.id} has several versions now", after.line, hint)
        elif not text:
            hint = "to say that it does not hold any more, take the bullet away, footer and all"
            find(f"{before.id} has no text any more", after.line, hint)
        elif flowed(text) != flowed(before.text):
            return text, (version_id(before.text),)
        return "", ()
    old = {version.id: version for version in before.versions}
    if not after.versions:
        if after.text == before.text and not after.footer:
            return "", ()
        return tidy(after.text), tuple(old)
    ids = [version.id for version in after.versions]
    texts = {id: flowed(version.text) for id, version in old.items()}
    changed = [one for one in after.versions if texts.get(one.id) != flowed(one.text)]
    gone = tuple(id for id in old if id not in ids)
    if not changed and not gone:
        return "", ()
    if len(changed) > 1 or any(one.id not in old for one in changed) or len(set(ids)) < len(ids):
        hint = "leave one text: take the others away, or write one in place of them all"
        find(f"what is to stand of {before.id} can not be told", after.line, hint)
        return "", ()
    stands = (changed or after.versions)[0]
    return tidy(stands.text), (stands.id, *gone)


def new_meta(before: Block, after: Block, find: Find) -> tuple[tuple[str, str], ...]:
    """Return the footer values that are new; `kind` and `tier` are read elsewhere."""
    if not after.footer:  # the whole footer was taken away: it comes back
        return ()
    new = []
    for key, value in after.footer:
        if key in ("id", "kind", "tier", "") or before.get(key) == value:
            continue
        if key == "supersedes":
            hint = "say it with `diurna append --supersede OLD=NEW`"
            find(f"`supersedes` of {before.id} was changed", after.line, hint)
        elif key in COMPUTED_KEYS:
            find(f"`{key}` of {before.id} was changed", after.line, COMPUTED)
        elif not value:
            find(f"`{key}` of {before.id} has no value", after.line, "give it one")
        else:
            new.append((key, value))
    said = {key for key, _ in after.footer}
    for key, _ in before.footer:
        if key not in said and key not in COMPUTED_KEYS and key != "supersedes":
            hint = "a value can be changed and not taken back; put it there again"
            find(f"`{key}` of {before.id} was taken away", after.line, hint)
    return tuple(new)


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
