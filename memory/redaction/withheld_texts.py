"""Withhold the words of redacted logs, and the texts, footers and remarks of redacted facts (F9).

The cache does not hold their texts, footers and remarks any more; what has to be left out of a log is read
from git.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.codec.event_bullets import read_references, write_references
from ledger.codec.fact_blocks import parse_footer, write_footer
from ledger.codec.fast_read import read_entry
from ledger.codec.log import decode
from ledger.home import Home
from ledger.model.event import Event, FactCreated, FactIgnored, FactRedacted, FactUpdated, facts_in
from ledger.model.evidence import ASKED_MARK, CORRECTED, RESTATED, proof_in, role_in
from ledger.model.ids import is_purged
from ledger.model.log_names import LogRef, breaks_seal, is_sealed, is_stem, key_of, stem_in
from ledger.model.record import Record
from ledger.model.session import REFERENCES_HEADING, Entry, SessionLog
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import keys_within
from memory.cache.schema import entry_in
from memory.replay.read_logs import read_bytes
from projection.fold.fact_history import REDACTED_TEXT
from projection.fold.withholding import free_values, held_in, names, structural, withheld_events

#: The most logs that a redaction names: a line has 64 KiB.
_HOLDERS = 500
#: A line of a withheld text that has fewer characters is only withheld where it is a whole line.
_TELLING_CHARS = 12
#: What may stand before it on a line: what makes it a title or a bullet, and what a title says of it.
_MARKS = ("- ", "[ ] ", "[x] ", "[X] ", "# ", "Undo: ", "Redo: ", "Task: ")
#: What stands where a line was cut.
_CUT = "…"
#: Footer keys that hold names of something, which sentences about other things have in them too.
_NAMES = ("entity", "tags", "role")


class Hidden(Record):
    """What of one log is in no index."""

    facts: frozenset[str]  #: the redacted facts that it names, in whatever way
    texts: tuple[str, ...]  #: all texts, footer values and remarks that these ever had
    words: bool  #: its own title, prose and remarks too


def redacted_logs(cache: Cache) -> frozenset[str]:
    """Return the stems of the logs whose words are withheld."""
    return frozenset([one for one in cache.redacted if is_stem(one) and cache.fact(one) is None])


def withheld_holders(home: Home, cache: Cache, name: str) -> tuple[tuple[str, str], ...]:
    """Return the logs, as (stem, blob id), that hold what a redaction of a fact or a log withholds.

    Those that a purge went through do not any more.
    """
    wanted = frozenset((name,))
    keys = {stem for stem, _ in _bringing(cache, wanted)}
    wordless = is_stem(name) and not keys
    if wordless:
        keys = set(_keys_of(cache, name))
        naming = [ref for key in keys if (ref := cache.log_ref(key)) is not None]
    else:
        naming = logs_naming(cache, wanted)
    for one, data in read_bytes(home, naming):
        if _has_words(one, data) if wordless else texts_in(one, data, wanted):
            keys.add(one.key)
        else:
            keys.discard(one.key)
    refs = [ref for key in sorted(keys) if (ref := cache.log_ref(key)) is not None]
    return tuple([(ref.stem, ref.blob) for ref in refs[:_HOLDERS]])


def naming_holders(home: Home, cache: Cache, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Let redactions name the logs that hold what they withhold."""
    return tuple(
        [
            event._replace(held=withheld_holders(home, cache, event.id))
            if isinstance(event, FactRedacted) and not event.held
            else event
            for event in events
        ]
    )


def logs_naming(cache: Cache, facts: frozenset[str]) -> list[LogRef]:
    """Return the logs that name one of some facts, in whatever way."""
    return [
        ref for ref, entry in cache.entries() if facts and not facts.isdisjoint(named_in(entry))
    ]


def named_in(entry: Entry) -> set[str]:
    """Return the ids that a log names, in whatever way."""
    return {*entry.named, *[event.id for event in entry.acts]}


