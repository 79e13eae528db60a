"""Every code that code and tests cite is defined: faults in `tests.faults`, all others in FORMAT.md."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

from tests.faults import FAULTS, GROUPS
from tests.pages import ROOT

FORMAT = ROOT / "ledger" / "FORMAT.md"
pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").exists(), reason="this is about the source tree"
)
PACKAGES = ("ledger", "projection", "memory", "rituals")
_FAULT = re.compile(r"fault:([A-Z]+\d+)(?:\s+to\s+fault:([A-Z]+\d+))?")
_RULE = re.compile(r"(?<![\w:#/`'\"-])([A-Z])(\d{1,2})(?:\s+to\s+\1(\d{1,2}))?(?![\w`'\"])")
_IN_NAME = re.compile(r"def test_((?:[a-z]\d{1,2}_(?:to_)?)+)")


def sources(*folders: str) -> list[Path]:
    """Return the Python files below some folders."""
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def prose(file: Path, cites: re.Pattern[str]) -> str:
    """Return the comments and docstrings of a file, "" where nothing in it looks like a citation."""
    text = file.read_text(encoding="utf-8")
    if not cites.search(text):
        return ""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    named = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, named)]
    return "\n".join([*comments, *[ast.get_docstring(node) or "" for node in nodes]])


def cited_faults(text: str) -> set[str]:
    """Return the codes of faults in a text, those between the ends of a range among them."""
    found = set()
    for first, last in _FAULT.findall(text):
        group, numbers = first[0], range(int(first[1:]), int((last or first)[1:]) + 1)
        found |= {f"{group}{number}" for number in numbers}
    return found


def cited_rules(text: str) -> set[str]:
    """Return the bare codes in a text, those between the ends of a range among them."""
    found = set()
    for group, first, last in _RULE.findall(text):
        found |= {f"{group}{number}" for number in range(int(first), int(last or first) + 1)}
    return found


def test_every_fault_that_is_cited_stands_in_the_table() -> None:
    """In comments, docstrings and the names of tests; and nothing stands in the table uncited."""
    cited = {
        code: file.relative_to(ROOT).as_posix()
        for file in sources(*PACKAGES, "tests")
        for code in cited_faults(prose(file, _FAULT))
    }
    for file in sources("tests"):
        for run in _IN_NAME.findall(file.read_text(encoding="utf-8")):
            cited |= dict.fromkeys(re.findall(r"[A-Z]\d+", run.upper()), file.name)
    assert {code: where for code, where in cited.items() if code not in FAULTS} == {}
    assert FAULTS.keys() - cited.keys() == set()
    assert {code[0] for code in FAULTS} == GROUPS.keys()


def test_every_bare_code_is_a_rule_of_the_format() -> None:
    """A code without `fault:` in the four packages is defined in FORMAT.md."""
    numbered = re.findall(
        r"^- \*\*([A-Z]\d+)\*\*", FORMAT.read_text(encoding="utf-8"), re.MULTILINE
    )
    rules = set(numbered)
    assert len(numbered) == len(rules), "a number is never given to anything else"
    cited = {
        code: file.relative_to(ROOT).as_posix()
        for file in sources(*PACKAGES)
        for code in cited_rules(prose(file, _RULE))
    }
    assert len(cited) > 40
    assert {code: where for code, where in cited.items() if code not in rules} == {}


@pytest.mark.parametrize(
    ("text", "faults", "rules"),
    [
        ("told (fault:B5 to fault:B7, fault:D9)", {"B5", "B6", "B7", "D9"}, set()),
        ("kept (FORMAT.md, W2 to W4; fault:E7)", {"E7"}, {"W2", "W3", "W4"}),
        ("of `F10/F11`, 2026-Q1, K1's", set(), set()),
    ],
)
def test_citations_are_read(text: str, faults: set[str], rules: set[str]) -> None:
    """Ranges count as all that lies between; what only looks like a code is none."""
    assert (cited_faults(text), cited_rules(text)) == (faults, rules)
