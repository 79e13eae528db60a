"""Write the command that does what a form does: for whoever only looks, and beside what was recorded."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from projection.work.finding_facts import BugFound
from rituals.decide.fact_corrections import Wording
from rituals.record.tasks.new_task import NewTask

#: The value of an option: a text, several, or that it is there.
Said = str | Sequence[str] | bool

#: Stands where a person has to say something.
OWN_WORDS = "…"
REVIEW, LEARN = "diurna review", "diurna review --learn"
UNDO, REDO = "diurna undo", "diurna undo --redo"


def confirm(ids: Sequence[str]) -> str:
    """Say that facts hold."""
    return _line("review", "--confirm", *ids)


def resolve(fact: str, choose: str = "", text: str = "", stands: str = "", state: str = "") -> str:
    """Resolve a contradiction; the arguments are the fields of the form."""
    said: list[str] = []
    for option, value in (("choose", choose), ("text", text), ("state", state)):
        said += [f"--{option}", value] if value else []
    said += [f"--{stands}"] if stands else []
    return _line("conflicts", fact, *said)


def close(fact: str, reason: str = "") -> str:
    """Close a thread, a task, a handoff or a finding."""
    return _line("close", fact, *_said(reason=reason))


def shut(ids: Sequence[str]) -> str:
    """Close several of these with one log."""
    return _line("close", *ids)


def reopen(fact: str, body: str = "") -> str:
    """Open one of these again."""
    title = f"Reopen {fact}"
    return _line("append", "--type", "edit", "--title", title, "--reopen", fact, *_said(body=body))


def add(title: str, new: str, body: str = "", supersede: str = "") -> str:
    """Add a fact, which may replace another one: `supersede` is OLD=NEW."""
    said = _said(new=new, supersede=supersede, body=body)
    return _line("append", "--type", "edit", "--title", title, *said)


def reword(fact: str, asked: Wording, reason: str = "") -> str:
    """Say a fact in other words, or give it another kind, other names or another end."""
    said = _said(
        kind=asked.kind, until=asked.until, entity=asked.entity, tags=asked.tags, reason=reason
    )
    return _line("edit", *said, *_words(fact, asked.text))


def deny(fact: str, instead: str = "", reason: str = OWN_WORDS) -> str:
    """Say that a fact is false; `instead` is the one that holds."""
    how = _said(replaced_by=instead) or ["--false"]
    return _line("forget", fact, *how, *_said(reason=reason))


def withhold(fact: str, reason: str = OWN_WORDS) -> str:
    """Show the text of a fact to nobody again."""
    return _line("redact", fact, "--reason", reason)


def task(action: str, *words: str, **said: Said) -> str:
    """Do something with a task; what is said has the names of the options."""
    return _line("task", action, *words, *_said(**said))


def add_task(new: NewTask) -> str:
    """Add a task."""
    said = _said(
        priority=new.priority, owner=new.owner, goal=new.goal, workstream=new.workstream,
        depends=new.depends, criterion=new.criteria, question=new.questions, risk=new.risks,
    )  # fmt: skip
    return _line("task", "add", *said, *_words(new.text))


def report_finding(bug: BugFound) -> str:
    """Report what is wrong."""
    said = _said(rule=bug.rule, path=bug.path, symbol=bug.symbol)
    return _line("note", *said, f"finding: {bug.message}")


def archive(fact: str, reason: str = OWN_WORDS) -> str:
    """Put a fact away."""
    return _line("forget", fact, "--archive", "--reason", reason)


def take_out(fact: str, reason: str = OWN_WORDS) -> str:
    """Take a fact out of the archive."""
    return _line("forget", fact, "--back", "--reason", reason)


def reinstate(fact: str, reason: str = OWN_WORDS) -> str:
    """Say that a fact holds after all."""
    return _line("edit", fact, "--restore", "--reason", reason)


def _said(**said: Said) -> list[str]:
    """Write options by their names: what is not said is left out, several values are one option each."""
    found: list[str] = []
    for name, value in said.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            found.append(option)
            continue
        for one in (value,) if isinstance(value, str) else value or ():
            found += [option, one] if one else []
    return found


def _words(*words: str) -> list[str]:
    """Write what stands without an option; `--` parts it where it looks like one."""
    said = [word for word in words if word]
    return ["--", *said] if any(word.startswith("-") for word in said) else said


def _line(*words: str) -> str:
    return shlex.join(("diurna", *words))
