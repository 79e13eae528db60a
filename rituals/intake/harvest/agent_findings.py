"""Read what an agent found in documents itself: a list of items, each with the line that it stands on.

One that names no line of HEAD refuses them all, so that what is handed in is either taken in or mended.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from ledger.errors import DraftRefused
from ledger.escape import prose, visible
from ledger.git.code_history import Code
from ledger.model.findings import Finding
from ledger.model.order import is_date
from rituals.intake.harvest.document_reader import SOURCE, digest_of, key_of
from rituals.intake.harvest.origin import COMMIT_CHARS
from rituals.intake.intake_items import Item, Reading

LIMIT_BYTES = 4 << 20
_MOST_ITEMS = 2_000
_KEYS = frozenset(("text", "kind", "path", "line", "at", "author", "entity", "tags"))
_HINT = (
    'give a list of {"text": …, "path": …, "line": …}, with kind, at, author, entity and tags as you '
    "like; path and line are those of HEAD"
)


def read_handed_in(data: bytes, name: str, code: Code, kinds: Collection[str]) -> Reading:
    """Read items from JSON: a list, or an object with the list as `items`.

    `name` is that of the file, for messages; `code` is the repository that has the documents.

    Raises:
        DraftRefused: it is no such list, or an item names no line of HEAD.
    """
    items = _listed(data, name)
    findings: list[Finding] = []
    places = {path: code.files().get(path, "") for path in {_text(one, "path") for one in items}}
    sizes = code.sizes([blob for blob in places.values() if blob])
    contents = code.contents([blob for blob in places.values() if blob])
    found = []
    for number, one in enumerate(items, 1):
        path = _text(one, "path")
        blob = places[path]
        wrong = _wrong(one, kinds)
        if not wrong and not blob:
            wrong = f"HEAD ({code.commit[:7]}) has no file {prose(path)!r}"
        elif not wrong and blob not in contents:
            wrong = f"{prose(path)} is empty, or too large: {sizes[blob]} bytes"
        elif not wrong:
            wrong = _no_line(contents[blob], one["line"], path)
        if wrong:
            findings.append(Finding("draft-invalid", f"item {number}: {wrong}", name, hint=_HINT))
            continue
        text = visible(prose(_text(one, "text")))
        place = f"{path}:{one['line']}@{code.commit[:COMMIT_CHARS]}"
        found.append(Item(
            key_of(path, digest_of(text)), text, _text(one, "kind"), at=_text(one, "at"),
            author=_text(one, "author"), place=place, entity=_text(one, "entity"),
            tags=tuple(one.get("tags", ())),
        ))  # fmt: skip
    if findings:
        raise DraftRefused(tuple(findings))
    return Reading(SOURCE, tuple(found), whole=False)


def _listed(data: bytes, name: str) -> list[dict[str, Any]]:
    said = ""
    values: Any = None
    if len(data) > LIMIT_BYTES:
        said = f"it has more than {LIMIT_BYTES >> 20} MiB"
    else:
        try:
            values = json.loads(data)
        except (ValueError, RecursionError) as problem:
            said = f"it is no JSON: {problem}"
    if isinstance(values, dict):
        values = values.get("items")
    if not said and not (isinstance(values, list) and all(isinstance(one, dict) for one in values)):
        said = "it is no list of objects"
    if not said and len(values) > _MOST_ITEMS:
        said = f"it has {len(values)} items; {_MOST_ITEMS} at most"
    if said:
        raise DraftRefused((Finding("draft-invalid", said, name, hint=_HINT),))
    return list(values)


def _wrong(one: dict[str, Any], kinds: Collection[str]) -> str:
    """Say what is wrong with an item by itself, "" for nothing."""
    unknown = sorted(one.keys() - _KEYS)
    if unknown:
        return f"no such key: {prose(', '.join(unknown))}"
    for key in ("text", "path"):
        if not _text(one, key).strip():
            return f"it has no {key}"
    line = one.get("line")
    if not isinstance(line, int) or isinstance(line, bool) or line < 1:
        return "`line` is the number of a line, from 1"
    for key in ("kind", "at", "author", "entity"):
        if not isinstance(one.get(key, ""), str):
            return f"`{key}` is no text"
    if _text(one, "kind") not in ("", *kinds):
        return f"there is no kind {prose(_text(one, 'kind'))!r} in this memory"
    if _text(one, "at") and not is_date(_text(one, "at")[:10]):
        return "`at` is no date"
    tags = one.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        return "`tags` is a list of texts"
    return ""


def _no_line(data: bytes, line: int, path: str) -> str:
    """Say why a file has no such line to name, "" where it has."""
    if b"\0" in data[:8000]:
        return f"{prose(path)} is no text"
    lines = data.decode("utf-8", "replace").split("\n")
    if line > len(lines):
        return f"{prose(path)} has {len(lines)} lines, and no line {line}"
    return "" if lines[line - 1].strip() else f"line {line} of {prose(path)} is empty"


def _text(one: dict[str, Any], key: str) -> str:
    value = one.get(key, "")
    return value if isinstance(value, str) else ""
