"""Check what a log says of ids and beside new facts: ids that memory knows, footers by their forms (S14).

An id that memory does not know is a slip more often than not: what would change that fact is refused, with
the ids that are spelled alike (W10). Logs that wait in the spool are known too. The start of an id that
no other begins with stands for it, and is recorded whole. A key that nobody knows is the writer's own.
"""

from __future__ import annotations

from _collections_abc import Iterable

from ledger.codec.fast_read import read_entry
from ledger.errors import DraftRefused, NotFound
from ledger.escape import prose
from ledger.model.event import (
    Event,
    FactCreated,
    FactHelped,
    FactMoved,
    FactReactivated,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id
from ledger.model.session import (
    ASKED_KEY,
    CHECK_KEY,
    EDIT,
    OBSOLETE_KEY,
    PERSONAL_KEY,
    PERSONAL_VALUE,
    UNTIL_KEY,
    WORKING,
    SessionLog,
)
from ledger.model.verbs import DONE, TODO, either, may_follow
from memory.write.draft import ANYWAY, Case, births, named_ids, renamed
from projection.fold.falsity import CONFLICTS, NO_CONFLICTS
from projection.fold.fold import collect, merged, resolve
from projection.policy.model import CLOSABLE, DEFAULT_KIND, QUESTION_KIND, TASK_KIND

Amended = tuple[SessionLog, tuple[Finding, ...]]

#: Keys that hold ids of facts and nothing else.
OF_IDS = ("depends", "about", "expect", CONFLICTS)
#: The keys that may be said of a new fact besides id, kind, tags and entity.
FOOTERS = (
    *("role", "serves", *OF_IDS, "priority", "owner", "goal", "workstream", "from", "to"),
    *("confidence", "outcome", "iteration", "rule", "path", "symbol", "salience", "title"),
    *(UNTIL_KEY, OBSOLETE_KEY, CHECK_KEY, "misfit", "note", "warns", ASKED_KEY, PERSONAL_KEY),
)
#: What the value of some keys can be.
_WORDS = {"priority": ("low", "medium", "high"), "outcome": ("failed", "worked")}
_SALIENCE, _WARNS_CHARS, _ASKED_CHARS, _TITLE_CHARS = 10, 200, 300, 120
_ALIKE = 0.8
#: From so many characters on, the start of a key is taken for it.
_BEGUN_CHARS = 3


def footer_value(text: str) -> str:
    """Make a text fit to be the value of a footer (FORMAT.md, S11)."""
    return prose(text).replace("|", "¦")


def meant_key(key: str) -> str:
    """Return the key that was probably meant by another word, "" for none."""
    from difflib import get_close_matches

    low = key.lower()
    if low in FOOTERS:
        return "" if key == low else low
    begun = [one for one in FOOTERS if len(low) >= _BEGUN_CHARS and one.startswith(low)]
    alike = begun or get_close_matches(low, FOOTERS, 1, _ALIKE)
    return alike[0] if alike else ""


def check_footers(log: SessionLog, case: Case) -> None:
    """Refuse new facts with footers that can not be.

    Raises:
        DraftRefused: the findings name each footer.
    """
    found = []
    for event in log.events if case.asked.draft.type in WORKING else ():
        if not isinstance(event, FactCreated | FactUpdated):
            continue
        said, born = dict(event.meta), isinstance(event, FactCreated)
        found += [
            Finding("bad-footer", f"{event.id}: `{key}` is {value[:40]!r}", hint=hint)
            for key, value in event.meta
            if born or key in (UNTIL_KEY, CHECK_KEY)
            if (hint := _form(key, value, said.get("kind", "")))
        ]
        if born and said.get("kind") == QUESTION_KIND and not said.get("expect"):
            message = f"{event.id} is a question and does not say `expect`"
            hint = "name the facts that answer it: `expect=ID,ID`; an open question is a `thread`"
            found.append(Finding("bad-footer", message, hint=hint))
    if found:
        raise DraftRefused(tuple(found))


def _form(key: str, value: str, kind: str) -> str:
    """Say what a value has to be; "" where it is right."""
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else -1
    right, form = True, ""
    if key in OF_IDS:
        right = value == NO_CONFLICTS or all(map(is_fact_id, value.replace(",", " ").split()))
        form = "ids of facts, parted by commas"
    elif key in _WORDS and (key != "priority" or kind == TASK_KIND):
        right, form = value in _WORDS[key], f"one of {', '.join(_WORDS[key])}"
    elif key == "salience":
        right, form = 1 <= number <= _SALIENCE, f"a number from 1 to {_SALIENCE}"
    elif key == "iteration":
        right, form = number >= 0, "a whole number"
    elif key == "warns":
        words = [part.strip(" *?") for part in value.split(",")]
        right = len(value) <= _WARNS_CHARS and all(words)
        form = "commands, parted by commas: `pip install, pip3 install`; or `none`"
    elif key == ASKED_KEY:
        right = len(value) <= _ASKED_CHARS
        form = f"two or three questions, {_ASKED_CHARS} characters"
    elif key == "title":
        right = bool(value) and value.isprintable() and len(value) <= _TITLE_CHARS
        form = f"one line of at most {_TITLE_CHARS} characters"
    elif key == PERSONAL_KEY:
        right, form = value == PERSONAL_VALUE, f"`{PERSONAL_VALUE}`, or leave it out"
    elif key in (UNTIL_KEY, CHECK_KEY):
        from projection.text.until_conditions import CHECKS, FORMS, until_in

        check = key == CHECK_KEY
        right = until_in(f"{CHECK_KEY} {value}" if check else value) is not None
        form = f"one of: {CHECKS if check else FORMS}"
    return "" if right else form


class _Known:
    """The facts that a log may name: those of the ledger, and those of logs that wait to be committed.

    Args:
        case: of the log, with the histories of what it names.
        events: of the log.
    """

    def __init__(self, case: Case, events: tuple[Event, ...]) -> None:
        self._cache, self.facts, self.born = case.cache, case.facts, set(births(events))
        self._redacted = {event.id for event in events if isinstance(event, FactRedacted)}
        logs = ((stem, case.spool.read(stem)) for stem in case.spool.waiting())
        self._waiting = collect(
            read_entry(stem, data)[0]
            for stem, data in logs
            if data is not None and case.cache.log_ref(stem) is None
        )

    def waits(self, name: str) -> bool:
        """Tell whether a log that waits brings a text for an id."""
        history = self._waiting.get(name)
        return history is not None and resolve(name, history) is not None

    def has(self, name: str) -> bool:
        """Tell whether an id is a fact's, also of the log itself, or a log's that is to be redacted."""
        if name in self.born or name in self.facts or self.waits(name):
            return True
        return name in self._redacted and self._cache.log_ref(name) is not None

    def successors(self, name: str) -> set[str]:
        """Return what is said to replace a fact, and was not taken back."""
        news = {name: self._waiting[name]} if name in self._waiting else {}
        known = self._cache.some_histories([name])
        known.update(merged(known, news))
        return {
            event.new
            for stem, seq, event, _ in (known[name].acts if name in known else ())
            if isinstance(event, FactSuperseded) and event.id == name
            if (stem, seq, name, event.new) not in self._cache.cut
        }

    def whole(self, name: str) -> str:
        """Return the id that a name stands for, among those of the log itself too (`fact_named`).

        Raises:
            NotFound: several facts begin so.
        """
        from memory.cache.name_lookup import fact_named  # most ids are whole

        return fact_named(self._cache, name, {*self._waiting, *self.born})

    def missing(self, name: str, where: str = "") -> Finding:
        """Say that there is no such fact, and which ids are spelled nearly like it."""
        from projection.text.normalize import meant

        ids = sorted({*self._cache.fact_ids(), *self._waiting, *self.born})
        hint = f"{meant(name, ids) or '`diurna show --list` lists the ids;'} {ANYWAY}"
        return Finding("unknown-id", f"there is no fact {name}", where, hint=hint)


def with_whole_ids(log: SessionLog, case: Case) -> Amended:
    """Give a log the whole ids for those that it names by their start; leave out references to nothing.

    With `anyway` the draft's ids are meant as they are. Told is what was left out.

    Raises:
        DraftRefused: an id is the start of several, or a reference that was typed leads nowhere.
    """
    draft, born = case.asked.draft, births(log.events)
    names = [name for name in named_ids(log.events) if name not in born]
    stored = case.cache.rows_among("SELECT id FROM facts WHERE id IN (?)", names)
    doubted = [name for name in names if (name,) not in stored]
    if draft.anyway or not doubted:
        return log, ()
    known, changed = _Known(case, log.events), _changed(log.events)
    whole: dict[str, str] = {}
    nowhere: dict[str, Finding] = {}
    for name in doubted:
        try:
            whole[name] = known.whole(name)
        except NotFound as problem:
            nowhere[name] = Finding("unknown-id", problem.message, hint=f"{problem.hint}; {ANYWAY}")
            continue
        if whole[name] == name and name not in changed and not known.waits(name):
            nowhere[name] = known.missing(name, "--ref" if name in draft.typed else "")
    refused = [nowhere[name] for name in nowhere if name in changed or name in draft.typed]
    if refused:
        raise DraftRefused(tuple(refused))
    events = tuple(event for event in log.events if event.id not in nowhere)
    told = [
        one._replace(message=f"{one.message}; that reference is left out")
        for one in nowhere.values()
    ]
    return log._replace(events=renamed(events, whole)), tuple(told)


def check_named(log: SessionLog, case: Case) -> tuple[Finding, ...]:
    """Refuse what a log can not mean; say what else is odd about the ids that it names.

    With `anyway` unknown ids are meant as they are: they are told, and nothing is refused for them. What
    a person decides (`EDIT`) moves a task anywhere.

    Raises:
        DraftRefused: a fact is created that is there, an unknown one is changed, a circle is closed, or a
            task is moved to what can not follow.
    """
    events, known = log.events, _Known(case, log.events)
    refused = [*_taken(events, known), *_circles(events, known)]
    if case.asked.draft.type != EDIT:
        refused += _moves(events, known)
    if not case.asked.draft.anyway:
        refused += [known.missing(name) for name in _changed(events) if not known.has(name)]
    if refused:
        raise DraftRefused(tuple(refused))
    helped = [
        event
        for event in events
        if case.asked.draft.type in WORKING and isinstance(event, FactHelped)
    ]
    told = [*_odd(events, known)]
    if helped:
        from ledger.model.evidence import form_of
        from projection.fold.checks import unproven

        told += [unproven(event.id) for event in helped if not form_of(event.remark)]
    return tuple(told)


def _changed(events: tuple[Event, ...]) -> list[str]:
    """Return the ids of which a log says more than that it relied on them."""
    return named_ids(tuple([one for one in events if not isinstance(one, FactReferenced)]))


def _taken(events: tuple[Event, ...], known: _Known) -> list[Finding]:
    """Name created facts that exist already: one id never silently gets two texts from one writer."""
    found = []
    for event in events:
        if isinstance(event, FactCreated) and (fact := known.facts.get(event.id)) is not None:
            said = f"the fact {event.id} exists already: {fact.text.split(chr(10))[0]}"
            hint = f"reference it, change it with `--update {event.id} TEXT`, or choose another id"
            found.append(Finding("not-canonical", said, hint=hint))
    return found


def _moves(events: tuple[Event, ...], known: _Known) -> list[Finding]:
    """Name the moves of what is no task, and those to a state that can not follow."""
    kinds: dict[str, str] = {}
    states: dict[str, tuple[str, ...]] = {}
    for event in events:
        if isinstance(event, FactCreated | FactUpdated):
            kinds.update([(event.id, value) for key, value in event.meta if key == "kind"])
            if isinstance(event, FactCreated):
                kinds.setdefault(event.id, "")
                states[event.id] = (DONE if event.mark == "x" else TODO,)
    found = []
    for event in events:
        fact = known.facts.get(event.id)
        if not isinstance(event, FactMoved) or (fact is None and event.id not in kinds):
            continue  # of what is unknown, or waits, nothing is known
        id, kind = event.id, kinds.get(event.id, fact.kind if fact else "") or DEFAULT_KIND
        before = states.get(id) or (fact.states if fact else ()) or (TODO,)
        if kind != TASK_KIND:
            said = f"{id} is of kind {kind}; only a task is moved"
            hint = "only what has the footer `kind: task` is moved"
            if kind in CLOSABLE:
                hint = f"`diurna append --close {id}` closes it"
            found.append(Finding("task-move", said, hint=hint))
        elif event.state not in may_follow(before):
            said = f"{id} is {either(before)} and can not be moved to {event.state}"
            may = ", ".join(may_follow(before))
            hint = f"`diurna append --reopen {id}` brings it back to {TODO}"
            if may:
                hint = f"what may follow: {may}; `--close {id}` says that it is done, `--reopen {id}` todo"
            found.append(Finding("task-move", said, hint=hint))
    return found


def _circles(events: tuple[Event, ...], known: _Known) -> list[Finding]:
    """Name the first supersession by which a fact would replace itself, over however many others."""
    said = [event for event in events if isinstance(event, FactSuperseded)]
    back = {event.id for event in events if isinstance(event, FactReinstated)}
    for event in said:
        met, ways = {event.new}, list[tuple[str, ...]]([(event.id, event.new)])
        for way in ways if event.new != event.id else ():  # that is refused for its form
            if way[-1] == event.id:
                message = f"{event.new} can not supersede {event.id}: it would be a circle, "
                hint = (
                    f"{event.id} is false then for good; where it holds after all: "
                    f"`diurna edit {event.id} --restore --reason TEXT`, or a fact with another id"
                )
                return [Finding("supersession-cycle", message + " → ".join(way), hint=hint)]
            there = set() if way[-1] in back else known.successors(way[-1])
            there |= {other.new for other in said if other.id == way[-1]}
            ways += [(*way, new) for new in sorted(there - met)]
            met |= there
    return []


def _odd(events: tuple[Event, ...], known: _Known) -> Iterable[Finding]:
    """Yield what is odd about the ids that a log names: no text for them, no thread, or false."""
    closed = {event.id for event in events if isinstance(event, ThreadClosed | ThreadReopened)}
    relied = {event.id for event in events if isinstance(event, FactReferenced | FactReactivated)}
    for name in named_ids(events):
        fact = known.facts.get(name)
        if fact is None:
            if not known.has(name):
                hint = "check the spelling; `diurna show --list` lists the ids"
                yield Finding("unknown-id", f"{name} is not in this ledger (yet)", hint=hint)
        elif name in closed and fact.kind not in CLOSABLE:
            said = f"{name} is of kind {fact.kind}, which is never closed or reopened"
            yield Finding(
                "not-a-thread", said, hint="what is false now is invalidated or superseded"
            )
        elif fact.false and name in relied:
            said = f"{name} is false: it was invalidated"
            hint = "say what holds instead with `--new`"
            if fact.superseded_by:
                said = f"{name} is false: {', '.join(fact.superseded_by)} superseded it"
                hint = f"`diurna why {name}` tells when and by whom; reference its successor"
            yield Finding("false-fact", said, hint=hint)
