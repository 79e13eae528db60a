"""`diurna check --absorb`: transcripts of what a person edits and what the commands say and do, in each kind of home."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ledger.errors import HandEdited
from ledger.home import OWN_BRANCH, OWN_REPOSITORY
from memory.api import Memory
from memory.edits import absorb as absorbing
from memory.write.draft import SessionDraft
from tests.campaigns.homes import KINDS, NAME, draft, git, make_home, open_memory, shape
from tests.conftest import NOW_MS, Ran, Repo, Run, diagonal, formed

START = (
    "append", "--title", "T", "--new", "id=one One.", "--new", "id=two thread: Two?",
    "--new", "id=three decision: Three.",
)  # fmt: skip


@pytest.fixture
def file(repo: Repo, run: Run) -> Path:
    """`continuity.md` of a home with three facts, published."""
    assert run(*START).code == 0
    assert run("check", "--publish").code == 0
    return repo.path / "memory" / "continuity.md"


def edit(file: Path, *pairs: tuple[str, str]) -> str:
    """Edit a file; return what it holds then."""
    text = file.read_text()
    for old, new in pairs:
        assert text.count(old) == 1, (old, text)
        text = text.replace(old, new)
    file.write_text(text)
    return text


REWORD = ("- One.", "- One, at last.")
TICK = ("- [ ] Two?", "- [x] Two?")
ADD = ("## Key Decisions\n", "## Key Decisions\n\n- We use Postgres.\n")
LOOSE = ("## Key Decisions\n", "## Key Decisions\n\nLoose words.\n")
SAID = """\
Created     saguvu (decision): We use Postgres.
Updated     one: One, at last.
Closed      two
"""


@pytest.mark.parametrize("branch", ["main", "side"])
def test_absorb_makes_a_log_of_an_edit(repo: Repo, run: Run, file: Path, branch: str) -> None:
    """The log is of type `edit` and by the git user; the file says the same, rendered anew."""
    if branch == "side":
        repo.git("switch", "-q", "-c", branch)
    edit(file, REWORD, TICK, ADD)
    ran = run("check", "--absorb")
    said = f"STEM  committed in COMMIT on {branch}\n" + SAID
    assert (ran.code, ran.said, ran.err) == (0, said, "")
    assert file.read_text() == run("show").out
    for said in ("- One, at last.\n", "- [x] Two?\n", "- We use Postgres.\n"):
        assert said in file.read_text()
    newest = run("log", "-n", "1", "--json").json["sessions"][0]
    assert (newest["type"], newest["agent"]) == ("edit", "Ada")
    left = "" if branch == "main" else " M memory/continuity.md\n"
    assert repo.git("status", "--porcelain") == left, "published on the trunk alone"
    assert run("check", "--absorb").out == "nothing to do: continuity.md is as Diurna wrote it\n"
    assert run("check", "--publish").code == 0
    assert repo.git("status", "--porcelain") == ""
    assert run("check", "--ci").out == "all in order\n"


def test_absorb_dry_run_changes_nothing(repo: Repo, run: Run, file: Path) -> None:
    """The plan is what is done afterwards."""
    text = edit(file, REWORD, TICK, ADD)
    before = repo.shape()
    ran = run("check", "--absorb", "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "would absorb the edit of continuity.md\n" + SAID
    ran = run("check", "--publish", "--dry-run")
    assert (ran.code, ran.out) == (0, "nothing to do: the projection is in step\n")
    assert ran.err == (
        "info: the edit of continuity.md would become a log, "
        "Created: saguvu; Updated: one; Closed: two\n"
    )
    assert (repo.shape(), file.read_text()) == (before, text)


def test_absorb_json(run: Run, file: Path) -> None:
    """One object with the events, and the log that holds them."""
    edit(file, REWORD, TICK)
    plan = run("check", "--absorb", "--dry-run", "--json").json
    assert (plan["format"], plan["dry_run"], plan["stem"], plan["commit"]) == (1, True, "", "")
    assert plan["events"] == [
        {"event": "Updated", "id": "one", "text": "One, at last.", "mark": "", "meta": {},
         "was": ["70277bfc"]},
        {"event": "Closed", "id": "two", "was": ["e693dc5a"]},
    ]  # fmt: skip
    done = run("check", "--absorb", "--json").json
    assert (done["events"], done["file"], done["findings"]) == (plan["events"], "continuity.md", [])
    assert done["stem"] == run("log", "-n", "1", "--json").json["sessions"][0]["stem"]
    again = run("check", "--absorb", "--json").json
    assert (again["file"], again["events"], again["stem"]) == ("", [], "")


def test_what_is_not_understood_is_named_and_stays(repo: Repo, run: Run, file: Path) -> None:
    """File, line and hint; nothing changes, not even what was understood beside it."""
    text = edit(file, LOOSE, REWORD, ("- [ ] Two?", "- Two?"))
    before = repo.shape()
    lines = text.split("\n")
    loose, two = lines.index("Loose words.") + 1, lines.index("- Two?") + 1
    said = (
        f": continuity.md:{loose}: this text is no part of a fact (and 1 more)\n"
        "hint: write it as a bullet (`- ...`) of a section, or indent it under the bullet it belongs to; "
        "or `diurna check --publish --discard-edits` writes the page anew and keeps this one beside git\n"
        f"also: continuity.md:{two}: the thread two has lost its checkbox\n"
        "hint: write `[ ]` or `[x]` before it; to make something else of it, move it\n"
    )
    for command in (
        ["check", "--absorb"],
        ["check", "--absorb", "--dry-run"],
        ["check", "--publish"],
        ["check", "--replay", "--write"],
    ):
        ran = run(*command)
        assert (ran.code, ran.out, ran.err) == (1, "", "diurna" + said)
    error = run("check", "--absorb", "--json").json["error"]
    assert (error["code"], error["where"]) == ("EditNotUnderstood", f"continuity.md:{loose}")
    assert [one["line"] for one in error["findings"]] == [loose, two]
    assert (repo.shape(), file.read_text()) == (before, text)


def test_publish_and_replay_absorb_by_themselves(repo: Repo, run: Run, file: Path) -> None:
    """Both say which log the edit became."""
    repo.publish_when("review")
    edit(file, REWORD)
    ran = run("check", "--publish")
    assert ran.said == "wrote continuity.md\ncommitted in COMMIT on main\n"
    assert formed(ran.err) == "info: the edit of continuity.md became the log STEM, Updated: one\n"
    assert repo.git("status", "--porcelain") == ""
    edit(file, TICK)
    ran = run("check", "--replay", "--write")
    assert ran.said.startswith("replayed 3 logs, 1 work session, 3 facts; digest DIGEST\n")
    assert formed(ran.err).startswith(
        "info: the edit of continuity.md became the log STEM, Closed: two\n"
    )
    assert file.read_text() == run("show").out and "- [x] Two?" in file.read_text()


def test_an_edited_archive_page_is_not_absorbed(repo: Repo, run: Run, file: Path) -> None:
    """It is refused as before, and `continuity.md` waits for it."""
    assert run("append", "--title", "U", "--invalidate", "three").code == 0
    assert run("check", "--publish").code == 0
    page = next((repo.path / "memory" / "archive").glob("*-Q*.md"))
    page.write_text(page.read_text() + "\n- Mine.\n")
    edit(file, REWORD)
    before = repo.shape()
    for option in ("--absorb", "--publish"):
        ran = run("check", option)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == (
            f"diurna: check: archive/{page.name} was edited by hand and is left as it is\n"
            "hint: record what the edit says with `diurna note TEXT`, and put it back as git has it; "
            "or `diurna check --publish --discard-edits` writes it anew and keeps this one beside git\n"
        )
    assert repo.shape() == before


def test_another_file_in_its_place_is_refused(repo: Repo, run: Run, file: Path) -> None:
    """A link, a file that was emptied, and one that was made from something else change nothing."""
    text = file.read_text()
    for put, said in (
        ("", "the last line of the file is missing, and so is "),
        (text.replace("digest: ", "digest: 0").replace("One.", "Un."), "this text is in no log"),
    ):
        file.write_text(put)
        ran = run("check", "--absorb")
        assert ran.code == 1 and said in ran.err, ran.err
        assert "\nhint: " in ran.err and file.read_text() == put
    file.unlink()
    file.symlink_to(repo.path / "code.py")
    ran = run("check", "--absorb")
    assert (ran.code, file.is_symlink()) == (1, True)
    assert "continuity.md is a link, and was not read" in ran.err
    assert (repo.path / "code.py").read_text() == "print('hello')\n"


def test_an_old_version_put_back_says_nothing(repo: Repo, run: Run, file: Path) -> None:
    """Whoever takes `continuity.md` out of the history takes nothing back of what memory holds."""
    old = file.read_text()
    assert run("append", "--title", "U", "--new", "id=four Four.").code == 0
    assert run("check", "--publish").code == 0
    file.write_text(old)
    ran = run("check", "--absorb")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "the ledger says it already; continuity.md is written anew\n"
    assert "Four." in file.read_text() and repo.git("status", "--porcelain") == ""


def test_the_base_is_what_was_edited_however_old(repo: Repo, run: Run, file: Path) -> None:
    """Logs that came meanwhile are no part of the edit, whether the base is committed or was only written."""
    repo.publish_when("review")
    assert run("append", "--title", "U", "--new", "id=four Four.").code == 0
    assert run("check", "--replay", "--write").code == 0
    edit(file, REWORD)
    assert (
        run("append", "--title", "V", "--new", "id=five Five.", "--update", "one", "Un.").code == 0
    )
    (repo.path / ".git" / "diurna" / "written").unlink()  # it can be deleted
    ran = run("check", "--absorb")
    assert ran.said == "STEM  committed in COMMIT on main\nUpdated     one: One, at last.\n"
    assert file.read_text() == run("show").out
    for said in ("Four.", "Five.", "- Un.\n", "- One, at last.\n", "**Contradiction**: 2 versions"):
        assert said in file.read_text(), "nobody's word is lost"


def test_what_was_only_written_is_the_base_though_older_logs_came(
    repo: Repo, run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No set of logs up to a moment gives these bytes any more, and no commit has them: they were kept."""
    repo.publish_when("review")
    repo.git("switch", "-q", "-c", "side")
    assert run("append", "--title", "U", "--new", "id=four Four.").code == 0
    repo.git("switch", "-q", "main")
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS + 60_000))
    assert run("append", "--title", "V", "--new", "id=five Five.").code == 0
    assert run("check", "--replay", "--write").code == 0
    edit(file, REWORD)
    repo.git("merge", "-q", "--no-edit", "side")
    ran = run("check", "--absorb")
    assert ran.said == "STEM  committed in COMMIT on main\nUpdated     one: One, at last.\n"
    assert all(said in file.read_text() for said in ("- Four.\n", "- Five.\n"))


