"""Find what a session log talks about by name: facts, files, identifiers, versions and names.

By shape alone: `retry_queue`, `PostOffice`, `src/app.rs`, `v4.10.6`, what stands in back-ticks, and words
with a capital in the middle of a sentence that the log never writes without one.
"""

from __future__ import annotations

from ledger.model.event import FactCreated, FactReferenced, FactSuperseded, FactUpdated
from ledger.model.record import Record
from projection.text.normalize import NEGATORS, SMALL
from projection.text.session_lines import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.codec.fact_blocks import Block
    from ledger.model.event import Event

FACT, FILE, IDENTIFIER, VERSION, NAME = "fact", "file", "identifier", "version", "name"
#: An ordinary word in back-ticks: an identifier, if it is written so often and never without them.
WORD = "word"
#: How many of one kind, unless the others leave room.
_OF_A_KIND = 5
#: A mention is at most so long.
_LIMIT_CHARS = 80
_WEIGHT = {FACT: 3, FILE: 5, IDENTIFIER: 4, VERSION: 3, NAME: 3, WORD: 1}
#: A name that weighs no more was met once or twice in passing.
_FEW = 4
_TITLE_BONUS, _HEADED_BONUS, _ENTITY_BONUS, _BORN_BONUS = 6, 2, 12, 8
_ENDINGS = frozenset(
    "py rs js ts tsx jsx java kt go c h cc cpp hpp cs rb php swift scala sh bash zsh sql md rst txt toml "
    "yaml yml json jsonl xml html css scss csv lock ini cfg conf env proto gradle properties svg png "
    "ipynb vue tf".split()
)
_WORDS = SMALL | NEGATORS | frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july "
    "august september october november december step part phase todo next".split()
)  # fmt: skip
_MARKS = ".,;:!?…'\"“”‘’()[]{}<>*~|→—–"
_QUOTES, _QUOTED = "'\"“‘", 2
_HEX = "0123456789abcdef"
_IGNORED = "-"
#: The word of a term, its kind (NAME: if it is not written small elsewhere), how it begins, whether it
#: ends with a mark, and whether a sentence may end there.
_Shape = tuple[str, str, int, bool, bool]
_shapes: dict[str, _Shape] = {}
#: The number of remembered terms at which they are forgotten.
_MEMORY_WORDS = 20_000


class Mention(Record):
    """Something that a log names."""

    name: str  #: as the log writes it
    kind: str  #: `fact`, `file`, `identifier`, `version` or `name`
    line: int  #: on which what names it first begins


def mentions(
    title: tuple[str, int],
    pieces: Sequence[Piece],
    facts: Sequence[Block],
    events: Sequence[tuple[int, Event]],
    limit: int,
) -> tuple[Mention, ...]:
    """Return what a log names most, the most telling first, at most `limit`.

    `title` and `events` come with their lines.
    """
    found = _Found()
    _add_facts(facts, events, found)
    _add_text(*title, _TITLE_BONUS, found)
    for piece in pieces:
        _add_text(piece.text, piece.line, _HEADED_BONUS, found)
    return found.best(limit)


class _Found:
    """What was met so far: key -> (name, kind, line, weight)."""

    def __init__(self) -> None:
        self._met: dict[str, tuple[str, str, int, int]] = {}
        self.plain: set[str] = set()  # words that were written without a capital

    def add(self, name: str, kind: str, line: int, bonus: int = 0) -> None:
        if not 1 < len(name) <= _LIMIT_CHARS:
            return
        key = name.lstrip("v") if kind == VERSION else name
        known = self._met.get(key)
        if known is None:
            self._met[key] = (name, kind, line, _WEIGHT[kind] + bonus)
        else:
            first, kind, begin, weight = known
            self._met[key] = (first, kind, min(begin, line), weight + 1 + bonus)

    def best(self, limit: int) -> tuple[Mention, ...]:
        ranked = sorted(
            (-weight, line, name, kind)
            for name, kind, line, weight in self._met.values()
            if kind not in (NAME, WORD)
            or weight > _ENTITY_BONUS
            or (weight > _FEW and name.lower() not in self.plain)
        )
        chosen: list[tuple[int, int, str, str]] = []
        spare: list[tuple[int, int, str, str]] = []
        of_kind: dict[str, int] = {}
        for row in ranked:
            kind = row[3]
            of_kind[kind] = of_kind.get(kind, 0) + 1
            (chosen if of_kind[kind] <= _OF_A_KIND else spare).append(row)
        kept = sorted((chosen + spare)[:limit])
        called = {WORD: IDENTIFIER}
        return tuple([Mention(name, called.get(kind, kind), line) for _, line, name, kind in kept])


def _add_facts(facts: Sequence[Block], events: Sequence[tuple[int, Event]], found: _Found) -> None:
    for line, event in events:
        born = isinstance(event, FactCreated | FactUpdated | FactSuperseded)
        bonus = _BORN_BONUS if born else 0 if isinstance(event, FactReferenced) else 2
        found.add(event.id, FACT, line, bonus)
        if isinstance(event, FactSuperseded):
            found.add(event.new, FACT, line, _BORN_BONUS)
    for block in facts:
        found.add(block.id, FACT, block.line, _BORN_BONUS)
        for key, value in block.meta:
            if key == "entity":
                for name in value.split(","):
                    found.add(name.strip(), NAME, block.line, _ENTITY_BONUS)
        _add_text(block.text, block.line, 0, found)


