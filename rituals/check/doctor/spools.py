"""Check for logs that wait to be committed: in this home's spool, and in those of other homes here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import unquote

from ledger.errors import DiurnaError
from ledger.git.repository import read_reference
from ledger.home import OWN_BRANCH, branch_home
from ledger.model.findings import Finding
from ledger.model.layout import POLICY_FILE, STATE_DIR
from ledger.model.order import stamp_of
from ledger.wal.spool import Spool
from memory.cache.view_name import rides
from rituals.check.doctor.doctor_values import COMMIT, Noticed, mended_by
from rituals.check.survey import Survey
from rituals.setup.git_hooks.hook_install import HOOK_HINT, has_hook

#: How long a captured log may wait without a word of the doctor's.
_LONG_MS = 7 * 86_400_000


def spool_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of logs that wait in spools of other homes of the repository, or for long."""
    home = survey.home
    state = f"{home.repository.commondir}/{STATE_DIR}"
    own = os.path.basename(home.spool_folder)
    try:
        folders = sorted(os.listdir(state))
    except OSError:
        return
    yield from _held_long(survey)
    yield from _unhooked(survey)
    for name in folders:
        if name == own or not _is_spool(name):
            continue
        spool = Spool(f"{state}/{name}")
        left = sorted([*spool.waiting(), *spool.held()])
        if not left:
            continue
        many = "1 log waits" if len(left) == 1 else f"{len(left)} logs wait"
        branch = unquote(name.partition("@")[2])
        if branch and _is_home(survey, branch):
            yield mended_by(
                "spool-leftover",
                f"{many} for the home on the branch {branch}: {left[0]}",
                COMMIT,
                f"commit what waits for the home on {branch} ({len(left)})",
                then="commits it there",
                target=branch,
            )
            continue
        whose = f"a home on the branch {branch}" if branch else "a home in a work tree"
        yield Finding(
            "spool-leftover",
            f"{many} in {state}/{name} for {whose}, which is not there: {left[0]}",
            hint=f"`diurna append {state}/{name}/{left[0]}` says it again in this home; the "
            "copy stays",
        )


def _held_long(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of captured logs that wait for so long that nobody but this clone will have them soon."""
    held = [stem for stem in survey.memory.held() if stem < stamp_of(survey.now_ms - _LONG_MS)]
    if held:
        many = "1 captured log waits" if len(held) == 1 else f"{len(held)} captured logs wait"
        why = survey.memory.obstacle()
        yield mended_by(
            "captured-waiting",
            f"{many} for more than a week{f': {why}' if why else ''}",
            COMMIT,
            f"commit what was captured ({len(held)})",
            then="commits it, and so does the next append",
        )


def _unhooked(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell that logs wait for a person's commits, and have no way to go with them."""
    try:
        waits = rides(survey.home, survey.policy[1])
    except DiurnaError:
        return  # the policy can not be read, which others tell
    if waits and not has_hook(survey.home.repository):
        said = "logs wait for your own commits here, and no git hook lets them go with these"
        yield Finding("hook-missing", said, hint=HOOK_HINT)


def _is_spool(name: str) -> bool:
    return name == "spool" or name.startswith("spool@")


def _is_home(survey: Survey, branch: str) -> bool:
    repository = survey.home.repository
    if not read_reference(repository, f"refs/heads/{branch}"):
        return False
    found = branch_home(repository, branch)
    if survey.home.kind == OWN_BRANCH and survey.home.branch == branch:
        return False
    return bool(repository.git().resolve(f"{found.reference}:{POLICY_FILE}")[0])
