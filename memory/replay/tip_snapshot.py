"""Hold the ledger as it stands at a commit, by way of a cache that follows the branch.

Of a partial clone the logs and pages are fetched first, never the project's own files.
"""

from __future__ import annotations

import sys

from ledger.errors import DiurnaError, ObjectMissing
from ledger.model.finding_codes import Finding
from ledger.model.layout import POLICY_FILE, SESSIONS_DIR
from ledger.model.log_names import LogRef, is_stem, log_refs
from ledger.wal.user_key import user_key
from memory.cache.cache_file import Cache
from memory.cache.stamp import CacheDamaged, Stamp
from projection.policy.model import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ledger.home import Home
    from ledger.model.session import Entry
    from memory.replay.read_logs import LogReading

    Progress = Callable[[int, int], None]
    Answer = TypeVar("Answer")
    #: logs with what they say, what reading them brought up, and the policy where that changed
    _News = tuple[
        tuple[LogRef, ...], tuple[Entry, ...], tuple[Finding, ...], tuple[str, Policy, str] | None
    ]

#: The number of new logs from which a cold rebuild is faster than adding them one by one.
_REBUILD_FROM = 5000


class Snapshot:
    """Follows one home. Reading it writes nothing but the cache.

    Args:
        home: the home.
        clean: takes what was redacted out of all else that is kept beside git.
        progress: told how far a long reading is.
    """

    def __init__(
        self, home: Home, clean: Callable[[Home, Cache], object], progress: Progress | None = None
    ) -> None:
        self.home = home
        self._clean = clean
        self._progress = progress
        self._path = home.cache_file + ".sqlite"
        self._cache: Cache | None = None
        #: how many redactions were cleaned up after
        self._cleaned = 0
        self._read_again = False
        self.notes: list[Finding] = []

    @property
    def tip(self) -> Snapshot:
        """The ledger as it is committed, which this is but for a view (`memory.replay.clone_view`)."""
        return self

    def waiting(self) -> frozenset[str]:
        """Return the stems of its logs that are not committed on the branch yet."""
        return frozenset()

    def cache(self, tip: str | None = None) -> Cache:
        """Return the cache, brought to the branch's tip (or to the commit given).

        What was redacted since is out of it then, and of all else that is kept beside git.
        """
        cache = self._followed(tip)
        if cache.head.redactions != self._cleaned:
            if cache.head.unclean:
                cache = self._rebuild(cache.commit)
            self._clean(self.home, cache)
            self._cleaned = cache.head.redactions  # what had to wait is for the next command
        return cache

    def settle(self) -> None:
        """Clean up after redactions, once more where something was in the way a moment ago."""
        if self.cache().head.redactions:
            self._cleaned = 0
            self.cache()

    def _followed(self, tip: str | None) -> Cache:
        for _ in range(20):
            wanted = self.home.tip() if tip is None else tip
            cache = self._open()
            if cache is None:
                break
            if cache.commit == wanted:
                if cache.head.unread and not self._read_again:
                    break  # what could not be read may be here by now
                return cache
            try:
                base, news = cache.commit, self._news(cache, wanted)
                if news is not None:
                    if cache.advance(base, wanted, *news):
                        return cache
                    continue
                cache.load()
                if cache.commit == base:  # else another process was faster
                    break
            except CacheDamaged:
                if not cache.replaced:
                    break
        return self._rebuild(wanted)

    def ask(self, question: Callable[[Cache], Answer], tip: str | None = None) -> Answer:
        """Answer a question as of one commit, whatever other processes write meanwhile.

        A cache that turns out to be damaged in the middle is built anew, and asked again.
        """
        try:
            with self.cache(tip) as cache:
                return question(cache)
        except CacheDamaged:
            with self.discard() as cache:
                return question(cache)

    def discard(self) -> Cache:
        """Build the cache anew: the one that is there was found damaged, or can not be used now."""
        self.tell_unused()
        return self._rebuild(self.home.tip())

    def tell_unusable(self, path: str, said: str) -> None:
        """Report, and note in the journal, a file that could not be used; none of a copied folder."""
        from ledger.wal.git_locks import journal

        if user_key() and not Stamp(path).elsewhere:
            self.notes.append(Finding("cache-rebuilt", said))
            journal(self.home.repository.commondir, said)

    def tell_unused(self) -> None:
        """Report that the cache could not be used, and why: a full disk or a lock damages nothing."""
        problem = sys.exception()
        why = f" ({problem})" if isinstance(problem, CacheDamaged) else ""
        self.tell_unusable(self._path, f"the cache could not be used and was built anew{why}")

    def rebuilt(self) -> Cache:
        """Build the cache anew: objects that could not be read before can be read now."""
        return self._rebuild(self.home.tip())

    def forward(self, base: str, tip: str, reading: LogReading) -> None:
        """Bring the cache to a commit with logs that were read already, if it is where they were added."""
        try:
            cache = self._open()
            if cache is not None:
                cache.advance(base, tip, reading.refs, reading.entries, reading.findings)
        except CacheDamaged:
            self._let_go()  # the next question builds it anew

    def close(self) -> None:
        """Close the cache file."""
        if self._cache is not None:
            self._cache.close()
            self._cache = None

    def _let_go(self) -> None:
        """Use the open file no more; whoever asks it yet, for one answer, goes on doing so."""
        cache, self._cache = self._cache, None
        if cache is not None:
            try:
                cache.__exit__()  # a reading keeps everybody from putting a new file there
            except CacheDamaged:
                cache.close()

    def _open(self) -> Cache | None:
        if self._cache is not None and self._cache.replaced:
            self._let_go()
        if self._cache is None:
            try:
                self._cache = Cache.open(self._path)
            except CacheDamaged:
                self.tell_unusable(self._path, "the cache was unusable and was built anew")
                return None
        else:
            try:
                self._cache.load()
            except CacheDamaged:
                self.tell_unused()
                self._let_go()
                return None
        return self._cache

    def _news(self, cache: Cache, tip: str) -> _News | None:
        """Read what a tip has beside a cache; None where it does not only add logs, or very many."""
        if not cache.commit or not tip:
            return None
        from ledger.git.git_objects import Objects

        prefix = self.home.prefix
        paths = prefix + SESSIONS_DIR, prefix + POLICY_FILE
        try:
            changes = Objects(self.home.repository).differences(cache.commit, tip, *paths)
        except ObjectMissing:  # the history was rewritten and collected
            return None
        if len(changes) > _REBUILD_FROM:
            return None
        if changes:
            fetch_promised(self.home, tip)
        added: list[tuple[str, str, str]] = []
        policy: tuple[str, Policy, str] | None = None
        for letter, mode, blob, path in changes:
            if path == prefix + POLICY_FILE:
                policy = self.read_policy("" if letter == "D" else blob)
            elif letter == "A":
                added.append((mode, blob, path))
            elif is_stem(path[path.rfind("/") + 1 : -3]):
                return None  # changed or gone: the set shrank
        refs, odd = log_refs(added, prefix)
        if any(cache.log_ref(ref.key) for ref in refs):  # a twin of one that is there
            return None
        from memory.replay.read_logs import read_all

        reading = read_all(self.home, refs)
        if len(reading.refs) != len(refs):
            return None
        return reading.refs, reading.entries, (*odd, *reading.findings), policy

    def _rebuild(self, tip: str) -> Cache:
        """Read everything and write the cache anew."""
        from ledger.heavy_work import Uncollected
        from memory.cache.rebuild import build
        from memory.replay.read_logs import read_all

        self._read_again = True
        with Uncollected():
            refs, odd = self.list_logs(tip)
            reading = read_all(self.home, refs, self._progress)
            policy = self.policy_at(tip)
            self._let_go()
            findings = (*odd, *reading.findings)
            self._cache = build(self._path, tip, reading.refs, reading.entries, findings, policy)
            return self._cache

    def list_logs(self, tip: str) -> tuple[list[LogRef], tuple[Finding, ...]]:
        """List the logs of a commit, and what else lies beside them."""
        if not tip:
            return [], ()
        fetch_promised(self.home, tip)
        git = self.home.repository.git()
        rows = git.tree_files(tip, self.home.prefix + SESSIONS_DIR)
        return log_refs(rows, self.home.prefix)

    def policy_at(self, tip: str) -> tuple[str, Policy, str]:
        """Return the policy of a commit, behind its blob id ("" for none), and what is wrong with it.

        One that can not be read gives the defaults.
        """
        path = f"{tip}:{self.home.prefix}{POLICY_FILE}"
        return self.read_policy(self.home.repository.git().resolve(path)[0] if tip else "")

    def read_policy(self, blob: str) -> tuple[str, Policy, str]:
        """Read a policy, as `policy_at` does; "" for none."""
        if not blob:
            return "", Policy(), f"{POLICY_FILE} is not committed; the defaults are in force"
        from projection.policy.toml import PolicyInvalid, read_policy

        (data,) = self.home.repository.git().blobs([blob])
        try:
            return blob, read_policy(data or b"", newer_ok=True), ""
        except DiurnaError as problem:
            hint = isinstance(problem, PolicyInvalid) and problem.hint
            return blob, Policy(), f"{problem} ({hint})" if hint else str(problem)


