"""Logs wait for a person's own next commit and go with it: whatever that is, none is lost or stands twice (W20)."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import time
import tomllib
from collections.abc import Callable

import pytest

from tests.campaigns import forks
from tests.conftest import sampled
from tests.terminals import Terminal
from tests.world import FOLDER, Place, World


def riding(world: World, *done: Callable[[Place], object]) -> Place:
    """Make a home whose logs go with a person's commits, pushed, with the hook; with what is done there."""

    def make(apart: World) -> None:
        home = apart.home(FOLDER)
        os.environ["DIURNA_OWN_COMMITS"] = ""
        hook = home.folder / ".git/hooks/pre-commit"
        hook.write_text(
            re.sub(
                r"-x \S+ \]; then\n(.*=1) \S+",
                rf"-x {forks.program()} ]; then\n\1 {forks.program()}",
                hook.read_text(),
            )
        )
        home.git("remote", "add", "origin", str(apart.hub().folder))
        home.git("push", "-q", "-u", "origin", "main")
        for do in done:
            do(home)

    world.laid(f"riding {[do.__name__ for do in done]}", make)
    os.environ["DIURNA_OWN_COMMITS"] = ""
    return world.place("a")


@pytest.fixture
def home(world: World) -> Place:
    """Such a home, with one log that waits."""
    return riding(world, record)


def record(home: Place, fact: str = "retries") -> str:
    """Record something that waits; return its stem."""
    told = home.run("note", f"id={fact} fact: Webhooks of {fact} are told.").json
    assert (told["commit"], told["waits"]) == ("", "for your next commit")
    return str(told["stem"])


def ask(home: Place) -> tuple[bool, int, bool]:
    """Is a log in HEAD, how many wait, and does every answer have the fact?"""
    seen = "retries" in home.texts()
    return bool(home.logs("HEAD")), len(home.waiting()), seen


def edit(home: Place, *, add: bool = False) -> None:
    """Change the code."""
    home.write("code.py", home.read("code.py") + "more\n")
    if add:
        home.git("add", "code.py")


def _side(home: Place) -> None:
    """Make a branch that has a commit of its own."""
    for branch, switch in (("side", ("-c", "side")), ("main", ("main",))):
        home.git("switch", "-q", *switch)
        home.write(f"{branch}.py", branch)
        home.git("add", f"{branch}.py")
        home.git("commit", "-q", "-n", "-m", branch)


#: What a person does, and whether the log is in HEAD then; the other way it waits. `ADD` stages the
#: edit, `FAILS` is expected.
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
        GOES, ("ADD", "FAILS commit -q -m=", "stash -q", "ASK", "ADD", "commit -q -m c", "stash pop -q --index"),
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


@pytest.mark.deep(only=("an empty message, again", "commit, reset, commit", "revert"))
@pytest.mark.parametrize("name", ACTS)
def test_whatever_a_person_does_the_log_goes_or_waits(world: World, name: str) -> None:
    """No act is refused for it, nothing of it is left in index or work tree, and every answer has it."""
    goes, steps = ACTS[name]
    home = riding(world, record, _side)
    for step in steps:
        if step in ("EDIT", "ADD"):
            edit(home, add=step == "ADD")
        elif step == "ASK":
            ask(home)
        else:
            fails, words = step.startswith("FAILS"), step.removeprefix("FAILS ").split()
            given = ["-m" if one == "-m=" else one for one in words] + [""] * ("-m=" in words)
            assert bool(home.tries(*given)[0]) == fails, step
    assert ask(home) == (goes, 0 if goes else 1, True)
    shown = home.git("status", "--porcelain", "-uall", "--", "memory")
    # a person's stash has it: it is theirs to commit
    assert bool(shown) == (name == "a failed commit, stash"), shown
    assert len(home.waiting()) == (0 if goes else 1)


def test_recording_changes_nothing_that_git_shows(world: World) -> None:
    """No commit, no file, no entry of the index; another work tree's answers have it, too."""
    home = riding(world)
    home.git("worktree", "add", "-q", "-b", "other", str(world.folder / "other"))
    edit(home)
    before = home.shape()
    record(home)
    assert home.shape() == before
    assert ask(world.place("other")) == (False, 1, True)


def test_a_log_waits_for_the_branch_that_it_was_written_on(world: World) -> None:
    """It stands in the pull request beside its code."""
    home, tree = riding(world), world.place("tree")
    home.git("worktree", "add", "-q", "-b", "topic", str(tree.folder))
    record(tree)
    home.write("guide.md", "main\n")
    home.git("add", "guide.md")
    home.git("commit", "-q", "-m", "on main")
    assert ask(home) == (False, 1, True)
    edit(tree, add=True)
    tree.git("commit", "-q", "-m", "on topic")
    assert ask(tree) == (True, 0, True)


