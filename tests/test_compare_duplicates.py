"""Overlaps: the planted duplicates, the words behind them, and the merge that is proposed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.model.event import FactCreated, FactReferenced
from ledger.model.session import Entry
from projection.compare.candidates import CANDIDATES, RIVALS, Postings, queries, subjects
from projection.compare.pair_comparison import claim, comparable, likeness, overlap, same_text
from projection.fold.fact_history import Fact
from projection.fold.fold import collect, resolve
from projection.text.fuzzy import ratio
from projection.text.normalize import index_words, plain, sentences, statements, stem
from tests.conftest import each_row
from tests.planted_pairs import HALVES, OWN_WORDS, Score, pairs


def alike(one: str, two: str) -> int:
    """Return how much two texts say the same."""
    return likeness(statements(one), statements(two), ratio)


def facts(uses: dict[str, int], **texts: str) -> list[Fact]:
    """Return facts of these ids, texts and uses, the first one the oldest."""
    entries = [
        Entry(f"2026-11-20-10{n:02}00000-0123456789ab", False, "a", "work", (), (FactCreated(name, text),))
        for n, (name, text) in enumerate(texts.items())
    ]  # fmt: skip
    for name, count in uses.items():
        entries += [
            Entry(f"2026-11-21-10{n:02}00000-0123456789ab", True, "a", "work", (name,), ())
            for n in range(count)
        ]
    histories = collect(entries)
    return [fact for name in texts if (fact := resolve(name, histories[name])) is not None]


# ---- how good it is -------------------------------------------------------------------------------


@pytest.mark.parametrize("half", HALVES)
def test_duplicates_are_found_and_little_else(half: str) -> None:
    """Precision is at least 0.9 and recall at least 0.8, contradictions among what only looks so."""
    score = Score()
    for pair in pairs():
        if pair.half == half:
            found = bool(alike(pair.one, pair.two))
            score = score.counted(found=found, wanted=pair.sort == "same")
    assert score.right + score.missed >= 30
    assert score.precision >= 0.9, score
    assert score.recall >= 0.8, score


def test_order_does_not_matter() -> None:
    """Whoever is asked first, the score is the same."""
    for pair in pairs():
        assert alike(pair.one, pair.two) == alike(pair.two, pair.one), pair


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_compared(one: str, two: str) -> None:
    """Comparing is total: any text has statements, and says the same as itself if it says anything."""
    assert alike(one, two) in (0, *range(80, 101))
    assert alike(one, one) == (100 if statements(one) else 0)


def test_a_misspelled_word_is_the_same_word() -> None:
    """Spelling is compared where letters are few and values never."""
    assert alike("The receiver retries a delivery.", "The reciever retries a delivery.") == 100
    assert alike("The queue is mutable by workers.", "The queue is immutable by workers.") == 0
    assert alike("Port 8080 serves the admin pages.", "Port 8081 serves the admin pages.") == 0


def test_one_word_may_differ_where_a_dozen_are_shared() -> None:
    """With fewer words in common, another word in the place of one is another statement."""
    dozen = "worker writes journal gateway answers client upstream loses requests load fills disk"
    eleven = dozen.rpartition(" ")[0]
    assert alike(f"Nightly {dozen}", f"Midnight {dozen}") == 92
    assert alike(f"Nightly {eleven}", f"Midnight {eleven}") == 0


# ---- words ----------------------------------------------------------------------------------------


@each_row(
    "one, two",
    (
        ("stored storing stores store", "stor"),
        ("deploy deploys deployed deploying deployment", "deploy"),
        ("connection connections connected connecting connect", "connect"),
        ("retry retries retried", "retri"),
        ("config configuration configs", "configurat"),
        ("call calls called calling", "cal"),
        ("keep kept keeps keeping", "keep"),
        ("written write writes writing wrote", "writ"),
        ("tie ties", "tie"),
    ),
)
def test_inflections_are_one_word(one: str, two: str) -> None:
    """A word has one normal form, however it is bent."""
    assert {stem(word) for word in one.split()} == {two}


@each_row("steps",
    [
        "1 ns / 1 nanosecond", "1us / 1 µs / 1 microsecond / 1000 ns", "1 ms / 1 msec / 1 millisecond / 1000us",
        "1 s / 1 sec / 1 second / 1000 ms", "1 min / 1 minute / 60 s", "1 h / 1 hr / 1 hour / 60 min",
        "1 day / 24 h", "1 week / 7 days", "1 kb / 1 kib / 1024 bytes", "1 mb / 1 mib / 1024 kb",
        "1 gb / 1 gib / 1024 mb", "1 tb / 1 tib / 1024 gb", "5% / 5 percent", "1 khz / 1000 hz",
    ],
)  # fmt: skip
def test_units_of_one_measure_are_converted(steps: str) -> None:
    """A value is the same in every unit of what it measures."""
    (value,) = {statements(f"waits {one}")[0].forms[1] for one in steps.split(" / ")}
    assert value[0] == "#" and not value[1:].isdigit()


def test_values_are_read_with_their_unit() -> None:
    """`10s`, `10 s` and `ten seconds` are one value; a name with digits is none."""
    forms = {
        statements(f"waits {text}")[0].forms[1]
        for text in ("10s", "10 s.", "ten seconds", "10000 ms")
    }
    assert len(forms) == 1
    assert statements("Ship for arm64, port 8080")[0].forms == ("ship", "arm64", "port", "#8080")


def test_sentences_are_cut_at_marks_and_items_and_without_code() -> None:
    """Sentences, semicolons and list items are statements; fenced code is none, and `e.g.` ends nothing."""
    text = "Use X, e.g. here. Or Y; never Z:\n- one\n- two\n```\ncode. code\n```\nEnd"
    assert sentences(text) == ["Use X, e.g. here.", "Or Y;", "never Z:", "one", "two", "End"]


def test_negators_turn_a_statement_round() -> None:
    """Each negator counts; two of them are none."""
    counts = [
        len(statements(text)[0].negated)
        for text in ("Use X", "Do not use X", "Don't use X", "no longer X", "never X without Y", "X instead of Y")
    ]  # fmt: skip
    assert counts == [0, 1, 1, 1, 2, 1]


def test_plain_text_is_without_case_marks_and_blanks() -> None:
    """What changes nothing is left out, and what changes something is not."""
    assert plain("**Use** `X`,  now!\n") == plain("use x now") == "use x now"
    assert plain("Use X.") != plain("Use Y.")


# ---- candidates -----------------------------------------------------------------------------------


def test_the_planted_twin_is_among_the_candidates() -> None:
    """Of all planted sentences, each one's twin is proposed for comparison, for nineteen in twenty."""
    planted = [pair for pair in pairs() if not pair.sort.startswith("only-looks")]
    texts = {text for pair in planted for text in (pair.one, pair.two)}
    postings = Postings({text: index_words(text) for text in texts})
    found = 0
    for pair in planted:
        asked = queries(statements(pair.one), index_words(pair.one))
        candidates = postings.candidates(asked, fact=pair.one)
        assert pair.one not in candidates
        assert len(candidates) <= CANDIDATES * len(asked)
        found += pair.two in candidates
    assert found >= 0.95 * len(planted)


