"""Write the questions of a review as a file with a tick for each answer, and read it (FORMAT.md, R14).

Of a file that comes back only its plan, keys and words are read, and the new words behind `> say`. What an
answer does comes from the plan as it is made then. A key is made of the question, the texts that it shows
and what each answer would record: a question that changed since has another key, and is not answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ledger.codec.fact_blocks import tidy
from ledger.errors import DiurnaError, WrongUsage
from ledger.escape import visible
from ledger.model.layout import REVIEW_BRANCH
from ledger.model.record import Record
from ledger.model.sha256 import sha256
from projection.lifecycle.review_threads import Raised, key_of
from rituals.review.review_answers import FALSE, REWORD, accepting, answer_of, rejecting
from rituals.review.review_plan import Plan
from rituals.review.review_question import RULES, Question
from rituals.review.review_record import ACCEPT, LATER, REJECT, Answer

#: How many questions a person is asked at once, how much of their facts is shown, and how large a file is.
MOST, _LINES, _LINE_CHARS, LIMIT_BYTES = 30, 12, 500, 256 << 10
_PLAN_HEX = 12
_WORDS = (ACCEPT, REJECT, REWORD, FALSE, LATER)
_HEAD = re.compile(r"<!-- diurna-review: plan ([0-9a-f]{12}) at ([0-9a-f]{40}) -->")
_TICK = re.compile(r"- \[([ xX])\] .*<!-- q: ([0-9a-f]{8}) \| do: ([a-z]{1,10}) -->[ \t]*")
#: The same, wherever it stands and however it is written.
_LIKE = re.compile(r"q:\s*([0-9a-fA-F]{8})\s*\|\s*do:\s*([a-z]+)")
_SAY = re.compile(r">[ ]?say ([0-9a-f]{8}):(.*)")
_FENCE = re.compile(r"[ ]{0,3}(?:```|~~~)")
_MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_INTRODUCTION = """\
# What Diurna asks

