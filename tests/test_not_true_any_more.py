"""What is not true any more says so in the line that shows it, with what is; and stands behind what holds."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from memory.api import Memory
from memory.recall.recall_values import PASSAGE_KINDS, Filters
from projection.text.normalize import plain
from tests.conftest import examples

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

_SUBJECTS = ("ferry", "harbour", "lantern", "quarry", "saddle", "turbine")
_VERBS = ("is kept in", "is moved to", "is counted by", "is painted near")
_OBJECTS = ("the blue shed", "a rented yard", "two old wardens", "the northern quay")
_MARKS = (
    "superseded by", "invalidated", "says now", "closed", "is contradicted"
)  # fmt: skip


def _text(chance: random.Random, number: int) -> str:
    return f"The {chance.choice(_SUBJECTS)} {chance.choice(_VERBS)} {chance.choice(_OBJECTS)} {number}."


@pytest.mark.deep(reason="a_log_that_never_named_the_fact_is_marked_in_recall is the small one")
@pytest.mark.parametrize("seed", range(examples(6)))
def test_no_line_says_what_is_false_without_a_mark(repo: Repo, run: Run, seed: int) -> None:
    """Of a ledger at random: recall at each level, ls, log, timeline, digest and the brief."""
    chance = random.Random(seed)
    texts: dict[str, str] = {}
    gone: set[str] = set()
    live: list[str] = []
    for number in range(24):
        arguments, before = (
            ["append", "--agent", chance.choice(("codex", "claude-code"))],
            set(texts),
        )
        id, text = f"fact-{number}", _text(chance, number)
        kind = chance.choice(("decision", "fact", "thread"))
        deed = chance.choice(("new", "new", "update", "supersede", "close", "prose"))
        deed = deed if live else "new"
        old = chance.choice(live) if live else ""
        match deed:
            case "update":
                arguments += ["--update", old, text]
                gone.add(texts[old])
                texts[old] = text
            case "supersede":
                arguments += ["--new", f"id={id} {kind}: {text}", "--supersede", f"{old}={id}"]
                gone.add(texts.pop(old))
                live[live.index(old)] = id
                texts[id] = text
            case "close" if run("show", old, "--json").json["facts"][0]["kind"] == "thread":
                arguments += ["--close", old]
                gone.add(texts.pop(old))
                live.remove(old)
            case _:
                arguments += ["--new", f"id={id} {kind}: {text}"]
                live.append(id)
                texts[id] = text
        known = chance.sample(sorted(texts), min(len(texts), chance.randrange(3)))
        prose = [chance.choice(("We saw it. ", "Ada came by. ", "")) + texts[one] for one in known]
        for one in known:
            arguments += ["--ref", one] if one in before else []
        title = chance.choice((text, f"Round {number}"))
        ran = run(*arguments, "--title", title, "--body", "-", stdin="\n\n".join(prose).encode())
        assert ran.code == 0, ran.err
    held = {plain(one) for one in texts.values()}
    false = {plain(one) for one in gone} - held
    lines: list[str] = []
    for subject in _SUBJECTS:
        lines += run("recall", subject, "-n", "12").out.splitlines()
        lines += run("recall", subject, "--superseded", "-n", "12").out.splitlines()
    lines += run("show", "--list", "--all").out.splitlines()
    lines += run("log").out.splitlines()
    lines += run("recall", "--level", "timeline", "--before", "9w", "-n", "99").out.splitlines()
    lines += run("brief").out.splitlines()
    lines += run("brief", "--task", "look at the ferry and the quarry").out.splitlines()
    assert false
    for line in lines:
        for one in false:
            if f" {one} " in f" {plain(line)} ":
                assert any(mark in line for mark in _MARKS), line
    memory = Memory.open(str(repo.path))
    for subject in _SUBJECTS:
        found = memory.recall(subject, limit=12, filters=Filters(superseded=True))
        standing = [(hit.kind in PASSAGE_KINDS, hit.mark.false) for hit in found.hits]
        assert standing == sorted(standing)
    memory.close()


def test_what_is_done_stands_where_its_words_put_it(repo: Repo, run: Run) -> None:
    """It is true that it was done: only where what is current or open is asked does it stand back."""
    done = "id=ferry thread: The ferry timetable moved to the harbour office in June."
    assert run("append", "--title", "F", "--new", done).code == 0
    other = "id=office fact: The harbour office sells stamps."
    assert run("append", "--title", "O", "--close", "ferry", "--new", other).code == 0

    def asked(*words: str) -> list[str]:
        hits = run("recall", *words, "--in", "facts", "--json").json["hits"]
        return [hit["id"] for hit in hits]

    assert asked("ferry timetable at the harbour office") == ["ferry", "office"]
    assert asked("open threads about the harbour office") == ["office", "ferry"]


def test_a_corrected_passage_stands_behind_and_names_what_is_true(repo: Repo, run: Run) -> None:
    """Also where the log says it in other words than its fact."""
    told = b"I added a Redis based lock to the importer."
    new = "id=lock decision: The importer has a lock based on Redis."
    assert run("append", "--title", "A lock", "--body", "-", "--new", new, stdin=told).code == 0
    other = b"The lock on the importer was slow on Monday."
    assert run("append", "--title", "Slow", "--body", "-", stdin=other).code == 0
    assert (
        run(
            "append", "--title", "P", "--update", "lock", "The importer locks a row in Postgres."
        ).code
        == 0
    )
    hits = run("recall", "importer lock", "--json").json["hits"]
    assert [hit["id"] for hit in hits[:1]] == ["lock"]
    assert [hit["line"].startswith("lock says now") for hit in hits[1:]] == [False, True]
    assert "(The importer locks a row in Postgres.)" in hits[2]["line"]
    assert (hits[2]["false"], hits[2]["instead"]) == (True, ["lock"])


def test_what_is_kept_of_a_reworded_text_is_no_lie(repo: Repo, run: Run) -> None:
    """A sentence that the new text has as well is not marked."""
    text = "Orders are kept for ten years. They are never edited."
    ran = run("append", "--title", "O", "--body", "-", "--new", f"id=orders fact: {text}",
              stdin=b"They are never edited, as we said.\n\nOrders are kept for ten years.")  # fmt: skip
    assert ran.code == 0
    assert run("append", "--title", "O2", "--update", "orders",
               "Orders are kept for six years. They are never edited.").code == 0  # fmt: skip
    said = run("recall", "edited", "--in", "sessions", "--kind", "session", "--json").json["hits"]
    lines = [hit["line"] for hit in said]
    assert all(("ten years" in line) == ("says now" in line) for line in lines), lines


def test_a_deprecated_pattern_is_marked(repo: Repo, run: Run) -> None:
    """In recall, ls, show and their JSON."""
    assert (
        run("append", "--title", "P", "--new", "id=pin-it pattern: Pin the tide table first.").code
        == 0
    )
    for role in ("judge", "auditor"):
        assert run("append", "--title", f"N {role}", "--ignored", f"pin-it={role}").code == 0
    assert "deprecated: Pin the tide table first." in run("recall", "tide table").out
    assert "(deprecated)  Pin the tide" in run("show", "--list").out
    assert "state: deprecated" in run("show", "pin-it").out
    for command in ("show pin-it", "show --list"):
        assert run(*command.split(), "--json").json["facts"][0]["state"] == "deprecated"


def test_a_log_that_never_named_the_fact_is_marked_in_recall(repo: Repo, run: Run) -> None:
    """It says the words of a text that was called false afterwards."""
    text = "The tide table is printed on the back of the ticket."
    assert run("append", "--title", "T", "--new", f"id=tide fact: {text}").code == 0
    told = f"Bo wanted to know why. {text} Then we went home.".encode()
    assert run("append", "--title", "A walk", "--body", "-", stdin=told).code == 0
    assert run("append", "--title", "U", "--invalidate", "tide").code == 0
    (hit,) = run("recall", "tide table", "--in", "sessions", "--json").json["hits"]
    assert hit["line"].startswith("tide invalidated: A walk") and hit["false"]
