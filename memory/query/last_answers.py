"""Keep what was last shown beside the cache, under the commit that it is true for.

An answer is good as long as the branch points to that commit and the same captured logs wait, so a reader
with nothing new opens a few small files. It is signed with this user's key (`ledger.wal.user_key`);
anything odd about it means working it out again, and without a key nothing is kept.

The last brief of each asker is kept beside them, whatever came since: a start that can not wait for a new
one is told that, as of its newest log. Whatever hides something lets go of it.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms
from ledger.home import Home, discover, has_layers
from ledger.model.layout import (
    ASKS_FILE,
    CACHE_VERSION,
    FORMAT_VERSION,
    POLICY_FILE,
    SESSIONS_DIR,
    stem_of,
)
from ledger.model.record import Record
from ledger.wal.atomic_files import plain_bytes
from ledger.wal.dead_owner import died
from ledger.wal.user_key import digest, signed, user_key
from memory.cache.view_name import BRIEFS, has_files, hidden, landed, seen, tip_of, waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ledger.git.cli import Git
    from memory.brief.brief_place import Wish
    from memory.query.reader import Reader
    from memory.replay.clone_view import View
    from memory.replay.ledger_snapshot import Progress

_HEADER = b"diurna-shown"
_SHOWN = ".shown"
#: What the one page is called there.
_PAGE = "page"
_WORDS = 6  # of the line before an answer
#: How many briefs are kept: for a few agents, roles and forms.
_BRIEFS = 8
#: How long the last brief of an asker is good for who can not wait.
_KEPT_MS = 7 * 24 * 3_600_000
#: How many newer logs are looked at for whether they hide something.
_READ = 100


class Kept(Record):
    """The last brief that was made for somebody."""

    of: str  #: what the home showed then
    beside: tuple[str, str, str]  #: and what else counts (`_beside`)
    newest: str  #: the newest log of then, as people read it
    waits: tuple[str, ...]  #: the logs that waited
    text: str
    newer: int = 0  #: how many logs came since
    current: bool = True  #: it shows what the home shows now
    alone: bool = True  #: there is nothing to be said beside it

    @property
    def tip(self) -> str:
        """The commit that it was made of, "" for none."""
        return tip_of(self.of)


def continuity(start: str) -> bytes | None:
    """Return the replayed `continuity.md` for a folder.

    Returns:
        Its bytes; None when there is something to be said beside it (logs that wait, a policy or a log
        that can not be read, a newer format), which the command line does.

    Raises:
        DiurnaError: there is no home, or its repository can not be read.
    """
    home = discover(start)
    if _waiting(home):
        return None
    of, file = seen(home), _File(home, _SHOWN, key=user_key())
    found = _read(file, of).get(_PAGE)
    if found is not None:
        return found
    from memory.query.open_snapshot import open_snapshot
    from projection.document.page_renderer import render

    snapshot = open_snapshot(home)
    if _something_beside(snapshot, of):
        return None
    made_of, text = snapshot.ask(lambda cache: (cache.commit, render(cache.view())), of)
    data = text.encode("utf-8", "surrogateescape")
    if made_of == of:
        _write(file, of, {_PAGE: data})
    return data


def brief(start: str, wish: Wish) -> bytes | None:
    """Return the brief for a folder; None as for `continuity`.

    Raises:
        DiurnaError: as for `continuity`.
    """
    from memory.brief.brief_place import agent_of

    home = discover(start)
    if _waiting(home):
        return None
    wish = wish._replace(agent=wish.agent or agent_of(home))
    last = last_brief(home, wish)
    if last is None or not last.current:
        last = make_brief(home, wish)
    return last.text.encode("utf-8", "surrogateescape") if last.alone else None


def last_brief(home: Home, wish: Wish) -> Kept | None:
    """Return the last brief that was made for a wish, None for none that may be told.

    That is one of seven days at most, of this branch and work tree, since which nothing was hidden, no log
    went and no policy changed.

    Raises:
        DiurnaError: the repository can not be read.
    """
    file, hides, name = _last(home, wish)
    found = _read(file, hides).get(name)
    if found is None:
        return None
    head, _, text = found.decode("utf-8", "surrogateescape").partition("\n")
    at, of, gone, place, here, newest, alone, *waits = head.split(" ")
    kept = Kept(of, (gone, place, here), newest, tuple(waits), text, alone=bool(alone))
    now, shown = waiting(home), seen(home)  # before the tip is looked up
    tip, logs, policy = tip_of(shown), home.prefix + SESSIONS_DIR, home.prefix + POLICY_FILE
    git = home.repository.git()
    changes = git.changes(kept.tip, tip, logs, policy) if kept.tip != tip else []
    came = {stem_of(path) for _, _, _, path in changes or ()}
    went = changes is None or any(one[0] != "A" or one[3] == policy for one in changes)
    left = {*waits} - came - {*now}
    left -= landed(home, dict.fromkeys(left, kept.tip)).keys()  # a person committed them before
    if went or left or not 0 <= now_ms() - int(at) < _KEPT_MS:
        return None
    if changes and _hides(git, [blob for _, _, blob, _ in changes]):
        return None
    newer = len((came | {*now}) - {*waits})
    current = (of, kept.waits) == (shown, now) and _is_so(kept.beside, _beside(home))
    return kept._replace(newer=newer, current=current)


def _hides(git: Git, blobs: Sequence[str]) -> bool:
    """Tell whether any of some logs, which others may have written, hides something, or they are many."""
    from ledger.model.event import ADDING, VERB_OF

    words = [f"\n- {verb}".encode() for kind, verb in VERB_OF.items() if kind not in ADDING]
    return len(blobs) > _READ or any(
        data is None or any(word in data for word in words) for data in git.blobs(blobs)
    )


def make_brief(home: Home, wish: Wish) -> Kept:
    """Make the brief for a wish, and keep it as the last one.

    Raises:
        DiurnaError: as for `last_brief`.
    """
    from contextlib import closing

    from memory.query.reader import Reader

    file, hides, name = _last(home, wish)
    waits, of, before = waiting(home), seen(home), _beside(home)
    with closing(Reader(home)) as reader:
        asked = wish.agent, wish.role, wish.budget_chars
        made = reader.brief(agent=asked[0], role=asked[1], budget_chars=asked[2], asks=True)
        alone = not _something_beside(reader.snapshot, None)
    beside = _beside(home)  # what is elsewhere is known by now, unless that is another place
    beside = beside if beside[1] == before[1] else before
    kept = Kept(of, beside, made.place.newest, waits, made.text, alone=alone)
    if made.commit == kept.tip:
        head = " ".join((str(now_ms()), of, *kept.beside, kept.newest, "alone" * alone, *waits))
        briefs = {name: b"", **_read(file, hides)}
        briefs[name] = f"{head}\n{kept.text}".encode("utf-8", "surrogateescape")
        _write(file, hides, dict(list(briefs.items())[:_BRIEFS]))
    return kept


def _last(home: Home, wish: Wish) -> tuple[_File, str, str]:
    """Return the file of the last briefs, what counts of it, and the name of one in it."""
    from memory.brief.brief_place import branch_of

    file, hides, layers = _File(home, BRIEFS, key=user_key()), [hidden(home)], ""
    if has_layers(home):
        from memory.replay.upstream_homes import brief_file, layers_as_of, own_home

        own = own_home(home)
        hides += [hidden(own)] if own else []
        file, layers = file._replace(aside=brief_file(home)), layers_as_of(home)
    asked = (wish.agent, wish.role, str(wish.budget_chars), branch_of(home), home.repository.top)
    return file, digest(*hides), digest(*map(os.fsencode, (*asked, layers)))


def _beside(home: Home) -> tuple[str, str, str]:
    """Return what a brief says beside its ledger: what is gone or asked for; its place; what is elsewhere.

    The last is "" where it is not known of the place yet: no ledger is opened for it.
    """
    from ledger.git.repository import head
    from memory.cache.broken_truth import truth_of
    from memory.cache.view_name import elsewhere
    from memory.replay.head_view import asks, here_known

    here, place = here_known(home), head(home.repository)[1] if asks(home) else ""
    if home.plain and os.path.isdir(home.held_folder):
        place = repr(elsewhere(home))
    said = f"{truth_of(home).said} {_asks_stand(home)}"
    gone, place = [digest(os.fsencode(one)) for one in (said, place)]
    return gone, place, digest(os.fsencode(here.said)) if here is not None else ""


def _asks_stand(home: Home) -> str:
    """Return how the file stands of what was asked for in a clone; "" for none."""
    try:
        seen = os.stat(f"{home.repository.commondir}/{ASKS_FILE}")
    except OSError:
        return ""
    return f"{seen.st_ino}.{seen.st_size}.{seen.st_mtime_ns}"


def _is_so(then: tuple[str, str, str], now: tuple[str, str, str]) -> bool:
    """Tell whether what a brief said beside its ledger is so by now, too, as far as it is known."""
    return then[0] == now[0] and (then[2] == now[2] if now[2] else then[1] == now[1])


def undisturbed(
    home: Home, progress: Progress | None, clock: Callable[[], int] | None
) -> Reader | None:
    """Open a home for questions; None when there is something to be said beside their answers.

    `clock` gives milliseconds since 1970.
    """
    if _waiting(home):
        return None
    from memory.query.reader import Reader

    reader = Reader(home, progress, clock)
    if _something_beside(reader.snapshot, None):
        reader.close()
        return None
    return reader


def _something_beside(snapshot: View, name: str | None) -> bool:
    """Tell whether a policy or a log can not be read, the format is newer, or a reset left a log."""
    problem, version = snapshot.ask(
        lambda cache: (cache.policy_problem or cache.unread(), cache.policy.format), name
    )
    if problem or version > FORMAT_VERSION:
        return True
    if not snapshot.home.plain:
        return False
    from ledger.wal.spool import Spool
    from memory.repair.lost_blobs import set_back

    home = snapshot.home
    return bool(set_back(home, Spool(home.spool_folder), snapshot.tip.cache()))


def _waiting(home: Home) -> bool:
    """Tell whether logs wait that were asked for, a process died at its work, or the branch was moved."""
    astray = died(home.repository.commondir) or home.is_astray()
    return astray or has_files(home.spool_folder)


class _File(Record):
    """A file of answers: of which home, with which suffix, and the key that they are signed with.

    `aside` is where it is instead of beside the home's cache, "" for there.
    """

    home: Home
    suffix: str
    aside: str = ""
    key: bytes = b""

    @property
    def path(self) -> str:
        """Where it is."""
        return self.aside or self.home.cache_file + self.suffix

    def signed(self, head: list[bytes], answer: bytes) -> bytes:
        """Return the sum of an answer, and of all that is said of it."""
        name = os.fsencode(os.path.basename(self.path))
        return signed(self.key, name, *head, answer).encode()


def _read(file: _File, of: str) -> dict[str, bytes]:
    """Return the answers of a view, newest first, up to the first one that is damaged."""
    data = (plain_bytes(file.path) if file.key else None) or b""
    kept: dict[str, bytes] = {}
    at = 0
    while at < len(data):
        end = data.find(b"\n", at, at + 300)
        head = data[at:end].split() if end > 0 else []
        if len(head) == _WORDS and head[:2] == [_HEADER, b"%d" % CACHE_VERSION]:
            answer = data[end + 1 : end + 1 + int(head[4])] if head[4].isdigit() else b""
            if head[5] == file.signed(head[:5], answer):
                if head[2] != of.encode():
                    break  # of another one, and so are all behind it
                kept[head[3].decode("latin-1")] = answer
                at = end + 1 + len(answer)
                continue
        if head[:1] != [_HEADER] or head[1:2] == [b"%d" % CACHE_VERSION]:
            from ledger.wal.git_locks import journal

            said = "what was last shown was not as it was left and was worked out anew"
            journal(file.home.repository.commondir, said)
        break
    return kept


def _write(file: _File, of: str, answers: dict[str, bytes]) -> None:
    if not file.key:
        return
    temporary = f"{file.path}.{os.getpid()}.tmp"
    parts = []
    for name, data in answers.items():
        head = b"%s %d %s %s %d" % (
            _HEADER, CACHE_VERSION, of.encode(), name.encode(), len(data),
        )  # fmt: skip
        parts += [head, b" ", file.signed(head.split(), data), b"\n", data]
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(fd, b"".join(parts))
        finally:
            os.close(fd)
        os.replace(temporary, file.path)
    except OSError:
        pass  # a read-only disk: the next run works it out again
