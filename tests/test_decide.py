"""Contradictions, and what a person decides: nothing wins that nobody chose.

Two clones that change one fact apart keep both texts, show them first, list them alike, and one log settles
both. Each decision adds a log: what was said before is still there, and can come back.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ledger.model.ids import version_id as V
from tests.world import OWN_BRANCH, OWN_REPOSITORY, Place, World

Side = tuple[str, ...]
Pair = tuple[Place, Place]
TEN, TWENTY, THIRTY, MENDED = (
    "Ten seconds.",
    "Twenty seconds.",
    "Thirty seconds.",
    "The old way, mended.",
)
BASE = {
    "limit": TEN, "find": "thread: Find the limit.", "old": "The old way.", "left": "The left way.",
    "right": "The right way.",
}  # fmt: skip
ALL = {**BASE, "path": "The old path.", "lane": "A lane.", "tale": "The old tale."}
#: What two sides say -> how it is called, and what stands.
CASES: dict[str, tuple[Side, Side, str, set[str]]] = {
    "limit": (("--update", "limit", TWENTY), ("--update", "limit", THIRTY), "text", {V(TWENTY), V(THIRTY)}),
    "new": (
        ("--new", "id=new Left of it."), ("--new", "id=new Right of it."), "birth",
        {V("Left of it."), V("Right of it.")},
    ),
    "old": (("--supersede", "old=left"), ("--supersede", "old=right"), "successor", {"left", "right"}),
    "find": (
        ("--close", "find"), ("--update", "find", "Find both."), "closed", {V("Find the limit."), V("Find both.")},
    ),
    "path": (("--supersede", "path=lane"), ("--update", "path", MENDED), "reworded", {V(MENDED), "lane"}),
    "tale": (("--invalidate", "tale"), ("--update", "tale", MENDED), "reworded", {V(MENDED), "STEM"}),
}  # fmt: skip


def apart(pair: Pair, *sides: Side) -> None:
    """Let each clone record a session of its own."""
    for number, (clone, said) in enumerate(zip(pair, sides, strict=True)):
        clone.session(f"Side {number}", *said)


def meet(one: Place, two: Place) -> None:
    """Pull from one another with git alone; both hold the same bytes then."""
    for here, there in ((one, two), (two, one)):
        here.git("pull", "-q", "--no-rebase", "--no-edit", str(there.folder), "main")
    assert one.tip() == two.tip() and one.page() == two.page()


def tear(world: World) -> None:
    """Make two clones that say all of `CASES` apart, and meet."""
    one = world.home(OWN_REPOSITORY, "one", facts=ALL)
    two = one.fork("two")
    apart(
        (one, two), *(tuple(word for case in CASES.values() for word in case[at]) for at in (0, 1))
    )
    meet(one, two)


@pytest.fixture
def pair(world: World) -> Pair:
    """Two clones that hold the same facts, and all of `CASES` of them."""
    return contradicting(world)


def contradicting(world: World) -> Pair:
    world.laid("a pair with all cases", tear)
    return world.place("one"), world.place("two")


def listed(clone: Place) -> dict[str, tuple[str, list[str]]]:
    """What is contradicted: fact -> how, and what can be chosen."""
    found = clone.run("conflicts").json["contradictions"]
    return {one["id"]: (one["kind"], [side["id"] for side in one["choices"]]) for one in found}


def choose(clone: Place, fact: str, *choice: str, **more: Any) -> Any:
    """Say which side holds, by options or the side alone."""
    option = () if choice[0].startswith("--") else ("--choose",)
    return clone.run("conflicts", fact, *option, *choice, **more)


def test_h6_a_side_has_to_be_said_whole(pair: Pair) -> None:
    """Both texts are shown under a ticked box; what is no side settles nothing."""
    one, _ = pair
    assert "- [x] **Contradiction**: 2 versions stand" in one.page()
    choose(one, "find", "--choose", V("Find both"), code=2)
    assert "find" in listed(one)


def test_h3_both_sides_are_kept_and_shown(pair: Pair) -> None:
    """Both clones list each alike, and show it first."""
    one, two = pair
    found = listed(one)
    assert listed(two) == found and {fact: how for fact, (how, _) in found.items()} == {
        fact: kind for fact, (*_, kind, _) in CASES.items()
    }
    for fact, (_, choices) in found.items():
        named = {"STEM" if side.startswith("2026-") else side for side in choices}
        assert named == CASES[fact][3]
    page, brief, asked = one.page(), one.text("brief"), one.text("review", "--dry-run")
    first = page[page.index("## Contradictions\n\n- `") : page.index("## Open Threads")]
    assert re.findall(r"(?m)^- `([a-z]+)`", first) == list(found)
    assert one.check("--ci").count("contradiction") == len(CASES)
    assert one.status()["disputed"] == [{"id": fact, "kinds": [how]} for fact, (how, _) in found.items()]  # fmt: skip
    for fact, (how, _) in found.items():
        assert f"{fact} ({how})" in asked and fact in brief
    assert brief.count(MENDED) == 2


def test_h3_one_log_settles_both_sides(pair: Pair) -> None:
    """What is chosen here holds there, and the same again is nothing to do."""
    one, two = pair
    chosen = {fact: choices[-1] for fact, (_, choices) in listed(one).items()}
    for fact, side in chosen.items():
        choose(one, fact, side)
    two.git("pull", "-q", "--no-rebase", "--no-edit", str(one.folder), "main")
    assert listed(one) == listed(two) == {} and "## Contradictions" not in two.page()
    assert choose(two, "limit", chosen["limit"]).json["already"] == "limit has no contradiction"
    facts = two.show(*ALL, "new")
    for fact, side in chosen.items():
        held, sides = facts[fact], CASES[fact][3]
        if side.startswith("2026-"):
            assert (held["invalidated"] != "", held["text"]) == (True, MENDED)
        elif side in ALL:
            others = {other for other in sides if other in ALL} - {side}
            assert held["superseded_by"] == sorted({side, *others})
            assert [facts[other]["superseded_by"] for other in others] == [[side]] * len(others)
        else:
            assert V(held["text"]) == side and held["tier"] != "superseded"


@pytest.mark.parametrize("fact", ["limit", "old"])
def test_who_decides_apart(world: World, fact: str) -> None:
    """The same choice on both sides settles it; another one is a contradiction again, which can be settled, too."""
    alike = {"limit": "old", "old": "limit"}[fact]
    same, (a, b) = min(CASES[alike][3]), sorted(CASES[fact][3])

    def make(made: World) -> None:
        for clone, side in zip(contradicting(made), (a, b), strict=True):
            choose(clone, alike, same)
            choose(clone, fact, side)

    world.laid(f"decided apart {fact}", make)
    pair = world.place("one"), world.place("two")
    meet(*pair)
    left = {at: set(choices) for at, (_, choices) in listed(pair[0]).items()}
    assert alike not in left and CASES[alike][3] not in left.values()
    (again,) = [at for at, choices in left.items() if choices == {a, b}]
    choose(pair[1], again, a)
    assert set(listed(pair[1])) == set(left) - {again}


def test_a_side_that_came_meanwhile_goes_on_standing(pair: Pair) -> None:
    """Who resolves knows nothing of a third text that comes by the next pull: only what was named is resolved."""
    one, two = pair
    choose(one, "limit", V(THIRTY))
    two.append(
        f"# Third\n\n## Memory References\n\n- Updated: limit (was {V(TWENTY)})\n\n## Facts\n\n"
        "- Forty seconds.\n  <!-- id: limit -->\n"
    )
    meet(one, two)
    _, choices = listed(one)["limit"]
    assert set(choices) == {V(THIRTY), V("Forty seconds.")}
    event = choose(one, "limit", "--text", "  Fifty seconds. ").json["events"][0]
    assert (event["text"], set(event["was"])) == ("Fifty seconds.", set(choices))


@pytest.mark.parametrize(
    ("said", "text", "closed"),
    [
        ((V("Find the limit."),), "Find the limit.", True), ((V("Find both."),), "Find both.", False),
        (("--text", "Find three."), "Find three.", False),
    ],
)  # fmt: skip
def test_h6_a_thread_that_was_closed_and_reworded(
    pair: Pair, said: Side, text: str, closed: bool
) -> None:
    """A side is a text and a state; a new text is of a thread that is open."""
    one, _ = pair
    choose(one, "find", *said)
    fact = one.show("find")["find"]
    assert (fact["text"], fact["closed"], "find" in listed(one)) == (text, closed, False)


def test_a_bullet_taken_away_here_and_reworded_there(world: World) -> None:
    """A person deletes a bullet of the page that they read; the new text of the other clone stays."""
    one = world.home(OWN_REPOSITORY, "one", facts=BASE)
    two = one.fork("two")
    two.session("Mend", "--update", "old", MENDED)
    page = one.read("continuity.md")
    block = re.search(r"- The old way\.\n  <!-- id: old [^\n]*\n\n", page)
    assert block is not None
    one.write("continuity.md", page.replace(block[0], ""))
    one.run("check", "--absorb")
    meet(one, two)
    assert [kind for kind, _ in listed(one).values()] == ["reworded"] and MENDED in one.page()


# ---- on one machine ------------------------------------------------------------------------------------


@pytest.fixture
def home(world: World) -> Place:
    """A home with the facts of `BASE`."""
    return world.home(OWN_REPOSITORY, facts=BASE)


def update(home: Place, fact: str, text: str, was: str) -> None:
    """Update a fact as somebody who saw another version."""
    log = f"---\nagent: codex\n---\n# Say {text}\n\n## Memory References\n\n- Updated: {fact} (was {was})\n\n"
    home.append(f"{log}## Facts\n\n- {text}\n  <!-- id: {fact} -->\n")


def tear_here(world: World) -> None:
    """Let two versions of one fact and three successors of another stand."""
    home = world.home(OWN_REPOSITORY, facts=BASE)
    for text in (TWENTY, THIRTY):
        update(home, "limit", text, V(TEN))
    home.session("More", "--new", "id=third A third way.")
    home.session("All", *[word for new in ("left", "right", "third") for word in ("--supersede", f"old={new}")])  # fmt: skip


@pytest.fixture
def torn(world: World) -> Place:
    """A home that `tear_here` tore."""
    world.laid("a torn home", tear_here)
    return world.place("a")


def test_a_side_is_chosen_by_id_start_or_number(torn: Place, tmp_path: Path) -> None:
    """Each means the same; only what holds can be chosen again; a text can come from a file."""
    for said in (V(THIRTY), V(THIRTY)[:5], "2"):
        (event,) = choose(torn, "limit", "--choose", said, "--dry-run").json["events"]
        assert event["text"] == THIRTY
    choose(torn, "limit", "2")
    for same in (("--text", THIRTY), ("--choose", V(THIRTY))):
        assert choose(torn, "limit", *same).json["already"] == "limit has no contradiction"
    for text in (TEN, TWENTY):
        update(torn, "left", text, V("The left way."))


def test_a_review_on_a_terminal_asks_which_side_holds(
    torn: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each contradiction, before all else; what is left for later stays open."""
    monkeypatch.setattr("rituals.cli.context.Invocation.interactive", lambda self: True)
    ran = torn.run("review", stdin=b"2\nl\nq\n", json=False)
    assert ran.err.count("which holds?") == 2 and list(listed(torn)) == ["old"]
    assert f"limit says {V(THIRTY)}: {THIRTY}\n" in ran.out
    ran = torn.run("review", stdin=b"?\nq\n", json=False)
    assert ran.err.count("which holds?") == 2 and list(listed(torn)) == ["old"]


