"""Check single files before they are appended or committed: drafts, staged logs, projections."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.codec.log import decode, stamp_findings
from ledger.codec.validate import problems
from ledger.model.findings import INFO, Finding
from ledger.model.layout import POLICY_FILE, stem_of
from ledger.model.order import is_sealed, is_stem
from ledger.model.seal import breaks_seal
from rituals.check.check_registry import in_order
from rituals.check.lint.secrets import is_projection, text_findings
from rituals.check.verify.log_set_checks import gone_policy, policy_problem
from rituals.check.verify.projection_checks import conflict_findings


def lint_files(files: Iterable[tuple[str, bytes]], personal: str) -> tuple[Finding, ...]:
    """Check files by themselves; what only the ledger knows is not asked.

    `personal` is what the policy says of personal data.
    """
    found: list[Finding] = []
    for path, data in files:
        found += text_findings(path, data, personal)
        if path.split("/")[-1] == POLICY_FILE:
            found += _of_policy(path, data)
        elif is_projection(path):
            found += conflict_findings(path, data)
        else:
            found += of_log(path, data)
    return in_order(found)


def _of_policy(path: str, data: bytes) -> list[Finding]:
    """Say why a policy could not be read, or which of its keys mean nothing."""
    from ledger.errors import PolicyInvalid
    from projection.policy.toml import read_policy

    try:
        read_policy(data, newer_ok=True)
    except PolicyInvalid as problem:
        return [policy_problem(str(problem))._replace(file=path, hint=problem.hint)]
    return list(gone_policy(data, path))


def of_log(path: str, data: bytes) -> list[Finding]:
    """Say what a reader of the log would, or, of a draft, what an append would refuse."""
    stem = stem_of(path)
    by_hand = is_stem(stem) and not is_sealed(stem)
    log, noticed = decode(data, sealed=not by_hand, file=path)
    found = list(noticed)
    if breaks_seal(stem, data):
        said = "the bytes are not those that the log was sealed with"
        found.append(Finding("seal-broken", said, path, hint="put it back as git has it"))
    elif is_sealed(stem):
        found += stamp_findings(stem, data, path)
    elif not is_stem(stem) and all(one.severity == INFO for one in noticed):
        refused = problems(log._replace(title=log.title or "Work session"))
        found += [one._replace(file=path) for one in refused if one.code != "not-canonical"]
    return found
