"""Tell which of the things that facts name a commit took away, and which facts a commit ended.

What is known of it is kept in a signed file of each work tree: `rituals.review.code_questions` makes it
behind sessions, appends and syncs. Here it is read, and a mark counts only where nothing that is cheap to
see speaks against it: the fact still says so, and the path is not in the work tree again, as on another
branch. What has ended, or fails its check, is told of HEAD: where that one moved since, or the ledger, or
a tag or branch that matters, who reads looks through what is new, once, and keeps the answer.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms
from ledger.errors import DiurnaError
from ledger.git.repository import cut_commits, head
from ledger.home import OWN_BRANCH, OWN_REPOSITORY, Home
from ledger.model.layout import TRUTH_FILE
from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.user_key import digest, read_signed, write_signed
from memory.cache.landed_work import EndingFact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ledger.model.event import Meta
    from memory.cache.cache_file import Cache
    from memory.replay.ending_commits import End
    from projection.document.fact_remarks import Gone
    from projection.fold.fact_history import Fact, History

_HEADER = b"diurna-truths"
#: Of so many HEADs it is kept what has ended at them: branches between which one goes to and fro.
_HEADS = 8
_DAY, _TAG, _MERGED = "date ", "tag", "merged"
_OF_FACTS, _CHECK = ("ended", "fails"), "check "


class Lack(Record):
    """What one fact names that is gone."""

    fact: str  #: its id
    version: str  #: of its text that names it
    #: the path that is gone, from the top, "" for a name of code; the whole id of what ended a fact
    place: str
    gone: Gone  #: the mark


class Truths(Record):
    """What the file says."""

    code: str  #: the commit of the code that it was made of
    tip: str  #: the commit of the ledger
    lacks: tuple[Lack, ...]  #: what is gone
    #: digests of what was looked for and is not gone
    asked: tuple[str, ...] = ()
    waits: tuple[EndingFact, ...] = ()  #: facts that a commit or a day is going to end
    said: str = ""  #: the digest of the logs that say so
    refs: str = ""  #: the stamp of the tags and branches that may end them
    heads: tuple[str, ...] = ()  #: commits of which `ends` tells, newest first
    ends: tuple[tuple[str, Lack], ...] = ()  #: (one of these, what has ended at it)


def has_code(home: Home) -> bool:
    """Tell whether a home stands in the repository of the code that it is about, with a work tree."""
    return home.kind != OWN_REPOSITORY and bool(home.repository.top)


def truth_path(home: Home) -> str:
    """Return where the file of a home is, for its work tree."""
    branch = home.reference if home.kind == OWN_BRANCH else ""
    parts = [
        one.encode("utf-8", "surrogateescape") for one in (home.repository.top, home.prefix, branch)
    ]
    return f"{home.repository.commondir}/{TRUTH_FILE}@{digest(*parts)[:12]}"


def read_truths(home: Home) -> Truths | None:
    """Return what the file says, None where there is none that this user's Diurna wrote."""
    said = read_signed(truth_path(home), _HEADER)
    if said is None:
        return None
    kept = Truths(*said)
    if not (kept.lacks or kept.waits or kept.ends):
        return kept  # as in most homes
    from projection.document.fact_remarks import Gone

    def lack(row: tuple[Any, ...]) -> Lack:
        fact, version, place, gone = row
        return Lack(fact, version, place, Gone(*gone))

    return kept._replace(
        lacks=tuple([lack(row) for row in kept.lacks]),
        waits=tuple([EndingFact(*row) for row in kept.waits]),
        ends=tuple([(known, lack(row)) for known, row in kept.ends]),
    )


def write_truths(home: Home, kept: Truths) -> None:
    """Write the file of a home, where this user can sign it.

    Raises:
        OSError: the disk refused.
    """
    write_signed(truth_path(home), _HEADER, kept)


