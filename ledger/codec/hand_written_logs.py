"""Read the head of a log that was written by hand: who wrote it, and a title that says something.

Such logs name their author in lines of prose (`**Agent:** Claude Code (Opus)`), and many are titled with
no more than their date. What stands in such lines reads as if it stood in the front matter, and the title
is the first thing that the log says. Pure, linear, and never fails. Keeps invariant S15 of FORMAT.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ledger.codec.outline import EMPTY_TITLE, says_more, tells
from ledger.model.session import HEADER_KEYS

Pairs = tuple[tuple[str, str], ...]

#: The labels that are header keys.
LABELS = ("agent", "user", "lightweight")
#: Words of which a heading announces what any log has.
_EMPTY_HEADING = EMPTY_TITLE | frozenset(
    "summary what happened we i did was done is been built changed fixed shipped changes decision "
    "decisions made overview context goal goals details outcome outcomes result results progress "
    "accomplished completed in this to next steps remaining verification gate review references facts "
    "background information status lightweight final same working a an".split()
)
TITLE_CHARS = 100
_LINES = 200  #: of a log in which a title is looked for
_PARAGRAPH_CHARS = 2_000
_RANK = {key: rank for rank, key in enumerate(HEADER_KEYS)}
_LABEL = re.compile(r"[-*+>]?[ ]?\*\*([A-Za-z]{4,11})(?::\*\*|\*\*:)[ \t]*(.*)")
_OTHER_LABEL = re.compile(r"[-*+>]?[ ]?\*\*[A-Za-z][A-Za-z -]{0,30}(?::\*\*|\*\*:)")
_MODEL = re.compile(r"([^()]+?)[ \t]*\(([A-Za-z][^()]*)\)")
_SENTENCE_END = re.compile(r"[.!?][*_`)\"']*(?= |$)")
_LIGHT = re.compile(r"\(?lightweight(?: session)?\b\)?[ *_.:,—–-]*", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^][]{0,300})\]\([^() ]{0,500}\)")
_ITEM = re.compile(r"(?:[-*+>]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")


def head_by_hand(
    lines: Sequence[str], body: int, hidden: Sequence[tuple[int, int]], header: Pairs, title: str
) -> tuple[Pairs, str]:
    """Return the header and the title of a log that was written by hand.

    `body` is the index of the first line behind the title, `hidden` are ranges of lines that are code
    or comments; what the front matter (`header`) says counts before anything else.
    """
    head = _labelled(lines, body)
    if not tells(title):
        said = head.get("user") or head.get("lightweight") or title
        title = _title(lines, body, hidden) or _shortened(said)
    pairs = {**head, **dict(header)}
    return tuple(sorted(pairs.items(), key=lambda pair: _RANK.get(pair[0], len(_RANK)))), title


def _labelled(lines: Sequence[str], body: int) -> dict[str, str]:
    """Return what the labelled lines at the head say, and the model that an agent names beside it."""
    found: dict[str, str] = {}
    label = ""
    for number in range(body, min(body + _LINES, len(lines))):
        line = lines[number].rstrip()
        match = _LABEL.match(line)
        if match:
            label = match[1].lower()
            if label in LABELS:
                found.setdefault(label, match[2])
        elif not line or _OTHER_LABEL.match(line):
            label = ""
        elif label in LABELS and line[0] not in "#<`~|":
            if len(found[label]) < _PARAGRAPH_CHARS:  # it goes on in the next line
                found[label] += " " + line.strip()
        else:
            break
    pairs = {label: _plain(found[label]) for label in LABELS if label in found}
    if "agent" in pairs:
        pairs["agent"], model = _agent(pairs["agent"])
        pairs["model"] = model
    return {key: value for key, value in pairs.items() if value}


def _agent(said: str) -> tuple[str, str]:
    """Part `Claude Code (Opus)` into agent and model; of a placeholder in brackets take its name."""
    if said[:1] == "(" and said[-1:] == ")":
        return re.split(r" [-–—] |[,;:]", said[1:-1])[0].strip(), ""
    match = _MODEL.fullmatch(said)
    return (match[1].strip(), match[2].strip()) if match else (said, "")


def _title(lines: Sequence[str], body: int, hidden: Sequence[tuple[int, int]]) -> str:
    """Return the first heading or sentence that says something, "" when none does."""
    end = min(body + _LINES, len(lines))
    covered = {number for first, last in hidden for number in range(first, min(last, end))}
    number = body
    while number < end:
        line = lines[number].strip()
        number += 1
        if not line or number - 1 in covered or line[0] in "|<" or not line.strip("-*_=# "):
            continue
        if line[0] == "#":
            heading = _plain(line.lstrip("#").strip())
            if heading.lower().startswith("memory references"):
                break
            if says_more(heading, _EMPTY_HEADING):
                return _shortened(heading)
            continue
        said = [line]
        while number < end and _goes_on(lines[number]):
            said.append(lines[number].strip())
            number += 1
        label = _LABEL.match(line)
        if label and label[1].lower() in LABELS:
            continue
        for sentence in _sentences(" ".join(said)[:_PARAGRAPH_CHARS]):
            light = _LIGHT.match(sentence)
            sentence = sentence[light.end() :] if light else sentence
            if says_more(sentence, _EMPTY_HEADING) and len(sentence.split()) > 1:
                return _shortened(sentence)
    return ""


def _goes_on(line: str) -> bool:
    """Tell whether a line belongs to the paragraph above it."""
    bare = line.strip()
    if not bare or bare[0] in "#|<" or bare[:3] in ("```", "~~~"):
        return False
    return not _ITEM.match(bare) and not _OTHER_LABEL.match(bare)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph; words in bold at its start are one."""
    item = _ITEM.match(text)
    text = text[item.end() :] if item else text
    bold, closed, behind = text[2:].partition("**")
    if text.startswith("**") and closed:
        yield _plain(bold)
        text = behind
    begin = 0
    for match in _SENTENCE_END.finditer(text):
        yield _plain(text[begin : match.end()])
        begin = match.end()
    yield _plain(text[begin:])


def _plain(text: str) -> str:
    """Take the marks of markdown off."""
    bare = _LINK.sub(r"\1", text) if "](" in text else text
    bare = bare.replace("**", "").replace("`", "")
    if not bare.isprintable():
        bare = "".join([char if char.isprintable() else " " for char in bare])
    return " ".join(bare.split()).strip("*_ ")


def _shortened(text: str) -> str:
    """Cut at a word where it is longer than a title may be, and take the last stop off."""
    if len(text) <= TITLE_CHARS:
        return text.rstrip(".:;, ") or text
    cut = text[: TITLE_CHARS - 1]
    words = cut.rpartition(" ")[0]
    return (words if len(words) > TITLE_CHARS // 2 else cut).rstrip(".:;,—–- ") + "…"