def test_a_contradiction_is_settled_by_editing(repo: Repo, run: Run, file: Path) -> None:
    """Leaving the text that holds is enough."""
    repo.publish_when("review")
    edit(file, REWORD)
    assert run("append", "--title", "V", "--update", "one", "Un.").code == 0
    assert run("check", "--absorb").code == 0
    text = file.read_text()
    start, end = text.index("- **Contradiction**"), text.index("  <!-- id: one")
    file.write_text(text[:start] + "- Un et demi.\n" + text[end:])
    ran = run("check", "--absorb")
    assert (ran.code, ran.err) == (0, "")
    assert "## Contradictions" not in file.read_text() and "- Un et demi.\n" in file.read_text()


def test_a_rebase_in_progress_is_no_time_to_absorb(repo: Repo, run: Run, file: Path) -> None:
    """Nothing changes until it is finished."""
    text = edit(file, REWORD)
    other = repo.git("commit-tree", "HEAD^{tree}", "-m", "not merged yet")
    (repo.path / ".git" / "MERGE_HEAD").write_text(other)
    ran = run("check", "--absorb")
    assert ran.code == 1 and "merge is in progress" in ran.err
    assert file.read_text() == text
    (repo.path / ".git" / "MERGE_HEAD").unlink()
    assert run("check", "--absorb").code == 0


