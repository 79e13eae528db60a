r"""What is refused: a table of command lines, in `refusals.txt`, with all that is said of each.

Below a heading `# STATE: what` stand command lines as they are typed, ` < '…'` for standard input, `\n` and
its like in quotes for what can not be typed. Below each stand its exit code, the code of its JSON answer, and
its words. `DIURNA_WRITE_TABLES=1` writes the answers anew. Bytes that are no text (fault:G1) and JSON that
can not be meant (fault:G6) are rows, too.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.model.ids import version_id
from tests.conftest import NOW_MS, WRITE_TABLES, Ran, Repo, Run, formed, laid_once

TABLE = Path(__file__).with_name("refusals.txt")
DAY_MS = 86_400_000
#: Nobody is sent to what takes away or forces, by an agent that does as it is told.
_DESTRUCTIVE = re.compile(r"\brm\b|--force|--hard|\breset\b|\bdelete\b|\bprune\b|\bclean\b|push -f")
_HELPS: dict[str, str] = {}
Rows = dict[str, list[tuple[str, str]]]
PROSE = "Why it went so, and what is next.\n"


def at(ms: int) -> None:
    os.environ["DIURNA_NOW"] = str(ms)


@laid_once
def shop(repo: Repo, run: Run) -> None:
    """Something of everything that a command can be wrong about."""
    repo.write("src/queue.py", "one\ntwo\n")
    repo.write("notes.md", PROSE)
    for name, target in (("out", "/etc"), ("hosts", "/etc/hosts")):
        (repo.path / name).symlink_to(target)
    repo.git("add", "src", "notes.md")
    repo.git("commit", "-q", "-m", "code")
    repo.git("branch", "orphan", repo.git("commit-tree", "HEAD^{tree}", "-m", "o").strip())
    at(NOW_MS - DAY_MS)
    done = [
        run("append", "--title", "Ship", "--new", "id=webhook-once decision: A webhook is sent once.",
            "--new", "id=pay-key invariant: Payments are idempotent by getPaymentKey().",
            "--new", 'id=importer entity="Payments API" decision: The importer runs at night.',
            "--new", "id=retry-storm thread: Can a storm of retries starve us?",
            "--new", "id=pin role=builder pattern: Pin the clock.",
            "--new", "id=withheld fact: The vault is below the stairs.", "--new", "id=wire task: Wire it."),
    ]  # fmt: skip
    at(NOW_MS)
    done += [
        run("append", "--title", "Lost", "--agent", "codex", "--supersede", "webhook-once=webhook-retries",
            "--new", "id=webhook-retries decision: Webhooks retry three times.",
            *[word for name in ("held", "dead", "old", "new") for word in ("--new", f"id={name} task: Do the {name} one")],
            "--new", "id=meant owner=ada task: Measure it", "--supersede", "old=new"),
        run("task", "start", "held", "--agent", "codex"),
        run("task", "move", "dead", "cancelled"),
        run("append", "--title", "Named", "--ref", "named-only", "--anyway"),
        run("redact", "withheld", "--reason", "Private."),
        run("forget", "--archive", "importer", "--reason", "Frozen."),
        run("append", "--title", "Words", "--body", "Nothing but words."),
    ]  # fmt: skip
    assert [ran.err for ran in done if ran.code] == []


@laid_once
def torn(repo: Repo, run: Run) -> None:
    """Two versions of one fact stand, and two successors of another."""
    repo.write("notes.md", PROSE)
    new = ("--new", "id=limit Ten.", "--new", "id=old O.", "--new", "id=b B.", "--new", "id=c C.")
    assert run("append", "--title", "Base", *new).code == 0
    for text in ("Twenty.", "Thirty."):
        log = f"# {text}\n\n## Memory References\n\n- Updated: limit (was {version_id('Ten.')})\n\n"
        log += f"## Facts\n\n- {text}\n  <!-- id: limit -->\n"
        assert run("append", "-", "--agent", "codex", stdin=log.encode()).code == 0
    both = ("--supersede", "old=b", "--supersede", "old=c")
    assert run("append", "--title", "Twice", *both).code == 0


@pytest.fixture
def empty(repo: Repo) -> Repo:
    """A home in which nothing is recorded."""
    return repo


def rows(table: Path = TABLE) -> Rows:
    """Read a table: heading -> (command line, what it answers)."""
    found: Rows = {}
    for part in re.split(r"^# (?=[a-z]+: )", table.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, rest = part.partition("\n")
        blocks = re.split(r"^\$ ", rest, flags=re.MULTILINE)[1:]
        found[heading] = [
            (line, said.rstrip("\n")) for line, _, said in (one.partition("\n") for one in blocks)
        ]
    return found  # fmt: skip


def typed(word: str) -> str:
    """Put in what stands for a character that can not be typed."""
    return (
        word.encode("latin-1", "backslashreplace").decode("unicode_escape")
        if "\\" in word
        else word
    )


def answer(run: Run, line: str, *more: str) -> Ran:
    command, _, given = line.partition(" < ")
    words = [typed(word) for word in shlex.split(command)]
    stdin = typed(shlex.split(given)[0]).encode("latin-1") if given else b""
    at = 1 if words[0] == "append" else len(words)  # an option that lacks its value would take it
    return run(*words[:at], *more, *words[at:], stdin=stdin)


def help_of(run: Run, name: str) -> str:
    """Return the help of a command that there is."""
    if name not in _HELPS:
        _HELPS[name] = run(name, "--help").out
    return _HELPS[name]


def told(ran: Ran, top: str, code: str) -> str:
    return f"{ran.code} {code}\n{formed(ran.err).replace(top, 'TOP').rstrip()}"


@pytest.mark.parametrize("heading", rows())
def test_what_is_refused_says_why_and_changes_nothing(
    heading: str, request: pytest.FixtureRequest, run: Run
) -> None:
    """Text and JSON say the same, stdout stays empty, and the hint names what there is."""
    table = rows()
    home: Repo = request.getfixturevalue(heading.partition(":")[0])
    everything: Callable[[], object] = lambda: (  # noqa: E731
        home.shape(),
        sorted((home.path / ".git/diurna/spool").glob("*")),
    )
    before, wrong = everything(), []
    for number, (line, expected) in enumerate(table[heading]):
        ran, data = answer(run, line), answer(run, line, "--json")
        error = data.json["error"]
        said = told(ran, str(home.path), error["code"])
        assert (ran.out if "--json" not in line else "", ran.code) == ("", data.code), line
        assert ran.err == data.err and ran.code in (1, 2), line
        assert error["message"].partition("\n")[0] in ran.err, line
        assert not _DESTRUCTIVE.search(error["hint"]), line
        proposed = re.findall(r"did you mean (\S+?)[?,]", error["hint"])
        assert not set(proposed) & {word for word in shlex.split(line) if word}, line
        for name, option in re.findall(r"`diurna (\w+)[^`]*?( --\w+)?[^`]*`", error["hint"]):
            assert help_of(run, name) and option.strip() in help_of(run, name), line
        if os.environ.get(WRITE_TABLES):
            table[heading][number] = (line, said)
        elif said != expected:
            wrong.append(f"$ {line}\n{said}")
    assert not wrong, "\n".join(wrong)
    assert everything() == before
    if os.environ.get(WRITE_TABLES):
        write(TABLE, table)


def write(path: Path, table: Rows) -> None:
    """Write a table anew."""
    parts = []
    for heading, some in table.items():
        lines = "\n\n".join(f"$ {line}\n{said}" for line, said in some)
        parts.append(f"# {heading}\n\n{lines}")
    path.write_text("\n\n".join(parts) + "\n", "utf-8")
