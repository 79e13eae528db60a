"""The README and the other pages are true: their console blocks are run, and say what is shown.

Each page starts in an empty folder, and its blocks are run in order. A block is fenced as ```console. A line
that starts with `$ ` is a command; it goes on with the next line where it ends in a backslash or opens a
here-document. The lines up to the next command are what it says; a command without such lines may say
anything, but must end with 0. `…` alone on a line stands for any lines, inside a line for any text. Stems,
hashes and dates are compared by their form.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import memory
from rituals.cli.app import main
from rituals.hosts import hook_answer
from tests.campaigns import forks
from tests.lint import PACKAGES
from tests.pages import (
    ARCHITECTURE,
    COMMANDS,
    DURABILITY,
    GUIDE,
    PAGES,
    README,
    ROOT,
    WORKING,
    blocks,
    rows,
    section,
)

HERE = Path(memory.__file__).parent.parent
pytestmark = pytest.mark.skipif(not README.exists(), reason="this is about the source tree")

Step = tuple[str, list[str]]  #: a command and the lines that it says

_FORMS = (
    (re.compile(r"\d{4}-\d\d-\d\d-\d{7,9}(?:-[a-z0-9]{1,26})?\b"), "STEM"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), "INSTANT"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "DATE"),
    (re.compile(r"\d{4}-Q[1-4]"), "QUARTER"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"\b[0-9a-f]{7,40}\b"), "HASH"),  # one in a thousand has no digit
)


def steps(lines: list[str]) -> list[Step]:
    """Cut a console block into commands and what they say."""
    found: list[Step] = []
    rest = iter(lines)
    for line in rest:
        if not line.startswith("$ "):
            found[-1][1].append(line)
            continue
        command = line[2:]
        here = re.search(r"<<'?(\w+)'?", command)
        while command.endswith("\\") or (here and command.rsplit("\n", 1)[-1] != here[1]):
            command += "\n" + next(rest)
        found.append((command, []))
    return found


def console(page: Path) -> list[Step]:
    """Return every step of a page but the set-up of a virtual environment."""
    text = page.read_text(encoding="utf-8")
    every = [step for block in blocks(text, "console") for step in steps(block)]
    return [step for step in every if "venv" not in step[0]]


def by_blocks() -> list[Any]:
    """Return each page with the number of each of its console blocks, as parameters of a test."""
    found = []
    for page in PAGES:
        text = page.read_text("utf-8") if page.exists() and page.stem != "ORG" else ""
        for number, block in enumerate(blocks(text, "console")):
            if "venv" not in block[0]:
                found.append(pytest.param(page, number, id=f"{page.stem}-{number}"))
    return found


def set_up() -> list[str]:
    """Return the set-up lines for a fresh machine."""
    text = README.read_text(encoding="utf-8")
    return [cmd for block in blocks(text, "console") for cmd, _ in steps(block) if "venv" in cmd]


def with_blocks(language: str) -> list[Any]:
    """Return the pages that have blocks of a language, as parameters of a test."""
    found = [page for page in PAGES if page.exists() and blocks(page.read_text("utf-8"), language)]
    return [pytest.param(page, id=page.stem) for page in found]


def formed(text: str) -> str:
    """Put the form of stems, hashes and dates in their place."""
    for pattern, name in _FORMS:
        text = pattern.sub(name, text)
    return text


def agrees(shown: list[str], said: list[str]) -> bool:
    """Tell whether an answer is what the README shows of it."""
    parts = []
    for line in shown:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*")
        else:
            parts.append(".*".join(re.escape(part) for part in formed(line).split("…")) + r"\n")
    text = "".join(formed(line) + "\n" for line in said)
    return re.fullmatch("".join(parts), text) is not None


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """Return an environment with `diurna` on the path, an identity and nobody's configuration."""
    return environment(tmp_path)


