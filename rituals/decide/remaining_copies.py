"""List what git itself still has of what was redacted, and what a person can do about that.

Nothing here changes anything in git. Whether a history is rewritten is for people to decide, who all have
clones of it.
"""

from __future__ import annotations

import os

from ledger.errors import StorageFailed
from ledger.model.layout import ARCHIVE_DIR, EDITABLE, PURGE_FILE, SESSIONS_DIR
from ledger.model.record import Record
from ledger.wal.atomic_files import replace_file
from memory.repair.redacted_copies import Telling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.api import Memory

#: How many files are read at once: bounds the memory.
_AT_ONCE = 500
#: Where the names of objects begin in an index of a pack, behind its head and the 256 counts.
_PACK_HEAD, _NAMES_AT, _NAME = b"\xfftOc\x00\x00\x00\x02", 8 + 4 * 256, 20


class Holding(Record):
    """What git has.

    Args:
        blobs: ids of the files that hold it: logs, `continuity.md`, pages of the archive; sorted.
        commits: how many commits brought them.
        messages: how many commits say it in their message.
        references: branches, tags, stashes and remote-tracking branches that lead to them, sorted.
        reflogs: how many of the commits nothing but a reflog leads to.
        packs: names of packs that have one of the files, sorted.
    """

    blobs: tuple[str, ...]
    commits: int
    messages: int
    references: tuple[str, ...]
    reflogs: int
    packs: tuple[str, ...]


def holding(
    memory: Memory, facts: Iterable[str], logs: Iterable[str], known: Iterable[str]
) -> Holding:
    """Look for texts of facts and words of logs in all that git keeps: branches, stashes, reflogs.

    Args:
        memory: the home, open.
        facts: whose texts are withheld.
        logs: stems of logs whose words are.
        known: blob ids of the logs that hold them.
    """
    home = memory.home
    git = home.repository.git()
    telling = Telling(home, memory.snapshot.cache(), frozenset(facts), frozenset(logs))
    paths = [home.prefix + path for path in (SESSIONS_DIR, *EDITABLE, ARCHIVE_DIR)]
    out = git.run(
        "--literal-pathspecs", "log", "--all", "--reflog", "-m", "--root",
        "--no-show-signature", "--no-renames", "--raw", "--no-abbrev", "--format=%x01%H%x02%B%x02", "--",
        *paths, check=False,
    )  # fmt: skip
    brought: dict[str, set[str]] = {}
    said: set[str] = set()
    for block in out.split(b"\x01")[1:]:
        commit, message, rows = block.split(b"\x02", 2)
        name = commit.decode("ascii")
        if telling.stands_in(message):
            said.add(name)
        for row in rows.split(b"\n"):
            words = row.split(b"\t", 1)[0].split()
            if row[:1] == b":" and words[4][:1] != b"D":
                brought.setdefault(words[3].decode("ascii"), set()).add(name)
    wanted = frozenset(known)
    names = sorted(brought)
    found: list[str] = []
    for start in range(0, len(names), _AT_ONCE):
        part = names[start : start + _AT_ONCE]
        found += [
            blob
            for blob, data in zip(part, git.blobs(part), strict=True)
            if blob in wanted or (data is not None and telling.stands_in(data))
        ]
    commits = {commit for blob in found for commit in brought[blob]} | said
    return Holding(
        tuple(found),
        len(commits),
        len(said),
        _references(memory, commits),
        _reflogs_alone(memory, commits),
        _packs(home.repository.commondir, found),
    )


def _references(memory: Memory, commits: set[str]) -> tuple[str, ...]:
    if not commits:
        return ()
    containing = [word for commit in sorted(commits) for word in ("--contains", commit)]
    out = memory.home.repository.git().run(
        "for-each-ref", "--format=%(refname)", *containing, check=False
    )
    return tuple(sorted(filter(None, out.decode("utf-8", "replace").split("\n"))))


def _reflogs_alone(memory: Memory, commits: set[str]) -> int:
    out = memory.home.repository.git().run("rev-list", "--reflog", "--not", "--all", check=False)
    return len(commits.intersection(out.decode("ascii", "replace").split()))


def _packs(commondir: str, blobs: Iterable[str]) -> tuple[str, ...]:
    folder = f"{commondir}/objects/pack"
    wanted = [bytes.fromhex(blob) for blob in blobs]
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".idx") and any(_indexed(f"{folder}/{name}", wanted)):
            found.append(name[:-4])
    return tuple(found)


def _indexed(path: str, wanted: Iterable[bytes]) -> Iterable[bool]:
    """Tell of each object whether a pack has it, by the sorted names in the pack's index."""
    with open(path, "rb") as file:
        if file.read(len(_PACK_HEAD)) != _PACK_HEAD:
            return
        counts = file.read(4 * 256)
        for name in wanted:
            first = name[0]
            low = int.from_bytes(counts[4 * first - 4 : 4 * first], "big") if first else 0
            high = int.from_bytes(counts[4 * first : 4 * first + 4], "big")
            file.seek(_NAMES_AT + _NAME * low)
            names = file.read(_NAME * (high - low))
            yield any(names[at : at + _NAME] == name for at in range(0, len(names), _NAME))


def note_purge(memory: Memory, found: Holding) -> str:
    """Write the ids of the files that hold it where `git filter-repo` can read them; return where."""
    path = f"{memory.home.repository.commondir}/{PURGE_FILE}"
    try:
        replace_file(path, "".join(f"{blob}\n" for blob in found.blobs).encode("ascii"), 0o600)
    except StorageFailed:
        return ""
    return path


def steps(found: Holding, ids: str) -> tuple[str, ...]:
    """Return the commands by which people take it out of a history, in order.

    Args:
        found: what git has.
        ids: the file that `note_purge` wrote.
    """
    words = " --replace-message WORDS" if found.messages else ""
    whole = f" --strip-blobs-with-ids {ids}" if ids else ""
    return (
        f"git filter-repo{whole}{words}",
        f"git filter-repo --replace-text WORDS{words}",
        "git reflog expire --expire=now --all",
        "git gc --prune=now",
    )
