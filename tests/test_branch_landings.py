"""By which commit the work of a branch came into the trunk: in whatever way it did, and never before."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ledger.environment import NOWHERE, OFFLINE
from ledger.git.cli import Git
from ledger.git.landing.branch_sightings import (
    TIPS_FILE,
    Points,
    Seen,
    Written,
    noted,
    now,
    recalled,
    tips_text,
)
from ledger.git.landing.landing_search import HOWS, Landing, Work, search
from ledger.git.landing.message_references import history
from ledger.home import discover
from ledger.model.event import FactCreated, WorkDropped, WorkLanded, WorkReverted
from ledger.model.session import EDIT
from memory.api import Memory
from memory.replay.replayed_state import state_of
from memory.write.draft import SessionDraft
from rituals.check.check_registry import VERIFY, made
from rituals.review.clone_questions import DROPPED
from rituals.review.recorded_landings import record
from rituals.review.review_plan import plan_review
from rituals.review.review_question import Question
from rituals.review.review_record import ACCEPT, LATER, REJECT, events_of
from tests.branch_histories import (
    ENDS,
    LANDED,
    OPEN,
    PLACES,
    REVERTED,
    Asked,
    Story,
    Told,
    X,
    colleague,
    search_of,
    told_of,
    view_of,
)
from tests.campaigns.homes import IN_TREE, OWN_BRANCH, git, hermetic, make_home
from tests.conftest import Repo, examples

__all__ = ["hermetic"]


def found(story: Story, asked: Asked) -> tuple[str, Landing | None, Work | None]:
    """What is said of a log's work at the head of a story."""
    repository = Git(str(story.folder))
    others = frozenset([one.commit for one in story.logs if one != asked.log])
    work = Points(repository, story.known(), "main").work(asked.log, others)
    landing = search(repository, work, history(repository, story.head())) if work else None
    if landing is None:
        return OPEN, None, work
    assert landing.how in HOWS
    return (REVERTED if landing.reverted else LANDED), landing, work


#: Each end with one place of the log and one seed in the gate, and with others in `tests.deep`.
TOLD_OF = [
    (end, PLACES[(number + more) % len(PLACES)], more)
    for number, end in enumerate(ENDS) for more in range(examples(1, 6))
]  # fmt: skip


@pytest.mark.parametrize(("end", "place", "seed"), TOLD_OF)
def test_each_end_of_a_branch_is_told(end: str, place: str, seed: int, tmp_path: Path) -> None:
    """By the commit that brought it, and never before: to the author, also where no notes are left, and by the record."""
    told = told_of(tmp_path / "author", end, place, seed)
    story, stem, asked = told.story, told.asked.log.stem, told.asked
    becomes, landing, _ = found(story, asked)
    assert becomes == asked.becomes, (end, landing)
    if landing is not None and asked.commit:
        assert asked.commit == (landing.reverted or landing.commit)
    notes_gone = search_of(told, now(told.home.repository, story.now * 1000))
    assert notes_gone in (asked.becomes, OPEN)  # never falsely here
    before = view_of(colleague(told, tmp_path / "other"), stem)
    assert before in (asked.becomes, OPEN) or asked.becomes == REVERTED
    memory = told.memory()
    record(memory)
    assert record(memory) == "", "nothing is said again"
    memory.close()
    assert view_of(told.home, stem) == asked.becomes
    assert view_of(colleague(told, tmp_path / "other"), stem) == asked.becomes


def test_dirty_log_lands_with_the_commit_that_took_it(tmp_path: Path) -> None:
    """Its point is the next commit of the branch; that lands, and the one of the header is no landing."""
    story = Story(tmp_path / "r", 7)
    story.work(X, 1)
    story.change(X, 1, 6)
    log = story.log(X, dirty=True)
    story.git("stash", "-q")
    story.git("switch", "-q", "main")
    story.git("merge", "-q", "--no-ff", "-m", "Half", X)
    assert found(story, Asked(log))[0] == OPEN
    story.git("switch", "-q", X)
    story.git("stash", "pop", "-q")
    took = story.commit("The other half")
    assert found(story, Asked(log))[2] is not None
    story.main()
    landed = story.squash(X)
    becomes, landing, work = found(story, Asked(log))
    assert (becomes, landing and landing.commit, work and work.point) == (LANDED, landed, took)


