"""Read the bullets of `## Memory References` as events, and write them.

Two readings. *Strict*, for sealed logs and drafts: the event table of the format with its few
leniencies. *Tolerant*, for logs written by hand or by other tools: more verbs, verbs above their
bullets, bullets that start with an id. Neither raises and neither loses the rest over a bad part.
What each verb is written with, `ledger.model.event.GRAMMAR` says. Keeps invariants S5 to S8 of FORMAT.md.
"""

from __future__ import annotations

from ledger.codec.outline import Item, Unit, items_of, units_of, without_comments
from ledger.model.event import GRAMMAR, VERBS, Event, FactReferenced, FactUpdated, written
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Kinds = tuple[type[Event], ...]

IDS_A_BULLET = 100
_KNOWN: dict[str, Kinds] = {verb.lower(): (kind,) for verb, kind in VERBS.items()}
#: What hand-written logs say. An empty tuple: known, and no event.
_TOLERANT: dict[str, Kinds] = {
    **{word: kinds for word, kinds in _KNOWN.items() if not GRAMMAR[kinds[0]].of_log},
    **{word: (kind,) for kind, verb in GRAMMAR.items() for word in verb.also},
    **dict.fromkeys(("archived", "tier change", "tier changes", "faded", "swept", "unchanged"), ()),
}
_DROPPED_FIRST = ("also ", "thread ", "threads ", "fact ", "facts ", "newly ")
_DROPPED_LAST = (" thread", " threads", " fact", " facts", " ids")
#: First words behind `id — ` that make a bullet without a verb more than a reference.
_SAID_BEHIND = (
    "created", "updated", "substance updated", "closed", "reopened", "verified", "reactivated",
    "corrected",
)  # fmt: skip
_NONE = frozenset(("none", "n/a", "-", "—", "–", "nothing"))
_JOINING = frozenset(("and", "+", "/", "&", "plus", "also"))


def read_references(
    lines: list[str], first_line: int = 1, *, strict: bool, file: str = ""
) -> tuple[list[Event], list[Finding]]:
    """Read the lines of one references section.

    The lines stand behind the heading, from line `first_line` of the file on; `strict` reads them as a
    sealed log's, not as written by hand. `file` is for findings.
    """
    reader = _Reader(strict, file)
    for unit in units_of(lines, first_line, reader.stray):
        reader.unit(unit)
    return reader.events, reader.findings


def write_references(events: tuple[Event, ...]) -> list[str]:
    """Write the bullets of a references section, in the order of the events.

    Neighbours of one verb share a bullet, unless they carry a remark or more than an id.
    """
    lines: list[str] = []
    group: list[str] = []
    last: type[Event] = FactReferenced
    for event in events:
        kind = type(event)
        verb = GRAMMAR[kind]
        said = written(event)
        for naming in verb.namings:
            names = naming.names(event)
            if names is not None:
                said += f" ({naming.field} {', '.join(names)})"
        alone = bool(event.remark) or kind is FactUpdated or said != event.id
        if group and (kind is not last or alone or len(group) == IDS_A_BULLET):
            lines.append(f"- {GRAMMAR[last].word}: {', '.join(group)}")
            group = []
        last = kind
        if alone:
            lines.append(f"- {verb.word}: {said}" + (event.remark and f" — {event.remark}"))
        else:
            group.append(said)
    if group:
        lines.append(f"- {GRAMMAR[last].word}: {', '.join(group)}")
    return lines


