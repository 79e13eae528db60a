"""What forms record: the log of the command line byte for byte; and what is refused changes nothing."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from ledger.home import discover
from ledger.model.event import FactArchived, FactCreated, FactInvalidated
from ledger.model.ids import version_id
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.decide.contradictions import KINDS, disputes
from rituals.serve.web.actions.action import Recorded
from rituals.serve.web.actions.fields import Fields
from rituals.serve.web.actions.notices import Notices
from tests.campaigns.homes import START_MS, git, lay, logs_in
from tests.conftest import NOW_MS, Ran, Run
from tests.teams import Clone
from tests.web.homes import contradicted

AGENT = "Ada"
LESSON = "Lesson: parallel tests must pin the settings snapshot before any test body runs."
TWENTY = "A request may take twenty seconds, then it is cut."
SHOPS = "Prices stand in a table for each shop."


def _make(folder: Path) -> None:
    """Make a home with each kind of contradiction, and with all else that a page can decide."""
    contradicted(folder)
    policy = folder / "diurna.toml"
    said = policy.read_text().split("[review]")[0]
    policy.write_text(f"{said}\n[review]\nevery = 3\nverify_invariants_every = 2\n")
    git(folder, "commit", "-qam", "policy")
    one = Clone(folder, "codex", iter(range(START_MS + 10**7, START_MS + 2 * 10**7, 1000)))
    invariants = [
        FactCreated(name, text, "", (("kind", "invariant"),))
        for name, text in (("orders", "Orders stay."), ("money", "Money is an integer."))
    ]
    one.append("More", *invariants, FactCreated("storm", "Can it storm?", " ", (("kind", "thread"),)),
               FactCreated("put-away", "Put away."), FactCreated("untrue", "Untrue."))  # fmt: skip
    one.append("Away", FactArchived("put-away", "not now"), FactInvalidated("untrue"))
    one.memory.append(SessionDraft("What it taught", LESSON))
    one.append("The last one")


class Twins:
    """Two copies of one home: pages write into the one, the command line into the other.

    Args:
        folder: where both are.
        run: the command line.
        monkeypatch: sets its environment.
    """

    def __init__(self, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ours, self.theirs = folder / "ours" / "one", folder / "theirs" / "one"
        lay("what pages decide", self.ours, _make)
        shutil.copytree(self.ours, self.theirs, symlinks=True)
        git(self.theirs, "update-index", "-q", "--refresh")
        self._run, self._now = run, NOW_MS
        self._patch = monkeypatch
        monkeypatch.setenv("DIURNA_AGENT", AGENT)
        self.notices = Notices()

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
    """Byte for byte, the name of the log too; and the command that the notice names is just that one."""
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
