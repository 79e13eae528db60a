"""Write what was observed of a session as few lines: by what was done, and how it ended."""

from __future__ import annotations

import re

from ledger.escape import prose
from ledger.model.order import ended_of, stamp_of
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rituals.hosts.observed.observation_spool import Observation

#: So many lines tell what was observed, and so many paths stand on one.
LINES, PATHS = 20, 12
#: What a line that tells of a decision begins with: words of ours, of nobody's sentence.
_FRAME = re.compile(
    r"^- (?:[\d-]{10} [\d:]{5} )?(?:user|agent) said “[^”\n]{1,60}”: ", re.MULTILINE
)
_EXIT = re.compile(r" \(exit (-?\d{1,6})\)")
#: What is told first where there is no room for all.
_ORDER = ("decision", "edit", "git", "test", "task", "package", "file")
#: The last millisecond that a stamp can say.
_LATEST_MS = 253_402_300_799_999


class _Folded(Record):
    """What was done once or several times in the same way."""

    at: int
    kind: str
    text: str


def without_frames(text: str) -> str:
    """Return the text of a log without what its observed lines begin with, as far as that is ours."""
    return _FRAME.sub("- ", text)


def observed_lines(observations: Sequence[Observation]) -> list[str]:
    """Return the lines that tell of observations, in the order of their first times."""
    edits = [one for one in observations if one.kind == "edit" and one.paths]
    found = _edits(edits)
    same: dict[tuple[str, str, str], list[Observation]] = {}
    for one in observations:
        if one.kind != "edit" or not one.paths:
            said = _EXIT.sub("", one.what)
            by = one.why if one.kind == "decision" else ""
            same.setdefault((one.kind, by, said), []).append(one)
    for (kind, by, said), some in same.items():
        where = [path for path in some[0].paths if path not in said]
        about = f"{by}: {said}" if by else said
        about += f" · {', '.join(where[:PATHS])}" if where else ""
        found.append(_Folded(some[0].at, kind, about + _ends(some)))
    if len(found) > LINES:
        ranked = sorted(
            found, key=lambda one: (_ORDER.index(one.kind) if one.kind in _ORDER else 9, one.at)
        )
        found, rest = ranked[: LINES - 1], ranked[LINES - 1 :]
        kinds = dict.fromkeys(one.kind for one in rest)
        counts = [f"{sum(one.kind == kind for one in rest)} {kind}" for kind in kinds]
        found.append(_Folded(_LATEST_MS, "", f"and more: {', '.join(counts)}"))
    found.sort(key=lambda one: one.at)
    return [f"- {_when(one.at)}{prose(one.text)}" for one in found]


def _edits(edits: Sequence[Observation]) -> list[_Folded]:
    """Fold what was written by its path."""
    verbs: dict[str, list[str]] = {}
    first: dict[str, int] = {}
    for one in edits:
        verb, _, _ = one.what.partition(" ")
        for path in one.paths:
            verbs.setdefault(path, []).append(verb)
            first.setdefault(path, one.at)
    told = [_edited(path, said) for path, said in verbs.items()]
    paths = list(verbs)
    found = []
    for begin in range(0, len(told), PATHS):
        some = told[begin : begin + PATHS]
        found.append(_Folded(first[paths[begin]], "edit", "edited " + ", ".join(some)))
    return found


def _edited(path: str, verbs: Sequence[str]) -> str:
    """Tell of a path how often it was written, and that it was made or deleted."""
    notes = ["new"] * (verbs[0] == "wrote") + ["deleted"] * (verbs[-1] == "deleted")
    notes += [f"{len(verbs)} times"] * (len(verbs) > 1)
    return f"{path} ({', '.join(notes)})" if notes else path


def _ends(some: Sequence[Observation]) -> str:
    """Tell how something ended, and how often it was done."""
    ends: list[str] = []
    for one in some:
        codes = [int(code) for code in _EXIT.findall(one.what)]
        end = "failed" if any(codes) else "passed" if codes and one.kind == "test" else ""
        if end and ends[-1:] != [end]:
            ends.append(end)
    told = f": {_then(ends)}" if ends else ""
    return told + (f" ({len(some)} times)" if len(some) > 1 else "")


def _then(ends: Sequence[str]) -> str:
    """Tell the first end and the last one."""
    return ends[0] if len(ends) == 1 or ends[0] == ends[-1] else f"{ends[0]}, then {ends[-1]}"


def _when(at: int) -> str:
    """Tell when something was done, to the minute."""
    if at == _LATEST_MS:
        return ""
    return ended_of(stamp_of(max(0, min(at, _LATEST_MS))))[:16].replace("T", " ") + " "


def paths_of(observations: Iterable[Observation]) -> list[str]:
    """Return the paths that observations name, each once."""
    return list(dict.fromkeys(path for one in observations for path in one.paths))
