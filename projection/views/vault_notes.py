"""Write a memory as a vault: notes that link each other, as Obsidian and its like open them.

A note a fact, with front matter and `[[id]]` links; an index of one line a fact, a note a day and a note
an entity, and the views `state`, `decisions` and `roles`. Pure: the same ledger gives the same files, byte
for byte.

Every name is safe on every file system (lower case but for the few at the top, no reserved word, no
blank), and no two notes share one, so a link has one meaning. What links to nothing that is there becomes
plain text. The notes of a role stand in `ROLES.md` alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from ledger.escape import visible
from ledger.model.ids import sha256
from ledger.model.record import Record
from ledger.model.session import ASKED_KEY
from projection.document.page_renderer import one_line
from projection.fold.fact_history import REDACTED_TEXT, Fact
from projection.fold.fact_links import entity_names, folded, tags
from projection.fold.live_view import Standing
from projection.text.clipping import clipped
from projection.views.decision_view import decisions
from projection.views.view_page import Item, Page, Section, ViewSource, told, write
from projection.views.view_table import (
    EntityPage,
    by_birth,
    daily,
    entity_pages,
    roles,
    state,
    typed,
)

#: Folders of the vault, and its notes at the top.
FACTS, DAYS, ENTITIES = FOLDERS = ("facts", "daily", "entities")
INDEX, STATE, DECISIONS, ROLES = TOP = ("MEMORY.md", "STATE.md", "DECISIONS.md", "ROLES.md")
#: The key of the front matter by which a file is known for one that was exported, and is as it was.
MARK = "diurna-export"
LINE_CHARS = 150
#: Names that some file systems keep for themselves.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *[f"{name}{n}" for name in ("com", "lpt") for n in range(10)])
)
_LINK = re.compile(r"\[\[([^\[\]|#\n]*)((?:[|#][^\[\]\n]*)?)\]\]")
_KEY = re.compile(r"[a-z_][a-z0-9_-]*")
_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_CHARS = 60


class Names(Record):
    """What the notes of facts and entities are called, without `.md`."""

    facts: Mapping[str, str]  #: by id
    entities: Mapping[tuple[str, str], str]  #: by type and folded name


def vault(source: ViewSource) -> dict[str, str]:
    """Write a vault's notes of every fact and every log: their texts by path, in the order of paths."""
    shared = source.shared()
    pages = entity_pages(source)
    names = _names([one.fact.id for one in shared], pages)
    notes = {
        INDEX: note(_index(source, shared, names)),
        STATE: note(_with_links(write(_linked(state(source), names)), names)),
        DECISIONS: note(_with_links(write(_linked(decisions(source), names)), names)),
    }
    held = roles(source)
    if any(str(line)[:2] == "- " for one in held.sections for line in one.lines):
        notes[ROLES] = note(_with_links(write(held), names))
    for one in shared:
        notes[f"{FACTS}/{names.facts[one.fact.id]}.md"] = _fact_note(one, names)
    for day in sorted({line.day for line in source.sessions}):
        text = write(_linked(daily(source, day), names))
        notes[f"{DAYS}/{day}.md"] = note(_with_links(text, names), {"date": day})
    for page in pages:
        name = names.entities[page.type, folded(page.name)]
        notes[f"{ENTITIES}/{name}.md"] = _entity_note(page, source, names)
    return dict(sorted(notes.items()))


def note(text: str, front: Mapping[str, object] | None = None) -> str:
    """Write a note: its front matter, the last of which is the mark, and its text."""
    body = visible(text.rstrip("\n") + "\n")
    lines = [f"{key}: {_yaml(value)}" for key, value in (front or {}).items()]
    return "\n".join(["---", *lines, f"{MARK}: {_sum(lines, body)}", "---", body])


def is_ours(text: str) -> bool:
    """Tell whether a file is a note that was exported, and that nobody changed since."""
    head, between, body = text.partition("\n---\n")
    first, *lines = head.split("\n")
    if first != "---" or not between or not lines:
        return False
    return lines[-1] == f"{MARK}: {_sum(lines[:-1], body)}"


def _sum(lines: Iterable[str], body: str) -> str:
    data = "\n".join([*lines, body]).encode("utf-8", "surrogatepass")
    return f'"1 {sha256(data).hexdigest()[:32]}"'


def _yaml(value: object) -> str:
    """Write a value of front matter: JSON in one line is YAML, once nothing unseen is in it."""
    if isinstance(value, tuple):
        return f"[{', '.join([_yaml(one) for one in value])}]"
    return visible(json.dumps(value, ensure_ascii=False))


def _names(facts: Iterable[str], pages: Iterable[EntityPage]) -> Names:
    """Name every note: an id as it is, where nothing stands against it."""
    taken = {name.removesuffix(".md").lower() for name in TOP}
    known: dict[str, str] = {}
    ids = set(facts)
    for id in sorted(ids):
        name = id
        is_day = len(id) == 10 and id.replace("-", "").isdigit()
        if id in taken or id.partition(".")[0] in _DEVICES or is_day:
            name = f"{id}-fact"
            while name in ids:
                name += "-fact"
        known[id] = name
    slugs: dict[tuple[str, str], str] = {}
    for page in pages:
        key = page.type, folded(page.name)
        said = f"{page.type} {key[1]}"
        slug = _SLUG.sub("-", said.lower()).strip("-")
        if slug.replace("-", " ") != said or len(slug) > _SLUG_CHARS:
            own = sha256("/".join(key).encode("utf-8", "surrogatepass")).hexdigest()[:8]
            slug = f"{slug[:_SLUG_CHARS].rstrip('-')}-{own}"
        slugs[key] = f"@{slug}"  # no id begins so
    return Names(known, slugs)


