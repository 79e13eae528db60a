"""Make what a hook looks up at a prompt, a command or a file (`rituals.hosts.context.moment_index`).

It is made behind the answer of a hook that found it out of date, in a process that nobody waits for.
"""

from __future__ import annotations

import fcntl
import os
from math import log

from ledger.errors import DiurnaError
from ledger.heavy_work import Uncollected
from ledger.home import discover
from ledger.model.layout import CACHE_DIR
from ledger.model.personal_footer import says_personal
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.user_key import user_key
from memory.query.open_snapshot import open_snapshot
from memory.recall.query.stopwords import CHORES, SMALL
from memory.replay.replayed_state import state_of
from projection.policy.model import HOLD, OFF, TELL
from rituals.hosts.context.moment_files import constrained
from rituals.hosts.context.moment_index import CHORE, index_path, opened, packed, stems
from rituals.hosts.context.moment_rules import rows_of
from rituals.hosts.context.news_stamps import stamps
from rituals.hosts.context.session_news import watched_of
from rituals.hosts.user_settings import settings_path, wish_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from projection.fold.projection_state import Standing
    from projection.policy.model import Moments
    from rituals.hosts.user_settings import Wish

#: Of a long text the words of so much of it count.
_TEXT_CHARS = 20_000
#: A word that more facts have tells nothing here, and words weigh at least as in so large a ledger.
_COMMON, _LEAST_FACTS = 500, 1_000
_CHORES = stems(" ".join(CHORES))


def make(commondir: str, folder: str, environment: Mapping[str, str]) -> None:
    """Make the index of a folder anew, where it is out of date and nobody else is at it."""
    path, key = index_path(commondir, folder), user_key()
    if not key:
        return
    make_folder(f"{commondir}/{CACHE_DIR}")
    lock = os.open(f"{commondir}/{CACHE_DIR}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if opened(commondir, folder, words=True) is None:
            replace_file(path, _made(path, key, folder, environment), 0o600)
    except (BlockingIOError, DiurnaError):
        pass  # another one makes it; or there is no home, and a tool is told nothing
    finally:
        os.close(lock)


def _made(path: str, key: bytes, folder: str, environment: Mapping[str, str]) -> bytes:
    home = discover(folder)
    watched = (*watched_of(home), settings_path(environment) or path)
    seen = stamps(watched)  # before the branch is read: what moves meanwhile is seen
    with Uncollected():
        state = open_snapshot(home).ask(state_of)
        found = [one for one in state.standings() if may_be_told(one)]
        about = {
            "watched": "\0".join(watched),
            "stamps": seen,
            "small": " ".join(SMALL),
            "unknown": _weight(len(found), 0),
            "moment": said_of(state.policy.moment, wish_of(environment)),
        }
        about |= rows_of(found, constrained(found, home.repository.git()))
        return packed(path, key, about, _words(found))


def may_be_told(one: Standing) -> bool:
    """Tell whether a fact may be told unasked: it holds, and everybody here may read it."""
    fact = one.fact
    return not (fact.false or fact.redacted or says_personal(fact.meta))


def said_of(moment: Moments, wish: Wish) -> str:
    """Write what of moments is told: what the policy says, within what the user does."""
    if wish.off:
        moment = moment._replace(prompt=False, command=OFF, file=False)
    command = TELL if moment.command == HOLD and not wish.hold else moment.command
    return f"{moment.prompt:d} {command} {moment.file:d} {moment.facts} {moment.characters}"


def _words(found: Sequence[Standing]) -> dict[str, str]:
    rows: dict[str, list[str]] = {}
    for row, one in enumerate(found):
        names = " ".join([value for _, value in one.fact.meta])
        for stem in stems(f"{one.fact.id} {names} {one.fact.text[:_TEXT_CHARS]}", SMALL):
            rows.setdefault(stem, []).append(str(row))
    return {
        stem: " ".join(
            [
                CHORE * (stem in _CHORES) + _weight(len(found), len(held)),
                *(held if len(held) <= _COMMON else ()),
            ]
        )
        for stem, held in rows.items()
    }


def _weight(count: int, held: int) -> str:
    """Say what a word weighs that some of all facts have."""
    return f"{log(1 + (max(count, _LEAST_FACTS) - held + 0.5) / (held + 0.5)):.4f}"
