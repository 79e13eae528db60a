"""Ids of facts tell nothing of what they say: subject words of the project, else a word without a meaning."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.model.ids import is_fact_id
from projection.text.normalize import id_of_subject, subject_words
from tests.conftest import Repo, Run

WORDS = subject_words("src/Billing/retryQueue.py\ndocs/webhooks.md\nOrder Service\nstop.md")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("A webhook is retried by the billing queue.", "webhooks-billing-queue"),
        ("Orders: retry, then bill; webhooks, services, queues.", "order-retry-webhooks"),
        ("The billing is never stopped by webhooks.", "billing-webhooks"),
    ],
)
def test_subject_words_make_an_id(text: str, made: str) -> None:
    """At most three, as the project writes them, in singular or plural, and no negation."""
    assert id_of_subject(text, WORDS) == made


@pytest.mark.parametrize("text", ["Bob is ill until March.", "再試行", "", "billing"])
def test_else_an_odd_word_stands_there(text: str) -> None:
    """It can be spoken, is the same for the same text, and another for another one."""
    made = id_of_subject(text, WORDS)
    assert re.fullmatch(r"(billing-)?([bdfgklmnprstvz][aeiou]){3}", made)
    assert made == id_of_subject(text, WORDS) != id_of_subject(text + " x", WORDS)


@given(st.text(max_size=200), st.lists(st.text(max_size=40), max_size=5))
def test_no_word_of_a_text_is_in_its_id_unless_the_project_has_it(
    text: str, names: list[str]
) -> None:
    """Whatever is said, and whatever files and entities are called."""
    words = subject_words("\n".join(names))
    made = id_of_subject(text, words)
    assert is_fact_id(made)
    odd = [part for part in made.split("-") if part not in words.values()]
    assert len(odd) <= 1 and all(len(part) == 6 for part in odd)


def test_who_notes_a_sentence_finds_no_word_of_it_in_git(repo: Repo, run: Run) -> None:
    """Neither in an id, nor in a message; a second note of it is known, also where the words are others."""
    said = "fact: Bob Miller is on sick leave with burnout until March."
    made = run("note", said, "--json").json["facts"]
    assert run("note", said).code == 0, "known again"
    for word in ("bob", "miller", "sick", "leave", "burnout", "march"):
        assert word not in str(made) and word not in repo.git("log", "--format=%B")
    repo.write("src/burnout/leave.py", "")
    repo.git("add", "src")
    repo.git("commit", "-qm", "code")
    again = run("note", said)
    assert again.code == 0 or "says just that" in again.err
    assert len(run("show", "--list", "--json").json["facts"]) == 1
    assert "src-leave-burnout" not in run("show", "--list").out
    one = run("note", "decision: The leave service keeps burnout reports apart.", "--json").json
    assert one["facts"] == ["leave-burnout"]
