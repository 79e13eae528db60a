"""Find the facts that what a session ran and wrote can only come from, and those that it broke.

A fact is followed where a command is what its rule prescribes, or a line has a name of code that no other
fact has, or a number with the word beside it. Only short facts: what a long one names is everywhere.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ledger.model.record import Record
from projection.policy.model import THREAD_KIND
from projection.text.normalize import content_words, sentences, statement
from rituals.hosts.admission import line_in
from rituals.hosts.payloads import read_object
from rituals.hosts.shell import Simple, read
from rituals.hosts.shell_outcomes import MANAGERS, PACKAGE, act
from rituals.hosts.transcripts.turns import TOOL, Turn

#: A fact that is longer tells a story; a change that is longer holds everything.
_RULE_CHARS, _CHANGE_CHARS = 300, 4_000
#: How much of a fact is read for what it forbids.
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
_DIGIT = re.compile(r"\d")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
#: A name of code has two parts, or letters with digits between; no file, and no product.
_NAME = re.compile(
    r"(?<![\w./-])(?:[A-Za-z]\w*_\w+|[A-Za-z]+[a-z][A-Z]\w*|[a-z]{3,}\d+[a-z]\w*)(?![\w/-]|\.[a-z])"
)
#: What stands before a thing that a rule prescribes.
_BY = frozenset("with use uses using run runs via through by into on".split())
#: How long a word beside a number is.
_LEAST_LETTERS = 3


class Known(Record):
    """A fact that may be used."""

    id: str
    kind: str
    text: str


class Line(Record):
    """A line that was added, or a command."""

    text: str
    words: frozenset[str]  #: of it
    forms: frozenset[str]  #: of these and their parts


class Deed(Record):
    """What a session ran or wrote."""

    at: int  #: the byte of its line
    lines: tuple[Line, ...]  #: that were added, or the command
    command: Simple | None = None  #: None for a change

    @property
    def program(self) -> str:
        """What it ran, "" for a change."""
        return posixpath.basename(self.command.words[0]) if self.command else ""


def ran(turns: Iterable[Turn]) -> list[Turn]:
    """Return the calls of tools that did not fail."""
    return [turn for turn in turns if turn.role == TOOL and not turn.failed]


def deeds_of(turns: Iterable[Turn]) -> Iterator[Deed]:
    """Yield what tools wrote, or ran without only looking, where they did not fail."""
    return (deed for turn in ran(turns) for deed in _deeds(turn))


def forbidden(fact: Known, deeds: Sequence[Deed]) -> bool:
    """Tell whether deeds do what a fact says no of: half of its words stand in one line."""
    text = fact.text[:_READ_CHARS]
    denied = _denied(text)
    asked = {first for first, _ in _prescribed(text, denied)}
    names = _names(text, denied)
    return bool(denied) and any(
        2 * len(denied & forms) >= len(denied)
        for deed in deeds
        if deed.program not in asked
        for _, words, forms in deed.lines
        if not names & words
    )


def followed(
    chosen: Sequence[Known], facts: Iterable[Known], deeds: Sequence[Deed]
) -> Iterator[tuple[str, int, str]]:
    """Yield the ids of the facts that were followed, each with the byte and the line that prove it.

    `chosen` are those that are asked about; the names of all `facts` are compared.
    """
    short = [fact for fact in chosen if fact.kind != THREAD_KIND and len(fact.text) <= _RULE_CHARS]
    seen = Counter(word for fact in facts for word in set(_WORD.findall(fact.text)))
    lines = [(deed, line) for deed in deeds for line in deed.lines]
    for fact in short:
        rule = _Rule(fact.text, seen)
        proofs = ((deed.at, line.text) for deed, line in lines if rule.is_in(deed, line))
        proof = next(proofs, None) if not forbidden(fact, deeds) else None
        if proof:
            yield fact.id, *proof


class _Rule:
    """What of a fact can be followed."""

    def __init__(self, text: str, seen: Counter[str]) -> None:
        denied = _denied(text)
        self._forbids = bool(denied)
        self._names = {name for name in _names(text, denied) if seen[name] == 1}
        self._counts = list(_counts(text, denied))
        self._prescribed = list(_prescribed(text, denied))
        self._alone = {first for first, _ in self._prescribed if seen[first] == 1}

    def is_in(self, deed: Deed, line: Line) -> bool:
        """Tell whether a line of a deed follows it."""
        if self._names & line.words or any(pair <= line.forms for pair in self._counts):
            return True
        if deed.command:
            words = (word for word in deed.command.words[1:] if not word.startswith("-"))
            given, done = content_words(next(words, "")), act(deed.command)
            # what a package manager runs, everybody runs so where it is the one
            habit = deed.program in MANAGERS and (done is None or done.kind != PACKAGE)
            return any(
                deed.program == first
                and ((self._forbids and not habit) or (given == content_words(behind) != set()))
                for first, behind in self._prescribed
            )
        return self._forbids and any(
            re.search(
                rf"\b(?:import|from|require)\b.*[\s\"'(]{name}\b|(?<![\w./]){name}[.(]", line.text
            )
            for name in self._alone & line.words
        )


def _names(text: str, denied: frozenset[str]) -> frozenset[str]:
    """Return the names of code in a fact, without what it says no of."""
    return frozenset(name for name in _NAME.findall(text) if not content_words(name) & denied)


@lru_cache(maxsize=16)  # who asks whether a fact was broken asks next whether it was followed
def _denied(text: str) -> frozenset[str]:
    """Return the words of what a fact says no of, and never yes."""
    said: dict[bool, set[str]] = {True: set(), False: set()}
    for one in map(statement, sentences(text)):
        telling = "without" not in one.text.lower()
        for place, word in enumerate(one.words):
            no = any(
                clause == word.clause and (before <= place or "support" in one.forms)
                for before, clause in one.negated
            )
            said[no and telling].add(word.form)
    return frozenset(said[True] - said[False])


def _counts(text: str, denied: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield the numbers of a fact, without their units, each with a word beside it."""
    for one in map(statement, sentences(text)):
        forms = ("", *one.forms, "")
        for before, word, behind in zip(forms, one.words, forms[2:], strict=False):
            found = _VALUE.match(word.form) or _WHOLE.match(word.raw)
            form = f"#{found[0].lstrip('#')}" if found and word.form.startswith("#") else ""
            if not form or denied & {form, word.form}:
                continue
            for said in (before, behind):
                if len(said) >= _LEAST_LETTERS and said.isalpha():
                    yield frozenset((form, said))


