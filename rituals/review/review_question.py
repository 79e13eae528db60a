"""Define a question: what a review found that a person has to answer, with its evidence and a key.

The key is made of the rule, the facts and what exactly was found, never of a clock or of a number that
moves by itself, so the same question has the same key in every review and every clone (FORMAT.md, R2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ledger.model.event import VERB_OF, Event, FactCreated, FactUpdated, written
from ledger.model.layout import POLICY_FILE
from ledger.model.record import Record
from projection.lifecycle.review_threads import (
    ABOUT_KEY,
    QUESTIONS_KEY,
    RULE_KEY,
    THREAD_PREFIX,
    key_of,
    raising,
)
from projection.policy.model import FINDING_KIND, HANDOFF_KIND, TASK_KIND, THREAD_KIND

#: The most questions in one thread.
_TOGETHER = 50
#: How many of them the text of their thread spells out.
_SPELLED_OUT = 12

#: What a person decided and somebody who is none overruled.
OVERRULED = "overruled"
INVARIANT_DUE, STALLED = "invariant-due", "thread-stalled"
#: What nobody named for long, by kind: what may be said of the one says something else of the others.
STALLED_RULES = {
    kind: f"{kind}-stalled" for kind in (TASK_KIND, HANDOFF_KIND, THREAD_KIND, FINDING_KIND)
}
_TASK_STALLED, _HANDOFF_STALLED, _, _FINDING_STALLED = STALLED_RULES.values()
#: The rule of what `diurna review --learn` proposes: asked and remembered as a review asks.
LEARN = "learn"
#: rule -> heading, in the order of a review. The questions of a rule in `TOGETHER` share a thread.
RULES: dict[str, str] = {
    OVERRULED: "Decisions of people that were overruled",
    INVARIANT_DUE: "Invariants to confirm",
    "file-gone": "Files that are gone",
    "file-renamed": "Files that were renamed",
    "folder-gone": "Folders that are gone",
    "name-gone": "Names that are gone from the code",
    "command-gone": "Commands that are gone",
    "version-changed": "Versions that changed",
    "check-fails": "Facts whose check fails",
    "commit-stray": "Commits that are not in the history",
    "code-changed": "Code that changed a lot since",
    "branch-dropped": "Branches that are gone",
    "overlap": "Facts that say nearly the same",
    "promotion": "Facts worth promoting",
    "obsolete": "Facts that may be obsolete by now",
    "misfit": "Facts that do not fit",
    STALLED: "Threads that stalled",
    _TASK_STALLED: "Tasks that stalled",
    _HANDOFF_STALLED: "Handoffs that nobody took",
    _FINDING_STALLED: "Findings that stalled",
    "thread-wordy": "Closed threads with too much text",
    "size": "Size of continuity.md",
    "successor-missing": "Supersessions without a successor",
    "id-dangling": "Ids without a text",
    "serves-broken": "Broken `serves` links",
    "pace": "Policy and pace",
    LEARN: "Proposals of `diurna review --learn`",
}
TOGETHER = frozenset(
    "overruled invariant-due code-changed thread-stalled thread-wordy successor-missing id-dangling "
    "serves-broken task-stalled handoff-stalled finding-stalled".split()
)
#: What a thread of several questions asks for.
_ASKS = {
    OVERRULED: "Say what holds: a person decided these, and somebody who is none said otherwise.",
    "invariant-due": "`diurna review --confirm` each of these, or say what holds: nobody did for long.",
    "code-changed": "Read these again: the code that they name changed a lot since they were last used.",
    STALLED: "Close these threads, or go on with them: no session named them for long.",
    _TASK_STALLED: "Cancel these tasks, or ask their owners: no session named them for long.",
    _HANDOFF_STALLED: "Close these handoffs, or take them: no session named them for long.",
    _FINDING_STALLED: "Fix these findings, or say that they are none: no session named them for long.",
    "thread-wordy": "Shorten these closed threads: their text crowds continuity.md until they are swept.",
    "successor-missing": "Say what replaces these facts: no log has brought a text for the successor.",
    "id-dangling": "Create these ids or stop naming them: no log has brought a text for them.",
    "serves-broken": "Let these facts serve something that holds.",
}


#: Longer lists are cut in the log; `--json` has them whole.
LIST_LIMIT = 20


class Question(Record):
    """One finding that a person has to answer."""

    rule: str  #: what found it, one of `RULES`
    key: str  #: by which it is known for good
    facts: tuple[str, ...]  #: ids it is about, first the one that it is found at
    said: str  #: what was found, one sentence
    evidence: tuple[str, ...] = ()  #: what shows it, a line each
    proposal: str = ""  #: what one could do, "" for nothing in particular
    #: what accepting the proposal says happened; empty where no event can
    accept: tuple[Event, ...] = ()
    #: parts of the (first) fact's text that accepting replaces: (old, new)
    swaps: tuple[tuple[str, str], ...] = ()
    #: what accepting sets in `diurna.toml`: (key with its table, number)
    settings: tuple[tuple[str, int], ...] = ()
    #: what rejecting says happened; empty where it says only that the question is answered
    reject: tuple[Event, ...] = ()

    @property
    def before(self) -> str:
        """The text that rejecting lets hold again, "" for none."""
        return next((one.text or "" for one in self.reject if isinstance(one, FactUpdated)), "")

    @property
    def acceptable(self) -> bool:
        """Whether something can be done about it here: events say so, or the policy does."""
        return bool(self.accept or self.swaps or self.settings)

    @property
    def does(self) -> tuple[str, ...]:
        """What accepting it records, a line each."""
        said = [f"{VERB_OF[type(event)]}: {written(event)}" for event in self.accept]
        said += [f"Updated: {self.facts[0]} ({old} → {new})" for old, new in self.swaps]
        return (*said, *[f"{key} = {number} in {POLICY_FILE}" for key, number in self.settings])


def question(
    rule: str, *key: str, said: str, facts: tuple[str, ...] | None = None, **more: Any
) -> Question:
    """Return a question of a rule; its key is made of that and of `key`.

    It is about the first of `key` where `facts` does not say other ids; `more` are further fields.
    """
    return Question(rule, key_of(rule, *key), key[:1] if facts is None else facts, said, **more)


def ordered(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Put questions into the order of a review, each once."""
    rank = {rule: number for number, rule in enumerate(RULES)}
    once = {question.key: question for question in questions}
    return tuple(sorted(once.values(), key=lambda one: (rank[one.rule], one.facts, one.key)))


