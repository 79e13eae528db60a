"""No piece of a sentence that a machine takes says the opposite of the sentence, in five languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from memory.recall.passage_hits import titled
from projection.brief.inert_text import shortened
from projection.text.clipping import LINE_CHARS, one_line, telling
from projection.text.session_digest import gist
from rituals.hosts.capture.log_composition import sentence_of
from rituals.intake.decision_records import decision_of

#: By language: sentences with a negation first, within and last; what they are about; what makes them long.
_FORMS = {
    "en": ("No {} hangs off this list from now on.", "We decided that {} is not stored there.", "None of {} runs at night.",
           "We must never log {}.", "Nobody may change {} by hand.", "Nothing of {} was decided.", "Don't put {} into the cache.",
           "We decided against it, {} stays off and is used by {long} no more, not even once.", "Without {} we do not ship.",
           "Stop, never write {} again.", "Wait, {} isn't done.", "Also nothing in {} holds."),
    "de": ("Kein {} hängt an dieser Liste ab jetzt.", "Wir haben entschieden, dass {} nicht bleibt.", "Nein, {} speichern wir nicht.",
           "Nie schreiben wir {} ins Log.", "Niemand ändert {} von Hand.", "Wir nehmen {} für {long} ab sofort nicht.",
           "Ohne {} liefern wir nichts aus.", "Das soll {} ab jetzt, wie {long} es wollte, keinesfalls, also nicht, tun."),
    "fr": ("Aucun {} ne dépend de cette liste désormais.", "Nous avons décidé que {} n'est pas gardé.", "Non, {} ne reste pas.",
           "Jamais nous n'écrivons {} dans le journal.", "Personne ne change {} et rien ne passe.", "Sans {} on ne livre pas.",
           "On garde {} pour {long} désormais, mais pas ici."),
    "es": ("Ningún {} depende de esta lista a partir de ahora.", "Decidimos que {} no se guarda.", "No guardamos {} en el registro.",
           "Nunca escribimos {} en el registro.", "Nadie cambia {} a mano, nunca.", "Sin {} no se publica nada.",
           "Usaremos {} para {long} a partir de ahora, pero aquí no."),
    "it": ("Nessun {} dipende da questa lista d'ora in poi.", "Abbiamo deciso che {} non resta.", "Non scriviamo {} nel registro.",
           "Mai si cambia {} a mano.", "Niente di {} è deciso.", "Senza {} non si pubblica.", "{} va bene per {long} d'ora in poi, qui non."),
}  # fmt: skip
_ABOUT = ("trust boundary", "session table", "`pay.retry`", "Redis queue", "order export", "v2 index", "audit log",
          "the nightly report of all the shops in the north", "web socket", "tax rule 7")  # fmt: skip
_LONG = "a service that reads every order of the last thirty days from the warehouse and then sends all of them to the partner "
_NEGATIONS = re.compile(
    r"\b(?:no|not|none|never|nobody|nothing|without|don't|isn't|kein\w*|nicht|nichts|nie|niemand|nein|ohne|aucun|pas|non|jamais"
    r"|personne|rien|sans|ningún|nunca|nadie|sin|nada|nessun|mai|niente|senza)\b",
    re.IGNORECASE,
)
_AROUND = ".,;"


def sentences() -> list[str]:
    """Each form about each thing, with more or less before its end."""
    return [
        form.format(about, long=long).replace("  ", " ")
        for forms in _FORMS.values()
        for form in forms
        for about in _ABOUT
        for long in (("those", _LONG + _LONG + "too") if "{long}" in form else ("",))
    ]


def _clipped(text: str) -> Iterator[str]:
    for chars in (40, 60, 90, 120, 200):
        yield shortened(text, chars)
        yield one_line(text, chars)


def _recalled(text: str) -> Iterator[str]:
    for word in ("warehouse", "partner", "list", "log"):
        padded = f"{'All is well here. ' * 30}\n{text.replace(', ', ',' + chr(10), 1)}\n\n{'And so on. ' * 20}"
        shown = one_line(telling(padded, (word,)), LINE_CHARS)
        if word in shown and word in text:
            yield shown
        yield titled("", "", text, (word,))


def _digested(text: str) -> Iterator[str]:
    found = gist(
        f"# Work\n\n{text}\n\nSome more of it was read and told.\n\n- {text}\n\n**Decided:** {text}\n"
    )
    for quote in (
        found.summary,
        *[one.text for one in (*found.points, *found.decisions, *found.actions)],
    ):
        if quote[:12] in text or quote[-12:] in text:
            yield quote


_TAKING: dict[str, Callable[[str], Iterator[str]]] = {
    "clipped": _clipped,
    "recalled": _recalled,
    "digest": _digested,
    "decision record": lambda text: (one.text for one in [decision_of(f"# T\n\n## Decision\n\n{text}\n")] if one),
    "a line of a log": lambda text: (sentence_of(f"- {text}"),),  # type: ignore[dict-item, return-value]
}  # fmt: skip


@pytest.mark.parametrize("taking", _TAKING)
def test_a_negation_is_never_cut(taking: str) -> None:
    """Whatever takes a piece of a sentence."""
    pieces = [(text, piece) for text in sentences() for piece in _TAKING[taking](text) if piece]
    assert len(pieces) > 40
    wrong = [(text, piece) for text, piece in pieces if not _NEGATIONS.search(piece)]
    assert wrong == []


def test_what_is_short_enough_is_whole_and_a_cut_keeps_to_its_room() -> None:
    """Whatever it keeps; a negation of the next sentence is not this one's."""
    for text in sentences():
        for chars in (1, 5, 40, 41, 80, 500):
            assert len(shortened(text, chars)) <= max(chars, 1)
            assert len(one_line(text, chars)) <= max(chars, 1)
            assert shortened(text, chars) == text or len(text) > chars
    assert one_line("One two. Three four.", 11) == "One two. …"
    assert one_line("一二三。四五六七八九", 6) == "一二三。 …"
    assert one_line("一二三。四五六七八九", 5) == "一二三。…"
    clear = shortened("We keep the queue of the orders. That is not all there is.", 40)
    assert clear.endswith("orders.…")


