"""Find which other facts a fact names, in its texts and in its footer.

`[[id]]` is a link wherever it stands in a text, but for code spans and fenced code; `[[id|words]]` is the
same link with words to show. What is no fact id between the brackets, is escaped, or is the words of a
markdown link is text; a stem or a date names session logs. `→ serves: id` at the end of a line of a text,
outside of code too, says what the footer `serves` does. Names of entities and tags in footers are here
too. Pure and light: every fact passes here on its way
into the cache.
"""

from __future__ import annotations

from _collections_abc import Iterable, Iterator

from ledger.model.ids import is_fact_id
from projection.fold.fact_history import Fact
from projection.fold.falsity import CONFLICTS

LINK, SERVES = "link", "serves"
ENTITY_KEY, TAGS_KEY = "entity", "tags"
#: What people put around a name, and before it.
_AROUND, _BEFORE = "`'\"[] \t", "#@"
_JOINTS = str.maketrans("-_", "  ")
_WRAPPED = 6  #: lines of a paragraph that what it serves may take
#: What stands before the ids that a line of a text says it serves, and before that.
_SERVES, _ARROWS = "serves:", ("→", "->")


def footer(fact: Fact, wanted: str) -> str:
    """Return the value of a footer key, "" where the fact has none."""
    for key, value in fact.meta:
        if key == wanted:
            return value
    return ""


def ids_in(value: str) -> tuple[str, ...]:
    """Return the ids in the value of a footer, parted by commas or blanks, each once."""
    return tuple(dict.fromkeys([one for one in _parted(value) if is_fact_id(one)]))


def named(fact: Fact) -> tuple[tuple[str, str], ...]:
    """Return what a fact names, as (kind of edge, id), each once: footers first, then texts."""
    found: dict[tuple[str, str], None] = {}
    for key, value in fact.meta:
        if key in (SERVES, CONFLICTS):
            found.update(dict.fromkeys([(key, target) for target in ids_in(value)]))
    if not fact.redacted:
        for head in fact.heads:
            for target in serves_in(head.text):
                found[SERVES, target] = None
            for target in links_in(head.text):
                found[LINK, target] = None
    return tuple([edge for edge in found if edge[1] != fact.id])


