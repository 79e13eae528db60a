"""Compose the log of what a session left: what was told for people to read, what was observed, and facts.

A captured log tells the team no more than the policy lets it, and what comes from outside stands on lines
where it can be no heading of ours, no fact and no comment: its prose is read as no fact (FORMAT.md, W19).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from ledger.escape import prose
from ledger.model.event import FactReferenced, Meta
from ledger.model.ids import sha256
from ledger.model.log_names import ended_of, stamp_of
from ledger.model.record import Record
from ledger.model.session import TRANSCRIPT, SessionLog, Span
from ledger.secrets.log_redaction import KEEP, guard
from memory import SessionDraft, footer_value
from projection.brief.inert_text import shortened
from projection.policy.model import SUPERSEDE, THREAD_KIND
from rituals.hosts.adapters import HOSTS
from rituals.hosts.capture.session_report import MARKS, TITLE_CHARS
from rituals.hosts.extraction import SOURCES, Item
from rituals.hosts.observation_spool import Observation
from rituals.hosts.transcripts.turns import ASSISTANT, Turn
from rituals.record.draft_composer import compose, free_id
from rituals.record.request import NewFact, Request, Supersession

_QUOTE_CHARS, _NAME_CHARS = 300, 200


class Part(Record):
    """A part of a session that one log tells."""

    host: str  #: key of `HOSTS`
    session: str  #: the host's id, as the header names it
    spans: Mapping[str, Span]  #: of the observations and of the transcript, by their kinds
    observations: tuple[Observation, ...] = ()  #: that were not told yet
    turns: tuple[Turn, ...] = ()  #: what was said
    extractor: str = SOURCES  #: what found the items
    items: tuple[Item, ...] = ()  #: what was learned and memory does not have
    told: str = ""  #: what was told for people to read, as markdown
    title: str = ""  #: of the log, "" for what was observed
    references: tuple[FactReferenced, ...] = ()  #: what it used, with the evidence
    #: what else its header says: of what it was asked, shown and told (FORMAT.md, W13)
    more: tuple[tuple[str, str], ...] = ()


def header_value(key: str, value: str) -> str:
    """Return how a header names a session or a transcript: as it is, unless nothing would read it so."""
    clean = " ".join("".join([char if char.isprintable() else " " for char in value]).split())
    log, _ = guard(SessionLog(((key, clean),), "T", "", ()), personal=KEEP)
    if clean == value and len(clean) <= _NAME_CHARS and log.header == ((key, clean),):
        return clean
    digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{key}-{digest}"


def draft_of_part(
    part: Part, trust: str, taken: Callable[[str, str], bool], words: Mapping[str, str]
) -> SessionDraft:
    """Make the draft of a part of a session.

    Args:
        part: what it tells.
        trust: `SUPERSEDE`, or another word: a fact that is spoken against becomes a thread.
        taken: tells whether an id stands for something else than a text.
        words: of which ids may be made.
    """
    new: list[NewFact] = []
    replaced: dict[Supersession, None] = {}
    agents = {turn.at for turn in part.turns if turn.role == ASSISTANT}

    def add(fact: NewFact) -> str:
        id = free_id(fact.text, {one.id for one in new}, taken, words)
        new.append(fact._replace(id=id))
        return id

    for item in part.items:
        footers = _footers(item, part, by_agent=item.at in agents)
        entity = (item.entity,) if item.entity else ()
        fact = add(NewFact(item.text, "", item.kind, item.tags, entity, footers))
        replaced.update(dict.fromkeys(Supersession(old, fact) for old in item.supersedes))
    for old, fact in replaced if trust != SUPERSEDE else ():
        asked = f"Does `{old}` still hold? A session said otherwise: `{fact}`."
        add(NewFact(asked, "", THREAD_KIND, footers=(("conflicts", f"{old}, {fact}"),)))
    spans = tuple((kind, str(span)) for kind, span in part.spans.items())
    said = (("host", part.host), ("session", part.session), ("extractor", part.extractor))
    about = part.title or next((one.text for one in part.items if one.at not in agents), "")
    lines = observed_lines(part.observations)
    observed = "\n".join(("## Observed\n", *lines)) if lines else ""
    request = Request(
        title=shortened(prose(about or session_name(part)).lstrip(MARKS), TITLE_CHARS),
        body="\n\n".join(filter(None, (part.told, observed))),
        agent=HOSTS[part.host].agent,
        new=tuple(new),
        supersede=tuple(replaced) if trust == SUPERSEDE else (),
        anyway=True,
    )
    draft = compose(request, SessionDraft(header=(*said, *spans, *part.more)), taken, words)
    made = tuple(one.id for one in new)
    return draft._replace(events=(*draft.events, *part.references), made=made)


def storable(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return items whose texts a fact can have: on one line, and beginning nothing but a sentence."""
    fit = [item._replace(text=sentence_of(item.text)) for item in items]
    return tuple([item for item in fit if item.text])


