"""Recall: how well questions to facts are answered, by the product itself, in process, with its real index.

`python -m tests.bench.recall SHARED` takes the folder that has `bench/facts`, `bench/facts2` and
`ledgers/mercury`, makes a ledger of each set where none is kept in `--folder`, asks default recall, and prints
a table: hit@1 and hit@3 over facts, how often no fact comes where nobody answers and where somebody does, and
the same for the facts of mercury noted one by one. What a question costs is in `tests.bench.peers`.

`--rules` prints instead what each rule of `memory.recall.rules` is worth: every figure without it. `--briefs` prints in
how many briefs of mercury a fact that answers has a line of its own, and which part of their characters are facts' texts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import random
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from memory import Memory, SessionDraft
from memory.recall import bm25_ranking
from memory.recall.meaning import make_vectors
from memory.recall.rules import RULES
from projection.brief.values import SESSIONS as LATELY
from tests.bench.retrieval import Rows, empty_home, milliseconds, read_lines
from tests.web.homes import bring_in

MERCURY, SETS = "mercury", ("mercury", "cloudplatform", "sensormeter")
#: The hour of a day at which the logs of a set are written.
_HOUR_MS, _APART_MS = 9 * 3_600_000, 60_000


class Figures(NamedTuple):
    """What one set of questions came to."""

    first: float  #: a fact that answers is first
    three: float  #: it is among three
    silent: float  #: of questions that nobody answers, no fact came
    hidden: float  #: of questions that somebody answers, no fact came
    perhaps: float  #: of questions that somebody answers, what came is marked `perhaps`

    def __str__(self) -> str:
        return " | ".join(f"{one:.3f}" for one in self)


def _day_ms(day: str) -> int:
    return milliseconds(day) + _HOUR_MS


def _event(said: dict[str, str]) -> Event:
    """Return an operation of a set as an event of a log."""
    match said["op"]:
        case "new":
            return FactCreated(said["id"], said["text"], "", (("kind", said["kind"]),))
        case "update":
            return FactUpdated(said["id"], said["text"])
        case "supersede":
            return FactSuperseded(said["old"], said["new"])
        case "close":
            return ThreadClosed(said["id"])
        case "invalidate":
            return FactInvalidated(said["id"])
    return FactReferenced(said["id"])


def _append(folder: Path, drafts: Iterable[tuple[int, SessionDraft]]) -> None:
    """Append logs, each at its time."""
    now = [0]
    memory = Memory(Memory.open(str(folder)).home, agent="claude", clock=lambda: now[0])
    for now[0], draft in drafts:
        memory.append(draft, again=True)
    memory.close()


def _noted(logs: Rows) -> Iterator[tuple[int, SessionDraft]]:
    """Yield the logs of a set with their times, as a careful agent would have noted them."""
    for number, log in enumerate(logs):
        body = f"Work of the day: {log['title']}."
        events = tuple([_event(one) for one in log["ops"]])
        at = _day_ms(log["date"]) + number * _APART_MS
        yield at, SessionDraft(log["title"], body, events)


def _loose(shared: Path) -> SessionDraft:
    """Return a log that notes what of the page of mercury has no footer: no import makes facts of that."""
    page = (shared / "ledgers" / MERCURY / "memory/continuity.md").read_text()
    noted = []
    for heading, text in re.findall(r"^##+ (.+)\n((?:(?!#).*\n?)*)", page, re.M):
        said = text.partition("\n- [ ] ")[0].strip()
        if said and "<!-- id:" not in said:
            name = "-".join(re.findall("[a-z0-9]+", heading.lower().replace("&", "and"))[:6])
            noted.append(FactCreated(name, said, "", ()))
    return SessionDraft("Note what has no footer", "", tuple(noted))


def _apart(ledger: Path) -> Iterator[tuple[int, SessionDraft]]:
    """Yield the facts of a ledger, each as a log of its own."""
    memory = Memory.open(str(ledger))
    facts = [one.fact for one in memory.state().standings()]
    noted = sorted([(fact.created, fact.id, fact.kind, fact.text) for fact in facts])
    memory.close()
    for number, (day, id, kind, text) in enumerate(noted):
        events = (FactCreated(id, text, "", (("kind", kind),)),)
        yield _day_ms(day) + number * _APART_MS, SessionDraft(f"Note {id}", "", events)


def _sentences(shared: Path) -> list[str]:
    """Return the sentences of the facts of two sets."""
    texts = [
        one["text"]
        for name in SETS[1:]
        for log in json.loads((shared / "bench/facts2" / f"{name}.json").read_text())
        for one in log["ops"]
        if "text" in one
    ]
    return [one.strip() for text in texts for one in text.split(". ") if len(one) > 20]


def ledger_of(name: str, shared: Path, folder: Path) -> Path:
    """Return the ledger of a set, made where it is missing: `apart` beside the sets."""
    there = folder / name
    if (there / ".made").exists():
        return there / "ledger" if name == MERCURY else there
    if name == MERCURY:
        there.mkdir(parents=True)
        bring_in(shared / "ledgers" / MERCURY, there / "ledger")
        _append(there / "ledger", [(time.time_ns() // 1_000_000, _loose(shared))])
    elif name == "apart":
        _append(empty_home(there), _apart(ledger_of(MERCURY, shared, folder)))
    else:
        _append(
            empty_home(there),
            _noted(json.loads((shared / f"bench/facts2/{name}.json").read_text())),
        )
    (there / ".made").touch()
    return ledger_of(name, shared, folder)


def questions_of(name: str, shared: Path) -> Rows:
    """Return the questions of a set."""
    if name in (MERCURY, "apart"):
        return read_lines(shared / "bench/facts/questions.jsonl")
    return read_lines(shared / f"bench/facts2/{name}.questions.jsonl")


def asked(memory: Memory, questions: Rows, *, loose: bool = False) -> Figures:
    """Ask all questions of a set; `loose`: what says too little of it is an answer, too."""
    first, three, silent, hidden, perhaps = [], [], [], [], []
    for one in questions:
        answer = memory.recall(one["question"], limit=10, loose=loose, model_bytes=math.inf)
        ids = [hit.id for hit in answer.facts]
        if one["gold"]:
            first.append(any(id in one["gold"] for id in ids[:1]))
            three.append(any(id in one["gold"] for id in ids[:3]))
            hidden.append(not ids)
            perhaps.append(bool(ids) and bool(getattr(answer, "perhaps", False)))
        else:
            silent.append(not ids)
    return Figures(*[statistics.fmean(one) for one in (first, three, silent, hidden, perhaps)])


def figures(
    shared: Path, folder: Path, names: Iterable[str], *, loose: bool = False
) -> dict[str, Figures]:
    """Return the figures of some sets."""
    found = {}
    for name in names:
        memory = Memory.open(str(ledger_of(name, shared, folder)))
        make_vectors(memory.snapshot)
        found[name] = asked(memory, questions_of(name, shared), loose=loose)
        memory.close()
    return found


def mean(found: Iterable[Figures]) -> Figures:
    """Return the mean of figures."""
    return Figures(*[statistics.fmean(one) for one in zip(*found, strict=True)])


def table(shared: Path, folder: Path) -> None:
    """Print the table."""
    print("| facts | hit@1 | hit@3 | silent, nobody answers | silent, somebody does | perhaps |")
    print("|---|---|---|---|---|---|")
    found = figures(shared, folder, SETS)
    for name, one in found.items():
        print(f"| {name} | {one} |", flush=True)
    print(f"| mean of the sets | {mean(found.values())} |")
    print(
        f"| mercury, noted one by one | {figures(shared, folder, ['apart'])['apart']} |", flush=True
    )


#: Each rule, and what it weighs where it is left out.
WITHOUT: dict[str, Any] = {
    "b": 0.0, "everyday": 1.0, "inside": 0.0, "pairs": 0.0, "live": 1.0,
    "before": 0.0,
}  # fmt: skip


def rules(shared: Path, folder: Path) -> None:
    """Print what each rule is worth: hit@1 and hit@3 of each set without it, silence off."""
    names = (*SETS, "apart")
    print(
        f"| without | {' | '.join(names)} | mean of the sets | lost |\n|---|{'---|' * (len(names) + 2)}"
    )
    whole: Figures | None = None
    for rule, value in [("", 0), *WITHOUT.items()]:
        weights = RULES._replace(**{rule: value}) if rule else RULES
        with (
            patch.object(bm25_ranking, "RULES", weights),
            patch("memory.recall.rules.RULES", weights),
        ):
            found = figures(shared, folder, names, loose=True)
        every = mean([found[name] for name in SETS])
        whole = whole or every
        each = " | ".join(f"{one.first:.3f} {one.three:.3f}" for one in found.values())
        lost = f"{whole.first - every.first:+.3f} {whole.three - every.three:+.3f}"
        print(
            f"| {rule or 'nothing'} | {each} | {every.first:.3f} {every.three:.3f} | {lost} |",
            flush=True,
        )


def briefs(shared: Path, folder: Path) -> None:
    """Print what a brief has room for: one for each question, and one for all; as it is, and crowded by thirty facts."""
    rng, sentences, crowd = random.Random(7), _sentences(shared), []
    for number, (kind, state) in itertools.product(range(15), (("invariant", ""), ("thread", " "))):
        text = " ".join(rng.sample(sentences, 2))
        crowd.append(FactCreated(f"{kind}-{number}", text, state, (("kind", kind),)))
    print(
        "| mercury | characters | | there | share of texts | written |\n|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(ledger_of(MERCURY, shared, folder), copy, dirs_exist_ok=True)
        memory = Memory.open(copy, agent="bench")
        known = memory.snapshot.ask(lambda cache: frozenset(cache.fact_ids()))
        asked = [one for one in questions_of(MERCURY, shared) if not known.isdisjoint(one["gold"])]
        for crowded, chars, each in itertools.product((False, True), (7500, 5000), (True, False)):
            if crowded and crowd:
                memory.append(SessionDraft("What crowds", "", tuple(crowd)))
                crowd.clear()
            tasks = [one["question"] for one in asked] if each else [""]
            made = [memory.brief(task=task, budget_chars=chars) for task in tasks]
            shown = [
                [line for part in one.sections if part.name != LATELY for line in part.lines]
                for one in made
            ]
            ids = [{line.id for line in lines} for lines in shown] * (1 if each else len(asked))
            there = sum(not one.isdisjoint(q["gold"]) for one, q in zip(ids, asked, strict=True))
            written = sum(len(one.text) for one in made)
            share = sum(len(line.text) for lines in shown for line in lines) / written
            print(
                f"| {'crowded' if crowded else 'plain'} | {chars} | {'for the task' if each else 'no task'} "
                f"| {there} of {len(asked)} | {share:.2f} | {written / len(made):.0f} |",
                flush=True,
            )
        memory.close()


def main() -> int:
    """Print the table of figures, of rules, or of briefs."""
    kept = Path(tempfile.gettempdir()) / "diurna-recall"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path, help="the folder of all sets")
    parser.add_argument("--folder", type=Path, default=kept, help="where the ledgers are kept")
    parser.add_argument("--rules", action="store_true", help="what each rule is worth")
    parser.add_argument("--briefs", action="store_true", help="what a brief has room for")
    parser.add_argument("--model", default=os.devnull, help="the folder of a model of meaning")
    chosen = parser.parse_args()
    os.environ["DIURNA_MODEL"] = chosen.model
    (briefs if chosen.briefs else rules if chosen.rules else table)(chosen.shared, chosen.folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
