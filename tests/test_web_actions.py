"""What forms record: the log of the command line byte for byte; and what is refused changes nothing."""

from __future__ import annotations

import shlex
from functools import cached_property, partial
from pathlib import Path

import pytest

from ledger.errors import DiurnaError, WaitsInSpool
from ledger.home import discover
from ledger.model.event import FactUpdated
from ledger.model.ids import version_id
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.cli.context import Invocation
from rituals.decide.open_contradictions import KINDS, disputes
from rituals.review.learning.learning_plan import plan_learning
from rituals.review.remaining_questions import remaining
from rituals.review.review_plan import Plan, plan_review
from rituals.serve.web.actions.action import Recorded
from rituals.serve.web.actions.answer_forms import answer
from rituals.serve.web.actions.form_fields import LIMIT_CHARS, LIMIT_IDS, LIMIT_VALUES, Fields
from rituals.serve.web.actions.form_table import ACTIONS, Notices
from tests.campaigns.homes import git, lay, logs_in
from tests.conftest import NOW_MS, Ran, Run
from tests.web.homes import undecided

AGENT = "Ada"
TWENTY = "A request may take twenty seconds, then it is cut."
SHOPS = "Prices stand in a table for each shop."


class Twins:
    """Two copies of one home: pages write into the one, the command line into the other.

    Args:
        folder: where they are.
        run: the command line.
        monkeypatch: sets its environment.
    """

    def __init__(self, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ours, self._folder = folder / "ours" / "one", folder
        lay("what pages decide", self.ours, undecided)
        self._run, self._now = run, NOW_MS
        self._patch = monkeypatch
        monkeypatch.setenv("DIURNA_AGENT", AGENT)
        self.plan: Plan | None = None
        self.notices = Notices(
            {**ACTIONS, "answer": partial(answer, kept=lambda memory: self.plan)}
        )

    @cached_property
    def theirs(self) -> Path:
        """The other copy, as the home was before a command was run in it."""
        folder = self._folder / "theirs" / "one"
        lay("what pages decide", folder, undecided)
        return folder

    @property
    def memory(self) -> Memory:
        """The home of the pages, open."""
        return Memory(discover(str(self.ours)), agent=AGENT, clock=lambda: self._now)

    def form(self, name: str, *pairs: tuple[str, str]) -> Recorded:
        """Send a form."""
        self._now += 1000
        return self.notices.record(self.memory, name, Fields(pairs))

    def line(self, *arguments: str, stdin: str = "") -> Ran:
        """Run a command at the moment of the last form."""
        self._patch.setenv("DIURNA_NOW", str(self._now))
        return self._run(*arguments, "--home", str(self.theirs), stdin=stdin.encode())

    def logs(self, folder: Path | None = None) -> dict[str, bytes]:
        """Return the logs of the home of the pages, or of another one."""
        return logs_in(discover(str(folder or self.ours)))

    def newest(self) -> str:
        """Return the text of the newest log of the pages."""
        logs = self.logs()
        return logs[max(logs)].decode()

    def shape(self) -> tuple[str, ...]:
        """Return all that a refusal leaves as it is."""
        return tuple(
            [git(self.ours, *asked) for asked in (("show-ref",), ("status", "--porcelain"))]
        )


@pytest.fixture
def twins(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Twins:
    return Twins(tmp_path, run, monkeypatch)


def test_the_home_has_each_kind_of_contradiction(twins: Twins) -> None:
    assert {one.kind for one in disputes(twins.memory)} == set(KINDS)


V20 = version_id(TWENTY)
SAME: dict[str, tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]] = {
    "confirm one": ("confirm", (("id", "calm"),), ("confirm", "calm")),
    "confirm many": (
        "confirm", (("id", "orders"), ("id", "money"), ("id", "orders")), ("confirm", "orders", "money"),
    ),
    "a text": ("resolve", (("id", "limit"), ("choose", V20)), ("resolve", "limit", "--choose", V20)),
    "own words": (
        "resolve", (("id", "limit"), ("text", "It depends:\r\n\r\n- on the shop\r\n")),
        ("resolve", "limit", "--text", "It depends:\n\n- on the shop"),
    ),
    "a birth": (
        "resolve", (("id", "deploy"), ("choose", version_id("We deploy on Fridays."))),
        ("resolve", "deploy", "--choose", version_id("We deploy on Fridays.")),
    ),
    "closed": ("resolve", (("id", "find"), ("stands", "closed")), ("resolve", "find", "--closed")),
    "open": (
        "resolve", (("id", "find"), ("text", "Find it."), ("stands", "open")),
        ("resolve", "find", "--text", "Find it.", "--open"),
    ),
    "a successor": (
        "resolve", (("id", "old"), ("choose", "left")), ("resolve", "old", "--choose", "left"),
    ),
    "a circle": (
        "resolve", (("id", "north"), ("choose", "north")), ("resolve", "north", "--choose", "north"),
    ),
    "reworded": (
        "resolve", (("id", "table"), ("choose", version_id(SHOPS))),
        ("resolve", "table", "--choose", version_id(SHOPS)),
    ),
    "a state": (
        "resolve", (("id", "wire"), ("state", "blocked")), ("resolve", "wire", "--state", "blocked"),
    ),
    "close": ("close", (("id", "storm"),), (
        "append", "--type", "edit", "--title", "Close storm", "--close", "storm")),
    "archive": (
        "archive", (("id", "calm"), ("reason", "it is\r\nfrozen")),
        ("archive", "calm", "--reason", "it is\nfrozen"),
    ),
    "return": (
        "return", (("id", "put-away"), ("reason", "thawed")),
        ("archive", "put-away", "--back", "--reason", "thawed"),
    ),
    "reinstate": (
        "reinstate", (("id", "untrue"), ("reason", "it holds")),
        ("restore", "untrue", "--reason", "it holds"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_a_form_records_what_the_command_records(twins: Twins, case: str) -> None:
    """Byte for byte, the name of the log too; and the command that the notice names is just that one.

    The same form once more, as of a second tab, is told that there is nothing left, or why not.
    """
    name, pairs, command = SAME[case]
    before = twins.logs()
    recorded = twins.form(name, *pairs)
    ran = twins.line(*command)
    assert ran.code == 0, ran.err
    ours = twins.logs()
    assert ours == twins.logs(twins.theirs)
    assert set(ours) - set(before) == set(recorded.stems)
    assert recorded.already == "" and recorded.does and recorded.title
    assert twins.memory.home.tip().startswith(recorded.commits[0])
    assert f"agent: {AGENT}\n" in twins.newest() and "type: edit\n" in twins.newest()
    assert tuple(shlex.split(recorded.command)) == ("diurna", *command)
    assert twins.notices.of(recorded.stems[0]) is recorded
    try:
        assert twins.form(name, *pairs).already
    except DiurnaError as problem:
        assert problem.message and problem.hint
    assert twins.logs() == ours


def test_a_side_of_whatever_kind_can_be_kept(twins: Twins) -> None:
    """Each side that stands is named by its id, in whichever kind of contradiction."""
    for kind in KINDS:
        (found, *_) = [one for one in disputes(twins.memory) if one.kind == kind]
        side = found.choices[-1].id
        seen = [("side", one.id) for one in found.choices]
        recorded = twins.form("resolve", ("id", found.fact), ("choose", side), *seen)
        assert recorded.stems, kind
        assert twins.line("resolve", found.fact, "--choose", side).code == 0
    assert twins.logs() == twins.logs(twins.theirs)
    assert disputes(twins.memory) == ()


def test_reopening_is_the_command_too(twins: Twins) -> None:
    twins.form("close", ("id", "storm"), ("reason", "It can not.\r\nWe measured it."))
    close = (
        "append",
        "--type",
        "edit",
        "--title",
        "Close storm",
        "--close",
        "storm",
        "--body",
        "-",
    )
    assert twins.line(*close, stdin="It can not.\nWe measured it.").code == 0
    twins.form("reopen", ("id", "storm"))
    opened = twins.line("append", "--type", "edit", "--title", "Reopen storm", "--reopen", "storm")
    assert opened.code == 0
    assert twins.logs() == twins.logs(twins.theirs)
    assert not twins.memory.state()["storm"].fact.closed


@pytest.mark.parametrize("kept", (True, False))
def test_each_question_is_answered_as_on_a_terminal(
    twins: Twins, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """One after the other, in every way there is: the log of a review that is left behind the answer.

    With a plan that a server has kept, too; what is foreseen to be left is what a new plan asks.
    """
    monkeypatch.setattr(Invocation, "interactive", lambda self: True)
    ways = iter(
        [
            ((("say", "accept"),), "a\n"),
            ((("say", "false"),), "r\ni\n"),
            ((("say", "ask"), ("text", "Who keeps the keys?")), "r\nt\nWho keeps the keys?\n"),
            (
                (("say", "reword"), ("text", "Keys are kept by two.")),
                "r\nw\nKeys are kept by two.\n",
            ),
            ((("say", "reject"),), "r\nn\n"),
        ]
    )
    rules: list[str] = []
    foreseen = 0
    while (plan := plan_review(twins.memory)).unanswered:
        asked = plan.unanswered[0]
        pairs, typed = next(ways, ((("say", "accept"),), "a\n"))
        if not asked.acceptable:
            pairs, typed = (("say", "reject"),), "r\n"
        twins.plan = plan if kept else None
        recorded = twins.form("answer", ("key", asked.key), *pairs)
        ran = twins.line("review", stdin=typed + "q\n" * (len(plan.unanswered) > 1))
        assert ran.code == 0, (ran.err, asked)
        assert recorded.stems and twins.logs() == twins.logs(twins.theirs), asked
        if recorded.events and (left := remaining(plan, recorded.answered, recorded.events)):
            foreseen += 1
            now = [one.key for one in plan_review(twins.memory).unanswered]
            assert [one.key for one in left.unanswered] == now, asked
        twins.plan = None
        if not rules:
            again = twins.form("answer", ("key", asked.key), ("say", "reject"))
            assert again.already and not again.stems, asked
        rules.append(asked.rule)
    assert rules[:6] == ["invariant-due"] * 6 and len(set(rules)) > 1
    assert "type: review\n" in twins.newest() and (foreseen > 3) == kept


def test_each_proposal_is_answered_as_on_a_terminal(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Accepted, accepted in one's own words, and rejected for good."""
    monkeypatch.setattr(Invocation, "interactive", lambda self: True)
    ways = (
        ((("say", "accept"),), "a\n"),
        ((("say", "accept"), ("text", "In words of mine.\r\n")), "e\nIn words of mine.\n"),
        ((("say", "reject"),), "r\n"),
    )
    for pairs, typed in ways:
        proposals = plan_learning(twins.memory).proposals
        key = proposals[0].key
        recorded = twins.form("learn", ("key", key), *pairs)
        assert twins.line("learn", stdin=typed + "q\n" * (len(proposals) > 1)).code == 0
        assert recorded.does and twins.logs() == twins.logs(twins.theirs)
        again = twins.form("learn", ("key", key), ("say", "reject"))
        assert again.already and not again.stems
    assert plan_learning(twins.memory).proposals == ()
    assert twins.memory.state()["untrue"].fact.false  # and nothing else moved


@pytest.mark.parametrize("case", ("archive", "close"))
def test_what_was_recorded_a_moment_ago_is_undone(twins: Twins, case: str) -> None:
    """And done again by the next one: as `diurna undo` and `redo` do, byte for byte."""
    name, pairs, command = SAME[case]
    recorded = twins.form(name, *pairs)
    assert recorded.reversible and twins.line(*command).code == 0
    for title, line in (("Undo: ", "undo"), ("Redo: ", "redo"), ("Undo: ", "undo")):
        recorded = twins.form("undo", ("stem", recorded.stems[0]))
        assert twins.line(line).code == 0
        assert twins.logs() == twins.logs(twins.theirs)
        assert recorded.title.startswith(title)


@pytest.mark.parametrize("case", ("confirm one", "a circle"))
def test_what_no_log_takes_back_offers_no_undo(twins: Twins, case: str) -> None:
    """The notice offers what works: these are refused by `diurna undo` as well."""
    name, pairs, _ = SAME[case]
    recorded = twins.form(name, *pairs)
    assert not recorded.reversible
    with pytest.raises(DiurnaError):
        twins.form("undo", ("stem", recorded.stems[0]))


def test_two_tabs_that_decide_differently(twins: Twins) -> None:
    """The first one holds; the second is told what holds by now, and changes nothing."""
    sides = [("side", one.id) for one in disputes(twins.memory, ("limit",))[0].choices]
    twins.form("resolve", ("id", "limit"), ("choose", V20), *sides)
    other = next(value for _, value in sides if value != V20)
    shape = twins.shape()
    with pytest.raises(DiurnaError, match=f"it says {V20}") as refused:
        twins.form("resolve", ("id", "limit"), ("choose", other), *sides)
    assert refused.value.hint and twins.shape() == shape


def test_a_side_that_nobody_saw_is_decided_by_nobody(twins: Twins) -> None:
    """A third text came behind the page: the choice among the two that it showed is refused."""
    sides = [("side", one.id) for one in disputes(twins.memory, ("limit",))[0].choices]
    late = FactUpdated("limit", "Forty.", (V20,))
    twins.memory.append(SessionDraft("Late", "", (late,)))
    shape = twins.shape()
    for said in (("text", "Both."), ("choose", sides[-1][1]), ("choose", V20), ("choose", "1")):
        with pytest.raises(DiurnaError, match="other sides of limit stand"):
            twins.form("resolve", ("id", "limit"), said, *sides)
    assert twins.shape() == shape


REFUSED: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "no id": ("archive", (("reason", "x"),)),
    "two ids": ("archive", (("id", "calm"), ("id", "limit"), ("reason", "x"))),
    "an id that is none": ("confirm", (("id", "../../etc/passwd"),)),
    "an unknown id": ("confirm", (("id", "nobody-knows"),)),
    "one of two unknown": ("confirm", (("id", "calm"), ("id", "nobody-knows"))),
    "nothing ticked": ("confirm", ()),
    "too many": ("confirm", tuple(("id", f"a-{n}") for n in range(LIMIT_IDS + 1))),
    "too large a form": ("confirm", tuple(("x", "y") for _ in range(LIMIT_VALUES + 1))),
    "a false fact": ("confirm", (("id", "untrue"),)),
    "no reason": ("archive", (("id", "calm"), ("reason", " \r\n "))),
    "too long a reason": ("archive", (("id", "calm"), ("reason", "x" * (LIMIT_CHARS + 1)))),
    "archived before": ("archive", (("id", "put-away"), ("reason", "x"))),
    "not archived": ("return", (("id", "calm"), ("reason", "x"))),
    "an empty text": ("resolve", (("id", "limit"), ("text", "\r\n"))),
    "nothing said": ("resolve", (("id", "limit"),)),
    "two things said": ("resolve", (("id", "limit"), ("choose", V20), ("text", "Both."))),
    "no such side": ("resolve", (("id", "limit"), ("choose", "00000000"))),
    "a number of a side": ("resolve", (("id", "limit"), ("choose", "1"))),
    "no such state": ("resolve", (("id", "wire"), ("state", "flying"))),
    "neither open nor closed": ("resolve", (("id", "find"), ("stands", "ajar"))),
    "no contradiction": ("resolve", (("id", "calm"), ("text", "Else."))),
    "no thread": ("close", (("id", "calm"),)),
    "a NUL": ("resolve", (("id", "limit"), ("text", "a\0b"))),
    "another answer": ("answer", (("key", "x"), ("say", "perhaps"))),
    "another word": ("learn", (("key", "x"), ("say", "perhaps"))),
    "not the last log": ("undo", (("stem", "2026-01-01-000000000-" + "a" * 26),)),
    "no form": ("delete", ()),
}  # fmt: skip


def test_what_is_refused_changes_nothing_and_says_why(twins: Twins) -> None:
    shape, logs = twins.shape(), twins.logs()
    for case, (name, pairs) in REFUSED.items():
        try:
            done = twins.form(name, *pairs)
        except DiurnaError as problem:
            assert problem.message, case
            assert "--force" not in problem.hint and "delete" not in problem.hint, case
        else:
            assert done.already and not done.stems, case
    assert (twins.shape(), twins.logs()) == (shape, logs)


def test_a_secret_in_what_is_posted_is_redacted_and_said(twins: Twins) -> None:
    secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    recorded = twins.form("archive", ("id", "calm"), ("reason", f"the token is {secret}"))
    assert secret not in twins.newest()
    assert {one.code for one in recorded.findings} == {"secret-redacted"}


def test_what_can_not_be_committed_now_waits_and_that_is_said(twins: Twins) -> None:
    """Where a person is in the middle of a bisect, the log is durable and nothing else is touched."""
    git(twins.ours, "bisect", "start")
    shape = twins.shape()
    with pytest.raises(WaitsInSpool) as waits:
        twins.form("confirm", ("id", "calm"))
    assert twins.shape() == shape and "waits in the spool" in waits.value.message
    git(twins.ours, "bisect", "reset")
    twins.memory.drain()
    assert waits.value.stem in twins.logs()


def test_a_lock_that_is_held_is_waited_for_or_said(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rituals.review.review_record import alone

    home, now = discover(str(twins.ours)), twins._now
    key = plan_review(twins.memory).unanswered[0].key
    shape = twins.shape()
    with alone(home, "somebody", now), pytest.raises(DiurnaError, match="review"):
        twins.form("answer", ("key", key), ("say", "accept"))
    assert twins.shape() == shape


def test_a_made_up_stem_says_nothing(twins: Twins) -> None:
    """Only what this process recorded is said on top of a page."""
    twins.form("confirm", ("id", "calm"))
    for stem in ("", "x", *[one for one in twins.logs() if one != max(twins.logs())]):
        assert twins.notices.of(stem) is None
