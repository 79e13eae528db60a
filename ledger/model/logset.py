"""Find the session logs in a commit: which files are logs, and under which key each is folded."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.findings import Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.log_stamps import has_time, is_sealed, is_stem, key_of, stem_in
from ledger.model.record import Record

_FILE_MODE = "100644"
#: Files that people and tools put beside logs, and that mean nothing.
_BESIDE = ("INDEX", "README", ".gitkeep")


class LogRef(Record):
    """One log of the set.

    `key` is what `key_of` makes of the stem; when two logs share a stem and differ in bytes, the second
    and later ones (by blob id) have `~<blob>` behind it, which still sorts right behind it.
    """

    key: str
    path: str
    blob: str

    @property
    def stem(self) -> str:
        """The log's name."""
        return stem_in(self.key)


def log_refs(
    rows: Iterable[tuple[str, str, str]], prefix: str
) -> tuple[list[LogRef], tuple[Finding, ...]]:
    """Return the logs among files, in ledger order, and what else was there.

    Rows are (mode, blob id, path from the repository's root) of files below the sessions folder; paths
    in the result are relative to `prefix`, the home's.
    """
    cut = len(prefix)
    by_stem: dict[str, LogRef] = {}
    twins: dict[str, list[LogRef]] = {}
    findings: list[Finding] = []
    for mode, blob, full in rows:
        path = full[cut:]
        stem = stem_of(path)
        sealed = is_sealed(stem)
        if mode != _FILE_MODE or not sealed:
            finding = _odd(mode, path, stem)
            if finding is not None:
                findings.append(finding)
                if finding.code != "date-only-name":
                    continue
            elif not is_stem(stem):
                continue
        ref = LogRef(stem if sealed else key_of(stem), path, blob)
        if stem in by_stem:
            twins.setdefault(stem, [by_stem[stem]]).append(ref)
        else:
            by_stem[stem] = ref
    for stem, refs in twins.items():
        distinct = {ref.blob: ref for ref in sorted(refs, reverse=True)}
        first, *others = [distinct[blob] for blob in sorted(distinct)]
        by_stem[stem] = first
        for ref in others:
            key = f"{ref.key}~{ref.blob}"
            by_stem[key] = ref._replace(key=key)
            both = " and ".join(sorted((ref.path, first.path)))
            said = f"{both} are both named {stem} and differ; both are read"
            hint = "if one of them is a copy that was changed, say so in a new log"
            findings.append(Finding("duplicate-stem", said, ref.path, hint=hint))
    return sorted(by_stem.values()), tuple(findings)


def _odd(mode: str, path: str, stem: str) -> Finding | None:
    if mode != _FILE_MODE:
        return Finding(
            "not-a-file",
            f"{path} has mode {mode}; only ordinary files are read",
            path,
            hint="a link, a submodule or an executable is never a session log",
        )
    if not is_stem(stem):
        name = path[path.rfind("/") + 1 :]
        if stem in _BESIDE or name in _BESIDE:
            return None
        return Finding(
            "bad-name",
            f"{path} is not named like a session log and is not read",
            path,
            hint=f"logs are named {SESSIONS_DIR}/YYYY-MM-DD-HHMMSS.md; diurna append names them",
        )
    if not has_time(stem):
        return Finding("date-only-name", f"{path} has no time of day in its name", path)
    return None
