"""Take in a source from the command line, or all that is there: read, plan, show, ask once, write."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ledger.environment import user_folder, variables
from ledger.errors import NotFound, WrongUsage
from ledger.home import OWN_REPOSITORY, personal_home
from ledger.model.layout import CONTINUITY_FILE, TREE_PREFIX
from ledger.secrets.scanner import without_secrets
from memory.api import Memory
from rituals.cli.context import STDIN, Invocation
from rituals.cli.output import counted
from rituals.cli.terminal.intake_text import (
    CHANGED,
    NEW,
    REFUSED,
    intake_object,
    proposal_answers,
    show_plan,
    show_proposals,
    show_written,
    wanted,
)
from rituals.intake.decision_records import Records, read_records
from rituals.intake.intake_items import Applied, IntakePlan, Reading
from rituals.intake.intake_plan import apply_intake, plan_intake
from rituals.intake.proposed_items import picked, read_proposals
from rituals.intake.sources import SOURCES, Ground, Source, read_source

#: What an agent runs with what it found in documents.
PROPOSE = "diurna import items -"
#: So many rules files are named, unless all are asked for.
_READABLE = 12


class Intake:
    """What a reading brings to the home, and to the personal home where there is one.

    Args:
        call: the invocation.
        plan: of what the source has.
    """

    def __init__(self, call: Invocation, plan: IntakePlan) -> None:
        self._call = call
        memory = call.memory()
        self._plans = [(memory, plan)]
        home = personal_home() if plan.personal else None
        if home is not None:
            own = Memory(home, agent=call.agent, clock=call.now_ms, lasting=False)
            yours = Reading(plan.source, plan.personal)
            self._plans = [(memory, plan._replace(personal=())), (own, plan_intake(own, yours))]
        self._done: list[Applied | None] = [None for _ in self._plans]

    def show(self, *, verbose: bool) -> None:
        """Print what would be written."""
        for number, (_, plan) in enumerate(self._plans):
            if number:
                self._call.out.line(("in your personal home", "bold"))
            show_plan(plan, self._call.out, everything=verbose)

    def take_in(self, *, write: bool, dry_run: bool) -> None:
        """Write all of it where that is wanted."""
        call = self._call
        if wanted(call, self.news, write=write, dry_run=dry_run):
            progress = call.out.progress
            self._done = [
                apply_intake(memory, plan, agent=call.agent, progress=progress)
                if plan.logs
                else None
                for memory, plan in self._plans
            ]
        call.landed = bool(self._done[0] and self._done[0].commits)

    @property
    def news(self) -> bool:
        """Whether there is something to write."""
        return any(plan.logs for _, plan in self._plans)

    def told(self) -> dict[str, object]:
        """Describe what is planned, and what was written of it."""
        said = [
            intake_object(plan, done)
            for (_, plan), done in zip(self._plans, self._done, strict=True)
        ]
        return {**said[0], "yours": said[1] if len(said) > 1 else None}

    def tell(self, **more: object) -> None:
        """Say what was written; in JSON also what was planned, and `more`."""
        out, pairs = self._call.out, list(zip(self._plans, self._done, strict=True))
        if self._call.json:
            out.answer({**self.told(), **more, "dry_run": not any(self._done)})
        for (memory, plan), done in pairs:
            if not self._call.json and (plan.logs or len(pairs) == 1):
                show_written(plan, done, out, memory.home.branch)
            out.findings(plan.findings)
        for (memory, _), _ in pairs[1:]:
            memory.close()


def take_in(
    call: Invocation,
    source: Source,
    paths: tuple[str, ...],
    *,
    write: bool,
    dry_run: bool,
    verbose: bool,
) -> None:
    """Bring in what a source has; without paths from where it lies by default, with `write` unasked.

    Raises:
        NotFound: nothing lies there.
    """
    ground = Ground(call.project(), user_folder(), variables())
    reading, places = read_source(source, _named(call, source.module, paths), ground)
    if not places:
        raise NotFound(
            f"there is nothing of {source.name} for this project",
            where=source.lies,
            hint=f"name what is to be read: diurna import {source.name} PATH",
        )
    intake = Intake(call, plan_intake(call.memory(), reading))
    if not call.json:
        for place in places:
            call.out.line(f"reads {without_secrets(shown_place(place, ground))}")
        intake.show(verbose=verbose)
    intake.take_in(write=write, dry_run=dry_run)
    intake.tell(places=[without_secrets(place) for place in places])


def take_in_all(call: Invocation, *, write: bool, dry_run: bool, verbose: bool) -> None:
    """Show what other tools keep of this project, and its decision records; ask once, and take it in.

    Each part is planned again when it is written, so that what two of them say becomes one fact.
    """
    memory, out = call.memory(), call.out
    ground = Ground(call.project(), user_folder(), variables())
    readings: list[Reading] = []
    readable: dict[str, object] = {"readable": [], "propose": ""}
    for source in SOURCES:
        places = source.reader().places(ground)
        if places:
            readings.append(read_source(source, places, ground)[0])
            for place in places:
                said = without_secrets(shown_place(place, ground))
                out.talk(f"{source.name}: reads {said}")
    if memory.home.kind != OWN_REPOSITORY:
        records = read_records(memory.home, (), out.progress)
        if not call.json:
            tell_records(call, records, verbose=verbose)
        readings.append(records.reading)
        readable = readable_object(records)

    def planned(reading: Reading) -> Intake:
        return Intake(call, plan_intake(memory, reading))

    parts = [planned(reading) for reading in readings]
    for one in parts:
        if not call.json:
            one.show(verbose=verbose)
    done = wanted(call, any(one.news for one in parts), write=write, dry_run=dry_run)
    for number, reading in enumerate(readings if done else []):
        parts[number] = planned(reading)
        parts[number].take_in(write=True, dry_run=False)
    if call.json:
        told: dict[str, object] = {"sources": [one.told() for one in parts], "dry_run": not done}
        out.answer({**told, **readable})
    else:
        for one in parts:
            one.tell()
    page = f"{ground.project}/{TREE_PREFIX}{CONTINUITY_FILE}"
    if memory.home.prefix != TREE_PREFIX and os.path.isfile(page):
        out.hint(f"{TREE_PREFIX} holds another ledger: `diurna import ledger .` brings it in")


def take_in_records(
    call: Invocation, paths: tuple[str, ...], *, write: bool, dry_run: bool, verbose: bool
) -> None:
    """Bring in the decision records of the repository, or of the paths that are named."""
    named = [os.path.join(call.folder(), path) for path in paths]
    memory = call.memory()
    records = read_records(memory.home, named, call.out.progress)
    intake = Intake(call, plan_intake(memory, records.reading))
    if not call.json:
        tell_records(call, records, verbose=verbose)
        intake.show(verbose=verbose)
    intake.take_in(write=write, dry_run=dry_run)
    intake.tell(commit=records.commit, read=records.read, **readable_object(records))


def tell_records(call: Invocation, records: Records, *, verbose: bool) -> None:
    """Say what was looked into, and what an agent can read."""
    looked = counted(records.read, "decision record")
    call.out.line(f"read {looked} at {records.commit[:7]}")
    most = len(records.readable) if verbose else _READABLE
    if records.readable:
        call.out.line("no facts by themselves; an agent reads them and proposes some:")
    for path, size in records.readable[:most]:
        call.out.line(f"  {without_secrets(path)}  {size:,} bytes")
    if len(records.readable) > most:
        call.out.line(f"  and {len(records.readable) - most} more (-v shows them)")
    if records.readable:
        call.out.hint(f"ask your agent for the skill `diurna-harvest`; it runs `{PROPOSE}`")


def readable_object(records: Records) -> dict[str, object]:
    """Describe what an agent can read."""
    files = [{"path": without_secrets(path), "bytes": size} for path, size in records.readable]
    return {"readable": files, "propose": PROPOSE if files else ""}


def take_in_items(
    call: Invocation, paths: tuple[str, ...], pick: str, *, write: bool, dry_run: bool
) -> None:
    """Check what an agent proposes, show all of it with numbers, and record what a person picks.

    Raises:
        WrongUsage: nothing says what is proposed, or what is picked is refused.
    """
    if not paths:
        raise WrongUsage("it takes a FILE, or - for standard input", where="import items")
    if write and not pick:
        raise WrongUsage("which of them? --pick 1,3-7, or --pick all", where="import items")
    (file,) = _named(call, "jsonl", paths[:1])
    memory = call.memory()
    named = [os.path.join(call.folder(), path) for path in paths[1:]]
    proposals = read_proposals(memory.home, file, named)
    answers = proposal_answers(proposals, plan_intake(memory, proposals.reading()))
    if not call.json:
        show_proposals(proposals, answers, call.out)
    fresh = [one for one in answers if one["state"] in (NEW, CHANGED)]
    asks = not (pick or dry_run or call.json) and call.interactive()
    numbers = ticked(call, fresh) if fresh and asks else picked(pick, len(answers))
    for one in answers:
        if one["state"] == REFUSED and one["number"] in numbers and pick.strip() != "all":
            raise WrongUsage(f"{one['number']} is refused: {one['why']}", where="--pick")
    plan, done = plan_intake(memory, proposals.reading(numbers)), None
    if plan.logs and not dry_run:
        done = apply_intake(memory, plan, agent=call.agent, progress=call.out.progress)
        call.landed = bool(done.commits)
    if call.json:
        said = {"commit": proposals.commit, "items": answers, **intake_object(plan, done)}
        call.out.answer({**said, "dry_run": done is None})
    elif done is None and not numbers:
        first = f"`--pick {fresh[0]['number']}` records that one, `--pick all` all" if fresh else ""
        call.out.hint(f"nothing was recorded; {first or 'nothing is new'}")
    else:
        show_written(plan, done, call.out, memory.home.branch)
    call.out.findings(plan.findings)


def ticked(call: Invocation, fresh: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """Let a person tick proposals, and take ticks away again, until Enter; return their numbers."""
    numbers, most = set[int](), max(one["number"] for one in fresh)
    asked = "tick 1,3-7 or all; Enter records what is ticked"
    while said := str(click.prompt(asked, "", show_default=False, err=True)):
        try:
            numbers ^= {one["number"] for one in fresh} & {*picked(said, most)}
        except NotFound as problem:
            call.out.talk(problem.message)
        for one in fresh:
            box = "x" if one["number"] in numbers else " "
            call.out.line(f"  [{box}] {one['number']}  {one['id']}")
    return tuple(sorted(numbers))


def _named(call: Invocation, module: str, paths: tuple[str, ...]) -> list[str]:
    """Return the paths that were named, from the root on; behind a `#` may stand a part of the place."""
    if module == "jsonl" and paths == (STDIN,):
        return [STDIN]
    found = [os.path.abspath(os.path.join(call.folder(), path)) for path in paths]
    for path, name in zip(found, paths, strict=True):
        if not os.path.exists(path) and not os.path.isfile(path.rpartition("#")[0]):
            raise NotFound("there is no such file or folder", where=name)
    return found


def shown_place(place: str, ground: Ground) -> str:
    """Write a place as a person reads it: from the project or the user's folder on."""
    if place.startswith(ground.project + "/"):
        return place[len(ground.project) + 1 :]
    ours = place.startswith(ground.user + "/")
    return place.replace(ground.user, "~", 1) if ours else place
