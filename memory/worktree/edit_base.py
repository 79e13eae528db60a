"""Find by its machine line the version of `continuity.md` that a person's edit began from."""

from __future__ import annotations

from ledger.model.layout import COMMIT_SUBJECT, CONTINUITY_FILE
from projection.document.parse import machine_line, parse
from projection.views.files import has_rendered_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from projection.document.parse import MachineLine

#: How many commits of the file are looked at.
_DEEP = 30
#: Stands for a file that a commit took away.
_NO_BLOB = "0" * 40


def made_line(text: str) -> MachineLine | None:
    """Return the machine line, wherever a person left it."""
    return machine_line(text) or parse(text)[0].machine


def published(
    home: Home, tip: str, made_from: MachineLine, file: str = CONTINUITY_FILE
) -> str | None:
    """Return the newest committed `continuity.md`, or file of a view, that Diurna made from a set of logs.

    Commits of the person may stand on top of it, and others between them. Where no commit of Diurna's has
    this machine line (they were squashed), it is the oldest that has it.
    """
    if not tip:
        return None
    git, path = home.repository.git(), home.prefix + file
    found = None
    for deep in (1, _DEEP):  # mostly the newest is Diurna's, and a long history is not walked
        said = git.run(
            "log", f"-n{deep}", "--no-show-signature", "--format=%H %s", tip, "--",
            f":(top,literal){path}",
        )  # fmt: skip
        lines = [line for line in said.decode("utf-8", "replace").split("\n") if line]
        blobs = git.resolve(*[f"{line[:40]}:{path}" for line in lines]) if lines else []
        for line, body in zip(lines, git.blobs(blob or _NO_BLOB for blob in blobs), strict=False):
            text = (body or b"").decode("utf-8", "surrogateescape")
            if made_line(text) != made_from:
                continue  # of other logs: a rebase or a merge put the edit on top of it
            if not has_rendered_form(file, text):
                continue  # a person's, whatever the subject says: a commit of ours can be amended
            if line[41:].startswith(COMMIT_SUBJECT):
                return text
            found = text
    return found
