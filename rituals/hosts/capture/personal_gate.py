"""Keep what is about a person out of what a machine records where others read it.

Whatever becomes a log of a session goes through here: facts, the digest, the title, what was observed, and
what is proposed. A text is closed out where one of its sentences is about a person, or says again what the
user's own home has: the brief tells that to agents, and they repeat it.
"""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.home import personal_home
from ledger.secrets.person_statements import about_person, paragraphs
from projection.text.normalize import index_words, sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rituals.hosts.extraction.extracted_items import Item
    from rituals.hosts.observed.observation_spool import Observation
    from rituals.hosts.transcripts.slices import Slice, Turn

#: Of a fact's words so many of 100, and so many at least, are in a sentence that says it again.
_NEARLY, _LEAST_WORDS = 70, 2


class PersonalGate:
    """Tells what may not be recorded where others read it.

    Args:
        own: what the user's own home has.
    """

    def __init__(self, own: Iterable[str] = ()) -> None:
        self._sizes: list[int] = []
        self._places: dict[str, list[int]] = {}
        for text in own:
            for sentence in sentences(text):
                words = frozenset(index_words(sentence))
                if len(words) >= _LEAST_WORDS:
                    for word in words:
                        self._places.setdefault(word, []).append(len(self._sizes))
                    self._sizes.append(len(words))

    def closes(self, text: str) -> bool:
        """Tell whether a text has to stay out."""
        return about_person(text) != "" or self._repeats(text)

    def closes_item(self, item: Item, turns: Sequence[Turn] = ()) -> bool:
        """Tell whether a fact has to stay out: by its own words, or by the sentence it was found in."""
        said = (item.text, item.quote, item.entity, *item.tags, item.obsolete_when, item.misfit)
        if item.personal or any(self.closes(one) for one in said if one):
            return True
        around = (_around(turn.text, item.quote) for turn in turns if turn.at == item.at)
        return any(self.closes(one) for one in around)

    def closes_observation(self, one: Observation) -> bool:
        """Tell whether what was observed has to stay out; what a line begins with is no sentence."""
        return self.closes(one.what) or self.closes(one.what.partition(": ")[2])

    def open_paragraphs(self, texts: Iterable[str]) -> tuple[list[str], int]:
        """Return texts without the paragraphs that have to stay out, and how many those were.

        Each text, whole or a paragraph, keeps its place; one that is closed whole is "".
        """
        kept: list[str] = []
        left_out = 0
        for text in texts:
            parts = list(paragraphs(text))
            open_parts = [part for part in parts if not self.closes(part)]
            left_out += len(parts) - len(open_parts)
            kept.append(text if len(open_parts) == len(parts) else "".join(open_parts))
        return kept, left_out

    def open_slice(self, said: Slice) -> Slice:
        """Return what was said as others may read it: a model is told no more."""
        texts, _ = self.open_paragraphs([turn.text for turn in said.turns])
        turns = zip(said.turns, texts, strict=True)
        return said._replace(turns=tuple([turn._replace(text=text) for turn, text in turns]))

    def _repeats(self, text: str) -> bool:
        """Tell whether a sentence says again what the user's own home has, in nearly the same words."""
        if not self._sizes:
            return False
        for sentence in sentences(text):
            shared: dict[int, int] = {}
            for word in set(index_words(sentence)):
                for place in self._places.get(word, ()):
                    shared[place] = shared.get(place, 0) + 1
            if any(
                count >= _LEAST_WORDS and 100 * count >= _NEARLY * self._sizes[place]
                for place, count in shared.items()
            ):
                return True
        return False


def own_texts() -> tuple[str, ...]:
    """Return what the user's own home has; nothing where there is none that can be read."""
    from memory.api import Memory

    try:
        home = personal_home()
        if home is None:
            return ()
        state = Memory(home, in_process=False).state()
        facts = [one.fact for one in state.standings() if not one.fact.redacted]
        return tuple([head.text for fact in facts for head in fact.heads])
    except (DiurnaError, OSError):
        return ()


def _around(text: str, quote: str) -> str:
    """Return the line of a turn that a quote is found in, white space apart; "" where none has it."""
    for part in paragraphs(text):
        plain = " ".join(part.split())
        at = plain.find(quote)
        if at >= 0:
            start = max([plain.rfind(mark, 0, at + 1) for mark in (". ", "! ", "? ")])
            ends = [plain.find(mark, at + len(quote) - 1) for mark in (". ", "! ", "? ")]
            return plain[start + 1 : min([end + 1 for end in ends if end >= 0], default=len(plain))]
    return ""
