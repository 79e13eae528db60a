"""Record what a session said of the person alone in their own home; where there is none, nowhere."""

from __future__ import annotations

from ledger.codec.log import entry_of
from ledger.errors import DiurnaError
from ledger.home import personal_home
from ledger.model.session import SessionLog
from memory.api import Memory
from memory.write.duplicate_check import notice
from memory.write.personal import is_own
from projection.policy.model import ASK, OFF
from rituals.hosts.capture.composition import Part, draft_of_part, storable
from rituals.record.compose import taken_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.write.commit import Occasion
    from rituals.hosts.extraction.items import Item


def record_own(part: Part, items: Iterable[Item], now: Occasion) -> bool:
    """Record items that are about the person; what their home says already is passed over.

    Args:
        part: of the session, of which its host, session and extractor are told.
        items: found in it.
        now: when and by whom.

    Returns:
        Whether there is a home that takes them.
    """
    try:
        home = personal_home()
        if home is None:
            return False
        own = Memory(
            home, clock=lambda: now.now_ms, identity=lambda: now.identity, in_process=False
        )
        policy = own.snapshot.cache().policy
        if not is_own(home, policy) or policy.capture.keep == OFF or policy.capture.approve == ASK:
            return False
        for item in storable(items):
            bare = Part(part.host, part.session, part.extractor, None, None, (), (), (item,))
            draft = draft_of_part(bare, policy.capture.keep, policy.capture.trust, taken_in(own))
            entry = entry_of("", SessionLog(draft.header, draft.title, "", draft.events))
            known = own.snapshot.cache().some_histories(draft.made)
            if not known and not any(one.overlap for one in notice(own.snapshot, entry)):
                own.hold(draft)
        return True
    except (DiurnaError, OSError):
        return False  # what a session says of the project is recorded all the same
