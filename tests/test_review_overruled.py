"""What an agent put in the place of a person's decision is asked about until a person settles it."""

from __future__ import annotations

import random

import pytest

from ledger.model.event import (
    Event,
    FactArchived,
    FactInvalidated,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
)
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.fold.falsity import said_against
from rituals.review.questions import OVERRULED
from rituals.review.review_answers import ACCEPT, LATER, REJECT, events_of
from tests.conftest import Repo, Run, examples
from tests.test_review import Book, new, rules

PERSON = "Ada"
AGENTS = {"work": "codex", "edit": "claude-code", "import": "docs"}


def _decided(kind: str = "decision") -> Book:
    """Return a ledger in which a person decided something, and an agent said something else."""
    book = Book()
    book.log(new("ferry", "The ferry waits.", kind), agent=PERSON, type="edit")
    book.log(new("bridge", "We use the bridge.", "decision"), agent="codex")
    return book


def _asked(book: Book) -> list[str]:
    return [one.facts[0] for one in book.plan().unanswered if one.rule == OVERRULED]


def _stands(book: Book, text: str) -> bool:
    fact = book.plan().state["ferry"].fact
    return fact.text == text and not (fact.false or fact.closed or fact.archived_at)


OVERRULINGS: list[tuple[str, Event]] = [
    ("decision", FactUpdated("ferry", "The ferry leaves.")),
    ("decision", FactSuperseded("ferry", "bridge")),
    ("decision", FactSuperseded("ferry", "nowhere")),
    ("decision", FactInvalidated("ferry")),
    ("decision", FactArchived("ferry")),
    ("thread", ThreadClosed("ferry")),
]


@pytest.mark.parametrize(("kind", "event"), OVERRULINGS)
@pytest.mark.parametrize("type", AGENTS)
def test_what_overrules_a_person_is_asked_once(kind: str, event: Event, type: str) -> None:
    """Accepting keeps it, rejecting lets what the person said hold again; neither is asked after that."""
    for answer in (ACCEPT, REJECT):
        book = _decided(kind)
        assert _asked(book) == []
        book.log(event, agent=AGENTS[type], type=type)
        assert _asked(book) == ["ferry"]
        assert not _stands(book, "The ferry waits.")
        book.review(ferry=LATER)
        assert _asked(book) == ["ferry"]
        book.review(ferry=answer)
        assert _stands(book, "The ferry waits.") == (answer == REJECT)
        assert OVERRULED not in rules(book.plan())
        book.idle(2)
        assert OVERRULED not in rules(book.plan())


def test_an_agent_settles_nothing() -> None:
    """Neither its confirmation, nor its closing of the thread that asks, nor its own answer; a person's closing does."""
    book = _decided()
    book.log(FactUpdated("ferry", "The ferry leaves."), agent="codex")
    book.review()
    (thread,) = [one.id for one in book.plan().raised if one.rule == OVERRULED]
    book.log(FactVerified("ferry"), agent="claude-code", type="edit")
    assert _asked(book) == ["ferry"]
    book.log(ThreadClosed(thread), agent="claude-code", type="edit")
    assert _asked(book) == ["ferry"]
    plan = book.plan()
    given = {one.key: ACCEPT for one in plan.unanswered}
    book.log(*events_of(plan, given), agent="codex", type="review")
    assert _asked(book) == ["ferry"]
    book.log(ThreadClosed(thread), agent=PERSON, type="edit")
    assert _asked(book) == []


def test_an_agent_may_close_what_is_to_be_done() -> None:
    """That is work; it contradicts a person only where that one said that it stays open."""
    for asked in ([], ["ship"]):
        book = Book()
        book.log(new("ship", "Ship it.", "task", mark=" "), agent=PERSON, type="edit")
        for id in asked:
            book.log(FactVerified(id), agent=PERSON, type="edit")
        book.log(ThreadClosed("ship"), agent="codex")
        assert _asked(book) == asked


def test_a_successor_that_was_confirmed_long_before_settles_nothing() -> None:
    """A person stands behind what replaced a decision where that one said so since then."""
    book = _decided()
    book.log(FactVerified("bridge"), agent=PERSON, type="edit")
    book.log(FactSuperseded("ferry", "bridge"), agent="codex")
    assert _asked(book) == ["ferry"]
    book.log(FactVerified("bridge"), agent=PERSON, type="edit")
    assert _asked(book) == []


def test_no_proposal_puts_an_agents_word_above_a_persons() -> None:
    """Of two facts that say the same the person's stays, as it is."""
    for first, second in ((PERSON, "codex"), ("codex", PERSON)):
        book = Book()
        types = {PERSON: "edit", "codex": "work"}
        said = {
            PERSON: "The server listens on one port alone.",
            "codex": "The server listens always on one port alone.",
        }
        ids = {PERSON: "server-b", "codex": "server-a"}
        for who in (first, second):
            book.log(new(ids[who], said[who], "fact"), agent=who, type=types[who])
        (asked,) = [one for one in book.plan().questions if one.rule == "overlap"]
        assert asked.accept == (FactSuperseded("server-a", "server-b"),)


