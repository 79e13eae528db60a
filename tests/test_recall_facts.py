"""What holds comes first: facts that answer, ordered by where they stand, or the word that none does."""

from __future__ import annotations

import pytest

from memory.recall.query.stopwords import state_words
from memory.recall.query.widening import everyday
from tests.conftest import Repo, Run, each_row

FACTS = {
    "release-1-9-0": "decision: Release 1.9.0 is out, with the queue of webhooks.",
    "release-1-10-0": "decision: Release 1.10.0 is out, with the new parser.",
    "release-notes": "convention: Notes of a release are written before its tag, never after.",
    "java-version": "stack: We build with Java 21 and Gradle.",
    "thread-parser": "thread: The parser loses comments at the end of a file.",
    "thread-cache": "thread: The cache is not cleared at midnight.",
    "main-protected": "invariant: Nobody commits to main; every change goes through a pull request.",
}


@pytest.fixture
def shop(repo: Repo, run: Run) -> Repo:
    """A home with a few facts, each in a log of its own, and logs that say their words again and again."""
    for id, said in FACTS.items():
        assert run("append", "--title", f"About {id}", "--new", f"id={id} {said}").code == 0
    for number in range(3):
        body = "We talked of the latest release, the parser and main.\n\nA survey of customers comes next."
        file = str(repo.write(f"prose-{number}.md", body))
        assert run("append", "--title", f"Talk {number}", "--body", file).code == 0
    assert run("append", "--title", "Done", "--close", "thread-cache").code == 0
    return repo


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("which java version do we use", "java-version"),
        ("may I commit to main", "main-protected"),
        ("what is the latest release", "release-1-10-0"),
        ("what is in the newest release", "release-1-10-0"),
        ("when are the notes of a release written", "release-notes"),
        ("which threads are still open", "thread-parser"),
        ("what is open about the parser", "thread-parser"),
    ],
)
def test_the_fact_that_answers_comes_first(shop: Repo, run: Run, question: str, fact: str) -> None:
    """Before every passage, however often that says the words."""
    found = run("recall", question, "--json").json
    assert found["hits"][0]["id"] == fact
    assert found["hits"] == found["facts"] + found["passages"]
    assert all(hit["kind"] != "session" for hit in found["facts"])
    assert all(hit["kind"] == "session" for hit in found["passages"])


def test_a_fact_that_says_it_in_related_words_is_an_answer(repo: Repo, run: Run) -> None:
    """What it lacks are these very words, not what they say; one that says less is still none."""
    said = "id=jobs decision: A suspended job resumes by its own key."
    assert run("append", "--title", "Jobs", "--new", said).code == 0
    asked = run("recall", "continue a paused job", "--in", "facts", "--json").json
    assert [hit["id"] for hit in asked["hits"]] == ["jobs"]
    other = run(
        "recall", "continue the kubernetes terraform rollout", "--in", "facts", "--json"
    ).json
    assert other["hits"] == []


def test_the_words_that_ask_for_a_number_are_in_no_answer(repo: Repo, run: Run) -> None:
    """A fact with a count answers "how many", and one that says "many" has none."""
    for id, said in (("gate", "The gate runs 305 tests."), ("talk", "Many tests had many owners.")):
        assert run("append", "--title", id, "--new", f"id={id} fact: {said}").code == 0
    for question, first in (("how many tests", "gate"), ("many tests", "talk")):
        found = run("recall", question, "--in", "facts", "--no-vectors", "--explain", "--json").json
        words = [
            part["remark"]
            for hit in found["hits"]
            for part in hit["parts"]
            if part["name"] == "words"
        ]
        assert any("many" in one for one in words) == (first == "talk"), words
        assert found["hits"][0]["id"] == first


def test_no_fact_is_an_answer(shop: Repo, run: Run) -> None:
    """A question whose words no fact covers is told so; what was said is still there."""
    found = run(
        "recall", "what did the survey of customers say about the parser and its price", "--json"
    )
    assert found.json["facts"] == [] and found.json["passages"]
    assert any("no fact answers" in note for note in found.json["notes"])


def test_another_spelling_is_less_sure(shop: Repo, run: Run) -> None:
    """A word that was put in the place of another does not make a fact an answer."""
    assert run("recall", "realise charts mane", "--json").json["facts"] == []


def test_a_word_that_is_only_spelled_alike_is_no_answer(repo: Repo, run: Run) -> None:
    """Who asks for helm is told what was looked for instead, and not that help answers; a slip is mended."""
    new = "id=cli-help convention: The help of each command shows an example."
    assert run("append", "--title", "Help", "--new", new).code == 0
    for question in ("helm", "which helm chart do we use"):
        found = run("recall", question, "--json").json
        assert found["facts"] == []
        assert "looked for help instead of helm" in found["notes"]
    assert run("recall", "exanple", "--json").json["facts"][0]["id"] == "cli-help"


