"""What a stranger's machine gets: light imports, one-way imports, a complete wheel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import requires
from pathlib import Path

import pytest

import memory

#: Where the packages are: the checkout, or `site-packages` when a wheel is tested.
HERE = Path(memory.__file__).parent.parent
CHECKOUT = Path(__file__).parent.parent
PACKAGES = ("ledger", "projection", "memory", "rituals")

needs_checkout = pytest.mark.skipif(
    not (CHECKOUT / "pyproject.toml").exists() or HERE != CHECKOUT,
    reason="this is about the source tree",
)

#: What `show`, `append` and the library's reading load before anything is asked.
FAST = (
    "ledger.codec.log", "ledger.codec.canonical_draft", "ledger.git.committer", "ledger.home", "ledger.model.layout",
    "ledger.codec.fast_read", "ledger.wal.spool", "memory.api", "memory.query.reader",
    "memory.write.branch_lock", "memory.brief.brief_maker", "memory.query.cached_briefs", "memory.cache.rebuild", "memory.cache.cache_file",
    "memory.worktree.page_copies", "ledger.git.committer", "memory.write.spool_commits", "memory.cache.schema", "memory.write.near_facts",
    "memory.worktree.rendered_pages", "memory.replay.tip_snapshot",
    "projection.document.archive_pages", "projection.brief.budget", "projection.brief.choice", "projection.likeness", "projection.document.page_parser", "projection.document.page_renderer",
    "projection.fold.full_replay", "projection.text.normalize",
)  # fmt: skip
#: Libraries, and parts of the standard library that cost more than everything that `show` does.
HEAVY = frozenset(
    "pygit2 click markdown_it rapidfuzz cffi "
    "re typing dataclasses enum inspect json subprocess hashlib pathlib tempfile logging "
    "argparse contextlib tomllib random socket threading".split()
)


def loaded_by(*modules: str) -> set[str]:
    """Import modules in a bare interpreter; return the top-level names that came with them."""
    code = (
        f"import sys; sys.path.insert(0, {str(HERE)!r}); before = set(sys.modules)\n"
        f"import {', '.join(modules)}\n"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    # -S leaves site-packages out: what needs a library fails, and .pth files load nothing
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return set(done.stdout.split())


def test_fast_path_loads_no_library() -> None:
    """The modules of the fast path load no library and nothing slow of the standard library."""
    if loaded_by(*FAST) & HEAVY:
        assert {module: found for module in FAST if (found := loaded_by(module) & HEAVY)} == {}


def test_importing_the_packages_loads_nothing() -> None:
    """`import memory` has no side effects: the library comes with the first use of `Memory`."""
    assert loaded_by(*PACKAGES) - set(PACKAGES) <= {"__future__"}


@pytest.mark.parametrize("package", ("ledger", "projection"))
def test_core_packages_load_no_pygit2(package: str) -> None:
    """Every module of `ledger` and `projection` but the doors imports without pygit2."""
    doors = {
        "ledger.git.pygit2_store": "pygit2",
        "projection.text.normalize": "rapidfuzz",
    }
    modules = [
        ".".join(file.relative_to(HERE).with_suffix("").parts)
        for file in sorted((HERE / package).rglob("[a-z]*.py"))
    ]
    loaded = loaded_by(*[module for module in modules if module not in doors])
    assert loaded & {"pygit2", "markdown_it", "click", "rapidfuzz"} == set()


def test_five_libraries_are_enough() -> None:
    """Those that were chosen; what an extra brings is no need."""
    needs = [one for one in requires("diurna") or () if "extra ==" not in one]
    names = {re.split(r"[ <>=!~;]", one)[0] for one in needs}
    assert names == {"pygit2", "markdown-it-py", "click", "pydantic", "rapidfuzz"}


def test_packages_are_typed() -> None:
    """Every package carries `py.typed`, and `ledger` its format document."""
    assert [name for name in PACKAGES if not (HERE / name / "py.typed").is_file()] == []
    assert (HERE / "ledger" / "FORMAT.md").is_file()


@needs_checkout
def test_wheel_holds_the_four_packages_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheel has the packages with their data files, the command and the license, and no tests."""
    build = pytest.importorskip("hatchling.build")
    monkeypatch.chdir(CHECKOUT)
    name = build.build_wheel(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        files = wheel.namelist()
        points = next(file for file in files if file.endswith("entry_points.txt"))
        # no script of our own, though it would start sooner: no installer writes one for a path with blanks
        assert "diurna = rituals.cli.entry:script" in wheel.read(points).decode()
    tops = {file.split("/")[0] for file in files}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    assert {f"{package}/py.typed" for package in PACKAGES} | {"ledger/FORMAT.md"} <= set(files)
    assert any(file.endswith("/licenses/LICENSE") for file in files)
    python = {file for file in files if file.endswith(".py")}
    here = {
        str(f.relative_to(CHECKOUT)) for name in PACKAGES for f in (CHECKOUT / name).rglob("*.py")
    }
    assert python == here
    data = [
        f for f in (CHECKOUT / "rituals/hosts/install").rglob("*") if f.suffix in (".md", ".js")
    ]
    assert {str(f.relative_to(CHECKOUT)) for f in data} <= set(files)
    assert sum(f.name == "SKILL.md" for f in data) == 6


@needs_checkout
def test_a_folder_named_memory_does_not_shadow_ours(tmp_path: Path) -> None:
    """`python -P -m rituals` finds our packages in a repository that has a folder `memory/`."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "__init__.py").write_text("raise SystemExit('the wrong memory')\n")
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "rituals", "--version"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("diurna ")
