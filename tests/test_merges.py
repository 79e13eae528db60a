"""Merges and their convergence, each point at its cheapest level (faults of group H)."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path

import pytest

from ledger.codec.log import decode, entry_of
from ledger.errors import DraftRefused, EditNotUnderstood
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactPromoted,
    FactReactivated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from ledger.model.ids import version_id
from ledger.model.layout import log_path
from ledger.model.logset import LogRef
from ledger.model.order import seal
from ledger.model.session import SessionLog
from ledger.remote.tree_merge import unite
from memory.replay.replayed_state import state_from
from memory.worktree.projection_files import projection_files
from memory.write.draft import SessionDraft
from projection.document.page_renderer import render
from projection.fold.cycles import cut_edges
from projection.fold.full_replay import State
from projection.policy.model import Policy
from rituals.check.check_registry import verify
from rituals.setup.foreign_attributes import attribute_findings
from tests.campaigns.homes import IN_TREE, OWN_REPOSITORY, hermetic, shape
from tests.teams import Clone, Team, level
from tests.test_remote_tree_merge import Objects

__all__ = ["hermetic"]
Log = tuple[str, tuple[Event, ...]]


def log(minute: int, *events: Event, salt: str = "") -> Log:
    """Return a log of some minute of one day; the salt tells two of one minute apart."""
    stem = seal(f"2026-11-21-09{minute:02d}00000", f"{minute}{salt}".encode())
    return stem, events


def replayed(*logs: Log) -> State:
    """Replay logs in the order given."""
    refs = [LogRef(stem, log_path(stem), "0" * 40) for stem, _ in logs]
    entries = [entry_of(stem, SessionLog((("agent", "a"),), "T", "", said)) for stem, said in logs]
    return state_from(refs, entries, Policy())


def merged(*logs: Log) -> State:
    """Replay logs, which must come to the same bytes in whatever order they arrive."""
    state = replayed(*logs)
    there = projection_files(state)
    for order in permutations(logs) if len(logs) < 6 else (logs[::-1],):
        assert projection_files(replayed(*order)) == there
    return state


def codes(state: State) -> list[str]:
    return sorted(finding.code for finding in state.findings())


@contextmanager
def shallow_stack() -> Iterator[None]:
    """Leave room for a few calls only, so that anything recursive fails at once."""
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 100)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


# ---- fault:H1, fault:H2, fault:H8: the union of sets ----------------------------------------------


def folder(store: Objects, *bodies: bytes) -> str:
    """Store a `sessions/` tree of sealed logs."""
    files = {}
    for body in bodies:
        stem = seal("2026-11-21-090000000", body)
        files[log_path(stem).removeprefix("sessions/")] = body
    return store.tree(files)


def test_h1_both_sides_add_different_sessions() -> None:
    """The union has all of them, whoever joins."""
    store = Objects()
    one, two = folder(store, b"base\n", b"one\n"), folder(store, b"base\n", b"two\n")
    tree = store.keep(unite(store.read, one, two))
    assert sorted(store.files(tree).values()) == [b"base\n", b"one\n", b"two\n"]
    assert unite(store.read, two, one).tree == tree


def test_h2_the_same_session_on_both_sides_counts_once() -> None:
    """One file, one log, one use."""
    store = Objects()
    one, two = folder(store, b"base\n", b"one\n"), folder(store, b"one\n", b"base\n")
    assert unite(store.read, one, two).tree == one == two
    born, used = log(0, FactCreated("a", "A.")), log(1, FactReferenced("a"))
    assert merged(born, used)["a"].fact.uses == 2


def test_h8_many_heads_in_any_order() -> None:
    """Four tips joined in all orders, and pairwise first: one tree."""
    store = Objects()
    tips = [folder(store, b"base\n", name) for name in (b"a\n", b"b\n", b"c\n", b"d\n")]
    found = set()
    for first, *rest in permutations(tips):
        tree = first
        for other in rest:
            tree = store.keep(unite(store.read, tree, other))
        found.add(tree)
    for a, b, c, d in permutations(tips):
        left, right = (store.keep(unite(store.read, *pair)) for pair in ((a, b), (c, d)))
        found.add(store.keep(unite(store.read, left, right)))
    assert len(found) == 1
    assert len(store.files(found.pop())) == 5


# ---- fault:H3 to fault:H6, fault:H15: the fold ----------------------------------------------------


def test_h3_both_supersede_one_fact_differently() -> None:
    """Both successors stand, the contradiction comes first, and a supersession between them ends it."""
    base = log(0, FactCreated("old", "Old."))
    one = log(1, FactCreated("left", "Left."), FactSuperseded("old", "left"))
    two = log(2, FactCreated("right", "Right."), FactSuperseded("old", "right"))
    state = merged(base, one, two)
    old = state["old"]
    assert old.tier == "superseded"
    assert old.fact.superseded_by == ("left", "right")
    assert old.fact.rivals == ("left", "right")
    assert {state["left"].live, state["right"].live} == {True}
    assert codes(state) == ["contradiction"]
    page = render(state.view())
    assert page.index("## Contradictions") < page.index("Left.")
    decided = merged(base, one, two, log(3, FactSuperseded("left", "right")))
    assert decided["old"].fact.rivals == ()
    assert "## Contradictions" not in render(decided.view())
    assert codes(decided) == []


def test_h4_a_circle_loses_its_newest_edge() -> None:
    """A → B on one side and B → A on the other: symmetric, one holds, and the other is to be decided."""
    base = log(0, FactCreated("a", "A."), FactCreated("b", "B."))
    state = merged(base, log(1, FactSuperseded("a", "b")), log(2, FactSuperseded("b", "a")))
    assert (state["a"].tier, state["b"].live) == ("superseded", True)
    assert codes(state) == ["contradiction", "supersession-cycle"]
    other = merged(base, log(2, FactSuperseded("a", "b")), log(1, FactSuperseded("b", "a")))
    assert (other["b"].tier, other["a"].live) == ("superseded", True)


def test_h4_a_fact_does_not_supersede_itself() -> None:
    """Read from a log or made up: it stays what it was, with a finding."""
    data = b"# T\n\n## Memory References\n\n- Superseded: a \xe2\x86\x92 a\n"
    read, _ = decode(data, sealed=False)
    assert read.events == (FactSuperseded("a", "a"),)
    state = merged(log(0, FactCreated("a", "A.")), log(1, *read.events))
    assert state["a"].live
    assert state["a"].fact.superseded_by == ()
    assert codes(state) == ["supersession-cycle"]


def test_h4_ten_thousand_in_a_row() -> None:
    """A chain is followed without recursion, and only its end is live."""
    many = 10_000
    born = log(0, *(FactCreated(f"f{number}", f"Text {number}.") for number in range(many)))
    chain = log(1, *(FactSuperseded(f"f{number}", f"f{number + 1}") for number in range(many - 1)))
    with shallow_stack():
        state = replayed(chain, born)
        assert [standing.fact.id for standing in state.standings() if standing.live] == [
            f"f{many - 1}"
        ]
        assert projection_files(state)
        assert state.findings() == ()


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_h4_a_circle_of_ten_thousand(order: str) -> None:
    """Its newest edge alone is cut, in whatever order the others were said."""
    many = 10_000
    edges = [(f"f{number}", f"f{(number + 1) % many}") for number in range(many)]
    if order == "backward":
        edges.reverse()
    elif order == "shuffled":
        random.Random(7).shuffle(edges)
    said = [(f"2026-11-21-{number:09d}", 0, old, new) for number, (old, new) in enumerate(edges)]
    with shallow_stack():
        assert cut_edges(said) == {said[-1]}


def test_h5_one_supersedes_and_the_other_edits_or_uses_it() -> None:
    """Whichever log sorts first: it is superseded for good, has the new text, and the use is counted."""
    was = (version_id("Old."),)
    for first, second in ((1, 2), (2, 1)):
        state = merged(
            log(0, FactCreated("old", "Old."), FactCreated("new", "New.")),
            log(first, FactSuperseded("old", "new")),
            log(second, FactUpdated("old", "Old, reworded.", was)),
            log(3, FactReferenced("old"), FactReactivated("old")),
        )
        old = state["old"]
        assert (old.tier, old.live) == ("superseded", False)
        assert old.fact.text == "Old, reworded."
        assert old.fact.uses == 3
        assert state["new"].live


def test_h6_ticked_on_one_side_and_edited_on_the_other() -> None:
    """The tick stays and so does the text; two texts of both sides stand side by side, ticked."""
    was = (version_id("Look."),)
    base = log(0, FactCreated("look", "Look.", " "))
    for first, second in ((1, 2), (2, 1)):
        ticked = log(first, ThreadClosed("look"))
        edited = log(second, FactUpdated("look", "Look twice.", was))
        fact = merged(base, ticked, edited)["look"].fact
        assert (fact.closed, fact.text) == (True, "Look twice.")
        reworded = log(first, ThreadClosed("look"), FactUpdated("look", "Looked.", was))
        state = merged(base, reworded, edited)
        fact = state["look"].fact
        assert fact.closed
        assert {head.text for head in fact.heads} == {"Look twice.", "Looked."}
        assert codes(state) == ["contradiction"]
        page = render(state.view())
        assert "Look twice." in page
        assert "Looked." in page


@pytest.mark.parametrize("late", ["update", "birth", "use", "core"])
def test_h15_what_was_called_false_stays_so(late: str) -> None:
    """A peer that did not know goes on with the fact: no order of the two logs brings it back."""
    said: dict[str, Event] = {
        "update": FactUpdated("a", "A, still.", (version_id("A."),)),
        "birth": FactCreated("a", "A, again."),
        "use": FactReactivated("a"),
        "core": FactPromoted("a"),
    }
    for first, second in ((1, 2), (2, 1)):
        state = merged(
            log(0, FactCreated("a", "A.")),
            log(first, FactInvalidated("a")),
            log(second, said[late]),
        )
        assert (state["a"].tier, state["a"].live) == ("superseded", False)
        assert state["a"].fact.invalidated_at == log(first)[0]
        assert "<!-- id: a |" not in render(state.view()).split("## Contradictions")[0]


# ---- fault:H7, fault:H9 to fault:H14: real repositories -------------------------------------------


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Clone, Clone]:
    """Two clones of a repository of its own, each with a log that the other has not."""
    team = Team(tmp_path)
    one, two = team.one, team.clone("two")
    one.create("alpha")
    two.create("beta")
    one.git("fetch", "-q", str(two.folder), "main:refs/tmp/theirs")
    two.git("fetch", "-q", str(one.folder), "main:refs/tmp/theirs")
    return one, two


def theirs(clone: Clone) -> str:
    return clone.git("rev-parse", "refs/tmp/theirs")


def test_h7_git_joins_unrelated_histories_when_told_to(tmp_path: Path) -> None:
    """Refused by default; told to, git makes the union, and no log is in the way of another."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    one, two = Team(tmp_path / "a").one, Team(tmp_path / "b").one
    two.git("commit", "-q", "--amend", "--no-edit", "--reset-author")  # on another day
    one.create("alpha")
    two.create("beta")
    code, said = one.tries("pull", "-q", "--no-rebase", "--no-edit", str(two.folder), "main")
    assert (code, "unrelated histories" in said) == (128, True)
    one.git(
        "pull", "-q", "--no-rebase", "--no-edit", "--allow-unrelated-histories",
        str(two.folder), "main",
    )  # fmt: skip
    assert one.clean()
    assert one.facts() == {"alpha", "beta"}
    level(one)
    assert verify(one.memory) == ()


