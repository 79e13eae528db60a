"""The fast path: what the fold needs of a sealed log, straight from its canonical bytes.

A cold replay reads every log of the ledger, so this takes microseconds: finds on the whole text,
work on the references and facts alone. It answers only when it is sure to say what `decode` would
say without findings; otherwise None. A test holds the two together.
"""

from __future__ import annotations

from ledger.event import (
    VERBS,
    Event,
    FactCreated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
)
from ledger.facts import read_facts
from ledger.ids import ID_LIMIT_CHARS, is_fact_id, is_version_id
from ledger.references import read_references
from ledger.sections import outline_by_lines
from ledger.session import HEADER_KEYS, IDS_LIMIT, LINE_LIMIT_BYTES, Entry

_KEYS = frozenset(HEADER_KEYS)
_REFERENCES = "\n## Memory References\n"
_FACTS = "\n## Facts\n"
_SIMPLE = "abcdefghijklmnopqrstuvwxyz0123456789.-, "
_NAMES = ("memory references", "facts")


def scan(stem: str, data: bytes) -> Entry | None:
    """Read a sealed log, or return None when anything about it is in doubt."""
    if len(data) > LINE_LIMIT_BYTES or data[-1:] != b"\n" or b"\r" in data or b"\0" in data:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    agent, kind = "", "work"
    if text.startswith("---\n"):
        end = text.find("\n---\n", 3)
        if end < 0:
            return None
        seen: set[str] = set()
        for line in text[4:end].split("\n"):
            key, _, value = line.partition(": ")
            if key not in _KEYS or key in seen or not value or value.strip() != value:
                return None
            seen.add(key)
            if key == "agent":
                agent = value
            elif key == "type":
                kind = value
        body = end + 4
    elif text[0] in "-\ufeff":
        return None
    else:
        text = "\n" + text
        body = 0
    head = text.rfind(_REFERENCES, body)
    if not _is_plain(text, body, head if head >= 0 else len(text) - 1):
        return None
    if head < 0:
        return Entry(stem, kind == "work", agent, kind, (), ())
    cut = text.find(_FACTS, head + 21)
    events = _references(text[head + 22 : cut + 1 if cut >= 0 else None])
    if events is None or not _join(events, text[cut + 10 :] if cut >= 0 else ""):
        return None
    named = dict.fromkeys(
        [
            event.new if type(event) is FactSuperseded else event.id
            for event in events
            if type(event) is not _INVALIDATED
        ]
    )
    acts = tuple([event for event in events if type(event) is not FactReferenced])
    return Entry(stem, kind == "work", agent, kind, tuple(named), acts)


_INVALIDATED = VERBS["Invalidated"]


def _is_plain(text: str, begin: int, end: int) -> bool:
    """Tell whether the prose surely hides nothing and holds no section of ours.

    `text[begin]` is the line feed before the prose, `text[end]` the one before what follows it.
    """
    prose = text[begin : end + 1]
    if "```" in prose or "~~~" in prose or ("<" in prose and _opens_html(prose)) or " ##" in prose:
        # `end` stands behind a blank line, so an HTML block that a blank line ends has ended too
        if "\n<<<<<<< " in text or (end < len(text) - 1 and text[end - 1] != "\n"):
            return False
        found = outline_by_lines(prose.split("\n"), 1)
        return (
            found is not None
            and not found.unclosed
            and not any(title.lower().startswith(_NAMES) for _, title in found.headings)
        )
    at = prose.find("\n##")
    while at >= 0:
        if prose[at + 3] != "#":
            stop = prose.find("\n", at + 3)
            if prose[at + 3 : stop].strip().lower().startswith(_NAMES):
                return False
        at = prose.find("\n##", at + 3)
    return True


def _opens_html(prose: str) -> bool:
    return "\n<" in prose or "\n <" in prose or "\n  <" in prose or "\n   <" in prose


def _references(section: str) -> list[Event] | None:
    """Read the bullets; None when a line is no canonical bullet."""
    events: list[Event] = []
    for line in section.split("\n"):
        if not line:
            continue
        verb, colon, rest = line.partition(": ")
        kind = VERBS.get(verb[2:])
        if kind is None or verb[:2] != "- " or not colon:
            return None
        if kind is not FactSuperseded and kind is not FactUpdated:
            if (
                not rest.strip(_SIMPLE)
                and "--" not in rest
                and ".." not in rest
                and ".-" not in rest
                and "-." not in rest
            ):
                # the joints are sound, so each id only needs its ends and its length
                ids = rest.split(", ")
                for id in ids:
                    if (
                        not 0 < len(id) <= ID_LIMIT_CHARS
                        or " " in id
                        or "," in id
                        or id[0] in ".-"
                        or id[-1] in ".-"
                    ):
                        return None
                if kind is FactCreated:
                    events.extend([FactCreated(id, None) for id in ids])
                else:
                    events.extend([kind(id) for id in ids])  # type: ignore[call-arg]
                continue
        elif kind is FactUpdated:
            id, mid, tail = rest.partition(" (was ")
            if is_fact_id(id) and (not mid or tail[-1:] == ")"):
                was = tuple(tail[:-1].split(", ")) if mid else None
                if was is None or all(is_version_id(v) for v in was):
                    events.append(FactUpdated(id, None, was))
                    continue
        else:
            id, _, new = rest.partition(" → ")
            if is_fact_id(id) and is_fact_id(new):
                events.append(FactSuperseded(id, new))
                continue
        named, findings = read_references([line], strict=True)
        if findings:
            return None
        events.extend(named)
    return events if len(events) <= IDS_LIMIT else None


def _join(events: list[Event], section: str) -> bool:
    """Put the texts of the facts into the events; tell whether the two match exactly."""
    texts = {}
    if section:
        lines = section.split("\n")
        item = False
        for line in lines:
            if line[:2] == "- ":
                # not surely a list item: an indented one, or a rule (`- - -`)
                if line[2:3] in ("", " ", "\t") or not line.strip("- \t"):
                    return False
                item = True
            elif line and (line[:2] != "  " or not item):
                return False
        blocks, findings = read_facts(lines)
        if findings:
            return False
        texts = {block.id: block for block in blocks}
        if len(texts) != len(blocks):
            return False
    for index, event in enumerate(events):
        if type(event) is FactCreated or type(event) is FactUpdated:
            block = texts.pop(event.id, None)
            if block is None:
                return False
            if type(event) is FactCreated:
                events[index] = FactCreated(
                    event.id, block.text, block.mark, block.meta, event.remark
                )
            else:
                events[index] = event._replace(text=block.text, mark=block.mark, meta=block.meta)
    return not texts
