"""Find what the ledger has that a session was not told: facts, and the state when it changed, or is old.

Logs count from the commit up to which it was told, so one that a sync brings late is new however old it
is; a log that waits counts like one that landed, and once. A fact of kind `state` that nobody has said
anew or confirmed for half an hour, while sessions of this machine did something, is likely to be out of
date.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.home import Home
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.order import key_of, milliseconds_of
from ledger.model.record import Record
from memory.brief.brief_maker import news_of, public
from memory.cache.cache_file import Cache
from memory.query.open_snapshot import open_snapshot
from projection.brief.choice import QUIET_DAYS, QUIET_SESSIONS, has_left, quiet_since, roles_of
from projection.brief.forms import Markdown
from projection.brief.lines import line_of
from projection.brief.wording import plain, shortened, untagged
from projection.fold.fact_history import Fact
from projection.lifecycle.review_threads import is_raised
from projection.policy.model import STATE_KIND, THREAD_KIND

_FACTS = 3
#: How many logs and facts are looked at closely.
_LOOKED = 20
_FACT_CHARS, STATE_CHARS = 150, 200
#: Tags that say what a thread, or any fact, means for the state; a fact of kind `state` says it by its id.
_STATE_TAGS = frozenset((_PHASE := "phase", _NEXT := "next", _BLOCKED := "blocked"))


class LedgerNews(Record):
    """What there is to tell."""

    facts: tuple[str, ...]  #: lines, corrections first
    more: int  #: how many facts there are beside them
    #: the line of the state, "" for none, None where nothing says that it changed
    state: str | None
    tip: str  #: the commit up to which the session is told then
    waiting: tuple[str, ...]  #: the logs beside it that it is told of, or brought itself
    #: how old what is held of the state is (`states_in`), None where nothing is new
    states: Mapping[str, int] | None = None


_FORM = Markdown()


def ledger_news(
    home: Home,
    session: str,
    tip: str,
    told: Iterable[str],
    waits: tuple[str, ...],
) -> LedgerNews:
    """Return what is new.

    Args:
        home: that is asked.
        session: the host's id; what it recorded itself is no news to it, but for what was captured.
        tip: the commit up to which it was told.
        told: the logs beside it that it was told of.
        waits: the logs that wait, looked for before the tip is.
    """
    heard = frozenset(told)
    now = home.tip()
    new = sorted({*_landed(home, tip, now), *waits} - heard, reverse=True)
    if not new:
        return LedgerNews((), 0, None, now, waits)

    def ask(cache: Cache) -> LedgerNews:
        entries = [one for stem in new if (one := cache.entry(key_of(stem))) is not None]
        found = {entry.stem for entry in entries}
        news, more = news_of(
            cache, [one for one in entries if (one.session != session or bool(one.reach))], _LOOKED
        )
        moved = any(_moves_state(cache, act.id) for one in entries for act in one.acts)
        news = tuple(
            [one for one in public(news) if not (one.now and one.now.fact.kind == THREAD_KIND)]
        )
        state = state_line(cache) if moved else None
        facts = [
            _FORM.line(line_of(one, _FACT_CHARS)._replace(tier="", date="", stem=""))
            for one in news[:_FACTS]
        ]
        known = tuple([stem for stem in waits if stem in heard or stem in found])
        rest = more + len(news[_FACTS:])
        return LedgerNews(tuple(facts), rest, state, now, known, states_in(cache))

    snapshot = open_snapshot(home)
    try:
        return snapshot.ask(ask)
    finally:
        snapshot.close()


def state_line(cache: Cache, *, untagged: bool = False) -> str:
    """Return the phase, what is next and what is blocked in one line; "" where nothing says so.

    The fact `state-phase` of kind `state`, else a live fact with the tag `phase`, names the phase, and
    `state-next` what is next, else the newest open thread with the tag `next`, else, where those without
    a tag count (`untagged`), the newest that no review raised. The newest tagged `blocked` is blocked.
    """
    since = quiet_since(cache.work_stems(QUIET_SESSIONS), cache.work_dates(QUIET_DAYS))
    facts = [one.fact for one in cache.view().live]
    facts = [one for one in facts if not (one.redacted or one.contradicted or has_left(one, since))]
    facts = [fact for fact in facts if not roles_of(fact)]
    facts.sort(key=lambda fact: (fact.origin or fact.created, fact.id), reverse=True)
    threads = [fact for fact in facts if fact.kind == THREAD_KIND and not fact.closed]
    free = [one for one in threads if _BLOCKED not in _tags(one) and not is_raised(one)]
    states = {fact.id: [fact] for fact in facts if fact.kind == STATE_KIND}
    phase = [fact for fact in facts if _PHASE in _tags(fact) and not fact.closed]
    chosen = {
        _PHASE: states.get(f"{STATE_KIND}-{_PHASE}") or phase,
        _NEXT: states.get(f"{STATE_KIND}-{_NEXT}")
        or [one for one in free if _NEXT in _tags(one)]
        or free * untagged,
        _BLOCKED: [one for one in threads if _BLOCKED in _tags(one)],
    }
    named = {name: found[0] for name, found in chosen.items() if found}
    if not named:
        return ""
    room = (STATE_CHARS - len("[Memory]")) // len(named) - len(f" {_BLOCKED}:  |")
    said = [f"{name} {_short(fact, room)}" for name, fact in named.items()]
    return "[Memory] " + " | ".join(said)


def _short(fact: Fact, room: int) -> str:
    """Return the start of a text."""
    text = plain(fact.text)
    for start in (_PHASE, _NEXT, _BLOCKED):
        if text.lower().startswith(f"{start}:"):
            text = text[len(start) + 1 :].lstrip()
    return shortened(untagged(text), room)


def _tags(fact: Fact) -> list[str]:
    return [tag.strip() for tag in dict(fact.meta).get("tags", "").split(",")]


def _moves_state(cache: Cache, fact: str) -> bool:
    """Tell whether what happened to a fact may change the state."""
    found = cache.fact(fact)
    return found is not None and (
        found.kind == STATE_KIND or not _STATE_TAGS.isdisjoint(_tags(found))
    )


def _landed(home: Home, tip: str, now: str) -> set[str]:
    """Return the logs that the branch has and a commit had not; none where that commit is gone."""
    if not tip or tip == now or not now:
        return set()
    changes = home.repository.git().changes(tip, now, home.prefix + SESSIONS_DIR)
    return {stem_of(path) for letter, _, _, path in changes or () if letter == "A"} - {""}


#: How old a state is told of, and how long it is not told again.
OLD_MS = 1_800_000
#: When it was told, among what a session was told.
TOLD = "state-age"
_NAMED = 3
_UNITS = ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"))


def states_in(cache: Cache) -> dict[str, int]:
    """Return the facts that hold of the state, by id, with when they were said or confirmed last.

    Times are milliseconds since 1970. What is withheld, or for a role alone, is left out.
    """
    found: dict[str, int] = {}
    for fact in cache.facts_of_kind(STATE_KIND):
        if not (fact.false or fact.archived_at or fact.redacted or roles_of(fact)):
            found[fact.id] = milliseconds_of(
                max([*[head.stem for head in fact.heads], fact.verified])
            )
    return found


def states_of(home: Home) -> dict[str, int]:
    """Return the same for a home that is not open."""
    snapshot = open_snapshot(home)
    try:
        return snapshot.ask(states_in)
    finally:
        snapshot.close()


def next_look(states: Mapping[str, int], told: int) -> int:
    """Return when one of the states will be old and may be told, 0 for never; ms since 1970.

    `told` is when the session was told last, 0 for never.
    """
    return max(min(states.values()) + OLD_MS, told + OLD_MS if told else 0) if states else 0


def age_line(states: Mapping[str, int], observed: Iterable[int], now: int) -> str:
    """Return the line of what is out of date, "" where nothing is.

    `observed` is when sessions did something last; `now` is in milliseconds since 1970.
    """
    newest = max(observed, default=0)
    old = sorted(
        [(at, id) for id, at in states.items() if at <= now - OLD_MS and at < newest],
    )
    if not old:
        return ""
    said = [f"{id} ({_said(now - at)} old)" for at, id in old[:_NAMED]]
    more = f" and {len(old) - _NAMED} more" if len(old) > _NAMED else ""
    return (
        f"- the state may be out of date, work went on since: {', '.join(said)}{more}; "
        "`diurna append --update ID TEXT` says what holds now"
    )


def _said(ms: int) -> str:
    for size, unit in _UNITS:
        if ms >= size:
            count = ms // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "0 minutes"
