"""Tell in a line each what the last sessions were asked for, what came of it and what they left open.

What a person asked for is of this clone (`ledger.wal.kept_asks`), and told to who works in it alone; the
rest is of the logs of a session, which are one entry together, without what is withheld. What was asked in
several sessions in the same words says how a person wants to work: that is a form, in every language.
"""

from __future__ import annotations

from ledger.environment import now_ms
from ledger.model.event import FactCreated
from ledger.model.log_names import day_seen
from ledger.model.session import DEFAULT_TITLE, LOG_LIMIT_BYTES
from memory.replay.read_logs import read_bytes
from memory.replay.reader_marks import Outdated, brought_by
from projection.brief.choice import has_left, roles_of
from projection.brief.values import Session
from projection.policy.model import THREAD_KIND
from projection.text.clipping import one_line, sentence_starts
from projection.text.session_lines import in_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Sequence

    from ledger.home import Home
    from ledger.model.session import Entry
    from ledger.wal.kept_asks import Ask
    from memory.cache.cache_file import Cache

#: How many sessions are told, among how many of the newest logs they are looked for, and how many logs of
#: one are read.
_COUNT, _LOOKED, _READ = 5, 60, 8
#: The most that the ask of a session takes, what came of it, and how many threads it names.
_ASK_CHARS, _CHARS, _OPEN = 80, 100, 3
#: Of so many sessions that no agent named more asks are told.
_FULLER = 2
#: What says something of a report has so many words, and begins with none of these.
_LEAST, _NO_PROSE = 5, "#>`~|<-*+=0123456789"
#: What announces or asks ends so.
_NO_ENDS = (":", "?", "\uff1a", "\uff1f")


def last_sessions(
    home: Home, cache: Cache, asks: Sequence[Ask], threads: Collection[str], since: str
) -> tuple[Session, ...]:
    """Return the last work sessions, newest first, each by its newest log whose words are shown.

    `asks` are those of this clone, () where they are not told; `threads` has the ids of what is shown and
    may be one, and those that nobody named behind `since` are left out (`projection.brief.choice`).
    """
    withheld: Container[str] = ()
    if cache.redacted:
        from memory.redaction.withheld_texts import redacted_logs

        withheld = redacted_logs(cache)
    parts = _parts(cache, withheld)
    first = {one.session: one.text for one in reversed(asks)}
    near = [entry.stem for some in parts for entry in some[:_READ]]
    wanted = near + [entry.stem for some in parts for entry in some[_READ:] if threads]
    asked = f"WHERE stem IN ({', '.join('?' * len(wanted))})"
    logs = {ref.key: (ref, entry) for ref, entry in cache.logs(asked, wanted)}
    read = {ref.stem: data for ref, data in read_bytes(home, [logs[one][0] for one in near])}
    found: list[Session] = []
    outdated = Outdated(cache)
    for part in parts:
        some = [logs[one.stem][1] if one.stem in logs else one for one in part]
        ask = first.get(some[0].session, "") if some[0].session else ""
        called, title, report = _came_of_it(home, cache, some[:_READ], read, outdated)
        if ask:
            said = one_line("; ".join(dict.fromkeys(called)) or report or title, _CHARS)
            said = f"“{one_line(ask, _ASK_CHARS)}” → {said or '?'}"
        else:
            last = called[-1] if called else title.rstrip(".")
            both = (last * (not report.startswith(last)), report)
            said = one_line(". ".join(filter(None, both)), 2 * _CHARS)
        left = _left_open(cache, some, threads, since)
        if said and left:
            said += f"; left open: {', '.join(left)}"
        if ask and not called and len(found) < _FULLER:
            more = more_asked(asks, some[0].session, ask)
            said += f"; also asked: {', '.join(more)}" if more else ""
        day = day_seen(some[0].clock, now_ms())
        found += [Session(some[0].stem, some[-1].agent, said, day)] if said else []
    return tuple(found)


def _parts(cache: Cache, withheld: Container[str]) -> list[list[Entry]]:
    """Return the logs of each of the last work sessions, newest first: what continues one is of it."""
    found: dict[object, list[Entry]] = {}
    begun: dict[str, int] = {}  # sessions that no host names, by agent
    for entry in cache.newest_entries("", _LOOKED, bare=True):
        if not entry.uses or entry.stem in withheld:
            continue
        key = entry.session or (entry.agent, begun.get(entry.agent, 0))
        if key in found or len(found) < _COUNT:
            found.setdefault(key, []).append(entry)
        if entry.work and not entry.session:
            begun[entry.agent] = begun.get(entry.agent, 0) + 1
    return list(found.values())


def _came_of_it(
    home: Home, cache: Cache, some: Iterable[Entry], read: dict[str, bytes], outdated: Outdated
) -> tuple[list[str], str, str]:
    """Return what an agent itself calls what it did, oldest first, else a machine; and the last report."""
    called: list[str] = []
    title = report = ""
    for entry in some:
        data = read.get(entry.stem, b"")
        if not data or len(data) > LOG_LIMIT_BYTES:
            continue
        text = data.decode("utf-8", "replace")
        if cache.redacted:
            from memory.redaction.withheld_texts import named_in, visible_text

            text = visible_text(home, cache, text, named_in(entry))
        named, first = in_short(text)
        brought = [*brought_by(entry.acts), *entry.named]
        by_machine = entry.reach and f"\n### {named}\n" not in text
        # a log that is called after a fact that it brings
        fact = named.partition("…")[0].partition(" (and ")[0]
        of_fact = any(line.startswith("- ") and fact in line for line in text.split("\n"))
        is_told = not by_machine and (named == DEFAULT_TITLE or of_fact)
        named, first = [
            outdated.line(entry.stem, one, brought) if one else "" for one in (named, first)
        ]
        if by_machine:
            title, report = title or named, report or _reported(text)
        elif not is_told:  # else the brief has the fact itself
            called.insert(0, named.rstrip("."))
            report = report or first
    return called, title, report


