"""`diurna check --absorb`: what a person edits in the page becomes a log, in each kind of home, once, and nothing of it is lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from ledger.model.ids import version_id as V
from tests.conftest import formed
from tests.world import IN_TREE, KINDS, NAME, OWN_BRANCH, OWN_REPOSITORY, Place, World

FACTS = {"one": "One.", "two": "thread: Two?", "three": "decision: Three."}
REWORD = ("- One.", "- One, at last.")
TICK = ("- [ ] Two?", "- [x] Two?")
ADD = ("## Key Decisions\n", "## Key Decisions\n\n- We use Postgres.\n")
LOOSE = ("## Key Decisions\n", "## Key Decisions\n\nLoose words.\n")
PAGE = "memory/continuity.md"


@pytest.fixture
def home(world: World) -> Place:
    """A home with three facts, published."""
    return world.home(facts=FACTS)


def copy_of(home: Place) -> str:
    """Return the path of the copy that people edit."""
    return (".memory/" if home.kind == OWN_BRANCH else home.prefix) + "continuity.md"


def edit(home: Place, *pairs: tuple[str, str]) -> str:
    """Edit the page; return what it holds then."""
    text = home.read(copy_of(home))
    for old, new in pairs:
        assert text.count(old) == 1, (old, text)
        text = text.replace(old, new)
    home.write(copy_of(home), text)
    return text


def events(answer: object) -> list[tuple[str, str]]:
    return [(one["event"], one["id"]) for one in answer.json["events"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize("branch", ["main", "side"])
def test_absorb_makes_a_log_of_an_edit(home: Place, branch: str) -> None:
    """The plan is what is done; the log is of type `edit` and by the git user; the page says the same, rendered anew."""
    if branch == "side":
        home.git("switch", "-q", "-c", branch)
    text = edit(home, REWORD, TICK, ADD)
    if branch == "main":
        before = home.shape()
        plan = home.run("check", "--absorb", "--dry-run").json
        assert (plan["dry_run"], plan["stem"], plan["commit"]) == (True, "", "")
        assert plan["events"][1:] == [
            {"event": "Updated", "id": "one", "text": "One, at last.", "mark": "", "meta": {}, "was": [V("One.")]},
            {"event": "Closed", "id": "two", "was": [V("Two?")]},
        ]  # fmt: skip
        told = home.run("check", "--publish", "--dry-run", json=False)
        assert told.err.endswith("would become a log, Created: saguvu; Updated: one; Closed: two\n")  # fmt: skip
        assert (home.shape(), home.read(PAGE)) == (before, text)
    ran = home.run("check", "--absorb", json=False)
    assert formed(ran.out) == (
        f"STEM  committed in COMMIT on {branch}\nCreated     saguvu (decision): We use Postgres.\n"
        "Updated     one: One, at last.\nClosed      two\n"
    )
    newest = home.run("log", "-n", "1").json["sessions"][0]
    assert (newest["type"], newest["agent"], ran.err) == ("edit", NAME, "")
    assert home.read(PAGE) == home.page()
    for said in ("- One, at last.\n", "- [x] Two?\n", "- We use Postgres.\n"):
        assert said in home.page()
    status = home.git("status", "--porcelain")
    assert status == ("" if branch == "main" else f" M {PAGE}"), "published on the trunk alone"
    again = home.run("check", "--absorb").json
    assert (again["file"], again["events"], again["stem"]) == ("", [], "")
    home.run("check", "--publish")
    assert home.git("status", "--porcelain") == "" and home.check("--ci") == []


def test_what_is_not_understood_is_named_and_stays(home: Place) -> None:
    """File, line and hint; nothing changes, not even what was understood beside it."""
    text = edit(home, LOOSE, REWORD, ("- [ ] Two?", "- Two?"))
    before, lines = home.shape(), text.split("\n")
    loose, two = lines.index("Loose words.") + 1, lines.index("- Two?") + 1
    for command in ("--absorb", "--absorb --dry-run", "--publish", "--replay --write"):
        error = home.run("check", *command.split(), code=1).json["error"]
        assert (error["code"], error["where"]) == ("EditNotUnderstood", f"continuity.md:{loose}")
        assert [one["line"] for one in error["findings"]] == [loose, two]
    said = home.run("check", "--absorb", code=1, json=False).err
    assert (
        f": continuity.md:{loose}: this text is no part of a fact (and 1 more)\nhint: write it as a bullet"
        in said
    )
    assert f"also: continuity.md:{two}: the thread two has lost its checkbox\nhint: " in said
    assert (home.shape(), home.read(PAGE)) == (before, text)


def test_publish_and_replay_absorb_by_themselves(world: World) -> None:
    """Both say which log the edit became."""
    home = world.home(facts=FACTS, policy={"publish": "review"})
    home.run("check", "--publish")
    for pair, command, did in (
        (REWORD, "--publish", "Updated: one"),
        (TICK, "--replay --write", "Closed: two"),
    ):
        edit(home, pair)
        told = home.run("check", *command.split(), json=False).err
        assert formed(told).startswith(
            f"info: the edit of continuity.md became the log STEM, {did}\n"
        )
    assert home.read(PAGE) == home.page() and "- [x] Two?" in home.page()


def test_an_edited_archive_page_is_not_absorbed(home: Place) -> None:
    """It is refused, and the page waits for it."""
    home.session("U", "--invalidate", "three")
    home.run("check", "--publish")
    page = next((home.folder / "memory/archive").glob("*-Q*.md"))
    page.write_text(page.read_text() + "\n- Mine.\n")
    edit(home, REWORD)
    before = home.shape()
    for option in ("--absorb", "--publish"):
        refused = home.run("check", option, code=1)
        assert (
            refused.said == "HandEdited"
            and f"archive/{page.name} was edited by hand" in refused.err
        )
    assert home.shape() == before


def test_another_file_in_its_place_is_refused(home: Place) -> None:
    """A link, a file that was emptied, and one that was made from something else change nothing."""
    text = home.read(PAGE)
    for put, said in (
        ("", "the last line of the file is missing, and so is "),
        (text.replace("digest: ", "digest: 0").replace("One.", "Un."), "this text is in no log"),
    ):
        home.write(PAGE, put)
        refused = home.run("check", "--absorb", code=1)
        assert said in refused.err and "\nhint: " in refused.err and home.read(PAGE) == put
    page = home.folder / PAGE
    page.unlink()
    page.symlink_to(home.folder / "code.py")
    assert "continuity.md is a link, and was not read" in home.run("check", "--absorb", code=1).err
    assert page.is_symlink() and "print" in home.read("code.py")


@pytest.mark.parametrize("late", [False, True])
def test_the_base_is_what_was_edited_however_old(world: World, late: bool) -> None:
    """Logs that came meanwhile are no part of the edit, nor older ones that a merge brought; nobody's word is lost."""
    home = world.home(facts=FACTS, policy={"publish": "review"})
    if late:
        home.git("switch", "-q", "-c", "side")
    home.note("id=four Four.")
    if late:
        home.git("switch", "-q", "main")
        home.clock.go(seconds=60)
        home.note("id=five Five.")
    home.run("check", "--replay", "--write")
    edit(home, REWORD)
    if late:
        home.git("merge", "-q", "--no-edit", "side")
    else:
        home.session("V", "--new", "id=five Five.", "--update", "one", "Un.")
        (home.common / "diurna/written").unlink()  # it can be deleted
    assert events(home.run("check", "--absorb")) == [("Updated", "one")]
    assert home.read(PAGE) == home.page()
    both = () if late else ("- Un.\n", "**Contradiction**: 2 versions")
    for said in ("- Four.\n", "- Five.\n", "- One, at last.\n", *both):
        assert said in home.page()


