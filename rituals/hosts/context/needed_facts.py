"""Say what memory has on what a session is about to do: at most a few facts, in little room.

One that stands whole in the session's context already, or that it was told before, is not told again.
"""

from __future__ import annotations

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

ANSWER, RULE = "Memory on this", "Memory has a rule on this"
#: A text that is shorter says too little, and a longer one is to be asked for.
_LEAST_CHARS, _MOST_CHARS = 60, 240


class Needed(Record):
    """What memory has on a moment."""

    #: (id, what it is, its text) of each, best first, on a line each
    facts: tuple[tuple[str, str, str], ...] = ()
    title: str = ANSWER  #: what they are
    most: int = 3  #: so many are told at most
    characters: int = 600  #: and in so many, with their envelope
    #: ids of the rules among them that were broken: those are told although they were shown
    broken: tuple[str, ...] = ()

    def lines(self, known: Collection[str]) -> tuple[list[str], list[str]]:
        """Return the lines to tell a session, and the ids of the facts in them.

        `known` has ids of facts that stand whole in its context, and `marks` of what was told.
        """
        fresh = [one for one in self.facts if self.marks([one[0]])[-1] not in known][: self.most]
        if not fresh:
            return [], []
        from projection.brief.envelope import enveloped
        from projection.brief.single_line import shortened

        room = self.characters - len(enveloped(self.title, (), ""))
        lines: list[str] = []
        for place, (id, about, text) in enumerate(fresh):
            begun = f"- {id} ({about}): "
            least = len(begun) + min(_LEAST_CHARS, len(text))
            share = max(room // (len(fresh) - place) - 1, least)
            if share >= room:
                break
            lines.append(begun + shortened(text, min(_MOST_CHARS, share - len(begun))))
            room -= len(lines[-1]) + 1
        return lines, [id for id, _, _ in fresh[: len(lines)]]

    def marks(self, ids: Iterable[str]) -> list[str]:
        """Return by what it is known that facts were told: broken rules by a mark of their own, too."""
        return [word for id in ids for word in (id, *([f"{id}!"] if id in self.broken else ()))]
