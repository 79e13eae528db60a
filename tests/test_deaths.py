"""What a death leaves: nothing a person's next commit can delete, nothing in their way, no withheld word (W18)."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import nullcontext
from itertools import product
from pathlib import Path

import pytest

from ledger.errors import DiurnaError, ObjectMissing, StorageFailed, WaitsInSpool
from ledger.git.commit_record import Commit
from ledger.git.pygit2_store import Store
from ledger.model.event import FactCreated, FactRedacted
from ledger.wal.atomic_files import storage_failure
from memory.api import SessionDraft
from memory.cache.sqlite import CacheDamaged
from memory.write.spool_commits import Committer
from tests.append_faults import Tried
from tests.campaigns.calls import sites_of, strace_works
from tests.campaigns.deaths import DEEDS, PERSONS, digest, kill, live_on, make_ground, stops
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    draft,
    git,
    hermetic,
    logs_in,
    make_home,
    open_memory,
)
from tests.conftest import Repo, Run, sampled
from tests.small_ledgers import log

__all__ = ["hermetic"]
#: Where an append dies: before the branch moves, and behind that.
POINTS = {
    "nothing is shown": "import memory.worktree.checkout_update as at; before(at, 'show_files', die)",
    "files are shown": "from memory.worktree.next_index import NextIndex; before(NextIndex, 'take', die)",
    "the index is taken": "from memory.worktree.next_index import NextIndex; after(NextIndex, 'take', die)",
    "all is shown": "import memory.worktree.checkout_update as at; after(at, 'show_files', die)",
    "the branch moved": "after(writer, 'commit', die)",
    "it is noted": "before(writer, 'check', die)",
    "the copy is kept": "after(spool, 'commit', die)",
}


@pytest.mark.parametrize(
    ("point", "kind", "person"),
    sampled([(at, kind, who) for at in POINTS for kind in (IN_TREE, OWN_REPOSITORY) for who in PERSONS], 11),
)  # fmt: skip
def test_no_commit_of_a_persons_deletes_a_log(
    tmp_path: Path, point: str, kind: str, person: str
) -> None:
    """Right behind the death, with no command of Diurna's between; and the next one has it all in order."""
    tried = Tried(tmp_path / "shop", "fast-import", kind)
    code = tried.folder / "code.py"
    if not code.exists():
        code.write_text("print('theirs')\n")
        git(tried.folder, "add", "code.py")
        git(tried.folder, "commit", "-q", "-m", "code")
    (tried.folder / "staged.txt").write_text("theirs\n")
    code.write_text("print('changed')\n")
    git(tried.folder, "add", "staged.txt")
    tried.die(POINTS[point])
    before = logs_in(tried.home)
    for command in PERSONS[person].split(" && "):
        git(tried.folder, *command.split()[1:])
    assert before.items() <= logs_in(tried.home).items()
    memory = tried.open()
    memory.append(draft("next"))
    assert set(memory.state()) == {"first", "second", "next"}
    assert git(tried.folder, "diff", "--cached", "--name-only") in (
        "",
        "staged.txt\n",
        "staged.py\nstaged.txt\n",
    )


_TIMES = tuple(product(("continuity.md", "/diurna/written"), ("before", "behind")))
#: Where the writer of a page dies: before a file is replaced, and behind that.
_REPLACED = """
whole = os.replace
def dying(source, target, **more):
    {when!r} == "before" and target.endswith({file!r}) and die()
    whole(source, target, **more)
    target.endswith({file!r}) and die()
os.replace = dying
"""


@pytest.mark.parametrize(("kind", "one", "two"), sampled(list(product(KINDS, _TIMES, _TIMES)), 7))
def test_a_page_that_the_killed_left_is_nobodys_edit(
    tmp_path: Path, kind: str, one: tuple[str, str], two: tuple[str, str]
) -> None:
    """Be it their own or that of one who was killed before them; `replay --write` dies of it, too."""
    tried = Tried(tmp_path / "shop", "pygit2", kind)
    for name, (file, when) in zip(("second", "third"), (one, two), strict=True):
        tried.die(_REPLACED.format(file=file, when=when), name)
    memory = tried.open()
    assert memory.edited() == ()
    assert not [one for one in memory.append(draft("next")).findings if one.code != "stale-lock"]
    assert set(memory.state()) == {"first", "second", "third", "next"}
    next(one for one in DEEDS if one.name == "publish").before(tried.folder)
    write = "memory.append = lambda _: memory.write_projection(memory.state())"
    tried.die(_REPLACED.format(file="continuity.md", when="behind") + write)
    assert tried.open().edited() == ()


