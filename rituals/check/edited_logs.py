"""List what stands below `sessions/` at a commit, also where folders of it can not be read.

Compare the logs in the work tree with it, which alone counts (fault:E4).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from ledger.errors import GitFailed
from ledger.git.cli import Git
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.log_names import FILE_MODE, is_stem, log_path, log_refs
from ledger.model.record import Record
from memory import named_few, work_file

_TREE_MODE = "040000"


class Listing(Record):
    """What stands below `sessions/` at the tip, by path relative to the home."""

    rows: tuple[tuple[str, str, str], ...]
    standing: Mapping[str, str]
    findings: tuple[Finding, ...]


def list_sessions(home: Home, tip: str) -> Listing:
    """List what is below `sessions/`, past folders that can not be read."""
    if not tip:
        return Listing((), {}, ())
    git = home.repository.git()
    folder = home.prefix + SESSIONS_DIR
    findings: list[Finding] = []
    try:
        rows = git.tree_files(tip, folder)
    except GitFailed:
        rows = list(_walk(home, git, f"{tip}:{home.prefix}", "", findings))
    cut = len(home.prefix)
    standing = {path[cut:]: blob for mode, blob, path in rows if mode == FILE_MODE}
    return Listing(tuple(rows), standing, tuple(findings))


def _walk(
    home: Home, git: Git, tree: str, path: str, findings: list[Finding]
) -> Iterator[tuple[str, str, str]]:
    """List a tree folder by folder; one that is missing is a finding and hides only itself."""
    status, out, _ = git.call("ls-tree", "-z", tree)
    if status:
        findings.append(_lost_folder(home, tree, path))
        return
    for row in out.decode("utf-8", "surrogateescape").split("\0"):
        meta, tab, name = row.partition("\t")
        if not tab or (not path and name != SESSIONS_DIR):
            continue
        mode, _, one = meta.split(" ")
        inner = f"{path}/{name}" if path else name
        if mode == _TREE_MODE:
            yield from _walk(home, git, one, inner, findings)
        else:
            yield mode, one, home.prefix + inner


def _lost_folder(home: Home, tree: str, path: str) -> Finding:
    """Name a folder's missing object and, where an earlier cache knows, the logs in it."""
    from memory import as_it_lies

    refs = as_it_lies(home, lambda cache: cache.log_refs()) or []
    known = [ref.stem for ref in refs if ref.path.startswith(path + "/")]
    said = f"; it held {named_few(known)}" if known else ""
    return Finding(
        "unreadable",
        f"the folder {path or home.prefix or '/'} (object {tree}) is missing from the repository, "
        f"and with it all logs below it{said}",
        path,
        hint="fetch it from a clone that has it; all other logs are read",
    )


def work_tree_findings(
    home: Home, listing: Listing, held: frozenset[tuple[str, str]] = frozenset()
) -> Iterator[Finding]:
    """Compare the logs in the work tree with those of the tip (fault:E4).

    `held` has (stem, blob id) of redacted logs: what was taken out of the ledger is not to come back.
    """
    redacted = {stem for stem, _ in held}
    standing = listing.standing
    tracked = {path[len(home.prefix) :] for _, _, path in listing.rows}
    told = {log_path(stem) for stem in home.spool.held()} if home.plain else ()
    here: set[str] = set()
    for path, ordinary in _work_files(home.folder, SESSIONS_DIR):
        here.add(path)
        stem = stem_of(path)
        if path in standing:
            if is_stem(stem) and not (ordinary and same_in_work_tree(home, path, standing[path])):
                yield _edited(path, "differs in the work tree from what is committed")
        elif path in tracked or path in told or not stem:
            continue
        elif is_stem(stem):
            yield Finding(
                "log-uncommitted",
                f"{path} stands in the work tree and is not committed; it does not count yet",
                path,
                hint="what it says was redacted, and it was taken out of the history: keep it elsewhere"
                if stem in redacted
                else f"git add {home.prefix}{path}, and commit",
            )
        else:
            odd = log_refs([(FILE_MODE, "", home.prefix + path)], home.prefix)[1]
            yield from odd
    missing = [path for path in standing if path not in here and is_stem(stem_of(path))]
    if missing:
        asked = ("--literal-pathspecs", "ls-files", "-t", "-z", "--full-name", "--")
        rows = home.repository.git().text(*asked, home.prefix + SESSIONS_DIR, check=False)
        skipped = {row[2:] for row in rows.split("\0") if row[:2] == "S "}  # a sparse checkout
        for path in missing:
            if home.prefix + path not in skipped:
                yield _edited(path, "is missing from the work tree")


def _edited(path: str, said: str) -> Finding:
    hint = "say what is new in a new log (`diurna append`), and put this one back as git has it"
    return Finding("log-edited", f"{path} {said}; the committed bytes count", path, hint=hint)


def same_in_work_tree(home: Home, path: str, blob: str) -> bool:
    """Tell whether the work tree has a file with the bytes of a blob."""
    from ledger.model.ids import blob_id

    data = work_file(home, path)
    return data is not None and blob_id(data) == blob


def _work_files(top: str, folder: str) -> Iterator[tuple[str, bool]]:
    """Yield (path, whether it is an ordinary file) of everything below a folder; follows no link."""
    todo = [folder]
    while todo:
        inner = todo.pop()
        try:
            if os.path.islink(f"{top}/{inner}"):
                continue
            with os.scandir(f"{top}/{inner}") as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in listed:
            path = f"{inner}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                todo.append(path)
            else:
                yield path, entry.is_file(follow_symlinks=False)
