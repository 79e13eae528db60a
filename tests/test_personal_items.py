"""What is only one person's goes to their own home, and into no other: every door, one by one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ledger.errors import DraftRefused
from ledger.home import discover, personal_home
from ledger.model.event import FactCreated, FactReferenced
from ledger.model.order import seal
from ledger.wal.spool import Spool
from memory.api import Memory, SessionDraft
from rituals.hosts.context.session_cursor import ids_shown
from rituals.serve.mcp.arguments import AppendAsked, Caller
from rituals.serve.mcp.tools import append
from tests.conftest import Repo, holders

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

#: A word that stands in what is only the user's, and in nothing else.
WORD = "Quillfeather"
_ITEM = FactCreated(
    "mine", f"{WORD} likes tabs.", "", (("kind", "preference"), ("personal", "true"))
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of a personal home; there is none yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "diurna" / "personal"


@pytest.fixture
def own(data: Path, run: Run) -> Path:
    """A personal home with one fact."""
    assert run("init", "--personal").code == 0
    assert run("note", "--personal", f"id=qf-tabs preference: {WORD} likes tabs.").code == 0
    return data


def texts(folder: Path) -> list[str]:
    """Return the texts that live in a home."""
    return [one.fact.text for one in Memory(discover(str(folder))).view().live]


def test_all_that_is_born_there_says_so(own: Path, run: Run) -> None:
    """A fact of the personal home says that it is personal, also one that somebody wrote into the page."""
    page = own / "continuity.md"
    page.write_text(page.read_text() + "\n## Facts\n\n- The bikes are blue.\n")
    assert run("check", "--absorb", "--home", "personal").code == 0
    live = Memory(discover(str(own))).view().live
    assert {one.fact.text for one in live} == {f"{WORD} likes tabs.", "The bikes are blue."}
    assert all(("personal", "true") in one.fact.meta for one in live)


def test_a_mixed_request_becomes_two_logs(own: Path, repo: Repo, run: Run) -> None:
    """The user's facts, and what is said of those, go home; title, prose and the rest stay; both are said."""
    done = run(
        "append", "--title", "Ship it", "--body", "-", "--ref", "personal/qf-tabs", "--new", "decision: We ship.",
        "--new", f"personal=true preference: {WORD} ships on Mondays.", stdin=b"We shipped.\n",
    )  # fmt: skip
    assert done.code == 0 and "created  gomana\n" in done.out
    assert ": qf-tabs, dinane\n" in done.err
    assert texts(repo.path) == ["We ship."]
    assert set(texts(own)) == {f"{WORD} likes tabs.", f"{WORD} ships on Mondays."}
    assert holders(repo.path, WORD) == holders(repo.path, "qf-tabs") == []
    assert holders(own, "We shipped") == []


@pytest.mark.parametrize("id", ["qf-tabs", "personal/qf-tabs"])
def test_what_is_said_of_it_goes_where_it_is(id: str, own: Path, repo: Repo, run: Run) -> None:
    """An id that only the personal home knows means the fact there, by whichever name it has in a brief."""
    before = repo.shape()
    assert run("append", "--title", "Anew", "--update", id, f"{WORD} likes blanks.").code == 0
    assert run("append", "--title", "Used it", "--refs", id).code == 0
    assert texts(own) == [f"{WORD} likes blanks."]
    assert repo.shape() == before and holders(repo.path, "qf-tabs") == []


def test_the_same_id_here_means_the_one_here(own: Path, repo: Repo, run: Run) -> None:
    """A fact of the home that is asked is never taken for one of the user's of that name."""
    assert run("note", "id=qf-tabs decision: The mine is closed.").code == 0
    assert run("append", "--update", "qf-tabs", "The mine is open.").code == 0
    assert texts(repo.path) == ["The mine is open."] and texts(own) == [f"{WORD} likes tabs."]