class Truth:
    """What is gone, for readers.

    Args:
        lacks: of all facts.
    """

    def __init__(self, lacks: Iterable[Lack] = ()) -> None:
        self._lacks: dict[str, list[Lack]] = {}
        for one in lacks:
            self._lacks.setdefault(one.fact, []).append(one)

    def __bool__(self) -> bool:
        """Tell whether anything is gone."""
        return bool(self._lacks)

    def of(self, fact: Fact | None) -> tuple[Gone, ...]:
        """Return what a fact names that is gone; nothing of one that is withheld, or reworded since."""
        found = self._lacks.get(fact.id) if fact is not None else None
        if not found or fact is None or fact.redacted or fact.false:
            return ()
        versions = {one.id for one in fact.heads}
        return tuple([one.gone for one in found if one.version in versions])

    def named(self, fact: str, text: str) -> tuple[Gone, ...]:
        """Return what the text of a fact names that is gone, where only its id is known."""
        return tuple(
            [
                one.gone
                for one in self._lacks.get(fact, ())
                if one.gone.code in _OF_FACTS or one.gone.subject in text
            ]
        )

    @property
    def said(self) -> str:
        """All of it: what an answer that is kept depends on."""
        return "\0".join([f"{one.fact}\t{one.version}\t{one.gone.said}" for one in self])

    def __iter__(self) -> Iterator[Lack]:
        """Yield what is gone."""
        for some in self._lacks.values():
            yield from some


#: Where nothing is known to be gone.
NOTHING_GONE = Truth()


def truth_of(home: Home, cache: Cache | None = None) -> Truth:
    """Return what facts of a home name that is gone; nothing where that was not looked for yet.

    `cache` is of the ledger, where it is open: of other logs than those that were asked before it is
    looked which facts a commit or a day is going to end, or are checked.
    """
    if not has_code(home):
        return NOTHING_GONE
    kept, said = read_truths(home), cache.summary.digest if cache is not None else ""
    new = cache is not None and (kept is None or kept.said != said)
    if cache is not None and new and not home.repository.promisor:
        kept = _looked_at(home, kept or Truths("", "", ()), ending_facts(home, cache), said)
    if kept is None or not (kept.lacks or kept.waits):
        return NOTHING_GONE
    top = home.repository.top
    lacks = [one for one in kept.lacks if not (one.place and os.path.lexists(f"{top}/{one.place}"))]
    return Truth(lacks + _ended_now(home, kept) if kept.waits else lacks)


def _looked_at(home: Home, before: Truths, waits: Iterable[EndingFact], said: str) -> Truths:
    """Look at HEAD for what ends facts, and keep it."""
    try:
        kept = with_ends(home, before, waits)._replace(said=said)
        if kept != before:
            write_truths(home, kept)
    except DiurnaError:
        return before._replace(waits=tuple(waits), heads=(), ends=())
    except OSError:
        pass  # the next one looks again
    return kept


def _ended_now(home: Home, kept: Truths) -> list[Lack]:
    """Return which facts have ended at HEAD, or by today (UTC)."""
    from ledger.model.log_names import stamp_of
    from projection.document.fact_remarks import ENDED, Gone

    today = stamp_of(now_ms())[:10]
    days = [
        Lack(one.fact, one.version, "", Gone(ENDED, one.until, "", one.until[len(_DAY) :]))
        for one in kept.waits
        if one.until.startswith(_DAY) and one.until[len(_DAY) :] <= today
    ]
    commit = head(home.repository)[1]
    if len(days) == len(kept.waits) or not commit:
        return days
    if commit not in kept.heads or kept.refs != _refs_stamp(home, kept.waits):
        kept = _looked_at(home, read_truths(home) or kept, kept.waits, kept.said)
    return days + [one for known, one in kept.ends if known == commit]


def ending_facts(home: Home, cache: Cache) -> list[EndingFact]:
    """Return the facts that hold and say what ends them, or by what they are checked, by id."""
    if not (ids := cache.may_end()):  # as in most homes
        return []
    from ledger.codec.log import decode
    from ledger.model.log_names import milliseconds_of
    from memory.replay.read_logs import read_bytes
    from projection.text.until_conditions import check_of

    found = [
        (fact, words, _said_at(history, words))
        for id, history in cache.some_histories(ids).items()
        if (fact := cache.fact(id)) and not (fact.false or fact.closed or fact.redacted)
        for words in filter(None, (_end_of(fact.meta), check_of(fact.meta)))
    ]
    refs = [ref for _, _, stem in found if stem and (ref := cache.log_ref(stem))]
    headers = {
        ref.key: decode(data, sealed=True, file=ref.path)[0] for ref, data in read_bytes(home, refs)
    }
    waits = []
    for fact, words, stem in found:
        log, at = headers.get(stem), milliseconds_of(stem) // 1000 if stem else 0
        birth = log.get("commit") if log else ""
        waits.append(EndingFact(fact.id, fact.heads[0].id, words, birth, at))
    return sorted(waits)


