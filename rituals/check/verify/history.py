"""Find the commits that changed, deleted or moved a log, and their authors (fault:E1 to fault:E3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ledger.git.log_history import (
    DELETED,
    MODIFIED,
    MOVED,
    Alteration,
    Damage,
    altered,
    damages,
    sealed_blobs,
)
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import stem_of
from rituals.check.verify.session_listing import FILE_MODE

Progress = Callable[[int, int], None]

_CODE_OF = {MODIFIED: "log-modified", DELETED: "log-deleted", MOVED: "log-moved"}
_RESTORE_HINT = "`diurna check --restore` adds its first bytes again"


def damaged(
    home: Home, tip: str, standing: Mapping[str, str], progress: Progress | None
) -> tuple[tuple[Damage, ...], tuple[Finding, ...]]:
    """Find the logs that history altered and that are not whole at the tip.

    Returns:
        The logs, and what else was noticed: what could not be looked at, and seals that several bytes fit.
    """
    changed, findings = altered(home, tip, progress)
    stood: dict[str, list[str]] = {}
    for change in changed:
        stood.setdefault(change.path, []).extend((change.blob_before, change.blob_after))
    proven = fitting(home, stood, standing)
    return damages(changed, standing, proven), (*findings, *_collisions(changed, proven))


def without_purged(
    found: tuple[Damage, ...], held: frozenset[tuple[str, str]]
) -> tuple[Damage, ...]:
    """Return the damages without redacted logs that were taken out of the ledger (fault:E7).

    One that was changed and whose first bytes the history still has stays: that hides nothing.
    """
    return tuple(
        [one for one in found if one.kind != DELETED or (stem_of(one.path), one.first) not in held]
    )


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
    path = damage.path
    if damage.kind == MOVED:
        said = f"{path} was moved to {damage.now}"
        hint = f"it counts where it is, and is whole again once it is back at {path}"
        if home.checked_out:
            hint += f": git mv {home.prefix}{damage.now} {home.prefix}{path}"
    elif cause.mode_after not in ("", FILE_MODE):
        said = f"{path} was given mode {cause.mode_after}, with which it is not read"
        hint = _restore_hint(damage)
    elif damage.kind == DELETED:
        said = f"{path} was deleted"
        hint = _restore_hint(damage)
    else:
        at = f" (it stands at {damage.now} now)" if damage.now != path else ""
        said = f"{path} was changed after it was committed{at}"
        hint = _restore_hint(damage)
    said = f"{said}, {_by(cause, damage.changes)}"
    return Finding(_CODE_OF[damage.kind], said, path, hint=hint)


def _restore_hint(damage: Damage) -> str:
    if damage.sound:
        return _RESTORE_HINT
    return f"`git cat-file blob {damage.first}` prints what it said first"


def _by(cause: Alteration, times: int) -> str:
    more = f" ({times} changes in all)" if times > 1 else ""
    who = cause.author or "an unknown author"
    return f"in commit {cause.commit[:12]} by {who} on {cause.date[:10]}{more}"