def held_logs(cache: Cache, names: Iterable[str] | None = None) -> frozenset[tuple[str, str]]:
    """Return the logs, as (stem, blob id), that redactions allow to be gone from the history.

    `names`: only what the redactions of these facts and logs name; None for all.
    """
    wanted = sorted(cache.redacted if names is None else names)
    return held_in(cache.some_histories(wanted).values())


def without_words(log: SessionLog) -> SessionLog:
    """Return a log without its own words: its title, its prose, its remarks, and what was asked of it."""
    events = tuple([event._replace(remark="") for event in log.events])
    header = tuple([pair for pair in log.header if pair[0] not in ("user", "lightweight")])
    return log._replace(header=header, title=REDACTED_TEXT, prose="", events=events)


def visible_text(home: Home, cache: Cache, text: str, named: Iterable[str]) -> str:
    """Return a log's text, line for line, without what it says of redacted facts, wherever it repeats it.

    `named` are the ids that it names.
    """
    gone = cache.redacted.intersection(named)
    if not gone:
        return text
    return without_lines(without_beside(text, gone), withheld_texts(home, cache, gone))


def ids_in(events: Iterable[Event]) -> set[str]:
    """Return the ids that events name."""
    return {fact for event in events for fact in facts_in(event)}


def without_beside(text: str, facts: frozenset[str]) -> str:
    """Return a log's text, line for line, without footer values and remarks of some facts."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        bare = line.strip()
        footer = parse_footer(bare) if bare[:4] == "<!--" else None
        if footer is not None and footer[0] in facts:
            meta = tuple([pair for pair in structural(footer[1]) if pair[1]])
            lines[index] = line[: line.index("<")] + write_footer(footer[0], meta)
    for start, end in _bullets(lines):
        unit = lines[start:end]
        if any(one in line for one in facts for line in unit):
            lines[start:end] = _without_remarks(unit, facts)
    return "\n".join(lines)


def _bullets(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield where bullets and paragraphs of the references begin and end."""
    heading = f"## {REFERENCES_HEADING.lower()}"
    inside, start = False, -1
    for index, line in enumerate([*lines, "## "]):
        bare = line.lstrip()
        ends = not bare or line[:2] == "##" or bare[0] in "-*+"
        if start >= 0 and ends:
            yield start, index
            start = -1
        if line[:2] == "##":
            inside = " ".join(line.lower().split())[: len(heading)] == heading
        elif inside and bare and start < 0:
            start = index


def _without_remarks(unit: list[str], facts: frozenset[str]) -> list[str]:
    """Return as many lines, without a word beside an id of some facts: the events alone."""
    events, odd = read_references(unit, strict=False)
    if events and not odd and not any(names(event, facts) for event in events):
        return unit  # what is read as nothing by itself may say a word of an id too
    kept = write_references(withheld_events(events, facts))
    if " ".join(unit).split() == " ".join(kept).split():
        return unit
    return [*kept, *[""] * len(unit)][: len(unit)]


def without_lines(text: str, texts: Iterable[str]) -> str:
    """Return a text with every line emptied that holds a line of some texts, or the front of one."""
    lines = {line.strip() for one in texts for line in one.split("\n")} - {""}
    telling = [line for line in sorted(lines) if len(line) >= _TELLING_CHARS]
    kept: list[str] = []
    for line in text.split("\n"):
        bare = line.strip()
        for mark in _MARKS:
            bare = bare.removeprefix(mark)
        gone = bare in lines or any(one in line for one in telling)
        kept.append("" if gone or (_CUT in line and holds_cut(line, telling)) else line)
    return "\n".join(kept)


def holds_cut(line: str, telling: list[str]) -> bool:
    """Tell whether a line holds one of some lines cut at a `…`, as titles and lists cut it."""
    for one in telling:
        at = line.find(one[:_TELLING_CHARS])
        while at >= 0:
            end = line.find(_CUT, at, at + len(one) + 2)
            if end >= 0 and one.startswith(line[at:end].rstrip()):
                return True
            at = line.find(one[:_TELLING_CHARS], at + 1)
    return False


