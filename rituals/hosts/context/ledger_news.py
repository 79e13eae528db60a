"""Find what the ledger has that a session was not told: facts, and the state when it changed.

Logs count from the commit up to which it was told, so one that a sync brings late is new however old it
is; a log that waits counts like one that landed, and once.
"""

from __future__ import annotations

from ledger.home import Home
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.order import key_of
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
from rituals.hosts.context.session_cursor import Cursor

_FACTS = 3
#: How many logs and facts are looked at closely.
_LOOKED = 20
_FACT_CHARS, STATE_CHARS = 150, 200
#: Tags that say what a thread, or any fact, means for the state; a fact of kind `state` says it by its id.
_STATE_TAGS = frozenset((_PHASE := "phase", _NEXT := "next", _BLOCKED := "blocked"))


_FORM = Markdown()


def ledger_news(
    home: Home, session: str, heard: Cursor, waits: tuple[str, ...]
) -> tuple[list[str], Cursor]:
    """Return the lines of what is new, corrections first, and the cursor of a session that heard them.

    Args:
        home: that is asked.
        session: the host's id; what it recorded itself is no news to it, but for what was captured.
        heard: up to where the session was told.
        waits: the logs that wait, looked for before the tip is.
    """
    now = home.tip()
    new = sorted({*_landed(home, heard.tip, now), *waits} - {*heard.waiting}, reverse=True)
    if not new:
        return [], heard._replace(tip=now, waiting=waits)

    def ask(cache: Cache) -> tuple[list[str], Cursor]:
        entries = [one for stem in new if (one := cache.entry(key_of(stem))) is not None]
        known = {*heard.waiting, *[entry.stem for entry in entries]}
        told = [one for one in entries if one.session != session or one.reach]
        found, more = news_of(cache, told, _LOOKED)
        news = [one for one in public(found) if not (one.now and one.now.fact.kind == THREAD_KIND)]
        lines, state = list[str](), heard.state
        if any(_moves_state(cache, act.id) for one in entries for act in one.acts):
            state = state_line(cache)
            lines += [state] if state not in ("", heard.state) else []
        said = [line_of(one, _FACT_CHARS) for one in news[:_FACTS]]
        lines += [_FORM.line(line._replace(tier="", date="", stem="")) for line in said]
        if rest := more + len(news[_FACTS:]):
            lines.append(f"- {rest} more new facts: `diurna brief` has them")
        waiting = tuple([stem for stem in waits if stem in known])
        return lines, heard._replace(state=state, tip=now, waiting=waiting)

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
