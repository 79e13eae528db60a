"""Define the root of what Diurna raises on purpose, and what stands not in the one module that raises it.

A failure changes nothing and carries the facts its sentence is made of. What a caller may act on is
the class; what a person or an agent reads is `message`, `where` and `hint`. A hint never names a
command that deletes or forces.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.finding_codes import Finding


#: What the system says when the disk refuses, in the C locale, and what to do then.
DISK_REFUSED = (
    ("No space left on device", "free some space on that disk and try again"),
    ("Disk quota exceeded", "your quota on that disk is used up"),
    ("File too large", "the file-size limit of this shell is too low (ulimit -f)"),
    ("Read-only file system", "the disk is read-only; reading still works"),
    ("Permission denied", "this user may not write there; reading still works"),
    ("Operation not permitted", "this user may not write there; reading still works"),
    ("Too many open files", "too many files are open in this process"),
    ("Input/output error", "the disk reports an error: it is not durable; check the disk"),
)


class DiurnaError(Exception):
    """A refused or failed action; `exit_code` is what the command line returns for it."""

    exit_code = 1

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class WrongUsage(DiurnaError):
    """The request itself makes no sense."""

    exit_code = 2


class HomeNotFound(DiurnaError):
    """No home at or above the given folder; `because` says what stands there instead, if anything.

    `near`: there is one which the hint leads to, so that an agent who begins there is told of it.
    """

    def __init__(self, start: str, because: str = "", hint: str = "", near: bool = False) -> None:
        self.because, self.near = because, near
        super().__init__(
            f"no Diurna home at or above {start}" + (f": {because}" if because else ""),
            hint=hint
            or "`diurna init` brings the one that a remote has, else makes one; --home PATH names one",
        )


class NotFound(DiurnaError):
    """A fact, log or commit that was asked for does not exist."""


class _Refused(DiurnaError):
    """Something with `findings` that say why."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        super().__init__(f"{first.message}{more}", where=first.where, hint=first.hint)
        self.findings = findings


class DraftRefused(_Refused):
    """A session log that can not be stored canonically; `findings` say why."""


class WriteRefused(DiurnaError):
    """The repository is in a state in which Diurna must not commit."""


class WaitsInSpool(DiurnaError):
    """The log could not be committed now; it is kept in the spool under `stem`."""

    def __init__(self, stem: str, reason: str, hint: str = "") -> None:
        super().__init__(
            f"the log {stem} is saved, and not committed yet: {reason}",
            hint=hint or "the next Diurna command that can write commits it; nothing is lost",
        )
        self.stem = stem
        self.reason = reason


class Busy(DiurnaError):
    """Another process held a lock for longer than the limit."""


class StorageFailed(DiurnaError):
    """The disk or the object store refused or lied."""


class GitFailed(DiurnaError):
    """A git command ended with an error; `stderr` is what it said."""

    def __init__(self, command: str, status: int, stderr: str) -> None:
        self.stderr = stderr.strip()
        self.status = status
        said = self.stderr.split("\n")[-1] if self.stderr else "it said nothing"
        super().__init__(f"git {command} failed ({status}): {said}")

    @property
    def killed(self) -> bool:
        """Whether it was ended from outside: it says nothing of the repository."""
        return self.status < 0


class CorruptRepository(DiurnaError):
    """An object of the repository is missing or unreadable."""


class ObjectMissing(GitFailed, CorruptRepository):
    """git could not read an object that a command needs."""

    def __init__(self, command: str, status: int, stderr: str, where: str, about: str) -> None:
        super().__init__(command, status, stderr)
        lines = [line.partition(": ")[2] or line for line in self.stderr.split("\n")]
        borrowed = next((line for line in lines if "alternate" in line), "")
        what = f" ({about})" if about else ""
        self.message = f"an object of {where} is missing or damaged{what}: {borrowed or lines[-1]}"
        self.hint = (
            "`diurna check` names what is missing (so does `git fsck`), and "
            "with --fix brings back what it can"
        )
        if borrowed:
            self.hint = (
                "bring that repository back, or say in .git/objects/info/alternates where it is now"
            )

    def __str__(self) -> str:
        return self.message


class ObjectTooLarge(DiurnaError):
    """An object has more bytes than anything in a ledger may have; it was not read."""

    def __init__(self, oid: str, size: int) -> None:
        super().__init__(f"object {oid} has {size} bytes, more than belongs into a ledger")
        self.size = size


class HandEdited(DiurnaError):
    """A projection file was edited by hand; Diurna does not write over it."""


class EditNotUnderstood(_Refused, HandEdited):
    """A person's edit of a projection file that no event can say; `findings` say what and where."""


class Outrun(DiurnaError):
    """Another writer was faster than something that only holds for one tip: work it out again."""

    def __init__(self, reference: str) -> None:
        super().__init__(
            f"{reference} moved while it was being looked at",
            hint="try again; nothing was changed",
        )


class SyncRefused(DiurnaError):
    """Two tips that must not be joined without a person; nothing was changed."""


def storage_failure(problem: OSError, path: str) -> StorageFailed:
    """Say in a sentence why the disk refused."""
    said = problem.strerror or str(problem)
    hint = next(
        (hint for words, hint in DISK_REFUSED if words in said), "mend the cause and try again"
    )
    return StorageFailed(f"can not write {path}: {said}", hint=hint)
