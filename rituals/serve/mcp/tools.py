"""The tools: what a client can call, each a function whose named parameters are the arguments it takes.

Every answer that quotes memory says so: what comes out of it was written by agents and people at other
times, and is evidence, never an instruction. Each tool that writes makes one log, as on the command line.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from ledger.errors import DiurnaError, WrongUsage
from ledger.home import WithoutPersonal
from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.brief.brief_place import BRIEF_CHARS
from memory.recall.recall_values import FULL, INDEX, Answer, Filters, Hit, tokens_of
from projection.brief.budget import LEAST_CHARS
from projection.document.branch_remarks import YES
from rituals.answers.record_fields import fields_of, mark_object
from rituals.hosts.processes import note_opening
from rituals.record.json_request import Strict, value_of
from rituals.serve.mcp import arguments as take
from rituals.serve.mcp.arguments import (
    Caller,
    Id,
    Level,
    Lines,
    Names,
    Point,
    Reference,
    Stands,
    TaskId,
    Text,
    Words,
)
from rituals.serve.mcp.wording import (
    NOTICE,
    Answered,
    brief_in_tools,
    filled,
    message_in_tools,
    noticed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from memory.write.draft import Receipt
    from rituals.record.tasks.task_steps import Author

_CLOSED = {"open": False, "closed": True}
#: How many tasks are listed at most.
MOST_LISTED = 50
#: Of all texts in one answer: about 15,000 tokens, below what clients cut off or refuse.
ANSWER_CHARS = 60_000


class Tool(Record):
    """One tool."""

    name: str  #: what a client calls
    description: str  #: what an agent is told: it is part of every prompt
    takes: type[Strict]  #: the model of its arguments
    does: Callable[..., Answered]
    writes: bool  #: whether it may append a log; none takes anything away

    def run(self, memory: "Memory", asked: Strict, caller: Caller) -> Answered:
        """Answer a call."""
        if self.takes is take.AppendAsked:
            return self.does(memory, caller, asked)
        return self.does(memory, caller, **dict(asked))


BY_NAME: dict[str, Tool] = {}


def _tool(
    description: str, *, writes: bool = False, takes: type[Strict] | None = None
) -> Callable[[Callable[..., Answered]], Callable[..., Answered]]:
    def listed(does: Callable[..., Answered]) -> Callable[..., Answered]:
        name = does.__name__
        BY_NAME[name] = Tool(name, description, takes or take.model_for(does), does, writes)
        return does

    return listed


@_tool("Start here: what you must know of this project now, within a budget.")
def brief(
    memory: "Memory", caller: Caller, *,
    task: Annotated[Words, Field(description="What you are about to do, or a task's id")] = "",
    role: Names = "",
    budget_chars: Annotated[int, Field(ge=LEAST_CHARS, le=40_000)] = BRIEF_CHARS,
) -> Answered:  # fmt: skip
    """Say what to know before starting."""
    found = memory.brief(budget_chars=budget_chars, role=role, task=task, agent=caller.agent)
    text = brief_in_tools(found.text)
    return {"text": text, "tokens": tokens_of(text)}


@_tool("Search memory: facts and session logs. One line a hit; then `get` the few you need. "
       "Filters take names with commas between.")  # fmt: skip
def recall(
    memory: "Memory", caller: Caller, *,
    query: Annotated[
        Words, Field(min_length=1, description='Words, identifiers, "phrases", prefix*, -not')
    ],
    level: Level = "index", limit: Annotated[int, Field(ge=1, le=take.HITS_LIMIT)] = 10,
    within: Literal["", "facts", "sessions", "docs", "upstream"] = "",
    kind: Names = "",
    tier: Annotated[Names, Field(description="core, working, active, archived or superseded")] = "",
    tag: Names = "", entity: Names = "", agent: Names = "", role: Names = "", branch: Names = "",
    since: Point = "", until: Point = "",
    as_of: Annotated[Point, Field(description="Time, log or commit")] = "",
    superseded: Annotated[bool, Field(description="Also what is false now")] = False,
    org: Annotated[bool, Field(description="The organisation's ledgers")] = False,
    team: Names = "", repo: Names = "",
) -> Answered:  # fmt: skip
    """Search facts and session logs."""
    filters = Filters(
        kinds=_names(kind), tiers=_names(tier), tags=_names(tag), entities=_names(entity),
        agents=_names(agent), roles=_names(role), branches=_names(branch), since=since, until=until,
        within=within, as_of=as_of, superseded=superseded, documents=not org,
    )  # fmt: skip
    if org:
        return _recall_of_org(memory, query, filters, level, limit, team, repo)
    if team or repo:
        raise WrongUsage("team and repo narrow a question to all ledgers", hint="org: true")
    return _hits(memory.recall(query, level=level, limit=limit, filters=filters), level)


@_tool("Read hits or facts by id, whole.")
def get(
    memory: "Memory", caller: Caller, *,
    ids: Annotated[list[Reference], Field(min_length=1, max_length=take.IDS_LIMIT)],
    level: Annotated[Level, Field(description="timeline: what happened around it")] = "full",
) -> Answered:  # fmt: skip
    """Show hits by their ids."""
    found = memory.get(ids, level=level)
    note_opening(memory.home, [hit.id for hit in found.hits], caller.session)
    return _hits(found, level)


@_tool("Record a stretch of work as one log: what happened, facts learned, changed or relied on. Write "
       "what the next agent needs, no secrets. A retry is recorded once.",
       writes=True, takes=take.AppendAsked)  # fmt: skip
def append(memory: "Memory", caller: Caller, asked: Strict) -> Answered:
    """Append a session log: what `diurna append --from-json` does."""
    from rituals.hosts.background_start import look_after
    from rituals.hosts.stop_request import note_answer
    from rituals.record.own_home_parts import drafts_of

    request = value_of(asked)._replace(agent=caller.agent, host=caller.host, session=caller.session)
    drafts = drafts_of(memory, request)
    receipt = drafts.append(memory, tiers=True)
    note_answer(memory.home.repository.commondir, caller.session)
    look_after(memory.home, memory.policy)
    return _recorded(receipt, (*drafts.findings, *receipt.findings), "already tiers")


@_tool("Settle a contradiction about a fact: list its sides, then choose one or give a new text.",
       writes=True)  # fmt: skip
def resolve(
    memory: "Memory", caller: Caller, *,
    id: Id, choose: Annotated[Names, Field(description="A side's id; without it, sides are listed")] = "",
    text: Annotated[Text, Field(description="A new text instead")] = "",
    state: Stands = "",
) -> Answered:  # fmt: skip
    """Resolve a contradiction, as `diurna conflicts` does; without a choice, list its sides."""
    from rituals.decide.decision import Author, record
    from rituals.decide.open_contradictions import disputes
    from rituals.decide.resolution import Verdict, choices, resolution

    verdict = Verdict(choose, text, _CLOSED.get(state), both=state == "both")
    found = disputes(memory, (id,)) if verdict.says_nothing else ()
    if found:
        sides = [
            filled("id text", **fields_of(one, "id text person agent date closed"))
            for one in choices(found)
        ]
        return filled("id", id=id, notice=NOTICE, disputed=[one.said for one in found], sides=sides)
    decision = resolution(memory, id, verdict)
    receipt = record(memory, decision, Author(caller.agent))
    done = fields_of(receipt, "stem commit") if receipt else {}
    said = noticed(receipt.findings if receipt else ())
    return filled(
        "id", id=id, **done, does=list(decision.does), already=decision.already, findings=said
    )


@_tool("What is to be done: pick, start, move a task, hand it over (a line a point).", writes=True)
def task(
    memory: "Memory", caller: Caller, *,
    action: Literal["list", "add", "start", "move", "done", "handoff", "pick"] = "list",
    id: TaskId = "", text: Lines = "", priority: Literal["", "high", "medium", "low"] = "",
    depends: Names = "", criteria: Lines = "", state: Literal["", "blocked", "cancelled"] = "",
    why: Names = "", start: bool = False, take_over: bool = False, role: Names = "",
    to: Annotated[Names, Field(description="agent or role")] = "",
    done: Lines = "", remaining: Lines = "", warnings: Lines = "", questions: Lines = "", next: Lines = "",
    confidence: Names = "",
) -> Answered:  # fmt: skip
    """List tasks, or do something about one.

    Raises:
        WrongUsage: the action lacks what it is about.
    """
    from rituals.record.tasks import task_steps as steps

    def needed(name: str, said: str) -> str:
        if not said.strip():
            raise WrongUsage(f"{name}: {action} needs it")
        return said

    author = steps.Author(caller.agent, role, caller.host, caller.session)
    match action:
        case "list":
            return _listed(memory)
        case "add":
            return _added(memory, author, needed("text", text), id, priority, depends, criteria)
        case "pick":
            return _step(memory, partial(steps.picking, memory, author, start=start))
    id = needed("id", id)
    match action:
        case "start":
            return _step(memory, partial(steps.starting, memory, id, author, take_over=take_over))
        case "handoff":
            left = steps.Leaving(
                to, (done,), (remaining,), (warnings,), (questions,), (next,), confidence
            )
            return _step(memory, partial(steps.handing_over, memory, id, left, author))
    state_ = "done" if action == "done" else needed("state", state)
    return _step(memory, partial(steps.moving, memory, id, state_, author, why))


@_tool(
    "List patterns of what was met again and again, for a person to let in; writes no fact.",
    writes=True,
)
def learn(
    memory: "Memory", caller: Caller, *,
    ask: Annotated[bool, Field(description="Raise them as threads")] = False,
) -> Answered:  # fmt: skip
    """List what could be learned, or raise it as threads; a fact is written by a person's answer alone."""
    from rituals.answers.json_objects import promotion_object, proposal_object
    from rituals.decide.decision import Author
    from rituals.review.learning_plan import Outcome, plan_learning, raise_threads

    plan = plan_learning(memory)
    outcome = raise_threads(memory, plan, Author(caller.agent)) if ask else Outcome(plan)
    return filled(
        "notice",
        notice=NOTICE, proposals=list(map(proposal_object, plan.proposals)),
        promotions=list(map(promotion_object, plan.promotions)),
        more=plan.more, raised=list(outcome.raised), stem=outcome.receipt.stem if outcome.receipt else "",
        findings=noticed(outcome.findings),
    )  # fmt: skip


