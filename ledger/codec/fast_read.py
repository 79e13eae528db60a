"""Read what the fold needs of a sealed log straight from its canonical bytes, in microseconds.

A cold replay reads every log of the ledger, so this searches the whole text with `find` and works on the
references and facts alone. It answers only when it is sure to say what `decode` would
say without findings; otherwise None. A test holds the two together.
"""

from __future__ import annotations

from sys import intern

from ledger.codec.event_bullets import read_references
from ledger.codec.fact_blocks import read_facts
from ledger.codec.outline_by_lines import outline_by_lines
from ledger.model.event import (
    GRAMMAR,
    OF_LOGS,
    USES_ID,
    VERBS,
    Event,
    FactCreated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    Meta,
    in_order,
    signs,
    used_in,
)
from ledger.model.ids import ID_LIMIT_CHARS, is_fact_id, is_version_id
from ledger.model.session import (
    HEADER_KEYS,
    IDS_LIMIT,
    LINE_LIMIT_BYTES,
    META_KEYS,
    WORK,
    Entry,
    clock_of,
    place_of,
    reach_in,
)

_KEYS = frozenset(HEADER_KEYS)
_REFERENCES = "\n## Memory References\n"
_FACTS = "\n## Facts\n"
_BULLETS = {f"- {verb}": kind for verb, kind in VERBS.items()}
#: Types whose bullet may hold nothing but ids.
_OF_IDS = frozenset([kind for kind, verb in GRAMMAR.items() if verb.arrow is None])
#: Footer keys that need no look at their value.
_RANK = {key: rank for rank, key in enumerate(META_KEYS) if key != "created"}
_NAMES = ("memory references", "facts")


def scan(stem: str, data: bytes) -> Entry | None:
    """Read a sealed log, or return None when anything about it is in doubt."""
    if len(data) > LINE_LIMIT_BYTES or data[-1:] != b"\n" or b"\r" in data or b"\0" in data:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    head: dict[str, str] = {}
    if text.startswith("---\n"):
        end = text.find("\n---\n", 3)
        if end == -1:
            return None
        for line in text[4:end].split("\n"):
            key, _, value = line.partition(": ")
            if key not in _KEYS or key in head or not value or value.strip() != value:
                return None
            head[key] = value
        body = end + 4
    elif text[0] in "-\ufeff":
        return None
    else:
        text = "\n" + text
        body = 0
    at = text.rfind(_REFERENCES, body)
    if not _is_plain(text, body, at if at != -1 else len(text) - 1):
        return None
    agent, kind = intern(head.get("agent", "")), intern(head.get("type", WORK))
    session = intern(head.get("session", ""))
    reach, clock = reach_in(head), clock_of(stem, head)
    if at == -1:
        return Entry(stem, kind == WORK, agent, kind, (), (), session, reach, reported=clock)
    cut = text.find(_FACTS, at + 21)
    names: list[str] = []
    acts: list[Event] = []
    if not _references(text[at + 22 : cut + 1 if cut != -1 else None], names, acts):
        return None
    if not _join(acts, text[cut + 9 :] if cut != -1 else ""):
        return None
    named = tuple(dict.fromkeys(names))
    by = (head.get("branch", ""), head.get("role", "")) if signs(acts) else ("", "")
    said = (*(place_of(head) if acts else ()), *clock)
    return Entry(
        stem, kind == WORK, agent, kind, named, tuple(in_order(acts)), session, reach, *by, said
    )


def _is_plain(text: str, begin: int, end: int) -> bool:
    """Tell whether the prose surely hides nothing and holds no section of ours.

    `text[begin]` is the line feed before the prose, `text[end]` the one before what follows it.
    """
    prose = text[begin : end + 1]
    if "```" in prose or "~~~" in prose or "<" in prose:
        return _is_plain_line_by_line(text, prose, end)
    # behind the title most prose has no "#" at all, which is told ten times faster than "##"
    at = prose.find("#", prose.find("\n", 1) if prose.startswith("\n# ") else 0)
    at = prose.find("##", at) if at != -1 else -1
    while at != -1:
        if prose[at - 1] == " ":  # perhaps an indented heading
            return _is_plain_line_by_line(text, prose, end)
        stop = prose.find("\n", at)
        if prose[at + 2 : stop].strip().lower().startswith(_NAMES):
            return False
        at = prose.find("##", stop)
    return True


def _is_plain_line_by_line(text: str, prose: str, end: int) -> bool:
    """Tell the same about prose that holds code, HTML or indented headings."""
    # behind a blank line an HTML block that a blank line ends has ended too
    if "\n<<<<<<< " in text or (end < len(text) - 1 and text[end - 1] != "\n"):
        return False
    found = outline_by_lines(prose.split("\n"), 1)
    return (
        found is not None
        and not found.unclosed
        and not any(title.lower().startswith(_NAMES) for _, title in found.headings)
    )


