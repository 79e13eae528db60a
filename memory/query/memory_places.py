"""Find where a memory stands: the home that its id names, its line in the pages, a log."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ledger.codec.fact_blocks import is_footer, parse_footer
from ledger.errors import NotFound, WrongUsage
from ledger.home import PERSONAL, personal_home
from ledger.model.layout import CONTINUITY_FILE, MIRROR_DIR, archive_page
from ledger.model.order import is_stem
from ledger.model.record import Record
from memory.cache.name_lookup import log_named
from memory.query.reader import Reader
from memory.recall.recall_values import parted
from memory.replay.upstream_homes import upstreams
from projection.fold.projection_state import Standing

_UNPUBLISHED = "it is not published here yet"


class Place(Record):
    """A line of a file; `file` is absolute, `line` counts from 1, `log` tells that it is a session log."""

    file: str
    line: int = 1
    log: bool = False


def place_of(reader: Reader, what: str) -> Place:
    """Find the place of a fact by its id, of a log by the start of its stem or `STEM:LINE`, else the page.

    Raises:
        NotFound: there is no such fact or log, or no file of the work tree has it.
    """
    stem, _, line = what.partition(":")
    if is_stem(stem):
        place = Place(_log_file(reader, stem), int(line) if line.isdecimal() else 1, True)
        hint = f"`diurna log {stem}` tells in short what it says"
        return _there(place, "the home is not checked out here", hint)
    if not what:
        hint = "`diurna show` prints what holds"
        return _there(Place(_file(reader, CONTINUITY_FILE)), _UNPUBLISHED, hint)
    return _place_in(reader, reader.standing(what))


def _place_in(reader: Reader, found: Standing) -> Place:
    """Find the block of a fact in the file that shows it."""
    name = CONTINUITY_FILE if found.live else archive_page(found.quarter)
    place = Place(_file(reader, name))
    hint = f"`diurna show {found.fact.id}` prints the fact"
    _there(place, _UNPUBLISHED, hint)
    with open(place.file, encoding="utf-8", errors="replace") as file:
        lines = file.read().split("\n")
    start = 1
    for number, line in enumerate(lines, 1):
        if line[:2] == "- ":
            start = number
        text = line.strip()
        footer = parse_footer(text) if is_footer(text) else None
        if footer is not None and footer[0] == found.fact.id:
            return place._replace(line=start)
    raise NotFound(f"{name} does not show {found.fact.id} yet", where=place.file, hint=hint)


def _file(reader: Reader, name: str) -> str:
    home = reader.home
    folder = home.folder if home.checked_out else f"{home.repository.top}/{MIRROR_DIR}"
    return os.path.join(folder, name)


def _log_file(reader: Reader, start: str) -> str:
    path = reader.snapshot.ask(lambda cache: log_named(cache, start)).path
    return _file(reader, path)


def _there(place: Place, because: str, hint: str) -> Place:
    if not os.path.isfile(place.file):
        raise NotFound(f"there is no file {place.file}: {because}", hint=hint)
    return place


def holding(reader: Reader, ids: Sequence[str]) -> tuple[Reader, tuple[str, ...], str]:
    """Return the home that holds facts, their ids there, and its name; "" for the one that is open.

    Ids are as they are shown: `ID`, or `NAME/ID` of a home beside it.

    Raises:
        WrongUsage: they are of several homes.
        NotFound: there is no home of that name.
    """
    found = [parted(one) for one in ids]
    names = {name for name, _ in found}
    if not any(names):
        return reader, tuple(ids), ""
    if len(names) > 1:
        raise WrongUsage(
            "these are facts of several homes", hint="ask for those of each by themselves"
        )
    (name,) = names
    if name == PERSONAL:
        home = personal_home()
    else:
        policy = reader.snapshot.cache().policy
        home = next((one.home for one in upstreams(reader.home, policy) if one.name == name), None)
    if home is None:
        hint = "`[upstream]` of the policy names homes of others, and `diurna sync` fetches them"
        raise NotFound(f"there is no home {name} here", hint=hint)
    return Reader(home), tuple([rest for _, rest in found]), name
