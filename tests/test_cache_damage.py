# ruff: noqa: S302 - the cache's own form, read back
"""A damaged cache, an odd policy, upgrades, and two versions on one machine (catalogue, group M).

M9, a downgrade that meets newer events, is G19 for the parser; here it is asked of a whole home.
"""

from __future__ import annotations

import marshal
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import WaitsInSpool, WriteRefused
from ledger.home import Home, discover
from ledger.model.event import FactCreated, FactReferenced
from ledger.model.findings import severe
from ledger.model.layout import CACHE_VERSION, FORMAT_VERSION, LOCK_FILE, log_path
from ledger.model.order import seal
from memory.api import Memory
from memory.cache.file import Cache, CacheUnusable
from memory.worktree.publish import projection_files
from memory.write.draft import SessionDraft
from projection.policy.model import Policy, Windows
from rituals.check.verify import verify
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    START_MS,
    WRITERS,
    Clock,
    as_left,
    assert_sound,
    draft,
    fsck,
    git,
    hermetic,
    logs_in,
    make_home,
    open_memory,
    users_files,
)
from tests.conftest import Ran, Repo, Run

__all__ = ["hermetic"]

ROOT = Path(__file__).resolve().parents[1]
both = pytest.mark.parametrize("writer", WRITERS)


@pytest.fixture
def quick() -> Run:
    """Run the console script, which answers the plain forms without the command line's libraries."""

    def quick(*arguments: str, stdin: bytes = b"") -> Ran:
        script = "import sys; from rituals.cli.entry import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-P", "-c", script, *arguments],
            input=stdin, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return quick


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home of its own with three logs and three facts, and a cache of them."""
    made = make_home(tmp_path / "shop", OWN_REPOSITORY)
    memory = open_memory(made.repository.top, "pygit2")
    for name in ("one", "two", "three"):
        memory.append(draft(name))
    memory.state()
    memory.close()
    return made


def reopened(home: Home, writer: str = "pygit2") -> Memory:
    """Open a home as a new process would, later."""
    return open_memory(home.repository.where, writer, Clock(START_MS + 50_000_000))


def cache_file(home: Home) -> Path:
    return Path(home.cache_file + ".sqlite")


def assert_same_answer(memory: Memory) -> None:
    """Check that the cache says what git alone says, in the projection and in the findings."""
    warm, cold = memory.state(), memory.cold_state()
    assert projection_files(warm) == projection_files(cold)
    assert warm.findings() == cold.findings()
    assert memory.continuity().encode() == projection_files(cold)["continuity.md"]


# ---- a cache that is missing or damaged ------------------------------------------------------------


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _garbage(file: Path) -> None:
    file.write_bytes(b"SQLite format 3\0" + os.urandom(5000))


def _truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:6000])


def _holed(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 + 100 : page * 4096 + 900] = b"\xa5" * 800
    file.write_bytes(data)


def _bad_values(file: Path) -> None:
    with sqlite3.connect(file) as base:
        base.execute("UPDATE facts SET history = x'ff00'")
        base.execute("UPDATE meta SET value = x'00' WHERE key = 'policy'")


def _other_tables(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as base:
        base.execute("CREATE TABLE meta(key TEXT, value TEXT)")


def _unusable(path: str) -> Cache:
    raise CacheUnusable(path)


def _linked_away(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.parent / "nowhere")


DAMAGES = (_empty, _garbage, _truncated, _holed, _bad_values, _other_tables, _linked_away)


def test_m1_the_cache_is_missing(home: Home) -> None:
    """It is built anew from the ledger without a word, and answers the same."""
    before = reopened(home).continuity()
    for file in cache_file(home).parent.iterdir():
        file.unlink()
    cache_file(home).parent.rmdir()
    memory = reopened(home)
    assert memory.continuity() == before
    assert memory.snapshot.notes == []
    assert_same_answer(memory)
    assert cache_file(home).stat().st_mode & 0o777 == 0o600


def _stamped(damage: Callable[[Path], None]) -> Callable[[Path], None]:
    """Return a damage that is none of what a stamp tells."""

    def done(file: Path) -> None:
        damage(file)
        as_left(file)

    return done


@both
@pytest.mark.parametrize("stamped", (False, True))
@pytest.mark.parametrize("damage", DAMAGES)
def test_m2_the_cache_is_damaged(
    home: Home, damage: Callable[[Path], None], stamped: bool, writer: str
) -> None:
    """It is built anew, said once, and neither reading nor appending fails."""
    before = reopened(home).continuity()
    if stamped:
        damage = _stamped(damage)
    damage(cache_file(home))
    memory = reopened(home, writer)
    assert memory.continuity() == before
    assert_same_answer(memory)
    assert not cache_file(home).is_symlink()
    assert cache_file(home).stat().st_size > 4096
    damage(cache_file(home))
    memory = reopened(home, writer)
    receipt = memory.append(draft("four"))
    assert {one.code for one in receipt.findings} <= {"cache-rebuilt"}
    assert_same_answer(reopened(home))
    assert_sound(home, {receipt.stem: receipt.data})
    assert {one.fact.id for one in memory.state().standings()} == {"one", "two", "three", "four"}
    assert git(home.repository.top, "status", "--porcelain") == ""


def test_m2_the_cache_belongs_to_somebody_else(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that can be neither read nor replaced is answered past, from memory."""
    before = reopened(home).continuity()

    def refused(*arguments: object, **more: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    held = cache_file(home).read_bytes()
    monkeypatch.setattr("memory.replay.snapshot.open_cache", _unusable)
    monkeypatch.setattr("memory.cache.rebuild.install", refused)
    memory = reopened(home)
    assert memory.continuity() == before
    receipt = memory.append(draft("four"))
    assert "four" in memory.continuity()
    assert_sound(home, [receipt.stem])
    assert cache_file(home).read_bytes() == held
    assert list(cache_file(home).parent.glob("*.tmp")) == []


@pytest.mark.parametrize("data", (b"", b"diurna-shown 1 x", b"# Continuity\n\n- A lie.\n"))
def test_m2_what_was_last_shown_is_damaged(
    home: Home, quick: Run, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    """`diurna show` prints the replay all the same."""
    monkeypatch.chdir(home.repository.top)
    before = quick("show")
    shown = Path(home.cache_file + ".shown")
    whole = shown.read_bytes()
    head, _, body = whole.partition(b"\n")
    for wrong in (data, head + b"\n" + data, head + b"\n" + body.replace(b"one", b"two")):
        shown.write_bytes(wrong)
        assert quick("show") == before
    assert shown.read_bytes() == whole


# ---- other schemas and newer formats ----------------------------------------------------------------


@pytest.mark.parametrize("version", (CACHE_VERSION - 1, CACHE_VERSION + 1, 10**9))
def test_m3_a_cache_of_another_schema_is_built_anew(home: Home, version: int) -> None:
    """Its tables are not looked at: were they believed, the facts would be gone."""
    before = reopened(home).continuity()
    with sqlite3.connect(cache_file(home)) as base:
        base.execute("UPDATE meta SET value = ? WHERE key = 'version'", (marshal.dumps(version),))
        base.execute("DELETE FROM facts")
    as_left(cache_file(home))
    memory = reopened(home)
    assert memory.continuity() == before
    assert_same_answer(memory)
    with sqlite3.connect(cache_file(home)) as base:
        (found,) = base.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    assert marshal.loads(found) == CACHE_VERSION


def newer(home: Home) -> str:
    """Let a newer version have written the policy; return the tip."""
    file = Path(home.folder, "diurna.toml")
    text = file.read_text().replace("format  = 1", "format  = 2")
    file.write_text(text + '\n[weather]\nsky = "blue"\n')
    git(home.folder, "commit", "-q", "-am", "a newer Diurna")
    return home.tip()


@both
def test_m3_a_newer_ledger_is_read_and_not_written(home: Home, writer: str) -> None:
    """Every way to write is refused with the reason; reading goes on as far as it is understood."""
    memory = reopened(home, writer)
    memory.state()
    tip = newer(home)
    files = users_files(home.folder)
    before = git(home.folder, "status", "--porcelain")
    asked: list[Callable[[], object]] = [
        lambda: memory.append(draft("four")),
        lambda: memory.append(draft("four"), stage=True),
        lambda: memory.commit_files([("diurna.toml", b"format = 1\n")], "down"),
        lambda: reopened(home, writer).append(draft("four")),
    ]
    for ask in asked:
        with pytest.raises(WriteRefused, match="format 2") as refused:
            ask()
        assert "newer Diurna" in refused.value.hint
    assert home.tip() == tip
    assert memory.waiting() == []
    assert users_files(home.folder) == files
    assert git(home.folder, "status", "--porcelain") == before
    assert {one.fact.id for one in memory.state().standings()} == {"one", "two", "three"}
    assert [one.code for one in verify(memory) if one.code == "newer-format"] == ["newer-format"]
    assert severe(verify(memory))


@both
def test_m3_what_waits_is_not_committed_into_a_newer_ledger(home: Home, writer: str) -> None:
    """A log that was spooled before the ledger became newer stays in the spool, and says why."""
    git(home.folder, "checkout", "-q", "--detach")
    with pytest.raises(WaitsInSpool):
        reopened(home, writer).append(draft("four"))
    git(home.folder, "checkout", "-q", "main")
    tip = newer(home)
    memory = reopened(home, writer)
    with pytest.raises(WaitsInSpool, match="format 2"):
        memory.drain()
    assert home.tip() == tip
    assert len(memory.waiting()) == 1
    git(home.folder, "revert", "--no-edit", "HEAD")
    memory = reopened(home, writer)
    assert memory.drain() is not None
    assert {one.fact.id for one in memory.state().standings()} == {"one", "two", "three", "four"}


def test_m3_commands_say_that_the_ledger_is_newer(
    home: Home, quick: Run, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading ends with 0 and says so on stderr, quick form or not; writing ends with 1."""
    newer(home)
    monkeypatch.chdir(home.folder)
    for command in (("show",), ("status",), ("log",)):
        for ran in (quick(*command), run(*command)):
            assert ran.code == 0, ran.err
            assert ran.err.count("format 2") == 1
            assert "newer Diurna" in ran.err
    assert "The text of one." in quick("show").out
    log = b"# T\n\n## Memory References\n\n- Referenced: one\n"
    for ran in (quick("append", "-", stdin=log), run("append", "-", stdin=log)):
        assert ran.code == 1
        assert "format 2" in ran.err
        assert "Traceback" not in ran.err
    Path(home.folder, "continuity.md").write_text("drifted\n")
    git(home.folder, "commit", "-q", "-am", "drift")
    ran = run("publish")
    assert ran.code == 1
    assert "format 2" in ran.err


# ---- a cache that goes away or lies -----------------------------------------------------------------


@pytest.mark.parametrize("damage", (_empty, _truncated, Path.unlink))
def test_m4_the_cache_is_deleted_during_a_query(home: Home, damage: Callable[[Path], None]) -> None:
    """A question that meets a file which is gone or cut short is asked again of a new one."""
    memory = reopened(home)
    asked = []

    def question(cache: Cache) -> list[str]:
        asked.append(cache)
        if len(asked) == 1:
            damage(cache_file(home))
            cache.close()  # as SQLite, which finds the file cut short under it
        return cache.ids()

    assert sorted(memory.snapshot.ask(question)) == ["one", "three", "two"]
    assert len(asked) == 2
    assert [note.code for note in memory.snapshot.notes] == ["cache-rebuilt"]
    assert_same_answer(memory)


def test_m4_the_cache_is_deleted_between_two_questions(home: Home) -> None:
    """A process that has it open notices, and goes on with the one of that name."""
    memory = reopened(home)
    assert memory.state().get("four") is None
    cache_file(home).unlink()
    other = reopened(home)
    other.append(draft("four"))
    assert memory.state().get("four") is not None
    assert_same_answer(memory)
    cache_file(home).unlink()
    assert_same_answer(memory)
    assert_same_answer(other)


def test_m5_the_cache_says_what_the_ledger_does_not(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`replay --check` compares the two, names the file and ends with 1; the ledger is right."""
    monkeypatch.chdir(home.folder)
    assert run("replay", "--check").code == 0
    truth = reopened(home).continuity()
    with sqlite3.connect(cache_file(home)) as base:
        base.execute("DELETE FROM facts WHERE id = 'two'")
    as_left(cache_file(home))
    ran = run("replay", "--check")
    assert ran.code == 1
    assert "the cache gives another continuity.md than the ledger" in ran.err
    assert "aside" in ran.err
    assert projection_files(reopened(home).cold_state())["continuity.md"].decode() == truth
    published = git(home.folder, "show", "HEAD:continuity.md")
    assert "The text of two." in published
    cache_file(home).rename(home.state_dir + "/moved aside")
    assert run("replay", "--check").code == 0
    assert reopened(home).continuity() == truth


@pytest.mark.parametrize("commit", ("0" * 40, "not a commit", ""))
def test_m5_the_cache_says_it_is_of_a_commit_that_is_not_there(home: Home, commit: str) -> None:
    """What can not be compared with the tip is not believed."""
    with sqlite3.connect(cache_file(home)) as base:
        (packed,) = base.execute("SELECT value FROM meta WHERE key = 'head'").fetchone()
        head = (commit, *marshal.loads(packed)[1:])
        base.execute("UPDATE meta SET value = ? WHERE key = 'head'", (marshal.dumps(head),))
        base.execute("DELETE FROM facts WHERE id = 'two'")
    as_left(cache_file(home))
    memory = reopened(home)
    assert memory.state().get("two") is not None
    assert_same_answer(memory)


def test_m5_a_cache_ahead_of_a_branch_that_went_back(home: Home) -> None:
    """A log that is not at the tip any more is not in the answer either."""
    git(home.folder, "reset", "-q", "--hard", "HEAD~1")
    memory = reopened(home)
    assert memory.state().get("three") is None
    assert_same_answer(memory)
    git(home.folder, "reset", "-q", "--hard", "ORIG_HEAD")
    assert reopened(home).state().get("three") is not None
    assert_same_answer(reopened(home))


# ---- the policy -------------------------------------------------------------------------------------

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


# ---- upgrades and downgrades ------------------------------------------------------------------------

GOLDEN_POLICY = b"""\
format = 1
project = "golden"

[windows]
working = 1
active = 1
archive = 3

[kinds.glossary]
section = "Glossary"
"""
#: The logs of a ledger as version 1 of the format writes them. They and what they say never change.
GOLDEN_LOGS = {
    "2026-06-01-101500123-ddeaafb9fa0d": """---
agent: ada
ended: 2026-06-01T10:15:00.123Z
---
# Lay the foundations

The transport is settled.

## Memory References

- Created: inv-transport, retry-storm, old-proxy, staging-port, lunch

## Facts

- The proxy must stay protocol-agnostic at the transport layer.
  <!-- id: inv-transport | kind: invariant | tags: proxy -->
- [ ] Find out whether a retry storm can starve the workers.
  <!-- id: retry-storm | kind: thread -->
- The proxy speaks HTTP/1.1 only.
  <!-- id: old-proxy | kind: decision -->
- Staging listens on port 8081.
  <!-- id: staging-port -->
- Lunch is at noon.
  <!-- id: lunch | kind: custom -->
""",
    "2026-06-02-090000000-0841cbea7ee0": """---
agent: claude-code
ended: 2026-06-02T09:00:00.000Z
after: 2026-06-01-101500123-ddeaafb9fa0d
branch: main
commit: 4f2a91c
---
# Speak HTTP/2

## Memory References

- Referenced: inv-transport
- Created: new-proxy
- Updated: staging-port (was 0e47770a)
- Superseded: old-proxy → new-proxy

## Facts

- The proxy speaks HTTP/2,

  ```
  proxy --h2
  ```

  and falls back.
  <!-- id: new-proxy | kind: decision -->
- Staging listens on port 9090.
  <!-- id: staging-port -->
""",
    "2026-06-02-090000001-2a6146db58c8": """---
agent: codex
ended: 2026-06-02T09:00:00.001Z
after: 2026-06-01-101500123-ddeaafb9fa0d
---
# The same at once

## Memory References

- Updated: staging-port (was 0e47770a)
- Verified: inv-transport

## Facts

- Staging listens on port 7070.
  <!-- id: staging-port -->
""",
    "2026-07-01-120000000-1ba423ab8c29": """---
agent: ada
ended: 2026-07-01T12:00:00.000Z
after: 2026-06-02-090000001-2a6146db58c8
---
# Day 1
""",
    "2026-07-02-120000000-34cea81543f3": """---
agent: ada
ended: 2026-07-02T12:00:00.000Z
after: 2026-07-01-120000000-1ba423ab8c29
---
# Day 2

## Memory References

- Created: fresh
- Closed: retry-storm

## Facts

- A zero | one — and `<!-- no footer`.
  <!-- id: fresh | kind: glossary | tags: a, b -->
""",
    "2026-07-03-120000000-923988cc7c8d": """---
agent: ada
ended: 2026-07-03T12:00:00.000Z
after: 2026-07-02-120000000-34cea81543f3
type: review
---
# Day 3

## Memory References

- Promoted: new-proxy
""",
    "2026-07-04-120000000-e99a05d877fb": """---
agent: ada
ended: 2026-07-04T12:00:00.000Z
after: 2026-07-03-120000000-923988cc7c8d
---
# Day 4
""",
}
#: What a replay of them shows, byte for byte. A change of the rules may change it only together with
#: FORMAT_VERSION, and then a ledger that says `format = 1` still has to give these bytes.
GOLDEN_PAGES = {
    "continuity.md": """# Continuity — golden

> Diurna computes this file from the session logs. Edit its bullets: before it is written again, the edit becomes a log of its own, and what is not understood is named and left as it is.

- Sessions: 6
- Last session: 2026-07-04-120000000-e99a05d877fb (ada)
- Last review: 2026-07-03-120000000-923988cc7c8d
- Last invariant check: 2026-06-02-090000001-2a6146db58c8
- Facts: 2 core, 1 working, 1 active, 1 archive-candidate, 1 archived, 1 superseded

## Contradictions

- `staging-port`: 2 versions stand, none wins; `Updated: staging-port (was 7f8056ab, e61bb4e9)` with the text that holds resolves it.
  - version `7f8056ab` of 2026-06-02-090000000-0841cbea7ee0
  - version `e61bb4e9` of 2026-06-02-090000001-2a6146db58c8

## Architectural Invariants

- The proxy must stay protocol-agnostic at the transport layer.
  <!-- id: inv-transport | created: 2026-06-01 | last_used: 2026-06-02 | uses: 3 | tier: core | origin: 2026-06-01-101500123-ddeaafb9fa0d | tags: proxy | verified: 2026-06-02-090000001-2a6146db58c8 -->

## Key Decisions

- The proxy speaks HTTP/2,

  ```
  proxy --h2
  ```

  and falls back.
  <!-- id: new-proxy | created: 2026-06-02 | last_used: 2026-06-02 | uses: 1 | tier: core | origin: 2026-06-02-090000000-0841cbea7ee0 | supersedes: old-proxy -->

## Facts

- **Contradiction**: 2 versions stand, none wins.
  - Staging listens on port 9090.
    <!-- version: 7f8056ab | log: 2026-06-02-090000000-0841cbea7ee0 -->
  - Staging listens on port 7070.
    <!-- version: e61bb4e9 | log: 2026-06-02-090000001-2a6146db58c8 -->
  <!-- id: staging-port | created: 2026-06-01 | last_used: 2026-06-02 | uses: 3 | tier: archive-candidate | origin: 2026-06-01-101500123-ddeaafb9fa0d | heads: 7f8056ab, e61bb4e9 -->

## Open Threads

- [x] Find out whether a retry storm can starve the workers.
  <!-- id: retry-storm | created: 2026-06-01 | last_used: 2026-07-02 | uses: 2 | tier: active | origin: 2026-06-01-101500123-ddeaafb9fa0d -->

## Glossary

- A zero | one — and `<!-- no footer`.
  <!-- id: fresh | created: 2026-07-02 | last_used: 2026-07-02 | uses: 1 | tier: working | origin: 2026-07-02-120000000-34cea81543f3 | tags: a, b -->

<!-- diurna: format 1 | logs: 7 | newest: 2026-07-04-120000000-e99a05d877fb | digest: 5e1ff806565ed19584419acc28a8c3e011d0b145a6e28dd84e2d5554094df329 -->
""",
    "archive/INDEX.md": """# Archive

- lunch — Lunch is at noon. — faded — 2026-Q3.md
- old-proxy — The proxy speaks HTTP/1.1 only. — superseded by new-proxy — 2026-Q2.md
""",
    "archive/2026-Q2.md": """# Archive — 2026-Q2

- The proxy speaks HTTP/1.1 only.
  <!-- id: old-proxy | kind: decision | created: 2026-06-01 | last_used: 2026-06-01 | uses: 1 | tier: superseded | origin: 2026-06-01-101500123-ddeaafb9fa0d | reason: superseded by new-proxy -->
""",
    "archive/2026-Q3.md": """# Archive — 2026-Q3

- Lunch is at noon.
  <!-- id: lunch | kind: custom | created: 2026-06-01 | last_used: 2026-06-01 | uses: 1 | tier: archived | origin: 2026-06-01-101500123-ddeaafb9fa0d | reason: faded -->
""",
}


def golden_home(folder: Path) -> Home:
    """Commit the golden ledger with git alone."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "diurna.toml").write_bytes(GOLDEN_POLICY)
    for stem, text in GOLDEN_LOGS.items():
        file = folder / log_path(stem)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=A", "-c", "user.email=a@b.invalid", "commit", "-q", "-m", "golden")
    return discover(str(folder))


def test_m8_the_golden_ledger_gives_the_golden_bytes(tmp_path: Path) -> None:
    """Old events replay to the documented result, cold and through the cache, log by log too."""
    home = golden_home(tmp_path / "golden")
    memory = reopened(home)
    for state in (memory.cold_state(), memory.state()):
        pages = {path: data.decode() for path, data in projection_files(state).items()}
        assert pages == GOLDEN_PAGES
    assert memory.continuity() == GOLDEN_PAGES["continuity.md"]
    assert [one.code for one in memory.state().findings()] == ["unknown-kind", "contradiction"]


def test_m8_the_golden_ledger_log_by_log(tmp_path: Path) -> None:
    """A cache that was brought forward by one log at a time ends at the same bytes."""
    home = golden_home(tmp_path / "golden")
    folder = Path(home.folder)
    git(folder, "config", "user.name", "A")
    git(folder, "config", "user.email", "a@b.invalid")
    git(folder, "rm", "-q", "-r", "--cached", "sessions")
    git(folder, "commit", "-q", "--amend", "-m", "empty")
    memory = reopened(home)
    for stem in reversed(GOLDEN_LOGS):
        git(folder, "add", log_path(stem))
        git(folder, "commit", "-q", "-m", stem)
        memory.view()
    pages = {path: data.decode() for path, data in projection_files(memory.state()).items()}
    assert pages == GOLDEN_PAGES


def test_m8_the_projection_bears_the_version_of_the_format(home: Home) -> None:
    """So that whoever reads it knows by which rules it was made."""
    assert FORMAT_VERSION == 1, "a new format needs golden bytes of its own"
    assert f"<!-- diurna: format {FORMAT_VERSION} | " in reopened(home).continuity()
    policy = git(home.folder, "show", "HEAD:diurna.toml")
    assert f"format  = {FORMAT_VERSION}\n" in policy


@both
@pytest.mark.parametrize("kind", KINDS)
def test_m9_events_of_a_newer_version_are_kept(tmp_path: Path, writer: str, kind: str) -> None:
    """What is not understood is told and ignored; its bytes stay, and the rest of the log counts."""
    home = make_home(tmp_path / "shop", kind)
    memory = open_memory(tmp_path / "shop", writer)
    memory.append(draft("one"))
    text = (
        "---\nagent: newer\nended: 2026-09-21T15:00:00.000Z\nmood: good\n---\n# From the future\n\n"
        "## Memory References\n\n- Referenced: one\n- Dreamt: one, two\n- Created: two\n\n"
        "## Facts\n\n- The text of two.\n  <!-- id: two | weight: 7 | kind: decision -->\n"
    )
    stem = seal("2026-09-21-150000000", text.encode())
    memory.commit_files([(log_path(stem), text.encode())], "from a newer Diurna")
    memory = open_memory(tmp_path / "shop", writer, Clock(START_MS + 50_000_000))
    (found,) = [one for one in memory.state().findings() if one.code == "unknown-verb"]
    assert found.file == log_path(stem)
    assert "Dreamt" in found.message
    assert memory.standing("two").fact.text == "The text of two."
    assert memory.standing("one").fact.uses == 2
    memory.append(SessionDraft("After", "", (FactReferenced("two"), FactCreated("three", "T."))))
    memory.publish()
    assert logs_in(home)[stem] == text.encode()
    assert_same_answer(memory)
    assert fsck(home) == []


# ---- two installations ------------------------------------------------------------------------------

_OTHER = """
import sys
import ledger.model.layout
ledger.model.layout.CACHE_VERSION += {step}
import ledger.wal.atomic_files
taken = []
class Spied(ledger.wal.atomic_files.Lock):
    def __init__(self, path, *more):
        taken.append(path)
        super().__init__(path, *more)
ledger.wal.atomic_files.Lock = Spied
from tests.campaigns.homes import Clock, draft, open_memory
from memory.worktree.publish import projection_files
memory = open_memory({folder!r}, {writer!r}, Clock({now}))
memory.append(draft({name!r}))
assert projection_files(memory.state()) == projection_files(memory.cold_state())
print(taken[0], memory.home.cache_file, len(memory.state()))
"""


def other_version(home: Home, writer: str, name: str, now: int, step: int = 1) -> list[str]:
    """Append with another version of Diurna; return its lock, its cache and its count of facts."""
    script = _OTHER.format(
        folder=home.repository.where, writer=writer, name=name, now=now, step=step
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@both
@pytest.mark.parametrize("kind", (IN_TREE, OWN_BRANCH))
def test_m10_two_versions_share_one_home(tmp_path: Path, writer: str, kind: str) -> None:
    """They take one lock and one cache file, and each gives the right answer after the other."""
    home = make_home(tmp_path / "shop", kind)
    mine = open_memory(tmp_path / "shop", writer)
    names = []
    for turn in range(2):
        names.append(f"mine-{turn}")
        mine.append(draft(names[-1]))
        names.append(f"theirs-{turn}")
        now = START_MS + 10_000_000 * (turn + 1)
        lock, cache, count = other_version(home, writer, names[-1], now)
        assert lock == f"{home.repository.commondir}/{LOCK_FILE}"
        assert cache == home.cache_file
        assert int(count) == len(names)
        assert {one.fact.id for one in mine.state().standings()} == set(names)
        assert_same_answer(mine)
    assert len(logs_in(home)) == 4
    assert fsck(home) == []


def test_m10_where_state_lies_depends_on_the_repository_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not on the user, the temporary folder, the environment, the folder one stands in or the work tree."""
    home = make_home(tmp_path / "shop", OWN_BRANCH)
    git(tmp_path / "shop", "worktree", "add", "-q", str(tmp_path / "linked"))
    places = set()
    for start in ("shop", "shop/docs", "linked"):
        for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "USER"):
            monkeypatch.setenv(name, str(tmp_path / start))
        found = discover(str(tmp_path / start))
        places.add((found.cache_file, found.spool_folder, found.state_dir, found.reference))
    assert places == {(home.cache_file, home.spool_folder, home.state_dir, home.reference)}


def test_m10_both_check_the_format(repo: Repo, spawn: Run) -> None:
    """However it is started, a ledger of a newer format is refused for writing."""
    policy = repo.path / "memory/diurna.toml"
    policy.write_text(policy.read_text().replace("format  = 1", "format  = 7"))
    repo.git("commit", "-q", "-am", "newer")
    shape = repo.shape()
    log = b"# T\n\n## Memory References\n\n- Referenced: one\n"
    for arguments in (("append", "-"), ("append", "-", "--json")):
        ran = spawn(*arguments, stdin=log)
        assert ran.code == 1
        assert "format 7" in ran.err + ran.out
    assert repo.shape() == shape
