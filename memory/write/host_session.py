"""Group the logs of one session: the first is a work session, those behind it continue it (W12).

A session is what a host names, or work of an agent that rests no longer than the policy says. Which facts
it opened by their ids is noted beside what it was told (`diurna/news/`), a line each time: its next log
names those that none of its logs names (FORMAT.md, W13).
"""

from __future__ import annotations

import os

from ledger.codec.fast_read import read_entry
from ledger.errors import Busy, StorageFailed
from ledger.model.ids import is_fact_id, sha256
from ledger.model.layout import SESSION_LOCK_FILE, STATE_DIR
from ledger.model.log_names import milliseconds_of
from ledger.model.session import CONTINUED, WORK, WORKING, reach_in
from ledger.wal.atomic_files import Lock
from memory.cache.schema import reach_rows, session_name, session_names, stretch_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.home import Home
    from ledger.wal.spool import Spool
    from memory.cache.cache_file import Cache
    from memory.write.draft import WriteRequest

#: What names the session: said by the user; else set by Claude Code, Qwen Code or Gemini CLI, as was seen.
#: Codex, Copilot and opencode set nothing.
HOST_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "QWEN_CODE_SESSION_ID", "GEMINI_SESSION_ID")
VARIABLES = ("DIURNA_SESSION", *HOST_VARIABLES)
_LONGEST_CHARS = 200
#: How long other appends of this clone are waited for; the log is recorded all the same.
_PATIENCE_SECONDS = 5.0
#: At most so many uses come of a log; who opens, names or restates more facts at once lists them.
MOST_USES, AT_ONCE = 20, 5
_FILE_BYTES, _AT_DIGITS = 64 << 10, 15


def host_session(environment: Mapping[str, str]) -> str:
    """Return the host session of a process, "" where nothing in its environment can be one."""
    for name in VARIABLES:
        said = environment.get(name, "").strip()
        if said and said.isprintable() and len(said) <= _LONGEST_CHARS:
            return said
    return ""


class Turn:
    """A turn among the appends of this clone: inside it no other one looks whether a session has begun.

    It is taken where a draft may be more work of a session. Where the lock can not be had the append
    goes on without it.

    Args:
        home: the home.
        spool: of the home.
        asked: what is to be recorded; a dry run keeps nobody waiting.
    """

    def __init__(self, home: Home, spool: Spool, asked: WriteRequest) -> None:
        self._spool, self._grouped = spool, asked.draft.type in WORKING
        path = os.path.join(home.repository.commondir, SESSION_LOCK_FILE)
        taken = self._grouped and not asked.dry_run
        self._lock = Lock(path, _PATIENCE_SECONDS) if taken else None

    def __enter__(self) -> Mapping[str, str]:
        """Take the turn; return the newest log that the view has not, by `session_names`.

        It is looked at before the cache: what leaves it meanwhile is in the ledger then.
        """
        try:
            if self._lock is not None:
                self._lock.__enter__()
        except (Busy, StorageFailed):
            self._lock = None
        waiting: dict[str, str] = {}
        for stem in self._spool.waiting() if self._grouped else ():
            entry, _ = read_entry(stem, self._spool.read(stem) or b"")
            waiting.update(dict.fromkeys(session_names(entry), stem))
        return waiting

    def __exit__(self, *error: object) -> None:
        """Let the next one look."""
        if self._lock is not None:
            self._lock.__exit__(None, None, None)


def ends_in_spool(spool: Spool) -> dict[str, int]:
    """Return up to where logs that wait, or are kept for a while, tell of host sessions, by `reach_name`.

    Whoever asks the ledger as well does so behind this: what leaves the spool is in the ledger then.
    """
    found: dict[str, int] = {}
    for stem in (*spool.waiting(), *spool.held(), *spool.kept()):
        data = spool.read(stem) or spool.read_kept(stem)
        entry, _ = read_entry(stem, data or b"")
        for name, end in reach_rows(entry.reach, entry.session).items():
            found[name] = max(int(end), found.get(name, 0))
    return found


def in_its_session(
    header: Mapping[str, str], cache: Cache, waiting: Mapping[str, str], now_ms: int
) -> tuple[str, str]:
    """Return the type that a log of a header has in its session, and the stem of what it continues.

    Only work has another type then; the stem is "" for none. `waiting` is what waits in the spool
    (`Turn`); `now_ms`, when it is recorded, is in milliseconds since 1970.
    """
    type, session, agent = (header.get(key, "") for key in ("type", "session", "agent"))
    if type and type not in WORKING:
        return type, ""
    if not session:
        rest_ms = cache.policy.windows.stretch_hours * 3_600_000
        name = stretch_name(agent)
        begun = max(waiting.get(name, ""), cache.newest_log(name)) if rest_ms else ""
        if not begun or milliseconds_of(begun) < now_ms - rest_ms:
            begun = ""
        return CONTINUED if begun else WORK, begun
    captured = session_name(session)
    if reach_in(header):
        waits = [stem for name, stem in waiting.items() if name.startswith(captured)]
        asked = "SELECT stem FROM newest WHERE name >= ? AND name < ?"  # by whatever agent
        begun = max([*cache.column(asked, (captured, captured + "\U0010ffff")), *waits, ""])
        if type == CONTINUED:  # a talk in which nothing was done
            return type, begun
    else:
        names = (session_name(session, agent), captured)
        begun = max([max(waiting.get(name, ""), cache.newest_log(name)) for name in names])
    return CONTINUED if begun else WORK, begun


def note_opened(home: Home, session: str, ids: Iterable[str], at: int) -> None:
    """Note that a session opened facts; where it can not be noted it is not, and nobody hears of it.

    `ids` are all that were asked for at once; `at` is in milliseconds since 1970.
    """
    named = [one for one in dict.fromkeys(ids) if is_fact_id(one)]
    if not (named and home.repository.top) or len(named) > AT_ONCE:
        return
    path = _path(home.repository.commondir, session)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        with open(os.open(path, flags, 0o600), "ab") as file:
            if file.tell() < _FILE_BYTES:
                file.write(f"{at} {' '.join(named)}\n".encode())
    except OSError:
        pass


def opened_by(commondir: str, session: str) -> list[tuple[int, str]]:
    """Return what a session opened, oldest first, with when.

    `session` is of the host, "" for none.
    """
    if not session:
        return []
    try:
        with open(
            os.open(_path(commondir, session), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb"
        ) as file:
            lines = file.read(_FILE_BYTES).decode("ascii", "replace").split("\n")
    except OSError:
        return []
    found = [line.split(" ") for line in lines]
    return [
        (int(at), id)
        for at, *ids in found
        if at.isdecimal() and len(at) <= _AT_DIGITS
        for id in ids
        if is_fact_id(id)
    ]


def used_in(cache: Cache, session: str) -> frozenset[str]:
    """Return the ids of the facts that the logs of a host session used (F4)."""
    return frozenset(
        id
        for _, entry in cache.entries_naming(session)
        if entry.session == session
        for id in entry.named
    )


def _path(commondir: str, session: str) -> str:
    name = sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"{commondir}/{STATE_DIR}/news/{name}.opened"
