"""Tell where `pass` is no password, but what tests, checks and people do."""

from __future__ import annotations

from ledger.secrets.credential_values import is_strong

#: Who passes something, or what does.
_PASSING = frozenset(
    "tests test checks suites suite specs builds jobs lints linters examples benchmarks gates steps "
    "stages pipelines workflows cases runs assertions all both they we you i it these those which that "
    "to can could must should would will may might not don't didn't doesn't now still also "
    "first second third next last final single each every another".split()
)
_USERS = ("user", "login", "usr", "account", "host", "@")


def is_outcome(text: str, low: str, at: int, end: int) -> bool:
    """Tell whether something passes: `tests pass, …`, `--- PASS: TestName/part`."""
    if low[at - 1 : at] in ("_", "-", ".") or text[end : end + 1] not in (",", ":", " ", ";"):
        return False
    before = low[max(0, at - 120) : at]
    if not text[at:end].isupper():
        return not _PASSING.isdisjoint(before[-24:].split()[-1:])
    told = any(word in before for word in _USERS) or is_strong(text[end + 1 : end + 80].lstrip())
    return text[end : end + 2] == ": " and not told
