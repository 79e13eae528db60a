"""Take in a source from the command line, or all that is there: read, plan, show, ask once, write."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from ledger.environment import user_folder, variables
from ledger.errors import NotFound, WrongUsage
from ledger.home import OWN_REPOSITORY, personal_home
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE, TREE_PREFIX
from ledger.secrets.scanner import without_secrets
from memory.api import Memory
from memory.write.draft import Receipt
from rituals.answers.record_fields import fields_of
from rituals.cli.context import STDIN, Invocation
from rituals.cli.output import Line, counted
from rituals.cli.terminal.intake_text import (
    CHANGED,
    NEW,
    REFUSED,
    intake_object,
    plan_lines,
    proposal_answers,
    proposal_lines,
    wanted,
    written_lines,
)
from rituals.intake.decision_records import Records, read_records
from rituals.intake.intake_items import IntakePlan, Reading
from rituals.intake.intake_plan import apply_intake, plan_intake
from rituals.intake.proposed_items import picked, read_proposals
from rituals.intake.sources import SOURCES, Ground, Source, read_source

#: What an agent runs with what it found in documents.
PROPOSE = "diurna import items -"
#: So many rules files are named, unless all are asked for.
_READABLE = 12


def take_in(call: Invocation, source: Source, paths: tuple[str, ...], **how: bool) -> None:
    """Bring in what a source has; without paths from where it lies by default. `how` is as for `_take_in`.

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
    more = {"places": [without_secrets(place) for place in places]}
    _take_in(call, [reading], _places(places, ground), lambda each: each[0] | more, **how)


def take_in_all(call: Invocation, **how: bool) -> None:
    """Show what other tools keep of this project, and its decision records; ask once, and take it in."""
    memory, ground = call.memory(), Ground(call.project(), user_folder(), variables())
    readings: list[Reading] = []
    head: list[Line] = []
    more: dict[str, object] = {"readable": [], "propose": ""}
    for source in SOURCES:
        reading, places = read_source(source, (), ground)
        readings += [reading] if places else []
        for line in _places(places, ground):
            call.out.talk(f"{source.name}: {line}")
    if memory.home.kind != OWN_REPOSITORY:
        records = read_records(memory.home, (), call.out.progress)
        head += record_lines(records, verbose=how["verbose"])
        readings.append(records.reading)
        more = readable_object(records)
    _take_in(call, readings, head, lambda each: {"sources": each, **more}, **how)
    page = f"{ground.project}/{TREE_PREFIX}{CONTINUITY_FILE}"
    if memory.home.prefix != TREE_PREFIX and os.path.isfile(page):
        call.out.hint(f"{TREE_PREFIX} holds another ledger: `diurna import ledger .` brings it in")


def take_in_records(call: Invocation, paths: tuple[str, ...], **how: bool) -> None:
    """Bring in the decision records of the repository, or of the paths that are named."""
    named = [os.path.join(call.folder(), path) for path in paths]
    records = read_records(call.memory().home, named, call.out.progress)
    more = {**fields_of(records, "commit read"), **readable_object(records)}
    head = record_lines(records, verbose=how["verbose"])
    _take_in(call, [records.reading], head, lambda each: each[0] | more, **how)


