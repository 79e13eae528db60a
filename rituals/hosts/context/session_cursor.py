"""Remember what a session heard: a small file for each, its cursor.

It says how all that can bring news stood when the session was told last, which a hook with nothing to say
compares with how it stands, and what was told.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from ledger.environment import monotonic
from ledger.model.record import Record
from rituals.hosts.adapters import HOSTS
from rituals.hosts.moments import CHECKPOINTS_DIR, STARTS_DIR, file_name
from rituals.hosts.payloads import (
    fields_of,
    files_in,
    lock,
    open_file,
    read_object,
    read_start,
    record_of,
    sweep,
    write_object,
)

NEWS_DIR, OBSERVED_DIR = "diurna/news", "diurna/observed"
#: How many bytes of a cursor are read, and by how many one grows, so that a full disk does not keep it
#: where it was.
_BYTES, _BLOCK = 1 << 20, 4096
#: How many ids of facts that it was shown are kept of a session.
SHOWN = 300
_ID_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789-"
#: Ends a text that goes on.
_CUT = "…"
#: A session that was silent for so long is over.
_DEAD_DAYS = 14


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
    unlisted: int = 0  #: how often it was shown one that is not among them
    moments: tuple[str, ...] = ()  #: ids of the facts that it was told at a moment, in order
    #: ids of those that stand whole in its context, so that no moment tells them again; rules that
    #: it broke, and was told of, with `!`
    known: tuple[str, ...] = ()
    characters: int = 0  #: how many it was shown
    needed: int = 0  #: and told at moments

    @property
    def cost(self) -> tuple[int, int]:
        """How many characters it was shown, and told."""
        return self.characters, self.needed

    def having_seen(self, text: str, *, itself: bool = True) -> Cursor:
        """Return the cursor of a session that was shown what a brief, or news, shows.

        `itself`: that stands in the session's own context, not in a subagent's.
        """
        listed = dict.fromkeys(self.shown)
        told = set(self.moments)
        new = [one for one in ids_shown(text) if one not in listed and one not in told]
        room = max(0, SHOWN - len(listed))
        whole = ids_shown(text, whole=True) if itself else ()
        return self._replace(
            shown=(*listed, *new[:room]),
            unlisted=self.unlisted + len(new[room:]),
            characters=self.characters + len(text),
        ).knowing(whole)

    def knowing(self, ids: Iterable[str]) -> Cursor:
        """Return the cursor of a session in whose context some facts stand whole."""
        return self._replace(known=tuple(dict.fromkeys((*self.known, *ids))))

    def at_tool(self, commondir: str, name: str) -> Cursor:
        """Return the cursor of a session that is told now what the spools say, by a tool."""
        return self._replace(tool=" ".join(spools_stand(commondir, name)))

    def at_prompt(self, commondir: str, name: str) -> Cursor:
        """Return the cursor of a session that is told now all that there is."""
        others, own = spools_stand(commondir, name)
        return self._replace(ledger=stamps(self.watched), others=others, tool=f"{others} {own}")


def has_news(commondir: str, name: str, *, tool: bool) -> bool:
    """Tell whether there may be something that a session did not hear.

    `name` is what files of the session are called; with `tool` only what collides counts.
    """
    then = heard_by(commondir, name)
    if not then.watched:
        return True
    now = then.at_tool(commondir, name) if tool else then.at_prompt(commondir, name)
    return now.tool != then.tool if tool else now[1:3] != then[1:3]


def stamps(watched: Sequence[str]) -> str:
    """Return how some files and folders stand."""
    return ",".join(map(_stamp, watched))


def _stamp(path: str) -> str:
    try:
        seen = os.stat(path)
    except OSError:
        return "-"
    return f"{seen.st_ino}.{seen.st_size}.{seen.st_mtime_ns}"


def spools_stand(commondir: str, name: str) -> tuple[str, str]:
    """Return how the spools of other sessions stand, and a session's own."""
    own, others = "-", list[tuple[int, int]]()
    for file, size, changed in files_in(f"{commondir}/{OBSERVED_DIR}"):
        if file == f"{name}.jsonl":
            own = str(size)
        else:
            others.append((size, changed))
    newest = max([changed for _, changed in others], default=0)
    return f"{len(others)}.{sum([size for size, _ in others])}.{newest}", own


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
    return _cursor(read_start(f"{commondir}/{NEWS_DIR}/{name}", _BYTES))


def _cursor(data: bytes) -> Cursor:
    """Read a cursor; an empty one where it is new, damaged, or of another version."""
    return record_of(Cursor(), read_object(data)) or Cursor()


def shown_to(commondir: str, session: str) -> set[str]:
    """Return the ids of the facts that a session was shown, of whatever host; none where it is ""."""
    names = [file_name(host, session) for host in HOSTS] if session else []
    return {id for name in names for id in heard_by(commondir, name).shown}


class Heard:
    """The cursor of a session, held by one hook at a time."""

    def __init__(self, commondir: str, name: str) -> None:
        self._path = f"{commondir}/{NEWS_DIR}/{name}"
        self._fd = -1

    def is_there(self) -> bool:
        """Tell whether the session was told anything yet."""
        return os.path.isfile(self._path)

    def take(self, seconds: float = 0.0) -> Cursor | None:
        """Take the cursor until `move` or `leave`; another hook is waited for so many seconds.

        Returns:
            What the session heard, an empty cursor where it is here for the first time; None where
            another hook of the session tells it now, or it can not be kept.
        """
        try:
            self._fd = open_file(self._path, os.O_RDWR | os.O_CREAT)
            lock(self._fd, monotonic() + seconds)
            if not os.fstat(self._fd).st_nlink:  # tidied away a moment ago
                raise FileNotFoundError(self._path)
            return _cursor(os.pread(self._fd, _BYTES, 0))
        except OSError:
            self.leave()
            return None

    def move(self, cursor: Cursor) -> None:
        """Keep what the session has heard now, and let go."""
        said = write_object(fields_of(cursor), ascii_only=False)
        data = said.encode("utf-8", "replace")
        try:
            size = max(os.fstat(self._fd).st_size, -(-len(data) // _BLOCK) * _BLOCK)
            os.pwrite(self._fd, data.ljust(size), 0)
        except OSError:
            pass  # a disk that refuses: it is told again
        self.leave()

    def leave(self) -> None:
        """Let go, and leave the cursor as it is."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def tidy(commondir: str, now_seconds: float) -> None:
    """Remove what is kept of sessions that are over for long: what they heard, and how they started."""
    for folder in (NEWS_DIR, STARTS_DIR, CHECKPOINTS_DIR):
        sweep(f"{commondir}/{folder}", now_seconds - _DEAD_DAYS * 86_400)