def turn(world: World) -> None:
    """Let each of three facts be superseded by the next."""
    home = world.home(OWN_REPOSITORY, facts={"a": "A.", "b": "B.", "c": "C."})
    for pair in ("a=b", "b=c"):
        home.session("So", "--supersede", pair)
    log = "# Elsewhere\n\n## Memory References\n\n- Superseded: c → a\n"
    home.plant({"sessions/2027-01-01-101500.md": log})


@pytest.mark.parametrize("holds", ["a", "b", "c"])
def test_h4_a_circle_is_resolved_by_what_holds(world: World, holds: str) -> None:
    """Whichever of the circle is chosen stands, and no supersession is left out any more."""
    world.laid("a circle", turn)
    home = world.place("a")
    assert listed(home) == {"c": ("circle", ["c", "a", "b"])}
    choose(home, "c", holds)
    facts = home.show("--list", "--all")
    assert [fact for fact in "abc" if not facts[fact]["false"]] == [holds]
    assert listed(home) == {} and "supersession-cycle" not in home.check("--ci")


@pytest.mark.parametrize("said", [("--supersede", "old=right"), ("--invalidate", "old")])
def test_a_fact_that_was_called_false_holds_again(home: Place, said: Side) -> None:
    """By a person's act, with its reason; before and after are both still there, warm and cold."""
    stems = [home.session("False", *said)]
    again = ("edit", "--restore", "old", "--reason", "It was a test (only), so → no.\n\nReally.")
    answer = home.run(*again, "--agent", "Grace", "--title", "No, it holds").json
    assert [one["said"] for one in answer["events"]] == [stems]
    stems.append(answer["stem"])
    then = [home.show("old", "--as-of", stem)["old"] for stem in stems]
    assert [fact["tier"] == "superseded" for fact in then] == [True, False]
    assert [fact["superseded_by"] for fact in then] == [["right"] * (said[1] != "old"), []]
    home.warm_is_cold()
    step = home.run("why", "old").json["events"][-1]
    assert (step["event"], step["agent"], step["title"]) == ("Reinstated", "Grace", "No, it holds")
    assert home.run(*again).json["already"] == "old holds; nothing is said against it"
    assert home.run("log", "-n", "1").json["sessions"][0]["type"] == "edit"
    home.session("False after all", *said)
    assert home.show("old")["old"]["tier"] == "superseded", "what is said later counts"


