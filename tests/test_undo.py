"""Undo: what logs did is taken back by a log, step by step, and done again by another."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from ledger.model.ids import version_id as V
from tests.campaigns import forks
from tests.conftest import examples
from tests.terminals import Terminal
from tests.world import OWN_REPOSITORY, Answer, Place, World, sealed

BASE = {"a": "A.", "b": "decision: B.", "c": "C.", "t": "thread: Find it."}
Facts = dict[str, tuple[object, ...]]


class Event(NamedTuple):
    """A line of the references of a log, and the block that belongs to it."""

    line: str
    block: str = ""


def named(verb: str, fact: str) -> Event:
    return Event(f"{verb}: {fact}")


def told(verb: str, fact: str, text: str, footers: str = "") -> Event:
    return Event(f"{verb}: {fact}", f"- {text}\n  <!-- id: {fact}{footers} -->\n")


def replaced(old: str, new: str) -> Event:
    return Event(f"Superseded: {old} → {new}")


Whose = tuple[str, str, str]  #: agent, session, type of log
ME: Whose = ("claude-code", "", "work")


def say(home: Place, *events: Event, whose: Whose = ME, code: int | None = 0) -> str:
    """Append a log with such lines; return its stem, "" where it is refused."""
    agent, session, kind = whose
    head = (
        f"---\nagent: {agent}\n" + f"session: {session}\n" * bool(session) + f"type: {kind}\n---\n"
    )
    lines = "".join(f"- {one.line}\n" for one in events)
    text = f"{head}# Said\n\n## Memory References\n\n{lines}\n## Facts\n\n"
    ran = home.run("append", "-", "--anyway", "--again", code=code, stdin=text + "".join(one.block for one in events))  # fmt: skip
    return "" if ran.code else str(ran.json["stem"])


def does(answer: Answer) -> list[str]:
    """What an undo says that it does, without the logs that it takes back."""
    return [one for one in answer.json["does"] if not one.startswith(("takes back", "does again"))]


def undo(home: Place, *more: str) -> list[str]:
    return does(home.run("undo", *more))


def redo(home: Place) -> Any:
    return home.run("undo", "--redo").json


def shown(home: Place) -> Facts:
    """All that an undo is to bring back, of every fact that is not false."""
    return {
        id: (one["text"], one["kind"], one["closed"], one["tier"] == "core", one["tier"] in ("archived",), one["contradiction"])
        for id, one in home.show().items()
        if one["tier"] != "superseded"
    }  # fmt: skip


def but(facts: Facts, ids: set[str]) -> Facts:
    return {id: said for id, said in facts.items() if id not in ids}


@pytest.fixture
def home(world: World) -> Place:
    """A home with the facts of `BASE`."""
    return world.home(OWN_REPOSITORY, facts=BASE)


@pytest.fixture
def split(home: Place) -> Place:
    """The same with a fact of two texts, and with what is called false and reworded at once."""
    say(home, told("Created", "torn", "Torn."), told("Created", "denied", "So."))
    for line, text in (
        (f"Invalidated: denied (was {V('So.')})", ""), (f"Updated: denied (was {V('So.')})", "Not so."),
        (f"Updated: torn (was {V('Torn.')})", "Left."), (f"Updated: torn (was {V('Torn.')})", "Right."),
    ):  # fmt: skip
        fact = line.split()[1]
        say(home, Event(line, f"- {text}\n  <!-- id: {fact} -->\n" if text else ""))
    return home


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (told("Created", "n", "New."), "n, which it brought, is false now"),
        (told("Updated", "a", "A2."), "a says again: A."),
        (told("Updated", "a", "A2.", " | kind: pattern"), "a says again: A."),
        (named("Invalidated", "a"), "a holds again"),
        (replaced("a", "b"), "a holds again"),
        (named("Closed", "t"), "t is open again"),
        (named("Archived", "a"), "a is out of the archive again"),
        (named("Promoted", "a"), "a is core no more"),
        (told("Updated", "a", "A2.", " | tags: x"), "a says again: A."),
        (told("Updated", "torn", "One."), "torn says again: Left. / Right."),
        (named("Reinstated", "denied"), "denied is false again"),
    ],
)  # fmt: skip
def test_each_verb_is_taken_back_and_done_again(split: Place, event: Event, said: str) -> None:
    """After an undo all stands as before; after a redo as if there had been none; and so on."""
    home = split
    before = shown(home)
    stem = say(home, event, whose=("claude-code", "", "edit"))
    after = shown(home)
    assert before != after
    plan, shape = undo(home, "--dry-run"), home.shape()
    assert plan == [said] and home.shape() == shape
    assert undo(home) == [said] and shown(home) == before
    assert redo(home)["logs"][0]["stem"] == stem and shown(home) == after
    undo(home)
    assert shown(home) == before and stem in home.logs()


def test_a_whole_log_is_taken_back_at_once(home: Place) -> None:
    """What was superseded holds again, and what was to replace it is false; every log is still there."""
    before, logs = shown(home), len(home.logs())
    say(home, named("Referenced", "c"), told("Created", "n", "New."), replaced("a", "n"),
        told("Updated", "b", "B2."), named("Closed", "t"))  # fmt: skip
    say(home, whose=("codex", "", "work"))
    assert set(undo(home)) == {
        "n, which it brought, is false now", "a holds again", "b says again: B.", "t is open again",
    }  # fmt: skip
    assert shown(home) == before and len(home.logs()) == logs + 3
    assert " restored" in home.run("brief", json=False, env={"DIURNA_AGENT": "codex"}).out
    newest = home.run("log", "-n", "1").json["sessions"][0]
    assert newest["title"] == "Undo: Said"
    assert "a is superseded by n again" in redo(home)["does"]
    assert home.show("a")["a"]["superseded_by"] == ["n"]
    assert home.check("--ci") == []
    ran = home.run("undo", json=False)
    said, _, done = ran.out.partition("  committed in ")
    assert said.startswith("takes back ") and "of claude-code, “Said”\n" in said and done
    assert ran.err == "hint: the log stays, with its words and uses; `diurna undo --redo` does it again\n"  # fmt: skip


def fade(world: World) -> None:
    home = world.home(OWN_REPOSITORY, facts=BASE, policy={"working": 1, "active": 1, "archive": 1})
    for _ in range(3):
        say(home, named("Referenced", "b"))


@pytest.mark.parametrize(
    "event", [named("Referenced", "a"), named("Reactivated", "a"), told("Updated", "a", "A2.")]
)
def test_what_is_archived_goes_back_there(world: World, event: Event) -> None:
    """A use brings a faded fact back; undone, it is put away again, whatever brought it."""
    world.laid("what faded", fade)
    home = world.place("a")
    assert home.show("a")["a"]["tier"] == "archived"
    say(home, event)
    assert home.show("a")["a"]["tier"] != "archived"
    assert undo(home)[-1] == "a goes back into the archive" and home.texts()["a"] == "A."
    assert home.show("a")["a"]["tier"] == "archived"


def test_a_confirmation_is_taken_back(home: Place) -> None:
    """What was confirmed is due again; a redo confirms it, and what a log confirmed before stays so."""
    first, second = [say(home, named("Verified", "a")) for _ in range(2)]
    for step, said, stem in (
        (undo, "no more", first), (undo, "no more", ""), (lambda home: redo(home)["does"][-1:], "again", first),
    ):  # fmt: skip
        assert step(home) == [f"a is confirmed {said}"] and home.show("a")["a"]["verified"] == stem
    redo(home)
    assert home.show("a")["a"]["verified"] == second


def test_what_no_event_can_say_is_refused(home: Place) -> None:
    """Refused whole, with the reason and the way to see more; nothing is recorded."""
    home.run("redact", "a", "--reason", "It names a customer.")
    before = home.shape()
    refused = home.run("undo", code=1)
    assert refused.said == "Irreversible"
    assert "withheld for good" in refused.json["error"]["message"]
    assert "`diurna " in refused.json["error"]["hint"] and home.shape() == before


def test_what_changed_no_fact_is_passed_over(home: Place) -> None:
    """Words and uses of a log stay, and the step goes to the log before; a first one alone is refused."""
    say(home, told("Updated", "a", "A2."))
    for events in ([named("Referenced", "a")], []):
        say(home, *events)
    assert undo(home) == ["a says again: A."]
    assert set(undo(home)) == {f"{id}, which it brought, is false now" for id in "abct"}
    refused = home.run("undo", code=1).json["error"]
    assert "it changed no fact; words and uses of a log stay" in refused["message"]
    assert "no undo of claude-code waits" not in refused["message"]


@pytest.mark.parametrize(
    "event",
    [told("Updated", "a", "A3."), named("Verified", "a"), replaced("c", "n"), named("Archived", "n")],
)  # fmt: skip
def test_what_somebody_built_on_is_left(home: Place, event: Event) -> None:
    """A fact that another agent reworded, confirmed, put away or relied on since stays as it is, and is said."""
    say(home, told("Updated", "a", "A2."), told("Created", "n", "New."))
    other = say(home, event, whose=("codex", "", "work"))
    of = "a" if " a" in event.line else "n"
    answer = home.run("undo")
    why = f"{of} was changed since, by {other}"
    assert answer.json["left"] == [{"id": of, "why": why}] and does(answer)[-1] == f"left as it is: {why}"  # fmt: skip
    facts = home.show()
    text = "A." if of == "n" else "A3." if event.block else "A2."
    assert (facts["a"]["text"], bool(facts["n"]["invalidated"])) == (text, of == "a")


#: Who types: the name and address that git has, and the agent that the environment names, "" for a person.
ACTORS = (("Ada", ""), ("Bo", ""), ("Ada", "codex"), ("Bo", "codex"), ("Ada", "gemini"))


@pytest.mark.parametrize("seed", range(examples(2, 30)))
def test_an_undo_takes_back_the_last_act_of_who_asks(home: Place, seed: int) -> None:
    """And no other; its redo restores it. What a person says in the name of an agent is the person's."""
    rng = random.Random(seed)
    acts: list[tuple[tuple[str, str], str, str]] = []  # who did it, the log, the fact
    gone: list[tuple[tuple[str, str], str, str]] = []

    def run(who: tuple[str, str], *words: str) -> Answer:
        person, agent = who
        home.git("config", "user.name", person)
        home.git("config", "user.email", f"{person.lower()}@example.org")
        return home.run(*words, env={"DIURNA_AGENT": agent}, code=None)

    for step in range(7):
        who = rng.choice(ACTORS)
        own = [act for act in acts if act[0] == who]
        undone = [act for act in gone if act[0] == who]
        match rng.choice(("note", "note", "edit", "undo", "undo", "redo")):
            case "note":
                ran = run(who, "note", f"id=f{step} fact: Text {step} is so.")
                acts.append((who, ran.json["stem"], f"f{step}"))
                gone = [act for act in gone if act[0] != who]
            case "edit":
                named = rng.choice(((), ("--agent", "codex"), ("--agent", "nobody")))
                ran = run(who, "edit", "a", f"Text {step} holds.", *named)
                acts.append((who, ran.json["stem"], "a"))
                gone = [act for act in gone if act[0] != who]
            case "undo":
                ran = run(who, "undo")
                assert (ran.code == 0) == bool(own) or ran.said == "Irreversible"
                if ran.code == 0:
                    assert ran.json["undone"] == own[-1][1]
                    acts.remove(own[-1])
                    gone.append(own[-1])
            case "redo":
                ran = run(who, "undo", "--redo")
                if undone and ran.code == 0:
                    assert ran.json["logs"][0]["stem"] == undone[-1][1]
                    gone.remove(undone[-1])
                    acts.append(undone[-1])
        facts = home.show("--list", "--all")
        standing = {fact for _, _, fact in acts if fact != "a"}
        assert {id for id in facts if id[0] == "f" and not facts[id]["false"]} == standing


