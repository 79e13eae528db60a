"""Read logs from git: all of them, or the few that are new without a library."""

from __future__ import annotations

import os

from ledger.errors import GitFailed
from ledger.git.git_objects import Objects
from ledger.git.repository import Repository
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.log_names import LogRef, is_sealed, is_weak, proves
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import LOG_LIMIT_BYTES, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

#: The most blobs that are looked for as loose files before git is asked.
LOOSE_UP_TO = 64


def read_bytes(home: Home, refs: Sequence[LogRef]) -> Iterator[tuple[LogRef, bytes]]:
    """Yield the bytes of logs, but of those whose object is missing."""
    contents = zip(refs, _contents(home, refs), strict=True)
    return ((ref, data) for ref, data in contents if data is not None)


def _contents(
    home: Home, refs: Sequence[LogRef], progress: Callable[[int, int], None] | None = None
) -> Iterator[bytes | None]:
    """Yield the bytes of each log: of those that wait in the spool git may have no object yet."""
    held = _held_bytes(home, refs)
    ids = [ref.blob for ref in refs if ref not in held] if held else [ref.blob for ref in refs]
    if len(ids) > LOOSE_UP_TO:
        rest = blobs(home.repository, ids, progress)
    else:  # from loose files what is there, the rest by one git
        rest = iter([*map(Objects(home.repository).given, ids)])
    return (held[ref] if ref in held else next(rest) for ref in refs) if held else rest


def _held_bytes(home: Home, refs: Sequence[LogRef]) -> dict[LogRef, bytes]:
    try:
        waiting = set(os.listdir(home.held_folder))
    except OSError:
        return {}
    found = {}
    for ref in refs if waiting else ():
        if ref.stem in waiting:
            data = home.spool.read(ref.stem)
            if data is not None and blob_id(data) == ref.blob:
                found[ref] = data
    return found


def blobs(
    where: Repository, ids: Sequence[str], progress: Callable[[int, int], None] | None = None
) -> Iterator[bytes | None]:
    """Yield the bytes of objects: git gives up at a damaged one, and is asked again behind it.

    `progress`, for 50 and more, is told now and then how many of how many are read.
    """
    at = 0
    while at < len(ids):
        try:
            for data in where.git().blobs(ids[at:]):
                if progress is not None and at % (len(ids) // 50) == 0:
                    progress(at, len(ids))
                at += 1
                yield data
        except GitFailed as problem:
            if problem.killed:  # that says nothing of the object
                raise
            at += 1
            yield None


class LogReading(Record):
    """Logs as read: entries in ledger order, each with the log it came from, and the findings.

    The blob of a log is that of the bytes that were read, also where the tip has others (L3).
    """

    refs: tuple[LogRef, ...]
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]


#: A log to look up in history: whether its bytes fit its seal, and what was noticed in them.
_Doubtful = tuple[LogRef, bool, list[Finding]]


def read_all(
    home: Home, refs: Sequence[LogRef], progress: Callable[[int, int], None] | None = None
) -> LogReading:
    """Read many logs.

    `refs` are in ledger order; `progress` is as of `blobs`. The newest is asked for first: where git has
    packed each as what differs from the one before, it reads them once so, and twice in their order.
    """
    return read_given(home, refs[::-1], _contents(home, refs[::-1], progress))


