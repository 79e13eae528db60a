"""Logs that are edited, deleted, moved, redacted or rewritten in history (faults of group E).

fault:E12 and fault:E13 are about signatures, which this version neither makes nor checks.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.model.event import FactCreated, FactRedacted, FactReferenced, FactSuperseded
from ledger.model.findings import severe
from ledger.model.order import seal
from memory.api import SessionDraft
from memory.worktree.projection_files import projection_files
from rituals.check.check_registry import verify
from rituals.check.verify.history import restore, restore_plan
from tests.timed_homes import START_MS, TimedHome
from tests.timed_homes import mallory as mallory  # a fixture


class Clone(TimedHome):
    """A home of its own."""

    def __init__(self, folder: Path, clock_ms: int = START_MS) -> None:
        super().__init__(folder, clock_ms)
        self.make()
        self.git("config", "user.email", "ada@example.org")

    def change(self, path: str, old: str, new: str) -> None:
        file = self.folder / path
        text = file.read_bytes()
        assert old.encode() in text
        file.write_bytes(text.replace(old.encode(), new.encode()))

    def text(self, fact: str) -> str:
        """The text of a fact, the same from the cache and from git alone."""
        warm, cold = self.memory.state().get(fact), self.memory.cold_state().get(fact)
        assert warm == cold
        return warm.fact.text if warm else ""


@pytest.fixture
def home(tmp_path: Path) -> Clone:
    """A home with two logs and two facts, found whole."""
    made = Clone(tmp_path / "one")
    made.append("First", FactCreated("use-x", "Use X always."))
    made.append("Second", FactCreated("use-y", "Use Y always."), FactReferenced("use-x"))
    assert made.found() == []
    return made


def clone(home: Clone, folder: Path, clock_ms: int) -> Clone:
    home.git("clone", "-q", str(home.folder), str(folder))
    return Clone(folder, clock_ms)


def logs(home: Clone) -> list[str]:
    return home.git("ls-files", "sessions").split("\n")


def test_e1_a_log_edited_in_history_is_named_and_its_first_bytes_are_replayed(home: Clone) -> None:
    """Verify names file, commit and author; the replay reads what the log's name proves."""
    path = logs(home)[0]
    home.change(path, "Use X always.", "Never use X.")
    commit = home.commit("tidy")
    assert home.text("use-x") == "Use X always."
    (one,) = home.found("log-modified")
    assert one.severity == "error"
    assert one.file == path
    assert commit[:12] in one.message
    assert "Mallory" in one.message
    assert "2026-11-21" in one.message
    assert severe(verify(home.memory))
    assert restore(home.memory) == (path,)
    assert home.found() == []
    assert (home.folder / path).read_text().count("Use X always.") == 1
    assert home.git("status", "--porcelain") == ""


def test_e1_an_unsealed_log_edited_in_history_is_named(home: Clone) -> None:
    """Nothing proves what it said first, so the tip is read, and git says where to look."""
    path = "sessions/2026-11-20-101500.md"
    (home.folder / path).write_text("# By hand\n\n## Memory References\n\n- Referenced: use-x\n")
    home.commit("by hand")
    home.memory.publish()
    assert home.found() == []
    first = home.git("rev-parse", f"HEAD:{path}")
    home.change(path, "use-x", "use-y")
    home.commit("tidy")
    (one,) = home.found("log-modified")
    assert one.file == path
    assert first in one.hint
    assert home.memory.state()["use-y"].fact.uses == 2
    assert restore_plan(home.memory) == ()


def test_e2_a_deleted_log_is_named_and_restore_brings_it_back(home: Clone) -> None:
    """The tip's tree is the set of logs; what it lost is in history, and is committed again."""
    path = logs(home)[0]
    before = (home.folder / path).read_bytes()
    home.git("rm", "-q", path)
    commit = home.commit("spring cleaning")
    assert home.text("use-x") == ""
    (one,) = home.found("log-deleted")
    assert (one.severity, one.file) == ("error", path)
    assert commit[:12] in one.message
    assert "Mallory" in one.message
    assert restore_plan(home.memory) == ((path, before),)
    assert restore(home.memory) == (path,)
    home.memory.publish()
    assert home.text("use-x") == "Use X always."
    assert home.found() == []
    assert home.git("status", "--porcelain") == ""


