"""Answer with facts: their standing, marks, and how each is known."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.reader import Reader
    from projection.document.fact_remarks import Mark, Met
    from projection.fold.fact_history import Fact
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing
    from rituals.cli.context import Invocation


def answer_facts(
    call: Invocation, memory: Reader, as_of: str, state: State, facts: list[Standing]
) -> None:
    """Answer with facts, how each is known, and a person's side of a contradiction first, as JSON."""
    from memory.query.fact_marks import known
    from memory.replay.reader_marks import NOTHING_MARKED, marks_at
    from projection.document.fact_remarks import mark_of
    from projection.fold.testimony import RANK, persons_first, word_of
    from projection.lifecycle.pattern_standing import marked_as
    from rituals.answers.json_objects import fact_object, known_object, summary_object

    def fact_of(name: str) -> Fact | None:
        found = state.get(name)
        return None if found is None else found.fact

    def rank(stem: str) -> int:
        return RANK[word_of(memory.cache().entry(stem))]

    facts = [one._replace(fact=persons_first(one.fact, rank)) for one in facts]
    told = known(memory.cache(), [one.fact for one in facts])
    met: Met = {}
    marks = NOTHING_MARKED if as_of else marks_at(memory.home, memory.cache())

    def mark(fact: Fact) -> Mark:
        found = marked_as(fact, mark_of(fact, fact_of, met), state.policy.learning)
        return marks.on(found, fact)

    call.out.answer(
        {
            "as_of": as_of,
            "project": state.policy.project,
            **summary_object(state.summary),
            "facts": [
                fact_object(one, mark(one.fact), state.histories.get(one.fact.id))
                | known_object(told[one.fact.id])
                for one in facts
            ],
        }
    )
