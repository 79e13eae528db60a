"""The library's door: `Memory`, one home opened for reading and recording.

What only some questions need is imported by them: a short command pays for what it does.
"""

from __future__ import annotations

import time

from ledger.commit import Identity
from ledger.errors import DiurnaError, EditNotUnderstood, NotFound
from ledger.findings import Finding
from ledger.home import Home, discover
from ledger.layout import CONTINUITY_FILE, MIRROR_DIR
from memory.copies import differs
from memory.draft import Receipt, SessionDraft
from memory.identity import IdentityQuestion, identity_findings
from memory.landing import Landed, Lander, Occasion, edited_finding
from memory.record import Recorder
from memory.snapshot import Snapshot
from projection.fact import Fact
from projection.replay import State
from projection.state import LiveView, Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memory.absorbing import Absorber, Absorption
    from memory.provenance import Difference, LogLine, Provenance
    from memory.states import Follower
    from memory.syncing import Plan

__all__ = ["Fact", "Memory", "SessionDraft", "Standing", "State"]


class Memory:
    """One home, open.

    Reading never writes to the repository; the cache lives under its git directory and may be absent.

    Args:
        home: where the ledger lives.
        agent: who writes logs that do not say; "" for the name git commits with.
        clock: gives milliseconds since 1970.
        in_process: write through pygit2, as a running process does; a short command spawns git.
        progress: told how far a long reading is, as (done, total).
        identity: who commits, where that was asked already; git is asked otherwise.
    """

    def __init__(
        self,
        home: Home,
        *,
        agent: str = "",
        clock: Callable[[], int] | None = None,
        in_process: bool = True,
        progress: Callable[[int, int], None] | None = None,
        identity: Callable[[], Identity] | None = None,
    ) -> None:
        self.home = home
        self.snapshot = Snapshot(home, progress)
        self._agent = agent
        self._clock = clock or (lambda: time.time_ns() // 1_000_000)
        self._progress = progress
        self._lander = Lander(self.snapshot, in_process)
        self._recorder = Recorder(self.snapshot, self._lander)
        self._follower: Follower | None = None
        self._ask_identity = identity or (lambda: IdentityQuestion(home).answer())
        self._identity: Identity | None = None

    @classmethod
    def open(cls, start: str = ".", *, agent: str = "") -> Memory:
        """Open the home of a folder.

        Raises:
            HomeNotFound: there is none at or above it.
            UnsupportedRepository: its repository is of a shape Diurna does not handle.
        """
        return cls(discover(start), agent=agent)

    def close(self) -> None:
        """Close the cache."""
        self.snapshot.close()

    # ---- asking -----------------------------------------------------------------------------------

    def state(self, as_of: str = "") -> State:
        """Return the replayed state, now or as of a date, a stem or a commit.

        Raises:
            NotFound: `as_of` is none of these.
        """
        from memory.states import Follower, state_at

        if as_of:
            return state_at(self.snapshot, as_of)
        if self._follower is None:
            self._follower = Follower(self.snapshot)
        return self._follower.state()

    def view(self) -> LiveView:
        """Return what `continuity.md` shows, without looking at the archive."""
        return self.snapshot.ask(lambda cache: cache.view())

    def continuity(self) -> str:
        """Return the replayed `continuity.md`."""
        from projection.render import render

        return render(self.view())

    def cold_state(self) -> State:
        """Replay from git alone, without any cache."""
        from memory.states import cold_state

        return cold_state(self.snapshot, self.home.tip(), self._progress)

    def why(self, fact: str) -> Provenance:
        """Return every event of a fact, oldest first, with what git knows of each log.

        Raises:
            NotFound: no log names it.
        """
        from memory.provenance import provenance

        try:
            return provenance(self.snapshot, fact)
        except NotFound as problem:
            raise NotFound(problem.message, hint=self.near_hint(fact)) from None

    def log(
        self, agent: str = "", since: str = "", until: str = "", limit: int = 0
    ) -> tuple[LogLine, ...]:
        """List session logs, newest first.

        Args:
            agent: only of this agent.
            since: only from this date or stem on.
            until: only up to this date (the whole day) or stem.
            limit: at most so many, 0 for all.
        """
        from memory.provenance import log_lines

        return log_lines(self.snapshot, agent, since, until, limit)

    def diff(self, start: str, end: str) -> Difference:
        """Return what memory learned, forgot and corrected between two points.

        Raises:
            NotFound: a point is no date, stem or commit.
        """
        from memory.provenance import difference

        return difference(self.state(start), self.state(end) if end else self.state())

    def nearest(self, fact: str, count: int = 3) -> tuple[str, ...]:
        """Return existing ids that are spelled nearly like one, best first."""
        from memory.fuzzy import nearest

        return nearest(fact, self.snapshot.cache().ids(), count)

    def near_hint(self, fact: str) -> str:
        """Say which ids are spelled nearly like one that is not there."""
        alike = self.nearest(fact)
        if alike:
            return f"did you mean {' or '.join(alike)}?"
        return "`diurna show --json` lists all ids, archived ones too"

    def standing(self, fact: str) -> Standing:
        """Return one fact where it stands.

        Raises:
            NotFound: there is no such fact; the hint names those spelled alike.
        """
        found = self.state().get(fact)
        if found is None:
            raise NotFound(f"there is no fact {fact}", hint=self.near_hint(fact))
        return found

    # ---- recording --------------------------------------------------------------------------------

    def occasion(self) -> Occasion:
        """Return when and by whom something would be written now."""
        who = self.identity()
        return Occasion(self._clock(), who, self._agent or who.name)

    def identity(self) -> Identity:
        """Return who commits: what git says, or a fixed name where it knows none."""
        if self._identity is None:
            self._identity = self._ask_identity()
        return self._identity

    def append(
        self,
        draft: SessionDraft,
        *,
        again: bool = False,
        dry_run: bool = False,
        stage: bool = False,
        tiers: bool = False,
        strict: bool = False,
        on: str | None = None,
    ) -> Receipt:
        """Append a session log: the same write as `diurna append`.

        Args:
            draft: what to record.
            again: record it even if the same was recorded in the last ten minutes.
            dry_run: change nothing, and return what would be.
            stage: write it into the work tree and the index, and leave the commit to the user.
            tiers: work out, for the receipt, which tiers changed.
            strict: refuse a log that holds a secret, or a new fact that repeats or denies another one,
                instead of storing it without the one and telling of the other.
            on: commit it on this tip or not at all: what it says holds only there.

        Raises:
            Outrun: the branch is not at `on` any more; nothing changed.
            DraftRefused: it can not be stored canonically; nothing changed.
            WaitsInSpool: it is durable, and the next command that can write commits it.
            StorageFailed: the disk refused; nothing changed.
            WriteRefused: `stage`, and the home has no work tree.
        """
        noticed = () if dry_run or stage or on is not None else self._absorb_for_append()
        receipt = self._recorder.append(
            draft,
            self.occasion(),
            again=again,
            dry_run=dry_run,
            stage=stage,
            tiers=tiers,
            strict=strict,
            on=on,
        )
        notes = (
            *self.snapshot.notes,
            *(() if stage else identity_findings(self.identity())),
            *self.snapshot.ask(lambda cache: cache.unread()),
        )
        self.snapshot.notes.clear()
        if receipt.commit and not receipt.already and draft.type == "work":
            from memory.due import due_findings

            notes += self.snapshot.ask(lambda cache: due_findings(cache, receipt))
        return receipt._replace(findings=(*noticed, *receipt.findings, *notes))

    def drain(self) -> Landed | None:
        """Commit logs that wait in the spool; None when none does.

        Raises:
            WaitsInSpool: they still can not be committed.
        """
        return self._lander.drain(self.occasion())

    def remake(self) -> list[str]:
        """Write again what `git gc --prune=now` took of recent commits; return the ids of the objects.

        Raises:
            Busy: another process kept the lock.
            StorageFailed: the disk refused.
        """
        return self._lander.remake()

    def kept(self) -> list[str]:
        """Return the stems of committed logs whose copies are kept until their objects are durable."""
        return self._lander.spool.kept()

    def waiting(self) -> list[str]:
        """Return the stems of logs that wait in the spool."""
        return self._lander.spool.waiting()

    def commit_files(
        self,
        files: Iterable[tuple[str, bytes | None]],
        message: str,
        *,
        only_missing: bool = False,
    ) -> str:
        """Commit files of the home (a policy, attributes; None takes one out); return the commit.

        Args:
            files: (path relative to the home, bytes).
            message: of the commit.
            only_missing: leave out those that the tip has by then, whatever is in them.

        Raises:
            Busy: the branch kept moving or is locked.
            StorageFailed: the disk refused.
        """
        listed = tuple(files)

        def wanted(tip: str) -> tuple[tuple[str, bytes | None], ...]:
            if not (only_missing and tip):
                return listed
            git, prefix = self.home.repository.git(), self.home.prefix
            there = git.resolve(*[f"{tip}:{prefix}{path}" for path, _ in listed])
            return tuple(one for one, found in zip(listed, there, strict=True) if not found)

        return self._lander.commit_files(wanted, message, self.occasion())

    def join(
        self,
        theirs: str,
        *,
        adopt: bool = False,
        dry_run: bool = False,
        planned: Plan | None = None,
    ) -> Plan:
        """Join the branch with another tip of the ledger that was fetched; nothing is sent anywhere.

        Args:
            theirs: the commit, "" for none.
            adopt: also one whose history shares nothing with ours.
            dry_run: move nothing; say what would be.
            planned: what a dry run said: done as it is, if the branch still stands where it stood.

        Raises:
            SyncRefused: a person has to decide; nothing changed.
            Busy: the branch kept moving or is locked.
            StorageFailed: the disk refused.
        """
        from memory.joining import join

        return join(
            self.snapshot, self._lander, theirs,
            adopt=adopt, dry_run=dry_run, planned=planned, progress=self._progress,
        )  # fmt: skip

    def drift(self) -> tuple[str, ...]:
        """Return the projection files of the tip that differ from the replay, sorted."""
        return tuple(path for path, _ in self._publishing(self.home.tip()))

    def edited(self) -> tuple[str, ...]:
        """Return the projection files that a person edited in the work tree or the mirror, sorted."""
        from memory.edits import edited_files

        return edited_files(self.home)

    def absorb(self, *, dry_run: bool = False) -> Absorption:
        """Make a log of a person's edit of `continuity.md`, and write the file anew.

        Args:
            dry_run: change nothing, and return what would be.

        Raises:
            EditNotUnderstood: no event can say it all; nothing changed.
            HandEdited: another projection file was edited; nothing changed.
            WriteRefused: the repository is in no state to be committed to.
            WaitsInSpool: the log is durable, and the next command that can write commits it.
            CorruptRepository: a log can not be read; what it says would drop out of the projection.
        """
        return self._absorber().absorb(self.occasion, dry_run=dry_run)

    def absorb_first(self, *, dry_run: bool = False) -> tuple[Finding, ...]:
        """Absorb an edit before the file is written for another reason; say what became of it.

        Raises:
            DiurnaError: as `absorb`.
        """
        from memory.absorbing import absorbed_findings

        return absorbed_findings(self.absorb(dry_run=dry_run), dry_run)

    def _absorb_for_append(self) -> tuple[Finding, ...]:
        """Absorb an edit before an append that publishes; nothing about it may stop the append."""
        if not differs(self.home) or self.snapshot.cache().policy.publish != "append":
            return ()
        try:
            return self.absorb_first()
        except EditNotUnderstood as problem:
            return problem.findings
        except (DiurnaError, OSError):
            return ()  # what is in the way here is in the way of the append, which says so

    def _absorber(self) -> Absorber:
        from memory.absorbing import Absorber

        return Absorber(self.snapshot, self._lander, self._recorder, self.state)

    def publish(self, *, dry_run: bool = False) -> tuple[tuple[str, ...], str]:
        """Write and commit the projection where it drifted; an edit of `continuity.md` is absorbed first.

        Args:
            dry_run: change nothing.

        Returns:
            The files that differed, and the commit ("" when there was nothing to do).

        Raises:
            EditNotUnderstood: no event can say that edit; nothing changed.
            HandEdited: a person edited another of the files; nothing changed.
            WriteRefused: the repository is in no state to be committed to.
            CorruptRepository: a log can not be read; what it says would drop out of the projection.
        """
        from memory.publish import refuse_edited, refuse_incomplete, refuse_unwritable

        refuse_unwritable(self.home)
        refuse_incomplete(self.snapshot.ask(lambda cache: cache.unread()))
        refuse_edited(tuple(path for path in self.edited() if not path.endswith(CONTINUITY_FILE)))
        self.snapshot.notes += self.absorb_first(dry_run=dry_run)
        files = self._publishing(self.home.tip())
        if not files or dry_run:
            return tuple(path for path, _ in files), ""
        self._lander.heal_index()
        said = "diurna: publish the projection"
        made = self._lander.commit_files(self._publishing, said, self.occasion())
        self.snapshot.notes += identity_findings(self.identity())
        return tuple(path for path, _ in files), made

    def write_projection(self, state: State) -> tuple[str, ...]:
        """Write the projection of a state into the work tree, without a commit; return the files.

        Raises:
            HandEdited: a person edited one of the files; nothing changed.
        """
        from memory.publish import write_files

        return write_files(self.home, state, self.edited())

    def _publishing(self, tip: str) -> tuple[tuple[str, bytes | None], ...]:
        """Return the projection files in which a tip differs from its replay."""
        from memory.publish import changes, committed_projection, projection_files

        files: Mapping[str, bytes] = projection_files(self.state())
        return changes(files, committed_projection(self.home, tip))


def edited_findings(paths: tuple[str, ...]) -> tuple[Finding, ...]:
    """Say which projection files a person edited."""
    from memory import mirror

    return tuple(
        mirror.edited_finding(path) if path.startswith(MIRROR_DIR + "/") else edited_finding(path)
        for path in paths
    )