def _reported(text: str) -> str:
    """Return how the last report of a captured log begins that says something."""
    turns = text.partition("\n## Turns\n")[2].partition("\n## ")[0].split("\n### Turn ")
    begun = next((one for turn in reversed(turns) for one in _sentences(turn)), "")
    return f"{begun[:-1]} …" if begun.endswith(_NO_ENDS) else begun


def _sentences(turn: str) -> Iterator[str]:
    """Yield the sentences of a report that have some words."""
    fenced = False
    for line in turn.split("\n")[1:]:
        said = line.strip().replace("**", "")
        fenced ^= said.startswith(("```", "~~~"))
        if fenced or not said or said[0] in _NO_PROSE:
            continue
        start = 0
        for end in [*sentence_starts(said, 0, len(said)), len(said)]:
            told, start = said[start:end].strip(), end
            if len(told.split()) >= _LEAST or (told and told[0] >= _UNSPACED):
                yield told


def _left_open(
    cache: Cache, some: Iterable[Entry], threads: Collection[str], since: str
) -> list[str]:
    """Return the ids of the threads that a session began and that are open."""
    acts = [act for entry in some for act in entry.acts if act.id in threads] if threads else []
    born = dict.fromkeys([act.id for act in acts if isinstance(act, FactCreated)])
    return [one.id for one in map(cache.fact, born) if one and one.open and one.kind == THREAD_KIND
            and not (roles_of(one) or has_left(one, since))][:_OPEN]  # fmt: skip


#: What else a session was asked for: so many asks.
_MORE = 2
#: So much that was asked again is told, of the newest asks: so many words one after the other, or signs
#: where no blanks part them. What was typed is of words for the most part.
_AGAIN, _NEWEST, _RUN, _SIGNS, _PLAIN = 3, 500, 5, 12, 0.8
#: What stands around a word, and what behind it ends a run; writing without blanks begins with the last.
_MARKS, _ENDS, _UNSPACED = '.,;:!?"“”‘’…()*', ".;:!?…", "\u0e00"


def more_asked(asks: Sequence[Ask], session: str, first: str) -> list[str]:
    """Return what else a session was asked for, what tells most: by words that are rare among asks."""
    from collections import Counter  # only where asks are kept
    from math import log

    held = Counter([word for one in asks for word in {*_plain(one.text)}])
    own = {one.text for one in asks if one.session == session and _is_typed(one.text)} - {first}
    told = {text: sum([log(len(asks) / held[word]) for word in {*_plain(text)}]) for text in own}
    return [f"“{one}”" for one in sorted(told, key=lambda text: (-told[text], text))[:_MORE]]


def asked_again(asks: Sequence[Ask]) -> tuple[Session, ...]:
    """Return the words that were typed one after the other in asks of several sessions, and in how many.

    Nothing else of the asks is told, and no two that share words.
    """
    from collections import Counter
    from math import log

    typed = [one for one in asks[-_NEWEST:] if _is_typed(one.text)]
    sessions: dict[tuple[str, ...], set[str]] = {}
    for one in typed:
        for run in _runs(one.text):
            sessions.setdefault(run, set()).add(one.session)
    held = Counter([word for one in typed for word in {*_plain(one.text)}])
    rated: dict[tuple[str, ...], tuple[int, float]] = {}
    for one in typed:
        words, who = list[str](), set[str]()
        for run in [*_runs(one.text), ()]:
            these = sessions.get(run, set())
            if words and words[1 - len(run) :] == [*run[:-1]] and len(who & these) > 1:
                words, who = [*words, run[-1]], who & these
                continue
            tells = sum([log(len(typed) / max(held[word], 1)) for word in {*words}])
            rated[tuple(words)] = len(who), len(who) * tells
            words, who = ([*run], these) if len(these) > 1 else ([], set())
    rated.pop((), None)
    found, said = list[Session](), set[str]()
    for run, (many, _) in sorted(rated.items(), key=lambda one: (-one[1][1], one[0])):
        if len(found) < _AGAIN and len(said.intersection(run)) < _RUN:
            text = ("" if run[0] >= _UNSPACED else " ").join(run)
            found.append(Session("", "", f"“{text}” ({many} sessions)", "", "ask"))
            said.update(run)
    return tuple(found)


def _is_typed(text: str) -> bool:
    """Tell whether a text is of words: what a program printed has marks and numbers between them."""
    return len(_plain(text)) > _PLAIN * len(text.split())


def _plain(text: str) -> list[str]:
    words = [one.strip(_MARKS) for one in text.casefold().replace("’", "'").split()]
    return [one for one in words if one.replace("'", "").isalpha()]


def _runs(text: str) -> list[tuple[str, ...]]:
    """Return so many words of a text as follow each other; a name, a number or a mark parts them."""
    found: list[tuple[str, ...]] = []
    run: list[str] = []
    for typed in [*text.casefold().replace("’", "'").split(), ""]:
        word = typed.strip(_MARKS)
        if word and word.replace("'", "").isalpha():
            run += word if word[0] >= _UNSPACED else [word]
            if typed[-1] not in _ENDS:
                continue
        width = _SIGNS if run and run[0] >= _UNSPACED else _RUN
        found += [tuple(run[at : at + width]) for at in range(len(run) - width + 1)]
        run = []
    return found
