"""Read off the file system which repository a folder belongs to, and what state it is in.

Reading a few small files replaces half a dozen spawned commands at every start. What is read here is the
documented on-disk layout (gitrepository-layout, git-worktree); anything unusual is refused by name.
"""

from __future__ import annotations

import os

from ledger.environment import variables, working_directory
from ledger.git.config_files import home_setting, may_set, plain_value
from ledger.model.ids import is_object
from ledger.model.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from ledger.git.cli import Git, UnsupportedRepository

#: Extensions that neither change objects nor references.
_HARMLESS = ("noop", "preciousobjects", "worktreeconfig")
_REMOTES = "refs/remotes/"
_PARTIAL = "is a partial clone that lacks folders and not only files"
_UNSAFE = ", which Diurna can not work with safely"


class Repository(Record):
    """A git repository as seen from one place. `top` is "" for a bare one.

    `promisor` is the remote that has the files which a partial clone lacks, "" for a whole clone;
    `settings` tells whether its configuration had any of Diurna's when it was found.
    """

    top: str
    gitdir: str
    commondir: str
    promisor: str = ""
    settings: bool = False

    @property
    def where(self) -> str:
        """The folder to run git in."""
        return self.top or self.gitdir

    def git(self) -> Git:
        """Return the git executable, run here."""
        from ledger.git.cli import Git  # a hook that has nothing to say asks nothing of git

        return Git(self.where, commondir=self.commondir)

    def unfiltered(self) -> tuple[str, ...]:
        """Return what `Git.unfiltered` does, and ask git only where a filter may be set.

        An entry as old as the index itself is compared with its file whenever git writes the index.

        Raises:
            UnsupportedRepository: a filter has a name by which it can not be switched off.
        """
        return self.git().unfiltered() if may_set("filter", self.commondir, self.gitdir) else ()


def find_repository(start: str, *, fit: bool = True) -> Repository | None:
    """Find the innermost repository that holds a folder, as git does.

    Like git, it does not search in a folder that `GIT_CEILING_DIRECTORIES` names, nor past a `.git` file.
    Unlike git, it takes a bare repository for one only where it is started or named, and nowhere below a
    work tree: a clone brings along any folder, and one can look like a git directory with a cache and
    settings of its own. Without `fit` its shape is not asked for yet: its settings may name a home
    elsewhere.

    Raises:
        UnsupportedRepository: it is of a shape Diurna can not write safely, or not to be trusted.
    """
    folder = first = os.path.realpath(start)
    named = variables().get("GIT_CEILING_DIRECTORIES", "")
    ceilings = [os.path.realpath(one) for one in named.split(os.pathsep) if one[:1] == "/"]
    while True:
        marker = folder + "/.git"
        found = None
        if os.path.isdir(marker):
            found = _repository(folder, marker)
        elif os.path.isfile(marker):
            with open(marker, encoding="utf-8", errors="surrogateescape") as file:
                line = file.readline(4096)
            gitdir = os.path.normpath(os.path.join(folder, line[8:].strip("\r\n")))
            found = _repository(folder, gitdir) if line.startswith("gitdir: ") else None
            if found is None:
                raise _unsupported(
                    f"{marker} points to no git directory, so {folder} is a broken submodule or "
                    "linked worktree; what is above it is another repository",
                    hint="`git submodule update --init` or `git worktree repair` mend it",
                )
        elif _is_whole(folder, folder):
            if os.path.basename(folder) == ".git" or (folder == first and not _brought(folder)):
                found = _repository("", folder)
        if found:
            return fit_for_us(_trusted(found)) if fit else _trusted(found)
        parent = os.path.dirname(folder)
        if parent == folder or parent in ceilings:
            return None
        folder = parent


def _unsupported(message: str, hint: str) -> UnsupportedRepository:
    from ledger.git.cli import UnsupportedRepository  # what has nothing to say refuses nothing

    return UnsupportedRepository(message, hint=hint)


