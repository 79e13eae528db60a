"""Paths and names that a commit took away are marked with it in every answer; nothing else is marked (R4, R12)."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from tests.conftest import Repo
from tests.host_door import Door
from tests.mcp_clients import ask, connected, open_home
from tests.world import IN_TREE, Place, World

FOLDERS = ("api", "billing", "core", "jobs")
#: How people speak of a file.
WAYS = (
    "decision: Retries of webhooks are counted in `{0}`.", "invariant: Keep {0} free of imports.",
    "convention: What `{0}` exports is documented there.", "fact: The limits are read by `{0}:12` at the start.",
    "stack: `{1}` holds the schema.",
)  # fmt: skip


def body(number: int) -> str:
    """Return a file that no other one is like."""
    return "".join(f"line {number} {at * number}\n" for at in range(20))


def look(home: Place) -> dict[str, dict[str, str]]:
    """Let what is due be done; return the marks of facts by their ids."""
    home.aside()
    return told(home)


def told(home: Place) -> dict[str, dict[str, str]]:
    """Return the first mark of each marked fact."""
    return {id: fact["marks"][0] for id, fact in home.show().items() if fact["marks"]}


def drop(home: Place, *paths: str) -> str:
    """Take files away; return the commit in short."""
    home.git("rm", "-q", *paths)
    home.commit_all("Take it away")
    return home.git("rev-parse", "--short=7", "HEAD")


@pytest.fixture
def home(world: World) -> Place:
    """A home with code, and facts about a file that is gone, a moved one, a name that is gone, and what is there."""
    world.laid("a home with marks", change)
    return world.place("a")


def change(world: World) -> None:
    home = world.home(IN_TREE)
    home.write("src/pay.py", body(3))
    home.write("src/mail.py", body(5))
    home.write("src/shop.py", "def charge_card(sum):\n    return sum\n")
    home.commit_all("Begin")
    home.note(
        "id=gone decision: Walrus payments are checked in `src/pay.py` before the order is kept.",
        "id=moved decision: Walrus mail goes out through `src/mail.py`, never by hand.",
        "id=named decision: Walrus cards are charged by `charge_card()` alone.",
        "id=holds decision: Walrus code begins in `code.py`.",
    )
    home.git("rm", "-q", "src/pay.py")
    (home.folder / "lib").mkdir()
    home.git("mv", "src/mail.py", "lib/post.py")
    home.write("src/shop.py", "def pay(sum):\n    return sum\n")
    home.commit_all("Take it away")


def test_every_answer_says_so(home: Place) -> None:
    """With commit and day, a moved one with its path now; what holds is not marked."""
    marks = look(home)
    commit = home.git("rev-parse", "--short=7", "HEAD")
    found = {
        id: (one["code"], one["subject"], one["commit"], one["now"]) for id, one in marks.items()
    }
    assert found == {
        "gone": ("gone", "src/pay.py", commit, ""),
        "moved": ("renamed", "src/mail.py", commit, "lib/post.py"),
        "named": ("nowhere", "charge_card", commit, ""),
    }
    said = f"(src/pay.py is gone since {commit}, {marks['gone']['date']})"
    for command in (
        ("recall", "walrus payments"), ("recall", "--ids", "gone"), ("recall", "--ids", "gone", "--level", "timeline"),
        ("show", "--list"), ("why", "gone"), ("brief",), ("brief", "--task", "check the walrus payments"),
    ):  # fmt: skip
        assert said in home.text(*command), command
    assert f"| marks: {said[1:-1]} -->" in home.text("show", "gone")
    assert "marks:" not in home.text("show", "holds")
    hits: list[Any] = home.run("recall", "walrus").json["hits"]
    assert {one["id"]: [mark["subject"] for mark in one["marks"]] for one in hits}["holds"] == []
    lines = [line for line in home.text("brief").split("\n") if line[:2] == "- "]
    assert lines[0].startswith("- holds")
    sections = home.run("brief").json["sections"]
    facts = {one["id"]: one for section in sections for one in section["facts"]}
    assert facts["moved"]["marks"][0]["now"] == "lib/post.py" and "marks" not in facts["holds"]


def test_a_mark_ends_with_the_text_and_with_what_came_back(home: Place) -> None:
    """At once, before anybody looks anew: reworded, redacted, answered, or the path is in the work tree again."""
    assert set(look(home)) == {"gone", "moved", "named"}
    home.write("src/pay.py", "pass\n")
    assert set(told(home)) == {"moved", "named"}
    home.session("New", "--update", "moved", "Walrus mail goes by post.")
    assert set(told(home)) == {"named"}
    home.run("redact", "named", "--reason", "private", "--yes")
    assert told(home) == {}
    kept = home.common / "diurna" / "cache"
    assert not [one for one in kept.iterdir() if b"charge_card" in one.read_bytes()]


def test_a_review_that_a_person_answered_marks_no_more(home: Place) -> None:
    """What was closed as answered."""
    look(home)
    home.run("review", "--yes")
    (thread,) = (id for id, fact in home.show().items() if fact["meta"].get("about") == "gone")
    assert "gone" in told(home)
    home.run("close", thread)
    assert "gone" not in look(home)


def test_planted_drifts_are_marked_with_their_commit(world: World) -> None:
    """Of facts about files a third were removed and a third moved; each says by which commit, the others nothing."""
    home = world.home(IN_TREE)
    paths = [f"src/{FOLDERS[number % 4]}/part_{number}.py" for number in range(30)]
    for number, path in enumerate(paths):
        home.write(path, body(number))
    home.commit_all("All of it")
    texts = [
        WAYS[number % 5].format(path, path.rpartition("/")[2]) for number, path in enumerate(paths)
    ]
    home.note(*(f"id=about-{number} {text}" for number, text in enumerate(texts)))
    by: dict[str, str] = {}
    for at in (0, 15):
        by |= dict.fromkeys(paths[at : at + 15 : 3], drop(home, *paths[at : at + 15 : 3]))
        (home.folder / "lib").mkdir(exist_ok=True)
        for path in paths[at + 1 : at + 15 : 3]:
            home.git("mv", path, f"lib/{path.rpartition('/')[2]}")
        home.commit_all("Move some")
        by |= dict.fromkeys(paths[at + 1 : at + 15 : 3], home.git("rev-parse", "--short=7", "HEAD"))
    for path in paths[2::3]:
        home.write(path, "print('other')\n")
    home.commit_all("Touch the rest")
    found = look(home)
    for number, path in enumerate(paths):
        mark, moved = found.get(f"about-{number}"), number % 3 == 1
        if number % 3 == 2 or (moved and number % 5 == 4):  # its name alone is there as before
            assert mark is None, path
            continue
        assert mark is not None and mark["commit"] == by[path], path
        assert mark["now"] == (f"lib/{path.rpartition('/')[2]}" if moved else ""), path


def test_what_is_no_drift(world: World) -> None:
    """A branch's name, a file that nobody tracked, one ignored now, and what was gone before it was said."""
    home = world.home(IN_TREE)
    home.write("src/old.py", "pass\n")
    home.write("notes/local.md", "pass\n")
    home.commit_all("Begin")
    drop(home, "src/old.py")
    home.clock.go(days=365)
    home.note(
        "id=branch fact: Work goes on in `feature/walrus.py` and `fix/pay`.",
        "id=never fact: Settings are in `config/never.toml`.",
        "id=before fact: Sums are made in `src/old.py`.",
        "id=local fact: Notes are in `notes/local.md`.",
    )
    home.git("rm", "-q", "--cached", "notes/local.md")
    home.write(".gitignore", "notes/\n")
    home.commit_all("Ignore notes")
    assert look(home) == {}


