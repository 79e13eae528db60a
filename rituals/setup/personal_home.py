"""Set up the home of what is only the user's: a repository of its own below their data folder."""

from __future__ import annotations

import os

from ledger.errors import PolicyInvalid, WriteRefused
from ledger.git.repository import find_repository
from ledger.home import PERSONAL, personal_folder
from ledger.model.layout import POLICY_FILE
from projection.policy.model import APPEND, PACED, Policy
from projection.policy.toml import read_policy
from rituals.setup.home_setup import plan_own
from rituals.setup.setup_plan import SetupPlan


def plan_personal(project: str) -> SetupPlan:
    """Plan the personal home; `project` is the name that it is to bear, "" for the usual one.

    Raises:
        WriteRefused: something else is there; the reason is said.
    """
    place = os.path.realpath(personal_folder())
    if os.path.lexists(place) and not os.path.isdir(place):
        raise WriteRefused(f"{place} is a file", hint="move it away, or set $XDG_DATA_HOME")
    _refuse_shared(place)
    # a user may keep their whole home directory in git: that repository holds this one, and none of it
    above = find_repository(place) if os.path.isdir(place) else None
    repository = above if above is not None and above.top == place else None
    policy = Policy(project=project or PERSONAL, publish=APPEND, windows=PACED, personal=True)
    return plan_own(place, repository, policy)._replace(personal=True)


def _refuse_shared(place: str) -> None:
    """Refuse a home that is there and does not say that it is personal."""
    file = f"{place}/{POLICY_FILE}"
    try:
        with open(file, "rb") as opened:
            personal = read_policy(opened.read(), newer_ok=True).personal
    except FileNotFoundError:
        return
    except (OSError, PolicyInvalid) as problem:
        raise WriteRefused(f"{file} can not be read: {problem}", hint="mend it first") from problem
    if not personal:
        raise WriteRefused(
            f"{place} has a home that is not personal",
            where=file,
            hint="if it is only yours, add the line `personal = true` to that file and commit it",
        )
