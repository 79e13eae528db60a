"""Find secrets and personal data in stored texts, as findings that never hold a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ledger.codec.conflict_markers import marker_line
from ledger.codec.log import conflicted
from ledger.heavy_work import Uncollected, in_two, may_fork
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import ARCHIVE_DIR, EDITABLE, POLICY_FILE
from ledger.model.logset import LogRef
from ledger.model.session import LOG_LIMIT_BYTES
from ledger.secrets.log_redaction import KEEP, article, first_of
from ledger.secrets.match import SECRET
from ledger.secrets.scanner import Lines, find_all, find_secrets

Progress = Callable[[int, int], None]

#: The number of logs from which a second process pays for its start.
_FORK_FROM = 400
_REPLACE_HINT = (
    "replace it where it is valid: git's history holds it for good; "
    "a line with `diurna: allow-secret` is none"
)
_MARKER_HINT = "a log is never changed: say what holds in a new one; a draft can be mended"
_PERSONAL_HINT = 'with `personal = "keep"` below [privacy] in diurna.toml nothing is said of these'


def is_projection(path: str) -> bool:
    """Tell whether a path is that of a projection file, in a home or elsewhere."""
    *folders, name = path.split("/")
    return name in EDITABLE or folders[-1:] == [ARCHIVE_DIR]


def text_findings(path: str, data: bytes, personal: str) -> list[Finding]:
    """Look through one file.

    What is over the limit for a log is not looked at. `personal` is what the policy says of personal data;
    `keep` is silent.
    """
    text = data[:LOG_LIMIT_BYTES].decode("utf-8", "replace")
    places = find_secrets(text) if personal == KEEP else find_all(text)
    found: dict[tuple[int, str], Finding] = {}
    waived: list[int] = []
    lines = Lines(text if places else "")
    for place in places:
        line = lines.number(place)
        if lines.is_waived(place):
            if place.kind == SECRET:
                waived.append(line)
            continue
        if (line, place.rule) in found:
            continue
        if place.kind == SECRET:
            said = f"{article(place.rule)}: {place.shown}"
            one = Finding("secret-found", said, path, line, _REPLACE_HINT)
        else:
            said = article(place.rule)
            one = Finding("personal-data", said, path, line, _PERSONAL_HINT)
        found[line, place.rule] = one
    said_of = first_of(list(found.values()))
    other = is_projection(path) or path.split("/")[-1] == POLICY_FILE
    left = 0 if other else marker_line(text)
    if left and not conflicted(text):  # a whole conflict is told where the log is read
        said = "a conflict marker that was never resolved"
        said_of.append(Finding("conflict-marker", said, path, left, _MARKER_HINT))
    if waived:
        many = len(set(waived))
        noun = (
            "line looks like a secret and says that it is"
            if many == 1
            else "lines say that they are"
        )
        message = f"{many} {noun} none"
        said_of.append(Finding("secret-waived", message, path, waived[0]))
    return said_of


def log_findings(
    home: Home, refs: Sequence[LogRef], personal: str, progress: Progress | None = None
) -> list[Finding]:
    """Look through all logs, with both cores when it pays.

    `personal` is what the policy says of personal data; progress is told how many of how many are read.
    """
    with Uncollected():
        if len(refs) < _FORK_FROM or not may_fork():
            return _part(home, refs, personal, progress)
        half = len(refs) // 2

        def first() -> list[tuple[Any, ...]]:
            return [tuple(one) for one in _part(home, refs[:half], personal, None)]

        sent, newer = in_two(first, lambda: _part(home, refs[half:], personal, progress))
        if sent is None:
            return _part(home, refs[:half], personal, progress) + newer
        return [Finding(*values) for values in sent] + newer


def _part(
    home: Home, refs: Sequence[LogRef], personal: str, progress: Progress | None
) -> list[Finding]:
    from ledger.git.pygit2_store import Store

    found: list[Finding] = []
    contents: Iterable[bytes | None] = Store(home.repository).blobs(ref.blob for ref in refs)
    for number, (ref, data) in enumerate(zip(refs, contents, strict=True)):
        if progress is not None and number % 64 == 0:
            progress(number, len(refs))
        if data is not None:
            found += text_findings(ref.path, data, personal)
    return found
