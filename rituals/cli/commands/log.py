"""Run `diurna log` and `recall --level timeline`: session logs, one in short, and what was around one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ledger.errors import HomeNotFound, NotFound, WrongUsage
from ledger.model.order import NO_DAY, is_stem
from ledger.wal.kept_asks import asks_in, shown_title
from memory.query.open_snapshot import hides
from memory.write.draft import USED
from rituals.answers.record_fields import fields_of, mark_object
from rituals.cli.context import STDIN, Invocation
from rituals.cli.operation import SINCE, UNTIL, modes, option, word
from rituals.cli.output import Output, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.session_timeline import Session, Timeline
    from projection.document.fact_remarks import Mark
    from projection.text.session_digest import Digest

_NAME_WORDS = 3  #: of a user; what has more is what was asked for
#: How many ids of one verb a line of a timeline names.
_IDS = 4


def log(
    call: Invocation, *,
    what: str = word("[STEM|FILE|-|A..B]"),
    agent: str = option("Only logs of this agent.", "NAME", goes="plain"),
    since: str = SINCE._replace(goes="plain"), until: str = UNTIL._replace(goes="plain"),
    limit: int = option("At most so many.", "N", default=0, most=-1, goes="plain", spelled="-n"),
    mode: str = modes(changes="What was learned, faded and corrected between two points, A..B."),
) -> None:  # fmt: skip
    """List session logs, newest first, or summarise one.

    The summary has decisions (facts of that kind, and what begins with `decision:`), what is open
    (threads, tasks and open boxes), points and names. Every line of it is in the log, on the line whose
    number is in front; a long one is cut at `…`. The start of a log's name is enough. A file, or - for
    standard input, can be any text.

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

        found = _digested(call, what)
        if call.json:
            call.out.answer(_digest_object(found))
        else:
            _print_digest(found, call.out)
        return
    memory = call.memory()
    lines = memory.log(agent, since, until, limit)
    if call.json:
        from rituals.answers.json_objects import log_object

        return call.out.answer({"sessions": [log_object(line) for line in lines]})
    if not lines:
        call.out.talk("no session log matches" if agent or since or until else "no session log yet")
    hidden = hides(memory.home)
    asks = [one for one in asks_in(memory.home.repository.commondir) if not hidden(one.text)]
    for line in lines:
        said = [line.type] * (line.type != "work") + ["waiting"] * line.waiting
        said += [f"{line.role or 'verdict'}: {line.verdict}"] * bool(line.verdict)
        kind = f" ({', '.join(said)})" if said else ""
        who = line.agent or "nobody named"
        if 0 < len(line.user.split()) <= _NAME_WORDS:
            who = f"{who} for {line.user}"
        stem = call.out.short(line.stem)
        title = shown_title(line.title, line.session, asks)
        call.out.line((stem, "yellow"), "  ", (who, "cyan"), f"  {title}{kind}")


def around(
    call: Invocation, anchor: str, before: str, after: str, agents: tuple[str, ...],
    kinds: tuple[str, ...], limit: int,
) -> None:  # fmt: skip
    """Show the sessions around something."""
    agent = "".join(agents)
    found = call.reader().timeline(
        anchor, before=before, after=after, limit=limit, agent=agent, kinds=kinds
    )
    call.opened((anchor,) if anchor and " " not in anchor else ())
    if call.json:
        return call.out.answer(_timeline_object(found))
    _print_timeline(found, call.out)
    if not found.sessions:
        if agent or kinds:
            call.out.talk("no session matches")
        else:
            call.out.talk("no session there" if found.start else "no session log yet")
        if found.start:
            call.out.hint("`--before` and `--after` reach further: 7d, 4w")


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
    if call.json:
        corrected = [{"id": fact, "how": how} for fact, how in found.corrected]
        said = fields_of(found, "sessions learned faded returned closed")
        return call.out.answer({"from": start, "to": end, **said, "corrected": corrected})
    call.out.line(f"{counted(found.sessions, 'work session')} from {start} to {end or 'now'}")
    rows = [("learned", "green", fact, "") for fact in found.learned]
    rows += [("corrected", "yellow", fact, how) for fact, how in found.corrected]
    rows += [("faded", "red", fact, "") for fact in found.faded]
    rows += [("returned", "green", fact, "") for fact in found.returned]
    rows += [("closed", "cyan", fact, "") for fact in found.closed]
    for what, style, fact, how in rows:
        text = new[fact].fact.text.split("\n")[0]
        remark = f" ({how})" if how else ""
        call.out.line((f"{what:<10}", style), fact, f"{remark} — {text}")


