"""Know the lines that must be nowhere: what was redacted, as far as git or a kept copy still has it.

Whatever comes in or lies beside git is held against them (FORMAT.md, F9).
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from ledger.codec.fact_blocks import write_footer
from ledger.codec.log import decode
from ledger.home import Home
from ledger.model.event import (
    Event,
    FactCreated,
    FactIgnored,
    FactRedacted,
    FactUpdated,
    Meta,
    facts_in,
)
from ledger.model.evidence import role_in
from ledger.model.finding_codes import Finding
from ledger.model.ids import WITHHELD, is_purged, version_id
from ledger.model.log_names import is_sealed
from ledger.model.session import DEFAULT_TITLE, EDIT, SessionLog
from memory.cache.cache_file import Cache
from memory.redaction.withheld_texts import holds_cut, logs_naming, redacted_logs, withheld_texts
from memory.replay.read_logs import read_bytes
from projection.document.unlogged_lines import WAY_OUT
from projection.fold.fact_history import REDACTED_TEXT
from projection.fold.withholding import free_values, names
from projection.text.normalize import plain

_HINT = "a redaction is for good; say what may be known in other words"
#: The shortest text that says something by itself; a shorter one stands in too many lines.
_TELLING_CHARS = 4
#: The same of a remark, and of a value in a footer.
_REMARK_CHARS = 12
#: So many words of a line tell it, also where the rest of it is missing.
_TELLING_WORDS = 4


class Withheld:
    """The lines that must be nowhere, as far as git or a kept copy still has them.

    Args:
        home: where they are.
        cache: of the tip.
        facts: whose texts are withheld.
        logs: whose words are.
    """

    def __init__(
        self, home: Home, cache: Cache, facts: frozenset[str], logs: frozenset[str]
    ) -> None:
        self._facts, self._bare = facts, logs
        self._lines: set[str] = set()
        self._plain: set[str] | None = None
        #: of every text that was withheld, also where a purge took it out of git
        self._versions = {
            version_id(text)
            for history in cache.some_histories(sorted(facts)).values()
            for act in history.acts
            if isinstance(act.event, FactCreated | FactUpdated)
            if (text := act.event.text or "")[:1] == WITHHELD
        }
        self._values: set[str] = set()  # may stand in what is about something else
        for text in withheld_texts(home, cache, facts):
            self._add(text)
        refs = [ref for stem in sorted(self._bare) if (ref := cache.log_ref(stem)) is not None]
        for ref, data in read_bytes(home, [*refs, *logs_naming(cache, facts)]):
            self.read(ref.stem, data)

    def read(self, stem: str, data: bytes) -> None:
        """Learn what is withheld of a log."""
        log, _ = decode(data, sealed=is_sealed(stem))
        for event in log.events:
            if isinstance(event, FactCreated | FactUpdated) and event.id in self._facts:
                self._add(event.text or "")
                self._add_footer(event.id, event.meta)
            role = isinstance(event, FactIgnored) and role_in(event.remark)
            if names(event, self._facts) and not isinstance(event, FactRedacted) and not role:
                if len(event.remark) >= _REMARK_CHARS:
                    self._add(event.remark)
                self._values.add(event.remark)
        if stem in self._bare:
            for text in (log.title, log.prose, *[event.remark for event in log.events]):
                self._add(text)

    def _add(self, text: str) -> None:
        lines = (line.strip() for line in text.split("\n") if not is_purged(text))
        self._lines.update(line for line in lines if len(line) >= _TELLING_CHARS)

    def _add_footer(self, fact: str, meta: Meta) -> None:
        free = free_values(meta)
        if free:
            self._lines.add(write_footer(fact, meta).removesuffix(" -->"))
        for _, value in free:
            self._values.add(value)

    def stands_in(self, data: bytes) -> bool:
        """Tell whether bytes hold one of the lines, or its front up to a `…`."""
        if any(line in data for line in _spelled(self._lines)):
            return True
        text = data.decode("utf-8", "replace").replace("\\u2026", "…")
        return holds_cut(text, [*self._lines])

    def may_stand_in(self, data: bytes) -> bool:
        """Tell whether bytes hold one of the lines, or what stood in a footer or a remark."""
        values = {one for one in self._values if len(one) >= _TELLING_CHARS}
        return self.stands_in(data) or any(line in data for line in _spelled(values))

    def repeats(self, text: str) -> bool:
        """Tell whether a text says one of the lines or texts again, but for case, marks and white space.

        Also among other words, and where it says a part of it that tells.
        """
        if version_id(text) in self._versions:
            return True
        if self._plain is None:
            self._plain = {said for line in self._lines if (said := plain(line))}
        for one in (text, *text.split("\n")):
            said = plain(one)
            part = f" {said} " if said.count(" ") + 1 >= _TELLING_WORDS else "\n"
            for line in self._plain:
                if said == line or part in f" {line} ":
                    return True
                if f" {line} " in f" {said} " and line.count(" ") + 1 >= _TELLING_WORDS:
                    return True
        return False

    def without(self, data: bytes) -> bytes:
        """Return a text without the lines in which one of them stands."""
        said = REDACTED_TEXT.encode()
        return b"\n".join(said if self.may_stand_in(line) else line for line in data.split(b"\n"))

    def without_items(self, data: bytes) -> bytes:
        """Return an object of JSON without the `items` in which one stands; nothing for another."""
        try:
            said = json.loads(data)
            items = [
                one for one in said["items"] if not self.may_stand_in(json.dumps(one).encode())
            ]
            found = json.dumps({**said, "items": items}, ensure_ascii=False).encode()
        except (ValueError, TypeError, KeyError, RecursionError):
            return b""
        return b"" if self.may_stand_in(found) else found


def _spelled(lines: Iterable[str]) -> Iterable[bytes]:
    for line in sorted(lines):
        yield line.encode("utf-8", "surrogatepass")
        yield line.encode("unicode_escape")
        for ascii_ in (False, True):  # as JSON has it
            yield json.dumps(line, ensure_ascii=ascii_)[1:-1].encode("utf-8", "surrogatepass")


def withheld_of(home: Home, cache: Cache, *, words: bool = True) -> Withheld | None:
    """Return what is withheld in a home; None where nothing is.

    `words`: of redacted logs their own words too, which others may say as well.
    """
    if not cache.redacted:
        return None
    return Withheld(home, cache, cache.redacted, redacted_logs(cache) if words else frozenset())


def repeated_places(telling: Withheld, log: SessionLog) -> tuple[Finding, ...]:
    """Name the places in which a log says again what was withheld, not the words."""
    said = [("the title", log.title), ("the prose", log.prose)]
    said += [(f"the text of {event.id}", _text_of(event)) for event in log.events]
    said += [(f"what is said of {event.id}", event.remark) for event in log.events]
    hint = _HINT
    if log.type == EDIT:
        hint = f"{_HINT}, {WAY_OUT}"
    found = [
        Finding("withheld-text", f"{where} says what was redacted here", hint=hint)
        for where, text in said
        if telling.repeats(text)
    ]
    return tuple(dict.fromkeys(found))


def without_repeats(telling: Withheld, log: SessionLog) -> SessionLog:
    """Return a log without what says again what was withheld."""
    gone = {event.id for event in log.events if telling.repeats(_text_of(event))}
    events = [
        event._replace(remark="") if telling.repeats(event.remark) else event
        for event in log.events
        if gone.isdisjoint(facts_in(event)) or isinstance(event, FactRedacted)
    ]
    prose = "\n".join(line for line in log.prose.split("\n") if not telling.repeats(line))
    title = DEFAULT_TITLE if telling.repeats(log.title) else log.title
    return log._replace(title=title, prose=prose.strip("\n"), events=tuple(events))


def _text_of(event: Event) -> str:
    return getattr(event, "text", None) or ""
