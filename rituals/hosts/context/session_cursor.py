"""Remember what a session heard: a small file for each, its cursor.

It says how all that can bring news stood when the session was told last, which a hook with nothing to say
compares with how it stands, and what was told.
"""

from __future__ import annotations

import os

from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.atomic_files import take_lock
from rituals.hosts.adapters import HOSTS
from rituals.hosts.host_events import file_name
from rituals.hosts.session_files import (
    files_in,
    open_file,
    put_record,
    read_record,
    record_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NEWS_DIR, OBSERVED_DIR = "diurna/news", "diurna/observed"
#: How many ids of facts that it was shown are kept of a session.
SHOWN = 300
_ID_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789-"
#: Ends a text that goes on.
_CUT = "…"


class Cursor(Record):
    """What a session heard."""

    watched: tuple[str, ...] = ()  #: the files and folders whose change may mean a new log
    ledger: str = ""  #: how they stood when it was told at a prompt
    others: str = ""  #: likewise the spools of other sessions
    tool: str = ""  #: how these and its own stood when it was told at a tool
    tip: str = ""  #: the commit up to which it was told, "" for none
    waiting: tuple[str, ...] = ()  #: stems that were told and had not landed yet
    #: how many bytes of the other spools were told, by the names of the files
    offsets: Mapping[str, int] = {}
    told: Mapping[str, int] = {}  #: what may come again and was told, with the time in milliseconds
    #: ids of the facts that it was shown, the first ones, in the order in which it saw them
    shown: tuple[str, ...] = ()
    moments: tuple[str, ...] = ()  #: ids of the facts that it was told at a moment, in order
    #: ids of those that stand whole in its context, so that no moment tells them again; rules that
    #: it broke, and was told of, with `!`
    known: tuple[str, ...] = ()
    characters: int = 0  #: how many it was shown
    needed: int = 0  #: and told at moments

    def having_seen(self, text: str) -> Cursor:
        """Return the cursor of a session that was shown what a brief, or news, shows."""
        met = {*self.shown, *self.moments}
        new = [one for one in ids_shown(text) if one not in met]
        shown, chars = (*self.shown, *new)[:SHOWN], self.characters + len(text)
        seen = self._replace(shown=shown, characters=chars)
        return seen.knowing(ids_shown(text, whole=True))

    def knowing(self, ids: Iterable[str]) -> Cursor:
        """Return the cursor of a session in whose context some facts stand whole."""
        return self._replace(known=tuple(dict.fromkeys((*self.known, *ids))))

    def standing(self, commondir: str, name: str, *, prompt: bool) -> Cursor:
        """Return the cursor of a session that is told now all that there is, or what collides at a tool.

        `name` is what files of the session are called.
        """
        own, others = "-", list[tuple[int, int]]()
        for file, size, changed in files_in(f"{commondir}/{OBSERVED_DIR}"):
            if file == f"{name}.jsonl":
                own = str(size)
            else:
                others.append((size, changed))
        newest = max([changed for _, changed in others], default=0)
        stand = f"{len(others)}.{sum([size for size, _ in others])}.{newest}"
        seen = self._replace(tool=f"{stand} {own}")
        return seen._replace(ledger=stamps(self.watched), others=stand) if prompt else seen


def has_news(commondir: str, name: str, *, prompt: bool) -> bool:
    """Tell whether there may be something that a session did not hear, at a prompt or a tool."""
    then = heard_by(commondir, name)
    if not then.watched:
        return True
    now = then.standing(commondir, name, prompt=prompt)
    return now[1:3] != then[1:3] if prompt else now.tool != then.tool


def stamps(watched: Sequence[str]) -> str:
    """Return how some files and folders stand."""
    found = []
    for path in watched:
        try:
            seen = os.stat(path)
            found.append(f"{seen.st_ino}.{seen.st_size}.{seen.st_mtime_ns}")
        except OSError:
            found.append("-")
    return ",".join(found)


def ids_shown(text: str, *, whole: bool = False) -> list[str]:
    """Return the ids of the facts that a text shows as `forms.Markdown` writes them.

    A hook that has nothing to say but a brief that is kept knows no more of it than its text. Under the
    titles of a brief each line begins with an id; elsewhere only where a bracket follows. `whole` takes
    those alone whose text is not cut.
    """
    found: dict[str, None] = {}
    briefed = False
    for line in text.split("\n"):
        if line[:2] in ("##", "</"):
            briefed = line[0] == "#"
        elif line[:2] == "- ":
            id, blank, about = line[2:].partition(" ")
            id = id.rstrip(":") if briefed else id
            if id and not id.strip(_ID_CHARS) and blank and (briefed or about[:1] == "("):
                if not (whole and line.endswith(_CUT)):
                    found[id] = None
    return list(found)


def heard_by(commondir: str, name: str) -> Cursor:
    """Return what a session, by the name of its files, heard, as far as anybody knows."""
    return read_record(f"{commondir}/{NEWS_DIR}/{name}", Cursor())


def shown_to(commondir: str, session: str) -> set[str]:
    """Return the ids of the facts that a session was shown, of whatever host; none where it is ""."""
    names = [file_name(host, session) for host in HOSTS] if session else []
    return {id for name in names for id in heard_by(commondir, name).shown}


class Heard:
    """The cursor of a session, held by one hook at a time."""

    def __init__(self, commondir: str, name: str) -> None:
        self._path = f"{commondir}/{NEWS_DIR}/{name}"
        self._fd = -1
        self.is_new = not os.path.isfile(self._path)  #: it was told nothing yet

    def take(self, seconds: float = 0.0) -> Cursor | None:
        """Take the cursor until `move` or `leave`; another hook is waited for so many seconds.

        Returns:
            What the session heard, an empty cursor where it is here for the first time; None where
            another hook of the session tells it now, or it can not be kept.
        """
        try:
            self._fd = open_file(self._path, os.O_RDWR | os.O_CREAT)
            if take_lock(self._fd, seconds):
                return record_in(self._fd, Cursor())
        except OSError:
            pass  # a disk that refuses
        self.leave()
        return None

    def move(self, cursor: Cursor) -> None:
        """Keep what the session has heard now, and let go."""
        try:
            put_record(self._fd, cursor)
        except OSError:
            pass  # a disk that refuses: it is told again
        self.leave()

    def leave(self) -> None:
        """Let go, and leave the cursor as it is."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
