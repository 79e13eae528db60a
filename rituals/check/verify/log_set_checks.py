"""Say more of what is odd about the set of logs and the policy: who wrote it, where it lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import FORMAT_VERSION, POLICY_FILE, log_path, stem_of
from ledger.model.logset import LogRef
from projection.policy.model import UNSETTLED


def name_writers(
    home: Home, tip: str, odd: Iterable[Finding], standing: Mapping[str, str]
) -> Iterator[Finding]:
    """Say of two logs of one name who committed which."""
    git = home.repository.git()
    for finding in odd:
        if finding.code != "duplicate-stem":
            yield finding
            continue
        stem = stem_of(finding.file)
        said = []
        paths = sorted(path for path in standing if stem_of(path) == stem)
        for path in paths:
            line = git.run(
                "--literal-pathspecs", "log", "-1", "--diff-filter=A", "--no-show-signature",
                "--format=%h by %an", tip, "--", home.prefix + path, check=False,
            )  # fmt: skip
            words = line.decode("utf-8", "replace").strip()
            said.append(f"{path} came with {words}" if words else path)
        yield finding._replace(
            message=f"two logs are named {stem} and differ; both are read: {'; '.join(said)}",
            hint="if one of them is a copy that was changed, say so in a new log",
        )


def placed(findings: Iterable[Finding], refs: Sequence[LogRef]) -> Iterator[Finding]:
    """Put findings on the file a log really is, where it lies elsewhere than it would be put."""
    elsewhere = {guess: ref.path for ref in refs if (guess := log_path(ref.key)) != ref.path}
    for finding in findings:
        at = elsewhere.get(finding.file)
        yield finding if at is None else finding._replace(file=at)


def policy_problem(problem: str) -> Finding:
    """Say why the policy at the tip can not be read; an unsettled merge in it is an error."""
    code = "conflict-marker" if UNSETTLED in problem else "policy-invalid"
    hint = "the defaults are in force until it is mended and committed"
    return Finding(code, problem, POLICY_FILE, hint=hint)


def gone_policy(data: bytes, path: str = POLICY_FILE) -> Iterator[Finding]:
    """Name the keys of a policy that mean nothing any more; the file is read without them."""
    from projection.policy.toml import gone_keys

    for line, key, instead in gone_keys(data):
        said = f"{POLICY_FILE}:{line}: {key} means nothing any more"
        yield Finding("policy-deprecated", said, path, line, hint=f"take the line out: {instead}")


def newer_format(path: str, version: int) -> Finding:
    """Say that a file has a format newer than this Diurna knows."""
    said = f"{path} has format {version}; this Diurna knows {FORMAT_VERSION}"
    hint = "install a newer Diurna; this one reads what it can"
    return Finding("newer-format", said, path, hint=hint)
