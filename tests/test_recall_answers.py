"""What recall answers: ledgers and questions whose answers are known, and laws that hold of any question.

The ledgers and questions stand in `tests/recall/answers.txt`, which says how they are written.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.world import OWN_REPOSITORY, Place, World

ROWS = 9


class Question(NamedTuple):
    """What is asked of a ledger, and what is expected."""

    options: tuple[str, ...]
    asked: str
    expected: str
    note: str


class Ledger(NamedTuple):
    """A ledger as it is written down."""

    name: str
    language: str
    logs: list[str]
    questions: list[Question]


def ledgers(text: str) -> list[Ledger]:
    """Read what is written down."""
    found: list[Ledger] = []
    for line in text.splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "=":
            name, _, language = rest.partition(" ")
            found.append(Ledger(name, language, [], []))
        elif not found or mark == "#":
            continue
        elif mark == "?":
            asked, _, expected = rest.partition(" => ")
            expected, _, note = expected.partition(" ; note: ")
            named = re.match(r"(--[a-z]+=\S+ )*", asked)
            given = named[0] if named else ""
            found[-1].questions.append(
                Question(tuple(given.split()), asked[len(given) :], expected.strip(), note.strip())
            )
        elif mark == "*":
            found[-1].logs.append(f"---\nagent: ada\n---\n# {rest}\n")
        else:
            found[-1].logs[-1] += f"{line}\n"
    return found


def log_of(text: str) -> str:
    """Write a log in the form of the ledger: `+` and `-` lines become references and facts."""
    prose = [line for line in text.split("\n") if line[:2] not in ("+ ", "- ")]
    bullets = [line for line in text.split("\n") if line[:2] == "- "]
    facts = re.findall(r"(?m)^\+ (\S+) (\w+): (.*)$", text)
    said = "\n".join(prose).rstrip() + "\n"
    if facts:
        bullets.insert(0, "- Created: " + ", ".join(id for id, _, _ in facts))
    if bullets:
        said += "\n## Memory References\n\n" + "\n".join(bullets) + "\n"
    if facts:
        said += "\n## Facts\n\n"
    for id, kind, fact in facts:
        box = "[ ] " if kind == "thread" else ""
        said += f"- {box}{fact}\n  <!-- id: {id} | kind: {kind} -->\n"
    return said


LEDGERS = {
    one.name: one
    for one in ledgers((Path(__file__).parent / "recall/answers.txt").read_text("utf-8"))
}


def stem(number: int) -> str:
    """Return the name of the so manieth log."""
    return f"2026-03-{number:02}-100000"


class Corpus:
    """The homes of the ledgers, made when they are asked for."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.made: dict[str, Place] = {}

    def home(self, name: str) -> Place:
        """Return the home of a ledger."""
        if name not in self.made:
            ledger = LEDGERS[name]
            if not self.made:
                self.made[""] = self.world.home(OWN_REPOSITORY, "empty")
            home = self.made[""].fork(name)
            logs = {f"sessions/{stem(n)}.md": log_of(text) for n, text in enumerate(ledger.logs, 1)}
            if ledger.language:
                said = f'\n[recall]\nlanguage = "{ledger.language}"\n'
                logs["diurna.toml"] = home.read("diurna.toml") + said
            home.plant(logs)
            self.made[name] = home
        return self.made[name]

    def ask(self, name: str, question: str, *options: str) -> Any:
        """Ask on the command line."""
        given = ("recall", "--json", "--no-vectors", *options, "--", question)
        return self.home(name).run(*given).json


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    with World(tmp_path_factory.mktemp("recall")) as world:
        yield Corpus(world)


@pytest.mark.parametrize(
    ("name", "start"),
    [(one.name, at) for one in LEDGERS.values() for at in range(0, len(one.questions), ROWS)],
)
def test_what_is_written_down_is_answered(corpus: Corpus, name: str, start: int) -> None:
    """Each question of a ledger has the answer that is known."""
    wrong = []
    for asked in LEDGERS[name].questions[start : start + ROWS]:
        found = corpus.ask(name, asked.asked, *asked.options)
        hits, expected = found["hits"], asked.expected
        if expected == "none":
            right = not hits
        elif expected.startswith("facts:"):
            right = [hit["id"] for hit in found["facts"]] == expected[6:].split()
        elif expected.startswith('"'):
            right = bool(found["passages"]) and expected.strip('"') in found["passages"][0]["line"]
        else:
            known = [
                f"#{int(hit['stem'][8:10])}" if ":" in hit["id"] else hit["id"] for hit in hits
            ]
            wanted = expected.split()
            right = list(dict.fromkeys(known))[: len(wanted)] == wanted
        if not right or (asked.note and asked.note not in found["notes"]):
            wrong.append((asked, [hit["id"] for hit in hits], found["notes"]))
    assert not wrong


