"""Searching: what must hold of any question, how one is read, and a small corpus whose answers are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.codec.log import read_entry
from ledger.model.logset import LogRef
from ledger.model.order import seal, stamp_of
from memory.cache.stamp import Stamp
from memory.recall import passage_search as searching
from memory.recall.index.document import indexed
from memory.recall.index.fts_file import NOWHERE, Index, Totals
from memory.recall.index.rows import LATE_BIT, PLACE_BITS, PLACES
from memory.recall.index.writer import BUILT, Placed, add, new_file, write_mark
from memory.recall.passage_search import search
from memory.recall.query import postings
from memory.recall.query.postings import Lookups
from memory.recall.query.query_parser import WORDS, Named, closeness, named_date, read_question
from memory.recall.rank.bm25 import AROUND, COVERAGE
from memory.recall.rank.rank_types import NEXT, next_to
from projection.text.related_words import related_words, root_of
from tests.conftest import each_row, examples

START_MS = 1_790_000_000_000
DAY_MS = 86_400_000

#: Session logs as agents and people write them; each says one thing that no other says.
CORPUS = (
    "# Retry queue\n\nThe webhook retries three times with jitter, then the event goes to the dead-letter "
    "table. The parser lives in `src/hooks/retry_queue.py` and is called by `postCommitHook`.",
    "# Sign-in\n\nA user could not sign in: the cookie had expired. We moved authentication to tokens of "
    "fifteen minutes and raised ERR_TOKEN_OLD for the rest. See #412.",
    "# Moving the database\n\nThe database moved to PostgreSQL 16 because writes were slow. The configuration "
    "is in `config/db.toml`, and `--dry-run` shows what would be done. Version v2.4.1 is the first with it.",
    "# A talk\n\nAda: Did you finish the photograph for the exhibition?\n\nBruno: Yes, three days ago, and I "
    "bought a frame for it.\n\nAda: My daughter starts her new job at the observatory next week.\n\n"
    "Bruno: Wonderful! What will she do there?\n\nAda: She will calibrate the telescope.",
    "# Questions\n\nuser: How do I calibrate the thermometer?\n\nassistant: First of all, be patient. "
    + "Take the manual and read it with care. " * 12
    + "At the very end, boil a kettle.\n\nuser: Thanks, the kettle boils.",
    "# Über den Café-Umbau\n\nDas Café wurde umgebaut. 東京都の天気は晴れです。 The naïve plan failed.",
    "# Ordering\n\nThe order of events is by stem. Ordering never depends on arrival. Events are ordered once.",
)


def index_of(texts: Sequence[str]) -> Index:
    """Make an index of logs of these texts, a day apart."""
    base = new_file(":memory:")
    placed = []
    for number, text in enumerate(texts, 1):
        data = f"---\nagent: a\n---\n{text}\n".encode()
        key = seal(stamp_of(START_MS + DAY_MS * number), data)
        entry, _ = read_entry(key, data)
        ref = LogRef(key, "", f"{number:040x}")
        placed.append(Placed(number * 10, ref.blob, indexed(ref, data.decode(), entry)))
    totals = add(base, placed, Totals(), BUILT)
    write_mark(base, NOWHERE, totals)
    return Index(base, Stamp(""))


@pytest.fixture(scope="module")
def corpus() -> Index:
    return index_of(CORPUS)


@pytest.fixture(scope="module")
def best(corpus: Index) -> Callable[[str], list[int]]:
    """Return what gives the numbers of the logs whose passages answer, best first."""

    def ask(question: str) -> list[int]:
        found = search(corpus, question).ranking.passages
        return list(dict.fromkeys((one.row >> PLACE_BITS) // 10 - 1 for one in found))

    return ask


# ---- a corpus whose answers are known -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "log"),
    [
        ("How often does the webhook retry?", 0),
        ("where do events go that failed, the dead letter table?", 0),
        ("postCommitHook", 0),
        ("post_commit_hook", 0),
        ("src/hooks/retry_queue.py", 0),
        ("retryQueue", 0),
        ("ERR_TOKEN_OLD", 1),
        ("#412", 1),
        ("login", 1),
        ("auth", 1),
        ("why was postgres chosen for the db", 2),
        ("--dry-run", 2),
        ("v2.4.1", 2),
        ("settings", 2),
        ("configura*", 2),
        ("configuraton", 2),
        ("When did Bruno finish the photography?", 3),
        ("Which occupation has Ada's kid?", 3),
        ("telescope calibration", 3),
        ("how does one calibrate a thermometer", 4),
        ("café", 5),
        ("cafe", 5),
        ("東京", 5),
        ("naive", 5),
        ('"order of events"', 6),
    ],
)
def test_the_right_log_is_found_first(
    best: Callable[[str], list[int]], question: str, log: int
) -> None:
    """A word, its forms, its relatives, its misspellings and names of several words find their log."""
    assert best(question)[:1] == [log]


@pytest.mark.parametrize(
    "question",
    ["xyzzy frobnicate plugh", "qqqqqq", '"events of order"', "", "  ", "the of and", "zzz*"],
)
def test_nonsense_finds_nothing(best: Callable[[str], list[int]], question: str) -> None:
    """No hit means no hit: what is nowhere is not answered with something else."""
    assert best(question) == []


def test_a_small_part_of_a_question_is_no_answer(best: Callable[[str], list[int]]) -> None:
    """One word that is there does not answer a question of six that are not."""
    assert best("zork quux blorb frotz gnusto rezrov plan") == []


def test_what_was_mended_is_said(corpus: Index) -> None:
    """A word that nothing has is replaced by the nearest ones, and the answer says so."""
    assert search(corpus, "telescpoe").notes == ("looked for telescop instead of telescpoe",)
    assert search(corpus, "telescope").notes == ()
    # short words and such with digits are no misspellings of others
    assert search(corpus, "cfe").ranking.passages == ()
    assert search(corpus, "v2.4.7x").notes == ()


def test_a_quotation_that_nothing_has(corpus: Index) -> None:
    """Alone it finds nothing and says so; among other words they are looked for alone."""
    alone = search(corpus, '"queue retry"')
    assert alone.ranking.passages == ()
    assert alone.notes == ('nothing has the words "queue retry" one after the other',)
    among = search(corpus, 'webhook "queue retry"')
    assert among.ranking.passages
    assert among.notes == (
        'nothing has "queue retry" as it stands: its words alone were looked for',
    )


def test_the_rest_of_a_long_reply_is_found_and_counts_little(corpus: Index) -> None:
    """Who answers at length says the point first; what comes later is found, behind what others say."""
    rows = [one.row & PLACES for one in search(corpus, "boil kettle").ranking.passages]
    assert rows[0] & LATE_BIT == 0
    assert any(row & LATE_BIT for row in rows)


def test_an_explanation_has_the_parts(corpus: Index) -> None:
    """With `explain` each passage tells its words and parts, and the scores are the same."""
    plain = search(corpus, "calibrate the telescope").ranking
    told = search(corpus, "calibrate the telescope", explain=True).ranking
    assert [(one.row, one.score) for one in told.passages] == [
        (one.row, one.score) for one in plain.passages
    ]
    assert told.passages[0].words == ("calibrate", "telescope")
    assert dict(told.passages[0].parts)["of the question covered"] == 1.0


def test_only_kept_rows_are_found(corpus: Index) -> None:
    """A filter holds for hits and for neighbours that they help."""
    for question in ("calibrate", "job at the observatory", "kettle"):
        found = search(corpus, question, lambda row: row % 2 == 0).ranking.passages
        assert all(one.row % 2 == 0 for one in found)


# ---- laws --------------------------------------------------------------------------------------------

VOCABULARY = (
    "alpha beta gamma delta epsilon zeta theta kappa lambda sigma omega retrying queues".split()
)
SENTENCES = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8).map(" ".join)
LOGS = st.lists(
    st.lists(SENTENCES, min_size=1, max_size=4).map(lambda some: "# T\n\n" + "\n\n".join(some)),
    min_size=1,
    max_size=6,
)


@example("ubes")  # a stem of two letters
@settings(max_examples=examples(20, 50))
@given(question=st.text(max_size=80))
def test_any_text_is_a_question(question: str) -> None:
    """Whatever somebody types, in whatever writing: passages that are there, each once, the same when asked again."""
    index = index_of(CORPUS[:2]) if not _KEPT else _KEPT[0]
    if not _KEPT:
        _KEPT.append(index)
    rows = [one.row for one in search(index, question).ranking.passages]
    assert len(rows) == len(set(rows)) <= 2
    assert rows == [one.row for one in search(index, question).ranking.passages]


_KEPT: list[Index] = []


@settings(max_examples=examples(30, 80))
@given(
    question=st.lists(
        st.sampled_from(
            ['"', "'", "*", "-", "(", ")", "NEAR", "AND", "OR", "NOT", "^", ":", "--", "queue", "retry*",
             "-queue", '"a b"', "text:", "{", "}", "+", "\x00", "\ud800", "'; DROP TABLE logs;", "%", "_", "\\"]
        ),
        max_size=9,
    )
)  # fmt: skip
def test_no_syntax_means_anything(corpus: Index, question: list[str]) -> None:
    """What means something to SQL or FTS5 finds nothing, and the index is whole behind it."""
    for asked in (" ".join(question), "".join(question)):
        found = search(corpus, asked).ranking.passages
        assert not found or re.search("[a-zA-Z]", asked)
    assert search(corpus, "naive").ranking.passages


def test_a_beginning_is_no_matter_of_ascii(corpus: Index) -> None:
    """Accents in it count as little as in a word; what is no word to the index begins none."""
    (found,) = search(corpus, "naive").ranking.passages
    for question in ("naïv*", "NAÏ*", "Üb*"):
        assert [one.row for one in search(corpus, question).ranking.passages] == [found.row]
    vowel_sign = "\u19b0"  # a letter to Python, none to SQLite
    assert search(corpus, f"{vowel_sign * 4}*").ranking.passages == ()


def test_a_huge_question_is_read_in_part(corpus: Index) -> None:
    """A question has no size that is too much: it is read up to a limit."""
    huge = " ".join(f"word{number}" for number in range(100_000)) + " telescope"
    assert len(read_question(huge).words) <= WORDS
    search(corpus, huge)
    search(corpus, "x" * 1_000_000)
    search(corpus, '"' * 100_000)
    search(corpus, "-" * 100_000 + "a")


@settings(max_examples=examples(20, 50))
@given(logs=LOGS, question=SENTENCES)
def test_the_same_question_has_the_same_answer(logs: list[str], question: str) -> None:
    """An answer depends on the logs and the question alone, not on what was asked before."""
    lookups = Lookups()
    index = index_of(logs)
    first = search(index, question, lookups=lookups)
    search(index, "alpha beta zeta", lookups=lookups)
    assert search(index, question, lookups=lookups) == first
    other = index_of(logs)
    assert (
        search(other, question, lookups=lookups) == first
    )  # another index, nothing of the old one
    index.close()
    other.close()


@settings(max_examples=examples(20, 50))
@given(logs=LOGS, left=SENTENCES, right=SENTENCES)
def test_more_of_a_question_is_better(logs: list[str], left: str, right: str) -> None:
    """A passage with all words of a question comes before the same passage without one of them."""
    text = [f"# T\n\nnothing else {left} pinned {right}", f"# T\n\nnothing else {left} {right}"]
    for pair in (text, text[::-1]):
        index = index_of([*logs, *pair])
        ranked = search(index, "pinned " + left).ranking.passages
        order = [(one.row >> PLACE_BITS) // 10 - 1 - len(logs) for one in ranked]
        whole, part = (0, 1) if pair is text else (1, 0)
        assert order.index(whole) < (order.index(part) if part in order else len(order))
        index.close()


@settings(max_examples=examples(20, 50))
@given(logs=LOGS, wanted=SENTENCES, unwanted=st.sampled_from(VOCABULARY))
def test_what_is_not_wanted_is_in_no_hit(logs: list[str], wanted: str, unwanted: str) -> None:
    """`-word` and `-"two words"` keep every passage out that has them."""
    index = index_of(logs)
    stem = index.stems(unwanted)
    for question in (f"{wanted} -{unwanted}", f'{wanted} -"{unwanted}"'):
        for one in search(index, question).ranking.passages:
            assert one.row not in index.matching(stem)
    index.close()


@settings(max_examples=examples(20, 50))
@given(logs=LOGS, words=st.lists(st.sampled_from(VOCABULARY), min_size=2, max_size=3))
def test_a_quotation_is_in_every_hit(logs: list[str], words: list[str]) -> None:
    """Quoted words follow each other in every hit, and every passage in which they do is one."""
    index = index_of(logs)
    phrase = " ".join(words)
    hits = {one.row for one in search(index, f'"{phrase}"').ranking.passages}
    assert hits == index.matching(index.stems(phrase))
    index.close()


# ---- reading a question --------------------------------------------------------------------------------


@each_row(
    "text, named",
    [
        ("on 7 May 2023", Named("2023", 5, 7)),
        ("May 7th, 2023", Named("2023", 5, 7)),
        ("2023-05-07", Named("2023", 5, 7)),
        ("07.05.2023", Named("2023", 5, 7)),
        ("05/17/2023", Named("2023", 5, 17)),
        ("in June", Named("", 6, 0)),
        ("in 1999", Named("1999", 0, 0)),
        ("what may happen", Named()),
        ("of 40 things, 12 broke", Named()),
        ("99/99/2023", Named("2023", 0, 0)),
    ],
)
def test_dates_are_read(text: str, named: Named) -> None:
    """Dates are read as people write them."""
    assert read_question(text).date == named


@each_row(
    "day, near",
    [
        ("2024-03-01", 1.0),
        ("2024-03-02", 0.5),
        ("2024-03-03", 0.5),
        ("2024-03-04", 0.25),
        ("2024-03-09", 0.25),
        ("2024-03-10", 0.0),
        ("2024-02-28", 0.0),
        ("2023-03-01", 0.0),
        ("", 0.0),
    ],
)
def test_days_near_a_date(day: str, near: float) -> None:
    """What happened on a day is told on it or soon after."""
    assert closeness(named_date(["1", "march", "2024"]), day) == near


def test_names_of_several_words() -> None:
    """Identifiers are names of several words; ordinary words are not."""
    text = "did retry_queue call postCommitHook in src/a/b.py at v1.2.3, as Ada's plan said?"
    assert read_question(text).names == ("retry queue", "post Commit Hook", "src a b py", "v1 2 3")


@pytest.mark.parametrize(
    "words",
    ["create creation creative", "connect connection connectivity", "paint painter painting"],
)
def test_roots_are_shared(words: str) -> None:
    """Words of one root have one root, behind the stems that the index keeps of them."""
    index = index_of(CORPUS[:1])
    assert len({root_of(stem) for stem in index.stems(words)}) == 1
    index.close()


def test_a_word_that_everything_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a word that too many passages hold the newest are looked at alone, and that is said."""
    monkeypatch.setattr("memory.recall.query.postings.TOO_COMMON", 4)
    monkeypatch.setattr("memory.recall.passage_search.TOO_COMMON", 4)
    monkeypatch.setattr("memory.recall.query.postings.NEWEST", 2)
    index = index_of([f"# Log {number}\n\nThe databases are slow." for number in range(9)])
    for word in ("slow", "databases"):  # the second is one that FTS5 would stem twice
        found = search(index, word)
        assert [one.row >> PLACE_BITS for one in found.ranking.passages] == [90, 80]
        assert found.notes == (f"only the newest passages are looked at that have {word}",)


