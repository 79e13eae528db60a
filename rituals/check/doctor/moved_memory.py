"""Look whether memory moved: what still stands where it was before, and whether it moved from here."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.model.findings import Finding
from ledger.model.layout import MOVED_FILE
from rituals.check.doctor.doctor_values import Noticed
from rituals.check.survey import Survey
from rituals.setup.strays import strays


def moved_noticed(survey: Survey) -> Iterator[Noticed]:
    """Tell of logs in the old place, which a sync joins, and of a home that is an old place itself."""
    home = survey.home
    found = strays(survey.memory)
    if found:
        many = "1 log stands" if len(found) == 1 else f"{len(found)} logs stand"
        said = f"{many} where this memory was before it moved"
        yield Noticed(Finding("home-moved", said, hint="`diurna sync` joins them"))
    tip = home.tip()
    if tip and home.repository.git().resolve(f"{tip}:{home.prefix}{MOVED_FILE}")[0]:
        said = f"this memory moved: {home.prefix}{MOVED_FILE} says where it is"
        hint = "what is recorded here is joined to it by `diurna sync` there"
        yield Noticed(Finding("home-moved", said, MOVED_FILE, hint=hint))
