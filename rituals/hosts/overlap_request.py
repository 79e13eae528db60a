"""Ask at a start, once for ten new facts a clone and person, which of those hold that are near each other.

Which pairs are near is found behind a stop, where nobody waits. What is asked is noted before the agent
hears it, so of starts at once one asks. The judge is the agent: what it answers are lines of a note.
"""

from __future__ import annotations

from ledger.environment import variables
from ledger.git.config_files import plain_user_name
from ledger.home import Home
from ledger.model.record import Record
from rituals.hosts.payloads import changed, read_record

#: So many new facts are worth the question; and what it and a fact in it take at most.
_NEW, ASKED_CHARS, ASKED_BYTES, _FACT_CHARS = 10, 1_000, 2_500, 110
#: So many of the newest logs are looked through for so many pairs, and what the file takes.
_LOGS, _PAIRS, _FILE_BYTES = 50, 3, 2_048
_TITLE = "These overlap or may contradict"
_ANSWER = (
    "Where they do not hold side by side, say so by `diurna note`, a line each: `ID -> KIND: TEXT`, "
    "`done ID` or `wrong ID`."
)


class Overlaps(Record):
    """What a person's sessions in a clone were asked, and are to be asked."""

    asked: str = ""  #: the newest log of which they were, "" where nobody looked yet
    due: str = ""  #: the newest log of what they are to be asked, "" for nothing
    pairs: tuple[str, ...] = ()  #: that: two ids with a blank between


def look(home: Home) -> None:
    """Look for what the next start is to ask about, where there are enough new facts."""
    from ledger.model.event import FactCreated
    from memory.query.open_snapshot import open_snapshot
    from memory.write.near_facts import near_in

    file = _file(home)
    known, snapshot = read_record(file, Overlaps()), open_snapshot(home)
    newest = snapshot.cache().summary.newest
    found = Overlaps(newest)
    if known.asked:
        said = snapshot.cache().entries_since(known.asked)
        logs = [entry for ref, entry in said if ref.stem != known.asked]
        born = [event for log in logs for event in log.acts if isinstance(event, FactCreated)]
        if newest == known.due or len(born) < _NEW:
            return
        near = [one for log in logs[:_LOGS] for one in near_in(snapshot, log)[0]]
        if pairs := dict.fromkeys([" ".join(sorted((one.fact, one.id))) for one in near]):
            found = Overlaps(known.asked, newest, tuple(pairs)[:_PAIRS])
    changed(file, known, lambda now: found if now.asked == known.asked else now, _FILE_BYTES)


def is_due(home: Home) -> bool:
    """Tell whether a start is to ask."""
    return bool(read_record(_file(home), Overlaps()).pairs)


def take(home: Home) -> str:
    """Return the question, "" for none: another start was asked, or none of them stands any more."""
    from memory.query.open_snapshot import open_snapshot
    from projection.brief.wording import enveloped, plain, shortened, untagged

    taken = Overlaps()

    def ask(now: Overlaps) -> Overlaps:
        nonlocal taken
        taken = now
        return Overlaps(now.due or now.asked)

    if not changed(_file(home), taken, ask, _FILE_BYTES):
        return ""
    cache = open_snapshot(home).cache()
    place, lines = cache.placing(), []
    for pair in taken.pairs:
        facts = [fact for id in pair.split() if (fact := cache.fact(id)) and place(fact).live]
        texts = [shortened(plain(untagged(f"{one.id}: {one.text}")), _FACT_CHARS) for one in facts]
        lines += [f"- {' | '.join(texts)}"] if len(texts) > 1 else []
    return f"{enveloped(_TITLE, lines, '')}\n{_ANSWER}" if lines else ""


def _file(home: Home) -> str:
    from ledger.model.ids import line_digest

    name = plain_user_name(home.repository.commondir) or variables().get("GIT_AUTHOR_NAME", "")
    return f"{home.state_dir}/overlaps-{line_digest(name)}"
