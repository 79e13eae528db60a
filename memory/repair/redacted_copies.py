"""Take what was redacted out of everything that Diurna keeps beside git (FORMAT.md, F9).

The copies of committed logs, the caches, what was shown last, the mirror, what was noted of faults, and
what sessions of hosts did.
Each home remembers which redactions it cleaned up after, so one that arrives by a sync or a pull, and one
whose cleaning was killed, is seen to by the next command. What git holds is a person's to decide about.
"""

from __future__ import annotations

import fcntl
import os
import zlib
from collections.abc import Callable, Container

from ledger.codec.log import decode
from ledger.errors import DiurnaError
from ledger.home import OWN_BRANCH, Home
from ledger.model.ids import sha256
from ledger.model.layout import CACHE_DIR, DROPPED_DIR, LOCK_FILE, MIRROR_DIR, STATE_DIR
from ledger.model.log_names import is_sealed
from ledger.model.session import OBSERVED, span_of
from ledger.wal.atomic_files import Lock, make_folder, plain_bytes, replace_file, unlink
from ledger.wal.git_locks import git_prunes, is_abandoned
from ledger.wal.kept_asks import drop_asks
from ledger.wal.spool import Intents
from memory.cache.cache_file import Cache
from memory.cache.ledger_version import drop_briefs
from memory.cache.rebuild import take_away
from memory.cache.stamp import FILE_ERRORS, CacheDamaged
from memory.object_backups import drop_purged, not_whole
from memory.redaction.withheld_repeats import Withheld, withheld_of
from memory.redaction.withheld_texts import held_logs, redacted_logs
from memory.repair.lost_logs import drop_redacted
from memory.replay.read_logs import read_bytes
from memory.replay.upstream_homes import brief_file
from projection.fold.fact_history import REDACTED_TEXT

#: How the files begin in which repairs, faults and what persons asked for are noted.
_NOTES = ("journal.log", "hooks.log", "asks.jsonl", "bug-")
#: Where sessions of hosts leave lines, whose places count; objects with `items`; and what nobody misses.
_LINES, _ITEMS = ("observed", "said"), ("captured", "candidates")
_DISPOSABLE = ("checkpoints", "news")
_ASIDE = "stale"


def clean(home: Home, cache: Cache) -> bool:
    """Take out what is redacted, unless that was done; False where something waits for the next command.

    `cache` is of its tip, without those texts itself.
    """
    names = "\n".join(sorted(cache.redacted)).encode("utf-8", "surrogatepass")
    said = f"{cache.head.redactions} {sha256(names).hexdigest()}\n".encode("ascii")
    if plain_bytes(_record(home)) == said:
        return True
    try:
        telling = withheld_of(home, cache)
        if telling is None:
            return True
        with FILE_ERRORS:
            _clear_caches(home)
        done = _clear_kept(home, cache, telling)
        _clear_left(home, telling, {blob for _, blob in held_logs(cache)})
        drop_asks(home.repository.commondir, lambda one: telling.repeats(one.text))
        _clear_observed(home, cache)
        _clear_mirror(home, cache, telling)
        drop_redacted(home, held_logs(cache))
        if done:
            make_folder(os.path.dirname(_record(home)))
            replace_file(_record(home), said, 0o600)
    except (DiurnaError, OSError, CacheDamaged):  # a read-only disk, or somebody is at it
        return False
    return done


def clean_again(home: Home, cache: Cache) -> bool:
    """Do so once more: git itself has less by now."""
    unlink(_record(home))
    return clean(home, cache)


def _record(home: Home) -> str:
    return home.cache_file + ".redacted"


def _clear_caches(home: Home) -> None:
    """Take away the caches of this clone, but the home's own, which was built anew without the texts."""
    folder = f"{home.repository.commondir}/{CACHE_DIR}"
    own = os.path.basename(home.cache_file)
    mine = f"{own}.sqlite"
    drop_briefs(home)
    aside = brief_file(home)
    if aside:
        unlink(aside)
    for name in sorted(os.listdir(folder)):
        path = f"{folder}/{name}"
        if name == mine or name.endswith((".redacted", ".stamp")):
            continue
        if name.endswith(".tmp"):
            if is_abandoned(path):
                unlink(path)
        elif name.endswith((".sqlite", ".recall")):
            take_away(path)
        else:
            unlink(path)


