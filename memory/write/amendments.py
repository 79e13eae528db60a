"""Amend a log on its way from a draft to its seal: a list of questions, each asked once, in this order.

An amendment is `(log, case) -> (log, findings)`: it may change the log, tell of it, or refuse it. They
fill in the header, what its writer saw and need not say, and what describes a replaced fact; one of
them closes the handoffs that reach their receiver with it (W16).
"""

from __future__ import annotations

from ledger.codec.fact_blocks import order_meta
from ledger.codec.log import canonical
from ledger.errors import DraftRefused
from ledger.git.repository import cut_commits, head
from ledger.git.tracked_files import is_dirty
from ledger.home import OWN_BRANCH
from ledger.model.event import (
    OPENED,
    RECEIVED,
    Event,
    FactCreated,
    FactInvalidated,
    FactMoved,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
    facts_in,
)
from ledger.model.finding_codes import Finding
from ledger.model.log_names import stem_in
from ledger.model.session import (
    ASKED_KEY,
    BY_KEY,
    CHECK_KEY,
    DEFAULT_TITLE,
    UNDO_KEYS,
    UNTIL_KEY,
    WORK,
    WORKING,
    SessionLog,
)
from ledger.model.verbs import CLOSING, IN_PROGRESS
from ledger.secrets.log_redaction import guard, is_withheld
from memory.cache.schema import PINNED
from memory.write.draft import as_personal, is_own, refuse_personal, text_of
from memory.write.host_session import MOST_USES, used_in
from projection.fold.fact_links import ENTITY_KEY, SERVES, TAGS_KEY, names_in
from projection.fold.falsity import said_against
from projection.policy.model import CLOSABLE, HANDOFF_KIND, TASK_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memory.write.draft import Case
    from projection.fold.fact_history import Fact, History
    from projection.work.tracked_tasks import Handoff

    Amended = tuple[SessionLog, tuple[Finding, ...]]
    Amendment = Callable[[SessionLog, Case], Amended]

#: Who moves a task there has taken it: nobody else will.
_TAKING = CLOSING | {IN_PROGRESS}
_HEADER_ORDER = ("role", "host", "model", "session", "started")
_FILLED = ("agent", "ended", "after", "type", *_HEADER_ORDER, "branch", "commit", "dirty")
#: The footers that are of a subject, whatever is said of it, and those that are of the work on it. What
#: ends a text, checks it or is its title is of that text alone.
_OF_SUBJECTS = (ENTITY_KEY, TAGS_KEY, "role", SERVES, ASKED_KEY, "salience")
_OF_TASKS = ("priority", "owner", "goal", "workstream", "depends")
#: The tag that a word for a kind gives: it is of the text, and nobody chose it.
_OF_A_KIND = ("lesson",)


def _with_header(log: SessionLog, case: Case) -> Amended:
    """Fill in what the draft leaves open of the header."""
    draft, home, occasion = case.asked.draft, case.home, case.asked.occasion
    given = dict(draft.header)
    values = {"agent": draft.agent or occasion.agent}
    if case.cache.summary.newest and not case.asked.at:
        values["after"] = stem_in(case.cache.summary.newest)
    if draft.type in WORKING and occasion.session:
        values["session"] = occasion.session
    if draft.type != WORK:
        values["type"] = draft.type
    values.update([(key, given[key]) for key in _HEADER_ORDER if given.get(key)])
    reference, commit = head(home.repository)
    if "branch" in given or reference:
        values["branch"] = given.get("branch") or reference.removeprefix("refs/heads/")
    if "commit" in given or commit:
        values["commit"] = given.get("commit") or commit
    # whether the code beside a branch of memory's own holds what its commit has not (C3)
    asks = commit and "commit" not in given and home.kind == OWN_BRANCH
    if given.get("dirty") or (asks and is_dirty(home.repository)):
        values["dirty"] = "yes"
    extra = tuple([pair for pair in draft.header if pair[0] not in _FILLED])
    if occasion.typed and values["agent"] != occasion.agent and "session" not in values:
        extra += ((BY_KEY, occasion.agent),)
    header = tuple([(key, values[key]) for key in _FILLED if key in values])
    return SessionLog(header + extra, log.title, log.prose, log.events), ()


def _without_withheld(log: SessionLog, case: Case) -> Amended:
    """Return a log without what says again what was withheld; where somebody means it, refuse it.

    Raises:
        DraftRefused: the findings name the places, not the words.
    """
    if not case.cache.redacted:  # most homes withhold nothing
        return log, ()
    from memory.redaction.withheld_repeats import repeated_places, withheld_of, without_repeats

    telling = withheld_of(case.home, case.cache, words=case.asked.held)
    if telling is not None and case.asked.held:
        return without_repeats(telling, log), ()
    if telling is not None and (found := repeated_places(telling, log)):
        raise DraftRefused(found)
    return log, ()


