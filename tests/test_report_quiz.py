"""`diurna quiz`: what it asks, what counts as answered, what it says is missing, what it proposes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledger.home import discover
from ledger.model.event import FactCreated
from memory.api import Memory, SessionDraft
from memory.recall.recall_values import FACTS, Filters
from rituals.report.quiz.quiz_findings import missing
from rituals.report.quiz.quiz_questions import GENERAL
from rituals.report.quiz.score import Score, score
from rituals.report.quiz.suggest import suggestions
from tests.conftest import NOW_MS
from tests.small_ledgers import adopt, needs_mercury, place_mercury

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

FACTS_OF_SHOP = (
    "id=retries decision: Webhooks retry three times, with jitter.",
    "id=orders invariant: Orders are never deleted, not even by support.",
    "id=stack stack: Python 3.12 and PostgreSQL 17, built with uv.",
    "id=storm thread: Can a storm of retries starve the workers?",
)


@pytest.fixture
def shop(repo: Repo, run: Run) -> Repo:
    """A home with four facts."""
    new = [part for one in FACTS_OF_SHOP for part in ("--new", one)]
    assert run("append", "--title", "Start", *new).code == 0
    return repo


def put(asked: dict[str, tuple[str, str]]) -> None:
    """Record questions: id -> (text, value of the footer `expect`)."""
    events = [
        FactCreated(id, text, "", (("kind", "question"), ("expect", expect)))
        for id, (text, expect) in asked.items()
    ]
    memory = Memory(discover("."), agent="claude-code", clock=lambda: NOW_MS)
    memory.append(SessionDraft("Questions", "", tuple(events)))
    memory.close()


def scored() -> Score:
    """Put the quiz to the home of the working directory."""
    memory = Memory(discover("."))
    found = score(memory)
    memory.close()
    return found


def lacking(found: Score) -> dict[str, list[str]]:
    """Return what is missing in the ledger's questions."""
    return {one.asked.name: missing(one) for one in found.own.missed}


def test_a_question_is_answered_by_what_it_expects(shop: Repo, run: Run) -> None:
    """The score in words; what is not answered stands below, with what is missing."""
    put({"q-a": ("How often do webhooks retry?", "retries"),
         "q-b": ("May support delete an order?", "nobody, retries")})  # fmt: skip
    ran = run("quiz")
    assert ran.code == 0
    head, *rest = ran.out.split("\n\n")
    assert head == "4 of 8 general questions, 1 of 2 of this ledger answered"
    assert rest[-1] == (
        "May support delete an order?  (q-b)\n"
        "  nobody is unknown: no log brings a text for it\n"
        "  retries is not among the first 10, behind orders\n"
    )
    said = run("quiz", "--json").json
    assert (said["asked"], said["answered"], said["general"]) == (
        10,
        5,
        {"asked": 8, "answered": 4},
    )
    (first,) = (one for one in said["questions"] if one["name"] == "q-a")
    assert (first["answered"], first["place"], first["given"][0]) == (True, 1, "retries")


def test_the_successor_answers_in_the_place_of_the_superseded(shop: Repo, run: Run) -> None:
    """Of what is false with a successor that counts, through several; without one it is said."""
    put({"q": ("How often do webhooks retry?", "retries"),
         "q-storm": ("Can a storm starve the workers?", "storm")})  # fmt: skip
    for old, new in (("retries", "retries-four"), ("retries-four", "retries-five")):
        assert run("append", "--title", "More", "--new", f"id={new} decision: Webhooks retry {new}.",
                   "--supersede", f"{old}={new}").code == 0  # fmt: skip
    assert run("append", "--title", "Gone", "--invalidate", "storm").code == 0
    found = scored()
    assert [one.asked.name for one in found.own.results if one.place] == ["q"]
    assert lacking(found) == {"q-storm": ["storm is false, and nothing stands instead"]}
    assert run("archive", "retries-five", "--reason", "Known by all.").code == 0
    said = "retries-five, which stands for retries, is in the archive, and comes 1st"
    assert lacking(scored())["q"] == [said]


def test_a_circle_of_successors_ends(shop: Repo, run: Run) -> None:
    """Two facts that supersede each other: the newest edge is cut, and the other one stands."""
    put({"q": ("How often do webhooks retry?", "retries")})
    assert run("append", "--title", "One", "--supersede", "retries=orders").code == 0
    shop.write(
        "memory/sessions/2026-11-29-101500.md",
        "# Back\n\n## Memory References\n\n- Superseded: orders → retries\n",
    )
    shop.git("add", "-A")
    shop.git("commit", "-qm", "by hand")
    assert run("conflicts", "--json").json["contradictions"]
    assert lacking(scored()) == {
        "q": ["orders, which stands for retries, is not among the first 10, behind storm"]
    }