def _link(id: str, names: Names) -> str:
    """Link to a fact, if there is a note of it."""
    name = names.facts.get(id)
    if name is None:
        return f"`{id}`"
    return f"[[{name}]]" if name == id else f"[[{name}|{id}]]"


def _with_links(text: str, names: Names) -> str:
    """Let every `[[link]]` of a text lead to a note; what leads nowhere is text."""

    def turned(found: re.Match[str]) -> str:
        target, rest = found[1].strip(), found[2]
        if target not in names.facts:
            return f"\\[\\[{found[1]}{rest}\\]\\]"
        name = names.facts[target]
        alias = rest if rest[:1] == "|" else f"|{target}" if name != target else ""
        return f"[[{name}{alias}]]"

    return _LINK.sub(turned, text).replace("![[", "!\\[[") if "[[" in text else text


def _linked(page: Page, names: Names) -> Page:
    """Let the facts of a view link to their notes."""

    def line(said: Item | str) -> Item | str:
        if isinstance(said, str):
            return re.sub(r"\(?`([a-z0-9.-]+)`\)?$", lambda found: _link(found[1], names), said)
        return said._replace(footer=(), text=f"{said.text} {_link(said.id, names)}", versions=())

    sections = [
        Section(one.title, tuple([line(said) for said in one.lines]), one.level)
        for one in page.sections
    ]
    return page._replace(sections=tuple(sections))


def _index(source: ViewSource, shared: Sequence[Standing], names: Names) -> str:
    """Write the index: a line for each fact that stands in `continuity.md`, by kind; then the others."""
    policy = source.policy
    order = {kind.name: number for number, kind in enumerate(policy.kinds)}
    live = [one.fact for one in shared if one.live]
    groups = []
    for kind in sorted(
        {one.kind for one in live}, key=lambda one: (order.get(one, len(order)), one)
    ):
        facts = [fact for fact in live if fact.kind == kind]
        groups.append((one_line(policy.kind(kind).section), facts))
    groups.append(("Archive", [one.fact for one in shared if not one.live]))
    parts = [f"# Memory — {one_line(policy.project)}"]
    for title, facts in groups:
        lines = [_index_line(fact, names) for fact in sorted(facts, key=by_birth)]
        parts += ["\n".join([f"## {title}", "", *lines])] if lines else []
    return "\n\n".join(parts)


def _index_line(fact: Fact, names: Names) -> str:
    """Say a fact in a line of at most 150 characters."""
    begin = f"- {_link(fact.id, names)}"
    said = visible(_with_links(told(fact), names))
    room = LINE_CHARS - len(begin) - 3
    if room < 10:
        return begin[:LINE_CHARS]
    if len(said) > room:
        for bracket in ("[[", "]]", "\\[\\[", "\\]\\]"):  # half of one would be no link
            said = said.replace(bracket, "")
        said = clipped(said, room)
    return f"{begin} — {said}"


def _fact_note(standing: Standing, names: Names) -> str:
    fact = standing.fact
    front: dict[str, object] = {
        "id": fact.id,
        "kind": one_line(fact.kind),
        "tier": standing.tier,
        "created": fact.created,
        "last_used": fact.last_used,
        "uses": fact.uses,
        "origin": fact.origin,
    }
    if standing.reason:
        front["archived"] = standing.reason
    if fact.states:
        front["state"] = fact.state
    elif fact.closed or fact.open:
        front["closed"] = fact.closed
    if fact.id != names.facts[fact.id]:
        front["aliases"] = (fact.id,)
    front["tags"] = tags(fact)
    front["entity"] = entity_names(fact)
    for key, value in fact.meta:
        if key not in front and key not in (MARK, ASKED_KEY) and _KEY.fullmatch(key):
            front[key] = value
    parts = []
    if fact.redacted:
        parts.append(REDACTED_TEXT)
    elif len(fact.heads) > 1:
        for version in fact.versions:
            title = f"## Version {version.id}, of {version.stem}"
            parts += [title, _with_links(version.text, names)]
    else:
        parts += [_with_links(head.text, names) for head in fact.heads]
    for said, ids in (("Supersedes", fact.supersedes), ("Superseded by", fact.superseded_by)):
        if ids:
            parts.append(f"{said}: {', '.join([_link(id, names) for id in ids])}")
    about = []
    for name in entity_names(fact):
        type, rest = typed(name)
        page = names.entities.get((type, folded(rest)))
        if page is not None:
            words = re.sub(r"[\[\]|#^]", " ", one_line(name)).strip() or "?"
            about.append(f"[[{page}|{words}]]")
    if about and not fact.redacted:
        parts.append(f"About: {', '.join(about)}")
    return note("\n\n".join(parts), front)


def _entity_note(page: EntityPage, source: ViewSource, names: Names) -> str:
    parts = [f"# {one_line(page.name)}"]
    for kind in dict.fromkeys([fact.kind for fact in page.facts]):
        lines = [
            f"- {_link(fact.id, names)} — {_with_links(told(fact), names)}"
            for fact in page.facts
            if fact.kind == kind
        ]
        parts.append("\n".join([f"## {one_line(source.policy.kind(kind).section)}", "", *lines]))
    parts += [page.false_said] if page.false else []
    return note("\n\n".join(parts), {"type": page.type, "name": page.name})
