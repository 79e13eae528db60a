"""By which commit the work of a branch came into the trunk: in whatever way it did, and never before."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.git.cli import Git
from ledger.git.landing.messages import history
from ledger.git.landing.points import Points
from ledger.git.landing.search import HOWS, Landing, Work, search
from ledger.model.event import FactCreated, WorkDropped, WorkLanded, WorkReverted
from ledger.model.session import EDIT
from memory.api import Memory
from memory.write.draft import SessionDraft
from tests.branch_histories import (
    ENDS,
    LANDED,
    OPEN,
    PLACES,
    REVERTED,
    Asked,
    Story,
)
from tests.campaigns.homes import OWN_BRANCH, hermetic, make_home

__all__ = ["hermetic"]


def found(story: Story, asked: Asked) -> tuple[str, Landing | None, Work | None]:
    """What is said of a log's work at the head of the story."""
    git = Git(str(story.folder))
    others = [one.commit for one in story.logs if one != asked.log]
    work = Points(git, story.known(), "main").work(asked.log, others)
    landing = search(git, work, history(git, story.head())) if work else None
    if landing is None:
        return OPEN, None, work
    assert landing.how in HOWS
    return (REVERTED if landing.reverted else LANDED), landing, work


@pytest.mark.parametrize("end", ENDS)
def test_each_end_of_a_branch_is_told(end: str, tmp_path: Path) -> None:
    """What landed is found, by the commit that brought it; what did not land is told so."""
    number = list(ENDS).index(end)
    story = Story(tmp_path / "r", number)
    asked = ENDS[end](story, PLACES[number % len(PLACES)])
    becomes, landing, _ = found(story, asked)
    assert becomes == asked.becomes, (end, landing)
    if landing is not None and asked.commit:
        assert asked.commit == (landing.reverted or landing.commit)


def test_what_logs_record_is_kept_in_ledger_order(tmp_path: Path) -> None:
    """A cache knows what became of the work of a log, made anew or kept up; no fact has a part in it."""
    memory = Memory(make_home(tmp_path / "r", OWN_BRANCH))
    work = memory.append(SessionDraft("Work", "", (FactCreated("queue", "Redis"),)))
    first, second = "a" * 40, "b" * 40
    memory.append(SessionDraft("1", "", (WorkLanded(work.stem, first, "patch"),), type=EDIT))
    told = (WorkReverted(work.stem, second), WorkDropped(work.stem, "feature/x"))
    memory.append(SessionDraft("2", "", told, type=EDIT))
    rows = [
        (work.stem, "Landed", first, "patch"), (work.stem, "Reverted", second, ""),
        (work.stem, "Dropped", "", "feature/x"),
    ]  # fmt: skip
    assert sorted(memory.snapshot.ask(lambda cache: cache.landed())) == sorted(rows)
    assert [one.fact.id for one in memory.state().standings()] == ["queue"]
    memory.close()
