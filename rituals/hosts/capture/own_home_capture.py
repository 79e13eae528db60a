"""Record what a session said of the person alone in their own home; where there is none, nowhere."""

from __future__ import annotations

from ledger.codec.log import entry_of
from ledger.errors import DiurnaError
from ledger.home import personal_home
from ledger.model.session import SessionLog
from memory.api import Memory
from memory.write.duplicate_check import notice
from memory.write.personal_guard import is_own
from projection.policy.model import ASK, OFF
from rituals.hosts.capture.composition import Part, draft_of_part, storable
from rituals.record.draft_composer import taken_in, words_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.write.draft import Occasion
    from rituals.hosts.extraction.extracted_items import Item


def record_own(part: Part, items: Iterable[Item], now: Occasion, *, dry_run: bool = False) -> int:
    """Record items that are about the person; what their home says already is passed over.

    Of `part` its host, session and extractor are told.

    Returns:
        How many of them their home has now; none where there is no home that takes them.
    """
    try:
        home = personal_home()
        if home is None:
            return 0
        own = Memory(
            home, clock=lambda: now.now_ms, identity=lambda: now.identity, in_process=False
        )
        policy = own.policy
        if not is_own(home, policy) or policy.capture.keep == OFF or policy.capture.approve == ASK:
            return 0
        taken = 0
        for item in storable(items):
            bare = Part(part.host, part.session, part.extractor, None, None, (), (), (item,))
            draft = draft_of_part(bare, policy.capture.trust, taken_in(own), words_for(own))
            entry = entry_of("", SessionLog(draft.header, draft.title, "", draft.events))
            known = own.cache().some_histories(draft.made)
            if not known and not any(one.overlap for one in notice(own.snapshot, entry)):
                own.hold(draft, dry_run=dry_run)
            taken += 1
        return taken
    except (DiurnaError, OSError):
        return 0  # what a session says of the project is recorded all the same
