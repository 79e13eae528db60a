"""The doctor: what it finds on a real machine, what it mends, and what it leaves alone.

Every code has its transcript in `test_findings.py`; here stand the remedies and the conditions of each check.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from ledger.model.ids import blob_id
from ledger.model.log_names import seal
from tests.conftest import NOW_MS, Ran, Repo, Run, as_left, diagonal, laid_once, make_repository

Doctor = Callable[..., Ran]


@laid_once
def repo(repo: Repo, run: Run) -> None:
    """A home that has two logs."""
    assert run("append", "--title", "First", "--new", "id=use-x Use X.").code == 0
    assert run("append", "--title", "Second", "--ref", "use-x").code == 0
    assert run("check", "--publish").code == 0


@pytest.fixture
def doctor(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    """Run `diurna check` with nothing on PATH but git."""
    monkeypatch.setenv("PATH", os.path.dirname(shutil.which("git") or ""))
    return lambda *arguments: run("check", *arguments)


def codes(ran: Ran) -> list[str]:
    """Return the codes of a `--json` answer."""
    return [one["code"] for one in ran.json["findings"]]


def object_file(repo: Repo, spec: str) -> Path:
    """Return where git keeps a loose object."""
    oid = repo.git("rev-parse", spec).strip()
    return repo.path / ".git/objects" / oid[:2] / oid[2:]


def log_paths(repo: Repo) -> list[str]:
    """List the committed logs, oldest first."""
    return repo.git("ls-tree", "-r", "--name-only", "HEAD", "memory/sessions").split()


def old(path: Path) -> Path:
    """Make a lock file that nobody has touched for an hour."""
    path.touch()
    os.utime(path, (time.time() - 3600,) * 2)
    return path


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no git be at work on this machine, whatever runs beside the test."""
    monkeypatch.setattr("ledger.wal.git_locks._git_commands", lambda: iter(()))


