"""Run `diurna log` and `recall --level timeline`: session logs, one in short, and what was around one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ledger.errors import NotFound, WrongUsage
from ledger.model.order import NO_DAY, is_stem
from ledger.wal.kept_asks import asks_in, shown_title
from memory.query.reader import hides
from memory.write.draft import USED
from rituals.answers.json_objects import log_object
from rituals.answers.record_fields import fields_of, mark_object
from rituals.cli.context import Invocation
from rituals.cli.operation import SINCE, UNTIL, modes, option, word
from rituals.cli.output import Line, Output, counted, heading, some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from memory.query.log_lines import LogLine
    from memory.query.session_timeline import Timeline
    from projection.document.fact_remarks import Mark
    from projection.text.session_digest import Digest

_NAME_WORDS = 3  #: of a user; what has more is what was asked for
#: How many ids of one verb a line of a timeline names.
_IDS = 4


def log(
    call: Invocation, *,
    what: str = word("[STEM|A..B]"),
    agent: str = option("Only logs of this agent.", "NAME", goes="plain"),
    since: str = SINCE._replace(goes="plain"), until: str = UNTIL._replace(goes="plain"),
    limit: int = option("At most so many.", "N", default=0, most=-1, goes="plain", spelled="-n"),
    mode: str = modes(changes="What was learned, faded and corrected between two points, A..B."),
) -> None:  # fmt: skip
    """List session logs, newest first, or summarise one.

    The summary has decisions (facts of that kind, and what begins with `decision:`), what is open
    (threads, tasks and open boxes) and points. Every line of it is in the log, on the line whose number
    is in front; a long one is cut at `…`. The start of a log's name is enough.

    With --changes a point is a time (a day means its end), the name of a log, or a commit; without B it
    is now.

    Examples:
      diurna log -n 10
      diurna log --agent claude-code --since "3 days ago"
      diurna log 2026-11-21-0902
      diurna log --changes 2026-11-01..2026-11-21
      diurna log --changes HEAD~5..
    """
    if mode:
        return _changes(call, what)
    if what:
        if agent or since or until or limit:
            raise WrongUsage("one log is told whole", hint="leave the options or the log out")

        from memory.query.visible_logs import digest

        if not is_stem(what.partition(":")[0]):
            hint = "`diurna log` lists session logs, and the start of a stem is enough"
            raise NotFound(f"there is no session log {what}", hint=hint)
        found = digest(call.memory().snapshot, what)
        quotes = "points(line text) actions(line text) decisions(line text)"
        fields = f"stem title summary line {quotes}"
        return call.answer(fields_of(found, fields), _digest(found, call.out))
    memory = call.memory()
    from memory.query.log_lines import log_lines

    lines = log_lines(memory, agent, since, until, limit)
    nothing = "no session log matches" if agent or since or until else "no session log yet"
    call.answer(
        lambda: {"sessions": [log_object(line) for line in lines]},
        _log_lines(memory, lines, call.out), nothing=nothing,
    )  # fmt: skip


def _log_lines(memory: Memory, lines: Iterable[LogLine], out: Output) -> Iterator[Line]:
    hidden = hides(memory.home)
    asks = [one for one in asks_in(memory.home.repository.commondir) if not hidden(one.text)]
    for line in lines:
        verdict = f"{line.role or 'verdict'}: {line.verdict}"
        said = some(
            (line.type != "work", line.type), (line.waiting, "waiting"), (line.verdict, verdict)
        )
        who = line.agent or "nobody named"
        if 0 < len(line.user.split()) <= _NAME_WORDS:
            who = f"{who} for {line.user}"
        title = f"  {shown_title(line.title, line.session, asks)}{some((said, f' ({said})'))}"
        yield (out.short(line.stem), "yellow"), "  ", (who, "cyan"), title


def around(
    call: Invocation, anchor: str, before: str, after: str, agents: tuple[str, ...],
    kinds: tuple[str, ...], limit: int,
) -> None:  # fmt: skip
    """Show the sessions around something."""
    from memory.query.session_timeline import timeline

    agent = "".join(agents)
    found = timeline(
        call.reader(), anchor, before=before, after=after, limit=limit, agent=agent, kinds=kinds
    )
    call.opened((anchor,) if anchor and " " not in anchor else ())
    nothing = "no session there" if found.start else "no session log yet"
    reach = "`--before` and `--after` reach further: 7d, 4w"
    call.answer(
        lambda: _timeline_object(found), _timeline_lines(found, call.out),
        nothing="no session matches" if agent or kinds else nothing,
        hints=(reach,) if found.start and not found.sessions else (),
    )  # fmt: skip


def _changes(call: Invocation, range: str) -> None:
    """Show what was learned, faded and corrected between two points."""
    from memory.query.provenance import difference

    start, _, end = range.partition("..")
    if not start:
        raise WrongUsage(f"{range!r} does not say from where", hint="diurna log --changes A..B")
    if end.startswith("."):
        raise WrongUsage(
            f"{range!r} has three dots", hint=f"diurna log --changes {start}..{end[1:]}"
        )
    memory = call.memory()
    old, new = memory.state(start), memory.state(end)
    found = difference(old, new)
    if new.summary.logs < old.summary.logs:
        hint = f"diurna log --changes {end}..{start}" if end else "name the earlier point first"
        raise WrongUsage(f"{end or 'now'} has fewer logs than {start}", hint=hint)
    rows = [("learned", "green", fact, "") for fact in found.learned]
    rows += [("corrected", "yellow", fact, f" ({how})") for fact, how in found.corrected]
    rows += [("faded", "red", fact, "") for fact in found.faded]
    rows += [("returned", "green", fact, "") for fact in found.returned]
    rows += [("closed", "cyan", fact, "") for fact in found.closed]
    head = f"{counted(found.sessions, 'work session')} from {start} to {end or 'now'}"
    said = fields_of(found, "sessions learned faded returned closed")
    corrected = [{"id": fact, "how": how} for fact, how in found.corrected]
    lines: list[Line] = [
        ((f"{what:<10}", style), fact, f"{how} — {new[fact].fact.text.split(chr(10))[0]}")
        for what, style, fact, how in rows
    ]
    call.answer({"from": start, "to": end, **said, "corrected": corrected}, [head, *lines])


def _digest(found: Digest, out: Output) -> Iterator[Line]:
    if found.title and found.title != found.summary:
        yield ((found.title, "bold"),)
    if found.stem:
        yield ((out.short(found.stem), "yellow"),)
    if found.summary:
        yield found.summary
    for name in ("decisions", "actions", "points"):
        quotes = getattr(found, name)
        if quotes:
            yield heading(name)
        yield from [((f"{quote.line:>5}  ", "dim"), quote.text) for quote in quotes]


def _timeline_object(found: Timeline) -> dict[str, object]:
    sessions = [
        {
            **fields_of(one, "stem ended agent type title summary tokens anchor"),
            "facts": {verb.lower(): ids for verb, ids in one.did},
        }
        for one in found.sessions
    ]
    return {
        **fields_of(found, "anchor(asked kind id) start end tokens left"),
        "sessions": sessions,
        "marks": {id: mark_object(mark) for id, mark in found.marks.items()},
    }


def _timeline_lines(found: Timeline, out: Output) -> Iterator[Line]:
    for session in found.sessions:
        kind = "" if session.type == "work" else f" ({session.type})"
        when = session.ended[:16].replace("T", " ") or NO_DAY
        mark, who = "→ " if session.anchor else "  ", session.agent or "nobody named"
        what = f"  {session.title or session.summary}{kind}".rstrip()
        yield (mark, "green"), (when, "bold"), "  ", (who, "cyan"), what
        if session.title and session.summary:
            yield f"    {session.summary}"
        if session.did:
            yield "    " + "; ".join([_told(verb, ids, found.marks) for verb, ids in session.did])
        yield "    ", (out.short(session.stem), "yellow"), f"  {counted(session.tokens, 'token')}"
    more = f" of {len(found.sessions) + found.left}, the nearest" if found.left else ""
    if found.sessions:
        span = f"{found.start[:16]} to {found.end[:16]}".replace("T", " ")
        shown = f"{counted(len(found.sessions), 'log')}{more}; {span} UTC"
        yield ((f"{shown}, {counted(found.tokens, 'token')} in full", "dim"),)


def _told(verb: str, ids: tuple[str, ...], marks: Mapping[str, Mark]) -> str:
    more = f" and {len(ids) - _IDS} more" if len(ids) > _IDS else ""
    named = [_marked(verb, name, marks) for name in ids[:_IDS]]
    return f"{'used' if verb == USED else verb.lower()} {', '.join(named)}{more}"


def _marked(verb: str, name: str, marks: Mapping[str, Mark]) -> str:
    """Say of a fact what it is by now, but where the session itself says just that."""
    mark = marks.get(name.rpartition(" → ")[2])
    if mark is None or mark.said == verb.lower():
        return name
    return f"{name} ({mark.said})"
