"""What people's edits of `continuity.md` come to: 500 kinds of them, in pages of random ledgers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.home import IN_TREE, OWN_BRANCH
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.ids import version_id
from ledger.model.layout import EDITED_KEY
from ledger.model.sha256 import blob_id
from memory.write.draft import SessionDraft
from projection.document.edit_events import NOTHING, Absorbed, absorb
from projection.document.page_renderer import render
from projection.fold.full_replay import State
from projection.policy.model import Policy
from tests.campaigns.edits import commit, copy_in, try_home
from tests.campaigns.homes import make_home, open_memory, shape
from tests.conftest import Repo, Run, diagonal, each_row
from tests.edited_pages import LOUD, QUIET, Page, edit, ledger
from tests.test_document_edit_events import after, logged, read
from tests.test_laws import LAW, Logged, replayed


def logs_of(rng: random.Random) -> list[Logged]:
    """Return the logs of a random ledger."""
    return [
        logged(f"2026-06-{number + 1:02d}-101500123-0c1d2e3f4a5b", *events)
        for number, events in enumerate(ledger(rng))
    ]


def page_of(seed: int) -> tuple[list[Logged], State, Page]:
    """Return a random ledger and the page that is to be edited."""
    rng = random.Random(seed)
    logs = logs_of(rng)
    state = replayed(logs, Policy())
    older = render(replayed(logs[:-1], Policy()).view()) if len(logs) > 1 else ""
    return logs, state, Page(render(state.view()), rng, older)


def held(logs: list[Logged], state: State, page: Page, found: Absorbed) -> State | None:
    """Check what an edit came to; return the state with its log, None where it was not understood."""
    if found.findings:
        assert not found.events, "all of an edit is understood, or nothing"
        assert all(one.hint and one.line for one in found.findings), found.findings
        return None
    then = after(logs, Policy(), found)
    told = (page.did, page.touched, found.events, page.text)
    for standing in state.standings():
        fact = standing.fact
        if fact.id in page.touched:
            continue
        now = then[fact.id].fact
        assert [head.text for head in now.heads] == [head.text for head in fact.heads], told
        kept = (now.false, now.closed, now.kind, now.promoted, now.meta, now.contradicted)
        assert kept == (
            fact.false, fact.closed, fact.kind, fact.promoted, fact.meta, fact.contradicted,
        ), told  # fmt: skip
    said = render(then.view())
    for word in page.typed:
        assert word not in page.text or word in said, told
    return then


def check(seed: int) -> bool:
    """Edit the page of a random ledger at random, and check what comes of it; tell whether it was understood."""
    logs, state, page = page_of(seed)
    then = held(logs, state, page, read(state, edit(page).text))
    if then is not None:
        assert absorb(page.base, page.text, Policy(), then.get) == NOTHING, "said, once"
    return then is not None


@LAW
@given(st.integers(0, 2**32))
def test_whatever_was_not_touched_holds_and_no_word_is_lost(seed: int) -> None:
    """Deleted, moved, cut, pasted, ticked, reflowed, in conflict, half saved, and several of them."""
    check(seed)


@pytest.mark.deep(reason="test_document_edit_events has each kind without a home")
@each_row("name", sorted(LOUD))
@each_row("seed", range(8))
def test_one_edit_of_each_kind(name: str, seed: int) -> None:
    """Alone each leaves all others as they are."""
    logs, state, page = page_of(seed)
    LOUD[name](page)
    held(logs, state, page, read(state, page.text))


@each_row("name", sorted(QUIET))
@each_row("seed", range(8))
def test_what_editors_do_says_nothing(name: str, seed: int) -> None:
    """Reflowed, with other bullets, blanks, line ends or comments a page says what it said."""
    _, state, page = page_of(seed)
    QUIET[name](page)
    base = page.older if name == "older" and page.older else page.base
    assert absorb(base, page.text, Policy(), state.get) == NOTHING


# ---- in homes --------------------------------------------------------------------------------------


@pytest.fixture
def page(repo: Repo, run: Run) -> Path:
    """The page of a home with two decisions."""
    assert (
        run(
            "note", "id=fa decision: Sessions are signed.", "id=fb decision: Code lives in src."
        ).code
        == 0
    )
    return repo.path / "memory" / "continuity.md"


def change(page: Path, old: str, new: str) -> None:
    """Put a text in the place of another that stands there once."""
    text = page.read_text()
    assert text.count(old) == 1, text
    page.write_text(text.replace(old, new))


def in_step(run: Run) -> bool:
    """Tell whether nobody has anything to say of the page."""
    codes = {one["code"] for one in run("check", "--json").json["findings"]}
    said = run("check", "--publish").out + run("check", "--absorb").out
    return (
        not codes & {"hand-edited", "drift", "conflict-in-projection"}
        and said.count("nothing to do") == 2
    )


BOTH = pytest.mark.parametrize("committed", [False, True])


@BOTH
@pytest.mark.parametrize("also", ["", "Sessions are signed twice."])
def test_a_deleted_bullet_is_that_fact_and_no_other(
    repo: Repo, run: Run, page: Path, committed: bool, also: str
) -> None:
    """Its footer is left, as a person leaves it who deletes the line that they read."""
    change(page, "- Code lives in src.\n", "")
    if also:
        change(page, "Sessions are signed.", also)
    if committed:
        repo.git("commit", "-q", "-a", "-m", "Update continuity.md")
    assert run("note", "fact: Something else.").code == 0
    state = open_memory(repo.path).state()
    assert state["fa"].fact.text == (also or "Sessions are signed.") and not state["fa"].fact.false
    assert state["fb"].reason == "invalidated"
    assert in_step(run)


def test_what_was_deleted_and_put_back_leaves_a_page_in_step(
    repo: Repo, run: Run, page: Path
) -> None:
    """Reword one fact, delete the line of another, commit, note, put it back, commit."""
    change(page, "Sessions are signed.", "Sessions are signed twice.")
    change(page, "- Code lives in src.\n", "")
    repo.git("commit", "-q", "-a", "-m", "one")
    assert run("note", "fact: Something else.").code == 0
    change(page, "## Key Decisions\n", "## Key Decisions\n\n- Code lives in src.\n")
    repo.git("commit", "-q", "-a", "-m", "two")
    assert run("check", "--publish").code == 0
    assert in_step(run)
    assert "Code lives in src." in page.read_text() and "signed twice" in page.read_text()


@BOTH
def test_a_page_that_was_cut_short_is_no_fact(
    repo: Repo, run: Run, page: Path, committed: bool
) -> None:
    """No half of a word is recorded, and the hint of the first command that says so leads out."""
    text = page.read_text()
    page.write_text(text[: text.index("lives in src") + 5])
    if committed:
        repo.git("commit", "-q", "-a", "-m", "half")
    assert run("note", "fact: Something else.").code == 0
    ran = run("check", "--absorb")
    assert ran.code == 1 and "`diurna check --publish --discard-edits`" in ran.err.split("\n")[1]
    assert run("check", "--publish", "--discard-edits").code == 0
    assert {one.fact.text for one in open_memory(repo.path).state().standings()} == {
        "Sessions are signed.", "Code lives in src.", "Something else.",
    }  # fmt: skip
    assert in_step(run)


@BOTH
@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_a_page_that_is_let_go_is_shown_and_kept(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, kind: str, committed: bool
) -> None:
    """Byte for byte; a dry run changes nothing, and what is redacted later goes out of it."""
    folder = tmp_path / "home"
    make_home(folder, kind)
    memory = open_memory(folder)
    memory.append(SessionDraft("T", "", (FactCreated("fa", "The vault opens with a word."),)))
    memory.publish()
    file = copy_in(folder, kind)
    text = file.read_text() + "\nStray words of mine.\n"
    if committed:
        commit(folder, kind, text)
    else:
        file.write_text(text)
    monkeypatch.chdir(folder)
    before = shape(folder)
    ran = run("check", "--publish", "--discard-edits", "--dry-run")
    assert ran.code == 0 and "- Stray words of mine.\n" in ran.out
    assert shape(folder) == before and not (folder / ".git/diurna/dropped").exists()
    ran = run("check", "--publish", "--discard-edits", "--json")
    (one,) = ran.json["dropped"]
    assert one["lines"] == ["Stray words of mine."]
    kept = folder / one["kept"]
    assert kept.read_text() == text and kept.stat().st_mode & 0o777 == 0o600
    assert file.read_text() == open_memory(folder).continuity()
    assert in_step(run)
    assert run("redact", "fa", "--reason", "it went out").code == 0
    run("status")
    assert "vault" not in kept.read_text() and "Stray words of mine." in kept.read_text()


def test_a_half_of_an_edit_that_an_older_version_recorded_stays(
    repo: Repo, run: Run, page: Path
) -> None:
    """Logs of before say what events could: the rest of that page is still a person's."""
    change(page, "Sessions are signed.", "Sessions are signed twice.")
    change(page, "## Key Decisions\n", "## Key Decisions\n\nStray words.\n")
    repo.git("commit", "-q", "-a", "-m", "by hand")
    data = page.read_bytes()
    said = FactUpdated("fa", "Sessions are signed twice.", (version_id("Sessions are signed."),))
    header = ((EDITED_KEY, blob_id(data)),)
    open_memory(repo.path).append(SessionDraft("Edit", "", (said,), "Ada", "edit", header))
    assert page.read_bytes() == data
    ran = run("check", "--publish")
    assert ran.code == 1 and "this text is in no log" in ran.err and page.read_bytes() == data


@pytest.mark.deep(reason="a_page_that_is_let_go_is_shown_and_kept is the small one")
@pytest.mark.parametrize(("kind", "seed"), diagonal([IN_TREE, OWN_BRANCH], [3, 12]))
def test_the_hints_lead_back_to_a_page_in_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, seed: int
) -> None:
    """From any page a person can make, by two commands at most; more of them in the campaign."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DIURNA_NOW", "")
    assert try_home(tmp_path, kind, seed)
