"""Read the times that other tools write: dates, instants of ISO 8601, and seconds or more since 1970."""

from __future__ import annotations

from datetime import UTC, datetime

from ledger.model.order import is_date

_DAY_CHARS = 10
#: From so many on a number counts milliseconds, microseconds, nanoseconds.
_SCALES = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))


def time_of(said: object) -> str:
    """Return a time as a date or an instant (UTC); "" for what is none."""
    if isinstance(said, bool) or said is None:
        return ""
    if isinstance(said, str):
        text = said.strip()
        if text.isascii() and text.replace(".", "", 1).isdigit() and len(text) >= _DAY_CHARS - 1:
            return _since_1970(float(text)) if len(text) < 24 else ""
        return _written(text)
    return _since_1970(float(said)) if isinstance(said, int | float) else ""


def _written(text: str) -> str:
    """Read a time as it is written; one without a zone is taken as UTC, one that is odd for its day."""
    day = text[:_DAY_CHARS].replace("/", "-")
    if not is_date(day):
        return ""
    if len(text) == _DAY_CHARS:
        return day
    try:
        read = datetime.fromisoformat(day + text[_DAY_CHARS:].replace(" UTC", "Z"))
        if read.tzinfo is not None:
            read = read.astimezone(UTC)
    except (ValueError, OverflowError):
        return day
    return read.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def _since_1970(number: float) -> str:
    try:
        for least, unit in _SCALES:
            if number >= least:
                number /= unit
                break
        return (
            datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if number > 0 else ""
        )
    except (ValueError, OverflowError, OSError):
        return ""
