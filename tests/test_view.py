"""The view of a clone is the union of the branch's tip and the captured logs that wait (W14)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import memory.cache.rebuild as rebuild
from ledger.model.event import FactCreated, FactRedacted, FactUpdated
from ledger.model.layout import log_path
from memory.api import Memory
from memory.query import last_answers
from memory.write.draft import SessionDraft
from projection.document.page_renderer import render
from rituals.check.check_registry import REVIEW, VERIFY, made
from tests.campaigns import forks
from tests.campaigns.homes import as_left, git, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import Run
from tests.test_captured_logs import UNPUSHED, captured, in_tree, push, tip, work
from tests.test_captured_logs import home as home  # a fixture


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Tells of each time that a cache is built from git, or copied from another one."""
    told: list[str] = []
    for name in ("build", "copy"):
        known = getattr(rebuild, name)

        def told_of(*arguments: object, name: str = name, known: object = known) -> object:
            told.append(name)
            return known(*arguments)  # type: ignore[operator]

        monkeypatch.setattr(rebuild, name, told_of)
    return told


def facts(memory: Memory) -> set[str]:
    """The facts of the view, asked in three ways that have to agree."""
    found = set(memory.state())
    assert memory.snapshot.ask(lambda cache: set(cache.fact_ids())) == found
    return found


def test_what_waits_is_in_every_answer(home: Path) -> None:
    """State, brief, recall, provenance and lists; what is committed is asked without it."""
    memory = open_memory(home)
    memory.append(captured("a"))
    work(home)
    stem = memory.hold(captured("b")).stem
    memory = open_memory(home)
    assert facts(memory) == {"a", "b"} and set(memory.tip_state()) == {"a"}
    assert "All about b." in memory.continuity() and "All about b." in memory.brief().text
    assert [hit.id for hit in memory.recall("about b").facts if hit.id == "b"] == ["b"]
    assert [step.stem for step in memory.why("b").steps] == [stem]
    assert memory.log()[0].stem == stem and memory.digest(stem).title == "On b"
    assert memory.state(stem)["b"].fact.text == "All about b."
    assert memory.timeline().sessions[-1].stem == stem
    assert memory.drift() == ()


def test_looking_first_and_known_ids_see_it(home: Path) -> None:
    """What repeats a waiting fact is told of; what waits can be changed, and is then in one commit."""
    memory = open_memory(home)
    memory.hold(captured("a"))
    said = "Webhooks retry three times with jitter after a failure."
    memory.hold(SessionDraft("On retries", "", (FactCreated("retries", said),)))
    alike = SessionDraft("Again", "", (FactCreated("other", said),))
    assert [one.code for one in memory.append(alike, dry_run=True).findings] == ["similar-fact"]
    receipt = memory.append(SessionDraft("New text", "", (FactUpdated("a", "Another text."),)))
    assert len(in_tree(home)) == 3 and receipt.stem == in_tree(home)[-1]
    assert memory.state()["a"].fact.text == "Another text."
    assert not memory.state()["a"].fact.contradicted


def test_to_the_view_and_back_nothing_is_read_anew(home: Path, builds: list[str]) -> None:
    """One copy of the cache for the first log that waits, and none for all that follows."""
    memory = open_memory(home)
    memory.append(captured("a"))
    work(home)
    builds.clear()
    for name in "bcd":
        memory.hold(captured(name))
        work(home)
        assert name in memory.state()
        other = open_memory(home)
        assert other.continuity() == memory.continuity()
    assert builds == ["copy", "copy"], "once: into memory, and from there into the file"
    push(home)
    memory.land_held()
    assert (
        open_memory(home).continuity() == memory.continuity() == render(memory.cold_state().view())
    )
    work(home)
    memory.hold(captured("e"))
    assert facts(open_memory(home)) == set("abcde")
    assert builds == ["copy", "copy"], "once: into memory, and from there into the file"


def test_what_landed_on_another_branch_leaves_the_view(home: Path, builds: list[str]) -> None:
    """Of the branch that it is not on; the cache is copied, not built."""
    memory = open_memory(home)
    memory.append(captured("a"))
    push(home)
    git(home, "checkout", "-q", "-b", "topic")
    work(home)
    open_memory(home).hold(captured("b"))
    assert facts(open_memory(home)) == {"a", "b"}
    git(home, "checkout", "-q", "main")
    assert facts(open_memory(home)) == {"a", "b"}, "it is of the home"
    builds.clear()
    assert open_memory(home).land_held() is not None
    open_memory(home).hold(captured("c"))
    git(home, "checkout", "-q", "topic")
    work(home)
    topic = open_memory(home)
    assert facts(topic) == {"a"}
    topic.hold(captured("d"))
    assert facts(topic) == facts(open_memory(home)) == {"a", "d"}
    assert "build" not in builds


