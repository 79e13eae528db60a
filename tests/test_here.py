"""What HEAD has of a memory that lives on a branch of its own (FORMAT.md, B1 to B6)."""

from __future__ import annotations

import pytest

from ledger.git.ancestry import lacking
from ledger.home import discover
from memory.cache.here import NOTHING, Settled, Told, here_path, keep, read, settle
from memory.query.open_snapshot import open_snapshot
from memory.replay.here import Here, here_of
from tests.conftest import Repo, Run


@pytest.fixture
def shop(bare_repo: Repo, run: Run) -> Repo:
    """A repository whose memory has a branch of its own, with two decisions of `main`."""
    assert run("init", "--branch", "memory").code == 0
    note(run, "id=api-timeouts decision: All outbound calls time out after 10 s.")
    note(run, "id=queue-mem decision: The queue is kept in memory.")
    return bare_repo


def note(run: Run, text: str) -> None:
    """Record a fact."""
    assert run("note", text).code == 0


def work(shop: Repo, name: str = "more") -> str:
    """Commit something; return its id."""
    shop.write(f"{name}.py", f"{name}\n")
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", name)
    return shop.git("rev-parse", "HEAD").strip()


def branch_off(shop: Repo, run: Run) -> None:
    """Work on `feature/x`: a commit, another text, a successor, a fact; and go back to `main`."""
    shop.git("switch", "-qc", "feature/x")
    work(shop)
    assert (
        run("edit", "api-timeouts", "All outbound calls time out after 5 s.", "--reason", "r").code
        == 0
    )
    ran = run(
        "append", "--title", "Redis", "--new", "id=queue-redis decision: The queue is kept in Redis.",
        "--supersede", "queue-mem=queue-redis",
    )  # fmt: skip
    assert ran.code == 0
    shop.git("switch", "-q", "main")


def seen(shop: Repo) -> Here:
    """Return what is elsewhere, from here."""
    home = discover(str(shop.path))
    return open_snapshot(home).ask(lambda cache: here_of(home, cache))


def said(shop: Repo) -> dict[str, str]:
    """Return the marks by fact."""
    return {id: row.said for id, row in seen(shop).rows.items()}


def test_what_is_elsewhere_is_told_and_what_landed_is_plain(shop: Repo, run: Run) -> None:
    """On `main` three facts are marked, on the branch none, and none once it was merged."""
    branch_off(shop, run)
    marks = {
        "api-timeouts": "feature/x: after 5 s", "queue-redis": "not here yet: feature/x",
        "queue-mem": "feature/x replaces it by queue-redis",
    }  # fmt: skip
    assert said(shop) == marks
    shop.git("switch", "-q", "feature/x")
    assert said(shop) == {}
    shop.git("switch", "-q", "--detach", "main")
    assert said(shop) == marks
    shop.git("switch", "-q", "main")
    work(shop, "beside")
    shop.git("merge", "-q", "--no-ff", "-m", "m", "feature/x")
    assert said(shop) == {}


def test_first_log_on_a_fresh_branch_is_not_here_by_its_parent(shop: Repo, run: Run) -> None:
    """What is recorded before the first commit has the trunk's for its own, and is of the branch."""
    shop.git("switch", "-qc", "feature/x")
    note(run, "id=queue-redis decision: The queue is kept in Redis.")
    shop.git("switch", "-q", "main")
    assert said(shop) == {"queue-redis": "feature/x, not committed yet"}


