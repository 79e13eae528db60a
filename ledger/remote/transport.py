"""Fetch and push through the git executable, and say what went wrong.

libgit2's push says nothing when a server refuses, and knows neither credential helpers nor
`~/.ssh/config`; git does. Every call has a time limit on the monotonic clock, a session of its own that
ends as a whole, no prompts, explicit refspecs, and checks what it receives (faults of the groups I
and J in `tests/faults.txt`).
"""

from __future__ import annotations

import os
import time
from _collections_abc import Callable, Sequence

from ledger.environment import monotonic, variables
from ledger.errors import DiurnaError
from ledger.git.cli import Git
from ledger.model.layout import DEFAULT_BRANCH
from ledger.remote.remote import Remote, check_remote, local_path, without_credentials

#: Told what git is doing, how many objects are done, and of how many.
Progress = Callable[[str, int, int], None]

#: For one fetch or push as a whole.
LIMIT_SECONDS = 120.0
#: The most that is fetched of a home of others: a memory of 20,000 logs has about 40.
NEWEST_LIMIT_MB = 256
#: For asking what branches it has: a host that is silent must not hold up what else is to be done.
ASK_SECONDS = 20.0
#: The branches that one may be on of which none is named; HEAD there may name one that is not.
USUAL_BRANCHES = (f"refs/heads/{DEFAULT_BRANCH}", "HEAD", "refs/heads/main", "refs/heads/master")
#: How long a lock of the tracking reference is waited for; one that a killed git left is known for dead
#: after a second.
_LOCK_SECONDS, _PAUSE_SECONDS = 2.5, 0.1
_LIMIT_HINT = "a plain `git fetch` has no time limit; `diurna sync` goes on from what it brought"
#: `GIT_*` variables that say how to reach a remote, not which repository to use.
_KEPT = (
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND", "GIT_HTTP_USER_AGENT",
    "GIT_HTTP_PROXY_AUTHMETHOD", "GIT_HTTP_LOW_SPEED_LIMIT", "GIT_HTTP_LOW_SPEED_TIME",
)  # fmt: skip
_KEPT_STARTS = ("GIT_SSL_", "GIT_PROXY_SSL_")
_LINE = 1000  # bytes of a line that is not ended yet
_FAR = rb"([^: ][^:]*): +\d+% \((\d+)/(\d+)\)(?:, ([\d.]+) ([MG])iB)?"
#: Settings for every call: what is received is checked, whatever the repository's own settings say.
CHECKED = ("-c", "transfer.fsckObjects=true", "-c", "fetch.fsckObjects=true")

# What git and ssh say, in the C locale; the first kind that fits is taken.
_NOT_KNOWN = (
    "Authentication failed", "could not read Username", "could not read Password",
    "Permission denied (", "terminal prompts disabled", "Host key verification failed",
    "HTTP Basic: Access denied", "The requested URL returned error: 401",
    "Too many authentication failures",
)  # fmt: skip
_NO_WAY = (
    "Could not resolve", "Connection refused", "Network is unreachable", "No route to host",
    "onnection timed out", "Operation timed out", "Failed to connect", "Couldn't connect",
    "Temporary failure in name resolution", "Name or service not known", "Connection reset",
    "Connection closed", "Host is down", "hung up unexpectedly", "early EOF", "unable to connect",
    "The requested URL returned error: 5", "Empty reply from server", "transfer closed",
    "RPC failed", "Broken pipe", "invalid index-pack output",
    "expected flush after", "unexpected disconnect",
)  # fmt: skip
#: Reasons of a rejected update that only mean that somebody was faster.
_FASTER = (
    "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref",
    "incorrect old value", "reference already exists", "stale info", "failed to lock",
    "remote ref updated since checkout",
)  # fmt: skip


class NetworkFailed(DiurnaError):
    """A remote could not be used; what stands here is as it was."""


class Unreachable(NetworkFailed):
    """There is no way to the remote now: being offline is normal, and work goes on."""


class RemoteSilent(NetworkFailed):
    """The remote did not get done within the time limit."""


class AuthenticationFailed(NetworkFailed):
    """The remote does not know this user, or this machine does not know the remote."""


class RemoteRefused(NetworkFailed):
    """The remote said no, in its own words; trying again would not help."""


class RemoteMoved(NetworkFailed):
    """The remote's branch moved on meanwhile: fetch, join and push again."""


def fetch(
    git: Git,
    remote: Remote,
    progress: Progress | None = None,
    free: Callable[[], bool] | None = None,
) -> bool:
    """Fetch the branch; tell whether the remote has it. Only the tracking reference moves.

    `free` moves a lock of it aside which belongs to nobody, and tells whether it did.

    Raises:
        NetworkFailed: one of its kinds.
    """
    arguments = (
        *CHECKED, "fetch", "--progress" if progress else "--no-progress", "--no-show-forced-updates",
        "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules",
        "--no-auto-maintenance", "--refmap=", "--", remote.name, f"+{remote.branch}:{remote.tracking}",
    )  # fmt: skip
    deadline = 0.0
    while True:
        status, _, said = call(git, remote, LIMIT_SECONDS, arguments, progress)
        if not status or "couldn't find remote ref" in said:
            return not status
        deadline = deadline or monotonic() + _LOCK_SECONDS
        if "cannot lock ref" not in said or monotonic() > deadline:
            break
        if free is None or not free():
            # another fetch of this repository, of a linked worktree for instance, moves the same reference
            time.sleep(_PAUSE_SECONDS)
    raise failure(remote, "fetch", said, git.where)


