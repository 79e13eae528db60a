"""Tell whether a review or a confirmation is due, and what people said in footers for the review to see.

Due it is by the sessions since the last one, and by the size of `continuity.md`.
"""

from __future__ import annotations

from _bisect import bisect_right

from ledger.model.event import FactCreated
from ledger.model.ids import sha256
from ledger.model.layout import BRIEF_CHARS
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import OBSOLETE_KEY
from projection.document.page_renderer import STATE_LABELS, contradictions, section_title
from projection.fold.fact_history import RULE_KEY, THREAD_PREFIX, Fact
from projection.fold.live_view import LiveView, Standing, never_decaying
from projection.policy.model import BY_BRIEF, QUESTION_KIND, THREAD_KIND, Review

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from projection.policy.model import Policy

    #: What facts of one kind add to the live view: (kind, facts, how many can fade, lines, characters of a
    #: brief, lines of text of closed threads).
    Part = tuple[str, int, int, int, int, int]

#: Footer keys of a thread that a review raised, beside its rule.
QUESTIONS_KEY, ABOUT_KEY = "keys", "about"
KEY_HEX = 8


class Raised(Record):
    """A thread that a review raised."""

    id: str  #: of the thread
    rule: str  #: what found it
    keys: tuple[str, ...]  #: of the questions it asks
    about: tuple[str, ...]  #: ids of the facts that its questions are about
    closed: bool  #: whether somebody answered it
    closed_at: str  #: the stem of the log that did, "" for an open one


def key_of(rule: str, *parts: str) -> str:
    """Return the key of a question: the rule that found it, and strings that stay while it does."""
    return sha256("\0".join((rule, *parts)).encode("utf-8", "surrogatepass")).hexdigest()[:KEY_HEX]


def raising(rule: str, key: str, about: Sequence[str], text: str, mark: str = " ") -> FactCreated:
    """Return the event that raises one question as a thread.

    `about` are ids of its facts; `mark` is `x` for a question that is answered already.
    """
    named = ((ABOUT_KEY, ", ".join(about)),) if about else ()
    meta = (("kind", THREAD_KIND), *named, (QUESTIONS_KEY, key), (RULE_KEY, rule))
    return FactCreated(f"{THREAD_PREFIX}{rule}-{key}", text, mark, meta)


def raised_threads(facts: Iterable[Fact]) -> tuple[Raised, ...]:
    """Return what reviews raised so far, by id. A thread that is false counts as closed."""
    found = []
    for fact in facts:
        if not fact.raised:
            continue
        meta = dict(fact.meta)
        keys, about = _listed(meta.get(QUESTIONS_KEY, "")), _listed(meta.get(ABOUT_KEY, ""))
        done = fact.closed_at or fact.superseded_at or fact.invalidated_at
        found.append(Raised(fact.id, meta[RULE_KEY], keys, about, bool(done), done))
    return tuple(sorted(found))


def _listed(value: str) -> tuple[str, ...]:
    return tuple([item.strip() for item in value.split(",") if item.strip()])


#: How many lines of `continuity.md` are of no section.
_FRAME_LINES = len(STATE_LABELS) + 6
#: When a fact will be obsolete, and whatever else is to be remembered of it.
NOTE_KEY = "note"
REMARKS = (OBSOLETE_KEY, NOTE_KEY)


class Size(Record):
    """How large `continuity.md` is."""

    #: how many facts and threads in it can fade, without the threads that reviews raised
    facts: int
    lines: int  #: how many lines it has
    closed_lines: int  #: how many lines of text its closed threads have
    room: int = 0  #: for how many facts as long as these a brief has a line


def size_of(view: LiveView) -> Size:
    """Measure a live view."""
    return measured(view.policy, map(part_of, view.live), view.contradicted)


def part_of(standing: Standing) -> Part:
    """Return what a live fact adds."""
    fact = standing.fact
    raised = fact.raised
    fades = standing.tier != "core" and fact.kind != QUESTION_KIND and not raised
    closed_lines = fact.text.count("\n") + 1 if fact.closed and not raised else 0
    return fact.kind, 1, int(fades), *fact.extent, closed_lines


def measured(policy: Policy, parts: Iterable[Part], contradicted: Iterable[Fact]) -> Size:
    """Add up what facts of the live view add, and what stands above them."""
    kinds, *columns = [*zip(*parts, strict=True)] or [(), (), (), (), (), ()]
    facts, fading, lines, chars, closed_lines = map(sum, columns)
    sections = {section_title(policy, kind) for kind in kinds}
    above = [f"## {title}" for title in sections] + contradictions(contradicted)
    lines += _FRAME_LINES + sum(part.count("\n") + 2 for part in above)
    return Size(fading, lines, closed_lines, BRIEF_CHARS * facts // chars if chars else 0)


def reasons(since: int, size: Size, limits: Review) -> tuple[str, ...]:
    """Say why a review is due, most pressing first; empty when none is.

    Size alone makes none due until a work session followed the last one: it would find the same again.
    `since` counts work sessions since the last review; `size` is that of `continuity.md`; a limit of 0
    stands for none.
    """
    found = (limits.sessions(since),) if 0 < limits.every <= since else ()
    return (*found, *over(size, limits)) if since else found


def over(size: Size, limits: Review) -> tuple[str, ...]:
    """Say which limits of the policy `continuity.md` is over; 0 stands for none."""
    most = size.room if limits.max_facts == BY_BRIEF else limits.max_facts
    return tuple(
        f"{measured:,} {noun} (limit {limit:,})"
        for measured, limit, noun in (
            (size.facts, most, "facts"),
            (size.lines, limits.max_lines, "lines"),
            (size.closed_lines, limits.closed_thread_lines, "lines of closed threads"),
        )
        if 0 < limit < measured
    )


def unconfirmed(
    policy: Policy, work: Sequence[str], facts: Iterable[Fact]
) -> Iterator[tuple[Fact, str, int]]:
    """Yield the facts that never fade and that nobody confirmed for as long as the policy allows.

    Each comes with the stem of the log with which a person last looked at it, an update counting as a
    look, and the number of work sessions since. `work` are the stems of all work logs in ledger order.
    """
    every, lasting = policy.review.verify_invariants_every, never_decaying(policy)
    for fact in facts if every else ():
        if fact.false or fact.redacted or fact.archived_at:
            continue
        if fact.promoted or fact.kind in lasting:
            updates = [version.stem for version in fact.heads if version.parents]
            last = max(fact.verified, fact.born, *updates)
            sessions = len(work) - bisect_right(work, last)
            if sessions >= every:
                yield fact, last, sessions


def remarks(fact: Fact) -> dict[str, str]:
    """Return the remarks in the footer of a fact, by key; none of a withheld one."""
    if fact.redacted:
        return {}
    return {key: value for key, value in fact.meta if key in REMARKS and value.strip()}
