"""The extra `vectors`: what meaning adds to a ranking, and that nothing of it is there unless installed."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory import Memory
from memory.cache.stamp import Stamp
from memory.recall import similarity as comparing
from memory.recall.index.index_catch_up import IndexFollower
from memory.recall.index.rows import PLACE_BITS, PLACES
from memory.recall.query.query_parser import wanted_text, words_in
from memory.recall.rank import meaning_store as meanings
from memory.recall.rank import vectors
from memory.recall.rank.meaning_store import _stretches, stretches_of
from memory.recall.rank.rank_types import Ranking, Scored
from memory.recall.rank.vectors import WordPieces
from memory.recall.similarity import LACKING, UNLIKE, WHOLE, lacking, with_meaning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.cache.cache_file import Cache
    from memory.recall.index.fts_file import Index
    from tests.conftest import Repo, Run

ROOT = Path(__file__).parent.parent
extra = pytest.mark.skipif(not vectors.installed(), reason="the extra `vectors` is not installed")


def scored(row: int, score: float) -> Scored:
    """Return a passage as a ranking by words has it."""
    return Scored(row, score, ("word",), (("words", score),))


def ranking(*scores: tuple[int, float]) -> Ranking:
    """Return a ranking of rows, the logs in the order of their best."""
    passages = sorted((scored(*one) for one in scores), key=lambda one: (-one.score, one.row))
    logs: dict[int, float] = {}
    for one in passages:
        logs.setdefault(one.row >> PLACE_BITS, one.score)
    return Ranking(tuple(passages), tuple(logs.items()))


# ---- what it adds ---------------------------------------------------------------------------------


def test_meaning_is_added_in_proportion() -> None:
    """A passage gains by both likenesses, against the best score; both are told as parts."""
    one, two, far = 1 << PLACE_BITS, 2 << PLACE_BITS, 3 << PLACE_BITS
    alike = {one: (-0.5, 0.0), two: (0.5, 0.2)}
    found = with_meaning(ranking((one, 2.0), (two, 1.9), (far, 1.0)), alike)
    assert [passage.row for passage in found.passages] == [two, one, far]
    best, second, third = found.passages
    assert dict(best.parts)["meaning"] == pytest.approx(2.0 * WHOLE * 0.5)
    assert dict(best.parts)["other words"] == pytest.approx(2.0 * LACKING * 0.2)
    assert best.score == pytest.approx(sum(dict(best.parts).values()))
    assert (second.score, dict(second.parts)["meaning"]) == (2.0, 0.0)
    assert third == scored(far, 1.0)
    assert [number for number, _ in found.sessions] == [2, 1, 3]


@given(
    st.dictionaries(st.integers(0, 1 << 20), st.floats(0.01, 10), max_size=12),
    st.randoms(use_true_random=False),
)
def test_meaning_loses_nothing_and_depends_on_no_order(
    scores: dict[int, float], rng: random.Random
) -> None:
    """All passages and logs stay, ties go by row, and equal likeness changes no order."""
    before = ranking(*scores.items())
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
    shuffled = list(alike.items())
    rng.shuffle(shuffled)
    assert with_meaning(before, dict(shuffled)) == found
    same = with_meaning(before, dict.fromkeys(scores, (0.5, 0.1)))
    rows = [one.row for one in before.passages]
    if len({round(one.score, 6) for one in before.passages}) == len(rows):
        assert [one.row for one in same.passages] == rows
    assert with_meaning(before, {}).passages == before.passages


def test_what_a_passage_lacks_and_says_in_other_words() -> None:
    """Only words that are not there count, by what they tell, from where they have to do with each other."""
    words = [(3.0, True), (2.0, False), (1.0, False)]
    assert lacking(words, [1.0, UNLIKE + 0.5, UNLIKE], 6.0) == pytest.approx(2.0 * 0.5 / 6)
    assert lacking(words, [1.0, -1.0, 0.0], 6.0) == 0.0
    assert lacking([], [], 0.0) == 0.0
    assert lacking([(1.0, False)], [1.0], 1.0) == pytest.approx(1 - UNLIKE)


def test_words_of_a_passage() -> None:
    """Words that tell something, each once, in lower case, without what follows an apostrophe."""
    assert words_in("Ada's queue: the Queue, drained’s 2 times") == (
        "ada",
        "queue",
        "drained",
        "2",
        "times",
    )


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("how are webhooks retried?", "how are webhooks retried?"),
        ('retry* "dead letter" -timeout -"two words" getPaymentKey()', "retry dead letter getPaymentKey()"),
        ("-only", ""),
    ],
)  # fmt: skip
def test_what_is_compared(typed: str, wanted: str) -> None:
    """A question is compared as it was typed, without what no hit may have."""
    assert wanted_text(typed) == wanted


# ---- in a recall ----------------------------------------------------------------------------------


@pytest.fixture
def asked(repo: Repo, run: Run) -> Repo:
    """Two facts and a passage with the same words, and a fact that is withheld."""
    repo.write("body.md", "The queue is drained when the worker stops.\n")
    assert run(
        "append", "--title", "Queue", "--body", "body.md",
        "--new", "id=long decision: The queue is drained by the worker, slowly, in order, at night.",
        "--new", "id=brief decision: The queue is drained by the worker, quickly.",
        "--new", "id=hidden decision: The queue is drained with the password swordfish.",
    ).code == 0  # fmt: skip
    assert run("redact", "hidden", "--reason", "Not to be shown.").code == 0
    return repo


def test_recall_weighs_meaning(asked: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is most alike comes first; withheld texts are compared with nothing; it can be left out."""
    compared: list[str] = []

    def directions(texts: Sequence[Mapping[str, float]]) -> list[bytes]:
        compared.extend([" ".join(text) for text in texts])
        return [b"night" if "night" in text else b"other" for text in texts]

    def likeness(query: str, texts: Sequence[str]) -> list[float]:
        compared.extend([query, *texts])
        return [0.9 if "at night" in text else 0.1 for text in texts]

    ran = run("recall", "queue drained", "--json", "--no-vectors")
    by_words = [hit["id"] for hit in ran.json["hits"]]
    monkeypatch.setattr(vectors, "installed", lambda: True)
    monkeypatch.setattr(vectors, "identity", lambda: "some vectors")
    monkeypatch.setattr(meanings, "directions", directions)
    monkeypatch.setattr(
        meanings, "best_likeness", lambda _, texts: [0.9 * (text == b"night") for text in texts]
    )
    monkeypatch.setattr(comparing, "similarities", likeness)
    monkeypatch.setattr(
        comparing, "nearest", lambda words, texts: [[0.0] * len(words)] * len(texts)
    )
    hits = run("recall", "queue drained", "--json", "--explain").json["hits"]
    assert hits[0]["id"] == "long" and by_words[0] != "long"
    assert sorted(hit["id"] for hit in hits) == sorted(by_words)
    gains = [{part["name"]: part["value"] for part in hit["parts"]} for hit in hits]
    assert gains[0]["meaning"] > gains[1]["meaning"] == 0
    assert "queue drained" in compared
    assert "The queue is drained when the worker stops." in " ".join(compared)
    assert "swordfish" not in " ".join(compared)
    assert "meaning" in run("recall", "queue drained", "--explain").out
    told = len(compared)
    left_out = run("recall", "queue drained", "--no-vectors", "--json").json["hits"]
    assert [hit["id"] for hit in left_out] == by_words
    assert len(compared) == told


