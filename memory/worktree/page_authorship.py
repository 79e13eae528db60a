"""Tell which projection files of a commit a person wrote; they stay as they are (FORMAT.md, P5).

Every writer of projection files asks here. The answer rests on the commit, its history and its logs, so
two clones that ask about one commit get the same one.
"""

from __future__ import annotations

from ledger.errors import EditNotUnderstood
from ledger.git.committer import TipMoved
from ledger.git.git_objects import Objects
from ledger.home import Home
from ledger.model.finding_codes import Finding
from ledger.model.layout import ARCHIVE_DIR, CONTINUITY_FILE, EDITED_KEY, SESSIONS_DIR
from ledger.model.log_names import log_refs
from ledger.model.record import TYPE_CHECKING, Record
from memory.replay.page_publishing import publishes
from memory.worktree.edit_base import ever_committed, is_own, line_of, published
from memory.worktree.page_copies import (
    edited_copies,
    edited_finding,
    note_rendered,
    read_rendered,
)
from memory.worktree.rendered_pages import (
    committed_projection,
    is_projection,
    projection_files,
    standing_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ledger.model.event import Event
    from ledger.model.log_names import LogRef
    from ledger.model.session import Entry
    from memory.cache.cache_file import Cache
    from projection.fold.full_replay import State
    from projection.policy.model import Policy

#: The same of a committed file that the person edited on: the log stands for it, too.
OVER_KEY = "over"
_HEADER_LIMIT_BYTES = 4096


class Left(Record):
    """A file of a committed projection that must stay as it is."""

    file: str  #: relative to the home
    findings: tuple[Finding, ...]  #: why
    text: str = ""  #: what it holds
    events: tuple[Event, ...] = ()  #: what a log has to say before it may be written over


def left_alone(
    home: Home,
    tip: str,
    state: Callable[[], State],
    policy: Policy,
    *,
    fresh: Iterable[bytes] = (),
    tree: Callable[[], str] | None = None,
) -> tuple[Left, ...]:
    """Say which files of the projection of a commit must stay as they are; what is in the way comes alone.

    Args:
        home: the home.
        tip: the commit.
        state: gives the ledger that a new projection would be of.
        policy: of it.
        fresh: logs of that ledger which the commit has not yet.
        tree: gives one that has all logs of that ledger, where the commit has not.
    """
    rows = standing_files(home, tip, policy.view_files)
    if found := obstacles(home, rows):
        return tuple([Left(one.file, (one,)) for one in found])
    ours = {path: blob for _, blob, path in rows if is_projection(path)}
    known = read_rendered(home)
    unknown = dict(ours.items() - set(known))
    if not unknown:
        return ()
    made = ever_committed(home, tip, unknown, is_own)
    from projection.document.page_parser import has_rendered_form

    texts = _texts(home, unknown)
    before = _texts(home, {path: blob for path, blob in known if path in made})
    rendered = {path for path in made if has_rendered_form(path, texts[path], before.get(path, ""))}
    note_rendered(home, [(path, unknown[path]) for path in sorted(rendered)])
    left: list[Left] = []
    for path in sorted(texts.keys() - rendered):
        from projection.document.unlogged_lines import read_edit, unsaid, withheld

        text = texts[path]
        if path != CONTINUITY_FILE:
            left.append(Left(path, unsaid(path, text, state().histories)))
            continue
        line = line_of(home, tip, text)
        since = line.newest if line else ""
        edited, over = said_edits(home, tree() if tree else tip, since, fresh)
        if ours[path] in (*edited, *over):
            continue
        base = published(home, tip, line, edited) if line else None
        read = read_edit(None if base == text else base, text, state())
        said = [one._replace(message=f"{one.message}; it stays") for one in read.findings]
        if read.events:
            message = f"{path} was edited by hand, and no log says so yet"
            hint = "`diurna check --absorb` makes a log of it"
            said = [Finding("hand-edited", message, path, hint=hint)]
        left.append(Left(path, tuple(said), text, read.events))
    left = [one for one in left if one.findings]
    if left:  # it still shows what was redacted, perhaps
        shown = [withheld(path, text, state().fact) for path, text in _texts(home, ours).items()]
        left += [Left(one.file, (one,)) for found in shown for one in found]
    return tuple(left)


def pages_with(
    home: Home,
    cache: Cache,
    tip: str,
    refs: list[LogRef],
    entries: list[Entry],
    fresh: list[bytes],
) -> tuple[tuple[tuple[str, bytes | None], ...], tuple[Finding, ...]]:
    """Render the pages that a commit of new logs brings, unless something there is a person's.

    `tip` is what the commit is built on, and `cache` is as of it; entries and the bytes `fresh` come in
    the order of `refs`.

    Returns:
        (path relative to the home, bytes or None to take it out) of what changes, none where the branch
        has no pages of its own; and what is in the way.

    Raises:
        TipMoved: the cache followed a branch that moved meanwhile.
    """
    if not publishes(home, cache.policy) or cache.unread():
        return (), ()
    from memory.replay.state_as_of import state_of

    state = cache.supposing(refs, entries, state_of)
    if state is None:
        raise TipMoved(home.reference)
    left = left_alone(home, tip, lambda: state, cache.policy, fresh=fresh)
    if left:
        return (), findings_in(left)
    committed, made = committed_projection(home, tip, cache.policy), projection_files(state)
    if home.checked_out:
        paths = {CONTINUITY_FILE, *made.blobs, *committed}
        if edited := edited_copies(home, paths, committed):
            return (), tuple([edited_finding(path) for path in sorted(edited)])
    return made.changes(committed), ()


def findings_in(left: Iterable[Left]) -> tuple[Finding, ...]:
    """Return why files stay as they are."""
    return tuple([finding for one in left for finding in one.findings])


def refuse_left(found: tuple[Finding, ...]) -> None:
    """Stop before anything is written over what is a person's; an append commits its log alone (A6).

    Raises:
        EditNotUnderstood: there is something.
    """
    if found:
        raise EditNotUnderstood(found)


def obstacles(home: Home, rows: Iterable[tuple[str, str, str]]) -> tuple[Finding, ...]:
    """Name what is no file of ours and stands where one belongs: folders, links, submodules.

    Rows are (mode, object id, path relative to the home) of what stands there.
    """
    found: dict[str, Finding] = {}
    for mode, _, path in rows:
        place, _, below = path.partition("/")
        if place == ARCHIVE_DIR and below:
            name, _, below = below.partition("/")
            place = f"{ARCHIVE_DIR}/{name}"
        wanted = "a folder" if place == ARCHIVE_DIR else "a file"
        if place != ARCHIVE_DIR and (not is_projection(place) or (not below and mode[:3] == "100")):
            continue
        what = "a folder" if below else "a file" if mode[:3] == "100" else "a link"
        found[place] = Finding(
            "hand-edited",
            f"{home.prefix}{place} is {what}, where {wanted} of Diurna's belongs; it is left as it is",
            place,
            hint=f"move it elsewhere with `git mv {home.prefix}{place} …` and commit that; "
            "until then nothing is published",
        )
    return tuple(found.values())


def said_edits(
    home: Home, commit: str, since: str, fresh: Iterable[bytes] = ()
) -> tuple[set[str], set[str]]:
    """Return the blob ids of the edited files that logs of a commit already say, and of those below them.

    These are committed files that a person edited on, and that the log stands for, too (`OVER_KEY`). Logs
    older than the stem `since`, "" for the beginning, are not looked at; `fresh` are further logs.
    """
    git = home.repository.git()
    rows = git.tree_files(commit, home.prefix + SESSIONS_DIR) if commit else []
    refs = [ref for ref in log_refs(rows, home.prefix)[0] if ref.stem > since]
    bodies = [body or b"" for body in git.blobs(ref.blob for ref in refs)]
    found: dict[str, set[str]] = {EDITED_KEY: set(), OVER_KEY: set()}
    for body in (*bodies, *fresh):
        head = body[:_HEADER_LIMIT_BYTES].partition(b"\n---\n")[0]
        for line in head.decode("utf-8", "replace").split("\n"):
            key, _, blob = line.partition(": ")
            if key in found:
                found[key].add(blob)
    return found[EDITED_KEY], found[OVER_KEY]


def _texts(home: Home, blobs: Mapping[str, str]) -> dict[str, str]:
    bodies = zip(blobs, map(Objects(home.repository).given, blobs.values()), strict=True)
    return {path: (body or b"").decode("utf-8", "surrogateescape") for path, body in bodies}
