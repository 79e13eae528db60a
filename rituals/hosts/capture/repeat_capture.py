"""Ask the user's model about sessions once more; what it finds is candidates, recorded nowhere."""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.model.record import Record
from rituals.hosts.capture.composition import storable
from rituals.hosts.capture.gates import Gates
from rituals.hosts.capture.use_evidence import nearest
from rituals.hosts.extraction.extractors import extract
from rituals.hosts.silence import audible
from rituals.hosts.transcripts.slices import read_slice
from rituals.hosts.user_settings import Settings, settings, settings_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memory.api import Memory
    from rituals.hosts.capture.stamps import Seen
    from rituals.hosts.extraction.extracted_items import Item


class Reading(Record):
    """What a model found in a part of a session."""

    seen: Seen  #: the session
    items: tuple[Item, ...]  #: that others may read, with the byte of their line
    failed: str = ""  #: why there are none, "" where it was no failure


def models_of(environment: Mapping[str, str]) -> Settings:
    """Return which models the user chose.

    Raises:
        NotFound: none.
    """
    chosen = settings(environment)
    if not chosen.extractors:
        raise NotFound(
            "no model is chosen that could read sessions again",
            hint=f"`use` below [extraction] in {settings_path(environment)} names one",
        )
    return chosen


def read_again(
    memory: Memory, found: Iterable[Seen], chosen: Settings, environment: Mapping[str, str]
) -> Iterator[Reading]:
    """Ask a model about sessions, part after part; nothing that it finds is recorded."""
    policy = memory.policy
    gates = Gates(memory, policy)
    kinds = [kind.name for kind in policy.kinds]
    commondir = memory.home.repository.commondir
    for one in found:
        part = read_slice(one.host, one.transcript, 0)
        while part is not None and part.end > part.start:
            # a silence is kept for the home's own folder, and that may be another
            heard = audible(part, commondir, one.session, "")
            known = nearest(memory, heard.turns)
            given = extract(gates.told(heard), known, chosen, environment, kinds)
            items = [item for item in gates.items(given.items, heard) if not item.personal]
            yield Reading(one, storable(items), given.failed)
            part = read_slice(one.host, one.transcript, part.end)