def test_head_known_spawns_nothing(shop: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is kept by HEAD, also behind logs that were written at this very HEAD."""
    branch_off(shop, run)
    marks = said(shop)
    note(run, "id=uv convention: Use uv, not pip.")
    monkeypatch.setattr("ledger.git.cli.Git.start", None)
    home = discover(str(shop.path))
    snapshot = open_snapshot(home)
    rows = snapshot.ask(lambda cache: here_of(home, cache)).rows
    assert {id: row.said for id, row in rows.items()} == marks


def test_worktrees_two_heads_two_answers(shop: Repo, run: Run) -> None:
    """They share the file, and not the answer."""
    branch_off(shop, run)
    shop.git("worktree", "add", "-q", "../other", "feature/x")
    other = Repo(shop.path.parent / "other")
    assert (len(said(shop)), said(other), len(said(shop))) == (3, {}, 3)
    assert {(one.branch, len(one.facts)) for one in read(discover(str(shop.path))).told} == {
        ("main", 3), ("feature/x", 0),
    }  # fmt: skip


def test_what_landed_is_here_and_what_was_reverted_is_not(shop: Repo, run: Run) -> None:
    """Landings are kept by point, whatever id they have here."""
    branch_off(shop, run)
    point = shop.git("rev-parse", "feature/x").strip()
    squash = work(shop, "squash")
    home = discover(str(shop.path))
    settle(home, {point: Settled(squash, "squash")}, {})
    assert said(shop) == {}
    shop.git("switch", "-qc", "other", "HEAD~1")
    work(shop, "other")
    assert len(said(shop)) == 3
    shop.git("switch", "-q", "main")
    revert = work(shop, "revert")
    settle(home, {point: Settled(squash, "squash", revert, "2026-11-12")}, {})
    assert said(shop)["queue-redis"] == f"reverted by {revert[:7]}, 2026-11-12"


def test_bisect_marks_no_line(shop: Repo, run: Run) -> None:
    """Where HEAD is an ancestor of the trunk nothing is marked, and one line says so."""
    for name in ("one", "two"):
        work(shop, name)
        note(run, f"id=after-{name} decision: The {name} of the parts is done first.")
    shop.git("switch", "-q", "--detach", "HEAD~2")
    here = seen(shop)
    assert (here.rows, here.line) == ({}, "HEAD is 2 commits behind main: 2 facts are newer")


def test_ambiguous_seven_digits_unknown(shop: Repo) -> None:
    """What names several commits, or is no id, is never guessed; what names none is missing."""
    git = discover(str(shop.path)).repository.git()
    head = shop.git("rev-parse", "HEAD").strip()
    found = lacking(git, head, {head[:7], "0" * 40, head[:3], "main"})
    assert found.whole == {head[:7]: head}
    assert (found.outside, found.missing) == (frozenset(), frozenset(["0" * 40]))
    assert found.unknown == {head[:3], "main"}


def test_shallow_says_it_can_not_tell(shop: Repo, run: Run) -> None:
    """Behind the cut of a shallow clone nothing is known to be elsewhere."""
    branch_off(shop, run)
    (shop.path / ".git" / "shallow").write_text(shop.git("rev-parse", "main"))
    shop.git("branch", "-qD", "feature/x")
    shop.git("reflog", "expire", "--expire=now", "--all")
    shop.git("gc", "-q", "--prune=now")
    here = seen(shop)
    home = discover(str(shop.path))
    fact = open_snapshot(home).ask(lambda cache: cache.fact("queue-redis"))
    assert (here.rows, here.said_of(fact)) == ({}, "unknown")


def test_the_file_is_read_as_it_was_written_or_not_at_all(shop: Repo) -> None:
    """Whatever others wrote into it counts for nothing."""
    home = discover(str(shop.path))
    told = Told("a" * 40, "main", "t", "", "g", 7, (("stem", ""),), ("s",), 0, "main", False, ())
    settle(home, {"b" * 40: Settled("c" * 40, "squash")}, {"stem": ""})
    keep(home, told)
    kept = read(home)
    assert (kept.of("a" * 40, "main", "t"), kept.points) == (told, {"stem": ""})
    assert kept.settled == {"b" * 40: Settled("c" * 40, "squash")}
    with open(here_path(home), "ab") as file:
        file.write(b"x")
    assert read(home) == NOTHING
