"""List session logs as one line each, with who wrote them and when, as far as that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ledger.environment import now_ms
from ledger.model.instants import lies
from ledger.model.layout import EDITED_KEY
from ledger.model.log_names import LogRef, ahead_by_a_day, ended_of, instant_of, key_of, stamp_in
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import EDIT, SessionLog
from memory.cache.schema import IMPORT
from memory.query.log_origins import ADOPTION, Origin, Origins, origins_of, seen_at
from memory.query.visible_logs import logs_of
from memory.redaction.withheld_texts import ids_in
from memory.replay.reader_marks import Outdated, brought_by
from memory.replay.tip_snapshot import Snapshot

if TYPE_CHECKING:
    from memory.query.reader import Reader


class LogLine(Record):
    """One session log in a list. `ended` is as the log says, or its stamp; it may wait yet.

    `user` is for whom the agent worked, or what was asked for, where a log by hand says so. A log of
    somebody who judges has a `verdict`, and says in which `role` and `about` which facts.
    """

    stem: str
    agent: str
    title: str
    ended: str
    type: str
    path: str
    waiting: bool = False
    role: str = ""
    verdict: str = ""
    about: tuple[str, ...] = ()
    tokens: int = 0
    user: str = ""
    session: str = ""


def lines_of(snapshot: Snapshot, stems: Iterable[str]) -> dict[str, LogLine]:
    """Return what a list says of some logs, by stem; those that are not there are left out."""
    return {line.stem: line for line in _lines(snapshot, _refs(snapshot, sorted(stems)))}


def _refs(snapshot: Snapshot, stems: Iterable[str]) -> list[LogRef]:
    cache = snapshot.cache()
    return [ref for stem in stems if (ref := cache.log_ref(stem)) is not None]


def log_lines(
    reader: Reader, agent: str = "", since: str = "", until: str = "", limit: int = 0
) -> tuple[LogLine, ...]:
    """List session logs, newest first.

    Args:
        reader: of the home.
        agent: only of this agent.
        since: only from this time or stem on.
        until: only up to this time (a day is all of it) or stem.
        limit: at most so many, 0 for all.

    Raises:
        NotFound: a bound is neither a time nor a stem.
    """
    since, until = reader.bounds(since, until)
    chosen: list[LogRef] = []
    for ref, entry in reader.cache().entries_since(since[:10]):
        if (agent and entry.agent != agent) or not lies(entry.stem, entry.clock, since, until):
            continue
        chosen.append(ref)
        if limit and len(chosen) == limit:
            break
    return tuple(_lines(reader.snapshot, chosen))


def _lines(snapshot: Snapshot, refs: list[LogRef]) -> Iterable[LogLine]:
    waits, outdated = snapshot.waiting(), Outdated(snapshot.cache())
    when = shown_times(snapshot, refs)
    for ref, log in logs_of(snapshot, refs):
        title = outdated.line(ref.key, log.title, [*brought_by(log.events), *ids_in(log.events)])
        about: tuple[str, ...] = ()
        tokens, verdict = 0, log.get("verdict")
        if verdict:
            about = tuple(filter(None, map(str.strip, log.get("about").split(","))))
            said = log.get("tokens")
            tokens = int(said) if said.isascii() and said.isdigit() and len(said) < 16 else 0
        yield LogLine(
            ref.stem, log.get("agent"), title, when(ref, log), log.type, ref.path,
            ref.key in waits, log.get("role"), verdict, about, tokens, log.get("user"),
            log.get("session"),
        )  # fmt: skip


def writers(
    snapshot: Snapshot, stems: Iterable[str], kept: Origins | None = None
) -> dict[str, Origin]:
    """Return who wrote each of some logs, by stem; none of a log that no commit has yet."""
    refs = _refs(snapshot, stems)
    brought = origins_of(snapshot.home, refs, kept)
    refs = [ref for ref in refs if ref.path in brought]
    found = {ref.stem: brought[ref.path] for ref in refs}
    # of all others the header says nothing of who wrote them (`told_by`), so it is not read
    cache = snapshot.cache()
    telling = [ref for ref in refs if (of := cache.entry(ref.key)) and of.type in (IMPORT, EDIT)]
    for ref, log in logs_of(snapshot, telling):
        found[ref.stem] = told_by(log.header, brought[ref.path])
    return found


def told_by(header: Iterable[tuple[str, str]], brought: Origin) -> Origin:
    """Return where the words of a log come from: from the commit that its header tells of, where it does.

    That is one of an adopted ledger's past (FORMAT.md, O6), or one in which a person edited a page (A9).
    Of any other log the header says at which commit of the code somebody worked.
    """
    said = dict(header)
    commit, kind = said.get("commit", ""), said.get("type", "")
    edited = kind == EDIT and EDITED_KEY in said and "branch" not in said
    if commit and (edited or (kind == IMPORT and "source" not in said)):
        return Origin(commit, said.get("agent", ""), ADOPTION if kind == IMPORT else brought.via)
    return brought


def shown_times(
    snapshot: Snapshot, refs: Iterable[LogRef], brought: Mapping[str, Origin] | None = None
) -> Callable[[LogRef, SessionLog], str]:
    """Return what tells when a log ended, as far as that is known (`seen_at`).

    `brought` is which commits brought the logs, where that was asked already.
    """
    now = now_ms()
    far = [ref for ref in refs if ahead_by_a_day(ref.stem, now)]
    if brought is None:
        brought = origins_of(snapshot.home, far)

    def shown(ref: LogRef, log: SessionLog) -> str:
        said = ended_at(ref.stem, log)
        stamp = stamp_in(said) or key_of(ref.stem)
        seen = seen_at(stamp, brought.get(ref.path, Origin()), now)
        return said if seen == stamp else seen and ended_of(seen)

    return shown


def ended_at(stem: str, log: SessionLog) -> str:
    """Return when a session ended: as its log says, else its stamp."""
    return log.get("ended") or instant_of(stem)
