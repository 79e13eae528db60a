"""Look up what the lines of a change do to names: define them anew, or take them away. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from ledger.git.code_diff import FileDiff
from ledger.git.code_history import DOCUMENTS
from rituals.review.evidence.definitions import declares, defines

Place = tuple[FileDiff, int]

#: So many changed lines change a file; fewer touch it.
LEAST_LINES = 10
_IMPORT = re.compile(r"(?:import|from|use|using|package|#include)\b[^=(]*$|from .* import\b")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
#: The name of a class, which in some languages has a file of its own.
_CLASS = re.compile(r"^[A-Z]\w*[a-z]")
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures|e2e)/|(?:^|/)(?:test_|conftest\.)[^/]*$|"
    r"[._-](?:test|spec)s?\.\w+$|Tests?\.\w+$"
)


def changed_code(files: Iterable[FileDiff]) -> list[FileDiff]:
    """Leave out documents, tests and lines that import, in which a change decides nothing."""
    return [
        one._replace(lines=tuple([line for line in one.lines if not _IMPORT.match(line.text)]))
        for one in files
        if one.path.rpartition(".")[2].lower() not in DOCUMENTS and not _TESTS.search(one.path)
    ]


def changed_names(files: Iterable[FileDiff], wanted: Collection[str]) -> dict[str, list[Place]]:
    """Return where names are changed: their definition, what is within it, or the file of a class.

    That a line only uses a name is no change of it.
    """
    found: dict[str, list[Place]] = {}
    for file in files:
        stem = file.path.rpartition("/")[2].partition(".")[0]
        if _CLASS.search(stem) and stem in wanted and len(file.lines) >= LEAST_LINES:
            found.setdefault(stem, []).append((file, file.lines[0].number))
        for line in file.lines:
            # a line that came and defines it is of another one, or the one that went had it
            own = () if line.added else _defined(line.text, wanted, defines)
            for word in {*own, *_defined(line.within, wanted, declares)}:
                found.setdefault(word, []).append((file, line.number))
    return found


def lost_names(files: Iterable[FileDiff], wanted: Collection[str]) -> dict[str, Place]:
    """Return the names whose definition a line took away, and where; in capitals any line is one."""
    found: dict[str, Place] = {}
    for file in files:
        for line in file.lines if wanted else ():
            for word in () if line.added else set(_WORD.findall(line.text)).intersection(wanted):
                if word.isupper() or defines(word, line.text):
                    found.setdefault(word, (file, line.number))
    return found


def _defined(text: str, wanted: Collection[str], test: Callable[[str, str], bool]) -> list[str]:
    return [word for word in set(_WORD.findall(text)).intersection(wanted) if test(word, text)]