def _brought(folder: str) -> bool:
    """Tell whether a bare repository lies in a work tree, so that a clone may have brought it."""
    above = os.path.dirname(folder)
    while not os.path.lexists(above + "/.git"):
        if above == os.path.dirname(above):
            return False
        above = os.path.dirname(above)
    try:
        here = os.path.realpath(working_directory())
    except FileNotFoundError:
        here = ""
    if here != folder:
        raise _unsupported(
            f"{folder} is a bare repository in the work tree {above}: a clone may have brought it",
            hint="name a home of your own; a bare repository counts outside of work trees alone",
        )
    return True


def _repository(top: str, gitdir: str) -> Repository | None:
    link = _read(gitdir + "/commondir")
    common = os.path.normpath(os.path.join(gitdir, link.strip()))
    if not _is_whole(gitdir, common):
        return None
    if not top and not link and os.path.basename(gitdir) == ".git":
        top = os.path.dirname(gitdir)  # started inside the git directory of a work tree
    return Repository(top, gitdir, common)


def _is_whole(gitdir: str, common: str) -> bool:
    """Tell whether a git directory is one, as git does; `git init` may be at work in it yet."""
    return os.path.isfile(gitdir + "/HEAD") and all(
        os.path.isdir(common + kept) for kept in ("/objects", "/refs")
    )


def _trusted(repository: Repository) -> Repository:
    """Refuse what git does not trust; say whether it has settings of ours."""
    me = os.geteuid()
    if os.stat(repository.gitdir).st_uid != me or os.stat(repository.where).st_uid != me:
        repository.git().run("rev-parse", "--git-dir")  # git decides whether it trusts the owner
    said = _read(repository.commondir + "/config").lower()
    return repository._replace(settings="[diurna" in said)


def fit_for_us(repository: Repository) -> Repository:
    """Refuse what can not be handled safely; say whether it is a partial clone.

    Raises:
        UnsupportedRepository: it is of a shape Diurna can not write safely.
    """
    config = _read(repository.commondir + "/config")
    return repository._replace(promisor=_check_extensions(repository, config))


def _unfit(repository: Repository, said: str, cure: str = "") -> UnsupportedRepository:
    """Say what is the matter with a repository, and what works instead."""
    from shlex import quote

    beside = "its memory is kept elsewhere; of its commits nothing can be told"
    if not home_setting(repository.commondir, repository.where):
        place = quote(repository.where + "-memory")
        beside = f"`diurna init {place}` makes a home of its own beside it"
    return _unsupported(f"{repository.where} {said}", cure + beside)


def _check_extensions(repository: Repository, config: str) -> str:
    """Return the remote that has what a partial clone lacks, "" for none; it is no extension."""
    section = named = promisor = ""
    lacks: dict[str, str] = {}
    for line in config.split("\n"):
        line = line.strip()
        if line.startswith("["):
            section, _, named = line[1:].split("]")[0].partition(" ")
            section, named = section.lower(), named.strip(' "')
            line = line[line.find("]") + 1 :].strip()
        key, _, value = line.lower().partition("=")
        key, value = key.strip(), value.strip()
        if section == "core" and key == "repositoryformatversion" and value not in ("0", "1"):
            said = f"has repository format {value}, which this version does not know"
            raise _unfit(repository, said)
        if section == "remote" and key == "promisor" and value not in ("false", "no", "off", "0"):
            promisor = promisor or named
        elif section == "remote" and key == "partialclonefilter":
            lacks[named] = value
        if section != "extensions" or not key or key[0] in "#;" or key in _HARMLESS:
            continue
        if (key, value) in (("objectformat", "sha1"), ("refstorage", "files")):
            continue
        said = {
            "objectformat": f"stores its objects as {value}",
            "refstorage": f"stores its references as {value}",
            "partialclone": "is a partial clone of a git before 2.25",
        }.get(key, f"uses the extension {key}")
        raise _unfit(repository, said + _UNSAFE)
    if promisor and not lacks.get(promisor, "blob:").startswith("blob:"):
        raise _unfit(repository, _PARTIAL + _UNSAFE, f"{_with_folders(promisor)}; ")
    return promisor


