"""Read manifests, and ask about versions that changed and tasks that are gone of what facts name."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger.codec.outline import document_text
from ledger.escape import prose
from ledger.git.code_history import Code, Revision
from ledger.model.record import Record
from projection.text.claims import TARGET, VERSION, Claim
from rituals.review.named_things import Named
from rituals.review.questions import Question, question

#: Names of files that ask for dependencies or define tasks.
_NAMES = frozenset(
    "pyproject.toml package.json Cargo.toml go.mod Makefile makefile GNUmakefile justfile Justfile "
    ".python-version .nvmrc .node-version rust-toolchain rust-toolchain.toml .tool-versions".split()
)
_REQUIREMENTS = re.compile(r"^(?:requirements|constraints)[\w.-]*\.(?:txt|in)$")
_REQUIREMENT = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:[=<>!~^]=?=?\s*v?([\d.]+))?")
#: What stands before the body of a task, by runner: its name, or names.
_TASKS = {
    "make": re.compile(r"^([A-Za-z0-9][\w./-]*(?:[ \t]+[\w./-]+)*)[ \t]*::?(?!=)", re.MULTILINE),
    "just": re.compile(r"^@?([A-Za-z_][\w-]*)(?:[ \t]+[^:\n]*)?:(?!=)", re.MULTILINE),
}
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
    text = document_text(data) or ""
    try:
        if name == "package.json":
            return _package(json.loads(text))
        if name.endswith(".toml"):
            return _made(_toml(tomllib.loads(text)))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return Manifest()
    runner = {"makefile": "make", "gnumakefile": "make", "justfile": "just"}.get(name.lower())
    if runner:
        tasks = {(runner, one) for said in _TASKS[runner].findall(text) for one in said.split()}
        return Manifest((), tuple(sorted(tasks)))
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
    versions = {
        (str(name).lower(), number[0])
        for name, version in rows
        if (number := re.search(r"\d+(?:\.\d+)*", str(version)))
    }
    return Manifest(tuple(sorted(versions)))


def _requirement(line: str) -> tuple[str, str]:
    match = _REQUIREMENT.match(line.strip())
    return (match[1], match[2] or "") if match else ("", "")


def _package(values: dict[str, Any]) -> Manifest:
    rows = [row for table in _TABLES for row in (values.get(table) or {}).items()]
    runners = ("npm", "yarn", "pnpm", "bun")
    tasks = [(runner, task) for task in values.get("scripts") or {} for runner in runners]
    return _made(rows)._replace(targets=tuple(sorted(tasks)))


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


def agrees(said: str, other: str) -> bool:
    """Tell whether two versions agree as far as both say: `18` and `18.2.0` do."""
    return all(a == b for a, b in zip(said.split("."), other.split("."), strict=False))


def manifest_questions(
    named: Iterable[Named], code: Code, files: Mapping[str, str]
) -> list[Question]:
    """Ask about versions that changed and tasks that are gone.

    A version is looked for only where a manifest names that very dependency now, and is found only where
    a commit after the text was written took away the version that the text says; a text that names
    several of one dependency holds with any. `files` has the paths of the repository and their blob ids.
    """
    wanted = [one for one in named if one.claim.kind in (TARGET, VERSION)]
    if not wanted:
        return []
    paths = sorted(filter(is_manifest, files))
    data = code.contents([files[path] for path in paths])
    versions: dict[str, list[tuple[str, str]]] = {}
    tasks = set[tuple[str, str]]()
    for path in paths:
        manifest = read_manifest(path, data.get(files[path], b""))
        tasks.update(manifest.targets)
        for name, version in manifest.versions:
            versions.setdefault(name, []).append((version, path))
    suspects = []
    for one in wanted:
        task, now = (one.claim.detail, one.claim.subject), versions.get(one.claim.subject, ())
        if task not in tasks if one.claim.kind == TARGET else now:
            suspects.append((one, now))
    holding = {
        (one.fact.id, one.claim.subject)
        for one, now in suspects
        if one.claim.kind == VERSION and any(agrees(one.claim.detail, said) for said, _ in now)
    }
    suspects = [
        (one, now) for one, now in suspects
        if one.claim.kind == TARGET or (one.fact.id, one.claim.subject) not in holding
    ]  # fmt: skip
    if not suspects:
        return []
    revisions = list(code.revisions(paths, min(one.written_ms for one, _ in suspects)))
    blobs = code.contents([id for one in revisions for id in (one.before, one.after) if id])
    turns = [
        (
            one,
            read_manifest(one.path, blobs.get(one.before, b"")),
            read_manifest(one.path, blobs.get(one.after, b"")),
        )
        for one in revisions
    ]
    asked = [_question(one, now, turns, code) for one, now in suspects]
    return [question for question in asked if question is not None]


def _states(manifest: Manifest, claim: Claim) -> list[str]:
    """Return how a manifest says what a claim does: its version, or its task."""
    name, detail = claim.subject, claim.detail
    if claim.kind == TARGET:
        return [name] if (detail, name) in manifest.targets else []
    return [said for of, said in manifest.versions if of == name and agrees(detail, said)]


def _question(
    one: Named, now: Sequence[tuple[str, str]],
    turns: Iterable[tuple[Revision, Manifest, Manifest]], code: Code,
) -> Question | None:  # fmt: skip
    """Ask about what the newest commit that took it away left of a claim, None where none did.

    `now` has the versions of that dependency, each with its manifest; `turns` what manifests said before
    and after commits, newest first.
    """
    claim, fact, at = one.claim, one.fact.id, code.commit[:7]
    for turn, before, after in turns:
        had = _states(before, claim)
        if not had or _states(after, claim) or not turn.change.is_behind(one.written_ms):
            continue
        left = f"left `{prose(turn.path)}` in {prose(turn.change.said)}"
        if claim.kind == VERSION:
            name, (version, path) = prose(claim.subject), now[0]
            return question(
                "version-changed", fact, f"{claim.subject} {claim.detail}",
                said=f"{fact} says {name} {claim.detail}; {prose(path)} says {version}.",
                evidence=(f"`{prose(path)}` at {at} asks for {name} {version}", f"{had[0]} {left}"),
                proposal=f"let the text say {name} {version}",
            )  # fmt: skip
        command = f"{claim.detail} run {claim.subject}"
        if claim.detail in ("make", "just"):
            command = f"{claim.detail} {claim.subject}"
        return question(
            "command-gone", fact, f"{claim.detail} {claim.subject}",
            said=f"{fact} names the command `{prose(command)}`, which is gone.",
            evidence=(f"no manifest at {at} defines it", f"`{prose(claim.subject)}` {left}"),
            proposal="say what holds now, or that the fact is false",
        )  # fmt: skip
    return None
