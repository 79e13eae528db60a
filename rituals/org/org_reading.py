"""Read one ledger into its rows: fetch it, let the library fold it, and write what differs."""

from __future__ import annotations

from hashlib import sha1

from ledger.codec.log import decode
from ledger.codec.plain_text import text_of
from ledger.environment import monotonic
from ledger.errors import DiurnaError
from ledger.git.pygit2_store import Store
from ledger.heavy_work import Uncollected
from ledger.model.layout import CACHE_VERSION
from ledger.model.order import is_sealed
from ledger.model.record import Record
from ledger.model.session import LOG_LIMIT_BYTES
from memory.query.origins import Origin, Origins, all_origins
from memory.query.provenance import ended_at
from memory.query.reader import Reader
from memory.redaction.withheld_texts import named_in, redacted_logs, shown, without_words
from memory.replay.reader_marks import NOTHING_MARKED
from rituals.answers.json_objects import described
from rituals.org.org_database import copy_in
from rituals.org.org_jobs import Fenced, Job, finish, wish
from rituals.org.org_mirror import Fetched, fetched, forget
from rituals.org.org_rows import FactRows, LogRows, Stems, event_rows, fact_rows, links_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ledger.model.logset import LogRef
    from ledger.model.session import Entry, SessionLog
    from memory.cache.cache_file import Cache
    from projection.fold.full_replay import State
    from rituals.org.org_database import Connection

    Marks = Mapping[str, bytes]

#: The rows are made by the library and by this module: where either differs, all of them are made again.
LIBRARY = f"{CACHE_VERSION}.2"
LOGS_MOST = 100_000
_AUTHOR_CHARS = 200
#: The tables of a ledger's rows: each with the column by which a row goes when its log or fact does.
_OF_LOGS, _OF_FACTS = (("event", "stem"), ("log", "stem")), (
    ("link", "fact"), ("version", "fact"), ("fact", "id"),
)  # fmt: skip
TABLES = tuple([table for table, _ in _OF_LOGS + _OF_FACTS])


class TooLarge(DiurnaError):
    """A ledger has more logs than are read."""


class Personal(DiurnaError):
    """A home is a person's own: no row is made of it."""


class Copy(DiurnaError):
    """A fork has the logs of another ledger, which is read."""


class Moved(DiurnaError):
    """A ledger has other readers since its reading began."""


class Done(Record):
    """What one reading did; the parts are in seconds."""

    changed: bool = False
    logs: int = 0  #: rows written
    facts: int = 0
    bytes: int = 0
    fetch: float = 0.0
    fold: float = 0.0
    rows: float = 0.0
    write: float = 0.0


class _Rows(Record):
    """What is to be written of a ledger, and what goes: keys of logs and of facts."""

    logs: list[LogRows]
    facts: list[FactRows]
    gone_logs: list[str]
    gone_facts: list[str]
    walked: str
    chars: int  #: of the texts of all facts
    root: str
    rewritten: bool
    words: list[str | None]


def carry_out(base: Connection[Any], job: Job, mirrors: str, stems: Stems) -> Done:
    """Do what a job asks for: read a ledger, make its rows anew, or forget it.

    Raises:
        DiurnaError: it can not be read; nothing of it changed.
        Fenced: another worker has the job by now; nothing of it changed.
    """
    if job.wish == "forget":
        return _forget(base, job, mirrors)
    if job.wish == "rebuild":
        forget(mirrors, job.ledger)
    started = monotonic()
    with fetched(mirrors, job.ledger, job.url, job.branch) as found:
        at = monotonic()
        if (found.tip, job.library, job.wish) == (job.tip, LIBRARY, "read"):
            with base.transaction():
                finish(base, job, changed=False)
            return Done(fetch=at - started)
        reader = Reader(found.home)
        try:
            with Uncollected():
                return _read(base, job, found, reader, stems)._replace(fetch=at - started)
        finally:
            reader.close()


