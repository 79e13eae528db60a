"""What every test stands on: no test sees this machine's git settings, identity, home or `/tmp`.

`run` calls the command line in this process and gives back what it printed; `repo` is a user's repository
with a home in it. The clock stands at `NOW_MS`.
"""

from __future__ import annotations

import gc
import inspect
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from memory.cache.stamp import Stamp
from memory.write.host_session import VARIABLES
from rituals.cli.app import main
from tests import processor_time
from tests import world as laying
from tests.campaigns import forks
from tests.campaigns.matrices import WHOLE as WHOLE
from tests.campaigns.matrices import drawn
from tests.processor_time import leave_out
from tests.world import COMMITTED, PLAIN_GIT, World, commit_written, git, lay, plain

gc.disable()  # until all is collected
laying.once = processor_time.of_no_item
for _name in VARIABLES:  # the tests may run in an agent's session
    os.environ.pop(_name, None)
# a loaded machine is no fault of a law; the tests that count time say so themselves


def examples(least: int, deep: int = 0) -> int:
    """Return how many examples a law takes: in a campaign and in `tests.deep` more, at least `deep`."""
    asked = int(os.environ.get("DIURNA_LAW_EXAMPLES", "0"))
    return max(least, asked, deep if asked else 0)


settings.register_profile(
    "loaded",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=examples(40),
)
settings.load_profile("loaded")

#: The table of codes is written anew.
WRITE_TABLES = "DIURNA_WRITE_TABLES"
Case = TypeVar("Case")
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
#: What JSON says of where HEAD is, of what it holds.
HELD = {"here": "yes", "branch": "", "point": "", "landed": "", "how": "", "text_here": ""}
NOW_MS = 1_795_249_812_417  # 2026-11-21T08:30:12.417Z
_FORMS = (
    (re.compile(r"\d{4}-\d\d-\d\d-\d{7,9}(?:-[a-z0-9]{1,26})?\b"), "STEM"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{40}\b"), "COMMIT"),
    (
        re.compile(r"(?<=in )[0-9a-f]{7}\b|(?<=not at )[0-9a-f]{7}\b|(?<=commit )[0-9a-f]{7}\b"),
        "COMMIT",
    ),
    (re.compile(r"(?<=digest )[0-9a-f]{16}\b"), "DIGEST"),
)


def sampled(cases: Iterable[Case], step: int, deep: int = 0) -> list[Case]:
    """Return each `step`-th case of a matrix, and others until each value is there; all in a campaign.

    With `deep` each so manieth, too, with that mark.
    """
    every: list[Any] = list(cases)
    if WHOLE in os.environ:
        return drawn(every, os.environ[WHOLE])
    if deep:
        kept = sampled(every, step)
        more = [row for row in sampled(every, deep) if row not in kept]
        return [*kept, *(pytest.param(*row, marks=pytest.mark.deep) for row in more)]
    if not isinstance(every[0], tuple):
        return every[::step]
    values = [{(at, repr(one)) for at, one in enumerate(row)} for row in every]
    chosen = set(range(0, len(every), step))
    counts = Counter(value for found in values for value in found)
    lacking = {value for value in counts if counts[value] > 1}
    lacking -= {value for at in chosen for value in values[at]}
    while lacking:
        best = max(range(len(every)), key=lambda at: len(lacking & values[at]))
        chosen.add(best)
        lacking -= values[best]
    return [every[at] for at in sorted(chosen)]


def diagonal(*columns: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return as many cases of a product as its longest column has values, each value in one; all in a campaign."""
    values = [list(column) for column in columns]
    if WHOLE in os.environ:
        return drawn(list(product(*values)), os.environ[WHOLE])
    rows = range(max(map(len, values)))
    return [tuple(column[row % len(column)] for column in values) for row in rows]


def in_turn(metafunc: pytest.Metafunc, fixture: str, values: Sequence[Any], most: int = 2) -> None:
    """Give each test of a module some values of a fixture, the next test the next ones; all of them in a campaign."""
    if fixture in metafunc.fixturenames:
        tests = [name for name in vars(metafunc.module) if name.startswith("test_")]
        first = tests.index(metafunc.function.__name__) % len(values)
        chosen = (*values, *values)[first : first + most]
        metafunc.parametrize(fixture, values if WHOLE in os.environ else chosen, indirect=True)


Rows = Callable[[Callable[..., None]], Callable[..., None]]


def each_row(names: str, rows: Iterable[Any]) -> Rows:
    """Ask a test of each row of a table, and tell every row that fails: `parametrize` as one test.

    For claims of which thousands are asked in a second. What a test is given besides is the same for all
    rows.

    Args:
        names: of the arguments that a row holds, as for `parametrize`.
        rows: a tuple for several names, a value for one.
    """
    wanted = [name.strip() for name in names.split(",")]
    table = [row if len(wanted) > 1 else (row,) for row in rows]

    def ask_each(test: Callable[..., None]) -> Callable[..., None]:
        def every(**given: Any) -> None:
            failures = []
            for row in table:
                try:
                    test(**given, **dict(zip(wanted, row, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - each row is heard
                    failures.append((row, failure))
            if failures:
                told = "\n".join(f"{row!r}: {failure!r}" for row, failure in failures)
                raise AssertionError(f"{len(failures)} of {len(table)}:\n{told}") from failures[0][
                    1
                ]

        signature = inspect.signature(test)
        others = [one for name, one in signature.parameters.items() if name not in wanted]
        every.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        every.__name__, every.__doc__, every.__module__ = (
            test.__name__,
            test.__doc__,
            test.__module__,
        )
        every.pytestmark = list(getattr(test, "pytestmark", ()))  # type: ignore[attr-defined]
        return every

    return ask_each


class Ran(NamedTuple):
    """What a command did; `out` and `err` as printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on stdout."""
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """Stdout with stems, commits and digests put by their names."""
        return formed(self.out)


def formed(text: str) -> str:
    """Put the names of stems, commits and digests in their place."""
    for pattern, name in _FORMS:
        text = pattern.sub(name, text)
    return text


class Repo:
    """A repository on the disk, asked with git alone."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *arguments: str) -> str:
        """Run git here and return what it prints."""
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments], capture_output=True, check=True
        )
        return done.stdout.decode()

    def write(self, name: str, text: str) -> Path:
        """Write a file below the top."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def publish_when(self, when: str) -> None:
        """Let the policy of the home in `memory/` say when the projection is committed."""
        path = self.path / "memory" / "diurna.toml"
        path.write_text(re.sub(r'(?m)^publish = "\w+"', f'publish = "{when}"', path.read_text()))
        self.git("commit", "-q", "-m", "when to publish", "--", "memory/diurna.toml")

    def shape(self) -> tuple[str, ...]:
        """Return all that a command which changes nothing must leave as it is."""
        refs = self.git("show-ref", "--head").split("\n")
        return (
            "\n".join(row for row in refs if " refs/diurna/" not in row),
            self.git("status", "--porcelain", "-uall"),
            self.git("ls-files", "-s"),
            self.git("config", "--local", "--list"),
        )


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every second worker begin at the end: a file is compiled by one of two, and read by the other."""
    report = yield
    if isinstance(collector, pytest.Directory) and report.passed and int(_WORKER[2:]) % 2:
        report.result.reverse()
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the tests run in another order: each has to pass in any."""
    parser.addoption("--shuffle", metavar="SEED", help="run the tests in an order of this seed")


def pytest_configure(config: pytest.Config) -> None:
    """Let it hear of fixtures of the whole session as well: these are no matter of a folder."""
    config.pluginmanager.register(processor_time)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests of all workers in one order."""
    items.sort(key=lambda item: str(item.path))
    leave_out(config, items)
    if seed := config.getoption("--shuffle"):
        random.Random(seed).shuffle(items)


