"""What is about a person is told from what is about the work, by sentence, in several languages."""

from __future__ import annotations

import unicodedata
from collections import Counter

from ledger.secrets.person_statements import (
    CONFIDENCE,
    PARTS,
    PLACES,
    PersonModel,
    about_person,
    paragraphs,
    person_model,
    place,
)
from tests.campaigns.person_model import SOURCES, made
from tests.conftest import each_row

#: Nothing was learned from these; who wrote them knew no weight.
UNSEEN = [line.split(" ", 2) for line in (SOURCES / "unseen.txt").read_text().splitlines()]
PERSONAL = [(topic, said) for kind, topic, said in UNSEEN if kind == "P"]
PROJECT = [said for kind, _, said in UNSEEN if kind == "J"]
KEPT = [said for topic, said in PERSONAL if topic == "kept"]


def test_what_is_about_a_person_is_told() -> None:
    """Of sentences that nothing was learned from all but one: alone, and between statements about the work."""
    missed = [said for _, said in PERSONAL if not about_person(said)]
    assert missed == ["j'ai pas dormi de la nuit à cause du petit"]
    for _, said in PERSONAL:
        if said not in missed:
            assert about_person(
                f"We store all amounts in cents. {said}. The cache is keyed by tenant."
            )
            assert about_person(f"The cache is keyed by tenant.\n\n- {said}\n- We log nothing.")
            assert about_person(unicodedata.normalize("NFD", said))


def test_what_is_about_the_work_is_left_alone() -> None:
    """Decisions, conventions, ownership and the words of a domain, whoever says them."""
    assert [said for said in PROJECT if about_person(said)] == []


@each_row("said", KEPT)
def test_what_is_kept_between_two_is_told_by_its_phrase(said: str) -> None:
    """However much it is about the work."""
    assert about_person(said) == CONFIDENCE


def test_the_file_weighs_what_it_weighed() -> None:
    """Whoever makes it again writes here what came of it: what sentences are about, and what they weigh."""
    assert Counter(about_person(said) for _, said in PERSONAL) == {
        "private life": 129, "the speaker": 103, "somebody else": 42, "taste": 24, CONFIDENCE: 11, "": 1,
    }  # fmt: skip
    assert sum(about_person(said, plainly=True) != "" for _, said in PERSONAL) == 302
    weigh = person_model().weigh
    assert round(PARTS * sum(weigh(said)[0] for _, said in PERSONAL)) == 28_272
    assert round(PARTS * sum(weigh(said)[0] for said in PROJECT)) == -14_915


def test_the_file_has_the_words_that_are_written_beside_it() -> None:
    """Who changes a word makes the file again."""
    model, words = person_model(), made()
    assert model.kinds == tuple(words["kinds"])
    plain = PersonModel(words, bytes(PLACES))
    for _, said in PERSONAL:
        for word in said.lower().split():
            assert model.bits(word) == plain.bits(word)


@each_row("topic, said", PERSONAL[::20])
def test_a_weight_is_the_sum_of_what_a_sentence_has(topic: str, said: str) -> None:
    """What was looked up before weighs the same."""
    weights = [at % 97 - 48 for at in range(PLACES)]
    model = PersonModel(made(), weights)
    whole = sum([weights[place(one)] for one in model.features(said)]) / 16
    assert model.weigh(said)[0] == model.weigh(said)[0] == whole


def test_a_wrapped_sentence_is_one() -> None:
    """The end of a line ends no sentence, and a blank line or an item ends a paragraph."""
    assert about_person("My daughter\nhas asthma, so nothing\nruns on Wednesdays.")
    assert about_person("My `daughter has asthma.")  # a mark that nothing closes opens no code
    said = "One.\ntwo\n\n- three\n  four\n- five\n\n\nsix"
    assert list(paragraphs(said)) == ["One.\ntwo\n\n", "- three\n  four\n", "- five\n\n\n", "six"]
    assert "".join(paragraphs(said)) == said


@each_row(
    "text",
    [
        *("Why is it cold?", "How is it slow", "Nothing is slow now.", "Warum ist es langsam?"),
        *("Set `my daughter has asthma` as the title.", "Release 2.my salary is a test name."),
        *("Low: th-TH, bn-BD, ms-MY, es-ES, my-MM", "More: he-IL, de-DE, it-IT, uk-UA, sv-SE"),
    ],
)
def test_a_question_names_nobody(text: str) -> None:
    """What begins with a capital for another reason is no name, nor is the name of a language."""
    assert not about_person(text)