def test_a_word_counts_less_in_a_longer_session() -> None:
    """Of two sessions that say it once, the one that says little else is more about it."""
    said = "# Log\n\nThe databases are slow."
    index = index_of([said, said + "\n\nMuch else was told that day." * 20])
    long, short = [
        dict(one.parts)["session"]
        for one in sorted(
            search(index, "slow", explain=True).ranking.passages,
            reverse=True,
            key=lambda one: one.row,
        )
        if "slow" in one.words
    ]
    assert 0 < long < 0.8 * short


def test_of_what_answers_alike_the_newest_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more passages hold as much of a question than are weighed at all."""
    monkeypatch.setattr("memory.recall.rank.bm25.CANDIDATES", 2)
    index = index_of([f"# Log {number}\n\nThe databases are slow." for number in range(9)])
    assert {one.row >> PLACE_BITS for one in search(index, "slow").ranking.passages} == {80, 90}


def test_what_stands_beside_a_good_passage_is_told_too(corpus: Index) -> None:
    """Without a word of the question, and beside the second best as beside the best."""
    best, *others = [one.row for one in search(corpus, "calibrate").ranking.passages]
    second = next(row for row in others if row >> PLACE_BITS != best >> PLACE_BITS)
    assert {best - 1, best + 1, second - 1, second - 2} <= {*others}
    assert {row for row, _ in corpus.found(*corpus.stems("calibrate"))} == {best, second}


def test_an_answer_takes_more_from_its_question(corpus: Index) -> None:
    """In a talk between equals more than what stands before it; from what asks nothing, both the same."""
    for word, asks in (("exhibition", True), ("observatory", False)):
        best, *others = search(corpus, word).ranking.passages
        beside = {one.row - best.row: one.score for one in others}
        assert beside[1] > beside[-1] if asks else beside[1] == pytest.approx(beside[-1])


def test_whom_a_question_names_is_enough(corpus: Index) -> None:
    """Somebody who speaks answers a question by the name alone; any other word of so many does not."""
    assert [name for name in ("ada", "bruno", "telescope", "") if corpus.speaks(name)] == [
        "ada",
        "bruno",
    ]
    others = " ".join(f"{letter}qx{letter}" for letter in "bcdfghjklm")
    assert search(corpus, f"Ada {others}").ranking.passages
    assert not search(corpus, f"telescope {others}").ranking.passages


def test_words_are_forgotten_between_questions_and_not_within_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process that was asked for more words than it keeps answers as a new one does."""
    monkeypatch.setattr("memory.recall.query.postings._WORDS_KEPT", 1)
    index = index_of(
        [
            "# T\n\n## Memory References\n\n- Created: a\n\n## Facts\n\n- The queue waits.\n  <!-- id: a -->"
        ]
    )
    lookups = Lookups().of(index)
    stems = lookups.stems("telescope queue waits")
    assert lookups.in_facts(stems) == Lookups().of(index).in_facts(stems[1:]) != {}
    index.close()