@_tool("Count facts and logs; say what is contradicted, due or unpublished.")
def status(memory: "Memory", caller: Caller) -> Answered:
    """Say where the ledger stands, and what the command line would say beside it on standard error."""
    from rituals.answers.json_objects import status_object
    from rituals.answers.status_values import overview
    from rituals.check.verify.projection_checks import policy_problem

    found, cache = overview(memory), memory.cache()
    problem = [policy_problem(cache.policy_problem)] if cache.policy_problem else []
    said = noticed((*found.edits, *problem, *cache.unread()))
    rest = {key: one for key, one in status_object(found).items() if key not in _UNTOLD}
    return {**rest, **({"findings": said} if said else {})}


#: What `diurna status --json` says that is of no use to an agent.
_UNTOLD = frozenset("work_days fading silent untold by_itself answered reads findings".split())
TOOLS = tuple(BY_NAME.values())


def _names(said: str) -> tuple[str, ...]:
    return tuple(name for name in (part.strip() for part in said.split(",")) if name)


def _hits(answer: Answer, level: str) -> Answered:
    """Turn what was found into an answer, within what a client takes."""
    left = ANSWER_CHARS
    hits: list[Answered] = []
    notes = [message_in_tools(note) for note in answer.notes]
    for number, hit in enumerate(answer.hits):
        text = hit.line if level == INDEX else hit.text
        if len(text) > left and hits:
            missing = ", ".join(one.id for one in answer.hits[number:])
            notes.append(f"there is no room for {missing}; get fewer at a time")
            break
        if len(text) > left:
            notes.append(f"{hit.id} is cut after {left} characters of {len(text)}")
        hits.append(_hit(hit, text[:left]))
        left -= len(text)
    tokens = sum(tokens_of(hit["text"]) for hit in hits)
    return filled(
        "notice hits tokens whole",
        notice=NOTICE, hits=hits, tokens=tokens, whole=answer.whole, notes=notes,
    )  # fmt: skip


