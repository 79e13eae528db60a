"""Gather what a session used of memory, each fact once, with the evidence (FORMAT.md, W13).

The evidence is a remark: it is withheld and purged with the fact. Of it the index of recall has the
questions alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from ledger.escape import prose
from ledger.model.event import FactReferenced
from ledger.model.evidence import RESTATED, Proof
from ledger.secrets.scanner import without_secrets
from memory.api import Memory
from memory.write.opened_facts import opened_by, used_in
from projection.brief.wording import shortened
from projection.compare.restatements import Restatements
from projection.text.normalize import content_words, plain
from rituals.hosts.capture.deeds import Known
from rituals.hosts.capture.gates import Gates
from rituals.hosts.capture.stamps import Seen
from rituals.hosts.capture.uses import Use, uses
from rituals.hosts.context.session_cursor import heard_by
from rituals.hosts.moments import file_name
from rituals.hosts.quoted_items import Item
from rituals.hosts.silence import heard, silences
from rituals.hosts.transcripts.slices import Slice, Turn

_QUOTE_CHARS = 160
#: A fact of few words is soon shared whole.
_FEW_WORDS = 4


def nearest(memory: Memory, turns: Iterable[Turn]) -> list[tuple[str, str]]:
    """Return ids and texts of the facts that live, those whose words turns say most of first."""
    said = {word for turn in turns for word in content_words(turn.text)}

    def share(text: str) -> float:
        words = content_words(text)
        return len(words & said) / (len(words) + _FEW_WORDS)

    live = [(one.fact.id, one.fact.text) for one in memory.view().live]
    return sorted(live, key=lambda one: (-share(one[1]), one[0]))


class Evidence:
    """What one session used."""

    def __init__(self, memory: Memory, gates: Gates, seen: Seen, session: str) -> None:
        self._memory, self._gates, self._seen, self._session = memory, gates, seen, session
        standings = memory.state().standings()
        facts = [one.fact for one in standings if not (one.fact.false or one.fact.redacted)]
        self._facts = [Known(fact.id, fact.kind, fact.text) for fact in facts]

    @cached_property
    def _restatements(self) -> Restatements:
        return Restatements((one.id, one.text) for one in self._facts)

    def of(self, said: Slice | None) -> tuple[Use, ...]:
        """Return what a part of the session used, and no log of the session says yet."""
        commondir = self._memory.home.repository.commondir
        known = silences(commondir)
        opened = [
            id
            for at, id in opened_by(commondir, self._seen.session)
            if heard(known, self._seen.session, self._seen.folder, at)
        ]
        told = heard_by(commondir, file_name(self._seen.host, self._seen.session))
        shown = (*told.moments, *told.shown)
        turns = said.turns if said else ()
        return self.once(
            uses(self._facts, turns, shown, opened, self._restatements if turns else None)
        )

    def once(self, found: Iterable[Use], without: Collection[str] = ()) -> tuple[Use, ...]:
        """Return uses, each fact once, of those that no log of the session used.

        `found` has the surest uses first; `without` is what the session speaks against.
        """
        used = self._memory.ask(lambda cache: used_in(cache, self._session))
        first: dict[str, Use] = {}
        for one in found:
            if one.id not in used and one.id not in without:
                first.setdefault(one.id, one)
        return tuple(first.values())

    def parted(self, items: Sequence[Item]) -> tuple[tuple[Item, ...], tuple[Use, ...]]:
        """Part what is to be facts into what memory does not have, and uses of what it has."""
        new: list[Item] = []
        again: list[Use] = []
        known = {plain(one.text): one for one in self._facts} if items else {}
        for item in items:
            there = known.get(plain(item.text))
            if there is None or there.id in item.supersedes:
                new.append(item)
            elif not item.personal:
                again.append(Use(there.id, RESTATED, item.at))
        return tuple(new), tuple(again)

    def references(self, found: Iterable[Use]) -> tuple[FactReferenced, ...]:
        """Write uses, with their words where others may read them."""
        events = []
        for one in found:
            asked = [said for question in one.asked if (said := self._open(question)) == question]
            quote = "" if one.by == "person" else one.quote
            words = shortened(self._open(quote), _QUOTE_CHARS)
            proof = Proof(one.how, one.at, one.by, words, tuple(asked))
            events.append(FactReferenced(one.id, proof.remark))
        return tuple(events)

    def _open(self, text: str) -> str:
        """Return words as others may read them, "" where they may not."""
        words = prose(without_secrets(text))
        return words if words and self._gates.opened([words]) == [words] else ""
