"""Run `diurna import`: bring in what another tool, a decision record or another home has."""

from __future__ import annotations

import os
from typing import Any

from ledger.environment import user_folder, variables
from ledger.errors import NotFound, WrongUsage
from ledger.home import OWN_REPOSITORY
from ledger.model.layout import CONTINUITY_FILE, TREE_PREFIX
from ledger.secrets.scanner import without_secrets
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import STDIN, Invocation
from rituals.cli.intake import PROPOSE, records_read, take, take_items
from rituals.cli.operation import DRY_RUN, option, word
from rituals.cli.output import counted
from rituals.intake.decision_records import read_records
from rituals.intake.sources import SOURCES, Ground, Source, read_source

DOCS, EVENTS, ITEMS, LEDGER = "docs", "events", "items", "ledger"
_DOES = {
    DOCS: "the repository's decision records: MADR, Nygard, log4brains",
    ITEMS: "what an agent proposes of documents, with the words and the line",
    LEDGER: "the memory folder of a tool with the same format: logs and pages",
    **{one.name: one.does for one in SOURCES},
}
NAMES = (*_DOES, EVENTS)
_WIDTH = max(map(len, NAMES))


def import_(
    call: Invocation, *,
    source: str = word("[SOURCE|PATH]", offers=NAMES), paths: tuple[str, ...] = word("[PATH]..."),
    write: bool = option("Take it in without asking.", spelled="--write --yes"),
    pick: str = option("With items: which of them to record, 1,3-7 or all.", "NUMBERS"),
    verbose: bool = option("Show all of it, and each thing that is left out.", spelled="-v --verbose"),
    dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Bring in what another tool remembers, or (`events`) what another home exported.

    What memory knows already is counted, and what changed in the tool updates its fact. Dates and authors
    come along, secrets do not, and what is about you only into your personal home (`--home personal`).
    Without SOURCE it looks for everything, decision records too; without PATH it looks in this project,
    and where the tool keeps data of this project, and says where. On a terminal it shows the plan and
    asks once; elsewhere it only shows it, and --write takes it in.

    Of a decision record of HEAD that is accepted, title and decision come, as they stand, with `source:
    path:line@commit`; a record that supersedes another does so here. Rules files and prose become no
    facts by themselves: `diurna import` names them, and an agent with the skill `diurna-harvest` reads
    them and proposes items. `items -` takes these, an object a line: `quote`, `source` (FILE:LINE), and
    `text`, `kind`, `id`. The words have to stand there in HEAD; every heading and lead-in above them is
    put before the text. All are shown with numbers, and --pick says which are recorded.

    `ledger DIR` reads the memory folder of another tool that writes session logs in this format. They
    stay as they are; one log brings what its pages say: texts, footers, and what is no fact as text.
    Where there is no home yet, the folder becomes one.

    Examples:
      diurna import
      diurna import claude
      diurna import docs docs/adr
      diurna import items proposed.jsonl --pick 1,3-7
      diurna import jsonl facts.jsonl --write
      diurna import ledger . --write
      ssh other diurna --home work/api export events | diurna import events -
    """
    if pick and source != ITEMS:
        hint = "diurna import items - --pick 1,3-7"
        raise WrongUsage("--pick chooses among what is proposed", hint=hint)
    if source not in ("", *NAMES) and not os.path.exists(os.path.join(call.folder(), source)):
        piped = "`… | diurna import jsonl -` takes in what another tool keeps (the page MOVING.md)"
        raise WrongUsage(
            f"`{source}` is no path here, and no source ({', '.join(NAMES)})", hint=piped
        )
    if source in (EVENTS, LEDGER) and len(paths) != 1:
        raise WrongUsage("it takes one place, for events - too", where=f"import {source}")
    if source == EVENTS:
        return _import_events(call, paths[0], dry_run=dry_run)
    if source == LEDGER:
        from rituals.cli.commands.import_ledger import import_ledger

        return import_ledger(call, paths[0], write=write, dry_run=dry_run, verbose=verbose)
    if source == ITEMS:
        if not paths:
            raise WrongUsage("it takes a FILE, or - for standard input", where="import items")
        (file,) = _named(call, None, paths[:1])
        return take_items(call, file, paths[1:], pick, write=write, dry_run=dry_run)
    memory, ground = call.memory(), Ground(call.project(), user_folder(), variables())
    known = [one for one in SOURCES if one.name == source]
    readings, head, more = [], list[str](), dict[str, Any]()
    for one in known if source else SOURCES:
        reading, places = read_source(one, _named(call, one, paths), ground)
        named = [f"reads {_short(place, ground)}" for place in places]
        if source and not places:
            hint = f"name what is to be read: diurna import {one.name} PATH"
            said = f"there is nothing of {one.name} for this project"
            raise NotFound(said, where=one.lies, hint=hint)
        if source:
            head, more = named, {"places": list(map(without_secrets, places))}
        for line in () if source else named:
            call.out.talk(f"{one.name}: {line}")
        readings += [reading] if places else []
    if not known and (source or memory.home.kind != OWN_REPOSITORY):
        paths = paths if source in ("", DOCS) else (source, *paths)
        folders = [os.path.join(call.folder(), path) for path in paths]
        records = read_records(memory.home, folders, call.out.progress)
        readings.append(records.reading)
        files = [{"path": without_secrets(path), "bytes": size} for path, size in records.readable]
        more = {"readable": files, "propose": PROPOSE if files else ""}
        more |= fields_of(records, "commit read") if source else {}
        head += records_read(records, verbose)
    elif not source:
        more = {"readable": [], "propose": ""}
    told = {**more, "=head": head}
    take(call, readings, told, bool(source), verbose, yes=write, dry_run=dry_run)
    page = f"{ground.project}/{TREE_PREFIX}{CONTINUITY_FILE}"
    if not source and memory.home.prefix != TREE_PREFIX and os.path.isfile(page):
        call.out.hint(f"{TREE_PREFIX} holds another ledger: `diurna import ledger .` brings it in")


import_.__doc__ = "\n      ".join([
    f"{(import_.__doc__ or '').rstrip()}\n\n    Sources:",
    *[f"{name:<{_WIDTH}}  {does}" for name, does in _DOES.items()],
    f"{'PATH':<{_WIDTH}}  a decision record or a folder of them, whatever it is called",
])  # fmt: skip


def _named(call: Invocation, source: Source | None, paths: tuple[str, ...]) -> list[str]:
    """Return the paths that were named, from the root on; behind a `#` may stand a part of the place."""
    if paths == (STDIN,) and (source is None or source.module == "jsonl"):
        return [STDIN]
    found = [os.path.abspath(os.path.join(call.folder(), path)) for path in paths]
    for path, name in zip(found, paths, strict=True):
        if not os.path.exists(path) and not os.path.isfile(path.rpartition("#")[0]):
            raise NotFound("there is no such file or folder", where=name)
    return found


def _short(place: str, ground: Ground) -> str:
    """Write a place as a person reads it: from the project or the user's folder on."""
    if place.startswith(ground.user + "/") and not place.startswith(ground.project + "/"):
        place = place.replace(ground.user, "~", 1)
    return without_secrets(place.removeprefix(ground.project + "/"))


def _import_events(call: Invocation, file: str, *, dry_run: bool) -> None:
    """Bring in a file of events, or standard input."""
    from rituals.report.events_import import apply_arrival, plan_arrival

    memory, name = call.memory(), "standard input" if file == STDIN else file
    hint = "name a file that `diurna export events > FILE` wrote, or - for standard input"
    progress = call.out.progress
    found = call.reading(file, lambda lines: plan_arrival(memory, lines, name, progress), hint)
    if not dry_run:
        found = apply_arrival(memory, found)
    logs, verb = counted(len(found.new), "log"), "would be imported" if dry_run else "imported"
    here = found.logs - len(found.new) - len(found.left_out)
    there = f", {here} are here already" * (here > 0)
    there += f", {len(found.left_out)} left out" * bool(found.left_out)
    line = f"{logs} {verb} from {found.project or name}{there}"
    said = fields_of(found, "project logs redacted left_out commits")
    values = {**said, "new": [one.path for one in found.new], "dry_run": dry_run}
    call.answer(values, [line], findings=found.left_out)