def test_h9_peers_of_other_names_and_zones_make_one_commit(
    pair: tuple[Clone, Clone], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tree, projection and commit are functions of the two tips: no identity, clock or zone is in them."""
    one, two = pair
    two.git("config", "user.name", "Somebody Else")
    two.git("config", "commit.encoding", "latin-1")
    ours, other = theirs(one), theirs(two)
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    first = one.memory.join(ours).tip
    monkeypatch.setenv("TZ", "America/Caracas")
    assert two.memory.join(other).tip == first
    assert one.published() == two.published()
    assert one.git("cat-file", "-p", first) == two.git("cat-file", "-p", first)


@pytest.mark.deep(reason="h9_peers_of_other_names_and_zones_make_one_commit is the small one")
def test_h10_peers_that_keep_merging_settle(pair: tuple[Clone, Clone]) -> None:
    """Each joins what the other has, at the same time, again and again: no commit more than needed."""
    one, two = pair
    for number in range(3):
        tips = one.memory.home.tip(), two.memory.home.tip()
        one.git("fetch", "-q", str(two.folder), "main:refs/tmp/theirs")
        two.git("fetch", "-q", str(one.folder), "main:refs/tmp/theirs")
        assert (theirs(two), theirs(one)) == tips
        one.memory.join(tips[1])
        two.memory.join(tips[0])
        assert one.memory.home.tip() == two.memory.home.tip()
        settled = one.memory.home.tip()
        assert one.memory.join(two.memory.home.tip()).relation == "same"
        assert one.memory.home.tip() == settled
        one.create(f"one-{number}")
        two.create(f"two-{number}")


def test_h11_a_projection_is_computed_again_and_never_merged(pair: tuple[Clone, Clone]) -> None:
    """Git keeps ours whole; what Diurna publishes then is what a cold replay gives."""
    one, _ = pair
    ours = (one.folder / "continuity.md").read_bytes()
    one.git("merge", "-q", "--no-edit", "refs/tmp/theirs")
    assert (one.folder / "continuity.md").read_bytes() == ours
    one.memory.publish()
    assert (one.folder / "continuity.md").read_text() == render(one.memory.cold_state().view())
    assert one.clean()


def test_h12_markers_left_by_hand_are_refused(pair: tuple[Clone, Clone]) -> None:
    """In a log or in an edited projection: refused before anything is committed, and nothing changes."""
    one, _ = pair
    marked = "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"
    before = shape(one.folder)
    with pytest.raises(DraftRefused):
        one.memory.append(SessionDraft("Merged by hand", f"So it went.\n\n{marked}"))
    assert shape(one.folder) == before
    page = one.folder / "continuity.md"
    page.write_text(page.read_text().replace("## Facts\n", f"## Facts\n\n{marked}"))
    before = shape(one.folder)
    for refused in (one.memory.absorb, one.memory.publish):
        with pytest.raises(EditNotUnderstood, match="conflict marker"):
            refused()
        assert shape(one.folder) == before


def test_h13_a_log_that_was_renamed_is_not_followed(pair: tuple[Clone, Clone]) -> None:
    """One side renames a log and changes it: it stays where its name says, with the bytes it had."""
    one, two = pair
    two.memory.join(theirs(two))
    (path,) = [path for path in one.published() if "sessions/" in path]
    there = (two.folder / path).read_bytes()
    moved = path.replace("2026-09", "2026-10").replace("-09-", "-10-")
    (two.folder / moved).parent.mkdir(parents=True, exist_ok=True)
    two.git("mv", path, moved)
    (two.folder / moved).write_bytes(there + b"\nAnd more.\n")
    two.git("commit", "-q", "-a", "-m", "tidy up")
    one.create("gamma")
    one.git("config", "merge.renames", "copies")
    one.git("fetch", "-q", str(two.folder), "+main:refs/tmp/theirs")
    one.memory.join(theirs(one))
    assert (one.folder / path).read_bytes() == there
    assert one.facts() >= {"alpha", "beta", "gamma"}
    assert one.clean()


@pytest.mark.parametrize("kind", [OWN_REPOSITORY, IN_TREE])
def test_h14_drivers_of_others_mean_nothing_to_our_join(tmp_path: Path, kind: str) -> None:
    """They are not run and change no byte; what plain git would do with them is said."""
    team = Team(tmp_path, kind, "append")
    one, two = team.one, team.clone("two")
    if kind == OWN_REPOSITORY:
        for clone in (one, two):
            clone.create(f"of-{clone.folder.name}")
        one.git("push", "-q")
    ran = tmp_path / "ran"
    for clone in (one, two):
        clone.git("config", "merge.evil.driver", f"touch {ran}; echo gotcha >%A")
        clone.git("config", "merge.default", "evil")
        clone.git("config", "filter.evil.clean", f"touch {ran}; cat")
        clone.git("config", "filter.evil.smudge", f"touch {ran}; cat")
    assert attribute_findings(two.memory.home) == ()
    with (two.folder / ".git" / "info" / "attributes").open("a") as file:
        file.write("*.md merge=union\n*.md filter=evil\n")
    if kind == OWN_REPOSITORY:
        two.sync()
        one.git("pull", "-q")
        assert one.facts() == two.facts() == {"of-one", "of-two"}
        assert one.published() == two.published()
    assert not ran.exists()
    said = attribute_findings(two.memory.home)
    assert [finding.code for finding in said] == ["merge-attribute"] * 2
    assert "merge=union" in " ".join(finding.message for finding in said)
    assert "filter=evil" in " ".join(finding.message for finding in said)
    inside = two.memory.home.prefix + "continuity.md"
    assert inside in said[0].hint
    assert "union" in subprocess.run(
        ["git", "check-attr", "-a", inside], cwd=two.folder, capture_output=True
    ).stdout.decode()  # fmt: skip
