"""Keep what the policy says of observations where a hook reads it at once.

The policy stands in a commit, and a hook has no time for it. The note is made at the start of a session
where the branch has moved since, and it is disposable: without it the defaults hold.
"""

from __future__ import annotations

import os

from ledger.model.layout import STATE_DIR
from ledger.model.record import Record
from rituals.hosts.payloads import read_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home

_FILE = f"{STATE_DIR}/observing"
_FILE_BYTES = 1 << 16


class Observing(Record):
    """What the policy says of observations.

    Args:
        off: nothing is kept of sessions.
        words: that tell of a decision, beside the built-in ones.
        tip: the commit that says so, "" for none.
    """

    off: bool = False
    words: tuple[str, ...] = ()
    tip: str = ""


def observing(commondir: str) -> Observing:
    """Return what the policy says, as far as it was noted.

    Args:
        commondir: the common git directory.
    """
    try:
        fd = os.open(f"{commondir}/{_FILE}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            said = read_object(os.read(fd, _FILE_BYTES)) or {}
        finally:
            os.close(fd)
    except OSError:
        return Observing()
    words, tip = said.get("words"), said.get("tip")
    listed = words if isinstance(words, list) else []
    return Observing(
        said.get("off") is True,
        tuple([word for word in listed if isinstance(word, str) and word]),
        tip if isinstance(tip, str) else "",
    )


def refresh(home: Home) -> None:
    """Note what the policy of a home says, where its branch has moved since.

    Raises:
        DiurnaError: the home can not be read.
    """
    tip = home.tip()
    if observing(home.repository.commondir).tip == tip:
        return
    import json

    from ledger.wal.atomic_files import replace_file
    from memory.query.open_snapshot import open_snapshot
    from projection.policy.model import OFF

    capture = open_snapshot(home).ask(lambda cache: cache.policy.capture, tip)
    said = {"off": capture.keep == OFF, "words": capture.decision_words, "tip": tip}
    replace_file(f"{home.repository.commondir}/{_FILE}", json.dumps(said).encode() + b"\n", 0o600)
