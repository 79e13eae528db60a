"""Take requests of other projects, and answers to one's own, as files of this clone (FORMAT.md, Y10).

What comes is judged by its form alone: one small file on a commit without parents. Nothing of it is
accepted by itself.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence

from ledger.codec.letter import (
    ANSWERING,
    ASKING,
    DECLINED,
    DONE,
    HASH_CHARS,
    LIMIT_BYTES,
    decode,
    is_name,
)
from ledger.errors import DiurnaError, NetworkFailed, NoRemote
from ledger.git.cli import Git
from ledger.home import Home
from ledger.model.layout import INBOX_DIR
from ledger.model.record import Record
from ledger.remote.remote import Remote, choose_remote
from ledger.remote.transport import advertised, fetch_shallow
from ledger.wal.atomic_files import make_folder, replace_file
from memory.api import Memory
from memory.replay.request_inbox import letters, taken_up
from rituals.sync.remote_mirrors import Bare, opened

#: At most so many requests wait, and so many are known with those that were refused.
WAITING, KNOWN = 50, 200
_LIMIT_MB, _SECONDS = 1, 30.0
_TAKEN = "refs/diurna/inbox/"
#: What a commit, its tree and the folder in it begin with; and the longest that they are.
_COMMIT, _ROOT, _FILE, _OBJECT_BYTES = b"tree ", b"40000 requests\0", b"100644 %s.md\0", 2048


class Happening(Record):
    """What a sync did about a request."""

    what: str  #: `asked`, `answered`, `refused`, `left`, `sent` or `failed`
    id: str  #: the hash of the request, else a branch or a remote
    line: str  #: what there is to say


def inbox_folder(home: Home) -> str:
    """Return the folder of requests."""
    return f"{home.repository.commondir}/{INBOX_DIR}"


def keep(home: Home, part: str, name: str, data: bytes) -> None:
    """Keep a letter in a folder of its sort."""
    make_folder(f"{inbox_folder(home)}/{part}")
    replace_file(f"{inbox_folder(home)}/{part}/{name}.md", data, 0o600)


def exchange(memory: Memory, asked: str = "", *, online: bool = True) -> tuple[Happening, ...]:
    """Take what others asked and answered.

    `asked` is the remote, as for `sync`; without `online` only this very repository is looked at, into
    which a project on the same machine may have pushed.
    """
    home = memory.home
    accept = memory.policy.inbox.accept
    if not (accept or os.path.isdir(inbox_folder(home))):
        return ()
    known = memory.ask(taken_up, committed=True)
    done, there = list[Happening](), set[str]()
    with opened(home, f"{inbox_folder(home)}/git") as bare:
        for remote in _places(bare, asked, online):
            try:
                done += _take(bare, remote, accept, known, there)
            except DiurnaError as problem:
                done.append(Happening("failed", remote.shown, problem.message))
    if accept and online and not any(one.what == "failed" for one in done):
        for name in _names(home) - there:
            if name[-HASH_CHARS:] not in known:  # it was taken back
                os.unlink(f"{inbox_folder(home)}/requests/{name}.md")
    return tuple(done)


def _places(bare: Bare, asked: str, online: bool) -> Iterator[Remote]:
    repository, branch = bare.home.repository, bare.home.branch
    yield bare.remote(repository.commondir)
    if online:
        for one in dict.fromkeys(("", asked)):  # the usual remote, whichever was asked for
            try:
                yield bare.remote(choose_remote(repository.git(), branch, one).url)
                return
            except NoRemote:
                continue


def _names(home: Home) -> set[str]:
    folder = f"{inbox_folder(home)}/requests"
    return {
        one.removesuffix(".md") for one in (os.listdir(folder) if os.path.isdir(folder) else ())
    }


def _take(
    bare: Bare, remote: Remote, accept: bool, known: Container[str], there: set[str]
) -> Iterator[Happening]:
    """Take what one place has; put the names of all requests there into `there`."""
    home = bare.home
    due = letters(home, "asked").keys() - letters(home, "answers").keys()
    patterns = [f"{ASKING}*"] * accept + [f"{ANSWERING}*"] * bool(due)
    refs = advertised(bare.git, remote, patterns) if patterns else {}
    names = {one.removeprefix(ASKING) for one in refs if one.startswith(ASKING)}
    there |= names
    here = _names(home)
    waits = [one for one in letters(home) if one[-HASH_CHARS:] not in known]
    room = max(0, min(WAITING - len(waits), KNOWN - len(here)))
    fresh = [one for one in names - here if is_name(one) and one[-HASH_CHARS:] not in known]
    fresh.sort()
    wanted = [ASKING + one for one in fresh[:room]]
    wanted += [ANSWERING + one for one in sorted(due) if ANSWERING + one in refs]
    _fetch(bare.git, remote, wanted)
    if len(fresh) > room:
        yield Happening("left", remote.shown, f"{len(fresh) - room} more requests wait there")
    for ref, data in _files(bare.git, wanted).items():
        name = ref.rpartition("/")[2]
        try:
            if isinstance(data, str):
                raise ValueError(data)
            letter = decode(data)
            if ref.startswith(ASKING):
                if name != f"{letter.asker}-{letter.hash}":
                    raise ValueError("its name is not that of what it asks")
                keep(home, "requests", name, data)
                yield Happening("asked", letter.hash, f'{letter.asker} (outside): "{letter.title}"')
            elif letter.state in (DONE, DECLINED):
                keep(home, "answers", name, data)
                yield Happening("answered", name, f"{letter.state}: {letter.title}")
        except ValueError as problem:
            if ref.startswith(ASKING):
                keep(home, "requests", name, b"")  # it is not looked at again
            yield Happening("refused", name, str(problem))


def _fetch(git: Git, remote: Remote, refs: Sequence[str]) -> None:
    """Fetch some branches; one that git refuses is in nobody's way."""
    if not refs:
        return
    specs = [f"+{ref}:{_TAKEN}{ref.rpartition('/')[2]}" for ref in refs]
    try:
        fetch_shallow(git, remote, specs, _SECONDS, _LIMIT_MB)
    except NetworkFailed:
        if len(refs) == 1:
            advertised(git, remote, refs)  # it can be reached: what it sends is bad
            return
        for half in (refs[: len(refs) // 2], refs[len(refs) // 2 :]):
            _fetch(git, remote, half)


def _files(git: Git, refs: Sequence[str]) -> dict[str, bytes | str]:
    """Return the file that each branch holds, or what is wrong with it.

    A tree is read where it has just the size of one with the file alone: none can be larger than it says.
    """
    names = [ref.rpartition("/")[2] for ref in refs]
    parts = ("", "^{tree}", ":requests", ":requests/{}.md")
    specs = [
        f"{_TAKEN}{name}{part.format(name) if '{}' in part else part}"
        for name in names
        for part in parts
    ]
    form = "--batch-check=%(objecttype) %(objectsize) %(objectname)"
    said = git.run("cat-file", form, data="".join([f"{one}\n" for one in specs]).encode())
    rows = [row.split(" ") for row in said.decode("utf-8", "replace").split("\n")]
    found: dict[str, bytes | str] = dict.fromkeys(
        refs, "it is not one file on a commit without parents"
    )
    ids: dict[str, list[str]] = {}
    for at, ref in enumerate(refs):
        four = rows[4 * at : 4 * at + 4]
        if four[0][-1] == "missing":
            found[ref] = f"git refuses it, or it is over {_LIMIT_MB} MB"
        if [row[0] for row in four] == ["commit", "tree", "tree", "blob"]:
            if int(four[3][1]) > LIMIT_BYTES:
                found[ref] = f"{four[3][1]} bytes, over {LIMIT_BYTES}"
            elif all(int(row[1]) <= _OBJECT_BYTES for row in four[:3]):
                ids[ref] = [row[2] for row in four]
    data = [one or b"" for one in git.blobs([one for four in ids.values() for one in four])]
    for at, ref in enumerate(ids):
        commit, tree, folder, file = data[4 * at : 4 * at + 4]
        alone = b"\nparent " not in commit.partition(b"\n\n")[0] and tree[:-20] == _ROOT
        if alone and folder[:-20] == _FILE % ref.rpartition("/")[2].encode():
            found[ref] = file
    return found
