"""Set up the local side of the merge rules: a plain `git pull` keeps this clone's projections.

`.gitattributes` (in the home) keeps git from merging them anywhere. Where Diurna writes, both sides
change them, and git would call that a conflict; so `diurna init`, or else the first write, sets a driver
that keeps ours, in files that never leave this clone. The next command recomputes (FORMAT.md, M2).
"""

from __future__ import annotations

import os

from ledger.errors import DiurnaError, WriteRefused
from ledger.home import OWN_BRANCH, Home
from ledger.model.finding_codes import Finding
from ledger.model.layout import ARCHIVE_DIR, ARCHIVE_INDEX, CONTINUITY_FILE, POLICY_FILE, VIEW_FILES
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, replace_file

PAGE_DRIVER = "diurna-ours"
#: A person's edit bears the machine line of what it was made from, or none. Were it merged away, a
#: `git stash pop` or a rebase would lose it: git then stops, with the file as it is here, unmarked.
_KEEP = (
    "o=$(tail -n1 %O); b=$(tail -n1 %B); "
    'case $o in "<!-- diurna: "*) case $b in "$o") exit 1;; "<!-- diurna: "*);; *) exit 1;; esac;; esac'
)
#: A view that is published no more may have become a person's own: such a file is merged as git does it.
VIEW_DRIVER = "diurna-view"
_VIEW_KEEP = (
    'o=$(tail -n1 %O); case $o in "<!-- diurna: "*) b=$(tail -n1 %B); case $b in "$o") exit 1;; '
    '"<!-- diurna: "*);; *) exit 1;; esac;; *) git merge-file -q %A %O %B;; esac'
)
_SETTINGS = (
    (f"merge.{PAGE_DRIVER}.name", "keep ours; Diurna recomputes"),
    (f"merge.{PAGE_DRIVER}.driver", _KEEP),
    (f"merge.{VIEW_DRIVER}.name", "keep ours of a view; Diurna recomputes"),
    (f"merge.{VIEW_DRIVER}.driver", _VIEW_KEEP),
)
#: The pages that are computed, and nothing else that somebody keeps in that folder.
_PAGES = f"{ARCHIVE_DIR}/[0-9][0-9][0-9][0-9]-Q[1-4].md"


class Drivers(Record):
    """What is missing in a clone for plain pulls to keep ours."""

    path: str = ""  #: the clone's own attributes
    lines: tuple[str, ...] = ()  #: that are not in it yet
    #: (key, value) that its configuration has not, or has otherwise
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def steps(self) -> tuple[str, ...]:
        """What `apply_drivers` will do, in sentences."""
        lines = "set merge=diurna-ours for generated pages in .git/info/attributes"
        settings = "set the merge driver diurna-ours in the repository's configuration"
        return (lines,) * bool(self.lines) + (settings,) * bool(self.settings)


#: Of a repository that is yet to be made.
NEW_CLONE = Drivers("", (PAGE_DRIVER,), _SETTINGS)


def attribute_lines(prefix: str) -> tuple[str, ...]:
    """Return the lines for the projection of a home, in the syntax of gitattributes."""
    literal = "".join("\\" + char if char in "\\*?[" else char for char in prefix)
    drivers = dict.fromkeys((CONTINUITY_FILE, ARCHIVE_INDEX, _PAGES), PAGE_DRIVER)
    drivers |= dict.fromkeys(VIEW_FILES, VIEW_DRIVER)
    return tuple(
        f"{_quoted(f'/{literal}{pattern}')} merge={driver}" for pattern, driver in drivers.items()
    )


def _quoted(pattern: str) -> str:
    """Write a pattern as git reads it: blanks and quotes part it from its attributes otherwise."""
    if not any(char <= " " or char == '"' for char in pattern):
        return pattern
    escaped = pattern.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(f"\\{ord(char):03o}" if char < " " else char for char in escaped) + '"'


def plan_drivers(home: Home) -> Drivers:
    """Say what a clone still lacks, whatever was set before."""
    if not needs_drivers(home):
        return Drivers()
    path = os.path.realpath(f"{home.repository.commondir}/info/attributes")
    lines = _read(path).decode("utf-8", "surrogateescape").split("\n")
    there = {line.rstrip("\r") for line in lines}
    git = home.repository.git()
    settings = [
        (key, value)
        for key, value in _SETTINGS
        if git.text("config", "--local", "--get", key, check=False).rstrip("\n") != value
    ]
    missing = tuple(line for line in attribute_lines(home.prefix) if line not in there)
    return Drivers(path, missing, tuple(settings))


def apply_drivers(home: Home, plan: Drivers) -> None:
    """Set what is missing behind what is there; not one byte of that changes.

    Raises:
        DiurnaError: a file can not be written.
    """
    if plan.lines:
        data = _read(plan.path)
        if data and not data.endswith(b"\n"):
            data += b"\n"
        data += "".join(line + "\n" for line in plan.lines).encode("utf-8", "surrogateescape")
        make_folder(os.path.dirname(plan.path), 0o777)
        replace_file(plan.path, data)
    for key, value in plan.settings:
        home.repository.git().configure("config", "--local", key, value)
    if needs_drivers(home):
        marker = _marker(home)
        make_folder(os.path.dirname(marker))
        replace_file(marker, b"", 0o600)


def ensure_drivers(home: Home) -> list[Finding]:
    """Set them once for each clone and prefix; a failure does not stop the write."""
    try:
        if os.path.exists(_marker(home)) or not needs_drivers(home):
            return []
        apply_drivers(home, plan_drivers(home))
    except (DiurnaError, OSError) as problem:
        hint = "diurna init sets it when that is mended; until then git may stop there in a pull"
        said = f"a plain `git pull` is not told to keep {CONTINUITY_FILE} as it is here: {problem}"
        return [Finding("merge-attribute", said, CONTINUITY_FILE, hint=hint)]
    return []


def needs_drivers(home: Home) -> bool:
    """Tell whether git merges the home's files in a work tree.

    An own branch is never checked out. Where somebody does it all the same, in a linked worktree, the
    attributes would hold for files of the same names on all other branches, too.
    """
    if home.kind == OWN_BRANCH or not home.checked_out:
        return False
    repository = home.repository
    if home.prefix or repository.gitdir == repository.commondir:
        return True
    return bool(repository.git().resolve(f"main-worktree/HEAD:{POLICY_FILE}")[0])


def _marker(home: Home) -> str:
    name = home.prefix.replace("/", "%2F")
    return f"{home.repository.commondir}/diurna/merge-driver@{name}"


def _read(path: str) -> bytes:
    """Return a file's bytes, none where there is no file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
    except OSError as problem:
        raise WriteRefused(
            f"{path} can not be read: {problem.strerror}",
            hint="it holds this clone's own git attributes; put a plain file or nothing there",
        ) from problem