def _end_of(meta: Meta) -> str:
    """Return what ends a fact, in the one form of a day; "" for nothing."""
    from projection.text.until_conditions import DATE, until_of

    words, until = until_of(meta)
    return f"{DATE} {until.place}" if until and until.form == DATE else words


def _said_at(history: History, words: str) -> str:
    """Return the key of the log that said last what ends a fact, or that it holds.

    Of a check it is the one that said behind it that the fact holds, "" for none.
    """
    from ledger.model.event import (
        FactCreated,
        FactReinstated,
        FactUpdated,
        FactVerified,
        ThreadReopened,
    )
    from ledger.model.session import CHECK_KEY
    from projection.text.until_conditions import check_of

    said_by = check_of if words.startswith(f"{CHECK_KEY} ") else _end_of
    stem = before = ""
    for act in history.counting().acts:
        event = act.event
        if isinstance(event, FactCreated | FactUpdated):
            said = said_by(event.meta)
            if said and said != before:
                stem, before = "" if said_by is check_of else act.stem, said
        elif isinstance(event, FactVerified | FactReinstated | ThreadReopened):
            stem = act.stem
    return stem


def with_ends(
    home: Home, before: Truths, waits: Iterable[EndingFact], at: tuple[str, str] | None = None
) -> Truths:
    """Return what is known with what of some facts has ended at HEAD; a history that is cut tells nothing.

    `at` is another branch, with its commit, that is asked about.

    Raises:
        DiurnaError: git can not tell.
    """
    waits, (reference, commit) = tuple(waits), at or head(home.repository)
    if not waits or not commit or cut_commits(home.repository):
        return before._replace(waits=waits, heads=(), ends=())
    from memory.replay.ending_commits import ended_facts

    refs = _refs_stamp(home, waits)  # before it is looked at: what moves meanwhile is seen
    same = set(waits) == set(before.waits) and refs == before.refs
    if same and commit in before.heads:
        return before
    branch, seen = reference.removeprefix("refs/heads/"), _seen(home, waits)
    found = _lacks_of(ended_facts(home.repository.git(), commit, waits, branch=branch, seen=seen))
    heads = (commit, *(before.heads if same else ()))[:_HEADS]
    ends = [pair for pair in before.ends if pair[0] in heads[1:]]
    ends_here = [(commit, one) for one in found]
    return before._replace(waits=waits, refs=refs, heads=heads, ends=(*ends_here, *ends))


def _refs_stamp(home: Home, waits: Iterable[EndingFact]) -> str:
    """Return what moves with the tags and branches that may end facts; no process is asked for it."""
    common, places = home.repository.commondir, set()
    for one in waits:
        form, _, name = one.until.strip().partition(" ")
        if form.lower() == _TAG:
            places |= {f"{common}/refs/tags", *_below(f"{common}/refs/tags")}
        elif form.lower() == _MERGED:
            remotes = _below(f"{common}/refs/remotes")
            places |= {f"{where}/{name.strip()}" for where in (f"{common}/refs/heads", *remotes)}
    if not places:
        return ""
    said = []
    for place in (f"{common}/packed-refs", *sorted(places)):
        try:
            found = os.stat(place)
            said.append(f"{place} {found.st_mtime_ns} {found.st_size}")
        except OSError:
            said.append(place)
    return digest("\0".join(said).encode("utf-8", "surrogateescape"))


def _seen(home: Home, waits: Iterable[EndingFact]) -> dict[str, str]:
    """Return where git noted branches last, where a merge may end a fact."""
    if not any(one.until.strip().lower().startswith(_MERGED) for one in waits):
        return {}
    from ledger.git.branch_reflogs import recalled

    seen = sorted(recalled(home.repository), key=lambda one: one.when)
    return {one.branch: one.commit for one in seen}


def _below(folder: str) -> list[str]:
    try:
        return [one.path for one in os.scandir(folder) if one.is_dir()]
    except OSError:
        return []


def _lacks_of(found: dict[EndingFact, End]) -> list[Lack]:
    from ledger.model.log_names import stamp_of
    from projection.document.fact_remarks import ENDED, FAILS, Gone

    return [
        Lack(wait.fact, wait.version, end.commit,
             Gone(FAILS if wait.until.startswith(_CHECK) else ENDED, end.said, end.commit[:7],
                  stamp_of(end.seconds * 1000)[:10]))
        for wait, end in found.items()
    ]  # fmt: skip
