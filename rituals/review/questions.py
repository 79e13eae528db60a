"""Define a question: what a review found that a person has to answer, with its evidence and a key.

The key is made of the rule, the facts and what exactly was found, never of a clock or of a number that
moves by itself, so the same question has the same key in every review and every clone (FORMAT.md, R2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ledger.model import event as verbs
from ledger.model.record import Record
from projection.fold.fact_history import RULE_KEY, THREAD_PREFIX
from projection.lifecycle.review_due import ABOUT_KEY, QUESTIONS_KEY, Raised, key_of, raising
from projection.policy.model import FINDING_KIND, HANDOFF_KIND, TASK_KIND, THREAD_KIND

#: The most questions in one thread, and how many of them its text spells out.
_TOGETHER, _SPELLED_OUT = 50, 12
#: Longer lists are cut in the log; `--json` has them whole.
LIST_LIMIT = 20

#: What a person decided and somebody who is none overruled.
OVERRULED = "overruled"
INVARIANT_DUE, STALLED, DROPPED = "invariant-due", "thread-stalled", "branch-dropped"
OVERLAP, OBSOLETE, PROMOTION = "overlap", "obsolete", "promotion"
#: What nobody named for long, by kind: what may be said of the one says something else of the others.
STALLED_RULES = {
    kind: f"{kind}-stalled" for kind in (TASK_KIND, HANDOFF_KIND, THREAD_KIND, FINDING_KIND)
}
#: The rule of what `diurna review --learn` proposes: asked and remembered as a review asks.
LEARN = "learn"


class Rule(Record):
    """What questions of one sort are called."""

    heading: str
    #: what one thread asks for that has many of them, "" where each has a thread of its own
    asks: str = ""
    accept: str = ""  #: what accepting is called, "" where that goes by what it records
    reject: str = "Leave it as it is"  #: what rejecting is called


_OPEN = "It is still open"
#: By name, in the order of a review.
RULES: dict[str, Rule] = {
    OVERRULED: Rule(
        "Decisions of people that were overruled",
        "Say what holds: a person decided these, and somebody who is none said otherwise.",
        "I want it so", "What was decided holds",
    ),
    INVARIANT_DUE: Rule(
        "Invariants to confirm",
        "`diurna review --confirm` each of these, or say what holds: nobody did for long.",
        reject="Ask again later",
    ),
    "file-gone": Rule("Files that are gone"),
    "file-renamed": Rule("Files that were renamed"),
    "folder-gone": Rule("Folders that are gone"),
    "name-gone": Rule("Names that are gone from the code"),
    "check-fails": Rule("Facts whose check fails"),
    DROPPED: Rule(
        "Branches that are gone",
        accept="The work was abandoned", reject="The work is still open",
    ),
    OVERLAP: Rule("Facts that say nearly the same", reject="Keep both"),
    PROMOTION: Rule("Facts worth promoting", reject="Not worth it"),
    OBSOLETE: Rule("Facts that may be obsolete by now", reject="Not yet"),
    STALLED: Rule(
        "Threads that stalled",
        "Close these threads, or go on with them: no session named them for long.", reject=_OPEN,
    ),
    STALLED_RULES[TASK_KIND]: Rule(
        "Tasks that stalled",
        "Cancel these tasks, or ask their owners: no session named them for long.", reject=_OPEN,
    ),
    STALLED_RULES[HANDOFF_KIND]: Rule(
        "Handoffs that nobody took",
        "Close these handoffs, or take them: no session named them for long.", reject=_OPEN,
    ),
    STALLED_RULES[FINDING_KIND]: Rule(
        "Findings that stalled",
        "Fix these findings, or say that they are none: no session named them for long.", reject=_OPEN,
    ),
    "thread-wordy": Rule(
        "Closed threads with too much text",
        "Shorten these closed threads: their text crowds continuity.md until they are swept.",
    ),
    "id-dangling": Rule(
        "Ids without a text",
        "Create these ids or stop naming them: no log has brought a text for them.",
    ),
    LEARN: Rule("Proposals of `diurna review --learn`"),
}  # fmt: skip
#: What accepting is called by the first that it records; a new text where it is all.
_RECORDS: dict[type[verbs.Event], str] = {
    verbs.FactVerified: "It still holds",
    verbs.ThreadClosed: "Close it",
    verbs.FactMoved: "Cancel it",
    verbs.FactInvalidated: "It is false now",
    verbs.FactPromoted: "Make it core",
    verbs.FactUpdated: "Shorten it",
}


class Question(Record):
    """One finding that a person has to answer."""

    rule: str  #: what found it, one of `RULES`
    key: str  #: by which it is known for good
    facts: tuple[str, ...]  #: ids it is about, first the one that it is found at
    said: str  #: what was found, one sentence
    evidence: tuple[str, ...] = ()  #: what shows it, a line each
    proposal: str = ""  #: what one could do, "" for nothing in particular
    #: what accepting the proposal says happened; empty where no event can
    accept: tuple[verbs.Event, ...] = ()
    #: parts of the (first) fact's text that accepting replaces: (old, new)
    swaps: tuple[tuple[str, str], ...] = ()
    #: what rejecting says happened; empty where it says only that the question is answered
    reject: tuple[verbs.Event, ...] = ()

    @property
    def before(self) -> str:
        """The text that rejecting lets hold again, "" for none."""
        return next(
            (one.text or "" for one in self.reject if isinstance(one, verbs.FactUpdated)), ""
        )

    @property
    def acceptable(self) -> bool:
        """Whether something can be done about it here."""
        return bool(self.accept or self.swaps)

    @property
    def does(self) -> tuple[str, ...]:
        """What accepting it records, a line each."""
        lines = [f"{verbs.VERB_OF[type(event)]}: {verbs.written(event)}" for event in self.accept]
        lines += [f"Updated: {self.facts[0]} ({old} → {new})" for old, new in self.swaps]
        return tuple(lines)

    def thread(self, text: str = "", mark: str = " ") -> verbs.FactCreated:
        """Return the thread that asks it, in words of its own or in `text`; closed with the mark `x`."""
        lines = [self.said, *[f"- {line}" for line in self.evidence]]
        lines += [f"- Proposal: {self.proposal}"] if self.proposal else []
        return raising(self.rule, self.key, self.facts, text or "\n".join(lines), mark)

    def answered(self, text: str = "") -> verbs.FactCreated:
        """Return the closed thread by which it is known as answered: as rejected, or as `text`."""
        return self.thread(text or f"Rejected: {self.said}", "x")


def question(
    rule: str, *key: str, said: str, facts: tuple[str, ...] | None = None, **more: Any
) -> Question:
    """Return a question of a rule; its key is made of that and of `key`.

    It is about the first of `key` where `facts` does not say other ids; `more` are further fields.
    """
    return Question(rule, key_of(rule, *key), key[:1] if facts is None else facts, said, **more)


def accepting(question: Question) -> str:
    """Say what accepting a proposal is called, "" where there is nothing to accept."""
    if question.swaps:
        return "Put that right"
    if by_rule := RULES[question.rule].accept:
        return by_rule
    for event in question.accept:
        if isinstance(event, verbs.FactSuperseded):
            return f"Keep {event.new}"
        if type(event) in _RECORDS and (
            type(event) is not verbs.FactUpdated or len(question.accept) == 1
        ):
            return _RECORDS[type(event)]
    return "Accept" if question.acceptable else ""


def ordered(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Put questions into the order of a review, each once."""
    rank = {rule: number for number, rule in enumerate(RULES)}
    once = {question.key: question for question in questions}
    return tuple(sorted(once.values(), key=lambda one: (rank[one.rule], one.facts, one.key)))


