"""Read what a statement is about: its words by their roots, what is chosen in it, and where it holds.

Two statements in words of their own can only be held against each other where both speak of one subject:
they share its words, and no word beside these says that one means another thing of the kind.
"""

from __future__ import annotations

from functools import lru_cache

from ledger.model.record import Record
from projection.compare.lexicon import Lexicon, lexicon, root, weight_of
from projection.text.vocabulary import MOMENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_BLANKS = str.maketrans(dict.fromkeys('`*"“”„«»()[]{}<>|~→=_', " ") | {"’": "'"})
_MARKS = ".,;:!?…'\"-–—¡¿"
#: The most words in the name of an alternative.
_NAME_WORDS = 3
_LEAVING = frozenset(
    "replace replaces replaced replacing dropped drop abandoned removed retired "
    "ersetzt reemplaza remplace".split()
)
_TRIALS = frozenset("test tests tutorials examples benchmarks".split())
#: The classes of which a name on one side alone makes an exception: environments, sorts of tests.
_EXCEPTIONS = (0, 1)
_GONE = (["is", "not"], ["are", "not"], ["was", "removed"], ["not", "used"], ["ya", "no"])
#: How German participles begin, which end a sentence.
_PARTICIPLES = ("ge", "ange", "abge", "auf", "ein", "be", "ver", "er")
#: Words behind which "fixed" and "closed" tell of no moment.
_STATES = frozenset("a an the is are be any only stay stays get gets".split())
_NEGATING = frozenset(
    "not no never without n't instead than kein keine nicht nie ohne sin nunca".split()
)
#: Small verbs, which end the subject of a sentence.
VERBS = frozenset(
    "is are was were must may might can could should shall will does do has have had never always cannot "
    "need needs "
    "ist sind wird werden darf dürfen muss müssen hat haben es son está están se puede "
    "pueden debe deben est sont doit".split()
)
_PREPOSITIONS = frozenset(
    "of in for on with without to from between by at von für im de en del".split()
)
_SLOTS = frozenset("in for".split())


class Token(Record):
    """A word of a statement.

    Args:
        low: as it was written, in lower case.
        raw: as it was written.
        root: what it is compared by; "" where it carries nothing.
        before: the root of the word right before it in the same clause, "" where that carries nothing.
        clause: the number of its clause.
    """

    low: str
    raw: str
    root: str
    before: str
    slot: str
    clause: int


class Subject(Record):
    """What a statement is about.

    Args:
        tokens: its words.
        roots: those that carry it.
        scopes: for each class of scopes what is named of it.
        members: for each role the alternatives that are chosen, as (number, as written).
        denied: those that are denied.
        roles: the roles of which a word is there that tells something.
        past: whether it tells of what was, or of one occasion.
        universal: whether it holds everywhere.
    exclusive: whether it says that there is nothing beside it.
    """

    tokens: tuple[Token, ...]
    roots: frozenset[str]
    head: tuple[str, ...]
    scopes: dict[int, frozenset[int]]
    members: dict[int, dict[int, str]]
    denied: dict[int, dict[int, str]]
    roles: frozenset[int]
    past: bool
    universal: bool
    exclusive: bool


@lru_cache(1 << 13)
def subject(text: str) -> Subject:
    """Read what a statement is about."""
    from projection.text.topics import EXCLUSIVE, PAST, UNIVERSAL, UNTIL

    tables = lexicon()
    tokens = _tokens(text)
    scopes: dict[int, set[int]] = {}
    past = universal = exclusive = False
    for at, token in enumerate(tokens):
        for number, value in tables.scopes.get(token.low, ()):
            scopes.setdefault(number, set()).add(value)
        low = token.low
        if token.slot == "in" and low in _TRIALS:
            scopes.setdefault(0, set()).add(-1)
        universal = universal or low in UNIVERSAL
        exclusive = exclusive or low in EXCLUSIVE
        past = past or (low in MOMENTS and not (at and tokens[at - 1].low in _STATES))
        ahead = tokens[at + 1].low if at + 1 < len(tokens) else ""
        past = (
            past
            or low in PAST
            or _is_day(low)
            or (low in UNTIL and _is_date(tokens[at + 1 : at + 3]))
        )
        past = (
            past
            or (low == "used" and ahead == "to")
            or (_is_year(low) and ahead in ("version", "release"))
        )
    chosen, denied = _members(tokens, tables)
    roots = frozenset([token.root for token in tokens if token.root])
    telling = roots - tables.generic
    roles = frozenset([role for name in telling for role in tables.roles.get(name, ())])
    frozen = {number: frozenset(values) for number, values in scopes.items()}
    return Subject(
        tokens, roots, _head(tokens), frozen, chosen, denied, roles, past, universal, exclusive
    )