@pytest.mark.parametrize("ways", ["note", "options", "json", "file", "mcp"])
def test_without_a_home_of_their_own_it_is_refused(
    ways: str, data: Path, repo: Repo, run: Run
) -> None:
    """Whichever way it comes; nothing changes, and the hint says how to have one."""
    before = repo.shape()
    new = f"personal=true preference: {WORD} likes tabs."
    said = {"title": "T", "new": [{"text": f"{WORD} likes tabs.", "footers": {"personal": "true"}}]}
    log = f"# T\n\n## Memory References\n\n- Created: m\n\n## Facts\n\n- {WORD}.\n  <!-- id: m | personal: true -->\n"
    if ways == "mcp":
        with pytest.raises(DraftRefused, match="only one person's"):
            append(Memory.open("."), Caller("codex"), AppendAsked.model_validate(said))
    else:
        ran = {
            "note": lambda: run("note", new),
            "options": lambda: run("append", "--new", new),
            "json": lambda: run("append", "--from-json", "-", stdin=json.dumps(said).encode()),
            "file": lambda: run("append", "-", stdin=log.encode()),
        }[ways]()
        assert ran.code == 1 and "`diurna init --personal` makes one" in ran.err
    assert repo.shape() == before and holders(repo.path / ".git", WORD) == []


def test_the_server_parts_it_as_the_command_does(own: Path, repo: Repo) -> None:
    """A client of the server that says `personal` of a fact has it in the user's own home."""
    said = {
        "title": "T", "refs": ["personal/qf-tabs"],
        "new": [{"text": "We ship."}, {"text": f"{WORD} naps.", "footers": {"personal": "true"}}],
    }  # fmt: skip
    told = append(Memory.open("."), Caller("codex"), AppendAsked.model_validate(said))
    assert any(one["code"] == "personal-log" for one in told["findings"])
    assert texts(repo.path) == ["We ship."] and f"{WORD} naps." in texts(own)
    assert holders(repo.path, WORD) == []


@pytest.mark.parametrize("how", ["append", "hold", "stage"])
def test_the_library_refuses_it(how: str, own: Path, repo: Repo) -> None:
    """No draft gets past the door, asked or captured, whatever else it holds."""
    before = repo.shape()
    memory, draft = Memory.open("."), SessionDraft("T", events=(_ITEM,))
    with pytest.raises(DraftRefused, match="only one person's"):
        {
            "append": lambda: memory.append(draft),
            "hold": lambda: memory.hold(draft),
            "stage": lambda: memory.append(draft, stage=True),
        }[how]()
    assert repo.shape() == before and holders(repo.path, WORD) == []


@pytest.mark.parametrize("value", ["true", "yes", "TRUE", "Quillfeather"])
def test_any_value_that_may_mean_it_counts(value: str, data: Path, repo: Repo) -> None:
    """A footer is taken at its worst: what is not surely no is yes."""
    meta = (("personal", value),)
    with pytest.raises(DraftRefused):
        Memory.open(".").append(SessionDraft("T", events=(_ITEM._replace(meta=meta),)))
    assert Memory.open(".").append(
        SessionDraft(
            "T", events=(_ITEM._replace(text="No.", meta=(("personal", "false"),)),), type="import"
        )
    )


def test_prose_does_not_carry_it_over(own: Path, repo: Repo, run: Run) -> None:
    """Words of a log that repeat what is only the user's are refused, with all of the request."""
    before = repo.shape()
    ran = run(
        "append", "--title", "T", "--body", "-", "--new", f"personal=true {WORD} likes short answers.",
        stdin=f"As {WORD} likes short answers. So be it.\n".encode(),
    )  # fmt: skip
    assert ran.code == 1 and repo.shape() == before
    assert texts(own) == [f"{WORD} likes tabs."]


def test_a_refused_rest_leaves_their_home_alone(own: Path, repo: Repo, run: Run) -> None:
    """Of two logs neither is written where one of them can not be."""
    tip = personal_home().tip()  # type: ignore[union-attr]
    ran = run("append", "--title", "T", "--close", "nobody", "--new", f"personal=true {WORD} naps.")
    assert ran.code == 1 and personal_home().tip() == tip  # type: ignore[union-attr]


def test_an_edit_of_the_page_is_said_and_not_absorbed(data: Path, repo: Repo, run: Run) -> None:
    """A bullet that a person marks as personal makes no log: in the work tree, and committed."""
    assert run("note", "id=ship decision: We ship.").code == 0
    page = repo.path / "memory" / "continuity.md"
    edited = page.read_text().replace("| tier:", "| personal: true | tier:")
    assert edited != page.read_text()
    page.write_text(edited)
    ran = run("check", "--absorb")
    assert ran.code == 1 and "ship is only one person's" in ran.err
    repo.git("commit", "-qam", "by hand")
    assert "ship is only one person's" in run("check", "--ci").out + run("check", "--ci").err
    run("append", "--title", "Next")
    assert all(
        not one.fact.meta or "personal" not in dict(one.fact.meta)
        for one in Memory.open(".").view().live
    )


