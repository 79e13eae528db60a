"""Objects that did not reach the disk, or were damaged on it: noticed, named and made again (fault:A14 to fault:A16)."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pygit2.enums import ObjectType

from ledger.errors import DiurnaError, WaitsInSpool
from ledger.git.commit_record import Commit
from ledger.git.pygit2_store import Store
from ledger.model.layout import JOURNAL_FILE
from ledger.model.sha256 import blob_id
from tests.append_faults import ROOT, Tried, both, object_file, place
from tests.campaigns import forks
from tests.campaigns.homes import KINDS, OWN_BRANCH, draft, git, hermetic, users_files

__all__ = ["hermetic", "place"]


@both
@pytest.mark.parametrize(
    ("how", "stubborn"), (("short", False), ("empty", True), ("empty", False), ("other", True))
)
def test_a14_the_disk_lies_about_a_log(place: Path, writer: str, how: str, stubborn: bool) -> None:
    """A log is acknowledged only after its bytes were read back; they are written a second time.

    Where the disk goes on lying the log waits, and the next append writes it again.
    """
    tried = Tried(place, writer)
    memory = tried.open()
    made: Any = memory._committer.writer()
    whole = made.commit

    def lying(wanted: Commit, *show: Callable[[], None]) -> str:
        commit: str = whole(wanted, *show)
        (log,) = [data for path, data in wanted.files if "sessions/" in path and data]
        file = object_file(tried.home, blob_id(log))
        data = {"short": file.read_bytes()[:-7], "empty": b"", "other": zlib.compress(b"blob 1\0x")}
        file.write_bytes(data[how])
        return commit

    made.commit = lying
    if stubborn:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("memory.write.branch_lock.Branch.remake_locked", lambda _: [])
            with pytest.raises(WaitsInSpool, match="did not reach the disk whole"):
                memory.append(draft("second"))
    else:
        receipt = memory.append(draft("second"))
        assert [one.code for one in receipt.findings] == ["object-mended"]
        tried.acknowledged[receipt.stem] = receipt.data
        assert tried.status() == tried.kept_status
        tried.assert_whole()
    assert users_files(place) == tried.kept_users
    tried.assert_next_append_works("second")


@pytest.mark.parametrize("kind", (ObjectType.TREE, ObjectType.COMMIT))
def test_a14_the_disk_lies_about_a_tree_or_commit(place: Path, kind: ObjectType) -> None:
    """The branch does not move to what can not be read back."""
    tried = Tried(place, "pygit2")
    memory = tried.open()
    store: Any = memory._committer.writer()
    whole = store._odb
    damaged: list[Path] = []

    class Lying:
        read = staticmethod(whole.read)

        @staticmethod
        def write(of: ObjectType, data: bytes) -> object:
            made = whole.write(of, data)
            if of == kind:
                file = object_file(tried.home, str(made))
                file.write_bytes(file.read_bytes()[:-5])
                damaged.append(file)
            return made

    store._odb = Lying()
    with pytest.raises(WaitsInSpool):
        memory.append(draft("second"))
    assert tried.home.tip() == tried.tip
    for file in damaged:
        file.unlink(missing_ok=True)  # it was written once more
    tried.assert_nothing_moved()
    tried.assert_next_append_works("second")


@both
@pytest.mark.parametrize("kind", KINDS)
def test_a15_power_cut_after_the_acknowledgement(place: Path, writer: str, kind: str) -> None:
    """Objects and branch are as they were before, the spool was flushed: the next append has it all."""
    tried = Tried(place, writer, kind)
    common = Path(tried.home.repository.commondir)
    before = {path for path in (common / "objects").rglob("*") if path.is_file()}
    receipt = tried.append("second")
    for path in (common / "objects").rglob("*"):
        if path.is_file() and path not in before:
            path.unlink()
    (common / tried.home.reference).write_text(tried.tip + "\n")
    for log in (common / "logs").rglob("*"):
        if log.is_file():
            log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    del tried.acknowledged[receipt.stem]
    assert tried.open().cold_state().get("second") is None
    tried.acknowledged[receipt.stem] = receipt.data
    tried.assert_next_append_works("second")


def test_a15_the_spool_is_flushed_before_any_object_is_written(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One fsync, of the log's copy: what was acknowledged is on the disk, whatever git does."""
    tried = Tried(place, "pygit2")
    memory = tried.open()
    order: list[str] = []
    whole = os.fsync

    def flushed(fd: int) -> None:
        order.append(os.readlink(f"/proc/self/fd/{fd}") if os.path.isdir("/proc/self/fd") else "")
        whole(fd)

    store: Any = memory._committer.writer()
    commit = store.commit

    def noted(wanted: Commit, *show: Callable[[], None]) -> object:
        order.append("commit")
        return commit(wanted, *show)

    store.commit = noted
    monkeypatch.setattr(os, "fsync", flushed)
    receipt = memory.append(draft("second"))
    assert order[-1] == "commit"
    assert len(order) == 2
    assert order[0] in ("", f"{tried.home.spool_folder}/{receipt.stem}")
    kept = Path(tried.home.spool_folder) / "kept" / receipt.stem
    assert kept.read_bytes() == receipt.data
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a15_copies_are_let_go_only_after_a_flush_and_a_look(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log whose object was lost meanwhile is written again, not forgotten."""
    monkeypatch.setattr("memory.repair.lost_blobs.KEEP", 6)
    tried = Tried(place, "pygit2", OWN_BRANCH)
    lost = tried.append("second")
    object_file(tried.home, blob_id(lost.data)).unlink()  # and the cache still has the log
    synced: list[int] = []
    memory = tried.open()
    monkeypatch.setattr(os, "sync", lambda: synced.append(len(memory._committer.spool.kept())))
    receipts = [memory.append(draft(f"more-{number}")) for number in range(4)]
    assert synced == [6]
    assert memory._committer.spool.kept() == []
    tried.acknowledged |= {one.stem: one.data for one in receipts}
    tried.assert_whole()
    assert memory.cold_state().get("second") is not None
    codes = [one.code for receipt in receipts for one in receipt.findings]
    assert codes == ["object-mended"]


@both
@pytest.mark.parametrize(("how", "cached"), (("empty", True), ("empty", False), ("short", False)))
def test_a16_a_damaged_log_is_named_and_written_again(
    place: Path, writer: str, cached: bool, how: str
) -> None:
    """Reading goes on without it and names it; the next append writes it again from the spool."""
    tried = Tried(place, writer)
    lost = tried.append("second")
    file = object_file(tried.home, blob_id(lost.data))
    file.write_bytes(b"" if how == "empty" else file.read_bytes()[:-9])
    if not cached:
        Path(tried.home.cache_file + ".sqlite").unlink()
    state = tried.open().cold_state()
    assert state.get("second") is None
    assert state.get("first") is not None
    (named,) = [one for one in state.findings() if one.code == "unreadable"]
    assert blob_id(lost.data) in named.message
    assert lost.path in named.file
    receipt = tried.append("third")
    (mended,) = [one for one in receipt.findings if one.code == "object-mended"]
    assert blob_id(lost.data) in mended.message
    common = Path(tried.home.repository.commondir)
    assert blob_id(lost.data) in (common / JOURNAL_FILE).read_text()
    assert [one.name.startswith("objects%2F") for one in (common / "diurna/stale").iterdir()] == [
        True
    ]
    tried.assert_next_append_works("second", "third")


def test_a16_an_object_cut_short_ends_no_reading(place: Path) -> None:
    """Reading through libgit2, as many logs are read, goes past it and names it."""
    tried = Tried(place, "pygit2")
    lost = tried.append("second")
    file = object_file(tried.home, blob_id(lost.data))
    whole = file.read_bytes()
    refs, _ = tried.open().snapshot.list_logs(tried.home.tip())
    for cut in (0, 2, len(whole) // 2, len(whole) - 9, len(whole) - 5, len(whole) - 1):
        file.write_bytes(whole[:cut])
        script = (
            "import resource, sys\nfrom ledger.git.pygit2_store import Store\n"
            "from ledger.home import discover\n"
            "resource.setrlimit(resource.RLIMIT_CPU, (5, 5))\n"
            "found = Store(discover(sys.argv[1]).repository).blobs(sys.argv[2:])\n"
            "print([data is not None for data in found])"
        )
        done = forks.run(["-c", script, str(place), *[ref.blob for ref in refs]], ROOT, os.environ)
        assert done.stdout == "[True, False]\n", done.stderr
    file.write_bytes(whole)
    git(place, "repack", "-q", "-a", "-d")
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(whole[:-9])
    store = Store(tried.home.repository)
    found = list(store.blobs(["0" * 40, blob_id(lost.data)]))
    assert found == [None, lost.data], "what is missing has its place; the packed copy is whole"


@pytest.mark.parametrize("noted", (True, False))
@pytest.mark.parametrize("spec", ("{tip}", "{tip}^{{tree}}"))
def test_a16_a_tip_cut_short_ends_no_append(place: Path, spec: str, noted: bool) -> None:
    """It is made again; where nothing was noted the writer refuses, and says which object."""
    tried = Tried(place, "pygit2")
    if not noted:
        (Path(tried.home.spool_folder) / "kept/commits").unlink()
    oid = git(place, "rev-parse", spec.format(tip=tried.tip)).strip()
    file = object_file(tried.home, oid)
    whole = file.read_bytes()
    file.write_bytes(whole[:-9])
    done = tried.child("resource.setrlimit(resource.RLIMIT_CPU, (5, 5))")
    if noted:
        assert done.stdout.startswith("ok "), done.stdout + done.stderr
        assert file.read_bytes() != whole[:-9]
    else:
        assert done.stdout.startswith("waits "), done.stdout + done.stderr
        assert oid in done.stdout
        file.write_bytes(whole)
    tried.assert_next_append_works("second")


@both
@pytest.mark.parametrize("spec", ("{tip}", "{tip}^{{tree}}"))
def test_a16_a_damaged_commit_or_tree_is_named(place: Path, writer: str, spec: str) -> None:
    """What can not be made from the spool is named, with a way out, and new logs wait."""
    tried = Tried(place, writer, OWN_BRANCH)
    oid = git(place, "rev-parse", spec.format(tip=tried.tip)).strip()
    file = object_file(tried.home, oid)
    whole = file.read_bytes()
    file.write_bytes(b"")
    Path(tried.home.cache_file + ".sqlite").unlink()
    with pytest.raises(DiurnaError) as read:
        tried.open().continuity()
    assert oid in str(read.value)
    assert "git fsck" in read.value.hint
    for words in ("rm ", "delete", "--force", "reset", "--hard"):
        assert words not in read.value.hint
    file.write_bytes(whole)  # as from a clone that has it
    tried.assert_next_append_works()
