"""Find in the history who wrote a projection file, and by its machine line what an edit began from."""

from __future__ import annotations

from ledger.errors import ObjectMissing
from ledger.git.git_objects import FEW_COMMITS, Objects
from ledger.home import Home
from ledger.model.layout import ARCHIVE_DIR, COMMIT_SUBJECT, CONTINUITY_FILE, EDITABLE
from ledger.model.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from ledger.model.event import Event
    from ledger.model.finding_codes import Finding
    from projection.document.page_parser import MachineLine

#: What git says of a commit for `is_own`.
OWN_FORMAT = "%at %ct %s"

#: How many commits are looked at for a base; and for writers.
_DEEP, _DEEP_WRITERS = 30, 2000
#: Stands for a file that a commit took away.
_NO_BLOB = "0" * 40
#: How many of the newest commits of the file are looked at in a history that never was.
_DEEP_EDITS = 100
#: The year 2100: a date from then on is a slip or a trick, and counts as none.
_LATEST_SECONDS = 4_102_444_800


class CommittedEdit(Record):
    """A commit of a person's that changed `continuity.md`, and what that says."""

    commit: str  #: its id
    blob: str  #: of the file in it
    author: str  #: who made it
    seconds: int  #: when, since 1970; 0 for a date that can not be
    events: tuple[Event, ...] = ()  #: what it says; none where it is no log
    stem: str = ""  #: of the log that says so
    data: bytes = b""  #: the log
    findings: tuple[Finding, ...] = ()  #: what was not understood


def is_own(said: str) -> bool:
    """Tell whether a commit is as Diurna made it, by its `OWN_FORMAT`.

    Diurna's bear one time twice. Whoever amends one, melds an edit into it or rebases it leaves the
    subject and the author's time, and makes it at another.
    """
    authored, made, subject = said.split(" ", 2)
    return authored == made and subject.startswith(COMMIT_SUBJECT)


def ever_committed(
    home: Home, tip: str, blobs: Mapping[str, str], counts: Callable[[str], bool] = bool
) -> set[str]:
    """Return those of some projection files whose bytes once stood there, whoever committed them.

    Only commits count of which `counts` says so by their `OWN_FORMAT`.
    """
    pages = [path for path in EDITABLE if path in blobs]
    pages += [ARCHIVE_DIR] * bool(blobs.keys() - set(EDITABLE))
    if not tip or not pages:
        return set()
    found = _put_lately(home, tip, blobs, counts, pages)
    if len(found) == len(blobs):  # mostly the newest has them, and a long history is not walked
        return found
    # with -m a merge that differs from all its sides is shown too: a join writes the projection anew;
    # of a damaged history only what is newer than the damage proves anything
    said = home.repository.git().run(
        *("log", f"-n{_DEEP_WRITERS}", "-m", "--raw", "--no-abbrev", "--no-renames"),
        *("--no-show-signature", f"--format=%x00{OWN_FORMAT}", tip, "--"),
        *[f":(top,literal){home.prefix}{path}" for path in pages],
        check=False,
    )
    counted = False
    for line in said.decode("utf-8", "surrogateescape").split("\n"):
        if line[:1] == "\0":
            counted = counts(line[1:])
        elif counted and line[:1] == ":":
            meta, _, path = line.partition("\t")
            inside = path[len(home.prefix) :]
            if blobs.get(inside) == meta.split(" ")[3]:
                found.add(inside)
    return found


def _put_lately(
    home: Home, tip: str, blobs: Mapping[str, str], counts: Callable[[str], bool], pages: list[str]
) -> set[str]:
    """Return those that the newest commit put there that changed one of these pages; no git is asked."""
    paths, cut = [home.prefix + path for path in pages], len(home.prefix)
    with Objects(home.repository) as objects:
        for _ in range(FEW_COMMITS):
            try:
                head = objects.header(tip)
                sides = [objects.differences(one, tip, *paths) for one in head.parents or ("",)]
            except ObjectMissing:  # a history that is cut
                break
            if [] not in sides and counts(f"{head.authored} {head.seconds} {head.subject}"):
                put = [(path[cut:], blob) for rows in sides for _, _, blob, path in rows]
                return {path for path, blob in put if blobs.get(path) == blob}
            if [] not in sides or not head.parents:
                break
            tip = head.parents[sides.index([])]
    return set()


def made_line(text: str) -> MachineLine | None:
    """Return the machine line, wherever a person left it."""
    from projection.document.page_parser import machine_line, parse

    return machine_line(text) or parse(text)[0].machine


def line_of(home: Home, tip: str, text: str) -> MachineLine | None:
    """Return the machine line of a committed page; or that of what stood there before."""
    older = (made_line(one) for _, _, one in _versions(home, tip, _DEEP)) if tip else ()
    return made_line(text) or next((line for line in older if line), None)


