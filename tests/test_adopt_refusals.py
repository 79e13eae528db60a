"""Adoption happens whole or not at all: grounds on which nothing is done, and pages that people wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledger.errors import WriteRefused
from ledger.model.layout import ATTRIBUTES
from rituals.intake.adopt.adoption import apply_adoption, plan_adoption

if TYPE_CHECKING:
    from tests.conftest import Repo, Run
from tests.conftest import diagonal
from tests.small_ledgers import (
    HAND_WRITTEN,
    MERCURY,
    NOW_MS,
    footer,
    log,
    place_mercury,
    small,
    tree_of,
)


def ignored(repo: Repo) -> None:
    """Let git ignore the memory."""
    repo.git("rm", "-rq", "--cached", "memory")
    repo.write(".gitignore", "memory/\n")


def staged_twice(repo: Repo) -> None:
    """Stage one version of the page and write another."""
    repo.write("memory/continuity.md", "## A\n")
    repo.git("add", "memory/continuity.md")
    repo.write("memory/continuity.md", "## B\n")


def deleted(repo: Repo) -> None:
    """Delete the page without saying so to git."""
    (repo.path / "memory/continuity.md").unlink()


def detached(repo: Repo) -> None:
    """Leave every branch."""
    repo.git("checkout", "-q", "--detach")


def own_policy(repo: Repo) -> None:
    """Write a policy by hand."""
    repo.write("memory/diurna.toml", "format = 1\n")


def linked(repo: Repo) -> None:
    """Let the page be a link."""
    page = repo.path / "memory/continuity.md"
    page.rename(repo.path / "memory/real.md")
    page.symlink_to("real.md")


def other_home(repo: Repo) -> None:
    """Make a home above."""
    repo.write("diurna.toml", "format = 1\n")
    repo.git("add", "diurna.toml")
    repo.git("commit", "-q", "-m", "a home")


def own_branch(repo: Repo) -> None:
    """Make a home on a branch of its own."""
    from rituals.cli.app import main

    assert main(["init", "--branch", "mem"]) == 0


@pytest.mark.parametrize(
    "spoil", [ignored, staged_twice, deleted, detached, own_policy, linked, other_home, own_branch]
)
def test_a_refusal_changes_nothing(bare_repo: Repo, run: Run, spoil: object) -> None:
    """Where something could be lost, hidden or swept in, the command says so and stops."""
    small(bare_repo)
    assert callable(spoil)
    spoil(bare_repo)
    shape, files = bare_repo.shape(), tree_of(bare_repo.path)
    ran = run("adopt", ".")
    assert ran.code == 1
    assert "hint: " in ran.err
    assert (bare_repo.shape(), tree_of(bare_repo.path)) == (shape, files)


def test_the_work_tree_is_what_people_see(bare_repo: Repo, run: Run) -> None:
    """An uncommitted edit of the page and of a log is taken, said, and kept in history as it was."""
    small(bare_repo)
    edited = "## Key Decisions\n\n- a, edited\n" + footer("a-b")
    bare_repo.write("memory/continuity.md", edited)
    bare_repo.write("memory/sessions/2026-01-01-000000.md", log("Referenced: a-b, c-d"))
    bare_repo.write("memory/sessions/2026-01-02-000000.md", log("Referenced: a-b"))
    ran = run("adopt", ".", "--json")
    assert ran.code == 0, ran.err
    assert len(ran.json["commits"]) == 2
    kept = ran.json["commits"][0]
    assert bare_repo.git("show", f"{kept}:memory/continuity.md") == edited
    said = {(one["code"], one["file"]) for one in ran.json["findings"]}
    assert ("hand-edited", "continuity.md") in said
    assert ("log-edited", "sessions/2026-01-01-000000.md") in said
    (fact,) = run("show", "a-b", "--json").json["facts"]
    assert (fact["text"], fact["uses"]) == ("a, edited", 2)
    assert bare_repo.git("status", "--porcelain") == ""


def test_init_sends_people_to_adopt(bare_repo: Repo, run: Run) -> None:
    """A home around a memory that Diurna did not write would publish over it: none is made."""
    small(bare_repo)
    before = bare_repo.shape()
    for command in (("init",), ("init", "--dry-run")):
        ran = run(*command)
        assert (ran.code, ran.out) == (1, "")
        assert "memory/continuity.md is there, and Diurna did not write it" in ran.err
        assert f"hint: `diurna import ledger {bare_repo.path}` takes that memory over" in ran.err
    ran = run("status")
    assert ran.code == 1 and f"`diurna import ledger {bare_repo.path}` takes it over" in ran.err
    assert bare_repo.shape() == before


def test_an_empty_home_made_by_init_is_completed(bare_repo: Repo, run: Run) -> None:
    """Where `diurna init` was first, nothing writes over the page, and adopting brings the texts."""
    small(bare_repo)
    bare_repo.write("memory/diurna.toml", 'format = 1\nproject = "m"\npublish = "review"\n')
    bare_repo.git("add", "memory")
    bare_repo.git("commit", "-q", "-m", "diurna: a home, as init once made it")
    page = (bare_repo.path / "memory/continuity.md").read_bytes()
    policy = (bare_repo.path / "memory/diurna.toml").read_bytes()
    assert run("append", "--title", "T", "--new", "id=c-d More.").code == 0
    assert run("publish").code == 1
    assert (bare_repo.path / "memory/continuity.md").read_bytes() == page
    assert run("adopt", ".").code == 0
    assert (bare_repo.path / "memory/diurna.toml").read_bytes() == policy
    assert {fact["id"] for fact in run("show", "--json").json["facts"]} == {"a-b", "c-d"}
    assert run("replay", "--check").code == 0
    assert "already adopted" in run("adopt", ".").out


def test_a_page_that_was_published_over_can_still_be_adopted(bare_repo: Repo, run: Run) -> None:
    """What an older Diurna wrote over is in the history: `adopt` names the commit, and takes it from there."""
    small(bare_repo)
    page = bare_repo.git("show", "HEAD:memory/continuity.md")
    commit = bare_repo.git("rev-parse", "HEAD").strip()
    bare_repo.git("rm", "-q", "--cached", "memory/continuity.md")
    (bare_repo.path / "memory/continuity.md").unlink()
    bare_repo.git("commit", "-q", "-m", "gone")
    assert run("init").code == 0
    ran = run("adopt", ".")
    assert "already adopted" in ran.out and commit[:12] in ran.err
    assert f"git show {commit[:12]}:memory/continuity.md" in ran.err
    bare_repo.write("memory/continuity.md", page)
    assert run("adopt", ".").code == 0
    assert [fact["id"] for fact in run("show", "--json").json["facts"]] == ["a-b"]
    assert run("adopt", ".").err == ""


@pytest.mark.parametrize(
    ("committed", "named"), diagonal([True, False], [".", "memory", "memory/continuity.md"])
)
def test_a_page_written_by_hand_is_adopted(
    bare_repo: Repo, run: Run, named: str, committed: bool
) -> None:
    """Bullets are facts of one log, headings give kinds, and the rest is named and stays."""
    file = bare_repo.write("memory/continuity.md", HAND_WRITTEN)
    if committed:
        bare_repo.git("add", "memory")
        bare_repo.git("commit", "-q", "-m", "memory")
    assert run("init").code == 1
    ran = run("adopt", named)
    assert ran.code == 0, ran.err
    assert "left memory/continuity.md as it is: not all of it is bullets\n" in ran.out
    facts = {one["text"]: one["kind"] for one in run("show", "--json").json["facts"]}
    assert facts == {
        "We use Postgres.": "decision",
        "Money is counted\nin cents.": "decision",
        "The canteen closes at two.": "fact",
        "Ask for a later hour.": "thread",
    }
    assert [one["type"] for one in run("log", "--json").json["sessions"]] == ["import"]
    lines = HAND_WRITTEN.split("\n")
    places = [
        lines.index(line) + 1
        for line in ("Some words before everything.", "A paragraph between.", "1. first of all")
    ]
    for said in (ran.err, run("status").err, run("lint").err, run("publish").err):
        for place in places:
            assert f"continuity.md:{place}" in said, said
    assert run("append", "--title", "T", "--new", "id=c-d More.").code == 0
    assert file.read_text() == HAND_WRITTEN
    assert bare_repo.git("show", "HEAD:memory/continuity.md") == HAND_WRITTEN
    assert bare_repo.git("status", "--porcelain") == ""
    assert "already adopted" in run("adopt", named).out


def test_a_page_of_bullets_alone_is_published_anew(bare_repo: Repo, run: Run) -> None:
    """All that it said is in the ledger, so nothing is lost; a bullet that comes later is taken in, too."""
    words = "# Notes\n\n## Conventions\n\n- Tabs, not blanks.\n- British spelling.\n"
    file = bare_repo.write("memory/continuity.md", words)
    assert run("adopt", ".").code == 0
    assert "<!-- diurna: format " in file.read_text()
    assert {one["kind"] for one in run("show", "--json").json["facts"]} == {"convention"}
    assert run("status").err == ""
    assert "already adopted" in run("adopt", ".").out


def test_no_command_erases_the_real_ledger(bare_repo: Repo, run: Run) -> None:
    """The clone of which 89,606 bytes became 764."""
    if not MERCURY.is_dir():
        pytest.skip("the shared ledgers are not here")
    place_mercury(bare_repo.path)
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-q", "-m", "memory")
    before = tree_of(bare_repo.path)
    assert run("init").code == 1
    assert tree_of(bare_repo.path) == before
    bare_repo.write("memory/diurna.toml", 'format = 1\nproject = "m"\npublish = "append"\n')
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-q", "-m", "a home around it, by hand")
    for command in (("append", "--title", "T", "--new", "One."), ("publish",), ("replay", "--write"),
                    ("absorb",), ("review",), ("doctor", "--fix"), ("hook", "post-merge", "0")):  # fmt: skip
        run(*command)
        after = tree_of(bare_repo.path)
        assert {name: after.get(name) for name in before} == before, command
        assert bare_repo.git("status", "--porcelain") == "", command
    assert run("adopt", ".").code == 0


def test_own_attributes_are_kept(bare_repo: Repo, run: Run) -> None:
    """Lines of a `.gitattributes` that is there stay, ours follow; one that has them all is not written."""
    small(bare_repo)
    planned = []
    for text in (f"*.png binary\n{ATTRIBUTES}", "*.png binary"):
        bare_repo.write("memory/.gitattributes", text)
        bare_repo.git("add", "memory")
        bare_repo.git("commit", "-q", "-m", "attributes")
        planned.append("write memory/.gitattributes" in plan_adoption(str(bare_repo.path)).steps)
    assert planned == [False, True]
    assert run("adopt", ".").code == 0
    lines = (bare_repo.path / "memory/.gitattributes").read_text().splitlines()
    assert lines[0] == "*.png binary"
    assert "sessions/** -text" in lines


def test_a_ledger_that_changes_meanwhile_is_not_written(bare_repo: Repo) -> None:
    """Between plan and apply the page or the branch moved: refused, nothing is written."""
    small(bare_repo)
    plan = plan_adoption(str(bare_repo.path))
    bare_repo.write("memory/continuity.md", "## Key Decisions\n\n- other\n" + footer("a-b"))
    shape = bare_repo.shape()
    with pytest.raises(WriteRefused):
        apply_adoption(plan, lambda: NOW_MS)
    plan = plan_adoption(str(bare_repo.path))
    bare_repo.git("commit", "-q", "-am", "other")
    with pytest.raises(WriteRefused):
        apply_adoption(plan, lambda: NOW_MS)
    assert bare_repo.shape()[1:] != shape[1:]
    assert not (bare_repo.path / "memory/diurna.toml").exists()


def test_all_that_stands_in_the_way_is_said_at_once(bare_repo: Repo, run: Run) -> None:
    """A page that is staged twice, a policy that is not committed, and no branch, in one run."""
    small(bare_repo)
    staged_twice(bare_repo)
    own_policy(bare_repo)
    detached(bare_repo)
    ran = run("adopt", ".")
    assert ran.code == 1
    for said in (
        "3 things stand in the way",
        "staged and was changed",
        "diurna.toml is not",
        "HEAD",
    ):
        assert said in ran.err, said


SMOKE = """# Memory Smoke Test