@pytest.mark.parametrize(
    "reason", ["a, b (c) — d", "x → y", "(none)", "`q`", "a\u2028b", "<!-- c -->"]
)
def test_any_reason_can_be_said(home: Place, reason: str) -> None:
    """Beside the event, or in the prose where it can not stand there: it is told by `why` or the log."""
    home.session("False", "--invalidate", "old")
    stem = home.run("edit", "--restore", "old", "--reason", reason).json["stem"]
    assert home.show("old")["old"]["tier"] != "superseded"
    assert reason.replace("\u2028", " ") in home.logs()[stem].decode().replace("\u2028", " ")


def test_a_chain_is_told_both_ways(home: Place) -> None:
    """From any fact of it: where it came from and what became of it, however many steps away."""
    pairs = [("old", "left"), ("left", "right"), ("right", "limit")]
    for old, new in pairs:
        home.session("So", "--supersede", f"{old}={new}")

    def chain(fact: str) -> list[tuple[str, str, bool]]:
        links = home.run("why", fact).json["chain"]
        return [(link["old"], link["new"], link["counts"]) for link in links]

    for fact in ("old", "left", "right", "limit"):
        assert chain(fact) == [(*pair, True) for pair in pairs]
    assert chain("find") == []
    home.run("edit", "--restore", "left", "--reason", "It holds.")
    assert [counts for *_, counts in chain("old")] == [True, False, True]
    assert "\n  left → right  (does not count)  " in home.text("why", "left")


