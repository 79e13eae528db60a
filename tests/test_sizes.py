"""How large modules and functions may be, and how many parameters a function takes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("ledger", "projection", "memory", "rituals")
MODULE_LINES, FUNCTION_LINES, PARAMETERS = 400, 60, 7
#: The lines of Python that there are at most, of the four packages and of the tests: whoever lowers them
#: writes the lower number here, and nobody a higher one but for a feature that says so in its commit.
LINES = {"source": 123_300, "tests": 106_700}


def too_large(path: Path) -> list[str]:
    """What of a module is over a limit."""
    source = path.read_text()
    name = path.relative_to(ROOT)
    lines = source.count("\n")
    found = [f"{name}: {lines} lines"] if lines > MODULE_LINES else []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        taken = node.args
        named = [one.arg for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)]
        some = [one for one in (taken.vararg, taken.kwarg) if one is not None]
        parameters = len(named) + len(some) - (named[:1] in (["self"], ["cls"]))
        long = (node.end_lineno or 0) - node.lineno + 1
        if long > FUNCTION_LINES:
            found.append(f"{name}:{node.lineno}: {node.name} has {long} lines")
        if parameters > PARAMETERS:
            found.append(f"{name}:{node.lineno}: {node.name} takes {parameters} parameters")
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_is_too_large(package: str) -> None:
    """Modules have at most 400 lines, functions 60 lines and seven parameters beside `self`."""
    paths = sorted((ROOT / package).rglob("*.py"))
    assert len(paths) > 10
    assert [one for path in paths for one in too_large(path)] == []


def test_what_is_too_large_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the three limits is seen where it is passed by one."""
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "long.py"
    path.write_text("def f(a, b, c, d, e, f, g, h):\n" + "    1\n" * 60 + "#\n" * 340)
    assert too_large(path) == [
        "long.py: 401 lines", "long.py:1: f has 61 lines", "long.py:1: f takes 8 parameters",
    ]  # fmt: skip
    path.write_text("def f(a, b, c, d, e, f, *g):\n" + "    1\n" * 59 + "#\n" * 340)
    assert too_large(path) == []


def test_the_house_does_not_grow() -> None:
    """There are no more lines than there were."""
    folders = {"source": PACKAGES, "tests": ("tests",)}
    lines = {
        part: sum(
            path.read_bytes().count(b"\n") for name in names for path in (ROOT / name).rglob("*.py")
        )
        for part, names in folders.items()
    }
    assert all(lines[part] <= LINES[part] for part in LINES), lines
