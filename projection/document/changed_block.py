"""Compare a bullet of a page with what a person made of it: its place, its text, its footer.

That needs what the bullet showed (its versions, and moves of a task), and looks through what editors do to
a page and say nothing by: wrapped lines, and blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ledger.codec.fact_blocks import tidy
from ledger.model.ids import version_id
from ledger.model.log_names import is_stem, stem_in
from projection.document.footer_reader import footers_inside
from projection.document.page_parser import IS_COMPUTED, Block, Parsed
from projection.document.page_renderer import COMPUTED_KEYS, section_title
from projection.fold.fact_history import Fact
from projection.policy.model import CLOSABLE, CONTRADICTIONS, THREAD_KIND, Policy

#: A finding: what is wrong, the line, and what to do.
Said = tuple[str, int, str]
#: Notes a finding: what is wrong, its line, and what to do.
Find = Callable[[str, int, str], None]

COMPUTED = "it is computed; put it back as it was"


class Places:
    """The sections that a policy and a rendered file have, with their kinds.

    Args:
        policy: names kinds and their sections.
        blocks: of the rendered file; they may be of kinds that the policy does not name.
    """

    def __init__(self, policy: Policy, blocks: Iterable[Block]) -> None:
        self._kinds: dict[str, list[str]] = {}
        for kind in policy.kinds:
            self._kinds.setdefault(section_title(policy, kind.name), []).append(kind.name)
        for block in blocks:
            there = self._kinds.setdefault(block.section, [])
            if block.get("kind") and block.get("kind") not in there:
                there.append(block.get("kind"))
        #: the titles of all sections, and all kinds, in rendering order
        self.titles = tuple(self._kinds)
        self.kinds = tuple(dict.fromkeys([kind for some in self._kinds.values() for kind in some]))

    def kind(self, block: Block) -> str:
        """Return the kind of a block: what its footer says, else what its section implies."""
        there = self._kinds.get(block.section, [])
        return block.get("kind") or (there[0] if there else "")

    def kind_of_new(self, block: Block) -> str:
        """Return the kind of a block that a person added; a checkbox makes a thread of what has none."""
        kind = self.kind(block)
        stays = block.get("kind") or kind in CLOSABLE or not block.mark
        return kind if stays else THREAD_KIND

    def kind_after(self, before: Block, after: Block) -> str:
        """Return the kind of a block that a person may have moved, ticked or given a kind."""
        old, said = self.kind(before), after.get("kind")
        if said and said != before.get("kind"):
            return said
        if after.section != before.section:
            there = self._kinds.get(after.section, [])
            return old if old in there or not there else there[0]
        boxed = after.mark and not before.mark and old not in CLOSABLE
        return THREAD_KIND if boxed else old


def surroundings(
    before: Parsed, after: Parsed, lines: Sequence[str], titles: Sequence[str]
) -> Iterator[Said]:
    """Yield what was written where no event can say it.

    `before` is the file as it was rendered, `after` and `lines` are as it stands; `titles` are of the
    sections there can be.
    """
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
    for number, line in enumerate(lines, 1):
        title = line[3:].strip()
        if line[:3] == "## " and title and title not in (*titles, CONTRADICTIONS):
            hint = f"sections: {', '.join(titles)}; diurna.toml can name more kinds"
            yield f"there is no section {title[:60]!r}", number, hint
    known = {said for said, _ in before.conflicts}
    for said, number in after.conflicts:
        if said not in known:
            yield IS_COMPUTED[0], number, IS_COMPUTED[1]
    if after.machine and after.machine != before.machine:
        hint = "put it back as it was: it says what the file was made from"
        yield "the last line was changed", _line_of("<!-- diurna: ", lines), hint


def _line_of(start: str, lines: Sequence[str]) -> int:
    """Return the line that starts so, blanks apart; 1 if there is none."""
    wanted = start.replace(" ", "")
    found = (n for n, line in enumerate(lines, 1) if line.replace(" ", "").startswith(wanted))
    return next(found, 1)


def seen_in(block: Block, fact: Fact) -> tuple[str, ...] | None:
    """Return the versions that a block shows; None for a withheld text, which shows none."""
    if fact.redacted:
        return None
    return tuple([one.id for one in block.versions]) or (version_id(tidy(block.text)),)


def closed_in(block: Block, fact: Fact) -> tuple[str, ...] | None:
    """Return the versions and the moves that a block shows, as a closing of it names them."""
    seen = seen_in(block, fact)
    moves = [part.partition(" in ")[2] for part in block.get("moves").split(", ")]
    logs = filter(is_stem, dict.fromkeys([stem_in(key) for key in moves if key]))
    return None if seen is None else (*seen, *logs)


#: A line end that markdown takes for a blank: none of a paragraph, an item or the like begins behind it.
_JOINED = re.compile(r"(?<![\n\\])\n(?!\s*(?:\n|$|[-*+>#|=]|\d+[.)]|<!--))\s*")
_CODE = re.compile(r"```|~~~|\n {4}")


def flowed(text: str) -> str:
    """Return a text with its lines as markdown joins them, to compare it with another; code as it is."""
    text = tidy(text)
    if _CODE.search(text):
        return text
    joined = _JOINED.sub(" ", text)
    return re.sub(
        r"\n{2,}", "\n\n", "\n".join([" ".join(line.split()) for line in joined.split("\n")])
    )


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
        same = after.text == before.text and not after.footer
        return ("", ()) if same else (tidy(after.text), tuple(old))
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
        inside = footers_inside(lines).items()
        stack = [one for one in inside if dict(one[1]).get("id") and lines[one[0]] not in known]
        if not stack:
            whole.append(block)
            continue
        (end, own), *others = stack
        first = block._replace(id=dict(own)["id"], text="\n".join(lines[:end]), footer=own)
        whole.append(first._replace(versions=()))
        for at, pairs in (*others, (len(lines), block.footer)):
            left, line = tidy("\n".join(lines[end + 1 : at])), block.line + end + 1
            end = at
            orphans.append(
                Block(block.section, dict(pairs).get("id", ""), "", left, pairs, (), line)
            )
    return whole, orphans