def test_several_work_trees_see_it(home: Path, tmp_path: Path) -> None:
    """It lands on the branch of the one in which it lands, once."""
    push(home)
    git(home, "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    work(home)
    stem = open_memory(home).hold(captured("a")).stem
    other = open_memory(tmp_path / "other")
    assert facts(other) == {"a"}
    assert other.land_held() is not None
    assert in_tree(tmp_path / "other") == [stem] and in_tree(home) == []
    assert facts(open_memory(home)) == set()


def test_verify_and_publish_go_by_the_tip(home: Path) -> None:
    """What waits is no finding of the ledger, and no page shows what the tip does not have."""
    memory = open_memory(home)
    memory.append(captured("a"))
    work(home)
    memory.hold(captured("b"))
    for which in (VERIFY, REVIEW):
        assert [one.code for one in made(memory, which)] == []
    assert memory.publish(dry_run=True) == ((), "")
    assert memory.publish() == ((), "")
    assert len(memory.held()) == 1


def test_a_kept_answer_is_of_what_waits_too(home: Path) -> None:
    """The quick answer of `show` and `brief` is kept for the view, and another one follows."""
    memory = open_memory(home)
    memory.append(captured("a"))
    work(home)
    assert b"All about a." in (last_answers.continuity(str(home)) or b"")
    memory.hold(captured("b"))
    for _ in range(2):
        assert b"All about b." in (last_answers.continuity(str(home)) or b"")
    kept = Path(memory.home.cache_file + ".shown").read_bytes()
    assert kept.startswith(b"diurna-shown") and tip(home).encode() + b"+" in kept
    push(home)
    memory.land_held()
    assert b"All about b." in (last_answers.continuity(str(home)) or b"")


@pytest.mark.parametrize("warm", [False, True])
def test_a_read_only_disk_shows_it(home: Path, warm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The view is in memory then, of a copy of the tip's cache or of git."""
    memory = open_memory(home)
    memory.append(captured("a"))
    if warm:
        memory.state()
    work(home)
    memory.hold(captured("b"))
    git_dir = home / ".git"
    if os.geteuid() == 0:  # root may write anywhere: no key, so no file is kept
        monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")
    else:
        subprocess.run(["chmod", "-R", "a-w", str(git_dir)], check=True)
    try:
        assert facts(open_memory(home)) == {"a", "b"}
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(git_dir)], check=True)


@pytest.mark.parametrize("stamped", [False, True])
def test_a_damaged_view_is_made_anew(home: Path, stamped: bool, builds: list[str]) -> None:
    """From the cache of the tip; that one stays as it is."""
    memory = open_memory(home)
    memory.hold(captured("a"))
    memory.state()
    memory.close()
    file = Path(memory.home.cache_file + ".view.sqlite")
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    if stamped:
        as_left(file)
    builds.clear()
    assert facts(open_memory(home)) == {"a"}
    assert builds == ["copy", "copy"], "once: into memory, and from there into the file"


def test_it_is_seen_after_a_prune(home: Path) -> None:
    """The spool has the bytes; git has none of them."""
    memory = open_memory(home)
    stem = memory.hold(captured("apple")).stem
    git(home, "gc", "-q", "--prune=now")
    memory = open_memory(home)
    assert facts(memory) == {"apple"} and memory.digest(stem).title == "On apple"
    assert memory.recall("apple").facts


def test_a_shallow_clone_and_an_unborn_branch_see_it(home: Path, tmp_path: Path) -> None:
    """Without history, and without a tip."""
    memory = open_memory(home)
    memory.append(captured("a"))
    push(home)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{tmp_path}/remote", "shallow")
    shallow = tmp_path / "shallow"
    git(shallow, "config", "user.email", "ada@example.invalid")
    git(shallow, "config", "user.name", "Ada")
    work(shallow)
    open_memory(shallow).hold(captured("b"))
    assert facts(open_memory(shallow)) == {"a", "b"}
    git(shallow, "checkout", "-q", "--orphan", "new")
    assert facts(open_memory(shallow)) == {"b"}


def test_a_redaction_that_arrives_reaches_it(home: Path, tmp_path: Path) -> None:
    """What it says of a redacted fact is shown by no command and stands in no index."""
    memory = open_memory(home)
    memory.append(captured("a"))
    push(home)
    git(tmp_path, "clone", "-q", str(tmp_path / "remote"), "there")
    there = tmp_path / "there"
    git(there, "config", "user.email", "ada@example.invalid")
    git(there, "config", "user.name", "Ada")
    work(home)
    again = SessionDraft("More", "It is about otters.", (FactUpdated("a", "All about otters."),))
    memory.hold(again)
    assert memory.recall("otters").facts
    open_memory(there).append(SessionDraft("Gone", "", (FactRedacted("a"),), type="edit"))
    git(there, "push", "-q")
    git(home, "pull", "-q", "--no-rebase", "--no-edit")
    assert "otters" not in open_memory(home).continuity()
    memory = open_memory(home)
    assert len(memory.held()) == 1
    assert "All about otters." not in str(memory.why("a"))
    assert "All about otters." not in str(memory.recall("otters"))
    cache = Path(memory.home.cache_file).parent
    assert not [file for file in cache.iterdir() if b"All about otters." in file.read_bytes()]
    memory.drain()
    assert "otters" not in memory.continuity() and not memory.held()


