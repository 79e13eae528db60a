"""Read and write session logs: one canonical form for writing, a reader that never fails.

`encode` writes the canonical bytes; `decode` reads any bytes, never raises, and reports what it
could not read; `ledger.codec.canonical_draft.problems` says why a log can not be stored. For every log
without problems `decode(encode(log)) == log`. Keeps invariants C1 to C6 of FORMAT.md.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterable

from ledger.codec.event_bullets import read_references, write_references
from ledger.codec.fact_blocks import Block, order_meta, read_facts, tidy, write_fact
from ledger.codec.outline import outline, take_title
from ledger.codec.outline_by_lines import OVERLONG, Outline
from ledger.model.event import (
    OF_LOGS,
    VERB_OF,
    VERB_RANK,
    Event,
    FactCreated,
    FactReferenced,
    FactUpdated,
    in_order,
    signs,
    used_in,
    written,
)
from ledger.model.finding_codes import Finding
from ledger.model.session import (
    FACTS_HEADING,
    HEADER_KEYS,
    IDS_LIMIT,
    LINE_LIMIT_BYTES,
    LOG_LIMIT_BYTES,
    REFERENCES_HEADING,
    REPORTED_KEYS,
    WORK,
    Entry,
    SessionLog,
    clock_of,
    normal,
    place_of,
    reach_in,
)

Find = Callable[[str, str, int, str], None]

#: Findings kept of one section: a hostile log has a hundred thousand, and one says enough.
FINDINGS_LIMIT = 200
_HEADER_RANK = {key: rank for rank, key in enumerate(HEADER_KEYS)}
_KEY_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
_UNCLOSED = {
    "unclosed-fence": ("a code fence is never closed", "close it with the same fence"),
    "unclosed-comment": ("a comment or HTML block is never closed", "close it"),
    "too-complex": ("too large to decide what is code", "indent no fence and no comment"),
}


def encode(log: SessionLog) -> bytes:
    """Write the canonical bytes of a session log.

    Raises:
        UnicodeEncodeError: the log holds a lone surrogate (`problems` reports it).
    """
    header = "".join([f"{key}: {value}\n" for key, value in log.header])
    parts = [f"---\n{header}---\n" if header else "", f"# {log.title}\n"]
    if log.prose:
        parts.append(f"\n{log.prose}\n")
    bullets = write_references(log.events)
    if bullets:
        parts.append(f"\n## {REFERENCES_HEADING}\n\n" + "\n".join(bullets) + "\n")
    blocks = [
        write_fact(event.id, event.text, event.mark, event.meta)
        for event in log.events
        if isinstance(event, FactCreated | FactUpdated) and event.text is not None
    ]
    if blocks:
        parts.append(f"\n## {FACTS_HEADING}\n\n" + "\n".join(blocks) + "\n")
    return "".join(parts).encode()


def decode(data: bytes, *, sealed: bool, file: str = "") -> tuple[SessionLog, tuple[Finding, ...]]:
    """Read a session log: what is good in it, and findings about the rest. Never raises.

    `sealed`: strictly by the format; otherwise as written by hand or by another tool. `file` is its
    name in findings.
    """
    findings: list[Finding] = []

    def find(code: str, message: str, line: int, hint: str) -> None:
        findings.append(Finding(code, message, file, line, hint))

    if len(data) > LOG_LIMIT_BYTES:
        message = f"{len(data)} bytes; the limit is {LOG_LIMIT_BYTES}"
        find("too-large", message, 0, "split it into several logs")
        return SessionLog((), "", "", ()), tuple(findings)
    lines = _lines(data, find)
    header, body = _front_matter(lines, find)
    found = outline(lines, body)
    for code, line in found.unclosed:
        find(code, _UNCLOSED[code][0], line + 1, _UNCLOSED[code][1])
    title, body = take_title(lines, body)
    conflict = _conflict(lines, found)
    if conflict:
        message = "merge conflict markers; nothing that this log says counts"
        find("conflict-marker", message, conflict, "say it again in a new log")
        return SessionLog(header, title, "", ()), tuple(findings)
    if not sealed:
        from ledger.codec.hand_written_logs import head_by_hand

        header, title = head_by_hand(lines, body, found.hidden, header, title)
    prose, sections = _sections(lines, body, found, find)
    _cover(lines, found, sections, sealed, find)
    events: list[Event] = []
    blocks: list[Block] = []
    for is_facts, begin, end in sections:
        part = lines[begin:end]
        if is_facts:
            more, wrong = read_facts(part, begin + 1, file)
            blocks.extend(more)
        else:
            named, wrong = read_references(part, begin + 1, strict=sealed, file=file)
            events.extend(named)
        findings.extend(wrong[:FINDINGS_LIMIT])
    if len(events) > IDS_LIMIT:
        find("too-many-ids", f"{len(events)} ids; the limit is {IDS_LIMIT}", 0, "")
        del events[IDS_LIMIT:]
    _join(events, blocks, sealed, find)
    return SessionLog(header, title, prose, tuple(events)), tuple(findings)


def canonical(log: SessionLog) -> SessionLog:
    """Arrange a log as it is stored, without changing what it says.

    Header keys and events get their canonical order, texts and prose lose surrounding blanks and
    the trailing spaces of lines, `type: work` and empty header values go, and so does an event that
    is said twice.
    """
    events: dict[Event, None] = {}
    for event in sorted(log.events, key=lambda event: VERB_RANK[type(event)]):
        event = event._replace(remark=event.remark.strip())
        if isinstance(event, FactCreated | FactUpdated):
            text = None if event.text is None else tidy(event.text)
            event = event._replace(text=text, meta=order_meta(event.meta))
        events[event] = None
    prose = _strip_blank_lines(log.prose.split("\n"))
    return SessionLog(arranged(log.header), log.title.strip(), prose, tuple(events))


def arranged(header: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a header as they are stored: in their order, without what says nothing."""
    told = [pair for pair in header if pair[1].strip() and pair != ("type", WORK)]
    return tuple(sorted(told, key=_rank))