# ---- laws of any question ---------------------------------------------------------------------------

VOCABULARY = "alpha beta gamma delta epsilon zeta theta kappa lambda sigma omega".split()
WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=5).map(" ".join)
_SYNTAX = ['"', "'", "*", "-", "(", ")", "NEAR", "AND", "OR", "NOT", "^", ":", "--", "queue", "retry*",
           "-queue", '"a b"', "text:", "{", "}", "+", "\ud800", "'; DROP TABLE logs;", "%", "_", "\\"]  # fmt: skip


def drawn() -> Ledger:
    """Draw a ledger of few words, so that each question has many answers."""
    chance = random.Random(5)

    def sentence() -> str:
        return " ".join(chance.choices(VOCABULARY, k=chance.randint(2, 6)))

    logs = []
    for number in range(14):
        text = f"---\nagent: {'ab'[number % 2]}\n---\n# Log {number}\n\n{sentence()}.\n\n{sentence()}.\n"
        for each in range(number % 3):
            kind = ("fact", "decision")[each]
            text += f"+ drawn-{number}-{each} {kind}: {sentence().capitalize()}.\n"
        logs.append(text)
    return Ledger("drawn", "", logs, [])


LEDGERS["drawn"] = drawn()


def texts(corpus: Corpus, question: str, part: str = "hits") -> list[str]:
    """Return the words of all hits, or of a part of them, one after the other."""
    ids = [hit["id"] for hit in corpus.ask("drawn", question, "-n", "90")[part]]
    if not ids:
        return []
    given = ("recall", "--ids", ",".join(ids), "--level", "full")
    found = corpus.home("drawn").run(*given).json["hits"]
    return [" ".join(re.findall(r"\w+", hit["text"].lower())) for hit in found]


@settings(max_examples=examples(4, 80))
@given(question=st.text(max_size=60) | st.lists(st.sampled_from(_SYNTAX), max_size=9).map(" ".join))
@example("ubes")  # a stem of two letters
@example("x1y2z" * 380)  # a key that somebody pasted
@example('"' * 9_000 + "-" * 9_000 + "a")
@example(" ".join(f"word{number}" for number in range(9_000)) + " telescope")
def test_any_text_is_a_question(corpus: Corpus, question: str) -> None:
    """It finds what is there, each once and no more than asked for, and the same when it is asked again."""
    if not question.strip():
        return
    found = corpus.ask("talks", question, "-n", "5")
    ids = [hit["id"] for hit in found["hits"]]
    assert len(ids) == len(set(ids)) <= 5
    assert not ids or re.search(r"\w", question)
    assert found["hits"] == found["facts"] + found["passages"]
    assert corpus.ask("talks", question, "-n", "5") == found


@settings(max_examples=examples(3, 60))
@given(wanted=WORDS, unwanted=st.sampled_from(VOCABULARY))
def test_what_is_not_wanted_is_in_no_hit(corpus: Corpus, wanted: str, unwanted: str) -> None:
    """`-word` keeps out every hit that has it, and no other."""
    question = f"{wanted} -{unwanted}"
    # where the best one has it, the facts that are left may be too far from the question
    part = "passages" if corpus.ask("drawn", question, "-n", "90")["notes"] else "hits"
    with_it, without = texts(corpus, wanted, part), texts(corpus, question, part)
    assert not any(unwanted in text.split() for text in (*without, *texts(corpus, question)))
    if unwanted not in wanted.split():
        assert set(without) >= {text for text in with_it if unwanted not in text.split()}


@settings(max_examples=examples(3, 60))
@given(words=st.lists(st.sampled_from(VOCABULARY), min_size=2, max_size=3).map(" ".join))
def test_a_quotation_is_in_every_hit(corpus: Corpus, words: str) -> None:
    """Quoted words follow each other in every hit, and each log in which a sentence has them so is hit."""
    found = corpus.ask("drawn", f'"{words}"', "-n", "90")
    assert all(f" {words} " in f" {text} " for text in texts(corpus, f'"{words}"'))
    stems = {hit["stem"] for hit in found["hits"]}
    for number, text in enumerate(LEDGERS["drawn"].logs, 1):
        said = [" ".join(re.findall(r"\w+", line.lower())) for line in text.split("\n")]
        assert stem(number) in stems or not any(f" {words} " in f" {line} " for line in said)