def test_a_person_is_told_and_asked_first(world: World) -> None:
    """The README's own steps: what was typed last is taken back, once it was shown and agreed to."""
    home = world.home(OWN_REPOSITORY, facts=BASE)
    home.run("edit", "a", "A2.", "--agent", "codex", env={"DIURNA_AGENT": ""})
    for typed, text in (("n", "A2."), ("y", "A.")):
        command = [forks.program(), "undo"]
        terminal = Terminal(
            command, home.folder, {**os.environ, "TERM": "dumb", "DIURNA_AGENT": ""}
        )
        assert "a says again: A." in terminal.answer("take this back?", typed)
        assert terminal.finish() == 0 and home.texts()["a"] == text


def test_what_names_an_id_that_nobody_knows_is_taken_back_too(home: Place) -> None:
    """A fact that a log of elsewhere superseded holds again, and undoing that names its successor anew."""
    say(home, replaced("a", "of-elsewhere"))
    home.run("edit", "--restore", "a", "--reason", "It holds.")
    assert home.show("a")["a"]["tier"] != "superseded"
    undo(home)
    assert home.show("a")["a"]["superseded_by"] == ["of-elsewhere"]


def test_what_came_otherwise_is_taken_back_too(home: Place) -> None:
    """A log that waits to be committed, and an import of lines, which is done again as well."""
    lines = b'{"text": "Never use floats for money."}\n{"text": "Always run ruff."}\n'
    home.run("import", "jsonl", "-", "--write", stdin=lines)
    for words, false in ((["undo"], 2), (["undo", "--redo"], 0)):
        home.run(*words)
        facts = home.show("--list", "--all")
        assert sum(one["tier"] == "superseded" for one in facts.values()) == false
    pick = home.write(".git/CHERRY_PICK_HEAD", home.git("rev-parse", "HEAD"))
    waits = home.run("note", "id=pip We use pip for now.", code=1).json["error"]["stem"]
    pick.unlink()
    assert home.run("undo").json["undone"] == waits and home.show("pip")["pip"]["invalidated"]


