"""Name what a part of a session did: as the agent was asked to, else by what was told of it."""

from __future__ import annotations

import re

from ledger.escape import prose
from ledger.model.event import FactCreated
from memory.query.visible_logs import logs_of
from projection.brief.single_line import shortened
from rituals.hosts.capture.fitting import paragraphs, sentences_of
from rituals.hosts.capture.told_sources import REPORT_CHARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.replay.ledger_snapshot import Snapshot
    from rituals.hosts.capture.fitting import Opens
    from rituals.hosts.capture.told_sources import Sources

TITLE_CHARS = 100
#: What begins something else than a sentence: a heading, a list, code, a checkbox, HTML.
MARKS = "#>`~-=*+_<|[] "
#: A first request of so many characters on one line, and of so many words at least, may name a session.
_ASK_CHARS, _ASK_WORDS = 120, 4
#: A shorter sentence at the beginning of a report says nothing but that it is done, or yes.
_TELLING_CHARS = 24
#: How a sentence begins that answers, or announces what comes below it.
_ANSWERS = tuple(
    "yes|no,|no |not |if |because |let me |i will |i'll |now |here's |here is |here are".split("|")
)
#: So many of the newest logs are looked through for what the agent answered.
_LOGS = 200
#: A document's own heading is among so many paragraphs of a report.
_TOP = 3
#: What a sentence is put below, and what it links to, is no part of what it says.
_LABEL = re.compile(r"\*\*[^*\n]{1,40}(?::\*\*|\*\*:)\s*(?=\S)")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\([^()\s]{1,500}\)")


def title_of(sources: Sources, opens: Opens, *, asks: bool) -> str:
    """Name what a part of a session did: first commit, text, host's name, first ask, first long report.

    The first is the work; what comes behind it are repairs and questions. With `asks` the words of a
    person may stand there.
    """
    wanted = [one.heading for one in (*sources.commits[:1], *sources.texts[:1])]
    host = "" if "/" in sources.title.partition(" ")[0] else sources.title  # a branch, a path
    wanted += [host, sources.ask if asks and _names(sources.ask) else ""]
    best = sorted(sources.reports, key=lambda one: -min(len(one.text), REPORT_CHARS))
    wanted += [_first_sentence(one.text) for one in best]
    found, _ = opens([prose(one) for one in wanted])
    return shortened(next(filter(None, found), ""), TITLE_CHARS)


def answered_title(snapshot: Snapshot, session: str) -> str:
    """Return what the agent of a session called it where it was asked; "" where it did not say.

    `session` is the host's, as headers name it.
    """
    for count, (ref, entry) in enumerate(snapshot.cache().entries_since("")):
        if count == _LOGS:
            break
        if entry.session == session and not entry.reach:
            for _, log in logs_of(snapshot, [ref]):
                texts = [one.text or "" for one in log.events if isinstance(one, FactCreated)]
                said = log.title.partition("…")[0].partition(" (and ")[0]
                if not any(text.startswith(said) for text in texts):
                    return shortened(prose(log.title), TITLE_CHARS)
    return ""


def _names(ask: str) -> bool:
    """Tell whether a request says what is to be done, and is nothing that was pasted."""
    return len(ask) <= _ASK_CHARS and "\n" not in ask and len(ask.split()) >= _ASK_WORDS


def _first_sentence(report: str) -> str:
    """Return the first sentence of a report that says what was done; the heading of a document."""
    found = paragraphs(report)
    for one in found[:_TOP]:
        name = one.text.strip("*")
        if one.leads and f"\n# {name}\n" in f"\n{report}\n":
            return name
    for one in found:
        line = one.text.split("\n")[0]
        if not one.leads and line[:1] not in "|`":
            line = _LINK.sub(r"\1", _LABEL.sub("", line)).lstrip(MARKS).replace("**", "")
            for said in sentences_of(line):
                low = said.lower()
                if (
                    len(said) >= _TELLING_CHARS
                    and said[-1] not in ":?"
                    and not low.startswith(_ANSWERS)
                ):
                    return said
    return ""