def test_a_bare_clone_has_nothing_to_absorb(repo: Repo, run: Run, tmp_path: Path) -> None:
    """Nobody edits there."""
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.path), str(bare))
    ran: Ran = run("--home", str(bare), "check", "--absorb")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "nothing to do: continuity.md is as Diurna wrote it\n"


# ---- what the person committed ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["in-tree", OWN_REPOSITORY])
def test_an_edit_that_was_committed_is_absorbed_too(tmp_path: Path, kind: str) -> None:
    """`git commit -a` is what people do; what is edited on top of it counts from Diurna's own version."""
    folder = tmp_path / "home"
    make_home(folder, kind)
    memory = open_memory(folder)
    memory.append(draft("a"))
    memory.publish()
    file = copy_in(folder, kind)
    edit(file, ("The text of a.", "A, reworded."))
    git(folder, "commit", "-q", "-a", "-m", "by hand")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(folder), str(clone))
    memory.append(draft("b"))
    memory.publish()
    assert memory.state()["a"].fact.text == "A, reworded."
    assert file.read_text() == memory.continuity()
    assert [line.type for line in memory.log()].count("edit") == 1
    there = open_memory(clone)
    with copy_in(clone, kind).open("a") as copy:
        copy.write("- More words.\n")
    done = there.absorb()
    assert [type(event).__name__ for event in done.events] == ["FactCreated"]
    (heard,) = done.committed  # the commit is a log of its own, by its author
    assert heard.code == "absorbed" and f"by {NAME} became the log" in heard.message
    assert there.state()["a"].fact.text == "A, reworded."
    assert copy_in(clone, kind).read_text() == there.continuity()


