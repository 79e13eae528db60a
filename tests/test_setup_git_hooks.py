"""Hooks on request: they republish after a pull, stand beside whatever is there, and go without a trace."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns import forks
from tests.conftest import diagonal
from tests.world import IN_TREE, NAME, OWN_REPOSITORY, Place, World

PUBLISHED = "diurna: publish the projection"
EVENTS = ("post-merge", "post-rewrite")
Program = Callable[[str], None]


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> Program:
    """Let hooks start this very source, or another program; no other Diurna is on the path."""
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")

    def program(path: str) -> None:
        monkeypatch.setattr("rituals.cli.context.Invocation.program", lambda _: (path,))

    program(forks.program())
    return program


@pytest.fixture
def alone(world: World) -> Place:
    return world.home(OWN_REPOSITORY, "one")


@pytest.fixture
def pair(world: World) -> tuple[Place, Place]:
    """Two clones of one hub, the second with hooks, each with a log of its own."""
    world.laid("a pair with hooks", part)
    return world.place("one"), world.place("two", "two")


def part(world: World) -> None:
    one = world.home(OWN_REPOSITORY, "one")
    one.join(world.hub())
    two = one.clone("two")
    two.run("init", "--hooks")
    one.note("id=alpha About alpha.")
    one.git("push", "-q", "-u", "origin", "main")
    two.note("id=beta About beta.")


def hook_of(home: Place, event: str = "post-merge") -> Path:
    return home.folder / ".git/hooks" / event


def put(home: Place, data: bytes, event: str = "post-merge", mode: int = 0o755) -> Path:
    hook = hook_of(home, event)
    hook.write_bytes(data)
    hook.chmod(mode)
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


# ---- what they do -------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase"])
def test_a_pull_is_published_at_once(pair: tuple[Place, Place], how: str) -> None:
    """After a merge and after a rebase the page is in step, committed, and git is done."""
    one, two = pair
    code, said = two.tries("pull", "-q", how, "--no-edit")
    assert code == 0 and "diurna: published continuity.md in " in said
    assert subject(two) == PUBLISHED and "drift" not in two.check("--ci")
    assert two.git("status", "--porcelain") == ""
    assert not [name for name in ("MERGE_HEAD", "rebase-merge") if (two.folder / ".git" / name).exists()]  # fmt: skip
    two.git("push", "-q")
    one.git("pull", "-q")
    assert one.read("continuity.md") == two.page()


def test_a_pull_in_a_linked_worktree_is_published_there(pair: tuple[Place, Place]) -> None:
    """fault:C4, fault:C16: git sets GIT_DIR for the hook, and the hooks of a linked worktree are the clone's."""
    _, two = pair
    side, main = two.world.place("side"), two.git("rev-parse", "main")
    two.git("worktree", "add", "-q", "-b", "side", str(side.folder))
    side.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    assert subject(side) == PUBLISHED and side.read("continuity.md") == side.page()
    assert two.git("rev-parse", "main") == main


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
    said = "continuity.md was edited by hand; `diurna check --publish` makes a log of that first"
    assert (ran.out, ran.err) == ("", f"diurna: {said}\n")
    assert alone.run("hook", "post-rewrite", "amend").json["said"] == "" and alone.shape() == before


def test_c16_the_repository_that_git_works_in_is_meant(pair: tuple[Place, Place]) -> None:
    """A hook of another repository that runs in this folder changes nothing here."""
    one, two = pair
    two.git("-c", "core.hooksPath=/dev/null", "pull", "-q", "--no-rebase", "--no-edit")
    for git_dir, said in ((str(one.folder / ".git"), ""), (".git", "published continuity.md in ")):
        ran = two.run("hook", "post-merge", "0", env={"GIT_DIR": git_dir}).json
        assert ran["said"].startswith(said) and bool(ran["said"]) == bool(said)


# ---- what goes wrong never shows in git ---------------------------------------------------------


def test_k5_without_diurna_the_hook_ends(alone: Place, program: Program) -> None:
    """Not installed any more: no output, exit code 0."""
    program("/nowhere/diurna")
    alone.run("init", "--hooks")
    assert runs(hook_of(alone), "0") == (0, b"", b"")


