"""No memory or no open files left while something is read or written (fault:A17 and fault:A18)."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory.replay import read_logs as reading
from tests.append_faults import ROOT, Tried, both, place
from tests.campaigns.homes import assert_sound, draft, hermetic
from tests.conftest import Repo, Run

__all__ = ["hermetic", "place"]


def test_a17_out_of_memory_in_a_replay(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1 and one sentence; the ledger is untouched."""
    assert run("append", "--title", "First", "--new", "fact first: It holds.").code == 0
    shape = repo.shape()

    def none_left(*arguments: object, **more: object) -> None:
        raise MemoryError

    for name in ("memory.replay.replayed_state.collect", "memory.cache.cache_file.Cache.view"):
        with monkeypatch.context() as patch:
            patch.setattr(name, none_left)
            ran = run("check", "--replay") if name.endswith("collect") else run("show")
        assert ran.code == 1
        assert "not enough memory" in ran.err
        assert "Traceback" not in ran.err
        assert repo.shape() == shape
    assert "It holds." in run("show").out


def test_a17_out_of_memory_while_committing(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is in the spool already: it says so, and the next append brings it in."""
    tip = repo.git("rev-parse", "HEAD")

    def none_left(*arguments: object, **more: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("ledger.git.fast_import.FastImport.commit", none_left)
        ran = run("append", "--title", "First", "--new", "fact first: It holds.")
    assert ran.code == 1
    assert "not enough memory" in ran.err
    assert repo.git("rev-parse", "HEAD") == tip
    assert run("append", "--title", "Second", "--new", "fact second: It too.").code == 0
    shown = run("show").out
    assert "It holds." in shown
    assert "It too." in shown


def test_a17_out_of_memory_in_the_plain_form(repo: Repo) -> None:
    """`diurna append FILE`, without the command line's libraries, says the same sentence."""
    given = repo.path.parent / "draft.md"
    given.write_text("# Second\n\n## Memory References\n\n- Referenced: first\n")
    script = (
        "import sys\nimport memory.write.spool_commits\nfrom rituals.cli.entry import main\n"
        "def none_left(*arguments): raise MemoryError\n"
        "memory.write.spool_commits.Committer._commit_once = none_left\n"
        f"sys.argv = ['diurna', 'append', {str(given)!r}]\nsys.exit(main())"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("DIURNA_NOW")
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=repo.path, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 1
    assert "not enough memory" in done.stderr
    assert "Traceback" not in done.stderr


def test_a17_the_reading_child_dies(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed for its memory in the middle of a replay: its half is read by the parent."""
    tried = Tried(place, "pygit2")
    tried.append("second")
    memory = tried.open()
    refs, _ = memory.snapshot.list_logs(tried.home.tip())
    parent, whole = os.getpid(), reading.read_part

    def dying(*arguments: Any) -> reading.Reading:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(*arguments)

    told = memory.state().standings()
    monkeypatch.setattr(reading, "_FORK_FROM", 2)
    monkeypatch.setattr(
        reading, "may_fork", lambda: True
    )  # the threads of a test's runner do no harm
    monkeypatch.setattr(reading, "read_part", dying)
    assert reading.read_all(tried.home, refs) == reading.read_few(tried.home, refs)
    assert memory.cold_state().standings() == told


@both
def test_a18_too_many_open_files(place: Path, writer: str) -> None:
    """However few can be opened: refused, or waiting, or done, and never a half of anything."""
    tried = Tried(place, writer)
    done = tried.child(
        """
memory._recorder()  # what a command can not load is another matter: it says so, before it did anything
first, hard = memory, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
def attempt(room):
    memory = open_memory(first.home.folder, "WRITER", Clock(first.occasion().now_ms + 1000 * room))
    name = f"tried-{room}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (room, hard))
    try:
        memory.append(draft(name)); said = "ok"
    except DiurnaError as problem:
        said = f"{type(problem).__name__} {problem} | {problem.hint}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    memory.close()
    print(f"{name} {said}")
for room in range(3, 22):
    attempt(room)
""".replace("WRITER", writer),
        name="second",
    )  # fmt: skip
    printed = done.stdout.splitlines()
    lines = [line.split(" ", 2) for line in printed if line.startswith("tried-")]
    assert done.returncode == 0, done.stdout + done.stderr
    kinds = [words[1] for words in lines]
    assert set(kinds) <= {"ok", "StorageFailed", "WaitsInSpool", "CorruptRepository"}, kinds
    assert "StorageFailed" in kinds
    assert kinds[-2:] == ["ok", "ok"]
    for words in lines:
        if words[1] in ("StorageFailed", "WaitsInSpool"):
            assert words[2].rpartition("| ")[2], "there is always a hint"
    assert tried.waiting() == []
    facts = {one.fact.id for one in tried.open().cold_state().standings()}
    assert facts >= {"first", "second"} | {
        words[0] for words in lines if words[1] in ("ok", "WaitsInSpool")
    }
    assert_sound(tried.home, tried.acknowledged)
    assert tried.users() == tried.kept_users


def test_a18_it_is_tried_a_second_time(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that nobody uses any more are closed, and git is started after all."""
    tried = Tried(place, "fast-import")
    memory = tried.open()
    memory.identity()
    whole = os.pipe
    failures = [errno.EMFILE]

    def pipe() -> tuple[int, int]:
        if failures:
            raise OSError(failures.pop(), "Too many open files")
        return whole()

    monkeypatch.setattr(os, "pipe", pipe)
    receipt = memory.append(draft("second"))
    assert not failures
    tried.acknowledged[receipt.stem] = receipt.data
    tried.assert_next_append_works("second")


@pytest.mark.deep(reason="test_a18_it_is_tried_a_second_time is the small one")
def test_a18_the_command_says_it_in_one_sentence(place: Path) -> None:
    """Also in the plain form, which answers without the command line's libraries."""
    tried = Tried(place, "fast-import")
    given = place.parent / "draft.md"
    given.write_text("# Second\n\n## Memory References\n\n- Referenced: first\n")
    codes = []
    for room in range(5, 12):
        script = (
            "import resource, sys\nimport rituals.cli.fast_path, memory.api, memory.write.append, ledger.codec.validate\n"
            "import rituals.cli.app, rituals.answers.json_objects, rituals.cli.commands.append\n"
            f"resource.setrlimit(resource.RLIMIT_NOFILE, ({room}, {room}))\n"
            "from rituals.cli.entry import main\n"
            f"sys.argv = ['diurna', 'append', {str(given)!r}]\nsys.exit(main())"
        )
        done = subprocess.run(
            [sys.executable, "-P", "-c", script],
            cwd=place, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        codes.append(done.returncode)
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr
        if done.returncode:
            assert "diurna: " in done.stderr
    assert 1 in codes
    assert_sound(tried.home, tried.acknowledged)
