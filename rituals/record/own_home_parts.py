"""Part a request: what is only the user's goes to their own home, the rest where it was to go.

A new fact is the user's where its footers say `personal: true`; `personal/ID` names one of
theirs, and what is said of it goes there.
"""

from __future__ import annotations

from ledger.errors import DraftRefused
from ledger.home import PERSONAL, personal_home
from ledger.model.event import FactCreated, FactInvalidated, FactSuperseded, facts_in
from ledger.model.finding_codes import Finding
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import DEFAULT_TITLE, personal_ids, says_personal
from memory import Memory, Receipt, SessionDraft, is_own, named_ids, personal_finding, renamed
from rituals.record.draft_composer import draft_of_request
from rituals.record.request import Request

if TYPE_CHECKING:
    from typing import Any

#: How an id begins that names a fact of theirs.
PREFIX = f"{PERSONAL}/"
#: A shorter text may stand anywhere.
_TELLING_CHARS = 12
#: What a log of theirs does not say.
_OF_A_VERDICT = ("verdict", "about", "tokens")


class Drafts(Record):
    """What is to be recorded: here, and in the user's own home."""

    here: SessionDraft | None  #: None where all of it is only theirs
    findings: tuple[Finding, ...] = ()  #: what is odd about the request
    own: SessionDraft | None = None  #: None where nothing is only theirs
    memory: Memory | None = None  #: their home, open, where there is something for it

    @property
    def corrects(self) -> bool:
        """Whether it says of something here that it is wrong, or puts another text in its place."""
        events = self.here.events if self.here else ()
        return any(isinstance(event, FactInvalidated | FactSuperseded) for event in events)

    def append(self, memory: Memory, **how: Any) -> Receipt:
        """Append both, or neither where one is refused; return the receipt, of `here` if there is one.

        `memory` is the home that was asked; `how` is as for `Memory.append`.
        """
        if self.own is None or self.memory is None:
            assert self.here is not None, "nothing is parted from it"
            return memory.append(self.here, **how)
        if self.here is None:
            receipt = self.memory.append(self.own, **how)
            return _telling(receipt, receipt, self.own)
        if not how.get("dry_run"):
            memory.append(self.here, **{**how, "dry_run": True})  # it may be refused
        own = self.memory.append(self.own, **how)
        return _telling(memory.append(self.here, **how), own, self.own)


def drafts_of(
    memory: Memory, request: Request, base: SessionDraft | None = None, *, options: bool = False
) -> Drafts:
    """Make the drafts of a request; the arguments are those of `draft_of_request`.

    Raises:
        DraftRefused: as there; or the user has no home for what is only theirs, or the rest repeats it.
    """
    alone = is_own(memory.home, memory.policy)
    ours = not alone and any(says_personal(new.footers) for new in request.new)
    own = _own(memory) if ours else None
    draft, odd = draft_of_request(memory, request, base, options=options, own=own)
    bare = {id: id[len(PREFIX) :] for id in named_ids(draft.events) if id.startswith(PREFIX)}
    draft = draft._replace(
        events=renamed(draft.events, bare), typed=tuple([bare.get(id, id) for id in draft.typed])
    )
    born = {event.id for event in draft.events if isinstance(event, FactCreated)}
    theirs = {*personal_ids(draft.events), *(set(bare.values()) - born)}
    mine = [one for one in draft.events if facts_in(one) and theirs.issuperset(facts_in(one))]
    if alone or not mine:
        return Drafts(draft, odd)
    own = own or _own(memory)
    if own is None:
        raise DraftRefused(
            tuple([personal_finding(id) for id in dict.fromkeys([one.id for one in mine])])
        )
    rest = tuple([event for event in draft.events if event not in mine])
    about = {id for event in mine for id in facts_in(event)}
    header = tuple([pair for pair in draft.header if pair[0] not in _OF_A_VERDICT])
    made, typed = draft.made, draft.typed
    part = draft._replace(
        prose="",
        events=tuple(mine),
        header=header,
        made=tuple([id for id in made if id in about]),
        typed=tuple([id for id in typed if id in about]),
    )
    if not (rest or draft.prose.strip() or header != draft.header):
        return Drafts(None, odd, part, own)
    here = draft._replace(
        events=rest,
        made=tuple([id for id in made if id not in about]),
        typed=tuple([id for id in typed if id not in about]),
    )
    part = part._replace(title=DEFAULT_TITLE)
    _refuse_repeated(here, part)
    return Drafts(here, odd, part, own)


def _own(memory: Memory) -> Memory | None:
    """Return the user's own home, open as `memory` is; None where there is none."""
    home = personal_home()
    if home is None:
        return None
    now = memory.occasion()

    own = Memory(
        home,
        agent=now.agent,
        session=now.session,
        clock=lambda: now.now_ms,
        identity=now.identity,
        lasting=False,
    )
    return own if is_own(home, own.policy) else None


def _refuse_repeated(here: SessionDraft, own: SessionDraft) -> None:
    """Refuse what would say in a shared log what is only the user's."""
    born = set(personal_ids(own.events))
    named = [id for event in here.events for id in facts_in(event) if id in born]
    whole = "\n".join(
        [here.title, here.prose, *[getattr(event, "text", None) or "" for event in here.events]]
    )
    for event in own.events:
        text = getattr(event, "text", None) or ""
        if len(text) >= _TELLING_CHARS and text in whole:
            named.append(event.id)
    if named:
        hint = "leave it out of the shared part, or record it by itself: `diurna note --personal`"
        raise DraftRefused(
            tuple([personal_finding(one)._replace(hint=hint) for one in dict.fromkeys(named)])
        )


def _telling(receipt: Receipt, own: Receipt, draft: SessionDraft) -> Receipt:
    """Add to a receipt what went to the user's own home."""
    ids = ", ".join(named_ids(draft.events))
    done = "recorded" if own.commit else "would be recorded"
    said = f"{done} in your own home by the log {own.stem}: {ids}"
    hint = "`--home personal` looks at it"
    noticed = [one for one in own.findings if one not in receipt.findings]
    findings = (*receipt.findings, Finding("personal-log", said, hint=hint), *noticed)
    return receipt._replace(findings=findings)
