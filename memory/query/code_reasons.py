"""Find the reasons behind a place of the code: the sessions that wrote it, and what they decided.

What links a fact with a commit is that its text names the commit, its pull request or the file, or that a
session did which has to do with the commit. Words alone link nothing. Weights are round numbers.
"""

from __future__ import annotations

import os
import re
from itertools import product
from unicodedata import normalize

from ledger.errors import NotFound, WrongUsage
from ledger.git.ancestry import CodeCommit, blame, commits_of
from ledger.git.cli import Git
from ledger.git.repository import Repository, cut_commits
from ledger.home import Home
from ledger.model.event import VERB_OF, FactCreated, WorkLanded, facts_in
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.log_names import LogRef, key_of, stem_in
from ledger.model.record import Record
from ledger.model.session import EDIT, Entry, text_of
from memory.cache.cache_file import Cache
from memory.cache.landed_work import read_heads
from memory.cache.name_lookup import logs_of
from memory.query.log_listing import LogLine, lines_of
from memory.query.reader import Reader
from memory.recall.fts_tables import Index
from memory.recall.index_catch_up import ask_once
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.read_logs import read_bytes
from memory.replay.reader_marks import brought_by, marked_fact, marks_at
from projection.document.fact_remarks import Mark
from projection.fold.fact_history import Fact

#: What may name a commit: the beginning of its id, `HEAD~2`, a tag or a branch.
REVISION = re.compile(r"[0-9a-f]{7,64}|(?!-)(?=.*[^0-9a-f])[\w./+-]{1,200}(?:[~^]\d{0,4}){0,8}")
#: A place as editors and compilers write it; what a line begins at counts for nothing.
_PLACE = re.compile(r"(.+?):(\d{1,7})(?::\d{1,5})?:?")
#: Of a file so many commits are asked about, those of most lines.
_MOST_COMMITS = 6
PATHS_HINT = "paths begin here or at {}"
#: What a clone can not know.
CUT_HISTORY = "this clone's history is cut at {}: an earlier commit may have written it"
UNCOMMITTED = "not committed yet"


class TouchingCommit(Record):
    """A commit that is asked about, and what of the place it wrote."""

    commit: CodeCommit
    #: of the file, as it is now; () where a commit itself is asked about
    lines: tuple[int, ...] = ()
    cut: bool = False  #: history ends there: perhaps an earlier one did


class CodeAsked(Record):
    """A place of the code, and the commits that made it."""

    repository: Repository
    asked: str  #: as it was said
    path: str = ""  #: from the top of the repository, "" where a commit is asked about
    line: int = 0  #: 0 for all of them
    text: str = ""  #: the line as it is now
    touched: tuple[TouchingCommit, ...] = ()  #: those of most lines first
    more: int = 0  #: so many other commits wrote some of the file
    uncommitted: tuple[int, ...] = ()  #: the lines that no commit has yet


def code_asked(repository: Repository, asked: str, folder: str) -> CodeAsked | None:
    """Read `FILE:LINE`, `FILE` or what names a commit; None for what is none of these.

    Args:
        repository: of the code.
        asked: as it was typed.
        folder: that a path is relative to, or else to the top.

    Raises:
        WrongUsage: the path is outside of the repository, or the file has no such line.
        NotFound: there is no such file, and it is written as none but a place can be.
    """
    place = _PLACE.fullmatch(asked)
    name, line = (place[1], int(place[2])) if place else (asked, 0)
    path = _inside(repository, name, folder)
    if path:
        return _of_file(CodeAsked(repository, asked, path, line), one=place is not None)
    if place is not None:
        raise NotFound(f"there is no file {name}", hint=PATHS_HINT.format(repository.top))
    git = repository.git()
    commit = git.resolve(f"{asked}^{{commit}}")[0] if REVISION.fullmatch(asked) else ""
    return _with_commits(CodeAsked(repository, asked), git, {commit: ()}) if commit else None


