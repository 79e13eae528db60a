"""Check that a branch still holds what it held when it was last found whole (fault:E8, fault:E9).

Where that was is kept in `<common git directory>/diurna/checkpoint`, one line for each branch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from ledger.errors import DiurnaError
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import STATE_DIR, stem_of
from ledger.model.order import is_stem
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, replace_file
from rituals.check.verify.session_listing import list_sessions, named


class Checkpoint(Record):
    """Where a branch was last found whole: the commit, how many logs it had, and their digest."""

    commit: str
    logs: int
    digest: str


def _checkpoint_file(home: Home) -> str:
    return f"{home.repository.commondir}/{STATE_DIR}/checkpoint"


def _checkpoint_lines(home: Home) -> dict[str, str]:
    """Return `<reference>@<prefix>` -> the rest of its line."""
    try:
        with open(_checkpoint_file(home), encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    except OSError:
        return {}
    parted = (line.partition("\t") for line in lines)
    return {name: rest for name, tab, rest in parted if tab}


def checkpoint(home: Home) -> Checkpoint | None:
    """Return where this home's branch was last found whole, None when that is not known."""
    if not home.reference:
        return None
    words = _checkpoint_lines(home).get(f"{home.reference}@{home.prefix}", "").split(" ")
    if len(words) != 3 or not words[1].isdigit():
        return None
    commit, logs, digest = words
    if len(commit) != 40 or commit.strip("0123456789abcdef"):
        return None
    return Checkpoint(commit, int(logs), digest)


def remember(home: Home, point: Checkpoint) -> None:
    """Note that the branch is whole; a disk that refuses is no reason to fail."""
    if not home.reference or checkpoint(home) == point:
        return
    lines = _checkpoint_lines(home)
    lines[f"{home.reference}@{home.prefix}"] = f"{point.commit} {point.logs} {point.digest}"
    text = "".join(f"{name}\t{rest}\n" for name, rest in sorted(lines.items()))
    path = _checkpoint_file(home)
    try:
        make_folder(os.path.dirname(path))
        replace_file(path, text.encode("utf-8", "surrogateescape"), 0o600)
    except DiurnaError:
        pass


def lost_since(
    home: Home, tip: str, standing: Mapping[str, str], held: frozenset[tuple[str, str]]
) -> dict[str, str] | None:
    """Return path -> blob of the logs that the last good tip had and this one has not.

    None when the history was rewritten and the old commit is gone, so that nobody can name them.
    Empty when the tip descends from it: then history tells what became of each log.

    `standing` is path -> blob at the tip; `held` has (stem, blob id) of redacted logs, which may be gone
    or replaced (fault:E7).
    """
    point = checkpoint(home)
    if point is None or not tip:
        return {}
    git = home.repository.git()
    if git.resolve(f"{point.commit}^{{commit}}")[0] != point.commit:
        now = _logs(standing)
        stems = {stem for stem, _ in now}
        purged = {stem for stem, _ in held} - stems
        return None if len(now) + len(purged) < point.logs else {}
    status, _, _ = git.call("merge-base", "--is-ancestor", point.commit, tip)
    if status == 0:
        return {}
    before = list_sessions(home, point.commit).standing
    kept = {(stem_of(path), blob) for path, blob in standing.items()}
    return {
        path: blob
        for path, blob in before.items()
        if is_stem(stem_of(path)) and (stem_of(path), blob) not in kept | held
    }


def _logs(standing: Mapping[str, str]) -> set[tuple[str, str]]:
    return {(stem_of(path), blob) for path, blob in standing.items() if is_stem(stem_of(path))}


def rewritten_findings(
    home: Home,
    tip: str,
    standing: Mapping[str, str],
    known: set[str],
    held: frozenset[tuple[str, str]],
) -> Iterator[Finding]:
    """Tell that logs went with a rewritten history (fault:E8, fault:E9); new commit ids are fine.

    `standing` and `held` are as for `lost_since`; `known` has paths of which is told elsewhere.
    """
    lost = lost_since(home, tip, standing, held)
    point = checkpoint(home)
    if point is None or lost == {}:
        return
    before = f"the history of {home.branch} was rewritten since {point.commit[:12]}"
    if lost is None:
        said = f"{before}: it had {point.logs} logs then and has {len(_logs(standing))} now"
        hint = "fetch the missing logs from a clone that has them"
        yield Finding("history-rewritten", said, hint=hint)
        return
    stems = sorted(stem_of(path) for path in lost if path not in known)
    if stems:
        hint = "`diurna check --restore` adds them again"
        yield Finding("history-rewritten", f"{before}, without {named(stems)}", hint=hint)