def sentence_of(text: str) -> str:
    """Put a text on a line that begins nothing but a sentence, or a word of code."""
    line = prose(text)
    bare = line.lstrip(MARKS)
    code = line[: len(line) - len(bare)].endswith("`") and bare.count("`") % 2
    return f"`{bare}" if code else bare


def _footers(item: Item, part: Part, *, by_agent: bool) -> Meta:
    """Return what a fact says of where it comes from, whose words they are, and of its end."""
    # a person is quoted where they asked for it, and by no model
    quoted = item.quote if by_agent or part.extractor == SOURCES else ""
    quote, span = shortened(footer_value(quoted), _QUOTE_CHARS), part.spans.get(TRANSCRIPT)
    name = footer_value(span.name) if span else ""
    source = " ".join(filter(None, (name, str(item.at), quote and f'"{quote}"')))
    ends = footer_value(item.obsolete_when)
    by: Meta = (("by", HOSTS[part.host].agent),) if by_agent else ()
    return (("source", source), *by, *((("obsolete_when", ends),) if ends else ()))


def session_name(part: Part) -> str:
    """Name a session by its day and its files: `Session of 28 November: 2 files in web/`."""
    times = [*[one.at for one in part.observations], *[turn.when for turn in part.turns]]
    named, at = "Session", min(max(times, default=0), _LATEST_MS)
    if at > 0:  # the local day
        named += f" of {datetime.fromtimestamp(at / 1000).strftime('%d %B').lstrip('0')}"
    edits = [one for one in part.observations if one.kind == "edit"]
    paths = list(dict.fromkeys(path for one in edits for path in one.paths))
    folder = posixpath.commonpath([posixpath.dirname(one) for one in paths]) if paths else ""
    files = f": {len(paths)} file{'s' * (len(paths) != 1)}" if paths else ""
    return f"{named}{files}" + (f" in {folder}/" if folder else "")


#: So many lines tell what was observed, and so many paths stand on one.
LINES, PATHS = 20, 12
_EXIT_AT_END = re.compile(r" \((exit -?\d{1,6})\)\Z")
#: What is told first where there is no room for all.
_ORDER = ("edit", "git", "test", "task", "package", "file", "")
#: The last millisecond that a stamp can say.
_LATEST_MS = 253_402_300_799_999


def observed_lines(observations: Iterable[Observation]) -> list[str]:
    """Return the lines that tell of observations, in the order of their first times."""
    edits: dict[str, list[str]] = {}  # verbs by path
    same: dict[tuple[str, str, bool], list[Observation]] = {}
    first: dict[str, int] = {}
    for one in observations:
        if one.kind == "edit" and one.paths:
            for path in one.paths:
                edits.setdefault(path, []).append(one.what.partition(" ")[0])
                first.setdefault(path, one.at)
        else:  # a code is no word of one that has none
            said = _EXIT_AT_END.sub("", one.what)
            same.setdefault((one.kind, said, said != one.what), []).append(one)
    found: list[tuple[int, str, str]] = []  # when, of which kind, what
    paths = list(edits)
    for begin in range(0, len(paths), PATHS):
        some = paths[begin : begin + PATHS]
        told = ", ".join([_edited(path, edits[path]) for path in some])
        found.append((first[some[0]], "edit", f"edited {told}"))
    for (kind, about, _), times in same.items():
        where = [path for path in times[0].paths if path not in about][:PATHS]
        codes = [code[1] for one in times if (code := _EXIT_AT_END.search(one.what))]
        ends = f": {', then '.join(dict.fromkeys((codes[0], codes[-1])))}" if codes else ""
        about += f" · {', '.join(where)}" if where else ""
        count = f" ({len(times)} times)" if len(times) > 1 else ""
        found.append((times[0].at, kind, f"{about}{ends}{count}"))
    rest: list[str] = []
    if len(found) > LINES:
        found.sort(key=lambda one: (_ORDER.index(one[1] if one[1] in _ORDER else ""), one[0]))
        rest = [kind for _, kind, _ in found[LINES - 1 :]]
        del found[LINES - 1 :]
    found.sort(key=lambda one: one[0])
    lines = []
    for at, _, text in found:
        when = ended_of(stamp_of(max(0, min(at, _LATEST_MS))))[:16].replace("T", " ")
        lines.append(f"- {when} {prose(text)}")
    counts = ", ".join([f"{rest.count(kind)} {kind}" for kind in dict.fromkeys(rest)])
    return [*lines, f"- and more: {counts}"] if rest else lines


def _edited(path: str, verbs: Sequence[str]) -> str:
    """Tell of a path how often it was written, and that it was made or deleted."""
    notes = ["new"] * (verbs[0] == "wrote") + ["deleted"] * (verbs[-1] == "deleted")
    notes += [f"{len(verbs)} times"] * (len(verbs) > 1)
    return f"{path} ({', '.join(notes)})" if notes else path