def test_a_contradiction_is_settled_by_editing(world: World) -> None:
    """Leaving the text that holds is enough."""
    home = world.home(facts=FACTS, policy={"publish": "review"})
    home.run("check", "--publish")
    edit(home, REWORD)
    home.session("V", "--update", "one", "Un.")
    home.run("check", "--absorb")
    text = home.read(PAGE)
    start, end = text.index("- **Contradiction**"), text.index("  <!-- id: one")
    home.write(PAGE, text[:start] + "- Un et demi.\n" + text[end:])
    home.run("check", "--absorb")
    assert "## Contradictions" not in home.read(PAGE) and home.texts()["one"] == "Un et demi."


@pytest.mark.parametrize("heading", ["Key Decisions", "Open Threads"])
def test_what_was_closed_can_become_something_else(home: Place, heading: str) -> None:
    """A tick says nothing of what is never closed: the edit is no different from any other move."""
    home.session("Done", "--close", "two")
    home.run("check", "--publish")
    text = home.read(PAGE)
    start = text.index("- [x] Two?")
    end = text.index("-->\n", start) + len("-->\n")
    rest = text[:start] + text[end:]
    home.write(PAGE, rest.replace(f"## {heading}\n", f"## {heading}\n\n{text[start:end]}"))
    home.run("check", "--absorb")
    assert home.run("check", "--publish").json["files"] == []
    fact = home.show()["two"]
    assert (fact["text"], fact["kind"] == "thread") == ("Two?", heading == "Open Threads")


def test_a_merge_in_progress_is_no_time_to_absorb(home: Place) -> None:
    """Nothing changes until it is finished; and in a bare clone nobody edits."""
    text = edit(home, REWORD)
    merging = home.write(
        ".git/MERGE_HEAD", home.git("commit-tree", "HEAD^{tree}", "-m", "not merged yet")
    )
    assert "merge is in progress" in home.run("check", "--absorb", code=1).err
    assert home.read(PAGE) == text
    merging.unlink()
    home.git("clone", "-q", "--bare", ".", "../bare.git")
    assert home.run("--home", "../bare.git", "check", "--absorb").json["file"] == ""
    assert events(home.run("check", "--absorb")) == [("Updated", "one")]


