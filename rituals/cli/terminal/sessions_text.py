"""Print what `diurna log STEM` and `diurna log --around` answer, for scripts and for people."""

from __future__ import annotations

import os

from ledger.errors import HomeNotFound, NotFound
from ledger.model.order import is_stem
from memory.write.draft import USED
from rituals.answers.record_fields import fields_of, mark_object
from rituals.cli.context import STDIN
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.query.session_timeline import Session, Timeline
    from projection.document.fact_remarks import Mark
    from projection.text.salience import Quote
    from projection.text.session_digest import Digest
    from rituals.cli.context import Invocation
    from rituals.cli.output import Output

#: How many ids of one verb a line of a timeline names.
_IDS = 4


def digested(call: Invocation, what: str) -> Digest:
    """Digest what was named: a file, standard input for `-`, else a session log of the ledger.

    A file needs no home; where there is one, what it withholds is withheld.

    Raises:
        NotFound: there is no such file and no such log.
    """
    if what == STDIN or os.path.isfile(os.path.join(call.folder(), what)):
        text = call.read(what).decode("utf-8", "replace")
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


def digest_object(found: Digest) -> dict[str, object]:
    """Describe a digest."""
    return {
        **fields_of(found, "stem title summary line"),
        **{name: _quotes(getattr(found, name)) for name in ("points", "actions", "decisions")},
        "entities": [fields_of(one, "name kind line") for one in found.entities],
        **fields_of(found, "chars log_chars ratio"),
    }


def _quotes(quotes: tuple[Quote, ...]) -> list[dict[str, object]]:
    return [fields_of(quote, "line text") for quote in quotes]


def print_digest(found: Digest, out: Output) -> None:
    """Print a digest: each line with the number of the log's line it stands on."""
    if found.title and found.title != found.summary:
        out.line((found.title, "bold"))
    if found.stem:
        out.line((out.short(found.stem), "yellow"))
    if found.summary:
        out.line(found.summary)
    parts = ("decisions", found.decisions), ("actions", found.actions), ("points", found.points)
    for name, quotes in parts:
        if quotes:
            out.line("")
            out.line((name, "bold"))
        for quote in quotes:
            out.line((f"{quote.line:>5}  ", "dim"), quote.text)
    if found.entities:
        out.line("")
        out.line(("entities", "bold"))
        out.line("       " + ", ".join([one.name for one in found.entities]))
    out.line("")
    share = f"{100 * found.ratio:.0f} %" if found.log_chars else "nothing"
    out.line((f"{found.chars} of {counted(found.log_chars, 'character')}: {share}", "dim"))


def timeline_object(found: Timeline) -> dict[str, object]:
    """Describe a timeline."""
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


def print_timeline(found: Timeline, out: Output) -> None:
    """Print a timeline, oldest first; what was asked about begins with an arrow."""
    for session in found.sessions:
        kind = "" if session.type == "work" else f" ({session.type})"
        when = session.ended[:16].replace("T", " ")
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