# ---- laws --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Place]]:
    """Make homes, each in a folder of its own."""
    with World(tmp_path_factory.mktemp("undo")) as world:
        numbers = iter(range(10_000))
        yield lambda: world.home(OWN_REPOSITORY, f"r{next(numbers)}", facts=BASE)


_IDS, _TEXTS = st.sampled_from(tuple(BASE)), st.sampled_from(("One.", "Two.", "Three."))
_VERBS = "Referenced Invalidated Reinstated Archived Reactivated Promoted Demoted".split()
_EVENTS = st.one_of(
    st.builds(named, st.sampled_from(_VERBS), _IDS),
    st.builds(named, st.sampled_from(("Closed", "Reopened")), st.just("t")),
    st.builds(told, st.just("Updated"), _IDS, _TEXTS),
    st.builds(told, st.just("Created"), st.sampled_from(("n", "m")), _TEXTS),
    st.builds(replaced, _IDS, _IDS),
)
_LOGS = st.lists(st.lists(_EVENTS, min_size=1, max_size=4), min_size=1, max_size=3)


@settings(max_examples=examples(1, 12), phases=tuple(Phase)[: examples(1, 12)])
@example(logs=[[told("Updated", "a", "One.")], [replaced("b", "c"), named("Closed", "t")]], kind="edit")  # fmt: skip
@given(logs=_LOGS, kind=st.sampled_from(("work", "edit")))
def test_undo_is_the_inverse_and_its_own(
    homes: Callable[[], Place], logs: list[list[Event]], kind: str
) -> None:
    """Law: as many undos lead back through all that held, as many redos lead forth again.

    Where an undo is refused, nothing was recorded; what it left stands as it stood.
    """
    home = homes()
    said: list[tuple[str, Facts, Facts]] = []  # stem, what held before it, and after it
    for events in logs:
        before = said[-1][2] if said else shown(home)
        if stem := say(home, *events, whose=("claude-code", "", kind), code=None):
            said.append((stem, before, shown(home)))
    steps: list[tuple[set[str], Facts]] = []
    while any(before != after for _, before, after in said):
        tip = home.tip()
        ran = home.run("undo", code=None)
        if ran.code:
            assert (ran.said, home.tip()) == ("Irreversible", tip)
            break
        stem, before, after = said.pop()
        while stem != ran.json["undone"]:  # what changed nothing is passed over
            assert before == after
            stem, before, after = said.pop()
        left = {one["id"] for one in ran.json["left"]}
        now = shown(home)
        assert but(now, left) == but(before, left)
        assert {id: now.get(id) for id in left} == {id: after.get(id) for id in left}
        steps.append((left, after))
        if left:
            break
    for left, after in reversed(steps):
        redo(home)
        assert but(shown(home), left) == but(after, left)
    assert home.run("undo", "--redo", code=1).said == "NotFound"
    home.warm_is_cold()


