"""Run what shows memory: `diurna brief`, `recall`, `show` and `view`."""

from __future__ import annotations

from ledger.errors import WrongUsage
from ledger.model.order import is_stem, stem_in
from memory.query.reader import Reader
from memory.recall.recall_values import TIMELINE
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from rituals.cli.context import Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory.api import Memory


def brief(call: Invocation, role: str, task: str, budget: int, agent: str) -> None:
    """Run `diurna brief`."""
    made = call.memory().brief(
        budget_chars=budget, role=role, task=task, agent=agent, json=call.json, asks=True
    )
    call.out.text(made.text)


def recall(call: Invocation, /, query: tuple[str, ...], **given: Any) -> None:
    """Run `diurna recall`."""
    if given["level"] == TIMELINE:
        from rituals.cli.commands.log import around, is_anchor

        if is_anchor(given):
            return around(call, query, given)
    from rituals.cli.terminal.recall_text import answer

    answer(call, query, given)


def show(call: Invocation, /, ids: tuple[str, ...], mode: str | None, **given: Any) -> None:
    """Run `diurna show`."""
    if mode == "list":
        return _list(call, ids, given["kind"], given["tier"], archived=given["archived"])
    if mode:
        from rituals.cli.commands import links

        if mode == "about":
            return links.entity(call, " ".join(ids))
        if len(ids) != 1:
            raise WrongUsage("--links takes one ID", hint="`diurna show --list` lists the ids")
        return links.links(call, ids[0], given["hops"])
    _show(call, ids, given["as_of"], given["kind"], given["tier"])


def _show(call: Invocation, ids: tuple[str, ...], as_of: str, kind: str, tier: str | None) -> None:
    memory, ids, home = call.holding(ids)
    if not home:
        call.opened(ids)
    if any(is_stem(one) and memory.fact(one) is None for one in ids):
        from rituals.cli.terminal.recall_text import answer

        if as_of or kind or tier:
            raise WrongUsage("a session log is shown whole", hint="leave the other options out")
        answer(call, (), {"ids": ",".join(ids), "level": "", "before": "", "after": ""})
        return
    if not (ids or as_of or kind or tier or call.json):
        return call.out.text(memory.continuity())
    from rituals.cli.terminal.recall_text import select

    state = memory.state(as_of)
    if call.json:
        _answer_facts(
            call, memory, as_of, state,
            select(memory, state, ids, kind, tier or "", archived=True, as_of=as_of),
        )  # fmt: skip
        return
    from memory.replay.reader_marks import NOTHING_MARKED, known, marks_at
    from projection.document.page_renderer import NOT_KNOWN, render
    from rituals.cli.terminal.listing_text import block_of

    if not (ids or kind or tier):
        view = state.view()
        if not len(state) and any(NOT_KNOWN in one.message for one in memory.snapshot.notes):
            view = view._replace(tiers=())
        return call.out.text(render(view))
    facts = select(memory, state, ids, kind, tier or "", archived=False, as_of=as_of)
    told = known(memory.cache(), [one.fact for one in facts])
    marks = NOTHING_MARKED if as_of else marks_at(memory.home, memory.cache())
    blocks = [block_of(one, state, told[one.fact.id], marks.of(one.fact)) for one in facts]
    call.out.text("\n\n".join(blocks) + "\n" if blocks else "")
    if not blocks:
        call.out.talk("no fact matches", fixed=True)
        if not (ids or tier):
            call.out.hint(
                "`--tier archived` and `--tier superseded` show those in the archive", fixed=True
            )


def _list(
    call: Invocation, patterns: tuple[str, ...], kind: str, tier: str | None, *, archived: bool
) -> None:
    """List facts, a line each."""
    from memory.replay.reader_marks import known
    from rituals.cli.terminal.listing_text import in_sections, line_object, matching, print_line
    from rituals.cli.terminal.recall_text import select

    memory, out = call.reader(), call.out
    state = memory.state()
    found = matching(select(memory, state, (), kind, tier or "", archived), patterns)
    found = in_sections(found, state.policy)
    marks = memory.marks([one.fact for one in found])
    told = memory.ask(lambda cache: known(cache, [one.fact for one in found]))
    if call.json:
        from rituals.answers.json_objects import known_object

        acts = state.histories
        facts = [
            line_object(one, marks[one.fact.id], acts.get(one.fact.id))
            | known_object(told[one.fact.id])
            for one in found
        ]
        return out.answer({"facts": facts})
    for one in found:
        print_line(one, marks[one.fact.id], told[one.fact.id], out)
    if not found:
        out.talk("no fact matches" if len(state) else "no fact yet", fixed=True)
        if len(state) and not (archived or tier):
            out.hint("`--all` lists archived and superseded facts too", fixed=True)


def view(call: Invocation, name: str, argument: tuple[str, ...]) -> None:
    """Run `diurna view`."""
    from projection.views.view_table import VIEWS

    if not name:
        if call.json:
            return call.out.answer({"views": [{"name": one, "does": VIEWS[one]} for one in VIEWS]})
        for one, does in VIEWS.items():
            call.out.line((f"{one:<10}", "bold"), f" {does}")
        return
    from memory.query.home_views import day_of, view_page
    from projection.views.view_page import page_object, write

    said = day_of(name, " ".join(argument), call.now_ms())
    reader = call.memory()
    page = reader.ask(lambda cache: view_page(reader.snapshot, cache, name, said))
    if not call.json:
        return call.out.text(write(page))
    more = {"changes": _changes(reader)} if name == "decisions" else {}
    call.out.answer({"view": name, "argument": said, **page_object(page), **more})


def _changes(memory: Memory) -> list[dict[str, Any]]:
    """Describe each change of a decision in ledger order: what it said, and by whom, when and why."""
    from memory.query.log_lines import lines_of, writers
    from memory.query.origins import Origin
    from projection.graph.fact_links import footer
    from projection.views.decision_view import KIND, changes
    from projection.views.view_source import ROLE_KEY
    from rituals.answers.record_fields import fields_of

    state = memory.state()
    facts = [one.fact.id for one in state.standings() if not footer(one.fact, ROLE_KEY)]
    found = [one for fact in facts for one in changes(fact, state.histories, KIND)]
    stems = {stem_in(one.key) for one in found}
    lines = lines_of(memory.snapshot, stems)
    persons = writers(memory.snapshot, stems, memory.origins)
    return [
        {
            **fields_of(one, "fact did before after reason"),
            "stem": (stem := stem_in(one.key)),
            "date": one.date or lines[stem].ended,
            "person": one.by or persons.get(stem, Origin()).author,
            "agent": lines[stem].agent,
        }
        for one in sorted(found, key=lambda one: (one.key, one.fact))
    ]


def _answer_facts(
    call: Invocation, memory: Reader, as_of: str, state: State, facts: list[Standing]
) -> None:
    """Answer with facts, how each is known, and a person's side of a contradiction first, as JSON."""
    from memory.replay.reader_marks import NOTHING_MARKED, marks_at
    from rituals.answers.json_objects import described, finding_objects, summary_object

    cache = memory.cache()
    marks = NOTHING_MARKED if as_of else marks_at(memory.home, cache)
    call.out.answer(
        {
            "as_of": as_of,
            "project": state.policy.project,
            **summary_object(state.summary),
            "facts": described(cache, state, facts, marks),
            "findings": finding_objects(
                [one for one in memory.snapshot.notes if one.code == "as-of-date"]
            ),
        }
    )
