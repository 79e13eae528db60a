"""The file of a review's questions: what is ticked in it is what is answered, whatever facts say and people edit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.model.event import FactInvalidated, FactUpdated, WorkDropped
from rituals.review.review_answers import accepting, rejecting
from rituals.review.review_plan import Plan
from rituals.review.review_question import Question
from rituals.review.review_record import ACCEPT, LATER, REJECT, Answer, events_of
from rituals.review.ticks import LIMIT_BYTES, MOST, Form, Refused, answers, asking, read
from tests.conftest import each_row
from tests.test_review import Book, limits, new

TIP = "3fa9c1d2" * 5
WORDS = ("accept", "reject", "reword", "false", "later")
#: What a text is made of that wants to be an answer, or to hide one.
FORGERIES = (
    "- [x] It still holds <!-- q: {key} | do: accept -->", "- [x] yes <!-- q:{key}|do:false -->", "> say {key}: Mine.",
    "  - [X] no <!-- q: {key} | do: false -->", "<!-- diurna-review: plan 0123456789ab at {tip} -->", "```", "~~~~",
    "<<<<<<< ours", "=======", ">>>>>>> theirs", "-->", "<!--", "\r- [x] a <!-- q: {key} | do: later -->", "",
    "\u2028- [x] b <!-- q: {key} | do: accept -->", "# Title", "q: {key}  |\tdo:accept",
)  # fmt: skip


def plan_of(*texts: str) -> Plan:
    """A plan that asks of each text, an invariant, whether it holds."""
    book = Book(limits(verify_invariants_every=2))
    book.log(
        *[new(f"inv-{number:02}", text, kind="invariant") for number, text in enumerate(texts)]
    )
    book.idle(3)
    return book.plan()._replace(tip=TIP)


def keys_of(text: str) -> list[str]:
    """The keys of the questions, in their order."""
    return list(dict.fromkeys(re.findall(r"^- \[ \] .*<!-- q: ([0-9a-f]{8}) ", text, re.MULTILINE)))


def ticked(text: str, key: str, word: str, say: str = "") -> str:
    """The file with an answer ticked, and in whose words."""
    line = rf"(?m)^- \[ \] (.*<!-- q: {key} \| do: {word} -->)$"
    text, count = re.subn(line, r"- [x] \1", text)
    assert count == 1
    return text.replace(f"\n> say {key}:\n", f"\n> say {key}: {say}\n") if say else text


def given_by(plan: Plan, text: str, who: str = "Ada") -> tuple[dict[str, Answer], dict[str, str]]:
    """What a file answers by the first fact of each question, and what it does not answer, and why."""
    form = read(text.encode("utf-8", "replace"))
    found, void = answers(plan, form, dict.fromkeys([one.line for one in form.ticks], who))
    names = {one.key: one.facts[0] for one in plan.questions}
    return {names.get(key, key): answer for key, answer in found.items()}, dict(void)


def forged(text: str, key: str) -> str:
    """A text that names a key."""
    return text.replace("{key}", key).replace("{tip}", TIP)


_LINES = st.lists(st.sampled_from(FORGERIES) | st.text(max_size=12), min_size=1, max_size=5)


@given(st.lists(_LINES, min_size=1, max_size=3), st.integers(0, 2), st.sampled_from(WORDS))
def test_review_ticks_forged_by_a_fact_text(texts: list[list[str]], chosen: int, word: str) -> None:
    """Whatever facts say, an untouched file answers nothing, and one tick answers the one question that has it.

    Their texts forge lines with the keys that other questions really have.
    """
    mine = keys_of(asking(plan_of("Orders stay.")).text)[0]
    plan = plan_of("Orders stay.", *[forged("\n".join(lines), mine) for lines in texts])
    asks = asking(plan)
    assert read(asks.text.encode("utf-8", "replace")) == Form(asks.plan, (), ())
    keys = keys_of(asks.text)
    assert len(keys) == asks.questions > len(texts)
    assert mine in keys
    key = keys[chosen % len(keys)]
    if f"q: {key} | do: {word}" not in asks.text:
        word = LATER
    text = ticked(asks.text, key, word, "It is so." * (word == "reword"))
    form = read(text.encode("utf-8", "replace"))
    found, void = answers(plan, form, {one.line: "Ada" for one in form.ticks})
    assert not void
    assert list(found) == [plan.unanswered[chosen % len(keys)].key]


def test_a_line_that_somebody_takes_out_of_a_text_makes_its_question_void() -> None:
    """An answer that stands there twice, in whatever form, counts for neither; other questions are answered."""
    plan = plan_of("Orders stay.", "Pay by card.")
    text = asking(plan).text
    mine, other = keys_of(text)
    text = ticked(ticked(text, mine, "accept"), other, "accept")
    for line in (*FORGERIES[:2], "and q: {key} | do: later, too"):
        found, void = given_by(plan, text + forged(line, mine) + "\n")
        assert list(found) == ["inv-01"], line
        assert void == {mine: "one of its answers stands there twice"}


def _unknown(text: str) -> str:
    return text + "- [x] all <!-- q: 0badcafe | do: accept -->\n"


REFUSED: dict[str, tuple[Callable[[str], str | bytes], str]] = {
    "ours": (lambda text: text + "<<<<<<< HEAD\n", "a merge conflict is not resolved"),
    "base": (lambda text: text.replace("\n\n", "\n||||||| base\n", 1), "a merge conflict is not resolved"),
    "parted": (lambda text: text + "=======\n", "a merge conflict is not resolved"),
    "theirs": (lambda text: ">>>>>>> main\n" + text, "a merge conflict is not resolved"),
    "fence": (lambda text: text + "```\n- [x]\n```\n", "a fence hides what is asked"),
    "wave": (lambda text: text.replace("\n\n", "\n\n   ~~~\n", 1), "a fence hides what is asked"),
    "other plan": (lambda text: text.replace("plan ", "plan 0", 1).replace(" at", "", 1), "not the questions"),
    "other tip": (lambda text: text.replace(TIP, TIP[::-1]), "not the questions"),
    "no plan": (lambda text: text.split("\n", 1)[1], "not the questions"),
    "unknown key": (_unknown, "not the questions"),
    "unknown word": (lambda text: text.replace("do: reject", "do: rewrite"), "there is no answer 'rewrite'"),
    "one question less": (lambda text: text.partition("## 2.")[0], "not the questions"),
    "an answer less": (lambda text: "".join([one for one in text.splitlines(True) if "do: false" not in one]), "not the questions"),
    "in another order": (lambda text: "".join(sorted(text.splitlines(True)[1:])), "not the questions"),
    "too large": (lambda text: text + " " * LIMIT_BYTES, f"{LIMIT_BYTES} is the limit"),
    "no UTF-8": (lambda text: text.encode() + b"\xff", "it is not UTF-8"),
    "empty": (lambda text: "", "not the questions"),
}  # fmt: skip


@each_row("how", REFUSED)
def test_review_ticks_with_markers_refused(how: str) -> None:
    """Conflict markers, fences, another plan, unknown keys and words, too much: nothing of the file is read."""
    text = asking(plan_of("Orders stay.", "Pay by card.")).text
    spoiled, said = REFUSED[how]
    for one in (text, ticked(text, keys_of(text)[0], "accept")):
        data = spoiled(one)
        with pytest.raises(Refused, match=re.escape(said)):
            read(data if isinstance(data, bytes) else data.encode())


@pytest.mark.parametrize(
    "words, say, why",
    [
        (("accept", "reject"), "", "it has two answers"),
        (("reword",), "", "nothing stands behind `> say KEY:`"),
        (("reword",), "A.\n> say KEY: B.", "it has two new texts"),
        (("reword",), "Orders stay.", "the text is as it was"),
    ],
)
def test_what_says_two_things_or_nothing_is_asked_again(
    words: tuple[str, ...], say: str, why: str
) -> None:
    """The question is void, and the others of the file are answered."""
    plan = plan_of("Orders stay.", "Pay by card.")
    text = asking(plan).text
    key, other = keys_of(text)
    text = ticked(text, other, "false")
    for word in words:
        text = ticked(text, key, word, say.replace("KEY", key))
    found, void = given_by(plan, text)
    assert (list(found), void) == (["inv-01"], {key: why.replace("KEY", key)})


def test_each_word_is_what_the_review_records() -> None:
    """As the answers of a terminal and of the page; with Windows' ends of lines, and a capital X, too."""
    plan = plan_of("A.", "B.", "C.", "D.", "E.")
    text = asking(plan).text
    for key, word in zip(keys_of(text), WORDS, strict=True):
        text = ticked(text, key, word, "See, in *other* words." if word == "reword" else "")
    expected = {
        "inv-00": ACCEPT, "inv-01": REJECT, "inv-02": FactUpdated("inv-02", "See, in *other* words."),
        "inv-03": FactInvalidated("inv-03"), "inv-04": LATER,
    }  # fmt: skip
    for form in (text, text.replace("\n", "\r\n"), text.replace("[x]", "[X]")):
        assert given_by(plan, form) == (expected, {})


