"""Lint: what stands in logs and projections, edits that no log declares, and the formats of the answer."""

from __future__ import annotations

import pytest

from ledger.home import discover
from ledger.model.finding_codes import Finding
from memory.api import Memory
from projection.policy.policy_keys import GONE
from rituals.check.check_registry import LINT, made
from rituals.check.linted_files import lint_files, text_findings
from rituals.cli.commands.check import annotation
from tests.conftest import Repo, Run, each_row
from tests.planted_secrets import ALNUM, Draw, others, tokens

TOKEN = "ghp_" + Draw(11).some(ALNUM, 36)
FOREIGN = "memory/sessions/2026-07-01-101500.md"


def linted(repo: Repo) -> list[tuple[str, str, int]]:
    """Lint the home in memory/; return code, file and line of what is found."""
    memory = Memory(discover(str(repo.path)))
    try:
        return [(one.code, one.file, one.line) for one in made(memory, LINT)]
    finally:
        memory.close()


def commit(repo: Repo) -> None:
    """Commit everything, as a user does."""
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "by hand")


def test_policy_keeps_lint_silent_about_people(repo: Repo, run: Run) -> None:
    """`personal = "keep"` silences home folders and addresses, and no secret."""
    policy = repo.path / "memory/diurna.toml"
    policy.write_text(policy.read_text().replace('"warn"', '"keep"'))
    repo.write(FOREIGN, f"# T\n\ntoken {TOKEN}\nin /home/alice/shop\n")
    commit(repo)
    assert run("check", "--publish").code == 0
    assert linted(repo) == [("secret-found", FOREIGN.removeprefix("memory/"), 3)]


def test_uncommitted_logs_and_edits_are_looked_at(repo: Repo, run: Run) -> None:
    """What waits in the work tree for a commit is read there."""
    run("append", "--new", "id=a One.")
    run("check", "--publish")
    file = "sessions/2026-07-01-101500.md"
    repo.write(f"memory/{file}", f"# T\n\n{TOKEN}\n")
    continuity = repo.path / "memory/continuity.md"
    continuity.write_text(continuity.read_text().replace("One.", f"One {TOKEN}."))
    found = linted(repo)
    assert ("secret-found", file, 3) in found
    assert ("log-uncommitted", file, 0) in found
    line = continuity.read_text().split("\n").index(f"- One {TOKEN}.") + 1
    assert ("secret-found", "continuity.md", line) in found
    assert ("undeclared-edit", "continuity.md", line + 1) in found
    assert "hand-edited" not in [code for code, _, _ in found]


def test_a_committed_edit_is_undeclared_too(repo: Repo, run: Run) -> None:
    """An edit that was committed without a log shows in a fresh clone; absorbing it declares it."""
    run("append", "--new", "id=a One.", "--new", "thread: id=b Two?")
    run("check", "--publish")
    continuity = repo.path / "memory/continuity.md"
    continuity.write_text(continuity.read_text().replace("[ ] Two", "[x] Two"))
    commit(repo)
    assert [code for code, _, _ in linted(repo)] == ["drift", "undeclared-edit"]
    assert run("check", "--absorb").code == 0
    assert run("check", "--publish").code == 0
    assert linted(repo) == []


def test_an_edit_that_is_not_understood_is_passed_on(repo: Repo, run: Run) -> None:
    """What `absorb` would stop at is said in its words."""
    run("append", "--new", "id=a One.")
    run("check", "--publish")
    continuity = repo.path / "memory/continuity.md"
    continuity.write_text(continuity.read_text().replace("- Sessions: 1", "- Sessions: 9"))
    found = linted(repo)
    assert {file for _, file, _ in found} == {"continuity.md"}
    assert "undeclared-edit" not in [code for code, _, _ in found]
    assert any(line for _, _, line in found)


def test_own_branch_homes_are_linted(bare_repo: Repo, run: Run) -> None:
    """A home that is never checked out is read from its branch; the mirror's edit is undeclared."""
    assert run("init", "--branch", "memory").code == 0
    run("append", "--new", "id=a One.")
    run("check", "--publish")
    mirror = bare_repo.path / ".memory/continuity.md"
    mirror.write_text(mirror.read_text().replace("One.", f"One {TOKEN}."))
    codes = linted(bare_repo)
    assert ("undeclared-edit", ".memory/continuity.md", 12) in codes or any(
        code == "undeclared-edit" and file == ".memory/continuity.md" for code, file, _ in codes
    )
    assert any(code == "secret-found" for code, _, _ in codes)