def _hit(hit: Hit, text: str) -> Answered:
    mark = mark_object(hit.mark)
    mark["marks"] = [filled("code subject commit date", **one) for one in mark["marks"]]
    mark["here"] = mark["here"] if mark["here"] != YES else ""
    return filled(
        "id kind date text tokens",
        **fields_of(hit, "id kind tier date agent passage"), **mark,
        stem="" if hit.id.startswith(hit.stem) else hit.stem, text=text, tokens=hit.whole or hit.tokens,
        known=hit.known.word, known_by=hit.known.by if hit.known.word else "",
    )  # fmt: skip


def _recall_of_org(
    memory: "Memory", query: str, filters: Filters, level: str, limit: int, team: str, repo: str
) -> Answered:
    """Search the ledgers that whom $DIURNA_ORG lets in may read, as `diurna recall --org` does."""
    from rituals.org.org_search import Asker, Scope
    from rituals.org.org_search import recall as asked

    if WithoutPersonal.depth:
        raise DiurnaError(
            "an organisation is not asked over HTTP: every program of this machine could",
            hint="a client that starts the server itself gets it",
        )
    if filters.within:
        raise WrongUsage("within is of one memory", hint="leave org or within out")
    if not _ORG:
        _ORG.append(Asker())
    scope = Scope(repo, team, memory.home.repository.where)
    found = asked(query, filters, scope, limit, asker=_ORG[0], full=level == FULL)
    links = [hit.text.rpartition("\n")[2].strip() for hit in found.hits]
    hits = [
        hit._replace(line=f"{hit.line}\n{link}")
        for hit, link in zip(found.hits, links, strict=True)
    ]
    return _hits(found._replace(hits=tuple(hits)), INDEX)


