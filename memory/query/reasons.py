"""Find the reasons behind a place of the code: the sessions that wrote it, and what they decided.

What links a fact with a commit is that its text names the commit, its pull request or the file, or that a
session did which has to do with the commit. Words alone link nothing: they order what is linked, and what
they alone speak for stands apart (`perhaps`). Weights are round numbers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ledger.codec.outline import text_of
from ledger.home import Home
from ledger.model.event import FactCreated, facts_in
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import logs_of
from memory.query.code_question import (
    EDITED,
    FIRM,
    HERE,
    NAMED,
    TOLD,
    CodeAsked,
    Touched,
    logs_around,
    names,
)
from memory.query.log_lines import LogLine, lines_of
from memory.query.reader import Reader
from memory.recall.index.fts_file import Index
from memory.recall.index.index_catch_up import ask_once
from memory.recall.lookups import Lookups
from memory.recall.recall_values import without_operators
from memory.recall.search import search
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.read_logs import read_bytes
from memory.replay.reader_marks import marked, marks_at
from projection.document.fact_remarks import Mark
from projection.fold.fact_history import Fact

#: What a text gains that names the commit or its pull request, and the file.
_NAMES, _FILE = 6.0, 3.0
#: What a fact gains that a session brought, changed, and used.
_BROUGHT, _CHANGED, _USED = 3.0, 1.5, 0.6
#: How much of each further link counts: what is reworded again and again is behind no line for that.
_MORE = 0.25
#: A log of more ids tells less of each.
_IDS = 6
#: What is told by the path of a file in a log's words.
_EDITED = 0.3
#: What words may add at most; that HEAD stood at the commit adds so much at most, and links nothing.
_WORDS, _NEAR = 5.0, 2.0
#: Words tell all that they can where a fact covers so much of what is asked.
_SURE = 0.35
#: So many are told at most.
_SESSIONS, _DECISIONS, _PERHAPS = 4, 8, 3
#: What links less, links nothing.
_LINKED = 0.15
_PULL_REQUEST = re.compile(r"(?:\(|pull request |[Mm]erge[sd]? )[#!](\d{1,7})\b")
#: What a forge puts behind a subject; a shorter one is said of many commits.
_OF_FORGE = re.compile(r"\s+\([#!]\d+\)$")
_SUBJECT_CHARS, _SUBJECT_WORDS = 16, 3
_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}|[A-Za-z]{3,}")
#: Of a name that more logs have each tells less; so many of them are read, the newest.
_FEW_LOGS, _MOST_READ = 12, 120
_LINE_WORDS, _BODY_CHARS = 12, 400


class SessionBehind(Record):
    """A session that has to do with the place."""

    log: LogLine
    by: tuple[str, ...]  #: how that is known, in words
    weight: float


class Reason(Record):
    """A fact behind the place, as it stands now."""

    fact: Fact
    mark: Mark
    by: tuple[str, ...]  #: what speaks for it, in words, strongest first
    weight: float


class Reasons(Record):
    """Why a place of the code is as it is, strongest first."""

    place: CodeAsked
    sessions: tuple[SessionBehind, ...] = ()
    #: what is linked with it: decisions, attempts, findings, rules
    decisions: tuple[Reason, ...] = ()
    perhaps: tuple[Reason, ...] = ()  #: what only words speak for, or that HEAD stood there then


def reasons(reader: Reader, place: CodeAsked) -> Reasons:
    """Find what is behind a place of the code."""
    sessions, decisions, perhaps = ask_once(
        reader.snapshot, lambda cache, index: _Weighing(reader.home, cache, index, place).told()
    )
    lines = lines_of(reader.snapshot, [stem for stem, _ in sessions])
    behind = [
        SessionBehind(lines[stem], one.by, one.link) for stem, one in sessions if stem in lines
    ]
    return Reasons(place, tuple(behind), tuple(decisions), tuple(perhaps))


class _Weight:
    """What speaks for one fact or log: by each link the most that it gives."""

    def __init__(self) -> None:
        self.links: dict[str, float] = {}
        self.firm = False  #: a link is of the commit or the file itself
        self.near = self.words = 0.0

    def add(self, by: str, weight: float, *, firm: bool = True) -> None:
        self.links[by] = max(self.links.get(by, 0.0), weight)
        self.firm = self.firm or firm

    @property
    def link(self) -> float:
        """How much links it: the strongest link, and something of the others."""
        some = self.links.values()
        return max(some, default=0.0) * (1 - _MORE) + sum(some) * _MORE

    @property
    def linked(self) -> bool:
        """Whether it is linked, and not only what a session did beside."""
        return self.firm and self.link >= _LINKED

    @property
    def total(self) -> float:
        return self.link + self.near + self.words

    @property
    def by(self) -> tuple[str, ...]:
        return tuple(sorted(self.links, key=lambda by: (-self.links[by], by)))

    @property
    def perhaps(self) -> tuple[str, ...]:
        """What speaks for it without a link."""
        return ("words",) * bool(self.words) + (HERE,) * bool(self.near)


class _Weighing:
    """One reading: what each fact and log has to do with a place."""

    def __init__(self, home: Home, cache: Cache, index: Index, place: CodeAsked) -> None:
        self._home, self._cache, self._index, self._place = home, cache, index, place
        self._git = place.repository.git()
        self._hidden = redacted_logs(cache)
        self._logs: dict[str, _Weight] = defaultdict(_Weight)
        self._facts: dict[str, _Weight] = defaultdict(_Weight)

    def told(self) -> tuple[list[tuple[str, _Weight]], list[Reason], list[Reason]]:
        """Return the logs and the facts behind the place, and what only may be, each best first."""
        for touched, share in self._shares():
            for ref, entry, how in logs_around(self._home, self._cache, touched.commit, self._git):
                if how:
                    self._log(ref.stem, entry, how, share)
                    continue
                for id, worth in _worths(entry):
                    weight = self._facts[id]
                    weight.near = max(weight.near, _NEAR * worth / _BROUGHT * share)
        self._by_names()
        self._by_words()
        marks = marks_at(self._home, self._cache)
        linked: list[Reason] = []
        apart: list[Reason] = []
        for id, weight in sorted(self._facts.items(), key=lambda one: (-one[1].total, one[0])):
            into, most = (linked, _DECISIONS) if weight.linked else (apart, _PERHAPS)
            if len(into) < most and (fact := self._fact(id)):
                by = weight.by if weight.link >= _LINKED else weight.perhaps
                fact = marks.here.shown(self._cache, fact)
                into.append(Reason(fact, marked(self._cache, fact, marks), by, weight.total))
        logs = sorted(self._logs.items(), key=lambda one: (-one[1].link, one[0]))
        return [one for one in logs if one[1].link >= _LINKED][:_SESSIONS], linked, apart

    def _shares(self) -> Iterable[tuple[Touched, float]]:
        """Yield the commits, each with how much it has of what is asked about."""
        most = max([len(one.lines) for one in self._place.touched], default=0)
        for one in self._place.touched:
            share = (0.4 + 0.6 * len(one.lines) / most) if most else 1.0
            yield one, share / 2 if one.files else share

    def _log(self, stem: str, entry: Entry, how: str, weight: float) -> None:
        """Count that a log has to do with the place, and so has what it did to facts."""
        self._logs[stem].add(how, weight)
        worths = _worths(entry)
        firm = how in FIRM and len(worths) <= _IDS
        for fact, worth in worths:
            by = f"session {stem}"
            self._facts[fact].add(by, worth * weight, firm=firm and worth > _USED)

    # ---- by names ---------------------------------------------------------------------------------

    def _by_names(self) -> None:
        """Find what names a commit, its pull request or the file."""
        for touched, share in self._shares():
            commit = touched.commit
            for start in {*[commit.id[:size] for size in range(7, 13)], commit.id}:
                self._named([start], start, _NAMES * share, commit.id[:7])
            subject = _OF_FORGE.sub("", commit.subject)
            if len(subject) >= _SUBJECT_CHARS and len(subject.split()) >= _SUBJECT_WORDS:
                self._named([subject], subject, _NAMES * share, "its words", how=TOLD)
            for number in dict.fromkeys(_PULL_REQUEST.findall(commit.message)):
                self._named([number], f"#{number}", _NAMES * share, f"#{number}")
        path = self._place.path
        if path:
            parts = path.split("/")
            for end in dict.fromkeys(("/".join(parts[-2:]), parts[-1])):
                if "/" in end or ("." in end and self._alone(end)):
                    self._named(re.findall(r"\w+", end), end, _FILE, path, 3, EDITED)

    def _named(
        self, words: list[str], said: str, weight: float, by: str, few: int = 2, how: str = NAMED
    ) -> None:
        """Count what names something: facts whose text has it, and what logs did whose words have it."""
        rows = self._index.matching(self._index.stems(" ".join(words)))
        ids, logs = set[str](), set[str]()
        for row in sorted(rows):
            found = self._index.at(row)
            if found is not None and found[1].fact:
                ids.add(found[1].fact)
            elif found is not None:
                logs.add(found[0].stem)
        self._named_in(sorted(logs)[-_MOST_READ:], said, how)
        there = [id for id in ids if (fact := self._fact(id)) and names(fact.text, said)]
        for id in there:
            self._facts[id].add(by, weight * min(1.0, few / len(there)))

    def _named_in(self, keys: list[str], said: str, how: str) -> None:
        """Count what the logs did whose words have a name: the index knows words, not what is between."""
        found = [one for one in logs_of(self._cache, keys) if one[0].stem not in self._hidden]
        texts = dict(read_bytes(self._home, [ref for ref, _ in found]))
        there = [one for one in found if names(text_of(texts.get(one[0], b"")), said)]
        share = _EDITED if how == EDITED else 1.0
        for ref, entry in there:
            self._log(ref.stem, entry, how, share * min(1.0, _FEW_LOGS / len(there)))

    def _alone(self, name: str) -> bool:
        """Tell whether one file alone has a name."""
        said = self._git.run("ls-files", "-z", "--", f":(top,glob)**/{name}", check=False)
        return said.count(b"\0") == 1

    def _fact(self, id: str) -> Fact | None:
        found = self._cache.fact(id)
        return None if found is None or found.redacted else found

    # ---- by words ---------------------------------------------------------------------------------

    def _by_words(self) -> None:
        """Weigh by the words of the commits, the file and the line what facts say."""
        query = self._query()
        if not query:
            return
        lookups = Lookups().of(self._index, self._cache.policy.recall.language)
        found = search(lookups, query, told=0)
        best = found.facts[0].score if found.facts else 0.0
        sure = min(1.0, max([one.covered for one in found.facts], default=0.0) / _SURE)
        for one in found.facts:
            there = self._index.at(one.row)
            if there is not None and one.score > 0:
                weight = self._facts[there[1].fact]
                weight.words = max(weight.words, sure * _WORDS * one.score / best)

    def _query(self) -> str:
        place = self._place
        said = [touched.commit.subject for touched in place.touched[:3]]
        said += [touched.commit.body[:_BODY_CHARS] for touched in place.touched[:1]]
        said.append(
            " ".join(re.findall(r"[A-Za-z]{3,}", place.path.rpartition("/")[2].partition(".")[0]))
        )
        said.append(" ".join(_WORD.findall(place.text)[:_LINE_WORDS]))
        return without_operators(" ".join(said)).strip()


def _worths(entry: Entry) -> list[tuple[str, float]]:
    """Return what a log did to facts, each with what that is worth."""
    found: dict[str, float] = dict.fromkeys(entry.named, _USED) if entry.uses else {}
    for act in entry.acts:
        worth = _BROUGHT if isinstance(act, FactCreated) else _CHANGED
        for id in facts_in(act):
            found[id] = max(found.get(id, 0.0), worth)
    many = max(1.0, len(found) / _IDS)
    return [(id, worth / many) for id, worth in found.items()]
