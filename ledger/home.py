"""Find the home of a ledger: its repository, branch and folder."""

from __future__ import annotations

import os

from ledger.environment import data_folder, last_bytes, variables
from ledger.errors import DiurnaError, HomeNotFound, NotFound
from ledger.git.config_files import HOME_SETTING, home_setting
from ledger.git.repository import (
    Repository,
    config_value,
    default_branch,
    find_repository,
    fit_for_us,
    head,
    is_plain,
    read_reference,
    remote_branches,
)
from ledger.model import layout
from ledger.model.record import TYPE_CHECKING, Record

IN_TREE, OWN_BRANCH, OWN_REPOSITORY = "in-tree", "own-branch", "own-repository"
#: What is said for the personal home where a home is named; a folder of that name is `./personal`.
PERSONAL = "personal"
_POINTER_CHARS = 200
NEWER_HINT = "if this branch is to follow that one, `git merge origin/HEAD` brings it here"

if TYPE_CHECKING:
    from ledger.git.cli import Git
    from ledger.git.code_history import Code
    from ledger.wal.spool import Spool


class Home(Record):
    """A place that holds a ledger.

    `reference` is the branch's full name, "" when HEAD is detached; `prefix` is "" or ends in "/";
    `upstream` is the remote-tracking branch to start from while the own branch is unborn here; `named` is
    what named the home, "" where it was found from the folder; `everywhere`: answers do not go by HEAD
    (B2).
    """

    kind: str
    repository: Repository
    reference: str
    prefix: str
    upstream: str = ""
    named: str = ""
    everywhere: bool = False

    @property
    def branch(self) -> str:
        """The branch's short name."""
        return self.reference.removeprefix("refs/heads/")

    @property
    def seen(self) -> str:
        """The reference that keeps the branch's tip as it was seen last (L6), "" where it has code."""
        known = self.reference and self.kind != IN_TREE
        return layout.kept_as(layout.SEEN, self.reference) if known else ""

    @property
    def kept(self) -> str:
        """The reference that keeps its logs (L6): of a branch, or of a folder on all branches."""
        return self.seen or layout.kept_as(layout.SEEN, self.prefix)

    @property
    def lost(self) -> str:
        """The reference that keeps the logs that went from there (L6)."""
        return layout.kept_as(layout.LOST, self.reference if self.seen else self.prefix)

    def is_astray(self) -> bool:
        """Tell whether the branch, or what keeps it, is elsewhere than Diurna left it."""
        where = self.repository
        end = last_bytes(layout.beside_git(where.commondir, self.kept), 41)
        left = end[:40].decode("ascii", "replace")
        kept = read_reference(where, self.kept) if left or self.seen else ""
        at = read_reference(where, self.reference) if self.seen else kept
        return left not in ("", kept) or (bool(kept) and kept != at)

    @property
    def checked_out(self) -> bool:
        """Whether the ledger's files stand in the work tree."""
        return self.kind != OWN_BRANCH and bool(self.repository.top)

    @property
    def plain(self) -> bool:
        """Whether its logs are plain files in a work tree, which a person commits (W21)."""
        return self.kind == IN_TREE and self.checked_out

    @property
    def folder(self) -> str:
        """The folder in the work tree that holds the files, or where the projection is mirrored."""
        return os.path.join(self.repository.top, self.prefix.rstrip("/")).rstrip("/")

    @property
    def spool_folder(self) -> str:
        """Where logs wait; an own branch has a spool of its own beside the work tree's."""
        folder = f"{self.repository.commondir}/{layout.SPOOL_DIR}"
        return f"{folder}@{layout.as_name(self.branch)}" if self.kind == OWN_BRANCH else folder

    @property
    def spool(self) -> Spool:
        """What waits there."""
        from ledger.wal.spool import Spool  # most commands find nothing in it

        return Spool(self.spool_folder)

    @property
    def held_folder(self) -> str:
        """Where logs are that nobody asked for, or that a person is to commit."""
        return self.spool_folder + "/held"

    @property
    def cache_file(self) -> str:
        """Where the caches of this branch and prefix are, without their suffix."""
        name = layout.as_name(f"{self.reference or 'detached'}@{self.prefix}")[-180:]
        return f"{self.repository.commondir}/{layout.CACHE_DIR}/{name}"

    @property
    def state_dir(self) -> str:
        """Where Diurna keeps its spool, locks and caches."""
        return f"{self.repository.commondir}/{layout.STATE_DIR}"

    def tip(self) -> str:
        """Return the commit the ledger is read from, "" when there is none yet."""
        if not self.reference:
            return head(self.repository)[1]
        found = read_reference(self.repository, self.reference)
        return found or (read_reference(self.repository, self.upstream) if self.upstream else "")


