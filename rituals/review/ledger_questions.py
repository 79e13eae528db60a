"""Find what a ledger itself shows that a person should look at: what is due, alike, large, odd or slow.

Each function is a pure function of the state and gives questions; how often a rule may ask again is said
by what its key is made of. A pair of facts that an earlier review asked about is compared again while its
thread stands open.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping

from ledger.escape import prose
from ledger.model import event as verbs
from ledger.model.record import Record
from ledger.model.session import OBSOLETE_KEY, Entry
from projection.fold import testimony
from projection.fold.fact_history import Fact, History
from projection.fold.fact_links import footer
from projection.fold.falsity import said_against
from projection.fold.full_replay import State
from projection.fold.live_view import CLOSED, INVALIDATED, SUPERSEDED
from projection.lifecycle.review_due import Raised, Size, key_of, remarks, unconfirmed
from projection.likeness import Overlap, compare_facts
from projection.policy.model import FINDING_KIND, TASK_KIND
from projection.text.normalize import index_words
from projection.text.until_conditions import until_of
from rituals.decide.decision import over
from rituals.review.questions import (
    INVARIANT_DUE,
    LIST_LIMIT,
    OBSOLETE,
    OVERLAP,
    OVERRULED,
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
    facts: tuple[Fact, ...]  #: all its facts, by id
    live: tuple[Fact, ...]  #: those that live
    size: Size  #: of its `continuity.md`
    raised: tuple[Raised, ...]  #: what earlier reviews raised
    entries: Mapping[str, Entry]  #: what its logs say, by their keys

    def decided(self, fact: Fact) -> bool:
        """Tell whether a person decided what a fact says (F13)."""
        return testimony.testimony(fact, self.entries.get, self.histories).word == testimony.DECIDED

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
    every = ground.state.policy.review.verify_invariants_every
    still_open = {key for one in ground.raised if not one.closed for key in one.keys}
    for fact, last, sessions in unconfirmed(ground.state.policy, ground.state.work, ground.facts):
        rounds = [(fact.id, last, str(number)) for number in range(1, sessions // every + 1)]
        key = next((key for key in rounds if key_of(INVARIANT_DUE, *key) in still_open), rounds[-1])
        when = (
            f"last confirmed {fact.clock(fact.verified)[:10]}"
            if fact.verified
            else "never confirmed"
        )
        said = f"{fact.id}: {when}; {sessions} work sessions went by."
        done = (verbs.FactVerified(fact.id),)
        yield question(INVARIANT_DUE, *key, said=said, proposal="it still holds", accept=done)


def thread_questions(ground: Ground) -> Iterator[Question]:
    """Ask about what is open and was named by no session for `stale_thread_after` sessions."""
    after = ground.state.policy.review.stale_thread_after
    for fact in ground.facts if after else ():
        stalled = fact.open and not (fact.false or fact.archived_at or fact.raised)
        sessions = ground.sessions_since(fact.anchor)
        if stalled and sessions > after:
            said = f"{fact.id}: last named {fact.last_used}; {sessions} work sessions went by."
            who = fact.moves[-1].agent if fact.moves else ""
            owner = footer(fact, "owner") or who or "somebody"
            proposal, done = {
                TASK_KIND: (f"cancel it, or ask its owner, {prose(owner)}", over(fact)),
                FINDING_KIND: (
                    "say that it is none; a fix closes it",
                    verbs.FactInvalidated(fact.id),
                ),
            }.get(fact.kind, ("close it", over(fact)))
            yield question(
                STALLED_RULES[fact.kind], fact.id, fact.anchor, said=said, proposal=proposal,
                accept=(done,),
            )  # fmt: skip


def wordy_questions(ground: Ground) -> Iterator[Question]:
    """Ask to shorten closed threads, where their text together is over `closed_thread_lines`."""
    limit = ground.state.policy.review.closed_thread_lines
    if not limit or ground.size.closed_lines <= limit:
        return
    for fact in [one for one in ground.live if one.closed and not one.raised]:
        lines = fact.text.count("\n") + 1
        if lines <= _STUB_LINES or len(fact.heads) != 1 or fact.redacted:
            continue
        stub = fact.text.split("\n\n")[0].split("\n")
        short = "\n".join(stub[: _STUB_LINES // 2]).rstrip()
        # a piece of markdown that stands by itself: no code or comment is cut open
        whole = short and short.count("`") % 2 == 0 and "<!--" not in short and "~~~" not in short
        accept = (verbs.FactUpdated(fact.id, short),) if whole else ()
        yield question(
            "thread-wordy", fact.id, fact.heads[0].id, said=f"{fact.id}: {lines} lines.",
            proposal="keep its first lines; `diurna why` keeps the rest" if accept else "",
            accept=accept,
        )  # fmt: skip


def dangling_questions(ground: Ground) -> Iterator[Question]:
    """Ask about ids without a text that a log of the last `windows.archive` sessions named."""
    for id, history in sorted(ground.state.histories.items()):
        if ground.state.fact(id) is not None:
            continue
        newest = max(history.last, *[act.stem for act in history.acts[-1:]], "")
        if ground.sessions_since(newest) < ground.state.policy.windows.archive:
            yield question(
                "id-dangling",
                id,
                said=f"{id} is named and has no text.",
                evidence=(f"Last named in {newest}.",),
                proposal="create it, or name the fact that was meant",
            )


def obsolete_questions(ground: Ground, *, code: bool) -> Iterator[Question]:
    """Ask whether facts are obsolete by now that say when: at each review with work since the last one.

    The key names that last review, so each asks anew, but not while the question stands open. `code` tells
    whether commits can be looked at, which answer what has the form of `until`.
    """
    last = ground.state.summary.last_review
    rests = bool(last) and not ground.sessions_since(last)
    for fact in ground.live:
        if fact.closed or OBSOLETE_KEY not in remarks(fact) or (code and until_of(fact.meta)[1]):
            continue
        still_open = [
            thread.keys[0]
            for thread in ground.raised
            if thread.rule == OBSOLETE and thread.about == (fact.id,)
            if thread.keys and not thread.closed
        ]
        if rests and not still_open:
            continue
        done = over(fact)
        does = {verbs.ThreadClosed: "close it", verbs.FactMoved: "cancel it"}
        asked = question(
            OBSOLETE,
            fact.id,
            last,
            said=f"{fact.id} says when it is obsolete (`obsolete_when`): is it by now?",
            proposal=does.get(type(done), "say that it is false now"),
            accept=(done,),
        )
        yield asked._replace(key=still_open[0]) if still_open else asked


def pair_questions(
    ground: Ground, returned: Iterable[str], progress: Callable[[int, int], None] | None = None
) -> list[Question]:
    """Ask about pairs of facts that say the same.

    `returned` has the ids of the facts that came back from the archive since the last review; `progress`
    is told how far the comparing is.
    """
    facts = {fact.id: fact for fact in ground.live if not (fact.redacted or fact.raised)}
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
    accept: tuple[verbs.Event, ...] = (verbs.FactSuperseded(pair.drop, pair.keep),)
    said = f"keep {pair.keep} and let it supersede {pair.drop}"
    kept = facts[pair.keep]
    if pair.text != kept.text and len(kept.heads) == 1:
        accept = (verbs.FactUpdated(pair.keep, pair.text), *accept)
        said = f"give {pair.keep} the fuller text of {pair.drop}, and let it supersede that"
    both = pair.one, pair.two
    return question(
        OVERLAP, *both, facts=both, said=f"{pair.one} and {pair.two} say nearly the same.",
        evidence=(f"they share {pair.score} of 100",), proposal=said, accept=accept,
    )  # fmt: skip


#: how -> (what was done, what accepting says).
_SAID = {
    testimony.REWORDED: ("reworded it", "it holds as it stands now"),
    SUPERSEDED: ("let {new} replace it", "{new} holds in its place"),
    INVALIDATED: ("called it false", "it is false"),
    CLOSED: ("closed it", "it is closed"),
    testimony.ARCHIVED: ("put it away", "it stays in the archive"),
}


def overruled_questions(ground: Ground) -> Iterator[Question]:
    """Ask about each decision of a person that somebody else overruled (F13 and R3).

    Accepting says that a person wants it so, rejecting lets what the person said hold again. Whoever is no
    person settles none of them: where such a one closed a thread that asks it, it is asked anew.
    """
    entry, by_nobody = ground.entries.get, _closed_by_nobody(ground)
    for fact in ground.facts:
        moved = fact.false or fact.closed or fact.archived_at
        said_since = moved or any(version.parents for version in fact.heads)
        if not said_since or fact.redacted or fact.raised:
            continue
        act = testimony.overruled(fact, entry, ground.histories)
        if act is None:
            continue
        new, who = listed(fact.superseded_by), prose(act.agent) or "somebody"
        did, accepting = [said.format(new=prose(new)) for said in _SAID[act.how]]
        key = key_of(OVERRULED, fact.id, act.how, act.stem)
        while key in by_nobody:
            key = key_of(OVERRULED, key, by_nobody[key])
        yield Question(
            OVERRULED, key, (fact.id, *fact.superseded_by[:LIST_LIMIT]),
            f"{fact.id}: {prose(act.person)} decided it, and {who} {did}.",
            (f"decided in {act.said}", f"overruled in {act.stem}"), accepting,
            _accepting(ground.state, fact, act), reject=_rejecting(ground.state, fact, act),
        )  # fmt: skip


def _closed_by_nobody(ground: Ground) -> dict[str, str]:
    """Return the keys of questions whose threads were closed, by nobody who is a person, with the log."""
    by_nobody: dict[str, str] = {}
    settled: set[str] = set()
    for thread in ground.raised:
        if thread.closed and thread.rule == OVERRULED:
            log = ground.entries.get(thread.closed_at)
            if log is None or testimony.is_person(log):
                settled.update(thread.keys)
            else:
                by_nobody.update(dict.fromkeys(thread.keys, thread.closed_at))
    return {key: stem for key, stem in by_nobody.items() if key not in settled}


def _accepting(state: State, fact: Fact, act: testimony.Overruled) -> tuple[verbs.Event, ...]:
    """Return what says that a person wants it as it is."""
    heads = tuple([version.id for version in fact.heads])
    if act.how == SUPERSEDED:
        others = [state.fact(new) for new in fact.superseded_by]
        hold = [one for one in others if one and not (one.false or one.redacted)]
        return (
            *[verbs.FactSuperseded(fact.id, new, was=heads) for new in fact.superseded_by],
            *[verbs.FactVerified(one.id) for one in hold],
        )
    if act.how == INVALIDATED:
        return (verbs.FactInvalidated(fact.id, was=heads),)
    if act.how == CLOSED and fact.kind != TASK_KIND:
        return (verbs.ThreadClosed(fact.id, was=heads),)
    return ((verbs.FactArchived if act.how == testimony.ARCHIVED else verbs.FactVerified)(fact.id),)


def _rejecting(state: State, fact: Fact, act: testimony.Overruled) -> tuple[verbs.Event, ...]:
    """Return what lets the words of the person hold again."""
    events: list[verbs.Event] = []
    if act.texts:
        heads = tuple([version.id for version in fact.heads])
        mark = " " if act.how == CLOSED else "x" if fact.closed else ""
        events.append(verbs.FactUpdated(fact.id, act.texts[-1], heads, mark))
    calls = said_against(fact.id, state.histories[fact.id])
    if calls:  # also what does not count as it stands now (F10): it may have known the older text
        events.append(verbs.FactReinstated(fact.id, said=calls))
    if act.how == CLOSED:
        events.append(verbs.ThreadReopened(fact.id))
    if act.how == testimony.ARCHIVED:
        events.append(verbs.FactReactivated(fact.id))
    return tuple(events)
