"""Snapshot: the ledger as it stands at a commit, by way of a cache that follows the branch."""

from __future__ import annotations

import os

from ledger.disk import make_folder
from ledger.errors import DiurnaError, PolicyInvalid, StorageFailed
from ledger.findings import Finding
from ledger.layout import POLICY_FILE, SESSIONS_DIR
from ledger.logset import LogRef, log_refs
from ledger.order import is_stem
from memory.cache import CACHE_ERRORS, Cache, CacheUnusable, build, open_cache
from memory.reading import read_all, read_few
from projection.policy import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.home import Home

    Progress = Callable[[int, int], None]

#: From how many new logs on a cold rebuild is faster than adding them one by one.
_REBUILD_FROM = 5000


class Snapshot:
    """Follows one home. Reading it writes nothing but the cache.

    Args:
        home: the home.
        progress: told how far a long reading is.
    """

    def __init__(self, home: Home, progress: Progress | None = None) -> None:
        self.home = home
        self._progress = progress
        self._path = home.cache_file + ".sqlite"
        self._cache: Cache | None = None
        self.notes: list[Finding] = []

    def cache(self, tip: str | None = None) -> Cache:
        """Return the cache, brought to the branch's tip (or to the commit given)."""
        wanted = self.home.tip() if tip is None else tip
        for _ in range(8):
            cache = self._open()
            if cache is None:
                break
            if cache.commit == wanted:
                return cache
            try:
                if self._advance(cache, wanted):
                    return cache
            except CACHE_ERRORS:
                break
            if cache.commit == wanted:  # another process was faster
                return cache
        return self._rebuild(wanted)

    def close(self) -> None:
        """Close the cache file."""
        if self._cache is not None:
            self._cache.close()
            self._cache = None

    def _open(self) -> Cache | None:
        if self._cache is None:
            try:
                self._cache = open_cache(self._path)
            except CacheUnusable:
                if os.path.exists(self._path):
                    self.notes.append(
                        Finding("cache-rebuilt", "the cache was unusable and was built anew")
                    )
                return None
        else:
            try:
                self._cache.load()
            except CACHE_ERRORS:
                self.close()
                return None
        return self._cache

    def _advance(self, cache: Cache, tip: str) -> bool:
        """Bring the cache to a tip that only adds logs; False when that is not the case."""
        if not cache.commit or not tip:
            return self._rebuilt(tip)
        base = cache.commit
        prefix = self.home.prefix
        git = self.home.repository.git()
        changes = git.changes(base, tip, prefix + SESSIONS_DIR, prefix + POLICY_FILE)
        if changes is None or len(changes) > _REBUILD_FROM:
            return self._rebuilt(tip)
        added: list[tuple[str, str, str]] = []
        policy: tuple[str, Policy, str] | None = None
        for letter, mode, blob, path in changes:
            if path == prefix + POLICY_FILE:
                policy = self.read_policy("" if letter == "D" else blob)
            elif letter == "A":
                added.append((mode, blob, path))
            elif is_stem(path[path.rfind("/") + 1 : -3]):
                return self._rebuilt(tip)  # a log was changed or is gone: the set shrank
        refs, findings = log_refs(added, prefix)
        if any(finding.code == "duplicate-stem" for finding in findings) or any(
            cache.log_ref(ref.key) for ref in refs
        ):
            return self._rebuilt(tip)
        reading = read_few(self.home, refs)
        if len(reading.refs) != len(refs):
            return self._rebuilt(tip)
        noticed = (*findings, *reading.findings)
        return cache.advance(base, tip, reading.refs, reading.entries, noticed, policy)

    def _rebuilt(self, tip: str) -> bool:
        self._rebuild(tip)
        return False

    def _rebuild(self, tip: str) -> Cache:
        """Read everything and write the cache anew."""
        refs, odd = self.list_logs(tip)
        reading = read_all(self.home, refs, self._progress)
        blob = self.policy_blob(tip)
        self.close()
        findings = (*odd, *reading.findings)
        arguments = (tip, reading.refs, reading.entries, findings, self.read_policy(blob))
        try:
            make_folder(os.path.dirname(self._path))
            self._cache = build(self._path, *arguments)
        except (*CACHE_ERRORS, OSError, StorageFailed, CacheUnusable):
            # a read-only or full disk: the same answers, kept in memory
            self._cache = build("", *arguments)
        return self._cache

    def list_logs(self, tip: str) -> tuple[list[LogRef], tuple[Finding, ...]]:
        """List the logs of a commit, and what else lies beside them."""
        if not tip:
            return [], ()
        git = self.home.repository.git()
        rows = git.tree_files(tip, self.home.prefix + SESSIONS_DIR)
        return log_refs(rows, self.home.prefix)

    def policy_blob(self, tip: str) -> str:
        """Return the blob id of the policy in a commit, "" when it has none."""
        if not tip:
            return ""
        return self.home.repository.git().resolve(f"{tip}:{self.home.prefix}{POLICY_FILE}")[0]

    def read_policy(self, blob: str) -> tuple[str, Policy, str]:
        """Read a policy; an unreadable one gives the defaults and says what is wrong with it."""
        if not blob:
            return "", Policy(), f"{POLICY_FILE} is not committed; the defaults are in force"
        from projection.policy_file import read_policy

        (data,) = self.home.repository.git().blobs([blob])
        try:
            return blob, read_policy(data or b"", newer_ok=True), ""
        except PolicyInvalid as problem:
            return blob, Policy(), str(problem) + (f" ({problem.hint})" if problem.hint else "")
        except DiurnaError as problem:
            return blob, Policy(), str(problem)
