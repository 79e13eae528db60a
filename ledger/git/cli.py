"""Run the git executable: all that a short command needs of git, without loading a library.

Spawning git costs 1 to 5 ms, importing pygit2 70 to 90. Every call runs without hooks, prompts, pagers,
file-system monitors, replaced objects, grafts and inherited `GIT_*` settings, and with the ownership check
that git makes itself.
"""

from __future__ import annotations

import os
import time
from _collections_abc import Iterable, Iterator

from ledger import errors
from ledger.environment import NOWHERE, OFFLINE, is_offline, monotonic, variables
from ledger.git.process import Running, three_pipes
from ledger.model.ids import is_object

#: Settings of a hostile or unusual repository that must not act on our calls (fault:J7, fault:J11,
#: fault:D6). How to reach a remote (`core.sshCommand`, `credential.helper`) is the user's to set: a clone
#: brings no settings, and a folder in one that does is no repository to us (`ledger.git.repository`).
_GUARDS = (
    "-c core.hooksPath=/dev/null -c core.fsmonitor=false --no-pager -c core.pager=cat "
    "-c core.editor=true -c core.alternateRefsCommand=true -c log.showSignature=false "
    "-c core.quotePath=false -c submodule.recurse=false -c protocol.ext.allow=never "
    "-c advice.detachedHead=false"
).split()
#: What git calls the scopes of settings that belong to a repository, not to the user; and its filters.
_OF_REPOSITORY = ("local", "worktree")
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"
#: The tree that git knows without having it.
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
#: Nothing is packed in the middle of a write; `tidy` asks for it in a quiet moment.
_NO_PACKING = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")
_WAITED_FOR = ("-c", "gc.autoDetach=false", "-c", "maintenance.autoDetach=false")
#: A pack is read with so little memory: git holds 240 MB of one of 100,000 logs else, and is no faster.
_SPARING = (
    "-c core.packedGitWindowSize=4m -c core.packedGitLimit=16m -c core.deltaBaseCacheLimit=8m"
).split()
#: `GIT_*` variables that say where git's own configuration is, not which repository to use.
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")
#: History is read and written as it was committed: `git replace` and grafts would let a commit be built on
#: other files than those of the tip (fault:C19). Where git collects, they hold what they lead to.
_AS_COMMITTED = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": "/dev/null/none"}
#: git itself waits for no other `git init` or `git config`.
_CONFIG_WAIT_SECONDS = 5.0
#: What git says when a partial clone lacks an object and its remote does not give it.
_PROMISED = "from promisor remote"
#: What git says of a name that several objects have.
SEVERAL = "ambiguous"
#: What git says when an object is missing or damaged.
_MISSING = ("not a tree object", "ould not read", "unable to read", "bad object", "is corrupt")


class UnsupportedRepository(errors.DiurnaError):
    """A repository of a shape that Diurna can not write safely."""


class NotFetched(errors.DiurnaError):
    """A partial clone lacks what is asked for, and can not fetch it now."""

    def __init__(self, where: str, because: str = "") -> None:
        super().__init__(
            f"{where} is a partial clone, and what is asked for is not here{because and ': '}{because}",
            hint="it is fetched, and kept, by the next command that reaches the remote it was cloned from",
        )


