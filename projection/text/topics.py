"""List what parts one subject from another, and in which words things are measured, denied and owned.

Plain tables for `projection.compare.statement_subjects`, English first, German and Spanish as they come:
`topics.txt` has each below its name, and what it is.
"""

from __future__ import annotations

import os

with open(os.path.splitext(__file__)[0] + ".txt", encoding="utf-8") as _file:
    _TABLES = {
        head.partition(":")[0]: rows
        for head, *rows in [part.split("\n") for part in _file.read().rstrip().split("\n\n")]
    }


def _words(name: str) -> frozenset[str]:
    return frozenset(" ".join(_TABLES[name]).split())


def _pairs(name: str) -> dict[str, str]:
    return dict(row.split(" = ") for row in _TABLES[name])


FILLERS, GENERIC, ENDS, PREPOSITIONS = map(_words, ("FILLERS", "GENERIC", "ENDS", "PREPOSITIONS"))
UNIVERSAL, PASSED, OWNING, FIRST = map(_words, ("UNIVERSAL", "PASSED", "OWNING", "FIRST"))
DENYING, DENIED_ONCE, EMPTY = map(_words, ("DENYING", "DENIED_ONCE", "EMPTY"))
SCOPE_CLASSES, TOPIC_SYNONYMS = _TABLES["SCOPE_CLASSES"], _TABLES["TOPIC_SYNONYMS"]
ASPECTS, OFTEN = _pairs("ASPECTS"), _pairs("OFTEN")
BEFORE, AFTER, THEN = _TABLES["BEFORE"], _TABLES["AFTER"], _TABLES["THEN"]
