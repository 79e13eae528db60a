"""Make of an item the event by which it becomes a fact: without secrets, in a form that a log takes."""

from __future__ import annotations

from ledger.codec.fact_blocks import order_meta, tidy
from ledger.errors import DraftRefused
from ledger.model.event import FactCreated
from ledger.model.findings import Finding
from ledger.model.ids import version_id
from ledger.model.order import ended_of, is_date, stamp_of
from ledger.model.record import Record
from ledger.model.session import Entry
from ledger.secrets.log_redaction import Look
from ledger.secrets.scanner import without_secrets
from memory.write.birth_footers import footer_value
from projection.fold.fact_history import Fact
from projection.fold.fold import collect, resolve
from projection.policy.model import CLOSABLE, DEFAULT_KIND, DELIBERATE, THREAD_KIND, Policy
from rituals.intake.code_spans import storable
from rituals.intake.intake_items import Item, LeftOut, Reading
from rituals.intake.known_items import IMPORTED, KEY, key_in
from rituals.intake.stored_facts import stored, wrapped

#: A longer text is a document, and no fact.
ITEM_LIMIT_BYTES = 64 << 10
_DAY_CHARS = 10
_NO_ID = "unborn"
#: What no log can hold, or only in another sense.
_ODD = {0: "\ufffd", **dict.fromkeys(range(55296, 57344), "�")}


def places_clean(reading: Reading) -> Reading:
    """Return a reading whose places can be shown: without the secret that a name of a file may be."""
    clean = without_secrets
    items = [item._replace(place=clean(item.place or item.key)) for item in reading.items]
    left_out = [LeftOut(clean(one.place), clean(one.why)) for one in reading.left_out]
    return reading._replace(items=tuple(items), left_out=tuple(left_out))


class Draft(Record):
    """An item as it would be stored."""

    item: Item  #: as its source has it
    key: str  #: of the footer `key`
    event: FactCreated  #: that brings it; its id is to be chosen
    secrets: int = 0  #: how many were taken out
    findings: tuple[Finding, ...] = ()  #: what was changed so that it can stand in a log

    @property
    def text(self) -> str:
        """The text as it is stored."""
        return self.event.text or ""

    @property
    def named(self) -> str:
        """What its id is made of: its first line, where that is more than a word."""
        first = self.text.split("\n", 1)[0]
        return first if len(first.split()) > 1 else self.text


class Drafts:
    """Makes the drafts of one source; nothing was written after `now_ms`, milliseconds since 1970."""

    def __init__(self, source: str, policy: Policy, now_ms: int) -> None:
        self._source, self._policy = source, policy
        self._today = ended_of(stamp_of(now_ms))[:_DAY_CHARS]
        self._kinds = frozenset([kind.name for kind in policy.kinds])

    def draft(self, item: Item) -> Draft | LeftOut:
        """Return an item as it would be stored, or why it can not be."""
        place = item.place
        look = Look(self._policy.privacy.personal)
        raw = item.text.replace("\r\n", "\n").replace("\r", "\n").translate(_ODD)
        if not raw.strip():
            return LeftOut(place, "it has no text")
        if len(raw.encode()) > ITEM_LIMIT_BYTES:
            return LeftOut(place, f"over {ITEM_LIMIT_BYTES >> 10} KiB: a document, no fact")
        kind, mark = self._kind(item)
        clean = tidy(look.part(place, raw))
        text = tidy(wrapped(storable(clean.split("\n"), mark)))
        if not text:
            return LeftOut(place, "it has no text")
        meta = [(key, look.part(place, value, f"{key}: ")) for key, value in self._meta(item, kind)]
        if look.secrets and self._policy.privacy.secrets == "refuse":
            return LeftOut(place, "it holds a secret, and this memory refuses those")
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

    def before(self, item: Item) -> list[Draft]:
        """Return an item with each text that it had before, oldest first, as far as that can stand."""
        made = [self.draft(item._replace(text=version.text)) for version in item.earlier]
        return [one for one in made if isinstance(one, Draft)]

    def _kind(self, item: Item) -> tuple[str, str]:
        """Return kind and checkbox: what a kind asks more of than a text, is a thread or a plain fact."""
        kind = item.kind or (THREAD_KIND if item.closed else DEFAULT_KIND)
        if kind not in self._kinds or kind in DELIBERATE:
            kind = THREAD_KIND if kind in CLOSABLE else DEFAULT_KIND
        if kind not in CLOSABLE:
            return kind, ""
        return kind, "x" if item.closed else " "

    def _meta(self, item: Item, kind: str) -> list[tuple[str, str]]:
        days = [one.at[:_DAY_CHARS] for one in item.earlier] + [item.at[:_DAY_CHARS]]
        begun = min([day for day in days if is_date(day) and day <= self._today], default="")
        tags = list(item.tags)
        if item.kind and item.kind != kind:
            tags.append(item.kind)
        named = [footer_value(tag.replace(",", " ")) for tag in tags]
        said = (
            ("kind", "" if kind == DEFAULT_KIND else kind),
            ("tags", ", ".join([tag for tag in dict.fromkeys(named) if tag])),
            ("entity", footer_value(item.entity)),
            ("source", footer_value(item.place)),
            ("created", begun),
            ("by", footer_value(item.author)),
            ("personal", "true" if item.personal else ""),
            (KEY, key_in(self._source, item.key)),
        )
        return [pair for pair in said if pair[1]]


def fact_of(event: FactCreated) -> Fact:
    """Return a fact as it will be."""
    history = collect([Entry("~", False, "", "import", (), (event,))])[event.id]
    found = resolve(event.id, history)
    assert found is not None
    return found


def about_person_in(item: Item) -> bool:
    """Tell whether one of the texts of an item is about a person, whatever its source calls it."""
    from ledger.secrets.person_statements import about_person

    texts = (item.text, item.entity, *item.tags, *[one.text for one in item.earlier])
    return any(about_person(text) for text in texts)