def test_what_waits_with_it_goes_on_waiting(data: Path, repo: Repo, run: Run) -> None:
    """A log that another program left in the spool is not committed, and keeps nothing else from it."""
    memory = Memory.open(".")
    made = memory.append(SessionDraft("T", events=(_ITEM._replace(meta=()),)), dry_run=True)
    log = made.data.replace(b"<!-- id: mine -->", b"<!-- id: mine | personal: true -->")
    assert log != made.data
    stem = seal(made.stem[:20], log)
    spool = Spool(memory.home.spool_folder)
    spool.put(stem, log)
    done = run("note", "decision: We ship.")
    assert done.code == 0 and f"{stem} goes on waiting" in done.err
    assert texts(repo.path) == ["We ship."]
    assert spool.waiting() == [stem]


def test_an_export_of_it_is_taken_in_nowhere_else(
    own: Path, repo: Repo, run: Run, tmp_path: Path
) -> None:
    """`import events` of what the personal home holds is refused, and brings nothing."""
    file = tmp_path / "events"
    file.write_text(run("export", "--home", "personal", "events").out)
    before = repo.shape()
    ran = run("import", "events", str(file))
    assert ran.code == 1 and "only one person's" in ran.err
    assert repo.shape() == before and holders(repo.path / ".git", WORD) == []


def test_what_history_has_is_named(data: Path, repo: Repo, run: Run) -> None:
    """A log that came by git is read as it is; the checks name the fact, until it is redacted."""
    log = f"# T\n\n## Memory References\n\n- Created: m\n\n## Facts\n\n- {WORD}.\n  <!-- id: m | personal: true -->\n"
    repo.write("memory/sessions/2026-11-20-101500.md", log)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "by hand")
    for command in (("check", "--ci"), ("check",)):
        ran = run(*command)
        assert ran.code == 1 and "m is only one person's" in ran.out + ran.err, command
    assert run("redact", "m", "--reason", "Private.").code == 0
    assert "m is only one person's" not in run("check", "--ci").err


def test_a_reference_by_the_library_is_not_refused(own: Path, repo: Repo) -> None:
    """The door looks at what is brought; what is only named was parted before."""
    assert Memory.open(".").append(SessionDraft("T", events=(FactReferenced("nobody"),))).commit


def test_two_homes_are_not_named_at_once(own: Path, repo: Repo, run: Run) -> None:
    """With `--personal` no other home is written to, in whichever order the options stand."""
    before, tip = repo.shape(), run("log", "--home", "personal").out
    for options in (("--personal", "--home", "."), ("--home", ".", "--personal")):
        ran = run("note", f"preference: {WORD} naps.", *options)
        assert ran.code == 2 and "--personal and --home name two homes" in ran.err
    assert run("note", "--personal", "--home", "personal", f"{WORD} sings.").code == 0
    assert repo.shape() == before and run("log", "--home", "personal").out != tip


def test_who_decides_about_it_is_told_where_it_is(own: Path, repo: Repo, run: Run) -> None:
    """A command that takes no name of a home before an id says how that fact is named."""
    ran = run("review", "--confirm", "personal/qf-tabs")
    assert ran.code == 1 and "qf-tabs with `--home personal` names the fact" in ran.err
    assert run("review", "--confirm", "--home", "personal", "qf-tabs").code == 0


def test_a_session_is_not_said_to_have_been_shown_it() -> None:
    """What a captured log names as shown are facts of its own home, not those of homes beside it."""
    text = "- personal/qf-tabs (preference, working, 2026-11-21): Tabs.\n- org/no-pii (invariant, core): No.\n"
    assert ids_shown(f"{text}- ship (decision, working, 2026-11-21): We ship.\n") == ["ship"]


def test_importing_a_ledger_that_says_so_changes_nothing(
    data: Path, bare_repo: Repo, run: Run
) -> None:
    """A page of another tool with such a fact is not brought in, and stays to the byte."""
    bare_repo.write(
        "memory/continuity.md",
        f"# Continuity\n\n## Key Decisions\n\n- {WORD} likes tea.\n"
        "  <!-- id: tea | created: 2026-01-01 | personal: true -->\n",
    )
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-qm", "theirs")
    before = bare_repo.shape()
    ran = run("import", "ledger", ".", "--write")
    assert ran.code == 1 and "tea is only one person's" in ran.err
    assert bare_repo.shape() == before