def withheld_texts(home: Home, cache: Cache, facts: Iterable[str]) -> tuple[str, ...]:
    """Return all texts, footer values and remarks that git still has of some facts, sorted.

    Of remarks those of the logs that brought a text, and of other logs the words that restate one, and
    the questions behind which it was used.
    """
    wanted = frozenset(facts)
    stems = {stem for stem, _ in _bringing(cache, wanted)}
    refs = [ref for stem in sorted(stems) if (ref := cache.log_ref(stem)) is not None]
    naming = {ref for fact in wanted for ref, _ in cache.entries_naming(fact)}
    said = {
        words
        for ref, data in read_bytes(home, sorted(naming))
        if any(mark.encode() in data for mark in (RESTATED, CORRECTED, ASKED_MARK))
        for remark in _remarks(ref, data, wanted)
        if (proof := proof_in(remark))
        for whole in (*proof.asked, proof.words if proof.how in (CORRECTED, RESTATED) else "")
        # behind the mark of a cut may stand what turns the words round
        for one in (whole, whole.rpartition(_CUT)[0])
        if (words := one.strip())
    }
    return tuple(sorted({*_texts(home, refs, wanted), *said}))


def hidden_by_log(
    home: Home, cache: Cache, rows: Iterable[tuple[str, str, str, bytes, bytes]]
) -> dict[str, Hidden]:
    """Return what of some logs (`packed_entries`) must be in no index, by key, nothing for the others."""
    # also one that brings no text of them may repeat one: `Undo: TEXT`
    naming = {key: cache.redacted & named_in(entry_in(*packed)) for key, _, _, *packed in rows}
    texts = {
        fact: withheld_texts(home, cache, (fact,))
        for fact in sorted({fact for facts in naming.values() for fact in facts})
    }
    bare = redacted_logs(cache)
    keys = {key for stem in bare for key in _keys_of(cache, stem) if key in naming}
    return {
        key: Hidden(
            naming[key],
            tuple(sorted({text for fact in naming[key] for text in texts[fact]})),
            key.partition("~")[0] in bare,
        )
        for key, facts in naming.items()
        if facts or key in keys
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
        found |= texts_in(ref, data, facts)
        broken += [ref] if breaks_seal(ref.stem, data) else []
    if broken:
        from ledger.git.log_history import sealed_before

        known = sealed_before(home, home.tip(), {ref.path: ref.blob for ref in broken})
        sealed = [ref._replace(blob=blob) for ref in broken for blob in known.get(ref.path, ())]
        for ref, data in read_bytes(home, sealed):
            found |= texts_in(ref, data, facts)
    return found


def texts_in(ref: LogRef, data: bytes, facts: frozenset[str]) -> set[str]:
    """Return all texts, footer values and remarks that a log has of some facts."""
    found = set(_remarks(ref, data, facts))
    for event in read_entry(ref.stem, data)[0].acts:
        if isinstance(event, FactCreated | FactUpdated) and event.id in facts:
            found.update([value for key, value in free_values(event.meta) if key not in _NAMES])
            found.add("" if is_purged(event.text or "") else event.text or "")
    return found - {""}


def _has_words(ref: LogRef, data: bytes) -> bool:
    """Tell whether a log has words of its own, beside what a purge leaves."""
    log, _ = decode(data, sealed=is_sealed(ref.stem))
    return without_words(log) != log


def _remarks(ref: LogRef, data: bytes, facts: frozenset[str]) -> Iterator[str]:
    """Yield what a log says beside ids of some facts, but for why they are redacted."""
    log, _ = decode(data, sealed=is_sealed(ref.stem))
    for event in log.events:
        if event.remark and names(event, facts) and not isinstance(event, FactRedacted):
            if not (isinstance(event, FactIgnored) and role_in(event.remark)):
                yield event.remark
