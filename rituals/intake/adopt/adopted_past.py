"""Bring the past of a ledger: what its pages said before, by the commits that wrote them.

Each commit that changed a text becomes one `import` log at its time, by its author. It counts for nothing
but the texts: no session, no use, no tier of today. Where git has no version of the pages there is none.
Text without a footer has no past: nothing tells which text of another day it is.

What a commit says is what its pages have and those of none of its parents do: a text is new with it, or
reworded. Where its parents disagree, the commit says which text holds. A fact that no page has any more
was taken out by the last commit that had it to take out. All facts bear the footers that they have today.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from ledger.errors import DraftRefused
from ledger.model.event import (
    Event,
    FactArchived,
    FactCreated,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.findings import Finding
from ledger.model.order import has_time, is_date, is_stem, milliseconds_of, stamp_of, stem_in
from ledger.model.record import Record
from ledger.model.session import Entry, SessionLog
from ledger.secrets.log_redaction import guard
from projection.brief.single_line import shortened
from projection.policy.model import BUILT_IN_KINDS
from rituals.intake.adopt import adopted_files
from rituals.intake.adopt.adopted_files import CONTINUITY, SESSIONS, text_of
from rituals.intake.adopt.adoption_source import Ground
from rituals.intake.adopt.import_logs import Said, Standing, birth_of, kind_of, of_kind
from rituals.intake.adopt.page_versions import PageCommit, PageReader, page_commits, versions
from rituals.intake.adopt.read_facts import ImportedFact
from rituals.intake.stored_facts import Brought, parts

_TITLE_CHARS = 100
Facts = Mapping[str, ImportedFact]
REVIEW, CHECK = "last_review", "last_invariant_check"
_LINE = re.compile(
    r"^[-*+][ ]+\**(last_review|last_invariant_check)(?::\**|\**:)[ \t]*([^\n]+)", re.M
)
_STEM = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{6}\b")
_SECTION = b"\n## Memory Review"
#: The heading, and the lines below it in which the window of the review is told.
_REVIEWED = re.compile(r"^## (Memory Review\b[^\n]*)(?:\n[^#\n][^\n]*|\n){0,6}", re.M)
_THROUGH = re.compile(r"\bthrough\s+`?([0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{6})\b")
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+")
_DAY_MS = 86_400_000
_LASTING = frozenset(kind.name for kind in BUILT_IN_KINDS if not kind.decays)
_NOTE_CHARS = 2_000


class PastLog(Record):
    """A log to be written into the past."""

    at_ms: int  #: its time, milliseconds since 1970
    agent: str  #: who wrote what it says, "" for whoever adopts
    type: str  #: of the log
    title: str  #: of the log
    prose: str  #: of the log
    events: tuple[Event, ...]  #: of the log
    commit: str = ""  #: that it was read from, "" for none


class Recalled(Record):
    """What was read of the past."""

    logs: tuple[PastLog, ...]  #: in time
    past: Past  #: what they leave
    #: what has to be said today: a fact that no page has any more is away, also where no commit
    #: took it out, or a log named it since
    again: tuple[Event, ...]
    findings: tuple[Finding, ...]  #: what was noticed


def recall_past(
    memory: adopted_files.AgentMemory,
    ground: Ground,
    today: Sequence[ImportedFact],
    said: Said,
    entries: Sequence[Entry],
    progress: Callable[[int, int], None] | None,
) -> Recalled:
    """Read the past of a ledger.

    Of several facts of `today` with one id the first counts; `progress` is told how many of how many
    versions are read.
    """
    known = _by_id(today)
    commits, findings = page_commits(ground)
    reader, missing = PageReader(), set[str]()
    read: dict[tuple[str, str], list[ImportedFact]] = {}
    held = held_by(memory.logs) + held_in(adopted_files.text_of(memory.continuity))
    blobs: dict[str, list[str]] = {}
    for commit in commits:
        for file, blob in commit.files:
            if file not in blobs.setdefault(blob, []):
                blobs[blob].append(file)
    for number, (blob, data) in enumerate(versions(ground, commits)):
        if progress is not None and number % 16 == 0:
            progress(number, len(blobs))
        if data is None:
            missing.add(blob)
            continue
        for file in blobs[blob]:
            read[file, blob] = reader.facts(file, data)
            if file == adopted_files.CONTINUITY:
                held += held_in(adopted_files.text_of(data))
    if missing:  # a page that is not there says nothing, and least of all that its facts are gone
        whole = [one for one in commits if missing.isdisjoint([blob for _, blob in one.files])]
        told = f"{len(commits) - len(whole)} commits have pages that this clone lacks; they are left out"
        findings = (*findings, Finding("history-cut", told, adopted_files.CONTINUITY))
        commits = tuple(whole)
    facts_in = {
        commit.id: _by_id(
            [fact for row in sorted(commit.files, key=_by_place) for fact in read[row]]
        )
        for commit in commits
    }
    past = past_of(commits, facts_in, known, said)
    logs = [log for commit, events in past.logs for log in _of_commit(commit, events)]
    agents = {stem_in(entry.stem): entry.agent for entry in entries}
    logs += _of_rituals(held, list(known.values()), agents)
    logs.sort(key=lambda log: log.at_ms)
    last = {id: entry.stem for entry in entries if entry.uses for id in entry.named}
    away = [
        id
        for id in past.standing
        if id not in known
        and (id not in past.gone or last.get(id, "") > stamp_of(past.gone[id].at_ms))
    ]
    return Recalled(tuple(logs), past, tuple([FactArchived(id) for id in sorted(away)]), findings)


def _by_id(facts: Iterable[ImportedFact]) -> dict[str, ImportedFact]:
    """Return facts by their ids; of several with one id that counts which stands first."""
    found: dict[str, ImportedFact] = {}
    for fact in facts:
        found.setdefault(fact.id, fact)
    return found


def guarded_past(
    logs: Sequence[PastLog], personal: str
) -> tuple[tuple[PastLog, ...], list[Finding]]:
    """Redact the secrets that the past held; each is said once."""
    kept: list[PastLog] = []
    said: dict[str, Finding] = {}
    for log in logs:
        clean, found = guard(
            SessionLog((("agent", log.agent),), log.title, log.prose, log.events), personal=personal
        )
        agent = clean.get("agent")
        kept.append(log._replace(
            agent=agent, title=clean.title, prose=clean.prose, events=clean.events
        ))  # fmt: skip
        for finding in found:
            said.setdefault(f"{finding.code} {finding.message}", finding)
    return tuple(kept), list(said.values())


def _by_place(row: tuple[str, str]) -> tuple[int, str]:
    """Order pages as they are read today: what lives, the vision, threads, the archive."""
    folders = (
        adopted_files.CONTINUITY,
        adopted_files.VISION,
        adopted_files.THREADS,
        adopted_files.ARCHIVE,
    )
    return folders.index(row[0].partition("/")[0]), row[0]


def _of_commit(commit: PageCommit, events: Sequence[Event]) -> list[PastLog]:
    """Write the logs of a commit; more than one where it says more than one log holds."""
    texts = [Brought(one) for one in events if isinstance(one, FactCreated | FactUpdated)]
    others = [one for one in events if not isinstance(one, FactCreated | FactUpdated)]
    groups: list[list[Event]] = parts(texts, others) or [[]]
    title = shortened(_plain(commit.subject), _TITLE_CHARS)
    return [
        PastLog(
            commit.at_ms, _plain(commit.author), "import", title or "A commit of the pages", "",
            tuple(group), commit.id[:12],
        )
        for group in groups
    ]  # fmt: skip


def _plain(text: str) -> str:
    """Return a text of git's without what no header or title may hold."""
    return " ".join("".join([char if char.isprintable() else " " for char in text]).split())