def test_a_withheld_fact_is_told_and_not_quoted(shop: Repo, run: Run) -> None:
    """A question that expects a redacted fact fails, and nothing of its text is shown."""
    put({"q": ("How often do webhooks retry?", "retries")})
    assert run("redact", "retries", "--reason", "It names a customer.").code == 0
    ran = run("quiz")
    assert "retries is withheld: it was redacted" in ran.out
    assert "jitter" not in ran.out + ran.err


def test_a_question_that_expects_nothing_is_told(shop: Repo) -> None:
    """As somebody wrote it by hand; so is what can be no id at all."""
    shop.write(
        "memory/sessions/2026-11-20-101500.md",
        "# Ask\n\n## Memory References\n\n- Created: q, r\n\n## Facts\n\n"
        "- How often do webhooks retry?\n  <!-- id: q | kind: question -->\n"
        "- Retry?\n  <!-- id: r | kind: question | expect: x_y [[x]] ../etc -->\n",
    )
    shop.git("add", "-A")
    shop.git("commit", "-qm", "by hand")
    assert lacking(scored()) == {
        "q": ["expects no fact: say `expect: ID` in its footer; recall gives retries, storm"],
        "r": [
            f"{one} is unknown: no log brings a text for it" for one in ("x_y", "[[x]]", "../etc")
        ],
    }


def test_questions_are_no_answers(shop: Repo, run: Run) -> None:
    """Recall leaves them out, unless it is asked for them: each has the very words that are asked."""
    text = "How often do webhooks retry?"
    put({f"q-{number}": (text, "retries") for number in range(4)})
    hits = run("recall", text, "--in", "facts", "--json").json["hits"]
    assert [one["id"] for one in hits] == ["retries", "storm"]
    asked = run("recall", text, "--kind", "question", "--json").json["hits"]
    assert {one["id"] for one in asked} == {f"q-{number}" for number in range(4)}
    assert run("recall", "--ids", "q-0", "--level", "full").out.count(text) == 1
    assert scored().own.answered == 4


def test_many_questions_crowd_nothing_out(shop: Repo, run: Run) -> None:
    """However many there are of the same words, recall finds the fact that answers."""
    put(
        {
            f"q-{number}": (f"How often do webhooks retry, {number}?", "retries")
            for number in range(450)
        }
    )
    hits = run("recall", "How often do webhooks retry?", "--in", "facts", "--json").json["hits"]
    assert [one["id"] for one in hits] == ["retries", "storm"]


def test_what_is_settled_is_not_asked(shop: Repo, run: Run) -> None:
    """A question that is false, put away or withheld is not asked; one that faded is."""
    put({f"q-{number}": ("Who knows?", "nobody") for number in range(4)})
    assert run("append", "--title", "No", "--invalidate", "q-1").code == 0
    assert run("archive", "q-2", "--reason", "Nobody asks.").code == 0
    assert run("redact", "q-3", "--reason", "A name.").code == 0
    memory = Memory(discover("."), agent="claude-code", clock=lambda: NOW_MS)
    for number in range(22):
        memory.append(SessionDraft(f"Session {number}", "", ()))
    memory.close()
    assert run("show", "q-0", "--json").json["facts"][0]["tier"] == "archived"
    assert [one.asked.name for one in scored().own.results] == ["q-0"]


def test_general_questions_are_answered_by_kind(shop: Repo, run: Run) -> None:
    """Each is answered by one live fact of a kind that it expects, and says which kind is missing."""
    missed = {one.asked.name: missing(one) for one in scored().missed}
    assert list(missed) == ["purpose", "conventions", "state", "lessons"]
    assert missed["state"] == [
        'recall finds no fact of kind state or fact by its words: `diurna note "state: TEXT"` says one'
    ]
    note = ("vision: Payments that nobody thinks about.", "state: Phase two; the beta runs.",
            "convention: Tests say what they show.", "pattern: Reading the log first saves an hour.")  # fmt: skip
    assert run("note", *note).code == 0
    assert scored().general.answered == len(GENERAL) == 8
    assert run("archive", "stack", "--reason", "Known by all.").code == 0
    (one,) = scored().missed
    assert missing(one) == ["all that answers of kind stack is in the archive, first stack"]


