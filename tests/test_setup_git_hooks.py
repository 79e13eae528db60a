"""Hooks on request: they republish after a pull, stand beside whatever is there, and go without a trace."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest

from ledger.errors import DiurnaError, WriteRefused
from ledger.git.repository import operation_under_way
from ledger.home import discover
from ledger.model.event import FactCreated
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.setup.git_hooks.hook_install import (
    PUBLISHING,
    has_block,
    hooks_folder,
    with_block,
    without_block,
)
from rituals.setup.git_hooks.republish import Limit, TookTooLong, republish
from rituals.setup.home_setup import apply_setup, plan_setup, with_hooks
from tests.campaigns import forks
from tests.campaigns.homes import (
    IN_TREE,
    OWN_REPOSITORY,
    START_MS,
    Clock,
    git,
    hermetic,
    make_home,
    shape,
)
from tests.conftest import NOW_MS, Repo, Run

__all__ = ["hermetic"]
ROOT = str(Path(__file__).parent.parent)
#: Diurna as a hook may start it, where nobody starts it.
PROGRAM = (sys.executable, "-P", "-m", "rituals")
NOWHERE = ("/nowhere/diurna",)
_TICKS = count(START_MS, 1000)


class Clone:
    """A home in a folder, with or without hooks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def memory(self) -> Memory:
        home = discover(str(self.folder))
        return Memory(home, agent=self.folder.name, clock=lambda: next(_TICKS), in_process=False)

    def create(self, fact: str) -> str:
        draft = SessionDraft(f"On {fact}", "It went.", (FactCreated(fact, f"About {fact}."),))
        return self.memory.append(draft).stem

    def git(self, *arguments: str) -> str:
        return git(self.folder, *arguments).strip()

    def hooks(self, wanted: bool = True, program: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Install them, or take them out, as `diurna init` does; return the steps."""
        run = program or (forks.program(),)
        plan = with_hooks(plan_setup(str(self.folder), "", "", ""), wanted, run)
        apply_setup(plan, Clock()).close()
        return plan.steps

    def run_hook(
        self, name: str = "post-merge", *arguments: str, **more: str
    ) -> tuple[int, str, str]:
        """Run a hook as git does; return its exit code and what it printed."""
        done = subprocess.run(
            [f".git/hooks/{name}", *arguments], cwd=self.folder, input=b"old new\n",
            capture_output=True, env={**os.environ, **more},
        )  # fmt: skip
        return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let git's hooks find this very source, and no other Diurna."""
    monkeypatch.setenv("PYTHONPATH", ROOT)
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")


@pytest.fixture
def alone(tmp_path: Path) -> Clone:
    make_home(tmp_path / "one", OWN_REPOSITORY)
    return Clone(tmp_path / "one")


@pytest.fixture
def pair(tmp_path: Path, alone: Clone) -> tuple[Clone, Clone]:
    """Two clones of one hub, the second with hooks, each with a log of its own."""
    hub = tmp_path / "hub.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(hub))
    alone.git("remote", "add", "origin", str(hub))
    alone.git("push", "-q", "-u", "origin", "main")
    git(tmp_path, "clone", "-q", str(hub), str(tmp_path / "two"))
    two = Clone(tmp_path / "two")
    two.git("config", "user.name", "Bo")
    two.git("config", "user.email", "bo@example.invalid")
    two.hooks()
    alone.create("alpha")
    alone.git("push", "-q")
    two.create("beta")
    return alone, two


# ---- what they do -------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase"])
def test_a_pull_is_published_at_once(pair: tuple[Clone, Clone], how: str) -> None:
    """After a merge and after a rebase the projection is in step, committed, and git is done."""
    one, two = pair
    said = subprocess.run(
        ["git", "pull", "-q", how, "--no-edit"], cwd=two.folder, capture_output=True, check=True
    ).stderr.decode()
    assert "diurna: published continuity.md in " in said
    assert two.memory.drift() == ()
    assert two.git("log", "-1", "--format=%s") == "diurna: publish the projection"
    assert two.git("status", "--porcelain") == ""
    assert operation_under_way(two.memory.home.repository) == ""
    assert not (two.folder / ".git" / "MERGE_HEAD").exists()
    assert not (two.folder / ".git" / "rebase-merge").exists()
    two.git("push", "-q")
    one.git("pull", "-q")
    assert (one.folder / "continuity.md").read_text() == two.memory.continuity()


def test_a_pull_in_a_linked_worktree_is_published_there(
    pair: tuple[Clone, Clone], tmp_path: Path
) -> None:
    """fault:C4, fault:C16: git sets GIT_DIR for the hook, and the hooks of a linked worktree are the clone's."""
    _, two = pair
    two.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Clone(tmp_path / "side")
    main = two.git("rev-parse", "main")
    side.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    assert side.memory.drift() == ()
    assert side.git("log", "-1", "--format=%s") == "diurna: publish the projection"
    assert two.git("rev-parse", "main") == main


def test_review_is_published_on_request_only(tmp_path: Path) -> None:
    """FORMAT.md, M3: the hook commits nothing and leaves the work tree clean."""
    make_home(tmp_path / "one", IN_TREE)
    Repo(tmp_path / "one").publish_when("review")
    one = Clone(tmp_path / "one")
    one.hooks()
    one.git("checkout", "-q", "-b", "side")
    one.create("alpha")
    one.git("checkout", "-q", "main")
    one.create("beta")
    one.git("merge", "-q", "--no-edit", "side")
    assert one.git("log", "-1", "--format=%s") == "Merge branch 'side'"
    assert one.memory.drift() == ("continuity.md",)
    assert one.git("status", "--porcelain") == ""


def test_on_the_trunk_a_merge_is_published_and_elsewhere_none(tmp_path: Path) -> None:
    """FORMAT.md, M3: a branch that takes the trunk in keeps the trunk's files, the trunk renders anew."""
    make_home(tmp_path / "one", IN_TREE)
    one = Clone(tmp_path / "one")
    one.hooks()
    one.git("checkout", "-q", "-b", "side")
    one.create("alpha")
    one.git("checkout", "-q", "main")
    one.create("beta")
    one.git("checkout", "-q", "side")
    one.git("merge", "-q", "--no-edit", "main")
    assert one.git("log", "-1", "--format=%s") == "Merge branch 'main' into side"
    same = one.git("rev-parse", "main:memory/continuity.md", "side:memory/continuity.md").split()
    assert same[0] == same[1]
    one.git("checkout", "-q", "main")
    one.git("merge", "-q", "--no-edit", "--no-ff", "side")
    assert one.git("log", "-1", "--format=%s") == "diurna: publish the projection"
    assert one.memory.drift() == ()
    assert one.git("status", "--porcelain") == ""


def test_d5_what_a_person_edits_waits_for_the_person(alone: Clone) -> None:
    """The hook says so, and neither absorbs nor overwrites it."""
    alone.hooks()
    alone.create("alpha")
    page = alone.folder / "continuity.md"
    page.write_text(page.read_text().replace("About alpha.", "Said by hand."))
    before = shape(alone.folder)
    code, out, err = alone.run_hook("post-merge", "0")
    assert (code, out) == (0, "")
    assert (
        err
        == "diurna: continuity.md was edited by hand; `diurna check --publish` makes a log of that first\n"
    )
    assert shape(alone.folder) == before


def test_an_amended_commit_is_no_pull(alone: Clone) -> None:
    alone.hooks()
    alone.create("alpha")
    page = alone.folder / "continuity.md"
    alone.git("rm", "-q", "--cached", page.name)
    alone.git("commit", "-q", "-m", "by hand")
    tip = alone.git("rev-parse", "HEAD")
    assert alone.run_hook("post-rewrite", "amend") == (0, "", "")
    assert alone.git("rev-parse", "HEAD") == tip


def test_c16_the_repository_that_git_works_in_is_meant(pair: tuple[Clone, Clone]) -> None:
    """A hook of another repository that runs in this folder changes nothing here."""
    one, two = pair
    two.git("-c", "core.hooksPath=/dev/null", "pull", "-q", "--no-rebase", "--no-edit")
    elsewhere = {"GIT_DIR": str(one.folder / ".git")}
    clock = lambda: next(_TICKS)  # noqa: E731
    assert republish("post-merge", ("0",), str(two.folder), elsewhere, clock) == ""
    planned = republish("post-merge", ("0",), str(two.folder), {}, clock, dry_run=True)
    assert planned == "would publish continuity.md"
    assert two.memory.drift() == ("continuity.md",)
    here = {"GIT_DIR": ".git"}
    assert republish("post-merge", ("0",), str(two.folder), here, clock).startswith("published ")


# ---- what goes wrong never shows in git ---------------------------------------------------------


def test_k5_without_diurna_the_hook_ends(alone: Clone) -> None:
    """Not installed any more: no output, exit code 0."""
    alone.hooks(program=NOWHERE)
    assert alone.run_hook("post-merge", "0") == (0, "", "")


def test_k6_a_hook_never_fails(alone: Clone, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No home, a detached HEAD, an unknown event, wrong options, a bug: exit code 0 and one line."""
    monkeypatch.chdir(alone.folder.parent)
    assert run("hook", "post-merge", "0") == (0, "", "")
    monkeypatch.chdir(alone.folder)
    alone.git("checkout", "-q", "--detach")
    assert run("hook", "post-merge", "0") == (0, "", "")
    alone.git("checkout", "-q", "main")
    for arguments in (("pre-push", "-x", "--force"), ("--what",), ()):
        ran = run("hook", *arguments)
        assert (ran.code, ran.out, ran.err.count("\n")) == (0, "", 1)

    def broken(*arguments: object, **more: object) -> str:
        raise RuntimeError("a bug")

    monkeypatch.setattr("rituals.setup.git_hooks.republish.republish", broken)
    ran = run("hook", "post-merge", "0")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "diurna: not published: a bug; `diurna status` says more\n"
    assert run("hook", "post-merge", "--json").json == {
        "event": "post-merge", "format": 1, "said": "not published: a bug; `diurna status` says more"
    }  # fmt: skip


def test_k7_the_time_of_a_hook_is_limited(
    alone: Clone, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What hangs is given up: the command says so and ends with 0."""
    monkeypatch.chdir(alone.folder)

    def hangs(*arguments: object, **more: object) -> str:
        time.sleep(600)
        return "never"

    monkeypatch.setattr("rituals.setup.git_hooks.republish.republish", hangs)
    monkeypatch.setattr("rituals.setup.git_hooks.republish.LIMIT_SECONDS", 1)
    ran = run("hook", "post-merge", "0")
    assert (ran.code, ran.err) == (
        0,
        "diurna: not published in time; `diurna check --publish` does it\n",
    )
    with pytest.raises(TookTooLong), Limit(1):
        time.sleep(600)


def test_k9_a_hook_does_not_run_into_itself(alone: Clone) -> None:
    """A hook of the user's that merges in turn does not start ours inside itself."""
    hook = alone.folder / ".git" / "hooks" / "post-merge"
    hook.write_text('#!/bin/sh\necho "depth ${DIURNA_HOOK-none}"\n')
    hook.chmod(0o755)
    alone.hooks(program=("/bin/echo", "ran"))
    assert alone.run_hook("post-merge", "0")[:2] == (0, "depth 1\nran hook post-merge 0\n")
    assert alone.run_hook("post-merge", "0", DIURNA_HOOK="1")[:2] == (0, "depth 1\n")


def test_j9_hooks_that_a_repository_ships_never_run(pair: tuple[Clone, Clone], run: Run,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Neither activated by `init` nor run by any of our calls of git, even where the user runs them."""
    one, _ = pair
    names = (
        "pre-commit", "post-commit", "pre-push", "post-merge", "post-rewrite", "post-checkout",
        "reference-transaction", "post-index-change", "pre-auto-gc", "pre-merge-commit",
    )  # fmt: skip
    shipped = one.folder / ".githooks"
    shipped.mkdir()
    for name in names:
        (shipped / name).write_text(f"#!/bin/sh\ntouch '{one.folder.parent}/ran-{name}'\n")
        (shipped / name).chmod(0o755)
    one.git("add", ".githooks")
    one.git("commit", "-q", "-m", "hooks")
    monkeypatch.chdir(one.folder)
    assert run("init").code == 0
    assert "hookspath" not in one.git("config", "--list")
    one.git("config", "core.hooksPath", ".githooks")
    one.create("gamma")
    for command in (
        ("init",),
        ("sync",),
        ("check", "--publish"),
        ("check", "--ci"),
        ("status",),
    ):
        assert run(*command).code == 0
    assert list(one.folder.parent.glob("ran-*")) == []


# ---- fault:D9: beside what is there ---------------------------------------------------------------

PRE_COMMIT = b"""\
#!/usr/bin/env bash
# File generated by pre-commit: https://pre-commit.com
# ID: 138fd403232d2ddd5efb44317e38bf03

# start templated
INSTALL_PYTHON=/nowhere/python
ARGS=(hook-impl --config=.pre-commit-config.yaml --hook-type=post-merge)
# end templated

HERE="$(cd "$(dirname "$0")" && pwd)"
ARGS+=(--hook-dir "$HERE" -- "$@")

if [ -x "$INSTALL_PYTHON" ]; then
    exec "$INSTALL_PYTHON" -mpre_commit "${ARGS[@]}"
else
    echo '`pre-commit` not found.  Did you forget to activate your virtualenv?' 1>&2
    exit 1
fi
"""
HOOKS = {
    "plain": b'#!/bin/sh\necho "got $1"\nread line; echo "read $line" >&2\nexit 3\n',
    "exec": b'#!/bin/bash -eu\nexec printf "%s\\n" "$@"\n',
    "pre-commit": PRE_COMMIT,
    "trap": b"#!/usr/bin/env -S sh -e\ntrap 'echo bye' EXIT\nfalse\n",
    "no shebang": b'echo "$0 $#"\n',
    "no last newline": b"#!/bin/sh\nexit 4",
    "one line without an end": b"#!/bin/sh",
    "only the first line": b"#!/bin/sh\n",
    "latin-1 and blanks": b"#!/bin/sh  \n# caf\xe9\n\n\necho caf\xe9\n\n\n",
    "empty": b"",
}


@pytest.mark.parametrize("kind", HOOKS)
def test_d9_a_hook_that_is_there_stays_as_it_is(alone: Clone, kind: str) -> None:
    """Its output, input, arguments and exit code are the same; taken out, so is every byte and its mode."""
    hook = alone.folder / ".git" / "hooks" / "post-merge"
    hook.write_bytes(HOOKS[kind])
    hook.chmod(0o750)

    def ran() -> tuple[int, str, str]:
        # as git does, the shell runs by itself what names no interpreter
        done = subprocess.run(
            ["sh", "-c", '"$0" 1', str(hook)],
            cwd=alone.folder, input=b"old new\n", capture_output=True,
        )  # fmt: skip
        return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")

    before = ran()
    steps = alone.hooks(program=NOWHERE)
    assert f"set a marked block in the hook {hook}" in steps
    assert has_block(hook.read_bytes())
    assert ran() == before
    assert alone.hooks(program=NOWHERE) == ()
    alone.hooks(program=("/elsewhere/diurna",))
    assert hook.read_bytes().count(b">>> diurna >>>") == 1
    assert ran() == before
    alone.hooks(wanted=False)
    assert hook.read_bytes() == HOOKS[kind]
    assert hook.stat().st_mode & 0o777 == 0o750
    assert not hook.with_name("post-rewrite").exists()


def test_d9_ours_runs_behind_the_one_that_is_there(alone: Clone) -> None:
    hook = alone.folder / ".git" / "hooks" / "post-merge"
    hook.write_bytes(b"#!/bin/sh\necho theirs\nexit 7\n")
    hook.chmod(0o755)
    alone.hooks(program=("/bin/echo", "ours"))
    assert alone.run_hook("post-merge", "0") == (7, "theirs\nours hook post-merge 0\n", "")


def test_d9_what_came_behind_our_block_stays(alone: Clone) -> None:
    """A file that we made and somebody added to is not taken away."""
    hook = alone.folder / ".git" / "hooks" / "post-merge"
    alone.hooks()
    hook.write_bytes(hook.read_bytes() + b"echo more\n")
    alone.hooks(wanted=False)
    assert hook.read_bytes() == b"#!/bin/sh\necho more\n"


@pytest.mark.parametrize("event", PUBLISHING)
@pytest.mark.parametrize("kind", ["python", "binary", "link", "off", "folder", "crlf"])
def test_d9_a_foreign_hook_is_left_alone(alone: Clone, event: str, kind: str) -> None:
    """Refused with a reason and a line to add by hand; neither hook is written."""
    hook = alone.folder / ".git" / "hooks" / event
    target = alone.folder / "hook.sh"
    target.write_text("#!/bin/sh\n")
    target.chmod(0o755)
    if kind == "link":
        hook.symlink_to(target)
    elif kind == "folder":
        hook.mkdir()
    else:
        data = {
            "python": b"#!/usr/bin/env python3\n",
            "binary": b"\x7fELF\0\0",
            "crlf": b"#!/bin/sh\r\n",
        }
        hook.write_bytes(data.get(kind, b"#!/bin/sh\n"))
        hook.chmod(0o644 if kind == "off" else 0o755)
    listed = sorted(hook.parent.iterdir())
    before = shape(alone.folder)
    with pytest.raises(WriteRefused, match=f"the hook {event} is ") as caught:
        alone.hooks()
    assert "diurna hook" in caught.value.hint
    assert shape(alone.folder) == before
    assert sorted(hook.parent.iterdir()) == listed
    assert alone.hooks(wanted=False) == ()


def test_d9_husky_keeps_its_folder(alone: Clone) -> None:
    """Husky's generated hooks are nobody's commits: the block goes there, and core.hooksPath stays."""
    wrapper = alone.folder / ".husky" / "_" / "post-merge"
    wrapper.parent.mkdir(parents=True)
    wrapper.write_bytes(b'#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n')
    wrapper.chmod(0o755)
    (wrapper.parent / "h").write_bytes(b'echo "husky $(basename "$0")"\n')
    (wrapper.parent / ".gitignore").write_text("*\n")
    alone.git("config", "core.hooksPath", ".husky/_")
    alone.create("alpha")
    alone.git("branch", "side")
    alone.create("beta")
    alone.hooks()
    assert hooks_folder(alone.memory.home.repository) == str(wrapper.parent)
    assert alone.git("config", "core.hooksPath") == ".husky/_"
    assert alone.git("status", "--porcelain") == ""
    alone.git("checkout", "-q", "side")
    alone.create("gamma")
    said = subprocess.run(
        ["git", "merge", "-q", "--no-edit", "main"],
        cwd=alone.folder, capture_output=True, check=True,
    ).stderr  # fmt: skip
    assert b"husky post-merge\ndiurna: published " in said
    assert alone.memory.drift() == ()
    alone.hooks(wanted=False)
    assert wrapper.read_bytes() == b'#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n'
    assert list((alone.folder / ".git" / "hooks").glob("post-*[!e]")) == []


def test_d9_hooks_that_others_share_are_not_written(alone: Clone, tmp_path: Path) -> None:
    """A folder of hooks that is committed, or that other repositories use, is the user's to change."""
    shared = {
        "outside this repository": str(tmp_path / "hooks"),
        "part of your commits": ".githooks",
    }
    (tmp_path / "hooks").mkdir()
    (alone.folder / ".githooks").mkdir()
    for reason, folder in shared.items():
        alone.git("config", "core.hooksPath", folder)
        before = shape(alone.folder)
        with pytest.raises(WriteRefused, match=reason):
            alone.hooks()
        assert shape(alone.folder) == before
        assert list((alone.folder / folder).iterdir()) == []


def test_the_block_goes_in_and_out_of_anything() -> None:
    """Twice is once, and out is as before, whatever stands around it."""
    for before in HOOKS.values():
        once = with_block(before, "post-merge", PROGRAM)
        assert with_block(once, "post-merge", PROGRAM) == once
        assert without_block(once) == before
    made = with_block(None, "post-merge", ("/a folder/it's diurna",))
    assert b"'/a folder/it'\"'\"'s diurna' hook post-merge" in made
    assert without_block(made) is None


# ---- the command line ---------------------------------------------------------------------------


def test_a_transcript(repo: Repo, run: Run) -> None:
    """Planned, made, there already, taken out, gone already; and JSON has the steps."""
    repo.publish_when("review")
    hooks = repo.path / ".git" / "hooks"
    shipped = sorted(hooks.iterdir())
    planned = run("init", "--hooks", "--dry-run").out.splitlines()
    assert planned == [f"would make the hook {hooks}/{name}" for name in PUBLISHING]
    assert sorted(hooks.iterdir()) == shipped
    done = run("init", "--hooks")
    assert done.out.splitlines() == [f"made the hook {hooks}/{name}" for name in PUBLISHING]
    assert done.err == (
        'hint: the hooks publish nothing while memory/diurna.toml says publish = "review"\n'
    )
    assert os.access(hooks / "post-merge", os.X_OK)
    assert run("init", "--hooks").out.startswith("nothing to do: ")
    steps = [f"take away the hook {hooks}/{name}" for name in PUBLISHING]
    assert run("init", "--no-hooks", "--dry-run", "--json").json["steps"] == steps
    assert run("init", "--no-hooks").out.splitlines() == [
        f"took away the hook {hooks}/{name}" for name in PUBLISHING
    ]
    assert run("init", "--no-hooks").out.startswith("nothing to do: ")
    assert sorted(hooks.iterdir()) == shipped


def test_a_new_repository_gets_its_hooks(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS))
    assert run("init", "team", "--hooks").code == 0
    assert (tmp_path / "team" / ".git" / "hooks" / "post-merge").exists()


def test_a_branch_of_its_own_needs_none(bare_repo: Repo, run: Run) -> None:
    before = bare_repo.shape()
    ran = run("init", "--branch", "memory", "--hooks")
    assert (ran.code, ran.out) == (1, "")
    assert "\nhint: `diurna sync` joins and publishes it\n" in ran.err
    assert bare_repo.shape() == before


# ---- when git is done ---------------------------------------------------------------------------


def test_c10_a_merge_that_is_not_done_is_still_under_way(alone: Clone) -> None:
    """What git has only to clear away does not count; what a person has to finish does."""
    alone.git("checkout", "-q", "-b", "side")
    (alone.folder / "notes.txt").write_text("theirs\n")
    alone.git("add", "notes.txt")
    alone.git("commit", "-q", "-m", "theirs")
    alone.git("checkout", "-q", "main")
    (alone.folder / "notes.txt").write_text("ours\n")
    alone.git("add", "notes.txt")
    alone.git("commit", "-q", "-m", "ours")
    repository = alone.memory.home.repository
    for command, said in ((("merge", "side"), "a merge"), (("rebase", "side"), "a rebase")):
        with pytest.raises(AssertionError):
            alone.git(*command)
        assert operation_under_way(repository) == said
        with pytest.raises(DiurnaError, match=f"{said} is in progress"):
            alone.memory.publish()
        alone.git(command[0], "--abort")
    assert operation_under_way(repository) == ""
    alone.git("merge", "-q", "--no-ff", "--no-commit", "-s", "ours", "side")
    assert operation_under_way(repository) == "a merge"
    merged = alone.git("rev-parse", "MERGE_HEAD")
    alone.git("commit", "-q", "--no-edit")
    (alone.folder / ".git" / "MERGE_HEAD").write_text(merged + "\n")
    assert operation_under_way(repository) == ""