def test_branch_deleted_tip_noted(tmp_path: Path) -> None:
    """A branch that is gone is known from where git, or Diurna, noted that it was; both are no more than caches."""
    story = Story(tmp_path / "r", 11)
    story.work(X, 1)
    story.change(X, 1, 6)
    log = story.log(X, dirty=True)
    story.commit("What was not committed")
    told = [Seen(X, story.head(), story.now * 1000)]
    story.main()
    landed = story.squash(X)
    story.git("branch", "-D", X)
    current = [Seen("main", story.head(), story.now * 1000)]
    repository = Git(str(story.folder))
    assert Points(repository, current, "main").work(log) is None
    text = tips_text([], told)
    os.makedirs(story.folder / ".git/diurna")
    (story.folder / ".git" / TIPS_FILE).write_text(text or "")
    home = make_home(story.folder, OWN_BRANCH)
    assert tips_text(noted(home.repository), told) is None
    for seen in (story.known(), [*noted(home.repository), *current]):
        work = Points(repository, seen, "main").work(log)
        assert work is not None
        landing = search(repository, work, history(repository, story.head()))
        assert landing is not None and landing.commit == landed


def test_what_logs_record_is_kept_in_ledger_order(tmp_path: Path) -> None:
    """A cache knows what became of the work of a log; no fact has a part in it."""
    memory = Memory(make_home(tmp_path / "r", OWN_BRANCH))
    work = memory.append(SessionDraft("Work", "", (FactCreated("queue", "Redis"),)))
    first, second = "a" * 40, "b" * 40
    memory.append(SessionDraft("1", "", (WorkLanded(work.stem, first, "patch"),), type=EDIT))
    told = (WorkReverted(work.stem, second), WorkDropped(work.stem, "feature/x"))
    memory.append(SessionDraft("2", "", told, type=EDIT))
    rows = [
        (work.stem, "Landed", first, "patch"), (work.stem, "Dropped", "", "feature/x"),
        (work.stem, "Reverted", second, ""),
    ]  # fmt: skip
    assert memory.snapshot.ask(lambda cache: cache.landed()) == rows
    assert [one.fact.id for one in memory.state().standings()] == ["queue"]
    memory.close()


def landed_story(folder: Path) -> Told:
    """A branch that was squashed, recorded."""
    told = told_of(folder, "squash", "tip", 2)
    memory = told.memory()
    assert record(memory) == "1 landing"
    memory.close()
    return told


def test_replay_bytes_same_at_every_head(tmp_path: Path) -> None:
    """What became of a branch changes nothing that the ledger says: pages, digest and facts."""
    told = told_of(tmp_path / "r", "squash", "tip", 2)
    memory = told.memory()
    before = memory.snapshot.ask(lambda cache: list(state_of(cache).standings()))
    record(memory)
    assert memory.snapshot.ask(lambda cache: list(state_of(cache).standings())) == before
    (stem,) = {stem for stem, *_ in memory.snapshot.ask(lambda cache: cache.landed())}
    assert (stem, view_of(told.home, stem)) == (told.asked.log.stem, LANDED)
    git(told.story.folder, "checkout", "-q", "--detach", "HEAD~1")
    assert memory.snapshot.ask(lambda cache: list(state_of(cache).standings())) == before
    memory.close()


def test_nothing_is_asked_in_tree_nor_where_history_is_cut(tmp_path: Path) -> None:
    """In-tree a log comes with its work, and a shallow clone can not tell."""
    story = Story(tmp_path / "r", 1)
    memory = Memory(make_home(story.folder, IN_TREE), clock=lambda: story.now * 1000)
    story.work(X, 1)
    memory.append(SessionDraft("Work", "", (FactCreated("queue", "Redis"),)))
    assert record(memory) == ""
    memory.close()
    told = landed_story(tmp_path / "s")
    colleague(told, tmp_path / "deep")
    where = f"file://{tmp_path}/deep.git"
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", where, "cut")
    cut = Memory(discover(str(tmp_path / "cut")))
    assert record(cut) == ""
    cut.close()


def test_forged_landed_is_named_where_objects_are(tmp_path: Path) -> None:
    """Who has the work sees that the commit does not hold it; who has not believes the record."""
    told = told_of(tmp_path / "r", "open", "tip", 2)
    story, memory = told.story, told.memory()
    forged = WorkLanded(told.asked.log.stem, story.head(), "squash")
    memory.append(SessionDraft("Forged", "", (forged,), type=EDIT))
    said = [one.message for one in made(memory, VERIFY) if one.code == "landed-unproven"]
    name = f"{forged.id} is said to have landed in {forged.commit[:7]} (squash)"
    assert said == [f"{name}, which does not hold its work"]
    other = Memory(colleague(told, tmp_path / "other"))
    codes = {one.code for one in made(other, VERIFY)}
    assert "landed-unproven" not in codes and view_of(other.home, forged.id) == LANDED
    other.close()
    landed = story.squash(X)
    true = WorkLanded(told.asked.log.stem, landed, "squash")
    memory.append(SessionDraft("True", "", (true,), type=EDIT))
    assert len([one for one in made(memory, VERIFY) if one.code == "landed-unproven"]) == 1
    memory.close()


