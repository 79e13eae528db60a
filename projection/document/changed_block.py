"""Compare one bullet of a rendered file with what a person made of it: its text, and its footer.

That needs what the bullet showed (its versions, and moves of a task), and looks through what editors do to
a page and say nothing by: wrapped lines, blanks, wide bullets.
"""

from __future__ import annotations

import re

from ledger.codec.fact_blocks import tidy
from ledger.model.ids import version_id
from ledger.model.order import is_stem, stem_in
from projection.document.frame import COMPUTED
from projection.document.page_renderer import COMPUTED_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from projection.document.page_parser import Block
    from projection.fold.fact_history import Fact

    #: Notes a finding: what is wrong, its line, and what to do.
    Find = Callable[[str, int, str], None]


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
