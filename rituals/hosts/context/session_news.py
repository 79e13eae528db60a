"""Tell a running session what others did and recorded since it was told last, once.

The cursor of the session (`rituals.hosts.context.session_cursor`) moves behind the answer, by what
`telling` returns: what a killed hook did not say is said by the next one. The first call of a session is
silent, and so is one that another hook of the session is faster than. At a tool only what can not wait is
told.
"""

from __future__ import annotations

from ledger.environment import now_ms
from memory import waiting_stems
from rituals.hosts.adapters import PROMPT
from rituals.hosts.context.session_cursor import NEWS_DIR, OBSERVED_DIR, Cursor, Heard, stamps
from rituals.hosts.host_events import CHECKPOINTS_DIR, STARTS_DIR, Moment
from rituals.hosts.session_files import files_in, sweep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.home import Home
    from memory import Cache, KeptBrief
    from rituals.hosts.context.moment_answer import Needed

NEWS_CHARS = 1_200
_TITLE = "News"
#: How many facts are told, of so many that are looked at closely, and in how many characters.
_FACTS, _LOOKED, _FACT_CHARS = 3, 20, 150
#: How long a cursor is waited for, and within what time the same start is another hook's.
_PATIENCE_SECONDS, _SAME_MS = 0.05, 3_000
#: What of its cursor a session keeps that begins again.
_STAYS = ("told", "shown", "moments", "characters", "needed")
#: A session that was silent for so long is over.
_DEAD_SECONDS = 14 * 86_400


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

    It is called with what the session was told then, and the brief of before that it was told, None for a
    new one: what came since that it hears at its next prompt. `name` is what files of the session are
    called; `resumed`: what it was told before still stands in its context.
    """
    commondir = home.repository.commondir
    begun = Cursor(watched_of(home)).standing(commondir, name, prompt=True)
    offsets = {file: size for file, size, _ in files_in(f"{commondir}/{OBSERVED_DIR}")}
    begun = begun._replace(offsets=offsets, tip=home.tip(), waiting=waiting_stems(home))

    def told(text: str, last: KeptBrief | None = None) -> None:
        heard = Heard(commondir, name)
        before = heard.take(_PATIENCE_SECONDS)
        if before is not None:
            kept = begun._replace(**{field: getattr(before, field) for field in _STAYS})
            if last is not None:  # and nothing stands so
                kept = kept._replace(tip=last.tip, waiting=last.waits, ledger="behind")
            heard.move(kept.knowing(before.known if resumed else ()).having_seen(text))
        for folder in (NEWS_DIR, STARTS_DIR, CHECKPOINTS_DIR):
            sweep(f"{commondir}/{folder}", now_ms() / 1000 - _DEAD_SECONDS)

    return told


def watched_of(home: Home) -> tuple[str, ...]:
    """Return the files and folders whose change may mean that there is a new log."""
    commondir, spool = home.repository.commondir, home.spool_folder
    branch = (f"{commondir}/{home.reference}",) if home.reference else ()
    head = f"{home.repository.gitdir}/HEAD"
    return (head, f"{commondir}/packed-refs", *branch, spool, f"{spool}/held")


def telling(
    moment: Moment, commondir: str, needed: Needed | None, *, news: bool
) -> tuple[str, Callable[[], None] | None]:
    """Return what a session has to know at a prompt or a tool, with what memory has on it (`needed`).

    Behind it comes what is to be called when the session has heard it; "" and None for nothing.
    `news`: there may be something that it did not hear (`has_news`).
    """
    from ledger.errors import HomeNotFound
    from ledger.home import discover
    from projection.brief.inert_text import enveloped

    name = moment.files
    heard = Heard(commondir, name)
    try:
        cursor = Cursor() if heard.is_new else heard.take()
        if cursor is not None and not cursor.watched:  # here for the first time, or it is damaged
            heard.leave()
            begin(discover(moment.folder), name)("")
            cursor, news = heard.take() if needed else None, False
        if cursor is None:
            return "", None
        lines, moved = _since(moment, commondir, cursor) if news else ([], cursor)
        told, keys = needed.lines(cursor.known) if needed else ([], [])
        if needed and told:
            ids = [key.rstrip("!") for key in keys]
            met = tuple(dict.fromkeys((*cursor.moments, *([] if needed.whole else ids))))
            room = sum(map(len, told)) + len(told)
            moved = moved.knowing((*ids, *keys))._replace(
                moments=met, needed=moved.needed + room, characters=moved.characters - room
            )
        elif not lines:
            heard.move(moved)
            return "", None
        title = needed.title if needed and told else _TITLE
        kept, room = list[str](), NEWS_CHARS - len(enveloped(_TITLE, (), ""))
        for line in [*told, *([f"{_TITLE}:"] if told and lines else []), *lines]:
            room -= len(line) + 1
            if room < 0:
                break
            kept.append(line)
        text = enveloped(title, kept, name)
        return text, lambda: heard.move(moved.having_seen(text))
    except HomeNotFound:
        heard.leave()
        return "", None
    except BaseException:
        heard.leave()
        raise


def _since(moment: Moment, commondir: str, cursor: Cursor) -> tuple[list[str], Cursor]:
    """Return the lines of what a session did not hear, and its cursor when it did."""
    from rituals.hosts.context.other_sessions import others_news

    prompt = moment.event == PROMPT
    seen = cursor.standing(commondir, moment.files, prompt=prompt)
    pressing, acts, moved = others_news(moment, commondir, seen, acts=prompt)
    new, moved = _facts(moment, moved) if seen.ledger != cursor.ledger else ([], moved)
    return [*pressing, *new, *acts], moved


def _facts(moment: Moment, heard: Cursor) -> tuple[list[str], Cursor]:
    """Return the lines of new facts, corrections first, and the cursor of a session that heard them.

    Logs count from the commit up to which it was told, so one that a sync brings late is new however old
    it is; a log that waits counts like one that landed, and once. What a session recorded itself is no
    news to it, but for what was captured.
    """
    from ledger.home import discover
    from ledger.model.layout import SESSIONS_DIR, stem_of
    from ledger.model.log_names import key_of
    from memory import news_of, open_snapshot, public_news
    from projection.brief.lines import line_of, written
    from projection.policy.model import THREAD_KIND

    home = discover(moment.folder)
    watched, before = watched_of(home), heard.tip
    heard = heard._replace(watched=watched, ledger=stamps(watched))  # what moves meanwhile is seen
    waits, tip = waiting_stems(home), home.tip()
    heard = heard._replace(tip=tip)
    new = {*waits}
    if before and tip and before != tip:  # none where that commit is gone
        changes = home.repository.git().changes(before, tip, home.prefix + SESSIONS_DIR) or ()
        new |= {stem_of(path) for letter, _, _, path in changes if letter == "A"} - {""}
    new -= {*heard.waiting}
    if not new:
        return [], heard._replace(waiting=waits)

    def ask(cache: Cache) -> tuple[list[str], Cursor]:
        keys = map(key_of, sorted(new, reverse=True))
        entries = [one for key in keys if (one := cache.entry(key)) is not None]
        told = [one for one in entries if one.session != moment.session or one.reach]
        found, more = news_of(cache, told, _LOOKED)
        news = [
            one for one in public_news(found) if not (one.now and one.now.fact.kind == THREAD_KIND)
        ]
        said = [line_of(one, _FACT_CHARS, lambda _: "", ()) for one in news[:_FACTS]]
        said = [one._replace(tier="", date="", stem="") for one in said]
        lines = [written(one, (), "", "").rstrip("\n") for one in said]
        if rest := more + len(news[_FACTS:]):
            lines.append(f"- {rest} more new facts: `diurna brief` has them")
        known = {*heard.waiting, *[entry.stem for entry in entries]}
        return lines, heard._replace(waiting=tuple([stem for stem in waits if stem in known]))

    return open_snapshot(home).ask(ask)