def _prescribed(text: str, denied: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield what a rule prescribes, with the word behind it: what stands behind "with", "use", "run"."""
    for sentence in sentences(text):
        words = [word.strip(".,;:!\"'()*") for word in sentence.replace("`", " ").split()]
        for by, first, behind in zip(words, words[1:], [*words[2:], ""], strict=False):
            if (
                by.lower() in _BY
                and first.isidentifier()
                and not (content_words(first) & denied or _DIGIT.match(behind))
            ):
                yield first, behind


def _deeds(turn: Turn) -> Iterator[Deed]:
    added = "\n".join(_added(turn.given))
    if added:
        yield from _written(turn.at, added)
        return
    command = command_of(turn)
    if len(command) > _CHANGE_CHARS:
        return
    for simple in read(command):
        if simple.document:
            yield from _written(turn.at, simple.document)
        elif posixpath.basename(simple.words[0]) not in _READERS:
            # what is set before a program is no word of it
            lines = [_read(line) for line in " ".join(simple.words).split("\n")]
            yield Deed(turn.at, tuple(lines), simple)


def _written(at: int, text: str) -> Iterator[Deed]:
    if len(text) <= _CHANGE_CHARS:
        yield Deed(at, tuple([_read(line) for line in text.split("\n") if line.strip()]))


def _read(line: str) -> Line:
    words = frozenset(_WORD.findall(line))
    parts = [part for word in words for part in _PART.findall(word.replace("_", " "))]
    return Line(line, words, frozenset(content_words(" ".join((*words, *parts)))))


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
