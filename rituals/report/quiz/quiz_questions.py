"""Choose what the quiz asks: questions of the ledger, and general ones for any project."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.record import Record
from projection.fold.fact_history import Fact
from projection.policy import model

#: The footer of a question that names the facts that answer it.
EXPECT_KEY = "expect"


class Asked(Record):
    """One question of the quiz."""

    name: str  #: the id of its fact; of a general one what it is about
    text: str  #: as it is put to recall
    expect: tuple[str, ...] = ()  #: ids of the facts that answer it; one of them is enough
    kinds: tuple[str, ...] = ()  #: of the facts that answer a general one, "" for one of the ledger

    @property
    def general(self) -> bool:
        """Whether any project has to answer it."""
        return bool(self.kinds)


#: What an agent that is new to a project asks first. Of the kinds that answer one, the first is what
#: to write where nothing does.
GENERAL = (
    Asked(
        "purpose", "What is the vision of this project: its purpose, its goal, its north star?",
        kinds=(model.VISION_KIND, "invariant"),
    ),
    Asked(
        "rules", "Which invariants must always hold, and what must never be done?",
        kinds=("invariant",),
    ),
    Asked(
        "stack", "What is the stack: language, versions, frameworks, databases and tools?",
        kinds=("stack",),
    ),
    Asked(
        "decisions", "Which decisions were made, what was chosen instead of what, and why?",
        kinds=("decision",),
    ),
    Asked(
        "conventions", "Which conventions do code, tests, commits and reviews follow?",
        kinds=("convention", "preference"),
    ),
    Asked(
        "state", "What is the current state of the project, its status and phase?",
        kinds=(model.STATE_KIND, "fact"),
    ),
    Asked(
        "work", "Which threads and tasks are open, and what comes next?",
        kinds=(model.THREAD_KIND, model.TASK_KIND, model.HANDOFF_KIND),
    ),
    Asked(
        "lessons", "Which patterns and conventions were learned, and what was tried and failed?",
        kinds=(model.PATTERN_KIND, model.ATTEMPT_KIND, model.FINDING_KIND, "convention"),
    ),
)  # fmt: skip


def questions_of(facts: Iterable[Fact]) -> tuple[Asked, ...]:
    """Return the questions of all facts of a ledger, by id.

    One that nobody named for long fades as any fact does, and is asked all the same; one that is false,
    put away by hand or withheld is not.
    """
    found = []
    for fact in facts:
        if fact.kind == model.QUESTION_KIND and not (
            fact.false or fact.redacted or fact.archived_at
        ):
            found.append(Asked(fact.id, fact.text, expected(fact)))
    return tuple(sorted(found))


def expected(fact: Fact) -> tuple[str, ...]:
    """Return what a question expects: the ids in its footer, parted by commas or blanks, each once."""
    value = dict(fact.meta).get(EXPECT_KEY, "")
    return tuple(dict.fromkeys(value.replace(",", " ").split()))