@pytest.mark.parametrize(
    "question", ["How often does the webhook retry?", "When did Bruno finish it?"]
)
def test_the_parts_of_a_score_are_the_score(corpus: Index, question: str) -> None:
    """What `explain` tells of a passage adds up to what it was ranked by."""
    found = search(corpus, question, explain=True).ranking.passages
    whole = {}
    for one in found:
        parts = dict(one.parts)
        by_itself = 0.0
        if "words" in parts:
            said = parts["words"] + parts["word after word"]
            said *= 1 + COVERAGE * parts["of the question covered"]
            said *= 1 + AROUND * parts["covered with its neighbours"]
            by_itself = said * parts["who speaks"] * parts["has what is asked for"] + parts["date"]
        whole[one.row] = by_itself + parts["neighbours"]
    top = max(whole.values())
    for one in found:
        assert one.score == pytest.approx(whole[one.row] / top + dict(one.parts)["session"])


def test_a_log_whose_row_is_gone_costs_only_itself() -> None:
    """Its passages are no answers any more; those of the other logs, and their sessions, are as before."""
    fact = "# Rules\n\nThe webhook table is long.\n\n## Memory References\n\n- Created: w\n\n## Facts\n\n- The webhook table.\n  <!-- id: w -->"
    index = index_of((fact, *CORPUS, "# Chairs\n\nA table and four chairs."))
    question = "webhook table dead-letter"
    before = search(index, question).ranking
    index.base.execute("DELETE FROM logs WHERE number = 10")
    index.forget()
    after = search(index, question).ranking
    numbers = [number for number, _ in before.sessions]
    assert numbers[0] == 20 and 10 in numbers and 10 * (len(CORPUS) + 2) in numbers
    assert [number for number, _ in after.sessions] == [one for one in numbers if one != 10]
    rows = [one.row for one in before.passages]
    assert [one.row for one in after.passages] == [row for row in rows if row >> PLACE_BITS != 10]


