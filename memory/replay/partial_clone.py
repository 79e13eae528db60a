"""Fetch what memory needs of a partial clone: its logs and pages, never the project's own files."""

from __future__ import annotations

from ledger.errors import NetworkFailed, NoRemote, NotFetched
from ledger.home import Home


def fetch_promised(home: Home, commit: str) -> None:
    """Have all files of a home at a commit here, where this is a partial clone; one fetch brings them.

    Raises:
        NotFetched: the remote that has them can not be reached.
    """
    if not home.repository.promisor or not commit:
        return
    git = home.repository.git()
    (tree,) = git.resolve(f"{commit}:{home.prefix.rstrip('/')}")
    listed = git.run("rev-list", "--objects", "--missing=print", tree).decode() if tree else ""
    missing = [line[1:] for line in listed.split("\n") if line[:1] == "?"]
    if not missing:
        return
    from ledger.remote.remote import choose_remote
    from ledger.remote.transport import CHECKED, LIMIT_SECONDS, call, failure

    try:
        remote = choose_remote(git, home.branch, home.repository.promisor)
        asked = (
            *CHECKED, "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags",
            "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
            "--filter=blob:none", "--stdin", "--", remote.name,
        )  # fmt: skip
        wanted = "".join([one + "\n" for one in missing]).encode("ascii")
        status, _, said = call(git, remote, LIMIT_SECONDS, asked, data=wanted)
        if status:
            raise failure(remote, "fetch", said, git.where)
    except (NetworkFailed, NoRemote) as problem:
        raise NotFetched(home.repository.where, problem.message) from problem
