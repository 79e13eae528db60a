"""Questions by the quick path print what the command line prints, and load none of its libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rituals.cli.app import main
from rituals.cli.fast_path import run as quick
from tests.bench.ledgers import logs
from tests.conftest import NOW_MS, Ran, each_row, examples, laid_once

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "click pydantic pygit2 rapidfuzz markdown_it typing json numpy tokenizers ledger.secrets.scanner "
    "memory.recall.index.update memory.recall.index.passage_cutter"
).split()
#: Command lines as people and agents write them: the quick path answers each of them.
USUAL = (
    "webhooks", "how are webhooks retried", "webhooks --json", "webhooks -n 1", "--ids retries",
    "--ids retries,storm --level full", "--ids retries --level timeline --json", "queue --in facts",
    "queue --in=sessions --explain", "--kind decision --kind thread -- webhook", "webhook -- -jitter",
    "drained --no-vectors", "webhok", "what is still open", "latest decision", "nothing at all zzz",
    "webhooks --since 2026-11-21 --until=2026-11-22", "webhooks --since yesterday --json",
    "webhooks --as-of 2026-11-20", "once --superseded --explain --json", "queue --agent codex",
    "webhooks --tier working", "supervisor --level full", "supervisor --level timeline -n 3",
)  # fmt: skip
#: The same of other questions.
OTHER = (
    "show retries", "show retries --json", "show once", "show retr", "show nothing", "show --json",
    "show --kind thread", "show --tier working --json", "show once retries", "show --as-of 2026-11-20",
    "show once --as-of 2026-11-21 --json", "show --kind none", "show retries --everywhere", "show org/x",
    "show --list", "show --list --all", "show --list webhook", "show --list 'r*' --json",
    "show --kind decision --list", "show --list --tier core", "show --list -a once", "show --links once",
    "why retries", "why once --json", "why retries --versions", "why once --versions --json", "why nothing",
    "why org/x", "status", "status --json", "log", "log -n 1 --json", "log --agent codex", "log nothing",
    "note text --dry-run", "note a --kind thread --dry-run --json", "note --dry-run -- -x", "note a --ref none",
    "edit retries Twice --dry-run", "edit none Twice", "close storm --reason done --dry-run --json", "close once",
)  # fmt: skip
#: What the command line has to look at itself.
ODD = (
    "", "--help", "-n 0 webhooks", "-n x webhooks", "--level all webhooks", "--since", "-x webhooks",
    "--json=1 webhooks", "-n=3 webhooks", "--tier none webhooks", "--home . webhooks", "--kind",
)  # fmt: skip
OTHER_ODD = (
    "show --tier none", "show --all", "show --hops 3", "why", "why a b",
    "why --versions=x retries", "status now", "status --home .", "task add x", "note --title", "log a b", "brief -- x",
)  # fmt: skip
WORDS = 'webhooks retried queue drained once lost open latest -- jobs* zz "nothing drained" Ada -x'.split()
OPTIONS = "--json|--explain|--no-vectors|--superseded|-n|2|--in|facts|sessions|--kind|decision|--level|full|--ids|storm"


@laid_once
def asked(repo: Repo, run: Run) -> None:
    """Three sessions, in which one agent corrects another; what came last stands in the spool's copies."""
    prose = repo.write("body.md", "The worker lost jobs, because nothing drained the queue.\n\n"
                       "Drain before exit. The supervisor sends SIGTERM and waits.\n")  # fmt: skip
    first = ("--new", "id=once decision: A webhook is sent once.",
             "--new", "id=storm thread: Measure a storm of webhooks.")  # fmt: skip
    os.environ["DIURNA_NOW"] = "1795163412000"  # 2026-11-20
    assert run("append", "--title", "Ship", "--body", str(prose), *first).code == 0
    os.environ["DIURNA_NOW"] = str(NOW_MS)  # 2026-11-21
    again = (
        "--new",
        "id=retries decision: Webhooks retry three times.",
        "--supersede",
        "once=retries",
    )
    assert run("append", "--title", "Lost", "--agent", "codex", *again).code == 0
    assert run("recall", "webhooks").code == 0


