"""Clocks, time zones, names and ids that are not what they should be (faults of group F)."""

from __future__ import annotations

import time
from itertools import permutations
from pathlib import Path

import pytest

from ledger.codec.log import decode, encode, entry_of
from ledger.errors import DraftRefused
from ledger.home import discover
from ledger.model.event import (
    Event,
    FactCreated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    FactVerified,
)
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id, version_id
from ledger.model.layout import log_path
from ledger.model.logset import LogRef, log_refs
from ledger.model.order import (
    ended_of,
    has_time,
    is_sealed,
    is_stem,
    milliseconds_of,
    next_stamp,
    seal,
    stamp_of,
)
from ledger.model.session import Entry, SessionLog
from memory.api import Memory, SessionDraft
from memory.replay.replayed_state import state_from
from memory.worktree.projection_files import projection_files
from projection.fold.full_replay import State
from projection.policy.model import Policy, Windows
from rituals.check.check_registry import verify
from tests.timed_homes import START_MS, TimedHome
from tests.timed_homes import mallory as mallory  # a fixture

HOUR_MS = 3_600_000
YEAR_2099_MS = 4_070_908_800_000


class Machine(TimedHome):
    """A home of its own on a machine with its own clock."""

    def __init__(self, folder: Path, clock_ms: int = START_MS) -> None:
        super().__init__(folder, clock_ms)
        self.make()

    def append(self, title: str, *events: Event, host: str = "") -> str:
        header = (("host", host),) if host else ()
        return self.memory.append(SessionDraft(title, "", events, header=header)).stem

    def clone(self, folder: Path, clock_ms: int) -> Machine:
        self.git("clone", "-q", str(self.folder), str(folder))
        return Machine(folder, clock_ms)

    def pull(self, other: Machine) -> None:
        self.git("pull", "-q", "--no-rebase", "--no-edit", str(other.folder), "main")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path / "one")
    made.append("First", FactCreated("use-x", "Use X always."))
    return made


def stem_at(ms: int, salt: str = "0") -> str:
    return seal(stamp_of(ms), salt.encode())


Said = tuple[str, tuple[Event, ...]]


def replayed(*logs: Said) -> State:
    """Replay logs given as (stem, events), in the order given."""
    refs = [LogRef(stem, log_path(stem), "0" * 40) for stem, _ in logs]
    entries: list[Entry] = [
        entry_of(stem, SessionLog((("agent", "a"),), "T", "", events)) for stem, events in logs
    ]
    return state_from(refs, entries, Policy())


def named(text: str, *, sealed: bool = True) -> tuple[list[str], list[Finding]]:
    """Read one reference; return the ids that count, and the findings."""
    data = f"# T\n\n## Memory References\n\n- Referenced: {text}, good\n".encode()
    log, findings = decode(data, sealed=sealed)
    return [event.id for event in log.events], list(findings)


def test_f1_a_clock_that_goes_back_does_not_reorder(machine: Machine) -> None:
    """What has seen a log sorts behind it, whatever the wall clock says meanwhile."""
    first = machine.memory.log()[0].stem
    machine.set_clock(START_MS - HOUR_MS)
    second = machine.append("Second", FactUpdated("use-x", "Use X mostly."))
    third = machine.append("Third", FactReferenced("use-x"))
    assert first < second < third
    assert milliseconds_of(second) == milliseconds_of(first) + 1
    assert machine.memory.state()["use-x"].fact.text == "Use X mostly."
    assert [line.stem for line in machine.memory.log()] == [third, second, first]
    assert next_stamp(START_MS - HOUR_MS, third) > third[:20]


def test_f2_a_clock_far_ahead_is_flagged_and_wins_nothing(machine: Machine, tmp_path: Path) -> None:
    """A log of 2099 counts, and against a change it has not seen it is one of two versions."""
    other = machine.clone(tmp_path / "two", YEAR_2099_MS)
    ahead = other.append("Ahead", FactUpdated("use-x", "Use X in 2099."))
    here = machine.append("Here", FactUpdated("use-x", "Use X now."))
    machine.pull(other)
    heads = machine.memory.state()["use-x"].fact.heads
    assert {head.text for head in heads} == {"Use X in 2099.", "Use X now."}
    found = {one.code: one for one in verify(machine.memory)}
    assert found["clock-ahead"].file == log_path(ahead)
    assert found["clock-ahead"].severity == "warning"
    assert "contradiction" in found
    later = machine.append("Later", FactUpdated("use-x", "Use X, agreed."))
    assert here < ahead < later
    assert machine.memory.state()["use-x"].fact.text == "Use X, agreed."
    other.set_clock(YEAR_2099_MS)
    assert "clock-ahead" not in {one.code for one in verify(other.memory)}


