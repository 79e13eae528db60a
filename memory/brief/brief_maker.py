"""Make an agent's brief: gather from the cache what `projection.brief` composes it of.

The whole state is not looked at: what is live, the newest logs, and the few facts that they name.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms
from ledger.errors import WrongUsage
from ledger.home import has_layers
from ledger.model.layout import ASKS_FILE, BRIEF_CHARS, LEAST_BRIEF_CHARS
from ledger.model.log_names import day_seen, latest_seen
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.verbs import CANCELLED, DONE
from memory.cache.schema import CORRECTION, corrects
from memory.replay.reader_marks import Marks, marks_at
from projection.brief.budget import brief
from projection.brief.choice import (
    DAYS,
    QUIET_SESSIONS,
    chars_for,
    quiet_since,
    role_notes,
    scores,
)
from projection.brief.inert_text import label
from projection.brief.lines import as_json, stem_said
from projection.brief.values import (
    BORN,
    CLOSED,
    DECISIONS,
    NOBODY,
    REST,
    Beside,
    Brief,
    Material,
    News,
    Place,
    Session,
    Stated,
    Todo,
    happened,
)
from projection.document.fact_remarks import mark_of
from projection.fold.live_view import Standing, never_decaying, tier_by_age
from projection.fold.testimony import RANK, testimony, word_of
from projection.policy import model as policy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from ledger.home import Home
    from ledger.model.session import Entry
    from memory.cache.cache_file import Cache
    from memory.replay.tip_snapshot import Snapshot
    from projection.fold.fact_history import Fact

#: How many logs are looked through for what changed, and for an agent who was never here.
_LOGS, _LOGS_FOR_NEW = 100, 20
#: A line takes more characters than this, so only so many corrections and other news can stand there.
_LINE_CHARS = 200
#: How many facts that HEAD does not hold have a line; the others are counted.
_ELSEWHERE = 5
#: The kinds of which there is more to tell than of others.
_OCCASIONAL = policy.DELIBERATE | {policy.PATTERN_KIND}
#: Branches whose names say nothing.
_TRUNKS = ("", "main", "master", "trunk")


class Asked(Record):
    """What a brief is asked for."""

    agent: str  #: who asks, as logs name it
    role: str = ""  #: whose notes and patterns are wanted, "" for nobody's
    task: str = ""  #: what is about to be done
    branch: str = ""  #: that is checked out
    changed: tuple[str, ...] = ()  #: paths of files that differ from what is committed
    budget_chars: int = BRIEF_CHARS  #: how many characters the whole text may have
    json: bool = False  #: it is written as JSON, else as markdown
    asks: bool = False  #: what was asked for in this clone is told: whoever asks works in it


def made_for(
    snapshot: Snapshot,
    asked: Asked,
    found: tuple[str, ...] = (),
    passages: tuple[Session, ...] = (),
) -> Brief:
    """Gather and write a brief of a home and those beside it, all as of one commit.

    `found` are the ids of the facts that answer its task (`found_for`), best first, and so are `passages`.

    Raises:
        WrongUsage: the budget is too small.
    """
    if asked.budget_chars < LEAST_BRIEF_CHARS:
        raise WrongUsage(
            f"{asked.budget_chars} characters are too few for a brief",
            hint=f"the least is {LEAST_BRIEF_CHARS}, the usual {BRIEF_CHARS}",
        )
    others: tuple[Beside, ...] = ()
    if has_layers(snapshot.home):
        from memory.brief.occasional_parts import beside
        from memory.replay.upstream_homes import layers_beside

        others = beside(layers_beside(snapshot))

    made = snapshot.ask(
        lambda cache: brief(
            _material(snapshot.home, cache, asked, found)._replace(
                passages=passages, beside=others
            ),
            asked.budget_chars,
        )
    )
    return made._replace(text=as_json(made)) if asked.json else made


def _material(home: Home, cache: Cache, asked: Asked, found: tuple[str, ...]) -> Material:
    marks, elsewhere = marks_at(home, cache).few(_ELSEWHERE)
    here, known_by = marks.here, (cache.header, cache.some_histories)
    whole = bool(found or any(asked[1:3]) or asked.changed or asked.branch not in _TRUNKS)
    apart = {*here.rows, *[one.fact for one in marks.truth], *cache.against()}
    view = here.view(cache, cache.view(None if whole else apart))
    last = cache.newest_of(asked.agent) if asked.agent else ""
    since = quiet_since(cache.work_stems(QUIET_SESSIONS), days := cache.work_dates(DAYS))
    news, more_news = _news(cache, last, asked.budget_chars // _LINE_CHARS, marks)
    live: dict[str, Fact | None] = {standing.fact.id: standing.fact for standing in view.live}
    plain = ({}, NOBODY.intersection) if whole else _plain(cache, apart, live)
    asked_for, known, standing_of = tuple[str, ...](), list[Standing](), cache.placing()
    if asked.task:
        from memory.brief.occasional_parts import answering

        asked_for, known = answering(cache, here, asked.task, found, live)
    facts = [one.fact for one in (*view.live, *known)]
    sides = [(one.id, side) for one in view.contradicted
             for name in one.rivals or (one.circle if one.circular else ())
             if (side := cache.fact(name))]  # fmt: skip
    facts += (*view.contradicted, *_facts_in(news), *[side for _, side in sides])
    todo, brought, states, failed = Todo(), dict[str, frozenset[str]](), dict[str, str](), NOBODY
    if any(asked[1:3]) or not _OCCASIONAL.isdisjoint([one.kind for one in facts]):
        from memory.brief.occasional_parts import gathered

        todo, brought, states, failed = gathered(home, cache, view, facts, *asked[:3])
    serving = [one.standing.fact.id for one in todo.tasks if one.state == f"serves {asked.task}"]
    notes = role_notes(facts, asked.role, brought)
    threads = {
        *here.rows,
        *[one.id for one in facts if one.kind == policy.THREAD_KIND],
    } & live.keys()
    sessions, again = _sessions(home, cache, threads, since, asks=asked.asks)
    return Material(
        cache.commit,
        view,
        _place(cache, asked, last, elsewhere),
        view.policy.review.newly_due(cache.sessions_after(cache.summary.last_review)),
        tuple([_for(one, notes.others) for one in news]),
        more_news,
        scores(view.live, found, asked.branch, asked.changed) if whole else {},
        tuple(known),
        *plain,
        sessions,
        notes,
        tuple(days),
        bool(asked.task),
        chars_for(asked.role, view.policy.learning) if asked.role else 0,
        todo,
        states,
        failed,
        known=lambda id: testimony(live.get(id) or here.known(cache, id), *known_by).brief,
        rank=lambda stem: RANK[word_of(cache.header(stem))],
        rests=lambda one: 0 < view.policy.brief.rest <= cache.times_shown(one),
        asked=tuple(dict.fromkeys((*asked_for, *serving, *found))),
        gone=marks.of if marks else None,
        since=since,
        again=again,
        sides=tuple([(id, standing_of(side)) for id, side in sides if side.id not in notes.others]),
    )


def _plain(
    cache: Cache, apart: set[str], read: dict[str, Fact | None]
) -> tuple[
    dict[str, tuple[int, Iterator[Stated], Iterator[Stated]]], Callable[[set[str]], Collection[str]]
]:
    """Return the plain facts (`memory.cache.schema`) that are live, but some, as `Material` has them.

    Those that are read, where there is room for their lines, are put into `read`. What never fades is
    there already, and those `apart`.
    """
    clock, lasting = cache.clock(), never_decaying(cache.policy)
    there = apart.union([id for id, fact in read.items() if fact and fact.kind in lasting])
    within = "FROM facts AS aged WHERE plain = ? AND state IN (1, 2) AND anchor >= ?"

    def among(ids: Iterable[str]) -> list[tuple[str, int]]:
        asked = "SELECT id, plain, anchor FROM facts WHERE id IN (?) AND plain"
        return [row[:2] for row in cache.rows_among(asked, [*ids]) if row[2] >= clock.archive]

    def walk(section: int, since: str, young: str) -> Iterator[Stated]:
        asked = f"""SELECT id, (SELECT history FROM facts WHERE id = aged.id), anchor, young,
            (SELECT count(*) FROM shown WHERE fact = aged.id AND stem > aged.anchor)
            {within} AND young {young} ? ORDER BY anchor DESC, id"""  # noqa: S608 - our own words
        with cache.errors:  # row by row: whoever has room for no more asks for none
            rows = cache.base.execute(asked, (section, since, clock.working or "0"))
            for id, packed, anchor, age, sessions in rows:
                if id not in there and (fact := cache.resolved(id, packed)):
                    read[id], cache.shown[id, anchor] = fact, sessions
                    yield Stated(Standing(fact, tier_by_age(anchor, age, clock)))

    kept = [section for _, section in among(there)]
    found = {
        name: (cache.row(f"SELECT count(*) {within}", (one, clock.archive))[0] - kept.count(one),
               walk(one, clock.working, ">="), walk(one, clock.archive, "<"))
        for one, name in enumerate((DECISIONS, REST), 1)
    }  # fmt: skip
    return found, lambda ids: [
        *ids.intersection(read), *[id for id, _ in among(ids.difference(read, apart))]
    ]  # fmt: skip


def _place(cache: Cache, asked: Asked, last: str, elsewhere: str) -> Place:
    """Say where the ledger stands; `last` is the last log of who asks."""
    summary = cache.summary
    newest = cache.header(summary.newest)
    return Place(
        label(cache.policy.project),
        summary.logs,
        summary.sessions,
        stem_said(summary.newest),
        label(newest.agent) if newest else "",
        label(asked.agent),
        stem_said(last),
        cache.row("SELECT count(*) FROM logs WHERE stem > ?", (last,))[0] if last else summary.logs,
        label(asked.role),
        here=elsewhere,
        day=day_seen(summary.clock, now_ms()),
        latest=latest_seen(now_ms()),
    )


def public_news(news: Sequence[News]) -> tuple[News, ...]:
    """Return the news that everybody may read, without what is for a role alone."""
    others = role_notes(_facts_in(news), "", {}).others
    return tuple([_for(one, others) for one in news if one.fact not in others])


def _facts_in(news: Sequence[News]) -> list[Fact]:
    """Return the facts whose texts news may show."""
    pairs = [(one.now.fact if one.now else None, one.replacing) for one in news]
    return [fact for pair in pairs for fact in pair if fact]


def _for(one: News, others: frozenset[str]) -> News:
    """Leave out the text of what replaced a fact where that is another role's note."""
    return one._replace(replacing=None) if one.replacing and one.replacing.id in others else one


