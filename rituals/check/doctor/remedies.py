"""Find remedies for findings that other commands make, too, and only say."""

from __future__ import annotations

from ledger.model.layout import FORMAT_VERSION
from memory.worktree.projection_files import refuse_unwritable
from rituals.check.doctor.doctor_values import COMMIT, FIX_HINT, PUBLISH, Noticed, Remedy
from rituals.check.survey import Survey

#: Of logs that can not be read: a projection without them is not ours to publish.
_LOST = ("unreadable", "object-lost")


def with_remedies(survey: Survey, found: list[Noticed]) -> list[Noticed]:
    """Put a remedy beside each finding that can be mended without risk."""
    drifted = [one.finding.file for one in found if one.finding.code == "drift"]
    lost = any(one.finding.code in _LOST for one in found)
    publishes = bool(drifted) and not lost and _publishes(survey)
    mended = []
    for one in found:
        code = one.finding.code
        if code == "spool-waiting" and one.remedy is None:
            step = f"commit what waits in the spool ({len(survey.memory.waiting())})"
            hint = FIX_HINT.format("commits it, and so does the next command that writes")
            one = Noticed(one.finding._replace(hint=hint), Remedy(COMMIT, step))
        elif code == "drift" and publishes:
            hint = FIX_HINT.format("publishes it")
            remedy = Remedy(PUBLISH, f"publish {', '.join(drifted)}")
            one = Noticed(one.finding._replace(hint=hint), remedy)
        mended.append(one)
    return mended


def _publishes(survey: Survey) -> bool:
    """Tell whether a drifted projection is ours to write now: whole, and nobody's edit is in it."""
    from ledger.errors import WriteRefused

    cache = survey.memory.cache()
    if not survey.memory.publishes() or cache.policy.format > FORMAT_VERSION or cache.unread():
        return False
    try:
        refuse_unwritable(survey.home)
    except WriteRefused:
        return False
    return not (survey.memory.edited() or survey.memory.left_alone())
