"""The bullets of `## Memory References` as events, and back.

Two readings. *Strict*, for sealed logs and drafts: the event table of the format with its few
leniencies. *Tolerant*, for logs written by hand or by other tools: more verbs, verbs above their
bullets, bullets that start with an id. Neither raises and neither loses the rest over a bad part.
Keeps invariants S5 to S8 of FORMAT.md.

Longer than most modules because both readings share one cutting of lines into bullets and of
bullets into items; apart, they would drift.
"""

from __future__ import annotations

from ledger.codec.outline_by_lines import OVERLONG, closes_fence, fence_length
from ledger.model.event import (
    SEEING,
    VERB_OF,
    VERBS,
    Event,
    FactArchived,
    FactCreated,
    FactDemoted,
    FactInvalidated,
    FactPromoted,
    FactReactivated,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id, is_version_id
from ledger.model.order import is_stem
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Kinds = tuple[type[Event], ...]

IDS_A_BULLET = 100
_KNOWN: dict[str, Kinds] = {verb.lower(): (kind,) for verb, kind in VERBS.items()}
#: What hand-written logs say. An empty tuple: known, and no event.
_TOLERANT: dict[str, Kinds] = {
    **_KNOWN,
    **dict.fromkeys(
        ("reference", "references", "referenced", "applied", "extended", "used", "relied on",
         "consulted", "read"),
        (FactReferenced,),
    ),
    **dict.fromkeys(("new", "added", "born"), (FactCreated,)),
    **dict.fromkeys(
        ("touched", "corrected", "substance updated", "updates", "amended", "revised"),
        (FactUpdated,),
    ),
    **dict.fromkeys(("completed", "resolved"), (ThreadClosed,)),
    **dict.fromkeys(("re-verified", "reverified"), (FactVerified,)),
    **dict.fromkeys(("re-opened",), (ThreadReopened,)),
    **dict.fromkeys(("archived", "tier change", "tier changes", "faded", "swept", "unchanged"), ()),
}  # fmt: skip
_DROPPED_FIRST = ("also ", "thread ", "threads ", "fact ", "facts ", "newly ")
_DROPPED_LAST = (" thread", " threads", " fact", " facts", " ids")
#: First words behind `id — ` that make a bullet without a verb more than a reference.
_SAID_BEHIND = (
    "created", "updated", "substance updated", "closed", "reopened", "verified", "reactivated",
    "corrected",
)  # fmt: skip
BLOB_CHARS = 40
#: Events that are nothing but an id and a remark.
_PLAIN: dict[type[Event], Callable[[str, str], Event]] = {
    FactReferenced: FactReferenced,
    FactInvalidated: FactInvalidated,
    FactReactivated: FactReactivated,
    ThreadClosed: ThreadClosed,
    ThreadReopened: ThreadReopened,
    FactVerified: FactVerified,
    FactPromoted: FactPromoted,
    FactDemoted: FactDemoted,
    FactRedacted: FactRedacted,
    FactReinstated: FactReinstated,
    FactArchived: FactArchived,
}
_NONE = frozenset(("none", "n/a", "-", "—", "–", "nothing"))
_JOINING = frozenset(("and", "+", "/", "&", "plus", "also"))


class Unit(Record):
    """One bullet with its continuation lines, or one paragraph of the section."""

    line: int
    indent: int
    bullet: bool
    text: str


class Item(Record):
    """What stands between two commas: a text, its parentheses and what follows a dash."""

    text: str
    parens: tuple[str, ...]
    behind: str

    def remark(self, skip: int = 0) -> str:
        """Join what the author wrote beside the id."""
        parts = [part for part in (*self.parens[skip:], self.behind) if part]
        return " — ".join(parts)


def read_references(
    lines: list[str], first_line: int = 1, *, strict: bool, file: str = ""
) -> tuple[list[Event], list[Finding]]:
    """Read the lines of one references section.

    Args:
        lines: the lines behind the heading.
        first_line: number of the first of them in the file, for findings.
        strict: read as a sealed log, not as one written by hand.
        file: name for findings.
    """
    reader = _Reader(strict, file)
    for unit in _units(lines, first_line, reader):
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
        written = event.id
        if isinstance(event, FactSuperseded):
            written += f" → {event.new}"
        if isinstance(event, SEEING) and event.was is not None:
            written += f" (was {', '.join(event.was)})"
        if isinstance(event, FactReinstated | FactUpdated) and event.said is not None:
            written += f" (said {', '.join(event.said)})"
        if isinstance(event, FactRedacted) and event.held:
            written += f" (held {', '.join([f'{stem} {blob}' for stem, blob in event.held])})"
        alone = bool(event.remark) or kind is FactUpdated or written != event.id
        if group and (kind is not last or alone or len(group) == IDS_A_BULLET):
            lines.append(f"- {VERB_OF[last]}: {', '.join(group)}")
            group = []
        last = kind
        if alone:
            lines.append(f"- {VERB_OF[kind]}: {written}" + (event.remark and f" — {event.remark}"))
        else:
            group.append(written)
    if group:
        lines.append(f"- {VERB_OF[last]}: {', '.join(group)}")
    return lines


def _units(lines: list[str], first_line: int, reader: _Reader) -> list[Unit]:
    """Cut a section into bullets and paragraphs; leave out quotes and code."""
    units: list[Unit] = []
    parts: list[str] = []
    number, indent, bullet = 0, 0, False
    after_blank, skip_to, endless = True, 0, {"`": 1 << 30, "~": 1 << 30}

    def close() -> None:
        if parts:
            units.append(Unit(number, indent, bullet, " ".join(parts)))
            parts.clear()

    for index, line in enumerate(lines):
        if index < skip_to:
            continue
        text = line.strip(" \t")
        if not text or line == OVERLONG:
            after_blank = True
            continue
        head = line[: len(line) - len(line.lstrip(" \t"))]
        depth = len(head) + 3 * head.count("\t")
        if text[0] in "`~":
            length = fence_length(text)
            if 0 < length < endless[text[0]]:
                end = index + 1
                while end < len(lines) and closes_fence(lines[end].lstrip(), text[0]) < length:
                    end += 1
                if end < len(lines):
                    close()
                    skip_to = end + 1
                    reader.stray(first_line + index, "code in the references is not read")
                    continue
                endless[text[0]] = length
        if text[0] == ">" or (depth >= 4 and after_blank and not parts):
            close()
            reader.stray(first_line + index, "a quote or code in the references is not read")
        elif text[:2] in ("- ", "* ", "+ ") or text in ("-", "*", "+"):
            close()
            number, indent, bullet = first_line + index, depth, True
            parts.append(text[2:].strip(" \t"))
        elif parts and (not after_blank or depth >= 2) and text[0] != "#":
            parts.append(text)
        else:
            close()
            number, indent, bullet = first_line + index, depth, False
            parts.append(text)
            if text[0] == "#":
                close()
        after_blank = False
    close()
    return units


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
        text = _without_comments(unit.text)
        if text != unit.text:
            self.stray(unit.line, "a comment in the references is not kept")
        nested = unit.bullet and unit.indent >= 2
        kinds, body = self.verb(text.lstrip("#").strip() if not unit.bullet else text)
        if not unit.bullet:
            self.own = None
            self.above = None
            if self.strict:
                self.stray(unit.line, f"not a bullet: {_short(text)}")
            elif kinds is not None:
                items = _items(body)
                if any(item.text for item in items):
                    self.items(unit, kinds, items)
                else:
                    self.above = kinds
            elif text.startswith(("`", "[[")):
                self.bare(unit, text)
            return
        if kinds is None and nested and self.own is not None:
            kinds, body = self.own, text
        elif kinds is None and not nested and self.above is not None:
            kinds, body = self.above, text
        elif not nested:
            self.own = kinds
        if kinds is not None:
            self.items(unit, kinds, _items(body))
        elif not text:
            pass
        elif self.strict:
            none = text.lower().startswith("(none")
            if not none:
                self.unknown(unit, text)
        elif not nested:
            self.bare(unit, text)

    def unknown(self, unit: Unit, text: str) -> None:
        hint = "write `- Referenced: id, id`, or another verb of the format"
        self.find("unknown-verb", unit.line, f"no known event: {_short(text)}", hint)

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
        waiting: list[str] = []
        for item in items:
            if not item.text:
                said = item.remark().lower()
                if self.strict and said and not said.startswith("none"):
                    self.find("bad-event", unit.line, f"a remark without an id: {_short(said)}")
                continue
            if not self.strict and item.text.strip("*`. ").lower() in _NONE:
                continue
            if FactSuperseded in kinds:
                self.superseded(unit, item, waiting)
                kinds_left = tuple(kind for kind in kinds if kind is not FactSuperseded)
            else:
                kinds_left = kinds
            if kinds_left:
                self.named(unit, kinds_left, item)
        for old in waiting:
            self.find("bad-event", unit.line, f"superseded by what? {old}",
                      "write `- Superseded: old → new`, or `- Invalidated: old`")  # fmt: skip

    def superseded(self, unit: Unit, item: Item, waiting: list[str]) -> None:
        left, arrow, right = item.text.replace("->", "→").partition("→")
        if not arrow and not self.strict:
            left, arrow, right = item.text.partition(" by ")
        old = self.id_of(unit, left)
        if not old:
            return
        said = item.parens[0].lower() if item.parens else ""
        if arrow:
            new = self.id_of(unit, right)
            if new:
                was, at = _named_in(item, "was ", is_version_id)
                for earlier in (*waiting, old):
                    self.events.append(FactSuperseded(earlier, new, item.remark(at), was))
                waiting.clear()
        elif said.startswith("invalidated") and not said[11:12].isalnum():
            rest = item.parens[0][11:].strip(" :,;—–-")
            parts = [part for part in (rest, item.remark(1)) if part]
            self.events.append(FactInvalidated(old, " — ".join(parts)))
        else:
            waiting.append(old)

    def id_of(self, unit: Unit, text: str) -> str:
        """Return the id that `text` is, or "" and a finding."""
        bare = text.strip("`*[] \t" if self.strict else "`*[]. \t")
        if is_fact_id(bare):
            return bare
        self.find("bad-id", unit.line, f"not a fact id: {_short(text.strip())}",
                  "ids are lower-case words joined by hyphens or dots")  # fmt: skip
        return ""

    def named(self, unit: Unit, kinds: Kinds, item: Item) -> None:
        """Add the events of one item, whatever its verb but `Superseded`."""
        bare = item.text.strip("`*[] \t" if self.strict else "`*[]. \t")
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
        remark = item.remark().strip()
        for kind in kinds:
            if kind is FactUpdated:
                was, at = _named_in(item, "was ", is_version_id)
                said, at = _named_in(item, "said ", is_stem, at)
                rest = item.remark(at).strip()
                self.events.append(FactUpdated(name, None, was, remark=rest, said=said))
            elif kind is ThreadClosed or kind is FactInvalidated:
                was, at = _named_in(item, "was ", is_version_id)
                self.events.append(kind(name, item.remark(at).strip(), was))
            elif kind is FactReinstated:
                said, at = _named_in(item, "said ", is_stem)
                self.events.append(FactReinstated(name, item.remark(at).strip(), said))
            elif kind is FactRedacted:
                held, at = _named_in(item, "held ", is_holder)
                pairs = [one.split(" ") for one in held or ()]
                self.events.append(
                    FactRedacted(
                        name,
                        item.remark(at).strip(),
                        tuple([(stem, blob) for stem, blob in pairs]),
                    )
                )
            elif kind is FactCreated:
                self.events.append(FactCreated(name, None, remark=remark))
            else:
                self.events.append(_PLAIN[kind](name, remark))

    def bare(self, unit: Unit, text: str) -> None:
        """Read a hand-written bullet without a verb: ids that it starts with are referenced."""
        colon = text.find(": ")
        first = text[:colon] if 0 < colon < 100 else ""
        if first and _likely(first):
            self.events.extend(_said(_likely(first), text[colon + 2 :].strip()))
            return
        items = _items(text)
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


def is_holder(text: str) -> bool:
    """Tell whether a text names a log and its bytes: a stem, a blank, a blob id."""
    stem, _, blob = text.partition(" ")
    return is_stem(stem) and len(blob) == BLOB_CHARS and not blob.strip("0123456789abcdef")


def _named_in(
    item: Item, word: str, known: Callable[[str], bool], at: int = 0
) -> tuple[tuple[str, ...] | None, int]:
    """Read `(was h1, h2)`: what a parenthesis names, None for anything else, and which comes next."""
    if not (len(item.parens) > at and item.parens[at].startswith(word)):
        return None, at
    found = tuple(part.strip("` ") for part in item.parens[at][len(word) :].split(","))
    return (found, at + 1) if all(map(known, found)) else (None, at)


def _said(name: str, remark: str) -> list[Event]:
    """Read `id — closed …`: the event its first words name, else a reference."""
    words = remark.lower()
    for said in _SAID_BEHIND:
        if words.startswith(said) and not words[len(said) : len(said) + 1].isalnum():
            kind = _TOLERANT[said][0]
            if kind is FactUpdated:
                return [FactUpdated(name, None, remark=remark)]
            if kind is FactCreated:
                return [FactCreated(name, None, remark=remark)]
            return [_PLAIN[kind](name, remark)]
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


def _items(body: str) -> list[Item]:
    """Cut what follows a verb at its commas; parentheses and dashes begin remarks."""
    items: list[Item] = []
    text: list[str] = []
    parens: list[str] = []
    depth, opened = 0, 0
    for index, char in enumerate(body):
        if char == "(":
            if depth == 0:
                opened = index + 1
            depth += 1
        elif depth:
            if char == ")":
                depth -= 1
                if depth == 0:
                    parens.append(body[opened:index].strip())
        elif char in ",;":
            items.append(Item("".join(text).strip(), tuple(parens), ""))
            text, parens = [], []
        elif char == "—" or (char in "–-" and _is_dash(body, index)):
            behind = body[index:].lstrip(char).strip()
            items.append(Item("".join(text).strip(), tuple(parens), behind))
            return items
        else:
            text.append(char)
    behind = body[opened:].strip() if depth else ""
    if text or parens or behind:
        items.append(Item("".join(text).strip(), tuple(parens), behind))
    return items


def _is_dash(body: str, index: int) -> bool:
    """Tell whether a hyphen or en dash stands between words."""
    if body[index - 1 : index] not in ("", " "):
        return False
    after = body[index + 1 : index + 3]
    return after[:1] in ("", " ") or after in ("-", "- ")


def _without_comments(text: str) -> str:
    """Leave out `<!-- … -->`."""
    if "<!--" not in text:
        return text
    kept: list[str] = []
    position = 0
    while True:
        begin = text.find("<!--", position)
        end = text.find("-->", begin + 4) if begin >= 0 else -1
        if end < 0:
            kept.append(text[position:])
            return "".join(kept).strip()
        kept.append(text[position:begin])
        position = end + 3


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
