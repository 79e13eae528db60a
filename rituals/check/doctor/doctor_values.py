"""Define the values that the doctor's checks take and give."""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.record import Record

MOVE, REMAKE, FETCH, SET, COMMIT, REBUILD, PUBLISH = REMEDIES = (
    "move", "remake", "bring back", "set", "commit", "rebuild", "publish",
)  # fmt: skip

#: Stands behind findings that `--fix` mends.
FIX_HINT = "`diurna check --fix` {}"


class Remedy(Record):
    """One safe thing to do."""

    kind: str  #: one of `REMEDIES`, which are in the order in which they are applied
    said: str  #: the step in words, beginning with a verb
    target: str = ""  #: a file, a branch or an object id, as the kind needs it


class Noticed(Record):
    """What a check noticed, and what mends it, where something safe does."""

    finding: Finding
    remedy: Remedy | None = None


class Machine(Record):
    """Where a visit is made from: the folder, and those in which commands are looked for."""

    where: str
    folders: tuple[str, ...]


def mended_by(
    code: str, message: str, kind: str, step: str, *, then: str, target: str = ""
) -> Noticed:
    """Return a finding together with its remedy.

    Kind and target are the remedy's; `step` is that in words, and `then` says in the third person what
    `--fix` does, for the hint.
    """
    found = Finding(code, message, hint=FIX_HINT.format(then))
    return Noticed(found, Remedy(kind, step, target))
