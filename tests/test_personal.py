"""What is only one person's: a home of their own, and no door by which it comes into a shared one (DURABILITY.md)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import DraftRefused
from ledger.model.event import FactCreated
from memory import Memory, SessionDraft
from tests.conftest import each_row, examples, holders
from tests.world import IN_TREE, KINDS, Place, World, sealed

#: Begins every word of what is only the user's, and stands in nothing else.
WORD = "Quillfeather"
_LOG = f"# T\n\n## Memory References\n\n- Created: m\n\n## Facts\n\n- {WORD}.\n  <!-- id: m | personal: true -->\n"


@pytest.fixture(autouse=True)
def data(world: World, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for a user's data; nothing is in it yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(world.folder / "data"))
    return world.folder / "data" / "diurna" / "personal"


@pytest.fixture
def shop(world: World) -> Place:
    """A home that others share."""
    return world.home(IN_TREE, "shop", facts={"ship": "decision: We ship."})


@pytest.fixture
def own(world: World, shop: Place, data: Path) -> Place:
    """A personal home with one fact."""
    shop.run("init", "--personal")
    shop.note(f"id=qf-tabs preference: {WORD} likes tabs.", "--personal")
    own = world.place("data/diurna/personal")
    own.git("config", "user.name", "Ada")
    own.git("config", "user.email", "ada@example.invalid")
    return own


def shared(home: Place) -> list[str]:
    """Return what holds a word of the user's in a home that others share."""
    return [*holders(home.folder, WORD), *holders(home.folder, "qf-tabs")]


# ---- the home ------------------------------------------------------------------------------------------


def test_made_anywhere_and_once(world: World, shop: Place, data: Path) -> None:
    """Outside of any repository, for its user's eyes; it says what it is, is made once, and changes nothing here."""
    before, nowhere = shop.shape(), world.place("nowhere")
    nowhere.folder.mkdir()
    planned = nowhere.text("init", "--personal", "--dry-run")
    assert planned.startswith(f"would make a git repository in {data}\nwould commit diurna.toml\n")
    assert not data.exists()
    refused = shop.run("show", "--home", "personal", code=1)
    assert "`diurna init --personal` makes one" in refused.err
    assert nowhere.text("init", "--personal").startswith(f"made a git repository in {data}\n")
    assert data.stat().st_mode & 0o777 == data.parent.stat().st_mode & 0o777 == 0o700
    assert "\npersonal = true  #" in (data / "diurna.toml").read_text()
    assert shop.text("init", "--personal") == f"nothing to do: {data} has a home\n"
    shop.note("id=tabs preference: Tabs, not blanks.", "--home", "personal")
    assert shop.shape() == before and "Tabs" not in shop.page()
    (shop.folder / "personal").mkdir()
    assert shop.text("show", env={"DIURNA_HOME": "personal"}).startswith(
        "# Continuity — personal\n"
    )
    assert shop.text("show", "--home", "./personal").startswith("# Continuity — shop\n")


