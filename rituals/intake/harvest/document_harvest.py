"""Read what a repository's documents say at a commit: all, or those that changed since the last time.

Everything is read from git, never from the work tree, so `path:line@commit` is true. Nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from ledger.git.code_history import Code
from ledger.model.record import Record
from rituals.intake.harvest.decision_records import SUPERSEDED, Decision
from rituals.intake.harvest.document_choice import (
    FILE,
    LIMIT_BYTES,
    is_rules_file,
    marked_among,
    own_documents,
)
from rituals.intake.harvest.document_reader import SOURCE, Found, key_of, read_found
from rituals.intake.harvest.outdated_passages import Changed, Sourced, changed_passages
from rituals.intake.intake_items import Item, LeftOut, Reading

#: Best first: past the budget the rest waits.
_RANK = {"decision": 0, "invariant": 1, "convention": 2, "thread": 3}
_NOTHING = "it states no decision, no rule and nothing open"
_FOR_AGENTS = "agents read it by themselves, and recall finds it"
#: More documents than this are not read in one run.
_MOST_DOCUMENTS = 20_000
#: So many are in memory at once.
_AT_ONCE = 500


class Known(Record):
    """A fact that an earlier harvest brought: where it came from, and what the passage was called."""

    fact: Sourced
    key: str


class Harvest(Record):
    """What one reading of a repository brought."""

    commit: str  #: that was read
    since: str  #: the commit of the last harvest, "" where all was read
    documents: int  #: how many documents there are
    read: int  #: how many of them were read
    reading: Reading  #: the items, best first
    changed: tuple[Changed, ...] = ()  #: facts of memory whose passages no longer stand
    paths: tuple[str, ...] = ()  #: of those that were read


def read_harvest(
    code: Code,
    *,
    since: str = "",
    under: Sequence[str] = (),
    known: Sequence[Known] = (),
    again: Collection[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Harvest:
    """Read the documents of a repository.

    Args:
        code: the repository, at a commit.
        since: the commit that the last harvest read; "" for none.
        under: files and folders to look at, from its top; all of them are read then. None: everywhere.
        known: the facts of earlier harvests.
        again: documents that are read though they are as they were.
        progress: told how many documents are read, and of how many.
    """
    inside = tuple([f"{path.rstrip('/')}/" if path else "" for path in under])
    documents = [
        one
        for one in _documents(code, under)
        if not under or one[0] in under or one[0].startswith(inside)
    ]
    touched = code.changed_since(since) if since and not under else None
    anew = None if touched is None else {*touched, *again}
    wanted = [one for one in documents if anew is None or one[0] in anew]
    left_out: list[LeftOut] = []
    sizes = code.sizes([blob for _, blob, _ in wanted])
    for path, blob, _ in wanted:
        if sizes[blob] > LIMIT_BYTES:
            left_out.append(LeftOut(path, f"larger than {LIMIT_BYTES // 1024} KB"))
    wanted = [one for one in wanted if sizes[one[1]] <= LIMIT_BYTES]
    for path, _, _ in wanted[_MOST_DOCUMENTS:]:
        left_out.append(LeftOut(path, f"past the first {_MOST_DOCUMENTS} documents"))
    wanted = wanted[:_MOST_DOCUMENTS]
    founds: list[Found] = []
    for at in range(0, len(wanted), _AT_ONCE):
        data = code.contents([blob for _, blob, _ in wanted[at : at + _AT_ONCE]])
        for path, blob, kind in wanted[at : at + _AT_ONCE]:
            sure = path in under
            founds.append(read_found(path, kind, data.get(blob, b""), code.commit, named=sure))
            if progress is not None:
                progress(len(founds), len(wanted))
    items, superseded = _linked(founds)
    changed = changed_passages([one.fact for one in known], code)
    taken = _best_first(items, changed, {one.fact.id: one.key for one in known})
    left_out += [left for one in founds for left in one.left_out]
    left_out += [LeftOut(one.path, _NOTHING) for one in founds if not (one.items or one.left_out)]
    if not under:
        agents = sorted([path for path in code.files() if is_rules_file(path)])
        left_out += [LeftOut(path, _FOR_AGENTS) for path in agents]
    whole = touched is None and not under
    reading = Reading(SOURCE, taken, (*left_out, *superseded), whole)
    read = tuple([path for path, _, _ in wanted])
    since = since if touched is not None else ""
    return Harvest(code.commit, since, len(documents), len(read), reading, tuple(changed), read)


def _documents(code: Code, named: Collection[str]) -> list[tuple[str, str, str]]:
    """Return (path, blob, what it can be) of the repository's own documents."""
    files = code.files()
    attributes = {path: blob for path, blob in files.items() if path.rpartition("/")[2] == FILE}
    data = code.contents(list(attributes.values()))
    marks = {path: data.get(blob, b"") for path, blob in attributes.items()}
    documents = own_documents(files, named)
    foreign = marked_among(marks, [path for path, _, _ in documents]) - set(named)
    return [one for one in documents if one[0] not in foreign]


def _linked(founds: Sequence[Found]) -> tuple[list[Item], list[LeftOut]]:
    """Say of each decision which others it takes the place of; leave those out that it does."""
    records: dict[str, tuple[Found, Decision]] = {}
    keys: dict[tuple[str, str], str] = {}
    for found in founds:
        for decision in found.decisions:
            key = key_of(found.path, decision.name)
            records[key] = (found, decision)
            folder, _, file = found.path.rpartition("/")
            number = re.search(r"\d{1,5}", decision.name or file)
            if not decision.name:
                keys.setdefault((folder, file), key)
            if number:
                keys.setdefault((folder, str(int(number[0]))), key)
    replaces: dict[str, list[str]] = {}
    for key, (found, decision) in records.items():
        folder = found.path.rpartition("/")[0]
        for name in decision.takes:
            other = keys.get((folder, name), "")
            if other not in ("", key):
                replaces.setdefault(key, []).append(other)
        if decision.state == SUPERSEDED:
            for name in decision.taken[:1]:
                successor = keys.get((folder, name), "")
                if successor not in ("", key):
                    replaces.setdefault(successor, []).append(key)
    gone = {other for some in replaces.values() for other in some}
    items, left_out = [], []
    for found in founds:
        for item in found.items:
            if item.key in gone:
                place = item.place.rpartition("@")[0]
                left_out.append(LeftOut(place, "a decision that is superseded"))
                continue
            others = tuple(dict.fromkeys(replaces.get(item.key, ())))
            items.append(item._replace(replaces=others) if others else item)
    return items, left_out


def _best_first(
    items: Sequence[Item], changed: Collection[Changed], keys: Mapping[str, str]
) -> tuple[Item, ...]:
    """Put items into the order in which a budget takes them; each text once.

    What stands in the place of a known passage is no new fact: it has that one's key.
    """
    instead = {(one.path, one.now): keys[one.fact.id] for one in changed if one.now}
    once: dict[str, Item] = {}
    for item in sorted(items, key=lambda item: (_RANK.get(item.kind, 9), _path(item))):
        kept = item._replace(key=instead.get((_path(item), item.text), item.key))
        once.setdefault(" ".join(item.text.lower().split()), kept)
    return tuple(once.values())


def _path(item: Item) -> str:
    return item.place.rpartition("@")[0].rpartition(":")[0]
