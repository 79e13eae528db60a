"""Check the cache and the index of recall against a replay (fault:M5)."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.model.layout import CONTINUITY_FILE
from memory.replay.replayed_state import cold_state
from memory.worktree.projection_files import changes, projection_files
from projection.document.page_renderer import render
from rituals.check.doctor.doctor_values import REBUILD, Noticed, mended_by
from rituals.check.survey import Survey


def cache_noticed(survey: Survey) -> Iterator[Noticed]:
    """Compare what the cache says with a replay that does not ask it; the ledger is right (fault:M5)."""
    memory = survey.memory
    tip = survey.home.tip()
    if not survey.deep or not tip:
        return
    warm = projection_files(memory.tip_state())
    view = render(memory.ask(lambda cache: cache.view(), committed=True))
    replayed = cold_state(memory.snapshot.tip, tip, survey.progress)
    if any(finding.code == "unreadable" for finding in replayed.findings()):
        return  # the cache may well know what a lost log says
    cold = projection_files(replayed)
    wrong = [path for path, _ in changes(cold, {p: _blob(d) for p, d in warm.items()})]
    if (
        view.encode("utf-8", "surrogateescape") != cold[CONTINUITY_FILE]
        and CONTINUITY_FILE not in wrong
    ):
        wrong.insert(0, CONTINUITY_FILE)
    if wrong:
        yield mended_by(
            "cache-differs",
            f"the cache disagrees with the ledger: {', '.join(wrong)}",
            REBUILD,
            "rebuild the cache from the ledger",
            then="rebuilds it from the ledger, which is right",
        )


def index_noticed(survey: Survey) -> Iterator[Noticed]:
    """Compare the index of recall with one that is made of the ledger now (fault:M5)."""
    from memory.recall.index.index_catch_up import index_file
    from memory.recall.index.index_check import index_differs

    if not survey.deep or not survey.home.tip():
        return
    if index_differs(survey.memory.snapshot, survey.progress):
        yield mended_by(
            "cache-differs",
            "the index of recall disagrees with the ledger",
            REBUILD,
            "rebuild the index of recall from the ledger",
            then="rebuilds it from the ledger, which is right",
            target=index_file(survey.home),
        )


def _blob(data: bytes) -> str:
    from ledger.model.sha256 import blob_id

    return blob_id(data)
