"""For whom and where a brief is made: who asks, which branch is checked out, what is changed.

All of it is part of what a brief is kept under, so it has to be known before anything else, and cheaply:
small files are read, and git is asked only for what they do not say.
"""

from __future__ import annotations

import os

from ledger.git.repository import head
from ledger.home import Home
from ledger.model.record import Record

#: How many characters a brief has where nobody says.
BRIEF_CHARS = 7500
#: How many changed files are looked at.
_FILES = 100
#: Where more than a plain reading may be meant.
_MORE = ("[include", "worktreeconfig", "\\\n")
#: What a plain value does not hold.
_MARKS = '"\\#;\t'


class Wish(Record):
    """A brief as it is asked for.

    Args:
        agent: who asks, "" for the name that git commits with.
        role: whose notes are wanted, "" for nobody's.
        task: what is about to be done, "" where that is not said.
        budget_chars: how many characters the answer may have.
        format: how it is written, as `projection.brief.forms` names it.
    """

    agent: str = ""
    role: str = ""
    task: str = ""
    budget_chars: int = BRIEF_CHARS
    format: str = "markdown"


def agent_of(home: Home) -> str:
    """Return the name under which git commits here, which is that of logs that name no agent."""
    name = _plain_name(home)
    if name is None:
        from ledger.git.identity import IdentityQuestion

        name = IdentityQuestion(home.repository).answer().name
    return name


def _plain_name(home: Home) -> str | None:
    """Read `user.name` off configuration in the form git writes; None when git has to be asked."""
    files = [home.repository.commondir + "/config"]
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    if named is not None:
        files.append(named)
    else:
        files.append(os.path.expanduser("~/.gitconfig"))
        folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        files.append(folder + "/git/config")
    for path in files:  # the first that says it wins
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return None
        found = _name_in(text)
        if found != "":
            return found
    return None


def _name_in(text: str) -> str | None:
    """Return the name that one file says, "" when it says none, None when it may mean more."""
    lower = text.lower().replace("\r", "")
    if any(word in lower for word in _MORE):
        return None
    found = ""
    here = False
    for line in text.split("\n"):
        line = line.strip(" \t\r")
        if line[:1] == "[":
            here = line.lower() == "[user]"
            if not here and line.lower().startswith("[user]"):
                return None  # a setting on the line of its section
        elif here:
            key, equals, value = line.partition("=")
            if key.strip().lower() == "name":
                found = value.strip(" \t")
                if not equals or not found or any(one in found for one in _MARKS):
                    return None
    return None if "  " in found else found


def branch_of(home: Home) -> str:
    """Return the branch that is checked out where the work is done, "" for none."""
    return head(home.repository)[0].removeprefix("refs/heads/")


def changed_files(home: Home) -> tuple[str, ...]:
    """Return which files of the work tree differ from what is committed, sorted, without the home's."""
    if not home.repository.top:
        return ()
    said = home.repository.git().run(
        "status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all", check=False
    )
    paths = [row[3:] for row in said.decode("utf-8", "surrogateescape").split("\0") if row]
    ours = home.prefix or "sessions/"
    return tuple(sorted(path for path in paths if not path.startswith(ours))[:_FILES])