def _of_rituals(
    held: Iterable[Held], facts: Sequence[ImportedFact], agents: dict[str, str]
) -> list[PastLog]:
    """Write the logs of reviews and checks that the pages tell of, each once."""
    found: dict[tuple[str, int], PastLog] = {}
    for one in held:
        agent = _plain(agents.get(one.through, ""))
        prose = f"{one.place} says: {_plain(one.note)}"
        if one.what == CHECK:
            events = tuple([FactVerified(id) for id in confirmed(one, facts)])
            log = PastLog(one.at_ms, agent, "import", "Invariants were confirmed", prose, events)
        else:
            log = PastLog(one.at_ms, agent, "review", "A review was held", prose, ())
        if log.events or log.type == "review":
            found[one.what, one.at_ms] = log
    return list(found.values())


class Past(Record):
    """What the commits say of facts."""

    #: a commit and its events, in the order of the commits; none without events
    logs: tuple[tuple[PageCommit, tuple[Event, ...]], ...]
    standing: Mapping[str, Standing]  #: what stands at the end, by fact
    #: the commits that took out the facts which no page has any more, by fact
    gone: Mapping[str, PageCommit]


class _Walk:
    """The facts as the commits so far leave them."""

    def __init__(self, today: Facts, said: Said) -> None:
        self.today, self.said = today, said
        self.standing: dict[str, Standing] = {}
        self.raw: dict[str, str] = {}
        self.gone: dict[str, PageCommit] = {}

    def events(self, commit: PageCommit, here: Facts, before: Sequence[Facts]) -> list[Event]:
        """Return what a commit says, of each fact once."""
        found: list[Event] = []
        for id, fact in here.items():
            self.gone.pop(id, None)
            olds = {_told(facts[id]) for facts in before if id in facts}
            if olds != {_told(fact)}:
                found += self._said(id, fact)
        self.gone.update({id: commit for facts in before for id in facts if id not in here})
        return found

    def _said(self, id: str, fact: ImportedFact) -> list[Event]:
        known = self.standing.get(id)
        if known is not None and (self.raw[id], known.kind, known.mark) == _told(fact):
            return []
        now = None if known else self.today.get(id)
        try:
            event = birth_of(fact, self.said, [])
            meta = birth_of(now, self.said, []).meta if now else event.meta
        except DraftRefused:  # no log can hold it; what stands today is looked at elsewhere
            return []
        text, kind = event.text or "", kind_of(event)
        mark = event.mark or (known.mark if known else "")  # the box that it last had
        self.raw[id], self.standing[id] = fact.text, Standing(text, mark, kind)
        if known is None:
            return [event._replace(meta=of_kind(kind, meta))]
        found: list[Event] = []
        if kind != known.kind:
            found.append(FactUpdated(id, text, meta=(("kind", kind),)))
        elif text != known.text:
            found.append(FactUpdated(id, text))
        if event.mark and event.mark != (known.mark or " ") and id not in self.said.closed:
            found.append(ThreadClosed(id) if event.mark == "x" else ThreadReopened(id))
        return found