class _Reader:
    """Collects events and findings of one section, unit by unit."""

    def __init__(self, strict: bool, file: str) -> None:
        self.strict = strict
        self.file = file
        self.events: list[Event] = []
        self.findings: list[Finding] = []
        self.above: Kinds | None = None  # what a verb line gives to the bullets below it
        self.own: Kinds | None = None  # what a bullet gives to the bullets nested in it

    def find(self, code: str, line: int, message: str, hint: str = "") -> None:
        self.findings.append(Finding(code, message, self.file, line, hint))

    def stray(self, line: int, message: str) -> None:
        """Report what is no bullet: of interest only where nothing else may stand."""
        if self.strict:
            self.find("bad-event", line, message, "move it above the references")

    def unit(self, unit: Unit) -> None:
        text = without_comments(unit.text)
        if text != unit.text:
            self.stray(unit.line, "a comment in the references is not kept")
        nested = unit.bullet and unit.indent >= 2
        kinds, body = self.verb(text.lstrip("#").strip() if not unit.bullet else text)
        if not unit.bullet:
            self.own = None
            self.above = None
            if self.strict:
                self.stray(unit.line, f"not a bullet: {text[:60]}")
            elif kinds is not None:
                items = items_of(body)
                if any(item.text for item in items):
                    self.items(unit, kinds, items)
                else:
                    self.above = kinds
            elif text.startswith(("`", "[[")):
                self.verbless(unit, text)
            return
        if kinds is None and nested and self.own is not None:
            kinds, body = self.own, text
        elif kinds is None and not nested and self.above is not None:
            kinds, body = self.above, text
        elif not nested:
            self.own = kinds
        if kinds is not None:
            self.items(unit, kinds, items_of(body))
        elif not text:
            pass
        elif self.strict:
            none = text.lower().startswith("(none")
            if not none:
                self.unknown(unit, text)
        elif not nested:
            self.verbless(unit, text)

    def unknown(self, unit: Unit, text: str) -> None:
        hint = "write `- Referenced: id, id`, or another verb of the format"
        self.find("unknown-verb", unit.line, f"no known event: {text[:60]}", hint)

    def verb(self, text: str) -> tuple[Kinds | None, str]:
        """Split a unit into the events its verb stands for (None: no known verb) and the rest."""
        depth, end, bare = 0, len(text), []
        for index, char in enumerate(text[:200]):
            if char == "(":
                depth += 1
            elif char == ")":
                depth -= 1
            elif depth == 0:
                if char == ":":
                    end = index
                    break
                bare.append(char)
        if self.strict:
            return _KNOWN.get(text[:end].strip("* ").lower()), text[end + 1 :]
        if end == len(text) and len(text) > 60:
            return None, ""
        head = " ".join("".join(bare).replace("*", "").lower().split())
        kinds = _phrase(head)
        if kinds is None:
            for joint in ("+", "/", "&", ",", " and "):
                head = head.replace(joint, "\n")
            if "\n" in head:
                parts = [_phrase(part.strip()) for part in head.split("\n") if part.strip()]
                known = [part for part in parts if part is not None]
                if len(known) == len(parts):
                    kinds = tuple(dict.fromkeys(kind for part in known for kind in part))
        return kinds, text[end + 1 :]

    def items(self, unit: Unit, kinds: Kinds, items: list[Item]) -> None:
        """Turn the items behind a verb into events."""
        of_two = next((kind for kind in kinds if GRAMMAR[kind].arrow is not None), None)
        others = tuple(kind for kind in kinds if kind is not of_two)
        waiting: list[str] = []
        begun = len(self.events)
        for item in items:
            if not item.text:
                said = item.remark().lower()
                if self.strict and said and not said.startswith("none"):
                    self.find("bad-event", unit.line, f"a remark without an id: {said[:60]}")
                continue
            if not self.strict and item.text.strip("*`. ").lower() in _NONE:
                continue
            if of_two is not None:
                self.pair(unit, of_two, item, waiting)
            if others:
                self.named(unit, others, item)
        if any(GRAMMAR[kind].shared for kind in others):
            self.share(begun)
        for old in waiting:
            assert of_two is not None
            verb, arrow = GRAMMAR[of_two], GRAMMAR[of_two].arrow
            assert arrow is not None
            instead = f", or `- {arrow.instead[1]}: old`" if arrow.instead[1] else ""
            said = arrow.told[0].format("what").lower()
            self.find("bad-event", unit.line, f"{said}? {old}",
                      f"write `- {verb.word}: old → {arrow.field}`{instead}")  # fmt: skip

    def share(self, begun: int) -> None:
        """Give the ids of a bullet without a remark the one that stands behind them."""
        remark = ""
        for place in range(len(self.events) - 1, begun - 1, -1):
            event = self.events[place]
            if GRAMMAR[type(event)].shared:
                remark = event.remark or remark
                self.events[place] = event._replace(remark=remark)

    def pair(self, unit: Unit, kind: type[Event], item: Item, waiting: list[str]) -> None:
        """Read `old → new`; ids without an arrow wait for one, as in `a, b → c`."""
        arrow = GRAMMAR[kind].arrow
        assert arrow is not None
        left, joint, right = item.text.replace("->", "→").partition("→")
        if not joint and not self.strict:
            left, joint, right = item.text.partition(" by ")
        old = self.id_of(unit, left)
        if not old:
            return
        word, verb = arrow.instead
        said = item.parens[0].lower() if item.parens else ""
        if joint:
            new = self.bare(right)
            if not arrow.fits(new):
                self.misfit(unit, right, arrow.called)
            else:
                for earlier in (*waiting, old):
                    self.events.append(_event(kind, earlier, item, **{arrow.field: new}))
                waiting.clear()
        elif word and said.startswith(word) and not said[len(word) : len(word) + 1].isalnum():
            rest = item.parens[0][len(word) :].strip(" :,;—–-")
            parts = [part for part in (rest, item.remark(1)) if part]
            self.events.append(VERBS[verb](old, remark=" — ".join(parts)))
        else:
            waiting.append(old)

    def bare(self, text: str) -> str:
        """Take the marks off that an id may stand in."""
        return text.strip("`*[] \t" if self.strict else "`*[]. \t")

    def id_of(self, unit: Unit, text: str) -> str:
        """Return the id that `text` is, or "" and a finding."""
        bare = self.bare(text)
        if is_fact_id(bare):
            return bare
        self.misfit(unit, text, "fact id")
        return ""

    def misfit(self, unit: Unit, text: str, called: str) -> None:
        hint = "ids are lower-case words joined by hyphens or dots" if called == "fact id" else ""
        self.find("bad-id", unit.line, f"not a {called}: {text.strip()[:60]}", hint)

    def named(self, unit: Unit, kinds: Kinds, item: Item) -> None:
        """Add the events of one item, whatever its verb but `Superseded`."""
        bare = self.bare(item.text)
        if is_fact_id(bare) or self.strict:
            name = bare if is_fact_id(bare) else self.id_of(unit, item.text)
            if name:
                self.add(kinds, name, item)
            return
        words = item.text.replace("->", "→").partition("→")[0].split()
        likely = [(_likely(word), word) for word in words]
        named = [name for name, _ in likely if name]
        if words and named and all(name or word in _JOINING for name, word in likely):
            for name in named:
                self.add(kinds, name, item)
        elif likely and likely[0][0]:
            rest = item.text.split(None, 1)[1:]
            self.add(kinds, likely[0][0], Item("", item.parens, " ".join([*rest, item.behind])))
        else:
            ticked = [name for name, word in likely if name and word[0] in "`["]
            for name in ticked:
                self.add(kinds, name, item)
            if not ticked:
                self.id_of(unit, item.text)

    def add(self, kinds: Kinds, name: str, item: Item) -> None:
        self.events += [_event(kind, name, item) for kind in kinds]

    def verbless(self, unit: Unit, text: str) -> None:
        """Read a hand-written bullet without a verb: ids that it starts with are referenced."""
        colon = text.find(": ")
        first = text[:colon] if 0 < colon < 100 else ""
        if first and _likely(first):
            self.events.extend(_said(_likely(first), text[colon + 2 :].strip()))
            return
        items = items_of(text)
        ticked = text[:1] in ("`", "[", "*")
        if not items or not items[0].text:
            return  # `(none …)`
        for position, item in enumerate(items):
            words = item.text.split()
            name = _likely(words[0]) if words else ""
            if name and (len(words) == 1 or (position == 0 and ticked)):
                rest = " ".join(words[1:])
                self.events.extend(_said(name, " — ".join(filter(None, (rest, item.remark())))))
            elif position == 0:
                if unit.bullet:
                    self.unknown(unit, text)
                return


