"""Forecasting: a projection brought forward log by log is that of the whole ledger, byte for byte."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.model.sha256 import blob_id
from memory.cache.cache_file import open_cache
from memory.cache.rebuild import build
from memory.worktree.forecast import forecast
from memory.worktree.projection_files import projection_files
from projection.document.archive_pages import pages, revise
from projection.policy.model import Policy
from tests.conftest import examples
from tests.made_histories import LAW, Logged, ledgers, policies, replayed

#: An example compares up to 24 states of a ledger.
FEW = settings(LAW, max_examples=examples(20))


@FEW
@given(ledgers(24), policies, st.lists(st.integers(1, 3), min_size=24, max_size=24))
def test_a_forecast_is_the_whole_rendering(
    logs: list[Logged], policy: Policy, steps: list[int]
) -> None:
    """In any order of arrival, some logs at a time, whatever was rendered before."""
    cache = build("", "0", [], [], (), ("", policy, ""))
    store: dict[str, bytes] = {}
    committed: dict[str, str] = {}
    at = 0
    for step in steps:
        new = logs[at : at + step]
        if not new:
            break
        refs, entries = [log.ref for log in new], [log.entry for log in new]
        assert at == 0 or cache.rendered() == committed
        made = forecast(cache, refs, entries, committed, store.__getitem__)
        at += step
        assert made is not None
        whole = projection_files(replayed(logs[:at], policy))
        assert made.blobs == {path: blob_id(data) for path, data in whole.items()}
        store.update({blob_id(data): data for data in made.bodies.values()})
        for path, blob in made.against(committed):
            assert (store[blob] if blob else None) == whole.get(path)
            committed.pop(path, None)
            if blob:
                committed[path] = blob
        assert committed == made.blobs
        cache.advance(str(at - step) if at > step else "0", str(at), refs, entries, ())
    cache.close()


@FEW
@given(ledgers(), policies, ledgers(), policies)
def test_revising_an_archive_gives_the_other_one(
    before: list[Logged], one: Policy, after: list[Logged], two: Policy
) -> None:
    """From the archive of any ledger to that of any other, when all facts of both are looked at."""
    old = pages(replayed(before, one).standings())
    state = replayed(after, two)
    new = pages(state.standings())
    names = {*replayed(before, one).histories, *state.histories}
    changed = revise(lambda path: old.get(path, ""), {name: state.get(name) for name in names})
    result = {path: text for path, text in {**old, **changed}.items() if text is not None}
    assert result == new


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
    other = open_cache(path)
    assert other.advance("0", "1", [], [], ())
    nothing: dict[str, bytes] = {}
    assert forecast(cache, [], [], {}, nothing.__getitem__) is None
    other.close()
    cache.close()
