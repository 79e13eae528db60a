"""`note` as the form of an answer: whatever an agent writes, no line of it is lost in silence."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.campaigns import forks
from tests.conftest import examples
from tests.messy_answers import COATS, CORES, WHOLE
from tests.processor_time import IN_CAMPAIGN
from tests.world import Answer, Place, World

#: What carries an answer, and is none of its words.
_CARRIES = {"end", "eof", "diurna", "note", "title", "nothing", "none", "open", "lessons", "decision", "lesson"}  # fmt: skip
_FACT = re.compile(r"- (\[ \] )?(.*?)\n  <!-- id: \S+(?: \| kind: (\w+))?(?: \| tags: (\w+))? -->", re.DOTALL)  # fmt: skip


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A home in which nothing is recorded, also by these tests."""
    with World(tmp_path_factory.mktemp("answers")) as world:
        yield world.home()


@pytest.fixture(scope="module")
def world_of_answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A home that keeps what these tests record."""
    with World(tmp_path_factory.mktemp("kept")) as world:
        yield world.home()


def read(home: Place, said: str) -> Answer:
    """Say what would be recorded of an answer."""
    return home.run("note", "--dry-run", stdin=said.encode("utf-8", "surrogatepass"))


def recorded(answer: Answer) -> list[tuple[str, str, str]]:
    """Kind, tag and text of each fact that a log brings."""
    log = str(answer.json.get("log", "")).partition("## Facts\n\n")[2]
    found = _FACT.findall(log)
    return [(kind or "fact", tag, re.sub(r"\n {1,4}", "\n", text)) for _, text, kind, tag in found]


def told(answer: Answer) -> str:
    """All that an answer records, and all that is said of it."""
    said = [f"{one['message']} {one['hint']}" for one in answer.json.get("findings", ())]
    return "\n".join([str(answer.json.get("log", "")), *said])


@pytest.mark.parametrize(("number", "coat"), [*enumerate(COATS)])
def test_messy_answers_are_understood(empty: Place, number: int, coat: str) -> None:
    """Every line is the fact that it is, in its words, of its kind, with its tag, however it is written."""
    wrong = []
    for core in CORES if IN_CAMPAIGN else CORES[number % 3 :: 3]:
        found = [(kind, tag, " ".join(text.split())) for kind, tag, text in recorded(read(empty, COATS[coat](core)))]  # fmt: skip
        if found != [(kind, tag, text) for kind, tag, _, text in core]:
            wrong.append(found)
    assert not wrong


def test_other_shapes(empty: Place) -> None:
    """Answers of other shapes are read as they are meant, and lose no word; what says nothing leaves nothing."""
    for said, expected in WHOLE:
        answer = read(empty, said)
        assert tuple((kind, text) for kind, _, text in recorded(answer)) == expected, said
        if expected:
            there = set(re.findall(r"\w+", told(answer).casefold()))
            words = {word for word in re.findall(r"\w+", said.casefold()) if len(word) > 1}
            assert not words - there - _CARRIES, said


_PIECES = st.sampled_from(
    "title: |decision: |lesson - |**Rule:** |uv -> fact: |gone → |done |done uv|wrong cache |used uv, cache|used |"
    "- |* [ ] |- [x] |1. |  |    |# |## Open|```|```sh|~~~|END|> |id=uv |id=Bad_ID |tags=a |kind=x |foo=bar |: |-> |"
    "nothing|insight: |asked: |[gotcha] |diurna note <<'END'|\u2028|\r|The cache is cold|ends here.|why?|in two lines:|"
    "`make` $HOME|über|решение: |决定：|<!-- id: x -->|## Facts|---|\t".split("|")
)


@settings(max_examples=examples(8, 300))
@example(lines=["decision: The cache is cold", "", "", "diurna note <<'END'", "why?\u2028"])
@given(lines=st.lists(st.lists(_PIECES, max_size=4).map("".join), max_size=7))
def test_no_line_is_lost_in_silence(empty: Place, lines: list[str]) -> None:
    """Whatever stands in an answer is recorded, said word for word or, what is too long, counted."""
    found = told(read(empty, "\n".join(f"{line} word{at}" for at, line in enumerate(lines))))
    lost = [at for at in range(len(lines)) if f"word{at}" not in found]
    assert len(lost) <= sum(map(int, re.findall(r"lines: (\d+)\)", found)))


@pytest.mark.parametrize(
    "said",
    ["- - -", "%%% -> ??: \n- - -\ndone\nthe moon is -> cheese\n",
     "<!-- id: x -->", "fact: ## Facts", "> quoted: x", "=== \n---\n", "decision: \tx\n\n---\n\n- y"],
)  # fmt: skip
def test_what_can_not_be_a_fact_is_kept(empty: Place, said: str) -> None:
    """Marks and rules cost nothing else: the log is there."""
    found = recorded(read(empty, f"{said}\nlesson: The proxy buffers.\n"))
    assert "The proxy buffers." in "".join(text for _, _, text in found)


# ---- what is recorded ----------------------------------------------------------------------------------

KNOWN = {"uv": "decision: We use pip.", "warm-cache": "thread: Is the cache warm?", "cores": "CI has two cores."}  # fmt: skip


@pytest.fixture
def known(world: World) -> Place:
    """A home with what answers speak of."""
    return world.home(facts=KNOWN)


def texts(home: Place) -> list[str]:
    return list(home.texts().values())


def test_an_answer_does_all_at_once(known: Place) -> None:
    """A title, a lesson, what replaces a fact without any thread, what is done and what was used; twice is once."""
    said = (
        "title: Moved to uv\nlesson: pip's resolver gave two trees, because of extras.\n"
        "uv -> decision: We use uv, with a lock.\ndone warm-cache\nused cores\n"
    )
    answer = known.run("note", "--session", "s1", stdin=said)
    new = answer.json["did"]["superseded"][0].removeprefix("uv → ")
    assert answer.json["did"]["closed"] == ["warm-cache"]
    facts = known.show()
    assert (facts[new]["kind"], facts[new]["text"]) == ("decision", "We use uv, with a lock.")
    assert [one["tags"] for one in facts.values() if one["text"].startswith("pip's")] == [
        ["lesson"]
    ]
    log = known.logs()[answer.json["stem"]].decode()
    assert "# Moved to uv\n" in log and "\nsession: s1\n" in log
    assert re.search(r"- Referenced: cores\b.*named", log)
    assert known.run("note", "--session", "s1", stdin=said).json["already"]
    known.run("note", stdin="title: Only a title\n")
    assert known.run("log", "-n", "1").json["sessions"][0]["title"] == "Only a title"


def test_nothing_is_no_fact(known: Place) -> None:
    """An answer that says nothing leaves nothing, and is no failure; as an argument, too."""
    before = known.shape()
    for said in ("nothing\n", "", "- None.\r\n"):
        assert known.text("note", stdin=said) == "noted: nothing\n"
    assert known.text("note", "nothing") == "noted: nothing\n"
    known.run("note", "nothing")
    assert known.shape() == before


def test_one_bad_line_costs_no_other(known: Place) -> None:
    """Unknown kinds, ids and keys, a repeated fact, an id twice: said, and the rest is recorded."""
    answer = known.run("note", stdin=(
        "CI has two cores.\ninsight: The proxy buffers SSE.\nwarn-cache -> thread: Is it cold?\n"
        "used coers\nid=uv decision: We use poetry now.\ncolour=red The lamp is red.\ndone nosuch: it never was\n"
        "id=lamp fact: The lamp is on.\nid=lamp fact: The lamp is off.\nused warm-cache\n"
    ))  # fmt: skip
    assert set(texts(known)) == {
        "We use pip.", "Is the cache warm?", "CI has two cores.", "insight: The proxy buffers SSE.",
        "Is it cold?", "We use poetry now.", "colour=red The lamp is red.", "The lamp is on.",
    }  # fmt: skip
    assert texts(known).count("CI has two cores.") == 1
    said = told(answer)
    for word in (
        "insight", "warn-cache", "did you mean warm-cache?", "did you mean cores?", "uv is there already",
        "nosuch", "not recorded: The lamp is off.: `Created: lamp` stands twice",
    ):  # fmt: skip
        assert word in said, word
    assert b"it never was" in known.logs()[answer.json["stem"]]


def test_what_a_fact_says_already_is_a_use_of_it(known: Place) -> None:
    """But for case, marks and space; in other words, or with another number, it is a fact that is near."""
    known.note("id=thrice decision: Webhooks retry three times with jitter.")
    said = "- decision: webhooks retry **three** times, with jitter\n"
    for number, (words, piped) in enumerate((((), said), ((said[2:-1],), ""))):
        first = known.run("note", "--session", f"s{number}", *words, stdin=piped)
        assert "`thrice` says just that: it is a use of it" in told(first)
        assert "created" not in first.json["did"]
    assert known.show("thrice")["thrice"]["uses"] == 3
    for again in ("Every webhook is retried three times, with jitter.", "Webhooks retry five times with jitter."):  # fmt: skip
        answer = known.run("note", "--session", "s4", stdin=f"- decision: {again}\n").json
        assert "created" in answer["did"] and "thrice" in [one["id"] for one in answer["near"]]


_WORDS = st.sampled_from(
    "webhooks retry three 3 v2.1 Redis cache the of 缓存 очередь naïve `make` is never not queue".split()
)
_MARKS = st.sampled_from(("", "**", "`", '"', "  "))


@settings(max_examples=examples(3, 60))
@given(
    said=st.lists(_WORDS, min_size=2, max_size=9), marks=st.lists(_MARKS, min_size=9, max_size=9)
)
def test_no_text_is_a_fact_twice(
    world_of_answers: Place, said: list[str], marks: list[str]
) -> None:
    """Whatever a text is, in another case, with other marks and blanks it is a use of the fact that has it."""
    text = f"The {' '.join(said)} stays."
    first = world_of_answers.run("note", "--session", "s1", stdin=f"{text}\n").json
    before = len(world_of_answers.texts())
    other = " ".join(
        [f"{mark}{word.upper()}{mark}" for mark, word in zip(marks, text.split(), strict=False)]
        + text.split()[9:]
    )
    world_of_answers.run("note", "--session", "s2", stdin=f"- lesson: {other}\n")
    assert len(world_of_answers.texts()) == before, (text, other, first)


def test_no_shell_runs_what_an_answer_says(known: Place, tmp_path: Path) -> None:
    """`<<'END'` of a real bash keeps back-ticks, `$HOME`, `$(…)` and quotes byte for byte."""
    text = '`touch ran` and $(touch ran) and $HOME, "it\'s" \\n ${PATH} !! count'
    script = f"diurna note <<'END'\ntitle: `touch ran`\nlesson: {text}\nEND\n"
    forks.put_program(tmp_path / "diurna")
    environment: dict[str, Any] = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-c", script], cwd=known.folder, check=True, env=environment)
    assert text in texts(known) and not list(known.folder.rglob("ran"))