def _with_opened(log: SessionLog, case: Case) -> Amended:
    """Let a log name the facts that its session opened and that none of its logs names.

    What the draft does to a fact itself stands.
    """
    if case.asked.draft.type not in WORKING or not case.opened:
        return log, ()
    cache = case.cache
    done = {id for event in log.events for id in facts_in(event)} | used_in(
        cache, case.asked.session
    )
    new = [id for id in dict.fromkeys(id for _, id in case.opened) if id not in done]
    facts = [fact for id in new if (fact := cache.fact(id)) and not (fact.false or fact.redacted)]
    more = [FactReferenced(fact.id, OPENED) for fact in facts[:MOST_USES]]
    return (log._replace(events=(*log.events, *more)) if more else log), ()


def _with_received(log: SessionLog, case: Case) -> Amended:
    """Let a log close the handoffs that its writer receives: named in `to`, or taking the task (W16).

    What the draft does to a handoff itself stands.
    """
    draft, cache = case.asked.draft, case.cache
    any_open = "SELECT 1 FROM facts WHERE kind = ? AND state = ? LIMIT 1"
    if draft.type not in WORKING or cache.row(any_open, (HANDOFF_KIND, PINNED)) is None:
        return log, ()
    from memory.cache.view_sources import handoffs_in  # most logs do without
    from projection.work.tracked_tasks import open_handoffs

    done = [event for event in log.events if not isinstance(event, FactReferenced)]
    named = {fact for event in done for fact in facts_in(event)}
    agent, session = case.asked.agent, case.asked.session
    role = dict(draft.header).get("role", "")
    taken = {
        event.id
        for event in done
        if isinstance(event, ThreadClosed)
        or (isinstance(event, FactMoved) and event.state in _TAKING)
    }

    def took(
        task: str, origin: str
    ) -> bool:  # behind a handoff, with a log that could not close it
        fact = cache.fact(task)
        return fact is not None and any(
            move.state in _TAKING and move.agent == agent and move.stem > origin
            for move in fact.moves
        )

    def arrives(handoff: Handoff) -> bool:
        if not handoff.to:
            origin = handoff.standing.fact.origin
            return any(id in taken or took(id, origin) for id in handoff.tasks)
        if not handoff.names(agent, role):
            return False
        left = cache.entry(handoff.standing.fact.origin)
        return not (left and session and (left.agent, left.session) == (agent, session))

    arrived = [
        ThreadClosed(handoff.standing.fact.id, RECEIVED)
        for handoff in open_handoffs(handoffs_in(cache))
        if handoff.standing.fact.id not in named and arrives(handoff)
    ]
    return (log._replace(events=(*log.events, *arrived)) if arrived else log), ()


def event_with_seen(
    event: Event, fact: Fact | None, histories: Mapping[str, History], opened: set[str]
) -> Event:
    """Let an event name the versions its writer saw; it does not answer what others said meanwhile.

    `event` is as drafted; `fact` is what it names, as it stands, None while there is no text for it;
    `opened` are the threads that the same log opens again.
    """
    if isinstance(event, FactMoved) and event.was is None:
        return event._replace(was=_moves_of(fact))
    if fact is None:
        return event
    heads = tuple(version.id for version in fact.heads)
    if isinstance(event, FactUpdated):
        kind = dict(event.meta).get("kind", fact.kind)
        knew = fact.closed and kind in CLOSABLE and not event.mark and event.id not in opened
        said = event.said
        if event.was is None and said is None and fact.false:
            said = said_against(event.id, histories[event.id]) or None
        was = heads if event.was is None else event.was
        return event._replace(was=was, mark="x" if knew else event.mark, said=said)
    if isinstance(event, FactSuperseded | FactInvalidated) and event.was is None:
        return event._replace(was=heads)
    if isinstance(event, ThreadClosed) and event.was is None and fact.kind in CLOSABLE:
        return event._replace(was=(*heads, *_moves_of(fact)))
    if isinstance(event, FactReinstated) and event.said is None:
        return event._replace(said=said_against(event.id, histories[event.id]) or None)
    return event


def _with_seen_versions(log: SessionLog, case: Case) -> Amended:
    """Let the events of a log name what their writer saw, and redactions the logs that hold the text."""
    home, cache = case.home, case.cache
    opened = {event.id for event in log.events if isinstance(event, ThreadReopened)}
    facts = dict(case.facts)
    if facts:  # as HEAD has them, beside the texts of all branches (B2)
        from memory.replay.head_view import here_of

        here = here_of(home, cache)
        for name, fact in facts.items():
            shown = here.shown(cache, fact)
            facts[name] = shown._replace(heads=tuple(dict.fromkeys((*shown.heads, *fact.heads))))
    events = tuple(
        [event_with_seen(one, facts.get(one.id), case.histories, opened) for one in log.events]
    )
    if any(isinstance(event, FactRedacted) for event in events):
        from memory.redaction.withheld_texts import naming_holders

        events = naming_holders(home, cache, events)
    return SessionLog(log.header, log.title, log.prose, events), ()


def _moves_of(fact: Fact | None) -> tuple[str, ...]:
    """Return the logs whose moves of a task stand."""
    return tuple(dict.fromkeys([stem_in(move.stem) for move in fact.moves])) if fact else ()


