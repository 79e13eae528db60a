"""Read the questions that a ledger of the layout asks of its own memory: they become those of the quiz.

`smoke-test.md` numbers them below headings. Those that it asks of any repository the quiz asks already. A
question expects the facts that stand behind it by their ids; where it names none, a person says which.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from projection.policy.model import QUESTION_KIND
from projection.text.fact_ids import id_of_subject
from rituals.intake.adopt.adopted_files import QUESTIONS, AgentMemory
from rituals.intake.adopt.page_blocks import Page
from rituals.intake.adopt.read_facts import LIVE, ImportedFact
from rituals.intake.adopt.unclaimed_text import free_id

_OF_QUESTIONS = re.compile(r"\bquestions?\b", re.IGNORECASE)
_OF_ANY = re.compile(r"\b(?:generic|general|any (?:repo|project))", re.IGNORECASE)
#: What stands behind a question: where its answer is looked up.
_POINTER = re.compile(r"\s*[*_]*\((?:→|->|see\b|answer\b)[^\n]*$", re.IGNORECASE)
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+")


def questions(memory: AgentMemory, taken: Collection[str]) -> tuple[ImportedFact, ...]:
    """Return the questions of the ledger's own.

    `taken` has the ids that facts have already; a question can expect these.
    """
    known, ids = frozenset(taken), set(taken)
    page = Page(QUESTIONS, memory.questions, [])
    found = []
    for item in page.tops:
        title = page.headings[item.heading].title if item.heading >= 0 else ""
        if not _OF_QUESTIONS.search(title) or _OF_ANY.search(title):
            continue
        rows = page.lines[item.start : item.end + 1]
        whole = " ".join(" ".join([rows[0][item.text_at :], *rows[1:]]).split())
        text = _POINTER.sub("", whole)
        if not text.endswith("?"):
            continue
        expected = [id for id in dict.fromkeys(_ID.findall(whole)) if id in known]
        meta = (("expect", ", ".join(expected)),) if expected else ()
        id = free_id(id_of_subject(text, {}), ids)
        ids.add(id)
        found.append(ImportedFact(
            id, text, QUESTION_KIND, "", "", "", "", "", QUESTIONS, item.start + 1, LIVE, 0, meta
        ))  # fmt: skip
    return tuple(found)
