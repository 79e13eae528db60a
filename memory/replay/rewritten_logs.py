"""Read from history the logs whose bytes may not be those that were first committed.

A seal that is broken says so by itself. A short one, of a ledger from before, proves nothing against
somebody who tries, so of those the history is asked too. Keeps L3 and L4 of FORMAT.md.
"""

from __future__ import annotations

from ledger.codec.log import read_entry, stamp_findings
from ledger.model.findings import Finding
from ledger.model.record import Record
from ledger.model.seal import is_weak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ledger.home import Home
    from ledger.model.logset import LogRef
    from ledger.model.session import Entry

    Read = Callable[[Sequence[str]], Sequence[bytes | None]]


class Doubtful(Record):
    """A log to look up in history: whether its bytes fit its seal, and what was noticed in them."""

    ref: LogRef
    proven: bool
    noticed: list[Finding]


def mend(
    home: Home,
    doubtful: Mapping[int, Doubtful],
    kept: list[LogRef],
    entries: list[Entry],
    read: Read,
) -> list[Finding]:
    """Replace the tip's bytes of logs by those that they were first committed with.

    `doubtful` are the logs by their place in `kept` and `entries`; the blob in `kept` of one that is
    mended becomes that of the bytes that are read. `read` gives bytes by blob ids.

    Returns:
        What was noticed in the bytes that are read, and about them.
    """
    from ledger.git.log_history import sealed_before

    findings = _colliding(doubtful, kept)
    asked = {
        one.ref.path: one.ref.blob
        for one in doubtful.values()
        if not one.proven or is_weak(one.ref.stem)
    }
    known = sealed_before(home, home.tip(), asked)
    there = {(ref.stem, ref.blob) for ref in kept}
    firsts = {
        number: known[one.ref.path][0]
        for number, one in doubtful.items()
        # beside the bytes themselves there is nothing to put in their place
        if one.ref.path in known and (one.ref.stem, known[one.ref.path][0]) not in there
    }
    contents = dict(zip(firsts, read(list(firsts.values())), strict=True) if firsts else ())
    for number, (ref, proven, noticed) in sorted(doubtful.items()):
        first = contents.get(number)
        if first is not None:
            kept[number] = ref._replace(blob=firsts[number])
            entry, said = read_entry(ref.stem, first, ref.path)
            entries[number] = entry if ref.stem == ref.key else entry._replace(stem=ref.key)
            noticed = [*said, *stamp_findings(ref.stem, first, ref.path)]
        findings += noticed
        if not proven or first is not None:
            findings.append(_said(ref, proven, first is not None))
    return findings


def _colliding(doubtful: Mapping[int, Doubtful], kept: Sequence[LogRef]) -> list[Finding]:
    """Name the logs of one stem that differ and all fit its seal (L4)."""
    broken = {one.ref for one in doubtful.values() if not one.proven}
    twins = {one.ref.stem for one in doubtful.values() if one.proven and "~" in one.ref.key}
    fitting: dict[str, list[LogRef]] = {}
    for ref in kept if twins else ():
        if ref.stem in twins and ref not in broken:
            fitting.setdefault(ref.stem, []).append(ref)
    return [
        Finding(
            "seal-collision",
            f"{' and '.join([ref.path for ref in refs])} differ and fit one seal; all are read",
            refs[-1].path,
            hint="somebody made bytes to fit: diurna verify tells who committed which",
        )
        for refs in fitting.values()
        if len(refs) > 1
    ]


def _said(ref: LogRef, proven: bool, found: bool) -> Finding:
    """Say which bytes of a changed log are read."""
    who = "diurna verify names the commit and its author"
    if not found:
        said = "are not those it was sealed with, and history has no others"
        hint = "fetch the log from a clone that has it"
        return Finding("seal-broken", f"the bytes of {ref.path} {said}", ref.path, hint=hint)
    if proven:
        said = "was replaced by other bytes that fit its seal; those first committed are read"
        return Finding("seal-collision", f"{ref.path} {said}", ref.path, hint=who)
    said = "was changed; the bytes it was sealed with are read from history"
    return Finding("seal-broken", f"{ref.path} {said}", ref.path, hint=who)