## How to run

1. Read only `memory/`.

## Orientation questions (generic — apply to any repo)

1. What does this project do? *(→ instructions)*

## Project-specific questions

2. Why are jobs kept in **Valkey**? *(→ continuity "Key Decisions": a-b)*
3. Which port does the broker listen on? *(→ README)*

## Result log

1. Was it run? Yes.
"""


def test_the_questions_of_a_ledger_become_facts(bare_repo: Repo, run: Run) -> None:
    """Its own alone, none that any project has. The file stays as it is."""
    small(bare_repo)
    bare_repo.write("memory/smoke-test.md", SMOKE)
    bare_repo.write("memory/instructions.md", "Read this.\n")
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-q", "-m", "questions")
    ran = run("adopt", ".")
    assert "make facts of kind `question` of 2 questions of smoke-test.md" in ran.out.replace(
        "\n", " "
    ), ran.out
    assert "left smoke-test.md, instructions.md in place" in ran.out.replace("\n", " ")
    asked = run("show", "--kind", "question", "--json").json["facts"]
    assert sorted((one["text"], dict(one["meta"]).get("expect", "")) for one in asked) == [
        ("Which port does the broker listen on?", ""),
        ("Why are jobs kept in **Valkey**?", "a-b"),
    ]
    assert (bare_repo.path / "memory/smoke-test.md").read_text() == SMOKE
    assert run("verify").code == 0