def test_what_speaks_of_one_subject_is_among_the_candidates() -> None:
    """In words of their own two of a pair share a few rare words; of all planted ones nine in ten come up."""
    planted = pairs(OWN_WORDS)
    texts = sorted({text for pair in (*pairs(), *planted) for text in (pair.one, pair.two)})
    postings = Postings({text: index_words(text) for text in texts})
    found = total = 0
    for pair in planted:
        if pair.sort.startswith("opposite"):
            said = statements(pair.one)
            proposed = postings.candidates((), subjects(said), pair.one)
            assert pair.one not in proposed
            assert len(proposed) <= RIVALS * len(said)
            total += 1
            found += pair.two in proposed
    assert found >= 0.9 * total > 20


def test_candidates_do_not_depend_on_the_order_of_facts() -> None:
    """The index proposes the same facts, in whatever order it got them."""
    texts = sorted({pair.one for pair in pairs()})
    one = Postings({text: index_words(text) for text in texts})
    two = Postings({text: index_words(text) for text in reversed(texts)})
    for text in texts[:100]:
        asked = queries(statements(text), index_words(text))
        assert one.candidates(asked) == two.candidates(asked)


# ---- merges ---------------------------------------------------------------------------------------

SHORT, LONG = "Webhooks retry three times.", "All webhooks are retried 3 times, with jitter."


@pytest.mark.parametrize(
    ("uses", "keep", "drop"),
    (({}, "b", "a"), ({"a": 2}, "a", "b"), ({"a": 1, "b": 1}, "b", "a"), ({"b": 1}, "b", "a")),
)
def test_the_more_used_fact_stays_then_the_older_one(
    uses: dict[str, int], keep: str, drop: str
) -> None:
    """Uses decide, then age; the fuller text is proposed, whoever has it."""
    one, two = facts(uses, b=SHORT, a=LONG)
    found = overlap(claim(one), claim(two), ratio)
    assert found is not None
    assert found == overlap(claim(two), claim(one), ratio)
    assert (found.one, found.two, found.score) == ("a", "b", 89)
    assert found.proposal == (type(found.proposal))(keep, drop, LONG)


def test_the_same_text_is_known() -> None:
    """Case, marks and white space are no difference."""
    one, two, three = facts({}, a=SHORT, b="webhooks retry  **three** times", c=LONG)
    assert same_text(one, two)
    assert not same_text(one, three)


def test_a_thread_is_no_duplicate_of_a_fact() -> None:
    """A question and its answer share their words."""
    events = (FactCreated("a", SHORT), FactCreated("b", SHORT, " "), FactReferenced("a"))
    histories = collect([Entry("2026-11-20-101500", True, "a", "work", ("a", "b"), events)])
    one, two = (resolve(name, histories[name]) for name in ("a", "b"))
    assert one is not None
    assert two is not None
    assert overlap(claim(one), claim(two)) is None


def test_entities_are_compared_by_name_and_not_by_spelling() -> None:
    """Facts about one entity, however it is written, are held against each other; about two, never."""
    one, other = facts({}, a="One.", b="Two.")

    def about(left: str, right: str) -> bool:
        return comparable(
            one._replace(meta=(("entity", left),)), other._replace(meta=(("entity", right),))
        )

    assert about("Payments API", "payments-api") and about("orders, Redis", "REDIS")
    assert about("", "Redis") and about(",", "Redis")
    assert not about("orders", "Redis")
