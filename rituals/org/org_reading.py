"""Read ledgers as they fall due: fetch one, let the library fold it, and write the rows that differ.

One process within limits does that; any number of them may run, anywhere. Of each ledger there is a
mirror, a bare repository with its branch's history and the files of its home. A branch that may have code
on it is fetched without files; the library brings those of the home alone. What a remote sends is limited
in size and time, and is never a setting, a hook or another remote's name.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ledger.environment import monotonic, now_seconds
from ledger.errors import DiurnaError, GitFailed
from ledger.git.cli import Git
from ledger.git.repository import Repository
from ledger.heavy_work import Uncollected
from ledger.home import IN_TREE, OWN_REPOSITORY, Home, prefix_in
from ledger.model.layout import CACHE_VERSION, DEFAULT_BRANCH, POLICY_FILE
from ledger.remote.remote import Remote, check_remote, local_path
from ledger.remote.transport import USUAL_BRANCHES, RemoteRefused, advertised, fetch_limited
from ledger.wal.atomic_files import Lock, make_folder
from memory import Reader, all_origins
from rituals.org.org_database import Connection, DatabaseFailed, connect_owner, insert, told
from rituals.org.org_ledgers import STALE, Fenced, Job, claim, fail, finish, hold
from rituals.org.org_rows import Marks, Stems, rows_of_facts, rows_of_logs

#: The rows are made by the library and by this package: where either differs, all of them are made again.
LIBRARY = f"{CACHE_VERSION}.3"
LOGS_MOST = 100_000
#: Of the process, and of one ledger: who is not done by then is ended, and has counted its try.
_MEMORY_BYTES, _SECONDS = 4 << 30, 300
#: So often an idle process looks.
_LOOK_SECONDS = 2.0
TABLES = ("fact", "log", "word", "log_word")
_LOG = "org.log(ledger, stem, path, commit, author, agent, ended, title, body, mark)"
_FACT = "org.fact(ledger, id, kind, tier, entity, untrue, stem, said, mark, words)"
_GONE = "DELETE FROM org.{0} WHERE ledger = %(ledger)s AND {1} = ANY (%(keys)s)"
#: Numbers are of one text each, so a word of which no fact is left is none of the ledger's.
_FACT_WORDS = (
    "DELETE FROM org.word w WHERE ledger = %(ledger)s"
    " AND NOT EXISTS (SELECT FROM org.fact f WHERE f.number = ANY (w.facts))",
    "INSERT INTO org.word SELECT f.ledger, u.lexeme, array_agg(f.number ORDER BY f.number)"
    " FROM org.fact f, unnest(f.words) u WHERE f.ledger = %(ledger)s GROUP BY 1, 2"
    " ON CONFLICT (ledger, word) DO UPDATE SET facts = excluded.facts"
    " WHERE word.facts <> excluded.facts",
)
#: Of logs alone the words of those that come, and before it of those that go.
_LOG_WORDS = (
    " FROM (SELECT u.lexeme, array_agg(g.number ORDER BY g.number) AS logs FROM org.log g,"
    " unnest(to_tsvector('english', g.title || ' ' || g.body)) u"
    " WHERE g.ledger = %(ledger)s AND g.stem = ANY (%(keys)s) GROUP BY 1) n"
)
_LOGS_GO = (
    "UPDATE org.log_word w SET logs = ARRAY(SELECT unnest(w.logs) EXCEPT SELECT unnest(n.logs))"
    + _LOG_WORDS + " WHERE w.ledger = %(ledger)s AND w.word = n.lexeme",
    "DELETE FROM org.log_word WHERE ledger = %(ledger)s AND logs = '{}'",
)  # fmt: skip
_LOGS_COME = (
    "INSERT INTO org.log_word SELECT %(ledger)s, n.lexeme, n.logs" + _LOG_WORDS
    + " ON CONFLICT (ledger, word) DO UPDATE SET logs = log_word.logs || excluded.logs",
)  # fmt: skip
#: What the branch is called here, whatever its name there.
_TIP = "refs/heads/memory"
LIMIT_MB, LIMIT_SECONDS = 200, 120.0
_OWN = f"refs/heads/{DEFAULT_BRANCH}"
_WHOLE = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
#: Without the extension that git writes beside it: libgit2 does not open a repository that has one.
_PARTIAL = """[remote "origin"]
	promisor = true
	partialclonefilter = blob:none
	url = "{}"
"""
_EVERYTHING = "--depth=2147483647"


class TooLarge(DiurnaError):
    """A ledger has more logs than are read."""


class Personal(DiurnaError):
    """A home is a person's own: no row is made of it."""


class NoMemory(RemoteRefused):
    """There is no ledger in a repository, which may have one tomorrow."""


#: A ledger as it was fetched: its home, the full name of its branch there, and the tip.
Fetched = tuple[Home, str, str]


def forget(mirrors: str, ledger: int) -> None:
    """Take a mirror away."""
    shutil.rmtree(f"{mirrors}/{ledger}.git", ignore_errors=True)


