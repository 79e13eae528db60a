"""Ask at a start, once for ten new facts a clone and person, which of those hold that are near each other.

Which are near is found behind a stop, where nobody waits: those that share words that few facts have. What
is asked is noted before the agent hears it, so of starts at once one asks. The judge is the agent: what it
answers are lines of a note.
"""

from __future__ import annotations

from ledger.environment import variables
from ledger.git.config_files import plain_user_name
from ledger.home import Home
from ledger.model.record import TYPE_CHECKING, Record
from rituals.hosts.session_files import changed, read_record

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from projection.fold.fact_history import Fact

#: So many new facts are worth the question; and what it and a fact in it take at most.
_NEW, ASKED_CHARS, ASKED_BYTES, _FACT_CHARS = 10, 1_000, 2_500, 95
#: So many pairs are asked about, of the newest of so many facts that hold; and from which cosine on two
#: are near, of words by their rarity.
_PAIRS, _LOOKED, _NEAR = 3, 2_000, 0.3
_TITLE = "These overlap or may contradict"
_ANSWER = (
    "Where two say one thing, or do not hold side by side, say so by `diurna note --agent {}`, a line "
    "each: `ID, ID -> KIND: TEXT`, `done ID` or `wrong ID`."
)


class Overlaps(Record):
    """What a person's sessions in a clone were asked, and are to be asked."""

    asked: str = ""  #: the newest log that was looked at, "" where nobody looked yet
    #: what they are to be asked: ids of facts that are near each other, with blanks between
    near: tuple[str, ...] = ()


def look(home: Home) -> None:
    """Look for what the next start is to ask about, where there are enough new facts."""
    from ledger.model.event import FactCreated
    from memory import open_snapshot

    file = _file(home)
    known, cache = read_record(file, Overlaps()), open_snapshot(home).cache()
    found = Overlaps(cache.summary.newest)
    if known.near:
        return  # a start is to ask first
    if known.asked:
        said = cache.entries_since(known.asked)
        logs = [entry for ref, entry in said if ref.stem != known.asked]
        born = {act.id for log in logs for act in log.acts if isinstance(act, FactCreated)}
        if len(born) < _NEW:
            return
        live = sorted([one.fact for one in cache.view().live], key=lambda fact: fact.born)
        found = found._replace(near=_near(live[-_LOOKED:], born))
    changed(file, known, lambda now: found if now == known else now)


def _near(facts: Sequence[Fact], new: Collection[str]) -> tuple[str, ...]:
    """Return the ids of facts that are near each other, a new one among them, the nearest first."""
    from collections import Counter
    from math import log, sqrt

    from projection.likeness import comparable
    from projection.text.normalize import index_words

    words = {fact.id: {*index_words(fact.text)} for fact in facts}
    held = Counter([word for some in words.values() for word in some])
    weight = {word: log(len(facts) / count) ** 2 for word, count in held.items()}
    size = {id: sum([weight[word] for word in some]) for id, some in words.items()}
    pairs = []
    for one in [fact for fact in facts if fact.id in new]:
        for two in facts:
            shared = words[one.id] & words[two.id]
            most = sqrt(size[one.id] * size[two.id])
            if len(shared) > 1 and most and comparable(one, two):
                cosine = sum([weight[word] for word in shared]) / most
                pairs += [(-cosine, one.id, two.id)] if cosine >= _NEAR else []
    found, used = list[str](), set[str]()
    for _, *pair in sorted(pairs):
        if used.isdisjoint(pair):
            found.append(" ".join(pair))
            used.update(pair)
    return tuple(found[:_PAIRS])


def is_due(home: Home) -> bool:
    """Tell whether a start is to ask."""
    return bool(read_record(_file(home), Overlaps()).near)


def take(home: Home, agent: str) -> str:
    """Return the question to an agent, "" for none: another was asked, or none of them stands any more."""
    from memory import open_snapshot
    from projection.brief.inert_text import enveloped, plain, shortened, untagged

    taken = changed(_file(home), Overlaps(), lambda now: now._replace(near=()))
    if taken is None:
        return ""
    cache = open_snapshot(home).cache()
    place, lines = cache.placing(), []
    for group in taken.near:
        facts = [fact for id in group.split() if (fact := cache.fact(id)) and place(fact).live]
        texts = [shortened(plain(untagged(f"{one.id}: {one.text}")), _FACT_CHARS) for one in facts]
        lines += [f"- {' | '.join(texts)}"] if len(texts) > 1 else []
    return f"{enveloped(_TITLE, lines, '')}\n{_ANSWER.format(agent)}" if lines else ""


def _file(home: Home) -> str:
    from ledger.model.ids import line_digest

    name = plain_user_name(home.repository.commondir) or variables().get("GIT_AUTHOR_NAME", "")
    return f"{home.state_dir}/overlaps-{line_digest(name)}"