def test_nothing_is_written_but_the_spool_and_the_cache(home: Path) -> None:
    """No object, no reference, no file of the work tree."""

    def everything() -> dict[str, bytes]:
        return {
            str(path): path.read_bytes()
            for path in home.rglob("*")
            if path.is_file() and "diurna" not in path.parts
        }

    memory = open_memory(home)
    memory.state()
    before = everything()
    memory.hold(captured("apple"))
    assert "apple" in memory.state() and memory.recall("apple").facts
    assert memory.brief().text and memory.why("apple")
    assert everything() == before
    assert (home / ".git/diurna/spool/held" / memory.held()[0]).exists()
    assert not (home / "memory" / log_path(memory.held()[0])).exists()


def test_another_process_sees_it_at_once(home: Path) -> None:
    """A server that has the home open, without being told."""
    server = open_memory(home)
    assert facts(server) == set()
    script = (
        "from memory.api import Memory; from tests.test_captured_logs import captured; import sys\n"
        "print(Memory.open(sys.argv[1]).hold(captured('a')).stem)"
    )
    done = forks.run(["-c", script, str(home)], home, os.environ)
    assert server.held() == [done.stdout.strip()] and facts(server) == {"a"}
    push(home)
    assert server.land_held() is not None and facts(server) == {"a"}


@pytest.fixture
def waits(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A home in which a fact is committed and another waits; the stem of the second log."""
    memory = open_memory(home)
    memory.append(captured("apple"))
    work(home)
    monkeypatch.chdir(home)
    stem = memory.hold(captured("banana")).stem
    memory.close()
    return stem


def test_what_waits_is_marked_so(waits: str, home: Path, run: Run) -> None:
    """In `status`, `log` and `why`, as text and as JSON; what is committed is not."""
    status = run("status", "--json").json
    assert status["captured"] == {"waiting": [waits], "because": UNPUSHED, "unhooked": False}
    assert (status["logs"], status["waiting"]) == (2, [])
    said = run("status")
    assert f"captured  1 log waits: {UNPUSHED}" in said.out
    assert "hint: what was captured is committed once nothing is in the way, or with" in said.err
    assert [line["waiting"] for line in run("log", "--json").json["sessions"]] == [True, False]
    assert [line.endswith("(waiting)") for line in run("log").out.splitlines()] == [True, False]
    for fact, expected in (("apple", False), ("banana", True)):
        (event,) = run("why", fact, "--json").json["events"]
        assert (event["waiting"], event["commit"] == "") == (expected, expected)
        assert ("waiting to be committed" in run("why", fact).out) == expected
    assert (
        "banana" in run("show", "--list").out and "All about banana." in run("show", "banana").out
    )
    for command in (
        ("check", "--ci"),
        ("check", "--replay"),
        ("check", "--publish", "--dry-run"),
    ):
        assert run(*command).code == 0
    assert open_memory(home).held() == [waits], "none of these lands it"
    open_memory(home).drain()
    assert "captured" not in run("status").out


def test_a_sync_lands_it_and_others_have_it(waits: str, home: Path, run: Run) -> None:
    """Before it pushes; a dry run does not land it, nor does a sync that leaves code to its author."""
    before = tip(home)
    beside = run("sync")
    assert (beside.code, tip(home)) == (0, before) and "your own `git push`" in beside.out
    push(home)
    assert run("sync", "--dry-run").code == 0 and open_memory(home).held() == [waits]
    assert run("sync").code == 0
    assert waits in in_tree(home) and open_memory(home).held() == []
    assert git(home, "rev-parse", "@{upstream}").strip() == tip(home)


@pytest.mark.parametrize(
    "command",
    [
        ("check", "--publish"),
        ("review", "--json"),
        ("note", "decision: So it is."),
    ],
)
def test_what_anybody_asks_for_takes_it_along(
    waits: str, home: Path, run: Run, command: tuple[str, ...]
) -> None:
    """It is in the tip before or with what was asked for."""
    assert run(*command).code == 0
    assert waits in in_tree(home) and open_memory(home).held() == []
    assert run("check", "--replay").code == 0


def test_the_doctor_lands_what_waits_too_long(
    waits: str, home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a week it says so, and why; `--fix` is asking for it."""
    monkeypatch.setenv("DIURNA_NOW", "1798761600000")  # 2027
    told = run("check", "--json")
    assert "captured-waiting" in told.out and UNPUSHED in told.out
    run("check", "--fix")
    assert waits in in_tree(home)