def _digested(call: Invocation, what: str) -> Digest:
    """Digest what was named: a file, standard input for `-`, else a session log of the ledger."""
    if what == STDIN or os.path.isfile(os.path.join(call.folder(), what)):
        text = call.text(what)
        try:
            memory = call.memory()
        except HomeNotFound:
            from projection.text.session_digest import gist

            return gist(text)
        return memory.digest_text(text, what)
    if not is_stem(what.partition(":")[0]):
        hint = "`diurna log` lists session logs, and the start of a stem is enough"
        raise NotFound(f"there is no file and no session log {what}", hint=hint)
    return call.memory().digest(what)


def _digest_object(found: Digest) -> dict[str, object]:
    return {
        **fields_of(found, "stem title summary line"),
        **{
            name: [fields_of(quote, "line text") for quote in getattr(found, name)]
            for name in ("points", "actions", "decisions")
        },
        "entities": [fields_of(one, "name kind line") for one in found.entities],
        **fields_of(found, "chars log_chars ratio"),
    }


def _print_digest(found: Digest, out: Output) -> None:
    if found.title and found.title != found.summary:
        out.line((found.title, "bold"))
    if found.stem:
        out.line((out.short(found.stem), "yellow"))
    if found.summary:
        out.line(found.summary)
    parts = ("decisions", found.decisions), ("actions", found.actions), ("points", found.points)
    for name, quotes in parts:
        if quotes:
            out.heading(name)
        for quote in quotes:
            out.line((f"{quote.line:>5}  ", "dim"), quote.text)
    if found.entities:
        out.heading("entities")
        out.line("       " + ", ".join([one.name for one in found.entities]))
    out.line("")
    share = f"{100 * found.ratio:.0f} %" if found.log_chars else "nothing"
    out.line((f"{found.chars} of {counted(found.log_chars, 'character')}: {share}", "dim"))


def _timeline_object(found: Timeline) -> dict[str, object]:
    return {
        "anchor": fields_of(found.anchor, "asked kind id"),
        **fields_of(found, "start end"),
        "sessions": [_session_object(session) for session in found.sessions],
        "left_out": fields_of(found, "older between newer"),
        "tokens": found.tokens,
        "marks": {id: mark_object(mark) for id, mark in found.marks.items()},
    }


def _session_object(session: Session) -> dict[str, object]:
    return {
        **fields_of(session, "stem ended agent type title summary"),
        "facts": {verb.lower(): list(ids) for verb, ids in session.did},
        **fields_of(session, "tokens anchor"),
    }


def _print_timeline(found: Timeline, out: Output) -> None:
    for session in found.sessions:
        kind = "" if session.type == "work" else f" ({session.type})"
        when = session.ended[:16].replace("T", " ") or NO_DAY
        mark, who = "→ " if session.anchor else "  ", session.agent or "nobody named"
        what = f"  {session.title or session.summary}{kind}".rstrip()
        out.line((mark, "green"), (when, "bold"), "  ", (who, "cyan"), what)
        if session.title and session.summary:
            out.line(f"    {session.summary}")
        if session.did:
            out.line(
                "    " + "; ".join([_told(verb, ids, found.marks) for verb, ids in session.did])
            )
        out.line(
            "    ", (out.short(session.stem), "yellow"), f"  {counted(session.tokens, 'token')}"
        )
    shown = counted(len(found.sessions), "log")
    left = found.older + found.between + found.newer
    parts = ((found.older, "older"), (found.between, "between"), (found.newer, "newer"))
    which = ", ".join([f"{count} {name}" for count, name in parts if count])
    more = f" of {len(found.sessions) + left}; left out: {which}" if left else ""
    if found.sessions:
        span = f"{found.start[:16]} to {found.end[:16]}".replace("T", " ")
        said = f"{shown}{more}; {span} UTC, {counted(found.tokens, 'token')} in full"
        out.line((said, "dim"))


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
