"""Read the manifests of the code: which versions they ask for, and which tasks they define. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from ledger.escape import prose
from ledger.git.code_history import Change, Code
from ledger.model.record import Record
from projection.text.claims import TARGET, VERSION
from rituals.review.evidence.paths import Named
from rituals.review.review_question import Question, question

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
    """Make a manifest of (name, version); the version is the number in `^18.2.0`, `>=3.11` or `v20`."""
    found = {
        (str(name).lower(), number[0])
        for name, version in rows
        if (number := re.search(r"\d+(?:\.\d+)*", str(version)))
    }
    return Manifest(tuple(sorted(found)))


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


class _Turn(Record):
    """What a manifest said before and after a commit."""

    path: str
    before: Manifest
    after: Manifest
    change: Change


def manifest_questions(
    named: Iterable[Named], code: Code, files: Mapping[str, str]
) -> list[Question]:
    """Ask about versions that changed and tasks that are gone.

    A version is looked for only where a manifest names that very dependency now, and is found only where
    a commit after the text was written took away the version that the text says. `files` has the paths
    of the repository and their blob ids.
    """
    wanted = [one for one in named if one.claim.kind in (TARGET, VERSION)]
    if not wanted:
        return []
    paths = sorted(path for path in files if is_manifest(path))
    data = code.contents([files[path] for path in paths])
    now = {path: read_manifest(path, data.get(files[path], b"")) for path in paths}
    versions: dict[str, list[tuple[str, str]]] = {}
    for path, manifest in now.items():
        for name, version in manifest.versions:
            versions.setdefault(name, []).append((version, path))
    tasks = {task for manifest in now.values() for task in manifest.targets}
    suspects = [
        one
        for one in _inconsistent(wanted, versions)
        if one.claim.kind == VERSION or (one.claim.detail, one.claim.subject) not in tasks
    ]
    if not suspects:
        return []
    turns = _turns(code, paths, min(one.written_ms for one in suspects))
    found = [
        _version(one, versions, turns, code)
        if one.claim.kind == VERSION
        else _task(one, turns, code)
        for one in suspects
    ]
    return [question for question in found if question is not None]


def _inconsistent(
    wanted: list[Named], versions: Mapping[str, list[tuple[str, str]]]
) -> list[Named]:
    """Leave out versions that hold; a text that names several of one dependency holds with any."""
    holding = {
        (one.fact.id, one.claim.subject)
        for one in wanted
        if one.claim.kind == VERSION
        and any(agrees(one.claim.detail, now) for now, _ in versions.get(one.claim.subject, ()))
    }
    return [
        one
        for one in wanted
        if one.claim.kind == TARGET
        or (one.claim.subject in versions and (one.fact.id, one.claim.subject) not in holding)
    ]


def _turns(code: Code, paths: list[str], since_ms: int) -> list[_Turn]:
    """Read what commits did to the manifests, newest first."""
    revisions = list(code.revisions(paths, since_ms))
    blobs = code.contents([b for one in revisions for b in (one.before, one.after) if b])
    return [
        _Turn(
            one.path,
            read_manifest(one.path, blobs.get(one.before, b"")),
            read_manifest(one.path, blobs.get(one.after, b"")),
            one.change,
        )
        for one in revisions
    ]


def _version(
    one: Named, versions: Mapping[str, list[tuple[str, str]]], turns: list[_Turn], code: Code
) -> Question | None:
    name, said, fact = one.claim.subject, one.claim.detail, one.fact.id
    for turn in turns:
        had = [v for n, v in turn.before.versions if n == name and agrees(said, v)]
        has = [v for n, v in turn.after.versions if n == name and agrees(said, v)]
        if had and not has and turn.change.is_behind(one.written_ms):
            now, path = versions[name][0]
            return question(
                "version-changed", fact, f"{name} {said}",
                said=f"{fact} says {prose(name)} {said}; {prose(path)} says {now}.",
                evidence=(
                    f"`{prose(path)}` at {code.commit[:7]} asks for {prose(name)} {now}",
                    f"{had[0]} left `{prose(turn.path)}` in {prose(turn.change.said)}",
                ),
                proposal=f"let the text say {prose(name)} {now}",
            )  # fmt: skip
    return None


def _task(one: Named, turns: list[_Turn], code: Code) -> Question | None:
    runner, task, fact = one.claim.detail, one.claim.subject, one.fact.id
    command = prose(f"{runner} {task}" if runner in ("make", "just") else f"{runner} run {task}")
    for turn in turns:
        left = (runner, task) in turn.before.targets and (runner, task) not in turn.after.targets
        if left and turn.change.is_behind(one.written_ms):
            return question(
                "command-gone", fact, f"{runner} {task}",
                said=f"{fact} names the command `{command}`, which is gone.",
                evidence=(
                    f"no manifest at {code.commit[:7]} defines it",
                    f"`{prose(task)}` left `{prose(turn.path)}` in {prose(turn.change.said)}",
                ),
                proposal="say what holds now, or that the fact is false",
            )  # fmt: skip
    return None