def test_neighbours_have_a_share_up_to_two_passages_away() -> None:
    """The same before and behind a statement, less of it further away, none three away; little in prose."""
    said = [f"Paragraph {number} tells of gardens, rivers and hills. " * 11 for number in range(7)]
    said[3] = "The zeppelin landed. " + said[3]

    def scores(parts: list[str], last: int) -> dict[int, float]:
        index = index_of(("# T\n\n" + "\n\n".join(parts), *CORPUS))
        found = search(index, "zeppelin landed").ranking.passages
        assert [row & PLACES for row in index.newest("garden", 3)] == [last, last - 1, last - 2]
        return {one.row & PLACES: one.score for one in found}

    talk = scores([f"Ada: {one}" for one in said], 7)
    assert len(talk) == 5
    best = max(talk, key=lambda place: talk[place])
    assert talk[best] > talk[best - 1] == talk[best + 1] > talk[best - 2] == talk[best + 2]
    told = scores(said, 6)  # the title stands with the first paragraph
    best = max(told, key=lambda place: told[place])
    assert told.keys() == {best - 1, best, best + 1}
    assert told[best - 1] == told[best + 1] < talk[4 - 1]


def test_of_equal_passages_the_later_one_stands_first() -> None:
    """The later turn of a session before an earlier one and before a dialog, the later log before both."""
    said = "The token of the broker is sent as {}, and nothing else is read there."
    early, late = said.format("Authorization"), said.format("subject_token")
    for earlier in (
        f"## Answered\n\n{early}\n\n## Turns",
        f"## Turns\n\n### Turn 1 of 2\n\n{early}",
    ):
        log = f"# Work\n\n{earlier}\n\n### Turn 2 of 2\n\n{late}\n"
        found = search(index_of((log, log, *CORPUS)), "how is the token of the broker sent").ranking
        rows = [(one.row >> PLACE_BITS, one.row & PLACES) for one in found.passages[:4]]
        assert rows[0] == (20, 1) and rows[-1] == (10, 0)


