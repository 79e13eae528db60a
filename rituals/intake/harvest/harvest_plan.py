"""Plan a harvest: which repository and which documents, and what memory makes of what they say."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ledger.codec.log import read_header
from ledger.errors import NotFound, WrongUsage
from ledger.git.code_history import Code
from ledger.git.repository import find_repository
from ledger.home import OWN_REPOSITORY, Home
from ledger.model.record import Record
from memory.api import Memory
from projection.lifecycle.review_threads import is_raised
from rituals.intake.harvest.agent_findings import read_handed_in
from rituals.intake.harvest.document_harvest import Harvest, Known, read_harvest
from rituals.intake.harvest.document_reader import SOURCE
from rituals.intake.harvest.origin import code_of, origin_in
from rituals.intake.harvest.outdated_passages import Sourced
from rituals.intake.intake_plan import LEAVE, IntakePlan, plan_intake
from rituals.intake.known_items import KEY

#: How many facts a harvest brings where nobody says otherwise.
BUDGET = 100
#: The header of a harvest's log that names the commit up to which all documents were read.
THROUGH = "through"
_IMPORT, _DECISION = "import", "decision"


class HarvestPlan(Record):
    """What the documents say, and what memory makes of it."""

    harvest: Harvest
    intake: IntakePlan


def plan_harvest(
    memory: Memory,
    paths: Sequence[str] = (),
    *,
    budget: int = BUDGET,
    handed_in: bytes | None = None,
    name: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> HarvestPlan:
    """Plan what a repository's documents bring to a home; nothing is written.

    Args:
        memory: the home, open.
        paths: files and folders to read, each of them whole; none: what changed since the last harvest.
        budget: the most new facts.
        handed_in: what an agent found, as JSON; the documents are not read then.
        name: of the file with that.
        progress: told how many documents are read, and of how many.

    Raises:
        NotFound: there is no code to read, or a path that it does not have.
        WrongUsage: the paths are of another repository.
        DraftRefused: what was handed in names no place in HEAD.
    """
    code, under = _source(memory.home, paths)
    whole = "" in under
    under = () if whole else under
    if handed_in is not None:
        policy = memory.state().policy
        reading = read_handed_in(handed_in, name, code, [kind.name for kind in policy.kinds])
        harvest = Harvest(code.commit, "", 0, 0, reading)
        return HarvestPlan(harvest, plan_intake(memory, reading, budget=budget, changes=LEAVE))
    # naming all of the code is how a memory in a repository of its own finds it
    again = whole and memory.home.kind != OWN_REPOSITORY
    since = "" if again else _last(memory)
    known, denied = _known(memory)
    harvest = read_harvest(
        code, since=since, under=under, known=known, again=denied, progress=progress
    )
    header = () if under else ((THROUGH, code.commit),)
    plan = plan_intake(memory, harvest.reading, budget=budget, header=header, changes=LEAVE)
    return HarvestPlan(harvest, plan)


def _source(home: Home, paths: Sequence[str]) -> tuple[Code, tuple[str, ...]]:
    """Return the code to read, and what of it; nothing means all of it."""
    if home.kind == OWN_REPOSITORY and not paths:
        raise NotFound(
            "this memory is a repository of its own, and has no documents of a project",
            where="PATH",
            hint="name the folder of the code: diurna import docs PATH",
        )
    code: Code | None = None
    where = ""
    under = []
    for path in paths:
        folder = os.path.realpath(path)
        inside = folder
        while inside and not os.path.isdir(inside):
            inside = os.path.dirname(inside)
        repository = find_repository(inside)
        if repository is None or not repository.top:
            raise NotFound(f"{path} is in no git repository", where="PATH", hint="name a document")
        if where and repository.commondir != where:
            raise WrongUsage("the paths are in several repositories", hint="name those of one")
        foreign = repository.commondir != home.repository.commondir
        if foreign and home.kind != OWN_REPOSITORY:
            raise WrongUsage(
                f"{path} is in another repository than this memory",
                hint="run it in a home of that repository; `diurna init` makes one",
            )
        where = repository.commondir
        code = code or code_of(home, inside if foreign else "", "PATH")
        under.append(os.path.relpath(folder, repository.top).replace(os.sep, "/"))
    code = code or code_of(home, "", "PATH")
    if code is None:
        raise NotFound("there is no commit yet", where="HEAD", hint="commit the documents first")
    under = ["" if one == "." else one for one in under]
    for path in under:
        if path and not any(one == path or one.startswith(path + "/") for one in code.files()):
            raise NotFound(
                f"HEAD ({code.commit[:7]}) has nothing at {path}",
                where="PATH",
                hint="only what is committed is read",
            )
    return code, tuple(under)


def _last(memory: Memory) -> str:
    """Return the commit that the newest harvest read, "" for none."""
    refs = [ref for ref, entry in memory.logs(committed=True) if entry.type == _IMPORT]
    newest = sorted(refs, key=lambda ref: ref.key, reverse=True)
    git = memory.home.repository.git()
    for at in range(0, len(newest), 50):
        for data in git.blobs([ref.blob for ref in newest[at : at + 50]]):
            header = dict(read_header(data or b""))
            if header.get("source") == SOURCE and header.get(THROUGH):
                return header[THROUGH]
    return ""


def _known(memory: Memory) -> tuple[list[Known], set[str]]:
    """Return the facts of earlier harvests that hold, and the documents of decisions that do not."""
    found: list[Known] = []
    denied: set[str] = set()
    for standing in memory.state().standings():
        fact = standing.fact
        footers = dict(fact.meta)
        source, _, key = footers.get(KEY, "").partition(" ")
        origin = origin_in(footers.get("source", ""))
        if source != SOURCE or origin is None:
            continue
        if not (fact.false or fact.redacted or fact.closed or is_raised(fact)):
            found.append(Known(Sourced(fact.id, fact.text, origin), key))
        elif fact.false and fact.kind == _DECISION:
            denied.add(origin.path)
    return found, denied