# ---- whatever happens ------------------------------------------------------------------------------


def _deed(chance: random.Random, number: int, book: Book) -> tuple[Event, ...]:
    """Return what somebody does to a fact or two."""
    id = chance.choice(("a", "b", "c"))
    state = book.plan().state
    fact = state.fact(id)
    if fact is None:
        return (new(id, f"Text {number}.", "decision"),)
    heads = tuple(head.id for head in fact.heads)
    other = chance.choice([one for one in "abc" if one != id and state.fact(one)] or ["d"])
    return (
        chance.choice(
            (
                FactUpdated(id, f"Text {number}.", heads),
                FactUpdated(id, f"Text {number}.", heads),
                FactVerified(id),
                FactVerified(id),
                FactSuperseded(id, other, was=heads),
                FactInvalidated(id, was=heads),
                FactReinstated(id, said=said_against(id, state.histories[id])),
            )
        ),
    )


@pytest.mark.parametrize("seed", range(examples(20)))
def test_every_decision_that_is_overruled_is_listed_until_a_person_settles_it(seed: int) -> None:
    """Told apart by a model that knows only whose word put which text out of force, last."""
    chance = random.Random(seed)
    book = Book()
    mine: dict[str, str] = {}  # id -> the text that a person stands behind
    backed: set[tuple[str, str]] = (
        set()
    )  # what is false, and a successor that a person took over since
    for number in range(14):
        person = chance.random() < 0.4
        (event,) = _deed(chance, number, book)
        before = book.plan().state.fact(event.id)
        if person and before is not None and before.false and not isinstance(event, FactReinstated):
            continue  # commands refuse that
        book.log(event, agent=PERSON if person else "codex", type="edit" if person else "work")
        now = book.plan().state
        fact = now.fact(event.id)
        assert fact is not None
        if person:
            mine.pop(event.id, None)
            if not isinstance(event, FactInvalidated | FactSuperseded):
                mine[event.id] = fact.text
                if not isinstance(event, FactReinstated):
                    backed |= {(id, event.id) for id in mine}
        elif isinstance(event, FactInvalidated | FactSuperseded):
            backed = {pair for pair in backed if pair[0] != event.id}
        lost = {
            id for id, text in mine.items() if (there := now[id].fact).false or there.text != text
        }
        asked = set(_asked(book))
        assert asked <= lost
        for id in lost - asked:  # a person stands behind what took its place
            news = now[id].fact.superseded_by
            assert any((id, new) in backed for new in news), (seed, id)
    while asks := _asked(book):  # an answer to one may settle another
        id = asks[0]
        answer = chance.choice((ACCEPT, REJECT))
        text = mine[id]
        book.review(**{id: answer})
        assert id not in _asked(book)
        if answer == REJECT:
            assert book.plan().state[id].fact.text == text
            assert not book.plan().state[id].fact.false


# ---- as commands show it ---------------------------------------------------------------------------


def test_a_review_asks_until_one_says_which_holds(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One text stands, so it is no contradiction."""
    monkeypatch.delenv("DIURNA_AGENT", raising=False)
    memory = Memory.open(str(repo.path))
    memory.append(
        SessionDraft("D", events=(new("ferry", "The ferry waits."),), type="edit", agent=PERSON)
    )
    memory.close()
    update = ("--update", "ferry", "The ferry leaves.")
    assert run("append", "--agent", "codex", "--title", "U", *update).code == 0
    assert run("conflicts", "--json").json["contradictions"] == []
    assert run("review", "--dry-run", "--json").json["asks"][OVERRULED] == 1
    assert run("review", "--confirm", "ferry").code == 0
    assert OVERRULED not in run("review", "--dry-run", "--json").json["asks"]


def test_a_persons_side_stands_first(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a contradiction, and of what weighs the same in a section of the brief."""
    monkeypatch.delenv("DIURNA_AGENT", raising=False)
    memory = Memory.open(str(repo.path))

    def log(event: Event, agent: str, type: str) -> None:
        draft = SessionDraft(agent, events=(event,), type=type, agent=agent, anyway=True)
        memory.append(draft, again=True)

    log(new("ferry", "The ferry waits.", "decision"), "codex", "import")
    log(new("quay", "The quay is closed.", "decision"), PERSON, "edit")
    log(new("dock", "The dock is open.", "decision"), "codex", "import")
    was = tuple(head.id for head in memory.state()["ferry"].fact.heads)
    log(FactUpdated("ferry", "The ferry leaves.", was), "codex", "import")
    log(FactUpdated("ferry", "The ferry stays.", was), PERSON, "edit")
    memory.close()
    (found,) = run("conflicts", "--json").json["contradictions"]
    first = ["The ferry stays.", "The ferry leaves."]
    assert [one["text"] for one in found["choices"]] == first
    (shown,) = run("show", "ferry", "--json").json["facts"]
    assert [one["text"] for one in shown["versions"]] == first
    told = run("brief", "--agent", "other").out
    assert told.index("The ferry stays.") < told.index("The ferry leaves.")
    assert told.index("The quay is closed.") < told.index("The dock is open.")
