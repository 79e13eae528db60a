"""Take in all that is there: what other tools keep of this project, and its decision records.

What agents read by themselves is named and not copied. It is shown as one plan and asked for once; each
part is planned again when it is written, so that what two of them say becomes one fact.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from ledger.environment import user_folder, variables
from ledger.home import OWN_REPOSITORY
from ledger.model.layout import CONTINUITY_FILE, TREE_PREFIX
from ledger.secrets.scanner import without_secrets
from rituals.cli.context import Invocation
from rituals.cli.intake_input import Intake, shown_place, tell_records
from rituals.cli.terminal.intake_text import wanted
from rituals.intake.decision_records import read_records
from rituals.intake.intake_items import Reading
from rituals.intake.intake_plan import plan_intake
from rituals.intake.sources import SOURCES, Ground, read_source


def take_in_all(call: Invocation, *, write: bool, dry_run: bool, verbose: bool) -> None:
    """Show what there is, ask once unless `write` is set, and take it in."""
    memory, out = call.memory(), call.out
    ground = Ground(call.project(), user_folder(), variables())
    parts: list[Callable[[], Intake]] = []
    for source in SOURCES:
        places = source.reader().places(ground)
        if places:
            reading, _ = read_source(source, places, ground)
            parts.append(partial(_of_source, call, reading))
            for place in places:
                said = without_secrets(shown_place(place, ground))
                out.talk(f"{source.name}: reads {said}")
    if memory.home.kind != OWN_REPOSITORY:
        records = read_records(memory.home, (), out.progress)
        if not call.json:
            tell_records(call, records)
        parts.append(partial(_of_source, call, records.reading))
    planned = [part() for part in parts]
    for one in planned:
        if not call.json:
            one.show(verbose=verbose)
    done = wanted(call, any(one.news for one in planned), write=write, dry_run=dry_run)
    if done:
        for number, part in enumerate(parts):
            planned[number] = part()
            planned[number].take_in(write=True, dry_run=False)
    if call.json:
        out.answer({"sources": [one.told() for one in planned], "dry_run": not done})
    else:
        for one in planned:
            one.tell()
    if memory.home.prefix != TREE_PREFIX and os.path.isfile(
        f"{ground.project}/{TREE_PREFIX}{CONTINUITY_FILE}"
    ):
        out.hint(f"{TREE_PREFIX} holds another ledger: `diurna import ledger .` brings it in")


def _of_source(call: Invocation, reading: Reading) -> Intake:
    return Intake(call, plan_intake(call.memory(), reading, progress=call.out.progress))