def test_k6_k7_a_hook_never_fails(
    world: World, alone: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No home, a detached HEAD, an unknown event, wrong options, a bug, what hangs: exit code 0, and one line at most."""
    said = {}

    def told(place: Place, *arguments: str) -> str:
        ran = place.run("hook", *arguments, json=False)
        assert ran.out == ""
        return ran.err

    assert told(world.repository("code"), "post-merge", "0") == ""
    alone.git("checkout", "-q", "--detach")
    assert told(alone, "post-merge", "0") == ""
    alone.git("checkout", "-q", "main")
    for arguments in (("pre-push", "-x", "--force"), ("--what",), ()):
        assert told(alone, *arguments).count("\n") == 1

    def bug(*_: object, **__: object) -> str:
        raise RuntimeError("a bug")

    def hangs(*_: object, **__: object) -> str:
        time.sleep(600)
        return "never"

    monkeypatch.setattr("rituals.setup.git_hooks.republish.LIMIT_SECONDS", 1)
    for wrong in (bug, hangs):
        monkeypatch.setattr("rituals.setup.git_hooks.republish.republish", wrong)
        said[wrong] = told(alone, "post-merge", "0")
    assert said == {
        bug: "diurna: not published: a bug; `diurna status` says more\n",
        hangs: "diurna: not published in time; `diurna check --publish` does it\n",
    }


def stub(world: World) -> str:
    """Make a program that says how it was called."""
    path = world.folder / "stub"
    path.write_text('#!/bin/sh\necho "ours $*"\n')
    path.chmod(0o755)
    return str(path)


def test_d9_k9_ours_runs_behind_the_one_that_is_there(world: World, alone: Place, program: Program) -> None:  # fmt: skip
    """With its exit code, and never inside itself: a hook of the user's may merge in turn."""
    hook = put(alone, b'#!/bin/sh\necho "depth ${DIURNA_HOOK-none}"\nexit 7\n')
    program(stub(world))
    alone.run("init", "--hooks")
    assert runs(hook, "0") == (7, b"depth 1\nours hook post-merge 0\n", b"")
    assert runs(hook, "0", DIURNA_HOOK="1") == (7, b"depth 1\n", b"")
    program("/a folder/it's diurna")
    alone.run("init", "--hooks")
    assert b"'/a folder/it'\"'\"'s diurna' hook post-merge" in hook.read_bytes()


def test_j9_hooks_that_a_repository_ships_never_run(pair: tuple[Place, Place]) -> None:
    """Neither activated by `init` nor run by any of our calls of git, even where the user runs them."""
    one, _ = pair
    names = (
        "pre-commit", "post-commit", "pre-push", "post-merge", "post-rewrite", "post-checkout",
        "reference-transaction", "post-index-change", "pre-auto-gc", "pre-merge-commit",
    )  # fmt: skip
    for name in names:
        hook = one.write(f".githooks/{name}", f"#!/bin/sh\ntouch '{one.world.folder}/ran-{name}'\n")
        hook.chmod(0o755)
    one.commit_all("hooks")
    one.run("init")
    assert "hookspath" not in one.git("config", "--list")
    one.git("config", "core.hooksPath", ".githooks")
    one.note("id=gamma About gamma.")
    for command in ("init", "sync", "check --publish", "check --ci"):
        one.run(*command.split())
    assert list(one.world.folder.glob("ran-*")) == []


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
def test_d9_a_hook_that_is_there_stays_as_it_is(alone: Place, kind: str, program: Program) -> None:
    """Its output, input, arguments and exit code are the same; twice is once; taken out, so is every byte and its mode."""
    hook = put(alone, HOOKS[kind], mode=0o750)
    before = runs(hook, "1")
    for path, steps in (("/nowhere/diurna", 2), ("/nowhere/diurna", 0), ("/elsewhere/diurna", 2)):
        program(path)
        done = alone.run("init", "--hooks").json["steps"]
        assert len(done) == steps
        assert hook.read_bytes().count(b">>> diurna >>>") == 1 and runs(hook, "1") == before
    alone.run("init", "--no-hooks")
    assert (hook.read_bytes(), hook.stat().st_mode & 0o777) == (HOOKS[kind], 0o750)
    assert not hook_of(alone, "post-rewrite").exists()


def test_d9_what_came_behind_our_block_stays(alone: Place) -> None:
    """A file that we made and somebody added to is not taken away."""
    alone.run("init", "--hooks")
    hook = hook_of(alone)
    hook.write_bytes(hook.read_bytes() + b"echo more\n")
    alone.run("init", "--no-hooks")
    assert hook.read_bytes() == b"#!/bin/sh\necho more\n"


def refused(home: Place, said: str) -> Any:
    """Check that hooks are not put in, for a reason, and that nothing changed."""
    before = home.shape(), sorted(hook_of(home).parent.iterdir())
    error = home.run("init", "--hooks", code=1).json["error"]
    assert said in error["message"] and (home.shape(), sorted(hook_of(home).parent.iterdir())) == before  # fmt: skip
    return error["hint"]


@pytest.mark.parametrize(
    ("event", "kind"),
    diagonal(EVENTS, ["python", "binary", "link", "off", "folder", "crlf"]),
)
def test_d9_a_foreign_hook_is_left_alone(alone: Place, event: str, kind: str) -> None:
    """Refused with a reason and a line to add by hand; neither hook is written."""
    target = alone.write("hook.sh", "#!/bin/sh\n")
    target.chmod(0o755)
    hook = hook_of(alone, event)
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
        put(alone, data.get(kind, b"#!/bin/sh\n"), event, 0o644 if kind == "off" else 0o755)
    assert "diurna hook" in refused(alone, f"the hook {event} is ")
    assert alone.run("init", "--no-hooks").json["steps"] == []


def test_d9_hooks_that_others_share_are_not_written(world: World, alone: Place) -> None:
    """A folder of hooks that is committed, or that other repositories use, is the user's to change."""
    for reason, folder in (
        ("outside this repository", str(world.folder / "hooks")), ("part of your commits", ".githooks"),
    ):  # fmt: skip
        shared = alone.folder / folder
        shared.mkdir()
        alone.git("config", "core.hooksPath", folder)
        refused(alone, reason)
        assert list(shared.iterdir()) == []


def test_d9_husky_keeps_its_folder(alone: Place) -> None:
    """Husky's generated hooks are nobody's commits: the block goes there, and core.hooksPath stays."""
    wrapper = alone.write(".husky/_/post-merge", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n')
    wrapper.chmod(0o755)
    was = wrapper.read_bytes()
    alone.write(".husky/_/h", 'echo "husky $(basename "$0")"\n')
    alone.write(".husky/_/.gitignore", "*\n")
    alone.git("config", "core.hooksPath", ".husky/_")
    alone.note("id=alpha About alpha.")
    alone.git("branch", "side")
    alone.note("id=beta About beta.")
    alone.run("init", "--hooks")
    assert alone.git("config", "core.hooksPath") == ".husky/_"
    assert alone.git("status", "--porcelain") == "" and wrapper.read_bytes() != was
    alone.git("checkout", "-q", "side")
    alone.note("id=gamma About gamma.")
    _, said = alone.tries("merge", "-q", "--no-edit", "main")
    assert "husky post-merge\ndiurna: published " in said
    alone.run("init", "--no-hooks")
    assert wrapper.read_bytes() == was
    assert not [name for name in EVENTS if hook_of(alone, name).exists()]


# ---- the command line ---------------------------------------------------------------------------


def test_a_transcript(world: World) -> None:
    """Planned, made, there already, taken out, gone already."""
    home = world.home(policy={"publish": "review"})
    hooks = home.folder / ".git/hooks"
    shipped = sorted(hooks.iterdir()) if hooks.exists() else []
    for option, plan, done in (
        ("--hooks", "make", "made"), ("--no-hooks", "take away", "took away"),
    ):  # fmt: skip
        steps = [f"{plan} the hook {hooks}/{name}" for name in EVENTS]
        assert home.run("init", option, "--dry-run").json["steps"] == steps
        assert (sorted(hooks.iterdir()) == shipped) == (option == "--hooks")
        ran = home.run("init", option, json=False)
        assert ran.out.splitlines() == [f"{done} the hook {hooks}/{name}" for name in EVENTS]
        assert ("publish nothing while memory/diurna.toml says publish" in ran.err) == (
            done == "made"
        )
        assert home.text("init", option).startswith("nothing to do: ")
    assert sorted(hooks.iterdir()) == shipped


def test_which_home_has_hooks(world: World) -> None:
    """A new repository gets them where that is asked; a branch of its own needs none."""
    world.place("made").run("init", str(world.folder / "team"), "--hooks")
    assert os.access(world.folder / "team/.git/hooks/post-merge", os.X_OK)
    code = world.repository("code")
    before = code.shape()
    error = code.run("init", "--branch", "memory", "--hooks", code=1).json["error"]
    assert error["hint"] == "`diurna sync` joins and publishes it" and code.shape() == before


def test_c10_a_merge_that_is_not_done_is_still_under_way(alone: Place) -> None:
    """What git has only to clear away does not count; what a person has to finish does."""
    alone.git("checkout", "-q", "-b", "side")
    alone.write("notes.txt", "theirs\n")
    alone.commit_all("theirs")
    alone.git("checkout", "-q", "main")
    alone.write("notes.txt", "ours\n")
    alone.commit_all("ours")
    for command in ("merge", "rebase"):
        assert alone.tries(command, "side")[0] == 1
        error = alone.run("check", "--publish", code=1).json["error"]
        assert f"a {command} is in progress" in error["message"]
        alone.git(command, "--abort")
    alone.git("merge", "-q", "--no-ff", "--no-commit", "-s", "ours", "side")
    alone.run("check", "--publish", code=1)
    merged = alone.git("rev-parse", "MERGE_HEAD")
    alone.git("commit", "-q", "--no-edit")
    alone.write(".git/MERGE_HEAD", merged + "\n")
    alone.run("check", "--publish")
    assert alone.note("id=on It goes on.") in alone.logs() and NAME in alone.git(
        "log", "-1", "--format=%an"
    )
