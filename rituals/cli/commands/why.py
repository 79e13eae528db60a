"""Run `diurna why`: where a fact comes from, or the reasons behind a place of the code."""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.home import PERSONAL
from ledger.model.order import NO_DAY
from memory.cache.name_lookup import fact_named, is_named
from memory.recall.recall_values import parted
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.operation import option, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.provenance import Provenance
    from memory.query.reader import Reader
    from rituals.cli.output import Output
    from rituals.decide.fact_wording import Telling

#: So many supersessions are printed each way.
_NEAR = 100


def why(
    call: Invocation, *,
    id: str = word("ID|FILE[:LINE]|COMMIT"),
    versions: bool = option("Its texts alone, numbered, and which of them stands."),
) -> None:  # fmt: skip
    """Show where a fact comes from, or why a line, a file or a commit of the code is as it is.

    Of a fact: every event, oldest first, with each version of its text. At the end are the supersessions
    that lead to it and on from it, the nearest 100 each way; --json has all.

    Of code: the commits that wrote it, the sessions around them, and what these decided, tried and found,
    the strongest link first. What only words speak for stands below, behind `perhaps`.

    Examples:
      diurna why webhook-retry-queue
      diurna why webhook-retry-queue --versions
      diurna why src/queue.py:12
    """
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
        from rituals.decide.fact_wording import tellings

        told = tellings(memory, fact)
        if call.json:
            out.answer(_versions_object(shown, told))
        else:
            _print_versions(shown, told, out)
        return
    found = memory.why(fact, near=0 if call.json else _NEAR)
    if home:  # of which the newest commit alone is here, and that tells of no log who committed it
        from memory.query.origins import Origin

        steps = tuple([step._replace(origin=Origin()) for step in found.steps])
        found = found._replace(id=shown, steps=steps)
    if call.json:
        from rituals.answers.json_objects import provenance_object

        out.answer(provenance_object(found))
        return
    _print_provenance(found, out)


def _versions_object(fact: str, found: tuple[Telling, ...]) -> dict[str, object]:
    step = "version text event was stem agent date title commit"
    return {
        "id": fact,
        "versions": [
            {**fields_of(one, "number stands"), **fields_of(one.step, step)} for one in found
        ],
    }


def _print_versions(fact: str, found: tuple[Telling, ...], out: Output) -> None:
    out.line((fact, "bold"))
    for one in found:
        step = one.step
        stands = "  stands" if one.stands else ""
        replaces = f"  replaces {', '.join(step.was)}" if step.was else ""
        out.line("")
        out.line(f"{one.number:>3}  ", (step.version, "yellow"), (stands, "green"), replaces)
        out.line(
            f"     {step.date or NO_DAY}  {step.event} by {step.agent or 'nobody named'}: {step.title}"
        )
        out.line(("     in ", "dim"), out.short(step.stem))
        out.indented(step.text, "     ")


def _print_provenance(found: Provenance, out: Output) -> None:
    said = [one for one in (found.mark.said, found.known.said, found.mark.behind.strip()) if one]
    out.line((found.id, "bold"), "".join([f"  {one}" for one in said]))
    for step in found.steps:
        out.line("")
        out.line(
            f"{step.date or NO_DAY}  ", (step.event, "bold"), f"  by {step.agent or 'nobody named'}"
        )
        made = "waiting to be committed" if step.waiting else step.origin.said
        out.line(("  in ", "dim"), out.short(step.stem), f", {made}" if made else "")
        if step.source or step.by:
            wrote = f", written {step.created}" if step.created else ""
            out.line(
                f"  from {step.source or 'elsewhere'}{wrote}{f' by {step.by}' if step.by else ''}"
            )
        if step.remark:
            out.line(f"  {'evidence' if step.proof else 'remark'}: {step.remark}")
        if step.version:
            replaces = f", replaces {', '.join(step.was)}" if step.was else ""
            out.line(f"  version {step.version}{replaces}:")
            out.indented(step.text, "    ")
    if found.chain:
        out.heading("supersessions")
    for link in found.chain:
        left = "" if link.counts else "  (does not count)"
        out.line(f"  {link.old} → {link.new}{left}  ", (out.short(link.stem), "dim"))
    if found.further:
        out.line("  … and more, further away: --json has all")


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
