"""Times as people write them: what each names, and that a bound keeps just the logs of what it names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ledger.errors import NotFound
from ledger.model.instants import FORMS, as_of, since, span_of, until
from ledger.model.log_names import milliseconds_of
from tests.conftest import each_row

#: A Tuesday.
NOW = milliseconds_of("2026-03-31-120000250")
DAY = "{}T00:00:00.000", "{}T23:59:59.999"

MOMENTS = {
    "now": ("2026-03-31T12:00:00.250",) * 2,
    "2026-03-02T14:30": ("2026-03-02T14:30:00.000", "2026-03-02T14:30:59.999"),
    "2026-03-02 14:30:05": ("2026-03-02T14:30:05.000", "2026-03-02T14:30:05.999"),
    "2026-03-02T14:30:05.25Z": ("2026-03-02T14:30:05.250",) * 2,
    "2026-03-02t14:30:05,123456789 utc": ("2026-03-02T14:30:05.123",) * 2,
    "2026-03-02T00:30+02": ("2026-03-01T22:30:00.000", "2026-03-01T22:30:59.999"),
    "2026-03-02T23:59:59+14:00": ("2026-03-02T09:59:59.000", "2026-03-02T09:59:59.999"),
    "2026-03-02T23:30-0330": ("2026-03-03T03:00:00.000", "2026-03-03T03:00:59.999"),
    "20260302T143005Z": ("2026-03-02T14:30:05.000", "2026-03-02T14:30:05.999"),
    "yesterday 09:15": ("2026-03-30T09:15:00.000", "2026-03-30T09:15:59.999"),
    "2 hours ago": ("2026-03-31T10:00:00.250",) * 2,
    "48h": ("2026-03-29T12:00:00.250",) * 2,
    "45 secs ago": ("2026-03-31T11:59:15.250",) * 2,
    "2026-02": ("2026-02-01T00:00:00.000", "2026-02-28T23:59:59.999"),
}
DAYS = {
    "2026-03-02": "2026-03-02",
    "20260302": "2026-03-02",
    "today": "2026-03-31",
    "Yesterday": "2026-03-30",
    "3 days ago": "2026-03-28",
    "999d": "2023-07-06",
    "2 weeks ago": "2026-03-17",
    "999999 days ago": "1970-01-01",
}


def instant(milliseconds: int) -> datetime:
    """Return the instant in Python's own calendar."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)


def written(span: tuple[int, int] | None) -> tuple[str, ...]:
    """Write a span as two instants."""
    return tuple(
        instant(at).isoformat(timespec="milliseconds").removesuffix("+00:00") for at in span or ()
    )


@each_row("said", MOMENTS)
def test_a_moment_or_a_stretch(said: str) -> None:
    """Each form names what a calendar says."""
    assert written(span_of(said, NOW)) == MOMENTS[said]


@each_row("said", DAYS)
def test_a_day_is_all_of_it(said: str) -> None:
    """A day reaches from its first millisecond to its last."""
    assert written(span_of(said, NOW)) == tuple(one.format(DAYS[said]) for one in DAY)
    assert since(said, NOW) == until(said, NOW) == as_of(said, NOW) == DAYS[said]


@each_row(
    "said",
    ["", "soon", "2026-02-29", "2026-13", "20260230", "2026-03-02T24:00", "2026-03-02T1:00",
     "2026-03-02T10:60", "2026-03-02T10:00:61", "2026-03-02T10:00+14:01", "2026-02-30T10:00", "tomorrowish", "last soon",
     "days ago", "many days ago", "5 ms ago", "3 dayss ago", "٣ days ago", "a day", "123456d", "1234567d",
     "deadbee", "HEAD~3", "main", "2026", "yesterday noon", "noon", "last week", "monday", "an hour ago"],
)  # fmt: skip
def test_what_is_no_time(said: str) -> None:
    """What is none stays what it is: the name of a commit for instance; a bound says which forms there are."""
    assert span_of(said, NOW) is None
    assert as_of(said, NOW) == said
    if said:
        with pytest.raises(NotFound) as refused:
            since(said, NOW)
        assert FORMS in refused.value.hint and "diurna" not in refused.value.hint


def test_what_the_refusal_names_is_understood() -> None:
    """Every form that the hint names is one."""
    forms = "2026-11-21, 2026-11, 2026-11-21T14:30, now, today, yesterday 14:30, 3 days ago, 48h"
    for form in forms.split(", "):
        assert form in FORMS and span_of(form, NOW)


@pytest.mark.parametrize("said", ["", "2026-03-02", "2026-03-02-0915", "2026-03-02-091500123-ahxe"])
def test_stems_stay(said: str) -> None:
    """A stem, the start of one, and a date are compared with stems as they are."""
    assert (since(said, NOW), until(said, NOW), as_of(said, NOW)) == (said, said, said)