def test_a_log_of_a_branch_that_is_gone_or_merged_goes_with_any(world: World) -> None:
    """Until then it waits."""
    home, tree = riding(world), world.place("tree")
    home.git("worktree", "add", "-q", "-b", "topic", str(tree.folder))
    home.write("guide.md", "main\n")
    home.git("add", "guide.md")
    home.git("commit", "-q", "-m", "on main")
    edit(tree, add=True)
    tree.git("commit", "-q", "-m", "on topic")
    record(tree, "later")
    home.git("worktree", "remove", "--force", str(tree.folder))
    home.write("guide.md", "more\n")
    home.git("commit", "-q", "-a", "-m", "the topic is not merged")
    assert ask(home) == (False, 1, False)
    home.git("merge", "-q", "--no-edit", "topic")
    edit(home, add=True)
    home.git("commit", "-q", "-m", "merged")
    assert ask(home)[:2] == (True, 0) and len(home.logs()) == 1


def age(home: Place) -> None:
    """Let what waits have waited for more than a day."""
    for file in (home.folder / ".git/diurna/spool/held").glob("2*"):
        os.utime(file, (time.time() - 90_000,) * 2)


@pytest.mark.parametrize("what", ["sync", "check --publish", "a day", "redact retries --reason no"])
def test_what_still_waits_goes_by_a_commit_of_diurnas(home: Place, what: str) -> None:
    """With a command that shares it, with a redaction, and with any one after a day; on the trunk with its page."""
    if what == "a day":
        home.run("recall", "retries")
        assert ask(home)[0] is False
        age(home)
    home.run(*{"a day": ["recall", "retries"]}.get(what, what.split()), code=None)
    assert ask(home) == (True, 0, True)
    assert "id: retries " in home.git("show", "HEAD:memory/continuity.md")
    assert ("(redacted)" in home.texts()["retries"]) == what.startswith("redact")
    assert home.git("status", "--porcelain", "-uall", "--", "memory") == ""


def test_after_a_day_it_stands_on_no_commit_that_a_person_may_amend(home: Place) -> None:
    """Where there is a remote that has not the last commit, it waits on; where there is none, nobody else will have it."""
    edit(home)
    home.git("commit", "-q", "-n", "-a", "-m", "not pushed")
    age(home)
    assert ask(home) == (False, 1, True)
    home.git("remote", "remove", "origin")
    assert ask(home) == (True, 0, True)


def test_a_receipt_and_the_status_say_that_it_waits(home: Place) -> None:
    """Why, and a retry is the same log; of two who claim a task one is refused though neither claim is committed."""
    assert home.status()["captured"]["because"] == "for your next commit"
    (stem,) = home.waiting()
    again = home.run("note", "id=retries fact: Webhooks of retries are told.").json
    assert (again["stem"], again["already"], again["commit"]) == (stem, True, "")
    tip = home.tip()
    home.run("task", "add", "The index is built.", "--id", "index")
    home.run("task", "start", "index", "--agent", "one")
    home.run("task", "start", "index", "--agent", "two", code=1)
    home.run("review", "--yes", code=None)
    assert home.tip() == tip and home.status()["review"]["since"] == 0


@pytest.mark.parametrize(
    ("typed", "own", "hook"), [("", "false", True), ("n", None, False), ("shared", "false", False)]
)
def test_init_asks_on_a_terminal(world: World, typed: str, own: str | None, hook: bool) -> None:
    """The hook is proposed; without it Diurna commits, and where none can be put in logs wait all the same."""
    home = world.repository()
    if typed == "shared":
        home.git("config", "core.hooksPath", str(world.folder / "everybody"))
    environment = {**os.environ, "PYTHONPATH": str(forks.ROOT), "DIURNA_OWN_COMMITS": ""}
    terminal = Terminal([forks.program(), "init"], home.folder, environment)
    terminal.answer("keep the memory on a branch", "n")
    if typed != "shared":
        terminal.answer("let memory go with your own commits?", typed)
    shared = "y" if typed == "n" else ""
    said = terminal.answer("share what you ask agents for, a line each?", shared)
    assert ("other repositories may use it" in said) == (typed == "shared")
    assert terminal.finish() == 0
    policy = tomllib.loads(home.read("memory/diurna.toml"))
    assert policy["capture"].get("asks", False) == (typed == "n")
    assert str(policy.get("commit", {}).get("own")).lower() == str(own).lower()
    assert (home.folder / ".git/hooks/pre-commit").exists() == hook


