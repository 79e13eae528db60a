"""Say where a passage stands: `path:line@commit`, as the footer `source` of a fact has it."""

from __future__ import annotations

import re

from ledger.errors import NotFound
from ledger.git.code_history import Code
from ledger.git.repository import find_repository, head
from ledger.home import OWN_REPOSITORY, Home
from ledger.model.record import Record

#: So much of its id names a commit for good.
COMMIT_CHARS = 12
_PLACE = re.compile(r"([^\n]+):([1-9]\d{0,6})@([0-9a-f]{7,40})$")


class Origin(Record):
    """A line of a file at a commit."""

    path: str
    line: int
    commit: str

    @property
    def said(self) -> str:
        """The place as one reads it."""
        return f"{self.path}:{self.line} at {self.commit[:7]}"


def origin_in(source: str) -> Origin | None:
    """Return the place that a footer names, None where it names none of this form."""
    match = _PLACE.match(source)
    return Origin(match[1], int(match[2]), match[3]) if match else None


def code_of(home: Home, path: str = "", option: str = "--code") -> Code | None:
    """Return the code that a ledger is about; None where it has none.

    In-tree and own-branch homes stand in its repository; a repository of their own has none unless one
    is named. `path` is a folder in a code repository, "" for the home's own; the user named it by
    `option`.

    Raises:
        NotFound: there is no repository with a commit at `path`.
    """
    if not path:
        if home.kind == OWN_REPOSITORY:
            return None
        commit = head(home.repository)[1]
        return Code(home.repository.git(), commit, home.prefix) if commit else None
    repository = find_repository(path)
    commit = head(repository)[1] if repository else ""
    if repository is None or not commit:
        raise NotFound(
            f"there is no git repository with a commit at {path}",
            where=option,
            hint="name a folder in the repository whose code this memory is about",
        )
    same = repository.commondir == home.repository.commondir
    return Code(repository.git(), commit, home.prefix if same else "")