BAD, GOOD, PERSON = ("codex", "bad", "work"), ("codex", "good", "work"), ("Ada", "", "edit")
_NAMES = st.sampled_from(("n", "x", "y", "a"))
_DERIVED = st.one_of(
    st.builds(told, st.just("Created"), st.sampled_from(("x", "y")),
              st.sampled_from(("See [[n]].", "As [[x]].", "Y."))),
    st.builds(replaced, _NAMES, _NAMES),
    st.builds(told, st.just("Updated"), _NAMES, _TEXTS),
    st.builds(named, st.sampled_from(("Verified", "Promoted", "Referenced", "Invalidated", "Reinstated",
                                      "Archived")), _NAMES),
    st.builds(named, st.just("Closed"), st.just("t")),
)  # fmt: skip
_SESSIONS = st.lists(
    st.tuples(st.sampled_from((BAD, GOOD, PERSON)), st.lists(_DERIVED, min_size=1, max_size=3)),
    min_size=1, max_size=6,
)  # fmt: skip
_EVENT = re.compile(r"(?m)^- ([A-Z]\w+): (.*)$")


def without(home: Place, stems: set[str], took: set[str], folder: Path) -> Facts:
    """What holds by all logs but some, and by nothing of what the others say of some facts."""

    def line(found: re.Match[str]) -> str:
        items = re.split(r", (?![^(]*\))", found[2])
        rest = [
            one for one in items if not took & set(re.findall(r"[\w-]+", one.partition(" (")[0]))
        ]
        return f"- {found[1]}: {', '.join(rest)}" if rest else ""

    other = home.world.home(OWN_REPOSITORY, folder.name)
    files: dict[str, str | bytes | None] = {}
    now: dict[str, str] = {}  # what a log is called whose bytes are others
    for stem, data in sorted(home.logs().items()):
        text = _EVENT.sub(line, data.decode())
        for old, new in now.items():
            text = text.replace(old, new)
        now[stem] = f"{stem[:20]}-{sealed(text.encode())}"
        if stem not in stems:
            files[f"sessions/{stem[:7]}/{stem[8:10]}/{now[stem]}.md"] = text
    other.plant(files)
    return shown(other)