def _versions(home: Home, tip: str, deep: int) -> Iterator[tuple[str, str, str]]:
    """Yield (commit in `OWN_FORMAT`, blob id, text) of the page, newest first."""
    git, path = home.repository.git(), home.prefix + CONTINUITY_FILE
    said = git.run(
        *("log", f"-n{deep}", "--no-show-signature", f"--format=%H {OWN_FORMAT}", tip, "--"),
        f":(top,literal){path}",
        check=False,
    )
    lines = [line for line in said.decode("utf-8", "replace").split("\n") if line]
    blobs = git.resolve(*[f"{line[:40]}:{path}" for line in lines]) if lines else []
    bodies = git.blobs(blob or _NO_BLOB for blob in blobs)
    for line, blob, body in zip(lines, blobs, bodies, strict=False):
        yield line, blob, (body or b"").decode("utf-8", "surrogateescape")


def published(
    home: Home, tip: str, made_from: MachineLine, told: Collection[str] = ()
) -> str | None:
    """Return the newest committed `continuity.md` that Diurna made from a set of logs.

    Commits of the person may stand on top of it, and others between them. Where no commit of Diurna's has
    this machine line (they were squashed, or amended), it is what the logs of the oldest that has it give.
    `tip` is where to look from; `made_from` names the logs; `told` are blob ids of people's files that
    logs say: a newer one of these counts in its place.
    """
    if not tip:
        return None
    from projection.document.page_parser import has_rendered_form

    found = oldest = ""
    for deep in (1, _DEEP):  # mostly the newest is Diurna's, and a long history is not walked
        for line, blob, text in _versions(home, tip, deep):
            if made_line(text) != made_from:
                continue  # of other logs: a rebase or a merge put the edit on top of it
            if blob in told:
                return text
            oldest = line[:40]
            if not has_rendered_form(CONTINUITY_FILE, text):
                continue  # a person's, whatever the subject says: a commit of ours can be amended
            if is_own(line[41:]):
                return text
            found = text
    return (_as_made(home, oldest, made_from, found) if oldest else found) or None


def _as_made(home: Home, commit: str, made_from: MachineLine, text: str) -> str:
    """Return what Diurna made of a commit's logs, where a text says something else than they do.

    Else the text: its logs may be elsewhere, and another version of Diurna may have rendered them. The
    commit has the machine line `made_from`; `text` is of the oldest file with that line that Diurna may
    have rendered, "" for none.
    """
    from memory.replay.state_as_of import cold_state
    from memory.replay.tip_snapshot import Snapshot
    from projection.document.edit_events import absorb
    from projection.document.page_renderer import render

    state = cold_state(Snapshot(home, lambda *_: None), commit)
    if state.summary.digest != made_from.digest:
        return text
    made = render(state.view())
    if text and not absorb(made, text, state.policy, state.get).events:
        return text
    return made


def edited_commits(home: Home, tip: str, known: str) -> list[CommittedEdit]:
    """Return people's commits that changed the page, on any side of a merge; none that was built on.

    A later commit that has the edited file as its own base knows it: Diurna absorbs before it writes,
    and of what people wrote on top of each other the last counts. A merge may have passed it over,
    or be an edit itself: it has what none of its sides had. Oldest first. `tip` is where to look from;
    `known` is a commit whose history was looked at before, "" for none.
    """
    if not tip or tip == known or _are_own(home, tip, known):
        return []
    git, path = home.repository.git(), home.prefix + CONTINUITY_FILE
    part = (f"^{known}",) if known and git.resolve(known)[0] else (f"-n{_DEEP_EDITS}",)
    said = git.run(
        "log", "--no-show-signature", "--encoding=UTF-8", "--full-history", "--topo-order",
        f"--format=%H%x00%P%x00%an%x00%at%x00{OWN_FORMAT}", tip, *part, "--", f":(top,literal){path}",
        check=False,
    )  # fmt: skip
    lines = [line.split("\0", 4) for line in said.decode("utf-8", "replace").split("\n")]
    rows = [(line, line[1].split()) for line in lines if len(line) == 5]
    if all(is_own(line[4]) or not parents for line, parents in rows):
        return []
    commits = [(*parents, line[0]) for line, parents in rows]
    blobs = iter(git.resolve(*[f"{one}:{path}" for some in commits for one in some]))
    # the file in the parents, and last here
    sides = [[next(blobs) for _ in some] for some in commits]
    built_on = {some[0] for some in sides if len(some) == 2}
    found = []
    for (line, parents), (*before, after) in zip(rows, sides, strict=True):
        commit, _, author, date, own = line
        if parents and after and not is_own(own) and after not in (*built_on, *before):
            seconds = int(date) if date.isdigit() and int(date) < _LATEST_SECONDS else 0
            found.append(CommittedEdit(commit, after, author, seconds))
    return found[::-1]


def _are_own(home: Home, tip: str, known: str) -> bool:
    """Tell whether the commits from a tip back to one are few, and all Diurna's, without git."""
    found = Objects(home.repository).between(tip, known).values()
    return bool(found) and all(
        is_own(f"{head.authored} {head.seconds} {head.subject}")
        for side, head in found
        if side == 1 and head.parents
    )
