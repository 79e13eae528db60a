"""Run what shows memory: `diurna brief`, `show` and `view`."""

from __future__ import annotations

from ledger.errors import WrongUsage
from ledger.model.layout import BRIEF_CHARS, LEAST_BRIEF_CHARS
from ledger.model.log_names import is_stem
from memory import FULL
from projection.fold.live_view import TIERS
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.operation import modes, option, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory import Reader
    from projection.document.fact_remarks import Gone
    from projection.fold.full_replay import State
    from projection.fold.live_view import Standing
    from projection.fold.testimony import Testimony

_LINE_CHARS = 64  #: of the text of a fact in a list


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
        from rituals.cli.commands.recall import named

        if as_of or kind or tier:
            raise WrongUsage("a session log is shown whole", hint="leave the other options out")
        return named(call, list(ids), FULL)
    if not (ids or as_of or kind or tier or call.json):
        return call.out.text(memory.continuity())
    from memory import NOTHING_MARKED, known_by, marks_at

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
        told = known_by(memory.cache(), [one.fact for one in facts])
        blocks = [block_of(one, state, told[one.fact.id], marks.of(one.fact)) for one in facts]
        hint = "`--tier archived` and `--tier superseded` show those in the archive"
        return call.answer(
            {}, ["\n\n".join(blocks)] if blocks else (), nothing="no fact matches",
            hints=() if blocks or ids or tier else (hint,),
        )  # fmt: skip
    from rituals.answers.fact_objects import described, summary_object

    notes = [one for one in memory.snapshot.notes if one.code == "as-of-date"]
    more = {"facts": described(memory.cache(), state, facts, marks), "findings": notes}
    head = {"as_of": as_of, "project": state.policy.project, **summary_object(state.summary)}
    call.out.answer({**head, **more})


def _list(
    call: Invocation, patterns: tuple[str, ...], kind: str, tier: str, *, archived: bool
) -> None:
    """List facts, a line each, in the order of the sections of `continuity.md`."""
    from fnmatch import fnmatchcase

    from memory import known_by
    from projection.document.archive_pages import summary_of
    from projection.text.clipping import one_line
    from projection.work.reported_findings import state_of
    from rituals.answers.record_to_dict import fields_of, mark_object

    def fits(one: Standing, pattern: str) -> bool:  # a part of id or text, or with * the whole id
        if "*" in pattern or "?" in pattern:
            return fnmatchcase(one.fact.id, pattern)
        return pattern in one.fact.id or pattern in one.fact.text.casefold()

    memory = call.reader()
    state = memory.state()
    wanted = [pattern.casefold() for pattern in patterns]
    rank = {one.name: number for number, one in enumerate(state.policy.kinds)}
    found = [
        one
        for one in select(memory, state, (), kind, tier, archived)
        if all(fits(one, pattern) for pattern in wanted)
    ]
    found.sort(key=lambda one: (rank.get(one.fact.kind, len(rank)), one.fact.kind, one.fact.id))
    facts = [one.fact for one in found]
    marks, told = memory.marks(facts), memory.ask(lambda cache: known_by(cache, facts))
    rows = []
    for one in found:
        mark, word_of = marks[one.fact.id], told[one.fact.id]
        line = summary_of(one.fact)
        rows.append(
            {
                **fields_of(one, "id=fact.id kind=fact.kind tier contradiction=fact.contradicted"),
                "line": line,
                **mark_object(mark),
                "state": state_of(one.fact, state.histories.get(one.fact.id)) or mark.standing,
                **fields_of(word_of, "known=word known_by=by"),
                "=brief": word_of.brief,
                "=said": "contradicted" if one.fact.contradicted else mark.said,
                "=line": one_line(line, _LINE_CHARS) + mark.behind,
            }
        )
    hint = "`--all` lists archived and superseded facts too"
    call.answer(
        {"facts": rows},
        Layout("facts|{id:yellow}  {kind}  {tier}[  {=brief}][  ({=said})]  {=line}"),
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
    from memory import day_of, view_page
    from projection.views.view_page import page_object, write

    said = day_of(name, " ".join(argument), call.now_ms())
    reader = call.memory()
    page = reader.ask(lambda cache: view_page(reader.snapshot, cache, name, said))
    if not call.json:
        return call.out.text(write(page))
    call.out.answer({"view": name, "argument": said, **page_object(page)})


def select(
    memory: Reader,
    state: State,
    ids: tuple[str, ...],
    kind: str,
    tier: str,
    archived: bool,
    *,
    as_of: str = "",
) -> list[Standing]:
    """Choose facts: those named, or those of a kind and a tier, by id.

    `ids` is () for all, `kind` and `tier` are "" for all; with `archived` come archived facts, also when
    no tier is named. The memory is asked for ids that are spelled alike, and without `as_of` for what
    HEAD holds.

    Raises:
        NotFound: a named fact is not there; nothing else is shown then.
        WrongUsage: there is no such kind.
    """
    from memory import as_here

    found = state.standings()
    if ids:
        found = [memory.standing(fact, state) for fact in dict.fromkeys(ids)]
    if not as_of:
        found = as_here(memory.snapshot, found)
    if kind:
        if kind not in {standing.fact.kind for standing in found}:
            from rituals.cli.commands.recall import check_kind

            check_kind(state.policy, kind)
        found = [standing for standing in found if standing.fact.kind == kind]
    if tier:
        return [standing for standing in found if standing.tier == tier]
    return found if archived or ids else [standing for standing in found if standing.live]


def block_of(one: Standing, state: State, known: Testimony, gone: tuple[Gone, ...]) -> str:
    """Write a fact with its footer as `continuity.md` has it, and where it stands if more is to say."""
    from ledger.environment import now_ms
    from projection.document.fact_remarks import PLAIN
    from projection.document.page_renderer import block
    from projection.lifecycle.promotion import marked_as
    from projection.work.reported_findings import finding_of

    written = block(one.fact.seen(now_ms()), one.tier, one.fact.kind, one.reason)
    found = finding_of(one.fact, state.histories[one.fact.id])
    if found is not None:
        said = found.state
    elif one.fact.superseded_by and not one.fact.redacted:
        said = f"superseded by {', '.join(one.fact.superseded_by)}"
    else:
        said = marked_as(one.fact, PLAIN, state.policy.learning).said
    lacks = "; ".join([mark.said for mark in gone])
    more = (("state", said), ("known", known.said), ("marks", lacks))
    told = "".join([f" | {key}: {value.replace('--', '- -')}" for key, value in more if value])
    return f"{written.removesuffix(' -->')}{told} -->" if told else written
