"""Read a change of the code as a pull request proposes it: files, new logs, and what it is for."""

from __future__ import annotations

from ledger.codec.log import decode
from ledger.errors import NotFound, WrongUsage
from ledger.git.cli import Git
from ledger.git.code_diff import FileDiff, code_diff
from ledger.git.code_history import Code
from ledger.git.repository import find_repository
from ledger.home import IN_TREE, OWN_REPOSITORY, Home
from ledger.model.event import FactReferenced
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.order import is_stem
from ledger.model.record import Record
from ledger.model.session import SessionLog

_DEEP = "in CI, check out with the whole history (`fetch-depth: 0`), or fetch what is missing"


class NewLog(Record):
    """A session log that a change brings, in a home beside the code."""

    path: str  #: from the top
    data: bytes
    log: SessionLog


class Change(Record):
    """A range of commits."""

    base: str  #: the commit that it starts from
    head: str  #: the commit that it ends at
    trunk: str  #: the commit of the branch that it is for, as the range names it
    git: Git
    branch: str  #: as the range names its end, "" for HEAD
    code: Code  #: at its end; its history is that of the range alone
    files: tuple[FileDiff, ...]  #: the code that differs
    logs: tuple[NewLog, ...] = ()

    @property
    def named(self) -> frozenset[str]:
        """The facts that its logs name: whoever wrote it knows of them."""
        return frozenset([event.id for one in self.logs for event in one.log.events])

    @property
    def said(self) -> frozenset[str]:
        """The facts of which its logs say something."""
        events = [event for one in self.logs for event in one.log.events]
        return frozenset([one.id for one in events if not isinstance(one, FactReferenced)])


def change_of(home: Home, range: str, folder: str) -> Change:
    """Read a range: `BASE...HEAD` from where they parted, `BASE..HEAD` from BASE; HEAD where none is said.

    `folder` is where somebody works: its repository has the code where the home has one of its own.

    Raises:
        WrongUsage: the range names no base.
        NotFound: there is no such commit, or no code.
    """
    repository = home.repository if home.kind != OWN_REPOSITORY else find_repository(folder)
    if repository is None or (home.kind == OWN_REPOSITORY and repository == home.repository):
        raise NotFound("there is no code here", hint="run it in the repository of the code")
    git = repository.git()
    left, dots, right = range.partition("...")
    exact = not dots and ".." in range
    if exact:
        left, _, right = range.partition("..")
    if not left or ".." in right:
        raise WrongUsage(f"{range!r} is no range of commits", hint="say BASE...HEAD: main...HEAD")
    trunk, head = git.resolve(f"{left}^{{commit}}", f"{right or 'HEAD'}^{{commit}}")
    if not (trunk and head):
        raise NotFound(f"there is no commit {(right or 'HEAD') if trunk else left}", hint=_DEEP)
    base = trunk
    if not exact:
        base = git.run("merge-base", trunk, head, check=False).decode().strip()
    if not base:
        raise NotFound(f"{left} and {right or 'HEAD'} have no commit in common here", hint=_DEEP)
    inside = home.prefix if home.kind == IN_TREE else ""
    found = code_diff(git, base, head, inside)
    code = [one for one in found if not (inside and one.path.startswith(inside))]
    logs = _logs(git, found, inside) if inside else ()
    branch = "" if right in ("", "HEAD") else right
    ends = Code(git, head, inside, base)
    return Change(base, head, trunk, git, branch, ends, tuple(code), logs)


def _logs(git: Git, files: tuple[FileDiff, ...], prefix: str) -> tuple[NewLog, ...]:
    new = [
        one
        for one in files
        if one.path.startswith(prefix + SESSIONS_DIR) and one.after and not one.before
        and is_stem(stem_of(one.path))
    ]  # fmt: skip
    pairs = zip(new, git.blobs([one.after for one in new]), strict=True)
    return tuple(
        [NewLog(one.path, data, decode(data, sealed=False)[0]) for one, data in pairs if data]
    )
