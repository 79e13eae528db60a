"""Find what leads to no vision, and what a footer says is obsolete some day, or does not fit.

Each function is a pure function of the state and gives questions. What a footer says is named, not quoted:
a log keeps its words for good, also when the fact is redacted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.model.event import ThreadClosed
from ledger.model.session import OBSOLETE_KEY
from projection.document.fact_remarks import instead_of
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.graph.fact_links import served
from projection.lifecycle.footer_remarks import MISFIT_KEY, remarks
from projection.lifecycle.review_threads import is_raised
from projection.policy.model import TASK_KIND, THREAD_KIND, VISION_KIND
from projection.text.until_conditions import until_of
from rituals.decide.decision import over
from rituals.review.ledger_questions import Ground
from rituals.review.review_question import Question, question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.document.fact_remarks import Met

DRIFT, OBSOLETE, MISFIT = "drift", "obsolete", "misfit"
_LEAD_HINT = "let it serve what leads to one: `→ serves: ID` at the end of a line of its text"
#: What has to lead to a vision while it is live; a thread or a task only while it is open.
_LEADING = ("decision", THREAD_KIND, TASK_KIND)


def drift_questions(ground: Ground) -> Iterator[Question]:
    """Ask about open threads, open tasks and decisions that reach no vision by what they serve.

    Each once, and only where there is a vision.
    """
    facts = [one.fact for one in ground.standings if one.live and not one.fact.redacted]
    visions = {fact.id for fact in facts if fact.kind == VISION_KIND}
    if not visions:
        return
    reaching = _reaching(visions, facts, ground.state)
    for fact in facts:
        leads = fact.kind in _LEADING and not (fact.closed or is_raised(fact))
        if leads and fact.id not in reaching:
            said = f"{fact.id} leads to no vision."
            yield question(DRIFT, fact.id, said=said, proposal=_LEAD_HINT)


def _reaching(visions: set[str], facts: Iterable[Fact], state: State) -> set[str]:
    """Return what reaches a vision, through whatever it serves; what is superseded passes on."""
    servants: dict[str, list[str]] = {}
    met: Met = {}
    for fact in facts:
        for target in served(fact):
            there = state.fact(target)
            now = instead_of(there, state.fact, met) if there and there.false else (target,)
            for one in now:
                servants.setdefault(one, []).append(fact.id)
    found, todo = set(visions), [*visions]
    while todo:
        fresh = set(servants.get(todo.pop(), ())) - found
        found |= fresh
        todo += fresh
    return found


def remark_questions(ground: Ground, *, code: bool) -> Iterator[Question]:
    """Ask what footers of live facts give reason to ask; `code` tells whether commits can be looked at."""
    for standing in ground.standings:
        fact = standing.fact
        said = remarks(fact) if standing.live and not fact.closed else {}
        if OBSOLETE_KEY in said and not (code and until_of(fact.meta)[1]):  # else a commit answers
            yield from _obsolete(ground, fact)
        if MISFIT_KEY in said:
            yield question(
                MISFIT, fact.id, said[MISFIT_KEY],
                said=f"{fact.id} does not fit, as its footer says (`misfit`).",
                proposal="reword it, give it another kind, or say that it is false",
            )  # fmt: skip


def _obsolete(ground: Ground, fact: Fact) -> Iterator[Question]:
    """Ask whether a fact is obsolete by now: at each review with work since the last one.

    The key names that last review, so each asks anew, but not while the question stands open.
    """
    last = ground.state.summary.last_review
    still_open = [
        one.keys for one in ground.raised
        if one.rule == OBSOLETE and one.about == (fact.id,) and not one.closed
    ]  # fmt: skip
    if not still_open and last and not ground.sessions_since(last):
        return
    done = over(fact)
    asked = question(
        OBSOLETE, fact.id, last,
        said=f"{fact.id} says when it is obsolete (`obsolete_when`): is it by now?",
        proposal="close it" if isinstance(done, ThreadClosed) else "say that it is false now",
        accept=(done,),
    )  # fmt: skip
    yield asked._replace(key=still_open[0][0]) if still_open and still_open[0] else asked
