"""Verify: what it finds beyond the table of faults, in what order, and what it leaves alone."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ledger.errors import NotFound, WriteRefused
from ledger.git.log_history import DELETED, MODIFIED, MOVED, Alteration, altered, damages
from ledger.home import discover
from ledger.model.event import FactCreated, FactReferenced, FactSuperseded, FactUpdated
from ledger.model.findings import CODES
from ledger.model.sha256 import blob_id
from ledger.wal.spool import Spool
from memory.api import Memory, SessionDraft
from memory.replay import read_logs as reading
from rituals.check.check_registry import verify
from rituals.check.verify.branch_checkpoint import checkpoint
from rituals.check.verify.history import restore, restore_plan
from rituals.setup.home_setup import apply_setup, plan_setup
from tests.conftest import Repo, each_row
from tests.timed_homes import START_MS, TimedHome
from tests.timed_homes import mallory as mallory  # a fixture

DAY_MS = 86_400_000


class Place(TimedHome):
    """A home of any kind."""

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def codes(self) -> list[str]:
        return [one.code for one in self.found()]

    def object_file(self, oid: str) -> Path:
        return self.folder / ".git/objects" / oid[:2] / oid[2:]


def own(folder: Path) -> Place:
    """A home of its own with two logs."""
    place = Place(folder)
    place.make()
    place.append("First", FactCreated("use-x", "Use X always."))
    place.append("Second", FactReferenced("use-x"))
    return place


@pytest.fixture
def home(tmp_path: Path) -> Place:
    return own(tmp_path / "one")


def in_tree(folder: Path) -> Place:
    """A home inside a repository of code, with one log, published once."""
    place = Place(folder)
    folder.mkdir()
    place.git("init", "-q", "-b", "main")
    place.git("config", "user.name", "Ada")
    place.write("code.py", "x = 1\n")
    place.commit("code")
    apply_setup(plan_setup(str(folder), "", "", "p"), place.clock)
    place.append("First", FactCreated("use-x", "Use X always."))
    place.memory.publish()
    return place


def on_branch(folder: Path) -> Place:
    """A home on a branch of its own, with one log."""
    place = Place(folder)
    folder.mkdir()
    place.git("init", "-q", "-b", "main")
    place.write("code.py", "x = 1\n")
    place.commit("code")
    apply_setup(plan_setup(str(folder), "", "memory", "p"), place.clock)
    place.append("First", FactCreated("use-x", "Use X always."))
    return place


# ---- what is whole --------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [own, in_tree, on_branch])
def test_a_whole_ledger_has_no_finding_and_its_tip_is_remembered(
    make: Callable[[Path], Place], tmp_path: Path
) -> None:
    """In every kind of home; nothing of the repository's own changes."""
    place = make(tmp_path / "one")
    before = place.git("for-each-ref"), place.git("status", "--porcelain")
    assert place.found() == []
    point = checkpoint(place.memory.home)
    assert point is not None
    assert point.commit == place.memory.home.tip()
    assert point.logs == place.memory.state().summary.logs
    assert (place.git("for-each-ref"), place.git("status", "--porcelain")) == before


def test_an_unborn_branch_has_nothing_to_check(tmp_path: Path) -> None:
    """A home without a commit is no error."""
    place = Place(tmp_path / "one")
    place.folder.mkdir()
    place.git("init", "-q", "-b", "main")
    place.write("diurna.toml", "format = 1\n")
    assert {one.severity for one in place.found()} <= {"warning", "info"}
    assert checkpoint(place.memory.home) is None


def test_a_read_only_state_folder_is_no_failure(home: Place) -> None:
    """The tip is remembered where that is possible; where not, verify says the same."""
    (home.folder / ".git/diurna/checkpoint").mkdir()
    assert home.found() == []
    assert checkpoint(home.memory.home) is None