def _event(kind: type[Event], name: str, item: Item, **fields: Any) -> Event:
    """Return the event that an item says of an id, with what its parentheses name."""
    at = 0
    for naming in GRAMMAR[kind].namings:
        said = item.parens[at] if len(item.parens) > at else ""
        if said.startswith(naming.field + " "):
            names = [part.strip("` ") for part in said[len(naming.field) + 1 :].split(",")]
            if naming.can_be(names):
                fields[naming.field] = naming.value(names)
                at += 1
    return kind(name, remark=item.remark(at).strip(), **fields)


def _said(name: str, remark: str) -> list[Event]:
    """Read `id — closed …`: the event its first words name, else a reference."""
    words = remark.lower()
    for said in _SAID_BEHIND:
        if words.startswith(said) and not words[len(said) : len(said) + 1].isalnum():
            return [kind(name, remark=remark) for kind in _TOLERANT[said]]  # type: ignore[call-arg]
    return [FactReferenced(name, remark)]


def _phrase(head: str) -> Kinds | None:
    """Return what a hand-written verb stands for; None when it is none."""
    for first in _DROPPED_FIRST:
        head = head.removeprefix(first)
    for last in _DROPPED_LAST:
        head = head.removesuffix(last)
    return _TOLERANT.get(head)


def _likely(word: str) -> str:
    """Return the id that a word of prose surely is: marked as one, or written like one."""
    marked = word.strip("*")[:1] in ("`", "[")
    bare = word.strip("`*[].,;:")
    if not is_fact_id(bare):
        return ""
    return bare if marked or "-" in bare or "." in bare else ""
