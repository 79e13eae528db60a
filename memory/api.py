"""Open one home for reading and recording: the library's `Memory`.

What only some questions need is imported by them: a short command pays for what it does.
"""

from __future__ import annotations

from ledger.errors import DiurnaError, EditNotUnderstood
from ledger.git.commit_record import Identity
from ledger.git.identity import IdentityQuestion, identity_findings
from ledger.home import Home, discover
from ledger.model.event import FactRedacted
from ledger.model.findings import Finding
from memory.cache.view_name import rides
from memory.query.reader import Reader
from memory.worktree.checkout import may_be_left
from memory.worktree.edited_copy import edited_paths, unread
from memory.write.append import Recorder, noticed_behind
from memory.write.commit import Committed, Committer, Occasion, check_writable
from memory.write.draft import How, Receipt, SessionDraft
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memory.edits.absorb import Absorber, Absorption
    from memory.edits.committed import CommittedEdit
    from memory.edits.discard import Discarded
    from memory.merge.tip_merge import Plan
    from memory.write.ref_update import Files

__all__ = ["Fact", "Memory", "SessionDraft", "Standing", "State"]


class Memory(Reader):
    """One home, open.

    Reading never writes to the repository; the cache lives under its git directory and may be absent.

    Args:
        home: where the ledger lives.
        agent: who writes logs that do not say; "" for the name git commits with.
        session: the host session whose work they tell, where they do not say; "" for none.
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
        session: str = "",
        clock: Callable[[], int] | None = None,
        in_process: bool = True,
        progress: Callable[[int, int], None] | None = None,
        identity: Callable[[], Identity] | None = None,
    ) -> None:
        super().__init__(home, progress, clock)
        self._agent, self._session = agent, session
        self._committer = Committer(self.snapshot.tip, in_process)
        self._recorder = Recorder(self.snapshot, self._committer)
        self._ask_identity = identity or (lambda: IdentityQuestion(home.repository).answer())
        self._identity: Identity | None = None

    @classmethod
    def open(cls, start: str = ".", *, agent: str = "") -> Memory:
        """Open the home of a folder.

        Raises:
            HomeNotFound: there is none at or above it.
            UnsupportedRepository: its repository is of a shape Diurna does not handle.
        """
        return cls(discover(start), agent=agent)

    def occasion(self) -> Occasion:
        """Return when and by whom something would be written now."""
        who = self.identity()
        return Occasion(self._clock(), who, self._agent or who.name, self._session)

    def identity(self) -> Identity:
        """Return who commits: what git says, or a fixed name where it knows none."""
        if self._identity is None:
            self._identity = self._ask_identity()
        return self._identity

    def asker(self) -> str:
        """Return who asks, as logs name it."""
        return self._agent or self.identity().name

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
            DraftRefused: it can not be stored canonically, changes a fact that memory does not know
                (unless `draft.anyway`), or closes a circle of supersessions; nothing changed.
            WaitsInSpool: it is durable, and the next command that can write commits it.
            StorageFailed: the disk refused; nothing changed.
            WriteRefused: `stage`, and the home has no work tree.
        """
        return self._append(draft, How(again, dry_run, stage, tiers, strict, on))

    def hold(
        self, draft: SessionDraft, *, again: bool = False, dry_run: bool = False, at: int = 0
    ) -> Receipt:
        """Append a captured log, which nobody asked for: it is committed once it disturbs nobody's work.

        The receipt has no commit while it waits: it is durable then, and the view has it.

        Args:
            draft: what to record.
            again: record it even if the same was recorded in the last ten minutes.
            dry_run: change nothing, and return what would be.
            at: stamp it there (`How.at`), milliseconds since 1970; 0 for now.

        Raises:
            DraftRefused, StorageFailed: as for `append`.
        """
        return self._append(draft, How(again, dry_run, tiers=False, held=True, at=at))

    def _append(self, draft: SessionDraft, how: How) -> Receipt:
        aside = how.dry_run or how.stage or how.held or how.on is not None
        noticed = () if aside else self._committer.branch.despite_pruning(self._absorb_for_append)
        receipt = self._recorder.append(draft, self.occasion(), how)
        if receipt.commit and self.home.tip() != receipt.commit:
            self.bring_back()  # somebody committed meanwhile
        notes = () if how.stage else identity_findings(self.identity())
        notes += noticed_behind(self.snapshot, self._committer.branch, receipt)
        notes, self.snapshot.notes[:] = (*self.snapshot.notes, *notes), ()
        if receipt.commit and any(isinstance(event, FactRedacted) for event in draft.events):
            self.snapshot.settle()  # now that no lock is held
        return receipt._replace(
            findings=tuple(dict.fromkeys((*noticed, *receipt.findings, *notes)))
        )

    def bring_back(self, *, dry_run: bool = False) -> None:
        """Finish what a dead process left, commit again what a user's commit left out, and report it."""
        if self.kept() or self.held() or may_be_left(self.home):
            from memory.write.omitted_logs import bring_back

            bring_back(self.snapshot.tip, self._committer, self.occasion, dry_run=dry_run)

    def drain(self, *, held: bool = True, share: bool = False) -> Committed | None:
        """Commit logs that wait in the spool; None when none does.

        Args:
            held: captured logs too, whatever they are in the way of: somebody asked for it.
            share: also those that wait for a person's own next commit (W20).

        Raises:
            WaitsInSpool: they still can not be committed.
        """
        return self._committer.drain(self.occasion(), held=held, share=share)

    def ride(self, index: str) -> list[str]:
        """Stage what waits into the index of a person's commit; return the stems that go with it."""
        from memory.write.commit_riders import ride

        return ride(self._committer, self.snapshot.tip.cache(), index)

    def land_held(self) -> Committed | None:
        """Commit the captured logs that wait if they disturb nobody's work; None if they go on waiting."""
        return self._committer.land_held(self.occasion())

    def held(self) -> list[str]:
        """Return the stems of logs that wait though nothing failed, oldest first; `obstacle` says why."""
        return self._committer.spool.held()

    def obstacle(self) -> str:
        """Say what they wait for, "" where the next command commits them or there are none."""
        return self._committer.shelf.obstacle() if self.held() else ""

    def remake(self) -> list[str]:
        """Write again what `git gc --prune=now` took of recent commits; return the ids of the objects."""
        return self._committer.branch.remake()

    def kept(self) -> list[str]:
        """Return the stems of committed logs whose copies are kept until their objects are durable."""
        return self._committer.spool.kept()

    def waiting(self) -> list[str]:
        """Return the stems of logs that wait in the spool."""
        return self._committer.spool.waiting()

    def commit_files(
        self, files: Iterable[tuple[str, bytes | None]], message: str, *, only_missing: bool = False
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
        from memory.write.ref_update import commit_files, missing

        listed = tuple(files)

        def wanted(tip: str) -> Files:
            return missing(self.home, listed, tip) if only_missing else listed

        return commit_files(self.snapshot.tip, self._committer, wanted, message, self.occasion())

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
        from memory.merge.branch_update import join

        return join(
            self.snapshot.tip, self._committer, theirs,
            adopt=adopt, dry_run=dry_run, planned=planned, progress=self._progress,
        )  # fmt: skip

    def drift(self) -> tuple[str, ...]:
        """Return the projection files of the tip that differ from the replay, sorted."""
        return tuple(path for path, _ in self._drifted(self.home.tip()))

    def edited(self) -> tuple[str, ...]:
        """Return the projection files that a person edited in the work tree or the mirror, sorted."""
        from memory.edits.detect import edited_files

        return edited_files(self.home, self.policy)

    def absorb(self, *, dry_run: bool = False) -> Absorption:
        """Make a log of a person's edit of `continuity.md`, and write the file anew.

        Args:
            dry_run: change nothing, and return what would be.

        Raises:
            HandEdited: no event can say it all (EditNotUnderstood), or another file; nothing changed.
            WriteRefused: the repository is in no state to be committed to.
            WaitsInSpool: the log is durable, and the next command that can write commits it.
            CorruptRepository: a log can not be read.
        """
        return self._absorber().absorb(self.occasion, dry_run=dry_run)

    def absorb_first(self, *, dry_run: bool = False) -> tuple[Finding, ...]:
        """Absorb an edit before the file is written for another reason; say what became of it."""
        from memory.edits.absorb import absorbed_findings

        found = self._absorber().absorb(self.occasion, dry_run=dry_run, first=True)
        return absorbed_findings(found, dry_run)

    def absorb_committed(self, theirs: str = "", *, dry_run: bool = False) -> tuple[Finding, ...]:
        """Make logs of edits of `continuity.md` that people committed and that a merge passed over.

        Args:
            theirs: look at what this tip brings to the branch's, and leave the logs in the spool; ""
                for the branch itself.
            dry_run: change nothing.

        Raises:
            WaitsInSpool: the logs are durable, and the next command that can write commits them.
            StorageFailed: the disk refused.
        """
        from memory.edits.committed import absorb_committed, committed_edit_findings

        edits = absorb_committed(
            self.snapshot.tip, self._committer, self.tip_state, self.occasion,
            theirs=theirs, dry_run=dry_run,
        )  # fmt: skip
        return committed_edit_findings(self.home, edits, dry_run)

    def unabsorbed(self) -> list[CommittedEdit]:
        """Return what people committed into `continuity.md` and no log says yet."""
        from memory.edits.committed import read_checked, unabsorbed

        checked = read_checked(self.home)
        return unabsorbed(self.snapshot.tip, self.tip_state, self.home.tip(), checked)

    def left_alone(self) -> tuple[Finding, ...]:
        """Say what stands in the committed projection files that no log says; they stay as they are."""
        from memory.worktree.authorship import left_alone

        found = self.ask(lambda cache: (cache.policy, cache.ever_rendered()), committed=True)
        return left_alone(self.home, self.home.tip(), self.tip_state, found[0], rendered=found[1])

    def _absorb_for_append(self) -> tuple[Finding, ...]:
        """Absorb an edit before an append that publishes, which nothing about it may stop."""
        policy = self.policy
        if rides(self.home, policy) or not (edited_paths(self.home, policy) and self.publishes()):
            return ()
        try:
            return self.absorb_first()
        except EditNotUnderstood as problem:
            return problem.findings
        except (DiurnaError, OSError):
            return ()  # what is in the way here is in the way of the append, which says so

    def _absorber(self) -> Absorber:
        from memory.edits.absorb import Absorber

        return Absorber(self.snapshot.tip, self._committer, self._recorder, self.tip_state)

    def publish(self, *, dry_run: bool = False) -> tuple[tuple[str, ...], str]:
        """Write and commit the projection where it drifted; an edit of `continuity.md` is absorbed first.

        Args:
            dry_run: change nothing.

        Returns:
            The files that differed, and the commit ("" when there was nothing to do).

        Raises:
            HandEdited: no event can say what a person edited; nothing changed.
            WriteRefused: the repository is in no state to be committed to.
            CorruptRepository: a log can not be read.
        """
        from memory.worktree import projection_files as pages
        from memory.worktree.authorship import refuse_left
        from memory.write.ref_update import commit_files, heal_index

        pages.refuse_unwritable(self.home)
        check_writable(self.policy)
        pages.refuse_incomplete(self.ask(lambda cache: cache.unread()))
        pages.refuse_edited(unread(self.home, self.edited()))
        self.snapshot.notes += self.absorb_first(dry_run=dry_run)
        paths = self.drift()
        if paths:
            refuse_left(self.left_alone())
        if not paths or dry_run:
            return paths, ""
        heal_index(self._committer)
        said, tip = "diurna: publish the projection", self.snapshot.tip
        made = commit_files(tip, self._committer, self._drifted, said, self.occasion())
        self.snapshot.notes += identity_findings(self.identity())
        return paths, made

    def discard_edits(self, *, dry_run: bool = False) -> Discarded:
        """Publish over what people edited and no log says; what they wrote is kept beside git."""
        from memory.edits.discard import discard_edits
        from memory.worktree.projection_files import refuse_incomplete, refuse_unwritable

        refuse_unwritable(self.home)
        refuse_incomplete(self.ask(lambda cache: cache.unread()))
        given = self.snapshot.tip, self._committer, self.tip_state, self.occasion
        return discard_edits(*given, dry_run=dry_run)

    def write_projection(self, state: State) -> tuple[str, ...]:
        """Write the projection of a state into the work tree, without a commit; return the files."""
        from memory.worktree.authorship import refuse_left
        from memory.worktree.projection_files import write_files

        refuse_left(self.left_alone())
        return write_files(self.home, state, self.edited())

    def _drifted(self, tip: str) -> Files:
        from memory.worktree.projection_files import drifted

        return drifted(self.home, self.tip_state(), tip)