def test_f2_a_day_ahead_is_tolerated(machine: Machine) -> None:
    """A stamp within a day of this clock is no finding."""
    machine.set_clock(milliseconds_of(machine.memory.log()[0].stem) - 24 * HOUR_MS + 5000)
    assert verify(machine.memory) == ()
    machine.set_clock(milliseconds_of(machine.memory.log()[0].stem) - 24 * HOUR_MS - 5000)
    assert [one.code for one in verify(machine.memory)] == ["clock-ahead"]


def test_f3_two_sessions_in_one_millisecond_are_both_kept(machine: Machine, tmp_path: Path) -> None:
    """The name carries a hash of the content, so two logs of one instant never share it."""
    other = machine.clone(tmp_path / "two", START_MS + HOUR_MS)
    machine.set_clock(START_MS + HOUR_MS)
    mine = machine.append("Mine", FactReferenced("use-x"))
    theirs = other.append("Theirs", FactReferenced("use-x"))
    assert mine[:20] == theirs[:20]
    assert mine != theirs
    machine.pull(other)
    assert machine.memory.state()["use-x"].fact.uses == 3
    assert {line.stem for line in machine.memory.log()} > {mine, theirs}


def test_f4_one_agent_name_on_two_machines_gives_two_logs(machine: Machine, tmp_path: Path) -> None:
    """`host` tells them apart: the same words at the same instant are two sessions."""
    other = machine.clone(tmp_path / "two", START_MS + HOUR_MS)
    machine.set_clock(START_MS + HOUR_MS)
    mine = machine.append("Same", FactReferenced("use-x"), host="mercury")
    theirs = other.append("Same", FactReferenced("use-x"), host="venus")
    assert mine[:20] == theirs[:20]
    machine.pull(other)
    assert machine.memory.state()["use-x"].fact.uses == 3
    hosts = set()
    for stem in (mine, theirs):
        data = (machine.folder / log_path(stem)).read_bytes()
        log, findings = decode(data, sealed=True)
        assert findings == ()
        assert encode(log) == data
        assert log.get("agent") == "ada"
        hosts.add(log.get("host"))
    assert hosts == {"mercury", "venus"}


def test_f5_times_are_utc_whatever_the_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The night in which a zone sets its clock back has no instant twice."""
    try:
        for zone in ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "UTC"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            assert stamp_of(1_792_887_000_000) == "2026-10-25-001000000"
            assert stamp_of(1_792_890_600_000) == "2026-10-25-011000000"
            assert ended_of(stamp_of(1_792_890_600_000)) == "2026-10-25T01:10:00.000Z"
            assert milliseconds_of("2026-10-25-011000000") == 1_792_890_600_000
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


@pytest.mark.parametrize("clock", ["240000000", "235960000", "246060000", "\u0661" * 9])
def test_f5_what_is_no_time_of_day_seals_nothing(clock: str) -> None:
    """24:00:00, a leap second and digits of other scripts are no stamp."""
    assert not is_sealed(f"2026-11-21-{clock}-0123456789ab")
    assert not has_time(f"2026-11-21-{clock}")


@pytest.mark.parametrize("stem", ["2026-02-30-101500", "0000-00-00-101500", "2026-13-01", "26-1-1"])
def test_f5_what_is_no_date_names_no_log(stem: str) -> None:
    """The file is listed as no log; nothing is raised."""
    assert not is_stem(stem)
    refs, findings = log_refs([("100644", "0" * 40, f"sessions/{stem}.md")], "")
    assert refs == []
    assert [one.code for one in findings] == ["bad-name"]


@pytest.mark.parametrize("said", ["yesterday", "2026-11-21 10:00 CET", "2099-01-01T00:00:00+14:00"])
def test_f5_what_a_log_says_of_its_time_moves_it_nowhere(machine: Machine, said: str) -> None:
    """Only the name orders; `ended` is the author's word."""
    path = machine.folder / "sessions/2026-11-20-101500.md"
    path.write_text(f"---\nended: {said}\n---\n# T\n\n## Memory References\n\n- Updated: use-x\n")
    machine.git("add", "-A")
    machine.git("commit", "-qm", "by hand")
    assert [line.stem for line in machine.memory.log()][-1] == path.stem
    assert machine.memory.state()["use-x"].fact.last_used == "2026-11-21"


