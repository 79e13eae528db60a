"""Amend a log on its way from a draft to its seal: a list of questions, each asked once, in this order.

An amendment is `(log, case) -> (log, findings)`: it may change the log, tell of it, or refuse it. One of
them closes the handoffs that reach their receiver with it (W16).
"""

from __future__ import annotations

import os

from ledger.git.repository import head, is_shallow
from ledger.git.work_tree import is_dirty
from ledger.home import OWN_BRANCH, OWN_REPOSITORY, Home
from ledger.model.event import (
    RECEIVED,
    FactCreated,
    FactMoved,
    FactReferenced,
    FactUpdated,
    ThreadClosed,
    facts_in,
)
from ledger.model.findings import Finding
from ledger.model.order import stem_in
from ledger.model.session import (
    BY_KEY,
    CHECK_KEY,
    DEFAULT_TITLE,
    UNTIL_KEY,
    WORK,
    WORKING,
    SessionLog,
)
from ledger.model.verbs import CLOSING, IN_PROGRESS
from ledger.secrets.log_redaction import guard, is_withheld
from memory.cache.head_store import has_code
from memory.cache.schema import PINNED
from memory.write.birth_footers import check_evidence, check_footers
from memory.write.draft import text_of
from memory.write.filled_events import with_seen_versions, with_subject
from memory.write.kept_out import as_personal, is_own, refuse_personal, without_withheld
from memory.write.known_ids import check_named, with_whole_ids
from memory.write.opened_facts import with_opened
from projection.policy.model import HANDOFF_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memory.cache.cache_file import Cache
    from memory.write.draft import Case
    from projection.text.until_conditions import Until
    from projection.work.handoffs import Handoff

    Amendment = Callable[[SessionLog, Case], tuple[SessionLog, tuple[Finding, ...]]]


#: How many texts of one log, and files of one text, are looked at.
_TEXTS, _FILES = 50, 8


