"""Commit to one home (W2, W6, W8): files of it, or a commit that is there already."""

from __future__ import annotations

import os

from ledger.codec.fast_read import read_entry
from ledger.environment import now_seconds
from ledger.errors import WriteRefused
from ledger.git.committer import (
    FALLBACK_EMAIL,
    FALLBACK_NAME,
    Commit,
    Identity,
    move_references,
    store_commit,
)
from ledger.git.repository import checked_out_elsewhere, read_reference
from ledger.home import OWN_BRANCH, Home
from ledger.model.event import VERBS, FactCreated
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id
from ledger.model.layout import COMMIT_SUBJECT, FORMAT_VERSION, SESSIONS_DIR, STATE_DIR, stem_of
from ledger.model.record import tally
from ledger.model.session import PERSONAL_KEY
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.spool import Intents
from memory.object_backups import along, note_logs
from memory.replay.tip_snapshot import Snapshot
from memory.write.branch_lock import Branch
from projection.policy.model import BUILT_IN_KINDS, DEFAULT_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ledger.git.committer import Within
    from ledger.model.session import Entry
    from ledger.wal.atomic_files import Lock
    from memory.write.draft import Occasion
    from projection.policy.model import Policy

#: Paths relative to the home, with their bytes; None takes a file out.
Files = tuple[tuple[str, bytes | None], ...]

#: An agent's name that is longer, or of another form, may be a sentence.
_NAME_CHARS = 24
_KINDS = tuple([kind.name for kind in BUILT_IN_KINDS])
#: The types of log that are called by it; the others tell of a session.
_TYPES = ("import", "review", "edit", "checkpoint")

#: How long a key is waited for, and not asked again: nobody may be there to type a passphrase.
_PATIENCE_SECONDS, _AGAIN_SECONDS = 5.0, 600.0
_UNSIGNED = "commit.gpgsign is set, and the commit is not signed: the key did not answer"


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
        files: Files,
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
        # else the tip is that of its remote-tracking branch
        is_born = not (tip and home.upstream) or read_reference(where, home.reference)
        known = any(path.startswith(SESSIONS_DIR + "/") for path, _ in files)
        known = known or bool(home.seen and read_reference(where, home.seen))
        wanted = Commit(
            home.reference,
            tip,
            tip if is_born else "",
            tuple([(home.prefix + path, data) for path, data in files]),
            message,
            occasion.identity,
            occasion.now_ms // 1000,
            along(home, tip) if known else (),
        )
        self._intents.note(wanted)
        self.branch.refuse_locked()
        made, found = store_commit(where, wanted), list[Finding]()
        if made == tip:
            return tip, found
        if wanted.identity.signs:
            if signed := _signed(home, wanted, made):
                body = home.repository.git().run("cat-file", "commit", signed)
                self._intents.note(wanted, _signature_in(body))
                made = signed
            else:
                found.append(Finding("unsigned", _UNSIGNED))
        return made, found + self._moved(lock, wanted, made, files)

    def _moved(
        self,
        lock: Lock,
        wanted: Commit,
        made: str,
        files: Files | None = None,
        fresh: Sequence[str] = (),
    ) -> list[Finding]:
        """Move the branch to a commit, work tree and index first; return what these could not be given.

        `files` are those that it changes, where that is known; else `fresh` are the stems of its logs
        that the branch has not.
        """
        home, tip, one = self.home, wanted.parent, wanted.identity
        where, who = home.repository, one.committer or (one.name, one.email)
        moves: list[tuple[str, str, str | None]] = [(wanted.reference, made, wanted.expected)]
        moves += [(name, to or made, None) for name, to in wanted.along]
        why, git = wanted.message.split("\n")[0], home.repository.git()

        def move(within: Within) -> bool:
            return move_references(git, moves, why, within, who)

        shown = list[Finding]()
        if home.checked_out:
            from memory.worktree.tree_update import Ahead

            ahead = Ahead(home, tip, made, files)
            self.branch.noted(lock, tip, made, lambda: ahead.show(move), ahead.take_back)
            ahead.settle()
            shown = ahead.findings
        else:
            pages = files is None or any(not path.startswith(SESSIONS_DIR) for path, _ in files)

            def show() -> None:
                shown.extend(_mirror(home, made) if pages else ())
                move(lambda: True)

            def take_back() -> None:
                _mirror(home, home.tip() if pages else made, made)

            self.branch.noted(lock, tip, made, show, take_back)
        if files is not None:
            fresh = [stem_of(path) for path, data in files if data]
        if wanted.along or files is None:
            note_logs(home, fresh)
        if checked_out_elsewhere(where, home.reference):
            from memory.worktree.tree_update import show_elsewhere

            shown += show_elsewhere(home, tip, made)
        return shown

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
            policy = self._snapshot.cache(tip).policy if tip else self._snapshot.policy_at(tip)[1]
            check_writable(policy)
            for path, data in listed:
                if path.startswith(SESSIONS_DIR) and PERSONAL_KEY.encode() in (data or b""):
                    from memory.write.draft import refuse_personal

                    entry, _ = read_entry(stem_of(path), data or b"")
                    refuse_personal(self.home, policy, entry.acts, path)
            made, findings = self.write(lock, tip, listed, message, occasion())
            self._snapshot.notes += findings
            self.branch.end_note(lock, made, findings)
            return made

        return self.branch.write(once)

    def move(self, where: Callable[[str], tuple[str, Sequence[str]]]) -> None:
        """Let the branch point to a commit that is there already.

        `where` says which, for a tip ("" for an unborn branch), and the stems of the logs that it brings:
        asked again when another writer was faster. The tip itself changes nothing.

        Raises:
            Busy: the branch kept moving or is locked.
            StorageFailed: the disk refused.
        """
        home, branch, notes = self.home, self.branch, self._snapshot.notes

        def once(lock: Lock, _: str) -> None:
            tip = read_reference(home.repository, home.reference)
            made, fresh = where(tip)
            if made == tip:
                if not home.checked_out:  # plain git may have moved it past the mirror
                    notes.extend(_mirror(home, tip))
                return
            branch.refuse_locked()
            nobody = Identity(FALLBACK_NAME, FALLBACK_EMAIL)
            wanted = Commit(
                home.reference, tip, tip, (), "diurna: sync", nobody, 0, along(home, tip, made)
            )
            shown = self._moved(lock, wanted, made, None, fresh)
            notes.extend(shown)
            branch.end_note(lock, made, shown)

        branch.write(once)