def _rank(pair: tuple[str, str]) -> int:
    return _HEADER_RANK.get(pair[0], len(_HEADER_RANK))


def entry_of(stem: str, log: SessionLog) -> Entry:
    """Return what the fold needs of a log."""
    named: dict[str, None] = {}
    acts: list[Event] = []
    told: list[tuple[str, str]] = []
    for event in log.events:
        used = used_in(event)
        if used:
            named[used] = None
        if type(event) in OF_LOGS:
            said_of = written(event).replace(" ", "")
            told.append((VERB_OF[type(event)], f"{said_of} {event.remark}"))
        elif not isinstance(event, FactReferenced):
            acts.append(event)
    kind, session, said = log.type, log.get("session"), tuple(in_order(acts))
    reach = reach_in(dict(log.header))
    by = (log.get("branch"), log.get("role")) if signs(said) else ("", "")
    who, ids = log.get("agent"), tuple(named)
    reported = (*[pair for pair in log.header if pair[0] in REPORTED_KEYS], *told)
    reported += place_of(dict(log.header)) if acts else ()
    reported += clock_of(stem, dict(log.header))
    return Entry(stem, kind == WORK, who, kind, ids, said, session, reach, *by, reported)


def read_header(data: bytes) -> tuple[tuple[str, str], ...]:
    """Read the front matter of a log and nothing else, in the order found."""
    head, closed, _ = data[:LINE_LIMIT_BYTES].partition(b"\n---\n")
    return _front_matter(_lines(head + closed, _unheard), _unheard)[0]


def _unheard(code: str, message: str, line: int, hint: str) -> None:
    """Ignore a finding: whoever reads the whole log reports it."""


def conflicted(text: str) -> bool:
    """Tell whether unresolved conflict markers are in a log: nothing that it says counts."""
    return any(found.code == "conflict-marker" for found in decode(text.encode(), sealed=False)[1])