def _with_folders(remote: str) -> str:
    """Say how a partial clone gets all folders; no name is repeated that a shell could run."""
    name = remote if is_plain(remote) else "REMOTE"
    return (
        f"`git fetch --refetch --filter=blob:none {name} && git config remote.{name}.partialclonefilter "
        "blob:none` brings them without their files, with git 2.36 or newer"
    )


def is_plain(name: str) -> bool:
    """Tell whether a name may stand in a command as it is: a shell obeys nothing in it."""
    bare = name.replace("/", "").replace("-", "").replace("_", "").replace(".", "")
    return bare.isalnum() and bare.isascii() and name[0] != "-"


def head(repository: Repository) -> tuple[str, str]:
    """Return (reference, commit) of HEAD; the reference is "" when it is detached."""
    text = _read(repository.gitdir + "/HEAD").strip()
    if text.startswith("ref: "):
        reference = text[5:].strip()
        return reference, read_reference(repository, reference)
    return "", text


def read_reference(repository: Repository, reference: str) -> str:
    """Return the object id a reference points to, "" when there is none (an unborn branch)."""
    for _ in range(5):
        text = _read(f"{repository.commondir}/{reference}").strip()
        if text.startswith("ref: "):
            reference = text[5:].strip()
            continue
        if text:
            return text
        packed = _read(repository.commondir + "/packed-refs")
        at = packed.find(f" {reference}\n")
        return packed[at - 40 : at] if at >= 40 else ""
    return ""


def remote_branches(repository: Repository, branch: str) -> list[str]:
    """Return the remote-tracking references of a branch name, `origin`'s first, then by name."""
    folder = f"{repository.commondir}/{_REMOTES}"
    remotes = os.listdir(folder) if os.path.isdir(folder) else ()
    found = {
        f"{_REMOTES}{one}/{branch}" for one in remotes if os.path.isfile(f"{folder}{one}/{branch}")
    }
    for line in _read(repository.commondir + "/packed-refs").split("\n"):
        if line[41:].startswith(_REMOTES) and branch_there(line[41:]) == branch:
            found.add(line[41:])
    return sorted(found, key=lambda one: (one != f"{_REMOTES}origin/{branch}", one))


def tracking_branch(repository: Repository, branch: str) -> str:
    """Return the remote-tracking reference that a branch follows, else one of its name; "" for none."""
    name = ""
    if may_set(f'branch "{branch}"', repository.commondir, repository.gitdir):
        asked = ("rev-parse", "--symbolic-full-name", f"{branch}@{{upstream}}")
        name = repository.git().text(*asked, check=False).strip()
    return name or next(iter(remote_branches(repository, branch)), "")


def branch_tips(repository: Repository) -> set[str]:
    """Return where all branches stand, here and as they were fetched."""
    common, found = repository.commondir, set[str]()
    for place in ("refs/heads", "refs/remotes"):
        for folder, _, names in os.walk(f"{common}/{place}"):
            found |= {_read(f"{folder}/{name}").strip() for name in names}
    rows = [line.split(" ") for line in _read(f"{common}/packed-refs").split("\n")]
    found |= {row[0] for row in rows if row[-1].startswith(("refs/heads/", _REMOTES))}
    return {one for one in found if is_object(one)}


def branch_there(reference: str) -> str:
    """Return the branch of a remote-tracking reference."""
    return reference.removeprefix(_REMOTES).partition("/")[2]


def default_branch(repository: Repository) -> str:
    """Return the branch that `origin/HEAD` names, "" where there is none or git no longer has it.

    A clone knows it from its remote; git keeps it as a file, and no reader has to start git for it.
    """
    text = _read(repository.commondir + "/refs/remotes/origin/HEAD").strip()
    reference = text.removeprefix("ref: ").strip()
    name = reference.removeprefix("refs/remotes/origin/")
    if name == reference or not read_reference(repository, reference):
        return ""
    return name


