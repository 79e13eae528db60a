"""Reading logs from git: all of them with both cores, or the few that are new without a library."""

from __future__ import annotations

from ledger.codec import read_entry
from ledger.commit import loose_object
from ledger.compact import pack_entry, unpack_entry
from ledger.digest import blob_id
from ledger.errors import GitFailed, StorageFailed
from ledger.findings import Finding
from ledger.logset import LogRef
from ledger.order import is_sealed, proves
from ledger.session import LOG_LIMIT_BYTES, Entry
from ledger.values import Record
from memory.bulk import Uncollected
from memory.parallel import in_two, may_fork

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ledger.gitcli import Git
    from ledger.home import Home

#: From how many logs on a second process pays for its start.
_FORK_FROM = 3000
_UNREAD = Entry("", False, "", "", (), ())
#: Up to how many blobs are looked for as loose files before git is asked.
_LOOSE_UP_TO = 64


class Reading(Record):
    """Logs as read: entries in ledger order, each with the log it came from, and the findings."""

    refs: tuple[LogRef, ...]
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]


def read_few(home: Home, refs: Sequence[LogRef]) -> Reading:
    """Read some logs through loose files and the git executable."""
    contents = dict(read_bytes(home, refs))
    return _reading(home, refs, [contents.get(ref) for ref in refs])


def read_given(
    home: Home, refs: Sequence[LogRef], contents: Iterable[bytes | int | None]
) -> Reading:
    """Read logs whose bytes are at hand: None for a missing one, its size for one that is too large."""
    return _reading(home, refs, contents)


def read_bytes(home: Home, refs: Sequence[LogRef]) -> Iterator[tuple[LogRef, bytes]]:
    """Yield the bytes of logs: from loose files as far as there are some, the rest by one git.

    Logs whose object is missing are left out.
    """
    objects = home.repository.commondir + "/objects"
    packed: list[LogRef] = []
    for ref in refs:
        data = _loose(objects, ref.blob) if len(refs) <= _LOOSE_UP_TO else None
        if data is None:
            packed.append(ref)
        else:
            yield ref, data[data.index(b"\0") + 1 :]
    if packed:
        found = _blobs(home.repository.git(), [ref.blob for ref in packed])
        for ref, content in zip(packed, found, strict=True):
            if content is not None:
                yield ref, content


def _loose(objects: str, blob: str) -> bytes | None:
    try:
        return loose_object(objects, blob)
    except StorageFailed:  # damaged; git may have a packed copy
        return None


def _blobs(git: Git, ids: Sequence[str]) -> list[bytes | None]:
    """Read objects; git gives up at a damaged one, and then each is asked for by itself."""
    try:
        return list(git.blobs(ids))
    except GitFailed:
        if len(ids) == 1:
            return [None]
    middle = len(ids) // 2
    return _blobs(git, ids[:middle]) + _blobs(git, ids[middle:])


def read_all(
    home: Home, refs: Sequence[LogRef], progress: Callable[[int, int], None] | None = None
) -> Reading:
    """Read many logs, with a second process when it pays.

    Args:
        home: where they are.
        refs: which ones, in ledger order.
        progress: told now and then how many of how many are read.
    """
    with Uncollected():
        if not worth_two(refs):
            return read_part(home, refs, len(refs), progress)
        half = len(refs) // 2

        def first() -> tuple[Any, ...]:
            part = read_part(home, refs[:half], half, None)
            return (
                sorted({ref.key for ref in refs[:half]} - {ref.key for ref in part.refs}),
                [pack_entry(entry) for entry in part.entries],
                [tuple(finding) for finding in part.findings],
            )

        packed, newer = in_two(first, lambda: read_part(home, refs[half:], len(refs), progress))
        if packed is None:
            older = read_part(home, refs[:half], half, progress)
        else:
            lost, entries, findings = packed
            older = Reading(
                tuple([ref for ref in refs[:half] if ref.key not in lost] if lost else refs[:half]),
                tuple([unpack_entry(entry) for entry in entries]),
                tuple([Finding(*values) for values in findings]),
            )
        return Reading(
            older.refs + newer.refs, older.entries + newer.entries, older.findings + newer.findings
        )


