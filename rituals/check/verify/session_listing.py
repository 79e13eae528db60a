"""List what stands below `sessions/` at a commit, also where folders of it can not be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ledger.errors import GitFailed
from ledger.git.cli import Git
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import SESSIONS_DIR
from ledger.model.record import Record
from memory.repair.lost_logs import named

FILE_MODE = "100644"
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
    from memory.cache.name_lookup import as_it_lies

    refs = as_it_lies(home, lambda cache: cache.log_refs()) or []
    known = [ref.stem for ref in refs if ref.path.startswith(path + "/")]
    said = f"; it held {named(known)}" if known else ""
    return Finding(
        "unreadable",
        f"the folder {path or home.prefix or '/'} (object {tree}) is missing from the repository, "
        f"and with it all logs below it{said}",
        path,
        hint="fetch it from a clone that has it; all other logs are read",
    )
