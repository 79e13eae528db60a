"""`diurna forget --archive`: a fact that holds is put away by hand with a reason, and comes back."""

from __future__ import annotations

import pytest

from tests.conftest import Repo, Run, laid_once


@laid_once
def held(repo: Repo, run: Run) -> None:
    """A decision, an invariant and an open thread."""
    ran = run(
        "append", "--title", "Base", "--new", "decision: id=importer The importer runs at night.",
        "--new", "invariant: id=never Never delete.", "--new", "thread: id=find Find out.",
    )  # fmt: skip
    assert ran.code == 0


def test_archive_and_back(held: Repo, run: Run) -> None:
    """A transcript: put away, in the archive with its text, told by `why`, and taken out again."""
    ran = run("forget", "--archive", "importer", "--reason", "It is frozen.")
    assert (ran.code, ran.said) == (
        0, "STEM  written to memory/sessions/2026-11/21/STEM.md (not committed)\n"
        "importer goes into the archive; its text stays, and every log that names it\n"
    )  # fmt: skip
    assert ran.err == (
        'hint: `diurna forget importer --back --reason "…"` takes it out again, '
        "and so does the next work log that names it\n"
    )
    assert "importer" not in run("show").out
    assert "archived" in run("show", "importer").out
    assert run("check", "--publish").code == 0
    index = (held.path / "memory/archive/INDEX.md").read_text()
    assert "- importer — The importer runs at night. — archived — 2026-Q4.md\n" in index
    why = run("why", "importer").out
    assert "Archived" in why and "remark: It is frozen." in why
    newest = max((held.path / "memory/sessions").rglob("*.md"), key=lambda path: path.name)
    assert "\ntype: edit\n" in newest.read_text() and "It is frozen.\n" in newest.read_text()
    assert run("check", "--ci").code == 0 and run("check", "--replay").code == 0
    back = run("forget", "importer", "--back", "--reason", "It thaws.")
    assert (back.code, back.said) == (
        0, "STEM  written to memory/sessions/2026-11/21/STEM.md (not committed)\nimporter is taken out of the archive: working\n"
    )  # fmt: skip
    assert "The importer runs at night." in run("show").out
    assert run("check", "--publish").code == 0
    assert not (held.path / "memory/archive/INDEX.md").exists()
    assert run("check", "--ci").code == 0 and run("check", "--replay").code == 0


def test_a_work_log_that_names_it_brings_it_back_and_an_edit_does_not(held: Repo, run: Run) -> None:
    """T3 and T1; an invariant is put away like any other, and is lasting again afterwards."""
    for fact in ("importer", "never", "find"):
        assert run("forget", "--archive", fact, "--reason", "Later.").code == 0
    shown = run("show").out
    assert not [fact for fact in ("id: importer", "id: never", "id: find") if fact in shown]
    assert run("append", "--title", "Other", "--new", "id=x X.").code == 0
    assert run("review", "--confirm", "never").code == 0
    assert "id: never" not in run("show").out
    assert run("append", "--title", "Used", "--ref", "never,find").code == 0
    shown = run("show").out
    assert "id: never" in shown and "id: find" in shown and "id: importer" not in shown
    assert run("show", "never", "--json").json["facts"][0]["tier"] == "core"


@pytest.mark.deep(reason="test_second_fold has it without a work tree")
def test_what_would_have_faded_meanwhile_comes_back_by_a_use_alone(held: Repo, run: Run) -> None:
    """Taking it out would not make it live, so that is refused with what would."""
    assert run("forget", "--archive", "importer", "--reason", "x").code == 0
    for number in range(22):
        assert run("append", "--title", f"Session {number}").code == 0
    ran = run("forget", "importer", "--back", "--reason", "x")
    assert ran.code == 1 and "would be in the archive anyway: faded" in ran.err
    assert "diurna append --reactivate importer" in ran.err
    assert run("append", "--title", "Back", "--reactivate", "importer").code == 0
    assert "id: importer" in run("show").out