def both(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[Ran | None, Ran]:
    """Return what the quick path did, None where it did nothing, and what the command line does."""
    return both_of(capsys, "recall", *arguments)


def both_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[Ran | None, Ran]:
    """Return the same of any command."""
    capsys.readouterr()
    code = quick([*arguments], os.environ)
    short = capsys.readouterr()
    whole = main([*arguments])
    return None if code is None else Ran(code, *short), Ran(whole, *capsys.readouterr())


@each_row("line", USUAL)
def test_the_usual_lines_go_by_the_quick_path(
    line: str, asked: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every usual form is answered there, byte for byte as the command line answers it."""
    short, whole = both(capsys, *line.split())
    assert short == whole
    assert whole.code == 0


@each_row("line", OTHER)
def test_other_questions_go_by_it_too(
    line: str, asked: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """They too are answered, or refused, byte for byte as the command line does it."""
    short, whole = both_of(capsys, *line.split())
    assert short == whole


def test_what_is_noted_there_is_recorded(asked: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """A note by the quick path is a log like any other, and a refused one changes nothing."""
    before = asked.git("rev-parse", "HEAD")
    assert quick(["note", "id=quick decision: It is quick."], os.environ) == 0
    assert "created  quick" in capsys.readouterr().out
    assert asked.git("rev-parse", "HEAD~1") == before
    assert quick(["note", "more", "--ref", "nobody"], os.environ) == 1
    assert asked.git("rev-parse", "HEAD~1") == before


def test_other_odd_lines_are_left_alone(asked: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """A way, a field, a word too many: the command line reads it."""
    told = [line for line in OTHER_ODD if quick(line.split(), os.environ) is not None]
    assert (told, *capsys.readouterr()) == ([], "", "")


@each_row("line", ODD)
def test_odd_lines_are_left_alone(
    line: str, asked: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not plain is left to the command line, before a word was said."""
    if line:
        assert quick(["recall", *line.split()], os.environ) is None
        assert capsys.readouterr() == ("", "")
    else:
        short, whole = both(capsys)
        assert short == whole
        assert whole.code == 2


@settings(
    max_examples=examples(20, 60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from(OPTIONS.split("|"))), max_size=7))
def test_both_ways_print_the_same(
    asked: Repo, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """Whatever is typed: where the quick path answers or refuses, it does so as the command line does."""
    short, whole = both(capsys, *arguments)
    assert short is None or short == whole


@pytest.mark.parametrize("how", ["policy", "spool", "dropped"])
def test_what_has_to_be_said_is_said(
    how: str, asked: Repo, capsys: pytest.CaptureFixture[str], run: Run
) -> None:
    """Where a policy can not be read, a log waits or a commit lost one, the command line answers."""
    if how == "policy":
        (asked.path / "memory" / "diurna.toml").write_text("format = 'x'\n")
        asked.git("commit", "-qam", "a policy")
    elif how == "spool":
        stem, data = next(logs(1))
        (asked.path / ".git" / "diurna" / "spool" / stem).write_bytes(data)
    else:
        last = asked.git("rev-parse", "HEAD").strip()
        tree = asked.git("rev-parse", "HEAD~1^{tree}").strip()
        made = asked.git("commit-tree", tree, "-p", last, "-m", "beside").strip()
        asked.git("update-ref", "refs/heads/main", made)
    assert quick(["recall", "webhooks"], os.environ) is None
    assert capsys.readouterr() == ("", "")
    assert "warning: " in run("recall", "webhooks").err


@pytest.mark.parametrize(
    "line",
    [
        "recall webhooks retry --no-vectors",
        "show retries",
        "show --list",
        "why retries",
        "task list",
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_nothing_heavy_is_loaded(line: str, form: list[str], asked: Repo) -> None:
    """A warm question in plain words loads no library, and no part of Python that costs as much."""
    script = (
        "import sys; from rituals.cli.entry import main; code = main();"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, *line.split(), *form],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr.split("\n")[-2] == str(["json"] if form else [])


@pytest.mark.parametrize("commits", [0, 1])
def test_a_brief_that_is_kept_opens_no_cache(commits: int, tmp_path: Path) -> None:
    """Neither where the code has a commit, nor in a repository that has none yet: nothing is elsewhere there."""

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, capture_output=True)

    def brief(*before: str) -> str:
        script = (
            "import sys; from rituals.cli.entry import main; code = main();"
            "print('memory.query.open_snapshot' in sys.modules, file=sys.stderr); sys.exit(code)"
        )
        done = subprocess.run(
            [sys.executable, "-P", "-c", script, *before], cwd=tmp_path,
            capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        return done.stderr.split("\n")[-2]

    git("init", "-q", "-b", "main")
    for number in range(commits):
        who = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
        git(*who, "commit", "-q", "--allow-empty", "-m", f"code {number}")
    brief("init", "--branch", "memory")
    brief("note", "decision: Webhooks retry three times.")
    brief("brief")
    assert brief("brief") == "False"