def test_what_another_clone_published_is_no_edit(tmp_path: Path) -> None:
    """Neither its logs nor a change of the policy is a person's edit of `continuity.md`."""
    folder, clone = tmp_path / "home", tmp_path / "clone"
    make_home(folder, OWN_REPOSITORY)
    memory = open_memory(folder)
    memory.append(draft("a"))
    git(tmp_path, "clone", "-q", str(folder), str(clone))
    there = open_memory(clone)
    there.append(draft("b"))
    policy = clone / "diurna.toml"
    policy.write_text(policy.read_text() + "\n[kinds.fact]\nsection = 'Facts'\ndecays = false\n")
    git(clone, "-c", "user.name=B", "-c", "user.email=b@x", "commit", "-q", "-a", "-m", "policy")
    assert there.publish()[0] == ("continuity.md",)
    git(folder, "pull", "-q", str(clone), "main")
    assert memory.absorb().file == ""
    memory.append(draft("c"))
    assert [line.type for line in memory.log()] == ["work"] * 3


# ---- journeys: every kind of home ------------------------------------------------------------------


def copy_in(folder: Path, kind: str) -> Path:
    """Return the copy that people edit."""
    inside = {"in-tree": "memory/", OWN_BRANCH: ".memory/"}.get(kind, "")
    return folder / f"{inside}continuity.md"


@pytest.mark.parametrize("kind", KINDS)
def test_a_day_of_edits_and_appends(tmp_path: Path, kind: str) -> None:
    """Person and agent take turns; both are in the ledger, the copy is in step, and git is clean."""
    folder = tmp_path / "home"
    make_home(folder, kind)
    memory = open_memory(folder)
    memory.append(draft("a"))
    memory.publish()
    file = copy_in(folder, kind)
    edit(file, ("The text of a.", "A, reworded."))
    memory.append(draft("b"))
    memory.publish()
    assert file.read_text() == memory.continuity()
    text = file.read_text()
    file.write_text(text[: text.index("- A, reworded")] + text[text.index("- The text of b") :])
    file.write_text(file.read_text().replace("\n", "\r\n"))
    found = memory.absorb()
    assert [type(event).__name__ for event in found.events] == ["FactInvalidated"]
    assert file.read_text() == memory.continuity()
    memory.publish()
    assert git(folder, "status", "--porcelain") == ""
    assert memory.drift() == memory.edited() == ()
    state = memory.state()
    assert (state["a"].fact.text, state["a"].reason) == ("A, reworded.", "invalidated")
    assert sorted(line.type for line in memory.log()) == ["edit", "edit", "work", "work"]


