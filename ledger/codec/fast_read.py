"""Read what the fold needs of a sealed log straight from its canonical bytes, in microseconds.

A cold replay reads every log of the ledger, so this searches the whole text with `find` and works on the
references and facts alone. It answers only when it is sure to say what `decode` would
say without findings; otherwise None. A test holds the two together.
"""

from __future__ import annotations

from _operator import methodcaller
from sys import intern

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
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id, is_version_id
from ledger.model.log_names import bears, ended_of, is_sealed
from ledger.model.record import cached
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
_BULLETS = {f"- {verb}": kind for verb, kind in VERBS.items() if kind not in OF_LOGS}
#: Types whose bullet may hold nothing but ids.
_OF_IDS = frozenset([kind for kind, verb in GRAMMAR.items() if verb.arrow is None])
#: Footer keys that need no look at their value.
_RANK = {key: rank for rank, key in enumerate(META_KEYS) if key != "created"}
_NAMES = ("memory references", "facts")
_pair = methodcaller("split", ": ", 1)
#: How many readings of each sort are remembered: among 100,000 logs most texts are met many times.
_MET = 1 << 15

#: What is read of a fact: text, checkbox, footer.
_Body = tuple[str, str, Meta]
#: Something is not surely canonical.
_Doubt = ValueError


def read_entry(stem: str, data: bytes, file: str = "") -> tuple[Entry, tuple[Finding, ...]]:
    """Read what the fold needs of a log: by the fast path, or in full where that is in doubt."""
    sealed = is_sealed(stem)
    if sealed:
        entry = scan(stem, data)
        if entry is not None:
            return entry, ()
    from ledger.codec.log import decode, entry_of

    log, findings = decode(data, sealed=sealed, file=file)
    return entry_of(stem, log), findings


def stamp_findings(stem: str, data: bytes, file: str) -> tuple[Finding, ...]:
    """Say that a sealed log does not bear the stamp of its name: the seal alone ties it to no time."""
    front = data[: data.find(b"\n---\n", 3) + 1] if data[:4] == b"---\n" else b""
    if f"\nended: {ended_of(stem)}\n".encode() in front or not is_sealed(stem):
        return ()
    from ledger.codec.log import read_header

    head = dict(read_header(data))
    said = head.get("ended", "")
    if bears(stem, said, head.get("after", "")):
        return ()
    told = f"ended at {said[:40]}" if said else "ended at no time"
    told = f"the log says that it {told}, and its name {ended_of(stem)}; it is read in its name's place"
    hint = "a sealed log keeps its name; `git log -- <file>` tells who committed this one"
    return (Finding("stamp-moved", told, file, hint=hint),)


def scan(stem: str, data: bytes) -> Entry | None:
    """Read a sealed log, or return None when anything about it is in doubt."""
    if len(data) > LINE_LIMIT_BYTES or data[-1:] != b"\n" or b"\r" in data or b"\0" in data:
        return None
    try:
        return _read(stem, data.decode())
    except (ValueError, KeyError):  # a doubt, no UTF-8, or an event without its text
        return None


def _read(stem: str, text: str) -> Entry:
    head: dict[str, str] = {}
    if text.startswith("---\n"):
        body = text.find("\n---\n", 3)
        head = _header(text[4:body] if body != -1 else "")
        body += 4
    elif text[0] in "-\ufeff":
        raise _Doubt
    else:
        text = "\n" + text
        body = 0
    at = (text.rfind(_REFERENCES, body) + 1 or len(text) + 1) - 1
    if not _is_plain(text, body, min(at, len(text) - 1)):
        raise _Doubt
    agent, session = intern(head.get("agent", "")), intern(head.get("session", ""))
    kind = intern(head.get("type", WORK))
    reach, clock = reach_in(head), clock_of(stem, head)
    cut = text.find(_FACTS, at + 21)
    texts = _facts(text[cut + 9 :]) if cut != -1 else {}
    names: list[str] = []
    acts = _references(text[at + 22 : cut + 1 or None], names, texts)
    if texts:
        raise _Doubt
    named = tuple(dict.fromkeys(names))
    branch, role = (head.get("branch", ""), head.get("role", "")) if signs(acts) else ("", "")
    said = (*(place_of(head) if acts else ()), *clock)
    told = session, reach, branch, role, said
    return Entry._make((stem, kind == WORK, agent, kind, named, tuple(in_order(acts)), *told))


def _header(block: str) -> dict[str, str]:
    """Read the lines of a header: known keys, none twice, no blanks around their values."""
    head: dict[str, str] = dict(map(_pair, block.split("\n")))
    values = [*head.values()]
    if len(values) <= block.count("\n") or not all(values) or not _KEYS.issuperset(head):
        raise _Doubt
    if [*map(str.strip, values)] != values:
        raise _Doubt
    return head