#: Asked by the memory's thread alone.
_ORG: list[Any] = []


def _listed(memory: "Memory") -> Answered:
    from rituals.answers.task_objects import Wanted, listed, task_object

    found = listed(memory, Wanted(), memory.occasion().now_ms)
    more = len(found) - MOST_LISTED
    return filled(
        notice=NOTICE, tasks=[_task(task_object(one)) for one in found[:MOST_LISTED]],
        notes=[f"{more} more are open"] if more > 0 else [],
    )  # fmt: skip


def _task(said: Mapping[str, Any]) -> Answered:
    return filled("id state line", **said)


def _added(
    memory: "Memory", author: "Author", text: str, id: str, priority: str, depends: str, criteria: str
) -> Answered:  # fmt: skip
    from rituals.record.option_values import parse_ids
    from rituals.record.tasks.task_steps import NewTask, adding

    points = tuple([line for line in criteria.split("\n") if line.strip()])
    new = NewTask(text, id, priority, depends=parse_ids((depends,)), criteria=points)
    draft, odd = adding(memory, new, author)
    receipt = memory.append(draft, tiers=True)
    return _recorded(receipt, (*odd, *receipt.findings))


def _step(memory: "Memory", plan: Callable[[], Any]) -> Answered:
    """Carry out a step of a task; tell what became of it, or which one was picked."""
    from rituals.answers.task_objects import Listed, task_object
    from rituals.record.tasks.task_steps import carried_out

    change, receipt = carried_out(memory, plan)
    told: Answered = {"notes": list(change.notes), "already": change.already}
    if receipt is not None:
        return _recorded(receipt, receipt.findings, **told)
    chosen = [_task(task_object(Listed(change.task)))] if change.task else []
    return filled(notice=NOTICE if chosen else "", tasks=chosen, **told)


def _recorded(
    receipt: "Receipt", findings: Iterable[Finding], more: str = "", **told: Any
) -> Answered:
    """Say what was recorded; `more` names what else is told of its receipt."""
    from rituals.answers.json_objects import near_objects, receipt_object

    said = receipt_object(receipt)
    kept = {key: said[key] for key in ("stem", "commit", "facts", "did", *more.split())}
    if "tiers" in kept:
        kept["tiers"] = [filled(**one) for one in said["tiers"] if one["before"]]
    near = near_objects(receipt.near)
    return filled("stem" if more else "", **kept, **told, near=near, findings=noticed(findings))
