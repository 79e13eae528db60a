"""The extra `vectors`: what meaning adds to a ranking, and that nothing of it is there unless installed."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.recall.query.query_parser import wanted_text, words_in
from memory.recall.rank import vectors
from memory.recall.rank.meaning_store import stretches_of
from memory.recall.rank.rank_types import Ranking, Scored
from memory.recall.rank.vectors import WordPieces
from memory.recall.similarity import LACKING, UNLIKE, WHOLE, lacking, with_meaning
from tests.conftest import each_row
from tests.world import IN_TREE, ROOT, Place, World

if TYPE_CHECKING:
    from collections.abc import Sequence

extra = pytest.mark.skipif(not vectors.installed(), reason="the extra `vectors` is not installed")


def ranking(scores: dict[int, float]) -> Ranking:
    """Return a ranking by words of rows, the logs in the order of their best."""
    passages = [Scored(row, score, ("word",), (("words", score),)) for row, score in scores.items()]
    passages.sort(key=lambda one: (-one.score, one.row))
    logs: dict[int, float] = {}
    for one in passages:
        logs.setdefault(one.row >> 20, one.score)
    return Ranking(tuple(passages), tuple(logs.items()))


@given(
    st.dictionaries(st.integers(0, 1 << 20), st.floats(0.01, 10), max_size=12),
    st.randoms(use_true_random=False),
)
@example({1: 2.0, 2: 1.9, 3: 1.0}, random.Random(4))
def test_meaning_adds_in_proportion_and_loses_nothing(
    scores: dict[int, float], rng: random.Random
) -> None:
    """All passages and logs stay, parts add up, ties go by row, and equal likeness changes no order."""
    before = ranking(scores)
    alike = {
        row: (rng.choice((-0.5, 0.0, 0.25, 0.5)), rng.choice((0.0, 0.3)))
        for row in scores
        if rng.random() < 0.7
    }
    found = with_meaning(before, alike)
    assert sorted(one.row for one in found.passages) == sorted(scores)
    assert sorted(n for n, _ in found.sessions) == sorted(n for n, _ in before.sessions)
    keys = [(-one.score, one.row) for one in found.passages]
    assert keys == sorted(keys)
    best = max(scores.values(), default=0.0)
    for one in found.passages:
        parts = dict(one.parts)
        assert one.score == pytest.approx(sum(parts.values()))
        if one.row in alike:
            whole, other = alike[one.row]
            assert parts["other words"] == pytest.approx(best * LACKING * other)
            assert parts["meaning"] == pytest.approx(best * WHOLE * max(whole, 0.0))
    shuffled = list(alike.items())
    rng.shuffle(shuffled)
    assert with_meaning(before, dict(shuffled)) == found
    same = with_meaning(before, dict.fromkeys(scores, (0.5, 0.1)))
    if len({round(score, 6) for score in scores.values()}) == len(scores):
        assert [one.row for one in same.passages] == [one.row for one in before.passages]
    assert with_meaning(before, {}).passages == before.passages


def test_what_a_passage_lacks_and_says_in_other_words() -> None:
    """Only words that are not there count, by what they tell, from where they have to do with each other."""
    words = [(3.0, True), (2.0, False), (1.0, False)]
    assert lacking(words, [1.0, UNLIKE + 0.5, UNLIKE], 6.0) == pytest.approx(2.0 * 0.5 / 6)
    assert lacking(words, [1.0, -1.0, 0.0], 6.0) == lacking([], [], 0.0) == 0.0
    assert lacking([(1.0, False)], [1.0], 1.0) == pytest.approx(1 - UNLIKE)


def test_what_is_compared() -> None:
    """A question as it was typed, without what no hit may have; of a passage the words that tell something."""
    typed = 'retry* "dead letter" -timeout -"two words" getPaymentKey()'
    assert wanted_text(typed) == "retry dead letter getPaymentKey()" and wanted_text("-only") == ""
    said = "Ada's queue: the Queue, drained’s 2 times"
    assert words_in(said) == ("ada", "queue", "drained", "2", "times")


@given(st.text(alphabet="ab .", max_size=1500), st.integers(1, 3))
def test_stretches_hold_every_word(text: str, times: int) -> None:
    """Wherever a fact is cut, no word that tells something is lost, and each stretch has the id's."""
    text = " ".join([text, *["word" * 150] * times])
    found = stretches_of("some-id", text)
    assert all("id" in stretch for stretch in found)
    assert set().union(*found) >= {word for word in words_in(text) if 1 < len(word) < 100}