@pytest.mark.deep(reason="undo_is_the_inverse_and_its_own, and a_redo_supersedes_again")
@settings(max_examples=examples(1, 10))
@example(said=[(GOOD, [named("Archived", "a")]), (BAD, [named("Referenced", "a")])])
@given(said=_SESSIONS)
def test_what_a_session_wrote_is_as_if_it_had_not(homes: Callable[[], Place], said: Any) -> None:
    """Law: what holds then is what holds without its logs and what was derived, but for what is left.

    What is left stands as it stood, and for a reason; a redo brings back what held.
    """
    home = homes()
    stems = {say(home, told("Created", "n", "New."), whose=BAD)}
    for whose, events in said:
        stem = say(home, *events, whose=whose, code=None)
        stems |= {stem} - {""} if whose is BAD else set()
    before = shown(home)
    ran = home.run("undo", "--session", "bad", "--yes", code=None)
    if ran.code:
        return
    found = ran.json
    assert {log["stem"] for log in found["logs"]} == stems
    took, left = set(found["took"]), {one["id"] for one in found["left"]}
    after = shown(home)
    aim = without(home, {*stems, found["stem"]}, took, home.folder.with_name(f"{home.folder.name}-aim"))  # fmt: skip
    assert but(after, left) == but(aim, left)
    assert {id: after.get(id) for id in left} == {id: before.get(id) for id in left}
    assert not (took - left) & after.keys()
    reasons = "confirms|settles|would not|several|left|changed since|decided|built|after"
    assert [one for one in found["left"] if not re.search(reasons, one["why"])] == []
    left |= {one["id"] for one in redo(home)["left"]}
    assert but(shown(home), left) == but(before, left)