def test_suggestions_are_questions_that_note_takes(shop: Repo, run: Run) -> None:
    """For live facts that no question reaches, by kind; the same twice; none for what is asked about."""
    ran = run("quiz", "--suggest")
    assert run("quiz", "--suggest").out == ran.out
    memory = Memory(discover("."))
    assert [one.line for one in suggestions(memory, Score(()))] == [
        "question: expect=orders Which invariant holds for orders?",
        "question: expect=stack What do we use for stack?",
        "question: expect=retries What was decided about retries?",
        "question: expect=storm What is open about storm?",
    ]
    assert [one.answered for one in suggestions(memory, Score(()))] == [True] * 4
    memory.close()
    lines = [one.line for one in suggestions(memory, Score(()))]
    assert run("note", "--dry-run", *lines).code == 0
    (line,) = [one for one in lines if "expect=retries" in one]
    assert run("note", line).code == 0
    assert [(one.asked.expect, one.place) for one in scored().own.results] == [(("retries",), 1)]
    put({"q": ("What was decided about retries?", "retries"), "r": ("Stack?", "stack")})
    memory = Memory(discover("."))
    found = score(memory)
    proposed = {one.expect for one in suggestions(memory, found)}
    memory.close()
    reached = {"retries", "stack", *(id for one in found.own.results for id in one.given[:3])}
    assert proposed == {"orders", "retries", "stack", "storm"} - reached and proposed


def test_an_empty_home_is_asked_as_well(repo: Repo, run: Run) -> None:
    """Nothing answers, nothing is proposed, and nothing fails."""
    ran = run("quiz")
    assert (ran.code, ran.out.split("\n")[0]) == (0, "0 of 8 general questions answered")
    assert (run("quiz", "--suggest").out, run("lint", "--quiz").code) == ("", 0)


def test_lint_ends_with_1_where_a_question_of_the_ledger_fails(shop: Repo, run: Run) -> None:
    """The general ones are only told; without `--quiz` nothing is asked; files are no ledger."""
    put({"q": ("How often do webhooks retry?", "retries")})
    ran = run("lint", "--quiz", "--json")
    assert (ran.code, [one["code"] for one in ran.json["findings"]]) == (0, ["quiz-general"])
    put({"r": ("May support delete an order?", "storm")})
    ran = run("lint", "--quiz")
    said = "error: r is not answered: storm is not among the first 10, behind orders"
    assert (ran.code, said in ran.err.split("\n")) == (1, True)
    assert run("lint").code == 0
    assert run("lint", "--quiz", "x.md").code == 2


def test_a_review_notes_the_score(shop: Repo, run: Run) -> None:
    """In its log: a row, and what is missing, by id; the same on a machine with vectors."""
    put({"q": ("May support delete an order?", "storm")})
    ran = run("review", "--yes", "--json")
    assert ran.json["quiz"]["missed"][-1] == "q"
    (path,) = shop.path.glob(f"memory/sessions/*/*/{ran.json['stem']}.md")
    log = path.read_text()
    assert "- Quiz: 4 of 8 general questions, 0 of 1 of this ledger answered\n" in log
    assert "- q: storm is not among the first 10, behind orders\n" in log
    assert "May support" not in log


HOSTILE = (
    "\x1b[2J‮ retries", '"webhooks retry" -webhooks', "x -- --home /", "(*", '"', "[[", "NEAR(a b)",
    "a" * 60_000, "Ω" * 500, "webhooks OR (retry", "{expect}", "%s %d", "' OR 1=1 --",
    " ".join(f"word{number}" for number in range(3000)),
)  # fmt: skip


def test_hostile_texts_are_asked_as_any(shop: Repo, run: Run) -> None:
    """No text of a question breaks the quiz, orders the terminal about, or takes long."""
    put({f"q-{number}": (text, "retries") for number, text in enumerate(HOSTILE)})
    start = time.process_time()
    ran = run("quiz")
    assert time.process_time() - start < 5
    assert (ran.code, "\x1b" in ran.out, "‮" in ran.out) == (0, False, False)
    assert run("lint", "--quiz").code == 1


def test_the_quiz_asks_as_recall_does(shop: Repo) -> None:
    """One body: what it is given is what `recall` gives by words."""
    texts = [one.split(":")[1] for one in FACTS_OF_SHOP]
    put({f"q-{number}": (text, "retries") for number, text in enumerate(texts)})
    memory = Memory(discover("."))
    only = Filters(within=FACTS)
    for one in score(memory).own.results:
        answer = memory.recall(one.asked.text, vectors=False, filters=only)
        assert one.given == tuple(hit.id for hit in answer.facts)
    memory.close()


@needs_mercury
def test_the_real_ledger_answers_what_any_project_has_to(tmp_path: Path) -> None:
    """All eight general questions; and a question of its users."""
    _, memory = adopt(place_mercury(tmp_path / "real"))
    found = score(memory)
    assert [missing(one) for one in found.missed] == []
    memory.close()
