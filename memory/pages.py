"""Open one home for writing: who writes, and the pages that people read and edit.

What only some questions need is imported by them: a short command pays for what it does.
"""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.git.committer import Identity, identity_findings, identity_in
from ledger.git.repository import remote_branches
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.model.layout import CONTINUITY_FILE
from memory.query.reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.edits.absorb import Absorption, Discarded
    from memory.worktree.edit_base import CommittedEdit
    from memory.worktree.page_authorship import Left
    from memory.worktree.rendered_pages import Rendering
    from memory.write.append import Recorder
    from memory.write.commit_files import Files
    from memory.write.draft import Occasion
    from memory.write.spool_commits import Committer
    from projection.fold.full_replay import State


class Pages(Reader):
    """One home, open to be written in: who writes, and the pages that people edit.

    Reading never writes to the repository; the cache lives under its git directory and may be absent.

    Args:
        home: where the ledger lives.
        agent: who writes logs that do not say; "" for the name git commits with.
        session: the host session whose work they tell, where they do not say; "" for none.
        clock: gives milliseconds since 1970.
        lasting: it is a process that runs for long: what writes is loaded now.
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
        lasting: bool = True,
        progress: Callable[[int, int], None] | None = None,
        identity: Identity | None = None,
    ) -> None:
        super().__init__(home, progress, clock)
        self._agent, self._session = agent, session
        self.typed = False  #: whether a draft's agent was typed by who opened this home
        self._made: Committer | None = None
        self._identity = identity
        if lasting:  # later it may find no file left to open
            self.recorder()

    @property
    def committer(self) -> Committer:
        """What commits: most commands only ask, and do not load it."""
        if self._made is None:
            from memory.write.spool_commits import Committer

            self._made = Committer(self.snapshot.tip)
        return self._made

    def recorder(self) -> Recorder:
        """Return what makes logs of drafts."""
        from memory.write.append import Recorder

        return Recorder(self.snapshot, self.committer)

    def occasion(self) -> Occasion:
        """Return when and by whom something would be written now."""
        from memory.write.draft import Occasion

        who = self.identity()
        asker = self._agent or who.name
        return Occasion(self.clock(), who, asker, self._session, self.typed)

    def identity(self) -> Identity:
        """Return who commits: what git says, or a fixed name where it knows none."""
        if self._identity is None:
            self._identity = identity_in(self.home.repository)
        return self._identity

    def waiting(self) -> list[str]:
        """Return the stems of logs that wait in the spool."""
        return self.home.spool.waiting()

    def held(self) -> list[str]:
        """Return the stems of logs that wait though nothing failed, oldest first; `obstacle` says why."""
        return self.home.spool.held()

    def obstacle(self) -> str:
        """Say what they wait for, "" where the next command commits them or there are none."""
        if not self.held():
            return ""
        from memory.write.branch_lock import obstacle
        from memory.write.draft import NOT_COMMITTED

        return NOT_COMMITTED if self.home.plain else obstacle(self.home)

    def drift(self) -> tuple[str, ...]:
        """Return the projection files of the tip that differ from the replay, sorted."""
        return tuple(path for path, _ in self._behind(self.home.tip())[0])

    def edited(self) -> tuple[str, ...]:
        """Return the projection files that a person edited in the work tree or the mirror, sorted."""
        from memory.worktree.page_copies import edited_copies
        from memory.worktree.rendered_pages import committed_projection

        if not self.home.repository.top:
            return ()
        committed = committed_projection(self.home, self.home.tip(), self.policy)
        paths = {*committed, CONTINUITY_FILE, *self.policy.view_files}
        return tuple(sorted(edited_copies(self.home, paths, committed)))

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
        from memory.edits.absorb import absorb

        return absorb(self, dry_run=dry_run)

    def absorb_first(self, *, dry_run: bool = False) -> tuple[Finding, ...]:
        """Absorb an edit before the file is written for another reason; say what became of it."""
        from memory.edits.absorb import absorb, absorbed_findings

        return absorbed_findings(absorb(self, dry_run=dry_run, first=True), dry_run)

    def absorb_committed(
        self, theirs: str = "", base: str = "", *, dry_run: bool = False
    ) -> tuple[Finding, ...]:
        """Make logs of edits of `continuity.md` that people committed and that a merge passed over.

        Args:
            theirs: look at what this tip brings to the branch's, and leave the logs in the spool; ""
                for the branch itself.
            base: where the two part, "" where nobody knows.
            dry_run: change nothing.

        Raises:
            WaitsInSpool: the logs are durable, and the next command that can write commits them.
            StorageFailed: the disk refused.
        """
        from memory.worktree.edit_base import edited_commits
        from memory.worktree.page_copies import note_checked, read_checked

        tip = self.home.tip()
        known = (base or tip) if theirs else read_checked(self.home)
        if not theirs and known == tip:
            return ()
        if theirs or dry_run or not self.waiting():
            if not edited_commits(self.home, theirs or tip, known):
                if not (theirs or dry_run):
                    note_checked(self.home, tip)
                return ()
        from memory.edits.page_edits import absorb_committed

        return absorb_committed(self, theirs, base, dry_run=dry_run)

    def unabsorbed(self) -> list[CommittedEdit]:
        """Return what people committed into `continuity.md` and no log says yet."""
        from memory.worktree.edit_base import edited_commits
        from memory.worktree.page_copies import read_checked

        tip = self.home.tip()
        edits = edited_commits(self.home, tip, read_checked(self.home))
        if not edits:
            return []
        from memory.edits.page_edits import unabsorbed

        return unabsorbed(self, tip, edits)

    def undeclared(self, edited: Sequence[str]) -> list[Finding]:
        """Name what people edited and no log says: in the work tree, by `edited`, and in commits."""
        unabsorbed, left = self.unabsorbed(), self.left_alone()
        if not (edited or unabsorbed or left):
            return []
        from memory.edits.page_edits import find_edit, undeclared
        from memory.worktree.page_copies import name_of

        found = (
            find_edit(self.snapshot.tip, self.tip_state) if name_of(self.home) in edited else None
        )
        return undeclared(found, unabsorbed, left, edited)

    def left_alone(self) -> tuple[Finding, ...]:
        """Say what stands in the committed projection files that no log says; they stay as they are."""
        from memory.worktree.page_authorship import findings_in

        return findings_in(self.left())

    def left(self) -> tuple[Left, ...]:
        """Return these files, with what they hold."""
        from memory.worktree.page_authorship import left_alone

        return left_alone(self.home, self.home.tip(), self.tip_state, self.policy)

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
        from memory.worktree import rendered_pages as pages
        from memory.worktree.page_authorship import refuse_left
        from memory.worktree.page_copies import is_editable
        from memory.write.branch_lock import refuse_unwritable
        from memory.write.commit_files import check_writable

        refuse_unwritable(self.home)
        check_writable(self.policy)
        pages.refuse_incomplete(self.ask(lambda cache: cache.unread()))
        pages.refuse_edited([path for path in self.edited() if not is_editable(path)])
        self.snapshot.notes += self.absorb_first(dry_run=dry_run)
        tip = self.home.tip()
        files, rendered = self._behind(tip)
        paths = tuple([path for path, _ in files])
        if paths:
            refuse_left(self.left_alone())
        if not paths or dry_run:
            return paths, ""
        made = (
            self.committer.commit_files(  # pages are long to render: again where the branch moved
                lambda now: files if now == tip else self._behind(now)[0],
                "diurna: publish the projection",
                self.occasion,
            )
        )
        self.snapshot.tip.cache().keep_archive(rendered.archive)
        self.snapshot.notes += identity_findings(self.identity())
        return paths, made

    def discard_edits(self, *, dry_run: bool = False) -> Discarded:
        """Publish over what people edited and no log says; what they wrote is kept beside git."""
        from memory.edits.absorb import discard_edits
        from memory.worktree.rendered_pages import refuse_incomplete
        from memory.write.branch_lock import refuse_unwritable

        refuse_unwritable(self.home)
        refuse_incomplete(self.ask(lambda cache: cache.unread()))
        return discard_edits(self, dry_run=dry_run)

    def write_projection(self, state: State) -> tuple[str, ...]:
        """Write the projection of a state into the work tree, without a commit; return the files."""
        from memory.worktree.page_authorship import refuse_left
        from memory.worktree.rendered_pages import write_files

        refuse_left(self.left_alone())
        return write_files(self.home, state, self.edited())

    def write_page(self) -> None:
        """Bring the pages to the logs at a session's end; where these are plain files, without a commit.

        Not there where a remote has the branch: an uncommitted page is in the way of a pull.
        """
        home = self.home
        if (home.plain and remote_branches(home.repository, home.branch)) or not self.publishes():
            return
        try:
            if not home.plain:
                self.publish()
            elif self.drift():
                self.write_projection(self.tip_state())
        except DiurnaError:
            pass  # a person edits it, or a log can not be read: the commands that are asked for it say so

    def _behind(self, tip: str) -> tuple[Files, Rendering]:
        """Render the pages of a tip; return what it lacks of them, and all."""
        from ledger.git.git_objects import Objects
        from memory.merge.page_update import render_pages
        from memory.worktree.rendered_pages import committed_projection

        standing = committed_projection(self.home, tip, self.policy)
        read = Objects(self.home.repository).read
        made = self.snapshot.tip.ask(lambda cache: render_pages(cache, standing, read), tip)
        return made.changes(standing), made
