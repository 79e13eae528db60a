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
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.replay.replayed_state import state_of
from memory.worktree.checkout import edited_finding, hand_edited
from memory.worktree.projection_files import is_projection, projection_files, standing_files
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


class Rendering(Record):
    """Every projection file: path -> blob id, and the bytes of those that may not be stored yet."""

    blobs: Mapping[str, str]
    bodies: Mapping[str, bytes]

    def against(self, committed: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return (path, blob) of what a commit with some files lacks; "" takes a file out."""
        found = {path: blob for path, blob in self.blobs.items() if committed.get(path) != blob}
        found.update(
            {path: "" for path in committed if path not in self.blobs and is_projection(path)}
        )
        return tuple(sorted(found.items()))


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
    if entries and len(entries) <= _FEW and cache.rendered() == committed:
        question = _Question(cache, entries, committed, read)
        found = cache.supposing(refs, entries, question.answer)
        if found is not None:
            cache.note_rendered(found[0], found[1].blobs)
            return found[1]
    with cache:
        if cache.commit != commit:
            return None
        state = state_of(cache, refs, entries)
    made = whole(state)
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
        from memory.worktree.authorship import left_alone

        def state() -> State:
            return state_of(cache, refs, entries)

        left = left_alone(home, tip, state, cache.policy, rendered=rendered, fresh=logs)
        if left:
            return [], list(left)
    files = forecast(cache, refs, entries, committed, read)
    if files is None:
        raise TipMoved(home.reference)
    if home.checked_out:
        edited = hand_edited(home, {CONTINUITY_FILE, *files.blobs, *committed}, committed)
        if edited:
            return [], [edited_finding(path) for path in sorted(set(edited))]
    changed = files.against(committed)
    return [(path, files.bodies[path] if blob else None) for path, blob in changed], []


def whole(state: State) -> Rendering:
    """Render everything anew."""
    files = projection_files(state)
    return Rendering({path: blob_id(data) for path, data in files.items()}, files)


class _Question:
    """What is asked of a cache to which the logs were added for the moment."""

    def __init__(
        self, cache: Cache, entries: Sequence[Entry], committed: Mapping[str, str], read: Read
    ) -> None:
        self._before, self._cut = cache.clock(), cache.cut
        self._newest_work = cache.summary.last_session
        self._entries, self._committed, self._read = entries, committed, read

    def answer(self, cache: Cache) -> tuple[str, Rendering] | None:
        """Return the digest and the rendering; None when all of the archive may be another."""
        if cache.cut != self._cut or self._moves_quarters():
            return None
        clock = cache.clock()
        named = collect(self._entries)
        names = {*named, *cache.crossing(self._before, clock), *cache.closed_threads(clock)}
        moved = _standings(cache, names, clock)
        changed = revise(self._text, moved)
        changed[CONTINUITY_FILE] = render(cache.view())
        views = cache.policy.view_files
        if views:
            from memory.replay.view_source import source_of_cache
            from projection.views.view_files import published

            source = source_of_cache(cache, [VIEW_FILES[path] for path in views])
            changed.update({path: published(VIEW_FILES[path], source) for path in views})
        blobs, bodies = dict(self._committed), {}
        for path, text in changed.items():
            if text is None:
                blobs.pop(path, None)
                continue
            data = text.encode("utf-8", "surrogateescape")
            blobs[path] = blob_id(data)
            bodies[path] = data
        return cache.summary.digest, Rendering(blobs, bodies)

    def _moves_quarters(self) -> bool:
        """Tell whether facts that faded before may have to change pages.

        A late work log moves up the log at which they crossed over. Where all logs from it on are of
        one quarter, so is every page.
        """
        stems = [entry.stem for entry in self._entries if entry.work]
        if not stems:
            return False
        newest = max(self._newest_work, *stems)
        return quarter_of(min(stems)) != quarter_of(newest)

    def _text(self, path: str) -> str:
        blob = self._committed.get(path, "")
        return self._read(blob).decode("utf-8", "surrogateescape") if blob else ""


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