def _is_plain(text: str, begin: int, end: int) -> bool:
    """Tell whether the prose surely hides nothing and holds no section of ours.

    `text[begin]` is the line feed before the prose, `text[end]` the one before what follows it.
    """
    prose = text[begin : end + 1]
    # a character is told in a hundredth of the time that a word takes
    fenced = ("`" in prose and "```" in prose) or ("~" in prose and "~~~" in prose)
    if fenced or "<" in prose:
        return _is_plain_line_by_line(text, prose, end)
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
    from ledger.codec.outline_by_lines import outline_by_lines

    found = outline_by_lines(prose.split("\n"), 1)
    return (
        found is not None
        and not found.unclosed
        and not any(title.lower().startswith(_NAMES) for _, title in found.headings)
    )


@cached(_MET)
def _id(text: str) -> str:
    """Return a text, the same for each like it, where it is a fact id, else ""."""
    return intern(text) if is_fact_id(text) else ""


def _references(section: str, names: list[str], texts: dict[str, _Body]) -> list[Event]:
    """Return what canonical bullets say; `texts` go into the events, `names` gets the ids that are used.

    What most bullets are is read here; any other, and of any other verb, as the codec reads it.
    """
    if section.count(",") + section.count("\n") > IDS_LIMIT:
        raise _Doubt
    acts: list[Event] = []
    for line in section.split("\n"):
        if not line:
            continue
        verb, _, rest = line.partition(": ")
        kind = _BULLETS.get(verb)
        if kind is FactSuperseded or kind is FactUpdated:
            said, named, tail = rest.partition(" (was ")
            id, arrow, new = said.partition(" → ")
            was = tuple(tail[:-1].split(", ")) if named else None
            plain = was is None or (tail[-1:] == ")" and all(map(is_version_id, was)))
            if plain and _id(id) and _id(new or id) and bool(arrow) == (kind is FactSuperseded):
                names.append(_id(new or id))
                if arrow:
                    acts.append(FactSuperseded(_id(id), _id(new), "", was))
                else:
                    text, mark, meta = texts.pop(id)
                    acts.append(FactUpdated(_id(id), text, was, mark, meta))
                continue
        elif kind in _OF_IDS:
            ids = [*map(_id, rest.split(", "))]
            if all(ids):
                if kind in USES_ID:
                    names += ids
                if kind is FactCreated:
                    acts += [FactCreated._make((id, *texts.pop(id), "")) for id in ids]
                elif kind is not FactReferenced:
                    acts += [kind(id) for id in ids]
                continue
        elif kind is None:
            raise _Doubt
        from ledger.codec.event_bullets import read_references

        events, findings = read_references([line], strict=True)
        if findings:
            raise _Doubt
        for event in events:
            if used := used_in(event):
                names.append(used)
            if isinstance(event, FactCreated | FactUpdated):
                text, mark, meta = texts.pop(event.id)
                event = event._replace(text=text, mark=mark, meta=meta)
            if not isinstance(event, FactReferenced):
                acts.append(event)
    return acts


def _facts(section: str) -> dict[str, _Body]:
    """Read the blocks behind the heading of the facts, by their ids; these are not looked at."""
    texts: dict[str, _Body] = {}
    before, *blocks = section[:-1].split("\n- ")
    for block in blocks:
        text, _, footer = block.rstrip("\n").rpartition("\n  <!-- id: ")
        id, _, pairs = footer[:-4].partition(" | ")
        mark, meta = "", _meta(pairs)
        if text[:4] in ("[ ] ", "[x] "):
            mark, text = text[1], text[4:]
        odd = text[:1] in " \t-[" or text[-1] in " \t" or "\n" in text or footer[-4:] != " -->"
        if odd or meta is None:
            id, texts[id] = _fact_in_full(block)
        else:
            texts[id] = text, mark, meta
    if before.strip("\n") or len(texts) < len(blocks):
        raise _Doubt
    return texts


@cached(_MET)
def _meta(pairs: str) -> Meta | None:
    """Read what stands in a footer behind the id; None when it is not canonical."""
    meta, last = list[tuple[str, str]](), -1
    for pair in pairs.split(" | ") if pairs else ():
        key, _, value = pair.partition(": ")
        rank = _RANK.get(key, -1)
        odd = "-->" in value or not {"|", "\t", "\n"}.isdisjoint(value)
        # ascending ranks: known keys, in order, none twice
        if rank <= last or odd or not value or value.strip() != value:
            return None
        last = rank
        meta.append((key, value))
    return tuple(meta)


def _fact_in_full(block: str) -> tuple[str, _Body]:
    """Read any other fact that surely is one list item."""
    first, *more = lines = ("- " + block).split("\n")
    from ledger.codec.fact_blocks import read_facts

    blocks, findings = read_facts(lines)
    # an indented item or a rule (`- - -`) is not surely an item
    if (
        first[2:3] in ("", " ", "\t")
        or not first.strip("- \t")
        or any(line and line[:2] != "  " for line in more)
        or findings
        or len(blocks) != 1
    ):
        raise _Doubt
    ((id, text, mark, meta, _),) = blocks
    return id, (text, mark, meta)
