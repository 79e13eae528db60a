"""When a projection is not brought forward log by log (`test_projection_follows`), but rendered anew."""

from __future__ import annotations

from pathlib import Path

from memory.cache.cache_file import Cache
from memory.cache.rebuild import build
from memory.worktree.forecast import forecast
from projection.policy.model import Policy


def test_a_projection_that_is_not_the_rendering_is_not_brought_forward() -> None:
    """A page that a merge left behind, or a person changed and committed, is rendered anew."""
    cache = build("", "0", [], [], (), ("", Policy(), ""))
    cache.note_rendered(cache.summary.digest, {"continuity.md": "a" * 40})
    assert cache.rendered() == {"continuity.md": "a" * 40}
    wrong = {"continuity.md": "b" * 40}
    nothing: dict[str, bytes] = {}
    made = forecast(cache, [], [], wrong, nothing.__getitem__)
    assert made is not None
    assert made.blobs["continuity.md"] not in ("a" * 40, "b" * 40)
    assert cache.rendered() != wrong
    for number in range(9):
        cache.note_rendered(f"{number:064x}", {})
    assert cache.rendered() is None  # only the last few are remembered


def test_a_cache_that_another_process_moved_is_not_rendered_from(tmp_path: Path) -> None:
    """What would come out has logs that the commit has not: the caller is told to begin anew."""
    path = str(tmp_path / "cache.sqlite")
    cache = build(path, "0", [], [], (), ("", Policy(), ""))
    other = Cache.open(path)
    assert other.advance("0", "1", [], [], ())
    nothing: dict[str, bytes] = {}
    assert forecast(cache, [], [], {}, nothing.__getitem__) is None
    other.close()
    cache.close()
