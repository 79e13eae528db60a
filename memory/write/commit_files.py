"""Commit to one home (W2, W6, W8): files of it, or a commit that is there already."""

from __future__ import annotations

from ledger.errors import WriteRefused
from ledger.git.commit_maker import write_commit
from ledger.git.commit_record import Commit
from ledger.git.git_objects import move_references
from ledger.git.repository import read_reference
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import FORMAT_VERSION, SESSIONS_DIR, stem_of
from ledger.wal.spool import Intents
from memory.repair.seen_tip import along, note_logs
from memory.replay.ledger_snapshot import Snapshot
from memory.worktree.checkout_update import Ahead
from memory.worktree.commit_follow import catch_up, show_elsewhere, show_move
from memory.write.branch_lock import Branch, born_from_upstream
from memory.write.draft import Occasion
from memory.write.kept_out import refuse_personal_logs
from memory.write.signing import Signing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ledger.wal.atomic_files import Lock
    from projection.policy.model import Policy

#: Paths relative to the home, with their bytes; None takes a file out.
Files = tuple[tuple[str, bytes | None], ...]


class CommitWriter:
    """Writes commits to one home.

    Args:
        snapshot: of the home; told what was noticed.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.home = snapshot.home
        self.branch = Branch(snapshot)
        self._snapshot = snapshot
        self._intents = Intents(self.home.spool_folder)

    def write(
        self,
        lock: Lock,
        tip: str,
        files: Sequence[tuple[str, bytes | None]],
        message: str,
        occasion: Occasion,
    ) -> tuple[str, list[Finding]]:
        """Make a commit of files of the home on a tip, move the branch; what is meant is noted first (W8).

        `lock` is held; its note is to be ended once the commit was read back.

        Returns:
            The commit, and what of it work trees could not be given.

        Raises:
            TipMoved: the branch is elsewhere.
        """
        home, where = self.home, self.home.repository
        known = any(path.startswith(SESSIONS_DIR + "/") for path, _ in files)
        known = known or bool(home.seen and read_reference(where, home.seen))
        wanted = Commit(
            home.reference,
            tip,
            "" if born_from_upstream(home, tip) else tip,
            tuple((home.prefix + path, data) for path, data in files),
            message,
            occasion.identity,
            occasion.now_ms // 1000,
            along(home, tip) if known else (),
        )
        self._intents.note(wanted)
        ahead, sign = Ahead(home, wanted.files), Signing(home, wanted, self._intents)
        made = self.branch.noted(
            lock, tip, lambda: write_commit(where, wanted, ahead.show, sign), ahead.take_back
        )
        ahead.settle()
        if wanted.along:
            note_logs(home, [stem_of(path) for path, data in wanted.files if data])
        return made, [*sign.findings, *ahead.findings, *show_elsewhere(home, tip, made)]

    def commit_files(
        self, files: Callable[[str], Files], message: str, occasion: Callable[[], Occasion]
    ) -> str:
        """Commit files of the home other than logs; return the commit, the tip where there are none.

        `files` says which, for a tip: asked again when another writer was faster.

        Raises:
            Busy: the branch kept moving or is locked.
            StorageFailed: an object did not reach the disk.
            WriteRefused: the ledger has a newer format.
            DraftRefused: a log among them holds what is only one person's.
        """

        def once(lock: Lock, tip: str) -> str:
            listed = files(tip)
            if not listed:
                return tip
            policy = self._snapshot.policy_at(tip)[1]
            check_writable(policy)
            refuse_personal_logs(self.home, policy, listed)
            made, findings = self.write(lock, tip, listed, message, occasion())
            self._snapshot.notes += findings
            self.branch.end_note(lock, made, findings)
            return made

        return self.branch.write(once)

    def move(self, where: Callable[[str], str]) -> None:
        """Let the branch point to a commit that is there already.

        `where` says which, for a tip ("" for an unborn branch): asked again when another writer was
        faster. The tip itself changes nothing.

        Raises:
            Busy: the branch kept moving or is locked.
            StorageFailed: the disk refused.
        """
        home, branch, snapshot = self.home, self.branch, self._snapshot

        def once(lock: Lock, _: str) -> None:
            tip = read_reference(home.repository, home.reference)
            made = where(tip)
            if made == tip:
                if not home.checked_out:  # plain git may have moved it past the mirror
                    snapshot.notes += show_move(home, tip, tip)
                return
            shown: list[Finding] = []

            def act() -> None:
                shown.extend(show_move(home, tip, made))
                moves = [
                    (name, to or made) for name, to in ((home.reference, ""), *along(home, tip))
                ]
                move_references(home.repository.git(), moves, tip, "diurna: sync")

            def take_back() -> None:
                if home.checked_out:
                    catch_up(home, made, home.tip())

            branch.noted(lock, tip, act, take_back, made)
            note_logs(home)
            shown += show_elsewhere(home, tip, made)
            snapshot.notes += shown
            branch.end_note(lock, made, shown)

        branch.write(once)


def missing(home: Home, listed: Files, tip: str) -> Files:
    """Return the files that a tip does not have, whatever is in those that it has."""
    if not tip:
        return listed
    git, prefix = home.repository.git(), home.prefix
    there = git.resolve(*[f"{tip}:{prefix}{path}" for path, _ in listed])
    return tuple(one for one, found in zip(listed, there, strict=True) if not found)


def check_writable(policy: Policy) -> None:
    """Refuse to write into a ledger of a newer format (Y3).

    Raises:
        WriteRefused: it is one.
    """
    if policy.format > FORMAT_VERSION:
        raise WriteRefused(
            f"the ledger has format {policy.format}, this Diurna writes {FORMAT_VERSION}",
            hint="install a newer Diurna; this one reads what it can",
        )
