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
from tests.conftest import formed
from tests.world import OWN_BRANCH, OWN_REPOSITORY, Place, World

Side = tuple[str, ...]
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
MOVED = ("--update", "old", MENDED)
#: What two sides say -> the fact, how it is called, and what stands.
CASES: dict[str, tuple[Side, Side, str, str, set[str]]] = {
    "both changed one fact": (
        ("--update", "limit", TWENTY), ("--update", "limit", THIRTY), "limit", "text", {V(TWENTY), V(THIRTY)},
    ),
    "both created one id": (
        ("--new", "id=new Left of it."), ("--new", "id=new Right of it."), "new", "birth",
        {V("Left of it."), V("Right of it.")},
    ),
    "both superseded one fact": (
        ("--supersede", "old=left"), ("--supersede", "old=right"), "old", "successor", {"left", "right"},
    ),
    "one closed a thread that the other reworded": (
        ("--close", "find"), ("--update", "find", "Find both."), "find", "closed",
        {V("Find the limit."), V("Find both.")},
    ),
    "one superseded what the other reworded": (
        ("--supersede", "old=left"), MOVED, "old", "reworded", {V(MENDED), "left"},
    ),
    "one called false what the other reworded": (
        ("--invalidate", "old"), MOVED, "old", "reworded", {V(MENDED), "STEM"},
    ),
}  # fmt: skip


@pytest.fixture
def pair(world: World) -> tuple[Place, Place]:
    """Two clones that hold the same facts."""
    one = world.home(OWN_REPOSITORY, "one", facts=BASE)
    return one, one.fork("two")


def apart(pair: tuple[Place, Place], *sides: Side) -> None:
    """Let each clone record a session of its own."""
    for number, (clone, said) in enumerate(zip(pair, sides, strict=True)):
        clone.session(f"Side {number}", *said)


def meet(one: Place, two: Place) -> None:
    """Pull from one another with git alone; both hold the same bytes then."""
    for here, there in ((one, two), (two, one)):
        here.git("pull", "-q", "--no-rebase", "--no-edit", str(there.folder), "main")
    assert one.tip() == two.tip() and one.page() == two.page()


def listed(clone: Place) -> list[tuple[str, str, list[str]]]:
    """What is contradicted: fact, how, and what can be chosen."""
    found = clone.run("conflicts").json["contradictions"]
    return [(one["id"], one["kind"], [side["id"] for side in one["choices"]]) for one in found]


def choose(clone: Place, fact: str, *choice: str, **more: Any) -> Any:
    """Say which side holds, by options or the side alone."""
    option = () if choice[0].startswith("--") else ("--choose",)
    return clone.run("conflicts", fact, *option, *choice, **more)


@pytest.mark.parametrize("case", CASES)
def test_h3_both_sides_are_kept_shown_and_settled(pair: tuple[Place, Place], case: str) -> None:
    """Both clones show it first and list it alike; one log settles both, and the same again is nothing to do."""
    one, two = pair
    first, second, fact, kind, sides = CASES[case]
    apart(pair, first, second)
    meet(one, two)
    ((found, how, choices),) = listed(one)
    assert listed(two) == [(found, how, choices)] and (found, how) == (fact, kind)
    stem = next((side for side in choices if side.startswith("2026-")), "")
    assert {"STEM" if side == stem else side for side in choices} == sides
    page = one.page()
    assert page.index(f"## Contradictions\n\n- `{fact}`") < page.index("## Open Threads")
    assert "contradiction" in one.check("--ci")
    assert f"{fact} ({kind})" in one.text("review", "--dry-run")
    assert one.status()["disputed"] == [{"id": fact, "kinds": [kind]}]
    brief = one.text("brief")
    assert fact in brief and (MENDED in brief or second != MOVED)
    chosen = choices[-1]
    choose(one, fact, chosen)
    two.git("pull", "-q", "--no-rebase", "--no-edit", str(one.folder), "main")
    assert listed(one) == listed(two) == [] and "## Contradictions" not in two.page()
    if chosen != stem:
        assert choose(two, fact, chosen).json["already"] == f"{fact} has no contradiction"
    held = two.show(fact)[fact]
    if chosen == stem:
        assert (held["invalidated"] != "", held["text"]) == (True, MENDED)
    elif chosen in BASE:
        others = {side for side in sides if side in BASE} - {chosen}
        assert held["superseded_by"] == sorted({chosen, *others})
        assert [two.show(one)[one]["superseded_by"] for one in others] == [[chosen]] * len(others)
    else:
        assert V(held["text"]) == chosen and held["tier"] != "superseded"


