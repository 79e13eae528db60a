"""Ask git about all that facts name at once; find stray commits, and files that changed a lot."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ledger.codec.plain_text import document_text
from ledger.escape import prose
from ledger.git.code_history import Change, Churn, Code
from ledger.model.record import Record
from projection.fold.projection_state import Standing
from projection.text.claims import COMMIT, PATH, TARGET, VERSION
from rituals.review.evidence.paths import (
    Named,
    name_questions,
    named_by,
    path_questions,
    used_ms,
)
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
    text = document_text(data) or ""
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


#: A file changed a lot when this many of its lines are gone, and at least half of all.
LOT_LINES = 40


def evidence_questions(standings: Iterable[Standing], code: Code) -> list[Question]:
    """Ask about everything that live facts name and that is no longer there."""
    named = named_by(standings)
    if not named:
        return []
    files = code.files()
    return [
        *path_questions(named, code, files),
        *name_questions(named, code),
        *manifest_questions(named, code, files),
        *commit_questions(named, code),
        *churn_questions(named, code, files),
    ]


def commit_questions(named: Iterable[Named], code: Code) -> Iterator[Question]:
    """Ask about commits that no branch or tag leads to: rebased, squashed or dropped.

    A commit of which the repository has nothing may be of another one and is no finding.
    """
    wanted = [(one.fact.id, one.claim.subject) for one in named if one.claim.kind == COMMIT]
    stray = code.stray(commit for _, commit in wanted)
    for fact, commit in wanted:
        if commit in stray:
            yield question(
                "commit-stray", fact, commit,
                said=f"{fact} names the commit {commit}, which is not in the history.",
                evidence=(
                    f"neither {code.commit[:7]} nor any branch or tag descends from it",
                    f"it is {prose(stray[commit].said)}",
                ),
                proposal="name the commit that took its place",
            )  # fmt: skip


def churn_questions(
    named: Iterable[Named], code: Code, files: Mapping[str, str]
) -> Iterator[Question]:
    """Ask about files of which most lines changed since the fact that names them was last used.

    `files` has the paths of the repository and their blob ids.
    """
    wanted = _found(named, files)
    if not wanted:
        return
    since = min(used_ms(one.fact) for one, _ in wanted)
    changes: dict[str, list[Churn]] = {}
    for churn in code.churn(sorted({path for _, path in wanted}), since):
        changes.setdefault(churn.path, []).append(churn)
    heavy = {
        path for path, some in changes.items() if sum(one.deleted for one in some) >= LOT_LINES
    }
    contents = code.contents([files[path] for path in heavy])
    for fact, path in [(one.fact, path) for one, path in wanted if path in heavy]:
        later = [churn for churn in changes[path] if churn.change.is_behind(used_ms(fact))]
        deleted, added = sum(one.deleted for one in later), sum(one.added for one in later)
        now = contents.get(files[path], b"").count(b"\n")
        then = max(now - added + deleted, 1)
        if deleted >= LOT_LINES and 2 * deleted >= then:
            newest = f"the newest change is {prose(later[0].change.said)}"
            yield question(
                "code-changed", fact.id, path, fact.anchor, said=f"{fact.id} names `{prose(path)}`.",
                evidence=(f"{deleted} lines of {then} are gone since, {added} came; {newest}",),
                proposal="read it again, and reference it if it still holds",
            )  # fmt: skip


def _found(named: Iterable[Named], files: Iterable[str]) -> list[tuple[Named, str]]:
    """Return what names one file and no other, with its path."""
    places: dict[str, list[str]] = {}
    for path in files:
        places.setdefault(path.rpartition("/")[2], []).append(path)
    found = []
    for one in [one for one in named if one.claim.kind == PATH]:
        subject = one.claim.subject
        fits = [
            path
            for path in places.get(subject.rpartition("/")[2], ())
            if path == subject or path.endswith("/" + subject)
        ]
        if subject in fits or len(fits) == 1:
            found.append((one, subject if subject in fits else fits[0]))
    return found
