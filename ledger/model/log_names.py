"""Name session logs: their order, stamps of the hybrid clock that keeps it, seals; find them among files.

Ledger order is the lexicographic order of keys (`key_of`), which are stems but for names without a time of
day. A stem is `YYYY-MM-DD-HHMMSSmmm-<hash>` (sealed: it ends in what the bytes of the log come to, so that
none is changed unseen) or `YYYY-MM-DD-HHMMSS` (unsealed: written by hand or by another tool). Keeps
invariants O1 to O4 of FORMAT.md.
"""

from __future__ import annotations

from time import gmtime

from ledger.model.finding_codes import Finding
from ledger.model.ids import sha256
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.record import TYPE_CHECKING, Record, cached

if TYPE_CHECKING:
    from collections.abc import Iterable

#: A seal is the first 130 bits of the SHA-256 of a log, in base32 characters.
SEAL_CHARS = 26
BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
#: Of ledgers from before that: 48 bits in hex digits, of which two logs can be made that fit.
WEAK_HEX = 12
_HEX = "0123456789abcdef"
STAMP_CHARS = 20  # YYYY-MM-DD-HHMMSSmmm
_DAY_MS = 86_400_000
LATEST_YEAR = 9999
#: The first millisecond that no stamp can say.
_END_MS = 253_402_300_800_000
_DAY_CHARS = 10
#: Stands for the day of what a wrong clock stamped.
NO_DAY = "day not known"