def _references(section: str, names: list[str], acts: list[Event]) -> bool:
    """Read the bullets; tell whether all of them were canonical.

    What most bullets are is read here; any other, and of any other verb, as the codec reads it.
    """
    for line in section.split("\n"):
        if not line:
            continue
        verb, colon, rest = line.partition(": ")
        kind = _BULLETS.get(verb)
        if kind is None or not colon or kind in OF_LOGS:
            return False
        if kind is FactSuperseded:
            id, _, more = rest.partition(" → ")
            new, was, plain = _seen(more)
            if plain and is_fact_id(id) and is_fact_id(new):
                names.append(new)
                acts.append(FactSuperseded(id, new, "", was))
                continue
        elif kind is FactUpdated:
            id, was, plain = _seen(rest)
            if plain and is_fact_id(id):
                names.append(id)
                acts.append(FactUpdated(id, None, was))
                continue
        elif kind in _OF_IDS:
            ids = rest.split(", ")
            if _are_ids(rest, ids):
                ids = [intern(id) for id in ids]  # among 100,000 logs most are named many times
                if kind in USES_ID:
                    names.extend(ids)
                if kind is not FactReferenced:
                    acts.extend([kind(id) for id in ids])
                continue
        events, findings = read_references([line], strict=True)
        if findings:
            return False
        for event in events:
            used = used_in(event)
            if used:
                names.append(used)
            if not isinstance(event, FactReferenced):
                acts.append(event)
    return len(names) + len(acts) <= IDS_LIMIT


def _seen(rest: str) -> tuple[str, tuple[str, ...] | None, bool]:
    """Cut `id (was h1, h2)` into the id and the versions; False where it is written in another way."""
    id, named, tail = rest.partition(" (was ")
    if not named:
        return id, None, True
    was = tuple(tail.removesuffix(")").split(", "))
    return id, was, tail.endswith(")") and all(map(is_version_id, was))


def _are_ids(rest: str, ids: list[str]) -> bool:
    """Tell whether `rest`, cut into `ids` at ", ", is nothing but fact ids.

    The whole line is looked at once: with every joint written as a full stop, ids are runs of letters and
    digits between single stops.
    """
    runs = rest.replace(", ", ".").replace("-", ".")
    bare = runs.replace(".", "")
    return (
        bare.isalnum()
        and bare.isascii()
        and bare == bare.lower()
        and ".." not in runs
        and runs[0] != "."
        and runs[-1] != "."
        and (len(rest) <= ID_LIMIT_CHARS or max(map(len, ids)) <= ID_LIMIT_CHARS)
    )


def _join(acts: list[Event], section: str) -> bool:
    """Put the texts of the facts into the events; tell whether the two match exactly."""
    texts: dict[str, tuple[str, str, Meta]] = {}
    blocks = section[:-1].split("\n- ") if section else [""]
    if blocks[0].strip("\n"):
        return False
    for position in range(1, len(blocks)):
        text, _, footer = blocks[position].rstrip("\n").rpartition("\n  <!-- id: ")
        read = _fact(text, footer) or _fact_in_full(blocks[position])
        if read is None or read[0] in texts:
            return False
        texts[read[0]] = read[1:]
    for index, event in enumerate(acts):
        kind = type(event)
        if kind is FactCreated or kind is FactUpdated:
            found = texts.pop(event.id, None)
            if found is None:
                return False
            text, mark, meta = found
            if kind is FactCreated:
                acts[index] = FactCreated(event.id, text, mark, meta, event.remark)
            else:
                acts[index] = event._replace(text=text, mark=mark, meta=meta)  # type: ignore[call-arg]
    return not texts


def _fact(text: str, footer: str) -> tuple[str, str, str, Meta] | None:
    """Read a fact of one line and its canonical footer; None when there is more to it."""
    mark = ""
    if text[:4] in ("[ ] ", "[x] "):
        mark, text = text[1], text[4:]
    if (
        "\n" in text
        or "\n" in footer
        or footer[-4:] != " -->"
        or footer.find("-->") != len(footer) - 3
        or not text.strip("- \t")
        or text in ("[ ]", "[x]", "[X]")
        or text[:4] == "[X] "
        or text[0] in " \t"
        or text[-1] in " \t"
    ):
        return None
    id, *pairs = footer[:-4].split(" | ")
    if not is_fact_id(id):
        return None
    meta = []
    last = -1
    for pair in pairs:
        key, _, value = pair.partition(": ")
        rank = _RANK.get(key, -1)
        # ascending ranks: known keys, in order, none twice
        if rank <= last or not value or value.strip() != value or "|" in value or "\t" in value:
            return None
        last = rank
        meta.append((intern(key), intern(value)))
    return id, text, mark, tuple(meta)


def _fact_in_full(block: str) -> tuple[str, str, str, Meta] | None:
    """Read any other fact that surely is one list item."""
    lines = ("- " + block).split("\n")
    first = lines[0]
    # an indented item or a rule (`- - -`) is not surely an item
    if first[2:3] in ("", " ", "\t") or not first.strip("- \t"):
        return None
    for line in lines:
        if line and line[:2] != "  " and line is not first:
            return None
    blocks, findings = read_facts(lines)
    if findings or len(blocks) != 1:
        return None
    return blocks[0][:4]
