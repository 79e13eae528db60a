"""What forms record: the log of the command line byte for byte; and what is refused changes nothing."""

from __future__ import annotations

import shlex
from functools import cached_property, partial
from pathlib import Path

import pytest

from ledger.errors import DiurnaError, WaitsInSpool, WrongUsage
from ledger.home import discover
from ledger.model.event import FactUpdated
from ledger.model.ids import version_id
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.cli.context import Invocation
from rituals.decide.open_contradictions import KINDS, disputes
from rituals.review.learning_plan import plan_learning
from rituals.review.review_plan import Plan, plan_review
from rituals.review.review_question import INVARIANT_DUE
from rituals.serve.web.actions.form_fields import (
    LIMIT_CHARS,
    LIMIT_IDS,
    LIMIT_VALUES,
    Fields,
    Recorded,
)
from rituals.serve.web.actions.form_plan import preview
from rituals.serve.web.actions.form_shapes import FORMS
from rituals.serve.web.actions.form_table import ACTIONS, Notices, answer
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
        end = arguments.index("--") if "--" in arguments else len(arguments)
        named = (*arguments[:end], "--home", str(self.theirs), *arguments[end:])
        return self._run(*named, stdin=stdin.encode())

    def logs(self, folder: Path | None = None) -> dict[str, bytes]:
        """Return the logs of the home of the pages, or of another one."""
        return logs_in(discover(str(folder or self.ours)))

    def newest(self) -> str:
        """Return the text of the newest log of the pages."""
        logs = self.logs()
        return logs[max(logs)].decode()

    def files(self) -> dict[str, bytes]:
        """Return every file of the work tree and of git, but for what is kept to be quick."""
        return {
            str(path): path.read_bytes()
            for path in self.ours.rglob("*")
            if path.is_file() and "/.git/diurna" not in str(path)
        }

    def shape(self) -> tuple[str, ...]:
        """Return all that a refusal leaves as it is."""
        return tuple(
            [git(self.ours, *asked) for asked in (("show-ref",), ("status", "--porcelain"))]
        )