@pytest.mark.parametrize("shared", [False, True])
def test_init_puts_the_hook_in_unasked(world: World, shared: bool) -> None:
    """Off a terminal, and only into hooks that are this clone's alone; a dry run says so."""
    home = world.repository()
    os.environ["DIURNA_OWN_COMMITS"] = ""
    if shared:
        home.git("config", "core.hooksPath", str(world.folder / "everybody"))
    told = home.text("init", "--dry-run")
    assert ("would make the hook" in told, (home.folder / "memory").exists()) == (not shared, False)
    home.run("init")
    assert (home.folder / ".git/hooks/pre-commit").exists() is not shared
    assert tomllib.loads(home.read("memory/diurna.toml"))["commit"] == {"own": False}


@pytest.mark.parametrize("why", [(), ("--why", "end")])
def test_a_transcript_that_somebody_hands_in_waits_for_nobody(
    home: Place, why: tuple[str, ...]
) -> None:
    """Who names it asks for its log; what a hook captures waits for the next commit."""
    said = (
        "We looked at the retry queue, and at how it behaves when the broker is slow to answer. "
        * 6
    )
    message = {"role": "assistant", "content": [{"type": "text", "text": said}]}
    file = home.world.folder / "t.jsonl"
    file.write_text(json.dumps({"type": "assistant", "message": message}) + "\n")
    home.run(
        "capture", "--session", "5", "--host", "claude", "--transcript", str(file), *why, json=False
    )
    assert len(home.waiting()) == (2 if why else 0)


def test_the_hook_stands_beside_a_persons_own(home: Place) -> None:
    """Theirs runs first; where it refuses the commit, nothing is staged. It costs a moment where nothing waits."""
    hook = home.folder / ".git/hooks/pre-commit"
    hook.write_text(hook.read_text() + "test ! -e stop\n")
    home.write("stop", "")
    edit(home, add=True)
    assert home.tries("commit", "-q", "-m", "c")[0] == 1
    assert home.git("status", "--porcelain", "--", "memory") == ""
    (home.folder / "stop").unlink()
    assert home.tries("commit", "-q", "-m", "c")[0] == 0
    assert ask(home) == (True, 0, True)
    other = home.world.folder / "other"
    other.write_text("#!/bin/sh\n: > ran\n")
    other.chmod(0o755)
    hook.write_text(hook.read_text().replace(forks.program(), str(other)))
    edit(home, add=True)
    assert home.tries("commit", "-q", "-m", "nothing waits")[0] == 0
    assert not (home.folder / "ran").exists()


@pytest.mark.parametrize("what", ["signed", "a later hook", "other index"])
def test_the_log_is_in_the_very_commit(home: Place, what: str) -> None:
    """It is signed with it, seen by the hooks behind; no index of somebody else's gets it."""
    edit(home, add=True)
    if what == "signed":
        program = home.world.folder / "gpg"
        program.write_text(
            "#!/bin/sh\ncat >&2\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        home.git("-c", f"gpg.program={program}", "commit", "-q", "-S", "-m", "c")
        assert "gpgsig" in home.git("cat-file", "commit", "HEAD")
    elif what == "a later hook":
        hook = home.folder / ".git/hooks/commit-msg"
        hook.write_text("#!/bin/sh\ngit diff --cached --name-only > .git/seen\n")
        hook.chmod(0o755)
        home.git("commit", "-q", "-m", "c")
        assert "memory/sessions" in home.read(".git/seen")
    else:
        more = {**os.environ, "GIT_INDEX_FILE": str(home.folder / ".git/mine")}
        for words in ("read-tree HEAD", "add code.py", "commit -q -m c"):
            subprocess.run(["git", *words.split()], cwd=home.folder, env=more, check=True)
    assert ask(home)[0] == (what != "other index")


@pytest.mark.parametrize(
    "step", sampled(["open", "write", "fsync", "git", "link", "replace", "rename", "unlink"], 2)
)
def test_a_hook_that_dies_is_in_no_commits_way(home: Place, step: str) -> None:
    """Git goes on without it: the log is in the commit or waits, and stands once."""
    (stem,) = home.waiting()
    edit(home, add=True)
    home.at_step(2, "die", "hook", "pre-commit", on=f"{step} ")
    assert home.tries("commit", "-q", "-n", "-m", "c")[0] == 0
    later = record(home, "later")
    edit(home, add=True)
    assert home.tries("commit", "-q", "-m", "d")[0] == 0
    home.run("show")
    home.holds([stem, later])
    assert home.waiting() == [] and home.git("status", "--porcelain") == ""
