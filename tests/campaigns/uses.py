"""How well the use of facts is seen: labelled pairs of a fact and a session.

`python -m tests.campaigns.uses` reads `../shared/bench` (or `--bench DIR`, `--pairs FILE` for another set of
pairs): the pairs as `moment/README.md` has them. It prints precision, recall, and what was seen wrongly or
not.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ledger.model.record import Record
from rituals.hosts.capture.fact_uses import uses
from rituals.hosts.capture.facts_from_deeds import Known
from rituals.hosts.transcripts.turns import Turn

BENCH = Path(__file__).resolve().parents[3] / "shared" / "bench"
#: What the figures have to be.
PRECISION, RECALL = 0.95, 0.80
_TOOLS = {
    "b": "Bash",
    "f": "Bash",
    "e": "Write",
    "r": "Read",
    "m": "mcp__diurna__get",
}


class Seen(Record):
    """What was seen of labelled pairs."""

    right: int  #: uses that are some
    wrong: tuple[str, ...]  #: pairs in which none is, and one was seen
    missed: tuple[str, ...]  #: pairs in which one is, and none was seen
    others: int  #: uses of facts that the pair is not about
    ways: dict[str, int]  #: how many of the right ones were seen in each way

    @property
    def precision(self) -> float:
        """The share of what was seen that is right."""
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """The share of what is there that was seen."""
        return self.right / max(1, self.right + len(self.missed))


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def turns_of(steps: Sequence[Sequence[str]]) -> list[Turn]:
    """Return the steps of a pair as the turns of a session."""
    found = []
    for at, (what, *said) in enumerate(steps):
        if what in "ua":
            found.append(Turn("user" if what == "u" else "assistant", said[0], at))
            continue
        given: object = {"file_path": said[0], **({"content": said[1]} if what == "e" else {})}
        given = {"ids": [said[0]]} if what == "m" else given
        text = said[0] if what in "bf" else json.dumps(given)
        found.append(Turn("tool", "", at, _TOOLS[what], given=text, failed=what == "f"))
    return found


def seen_in(pairs: Sequence[dict[str, Any]]) -> Seen:
    """Score pairs, beside all facts of the set, each shown."""
    facts = list(dict.fromkeys(Known(one["fact"], *one["text"]) for one in pairs))
    wrong, missed, ways, others = [], [], Counter[str](), 0
    for one in pairs:
        found = {
            use.id: use for use in uses(facts, turns_of(one["steps"]), [fact.id for fact in facts])
        }
        mine = found.pop(one["fact"], None)
        others += len(found)
        if mine and one["used"]:
            ways[mine.how] += 1
        elif mine:
            wrong.append(f"{mine.how}: {one['text'][1]}  {one['steps']}")
        elif one["used"]:
            missed.append(f"{one['why']}: {one['text'][1]}  {one['steps']}")
    return Seen(ways.total(), tuple(wrong), tuple(missed), others, dict(ways))


def fact(line: str) -> Known:
    """Return the fact that a line names: `ID KIND: TEXT`."""
    id, kind, text = re.split(": | ", line, maxsplit=2)
    return Known(id, kind, text)


def proved(facts: Sequence[Known], steps: str) -> str:
    """Return the uses that steps on a line prove beside facts that were shown; `<9>` is nine letters."""
    text = re.sub("<([0-9]+)>", lambda many: "x" * int(many[1]), steps.replace("\\n", "\n"))
    parts = [one.split(" ", 1) for one in text.split(" ¦ ")]
    turns = turns_of([["e", "a.py", said] if what == "e" else [what, said] for what, said in parts])
    found = uses(facts, turns, ["gone", *[fact.id for fact in facts]])
    said = " ; ".join([f"{one.id} {one.how} “{one.quote}”" for one in found])
    return re.sub("x{50,}", lambda many: f"<{len(many[0])}>", said)


def main(arguments: Sequence[str] | None = None) -> int:
    """Score, print, and say whether the figures are reached."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--pairs", type=Path)
    asked = parser.parse_args(arguments)
    pairs = asked.pairs or asked.bench / "moment/uses.jsonl"
    if not pairs.is_file():
        print(f"there is no {pairs}", file=sys.stderr)
        return 0
    seen = seen_in(rows(pairs))
    for name, listed in (("wrong", seen.wrong), ("missed", seen.missed)):
        for line in listed:
            print(f"{name}  {line}")
    print(
        f"precision {seen.precision:.2f}, recall {seen.recall:.2f}, others {seen.others}, {seen.ways}"
    )
    good = seen.precision >= PRECISION and seen.recall >= RECALL and not seen.others
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
