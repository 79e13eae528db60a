"""Find the points of the past that people name: a session, a day, a release, a commit."""

from __future__ import annotations

import re

from ledger.errors import NotFound
from ledger.model.order import is_stem, stamp_of, stem_in
from ledger.model.record import Record
from memory.query.code_question import REVISION
from projection.lifecycle.past_states import Since, Then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing
    from rituals.serve.web.tip_view.tip_view import TipView

#: So many releases are offered, the newest.
_RELEASES = 200
_FIELDS = "--format=%(refname:strip=2)%00%(creatordate:unix)%00%(objecttype) %(*objecttype)"
_MONTH = re.compile(r"\d{4}-\d\d", re.ASCII)
_HINT = (
    "a day is written 2026-05-31; or name a tag, a branch, a commit, a log, or a session's number"
)


class Release(Record):
    """A tag of the repository."""

    name: str
    session: int  #: the last one that ended before it was made
    date: str  #: on which it was made


class Point(Record):
    """A point of the past."""

    session: int  #: the last one that counts, 0 for before the first
    named: str = ""  #: what was asked, where that is a tag, a branch or a commit
    commit: str = ""  #: which that is
    by_time: bool = False  #: that commit has no memory: it is as memory was when it was made
    state: State | None = (
        None  #: of that commit, where it has other logs than those up to the session
    )


def releases(tip: TipView) -> tuple[Release, ...]:
    """Return the tags of the repository that name commits, oldest first."""
    found = []
    git = tip.memory.home.repository.git()
    order = "--sort=-creatordate", f"--count={_RELEASES}"
    said = git.text("for-each-ref", *order, _FIELDS, "refs/tags", check=False)
    for line in said.split("\n")[:-1]:
        name, at, kinds = line.split("\0")
        if "commit" in kinds.split() and at.isdigit() and REVISION.fullmatch(name):
            stamp = _stamp(int(at))
            found.append(Release(name, tip.past.session_of(stamp), stamp[:10]))
    return tuple(found[::-1])


def _stamp(seconds: int) -> str:
    """Return the stamp at the end of a second."""
    return stamp_of(seconds * 1000 + 999)


def point_asked(tip: TipView, at: str) -> Point:
    """Return the point that an address names; one review ago for "".

    Raises:
        NotFound: it names none.
    """
    last = len(tip.work)
    if not at:
        return Point(max(last - tip.state.policy.review.every, 0))
    if at.isascii() and at.isdigit() and len(at) < len("1234567"):
        return Point(min(int(at), last))
    if is_stem(stem_in(at)) or _MONTH.fullmatch(at):
        return Point(tip.past.session_of(at))
    git = tip.memory.home.repository.git()
    commit = git.resolve(f"{at}^{{commit}}")[0] if REVISION.fullmatch(at) else ""
    if not commit:
        raise NotFound(f"{at[:60]!r} is no session, no day and no commit", hint=_HINT)
    refs, _ = tip.memory.snapshot.list_logs(commit)
    if not refs:
        made = git.text("log", "-1", "--format=%ct", commit).strip()
        return Point(tip.past.session_of(_stamp(int(made))), at, commit, by_time=True)
    keys = {ref.key for ref in refs}
    session = tip.past.session_of(max(keys))
    end = tip.work[session] if session < last else "~"
    if keys == {entry.stem for entry in tip.entries if entry.stem < end}:
        return Point(session, at, commit)
    if tip.asked_state is None or tip.asked_state[0] != commit:
        tip.asked_state = commit, tip.memory.state(commit)
    return Point(session, at, commit, state=tip.asked_state[1])


def at_point(tip: TipView, point: Point) -> tuple[Then, Since]:
    """Return what held at a point, and what became of it since."""
    if point.state is None:
        return tip.past.at(point.session), tip.past.since(point.session)
    from memory.query.provenance import difference

    view = point.state.view()
    found = difference(point.state, tip.state)
    corrected = tuple([fact for fact, _ in found.corrected])
    last = max(point.state.work, default="")
    return (
        Then(point.session, last, tuple(view.tiers), tuple(view.live)),
        Since(found.learned, corrected, found.faded, found.closed),
    )


def standing_at(tip: TipView, point: Point, fact: str) -> Standing | None:
    """Return where a fact stood at a point, None where it was not there."""
    if point.state is None:
        return tip.past.standing(fact, point.session)
    return point.state.get(fact)
