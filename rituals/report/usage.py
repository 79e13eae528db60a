"""Count what became of facts beyond their lives: shown, used, helped, ignored, asked about.

Also how findings stand, what roles found, the scores of the quiz, and what footers remark. All of it is
read off the logs; what sessions were shown stands in the headers of captured logs, and decides nothing.
"""

from __future__ import annotations

from ledger.model.event import FactCreated, FactHelped, FactIgnored, FactUpdated
from ledger.model.record import Record
from ledger.model.shown import SHOWN_KEY, shown_in
from projection.fold.fold import resolve
from projection.lifecycle.remarks import REMARKS, remarks
from projection.lifecycle.review_threads import RULE_KEY, raised_threads
from projection.policy.model import FINDING_KIND, QUESTION_KIND
from projection.work.findings import STATES, finding_of
from rituals.report.quiz.questions import questions_of
from rituals.report.quiz.row import QUIZ_KEY, Row, row_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ledger.model.session import Entry
    from projection.fold.fact import Fact, History
    from projection.lifecycle.life import Life

#: A fact that was shown to so many sessions, and used by none since its birth, is told.
OFTEN = 20
_NOTED = frozenset((*REMARKS, RULE_KEY))
_NOTED_KINDS = (FINDING_KIND, QUESTION_KIND)


class Usage(Record):
    """How a fact was met.

    Args:
        id: of the fact.
        shown: to how many sessions, as captured logs say.
        used: by how many logs (F4).
        helped: how often it did, of what counts.
        ignored: how often it was.
        asked: how many questions of reviews and of the quiz are about it.
        idle: no log used it since its birth.
        remarks: of its footer, by key.
    """

    id: str
    shown: int
    used: int
    helped: int
    ignored: int
    asked: int
    idle: bool
    remarks: tuple[tuple[str, str], ...]


class Verdicts(Record):
    """What the logs of a role found: (verdict, how often), most often first, and the tokens it took."""

    role: str
    counts: tuple[tuple[str, int], ...]
    tokens: int


class Attention(Record):
    """How facts were met, and what else logs tell the report alone.

    Args:
        usage: of the facts that are told of, by id.
        sessions: how many sessions were shown facts.
        findings: (state, how many), of those that are told of.
        verdicts: by role.
        quiz: the scores that reviews noted, oldest first.
    """

    usage: tuple[Usage, ...]
    sessions: int
    findings: tuple[tuple[str, int], ...]
    verdicts: tuple[Verdicts, ...]
    quiz: tuple[Row, ...]

    @property
    def unused(self) -> tuple[Usage, ...]:
        """Facts that were shown often and never used, most often shown first."""
        found = [one for one in self.usage if one.idle and one.shown >= OFTEN]
        return tuple(sorted(found, key=lambda one: (-one.shown, one.id)))


def attention_of(
    entries: Iterable[Entry],
    histories: Mapping[str, History],
    lives: Iterable[Life],
    since: str = "",
) -> Attention:
    """Count how facts were met.

    Args:
        entries: of the logs, in ledger order, none that is not to count.
        histories: what all logs say, by id.
        lives: of the facts to tell of.
        since: verdicts and scores from this stem on.
    """
    told = tuple(entries)
    limit = told[-1].stem if told else ""
    shown, sessions = _shown(told)
    facts = {}
    for id in _noted(told):
        history = histories[id]
        acts = tuple([act for act in history.acts if act.stem <= limit])
        fact = resolve(id, history._replace(acts=acts), frozenset())
        if fact is not None:
            facts[id] = fact
    asked = _asked(facts.values())
    usage, findings = [], dict.fromkeys(STATES, 0)
    for life in lives:
        fact = facts.get(life.id)
        finding = finding_of(fact, histories[life.id]) if fact is not None else None
        if finding is not None:
            findings[finding.state] += 1
        helps, ignores = (len(fact.helps), len(fact.ignores)) if fact is not None else (0, 0)
        said = tuple(remarks(fact).items()) if fact is not None and not life.reason else ()
        usage.append(
            Usage(
                life.id, len(shown.get(life.id, ())), life.uses, helps, ignores,
                asked.get(life.id, 0), life.last <= life.born, said,
            )
        )  # fmt: skip
    recent = [
        (entry, dict(entry.reported)) for entry in told if entry.reported and entry.stem >= since
    ]
    rows = [row_of(entry.stem, said) for entry, said in recent if QUIZ_KEY in said]
    return Attention(
        tuple(usage), sessions, tuple(findings.items()), _verdicts(said for _, said in recent),
        tuple([row for row in rows if row is not None]),
    )  # fmt: skip


def _shown(entries: Iterable[Entry]) -> tuple[dict[str, set[str]], int]:
    """Return the sessions that facts were shown to, by id, and how many sessions there were."""
    found: dict[str, set[str]] = {}
    sessions = set()
    for entry in entries:
        value = dict(entry.reported).get(SHOWN_KEY, "") if entry.reported else ""
        if value:
            session = entry.session or entry.stem
            sessions.add(session)
            for id in shown_in(value)[0]:
                found.setdefault(id, set()).add(session)
    return found, len(sessions)


def _noted(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield, once each, the ids of which more is to be known than how they lived."""
    found: dict[str, None] = {}
    for entry in entries:
        for event in entry.acts:
            if isinstance(event, FactHelped | FactIgnored):
                found[event.id] = None
            elif isinstance(event, FactCreated | FactUpdated) and event.meta:
                said = dict(event.meta)
                if said.get("kind") in _NOTED_KINDS or not _NOTED.isdisjoint(said):
                    found[event.id] = None
    yield from found


def _asked(facts: Iterable[Fact]) -> dict[str, int]:
    """Count the questions about facts: those that reviews raised, and those of the quiz that are asked."""
    listed = list(facts)
    about = [id for thread in raised_threads(listed) for id in thread.about]
    about += [id for one in questions_of(listed) for id in one.expect]
    found: dict[str, int] = {}
    for id in about:
        found[id] = found.get(id, 0) + 1
    return found


def _verdicts(headers: Iterable[Mapping[str, str]]) -> tuple[Verdicts, ...]:
    """Sum up verdicts by role."""
    counts: dict[str, dict[str, int]] = {}
    tokens: dict[str, int] = {}
    for said in headers:
        verdict = said.get("verdict", "").casefold()
        if verdict:
            role = said.get("role", "")
            of_role = counts.setdefault(role, {})
            of_role[verdict] = of_role.get(verdict, 0) + 1
            tokens[role] = tokens.get(role, 0) + _number(said.get("tokens", ""))
    return tuple(
        Verdicts(role, tuple(sorted(of.items(), key=lambda one: (-one[1], one[0]))), tokens[role])
        for role, of in sorted(counts.items())
    )


def _number(said: str) -> int:
    """Read a count as people write it, `12,300`; 0 for what is none."""
    digits = said.replace(",", "").replace("_", "").replace(" ", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else 0
