"""Keep what was last shown beside the cache, under the commit that it is true for.

An answer is good as long as the branch points to that commit and the same captured logs wait, so a reader
with nothing new opens a few small files. They are signed (`ledger.wal.user_key`): anything odd about
one means working it out again, and without a key nothing is kept.

The last brief of each asker is kept beside them, whatever came since: a start that can not wait for a new
one is told that, as of its newest log. Whatever hides something lets go of it.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms
from ledger.errors import DiurnaError
from ledger.git.repository import head
from ledger.home import Home, discover, has_layers
from ledger.model.layout import (
    ASKS_FILE,
    BRIEF_CHARS,
    POLICY_FILE,
    SESSIONS_DIR,
    stem_of,
)
from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.user_key import digest, read_signed, write_signed
from memory.cache.ledger_version import (
    BRIEFS,
    agent_of,
    branch_of,
    hidden,
    is_disturbed,
    landed,
    seen,
    tip_of,
    waiting_stems,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ledger.git.cli import Git

_HEADER = b"diurna-shown"
_SHOWN = ".shown"
#: What the one page is called there.
_PAGE = "page"
#: How many briefs are kept: for a few agents, roles and forms.
_BRIEFS = 8
#: How long the last brief of an asker is good for who can not wait.
_KEPT_MS = 7 * 24 * 3_600_000
#: How many newer logs are looked at for whether they hide something.
_READ = 100


class BriefWish(Record):
    """A brief as it is asked for, in markdown and without a task."""

    agent: str = ""  #: who asks, "" for the name that git commits with
    role: str = ""  #: whose notes are wanted, "" for nobody's
    budget_chars: int = BRIEF_CHARS  #: how many characters the answer may have


class KeptBrief(Record):
    """The last brief that was made for somebody."""

    at: int  #: when, in milliseconds since 1970
    of: str  #: what the home showed then
    beside: str  #: and what else counts (`_beside`)
    newest: str  #: the newest log of then, as people read it
    waits: tuple[str, ...]  #: the logs that waited
    alone: bool  #: there is nothing to be said beside it
    text: str
    newer: int = 0  #: how many logs came since
    current: bool = True  #: it shows what the home shows now

    @property
    def tip(self) -> str:
        """The commit that it was made of, "" for none."""
        return tip_of(self.of)


def kept_page(start: str) -> str | None:
    """Return the replayed `continuity.md` for a folder.

    Returns:
        Its text; None when there is something to be said beside it (logs that wait, a policy or a log
        that can not be read, a newer format), which the command line does.

    Raises:
        DiurnaError: there is no home, or its repository can not be read.
    """
    home = discover(start)
    if is_disturbed(home):
        return None
    of, path = seen(home), home.cache_file + _SHOWN
    text: str | None = _read(path, of).get(_PAGE)
    if text is not None:
        return text
    from memory.query.reader import open_snapshot, something_beside
    from projection.document.page_renderer import render

    snapshot = open_snapshot(home)
    if something_beside(snapshot, of):
        return None
    made_of, text = snapshot.ask(lambda cache: (cache.commit, render(cache.view())), of)
    if made_of == of:
        _write(path, of, {_PAGE: text})
    return text


def kept_brief(start: str, wish: BriefWish) -> str | None:
    """Return the brief for a folder; None as for `continuity`.

    Raises:
        DiurnaError: as for `continuity`.
    """
    home = discover(start)
    if is_disturbed(home):
        return None
    wish = wish._replace(agent=wish.agent or agent_of(home))
    last = last_brief(home, wish, current=True)
    if last is None or not last.current:
        last = make_brief(home, wish)
    return last.text if last.alone else None


def last_brief(home: Home, wish: BriefWish, *, current: bool = False) -> KeptBrief | None:
    """Return the last brief that was made for a wish, None for none that may be told.

    That is one of seven days at most, of this branch and work tree, since which nothing was hidden, no log
    went and no policy changed. `current`: git is not asked, and one since which any log came has no text.

    Raises:
        DiurnaError: the repository can not be read.
    """
    path, hides, name = _last(home, wish)
    found = _read(path, hides).get(name)
    if found is None:
        return None
    kept = KeptBrief(*found)
    now, shown = waiting_stems(home), seen(home)  # before the tip is looked up
    if current and (kept.of, kept.waits) != (shown, now):
        return kept._replace(text="", current=False)
    tip, logs, policy = tip_of(shown), home.prefix + SESSIONS_DIR, home.prefix + POLICY_FILE
    changes = [] if tip == kept.tip else home.repository.git().changes(kept.tip, tip, logs, policy)
    came = {stem_of(path) for _, _, _, path in changes or ()}
    went = changes is None or any(one[0] != "A" or one[3] == policy for one in changes)
    left = {*kept.waits} - came - {*now}
    left -= landed(home, dict.fromkeys(left, kept.tip)).keys()  # a person committed them before
    if went or left or not 0 <= now_ms() - kept.at < _KEPT_MS:
        return None
    if changes and _hides(home.repository.git(), [blob for _, _, blob, _ in changes]):
        return None
    newer = len((came | {*now}) - {*kept.waits})
    current = (kept.of, kept.waits) == (shown, now) and kept.beside == _beside(home) != ""
    return kept._replace(newer=newer, current=current)


def _hides(git: Git, blobs: Sequence[str]) -> bool:
    """Tell whether any of some logs, which others may have written, hides something, or they are many."""
    from ledger.model.event import ADDING, VERB_OF

    words = [f"\n- {verb}".encode() for kind, verb in VERB_OF.items() if kind not in ADDING]
    return len(blobs) > _READ or any(
        data is None or any(word in data for word in words) for data in git.blobs(blobs)
    )


def make_brief(home: Home, wish: BriefWish) -> KeptBrief:
    """Make the brief for a wish, and keep it as the last one.

    Raises:
        DiurnaError: as for `last_brief`.
    """
    from memory.query.reader import Reader, something_beside

    path, hides, name = _last(home, wish)
    waits, of, place = waiting_stems(home), seen(home), head(home.repository)
    reader = Reader(home)
    try:
        agent, role, chars = wish
        made = reader.brief(agent=agent, role=role, budget_chars=chars, asks=True)
        alone = not something_beside(reader.snapshot, None)
    finally:
        reader.close()
    beside = _beside(home) if head(home.repository) == place else ""
    kept = KeptBrief(now_ms(), of, beside, made.place.newest, waits, alone, made.text)
    if made.commit == kept.tip:
        _write(path, hides, {name: kept} | _read(path, hides) | {name: kept})
    return kept


def _last(home: Home, wish: BriefWish) -> tuple[str, str, str]:
    """Return the file of the last briefs, what it has to be of, and the name of one in it."""
    path, hides, layers = home.cache_file + BRIEFS, [hidden(home)], ""
    if has_layers(home):
        from memory.replay.upstream_homes import brief_file, layers_as_of, own_home

        own = own_home(home)
        hides += [hidden(own)] if own else []
        path, layers = brief_file(home) or path, layers_as_of(home)
    asked = (wish.agent, wish.role, str(wish.budget_chars), branch_of(home), home.repository.top)
    return path, digest(*hides), digest(*map(os.fsencode, (*asked, layers)))


def _beside(home: Home) -> str:
    """Return what a brief says beside its ledger: what is gone, asked for or elsewhere.

    It is "" where that is not known of this HEAD yet: no ledger is opened for it.
    """
    from memory.cache.ledger_version import stems_elsewhere
    from memory.replay.broken_truth import truth_of
    from memory.replay.head_view import here_known

    here = here_known(home)
    away = repr(stems_elsewhere(home)) if home.plain and os.path.isdir(home.held_folder) else ""
    if here is None and not away:
        return ""
    asks = ""
    try:  # what was asked for in this clone
        found = os.stat(f"{home.repository.commondir}/{ASKS_FILE}")
        asks = f"{found.st_ino}.{found.st_size}.{found.st_mtime_ns}"
    except OSError:
        pass
    said = (truth_of(home).said, asks, here.said if here is not None else away)
    return digest(*map(os.fsencode, said))


def _read(path: str, of: str) -> dict[str, Any]:
    """Return the answers that a file has of a view, newest first."""
    of_then, answers = read_signed(path, _HEADER) or ("", ())
    return dict(answers) if of_then == of else {}


def _write(path: str, of: str, answers: dict[str, object]) -> None:
    try:
        write_signed(path, _HEADER, (of, tuple(answers.items())[:_BRIEFS]))
    except (OSError, DiurnaError):
        pass  # a read-only disk: the next run works it out again
