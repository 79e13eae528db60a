"""One law for every fault of a write, from the command line and with git itself.

What was acknowledged is there, once, or is named as waiting; what a person has staged, changed or not added
stays as it is; what was refused changed nothing; and the next command works without help, brings in what
waited, and leaves nothing behind that a person's own next commit would undo.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EMFILE
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import StorageFailed
from ledger.model.log_names import seal
from ledger.wal.spool import Spool
from tests.conftest import diagonal, sampled
from tests.world import (
    COMMITTING,
    DIED,
    FOLDER,
    OWN_BRANCH,
    OWN_REPOSITORY,
    Answer,
    Place,
    World,
)

#: A running process, as the MCP server is, writes through libgit2; a command through git.
RUNNING = "tests.campaigns.appender"
WRITERS = ("", RUNNING)
NEW = ("note", "id=second fact: The second holds.")
_FACT = "# On {0}\n\n## Memory References\n\n- Created: {0}\n\n## Facts\n\n- The {0} holds.\n  <!-- id: {0} -->\n"


#: How a home of each kind is as it is laid: looked at once.
_SETTLED: dict[str, tuple[Any, ...]] = {}


class Tried:
    """A home with one acknowledged log and work of a person's, in which something is about to go wrong."""

    def __init__(self, world: World, kind: str = OWN_REPOSITORY) -> None:
        def make(apart: World) -> None:
            place = apart.home(kind, facts={"first": "fact: The first holds."})
            place.write("notes.txt", "not added\n")
            place.write("staged.py", "staged\n")
            place.git("add", "staged.py")
            if kind != OWN_REPOSITORY:
                place.write("code.py", "changed\n")

        world.laid(f"tried {kind}", make)
        self.place, self.kind, self.facts = world.place("a"), kind, {"first"}
        self.draft = world.folder / "draft.md"
        self.draft.write_text(_FACT.format("second"))
        if kind not in _SETTLED:
            _SETTLED[kind] = self.place.logs(), *self.settle()
        logs, self.users, self.status, self.shape, self.tip = _SETTLED[kind]
        self.acknowledged = set(logs)

    def settle(self) -> tuple[Any, ...]:
        """Remember what is to stay as it is now; return it."""
        self.users, self.status = self.place.users_files(), self.place.git("status", "--porcelain")
        self.shape, self.tip = self.place.shape(), self.place.tip()
        return self.users, self.status, self.shape, self.tip

    def command(self, writer: str) -> tuple[str, ...]:
        """Return what records `second`, for a command or for a running process."""
        return (str(self.draft),) if writer else NEW

    def came_of(self, answer: Answer) -> str:
        """Note what was acknowledged, and check what was refused: `done`, `waits`, `refused` or `died`."""
        assert "Traceback" not in answer.err, answer
        if answer.code in (DIED, -9, 137):
            return "died"
        if answer.code == 0:
            stem = answer.json["stem"] if answer.out.startswith("{") else answer.out.strip()
            self.acknowledged.add(stem)
            self.facts.add("second")
            return "done"
        assert answer.code == 1 and "hint: " in answer.err, answer
        waits = re.search(r"the log (\S+) is saved, and not", answer.err)
        if waits:  # or it landed before the disk refused what comes behind
            assert waits[1] in {*self.place.waiting(), *self.place.logs()}
            self.facts.add("second")
            return "waits"
        assert self.place.waiting() == []
        self.nothing_moved()
        return "refused"

    def nothing_moved(self) -> None:
        """Check that what was refused changed nothing."""
        assert self.place.shape() == self.shape
        assert self.place.fsck() == []

    def recovers(self) -> None:
        """Check the law: give the next command, and a person's commit behind it."""
        place, waiting = self.place, set(self.place.waiting())
        assert place.logs().keys() >= self.acknowledged
        again = place.run("note", "id=third fact: The third holds.")
        assert "history-rewritten" not in again.codes()
        self.acknowledged |= {again.json["stem"]} | waiting
        logs = place.holds(self.acknowledged)
        assert place.waiting() == []
        facts = set(place.texts())
        assert facts - {"second"} == {"first", "third"} and facts >= self.facts
        assert place.users_files() == self.users
        assert place.git("status", "--porcelain") == self.status
        assert not [*place.common.rglob("refs/**/*.lock"), *place.common.glob("*.lock")]
        place.git("commit", "-q", "--allow-empty", "-m", "a person's own")
        assert place.logs() == logs, "no commit of a person's takes a log out"
        assert sum(b"Created: second" in data for data in logs.values()) == ("second" in facts)
        assert not any(b"\ntype: edit\n" in one for one in logs.values()), (
            "a page of ours is no edit"
        )