def test_history_tells_each_version_and_restore_says_one_again(home: Place) -> None:
    """Nothing is rewritten: the old text comes back by a new log, and can go again the same way."""
    for text in (TWENTY, THIRTY):
        home.session("So", "--update", "limit", text)

    def versions() -> list[Any]:
        return list(home.run("why", "limit", "--versions").json["versions"])

    assert [(one["version"], one["was"], one["stands"]) for one in versions()] == [
        (V(TEN), [], False), (V(TWENTY), [V(TEN)], False), (V(THIRTY), [V(TWENTY)], True),
    ]  # fmt: skip
    logs = len(home.logs())
    (event,) = home.run("edit", "limit", "--restore", V(TEN)[:4]).json["events"]
    assert (event["text"], event["was"], len(home.logs())) == (TEN, [V(THIRTY)], logs + 1)
    assert [one["stands"] for one in versions()] == [True, False, False, True]
    assert home.run("edit", "limit", "--restore", V(TEN)).json["already"]
    for text in (THIRTY, TEN):
        home.run("edit", "limit", "--restore", V(text))
        assert home.texts()["limit"] == text
    assert f"     {TWENTY}\n" in home.text("why", "limit", "--versions")


def test_what_is_due_is_confirmed_once(world: World) -> None:
    """After so many work logs an invariant is due; a confirmation starts the count anew."""
    home = world.home(facts={"never": "invariant: Never do it.", **BASE}, policy={"verify_invariants_every": 2})  # fmt: skip
    for due in ([], ["never"]):
        home.session("So", "--ref", "limit")
        assert home.status()["confirm"] == {"due": due, "every": 2}
    assert "confirm   1 due: never;" in home.text("status")
    done = home.run("review", "--confirm", "never", "limit").json
    assert done["does"] == ["never is confirmed", "limit is confirmed"]
    assert home.status()["confirm"]["due"] == []
    assert home.run("review", "--confirm", "never", "limit").json["already"]
    home.session("So", "--ref", "limit")
    assert not home.run("review", "--confirm", "never").json["already"]


