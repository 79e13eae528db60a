"""Take in all that is there: what other tools keep of this project, and what its documents say.

What agents read by themselves is named and not copied. It is shown as one plan and asked for once; each
part is planned again when it is written, so that what two of them say becomes one fact.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from ledger.environment import user_folder, variables
from ledger.home import OWN_REPOSITORY
from ledger.secrets.scanner import without_secrets
from rituals.cli.context import Invocation
from rituals.cli.intake_input import Intake, shown_place
from rituals.cli.terminal.intake_text import of_documents, show_documents, wanted
from rituals.intake.adopt.adopted_files import CONTINUITY, FOLDER
from rituals.intake.harvest.document_choice import is_rules_file
from rituals.intake.harvest.harvest_plan import plan_harvest
from rituals.intake.intake_items import Reading
from rituals.intake.intake_plan import plan_intake
from rituals.intake.sources.source_table import SOURCES, Ground, read_source


def take_in_all(call: Invocation, *, write: bool, dry_run: bool, verbose: bool) -> None:
    """Show what there is, ask once unless `write` is set, and take it in."""
    memory, out = call.memory(), call.out
    ground = Ground(call.project(), user_folder(), variables())
    parts: list[Callable[[], Intake]] = []
    documents: list[dict[str, object]] = []
    for source in SOURCES:
        here = source.reader().places(ground)
        places = [one for one in here if not is_rules_file(one)]
        if places:
            reading, _ = read_source(source, places, ground)
            parts.append(partial(_of_source, call, reading))
            for place in places:
                said = without_secrets(shown_place(place, ground))
                out.talk(f"{source.name}: reads {said}")
    if memory.home.kind != OWN_REPOSITORY:
        found = plan_harvest(memory, progress=out.progress)
        documents = of_documents(found.harvest, found.intake)
        out.talk(f"documents: {found.harvest.read} of {found.harvest.documents} read")
        if found.harvest.since:
            out.talk(f"the others are as they were at {found.harvest.since[:7]}, and known")
        if not call.json:
            show_documents(documents, out, verbose)
        parts.append(lambda: Intake(call, plan_harvest(memory).intake))
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
        told = [one.told() for one in planned]
        out.answer({"sources": told, "documents": documents, "dry_run": not done})
    else:
        for one in planned:
            one.tell(())
    if memory.home.prefix != f"{FOLDER}/" and os.path.isfile(
        f"{ground.project}/{FOLDER}/{CONTINUITY}"
    ):
        out.hint(
            f"{FOLDER}/ holds a ledger of another tool: `diurna import ledger .` takes it over"
        )


def _of_source(call: Invocation, reading: Reading) -> Intake:
    return Intake(call, plan_intake(call.memory(), reading, progress=call.out.progress))