def discover(start: str, *, named: str = "") -> Home:
    """Find the home for a folder.

    In this order: the one that this clone's configuration names (`diurna.home`), upward in the work tree,
    the own branch, the tip's tree, a branch `memory` here or of a remote, and last the one that the
    user's configuration names. Never looks past the repository that holds the folder. `named` is what
    named it, `--home` for one; what the configuration says is not asked then, nor where `$DIURNA_HOME`
    is set.

    Raises:
        HomeNotFound: there is none.
        NotFound: the configuration names a folder that is not there.
        UnsupportedRepository: the repository is of a shape Diurna does not handle.
    """
    repository = find_repository(start, fit=False)
    asks = not named and not variables().get("DIURNA_HOME")
    told = ""
    if asks and repository and repository.settings:
        told = home_setting(repository.commondir, repository.where)
    if not told:
        try:
            if repository is None:
                raise HomeNotFound(start)
            found = _found(fit_for_us(repository), start)
            return found._replace(named=named) if named else found
        except HomeNotFound:
            told = home_setting("", "") if asks else ""
            if not told:
                raise
    if not os.path.isdir(told):
        message = f"there is no folder {told}, which {HOME_SETTING} of git's configuration names"
        hint = f"`git config {HOME_SETTING} PATH` names another one, `--home PATH` one for this command"
        raise NotFound(message, where=HOME_SETTING, hint=hint)
    try:
        return discover(told, named=HOME_SETTING)
    except HomeNotFound as problem:
        because = f"{HOME_SETTING} of git's configuration names {told}, where none is"
        hint = f"`diurna init {told}` makes one; `git config {HOME_SETTING} PATH` names another"
        raise HomeNotFound(start, because=because, hint=hint) from problem


def _found(repository: Repository, start: str) -> Home:
    """Look for the home of a folder in the repository that holds it."""
    if repository.top:
        found = _in_work_tree(repository, os.path.realpath(start))
        moved = config_value(repository, "moved") if found and repository.settings else ""
        if found and found == moved:
            found = None  # this branch has yet to hear that memory moved
        if found is not None:
            folder = os.path.join(repository.top, found.rstrip("/"))
            if os.path.realpath(folder) != folder.rstrip("/"):
                because = f"{folder} is a link, and Diurna does not write through links"
                hint = f"name the home itself: --home {os.path.realpath(folder)}"
                raise HomeNotFound(start, because=because, hint=hint)
            if found and os.path.lexists(folder + "/.git"):
                inner = find_repository(folder)  # a submodule, a clone: its ledger is not ours
                assert inner is not None, "it has a .git"
                return _found(inner, folder)
            return checked_out_home(repository, found)
    branch = config_value(repository, "branch") if repository.settings else ""
    if branch:
        return branch_home(repository, branch)
    tip = head(repository)[1]
    if tip:
        inside = prefix_in(repository.git(), tip)
        if inside is not None:
            return checked_out_home(repository, inside)
    branch = layout.DEFAULT_BRANCH
    # a bare clone has it as its own
    named = (f"refs/heads/{branch}", *remote_branches(repository, branch))
    there = [f"{one}:{layout.POLICY_FILE}" for one in named if read_reference(repository, one)]
    if there and any(repository.git().resolve(*there)):
        return branch_home(repository, branch)
    raise _not_found(repository, start)


