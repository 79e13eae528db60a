"""Accept findings: record what is known, by whom and why, so that what is new stands out (N2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from ledger.errors import NotFound
from ledger.escape import prose
from ledger.model.findings import ERROR, Finding
from ledger.model.record import Record
from ledger.secrets.scanner import without_secrets
from memory.api import Memory
from rituals.check.baseline import section, shown
from rituals.check.check_registry import LINT
from rituals.check.check_runner import made
from rituals.check.survey import Survey
from rituals.decide.decision import Decision

Progress = Callable[[int, int], None]

#: The most findings that one log accepts: a log has its limit.
_AT_ONCE = 3_000
_SAID_CHARS = 160
#: How many keys a refusal lists.
_LISTED = 20


class Baseline(Record):
    """What is to be accepted, or not any more: the decision, and (key, finding in words) of each."""

    decision: Decision
    findings: tuple[tuple[str, str], ...]


def acceptance(
    memory: Memory, wanted: tuple[str, ...], reason: str, progress: Progress | None = None
) -> Baseline:
    """Plan to accept findings that stand open now.

    `wanted` has keys, starts of keys, or codes that stand for all of today's; none for all there are.

    Raises:
        NotFound: a finding is not there, or is of this clone and not of the ledger.
    """
    found = made(memory, LINT, progress)
    open_now = {key: one for one, key in found.keys.items()}
    known = [one.key for _, one in found.accepted]
    elsewhere = {one.code for one in found.findings if one not in found.keys}
    chosen: dict[str, Finding] = {}
    for name in wanted:
        keys = _matching(name, open_now)
        if not keys and not _matching(name, known):
            raise _refused(name, open_now, elsewhere)
        chosen.update((key, open_now[key]) for key in keys)
    if not wanted:
        chosen = open_now
    if not chosen:
        said = "accepted already" if wanted else "there is no open finding that a log can accept"
        return Baseline(Decision("Accept findings", already=said), ())
    some = dict(sorted(chosen.items())[:_AT_ONCE])
    pairs = tuple((key, words(one)) for key, one in some.items())
    hints = ("`diurna check --all` shows what is accepted; --unaccept takes it back",)
    if len(some) < len(chosen):
        hints = (f"{len(chosen) - len(some)} more do not fit into one log: say it again",)
    decision = Decision(
        _titled("Accept", tuple(some)), _does(some), reason=" ".join(reason.split()), hints=hints,
        section=section(pairs, accepts=True),
    )  # fmt: skip
    return Baseline(decision, pairs)


def unacceptance(memory: Memory, wanted: tuple[str, ...], reason: str) -> Baseline:
    """Plan to let accepted findings stand open again.

    Raises:
        NotFound: one is not accepted.
    """
    accepted = Survey(memory, 0).accepted
    chosen: dict[str, str] = {}
    for name in wanted:
        keys = _matching(name, accepted)
        if not keys:
            raise NotFound(f"{name} is not accepted", hint=_listed(accepted, "accepted"))
        chosen.update((key, accepted[key].said) for key in keys)
    pairs = tuple(sorted(chosen.items())[:_AT_ONCE])
    decision = Decision(
        _titled("No longer accept", tuple(key for key, _ in pairs)),
        tuple(f"not accepted any more: {shown(key)}  {said}".rstrip() for key, said in pairs),
        reason=" ".join(reason.split()),
        section=section(pairs, accepts=False),
    )
    return Baseline(decision, pairs)


def words(finding: Finding) -> str:
    """Write a finding in one line, with its place and without the value of a secret."""
    message = finding.message
    place = "" if not finding.file or finding.where in message else f"{finding.where}: "
    said = prose(without_secrets(place + message)).replace("`", "'")
    return said if len(said) <= _SAID_CHARS else said[: _SAID_CHARS - 1] + "…"


def _matching(name: str, keys: Iterable[str]) -> list[str]:
    """Return the keys that a name means: the one that it begins, or all of its code."""
    code, colon, _ = name.partition(":")
    found = [key for key in keys if key.startswith(name if colon else f"{code}:")]
    if colon and len(found) > 1:
        raise NotFound(f"{name} is the start of {len(found)} keys", hint=_listed(found, "they are"))
    return found


def _does(chosen: Mapping[str, Finding]) -> tuple[str, ...]:
    """Name every error that is accepted, and count the rest by their codes."""
    errors = [(key, one) for key, one in chosen.items() if one.severity == ERROR]
    rest = Counter(one.code for one in chosen.values() if one.severity != ERROR)
    named = tuple(f"accepted, an error: {shown(key)}  {words(one)}" for key, one in errors)
    if len(chosen) <= _LISTED:
        return named + tuple(
            f"accepted: {shown(key)}  {words(one)}"
            for key, one in chosen.items()
            if one.severity != ERROR
        )
    return named + tuple(f"accepted: {many} {code}" for code, many in rest.items())


def _refused(name: str, open_now: Mapping[str, Finding], elsewhere: set[str]) -> NotFound:
    if name.partition(":")[0] in elsewhere:
        said = f"{name} is about this clone, not the ledger; no log can accept it"
        return NotFound(said, hint="`diurna check` says what to do about it")
    return NotFound(f"there is no finding {name} now", hint=_listed(open_now, "today's are"))


def _listed(keys: Iterable[str], label: str) -> str:
    names = sorted(shown(key) for key in keys)
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    listed = ", ".join(names[:_LISTED]) or "none"
    return f"{label}: {listed}{more}; `diurna check --all` says what each is"


def _titled(verb: str, keys: tuple[str, ...]) -> str:
    return f"{verb} {shown(keys[0])}" if len(keys) == 1 else f"{verb} {len(keys)} findings"
