"""Each rule of `tests.lint` finds what breaks it, and nothing in a house that keeps it."""

from __future__ import annotations

import pytest

from ledger.model.findings import CODES
from tests import lint
from tests.conftest import each_row
from tests.faults import FAULTS
from tests.lint import House

FORMAT = "- **W2** *One.*\n- **W3** *Two.*\n- **W4** *Three.*\n"
MODULE, PAGE = "ledger/a.py", "rituals/guide/LOOKING.md"
CEILINGS = "source 1\ntests 0\nmodules 1\nstatements 0\nformat-words 12\n"
FAULT = next(iter(FAULTS))


@pytest.mark.parametrize(
    ("rule", "text", "found"),
    [
        (lint.sizes, "1\n" * 400, []),
        (lint.sizes, "1\n" * 401, ["ledger/a.py: 401 lines"]),
        (lint.sizes, "def f():\n" + "    1\n" * 59, []),
        (lint.sizes, "def f():\n" + "    1\n" * 60, ["ledger/a.py:1: f has 61 lines"]),
        (lint.sizes, "def f(a, b, c, d, e, f, *g): 1", []),
        (lint.sizes, "def f(a, b, c, d, e, f, g, *h): 1", ["ledger/a.py:1: f takes 8 parameters"]),
        (lint.rules, "# kept (W2 to W4)", []),
        (lint.rules, '"""Kept (W4, W5)."""', ["ledger/a.py: W5 is no rule"]),
        (lint.rules, "a = 'W9'  # `W9`, 2026-Q1", []),
        (lint.hints, "find('a', 'error', 'place', 'x', 'run `git push`')", []),
        (lint.hints, "hint = f'run {a} --force'", ["ledger/a.py:1: ' --force'"]),
        (lint.hints, "find('a', 'b', 'c', 'rm it')", ["ledger/a.py:1: 'rm it'"]),
        (lint.hints, "f(hint='git clean')", ["ledger/a.py:1: 'git clean'"]),
    ],
)  # fmt: skip
def test_a_rule_finds_what_breaks_it(rule: lint.Rule, text: str, found: list[str]) -> None:
    """What is at a limit passes, what is over it is named with its place."""
    said = rule(House({MODULE: text, lint.FORMAT: FORMAT}))
    assert len(said) == len(found)
    assert all(one in whole for one, whole in zip(found, said, strict=True))


@each_row(
    "line",
    [
        "import os; os.environ['A']", "import os; os.getcwd()", "import os; os.getenv('A')",
        "import os; os.path.expanduser('~')", "from os import environ", "from os.path import expanduser",
        "import time; time.time()", "import time; time.gmtime()", "from time import monotonic",
        "import datetime; datetime.datetime.now()", "from pathlib import Path; Path.cwd()",
    ],
)  # fmt: skip
def test_who_reads_the_clock_or_the_environment_is_found(line: str) -> None:
    """Each way of reading is seen but in the one module; converting a time that was given is none."""
    assert len(lint.environment(House({MODULE: line}))) == 1
    assert lint.environment(House({"ledger/environment.py": line})) == []
    assert lint.environment(House({MODULE: "import time; time.gmtime(0)"})) == []


def test_what_is_over_a_ceiling_is_found() -> None:
    """A count over its number, a number over what it was, a row too many."""
    files = {MODULE: "# one\n", lint.FORMAT: FORMAT, lint.CEILINGS: CEILINGS}
    assert lint.ceilings(House(files, [CEILINGS])) == []
    more = {**files, "tests/b.py": "\n", "ledger/c.py": "b = 1\n"}
    assert [one.split(":")[0] for one in lint.ceilings(House(more))] == [
        "source", "tests", "modules", "statements",
    ]  # fmt: skip
    before = [CEILINGS.replace("tests 0", "tests 1"), CEILINGS.replace("source 1", "source 0")]
    assert lint.ceilings(House(files, before)) == [".ci/ceilings: source was 0 already"]
    wide = {**files, lint.CEILINGS: CEILINGS + "words 1\n"}
    assert lint.ceilings(House(wide)) == [".ci/ceilings has other rows than are counted"]


