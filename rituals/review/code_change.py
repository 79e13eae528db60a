"""Read a change of the code as a pull request proposes it, and work that no session log tells of."""

from __future__ import annotations

from ledger.codec.log import decode, read_header
from ledger.errors import NotFound, WrongUsage
from ledger.git.cli import Git
from ledger.git.code_diff import FileDiff, code_diff
from ledger.git.code_history import PLAIN, Code
from ledger.git.repository import find_repository, head
from ledger.home import IN_TREE, OWN_REPOSITORY, Home
from ledger.model.event import FactReferenced
from ledger.model.findings import Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.order import is_stem, milliseconds_of, stamp_of
from ledger.model.record import Record
from ledger.model.session import SessionLog
from memory.api import Memory
from memory.cache.head_store import has_code
from memory.replay.read_logs import read_bytes

_DEEP = "in CI, check out with the whole history (`fetch-depth: 0`), or fetch what is missing"
#: Less work than this needs no log.
_LEAST_COMMITS, _LEAST_LINES = 5, 100
_ABBREVIATED = 7
#: So many commits since the last log are counted, and of so many the lines.
_MOST_COMMITS, _READ_COMMITS = 200, 20
_HINT = '`diurna note "decision: …"` records it'


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
    differing = code_diff(git, base, head, inside)
    code = [one for one in differing if not (inside and one.path.startswith(inside))]
    logs = _logs(git, differing, inside) if inside else ()
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


def untold_work(memory: Memory, change: Change) -> list[Finding]:
    """Say once that people worked and no log tells of it; a log does by its branch or its commit."""
    if change.logs or sum(max(one.size, 0) for one in change.files) < _LEAST_LINES:
        return []
    git, home = change.git, memory.home
    commits, people = _commits(git, change.head, f"^{change.base}")
    if people < _LEAST_COMMITS:
        return []
    names = git.text("for-each-ref", "--points-at", change.head, "--format=%(refname)")
    refs = [name.split("/") for name in names.split()]
    branches = {"/".join(parts[3 if parts[1] == "remotes" else 2 :]) for parts in refs}
    began = git.text("show", "-s", "--format=%ct", change.base)
    since = stamp_of(int(began) * 1000)  # a branch of that name may have been there before
    tip = change.trunk if home.kind == IN_TREE else home.tip()
    listed = [ref for ref in memory.snapshot.tip.list_logs(tip)[0] if ref.stem >= since]
    for _, data in read_bytes(home, listed):
        header = dict(read_header(data))
        commit = header.get("commit", "")
        known = [one for one in (*commits, change.head) if one.startswith(commit)]
        named = len(commit) >= _ABBREVIATED and known
        if named or header.get("branch") in (*branches, change.branch):
            return []
    said = f"{people} commits, and no session log tells of them: record what was decided?"
    return [Finding("change-untold", said, hint=_HINT)]


def untold_since(home: Home, newest: str) -> int:
    """Return how many commits of people HEAD has behind the newest log, 0 where none is missing.

    Lines are counted only where there are enough commits. `newest` is the log's stem, "" for none.
    """
    repository = home.repository
    commit = head(repository)[1] if newest and has_code(home) and not repository.promisor else ""
    if not commit:
        return 0
    git, since = repository.git(), f"--since={milliseconds_of(newest) // 1000 + 1}"
    outside = [f":(exclude,literal){home.prefix.rstrip('/')}"] if home.prefix else []
    places = ("--", ".", *outside)
    commits, people = _commits(git, f"--max-count={_MOST_COMMITS}", since, commit, *places)
    if people < _LEAST_COMMITS:
        return 0
    read = commits[: min(people, _READ_COMMITS)]
    rows = git.text("show", "--format=", "--numstat", *PLAIN, *read, *places).split("\n")
    sizes = [size for row in rows for size in row.split("\t")[:2] if size.isdigit()]
    return people if sum(map(int, sizes)) >= _LEAST_LINES else 0


def _commits(git: Git, *arguments: str) -> tuple[list[str], int]:
    """Return the commits that `git log` lists, those of people first, and how many are."""
    out = git.text("log", "--no-merges", "--format=%H %ae %an", *arguments)
    rows = [row.partition(" ") for row in out.split("\n") if row]
    people = [commit for commit, _, author in rows if "[bot]" not in author]
    return [*people, *[commit for commit, _, author in rows if "[bot]" in author]], len(people)