# ---- redacting -----------------------------------------------------------------------------------------

SECRET = "hunter2"
READERS = ("show", "show --list --all", "log", "conflicts", "check --ci", "brief", "review --dry-run", "why guest",
           "why --versions guest", "log --changes 2026-11-20..")  # fmt: skip


@pytest.mark.parametrize("words_only", [False, True])
def test_e7_a_redacted_log_is_withheld_everywhere(home: Place, words_only: bool) -> None:
    """Its title, its remarks and the texts that it brought, or its words alone; what others said of the facts is not."""
    text = "Fine." if words_only else f"The password is {SECRET}."
    stem = home.session(f"Log in with {SECRET}", "--new", f"id=guest {text}", "--ref", "limit", "--body", SECRET)  # fmt: skip
    redact = ("redact", stem, "--reason", "It quotes a password.", *["--words-only"] * words_only)
    if not words_only:
        assert home.run(*redact, "--dry-run").json["commit"] == "" and SECRET in home.text("log")
    found = home.run(*redact).json
    assert [one["id"] for one in found["events"]] == [stem, *["guest"] * (not words_only)]
    (holder,) = found["held"]
    assert stem in holder["path"] and holder["remotes"] == []
    shown = {line: home.run(*line.split(), json=at % 2 == 0).out for at, line in enumerate(READERS)}
    assert [line for line, out in shown.items() if SECRET in out] == []
    assert home.texts()["guest"] == ("Fine." if words_only else "(redacted)")
    titles = {one["stem"]: one["title"] for one in home.run("log").json["sessions"]}
    assert titles[stem] == "(redacted)" and home.texts()["limit"] == TEN
    if words_only:
        again = home.run(*redact).json
        assert (again["already"], again["held"]) == ("withheld already", found["held"])


def test_a_redaction_says_what_git_still_holds(world: World) -> None:
    """Objects, history and the remotes' branches; how to rotate it; nobody is told to rewrite anything."""
    one = world.home(OWN_BRANCH, facts=BASE)
    one.join(world.hub(), sync=False)
    stem = one.note(f"id=guest The password is {SECRET}.")
    plan = ("redact", "guest", "--reason", "A password.")
    assert [held["remotes"] for held in one.run(*plan, "--dry-run").json["held"]] == [[]]
    one.git("push", "-q", "origin", "memory")
    told = one.run(*plan, json=False)
    assert "revoke it where it was issued, issue another" in told.err
    assert "rewriting the history is for a person to decide" in told.out
    ran = one.run(*plan)
    assert [held["remotes"] for held in ran.json["held"]] == [["origin/memory"]]
    assert one.git("rev-parse", f"memory~1:sessions/{stem[:7]}/{stem[8:10]}/{stem}.md") in ran.json["git"]["files"]  # fmt: skip
    assert SECRET not in one.read(".memory/continuity.md")


def test_a_contradiction_of_a_redacted_fact_shows_no_text(pair: Pair) -> None:
    """A side is chosen by its id; the text stays withheld, no log says it again, and no new text is taken."""
    one, _ = pair
    one.run("redact", "limit", "tale", "--reason", "Secret.")
    found = one.run("conflicts", "limit").json["contradictions"][0]
    assert {side["text"] for side in found["choices"]} == {"(redacted)"}
    stem = choose(one, "limit", V(THIRTY)).json["stem"]
    assert b"Thirty" not in one.logs()[stem]
    refused = choose(one, "tale", "--text", "The old tale, told again.", code=1)
    assert "tale is redacted" in refused.err
    choose(one, "tale", "1")
    for fact in (shown := one.show())["limit"], shown["tale"]:
        said = (fact["text"], fact["redacted"], fact["tier"] == "superseded")
        assert said == ("(redacted)", True, False)