_SAID = st.lists(
    st.tuples(
        st.sampled_from(("word", "a", "in", "nachtsicherung", "x" * 45, "not", "never", "nicht", "kein", "isn't", "sans")),
        st.sampled_from(("", "", "", "", ",", ".", ";")),
    ),
    min_size=1, max_size=40,
)  # fmt: skip


@example(said=[(n, "") for n in "word not word not word word word word".split()], chars=1)
@example(said=[(word, "") for word in "word word not a never word".split()], chars=24)
@given(said=_SAID, chars=st.integers(1, 200))
def test_a_negation_stays_with_what_it_negates(said: list[tuple[str, str]], chars: int) -> None:
    """Wherever a text is cut: none stands before another word, alone, or is taken from its word."""
    assume(not any(_NEGATIONS.fullmatch(one) and _NEGATIONS.fullmatch(two) and not mark
                   for (one, mark), (two, _) in pairwise(said)))  # fmt: skip
    words = [
        (word if _NEGATIONS.fullmatch(word) else f"{word}{number}") + mark
        for number, (word, mark) in enumerate(said)
    ]
    text = " ".join(words)
    for shown in [shortened(text, chars)] if len(text) > chars else ():
        bare = [*(word.strip(_AROUND) for word in shown.replace("…", " … ").split()), "…"]
        for one, behind in pairwise(bare):
            if _NEGATIONS.fullmatch(one):
                follow = [
                    later for word, later in pairwise([*words, "…"]) if word.strip(_AROUND) == one
                ]
                closed = [word for word in words if word.strip(_AROUND) == one != word]
                assert closed or any(
                    later == behind or (behind != "…" and later.startswith(behind))
                    for later in follow
                )
        for before, one in pairwise(["", *bare]):
            if one in words and not _NEGATIONS.fullmatch(one):
                earlier = words[words.index(one) - 1] if words.index(one) else ""
                assert before == earlier or not _NEGATIONS.fullmatch(earlier), shown
