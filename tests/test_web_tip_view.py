"""What is kept of a tip, and what is prepared of it beside the memory's thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest

from ledger.home import discover
from memory.api import Memory
from projection.lifecycle.lives import Lives
from rituals.report.lifecycle_report import report
from rituals.review.learning.learning_plan import plan_learning
from rituals.review.review_plan import plan_review
from rituals.serve.open_memory import OpenMemory
from rituals.serve.web.tip_view import preparing
from rituals.serve.web.tip_view.preparing import Preparing
from rituals.serve.web.tip_view.tip_view import SLOW_PARTS, TipView, TipViews
from tests.conftest import Repo, Run


@pytest.fixture
def noted(repo: Repo, run: Run) -> Repo:
    """A home with two sessions."""
    assert run("append", "--title", "One", "--new", "id=retries decision: Retry thrice.").code == 0
    assert run("append", "--title", "Two", "--ref", "retries").code == 0
    return repo


@pytest.fixture
def opened(noted: Repo) -> Iterator[OpenMemory]:
    """That home, as a server has it open."""
    found = OpenMemory(lambda: discover(str(noted.path)), Memory)
    yield found
    found.close()


def test_parts_of_a_tip_are_what_the_commands_say(noted: Repo) -> None:
    """Lives, report and both plans, made in place, equal those of their rituals."""
    memory = Memory.open(str(noted.path))
    tip = TipViews().of(memory)
    assert not any(tip.has(part) for part in SLOW_PARTS)
    assert tip.lives.lives == tip.report.lives
    assert tip.report == report(memory)
    planned, learned = plan_review(memory), plan_learning(memory)
    assert tip.plan.state.standings() == planned.state.standings()
    assert tip.plan._replace(state=planned.state) == planned
    assert tip.learn_plan._replace(state=learned.state) == learned
    assert tip.past.at(2).live == memory.view().live
    assert tip.origins is memory.origins
    assert tip.recall in (True, False)
    assert all(tip.has(part) for part in SLOW_PARTS)
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


def within(seconds: float, opened: OpenMemory, play: Callable[[Preparing], object]) -> None:
    """Play something in an event loop, and stop preparing behind it."""

    async def all_of_it() -> None:
        made = Preparing(opened)
        try:
            await asyncio.wait_for(play(made), seconds)  # type: ignore[arg-type]
        finally:
            await made.close()

    asyncio.run(all_of_it())


def test_what_a_page_needs_is_there_when_it_is_asked(opened: OpenMemory) -> None:
    """Its parts are made on threads of their own; the page is asked on the memory's."""
    asked: list[tuple[bool, str]] = []

    def page(tip: TipView) -> None:
        asked.append((tip.has("lives"), threading.current_thread().name))

    async def play(made: Preparing) -> None:
        await made.ask(page, ("lives",))

    within(30, opened, play)
    assert asked == [(True, "diurna-memory")]


def test_no_page_waits_for_what_another_one_needs(
    opened: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a part takes as long as it likes, pages that do not need it are answered."""
    go, begun = threading.Event(), threading.Event()
    made_on: list[str] = []
    made = Lives((), ())

    def slow(tip: TipView) -> Callable[[], object]:
        def work() -> object:
            made_on.append(threading.current_thread().name)
            begun.set()
            assert go.wait(20)
            return made

        return work

    monkeypatch.setattr(preparing, "SLOW_PARTS", {"lives": slow})

    async def play(pages: Preparing) -> None:
        waits = [
            asyncio.ensure_future(pages.ask(lambda tip: tip.lives, ("lives",))) for _ in range(2)
        ]
        while not begun.is_set():
            await asyncio.sleep(0.005)
        assert await pages.ask(lambda tip: len(tip.work)) == 2
        assert not any(one.done() for one in waits)
        go.set()
        assert await asyncio.gather(*waits) == [made, made]

    within(30, opened, play)
    assert made_on == ["diurna-lives"]  # once, for both


def test_all_is_prepared_ahead_and_again_when_memory_moved(opened: OpenMemory, run: Run) -> None:
    """From the start on, without a page that needs it; and after the first request behind an append."""

    async def prepared(made: Preparing) -> TipView:
        while True:
            tip = await made.ask(lambda tip: tip)
            if all(tip.has(part) for part in SLOW_PARTS):
                return tip
            await asyncio.sleep(0.02)

    async def play(made: Preparing) -> None:
        made.begin()
        first = await prepared(made)
        assert run("append", "--title", "Three", "--ref", "retries").code == 0
        second = await prepared(made)
        assert second is not first
        assert len(second.lives.work) == 3

    within(60, opened, play)


def test_a_part_that_fails_is_told_to_who_needs_it_alone(
    opened: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are prepared, and pages that do not need it are answered."""

    def fails(tip: TipView) -> Callable[[], object]:
        def work() -> object:
            raise ValueError("it can not be planned")

        return work

    monkeypatch.setattr(preparing, "SLOW_PARTS", {"plan": fails, "lives": SLOW_PARTS["lives"]})

    async def play(made: Preparing) -> None:
        made.begin()
        with pytest.raises(ValueError, match="planned"):
            await made.ask(lambda tip: tip.plan, ("plan",))
        assert (await made.ask(lambda tip: tip.lives, ("lives",))).work

    within(30, opened, play)


def test_the_index_of_recall_is_brought_here_once(
    opened: OpenMemory, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of search waits for it beside the memory's thread, and no second time."""
    read: list[int] = []

    def counted(tip: TipView) -> Callable[[], object]:
        read.append(len(tip.work))
        return SLOW_PARTS["recall"](tip)

    monkeypatch.setattr(preparing, "SLOW_PARTS", {"recall": counted})

    async def play(pages: Preparing) -> None:
        found = await pages.ask(lambda tip: tip.memory.recall("retry"), ("recall",))
        assert [hit.id for hit in found.facts] == ["retries"]
        assert run("append", "--title", "Three", "--new", "id=b fact: Retry slowly.").code == 0
        found = await pages.ask(lambda tip: tip.memory.recall("retry"), ("recall",))
        assert {hit.id for hit in found.facts} == {"retries", "b"}

    within(60, opened, play)
    assert read == [2]