def related(one: Subject, two: Subject) -> bool:
    """Tell whether two statements share a word or a role: most do not."""
    return not (one.roots.isdisjoint(two.roots) and one.members.keys().isdisjoint(two.members))


def shared(one: Subject, two: Subject, beside: Iterable[str] = ()) -> dict[str, float]:
    """Return the roots that two statements share, with what each weighs.

    Args:
        one: a statement.
        two: another one.
        beside: roots that are at issue, and tell nothing of the subject.
    """
    both = (one.roots & two.roots).difference(beside)
    return {name: weight_of((name,)) for name in both}


def parted(
    one: Subject, two: Subject, common: Iterable[str], beside: frozenset[str] = frozenset()
) -> bool:
    """Tell whether two statements speak of two things of a kind.

    Args:
        one: a statement.
        two: another one.
        common: the roots of the subject that both have.
        beside: roots that are at issue.
    """
    for number, values in one.scopes.items():
        others = two.scopes.get(number)
        if others and values.isdisjoint(others):
            return True
    for mine, theirs in ((one, two), (two, one)):
        alone = [
            number
            for number in _EXCEPTIONS
            if mine.scopes.get(number, 0) and number not in theirs.scopes
        ]
        if alone and not theirs.universal:
            return True
    if (one.head or two.head) and _other_head(one, two, beside) and _other_head(two, one, beside):
        return True
    if _other_slot(one, two, beside):
        return True
    for name in common:
        lefts = _modifiers(one, name, beside)
        rights = _modifiers(two, name, beside)
        if lefts and rights and not (lefts & two.roots or rights & one.roots):
            return True
    return False


def front(found: Subject) -> frozenset[str]:
    """Return the roots at the head of a statement: before its verb, else the first two."""
    names = [token.root for token in found.tokens if token.root]
    return frozenset(found.head or names[:2])


def _other_head(one: Subject, two: Subject, beside: frozenset[str]) -> bool:
    """Tell whether the head of a statement is nothing that the other one has."""
    if one.head:
        return one.head[-1] not in two.roots | beside
    names: list[str] = []  # it may hold a verb: "the rate limiter depends"
    for token in one.tokens:
        if names and token.before != names[-1]:
            break
        if token.root:
            names.append(token.root)
    return bool(names) and two.roots.union(beside).isdisjoint(names)


def _other_slot(one: Subject, two: Subject, beside: frozenset[str]) -> bool:
    """Tell whether both say where or for what, and not the same: "in the parser", "in the renderer"."""
    lefts, rights = (
        {(token.slot, token.root) for token in side.tokens if token.slot} for side in (one, two)
    )
    return any(
        slot == other and name not in two.roots | beside and there not in one.roots | beside
        for slot, name in lefts
        for other, there in rights
    )


