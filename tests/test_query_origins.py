"""Which commit brought each log: one walk that is kept says what git says of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledger.model.event import facts_in
from memory.api import Memory
from memory.query.origins import Origins, all_origins, origins_of
from memory.query.provenance import origins

if TYPE_CHECKING:
    from tests.conftest import Repo, Run


def check(repo: Repo, kept: Origins | None = None) -> Origins:
    """Compare one walk with what git says of each log, and what `why` says with and without it."""
    memory = Memory.open(str(repo.path))
    refs = list(memory.snapshot.cache().log_refs())
    found = all_origins(memory.home, memory.home.tip(), refs, kept)
    assert dict(found.commits) == {
        path: origin for one in refs for path, origin in origins_of(memory.home, [one]).items()
    }
    stems = [*[ref.stem for ref in refs], "2020-01-01"]
    assert origins(memory.snapshot, stems) == dict(found.commits)  # that one is not there
    ids = memory.snapshot.cache().ids()
    plain = [memory.why(id) for id in ids]
    memory.origins = found
    assert [memory.why(id) for id in ids] == plain
    assert all(step.commit for one in plain for step in one.steps)
    memory.close()
    return found


def append(run: Run, title: str, *said: str) -> None:
    assert run("append", "--title", title, *said).code == 0


def test_one_walk_says_what_git_says_of_each_log(repo: Repo, run: Run) -> None:
    """Also on from a tip that is kept, over a merge, and where the history was rewritten."""
    append(run, "One", "--new", "id=a fact: A holds.")
    append(run, "Two", "--ref", "a", "--new", "id=b fact: B holds.")
    first = check(repo)
    repo.git("branch", "side")
    append(run, "Three", "--supersede", "a=b")
    second = check(repo, first)
    assert len(second.commits) == 3
    repo.git("checkout", "-q", "side")
    append(run, "Beside", "--ref", "b")
    check(repo, second)  # what it knows is not before this tip
    beside = check(repo)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "-X", "ours", "-m", "merge", "side")
    append(run, "Four", "--ref", "b")
    assert check(repo, second) == check(repo, beside) == check(repo)


def test_what_is_kept_of_another_tip_counts_for_nothing(repo: Repo, run: Run) -> None:
    """A log that came since is told with its commit all the same."""
    append(run, "One", "--new", "id=a fact: A holds.")
    memory = Memory.open(str(repo.path))
    memory.origins = all_origins(memory.home, memory.home.tip(), memory.snapshot.cache().log_refs())
    append(run, "Two", "--ref", "a")
    assert [bool(step.commit) for step in memory.why("a").steps] == [True, True]
    assert all_origins(memory.home, "", []) == Origins("", {})
    memory.close()


@pytest.mark.parametrize("id", ["a", "a-b", "b", "10"])
def test_the_logs_that_name_an_id_are_found_by_its_bytes(repo: Repo, run: Run, id: str) -> None:
    """All that name it are among them, in the order in which they were added."""
    append(run, "One", "--new", "id=a fact: A holds.", "--new", "id=a-b fact: B holds.")
    append(run, "Two", "--ref", "a-b")
    append(run, "Three", "--new", "id=b fact: C.", "--supersede", "a=b", "--new", "id=10 fact: D.")
    memory = Memory.open(str(repo.path))
    cache = memory.snapshot.cache()
    naming = [
        ref
        for _, ref, entry in cache.entries()
        if id in entry.named or any(id in facts_in(event) for event in entry.acts)
    ]
    found = [ref for ref, _ in cache.entries_naming(id)]
    assert naming
    assert [ref for ref in found if ref in naming] == naming
    memory.close()
