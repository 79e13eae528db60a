"""The rules of ranking, all of them: what each weighs. What each is worth: tests/bench/BENCH.md."""

from __future__ import annotations

from ledger.model.record import Record


class Rules(Record):
    """What the rules weigh; the bench asks without one of them at a time."""

    #: BM25: how soon a word that is said again adds nothing, and how much a longer text loses
    k1: float = 1.2
    b: float = 0.75
    usual: int = 400  #: characters of a text that loses nothing by its length
    everyday: float = 0.5  #: what an everyday word tells, against one as rare
    inside: float = 0.5  #: what a word tells that holds the one that is asked for, or is held by it
    pairs: float = 2.0  #: what two words of the question add that stand side by side
    meaning: float = 2.0  #: what meaning the same as the question adds, against all its words
    #: how much more a fact counts that is not in the archive, and once more one that never decays
    live: float = 1.2
    #: what a fact gains of the score of the text that it took the place of, its own or another's
    before: float = 0.25
    #: how much more a passage counts that begins with a word of the question, as who speaks does; what
    #: the next one adds to it (the one behind half of that), and its whole log, against the best log
    begins: float = 1.5
    beside: float = 0.15
    session: float = 0.4
    #: what a passage counts that lists files and commands, as a machine saw them
    listed: float = 0.5


RULES = Rules()
#: What an answer is judged by (`memory.recall.standing.verdict`): the heaviest word that one of the best
#: three facts has, against the heaviest that it lacks; the score of the best against what all words tell,
#: and against that of the ninth.
HEAVY, BEST, ENOUGH_TOLD, ABOVE, NINTH = 0.75, 3, 0.8, 2.5, 8
#: A fact that is more alike in meaning than this is looked at, whatever words it has.
SEEN = 0.25
#: Where a model tells that no fact is as alike as this, one whose best word is weak does not answer.
ALIKE = 0.46
#: How common a word is in a ledger is told by so many texts at least.
TELLING = 1000
#: The share of a question that has to be in some passage; below it none answers.
ENOUGH = 0.15
