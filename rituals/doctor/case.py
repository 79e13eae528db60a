"""The values that checks take and give."""

from __future__ import annotations

from ledger.findings import Finding
from ledger.values import Record
from rituals.verify.listing import list_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.home import Home
    from memory.api import Memory
    from rituals.verify.listing import Listing

MOVE, SET_ASIDE, REMAKE, FETCH, TIGHTEN, SET, COMMIT, REBUILD, PUBLISH = REMEDIES = (
    "move", "set aside", "remake", "bring back", "tighten", "set", "commit", "rebuild", "publish",
)  # fmt: skip

#: Stands behind findings that `--fix` mends.
FIX_HINT = "`diurna doctor --fix` {}"


class Remedy(Record):
    """One safe thing to do.

    Args:
        kind: one of `REMEDIES`, which are in the order in which they are applied.
        said: the step in words, beginning with a verb.
        target: a file, a branch or an object id, as the kind needs it.
    """

    kind: str
    said: str
    target: str = ""


class Noticed(Record):
    """What a check noticed, and what mends it, where something safe does."""

    finding: Finding
    remedy: Remedy | None = None


class Case(Record):
    """What is examined.

    Args:
        home: the home.
        memory: the same, open.
        now_ms: the wall clock, milliseconds since 1970.
        deep: compare the cache with a cold replay, and read every log.
        progress: told how far a long part is.
        mounts: where the kernel lists what is mounted.
        listings: those that were made already, by commit; None to make them anew each time.
    """

    home: Home
    memory: Memory
    now_ms: int
    deep: bool = False
    progress: Callable[[int, int], None] | None = None
    mounts: str = "/proc/mounts"
    listings: dict[str, Listing] | None = None

    def listing(self, tip: str) -> Listing:
        """List what is below `sessions/` at a commit, once for all checks of a visit."""
        if self.listings is None:
            return list_sessions(self.home, tip)
        if tip not in self.listings:
            self.listings[tip] = list_sessions(self.home, tip)
        return self.listings[tip]


def mended_by(
    code: str, message: str, kind: str, step: str, *, then: str, target: str = "", file: str = ""
) -> Noticed:
    """Return a finding together with its remedy.

    Args:
        code: of the finding.
        message: of the finding.
        kind: of the remedy.
        step: the remedy in words.
        then: what `--fix` does, in the third person, for the hint.
        target: of the remedy.
        file: where.
    """
    found = Finding(code, message, file, hint=FIX_HINT.format(then))
    return Noticed(found, Remedy(kind, step, target))
