"""Make what a hook looks up at a prompt, a command or a file (`rituals.hosts.context.moment_index`).

It is made behind the answer of a hook that found it out of date, in a process that nobody waits for. Few
facts constrain a file: what names one mostly narrates. Left out are files that many facts name.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log

from ledger.errors import DiurnaError
from ledger.git.cli import Git
from ledger.heavy_work import Uncollected
from ledger.home import discover
from ledger.model.layout import CACHE_DIR
from ledger.model.session import says_personal
from ledger.wal.atomic_files import make_folder
from ledger.wal.kept_asks import Ask, asks_in
from ledger.wal.user_key import user_key
from memory import (
    ENGLISH,
    KEPT_CHARS,
    is_everyday,
    listed_words,
    open_snapshot,
    passages_told,
    state_of,
)
from projection.brief.inert_text import label, plain, untagged
from projection.fold.fact_history import Fact
from projection.fold.live_view import Standing
from projection.policy.model import FINDING_KIND, OFF, THREAD_KIND
from projection.text.claims import FOLDER, PATH, claims
from projection.text.clipping import telling
from projection.text.command_rules import ANY, EDITS, WARNS_KEY, breaches
from rituals.hosts.context import moment_index
from rituals.hosts.context.moment_answer import ASKED_FOR
from rituals.hosts.context.session_cursor import NEWS_DIR, heard_by, stamps
from rituals.hosts.context.session_news import watched_of
from rituals.hosts.session_files import files_in
from rituals.hosts.shell import RUNNERS

#: Of a long text the words of so much of it count.
_TEXT_CHARS = 20_000
#: A word that more facts have tells nothing here, and words weigh at least as in so large a ledger.
_COMMON, _LEAST_FACTS = 500, 1_000
#: A word of more passages, or of more prompts, tells nothing, but one of very few always does.
_SHARE, _FEW = 0.08, 2
#: What so many sessions were told of a log is told no more.
_TWICE = 2
_CHORES = moment_index.stems(" ".join(listed_words(ENGLISH, "chores")))
_SMALL = listed_words(ENGLISH, "small")


def make(commondir: str, folder: str) -> None:
    """Make the index of a folder anew, where it is out of date and nobody else is at it."""
    if not user_key():
        return
    make_folder(f"{commondir}/{CACHE_DIR}")
    lock = os.open(f"{commondir}/{CACHE_DIR}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if moment_index.opened(commondir, folder) is None:
            moment_index.keep(commondir, folder, *_made(folder))
    except (BlockingIOError, DiurnaError):
        pass  # another one makes it; or there is no home, and a tool is told nothing
    finally:
        os.close(lock)


def _made(folder: str) -> tuple[moment_index.MomentIndex, dict[str, list[object]]]:
    home = discover(folder)
    watched = watched_of(home)
    seen = stamps(watched)  # before the branch is read: what moves meanwhile is seen
    with Uncollected():
        snapshot = open_snapshot(home)
        state = snapshot.ask(state_of)
        found = [one for one in state.standings() if may_be_told(one)]
        told, git, commondir = state.policy.moment, home.repository.git(), home.repository.commondir
        heard = [heard_by(commondir, name) for name, _, _ in files_in(f"{commondir}/{NEWS_DIR}")]
        often = Counter([id for one in heard for id in {*one.known} if ":" in id])
        passages = snapshot.ask(lambda cache: passages_told(home, cache))
        passages = [one for one in passages if often[one[0]] < _TWICE]
        names = {*moment_index.words_of(f"{folder} {home.repository.top}")}
        words = _words(found)
        words |= _words_of_logs(passages, asks_in(commondir), state.policy.recall.language, names)
        index = moment_index.MomentIndex(
            watched,
            seen,
            told.prompt,
            told.command != OFF,
            told.file,
            told.facts,
            told.characters,
            rules_of(found, _constrained(found, git)),
            tuple(_SMALL),
            _weight(len(found), 0),
            tuple(passages),
        )
        return index, words


def may_be_told(one: Standing) -> bool:
    """Tell whether a fact may be told unasked: it holds, and everybody here may read it."""
    fact = one.fact
    return not (fact.false or fact.redacted or says_personal(fact.meta))


def _held(said: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """Return for each word the numbers of the texts that have it, by the words of each."""
    rows: dict[str, list[int]] = {}
    for row, words in enumerate(said):
        for word in {*words}:
            rows.setdefault(word, []).append(row)
    return rows


def _words(found: Sequence[Standing]) -> dict[str, list[object]]:
    """Return for the words of facts what each weighs, and which have it."""
    said = [
        f"{fact.id} {' '.join([value for _, value in fact.meta])} {fact.text[:_TEXT_CHARS]}"
        for fact in [one.fact for one in found]
    ]
    return {
        stem: [
            f"{moment_index.CHORE * (stem in _CHORES)}{_weight(len(found), len(held)):.4f}",
            *(held if len(held) <= _COMMON else ()),
        ]
        for stem, held in _held([moment_index.stems(text, _SMALL) for text in said]).items()
    }


def _words_of_logs(
    passages: Sequence[Sequence[str]], asks: Sequence[Ask], language: str, names: set[str]
) -> dict[str, list[object]]:
    """Return, for the rare words of passages, one in how many of them has each, and which have it.

    Of writing without blanks two pairs of signs tell what a word does. A word that many prompts of before
    (`asks`) have is not rare; `names` are what the place is called.
    """
    said = [moment_index.words_of(passage[-1]) for passage in passages]
    often = Counter([word for ask in asks for word in {*moment_index.words_of(ask.text)}])
    most = [max(_FEW, int(_SHARE * len(some))) for some in (passages, asks)]
    small = listed_words(ENGLISH, "small") | listed_words(ENGLISH, "chores") | names | {""}
    rare = {
        word: held
        for word, held in _held(said).items()
        if len(held) <= most[0] and often[word] <= most[1] and word not in small
        if not is_everyday(word, language)
    }
    rare |= _held([moment_index.side_by_side(words, rare) for words in said])
    found: dict[str, list[object]] = {}
    for word, held in rare.items():
        ratio = (len(passages) / len(held)) ** (0.5 if len(word) == 2 or " " in word else 1.0)
        found[moment_index.LOGS + word] = [f"{ratio:.2f}", *held]
    return found


def _weight(count: int, held: int) -> float:
    return log(1 + (max(count, _LEAST_FACTS) - held + 0.5) / (held + 0.5))


_RULES = frozenset(("invariant", "convention", "preference"))
#: The path stands near the front; few facts name it so; and a folder has few files.
_FRONT_CHARS, _MOST_FACTS, _FOLDER_FILES = 300, 2, 25


def _constrained(found: Sequence[Standing], git: Git) -> dict[str, dict[str, None]]:
    """Return the numbers of the facts that constrain a file or folder at HEAD, by its path."""
    claimed = [
        (str(row), path)
        for row, one in enumerate(found)
        if one.live and not one.fact.closed
        for path in _claimed(one.fact)
    ]
    try:
        files = [path for _, _, path in git.tree_files("HEAD", "")] if claimed else []
    except DiurnaError:
        return {}  # nothing is committed yet
    names = frozenset([path.rpartition("/")[2] for _, path in claimed])
    near = [file for file in files if not names.isdisjoint(file.split("/"))]
    sizes = Counter([path[:at] for path in near for at, char in enumerate(path) if char == "/"])
    known, named = {*near, *sizes}, dict[str, dict[str, None]]()
    for row, path in claimed:  # what stands there, or the one file or folder that ends so
        there = [path] if path in known else [one for one in known if one.endswith(f"/{path}")]
        if len(there) == 1 and sizes[there[0]] <= _FOLDER_FILES:
            named.setdefault(there[0], {})[row] = None
    return {path: rows for path, rows in named.items() if len(rows) <= _MOST_FACTS}


def _claimed(fact: Fact) -> list[str]:
    """Return the paths that a fact constrains, as it writes them."""
    if fact.kind not in _RULES and not (fact.open and fact.kind in (THREAD_KIND, FINDING_KIND)):
        return []
    claimed = claims(fact.text[: 2 * _FRONT_CHARS])
    found = [one.subject for one in claimed if one.kind in (PATH, FOLDER)]
    return [path for path in found if 0 <= fact.text.find(path) < _FRONT_CHARS]


def rules_of(found: Sequence[Standing], files: Mapping[str, Iterable[str]]) -> moment_index.Rules:
    """Return all that speaks against commands, or of files.

    `files` says which facts, by their numbers, speak of which file or folder.
    """
    against: dict[str, list[tuple[str, ...]]] = {}
    paths = {path: [*rows] for path, rows in files.items()}
    signs: dict[str, None] = {}
    for row, fact in [(row, one.fact) for row, one in enumerate(found) if one.live]:
        if fact.closed:
            continue
        words = {word.strip("`.,;:()'\"") for word in fact.text.lower().split()}
        for program, given in breaches(fact.kind, fact.text, dict(fact.meta).get(WARNS_KEY, "")):
            if program == EDITS:
                for path in given:
                    paths.setdefault(path, []).append(f"!{row}")
                continue
            # what runs them as the rule asks for breaks none
            asked = [ASKED_FOR + one for one in sorted(words & RUNNERS.keys()) if one != program]
            against.setdefault(program, []).append((str(row), *given, *asked))
            plain = [word for word in given if word[:1] != ASKED_FOR]
            signs |= dict.fromkeys(plain if program == ANY else (program,))
    shown: dict[str, list[str]] = {rule[0]: [] for rules in against.values() for rule in rules}
    for path, rows in paths.items():
        for number in rows:
            shown.setdefault(number.lstrip("!"), []).append(path)
    facts = {number: _said(found[int(number)], names) for number, names in shown.items()}
    by_path = {path: tuple(rows) for path, rows in paths.items() if path}
    by_program = {program: tuple(rules) for program, rules in against.items()}
    return moment_index.Rules(by_program, tuple(signs), by_path, facts)


def _said(one: Standing, names: Sequence[str]) -> tuple[str, str, str]:
    fact = one.fact
    about = f"{label(fact.kind)}, {fact.clock(fact.heads[-1].stem)[:10]}"
    text = untagged(plain(telling(fact.text, names, KEPT_CHARS)))[: 2 * KEPT_CHARS]
    return fact.id, about, text
