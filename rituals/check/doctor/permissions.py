"""Check whether others on this machine can read what Diurna keeps beside the objects (fault:L15)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from ledger.model.layout import STATE_DIR
from rituals.check.doctor.doctor_values import TIGHTEN, Noticed, mended_by
from rituals.check.survey import Survey


def privacy_noticed(survey: Survey) -> Iterator[Noticed]:
    """Name the topmost folders of ours that other users can look into."""
    repository = survey.home.repository
    shared = repository.git().run("config", "--get", "core.sharedRepository", check=False)
    if shared.strip() not in (b"", b"false", b"umask", b"0"):
        return  # the owner of the repository wants a group to write to it
    for folder in (f"{repository.commondir}/{STATE_DIR}", f"{repository.gitdir}/{STATE_DIR}"):
        try:
            open_to_others = stat.S_IMODE(os.stat(folder).st_mode) & 0o077
        except OSError:
            continue
        if open_to_others:
            yield mended_by(
                "open-to-others",
                f"other users of this machine can look into {folder}, where logs wait",
                TIGHTEN,
                f"tighten {folder} to its owner",
                then="keeps it to its owner",
                target=folder,
            )
        if repository.gitdir == repository.commondir:
            break
