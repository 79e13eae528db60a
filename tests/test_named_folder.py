"""`init --tree FOLDER`: a home beside the code under any name, found wherever one at `memory/` is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ledger.home import discover, pointed
from rituals.cli.context import Invocation
from tests.conftest import Repo, Run, make_repository


@pytest.mark.deep(reason="where_it_is_made is the small one")
@pytest.mark.parametrize("folder", ["notes", ".agents/memory", "deep/er and\u00e9/x"])
def test_everything_finds_it(
    folder: str, bare_repo: Repo, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the top, in a clone, a linked worktree, a sparse checkout and a bare one; git merges nothing in it."""
    assert run("init", "--tree", folder, "--dry-run").code == 0
    assert not bare_repo.git("status", "--porcelain")
    assert run("init", "--tree", folder).code == 0
    assert run("init").out == run("init", "--tree", folder).out.replace("nothing", "nothing")
    assert run("note", "id=one decision: Webhooks retry.").code == 0
    assert bare_repo.git("rev-list", "--count", "HEAD").strip() == "3", "one commit made it"
    assert not bare_repo.git("status", "--porcelain")
    (bare_repo.path / "src").mkdir()
    bare_repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    for name in ("clone", "sparse", "bare"):
        bare_repo.git("clone", "-q", *["--bare"] * (name == "bare"), ".", str(tmp_path / name))
    Repo(tmp_path / "sparse").git("sparse-checkout", "set", "--no-cone", "/code.py")
    for place in (
        bare_repo.path / "src",
        *[tmp_path / one for one in ("side", "clone", "sparse", "bare")],
    ):
        monkeypatch.chdir(place)
        assert run("status", "--json").json["home"]["prefix"] == f"{folder}/"
        assert run("show", "--list").out.startswith("one"), place
    monkeypatch.chdir(bare_repo.path)
    page = f"{folder}/continuity.md"
    assert bare_repo.git("check-attr", "-z", "merge", page).split("\0")[2] == "diurna-ours"
    for command in (
        ("check", "--ci"),
        ("check", "--ci"),
        ("check",),
        ("check", "--publish"),
    ):
        assert run(*command).code == 0, command


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "../x",
        "/tmp",
        "a/../b",
        "a//b",
        ".git",
        ".GIT/x",
        "a/.git",
        "a\\b",
        "a\nb",
        "x" * 300,
        "link",
    ],
)
def test_a_pointer_leads_nowhere_else(text: str, bare_repo: Repo, tmp_path: Path, run: Run) -> None:
    """A clone brings it along, so it names a folder below its own or nothing; nor does it go through a link."""
    assert run("init", str(tmp_path / "x")).code == 0
    os.symlink(tmp_path / "x", bare_repo.path / "link")
    bare_repo.write(".diurna-home", text + "\n")
    assert pointed(text) == ("link/" if text == "link" else "")
    assert run("status").code == 1
    assert run("init", "--tree", text).code != 0 or text == ""


def test_a_folder_that_is_somebody_elses(bare_repo: Repo, run: Run) -> None:
    """A package of Python above all; the hint names the other folder, and one memory is one."""
    bare_repo.write("memory/__init__.py", "")
    before = bare_repo.shape()
    ran = run("init")
    assert (ran.code, "--tree FOLDER" in ran.err, "--branch memory" in ran.err) == (1, True, True)
    assert run("init", "--tree", "memory").code == run("init", "--tree", ".").code == 1
    assert bare_repo.shape() == before
    assert run("init", "--tree", "notes").code == 0
    for other in (("--tree", "more"), ("--branch", "memory")):
        ran = run("init", *other)
        assert (ran.code, "one repository has one memory" in ran.err) == (1, True)
    assert run("init", "--tree", "x", "--branch", "y").code == 2


def test_where_it_is_made(
    bare_repo: Repo, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a subfolder the answer says where; the trunk is no feature branch; work that git does not know stays so."""
    bare_repo.git("switch", "-q", "-c", "feat/x")
    (bare_repo.path / "pkg").mkdir()
    monkeypatch.chdir(bare_repo.path / "pkg")
    ran = run("init")
    assert f"memory of all of {bare_repo.path}, in {bare_repo.path}/memory/" in ran.err
    assert 'trunk   = "main"' in (bare_repo.path / "memory" / "diurna.toml").read_text()
    work = tmp_path / "work"
    work.mkdir()
    (work / "code.py").write_text("x = 1\n")
    monkeypatch.chdir(work)
    planned = run("init", "--dry-run", "--json").json
    ran = run("init", "--json")
    assert planned["steps"] == ran.json["steps"] and ran.json["prefix"] == "memory/"
    assert sorted(os.listdir(work)) == [".git", "code.py", "memory"]
    assert Repo(work).git("status", "--porcelain") == "?? code.py\n"
    other = make_repository(tmp_path / "pkg")
    monkeypatch.chdir(tmp_path)
    assert (
        run("init", "--tree", "pkg/notes").code == 0 or discover(str(other.path)).prefix == "notes/"
    )


@pytest.mark.parametrize("remote", [False, True])
@pytest.mark.parametrize("answer", ["", "n", "y"])
def test_a_person_is_told_the_two_homes_and_asked(
    answer: str, remote: bool, bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The branch is proposed where a remote is; without a terminal it is the folder, and a hint tells the other."""
    if remote:
        bare_repo.git("remote", "add", "origin", "../nowhere")
    monkeypatch.setattr(Invocation, "interactive", lambda call: True)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    ran = run("init", stdin=f"{answer}\n".encode())
    assert ran.code == 0
    assert "beside the code, reviewed and branched with it" in ran.err
    assert "read in .memory/: live for all branches" in ran.err
    chosen = {"y": "own-branch", "n": "in-tree", "": "own-branch" if remote else "in-tree"}[answer]
    assert discover(str(bare_repo.path)).kind == chosen
    assert "--move branch" not in ran.err


def test_what_lets_agents_find_a_home_elsewhere_is_said(
    bare_repo: Repo, tmp_path: Path, run: Run
) -> None:
    """A home made from within a project: the hint is the setting by which the project leads to it."""
    setting = f"git config diurna.home {tmp_path}/team"
    ran = run("init", "../team")
    assert f"`{setting}` lets" in ran.err
    bare_repo.git(*setting.split()[1:])
    assert run("status", "--json").json["home"]["named"] == "diurna.home"