def fetch_blobs(git: Git, remote: Remote, ids: list[str], scratch: str) -> dict[str, bytes]:
    """Fetch what a remote has of single files, by way of a repository that is thrown away afterwards.

    git does not fetch what it takes for here already, and this repository lacks just that. `scratch` is
    a folder for the other repository.

    Raises:
        NetworkFailed: one of its kinds.
    """
    import shutil
    import tempfile

    url = git.text("ls-remote", "--get-url", remote.name, check=False).strip()
    url = local_path(url, git.where) or url
    check_remote(url)
    folder = tempfile.mkdtemp(prefix="fetched-", dir=scratch)
    try:
        there = Git(folder)
        there.run("init", "--quiet", "--bare", folder)
        begin = (*CHECKED, "fetch", "--quiet", "--no-tags", "--no-auto-maintenance", "--", url)
        # a server may give single objects, or only branches
        status, _, _ = call(there, remote, LIMIT_SECONDS, (*begin, *ids))
        if status:
            whole = f"+{remote.branch}:refs/heads/fetched"
            status, _, words = call(there, remote, LIMIT_SECONDS, (*begin, whole))
            if status:
                raise failure(remote, "fetch", words, git.where)
        found = zip(ids, there.blobs(ids), strict=True)
        return {oid: data for oid, data in found if data is not None}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fetch_newest(git: Git, remote: Remote) -> str:
    """Fetch the newest commit of a branch, without its history, into a bare repository of our own.

    The remote counts by its URL; its branch may be "", for `memory` or else the default one.

    Returns:
        The commit, "" where there is no such branch; `remote.tracking` is there.

    Raises:
        NetworkFailed: one of its kinds.
    """
    wanted = (remote.branch,) if remote.branch else USUAL_BRANCHES
    there = advertised(git, remote, wanted)
    branch = next((one for one in wanted if one in there), "")
    if not branch:
        return ""
    # a repository of the user's would take a branch that points into its history for the end of that
    shallow = ("--depth=1", "--update-shallow")
    fetch_limited(
        git, remote, (f"+{branch}:{remote.tracking}",), LIMIT_SECONDS, NEWEST_LIMIT_MB, *shallow
    )
    return git.resolve(remote.tracking)[0]


def advertised(git: Git, remote: Remote, patterns: Sequence[str]) -> dict[str, str]:
    """Ask a remote for references; return the commit of each that fits a pattern, by its name.

    Raises:
        NetworkFailed: one of its kinds.
    """
    asked = ("ls-remote", "--quiet", "--", remote.name, *patterns)
    status, out, said = call(git, remote, ASK_SECONDS, asked)
    if status:
        raise failure(remote, "ls-remote", said, git.where)
    rows = [line.partition("\t") for line in out.split("\n")[:-1]]
    return {name: commit for commit, _, name in rows}


def fetch_limited(
    git: Git, remote: Remote, specs: Sequence[str], seconds: float, limit_mb: int, *how: str
) -> None:
    """Fetch some branches into a bare repository of our own, up to so many megabytes.

    `how` are more options of `git fetch`.

    Raises:
        NetworkFailed: one of its kinds.
    """
    arguments = (
        *CHECKED, "fetch", "--progress", *how, "--no-tags", "--no-write-fetch-head",
        "--no-recurse-submodules", "--no-auto-maintenance", "--", remote.name, *specs,
    )  # fmt: skip
    try:
        status, _, said = call(git, remote, seconds, arguments, limit_mb=limit_mb)
    except OverflowError:
        message = f"{remote.shown} sends more than {limit_mb} MB, and was not read to its end"
        hint = "name the branch of its memory alone: URL#BRANCH"
        raise RemoteRefused(message, hint=hint) from None
    if status:
        raise failure(remote, "fetch", said, git.where)


def push(git: Git, remote: Remote, commit: str, progress: Progress | None = None) -> None:
    """Let the remote's branch move on to a commit, never back.

    Raises:
        RemoteMoved: it moved meanwhile.
        RemoteRefused: a hook, a rule or a permission forbids it.
        NetworkFailed: another of its kinds.
    """
    arguments = (
        *CHECKED, "-c", f"remote.{remote.name.replace('=', '')}.mirror=false",  # one branch goes
        "push", "--porcelain", "--progress" if progress else "--no-progress",
        "--no-verify", "--no-follow-tags", "--no-signed",
        "--recurse-submodules=no", "--", remote.name, f"{commit}:{remote.branch}",
    )  # fmt: skip
    status, out, said = call(git, remote, LIMIT_SECONDS, arguments, progress)
    if not status:
        return
    rejected = next((line for line in out.split("\n") if line.startswith("!")), "")
    if any(words in rejected or words in said for words in _FASTER):
        newer = f"{remote.shown} has a newer {remote.shown_branch}"
        raise RemoteMoved(newer, hint="sync again")
    if rejected:
        because = rejected.split("\t")[-1].strip()
        raise _refused(remote, said, f"it answered {because}")
    raise failure(remote, "push", said, git.where)


