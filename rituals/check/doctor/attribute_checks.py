"""Check what git's attributes do with the home's files in plain commands (fault:H14)."""

from __future__ import annotations

from collections.abc import Iterator

from memory.worktree.merge_drivers import plan_drivers
from rituals.check.doctor.doctor_values import SET, Noticed, mended_by
from rituals.check.survey import Survey
from rituals.setup.foreign_attributes import attribute_findings


def attributes_noticed(survey: Survey) -> Iterator[Noticed]:
    """Compare the attributes that are in force, and this clone's driver, with what the format asks for."""
    for finding in attribute_findings(survey.home, survey.policy[1].view_files):
        yield Noticed(finding)
    plan = plan_drivers(survey.home, survey.policy[1].view_files)
    if plan.steps:
        yield mended_by(
            "attributes-missing",
            "this clone has no driver that keeps a plain `git pull` out of the projection",
            SET,
            "set the driver and its attributes in this clone",
            then="sets it",
        )
