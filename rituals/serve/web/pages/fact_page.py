"""Show one fact: its text, where it stands and why, and what is linked with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ledger.model.event import (
    VERB_OF,
    FactCreated,
    FactRedacted,
    FactReferenced,
    FactUpdated,
    FactVerified,
)
from ledger.model.ids import WITHHELD
from ledger.model.log_names import key_of, stem_in
from memory import ADOPTION, WhyStep, as_here, provenance
from projection.fold.fact_history import REDACTED_TEXT, Fact, Texts
from projection.graph.graph_neighbours import NEAR
from projection.lifecycle.tier_changes import left_of
from projection.policy.model import CLOSABLE
from rituals.serve.web.pages.tasks_page import cards
from rituals.serve.web.tip_view import Asked, Page, TipView

#: So many supersessions of each direction are shown.
_NEAR = 8
_USED, _UPDATED, _CREATED = VERB_OF[FactReferenced], VERB_OF[FactUpdated], VERB_OF[FactCreated]
#: What people call an event, where that is not its verb.
_SAID = {_USED: "Used", VERB_OF[FactVerified]: "Confirmed"}
#: Of the sessions that knew of a false fact so many are listed.
_READERS = 40


def fact(tip: TipView, asked: Asked) -> Page:
    """Return the page of a fact, or of an id that logs name and that has no text.

    Raises:
        NotFound: no log names it.
    """
    name = asked["id"]
    why = provenance(tip.memory, name, _NEAR)
    there = [one for one in (tip.standings.get(name),) if one is not None]
    standing = next(iter(as_here(tip.memory.snapshot, there)), None)
    now = standing.fact if standing else None
    remarks = {step.origin.remark for step in why.steps}
    withheld = [key_of(one.stem) for one in why.steps if one.event == VERB_OF[FactRedacted]]
    values = {
        "id": name, "standing": standing, "fact": now, "why": why, "told": tellings(why.steps),
        #: of who wrote the logs, where that is the same of all
        "remark": why.steps[0].origin.remark if len(remarks) == 1 else "",
        "last": next((step for step in reversed(why.steps) if step.text), why.steps[0]),
        "links": tip.graph.links(name, most=NEAR),
        "disputes": tip.of_fact(name) if now and now.contradicted else [],
        "closable": now is not None and now.kind in CLOSABLE,
        "left": left_of(standing, tip.state.decay, tip.state.policy) if standing else None,
        "since": tip.sessions_since(now.anchor) if now else 0, "prefix": tip.memory.home.prefix,
        #: why it was withheld, by the log that did that
        "withheld": {stem_in(key): one.summary for key, one in tip.sessions(withheld).items()},
        "card": next(iter(cards(tip, [one for one in tip.tasks if one.id == name])), None),
        "built": built(tip, now) if now and now.false else None,
    }  # fmt: skip
    return Page("fact", name, values)


def built(tip: TipView, fact: Fact) -> dict[str, Any]:
    """Return what was built on a false fact until it was called so: facts and sessions.

    Of a session that used it or was shown it: (session, what it had of it, what came in it), newest first;
    `more` are those that are not listed.
    """
    found = tip.built_on.of(fact.id)
    shown = found.readers[:_READERS]
    sessions = tip.sessions([one.stem for one in shown])
    facts = {id: one.fact for id, one in tip.standings.items()}
    readers = [
        (sessions[one.stem], one.how, [facts[name] for name in one.facts if name in facts])
        for one in shown
        if one.stem in sessions
    ]
    return {
        "until": found.until[:10], "facts": [facts[name] for name in found.facts], "readers": readers,
        "more": len(found.readers) - len(shown),
    }  # fmt: skip


def tellings(steps: Sequence[WhyStep]) -> list[dict[str, Any]]:
    """Return the events of a fact, newest first: uses in a row as one, texts beside what they replaced.

    Each has its (step, name of its place on the page), newest first; what people call it; whether it is a
    `run` of uses; and (version, its text, the new text) for each version that its text replaced.
    """
    found: list[dict[str, Any]] = []
    texts, stood = Texts(), {step.version: step.text for step in steps if step.version}
    places: Counter[str] = Counter()
    created = False
    for step in steps:
        places[step.stem] += 1
        again = f".{places[step.stem]}" if places[step.stem] > 1 else ""
        said = _SAID.get(step.event, step.event)
        if step.event == _CREATED:
            said = "Imported" if created and step.origin.via == ADOPTION else said
            created = True
        was: tuple[str, ...] = ()
        if step.version:
            was = step.was or (tuple(texts.heads) if step.event == _UPDATED else ())
            texts.bring(WITHHELD + step.version, step.stem, was)
        run = step.event == _USED and bool(step.proof or not step.remark)
        steps_there = [(step, f"e-{step.stem}{again}")]
        if run and found and found[-1]["run"]:
            steps_there += found.pop()["steps"]
        changes = [
            (version, stood[version], step.text)
            for version in was
            if stood.get(version, REDACTED_TEXT) not in (REDACTED_TEXT, step.text)
        ]
        found.append({"steps": steps_there, "said": said, "run": run, "changes": changes})
    return found[::-1]