def test_what_an_answer_is_called_says_what_it_means() -> None:
    """Where what is recorded does not tell: of a branch that is gone, and of what overruled a person."""
    gone = Question(
        "branch-dropped",
        "k",
        ("a",),
        "x is gone.",
        accept=(WorkDropped("s", "x"), FactInvalidated("a")),
    )
    assert (accepting(gone), rejecting(gone)) == (
        "The work was abandoned",
        "The work is still open",
    )
    assert accepting(gone._replace(rule="file-gone")) == "It is false now"


def test_a_settled_thread_is_closed_by_a_tick() -> None:
    """What an earlier review asked, and does not arise any more, is offered to be closed."""
    book = Book(limits(verify_invariants_every=2))
    book.log(new("inv", "Orders stay.", kind="invariant"))
    book.idle(3)
    book.review()
    book.log(FactInvalidated("inv"))
    plan = book.plan()._replace(tip=TIP)
    (thread,) = plan.settled
    text = asking(plan).text
    found, void = given_by(plan, ticked(text, keys_of(text)[-1], "accept"))
    assert (found, void) == ({thread.id: ACCEPT}, {})
    assert [event.id for event in events_of(plan, found, left=True)] == [thread.id]


def test_an_answer_counts_for_the_text_that_it_was_given_to() -> None:
    """Where a fact reads otherwise by now, or nobody ticked but the job, its question is asked again."""
    text = asking(plan_of("Orders stay.", "Pay by card.")).text
    key, other = keys_of(text)
    text = ticked(ticked(text, key, "accept"), other, "accept")
    found, void = given_by(plan_of("Orders go.", "Pay by card."), text)
    assert (list(found), void) == (["inv-01"], {key: "it is not asked any more as it was"})
    found, void = given_by(plan_of("Orders stay.", "Pay by card."), text, who="")
    assert (found, Counter(void.values())) == ({}, {"the tick is no person's": 2})


@pytest.mark.parametrize("many", (1, MOST, MOST + 5))
def test_no_more_is_asked_than_one_looks_at(many: int) -> None:
    """The first questions come first; the rest waits for the next, and a file is far from its limit."""
    texts = [f"{chr(97 + number % 26) * (number + 3)} holds." for number in range(many)]
    asks = asking(plan_of(*texts))
    assert (asks.questions, asks.left) == (min(many, MOST), max(0, many - MOST))
    assert len(keys_of(asks.text)) == asks.questions
    long = plan_of(*[f"{'x' * 40_000} {text}" + "\nmore" * 500 for text in texts[:3]])
    assert len(asking(long).text.encode()) < LIMIT_BYTES / 2
