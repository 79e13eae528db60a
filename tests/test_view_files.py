"""Published views are projection files: they follow the ledger, and give way to nobody's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.model.layout import VIEW_FILES
from memory.api import Memory
from tests.conftest import Repo, Run, laid_once

ALL = ("state", "progress", "decisions")


def publish(repo: Repo, *views: str) -> None:
    """Let the policy name views; commit that."""
    policy = repo.path / "memory" / "diurna.toml"
    text = policy.read_text().partition("\n[views]\n")[0]
    names = ", ".join([f'"{name}"' for name in views])
    policy.write_text(f"{text}\n[views]\npublish = [{names}]\n" if views else text)
    repo.git("commit", "-qam", f"publish {names}")


@laid_once
def viewed(repo: Repo, run: Run) -> None:
    """A home with a phase, a task and a decision, and all views published."""
    new = ("state: id=state-phase Hardening", "task: id=queue Write it.", "decision: id=go Go.")
    assert run("note", *new).code == 0
    publish(repo, *ALL)
    assert run("check", "--publish").code == 0


@pytest.fixture
def home(viewed: Repo) -> Path:
    """Its folder."""
    return viewed.path / "memory"


def edit(file: Path, old: str, new: str) -> None:
    """Edit a file."""
    text = file.read_text()
    assert text.count(old) == 1, (old, text)
    file.write_text(text.replace(old, new))


def test_views_follow_what_is_published(viewed: Repo, run: Run, home: Path) -> None:
    """A commit that publishes has them, brought forward; a replay from git gives the same bytes."""
    for name in VIEW_FILES:
        assert (home / name).read_text().endswith(" -->\n")
    run("note", "decision: Stay.")
    run("check", "--publish")
    assert "memory/DECISIONS.md" in viewed.git("show", "--stat", "--format=", "HEAD")
    assert "## DEC-002: Stay." in (home / "DECISIONS.md").read_text()
    assert run("check", "--replay").code == 0
    assert run("status", "--json").json["drift"] == []
    assert viewed.git("status", "--porcelain") == ""
    assert (
        viewed.git("check-attr", "merge", "--", "memory/STATE.md").strip().endswith("diurna-view")
    )


def test_drift_is_told_and_mended(viewed: Repo, run: Run, home: Path) -> None:
    """Another byte in a committed view, and one that is gone, are named; publish brings them back."""
    viewed.git("rm", "-q", "memory/STATE.md")
    viewed.git("commit", "-qm", "gone")
    assert "STATE.md" in {one["file"] for one in run("check", "--json").json["findings"]}
    assert run("check", "--publish").code == 0 and (home / "STATE.md").exists()


@pytest.mark.parametrize("committed", [True, False])
def test_an_edit_of_a_view_is_named_and_stays(
    viewed: Repo, run: Run, home: Path, committed: bool
) -> None:
    """Nothing of it is read, and nothing is written over it until it is out of the way."""
    edit(home / "STATE.md", "Hardening", "Shipping")
    if committed:
        viewed.git("commit", "-qam", "ship")
    found = run("check", "--ci", "--json").json["findings"]
    assert any(one["code"] == "hand-edited" and one["file"] == "STATE.md" for one in found)
    run("note", "fact: More.")
    assert run("check", "--publish").code == 1
    assert "Shipping" in (home / "STATE.md").read_text()
    assert Memory.open(str(viewed.path)).state()["state-phase"].fact.text == "Hardening"
    assert run("check", "--publish", "--discard-edits").code == 0
    assert "Hardening" in (home / "STATE.md").read_text()


@pytest.mark.parametrize("committed", [True, False])
def test_a_persons_file_of_that_name_is_never_touched(
    repo: Repo, run: Run, committed: bool
) -> None:
    """A policy that names the view does not change that; and where it does not, nobody says a word."""
    mine = repo.path / "memory" / "STATE.md"
    run("note", "fact: One.")
    mine.write_text("# My state\n\n- mine\n")
    if committed:
        repo.git("add", "-A")
        repo.git("commit", "-qm", "mine")
    assert run("check", "--publish").code == 0 and run("status", "--json").json["drift"] == []
    publish(repo, "state", "decisions")
    assert run("check", "--publish").code == 1
    assert run("note", "fact: Two.").code == 0
    assert mine.read_text() == "# My state\n\n- mine\n"
    publish(repo)
    assert run("check", "--publish").code == 0 and mine.read_text() == "# My state\n\n- mine\n"


def test_a_view_taken_out_of_the_policy(viewed: Repo, run: Run, home: Path) -> None:
    """Its file goes where its bytes are Diurna's; one that a person wrote in is theirs."""
    edit(home / "DECISIONS.md", "# Decisions", "Ours.\n\n# Decisions")
    viewed.git("commit", "-qam", "ours")
    publish(viewed)
    assert run("check", "--publish").code == 0
    assert not (home / "STATE.md").exists() and not (home / "PROGRESS.md").exists()
    assert "Ours." in (home / "DECISIONS.md").read_text()
    assert run("status", "--json").json["drift"] == []


def cloned(one: Path, other: Path) -> None:
    """Clone a home, as somebody."""
    who = ("-c", "user.name=Ben", "-c", "user.email=ben@example.invalid")
    Repo(one).git("clone", "-q", *who, str(one), str(other))


def test_two_clones_that_publish_merge_plainly(viewed: Repo, run: Run, home: Path) -> None:
    """A plain `git pull` keeps ours without a marker, and the next publish has both."""
    other = viewed.path.parent / "other"
    cloned(viewed.path, other)
    theirs = ("--home", str(other))
    for said, at in (("decision: Theirs.", theirs), ("decision: Ours.", ())):
        assert run("note", said, *at).code == 0
        assert run("check", "--publish", *at).code == 0
    viewed.git("pull", "-q", "--no-rebase", "--no-edit", str(other), "main")
    assert "<<<<" not in (home / "DECISIONS.md").read_text()
    assert run("check", "--publish").code == 0
    page = (home / "DECISIONS.md").read_text()
    assert ": Theirs." in page and ": Ours." in page and "## DEC-003" in page
    assert run("check", "--replay").code == 0


def test_a_join_computes_them_anew(viewed: Repo, run: Run, home: Path) -> None:
    """`diurna sync` joins two tips that both published, and the views are those of the union."""
    bare, other = viewed.path.parent / "bare.git", viewed.path.parent / "other"
    viewed.git("clone", "-q", "--bare", str(viewed.path), str(bare))
    viewed.git("remote", "add", "origin", str(bare))
    viewed.git("fetch", "-q", "origin")
    viewed.git("branch", "-q", "-u", "origin/main")
    cloned(bare, other)
    theirs = ("--home", str(other))
    assert run("note", "task: Theirs.", *theirs).code == 0
    assert run("sync", *theirs).code == 0
    assert run("note", "task: Ours.").code == 0
    assert run("sync").code == 0
    page = (home / "PROGRESS.md").read_text()
    assert "- [ ] Theirs." in page and "- [ ] Ours." in page
    assert run("check", "--replay").code == 0


def test_redacted_texts_leave_the_files(viewed: Repo, run: Run, home: Path) -> None:
    """A decision that is withheld keeps its number and says nothing."""
    assert run("redact", "go", "--reason", "A name.").code == 0
    run("check", "--publish")
    text = (home / "DECISIONS.md").read_text()
    assert "## DEC-001: (redacted)" in text and "Go." not in text
