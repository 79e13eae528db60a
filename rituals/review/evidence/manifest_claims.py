"""Find versions and tasks that manifests had when a fact named them, and have no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.escape import prose
from ledger.git.code_history import Change, Code
from ledger.model.record import Record
from projection.text.claims import TARGET, VERSION
from rituals.review.evidence.audit_subjects import Named
from rituals.review.evidence.manifests import Manifest, agrees, is_manifest, read_manifest
from rituals.review.review_question import Question, question


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
