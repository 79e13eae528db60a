"""Note what the policy says of observations where a hook reads it at once.

The policy stands in a commit, and a hook has no time for it. The note (`admission.observing` reads it) is
made at the start of a session where the branch has moved since, and it is disposable: without it the
defaults hold.
"""

from __future__ import annotations

from rituals.hosts.observed.admission import NOTE_FILE, observing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home


def refresh(home: Home) -> None:
    """Note what the policy of a home says, where its branch has moved since.

    Raises:
        DiurnaError: the home can not be read, or the disk refused.
    """
    commondir, tip = home.repository.commondir, home.tip()
    if observing(commondir).tip == tip:
        return
    from ledger.wal.atomic_files import replace_file
    from memory.query.open_snapshot import open_snapshot
    from projection.policy.model import OFF

    capture = open_snapshot(home).ask(lambda cache: cache.policy.capture, tip)
    words = [" ".join(word.split()) for word in capture.decision_words]
    said = "\n".join((tip, "off" if capture.keep == OFF else f"on {capture.ask}", *words))
    replace_file(f"{commondir}/{NOTE_FILE}", f"{said}\n".encode(), 0o600)
