"""Follow findings: what an auditor, a test or a linter found wrong, one fact for one bug everywhere.

The id of a finding is made of its rule, path, symbol and message without numbers, so whoever meets the
same bug names the same fact, in any clone. Closed it is fixed; reopened behind that, it came back. Without
regular expressions: `show` and `ls` say the state of each finding they list.
"""

from __future__ import annotations

from ledger.model.event import FactCreated, ThreadClosed, ThreadReopened
from ledger.model.ids import sha256
from ledger.model.record import Record
from projection.fold.fact_history import Fact, History
from projection.policy.model import FINDING_KIND

#: Where a finding stands: never closed, closed, open again behind that.
OPEN, FIXED, REGRESSED = STATES = ("open", "fixed", "regressed")
#: How the id of a finding begins, and how many hex digits follow.
_PREFIX, _HEX = "finding-", 8
#: What stands for a number in the text of a finding.
_NUMBER = "N"


class BugFound(Record):
    """A finding as a report names it."""

    rule: str  #: what it breaks, as the tool or the auditor calls it
    message: str  #: what is wrong
    path: str = ""  #: of the file, as the repository has it; "" where it is of none
    symbol: str = ""  #: the function, class or route; "" for none

    @property
    def id(self) -> str:
        """The id of its fact."""
        parts = (self.rule.lower(), self.file, self.symbol, without_numbers(self.message))
        digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        return _PREFIX + digest[:_HEX]

    @property
    def file(self) -> str:
        """Its path, written one way."""
        return self.path.replace("\\", "/").removeprefix("./")

    @property
    def text(self) -> str:
        """The text of its fact: the same from everybody who meets it, whatever the numbers are."""
        return f"{self.rule}: {without_numbers(self.message)}"

    @property
    def footers(self) -> tuple[tuple[str, str], ...]:
        """The footers of its fact."""
        said = (("rule", self.rule), ("path", self.file), ("symbol", self.symbol))
        return tuple([pair for pair in said if pair[1]])


class Finding(Record):
    """A finding as memory has it."""

    rule: str  #: what it breaks
    path: str  #: of the file, "" for none
    symbol: str  #: within it, "" for none
    state: str  #: one of `STATES`
    times_regressed: int  #: how often it came back


def finding_of(fact: Fact, history: History) -> Finding | None:
    """Read where a finding stands off its history; None for a fact of another kind."""
    if fact.kind != FINDING_KIND:
        return None
    meta = dict(fact.meta)
    closed, again = _course(history)
    state = FIXED if closed else REGRESSED if again else OPEN
    return Finding(meta.get("rule", ""), meta.get("path", ""), meta.get("symbol", ""), state, again)


def state_of(fact: Fact, history: History | None) -> str:
    """Return the state of a finding, one of `STATES`, or of a task; "" of what has none."""
    found = finding_of(fact, history) if history is not None else None
    return found.state if found is not None else fact.state


def _course(history: History) -> tuple[bool, int]:
    """Tell whether it is closed, and how often it was opened again behind that."""
    closed, again = False, 0
    for act in history.acts:
        event = act.event
        if isinstance(event, ThreadClosed) or (
            isinstance(event, FactCreated) and event.mark == "x"
        ):
            closed = True
        elif isinstance(event, ThreadReopened) and closed:
            closed, again = False, again + 1
    return closed, again


def without_numbers(message: str) -> str:
    """Return a message on one line with one mark for each number: lines and sizes move, a bug stays."""
    found: list[str] = []
    for word in message.split():
        kept, number = "", False
        for place, char in enumerate(word):
            inner = char in ".,:" and word[place + 1 : place + 2].isdigit()
            if char.isdigit() or (number and inner):
                kept += "" if number else _NUMBER
                number = True
            else:
                kept += char
                number = False
        found.append(kept)
    return " ".join(found)