@pytest.mark.parametrize(
    ("kind", "moment"),
    diagonal(KINDS, ["before it is durable", "after it is durable", "at the end"]),
)
def test_a_kill_loses_and_doubles_nothing(
    tmp_path: Path, kind: str, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever an absorb dies, the edit is in the file or in a log, and the next one says it once."""
    folder = tmp_path / "home"
    make_home(folder, kind)
    memory = open_memory(folder)
    memory.append(draft("a"))
    memory.publish()
    file = copy_in(folder, kind)
    file.write_text(file.read_text() + "- Words of mine.\n")

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if moment == "before it is durable":
            patch.setattr(memory._committer.spool, "put", die)
        else:
            patch.setattr(
                absorbing, "remember" if moment == "after it is durable" else "settle", die
            )
        with pytest.raises(KeyboardInterrupt):
            memory.absorb()
    again = open_memory(folder)
    again.append(SessionDraft("Next"))
    again.publish()
    assert file.read_text() == again.continuity()
    assert sorted(again.state()) == ["a", "somoze"]
    assert again.waiting() == [] and git(folder, "status", "--porcelain") == ""


def test_agents_that_append_at_once_absorb_an_edit_once(
    tmp_path: Path, spawn: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is first makes the log of it; for the others there is nothing left to absorb."""
    folder = tmp_path / "home"
    make_home(folder, OWN_REPOSITORY)
    memory = open_memory(folder)
    memory.append(draft("a"))
    file = folder / "continuity.md"
    file.write_text(file.read_text() + "- Words of mine.\n")
    monkeypatch.chdir(folder)
    with ThreadPoolExecutor() as pool:
        said = list(
            pool.map(
                lambda n: spawn("append", "--title", f"T{n}", "--new", f"id=n{n} N."), range(4)
            )
        )
    assert [one.code for one in said] == [0] * 4, said
    assert "".join(one.err for one in said).count("became the log") == 1
    assert "hand-edited" not in "".join(one.err for one in said)
    assert sorted(line.type for line in memory.log()) == ["edit", *["work"] * 5]
    assert file.read_text() == memory.continuity()
    assert git(folder, "status", "--porcelain") == ""


def test_a_second_edit_while_absorbing_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the person writes after the edit was read is left alone, said, and absorbed the next time."""
    folder = tmp_path / "home"
    make_home(folder, OWN_REPOSITORY)
    memory = open_memory(folder)
    memory.append(draft("a"))
    file = folder / "continuity.md"
    edit(file, ("The text of a.", "A, reworded."))
    remember = absorbing.remember

    def remember_late(*arguments: object) -> None:
        edit(file, ("A, reworded.", "A, reworded again."))
        remember(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(absorbing, "remember", remember_late)
        found = memory.absorb()
    assert {one.code for one in found.findings} == {"hand-edited"}
    assert "A, reworded again." in file.read_text()
    memory.absorb()
    assert memory.state()["a"].fact.text == "A, reworded again."
    assert file.read_text() == memory.continuity()


def test_the_library_refuses_to_write_over_an_edit(tmp_path: Path) -> None:
    """A state that does not hold the edit is never written over it."""
    folder = tmp_path / "home"
    make_home(folder)
    memory: Memory = open_memory(folder)
    memory.append(draft("a"))
    memory.publish()
    edit(copy_in(folder, "in-tree"), ("The text of a.", "A."))
    before = shape(folder)
    with pytest.raises(HandEdited):
        memory.write_projection(memory.state())
    assert shape(folder) == before


@pytest.mark.parametrize("heading", ["Key Decisions", "Open Threads"])
def test_what_was_closed_can_become_something_else(run: Run, file: Path, heading: str) -> None:
    """A tick says nothing of what is never closed: the edit is no different from any other move."""
    assert run("append", "--title", "Done", "--close", "two").code == 0
    assert run("check", "--publish").code == 0
    text = file.read_text()
    start = text.index("- [x] Two?")
    end = text.index("-->\n", start) + len("-->\n")
    moved = text[start:end]
    file.write_text(
        (text[:start] + text[end:]).replace(f"## {heading}\n", f"## {heading}\n\n{moved}")
    )
    assert run("check", "--absorb").code == 0
    assert run("check", "--publish").out.startswith("nothing to do")
    of = {one["id"]: one for one in run("show", "--json").json["facts"]}["two"]
    assert of["text"] == "Two?"
    assert (of["kind"] == "thread") == (heading == "Open Threads"), of
