"""Faults of libgit2, pygit2 and markdown-it that Diurna's code works around, each shown on its own.

A test here fails on the day its fault is mended. Then the workaround that its docstring names can go.
"""

from __future__ import annotations

import hashlib
import resource
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pygit2
import pytest
from markdown_it import MarkdownIt
from pygit2.enums import ObjectType

from ledger.codec.outline_by_markdown import NESTING_COLUMNS
from ledger.errors import StorageFailed, UnsupportedRepository
from ledger.git.commit_record import loose_object
from ledger.git.repository import find_repository
from tests.campaigns.homes import git, hermetic

__all__ = ["hermetic"]

WHO = pygit2.Signature("A", "a@example.invalid", 1, 0)
LONG = " ".join(hashlib.sha256(b"%d" % number).hexdigest() for number in range(60))
BRANCH = "refs/heads/main"


@pytest.fixture
def repository(tmp_path: Path) -> pygit2.Repository:
    """A repository without a commit."""
    git(tmp_path, "init", "-q", "-b", "main", "faulty")
    return pygit2.Repository(str(tmp_path / "faulty"))


@contextmanager
def small_files(limit: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_create_commit_does_not_compare_on_an_unborn_branch(repository: pygit2.Repository) -> None:
    """Who creates the branch between its look and its write is written over.

    Hence `gitstore.Store._move`: lock, compare, set, in a reference transaction.
    """
    tree = repository.TreeBuilder().write()
    theirs = str(repository.create_commit(None, WHO, WHO, "theirs", tree, []))
    text = repository.create_commit_string(WHO, WHO, "mine", tree, [])
    data = str(text).encode()
    mine = hashlib.sha1(b"commit %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    came_first: list[str] = []

    class OtherWriter(pygit2.OdbBackend):
        """Is asked for the commit before it is written, which is after the look at the branch."""

        def exists_cb(self, oid: pygit2.Oid) -> bool:
            if str(oid) == mine and not came_first:
                git(repository.workdir, "update-ref", BRANCH, theirs, "0" * 40)
                came_first.append(git(repository.workdir, "rev-parse", BRANCH).strip())
            return False

        def refresh_cb(self) -> None:
            """Hold nothing."""

        def _none(self, oid: pygit2.Oid) -> None:
            raise KeyError(oid)

        read_cb = read_header_cb = read_prefix_cb = exists_prefix_cb = _none

    repository.odb.add_backend(OtherWriter(), 0)
    made = repository.create_commit(BRANCH, WHO, WHO, "mine", tree, [])
    assert came_first == [theirs], "the other's commit was on the branch"
    assert git(repository.workdir, "rev-parse", BRANCH).strip() == str(made) == mine
    parents = git(repository.workdir, "rev-list", BRANCH).split()
    assert theirs not in parents, "and it was lost without a word"


def test_a_reference_transaction_sees_who_came_first(repository: pygit2.Repository) -> None:
    """What the workaround stands on: under the lock nobody else writes, and the look is up to date."""
    tree = repository.TreeBuilder().write()
    theirs = str(repository.create_commit(None, WHO, WHO, "theirs", tree, []))
    with pytest.raises(KeyError):
        repository.lookup_reference(BRANCH)
    git(repository.workdir, "update-ref", BRANCH, theirs)
    with repository.transaction() as transaction:
        transaction.lock_ref(BRANCH)
        assert str(repository.lookup_reference(BRANCH).target) == theirs
        said = subprocess.run(
            ["git", "-C", repository.workdir, "update-ref", "-d", BRANCH], capture_output=True
        )
        assert said.returncode
    assert git(repository.workdir, "rev-parse", BRANCH).strip() == theirs


def test_create_commit_gives_an_id_of_what_was_never_written(repository: pygit2.Repository) -> None:
    """On a full disk it returns as if all were well.

    Hence `gitstore.Store._write_commit`: `create_commit_string`, and the object written by hand.
    """
    tree = repository.TreeBuilder().write()
    who = pygit2.Signature(LONG, "a@example.invalid", 1, 0)
    with small_files(1000):
        made = str(repository.create_commit(None, who, who, "lost", tree, []))
    objects = repository.path + "objects"
    assert loose_object(objects, made) is None
    assert made not in pygit2.Repository(repository.path)


def test_writing_the_object_by_hand_says_that_the_disk_is_full(
    repository: pygit2.Repository,
) -> None:
    """What the workaround stands on."""
    tree = repository.TreeBuilder().write()
    who = pygit2.Signature(LONG, "a@example.invalid", 1, 0)
    text = str(repository.create_commit_string(who, who, "lost", tree, [])).encode()
    with small_files(1000), pytest.raises((OSError, pygit2.GitError), match="too large"):
        repository.odb.write(ObjectType.COMMIT, text)
    made = repository.odb.write(ObjectType.COMMIT, text)
    assert str(made) in pygit2.Repository(repository.path)


def test_a_transaction_takes_no_signature(repository: pygit2.Repository) -> None:
    """pygit2 hands libgit2 something else than the signature.

    Hence `set_ident` before `set_target` in `gitstore.Store._move`, for the reflog to name the author.
    """
    tree = repository.TreeBuilder().write()
    made = repository.create_commit(None, WHO, WHO, "mine", tree, [])
    with pytest.raises(TypeError), repository.transaction() as transaction:
        transaction.lock_ref(BRANCH)
        transaction.set_target(BRANCH, made, signature=WHO, message="mine")


def test_a_locked_branch_is_told_by_the_text_alone(repository: pygit2.Repository) -> None:
    """One class and no code for a lock that is there and for a folder that can not be made.

    Hence `gitstore.Store._failure`, which reads the text and looks for the file.
    """
    heads = Path(repository.path) / "refs" / "heads"
    problems = []
    (heads / "main.lock").touch()
    (heads / "topic").touch()
    for reference in (BRANCH, "refs/heads/topic/mine"):
        with pytest.raises(pygit2.GitError) as raised, repository.transaction() as transaction:
            transaction.lock_ref(reference)
        problems.append(raised.value)
    locked, blocked = problems
    assert "lock" in str(locked)
    assert type(locked) is type(blocked) is pygit2.GitError
    for name in ("code", "errno"):
        assert not hasattr(locked, name)
    assert vars(locked) == vars(blocked)


def test_a_lock_is_not_waited_for(repository: pygit2.Repository) -> None:
    """Git tries again for a while (`core.filesRefLockTimeout`), libgit2 gives up at the first look.

    Hence the pauses and tries in `memory.write.branch_lock.Branch.persist`.
    """
    repository.config["core.filesRefLockTimeout"] = 60_000
    lock = Path(repository.path) / "refs" / "heads" / "main.lock"
    lock.touch()
    freed = threading.Timer(1.0, lock.unlink)  # who waited would have it then
    freed.start()
    with pytest.raises(pygit2.GitError, match="lock"), repository.transaction() as transaction:
        transaction.lock_ref(BRANCH)
    freed.join()


@pytest.mark.parametrize("how", ("empty", "short"))
def test_a_damaged_object_is_not_written_again(repository: pygit2.Repository, how: str) -> None:
    """A file of the right name is taken for the object, by libgit2 and by git, whatever it holds.

    Hence `memory.repair.lost_blobs.clear_damaged`, which moves such a file aside first.
    """
    data = b"what the log says\n" * 20
    blob = str(repository.odb.write(ObjectType.BLOB, data))
    file = Path(repository.path) / "objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    damaged = b"" if how == "empty" else file.read_bytes()[:-8]
    file.write_bytes(damaged)
    fresh = pygit2.Repository(repository.path)
    assert str(fresh.odb.write(ObjectType.BLOB, data)) == blob
    assert file.read_bytes() == damaged
    said = git(repository.workdir, "hash-object", "-w", "--stdin", data=data)
    assert said.strip() == blob
    assert file.read_bytes() == damaged
    with pytest.raises(StorageFailed):
        loose_object(repository.path + "objects", blob)


@pytest.mark.deep(reason="of libgit2 alone")
def test_libgit2_never_comes_back_from_an_object_that_was_cut_short(
    repository: pygit2.Repository,
) -> None:
    """It goes on inflating what is not there, without end, and holds every lock meanwhile.

    Hence `gitstore.Store.blobs` and `_body`, which read loose objects without it.
    """
    blob = str(repository.odb.write(ObjectType.BLOB, b"what the log says\n" * 20))
    file = Path(repository.path) / "objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-9])
    script = (
        "import resource, sys, pygit2\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n"
        "pygit2.Repository(sys.argv[1]).odb.read(sys.argv[2])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, repository.path, blob], capture_output=True
    )
    assert done.returncode in (-signal.SIGXCPU, -signal.SIGKILL), done.stderr
    with pytest.raises(zlib.error):
        zlib.decompress(file.read_bytes())


@pytest.mark.parametrize(
    ("extension", "value"),
    (("objectformat", "sha256"), ("refstorage", "reftable"), ("partialclone", "origin")),
)
def test_libgit2_can_not_open_it(repository: pygit2.Repository, extension: str, value: str) -> None:
    """Repositories that git itself works with.

    Hence `ledger.git.repository`, which refuses them by name before anything is tried.
    """
    git(repository.workdir, "config", "core.repositoryformatversion", "1")
    git(repository.workdir, "config", f"extensions.{extension}", value)
    with pytest.raises((pygit2.GitError, ValueError)):
        pygit2.Repository(repository.path)
    with pytest.raises(UnsupportedRepository):
        find_repository(repository.workdir)


# ---- markdown-it ------------------------------------------------------------------------------------


def calls(parse: Callable[[str], Any], text: str) -> int:
    """Count the calls of Python functions: what parsing costs, on a machine of any speed."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        parse(text)
    finally:
        sys.setprofile(before)
    return count


def block_parser(**options: Any) -> MarkdownIt:
    """Return a parser as `ledger.codec.outline_by_markdown` uses it."""
    parser = MarkdownIt("commonmark", options)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def test_a_list_line_costs_a_hundred_calls() -> None:
    """A log of 1 MiB that is all list items would take seconds.

    Hence `LINES_BUDGET` in `ledger.codec.outline_by_markdown`, and the scanner that is asked first.
    """
    parse = block_parser(maxNesting=300).parse
    per_line = (calls(parse, "- a\n" * 400) - calls(parse, "- a\n" * 200)) / 200
    assert per_line > 50


def test_nesting_costs_more_than_its_length() -> None:
    """Twice as many markers on one line are much more than twice the work.

    Hence `NESTING_COLUMNS` in `ledger.codec.outline_by_markdown`, beyond which markers are cut.
    """
    parse = block_parser(maxNesting=300).parse
    once, twice = calls(parse, "- " * 100 + "a\n"), calls(parse, "- " * 200 + "a\n")
    assert twice > 2.3 * once
    cut = "- " * (NESTING_COLUMNS // 2) + "a\n"
    assert calls(parse, cut) < once / 4


def test_nesting_is_recursion() -> None:
    """Without a limit on nesting, one line of markers ends the parser.

    Hence `maxNesting`, given to the parser in `ledger.codec.outline_by_markdown`.
    """
    with pytest.raises(RecursionError):
        block_parser(maxNesting=1_000_000).parse(">" * 5_000 + " a\n")
