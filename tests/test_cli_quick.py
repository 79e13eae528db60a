"""Questions by the short way in print what the command line prints, and load none of its libraries."""

from __future__ import annotations

import os
import py_compile
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rituals.cli.app import command_of, main
from rituals.cli.context import Invocation
from rituals.cli.entry import _Compiled
from rituals.cli.entry import main as entry
from rituals.cli.operation import function_of, parameters, plain
from tests.conftest import examples
from tests.pages import COMMANDS, ROOT
from tests.world import OWN_REPOSITORY, Answer, Place, World

HEAVY = (
    "click pygit2 rapidfuzz markdown_it typing json numpy tokenizers ledger.secrets.scanner "
    "memory.recall.log_reader memory.recall.log_reader starlette uvicorn jinja2 markupsafe h11"
).split()
#: Command lines as people and agents write them.
USUAL = """
recall webhooks|recall how are webhooks retried|recall webhooks --json|recall webhooks -n 1|recall --ids retries|
recall --ids retries,storm --level full|recall --ids retries --level timeline --json|recall queue --in facts|
recall queue --in=sessions --explain|recall --kind decision --kind thread -- webhook|recall webhook -- -jitter|
recall drained --no-vectors|recall webhok|recall what is still open|recall latest decision|recall nothing at all zzz|
recall webhooks --since 2026-11-21 --until=2026-11-22|recall webhooks --since yesterday --json|
recall webhooks --as-of 2026-11-20|recall once --superseded --explain --json|recall queue --agent codex|
recall webhooks --tier working|recall supervisor --level full|recall supervisor --level timeline -n 3|
show retries|show retries --json|show once|show retr|show nothing|show --json|show --kind thread|
show --tier working --json|show once retries|show --as-of 2026-11-20|show once --as-of 2026-11-21 --json|show --kind none|
show retries --everywhere|show org/x|show --list|show --list --all|show --list webhook|show --list r* --json|
show --kind decision --list|show --list --tier core|show --list -a once|show --links once|show --about|
why retries|why once --json|why retries --versions|why once --versions --json|why nothing|why org/x|
status|status --json|log|log -n 1 --json|log --agent codex|log nothing|task|task list --all --json|
note text --dry-run|note a --kind thread --dry-run --json|note --dry-run -- -x|note a --ref none|
edit retries Twice --dry-run|edit none Twice|close storm --reason done --dry-run --json|close once|
recall|recall --help|recall -n 0 webhooks|recall -n x webhooks|recall --level all webhooks|recall --since|recall -x webhooks|
recall --json=1 webhooks|recall -n=3 webhooks|recall --tier none webhooks|recall --home . webhooks|recall --kind|
show --tier none|show --all|why|why a b|why --versions=x retries|status now|status --home .|
task add x --dry-run|task pick|task --state done|task list more|note --title|log a b|brief -- x
""".replace("\n", "").split("|")
WORDS = 'webhooks retried queue drained once lost open latest -- jobs* zz "nothing drained" Ada -x'.split()
OPTIONS = "--json|--explain|--no-vectors|--superseded|-n|2|--in|facts|sessions|--kind|decision|--level|full|--ids|storm"
Both = Callable[..., tuple[Answer, Answer]]


@pytest.fixture
def asked(world: World) -> Place:
    """Two sessions, in which one agent corrects another; what came last stands in the spool's copies."""
    home = world.home(OWN_REPOSITORY)
    world.clock.go(days=-1)  # to 2026-11-20
    home.session("Ship", body="The worker lost jobs, because nothing drained the queue.\n\n"
                 "Drain before exit. The supervisor sends SIGTERM and waits.",
                 new=[{"id": "once", "kind": "decision", "text": "A webhook is sent once."},
                      {"id": "storm", "kind": "thread", "text": "Measure a storm of webhooks."}])  # fmt: skip
    world.clock.go(days=1)
    home.session("Lost", "--agent", "codex", "--new", "id=retries decision: Webhooks retry three times.",
                 "--supersede", "once=retries")  # fmt: skip
    home.run("recall", "webhooks")
    return home


