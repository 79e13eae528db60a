"""Find the logs that a branch lost because its reference was set elsewhere (L6).

A clone keeps the branch's tip as it was seen last, so they are there whatever git collects. What nobody
took out comes back. What somebody may have meant to go is kept without the history that it stood in, and
named. Of branches with code the logs that landed are kept together, and those that are nowhere else named.
Which logs those are stands beside git too, for what rewrites all references rewrites these as well.
"""

from __future__ import annotations

from ledger.errors import DiurnaError, GitFailed, ObjectMissing
from ledger.git.committer import FALLBACK_EMAIL, FALLBACK_NAME, Identity
from ledger.git.git_objects import (
    BLOB,
    COMMIT,
    TREE,
    Objects,
    merge_commit,
    object_id,
    with_files,
    write_objects,
)
from ledger.git.repository import read_reference
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import SENT, SESSIONS_DIR, kept_as, stem_of
from ledger.model.log_names import breaks_seal, is_sealed, is_stem, log_path
from ledger.wal.atomic_files import plain_bytes
from memory.object_backups import is_written, note_logs, noted_words, remote_tips, sealed_stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from memory.replay.tip_snapshot import Snapshot

    #: Logs: path -> blob id.
    Logs = dict[str, str]
    #: Redacted logs, as (stem, blob id), which may be gone.
    Held = frozenset[tuple[str, str]]

#: How many places where a remote's branch stood are looked at, and how many logs are named.
_TIPS, _NAMES = 50, 5
#: Stands for the bytes of a log that are nowhere any more.
_NOTHING = blob_id(b"")


def named_few(stems: Iterable[str]) -> str:
    """Write `2 logs: a, b`, and no more than a few names."""
    listed = sorted(stems)
    more = f" and {len(listed) - _NAMES} more" if len(listed) > _NAMES else ""
    return f"{len(listed)} log{'s' * (len(listed) != 1)}: {', '.join(listed[:_NAMES])}{more}"


def missing_logs(home: Home, tip: str, commit: str, held: Held) -> Logs:
    """Return the logs that a commit has, and a tip ("" for none) not, or with other bytes than theirs."""
    git, cut = home.repository.git(), len(home.prefix)
    rows = git.differences(tip, commit, home.prefix + SESSIONS_DIR)
    elsewhere = {stem_of(path) for letter, _, _, path in rows if letter == "D"}
    found = {
        path[cut:]: blob
        for letter, _, blob, path in rows
        if letter != "D" and is_stem(stem := stem_of(path))
        if stem not in elsewhere and (stem, blob) not in held
    }
    other = [path[cut:] for letter, _, _, path in rows if letter == "M" and path[cut:] in found]
    for path, data in zip(other, git.blobs([found[path] for path in other]), strict=True):
        if data is None or breaks_seal(stem_of(path), data):
            del found[path]
    return found


def lost_logs(home: Home, held: Held) -> Logs:
    """Return the logs that went and that nobody has put back, as path -> blob id.

    They went from the branch; of branches with code, from all that git refers to.
    """
    tip = home.tip()
    found = {path: blob_id(data) for path, data in _rewritten(home, held).items()}
    for name in (home.lost, home.kept):
        if (kept := read_reference(home.repository, name)) not in ("", tip):
            found |= missing_logs(home, tip, kept, held)
    if found and not home.seen:
        asked = ("--exclude=refs/diurna/*", "--all", "--reflog", "--full-history", "--root")
        form = ("-m", "--format=", "--name-only", "--no-renames", "--diff-filter=AM")
        said = home.repository.git().text("log", *asked, *form, "--", home.prefix + SESSIONS_DIR)
        there, waits = set(said.split("\n")), home.spool.held()
        found = {
            path: blob
            for path, blob in found.items()
            if home.prefix + path not in there and stem_of(path) not in waits
        }
    return found


def lost_findings(home: Home, held: Held, known: Container[str] = ()) -> list[Finding]:
    """Name the logs that went, but those at paths that are known."""
    gone = {path: blob for path, blob in lost_logs(home, held).items() if path not in known}
    nowhere = [stem_of(path) for path, blob in gone.items() if blob == _NOTHING]
    there = [stem_of(path) for path, blob in gone.items() if blob != _NOTHING]
    said, hint = "acknowledged here and found in no reference any more", "look in another clone"
    found = [
        went_finding(there, f"taken off {home.branch if home.seen else 'every branch'}")
    ] * bool(there)
    return found + [went_finding(nowhere, said, f"{hint} or a backup")] * bool(nowhere)


