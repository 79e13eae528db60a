"""Plan to bring in the ledger of another implementation of the format, and write what its pages say.

Its session logs are logs here as they are. One log of type `import` brings what they do not say: the texts
of the facts, their births, what a footer counted where the logs count otherwise (F4), and what became of a
fact. It holds the text of the pages that is no fact as well, quoted whole. Of a fact that memory knows
nothing is brought.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.codec.log import canonical, decode, entry_of
from ledger.escape import prose
from ledger.model import event as verbs
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import SESSIONS_DIR
from ledger.model.log_names import LogRef, is_sealed, log_refs, next_stamp, stem_in
from ledger.model.record import Record
from ledger.model.session import COUNTED_KEY, Entry, SessionLog
from memory import (
    Memory,
    SessionDraft,
    Withheld,
    held_logs,
    repeated_places,
    state_from,
    withheld_of,
)
from projection.fold.fact_history import Fact
from projection.fold.fold import with_uses
from projection.fold.full_replay import State
from projection.fold.live_view import never_decaying, tier
from projection.policy.model import DEFAULT_KIND, Policy
from rituals.intake.facts_into_logs import parts, stored, wrapped
from rituals.intake.ledger_pages import OtherLedger, PageFact

#: How many of the newest work logs a place is looked for among.
_NEAR = 500


class LedgerPlan(Record):
    """What an import of a ledger will write."""

    facts: tuple[PageFact, ...]  #: that memory does not know
    known: int  #: how many facts of the pages it knows
    sessions: int  #: how many logs the ledger has
    arriving: tuple[tuple[str, bytes], ...]  #: (path, bytes) of those that the home has not
    drafts: tuple[SessionDraft, ...]  #: of the `import` logs: one, but for very much
    differing: tuple[str, ...]  #: ids of what stands otherwise here than on its page
    left_out: tuple[str, ...]  #: the places of what was redacted here, or has another's name
    findings: tuple[Finding, ...]


def plan_ledger_import(
    ledger: OtherLedger, memory: Memory | None, policy: Policy, now_ms: int
) -> LedgerPlan:
    """Plan what a ledger brings into a home, whose policy is to be the one given; None for a new one.

    Raises:
        DraftRefused: a text is too large for any log.
    """
    telling, held = None, frozenset[tuple[str, str]]()
    refs, entries = list[LogRef](), list[Entry]()
    if memory:
        telling = memory.ask(lambda cache: withheld_of(memory.home, cache, words=False))
        held = memory.ask(held_logs)
        for ref, entry in memory.logs():
            refs.append(ref)
            entries.append(entry)
    known = {(ref.key, ref.blob) for ref in refs}
    taken = {ref.path for ref in refs}
    left_out: list[str] = []
    data = {path: body for path, body in ledger.files if path.startswith(SESSIONS_DIR)}
    listed = [("100644", blob_id(body), path) for path, body in data.items()]
    arriving = [ref for ref in log_refs(listed, "")[0] if (ref.key, ref.blob) not in known]
    for ref in arriving[:]:
        log, _ = decode(data[ref.path], sealed=is_sealed(ref.stem))
        gone = (ref.stem, ref.blob) in held or (telling and repeated_places(telling, log))
        if gone or ref.path in taken:
            left_out.append(ref.path)
            arriving.remove(ref)
        else:
            refs.append(ref)
            entries.append(entry_of(ref.stem, log)._replace(stem=ref.key))
    before = state_from(refs, entries, policy)
    unknown = [fact for fact in ledger.facts if fact.id not in before]
    news = [fact for fact in unknown if not (telling and telling.repeats(fact.text))]
    left_out += [fact.place for fact in unknown if fact not in news]
    key = f"{next_stamp(now_ms, max([ref.key for ref in refs], default=''))}-{'a' * 26}"

    def state_with(events: Iterable[verbs.Event]) -> State:
        log = canonical(SessionLog((("type", "import"),), "", "", tuple(events)))
        return state_from([*refs, LogRef(key, "", "")], [*entries, entry_of(key, log)], policy)

    findings: list[Finding] = []
    births = [_birth(fact, findings) for fact in news]
    state = state_with(births)
    births = [_counted(fact, birth, state, key) for fact, birth in zip(news, births, strict=True)]
    state = state_with(births)
    brought = [(birth, *_standing(fact, state)) for fact, birth in zip(news, births, strict=True)]
    state = state_with([event for events in brought for event in events])
    return LedgerPlan(
        tuple(news), len(ledger.facts) - len(unknown), len(data),
        tuple([(ref.path, data[ref.path]) for ref in arriving]),
        tuple(_drafts(brought, _prose(ledger, telling))),
        tuple([one.id for one in news if not one.archived and one.tier != state[one.id].tier]),
        tuple(left_out), tuple(findings),
    )  # fmt: skip


def _drafts(brought: Iterable[Sequence[verbs.Event]], prose: str) -> Iterable[SessionDraft]:
    draft = SessionDraft(
        "Import a ledger", type="import", header=(("source", "ledger"),), anyway=True
    )
    for number, events in enumerate(parts(brought)):
        yield draft._replace(prose="" if number else prose, events=tuple(events))


def _birth(fact: PageFact, findings: list[Finding]) -> verbs.FactCreated:
    """Make the event that brings a text, and tells of its birth what the page does."""
    said = (("kind", "" if fact.kind == DEFAULT_KIND else fact.kind), *fact.meta)
    born = (("created", fact.created or fact.origin[:10]), ("origin", fact.origin))
    meta = tuple([pair for pair in (*said, *born) if pair[1]])
    file, _, line = fact.place.partition(":")
    text = wrapped(fact.text).strip()
    made, noticed = stored(verbs.FactCreated(fact.id, text, fact.mark, meta), file, int(line))
    findings += noticed
    return made


def _counted(fact: PageFact, birth: verbs.FactCreated, state: State, key: str) -> verbs.FactCreated:
    """Add to a birth what the page counted, where the logs tell otherwise."""
    found = state.fact(fact.id)
    if found is None or fact.uses < 0 or not fact.last_used:
        return birth
    same = (found.uses, found.last_used) == (fact.uses, fact.last_used)
    stands = fact.archived or fact.tier in ("core", "superseded", "")
    if same and (stands or state[fact.id].tier == fact.tier):
        return birth
    since = "" if stands else _place(fact, found, state, key)
    value = f"{fact.uses - found.uses} {fact.last_used} {since or '-'}"
    value += " working" * (fact.tier == "working" and not stands)
    return birth._replace(meta=(*birth.meta, (COUNTED_KEY, value)))


def _place(fact: PageFact, found: Fact, state: State, key: str) -> str:
    """Return the log nearest to its last use from which a fact has its tier; "" for that day."""
    clock, lasting = state.decay.clock(), never_decaying(state.policy)

    def tier_at(since: str) -> str:
        told = found.counted._replace(
            uses=fact.uses - found.uses, last=fact.last_used, since=since, at=key,
            fresh=fact.tier == "working",
        )  # fmt: skip
        return tier(with_uses(found._replace(counted=told), found.uses, ""), clock, lasting)

    day = fact.last_used + "~"
    if tier_at(day) == fact.tier:
        return ""
    fit = [stem for stem in state.work[-_NEAR:] if tier_at(stem) == fact.tier]
    if not fit:
        return ""
    return stem_in(min(fit) if day < min(fit) else max(fit))


def _standing(fact: PageFact, state: State) -> Iterable[verbs.Event]:
    """Say what became of a fact where neither the logs nor its counts do."""
    standing = state[fact.id]
    if fact.tier == "superseded" or fact.successor:
        if not standing.fact.false:
            new = fact.successor
            false = verbs.FactInvalidated(fact.id)
            yield verbs.FactSuperseded(fact.id, new) if new not in ("", fact.id) else false
        return
    if fact.tier == "core" and standing.tier not in ("core", "superseded"):
        yield verbs.FactPromoted(fact.id)
    if fact.mark == "x" and standing.fact.open:
        yield verbs.ThreadClosed(fact.id)
    elif fact.mark == " " and standing.fact.closed:
        yield verbs.ThreadReopened(fact.id)
    if fact.archived and standing.live:
        yield verbs.FactArchived(fact.id)


def _prose(ledger: OtherLedger, telling: Withheld | None) -> str:
    """Say what the log is, and quote the text of the pages that is no fact."""
    told = [
        "The session logs of this ledger are as they were. They name facts by id; the texts and footers "
        "of its pages enter here."
    ]
    for title, text in ledger.loose:
        if telling is None or not telling.repeats(text):
            rows = [
                f"> {line}".rstrip()
                for line in wrapped(text).replace("<!--", "&lt;!--").split("\n")
            ]
            told += [f"### {prose(title)}", "\n".join(rows)]
    return "\n\n".join(told)
