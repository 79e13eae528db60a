"""Merge two tips of a ledger: work out the commit that both sides are to have.

The answer is a plan, a value: nothing but new objects is written while it is made. Two clones that join
the same two tips make the same commit, byte for byte (fault:H9, fault:H10): parents in the
order of their ids, a fixed author, the newer parent's time, a projection recomputed from the union.
"""

from __future__ import annotations

from ledger.errors import ObjectMissing, ObjectTooLarge, SyncRefused
from ledger.git.committer import FALLBACK_EMAIL, FALLBACK_NAME, Identity
from ledger.git.git_objects import (
    BLOB,
    COMMIT,
    LIMIT_BYTES,
    TREE,
    Objects,
    differences,
    find,
    merge_commit,
    object_id,
    with_files,
    write_objects,
)
from ledger.git.repository import cut_commits
from ledger.model.finding_codes import Finding
from ledger.model.layout import ARCHIVE_DIR, CONTINUITY_FILE, POLICY_FILE, SESSIONS_DIR, VIEW_FILES
from ledger.model.log_names import LogRef, is_stem, log_refs
from ledger.remote.tree_merge import Joined, merge_lines, write_joined
from memory.merge.learned_by_sync import (
    AHEAD,
    APART,
    BEHIND,
    SyncPlan,
    code_beside,
    expected,
    hand_written,
    learned,
    moved_away,
    refuse_modes,
    refuse_purged,
)
from memory.merge.page_update import render_pages
from memory.replay.page_publishing import publishes
from memory.replay.read_logs import LOOSE_UP_TO, LogReading, read_all
from memory.worktree.page_copies import note_rendered
from memory.worktree.rendered_pages import Rendering, is_projection, projection_files
from memory.write.commit_files import check_writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.replay.tip_snapshot import Progress, Snapshot
    from projection.policy.model import Policy

_AUTHOR = Identity(FALLBACK_NAME, FALLBACK_EMAIL)
_MESSAGE = "diurna: join two tips of the ledger"


