"""Logs wait for a person's own next commit and go with it: whatever that is, none is lost or stands twice (W20)."""

from __future__ import annotations

import os
import stat
import subprocess
import time
import tomllib
from pathlib import Path

import pytest

from ledger.environment import OWN_COMMITS
from ledger.home import discover
from ledger.model.event import FactRedacted
from memory.write.draft import NEXT_COMMIT, SessionDraft
from rituals.setup.git_hooks.hook_install import has_hook
from tests.campaigns import forks
from tests.campaigns.homes import draft, git, hermetic, logs_in, open_memory, user_repository
from tests.campaigns.riding import ROOT, make_riding_home
from tests.campaigns.riding import run as spend_a_day
from tests.captured_sessions import TALK, say
from tests.conftest import Run
from tests.terminals import Terminal

__all__ = ["hermetic"]

Home = Path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A tree home with the hook, pushed, with one log that waits and an edit of the person's."""
    folder = make_riding_home(tmp_path / "shop", (forks.program(),))
    record(folder)
    return folder


def record(home: Path, name: str = "retries") -> str:
    """Record something; return the stem."""
    memory = open_memory(home)
    receipt = memory.append(draft(name))
    memory.close()
    assert (receipt.commit, receipt.waits) == ("", NEXT_COMMIT)
    return receipt.stem


def ask(home: Path) -> tuple[bool, int, bool]:
    """Open the home as every command does; is the log in HEAD, how many wait, and does the view have the fact?"""
    memory = open_memory(home)
    memory.bring_back()
    logs, held = logs_in(memory.home), memory.held()
    seen = memory.snapshot.cache().fact("retries") is not None
    memory.close()
    return bool(logs), len(held), seen


def edit(home: Path, *, add: bool = False) -> None:
    """Change the code."""
    with open(home / "code.py", "a") as file:
        file.write("more\n")
    if add:
        git(home, "add", "code.py")


def tried(home: Path, *arguments: str) -> int:
    """Run git; return its exit code."""
    return subprocess.run(["git", "-C", str(home), *arguments], capture_output=True).returncode


def _side(home: Path) -> None:
    """Make a branch that has a commit of its own."""
    git(home, "switch", "-q", "-c", "side")
    (home / "side.py").write_text("side\n")
    git(home, "add", "side.py")
    git(home, "commit", "-q", "-n", "-m", "side")
    git(home, "switch", "-q", "main")
    (home / "main.py").write_text("main\n")
    git(home, "add", "main.py")
    git(home, "commit", "-q", "-n", "-m", "main")


#: What a person does, and whether the log is in HEAD then; the other way it waits. `ADD` stages the edit, `FAILS` is expected.
GOES, WAITS = True, False
ACTS: dict[str, tuple[bool, tuple[str, ...]]] = {
    "commit": (GOES, ("ADD", "commit -q -m c")),
    "commit -a": (GOES, ("EDIT", "commit -q -a -m c")),
    "commit -i": (GOES, ("EDIT", "commit -q -m c -i code.py")),
    "commit PATH": (WAITS, ("EDIT", "commit -q -m c code.py")),
    "commit PATH, commit": (GOES, ("EDIT", "commit -q -m c code.py", "ADD", "commit -q -m d")),
    "amend": (GOES, ("ADD", "commit -q --amend --no-edit")),
    "amend the message": (WAITS, ("commit -q --amend -m new",)),
    "nothing to commit": (WAITS, ("FAILS commit -q -m c",)),
    "allow-empty": (WAITS, ("commit -q --allow-empty -m c",)),
    "no-verify": (WAITS, ("ADD", "commit -q -n -m c")),
    "add -A": (GOES, ("EDIT", "add -A", "commit -q -m c")),
    "an empty message": (WAITS, ("ADD", "FAILS commit -q -m=")),
    "an empty message, again": (GOES, ("ADD", "FAILS commit -q -m=", "commit -q -m c")),
    "an empty message with -a": (WAITS, ("EDIT", "FAILS commit -q -a -m=")),
    "stash": (WAITS, ("EDIT", "stash -q", "stash pop -q")),
    "stash -u": (WAITS, ("EDIT", "stash -q -u", "stash pop -q")),
    "a failed commit, stash": (WAITS, ("ADD", "FAILS commit -q -m=", "stash -q", "ASK", "stash pop -q")),
    "a failed commit, stash, commit": (
        GOES,
        ("ADD", "FAILS commit -q -m=", "stash -q", "ASK", "ADD", "commit -q -m c", "stash pop -q --index"),
    ),
    "reset --hard": (WAITS, ("ADD", "reset -q --hard")),
    "reset": (WAITS, ("ADD", "reset -q")),
    "a failed commit, reset --hard": (WAITS, ("ADD", "FAILS commit -q -m=", "reset -q --hard")),
    "clean": (WAITS, ("clean -q -f -d",)),
    "switch": (WAITS, ("switch -q side",)),
    "switch -c, commit": (GOES, ("switch -q -c topic", "ADD", "commit -q -m c")),
    "a failed commit, switch": (WAITS, ("ADD", "FAILS commit -q -m=", "ASK", "switch -q -c other")),
    "merge": (WAITS, ("merge -q --no-edit side",)),
    "merge that is committed by hand": (WAITS, ("merge -q --no-commit side", "commit -q -m merged")),
    "rebase": (WAITS, ("rebase -q side",)),
    "commit, rebase": (GOES, ("ADD", "commit -q -m c", "rebase -q side")),
    "pull --rebase": (WAITS, ("pull -q --rebase origin main",)),
    "cherry-pick": (WAITS, ("cherry-pick side",)),
    "revert": (WAITS, ("revert --no-edit HEAD",)),
    "commit, amend": (GOES, ("ADD", "commit -q -m c", "ADD", "commit -q --amend --no-edit")),
    "commit, reset": (WAITS, ("ADD", "commit -q -m c", "reset -q HEAD~1")),
    "commit, reset, commit": (GOES, ("ADD", "commit -q -m c", "reset -q HEAD~1", "ADD", "commit -q -m d")),
    "commit, reset --soft, commit": (GOES, ("ADD", "commit -q -m c", "reset -q --soft HEAD~1", "commit -q -m d")),
    "commit, revert": (WAITS, ("ADD", "commit -q -m c", "ASK", "revert --no-edit HEAD")),
    "bisect": (WAITS, ("bisect start HEAD HEAD~2", "bisect reset")),
    "detached": (WAITS, ("checkout -q --detach", "ADD", "commit -q -m c", "switch -q main")),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTS)
