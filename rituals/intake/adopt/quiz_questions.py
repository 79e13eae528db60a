"""Read the questions that a ledger of the layout asks of its own memory: they become those of the quiz.

`smoke-test.md` numbers them below headings. Those that it asks of any repository the quiz asks already. A
question expects the facts that stand behind it by their ids; where it names none, a person says which.
"""

from __future__ import annotations

import re

from projection.policy.model import QUESTION_KIND
from projection.text.fact_ids import id_of_subject
from rituals.intake.adopt.layout import QUESTIONS, AgentMemory, text_of
from rituals.intake.adopt.read_facts import LIVE, ImportedFact
from rituals.intake.adopt.unclaimed_text import free_id
from rituals.intake.harvest.markdown import read_markdown
from rituals.intake.harvest.passages import ITEM
from rituals.report.quiz.questions import EXPECT_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_OF_QUESTIONS = re.compile(r"\bquestions?\b", re.IGNORECASE)
_OF_ANY = re.compile(r"\b(?:generic|general|any (?:repo|project))", re.IGNORECASE)
#: What stands behind a question: where its answer is looked up.
_POINTER = re.compile(r"\s*[*_]*\((?:→|->|see\b|answer\b)[^\n]*$", re.IGNORECASE)
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+")


def questions(memory: AgentMemory, taken: Collection[str]) -> tuple[ImportedFact, ...]:
    """Return the questions of the ledger's own.

    Args:
        memory: the ledger.
        taken: ids that facts have already; a question can expect these.
    """
    document = read_markdown(QUESTIONS, text_of(memory.questions))
    known, ids = frozenset(taken), set(taken)
    found = []
    for passage in document.passages:
        title = next(iter(document.headings(passage.section)), "")
        if passage.kind != ITEM or not _OF_QUESTIONS.search(title) or _OF_ANY.search(title):
            continue
        whole = " ".join([text for _, text in passage.rows])
        text = document.plain(_POINTER.sub("", whole))
        if not text.endswith("?"):
            continue
        expected = [id for id in dict.fromkeys(_ID.findall(whole)) if id in known]
        meta = ((EXPECT_KEY, ", ".join(expected)),) if expected else ()
        id = free_id(id_of_subject(text, {}), ids)
        ids.add(id)
        found.append(ImportedFact(
            id, text, QUESTION_KIND, "", "", "", "", "", QUESTIONS, passage.line, LIVE, 0, meta
        ))  # fmt: skip
    return tuple(found)
