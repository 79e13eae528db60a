"""Define the request to append a log: one model for the command line, JSON and the MCP server.

Its field names are the keys of `diurna append --from-json` and the arguments of the tool `append`, which
take their models from it (`rituals.record.json_request`); the options of `diurna append` bear them too.
"""

from __future__ import annotations

from ledger.codec.canonical_draft import problems
from ledger.model.event import Event
from ledger.model.record import Record
from ledger.model.session import SessionLog
from projection.policy.model import DEFAULT_KIND

#: The header values that are passed on as they are; agent and type have places of their own.
HEADER_KEYS = ("role", "host", "model", "session", "verdict", "about", "tokens")
#: The fields that say nothing by themselves.
_BESIDE = frozenset(("agent", "type", "anyway", *HEADER_KEYS)) - {"verdict"}
#: Pairs of what JSON writes as an object.
Pairs = tuple[tuple[str, str], ...]


class NewFact(Record):
    """A fact to be born; `id` is "" when it is to be made from the text.

    `footers` are its footer keys besides those that have a field here; what it `replaces` is false then.
    """

    text: str
    id: str = ""
    kind: str = DEFAULT_KIND
    tags: tuple[str, ...] = ()
    entity: tuple[str, ...] = ()
    footers: Pairs = ()
    replaces: tuple[str, ...] = ()


class Update(Record):
    """A new text for a fact."""

    id: str
    text: str


class Supersession(Record):
    """A fact that is false now, and the one that replaces it."""

    old: str
    new: str


class Request(Record):
    """What is to be recorded; "" and () stand for not said.

    `move` holds tasks and states, `helped` facts and their evidence, `ignored` facts and the role that was
    not helped, "" for that of the log. `verdict` is what a judge says (`pass`, `fail`), `about` the
    ids of what was judged, with commas between, and `tokens` how many judging took.
    """

    title: str = ""
    body: str = ""
    agent: str = ""
    role: str = ""
    host: str = ""
    model: str = ""
    session: str = ""
    refs: tuple[str, ...] = ()
    new: tuple[NewFact, ...] = ()
    update: tuple[Update, ...] = ()
    supersede: tuple[Supersession, ...] = ()
    invalidate: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
    reopen: tuple[str, ...] = ()
    reactivate: tuple[str, ...] = ()
    anyway: bool = False
    type: str = ""
    move: Pairs = ()
    helped: Pairs = ()
    ignored: Pairs = ()
    verdict: str = ""
    about: str = ""
    tokens: str = ""

    @property
    def says_nothing(self) -> bool:
        """Whether it names neither a title, a body nor an event."""
        return not any(getattr(self, key) for key in self._fields if key not in _BESIDE)

    @property
    def header(self) -> dict[str, str]:
        """The header values that were said."""
        return {key: said for key in HEADER_KEYS if (said := getattr(self, key))}


def because(event: Event, reason: str) -> Event:
    """Put a reason beside an event, where it can be written there; the log's prose has it anyway."""
    said = event._replace(remark=" ".join(reason.split()))
    log = SessionLog((("agent", "a"), ("type", "edit")), "T", "", (said,))
    return event if problems(log) else said
