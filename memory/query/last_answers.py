"""Keep what was last shown beside the cache, under the commit that it is true for.

An answer is good as long as the branch points to that commit and the same captured logs wait, so a reader
with nothing new opens a few small files. It is signed with this user's key (`ledger.wal.user_key`);
anything odd about it means working it out again, and without a key nothing is kept.
"""

from __future__ import annotations

import os

from ledger.home import OWN_BRANCH, Home, discover, has_layers
from ledger.model.layout import CACHE_VERSION, FORMAT_VERSION
from ledger.model.record import Record
from ledger.wal.dead_owner import died
from ledger.wal.user_key import digest, signed, user_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.brief.brief_place import Wish
    from memory.query.reader import Reader
    from memory.replay.clone_view import View
    from memory.replay.ledger_snapshot import Progress, Snapshot

_HEADER = b"diurna-shown"
_SHOWN, _BRIEFED, _VIEWED = ".shown", ".briefs", ".views"
_WORDS = 6  # of the line before an answer
#: How many briefs are kept: for a few agents, roles and forms.
_BRIEFS = 8
#: How many views.
_VIEWS = 12


def continuity(start: str) -> bytes | None:
    """Return the replayed `continuity.md` for a folder.

    Returns:
        Its bytes; None when there is something to be said beside it (logs that wait, a policy or a log
        that can not be read, a newer format), which the command line does.

    Raises:
        DiurnaError: there is no home, or its repository can not be read.
    """

    def make(snapshot: Snapshot, name: str) -> tuple[str, str]:
        from projection.document.page_renderer import render

        return snapshot.ask(lambda cache: (cache.commit, render(cache.view())), name)

    return _answer(_File(discover(start), _SHOWN), "", 1, make)


def brief(start: str, wish: Wish) -> bytes | None:
    """Return the brief for a folder; None as for `continuity`.

    Raises:
        DiurnaError: as for `continuity`.
    """
    from memory.brief.brief_place import agent_of, branch_of, changed_files
    from memory.cache.broken_truth import truth_of

    home = discover(start)
    gone = truth_of(home).said + _elsewhere(home)
    agent, branch = wish.agent or agent_of(home), branch_of(home)
    changed = changed_files(home) if wish.task else ()

    def make(snapshot: Snapshot, name: str) -> tuple[str, str]:
        from memory.brief.brief_maker import Asked, made_for

        recall = None
        if wish.task:
            from memory.query.reader import Reader

            recall = Reader(home).recall
        asked = Asked(agent, wish.role, wish.task, branch, changed, wish.budget_chars, wish.json)
        made = made_for(snapshot, asked, recall, name)
        return made.commit, made.text

    key = "\0".join(
        (
            agent,
            branch,
            wish.role,
            wish.task,
            str(wish.budget_chars),
            str(wish.json),
            gone,
            *changed,
        )
    )
    if not has_layers(home):
        return _answer(_File(home, _BRIEFED), key, _BRIEFS, make)
    from memory.replay.upstream_homes import brief_file, layers_as_of

    key += f"\0\0{layers_as_of(home)}"
    return _answer(_File(home, _BRIEFED, brief_file(home)), key, _BRIEFS, make)


def _elsewhere(home: Home) -> str:
    """Return what is said of facts that HEAD does not hold; beside code it is not asked."""
    if home.kind != OWN_BRANCH or _is_all_here(home):
        return ""
    from memory.replay.head_view import here_known, here_of

    here = here_known(home)
    if here is None:
        from memory.query.open_snapshot import open_snapshot

        here = open_snapshot(home).ask(lambda cache: here_of(home, cache))
    return here.said


def _is_all_here(home: Home) -> bool:
    """Tell whether it was told of this very HEAD and ledger that nothing is elsewhere, as most often.

    Where HEAD has no commit yet, there is no elsewhere.
    """
    from ledger.git.repository import head
    from memory.cache.head_store import read

    reference, commit = head(home.repository)
    told = read(home).of(commit, reference.removeprefix("refs/heads/"), home.tip())
    return not commit or (told is not None and not told.facts)


def view(start: str, name: str, argument: str) -> bytes | None:
    """Return a view for a folder; None as for `continuity`.

    Raises:
        DiurnaError: as for `continuity`; or there is no such view.
    """

    def make(snapshot: Snapshot, as_of: str) -> tuple[str, str]:
        from memory.query.home_views import view_page
        from projection.views.view_page import write

        return snapshot.ask(
            lambda cache: (cache.commit, write(view_page(snapshot, cache, name, argument))), as_of
        )

    return _answer(_File(discover(start), _VIEWED), f"{name}\0{argument}", _VIEWS, make)


def _answer(
    file: _File, key: str, keep: int, make: Callable[[Snapshot, str], tuple[str, str]]
) -> bytes | None:
    """Return an answer that is kept, or make it and keep it.

    `key` is all that the answer depends on beside the view, `keep` is how many answers the file holds;
    `make` works it out as of a view, and says as of which one it is.
    """
    home = file.home
    if _waiting(home):
        return None
    of = _shown(home)
    file = file._replace(key=user_key())
    name = digest(key.encode("utf-8", "surrogateescape"))
    kept = _read(file, of)
    found = kept.get(name)
    if found is not None:
        return found
    from memory.query.open_snapshot import open_snapshot

    snapshot = open_snapshot(home)
    if _something_beside(snapshot, of):
        return None
    made_of, text = make(snapshot, of)
    data = text.encode("utf-8", "surrogateescape")
    if made_of == of:
        answers = {name: data, **kept}
        _write(file, of, dict(list(answers.items())[:keep]))
    return data


def _shown(home: Home) -> str:
    """Return the name of what the home shows now; a home that never captured a log spares the module."""
    if not os.path.isdir(home.held_folder):
        return home.tip()
    from memory.cache.view_name import beside

    waits = beside(home)  # before the tip is looked up
    return home.tip() + waits


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
    """Tell whether a policy or a log can not be read, the format is newer, or a commit lost a log."""
    problem, version = snapshot.ask(
        lambda cache: (cache.policy_problem or cache.unread(), cache.policy.format), name
    )
    if problem or version > FORMAT_VERSION:
        return True
    if not snapshot.home.checked_out:
        return False
    from ledger.wal.spool import Spool
    from memory.repair.lost_blobs import dropped

    home = snapshot.home
    return bool(dropped(home, Spool(home.spool_folder), snapshot.tip.cache()))


def _waiting(home: Home) -> bool:
    """Tell whether logs wait that were asked for, or a process died at its work."""
    if died(home.repository.commondir):
        return True
    try:
        with os.scandir(home.spool_folder) as entries:
            return any(entry.is_file() for entry in entries)
    except OSError:
        return False


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
    try:
        with open(file.path, "rb") as kept_file:
            data = kept_file.read() if file.key else b""
    except OSError:
        return {}
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