def test_whatever_a_person_does_the_log_goes_or_waits(home: Path, name: str) -> None:
    """No act is refused for it, nothing of it is left in index or work tree, and every answer has it."""
    goes, steps = ACTS[name]
    _side(home)
    for step in steps:
        if step in ("EDIT", "ADD"):
            edit(home, add=step == "ADD")
        elif step == "ASK":
            ask(home)
        else:
            fails, arguments = step.startswith("FAILS"), step.removeprefix("FAILS ").split()
            given = ["-m" if one == "-m=" else one for one in arguments] + [""] * (
                "-m=" in arguments
            )
            assert bool(tried(home, *given)) == fails, step
    assert ask(home) == (goes, 0 if goes else 1, True)
    shown = git(home, "status", "--porcelain", "-uall", "--", "memory")
    staged_by_stash = (
        name == "a failed commit, stash"
    )  # the person's stash has it: it is theirs to commit
    assert bool(shown) == staged_by_stash, shown
    assert ask(home)[1] == (0 if goes else 1)


def test_recording_changes_nothing_that_git_shows(tmp_path: Path) -> None:
    """No commit, no file, no entry of the index; another work tree's answers have it, too."""
    home = make_riding_home(tmp_path / "shop", (forks.program(),))
    git(home, "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    edit(home)
    before = (git(home, "rev-parse", "HEAD"), git(home, "status", "--porcelain", "-uall"))
    record(home)
    assert (git(home, "rev-parse", "HEAD"), git(home, "status", "--porcelain", "-uall")) == before
    assert ask(tmp_path / "other") == (False, 1, True)


def test_a_log_waits_for_the_branch_that_it_was_written_on(tmp_path: Path) -> None:
    """It stands in the pull request beside its code, or, once that branch is gone or merged, anywhere."""
    home = make_riding_home(tmp_path / "shop", (forks.program(),))
    tree = tmp_path / "tree"
    git(home, "worktree", "add", "-q", "-b", "topic", str(tree))
    record(tree)
    (home / "docs/guide.md").write_text("main\n")
    git(home, "commit", "-q", "-a", "-m", "on main")
    assert ask(home) == (False, 1, True)
    edit(tree, add=True)
    git(tree, "commit", "-q", "-m", "on topic")
    assert ask(tree) == (True, 0, True)
    record(tree, "later")
    git(home, "worktree", "remove", "--force", str(tree))
    (home / "docs/guide.md").write_text("more\n")
    git(home, "commit", "-q", "-a", "-m", "the topic is not merged")
    assert ask(home) == (False, 1, False)
    git(home, "merge", "-q", "--no-edit", "topic")
    edit(home, add=True)
    git(home, "commit", "-q", "-m", "merged")
    assert ask(home)[:2] == (True, 0)
    assert len(logs_in(discover(str(home)))) == 2


@pytest.mark.parametrize("what", ["sync", "check --publish", "a day", "check --fix"])
def test_what_still_waits_goes_by_a_commit_of_diurnas(
    home: Path, what: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a command that shares it, and with any one after a day; on the trunk with its page."""
    monkeypatch.chdir(home)
    if what == "a day":
        (held,) = [one for one in (home / ".git/diurna/spool/held").iterdir() if one.is_file()]
        assert run("recall", "retries").code == 0
        assert ask(home)[0] is False
        os.utime(held, (time.time() - 90_000,) * 2)
    assert run(*{"a day": ["recall", "retries"]}.get(what, what.split())).code in (0, 1)
    assert ask(home) == (True, 0, True)
    assert "retries" in git(home, "show", "HEAD:memory/continuity.md")
    assert git(home, "status", "--porcelain", "-uall", "--", "memory") == ""


def test_after_a_day_it_stands_on_no_commit_that_a_person_may_amend(home: Path) -> None:
    """Where there is a remote that has not the last commit, it waits on; where there is none, nobody else will have it."""
    edit(home)
    git(home, "commit", "-q", "-n", "-a", "-m", "not pushed")
    (held,) = [one for one in (home / ".git/diurna/spool/held").iterdir() if one.is_file()]
    os.utime(held, (time.time() - 90_000,) * 2)
    assert ask(home) == (False, 1, True)
    git(home, "remote", "remove", "origin")
    assert ask(home) == (True, 0, True)


def test_a_receipt_and_the_status_say_that_it_waits(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 0, no commit, and why; a retry is the same log."""
    monkeypatch.chdir(home)
    ran = run("note", "--json", "decision: Webhooks retry three times")
    assert (ran.code, ran.json["commit"], ran.json["waits"]) == (0, "", NEXT_COMMIT)
    again = run("note", "decision: Webhooks retry three times")
    assert again.out.split("  ")[1].strip() == f"waits {NEXT_COMMIT}"
    assert f"captured  2 logs wait {NEXT_COMMIT}\n" in run("status").out
    assert run("status", "--json").json["captured"]["because"] == NEXT_COMMIT


@pytest.mark.parametrize(
    ("typed", "own", "hook"), [("", "false", True), ("n", None, False), ("shared", "false", False)]
)
def test_init_asks_on_a_terminal(tmp_path: Path, typed: str, own: str | None, hook: bool) -> None:
    """The hook is proposed; without it Diurna commits, and where none can be put in logs wait all the same."""
    folder = user_repository(tmp_path / "shop")
    if typed == "shared":
        git(folder, "config", "core.hooksPath", str(tmp_path / "everybody"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), OWN_COMMITS: ""}
    terminal = Terminal([forks.program(), "init"], folder, environment)
    terminal.answer("keep the memory on a branch", "n")
    if typed == "shared":
        terminal.expect("other repositories may use it")
    else:
        terminal.answer("let memory go with your own commits?", typed)
    assert terminal.finish() == 0
    policy = tomllib.loads((folder / "memory/diurna.toml").read_text())
    assert str(policy.get("commit", {}).get("own")).lower() == str(own).lower()
    assert has_hook(discover(str(folder)).repository) == hook


@pytest.mark.parametrize("shared", [False, True])
def test_init_puts_the_hook_in_unasked(
    shared: bool, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off a terminal, and only into hooks that are this clone's alone; a dry run says so."""
    folder = user_repository(tmp_path / "shop")
    if shared:
        git(folder, "config", "core.hooksPath", str(tmp_path / "everybody"))
    monkeypatch.setenv(OWN_COMMITS, "")
    monkeypatch.chdir(folder)
    told = run("init", "--dry-run").out
    assert ("would make the hook" in told, (folder / "memory").exists()) == (not shared, False)
    assert run("init").code == 0
    assert has_hook(discover(str(folder)).repository) is not shared
    assert tomllib.loads((folder / "memory/diurna.toml").read_text())["commit"] == {"own": False}


@pytest.mark.parametrize("why", [(), ("--why", "end")])
def test_a_transcript_that_somebody_hands_in_waits_for_nobody(
    why: tuple[str, ...], home: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who names it asks for its log; what a hook captures waits for the next commit."""
    monkeypatch.chdir(home)
    say(tmp_path / "t.jsonl", TALK)
    given = ("--session", "5", "--host", "claude", "--transcript", str(tmp_path / "t.jsonl"))
    assert run("capture", *given, *why).code == 0
    assert len(open_memory(home).held()) == (2 if why else 0)


def test_a_redaction_waits_for_nobody(home: Path) -> None:
    """It is committed at once, with all that waits: what it withholds may stand there."""
    memory = open_memory(home)
    receipt = memory.append(SessionDraft("Redact", events=(FactRedacted("retries"),), anyway=True))
    assert receipt.commit == memory.home.tip()
    memory.close()
    assert ask(home) == (True, 0, True)
    assert len(logs_in(discover(str(home)))) == 2


def test_of_two_who_claim_a_task_one_is_refused(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though neither claim is committed."""
    monkeypatch.chdir(home)
    assert run("task", "add", "The index is built.", "--id", "index").code == 0
    assert run("task", "start", "index", "--agent", "one").code == 0
    assert run("task", "start", "index", "--agent", "two").code != 0
    assert (
        git(home, "log", "--format=%s", "-1").strip()
        == git(home, "log", "--format=%s", "-1", "origin/main").strip()
    )


def test_reviews_see_what_waits_and_wait_themselves(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A review goes by what every answer has, and makes no commit."""
    monkeypatch.chdir(home)
    before = git(home, "rev-parse", "HEAD")
    assert run("review", "--yes").code in (0, 1, 2)
    assert git(home, "rev-parse", "HEAD") == before
    memory = open_memory(home)
    assert memory.state().summary.last_review > ""
    memory.close()


def test_the_hook_stands_beside_a_persons_own(home: Path) -> None:
    """Theirs runs first; where it refuses the commit, nothing is staged. It costs a moment where nothing waits."""
    hook = home / ".git/hooks/pre-commit"
    hook.write_text(hook.read_text() + "test ! -e stop\n")
    (home / "stop").touch()
    edit(home, add=True)
    assert tried(home, "commit", "-q", "-m", "c") == 1
    assert git(home, "status", "--porcelain", "--", "memory") == ""
    (home / "stop").unlink()
    assert tried(home, "commit", "-q", "-m", "c") == 0
    assert ask(home) == (True, 0, True)
    other = home.parent / "other"
    other.write_text("#!/bin/sh\n: > ran\n")
    other.chmod(0o755)
    hook.write_text(hook.read_text().replace(forks.program(), str(other)))
    edit(home, add=True)
    assert tried(home, "commit", "-q", "-m", "nothing waits") == 0
    assert not (home / "ran").exists()


@pytest.mark.parametrize("what", ["signed", "a later hook", "other index"])
def test_the_log_is_in_the_very_commit(home: Path, what: str) -> None:
    """It is signed with it, seen by the hooks behind; no index of somebody else's gets it."""
    edit(home, add=True)
    if what == "signed":
        program = home.parent / "gpg"
        program.write_text(
            "#!/bin/sh\ncat >&2\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        git(home, "-c", f"gpg.program={program}", "commit", "-q", "-S", "-m", "c")
        assert "gpgsig" in git(home, "cat-file", "commit", "HEAD")
    elif what == "a later hook":
        hook = home / ".git/hooks/commit-msg"
        hook.write_text("#!/bin/sh\ngit diff --cached --name-only > .git/seen\n")
        hook.chmod(0o755)
        git(home, "commit", "-q", "-m", "c")
        assert "memory/sessions" in (home / ".git/seen").read_text()
    else:
        more = {**os.environ, "GIT_INDEX_FILE": str(home / ".git/mine")}
        subprocess.run(["git", "-C", str(home), "read-tree", "HEAD"], env=more, check=True)
        subprocess.run(["git", "-C", str(home), "add", "code.py"], env=more, check=True)
        subprocess.run(["git", "-C", str(home), "commit", "-q", "-m", "c"], env=more, check=True)
    assert ask(home)[0] == (what != "other index")


def test_what_is_committed_by_hand_is_let_go(home: Path) -> None:
    """A log that a person's commit took along stands once, and its copy is kept for a while."""
    edit(home, add=True)
    git(home, "commit", "-q", "-m", "c")
    assert ask(home) == (True, 0, True)
    memory = open_memory(home)
    assert len(memory.kept()) == 1
    assert memory.state().summary.logs == 1
    memory.close()


@pytest.mark.deep(reason="the other tests here have each act by itself")
@pytest.mark.parametrize("seed", range(2))
def test_a_day_at_random(tmp_path: Path, seed: int) -> None:
    """A sample of the campaign, with its kills."""
    day = spend_a_day(tmp_path, 30, 100 + seed)
    assert day.faults == []
