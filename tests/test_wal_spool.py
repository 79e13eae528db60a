"""The spool's folder: what counts in it as a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.model.order import seal
from ledger.wal.spool import Spool


@pytest.mark.parametrize("kept", [False, True])
def test_only_what_is_named_like_a_log_is_one(tmp_path: Path, kept: bool) -> None:
    """Oldest first, whatever the disk's order; files of other names are passed over and stay."""
    spool = Spool(str(tmp_path / "spool"))
    stems = [seal(f"2026-11-{day:02}-083012417", b"%d" % day) for day in (21, 3, 30, 12)]
    for stem, day in zip(stems, (21, 3, 30, 12), strict=True):
        spool.put(stem, b"%d" % day)
        if kept:
            spool.commit(stem)
    folder = tmp_path / ("spool/kept" if kept else "spool")
    whole = stems[0]
    others = [
        "notes", "commits", "x" * len(whole), "x" * 33, whole.upper(), whole[:-1] + "!",
        "2026-13" + whole[7:], whole[:11] + "9" + whole[12:], f"{whole}.tmp", whole[:-1],
        "2026-11-21-083012-a-long-name-abc",
    ]  # fmt: skip
    for name in others:
        (folder / name).write_text("somebody's")
    found = spool.kept() if kept else spool.waiting()
    assert found == sorted(stems)
    assert spool.parts() == []
    assert all((folder / name).read_text() == "somebody's" for name in others)
