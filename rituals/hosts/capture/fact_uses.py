"""Find which facts a part of a session used: opened, named, restated or followed, each with its evidence.

Pure: what lives, what was said, run and written, what the session was shown and opened come in. What tools
answered is never read, so a brief that one printed proves nothing. That a fact was shown is no use of it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from ledger.escape import prose
from ledger.model.event import OPENED, FactReferenced
from ledger.model.evidence import FOLLOWED, HOWS, NAMED, RESTATED, Proof
from ledger.model.record import Record
from ledger.secrets.scanner import without_secrets
from memory import AT_ONCE, MOST_USES, Memory, opened_by, used_in
from projection.brief.inert_text import shortened
from projection.policy.model import ATTEMPT_KIND
from projection.restatements import Restatements
from projection.text.normalize import content_words, plain
from rituals.hosts.capture.facts_from_deeds import (
    Known,
    Rule,
    arguments,
    command_of,
    deeds_of,
    followed,
    ran,
)
from rituals.hosts.capture.privacy_gates import Gates
from rituals.hosts.capture.session_marks import Seen
from rituals.hosts.context.session_cursor import heard_by
from rituals.hosts.extraction import Item
from rituals.hosts.host_events import file_name
from rituals.hosts.shell import Simple, read
from rituals.hosts.silence import heard, silences
from rituals.hosts.transcripts.slices import Slice
from rituals.hosts.transcripts.turns import ASSISTANT, TOOL, USER, Turn

#: The commands and the tool of an MCP server that show a fact by its id.
_SHOWING = frozenset(("show", "why"))
_GET = re.compile(r"diurna\W?_{0,3}get$", re.IGNORECASE)
#: What may be an id, whole: no part of a path, an address or a longer name.
_ID = re.compile(r"(?<![\w./@:#~$-])[a-z0-9]+(?:[.-][a-z0-9]+)*+(?![\w/@$~(-]|\.\w|:\d)")
#: How much around an id is read for its sentence.
_REACH = 300
#: What stands before the sentence that a place is in, and behind it.
_BEFORE = re.compile(r".*(?:\n|[.!?] )", re.DOTALL)
_BEHIND = re.compile(r"(?:(?<=[.!?])(?= )|(?=\n)).*", re.DOTALL)
_NOWHERE = -1


class Use(Record):
    """A use of a fact."""

    id: str  #: of the fact
    how: str  #: `OPENED`, `NAMED`, `RESTATED` or `FOLLOWED`
    #: the byte at which the line of the transcript starts that proves it; -1 where no line does
    at: int = _NOWHERE
    by: str = ""  #: who said it, "person" or "agent"; "" where nobody said a word
    quote: str = ""  #: the words, the command or the line of code
    asked: tuple[str, ...] = ()  #: the questions behind which it is used, the last one first


def uses(
    facts: Sequence[Known],
    turns: Sequence[Turn],
    shown: Collection[str],
    opened: Iterable[str] = (),
) -> tuple[Use, ...]:
    """Return the uses that a part of a session proves, each fact once, those that are surest first.

    Args:
        facts: that live or faded.
        turns: what was said, and which tools were used.
        shown: ids of the facts that the session was shown.
        opened: ids of those that it opened, as commands noted it.
    """
    known = {one.id: one for one in facts}
    said = [turn for turn in turns if turn.role in (USER, ASSISTANT)]
    deeds = list(deeds_of(turns) if facts else ())
    restatements = Restatements((one.id, one.text) for one in facts if said)
    some = [*_opened(turns), *(Use(id, OPENED) for id in opened)]
    for turn in said:
        some += _unless_listed(_said(turn, NAMED, *one) for one in _named(turn.text, known))
    for turn in said:
        restated = restatements.said_in(turn.text)
        some += [
            one
            for one in _unless_listed(_said(turn, RESTATED, *one) for one in restated)
            if one.by == "person" or not Rule(known[one.id].text).is_broken_by(deeds)
        ]
    met = {one.id for one in some}
    rest = [known[id] for id in dict.fromkeys(shown) if id in known and id not in met]
    rest = [fact for fact in rest if fact.kind != ATTEMPT_KIND]
    some += [Use(id, FOLLOWED, at, "", line) for id, at, line in followed(rest, facts, deeds)]
    found: dict[str, Use] = {}
    places: dict[int, set[str]] = {}
    for one in some:
        if one.id in known:
            found.setdefault(one.id, one)
            places.setdefault(one.at, set()).add(one.id)
    for id, questions in _asked_behind(turns, places).items():
        words = content_words(f"{id} {known[id].text}")  # it is found by these
        taught = tuple([one for one in questions if not content_words(one) <= words])
        found[id] = found[id]._replace(asked=taught)
    return tuple(sorted(found.values(), key=lambda one: HOWS.index(one.how)))[:MOST_USES]


def _unless_listed(some: Iterable[Use]) -> list[Use]:
    """Return uses, none where there are so many at once that it is a list of what memory has."""
    found = list(some)
    return found if len({one.id for one in found}) <= AT_ONCE else []


def _said(turn: Turn, how: str, id: str, words: str) -> Use:
    return Use(id, how, turn.at, "person" if turn.role == USER else "agent", words)


def _opened(turns: Iterable[Turn]) -> Iterator[Use]:
    """Yield what the agent asked for by its id."""
    for turn in ran(turns):
        asked = [(_asked_for(one.words[1:]), " ".join(one.words)) for one in _commands(turn)]
        if _GET.search(turn.tool) and isinstance(ids := arguments(turn.given).get("ids"), list):
            asked.append(([str(one) for one in ids], "get"))
        for found, words in asked:
            yield from _unless_listed(
                Use(id, OPENED, turn.at, "", words) for id in found if not id.startswith("-")
            )


def _commands(turn: Turn) -> list[Simple]:
    """Return the commands of Diurna that a tool ran."""
    some = read(command_of(turn)) if "diurna" in turn.given else []
    return [one for one in some if posixpath.basename(one.words[0]) == "diurna"]


def _asked_for(words: Sequence[str]) -> list[str]:
    """Return the ids that a command shows."""
    name, *rest = words or ("",)
    if name == "recall":
        given = [word.partition("=")[2] for word in rest if word.startswith("--ids=")]
        given += [behind for word, behind in pairwise(rest) if word == "--ids"]
        around = rest if "timeline" in rest else []
        return [id for some in given for id in some.split(",")] + around
    return rest if name in _SHOWING and "--list" not in rest else []


def _named(text: str, known: Mapping[str, Known]) -> Iterator[tuple[str, str]]:
    """Yield the facts whose ids stand in what was said, outside of questions, each with its sentence."""
    for match in _ID.finditer(text):
        if match[0] in known:
            before, behind = text[: match.start()][-_REACH:], text[match.end() :][:_REACH]
            sentence = _BEFORE.sub("", before) + match[0] + _BEHIND.sub("", behind)
            meant = before.endswith("[[") or "-" in match[0] or "." in match[0]
            if meant and not sentence.rstrip(MARKS).endswith(ASKS):
                yield match[0], sentence


#: A longer question is a story, one of fewer words that carry it a subject.
_CHARS, _LEAST_WORDS = 120, 2
#: So many questions are kept of a fact; an act that uses more facts has not found what was meant.
_KEPT, _MEANT = 3, 2
_RECALL = re.compile(r"diurna\W?_{0,3}recall$", re.IGNORECASE)
#: The options of `diurna recall` that take a value.
VALUED = frozenset(
    "--ids --level -n --in --kind --tier --tag --entity --agent --role --branch --since --until"
    " --as-of --team --repo --before --after --home".split()
)
#: What ends a question, and what may stand behind that; what stands around the one in a log.
ASKS, MARKS = ("?", "\uff1f"), "*_`\"'”’)] "
_QUOTES = str.maketrans("“”", "  ")


def _asked_behind(
    turns: Iterable[Turn], used: Mapping[int, Collection[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the questions behind which facts were used, by id, the last one first.

    `used` has the ids of the facts that are used, by the byte of the line that proves it.
    """
    found: dict[str, tuple[str, ...]] = {}
    waiting: list[str] = []
    since = _NOWHERE
    for turn in turns:
        question = _question_in(turn)
        if question or turn.role == USER:
            waiting = [*(waiting if turn.role == TOOL else ()), *([question] if question else ())]
            since = turn.at
        elif waiting and turn.at > since and turn.role in (ASSISTANT, TOOL):
            ids = used.get(turn.at, ())
            if 0 < len(ids) <= _MEANT:
                last_first = tuple(dict.fromkeys(reversed(waiting)))[:_KEPT]
                found |= {id: last_first for id in ids if id not in found}
            if ids or turn.role == TOOL:
                waiting = []
    return found