def threads_for(questions: Sequence[Question]) -> tuple[FactCreated, ...]:
    """Return the threads that raise questions, in their order: one each, or one for a rule."""
    found: list[FactCreated] = []
    for rule in dict.fromkeys(question.rule for question in questions):
        asked = [question for question in questions if question.rule == rule]
        if rule not in TOGETHER:
            found += [_alone(question, _text(question)) for question in asked]
            continue
        for at in range(0, len(asked), _TOGETHER):
            some = asked[at : at + _TOGETHER]
            keys = [question.key for question in some]
            about = ", ".join(dict.fromkeys([fact for one in some for fact in one.facts]))
            meta = _meta((ABOUT_KEY, about), (QUESTIONS_KEY, ", ".join(keys)), (RULE_KEY, rule))
            name = f"{THREAD_PREFIX}{rule}-{key_of(rule, *keys)}"
            found.append(FactCreated(name, _shared_text(rule, some), " ", meta))
    return tuple(found)


def answered_thread(question: Question, said: str = "") -> FactCreated:
    """Return the closed thread by which a question is known as answered: as rejected, or as `said`."""
    return _alone(question, said or f"Rejected: {question.said}", "x")


def own_thread(question: Question, text: str) -> FactCreated:
    """Return the open thread that puts a question in the words of a person."""
    return _alone(question, text)


def is_raising(event: Event) -> bool:
    """Tell whether an event raises a question as an open thread."""
    raises = isinstance(event, FactCreated) and event.mark == " "
    return raises and event.id.startswith(THREAD_PREFIX)


def _alone(question: Question, text: str, mark: str = " ") -> FactCreated:
    return raising(question.rule, question.key, question.facts, text, mark)


def _meta(*own: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("kind", THREAD_KIND), *own)


def _text(question: Question) -> str:
    lines = [question.said, *[f"- {line}" for line in question.evidence]]
    if question.proposal:
        lines.append(f"- Proposal: {question.proposal}")
    return "\n".join(lines)


def _shared_text(rule: str, questions: Sequence[Question]) -> str:
    lines = [_ASKS[rule]]
    lines += [f"- {_line(question)}" for question in questions[:_SPELLED_OUT]]
    if len(questions) > _SPELLED_OUT:
        rest = [question.facts[0] for question in questions[_SPELLED_OUT:]]
        lines.append(f"- and {len(rest)} more: {', '.join(rest)}")
    return "\n".join(lines)


def _line(question: Question) -> str:
    shown = "; ".join(question.evidence)
    return f"{question.said} {shown}" if shown else question.said


def listed(ids: Sequence[str] | Iterable[str], parted: str = ", ") -> str:
    """Name ids, the first of many."""
    shown = list(ids)
    more = f" and {len(shown) - LIST_LIMIT} more" if len(shown) > LIST_LIMIT else ""
    return parted.join(shown[:LIST_LIMIT]) + more
