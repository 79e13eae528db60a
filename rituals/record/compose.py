"""From what the user asked to record to a draft. What the ledger knows comes in as a function."""

from __future__ import annotations

from difflib import get_close_matches

from ledger.codec.fact_blocks import tidy
from ledger.errors import DraftRefused, WrongUsage
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactReactivated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.findings import Finding
from ledger.model.ids import id_from_text, is_fact_id
from ledger.model.record import Record
from ledger.secrets.scanner import nameable
from memory.write.draft import DEFAULT_TITLE, SessionDraft
from projection.policy.model import DEFAULT_KIND, THREAD_KIND
from rituals.record.new_facts import NewFact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.api import Memory

    #: Tells whether an id stands for something else than this text.
    Taken = Callable[[str, str], bool]


class Request(Record):
    """What is to be recorded, as options or JSON say it; "" and () stand for not said."""

    title: str = ""
    body: str = ""
    agent: str = ""
    type: str = ""
    header: tuple[tuple[str, str], ...] = ()
    refs: tuple[str, ...] = ()
    new: tuple[NewFact, ...] = ()
    update: tuple[tuple[str, str], ...] = ()
    supersede: tuple[tuple[str, str], ...] = ()
    invalidate: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
    reopen: tuple[str, ...] = ()
    reactivate: tuple[str, ...] = ()
    anyway: bool = False

    @property
    def says_nothing(self) -> bool:
        """Whether it names neither a title, a body nor an event."""
        events = (
            self.refs, self.new, self.update, self.supersede, self.invalidate, self.close,
            self.reopen, self.reactivate,
        )  # fmt: skip
        return not (self.title or self.body or any(events))


def parse_supersede(text: str) -> tuple[str, str]:
    """Read `OLD=NEW`.

    Raises:
        WrongUsage: it has another form.
    """
    old, equals, new = text.partition("=")
    if not (equals and old.strip() and new.strip()):
        raise WrongUsage(
            f"{text!r} does not say what replaces what",
            where="--supersede",
            hint="write --supersede OLD=NEW; what is false without a successor: --invalidate OLD",
        )
    return old.strip(), new.strip()


def parse_ids(values: tuple[str, ...]) -> tuple[str, ...]:
    """Read ids that may be given one by one or as comma lists; each once, in order."""
    found = [part.strip() for value in values for part in value.split(",")]
    return tuple(dict.fromkeys(part for part in found if part))


def refuse_ids(request: Request, dashes: str) -> None:
    """Refuse what is no fact id, and say which option or key it came from.

    Raises:
        DraftRefused: the findings name each of them.
    """
    named = {
        "ref": request.refs,
        "new": tuple(new.id for new in request.new if new.id),
        "update": tuple(fact for fact, _ in request.update),
        "supersede": tuple(fact for pair in request.supersede for fact in pair),
        "invalidate": request.invalidate,
        "close": request.close,
        "reopen": request.reopen,
        "reactivate": request.reactivate,
    }
    hint = "ids are lower-case words joined by hyphens or dots"
    found = tuple(
        Finding("bad-id", f"{dashes}{option}: not a fact id: {fact[:80]!r}", hint=hint)
        for option, facts in named.items()
        for fact in facts
        if not is_fact_id(fact)
    )
    if found:
        raise DraftRefused(found)


def compose(request: Request, base: SessionDraft | None, taken: Taken) -> SessionDraft:
    """Make a draft of a request, on top of a log that was given as markdown.

    Args:
        request: what options or JSON say; it wins over `base`.
        base: the draft that a file held.
        taken: tells whether an id stands for something else than a text.

    Raises:
        WrongUsage: no id can be made from a text.
    """
    base = base or SessionDraft()
    given = dict(request.header)
    header = tuple((key, value) for key, value in base.header if key not in given)
    events: list[Event] = [*base.events]
    used = {event.id for event in events}
    events += [FactReferenced(fact) for fact in request.refs]
    made = []
    for new in request.new:
        fact = new.id or _free_id(new.text, used, taken)
        if not new.id:
            made.append(fact)
        used.add(fact)
        events.append(_birth(fact, new))
    events += [FactUpdated(fact, tidy(text)) for fact, text in request.update]
    events += [FactSuperseded(old, new_id) for old, new_id in request.supersede]
    events += [FactInvalidated(fact) for fact in request.invalidate]
    events += [FactReactivated(fact) for fact in request.reactivate]
    events += [ThreadClosed(fact) for fact in request.close]
    events += [ThreadReopened(fact) for fact in request.reopen]
    return SessionDraft(
        request.title or base.title or DEFAULT_TITLE,
        request.body or base.prose,
        tuple(events),
        request.agent or base.agent,
        request.type or base.type,
        header + tuple((key, value) for key, value in request.header if value),
        tuple(made),
        request.anyway,
    )


def _birth(fact: str, new: NewFact) -> FactCreated:
    meta = (("kind", new.kind),) if new.kind != DEFAULT_KIND else ()
    if new.tags:
        meta = (*meta, ("tags", ", ".join(new.tags)))
    if new.entities:
        meta = (*meta, ("entity", ", ".join(new.entities)))
    return FactCreated(fact, tidy(new.text), " " if new.kind == THREAD_KIND else "", meta)


def _free_id(text: str, used: set[str], taken: Taken) -> str:
    """Make an id from a text: the first of `id`, `id-2`, `id-3`… that stands for nothing else."""
    try:
        made = id_from_text(nameable(text))
    except ValueError:
        raise WrongUsage(
            f"no id can be made from {text[:60]!r}",
            where="--new",
            hint='name one: --new "id=my-id kind: text"',
        ) from None
    number, found = 1, made
    while found in used or taken(found, tidy(text)):
        number += 1
        found = f"{made}-{number}"
    return found


def taken_in(memory: Memory) -> Taken:
    """Ask a ledger whether an id stands for something else than a text.

    The same text is no clash: a repeated command then makes the same draft, which `append` knows
    again. A fact that is false now keeps its id for itself.
    """
    cache = memory.snapshot.cache()

    def taken(fact: str, text: str) -> bool:
        found = cache.fact(fact)
        if found is None:
            return False
        history = cache.some_histories([fact])[fact]
        same = any(
            isinstance(act.event, FactCreated) and act.event.text == text for act in history.acts
        )
        return found.false or not same

    return taken


def check_kinds(request: Request, kinds: tuple[str, ...]) -> tuple[Finding, ...]:
    """Refuse kinds that the policy does not name; say where a text begins like a kind that is misspelled.

    Raises:
        DraftRefused: a kind is not one of the policy, and the request does not say that it is meant.
    """
    unknown = tuple(
        Finding(
            "unknown-kind",
            f"{new.kind} is a kind that the policy does not name",
            hint=f"kinds: {', '.join(kinds)}",
        )
        for new in request.new
        if new.kind not in kinds
    )
    if unknown and not request.anyway:
        raise DraftRefused(unknown)
    found = list(unknown)
    for new in request.new:
        head, colon, _ = new.text.partition(":")
        alike = get_close_matches(head.lower(), kinds, 1, 0.8) if colon else []
        if alike and new.kind in kinds:
            message = f"{head!r} is no kind; it was kept as part of the text of a {new.kind}"
            found.append(Finding("unknown-kind", message, hint=f"did you mean {alike[0]}?"))
    return tuple(found)