def test_branch_dropped_is_asked_once_two_weeks_and_a_fetch_later(tmp_path: Path) -> None:
    """Not while it rests, nor before a fetch; accepted, what the branch alone said is false."""
    told = told_of(tmp_path / "r", "dropped", "tip", 2)
    story, memory, stem = told.story, told.memory(), told.asked.log.stem
    assert asked(memory) == []
    story.now += 15 * 86_400
    story.trunk_work(0)
    (question,) = asked(memory)
    assert (question.facts, f"{X} is gone" in question.said) == (("fact-0", "shared"), True)
    story.git("update-ref", "refs/remotes/origin/main", "main")
    assert asked(memory) == []
    (story.folder / ".git/FETCH_HEAD").write_text("")
    assert asked(memory) == [question]
    story.git("branch", X, "main")
    assert asked(memory) == []
    story.git("branch", "-D", X)
    plan = plan_review(memory)
    events = events_of(plan, {question.key: ACCEPT})
    assert WorkDropped(stem, X) in events
    memory.append(SessionDraft("Answered", "", events, type="review", anyway=True))
    fact = memory.state().fact("fact-0")
    assert fact is not None and fact.false and fact.text == "What fact-0 says."
    assert asked(memory) == []
    memory.close()


@pytest.mark.parametrize("answer", [REJECT, LATER])
def test_branch_dropped_is_not_asked_again(answer: str, tmp_path: Path) -> None:
    """Whoever says that the work is still open is believed; left for later, it is an open thread."""
    told = told_of(tmp_path / "r", "dropped", "tip", 2)
    story, memory = told.story, told.memory()
    story.now += 15 * 86_400
    story.trunk_work(0)
    plan = plan_review(memory)
    (question,) = [one for one in plan.fresh if one.rule == DROPPED]
    events = events_of(plan, {question.key: answer})
    memory.append(SessionDraft("Answered", "", events, type="review", anyway=True))
    again = plan_review(memory)
    assert not [one for one in again.fresh if one.rule == DROPPED]
    fact = memory.state().fact("fact-0")
    assert fact is not None and not fact.false
    memory.close()


def asked(memory: Memory) -> list[Question]:
    """The questions about branches that are gone."""
    return [one for one in plan_review(memory).questions if one.rule == DROPPED]


def test_in_one_second_own_work_is_told_from_a_fresh_branch(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git's notes tell whole seconds: a branch that was elsewhere before came to its commit by work."""
    second = 1_790_000_000
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, f"{second} +0000")
    for branch, by_work in (("own", True), ("fresh", False)):
        repo.git("switch", "-q", "main")
        repo.git("commit", "-q", "--allow-empty", "-m", f"Before {branch}")
        repo.git("switch", "-qc", branch)
        if by_work:
            repo.git("commit", "-q", "--allow-empty", "-m", "Own")
        commit = repo.git("rev-parse", "HEAD").strip()
        repo.git("switch", "-q", "main")
        repo.git("merge", "-q", "--ff-only", branch)
        home = discover(str(repo.path))
        seen = [*now(home.repository, second * 1000 + 900), *recalled(home.repository)]
        log = Written("log", commit, branch, second * 1000 + 500)
        work = Points(home.repository.git(), seen, "main").work(log)
        assert (work.point if work else "") == (commit if by_work else "")


def test_where_files_were_not_fetched_nobody_can_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partial clone fetches nothing for a landing; once the files are there it is found."""
    told = told_of(tmp_path / "r", "squash edited", "tip", 2)
    where, story = tmp_path / "bare.git", told.story
    git(story.folder, "init", "-q", "--bare", "-b", "main", str(where))
    git(where, "config", "uploadpack.allowFilter", "true")
    git(story.folder, "push", "-q", str(where), "main", "memory", X)
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{where}", "partial")
    memory = Memory(discover(str(tmp_path / "partial")), clock=lambda: story.now * 1000)
    assert [one.fact.id for one in memory.state().standings()] == ["fact-0", "shared"]
    monkeypatch.setenv(OFFLINE, NOWHERE)  # as what runs by itself is, whatever git knows
    shutil.move(where, tmp_path / "gone.git")
    assert (record(memory), memory.snapshot.ask(lambda cache: cache.landed())) == ("", [])
    assert view_of(memory.home, told.asked.log.stem) == OPEN
    shutil.move(tmp_path / "gone.git", where)
    assert record(memory) == ""
    git(tmp_path / "partial", "log", "-p", "-m", "--all")  # which fetches them
    git(tmp_path / "partial", "diff", "origin/main...origin/feature/x")
    assert record(memory) == "1 landing"
    memory.close()
