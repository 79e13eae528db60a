"""What is withheld of logs, whoever asks: the words of redacted ones, the texts of redacted facts (F9).

The cache does not hold these texts any more; what has to be left out of a log is read from git.
"""

from __future__ import annotations

from ledger.codec import read_entry
from ledger.event import Event, FactCreated, FactRedacted, FactUpdated
from ledger.order import breaks_seal, is_stem, key_of, stem_in
from ledger.values import Record
from memory.reading import read_bytes
from memory.within import keys_within
from projection.fact import REDACTED_TEXT
from projection.withholding import held_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from ledger.home import Home
    from ledger.logset import LogRef
    from ledger.session import SessionLog
    from memory.cache import Cache

#: So many logs a redaction names at most: a line has 64 KiB.
_HOLDERS = 500
#: A line of a withheld text that has fewer characters is only withheld where it is a whole line.
_TELLING_CHARS = 12


class Hidden(Record):
    """What of one log is in no index.

    Args:
        facts: the redacted facts of which it brings a text.
        texts: all texts that these ever had.
        words: its own title, prose and remarks too.
    """

    facts: frozenset[str]
    texts: tuple[str, ...]
    words: bool


def redacted_logs(cache: Cache) -> frozenset[str]:
    """Return the stems of the logs whose words are withheld."""
    return frozenset([one for one in cache.redacted if is_stem(one) and cache.fact(one) is None])


def holders(cache: Cache, name: str) -> tuple[tuple[str, str], ...]:
    """Return the logs, as (stem, blob id), that hold what a redaction of a fact or a log withholds."""
    keys = {stem for stem, _ in _bringing(cache, (name,))}
    if is_stem(name) and not keys:
        keys = set(_keys_of(cache, name))
    refs = [ref for key in sorted(keys) if (ref := cache.log_ref(key)) is not None]
    return tuple([(ref.stem, ref.blob) for ref in refs[:_HOLDERS]])


def naming_holders(cache: Cache, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Let redactions name the logs that hold what they withhold."""
    return tuple(
        [
            event._replace(held=holders(cache, event.id))
            if isinstance(event, FactRedacted) and not event.held
            else event
            for event in events
        ]
    )


def held_logs(cache: Cache, names: Iterable[str] | None = None) -> frozenset[tuple[str, str]]:
    """Return the logs, as (stem, blob id), that redactions allow to be gone from the history.

    Args:
        cache: of the commit.
        names: only what the redactions of these facts and logs name; None for all.
    """
    wanted = sorted(cache.redacted if names is None else names)
    return held_in(cache.some_histories(wanted).values())


def without_words(log: SessionLog) -> SessionLog:
    """Return a log without its own words: its title, its prose and its remarks."""
    events = tuple([event._replace(remark="") for event in log.events])
    return log._replace(title=REDACTED_TEXT, prose="", events=events)


def shown(home: Home, cache: Cache, text: str, events: Iterable[Event]) -> str:
    """Return a log's text without the lines that are texts of redacted facts, wherever it repeats them.

    Args:
        home: where the texts are.
        cache: of the commit.
        text: of the log.
        events: what it says of facts.
    """
    gone = {event.id for event in events if isinstance(event, FactCreated | FactUpdated)}
    gone &= cache.redacted
    return without_lines(text, withheld_texts(home, cache, gone)) if gone else text


def without_lines(text: str, texts: Iterable[str]) -> str:
    """Return a text with every line emptied that holds a line of one of some texts."""
    lines = {line.strip() for one in texts for line in one.split("\n")} - {""}
    telling = [line for line in sorted(lines) if len(line) >= _TELLING_CHARS]
    kept: list[str] = []
    for line in text.split("\n"):
        bare = line.strip().removeprefix("- ")
        bare = bare[4:] if bare[:4] in ("[ ] ", "[x] ", "[X] ") else bare
        gone = bare in lines or any(one in line for one in telling)
        kept.append("" if gone else line)
    return "\n".join(kept)


def withheld_texts(home: Home, cache: Cache, facts: Iterable[str]) -> tuple[str, ...]:
    """Return all texts that git still has of some facts, sorted."""
    wanted = frozenset(facts)
    stems = {stem for stem, _ in _bringing(cache, wanted)}
    refs = [ref for stem in sorted(stems) if (ref := cache.log_ref(stem)) is not None]
    return tuple(sorted(_texts(home, refs, wanted)))


def hidden_by_log(home: Home, cache: Cache, wanted: Container[str]) -> dict[str, Hidden]:
    """Return what of some logs must be in no index, by key; those of which all may be are left out.

    Args:
        home: where the texts are.
        cache: of the commit.
        wanted: the keys of the logs.
    """
    if not cache.redacted:
        return {}
    brought: dict[str, set[str]] = {}
    for stem, fact in _bringing(cache, cache.redacted):
        if stem in wanted:
            brought.setdefault(stem, set()).add(fact)
    texts = {
        fact: withheld_texts(home, cache, (fact,))
        for fact in sorted({fact for facts in brought.values() for fact in facts})
    }
    bare = redacted_logs(cache)
    keys = {key for stem in bare for key in _keys_of(cache, stem) if key in wanted}
    return {
        key: Hidden(
            frozenset(brought.get(key, ())),
            tuple(sorted({text for fact in brought.get(key, ()) for text in texts[fact]})),
            key.partition("~")[0] in bare,
        )
        for key in {*brought, *keys}
    }


def _keys_of(cache: Cache, stem: str) -> list[str]:
    """Return the keys of the logs of one name."""
    found = keys_within(cache, key_of(stem), key_of(stem) + "~")
    return [key for key in found if stem_in(key) == stem]


def _bringing(cache: Cache, facts: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Yield (key of the log, fact) for every text of some facts."""
    for fact, history in cache.some_histories(sorted(facts)).items():
        for act in history.acts:
            event = act.event
            if isinstance(event, FactCreated | FactUpdated) and event.text is not None:
                yield act.stem, fact


def _texts(home: Home, refs: list[LogRef], facts: frozenset[str]) -> set[str]:
    """Return the texts of some facts in logs, also in what those were sealed with."""
    found: set[str] = set()
    broken: list[LogRef] = []
    for ref, data in read_bytes(home, refs):
        found |= _texts_in(ref, data, facts)
        broken += [ref] if breaks_seal(ref.stem, data) else []
    if broken:
        from ledger.history import sealed_before

        known = sealed_before(home, home.tip(), {ref.path: ref.blob for ref in broken})
        sealed = [ref._replace(blob=blob) for ref in broken for blob in known.get(ref.path, ())]
        for ref, data in read_bytes(home, sealed):
            found |= _texts_in(ref, data, facts)
    return found


def _texts_in(ref: LogRef, data: bytes, facts: frozenset[str]) -> set[str]:
    return {
        event.text
        for event in read_entry(ref.stem, data)[0].acts
        if isinstance(event, FactCreated | FactUpdated) and event.text and event.id in facts
    }
