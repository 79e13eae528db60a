"""Tell a running session what others did and recorded since it was told last, once.

The cursor of the session (`rituals.hosts.context.session_cursor`) moves behind the answer
(`Telling.written`): what a killed hook did not say is said by the next one. The first call of a session
is silent, and so is one that another hook of the session is faster than. At a tool only what can not
wait is told.
"""

from __future__ import annotations

from ledger.environment import now_ms
from ledger.model.record import Record
from memory.cache.view_name import waiting
from rituals.hosts.adapters import PROMPT
from rituals.hosts.context.session_cursor import OBSERVED_DIR, Cursor, Heard, stamps, tidy
from rituals.hosts.moments import Moment
from rituals.hosts.payloads import files_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.query.last_answers import Kept
    from rituals.hosts.context.moment_answer import Needed

NEWS_CHARS = 1_200
_TITLE = "News"
#: How many facts are told, of so many that are looked at closely, and in how many characters.
_FACTS, _LOOKED, _FACT_CHARS = 3, 20, 150
#: How long a cursor is waited for, and within what time the same start is another hook's.
_PATIENCE_SECONDS, _SAME_MS = 0.05, 3_000
#: What of its cursor a session keeps that begins again.
_STAYS = ("told", "shown", "unlisted", "moments", "characters", "needed")


class Telling(Record):
    """What is told a session, and its cursor, held until it was written or will not be."""

    text: str
    heard: Heard
    moved: Cursor

    def written(self) -> None:
        """Keep that the session heard it."""
        self.heard.move(self.moved.having_seen(self.text))


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
    commondir, own = home.repository.commondir, f"{name}.jsonl"
    begun = Cursor(watched_of(home)).at_prompt(commondir, name)
    listed = files_in(f"{commondir}/{OBSERVED_DIR}")
    offsets = {file: size for file, size, _ in listed if file != own}
    begun = begun._replace(offsets=offsets, tip=home.tip(), waiting=waiting(home))

    def told(text: str, last: Kept | None = None) -> None:
        heard = Heard(commondir, name)
        before = heard.take(_PATIENCE_SECONDS)
        if before is not None:
            stays = {field: getattr(before, field) for field in _STAYS}
            kept = begun._replace(**stays)
            if last is not None:  # and nothing stands so
                kept = kept._replace(tip=last.tip, waiting=last.waits, ledger="behind")
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


def telling(moment: Moment, commondir: str, needed: Needed | None, *, news: bool) -> Telling | None:
    """Return what a session has to know at a prompt or a tool, with what memory has on it (`needed`).

    `news`: there may be something that it did not hear (`has_news`).
    """
    name = moment.files
    from ledger.errors import HomeNotFound
    from ledger.home import discover
    from projection.brief.wording import enveloped

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
        lines, moved = _since(moment, commondir, cursor) if news else ([], cursor)
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


def _since(moment: Moment, commondir: str, cursor: Cursor) -> tuple[list[str], Cursor]:
    """Return the lines of what a session did not hear, and its cursor when it did."""
    from rituals.hosts.context.other_sessions import OtherSessions

    name = moment.files
    seen = (cursor.at_prompt if moment.event == PROMPT else cursor.at_tool)(commondir, name)
    others = OtherSessions(commondir, name, moment.folder, now_ms(), cursor.offsets, cursor.told)
    if moment.event != PROMPT:
        return others.pressing(), seen._replace(told=others.told)
    changed = seen.ledger != cursor.ledger
    lines, rest = others.news(beside=changed)
    moved = seen._replace(offsets=others.offsets, told=others.told)
    if changed:
        new, moved = _facts(moment, moved)
        lines += new
    return [*lines, *rest], moved


def _facts(moment: Moment, heard: Cursor) -> tuple[list[str], Cursor]:
    """Return the lines of new facts, corrections first, and the cursor of a session that heard them.

    Logs count from the commit up to which it was told, so one that a sync brings late is new however old
    it is; a log that waits counts like one that landed, and once. What a session recorded itself is no
    news to it, but for what was captured.
    """
    from ledger.home import discover
    from ledger.model.layout import SESSIONS_DIR, stem_of
    from ledger.model.order import key_of
    from memory.brief.brief_maker import news_of, public
    from memory.query.open_snapshot import open_snapshot
    from projection.brief.forms import written
    from projection.brief.lines import line_of
    from projection.policy.model import THREAD_KIND

    home = discover(moment.folder)
    watched, before = watched_of(home), heard.tip
    stood, waits, tip = stamps(watched), waiting(home), home.tip()  # what moves meanwhile is seen
    heard = heard._replace(watched=watched, ledger=stood, tip=tip)
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
        news = [one for one in public(found) if not (one.now and one.now.fact.kind == THREAD_KIND)]
        said = [line_of(one, _FACT_CHARS) for one in news[:_FACTS]]
        lines = [written(line._replace(tier="", date="", stem="")).rstrip("\n") for line in said]
        if rest := more + len(news[_FACTS:]):
            lines.append(f"- {rest} more new facts: `diurna brief` has them")
        known = {*heard.waiting, *[entry.stem for entry in entries]}
        return lines, heard._replace(waiting=tuple([stem for stem in waits if stem in known]))

    snapshot = open_snapshot(home)
    try:
        return snapshot.ask(ask)
    finally:
        snapshot.close()


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