def test_faults_are_cited_and_known() -> None:
    """In comments, docstrings and the names of tests; a range is all that lies between."""
    every = "\n".join(f"# fault:{code}" for code in FAULTS)
    assert lint.faults(House({"tests/test_a.py": every})) == []
    named = f"{every}\ndef test_{'z98'}_is_met(): '''fault:Z1 to fault:Z3'''"
    said = lint.faults(House({"tests/test_a.py": named}))
    assert sorted(said) == [f"tests/test_a.py: Z{number} is no fault" for number in (1, 2, 3, 98)]
    assert f"tests/faults.py: nothing cites {FAULT}" in lint.faults(House({}))


@each_row(
    "text, is_one",
    [
        ("pip install 'diurna[mcp]'", True),
        ("python -m pip install -U diurna", True),
        ("uvx diurna init --tour", True),
        ("uv tool install --force diurna", True),
        ("uv tool install '.[mcp]'", False),
        ('"$RUNNER_TEMP/diurna/bin/pip" install --quiet "$GITHUB_ACTION_PATH/../../.."', False),
        ("pip install -q -e . && .venv/bin/diurna init --tour", False),
    ],
)
def test_an_install_from_a_registry_is_found(text: str, is_one: bool) -> None:
    """Each usual spelling, and an install from a clone is none."""
    assert bool(lint.registry(House({PAGE: text}))) == is_one


def test_a_page_that_is_behind_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of codes, the rooms and layers, names of what is not there, a tale that is long."""
    monkeypatch.delenv(lint.WRITE_TABLES, raising=False)
    rows = [f"| `{code}` | {severity} | {said} |" for code, (severity, said) in CODES.items()]
    table = "\n".join(["", "| code | severity | meaning |", "|---|---|---|", *rows, ""])
    format_page = f"<!-- codes -->{table}<!-- /codes -->"
    assert lint.codes(House({lint.FORMAT: format_page})) == []
    assert len(lint.codes(House({lint.FORMAT: format_page.replace("| error |", "| info |")}))) == 1
    page = (
        "```rooms\nledger/  Bytes.\n```\n```layers\na → b\n```\n`ledger.a`\n1. Go.\nWithout a cache"
    )
    contracts = '[[tool.importlinter.contracts]]\ntype = "layers"\nlayers = ["a", "b"]'
    files = {
        "ledger/__init__.py": '"""Bytes."""', MODULE: "", lint.PROJECT: contracts, lint.ARCHITECTURE: page,
    }  # fmt: skip
    assert lint.architecture(House(files)) == []
    for old, new in (
        ("Bytes.", "Text."),
        ("a → b", "b"),
        ("`ledger.a`", "`ledger.b`"),
        ("1. Go", "1. " + "\n" * 30),
    ):
        changed = {**files, lint.ARCHITECTURE: page.replace(old, new, 1)}
        assert len(lint.architecture(House(changed))) == 1, old


@pytest.mark.parametrize("wrong", [rule.__name__ for rule in lint.RULES])
def test_each_rule_is_asked(
    wrong: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`python -m tests.lint` ends with 1 where any rule finds something, and names it."""

    def stand_in(name: str) -> lint.Rule:
        def rule(house: House) -> list[str]:
            return ["it"] if name == wrong else []

        rule.__name__ = name
        return rule

    monkeypatch.setattr(House, "at", lambda root: House({}))
    monkeypatch.setattr(lint, "RULES", [stand_in(rule.__name__) for rule in lint.RULES])
    assert (lint.main([]), lint.main([wrong])) == (1, 1)
    assert f"{wrong}: it\n" in capsys.readouterr().out
    assert lint.main(["another"]) == 0
