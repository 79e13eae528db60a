"""Hooks on request: they republish after a pull, stand beside whatever is there, and go without a trace."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.campaigns import forks
from tests.pages import rows, section
from tests.world import IN_TREE, OWN_REPOSITORY, Place, World

TABLES = Path(__file__).with_name("git_hooks.md")
PUBLISHED = "diurna: publish the projection"
HOOKS, EVENTS = ".git/hooks", ("post-merge", "post-rewrite")
Program = Callable[[str], None]


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> Program:
    """Let hooks start this very source, or another program; no other Diurna is on the path."""
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
    called = "rituals.cli.context.Invocation.program"
    monkeypatch.setattr(called, lambda _: (forks.program(),))
    return lambda path: monkeypatch.setattr(called, lambda _: (path,))


@pytest.fixture
def alone(world: World) -> Place:
    return world.home(OWN_REPOSITORY, "one")


def pair(world: World) -> list[Place]:
    """Two clones of one hub, the second with hooks; the first has sent a log, and the second has one of its own."""
    one, two = world.team(OWN_REPOSITORY, "two", unsent="a:alpha two:beta")
    one.git("push", "-q")
    two.run("init", "--hooks")
    return [one, two]


def hook_of(home: Place, data: bytes) -> Path:
    hook = home.write(f"{HOOKS}/post-merge", data)
    hook.chmod(0o750)
    return hook


def runs(hook: Path, *arguments: str, **more: str) -> tuple[int, bytes, bytes]:
    """Run a hook as git does: the shell runs by itself what names no interpreter."""
    done = subprocess.run(
        ["sh", "-c", '"$0" "$@"', str(hook), *arguments], cwd=hook.parents[2], input=b"old new\n",
        capture_output=True, env={**os.environ, **more},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def subject(home: Place) -> str:
    return home.git("log", "-1", "--format=%s")


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase"])
def test_a_pull_is_published_at_once(world: World, how: str) -> None:
    """After a merge and after a rebase, in a linked worktree too (fault:C4), the page is in step and committed."""
    one, two = pair(world)
    side = world.place("side")
    two.git("worktree", "add", "-q", "-b", "side", str(side.folder))
    code, answer = two.tries("pull", "-q", how, "--no-edit")
    assert code == 0 and "diurna: published continuity.md in " in answer
    assert subject(two) == PUBLISHED and "drift" not in two.check("--ci")
    assert two.git("status", "--porcelain") == ""
    assert not {"MERGE_HEAD", "rebase-merge"} & {one.name for one in two.common.iterdir()}
    main = two.git("rev-parse", "main")
    side.git("pull", "-q", how, "--no-edit", "origin", "main")
    assert subject(side) == PUBLISHED and side.read("continuity.md") == side.page()
    assert two.git("rev-parse", "main") == main
    two.git("push", "-q")
    one.git("pull", "-q")
    assert one.read("continuity.md") == two.page()


@pytest.mark.parametrize("publish", ["trunk", "review"])
def test_on_the_trunk_a_merge_is_published_and_elsewhere_none(world: World, publish: str) -> None:
    """FORMAT.md, M3: a branch that takes the trunk in keeps its files; with `review` nothing is committed, nor dirty."""
    home = world.home(IN_TREE, "one", policy={"publish": publish})
    home.run("init", "--hooks")
    home.git("checkout", "-q", "-b", "side")
    home.note("id=alpha About alpha.")
    home.git("checkout", "-q", "main")
    home.note("id=beta About beta.")
    home.git("checkout", "-q", "side")
    home.git("merge", "-q", "--no-edit", "main")
    assert subject(home) == "Merge branch 'main' into side"
    assert home.git("diff", "--name-only", "main", "side", "--", "memory/continuity.md") == ""
    home.git("checkout", "-q", "main")
    home.git("merge", "-q", "--no-edit", "--no-ff", "side")
    assert subject(home) == (PUBLISHED if publish == "trunk" else "Merge branch 'side'")
    assert (home.read("memory/continuity.md") == home.page()) == (publish == "trunk")
    assert home.git("status", "--porcelain") == ""


def test_d5_what_a_person_edits_waits_for_the_person(alone: Place) -> None:
    """The hook says so, and neither absorbs nor overwrites it; an amended commit is no pull."""
    alone.note("id=alpha About alpha.")
    alone.write("continuity.md", alone.read("continuity.md").replace("About alpha.", "By hand."))
    before = alone.shape()
    ran = alone.run("hook", "post-merge", "0", json=False)
    waits = "continuity.md was edited by hand; `diurna check --publish` makes a log of that first"
    assert (ran.out, ran.err) == ("", f"diurna: {waits}\n")
    assert alone.run("hook", "post-rewrite", "amend").json["said"] == "" and alone.shape() == before


def test_c16_the_repository_that_git_works_in_is_meant(world: World) -> None:
    """A hook of another repository that runs in this folder changes nothing here."""
    one, two = pair(world)
    two.git("-c", "core.hooksPath=/dev/null", "pull", "-q", "--no-rebase", "--no-edit")
    for git_dir, does in ((str(one.folder / ".git"), False), (".git", True)):
        ran = two.run("hook", "post-merge", "0", env={"GIT_DIR": git_dir}).json
        assert ran["said"].startswith("published continuity.md in ") == does == bool(ran["said"])


def test_k6_k7_a_hook_never_fails(world: World, alone: Place, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """No home, a detached HEAD, an unknown event, wrong options, a bug, what hangs: exit code 0, and one line at most."""
    monkeypatch.setattr("rituals.setup.git_hooks.LIMIT_SECONDS", 1)
    not_published = "diurna: not published"
    bug, hangs = Mock(side_effect=RuntimeError("a bug")), lambda *_, **__: time.sleep(600)
    for place, does, line, words in (
        (world.repository("code"), None, "post-merge 0", ""),
        (alone, None, "pre-push -x --force", "diurna: "), (alone, None, "--what", "diurna: "), (alone, None, "", "diurna: "),
        (alone, bug, "post-merge 0", f"{not_published}: a bug; `diurna status` says more\n"),
        (alone, hangs, "post-merge 0", f"{not_published} in time; `diurna check --publish` does it\n"),
    ):  # fmt: skip
        with monkeypatch.context() as patch:
            if does:
                patch.setattr("rituals.setup.git_hooks.republish", does)
            ran = place.run("hook", *line.split(), json=False)
        assert ran.out == "" and ran.err.startswith(words) and ran.err.count("\n") == bool(words)
    alone.git("checkout", "-q", "--detach")
    assert alone.run("hook", "post-merge", "0", json=False).err == ""


def test_d9_k5_k9_ours_runs_behind_the_one_that_is_there(alone: Place, program: Program) -> None:
    """With its exit code, never inside itself (a hook may merge in turn), and not where Diurna is gone."""
    hook = hook_of(alone, b'#!/bin/sh\necho "depth ${DIURNA_HOOK-none}"\nexit 7\n')
    stub = alone.write(".git/it's ours", '#!/bin/sh\necho "ours $*"\n')
    stub.chmod(0o755)
    program(str(stub))
    alone.run("init", "--hooks")
    assert runs(hook, "0") == (7, b"depth 1\nours hook post-merge 0\n", b"")
    assert runs(hook, "0", DIURNA_HOOK="1") == (7, b"depth 1\n", b"")
    stub.unlink()
    assert runs(hook, "0") == (7, b"depth 1\n", b"")


@pytest.mark.parametrize("row", rows(section(TABLES, "Kept")), ids=lambda row: row[0])
def test_d9_a_hook_that_is_there_stays_as_it_is(
    alone: Place, row: tuple[str, ...], program: Program
) -> None:
    """Its output, input, arguments and exit code are the same; twice is once; taken out, so is every byte and its mode."""
    data = row[1].strip("`").encode().decode("unicode_escape").encode("latin-1")
    hook = hook_of(alone, data)
    before = runs(hook, "1")
    for path, steps in (("/nowhere/diurna", 2), ("/nowhere/diurna", 0), ("/elsewhere/diurna", 2)):
        program(path)
        assert len(alone.run("init", "--hooks").json["steps"]) == steps
        assert hook.read_bytes().count(b">>> diurna >>>") == 1 and runs(hook, "1") == before
    ours = alone.folder / HOOKS / "post-rewrite"
    ours.write_bytes(ours.read_bytes() + b"echo more\n")
    alone.run("init", "--no-hooks")
    assert (hook.read_bytes(), hook.stat().st_mode & 0o777) == (data, 0o750)
    assert ours.read_bytes() == b"#!/bin/sh\necho more\n"


@pytest.mark.parametrize("row", rows(section(TABLES, "Refused")))
def test_d9_what_can_not_hold_a_block_is_left_alone(alone: Place, row: tuple[str, ...]) -> None:
    """A foreign hook, a folder that others share: refused with a reason and a line to add by hand; nothing is written."""
    made_by, reason = row
    subprocess.run(["sh", "-ec", made_by.strip("`")], cwd=alone.folder / HOOKS, check=True)
    before = alone.shape(), sorted(alone.world.folder.rglob("post-*"))
    error = alone.run("init", "--hooks", code=1).json["error"]
    assert reason in error["message"] and "diurna hook" in error["hint"]
    assert before == (alone.shape(), sorted(alone.world.folder.rglob("post-*")))
    assert alone.run("init", "--no-hooks").json["steps"] == []


def test_d9_husky_keeps_its_folder(alone: Place, program: Program) -> None:
    """Husky's generated hooks are nobody's commits: the block goes there, and core.hooksPath stays."""
    husky = {"post-merge": '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n', ".gitignore": "*\n"}
    for name, text in {**husky, "h": 'echo "husky $(basename "$0")"\n'}.items():
        alone.write(f".husky/_/{name}", text).chmod(0o755)
    alone.git("config", "core.hooksPath", ".husky/_")
    program("/bin/echo")
    alone.run("init", "--hooks")
    assert alone.git("config", "core.hooksPath") == ".husky/_"
    wrapper = alone.folder / ".husky/_/post-merge"
    assert runs(wrapper, "0") == (0, b"husky post-merge\nhook post-merge 0\n", b"")
    assert alone.git("status", "--porcelain") == ""
    alone.run("init", "--no-hooks")
    assert wrapper.read_text() == husky["post-merge"]
    assert not [name for name in EVENTS if (alone.folder / HOOKS / name).exists()]


def test_a_transcript(world: World) -> None:
    """Planned, made, there already, taken out, gone already; a new repository gets them, a branch of its own needs none."""
    home = world.home(policy={"publish": "review"})
    hooks = home.folder / HOOKS
    shipped = sorted(hooks.iterdir())
    for option, plan, done in (("--hooks", "make", "made"), ("--no-hooks", "take away", "took away")):  # fmt: skip
        steps = [f"{plan} the hook {hooks}/{name}" for name in EVENTS]
        assert home.run("init", option, "--dry-run").json["steps"] == steps
        assert (sorted(hooks.iterdir()) == shipped) == (option == "--hooks")
        ran = home.run("init", option, json=False)
        assert ran.out.splitlines() == [f"{done} the hook {hooks}/{name}" for name in EVENTS]
        warned = "publish nothing while memory/diurna.toml says publish" in ran.err
        assert warned == (option == "--hooks")
        assert home.text("init", option).startswith("nothing to do: ")
    assert sorted(hooks.iterdir()) == shipped
    world.place("made").run("init", str(world.folder / "team"), "--hooks")
    assert os.access(world.folder / "team" / HOOKS / "post-merge", os.X_OK)
    code = world.repository("code")
    before = code.shape()
    error = code.run("init", "--branch", "memory", "--hooks", code=1).json["error"]
    assert (
        error["hint"] == "leave --hooks out; `diurna sync` joins and publishes it"
        and code.shape() == before
    )