@pytest.mark.parametrize("case", ["both changed one fact", "both superseded one fact"])
@pytest.mark.parametrize("alike", [True, False])
def test_who_decides_apart(pair: tuple[Place, Place], case: str, alike: bool) -> None:
    """The same choice on both sides settles it; another one is a contradiction again, which can be settled, too."""
    first, second, fact, _, sides = CASES[case]
    apart(pair, first, second)
    meet(*pair)
    a, b = sorted(sides)
    choose(pair[0], fact, a)
    choose(pair[1], fact, a if alike else b)
    meet(*pair)
    if not alike:
        ((again, _, choices),) = listed(pair[0])
        assert set(choices) == sides
        choose(pair[1], again, a)
        meet(*pair)
    assert listed(pair[0]) == listed(pair[1]) == []


def test_a_side_that_came_meanwhile_goes_on_standing(pair: tuple[Place, Place]) -> None:
    """Who resolves knows nothing of a third text that comes by the next pull: only what was named is resolved."""
    one, two = pair
    apart(pair, *CASES["both changed one fact"][:2])
    meet(one, two)
    choose(one, "limit", V(THIRTY))
    two.append(
        f"# Third\n\n## Memory References\n\n- Updated: limit (was {V(TWENTY)})\n\n## Facts\n\n"
        "- Forty seconds.\n  <!-- id: limit -->\n"
    )
    meet(one, two)
    ((_, _, choices),) = listed(one)
    assert set(choices) == {V(THIRTY), V("Forty seconds.")}
    event = choose(one, "limit", "--text", "  Fifty seconds. ").json["events"][0]
    assert (event["text"], set(event["was"])) == ("Fifty seconds.", set(choices))


@pytest.mark.parametrize(
    ("said", "text", "closed"),
    [
        (("--closed",), "Find both.", True), (("--open",), "Find both.", False),
        ((V("Find the limit."),), "Find the limit.", True),
        (("--choose", V("Find the limit."), "--open"), "Find the limit.", False),
        (("--text", "Find three.", "--closed"), "Find three.", True),
        (("--choose", V("Find both")), "", None), (("--text", "Find three."), "", None),
    ],
)  # fmt: skip
def test_h6_a_thread_that_was_closed_and_reworded(
    pair: tuple[Place, Place], said: Side, text: str, closed: bool | None
) -> None:
    """Both texts are shown under a ticked box; a side is a text and a state, and either can be said."""
    apart(pair, *CASES["one closed a thread that the other reworded"][:2])
    meet(*pair)
    assert "- [x] **Contradiction**: 2 versions stand" in pair[0].page()
    answer = choose(pair[0], "find", *said, code=None)
    fact = pair[0].show("find")["find"]
    if closed is None:
        assert answer.code == 2 and len(listed(pair[0])) == 1
    else:
        assert (fact["text"], fact["closed"], listed(pair[0])) == (text, closed, [])


def test_a_bullet_taken_away_here_and_reworded_there(pair: tuple[Place, Place]) -> None:
    """A person deletes a bullet of the page that they read; the new text of the other clone stays."""
    one, two = pair
    two.session("Mend", *MOVED)
    page = one.read("continuity.md")
    block = re.search(r"- The old way\.\n  <!-- id: old [^\n]*\n\n", page)
    assert block is not None
    one.write("continuity.md", page.replace(block[0], ""))
    one.run("check", "--absorb")
    meet(one, two)
    assert [kind for _, kind, _ in listed(one)] == ["reworded"] and MENDED in one.page()


