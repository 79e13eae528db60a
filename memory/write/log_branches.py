"""Tell to which branch logs belong that wait for a person's commit: where they were written (W20)."""

from __future__ import annotations

from ledger.home import Home
from ledger.model.layout import log_path
from ledger.model.sha256 import blob_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_KEY = "branch: "


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
