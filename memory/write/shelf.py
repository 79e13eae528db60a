"""Say what becomes of the logs of a home that wait though nothing failed (FORMAT.md, W14, W20)."""

from __future__ import annotations

from ledger.home import Home
from ledger.model.layout import log_path
from ledger.model.sha256 import blob_id
from ledger.wal.spool import Spool
from memory.cache.view_name import rides
from memory.replay.ledger_snapshot import Snapshot
from memory.write.landing import obstacle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_KEY = "branch: "


class Shelf:
    """Where they wait.

    Args:
        snapshot: of the home, at its tip.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._home = snapshot.home
        self._snapshot = snapshot
        self.spool = Spool(self._home.spool_folder)

    def rides(self) -> bool:
        """Tell whether they wait for a person's own next commit (W20)."""
        return rides(self._home, self._snapshot.cache().policy)

    def obstacle(self, tip: str | None = None) -> str:
        """Return what is in the way of committing them now, "" where nothing is."""
        policy = self._snapshot.cache(tip).policy
        return obstacle(self._home, policy, self.spool.held_since(), tip)

    def for_here(self) -> list[str]:
        """Return the stems of those that may be committed on this branch, oldest first."""
        held = self.spool.held()
        return for_here(self._home, self._read(held)) if held and self.rides() else held

    def taken_along(self) -> list[str]:
        """Return the stems of those that the branch has by now, or the branch that they are of."""
        held = self.spool.held()
        known = self._snapshot.cache().known(held) if held else {}
        elsewhere: list[str] = []
        if len(known) < len(held) and self.rides():
            elsewhere = on_their_branches(self._home, self._read(held))
        return [stem for stem in held if stem in known or stem in elsewhere]

    def _read(self, stems: list[str]) -> dict[str, bytes]:
        return {stem: data for stem in stems if (data := self.spool.read(stem)) is not None}


def for_here(home: Home, logs: Mapping[str, bytes]) -> list[str]:
    """Return the stems of logs that may be committed on the branch that is checked out.

    One that was written on another branch waits for that as long as it is there, and is not merged here
    or stands in another work tree. `logs` is stem -> bytes.
    """
    written = _written(home, logs)
    if not written:
        return list(logs)
    form, names = "--format=%(worktreepath) %(refname)", sorted(set(written.values()))
    there = [row.rpartition(" ") for row in _refs(home, form, *names)]
    own = {name for tree, _, name in there if tree}
    if len(own) < len(there):
        own |= {
            *_refs(home, "--format=%(refname)", "--no-merged", home.reference or "HEAD", *names)
        }
    return [stem for stem in logs if written.get(stem, "") not in own]


def on_their_branches(home: Home, logs: Mapping[str, bytes]) -> list[str]:
    """Return the stems of logs that the branch has on which they were written, if that is not this one."""
    written = _written(home, logs)
    if not written:
        return []
    wanted = [f"{branch}:{home.prefix}{log_path(stem)}" for stem, branch in written.items()]
    found = home.repository.git().resolve(*wanted)
    return [stem for stem, blob in zip(written, found, strict=True) if blob == blob_id(logs[stem])]


def _written(home: Home, logs: Mapping[str, bytes]) -> dict[str, str]:
    """Return the full names of the branches of logs that were written on another than this one."""
    found = {stem: _branch_of(data) for stem, data in logs.items()}
    return {
        stem: f"refs/heads/{one}" for stem, one in found.items() if one not in ("", home.branch)
    }


def _refs(home: Home, *arguments: str) -> Iterable[str]:
    listed = home.repository.git().run("for-each-ref", *arguments)
    return listed.decode("utf-8", "surrogateescape").splitlines()


def _branch_of(data: bytes) -> str:
    head = data.split(b"\n---\n", 1)[0].decode("utf-8", "replace")
    found = [line[len(_KEY) :] for line in head.split("\n") if line.startswith(_KEY)]
    return found[0] if found else ""