@pytest.mark.parametrize("kind", ["in-tree", "branch", "own", "bare"])
def test_every_kind_of_home_is_in_order(
    kind: str, bare_repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has nothing wrong when it is new, deep as well; and then nothing is changed."""
    monkeypatch.setenv("PATH", os.path.dirname(shutil.which("git") or ""))
    where = bare_repo.path
    if kind in ("in-tree", "branch"):
        run("init", "--branch" if kind == "branch" else "--folder", "memory")
    else:
        where = tmp_path / "team"
        run("init", str(where))
    assert run("append", "--home", str(where), "--title", "First").code == 0
    if kind == "bare":
        where = tmp_path / "team.git"
        subprocess.run(["git", "clone", "-q", "--bare", tmp_path / "team", where], check=True)
    before = bare_repo.shape()
    found = run("check", "--deep", "--fix", "--home", str(where))
    assert (found.code, found.out, found.err) == (0, "all in order\n", "")
    if kind == "in-tree":
        answer = run("check", "--json").json
        assert answer.pop("home")["kind"] == kind
        assert answer == {
            "format": 1, "ok": True, "findings": [], "plan": [], "done": [],
            "failed": [], "dry_run": False,
        }  # fmt: skip
    assert bare_repo.shape() == before


def test_locks_of_nobody_are_moved_aside_and_live_ones_stay(
    doctor: Doctor, repo: Repo, quiet: None
) -> None:
    """fault:B5 to fault:B7: what is old and open nowhere goes aside and is noted; a held one and a fresh one stay."""
    git = repo.path / ".git"
    left = [git / name for name in ("index.lock", "packed-refs.lock", "refs/heads/main.lock")]
    for path in left:
        old(path)
    held, fresh = old(git / "config.lock"), git / "HEAD.lock"
    fresh.touch()
    with held.open() as opened:
        plan = doctor("--fix", "--dry-run")
        assert plan.out.count("would move ") == 3
        assert all(path.exists() for path in left)
        done = doctor("--fix", "--json")
        assert opened.fileno() >= 0
    assert codes(done) == []
    assert len(done.json["done"]) == 3
    assert done.code == 0
    assert [path.exists() for path in (*left, held, fresh)] == [False] * 3 + [True] * 2
    assert len(list((git / "diurna/stale").iterdir())) == 3
    assert "packed-refs.lock belonged to nobody" in (git / "diurna/journal.log").read_text()


def test_a_git_at_work_owns_the_locks_of_its_repository(doctor: Doctor, repo: Repo) -> None:
    """A git that waits for an editor holds the index lock without having it open."""
    lock = old(repo.path / ".git/index.lock")
    argv = ["git", "cat-file", "--batch"]
    with subprocess.Popen(argv, cwd=repo.path, stdin=subprocess.PIPE) as other:
        assert codes(doctor("--fix", "--json")) == []
        assert other.stdin is not None
        other.stdin.close()
    assert lock.exists()


def test_a_lock_that_found_an_owner_between_plan_and_treatment_stays(
    doctor: Doctor, repo: Repo, quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked at again right before it is moved, and the answer says that it was not."""
    lock = old(repo.path / ".git/index.lock")
    looks = cycle((True, False, True))  # noticed; before it is moved; noticed again
    for module in ("rituals.check.clone_checks", "ledger.wal.git_locks"):
        monkeypatch.setattr(f"{module}.is_left", lambda *_: next(looks))
    done = doctor("--fix", "--json")
    assert done.code == 1
    assert [one["message"] for one in done.json["failed"]] == [f"{lock} has an owner by now"]
    assert "not done: " in doctor("--fix").out
    assert lock.exists()


@pytest.mark.parametrize(
    ("what", "source"),
    diagonal(["gone", "empty", "short"], ["spool", "work tree", "remote", "old remote", "nobody"]),
)
def test_a_log_that_git_lost_is_written_again(
    doctor: Doctor, repo: Repo, run: Run, tmp_path: Path, what: str, source: str
) -> None:
    """fault:A15, fault:A16: named with its object, and brought back from whatever has the same bytes."""
    path = log_paths(repo)[0]
    data = (repo.path / path).read_bytes()
    state = repo.path / ".git/diurna"
    if "remote" in source:
        repo.git("clone", "-q", "--bare", f"file://{repo.path}", str(tmp_path / "team.git"))
        repo.git("remote", "add", "origin", os.path.relpath(tmp_path / "team.git", repo.path))
    if source == "old remote":  # of which a branch can be asked alone
        repo.git("config", "--global", "protocol.version", "0")
    if source != "spool":
        shutil.rmtree(state / "spool")
    if "remote" in source or source == "nobody":
        repo.git("update-index", "--skip-worktree", path)
        (repo.path / path).unlink()
    file = object_file(repo, f"HEAD:{path}")
    file.chmod(0o644)
    whole = file.read_bytes()
    file.unlink() if what == "gone" else file.write_bytes(whole[:-9] if what == "short" else b"")
    deep = ("--deep",) if what == "short" else ()
    found = doctor("--json", *deep)
    assert found.code == 1
    assert set(codes(found)) <= {"unreadable", "object-lost", "unknown-id"}
    assert blob_id(data)[:12] in found.out
    done = doctor("--fix", "--json", *deep)
    if source == "nobody":
        assert done.code == 1
        assert done.json["done"] == []
        assert "rm " not in done.out
        return
    assert (done.code, codes(done)) == (0, []), done.out
    assert len(done.json["done"]) == 1
    assert repo.git("cat-file", "blob", f"HEAD:{path}").encode() == data
    assert repo.git("status", "--porcelain") == ""
    if what != "gone":
        assert len(list((state / "stale").iterdir())) == 1, "the damaged file was kept"


def test_a_tip_that_nobody_can_make_again_is_named(doctor: Doctor, repo: Repo) -> None:
    """One finding for the cause, none for its consequences; and nothing is moved or dropped."""
    tip = repo.git("rev-parse", "HEAD").strip()
    object_file(repo, tip).unlink()
    (repo.path / ".git/diurna/spool/kept/commits").unlink()
    for _ in range(2):
        found = doctor("--fix", "--json")
        assert (found.code, codes(found)) == (1, ["unreadable"])
        assert tip in found.json["findings"][0]["message"]
    assert (repo.path / ".git/refs/heads/main").read_text().strip() == tip


def test_what_waits_is_committed_here_and_in_homes_beside(doctor: Doctor, repo: Repo) -> None:
    """The spool of this home is drained, and that of a branch that is a home, too."""
    first = repo.path / log_paths(repo)[0]
    waits = first.read_bytes().replace(b"# First", b"# Waits")
    (repo.path / ".git/diurna/spool" / seal("2026-11-21-083012417", waits)).write_bytes(waits)
    repo.git("checkout", "-q", "--detach")
    detached = doctor("--fix", "--json")
    assert detached.code == 1
    assert "HEAD is detached" in detached.json["failed"][0]["message"]
    repo.git("checkout", "-q", "main")
    tree = repo.git("rev-parse", "HEAD:memory").strip()
    made = repo.git("commit-tree", "-m", "a home", tree).strip()
    repo.git("branch", "else", made)
    text = first.read_bytes().replace(b"# First", b"# Else")
    stem = seal("2026-11-20-101500000", text)
    beside = repo.path / ".git/diurna/spool@else" / stem
    beside.parent.mkdir()
    beside.write_bytes(text)
    found = doctor("--json")
    assert codes(found) == ["spool-leftover", "spool-waiting"]
    done = doctor("--fix", "--json")
    assert (done.code, codes(done)) == (0, [])
    assert done.json["done"][-1:] == ["commit what waits for the home on else (1)"]
    assert stem in repo.git("ls-tree", "-r", "--name-only", "else")
    assert len(log_paths(repo)) == 3


def test_line_ends_that_git_would_change(doctor: Doctor, repo: Repo) -> None:
    """Settings like core.autocrlf are no danger while `-text` is in force, and one when it is not."""
    repo.git("config", "core.autocrlf", "true")
    assert codes(doctor("--json")) == []
    attributes = repo.path / "memory/.gitattributes"
    attributes.write_text(attributes.read_text().replace("-text", ""))
    (found,) = doctor("--json").json["findings"]
    assert found["code"] == "attributes-missing"


@pytest.mark.parametrize("taken", ["attributes", "driver", "both"])
def test_the_driver_of_this_clone_is_set_again(doctor: Doctor, repo: Repo, taken: str) -> None:
    """Only what is missing; the user's own lines stay."""
    attributes = repo.path / ".git/info/attributes"
    lines = attributes.read_text()
    driver = repo.git("config", "merge.diurna-ours.driver")
    if taken != "driver":
        attributes.write_text("*.png binary\n")
    if taken != "attributes":
        repo.git("config", "--remove-section", "merge.diurna-ours")
    assert codes(doctor("--json")) == ["attributes-missing"]
    done = doctor("--fix", "--json")
    assert (codes(done), len(done.json["done"])) == ([], 1)
    assert attributes.read_text() == (lines if taken == "driver" else "*.png binary\n" + lines)
    assert repo.git("config", "merge.diurna-ours.driver") == driver


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("memory/sessions/** filter=lfs", "filter=lfs"),
        ("/memory/continuity.md merge=union", "merge=union"),
        ("*.md ident", "ident=set"),
        ("*.md working-tree-encoding=UTF-16", "working-tree-encoding=UTF-16"),
        ("*.py merge=union filter=lfs", ""),
        ("*.md diff=markdown", ""),
    ],
)
def test_attributes_of_others(doctor: Doctor, repo: Repo, line: str, said: str) -> None:
    """fault:H14: those that act on the home's files are told, with what they do."""
    with (repo.path / ".git/info/attributes").open("a") as file:
        file.write(line + "\n")
    found = doctor("--json")
    assert codes(found) == (["merge-attribute"] if said else [])
    assert said in found.out