def fetch_promised(home: Home, commit: str) -> None:
    """Have all files of a home at a commit here, where this is a partial clone; one fetch brings them.

    Raises:
        NotFetched: the remote that has them can not be reached.
    """
    if not home.repository.promisor or not commit:
        return
    git = home.repository.git()
    (tree,) = git.resolve(f"{commit}:{home.prefix.rstrip('/')}")
    listed = git.run("rev-list", "--objects", "--missing=print", tree).decode() if tree else ""
    missing = [line[1:] for line in listed.split("\n") if line[:1] == "?"]
    if not missing:
        return
    from ledger.git.cli import NotFetched
    from ledger.remote.remote import NoRemote, choose_remote
    from ledger.remote.transport import CHECKED, LIMIT_SECONDS, NetworkFailed, call, failure

    try:
        remote = choose_remote(git, home.branch, home.repository.promisor)
        asked = (
            *CHECKED, "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags",
            "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
            "--filter=blob:none", "--stdin", "--", remote.name,
        )  # fmt: skip
        wanted = "".join([one + "\n" for one in missing]).encode("ascii")
        status, _, said = call(git, remote, LIMIT_SECONDS, asked, data=wanted)
        if status:
            raise failure(remote, "fetch", said, git.where)
    except (NetworkFailed, NoRemote) as problem:
        raise NotFetched(home.repository.where, problem.message) from problem
