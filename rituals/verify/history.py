"""What history did to logs: changed, deleted or moved, by whom and in which commit (E1 to E3)."""

from __future__ import annotations

from ledger.findings import Finding
from ledger.history import (
    DELETED,
    MODIFIED,
    MOVED,
    Alteration,
    Damage,
    altered,
    damages,
    sealed_blobs,
)
from rituals.verify.listing import FILE_MODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ledger.home import Home

    Progress = Callable[[int, int], None]

_CODE_OF = {MODIFIED: "log-modified", DELETED: "log-deleted", MOVED: "log-moved"}
_RESTORE_HINT = "`diurna verify --restore` adds its first bytes again"


def damaged(
    home: Home, tip: str, standing: Mapping[str, str], progress: Progress | None
) -> tuple[tuple[Damage, ...], tuple[Finding, ...]]:
    """Find the logs that history altered and that are not whole at the tip."""
    changed, findings = altered(home, tip, progress)
    stood: dict[str, list[str]] = {}
    for change in changed:
        blobs = stood.setdefault(change.path, [standing.get(change.path, "")])
        blobs += (change.blob_before, change.blob_after)
    return damages(changed, standing, sealed_blobs(home, stood)), findings


def damage_finding(home: Home, damage: Damage) -> Finding:
    """Say what happened to one log, in which commit, and what to do."""
    cause = damage.cause
    path = damage.path
    if damage.kind == MOVED:
        said = f"{path} was moved to {damage.now}"
        hint = f"it counts where it is, and is whole again once it stands at {path}"
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
    return Finding(_CODE_OF[damage.kind], f"{said}, {_by(cause, damage.changes)}", path, hint=hint)


def _restore_hint(damage: Damage) -> str:
    if damage.sound:
        return _RESTORE_HINT
    return f"`git cat-file blob {damage.first}` prints what it said first"


def _by(cause: Alteration, times: int) -> str:
    more = f" ({times} changes in all)" if times > 1 else ""
    who = cause.author or "an unknown author"
    return f"in commit {cause.commit[:12]} by {who} on {cause.date[:10]}{more}"