def _inside(repository: Repository, name: str, folder: str) -> str:
    """Return a file of the work tree, or of HEAD, by its path from the top; "" where there is none."""
    top = repository.top
    if not top or "\0" in name or "\n" in name:
        return ""
    outside = False
    forms = dict.fromkeys((name, normalize("NFC", name), normalize("NFD", name)))
    for base, form in product(dict.fromkeys((folder, top)), forms):
        whole = os.path.normpath(os.path.join(base, form))
        whole = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
        inside = whole.startswith(top + os.sep) and not whole.startswith(f"{top}/.git/")
        if inside and (os.path.isfile(whole) or _committed(repository, whole[len(top) + 1 :])):
            return whole[len(top) + 1 :]
        outside = outside or not inside
    named = name.startswith((os.sep, "..")) or os.path.exists(os.path.join(folder, name))
    if outside and named and "/.git/" not in f"/{name}/":
        hint = "run it in the repository that has the file"
        raise WrongUsage(f"{name} is outside of {top}", hint=hint)
    return ""


def _committed(repository: Repository, path: str) -> bool:
    """Tell whether HEAD has a file."""
    _, said, _ = repository.git().call("ls-tree", "-z", "--full-tree", "HEAD", "--", path)
    return said[7:12] == b"blob "


def _of_file(found: CodeAsked, *, one: bool) -> CodeAsked:
    """Find who wrote a file, or `one` line of it, as it is in the work tree, or else in HEAD."""
    git, path, line = found.repository.git(), found.path, found.line
    at = "" if os.path.isfile(f"{found.repository.top}/{path}") else "HEAD"
    written = blame(git, path, line, at) if line or not one else None
    if written is None:
        lines = "no such line" if one else "nothing that git can tell of"
        raise WrongUsage(f"{path} has {lines}", where=found.asked, hint="lines count from 1")
    text = written[0].first.decode("utf-8", "replace").strip() if one and written else ""
    lines_of = {some.commit: some.lines for some in written}
    found = found._replace(text=text, uncommitted=lines_of.pop("", ()))
    return _with_commits(found, git, lines_of)


def _with_commits(found: CodeAsked, git: Git, lines_of: dict[str, tuple[int, ...]]) -> CodeAsked:
    ids = list(lines_of)[:_MOST_COMMITS]
    commits, cut = commits_of(git, ids), cut_commits(found.repository)
    touched = [
        TouchingCommit(commits[one], lines_of[one], one in cut) for one in ids if one in commits
    ]
    return found._replace(touched=tuple(touched), more=len(lines_of) - len(ids))


EDITED, NAMED, TOLD = "edited the file", "names it", "tells of the commit"
WITH, LANDED = "came with the commit", "landed with the commit"
#: By which a log is of the commit itself.
FIRM = (WITH, NAMED, TOLD, LANDED)


def logs_around(
    home: Home, cache: Cache, commit: CodeCommit, git: Git
) -> list[tuple[LogRef, Entry, str]]:
    """Return the logs that have to do with a commit, in ledger order, each with how.

    An edit that says nothing new, as of what landed, has no reason to tell. `git` runs in the code's
    repository.
    """
    how = dict.fromkeys(_came_with(home, git, commit.id), WITH) | _landed(home, cache, commit.id)
    hidden = redacted_logs(cache)
    return [
        (ref, entry, how[ref.stem])
        for ref, entry in logs_of(cache, sorted(map(key_of, how)))
        if ref.stem not in hidden and (entry.type != EDIT or brought_by(entry.acts))
    ]


def names(text: str, name: str) -> bool:
    """Tell whether a text has a name that goes on neither before nor behind."""
    return name in text and bool(re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w-])", text))


def _landed(home: Home, cache: Cache, commit: str) -> dict[str, str]:
    """Return the logs of which it is recorded that a commit has their work; however old."""
    asked = 'SELECT stem FROM landings WHERE "commit" = ? AND verb = ?'
    recorded = cache.column(asked, (commit, VERB_OF[WorkLanded]))
    points = [point for point, one in read_heads(home).settled.items() if one.commit == commit]
    # those that were written where HEAD stood at them
    rows = cache.rows_among('SELECT stem FROM places WHERE "commit" IN (?)', points)
    return dict.fromkeys([*recorded, *[stem_in(key) for (key,) in rows]], LANDED)