def doubtful(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Say what is doubtful in the new facts of a log of work that somebody asked for."""
    home = case.home
    if log.type not in WORKING or case.asked.held or is_own(home, case.cache.policy):
        return log, ()
    texts = [
        (event.id, event.text)
        for event in log.events
        if isinstance(event, FactCreated | FactUpdated) and event.text
    ]
    doubts = [one for id, text in texts[:_TEXTS] for one in _of_text(home, id, text)]
    return log, (*doubts, *_ends_told(home, log))


def _of_text(home: Home, id: str, text: str) -> Iterator[Finding]:
    if "/" in text and home.kind != OWN_REPOSITORY:
        for path in _lacking(home, text):
            hint = "paths begin at the top of the repository; what is not written yet may be left as it is"
            yield Finding("no-such-file", f"{id} names {path}, which is not there", hint=hint)


def _lacking(home: Home, text: str) -> list[str]:
    """Return the files that a text names and neither work tree nor index has, at any depth."""
    from projection.text.claims import PATH, claims

    top = home.repository.top
    named = dict.fromkeys(
        one.subject
        for one in claims(text)
        if one.kind == PATH and "/" in one.subject[1:] and one.subject[0] != "."
    )
    away = [one for one in named if not os.path.lexists(f"{top}/{one}")][:_FILES]
    if not away:
        return []
    specs = [f":(top,glob)**/{_literal(one)}" for one in away]
    status, out, _ = home.repository.git().call("ls-files", "-z", "--", *specs)
    there = _known(out.decode("utf-8", "surrogateescape").split("\0"), away)
    return [] if status else [one for one in away if one not in there]


def _literal(path: str) -> str:
    return "".join(f"\\{char}" if char in "*?[\\" else char for char in path)


def _known(paths: Iterable[str], asked: list[str]) -> set[str]:
    return {one for path in paths for one in asked if path == one or path.endswith(f"/{one}")}


def _ends_told(home: Home, log: SessionLog) -> Iterator[Finding]:
    """Yield what the writers of new facts do not expect of their ends."""
    for event in log.events:
        meta = event.meta if isinstance(event, FactCreated | FactUpdated) else ()
        said = dict(meta)
        if not (UNTIL_KEY in said or CHECK_KEY in said):
            continue
        from projection.text.until_conditions import DATE, check_of, until_in

        words = (said.get(UNTIL_KEY, ""), check_of(meta))
        for until in filter(None, map(until_in, filter(None, words))):
            if until.form != DATE:
                yield from _end_told(home, event.id, until)


def _end_told(home: Home, fact: str, until: Until) -> Iterator[Finding]:
    from memory.cache.ending_commits import is_true_now

    repository = home.repository
    if not has_code(home) or repository.promisor or is_shallow(repository):
        message = f"{fact}: this home knows too little of commits to see when {until.said}"
        yield Finding("until-unseen", message, hint="a day, `date YYYY-MM-DD`, is seen anywhere")
    elif is_true_now(until, repository.top):
        if until.checks:
            message, hint = (
                f"the check of {fact} fails here: {until.said}",
                "paths begin at the top",
            )
        else:
            message = f"{fact}: {until.said} is true already"
            hint = "it is seen once that was otherwise in between"
        yield Finding("until-unseen", message, hint=hint)


#: Who moves a task there has taken it: nobody else will.
_TAKING = CLOSING | {IN_PROGRESS}
_HEADER_ORDER = ("role", "host", "model", "session", "started")
_FILLED = ("agent", "ended", "after", "type", *_HEADER_ORDER, "branch", "commit", "dirty")


def with_header(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Fill in what the draft leaves open of the header."""
    draft, home, occasion = case.asked.draft, case.home, case.asked.occasion
    given = dict(draft.header)
    values = {"agent": case.asked.agent}
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
    return log._replace(header=header + extra), ()


def _kept_personal(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    if is_own(case.home, case.cache.policy):
        return log._replace(events=as_personal(log.events)), ()
    refuse_personal(case.home, case.cache.policy, log.events)
    return log, ()


def _without_secrets(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    privacy = case.cache.policy.privacy
    strict = case.asked.strict or privacy.secrets == "refuse"
    clean, found = guard(log, personal=privacy.personal, strict=strict, lines=case.asked.held)
    if not case.asked.held or clean == log:
        return clean, found
    gone = {event.id for event in clean.events if is_withheld(text_of(event))}
    events = [event for event in clean.events if gone.isdisjoint(facts_in(event))]
    title = DEFAULT_TITLE if is_withheld(clean.title) else clean.title
    return clean._replace(title=title, events=tuple(events)), found


def with_received(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Let a log close the handoffs that its writer receives: named in `to`, or taking the task (W16).

    What the draft does to a handoff itself stands.
    """
    draft, cache = case.asked.draft, case.cache
    if draft.type not in WORKING or not _any_open(cache):
        return log, ()
    from memory.cache.cached_tasks import handoffs_in  # most logs do without
    from projection.work.handoffs import open_handoffs

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

    def arrives(handoff: Handoff) -> bool:
        if not handoff.to:
            return any(id in taken or _took(cache, id, agent, handoff) for id in handoff.tasks)
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


def _any_open(cache: Cache) -> bool:
    """Tell whether any handoff waits for somebody."""
    question = "SELECT 1 FROM facts WHERE kind = ? AND state = ? LIMIT 1"
    return cache.row(question, (HANDOFF_KIND, PINNED)) is not None


def _took(cache: Cache, task: str, agent: str, handoff: Handoff) -> bool:
    """Tell whether an agent took a task behind a handoff, with a log that could not close it."""
    fact = cache.fact(task)
    return fact is not None and any(
        move.state in _TAKING and move.agent == agent and move.stem > handoff.standing.fact.origin
        for move in fact.moves
    )


#: What the log is, all as of one commit.
NAMED: tuple[Amendment, ...] = (with_whole_ids, with_opened, with_received)
#: What it may say.
WORDED: tuple[Amendment, ...] = (
    with_header,
    with_subject,
    with_seen_versions,
    _kept_personal,
    _without_secrets,
    without_withheld,
)
#: What it can mean, once it has a name.
MEANT: tuple[Amendment, ...] = (check_footers, doubtful, check_named, check_evidence)


def amended(
    log: SessionLog, case: Case, amendments: Iterable[Amendment]
) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Return a log as amendments leave it, and what they tell.

    Raises:
        DraftRefused: one of them refuses the log.
    """
    told: list[Finding] = []
    for amendment in amendments:
        log, found = amendment(log, case)
        told += found
    return log, tuple(told)
