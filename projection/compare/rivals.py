"""Find contradictions of statements that were written independently of each other, in words of their own.

What a rule of `contradictions` asks of the frame, these ask of the subject (`subjects`): enough words of
it are shared, and none of the others says that it is another thing. What is said of it is an amount,
a choice, a demand, an order or an owner.
"""

from __future__ import annotations

from functools import lru_cache

from projection.compare.lexicon import bare_root, is_generic, role_words, root, weight_of
from projection.compare.quantities import Quantity, measuring, quantities
from projection.compare.subjects import Subject, front, parted, shared, subject
from projection.text.topics import (
    ALLOWS,
    DEMANDS,
    FORBIDS_AHEAD,
    FORBIDS_BEHIND,
    FREES,
    OFFERS,
    OWNED_BY,
    OWNER_WORDS,
    OWNS,
    PERMITS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from projection.text.normalize import Statement

#: A statement with more words that carry something says too much.
ROOTS_LIMIT = 30
#: How much the shared words of a subject have to weigh, where they stand anywhere.
_ENOUGH = 2.0
#: And where one says the whole of the shorter subject.
_COVERED = 0.5
#: And where a word of it is forbidden by one side.
_TOLD = 1.4
#: How much of the steps has to stand in the other order.
_CROSSED = 0.75


def value(one: Statement, two: Statement) -> tuple[str, str] | None:
    """Find another amount of the same: "waits 30 seconds", "times out after 8 s"."""
    lefts, rights = quantities(one.text), quantities(two.text)
    if not lefts or not rights:
        return None
    left, right = subject(one.text), subject(two.text)
    if left.past or right.past:
        return None
    pairs = [
        (mine, theirs)
        for mine in lefts
        for theirs in rights
        if _comparable(mine, theirs)
        and not any(_equal(mine, other) for other in rights)
        and not any(_equal(theirs, other) for other in lefts)
    ]
    if len({(mine.what, mine.things & theirs.things) for mine, theirs in pairs}) != 1:
        return None  # where two differ, one is the condition of the other
    mine, theirs = pairs[0]
    issue = measuring() | (mine.things & theirs.things if mine.what == "count" else frozenset())
    told = bool(mine.aspects & theirs.aspects) or mine.what not in ("time", "count", "share")
    return (mine.raw, theirs.raw) if _same_subject(left, right, issue, sure=told) else None


def alternative(one: Statement, two: Statement) -> tuple[str, str] | None:
    """Find two alternatives for one job, or one that the other side denies."""
    left, right = subject(one.text), subject(two.text)
    if left.past or right.past:
        return None
    for role in left.members.keys() & right.members.keys():
        mine, theirs = left.members[role], right.members[role]
        if len(mine) > 1 or len(theirs) > 1 or mine.keys() == theirs.keys():
            continue  # a list is no choice
        if not (left.denied or right.denied) and _is_job(left, right, role, (mine, theirs)):
            return next(iter(mine.values())), next(iter(theirs.values()))
    said = _given_up(left, right)
    if said is not None:
        return said
    said = _given_up(right, left)
    return None if said is None else (said[1], said[0])


def _given_up(using: Subject, other: Subject) -> tuple[str, str] | None:
    """Hold an alternative in use against "X is not used"."""
    for role, denied in other.denied.items():
        for number in denied.keys() & using.members.get(role, {}).keys():
            named = {root(part) for part in denied[number].lower().split()}
            if using.denied or role in other.members or named.isdisjoint(other.head[:1]):
                continue
            common = shared(using, other, named)
            if common and not parted(using, other, common, frozenset(named)):
                return using.members[role][number], f"not {denied[number]}"
    return None


def modality(one: Statement, two: Statement) -> tuple[str, str] | None:
    """Find a demand that the other side forbids, lifts or leaves free."""
    left, right = subject(one.text), subject(two.text)
    if left.past or right.past:
        return None
    said = _against(one.text, two.text)
    if said is not None:
        return said
    said = _against(two.text, one.text)
    return None if said is None else (said[1], said[0])


def order(one: Statement, two: Statement) -> tuple[str, str] | None:
    """Find two steps that come in the other order."""
    lefts, rights = _steps(one.text), _steps(two.text)
    if lefts is None or rights is None:
        return None
    crossed = min(weight_of(lefts[0] & rights[1]), weight_of(lefts[1] & rights[0]))
    straight = min(weight_of(lefts[0] & rights[0]), weight_of(lefts[1] & rights[1]))
    left, right = subject(one.text), subject(two.text)
    if crossed < _CROSSED or straight >= crossed or sum(shared(left, right).values()) < _TOLD:
        return None
    if left.past or right.past:
        return None
    return _first(left, lefts[0]), _first(right, rights[0])


def owner(one: Statement, two: Statement) -> tuple[str, str] | None:
    """Find another owner of the same thing."""
    left, right = _owned(one.text), _owned(two.text)
    if left is None or right is None:
        return None
    thing, who, said = left
    other, they, answer = right
    if (
        who & they
        or weight_of((thing & other) - who - they) < 1
        or subject(one.text).past
        or subject(two.text).past
    ):
        return None
    if parted(subject(one.text), subject(two.text), (thing & other)):
        return None
    return said, answer


def _same_subject(one: Subject, two: Subject, issue: Iterable[str], *, sure: bool) -> bool:
    """Tell whether two statements speak of one thing.

    Args:
        one: a statement.
        two: another one.
        issue: the roots that are at issue.
        sure: whether what is said of it is of one kind for certain.
    """
    beside = frozenset(issue)
    common = shared(one, two, beside)
    weight = sum(common.values())
    if weight < 1 or parted(one, two, common, beside):
        return False
    if weight >= _ENOUGH:
        return True
    heads = front(one) & front(two) & common.keys()
    least = min(weight_of(one.roots - beside), weight_of(two.roots - beside))
    return (sure and weight_of(heads) >= 1) or weight >= _COVERED * least


def _comparable(mine: Quantity, theirs: Quantity) -> bool:
    """Tell whether two amounts may be of one thing."""
    if mine.what != theirs.what or (
        (mine.things or theirs.things) and not mine.things & theirs.things
    ):
        return False
    return not (mine.aspects and theirs.aspects) or bool(mine.aspects & theirs.aspects)


def _equal(one: Quantity, two: Quantity) -> bool:
    return one.what == two.what and one.amount == two.amount


def _is_job(
    one: Subject, two: Subject, role: int, members: tuple[dict[int, str], dict[int, str]]
) -> bool:
    """Tell whether two alternatives are for the same job."""
    names = {
        root(part) for found in members for raw in found.values() for part in raw.lower().split()
    }
    work = role_words(role)
    issue = frozenset(names) - work
    common = shared(one, two, issue)
    weight = sum(common.values())
    named = role in one.roles and role in two.roles
    if not weight or parted(one, two, common, issue):
        return False
    least = min(weight_of(one.roots - issue - work), weight_of(two.roots - issue - work))
    covered = weight >= _COVERED * least
    if named and (one.exclusive or two.exclusive):
        return True
    return weight + named >= (1 if covered else _ENOUGH) and (named or covered)


#: What stands against a denial, beside a demand: of a thing, of an act, of a thing by name, of a duty.
_ANSWERS = {"thing": OFFERS, "act": PERMITS, "ban": ALLOWS, "free": ()}
_NOT_THERE = frozenset("no without kein keine ohne sin".split())
_BANS = frozenset("denies deny forbids forbid prohibits bans ban refuses rejects disallows".split())

# ---- demands ----------------------------------------------------------------------------------------


def _against(text: str, answer_text: str) -> tuple[str, str] | None:
    """Hold what one side forbids or leaves free against what the other one says."""
    mine, other = subject(text), subject(answer_text)
    for phrase, near, kind, _ in _denials(text):
        if not near:
            continue
        governed = frozenset(near)
        held = governed & other.roots
        if kind == "act" and near[0] in other.head[:-1]:
            continue  # "deleted projects" are not what is deleted
        if near[0] not in held or (kind != "thing" and 3 * len(held) < 2 * len(governed)):
            continue
        common = shared(mine, other)
        if sum(common.values()) < _TOLD or parted(mine, other, common):
            continue
        clauses = {token.clause for token in other.tokens if token.root in held}
        if any(
            at in clauses and (how == "act" or not held.isdisjoint(rest))
            for _, rest, how, at in _denials(answer_text)
        ):
            continue
        words = [token.low for token in other.tokens if token.clause in clauses]
        answer = _phrase_in(words, (*DEMANDS, *_ANSWERS[kind]))
        if answer:
            return phrase, answer
    return None


@lru_cache(1 << 13)
def _denials(text: str) -> list[tuple[str, list[str], str, int]]:
    """Return what a statement denies or leaves free: how, the roots that it is about, its kind and clause.

    The first root is what has to be there on the other side: the act, or the thing.
    """
    found = subject(text)
    tokens = found.tokens
    words = [token.low for token in tokens]
    said: list[tuple[str, list[str], str, int]] = []
    for phrases, kind in ((FREES, "free"), (FORBIDS_BEHIND, "ban"), (FORBIDS_AHEAD, "act")):
        for phrase in phrases:
            parts = phrase.split("_")
            at = _place(words, parts)
            if at < 0:
                continue
            clause, end = tokens[at].clause, at + len(parts)
            rest = [one for one in tokens[end:] if one.clause == clause and one.root][:3]
            ahead = [one.root for one in tokens[:at] if one.clause == clause and one.root][-4:][
                ::-1
            ]
            sort = "thing" if phrase in _NOT_THERE else "ban" if phrase in _BANS else kind
            if sort == "thing" or phrase in _BANS:  # the words of a name, its noun first
                size = next((n for n in range(1, len(rest)) if not rest[n].before), len(rest))
                near = _telling([one.root for one in rest[:size]][::-1])
            elif kind == "act":
                near = (
                    [one.root for one in rest]
                    if tokens[end : end + 1] and rest[:1] == [tokens[end]]
                    else []
                )
            else:
                near = _telling([one.root for one in rest] if parts[0] == "no" else ahead)
            said.append((phrase.replace("_", " "), near, sort, clause))
    return said


def _telling(names: list[str]) -> list[str]:
    return [name for name in names if not is_generic(name)] or names


def _place(words: list[str], parts: list[str]) -> int:
    """Return where a phrase begins; -1 where it is not."""
    for at, word in enumerate(words):
        if word == parts[0] and words[at : at + len(parts)] == parts:
            return at
    return -1


def _phrase_in(words: list[str], phrases: Iterable[str]) -> str:
    for phrase in phrases:
        if _place(words, phrase.split("_")) >= 0:
            return phrase.replace("_", " ")
    return ""


# ---- order and owners -------------------------------------------------------------------------------

_BEFORE = (["before"], ["antes", "de"], ["bevor"], ["avant"])
_AFTER = (
    ["after"],
    ["only", "when"],
    ["once"],
    ["nachdem"],
    ["después", "de"],
    ["tras"],
    ["après"],
)
_THEN = (
    ["then"],
    ["and", "only", "then"],
    ["luego"],
    ["después"],
    ["dann"],
    ["danach"],
    ["afterwards"],
    ["puis"],
    ["ensuite"],
)
_FIRST = frozenset("first primero zuerst erst d'abord".split())


@lru_cache(1 << 11)
def _steps(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the roots of what comes first and of what comes second; None where no order is told."""
    found = subject(text)
    words = [token.low for token in found.tokens]
    firsts = [at for at, word in enumerate(words) if word in _FIRST]
    if firsts:
        for parts in (*_THEN, ["and"], ["comes", "after"], ["und"], ["y"]):
            at = _place(words, parts)
            if at > 0 and parts == ["comes", "after"]:
                clause = found.tokens[at].clause
                return _roots(found, 0, at, until=clause), _roots(found, 0, at, since=clause)
            if at > 0 and at > firsts[0]:
                return _roots(found, 0, at), _roots(found, at, len(words))
    for phrases, turned in ((_BEFORE, False), (_AFTER, True)):
        for parts in phrases:
            at = _place(words, parts)
            if at <= 0:
                continue
            clause = found.tokens[at].clause
            end = next(
                (n for n in range(at, len(words)) if found.tokens[n].clause > clause), len(words)
            )
            ahead, behind = _roots(found, 0, at), _roots(found, at, end)
            if ahead and behind:
                return (behind, ahead) if turned else (ahead, behind)
    return None


def _roots(found: Subject, start: int, end: int, until: int = 99, since: int = 0) -> frozenset[str]:
    tokens = found.tokens[start:end]
    return frozenset([one.root for one in tokens if one.root and since <= one.clause < until])


def _first(found: Subject, step: frozenset[str]) -> str:
    word = next((token.raw for token in found.tokens if token.root in step), "")
    return f"{word} first"


@lru_cache(1 << 11)
def _owned(text: str) -> tuple[frozenset[str], frozenset[str], str] | None:
    """Return the roots of what is owned and of who owns it, and how that is said."""
    found = subject(text)
    words = [token.low for token in found.tokens]
    for phrases, owner_first in ((OWNED_BY, False), (OWNS, True)):
        for phrase in phrases:
            parts = phrase.split("_")
            at = _place(words, parts)
            if at <= 0:
                continue
            ahead = frozenset([one.root for one in found.tokens[:at] if one.root][-4:])
            behind = [one for one in found.tokens[at + len(parts) :] if one.root][:4]
            if not ahead or not behind:
                continue
            rest = frozenset([one.root for one in behind])
            said = f"{phrase.replace('_', ' ')}"
            who, thing = (ahead, rest) if owner_first else (rest, ahead)
            return thing - _TEAM, who - _TEAM, said if owner_first else f"{said} {behind[0].raw}"
    for word in OWNER_WORDS:
        if word in words and "team" in words:
            at = words.index("team")
            named = frozenset([one.root for one in found.tokens[at + 1 : at + 2] if one.root])
            return (
                found.roots - named - _TEAM,
                named,
                f"Team {found.tokens[min(at + 1, len(words) - 1)].raw}",
            )
    return None


_TEAM = frozenset([bare_root("team"), "change"])
