"""Find facts that came from a document which says something else by now, or is gone."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.escape import prose
from ledger.git.code_history import Code
from ledger.model.event import Event, FactInvalidated
from projection.brief.single_line import shortened
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from rituals.intake.harvest.origin import origin_in
from rituals.intake.harvest.outdated_passages import Changed, Sourced, changed_passages
from rituals.review.evidence.audit_subjects import asked_about
from rituals.review.review_question import Question, question

_SHOWN_CHARS = 300
_OTHERWISE = "say what holds now, or that the fact is false"


def document_questions(standings: Iterable[Standing], code: Code) -> list[Question]:
    """Ask about facts whose footer `source` names a passage that no longer stands.

    A passage that moved within its file, or with it, still stands.
    """
    sourced = [one for fact in asked_about(standings) if (one := sourced_fact(fact)) is not None]
    return [_question(one, code.commit) for one in changed_passages(sourced, code)]


def sourced_fact(fact: Fact) -> Sourced | None:
    """Return where a fact came from, None where no passage of a file is named."""
    origin = origin_in(dict(fact.meta).get("source", ""))
    return Sourced(fact.id, fact.text, origin) if origin is not None else None


def _question(changed: Changed, commit: str) -> Question:
    fact, path = changed.fact.id, changed.fact.origin.path
    evidence = []
    if changed.was:
        evidence.append(f"{prose(changed.fact.origin.said)} said: {_shown(changed.was)}")
    if not changed.path:
        return question(
            "document-gone", fact, path, said=f"{fact} came from `{prose(path)}`, which is gone.",
            evidence=(*evidence, f"no such file is at {commit[:7]}"), proposal=_OTHERWISE,
        )  # fmt: skip
    place = f"`{prose(changed.path)}:{changed.line}` at {commit[:7]}"
    proposal, accept = _OTHERWISE, tuple[Event, ...]()
    if changed.why:
        evidence.append(f"{place}: its status is {_shown(changed.why)}")
        proposal, accept = "call the fact false, or say what holds now", (FactInvalidated(fact),)
    elif changed.now:
        evidence.append(f"{place} says: {_shown(changed.now)}")
        proposal = "let the text say it"
    else:
        evidence.append(f"nothing in `{prose(changed.path)}` at {commit[:7]} says so now")
    return question(
        "document-changed", fact, changed.path, changed.why or changed.now,
        said=f"{fact} came from `{prose(path)}`, which says something else now.",
        evidence=tuple(evidence), proposal=proposal, accept=accept,
        swaps=((changed.fact.text, changed.now),) if changed.now else (),
    )  # fmt: skip


def _shown(text: str) -> str:
    return shortened(prose(text), _SHOWN_CHARS)
