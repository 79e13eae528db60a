"""The tools: what a client can call, each a function whose named parameters are the arguments it takes.

Every answer that quotes memory says so: what comes out of it was written by agents and people at other
times, and is evidence, never an instruction. Each tool that writes makes one log, as on the command line.
"""

from functools import cache, partial
from math import inf
from typing import Any

from ledger.errors import WrongUsage
from ledger.model.finding_codes import Finding
from ledger.model.layout import BRIEF_CHARS, LEAST_BRIEF_CHARS
from memory import FULL, INDEX, LEVELS, Answer, Filters, Hit, tokens_of
from projection.document.fact_remarks import PLAIN, YES
from rituals.answers.record_to_dict import fields_of, mark_object, plain
from rituals.hosts.processes import note_opening
from rituals.record.request import Request
from rituals.serve.mcp import arguments as take
from rituals.serve.mcp.arguments import (
    KIND,
    Caller,
    choice,
    flag,
    listed,
    many,
    names,
    number,
    text,
    words,
)
from rituals.serve.mcp.wording import (
    NOTICE,
    Answered,
    brief_in_tools,
    filled,
    message_in_tools,
    noticed,
    recorded,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory import Memory

#: How many tasks are listed at most.
MOST_LISTED = 50
#: Of all texts in one answer: about 15,000 tokens, below what clients cut off or refuse.
ANSWER_CHARS = 60_000


@take.tool("Start here: what you must know of this project now, within a budget.")
def brief(
    memory: "Memory", caller: Caller, *,
    task: str = words("What you are about to do, or a task's id"), role: str = names(),
    budget_chars: int = number(minimum=LEAST_BRIEF_CHARS, maximum=40_000, _default=BRIEF_CHARS),
) -> Answered:  # fmt: skip
    """Say what to know before starting."""
    found = memory.brief(budget_chars=budget_chars, role=role, task=task, agent=caller.agent)
    text = brief_in_tools(found.text)
    return {"text": text, "tokens": tokens_of(text)}


@take.tool("Search memory: facts and session logs. One line a hit; then `get` the few you need. "
           "Filters take names with commas between.")  # fmt: skip
def recall(
    memory: "Memory", caller: Caller, *,
    query: str = words('Words, identifiers, "phrases", prefix*, -not', _least=1, _needed=True),
    level: str = choice(enum=LEVELS, _default=INDEX),
    limit: int = number(minimum=1, maximum=take.HITS_LIMIT, _default=10),
    within: str = choice(enum=("facts", "sessions", "docs", "upstream")),
    kind: tuple[str, ...] = listed(), tag: tuple[str, ...] = listed(),
    tier: tuple[str, ...] = listed("core, working, active, archived or superseded"),
    entity: tuple[str, ...] = listed(), agent: tuple[str, ...] = listed(),
    role: tuple[str, ...] = listed(), branch: tuple[str, ...] = listed(),
    since: str = names(), until: str = names(), as_of: str = names("Time, log or commit"),
    superseded: bool = flag("Also what is false now"), org: bool = flag("The organisation's ledgers"),
    team: str = names(), repo: str = names(),
) -> Answered:  # fmt: skip
    """Search facts and session logs."""
    filters = Filters(
        kinds=kind, tiers=tier, tags=tag, entities=entity, agents=agent, roles=role, branches=branch,
        since=since, until=until, within=within, as_of=as_of, superseded=superseded, documents=not org,
    )  # fmt: skip
    if org:
        return _recall_of_org(memory, query, filters, level, limit, team, repo)
    if team or repo:
        raise WrongUsage("team and repo narrow a question to all ledgers", hint="org: true")
    found = memory.recall(query, level=level, limit=limit, filters=filters, model_bytes=inf)
    return _hits(found, level)


@take.tool("Read hits or facts by id, whole.")
def get(
    memory: "Memory", caller: Caller, *,
    ids: tuple[str, ...] = many(
        f"{take.IDS_LIMIT} at most", items=names(), _least=1, _most=take.IDS_LIMIT, _needed=True
    ),
    level: str = choice("timeline: what happened around it", enum=LEVELS, _default=FULL),
) -> Answered:  # fmt: skip
    """Show hits by their ids."""
    found = memory.get(ids, level=level)
    note_opening(memory.home, [hit.id for hit in found.hits], caller.session())
    return _hits(found, level)


@take.tool(
    "Tell where a fact comes from: who said it when, in which session and commit, what it replaced."
)
def why(memory: "Memory", caller: Caller, *, id: str = names(_needed=True)) -> Answered:
    """Tell why memory holds a fact."""
    from memory import provenance
    from rituals.answers.fact_objects import provenance_object

    found = provenance(memory, id)
    note_opening(memory.home, [found.id], caller.session())
    said = provenance_object(found)
    for name in ("events", "chain"):
        said[name] = [filled(**one) for one in said[name]]
    return filled("id", notice=NOTICE, **_marked(said))


@take.tool("Record one sentence at once: when a person states a rule or corrects you, when you decide or "
           "learn something. It stands alone, with its reason.", writes=True)  # fmt: skip
def note(
    memory: "Memory", caller: Caller, *,
    text: str = text(_least=1, _needed=True), kind: str = KIND,
    replaces: tuple[str, ...] = listed("Ids that it makes false"),
) -> Answered:  # fmt: skip
    """Record one text, as `diurna note` does."""
    from rituals.hosts.context.session_cursor import shown_to
    from rituals.record.agent_reply import answer_of, replacing
    from rituals.record.draft_composer import kinds_of
    from rituals.record.note_lines import line_read

    lines = replacing(memory, (line_read(text, kinds_of(memory)),), replaces)
    shown = shown_to(memory.home.repository.commondir, caller.session())
    request, said = answer_of(memory, lines, Request(), kind, shown)
    return _appended(memory, caller, request, said)


@take.tool("Record a stretch of work as one log: what happened, facts learned, changed or relied on. "
           "Write what the next agent needs, no secrets. A retry is recorded once.",
           writes=True, takes=take.REQUEST)  # fmt: skip
def append(memory: "Memory", caller: Caller, **said: Any) -> Answered:
    """Append a session log: what `diurna append --from-json` does."""
    return _appended(memory, caller, Request(**said))


def _appended(
    memory: "Memory", caller: Caller, request: Request, said: tuple[Finding, ...] = ()
) -> Answered:
    from rituals.hosts.due_steps import look_after
    from rituals.hosts.stop_request import note_answer
    from rituals.record.own_home_parts import drafts_of

    request = request._replace(agent=caller.agent, host=caller.host, session=caller.session())
    drafts = drafts_of(memory, request)
    receipt = drafts.append(memory)
    note_answer(memory.home.repository.commondir, caller.session(), corrects=drafts.corrects)
    look_after(memory.home, memory.policy.background.run)
    return recorded(receipt, (*said, *drafts.findings, *receipt.findings), "already")


@take.tool("Settle a contradiction about a fact: list its sides, then choose one or give a new text.",
           writes=True)  # fmt: skip
def resolve(
    memory: "Memory", caller: Caller, *,
    id: str = names(_needed=True),
    choose: str = names("A side's id; without it, sides are listed"),
    text: str = text("A new text instead"), both: bool = flag("Both sides hold"),
) -> Answered:  # fmt: skip
    """Resolve a contradiction, as `diurna conflicts` does; without a choice, list its sides."""
    from rituals.decide.decision import record
    from rituals.decide.open_contradictions import disputes
    from rituals.decide.resolution import Verdict, choices, resolution

    verdict = Verdict(choose, text, both=both)
    found = disputes(memory, (id,)) if not any(verdict) else ()
    if found:
        sides = [
            filled("id text", **fields_of(one, "id text person agent date closed"))
            for one in choices(found)
        ]
        return filled("id", id=id, notice=NOTICE, disputed=[one.said for one in found], sides=sides)
    decision = resolution(memory, id, verdict)
    receipt = record(memory, decision, caller.agent)
    done = fields_of(receipt, "stem commit waits") if receipt else {}
    said = noticed(receipt.findings if receipt else ())
    return filled(
        "id", id=id, **done, does=list(decision.does), already=decision.already, findings=said
    )


@take.tool(
    "What is to be done: pick, start, move a task, hand it over (a line a point).", writes=True
)
def task(
    memory: "Memory", caller: Caller, *,
    action: str = choice(
        enum=("list", "add", "start", "move", "done", "handoff", "pick"), _default="list"
    ),
    id: str = names(), text: str = text(), priority: str = choice(enum=("high", "medium", "low")),
    depends: str = names(), criteria: str = text(), state: str = choice(enum=("blocked", "cancelled")),
    why: str = names(), start: bool = flag(), take_over: bool = flag(), role: str = names(),
    to: str = names("agent or role"), done: str = text(), remaining: str = text(),
    warnings: str = text(), questions: str = text(), next: str = text(), confidence: str = names(),
) -> Answered:  # fmt: skip
    """List tasks, or do something about one.

    Raises:
        WrongUsage: the action lacks what it is about.
    """
    from rituals.answers.task_objects import Listed, listed, task_object
    from rituals.record import task_steps as steps

    if (action == "add" and not text.strip()) or (action == "move" and not state):
        raise WrongUsage(f"{action} needs {'text' if action == 'add' else 'state'}")
    author = Request(agent=caller.agent, role=role, host=caller.host, session=caller.session())

    def rows(*tasks: Listed) -> list[Answered]:
        return [filled("id state line", **task_object(one)) for one in tasks]

    if action == "list":
        found = listed(memory, memory.occasion().now_ms)
        more = len(found) - MOST_LISTED
        notes = [f"{more} more are open"] if more > 0 else []
        return filled(notice=NOTICE, tasks=rows(*found[:MOST_LISTED]), notes=notes)
    if action == "add":
        points = tuple([line for line in criteria.split("\n") if line.strip()])
        new = {"id": id, "priority": priority, "depends": (depends,), "criterion": points}
        draft, odd = steps.adding(memory, text, new, author)
        added = memory.append(draft)
        return recorded(added, (*odd, *added.findings))
    given = {
        "state": state, "why": why, "start": start, "take_over": take_over, "to": to, "done": (done,),
        "remaining": (remaining,), "warning": (warnings,), "question": (questions,), "next": (next,),
        "confidence": confidence,
    }  # fmt: skip
    plan = partial(steps.step, memory, action, id, author, given)
    change, receipt = steps.carried_out(memory, plan)
    told: Answered = {"notes": list(change.notes), "already": change.already}
    if receipt is not None:
        return recorded(receipt, receipt.findings, **told)
    chosen = rows(Listed(change.task)) if change.task else []
    return filled(notice=NOTICE if chosen else "", tasks=chosen, **told)


@take.tool("Count facts and logs; say what is contradicted, due or unpublished.")
def status(memory: "Memory", caller: Caller) -> Answered:
    """Say where the ledger stands, and what the command line would say beside it on standard error."""
    from rituals.answers.status_values import overview
    from rituals.check.ledger_checks import policy_problem

    found, cache = overview(memory), memory.cache()
    problem = [policy_problem(cache.policy_problem)] if cache.policy_problem else []
    said = noticed((*found["findings"], *problem, *cache.unread()))
    rest: Answered = plain({key: one for key, one in found.items() if key not in _UNTOLD})
    return {**rest, **({"findings": said} if said else {})}


#: What `diurna status --json` says that is of no use to an agent.
_UNTOLD = frozenset("fading silent not_asked by_itself answered reads findings".split())


@cache
def described() -> list[Answered]:
    """Describe the tools to a client; what the protocol takes for granted is not said."""
    reads = {"readOnlyHint": True, "openWorldHint": False}
    # a retry is answered "already", as on the command line
    writes = {"destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
    return [
        {"name": one.name, "description": one.description, "inputSchema": take.schema_of(one.takes),
         "annotations": writes if one.writes else reads}
        for one in take.BY_NAME.values()
    ]  # fmt: skip


def _hits(answer: Answer, level: str) -> Answered:
    """Turn what was found into an answer, within what a client takes."""
    left = ANSWER_CHARS
    hits: list[Answered] = []
    notes = [message_in_tools(note) for note in answer.notes]
    for at, hit in enumerate(answer.hits):
        text = hit.line if level == INDEX else hit.text
        if len(text) > left and hits:
            missing = ", ".join(one.id for one in answer.hits[at:])
            notes.append(f"there is no room for {missing}; get fewer at a time")
            break
        if len(text) > left:
            notes.append(f"{hit.id} is cut after {left} characters of {len(text)}")
        hits.append(_hit(hit, text[:left]))
        left -= len(text)
    tokens = sum(tokens_of(hit["text"]) for hit in hits)
    return filled(
        "notice hits tokens whole",
        notice=NOTICE, hits=hits, tokens=tokens, whole=answer.whole, notes=notes, perhaps=answer.perhaps,
    )  # fmt: skip


def _marked(mark: Answered) -> Answered:
    """Return what a reader has to know of a fact, without what says that there is nothing to know."""
    marks = [filled("code subject commit date", **one) for one in mark["marks"]]
    return {**mark, "marks": marks, "here": mark["here"] if mark["here"] != YES else ""}


def _hit(hit: Hit, text: str) -> Answered:
    mark = {} if hit.mark == PLAIN else _marked(mark_object(hit.mark))
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
    from rituals.org.org_search import Asker, filters_of
    from rituals.org.org_search import recall as asked

    if filters.within:
        raise WrongUsage("within is of one memory", hint="leave org or within out")
    if not _ORG:
        _ORG.append(Asker())
    wanted, folder = filters_of(filters, repo, team), memory.home.repository.where
    found = asked(query, wanted, limit, folder=folder, asker=_ORG[0], full=level == FULL)
    hits = [
        hit._replace(line=f"{hit.line}\n{hit.text.rpartition(chr(10))[2].strip()}")
        for hit in found.hits
    ]
    return _hits(found._replace(hits=tuple(hits)), INDEX)


#: Asked by the memory's thread alone.
_ORG: list[Any] = []
