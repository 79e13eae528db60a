"""Put a site where it belongs: beside whatever a person keeps there, and never half of it.

All files are written into a folder beside it first; only then each takes the place of the old one, pages
that lead to others last. A list of what is ours stands with them: what is not on it is never touched.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ledger.errors import Busy, WriteRefused
from ledger.wal.atomic_files import Lock, make_folder, replace_file, storage_failure

#: The list of our files, by which a site is known again.
LIST = ".diurna-site"
_HINT = "name a folder that is empty, not there yet, or a site that was exported before"


class Target:
    """The folder of a site.

    Args:
        folder: absolute; it need not be there yet.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        above, name = os.path.split(folder)
        self._beside = os.path.join(above, f".{name}.diurna-new")
        self.listed = _listed(folder)

    def refuse(self, files: Iterable[str]) -> None:
        """Refuse a folder that is somebody's, or a file of somebody's in the place of one of ours.

        Raises:
            WriteRefused: it is one.
        """
        if self.listed is None:
            if os.path.isdir(self.folder) and os.listdir(self.folder):
                said = f"{self.folder} holds other files, and is no site of Diurna's"
                raise WriteRefused(said, where=self.folder, hint=_HINT)
            return
        for path in files:
            full = os.path.join(self.folder, path)
            if path not in self.listed and os.path.lexists(full):
                said = f"{full} is not ours, and a page would stand in its place"
                raise WriteRefused(said, where=full, hint="move it elsewhere, and export again")
            for above in _folders(path):
                there = os.path.join(self.folder, above)
                if os.path.islink(there) or (os.path.lexists(there) and not os.path.isdir(there)):
                    raise WriteRefused(f"{there} is no folder", where=there, hint=_HINT)

    @contextmanager
    def beside(self) -> Iterator[str]:
        """Give a folder to write the files into; it is gone at the end.

        Raises:
            Busy: another export writes there now.
            StorageFailed: the disk refused.
        """
        make_folder(os.path.dirname(self._beside), 0o777)
        lock = Lock(f"{self._beside}.lock", wait_seconds=0.0)
        try:
            lock.__enter__()
        except Busy:
            said = f"another export writes {self.folder} now"
            raise Busy(said, hint="wait for its end") from None
        try:
            shutil.rmtree(self._beside, ignore_errors=True)  # of one that was killed
            make_folder(self._beside, 0o777)
            yield self._beside
        finally:
            shutil.rmtree(self._beside, ignore_errors=True)
            os.unlink(f"{self._beside}.lock")
            lock.__exit__(None, None, None)

    def take(self, beside: str, files: Iterable[str]) -> tuple[int, int]:
        """Move files into their place, and remove what was a page before and is none any more.

        Killed in the middle it leaves pages of both exports, each of them whole, and a list with which
        the next one ends it.

        The files are in `beside`, and are moved in the order in which they come.

        Returns:
            How many are new or other than before, and how many went.

        Raises:
            StorageFailed: the disk refused.
        """
        new = tuple(files)
        gone = sorted(set(self.listed or ()) - set(new))
        make_folder(self.folder, 0o777)
        self._write_list({*new, *gone})
        changed = 0
        try:
            for path in new:
                source, full = os.path.join(beside, path), os.path.join(self.folder, path)
                make_folder(os.path.dirname(full), 0o777)
                if not _is_same(source, full):
                    os.replace(source, full)
                    changed += 1
            removed = sum([_remove(self.folder, path) for path in gone])
        except OSError as problem:
            raise storage_failure(problem, self.folder) from problem
        self._write_list(new)
        return changed, removed

    def _write_list(self, files: Iterable[str]) -> None:
        data = json.dumps({"files": sorted(files)}, indent=0).encode()
        replace_file(os.path.join(self.folder, LIST), data + b"\n")


def write_beside(beside: str, path: str, data: bytes) -> None:
    """Write a file of a site that is not in its place yet; what is lost with the machine is made again.

    Raises:
        StorageFailed: the disk refused.
    """
    full = os.path.join(beside, path)
    make_folder(os.path.dirname(full), 0o777)
    try:
        with open(full, "wb") as file:
            file.write(data)
    except OSError as problem:
        raise storage_failure(problem, full) from problem


def _listed(folder: str) -> frozenset[str] | None:
    """Return the files that an export wrote, None where there was none."""
    path = os.path.join(folder, LIST)
    try:
        with open(path, encoding="utf-8") as file:
            said = json.load(file)["files"]
        if not all(isinstance(one, str) and _is_inside(one) for one in said):
            raise ValueError("a path leads out of the folder")
        return frozenset(said)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as problem:
        said = f"{path} is not as Diurna wrote it: {problem}"
        raise WriteRefused(said, where=path, hint=_HINT) from None


def _is_inside(path: str) -> bool:
    return path != LIST and not os.path.isabs(path) and ".." not in path.split("/")


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    for end in range(1, len(parts) + 1):
        yield "/".join(parts[:end])


def _is_same(one: str, other: str) -> bool:
    """Tell whether two files hold the same: the one that is there stays, and its time."""
    try:
        with open(one, "rb") as mine, open(other, "rb") as theirs:
            return not os.path.islink(other) and mine.read() == theirs.read()
    except FileNotFoundError:
        return False


def _remove(folder: str, path: str) -> bool:
    """Remove a page of ours, and its folder where nothing else is in it; tell whether it was there."""
    try:
        os.unlink(os.path.join(folder, path))
    except FileNotFoundError:
        return False
    for above in reversed(tuple(_folders(path))):
        try:
            os.rmdir(os.path.join(folder, above))
        except OSError:
            break
    return True