def personal_folder() -> str:
    """Return where the home of what is only the user's is, or would be."""
    return f"{data_folder()}/{layout.PERSONAL_FOLDER}"


def named_folder(named: str) -> str:
    """Return the folder that is meant where a home is named: a path, or `personal`."""
    return personal_folder() if named == PERSONAL else named


def has_personal() -> bool:
    """Tell by one look whether there may be a personal home."""
    return os.path.isfile(f"{personal_folder()}/{layout.POLICY_FILE}")


def has_layers(home: Home) -> bool:
    """Tell by two looks whether other homes may be read beside one."""
    return has_personal() or os.path.isdir(f"{home.repository.commondir}/{layout.UPSTREAM_DIR}")


def personal_home() -> Home | None:
    """Return the home of what is only the user's; None where there is none, which takes one look.

    That its policy says `personal = true` too is for the reader of the policy to ask.

    Raises:
        UnsupportedRepository: its repository is of a shape Diurna does not handle.
    """
    if not has_personal():
        return None
    folder = personal_folder()
    repository = find_repository(folder)
    if repository is None or repository.top != os.path.realpath(folder):
        return None
    return checked_out_home(repository, "")


def code_of(home: Home, path: str = "", option: str = "--code") -> Code | None:
    """Return the code that a ledger is about; None where it has none.

    In-tree and own-branch homes stand in its repository; a repository of their own has none unless one
    is named. `path` is a folder in a code repository, "" for the home's own; the user named it by
    `option`.

    Raises:
        NotFound: there is no repository with a commit at `path`.
    """
    from ledger.git.code_history import Code

    if not path:
        if home.kind == OWN_REPOSITORY:
            return None
        commit = head(home.repository)[1]
        return Code(home.repository.git(), commit, home.prefix) if commit else None
    repository = find_repository(path)
    if repository is None or not (commit := head(repository)[1]):
        raise NotFound(
            f"there is no git repository with a commit at {path}",
            where=option,
            hint="name a folder in the repository whose code this memory is about",
        )
    same = repository.commondir == home.repository.commondir
    return Code(repository.git(), commit, home.prefix if same else "")


def _not_found(repository: Repository, start: str) -> HomeNotFound:
    """Say that there is no home, and name a memory that could become one."""
    from shlex import quote

    top = repository.top
    for folder in dict.fromkeys((os.path.realpath(start), top)) if top else ():
        for prefix in (layout.TREE_PREFIX, ""):
            if os.path.isfile(f"{folder}/{prefix}{layout.MOVED_FILE}"):
                file = f"{folder}/{prefix}{layout.MOVED_FILE}"
                with open(file, encoding="utf-8", errors="replace") as moved:
                    name = moved.read(_POINTER_CHARS).partition("the branch `")[2].partition("`")[0]
                hint = f"`diurna init --branch {name if is_plain(name) else 'NAME'}` brings that branch"
                because = f"{file} says where memory is now"
                return HomeNotFound(start, because=because, hint=hint, near=True)
            if os.path.isfile(f"{folder}/{prefix}{layout.CONTINUITY_FILE}"):
                file = f"{folder}/{prefix}{layout.CONTINUITY_FILE}"
                because = f"{file} is of another tool, or written by hand"
                hint = f"`diurna import ledger {folder}` takes it over; --dry-run says what it would do"
                return HomeNotFound(start, because=because, hint=hint)
    newer = newer_branch(repository)
    if newer:
        return HomeNotFound(start, f"{newer} has one", NEWER_HINT, near=True)
    above = _superproject(repository)
    if above:
        because = f"{top} is a submodule of {above}, whose memory is another one"
        hint = f"`git config {HOME_SETTING} {quote(above)}` lets that one be used here, too; "
        return HomeNotFound(start, because, f"{hint}`diurna init` makes one of its own", near=True)
    return HomeNotFound(start)


