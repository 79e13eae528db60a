"""What people see: the published projection, a person's edits of it, the policy, and the cache (M5)."""

from __future__ import annotations

from ledger.layout import CONTINUITY_FILE, FORMAT_VERSION
from memory.edits import edited_findings
from memory.publish import changes, drift_findings, projection_files, refuse_unwritable
from memory.states import cold_state
from rituals.doctor.case import FIX_HINT, PUBLISH, REBUILD, Noticed, Remedy, mended_by
from rituals.verify.logs import policy_findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.errors import DiurnaError
    from rituals.doctor.case import Case


def policy_noticed(case: Case) -> Iterator[Noticed]:
    """Tell what is wrong with the policy at the tip."""
    tip = case.home.tip()
    blob = case.memory.snapshot.policy_blob(tip)
    _, policy, problem = case.memory.snapshot.read_policy(blob)
    for finding in policy_findings(case.home, tip, blob, policy, problem):
        yield Noticed(finding)


def published_noticed(case: Case) -> Iterator[Noticed]:
    """Tell of drift and of edits; what drifted is published again where nobody edited it."""
    memory = case.memory
    edited = memory.edited()
    for finding in edited_findings(edited):
        yield Noticed(finding)
    cache = memory.snapshot.cache()
    policy, unread = cache.policy, cache.unread()
    if policy.publish != "append" or policy.format > FORMAT_VERSION or unread:
        return  # behind until somebody asks for it, not ours to write, or not to be computed
    drifted = drift_findings(list(memory.drift()))
    for number, finding in enumerate(drifted):
        if edited or _unwritable(case):
            yield Noticed(finding)
            continue
        step = f"publish {', '.join(one.file for one in drifted)}"
        remedy = None if number else Remedy(PUBLISH, step)
        yield Noticed(finding._replace(hint=FIX_HINT.format("publishes it")), remedy)


def _unwritable(case: Case) -> DiurnaError | None:
    from ledger.errors import WriteRefused

    try:
        refuse_unwritable(case.home)
    except WriteRefused as problem:
        return problem
    return None


def cache_noticed(case: Case) -> Iterator[Noticed]:
    """Compare what the cache says with a replay that does not ask it; the ledger is right (M5)."""
    memory = case.memory
    tip = case.home.tip()
    if not case.deep or not tip:
        return
    warm = projection_files(memory.state())
    view = memory.continuity().encode("utf-8", "surrogateescape")
    replayed = cold_state(memory.snapshot, tip, case.progress)
    if any(finding.code == "unreadable" for finding in replayed.findings()):
        return  # the cache may well know what a lost log says
    cold = projection_files(replayed)
    wrong = [path for path, _ in changes(cold, {p: _blob(d) for p, d in warm.items()})]
    if view != cold[CONTINUITY_FILE] and CONTINUITY_FILE not in wrong:
        wrong.insert(0, CONTINUITY_FILE)
    if wrong:
        yield mended_by(
            "cache-differs",
            f"the cache says something else than the ledger: {', '.join(wrong)}",
            REBUILD,
            "rebuild the cache from the ledger",
            then="builds it anew from the ledger, which is right",
        )


def index_noticed(case: Case) -> Iterator[Noticed]:
    """Compare the index of recall with one that is made of the ledger now (M5)."""
    from memory.recall.checking import index_differs
    from memory.recall.follow import index_file

    if not case.deep or not case.home.tip():
        return
    if index_differs(case.memory.snapshot, case.progress):
        yield mended_by(
            "cache-differs",
            "the index of recall says something else than the ledger",
            REBUILD,
            "rebuild the index of recall from the ledger",
            then="builds it anew from the ledger, which is right",
            target=index_file(case.home),
        )


def _blob(data: bytes) -> str:
    from ledger.digest import blob_id

    return blob_id(data)