def _lines(data: bytes, find: Find) -> list[str]:
    """Decode and normalise a copy of the bytes, and cut it at line feeds only."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        find("not-utf8", "not UTF-8; unreadable bytes are shown as U+FFFD", line, "save as UTF-8")
        text = data.decode("utf-8", "replace")
    text = normal(text)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        find("nul-byte", "a NUL byte; it is read as U+FFFD", line, "take it out")
        text = text.replace("\0", "\ufffd")
    return text.split("\n")


def _front_matter(lines: list[str], find: Find) -> tuple[tuple[tuple[str, str], ...], int]:
    """Read the header; return it and the index of the first line behind it."""
    if lines[0].rstrip(" \t") != "---":
        return (), 0
    end = 1
    while end < len(lines) and lines[end].rstrip(" \t") != "---":
        end += 1
    if end == len(lines):
        find("front-matter", "the front matter is never closed", 1, "close it with `---`")
        return (), 0
    pairs: dict[str, str] = {}
    for index in range(1, end):
        key, colon, value = lines[index].partition(":")
        key = key.rstrip(" \t")
        if not colon or not key or key.strip(_KEY_CHARS):
            if lines[index].strip():
                message = f"not `key: value`: {lines[index][:60]}"
                find("front-matter", message, index + 1, "the header is flat, one pair a line")
        elif key in pairs:
            message = f"the key {key[:60]} stands twice; the first counts"
            find("front-matter", message, index + 1, "keep one of them")
        elif (key, value.strip()) != ("type", WORK):
            pairs[key] = value.strip()
    return tuple(sorted([pair for pair in pairs.items() if pair[1]], key=_rank)), end + 1


def _conflict(lines: list[str], found: Outline) -> int:
    """Return the number of the line with which unresolved conflict markers begin, or 0.

    Markers quoted inside closed code are only a quotation.
    """
    hidden = iter((*found.hidden, (len(lines),) * 2))
    begin, end = next(hidden)
    first, awaited = 0, "<<<<<<< "
    for index, line in enumerate(lines):
        if line[:8] == awaited and (awaited[0] != "=" or line == "======="):
            while end <= index:
                begin, end = next(hidden)
            if awaited[0] == "<" and begin <= index:
                continue
            if awaited[0] == ">":
                return first
            first = first or index + 1
            awaited = "=======" if awaited[0] == "<" else ">>>>>>> "
    return 0


def section_kind(title: str) -> tuple[str, bool]:
    """Return which section of ours a heading begins ("" for none), and whether it has a suffix."""
    lower = title.lower()
    if lower == "facts":
        return FACTS_HEADING, False
    if not lower.startswith("memory references"):
        return "", False
    rest = lower[17:].lstrip()
    return (REFERENCES_HEADING, rest != "") if rest[:1] in ("", *"([:—–-") else ("", False)


def _sections(
    lines: list[str], body: int, found: Outline, find: Find
) -> tuple[str, list[tuple[bool, int, int]]]:
    """Part the lines into the prose and our sections (is it `Facts`, first line, behind last)."""
    sections: list[tuple[bool, int, int]] = []
    prose: list[str] = []
    seen: set[str] = set()
    begin = body
    ends = [line for line, _ in found.headings[1:]] + [len(lines)]
    for (line, title), end in zip(found.headings, ends, strict=False):
        kind, suffix = section_kind(title)
        if not kind:
            continue
        if suffix:
            find("section-suffix", f"`## {title[:60]}` is read", line + 1, "")
        if kind in seen:
            find("repeated-section", f"`## {kind}` stands more than once", line + 1, "")
        seen.add(kind)
        prose.append(_strip_blank_lines(lines[begin:line]))
        sections.append((kind == FACTS_HEADING, line + 1, end))
        begin = end
    prose.append(_strip_blank_lines(lines[begin:]))
    return "\n\n".join([piece for piece in prose if piece]), sections


def _cover(
    lines: list[str],
    found: Outline,
    sections: list[tuple[bool, int, int]],
    sealed: bool,
    find: Find,
) -> None:
    """Blank out what is hidden inside our sections, and what is too long to read."""
    if found.hidden and sections:
        for begin, end in found.hidden:
            inside = any(first <= begin < last for _, first, last in sections)
            if inside:
                lines[begin:end] = [""] * (end - begin)
                if sealed:
                    message = "code or a comment among the references or facts is not read"
                    find("bad-event", message, begin + 1, "move it above them")
    for index, line in enumerate(lines):
        if len(line) * 4 > LINE_LIMIT_BYTES:
            size = len(line.encode("utf-8", "surrogatepass"))
            if size > LINE_LIMIT_BYTES:
                message = f"{size} bytes; the limit is {LINE_LIMIT_BYTES}"
                find("line-too-long", message, index + 1, "break the line")
                lines[index] = OVERLONG


def _join(events: list[Event], blocks: list[Block], sealed: bool, find: Find) -> None:
    """Give every birth and update the text that its block holds."""
    texts: dict[str, Block] = {}
    for block in blocks:
        if block.id in texts:
            message = f"a second block for {block.id}; the first counts"
            find("duplicate-block", message, block.line, "give it an id of its own")
        else:
            texts[block.id] = block
    taking: dict[str, FactCreated | FactUpdated] = {}
    for event in reversed(in_order(events)):
        if isinstance(event, FactCreated | FactUpdated):
            taking[event.id] = event  # of several the first by C6, however they were written
    for index, event in enumerate(events):
        if isinstance(event, FactCreated | FactUpdated):
            found = texts.pop(event.id, None) if event == taking[event.id] else None
            if found is not None:
                events[index] = event._replace(text=found.text, mark=found.mark, meta=found.meta)
            elif sealed:
                message = f"`## {FACTS_HEADING}` has no block for {event.id}"
                hint = f"add one that ends with `<!-- id: {event.id} -->`"
                find("event-without-fact", message, 0, hint)
    for block in texts.values():
        hint = f"add `- Created: {block.id}` or `- Updated: {block.id}` to the references"
        find("fact-without-event", f"no event names the fact {block.id}", block.line, hint)


def _strip_blank_lines(lines: list[str]) -> str:
    """Join lines without the blank ones around them."""
    begin, end = 0, len(lines)
    while begin < end and not lines[begin].strip(" \t"):
        begin += 1
    while end > begin and not lines[end - 1].strip(" \t"):
        end -= 1
    return "\n".join(lines[begin:end])
