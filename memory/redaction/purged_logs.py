"""Find redacted logs that one of two histories purged, and that a merge would bring back (fault:E7).

What a redaction names was in the ledger of whoever wrote it. Where the history that has the redaction
never had the log, people took it out of that history on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.errors import SyncRefused
from ledger.model.event import FactRedacted
from ledger.model.findings import Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.logset import log_refs
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.redaction.withheld_texts import held_logs
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.read_logs import Reading, read_all

_HINT = (
    "a person decides which history holds for all. A fresh clone of the one without it has nothing of it; "
    "`diurna append FILE` says there again what only another clone has"
)


def refuse_purged(
    snapshot: Snapshot,
    ours: str,
    theirs: str,
    bases: Sequence[str],
    entries: Sequence[Entry] | None = None,
) -> None:
    """Refuse to join two tips of which one has logs that were taken out of the history of the other.

    A log that stands in `bases`, where both began, is in both histories; `entries` is what the logs say
    that came from there, None to read them.

    Raises:
        SyncRefused: one has; nothing was changed.
    """
    home, git = snapshot.home, snapshot.home.repository.git()
    folder = home.prefix + SESSIONS_DIR
    rows = git.differences(ours, theirs, folder)
    cache = snapshot.cache(ours)
    came, _ = log_refs(
        [(mode, blob, p) for letter, mode, blob, p in rows if letter != "D"], home.prefix
    )
    here = [path[len(home.prefix) :] for letter, _, _, path in rows if letter != "A"]
    if not here and not cache.redacted:
        return
    only_here = {stem_of(path) for path in here}
    said_here: set[tuple[str, str]] = set()
    said_there: set[tuple[str, str]] = set()
    for history in cache.some_histories(sorted(cache.redacted)).values():
        for stem, _, event, _ in history.acts:
            if isinstance(event, FactRedacted):
                said_here.update(event.held)
                said_there.update(event.held if stem not in only_here else ())
    if entries is None:
        entries = read_all(home, came).entries
    for entry in entries:
        for event in entry.acts:
            said_there.update(event.held if isinstance(event, FactRedacted) else ())
    refs = [ref for path in here if (ref := cache.log_ref(stem_of(path))) is not None]
    for where, other, logs, said in (
        ("on the remote", "here", refs, said_there),
        ("here", "on the remote", came, said_here),
    ):
        suspect = [ref for ref in logs if (ref.stem, ref.blob) in said]
        common = {path for base in bases if suspect for _, _, path in git.tree_files(base, folder)}
        gone = [ref.stem for ref in suspect if home.prefix + ref.path not in common]
        if gone:
            more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
            raise SyncRefused(
                f"{gone[0]}{more} was redacted and taken out of the history {where}, and the history "
                f"{other} still has it; joined, it would be in both again",
                hint=_HINT,
            )


def expected(cache: Cache | None, reading: Reading) -> tuple[Finding, ...]:
    """Return what was noticed in logs, but that a purge put other bytes in the place of a redacted one's.

    `cache` is of the tip that the logs come to, None for none; where history has the first bytes of a
    log, `reading` is of those.
    """
    if not any(one.code == "seal-broken" for one in reading.findings):
        return reading.findings
    held = set(held_logs(cache) if cache else ())
    for entry in reading.entries:
        for event in entry.acts:
            held.update(event.held if isinstance(event, FactRedacted) else ())
    stems = {stem for stem, _ in held}
    purged = {
        one.path for one in reading.refs if one.stem in stems and (one.stem, one.blob) not in held
    }
    return tuple(
        [one for one in reading.findings if one.code != "seal-broken" or one.file not in purged]
    )
