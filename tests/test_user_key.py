"""The key of a user."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.wal.user_key import user_key


def test_a_users_key_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of theirs that need not be there yet; cut short, or open to others, it is none any more."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "new/state"))
    file, keys = tmp_path / "new/state/diurna/key", [user_key()]
    assert len(keys[0]) == 32 and keys[0] == user_key() == file.read_bytes()
    file.chmod(0o640)
    keys.append(user_key())
    file.write_bytes(keys[1][:31])
    keys.append(user_key())
    assert len(set(keys)) == 3 and file.read_bytes() == keys[2]
    assert len(list(file.parent.iterdir())) == 1
