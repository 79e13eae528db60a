"""Weigh facts by what they mean, all of them, whether or not they share a word with the question.

A long fact says many things, so it is compared stretch by stretch; each stretch has the words of the id,
which say what the whole is about. A stretch means what its distinct words mean together: words that tell
nothing are left out, everyday ones count half. So the meaning of a fact depends on its text alone, and is
kept (`memory.recall.rank.meaning_store`). Without the extra `vectors` nothing here is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memory.recall.query.query_parser import words_in
from memory.recall.query.widening import EVERYDAY, everyday

#: How many characters one stretch of a fact has, about.
STRETCH_CHARS = 400
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+")


def weighed(words: Iterable[str]) -> dict[str, float]:
    """Return how much each of some words, in lower case, says of what a text means."""
    return {word: EVERYDAY if everyday(word) else 1.0 for word in words if len(word) > 1}


def stretches_of(id: str, text: str) -> list[dict[str, float]]:
    """Return the words of each stretch of a fact, with their weights."""
    from memory.recall.index.passage_cutter import (
        camel_words,  # a question of a kept index needs none
    )

    name = re.sub("[-.]", " ", id)
    return [weighed(words_in(f"{name} {one} {camel_words(one)}")) for one in _stretches(text)]


def _stretches(text: str) -> Iterator[str]:
    """Cut a text behind sentences, and where one is longer than a stretch behind words."""
    pending = ""
    for sentence in _SENTENCE.split(text):
        while len(sentence) > STRETCH_CHARS:
            cut = sentence.rfind(" ", STRETCH_CHARS // 2, STRETCH_CHARS) + 1 or STRETCH_CHARS
            if pending:
                yield pending
            pending, sentence = sentence[:cut], sentence[cut:]
        if pending and len(pending) + len(sentence) > STRETCH_CHARS:
            yield pending
            pending = ""
        pending = f"{pending} {sentence}" if pending else sentence
    if pending:
        yield pending
