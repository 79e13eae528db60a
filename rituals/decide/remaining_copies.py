"""List what git itself still has of what was redacted, and what a person can do about that.

Nothing here changes anything in git. Whether a history is rewritten is for people to decide, who all have
clones of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from ledger.codec.log import decode
from ledger.model.layout import ARCHIVE_DIR, EDITABLE, SESSIONS_DIR
from ledger.model.logset import LogRef
from ledger.model.order import is_sealed
from ledger.model.record import Record
from ledger.model.sha256 import blob_id
from memory.api import Memory
from memory.redaction.purged_bytes import Purge
from memory.redaction.withheld_lines import Telling
from memory.redaction.withheld_texts import held_logs, holders, texts_in, withheld_texts
from memory.replay.log_bytes import read_bytes
from projection.fold.fact_history import REDACTED_TEXT

#: How many files are read at once: bounds the memory.
_AT_ONCE = 500
#: Where the names of objects begin in an index of a pack, behind its head and the 256 counts.
_PACK_HEAD, _NAMES_AT, _NAME = b"\xfftOc\x00\x00\x00\x02", 8 + 4 * 256, 20


class Holding(Record):
    """What git has."""

    #: (path from the root, blob id) of the files that hold it: logs, `continuity.md`, pages of the
    #: archive; sorted
    places: tuple[tuple[str, str], ...]
    commits: int  #: how many commits brought them
    messages: tuple[str, ...]  #: the commits that say it in their message, the newest first
    #: branches, tags, stashes and remote-tracking branches that lead to them, sorted
    references: tuple[str, ...]
    reflogs: int  #: how many of the commits nothing but a reflog leads to
    packs: tuple[str, ...]  #: names of packs that have one of the files, sorted

    @property
    def blobs(self) -> tuple[str, ...]:
        """The ids of the files, sorted."""
        return tuple(sorted({blob for _, blob in self.places}))


def purge_of(memory: Memory, facts: Iterable[str], logs: Iterable[str]) -> Purge:
    """Return what takes facts' texts and logs' words out of bytes."""
    home, cache = memory.home, memory.cache()
    redacted, wordless = frozenset(facts), frozenset(logs)
    texts = {*withheld_texts(home, cache, redacted)}
    telling = Telling(home, cache, redacted, wordless)
    refs = [ref for stem in sorted(wordless) if (ref := cache.log_ref(stem)) is not None]
    # a purge that was killed may have gone through the tip, and not through other references
    held = sorted(held_logs(cache, (*redacted, *wordless)))
    before = zip(held, home.repository.git().blobs(blob for _, blob in held), strict=True)
    was = [(LogRef(one[0], "", one[1]), data) for one, data in before if data is not None]
    for ref, data in (*read_bytes(home, refs), *was):
        telling.read(ref.stem, data)
        texts |= texts_in(ref, data, redacted)
        if ref.stem in wordless:
            log = decode(data, sealed=is_sealed(ref.stem))[0]
            texts |= {log.title, log.prose} - {"", REDACTED_TEXT}
    return Purge(redacted, wordless, texts, telling)


def holding_of(memory: Memory, facts: Sequence[str], logs: Sequence[str]) -> Holding:
    """Look for texts of facts and words of logs in all that git keeps: branches, stashes, reflogs.

    Facts are named by their ids, logs by their stems.
    """
    home = memory.home
    git = home.repository.git()
    purge = purge_of(memory, facts, logs)
    telling = purge.telling
    paths = [home.prefix + path for path in (SESSIONS_DIR, *EDITABLE, ARCHIVE_DIR)]
    out = git.run(
        "--literal-pathspecs", "log", "--all", "--reflog", "-m", "--root",
        "--no-show-signature", "--no-renames", "--raw", "--no-abbrev", "--full-history",
        "--format=%x01%H%x02%B%x02", "--", *paths, check=False,
    )  # fmt: skip
    brought: dict[str, set[str]] = {}
    path_of: dict[str, str] = {}
    said: dict[str, None] = {}
    for block in out.split(b"\x01")[1:]:
        commit, message, rows = block.split(b"\x02", 2)
        name = commit.decode("ascii")
        if purge.message(message) != message:
            said[name] = None
        for row in rows.split(b"\n"):
            meta, _, path = row.partition(b"\t")
            words = meta.split()
            if row[:1] == b":" and words[4][:1] != b"D":
                blob = words[3].decode("ascii")
                brought.setdefault(blob, set()).add(name)
                path_of[blob] = path.decode("utf-8", "surrogateescape")
    cache = memory.cache()
    wanted = {blob for one in (*logs, *facts) for _, blob in holders(home, cache, one)}
    names = sorted(brought)
    found: list[str] = []
    for start in range(0, len(names), _AT_ONCE):
        part = names[start : start + _AT_ONCE]
        found += [
            blob
            for blob, data in zip(part, git.blobs(part), strict=True)
            if blob in wanted or (data is not None and telling.stands_in(data))
        ]
    commits = {commit for blob in found for commit in brought[blob]} | set(said)
    return Holding(
        tuple(sorted((path_of[blob], blob) for blob in found)),
        len(commits),
        tuple(said),
        _references(memory, commits),
        _reflogs_alone(memory, commits),
        _packs(home.repository.commondir, found),
    )


def standing(memory: Memory, found: Holding) -> tuple[str, ...]:
    """Return the files of all work trees of this clone in which it stands, sorted."""
    said = memory.home.repository.git().run("worktree", "list", "--porcelain")
    tops = [line[9:] for line in os.fsdecode(said).split("\n") if line.startswith("worktree ")]
    blobs, there = set(found.blobs), []
    for top in tops:
        for path in dict(found.places):
            try:
                with open(f"{top}/{path}", "rb") as file:
                    there += [f"{top}/{path}"] if blob_id(file.read()) in blobs else []
            except OSError:
                continue
    return tuple(sorted(there))


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
