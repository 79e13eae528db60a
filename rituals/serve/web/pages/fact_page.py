"""Show one fact: its text, where it stands, why it stands there, and what is linked with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.model.event import VERB_OF, FactReferenced, FactUpdated
from ledger.model.ids import WITHHELD
from ledger.model.record import Record
from memory.query.fact_marks import as_here
from memory.query.provenance import Step
from projection.document.page_renderer import REDACTED
from projection.fold.text_versions import Texts
from projection.lifecycle.transitions import left_of
from projection.policy.model import CLOSABLE
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.file_page import files_named
from rituals.serve.web.tip_view.tip_view import TipView

#: So many supersessions of each direction are shown, and so many facts that are two hops away.
_NEAR, _FAR = 8, 24
_USED, _UPDATED = VERB_OF[FactReferenced], VERB_OF[FactUpdated]


class Told(Record):
    """One event of a fact, or a run of uses."""

    steps: tuple[Step, ...]  #: one, or the uses in a row; the newest first
    run: bool = False  #: whether they are such uses
    #: (version, its text, the new text) for each version that the event's text replaced
    changes: tuple[tuple[str, str, str], ...] = ()


def fact(tip: TipView, asked: Asked) -> Page:
    """Return the page of a fact, or of an id that logs name and that has no text.

    Raises:
        NotFound: no log names it.
    """
    name = asked["id"]
    why = tip.memory.why(name, tip.resident, _NEAR)
    there = [one for one in (tip.standings.get(name),) if one is not None]
    standing = next(iter(as_here(tip.memory.snapshot, there)), None)
    now = standing.fact if standing else None
    values = {
        "id": name,
        "standing": standing,
        "fact": now,
        "why": why,
        "told": tellings(why.steps),
        "links": tip.graph.links(name, most=_FAR),
        "most": _FAR,
        "disputes": tip.disputed.get(name, []) if now and now.contradicted else [],
        "closable": now is not None and now.kind in CLOSABLE,
        "left": left_of(standing, tip.state.decay, tip.state.policy) if standing else None,
        "files": files_named(tip, now) if now and not now.redacted else (),
        "uses": tip.uses.get(name, ()),
        "sessions": len(tip.work),
        "since": tip.sessions_since(now.anchor) if now else 0,
    }
    return Page("fact", name, values)


def addresses(tip: TipView) -> Iterable[str]:
    """Return the addresses of all facts; ids need no encoding."""
    return [f"/fact/{name}" for name in sorted(tip.facts)]


def tellings(steps: Sequence[Step]) -> list[Told]:
    """Return the events of a fact, newest first: uses in a row as one, texts beside what they replaced."""
    found: list[Told] = []
    texts, stood = Texts(), {step.version: step.text for step in steps if step.version}
    for step in steps:
        changes: list[tuple[str, str, str]] = []
        if step.version:
            was = step.was or (tuple(texts.heads) if step.event == _UPDATED else ())
            texts.bring(WITHHELD + step.version, step.stem, was)
            changes = [
                (version, stood[version], step.text)
                for version in was
                if stood.get(version, REDACTED) not in (REDACTED, step.text)
            ]
        if step.event == _USED and (step.proof or not step.remark):
            run = found.pop().steps if found and found[-1].run else ()
            found.append(Told((step, *run), run=True))
        else:
            found.append(Told((step,), changes=tuple(changes)))
    return found[::-1]
