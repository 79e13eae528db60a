"""Make what a hook looks up at a prompt, a command or a file (`rituals.hosts.context.moment_index`).

It is made behind the answer of a hook that found it out of date, in a process that nobody waits for. Few
facts constrain a file: what names one mostly narrates. Left out are files that many facts name, and those
that every other commit touches.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log

from ledger.errors import DiurnaError
from ledger.git.cli import Git
from ledger.heavy_work import Uncollected
from ledger.home import discover
from ledger.model.event import Meta
from ledger.model.layout import CACHE_DIR
from ledger.model.personal_footer import says_personal
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.kept_asks import asks_in
from ledger.wal.user_key import user_key
from memory.query.open_snapshot import open_snapshot
from memory.query.prompt_facts import passages_told
from memory.recall.words import ENGLISH, is_everyday, listed
from memory.replay.replayed_state import state_of
from projection.brief.wording import label, plain, untagged
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.policy.model import FINDING_KIND, OFF, THREAD_KIND, Moments
from projection.text.claims import FOLDER, PATH, claims
from projection.text.clipping import telling
from projection.text.command_rules import ANY, EDITS, WARNS_KEY, Breach, breaches
from rituals.hosts.context.broken_rules import ASKED_FOR
from rituals.hosts.context.moment_index import (
    CHORE,
    LOGS,
    index_path,
    opened,
    packed,
    pairwise,
    stems,
    words_of,
)
from rituals.hosts.context.session_cursor import NEWS_DIR, heard_by, stamps
from rituals.hosts.context.session_news import watched_of
from rituals.hosts.observed.shell import RUNNERS
from rituals.hosts.payloads import files_in
from rituals.hosts.user_settings import settings_path, wants_none

#: Of a long text the words of so much of it count.
_TEXT_CHARS = 20_000
#: A word that more facts have tells nothing here, and words weigh at least as in so large a ledger.
_COMMON, _LEAST_FACTS = 500, 1_000
#: A word of more passages, or of more prompts, tells nothing, but one of very few always does.
_SHARE, _FEW = 0.08, 2
#: What so many sessions were told of a log is told no more.
_TWICE = 2
_CHORES = stems(" ".join(listed(ENGLISH, "chores")))
_SMALL = listed(ENGLISH, "small")


def make(commondir: str, folder: str, environment: Mapping[str, str]) -> None:
    """Make the index of a folder anew, where it is out of date and nobody else is at it."""
    path, key = index_path(commondir, folder), user_key()
    if not key:
        return
    make_folder(f"{commondir}/{CACHE_DIR}")
    lock = os.open(f"{commondir}/{CACHE_DIR}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if opened(commondir, folder, words=True) is None:
            replace_file(path, _made(path, key, commondir, folder, environment), 0o600)
    except (BlockingIOError, DiurnaError):
        pass  # another one makes it; or there is no home, and a tool is told nothing
    finally:
        os.close(lock)


def _made(
    path: str, key: bytes, commondir: str, folder: str, environment: Mapping[str, str]
) -> bytes:
    home = discover(folder)
    watched = (*watched_of(home), settings_path(environment) or path)
    seen = stamps(watched)  # before the branch is read: what moves meanwhile is seen
    with Uncollected():
        snapshot = open_snapshot(home)
        state = snapshot.ask(state_of)
        passages = snapshot.ask(lambda cache: passages_told(home, cache))
        found = [one for one in state.standings() if may_be_told(one)]
        about = {
            "watched": "\0".join(watched),
            "stamps": seen,
            "small": " ".join(_SMALL),
            "unknown": _weight(len(found), 0),
            "moment": said_of(state.policy.moment, off=wants_none(environment)),
        }
        about |= rows_of(found, constrained(found, home.repository.git()))
        typed = [one.text for one in asks_in(home.repository.commondir)]
        often, names = _told_often(commondir), words_of(f"{folder} {home.repository.top}")
        names += words_of(_remotes(home.repository.git()))
        passages = [one for one in passages if often[one[0]] < _TWICE]
        language = state.policy.recall.language
        words = _words(found) | _words_of_logs(passages, typed, language, {*names})
        return packed(path, key, about, words, ["\t".join(one) for one in passages])


def may_be_told(one: Standing) -> bool:
    """Tell whether a fact may be told unasked: it holds, and everybody here may read it."""
    fact = one.fact
    return not (fact.false or fact.redacted or says_personal(fact.meta))


def said_of(moment: Moments, *, off: bool) -> str:
    """Write what of moments is told: what the policy says, within what the user does."""
    if off:
        moment = moment._replace(prompt=False, command=OFF, file=False)
    return f"{moment.prompt:d} {moment.command} {moment.file:d} {moment.facts} {moment.characters}"


def _words(found: Sequence[Standing]) -> dict[str, str]:
    rows: dict[str, list[str]] = {}
    for row, one in enumerate(found):
        names = " ".join([value for _, value in one.fact.meta])
        for stem in stems(f"{one.fact.id} {names} {one.fact.text[:_TEXT_CHARS]}", _SMALL):
            rows.setdefault(stem, []).append(str(row))
    words = {}
    for stem, held in rows.items():
        weight = CHORE * (stem in _CHORES) + _weight(len(found), len(held))
        words[stem] = " ".join([weight, *(held if len(held) <= _COMMON else ())])
    return words


def _told_often(commondir: str) -> Counter[str]:
    """Count the sessions that were told each passage, as far as it is known of them."""
    heard = [heard_by(commondir, name) for name, _, _ in files_in(f"{commondir}/{NEWS_DIR}")]
    return Counter([id for one in heard for id in {*one.known} if ":" in id])


def _remotes(git: Git) -> str:
    try:
        return git.run("config", "--get-regexp", r"^remote\..*\.url$").decode("utf-8", "replace")
    except DiurnaError:
        return ""  # there is none


def _words_of_logs(
    passages: Sequence[Sequence[str]], typed: Sequence[str], language: str, names: set[str]
) -> dict[str, str]:
    """Return, for the rare words of passages, one in how many of them has each, and which have it.

    Of writing without blanks two pairs of signs tell what a word does. `typed` are prompts of before,
    `names` what the place and its remotes are called.
    """
    rows: dict[str, list[str]] = {}
    said = [words_of(passage[-1]) for passage in passages]
    for row, words in enumerate(said):
        for word in {*words}:
            rows.setdefault(word, []).append(str(row))
    often = Counter([word for prompt in typed for word in {*words_of(prompt)}])
    most = [max(_FEW, int(_SHARE * len(some))) for some in (passages, typed)]
    small = listed(ENGLISH, "small") | listed(ENGLISH, "chores") | names
    rare = {
        word: held
        for word, held in rows.items()
        if len(held) <= most[0] and often[word] <= most[1]
        and not (word in small or is_everyday(word, language))
    }  # fmt: skip
    rare.pop("", None)
    pairs: dict[str, list[str]] = {}
    for row, words in enumerate(said):
        for one, two in {*pairwise(words)}:
            if one in rare and two in rare:
                pairs.setdefault(f"{one} {two}", []).append(str(row))
    found = {}
    for word, held in (*rare.items(), *pairs.items()):
        ratio = (len(passages) / len(held)) ** (0.5 if len(word) == 2 or " " in word else 1.0)
        found[LOGS + word] = " ".join([f"{ratio:.2f}", *held])
    return found


def _weight(count: int, held: int) -> str:
    return f"{log(1 + (max(count, _LEAST_FACTS) - held + 0.5) / (held + 0.5)):.4f}"


_RULES = frozenset(("invariant", "convention", "preference"))
_STATED = frozenset(("decision", "stack", "fact"))
_BINDING = re.compile(
    r"\b(?:must|never|always|only|keep|unchanged|not|in step|before)\b", re.IGNORECASE
)
#: The path stands near the front; few facts name it so; and it is no file of each commit.
_FRONT_CHARS, _MOST_FACTS, _FOLDER_FILES = 300, 2, 25
_COMMITS, _CHURN, _LEAST_TOUCHES = 300, 0.04, 5


def constrained(
    found: Sequence[Standing], git: Git, commit: str = "HEAD", files: Iterable[str] = ()
) -> dict[str, list[int]]:
    """Return the numbers of the facts that constrain a path of a commit, by path from the top."""
    named: dict[str, list[int]] = {}
    wanted = [(row, one.fact) for row, one in enumerate(found) if one.live and not one.fact.closed]
    claimed = [(row, path) for row, fact in wanted for path in _claimed(fact)]
    if not claimed:
        return {}
    try:
        files = files or [path for _, _, path in git.tree_files(commit, "")]
        log = git.run(
            "log", f"-{_COMMITS}", "--no-merges", "--name-only", "--format=%x01", "-z", commit
        )
    except DiurnaError:
        return {}  # nothing is committed yet
    places = _Places(of_names(files, [path for _, path in claimed]))
    for row, path in claimed:
        for place in places.of(path):
            if row not in named.setdefault(place, []):
                named[place].append(row)
    churning = _churning(log.decode("utf-8", "surrogateescape"))
    return {
        path: rows
        for path, rows in named.items()
        if len(rows) <= _MOST_FACTS and path not in churning and "\n" not in path
    }


def _claimed(fact: Fact) -> list[str]:
    """Return the paths that a fact constrains, as it writes them."""
    binding = fact.kind in _RULES or (fact.open and fact.kind in (THREAD_KIND, FINDING_KIND))
    if not (binding or (fact.kind in _STATED and _BINDING.search(fact.text))):
        return []
    return [
        claim.subject
        for claim in claims(fact.text[: 2 * _FRONT_CHARS])
        if claim.kind in (PATH, FOLDER)
        and 0 <= fact.text.find(claim.subject) < _FRONT_CHARS
        and (binding or _binds(fact.text, claim.subject))
    ]


def _binds(text: str, path: str) -> bool:
    """Tell whether the sentence that names a path says what must be."""
    at = text.find(path)
    start = max(text.rfind(". ", 0, at), text.rfind("\n\n", 0, at)) + 1
    end = text.find(". ", at + len(path))
    return _BINDING.search(text, start, len(text) if end < 0 else end) is not None


def of_names(files: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Return the files that have, or are below, what is named as the last part of one of some paths."""
    names = frozenset([path.rpartition("/")[2] for path in paths])
    return [file for file in files if not names.isdisjoint(file.split("/"))]


