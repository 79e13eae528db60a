"""Find the home that the ids of facts name: `NAME/ID` of a home beside the one that is open."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.errors import NotFound, WrongUsage
from ledger.home import PERSONAL, personal_home
from memory.query.reader import Reader
from memory.recall.recall_values import parted
from memory.replay.upstream_homes import upstreams


def holding(reader: Reader, ids: Sequence[str]) -> tuple[Reader, tuple[str, ...], str]:
    """Return the home that holds facts, their ids there, and its name; "" for the one that is open.

    Ids are as they are shown: `ID`, or `NAME/ID` of a home beside it.

    Raises:
        WrongUsage: they are of several homes.
        NotFound: there is no home of that name.
    """
    found = [parted(one) for one in ids]
    names = {name for name, _ in found}
    if not any(names):
        return reader, tuple(ids), ""
    if len(names) > 1:
        raise WrongUsage(
            "these are facts of several homes", hint="ask for those of each by themselves"
        )
    (name,) = names
    if name == PERSONAL:
        home = personal_home()
    else:
        policy = reader.snapshot.cache().policy
        home = next((one.home for one in upstreams(reader.home, policy) if one.name == name), None)
    if home is None:
        hint = "`[upstream]` of the policy names homes of others, and `diurna sync` fetches them"
        raise NotFound(f"there is no home {name} here", hint=hint)
    return Reader(home), tuple([rest for _, rest in found]), name
