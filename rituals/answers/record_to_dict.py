"""Describe records by their fields: what all objects of `--json` answers, and failures, are made of."""

from __future__ import annotations

from ledger.model.finding_codes import Finding
from ledger.model.record import TYPE_CHECKING, Record, cached

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ledger.home import Home
    from projection.document.fact_remarks import Mark

    #: (key, the path of the field, the fields that are told of what is there).
    Field = tuple[str, str, list["Field"]]


class Failure(Record):
    """How an exception is reported."""

    exit_code: int  #: of the command
    code: str  #: the class's name, for scripts
    message: str  #: one sentence
    where: str  #: a file and line, a folder, or the command
    hint: str = ""  #: what to do
    findings: tuple[Finding, ...] = ()  #: all that was wrong with a draft
    stem: str = ""  #: of the log that waits in the spool, else ""


_OF_A_FINDING = ("code", "severity", "file", "line", "message", "hint")


def fields_of(value: object, names: str) -> dict[str, Any]:
    """Describe a value by some of its fields, in that order, as JSON carries them (see `plain`).

    The names have blanks between. `key=field.field` tells a field, here of a field, under another key;
    `name(a b)` describes what is there, or each of several, by its fields.
    """
    return _described(value, _parsed(names))


@cached(64)
def _parsed(names: str) -> list[Field]:
    return _read(iter(names.replace("(", " ( ").replace(")", " ) ").split()))


def _read(words: Iterator[str]) -> list[Field]:
    found: list[Field] = []
    for word in words:
        if word == ")":
            break
        key, _, path = word.partition("=")
        found.append((*found.pop()[:2], _read(words)) if word == "(" else (key, path or key, []))
    return found


def _described(value: Any, fields: list[Field]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, path, inner in fields:
        there = value
        for name in path.split(".") if "." in path else (path,):
            there = getattr(there, name)
        if inner and type(there) in (tuple, list):
            found[key] = [_described(one, inner) for one in there]
        else:
            found[key] = _described(there, inner) if inner and there is not None else plain(there)
    return found


def plain(value: Any) -> Any:
    """Return a value as JSON carries it: a record by its fields, a finding without secrets."""
    kind = type(value)
    if kind is str or kind is bool or kind is int or value is None:
        return value
    if kind is tuple or kind is list:
        return [plain(one) for one in value]
    if kind is dict:
        return {key: plain(one) for key, one in value.items()}
    if kind is Finding:
        from ledger.secrets.scanner import without_secrets

        told = _described(value, [(name, name, []) for name in _OF_A_FINDING])
        return {**told, "message": without_secrets(value.message)}
    return all_fields_of(value) if isinstance(value, tuple) else value


def all_fields_of(value: Any) -> dict[str, Any]:
    """Describe a record by all of its fields."""
    return {name: plain(getattr(value, name)) for name in value._fields}


def mark_object(mark: Mark) -> dict[str, Any]:
    """Describe what a reader has to know before the text of a fact."""
    from projection.document.fact_remarks import YES, Elsewhere

    nowhere = Elsewhere("", YES, "", "", "", "")
    here = fields_of(mark.here or nowhere, "here branch point landed how text_here=text")
    return {**fields_of(mark, "closed false instead marks=gone"), **here}


def home_object(home: Home) -> dict[str, Any]:
    """Describe a home."""
    return fields_of(home, "kind repository=repository.where branch prefix named")
