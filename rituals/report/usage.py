"""Count what memory cost, and what became of facts beyond their lives: shown, told, used, asked about.

Also how findings stand, what roles found, the scores of the quiz, and what footers remark. All of it is
read off the logs; what sessions were shown stands in the headers of captured logs, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ledger.model.event import FactCreated, FactHelped, FactIgnored, FactUpdated
from ledger.model.record import Record
from ledger.model.session import Entry
from ledger.model.session_headers import COST_KEY, SHOWN_KEY, TOLD_KEY, cost_in, shown_in
from projection.fold.fact_history import Fact, History
from projection.fold.fold import resolve
from projection.lifecycle.footer_remarks import REMARKS, remarks
from projection.lifecycle.life import Life
from projection.lifecycle.review_threads import RULE_KEY, raised_threads
from projection.policy import model
from projection.work.finding_facts import STATES, finding_of
from rituals.report.quiz.quiz_questions import questions_of
from rituals.report.quiz.row import QUIZ_KEY, Row, row_of

_NOTED = frozenset((*REMARKS, RULE_KEY))
_NOTED_KINDS = (model.FINDING_KIND, model.QUESTION_KIND)
#: What is open stays in the brief, and so does what stands for ever.
_STAYS, _STANDING_KINDS = "core", (model.THREAD_KIND, model.HANDOFF_KIND, model.TASK_KIND)


class Usage(Record):
    """How a fact was met."""

    id: str  #: of the fact
    shown: int  #: to how many sessions, as captured logs say
    told: int  #: how many were told it when they needed it
    told_then_used: int  #: how many of these used it
    used: int  #: by how many logs (F4)
    helped: int  #: how often it did, of what counts
    ignored: int  #: how often it was
    asked: int  #: how many questions of reviews and of the quiz are about it
    #: it lives, and was shown to so many sessions since its last use that briefs leave it out
    rests: bool
    remarks: tuple[tuple[str, str], ...]  #: of its footer, by key


class Cost(Record):
    """How many characters memory put before a session, as its captured logs say, from which day on."""

    session: str
    date: str
    shown: int
    told: int


class Verdicts(Record):
    """What the logs of a role found: (verdict, how often), most often first, and the tokens it took."""

    role: str
    counts: tuple[tuple[str, int], ...]
    tokens: int


class Attention(Record):
    """How facts were met, and what else logs tell the report alone."""

    usage: tuple[Usage, ...]  #: of the facts that are told of, by id
    sessions: int  #: how many sessions were shown facts
    costs: tuple[Cost, ...]  #: of the sessions that say so, oldest first
    findings: tuple[tuple[str, int], ...]  #: (state, how many), of those that are told of
    verdicts: tuple[Verdicts, ...]  #: by role
    quiz: tuple[Row, ...]  #: the scores that reviews noted, oldest first

    @property
    def resting(self) -> tuple[Usage, ...]:
        """Facts that rest, those that were shown most often first."""
        found = [one for one in self.usage if one.rests]
        return tuple(sorted(found, key=lambda one: (-one.shown, one.id)))


def attention_of(
    entries: Iterable[Entry],
    histories: Mapping[str, History],
    lives: Iterable[Life],
    since: str = "",
    rest: int = 0,
) -> Attention:
    """Count how facts were met.

    Args:
        entries: of the logs, in ledger order, none that is not to count.
        histories: what all logs say, by id.
        lives: of the facts to tell of.
        since: verdicts, scores and costs from this stem on.
        rest: a fact rests that was shown to so many sessions since its last use; 0 is never.
    """
    told = tuple(entries)
    limit = told[-1].stem if told else ""
    shown, met = _met(told, SHOWN_KEY), _met(told, TOLD_KEY)
    users: dict[str, set[str]] = {}
    for entry in told:
        for id in entry.named if entry.uses else ():
            users.setdefault(id, set()).add(entry.session or entry.stem)
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
                life.id, len(shown.get(life.id, ())), len(met.get(life.id, ())),
                len(met.get(life.id, {}).keys() & users.get(life.id, set())), life.uses, helps, ignores,
                asked.get(life.id, 0), _rests(life, shown.get(life.id, {}), rest), said,
            )
        )  # fmt: skip
    recent = [
        (entry, dict(entry.reported)) for entry in told if entry.reported and entry.stem >= since
    ]
    rows = [row_of(entry.stem, said) for entry, said in recent if QUIZ_KEY in said]
    return Attention(
        tuple(usage), len({one for some in shown.values() for one in some}), _costs(told, since),
        tuple(findings.items()), _verdicts(said for _, said in recent),
        tuple([row for row in rows if row is not None]),
    )  # fmt: skip


def _met(entries: Iterable[Entry], key: str) -> dict[str, dict[str, str]]:
    """Return the sessions that facts were shown or told to, by id, with the first log that says so."""
    found: dict[str, dict[str, str]] = {}
    for entry in entries:
        value = dict(entry.reported).get(key, "") if entry.reported else ""
        for id in shown_in(value)[0] if value else ():
            found.setdefault(id, {}).setdefault(entry.session or entry.stem, entry.stem)
    return found


def _rests(life: Life, shown: Mapping[str, str], rest: int) -> bool:
    """Tell whether a fact was shown often since its last use, where it would still be shown."""
    since = max(life.born, life.last)
    live = not life.reason and life.tier != _STAYS and life.kind not in _STANDING_KINDS
    return live and sum(stem > since for stem in shown.values()) >= rest > 0


def _costs(entries: Iterable[Entry], since: str) -> tuple[Cost, ...]:
    """Sum up what sessions say that memory cost them, from a stem on."""
    found: dict[str, Cost] = {}
    for entry in entries:
        value = dict(entry.reported).get(COST_KEY, "") if entry.reported else ""
        if value and entry.stem >= since:
            session, (shown, told) = entry.session or entry.stem, cost_in(value)
            before = found.get(session, Cost(session, entry.stem[:10], 0, 0))
            found[session] = before._replace(shown=before.shown + shown, told=before.told + told)
    return tuple(found.values())


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
