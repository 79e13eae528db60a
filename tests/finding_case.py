"""One transcript of a finding: what makes ready a home, what is said of it, and the table of all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.model.order import seal
from tests.conftest import Repo, Run

LOG = "sessions/2026-11-20-101500.md"
REFERENCES = "## Memory References\n\n"


#: When this machine's user commits, whatever its clock says.
_DATE = "2026-11-21T12:00:00Z"


class Shop(Repo):
    """A repository with a home in `memory/`, and the command line in it."""

    def __init__(self, path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(path)
        self.run, self.monkeypatch = run, monkeypatch
        self.home = path / "memory"

    @property
    def log(self) -> str:
        """The path of the log that every home has, relative to the home."""
        (name,) = self.git("ls-files", "memory/sessions/2026-11/21").splitlines()
        return name.removeprefix("memory/")

    def put(self, name: str, data: str | bytes) -> None:
        """Write a file of the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)

    def commit(self) -> None:
        """Commit everything, as a user does."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "by hand", "--date", _DATE)

    def object_file(self, spec: str) -> Path:
        """Return where git keeps an object."""
        name = self.git("rev-parse", spec).strip()
        return self.path / ".git/objects" / name[:2] / name[2:]


Arguments = tuple[str, ...]
Prepare = Callable[[Shop], Arguments]


class Case(NamedTuple):
    """One transcript.

    Args:
        prepare: makes the home ready and returns the command line.
        said: the line of the text form, stems and commits put by their names.
        hint: what stands on the `hint:` line behind it, "" where there is none.
        exit_code: of both forms.
        also: other codes that the command can not but report, too.
    """

    prepare: Prepare
    said: str
    hint: str
    exit_code: int
    also: tuple[str, ...]


CASES: dict[str, Case] = {}


def case(
    code: str, said: str, hint: str = "", *, exit_code: int = 0, also: tuple[str, ...] = ()
) -> Callable[[Prepare], Prepare]:
    """Put a case into the table."""

    def enter(prepare: Prepare) -> Prepare:
        assert code not in CASES
        CASES[code] = Case(prepare, said, hint, exit_code, also)
        return prepare

    return enter


def by_hand(data: str | bytes, path: str = LOG) -> Prepare:
    """Commit a log that somebody wrote by hand, and verify."""

    def prepare(shop: Shop) -> Arguments:
        shop.put(path, data)
        shop.commit()
        return ("check", "--ci")

    return prepare


def sealed(text: str, ended: str = "2026-11-20T10:15:00.000Z") -> Prepare:
    """Commit a log whose name proves its bytes, as another writer of the format would."""
    text = f"---\nended: {ended}\n---\n{text}"
    stem = seal("2026-11-20-101500000", text.encode())
    return by_hand(text, f"sessions/2026-11/20/{stem}.md")


def born(blocks: str, fact: str = "a") -> str:
    """Write a log that creates a fact, with these blocks."""
    return f"{REFERENCES}- Created: {fact}\n\n## Facts\n\n{blocks}"
