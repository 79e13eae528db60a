"""Make a draft of a request; what the ledger knows comes in as a function."""

from __future__ import annotations

from _collections_abc import Callable, Collection, Mapping, Sequence

from ledger.codec.fact_blocks import order_meta, tidy
from ledger.errors import DraftRefused
from ledger.git.tracked_files import tracked
from ledger.home import OWN_REPOSITORY
from ledger.model.event import (
    Event,
    FactCreated,
    FactHelped,
    FactIgnored,
    FactInvalidated,
    FactMoved,
    FactReactivated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    Meta,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id, version_id
from ledger.model.session import DEFAULT_TITLE, says_personal
from memory import Memory, SessionDraft, meant_key
from projection.fold.fact_links import names_in
from projection.policy.model import CLOSABLE, DEFAULT_KIND
from projection.text.normalize import id_of_subject, subject_words
from rituals.record.option_values import KEPT, kind_of, unknown_kind
from rituals.record.request import NewFact, Request

#: Tells whether an id stands for something else than this text.
Taken = Callable[[str, str], bool]

#: So many files of a repository are looked at for names.
_FILES = 5_000
_WORD_CHARS = "abcdefghijklmnopqrstuvwxyz-"


def draft_of_request(
    memory: Memory, request: Request, base: SessionDraft | None = None, *,
    options: bool = False, own: Memory | None = None,
) -> tuple[SessionDraft, tuple[Finding, ...]]:  # fmt: skip
    """Make a draft of a request, and say what is odd about it.

    The request wins over `base`, the draft that a file held; `options` says that it came as options of the
    command line. `own` is the user's own home, in which ids of what is only theirs have to be free.

    Raises:
        DraftRefused: an id is none.
    """
    _refuse(request, options=options)
    bare = any(not new.id for new in request.new)
    words = words_for(memory, request.new) if bare else {}
    here = taken_in(memory)
    theirs = taken_in(own) if own else here
    draft = compose(request, base, here, words, theirs)
    draft, findings = _of_known_kinds(draft, kinds_of(memory))
    return draft._replace(typed=request.refs if options else ()), findings


def _refuse(request: Request, *, options: bool) -> None:
    """Refuse what is no text, verdict or footer; `options`: it came as options of the command line.

    Raises:
        DraftRefused: the findings name each of them.
    """
    mark, verdict, about = "--" if options else "", request.verdict, request.about
    wrong: list[Finding] = []

    def refuse(said: str, hint: str, code: str = "bad-footer") -> None:
        wrong.append(Finding(code, said, hint=hint))

    for number, new in enumerate(request.new):
        place = f"new.{number}"
        if not any(map(str.isalnum, new.text)):
            said = f"{place}.text: {new.text!r} gives the fact no text"
            refuse(said, 'for example: {"text": "CI runs on two cores."}', "event-without-fact")
        for key, _ in new.footers:
            if (meant := meant_key(key)) and not request.anyway:
                hint = f"did you mean {meant}? if it is meant as it is, say `anyway`"
                refuse(f"{place}.footers: there is no footer {key}", hint)
    if verdict and verdict.strip(_WORD_CHARS):
        said = f"{mark}verdict: {verdict[:80]!r} is not one word in lower case"
        refuse(said, "for example: pass, fail")
    if request.tokens and request.tokens.strip("0123456789"):
        refuse(f"{mark}tokens: {request.tokens[:80]!r} is no number", "for example: 1200")
    if (about or request.tokens) and not verdict:
        said = f"{mark}{'about' if about else 'tokens'} is said of a verdict, and there is none"
        refuse(said, f"for example: {mark}verdict pass")
    for fact in about.split(",") if about else ():
        if not is_fact_id(fact.strip()):
            hint = "ids are lower-case words joined by hyphens or dots"
            refuse(f"{mark}about: not a fact id: {fact.strip()[:80]!r}", hint, "bad-id")
    if wrong:
        raise DraftRefused(tuple(wrong))


def _of_known_kinds(
    draft: SessionDraft, kinds: tuple[str, ...]
) -> tuple[SessionDraft, tuple[Finding, ...]]:
    """Return a draft whose kinds are those that words mean, and say which words are none.

    Of a new fact such a word then stands in the text, unless it is meant `anyway`.
    """
    events: list[Event] = []
    said: list[Finding] = []
    for event in draft.events:
        meta = dict(event.meta) if isinstance(event, FactCreated | FactUpdated) else {}
        kind = meta.pop("kind", kinds[0])
        if kind in kinds or not isinstance(event, FactCreated | FactUpdated):
            events.append(event)
            continue
        meant, tag = kind_of(kind, kinds)
        born = isinstance(event, FactCreated) and event.text is not None
        kept = born and not (meant or draft.anyway)
        if not meant:
            said.append(unknown_kind(kind, kinds, f"{event.id}: ", KEPT if kept else ""))
        if meant != DEFAULT_KIND or not born:
            meta |= {"kind": meant} if meant else {"kind": kind} if draft.anyway else {}
        if tag:
            meta["tags"] = ", ".join(dict.fromkeys([*names_in(meta.get("tags", "")), tag]))
        event = event._replace(meta=order_meta(tuple(meta.items())))
        if kept:
            bare = [one if one.isalnum() or one in "-_" else " " for one in kind[:80]]
            word = " ".join("".join(bare).split())
            event = event._replace(text=f"{word}: {event.text}" if word else event.text)
        elif born and meant in CLOSABLE and isinstance(event, FactCreated):
            event = event._replace(mark=event.mark or " ")
        events.append(event)
    return draft._replace(events=tuple(events)), tuple(said)


def words_for(memory: Memory, new: Sequence[NewFact] = ()) -> Mapping[str, str]:
    """Return the words of which ids may be made (`subject_words`): those that a project has for names.

    Of new facts only those in their texts.

    They are of the files in its repository, of entities, and of what new facts are tagged with. Ids are no
    source: before they were made of such words they were made of sentences. Of a home in a repository of
    its own the files are nobody's but Diurna's.
    """
    home, ours = memory.home, memory.home.prefix
    files = [] if home.kind == OWN_REPOSITORY else tracked(home.repository, _FILES)
    paths = [path for path in files if not (ours and path.startswith(ours))]
    entities = memory.cache().about_names().replace(",", "\n")
    tagged = [name for one in new for name in (*one.tags, *one.entity)]
    names = "\n".join([*paths, entities, *tagged])
    return subject_words(names, "\n".join([one.text for one in new]) if new else None)


def kinds_of(memory: Memory) -> tuple[str, ...]:
    """Return the kinds that the policy names."""
    return tuple(kind.name for kind in memory.policy.kinds)


def compose(
    request: Request, base: SessionDraft | None, taken: Taken, words: Mapping[str, str],
    theirs: Taken | None = None,
) -> SessionDraft:  # fmt: skip
    """Make a draft of a request, on top of a log that was given as markdown.

    The request, of options or JSON, wins over `base`, the draft that a file held. `taken` tells whether an
    id stands for something else than a text, `theirs` so of the user's own; ids may be made of `words`.
    """
    base = base or SessionDraft()
    given = request.header
    header = tuple((key, value) for key, value in base.header if key not in given)
    events: list[Event] = [*base.events]
    used = {event.id for event in events}
    events += [FactReferenced(fact) for fact in request.refs]
    made = []
    for new in request.new:
        other = theirs if theirs and says_personal(new.footers) else taken
        fact = new.id or free_id(new.text, used.union(new.replaces), other, words)
        if not new.id:
            made.append(fact)
        used.add(fact)
        events.append(birth(fact, new))
        events += [FactSuperseded(old, fact) for old in new.replaces if old != fact]
    events += [FactUpdated(fact, tidy(text)) for fact, text in request.update]
    events += [FactSuperseded(old, new_id) for old, new_id in request.supersede]
    events += [FactInvalidated(fact) for fact in request.invalidate]
    events += [FactReactivated(fact) for fact in request.reactivate]
    events += [ThreadClosed(fact) for fact in request.close]
    events += [ThreadReopened(fact) for fact in request.reopen]
    events += [FactMoved(fact, state) for fact, state in request.move]
    events += [FactHelped(fact, tidy(evidence)) for fact, evidence in request.helped]
    events += [FactIgnored(fact, tidy(role)) for fact, role in request.ignored]
    return SessionDraft(
        request.title or _title_of(base, request),
        request.body or base.prose,
        tuple(events),
        request.agent or base.agent,
        request.type or base.type,
        header + tuple(given.items()),
        tuple(made),
        request.anyway,
    )


def _title_of(base: SessionDraft, request: Request) -> str:
    """Return the title of what was given as markdown, or of a verdict, where the request names none."""
    if request.verdict and base.title in ("", DEFAULT_TITLE):
        return f"Verdict: {request.verdict}" + (f" on {request.about}" if request.about else "")
    return base.title or DEFAULT_TITLE


def birth(fact: str, new: NewFact) -> FactCreated:
    """Return the event by which a new fact is born."""
    meta: Meta = (("kind", new.kind),) if new.kind != DEFAULT_KIND else ()
    if new.tags:
        meta = (*meta, ("tags", ", ".join(new.tags)))
    if new.entity:
        meta = (*meta, ("entity", ", ".join(new.entity)))
    meta = order_meta((*meta, *new.footers))
    return FactCreated(fact, tidy(new.text), " " if new.kind in CLOSABLE else "", meta)


def free_id(
    text: str, used: Collection[str], taken: Taken, words: Mapping[str, str], made: str = ""
) -> str:
    """Make an id for a text, the same in every clone; with its hash behind it where the id is not free.

    Args:
        text: of a fact to be.
        used: ids of others beside it.
        taken: tells whether an id stands for something else.
        words: of which ids may be made.
        made: the id, where it is not made of words.
    """
    made = made or id_of_subject(text, words)
    if made in used or taken(made, tidy(text)):
        made = f"{made[:70].rstrip('-.')}-{version_id(text)}"
    return made


def taken_in(memory: Memory) -> Taken:
    """Ask a ledger whether an id stands for something else than a text.

    The same text is no clash: a repeated command then makes the same draft, which `append` knows
    again. A fact that is false now keeps its id for itself.
    """
    cache = memory.cache()

    def taken(fact: str, text: str) -> bool:
        found = cache.fact(fact)
        if found is None:
            return False
        events = [act.event for act in cache.some_histories([fact])[fact].acts]
        return found.false or text not in [
            one.text for one in events if isinstance(one, FactCreated)
        ]

    return taken
