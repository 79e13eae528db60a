"""Print what `diurna show --list` answers: a line for each fact, cheap to read."""

from __future__ import annotations

from fnmatch import fnmatchcase

from ledger.environment import now_ms
from projection.document.archive_pages import summary_of
from projection.document.fact_remarks import PLAIN, Gone, Mark
from projection.document.page_renderer import block
from projection.fold.testimony import UNTOLD, Testimony
from projection.lifecycle.promotion import marked_as
from projection.text.clipping import one_line
from projection.work.finding_facts import finding_of, state_of
from rituals.answers.record_fields import fields_of, mark_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fold.fact_history import History
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing
    from projection.policy.model import Policy
    from rituals.cli.output import Line

#: How long a line is, and how much of the text it has at least, however long the id is.
_LINE_CHARS, _LEAST_CHARS = 100, 24


def matching(found: list[Standing], patterns: tuple[str, ...]) -> list[Standing]:
    """Return the facts that every pattern fits: a part of id or text, or with `*` and `?` the whole id."""
    wanted = [pattern.casefold() for pattern in patterns]
    return [one for one in found if all(_fits(one, pattern) for pattern in wanted)]


def in_sections(found: list[Standing], policy: Policy) -> list[Standing]:
    """Put facts into the order of the sections of `continuity.md`, by id within each."""
    rank = {kind.name: number for number, kind in enumerate(policy.kinds)}
    return sorted(
        found, key=lambda one: (rank.get(one.fact.kind, len(rank)), one.fact.kind, one.fact.id)
    )


def _fits(one: Standing, pattern: str) -> bool:
    if "*" in pattern or "?" in pattern:
        return fnmatchcase(one.fact.id, pattern)
    return pattern in one.fact.id or pattern in one.fact.text.casefold()


def block_of(
    one: Standing, state: State, known: Testimony = UNTOLD, gone: tuple[Gone, ...] = ()
) -> str:
    """Write a fact with its footer as `continuity.md` has it, and where it stands if more is to say."""
    written = block(one.fact.seen(now_ms()), one.tier, one.fact.kind, one.reason)
    found = finding_of(one.fact, state.histories[one.fact.id])
    said = found.state if found is not None else _standing_of(one, state)
    lacks = "; ".join([mark.said for mark in gone])
    more = (("state", said), ("known", known.said), ("marks", lacks))
    told = "".join([f" | {key}: {value.replace('--', '- -')}" for key, value in more if value])
    return f"{written.removesuffix(' -->')}{told} -->" if told else written


def _standing_of(one: Standing, state: State) -> str:
    """Return by what a fact was superseded, or that a pattern did not hold up."""
    if one.fact.superseded_by and not one.fact.redacted:
        return f"superseded by {', '.join(one.fact.superseded_by)}"
    return marked_as(one.fact, PLAIN, state.policy.learning).said


def line_object(one: Standing, mark: Mark, history: History | None = None) -> dict[str, object]:
    """Describe a fact in a line: enough to choose by, and no more."""
    return {
        **fields_of(one, "id=fact.id kind=fact.kind tier contradiction=fact.contradicted"),
        "line": summary_of(one.fact),
        **mark_object(mark),
        "state": state_of(one.fact, history) or mark.standing,
    }


def fact_line(one: Standing, mark: Mark, known: Testimony) -> Line:
    """Write a fact on one line, behind what has to be known before its text."""
    said = "contradicted" if one.fact.contradicted else mark.said
    words = [word for word in (one.fact.kind, one.tier, known.brief) if word]
    head = f"  {'  '.join(words)}  " + (f"({said}) " if said else "")
    room = max(_LEAST_CHARS, _LINE_CHARS - len(one.fact.id) - len(head))
    return (one.fact.id, "yellow"), head, one_line(summary_of(one.fact), room) + mark.behind