def _take_in(
    call: Invocation,
    readings: Sequence[Reading],
    head: Iterable[Line],
    answered: Callable[[list[dict[str, Any]]], dict[str, Any]],
    *,
    write: bool,
    dry_run: bool,
    verbose: bool,
) -> None:
    """Show what readings bring, below `head`, ask once, write it, and answer with what each `answered`.

    What is personal goes to the personal home, where there is one. With `write` nobody is asked. Each is
    planned again when it is written, so that what two of them say becomes one fact.
    """
    memory, home = call.memory(), personal_home()
    own = home and Memory(home, agent=call.agent, clock=call.now_ms, lasting=False)

    def planned(reading: Reading) -> list[tuple[Memory, IntakePlan]]:
        plan = plan_intake(memory, reading)
        if own is None or not plan.personal:
            return [(memory, plan)]
        yours = plan_intake(own, Reading(plan.source, plan.personal))
        return [(memory, plan._replace(personal=())), (own, yours)]

    plans = [planned(reading) for reading in readings]
    shown = [*head]
    for where, plan in [pair for pairs in plans for pair in pairs]:
        shown += [] if where is memory else [(("in your personal home", "bold"),)]
        shown += plan_lines(plan, everything=verbose)
    news = any(plan.logs for pairs in plans for _, plan in pairs)
    strangers = any(plan.personal for pairs in plans for _, plan in pairs)
    done = wanted(call, shown, news, write=write, dry_run=dry_run)
    lines: list[Line] = [] if news else ["nothing new"]
    objects, findings = [], list[Finding]()
    for number, reading in enumerate(readings):
        told = []
        for where, plan in planned(reading) if done and number else plans[number]:
            written: list[Receipt] = []
            if done and plan.logs:
                written = apply_intake(where, plan, agent=call.agent, progress=call.out.progress)
                lines += written_lines(plan, written, where.home.branch)
                call.landed |= where is memory and any(one.commit for one in written)
            told.append(intake_object(plan, written))
            findings += [found for one in written for found in one.findings] + [*plan.findings]
        objects.append({**told[0], "yours": told[1] if len(told) > 1 else None})
    if own is not None:
        own.close()
    values = answered(objects)
    hints = {
        f"ask your agent for the skill `diurna-harvest`; it runs `{PROPOSE}`": values.get(
            "readable"
        ),
        "`diurna init --personal` makes a home for what is only yours": strangers,
        "nothing was written; --write takes it in": news and not done,
    }
    call.answer(
        {**values, "dry_run": not done}, lines, findings=tuple(findings),
        hints=[hint for hint, holds in hints.items() if holds],
    )  # fmt: skip


def record_lines(records: Records, *, verbose: bool) -> Iterator[str]:
    """Yield what was looked into, and what an agent can read."""
    yield f"read {counted(records.read, 'decision record')} at {records.commit[:7]}"
    most = len(records.readable) if verbose else _READABLE
    if records.readable:
        yield "no facts by themselves; an agent reads them and proposes some:"
    for path, size in records.readable[:most]:
        yield f"  {without_secrets(path)}  {size:,} bytes"
    if len(records.readable) > most:
        yield f"  and {len(records.readable) - most} more (-v shows them)"


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
        call.out.lines(proposal_lines(proposals, answers))
    fresh = [one for one in answers if one["state"] in (NEW, CHANGED)]
    asks = not (pick or dry_run or call.json) and call.interactive()
    numbers = ticked(call, fresh) if fresh and asks else picked(pick, len(answers))
    for one in answers:
        if one["state"] == REFUSED and one["number"] in numbers and pick.strip() != "all":
            raise WrongUsage(f"{one['number']} is refused: {one['why']}", where="--pick")
    plan, done = plan_intake(memory, proposals.reading(numbers)), list[Receipt]()
    lines: list[Line] = []
    if plan.logs and not dry_run:
        done = apply_intake(memory, plan, agent=call.agent, progress=call.out.progress)
        call.landed = any(one.commit for one in done)
        lines = [*written_lines(plan, done, memory.home.branch)]
    elif numbers and not plan.logs:
        lines = ["nothing new"]
    hint = "nothing was written; --write takes it in" if plan.logs else ""
    if not done and not numbers:
        first = f"`--pick {fresh[0]['number']}` records that one, `--pick all` all" if fresh else ""
        hint = f"nothing was recorded; {first or 'nothing is new'}"
    said = {"commit": proposals.commit, "items": answers, **intake_object(plan, done)}
    findings = (*[found for one in done for found in one.findings], *plan.findings)
    call.answer(
        {**said, "dry_run": not done}, lines, findings=findings, hints=() if done else (hint,)
    )


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


def _places(places: Sequence[str], ground: Ground) -> list[str]:
    """Say which places are read, as a person reads them: from the project or the user's folder on."""
    shown = []
    for place in places:
        if place.startswith(ground.project + "/"):
            place = place[len(ground.project) + 1 :]
        elif place.startswith(ground.user + "/"):
            place = place.replace(ground.user, "~", 1)
        shown.append(f"reads {without_secrets(place)}")
    return shown