@pytest.mark.deep(reason="test_crashes kills each step of an append")
@pytest.mark.skipif(not strace_works(), reason="strace is not here or may not trace")
def test_a_sample_of_the_campaign(tmp_path: Path) -> None:
    """A redaction dies at its index, and with the git that moves its branch."""
    deed = next(one for one in DEEDS if str(one) == "redact in-tree")
    make_ground(tmp_path / "ground", deed)
    sites = sites_of(deed, tmp_path / "ground", tmp_path)
    taken = next(one for one in sites if one.call == "rename" and "index.lock" in one.what)
    moved = next(
        one for one in sites if one.call == "rename" and "refs/heads/main.lock" in one.what
    )
    for number, (site, between) in enumerate(((taken, ""), (moved, "status"))):
        dead = tmp_path / f"dead-{number}"
        assert kill(site, tmp_path / "ground", dead)
        death = live_on(site, between, "commit -a", dead, tmp_path / f"day-{number}")
        assert not death.faults, site


@pytest.mark.deep(reason="of the campaign alone")
@pytest.mark.skipif(not strace_works(), reason="strace is not here or may not trace")
def test_a_copy_made_at_a_call_is_what_a_kill_there_leaves(tmp_path: Path) -> None:
    """On this the whole campaign stands: at each call of a note the branch, the index and the files are the same."""
    deed = next(one for one in DEEDS if str(one) == "note in-tree")
    ground = tmp_path / "ground"
    make_ground(ground, deed)
    copied = set()
    for _, dead in stops(deed, ground, tmp_path):
        if dead.exists():
            copied.add(digest(dead))
            for lock in (
                "HEAD.lock",
                "refs/heads/main.lock",
            ):  # a git that lives on takes them away
                (dead / "home/.git" / lock).unlink(missing_ok=True)
            copied.add(digest(dead))
    assert len(copied) > 20
    words = ("index.lock", "refs/heads/main.lock", "/spool/", "index-next")
    sites = sites_of(deed, ground, tmp_path)
    for number, word in enumerate(words):
        site = next(one for one in sites if one.call in ("rename", "write") and word in one.what)
        assert kill(site, ground, tmp_path / f"dead-{number}")
        assert digest(tmp_path / f"dead-{number}") in copied, site


