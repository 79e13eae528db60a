"""ARCHITECTURE.md is true: its modules exist, its rooms and layers are those of the tree and the contracts."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.faults import FAULTS
from tests.pages import ARCHITECTURE, ROOT, check_or_write, filled

pytestmark = pytest.mark.skipif(
    not ARCHITECTURE.exists() or not (ROOT / "pyproject.toml").exists(),
    reason="this is about the source tree",
)
PACKAGES = ("ledger", "projection", "memory", "rituals")


def _purpose(folder: Path) -> str:
    """Return the first sentence of what a folder says of itself."""
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return " ".join(said.split("\n\n")[0].split())


def rooms() -> str:
    """Write a line for each folder with modules: its path, and what it is for."""
    found = sorted(file.parent for name in PACKAGES for file in (ROOT / name).rglob("__init__.py"))
    found.sort(key=lambda folder: PACKAGES.index(folder.relative_to(ROOT).parts[0]))
    rows = [(f"{folder.relative_to(ROOT).as_posix()}/", _purpose(folder)) for folder in found]
    width = max(len(path) for path, _ in rows) + 2
    return "".join(f"{path:<{width}}{said}\n" for path, said in rows)


def layers() -> str:
    """Write the layers of the contracts, the highest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    lines = []
    for contract in contracts:
        if contract["type"] == "layers":
            above = f"{contract['containers'][0]}." if "containers" in contract else ""
            lines.append(" → ".join(f"{above}{layer}" for layer in contract["layers"]))
    return "".join(f"{line}\n" for line in lines)


def cited_faults() -> str:
    """Write a line for each fault that the source cites."""
    source = "".join(
        path.read_text("utf-8") for name in PACKAGES for path in (ROOT / name).rglob("*.py")
    )
    cited = set(re.findall(r"fault:([A-Z][0-9]+)", source))
    return "".join(f"{code:<4}{said}\n" for code, said in FAULTS.items() if code in cited)


def test_rooms_and_layers_are_those_of_the_tree() -> None:
    """Every folder is named with the first sentence of its `__init__`; the layers are the contracts'."""
    told = {"rooms": rooms(), "layers": layers(), "faults": cited_faults()}
    text = ARCHITECTURE.read_text(encoding="utf-8")
    check_or_write(ARCHITECTURE, filled(text, lambda _, language: told.get(language)))


def test_every_module_and_path_that_is_named_exists() -> None:
    """Names in backticks that begin with one of the four packages are modules, folders or files."""
    named = re.findall(
        rf"`((?:{'|'.join(PACKAGES)})[./][\w./]+)`", ARCHITECTURE.read_text(encoding="utf-8")
    )
    assert len(named) > 40
    for name in named:
        path = ROOT / (name if "/" in name else name.replace(".", "/"))
        assert path.exists() or path.with_suffix(".py").exists(), name


def test_the_tale_is_short() -> None:
    """The way of a draft is told in about twenty lines."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    tale = text[text.index("1. ") : text.index("Without a cache")]
    assert len(tale.strip().splitlines()) <= 24
