"""Edits of `continuity.md` that people commit with plain git, and that a join or a merge passes over."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.model.event import FactCreated, FactRedacted
from memory.edits.committed import read_checked
from tests.campaigns.homes import IN_TREE
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import in_turn
from tests.teams import WAYS, Clone, Team, edits, level, publish_one


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let each test have some of the ways in which a team publishes."""
    in_turn(metafunc, "team", WAYS)


@pytest.fixture
def team(request: pytest.FixtureRequest, tmp_path: Path) -> Team:
    """A remote, a clone `one` that published a fact, and what `clone` makes."""
    return publish_one(tmp_path, *request.param)


EDITED = "As a person says."


def commit_edit(
    clone: Clone, old: str = "As it was.", new: str = EDITED, author: tuple[str, ...] = ()
) -> str:
    """Edit the file by hand and commit it, as somebody without Diurna does; return the commit."""
    page = Path(clone.memory.home.folder) / "continuity.md"
    text = page.read_text()
    assert old in text
    page.write_text(text.replace(old, new))
    clone.git("commit", "-q", "-a", "-m", "by hand", *author)
    return clone.git("rev-parse", "HEAD")


@pytest.mark.deep(reason="test_edited_pages has it in one clone")
def test_an_edit_that_was_pushed_is_heard_by_who_joins(team: Team) -> None:
    """Both sides have new commits: the edit is a log of the person's, and nothing settles differently."""
    one, plain, third = team.one, team.clone("Pat"), team.clone("Third")
    commit = commit_edit(plain)
    plain.git("push", "-q")
    one.create("beta")
    third.create("gamma")
    report = one.sync()
    (said,) = [one.message for one in report.findings if one.code == "absorbed"]
    assert commit[:12] in said and "Pat" in said and "continuity.md" in said
    third.sync()
    one.sync()
    for clone in (one, third):
        assert clone.memory.state()["alpha"].fact.text == EDITED
        assert clone.facts() == {"alpha", "beta", "gamma"}
        assert len(edits(clone)) == 1
    assert one.memory.log(agent="Pat")[0].type == "edit"
    assert one.sync().findings == third.sync().findings == ()
    assert one.git("rev-parse", "HEAD") == third.git("rev-parse", "HEAD")
    level(one, third)


def test_an_edit_that_fast_forwards_is_heard(team: Team) -> None:
    """Nothing is new here: the file comes as the person wrote it, and the log with it."""
    one, plain = team.one, team.clone("Pat")
    commit_edit(plain)
    plain.git("push", "-q")
    one.sync()
    assert one.memory.state()["alpha"].fact.text == EDITED
    one.create("beta")
    assert one.memory.state()["alpha"].fact.text == EDITED
    one.sync()
    assert one.git("rev-parse", "HEAD") == one.git("rev-parse", "origin/main")
    level(one)


@pytest.mark.deep(reason="test_edited_pages has it in one clone")
def test_two_clones_that_hear_one_edit_make_one_log(team: Team) -> None:
    """The log is a function of the commit: read apart, at other times, it has one name and one place."""
    one, two, plain = team.one, team.clone("Two"), team.clone("Pat")
    commit_edit(plain)
    commit_edit(plain, EDITED, "As a person says at last.")
    plain.git("push", "-q")
    for clone, fact in ((one, "beta"), (two, "gamma")):
        clone.create(fact)
        clone.git("fetch", "-q")
        clone.memory.absorb_committed(clone.git("rev-parse", "origin/main"))
        clone.memory.drain()
    assert edits(one) == edits(two) != []
    one.sync()
    two.sync()
    one.sync()
    assert len(edits(one)) == len(edits(two)) == 1
    assert one.memory.state()["alpha"].fact.text == "As a person says at last."
    level(one, two)


def test_an_edit_that_a_plain_merge_passed_over_is_heard(team: Team) -> None:
    """The other side wrote the file anew and was edited on top: git keeps ours, and the next publish hears."""
    one, two = team.one, team.clone("Two")
    two.create("beta")
    two.memory.publish()
    commit_edit(two)
    one.create("gamma")
    one.memory.publish()
    code, said = one.tries("pull", "-q", "--no-rebase", "--no-edit", str(two.folder), "main")
    assert code == 0, said
    assert EDITED not in (Path(one.memory.home.folder) / "continuity.md").read_text()
    memory = one.memory
    memory.publish()
    assert [note.code for note in memory.snapshot.notes] == ["absorbed"]
    assert one.memory.state()["alpha"].fact.text == EDITED
    assert read_checked(memory.home) != ""
    assert one.memory.absorb_committed() == ()
    level(one)