def _question_in(turn: Turn) -> str:
    """Return the question that a tool asks memory, without options; "" for none."""
    query: object = ""
    if ran([turn]) and _RECALL.search(turn.tool):
        query = arguments(turn.given).get("query")
    elif ran([turn]):
        words = [one.words[2:] for one in _commands(turn) if one.words[1:2] == ("recall",)]
        pairs = pairwise(("", *next(iter(words), ())))
        query = " ".join(
            [word for last, word in pairs if not word.startswith("-") and last not in VALUED]
        )
    said = " ".join(query.translate(_QUOTES).split()) if isinstance(query, str) else ""
    return said if len(said) <= _CHARS and len(content_words(said)) >= _LEAST_WORDS else ""


_QUOTE_CHARS = 160
#: A fact of few words is soon shared whole.
_FEW_WORDS = 4


def nearest(memory: Memory, turns: Iterable[Turn]) -> list[tuple[str, str]]:
    """Return ids and texts of the facts that live, those whose words turns say most of first."""
    said = {word for turn in turns for word in content_words(turn.text)}

    def share(text: str) -> float:
        words = content_words(text)
        return len(words & said) / (len(words) + _FEW_WORDS)

    live = [(one.fact.id, one.fact.text) for one in memory.view().live]
    return sorted(live, key=lambda one: (-share(one[1]), one[0]))