def _came_with(home: Home, git: Git, commit: str) -> list[str]:
    """Return the stems of the logs that a commit of the code itself brought."""
    if not home.prefix:
        return []
    out = git.run(
        "diff-tree", "--root", "--no-commit-id", "-r", "-z", "--name-only", "--diff-filter=A",
        commit, "--", f":(top,literal){home.prefix}{SESSIONS_DIR}", check=False,
    )  # fmt: skip
    return [stem_of(path) for path in out.decode("utf-8", "replace").split("\0") if path]


#: What a text gains that names the commit or its pull request, and the file.
_NAMES, _FILE = 6.0, 3.0
#: What a fact gains that a session brought, changed, and used.
_BROUGHT, _CHANGED, _USED = 3.0, 1.5, 0.6
#: How much of each further link counts: what is reworded again and again is behind no line for that.
_MORE = 0.25
#: A log of more ids tells less of each; what is told by the path of a file in a log's words.
_IDS, _EDITED = 6, 0.3
#: What links less, links nothing.
_LINKED = 0.15
#: So many are told at most.
_SESSIONS, _DECISIONS = 4, 8
_PULL_REQUEST = re.compile(r"(?:\(|pull request |[Mm]erge[sd]? )[#!](\d{1,7})\b")
#: What a forge puts behind a subject; a shorter one is said of many commits.
_OF_FORGE = re.compile(r"\s+\([#!]\d+\)$")
_SUBJECT_CHARS, _SUBJECT_WORDS = 16, 3
#: Of a name that more facts or logs have each tells less; so many of the logs are read, the newest.
_FEW_FACTS, _FEW_LOGS, _MOST_READ = 2, 12, 120


class SessionBehind(Record):
    """A session that has to do with the place."""

    log: LogLine
    by: tuple[str, ...]  #: how that is known, in words


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


def reasons(reader: Reader, place: CodeAsked) -> Reasons:
    """Find what is behind a place of the code."""
    sessions, decisions = ask_once(
        reader.snapshot, lambda cache, index: _Weighing(reader.home, cache, index, place).told()
    )
    lines = lines_of(reader.snapshot, [stem for stem, _ in sessions])
    behind = [
        SessionBehind(lines[stem], tuple(sorted(one, key=lambda by: (-one[by], by))))
        for stem, one in sessions
        if stem in lines
    ]
    return Reasons(place, tuple(behind), tuple(decisions))


