"""Give facts from elsewhere a form that a log takes, and cut what was taken in into logs.

A text is changed as little as the format needs: its comments are escaped, else it is kept in a block of
code. Lines and logs are broken up before they reach a limit of the format. Secrets go before all that.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from ledger.codec.canonical_draft import problems
from ledger.codec.fact_blocks import order_meta, tidy
from ledger.codec.log import canonical
from ledger.errors import DraftRefused
from ledger.model.event import Event, FactCreated, FactSuperseded, FactUpdated, Meta
from ledger.model.finding_codes import Finding
from ledger.model.ids import version_id
from ledger.model.log_names import ended_of, is_date, stamp_of
from ledger.model.session import LINE_LIMIT_BYTES, SessionLog
from ledger.secrets.log_redaction import Look, is_withheld
from ledger.secrets.scanner import without_secrets
from memory import footer_value
from projection.policy.model import CLOSABLE, DEFAULT_KIND, DELIBERATE, THREAD_KIND, Policy
from rituals.intake.intake_items import IMPORTED, KEY, Draft, Item, LeftOut, Reading, key_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Bringing = TypeVar("Bringing", FactCreated, FactUpdated)

#: A longer text is a document, and no fact.
ITEM_LIMIT_BYTES = 64 << 10
_DAY_CHARS = 10
_NO_ID = "unborn"
#: What no log can hold, or only in another sense.
_ODD = {0: "\ufffd", **dict.fromkeys(range(55296, 57344), "�")}
_LOG_BYTES = 700_000  #: of events in one log, below the limit of the format
_LOG_EVENTS = 5_000
#: The keys of a footer that stay where the others can not.
_KEPT = ("kind", "created", "origin")
#: The keys whose values no source wrote.
_COMPUTED = ("kind", "created", "personal")


def stored(event: Bringing, file: str = "", line: int = 0) -> tuple[Bringing, tuple[Finding, ...]]:
    """Return an event of an `import` log in a form that the format takes, and what was changed for that.

    `file` and `line` are where its text stands, for the finding.

    Raises:
        DraftRefused: the text is too large for any log.
    """
    bare: Meta = tuple(pair for pair in event.meta if pair[0] in _KEPT)
    text, fence = event.text or "", "~~~"
    while fence in text:
        fence += "~"
    quoted = f"As it stood:\n\n{fence}\n{text}\n{fence}"
    problem: tuple[Finding, ...] = ()
    for changed, how in (
        (event, ""),
        (event._replace(text=text.replace("<!--", "&lt;!--")), "its comments are escaped"),
        (event._replace(meta=bare), "the other keys of its footer are left out"),
        (event._replace(text=quoted, meta=bare), "its text is kept in a code block"),
    ):
        log = canonical(SessionLog((("type", "import"),), "Import", "", (changed,)))
        wrong, made = problems(log), log.events[0]
        if not wrong and isinstance(made, type(event)):
            said = (
                f"`{event.id}` can not stand as it is ({problem[0].message}); {how}" if how else ""
            )
            return made, (Finding("not-canonical", said, file, line),) if how else ()
        problem = problem or wrong
    raise DraftRefused((problem[0]._replace(file=file, line=line), *problem[1:]))


def wrapped(text: str) -> str:
    """Break lines that are over the limit of the format, at blanks where there are some."""
    most = LINE_LIMIT_BYTES // 8  # characters, each of four bytes at most
    lines = [
        textwrap.wrap(line, most, expand_tabs=False, replace_whitespace=False) or [""]
        if len(line) > most
        else [line]
        for line in text.split("\n")
    ]
    return "\n".join([part for some in lines for part in some])


def parts(brought: Iterable[Sequence[Event]]) -> list[list[Event]]:
    """Cut what is brought, in its order, into logs within the limits of the format.

    It comes in groups: what has to stand in one log with the event that brings a text.
    """
    found: list[list[Event]] = []
    size = 0
    for events in brought:
        cost = sum(map(_cost, events))
        if not found or size + cost > _LOG_BYTES or len(found[-1]) + len(events) > _LOG_EVENTS:
            found.append([])
            size = 0
        found[-1] += events
        size += cost
    return found


def _cost(event: Event) -> int:
    """Return how many bytes an event has in a log at most, about: a line names two ids."""
    if not isinstance(event, FactCreated | FactUpdated):
        return 200
    text = event.text or ""
    return len(text.encode()) + 2 * text.count("\n") + 300 + sum(len(v) for _, v in event.meta)


def with_edges(
    births: Sequence[FactCreated], edges: Iterable[tuple[str, str]]
) -> list[tuple[Event, ...]]:
    """Put each supersession beside the later birth of its two facts, where both of them are known.

    `births` stand in the order in which they come; `edges` are (old, new) ids in the order in which they
    are believed, of which those go by which a fact would replace itself.
    """
    rank = {event.id: number for number, event in enumerate(births)}
    after: dict[str, set[str]] = {}
    states: dict[str, list[Event]] = {}
    for old, new in dict.fromkeys(edges):
        reached = {new}
        while more := {id for one in reached for id in after.get(one, ())} - reached:
            reached |= more
        if old not in reached:
            after.setdefault(old, set()).add(new)
            later = max((old, new), key=lambda id: rank.get(id, -1))
            states.setdefault(later, []).append(FactSuperseded(old, new))
    return [(event, *states.get(event.id, ())) for event in births]


def places_clean(reading: Reading) -> Reading:
    """Return a reading whose places can be shown: without the secret that a name of a file may be."""
    items = [one._replace(place=without_secrets(one.place or one.key)) for one in reading.items]
    left_out = [LeftOut(*map(without_secrets, one)) for one in reading.left_out]
    return reading._replace(items=tuple(items), left_out=tuple(left_out))


class Drafts:
    """Makes the drafts of one source; nothing was written after `now_ms`, milliseconds since 1970."""

    def __init__(self, source: str, policy: Policy, now_ms: int) -> None:
        self._source, self._policy = source, policy
        self._today = ended_of(stamp_of(now_ms))[:_DAY_CHARS]
        self._kinds = frozenset([kind.name for kind in policy.kinds])

    def draft(self, item: Item) -> Draft | LeftOut:
        """Return an item as it would be stored, or why it can not be."""
        place = item.place
        look = Look(self._policy.privacy.personal, lines=True)
        raw = item.text.replace("\r\n", "\n").replace("\r", "\n").translate(_ODD)
        if not raw.strip():
            return LeftOut(place, "it has no text")
        if len(raw.encode()) > ITEM_LIMIT_BYTES:
            return LeftOut(place, f"over {ITEM_LIMIT_BYTES >> 10} KiB: a document, no fact")
        kind, mark = self._kind(item)
        clean = tidy(look.part(place, raw))
        text = tidy(wrapped(clean))
        if not text:
            return LeftOut(place, "it has no text")
        meta = [
            (key, value if key in _COMPUTED else look.part(place, value, f"{key}: "))
            for key, value in self._meta(item, kind)
        ]
        if look.secrets and self._policy.privacy.secrets == "refuse":
            return LeftOut(place, "it holds a secret, and this memory refuses those")
        if is_withheld(text):
            return LeftOut(place, "it holds a secret")
        event = FactCreated(_NO_ID, text, mark, order_meta(meta))
        try:
            event, findings = stored(event, place)
        except DraftRefused as problem:
            return LeftOut(place, problem.findings[0].message)
        footer = dict(event.meta)
        if KEY not in footer:
            return LeftOut(place, "what its source calls it can not stand in a footer")
        event = event._replace(meta=(*event.meta, (IMPORTED, version_id(event.text or ""))))
        secrets = len({(hit.rule, hit.shown) for _, hit in look.secrets})
        return Draft(item, footer[KEY], event, secrets, findings)

    def _kind(self, item: Item) -> tuple[str, str]:
        """Return kind and checkbox: what a kind asks more of than a text, is a thread or a plain fact."""
        kind = item.kind or (THREAD_KIND if item.closed else DEFAULT_KIND)
        if kind not in self._kinds or kind in DELIBERATE:
            kind = THREAD_KIND if kind in CLOSABLE else DEFAULT_KIND
        if kind not in CLOSABLE:
            return kind, ""
        return kind, "x" if item.closed else " "

    def _meta(self, item: Item, kind: str) -> list[tuple[str, str]]:
        day = item.at[:_DAY_CHARS]
        tags = list(item.tags)
        if item.kind and item.kind != kind:
            tags.append(item.kind)
        named = [footer_value(tag.replace(",", " ")) for tag in tags]
        said = (
            ("kind", "" if kind == DEFAULT_KIND else kind),
            ("tags", ", ".join([tag for tag in dict.fromkeys(named) if tag])),
            ("entity", footer_value(item.entity)),
            ("source", footer_value(item.place)),
            ("created", day if is_date(day) and day <= self._today else ""),
            ("by", footer_value(item.author)),
            ("personal", "true" if item.personal else ""),
            (KEY, key_in(self._source, item.key)),
        )
        return [pair for pair in said if pair[1]]
