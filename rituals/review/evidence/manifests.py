"""Read the manifests of the code: which versions they ask for, and which tasks they define. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from ledger.model.record import Record

#: Names of files that ask for dependencies or define tasks.
_NAMES = frozenset(
    "pyproject.toml package.json Cargo.toml go.mod Makefile makefile GNUmakefile justfile Justfile "
    ".python-version .nvmrc .node-version rust-toolchain rust-toolchain.toml .tool-versions".split()
)
_REQUIREMENTS = re.compile(r"^(?:requirements|constraints)[\w.-]*\.(?:txt|in)$")
_REQUIREMENT = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:[=<>!~^]=?=?\s*v?([\d.]+))?")
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies", "devDependencies",
           "peerDependencies", "optionalDependencies", "engines")  # fmt: skip
#: Folders whose manifests are not this repository's own.
_FOREIGN = frozenset(
    ("node_modules", "vendor", "third_party", "site-packages", "testdata", "fixtures")
)


class Manifest(Record):
    """What one manifest says."""

    versions: tuple[tuple[str, str], ...] = ()  #: (name in lower case, version), sorted
    targets: tuple[tuple[str, str], ...] = ()  #: (runner, task), sorted


def is_manifest(path: str) -> bool:
    """Tell whether a file is a manifest of this repository's own."""
    *folders, name = path.split("/")
    return (name in _NAMES or bool(_REQUIREMENTS.match(name))) and not _FOREIGN & set(folders)


def read_manifest(path: str, data: bytes) -> Manifest:
    """Read a manifest; what can not be read says nothing."""
    name = path.rpartition("/")[2]
    text = data.decode("utf-8", "replace")
    try:
        if name == "package.json":
            return _package(json.loads(text))
        if name.endswith(".toml"):
            return _made(_toml(tomllib.loads(text)))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return Manifest()
    if name in ("Makefile", "makefile", "GNUmakefile"):
        tasks = re.findall(
            r"^([A-Za-z0-9][\w./-]*(?:[ \t]+[\w./-]+)*)[ \t]*::?(?!=)", text, re.MULTILINE
        )
        return Manifest(
            (), tuple(sorted({("make", one) for task in tasks for one in task.split()}))
        )
    if name in ("justfile", "Justfile"):
        tasks = re.findall(r"^@?([A-Za-z_][\w-]*)(?:[ \t]+[^:\n]*)?:(?!=)", text, re.MULTILINE)
        return Manifest((), tuple(sorted({("just", task) for task in tasks})))
    if name == "go.mod":
        rows = re.findall(r"^\s*(?:require\s+)?([\w./-]+)\s+v?(\d[\d.]*)", text, re.MULTILINE)
        return _made([*rows, *[(one.rpartition("/")[2], version) for one, version in rows]])
    if name in (".python-version", ".nvmrc", ".node-version", "rust-toolchain"):
        of = {".python-version": "python", "rust-toolchain": "rust"}.get(name, "node")
        return _made([(of, text.strip().lstrip("v"))])
    if name == ".tool-versions":
        return _made(re.findall(r"^(\w+)[ \t]+v?(\d[\d.]*)", text, re.MULTILINE))
    return _made(_requirement(line) for line in text.split("\n"))


def _made(rows: Any) -> Manifest:
    found = {
        (str(name).lower(), number) for name, version in rows if (number := _number(str(version)))
    }
    return Manifest(tuple(sorted(found)))


def _number(version: str) -> str:
    """Return the number in `^18.2.0`, `>=3.11`, `v20`; "" where there is none."""
    match = re.search(r"\d+(?:\.\d+)*", version)
    return match[0] if match else ""


def _requirement(line: str) -> tuple[str, str]:
    match = _REQUIREMENT.match(line.strip())
    return (match[1], match[2] or "") if match else ("", "")


def _package(values: dict[str, Any]) -> Manifest:
    rows = [row for table in _TABLES for row in (values.get(table) or {}).items()]
    found = _made(rows)
    tasks = [
        (runner, task)
        for task in values.get("scripts") or {}
        for runner in ("npm", "yarn", "pnpm", "bun")
    ]
    return found._replace(targets=tuple(sorted(tasks)))


def _toml(values: dict[str, Any]) -> list[tuple[str, str]]:
    """Gather versions from any TOML manifest: PEP 621, Poetry, Cargo, rust-toolchain."""
    rows: list[tuple[str, str]] = []
    project = values.get("project") or {}
    listed = list(project.get("dependencies") or ())
    for group in (project.get("optional-dependencies"), values.get("dependency-groups")):
        listed += [one for some in (group or {}).values() for one in some]
    rows += [_requirement(one) for one in listed if isinstance(one, str)]
    rows.append(("python", project.get("requires-python") or ""))
    package = values.get("package") or {}
    rows += [("rust", package.get("rust-version") or ""), ("edition", package.get("edition") or "")]
    rows.append(("rust", (values.get("toolchain") or {}).get("channel") or ""))
    todo: list[Any] = [values]
    while todo:
        table = todo.pop()
        for key, value in table.items():
            if not isinstance(value, dict):
                continue
            if key in _TABLES and table is not project:
                for name, said in value.items():
                    version = said.get("version", "") if isinstance(said, dict) else said
                    if isinstance(version, str):
                        rows.append((name, version))
            else:
                todo.append(value)
    return rows


def agrees(said: str, found: str) -> bool:
    """Tell whether two versions agree as far as both say: `18` and `18.2.0` do."""
    return all(a == b for a, b in zip(said.split("."), found.split("."), strict=False))