def test_a_session_is_ranked_by_how_rare_its_words_are() -> None:
    """A word of two logs tells a little more than one of three, and more than what a later date adds."""
    words = ["zebra"] * 2 + ["yak"] * 3 + ["otter"] * 5
    found = search(
        index_of([f"# Log\n\nThe {word} stood there." for word in words]), "zebra or yak"
    )
    first, second, *others = found.ranking.sessions
    assert {first[0], second[0]} == {10, 20} and second[1] * 0.8 > max(score for _, score in others)


def test_related_words_are_found_by_the_beginning_of_a_stem() -> None:
    """A stem keeps two letters of its word, and what begins so are all words of the groups that do."""
    groups = related_words("")
    assert {word for others in groups.values() for word in others} <= groups.keys()
    index = index_of(CORPUS[:1])
    stems = dict(zip(groups, index.stems(" ".join(groups)), strict=True))
    assert [word for word, stem in stems.items() if stem[:2] != word[:2]] == []
    for start in {word[:2] for word in groups}:
        assert related_words(start) == {
            word: others for word, others in groups.items() if word.startswith(start)
        }


def test_a_session_next_to_one_that_answers() -> None:
    """It takes a share of the better one beside it; what stands apart does not, and the best stays best."""
    logs = [(1, 0.5), (2, 2.0), (3, 0.5), (4, 0.1), (5, 0.5)]
    found = dict(next_to(logs))
    assert found[1] == found[3] == pytest.approx(0.5 + NEXT * 2.0)
    assert found[5] == pytest.approx(0.5 + NEXT * 0.1)
    assert [number for number, _ in next_to(logs)] == [2, 3, 1, 5, 4]
    assert next_to([]) == []