def test_what_a_reader_makes_is_its_owners(repo: Repo, run: Run) -> None:
    """fault:L15: also where the cache is the first thing that Diurna keeps in a clone."""
    shutil.rmtree(repo.path / ".git/diurna")
    assert run("show").code == 0
    for name in ("diurna", "diurna/cache"):
        assert (repo.path / ".git" / name).stat().st_mode & 0o777 == 0o700


def test_an_index_that_says_something_else_is_rebuilt(doctor: Doctor, repo: Repo, run: Run) -> None:
    """fault:M5: what recall finds is compared with the ledger too, where it was asked before."""
    import sqlite3

    def found() -> list[str]:
        return [hit["id"] for hit in run("recall", "use", "--json").json["hits"]]

    before = found()
    assert before
    assert codes(doctor("--json", "--deep")) == []
    files = (repo.path / ".git/diurna/cache").glob("*.recall")
    (file,) = [one for one in files if not one.name.endswith(".docs.recall")]
    with sqlite3.connect(file) as index:
        index.execute("UPDATE logs SET agent = 'somebody else'")
    index.close()
    as_left(file)
    assert codes(doctor("--json", "--deep")) == ["cache-differs"]
    assert codes(doctor("--fix", "--deep", "--json")) == []
    assert not file.exists()
    assert found() == before
    with sqlite3.connect(file) as index:
        index.execute("INSERT INTO recent(rowid, text, parts) VALUES (7, 'zebra', '')")
    index.close()
    as_left(file)
    assert codes(doctor("--json", "--deep")) == ["cache-differs"]