def test_e3_a_renamed_log_is_named_with_both_places(home: Clone) -> None:
    """A move is told by equal bytes; the log still counts once."""
    path = logs(home)[0]
    (home.folder / "sessions/old").mkdir()
    home.git("mv", path, "sessions/old/")
    home.commit("tidy")
    (one,) = home.found("log-moved")
    assert (one.severity, one.file) == ("error", path)
    assert f"sessions/old/{Path(path).name}" in one.message
    assert home.text("use-x") == "Use X always."
    (home.folder / path).parent.mkdir(parents=True, exist_ok=True)
    home.git("mv", f"sessions/old/{Path(path).name}", path)
    home.commit("as it was")
    assert home.found() == []


def test_e3_likeness_is_no_rename(home: Clone) -> None:
    """A log that went while a similar one came was deleted: nothing is guessed from likeness."""
    path = logs(home)[0]
    changed = (home.folder / path).read_bytes().replace(b"always", b"never ")
    home.git("config", "diff.renames", "copies")
    home.git("rm", "-q", path)
    stem = seal(Path(path).stem[:20], changed)
    (home.folder / Path(path).parent).mkdir(parents=True, exist_ok=True)
    (home.folder / Path(path).parent / f"{stem}.md").write_bytes(changed)
    home.commit("tidy")
    assert [one.file for one in home.found("log-deleted", "log-moved")] == [path]
    assert home.found("log-moved") == []


def test_e4_an_edit_in_the_work_tree_is_reported_and_ignored(home: Clone) -> None:
    """What is not committed does not count, and nothing is done to it."""
    edited, gone = logs(home)
    home.change(edited, "Use X always.", "Never use X.")
    (home.folder / gone).unlink()
    by_hand = home.folder / "sessions/2026-11-22-101500.md"
    by_hand.write_text("# By hand\n")
    assert home.text("use-x") == "Use X always."
    assert home.text("use-y") == "Use Y always."
    assert [one.file for one in home.found("log-edited")] == [edited, gone]
    assert [one.file for one in home.found("log-uncommitted")] == [f"sessions/{by_hand.name}"]
    assert not severe(verify(home.memory))
    assert "Never use X." in (home.folder / edited).read_text()


def test_e5_the_same_log_twice_is_one_log(home: Clone) -> None:
    """One stem with the same bytes at two places counts once, and so does a retried append."""
    path = logs(home)[1]
    (home.folder / "sessions" / Path(path).name).write_bytes((home.folder / path).read_bytes())
    home.commit("a copy")
    again = home.memory.append(
        SessionDraft("Second", "", (FactCreated("use-y", "Use Y always."), FactReferenced("use-x")))
    )
    assert again.already
    assert home.memory.state()["use-x"].fact.uses == 2
    assert home.memory.state().summary.logs == 2
    assert home.found() == []


def test_e5_a_copy_that_comes_with_a_new_log_counts_once(home: Clone) -> None:
    """A warm cache that has the log already takes in the new one beside the copy, as a cold replay does."""
    path = logs(home)[0]
    home.memory.state()
    (home.folder / "sessions" / Path(path).name).write_bytes((home.folder / path).read_bytes())
    new = "# Notes\n\n## Memory References\n\n- Referenced: use-x\n"
    (home.folder / "sessions" / "2026-11-22-notes.md").write_text(new)
    home.commit("a copy and notes")
    assert home.memory.state().summary == home.memory.cold_state().summary
    assert home.memory.state()["use-x"].fact == home.memory.cold_state()["use-x"].fact