def _add_text(text: str, line: int, bonus: int, found: _Found) -> None:
    """Add what one sentence names."""
    pieces = text.split("`")
    if len(pieces) > 2:
        for code in pieces[1:-1:2]:
            kind = _kind_of_code(code)
            if kind:
                found.add(code, kind, line, bonus)
        text = " ¶ ".join(pieces[::2])
    known, plain = _shapes, found.plain
    start, run = True, ""
    for term in text.split():
        shape = known.get(term)
        if shape is None:
            if len(known) >= _MEMORY_WORDS:
                known.clear()
            shape = known[term] = _shape(term)
        word, kind, opens, closes, ends = shape
        if run and (kind != NAME or opens):
            found.add(run, NAME, line, bonus)
            run = ""
        if not kind:
            plain.add(word)
        elif kind == NAME:
            if not (start or opens == _QUOTED):
                if len(run) <= _LIMIT_CHARS:
                    run = f"{run} {word}" if run else word
                if closes:
                    found.add(run, NAME, line, bonus)
                    run = ""
        elif kind != _IGNORED:
            found.add(word, kind, line, bonus)
        start = ends or (start and term == "¶")
    if run:
        found.add(run, NAME, line, bonus)


def _shape(term: str) -> _Shape:
    """Tell by the shape of a term what it may be, apart from what stands around it."""
    word = term.strip(_MARKS)
    owner = word.endswith(("'s", "’s"))
    if owner:
        word = word[:-2]
    opens = 0 if term[0] not in _MARKS else _QUOTED if term[0] in _QUOTES else 1
    ends = term[-1] in ".:!?;(—–"
    kind = _IGNORED if len(word) < 2 else _kind_of_word(word)
    if not kind and word[0].isupper():
        bare = word.replace("-", "")
        kind = NAME if bare.isalpha() and _may_name(word) else _IGNORED
    return word, kind, opens, owner or term[-1] in _MARKS, ends


def _may_name(word: str) -> bool:
    """Tell whether a word with a capital can be a name: no small word, no date, and not shouted."""
    head, _, tail = word.partition("-")
    if head.isupper() or head[:-1].isupper() or tail.islower():  # NOT, PRs, Java-exact
        return False
    return word.lower() not in _WORDS


def _kind_of_code(code: str) -> str:
    """Return what kind of mention stands in back-ticks, "" for what is no name: a command, a literal."""
    if not code or " " in code or not any(char.isalpha() for char in code):
        return ""
    if code[0] in "-{[(<\"'" or "=" in code or "…" in code or "*" in code:
        return ""
    kind = _kind_of_word(code)
    if kind:
        return "" if kind == _IGNORED else kind
    if "/" in code:
        return FILE if code.replace("/", "").strip("._-~@")[:1].isalnum() else ""
    bare = code.rstrip("()")
    if len(bare) < 3 or not bare.replace("_", "").replace("-", "").isalnum():
        return ""
    return WORD if bare.islower() and bare == code else IDENTIFIER


def _kind_of_word(word: str) -> str:
    """Tell by its shape what kind of mention a word is, "" for an ordinary one."""
    if word.isalpha():  # the most common case first
        inner = word[1:]
        if inner.islower() or inner.isupper() or word.isupper():
            return ""
        # `PostOffice`, `fooBar`; not `IDs`, `URLs`
        return IDENTIFIER if not word[:-1].isupper() and any(c.islower() for c in word) else ""
    if "://" in word or "@" in word or "#" in word or "*" in word:
        return _IGNORED
    body = word.lstrip("v")
    if len(word) - len(body) < 2 and body[:1].isdigit() and body[-1:].isdigit():
        dots = body.count(".")
        if body.replace(".", "").isdigit() and (dots > 1 or (dots and body is not word)):
            return VERSION
    if not word.isascii() or not any(char.isalpha() for char in word):
        return _IGNORED
    if len(word) > 6 and not word.strip(_HEX):  # a commit
        return _IGNORED
    slash, dot = word.rfind("/"), word.rfind(".")
    if dot > slash and dot < len(word) - 1:
        ending = word[dot + 1 :].split(":", 1)[0]
        if ending.lower() in _ENDINGS:
            # `a.yml/b.rs` lists two files
            return _IGNORED if slash > 0 and "." in word[1:slash].replace("./", "") else FILE
    if slash >= 0:
        # `./x`, `src/`; not `read/write`, `F10/F11`
        path = word[:2] in ("./", "~/") or (word[-1] == "/" and len(word) > 2)
        return FILE if path else _IGNORED
    if "::" in word or word.endswith("()"):
        return IDENTIFIER
    bare = word.replace("_", "")
    if "_" in word.strip("_") and bare.isalnum():
        return IDENTIFIER
    if dot > 0 and "-" not in word and bare.replace(".", "").isalnum() and not word[0].isdigit():
        # `graph.math`, `os.replace`; not `e.g`
        parts = word.split(".")
        return IDENTIFIER if all(len(part) > 1 for part in parts) and parts[0].isalnum() else ""
    return ""
