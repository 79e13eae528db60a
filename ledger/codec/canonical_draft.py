"""Check that a draft can become a session log, and say why not.

Reading is tolerant, writing is strict: `append` refuses what can not be stored canonically, and
nothing of what the author wrote is lost on the way. Keeps invariants C4 to C7 of FORMAT.md.
"""

from __future__ import annotations

from ledger.codec.fact_blocks import is_footer, tidy
from ledger.codec.fast_read import scan
from ledger.codec.log import canonical, decode, encode, entry_of, section_kind
from ledger.codec.outline import outline
from ledger.errors import DraftRefused
from ledger.model import session
from ledger.model.event import GRAMMAR, VERB_OF, Event, FactCreated, FactUpdated
from ledger.model.finding_codes import INFO, Finding
from ledger.model.ids import is_fact_id
from ledger.model.log_names import seal

#: Events of one id that contradict each other inside one log, which has no order among them.
_OPPOSITES = [(one, kind) for kind, verb in GRAMMAR.items() for one in verb.opposite]
_STAMP = "2000-01-01-000000000"
_SECTION = "give it another heading, or append the whole log as a markdown file"


def read_draft(data: bytes, file: str = "") -> session.SessionLog:
    """Read a draft as it will be stored.

    Line ends, a byte order mark, the order of sections and of events, and several references
    sections are put right; a missing title becomes `Work session`; a checkbox makes a thread.

    Raises:
        DraftRefused: something in it can not be stored canonically.
    """
    log, findings = decode(data, sealed=True, file=file)
    refused = tuple(finding for finding in findings if finding.severity != INFO)
    if refused:
        raise DraftRefused(refused)
    events = tuple(
        [
            # a new fact with a checkbox that says no kind is a thread
            event._replace(meta=(("kind", "thread"), *event.meta))
            if isinstance(event, FactCreated) and event.mark and "kind" not in dict(event.meta)
            else event
            for event in log.events
        ]
    )
    log = canonical(log._replace(title=log.title or session.DEFAULT_TITLE, events=events))
    refused = problems(log)
    if refused:
        raise DraftRefused(tuple(finding._replace(file=file) for finding in refused))
    return log


def problems(log: session.SessionLog) -> tuple[Finding, ...]:
    """Say why a log can not be stored as it is; empty when it can."""
    try:
        sealed(log, _STAMP)
    except DraftRefused as refused:
        return refused.findings
    return ()


def sealed(log: session.SessionLog, stamp: str) -> tuple[bytes, session.Entry]:
    """Return the canonical bytes of a log, and what the fold needs of it by the name that they give it.

    Raises:
        DraftRefused: it can not be stored as it is.
    """
    try:
        data = encode(log)
    except UnicodeEncodeError:
        wrong = Finding("not-canonical", "a lone surrogate can not be stored")
        raise DraftRefused((wrong,)) from None
    type = dict(log.header).get("type", session.WORK)
    found = [*_of_header(log.title, log.header, type), *_of_events(log.events, type)]
    found += [
        Finding("not-canonical", f"the prose holds a section `## {title[:60]}`", hint=_SECTION)
        for _, title in outline(log.prose.split("\n")).headings
        if section_kind(title)[0]
    ]
    if b"\r" in data:
        found.append(Finding("not-canonical", "a carriage return can not be stored"))
    if found:
        raise DraftRefused(tuple(found))
    # whatever was not thought of above shows when the bytes are read back
    again, findings = decode(data, sealed=True)
    if findings:  # nobody sees these lines
        raise DraftRefused(tuple([one._replace(line=0) for one in findings]))
    if again != log:
        said = "an event or a fact" if log[:3] == again[:3] else "the header, title or prose"
        raise DraftRefused((Finding("not-canonical", f"{said} does not read back as it is"),))
    stem = seal(stamp, data)
    entry, scanned = entry_of(stem, log), scan(stem, data)
    if scanned not in (None, entry):
        said = "the two readers of a log do not agree on it"
        raise DraftRefused((Finding("not-canonical", said),))
    return data, entry


def _of_header(title: str, header: tuple[tuple[str, str], ...], type: str) -> list[Finding]:
    found = []
    for what, text in (("the title", title), *header):
        if _has_control(text):
            message = f"{what} holds a line break or control character"
            found.append(Finding("not-canonical", message))
        elif not text.strip():
            found.append(Finding("not-canonical", f"{what} is empty"))
    if type not in session.TYPES:
        hint = f"one of {', '.join(session.TYPES)}"
        found.append(Finding("not-canonical", f"unknown type of log: {type}", hint=hint))
    return found