class Git:
    """Runs git in one place.

    Args:
        where: the folder to run in: a work tree's top, or a git directory.
        more: environment to add.
        commondir: of the repository, where that is known.
    """

    def __init__(self, where: str, more: dict[str, str] | None = None, commondir: str = "") -> None:
        self.where, self.commondir, self._more = where, commondir, more or {}

    def run(self, *arguments: str, data: bytes = b"", check: bool = True) -> bytes:
        """Run a git command with `data` as its standard input and return what it prints.

        Without `check` a failure prints nothing, and only a kill is raised.

        Raises:
            GitFailed: it ended with another status than 0.
            UnsupportedRepository: git refuses to work here for its owner.
        """
        status, out, err = self.call(*arguments, data=data)
        if status < 0 or (status and check):
            raise self.failure(arguments[0], status, err)
        return b"" if status else out

    def text(self, *arguments: str, data: bytes = b"", check: bool = True) -> str:
        """Return what `run` does, as a text; a byte that is no UTF-8 stays what it was."""
        return self.run(*arguments, data=data, check=check).decode("utf-8", "surrogateescape")

    def configure(self, *arguments: str) -> None:
        """Run a command that sets up a repository, once no other process is doing the same.

        Raises:
            GitFailed: it failed, or the lock stayed for `_CONFIG_WAIT_SECONDS`.
        """
        deadline = monotonic() + _CONFIG_WAIT_SECONDS
        while True:
            status, _, err = self.call(*arguments)
            if not status:
                return
            if b"File exists" not in err or monotonic() > deadline:
                raise self.failure(arguments[0], status, err)
            time.sleep(0.01)

    def call(self, *arguments: str, data: bytes = b"") -> tuple[int, bytes, bytes]:
        """Run a git command, `data` its standard input; return its status, output and error output."""
        return self.start(*arguments).finish(data)

    def start(self, *arguments: str, more: dict[str, str] | None = None) -> Running:
        """Start a git command, to be finished later.

        With `more`, environment to add, it runs in a session of its own, without a terminal, and can be
        ended with all that it starts.
        """
        collects = arguments[:1] == ("maintenance",)
        packing = _WAITED_FOR if collects else _NO_PACKING
        argv = ["git", "-C", self.where, *_GUARDS, *packing, *arguments]
        environment = {
            key: value
            for key, value in variables().items()
            if not key.startswith("GIT_") or key in _KEPT
        }
        environment.update(LC_ALL="C", GIT_TERMINAL_PROMPT="0", GIT_OPTIONAL_LOCKS="0")
        if is_offline():
            environment.update({OFFLINE: NOWHERE, "GIT_NO_LAZY_FETCH": "1"})
        environment |= {**self._more, **({} if collects else _AS_COMMITTED), **(more or {})}
        (in_read, in_write), (out_read, out_write), (err_read, err_write) = three_pipes()
        try:
            child = os.posix_spawnp(
                "git",
                argv,
                environment,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, in_read, 0),
                    (os.POSIX_SPAWN_DUP2, out_write, 1),
                    (os.POSIX_SPAWN_DUP2, err_write, 2),
                ],
                setsid=more is not None,
            )
        except OSError as problem:
            for end in (in_write, out_read, err_read):
                os.close(end)
            said = f"git can not be started: {problem.strerror}"
            if isinstance(problem, FileNotFoundError):
                raise errors.DiurnaError(said, hint="install git 2.30 or newer") from None
            hint = "the machine is short of processes, memory or files; free some and try again"
            raise errors.StorageFailed(said, hint=hint) from None
        finally:
            for end in (in_read, out_write, err_write):
                os.close(end)
        return Running(child, in_write, out_read, err_read)

    def tidy(self) -> None:
        """Let git pack what has piled up, if the user's settings say that it is time.

        A repository that only Diurna writes to has nobody else who does. It is waited for: whoever
        called may remove the repository next. Whatever git says is no matter of ours.
        """
        self.run("maintenance", "run", "--auto", "--quiet", check=False)

    def failure(self, command: str, status: int, err: bytes, about: str = "") -> errors.DiurnaError:
        """Turn what a failed command said into an exception; `about` names what it was asked for."""
        said = err.decode("utf-8", "replace")
        if "dubious ownership" in said:
            return UnsupportedRepository(
                f"{self.where} belongs to another user, and git does not trust it",
                hint=f"if you do, tell git: git config --global --add safe.directory {self.where}",
            )
        for line in said.split("\n"):
            for words, hint in errors.DISK_REFUSED:
                if words in line:
                    return errors.StorageFailed(f"the disk refused: {line.strip()}", hint=hint)
        if _PROMISED in said:
            return NotFetched(self.where)
        if any(words in said for words in _MISSING):
            return errors.ObjectMissing(command, status, said, self.where, about)
        return errors.GitFailed(command, status, said)

    # ---- questions ------------------------------------------------------------------------------

    def sizes(self, ids: Iterable[str]) -> list[int]:
        """Return how many bytes each object has, 0 for one that is missing; none of them is read."""
        wanted = "".join(one + "\n" for one in ids).encode()
        answer = self.run("cat-file", "--batch-check=%(objectsize)", data=wanted)
        return [int(line) if line.isdigit() else 0 for line in answer.split(b"\n")[:-1]]

    def resolve(self, *specs: str) -> list[str]:
        """Return the object ids that revisions name, "" where one names nothing."""
        return [oid for _, oid in self.named(specs)]

    def named(self, specs: Iterable[str]) -> list[tuple[str, str]]:
        """Return (type, id) of what revisions name: `SEVERAL` or "", and "", where one names no object."""
        lines = "".join(spec + "\n" for spec in specs).encode("utf-8", "surrogateescape")
        form = "--batch-check=%(objecttype) %(objectname)"
        found = []
        for line in self.text("cat-file", form, data=lines).split("\n")[:-1]:
            kind, _, oid = line.partition(" ")
            none = SEVERAL if line.endswith(f" {SEVERAL}") else ""
            found.append((kind, oid) if is_object(oid) else (none, ""))
        return found

    def holds(self, commit: str, ancestor: str) -> bool:
        """Tell whether a commit is reachable from another one."""
        return not self.call("merge-base", "--is-ancestor", ancestor, commit)[0]

    def blobs(self, ids: Iterable[str], limit: int = 0) -> Iterator[bytes | None]:
        """Yield the bytes of each object, None for one that is missing; git reads on meanwhile.

        Raises:
            ObjectTooLarge: the one that was asked for has more than `limit` bytes, where that is not 0.
            GitFailed: the object behind those that came is damaged, or git was killed; not with a limit.
        """
        wanted = "".join([one + "\n" for one in ids]).encode()
        if not wanted:
            return
        running = self.start(*_SPARING, "cat-file", "--batch=%(objectsize)", "--buffer")
        pieces = running.pieces(wanted)
        waiting, err = bytearray(), b""
        try:
            for end, piece in pieces:
                if end == 2:
                    err += piece
                    continue
                waiting += piece
                at = 0
                while (behind := waiting.find(b"\n", at) + 1) > 0:
                    length = waiting[at : behind - 1]
                    if not length.isdigit():
                        at = behind
                        yield None
                        continue
                    if 0 < limit < int(length):
                        raise errors.ObjectTooLarge(wanted[:-1].decode(), int(length))
                    stop = behind + int(length)
                    if stop >= len(waiting):
                        break
                    yield bytes(waiting[behind:stop])
                    at = stop + 1
                del waiting[:at]
        finally:
            pieces.close()
            status = running.status()
        if status and not limit:
            raise self.failure("cat-file", status, err)

    def tree_files(self, commit: str, *folders: str) -> list[tuple[str, str, str]]:
        """List (mode, object id, path) of everything at or below some paths of a commit's tree.

        `commit` may be a tree; `folders` are relative to its root, "" for all.

        Raises:
            ObjectMissing: the commit or one of its trees is not there.
        """
        where = ["--", *folders] if any(folders) else []
        status, listing, err = self.call(
            *_SPARING, "ls-tree", "-r", "-z", "--full-tree", commit, *where
        )
        if status:
            raise self.failure("ls-tree", status, err, f"{commit}:{''.join(folders[:1])}")
        rows = listing.decode("utf-8", "surrogateescape").split("\0")
        # a row is `<mode> SP <type> SP <id> TAB <path>`; ids of SHA-1 repositories have 40 digits
        return [
            (row[:6], row[(tab := row.index("\t")) - 40 : tab], row[tab + 1 :])
            for row in rows
            if row
        ]

    def unfiltered(self) -> tuple[str, ...]:
        """Return options by which git reads the work tree without filters that the repository itself sets.

        Raises:
            UnsupportedRepository: a filter has a name by which it can not be switched off.
        """
        asked = ("--show-scope", "--includes", "--name-only", "-z", "--get-regexp", _FILTERS)
        words = self.text("config", *asked, check=False).split("\0")
        pairs = zip(words[::2], words[1::2], strict=False)
        keys = {key for scope, key in pairs if scope in _OF_REPOSITORY}
        for key in keys:
            if "=" in key:
                why = f"its setting {key} names a program that can not be kept from running"
                raise UnsupportedRepository(why, hint="name that filter without a `=`")
        off = [f"{key}={'false' * key.endswith('.required')}" for key in keys]
        return tuple([word for setting in off for word in ("-c", setting)])

    def status(self, *arguments: str) -> list[str]:
        """List what differs in the work tree, a row each: two letters, a blank and the path.

        Filters that the repository itself sets are switched off. `arguments` are options, and paths behind
        `--`, taken as they are written.

        Raises:
            GitFailed: git can not tell.
            UnsupportedRepository: a filter has a name by which it can not be switched off.
        """
        asked = ("--literal-pathspecs", "status", "--porcelain=v1", "-z", *arguments)
        return [row for row in self.text(*self.unfiltered(), *asked).split("\0") if row]

    def changes(self, old: str, new: str, *paths: str) -> list[tuple[str, str, str, str]] | None:
        """List (status, mode, new object id, path) of what differs below `paths`; None if unknown.

        None means that `old` is no longer there: the history was rewritten and collected.

        Raises:
            GitFailed: git was killed; that is no answer.
        """
        try:
            return self.differences(old, new, *paths)
        except errors.DiurnaError as problem:
            if isinstance(problem, errors.GitFailed) and problem.killed:
                raise
            return None

    def differences(self, old: str, new: str, *paths: str) -> list[tuple[str, str, str, str]]:
        """List the same as `changes`, of two commits or trees that have to be there; "" is an empty one.

        Raises:
            ObjectMissing: one of them is not.
            GitFailed: git can not tell.
        """
        out = self.text(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", old or EMPTY_TREE, new, "--", *paths
        )
        fields = out.split("\0")
        found = []
        for meta, path in zip(fields[0::2], fields[1::2], strict=False):
            _, mode, _, blob, letter = meta.split(" ")
            found.append((letter[0], mode, blob, path))
        return found
