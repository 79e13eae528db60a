"""`diurna init`: three kinds of home, said plainly, never beside one another and never in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import diagonal
from tests.world import IN_TREE, OWN_BRANCH

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Repo, Run
    from tests.world import World

FILES = ("diurna.toml", ".gitattributes", "continuity.md")
#: What a plan says of the clone's own settings.
SET = (
    "merge=diurna-ours for generated pages in .git/info/attributes",
    "the merge driver diurna-ours in the repository's configuration",
)


BESIDE = ("init", "--folder", "memory")


def test_what_would_be_done_and_what_was(bare_repo: Repo, run: Run) -> None:
    """A dry run speaks of what would be, the real one of what was done, the second one of nothing."""
    before = bare_repo.shape()
    planned = run(*BESIDE, "--dry-run")
    assert planned.out.splitlines() == [
        *(f"would commit memory/{name} on main" for name in FILES), *(f"would set {one}" for one in SET)
    ]  # fmt: skip
    assert (planned.code, planned.err) == (0, "")
    assert bare_repo.shape() == before
    done = run(*BESIDE)
    assert done.out.splitlines() == [
        *(f"committed memory/{name} on main" for name in FILES), *(f"set {one}" for one in SET)
    ]  # fmt: skip
    assert done.err.startswith("hint: diurna note ")
    again = run("init")
    assert (again.code, again.err) == (0, "")
    assert again.out == f"nothing to do: {bare_repo.path} has a home in memory/\n"


def test_json_keeps_the_plan(bare_repo: Repo, run: Run) -> None:
    """Scripts get the steps as the plan has them, done or not."""
    steps = [f"commit memory/{name} on main" for name in FILES] + [f"set {one}" for one in SET]
    assert run(*BESIDE, "--json", "--dry-run").json["steps"] == steps
    answer = run(*BESIDE, "--json").json
    assert (answer["format"], answer["steps"], answer["dry_run"]) == (1, steps, False)
    assert run("init", "--json").json["steps"] == []


def test_a_name_that_comes_too_late(repo: Repo, run: Run) -> None:
    """`--project` changes no home that is there, and says where the name stands."""
    ran = run("init", "--project", "other")
    assert (ran.code, ran.err) == (
        0, "hint: the project's name stands in memory/diurna.toml; change it there\n",
    )  # fmt: skip
    assert 'project = "shop"' in (repo.path / "memory" / "diurna.toml").read_text()


def test_init_makes_a_branch_and_finds_it_again(bare_repo: Repo, run: Run) -> None:
    """A plain `init` makes a home on a branch of its own, and no second one."""
    made = run("init")
    assert made.out.startswith("committed diurna.toml on the branch memory\n")
    assert "`diurna init --folder memory`" in made.err and not (bare_repo.path / "memory").exists()
    before = bare_repo.shape()
    for folder in ((), (str(bare_repo.path),)):
        ran = run("init", *folder)
        assert ran.code == 0
        assert ran.out == f"nothing to do: {bare_repo.path} has a home on the branch memory\n"
    assert bare_repo.shape() == before


@pytest.mark.parametrize("first", [BESIDE, ("init",)])
def test_one_home_for_a_repository(first: tuple[str, ...], bare_repo: Repo, run: Run) -> None:
    """A branch of its own beside another home is refused: one of the two would be hidden."""
    assert run(*first).code == 0
    before = bare_repo.shape()
    ran = run("init", "--branch", "other")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("diurna: init: this repository has a home, ")
    assert "\nhint: use it as it is" in ran.err
    assert bare_repo.shape() == before


def test_the_unborn_branch_of_an_empty_repository_is_checked_out(
    bare_repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HEAD of a repository without commits is no branch that is never checked out."""
    fresh = tmp_path / "fresh"
    bare_repo.git("init", "-q", "-b", "trunk", str(fresh))
    monkeypatch.chdir(fresh)
    ran = run("init", "--branch", "trunk")
    assert ran.code == 1
    assert ran.err.startswith(f"diurna: init: trunk is checked out in {fresh}\nhint: ")
    assert run("init", "--branch", "memory").code == 0


def test_the_branch_of_another_worktree_is_checked_out(
    bare_repo: Repo, run: Run, tmp_path: Path
) -> None:
    """A linked worktree's branch is refused too: its files would not follow."""
    place = tmp_path / "linked"
    bare_repo.git("worktree", "add", "-q", "-b", "side", str(place))
    ran = run("init", "--branch", "side")
    assert ran.code == 1
    assert ran.err.startswith(f"diurna: init: side is checked out in {place}\nhint: ")


_OTHERS = "__init__.py notes.md sessions/models.py archive/index.html deep/er/file .env continuity.txt".split()


@pytest.mark.parametrize(
    ("committed", "name"),
    diagonal((True, False), _OTHERS),
)
def test_no_home_is_made_in_a_folder_of_somebody_elses(
    bare_repo: Repo, run: Run, name: str, committed: bool
) -> None:
    """Whatever is in `memory/` that Diurna does not write, by whatever command; a branch of its own needs none."""
    bare_repo.write(f"memory/{name}", "theirs\n")
    if committed:
        bare_repo.git("add", "memory")
        bare_repo.git("commit", "-qm", "a package")
    before, status = bare_repo.shape(), bare_repo.git("status", "--porcelain")
    for command in (BESIDE, (*BESIDE, "--json"), (*BESIDE, "--dry-run"), ("import", "ledger", "."),
                    ("import", "claude"), ("note", "decision: x y z."), ("append", "--title", "x"), ("sync",)):  # fmt: skip
        ran = run(*command)
        assert ran.code == 1, command
        assert bare_repo.shape() == before and bare_repo.git("status", "--porcelain") == status
    ran = run(*BESIDE)
    assert f"memory/{name} is there" in ran.err and "`diurna init` on a branch" in ran.err
    assert run("init").code == 0
    assert bare_repo.git("status", "--porcelain") == status
    assert run("note", "decision: x y z.").code == 0


def test_a_link_or_a_file_in_its_place_is_somebody_elses(
    bare_repo: Repo, run: Run, tmp_path: Path
) -> None:
    """Nothing is written through a link."""
    place = bare_repo.path / "memory"
    (tmp_path / "outside").mkdir()
    place.symlink_to(tmp_path / "outside")
    assert run(*BESIDE).code == 1 and not list((tmp_path / "outside").iterdir())
    place.unlink()
    place.write_text("theirs")
    assert run(*BESIDE).code == 1 and place.read_text() == "theirs"
    place.unlink()
    bare_repo.write("memory/sessions/.gitkeep", "")
    assert run(*BESIDE).code == 0


#: How the README lets go of a memory.
DELETED = {
    IN_TREE: ("rm -rq memory", "commit -qm gone"),
    OWN_BRANCH: ("branch -qD memory", "config --remove-section diurna"),
}


@pytest.mark.parametrize("kind", DELETED)
def test_a_memory_that_is_deleted_is_gone(world: World, kind: str) -> None:
    """Each command says that there is none, git works as before, and a new one begins at nothing."""
    home = world.home(kind, facts={"a": "fact: Webhooks retry."})
    for line in DELETED[kind]:
        home.git(*line.split())
    assert {home.run(*line.split(), code=1).said for line in ("show", "note x", "recall x")} == {
        "HomeNotFound"
    }
    home.write("code.py", "print(9)\n")
    home.git("commit", "-qam", "mine")
    assert home.git("status", "--porcelain") == ""
    assert home.init(kind).show() == {}