def _read(base: Connection[Any], job: Job, found: Fetched, reader: Reader, stems: Stems) -> Done:
    """Bring the rows of a ledger to the tip that was fetched."""
    begun = monotonic()
    refs, _ = reader.snapshot.tip.list_logs(found.tip)
    if len(refs) > LOGS_MOST:
        raise TooLarge(f"it has {len(refs)} logs, and {LOGS_MOST} are read at most")
    state, cache = reader.state(), reader.cache()
    if state.policy.personal:
        with base.transaction():
            _empty(base, job, _hold(base, job))
        raise Personal("it is a personal home")
    folded = monotonic()
    anew = job.wish == "rebuild" or job.library != LIBRARY
    follows = ("merge-base", "--is-ancestor", job.tip, found.tip)
    moved = bool(job.tip) and job.tip != found.tip
    rewritten = moved and bool(reader.home.repository.git().call(*follows)[0])
    rows = _differing(base, job, reader, state, cache, anew)
    rows = rows._replace(words=stems.words(rows.facts))
    made = monotonic()
    root = min([(ref.key, ref.blob) for ref in refs], default=("", ""))[1]
    rows = rows._replace(root=root, rewritten=rewritten)
    size = _store(base, job, found, state, rows, anew=anew)
    return Done(
        True,
        len(rows.logs),
        len(rows.facts),
        size,
        0.0,
        folded - begun,
        made - folded,
        monotonic() - made,
    )


def _store(
    base: Connection[Any],
    job: Job,
    found: Fetched,
    state: State,
    rows: _Rows,
    *,
    anew: bool,
) -> int:
    """Write what is new of a ledger, and that it is read; return how many bytes were written.

    Raises:
        Fenced: another worker has the job by now.
        Moved: it has other readers since its reading began.
        Copy: it is a fork of another ledger; it has no rows now.
    """
    with base.transaction():
        shelf = _hold(base, job)
        if shelf != job.shelf:
            raise Moved("it has other readers now")
        base.execute("SELECT pg_advisory_xact_lock(7876, hashtext(%s))", (rows.root,))
        original = base.execute(
            "SELECT o.id FROM org.ledger o, org.ledger l WHERE l.id = %s AND l.fork AND o.root = %s"
            " AND o.root <> '' AND o.id <> l.id AND o.tip <> '' ORDER BY o.fork LIMIT 1",
            (job.ledger, rows.root),
        ).fetchone()
        if original:
            _empty(base, job, shelf)
            set_to = "UPDATE org.ledger SET same_as=%s WHERE id=%s"
            base.execute(set_to, (original[0], job.ledger))
        else:
            size = _write(base, shelf, job.ledger, rows, anew)
            base.execute(
                "UPDATE org.ledger SET branch=%s, prefix=%s, project=%s, tip=%s, digest=%s, library=%s,"
                " logs=%s, facts=%s, chars=%s, walked=%s, root=%s, rewrites=rewrites+%s,"
                " same_as=NULL, read_at=now() WHERE id=%s",
                (found.branch, found.home.prefix, state.policy.project, found.tip, state.summary.digest,
                 LIBRARY, state.summary.logs, len(state), rows.chars, rows.walked, rows.root,
                 int(rows.rewritten), job.ledger),
            )  # fmt: skip
            finish(base, job, changed=True)
    if original:
        raise Copy("it is a fork of a ledger that is read")
    forks = base.execute(  # that were read before it was
        "UPDATE org.ledger f SET library='' FROM org.ledger l WHERE l.id = %s AND NOT l.fork AND f.fork"
        " AND f.root = %s AND f.root <> '' AND f.tip <> '' RETURNING f.id",
        (job.ledger, rows.root),
    ).fetchall()
    if forks:
        wish(base, [row[0] for row in forks])
    return size


def _empty(base: Connection[Any], job: Job, shelf: int) -> None:
    """Take all rows of a ledger out, and say that it has none."""
    _clear(base, shelf, job.ledger)
    base.execute("UPDATE org.ledger SET tip='', logs=0, facts=0 WHERE id=%s", (job.ledger,))


