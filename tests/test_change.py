"""`diurna check --diff`: what memory has on a change of the code, and where it is silent."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.campaigns.forks import put_program
from tests.conftest import Repo, Run
from tests.pages import ROOT

GONE, BREAKS = "change-gone", "change-breaks"
ACTION = ROOT / ".github" / "actions" / "change"


BASE = {
    "src/legacy.py": "print('mail')\n",
    "src/sessions/kept.py": "print('kept')\n",
    "src/rest/sessions.py": "print('rest')\n",
    "lib/old_name.py": "".join(f"step_{n} = {n}\n" for n in range(20)),
    "src/bench.py": "class QueueBenchmark:\n    pass\n\n\nclass StaysHere:\n    pass\n",
    "gen/schema.py": "A = 1\n",
    "package.json": '{"scripts": {"e2e": "x", "lint": "y"}, "dependencies": {"react": "^17.0.2", "zod": "3"}}\n',
    "ship.sh": "uv sync\n",
}  # fmt: skip
CHANGE: dict[str, str | None] = {
    "src/legacy.py": None,
    "src/sessions/kept.py": None,
    "lib/old_name.py": None,
    "lib/new_name.py": BASE["lib/old_name.py"],
    "src/bench.py": "class StaysHere:\n    pass\n",
    "gen/schema.py": "A = 2\n",
    "package.json": '{"scripts": {"lint": "y"}, "dependencies": {"react": "^19.1.0", "zod": "3"}}\n',
    "ship.sh": "uv sync\n# never pip here\npip install requests\n",
}  # fmt: skip


class Row(NamedTuple):
    """A fact, and the code by which it is told; "" where the change has nothing to do with it."""

    text: str
    code: str = ""


FACTS: dict[str, Row] = {
    "file": Row("Mail goes out through `src/legacy.py`.", GONE),
    "open": Row("thread: Who still needs `src/legacy.py`?", GONE),
    "renamed": Row("Steps are listed in `lib/old_name.py`.", GONE),
    "class": Row("pattern: Measure with `QueueBenchmark`.", GONE),
    "folder": Row("Logs stand below `sessions/`."),
    "stays": Row("It is measured by `StaysHere`."),
    "ends": Row('until="version react >= 19 in package.json" Pages wait.', "change-ends"),
    "checked": Row('check="version react < 19 in package.json" Views wait.', "change-ends"),
    "lasts": Row('until="gone src/queue.py" Jobs wait.'),
    "uv": Row("convention: Use uv, not pip.", BREAKS),
    "schema": Row("convention: Never edit `gen/schema.py` by hand.", BREAKS),
}  # fmt: skip


def lay_out(repo: Repo, run: Run, *, branch: bool) -> None:
    """Commit the base and note the facts on main, then make the change on the branch `feature`."""
    for name, text in BASE.items():
        repo.write(name, text)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "base")
    assert run("init", "--branch" if branch else "--folder", "memory").code == 0
    assert run("note", *[f"id={id} {row.text}" for id, row in FACTS.items()]).code == 0
    repo.git("switch", "-q", "-c", "feature")
    change(repo, CHANGE)


def change(repo: Repo, files: dict[str, str | None]) -> None:
    """Commit other bytes of files."""
    for name, text in files.items():
        if text is None:
            (repo.path / name).unlink()
        else:
            repo.write(name, text)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "change")


def told(run: Run, *arguments: str) -> dict[str, str]:
    """Return by fact the code of what is said of it, whether there was room or not."""
    ran = run("check", "--diff", *arguments, "--json")
    assert ran.code == 0
    assert len([one for one in ran.json["findings"] if one["severity"] != "error"]) <= 3
    said: dict[str, str] = {}
    for one in [*ran.json["findings"], *ran.json["more"]]:
        named = re.split(r" names?\b| says | ends | fails | \(", one["message"])[0]
        said |= dict.fromkeys(re.split(r", | and ", named), one["code"])
    return said


@pytest.mark.parametrize("branch", [False, True], ids=["in-tree", "own-branch"])
def test_what_a_change_has_to_do_with_facts(branch: bool, bare_repo: Repo, run: Run) -> None:
    """Each planted fact is told by its code, or not at all; what is strongest comes first."""
    lay_out(bare_repo, run, branch=branch)
    shape = bare_repo.shape()
    assert told(run, "main...feature") == {id: row.code for id, row in FACTS.items() if row.code}
    ran = run("check", "--diff", "main...feature", "--strict")
    assert (ran.code, ran.out) == (1, "") and "`src/legacy.py`, which this takes away" in ran.err
    assert bare_repo.shape() == shape
    assert told(run, "feature...main") == {}  # nothing of one's own


def test_who_says_it_in_a_log_of_the_change_is_told_nothing(bare_repo: Repo, run: Run) -> None:
    """A fact that the change's own logs reword is up to date; one that they only use is told of."""
    lay_out(bare_repo, run, branch=False)
    run("edit", "file", "Mail goes out through `src/mail.py`.")
    run("append", "--title", "Jobs", "--ref", "class")
    found = told(run, "main...HEAD")
    assert found.keys() == {id for id, row in FACTS.items() if row.code} - {"file"}


def test_a_secret_in_a_log_of_the_change_fails_it(repo: Repo, run: Run) -> None:
    """A home folder is warned of, a secret ends it with 1; logs of before are not looked at."""
    token = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0" * 2
    log = "memory/sessions/2026-11-2{}-101500.md"
    change(repo, {log.format(0): f"# T\n\nIt was {token}.\n"})
    repo.git("switch", "-q", "-c", "feature")
    change(repo, {log.format(1): f"# T\n\nIt is {token}, in /home/alice/shop.\n"})
    ran = run("check", "--diff", "main...HEAD", "--json")
    codes = [one["code"] for one in ran.json["findings"]]
    assert (ran.code, codes) == (1, ["secret-found", "personal-data"])
    assert {one["file"] for one in ran.json["findings"]} == {log.format(1)} and token not in ran.out


def _work(repo: Repo, commits: int) -> None:
    for number in range(commits):
        change(repo, {"work.py": "".join(f"x = {number}, {line}\n" for line in range(120))})


@pytest.mark.deep(reason="the other tests here ask the command that it calls")
@pytest.mark.skipif(not ACTION.exists(), reason="the source tree's")
def test_the_action_writes_annotations_and_a_summary(
    bare_repo: Repo, run: Run, tmp_path: Path
) -> None:
    """It asks for the ends of the pull request, needs no token, and writes nothing where there is nothing."""
    lay_out(bare_repo, run, branch=True)
    programs, summary = tmp_path / "programs", tmp_path / "summary.md"
    programs.mkdir()
    put_program(programs / "diurna")
    summary.touch()
    text = (ACTION / "action.yml").read_text()
    names = re.findall(r"(CHANGE_\w+): ", text)
    assert "token }" not in text and "change.sh" in text and len(names) == 3

    def step(base: str) -> tuple[int, str, str]:
        values = dict.fromkeys(names, "") | {"CHANGE_BASE": base, "CHANGE_HEAD": "feature"}
        paths = {"PATH": f"{programs}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(summary)}
        done = subprocess.run(
            [str(ACTION / "change.sh")], capture_output=True, text=True, env=os.environ | values | paths
        )  # fmt: skip
        return done.returncode, done.stdout, summary.read_text()

    assert step("feature") == (0, "", "")
    code, out, said = step("main")
    assert code == 0 and out.count("::warning file=") == 3
    assert said.startswith("### ") and "    warning: file and open name `src/legacy.py`" in said