def read_given(home: Home, refs: Sequence[LogRef], contents: Iterable[bytes | None]) -> LogReading:
    """Read logs whose bytes are at hand: None for a missing one; in ledger order, or backwards."""
    from ledger.codec.fast_read import read_entry, stamp_findings

    kept: list[LogRef] = []
    entries: list[Entry] = []
    findings: list[Finding] = []
    doubtful: dict[LogRef, _Doubtful] = {}
    if len(refs) > LOOSE_UP_TO:
        from hashlib import sha256  # OpenSSL's: slow to load, fast per byte
    else:
        from ledger.model.ids import sha256
    for ref, data in zip(refs, contents, strict=True):
        if data is not None and len(data) > LOG_LIMIT_BYTES:
            said, hint = f"has {len(data)} bytes; not read", "say it again in several logs"
            findings.append(Finding("too-large", f"{ref.path} {said}", ref.path, hint=hint))
            continue
        stem = ref.stem
        proven = data is not None and proves(stem, sha256(data).digest())
        if data is None or not (proven or blob_id(data) == ref.blob):  # nobody wrote damaged bytes
            findings.append(unreadable(ref))
            continue
        entry, noticed = read_entry(stem, data)
        if stem != ref.key:
            entry = entry._replace(stem=ref.key)
        found = [one._replace(file=ref.path) for one in noticed] if noticed else []
        found += stamp_findings(stem, data, ref.path) if proven else ()
        if is_weak(stem) if proven else is_sealed(stem):
            doubtful[ref] = ref, proven, found
        else:
            findings += found
        kept.append(ref)
        entries.append(entry)
    if kept and kept[0] > kept[-1]:
        kept, entries = kept[::-1], entries[::-1]
    if doubtful:
        places = [number for number, ref in enumerate(kept) if ref in doubtful]
        findings += _mend(home, {at: doubtful[kept[at]] for at in places}, kept, entries)
    if findings:
        place = {ref.path: number for number, ref in enumerate(sorted(refs))}
        findings.sort(key=lambda finding: place[finding.file])
    return LogReading(tuple(kept), tuple(entries), tuple(findings))


def unreadable(ref: LogRef) -> Finding:
    """Say that git has no bytes, or damaged ones, for a log."""
    return Finding(
        "unreadable",
        f"the bytes of {ref.path} (object {ref.blob}) are missing from the repository or damaged",
        ref.path,
        hint="fetch them from a clone that has them; all other logs are read",
    )


def _mend(
    home: Home,
    doubtful: Mapping[int, _Doubtful],
    kept: list[LogRef],
    entries: list[Entry],
) -> list[Finding]:
    """Replace the tip's bytes of logs by those that they were first committed with.

    `doubtful` are the logs by their place in `kept` and `entries`; the blob in `kept` of one that is
    mended becomes that of the bytes that are read. Returned is what was noticed in these, and about them.
    """
    from ledger.codec.fast_read import read_entry, stamp_findings
    from ledger.git.log_history import sealed_before

    findings = _colliding(doubtful.values())
    asked = {ref.path: ref.blob for ref, _, _ in doubtful.values()}
    known = sealed_before(home, home.tip(), asked)
    there = {(ref.stem, ref.blob) for ref in kept}
    firsts = {
        number: known[ref.path][0]
        for number, (ref, _, _) in doubtful.items()
        # beside the bytes themselves there is nothing to put in their place
        if ref.path in known and (ref.stem, known[ref.path][0]) not in there
    }
    read = blobs(home.repository, list(firsts.values()))
    contents = dict(zip(firsts, read, strict=True))
    for number, (ref, proven, noticed) in doubtful.items():
        first = contents.get(number)
        if first is not None:
            kept[number] = ref._replace(blob=firsts[number])
            entry, found = read_entry(ref.stem, first, ref.path)
            entries[number] = entry._replace(stem=ref.key)
            noticed = [*found, *stamp_findings(ref.stem, first, ref.path)]
        findings += noticed
        if not proven or first is not None:
            findings.append(_changed(ref, proven, first is not None))
    return findings


def _colliding(doubtful: Iterable[_Doubtful]) -> list[Finding]:
    """Name the logs of one stem that differ and all fit its seal (L4)."""
    fitting: dict[str, list[str]] = {}
    for ref, proven, _ in doubtful:
        if proven:
            fitting.setdefault(ref.stem, []).append(ref.path)
    return [
        Finding(
            "seal-collision",
            f"{' and '.join(paths)} differ and fit one seal; all are read",
            paths[-1],
            hint="somebody made bytes to fit: diurna check tells who committed which",
        )
        for paths in fitting.values()
        if len(paths) > 1
    ]


def _changed(ref: LogRef, proven: bool, mended: bool) -> Finding:
    """Say which bytes of a changed log are read."""
    code, hint = "seal-broken", "diurna check names the commit and its author"
    said = f"{ref.path} was changed; the bytes it was sealed with are read from history"
    if not mended:
        hint = "fetch the log from a clone that has it"
        said = (
            f"the bytes of {ref.path} are not those it was sealed with, and history has no others"
        )
    elif proven:
        code = "seal-collision"
        said = f"{ref.path} was replaced by other bytes that fit its seal; those first committed are read"
    return Finding(code, said, ref.path, hint=hint)
