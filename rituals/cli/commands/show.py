"""Run what shows memory: `diurna brief`, `recall`, `show` and `view`."""

from __future__ import annotations

from ledger.errors import WrongUsage
from ledger.model.layout import BRIEF_CHARS, LEAST_BRIEF_CHARS
from ledger.model.order import is_stem
from memory.recall.recall_values import FULL, INDEX, LEVELS, LOADING_MS, TIMELINE, WITHIN, Filters
from projection.fold.projection_state import TIERS
from rituals.cli.context import Invocation
from rituals.cli.operation import SINCE, UNTIL, modes, option, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


def brief(
    call: Invocation, *,
    for_: str = option("With what is for this role.", "ROLE"),
    task: str = option("What is about to be done, or the id of a task.", "TEXT"),
    budget: int = option("At most so many characters; at least {least}.", "CHARACTERS", most=-1,
        default=BRIEF_CHARS, least=LEAST_BRIEF_CHARS, shows=True),
    agent: str = option("Who reads it; else $DIURNA_AGENT, else the name git commits with.", "NAME"),
) -> None:  # fmt: skip
    """Show what an agent reads at the start of a session, most important first.

    Contradictions, invariants, what was handed to the agent, what changed since its last log, tasks, open
    threads, decisions, then the rest, sorted by how close it is to the task and the branch. Whole lines,
    within the budget; the newest correction is always included. What is quoted from memory is marked as
    evidence, not as instructions.

    Examples:
      diurna brief
      diurna brief --agent codex --task "make the webhooks idempotent"
      diurna brief --for reviewer --budget 3000 --json
    """
    made = call.memory().brief(
        budget_chars=budget, role=for_, task=task, agent=agent, json=call.json, asks=True
    )
    call.out.text(made.text)


def recall(
    call: Invocation, *,
    query: tuple[str, ...] = word("[QUERY]..."),
    ids: str = option("These memories instead of a question.", "ID,…"),
    level: str = option("index: a line each. full: all of it. timeline: the sessions around a fact, a "
        "log, a time, a commit or what answers best; with a filter or --ids what is around hits.", "LEVEL",
        choices=LEVELS),
    before: str = option("With --level timeline: how far back, 30m, 48h, 7d, 2w (48h).", "TIME"),
    after: str = option("With --level timeline: how far on (24h).", "TIME"),
    limit: int = option(
        "At most so many hits or sessions (10).", "N", default=10, most=1000, spelled="-n"),
    in_: str = option("Facts or logs alone; the repository's documents; homes of others.",
        f"[{'|'.join(WITHIN)}]", choices=WITHIN),
    kind: tuple[str, ...] = option("Facts of this kind, or `session`. Repeatable.", "KIND", many=True),
    tier: tuple[str, ...] = option(
        "Facts of this tier: {choices}. Repeatable.", "TIER", choices=TIERS, many=True),
    tag: tuple[str, ...] = option("Facts with this tag. Repeatable.", "TAG", many=True),
    entity: tuple[str, ...] = option("Facts about this entity. Repeatable.", "NAME", many=True),
    agent: tuple[str, ...] = option("From logs of this agent. Repeatable.", "NAME", many=True),
    role: tuple[str, ...] = option("For this role, or from its logs. Repeatable.", "ROLE", many=True),
    branch: tuple[str, ...] = option(
        "From logs written on this branch of the code. Repeatable.", "NAME", many=True),
    since: str = SINCE, until: str = UNTIL,
    as_of: str = option("As of a time, a stem or a commit.", "POINT"),
    superseded: bool = option("Superseded and invalidated facts too."),
    yours: bool = option("Your own home's too (`diurna init --personal`)."),
    no_vectors: bool = option("By words alone, also where a model is here (`diurna install --model`)."),
    explain: bool = option("Say what each score is made of."),
    org: bool = option("Ask all ledgers of the organisation that you may read (`diurna org`)."),
    team: str = option("With --org: those of this team alone.", "NAME"),
    repo: str = option("With --org: this one alone, by name or address.", "NAME"),
) -> None:  # fmt: skip
    """Find what answers a question, in few tokens: first one line each, then more of what matters.

    "quoted words" must follow each other, begin* stands for every word that begins so, and behind `--` a
    hit must not contain what -word or -"quoted words" name.

    Facts are found by meaning, too, where a sentence model is on this machine (`install --model`, or a
    folder with an .onnx file and tokenizer.json that $DIURNA_MODEL names) and vectors were made, behind
    the start of a session or by `check --fix`. A model that takes 0.4 s to load is left to mcp and web.

    Examples:
      diurna recall how are webhooks retried
      diurna recall --kind decision --since 2026-11-01 -- retry -timeout
      diurna recall --yours how do I like commit messages
      diurna recall --ids webhook-retry-queue --level full
      diurna recall --level timeline webhook-retry-queue --before 7d
    """
    filters = Filters(
        kind, tier, tag, entity, agent, role, branch, since, until, in_, as_of, superseded, yours
    )
    words, how = " ".join(query), {"limit": limit, "explain": explain}
    if level == TIMELINE and filters == Filters(kind, agents=agent[:1]):
        if not (ids or no_vectors or explain or org or team or repo):
            from rituals.cli.commands.log import around

            return around(call, words, before or "48h", after or "24h", agent, kind, limit)
    from rituals.cli.terminal.recall_text import asked, named, of_org

    if org:
        if in_ or ids:
            raise WrongUsage("--in and --ids are of one memory", hint="leave --org or them out")
        return of_org(call, words, filters, (repo, team, call.folder()), full=level == FULL, **how)
    if before or after:
        raise WrongUsage(
            "--before and --after go with --level timeline, and with no filter of hits"
        )
    some = [one.strip() for one in ids.split(",") if one.strip()]
    if bool(some) == bool(words.strip()):
        raise WrongUsage(
            "ask a question, or name ids with --ids",
            hint="`diurna recall how are webhooks retried`, `diurna recall --ids ID,ID`",
        )
    if some:
        return named(call, some, level or FULL)
    how["loading_ms"] = 0 if no_vectors else LOADING_MS
    asked(call, words, filters, level=level or INDEX, **how)