@pytest.fixture
def twins(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Twins:
    return Twins(tmp_path, run, monkeypatch)


@pytest.mark.deep(reason="of the home that the deep ones ask")
def test_the_home_has_each_kind_of_contradiction(twins: Twins) -> None:
    assert {one.kind for one in disputes(twins.memory)} == set(KINDS)


V20 = version_id(TWENTY)
SAME: dict[str, tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]] = {
    "confirm one": ("confirm", (("id", "calm"),), ("review", "--confirm", "calm")),
    "confirm many": (
        "confirm", (("id", "orders"), ("id", "money"), ("id", "orders")), ("review", "--confirm", "orders", "money"),
    ),
    "a text": ("resolve", (("id", "limit"), ("choose", V20)), ("conflicts", "limit", "--choose", V20)),
    "own words": (
        "resolve", (("id", "limit"), ("text", "It depends:\r\n\r\n- on the shop\r\n")),
        ("conflicts", "limit", "--text", "It depends:\n\n- on the shop"),
    ),
    "a birth": (
        "resolve", (("id", "deploy"), ("choose", version_id("We deploy on Fridays."))),
        ("conflicts", "deploy", "--choose", version_id("We deploy on Fridays.")),
    ),
    "closed": ("resolve", (("id", "find"), ("stands", "closed")), ("conflicts", "find", "--closed")),
    "open": (
        "resolve", (("id", "find"), ("text", "Find it."), ("stands", "open")),
        ("conflicts", "find", "--text", "Find it.", "--open"),
    ),
    "a successor": (
        "resolve", (("id", "old"), ("choose", "left")), ("conflicts", "old", "--choose", "left"),
    ),
    "a circle": (
        "resolve", (("id", "north"), ("choose", "north")), ("conflicts", "north", "--choose", "north"),
    ),
    "reworded": (
        "resolve", (("id", "table"), ("choose", version_id(SHOPS))),
        ("conflicts", "table", "--choose", version_id(SHOPS)),
    ),
    "a state": (
        "resolve", (("id", "wire"), ("state", "blocked")), ("conflicts", "wire", "--state", "blocked"),
    ),
    "close": ("close", (("id", "storm"),), ("close", "storm")),
    "close, and why": (
        "close", (("id", "storm"), ("reason", "It can not.\r\nWe measured it.")),
        ("close", "storm", "--reason", "It can not.\nWe measured it."),
    ),
    "a new fact": (
        "note",
        (("text", "Refunds are paid within\r\ntwo days."), ("kind", "decision"),
         ("entity", "Payments  API, Redis"), ("body", "The law says so.")),
        ("append", "--type", "edit", "--title", "Refunds are paid within",
         "--new", 'decision: entity="Payments API, Redis" Refunds are paid within\ntwo days.',
         "--body", "The law says so."),
    ),
    "other words": (
        "reword", (("id", "calm"), ("text", "-Nobody- contradicts it."), ("kind", "fact"), ("reason", "shorter")),
        ("edit", "--reason", "shorter", "--", "calm", "-Nobody- contradicts it."),
    ),
    "another kind": (
        "reword", (("id", "calm"), ("text", "Nobody contradicts this one."), ("kind", "decision"),
                   ("until", "date 2031-01-01")),
        ("edit", "--kind", "decision", "--until", "date 2031-01-01", "calm"),
    ),
    "other names": (
        "reword", (("id", "calm"), ("text", "Nobody contradicts this one."), ("kind", "fact"),
                   ("entity", " Calm,  Ben"), ("tags", "quiet")),
        ("edit", "--entity", "Calm, Ben", "--tags", "quiet", "calm"),
    ),
    "false": ("deny", (("id", "calm"), ("reason", "Ben does")), ("forget", "calm", "--false", "--reason", "Ben does")),
    "false, and what holds": (
        "deny", (("id", "calm"), ("instead", "money"), ("reason", "")),
        ("forget", "calm", "--replaced-by", "money"),
    ),
    "replaced": (
        "replace", (("id", "calm"), ("text", "Ben contradicts this one, on Mondays."), ("kind", "fact")),
        ("append", "--type", "edit", "--title", "Replace calm",
         "--new", "fact: id=fegaza Ben contradicts this one, on Mondays.",
         "--supersede", "calm=fegaza"),
    ),
    "withheld": (
        "withhold", (("id", "calm"), ("reason", "a name")), ("redact", "calm", "--reason", "a name"),
    ),
    "a task": (
        "add-task",
        (("text", "Measure the\r\nqueue"), ("priority", "high"), ("criterion", "It is fast.\r\n\r\nIt is right."),
         ("owner", "codex"), ("depends", "wire, find"), ("goal", "calm nights"), ("workstream", "Queue"),
         ("question", "Which one?"), ("risk", "It is slow.")),
        ("task", "add", "--priority", "high", "--owner", "codex", "--goal", "calm nights",
         "--workstream", "Queue", "--depends", "wire", "--depends", "find",
         "--criterion", "It is fast.", "--criterion", "It is right.", "--question", "Which one?",
         "--risk", "It is slow.", "Measure the\nqueue"),
    ),
    "a finding": (
        "report-finding", (("text", "It leaks 3 files"), ("rule", "leak"), ("path", "a/b.py"), ("symbol", "f")),
        ("note", "--rule", "leak", "--path", "a/b.py", "--symbol", "f", "finding: It leaks 3 files"),
    ),
    "close several": ("shut", (("id", "storm"), ("id", "wire")), ("close", "storm", "wire")),
    "archive": (
        "archive", (("id", "calm"), ("reason", "it is\r\nfrozen")),
        ("forget", "calm", "--archive", "--reason", "it is\nfrozen"),
    ),
    "return": (
        "return", (("id", "put-away"), ("reason", "thawed")),
        ("forget", "put-away", "--back", "--reason", "thawed"),
    ),
    "reinstate": (
        "reinstate", (("id", "untrue"), ("reason", "it holds")),
        ("edit", "untrue", "--restore", "--reason", "it holds"),
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
    assert tuple(shlex.split(recorded.command)) == ("diurna", *command)
    ran = twins.line(*command)
    assert ran.code == 0, ran.err
    ours = twins.logs()
    assert ours == twins.logs(twins.theirs)
    assert set(ours) - set(before) == set(recorded.stems)
    assert recorded.already == "" and recorded.does and recorded.title
    assert twins.memory.home.tip().startswith(recorded.commits[0])
    assert f"agent: {AGENT}\n" in twins.newest()
    assert ("type: edit\n" in twins.newest()) == (name != "report-finding")
    assert twins.notices.of(recorded.stems[0]) is recorded
    try:
        assert twins.form(name, *pairs).already
    except DiurnaError as problem:
        assert problem.message and problem.hint
    assert twins.logs() == ours


@pytest.mark.deep(
    reason="test_web_review::a_text_of_ones_own_settles_what_no_side_says is the small one"
)
def test_a_side_of_whatever_kind_can_be_kept(twins: Twins) -> None:
    """Each side that stands is named by its id, in whichever kind of contradiction."""
    for kind in KINDS:
        (found, *_) = [one for one in disputes(twins.memory) if one.kind == kind]
        side = found.choices[-1].id
        seen = [("side", one.id) for one in found.choices]
        recorded = twins.form("resolve", ("id", found.fact), ("choose", side), *seen)
        assert recorded.stems, kind
        assert twins.line("conflicts", found.fact, "--choose", side).code == 0
    assert twins.logs() == twins.logs(twins.theirs)
    assert disputes(twins.memory) == ()


def test_reopening_is_the_command_too(twins: Twins) -> None:
    twins.form("close", ("id", "storm"))
    assert twins.line("close", "storm").code == 0
    recorded = twins.form("reopen", ("id", "storm"), ("reason", "It came back.\r\nTwice."))
    assert twins.line(*shlex.split(recorded.command)[1:]).code == 0
    assert twins.logs() == twins.logs(twins.theirs)
    assert not twins.memory.state()["storm"].fact.closed
    assert twins.form("reopen", ("id", "storm")).already == "storm is open"


def test_a_task_goes_its_way_by_forms_as_by_commands(twins: Twins) -> None:
    """Added, begun, handed over, taken over from somebody, moved and finished: each the log of the command."""
    steps: tuple[tuple[str, tuple[tuple[str, str], ...], str], ...] = (
        ("add-task", (("text", "Grind coffee"),), "task add 'Grind coffee'"),
        ("start", (("id", "{id}"),), "task start {id}"),
        ("move", (("id", "{id}"), ("state", "blocked"), ("why", "no key")), "task move {id} blocked --why 'no key'"),
        ("move", (("id", "{id}"), ("state", "in-progress")), "task move {id} in-progress"),
        ("hand-over", (("id", "{id}"), ("to", "codex"), ("done", "One.\r\nTwo."), ("first", "Three."),
                       ("confidence", "high")),
         "task handoff {id} --to codex --done 'One.\nTwo.' --next Three. --confidence high"),
        ("start", (("id", "{id}"), ("take_over", "yes")), "task start {id} --take-over"),
        ("done", (("id", "{id}"), ("why", "it went")), "task done {id} --why 'it went'"),
    )  # fmt: skip
    id = ""
    for name, pairs, command in steps:
        recorded = twins.form(name, *[(key, said.replace("{id}", id)) for key, said in pairs])
        id = id or recorded.facts[0]
        command = command.replace("{id}", id)
        assert recorded.stems and recorded.does and recorded.title, name
        assert recorded.command == f"diurna {command}"
        ran = twins.line(*shlex.split(command))
        assert ran.code == 0, ran.err
        assert twins.logs() == twins.logs(twins.theirs), name
    assert twins.memory.state()[id].fact.closed


@pytest.mark.parametrize("case", [case for case, row in SAME.items() if row[0] in FORMS])
def test_a_preview_is_the_log_and_writes_nothing(twins: Twins, case: str) -> None:
    """What it shows is what is written then; the repository and the work tree stay as they are, byte for byte."""
    name, pairs, _ = SAME[case]
    before, files = twins.shape(), twins.files()
    twins._now += 1000
    seen = preview(twins.memory, FORMS[name].plan, Fields(pairs))
    assert (twins.shape(), twins.files()) == (before, files)
    twins._now -= 1000
    recorded = twins.form(name, *pairs)
    assert seen.log == twins.newest()
    assert (seen.does, seen.plan.command) == (recorded.does, recorded.command)
    again = preview(twins.memory, FORMS[name].plan, Fields(pairs)) if name == "close" else None
    assert again is None or (again.plan.already and not again.log)


def test_a_preview_tells_what_it_repeats_and_contradicts(twins: Twins) -> None:
    """Also where the log is no work, of which an append would say nothing."""
    said = (
        ("note", (("text", "A shop sends at most 90 orders a second to the gateway."),), "contradicts"),
        ("note", (("text", "Nobody contradicts this one here."),), "similar"),
        ("reword", (("id", "calm"), ("text", "A shop sends at most 90 orders a second to the gateway.")), "contradicts"),
        ("note", (("text", "The token is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8."),), "secret"),
    )  # fmt: skip
    for name, pairs, word in said:
        found = preview(twins.memory, FORMS[name].plan, Fields(pairs)).findings
        assert word in " ".join([f"{one.code} {one.message}" for one in found]), (name, found)
    held = preview(
        twins.memory, FORMS["withhold"].plan, Fields((("id", "calm"), ("reason", "a name")))
    )
    assert "git still has it" in held.plan.told[0] and not held.plan.reversible
    assert "Nobody contradicts" not in held.log


def test_what_came_meanwhile_is_not_overwritten_unseen(twins: Twins) -> None:
    """A form says which text its page showed; another one that came since refuses it, and changes nothing."""
    seen = ("seen", version_id("Nobody contradicts this one."))
    twins.memory.append(
        SessionDraft("Late", "", (FactUpdated("calm", "Somebody does.", (seen[1],)),))
    )
    shape = twins.shape()
    for name in ("reword", "replace", "deny", "withhold"):
        with pytest.raises(DiurnaError, match="something else by now") as refused:
            twins.form(name, ("id", "calm"), ("text", "x y"), ("reason", "z"), seen)
        assert refused.value.hint and twins.shape() == shape
    assert twins.form(
        "reword", ("id", "calm"), ("text", "x y"), ("seen", version_id("Somebody does."))
    ).stems


@pytest.mark.deep(
    reason="test_web_review::a_text_of_ones_own_settles_what_no_side_says is the small one"
)
@pytest.mark.parametrize("kept", (True, False))
def test_each_question_is_answered_as_on_a_terminal(
    twins: Twins, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """One after the other, in every way there is: the log of a review that is left behind the answer.

    With a plan that a server has kept, too.
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
    while (plan := plan_review(twins.memory)).unanswered:
        asked = plan.unanswered[0]
        usual = ((("say", "accept"),), "a\n")
        pairs, typed = next(ways, usual) if asked.rule == INVARIANT_DUE else usual
        if not asked.acceptable:
            pairs, typed = (("say", "reject"),), "r\n"
        twins.plan = plan if kept else None
        recorded = twins.form("answer", ("key", asked.key), *pairs)
        ran = twins.line("review", stdin=typed + "q\n" * (len(plan.unanswered) > 1))
        assert ran.code == 0, (ran.err, asked)
        assert recorded.stems and twins.logs() == twins.logs(twins.theirs), asked
        twins.plan = None
        if not rules:
            again = twins.form("answer", ("key", asked.key), ("say", "reject"))
            assert again.already and not again.stems, asked
        rules.append(asked.rule)
    assert rules[:7] == ["contradiction", *[INVARIANT_DUE] * 6], "what hurts first"
    assert "type: review\n" in twins.newest()


def test_several_questions_are_answered_with_one_log(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As whoever answers them one after the other on a terminal, and leaves the review then."""
    monkeypatch.setattr(Invocation, "interactive", lambda self: True)
    twins.plan = plan_review(twins.memory)
    first, second, *_ = [one.key for one in twins.plan.unanswered]
    recorded = twins.form(
        "answer", ("key", first), ("key", second), ("say", "accept"), ("key", "gone")
    )
    assert twins.line("review", stdin="a\na\nq\n").code == 0
    assert len(recorded.stems) == 1 and twins.logs() == twins.logs(twins.theirs)
    assert recorded.title == "Answer to 2 questions"
    again = twins.form("answer", ("key", first), ("key", second), ("say", "accept"))
    assert again.already.startswith("each of these questions is not asked any more")
    with pytest.raises(WrongUsage, match="nothing is ticked"):
        twins.form("answer", ("say", "accept"))
    with pytest.raises(WrongUsage, match="one log takes 200"):
        twins.form("answer", *[("key", str(n)) for n in range(LIMIT_IDS + 1)], ("say", "accept"))


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
        assert twins.line("review", "--learn", stdin=typed + "q\n" * (len(proposals) > 1)).code == 0
        assert recorded.does and twins.logs() == twins.logs(twins.theirs)
        again = twins.form("learn", ("key", key), ("say", "reject"))
        assert again.already and not again.stems
    assert plan_learning(twins.memory).proposals == ()
    assert twins.memory.state()["untrue"].fact.false  # and nothing else moved


@pytest.mark.parametrize("case", ("archive", "close"))
def test_what_was_recorded_a_moment_ago_is_undone(twins: Twins, case: str) -> None:
    """And done again by the next one: as `diurna undo` and `--redo` do, byte for byte."""
    name, pairs, command = SAME[case]
    recorded = twins.form(name, *pairs)
    assert recorded.reversible and twins.line(*command).code == 0
    for title, line in (("Undo: ", "undo"), ("Redo: ", "undo --redo"), ("Undo: ", "undo")):
        recorded = twins.form("undo", ("stem", recorded.stems[0]))
        assert twins.line(*line.split()).code == 0
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
    "no text": ("note", (("text", " \r\n"), ("kind", "fact"))),
    "no kind": ("reword", (("id", "calm"), ("text", "x"), ("kind", "flying"))),
    "no end": ("reword", (("id", "calm"), ("text", "x"), ("until", "never"))),
    "an empty rewording": ("reword", (("id", "calm"), ("text", " "))),
    "a false one reworded": ("reword", (("id", "untrue"), ("text", "x"))),
    "a false one replaced": ("replace", (("id", "untrue"), ("text", "x"))),
    "replaced by itself": ("deny", (("id", "calm"), ("instead", "calm"))),
    "replaced by what is false": ("deny", (("id", "calm"), ("instead", "untrue"))),
    "replaced by nobody": ("deny", (("id", "calm"), ("instead", "nobody-knows"))),
    "withheld without a reason": ("withhold", (("id", "calm"), ("reason", ""))),
    "withheld and said": ("withhold", (("id", "calm"), ("reason", "Nobody contradicts this one."))),
    "a task of nothing": ("add-task", (("text", ""),)),
    "a task behind nothing": ("add-task", (("text", "x y"), ("depends", "nobody-knows"))),
    "no task": ("start", (("id", "calm"),)),
    "a state of no task": ("move", (("id", "wire"), ("state", "flying"))),
    "no state": ("move", (("id", "wire"), ("state", ""))),
    "nothing handed over": ("hand-over", (("id", "wire"), ("to", "codex"))),
    "a finding of nothing": ("report-finding", (("text", ""), ("rule", "r"))),
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