def test_files_are_checked_by_themselves() -> None:
    """Drafts are read as an append would, logs as a replay does, projections for their texts alone."""
    draft = b"# T\n\n## Memory References\n\n- Touched: a\n"
    boxed = b"# T\n\n## Memory References\n\n- Created: a\n\n## Facts\n\n- [ ] A.\n  <!-- id: a | kind: fact -->\n"
    foreign = "sessions/2026-07-01-101500.md"
    sealed = "sessions/2026-11/21/2026-11-21-083012417-000000000000.md"
    log = b"---\nagent: a\nended: 2026-11-21T08:30:12.417Z\n---\n# T\n"

    def codes(path: str, data: bytes) -> list[str]:
        return [one.code for one in lint_files([(path, data)], "warn")]

    assert codes("draft.md", draft) == ["unknown-verb"]
    assert codes("draft.md", boxed) == ["bad-event"]
    assert codes(foreign, draft) == codes(foreign, boxed) == []
    assert codes(sealed, log) == ["seal-broken"]
    assert codes("memory/continuity.md", b"# anything\n") == []
    assert codes("memory/archive/2026-Q1.md", f"- {TOKEN}\n".encode()) == ["secret-found"]
    assert codes("draft.md", b"# T\n\n" + TOKEN.encode() + b"\n") == ["secret-found"]


@each_row(
    "path, code",
    [
        ("draft.md", "conflict-marker"),
        ("sessions/2026-07-01-101500.md", "conflict-marker"),
        ("memory/continuity.md", "conflict-in-projection"),
        ("memory/archive/2026-Q1.md", "conflict-in-projection"),
        ("memory/diurna.toml", "conflict-marker"),
    ],
)
@each_row(
    "left",
    [
        "<<<<<<< ours\na = 1\n=======\nb = 2\n>>>>>>> theirs\n",
        "<<<<<<< ours\na = 1\n||||||| base\nc = 3\n=======\nb = 2\n>>>>>>> theirs\n",
        "a = 1\n||||||| base\n",
    ],
)
def test_one_file_with_conflict_markers_is_an_error(path: str, code: str, left: str) -> None:
    """Also what one line of a merge was left in, and in every kind of file; told once in a log."""
    found = [one for one in lint_files([(path, left.encode())], "warn") if one.code == code]
    assert found
    assert {(one.severity, one.file) for one in found} == {("error", path)}
    assert len(found) == 1 or code == "conflict-in-projection"


def test_no_finding_holds_a_value() -> None:
    """Whatever the secret: neither finding nor annotation has it."""
    for one in tokens(9) + others(9):
        found = text_findings("a.md", one.text.encode(), "warn")
        assert found, one.kind
        said = [repr(found), *(annotation(f, "") for f in found)]
        assert all(one.value not in text for text in said), one.kind


def test_a_line_says_a_rule_once() -> None:
    """Two tokens of one kind on one line are one finding; on two lines they are two."""
    second = "ghp_" + Draw(12).some(ALNUM, 36)
    assert len(text_findings("a", f"{TOKEN} {second}".encode(), "warn")) == 1
    assert len(text_findings("a", f"{TOKEN}\n{second}".encode(), "warn")) == 2


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        (
            Finding("drift", "50% off\nreally", "a,b:c.md", 3, "do it"),
            "::warning file=memory/a%2Cb%3Ac.md,line=3,title=diurna drift::"
            "50%25 off%0Areally%0Ahint: do it",
        ),
        (Finding("log-deleted", "gone", "x.md"),
         "::error file=memory/x.md,title=diurna log-deleted::gone"),
        (Finding("unsigned", "a\r::error::b"), "::notice title=diurna unsigned::a%0D::error::b"),
    ],
)  # fmt: skip
def test_annotations_are_escaped(finding: Finding, said: str) -> None:
    """No text of a finding can end its command or begin another."""
    assert annotation(finding, "memory/") == said


def test_a_key_of_the_policy_that_is_gone_is_named(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its line, at the tip and in a file that is checked alone; all else of the file counts."""
    monkeypatch.setitem(GONE, ("letters",), "write an issue")
    path = repo.path / "memory/diurna.toml"
    path.write_text(path.read_text() + "[letters]\naccept = true\n")
    assert "policy-deprecated" not in run("check", "--ci").out
    commit(repo)
    for words in (("check", "--ci"), ("check", "memory/diurna.toml")):
        ran = run(*words)
        assert ran.code == 0
        line = path.read_text().count("\n") - 1
        assert f"diurna.toml:{line}: `letters` means nothing any more" in ran.err
        assert "take the line out: write an issue" in ran.err