@pytest.fixture
def tried(world: World) -> Callable[..., Tried]:
    return lambda kind=OWN_REPOSITORY: Tried(world, kind)


# ---- killed, or answered an error, at each step ----------------------------------------------------

#: Steps of a note, by words of theirs; in some kinds of home some are not taken.
STEPS = (
    "open .git/diurna/session", "open .git/diurna/spool", "write .git/diurna/spool", "fsync .git/diurna/spool",
    "open .git/diurna/lock", "git ls-tree", "write .git/diurna/spool/kept/commits", ".git/objects/",
    "open .git/diurna/writing", ".git/diurna/.written", "replace .git/diurna/written", ".git/diurna/.continuity",
    "continuity.md", ".git/diurna/.2", "sessions/2", "git update-index", "git update-ref", "write pipe:",
    "ftruncate .git/diurna/lock", "diurna/seen",
    "rename .git/diurna/spool", "diurna/spool/at/", ".sqlite", "open .git/diurna/held", "git symbolic-ref", "mkdir",
)  # fmt: skip
DISK = ("EIO", "ENOSPC", "EDQUOT", "EROFS")
#: What changes nothing of a person's or of memory's.
_CALM = re.compile(
    r"^git (config|cat-file|log|rev-parse|for-each-ref|diff|show)|^ftruncate|/\.local/|/cache/"
)


@pytest.mark.parametrize("kind", [*COMMITTING, FOLDER])
def test_the_table_has_each_step_that_changes_something(world: World, kind: str) -> None:
    """A step that is new is killed and refused from then on."""
    steps = world.home(kind, facts={"first": "fact: The first holds."}).steps(*NEW)
    assert len(steps) > 8
    new = [one for one in steps if not _CALM.search(one) and not any(row in one for row in STEPS)]
    assert new == []


ENDS = [
    (kind, behind, step) for step in STEPS[:-3] for behind in (False, True) for kind in COMMITTING
]


@pytest.mark.parametrize(("kind", "behind", "step"), sampled(ENDS, 17))
def test_a1_a2_a3_a4_a5_a_writer_that_dies_loses_nothing_it_was_told(
    tried: Callable[..., Tried], kind: str, behind: bool, step: str
) -> None:
    """Before or behind each step; and who tries again, as agents do, has one log."""
    shop = tried(kind)
    before = shop.place.shape()
    answer = shop.place.at_step(1, "die", *NEW, on=step, behind=behind)
    if shop.came_of(answer) == "died":
        if shop.place.tip() == shop.tip and step in STEPS[:8]:
            assert shop.place.shape() == before, "what was written of it is harmless"
        waiting = shop.place.waiting()
        again = shop.place.run(*NEW).json
        assert again["stem"] in waiting or not waiting
        shop.acknowledged.add(again["stem"])
        shop.facts.add("second")
    shop.recovers()


@pytest.mark.deep(reason="a_writer_that_dies_loses_nothing_it_was_told is the small one")
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", COMMITTING)
def test_a1_a2_a3_a4_a5_at_each_step_by_number(world: World, kind: str, writer: str) -> None:
    """All of them, one after the other, each in a home of its own."""
    first = Tried(world, kind)
    count = len(first.place.fork("count").steps(*first.command(writer), module=writer))
    for number in range(1, count + 1):
        with World(world.folder / str(number)) as apart:
            shop = Tried(apart, kind)
            shop.came_of(shop.place.at_step(number, "die", *shop.command(writer), module=writer))
            shop.recovers()


FAILS = [
    (step, error, kind)
    for at, step in enumerate(STEPS[1:-3])
    for error, kind in [(DISK[at % 4], COMMITTING[at % 2]), (DISK[(at + 2) % 4], OWN_REPOSITORY)]
]


