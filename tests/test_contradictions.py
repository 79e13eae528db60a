"""A contradiction has a form, and every door names the same ones; what is near is a candidate."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from ledger.model.ids import version_id
from tests.conftest import examples
from tests.mcp_clients import ask, connected, open_home
from tests.web_client import client_of
from tests.world import Place, World

IDS = "abcdef"
KINDS = {"a": "decision", "b": "decision", "d": "convention", "e": "task", "f": "thread"}


# ---- histories ------------------------------------------------------------------------------------


class Book:
    """Logs written by hand, a second apart: what clones said that did not know of each other, too."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.texts: dict[str, list[str]] = {}
        self.keys: list[str] = []

    def log(
        self, bullet: str, text: str = "", footer: str = "", box: str = "", type: str = "work"
    ) -> None:
        number = len(self.files)
        self.keys.append(f"2026-05-01-{10 + number // 60:02}{number % 60:02}00")
        id = bullet.split()[1]
        said = f"---\nagent: ada\ntype: {type}\n---\n# T\n\n## Memory References\n\n- {bullet}\n"
        if text:
            self.texts.setdefault(id, []).append(text)
            said += f"\n## Facts\n\n- {box}{text}\n  <!-- id: {id}{footer} -->\n"
        self.files[f"sessions/2026-05/01/{self.keys[-1]}.md"] = said

    def born(self, id: str, against: str = "") -> None:
        kind = KINDS.get(id, "fact")
        box = "[ ] " if kind in ("task", "thread") else ""
        footer = f" | kind: {kind}" + (f" | conflicts: {against}" if against else "")
        self.log(f"Created: {id}", f"The text of {id}, number {len(self.files)}.", footer, box)

    def reword(self, id: str, was: str, footer: str = "") -> None:
        box = "[ ] " if KINDS.get(id) in ("task", "thread") else ""
        text = f"The text of {id}, number {len(self.files)}."
        self.log(f"Updated: {id} (was {version_id(was)})", text, footer, box)


def any_book(seed: int) -> Book:
    """Return a history of edits of two sides, supersessions, circles, footers, moves, and what lets facts fade."""
    chance, book = random.Random(seed), Book()
    for id in IDS:
        book.born(id, " ".join(chance.sample(IDS, 2)) if chance.random() < 0.3 else "")
    for _ in range(chance.randrange(4, 12)):
        id, other = chance.sample(IDS, 2)
        match chance.randrange(6):
            case 0 | 1:
                book.reword(id, chance.choice(book.texts[id]))
            case 2:
                book.log(f"Superseded: {id} → {other}", type="edit")
            case 3:
                book.reword(id, book.texts[id][-1], f" | conflicts: {chance.choice((other, '-'))}")
            case 4:
                state = chance.choice(("in-progress", "blocked", "cancelled"))
                book.log(f"Moved: e → {state} (was none)")
            case 5:
                book.log("Closed: f", type="edit")
    for _ in range(chance.choice((0, 4))):
        book.log("Referenced: nothing-here")
    return book


def every_kind() -> Book:
    """Return a history with a contradiction of each kind, all of whose sides have faded."""
    book = Book()
    for id, against in (("a", ""), ("b", "a"), ("c", ""), ("d", ""), ("e", "")):
        book.born(id, against)
    book.reword("c", book.texts["c"][0])
    book.reword("c", book.texts["c"][0])
    book.log("Moved: e → in-progress (was none)")
    book.log("Moved: e → blocked (was none)")
    for id in ("x", "y", "p", "q"):
        book.born(id)
    book.log("Superseded: d → x")
    book.log("Superseded: d → y")
    book.log("Superseded: p → q")
    book.log("Superseded: q → p")
    for _ in range(4):
        book.log("Referenced: nothing-here")
    return book


TORN, SIDES = {"a", "b", "c", "d", "e", "q"}, {"a", "b", "c", "d", "e", "p", "q", "x", "y"}


@pytest.fixture
def torn(world: World) -> Place:
    """A home with all of that."""
    return written(world, every_kind(), "every kind")


def written(world: World, book: Book, key: str = "") -> Place:
    def make(apart: World) -> None:
        home = apart.home(policy={"working": 1, "active": 1, "archive": 1})
        home.plant(book.files)

    if key:
        world.laid(f"contradictions {key}", make)
    else:
        make(world)
    return world.place("a")


