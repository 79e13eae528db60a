"""Find the commits that changed, deleted or moved a log, and their authors (fault:E1 to fault:E3).

What history took from the ledger is restored by one commit, which is planned first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ledger.git.log_history import (
    DELETED,
    MODIFIED,
    MOVED,
    Alteration,
    Damage,
    Progress,
    altered,
    damages,
    sealed_blobs,
)
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.model.layout import stem_of
from ledger.model.log_names import FILE_MODE
from ledger.wal.atomic_files import replace_file
from memory import Memory, held_logs, lost_logs, mark_here, refuse_unwritable
from rituals.check.edited_logs import list_sessions, same_in_work_tree

_CODE_OF = {MODIFIED: "log-modified", DELETED: "log-deleted", MOVED: "log-moved"}
_RESTORE_HINT = "`diurna check --restore` adds its first bytes again"


def damaged(
    home: Home,
    tip: str,
    standing: Mapping[str, str],
    held: frozenset[tuple[str, str]],
    progress: Progress | None = None,
) -> tuple[tuple[Damage, ...], tuple[Finding, ...]]:
    """Find the logs that history altered and that are not whole at the tip.

    Redacted ones (`held`) that were taken out of the ledger are none (fault:E7); one that was changed and
    whose first bytes the history still has stays: that hides nothing.

    Returns:
        The logs, and what else was noticed: what could not be looked at, and seals that several bytes fit.
    """
    changed, findings = altered(home, tip, progress)
    stood: dict[str, list[str]] = {}
    for change in changed:
        stood.setdefault(change.path, []).extend((change.blob_before, change.blob_after))
    proven = fitting(home, stood, standing)
    found = [
        one
        for one in damages(changed, standing, proven)
        if one.kind != DELETED or (stem_of(one.path), one.first) not in held
    ]
    return tuple(found), (*findings, *_collisions(changed, proven))


def fitting(
    home: Home, stood: Mapping[str, Sequence[str]], standing: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Find the blobs that the name of a log proves, among those that it had and that stand somewhere now.

    `stood` is path -> blob ids that stood there at some time, those first committed first; `standing` is
    path -> blob at the tip.
    """
    stems = {stem_of(path) for path in stood}
    now: dict[str, list[str]] = {}
    for path, blob in sorted(standing.items()):
        if stem_of(path) in stems:
            now.setdefault(stem_of(path), []).append(blob)
    return sealed_blobs(
        home, {path: (*blobs, *now.get(stem_of(path), ())) for path, blobs in stood.items()}
    )


def _collisions(
    changed: Sequence[Alteration], proven: Mapping[str, Sequence[str]]
) -> Iterator[Finding]:
    """Name the logs whose seal several bytes fit, and who committed the later ones."""
    for path, blobs in sorted(proven.items()):
        if len(blobs) < 2:
            continue
        others = set(blobs[1:])
        causes = [one for one in changed if one.path == path and one.blob_after in others]
        came = f", {_by(causes[0], 1)}" if causes else ""
        yield Finding(
            "seal-collision",
            f"{len(blobs)} different logs fit the seal of {path}: first was {blobs[0]}, "
            f"then came {', '.join(blobs[1:])}{came}",
            path,
            hint="`git cat-file blob` prints each; if the first is right, it can be committed again",
        )


def damage_finding(home: Home, damage: Damage) -> Finding:
    """Say what happened to one log, in which commit, and what to do."""
    cause = damage.cause
    path, hint = damage.path, _RESTORE_HINT
    if not damage.sound:
        hint = f"`git cat-file blob {damage.first}` prints what it said first"
    if damage.kind == MOVED:
        said = f"{path} was moved to {damage.now}"
        hint = f"it counts where it is, and is whole again once it is back at {path}"
        if home.checked_out:
            hint += f": git mv {home.prefix}{damage.now} {home.prefix}{path}"
    elif cause.mode_after not in ("", FILE_MODE):
        said = f"{path} was given mode {cause.mode_after}, with which it is not read"
    elif damage.kind == DELETED:
        said = f"{path} was deleted"
    else:
        at = f" (it stands at {damage.now} now)" if damage.now != path else ""
        said = f"{path} was changed after it was committed{at}"
    said = f"{said}, {_by(cause, damage.changes)}"
    return Finding(_CODE_OF[damage.kind], said, path, hint=hint)


def _by(cause: Alteration, times: int) -> str:
    more = f" ({times} changes in all)" if times > 1 else ""
    who = cause.author or "an unknown author"
    return f"in commit {cause.commit[:12]} by {who} on {cause.date[:10]}{more}"


def restore_plan(memory: Memory) -> tuple[tuple[str, bytes], ...]:
    """Find the first bytes of sealed logs that were deleted or changed since, by path.

    Looks in the history of the tip and at the tip that was last found whole. A log that stands
    somewhere with the bytes its name proves is left alone, and so are unsealed ones, and those whose seal
    different bytes fit, and redacted ones that were taken out of the ledger.
    """
    home = memory.home
    tip = home.tip()
    standing = list_sessions(home, tip).standing
    held = memory.ask(held_logs, committed=True)
    found, _ = damaged(home, tip, standing, held)
    wanted = {one.path: one.first for one in found if one.kind != MOVED and one.sound}
    known = {one.path for one in found}
    gone = {path: [blob] for path, blob in lost_logs(home, held).items() if path not in known}
    # where other bytes that fit the seal stand now, nobody but a person can tell which are right
    proven = fitting(home, gone, standing)
    wanted.update({path: blobs[0] for path, blobs in proven.items() if len(blobs) == 1})
    paths = sorted(wanted)
    contents = home.repository.git().blobs([wanted[path] for path in paths])
    return tuple(
        (path, data) for path, data in zip(paths, contents, strict=True) if data is not None
    )


def restore(memory: Memory, plan: tuple[tuple[str, bytes], ...]) -> None:
    """Commit again what `restore_plan` found; what is gone from a folder home is a plain file again (W21).

    The work tree follows where its copy is missing or the one that was committed; an edit that nobody
    committed stays.

    Raises:
        WriteRefused: the repository is in no state to be committed to; nothing changed.
    """
    home = memory.home
    refuse_unwritable(home)
    standing = list_sessions(home, home.tip()).standing
    if home.plain:
        spool, mark = home.spool, mark_here(home, owed=True)
        for path, data in plan:
            if path not in standing:
                spool.put(stem_of(path), data, held=True, mark=mark)
        memory.bring_back()
        plan = tuple([one for one in plan if one[0] in standing])
    if not plan:
        return
    stale = []
    if home.checked_out:
        stale = [p for p, _ in plan if p in standing and same_in_work_tree(home, p, standing[p])]
    many = "a session log" if len(plan) == 1 else f"{len(plan)} session logs"
    memory.commit_files(plan, f"diurna: put back {many} as first committed")
    for path, data in plan:
        if path in stale:
            replace_file(f"{home.folder}/{path}", data)