def served_by(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """Return what each fact is served by, as footers say; what is false serves nothing."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        for id in () if fact.false else ids_in(footer(fact, SERVES)):
            found.setdefault(id, []).append(fact)
    return found


def served(fact: Fact) -> tuple[str, ...]:
    """Return what a fact serves, by its footer and its texts, each once; also what can be no id."""
    found = list(_parted(footer(fact, SERVES)))
    if not fact.redacted:
        found += [target for head in fact.heads for target in serves_in(head.text)]
    return tuple(dict.fromkeys(found))


def _parted(value: str) -> list[str]:
    return value.replace(",", " ").split()


def links_in(text: str) -> tuple[str, ...]:
    """Return the ids that a text links to, each once, in the order met."""
    if "[[" not in text:
        return ()
    from ledger.model.log_names import is_stem

    found: dict[str, None] = {}
    for paragraph in _paragraphs(text):
        for target in _bracketed(_without_code(paragraph)):
            if is_fact_id(target) and not is_stem(target):
                found[target] = None
    return tuple(found)


def serves_in(text: str) -> tuple[str, ...]:
    """Return the ids that lines of a text end with behind `→ serves:` (or `->`), each once, in order."""
    if _SERVES not in text:
        return ()
    found: dict[str, None] = {}
    for paragraph in _paragraphs(text):
        lines = _without_code(_bare_ids(paragraph)).split("\n")
        for number, line in enumerate(lines):
            before, said, behind = line.rpartition(_SERVES)
            if not said or not before.rstrip().endswith(_ARROWS):
                continue
            rest = lines[number + 1 : number + _WRAPPED]
            if not behind.strip() and rest:
                # the ids, or the remark behind them, go on in the next line
                behind = rest.pop(0).strip()
            ids, _, remark = behind.partition(" (")
            while remark and ")" not in remark and rest:
                remark = f"{remark} {rest.pop(0).strip()}"
            targets = [one.strip(" [].;") for one in ids.split(",")]
            if (not remark or remark.rstrip(" .")[-1:] == ")") and all(map(is_fact_id, targets)):
                found.update(dict.fromkeys(targets))
    return tuple(found)


def _bare_ids(paragraph: str) -> str:
    """Take the back-ticks off the ids behind `→ serves:`, where that is no code itself."""
    lines = paragraph.split("\n")
    ticks = 0
    for number, line in enumerate(lines):
        before, said, behind = line.rpartition(_SERVES)
        outside = not (ticks + before.count("`")) % 2
        if said and outside and before.rstrip().endswith(_ARROWS):
            ids, remark, more = behind.partition(" (")
            lines[number] = before + said + ids.replace("`", "") + remark + more
        ticks += lines[number].count("`")
    return "\n".join(lines)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield what is not fenced code, parted where a code span can not go on.

    As everywhere, a fence that is never closed hides nothing.
    """
    from ledger.codec.outline_by_lines import prose_lines

    part: list[str] = []
    for line in prose_lines(text):
        if line.strip():
            part.append(line)
        else:
            yield "\n".join(part)
            part = []
    yield "\n".join(part)


def _without_code(text: str) -> str:
    """Cut the code spans out of a paragraph: what stands between two runs of back-ticks of one length."""
    pieces = []
    while "`" in text:
        start = text.index("`")
        behind = text[start:].lstrip("`")
        run = text[start : len(text) - len(behind)]
        pieces.append(text[:start])
        close = _find_run(behind, len(run))
        if close < 0:
            pieces.append(run)
            text = behind
        else:
            pieces.append(" ")
            text = behind[close + len(run) :]
    return "".join(pieces) + text


def _find_run(text: str, length: int) -> int:
    """Return where a run of exactly so many back-ticks starts, -1 where none does."""
    start = text.find("`")
    while start >= 0:
        end = start
        while text[end : end + 1] == "`":
            end += 1
        if end - start == length:
            return start
        start = text.find("`", end)
    return -1


def _bracketed(text: str) -> Iterator[str]:
    """Yield what stands between `[[` and `]]`."""
    end = text.find("]]")
    while end >= 0:
        start = text.rfind("[[", 0, end)
        if start >= 0:
            if text[start - 1 : start] != "\\" and text[end + 2 : end + 3] != "(":
                yield text[start + 2 : end].partition("|")[0].strip()
        text = text[end + 2 :]
        end = text.find("]]")


def entity_names(fact: Fact) -> tuple[str, ...]:
    """Return the entities that a fact is about, as written, each once, in the order written."""
    return names_in(footer(fact, ENTITY_KEY))


def tags(fact: Fact) -> tuple[str, ...]:
    """Return the tags of a fact, as written, each once, in the order written."""
    return names_in(footer(fact, TAGS_KEY))


def matches_entity(fact: Fact, name: str) -> bool:
    """Tell whether a fact is about the entity of a name."""
    return _holds(footer(fact, ENTITY_KEY), name)


def matches_tag(fact: Fact, tag: str) -> bool:
    """Tell whether a fact bears a tag; compared as entities are."""
    return _holds(footer(fact, TAGS_KEY), tag)


def names_in(value: str) -> tuple[str, ...]:
    """Return the names in the value of such a footer, as written, each once, in the order written."""
    if not value:
        return ()
    names: dict[str, str] = {}
    for part in value.split(","):
        known = folded(part)
        if known:
            names.setdefault(known, " ".join(part.strip(_AROUND).split()))
    return tuple(names.values())


def folded(name: str) -> str:
    """Return the form in which names are compared; "" for what is no name."""
    name = name.casefold()
    if not name.isascii():
        from unicodedata import normalize

        name = normalize("NFKC", normalize("NFKC", name).casefold())
    bare = " ".join(name.translate(_JOINTS).split())
    return bare.lstrip(_BEFORE + _AROUND).rstrip(_AROUND)


def _holds(value: str, name: str) -> bool:
    if not value:
        return False
    wanted = folded(name)
    return bool(wanted) and any(folded(part) == wanted for part in value.split(","))