@each_row(
    "text, cut",
    [
        ("abc", ["▁a", "bc"]),
        ("cab", ["▁", "c", "ab"]),
        ("a bc", ["▁a", "▁", "bc"]),
        ("aé", ["▁a", "<0xC3>", "<0xA9>"]),
        ("", []),
    ],
)
def test_the_best_two_neighbours_are_joined_first(text: str, cut: list[str]) -> None:
    """Those that make the piece of the lowest number, wherever they stand; what is no piece is its bytes."""
    names = ["<0xC3>", "<0xA9>", "▁", "a", "b", "c", "bc", "ab", "▁a", "abc"]
    pieces = WordPieces({name: number for number, name in enumerate(names)})
    assert [names[number] for number in pieces.cut(text)] == cut


# ---- in a recall, with and without the extra ------------------------------------------------------


@pytest.fixture
def asked(world: World) -> Place:
    """Two facts and a passage with the same words, and a fact that is withheld."""
    home = world.home(IN_TREE)
    home.session(
        "Queue",
        body="The queue is drained when the worker stops.\n",
        new=[
            {
                "id": "long",
                "text": "The queue is drained by the worker, slowly, in order, at night.",
            },
            {"id": "brief", "text": "The queue is drained by the worker, quickly."},
            {"id": "hidden", "text": "The queue is drained with the password swordfish."},
        ],
    )
    home.run("redact", "hidden", "--reason", "Not to be shown.")
    return home


def ids(home: Place, question: str, *options: str) -> list[str]:
    return [hit["id"] for hit in home.run("recall", question, *options).json["hits"]]