@pytest.mark.parametrize(
    ("step", "error", "kind"),
    [row if at % 7 == 0 else pytest.param(*row, marks=pytest.mark.deep) for at, row in enumerate(FAILS)],
)  # fmt: skip
def test_a6_a7_a8_a9_a11_a12_a13_an_error_of_the_disk_is_told_and_loses_nothing(
    tried: Callable[..., Tried], step: str, error: str, kind: str
) -> None:
    """Whichever step it answers: done, or waiting, or refused, and never anything between."""
    shop = tried(kind)
    shop.came_of(shop.place.at_step(0, error, *NEW, on=step))
    shop.recovers()


@pytest.mark.parametrize(
    ("step", "error", "words", "hint"),
    [
        ("write", "EDQUOT", "Disk quota exceeded", "quota"), ("write", "EFBIG", "File too large", "ulimit"),
        ("write", "ENOSPC", "No space left", "free some space"), ("open", "EROFS", "Read-only file", "read-only"),
        ("fsync", "EIO", "Input/output error", "not durable"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("writer", sampled(WRITERS, 2))
def test_a9_a12_a13_what_the_spool_can_not_hold_is_refused(
    tried: Callable[..., Tried], step: str, error: str, words: str, hint: str, writer: str
) -> None:
    """What is not durable does not look as if it were: no half of a log is left, and a retry is no repetition."""
    shop = tried()
    answer = shop.place.at_step(
        0, error, *shop.command(writer), on=f"{step} .git/diurna/spool/2", module=writer
    )
    assert shop.came_of(answer) == "refused"
    assert words in answer.err and hint in answer.err and "diurna/spool" in answer.err
    if not writer:
        assert answer.said == "StorageFailed"
    assert [*(shop.place.common / "diurna/spool").glob("2*")] == []
    assert shop.place.run(*NEW).json["already"] is False
    shop.facts.add("second")
    shop.recovers()


def test_a9_what_is_there_stays_where_it_can_not_be_opened(tmp_path: Path) -> None:
    """Only what this writer made is taken away: the same log may have been acknowledged before."""
    spool, stem, really = Spool(str(tmp_path)), seal("2026-11-30-101500000", b"a log"), os.open
    spool.put(stem, b"a log")

    def full(path: str, *how: Any) -> int:
        if path.endswith(stem):
            raise OSError(EMFILE, "Too many open files")
        return really(path, *how)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(StorageFailed, match="Too many"):
        patch.setattr(os, "open", full)
        spool.put(stem, b"a log")
    assert (tmp_path / stem).read_bytes() == b"a log"


@pytest.mark.parametrize("step", ["replace", "rename"])
def test_a10_an_error_behind_the_rename_that_landed(tried: Callable[..., Tried], step: str) -> None:
    """It is told although the write landed, and the retry is one log."""
    shop = tried(OWN_REPOSITORY)
    shop.came_of(shop.place.at_step(0, "EIO", *NEW, on=step, behind=True))
    assert shop.place.run(*NEW).json["already"] is True
    shop.facts.add("second")
    shop.recovers()


def _crowd(place: Place) -> None:
    """Give the root so many files that its tree is far larger than a log."""
    blob = place.git("rev-parse", "HEAD:diurna.toml")
    rows = "".join(f"100644 {blob}\tdata-{number:040}\n" for number in range(200))
    place.git("stash", "-q", "-u")
    place.git("update-index", "--add", "--index-info", data=rows.encode())
    place.git("commit", "-q", "-m", "many files")
    place.git("checkout-index", "-q", "-a")
    place.git("stash", "pop", "-q", "--index")


@pytest.mark.deep(only=("6000", "100-own-branch-t", "700-own-repository-t"))
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(
    ("size", "kind"),
    [(0, OWN_REPOSITORY), (100, OWN_BRANCH), (700, OWN_REPOSITORY), (6000, OWN_REPOSITORY)],
)
def test_a6_a7_a8_a12_a_limit_on_the_size_of_files(
    tried: Callable[..., Tried], size: int, kind: str, writer: str
) -> None:
    """`ulimit -f`: at the spool, the blob, the tree or the lock, no write that fails is taken for done."""
    shop = tried(kind)
    if size == 6000:
        _crowd(shop.place)
        shop.settle()
    answer = shop.place.limited("FSIZE", size, *shop.command(writer), module=writer)
    assert shop.came_of(answer) in (("refused",) if not size else ("waits", "refused", "done"))
    assert size or ("File too large" in answer.err and "ulimit -f" in answer.err)
    shop.recovers()


@pytest.mark.parametrize(("room", "writer"), diagonal(sampled(range(4, 16), 4), WRITERS))
def test_a18_too_many_open_files(tried: Callable[..., Tried], room: int, writer: str) -> None:
    """However few can be opened: refused, or waiting, or done, in a sentence."""
    shop = tried()
    answer = shop.place.limited("NOFILE", room, *shop.command(writer), module=writer)
    assert shop.came_of(answer) in (("refused",) if room == 4 else ("refused", "waits", "done"))
    shop.place.holds(shop.acknowledged)
    assert shop.place.users_files() == shop.users


@pytest.mark.parametrize("writer", [RUNNING, ""])
def test_a13_no_room_for_one_more_folder_of_objects(
    tried: Callable[..., Tried], writer: str
) -> None:
    """The log waits."""
    shop = tried()
    objects = shop.place.common / "objects"
    blocked = [one for number in range(256) if not (one := objects / f"{number:02x}").exists()]
    for folder in blocked:
        folder.touch()
    answer = shop.place.process(
        *shop.command(writer), code=None, json=not writer, module=writer or "rituals"
    )
    assert shop.came_of(answer) == "waits"
    for folder in blocked:
        folder.unlink()
    shop.recovers()


@contextmanager
def _disk(folder: Path, options: str) -> Iterator[Path]:
    """Mount a file system in memory, where that is allowed."""
    folder.mkdir()
    try:
        mount = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
        if subprocess.run(mount, capture_output=True).returncode:
            pytest.skip("mounting is not allowed here; the steps that fail say the same")
    except OSError:
        pytest.skip("there is no mount here; the steps that fail say the same")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=True)


@pytest.mark.parametrize("options", ["size=1m", "size=8m,nr_inodes=400"])
def test_a6_a13_a_disk_that_fills_up(tmp_path: Path, options: str) -> None:
    """What was acknowledged before there was no more room is all there; what waited comes in when there is again."""
    with _disk(tmp_path / "disk", options) as disk, World(disk) as world:
        (disk / "ballast").write_bytes(b"\0" * 100_000)
        shop = world.home(OWN_BRANCH)
        told = [shop.note("id=first fact: The first holds.")]
        room, fill = os.statvfs(disk), disk / "fill"
        fill.mkdir()
        if "nr_inodes" in options:
            for number in range(room.f_ffree - 20):
                (fill / str(number)).touch()
        else:
            (fill / "large").write_bytes(b"\0" * (room.f_bavail * room.f_frsize - 90_000))
        refused: list[Answer] = []
        for number in range(60):
            answer = shop.run(
                "append",
                "--title",
                "On",
                "--body",
                "It went well. " * 40,
                "--new",
                f"id=n{number} N {number}.",
                code=None,
            )
            if answer.code:
                refused.append(answer)
                if len(refused) == 3:
                    break
            else:
                told.append(answer.json["stem"])
        assert len(refused) == 3
        assert {one.said for one in refused} <= {"WaitsInSpool", "StorageFailed"}
        assert all("No space left" in one.err and "hint: " in one.err for one in refused)
        shop.holds(told)
        shutil.rmtree(fill)
        (disk / "ballast").unlink()
        waiting = shop.waiting()
        told.append(shop.note("id=last fact: The last holds."))
        assert shop.waiting() == []
        shop.holds([*told, *waiting])
        shop.warm_is_cold()


# ---- git itself fails, dies or says nothing --------------------------------------------------------


@pytest.mark.deep(only=("exit 1-", "echo fatal"))
@pytest.mark.parametrize(("does", "only"), diagonal(
    ["exit 1", "kill -9 $$", "kill -9 $PPID; kill -9 $$", "echo fatal: no >&2; exit 128", "kill -9 $PPID; kill -9 $$"],
    ["update-index", "update-ref"],
))  # fmt: skip
def test_a1_a2_a7_a_git_that_fails_or_dies(
    tried: Callable[..., Tried], does: str, only: str
) -> None:
    """Alone, or with the command that started it."""
    shop = tried()
    with shop.place.world.git_does(does, only=only) as told:
        came = shop.came_of(shop.place.process(*NEW, code=None))
    assert only in told.read_text()
    assert came == "died" if "PPID" in does else came in ("waits", "done")
    shop.recovers()


@pytest.mark.parametrize(
    "lock", ["refs/heads/main.lock", "HEAD.lock", "index.lock", "packed-refs.lock"]
)
def test_a3_b7_a_lock_whose_owner_died_is_put_aside_and_noted(
    tried: Callable[..., Tried], lock: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Diurna's git died with it in its hands; it is not removed, and the message says where it is."""
    for module in ("index_entries", "tree_update"):
        monkeypatch.setattr(f"memory.worktree.{module}.INDEX_TRIES", 2)
    shop = tried()
    file = shop.place.common / lock
    with shop.place.world.git_does(f'touch "{file}"; kill -9 $PPID; kill -9 $$', only="update-ref"):
        assert shop.came_of(shop.place.process(*NEW, code=None)) == "died"
    assert file.exists()
    old = file.stat().st_mtime - 60
    os.utime(file, (old, old))
    answer = shop.place.run("note", "id=next fact: The next holds.", code=None)
    if file.exists():  # it is in the way of nothing, or a person's git may have it
        assert lock in ("packed-refs.lock", "index.lock", "HEAD.lock")
        file.unlink()
    else:
        assert [one["code"] for one in answer.json["findings"]][:1] == ["stale-lock"]
        (aside,) = (shop.place.common / "diurna/stale").iterdir()
        assert aside.name in answer.json["findings"][0]["message"]
    shop.place.run("note", "id=next fact: The next holds.")
    assert {"first", "second", "next"} == set(shop.place.texts())
    assert shop.place.git("status", "--porcelain") == shop.status
    shop.place.holds(shop.acknowledged)


# ---- a person's git in the very moment ---------------------------------------------------------------

_COMMITS = "cd {folder} && echo theirs > theirs.py && git add theirs.py && git commit -q -m theirs || echo refused > ../refused"
_STAGES = "cd {folder} && echo theirs > theirs.py && git add theirs.py"


MOMENTS = (
    (".git/objects/", False), ("git update-index", False), ("git update-ref", False),
    ("rename .git/diurna/spool", False),
)  # fmt: skip


@pytest.mark.parametrize(("moment", "kind"), [(one, OWN_REPOSITORY) for one in MOMENTS])
def test_b10_d1_d3_a_commit_of_a_persons_at_each_moment_of_ours(
    world: World, moment: tuple[str, bool], kind: str
) -> None:
    """It has the person's files alone, or git refuses it and the second try works; ours takes nothing of it along."""
    shop = world.home(kind, facts={"first": "fact: The first holds."})
    does = "$ " + _COMMITS.format(folder=shop.folder)
    answer = shop.at_step(1, does, *NEW, on=moment[0], behind=moment[1])
    assert answer.code == 0, answer
    if (world.folder / "refused").exists():
        shop.git("commit", "-q", "-m", "theirs")
    theirs = shop.git("log", "-1", "--format=%H", "--", "theirs.py")
    assert shop.git("show", "--format=", "--name-only", theirs) == "theirs.py"
    shop.show()  # whatever comes next brings back what that left out
    shop.git("merge-base", "--is-ancestor", theirs, "HEAD")
    shop.holds([answer.json["stem"]])
    assert shop.git("status", "--porcelain") == ""


@pytest.mark.parametrize("step", ["git update-index", "rename .git/diurna/spool"])
def test_d1_what_a_person_stages_in_the_moment_stays_staged(world: World, step: str) -> None:
    """The entries are set as git sets them."""
    shop = world.home(OWN_REPOSITORY)
    answer = shop.at_step(1, "$ " + _STAGES.format(folder=shop.folder), *NEW, on=step)
    shop.holds([answer.json["stem"]])
    assert shop.git("status", "--porcelain") == "A  theirs.py"


@pytest.mark.parametrize("shape", ["split", "version 4", "assume unchanged", "as old as a file"])
def test_d1_an_index_of_any_shape_follows(world: World, shape: str) -> None:
    """It is left to git; an edit as old as the index is still seen."""
    shop = world.home(OWN_REPOSITORY)
    shop.write("code.py", "one\n")
    shop.commit_all("code")
    shop.git("config", "core.trustctime", "false")
    if shape == "split":
        shop.git("update-index", "--split-index")
    elif shape == "version 4":
        shop.git("update-index", "--index-version=4")
    elif shape == "assume unchanged":
        shop.git("update-index", "--assume-unchanged", "code.py")
    index = shop.common / "index"
    then = index.stat().st_mtime_ns - 10**10
    file = shop.write("theirs.py", "one\n")
    shop.git("add", "theirs.py")
    os.utime(file, ns=(then, then))
    shop.git("update-index", "--refresh")
    file.write_text("two\n")
    os.utime(file, ns=(then, then))
    os.utime(index, ns=(then, then))
    shop.holds([shop.note("It holds.")])
    assert shop.git("status", "--porcelain") == "AM theirs.py"


def test_c1_a_branch_that_is_switched_while_files_are_written(world: World) -> None:
    """A log that was written too late is no stranger on the other branch, and is on the one it was for."""
    shop = world.home(OWN_REPOSITORY, policy={"publish": "review"})
    shop.note("id=first fact: The first holds.")
    shop.git("branch", "other")
    does = f"$ git -C {shop.folder} checkout -q other"
    answer = shop.at_step(1, does, *NEW, on="sessions/2")
    assert answer.code == 0, answer
    assert shop.git("branch", "--show-current") == "other"
    assert shop.git("status", "--porcelain") == ""
    shop.git("checkout", "-q", "main")
    shop.holds([answer.json["stem"]])
    assert shop.git("status", "--porcelain") == ""


# ---- what did not reach the disk ----------------------------------------------------------------------


def _object(place: Place, spec: str) -> tuple[str, Path]:
    """Return the id and the file of a loose object, writable."""
    found = place.git("rev-parse", "--verify", spec)
    file = place.common / "objects" / found[:2] / found[2:]
    file.chmod(0o644)
    return found, file


def _damage(file: Path, how: str) -> bytes:
    whole = file.read_bytes()
    if how == "missing":
        file.unlink()
    else:
        file.write_bytes({"empty": b"", "short": whole[:-9], "garbled": b"garbage"}[how])
    return whole


HOW = ("missing", "empty", "short", "garbled")


@pytest.mark.parametrize(
    ("kind", "how", "cached", "copied"),
    sampled(
        [
            (k, h, c, d)
            for k in COMMITTING
            for h in HOW
            for c in (True, False)
            for d in (True, False)
        ],
        8,
    ),
)
def test_a14_a16_c18_a_damaged_log_is_named_and_made_again(
    world: World, kind: str, how: str, cached: bool, copied: bool
) -> None:
    """Others are read; the next write makes it again from the spool's copy, and where none is left says so."""
    shop = world.home(kind, facts={"first": "fact: The first holds."})
    lost = shop.run("note", "id=lost fact: It is lost.").json
    oid, file = _object(shop, f"{shop.tip()}:{shop.prefix}{lost['path']}")
    spool = shop.common / "diurna/spool/kept"
    if not copied:
        shutil.rmtree(spool)
    whole = _damage(file, how)
    if not cached:
        shutil.rmtree(shop.common / "diurna/cache")
        shown = shop.run("show", code=None)
        assert set(shop.show()) == {"first"} or copied
        assert oid in shown.err and lost["path"] in shown.err
    page = shop.show_file("continuity.md")
    answer = shop.run("note", "id=next fact: The next holds.", code=None)
    assert answer.code == 0, answer
    if copied:
        if cached:  # nothing of it had to be read
            shop.run("check", "--fix")
        else:
            assert "object-mended" in answer.codes() and oid in answer.err
        shop.holds([lost["stem"], answer.json["stem"]])
        assert set(shop.show()) == {"first", "lost", "next"}
        return
    shutil.rmtree(shop.common / "diurna/cache")
    assert set(shop.show()) == {"first", "next"}
    assert "unreadable" in shop.check("--ci")
    assert shop.run("check", "--publish", code=1).code == 1
    assert shop.show_file("continuity.md") == page or b"It is lost." in shop.show_file(
        "continuity.md"
    )
    file.write_bytes(whole)
    shutil.rmtree(shop.common / "diurna/cache")
    shop.holds([lost["stem"], answer.json["stem"]])
    assert set(shop.show()) == {"first", "lost", "next"}


TREES = ("{tip}", "{tip}^{{tree}}", "{tip}:sessions")


@pytest.mark.parametrize(
    ("spec", "noted", "cached", "how"),
    sampled(
        [(s, n, c, h) for s in TREES for n in (True, False) for c in (True, False) for h in HOW], 9
    ),
)
def test_a14_a16_c18_a_damaged_tree_or_commit_is_named_or_made_again(
    world: World, spec: str, noted: bool, cached: bool, how: str
) -> None:
    """Nothing is read as if there were none; `check --fix` makes again what was noted, and no hint deletes."""
    shop = Tried(world)
    place = shop.place
    if cached:
        place.show()
    notes = place.common / "diurna/spool/kept/commits"
    notes.write_bytes(
        b"\0\0\nrefs/heads/main\0" + notes.read_bytes() + b"\0\0\nrefs"
    )  # two were cut short
    if not noted:
        notes.unlink()
    oid, file = _object(place, spec.format(tip=shop.tip))
    whole = _damage(file, how)
    answer = place.limited(
        "CPU", 5, *NEW
    )  # libgit2 never came back from an object that was cut short
    if answer.code:
        assert oid in answer.err or shop.tip in answer.err
        assert "git fsck" in answer.err
        assert not re.search(r"\brm |delete|--force|reset|--hard", answer.err)
        place.run("check", "--fix", code=0 if noted else None)
    if not noted:
        file.write_bytes(whole)
    place.run(*NEW)
    shop.facts.add("second")
    shop.recovers()


@pytest.mark.parametrize(("kind", "writer"), diagonal(COMMITTING, WRITERS))
def test_a15_a_power_cut_behind_the_acknowledgement(world: World, kind: str, writer: str) -> None:
    """Objects and references are as they were before; the spool's copy was flushed, so the next write has it all."""
    shop = Tried(world, kind)
    place = shop.place
    before = place.fork("before")
    gitdir = place.common
    answer = place.process(*shop.command(writer), json=not writer, module=writer or "rituals")
    shop.came_of(answer)
    for name in ("objects", "refs", "logs"):
        shutil.rmtree(gitdir / name)
        shutil.copytree(before.common / name, gitdir / name)
    assert place.tip() == shop.tip
    stem = (shop.acknowledged - set(place.logs())).pop()
    (copy,) = place.common.rglob(f"diurna/spool*/kept/{stem}")
    assert copy.stat().st_mode & 0o777 == 0o600
    place.note("id=next fact: The next holds.")
    place.holds(shop.acknowledged)
    assert set(place.texts()) == {"first", "second", "next"}
    assert place.git("status", "--porcelain") == shop.status
    assert place.users_files() == shop.users


@pytest.mark.parametrize("kind", COMMITTING)
def test_a15_the_spool_is_flushed_before_any_object_is_written(world: World, kind: str) -> None:
    """One flush, of the log's copy, and then git."""
    steps = world.home(kind).steps(*NEW)
    (flushed,) = [at for at, one in enumerate(steps) if one.startswith("fsync")]
    assert "diurna/spool" in steps[flushed]
    written = [at for at, one in enumerate(steps) if ".git/objects/" in one or "update-ref" in one]
    assert min(written) > flushed


# ---- memory runs out ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "inside"),
    [
        ("recall first", "memory.recall.recaller.Recaller.recall"), ("check --replay", "memory.replay.state_as_of.collect"),
        ("note So.", "memory.write.commit_files.store_commit"),
    ],
)  # fmt: skip
def test_a17_out_of_memory_is_a_sentence(
    world: World, monkeypatch: pytest.MonkeyPatch, command: str, inside: str
) -> None:
    """Exit code 1; nothing moved, and what waits comes in with the next write."""

    def none_left(*_: object, **__: object) -> None:
        raise MemoryError

    shop = Tried(world)
    monkeypatch.setattr(inside, none_left)
    answer = shop.place.run(*command.split(), code=1)
    monkeypatch.undo()
    assert "not enough memory" in answer.err and "Traceback" not in answer.err
    shop.nothing_moved()
    waiting = shop.place.waiting()
    assert bool(waiting) == command.startswith("note")
    shop.place.note("id=third fact: The third holds.")
    shop.place.holds({*shop.acknowledged, *waiting})
