"""Count as the agent-memory tool does, bit for bit, mistakes included.

A pure function of the bytes of a ledger in the agent-memory layout; what it gets wrong on purpose is
listed in the left column of the rules in the documentation of `diurna adopt`. The reference asks of
every fact which logs name it (facts times logs); here every log is scanned once, and an inverted
index holds (count, newest log) for each id. Nothing here can backtrack: every pattern is possessive
and starts only where a run of letters and digits starts, so hostile input costs linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from ledger.model.record import Record
from projection.policy.model import Windows
from rituals.intake.adopt.adopted_files import AgentMemory, text_of

_HEADING = b"## Memory References"
_NEXT_SECTION = b"\n## "
#: What `[a-z][a-z0-9]*(?:-[a-z0-9]+)+` finds, in linear time. The reference's pattern may start
#: anywhere inside a word, but what it finds always starts at the first letter of a word.
ID_PATTERN = r"(?<![a-z0-9])[0-9]*+([a-z][a-z0-9]*+(?:-[a-z0-9]++)++)"
_IDS = re.compile(ID_PATTERN.encode())
_WINDOW = re.compile(r"\b(working|active|archive)_window:[ \t]*+([0-9]++)")
_DIGITS_LIMIT = 9
_BULLETS = "-*+"


class Footer(Record):
    """What the reference tool writes into one footer, every value as the text it writes."""

    id: str
    tier: str
    uses: str
    created: str
    last_used: str


def windows(policy_text: str) -> Windows:
    """Read the windows of `decay-policy.md` (or ""): the first `name: number` of each, else 3, 8, 20."""
    found: dict[str, int] = {}
    for match in _WINDOW.finditer(policy_text):
        digits = match[2]
        found.setdefault(
            match[1], int(digits) if len(digits) <= _DIGITS_LIMIT else 10**_DIGITS_LIMIT
        )
    return Windows(**found)


def computed(memory: AgentMemory) -> tuple[Footer, ...]:
    """Compute every footer of a ledger as the reference tool's metadata refresh does."""
    threads = [text_of(data) for _, data in memory.threads]
    return footers(memory.logs, text_of(memory.continuity), text_of(memory.policy), threads)


def footers(
    logs: Iterable[tuple[str, bytes]],
    continuity: str,
    policy_text: str,
    threads: Iterable[str] = (),
) -> tuple[Footer, ...]:
    """Compute every footer as the reference tool's metadata refresh does.

    Args:
        logs: (stem, bytes) of every `sessions/*.md`, in any order.
        continuity: the text of `continuity.md`.
        policy_text: the text of `decay-policy.md`, or "".
        threads: the texts of `open-threads/*.md`, which hold one fact each.

    Returns:
        One footer for every id, in the order in which the ids are met; of several footers with one
        id the last counts.
    """
    asked: dict[str, tuple[dict[str, str], bool]] = {}
    for text in (continuity, *threads):
        for fields, pinned in _declared(text):
            asked[fields["id"]] = (fields, pinned)
    stems, index = _index(logs, frozenset(id.encode() for id in asked if id.isascii()))
    dates = [stem[:10] for stem in stems]
    limits = windows(policy_text)
    made = []
    for id, (fields, pinned) in asked.items():
        tier, created = fields.get("tier", ""), fields.get("created", "")
        uses, last_used = fields.get("uses", ""), fields.get("last_used", "")
        named = index.get(id.encode()) if id.isascii() else None
        if named and tier not in ("superseded", "core"):
            count, last = named
            uses, last_used = str(count), last[:10]
            if not pinned:
                age = len(dates) - bisect_right(dates, created)
                since = len(stems) - 1 - bisect_left(stems, last)
                tier = "active" if since <= limits.active else "archive-candidate"
                if age <= limits.working and count <= 1:
                    tier = "working"
        made.append(Footer(id, tier, uses, created, last_used))
    return tuple(made)


def _index(
    logs: Iterable[tuple[str, bytes]], known: frozenset[bytes]
) -> tuple[list[str], dict[bytes, tuple[int, str]]]:
    """Scan every log once; return the sorted stems and id -> (logs naming it, newest of them)."""
    stems: list[str] = []
    index: dict[bytes, tuple[int, str]] = {}
    names = _IDS.findall
    for stem, data in logs:
        stems.append(stem)
        start, end = references_span(data)
        if start == end:
            continue
        for id in known.intersection(names(data, start, end)):
            count, last = index.get(id, (0, ""))
            index[id] = (count + 1, max(last, stem))
    stems.sort()
    return stems, index


def references_span(data: bytes) -> tuple[int, int]:
    """Return where the section in which ids count begins and ends, (0, 0) when there is none."""
    start = _section(data)
    if start < 0:
        return 0, 0
    end = data.find(_NEXT_SECTION, start)
    return start, end if end >= 0 else len(data)


def _section(data: bytes) -> int:
    """Find where the first `## Memory References` that is alone on its line ends, or -1."""
    at = data.find(_HEADING)
    while at >= 0:
        after = at + len(_HEADING)
        if at == 0 or data[at - 1] == 10:
            end = data.find(b"\n", after)
            if not data[after : end if end >= 0 else len(data)].strip():
                return after
        at = data.find(_HEADING, after)
    return -1


def _declared(text: str) -> Iterable[tuple[dict[str, str], bool]]:
    """Yield the fields of every footer, quoted or not, and whether an open checkbox pins it."""
    indent, is_open = -1, False
    for line in text.split("\n"):
        body = line.lstrip(" \t")
        if body[:1] in _BULLETS and body[1:2] == " ":
            depth = len(line) - len(body)
            box = body[2:5].lower() if body[0] == "-" else ""
            if box in ("[ ]", "[x]"):
                indent, is_open = depth, box == "[ ]"
            elif depth <= indent:
                indent, is_open = -1, False
        start = body.find("<!--")
        while start >= 0:
            end = body.find("-->", start)
            if end < 0:
                break
            comment = body[start + 4 : end]
            fields = footer_fields(comment) if "|" in comment else {}
            if fields:
                yield fields, is_open
            start = body.find("<!--", end)


def footer_fields(comment: str) -> dict[str, str]:
    """Read `id: a | key: value | …`, the inside of a comment; {} when it is no footer."""
    parts = comment.split("|")
    key, _, id = parts[0].partition(":")
    if key.strip() != "id" or not id.strip():
        return {}
    fields = {"id": id.strip()}
    for part in parts[1:]:
        key, colon, value = part.partition(":")
        if colon:
            fields.setdefault(key.strip(), value.strip())
    return fields