@pytest.mark.parametrize("seconds", ["-1", "0", "1099511627776", "99999999999999999999"])
def test_f6_commit_times_play_no_part(machine: Machine, seconds: str) -> None:
    """A history whose commits lie before 1970 or far in the future replays to the same bytes."""
    machine.append("Second", FactUpdated("use-x", "Use X mostly."))
    doomed = machine.append("Third", FactReferenced("use-x"))
    said = machine.memory.continuity()
    parent: list[str] = []
    for commit in machine.git("rev-list", "--reverse", "HEAD").split("\n"):
        tree = machine.git("rev-parse", f"{commit}^{{tree}}")
        parent = [_commit(machine, tree, parent, seconds)]
    machine.git("reset", "-q", "--hard", parent[0])
    assert machine.memory.continuity() == said
    assert machine.memory.cold_state()["use-x"].fact.text == "Use X mostly."
    assert [one.code for one in verify(machine.memory)] == []
    machine.git("rm", "-q", log_path(doomed))
    tree = machine.git("write-tree")
    culprit = _commit(machine, tree, parent, "1")
    machine.git("reset", "-q", "--hard", _commit(machine, tree, [culprit], seconds))
    (one,) = [one for one in verify(machine.memory) if one.code == "log-deleted"]
    assert culprit[:12] in one.message
    draft = SessionDraft("Fourth", "", (FactReferenced("use-x"),))
    home = discover(str(machine.folder))
    # libgit2 refuses to build on a commit whose time overflows; git itself does not
    memory = Memory(home, clock=machine.clock, in_process=len(seconds) < 15)
    assert memory.append(draft).commit == home.tip()


def _commit(machine: Machine, tree: str, parents: list[str], seconds: str) -> str:
    """Write a commit with a time that git itself would refuse."""
    lines = [f"tree {tree}", *[f"parent {parent}" for parent in parents]]
    lines += [f"{role} M <m@example.org> {seconds} +0000" for role in ("author", "committer")]
    data = "\n".join([*lines, "", "a log", ""]).encode()
    return machine.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", data=data)


A, B, C = stem_at(START_MS, "a"), stem_at(START_MS + 1, "b"), stem_at(START_MS + 2, "c")


def test_f7_a_supersession_by_an_unknown_fact_is_pending_and_resolves() -> None:
    """It is reported while the successor has no text, and holds as soon as it has, in any order."""
    old: Said = (A, (FactCreated("old", "Old."),))
    edge: Said = (B, (FactSuperseded("old", "new"),))
    new: Said = (C, (FactCreated("new", "New."),))
    pending = replayed(old, edge)
    assert "new" not in pending
    assert [(one.code, one.file) for one in pending.findings()] == [("unknown-id", log_path(B))]
    assert "new is named" in pending.findings()[0].message
    for order in permutations((old, edge, new)):
        state = replayed(*order)
        assert state["old"].fact.superseded_by == ("new",)
        assert state["new"].fact.supersedes == ("old",)
        assert state["new"].live
        assert not state["old"].live
        assert state.findings() == ()


def test_f7_a_supersession_of_an_unknown_fact_is_pending_and_resolves() -> None:
    """A fact that arrives after it was called false is false from the start, never shown as true."""
    edge: Said = (A, (FactCreated("new", "New."), FactSuperseded("old", "new")))
    old: Said = (B, (FactCreated("old", "Old."),))
    pending = replayed(edge)
    assert "old" not in pending
    assert [one.code for one in pending.findings()] == ["unknown-id"]
    for order in permutations((edge, old)):
        state = replayed(*order)
        assert state["old"].tier == "superseded"
        assert not state["old"].live
        assert state.findings() == ()


def test_f7_an_update_of_an_unknown_version_is_pending_and_resolves() -> None:
    """The version that it replaces may come later, and does not stand then."""
    update: Said = (B, (FactUpdated("a", "Second.", (version_id("First."),)),))
    birth: Said = (A, (FactCreated("a", "First."),))
    confirmed: Said = (C, (FactVerified("a"),))
    assert [one.code for one in replayed(update, confirmed).findings()] == ["unknown-version"]
    for order in permutations((update, birth)):
        state = replayed(*order)
        assert state["a"].fact.text == "Second."
        assert state.findings() == ()