def _told(fact: ImportedFact) -> tuple[str, str, str]:
    return fact.text, fact.kind, fact.mark


def past_of(
    commits: Iterable[PageCommit], facts_in: Mapping[str, Facts], today: Facts, said: Said
) -> Past:
    """Return what the commits say.

    `commits` come with parents before children; `facts_in` has the facts of the pages of each commit, by
    commit; `today` has those of the pages in the work tree.
    """
    walk = _Walk(today, said)
    logs: list[tuple[PageCommit, list[Event]]] = []
    for commit in commits:
        before = [facts_in[one] for one in commit.parents if one in facts_in]
        logs.append((commit, walk.events(commit, facts_in[commit.id], before)))
    gone = {id: commit for id, commit in walk.gone.items() if id not in today}
    for commit, events in logs:
        events += [FactArchived(id) for id, last in sorted(gone.items()) if last == commit]
    kept = tuple([(commit, tuple(events)) for commit, events in logs if events])
    return Past(kept, walk.standing, gone)


class Held(Record):
    """A review or a check of invariants that a page tells of."""

    what: str  #: `REVIEW` or `CHECK`
    at_ms: int  #: right behind the log that it was done through, or the end of its day
    through: str  #: the stem of that log, "" where nothing says
    note: str  #: what says so, as it stands
    place: str  #: the file where it stands


def held_in(page: str) -> list[Held]:
    """Read the lines of a page that tell of a review or a check."""
    found = []
    for match in _LINE.finditer(page):
        what, note = match[1], match[2].strip()[:_NOTE_CHARS]
        stem = _STEM.search(note)
        if stem and is_stem(stem[0]):
            found.append(Held(what, milliseconds_of(stem[0]) + 1, stem[0], note, CONTINUITY))
        elif is_date(note[:10]):
            end = milliseconds_of(note[:10]) + _DAY_MS - 1
            found.append(Held(what, end, "", note, CONTINUITY))
    return found


def held_by(logs: Iterable[tuple[str, bytes]]) -> list[Held]:
    """Read the reviews that session logs tell of: through the log that one names, else through itself."""
    found = []
    for stem, data in logs:
        if _SECTION not in data or not (is_stem(stem) and has_time(stem)):
            continue
        match = _REVIEWED.search(text_of(data))
        if match:
            named = _THROUGH.search(match[0])
            through = named[1] if named and is_stem(named[1]) and named[1] <= stem else stem
            note = match[1].strip()[:_NOTE_CHARS]
            place = f"{SESSIONS}/{stem}.md"
            found.append(Held(REVIEW, milliseconds_of(through) + 1, through, note, place))
    return found


def confirmed(held: Held, facts: Iterable[ImportedFact]) -> list[str]:
    """Return what a check confirmed: the facts that its line names, else all that never decay by then."""
    known = {fact.id: fact for fact in facts}
    named = [id for id in dict.fromkeys(_ID.findall(held.note)) if id in known]
    if named:
        return named
    return sorted(
        id
        for id, fact in known.items()
        if (fact.tier == "core" or fact.kind in _LASTING) and fact.created <= held.note[:10]
    )
