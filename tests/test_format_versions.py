"""Other schemas, newer ledgers, and two versions on one machine (fault:M3 and fault:M8 to fault:M10).

fault:M9, a downgrade that meets newer events, is fault:G19 for the parser; here it is asked of a whole home.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import WaitsInSpool, WriteRefused
from ledger.home import Home, discover
from ledger.model.event import FactCreated, FactReferenced
from ledger.model.findings import severe
from ledger.model.layout import FORMAT_VERSION, LOCK_FILE, log_path
from ledger.model.order import seal
from memory.worktree.projection_files import projection_files
from memory.write.draft import SessionDraft
from rituals.check.check_registry import verify
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    START_MS,
    WRITERS,
    Clock,
    draft,
    fsck,
    git,
    hermetic,
    logs_in,
    make_home,
    open_memory,
    users_files,
)
from tests.conftest import Repo, Run, diagonal
from tests.test_cache_damage import ROOT, assert_same_answer, both, home, quick, reopened

__all__ = ["hermetic", "home", "quick"]


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


@pytest.mark.deep(reason="the other tests here ask one command")
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
    ran = run("check", "--publish")
    assert ran.code == 1
    assert "format 2" in ran.err


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
ledger.model.layout.CACHE_VERSION += 1
import ledger.wal.atomic_files
taken = []
class Spied(ledger.wal.atomic_files.Lock):
    def __init__(self, path, *more):
        taken.append(path)
        super().__init__(path, *more)
ledger.wal.atomic_files.Lock = Spied
from tests.campaigns.homes import Clock, draft, open_memory
from memory.worktree.projection_files import projection_files
memory = open_memory({folder!r}, {writer!r}, Clock({now}))
memory.append(draft({name!r}))
assert projection_files(memory.state()) == projection_files(memory.cold_state())
print(",".join(taken), memory.home.cache_file, len(memory.state()))
"""


def other_version(home: Home, writer: str, name: str, now: int) -> list[str]:
    """Append with another version of Diurna; return its locks, its cache and its count of facts."""
    script = _OTHER.format(folder=home.repository.where, writer=writer, name=name, now=now)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.deep(reason="the other tests here have one version")
@pytest.mark.parametrize(("writer", "kind"), diagonal(WRITERS, (IN_TREE, OWN_BRANCH)))
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
        locks, cache, count = other_version(home, writer, names[-1], now)
        assert f"{home.repository.commondir}/{LOCK_FILE}" in locks.split(",")
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
