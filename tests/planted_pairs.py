"""The planted pairs, and how well a rule finds them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).parent / "planted_pairs.txt"
OWN_WORDS = Path(__file__).parent / "planted_subjects.txt"
TUNING, HELD_OUT = "tuning", "held out"
HALVES = (TUNING, HELD_OUT)


class Pair(NamedTuple):
    """Two sentences, and what they are: the heading they stand under."""

    sort: str
    half: str
    one: str
    two: str


def pairs(path: Path = PATH) -> list[Pair]:
    """Read planted pairs: of each section the odd ones are for tuning."""
    found: list[Pair] = []
    for section in path.read_text(encoding="utf-8").split("\n## ")[1:]:
        sort, _, rest = section.partition("\n")
        for number, block in enumerate(rest.strip().split("\n\n")):
            one, two = block.strip().split("\n")
            found.append(Pair(sort, HALVES[number % 2], one, two))
    return found


class Score(NamedTuple):
    """How often a rule was right, wrong, and silent where it had to speak."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def counted(self, *, found: bool, wanted: bool) -> Score:
        """Count one more pair."""
        return Score(
            self.right + (found and wanted),
            self.wrong + (found and not wanted),
            self.missed + (wanted and not found),
        )

    @property
    def precision(self) -> float:
        """Which share of what was found is right."""
        return self.right / (self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Which share of what is there was found."""
        return self.right / (self.right + self.missed)
