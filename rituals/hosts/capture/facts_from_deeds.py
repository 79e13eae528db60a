"""Find the facts that what a session ran and wrote can only come from, and those that it broke.

A fact is followed where a line has a name of code that no other fact has, or two words that stand side by
side in the fact, one of them a number, or what was run or called. Only short facts: what a long one names
is everywhere.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, permutations

from ledger.model.record import Record
from projection.policy.model import THREAD_KIND
from projection.text.normalize import Word, content_words, sentences, statement
from rituals.hosts.observation_filter import line_in
from rituals.hosts.session_files import read_object
from rituals.hosts.shell import Simple, read
from rituals.hosts.shell_outcomes import MANAGERS
from rituals.hosts.transcripts.turns import TOOL, Turn

#: A fact that is longer tells a story; a change that is longer holds everything.
_RULE_CHARS, _CHANGE_CHARS = 300, 4_000
#: How much of a fact is read.
_READ_CHARS = 1_000
_PATCH = "*** Begin Patch"
#: Of what a tool was given, the text that it writes.
_WRITTEN = (
    "new_string new_str newText new_text content contents file_text insert_text code_edit".split()
)
#: Programs that only look, and those whose arguments are words about the work.
_READERS = frozenset(
    "cat bat less more head tail grep egrep fgrep rg ag ack find fd ls tree wc stat file diff cmp sed awk"
    " jq yq cut sort uniq echo printf printenv which type man git gh glab diurna curl wget kubectl test"
    " [ cd pwd history env set".split()
)
_WORD = re.compile(r"[A-Za-z_]\w*|\d+")
_WHOLE, _VALUE = re.compile(r"\d+(?![\d.,])"), re.compile(r"#\d+\Z")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
#: A name of code has two parts, or letters with digits between; no file, and no product.
_NAME = re.compile(
    r"(?<![\w./-])(?:[A-Za-z]\w*_\w+|[A-Za-z]+[a-z][A-Z]\w*|[a-z]{3,}\d+[a-z]\w*)(?![\w/-]|\.[a-z])"
)
#: How long a word beside a number is.
_LEAST_LETTERS = 3


class Known(Record):
    """A fact that may be used."""

    id: str
    kind: str
    text: str


class Deed(Record):
    """A line that a session wrote, or a command that it ran."""

    at: int  #: the byte of its line
    text: str
    words: frozenset[str]  #: of it
    forms: frozenset[str]  #: of these and their parts
    command: Simple | None = None  #: None for what was written


def ran(turns: Iterable[Turn]) -> list[Turn]:
    """Return the calls of tools that did not fail."""
    return [turn for turn in turns if turn.role == TOOL and not turn.failed]


def deeds_of(turns: Iterable[Turn]) -> Iterator[Deed]:
    """Yield what tools wrote, or ran without only looking, where they did not fail."""
    for turn in ran(turns):
        written = ["\n".join(_added(turn.given))]
        command = "" if written[0] else command_of(turn)
        for simple in read(command) if len(command) <= _CHANGE_CHARS else ():
            if simple.document:
                written.append(simple.document)
            elif _program(simple) not in _READERS:
                # what is set before a program is no word of it
                yield from (
                    _deed(turn.at, one, simple) for one in " ".join(simple.words).split("\n")
                )
        for text in written:
            for line in text.split("\n") if len(text) <= _CHANGE_CHARS else ():
                if line.strip():
                    yield _deed(turn.at, line)


def _deed(at: int, line: str, command: Simple | None = None) -> Deed:
    words = frozenset(_WORD.findall(line))
    parts = [part for word in words for part in _PART.findall(word.replace("_", " "))]
    return Deed(at, line, words, frozenset(content_words(" ".join((*words, *parts)))), command)


def _program(command: Simple | None) -> str:
    return posixpath.basename(command.words[0]) if command else ""


def followed(
    chosen: Sequence[Known], facts: Iterable[Known], deeds: Sequence[Deed]
) -> Iterator[tuple[str, int, str]]:
    """Yield the ids of the facts that were followed, each with the byte and the line that prove it.

    `chosen` are those that are asked about; the names of all `facts` are compared.
    """
    short = [fact for fact in chosen if fact.kind != THREAD_KIND and len(fact.text) <= _RULE_CHARS]
    seen = Counter(word for fact in facts for word in set(_WORD.findall(fact.text)))
    for fact in short:
        rule = Rule(fact.text)
        proof = next((deed for deed in deeds if rule.is_followed_by(deed, seen)), None)
        if proof and not rule.is_broken_by(deeds):
            yield fact.id, proof.at, proof.text


class Rule:
    """What of a fact can be followed, or broken."""

    def __init__(self, text: str) -> None:
        text, no, yes = text[:_READ_CHARS], set[str](), set[str]()
        pairs: list[tuple[Word, Word]] = []
        for one in map(statement, sentences(text)):
            telling = "without" not in one.text.lower()
            for place, word in enumerate(one.words):
                denied = telling and any(
                    clause == word.clause and (before <= place or "support" in one.forms)
                    for before, clause in one.negated
                )
                (no if denied else yes).add(word.form)
            pairs += pairwise(one.words)
        self._denied = no - yes  # what it says no of, and never yes
        self._pairs = [pair for pair in pairs if self._denied.isdisjoint(one.form for one in pair)]
        self._said = dict.fromkeys(one for pair in self._pairs for one in pair)
        self._names = {one for one in _NAME.findall(text) if not content_words(one) & self._denied}

    def is_broken_by(self, deeds: Iterable[Deed]) -> bool:
        """Tell whether deeds do what it says no of: half of its words stand in one line."""
        denied, mine = self._denied, {one.raw for one in self._said}
        return bool(denied) and any(
            2 * len(denied & deed.forms) >= len(denied)
            for deed in deeds
            if _program(deed.command) not in mine and not self._names & deed.words
        )

    def is_followed_by(self, deed: Deed, seen: Mapping[str, int]) -> bool:
        """Tell whether a deed can only come from it; `seen` is in how many facts each word is."""
        if any(seen[name] == 1 for name in self._names & deed.words):
            return True
        alone = [one for one in self._said if seen[one.raw] == 1 and one.raw not in MANAGERS]
        if self._denied and any(_calls(one, deed, seen) for one in alone):
            return True
        return any(
            any(
                _is_number(one, other) or _calls(one, deed, seen)
                for one, other in permutations(pair)
            )
            for pair in self._pairs
            if {_form(one) for one in pair} <= deed.forms
        )


def _calls(word: Word, deed: Deed, seen: Mapping[str, int]) -> bool:
    """Tell whether a word is the program that was run, or a library of which something is used."""
    if deed.command:
        return _program(deed.command) == word.raw
    name = re.escape(word.raw)
    uses = rf"\b(?:import|from|require)\b.*[\s\"'(]{name}\b|(?<![\w./]){name}[.(]"
    return seen[word.raw] == 1 and bool(re.search(uses, deed.text))


def _is_number(word: Word, beside: Word) -> bool:
    return _form(word)[0] == "#" and beside.raw.isalpha() and len(beside.raw) >= _LEAST_LETTERS


def _form(word: Word) -> str:
    """Return the form of a word, of a number without its unit."""
    found = word.form[0] == "#" and (_VALUE.match(word.form) or _WHOLE.match(word.raw))
    return f"#{found[0].lstrip('#')}" if found else word.form.lstrip("#")


def _added(given: str) -> Iterator[str]:
    """Yield the text that a tool adds to files."""
    said = arguments(given)
    patches = [one for one in (given, said.get("input"), said.get("patch")) if isinstance(one, str)]
    patch = next((one for one in patches if one.startswith(_PATCH)), "")
    yield from [line.removeprefix("+") for line in patch.split("\n") if line.startswith("+")]
    edits = said.get("edits")
    for one in (said, *(edits if isinstance(edits, list) else ())):
        for key in _WRITTEN if isinstance(one, dict) else ():
            if isinstance(one.get(key), str):
                yield one[key]


def arguments(given: str) -> Mapping[str, object]:
    """Return what a tool was given by name; nothing where it was given a command, or was cut."""
    return (given.startswith("{") and read_object(given.encode("utf-8", "replace"))) or {}


def command_of(turn: Turn) -> str:
    """Return the command that a tool was given, "" where it was given something else."""
    command = line_in(arguments(turn.given))
    if command:
        return command
    return "" if turn.given.startswith(("{", "[", _PATCH)) else turn.given