Tick one answer to a question, and merge: what you ticked is recorded then, in your name. What has no tick
is asked again. Nothing else of this file is read, but for new words behind `> say`.
"""


class Refused(DiurnaError):
    """A file of answers that is not read; nothing of it is recorded."""


class Tick(Record):
    """An answer that somebody ticked."""

    line: int  #: 1-based
    key: str  #: of the question, as the file has it
    word: str  #: which answer
    text: str = ""  #: in whose words, "" for none


class Form(Record):
    """What a file says."""

    plan: str  #: that it asks
    ticks: tuple[Tick, ...]  #: one a question at most
    void: tuple[tuple[str, str], ...]  #: keys of questions that are not answered, and why


class Asking(Record):
    """A file that asks."""

    plan: str  #: by which it is known
    text: str  #: of the file
    questions: int  #: how many it asks
    left: int  #: how many more there are

    @property
    def branch(self) -> str:
        """The branch that brings it."""
        return f"{REVIEW_BRANCH}{self.plan}"


# ---- writing ------------------------------------------------------------------------------------


def asking(plan: Plan) -> Asking:
    """Write the file that asks what nobody answered yet, the first questions first."""
    steps = list(_steps(plan))
    parts, lines, size = [], [], 0
    for number, (key, step) in enumerate(steps[:MOST], 1):
        part, own = _part(plan, step, key, f"{number}. ")
        size += len(part.encode("utf-8", "replace"))
        if size > LIMIT_BYTES // 2:  # a person writes into it
            break
        parts.append(part)
        lines += own
    name = _plan(plan.tip, lines)
    head = f"<!-- diurna-review: plan {name} at {plan.tip} -->\n{_INTRODUCTION}"
    return Asking(name, "\n".join([head, *parts]), len(parts), len(steps) - len(parts))


def _steps(plan: Plan) -> Iterator[tuple[str, Question | Raised]]:
    """Yield what is to be asked, each with the key by which the file knows it."""
    known: set[str] = set()
    steps: list[Question | Raised] = [*plan.unanswered, *plan.settled]
    for step in steps:
        if isinstance(step, Question):
            facts = [plan.state.fact(name) for name in step.facts]
            shown = [head.id for fact in facts if fact is not None for head in fact.heads]
            does = (step.accept, step.swaps, step.settings, step.reject)
            key = key_of("ask", step.key, *shown, *map(repr, does))
        else:
            key = key_of("settled", step.id)
        if key not in known:
            known.add(key)
            yield key, step


def _part(
    plan: Plan, step: Question | Raised, key: str, number: str
) -> tuple[str, list[tuple[str, str]]]:
    """Write one question; return it with the keys and words of its answers."""
    if isinstance(step, Question):
        title, shown = RULES[step.rule], list(_shown(plan, step))
        fact = plan.state.fact(step.facts[0]) if step.facts else None
        own = fact is not None and bool(fact.text) and not fact.redacted
        choices = [(ACCEPT, accepting(step)), (REJECT, rejecting(step))]
        if own:
            choices.append((REWORD, f"{step.facts[0]} holds in the words behind `> say {key}:`"))
        if own and choices[0][1] != "It is false now":
            choices.append((FALSE, f"{step.facts[0]} is false now"))
    else:
        title = "What an earlier review asked, and does not arise any more"
        shown, choices = [step.id], [(ACCEPT, "Close it")]
    choices = [
        (word, said) for word, said in (*choices, (LATER, "Leave it as an open thread")) if said
    ]
    lines = [f"- [ ] {_quoted(said)} <!-- q: {key} | do: {word} -->" for word, said in choices]
    block = "\n".join([f"    {_quoted(line)}".rstrip() for line in shown])
    say = f"\n> say {key}:\n" if any(word == REWORD for word, _ in choices) else ""
    text = f"## {number}{title}\n\n{block}\n\n" + "\n".join(lines) + f"\n{say}"
    return text, [(key, word) for word, _ in choices]


def _shown(plan: Plan, question: Question) -> Iterator[str]:
    """Yield the lines by which a question is understood."""
    yield question.said
    for line in question.evidence:
        yield f"- {line}"
    for name in question.facts:
        fact = plan.state.fact(name)
        if fact is None or fact.redacted or not fact.text:
            continue
        lines = fact.text.split("\n")
        yield from ("", f"{name}:", *lines[:_LINES])
        if len(lines) > _LINES:
            yield f"… {len(lines) - _LINES} more lines"
    if question.before:
        yield from ("", "was before:", *question.before.split("\n")[:_LINES])
    if question.proposal:
        yield from ("", f"proposal: {question.proposal}")
    yield from [f"accepting records: {line}" for line in question.does]


def _quoted(line: str) -> str:
    """Write a line of somebody's text so that it is shown as it is, and is nothing of the file's own."""
    line = visible(line[:_LINE_CHARS] + "…" * (len(line) > _LINE_CHARS))
    return _LIKE.sub(lambda found: found[0].replace("do:", "do :"), line.replace("<!--", "<! --"))


def _plan(tip: str, lines: list[tuple[str, str]]) -> str:
    """Return the name of a plan: of where it was made, and of all that can be answered, in its order."""
    said = "\n".join([tip, *[f"{key} {word}" for key, word in lines]])
    return sha256(said.encode()).hexdigest()[:_PLAN_HEX]


# ---- reading ------------------------------------------------------------------------------------


def read(data: bytes) -> Form:
    """Read a file that came back.

    Raises:
        Refused: it is not read, with the line that is in the way.
    """
    lines = _lines(data)
    asked: dict[tuple[str, str], int] = {}
    ticked: dict[str, list[Tick]] = {}
    says: dict[str, list[str]] = {}
    void: dict[str, str] = {}
    seen: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        seen += [(key.lower(), word) for key, word in _LIKE.findall(line)]
        if found := _SAY.fullmatch(line):
            says.setdefault(found[1], []).append(found[2])
        if not (found := _TICK.fullmatch(line)):
            continue
        tick, key, word = found.groups()
        if word not in _WORDS:
            raise Refused(f"there is no answer {word!r}", where=f"line {number}")
        asked.setdefault((key, word), number)
        if tick != " ":
            ticked.setdefault(key, []).append(Tick(number, key, word))
    head = _HEAD.fullmatch(lines[0].rstrip()) if lines else None
    if head is None or head[1] != _plan(head[2], list(asked)):
        said = "these are not the questions that it was made with"
        hint = "answer by ticks alone; `diurna review --pull-request` asks anew"
        raise Refused(said, where="line 1", hint=hint)
    for key in {key for key, _ in asked}:
        if any(seen.count(one) > 1 for one in asked if one[0] == key):
            void[key] = "one of its answers stands there twice"
        elif len(ticked.get(key, ())) > 1:
            void[key] = "it has two answers"
        elif len(says.get(key, ())) > 1:
            void[key] = "it has two new texts"
    ticks = []
    for key, (tick, *_) in ticked.items():
        text = tidy(" ".join(says.get(key, ())))
        if key in void:
            continue
        if tick.word == REWORD and not text:
            void[key] = f"nothing stands behind `> say {key}:`"
        else:
            ticks.append(tick._replace(text=text if tick.word == REWORD else ""))
    return Form(head[1], tuple(ticks), tuple(sorted(void.items())))


def _lines(data: bytes) -> list[str]:
    """Return the lines of a file."""
    if len(data) > LIMIT_BYTES:
        raise Refused(f"it has {len(data)} bytes, and {LIMIT_BYTES} is the limit")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise Refused("it is not UTF-8") from None
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        where = f"line {number}"
        if line.startswith(_MARKERS):
            raise Refused("a merge conflict is not resolved", where=where)
        if _FENCE.match(line):
            raise Refused("a fence hides what is asked", where=where, hint="take the fence out")
    return lines


def answers(
    plan: Plan, form: Form, who: Mapping[int, str]
) -> tuple[dict[str, Answer], tuple[tuple[str, str], ...]]:
    """Return the answers that a file gives to the questions of today, and what is not answered, and why.

    `who` answered, by line; what nobody did is no answer.
    """
    steps = dict(_steps(plan))
    given: dict[str, Answer] = {}
    void = [*form.void]
    for tick in form.ticks:
        step = steps.get(tick.key)
        if step is None:
            void.append((tick.key, "it is not asked any more as it was"))
        elif not who.get(tick.line):
            void.append((tick.key, "the tick is no person's"))
        else:
            name = step.key if isinstance(step, Question) else step.id
            try:
                given[name] = answer_of(plan, name, tick.word, tick.text)
            except WrongUsage as problem:
                void.append((tick.key, problem.message))
    return given, tuple(void)
