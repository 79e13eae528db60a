"""Each rule of `tests.lint` finds what breaks it, and nothing in a house that keeps it."""

from __future__ import annotations

import pytest

from tests import lint
from tests.conftest import each_row
from tests.lint import FAULTS, House

FORMAT = "- **W2** *One.*\n- **W3** *Two.*\n- **W4** *Three.*\n"
MODULE, PAGE = "ledger/a.py", "rituals/guide/LOOKING.md"
CEILINGS = "source 1\ntests 0\nmodules 1\nstatements 0\nformat-words 12\n"
SMALL = {MODULE: "# one\n", lint.FORMAT: FORMAT, lint.CEILINGS: CEILINGS}
CITED = "\n".join(f"# fault:{code}" for code in FAULTS)


def module(text: str) -> dict[str, str]:
    return {MODULE: text, lint.FORMAT: FORMAT}


@each_row(
    "rule, files, found",
    [
        (lint.sizes, module("1\n" * 400), ""),
        (lint.sizes, module("1\n" * 401), "401 lines"),
        (lint.sizes, module("def f():\n" + "    1\n" * 59), ""),
        (lint.sizes, module("def f():\n" + "    1\n" * 60), "f has 61 lines"),
        (lint.sizes, module("def f(a, b, c, d, e, f, *g): 1"), ""),
        (lint.sizes, module("def f(a, b, c, d, e, f, g, *h): 1"), "f takes 8 parameters"),
        (lint.rules, module("# kept (W2 to W4)\na = 'W9'  # `W9`, 2026-Q1"), ""),
        (lint.rules, module('"""Kept (W4, W5)."""'), "W5 is no rule"),
        (lint.hints, module("find('a', 'error', 'place', 'x', 'run `git push`')"), ""),
        (lint.hints, module("hint = f'run {a} --force'"), "' --force'"),
        (lint.hints, module("find('a', 'b', 'c', 'rm it')"), "'rm it'"),
        (lint.hints, module("f(hint='git clean')"), "'git clean'"),
        (lint.environment, module("import time; time.gmtime(0)"), ""),
        (lint.environment, {"ledger/environment.py": "import os; os.environ['A']"}, ""),
        *[
            (lint.environment, module(line), "reads the clock")
            for line in (
                "import os; os.environ['A']", "import os; os.getcwd()", "from os import environ",
                "import os; os.path.expanduser('~')", "import time; time.gmtime()",
                "from time import monotonic", "import datetime; datetime.datetime.now()",
            )
        ],
        (lint.registry, {PAGE: "pip install -q -e . && .venv/bin/diurna init"}, ""),
        *[
            (lint.registry, {PAGE: line}, "diurna")
            for line in ("pip install 'diurna[mcp]'", "uvx diurna init --tour", "uv tool install diurna")
        ],
        (lint.faults, {"tests/test_a.py": CITED}, ""),
        (lint.faults, {"tests/test_a.py": f"{CITED}\ndef test_{'z98'}_is_met(): 1"}, "Z98 is no fault"),
        (lint.faults, {"tests/test_a.py": CITED.partition("\n")[2]}, "nothing cites "),
        (lint.ceilings, SMALL, ""),
        (lint.ceilings, {**SMALL, "tests/b.py": "\n"}, "tests: 1, over its ceiling of 0"),
        (lint.ceilings, {**SMALL, lint.CEILINGS: CEILINGS + "words 1\n"}, "has other rows"),
    ],
)  # fmt: skip
def test_a_rule_finds_what_breaks_it(rule: lint.Rule, files: dict[str, str], found: str) -> None:
    """What is at a limit passes; what is over it is named."""
    said = rule(House(files))
    assert (len(said), found in "".join(said)) == (bool(found), True), said


def test_no_ceiling_rises() -> None:
    """A number that is higher than in a commit of before is found."""
    before = [CEILINGS.replace("source 1", "source 0")]
    assert lint.ceilings(House(SMALL, before)) == [".ci/ceilings: source was 0 already"]


def test_any_rule_can_fail_the_lint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`python -m tests.lint` asks every rule, or those that are named, and names what was broken."""
    monkeypatch.setattr(House, "at", lambda root: House({MODULE: "import os\nos.getcwd()\n" * 201}))
    monkeypatch.setattr(lint, "RULES", (lint.sizes, lint.environment))
    assert [lint.main(names) for names in ([], ["sizes"], ["environment"], ["hints"])] == [
        1,
        1,
        1,
        0,
    ]
    assert {"sizes: ledger/a.py: 402 lines", "201 faults"} & set(
        capsys.readouterr().out.split("\n")
    )