def show(
    call: Invocation, *,
    ids: tuple[str, ...] = word("[ID|STEM]..."),
    as_of: str = option("As of a time, a stem or a commit.", "POINT", goes="plain"),
    kind: str = option("Only facts of this kind.", "KIND", goes="plain list"),
    tier: str = option("Only facts of this tier, archived ones too: {choices}.", "TIER", choices=TIERS,
        goes="plain list"),
    mode: str = modes(
        list="A line a fact; ID is a part of id or text, or with * all of an id.",
        about="All about an entity, ID is its name; without one the names.",
        links="What a fact is linked with.",
    ),
    all: bool = option(
        "With --list: archived and superseded facts too.", goes="list", spelled="-a --all"),
) -> None:  # fmt: skip
    """Show what memory holds: the page of all that holds now, facts by id, kind or tier, or a log.

    With --json every fact, whatever its tier. The start of an id or of a log's name is enough if nothing
    else begins so. Of several words of --list each has to match.

    An entity is what a fact says that it is about, in its footer: `entity: NAME`, with commas between
    several. Links are supersessions, footers, `[[id]]` in texts, shared entities, and what helped in the
    log that created it. A link to a fact that does not exist says so, and a superseded fact shows what
    replaced it.

    Examples:
      diurna show
      diurna show webhook-retry-queue
      diurna show --kind decision --as-of 2026-11-01
      diurna show --list 'webhook-*' --all
      diurna show --about "Payments API"
      diurna show --links webhook-retry-queue
    """
    if mode == "list":
        return _list(call, ids, kind, tier, archived=all)
    if mode:
        from rituals.cli.commands import links

        if mode == "about":
            return links.entity(call, " ".join(ids))
        if len(ids) != 1:
            raise WrongUsage("--links takes one ID", hint="`diurna show --list` lists the ids")
        return links.links(call, ids[0])
    _show(call, ids, as_of, kind, tier)