def call(
    git: Git, remote: Remote, seconds: float, arguments: tuple[str, ...],
    progress: Progress | None = None, data: bytes = b"", limit_mb: int = 0,
) -> tuple[int, str, str]:  # fmt: skip
    """Run a git command that reaches a remote; return its status, output and error output.

    Raises:
        RemoteSilent: it was not done in time.
        OverflowError: it sent more than `limit_mb`, where that is not 0.
    """
    running = git.start(*arguments, more=_environment(remote))
    try:
        status, out, err = running.finish(data, seconds=seconds, hear=_hearing(progress, limit_mb))
    except TimeoutError:
        message = f"{remote.shown} was not done after {seconds:.0f} seconds"
        raise RemoteSilent(message, hint=_LIMIT_HINT) from None
    # what it draws over stands before a carriage return
    lines = [line.rpartition(b"\r")[2] for line in err.split(b"\n")]
    return status, out.decode("utf-8", "replace"), b"\n".join(lines).decode("utf-8", "replace")


def _hearing(progress: Progress | None, limit_mb: int) -> Callable[[bytes], None] | None:
    """Return what reads off git's own lines, however cut, how far it is, and ends what sends too much.

    Such a line is `Receiving objects:  42% (420/1000), 12.50 MiB | 3.00 MiB/s`; `limit_mb` is 0 for none.
    """
    if progress is None and not limit_mb:
        return None
    import re

    cut = b""

    def hear(said: bytes) -> None:
        nonlocal cut
        *lines, cut = (cut[-_LINE:] + said).replace(b"\r", b"\n").split(b"\n")
        for line in lines:
            found = re.search(_FAR, line)
            if found is None:
                continue
            if progress is not None:
                progress(found[1].decode("utf-8", "replace"), int(found[2]), int(found[3]))
            sent = float(found[4] or 0) * (1024 if found[5] == b"G" else 1)
            if limit_mb and sent > limit_mb and line[:7] != b"remote:":
                raise OverflowError

    return hear


def _environment(remote: Remote) -> dict[str, str]:
    """Let the user's way to the remote act, and nobody ask questions."""
    known = variables()
    kept = {key: known[key] for key in known if key in _KEPT or key.startswith(_KEPT_STARTS)}
    kept.update(GIT_ASKPASS="", SSH_ASKPASS="", GCM_INTERACTIVE="never")
    if not remote.ssh_set and "GIT_SSH_COMMAND" not in kept and "GIT_SSH" not in kept:
        kept["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes"
    return kept


def failure(remote: Remote, command: str, said: str, here: str = "/") -> NetworkFailed:
    """Tell by git's words what kind of failure it was.

    A configured path where nothing is may be a disk that is not mounted: that is offline, like a network
    that is away.
    """
    where = remote.shown
    lines = [line.strip() for line in without_credentials(said).split("\n") if line.strip()]
    telling = [line for line in lines if not line.startswith(("remote:", "hint:", "warning:"))]
    first = (telling or lines or ["git said nothing"])[0]
    first = first.removeprefix("fatal: ").removeprefix("error: ")
    if any(words in said for words in _NOT_KNOWN):
        hint = f"see that `git {command} {where}` works without asking (a credential helper, a key)"
        if "Host key" in said:
            hint = (
                "connect once with ssh and compare the host's key with the one its owner publishes"
            )
        return AuthenticationFailed(f"{where} did not let us in: {first}", hint=hint)
    path = local_path(remote.url, here)
    if path and not os.path.exists(path):
        message = f"{where} is not there: nothing is at {without_credentials(remote.url)}"
        hint = "mount that disk, or see with `git remote -v` whether the path is right"
        return Unreachable(message, hint=hint)
    if any(words in said for words in _NO_WAY):
        hint = "work goes on here; `diurna sync` again when the remote is there"
        return Unreachable(f"{where} can not be reached: {first}", hint=hint)
    return _refused(remote, said, first)


def _refused(remote: Remote, said: str, otherwise: str) -> RemoteRefused:
    """Give the server's own words."""
    lines = [line for line in without_credentials(said).split("\n") if line[:7] == "remote:"]
    text = " ".join(filter(None, [line[7:].strip() for line in lines])) or otherwise
    hint = "ask whoever maintains that repository; what is recorded here is safe"
    return RemoteRefused(f"{remote.shown} refused: {text}", hint=hint)
