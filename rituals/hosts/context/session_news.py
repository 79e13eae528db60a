"""Tell a running session what others did since it was told last, once, and the state when it changed.

The cursor of the session (`rituals.hosts.context.session_cursor`) moves behind the answer
(`Telling.written`): what a killed hook did not say is said by the next one. The first call of a session
is silent, and so is one that another hook of the session is faster than. At a tool only what can not
wait is told.
"""

from __future__ import annotations

from ledger.environment import now_ms
from ledger.model.record import Record
from memory.cache.view_name import waiting
from rituals.hosts.context.session_cursor import (
    Cursor,
    Heard,
    files,
    has_news,
    standing,
    standing_of,
    tidy,
)
from rituals.hosts.moments import Moment, file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ledger.home import Home
    from memory.query.last_answers import Kept
    from rituals.hosts.context.moment_answer import Needed
    from rituals.hosts.context.other_sessions import Listener

NEWS_CHARS = 1_200
_TITLE = "News"
#: It is looked whether the state is out of date as soon as there is work that can be newer.
_FIRST_LOOK = 1
#: How long a cursor is waited for, and within what time the same start is another hook's.
_PATIENCE_SECONDS, _SAME_MS = 0.05, 3_000
#: What of its cursor a session keeps that begins again.
_STAYS = ("shown", "unlisted", "moments", "characters", "needed")


class Telling(Record):
    """What is told a session, and its cursor, held until it was written or will not be."""

    text: str
    heard: Heard
    moved: Cursor

    def written(self) -> None:
        """Keep that the session heard it."""
        self.heard.move(self.moved.having_seen(self.text))


def at_prompt(moment: Moment, commondir: str, needed: Needed | None = None) -> Telling | None:
    """Return what a session has to know at a prompt, with what memory has on it, before it works on."""
    return _telling(moment, commondir, needed, tool=False)


def at_tool(moment: Moment, commondir: str, needed: Needed | None = None) -> Telling | None:
    """Return what collides with what a session does; the arguments are those of `at_prompt`."""
    return _telling(moment, commondir, needed, tool=True)


def is_doubled(commondir: str, name: str, once: str) -> bool:
    """Tell whether another hook of a session tells the same right now, and note that this one does.

    `name` is what files of the session are called; `once` is what is told, in which process of the host.
    """
    key, now, heard = f"begun {once}", now_ms(), Heard(commondir, name)
    cursor = heard.take(_PATIENCE_SECONDS)
    if cursor is None:
        return False  # rather twice than never
    if 0 <= now - cursor.told.get(key, 0) < _SAME_MS:
        heard.leave()
        return True
    heard.move(cursor._replace(told={**cursor.told, key: now}))
    return False


def begin(home: Home, name: str, *, resumed: bool = False) -> Callable[..., None]:
    """Look where all stands as a session begins; what is returned makes that what the session heard.

    It is called with what the session was told then, what is known by it, and the brief of before that it
    was told, None for a new one: what came since that it hears at its next prompt. `name` is what files of
    the session are called; `resumed`: what it was told before still stands in its context.
    """
    commondir, watched = home.repository.commondir, watched_of(home)
    listed = files(commondir)
    seen = standing_of(listed, name, watched)
    offsets = {file: size for file, size, _ in listed if file != f"{name}.jsonl"}
    begun = Cursor(watched, seen, seen, _FIRST_LOOK, home.tip(), waiting(home), offsets)

    def told(text: str, known: Mapping[str, int] | None = None, last: Kept | None = None) -> None:
        heard = Heard(commondir, name)
        before = heard.take(_PATIENCE_SECONDS)
        if before is not None:
            stays = {field: getattr(before, field) for field in _STAYS}
            kept = begun._replace(told={**before.told, **(known or {})}, **stays)
            if last is not None:
                unheard = seen._replace(ledger="behind")  # which is how nothing stands
                kept = kept._replace(tip=last.tip, waiting=last.waits, prompt=unheard)
            Telling(text, heard, kept if not resumed else kept.knowing(before.known)).written()
        tidy(commondir, now_ms() / 1000)

    return told


def note_shown(commondir: str, name: str, text: str) -> None:
    """Keep that a session was shown what a text shows, where it was told anything before.

    The text is a brief, for instance that of a subagent; `name` is what files of the session are called.
    """
    heard = Heard(commondir, name)
    if not heard.is_there():
        return
    cursor = heard.take()
    if cursor is not None:
        seen = cursor.having_seen(text, itself=False)
        heard.move(seen) if cursor.watched else heard.leave()


def watched_of(home: Home) -> tuple[str, ...]:
    """Return the files and folders whose change may mean that there is a new log."""
    commondir, spool = home.repository.commondir, home.spool_folder
    branch = (f"{commondir}/{home.reference}",) if home.reference else ()
    return (
        f"{home.repository.gitdir}/HEAD", f"{commondir}/packed-refs", *branch, spool, f"{spool}/held",
    )  # fmt: skip