def stamp_of(milliseconds: int) -> str:
    """Write milliseconds since 1970 (UTC) as `YYYY-MM-DD-HHMMSSmmm`."""
    t = gmtime(milliseconds // 1000)
    return (
        f"{t[0]:04d}-{t[1]:02d}-{t[2]:02d}-{t[3]:02d}{t[4]:02d}{t[5]:02d}{milliseconds % 1000:03d}"
    )


def milliseconds_of(stem: str) -> int:
    """Read the instant of a stem, key or stamp, in milliseconds since 1970.

    A stem without a time of day stands for its first millisecond.

    Raises:
        ValueError: this is no stem.
    """
    year, month, day = int(stem[0:4]), int(stem[5:7]), int(stem[8:10])
    hour, minute, second, ms = 0, 0, 0, 0
    if has_time(stem):
        hour, minute, second = int(stem[11:13]), int(stem[13:15]), int(stem[15:17])
        ms = int(stem[17:20]) if len(stem) >= STAMP_CHARS and _is_clock(stem[11:20]) else 0
    return _days(year, month, day) * _DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + ms


def ahead_by_a_day(stem: str, now_ms: int) -> bool:
    """Tell whether a log is stamped more than a day ahead of the clock."""
    return milliseconds_of(stem) > now_ms + _DAY_MS


def latest_seen(now_ms: int) -> str:
    """Return the latest stamp that is believed: what is told of a later time, a wrong clock told (O4)."""
    return stamp_of(now_ms + _DAY_MS)


def day_seen(clock: str, now_ms: int) -> str:
    """Return the day of a clock, "" where that is more than a day ahead."""
    return "" if clock > latest_seen(now_ms) else clock[:_DAY_CHARS]


def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a proleptic Gregorian date."""
    y = year - (month <= 2)
    era = y // 400
    yoe = y - era * 400
    doy = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + yoe * 365 + yoe // 4 - yoe // 100 + doy - 719468


def key_of(stem: str) -> str:
    """Return the key under which a log of this stem sorts: keys as texts are in ledger order (O1).

    A name without a time of day sorts at the start of its day, for `+` is before every `-`.
    """
    return stem if has_time(stem) or len(stem) == _DAY_CHARS else f"{stem[:10]}+{stem[11:]}"


def stem_in(key: str) -> str:
    """Return the stem in a key: of two logs that bear one stem, one has its blob id behind it (L4)."""
    stem = key.partition("~")[0]
    return stem if stem[10:11] != "+" else f"{stem[:10]}-{stem[11:]}"


def floor_of(milliseconds: int) -> str:
    """Return a stamp that sorts before every stem of that instant, shorter ones too."""
    stamp = stamp_of(milliseconds)
    for short in ("-000000000", "000"):
        if stamp.endswith(short):
            return stamp.removesuffix(short)
    return stamp


def next_stamp(now_ms: int, newest: str) -> str:
    """Stamp an append: never before the wall clock, behind the newest log that was seen (O2).

    `now_ms` is in milliseconds since 1970; `newest` is the key of that log, or "".

    Raises:
        WriteRefused: no stamp is left behind that log, or the clock is past the last one.
    """
    if now_ms < _END_MS and (stamp := stamp_of(now_ms)) > newest[:STAMP_CHARS]:
        return stamp
    later = milliseconds_of(newest) + 1 if newest else now_ms
    if later < _END_MS and stamp_of(later) <= newest[:STAMP_CHARS]:
        # a name that goes on behind its second in its own way sorts behind all of that second
        later += 1000 - later % 1000
    if later < _END_MS:
        return stamp_of(later)
    from ledger.errors import WriteRefused

    raise WriteRefused(
        f"the newest log is named {stem_in(newest)}, and no later stamp can be written"
        if newest
        else f"the clock is past the year {LATEST_YEAR}",
        hint="if its date is wrong, a person gives it the right one: `git mv` keeps what it says",
    )


@cached(8)  # it is asked twice of each log that is read
def ended_of(stamp: str) -> str:
    """Write a stamp as the `ended` header: `2026-11-21T08:30:12.417Z`."""
    return f"{stamp[:10]}T{stamp[11:13]}:{stamp[13:15]}:{stamp[15:17]}.{stamp[17:20]}Z"


def instant_of(stem: str) -> str:
    """Return the instant of a stem as `ended` has it; the day of a name without a time."""
    return ended_of(stamp_of(milliseconds_of(stem))) if has_time(stem) else stem[:_DAY_CHARS]


def stamp_in(ended: str) -> str:
    """Return the stamp of an `ended` header, "" where it is not written as one."""
    stamp = ended.replace("T", "-").replace(":", "").replace(".", "").removesuffix("Z")
    return stamp if is_stamp(stamp) and ended_of(stamp) == ended else ""


def bears(stem: str, ended: str, after: str) -> bool:
    """Tell whether a sealed name has the stamp that its log gives it (O5)."""
    from ledger.errors import WriteRefused

    stamp = stamp_in(ended)
    try:
        if stamp and is_stem(after):
            stamp = next_stamp(milliseconds_of(stamp), key_of(after))
    except WriteRefused:  # nothing follows the end of time
        return False
    return stamp == stem[:STAMP_CHARS]


@cached(1 << 16)  # a ledger has few days, and each names hundreds of logs
def is_date(text: str) -> bool:
    """Tell whether `text` is a real calendar date `YYYY-MM-DD`."""
    if len(text) != 10 or text[4] != "-" or text[7] != "-" or not text.isascii():
        return False
    year, month, day = text[:4], text[5:7], text[8:]
    if not (year.isdigit() and month.isdigit() and day.isdigit()):
        return False
    y, m, d = int(year), int(month), int(day)
    if not (y and 1 <= m <= 12 and d):
        return False
    leap = y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
    return d <= (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[m - 1]


def _is_clock(text: str) -> bool:
    return text.isdigit() and text.isascii() and text[:2] < "24" and text[2] < "6" > text[4]


def is_sealed(stem: str) -> bool:
    """Tell whether `stem` has the form of a sealed name (its bytes are not looked at)."""
    chars = len(stem) - STAMP_CHARS - 1
    return (
        chars in (SEAL_CHARS, WEAK_HEX)
        and stem[10] == "-"
        and stem[20] == "-"
        and is_date(stem[:10])
        and _is_clock(stem[11:20])
        and not stem[21:].strip(BASE32 if chars == SEAL_CHARS else _HEX)
    )


def is_stamp(text: str) -> bool:
    """Tell whether `text` is a whole stamp, to the millisecond."""
    return len(text) == STAMP_CHARS and is_stem(text) and _is_clock(text[11:])


def is_stem(stem: str) -> bool:
    """Tell whether `stem` is the name of a session log: sealed, unsealed, or a bare date."""
    if is_sealed(stem):
        return True
    if not is_date(stem[:10]):
        return False
    if len(stem) == 10:
        return True
    if stem[10] != "-":
        return False
    rest = stem[11:]
    # other tools add a word after the time or the date: `2026-05-01-101500-refactor`
    return len(rest) > 0 and not rest.strip("abcdefghijklmnopqrstuvwxyz0123456789-_.")


def has_time(stem: str) -> bool:
    """Tell whether a stem carries a time of day."""
    return len(stem) >= 17 and _is_clock(stem[11:17])


#: Every other byte becomes what no number has.
_AS_DIGITS = b"!" * 50 + b"qrstuv" + b"!" * 41 + b"0123456789abcdefghijklmnop" + b"!" * 133
#: A seal of fewer bits than that proves nothing against somebody who tries.
_STRONG_BITS = 128


def seal(stamp: str, data: bytes) -> str:
    """Name a log: its stamp and the first 26 base32 characters of the SHA-256 of its bytes."""
    number = int.from_bytes(sha256(data).digest()) >> 256 - 5 * SEAL_CHARS
    return f"{stamp}-{''.join([BASE32[number >> at & 31] for at in range(5 * SEAL_CHARS - 5, -1, -5)])}"


def is_weak(stem: str) -> bool:
    """Tell whether a sealed stem has so short a seal that other bytes can be made to fit it."""
    chars = len(stem) - STAMP_CHARS - 1
    return (5 if chars == SEAL_CHARS else 4) * chars < _STRONG_BITS


def proves(stem: str, digest: bytes) -> bool:
    """Tell whether what follows the stamp of a stem seals bytes with this SHA-256."""
    mark = stem[STAMP_CHARS + 1 :]
    if len(mark) == SEAL_CHARS:
        try:  # a number compares in a fraction of the time that writing the characters takes
            number = int(mark.encode().translate(_AS_DIGITS), 32)
            return number == int.from_bytes(digest) >> 256 - 5 * SEAL_CHARS
        except ValueError:
            return False
    return len(mark) == WEAK_HEX and mark == digest.hex()[:WEAK_HEX]


def breaks_seal(stem: str, data: bytes) -> bool:
    """Tell whether a stem is sealed and `data` is not what it was sealed with."""
    return is_sealed(stem) and not proves(stem, sha256(data).digest())


def log_path(stem: str) -> str:
    """Return where a log of this stem or key lives: `sessions/YYYY-MM/DD/<stem>.md`, unsealed flat."""
    if not is_sealed(stem):
        return f"{SESSIONS_DIR}/{stem.replace('+', '-')}.md"
    return f"{SESSIONS_DIR}/{stem[:7]}/{stem[8:10]}/{stem}.md"


FILE_MODE = "100644"
#: Files that people and tools put beside logs, and that mean nothing.
_BESIDE = ("INDEX", "README", ".gitkeep")


class LogRef(Record):
    """One log of the set.

    `key` is what `key_of` makes of the stem; when two logs share a stem and differ in bytes, the second
    and later ones (by blob id) have `~<blob>` behind it, which still sorts right behind it.
    """

    key: str
    path: str
    blob: str

    @property
    def stem(self) -> str:
        """The log's name."""
        return stem_in(self.key)


def log_refs(
    rows: Iterable[tuple[str, str, str]], prefix: str
) -> tuple[list[LogRef], tuple[Finding, ...]]:
    """Return the logs among files, in ledger order, and what else was there.

    Rows are (mode, blob id, path from the repository's root) of files below the sessions folder; paths
    in the result are relative to `prefix`, the home's.
    """
    cut = len(prefix)
    by_stem: dict[str, LogRef] = {}
    twins: dict[str, list[LogRef]] = {}
    findings: list[Finding] = []
    for mode, blob, full in rows:
        path = full[cut:]
        stem = stem_of(path)
        sealed = is_sealed(stem)
        if mode != FILE_MODE or not sealed:
            finding = _odd(mode, path, stem)
            if finding is not None:
                findings.append(finding)
                if finding.code != "date-only-name":
                    continue
            elif not is_stem(stem):
                continue
        ref = LogRef._make((stem if sealed else key_of(stem), path, blob))
        if stem in by_stem:
            twins.setdefault(stem, [by_stem[stem]]).append(ref)
        else:
            by_stem[stem] = ref
    for stem, refs in twins.items():
        distinct = {ref.blob: ref for ref in sorted(refs, reverse=True)}
        first, *others = [distinct[blob] for blob in sorted(distinct)]
        by_stem[stem] = first
        for ref in others:
            key = f"{ref.key}~{ref.blob}"
            by_stem[key] = ref._replace(key=key)
            both = " and ".join(sorted((ref.path, first.path)))
            said = f"{both} are both named {stem} and differ; both are read"
            hint = "if one of them is a copy that was changed, say so in a new log"
            findings.append(Finding("duplicate-stem", said, ref.path, hint=hint))
    return sorted(by_stem.values()), tuple(findings)


def _odd(mode: str, path: str, stem: str) -> Finding | None:
    if mode != FILE_MODE:
        return Finding(
            "not-a-file",
            f"{path} has mode {mode}; only ordinary files are read",
            path,
            hint="a link, a submodule or an executable is never a session log",
        )
    if not is_stem(stem):
        name = path[path.rfind("/") + 1 :]
        if stem in _BESIDE or name in _BESIDE:
            return None
        return Finding(
            "bad-name",
            f"{path} is not named like a session log and is not read",
            path,
            hint=f"logs are named {SESSIONS_DIR}/YYYY-MM-DD-HHMMSS.md; diurna append names them",
        )
    if not has_time(stem):
        return Finding("date-only-name", f"{path} has no time of day in its name", path)
    return None