class _Places:
    """The files and folders of a tree, by their names."""

    def __init__(self, files: Iterable[str]) -> None:
        self._counts = Counter(
            [path[:at] for path in files for at, char in enumerate(path) if char == "/"]
        )
        self._by_end: dict[str, list[str]] = {}
        for path in (*files, *self._counts):
            self._by_end.setdefault(path.rpartition("/")[2], []).append(path)

    def of(self, claimed: str) -> list[str]:
        """Return what a path means: what stands there, or the one thing that ends so."""
        found = [
            path
            for path in self._by_end.get(claimed.rpartition("/")[2], ())
            if path == claimed or path.endswith(f"/{claimed}")
        ]
        exact = [path for path in found if path == claimed] or (found if len(found) == 1 else [])
        return [path for path in exact if self._counts[path] <= _FOLDER_FILES]


def _churning(log: str) -> set[str]:
    commits = log.split("\1")[1:]
    touched = Counter(
        [path for one in commits for path in one.replace("\n", "").split("\0") if path]
    )
    least = max(_LEAST_TOUCHES, _CHURN * len(commits))
    return {path for path, count in touched.items() if count > least}


#: How much of a text is kept for a line, which shows less.
TEXT_CHARS = 400
#: What stands before the name of a program; before a path, and one that is only spoken of where it is
#: changed; and before the number of a rule.
PROGRAM, NAMED, EDITED, ROW = "$", "@", "!", "#"