def test_what_was_withheld_there_is_heard_by_nobody(team: Team) -> None:
    """The redaction comes with the edit that says the text again: it is named, and no fact says it."""
    one = team.one
    one.create("other", "Something else.")
    one.memory.publish()
    one.sync()
    late, plain = team.clone("Late"), team.clone("Pat")
    one.append("Withhold", FactRedacted("alpha", "It names a customer."))
    one.memory.publish()
    one.sync()
    plain.git("pull", "-q")
    commit = commit_edit(plain, "Something else.", "As it was!")
    plain.git("push", "-q")
    late.create("beta")
    report = late.sync()
    memory = late.memory
    assert edits(late) == [] and memory.state()["other"].fact.text == "Something else."
    said = [found.message for found in report.findings if found.code == "withheld-text"]
    page = (Path(memory.home.folder) / "continuity.md").read_text()
    assert "As it was!" in page or any(commit[:12] in one for one in said), report.findings


def test_an_edit_that_its_author_absorbed_is_not_heard_again(team: Team) -> None:
    """The author's own Diurna was first: one log, whoever joins later."""
    one, two = team.one, team.clone("Two")
    commit_edit(two)
    two.memory.absorb()
    two.sync()
    one.create("beta")
    assert [one.code for one in one.sync().findings] == []
    assert len(edits(one)) == 1
    assert one.memory.state()["alpha"].fact.text == EDITED


def test_what_is_not_understood_is_told_with_its_commit(team: Team) -> None:
    """A sentence that is no fact is in no log: commit, path and author are named."""
    one, plain = team.one, team.clone("Pat")
    commit = commit_edit(plain, "# Continuity", "A sentence of mine.\n\n# Continuity")
    plain.git("push", "-q")
    one.create("beta")
    found = one.sync().findings
    assert found and {one.code for one in found} == {"hand-edited"}
    assert all(commit[:12] in one.message and "Pat" in one.message for one in found)
    assert edits(one) == []


def test_a_date_that_can_not_be_stamps_no_log_ahead(team: Team) -> None:
    """The log then stands right behind what its author saw; names and dates come as git has them."""
    one, plain = team.one, team.clone("Pat")
    newest = one.memory.log()[0].stem
    commit_edit(plain, author=("--author=Zoë <z@example.invalid>", "--date=@4200000000 +0000"))
    plain.git("push", "-q")
    one.git("config", "i18n.logOutputEncoding", "ISO-8859-1")
    one.create("beta")
    one.sync()
    (stem,) = edits(one)
    assert newest < stem < one.memory.log()[0].stem
    assert [line.stem for line in one.memory.log(agent="Zoë")] == [stem]
    assert one.memory.state()["alpha"].fact.text == EDITED


def test_an_edit_amended_into_a_commit_of_diurnas_is_heard(tmp_path: Path) -> None:
    """Its subject and author stay those of Diurna's: what the person reworded and ticked counts."""
    one = Team(tmp_path, IN_TREE, "append").one
    thread = FactCreated("who", "Who?", " ", (("kind", "thread"),))
    one.append("Both", FactCreated("alpha", "As it was."), thread)
    page = Path(one.memory.home.folder) / "continuity.md"
    text = page.read_text()
    page.write_text(text.replace("As it was.", EDITED).replace("- [ ] Who?", "- [x] Who?"))
    one.git("commit", "-q", "-a", "--amend", "--no-edit")
    one.create("beta")
    assert EDITED in page.read_text() and "- [x] Who?" in page.read_text()
    assert len(edits(one)) == 1
    level(one)


def test_an_edit_in_a_merge_commit_is_heard(tmp_path: Path) -> None:
    """Written between `git merge --no-commit` and the commit, it is on neither side."""
    team = Team(tmp_path, IN_TREE, "append")
    one, two = team.one, team.clone("Two")
    two.create("beta")
    one.create("alpha", "As it was.")
    one.git("fetch", "-q", str(two.folder), "main")
    one.git("merge", "-q", "--no-commit", "--no-ff", "FETCH_HEAD")
    commit_edit(one)
    one.memory.publish()
    assert one.memory.state()["alpha"].fact.text == EDITED
    assert one.facts() == {"alpha", "beta"} and len(edits(one)) == 1
    level(one)