def _telling(
    moment: Moment, commondir: str, needed: Needed | None, *, tool: bool
) -> Telling | None:
    name = file_name(moment.host, moment.session)
    news = has_news(commondir, name, tool=tool)
    if not (news or needed):
        return None
    from ledger.errors import HomeNotFound
    from ledger.home import discover
    from projection.brief.wording import enveloped

    now = now_ms()
    heard = Heard(commondir, name)
    try:
        cursor = heard.take() if heard.is_there() else Cursor()
        if cursor is None:
            return None
        if not cursor.watched:  # here for the first time, or the file is damaged
            heard.leave()
            begin(discover(moment.folder), name)("")
            cursor, news = heard.take() if needed else None, False
            if cursor is None:
                return None
        lines: tuple[str, ...] = ()
        moved = cursor
        if news:
            lines, moved = _heard_since(moment, commondir, cursor, now, tool=tool)
        told, ids = needed.lines(cursor.known) if needed else ([], [])
        if needed and ids:
            met = tuple(dict.fromkeys((*cursor.moments, *([] if needed.whole else ids))))
            room = sum(map(len, told)) + len(told)
            moved = moved.knowing(needed.marks(ids))._replace(
                moments=met, needed=moved.needed + room, characters=moved.characters - room
            )
        elif not lines:
            heard.move(moved)
            return None
        title = needed.title if needed and told else _TITLE
        both = [*told, *([f"{_TITLE}:"] if told and lines else []), *lines]
        return Telling(enveloped(title, _fitting(both), name), heard, moved)
    except HomeNotFound:
        heard.leave()
        return None
    except BaseException:
        heard.leave()
        raise


def _heard_since(
    moment: Moment, commondir: str, cursor: Cursor, now: int, *, tool: bool
) -> tuple[tuple[str, ...], Cursor]:
    from rituals.hosts.context.other_sessions import Listener, urgent

    name = file_name(moment.host, moment.session)
    listener = Listener(commondir, name, moment.folder, now, cursor.offsets, cursor.told)
    if not tool:
        return _whole(moment, listener, cursor)
    seen = standing(commondir, name, ())
    found = urgent(listener)
    return found.pressing, cursor._replace(tool=seen, told=found.told)


def _whole(moment: Moment, listener: Listener, cursor: Cursor) -> tuple[tuple[str, ...], Cursor]:
    from rituals.hosts.context.other_sessions import all_news

    commondir, name = listener.commondir, listener.name
    seen = standing(commondir, name, cursor.watched)
    news = all_news(listener, beside=seen.ledger != cursor.prompt.ledger)
    moved = cursor._replace(prompt=seen, tool=seen, offsets=news.offsets, told=news.told)
    if seen.ledger == cursor.prompt.ledger:
        if not 0 < cursor.look <= listener.now:
            return (*news.pressing, *news.rest), moved
        from ledger.home import discover
        from rituals.hosts.context.ledger_news import states_of

        states = states_of(discover(moment.folder))
        lines, moved = _aged(list(news.pressing), listener, moved, states)
        return (*lines, *news.rest), moved
    from ledger.home import discover
    from rituals.hosts.context.ledger_news import ledger_news

    home = discover(moment.folder)
    watched = watched_of(home)
    seen = seen._replace(ledger=standing(commondir, name, watched).ledger)
    moved = moved._replace(watched=watched, prompt=seen)
    waits = waiting(home)
    found = ledger_news(home, moment.session, cursor.tip, cursor.waiting, waits)
    lines = list(news.pressing)
    if found.state is not None:
        if found.state not in ("", cursor.state):
            lines.append(found.state)
        moved = moved._replace(state=found.state)
    lines += found.facts
    if found.more:
        lines.append(f"- {found.more} more new facts: `diurna brief` has them")
    if found.states is not None:
        lines, moved = _aged(lines, listener, moved, found.states)
    return (*lines, *news.rest), moved._replace(tip=found.tip, waiting=found.waiting)


def _aged(
    lines: list[str], listener: Listener, moved: Cursor, states: Mapping[str, int]
) -> tuple[list[str], Cursor]:
    """Return some lines and, behind them, what is out of date of the state, with the cursor then."""
    from rituals.hosts.context.ledger_news import TOLD, age_line, next_look

    told = dict(moved.told)
    if next_look(states, told.get(TOLD, 0)) <= listener.now:
        observed = [changed // 1_000_000 for _, _, changed in files(listener.commondir)]
        if line := age_line(states, observed, listener.now):
            lines = [*lines, line]
            told[TOLD] = listener.now
    return lines, moved._replace(told=told, look=next_look(states, told.get(TOLD, 0)))


def _fitting(lines: Sequence[str]) -> list[str]:
    from projection.brief.wording import enveloped

    room = NEWS_CHARS - len(enveloped(_TITLE, (), ""))
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept
