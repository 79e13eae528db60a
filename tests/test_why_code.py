"""`diurna why FILE:LINE`, `FILE` and `COMMIT`: what is linked, and what can not be told."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.conftest import NOW_MS, Repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Ran, Run

_HOUR = 3600
#: Far from all commits: near in time is no link, but it would put others first.
_LONG_BEFORE_MS = NOW_MS - 90 * 24 * 3_600_000


@pytest.fixture
def code(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> Code:
    """A repository with a home and, long before, a decision that has the words of a later commit."""
    found = Code(repo, run, monkeypatch)
    found.at(_LONG_BEFORE_MS)
    found.note(
        "id=queue-limit decision: The queue is limited to ten jobs, and a full queue refuses."
    )
    found.at(NOW_MS)
    return found


class Code:
    """Commits of code, and sessions around them."""

    def __init__(self, repo: Repo, run: Run, patch: pytest.MonkeyPatch) -> None:
        self.repo, self.run, self._patch, self._ms = repo, run, patch, NOW_MS

    def at(self, ms: int) -> None:
        """Let it be that time."""
        self._ms = ms
        self._patch.setenv("DIURNA_NOW", str(ms))

    def commit(self, subject: str, **files: str) -> str:
        """Commit files of these names, an hour later each time; return the whole id."""
        self.at(self._ms + _HOUR * 1000)
        for name, text in files.items():
            self.repo.write(f"src/{name}.py", text)
        self.repo.git("add", "src")
        when = f"{self._ms // 1000} +0000"
        self._patch.setenv("GIT_AUTHOR_DATE", when)
        self._patch.setenv("GIT_COMMITTER_DATE", when)
        self.repo.git("commit", "-q", "-m", subject)
        return self.repo.git("rev-parse", "HEAD").strip()

    def note(self, *lines: str) -> None:
        """Record a session a minute later."""
        self.at(self._ms + 60_000)
        assert self.run("note", *lines).code == 0

    def why(self, asked: str) -> Ran:
        """Ask, for scripts."""
        return self.run("why", asked, "--json")


def ids(ran: Ran, key: str) -> list[str]:
    """Return the ids of one list of an answer."""
    return [one["id"] for one in ran.json[key]]


def test_a_line_tells_its_commit_its_session_and_what_that_decided(code: Code) -> None:
    """Decisions, failed attempts and findings, the strongest link first; what became of them in place."""
    code.commit("Start", queue="one\ntwo\n")
    mine = code.commit("Route by regions (#7)", queue="one\nroute(region)\n")
    new = (
        "id=by-region decision: Routing goes by region, and one of a list is taken.",
        "id=by-hash outcome=failed attempt: Routing by hash.", "id=old-way decision: Routing is random.",
    )  # fmt: skip
    given = [word for one in new for word in ("--new", one)]
    assert code.run("append", "--title", "Routing", "--body", f"See {mine}.", *given).code == 0
    code.note("id=new-way decision: Routing is never random.")
    assert (
        code.run("forget", "old-way", "--replaced-by", "new-way", "--reason", "Unfair.").code == 0
    )
    ran = code.run("why", "src/queue.py:2")
    first, *rest = ran.out.splitlines()
    assert (ran.code, first.split("  ")[:2]) == (0, ["src/queue.py:2", mine[:7]])
    assert first.endswith('"Route by regions (#7)"')
    said = {line.split()[1]: line for line in rest}
    assert said["by-region"].startswith("decision ") and said["by-region"].endswith("by session")
    assert said["by-hash"].startswith("tried ") and "  failed: Routing by hash." in said["by-hash"]
    assert "superseded by new-way" in said["old-way"]
    found = code.why("src/queue.py:2").json
    assert (found["path"], found["line"], found["text"]) == ("src/queue.py", 2, "route(region)")
    assert [one["commit"] for one in found["commits"]] == [mine]
    assert found["commits"][0]["lines"] == [[2, 2]]
    assert "by-region" in [one["id"] for one in found["decisions"]]
    assert found["sessions"][0]["by"] == ["names it"]


@pytest.mark.parametrize("asked", ["src/queue.py:1", "src/queue.py", "COMMIT", "HEAD", "main"])
def test_words_alone_are_no_reason(code: Code, asked: str) -> None:
    """What has all words of a commit and no link with it is no decision."""
    commit = code.commit(
        "The queue is limited to ten jobs: a full queue refuses", queue="limit = 10\n"
    )
    asked = commit if asked == "COMMIT" else asked
    assert ids(code.why(asked), "decisions") == []
    ran = code.run("why", asked)
    assert "\ndecision" not in ran.out and ran.err == "no decision is linked with it\n"


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Rework", "The commit {commit} took the lock out."),
        ("Rework", "The lock went with {short}."),
        ("Lock (#41)", "The lock is gone, see #41."),
        ("Rework", "Nothing locks in src/queue.py any more."),
        ("Rework", "Nothing locks in queue.py any more."),
    ],
)
def test_a_text_that_names_it_is_linked(code: Code, subject: str, text: str) -> None:
    """By the commit, whole or its beginning, by its pull request, and by the file; however late it was said."""
    commit = code.commit(subject, queue="one\n")
    code.at(NOW_MS + 200 * 24 * 3_600_000)
    code.commit("Much later", other="two\n")
    code.note(f"id=lock decision: {text.format(commit=commit, short=commit[:8])}")
    assert ids(code.why("src/queue.py:1"), "decisions") == ["lock"]
    code.note(f"id=other decision: {text.format(commit='f' * 40, short='fffffff1').replace('41', '410').replace('queue', 'a')}")  # fmt: skip
    assert "other" not in ids(code.why("src/queue.py:1"), "decisions")


@pytest.mark.parametrize(
    ("said", "by", "days"),
    [
        ("All of 41 jobs ran, and {another} failed.", "", 200),
        ("It is #41.", "names it", 200),
        ("- 2026-05-01 10:00 git commit: Queues are grey and long", "tells of the commit", -60),
        ("- git commit: Queues are grey", "", -60),
    ],
)
def test_what_the_words_of_a_log_name(code: Code, said: str, by: str, days: int) -> None:
    """`41 jobs` is not `#41`, an id goes on behind its beginning; a squash gives a commit another id, and a number."""
    code.commit("Start", other="zero\n")
    commit = code.commit("Queues are grey and long (#41)", queue="one\n")
    code.at(NOW_MS + days * 24 * 3_600_000)
    code.commit("Much later", other="two\n")
    body = said.format(another=commit[:8] + ("1" if commit[8] == "0" else "0"))
    new = ("--new", "id=grey decision: Cats are grey.", "--body", body)
    assert code.run("append", "--title", "On a branch", *new).code == 0
    found = code.why("src/queue.py:1")
    assert ("grey" in ids(found, "decisions")) == bool(by)
    assert [one["by"] for one in found.json["sessions"]] == [[by]] * bool(by)


def test_what_is_withheld_is_no_reason(code: Code) -> None:
    """Neither a redacted fact, nor the title of a log that said it."""
    code.commit("Start", queue="one\n")
    code.note(
        "id=secret decision: The customer in src/queue.py is Quince and Sons.",
        "id=other decision: Cats in src/queue.py are grey.",
    )
    assert "secret" in ids(code.why("src/queue.py:1"), "decisions")
    assert code.run("redact", "secret", "--reason", "It names a customer.").code == 0
    for asked in ("src/queue.py:1", "src/queue.py"):
        assert "Quince" not in code.why(asked).out + code.run("why", asked).out
        assert ids(code.why(asked), "decisions") == ["other"]


def test_a_session_of_a_branch_is_behind_the_commit_that_brought_its_work(code: Code) -> None:
    """However long after it was squashed: `Landed` says by which commit."""
    code.note("id=squashed decision: Cats are grey.")
    stem = code.run("log", "--json").json["sessions"][0]["stem"]
    code.at(NOW_MS + 90 * 24 * 3_600_000)
    landing = code.commit("All of the branch", queue="one\n")
    assert "squashed" not in ids(code.why(landing), "decisions")
    said = f"---\ntype: edit\n---\n# Landed\n\n## Memory References\n\n- Landed: {stem} → {landing} (squash)\n"
    assert code.run("append", "-", stdin=said.encode()).code == 0
    found = code.why("src/queue.py:1")
    assert ids(found, "decisions") == ["squashed"]
    assert found.json["sessions"][0]["by"][0] == "landed with the commit"


def test_why_honours_ignore_revs(code: Code) -> None:
    """A commit of `blame.ignoreRevsFile` wrote no line; a list that is not there stops nothing."""
    mine = code.commit("Say one", queue="one = 1\n")
    other = code.commit("Format", queue="one  =  (1)\n")

    def said() -> list[str]:
        return [one["commit"] for one in code.why("src/queue.py:1").json["commits"]]

    assert said() == [other]
    code.repo.write("ignored", f"{other}\n")
    code.repo.git("config", "blame.ignoreRevsFile", "ignored")
    assert said() == [mine]
    code.repo.git("config", "blame.ignoreRevsFile", "gone")
    assert said() == [other]


def test_what_is_not_committed_says_so(code: Code) -> None:
    """An edited line, and one line among others that are committed."""
    commit = code.commit("Start", queue="one\ntwo\n")
    code.repo.write("src/queue.py", "one\nthree\n")
    found = code.why("src/queue.py:2").json
    assert (found["uncommitted"], found["commits"]) == ([[2, 2]], [])
    assert "not committed yet" in code.run("why", "src/queue.py:2").out
    found = code.why("src/queue.py").json
    assert found["uncommitted"] == [[2, 2]] and found["commits"][0]["commit"] == commit
    (code.repo.path / "src" / "queue.py").unlink()
    assert code.why("src/queue.py:1").json["commits"][0]["commit"] == commit  # as HEAD has it


def test_a_shallow_clone_says_where_its_history_ends(
    code: Code, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the oldest commit here has may be of an earlier one."""
    code.commit("Start", queue="one\n")
    last = code.commit("More", other="two\n")
    shallow = tmp_path / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", f"file://{code.repo.path}", str(shallow)], check=True
    )
    monkeypatch.chdir(shallow)
    ran = run("why", "src/queue.py:1", "--json")
    assert [(one["commit"], one["cut"]) for one in ran.json["commits"]] == [(last, True)]
    ran = run("why", "src/queue.py:1")
    assert f"this clone's history is cut at {last[:7]}" in ran.out


def test_a_fact_wins_over_a_file_of_its_name(code: Code) -> None:
    """Whole, or the one that begins so; where several begin so, the file is meant."""
    for name in ("queue", "que"):
        code.repo.write(name, "a\n")
    code.repo.git("add", "queue", "que")
    code.repo.git("commit", "-qm", "Two files")
    assert code.why("queue").json["id"] == "queue-limit"
    code.note("id=queue decision: It has a name.")
    assert code.why("queue").json["id"] == "queue"
    assert code.why("que").json["path"] == "que"


@pytest.mark.parametrize(
    "text", ["Cats are grey.", "Step 1 took long.", "src/other.py is long.", "<b>src</b>"]
)
@pytest.mark.parametrize("asked", ["src/queue.py:1", "src/queue.py", "COMMIT"])
def test_that_head_stood_there_is_no_reason(code: Code, text: str, asked: str) -> None:
    """Whoever takes notes after committing: they may have to do with it, and that is all."""
    commit = code.commit("Step 1 of many", queue="1\n")
    asked = commit if asked == "COMMIT" else asked
    code.note(f"id=noted decision: {text}")
    found = code.why(asked)
    assert (ids(found, "decisions"), found.json["sessions"]) == ([], [])
    code.note("id=other decision: It is so.", f"id=queue decision: src/queue.py: {text}")
    assert "other" not in ids(code.why(asked), "decisions")
