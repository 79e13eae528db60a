"""Words of a question that ask for a state: what is newest, what is still open."""

from __future__ import annotations

from ledger.model.record import Record

LATEST = frozenset(
    "latest newest recent recently current currently now nowadays today presently yet still last".split()
)
OPEN = frozenset(
    "open unresolved unsolved undecided unfinished pending outstanding remaining todo todos".split()
)
#: Words that stand for whatever is open: they name no subject.
THINGS = frozenset(
    "work thing things thread threads issue issues task tasks item items question questions topic topics "
    "point points anything something everything problem problems left".split()
)
VERSION = frozenset("version versions release releases released tag".split())


class StateWords(Record):
    """What a question says of the state that it asks for."""

    latest: bool  #: the newest of its kind
    open: bool  #: what is not done
    version: bool  #: a version or a release is asked for
    words: frozenset[str]  #: those that say so, and are looked for in no fact


def state_words(named: frozenset[str]) -> StateWords:
    """Find the words of a question, all in lower case, that ask for a state."""
    latest, undone = named & LATEST, named & OPEN
    words = latest | undone | (named & THINGS if undone else frozenset())
    return StateWords(bool(latest), bool(undone), bool(named & VERSION), words)
