"""A vault opens as Obsidian reads it: front matter is YAML, links lead to notes, and nobody's file is touched."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.codec.outline_by_lines import code_ranges
from ledger.model.event import FactCreated, FactRedacted, FactSuperseded
from memory.replay.view_source import source_of_state
from projection.policy.model import Policy
from projection.views.vault_notes import INDEX, MARK, ROLES, is_ours, note, vault
from projection.views.view_source import SessionLine
from tests.conftest import Repo, Run
from tests.made_histories import VIEW_LAW, Logged, ledger, ledgers, of_kind, policies, replayed
from tests.small_ledgers import bring_in, needs_mercury, place_mercury

_SCALAR = re.compile(
    r'"(?:[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*"|-?\d+|true|false'
)
_LINK = re.compile(r"(?<!\\)\[\[([^\[\]|#\n]*)(?:[|#][^\[\]\n]*)?\]\]")


def front_matter(text: str) -> dict[str, object]:
    """Read front matter, strictly: a flat map of quoted strings, numbers, booleans and lists of these."""
    assert text.startswith("---\n")
    head, end, _ = text[4:].partition("\n---\n")
    assert end
    found: dict[str, object] = {}
    for line in head.split("\n"):
        key, colon, value = line.partition(": ")
        assert colon and re.fullmatch(r"[a-z_][a-z0-9_-]*", key) and key not in found, line
        if value[:1] == "[":
            inner = value[1:-1]
            parts = _SCALAR.findall(inner)
            assert value[-1:] == "]" and ", ".join(parts) == inner, line
            found[key] = [json.loads(part) for part in parts]
        else:
            assert _SCALAR.fullmatch(value), line
            found[key] = json.loads(value)
    return found


def check(notes: dict[str, str]) -> None:
    """Hold a vault to what its readers expect."""
    names = [path.rpartition("/")[2].removesuffix(".md") for path in notes]
    assert len({name.casefold() for name in names}) == len(names), names
    known = set(names)
    for path, text in notes.items():
        assert is_ours(text), path
        assert MARK in front_matter(text)
        assert re.fullmatch(r"(?:(?:facts|daily|entities)/)?@?[A-Za-z0-9][A-Za-z0-9.-]*\.md", path)
        assert path.rpartition("/")[2].split(".")[0] not in ("con", "nul", "com1")
        lines = text.split("\n")
        hidden = {n for start, end in code_ranges(lines) for n in range(start, end)}
        prose = "\n".join(line for n, line in enumerate(lines) if n not in hidden)
        for target in _LINK.findall(prose):
            assert target in known, (path, target)
    assert all(len(line) <= 150 for line in notes[INDEX].split("\n"))


@VIEW_LAW
@given(ledgers(), policies)
def test_any_ledger_makes_a_sound_vault(logs: list[Logged], policy: Policy) -> None:
    """Front matter parses, names are unique on every file system, and no link is dead."""
    state = replayed(logs, policy)
    lines = tuple(SessionLine(log.ref.key, "a", title="[[x]] [[a]]") for log in logs)
    source = source_of_state(state)._replace(sessions=lines)
    notes = vault(source)
    check(notes)
    again = source_of_state(replayed(logs[::-1], policy))._replace(sessions=lines)
    assert vault(again) == notes


_ODD = st.text('aAäß[]|#^\\`/.:*?"<>\u202e\u2028\x00\x85\ufeff\U0001f600 \t-', max_size=12)


@given(st.lists(_ODD, max_size=4), _ODD, _ODD)
def test_odd_texts_and_entities(names: list[str], text: str, tag: str) -> None:
    """Whatever a fact says, and whatever it is about."""
    said = ", ".join(" ".join(name.split()) for name in names).replace("|", "").replace("\x00", "")
    facts = (
        FactCreated("a", f"[[b]] [[{text}]] ![[b]] [[b|{text}]]", "", (("entity", said),)),
        FactCreated("b", text or "x", "", (("tags", tag.replace("\n", " ")), ("note", said))),
    )
    check(vault(source_of_state(ledger(facts))))


def test_names_that_stand_against_something() -> None:
    """An id that is a device, a day, or a note at the top gets a name of its own, and links follow."""
    ids = ("con", "state", "2026-11-21", "aux.x", "state-fact", "memory")
    facts = tuple(of_kind(id, f"See [[{other}]].", "fact") for id, other in zip(ids, ids[::-1], strict=True))  # fmt: skip
    notes = vault(source_of_state(ledger(facts)))
    check(notes)
    assert "facts/state-fact-fact.md" in notes and "facts/con-fact.md" in notes
    assert (
        "[[state-fact-fact|state]]" in notes["facts/aux.x-fact.md"] + notes["facts/state-fact.md"]
    )


def test_withheld_and_role_notes_stay_out() -> None:
    """Of what is redacted there is an id; of the note of a role a line in ROLES.md."""
    events = (
        of_kind("gone", "Mr. Smith pays.", "fact", ("entity", "person/Smith"), ("note", "Smith")),
        of_kind("mine", "Judges see this.", "pattern", ("role", "judge")),
        of_kind("old", "One.", "decision"), of_kind("new", "Two.", "decision"),
        FactSuperseded("old", "new"),
    )  # fmt: skip
    notes = vault(source_of_state(ledger(events, (FactRedacted("gone"),))))
    assert not any("Smith" in text for text in notes.values())
    assert [path for path, text in notes.items() if "Judges" in text] == ["ROLES.md"]
    assert "Superseded by: [[new]]" in notes["facts/old.md"]
    assert ROLES not in vault(source_of_state(ledger(events[:1]))), "no fact is for a role"


def test_marks_know_their_bytes() -> None:
    """A note that was changed anywhere is not ours any more."""
    text = note("# One\n", {"id": "a"})
    assert is_ours(text)
    for changed in (
        "",
        "# One\n",
        text + "x",
        text.replace("One", "Two"),
        text.replace('"a"', '"b"'),
    ):
        assert not is_ours(changed)


def test_a_second_export_writes_nothing(repo: Repo, run: Run) -> None:
    """What changed is written, what is gone is removed, and what a person wrote stays, named."""
    run("note", "decision: id=go Go to [[there]].", "fact: id=there There. ")
    folder = repo.path.parent / "vault"
    assert run("export", "vault", str(folder), "--dry-run", "--json").json["written"]
    assert not folder.exists()
    assert run("export", "vault", str(folder)).code == 0
    check({str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*.md")})
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*.md")}
    assert run("export", "vault", str(folder), "--json").json["written"] == []
    assert before == {p: p.stat().st_mtime_ns for p in folder.rglob("*.md")}
    (folder / "facts" / "mine.md").write_text("# Mine\n")
    (folder / "facts" / "go.md").write_text((folder / "facts" / "go.md").read_text() + "\nMore.\n")
    (folder / "daily" / "2020-01-01.md").write_text(note("Old."))
    (folder / "notes").mkdir()
    (folder / "notes" / "x.md").write_text(note("Not in a folder of ours."))
    ran = run("export", "vault", str(folder))
    assert ran.code == 1 and "facts/go.md is there" in ran.err
    assert (folder / "facts" / "go.md").read_text().endswith("More.\n")
    assert (folder / "facts" / "mine.md").read_text() == "# Mine\n"
    assert (
        not (folder / "daily" / "2020-01-01.md").exists() and (folder / "notes" / "x.md").exists()
    )


@pytest.mark.parametrize("place", ["memory/vault", ".git/vault", "memory", "file", "linked"])
def test_folders_in_which_no_vault_can_be(repo: Repo, run: Run, place: str) -> None:
    """The home, git's folder, a file, a folder whose parts are links: refused, and nothing is written."""
    run("note", "fact: One.")
    repo.write("file", "mine\n")
    linked = repo.path / "linked"
    linked.mkdir()
    (linked / "facts").symlink_to(repo.path / "memory")
    before = sorted(repo.path.rglob("*.md"))
    ran = run("export", "vault", place)
    assert ran.code == 1 and "hint: name a folder outside" in ran.err
    assert sorted(repo.path.rglob("*.md")) == before


def test_usage(repo: Repo, run: Run) -> None:
    """A folder belongs to a vault alone."""
    assert run("export", "vault").code == 2 and run("export", "events", "x").code == 2


@pytest.mark.deep(reason="the other tests here have a small one")
@needs_mercury
def test_the_real_ledger(bare_repo: Repo, run: Run, tmp_path: Path) -> None:
    """Imported, it is a vault without a dead link."""
    bring_in(place_mercury(bare_repo.path))
    folder = tmp_path / "vault"
    assert run("export", "vault", str(folder)).code == 0
    notes = {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*.md")}
    assert len(notes) > 100
    check(notes)
    assert run("export", "vault", str(folder), "--json").json["written"] == []
