"""Render the projection as it will be with some more logs, from the one that is there.

What a log changes is the facts that it names and those that fade because it counts; a whole archive need
not be rendered for it. Which blobs a whole rendering has is noted in the cache for a few sets of logs:
only a committed projection that is one of them is brought forward, anything else is rendered anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ledger.errors import TipMoved
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import CONTINUITY_FILE, VIEW_FILES, quarter_of
from ledger.model.logset import LogRef
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.replay.replayed_state import state_of
from memory.worktree.page_copies import edited_copies, edited_finding
from memory.worktree.projection_files import (
    Rendering,
    is_projection,
    projection_files,
    standing_files,
)
from projection.document.archive_pages import revise
from projection.document.page_renderer import render
from projection.fold.fold import collect
from projection.fold.full_replay import State
from projection.fold.projection_state import CLOSED, FADED, DecayClock, Standing
from projection.fold.tiers import Decay, never_decaying, stand

#: Gives the bytes of an object.
Read = Callable[[str], bytes]

#: The number of logs from which a whole rendering is as fast.
_FEW = 200
#: How many of the newest work logs are looked at before all of them are.
_RECENT = 500


def forecast(
    cache: Cache,
    refs: Sequence[LogRef],
    entries: Sequence[Entry],
    committed: Mapping[str, str],
    read: Read,
) -> Rendering | None:
    """Render the projection of a cache's logs and some more; None if another process moved the cache.

    `cache` is as of the commit without them; entries come in the order of `refs`; `committed` is path
    -> blob id of the projection files in that commit; `read` gives an object's bytes.
    """
    commit = cache.commit
    committed = {path: blob for path, blob in committed.items() if is_projection(path)}
    few = entries and len(entries) <= _FEW and not _moves_quarters(cache, entries)
    if few and cache.rendered() == committed:
        before, cut = cache.clock(), cache.cut

        def answer(supposed: Cache) -> tuple[str, Rendering] | None:
            if supposed.cut != cut:
                return None  # all of the archive may be another
            return supposed.summary.digest, _revised(supposed, before, entries, committed, read)

        found = cache.supposing(refs, entries, answer)
        if found is not None:
            cache.note_rendered(found[0], found[1].blobs)
            return found[1]
    state = cache.supposing(refs, entries, state_of) if cache.commit == commit else None
    if state is None:
        return None
    made = projection_files(state)
    cache.note_rendered(state.summary.digest, made.blobs)
    return made


def published_with(
    home: Home,
    cache: Cache,
    tip: str,
    refs: list[LogRef],
    entries: list[Entry],
    logs: Sequence[bytes] = (),
) -> tuple[list[tuple[str, bytes | None]], list[Finding]]:
    """Render what a commit of new logs brings of the projection, unless something there is a person's.

    `tip` is what the commit is built on, and `cache` is as of it; entries come in the order of `refs`,
    the new logs; `logs` are their bytes.

    Returns:
        (path relative to the home, bytes or None to take it out) of what changes, or what is in the way.

    Raises:
        TipMoved: the cache followed a branch that moved meanwhile.
    """

    def read(blob: str) -> bytes:
        (data,) = home.repository.git().blobs([blob])
        return data or b""

    rows = standing_files(home, tip, cache.policy.view_files)
    rendered = cache.ever_rendered()
    committed = {path: blob for _, blob, path in rows if is_projection(path)}
    if len(committed) < len(rows) or not rendered.issuperset(committed.items()):
        from memory.worktree.page_authorship import findings_in, left_alone

        def state() -> State:
            then = cache.supposing(refs, entries, state_of)
            if then is None:
                raise TipMoved(home.reference)
            return then

        left = left_alone(home, tip, state, cache.policy, rendered=rendered, fresh=logs)
        if left:
            return [], list(findings_in(left))
    files = forecast(cache, refs, entries, committed, read)
    if files is None:
        raise TipMoved(home.reference)
    if home.checked_out:
        edited = edited_copies(home, {CONTINUITY_FILE, *files.blobs, *committed}, committed)
        if edited:
            return [], [edited_finding(path) for path in sorted(set(edited))]
    return list(files.changes(committed)), []


def _moves_quarters(cache: Cache, entries: Sequence[Entry]) -> bool:
    """Tell whether facts that faded before may have to change pages.

    A late work log moves up the log at which they crossed over. Where all logs from it on are of
    one quarter, so is every page.
    """
    stems = [entry.stem for entry in entries if entry.work]
    newest = max(cache.summary.last_session, *stems, "")
    return bool(stems) and quarter_of(min(stems)) != quarter_of(newest)


def _revised(
    cache: Cache,
    before: DecayClock,
    entries: Sequence[Entry],
    committed: Mapping[str, str],
    read: Read,
) -> Rendering:
    """Render what logs change that a cache has for the moment; `before` is its clock without them."""

    def text_of(path: str) -> str:
        blob = committed.get(path, "")
        return read(blob).decode("utf-8", "surrogateescape") if blob else ""

    clock = cache.clock()
    names = {*collect(entries), *cache.crossing(before, clock), *cache.closed_threads(clock)}
    changed = revise(text_of, _standings(cache, names, clock))
    changed[CONTINUITY_FILE] = render(cache.view())
    views = cache.policy.view_files
    if views:
        from memory.cache.fact_groups import source_of_cache
        from projection.views.view_table import published

        source = source_of_cache(cache, [VIEW_FILES[path] for path in views])
        changed.update({path: published(VIEW_FILES[path], source) for path in views})
    blobs, bodies = dict(committed), {}
    for path, text in changed.items():
        if text is None:
            blobs.pop(path, None)
            continue
        bodies[path] = text.encode("utf-8", "surrogateescape")
        blobs[path] = blob_id(bodies[path])
    return Rendering(blobs, bodies)


def _standings(cache: Cache, names: Iterable[str], clock: DecayClock) -> dict[str, Standing | None]:
    lasting = never_decaying(cache.policy)
    found: dict[str, Standing | None] = {}
    recent: list[str] | None = None
    for name in names:
        fact = cache.fact(name)
        if fact is None:
            found[name] = None
            continue
        standing = stand(fact, clock, lasting)
        if standing.reason in (FADED, CLOSED):  # its page is that of the log at which it crossed
            if recent is None:
                recent = cache.work_stems(_RECENT)
            first = min(fact.anchor, fact.closed_at or fact.anchor)
            known = len(recent) < _RECENT or first >= recent[0]
            work = recent if known else cache.work_stems()
            standing = stand(fact, clock, lasting, Decay(work, cache.policy.windows))
        found[name] = standing
    return found
