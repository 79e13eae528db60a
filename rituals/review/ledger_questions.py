"""Find what a ledger itself shows that a person should look at: invariants, threads, size, links, pace.

Each function is a pure function of the state and gives questions; how often a rule may ask again is said
by what its key is made of.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from ledger.escape import prose
from ledger.model.event import FactUpdated, FactVerified, ThreadClosed
from ledger.model.record import Record
from ledger.model.session import Entry
from projection.fold.fact_history import Fact, History
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.fold.testimony import DECIDED, testimony
from projection.fold.tiers import never_decaying
from projection.graph.fact_links import served
from projection.lifecycle.pace import Pace, proposals
from projection.lifecycle.review_due import Size, closed_threads, most_facts, text_lines
from projection.lifecycle.review_threads import Raised, is_raised, key_of
from projection.policy.model import Policy
from rituals.decide.confirmation import is_lasting, looked_at
from rituals.review.review_question import INVARIANT_DUE, Question, listed

#: A closed thread with more lines of text than this is told of when all together have too many.
_STUB_LINES = 6


class Ground(Record):
    """What the questions about a ledger are asked of."""

    state: State  #: at the pinned commit
    standings: tuple[Standing, ...]  #: all its facts, by id
    size: Size  #: of its `continuity.md`
    pace: Pace  #: of its work sessions
    raised: tuple[Raised, ...]  #: what earlier reviews raised
    entries: Mapping[str, Entry]  #: what its logs say, by their keys

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self.state.policy

    def decided(self, fact: Fact) -> bool:
        """Tell whether a person decided what a fact says (F13)."""
        return testimony(fact, self.entries.get, self.histories).word == DECIDED

    def histories(self, ids: Iterable[str]) -> dict[str, History]:
        """Return what is known of ids, of those that are known."""
        return {id: self.state.histories[id] for id in ids if id in self.state.histories}

    def sessions_since(self, stem: str) -> int:
        """Count the work sessions after a stem (or something that compares with stems)."""
        return len(self.state.work) - bisect_right(self.state.work, stem)


def invariant_questions(ground: Ground) -> list[Question]:
    """Ask to confirm what never decays and was not confirmed for `verify_invariants_every` sessions.

    A text that was updated since counts as looked at. Asked again after as many sessions more, unless the
    first question still stands open.
    """
    every = ground.policy.review.verify_invariants_every
    if not every:
        return []
    lasting = never_decaying(ground.policy)
    still_open = {key for one in ground.raised if not one.closed for key in one.keys}
    found = []
    for standing in ground.standings:
        fact = standing.fact
        if not is_lasting(fact, lasting):
            continue
        last = looked_at(fact)
        sessions = ground.sessions_since(last)
        rounds = sessions // every
        if not rounds:
            continue
        keys = [key_of(INVARIANT_DUE, fact.id, last, str(n)) for n in range(1, rounds + 1)]
        key = next((key for key in keys if key in still_open), keys[-1])
        when = f"last confirmed {fact.verified[:10]}" if fact.verified else "never confirmed"
        found.append(
            Question(
                INVARIANT_DUE,
                key,
                (fact.id,),
                f"{fact.id}: {when}; {sessions} work sessions went by.",
                proposal="it still holds",
                accept=(FactVerified(fact.id),),
            )
        )
    return found


def thread_questions(ground: Ground) -> list[Question]:
    """Ask about open threads that no session named for `stale_thread_after` sessions."""
    after = ground.policy.review.stale_thread_after
    found = []
    for standing in ground.standings:
        fact = standing.fact
        stalled = fact.open and not (fact.false or fact.archived_at)
        sessions = ground.sessions_since(fact.anchor)
        if not after or not stalled or is_raised(fact) or sessions <= after:
            continue
        found.append(
            Question(
                "thread-stalled",
                key_of("thread-stalled", fact.id, fact.anchor),
                (fact.id,),
                f"{fact.id}: last named {fact.last_used}; {sessions} work sessions went by.",
                proposal="close it",
                accept=(ThreadClosed(fact.id),),
            )
        )
    return found


def wordy_questions(ground: Ground) -> list[Question]:
    """Ask to shorten closed threads, where their text together is over `closed_thread_lines`."""
    limit = ground.policy.review.closed_thread_lines
    if not limit or ground.size.closed_lines <= limit:
        return []
    live = [standing.fact for standing in ground.standings if standing.live]
    found = []
    for fact in closed_threads(live):
        lines = text_lines(fact)
        if lines <= _STUB_LINES or len(fact.heads) != 1 or fact.redacted:
            continue
        stub = fact.text.split("\n\n")[0].split("\n")
        short = "\n".join(stub[: _STUB_LINES // 2]).rstrip()
        accept = (FactUpdated(fact.id, short),) if _is_whole(short) else ()
        found.append(
            Question(
                "thread-wordy",
                key_of("thread-wordy", fact.id, fact.heads[0].id),
                (fact.id,),
                f"{fact.id}: {lines} lines.",
                proposal="keep its first lines; `diurna why` keeps the rest" if accept else "",
                accept=accept,
            )
        )
    return found


def _is_whole(text: str) -> bool:
    """Tell whether a piece of markdown stands by itself: no code or comment is cut open."""
    return bool(text) and text.count("`") % 2 == 0 and "<!--" not in text and "~~~" not in text


def size_questions(ground: Ground) -> list[Question]:
    """Ask to shrink `continuity.md`, where it is over the limits of the policy."""
    review, size = ground.policy.review, ground.size
    said = [
        f"{measured} {noun} (limit {limit})"
        for measured, limit, noun in (
            (size.facts, most_facts(size, review), "facts and threads that can fade"),
            (size.lines, review.max_lines, "lines"),
        )
        if 0 < limit < measured
    ]
    number = _standing_number(ground, "size")
    if not said or number is None:
        return []
    live = [one.fact for one in ground.standings if one.live and not is_raised(one.fact)]
    longest = sorted(live, key=lambda fact: (-text_lines(fact), fact.id))[:5]
    shown = ", ".join(f"{fact.id} ({text_lines(fact)} lines)" for fact in longest)
    kinds: dict[str, int] = {}
    for fact in live:
        kinds[fact.kind] = kinds.get(fact.kind, 0) + 1
    counts = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return [
        Question(
            "size",
            key_of("size", str(number)),
            (),
            f"continuity.md has {' and '.join(said)}.",
            (
                f"the longest: {shown}",
                f"by kind: {', '.join(f'{count} {kind}' for kind, count in counts)}",
            ),
            "close what is done, merge what says the same, or raise the limit in diurna.toml",
        )
    ]


def link_questions(ground: Ground) -> list[Question]:
    """Ask about supersessions whose successor has no text, ids without a text, and `serves` that break."""
    return [*_successors(ground), *_dangling(ground), *_serves(ground)]


def _successors(ground: Ground) -> list[Question]:
    found = []
    for standing in ground.standings:
        fact = standing.fact
        for successor in fact.superseded_by:
            if ground.state.fact(successor) is not None:
                continue
            found.append(
                Question(
                    "successor-missing",
                    key_of("successor-missing", fact.id, successor),
                    (fact.id, successor),
                    f"{fact.id} was superseded by {successor}, which has no text.",
                    (f"Said in {fact.superseded_at}.",),
                    f"create {successor}, or say what replaces {fact.id}",
                )
            )
    return found


def _dangling(ground: Ground) -> list[Question]:
    """Ask about ids that a log of the last `windows.archive` sessions named without a text anywhere.

    Older ones are history; those that succeed something are asked about there.
    """
    successors = {one for standing in ground.standings for one in standing.fact.superseded_by}
    found = []
    for fact in sorted(ground.state.histories):
        history = ground.state.histories[fact]
        if ground.state.fact(fact) is not None or fact in successors:
            continue
        newest = max(history.last, *[act.stem for act in history.acts[-1:]], "")
        if ground.sessions_since(newest) >= ground.policy.windows.archive:
            continue
        found.append(
            Question(
                "id-dangling",
                key_of("id-dangling", fact),
                (fact,),
                f"{fact} is named and has no text.",
                (f"Last named in {newest}.",),
                "create it, or name the fact that was meant",
            )
        )
    return found


def _serves(ground: Ground) -> list[Question]:
    found = []
    for standing in ground.standings:
        fact = standing.fact
        if not standing.live:
            continue
        for target in served(fact):
            there = ground.state.fact(target)
            if there is not None and not there.false:
                continue
            why = "is no fact of this ledger"
            proposal = "name what it serves now"
            if there is not None:
                why = "was invalidated"
                if there.superseded_by:
                    why = f"was superseded by {listed(there.superseded_by)}"
                    proposal = f"let it serve {listed(there.superseded_by, ' or ')}"
            found.append(
                Question(
                    "serves-broken",
                    key_of("serves-broken", fact.id, target),
                    (fact.id,),
                    f"{fact.id} serves {prose(target)}, which {why}.",
                    proposal=proposal,
                )
            )
    return found


def pace_questions(ground: Ground) -> list[Question]:
    """Propose a policy, where its windows last far too short or too long at the pace of the ledger."""
    found = proposals(ground.pace, ground.policy)
    number = _standing_number(ground, "pace")
    if not found or number is None:
        return []
    tenths = ground.pace.weekly_tenths
    return [
        Question(
            "pace",
            key_of("pace", str(number)),
            (),
            f"{tenths // 10}.{tenths % 10} work sessions a week do not fit the policy.",
            tuple(f"{one.key} = {one.value} lasts {_days(one.days)}" for one in found),
            f"in diurna.toml: {', '.join(f'{one.key} = {one.better}' for one in found)}",
            settings=tuple((one.key, one.better) for one in found),
        )
    ]


def _days(days: int) -> str:
    return "less than a day" if not days else "a day" if days == 1 else f"{days} days"


def _standing_number(ground: Ground, rule: str) -> int | None:
    """Number the question of a rule that is about the whole ledger; None while it rests.

    Once its thread was closed, it is asked again only after `review.every` sessions more.
    """
    earlier: Sequence[Raised] = [one for one in ground.raised if one.rule == rule and one.closed]
    if earlier:
        last = max(one.closed_at for one in earlier)
        if ground.sessions_since(last) < max(ground.policy.review.every, 1):
            return None
    return len(earlier)