def pytest_collection_finish() -> None:
    """Keep the collector of garbage from walking through all tests each time; nothing is let go before."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the whole session a machine on which nobody has set anything up."""
    # a shell starts what runs in the background with Ctrl-C ignored, and so would all that is started here
    signal.signal(signal.SIGINT, signal.default_int_handler)
    home = tmp_path_factory.mktemp("home")
    config = home / "gitconfig"
    config.write_text(PLAIN_GIT)
    scratch = tmp_path_factory.mktemp("scratch")
    with pytest.MonkeyPatch.context() as patch:
        for key in [key for key in os.environ if key.startswith(("GIT_", "DIURNA_"))]:
            if key != WRITE_TABLES:
                patch.delenv(key)
        patch.setenv("HOME", str(home))
        patch.setenv(COMMITTED, "1")
        patch.delenv("XDG_DATA_HOME", raising=False)
        patch.setenv("GIT_CONFIG_GLOBAL", str(config))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_CEILING_DIRECTORIES", str(home.parent))
        patch.setenv("TMPDIR", str(scratch))  # where a bug without a home leaves its log
        patch.setattr(tempfile, "tempdir", str(scratch))
        yield


def make_repository(path: Path) -> Repo:
    """Make a user's repository with one commit."""
    lay("code", path, _make_repository)
    return Repo(path)


