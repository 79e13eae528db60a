"""A policy that can not be meant, or is changed on one side (fault:M6 and fault:M7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.home import Home
from ledger.model.event import FactReferenced
from memory.write.draft import SessionDraft
from projection.policy.model import Policy, Windows
from rituals.check.check_registry import verify
from tests.campaigns.homes import assert_sound, draft, fsck, git, hermetic, logs_in, open_memory
from tests.conftest import Run
from tests.test_cache_damage import assert_same_answer, both, home, reopened

__all__ = ["hermetic", "home"]


BAD_POLICIES = {
    "broken TOML": b'format = 1\nproject = "x\n',
    "no UTF-8": b'format = 1\nproject = "\xff"\n',
    "binary": bytes(range(256)),
    "negative window": b"format = 1\n[windows]\narchive = -1\n",
    "all windows negative": b"[windows]\nworking = -3\nactive = -2\narchive = -1\n",
    "windows that do not ascend": b"[windows]\nworking = 9\nactive = 3\narchive = 0\n",
    "a float": b"[windows]\narchive = 0.0\n",
    "a text": b'[windows]\narchive = "0"\n',
    "a truth": b"[windows]\narchive = false\n",
    "not a number": b"[windows]\narchive = nan\n",
    "a huge number": b"[windows]\narchive = 99999999999999999999999\n",
    "a table as number": b"windows = 0\n",
    "an unknown key": b"[windows]\narchive = 0\nforget = true\n",
    "an unknown table": b"[retention]\ndays = 0\n",
    "twice a key": b"format = 1\nformat = 1\n",
    "no format": b"format = 0\n",
    "a text as format": b'format = "2"\n',
    "conflict": b"<<<<<<< ours\nformat = 1\n=======\nformat = 1\n>>>>>>> theirs\n",
    "another publish": b'publish = "never"\n',
    "large": b"#" * 70_000,
    "nested": b"x = " + b"[" * 5000,
}


def set_policy(home: Home, data: bytes, message: str = "policy") -> str:
    """Commit a policy as a user would; return the tip."""
    Path(home.folder, "diurna.toml").write_bytes(data)
    git(home.folder, "add", "diurna.toml")
    git(home.folder, "commit", "-q", "--allow-empty", "-m", message)
    return home.tip()


@pytest.mark.parametrize("name", BAD_POLICIES)
def test_m6_a_policy_that_can_not_be_meant(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The defaults are in force, one warning says what and where, and nothing is lost."""
    set_policy(home, BAD_POLICIES[name])
    monkeypatch.chdir(home.folder)
    memory = reopened(home)
    assert memory.state().policy == Policy()
    assert {one.fact.id for one in memory.state().standings()} == {"one", "two", "three"}
    assert all(one.live for one in memory.state().standings())
    assert_same_answer(memory)
    shown = run("show")
    assert shown.code == 0
    assert "The text of one." in shown.out
    assert shown.err.count("diurna.toml") == 1, shown.err
    assert "Traceback" not in shown.err
    log = b"# T\n\n## Memory References\n\n- Referenced: one\n"
    ran = run("append", "-", stdin=log)
    assert ran.code == 0, ran.err
    assert ran.err.count("diurna.toml") == 1
    assert Path(home.folder, "diurna.toml").read_bytes() == BAD_POLICIES[name]
    assert len(logs_in(home)) == 4
    assert fsck(home) == []
    code = "conflict-marker" if name == "conflict" else "policy-invalid"
    (told,) = [one for one in verify(memory) if one.code == code]
    assert told.file == "diurna.toml"
    set_policy(home, b"format = 1\n", "mended")
    assert "diurna.toml" not in run("show").err


@pytest.mark.parametrize("state", ("missing", "empty", "comment"))
def test_m6_a_policy_that_says_nothing(home: Home, state: str) -> None:
    """No file, or an empty one, means the defaults; only a missing one is worth a word."""
    if state == "missing":
        git(home.folder, "rm", "-q", "--cached", "diurna.toml")
        git(home.folder, "commit", "-q", "-m", "oops")
    else:
        set_policy(home, b"" if state == "empty" else b"# nothing\n")
    memory = reopened(home)
    assert memory.state().policy == Policy()
    assert bool(memory.snapshot.cache().policy_problem) == (state == "missing")
    assert all(one.live for one in memory.state().standings())
    receipt = memory.append(draft("four"))
    assert_sound(home, [receipt.stem])
    assert_same_answer(reopened(home))


@both
def test_m6_zero_never_means_delete(home: Home, writer: str) -> None:
    """Windows of 0 are allowed and archive at once: every fact and every log is still there."""
    set_policy(home, b"[windows]\nworking = 0\nactive = 0\narchive = 0\n[review]\nevery = 0\n")
    memory = reopened(home, writer)
    receipt = memory.append(SessionDraft("Idle", "Nothing of note."))
    state = memory.state()
    assert {one.fact.id for one in state.standings()} == {"one", "two", "three"}
    assert {one.fact.id for one in state.standings() if one.live} == set()
    assert len(logs_in(home)) == 4
    index = git(home.folder, "show", "HEAD:archive/INDEX.md")
    for name in ("one", "two", "three"):
        assert f"- {name} — " in index
    receipt = memory.append(SessionDraft("Back", "", (FactReferenced("two"),)))
    assert {one.fact.id for one in memory.state().standings() if one.live} == {"two"}
    assert_sound(home, [receipt.stem])
    assert_same_answer(reopened(home))


def test_m7_a_policy_changed_on_one_side_is_part_of_the_ledger(home: Home, tmp_path: Path) -> None:
    """Every clone of a merge replays with the merged policy, and an old commit with its own."""
    base = home.tip()
    narrow = b"format = 1\nproject = 'tried'\n[windows]\nworking = 0\nactive = 0\narchive = 0\n"
    git(home.folder, "checkout", "-q", "-b", "narrow")
    set_policy(home, narrow)
    git(home.folder, "checkout", "-q", "main")
    reopened(home).append(SessionDraft("On main", "", (FactReferenced("two"),)))
    assert reopened(home).state().policy.windows == Windows()
    git(home.folder, "merge", "-q", "-m", "both", "narrow")
    memory = reopened(home)
    assert memory.state().policy.windows == Windows(0, 0, 0)
    assert {one.fact.id for one in memory.state().standings() if one.live} == {"two"}
    assert_same_answer(memory)
    git(tmp_path, "clone", "-q", home.folder, "clone")
    clone = open_memory(tmp_path / "clone")
    assert clone.continuity() == memory.continuity()
    then = memory.state(base)
    assert then.policy.windows == Windows()
    assert all(one.live for one in then.standings())


def test_m7_a_policy_that_is_not_committed_does_not_count(home: Home) -> None:
    """The replay is pinned to the commit: an edit in the work tree changes nothing, and stays."""
    before = reopened(home).continuity()
    file = Path(home.folder, "diurna.toml")
    edited = file.read_bytes().replace(b"archive = 20", b"archive = 9")
    assert edited != file.read_bytes()
    file.write_bytes(edited)
    memory = reopened(home)
    assert memory.continuity() == before
    memory.append(draft("four"))
    assert memory.state().policy.windows == Windows()
    assert file.read_bytes() == edited