def _differing(
    base: Connection[Any], job: Job, reader: Reader, state: State, cache: Cache, anew: bool
) -> _Rows:
    """Make the rows that the database does not have as they are."""
    logs: Marks = {} if anew else _marks(base, "log", "stem", job)
    facts: Marks = {} if anew else _marks(base, "fact", "id", job)
    brought = _brought(base, job, reader, cache, anew)
    kept, new = rows_of_logs(reader, cache, logs, brought.commits)
    made = rows_of_facts(cache, state)
    known = {one.key for one in made}
    changed = [one for one in made if facts.get(one.key) != one.mark]
    replaced = {one.key for one in changed}
    return _Rows(
        new,
        changed,
        [key for key in logs if key not in kept],
        [key for key in facts if key not in known or key in replaced],
        "" if brought.gone else brought.tip,
        sum([len(one.standing.fact.text) for one in made]),
        "",
        False,
        [],
    )


def _brought(base: Connection[Any], job: Job, reader: Reader, cache: Cache, anew: bool) -> Origins:
    """Say which commit brought each log, on from what the rows say where no log was ever taken away."""
    home, refs = reader.home, list(cache.log_refs())
    asked = "SELECT l.walked, g.stem, g.commit, g.author, g.path FROM org.ledger l"
    asked += f" JOIN org.log_{job.shelf} g ON g.ledger = l.id"
    asked += " WHERE l.id = %s AND l.walked <> '' AND g.commit <> ''"
    rows = [] if anew else base.execute(asked.encode(), (job.ledger,)).fetchall()
    paths = {ref.key: ref.path for ref in refs} if rows else {}
    known: dict[str, Origin] = {}
    for _, stem, commit, author, then in rows:
        path = paths.get(stem, stem)  # one that is gone has no path now
        known[path] = Origin(commit, author, path=then.removeprefix(home.prefix + path))
    kept = Origins(rows[0][0], known) if rows else None
    return all_origins(home, cache.commit, refs, kept)


def rows_of_facts(cache: Cache, state: State) -> list[FactRows]:
    """Make the rows of all facts of a ledger."""
    standings = state.standings()
    objects = described(cache, state, standings, NOTHING_MARKED)
    return [fact_rows(*two) for two in zip(standings, objects, strict=True)]


def rows_of_logs(
    reader: Reader, cache: Cache, known: Marks, brought: Mapping[str, Origin]
) -> tuple[set[str], list[LogRows]]:
    """Make the rows of a ledger's logs but of those that are known by their marks.

    `brought` says by path which commit brought them, as far as that is known.

    Returns:
        The keys of the known logs that stay as they are, and the rows of the others.
    """
    redacted, withheld = cache.redacted, redacted_logs(cache)
    kept: set[str] = set()
    new: dict[str, tuple[LogRef, Entry, bytes, Origin]] = {}
    for _, ref, entry in cache.entries():
        hidden = sorted(redacted & named_in(entry)) if redacted else ()
        by = brought.get(ref.path, Origin())
        by = by._replace(
            author=by.author[:_AUTHOR_CHARS], path=by.path or reader.home.prefix + ref.path
        )
        said = f"{ref.blob} {' '.join(hidden)} {ref.stem in withheld} {by.commit} {by.path} {by.author}"
        mark = sha1(said.encode("utf-8", "replace"), usedforsecurity=False).digest()[:12]
        if known.get(ref.key) == mark:
            kept.add(ref.key)
        else:
            new[ref.key] = ref, entry, mark, by
    return kept, list(_log_rows(reader, cache, new))


def _marks(base: Connection[Any], table: str, key: str, job: Job) -> Marks:
    asked = f"SELECT {key}, mark FROM org.{table}_{job.shelf} WHERE ledger = %s"
    return dict(base.execute(asked.encode(), (job.ledger,)).fetchall())


