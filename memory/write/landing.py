"""Tell what is in the way of committing what waits, above all captured logs (FORMAT.md, W14).

Nobody asked for those. Such a commit must not stand where a person is about to work: not on a commit that
may yet be amended or rebased, and not in the middle of an operation. git knows nothing of Diurna's lock,
so what it is doing at this moment is looked for as well.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms, now_seconds
from ledger.errors import WaitsInSpool
from ledger.git.repository import head, landing_hint, operation_under_way, read_reference
from ledger.home import IN_TREE, OWN_BRANCH, Home
from ledger.model.layout import COMMIT_SUBJECT
from ledger.wal.git_locks import git_runs, git_writes
from memory.cache.view_name import rides
from memory.write.draft import NEXT_COMMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.policy.model import Policy

#: How long logs wait for a commit of a person's.
WAIT_HOURS = 24
#: How long a person may write at the message of a commit.
_MESSAGE_HOURS = 4
_BUSY = "git is at work here"


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
        return _BUSY
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
        if behind := _behind(home, tip):
            return behind
    return _BUSY if is_busy(home) else ""


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
    young = now_ms() - message < _MESSAGE_HOURS * 3_600_000
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