# ---- on one machine ------------------------------------------------------------------------------------


@pytest.fixture
def home(world: World) -> Place:
    """A home with the facts of `BASE`."""
    return world.home(OWN_REPOSITORY, facts=BASE)


def update(home: Place, fact: str, text: str, was: str) -> None:
    """Update a fact as somebody who saw another version."""
    log = f"---\nagent: codex\n---\n# Say {text}\n\n## Memory References\n\n- Updated: {fact} (was {was})\n\n"
    home.append(f"{log}## Facts\n\n- {text}\n  <!-- id: {fact} -->\n")


@pytest.fixture
def torn(home: Place) -> Place:
    """Two versions of one fact and three successors of another stand."""
    for text in (TWENTY, THIRTY):
        update(home, "limit", text, V(TEN))
    home.session("More", "--new", "id=third A third way.")
    home.session("All", *[word for new in ("left", "right", "third") for word in ("--supersede", f"old={new}")])  # fmt: skip
    return home


def test_every_side_is_listed(torn: Place) -> None:
    """With its text, version, log, agent and date, and how to resolve it."""
    found = torn.run("conflicts").json["contradictions"]
    assert [one["said"] for one in found] == [
        "changed on several sides",
        "superseded by several facts",
    ]
    (first, second), said = found[0]["choices"], formed(torn.text("conflicts"))
    assert set(first) == {"id", "text", "stem", "agent", "date", "closed"}
    assert said.startswith(
        "limit — changed on several sides (text)\n"
        f"  1  {V(TWENTY)}  by codex, {first['date']}\n     in STEM\n     {TWENTY}\n"
        f"  2  {V(THIRTY)}  by codex, {second['date']}\n     in STEM\n     {THIRTY}\n"
        f"  resolve: diurna conflicts limit --choose {V(TWENTY)}\nold — "
    )
    assert torn.run("conflicts", "old").json["contradictions"] == found[1:]
    assert torn.run("conflicts", "left").json["contradictions"] == []


def test_a_side_is_chosen_by_id_start_or_number(torn: Place, tmp_path: Path) -> None:
    """Each means the same; only what holds can be chosen again; a text can come from a file."""
    for said in (V(THIRTY), V(THIRTY)[:5], "2"):
        (event,) = choose(torn, "limit", "--choose", said, "--dry-run").json["events"]
        assert event["text"] == THIRTY
    choose(torn, "limit", "2")
    for same in (("--text", THIRTY), ("--choose", V(THIRTY)), ("--open",)):
        assert choose(torn, "limit", *same).json["already"] == "limit has no contradiction"
    for other in (("--text", TEN), ("--choose", V(TWENTY)), ("--closed",)):
        answer = choose(torn, "limit", *other, code=1)
        assert answer.json["error"]["message"].startswith("there is no contradiction about limit any more")  # fmt: skip
    for text in (TEN, TWENTY):
        update(torn, "left", text, V("The left way."))
    file = torn.write("text.md", "It depends:\n\n- ten at night\n")
    choose(torn, "left", "--file", str(file))
    assert torn.texts()["left"] == "It depends:\n\n- ten at night"


def test_three_successors_leave_one(torn: Place) -> None:
    """All others are superseded by the one that was chosen, by who says so."""
    answer = choose(torn, "old", "--choose", "right", "--agent", "Grace", "--title", "It is").json
    assert [(one["id"], one["new"]) for one in answer["events"]] == [
        ("left", "right"), ("third", "right"),
    ]  # fmt: skip
    newest = torn.run("log", "-n", "1").json["sessions"][0]
    assert (newest["agent"], newest["title"], newest["type"]) == ("Grace", "It is", "edit")
    assert [fact for fact, _, _ in listed(torn)] == ["limit"]


