"""What the tests of odd repositories share: marks, and that every command refuses alike."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from ledger.errors import UnsupportedRepository, WaitsInSpool, WriteRefused
from ledger.home import discover
from memory.api import Memory
from rituals.setup.home_setup import plan_setup
from tests.campaigns.homes import IN_TREE, KINDS, OWN_REPOSITORY, WRITERS, draft, open_memory, shape
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import sampled

both_writers = pytest.mark.parametrize("writer", WRITERS)
every_kind = pytest.mark.parametrize("kind", KINDS)
#: Each kind and each writer; all pairs of them in a campaign.
kinds_and_writers = pytest.mark.parametrize(("kind", "writer"), sampled(product(KINDS, WRITERS), 5))
in_work_tree = pytest.mark.parametrize("kind", [IN_TREE, OWN_REPOSITORY])
ROOT = Path(__file__).parent.parent


def waits(folder: Path, writer: str, name: str, reason: str) -> str:
    """Append where that is impossible; check the sentence and that nothing changed. Return the stem."""
    before = shape(folder)
    memory = open_memory(folder, writer)
    with pytest.raises(WaitsInSpool, match=reason) as refused:
        memory.append(draft(name))
    assert shape(folder) == before
    assert refused.value.stem in str(refused.value)
    assert refused.value.hint
    assert memory.waiting() == [refused.value.stem]
    with pytest.raises(WriteRefused, match=reason):
        memory.publish()
    assert shape(folder) == before
    assert memory.continuity(), "reading goes on"
    return refused.value.stem


def refused_everywhere(folder: Path, said: str, *, hint: str = "") -> None:
    """Check that no command works here, each says why, and nothing changed."""
    before = shape(folder)
    for action in (
        lambda: discover(str(folder)),
        lambda: Memory.open(str(folder)),
        lambda: plan_setup(str(folder), "", "", "p"),
        lambda: plan_setup(str(folder), "", "memory", "p"),
    ):
        with pytest.raises(UnsupportedRepository, match=said) as refused:
            action()
        assert hint in refused.value.hint
        assert refused.value.hint
    assert shape(folder) == before


def git_files(folder: Path) -> dict[str, bytes]:
    """Return every file of a git directory but Diurna's own, for one that git can not answer about."""
    files = [path for path in (folder / ".git").rglob("*") if path.is_file()]
    inside = {path.relative_to(folder / ".git").as_posix(): path for path in files}
    return {name: path.read_bytes() for name, path in inside.items() if name[:7] != "diurna/"}


def edit_config(folder: Path, text: str) -> None:
    """Write a setting that this git does not know into a repository's configuration."""
    config = folder / ".git" / "config"
    config.write_text(config.read_text().replace("repositoryformatversion = 0", text))