def worth_two(refs: Sequence[LogRef]) -> bool:
    """Tell whether a second process pays for its start."""
    return len(refs) >= _FORK_FROM and may_fork()


def read_part(
    home: Home,
    refs: Sequence[LogRef],
    of: int,
    progress: Callable[[int, int], None] | None,
) -> Reading:
    """Read logs in this process alone.

    Args:
        home: where they are.
        refs: which ones, in ledger order.
        of: how many there are in all, for the progress.
        progress: told now and then how many of how many are read.
    """
    if len(refs) <= _LOOSE_UP_TO:
        return read_few(home, refs)
    from ledger.gitstore import Store

    store = Store(home.repository)
    step = max(1, len(refs) // 50)
    contents = store.blobs(ref.blob for ref in refs)
    if progress is None:
        return _reading(home, refs, contents)

    def told() -> Iterable[bytes | None]:
        for number, data in enumerate(contents):
            if number % step == 0:
                progress(number * of // len(refs), of)
            yield data

    return _reading(home, refs, told())


def _reading(home: Home, refs: Sequence[LogRef], contents: Iterable[bytes | int | None]) -> Reading:
    kept: list[LogRef] = []
    entries: list[Entry] = []
    findings: list[Finding] = []
    broken: dict[int, tuple[LogRef, bytes]] = {}
    if len(refs) > _LOOSE_UP_TO:
        from hashlib import sha256  # OpenSSL's: slow to load, fast per byte
    else:
        from ledger.digest import sha256
    for ref, data in zip(refs, contents, strict=True):
        if data is None:
            findings.append(unreadable(ref))
            continue
        if isinstance(data, int) or len(data) > LOG_LIMIT_BYTES:
            size = data if isinstance(data, int) else len(data)
            findings.append(
                Finding(
                    "too-large",
                    f"{ref.path} has {size} bytes; not read",
                    ref.path,
                    hint="say it again in several logs",
                )
            )
            continue
        stem = ref.stem
        if not proves(stem, sha256(data).digest()):
            if blob_id(data) != ref.blob:  # damaged: nobody wrote these bytes
                findings.append(unreadable(ref))
                continue
            if is_sealed(stem):
                broken[len(entries)] = ref, data
                kept.append(ref)
                entries.append(_UNREAD)
                continue
        entry, noticed = read_entry(stem, data)
        if stem != ref.key:
            entry = entry._replace(stem=ref.key)
        if noticed:
            findings += [one._replace(file=ref.path) for one in noticed]
        kept.append(ref)
        entries.append(entry)
    if broken:
        findings += _mend(home, broken, entries)
        place = {ref.path: number for number, ref in enumerate(refs)}
        findings.sort(key=lambda finding: place[finding.file])
    return Reading(tuple(kept), tuple(entries), tuple(findings))


def unreadable(ref: LogRef) -> Finding:
    """Say that git has no bytes, or damaged ones, for a log."""
    return Finding(
        "unreadable",
        f"the bytes of {ref.path} (object {ref.blob}) are missing from the repository or damaged",
        ref.path,
        hint="fetch them from a clone that has them; all other logs are read",
    )


def _mend(
    home: Home, broken: Mapping[int, tuple[LogRef, bytes]], entries: list[Entry]
) -> list[Finding]:
    """Read logs that do not hold what they were sealed with from what history has of them."""
    from ledger.history import sealed_before

    paths = [ref.path for ref, _ in broken.values()]
    known = sealed_before(home, home.tip(), paths)
    firsts = dict(
        zip(known, _blobs(home.repository.git(), list(known.values())), strict=True)
        if known
        else ()
    )
    findings: list[Finding] = []
    for number, (ref, data) in broken.items():
        first = firsts.get(ref.path)
        if first is None:
            said = "are not those it was sealed with, and history has no others"
            said, hint = f"the bytes of {ref.path} {said}", "fetch the log from a clone that has it"
        else:
            said = f"{ref.path} was changed; the bytes it was sealed with are read from history"
            hint = "diurna verify names the commit and its author"
        findings.append(Finding("seal-broken", said, ref.path, hint=hint))
        entry, noticed = read_entry(ref.stem, data if first is None else first)
        entries[number] = entry if ref.stem == ref.key else entry._replace(stem=ref.key)
        findings += [one._replace(file=ref.path) for one in noticed]
    return findings