def remember(home: Home, held: Held) -> None:
    """Keep the logs of a branch with code beside those that landed before; a disk may refuse."""
    tip = home.tip()
    if home.seen or not (home.reference and tip):
        return
    git, before = home.repository.git(), read_reference(home.repository, home.kept)
    try:
        if fresh := missing_logs(home, before, tip, held):
            (root,) = git.resolve(f"{before}^{{tree}}") if before else ("",)
            git.run("update-ref", home.kept, _stored(home, root, fresh))
            note_logs(home, map(stem_of, fresh))
    except DiurnaError:
        pass


def _rewritten(home: Home, held: Held) -> dict[str, bytes]:
    """Return the logs that were noted beside git and that nothing leads to since all was rewritten.

    By path, with the bytes that are where the note leads, or in the spool, or b"" for nowhere.
    """
    git, spool, tip = home.repository.git(), home.spool, home.tip()
    words, kept = noted_words(home), read_reference(home.repository, home.kept)
    if words[-1] in ("", kept) or (home.seen and tip and not is_written(home)):
        return {}  # of a power cut comes back what the spool has
    if tip and git.holds(tip, words[-1]):
        return {}  # history tells what became of each
    stems = {*filter(is_sealed, words)} - {
        *spool.waiting(),
        *spool.held(),
        *[one for one, _ in held],
    }
    for one in (tip, kept, read_reference(home.repository, home.lost)):
        stems -= sealed_stems(home, one)
    try:
        known = missing_logs(home, "", words[-1], held)
    except (ObjectMissing, GitFailed):
        known = {}
    paths = [log_path(stem) for stem in stems]
    bodies = git.blobs([known.get(path, _NOTHING) for path in paths])
    return {
        path: data or spool.read_kept(stem_of(path)) or b""
        for path, data in zip(paths, bodies, strict=True)
    }


def drop_redacted(home: Home, held: Held) -> None:
    """Let what is kept go of what a redaction names.

    Raises:
        StorageFailed: the disk refused.
    """
    git = home.repository.git()
    if read_reference(home.repository, home.lost):
        keep_lost(home, {}, held)
    if not home.seen and (kept := read_reference(home.repository, home.kept)):
        left = missing_logs(home, "", kept, held)
        said = (home.kept, _stored(home, "", left)) if left else ("-d", home.kept)
        git.run("update-ref", *said)


def _stored(home: Home, root: str, logs: Logs) -> str:
    """Store a commit of nobody's without a history, of a tree ("" for none) and logs; return it."""
    nobody = Identity(FALLBACK_NAME, FALLBACK_EMAIL).lines(0)
    files = [(home.prefix + path, blob) for path, blob in logs.items()]
    root, written = with_files(Objects(home.repository).read, root, files)
    data = merge_commit(root, (), nobody, "diurna: kept")
    write_objects(home.repository, [*[(TREE, raw) for raw in written.values()], (COMMIT, data)])
    return object_id(COMMIT, data)


def keep_lost(home: Home, more: Mapping[str, str], held: Held, *moves: str) -> None:
    """Keep logs that went from the branch, beside those that went before.

    What the tip has by now, or a redaction names, is let go. `moves` are lines of the transaction.

    Raises:
        StorageFailed: the disk refused.
    """
    git, tip, name = home.repository.git(), home.tip(), home.lost
    before = read_reference(home.repository, name)
    logs = missing_logs(home, tip, before, held) if before else {}
    logs |= {path: blob for path, blob in more.items() if (stem_of(path), blob) not in held}
    made = _stored(home, "", logs) if logs else ""
    if made != before:
        moves = (*moves, f"update {name} {made}" if made else f"delete {name}")
    if moves:
        git.run("update-ref", "--stdin", data="".join(f"{one}\n" for one in moves).encode())


def settle(snapshot: Snapshot) -> list[Finding]:
    """Look what became of the tip that was seen last; what is to come back waits in the spool behind that.

    Call it only while holding Diurna's own lock, where the branch, or what keeps it, is elsewhere.

    Raises:
        StorageFailed: the disk refused.
        GitFailed: git could not move what keeps it.
    """
    from memory.redaction.withheld_texts import held_logs

    home, found = snapshot.home, list[Finding]()
    git, tip = home.repository.git(), read_reference(home.repository, home.reference)
    left, kept = noted_words(home)[-1], read_reference(home.repository, home.kept)
    if home.seen and left not in ("", kept) and not (tip and is_written(home)):
        if git.resolve(f"{left}^{{commit}}")[0]:  # a power cut, or both were deleted
            git.run("update-ref", home.seen, left)
            kept = left
    try:
        held = held_logs(snapshot.cache())
        gone = _rewritten(home, held)
    except (ObjectMissing, GitFailed):
        return []
    if home.seen and kept not in ("", tip):
        found = _set_elsewhere(home, kept, held)
    if gone:
        write_objects(home.repository, [(BLOB, data) for data in gone.values()])
        keep_lost(home, {path: blob_id(data) for path, data in gone.items()}, held)
        home.spool.forget([*map(stem_of, gone)])
        found += lost_findings(home, held)
    if home.seen and tip and not kept:
        git.run("update-ref", home.seen, tip)
    remember(home, held)
    note_logs(home)
    return found