def _mirror(home: Home, tip: str, base: str = "") -> list[Finding]:
    """Let the mirror, where the home has one, go to a commit (`mirror_changes`)."""
    if home.kind != OWN_BRANCH or not home.repository.top:
        return []
    from memory.worktree.page_copies import mirror_changes

    return mirror_changes(home, tip, base)


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


def commit_subject(entries: Iterable[Entry]) -> str:
    """Return the subject of a commit that brings logs, in nobody's words (W17): `diurna: 2 threads`."""
    logs = list(entries)
    acts = [event for entry in logs for event in entry.acts]
    named = [dict(one.meta).get("kind", "") for one in acts if isinstance(one, FactCreated)]
    kinds = tally([kind if kind in _KINDS else DEFAULT_KIND for kind in named])
    verbs = tally([type(one) for one in acts if not isinstance(one, FactCreated)])
    said = [f"{kinds[kind]} {kind}{'s' * (kinds[kind] > 1)}" for kind in _KINDS if kind in kinds]
    said += [f"{verbs[kind]} {word.lower()}" for word, kind in VERBS.items() if kind in verbs]
    called = {entry.type if entry.type in _TYPES else "session log" for entry in logs}
    what = called.pop() if len(called) == 1 else "session log"
    if len(logs) > 1:
        said = [f"{len(logs)} {what}s{':' * bool(said)} {', '.join(said)}".rstrip()]
    agents = {entry.agent.lower() for entry in logs}
    name = agents.pop() if len(agents) == 1 else ""
    by = f" by {name}" if is_fact_id(name) and len(name) <= _NAME_CHARS else ""
    return f"{COMMIT_SUBJECT}{', '.join(said) or what}{by}"


def _signed(home: Home, wanted: Commit, made: str) -> str:
    """Return the signed commit for one that is not; "" where the key is silent, or was lately."""
    silent, git = f"{home.repository.commondir}/{STATE_DIR}/unsigned", home.repository.git()
    try:
        if now_seconds() - os.stat(silent).st_mtime < _AGAIN_SECONDS:
            return ""
    except OSError:
        pass
    more: dict[str, str] = {}
    for role, line in zip(
        ("AUTHOR", "COMMITTER"), wanted.identity.lines(wanted.seconds), strict=True
    ):
        name, _, rest = line.partition(" <")
        email, _, date = rest.partition("> ")
        parts = {"NAME": name, "EMAIL": email, "DATE": f"@{date}"}
        more |= {f"GIT_{role}_{what}": value for what, value in parts.items()}
    parents = ("-p", wanted.parent) if wanted.parent else ()
    running = git.start("commit-tree", "-S", *parents, f"{made}^{{tree}}", more=more)
    message = wanted.message.replace("\0", "").encode("utf-8", "replace") + b"\n"
    try:
        status, said, _ = running.finish(message, seconds=_PATIENCE_SECONDS)
    except TimeoutError:
        status, said = 1, b""
    if status:
        make_folder(os.path.dirname(silent))
        replace_file(silent, b"", 0o600)
    return "" if status else said.decode("ascii", "replace").strip()


def _signature_in(commit: bytes) -> str:
    """Return the header of a commit that signs it, with the lines that it goes on in.

    Without it the commit could not be made again (W8).
    """
    head = commit.partition(b"\n\n")[0]
    start = head.find(b"\ngpgsig ") + 1
    lines = head[start:].split(b"\n")
    end = next((at for at, line in enumerate(lines) if at and line[:1] != b" "), len(lines))
    return b"\n".join(lines[:end]).decode("utf-8", "surrogateescape") if start else ""