def test_a_history_that_is_cut_marks_nothing(home: Place, world: World) -> None:
    """A shallow clone does not know which commit it was, and says nothing of it."""
    home.git("clone", "-q", "--depth", "1", home.folder.as_uri(), str(world.folder / "cut"))
    assert look(world.place("cut")) == {}


def test_looking_again_gives_what_looking_anew_gives(home: Place) -> None:
    """By the history since the last time alone; a file that was damaged is not read."""
    for step in range(2):
        home.write(f"src/more_{step}.py", f"def walk_{step}():\n    pass\n")
        home.commit_all(f"More {step}")
        home.note(
            f"id=more-{step} fact: Walrus step {step} is in `src/more_{step}.py`.",
            f"id=by-{step} fact: It is taken by `walk_{step}()`.",
        )
    look(home)
    drop(home, "src/more_0.py")
    again = look(home)
    assert set(again) == {"gone", "moved", "named", "more-0", "by-0"}
    (file,) = (home.common / "diurna" / "cache").glob("truth@*")
    kept = file.read_bytes()
    file.unlink()
    assert told(home) == {}
    assert look(home) == again and json.loads(json.dumps(again)) == again
    file.write_bytes(kept.replace(b"pay.py", b"pax.py"))
    assert told(home) == {}


def test_agents_are_told(home: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """MCP's `recall`, `get` and `brief`; at a prompt; at a file what names a path that is gone is not told."""
    home.write("src/fees.py", "pass\n")
    home.write("src/bank.py", "pass\n")
    home.commit_all("Bank")
    home.note("id=bank invariant: Never change `src/bank.py` without `src/fees.py`.")
    commit = drop(home, "src/fees.py")
    marks = look(home)
    said = f"src/pay.py is gone since {marks['gone']['commit']}, {marks['gone']['date']}"

    async def story() -> None:
        async with connected(home.folder, open_home) as client:
            for asked in (("recall", {"query": "walrus payments"}), ("get", {"ids": ["gone"]})):
                hits = (await ask(client, asked[0], **asked[1]))["hits"]
                assert next(one for one in hits if one["id"] == "gone")["text"].endswith(
                    f"({said})"
                )
            assert said in (await ask(client, "brief"))["text"]

    anyio.run(story)
    monkeypatch.chdir(home.folder)
    session = Door(Repo(home.folder), monkeypatch).session()
    assert "- bank (" not in session.tool("Read", file_path=f"{home.folder}/src/bank.py")
    assert f"{said}): Walrus" in session.prompt(
        "Where are walrus payments checked before the order is kept?"
    )
    assert marks["bank"]["commit"] == commit