def _log_rows(
    reader: Reader, cache: Cache, logs: Mapping[str, tuple[LogRef, Entry, bytes, Origin]]
) -> Iterator[LogRows]:
    """Make the rows of logs, as readers may see them."""
    withheld = redacted_logs(cache)
    contents = Store(reader.home.repository).blobs([ref.blob for ref, *_ in logs.values()])
    for (key, (ref, entry, mark, by)), data in zip(logs.items(), contents, strict=True):
        if data is None or len(data) > LOG_LIMIT_BYTES:
            continue
        log = _visible(reader, cache, ref, entry, data)
        if ref.stem in withheld:
            log = without_words(log)
        values = (
            key, ref.blob, by.path, entry.type, entry.agent, log.get("role"),
            log.get("session"), log.get("branch"), ended_at(ref.stem, log), log.title,
            entry.named, log.prose,
        )  # fmt: skip
        yield LogRows(key, mark, values, event_rows(key, entry), (by.commit, by.author))


def _visible(reader: Reader, cache: Cache, ref: LogRef, entry: Entry, data: bytes) -> SessionLog:
    """Read a log without what it says of redacted facts."""
    named = named_in(entry) if cache.redacted else set()
    if not cache.redacted & named:
        return decode(data, sealed=is_sealed(ref.stem))[0]
    text = shown(reader.home, cache, text_of(data), named)
    return decode(text.encode("utf-8", "surrogatepass"), sealed=False)[0]


def _hold(base: Connection[Any], job: Job) -> int:
    """Hold a job for the transaction that is open; return the shelf of its ledger.

    Raises:
        Fenced: another worker has it by now, or it is gone.
    """
    row = base.execute(
        "SELECT lease FROM org.job WHERE ledger=%s FOR UPDATE", (job.ledger,)
    ).fetchone()
    if row is None or row[0] != job.lease:
        raise Fenced
    row = base.execute("SELECT shelf FROM org.ledger WHERE id=%s", (job.ledger,)).fetchone()
    assert row is not None
    return int(row[0])


def _write(base: Connection[Any], shelf: int, ledger: int, rows: _Rows, anew: bool) -> int:
    """Write rows and take out what they replace; return how many bytes were written."""
    if anew:
        _clear(base, shelf, ledger)
    for tables, gone in ((_OF_LOGS, rows.gone_logs), (_OF_FACTS, rows.gone_facts)):
        for table, key in tables if gone else ():
            asked = f"DELETE FROM org.{table}_{shelf} WHERE ledger=%s AND {key} = ANY (%s)"
            base.execute(asked.encode(), (ledger, gone))
    begin = (shelf, ledger)
    facts = rows.facts
    return sum(
        copy_in(base, f"org.{table}_{shelf}", some)
        for table, some in (
            ("log", [(*begin, *one.values, one.mark, *one.brought) for one in rows.logs]),
            ("event", [(*begin, *event) for one in rows.logs for event in one.events]),
            ("fact", [(*begin, *one.values, one.rest, one.mark, words)
                      for one, words in zip(facts, rows.words, strict=True)]),
            ("version", [(*begin, one.key, place, *version)
                         for one in facts for place, version in enumerate(one.versions)]),
            ("link", [(*begin, *edge) for one in facts for edge in links_of(one)]),
        )
    )  # fmt: skip


def _clear(base: Connection[Any], shelf: int, ledger: int) -> None:
    """Take all rows of a ledger out."""
    for table in TABLES:
        base.execute(f"DELETE FROM org.{table}_{shelf} WHERE ledger=%s".encode(), (ledger,))


def _forget(base: Connection[Any], job: Job, mirrors: str) -> Done:
    with base.transaction():
        shelf = _hold(base, job)
        _clear(base, shelf, job.ledger)
        base.execute("DELETE FROM org.ledger WHERE id=%s", (job.ledger,))
        base.execute("UPDATE org.shelf SET stale = true WHERE id = %s", (shelf,))
    forget(mirrors, job.ledger)
    return Done(changed=True)
