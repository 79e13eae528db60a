"""The spool's folder: what counts in it as a log, and what is noted of commits beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.git.commit_record import Commit, Identity
from ledger.model.order import seal
from ledger.model.sha256 import blob_id
from ledger.wal.intents import Intent, Intents
from ledger.wal.spool import Mark, Spool
from ledger.wal.user_key import user_key


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
    assert all((folder / name).read_text() == "somebody's" for name in others)


def test_the_same_log_again_makes_a_half_written_one_whole(tmp_path: Path) -> None:
    """What bears the name and is a part of it is no reason to believe that the log is durable."""
    text = b"# As it was meant\n"
    stem = seal("2026-11-20-101500000", text)
    spool = Spool(str(tmp_path / "spool"))
    spool.put(stem, text)
    (tmp_path / "spool" / stem).write_bytes(text[:7])
    assert spool.waiting() == []
    spool.put(stem, text)
    assert (spool.waiting(), spool.read(stem)) == ([stem], text)


def test_a_mark_goes_with_its_log(tmp_path: Path) -> None:
    """Until the log is in the ledger, or taken back; one that waits again is a plain file where it is marked."""
    spool, where = Spool(str(tmp_path)), Mark("worktrees/b", "/b\udcff", "feat/x")
    stems = [seal(f"2026-11-2{n}-083012417", b"%d" % n) for n in range(3)]
    for n, stem in enumerate(stems):
        spool.put(stem, b"%d" % n, held=True, mark=where._replace(owed=n > 1))
    assert [spool.mark(stem) for stem in stems] == [where, where, where._replace(owed=True)]
    spool.withdraw(stems[1])
    (tmp_path / "held/kept").rmdir()
    for stem in stems[:1] + stems[2:]:
        spool.commit(stem)
    assert (spool.held(), [spool.mark(stem) for stem in stems]) == ([], [None] * 3)
    spool.put(stems[1], b"1")
    spool.commit(stems[1])
    spool.requeue(stems[0])
    spool.requeue(stems[1], where)
    assert (spool.held(), spool.mark(stems[0]), spool.mark(stems[1])) == (stems[:2], None, where)
    spool.forget(stems)
    assert (spool.kept(), spool.waiting()) == ([], [])


def test_what_is_noted_of_a_commit_is_read_again(tmp_path: Path) -> None:
    """Oldest first; a note that was cut short, wherever, is left out, and spoils none behind it."""
    notes, who = Intents(str(tmp_path)), Identity("Ada", "ada@a.test")
    made = Commit("refs/heads/main", "", "", (("a.md", b"One.\n"), ("b.md", None)), "Two\n\nlines", who, 1_800_000_000)  # fmt: skip
    files = (("a.md", blob_id(b"One.\n")), ("b.md", ""))
    meant = Intent("refs/heads/main", "", who.lines(1_800_000_000), "Two\n\nlines", files)
    notes.note(made)
    assert notes.read() == [meant]
    file = tmp_path / "kept" / "commits"
    for cut in range(0, len(said := file.read_bytes()), 3):
        file.write_bytes(said[:cut])
        notes.note(made, "gpgsig x")
        assert notes.read()[-1] == meant._replace(signature="gpgsig x") and len(notes.read()) <= 2
    notes.note(made._replace(parent="1" * 40, files=(("c.md", None),)))
    asked = [notes.last("refs/heads/main", "1" * 40), notes.last("refs/heads/main", "")]
    notes.forget()
    assert (asked, notes.last("refs/heads/main", "1" * 40)) == ([{"c.md": ""}, {}], {})


def test_a_users_key_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of theirs that need not be there yet; cut short, or open to others, it is none any more."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "new/state"))
    file, keys = tmp_path / "new/state/diurna/key", [user_key()]
    assert len(keys[0]) == 32 and keys[0] == user_key() == file.read_bytes()
    file.chmod(0o640)
    keys.append(user_key())
    file.write_bytes(keys[1][:31])
    keys.append(user_key())
    assert (
        len(set(keys)) == 3
        and file.read_bytes() == keys[2]
        and len(list(file.parent.iterdir())) == 1
    )