def test_a_cache_that_says_something_else_is_rebuilt(doctor: Doctor, repo: Repo, run: Run) -> None:
    """fault:M5: found by `--deep` alone, and the ledger wins."""
    repo.publish_when("review")
    assert "Use X." in run("show").out
    import sqlite3

    (file,) = (repo.path / ".git/diurna/cache").glob("*.sqlite")
    with sqlite3.connect(file) as cache:
        cache.execute("DELETE FROM facts")
    cache.close()
    as_left(file)
    assert codes(doctor("--json")) == []
    assert codes(doctor("--json", "--deep")) == ["cache-differs"]
    assert "Use X." not in run("show").out
    assert codes(doctor("--fix", "--deep", "--json")) == []
    assert "Use X." in run("show").out


def test_logs_that_no_remote_has_for_a_week(
    doctor: Doctor, repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a remote that is normal; with one, by what its branch was last seen to have."""
    week = 8 * 86_400_000
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS + week))
    assert codes(doctor("--json")) == []
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "team.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "team.git"))
    assert codes(doctor("--json")) == ["not-pushed"]
    repo.git("fetch", "-q", "origin")
    assert codes(doctor("--json")) == []
    assert run("append", "--title", "Third").code == 0
    assert codes(doctor("--json")) == []
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS + 2 * week))
    (found,) = doctor("--json").json["findings"]
    assert found["message"].startswith("1 log of more than a week ago is not in origin/main")


def test_a_clock_that_is_far_behind(
    doctor: Doctor, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fault:F2: behind logs of this branch, as a check of the ledger alone names them."""
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS - 2 * 86_400_000))
    found = doctor("--json").json["findings"]
    assert {one["code"] for one in found} == {"clock-ahead"}
    assert run("check", "--ci", "--json").json["findings"] == found


def test_a_shallow_clone_is_told(doctor: Doctor, repo: Repo, tmp_path: Path) -> None:
    """Reading works there; provenance ends where it begins."""
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "clone"))
    found = doctor("--json", "--home", str(tmp_path / "clone"))
    assert "history-cut" in codes(found)
    assert found.code == 0


def test_a_repository_that_is_not_supported_is_told_with_all_that_can_be_looked_at(
    doctor: Doctor, repo: Repo
) -> None:
    """An unknown extension ends in a finding, not in a failure."""
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.refStorage", "reftable")
    found = doctor("--fix", "--json")
    assert (found.code, codes(found)) == (1, ["unsupported-repository"])
    assert "reftable" in found.out


def test_no_git_at_all_is_a_finding(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every check that needs git says that it could not be made; the rest is looked at."""
    monkeypatch.setenv("PATH", str(tmp_path))
    found = doctor("--json")
    assert found.code == 1
    assert codes(found)[0] == "git-unusable"
    assert set(codes(found)) == {"git-unusable", "check-failed"}
    assert "install git 2.30 or newer" in found.out


def test_a_broken_check_hides_no_other(doctor: Doctor, repo: Repo, quiet: None) -> None:
    """A repository with several wounds: each is told, and what is safe is mended."""
    old(repo.path / ".git/index.lock")
    object_file(repo, "HEAD").unlink()
    (repo.path / ".git/diurna/cache").write_text("a file where a folder goes")
    found = doctor("--json")
    assert codes(found) == ["object-lost", "lock-left"]
    done = doctor("--fix", "--json")
    assert (done.code, codes(done)) == (0, []), done.out
    assert len(done.json["done"]) == 2


def test_outside_of_any_repository(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine is looked at, and there is no home."""
    monkeypatch.setenv("PATH", os.path.dirname(shutil.which("git") or ""))
    monkeypatch.chdir(tmp_path)
    found = run("check", "--json")
    assert (found.code, codes(found)) == (0, ["no-home"])
    make_repository(tmp_path / "plain")
    assert codes(run("check", "--json", "--home", str(tmp_path / "plain"))) == ["no-home"]


@pytest.mark.parametrize(("version", "old"), [("2.9.0", True), ("2.39.5.windows.1", False)])
def test_versions_are_compared_as_numbers(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, old: bool
) -> None:
    """Also those with words behind them."""
    git = tmp_path / "programs" / "git"
    git.parent.mkdir()
    whole = f'[ "$*" != "${{*%version}}" ] && echo "git version {version}" || exec "{shutil.which("git")}" "$@"'
    git.write_text(f"#!/bin/sh\n{whole}\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
    assert codes(doctor("--json")) == ["git-unusable"] * old