@pytest.mark.parametrize("kind", [IN_TREE, OWN_REPOSITORY])
def test_an_edit_that_was_committed_is_absorbed_too(world: World, kind: str) -> None:
    """`git commit -a` is what people do; what is edited on top of it counts from Diurna's own version."""
    home = world.home(kind, facts=FACTS)
    edit(home, REWORD)
    home.commit_all()
    clone = home.fork("clone")
    home.note("id=b B.")
    home.run("check", "--publish")
    assert home.texts()["one"] == "One, at last." and home.read(copy_of(home)) == home.page()
    logs = home.run("log").json["sessions"]
    assert sorted(log["type"] for log in logs) == ["edit", "work", "work"]
    clone.write(copy_of(clone), clone.read(copy_of(clone)) + "- More words.\n")
    answer = clone.run("check", "--absorb")
    assert [event for event, _ in events(answer)] == ["Created"]
    edits = [one["agent"] for one in clone.run("log").json["sessions"] if one["type"] == "edit"]
    assert edits == [NAME, NAME]  # the commit is a log of its own, by its author
    assert clone.texts()["one"] == "One, at last." and clone.read(copy_of(clone)) == clone.page()


def test_what_another_clone_published_is_no_edit(world: World) -> None:
    """Neither its logs nor a change of the policy is a person's edit of the page."""
    one = world.home(OWN_REPOSITORY, "one", facts=FACTS)
    two = one.fork("two")
    two.note("id=b B.")
    two.plant(
        {
            "diurna.toml": two.show_file("diurna.toml").decode()
            + "\n[kinds.fact]\nsection = 'Facts'\ndecays = false\n"
        }
    )
    two.run("check", "--publish")
    one.git("pull", "-q", "../two", "main")
    assert one.run("check", "--absorb").json["file"] == ""
    one.note("id=c C.")
    assert {line["type"] for line in one.run("log").json["sessions"]} == {"work"}


@pytest.mark.deep(but="own-branch")
@pytest.mark.parametrize("kind", KINDS)
def test_a_day_of_edits_and_appends(world: World, kind: str) -> None:
    """Person and agent take turns; both are in the ledger, the copy is in step, and git is clean."""
    home = world.home(kind, facts={"a": "The text of a."})
    edit(home, ("The text of a.", "A, reworded."))
    home.note("id=b The text of b.")
    home.run("check", "--publish")
    text = home.read(copy_of(home))
    assert text == home.page()
    cut = text[: text.index("- A, reworded")] + text[text.index("- The text of b") :]
    home.write(copy_of(home), cut.replace("\n", "\r\n"))
    assert events(home.run("check", "--absorb")) == [("Invalidated", "a")]
    home.run("check", "--publish")
    assert home.read(copy_of(home)) == home.page() and home.git("status", "--porcelain") == ""
    fact = home.show("a")["a"]
    assert (fact["text"], bool(fact["invalidated"])) == ("A, reworded.", True)
    types = sorted(line["type"] for line in home.run("log").json["sessions"])
    assert types == ["edit", "edit", "work", "work"] and home.check("--ci") == []


@pytest.mark.deep(but="own-repository")
@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_loses_and_doubles_nothing(world: World, kind: str) -> None:
    """Whenever an absorb dies, the edit is in the page or in a log, and the next one says it once."""
    home = world.home(kind, facts={"a": "The text of a."})
    copy = copy_of(home)
    home.write(copy, home.read(copy) + "- Words of mine.\n")
    trial = home.fork("trial")
    steps = trial.steps("check", "--absorb")
    durable = [
        at
        for at, line in enumerate(steps, 1)
        if line.startswith(("replace", "link", "git update-ref"))
    ]
    for number, step in enumerate(durable[:: (len(durable) + 1) // 2]):
        there = home.fork(f"killed-{number}")
        there.at_step(step, "die", "check", "--absorb", behind=bool(number % 2))
        there.note("id=next Next.")
        there.run("check", "--publish")
        assert there.read(copy) == there.page() and there.waiting() == []
        assert sorted(there.texts().values()) == ["Next.", "The text of a.", "Words of mine."], (
            steps[step - 1]
        )


def test_an_edit_beside_agents_that_append_is_absorbed_once(world: World) -> None:
    """None of them touches the page; what is published next makes the log of it."""
    home = world.home(OWN_REPOSITORY, facts={"a": "The text of a."})
    home.write("continuity.md", home.read("continuity.md") + "- Words of mine.\n")
    children = [
        home.spawn(
            "append",
            "--title",
            f"T{n}",
            "--new",
            f"id=n{n} N.",
            env={"DIURNA_NOW": str(home.clock.now_ms + n)},
        )
        for n in range(3)
    ]
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda child: child.communicate(), children))
    said = "".join(str(one) for one in done)
    assert "hand-edited" not in said
    assert home.run("check", "--publish", json=False).err.count("became the log") == 1
    types = sorted(line["type"] for line in home.run("log").json["sessions"])
    assert types == ["edit", *["work"] * 4] and home.read("continuity.md") == home.page()
    assert home.git("status", "--porcelain") == ""