def _of_events(events: tuple[Event, ...], type: str) -> list[Finding]:
    found = []

    def find(code: str, message: str, hint: str = "") -> None:
        found.append(Finding(code, message, hint=hint))

    kinds: dict[str, set[object]] = {}
    seen: set[Event] = set()
    for event in events:
        if not is_fact_id(event.id):
            find("bad-id", f"not a fact id: {event.id[:80]!r}",
                 "ids are lower-case words joined by hyphens or dots")  # fmt: skip
            continue
        single = GRAMMAR[event.__class__].single
        if event in seen or (single and event.__class__ in kinds.get(event.id, ())):
            find(
                "bad-event", f"`{VERB_OF[event.__class__]}: {event.id}` stands twice", "say it once"
            )
        seen.add(event)
        kinds.setdefault(event.id, set()).add(event.__class__)
        if _has_control(event.remark):
            find("bad-event", f"the remark beside {event.id} is not one line")
        if isinstance(event, FactCreated | FactUpdated):
            found.extend(_of_fact(event, type == "import"))
        found.extend(_of_grammar(event))
    for id, met in kinds.items():
        for one, other in _OPPOSITES:
            if one in met and other in met:
                said = f"`{VERB_OF[one]}: {id}` and `{VERB_OF[other]}: {id}` stand in one log"
                find("bad-event", said, "write two logs, one after the other")
    return found


def _of_grammar(event: Event) -> list[Finding]:
    """Say what can not stand behind the arrow of an event, or in its parentheses."""
    found = []
    verb = GRAMMAR[type(event)]
    if verb.arrow is not None:
        behind = getattr(event, verb.arrow.field)
        if not verb.arrow.fits(behind):
            found.append(Finding("bad-id", f"not a {verb.arrow.called}: {behind[:80]!r}"))
        elif verb.arrow.is_fact and behind == event.id:
            said = verb.arrow.told[0].format("itself").lower()
            found.append(Finding("bad-event", f"{event.id} can not be {said}"))
    for naming in verb.namings:
        names = naming.names(event)
        if names is not None and not (names and naming.can_be(names)):
            said = naming.refused.format(event=f"{verb.word}: {event.id}", id=event.id, names=names)
            found.append(Finding("bad-event", said))
    return found


def _of_fact(event: FactCreated | FactUpdated, imports: bool) -> list[Finding]:
    """Say why a fact can not be stored: its text, its checkbox, its footer."""
    if event.text is None or not event.text.strip():
        return [Finding("event-without-fact", f"{event.id} has no text")]
    found = []
    lines = event.text.split("\n")
    kind = dict(event.meta).get("kind", "" if isinstance(event, FactUpdated) else "fact")
    if event.mark and kind not in ("", *session.CLOSABLE):
        hint = "take the checkbox away, or write `kind: thread` in the footer"
        said = f"{event.id} has a checkbox and is of kind {kind}, which is never closed"
        found.append(Finding("bad-event", said, hint=hint))
    for key, value in event.meta:
        if not imports and key in session.IMPORT_KEYS:
            found.append(Finding("bad-footer", f"{event.id}: only imports may say `{key}`"))
        if "|" in value or "-->" in value or "--" in key or _has_control(value):
            found.append(Finding("bad-footer", f"{event.id}: the value of {key} would end early"))
    if event.text != tidy(event.text):
        message = f"the text of {event.id} has blanks around it or at the end of a line"
        found.append(Finding("not-canonical", message))
    if not lines[0].strip(" \t-*_"):
        found.append(Finding("not-canonical", f"the text of {event.id} begins with a rule"))
    shape = outline(lines)
    found.extend(Finding(code, f"in the text of {event.id}") for code, _ in shape.unclosed)
    quoted = {line for begin, end in shape.hidden for line in range(begin, end)}
    for number, line in enumerate(lines):
        code = number in quoted or (line[:4] == "    " and not lines[number - 1])
        if not code and is_footer(line.strip(" \t")):
            message = f"the text of {event.id} holds a footer of its own"
            found.append(Finding("bad-footer", message, hint="quote it in a code fence"))
            break
    return found


def _has_control(text: str) -> bool:
    """Tell whether a text that has to stay on one line holds a line break or control character."""
    if text.isprintable():
        return False
    return any(char < " " or "\x7f" <= char <= "\x9f" or char in "\u2028\u2029" for char in text)
