"""Check settings of git that collect objects too early, or never flush them (fault:B9)."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.model.findings import Finding
from rituals.check.doctor.doctor_values import Noticed
from rituals.check.survey import Survey

_ASKED = r"^(gc\.pruneexpire|gc\.(.*\.)?reflogexpire(unreachable)?|core\.fsync|core\.fsyncmethod)$"
#: Times that git takes for "at once", or that a slow write may outlast.
_AT_ONCE = ("now", "all", "0")
_SOON = ("second", "minute")
#: What `core.fsync` must not leave out.
_FLUSHED = frozenset(
    "loose-object pack pack-metadata reference objects derived-metadata committed added all "
    "default".split()
)


def settings_noticed(survey: Survey) -> Iterator[Noticed]:
    """Name each setting that is in force here and endangers the ledger."""
    said = survey.home.repository.git().run("config", "-z", "--get-regexp", _ASKED, check=False)
    values: dict[str, str] = {}
    for row in said.decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = row.partition("\n")
        if key:
            values[key] = value.strip()
    for key, value in sorted(values.items()):
        if key == "gc.pruneexpire" and _is_soon(value):
            yield _setting(
                f"gc.pruneExpire is {value}: `git gc` deletes what a writer has not referred to yet",
                "let it outlive every write: git config gc.pruneExpire 2.weeks.ago",
            )
        elif key.startswith("gc.") and "reflogexpire" in key and _is_soon(value):
            yield _setting(
                f"{key} is {value}: where a branch stood before is forgotten at once, and can not "
                "be brought back",
                f"keep it long enough to notice a mistake: git config {key} 30.days.ago",
            )
        elif key == "core.fsync" and _leaves_out(value):
            yield _setting(
                f"core.fsync is {value}: git does not flush what it commits, and a power cut may "
                "take it (a log is safe in the spool until Diurna has flushed it)",
                "let git flush: git config core.fsync committed",
            )
        elif key == "core.fsyncmethod" and value.lower() == "writeout-only":
            yield _setting(
                "core.fsyncMethod is writeout-only: git leaves what it commits in the disk's cache, "
                "and a power cut may take it",
                "let git flush: git config core.fsyncMethod fsync",
            )


def _setting(message: str, hint: str) -> Noticed:
    return Noticed(Finding("git-setting", message, hint=hint))


def _is_soon(value: str) -> bool:
    lower = value.lower()
    return lower in _AT_ONCE or any(word in lower for word in _SOON)


def _leaves_out(value: str) -> bool:
    parts = [part.strip().lower() for part in value.split(",")]
    return "none" in parts or any(part[:1] == "-" and part[1:] in _FLUSHED for part in parts)
