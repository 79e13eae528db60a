"""Run `diurna log` and `recall --level timeline`: session logs, one in short, and what was around one."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.errors import NotFound, WrongUsage
from ledger.model.log_names import is_stem
from ledger.wal.kept_asks import asks_in, shown_title
from memory import USED, hides_text
from rituals.answers.fact_objects import log_object
from rituals.answers.record_to_dict import fields_of, mark_object
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.operation import SINCE, UNTIL, modes, option, word
from rituals.cli.output import few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory import Timeline
    from projection.document.fact_remarks import Mark

_NAME_WORDS = 3  #: of a user; what has more is what was asked for
#: How many ids of one verb a line of a timeline names.
_IDS = 4
_LOGS = Layout("sessions|{stem~:yellow}  {=who:cyan}  {=title}[ ({=said})]")
_DIGEST = Layout("""
{=title:bold}
{stem~:yellow}
{summary}
decisions|# decisions
decisions|{line<5:dim} {text}
actions|# actions
actions|{line<5:dim} {text}
points|# points
points|{line<5:dim} {text}
""")
_AROUND = Layout("""
sessions|{=mark:green}{=when:bold}  {agent|nobody named:cyan}  {=title}[ ({=type})]
sessions|    {=summary}
sessions|    {=did}
sessions|    {stem~:yellow}  {tokens#token}
?sessions|{=shown#log}[ of {=all}, the nearest]; {=start} to {=end} UTC, {tokens#token} in full
""")
_CHANGES = Layout("""
{sessions#work session} from {from} to {to|now}
=rows|{what<10:cyan}{id}[ ({how})] — {line}
""")


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
    memory = call.memory()
    if what:
        if agent or since or until or limit:
            raise WrongUsage("one log is told whole", hint="leave the options or the log out")
        if not is_stem(what.partition(":")[0]):
            hint = "`diurna log` lists session logs, and the start of a stem is enough"
            raise NotFound(f"there is no session log {what}", hint=hint)
        from memory import digest

        found = digest(memory.snapshot, what)
        quotes = "points(line text) actions(line text) decisions(line text)"
        title = "" if found.title == found.summary else found.title
        values = fields_of(found, f"stem title summary line {quotes}")
        return call.answer({**values, "=title": title}, _DIGEST)
    from memory import log_lines

    lines = log_lines(memory, agent, since, until, limit)
    hidden = hides_text(memory.home)
    asks = [one for one in asks_in(memory.home.repository.commondir) if not hidden(one.text)]
    sessions = []
    for line in lines:
        said = [line.type] if line.type != "work" else []
        said += ["waiting"] * line.waiting
        said += [f"{line.role or 'verdict'}: {line.verdict}"] if line.verdict else []
        who = line.agent or "nobody named"
        if 0 < len(line.user.split()) <= _NAME_WORDS:
            who = f"{who} for {line.user}"
        title = shown_title(line.title, line.session, asks)
        sessions.append({**log_object(line), "=who": who, "=title": title, "=said": said})
    nothing = "no session log matches" if agent or since or until else "no session log yet"
    call.answer({"sessions": sessions}, _LOGS, nothing=nothing)


def around(call: Invocation, anchor: str, found: Timeline, *, chosen: bool) -> None:
    """Show the sessions around something, all or those that were `chosen` by agent or kind."""
    call.opened((anchor,) if anchor and " " not in anchor else ())
    sessions = [
        {
            **fields_of(one, "stem ended agent type title summary tokens anchor"),
            "facts": {verb.lower(): ids for verb, ids in one.did},
            "=mark": "→ " if one.anchor else "  ",
            "=when": _minute(one.ended),
            "=title": one.title or one.summary,
            "=type": "" if one.type == "work" else one.type,
            "=summary": one.summary if one.title else "",
            "=did": "; ".join([_told(verb, ids, found.marks) for verb, ids in one.did]),
        }
        for one in found.sessions
    ]
    values = {
        **fields_of(found, "anchor(asked kind id) start end tokens left"),
        "sessions": sessions,
        "marks": {id: mark_object(mark) for id, mark in found.marks.items()},
        "=shown": len(sessions),
        "=all": len(sessions) + found.left if found.left else 0,
        "=start": _minute(found.start),
        "=end": _minute(found.end),
    }
    nothing = "no session there" if found.start else "no session log yet"
    reach = "`--before` and `--after` reach further: 7d, 4w"
    call.answer(
        values,
        _AROUND,
        nothing="no session matches" if chosen else nothing,
        hints=(reach,) if found.start and not found.sessions else (),
    )


def _changes(call: Invocation, range: str) -> None:
    """Show what was learned, faded and corrected between two points."""
    from memory import changes_between

    start, _, end = range.partition("..")
    if not start or end.startswith("."):
        raise WrongUsage(f"{range!r} are no two points", hint="diurna log --changes A..B")
    memory = call.memory()
    old, new = memory.state(start), memory.state(end)
    if new.summary.logs < old.summary.logs:
        hint = f"diurna log --changes {end}..{start}" if end else "name the earlier point first"
        raise WrongUsage(f"{end or 'now'} has fewer logs than {start}", hint=hint)
    found = changes_between(old, new)
    corrected = [{"id": fact, "how": how} for fact, how in found.corrected]
    said = fields_of(found, "sessions learned faded returned closed")
    rows = [
        {"what": what, "id": id, "how": how, "line": new[id].fact.text.split("\n")[0]}
        for what in ("learned", "corrected", "faded", "returned", "closed")
        for id, how in (one if what == "corrected" else (one, "") for one in getattr(found, what))
    ]
    values = {"from": start, "to": end, **said, "corrected": corrected, "=rows": rows}
    call.answer(values, _CHANGES)


def _minute(instant: str) -> str:
    return instant[:16].replace("T", " ")


def _told(verb: str, ids: tuple[str, ...], marks: Mapping[str, Mark]) -> str:
    """Say what a session did to facts, and what these are by now, but where it did just that."""
    named = []
    for name in ids:
        mark = marks.get(name.rpartition(" → ")[2])
        said = "" if mark is None or mark.said == verb.lower() else f" ({mark.said})"
        named.append(name + said)
    return f"{'used' if verb == USED else verb.lower()} {few(named, _IDS)}"
