"""Choose what a brief is about: what is near the work, weighs most, is for a role or is to be done."""

from __future__ import annotations

from _bisect import bisect_right

from projection.brief.values import NOBODY, RoleNotes
from projection.fold.fact_history import Fact
from projection.fold.live_view import Standing, clock_at
from projection.policy.model import (
    ATTEMPT_KIND,
    FINDING_KIND,
    HANDOFF_KIND,
    PATTERN_KIND,
    QUESTION_KIND,
    THREAD_KIND,
    Learning,
    Windows,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: The k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
_K = 60
_LEAST_WORD_CHARS = 4
#: What branches and files are called everywhere.
_COMMON = frozenset(
    "main master trunk develop development feature feat fixes bugfix hotfix release chore docs "
    "test tests branch draft work topic init index utils readme lib src util config user "
    "refactor update claude codex agent".split()
)
_PATH_WEIGHT, _NAME_WEIGHT = 4, 2
SALIENCE = "salience"
_LEAST, USUAL, _MOST = 1, 5, 10
#: How many work days halve what recency counts, and behind how many it hardly does.
HALF_LIFE = 8
DAYS = 8 * HALF_LIFE
_SALIENCE_SHARE, _RECENCY_SHARE, _NEAR_SHARE = 500_000, 500_000, 300_000
#: 2 to the power of -n/8, in millionths.
_DECAY = (1_000_000, 917_004, 840_896, 771_105, 707_107, 648_420, 594_604, 545_254)
#: What comes first for a role, and what a log of the role does not bring to it.
NOTE_KINDS = ("note", PATTERN_KIND)
KINDS_OF_OTHERS = ("decision", "invariant", THREAD_KIND)
#: About how many characters a token has; the policy counts in tokens.
_TOKEN_CHARS = 4
#: How many facts of the user's own home, and how many invariants of one upstream.
YOURS_FACTS, UPSTREAM_FACTS = 5, 10
_INVARIANT = "invariant"
#: What is about work in another home, and what a brief says nowhere.
_PASSED_OVER = (ATTEMPT_KIND, FINDING_KIND, HANDOFF_KIND, PATTERN_KIND, QUESTION_KIND)
#: Behind so many work sessions and work days in which nobody named it an open thread leaves the brief, but
#: not one whose footers say who has it, how much it matters or what ends it.
QUIET_SESSIONS, QUIET_DAYS = 5, 7
_KEEPING = frozenset(("owner", "priority", "until"))


# ---- how near ---------------------------------------------------------------------------------------


def scores(
    live: Iterable[Standing], found: Sequence[str], branch: str, changed: Sequence[str]
) -> dict[str, float]:
    """Rate how much facts have to do with a task, a branch and changed files; others are left out.

    `found` are ids of what the search found for the task, best first; `changed` are paths.
    """
    fused = {fact: 1 / (_K + rank) for rank, fact in enumerate(found)}
    wanted = dict.fromkeys(_words(branch.lower()), 1)
    for path in map(str.lower, changed):
        name = path[path.rfind("/") + 1 :]
        wanted = dict.fromkeys(_words(name.partition(".")[0]), 1) | wanted
        for part, weight in ((path, _PATH_WEIGHT), (name, _NAME_WEIGHT)):
            if len(part) >= _LEAST_WORD_CHARS:
                wanted[part] = weight
    near = [(-weight, one.fact.id) for one in live if (weight := _near(one.fact, wanted))]
    for rank, (_, fact) in enumerate(sorted(near)):
        fused[fact] = fused.get(fact, 0.0) + 1 / (_K + rank)
    return fused


def _words(text: str) -> list[str]:
    split = "".join([char if char.isalnum() else " " for char in text]).split()
    return [word for word in split if len(word) >= _LEAST_WORD_CHARS and word not in _COMMON]


def _near(fact: Fact, wanted: dict[str, int]) -> int:
    meta = [value for key, value in fact.meta if key in ("tags", "entity", "source", "serves")]
    said = " ".join([fact.id, fact.text, *meta]).lower()
    return sum(weight for word, weight in wanted.items() if _has(said, word))


def _has(said: str, word: str) -> bool:
    """Tell whether a text has a word, or a path, as a whole."""
    at = said.find(word)
    while at >= 0:
        end = at + len(word)
        if not (said[at - 1 : at].isalnum() or said[end : end + 1].isalnum()):
            return True
        at = said.find(word, at + 1)
    return False


# ---- how much it weighs -----------------------------------------------------------------------------


def weights(
    facts: Iterable[Fact], days: Sequence[str], score: Mapping[str, float]
) -> dict[str, int]:
    """Weigh facts: half by the footer `salience`, half by recency in work days, and by what is near.

    `days` are the newest that have a work log, at least `DAYS` where there are so many, oldest first;
    whole numbers only, so the order is the same everywhere.
    """
    near = sorted(score, key=lambda fact: (-score[fact], fact))
    nearness = {fact: _NEAR_SHARE * _K // (_K + place) for place, fact in enumerate(near)}
    found = {}
    for fact in facts:
        age = min(len(days) - bisect_right(days, fact.anchor[:10]), DAYS)
        recency = _DECAY[age % HALF_LIFE] >> age // HALF_LIFE  # what is left of a million
        worth = _SALIENCE_SHARE * salience(fact) // _MOST + _RECENCY_SHARE * recency // 1_000_000
        found[fact.id] = worth + nearness.get(fact.id, 0)
    return found


def salience(fact: Fact) -> int:
    """Return what a fact's footer says it is worth, from 1 to 10; 5 where it says nothing of the sort."""
    for key, value in fact.meta:
        if key == SALIENCE and value.isascii() and value.isdigit():
            return min(_MOST, max(_LEAST, int(value[:9])))
    return USUAL


# ---- what nobody names any more ---------------------------------------------------------------------


def quiet_since(work: Sequence[str], dates: Sequence[str]) -> str:
    """Return what a thread has to be named behind: something that compares with stems, "" for nothing.

    `work` are the newest work logs and `dates` the newest work days, ascending, at least `QUIET_SESSIONS`
    and `QUIET_DAYS` where there are so many.
    """
    # of what came since (T8)
    windows = Windows(active=QUIET_SESSIONS - 1, active_days=QUIET_DAYS - 1)
    return clock_at(work, len(work), dates, windows).active


def is_kept(fact: Fact) -> bool:
    """Tell whether a thread says who has it, how much it matters or what ends it."""
    return not _KEEPING.isdisjoint([key for key, _ in fact.meta])


def has_left(fact: Fact, since: str) -> bool:
    """Tell whether a fact is an open thread that nobody named since then: its state is untouched."""
    named = max(fact.anchor, fact.verified)
    return fact.open and fact.kind == THREAD_KIND and named < since and not is_kept(fact)


# ---- for whom ---------------------------------------------------------------------------------------


def roles_of(fact: Fact) -> frozenset[str]:
    """Return the roles that a fact is for alone; none for one that everybody may know."""
    return _roles_in(fact, "role")


def _roles_in(fact: Fact, footer: str) -> frozenset[str]:
    return next((_roles(value) for key, value in fact.meta if key == footer), NOBODY)


def _roles(value: str) -> frozenset[str]:
    from projection.work.tracked_tasks import role_names  # most briefs name no role

    return role_names(value)


def chars_for(asked: str, learning: Learning) -> int:
    """Return how many characters what a role learned may have in its brief."""
    adversarial = _roles(", ".join(learning.adversarial))
    usual = adversarial.isdisjoint(_roles(asked))
    return _TOKEN_CHARS * (learning.role_tokens if usual else learning.adversarial_tokens)


def role_notes(
    facts: Iterable[Fact], asked: str, brought: Mapping[str, frozenset[str]]
) -> RoleNotes:
    """Sort facts by whom they are for.

    A fact whose footer names roles is for these alone. What a tag names or a log of a role brought is for
    the role as well; only notes and patterns that none but logs of a role brought are kept from others.
    `asked` is the role that asks, several parted by commas; `brought` is what the logs that brought a
    note say as their role, by its id; "" for a log without one.
    """
    own, alone, others = set[str](), set[str](), set[str]()
    roles = _roles(asked) if asked else NOBODY
    for fact in facts:
        if named := roles_of(fact):
            for found in (own, alone) if roles & named else (others,):
                found.add(fact.id)
        elif roles:
            said = [_roles(one) for one in brought.get(fact.id, ())]
            if not roles.isdisjoint([*_roles_in(fact, "tags"), *frozenset().union(*said)]):
                own.add(fact.id)
            elif fact.kind in NOTE_KINDS and said and all(said):
                others.add(fact.id)
    return RoleNotes(frozenset(own), frozenset(alone), frozenset(others))


# ---- of other homes ---------------------------------------------------------------------------------


def yours(live: Sequence[Standing], days: Sequence[str]) -> tuple[Standing, ...]:
    """Return the facts of the user's own home that are shown, weightiest first (`weights`)."""
    found = [one for one in live if _is_plain(one) and one.fact.kind not in _PASSED_OVER]
    weight = weights([one.fact for one in found], days, {})
    found.sort(key=lambda one: (one.tier != "core", -weight[one.fact.id], one.fact.id))
    return tuple(found[:YOURS_FACTS])


def invariants(live: Sequence[Standing]) -> tuple[Standing, ...]:
    """Return the invariants of a home upstream that are shown, the newest first."""
    found = [one for one in live if _is_plain(one) and one.fact.kind == _INVARIANT]
    by_id = sorted(found, key=lambda one: one.fact.id)
    return tuple(sorted(by_id, key=lambda one: one.fact.anchor, reverse=True)[:UPSTREAM_FACTS])


def _is_plain(one: Standing) -> bool:
    fact = one.fact
    return not (fact.redacted or fact.contradicted or fact.closed or fact.false)