LOOKALIKES = [
    "us\u0435-x",  # Cyrillic ie; NFKC leaves it alone
    "\u0440roxy",  # Cyrillic er
    "use\u2010x",  # a hyphen that is not the hyphen
    "use\u00adx",  # a soft hyphen
    "use-\u04451",
]


@pytest.mark.parametrize("text", LOOKALIKES)
@pytest.mark.parametrize("sealed", [True, False])
def test_f8_a_lookalike_of_an_id_is_no_id(text: str, sealed: bool) -> None:
    """It is reported with its line, is not read as the one it looks like, and costs only itself."""
    assert not is_fact_id(text)
    ids, findings = named(text, sealed=sealed)
    assert "use-x" not in ids
    assert "good" in ids
    assert all(is_fact_id(name) for name in ids)
    assert [one.line for one in findings if one.code == "bad-id"] == [5]


TWINS = ["caf\u00e9", "cafe\u0301", "use\uff0dx", "\uff55se-x", "use-\u2460", "use-\u0661"]


@pytest.mark.parametrize("text", TWINS)
@pytest.mark.parametrize("sealed", [True, False])
def test_f9_no_form_of_unicode_is_folded_into_an_id(text: str, sealed: bool) -> None:
    """Composed, decomposed, full-width and circled characters: the same rule, no normalisation."""
    assert not is_fact_id(text)
    ids, findings = named(text, sealed=sealed)
    assert ids == ["good"]
    assert [one.code for one in findings] == ["bad-id"]


def test_f10_ids_and_names_never_differ_by_case_alone(machine: Machine) -> None:
    """Upper case is in no id and no stem, and no two files of a home collide on a case-blind disk."""
    assert not is_fact_id("Use-X")
    assert named("Use-X") == (["good"], [named("Use-X")[1][0]])
    sealed = stem_at(START_MS)
    assert is_sealed(sealed)
    assert not is_sealed(sealed[:21] + "ABCDEF012345")
    assert not is_stem("2026-11-21-101500-Refactor")
    machine.append("Second", FactCreated("use-y", "Y."), FactSuperseded("use-x", "use-y"))
    paths = machine.git("ls-files").split("\n")
    assert len({path.lower() for path in paths}) == len(paths)


BAD = [
    "..",
    ".",
    "",
    "-rf",
    "--help",
    "a/b",
    "a\\b",
    "con.",
    ".git",
    "a..b",
    "a b",
    "~",
    "x" * 10_240,
]


@pytest.mark.parametrize("text", BAD)
def test_f11_what_is_no_id_is_refused_before_anything_is_written(
    machine: Machine, text: str
) -> None:
    """By the grammar, wherever it stands; nothing changes."""
    assert not is_fact_id(text)
    tip = machine.git("rev-parse", "HEAD")
    events: list[Event] = [
        FactCreated(text, "Text."),
        FactUpdated(text, "Text."),
        FactSuperseded("use-x", text),
    ]
    for event in events:
        with pytest.raises(DraftRefused):
            machine.append("Bad", event)
    assert machine.git("rev-parse", "HEAD") == tip
    assert machine.git("status", "--porcelain") == ""
    assert machine.memory.waiting() == []
    if text.strip() and len(text) < 80:
        assert text not in named(text)[0]
    receipt = machine.memory.append(SessionDraft("Used", "", (FactReferenced(text),)))
    assert "unknown-id" in {one.code for one in receipt.findings}  # no log is lost for that
    assert b"Memory References" not in receipt.data


def test_f11_no_path_is_made_of_an_id() -> None:
    """So an id that some system reserves as a file name is harmless."""
    policy = Policy(windows=Windows(0, 0, 0))
    ids = ("con", "nul", "aux", "index", "2026-q4")
    logs = [(A, tuple(FactCreated(name, "Text.") for name in ids)), (B, ()), (C, ())]
    refs = [LogRef(stem, log_path(stem), "0" * 40) for stem, _ in logs]
    entries = [entry_of(stem, SessionLog((), "T", "", events)) for stem, events in logs]
    files = projection_files(state_from(refs, entries, policy))
    assert set(files) == {"continuity.md", "archive/INDEX.md", "archive/2026-Q4.md"}
    assert all(f"id: {name}".encode() in files["archive/2026-Q4.md"] for name in ids)
