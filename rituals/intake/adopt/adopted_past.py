"""Bring the past of a ledger: what its pages said before, by the commits that wrote them.

Each commit that changed a text becomes one `import` log at its time, by its author. It counts for nothing
but the texts: no session, no use, no tier of today. Where git has no version of the pages there is none.
Text without a footer has no past: nothing tells which text of another day it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ledger.model.event import Event, FactArchived, FactCreated, FactUpdated, FactVerified
from ledger.model.findings import Finding
from ledger.model.order import stamp_of, stem_in
from ledger.model.record import Record
from ledger.model.session import Entry, SessionLog
from ledger.secrets.log_redaction import guard
from projection.brief.single_line import shortened
from rituals.intake.adopt import adopted_files
from rituals.intake.adopt.adoption_source import Ground
from rituals.intake.adopt.import_logs import Said
from rituals.intake.adopt.page_pieces import PageReader
from rituals.intake.adopt.page_versions import PageCommit, page_commits, versions
from rituals.intake.adopt.past_texts import Past, past_of
from rituals.intake.adopt.read_facts import ARCHIVED, LIVE, FactPage, ImportedFact
from rituals.intake.adopt.review_dates import CHECK, Held, confirmed, held_by, held_in
from rituals.intake.stored_facts import Brought, parts

_TITLE_CHARS = 100


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
    known: dict[str, ImportedFact] = {}
    for fact in today:
        known.setdefault(fact.id, fact)
    commits, findings = page_commits(ground)
    pages = _Pages()
    blobs: dict[str, list[str]] = {}
    for commit in commits:
        for file, blob in commit.files:
            if file not in blobs.setdefault(blob, []):
                blobs[blob].append(file)
    missing: set[str] = set()
    for number, (blob, data) in enumerate(versions(ground, commits)):
        if progress is not None and number % 16 == 0:
            progress(number, len(blobs))
        if data is None:
            missing.add(blob)
            continue
        for file in blobs[blob]:
            pages.read(file, blob, data)
    if missing:  # a page that is not there says nothing, and least of all that its facts are gone
        whole = [one for one in commits if missing.isdisjoint([blob for _, blob in one.files])]
        told = f"{len(commits) - len(whole)} commits have pages that this clone lacks; they are left out"
        findings = (*findings, Finding("history-cut", told, adopted_files.CONTINUITY))
        commits = tuple(whole)
    facts_in = {commit.id: pages.facts(commit.files) for commit in commits}
    past = past_of(commits, facts_in, known, said)
    logs = [log for commit, events in past.logs for log in _of_commit(commit, events)]
    held = held_by(memory.logs) + pages.held + held_in(adopted_files.text_of(memory.continuity))
    agents = {stem_in(entry.stem): entry.agent for entry in entries}
    logs += _of_rituals(held, list(known.values()), agents)
    logs.sort(key=_by_time)
    last = {id: entry.stem for entry in entries if entry.uses for id in entry.named}
    away = [
        id
        for id in past.standing
        if id not in known
        and (id not in past.gone or last.get(id, "") > stamp_of(past.gone[id].at_ms))
    ]
    return Recalled(tuple(logs), past, tuple([FactArchived(id) for id in sorted(away)]), findings)


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


class _Pages:
    """The facts of each version of each page."""

    def __init__(self) -> None:
        self._readers: dict[str, PageReader] = {}
        self._facts: dict[tuple[str, str], list[ImportedFact]] = {}
        self.held: list[Held] = []

    def read(self, file: str, blob: str, data: bytes) -> None:
        """Read one version of one page."""
        if file == adopted_files.ARCHIVE_INDEX:
            return
        if file.startswith(adopted_files.THREADS + "/"):
            found = FactPage(file, data, LIVE, []).thread()
        elif file == adopted_files.VISION:
            found = FactPage(file, data, LIVE, []).facts()
        else:
            state = LIVE if file == adopted_files.CONTINUITY else ARCHIVED
            found = self._readers.setdefault(file, PageReader(file, state)).facts(data)
        if file == adopted_files.CONTINUITY:
            self.held += held_in(adopted_files.text_of(data))
        self._facts[file, blob] = found

    def facts(self, files: Iterable[tuple[str, str]]) -> dict[str, ImportedFact]:
        """Return the facts of some pages; of several with one id that counts which stands first."""
        found: dict[str, ImportedFact] = {}
        for file, blob in sorted(files, key=_by_place):
            for fact in self._facts.get((file, blob), ()):
                found.setdefault(fact.id, fact)
        return found


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


def _by_time(log: PastLog) -> int:
    return log.at_ms