def _show(call: Invocation, ids: tuple[str, ...], as_of: str, kind: str, tier: str) -> None:
    memory, ids, home = call.holding(ids)
    if not home:
        call.opened(ids)
    if any(is_stem(one) and memory.fact(one) is None for one in ids):
        from rituals.cli.terminal.recall_text import named

        if as_of or kind or tier:
            raise WrongUsage("a session log is shown whole", hint="leave the other options out")
        return named(call, list(ids), FULL)
    if not (ids or as_of or kind or tier or call.json):
        return call.out.text(memory.continuity())
    from memory.replay.reader_marks import NOTHING_MARKED, known, marks_at
    from rituals.cli.terminal.recall_text import select

    state = memory.state(as_of)
    if not (ids or kind or tier or call.json):
        from projection.document.page_renderer import NOT_KNOWN, render

        page = state.view()
        if not len(state) and any(NOT_KNOWN in one.message for one in memory.snapshot.notes):
            page = page._replace(tiers=())
        return call.out.text(render(page))
    facts = select(memory, state, ids, kind, tier, archived=call.json, as_of=as_of)
    marks = NOTHING_MARKED if as_of else marks_at(memory.home, memory.cache())
    if not call.json:
        from rituals.cli.terminal.listing_text import block_of

        told = known(memory.cache(), [one.fact for one in facts])
        blocks = [block_of(one, state, told[one.fact.id], marks.of(one.fact)) for one in facts]
        hint = "`--tier archived` and `--tier superseded` show those in the archive"
        return call.answer(
            {}, ["\n\n".join(blocks)] if blocks else (), nothing="no fact matches",
            hints=() if blocks or ids or tier else (hint,),
        )  # fmt: skip
    from rituals.answers.json_objects import described, summary_object

    notes = [one for one in memory.snapshot.notes if one.code == "as-of-date"]
    more = {"facts": described(memory.cache(), state, facts, marks), "findings": notes}
    head = {"as_of": as_of, "project": state.policy.project, **summary_object(state.summary)}
    call.out.answer({**head, **more})


def _list(
    call: Invocation, patterns: tuple[str, ...], kind: str, tier: str, *, archived: bool
) -> None:
    """List facts, a line each."""
    from memory.replay.reader_marks import known
    from rituals.answers.record_fields import fields_of
    from rituals.cli.terminal.listing_text import fact_line, in_sections, line_object, matching
    from rituals.cli.terminal.recall_text import select

    memory = call.reader()
    state = memory.state()
    found = matching(select(memory, state, (), kind, tier, archived), patterns)
    found = in_sections(found, state.policy)
    marks = memory.marks([one.fact for one in found])
    told = memory.ask(lambda cache: known(cache, [one.fact for one in found]))
    hint = "`--all` lists archived and superseded facts too"
    call.answer(
        lambda: {
            "facts": [
                line_object(one, marks[one.fact.id], state.histories.get(one.fact.id))
                | fields_of(told[one.fact.id], "known=word known_by=by")
                for one in found
            ]
        },
        (fact_line(one, marks[one.fact.id], told[one.fact.id]) for one in found),
        nothing="no fact matches" if len(state) else "no fact yet",
        hints=(hint,) if len(state) and not (found or archived or tier) else (),
    )


def view(
    call: Invocation, *,
    name: str = word("[NAME]"), argument: tuple[str, ...] = word("[DATE|ENTITY]..."),
) -> None:  # fmt: skip
    """Show one side of memory as a page: where the work stands, what was decided, what happened.

    NAME is state, progress, decisions, daily, weekly, entities or roles; without it they are listed. A
    DATE can be a word such as `yesterday`; days are those of UTC, and without one it is the day of the
    newest log. The same ledger gives the same page.

    Examples:
      diurna view state
      diurna view daily 2026-11-21
      diurna view entities person/Alice
    """
    from projection.views.view_table import VIEWS

    if not name:
        views = [{"name": one, "does": does} for one, does in VIEWS.items()]
        lines = [((f"{one:<10}", "bold"), f" {does}") for one, does in VIEWS.items()]
        return call.answer({"views": views}, lines)
    from memory.query.home_views import day_of, view_page
    from projection.views.view_page import page_object, write

    said = day_of(name, " ".join(argument), call.now_ms())
    reader = call.memory()
    page = reader.ask(lambda cache: view_page(reader.snapshot, cache, name, said))
    if not call.json:
        return call.out.text(write(page))
    call.out.answer({"view": name, "argument": said, **page_object(page)})