def _clear_kept(home: Home, cache: Cache, telling: Withheld) -> bool:
    """Let go of the copies of committed logs, and of what commits are made of; False where that must wait.

    What git holds whole, and what a redaction allows to be gone, needs no copy. The disks are flushed
    first.
    """
    spool, common = home.spool, home.repository.commondir
    kept = {stem: spool.read_kept(stem) for stem in spool.kept()}
    if not kept and not Intents(home.spool_folder).read():
        return True
    if git_prunes(common):  # it may delete what the copies are for
        return False
    with Lock(f"{common}/{LOCK_FILE}", 0.0) as lock:
        if lock.note:  # what died is finished first: it needs them
            return False
        os.sync()
        for stem, data in kept.items():
            if data is not None:
                telling.read(stem, data)
        lost = {ref.stem for ref in not_whole(home, kept)}
        drop_purged(cache, spool)
        spool.forget([stem for stem in kept if stem not in lost])
        if not spool.kept():
            Intents(home.spool_folder).forget()
            return True
    return False


def _clear_left(home: Home, telling: Withheld, blobs: set[str]) -> None:
    """Take withheld lines out of what was noted and set aside, and what sessions of hosts left."""
    state = f"{home.repository.commondir}/{STATE_DIR}"
    for folder in ("", _ASIDE, DROPPED_DIR, *_LINES, *_ITEMS, *_DISPOSABLE):
        for path in _files(f"{state}/{folder}"):
            name, data = os.path.basename(path), _read(path)
            if folder == _ASIDE:
                gone = name.partition(".")[0].replace("%2F", "")[-40:] in blobs
                if gone or telling.stands_in(data) or telling.stands_in(_inflated(data)):
                    unlink(path)
            elif not telling.may_stand_in(data):
                continue
            elif folder in _DISPOSABLE or (name.endswith(".tmp") and is_abandoned(path)):
                unlink(path)
            elif folder in _ITEMS:
                replace_file(path, telling.without_items(data), 0o600)
            elif folder in _LINES:
                _space_out(path, telling.may_stand_in)
            elif folder or name.startswith(_NOTES):
                replace_file(path, telling.without(data), 0o600)


def _clear_observed(home: Home, cache: Cache) -> None:
    """Take out what redacted logs tell of sessions: the lines of their spans, and checkpoints."""
    state = f"{home.repository.commondir}/{STATE_DIR}"
    refs = [ref for stem in redacted_logs(cache) if (ref := cache.log_ref(stem)) is not None]
    for ref, data in read_bytes(home, refs):
        log, _ = decode(data, sealed=is_sealed(ref.stem))
        session, span = log.get("session"), span_of(log.get(OBSERVED))
        for path in [path for folder in _DISPOSABLE for path in _files(f"{state}/{folder}")]:
            if session and session.encode() in _read(path):
                unlink(path)
        for path in _files(f"{state}/observed") if span is not None else ():
            head = _read(path).partition(b"\n")[0]
            if span is not None and f'"began": {span.name},'.encode() in head:
                _space_out(path, lambda _: False, range(span.start + 1, span.end + 1))


def _space_out(path: str, is_gone: Callable[[bytes], bool], numbers: Container[int] = ()) -> None:
    """Let some lines of a file say nothing at their length: those behind them are known by their bytes."""
    with open(path, "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # who waits to write opens the new one
        lines = file.read().split(b"\n")
        for number, line in enumerate(lines):
            if number in numbers or is_gone(line):
                lines[number] = REDACTED_TEXT.encode().ljust(len(line))[: len(line)]
        replace_file(path, b"\n".join(lines), 0o600)


def _files(folder: str) -> list[str]:
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [f"{folder}/{name}" for name in names]
    return [path for path in paths if os.path.isfile(path) and not os.path.islink(path)]


def _clear_mirror(home: Home, cache: Cache, telling: Withheld) -> None:
    """Write the mirror of an own branch anew where it still shows what is withheld."""
    if home.kind != OWN_BRANCH or not home.repository.top:
        return
    from memory.replay.state_as_of import state_of
    from memory.worktree.page_copies import write_mirror
    from memory.worktree.rendered_pages import projection_files

    folder = f"{home.repository.top}/{MIRROR_DIR}"
    files = [
        os.path.relpath(f"{where}/{name}", folder)
        for where, _, names in os.walk(folder)
        for name in names
    ]
    if any(telling.may_stand_in(_read(f"{folder}/{path}")) for path in files):
        made = projection_files(state_of(cache)).bodies
        write_mirror(home, [(path, made.get(path)) for path in sorted(files)])


def _inflated(data: bytes) -> bytes:
    """Return as much as can be read of an object's file, which may be damaged."""
    reader, found = zlib.decompressobj(), b""
    try:
        for start in range(0, len(data), 512):
            found += reader.decompress(data[start : start + 512])
    except zlib.error:
        pass
    return found


def _read(path: str) -> bytes:
    return plain_bytes(path) or b""
