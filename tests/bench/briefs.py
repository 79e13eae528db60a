"""What a brief has room for: whether the fact that answers a question stands in the brief for it.

`python -m tests.bench.briefs LEDGER QUESTIONS` brings in a copy of a ledger of another tool and makes the
brief for each question of `QUESTIONS` that some fact answers (a line each: `id`, `question`, `kind`, `gold`),
and one without a task; then once more, crowded by fifteen invariants and fifteen open threads. A line of the
table says in how many briefs a fact that answers has a line of its own, and how many of their characters are
texts of facts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from ledger.model.event import FactCreated
from ledger.model.record import Record
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.brief.values import SESSIONS, Brief, Section
from tests.bench.ledgers import brought_in

#: What crowds a ledger: (what always holds, what is open), about subjects that a project has beside
#: any other.
_SUBJECTS = (
    ("audit log", "append only, and no job shortens it", "how long rows have to stay for the auditors"),
    ("session cookie", "never readable by a script, on any page", "whether the lifetime can be cut to a day"),
    ("price list", "in cents, and no float ever touches it", "who rounds when a discount is a third"),
    ("image cache", "safe to delete at any moment", "why it grew threefold over the holidays"),
    ("mail queue", "drained by one worker alone", "what happens to a mail that bounces twice"),
    ("tenant id", "checked by every query, in the database itself", "whether support may look across tenants"),
    ("feature switch", "off where nobody turned it on", "which of the forty switches can be removed"),
    ("backup", "restored once a week by a machine", "how to restore a single customer"),
    ("public endpoint", "versioned, and no field changes its meaning", "when the first version may be shut down"),
    ("search index", "made anew from the tables, and holds nothing of its own", "how long a rebuild may take at night"),
    ("upload", "scanned before anybody else can open it", "what to say where the scanner is down"),
    ("time zone", "that of the customer on paper, and UTC in storage", "what a report over a clock change shows"),
    ("phone number", "stored with its country", "how to treat numbers from before the migration"),
    ("rate limit", "counted for each key, and never for an address", "which partners need more than the usual"),
    ("deletion request", "done within thirty days, backups included", "how to prove that it was done"),
)  # fmt: skip


class Score(Record):
    """How some briefs did."""

    there: int  #: in how many a fact that answers has a line
    asked: int  #: how many there are
    share: float  #: which part of their characters are texts of facts
    chars: float  #: how long they are, on average


def crowd(memory: Memory) -> None:
    """Append what crowds a brief."""
    events = []
    for number, (subject, holds, open_) in enumerate(_SUBJECTS):
        holding = (
            f"The {subject} is {holds}. Whoever changes this changes it in a review with two people, "
            f"and writes down in the same commit what the {subject} was before and why that was not enough."
        )
        asking = f"It is open {open_}. Somebody has to look at the {subject}, measure it, and propose a way."
        name = subject.replace(" ", "-")
        events.append(FactCreated(f"holds-{number}-{name}", holding, "", (("kind", "invariant"),)))
        events.append(FactCreated(f"open-{number}-{name}", asking, " ", (("kind", "thread"),)))
    memory.append(SessionDraft(title="What crowds", events=tuple(events)))


def scored(memory: Memory, questions: list[dict[str, object]], chars: int, *, tasks: bool) -> Score:
    """Make the briefs of questions and score them.

    The questions come with the facts that answer each; `chars` is the budget. With `tasks` each question
    is the task of its brief; else one brief has to do for all.
    """
    there, texts, all_chars = 0, 0, 0
    one = None if tasks else memory.brief(budget_chars=chars)
    for each in questions:
        made = one or memory.brief(task=str(each["question"]), budget_chars=chars)
        gold = each["gold"]
        assert isinstance(gold, list)
        there += not _ids(made).isdisjoint(gold)
        texts += sum(len(line.text) for part in _parts(made) for line in part.lines)
        all_chars += len(made.text)
    return Score(there, len(questions), texts / all_chars, all_chars / len(questions))


def _parts(made: Brief) -> list[Section]:
    return [part for part in made.sections if part.name != SESSIONS]


def _ids(made: Brief) -> set[str]:
    return {line.id for part in _parts(made) for line in part.lines}


def read(questions: Path, memory: Memory) -> list[dict[str, object]]:
    """Return the questions that some fact of a ledger answers, by its id."""
    rows = [json.loads(line) for line in questions.read_text("utf-8").splitlines() if line]
    known = memory.snapshot.ask(lambda cache: frozenset(cache.fact_ids()))
    return [row for row in rows if not known.isdisjoint(row.get("gold") or ())]


def main() -> None:
    """Bring in, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("ledger", type=Path)
    parser.add_argument("questions", type=Path)
    asked = parser.parse_args()
    print("| ledger | characters | | there | share of texts | written |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory.open(str(brought_in(asked.ledger, Path(folder))), agent="bench")
        questions = read(asked.questions, memory)
        for name in ("plain", "crowded"):
            if name == "crowded":
                crowd(memory)
            for chars in (7500, 5000):
                for tasks in (True, False):
                    one = scored(memory, questions, chars, tasks=tasks)
                    how = "for the task" if tasks else "no task"
                    print(
                        f"| {name} | {chars} | {how} | {one.there} of {one.asked} | {one.share:.2f} "
                        f"| {one.chars:.0f} |",
                        flush=True,
                    )
        memory.close()


if __name__ == "__main__":
    main()