def _make_repository(path: Path) -> None:
    path.mkdir(parents=True)
    repo = Repo(path)
    repo.git("init", "-q", "-b", "main")
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "ada@example.invalid")
    repo.write("code.py", "print('hello')\n")
    repo.git("add", "code.py")
    repo.git("commit", "-q", "-m", "code")


def holders(folder: Path, words: str) -> list[str]:
    """Return what holds some words below a folder: its files, and the objects of its repositories."""
    files = [folder] if folder.is_file() else [one for one in folder.rglob("*") if one.is_file()]
    found = [str(one) for one in files if words.encode() in one.read_bytes()]
    for gitdir in {
        one.parent for one in files if one.name == "HEAD" and (one.parent / "objects").is_dir()
    }:
        objects = subprocess.run(
            ["git", f"--git-dir={gitdir}", "cat-file", "--batch", "--batch-all-objects", "--buffer"],
            capture_output=True, check=True,
        ).stdout  # fmt: skip
        found += [f"an object of {gitdir}"] * (words.encode() in objects)
    return found


def as_left(file: Path) -> None:
    """Stamp a file of the cache that a test has changed: as if a fault of Diurna's own had done it."""
    with Stamp(str(file)).locked(fresh=True):
        pass


Run = Callable[..., Ran]


@pytest.fixture
def _agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who works, and when."""
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS))
    monkeypatch.setenv("DIURNA_AGENT", "claude-code")


@pytest.fixture
def bare_repo(tmp_path: Path, _agent: None, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A user's repository without a home; the working directory is in it."""
    repo = make_repository(tmp_path / "shop")
    monkeypatch.chdir(repo.path)
    return repo


#: What the clock said when a home was made, by its name.
_CLOCKS: dict[str, str] = {}
Laid = Callable[[Callable[[Repo, Run], object]], Repo]


@pytest.fixture
def laid(tmp_path: Path, _agent: None, run: Run, monkeypatch: pytest.MonkeyPatch) -> Laid:
    """Make what a fixture is by commands once, and give each test a copy: `laid(make)`.

    `make(repo, run)` is told a repository with a home; of its environment the clock (`DIURNA_NOW`) is kept.
    """

    def laid(make: Callable[[Repo, Run], object]) -> Repo:
        name = f"{make.__module__}.{make.__qualname__}"

        def made(path: Path) -> None:
            _make_repository(path)
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(path)
                assert run("init", "--folder", "memory").code == 0
                patch.setenv("GIT_COMMITTER_DATE", git(path, "log", "-1", "--format=%cD").strip())
                policy = path / "memory/diurna.toml"
                policy.write_text(plain(policy.read_text()))
                git(path, "commit", "-q", "--amend", "--no-edit", "-a")
            environment = dict(os.environ)
            monkeypatch.chdir(path)
            make(Repo(path), run)
            _CLOCKS[name] = os.environ["DIURNA_NOW"]
            os.environ.clear()
            os.environ.update(environment)

        folder = tmp_path / "shop"
        lay(name, folder, made)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("DIURNA_NOW", _CLOCKS[name])
        return Repo(folder)

    return laid


def laid_once(make: Callable[[Repo, Run], object]) -> Any:
    """Turn `make(repo, run)` into a fixture: a home as it makes it, which each test has a copy of."""

    @pytest.fixture(name=make.__name__)
    def fixture(laid: Laid) -> Repo:
        return laid(make)

    return fixture


@laid_once
def repo(repo: Repo, run: Run) -> None:
    """A user's repository with a home in it; the working directory is its top."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process: `run("show", "--json", stdin=b"…")`."""

    def run(*arguments: str, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = main(list(arguments))
        printed = capsys.readouterr()
        named = arguments[arguments.index("--home") + 1] if "--home" in arguments else "."
        commit_written(os.path.abspath(named))
        return Ran(code, printed.out, printed.err)

    return run


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A machine on which nobody has set anything up, with a clock: see `tests/world.py`."""
    with World(tmp_path) as made:
        yield made


@pytest.fixture
def spawn() -> Run:
    """Run the command line as a process of its own, with more environment if given."""

    def spawn(*arguments: str, stdin: bytes = b"", **more: str) -> Ran:
        if not stdin and not more:
            forked = forks.run(["-m", "rituals", *arguments], os.getcwd(), os.environ)
            commit_written(os.getcwd())
            return Ran(forked.returncode, forked.stdout, forked.stderr)
        root = str(Path(__file__).parent.parent)
        done = subprocess.run(
            [sys.executable, "-P", "-m", "rituals", *arguments],
            input=stdin,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": root, **more},
        )
        commit_written(os.getcwd())
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return spawn
