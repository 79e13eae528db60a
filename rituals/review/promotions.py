"""Propose facts for the files that every agent of a repository reads."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from ledger.codec.outline import document_text
from ledger.git.code_history import Code
from ledger.model.event import Event, FactPromoted
from ledger.model.record import Record
from ledger.model.session import Entry
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.lifecycle.promotion import (
    PROMOTE,
    Score,
    candidates,
    scores,
    sessions_using,
    undocumented,
    words,
)
from projection.lifecycle.review_due import key_of, raised_threads
from rituals.review.agent_file import READ_FIRST, read_file, target_file, with_fact
from rituals.review.code_questions import evidence_questions
from rituals.review.questions import LEARN, PROMOTION, Question, question

_DOCUMENTS = (".md", ".mdx", ".mdc", ".rst", ".txt", ".adoc")
_MARKS = ("undocumented", "reusable", "specific", "used", "unlike")
#: The most documents that are read, nearest to the top first; the most facts that are offered at once.
_MOST_DOCUMENTS, _MOST = 400, 3
_PROMOTED = "it was promoted, and no document has it"


def score_facts(
    state: State, standings: Sequence[Standing], entries: Sequence[Entry], code: Code | None
) -> tuple[Score, ...]:
    """Score the facts that could be promoted; documents are read only where there are some.

    `standings` are all facts of the ledger; `entries` are its logs, in any order.
    """
    if not candidates(standings):
        return ()
    documents = documents_of(code)
    window = state.policy.windows.archive
    since = state.work[-window] if len(state.work) > window else ""
    users = sessions_using(entry for entry in entries if entry.stem >= since)
    return scores(
        standings, None if documents is None else documents.values(), users, sessions_using(entries)
    )


def documents_of(code: Code | None) -> dict[str, str] | None:
    """Return the texts of the code's documents by path, nearest to the top first; None without code."""
    if code is None:
        return None
    files = code.files()
    paths = sorted((path.count("/"), path) for path in files if path.endswith(_DOCUMENTS))
    chosen = [path for _, path in paths[:_MOST_DOCUMENTS]]
    texts = code.contents([files[path] for path in chosen])
    return {path: text for path in chosen if (text := document_text(texts.get(files[path], b"")))}


def promotion_questions(
    scored: Sequence[Score], state: State, doubted: AbstractSet[str], files: Mapping[str, str]
) -> Iterator[Question]:
    """Ask about the facts that are worth promoting.

    `doubted` has the ids that another question is about already; `files` has the paths of the code.
    """
    for score in scored:
        fact = state.fact(score.id)
        if score.proposal == PROMOTE and fact is not None and fact.id not in doubted:
            marks = ", ".join([f"{name} {getattr(score, name)}" for name in _MARKS])
            where = target_file(files)
            yield question(
                PROMOTION, fact.id, said=f"{fact.id} is worth promoting to {where}.",
                evidence=(f"{score.total} of 10: {marks}",),
                proposal=f"write it into {where}, and keep it as core",
                accept=(FactPromoted(fact.id),),
            )  # fmt: skip


class Promotion(Record):
    """A fact that is worth a place in a file, and what would become of the file."""

    fact: str  #: its id
    text: str  #: of it
    path: str  #: of the file, from the top of the work tree
    before: bytes | None  #: its bytes; None where there is none
    question: Question  #: by which it is asked and remembered
    diff: tuple[str, ...]  #: of the file
    refused: str = ""  #: why it can not be written, "" where it can

    @property
    def key(self) -> str:
        """By which it is known for good."""
        return self.question.key


def promotions(
    top: str,
    state: State,
    entries: Sequence[Entry],
    code: Code,
    paragraphs: Sequence[frozenset[str]],
    answered: AbstractSet[str],
) -> list[Promotion]:
    """Offer the facts that a review found worth promoting, or that were, and that no document has.

    None that the code belies by now is offered. `top` is of the work tree, `entries` are the logs of the
    ledger, `paragraphs` the words of the documents of the code, `answered` the keys of what was answered.
    """
    standings = tuple(state.standings())
    scored = score_facts(state, standings, entries, code)
    likely = {one.id for one in scored if one.proposal == PROMOTE}
    looked_at = [one for one in standings if one.fact.id in likely or one.fact.promoted]
    if not looked_at:
        return []
    files, promoted = code.files(), {one.fact.id for one in standings if one.fact.promoted}
    out = {name for one in evidence_questions(looked_at, code) for name in one.facts}
    for thread in raised_threads(one.fact for one in standings):
        if thread.rule == PROMOTION and thread.closed:  # rejected, as none that was accepted is
            out.update(set(thread.about) - promoted)
    asked = promotion_questions(scored, state, out, files)
    worth = {one.facts[0]: one.evidence for one in asked}
    for standing in standings:
        if standing.live and standing.fact.promoted and standing.fact.id not in out:
            worth.setdefault(standing.fact.id, (_PROMOTED,))
    there = {**files, **{name: "" for name in READ_FIRST if os.path.lexists(f"{top}/{name}")}}
    offered: list[Promotion] = []
    for name, evidence in worth.items():
        fact = state.fact(name)
        if fact is None or fact.redacted or fact.false or len(fact.heads) != 1:
            continue
        if key_of(LEARN, PROMOTION, name) not in answered and undocumented(
            words(fact.text), paragraphs
        ):
            offered.append(_promotion(top, fact, target_file(there), evidence))
    return offered[:_MOST]


def _promotion(top: str, fact: Fact, path: str, evidence: tuple[str, ...]) -> Promotion:
    before, refused = read_file(top, path)
    after = before or b"" if refused else with_fact(before, fact.text)
    old, new = [
        [line.decode("utf-8", "replace") for line in data.splitlines()]
        for data in (before or b"", after)
    ]
    name = path if before is not None else "/dev/null"
    events: tuple[Event, ...] = () if fact.promoted else (FactPromoted(fact.id),)
    asked = question(
        LEARN, PROMOTION, fact.id, facts=(fact.id,), said=f"{fact.id} is worth a place in {path}.",
        evidence=evidence, proposal=f"write it into {path}, and keep it as core", accept=events,
    )  # fmt: skip
    diff = tuple(difflib.unified_diff(old, new, name, path, lineterm="", n=1))
    return Promotion(fact.id, fact.text, path, before, asked, diff, refused)