FACT = """# Shop {n}

{said}

## Memory References

- Created: shop-{n}

## Facts

- {text}
  <!-- id: shop-{n} -->
"""


@settings(max_examples=examples(20), deadline=None)
@given(
    st.lists(
        st.sampled_from("kafka zebra quartz mango violin walnut".split()), min_size=1, max_size=4
    )
)
def test_facts_are_exact_however_common_their_words_are(words: list[str]) -> None:
    """Which facts answer, in which order and with which scores, depends on no limit of what is read."""
    index, question = many_facts(), " ".join(words)
    with pytest.MonkeyPatch.context() as patch:
        whole = search(index, question).facts
        for module, name, limit in (
            (postings, "TOO_COMMON", 8), (searching, "TOO_COMMON", 8), (postings, "NEWEST", 3),
            (searching, "NEWEST", 3), (searching, "PLACES_READ", 9), (searching, "COMMON_READ", 5),
        ):  # fmt: skip
            patch.setattr(module, name, limit)
        limited = search(index, question)
    assert limited.facts == whole
    assert whole
    if len(set(words)) > 1:
        assert "too common to tell anything here" in " ".join(limited.notes)


@cache
def many_facts() -> Index:
    """Make an index of forty logs in which few words are everywhere, in prose and in facts."""
    words = "kafka zebra quartz mango violin walnut".split()
    texts = []
    for n in range(40):
        said = " ".join([words[(n * k) % 6] for k in range(1, 5)])
        fact = " ".join([words[(n + k * k) % 6] for k in range(n % 5 + 1)])
        texts.append(FACT.format(n=n, said=f"The {said}.", text=f"The {fact}."))
    return index_of(texts)