def test_everyday_words_say_little(repo: Repo, run: Run) -> None:
    """That a fact lacks some of them is no sign that it does not answer; that it lacks a name is."""
    new = "id=retry decision: A webhook is sent again after an hour."
    assert run("append", "--title", "Retry", "--new", new).code == 0
    answered = run("recall", "what happens to somebody waiting for a webhook", "--json").json
    assert [hit["id"] for hit in answered["facts"]] == ["retry"]
    assert run("recall", "kubernetes terraform webhook", "--json").json["facts"] == []
    assert run("append", "--title", "Tools", "--new", "decision: We use uv for Python.").code == 0
    assert run("recall", "which database do we use", "--json").json["facts"] == []


@each_row("word", ["happens", "stopped", "tries", "carefully", "somebody", "known"])
def test_everyday(word: str) -> None:
    """Inflections count too; what names something does not."""
    assert everyday(word)
    assert not any(map(everyday, ("kafka", "postgres", "windows", "caller", "webhook", "port")))


def test_of_one_day_the_last_text_is_the_newest(repo: Repo, run: Run) -> None:
    """Logs of one day are told apart by their order."""
    for number in ("one", "two", "three"):
        new = f"id=deploy-{number} fact: Deploy {number} went to staging."
        assert run("append", "--title", number, "--new", new).code == 0
    found = run("recall", "latest deploy", "--json").json["facts"]
    assert [hit["id"] for hit in found] == ["deploy-three", "deploy-two", "deploy-one"]


def test_both_parts_have_their_heading(shop: Repo, run: Run) -> None:
    """Where there is only one part, there is none."""
    lines = run("recall", "latest release").out.split("\n")
    assert lines[0] == "what holds" and "what was said" in lines
    assert "what holds" not in run("recall", "latest release", "--in", "facts").out


def test_the_passage_that_comes_with_a_fact_is_named(repo: Repo, run: Run) -> None:
    """It stands in no second hit, so its id stands with the fact, in text as in JSON."""
    body = str(repo.write("body.md", "We measured the webhook queue for a week.\n"))
    new = "id=queue decision: The webhook queue holds a week."
    assert run("append", "--title", "Queue", "--new", new, "--body", body).code == 0
    (hit,) = run("recall", "webhook queue week", "--json").json["hits"]
    stem, _, line = hit["passage"].partition(":")
    named = run("recall", "webhook queue week").out.split("said in ")[1].split("\n")[0]
    start, _, place = named.partition(":")
    assert stem == hit["stem"] and stem.startswith(start) and place == line
    assert "We measured" in run("recall", "--ids", named).out


def test_the_newest_of_a_series_stands_before_the_others(repo: Repo, run: Run) -> None:
    """However much better an older one has the words; what is no member stays where it is."""
    for id, text in (
        ("release-1-10-0", "With a port for tea."),
        ("release-1-9-0", "The version of the port is told on its first page, by the port itself."),
        ("port-owner", "The port has an owner."),
    ):
        assert run("append", "--title", id, "--new", f"id={id} fact: {text}").code == 0
    asked = ("recall", "current version of the port", "--in", "facts", "--json", "--no-vectors")
    hits = run(*asked, "--explain").json["hits"]
    assert [hit["id"] for hit in hits][:2] == ["release-1-10-0", "release-1-9-0"]
    assert "newest of its series" in [part["name"] for part in hits[0]["parts"]]
    plain = run("recall", "version of the port", "--in", "facts", "--json", "--no-vectors").json
    assert plain["hits"][0]["id"] == "release-1-9-0"


def test_what_is_closed_is_not_current(repo: Repo, run: Run) -> None:
    """Where nothing but that tells two threads apart, the one that still stands comes first."""
    new = [
        "id=cache-a thread: The cache loses entries.",
        "id=cache-b thread: The cache loses entries.",
    ]
    assert run("append", "--title", "Two", "--new", new[0], "--new", new[1], "--again").code == 0
    assert run("append", "--title", "Done", "--close", "cache-b").code == 0
    hits = run("recall", "current cache entries", "--explain", "--json").json["facts"]
    assert [hit["id"] for hit in hits] == ["cache-a", "cache-b"]
    assert "done" in [part["name"] for part in hits[1]["parts"]]


def test_why_a_fact_is_first_is_explained(shop: Repo, run: Run) -> None:
    """Each rule that took part is a part of the score."""
    hit = run("recall", "latest release", "--explain", "--json").json["facts"][0]
    names = [part["name"] for part in hit["parts"]]
    assert {"words", "covered in one stretch", "live", "newest", "version"} <= set(names)


def test_state_words() -> None:
    """What stands for anything that is open is a subject where nothing open is asked for."""
    assert state_words(frozenset({"latest", "release"})).words == {"latest"}
    assert state_words(frozenset({"open", "issues"})).words == {"open", "issues"}
    assert state_words(frozenset({"issues"})).words == frozenset()


def test_passages_alone(shop: Repo, run: Run) -> None:
    """By their kind; of facts there is none of that kind, and no word of facts is said."""
    found = run("recall", "latest release", "--kind", "session", "--json").json
    assert found["passages"] and not found["facts"]
    both = run("recall", "latest release", "--kind", "session", "--in", "facts", "--json").json
    assert both["hits"] == []
    mixed = run(
        "recall", "latest release", "--kind", "session", "--kind", "decision", "--json"
    ).json
    assert mixed["passages"] and {hit["kind"] for hit in mixed["facts"]} == {"decision"}
