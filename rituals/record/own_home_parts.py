"""Part a request: what is only the user's goes to their own home, the rest where it was to go.

A new fact is the user's where its footers say `personal: true`. What is said of a fact goes where that
fact is: `personal/ID` names one of theirs, and so does an id that their home knows and this one does not.
"""

from __future__ import annotations

from ledger.errors import DraftRefused, NotFound
from ledger.home import PERSONAL, personal_home
from ledger.model.event import FactInvalidated, FactSuperseded, facts_in
from ledger.model.findings import Finding
from ledger.model.record import Record
from ledger.model.session import personal_ids, says_personal
from memory.api import Memory
from memory.write.draft import DEFAULT_TITLE, Receipt, SessionDraft, named_ids
from memory.write.kept_out import finding, is_own
from rituals.record.draft_composer import draft_of_request
from rituals.record.request import ID_LISTS, PAIR_LISTS, Request, Supersession, Update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    #: Tells whether an id is one of the user's own home.
    Yours = Callable[[str], bool]

_PREFIX = f"{PERSONAL}/"
#: A shorter text may stand anywhere.
_TELLING_CHARS = 12
#: What both parts say of who recorded them.
_WHOSE = ("agent", "role", "host", "model", "session", "anyway")


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
    if is_own(memory.home, memory.policy):
        return Drafts(*draft_of_request(memory, _bared(request), base, options=options))
    own = _own(memory)
    request, mine = _parted(request, lambda id: _is_yours(memory, own, id))
    rest, mine_base = _base_parted(base, lambda id: _is_yours(memory, own, id))
    if mine is None and mine_base is None:
        return Drafts(*draft_of_request(memory, request, base, options=options))
    if own is None:
        raise DraftRefused(tuple([finding(one) for one in _told_of(mine, mine_base)]))
    theirs, odd = draft_of_request(own, mine or Request(), mine_base, options=options)
    if not _says_more(request, rest):
        return Drafts(None, odd, theirs._replace(title=_title(request, base)), own)
    here, more = draft_of_request(memory, request, rest, options=options)
    _refuse_repeated(here, theirs)
    return Drafts(here, (*odd, *more), theirs, own)


def _own(memory: Memory) -> Memory | None:
    """Return the user's own home, open as `memory` is; None where there is none."""
    home = personal_home()
    if home is None:
        return None
    now = memory.occasion()
    own = Memory(
        home, agent=now.agent, session=now.session, clock=lambda: now.now_ms,
        identity=lambda: now.identity, lasting=False,
    )  # fmt: skip
    return own if is_own(home, own.policy) else None


def is_yours(memory: Memory, id: str) -> bool:
    """Tell whether an id, which a home does not know, is one of the user's own home."""
    return _is_yours(memory, _own(memory), id)


def _is_yours(memory: Memory, own: Memory | None, id: str) -> bool:
    if id.startswith(_PREFIX):
        return True
    if own is None or _knows(memory, id):
        return False
    return _knows(own, id)


def _knows(memory: Memory, id: str) -> bool:
    """Tell whether a home knows an id, or the start of one, be it of several."""
    try:
        return memory.fact(memory.named(id)) is not None
    except NotFound:
        return True


def _parted(request: Request, yours: Yours) -> tuple[Request, Request | None]:
    """Part a request into what is for here, and what is for the user's own home."""
    mine: dict[str, Any] = {}
    rest: dict[str, Any] = {}

    def part(key: str, told: Callable[[Any], bool]) -> None:
        said = getattr(request, key)
        taken = [one for one in said if told(one)]
        if taken:
            mine[key] = tuple(taken)
            rest[key] = tuple([one for one in said if one not in taken])

    part("new", lambda one: says_personal(one.footers))
    born = {one.id for one in mine.get("new", ()) if one.id}

    def theirs(id: str) -> bool:
        return id in born or yours(id)

    for key in ID_LISTS:
        part(key, theirs)
    for key in (*PAIR_LISTS, "update"):
        part(key, lambda one: theirs(one[0]))
    part("supersede", lambda one: theirs(one.old) and theirs(one.new))
    if not mine:
        return request, None
    header = {key: getattr(request, key) for key in _WHOSE}
    return request._replace(**rest), _bared(Request(**mine, **header))


def _bared(request: Request) -> Request:
    """Take the name of the home off all ids of a request."""
    lists = (*ID_LISTS, *PAIR_LISTS, "update", "supersede")
    said: dict[str, Any] = {
        key: tuple([_bare(one) for one in getattr(request, key)]) for key in lists
    }
    return request._replace(**said)


def _bare(said: Any) -> Any:
    if isinstance(said, str):
        return said.removeprefix(_PREFIX)
    if isinstance(said, Supersession):
        return Supersession(_bare(said.old), _bare(said.new))
    if isinstance(said, Update):
        return said._replace(id=_bare(said.id))
    return _bare(said[0]), said[1]


def _told_of(request: Request | None, base: SessionDraft | None) -> list[str]:
    """Name what was to go to the user's own home."""
    found = [event.id for event in base.events] if base else []
    if request is not None:
        found += [new.id or new.text[:40] for new in request.new]
        found += [one for key in ID_LISTS for one in getattr(request, key)]
        found += [
            one[0] for key in (*PAIR_LISTS, "update", "supersede") for one in getattr(request, key)
        ]
    return found


def _base_parted(
    base: SessionDraft | None, yours: Yours
) -> tuple[SessionDraft | None, SessionDraft | None]:
    """Part the draft that a file held."""
    if base is None:
        return None, None
    born = set(personal_ids(base.events))
    taken = [
        event
        for event in base.events
        if all(id in born or yours(id) for id in facts_in(event)) and facts_in(event)
    ]
    if not taken:
        return base, None
    rest = tuple([event for event in base.events if event not in taken])
    return base._replace(events=rest), base._replace(
        title=DEFAULT_TITLE, prose="", events=tuple(taken)
    )


def _says_more(request: Request, base: SessionDraft | None) -> bool:
    """Tell whether more than a title is left of a request."""
    bare = request._replace(title="")
    return not bare.says_nothing or bool(base and (base.events or base.prose.strip()))


def _title(request: Request, base: SessionDraft | None) -> str:
    return request.title or (base.title if base else "") or DEFAULT_TITLE


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
            tuple([finding(one)._replace(hint=hint) for one in dict.fromkeys(named)])
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