@pytest.fixture
def both(asked: Place, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Both:
    """Return what the console script and what the command line says, at one time."""

    def both(*arguments: str) -> tuple[Answer, Answer]:
        found = []
        with asked._standing(None):
            for way in (entry, lambda: main(list(arguments))):
                monkeypatch.setattr(sys, "argv", ["diurna", *arguments])
                capfd.readouterr()
                code = way()
                sys.stdout.flush()
                found.append(Answer(code, *capfd.readouterr()))
        return found[0], found[1]

    return both


def same(found: tuple[Answer, Answer]) -> Answer:
    short, whole = found
    assert (short.code, short.out, short.err) == (whole.code, whole.out, whole.err)
    return short


@pytest.mark.parametrize("part", range(8))
def test_the_usual_lines_say_the_same_by_both_ways(both: Both, part: int) -> None:
    """Every form is answered or refused byte for byte as the command line does it."""
    for line in USUAL[part::8]:
        same(both(*line.split()))


@settings(
    max_examples=examples(15, 60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from((*WORDS, *OPTIONS.split("|"))), max_size=7))
def test_whatever_is_asked_says_the_same_by_both_ways(both: Both, arguments: list[str]) -> None:
    """Also what nobody would type."""
    same(both("recall", *arguments))


def test_both_parsers_read_every_documented_line_alike() -> None:
    """What the rows of a command make of its examples without a library is what click makes of them."""
    plainly, said = set(), COMMANDS.read_text(encoding="utf-8")
    for line in re.findall(r"^diurna ([a-z]+\b[^\\|<>\n]*)$", said, re.MULTILINE):
        name, *words = shlex.split(line)
        rows, call = parameters(function_of(name)), Invocation([])
        if read := plain(name, rows, words):
            typed = command_of(name).make_context(name, [*words], obj=call).params
            absent = {row.key: row.absent for row in rows}
            assert read[0] == {
                key: absent[key] if one is None else one for key, one in typed.items()
            }, line
            assert read[1] == {row.key for row in rows if row.keeps and getattr(call, row.key)}, (
                line
            )
            plainly.add(name)
    assert plainly >= {"show", "brief", "recall", "note", "status", "task"}


def test_what_is_noted_there_is_recorded(asked: Place, both: Both) -> None:
    """A note by the short way is a log like any other, and the same again is known."""
    before = asked.tip()
    short, whole = both("note", "id=quick decision: It is quick.")
    assert "created  quick" in short.out and "already recorded" in whole.out
    assert asked.git("rev-parse", "HEAD~1") == before


@pytest.mark.parametrize("how", ["policy", "spool"])
def test_what_has_to_be_said_is_said(how: str, asked: Place, both: Both) -> None:
    """Where a policy can not be read, or a log waits."""
    if how == "policy":
        asked.plant({"diurna.toml": "format = 'x'\n"})
    else:
        asked.git("checkout", "-q", "--detach")
        asked.run("append", "--title", "Waits", code=1)
    assert "warning: " in same(both("recall", "webhooks")).err


# ---- what is loaded ------------------------------------------------------------------------------------

_LOADED = """
import sys
from rituals.cli.entry import main
for line in sys.argv[1:]:
    words = line.split()
    sys.argv = ["diurna", *words]
    code = main()
    print(code, line, *[name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""


@pytest.fixture
def loaded(asked: Place) -> Iterator[Callable[..., list[str]]]:
    """Run the console script with some lines in one process; return what of the heavy parts was loaded by each."""

    def loaded(heavy: list[str], *lines: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _LOADED.format(heavy=heavy), *lines], cwd=asked.folder,
            capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT), "DIURNA_NOW": asked.clock.tick()},
        )  # fmt: skip
        return [line for line in done.stderr.split("\n") if line[:2] == "0 "]

    yield loaded


def test_nothing_heavy_is_loaded(loaded: Callable[..., list[str]]) -> None:
    """A warm question in plain words loads no library, and no part of Python that costs as much; JSON alone does."""
    lines = ("brief", "show retries", "show --list", "why retries", "task list", "recall webhooks retry --no-vectors",
             "recall webhooks --json --no-vectors")  # fmt: skip
    found = loaded(HEAVY, *lines)
    assert found[:-1] == [f"0 {line}" for line in lines[:-1]]
    assert found[-1].removeprefix(f"0 {lines[-1]}").split() in ([], ["json"])
    kept = (
        "projection.fold.full_replay",
        "memory.query.reader",
        "re",
        "subprocess",
        "_sqlite3",
    )
    assert loaded(list(kept), "brief") == ["0 brief"], "a brief that is kept opens no cache"


@pytest.mark.parametrize(("line", "first", "again"), [
    ("recall webhooks", 82, 78), ("show", 52, 23), ("brief", 100, 30), ("--help", 8, 8), ("--version", 5, 5),
])  # fmt: skip
def test_few_modules_are_loaded(line: str, first: int, again: int, asked: Place) -> None:
    """Of ours, the packages' own too: behind a new log, and where nothing moved."""
    asked.run("note", "decision: Tabs, no blanks.")
    ours = "{'ledger', 'projection', 'memory', 'rituals'}"
    count = f"print(sum(name.split('.')[0] in {ours} for name in sys.modules))"
    for most in (first, again):
        code = f"import sys\nfrom rituals.cli.entry import main\nsys.argv = ['diurna', *{line.split()}]\nmain()\n{count}"
        done = subprocess.run(
            [sys.executable, "-P", "-c", code], cwd=asked.folder, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "DIURNA_NOW": asked.clock.tick()}, check=True,
        )  # fmt: skip
        assert int(done.stdout.split()[-1]) <= most


def test_help_and_links_load_no_library(loaded: Callable[..., list[str]]) -> None:
    """What goes by the command line's parser loads that, and nothing heavier."""
    lines = ("--help", "show --links once", "show --about")
    heavy = ["pygit2", "markdown_it", "rapidfuzz"]
    assert loaded(heavy, *lines) == [f"0 {line}" for line in lines]


def test_a_module_that_changed_is_no_more_what_was_compiled(tmp_path: Path) -> None:
    """What Python compiled is taken where time and size fit; all else is left to Python."""
    source = tmp_path / "probe.py"
    for number in (1, 22):
        source.write_text(f"VALUE = {number}\n")
        assert _Compiled.find_spec("ledger.probe", [str(tmp_path)]) is None
        py_compile.compile(str(source))
        spec = _Compiled.find_spec("ledger.probe", [str(tmp_path)])
        assert spec and spec.loader and spec.origin == str(source)
        spec.loader.exec_module(module := module_from_spec(spec))
        assert module.VALUE == number
    assert _Compiled.find_spec("other.probe", [str(tmp_path)]) is None
