"""Find what a ledger itself shows that a person should look at: what is due, alike, large, odd or slow.

Each function is a pure function of the state and gives questions; how often a rule may ask again is said
by what its key is made of. A pair of facts that an earlier review asked about is compared again while its
thread stands open.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from ledger.escape import prose
from ledger.model.event import (
    Event,
    FactInvalidated,
    FactMoved,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
)
from ledger.model.record import Record
from ledger.model.session import OBSOLETE_KEY, Entry
from projection.compare.likeness import Overlap, compare_facts
from projection.fold.fact_history import Fact, History
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.fold.testimony import DECIDED, testimony
from projection.graph.fact_links import footer, served
from projection.lifecycle.review_due import (
    MISFIT_KEY,
    Raised,
    Size,
    closed_threads,
    is_raised,
    key_of,
    most_facts,
    remarks,
    text_lines,
    unconfirmed,
)
from projection.policy.model import FINDING_KIND, TASK_KIND, Policy
from projection.text.normalize import index_words
from projection.text.until_conditions import until_of
from rituals.decide.decision import over
from rituals.review.questions import (
    INVARIANT_DUE,
    MISFIT,
    OBSOLETE,
    OVERLAP,
    STALLED_RULES,
    Question,
    listed,
    question,
)

#: A closed thread with more lines of text than this is told of when all together have too many.
_STUB_LINES = 6


class Ground(Record):
    """What the questions about a ledger are asked of."""

    state: State  #: at the pinned commit
    standings: tuple[Standing, ...]  #: all its facts, by id
    size: Size  #: of its `continuity.md`
    raised: tuple[Raised, ...]  #: what earlier reviews raised
    entries: Mapping[str, Entry]  #: what its logs say, by their keys

    @property
    def facts(self) -> list[Fact]:
        """All its facts, by id."""
        return [standing.fact for standing in self.standings]

    @property
    def live(self) -> list[Fact]:
        """Those that live."""
        return [standing.fact for standing in self.standings if standing.live]

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


def invariant_questions(ground: Ground) -> Iterator[Question]:
    """Ask to confirm what never decays and was not confirmed for `verify_invariants_every` sessions.

    A text that was updated since counts as looked at. Asked again after as many sessions more, unless the
    first question still stands open.
    """
    every = ground.policy.review.verify_invariants_every
    still_open = {key for one in ground.raised if not one.closed for key in one.keys}
    for fact, last, sessions in unconfirmed(ground.state, ground.facts):
        rounds = [(fact.id, last, str(number)) for number in range(1, sessions // every + 1)]
        key = next((key for key in rounds if key_of(INVARIANT_DUE, *key) in still_open), rounds[-1])
        when = (
            f"last confirmed {fact.clock(fact.verified)[:10]}"
            if fact.verified
            else "never confirmed"
        )
        said = f"{fact.id}: {when}; {sessions} work sessions went by."
        done = (FactVerified(fact.id),)
        yield question(INVARIANT_DUE, *key, said=said, proposal="it still holds", accept=done)


def thread_questions(ground: Ground) -> Iterator[Question]:
    """Ask about what is open and was named by no session for `stale_thread_after` sessions."""
    after = ground.policy.review.stale_thread_after
    for fact in ground.facts if after else ():
        stalled = fact.open and not (fact.false or fact.archived_at or is_raised(fact))
        sessions = ground.sessions_since(fact.anchor)
        if stalled and sessions > after:
            said = f"{fact.id}: last named {fact.last_used}; {sessions} work sessions went by."
            who = fact.moves[-1].agent if fact.moves else ""
            owner = footer(fact, "owner") or who or "somebody"
            proposal, done = {
                TASK_KIND: (f"cancel it, or ask its owner, {prose(owner)}", over(fact)),
                FINDING_KIND: ("say that it is none; a fix closes it", FactInvalidated(fact.id)),
            }.get(fact.kind, ("close it", over(fact)))
            yield question(
                STALLED_RULES[fact.kind], fact.id, fact.anchor, said=said, proposal=proposal,
                accept=(done,),
            )  # fmt: skip


def wordy_questions(ground: Ground) -> Iterator[Question]:
    """Ask to shorten closed threads, where their text together is over `closed_thread_lines`."""
    limit = ground.policy.review.closed_thread_lines
    if not limit or ground.size.closed_lines <= limit:
        return
    for fact in closed_threads(ground.live):
        lines = text_lines(fact)
        if lines <= _STUB_LINES or len(fact.heads) != 1 or fact.redacted:
            continue
        stub = fact.text.split("\n\n")[0].split("\n")
        short = "\n".join(stub[: _STUB_LINES // 2]).rstrip()
        # a piece of markdown that stands by itself: no code or comment is cut open
        whole = short and short.count("`") % 2 == 0 and "<!--" not in short and "~~~" not in short
        accept = (FactUpdated(fact.id, short),) if whole else ()
        yield question(
            "thread-wordy", fact.id, fact.heads[0].id, said=f"{fact.id}: {lines} lines.",
            proposal="keep its first lines; `diurna why` keeps the rest" if accept else "",
            accept=accept,
        )  # fmt: skip


def size_questions(ground: Ground) -> Iterator[Question]:
    """Ask to shrink `continuity.md`, where it is over the limits of the policy.

    Once the thread of that was closed, it is asked again only after `review.every` sessions more.
    """
    review, size = ground.policy.review, ground.size
    measures = (
        (size.facts, most_facts(size, review), "facts and threads that can fade"),
        (size.lines, review.max_lines, "lines"),
    )
    over = [f"{has} {noun} (limit {most})" for has, most, noun in measures if 0 < most < has]
    closed = [one.closed_at for one in ground.raised if one.rule == "size" and one.closed]
    every = max(ground.policy.review.every, 1)
    if not over or (closed and ground.sessions_since(max(closed)) < every):
        return
    live = [fact for fact in ground.live if not is_raised(fact)]
    longest = sorted(live, key=lambda fact: (-text_lines(fact), fact.id))[:5]
    shown = ", ".join(f"{fact.id} ({text_lines(fact)} lines)" for fact in longest)
    counts = Counter(sorted([fact.kind for fact in live])).most_common()
    by_kind = ", ".join(f"{count} {kind}" for kind, count in counts)
    yield question(
        "size", str(len(closed)), facts=(), said=f"continuity.md has {' and '.join(over)}.",
        evidence=(f"the longest: {shown}", f"by kind: {by_kind}"),
        proposal="close what is done, merge what says the same, or raise the limit in diurna.toml",
    )  # fmt: skip


def link_questions(ground: Ground) -> Iterator[Question]:
    """Ask about supersessions whose successor has no text, ids without a text, and `serves` that break.

    An id is asked about that a log of the last `windows.archive` sessions named: older ones are history.
    """
    for fact in ground.facts:
        for new in [one for one in fact.superseded_by if ground.state.fact(one) is None]:
            yield question(
                "successor-missing", fact.id, new, facts=(fact.id, new),
                said=f"{fact.id} was superseded by {new}, which has no text.",
                evidence=(f"Said in {fact.superseded_at}.",),
                proposal=f"create {new}, or say what replaces {fact.id}",
            )  # fmt: skip
    successors = {one for fact in ground.facts for one in fact.superseded_by}
    for id, history in sorted(ground.state.histories.items()):
        if ground.state.fact(id) is not None or id in successors:
            continue
        newest = max(history.last, *[act.stem for act in history.acts[-1:]], "")
        if ground.sessions_since(newest) < ground.policy.windows.archive:
            yield question(
                "id-dangling", id, said=f"{id} is named and has no text.",
                evidence=(f"Last named in {newest}.",),
                proposal="create it, or name the fact that was meant",
            )  # fmt: skip
    for fact in ground.live:
        for target in served(fact):
            goal = ground.state.fact(target)
            if goal is not None and not goal.false:
                continue
            why = "is no fact of this ledger" if goal is None else "was invalidated"
            proposal = "name what it serves now"
            if goal is not None and goal.superseded_by:
                why = f"was superseded by {listed(goal.superseded_by)}"
                proposal = f"let it serve {listed(goal.superseded_by, ' or ')}"
            said = f"{fact.id} serves {prose(target)}, which {why}."
            yield question("serves-broken", fact.id, target, said=said, proposal=proposal)


def remark_questions(ground: Ground, *, code: bool) -> Iterator[Question]:
    """Ask what footers of live facts give reason to ask; `code` tells whether commits can be looked at."""
    for fact in ground.live:
        said = remarks(fact) if not fact.closed else {}
        if OBSOLETE_KEY in said and not (code and until_of(fact.meta)[1]):  # else a commit answers
            yield from _obsolete(ground, fact)
        if MISFIT_KEY in said:
            yield question(
                MISFIT, fact.id, said[MISFIT_KEY],
                said=f"{fact.id} does not fit, as its footer says (`misfit`).",
                proposal="reword it, give it another kind, or say that it is false",
            )  # fmt: skip


def _obsolete(ground: Ground, fact: Fact) -> Iterator[Question]:
    """Ask whether a fact is obsolete by now: at each review with work since the last one.

    The key names that last review, so each asks anew, but not while the question stands open.
    """
    last = ground.state.summary.last_review
    still_open = [
        one.keys for one in ground.raised
        if one.rule == OBSOLETE and one.about == (fact.id,) and not one.closed
    ]  # fmt: skip
    if not still_open and last and not ground.sessions_since(last):
        return
    done = over(fact)
    asked = question(
        OBSOLETE, fact.id, last,
        said=f"{fact.id} says when it is obsolete (`obsolete_when`): is it by now?",
        proposal={ThreadClosed: "close it", FactMoved: "cancel it"}.get(
            type(done), "say that it is false now"
        ),
        accept=(done,),
    )  # fmt: skip
    yield asked._replace(key=still_open[0][0]) if still_open and still_open[0] else asked


def pair_questions(
    ground: Ground, returned: Iterable[str], progress: Callable[[int, int], None] | None = None
) -> list[Question]:
    """Ask about pairs of facts that say the same.

    `returned` has the ids of the facts that came back from the archive since the last review; `progress`
    is told how far the comparing is.
    """
    facts = {fact.id: fact for fact in ground.live if not (fact.redacted or is_raised(fact))}
    last = ground.state.summary.last_review
    changed: set[str] | None = None
    if last:
        changed = {
            name for name, fact in facts.items() if any(head.stem > last for head in fact.heads)
        }
        changed.update(returned)
        for thread in ground.raised:
            if thread.rule == OVERLAP and not thread.closed:
                changed.update(thread.about)
    if changed is not None and not changed & facts.keys():
        return []
    words = {name: list(index_words(fact.text)) for name, fact in facts.items()}
    return [_overlap(one, facts, ground) for one in compare_facts(facts, words, changed, progress)]


def _overlap(pair: Overlap, facts: dict[str, Fact], ground: Ground) -> Question:
    decided = ground.decided
    first, second = sorted((pair.keep, pair.drop), key=lambda id: not decided(facts[id]))
    if decided(facts[first]) > decided(facts[second]):  # the words of a person stay as they are
        pair = pair._replace(keep=first, drop=second, text=facts[first].text)
    accept: tuple[Event, ...] = (FactSuperseded(pair.drop, pair.keep),)
    said = f"keep {pair.keep} and let it supersede {pair.drop}"
    kept = facts[pair.keep]
    if pair.text != kept.text and len(kept.heads) == 1:
        accept = (FactUpdated(pair.keep, pair.text), *accept)
        said = f"give {pair.keep} the fuller text of {pair.drop}, and let it supersede that"
    both = pair.one, pair.two
    return question(
        OVERLAP, *both, facts=both, said=f"{pair.one} and {pair.two} say nearly the same.",
        evidence=(f"they share {pair.score} of 100",), proposal=said, accept=accept,
    )  # fmt: skip
