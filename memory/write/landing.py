"""Tell what is in the way of committing logs that wait though nothing failed (FORMAT.md, W14, W20).

Most are captured logs, which nobody asked for. Such a commit must not stand where a person is about to
work: not on a commit that may yet be amended or rebased, and not in the middle of an operation. git knows
nothing of Diurna's lock, so what it is doing at this moment is looked for as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ledger.environment import machine_ms, now_seconds
from ledger.errors import WaitsInSpool
from ledger.git.repository import head, landing_hint, operation_under_way, read_reference
from ledger.home import IN_TREE, OWN_BRANCH, Home
from ledger.model.layout import COMMIT_SUBJECT, log_path
from ledger.model.sha256 import blob_id
from ledger.wal.git_locks import git_runs, git_writes
from ledger.wal.spool import Spool
from memory.cache.view_name import rides
from memory.replay.ledger_snapshot import Snapshot
from memory.write.draft import NEXT_COMMIT
from projection.policy.model import Policy

#: How long logs wait for a commit of a person's.
WAIT_HOURS = 24
#: How long a person may write at the message of a commit.
_MESSAGE_HOURS = 4
_KEY = "branch: "


def obstacle(home: Home, policy: Policy, since: float, tip: str | None = None) -> str:
    """Return what is in the way of logs that wait, on the branch now, "" where nothing is.

    `policy` is of its tip; `since` is when the first of them began to wait, in seconds since 1970;
    `tip` is where the branch stands, None to look.
    """
    rode = rides(home, policy)
    if rode and now_seconds() - since < WAIT_HOURS * 3600:
        return NEXT_COMMIT
    where = home.repository
    if home.kind == OWN_BRANCH:
        return ""
    if not home.reference:
        return "HEAD is detached"
    if head(where)[0] != home.reference:
        return "another branch is checked out by now"
    doing = operation_under_way(where) if where.top else ""
    if doing:
        return f"{doing} is in progress"
    if home.kind != IN_TREE:
        return ""
    if is_busy(home):
        return "git is at work here"
    tip = home.tip() if tip is None else tip
    if not tip:
        return f"{home.branch} has no commit yet"
    if not _is_ours(home, tip):
        git = where.git()
        if git.run(
            "rev-list", "-n1", tip, "--not", "--remotes", "--", check=False
        ).strip() and not (
            rode and not git.run("remote")  # nobody else will ever have it
        ):
            return "no remote has your last commit yet"
        return _behind(home, tip)
    return ""


def born_from_upstream(home: Home, tip: str) -> bool:
    """Tell whether the branch itself is unborn and the tip is that of its remote-tracking branch."""
    return bool(tip and home.upstream and not read_reference(home.repository, home.reference))


def refuse_unfit(home: Home, stem: str) -> None:
    """See that the work tree is in a state in which logs that were asked for can be committed.

    Raises:
        WaitsInSpool: it is not; this log is named.
    """
    # a rebase or bisect detaches HEAD: checking out a branch would be the wrong advice then
    if home.kind != OWN_BRANCH and home.repository.top:
        doing = operation_under_way(home.repository)
        if doing:
            on = f" on {home.branch}" if home.branch else ""
            raise WaitsInSpool(
                stem,
                f"{doing} is in progress{on}",
                "finish it; the next Diurna command commits what waits",
            )
    if not home.reference:
        raise WaitsInSpool(
            stem,
            "HEAD is detached, so there is no branch to commit to",
            landing_hint(home.repository),
        )


def is_busy(home: Home) -> bool:
    """Tell whether git holds the index, moves a branch, or waits for the message of a commit."""
    where = home.repository
    if home.kind != IN_TREE or not where.top:
        return False
    if os.path.exists(f"{where.gitdir}/index.lock") or git_writes(where.top):
        return True
    message = _changed_ms(f"{where.gitdir}/COMMIT_EDITMSG")
    young = machine_ms() - message < _MESSAGE_HOURS * 3_600_000
    return young and message > _changed_ms(f"{where.gitdir}/logs/HEAD") > 0


def commit_runs(home: Home) -> bool:
    """Tell whether a commit of a person's is under way: one that fails has let go of all that it held."""
    where = home.repository
    if os.path.exists(f"{where.gitdir}/index.lock") or git_writes(where.top):
        return True
    return is_busy(home) and git_runs(where.top)  # an alias, whose message is being written


def _changed_ms(path: str) -> int:
    """Return when a file was written last, in milliseconds since 1970; 0 for none."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return 0


def _is_ours(home: Home, tip: str) -> bool:
    """Tell whether a commit is Diurna's own, with nothing of a person's amended into it."""
    shown = home.repository.git().run(
        "show", "-z", "--format=%s%x00%P", "--name-only", "--no-renames", "-m", "--first-parent", tip,
        "--", check=False,
    )  # fmt: skip
    subject, _, rest = shown.decode("utf-8", "replace").partition("\0")
    parents, _, names = rest.partition("\0")
    if not subject.startswith(COMMIT_SUBJECT):
        return False
    if " " in parents:
        return True  # it joins two tips: what it brings, others committed
    return all(name.startswith(home.prefix) for name in names.strip("\n\0").split("\0") if name)


def _behind(home: Home, tip: str) -> str:
    """Say that the branch's upstream has commits which it lacks: a pull would have to merge then."""
    git = home.repository.git()
    upstream = f"{home.branch}@{{upstream}}"
    status, said, _ = git.call("rev-list", "-n1", upstream, f"^{tip}", "--")
    if status or not said.strip():
        return ""
    name = git.run("rev-parse", "--abbrev-ref", upstream, check=False).decode("utf-8", "replace")
    return f"your branch is behind {name.strip()}"


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
    form, names = "--format=%(worktreepath) %(refname)", {*written.values()}
    there = [row.rpartition(" ") for row in _refs(home, form, *names)]
    own = {name for tree, _, name in there if tree}
    own |= {*_refs(home, "--format=%(refname)", "--no-merged", home.reference or "HEAD", *names)}
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
    return listed.decode("utf-8", "surrogateescape").split("\n")[:-1]


def _branch_of(data: bytes) -> str:
    head = data.partition(b"\n---\n")[0].decode("utf-8", "replace")
    found = [line[len(_KEY) :] for line in head.split("\n") if line.startswith(_KEY)]
    return found[0] if found else ""
