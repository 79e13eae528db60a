"""Run `diurna why`: where a fact comes from, or the reasons behind a place of the code."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.errors import NotFound
from ledger.home import PERSONAL
from ledger.model.order import NO_DAY
from memory.cache.name_lookup import fact_named, is_named
from memory.recall.recall_values import parted
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.operation import option, word
from rituals.cli.output import Line, Output, heading, indented, some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.provenance import Provenance, Step
    from memory.query.reader import Reader

#: So many supersessions are printed each way.
_NEAR = 100
_VERSION = "version text event was stem agent date title commit"


def why(
    call: Invocation, *,
    id: str = word("ID|FILE[:LINE]|COMMIT"),
    versions: bool = option("Its texts alone, numbered, and which of them stands."),
) -> None:  # fmt: skip
    """Show where a fact comes from, or why a line, a file or a commit of the code is as it is.

    Of a fact: every event, oldest first, with each version of its text. At the end are the supersessions
    that lead to it and on from it, the nearest 100 each way; --json has all.

    Of code: the commits that wrote it, the sessions around them, and what these decided, tried and found,
    the strongest link first.

    Examples:
      diurna why webhook-retry-queue
      diurna why webhook-retry-queue --versions
      diurna why src/queue.py:12
    """
    from memory.query.provenance import provenance

    out = call.out
    if not versions:
        if not _is_fact(call.reader(), id):
            from rituals.cli.terminal.reasons_text import told_of_code

            if told_of_code(call, id):
                return
    memory, (fact,), home = call.holding((id,))
    shown = f"{home}/{fact}" if home else fact
    if not home:
        call.opened((fact,))
    if versions:
        heads = {version.id for version in memory.standing(fact).fact.heads}
        told = [
            (step, {"number": number, "stands": step.version in heads, **fields_of(step, _VERSION)})
            for number, step in enumerate(
                [s for s in provenance(memory, fact).steps if s.version], 1
            )
        ]
        return call.answer(
            {"id": shown, "versions": [row for _, row in told]}, _versions(shown, told, out)
        )
    found = provenance(memory, fact, near=0 if call.json else _NEAR)
    if home:  # of which the newest commit alone is here, and that tells of no log who committed it
        from memory.query.origins import Origin

        steps = tuple([step._replace(origin=Origin()) for step in found.steps])
        found = found._replace(id=shown, steps=steps)
    from rituals.answers.json_objects import provenance_object

    call.answer(lambda: provenance_object(found), _provenance(found, out))


def _versions(fact: str, told: list[tuple[Step, dict[str, object]]], out: Output) -> Iterator[Line]:
    yield ((fact, "bold"),)
    for step, row in told:
        replaces = f"  replaces {', '.join(step.was)}" if step.was else ""
        number, stands = f"\n{row['number']:>3}  ", ("  stands" if row["stands"] else "", "green")
        yield number, (step.version, "yellow"), stands, replaces
        by = f"{step.event} by {step.agent or 'nobody named'}"
        yield f"     {step.date or NO_DAY}  {by}: {step.title}"
        yield ("     in ", "dim"), out.short(step.stem)
        yield indented(step.text, "     ")


def _provenance(found: Provenance, out: Output) -> Iterator[Line]:
    said = [one for one in (found.mark.said, found.known.said, found.mark.behind.strip()) if one]
    yield (found.id, "bold"), "".join([f"  {one}" for one in said])
    for step in found.steps:
        by = f"  by {step.agent or 'nobody named'}"
        yield f"\n{step.date or NO_DAY}  ", (step.event, "bold"), by
        made = "waiting to be committed" if step.waiting else step.origin.said
        yield ("  in ", "dim"), out.short(step.stem), some((made, f", {made}"))
        if step.source or step.by:
            wrote = some((step.created, f", written {step.created}"))
            yield f"  from {step.source or 'elsewhere'}{wrote}{some((step.by, f' by {step.by}'))}"
        if step.remark:
            yield f"  {'evidence' if step.proof else 'remark'}: {step.remark}"
        if step.version:
            replaces = f", replaces {', '.join(step.was)}" if step.was else ""
            yield f"  version {step.version}{replaces}:"
            yield indented(step.text, "    ")
    if found.chain:
        yield heading("supersessions")
    for link in found.chain:
        left = "" if link.counts else "  (does not count)"
        yield f"  {link.old} → {link.new}{left}  ", (out.short(link.stem), "dim")
    if found.further:
        yield "  … and more, further away: --json has all"


def _is_fact(memory: Reader, asked: str) -> bool:
    """Tell whether a word names a fact, here or in a home beside."""
    cache = memory.cache()
    name = parted(asked)[0]
    if name:
        return name in (PERSONAL, *[one.name for one in cache.policy.upstream])
    try:
        return is_named(cache, fact_named(cache, asked))
    except NotFound:  # several begin so: a file of that name is meant
        return False
