"""Keep the count of what there is to ask and to mend beside the cache, so that `status` need not count.

It holds numbers alone, of one commit of the ledger and one of the code. `review` leaves it behind. Where
something changed, `status` counts anew if that is cheap, and else says of when the numbers are.
"""

from __future__ import annotations

import json
import os

from ledger.errors import DiurnaError
from ledger.git.repository import head
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.user_key import signed, user_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.home import Home
    from memory.api import Memory
    from rituals.review.review_plan import Plan

_SUFFIX = ".tally"
#: The version of what is written; another version is counted anew.
_VERSION = 3
#: The most logs, and commits of code, that `status` counts itself: about a tenth of a second.
_LOGS, _COMMITS = 2_000, 5_000

Counts = tuple[tuple[str, int], ...]
#: Codes that a review, and the row about it, say in their own words.
OF_REVIEW = ("review-due", "over-size")


class Tally(Record):
    """What was counted."""

    tip: str  #: the commit of the ledger
    code: str  #: the commit of the code, "" for none
    questions: Counts  #: (rule, how many) that a review asks a person, in its order
    found: Counts  #: (code, how many findings) of the tip, errors first
    accepted: int = 0  #: how many more a log accepted


def tally_of(memory: Memory) -> tuple[Tally | None, bool]:
    """Return the newest tally, None where there is none yet, and whether it is of what stands now."""
    home = memory.home
    tip, code = home.tip(), head(home.repository)[1]
    known = _read(home)
    if known is not None and (known.tip, known.code) == (tip, code):
        return known, True
    if not tip or not _is_cheap(memory, code):
        return known, False
    from rituals.review.review_plan import plan_review

    try:
        return keep(memory, plan_review(memory)), True
    except DiurnaError:
        return known, False  # the command that reads it all says why


def keep(memory: Memory, plan: Plan) -> Tally:
    """Count what a plan asks and what the checks of the tip find, and keep it; a full disk is no fault."""
    from rituals.check.check_registry import STATUS, TIP, chosen, make
    from rituals.check.survey import Survey

    home = memory.home
    survey = Survey(memory, 0)
    found = make(survey, [one for one in chosen(STATUS) if one.needs == TIP])
    tally = Tally(
        plan.tip,
        head(home.repository)[1],
        asked(plan),
        counts(one.code for one in found.findings),
        len(found.accepted),
    )
    if survey.tip == plan.tip:
        _write(home, tally)
    return tally


def asked(plan: Plan) -> Counts:
    """Count what a review asks a person, by rule: the one count of `review` and of `status`."""
    return counts([question.rule for question in plan.unanswered])


def total(counts: Counts) -> int:
    """Add up counts."""
    return sum(count for _, count in counts)


def said(counts: Counts) -> str:
    """Write counts as one reads them: `4 invariant-due, 1 size`."""
    return ", ".join(f"{count} {name}" for name, count in counts)


def severities(counts: Counts) -> str:
    """Write counts of findings by severity: `1 error, 3 warnings`."""
    from ledger.model.findings import CODES, ERROR, WARNING

    errors = sum(count for code, count in counts if CODES[code][0] == ERROR)
    warnings = sum(count for code, count in counts if CODES[code][0] == WARNING)
    others = sum(count for _, count in counts) - errors - warnings
    parts = ((errors, "error"), (warnings, "warning"), (others, "remark"))
    return ", ".join(f"{many} {noun}{'s' * (many > 1)}" for many, noun in parts if many)


def counts(names: Iterable[str]) -> Counts:
    """Count names, in the order in which they come first."""
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return tuple(found.items())


def _is_cheap(memory: Memory, code: str) -> bool:
    if memory.cache().summary.logs > _LOGS:
        return False
    if not code:
        return True
    most = f"--max-count={_COMMITS + 1}"
    said = memory.home.repository.git().run("rev-list", "--count", most, code, check=False)
    return said.strip().isdigit() and int(said) <= _COMMITS


def _read(home: Home) -> Tally | None:
    """Return what is kept; None where it is missing, damaged or of another version."""
    try:
        with open(home.cache_file + _SUFFIX, "rb") as file:
            proof, _, body = file.read(1 << 16).partition(b"\n")
        if not (key := user_key()) or _proof(home, key, body) != proof:
            return None
        said = json.loads(body)
        if said.pop("version") != _VERSION:
            return None
        pairs = {
            key: tuple((str(a), int(b)) for a, b in said[key]) for key in ("questions", "found")
        }
        return Tally(str(said["tip"]), str(said["code"]), **pairs, accepted=int(said["accepted"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write(home: Home, tally: Tally) -> None:
    path = home.cache_file + _SUFFIX
    body = json.dumps(
        {"version": _VERSION, **dict(zip(tally._fields, tally, strict=True))}
    ).encode()
    try:
        if key := user_key():
            make_folder(os.path.dirname(path))
            replace_file(path, _proof(home, key, body) + b"\n" + body, 0o600)
    except DiurnaError:
        pass


def _proof(home: Home, key: bytes, body: bytes) -> bytes:
    """Return what shows that this user's Diurna wrote a tally of this home."""
    name = os.fsencode(os.path.basename(home.cache_file))
    return signed(key, b"tally", name, body).encode()
