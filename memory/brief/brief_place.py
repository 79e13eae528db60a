"""Find out for whom and where a brief is made: who asks, which branch, which files are changed.

All of it is part of the key under which a brief is kept, so it has to be known first, and cheaply.
"""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.git.config_files import plain_user_name
from ledger.git.repository import head
from ledger.home import Home
from ledger.model.layout import BRIEF_CHARS as BRIEF_CHARS
from ledger.model.record import Record

#: How many changed files are looked at.
_FILES = 100


class Wish(Record):
    """A brief as it is asked for, in markdown and without a task."""

    agent: str = ""  #: who asks, "" for the name that git commits with
    role: str = ""  #: whose notes are wanted, "" for nobody's
    budget_chars: int = BRIEF_CHARS  #: how many characters the answer may have


def agent_of(home: Home) -> str:
    """Return the name under which git commits here, which is that of logs that name no agent."""
    name = plain_user_name(home.repository.commondir)
    if name is None:
        from ledger.git.commit_record import IdentityQuestion

        name = IdentityQuestion(home.repository).answer().name
    return name


def branch_of(home: Home) -> str:
    """Return the branch that is checked out where the work is done, "" for none."""
    return head(home.repository)[0].removeprefix("refs/heads/")


def changed_files(home: Home) -> tuple[str, ...]:
    """Return which files of the work tree differ from what is committed, sorted, without the home's."""
    if not home.repository.top:
        return ()
    try:
        said = home.repository.git().status("--no-renames", "--ignore-submodules=all")
    except DiurnaError:
        return ()  # a brief says what it can
    paths = [row[3:] for row in said]
    ours = home.prefix or "sessions/"
    return tuple(sorted(path for path in paths if not path.startswith(ours))[:_FILES])