def answered_keys(raised: Iterable[Raised]) -> set[str]:
    """Return the keys of the questions whose threads are closed."""
    return {key for thread in raised if thread.closed for key in thread.keys}


def threads_for(questions: Sequence[Question]) -> tuple[verbs.FactCreated, ...]:
    """Return the threads that raise questions, in their order: one each, or one for a rule."""
    threads: list[verbs.FactCreated] = []
    for rule in dict.fromkeys(question.rule for question in questions):
        asked = [question for question in questions if question.rule == rule]
        if not RULES[rule].asks:
            threads += [question.thread() for question in asked]
            continue
        for at in range(0, len(asked), _TOGETHER):
            threads.append(_shared(rule, asked[at : at + _TOGETHER]))
    return tuple(threads)


def _shared(rule: str, questions: Sequence[Question]) -> verbs.FactCreated:
    keys = [question.key for question in questions]
    about = dict.fromkeys([fact for question in questions for fact in question.facts])
    lines = [RULES[rule].asks]
    for one in questions[:_SPELLED_OUT]:
        shown = "; ".join(one.evidence)
        lines.append(f"- {one.said} {shown}" if shown else f"- {one.said}")
    if rest := [question.facts[0] for question in questions[_SPELLED_OUT:]]:
        lines.append(f"- and {len(rest)} more: {', '.join(rest)}")
    meta = (
        ("kind", THREAD_KIND), (ABOUT_KEY, ", ".join(about)), (QUESTIONS_KEY, ", ".join(keys)),
        (RULE_KEY, rule),
    )  # fmt: skip
    name = f"{THREAD_PREFIX}{rule}-{key_of(rule, *keys)}"
    return verbs.FactCreated(name, "\n".join(lines), " ", meta)


def is_raising(event: verbs.Event) -> bool:
    """Tell whether an event raises a question as an open thread."""
    raises = isinstance(event, verbs.FactCreated) and event.mark == " "
    return raises and event.id.startswith(THREAD_PREFIX)


def listed(ids: Iterable[str]) -> str:
    """Name ids, the first of many."""
    shown = list(ids)
    more = f" and {len(shown) - LIST_LIMIT} more" if len(shown) > LIST_LIMIT else ""
    return ", ".join(shown[:LIST_LIMIT]) + more