def _set_elsewhere(home: Home, seen: str, held: Held) -> list[Finding]:
    """Look what the branch has no more of the tip that was seen last."""
    where, git = home.repository, home.repository.git()
    tip, remotes = read_reference(where, home.reference), remote_tips(home)
    sent = read_reference(where, kept_as(SENT, home.reference))
    back: Logs = {}
    taken: set[str] = set()
    try:
        gone = missing_logs(home, home.tip(), seen, held)
        stems = [stem_of(path) for path in gone]
        if gone and tip and git.holds(tip, seen):
            gone = {}  # history tells what became of each
        if gone and tip and (tip in remotes.values() or git.holds(seen, tip)):
            taken = _taken(home, remotes, sent, set(stems))
            kept = read_reference(where, home.lost)
            told = missing_logs(home, tip, kept, held) if kept else {}  # and left by who was told
            other = git.resolve(*[f"{tip}:{path}" for path in gone])
            back = {
                path: blob
                for (path, blob), there in zip(gone.items(), other, strict=True)
                if not (there or path in told or stem_of(path) in taken)
            }
        spool, bodies = home.spool, [*git.blobs(back.values())]
    except (ObjectMissing, GitFailed):
        return []
    for path, data in zip(back, bodies, strict=True):
        if data is not None:
            spool.put(stem_of(path), data)
    off = {path: blob for path, blob in gone.items() if path not in back}
    went_off = set(map(stem_of, off))
    moves = [f"update {home.seen} {tip} {seen}"] if tip else []
    for there in [one for one in remotes.values() if one != sent][:1]:
        if there == tip or not sent or git.holds(there, sent):
            moves.append(f"update {kept_as(SENT, home.reference)} {there}")
    keep_lost(home, off, held, *moves)
    spool.forget(stems)  # what became of them is decided
    found = []
    if back:
        said = f"{home.branch} was set back without {named_few(map(stem_of, back))}"
        found.append(Finding("log-dropped", f"{said}; what nobody took out comes back"))
    if went_off and not tip:
        said = f"the branch {home.branch} is not here any more; it had {named_few(went_off)}"
        hint = f"`git branch {home.branch} {home.seen}` brings it back as it was"
        return [*found, Finding("history-rewritten", said, hint=hint)]
    shown = next((one.removeprefix("refs/remotes/") for one in remotes), "the remote")
    for logs, what in ((went_off & taken, shown), (went_off - taken, home.branch)):
        found += [went_finding(logs, f"taken off {what}")] * bool(logs)
    return found


def went_finding(
    stems: Iterable[str], what: str, hint: str = "`diurna check --restore` adds them again"
) -> Finding:
    """Say that logs are not where they were, and what brings them back."""
    many, _, names = named_few(stems).partition(": ")
    said = f"{many} {'was' if many == '1 log' else 'were'} {what}: {names}"
    return Finding("history-rewritten", said, hint=hint)


def _taken(home: Home, remotes: Mapping[str, str], sent: str, stems: set[str]) -> set[str]:
    """Return which logs a remote had, as far as this clone knows, and none has any more.

    Where it was thrown away what a remote had, that is each.
    """
    git, listed = home.repository.git(), [sent] * bool(sent)
    for name in remotes:
        data = plain_bytes(f"{home.repository.commondir}/logs/{name}")
        if data is None:
            continue  # it was cloned, and never moved
        rows = data.decode("utf-8", "replace").split("\n")[:-1]
        if not rows:
            return stems
        listed += [one for row in rows[-_TIPS:] for one in row.split(" ", 2)[:2]]
    had = [one for one in git.resolve(*[f"{one}^{{commit}}" for one in listed]) if one]
    now = list(remotes.values())
    asked = ("--format=", "--name-only", "--no-renames", "--root", "--diff-filter=A", *had)
    added = git.text("log", *asked, "--not", *now, "--", SESSIONS_DIR, check=False) if had else ""
    there = {path for one in now for _, _, path in git.tree_files(one, SESSIONS_DIR)}
    return {stem_of(path) for path in added.split("\n") if path not in there}