class Evidence:
    """What one session used."""

    def __init__(self, memory: Memory, gates: Gates, seen: Seen, session: str) -> None:
        self._memory, self._gates, self._seen, self._session = memory, gates, seen, session
        standings = memory.state().standings()
        facts = [one.fact for one in standings if not (one.fact.false or one.fact.redacted)]
        self._facts = [Known(fact.id, fact.kind, fact.text) for fact in facts]

    def of(self, said: Slice | None) -> tuple[Use, ...]:
        """Return what a part of the session used."""
        commondir, seen = self._memory.home.repository.commondir, self._seen
        known = silences(commondir)
        opened = [
            id
            for at, id in opened_by(commondir, seen.session)
            if heard(known, seen.session, seen.folder, at)
        ]
        told = heard_by(commondir, file_name(seen.host, seen.session))
        turns, shown = said.turns if said else (), (*told.moments, *told.shown)
        return uses(self._facts, turns, shown, opened)

    def once(self, found: Iterable[Use], without: Collection[str] = ()) -> tuple[Use, ...]:
        """Return uses, each fact once, of those that no log of the session used.

        `found` has the surest uses first; `without` is what the session speaks against.
        """
        used = self._memory.ask(lambda cache: used_in(cache, self._session))
        first: dict[str, Use] = {}
        for one in found:
            if one.id not in used and one.id not in without:
                first.setdefault(one.id, one)
        return tuple(first.values())

    def parted(self, items: Sequence[Item]) -> tuple[tuple[Item, ...], tuple[Use, ...]]:
        """Part what is to be facts into what memory does not have, and uses of what it has."""
        new: list[Item] = []
        again: list[Use] = []
        known = {plain(one.text): one for one in self._facts} if items else {}
        for item in items:
            there = known.get(plain(item.text))
            if there is None or there.id in item.supersedes:
                new.append(item)
            elif not item.personal:
                again.append(Use(there.id, RESTATED, item.at))
        return tuple(new), tuple(again)

    def references(self, found: Iterable[Use]) -> tuple[FactReferenced, ...]:
        """Write uses, with their words where others may read them."""
        events = []
        for one in found:
            asked = [said for question in one.asked if (said := self._open(question)) == question]
            quote = "" if one.by == "person" else one.quote
            words = shortened(self._open(quote), _QUOTE_CHARS)
            proof = Proof(one.how, one.at, one.by, words, tuple(asked))
            events.append(FactReferenced(one.id, proof.remark))
        return tuple(events)

    def _open(self, text: str) -> str:
        """Return words as others may read them, "" where they may not."""
        words = prose(without_secrets(text))
        return words if words and self._gates.open(words) == words else ""