def test_recall_weighs_meaning(asked: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is most alike comes first; withheld texts are compared with nothing; it can be left out."""
    compared: list[str] = []

    def directions(texts: Sequence[dict[str, float]]) -> list[bytes]:
        compared.extend([" ".join(text) for text in texts])
        return [b"night" if "night" in text else b"other" for text in texts]

    def likeness(query: str, texts: Sequence[str]) -> list[float]:
        compared.extend([query, *texts])
        return [0.9 if "at night" in text else 0.1 for text in texts]

    by_words = ids(asked, "queue drained", "--no-vectors")
    store, similar = "memory.recall.rank.meaning_store.", "memory.recall.similarity."
    monkeypatch.setattr(vectors, "installed", lambda: True)
    monkeypatch.setattr(vectors, "identity", lambda: "some vectors")
    monkeypatch.setattr(f"{store}directions", directions)
    monkeypatch.setattr(
        f"{store}best_likeness", lambda _, texts: [0.9 * (one == b"night") for one in texts]
    )
    monkeypatch.setattr(f"{similar}similarities", likeness)
    monkeypatch.setattr(f"{similar}nearest", lambda words, texts: [[0.0] * len(words)] * len(texts))
    hits = asked.run("recall", "queue drained", "--explain").json["hits"]
    assert hits[0]["id"] == "long" and by_words[0] != "long"
    assert sorted(hit["id"] for hit in hits) == sorted(by_words)
    gains = [{part["name"]: part["value"] for part in hit["parts"]}["meaning"] for hit in hits]
    assert gains[0] > gains[1] == 0
    assert "queue drained" in compared and "The queue is drained when the worker" in " ".join(
        compared
    )
    assert "swordfish" not in " ".join(compared)
    told = len(compared)
    assert ids(asked, "queue drained", "--no-vectors") == by_words and len(compared) == told


def test_vectors_that_can_not_be_read(asked: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recall ranks by words; a fault of our own in comparing is told as such."""
    by_words = ids(asked, "queue drained", "--no-vectors")
    with monkeypatch.context() as patch:
        patch.setattr(vectors, "installed", lambda: True)
        patch.setattr(vectors, "_load", lambda: None)
        assert vectors.similarities("queue", ["queue"]) is None
        assert vectors.nearest(["queue"], [["queue"]]) is None
        assert ids(asked, "queue drained") == by_words
    monkeypatch.setattr(vectors, "installed", lambda: True)
    monkeypatch.setattr("memory.recall.similarity.similarities", lambda *_: 1 / 0)
    assert "ZeroDivisionError" in asked.run("recall", "queue drained", code=3).err


def alone(home: Place, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        cwd=home.folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"},
    )  # fmt: skip


def test_nothing_is_imported_that_was_not_asked_for(asked: Place) -> None:
    """Without the extra nothing of it is loaded; with it a short process needs no numpy, and nobody a socket."""
    heavy = ("numpy", "tokenizers", "wordllama", "safetensors", "requests")
    code = (
        "import socket, sys\nfrom rituals.cli.app import main\n"
        "def refuse(*a, **k): raise SystemExit('a socket was opened')\n"
        "socket.socket = socket.create_connection = refuse\n"
        "main(['recall', 'queue', '--explain', '--no-vectors']); main(['recall', 'queue', '--explain'])\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = alone(asked, code)
    assert done.stdout.endswith("\n[]\n"), done
    assert ("  meaning" in done.stdout) == vectors.installed()


# ---- the vectors themselves -----------------------------------------------------------------------


@extra
def test_a_question_in_other_words(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fact without a word of the question is found, a long one by its nearest stretch; what is kept follows."""
    home = world.home(IN_TREE)
    reads, prints = "The parser reads tables. " * 40, "The writer prints tables. " * 40
    long = f"{reads}\n\n{'Attorneys and solicitors meet in court. ' * 9}\n\n{prints}"
    texts = {"meeting": long, "logo": "The team made the logo green and wide.", "paint": "The car is red.",
             "speed": "The team made the queries faster and small."}  # fmt: skip
    home.session("All", new=[{"id": id, "text": text} for id, text in texts.items()])
    facts = ("--in", "facts")
    for _ in range(2):  # the second time what they mean is kept
        assert ids(home, "lawyer", *facts) == ["meeting"]
        assert ids(home, "What did the team accelerate?", *facts) == ["speed", "logo"]
        assert ids(home, "vehicle", *facts) == ["paint"]
    assert ids(home, "lawyer", *facts, "--no-vectors") == []
    home.session("Anew", "--update", "paint", "The logo is red.")
    assert ids(home, "vehicle", *facts) == []
    home.git("reset", "-q", "--hard", "HEAD~1")
    assert ids(home, "vehicle", *facts) == ["paint"]

    def refuse(*_: object) -> None:
        raise sqlite3.OperationalError("disk is full")

    monkeypatch.setattr("memory.cache.stamp.Stamp.writing", refuse)
    assert ids(home, "red vehicle", *facts)[0] == "paint"


@cache
def tokenizer() -> Any:
    """Return the package's tokenizer, run by the library that it was written for."""
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(f"{vectors._folder()}/{vectors._TOKENIZER}")
    made.no_padding()
    made.no_truncation()
    return made


@extra
@given(st.text(max_size=60) | st.text("aAb é▁<s>/unk\n  日本(=0_", max_size=40))
@example("<s> hello  world</s>webhook_retries(3)   <0x0A>▁▁ ▁ end")
@example("x" * 300 + " " * 90 + "=" * 200)
def test_texts_are_cut_as_the_tokenizer_of_the_package_cuts_them(text: str) -> None:
    """The pieces are those that the library `tokenizers` makes by the same file, number by number."""
    loaded = vectors._load()
    assert loaded is not None
    assert loaded.pieces.cut(text) == list(tokenizer().encode(text, add_special_tokens=False).ids)


@extra
@given(st.lists(st.text("abcdefgh retries", max_size=80), min_size=1, max_size=5))
def test_likeness_is_the_cosine_and_numpy_changes_no_number(texts: list[str]) -> None:
    """What is added up without numpy is what it would be with it, for one text or many, and says the same each time."""
    import numpy

    words = [text.split() for text in texts]

    def everything() -> tuple[Any, ...]:
        for kept in (vectors._text, vectors._word, vectors._unit, vectors._row):
            kept.cache_clear()
        meant = vectors.directions([dict.fromkeys(some, 0.5) for some in words])
        joined = [b"".join(meant), *meant]
        alike = vectors.similarities("a queue drained", texts)
        nearest = vectors.nearest(["queue", "retry"], words)
        return alike, nearest, meant, vectors.best_likeness(meant[0], joined)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "_numpy", lambda _: None)
        plain = everything()
        patch.setattr(vectors, "_numpy", lambda _: numpy)
        assert everything() == plain
    assert plain[0] == [
        (vectors.similarities("a queue drained", [text]) or [9])[0] for text in texts
    ]
    matrix = vectors._matrix()

    def mean(text: str) -> Any:
        pieces = tokenizer().encode(text, add_special_tokens=False).ids
        return matrix[pieces].mean(axis=0, dtype="f8") if pieces else None

    asked = mean("a queue drained")
    for text, alike in zip(texts, plain[0], strict=True):
        other = mean(text)
        norms = numpy.linalg.norm(asked) * (numpy.linalg.norm(other) if other is not None else 1)
        assert alike == pytest.approx(
            0.0 if other is None else float(asked @ other / norms), abs=1e-4
        )