def checked_out_elsewhere(repository: Repository, reference: str = "") -> list[Repository]:
    """List the other work trees of a repository that have a branch checked out; "" for all of them."""
    common = repository.commondir
    folder = common + "/worktrees"
    gitdirs = [common]
    if os.path.isdir(folder):
        gitdirs += [f"{folder}/{name}" for name in sorted(os.listdir(folder))]
    found = []
    for gitdir in gitdirs:
        here = _read(gitdir + "/HEAD").strip()
        if gitdir == repository.gitdir or (reference and here != "ref: " + reference):
            continue
        if gitdir == common:
            top = os.path.dirname(common) if os.path.basename(common) == ".git" else ""
        else:
            top = os.path.dirname(os.path.join(gitdir, _read(gitdir + "/gitdir").strip()))
        if top and os.path.exists(top + "/.git"):
            found.append(Repository(os.path.realpath(top), gitdir, common))
    return found


#: Files that git leaves in the git directory while an operation is under way.
_OPERATIONS = (
    ("rebase-merge", "a rebase"), ("rebase-apply", "a rebase or `git am`"), ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"), ("REVERT_HEAD", "a revert"), ("BISECT_LOG", "a bisect"),
)  # fmt: skip


def landing_hint(repository: Repository) -> str:
    """Say on which branch a log will land that waits because HEAD is detached."""
    said = (
        "it lands on the branch that is checked out where a Diurna command next writes: check out the "
        "one whose memory this is"
    )
    before = repository.git().text("rev-parse", "--symbolic-full-name", "@{-1}", check=False)
    left = before.strip().removeprefix("refs/heads/")
    return f"{said}; HEAD was on {left} before: `git switch {left}`" if is_plain(left) else said


def operation_under_way(repository: Repository) -> str:
    """Name the operation that is in progress in this work tree, "" if none is.

    One whose commits are all made is over: git runs the hooks that follow it before it clears away.
    """
    for name, said in _OPERATIONS:
        if os.path.exists(f"{repository.gitdir}/{name}") and not _is_over(repository, name):
            return said
    return ""


def _is_over(repository: Repository, name: str) -> bool:
    """Tell whether git has only to clear away what it left of an operation."""
    if name == "MERGE_HEAD":
        merged = _read(f"{repository.gitdir}/{name}").split()
        tip = head(repository)[1]
        if not (merged and tip):
            return False
        status, missing, _ = repository.git().call("rev-list", "-n1", *merged, f"^{tip}")
        return not status and not missing
    if name == "rebase-merge":
        # while it goes on HEAD is detached
        branch = _read(f"{repository.gitdir}/{name}/head-name").strip()
        left = _read(f"{repository.gitdir}/{name}/git-rebase-todo").split("\n")
        done = all(not line.strip() or line.startswith("#") for line in left)
        return done and bool(branch) and head(repository)[0] == branch
    return False


def config_value(repository: Repository, key: str) -> str:
    """Return a setting of Diurna's in the repository's own configuration, "" when it is not set.

    A plain file, as git itself writes it, is read here; anything more is a question for git.
    """
    value = plain_value(_read(repository.commondir + "/config"), "diurna", key)
    if value is None:
        asked = ("config", "--local", "--get", f"diurna.{key}")
        value = repository.git().text(*asked, check=False).rstrip("\n")
    return value


def cut_commits(repository: Repository) -> frozenset[str]:
    """Return the commits whose parents a shallow clone has not; none where the history is whole."""
    return frozenset(_read(repository.commondir + "/shallow").split())


def _read(path: str) -> str:
    """Read a small file; "" when there is none. One that can not be read is not taken for missing."""
    try:
        with open(path, "rb", 0) as file:  # a reader of text asks the system twice as much
            return file.read().decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""
    except OSError as problem:
        from ledger.errors import CorruptRepository

        message = f"{path} can not be read: {problem.strerror or problem}"
        hint = "see that this user may read it, and that not too many files are open"
        raise CorruptRepository(message, hint=hint) from problem
