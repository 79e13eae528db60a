"""Merge around what a sync leaves to git and to people.

That is projection files that a person wrote on one of the sides (FORMAT.md, M7, P5), entries that are no
files, and what a merge would bring back of what was purged (fault:E7).
"""

from __future__ import annotations

from ledger.errors import SyncRefused
from ledger.git.git_objects import Objects
from ledger.home import IN_TREE, OWN_BRANCH, Home
from ledger.model.event import FactRedacted
from ledger.model.finding_codes import Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.log_names import FILE_MODE, log_refs
from ledger.model.record import TYPE_CHECKING, cached
from ledger.model.session import Entry
from ledger.remote.tree_merge import Joined, write_joined
from memory.cache.cache_file import Cache
from memory.replay.read_logs import LogReading, read_all
from memory.replay.tip_snapshot import Snapshot
from memory.worktree.page_authorship import left_alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from projection.fold.full_replay import State

_PULL_HINT = "join them with `git pull`, then `git push`: git joins ledgers without conflicts"
_PURGED_HINT = (
    "a person decides which history holds for all. A fresh clone of the one without it has nothing of it; "
    "`diurna append FILE` says there again what only another clone has"
)


def hand_written(snapshot: Snapshot, tips: tuple[str, str], joined: Joined) -> dict[str, set[str]]:
    """Return, by tip, the projection paths that people wrote there, which have to stay (P5).

    `joined` is what both commits come to; its logs are those of both.
    """
    home = snapshot.home
    policy = snapshot.ask(lambda cache: cache.policy)
    tree = cached(1)(lambda: write_joined(home.repository, joined))

    @cached(1)
    def state() -> State:
        from memory.replay.state_as_of import cold_state

        return cold_state(snapshot, tree())

    left = {tip: left_alone(home, tip, state, policy, tree=tree) for tip in tips}
    return {tip: {one.file for one in found} for tip, found in left.items() if found}


def refuse_modes(home: Home, ours: str, tip: str) -> None:
    """Leave links, executables and submodules in a work tree to git.

    Raises:
        SyncRefused: there is one among the changes.
    """
    if home.kind in (IN_TREE, OWN_BRANCH) or not home.checked_out:
        return
    for letter, mode, _, path in home.repository.git().differences(ours, tip, "."):
        if letter != "D" and mode != FILE_MODE and not path.startswith(SESSIONS_DIR + "/"):
            raise SyncRefused(f"{path} is no ordinary file (mode {mode})", hint=_PULL_HINT)


def refuse_purged(
    snapshot: Snapshot,
    ours: str,
    theirs: str,
    bases: Sequence[str],
    entries: Sequence[Entry] | None = None,
) -> None:
    """Refuse to join two tips of which one has logs that were taken out of the history of the other.

    A log that stands in `bases`, where both began, is in both histories; `entries` is what the logs say
    that came from there, None to read them.

    Raises:
        SyncRefused: one has; nothing was changed.
    """
    home, git = snapshot.home, snapshot.home.repository.git()
    folder = home.prefix + SESSIONS_DIR
    with Objects(home.repository) as objects:
        rows = objects.differences(ours, theirs, folder)
    cache = snapshot.cache(ours)
    came, _ = log_refs(
        [(mode, blob, p) for letter, mode, blob, p in rows if letter != "D"], home.prefix
    )
    here = [path[len(home.prefix) :] for letter, _, _, path in rows if letter != "A"]
    if not here and not cache.redacted:
        return
    only_here = {stem_of(path) for path in here}
    said_here: set[tuple[str, str]] = set()
    said_there: set[tuple[str, str]] = set()
    for history in cache.some_histories(sorted(cache.redacted)).values():
        for stem, _, event, _ in history.acts:
            if isinstance(event, FactRedacted):
                said_here.update(event.held)
                said_there.update(event.held if stem not in only_here else ())
    if entries is None:
        entries = read_all(home, came).entries
    for entry in entries:
        for event in entry.acts:
            said_there.update(event.held if isinstance(event, FactRedacted) else ())
    refs = [ref for path in here if (ref := cache.log_ref(stem_of(path))) is not None]
    for where, other, logs, said in (
        ("on the remote", "here", refs, said_there),
        ("here", "on the remote", came, said_here),
    ):
        suspect = [ref for ref in logs if (ref.stem, ref.blob) in said]
        common = {path for base in bases if suspect for _, _, path in git.tree_files(base, folder)}
        gone = [ref.stem for ref in suspect if home.prefix + ref.path not in common]
        if gone:
            more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
            raise SyncRefused(
                f"{gone[0]}{more} was redacted and taken out of the history {where}, and the history "
                f"{other} still has it; joined, it would be in both again",
                hint=_PURGED_HINT,
            )


def expected(cache: Cache | None, reading: LogReading) -> tuple[Finding, ...]:
    """Return what was noticed in logs, but that a purge put other bytes in the place of a redacted one's.

    `cache` is of the tip that the logs come to, None for none; where history has the first bytes of a
    log, `reading` is of those.
    """
    if not any(one.code == "seal-broken" for one in reading.findings):
        return reading.findings
    from memory.redaction.withheld_texts import held_logs

    held = set(held_logs(cache) if cache else ())
    for entry in reading.entries:
        for event in entry.acts:
            held.update(event.held if isinstance(event, FactRedacted) else ())
    stems = {stem for stem, _ in held}
    purged = {
        one.path for one in reading.refs if one.stem in stems and (one.stem, one.blob) not in held
    }
    return tuple(
        [one for one in reading.findings if one.code != "seal-broken" or one.file not in purged]
    )