@contextmanager
def fetched(mirrors: str, ledger: int, url: str, branch: str) -> Iterator[Fetched]:
    """Fetch a ledger into its mirror, for one process at a time; make it anew where it does not open.

    `branch` is "" for `memory`, or else the default one.
    """
    check_remote(url)
    folder = f"{mirrors}/{ledger}.git"
    make_folder(mirrors)
    with Lock(folder + ".lock"):
        try:
            found = _fetch(folder, url, branch)
        except GitFailed:
            forget(mirrors, ledger)
            found = _fetch(folder, url, branch)
        except DiurnaError:
            _clear(folder)  # of a pack that has no end a part is there
            raise
        yield found


def _fetch(folder: str, url: str, branch: str) -> Fetched:
    for name in ("objects/pack", "objects/info", "refs/heads"):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    _clear(folder)
    _write(f"{folder}/HEAD", f"ref: {_TIP}\n")
    _write(f"{folder}/config", _WHOLE)
    git = Git(folder, {"GIT_ALLOW_PROTOCOL": "file" if local_path(url, "/") else "https:ssh:git"})
    remote = Remote(url, branch, _TIP, url)
    if not branch:
        there = advertised(git, remote, USUAL_BRANCHES)
        branch = next((one for one in USUAL_BRANCHES if one in there), "")
        if not branch:
            raise NoMemory("there is no branch to look at", hint="name one: URL#BRANCH")
        remote = remote._replace(branch=branch)
    limits = ((f"+{branch}:{_TIP}",), LIMIT_SECONDS, LIMIT_MB)
    more: tuple[str, ...] = ()
    if branch != _OWN:  # git is to bring what a filter leaves out from where the rest comes from
        quoted = url.replace("\\", "\\\\").replace('"', '\\"')
        _write(f"{folder}/config", _WHOLE + _PARTIAL.format(quoted))
        remote, more = remote._replace(name="origin"), ("--filter=blob:none",)
        if not git.resolve(_TIP)[0] or os.path.exists(f"{folder}/shallow"):
            # by the newest commit alone, so that no history of code is fetched for nothing
            fetch_limited(git, remote, *limits, "--depth=1", "--update-shallow", *more)
            _prefix(git)
            more = (_EVERYTHING, *more)
    fetch_limited(git, remote, *limits, *more)
    prefix = _prefix(git)
    repository = Repository("", folder, folder, "origin" if more else "")
    kind = IN_TREE if prefix else OWN_REPOSITORY
    home = Home(kind, repository, _TIP, prefix, everywhere=True)
    return home, branch, git.resolve(_TIP)[0]


def _prefix(git: Git) -> str:
    """Return where in the newest commit the home is."""
    tip = git.resolve(_TIP)[0]
    prefix = prefix_in(git, tip) if tip else None
    if prefix is None:
        raise NoMemory(f"its branch has no {POLICY_FILE}", hint="name the branch: URL#BRANCH")
    return prefix


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def _clear(folder: str) -> None:
    """Take away what a git that was killed left: under our lock it belongs to nobody."""
    for where in ("", "/refs/heads", "/objects/pack"):
        for name in os.listdir(folder + where):
            if name.endswith(".lock") or name.startswith("tmp_"):
                os.unlink(f"{folder}{where}/{name}")


def carry_out(base: Connection[Any], job: Job, mirrors: str, stems: Stems) -> bool:
    """Read a ledger, or make its rows anew; return whether it changed. Where it fails, nothing did."""
    if job.wish == "rebuild":
        forget(mirrors, job.ledger)
    with fetched(mirrors, job.ledger, job.url, job.branch) as (home, branch, tip):
        if (tip, job.library, job.wish) == (job.tip, LIBRARY, "read"):
            with base.transaction():
                finish(base, job, changed=False)
            return False
        follows = ("merge-base", "--is-ancestor", job.tip, tip)
        rewritten = job.tip not in ("", tip) and bool(home.repository.git().call(*follows)[0])
        reader = Reader(home)
        try:
            with Uncollected():
                _read(base, job._replace(branch=branch), tip, reader, stems, rewritten)
        finally:
            reader.close()
        if rewritten:
            forget(mirrors, job.ledger)  # its packs have what was purged
    return True