def environment(folder: Path) -> dict[str, str]:
    tools = folder / "tools"
    tools.mkdir()
    forks.put_program(tools / "diurna")
    config = "[user]\n\tname = Ada\n\temail = ada@example.invalid\n[init]\n\tdefaultBranch = main\n"
    (tools / "gitconfig").write_text(config)
    return {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(folder),
        "PYTHONPATH": str(HERE),
        "GIT_CONFIG_GLOBAL": str(tools / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "CI": "true",  # nothing is done aside: a page says what its commands do
        "PYTHONUNBUFFERED": "1",  # both streams in the order in which a terminal shows them
    }


class Told:
    """A page as somebody types it: its blocks are run one after the other, each once, as far as one is asked for.

    A plain command of Diurna's is run in this process, anything else by a shell.
    """

    def __init__(self, page: Path, folder: Path) -> None:
        self.environment = environment(folder)
        self.folder, self.pwd = folder / "shop", folder / "pwd"
        self.folder.mkdir()
        self.blocks = [steps(block) for block in blocks(page.read_text("utf-8"), "console")]
        self.said: list[list[tuple[int, str]]] = []

    def block(self, number: int) -> list[tuple[str, list[str], int, str]]:
        """Return what the commands of a block are, what the page shows of them, how they ended, and what they said."""
        while len(self.said) <= number:
            some = self.blocks[len(self.said)]
            self.said.append([self.type(command) for command, _ in some if "venv" not in command])
        pairs = zip(self.blocks[number], self.said[number], strict=True)
        return [(*step, *answer) for step, answer in pairs]

    def type(self, command: str) -> tuple[int, str]:
        words = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=True)
        words.whitespace_split, words.commenters = True, "#"
        if command.startswith("diurna ") and not re.search(
            r"[$`;|&<>]", re.sub(r"'[^']*'|\"[^\"$`]*\"", "", command)
        ):
            return self.in_process(list(words)[1:])
        # `cd` has to last, so the folder is asked for after every command
        done = subprocess.run(
            ["sh", "-c", f"{command}\ncode=$?; pwd > {self.pwd}; exit $code"],
            cwd=self.folder, env=self.environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        self.folder = Path(self.pwd.read_text().rstrip("\n"))
        return done.returncode, done.stdout

    def in_process(self, words: list[str]) -> tuple[int, str]:
        stream = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        before, folder, stdin = dict(os.environ), os.getcwd(), sys.stdin
        os.environ.clear()
        os.environ.update(self.environment)
        os.chdir(self.folder)
        try:
            with redirect_stdout(stream), redirect_stderr(stream), open(os.devnull) as sys.stdin:
                code = main(words)
        finally:
            sys.stdin = stdin
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(before)
        return code, stream.buffer.getvalue().decode()


_TOLD: dict[Path, Told] = {}


@pytest.mark.parametrize(("page", "number"), by_blocks())
def test_console_blocks_do_what_they_show(
    page: Path, number: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every command of a page ends with 0 and says what stands below it."""
    if page not in _TOLD:
        _TOLD[page] = Told(page, tmp_path_factory.mktemp(page.stem))
    for command, shown, code, said in _TOLD[page].block(number):
        assert code == 0, f"$ {command}\n{said}"
        assert not shown or agrees(shown, said.splitlines()), f"$ {command}\n{said}"


def test_set_up_lines_are_the_two_for_a_fresh_machine() -> None:
    """One line starts the tour, one the tests; both work from a fresh clone with git and Python only."""
    tour, tests = set_up()
    start = "python3 -m venv .venv && .venv/bin/pip install -q -e "
    assert tour == f"{start}. && .venv/bin/diurna init --tour"
    assert tests == f"{start}'.[dev]' && .venv/bin/pytest -q -n auto"


@pytest.mark.parametrize("page", with_blocks("python"))
def test_python_blocks_run(page: Path, tmp_path: Path, shell: dict[str, str]) -> None:
    """What is shown of the library works in a fresh home."""
    folder = tmp_path / "library"
    folder.mkdir()
    subprocess.run(["sh", "-c", "git init -q && diurna init"], cwd=folder, env=shell, check=True)
    for block in blocks(page.read_text(encoding="utf-8"), "python"):
        done = subprocess.run(
            [sys.executable, "-P", "-"], input="\n".join(block), cwd=folder, env=shell,
            text=True, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_the_pages_are_those_that_the_readme_names() -> None:
    """Eight pages for users, six for contributors, all linked from the README; none is long but the generated."""
    text = README.read_text(encoding="utf-8")
    linked = {ROOT / target for target in re.findall(r"\]\(([^)#]+\.md)", text)}
    assert linked == set(PAGES) - {README}
    users = {page for page in PAGES if page.parent == GUIDE} - {ARCHITECTURE}
    assert len(PAGES) == 15 and len(users) == 8
    assert len(text.splitlines()) <= 180
    for page in users - {COMMANDS}:
        assert len(page.read_text(encoding="utf-8").splitlines()) <= 260, page.name


def test_the_pictures_of_the_guide_are_there_and_small() -> None:
    """Each that a page shows is one that the documented command makes, of 60 KB at most; no wheel carries them."""
    from tests.web.screenshots import GUIDE_PICTURES, PICTURES

    shown = set(re.findall(r"\]\(pictures/(\w+)\.png\)", (GUIDE / "LOOKING.md").read_text("utf-8")))
    assert shown == set(GUIDE_PICTURES) == {path.stem for path in PICTURES.iterdir()}
    assert all(path.stat().st_size <= 60_000 for path in PICTURES.iterdir())
    assert 'exclude = ["/rituals/guide/pictures"]' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_a_first_day_needs_twelve_words() -> None:
    """The README has them in a table, and says nothing to users in those that one learns later."""
    words = [word for word, _ in rows(section(README, "Words for a first day"))]
    assert len(words) == len(set(words)) <= 12
    told, _, _ = README.read_text(encoding="utf-8").partition("\n## The library")
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|```.*?```", "", told, flags=re.DOTALL)
    assert re.findall(rf"\b(?:{LATER})s?\b", prose) == []


#: What a user meets later, or never.
LATER = "ledger|projection|drift|spool|tier|stem|trunk|envelope|absorb|publish|window|supersede|upstream|footer|entity"


def test_each_promise_names_tests_that_exist() -> None:
    """A row is a promise, and what holds it, in the gate too, is where it says; the README has some."""
    found = rows(section(DURABILITY, "By which test"))
    promises = {promise for promise, _ in found}
    assert len(found) > 10 and len(promises) == len(found)
    for promise, held in found:
        named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", held)
        assert named and held.count("`") == 2 * len(named), promise
        above = []
        for file, test in named:
            source = (ROOT / "tests" / file).read_text(encoding="utf-8")
            before, found_it, _ = source.partition(f"\ndef {test}(")
            assert found_it, f"{file}::{test}"
            above.append(f"{before}\n".rpartition("\n\n\n")[2])
        assert not all("mark.deep(" in marks and "but=" not in marks for marks in above), promise
    promised = re.findall(r"^- (.+)$", section(README, "What you can rely on"), re.MULTILINE)
    assert promised and set(promised) <= promises


def test_what_the_readme_says_of_machines_and_times_is_so() -> None:
    """Which Python, and how long a hook may take: by whatever is installed, and wherever it stops."""
    text = README.read_text("utf-8")
    assert 'requires-python = ">=3.11"' in (ROOT / "pyproject.toml").read_text("utf-8")
    said = re.search(
        r"within ([\d.]+) seconds of processor time, at a start ([\d.]+), before a compaction ([\d.]+)\.",
        text,
    )
    limits = [getattr(hook_answer, f"{one}_SECONDS")[0] for one in ("OTHER", "START", "COMPACT")]
    assert "Python 3.11 or newer" in text and said and [*map(float, said.groups())] == limits


def test_messages_that_the_guide_explains_are_said() -> None:
    """Each message of the last table of WORKING.md stands in the code."""
    code = [file.read_text("utf-8") for name in PACKAGES for file in (ROOT / name).rglob("*.py")]
    said = [
        part
        for row in rows(section(WORKING, "When something is in the way"))
        for part in re.findall(r"`([^`]+)`", row[0])
    ]
    assert len(said) >= 9
    assert [one for one in said if not any(one in text for text in code)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file or folder of the tree, and a heading in it where it names one."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith("http"):
            continue
        name, _, heading = target.partition("#")
        there = page.parent / name if name else page
        assert there.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^a-z0-9 -]", "", one.lower()).replace(" ", "-") for one in titles}
            assert heading in anchors, target
