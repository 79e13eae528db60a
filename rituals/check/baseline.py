"""Keep the baseline: the findings that logs of the ledger accept (FORMAT.md, N1, N2).

A log of type `edit` with a section `## Accepted Findings` accepts those whose keys its bullets name;
`## Findings No Longer Accepted` takes that back. Of several logs about one key the last one decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ledger.codec.log import decode
from ledger.codec.outline import outline
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.logset import LogRef
from ledger.model.order import is_sealed
from ledger.model.record import Record
from ledger.model.sha256 import sha256
from memory.replay.log_bytes import read_bytes
from projection.document.page_renderer import REDACTED

ACCEPTED, TAKEN_BACK = "Accepted Findings", "Findings No Longer Accepted"
#: How many of a key's digits are written down, and how many are shown.
_DIGITS, _SHOWN = 32, 12
_BULLET = re.compile(rf"- `([a-z][a-z0-9-]*:[0-9a-f]{{{_DIGITS}}})`(?: (.*))?")


class Acceptance(Record):
    """That a log accepted a finding."""

    key: str  #: of the finding
    said: str  #: what it said then, without its code
    stem: str  #: of the log
    agent: str  #: who accepted it
    reason: str  #: why

    @property
    def code(self) -> str:
        """The code of the finding."""
        return self.key.partition(":")[0]


def key_of(finding: Finding, blob: str = "") -> str:
    """Return the key by which a finding is known for good (FORMAT.md, N1).

    `blob` is the object id of its file, where that is a log or the policy.
    """
    what = finding.about or f"{finding.line if blob else ''}\0{finding.message}"
    place = "" if finding.about and not blob else finding.file
    parts = "\0".join((finding.code, place, blob, what))
    return (
        f"{finding.code}:{sha256(parts.encode('utf-8', 'surrogateescape')).hexdigest()[:_DIGITS]}"
    )


def shown(key: str) -> str:
    """Return a key as people read and type it: so much of it as tells it from others."""
    code, _, digits = key.partition(":")
    return f"{code}:{digits[:_SHOWN]}"


def acceptances(
    home: Home, refs: Iterable[LogRef], is_withheld: Callable[[str], bool]
) -> dict[str, Acceptance]:
    """Return what stands accepted, by key, from a home's logs of type `edit` in ledger order."""
    found: dict[str, Acceptance] = {}
    logs = {ref.key: data for ref, data in read_bytes(home, list(refs))}
    for stem, data in sorted(logs.items()):
        if ACCEPTED.encode() not in data and TAKEN_BACK.encode() not in data:
            continue
        log, _ = decode(data, sealed=is_sealed(stem))
        withheld = is_withheld(stem)
        reason = "" if withheld else log.prose.partition("\n\n")[0]
        for accepts, key, said in _said(log.prose):
            if accepts:
                words = (REDACTED, REDACTED) if withheld else (said, reason)
                found[key] = Acceptance(key, words[0], stem, log.get("agent"), words[1])
            else:
                found.pop(key, None)
    return found


def section(keys: Iterable[tuple[str, str]], *, accepts: bool) -> str:
    """Write the section of a log that accepts findings, or takes that back.

    `keys` has (key, what the finding says), a line each.
    """
    lines = [f"- `{key}` {said}".rstrip() for key, said in keys]
    return "\n".join([f"## {ACCEPTED if accepts else TAKEN_BACK}", "", *lines])


def _said(prose: str) -> Iterator[tuple[bool, str, str]]:
    """Yield (accepts, key, words) of each bullet of the two sections, in their order."""
    lines = prose.split("\n")
    headings = outline(lines).headings
    ends = [line for line, _ in headings[1:]] + [len(lines)]
    # an end too many where none begins
    for (begin, title), end in zip(headings, ends, strict=False):
        if title not in (ACCEPTED, TAKEN_BACK):
            continue
        for line in lines[begin + 1 : end]:
            bullet = _BULLET.fullmatch(line)
            if bullet:
                yield title == ACCEPTED, bullet[1], bullet[2] or ""