def _sessions(
    home: Home, cache: Cache, threads: Collection[str], since: str, *, asks: bool
) -> tuple[tuple[Session, ...], tuple[Session, ...]]:
    """Return the last sessions in short, and what was asked for again in several; `asks` as in `Asked`.

    A ledger without any does without another module.
    """
    if not cache.summary.sessions:
        return (), ()
    from memory.brief.lately_lines import asked_again, last_sessions

    kept = []
    if asks and os.path.exists(f"{home.repository.commondir}/{ASKS_FILE}"):
        from ledger.wal.kept_asks import asks_in

        kept = asks_in(home.repository.commondir)
    if kept and cache.redacted:
        from memory.redaction.withheld_repeats import withheld_of

        telling = withheld_of(home, cache)
        kept = [one for one in kept if not (telling and telling.repeats(one.text))]
    return last_sessions(home, cache, kept, threads, since), asked_again(kept) if kept else ()


def _news(cache: Cache, last: str, most: int, marks: Marks) -> tuple[tuple[News, ...], int]:
    """Return what is new behind a stem, and how many news there are beside it.

    `last` is "" for who was never here; at most `most` corrections, and so many other news, are looked
    at closely.
    """
    entries = cache.newest_entries(last, _LOGS if last else _LOGS_FOR_NEW)
    newest = cache.newest_log(CORRECTION)
    if newest > last and not any(entry.stem == newest for entry in entries):
        older = cache.entry(newest)  # further back than the others, and never left out
        if older is not None:
            acts = tuple([event for event in older.acts if corrects(event)])
            entries.append(older._replace(acts=acts))
    entries = [marks.here.births(entry) for entry in entries]
    found, more = news_of(cache, entries, most, only_corrections=not last)
    marked = [one._replace(mark=marks.on(one.mark, one.now and one.now.fact)) for one in found]
    return tuple(marked), more