@settings(max_examples=examples(3, 60))
@given(question=WORDS)
def test_an_explanation_explains(corpus: Corpus, question: str) -> None:
    """It changes no score; hits of equal parts have equal scores, and what is better in every part is better."""
    told = corpus.ask("drawn", question, "--explain")
    plain = corpus.ask("drawn", question)
    assert [(hit["id"], hit["score"]) for hit in told["hits"]] == [
        (hit["id"], hit["score"]) for hit in plain["hits"]
    ]
    for hits in (told["facts"], told["passages"]):
        scores = [hit["score"] for hit in hits]
        assert scores == sorted(scores, reverse=True)
        for one, other in permutations(hits, 2):
            mine, others = [
                {part["name"]: part["value"] for part in hit["parts"]} for hit in (one, other)
            ]
            if mine.keys() == others.keys() and all(mine[name] >= others[name] for name in mine):
                assert one["score"] >= other["score"] - 1e-3


@settings(max_examples=examples(3, 40))
@given(question=WORDS)
def test_fewer_hits_are_some_of_more(corpus: Corpus, question: str) -> None:
    """`-n k` tells what `-n k+1` tells too, facts in the same order, and never nothing where that tells something."""
    answers = [corpus.ask("drawn", question, "-n", str(limit)) for limit in range(1, 6)]
    for limit, (fewer, more) in enumerate(pairwise(answers), 1):
        told = {name for hit in more["hits"] for name in (hit["id"], hit.get("passage"))}
        assert {hit["id"] for hit in fewer["hits"]} <= told
        assert len(fewer["hits"]) == min(limit, max(len(more["hits"]), len(fewer["hits"])))
        facts = [hit["id"] for hit in fewer["facts"]]
        assert facts == [hit["id"] for hit in more["facts"]][: len(facts)]


FILTERS = {
    "--kind=decision": lambda hit: hit["kind"] == "decision",
    "--kind=session": lambda hit: hit["kind"] == "session",
    "--agent=a": lambda hit: hit["agent"] == "a",
    "--since=2026-03-06": lambda hit: hit["date"] >= "2026-03-06",
    "--until=2026-03-06": lambda hit: hit["date"] <= "2026-03-06",
    "--in=facts": lambda hit: hit["kind"] != "session",
    "--in=sessions": lambda hit: hit["kind"] == "session",
    "--tier=working": lambda hit: hit["tier"] == "working",
}


@pytest.mark.parametrize("option", FILTERS)
def test_a_filter_leaves_what_it_names_and_all_of_that(corpus: Corpus, option: str) -> None:
    """Each hit is of that sort, and each hit of that sort that comes without the filter comes with it."""
    for question in ("alpha beta", "omega kappa zeta"):
        every = corpus.ask("drawn", question, "-n", "90")["hits"]
        left = corpus.ask("drawn", question, "-n", "90", option)["hits"]
        assert left or "tier" in option
        assert all(FILTERS[option](hit) for hit in left)
        assert {hit["id"] for hit in left} >= {hit["id"] for hit in every if FILTERS[option](hit)}


def test_both_parts_have_their_heading(corpus: Corpus) -> None:
    """Facts stand before what was said; the passage of a fact's own log is named with it, and stands nowhere else."""
    home = corpus.home("shop")
    lines = home.text("recall", "latest release").split("\n")
    assert lines[0] == "what holds" and "what was said" in lines
    assert "what holds" not in home.text("recall", "latest release", "--in", "facts")
    found = corpus.ask("drawn", "alpha beta gamma", "-n", "90")
    named = [hit["passage"] for hit in found["facts"] if hit["passage"]]
    assert named and not set(named) & {hit["id"] for hit in found["passages"]}
    (shown,) = home.world.place("drawn").run("recall", "--ids", named[0]).json["hits"]
    assert shown["stem"] == named[0].partition(":")[0]


@pytest.mark.parametrize(
    ("limits", "note"),
    [
        ({"word_lookups.READ": 3, "bm25_ranking.READ": 3}, "only the newest passages are looked at that have "),
        ({"bm25_ranking.READ": 9, "word_lookups._WORDS_KEPT": 1}, "too common to tell anything here: "),
    ],
)  # fmt: skip
def test_facts_are_exact_however_common_their_words_are(
    corpus: Corpus, limits: dict[str, int], note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which facts answer, in which order and with which scores, depends on no limit of what is read of passages."""
    whole = corpus.ask("drawn", "alpha beta gamma", "-n", "90")
    for name, limit in limits.items():
        monkeypatch.setattr(f"memory.recall.{name}", limit)
    limited = corpus.ask("drawn", "alpha beta gamma", "-n", "90")
    facts, all_facts = (
        [(hit["id"], hit["score"]) for hit in one["facts"]] for one in (limited, whole)
    )
    assert facts == all_facts != []
    assert note in " ".join(limited["notes"]) and note not in " ".join(whole["notes"])
    assert len(limited["passages"]) < len(whole["passages"])