def rows_of(found: Sequence[Standing], files: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """Return the lines of an index for all that speaks against commands, or of files.

    `files` says which of them, by their numbers, speak of which file or folder.
    """
    against: dict[str, list[str]] = {}
    paths = {NAMED + path: [*map(str, rows)] for path, rows in files.items()}
    signs: dict[str, None] = {}
    for row, one in enumerate(found):
        fact = one.fact
        if fact.closed or not one.live:
            continue
        for breach in spoken_against(fact.kind, fact.text, fact.meta):
            if breach.program == EDITS:
                for path in breach.given:
                    paths.setdefault(EDITED + path, []).append(str(row))
                continue
            against.setdefault(breach.program, []).append(" ".join((str(row), *breach.given)))
            plain = [word for word in breach.given if word[:1] != ASKED_FOR]
            signs |= dict.fromkeys(plain if breach.program == ANY else (breach.program,))
    named = {rule.partition(" ")[0] for rules in against.values() for rule in rules}
    named.update([row for rows in paths.values() for row in rows])
    ends = dict.fromkeys(path[1:].rpartition("/")[2] for path in paths)
    return {
        "programs": " ".join(signs),
        "files": "\0".join(ends),
        **{PROGRAM + name: "\0".join(rules) for name, rules in against.items()},
        **{path: " ".join(rows) for path, rows in paths.items()},
        **{ROW + row: _said(found[int(row)], paths, row) for row in sorted(named, key=int)},
    }


def spoken_against(kind: str, text: str, meta: Meta) -> Iterator[Breach]:
    """Yield the commands that break a fact of a kind, with what runs them as it asks for."""
    words = {word.strip("`.,;:()'\"") for word in text.lower().split()}
    for breach in breaches(kind, text, dict(meta).get(WARNS_KEY, "")):
        if breach.program != EDITS:
            asked = [
                ASKED_FOR + word
                for word in sorted(words & RUNNERS.keys())
                if word != breach.program
            ]
            breach = breach._replace(given=(*breach.given, *asked))
        yield breach


def _said(one: Standing, paths: Mapping[str, Sequence[str]], row: str) -> str:
    fact = one.fact
    about = f"{label(fact.kind)}, {fact.clock(fact.heads[-1].stem)[:10]}"
    names = [path[1:] for path, rows in paths.items() if row in rows]
    text = untagged(plain(telling(fact.text, names, TEXT_CHARS)))[: 2 * TEXT_CHARS]
    return f"{fact.id}\t{about}\t{text}"