def test_progress_only_grows_and_stays_within_its_total(home: Place) -> None:
    """Reading and history are one bar; where all is read, half of it is done."""
    told: list[tuple[int, int]] = []
    verify(home.memory, lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert all(0 <= done <= total for done, total in told)
    assert (500, 1000) in told


def test_errors_come_first_and_the_order_is_fixed(home: Place) -> None:
    """By severity, then file, line and code; the same every time."""
    path = home.git("ls-files", "sessions").split("\n")[0]
    home.write("sessions/2026-11-20-101500.md", "## Memory References\n\n- Closed: use-x, nobody\n")
    home.write("sessions/junk.txt", "x")
    home.write(path, "not what it was")
    home.commit()
    found = home.found()
    ranks = [("error", "warning", "info").index(CODES[one.code][0]) for one in found]
    assert ranks == sorted(ranks)
    assert found == home.found()
    errors = [one for one in found if one.severity == "error"]
    assert [one.code for one in errors] == ["log-modified", "seal-broken"]
    assert {"unknown-id", "not-a-thread", "bad-name", "drift"} <= {one.code for one in found}
    assert checkpoint(home.memory.home) is None, "what is not whole is not remembered"


# ---- history --------------------------------------------------------------------------------------


def change(path: str, before: str, after: str = "", to: str = "") -> Alteration:
    mode = "100644" if after else ""
    return Alteration(path, to, before, after, mode, "c", "A", "2026-11-21", False)


@each_row(
    "changes, standing, expected",
    [
        ([change("a", "1", "2")], {"a": "2"}, [(MODIFIED, "a", "a")]),
        ([change("a", "1", "2"), change("a", "2", "1")], {"a": "1"}, []),
        ([change("a", "1")], {}, [(DELETED, "a", "")]),
        ([change("a", "1")], {"a": "1"}, []),
        ([change("a", "1")], {"a": "2"}, [(MODIFIED, "a", "a")]),
        ([change("a", "1", to="b")], {"b": "1"}, [(MOVED, "a", "b")]),
        ([change("a", "1", to="b"), change("b", "1", to="a")], {"a": "1"}, []),
        ([change("a", "1", to="b"), change("b", "1", to="c")], {"c": "1"}, [(MOVED, "a", "c")]),
        ([change("a", "1", to="b"), change("b", "1", "2")], {"b": "2"}, [(MODIFIED, "a", "b")]),
        ([change("a", "1", to="b"), change("b", "1")], {}, [(DELETED, "a", "")]),
        (
            [change("a", "1", to="b"), change("b", "1", to="c"), change("c", "1", to="a")],
            {"a": "1"},
            [],
        ),
    ],
)
def test_what_stands_at_the_tip_judges_what_history_did(
    changes: list[Alteration], standing: Mapping[str, str], expected: list[tuple[str, str, str]]
) -> None:
    """One finding for each log, whatever was done to it on the way; none when its bytes are back."""
    found = damages(changes, standing, {})
    assert [(one.kind, one.path, one.now) for one in found] == expected


def test_a_merge_of_two_sides_alters_nothing(home: Place) -> None:
    """It only adds, seen from either parent."""
    home.git("checkout", "-q", "-b", "side")
    home.append("Third", FactReferenced("use-x"))
    home.git("checkout", "-q", "main")
    home.append("Fourth", FactReferenced("use-x"))
    home.git("merge", "-q", "-m", "both", "side")
    assert altered(home.memory.home, home.memory.home.tip()) == ((), ())


@pytest.mark.parametrize("how", ["ours", "evil"])
def test_a_merge_that_drops_a_log_is_named(home: Place, how: str) -> None:
    """Also when it is the same as one of its parents."""
    home.git("checkout", "-q", "-b", "side")
    path = home.append("Third", FactReferenced("use-x"))
    home.git("checkout", "-q", "main")
    home.append("Fourth", FactReferenced("use-x"))
    if how == "ours":
        home.git("merge", "-q", "-s", "ours", "-m", "both", "side")
    else:
        home.git("merge", "-q", "--no-commit", "side")
        home.git("rm", "-q", "-f", path)
        home.git("commit", "-q", "-m", "both")
    (one,) = home.found("log-deleted")
    assert one.file == path
    assert home.git("rev-parse", "HEAD")[:12] in one.message
    assert restore(home.memory) == (path,)
    assert home.found("log-deleted") == []


def test_a_merge_that_carries_on_a_deletion_is_not_blamed(home: Place) -> None:
    """The commit that did it is named."""
    path = home.git("ls-files", "sessions").split("\n")[0]
    home.git("checkout", "-q", "-b", "side")
    home.git("rm", "-q", path)
    culprit = home.commit("clean")
    home.git("checkout", "-q", "main")
    home.append("Fourth", FactReferenced("use-x"))
    home.git("merge", "-q", "-m", "both", "side")
    (one,) = home.found("log-deleted")
    assert culprit[:12] in one.message


def test_a_log_made_a_link_or_an_executable_is_changed(home: Place) -> None:
    """It is read no more, so that it is named by more than its mode."""
    first, second = home.git("ls-files", "sessions").split("\n")
    (home.folder / first).chmod(0o755)
    (home.folder / second).unlink()
    (home.folder / second).symlink_to("/etc/passwd")
    home.commit()
    found = home.found("log-deleted", "log-modified")
    assert [(one.code, one.file) for one in found] == [
        ("log-deleted", first),
        ("log-deleted", second),
    ]
    assert "given mode 100755" in found[0].message
    assert "given mode 120000" in found[1].message
    assert {one.file for one in home.found("not-a-file")} == {first, second}


def test_replaced_objects_and_pathspec_signs_hide_nothing(tmp_path: Path) -> None:
    """`git replace` does not reach verify, and a prefix is a plain text."""
    place = in_tree(tmp_path / "one")
    place.git("mv", "memory", "mem[o]*")
    place.commit("move the home")
    path = place.git("ls-files", ":(literal)mem[o]*/sessions")
    place.git("rm", "-q", "--", f":(literal){path}")
    place.commit("clean")
    place.write("code.py", "x = 2\n")
    place.commit("code")
    place.git("replace", "--graft", "HEAD", "HEAD~2")
    assert "clean" not in place.git("log", "--format=%s")
    memory = Memory(discover(str(place.folder / "mem[o]*")), clock=place.clock)
    (one,) = [one for one in verify(memory) if one.code == "log-deleted"]
    assert f"mem[o]*/{one.file}" == path


def test_a_shallow_clone_says_what_was_not_checked(home: Place, tmp_path: Path) -> None:
    """All else is checked, and it is no error."""
    home.git("clone", "-q", "--depth", "1", f"file://{home.folder}", str(tmp_path / "two"))
    two = Place(tmp_path / "two")
    assert two.codes() == ["history-cut"]
    assert two.memory.state()["use-x"].fact.uses == 2


def test_a_missing_commit_leaves_the_rest_of_history_checked(home: Place) -> None:
    """The object is named; what is newer is still looked at (fault:C18)."""
    missing = home.git("rev-parse", "HEAD~2")
    path = home.git("ls-files", "sessions").split("\n")[0]
    home.git("rm", "-q", path)
    home.commit("clean")
    home.object_file(missing).unlink()
    found = home.found("unreadable", "log-deleted")
    assert {one.code for one in found} == {"unreadable", "log-deleted"}
    assert any(missing in one.message for one in found)


@pytest.mark.deep(reason="a_missing_folder_is_named_with_the_logs_it_held is the small one")
def test_a_missing_log_is_named_and_the_others_are_read(
    home: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The object and the log are told; with one process as with two (fault:C18)."""
    for number in range(70):
        home.append(f"Log {number}", FactCreated(f"fact-{number}", f"Number {number}."))
    paths = home.git("ls-files", "sessions").split("\n")
    blob = home.git("rev-parse", f"HEAD:{paths[5]}")
    home.object_file(blob).unlink()
    monkeypatch.setattr(
        reading, "may_fork", lambda: True
    )  # the threads of a test's runner do no harm
    for fork_from in (3000, 10):
        monkeypatch.setattr(reading, "_FORK_FROM", fork_from)
        (one,) = home.found("unreadable")
        assert (one.file, one.severity) == (paths[5], "error")
        assert blob in one.message
        state = home.memory.cold_state()
        assert state.get("fact-3") is None
        assert {"fact-2", "fact-4", "fact-69"} <= set(state)
        assert state["fact-4"].fact.text == "Number 4."


@pytest.mark.deep(only="80")
@pytest.mark.parametrize("logs", [0, 80])
def test_a_damaged_log_is_named_and_the_others_are_read(home: Place, logs: int) -> None:
    """A loose object full of garbage costs only its own log (fault:C18)."""
    for number in range(logs):
        home.append(f"Log {number}", FactReferenced("use-x"))
    path = home.git("ls-files", "sessions").split("\n")[1]
    blob = home.git("rev-parse", f"HEAD:{path}")
    file = home.object_file(blob)
    file.chmod(0o644)
    file.write_bytes(b"garbage")
    (one,) = home.found("unreadable")
    assert one.file == path
    assert blob in one.message
    assert home.memory.cold_state()["use-x"].fact.text == "Use X always."


def test_a_missing_folder_is_named_with_the_logs_it_held(home: Place) -> None:
    """What an earlier cache knows of it is said; the other folders are read (fault:C18)."""
    home.set_clock(START_MS + 40 * DAY_MS)
    home.append("Later", FactReferenced("use-x"))
    lost = Path(home.git("ls-files", "sessions").split("\n")[0])
    tree = home.git("rev-parse", f"HEAD:{lost.parent}")
    home.object_file(tree).unlink()
    found = [one for one in home.found("unreadable") if one.file == str(lost.parent)]
    assert len(found) == 1
    assert tree in found[0].message
    assert lost.stem in found[0].message


@pytest.mark.deep(reason="what_stands_at_the_tip_judges_what_history_did is the small one")
def test_many_changed_logs_are_read_from_history(home: Place) -> None:
    """Each gets its own first bytes back, in the replay and by restore."""
    for number in range(20):
        home.append(f"Log {number}", FactCreated(f"fact-{number}", f"Number {number} always."))
    said = home.memory.continuity()
    for path in home.git("ls-files", "sessions").split("\n"):
        file = home.folder / path
        file.write_text(file.read_text().replace("always", "never"))
    home.commit("rewrite")
    assert home.memory.cold_state()["fact-7"].fact.text == "Number 7 always."
    assert len(home.found("log-modified")) == 21
    assert len(restore(home.memory)) == 21
    assert home.memory.continuity() == said
    assert home.codes() == []


def test_an_unsealed_name_as_long_as_a_sealed_one_proves_nothing(home: Place) -> None:
    """A log written by hand has no seal to break."""
    path = "sessions/2026-11-20-101500-a-long-name-abc.md"
    assert len(Path(path).stem) == 33
    home.write(path, "# By hand\n\n## Memory References\n\n- Referenced: use-x\n")
    home.commit()
    assert home.found("seal-broken") == []
    assert home.memory.state()["use-x"].fact.uses == 3


# ---- what the logs say ----------------------------------------------------------------------------


def test_what_facts_say_together_is_told(home: Place) -> None:
    """Unknown ids, contradictions and circles, each at the log where it can be seen."""
    home.write(
        "sessions/2026-11-22-101500.md",
        "## Memory References\n\n- Created: use-x, a, b\n- Superseded: a → b, b → a\n"
        "- Referenced: nobody\n\n## Facts\n\n- Other text.\n  <!-- id: use-x -->\n"
        "- A.\n  <!-- id: a -->\n- B.\n  <!-- id: b -->\n",
    )
    home.commit()
    codes = {one.code: one.file for one in home.found()}
    assert {"unknown-id", "contradiction", "supersession-cycle"} <= set(codes)
    assert codes["supersession-cycle"] == "sessions/2026-11-22-101500.md"


def test_findings_stand_at_the_file_where_the_log_is(home: Place) -> None:
    """A sealed log that lies elsewhere is named where it lies."""
    home.write("sessions/x.md", "")
    draft = SessionDraft("Named", events=(FactReferenced("nobody"),), anyway=True)
    path = home.memory.append(draft).path
    (home.folder / "sessions" / Path(path).name).write_bytes((home.folder / path).read_bytes())
    (home.folder / path).unlink()
    home.commit()
    (one,) = home.found("unknown-id")
    assert (home.folder / one.file).is_file()


def test_conflict_markers_are_found_in_logs_and_projections(home: Place) -> None:
    """In what is committed and in the work tree, with the line."""
    marked = "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"
    home.write("sessions/2026-11-22-101500.md", f"## Memory References\n\n{marked}")
    home.write("continuity.md", f"# Continuity — p\n\n{marked}")
    home.commit()
    found = {one.code: one for one in home.found()}
    assert found["conflict-marker"].line == 3
    assert found["conflict-in-projection"].where == "continuity.md:7"
    assert found["drift"].file == "continuity.md"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("format = 1\n[windows]\nactive = -1\n", "policy-invalid"),
        ("format = 99\n", "newer-format"),
        ("<<<<<<< ours\n", "conflict-marker"),
        ("||||||| 4f2a91c\n", "conflict-marker"),
    ],
)
def test_a_policy_that_can_not_be_read_is_told(home: Place, text: str, code: str) -> None:
    """The defaults go on; a newer format is an error."""
    home.write("diurna.toml", text)
    home.commit()
    assert [one.file for one in home.found(code)] == ["diurna.toml"]
    assert home.memory.state()["use-x"].fact.uses == 2


def test_a_missing_policy_object_is_told_as_such(home: Place) -> None:
    """It is not taken for a policy that was never committed."""
    blob = home.git("rev-parse", "HEAD:diurna.toml")
    home.object_file(blob).unlink()
    found = home.found("unreadable", "policy-invalid")
    assert [(one.code, one.file) for one in found] == [("unreadable", "diurna.toml")]


def test_drift_is_told_where_the_projection_should_be_in_step(home: Place) -> None:
    """A home that publishes with each append; a file that was cut short is a hand edit, committed or not."""
    home.write("continuity.md", "# Continuity — p\n")
    assert home.codes() == ["hand-edited"]
    home.commit()
    assert home.codes() == ["drift", "hand-edited"]


@pytest.mark.parametrize("why", ["review", "another branch"])
def test_lag_is_no_drift_where_appends_do_not_publish(tmp_path: Path, why: str) -> None:
    """Only a projection made from a log that the ledger has not is."""
    place = in_tree(tmp_path / "one")
    if why == "review":
        Repo(tmp_path / "one").publish_when("review")
    else:
        place.git("switch", "-q", "-c", "side")
    path = place.append("Second", FactUpdated("use-x", "Use X mostly."))
    assert place.codes() == []
    place.memory.publish()
    place.git("rm", "-q", f"memory/{path}")
    place.commit()
    (one,) = place.found("drift")
    assert Path(path).stem in one.message


def test_logs_that_wait_are_told(home: Place) -> None:
    """With their names."""
    data = b"x"
    stem = f"2026-11-21-090000000-{hashlib.sha256(data).hexdigest()[:12]}"
    spool = Spool(str(home.folder / ".git/diurna/spool"))
    spool.put(stem, data)
    (one,) = home.found("spool-waiting")
    assert stem in one.message


def test_a_sparse_checkout_is_not_an_edit(tmp_path: Path) -> None:
    """Logs that git was told to leave out of the work tree are not missing."""
    place = in_tree(tmp_path / "one")
    place.git("update-index", "-q", "--refresh")
    place.git("sparse-checkout", "set", "--no-cone", "/*", "!/memory/sessions/")
    assert not (place.folder / "memory/sessions").exists()
    assert place.codes() == []


def test_links_in_the_work_tree_are_not_followed(home: Place, tmp_path: Path) -> None:
    """A log that became a link differs, whatever the link leads to."""
    path = home.folder / home.git("ls-files", "sessions").split("\n")[0]
    elsewhere = tmp_path / "elsewhere.md"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    (home.folder / "sessions/loop").symlink_to(home.folder / "sessions")
    assert home.codes() == ["log-edited"]


# ---- rewritten histories and putting back ---------------------------------------------------------


def test_a_rewritten_history_without_its_old_commit_is_told_by_numbers(home: Place) -> None:
    """When git has collected the old tip, fewer logs than then are an error, as many are not."""
    home.append("Third", FactReferenced("use-x"))
    assert home.found() == []
    home.git("reset", "-q", "--hard", "HEAD~1")
    home.git("reflog", "expire", "--expire=now", "--all")
    home.git("gc", "-q", "--prune=now")
    assert "3 logs then and has 2 now" in home.found("history-rewritten")[0].message
    home.append("Other", FactReferenced("use-x"))
    assert home.codes() == []


def test_each_branch_has_its_own_checkpoint(tmp_path: Path) -> None:
    """Checking out an older branch is no rewritten history."""
    place = in_tree(tmp_path / "one")
    place.git("branch", "older")
    place.append("Second", FactReferenced("use-x"))
    assert place.codes() == []
    place.git("checkout", "-q", "older")
    assert place.codes() == []
    place.git("checkout", "-q", "--detach", "main~1")
    assert place.codes() == []
    assert checkpoint(place.memory.home) is None


def test_a_damaged_checkpoint_is_ignored(home: Place) -> None:
    """It is written anew; nothing is concluded from it."""
    assert home.found() == []
    good = checkpoint(home.memory.home)
    for text in ("", "garbage", "refs/heads/main@\t--help 3 x\n", "\t\t\n\0"):
        (home.folder / ".git/diurna/checkpoint").write_text(text)
        assert checkpoint(home.memory.home) is None
        assert home.found() == []
        assert checkpoint(home.memory.home) == good


def test_restore_refuses_when_there_is_nothing_to_put_back(home: Place) -> None:
    """And changes nothing."""
    tip = home.git("rev-parse", "HEAD")
    with pytest.raises(NotFound):
        restore(home.memory)
    assert home.git("rev-parse", "HEAD") == tip


def test_restore_refuses_where_it_must_not_commit(home: Place) -> None:
    """On a detached HEAD nothing changes."""
    home.git("rm", "-q", home.git("ls-files", "sessions").split("\n")[0])
    home.commit()
    home.git("checkout", "-q", "--detach")
    with pytest.raises(WriteRefused):
        restore(home.memory)


def test_restore_leaves_an_uncommitted_edit_alone(home: Place) -> None:
    """The committed bytes are put right, and what the user is doing stays."""
    path = home.git("ls-files", "sessions").split("\n")[0]
    file = home.folder / path
    first = file.read_bytes()
    home.write(path, "changed and committed\n")
    home.commit()
    home.write(path, "changed again\n")
    home.write("staged.txt", "x")
    home.git("add", "staged.txt")
    assert restore(home.memory) == (path,)
    assert file.read_text() == "changed again\n"
    assert home.git("rev-parse", f"HEAD:{path}") == blob_id(first)
    assert home.git("diff", "--cached", "--name-only") == "staged.txt"
    assert home.codes() == ["log-edited"]


def test_restore_works_on_a_branch_that_is_not_checked_out(tmp_path: Path) -> None:
    """The work tree of the code is not touched."""
    place = on_branch(tmp_path / "one")
    place.append("Second", FactCreated("use-y", "Use Y."), FactSuperseded("use-x", "use-y"))
    path = place.memory.log()[0].path
    tree = place.git("ls-tree", "-r", "memory").split("\n")
    kept = "\n".join(line for line in tree if not line.endswith(path))
    index = place.folder / ".git/scratch-index"
    done = subprocess.run(
        ["git", "-C", str(place.folder), "update-index", "--index-info"],
        env={**os.environ, "GIT_INDEX_FILE": str(index)},
        input=kept + "\n", capture_output=True, text=True, check=True,
    )  # fmt: skip
    made = subprocess.run(
        ["git", "-C", str(place.folder), "write-tree"],
        env={**os.environ, "GIT_INDEX_FILE": str(index)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.returncode == 0
    commit = place.git("commit-tree", made.stdout.strip(), "-p", "memory", "-m", "clean")
    place.git("update-ref", "refs/heads/memory", commit)
    assert [one.file for one in place.found("log-deleted")] == [path]
    assert [found for found, _ in restore_plan(place.memory)] == [path]
    status = place.git("status", "--porcelain")
    assert restore(place.memory) == (path,)
    assert place.found("log-deleted") == []
    assert place.git("status", "--porcelain") == status