def still_moves(events: tuple[Event, ...], stem: str, case: Case) -> bool:
    """Tell whether the moves that a log said of tasks stand."""
    moves, facts = FactMoved | ThreadClosed | ThreadReopened, case.facts
    tasks = [facts.get(event.id) for event in events if isinstance(event, moves)]
    return all(stem in _moves_of(fact) for fact in tasks if fact and fact.kind == TASK_KIND)


def _with_subject(log: SessionLog, case: Case) -> Amended:
    """Carry over what describes a replaced fact to what replaces it in the log."""
    pairs = [event for event in log.events if isinstance(event, FactSuperseded)]
    if not pairs or any(key in UNDO_KEYS for key, _ in case.asked.draft.header):
        return log, ()
    stands = {id: fact for id, fact in case.facts.items() if not fact.redacted}
    said = {id: {**dict(fact.meta), "kind": fact.kind} for id, fact in stands.items()}
    for event in log.events:
        if isinstance(event, FactCreated | FactUpdated):
            said[event.id] = {**said.get(event.id, {}), **dict(event.meta)}
    carried: dict[str, dict[str, str]] = {}
    for pair in pairs:
        old, new = said.get(pair.id, {}), said.get(pair.new, {})
        tasks = old.get("kind") == new.get("kind") == TASK_KIND
        for key in (*_OF_SUBJECTS, *(_OF_TASKS if tasks else ())):
            own, more = (
                [name for name in names_in(one.get(key, "")) if name not in _OF_A_KIND]
                for one in (new, old)
            )
            if own or not more:
                continue
            kept = carried.setdefault(pair.new, {})
            if key in (ENTITY_KEY, TAGS_KEY):
                names = names_in(",".join((new.get(key, ""), kept.get(key, ""), *more)))
                kept[key] = ", ".join(names)
            else:
                kept.setdefault(key, old[key])
    events = []
    for event in log.events:
        if isinstance(event, FactCreated | FactUpdated) and carried.get(event.id):
            meta = {**dict(event.meta), **carried.pop(event.id)}
            event = event._replace(meta=order_meta(tuple(meta.items())))
        events.append(event)
    return log._replace(events=tuple(events)), ()


def _kept_personal(log: SessionLog, case: Case) -> Amended:
    if is_own(case.home, case.cache.policy):
        return log._replace(events=as_personal(log.events)), ()
    refuse_personal(case.home, case.cache.policy, log.events)
    return log, ()


def _without_secrets(log: SessionLog, case: Case) -> Amended:
    privacy = case.cache.policy.privacy
    strict = case.asked.strict or privacy.secrets == "refuse"
    log = canonical(log)
    clean, found = guard(log, personal=privacy.personal, strict=strict, lines=case.asked.held)
    if not case.asked.held or clean == log:
        return clean, found
    gone = {event.id for event in clean.events if is_withheld(text_of(event))}
    events = [event for event in clean.events if gone.isdisjoint(facts_in(event))]
    title = DEFAULT_TITLE if is_withheld(clean.title) else clean.title
    return clean._replace(title=title, events=tuple(events)), found


def told_of_ends(log: SessionLog, case: Case) -> tuple[Finding, ...]:
    """Say what the writers of new facts do not expect of their ends."""
    home, repository, told = case.home, case.home.repository, list[Finding]()
    if case.asked.draft.type not in WORKING or case.asked.held or is_own(home, case.cache.policy):
        return ()
    for event in log.events:
        meta = event.meta if isinstance(event, FactCreated | FactUpdated) else ()
        if not any(key in (UNTIL_KEY, CHECK_KEY) for key, _ in meta):
            continue
        from memory.replay.broken_truth import has_code
        from memory.replay.ending_commits import is_true_now
        from projection.text.until_conditions import DATE, check_of, until_in

        words = filter(None, (dict(meta).get(UNTIL_KEY, ""), check_of(meta)))
        for until in filter(None, map(until_in, words)):
            said, hint = "", "it is seen once that was otherwise in between"
            if until.form == DATE:
                continue
            if not has_code(home) or repository.promisor or cut_commits(repository):
                said = f"{event.id}: this home knows too little of commits to see when {until.said}"
                hint = "a day, `date YYYY-MM-DD`, is seen anywhere"
            elif is_true_now(until, repository.top):
                said = f"{event.id}: {until.said} is true already"
                if until.checks:
                    said = f"the check of {event.id} fails here: {until.said}"
            told += [Finding("until-unseen", said, hint=hint)] if said else []
    return tuple(told)


#: What the log is, all as of one commit.
NAMED: tuple[Amendment, ...] = (_with_opened, _with_received)
#: What it may say.
WORDED: tuple[Amendment, ...] = (
    _with_header,
    _with_subject,
    _with_seen_versions,
    _kept_personal,
    _without_secrets,
    _without_withheld,
)


def amended(log: SessionLog, case: Case, amendments: Iterable[Amendment]) -> Amended:
    """Return a log as amendments leave it, and what they tell.

    Raises:
        DraftRefused: one of them refuses the log.
    """
    told: list[Finding] = []
    for amendment in amendments:
        log, found = amendment(log, case)
        told += found
    return log, tuple(told)