def news_of(
    cache: Cache, entries: Iterable[Entry], most: int, *, only_corrections: bool = False
) -> tuple[tuple[News, ...], int]:
    """Return what some logs say happened to facts, corrections first, and how many news there are beside.

    The logs come newest first; at most `most` corrections, and so many other news, are looked at
    closely. `only_corrections` is for who was never here: everything is new then.
    """
    corrections, others = happened(entries)
    if only_corrections:
        others = []
    place = cache.placing()
    told = [_told(cache, one, place) for one in corrections[:most]]
    rest = [news for one in others[:most] if _is_news(news := _told(cache, one, place))]
    more = len(corrections[most:]) + len(others[most:])
    return (*told, *sorted(rest, key=lambda news: news.what != BORN)), more


def _told(cache: Cache, one: News, place: Callable[[Fact], Standing]) -> News:
    found = cache.fact(one.fact)
    now = place(found) if found else None
    mark = mark_of(now.fact if now else None, cache.fact, cache.met)
    successor = mark.instead[0] if len(mark.instead) == 1 else one.successor
    replacing = cache.fact(successor) if one.successor else None
    return one._replace(now=now, replacing=replacing, mark=mark)


def _is_news(news: News) -> bool:
    """Tell whether what a log says still holds, and may be shown."""
    now = news.now
    if now is None or now.fact.redacted or now.fact.false:
        return False
    if news.what == BORN:
        return now.live and now.fact.kind not in (policy.QUESTION_KIND, policy.ATTEMPT_KIND)
    if news.what in (DONE, CANCELLED):
        return now.fact.state == news.what
    return now.fact.closed == (news.what == CLOSED)
