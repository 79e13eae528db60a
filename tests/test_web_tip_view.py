"""What is kept of a tip, and how it was at a point of the past."""

from __future__ import annotations

import pytest

from ledger.errors import NotFound
from memory.api import Memory
from projection.fold.fact_history import REDACTED_TEXT
from rituals.report.lifecycle_report import report
from rituals.review.learning_plan import plan_learning
from rituals.review.review_plan import plan_review
from rituals.serve.web.tip_view.tip_view import TipViews
from tests.conftest import Repo, Run


@pytest.fixture
def noted(repo: Repo, run: Run) -> Repo:
    """A home with two sessions."""
    assert run("append", "--title", "One", "--new", "id=retries decision: Retry thrice.").code == 0
    assert run("append", "--title", "Two", "--ref", "retries").code == 0
    return repo


def test_parts_of_a_tip_are_what_the_commands_say(noted: Repo) -> None:
    """Report and both plans equal those of their rituals, and each is worked out once."""
    memory = Memory.open(str(noted.path))
    tip = TipViews().of(memory)
    assert tip.report == report(memory) and tip.report is tip.report
    planned, learned = plan_review(memory), plan_learning(memory)
    assert tip.plan.state.standings() == planned.state.standings()
    assert tip.plan._replace(state=planned.state) == planned
    assert not tip.has("learn_plan")
    assert tip.learn_plan._replace(state=learned.state) == learned
    assert tip.has("learn_plan")
    assert tip.origins is memory.origins
    assert tip.standings == {one.fact.id: one for one in memory.state().standings()}
    origin = tip.writers(tip.work)[tip.work[0]]
    assert tip.tip != origin.commit  # of the commit before
    assert origin.author
    memory.close()


def test_a_view_of_a_tip_ends_when_memory_moves(noted: Repo, run: Run) -> None:
    """The same view is given until another process appends."""
    memory, views = Memory.open(str(noted.path)), TipViews()
    first = views.of(memory)
    assert views.of(memory) is first
    assert run("append", "--title", "Three", "--ref", "retries").code == 0
    second = views.of(memory)
    assert second is not first
    assert len(second.work) == len(first.work) + 1
    memory.close()


def test_how_it_was_is_what_was_recorded_by_then(repo: Repo, run: Run) -> None:
    """At a log, a day, a tag and a commit, with the texts of that time; what is redacted since is not told."""
    lines = [
        ("--new", "id=retries decision: Webhooks retry three times.", "--new", "id=a fact: A holds."),
        ("--update", "retries", "Webhooks retry five times."),
        ("--new", "id=b fact: B holds.", "--supersede", "a=b"),
    ]  # fmt: skip
    for number, more in enumerate(lines):
        assert run("append", "--title", f"Session {number}", *more).code == 0
        repo.git("tag", f"v{number}")
    memory, views = Memory.open(str(repo.path)), TipViews()
    tip = views.of(memory)

    def texts(as_of: str) -> dict[str, str]:
        return {one.fact.id: one.fact.text for one in tip.then(as_of).state.view().live}

    first = {"retries": "Webhooks retry three times.", "a": "A holds."}
    assert texts("v0") == texts(tip.work[0]) == texts("HEAD~2") == first
    assert texts("v1") == {**first, "retries": "Webhooks retry five times."}
    assert texts("v2") == {one.fact.id: one.fact.text for one in tip.state.view().live}
    assert texts("2020-01-01") == {} and tip.then("2020-01-01").entries == ()
    assert [name for name, _ in tip.releases] == ["v0", "v1", "v2"]
    past = tip.then("v0")
    assert (
        past is tip.then("v0") and past.past and [one.stem for one in past.entries] == tip.work[:1]
    )
    assert (
        past.report.whole.facts == 2 and past.marks([past.standings["a"].fact])["a"].false is False
    )
    with pytest.raises(NotFound, match="no time"):
        tip.then("nothing such")
    assert run("redact", "a", "--reason", "private").code == 0
    tip = views.of(memory)
    assert texts("v0")["a"] == REDACTED_TEXT
    memory.close()


def test_a_tag_of_the_code_stands_for_its_time(
    bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where memory has a branch of its own no commit of the code holds any; recall takes it so, too."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
    bare_repo.git("commit", "-q", "--allow-empty", "-m", "old")
    bare_repo.git("tag", "old")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2030-01-01T00:00:00Z")
    bare_repo.git("commit", "-q", "--allow-empty", "-m", "new")
    bare_repo.git("tag", "new")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    assert run("init", "--branch", "memory").code == 0
    assert run("note", "id=first fact: The first one holds.").code == 0
    memory = Memory.open(str(bare_repo.path))
    tip = TipViews().of(memory)
    assert list(tip.then("old").standings) == [] and list(tip.then("new").standings) == ["first"]
    memory.close()
    assert "first" in run("recall", "first one", "--as-of", "new").out
    assert "first" not in run("recall", "first one", "--as-of", "old").out