# ---- doors ----------------------------------------------------------------------------------------


def in_findings(answer: Any) -> set[str]:
    found = answer["findings"]
    return {one["message"].split()[0] for one in found if one["code"] == "contradiction"}


def by_warning(home: Place) -> set[str]:
    refs = [word for id in sorted(home.show()) for word in ("--ref", id)]
    return in_findings(home.run("append", "--title", "T", *refs, "--dry-run").json)


def by_conflicts(home: Place) -> set[str]:
    found: set[str] = set()
    for one in home.run("conflicts").json["contradictions"]:
        sides = one["choices"]
        assert all(side["agent"] and side["date"] and side["resolve"] for side in sides)
        found |= {side["id"] for side in sides} if one["kind"] == "declared" else {one["id"]}
    return found


def by_conflicts_of_each(home: Place) -> set[str]:
    return {id for id in home.show() if home.run("conflicts", id).json["contradictions"]}


def by_brief(home: Place) -> set[str]:
    sections = home.run("brief", "--budget", "30000").json["sections"]
    (lines,) = [one["facts"] for one in sections if one["name"] == "contradictions"] or [[]]
    return {one["id"] for one in lines if not one.get("state", "").startswith("instead of")}


def by_tools(home: Place) -> set[str]:
    found: set[str] = set()

    async def story() -> None:
        async with connected(home.folder, open_home) as client:
            found.update(one["id"] for one in (await ask(client, "status")).get("disputed", ()))
            sided = {id for id in home.show() if "sides" in await ask(client, "resolve", id=id)}
            assert sided == found

    anyio.run(story)
    return found


def by_pages(home: Place) -> set[str]:
    browser = client_of(home.folder).login()
    return {id for id in home.show() if "<h2>Contradicted" in browser.get(f"/fact/{id}").text}


DOORS: dict[str, Callable[[Place], set[str]]] = {
    "status": lambda home: {one["id"] for one in home.status()["disputed"]},
    "conflicts": by_conflicts,
    "conflicts ID": by_conflicts_of_each,
    "review": lambda home: {one["id"] for one in home.run("review", "--dry-run").json["disputed"]},
    "check": lambda home: in_findings(home.run("check", "--ci", code=None).json),
    "show": lambda home: {id for id, one in home.show().items() if one["contradiction"]},
    "append": by_warning,
    "brief": by_brief,
    "tools": by_tools,
    "pages": by_pages,
}


@pytest.mark.parametrize("door", DOORS)
def test_each_door_names_each_kind(torn: Place, door: str) -> None:
    """Several texts, several successors, a circle, moves and a footer; also where all sides have faded."""
    assert DOORS[door](torn) == TORN


@pytest.mark.deep(reason="each_door_names_each_kind has one of each")
@pytest.mark.parametrize("seed", range(examples(8, 40)))
def test_all_doors_name_the_same(world: World, seed: int) -> None:
    """Whatever two sides, supersessions, circles, footers and moves there were."""
    home = written(world, any_book(seed))
    told = {door: sorted(named(home)) for door, named in DOORS.items()}
    assert len({str(one) for one in told.values()}) == 1, told


def test_a_side_stays_where_it_is_asked_for(torn: Place) -> None:
    """Faded, each side is in the brief with its text, and recall finds it, until somebody decides."""
    told, known = torn.text("brief", "--budget", "30000"), torn.show()
    assert {known[id]["tier"] for id in SIDES} <= {"archived", "superseded", "active"}
    for id in SIDES - {"d", "e", "p"}:
        assert known[id]["versions"][0]["text"] in told, id
        hits = torn.run("recall", known[id]["versions"][0]["text"]).json["hits"]
        assert id in [hit["id"] for hit in hits], id
    torn.run("conflicts", "b", "--choose", "a")
    assert DOORS["brief"](torn) == TORN - {"a", "b"}


# ---- what decides ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "said", "left"),
    [
        (("a", "--choose", "b"), "Kept b; a is superseded", {"b"}),
        (("b", "--choose", "2"), "Kept b; a is superseded", {"b"}),
        (("a", "--both"), "a and b hold; nothing is set against them any more", {"a", "b"}),
    ],
)
def test_a_footer_is_settled_by_either_side_or_none(
    world: World, verdict: tuple[str, ...], said: str, left: set[str]
) -> None:
    """The answer says what was decided; nothing is against anything then, and an undo brings it back."""
    home = world.home(
        facts={"a": "decision: Never on Fridays.", "b": "conflicts=a decision: On any day."}
    )
    assert home.text("conflicts", *verdict, "--title", "Decided").splitlines()[1] == said
    assert home.run("conflicts").json["contradictions"] == []
    assert {id for id, one in home.show().items() if not one["false"]} == left
    assert home.run("conflicts", "a", "--both").json["already"]
    home.run("undo", "--yes")
    assert by_conflicts(home) == {"a", "b"}