def test_it_is_asked_on_a_terminal_only(torn: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one a number answers, behind all sides; the end of the input is an interrupt."""
    monkeypatch.setattr("rituals.cli.context.Invocation.piped", lambda self: False)
    ran = torn.run("conflicts", "--resolve", "limit", stdin=b"7\n2\n", json=False)
    assert ran.out.startswith("limit — changed on several sides (text)\n  1  ")
    assert f"\nlimit says {V(THIRTY)}: {THIRTY}\n" in ran.out and "which holds?" in ran.err
    torn.run("conflicts", "--resolve", "old", stdin=b"", code=130, json=False)


@pytest.mark.parametrize("holds", ["a", "b", "c"])
def test_h4_a_circle_is_resolved_by_what_holds(world: World, holds: str) -> None:
    """Whichever of the circle is chosen stands, and no supersession is left out any more."""
    home = world.home(OWN_REPOSITORY, facts={"a": "A.", "b": "B.", "c": "C."})
    for pair in ("a=b", "b=c"):
        home.session("So", "--supersede", pair)
    log = "# Elsewhere\n\n## Memory References\n\n- Superseded: c → a\n"
    home.plant({"sessions/2027-01-01-101500.md": log})
    assert listed(home) == [("c", "circle", ["c", "a", "b"])]
    choose(home, "c", holds)
    facts = home.show("--list", "--all")
    assert [fact for fact in "abc" if not facts[fact]["false"]] == [holds]
    assert listed(home) == [] and "supersession-cycle" not in home.check("--ci")


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
    home = world.home(facts={"never": "invariant: Never do it.", **BASE}, policy={"verify_invariants_every": 3})  # fmt: skip
    for due in ([], [], ["never"]):
        home.session("So", "--ref", "limit")
        assert home.status()["confirm"] == {"due": due, "every": 3}
    assert "confirm   1 due: never\n" in home.text("status")
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
    again = home.run(*redact).json
    assert (again["already"], again["held"]) == ("withheld already", found["held"])


def test_a_redaction_says_what_git_still_holds(world: World) -> None:
    """Objects, history and the remotes' branches; how to rotate it; nobody is told to rewrite anything."""
    (one,) = world.team(OWN_BRANCH, facts=BASE)
    stem = one.note(f"id=guest The password is {SECRET}.")
    plan = ("redact", "guest", "--reason", "A password.")
    assert [held["remotes"] for held in one.run(*plan, "--dry-run").json["held"]] == [[]]
    one.sync()
    told = one.run(*plan, json=False)
    assert "revoke it where it was issued, issue another" in told.err
    assert "rewriting the history is for a person to decide" in told.out
    ran = one.run(*plan)
    assert [held["remotes"] for held in ran.json["held"]] == [["origin/memory"]]
    assert one.git("rev-parse", f"memory~1:sessions/{stem[:7]}/{stem[8:10]}/{stem}.md") in ran.json["git"]["files"]  # fmt: skip
    assert SECRET not in one.read(".memory/continuity.md")


def test_a_contradiction_of_a_redacted_fact_shows_no_text(torn: Place) -> None:
    """A side is chosen by its id; the text stays withheld, no log says it again, and no new text is taken."""
    torn.run("redact", "limit", "--reason", "Secret.")
    (found, _) = torn.run("conflicts").json["contradictions"]
    assert {side["text"] for side in found["choices"]} == {"(redacted)"}
    stem = choose(torn, "limit", V(THIRTY)).json["stem"]
    assert b"Thirty" not in torn.logs()[stem] and torn.texts()["limit"] == "(redacted)"
    update(torn, "left", "Left.", V("The left way."))
    torn.append(f"# No\n\n## Memory References\n\n- Invalidated: left (was {V('The left way.')})\n")
    torn.run("redact", "left", "--reason", "Secret.")
    refused = choose(torn, "left", "--text", "The left way, told again.", code=1)
    assert "left is redacted" in refused.err
    choose(torn, "left", "1")
    fact = torn.show("left")["left"]
    assert (fact["text"], fact["redacted"], fact["tier"] == "superseded") == (
        "(redacted)",
        True,
        False,
    )