def newer_branch(repository: Repository) -> str:
    """Return the remote's own branch where it has a home that what is checked out lacks, "" for none."""
    name = default_branch(repository)
    tip = read_reference(repository, f"refs/remotes/origin/{name}") if name else ""
    found = tip and tip != head(repository)[1] and prefix_in(repository.git(), tip) is not None
    return f"origin/{name}" if found else ""


def _superproject(repository: Repository) -> str:
    """Return the work tree with a home whose submodule this one is, or one in it; "" for none."""
    try:
        above = find_repository(os.path.dirname(repository.top)) if repository.top else None
        if above is None or not repository.commondir.startswith(f"{above.gitdir}/modules/"):
            return ""
        try:
            return _found(above, above.top).repository.top
        except HomeNotFound:
            return _superproject(above)
    except DiurnaError:
        return ""


def checked_out_home(repository: Repository, prefix: str) -> Home:
    """Return the home at a prefix of the checked-out branch (of HEAD, in a bare repository)."""
    kind = IN_TREE if prefix else OWN_REPOSITORY
    return Home(kind, repository, head(repository)[0], prefix)


def branch_home(repository: Repository, branch: str) -> Home:
    """Return the home on a branch of its own."""
    upstream = next(iter(remote_branches(repository, branch)), "")
    return Home(OWN_BRANCH, repository, f"refs/heads/{branch}", "", upstream)


def prefix_in(git: Git, commit: str) -> str | None:
    """Return where in a commit a home is that its top leads to, None where there is none."""
    policies = (layout.POLICY_FILE, layout.TREE_PREFIX + layout.POLICY_FILE)
    asked = [f"{commit}:{path}" for path in (*policies, layout.TREE_POINTER)]
    top, usual, pointer = git.resolve(*asked)
    if top or usual:
        return "" if top else layout.TREE_PREFIX
    text = b"".join(body or b"" for body in git.blobs([pointer] if pointer else []))
    prefix = pointed(text.decode("utf-8", "replace"))
    return prefix if prefix and git.resolve(f"{commit}:{prefix}{layout.POLICY_FILE}")[0] else None


def pointed(text: str) -> str:
    """Return the prefix that a pointer names, "" where it is no folder below its own.

    A clone brings the pointer along, so it leads nowhere else.
    """
    name = text.strip().rstrip("/")
    parts = name.split("/")
    plain = name.isprintable() and "\\" not in name and len(name) <= _POINTER_CHARS
    if not plain or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        return ""
    return name + "/"


def _pointer(folder: str) -> str:
    """Return the prefix of the home that the pointer in a folder leads to, "" for none."""
    try:
        with open(f"{folder}/{layout.TREE_POINTER}", encoding="utf-8", errors="replace") as file:
            prefix = pointed(file.read(_POINTER_CHARS + 2))
    except OSError:
        return ""
    if not prefix or not os.path.isfile(f"{folder}/{prefix}{layout.POLICY_FILE}"):
        return ""
    parts = prefix.split("/")[:-2]
    above = [f"{folder}/{'/'.join(parts[: at + 1])}/.git" for at in range(len(parts))]
    return "" if any(map(os.path.lexists, above)) else prefix  # what is in a submodule is its own


def _in_work_tree(repository: Repository, start: str) -> str | None:
    """Return the prefix of the nearest home at or above `start`, None if there is none."""
    top = repository.top
    folder = start
    while folder == top or folder.startswith(top + "/"):
        inside = folder[len(top) + 1 :]
        if os.path.isfile(f"{folder}/{layout.POLICY_FILE}"):
            return inside + "/" if inside else ""
        if os.path.isfile(f"{folder}/{layout.TREE_PREFIX}{layout.POLICY_FILE}"):
            return (inside + "/" if inside else "") + layout.TREE_PREFIX
        if folder == top:
            return _pointer(top) or None
        folder = os.path.dirname(folder)
    return None