# ---- what is near ---------------------------------------------------------------------------------

#: Unrelated, and each of a pair that words alone set against each other once.
UNRELATED = (
    "Code is reviewed on GitHub.", "The mirror of the docs lives on GITLAB.", "Invoices are stored on Azure.",
    "Backups are copied to AWS every night.", "Summaries are written by Anthropic's model.",
    "Embeddings come from OpenAI.", "Partners authenticate with an api key.", "Browsers authenticate with a JWT.",
    "Webhooks are tried three times, with jitter.", "The build takes nine minutes.",
    "One queue for all shops: a dead shop blocked the others.", "A dead shop blocks no other.",
    "Prices are kept in cents.", "The export has a header line.", "Logs are kept for 90 days.",
    "A request times out after 30 seconds.", "Deploys go out on Tuesdays.", "The report runs nightly.",
    "Use tabs in Makefiles.", "Indent Python with spaces.", "Never log a token.",
    "Always squash before a merge.", "The cache is enabled in production.",
)  # fmt: skip
#: What a fact says -> what is recorded beside it; whether that is near.
PAIRS = (
    (
        "Webhooks are tried three times, with jitter.",
        "Webhooks are tried nine times, with jitter.",
        True,
    ),
    ("We use uv to install packages.", "Packages are installed with uv, never with pip.", True),
    (
        "Outbound calls time out after 10 s.",
        "Outbound HTTP calls time out after ten seconds.",
        True,
    ),
    ("The cache is enabled.", "The cache is not enabled.", True),
    ("Prices are kept in cents.", "The report runs nightly.", False),
)
_VERDICTS = re.compile(r"contradict|conflict|opposite|similar|false|wrong|newer|--supersede", re.I)


def test_unrelated_facts_are_no_contradictions(world: World) -> None:
    """None at any door, and no proposal to call one false; two sentences by chance neither."""
    home = world.home()
    words, chance = sorted({word for text in UNRELATED for word in text.split()}), random.Random(3)
    said = [f"{' '.join(chance.sample(words, 6))}." for _ in range(12)]
    answer = home.run("note", *(f"id=f{n} {text}" for n, text in enumerate((*UNRELATED, *said))))
    assert answer.codes() == [] and not answer.err
    review = home.run("review", "--dry-run").json
    assert review["disputed"] == [] and {one["rule"] for one in review["questions"]} <= {"overlap"}
    assert DOORS["conflicts"](home) == DOORS["status"](home) == set()
    assert not _VERDICTS.search(home.text("brief"))


@pytest.mark.parametrize(("there", "new", "near"), PAIRS)
def test_what_is_near_is_shown_and_not_judged(
    world: World, there: str, new: str, near: bool
) -> None:
    """In words of nobody's side; of another entity, false, closed or faded it is none; JSON has it as a field alone."""
    home = world.home()
    home.note(f"id=there entity=API fact: {there}", "id=else fact: The lamp in the hall is red.")
    for more, is_near in (("", near), ("entity=API ", near), ("entity=Desk ", False)):
        answer = home.run("note", f"{more}id=new {new}", "--dry-run")
        assert [one["id"] for one in answer.json["near"]] == ["there"] * is_near
        assert answer.err == "" and answer.codes() == []
    said = home.text("note", f"id=new {new}", "--dry-run").partition("near ")[2]
    assert not _VERDICTS.search(said.replace(there, ""))
    home.session("Off", "--invalidate", "there")
    assert home.run("note", f"id=new {new}", "--dry-run").json["near"] == []


def test_at_most_three_are_near(world: World) -> None:
    """The nearest first, whatever number is like it."""
    home = world.home(facts={f"f{n}": f"Shelf {n} holds the books of year {n}." for n in range(8)})
    near = home.run("note", "Shelf 9 holds the books of year 9.", "--dry-run").json["near"]
    assert len(near) == 3 and {one["kind"] for one in near} == {"fact"}