def test_what_was_derived_goes_with_it(home: Place) -> None:
    """What links to it, supersedes it, serves it, asks about it; what a person decided is left, and said."""
    bad = say(home, told("Created", "n", "Deploy on Fridays."), replaced("a", "n"), whose=BAD)
    say(
        home, told("Updated", "n", "Deploy on Fridays at noon."), named("Promoted", "n"), whose=GOOD
    )
    say(home, told("Created", "link", "As [[n]] says."), told("Created", "deep", "As [[link]] says."),
        told("Created", "served", "S.", " | serves: n"), told("Created", "next", "On Mondays."),
        replaced("n", "next"), told("Created", "against", "No.", " | conflicts: n"), whose=GOOD)  # fmt: skip
    say(home, told("Created", "asked", "So?", " | kind: thread | about: n"),
        told("Created", "learned", "L.", f" | source: codex {bad}:7"), whose=("Ada", "", "review"))  # fmt: skip
    say(home, told("Created", "own", "I looked at [[n]]."), whose=PERSON)
    found = home.run("undo", "--session", "bad", "--yes").json
    assert set(found["took"]) == {"n", "link", "deep", "served", "next", "asked"}
    assert {one["id"] for one in found["left"]} == {"own", "learned"}
    assert "link, which came of it, is false now" in found["does"]
    now = shown(home)
    assert {"a", "b", "against", "own", "learned"} <= now.keys() and not now.keys() & set(found["took"])  # fmt: skip
    again = home.run("undo", "--session", "bad", "--yes").json
    assert again["already"].startswith("taken back before")
    redo(home)
    assert shown(home).keys() >= {"link", "deep", "served", "next"}


def test_a_redo_supersedes_again_what_held_again(home: Place) -> None:
    """What others superseded by a fact of the session is so again, but for what was changed since the undo."""
    say(home, told("Created", "n", "New."), whose=BAD)
    say(home, replaced("a", "n"), replaced("c", "n"), whose=GOOD)
    assert {"a holds again", "c holds again"} < set(undo(home, "--session", "bad", "--yes"))
    since = say(home, told("Updated", "c", "C2."), whose=GOOD)
    found = redo(home)
    assert found["left"] == [{"id": "c", "why": f"c was changed since, by {since}"}]
    facts = home.show()
    assert (facts["a"]["superseded_by"], facts["c"]["superseded_by"]) == (["n"], [])
    assert facts["c"]["text"] == "C2." and not facts["n"]["invalidated"]


def test_a_false_fact_is_false_by_each_of_its_texts(home: Place) -> None:
    """Superseded and reworded: two undos and two redos lead to its last text, which is as false."""
    done = [say(home, event) for event in (replaced("b", "a"), told("Updated", "b", "B2."))]
    assert undo(home) == ["b says again: B."] and undo(home) == ["b holds again"]
    assert [redo(home)["logs"][0]["stem"] for _ in done] == done and home.texts()["b"] == "B2."


def test_logs_are_chosen_by_session_agent_and_time(home: Place) -> None:
    """By the start of a stem, a session, an agent since a time; an undo is none of them."""
    one, two = (say(home, told("Created", fact, "N."), whose=whose) for fact, whose in (("n", BAD), ("m", GOOD)))  # fmt: skip
    for options, stems in (
        ([one[:22]], {one}), ([one, two], {one, two}), (["--session", "good"], {two}),
        (["--agent", "codex", "--since", one], {one, two}), (["--agent", "codex", "--since", two], {two}),
        (["--session", "bad", "--agent", "codex"], {one}),
    ):  # fmt: skip
        plan = home.run("undo", *options, "--dry-run").json
        assert {log["stem"] for log in plan["logs"]} == stems
    for wrong in (["--session", "bad", "--agent", "Ada"], ["--agent", "x", "--since", one]):
        assert home.run("undo", *wrong, code=1).said == "NotFound"
    stem = home.run("undo", "--session", "bad", "--yes").json["stem"]
    assert "is an undo" in home.run("undo", stem, "--yes", code=2).err
