"""How much is asked for decides how much is told, and never whether anything is."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from ledger.home import OWN_REPOSITORY
from ledger.model.event import FactCreated
from memory.recall.recall_values import Answer
from memory.write.draft import SessionDraft
from rituals.sync.upstream_fetch import sync_all
from tests.campaigns.homes import git, hermetic, make_home
from tests.conftest import examples
from tests.teams import Clone

__all__ = ["hermetic"]

_SUBJECTS = ("ferry", "harbour", "lantern", "quarry", "saddle")
_SAID = (
    "is checked by two people",
    "waits for the tide",
    "has a spare in the shed",
    "closes at noon",
)


def _fill(clone: Clone, chance: random.Random, facts: int, logs: int) -> None:
    """Record some facts and logs, about some of the subjects."""
    for number in range(facts):
        text = f"The {chance.choice(_SUBJECTS)} {chance.choice(_SAID)}, rule {clone.folder.name} {number}."
        fact = FactCreated(f"rule-{number}", text)
        clone.memory.append(SessionDraft(f"Rule {number}", "", (fact,), anyway=True))
    for number in range(logs):
        subject = chance.choice(_SUBJECTS)
        prose = f"We looked at the {subject} again, round {number}.\n\nThe {subject} {chance.choice(_SAID)}."
        clone.memory.append(SessionDraft(f"Round {number}", prose))


def _told(answer: Answer) -> set[str]:
    return {one for hit in answer.hits for one in (hit.id, hit.passage) if one}


@pytest.mark.deep(only="0")
@pytest.mark.parametrize("seed", range(examples(4)))
def test_fewer_hits_are_some_of_more(tmp_path: Path, hermetic: None, seed: int) -> None:
    """With homes of others and one's own: `-n k` answers where `-n k+1` does, with what that has too."""
    chance = random.Random(seed)
    names = ["org", "guild"][: chance.randrange(3)] if seed else ["org", "guild"]
    for name in names:
        theirs, hub = Clone(tmp_path / name), tmp_path / f"{name}.git"
        make_home(theirs.folder, OWN_REPOSITORY)
        git(tmp_path, "init", "-q", "--bare", "-b", "main", str(hub))
        theirs.git("remote", "add", "origin", str(hub))
        _fill(theirs, chance, chance.randrange(1, 6), 0)
        theirs.sync()
    team = Clone(tmp_path / "shop")
    make_home(team.folder, OWN_REPOSITORY)
    policy = "".join(f'{name} = "../{name}.git"\n' for name in names)
    (team.folder / "diurna.toml").write_text(f"[upstream]\n{policy}" if names else "")
    team.git("commit", "-q", "--allow-empty", "-am", "read others")
    team.git("config", "protocol.file.allow", "always")
    _fill(team, chance, chance.choice((0, 1, 5)), chance.choice((0, 1, 5)))
    if names:
        sync_all(team.memory)
    memory = team.memory
    for subject in _SUBJECTS:
        answers = [memory.recall(subject, limit=limit) for limit in range(1, 9)]
        for limit, (fewer, more) in enumerate(itertools.pairwise(answers), 1):
            assert len(fewer.hits) <= limit
            assert len(more.hits) >= len(fewer.hits)
            assert len(fewer.hits) == limit or len(more.hits) == len(fewer.hits)
            assert {hit.id for hit in fewer.hits} <= _told(more)
            assert bool(fewer.hits) == bool(more.hits)
            assert [hit.id for hit in fewer.facts if "/" not in hit.id] == [
                hit.id for hit in more.facts if "/" not in hit.id
            ][: len([hit for hit in fewer.facts if "/" not in hit.id])]
    memory.close()