def test_files_that_are_not_those_expected(
    asked: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the vectors can not be read, recall ranks by words."""
    by_words = run("recall", "queue drained", "--no-vectors", "--json").out
    monkeypatch.setattr(vectors, "installed", lambda: True)
    monkeypatch.setattr(vectors, "_load", lambda: None)
    assert vectors.similarities("queue", ["queue"]) is None
    assert vectors.nearest(["queue"], [["queue"]]) is None
    assert run("recall", "queue drained", "--json").out == by_words


def test_vectors_are_told_by_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept of another release is told from them; without the extra there are none."""
    monkeypatch.setattr(vectors, "_load", lambda: SimpleNamespace(pieces="abc", shape=(3, 8)))
    for there, said in ((True, "3 (3, 8)"), (False, "")):
        monkeypatch.setattr(vectors, "installed", lambda there=there: there)
        assert vectors.identity() == said


def test_a_fault_in_comparing_is_told_as_such(
    asked: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own faults reach the caller, and the cache is not blamed for them."""

    def breaks(*_: object) -> None:
        raise ValueError("a fault")

    monkeypatch.setattr(vectors, "installed", lambda: True)
    monkeypatch.setattr(comparing, "similarities", breaks)
    memory = Memory.open(".")
    with pytest.raises(ValueError, match="a fault"):
        memory.recall("queue drained")
    assert memory.snapshot.notes == []
    memory.close()


def test_nothing_is_imported_without_being_asked(asked: Repo) -> None:
    """Importing the library, recall and its ranking loads nothing of the extra, and without it never."""
    loud = ("numpy", "tokenizers", "wordllama", "safetensors", "requests")
    code = (
        "import sys, memory.recall.rank.vectors, memory.recall.similarity, rituals.cli.app as app;"
        "app.main(['recall', 'queue', '--no-vectors']);"
        f"print([name for name in {loud} if name in sys.modules], file=sys.stderr);"
        "app.main(['recall', 'queue']) if not memory.recall.rank.vectors.installed() else None;"
        "print([name for name in ('wordllama', 'requests') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert [line for line in done.stderr.split("\n") if line[:1] == "["] == ["[]", "[]"]


# ---- the vectors themselves -----------------------------------------------------------------------


@extra
def test_what_means_the_same_is_alike() -> None:
    """Other words for the same are nearer than the same kind of sentence about something else."""
    question = "How do we make the database quicker?"
    near, far, same, empty = (
        vectors.similarities(
            question,
            ["Queries ran slowly, an index sped them up.", "The logo is green.", question, ""],
        )
        or [0.0] * 4
    )
    assert far < near < same == 1.0
    assert empty == 0.0
    assert vectors.similarities(question, []) == []


@extra
def test_the_nearest_word() -> None:
    """Each word is held against the nearest of a text; a text without words is like nothing."""
    found = (
        vectors.nearest(["database", "queue"], [["the", "databases", "logo"], [], ["queue"]]) or []
    )
    assert found[0][0] > 0.5 > found[0][1]
    assert found[1] == [0.0, 0.0]
    assert found[2][1] == 1.0
    assert vectors.nearest([], [["a"], []]) == [[], []]


@extra
def test_a_question_in_other_words(repo: Repo, run: Run) -> None:
    """What says it in other words comes before what has as many of the words and says something else."""
    assert run(
        "append", "--title", "Two", "--new", "id=logo fact: The team made the logo green and wide.",
        "--new", "id=speed fact: The team made the queries faster and small.",
    ).code == 0  # fmt: skip
    asked = ("recall", "What did the team accelerate?", "--in", "facts", "--json")
    assert [hit["id"] for hit in run(*asked).json["hits"]] == ["speed", "logo"]


@extra
def test_a_fact_without_a_word_of_the_question(repo: Repo, run: Run) -> None:
    """All facts are compared; a long one by the stretch that is nearest, and not what only sounds like it."""
    reads, prints = "The parser reads tables. " * 40, "The writer prints tables. " * 40
    long = f"{reads}\n\n{'Attorneys and solicitors meet in court. ' * 9}\n\n{prints}"
    for id, text in (("meeting", long), ("logo", "The logo is green."), ("tea", "Tea at four.")):
        assert run("append", "--title", id, "--new", f"id={id} fact: {text}").code == 0
    asked = ("recall", "lawyer", "--in", "facts", "--json")
    assert [hit["id"] for hit in run(*asked).json["hits"]] == ["meeting"]
    assert run(*asked, "--no-vectors").json["hits"] == []


@extra
def test_what_facts_mean_is_kept_and_follows_the_ledger(repo: Repo, run: Run) -> None:
    """A second process asks what the first one made; new, changed and lost texts are noticed."""

    def known(memory: Memory) -> tuple[list[str], int]:
        asked = {"vehicle": 1.0}
        reads = IndexFollower(memory.snapshot)
        kept = meanings.Meanings(vectors.identity())

        def answer(cache: Cache, index: Index) -> tuple[list[str], int]:
            rows = sorted(kept.of(cache, index).likeness(asked))
            logs = [index.log(row >> PLACE_BITS) for row in rows]
            found = [log.at(row & PLACES) for log, row in zip(logs, rows, strict=True) if log]
            stored = index.rows("SELECT count(*) FROM meanings WHERE vectors <> x''")
            return [piece.fact for piece in found if piece], stored[0][0]

        try:
            found = reads.ask(answer)
            kept.save()
            return found
        finally:
            reads.close()

    assert run("append", "--title", "One", "--new", "id=car fact: The car is red.").code == 0
    with contextlib.closing(Memory.open(".")) as memory:
        assert known(memory) == (["car"], 0)
        assert known(memory) == (["car"], 1)
    assert run("append", "--title", "Two", "--update", "car", "The bus is red.").code == 0
    with contextlib.closing(Memory.open(".")) as memory:
        assert known(memory) == (["car", "car"], 1)
        assert known(memory) == (["car", "car"], 2)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    with contextlib.closing(Memory.open(".")) as memory:
        assert known(memory) == (["car"], 1)


@extra
def test_where_nothing_can_be_written_what_facts_mean_is_made_again(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is the same, and the next question is answered too."""
    assert run("append", "--title", "One", "--new", "id=car fact: The car is red.").code == 0

    def refuse(*_: object) -> None:
        raise sqlite3.OperationalError("disk is full")

    with contextlib.closing(Memory.open(".")) as memory:
        memory.recall("red car", vectors=False)
        with monkeypatch.context() as patched:
            patched.setattr(Stamp, "writing", refuse)
            for _ in range(2):
                assert [hit.id for hit in memory.recall("red vehicle").facts] == ["car"]
    assert run("recall", "red vehicle", "--json").json["facts"][0]["id"] == "car"


@given(st.text(alphabet="ab .\n", max_size=1500), st.integers(1, 3))
def test_stretches_hold_every_word(text: str, times: int) -> None:
    """Wherever a fact is cut, no word that tells something is lost, and each stretch has the id's."""
    text = " ".join([text, *["word" * 150] * times])
    found = stretches_of("some-id", text)
    assert all("id" in stretch for stretch in found)
    said = set(words_in(" ".join(_stretches(text))))
    assert set().union(*found) >= {word for word in said if 1 < len(word) < 100}


@extra
def test_likeness_is_that_of_the_nearest_stretch() -> None:
    """One text at a time or many, the same; equal words are wholly alike, none are like nothing."""
    car, bus, logo, none = vectors.directions([{"car": 1.0}, {"bus": 2.0}, {"logo": 1.0}, {}])
    texts = [logo + car, bus, logo, none]
    together = vectors.best_likeness(car, texts)
    assert together == [vectors.best_likeness(car, [text])[0] for text in texts]
    assert together[0] == pytest.approx(1.0, abs=0.02)
    assert together[0] > together[1] > together[2] and together[3] == 0.0
    assert vectors.best_likeness(car, []) == []


@extra
def test_the_same_text_has_one_vector() -> None:
    """Likeness does not depend on what else is compared, and only the start of a long text counts."""
    texts = ["one thing", "another thing altogether", "x " * vectors.TEXT_CHARS]
    together = vectors.similarities("a thing", texts)
    assert together == [(vectors.similarities("a thing", [text]) or [9])[0] for text in texts]
    longer = [text + " and more" * 500 for text in texts[2:]]
    assert vectors.similarities("a thing", longer) == (together or [])[2:]


@pytest.mark.parametrize(
    ("text", "cut"),
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


@extra
@given(st.text(max_size=60) | st.text("aAb é▁<s>/unk\n  日本(=0_", max_size=40))
@example("<s> hello  world</s>webhook_retries(3)   <0x0A>▁▁ ▁ end")
@example("x" * 300 + " " * 90 + "=" * 200)
def test_texts_are_cut_as_the_tokenizer_of_the_package_cuts_them(text: str) -> None:
    """The pieces are those that the library `tokenizers` makes by the same file, number by number."""
    loaded = vectors._load()
    assert loaded is not None
    assert loaded.pieces.cut(text) == list(tokenizer().encode(text, add_special_tokens=False).ids)


@cache
def tokenizer() -> Any:
    """Return the package's tokenizer, run by the library that it was written for."""
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(f"{vectors._folder()}/{vectors._TOKENIZER}")
    made.no_padding()
    made.no_truncation()
    return made


@extra
@given(st.lists(st.text("abcdefgh retries", max_size=80), min_size=1, max_size=5))
def test_numpy_changes_no_number(texts: list[str]) -> None:
    """What is added up and compared without numpy is what it would have been with it."""
    import numpy

    words = [text.split() for text in texts]
    weighed = [dict.fromkeys(some, 0.5) for some in words]

    def everything() -> tuple[object, ...]:
        for kept in (vectors._text, vectors._word, vectors._unit, vectors._row):
            kept.cache_clear()
        meant = vectors.directions(weighed)
        return (
            vectors.similarities("a queue drained", texts),
            vectors.nearest(["queue", "retry"], words),
            meant,
            vectors.best_likeness(meant[0], [b"".join(meant), *meant]),
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "_numpy", lambda _: None)
        plain = everything()
        patch.setattr(vectors, "_numpy", lambda _: numpy)
        assert everything() == plain
    matrix = vectors._matrix()
    pieces = [tokenizer().encode(text, add_special_tokens=False).ids for text in texts]
    means = [matrix[some].mean(axis=0, dtype="f8") if some else None for some in pieces]
    asked = matrix[tokenizer().encode("a queue drained", add_special_tokens=False).ids].mean(
        axis=0, dtype="f8"
    )
    cosines = [
        0.0
        if mean is None
        else float(asked @ mean / (numpy.linalg.norm(asked) * numpy.linalg.norm(mean)))
        for mean in means
    ]
    assert plain[0] == pytest.approx(cosines, abs=1e-4)


@extra
def test_a_question_alone_imports_no_numpy(asked: Repo) -> None:
    """A short process compares without numpy, and without the tokenizer's library."""
    code = (
        "import sys; from rituals.cli.entry import main; main();"
        "print([name for name in ('numpy', 'tokenizers') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "recall", "queue", "--explain"],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert "meaning" in done.stdout
    assert done.stderr.split("\n")[-2] == "[]"


@extra
def test_nothing_is_fetched() -> None:
    """The vectors are read without any socket and without the code of the package."""
    code = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise SystemExit('a socket was opened')\n"
        "socket.socket = refuse; socket.create_connection = refuse\n"
        "from memory.recall.rank.vectors import similarities\n"
        "print(len(similarities('a', ['b', 'c'])), 'wordllama' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("2 False\n", "")