class Planner:
    """Plans what two tips of a ledger come to.

    Args:
        snapshot: of the home.
        ours: the tip here, "" for an unborn branch.
        theirs: the other one, which is not the same, "" when the remote has no such branch.
        adopt: join histories that share nothing, too.
        progress: told how far a long reading is.
    """

    def __init__(
        self, snapshot: Snapshot, ours: str, theirs: str, adopt: bool, progress: Progress | None
    ) -> None:
        self._snapshot = snapshot
        self._progress = progress
        self._home = snapshot.home
        self._git = snapshot.home.repository.git()
        self._ours, self._theirs = ours, theirs
        self._adopt, self._objects = adopt, Objects(self._home.repository)
        self._findings: list[Finding] = []
        self._because = ""
        self._around = False

    def plan(self) -> SyncPlan:
        """Return the plan.

        Raises:
            SyncRefused: a person has to decide; nothing was changed.
            WriteRefused: one side has a newer format.
        """
        home, ours, theirs = self._home, self._ours, self._theirs
        if not theirs:
            return SyncPlan(AHEAD, ours, theirs, ours, went=len(self._snapshot.list_logs(ours)[0]))
        bases = self._objects.bases(ours, theirs) if ours else []
        if ours and not bases:
            refuse_purged(self._snapshot, ours, theirs, bases)
            self._refuse_unrelated()
        here, there = (code_beside(home, bases, tip) for tip in (ours, theirs))
        there = there or moved_away(home, theirs)
        self._around = bool(here)
        rows = self._objects.differences(ours, theirs, home.prefix + SESSIONS_DIR)
        added = [(mode, blob, path) for letter, mode, blob, path in rows if letter == "A"]
        only_ours = [path for letter, _, _, path in rows if letter == "D"]
        differ = [path for letter, _, _, path in rows if letter not in "AD"]
        came, odd = log_refs(added, home.prefix)
        if there:
            return SyncPlan(APART, ours, theirs, ours, tuple(came), here=here, there=there)
        reading = self._read(came)
        if ours and ours not in bases and theirs not in bases:
            refuse_purged(self._snapshot, ours, theirs, bases, reading.entries)
        relation = APART
        if not (only_ours or differ) and (not ours or bases == [ours]):
            relation = BEHIND
        elif not (added or differ) and bases == [theirs]:
            relation = AHEAD
        # what a base has and a side lacks, that side took away
        gone = (self._objects.find(base, path) for base in bases for path in only_ours)
        if relation == APART and (differ or any(gone)):
            self._alarm(bases)
        tip = {BEHIND: theirs, AHEAD: ours}.get(relation) or self._join(bases, came, reading)
        if relation != AHEAD:
            refuse_modes(home, ours, tip)
            if relation == BEHIND:
                check_writable(self._policy(self._policy_blob(tip)))
        simple = not (differ or odd or len(reading.refs) < len(came)) and (
            self._policy_blob(tip) == (self._policy_blob(ours) if ours else None)
        )
        went = sum(is_stem(path[path.rfind("/") + 1 : -3]) for path in only_ours)
        agents = tuple(sorted({entry.agent for entry in reading.entries}))
        return SyncPlan(
            relation, ours, theirs, tip, tuple(came), agents, went,
            learned(self._snapshot, ours, reading.entries),
            (*self._findings, *expected(self._snapshot, ours, reading)), reading if simple else None, here,
            base=bases[0] if len(bases) == 1 else "",
        )  # fmt: skip

    def _read(self, came: Sequence[LogRef]) -> LogReading:
        """Read what came; the size of a log is looked at before its bytes (fault:J4)."""
        few, ids = len(came) <= LOOSE_UP_TO, [ref.blob for ref in came]
        sizes = map(self._size, ids) if few else self._git.sizes(ids)
        for ref, size in zip(came, sizes, strict=True):
            if size > LIMIT_BYTES:
                said = f"{ref.path} on the remote has {size} bytes, which is no session log"
                hint = "ask whoever maintains that repository; what is recorded here is safe"
                raise SyncRefused(said, where=ref.path, hint=hint)
        return read_all(self._home, came, self._progress)

    def _size(self, blob: str) -> int:
        try:
            return len(self._objects.read(blob))
        except (ObjectMissing, ObjectTooLarge) as problem:
            return getattr(problem, "size", 0)

    def _policy_blob(self, commit: str) -> str:
        return self._objects.find(commit, self._home.prefix + POLICY_FILE)

    def _refuse_unrelated(self) -> None:
        roots = self._git.text("rev-list", "--max-parents=0", self._ours, self._theirs).split()
        if cut_commits(self._home.repository).intersection(roots):
            said = "this clone's history is cut before the point where both sides agree"
            raise SyncRefused(said, hint="git fetch --unshallow")
        if not self._adopt:
            raise SyncRefused(
                f"{self._home.branch} here and on the remote share no history: two ledgers that "
                "began apart, or a remote whose history was rewritten",
                hint="if both are one team's memory, `diurna sync --adopt` keeps all logs of both",
            )

    def _alarm(self, bases: list[str]) -> None:
        """Say who changed or deleted logs on the other side (fault:E1, fault:E2, fault:E9)."""
        from ledger.git.log_history import altered_between

        for change in altered_between(self._home, bases, self._theirs):
            said = (
                f"{change.path} was {change.did} on the remote, in commit {change.commit[:12]} by "
                f"{change.author}; the log as it is here stays, and is offered again"
            )
            hint = "`diurna check` tells what history did to it"
            self._findings.append(Finding(f"log-{change.did}", said, change.path, hint=hint))

    # ---- the join -------------------------------------------------------------------------------

    def _join(self, bases: list[str], added: list[LogRef], reading: LogReading) -> str:
        home = self._home
        one, two = sorted((self._ours, self._theirs))
        objects = self._objects
        first, second = objects.header(one), objects.header(two)
        roots = [first.tree, second.tree, *[objects.header(one).tree for one in bases]]
        policy = self._snapshot.cache(self._ours).policy

        def computed(path: str) -> bool:
            return is_projection(path) and (path not in VIEW_FILES or path in policy.view_files)

        def join(derived: Callable[[str], bool], second: bool) -> Joined:
            joined = Joined(objects.read, roots, home.prefix, derived, second, self._blend)
            if paths := sorted(joined.clashes):
                more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
                said = f"{paths[0]}{more} was changed here and on the remote, in different ways"
                hint = "agree on one version: make it the same on one side, commit, and sync again"
                raise SyncRefused(said + self._because, where=paths[0], hint=hint)
            objects.hold({**joined.written, **joined.blended})
            return joined

        # of what both published the newer one's is kept for now
        joined = join(computed, second.seconds > first.seconds)
        self._tell_doubles(joined)
        people = hand_written(self._snapshot, (one, two), joined, policy)
        if people:  # where both have some a person settles it
            joined = join(computed if len(people) == 1 else lambda _: False, two in people)
        stays = any(
            objects.find(tip, home.prefix + path)
            == find(objects.read, joined.tree, home.prefix + path)
            for tip, paths in people.items()
            for path in paths
        )
        places = [home.prefix + path for path in (CONTINUITY_FILE, *policy.view_files, ARCHIVE_DIR)]
        rows = [one for at in places for one in differences(objects.read, "", joined.tree, at)]
        standing = {path[len(home.prefix) :]: blob for _, _, blob, path in rows}
        rendered = None if stays else self._recompute(joined, standing, added, reading)
        files = rendered.against(standing) if rendered is not None else ()
        paths = [(home.prefix + path, blob) for path, blob in files]
        tree, written = with_files(objects.read, joined.tree, paths)
        # on a branch of code its own line comes first, as after `git merge`
        parents = (self._ours, self._theirs) if self._around else (one, two)
        nobody = _AUTHOR.lines(max(first.seconds, second.seconds))
        commit = merge_commit(tree, parents, nobody, _MESSAGE)
        bodies = {} if rendered is None else rendered.bodies
        names = {bodies[path]: blob for path, blob in files if blob}  # each is here
        objects.hold({blob: data for data, blob in names.items()})
        note_rendered(home, () if rendered is None else rendered.blobs.items())
        new = [(BLOB, data) for data in (*names, *joined.blended.values())]
        new += [(TREE, raw) for raw in {**joined.written, **written}.values()]
        write_objects(home.repository, [*new, (COMMIT, commit)], names=names)
        if rendered is not None and rendered.archive:
            self._snapshot.cache(self._ours).keep_archive(rendered.archive)
        return object_id(COMMIT, commit)

    def _blend(self, one: bytes, base: bytes | None, two: bytes) -> bytes | None:
        """Merge the policy's lines; what comes out must be one, or a person has to see to it."""
        from projection.policy.toml import PolicyInvalid, read_policy

        text = self._elder(one, two) if base is None else merge_lines(self._git, one, base, two)
        if text is None:
            return None
        try:
            read_policy(text, newer_ok=True)
        except PolicyInvalid as problem:
            self._because = f", and both together are no policy: {problem.message}"
            return None
        return text

    def _elder(self, one: bytes, two: bytes) -> bytes | None:
        """Take the policy of the ledger that began first, where they differ in the project's name alone.

        Each `init` wrote one, and nobody changed anything in it.
        """
        import re

        project = re.compile(rb"(?m)^project *=.*$")
        if project.sub(b"", one, count=1) != project.sub(b"", two, count=1):
            return None
        begun, tips = ("log", "--max-parents=0", "--format=%ct"), sorted((self._ours, self._theirs))
        born = [min(map(int, self._git.text(*begun, tip).split())) for tip in tips]
        return two if born[1] < born[0] else one

    def _tell_doubles(self, joined: Joined) -> None:
        for double in sorted(joined.doubles):
            if double.twin:
                code, then = "duplicate-stem", f"both are kept, the second as {double.twin}"
            else:
                code, then = "seal-broken", f"{double.other[:12]} does not match its name"
            said = f"{double.path} has other bytes on the remote; {then}"
            hint = "`diurna check` tells who committed which"
            self._findings.append(Finding(code, said, double.path, hint=hint))

    def _recompute(
        self,
        joined: Joined,
        standing: dict[str, str],
        added: list[LogRef],
        reading: LogReading,
    ) -> Rendering | None:
        """Render the union; None where it is not to be committed, or a log can not be read."""
        read = self._objects.read
        policy = self._policy(find(read, joined.tree, self._home.prefix + POLICY_FILE))
        check_writable(policy)
        if not publishes(self._home, policy):
            return None
        cache = self._snapshot.cache(self._ours)
        only_adds = (  # the union is the cache and what came, read whole, and nothing else
            policy == cache.policy
            and not joined.doubles
            and all(ref.key == ref.stem for ref in added)
            and len(reading.refs) == len(added)
            and not cache.known([ref.key for ref in added])
            and not cache.unread()
        )
        if only_adds:
            rendered = cache.supposing(
                reading.refs, reading.entries, lambda union: render_pages(union, standing, read)
            )
            if rendered is not None:
                return rendered
        from memory.replay.state_as_of import cold_state

        state = cold_state(self._snapshot, write_joined(self._home.repository, joined))
        if any(finding.code == "unreadable" for finding in state.findings()):
            return None  # the projection would lack what that log says
        return projection_files(state)

    def _policy(self, blob: str) -> Policy:
        """Return a policy; one that is in force here already need not be read again."""
        if self._ours and blob == self._policy_blob(self._ours):
            return self._snapshot.cache(self._ours).policy
        return self._snapshot.read_policy(blob)[1]