def _head(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """Return the roots before the first verb that tells itself: is, must, can, never."""
    for at, token in enumerate(tokens):
        if token.low in VERBS:
            end = next((n for n in range(1, at) if tokens[n].low in _PREPOSITIONS), at)
            return tuple([one.root for one in tokens[:end] if one.root])
        if token.clause != tokens[0].clause:
            break
    return ()


def _modifiers(found: Subject, name: str, beside: frozenset[str]) -> frozenset[str]:
    """Return the words right before a word, where each time it stands there is one."""
    before = [token.before for token in found.tokens if token.root == name]
    if not all(before) or any(name in beside for name in before):
        return frozenset()
    return frozenset(before)


def _tokens(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    clause, before, slot = 0, "", ""
    for piece in text.translate(_BLANKS).split():
        bare = piece.strip(_MARKS)
        ends = piece[-1] in ",;:" or piece in ("—", "–", "-")
        if bare:
            parts = bare.split("-") if "-" in bare and "/" not in bare else [bare]
            if len(parts) > 2 or any(part.isdigit() for part in parts[1:]):
                parts = [bare]  # a name, a day
            for part in parts:
                low = part.lower()
                low = low.removesuffix("'s")
                name = (
                    low
                    if part.isupper() and len(part) > 1 and low.isalpha() and not root(low)
                    else root(low)
                )
                found.append(Token(low, part, name, before, slot if name else "", clause))
                before = name
                slot = low if low in _SLOTS else "" if name else slot
        if ends:
            clause, before, slot = clause + 1, "", ""
    return tuple(found)


def _members(
    tokens: tuple[Token, ...], tables: Lexicon
) -> tuple[dict[int, dict[int, str]], dict[int, dict[int, str]]]:
    chosen: dict[int, dict[int, str]] = {}
    denied: dict[int, dict[int, str]] = {}
    at = 0
    while at < len(tokens):
        size = 0
        for length in range(min(_NAME_WORDS, len(tokens) - at), 0, -1):
            here = tokens[at : at + length]
            raw = " ".join([token.raw for token in here])
            found = tables.names.get("".join([token.low for token in here]).replace("-", ""), ())
            named = raw[:1].isupper() and (
                at or (length < len(tokens) and _is_verb(tokens[length]))
            )
            found = tuple([row for row in found if not row[2] or named])
            if found:
                to = denied if _is_denied(tokens, at, at + length) else chosen
                for number, value, _ in found:
                    if not _is_thing(tokens, at, at + length, number, tables):
                        continue
                    to.setdefault(number, {}).setdefault(value, raw)
                size = length
                break
        at += size or 1
    return chosen, denied


def _is_verb(token: Token) -> bool:
    return token.low in VERBS or (token.low.endswith("s") and bool(token.before))


def _is_thing(tokens: tuple[Token, ...], start: int, end: int, role: int, tables: Lexicon) -> bool:
    """Tell whether a name stands for its thing, and does not tell another one from its like: "Go SDK"."""
    if end == len(tokens) or end - start > 1 or not tokens[end].before:
        return True
    behind = tokens[end]
    if (
        end == len(tokens) - 1
        and behind.low.startswith(_PARTICIPLES)
        and behind.low.endswith(("t", "en"))
    ):
        return True
    if (
        not behind.root
        or behind.root in tables.generic
        or role in tables.roles.get(behind.root, ())
    ):
        return True
    return (start < 2 and behind.low.endswith("s")) or bool(tables.names.get(behind.low))


def _is_denied(tokens: tuple[Token, ...], start: int, end: int) -> bool:
    """Tell whether an alternative is denied: "never as floats", "X is not used"."""
    clause = tokens[start].clause
    ahead = [token.low for token in tokens[max(0, start - 4) : start] if token.clause == clause]
    behind = [token.low for token in tokens[end : end + 3] if token.clause == clause]
    moved = ahead[-1:] in (["from"], ["von"], ["de"]) and behind[:1] in (["to"], ["zu"], ["a"])
    if moved or (ahead and ahead[-1] in _LEAVING):
        return True
    if behind[:2] in _GONE:
        return True
    if end < len(tokens) and tokens[end].before and tokens[end].root:
        # else what is denied is a thing with that name in its own
        return bool(ahead) and ahead[-1] in ("never", "not")
    return any(low in _NEGATING or low.endswith("n't") for low in ahead)


def _is_year(low: str) -> bool:
    return len(low) == 4 and low.isdigit() and low[:2] in ("19", "20")


def _is_day(low: str) -> bool:
    return low.count("-") == 2 and low[0].isdigit() and low.replace("-", "").isdigit()


def _is_date(tokens: Iterable[Token]) -> bool:
    return any(
        _is_year(token.low)
        or token.low in ("recently", "spring", "summer", "autumn", "winter", "last")
        for token in tokens
    )