def test_e6_one_name_with_other_bytes_keeps_both_and_says_who(home: Clone) -> None:
    """Neither is dropped, both texts stand as a contradiction, and verify names who committed which."""
    path = logs(home)[0]
    other = f"sessions/{Path(path).name}"
    forged = (home.folder / path).read_bytes().replace(b"always", b"never")
    (home.folder / other).write_bytes(forged)
    home.commit("mine")
    (one,) = home.found("duplicate-stem")
    assert one.severity == "error"
    assert path in one.message
    assert f"{other} came with" in one.message
    assert "by Mallory" in one.message
    heads = home.memory.state()["use-x"].fact.heads
    assert {head.text for head in heads} == {"Use X always.", "Use X never."}
    assert {one.file for one in home.found("seal-broken")} == {other}


def test_e6_two_of_one_name_that_were_changed_are_both_read_as_sealed(home: Clone) -> None:
    """Each is a log of its own, by its own key, and says what it said first."""
    path = logs(home)[0]
    other = f"sessions/{Path(path).name}"
    (home.folder / other).write_bytes((home.folder / path).read_bytes())
    home.commit("a copy")
    home.change(path, "always", "never")
    home.change(other, "always", "seldom")
    home.commit("both are changed")
    entries = [(ref, entry) for _, ref, entry in home.memory.snapshot.cache().entries()]
    assert [entry.stem for _, entry in entries] == [ref.key for ref, _ in entries]
    assert {ref.key.partition("~")[0] for ref, _ in entries[:2]} == {Path(path).stem}
    assert [head.text for head in home.memory.state()["use-x"].fact.heads] == ["Use X always."]
    assert {one.file for one in home.found("seal-broken")} == {path, other}


def test_e7_a_redaction_withholds_the_text_from_every_projection(home: Clone) -> None:
    """The event takes the text out of what is shown, live and archived; its log stays as it was."""
    home.append("Oops", FactCreated("the-key", "The key is 12345."))
    home.append("Redact", FactRedacted("the-key"))
    assert home.text("the-key") == "(redacted)"
    home.append("False", FactSuperseded("the-key", "use-x"))
    files = projection_files(home.memory.state())
    assert {path for path, data in files.items() if b"the-key" in data} > {"archive/INDEX.md"}
    assert not any(b"12345" in data for data in files.values())
    for path in home.git("ls-files", "continuity.md", "archive").split("\n"):
        assert "12345" not in (home.folder / path).read_text()
    assert home.found() == []


def test_e7_taking_the_log_away_instead_is_an_error(home: Clone) -> None:
    """Only the event is a sanctioned redaction; a log edited to hide a text is named."""
    path = logs(home)[0]
    home.append("Redact", FactRedacted("use-x"))
    home.change(path, "Use X always.", "(redacted)")
    home.commit("hide")
    assert [one.file for one in home.found("log-modified")] == [path]


def test_e8_a_rewritten_history_that_lost_a_log_raises_the_alarm(home: Clone) -> None:
    """The last tip that was found whole is remembered; what went since is named and comes back."""
    lost = home.append("Third", FactCreated("use-z", "Use Z always."))
    assert home.found() == []
    home.git("reset", "-q", "--hard", "HEAD~1")
    kept = home.append("Fourth", FactReferenced("use-x"))
    (one,) = home.found("history-rewritten")
    assert one.severity == "error"
    assert Path(lost).stem in one.message
    assert home.found("history-rewritten") == [one], "the alarm does not wear off"
    assert restore(home.memory) == (lost,)
    home.memory.publish()
    assert home.found() == []
    assert {lost, kept} < set(logs(home))
    assert home.text("use-z") == "Use Z always."


def test_e8_an_amended_log_is_a_lost_one(home: Clone) -> None:
    """Its name may be the same: its bytes are not those that were there."""
    path = logs(home)[1]
    first = (home.folder / path).read_bytes()
    home.change(path, "Use Y always.", "Never use Y.")
    home.git("add", "-A")
    home.git("commit", "-q", "--amend", "--no-edit")
    assert home.found("log-modified") == []
    assert Path(path).stem in home.found("history-rewritten")[0].message
    assert restore_plan(home.memory) == ((path, first),)