@pytest.mark.deep(reason="test_import_ledger::what_was_cut_short_is_finished is the small one")
@pytest.mark.skipif(not strace_works(), reason="strace is not here or may not trace")
def test_an_imported_ledger_that_died_is_taken_back_though_the_person_went_on(
    tmp_path: Path,
) -> None:
    """Its policy would stand there, not committed, and it would look imported."""
    deed = next(one for one in DEEDS if one.name == "ledger")
    make_ground(tmp_path / "ground", deed)
    sites = sites_of(deed, tmp_path / "ground", tmp_path)
    site = next(one for one in sites if one.call == "link" and "index.lock" in one.what)
    assert kill(site, tmp_path / "ground", tmp_path / "dead")
    assert not live_on(site, "", "commit", tmp_path / "dead", tmp_path / "day").faults


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_a_redaction_withholds_from_the_moment_it_is_recorded(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could commit it yet; what lands later says the same."""
    make_home(tmp_path / "home", kind)
    memory = open_memory(tmp_path / "home")
    memory.append(SessionDraft("Words", "", (FactCreated("word-a", "The zqotter is told."),)))
    with monkeypatch.context() as patch:
        patch.setattr(Committer, "land", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.append(SessionDraft("Redact", "", (FactRedacted("word-a"),), type="edit"))
    memory.close()
    assert "zqotter" not in open_memory(tmp_path / "home").continuity()
    later = open_memory(tmp_path / "home")
    later.append(draft("next"))
    assert len(logs_in(later.home)) == 3 and not later.held()
    assert "zqotter" not in later.continuity()


@pytest.mark.parametrize("fails", [False, True], ids=["lands", "is taken back"])
@pytest.mark.parametrize("kind", [IN_TREE, OWN_REPOSITORY])
def test_no_redaction_lies_beside_a_page_that_shows_its_text(
    tmp_path: Path, kind: str, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it dies: `git add -A` takes both, and then no command has a reason to write the page anew."""
    make_home(tmp_path / "home", kind)
    memory = open_memory(tmp_path / "home")
    memory.append(SessionDraft("Words", "", (FactCreated("word-a", "The zqotter is told."),)))
    folder, seen = Path(memory.home.folder), set[tuple[bool, bool]]()

    def looked(name: str) -> None:
        whole = getattr(os, name)

        def looking(*paths: str, **more: object) -> None:
            whole(*paths, **more)
            logs = [one.read_text() for one in (folder / "sessions").rglob("*.md")]
            told = "zqotter" in (folder / "continuity.md").read_text()
            seen.add((any("- Redacted: word-a" in one for one in logs), told))

        monkeypatch.setattr(os, name, looking)

    def refusing(
        self: Store, wanted: Commit, show: Callable[[Callable[[Callable[[], bool]], bool]], None],
        sign: object,
    ) -> str:  # fmt: skip
        show(lambda within: within())
        raise StorageFailed("the disk is full")

    looked("replace")
    looked("unlink")
    if fails:
        monkeypatch.setattr(Store, "commit", refusing)
    with pytest.raises(WaitsInSpool) if fails else nullcontext():
        memory.append(SessionDraft("Redact", "", (FactRedacted("word-a"),), type="edit"))
    assert {(False, True), (False, False), (True, False)} == seen
    assert ("zqotter" in (folder / "continuity.md").read_text()) == fails


@pytest.mark.parametrize(
    ("name", "slow", "command"),
    sampled(
        [
            (name, slow, command)
            for name in ("HEAD.lock", "refs/heads/main.lock", "index.lock", "config.lock")
            for slow in (0, 20)
            for command in ("status", "show", "hook", "append")
        ],
        6,
    ),
)
def test_whatever_comes_next_takes_the_locks_of_the_dead_away(
    repo: Repo, run: Run, spawn: Run, name: str, command: str, slow: int
) -> None:
    """A read and a hook, too; nobody waits for a write. A lock that cannot be ours stays."""
    assert run("note", "id=first fact: Something is told.").code == 0
    run("show")
    state, tip = repo.path / ".git/diurna", repo.git("rev-parse", "HEAD").strip()
    (state / "lock").write_text(f"1 refs/heads/main {tip}\n")
    noted = time.time() - slow  # its git came to that so much later
    os.utime(state / "lock", (noted, noted))
    lock, other = repo.path / ".git" / name, repo.path / ".git/refs/heads/other.lock"
    lock.touch()
    other.touch()
    if command == "hook":
        said = json.dumps({"session_id": "s", "cwd": str(repo.path), "source": "startup"}).encode()
        assert spawn("hook", "claude", "SessionStart", stdin=said).code == 0
        until = time.monotonic() + 30
        while (lock.exists() or (state / "lock").stat().st_size) and time.monotonic() < until:
            time.sleep(0.02)
    else:
        assert (
            run(*(("note", "id=next fact: More.") if command == "append" else (command,))).code == 0
        )
    assert not lock.exists() and other.exists()
    repo.write("code.py", "print('theirs')\n")
    repo.git("commit", "-q", "-a", "-m", "theirs")


def test_where_all_references_were_to_move_all_their_locks_go(repo: Repo, run: Run) -> None:
    """Those of other work trees, too; what was there before is somebody else's."""
    assert run("note", "id=first fact: Something is told.").code == 0
    repo.git("worktree", "add", "-q", str(repo.path.parent / "aside"), "-b", "side")
    git, tip = repo.path / ".git", repo.git("rev-parse", "HEAD").strip()
    theirs = git / "refs/tags/v0.lock"
    theirs.touch()
    noted = time.time()
    os.utime(theirs, (noted - 5, noted - 5))
    (git / "diurna/lock").write_text(f"1 every refs/heads/main {tip} {tip}\n")
    ours = "refs/tags/v1", "refs/remotes/origin/main", "packed-refs", "worktrees/aside/index"
    for name in ours:
        (git / f"{name}.lock").parent.mkdir(parents=True, exist_ok=True)
        (git / f"{name}.lock").touch()
    assert run("show").code == 0
    assert [one for one in git.rglob("*.lock") if "stale" not in one.parts] == [theirs]


def test_cleaning_up_behind_a_redaction_forgets_no_death(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes the same lock, in the next command's answer, and needs what the death left to be finished first."""
    assert run("note", "id=first fact: Something is told.").code == 0
    base = repo.git("rev-parse", "HEAD").strip()
    with monkeypatch.context() as patch:  # it dies before that
        patch.setattr("memory.repair.redacted_copies.clean", lambda *_: False)
        assert run("redact", "first", "--reason", "a slip").code == 0
    note, lock = repo.path / ".git/diurna/lock", repo.path / ".git/HEAD.lock"
    note.write_text(f"1 refs/heads/main {base}\n")
    lock.touch()
    assert run("show").code == 0
    assert not lock.exists() and not note.stat().st_size


@pytest.mark.parametrize("staged", [False, True])
def test_what_a_dead_join_showed_goes_though_the_person_went_on(
    repo: Repo, run: Run, staged: bool
) -> None:
    """The join can not come about any more, and an untracked log would stop the person's own pull."""
    assert run("note", "id=first fact: Something is told.").code == 0
    base, path = repo.git("rev-parse", "HEAD").strip(), "memory/sessions/2026-01-01-000000.md"
    repo.git("checkout", "-q", "-b", "theirs")
    repo.write(path, log())
    repo.git("add", path)
    repo.git("commit", "-q", "-m", "came")
    made = repo.git("rev-parse", "HEAD").strip()
    repo.git("checkout", "-q", "-")
    repo.write(path, log())  # the join shows it, and dies
    if staged:
        repo.git("add", path)
    (repo.path / ".git/diurna/lock").write_text(
        f"1 {repo.git('symbolic-ref', 'HEAD').strip()} {base} {made}\n"
    )
    repo.write("code.py", "print('theirs')\n")
    repo.git("add", "code.py")
    repo.git("commit", "-q", "-m", "theirs", "-o", "code.py")
    assert run("status").code == 0
    assert not (repo.path / path).exists() and repo.git("status", "--porcelain") == ""
    repo.git("merge", "-q", "--no-edit", "theirs")


def test_a_lock_of_somebody_elses_is_left_to_them(repo: Repo, run: Run) -> None:
    """Without a death nothing is looked for, and one from before the note is not the dead one's."""
    lock = repo.path / ".git/index.lock"
    lock.touch()
    assert run("status").code == 0 and lock.exists()
    os.utime(lock, (lock.stat().st_mtime - 3600,) * 2)
    (repo.path / ".git/diurna/lock").write_text("1 refs/heads/main 0\n")
    assert run("status").code == 0 and lock.exists()


@pytest.mark.parametrize(
    "problem",
    [
        storage_failure(OSError(errno.ENOLCK, "No locks available"), "/x"),
        storage_failure(OSError(errno.ENOSPC, "No space left on device"), "/x"),
        ObjectMissing("cat-file", 128, "fatal: bad object 1", "/x", ""),
        ObjectMissing("cat-file", 128, "fatal: alternate object path /y is not there", "/x", ""),
    ],
    ids=str,
)  # fmt: skip
def test_nothing_is_called_unchanged_while_a_log_waits(
    tmp_path: Path, problem: DiurnaError, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is recorded, and the message says so; a retry records nothing twice."""
    make_home(tmp_path / "home")
    memory = open_memory(tmp_path / "home")

    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr(Committer, "_try", fail)
    with pytest.raises(WaitsInSpool) as waits:
        memory.append(draft("a"))
    said = f"{waits.value} {waits.value.hint}"
    assert "waits in the spool" in said and "nothing was changed" not in said


def test_a_full_disk_damages_no_cache(tmp_path: Path) -> None:
    """What is said of the cache is what was wrong with it."""
    make_home(tmp_path / "home")
    memory = open_memory(tmp_path / "home")
    asked = []

    def ask(cache: object) -> int:
        asked.append(cache)
        if len(asked) == 1:
            raise CacheDamaged("database or disk is full") from sqlite3.OperationalError()
        return 1

    assert memory.snapshot.ask(ask) == 1
    (note,) = memory.snapshot.notes
    assert (
        note.message == "the cache could not be used and was built anew (database or disk is full)"
    )
