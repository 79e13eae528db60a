"""Render the pages of a join by what its logs change: of the archive only the quarters in which that is.

The archive grows for ever, and hardly any of it changes. So the cache keeps of which logs it was rendered
last, and as which files. What comes out is, byte for byte, what rendering everything gives; where the
cache does not know enough for that, everything is rendered.
"""

from __future__ import annotations

import marshal
from bisect import bisect_left

from ledger.errors import ObjectMissing
from ledger.model.ids import blob_id
from ledger.model.layout import ARCHIVE_DIR, ARCHIVE_INDEX, CONTINUITY_FILE, archive_page
from memory.cache.schema import plain
from memory.cache.stamp import unpack
from memory.worktree.rendered_pages import Rendering, projection_files
from projection.document.archive_pages import (
    index_line,
    index_lines,
    index_page,
    quarter_page,
)
from projection.document.page_renderer import render
from projection.fold.fold import collect
from projection.fold.live_view import Decay, log_digest, never_decaying, set_digest, stand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.remote.tree_merge import Read
    from memory.cache.cache_file import Cache

#: Behind more logs than that everything is rendered.
_MOST_LOGS = 500


def render_pages(cache: Cache, standing: Mapping[str, str], read: Read) -> Rendering:
    """Render every projection file of the logs in a cache.

    Args:
        cache: at a commit, or as `Cache.supposing` gives it.
        standing: path -> blob id of what a commit has where projection files belong: those are stored.
        read: gives the bytes of a blob.
    """
    rendered = _changed_pages(cache, standing, read)
    if rendered is None:
        from memory.replay.state_as_of import state_of

        rendered = projection_files(state_of(cache))
    archive = {path: blob for path, blob in rendered.blobs.items() if path[:8] == ARCHIVE_DIR + "/"}
    of = cache.summary.logs, cache.summary.digest, plain(cache.policy), sorted(cache.cut)
    return rendered._replace(archive=marshal.dumps((*of, archive)))


def _changed_pages(cache: Cache, standing: Mapping[str, str], read: Read) -> Rendering | None:
    """Render what changed since the cache kept an archive; None where it is not known what did."""
    row = cache.row("SELECT value FROM meta WHERE key = 'archive'")
    if row is None or cache.policy.view_files:
        return None
    logs, digest, policy, cut, archive = unpack(row[0], tuple)
    more = cache.summary.logs - logs
    if not 0 < more <= _MOST_LOGS or policy != plain(cache.policy) or cut != sorted(cache.cut):
        return None
    rows = cache.logs("ORDER BY number DESC LIMIT ?", (more,))
    terms = [log_digest(ref.key, ref.blob) for ref, _ in rows]
    if set_digest([int(digest, 16), *terms]) != cache.summary.digest:
        return None  # other logs than these were added, or some are gone
    # what had faded before the first of these logs stays where it is, if none of them names it
    work, lasting = cache.work_stems(), never_decaying(cache.policy)
    decay = Decay(work, cache.policy.windows)
    clock = decay.clock()
    before = decay.clock(bisect_left(work, min([ref.key for ref, _ in rows])))
    changed = {*collect([entry for _, entry in rows]), *cache.maybe_live(before)}
    view = cache.view()
    away = changed.difference([one.fact.id for one in view.live])
    found = {one.id: stand(one, clock, lasting, decay) for one in cache.some_facts(away)}
    try:
        index = read(archive[ARCHIVE_INDEX]).decode("utf-8", "surrogateescape") if archive else ""
    except ObjectMissing:
        return None
    lines = index_lines(index)
    quarters: dict[str, list[str]] = {}
    for fact in changed:
        at = bisect_left(lines, f"- {fact} — ")
        if lines[at : at + 1] and lines[at].startswith(f"- {fact} — "):
            quarters[lines.pop(at)[-10:-3]] = []
        if fact in found and found[fact].reason:
            lines.insert(at, index_line(found[fact]))
            quarters[found[fact].quarter] = []
    for line in [line for line in lines if line[-10:-3] in quarters]:
        quarters[line[-10:-3]].append(line[2 : line.index(" — ")])
    texts = {CONTINUITY_FILE: render(view)}
    if lines:
        texts[ARCHIVE_INDEX] = index_page(lines)
    for quarter, facts in quarters.items():
        if facts:
            all_of_it = [stand(one, clock, lasting, decay) for one in cache.some_facts(facts)]
            texts[archive_page(quarter)] = quarter_page(quarter, all_of_it)
    renewed = {ARCHIVE_INDEX, *map(archive_page, quarters)}
    same = {path: blob for path, blob in archive.items() if path not in renewed}
    if any(standing.get(path) != blob for path, blob in same.items()):
        return None
    bodies = {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}
    return Rendering({**same, **{path: blob_id(data) for path, data in bodies.items()}}, bodies)