def test_e9_a_forced_push_drops_nothing_that_a_clone_has(home: Clone, tmp_path: Path) -> None:
    """A clone that follows the forced branch is told what it lost, and offers it again on top."""
    home.git("clone", "-q", "--bare", str(home.folder), str(tmp_path / "hub.git"))
    home.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    home.git("clone", "-q", str(tmp_path / "hub.git"), str(tmp_path / "two"))
    other = Clone(tmp_path / "two", START_MS + 500)
    mine = other.append("Theirs", FactCreated("use-z", "Use Z always."))
    other.git("push", "-q", "origin", "HEAD")
    assert other.found() == []
    home.append("Mine", FactReferenced("use-y"))
    home.git("push", "-q", "--force", "origin", "HEAD")
    other.git("fetch", "-q")
    other.git("reset", "-q", "--hard", "origin/main")
    (one,) = other.found("history-rewritten")
    assert Path(mine).stem in one.message
    assert restore(other.memory) == (mine,)
    other.git("push", "-q", "origin", "HEAD")
    assert other.text("use-z") == "Use Z always."
    assert other.memory.state().summary.logs == 4


def test_e10_squash_and_rebase_change_commit_ids_and_no_log(home: Clone) -> None:
    """Logs are known by their content, so what a forge does to commits is no finding."""
    home.git("checkout", "-q", "-b", "topic")
    home.append("Third", FactCreated("use-z", "Use Z always."))
    home.append("Fourth", FactReferenced("use-z"))
    said = home.memory.continuity()
    topic = home.git("rev-parse", "HEAD")
    home.git("checkout", "-q", "main")
    home.git("merge", "-q", "--squash", "topic")
    squashed = home.commit("squashed")
    home.git("branch", "-q", "-D", "topic")
    assert squashed != topic
    assert home.memory.continuity() == said
    assert home.found() == []
    home.git("reset", "-q", "--soft", "HEAD~1")
    home.git("commit", "-q", "-m", "rebased")
    assert home.git("rev-parse", "HEAD") != squashed
    assert home.memory.continuity() == said
    assert home.found() == []


def test_e11_a_cherry_picked_log_counts_once(home: Clone) -> None:
    """The same log on two branches, in two commits, is one log after a merge."""
    home.git("checkout", "-q", "-b", "topic")
    path = home.append("Third", FactReferenced("use-x"))
    home.git("checkout", "-q", "main")
    home.append("Fourth", FactReferenced("use-x"))
    home.git("cherry-pick", "topic")
    assert home.git("rev-parse", "HEAD") != home.git("rev-parse", "topic")
    home.git("merge", "-q", "-m", "both", "topic")
    assert logs(home).count(path) == 1
    assert home.memory.state()["use-x"].fact.uses == 4
    home.memory.publish()
    assert home.found() == []


def test_e14_what_is_no_log_is_listed_and_ignored(home: Clone) -> None:
    """Junk under sessions/ changes nothing that is replayed, and verify names each piece."""
    said = home.memory.continuity()
    sessions = home.folder / "sessions"
    (sessions / "2026-11-21-101500.md").mkdir()
    (sessions / "2026-11-21-101500.md/inner.txt").write_text("x")
    (sessions / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    (sessions / "notes of today.md").write_text("- Created: nothing\n")
    (sessions / "2026-02-30-101500.md").write_text("## Memory References\n\n- Created: nothing\n")
    (sessions / "2026-11-21-111500.md").symlink_to("/etc/passwd")
    (sessions / "2026-11-21-121500.md").write_text("## Memory References\n\n- Referenced: use-y\n")
    (sessions / "2026-11-21-121500.md").chmod(0o755)
    (sessions / "INDEX.md").write_text("an index")
    home.commit("junk")
    home.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sessions/module")
    home.git("commit", "-qm", "a submodule")
    assert home.memory.continuity() == said
    assert {(one.code, one.file) for one in home.found()} == {
        ("bad-name", "sessions/.DS_Store"),
        ("bad-name", "sessions/2026-02-30-101500.md"),
        ("bad-name", "sessions/2026-11-21-101500.md/inner.txt"),
        ("bad-name", "sessions/notes of today.md"),
        ("not-a-file", "sessions/2026-11-21-111500.md"),
        ("not-a-file", "sessions/2026-11-21-121500.md"),
        ("not-a-file", "sessions/module"),
    }