def test_a_home_directory_in_git(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who keeps a whole home directory in git gets a repository in it, of which that one holds nothing."""
    outer = world.repository("outer")
    monkeypatch.setenv("XDG_DATA_HOME", str(outer.folder / ".local/share"))
    outer.run("init", "--personal")
    outer.git("add", "-A")
    assert "diurna.toml" not in outer.git("ls-files")


@each_row(
    "words, code, said",
    [
        (["init", "--personal", "--branch", "x"], 2, "has its own place"),
        (["init", "--personal", "folder"], 2, "has its own place"),
        (["note", "Naps.", "--personal", "--home", "."], 2, "--personal and --home name two homes"),
        (["note", "Naps.", "--home", ".", "--personal"], 2, "--personal and --home name two homes"),
        (["review", "--confirm", "personal/qf-tabs"], 1, "qf-tabs with `--home personal` names the fact"),
    ],
)  # fmt: skip
def test_its_place_is_given(
    own: Place, shop: Place, words: list[str], code: int, said: str
) -> None:
    """It is in no other folder and on no branch, and no other home is written to beside it."""
    before, tip = shop.shape(), own.tip()
    assert said in shop.run(*words, code=code).err
    assert (shop.shape(), own.tip()) == (before, tip)


def test_a_home_that_is_not_personal_stays(world: World, shop: Place, data: Path) -> None:
    """One that somebody made in its place is not taken for it; a policy elsewhere that says so means nothing."""
    world.folder.joinpath("data/diurna").mkdir(parents=True)
    shop.run("init", str(data))
    assert "has a home that is not personal" in shop.run("init", "--personal", code=1).err
    policy = shop.show_file("diurna.toml").decode()
    shop.plant(
        {"diurna.toml": policy.replace("\n\n[windows]", "\npersonal = true\n\n[windows]", 1)}
    )
    assert "only one person's" in shop.run("note", "personal=true A cat.", code=1).err


def test_a_brief_shows_the_top_of_it(shop: Place, own: Place) -> None:
    """Some facts of it stand in a brief, each under the name of its home, within the budget; it is kept in it alone."""
    ways = [f"id=way-{at} salience={at + 1} preference: Way {at}." for at in range(7)]
    shop.note(*ways, "--personal")
    for form in ((), ("--json",)):
        text = shop.run("brief", *form, "--budget", "2500", json=False).out
        assert len(text) <= 2500
        assert [f"personal/way-{number}" in text for number in range(7)] == [False] * 3 + [True] * 4
        assert text.index("personal/way-6") < text.index("personal/way-3")
        assert "Yours, in no shared memory" in text and "We ship" in text
    kept = ("brief", "--agent", "codex")
    assert "Way 6" in shop.process(*kept, json=False).out and holders(shop.folder, "Way 6") == []
    shop.run("append", "--home", "personal", "--title", "T", "--update", "way-6", "Way six.")
    assert "Way six." in shop.process(*kept, json=False).out
    shop.run("redact", "ship", "--reason", "A name.")
    assert holders(own.folder, "We ship") == []


def test_recall_asks_it_when_told(shop: Place, own: Place) -> None:
    """With `--yours` its hits stand beside those of the home, under its name; else no search knows of it."""
    shop.note("id=indent decision: Code is indented with tabs and never blanks.")
    both = shop.run("recall", "--yours", "tabs").json
    assert [one["id"] for one in both["facts"]] == ["indent", "personal/qf-tabs"]
    for words in (["tabs"], ["tabs", "-n", "50", "--level", "full"]):
        assert WORD not in shop.text("recall", *words)
    assert WORD in shop.text("recall", "--ids", "personal/qf-tabs") + shop.text(
        "show", "personal/qf-tabs"
    )
    assert holders(shop.folder, f"{WORD} likes") == []


def test_recall_says_that_there_is_none(shop: Place) -> None:
    """Who has no home of their own is told how to make one, and answered all the same."""
    ran = shop.run("recall", "ship", "--yours", json=False)
    assert "ship" in ran.out and "`diurna init --personal` makes one" in ran.err


def test_a_sync_sends_it_only_when_told(world: World, shop: Place, own: Place) -> None:
    """A remote of it gets nothing by a plain sync; all with `--push` or `push = true`."""
    hub = world.hub("own.git")
    own.git("remote", "add", "origin", str(hub.folder))
    kept = shop.run("sync", "--home", "personal", json=False)
    assert "1 log, only yours, not sent; `diurna sync --home personal --push`" in kept.err
    assert hub.git("for-each-ref") == ""
    assert shop.text("sync", "--home", "personal", "--push").startswith("sent  1 log")
    shop.note(f"preference: {WORD} in blue.", "--personal")
    assert shop.run("sync", "--home", "personal").json["kept"] == 1
    assert holders(hub.folder, "likes tabs") and not holders(hub.folder, "in blue")
    policy = own.read("diurna.toml")
    own.plant({"diurna.toml": policy.replace("# push    = true", "push = true")})
    shop.run("sync", "--home", "personal")
    assert holders(hub.folder, "in blue")


def test_another_machine_of_the_user_joins(
    world: World, shop: Place, own: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = world.hub("own.git")
    own.git("remote", "add", "origin", str(hub.folder))
    own.git("push", "-q", "origin", "main")
    shop.note(f"preference: {WORD} in blue.", "--personal")
    monkeypatch.setenv("XDG_DATA_HOME", str(world.folder / "laptop"))
    laptop = world.place("laptop/diurna/personal")
    shop.git("clone", "-q", str(hub.folder), str(laptop.folder))
    shop.run("init", "--personal")
    shop.note(f"preference: {WORD} in red.", "--personal")
    shop.run("sync", "--home", "personal", "--push")
    monkeypatch.setenv("XDG_DATA_HOME", str(world.folder / "data"))
    shop.run("sync", "--home", "personal")
    wanted = {f"{WORD} {what}." for what in ("likes tabs", "in blue", "in red")}
    assert wanted <= set(own.texts().values())


# ---- every door ------------------------------------------------------------------------------------------


def test_all_that_is_born_there_says_so(shop: Place, own: Place) -> None:
    """Also what somebody wrote into its page."""
    own.write("continuity.md", own.read("continuity.md") + "\n## Facts\n\n- The bikes are blue.\n")
    shop.run("check", "--absorb", "--home", "personal")
    page = own.text("show")
    assert set(own.texts().values()) == {f"{WORD} likes tabs.", "The bikes are blue."}
    assert page.count("personal: true") == 2


def test_a_mixed_request_becomes_two_logs(shop: Place, own: Place) -> None:
    """The user's facts, and what is said of those, go home; title, prose and the rest stay; both are said."""
    done = shop.run(
        "append", "--title", "Ship it", "--body", "-", "--ref", "personal/qf-tabs", "--new", "decision: We ship more.",
        "--new", f"personal=true preference: {WORD} ships on Mondays.", stdin="We shipped.\n",
    )  # fmt: skip
    assert "personal-log" in done.codes()
    assert set(shop.texts().values()) == {"We ship.", "We ship more."}
    assert set(own.texts().values()) == {f"{WORD} likes tabs.", f"{WORD} ships on Mondays."}
    assert shared(shop) == holders(own.folder, "We shipped") == []


def test_what_is_said_of_it_goes_where_it_is(shop: Place, own: Place) -> None:
    """`personal/ID` means the fact there, and an id without it the one here."""
    before = shop.shape()
    shop.run("append", "--title", "Anew", "--update", "personal/qf-tabs", f"{WORD} likes blanks.")
    shop.run("append", "--title", "Used it", "--ref", "personal/qf-tabs")
    assert own.show("qf-tabs")["qf-tabs"]["uses"] == 3
    assert own.texts() == {"qf-tabs": f"{WORD} likes blanks."} and shop.shape() == before
    assert shop.run("append", "--title", "T", "--invalidate", "qf-tabs", code=1).said
    shop.note("id=qf-tabs decision: The mine is closed.")
    shop.run("append", "--title", "T", "--update", "qf-tabs", "The mine is open.")
    assert (
        shop.texts()["qf-tabs"] == "The mine is open."
        and own.texts()["qf-tabs"] == f"{WORD} likes blanks."
    )


def by_mcp(shop: Place) -> Any:
    pytest.importorskip("mcp")
    import anyio

    from tests.mcp_clients import connected, open_home
    from tests.world import Answer

    said: list[Answer] = []

    async def story() -> None:
        async with connected(shop.folder, open_home) as client:
            new = [{"text": "We sell."}, {"text": f"{WORD} naps.", "footers": {"personal": "true"}}]
            result = await client.call_tool("append", {"title": "T", "new": new})
            said.append(Answer(int(bool(result.is_error)), result.model_dump_json(), ""))

    anyio.run(story)
    return said[0]


_NEW = f"personal=true preference: {WORD} naps."
_JSON = json.dumps(
    {"title": "T", "new": [{"text": f"{WORD} naps.", "footers": {"personal": "true"}}]}
)
WAYS: dict[str, Callable[[Place], Any]] = {
    "note": lambda shop: shop.run("note", _NEW, code=None),
    "options": lambda shop: shop.run("append", "--title", "T", "--new", _NEW, code=None),
    "json": lambda shop: shop.run("append", "--from-json", "-", stdin=_JSON, code=None),
    "file": lambda shop: shop.process("append", "-", stdin=_LOG.encode(), code=None, json=False),
    "mcp": by_mcp,
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_is_parted_and_refused_without_a_home_for_it(shop: Place, way: str) -> None:
    """Without a home of their own nothing changes, and the hint says how to have one; with it, it goes there."""
    before = shop.shape()
    ran = WAYS[way](shop)
    assert ran.code == 1 and "only one person's" in ran.out + ran.err
    assert way == "mcp" or "`diurna init --personal` makes one" in ran.err
    assert shop.shape() == before and holders(shop.common, WORD) == []
    shop.run("init", "--personal")
    ran = WAYS[way](shop)
    assert ran.code == 0 and "personal" in ran.out + ran.err
    assert shared(shop) == [] and WORD in shop.text("show", "--home", "personal")


@pytest.mark.parametrize("kind", KINDS)
def test_the_library_refuses_it(world: World, kind: str) -> None:
    """No draft gets past the door, asked or held; a value is taken at its worst, and surely no is no."""
    home = world.home(kind, "theirs")
    with_it = [
        SessionDraft("T", events=(FactCreated("m", f"{WORD}.", "", (("personal", value),)),))
        for value in ("true", "yes", "TRUE", "Quillfeather")
    ]
    before, memory = home.shape(), Memory.open(str(home.folder))
    ways: list[Callable[[SessionDraft], object]] = [memory.append, memory.hold]
    for draft in with_it:
        for way in ways:
            with pytest.raises(DraftRefused, match="only one person's"):
                way(draft)
    assert home.shape() == before and holders(home.folder, WORD) == []
    no = FactCreated("m", "No.", "", (("personal", "false"),))
    assert memory.append(SessionDraft("T", events=(no,), type="import")).stem
    memory.close()


@each_row(
    "words, stdin",
    [
        (["append", "--title", "T", "--body", "-", "--new", f"personal=true {WORD} likes short answers."],
         f"As {WORD} likes short answers. So be it.\n"),  # prose does not carry it over
        (["append", "--title", "T", "--close", "nobody", "--new", f"personal=true {WORD} naps."], ""),
    ],
)  # fmt: skip
def test_of_two_logs_neither_is_written_where_one_can_not_be(
    shop: Place, own: Place, words: list[str], stdin: str
) -> None:
    """Words of a log that repeat what is only the user's are refused, with all of the request."""
    before, tip = shop.shape(), own.tip()
    shop.run(*words, stdin=stdin, code=1)
    assert (shop.shape(), own.tip()) == (before, tip)


def test_an_edit_of_the_page_is_said_and_not_absorbed(shop: Place) -> None:
    """A bullet that a person marks as personal makes no log: in the work tree, and committed."""
    shop.run("check", "--publish")
    page = shop.read("memory/continuity.md")
    shop.write("memory/continuity.md", page.replace("| tier:", "| personal: true | tier:"))
    assert shop.read("memory/continuity.md") != page
    assert "ship is only one person's" in shop.run("check", "--absorb", code=1).err
    shop.git("commit", "-qam", "by hand")
    assert "ship is only one person's" in shop.run("check", "--ci").out
    shop.session("Next", "--ref", "ship")
    assert not any(b"personal: true" in data for data in shop.logs().values())


def test_what_waits_with_it_goes_on_waiting(shop: Place) -> None:
    """A log that another program left in the spool is not committed, and keeps nothing else from it."""
    data = _LOG.encode()
    stem = f"2026-11-21-083000000-{sealed(data)}"
    spool = shop.common / "diurna" / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    (spool / stem).write_bytes(data)
    ran = shop.run("note", "decision: We ship more.", json=False)
    assert f"{stem} goes on waiting" in ran.err and (spool / stem).exists()
    assert "We ship more." in shop.texts().values() and stem not in shop.logs()


def test_what_history_has_is_named_until_it_is_redacted(shop: Place) -> None:
    """A log that came by git is read as it is."""
    shop.plant({"sessions/2026-11-20-101500.md": _LOG})
    for options in (["--ci"], []):
        ran = shop.run("check", *options, code=1)
        assert "m is only one person's" in ran.out
    shop.run("redact", "m", "--reason", "Private.")
    assert "m is only one person's" not in shop.run("check", "--ci", code=None).out


def test_no_import_takes_it_in(world: World, shop: Place, own: Place) -> None:
    """Neither events of the personal home, nor the page of another tool; both stay to the byte."""
    lines = shop.text("export", "--home", "personal", "events")
    before = shop.shape()
    assert "only one person's" in shop.run("import", "events", "-", stdin=lines, code=1).err
    assert shop.shape() == before and holders(shop.common, WORD) == []
    bare = world.repository("bare")
    bare.write("memory/continuity.md", f"# Continuity\n\n## Key Decisions\n\n- {WORD} likes tea.\n"
               "  <!-- id: tea | created: 2026-01-01 | personal: true -->\n")  # fmt: skip
    bare.commit_all("theirs")
    before = bare.shape()
    assert "tea is only one person's" in bare.run("import", "ledger", ".", "--write", code=1).err
    assert bare.shape() == before


# ---- the law -----------------------------------------------------------------------------------------------


def do(day: list[Place], planted: list[str], folder: Path, what: str) -> None:
    """Do one thing of a day in the first of two clones; remember each word of the user's that was taken."""
    here, word = day[0], f"{WORD}{len(planted)}x"
    plant: dict[str, list[str]] = {
        "yours": ["note", "--personal", f"preference: {word} at noon."],
        "mixed": ["append", "--title", "Both", "--new", f"Door {word[12:]} is wide.",
                  "--new", f"personal=true preference: {word} in blue.", "--ref", "personal/mine"],
        "update": ["append", "--title", "T", "--update", "mine", f"{word} likes tabs."],
        "file": ["append", "-"],
    }  # fmt: skip
    if what in plant:
        log = _LOG.replace(f"- {WORD}.", f"- {word} is mine.").replace(
            "id: m ", f"id: m-{len(planted)} "
        )
        log = log.replace("Created: m", f"Created: m-{len(planted)}")
        if here.run(*plant[what], stdin=log, code=None).code == 0:
            planted.append(word)
    elif what == "switch":
        day.reverse()
    elif what == "take":
        lines = here.text("export", "--home", "personal", "events")
        here.run("import", "events", "-", stdin=lines, code=1)
    elif what == "start":
        given = {
            "session_id": "s1",
            "cwd": str(here.folder),
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
        assert (
            WORD
            in here.process(
                "hook", "claude", "SessionStart", stdin=json.dumps(given).encode(), json=False
            ).out
        )
    else:
        words = {
            "note": ["note", f"decision: Queue {here.clock.now_ms} is drained."], "vault": ["export", "vault", str(folder)],
            "brief": ["brief"], "review": ["review", "--yes"], "recall": ["recall", "--yours", f"{WORD}*"],
            "repeat": ["append", "--body", "-", "--new", f"personal=true {WORD} repeats it."],
            "publish": ["check", "--publish"], "sync": ["sync"],
        }  # fmt: skip
        here.run(*words[what], stdin=f"{WORD} repeats it.", code=None, json=False)


def test_no_page_of_this_machine_tells_it(shop: Place, own: Place) -> None:
    """Neither a list, a search nor the address of a fact: pages are read over HTTP."""
    pytest.importorskip("starlette")
    from tests.web_client import client_of

    pages = client_of(shop.folder).login()
    for address in (
        "/",
        "/facts",
        f"/search?q={WORD}",
        "/fact/qf-tabs",
        "/fact/personal/qf-tabs",
        "/review",
        "/timeline",
    ):
        assert "likes tabs" not in pages.get(address).text, address


@pytest.mark.deep(but="mixed")
@pytest.mark.parametrize("first", ["mixed", "any"])
def test_no_shared_place_ever_holds_it(
    tmp_path_factory: pytest.TempPathFactory, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is done in two clones: neither a file nor an object of them, of the remote, or of a vault; and theirs has all."""
    doings = "note yours mixed file update repeat start brief take vault review recall switch sync publish".split()

    @settings(
        max_examples=examples(4) if first == "any" else 1,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(
        st.lists(st.sampled_from(doings), min_size=5, max_size=8)
        if first == "any"
        else st.just(["mixed", "brief"])
    )
    def law(done: list[str]) -> None:
        with (
            World(tmp_path_factory.mktemp("day"), kept=("XDG",)) as world,
            monkeypatch.context() as patch,
        ):
            patch.setenv("XDG_DATA_HOME", str(world.folder / "data"))
            team = world.folder / "team"
            team.mkdir()
            shop, other = world.team(IN_TREE, "other")
            day, planted = [shop, other], [f"{WORD}x0"]
            shop.run("init", "--personal")
            shop.note(f"id=mine preference: {planted[0]} likes tabs.", "--personal")
            for what in (*done, "brief", "sync"):
                do(day, planted, team / "vault", what)
            for place in (shop.folder, other.folder, world.folder / "hub.git", team):
                assert holders(place, WORD) == [], done
            assert all(holders(world.folder / "data", word) for word in planted)

    law()