def _read(
    base: Connection[Any], job: Job, tip: str, reader: Reader, stems: Stems, rewritten: bool
) -> None:
    """Bring the rows of a ledger to the tip that was fetched."""
    refs, _ = reader.snapshot.tip.list_logs(tip)
    if len(refs) > LOGS_MOST:
        raise TooLarge(f"it has {len(refs)} logs, and {LOGS_MOST} are read at most")
    state, cache = reader.state(), reader.cache()
    if state.policy.personal:
        with base.transaction():
            hold(base, job)
            _emptied(base, job.ledger)
            emptied = "UPDATE org.ledger SET tip = '', logs = 0, facts = 0 WHERE id = %(ledger)s"
            _run(base, (emptied,), job.ledger)
            base.execute(STALE)
        raise Personal("it is a personal home")
    anew = job.wish == "rebuild" or job.library != LIBRARY
    logs: Marks = {} if anew else _marks(base, "log", "stem", job.ledger)
    facts: Marks = {} if anew else _marks(base, "fact", "id", job.ledger)
    brought = all_origins(reader.home, tip, list(cache.log_refs())).commits
    kept, new = rows_of_logs(reader, cache, logs, brought)
    made = rows_of_facts(cache, state)
    changed = [one for one in made if facts.get(one.key) != one.mark]
    words = stems.words([one.texts for one in changed])
    same = {one.key for one in made} - {one.key for one in changed}
    with base.transaction():
        hold(base, job)
        if anew:
            _emptied(base, job.ledger)
        left = [key for key in logs if key not in kept]
        _run(base, _LOGS_GO if left else (), job.ledger, left)
        _run(base, (_GONE.format("log", "stem"),), job.ledger, left)
        insert(base, _LOG, [(job.ledger, *one.values, one.mark) for one in new])
        _run(base, _LOGS_COME, job.ledger, [one.key for one in new])
        gone = [key for key in facts if key not in same]
        _run(base, (_GONE.format("fact", "id"),), job.ledger, gone)
        some = zip(changed, words, strict=True)
        insert(base, _FACT, [(job.ledger, *one.values, one.mark, told) for one, told in some])
        _run(base, _FACT_WORDS, job.ledger)
        base.execute(
            "UPDATE org.ledger SET branch = %s, tip = %s, library = %s, logs = %s,"
            " facts = %s, chars = %s, read_at = now() WHERE id = %s",
            (job.branch, tip, LIBRARY, state.summary.logs, len(state),
             sum([len(one.texts[0]) for one in made]), job.ledger),
        )  # fmt: skip
        hides = any(one.hides and one.key in logs for one in new)
        if rewritten or hides or job.wish == "rebuild":
            base.execute(STALE)
        finish(base, job, changed=True)


def _marks(base: Connection[Any], table: str, key: str, ledger: int) -> Marks:
    asked = f"SELECT {key}, mark FROM org.{table} WHERE ledger = %s"
    return dict(base.execute(asked.encode(), (ledger,)).fetchall())


def _run(
    base: Connection[Any], asked: Iterable[str], ledger: int, keys: Sequence[str] = ()
) -> None:
    for one in asked:
        base.execute(one.encode(), {"ledger": ledger, "keys": list(keys)})


def _emptied(base: Connection[Any], ledger: int) -> None:
    """Take all rows of a ledger out."""
    _run(base, [f"DELETE FROM org.{table} WHERE ledger = %(ledger)s" for table in TABLES], ledger)


def rewrite(base: Connection[Any]) -> bool:
    """Write the relations anew where a text went that they may hold; return whether that was due.

    `VACUUM` erases nothing, and an index of words never drops one; only what is written anew is without
    it. Who asks meanwhile waits.
    """
    row = base.execute(
        "SELECT clock_timestamp() FROM org.schema WHERE stale IS NOT NULL AND pg_try_advisory_lock(7875)"
    ).fetchone()
    if row is None:
        return False
    try:
        for table in TABLES:
            base.execute(f"VACUUM (FULL, ANALYZE) org.{table}".encode())
        base.execute("UPDATE org.schema SET stale = NULL WHERE stale < %s", row)
    finally:
        base.execute("SELECT pg_advisory_unlock(7875)")
    return True


def work(where: str, mirrors: str, *, once: bool) -> None:
    """Read what falls due until a signal comes, or with `once` all that is due now.

    `where` is the database, and `mirrors` the folder of the mirrors.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(_MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        with connect_owner(where) as base:
            row = base.execute("SELECT now()::text").fetchone() if once else None
            before, stems = str(row[0]) if row else "infinity", Stems()
            while True:
                with told():
                    job = claim(base, before)
                    if job is None and not rewrite(base):
                        if once:
                            return
                        time.sleep(_LOOK_SECONDS)
                if job is not None:
                    signal.alarm(_SECONDS)
                    do(base, job, mirrors, stems)
                    signal.alarm(0)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def do(base: Connection[Any], job: Job, mirrors: str, stems: Stems) -> None:
    """Read one ledger, and say what came of it: in its row by a code, and in a line of the log."""
    started, code, changed = monotonic(), "", False
    try:
        with told():
            changed = carry_out(base, job, mirrors, stems)
    except Fenced:
        code = "Fenced"
    except MemoryError:
        code = "MemoryError"
    except DatabaseFailed:
        raise
    except DiurnaError as problem:
        code = type(problem).__name__
    except Exception as problem:  # noqa: BLE001 - a hostile ledger must not end the worker, and its words are not ours
        code = f"{type(problem).__name__} (a bug)"
    if code and code != "Fenced":
        with told():
            fail(base, job, code)
    # ids, numbers and codes, never a text or a URL
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_seconds()))
    said = {"at": at, "worker": os.getpid(), "ledger": job.ledger, "code": code, "tries": job.tries}
    said |= {"changed": changed, "seconds": round(monotonic() - started, 3)}
    print(json.dumps(said), file=sys.stderr, flush=True)