class _Weighing:
    """One reading: what each fact and log has to do with a place."""

    def __init__(self, home: Home, cache: Cache, index: Index, place: CodeAsked) -> None:
        self._home, self._cache, self._index, self._place = home, cache, index, place
        self._git = place.repository.git()
        #: by name: what each link gives
        self._logs: dict[str, dict[str, float]] = {}
        self._facts: dict[str, dict[str, float]] = {}
        self._firm: set[str] = set()  #: facts with a link of the commit or the file itself

    def told(self) -> tuple[list[tuple[str, dict[str, float]]], list[Reason]]:
        """Return the logs and the facts behind the place, each best first."""
        most = max([len(one.lines) for one in self._place.touched], default=0)
        for touched in self._place.touched:  # each as much as it has of what is asked about
            share = 0.4 + 0.6 * len(touched.lines) / most if most else 1.0
            for ref, entry, how in logs_around(self._home, self._cache, touched.commit, self._git):
                self._add_log(ref.stem, entry, how, share)
            self._name_commit(touched.commit, share)
        if self._place.path:
            self._name_file()
        marks = marks_at(self._home, self._cache)
        linked: list[Reason] = []
        for weight, id in sorted((-_strength(links), id) for id, links in self._facts.items()):
            firm = id in self._firm and -weight >= _LINKED and len(linked) < _DECISIONS
            if firm and (fact := self._fact(id)):
                links, fact = self._facts[id], marks.here.shown(self._cache, fact)
                by = tuple(sorted(links, key=lambda by: (-links[by], by)))
                linked.append(Reason(fact, marked_fact(self._cache, fact, marks), by, -weight))
        logs = sorted(self._logs.items(), key=lambda one: (-_strength(one[1]), one[0]))
        return [one for one in logs if _strength(one[1]) >= _LINKED][:_SESSIONS], linked

    def _add_log(self, stem: str, entry: Entry, how: str, weight: float) -> None:
        """Count that a log has to do with the place, and so has what it did to facts."""
        _add(self._logs, stem, how, weight)
        worths = _worths(entry)
        firm = how in FIRM and len(worths) <= _IDS
        for fact, worth in worths:
            _add(self._facts, fact, f"session {stem}", worth * weight)
            self._firm.update({fact} if firm and worth > _USED else ())

    def _fact(self, id: str) -> Fact | None:
        found = self._cache.fact(id)
        return None if found is None or found.redacted else found

    def _name_commit(self, commit: CodeCommit, share: float) -> None:
        """Find what names a commit, by its id, its subject or its pull request."""
        for start in {*[commit.id[:size] for size in range(7, 13)], commit.id}:
            self._name(start, _NAMES * share, commit.id[:7])
        subject = _OF_FORGE.sub("", commit.subject)
        if len(subject) >= _SUBJECT_CHARS and len(subject.split()) >= _SUBJECT_WORDS:
            self._name(subject, _NAMES * share, "its words", TOLD)
        for number in dict.fromkeys(_PULL_REQUEST.findall(commit.message)):
            self._name(f"#{number}", _NAMES * share, f"#{number}")

    def _name_file(self) -> None:
        """Find what names the file, by the end of its path, by its name where no other file has it."""
        path, git = self._place.path, self._git
        for end in dict.fromkeys(("/".join(path.split("/")[-2:]), path.rpartition("/")[2])):
            asked = ("ls-files", "-z", "--", f":(top,glob)**/{end}")
            if "/" in end or ("." in end and git.run(*asked, check=False).count(b"\0") == 1):
                self._name(end, _FILE, path, EDITED)

    def _name(self, said: str, weight: float, by: str, how: str = NAMED) -> None:
        """Count what has a name: facts in their texts, and what logs did that have it in their words."""
        ids, keys = set[str](), set[str]()
        # the index knows words, not what is between
        for row in self._index.matching(self._index.stemmer.each([said])[0]):
            if (found := self._index.at(row)) is not None:
                ids.add(found[1].fact) if found[1].fact else keys.add(found[0].stem)
        there = [id for id in ids if (fact := self._fact(id)) and names(fact.text, said)]
        for id in there:
            _add(self._facts, id, by, weight * min(1.0, _FEW_FACTS / len(there)))
        self._firm.update(there)
        hidden = redacted_logs(self._cache)
        found_logs = logs_of(self._cache, sorted(keys)[-_MOST_READ:])
        logs = {ref: entry for ref, entry in found_logs if ref.stem not in hidden}
        having = [
            ref for ref, data in read_bytes(self._home, list(logs)) if names(text_of(data), said)
        ]
        share = (_EDITED if how == EDITED else 1.0) * min(1.0, _FEW_LOGS / max(1, len(having)))
        for ref in having:
            self._add_log(ref.stem, logs[ref], how, share)


def _add(links: dict[str, dict[str, float]], name: str, by: str, weight: float) -> None:
    """Count what speaks for a fact or log: by each way the most that it gives."""
    some = links.setdefault(name, {})
    some[by] = max(some.get(by, 0.0), weight)


def _strength(links: dict[str, float]) -> float:
    """Return how much links something: the strongest link, and something of the others."""
    some = links.values()
    return max(some, default=0.0) * (1 - _MORE) + sum(some) * _MORE


def _worths(entry: Entry) -> list[tuple[str, float]]:
    """Return what a log did to facts, each with what that is worth."""
    found: dict[str, float] = dict.fromkeys(entry.named, _USED) if entry.uses else {}
    for act in entry.acts:
        worth = _BROUGHT if isinstance(act, FactCreated) else _CHANGED
        for id in facts_in(act):
            found[id] = max(found.get(id, 0.0), worth)
    many = max(1.0, len(found) / _IDS)
    return [(id, worth / many) for id, worth in found.items()]
