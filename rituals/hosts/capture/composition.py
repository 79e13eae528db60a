"""Compose the log of what a session left: what was told for people to read, what was observed, and facts.

A captured log tells the team no more than the policy lets it, and what comes from outside stands on lines
where it can be no heading of ours, no fact and no comment: its prose is read as no fact (FORMAT.md, W19).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import accumulate

from ledger.codec.fact_blocks import order_meta
from ledger.escape import prose
from ledger.model.event import FactCreated, FactReferenced, Meta
from ledger.model.ids import sha256
from ledger.model.order import ended_of, stamp_of
from ledger.model.record import Record
from ledger.model.session import COST_KEY, SHOWN_KEY, TOLD_KEY, SessionLog, Span
from ledger.secrets.log_redaction import KEEP, guard
from memory.write.draft import SessionDraft
from memory.write.draft_checks import footer_value
from projection.brief.wording import shortened
from projection.policy.model import SUPERSEDE, THREAD_KIND
from rituals.hosts.adapters import HOSTS
from rituals.hosts.capture.commit_texts import Written
from rituals.hosts.capture.fitting import (
    Opens,
    fitted,
    names_in,
    paragraphs,
    size_of,
    standing,
    without_fillers,
)
from rituals.hosts.capture.session_report import MARKS, TITLE_CHARS, Report, Sources
from rituals.hosts.capture.typed_words import UNSHARED
from rituals.hosts.extraction import SOURCES
from rituals.hosts.observation_spool import Observation
from rituals.hosts.quoted_items import Item
from rituals.hosts.transcripts.turns import Turn
from rituals.record.draft_composer import compose, id_of_text
from rituals.record.request import NewFact, Request, Supersession

_QUOTE_CHARS, _NAME_CHARS = 300, 200
#: So many characters of a passage are of use; a turn with fewer names of its own says little.
_SHARE, _FEW_NAMES = 600, 3
_GAP = "\n\n"
_SECTIONS = ("Commits", "Texts", "Turns")


class Part(Record):
    """A part of a session that one log tells."""

    host: str  #: key of `HOSTS`
    session: str  #: the host's id, as the header names it
    extractor: str  #: what found the items
    observed: Span | None  #: the span of the observations, None for none
    transcript: Span | None  #: the span of the transcript, None for none
    observations: tuple[Observation, ...]  #: that were not told yet
    turns: tuple[Turn, ...]  #: what was said
    items: tuple[Item, ...]  #: what was learned and memory does not have
    told: str = ""  #: what was told for people to read, as markdown
    title: str = ""  #: of the log, "" for what was observed
    #: which facts the session was shown (`ledger.model.session`), "" for none
    shown: str = ""
    met: str = ""  #: which ones it was told when they were needed
    #: how often its agent was asked what the next one has to know, and how often it answered
    asked: tuple[int, int] = (0, 0)
    references: tuple[FactReferenced, ...] = ()  #: what it used, with the evidence
    #: how many characters it was shown and told (`ledger.model.session`), "" for none
    cost: str = ""

    @property
    def header(self) -> tuple[tuple[str, str], ...]:
        """What its log says of where it comes from (FORMAT.md, W13)."""
        spans = (("observed", self.observed), ("transcript", self.transcript))
        said = (("host", self.host), ("session", self.session), ("extractor", self.extractor))
        told = (*said, *((key, str(span)) for key, span in spans if span is not None))
        counts = zip(("asked", "answered"), map(str, self.asked), strict=True)
        told += (*counts,) if any(self.asked) else ()
        facts = ((SHOWN_KEY, self.shown), (TOLD_KEY, self.met), (COST_KEY, self.cost))
        return (*told, *[pair for pair in facts if pair[1]])


def header_value(key: str, value: str) -> str:
    """Return how a header names a session or a transcript: as it is, unless nothing would read it so."""
    clean = " ".join("".join([char if char.isprintable() else " " for char in value]).split())
    log, _ = guard(SessionLog(((key, clean),), "T", "", ()), personal=KEEP)
    if clean == value and len(clean) <= _NAME_CHARS and log.header == ((key, clean),):
        return clean
    digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{key}-{digest}"


class _Passage:
    """What stands below a heading of its own."""

    def __init__(self, section: str, told: Written | Report) -> None:
        self.section, self.heading = section, prose(told.heading)
        self.asks: tuple[str, ...] = ()
        self.paragraphs = paragraphs(told.body)
        if isinstance(told, Report):
            self.asks = told.asks
            self.paragraphs = without_fillers(self.paragraphs, goes_on=told.goes_on)

    @property
    def size(self) -> int:
        """How much room it takes, and needs at most to be of use."""
        return min(size_of(self.paragraphs), _SHARE) + len(self.heading) + 8

    def texts(self) -> list[str]:
        """Return what others are going to read of an agent."""
        return [self.heading, *[one.text for one in self.paragraphs]]

    def keep(self, kept: Mapping[str, str]) -> None:
        """Leave out what others may not read."""
        self.heading = kept[self.heading] or UNSHARED
        self.paragraphs = standing(self.paragraphs, kept.__getitem__)

    def head(self, room: int) -> str:
        """Return its heading, and as many asks below it as there is room for."""
        text = f"### {self.heading}"
        for ask in self.asks:
            if len(text) + len(ask) + 4 <= room:
                text += f"\n\n> {ask}"
        return text if len(text) <= room else ""


def passages_of(sources: Sources, room: int, opens: Opens) -> str:
    """Write what a part of a session told, as others may read it, in `room` characters at most."""
    answered = [f"{prose(question)} → {prose(answer)}" for question, answer in sources.answered]
    written = [_Passage("Commits", one) for one in sources.commits]
    written += [_Passage("Texts", one) for one in sources.texts]
    turns = [_Passage("Turns", one) for one in sources.reports]
    passages = _first(written[::-1], room // 2)
    passages += _first(_telling(turns), room - sum([one.size for one in passages]))
    passages = [one for one in (*written, *turns) if one in passages]
    texts = [*answered, *[text for one in passages for text in one.texts()]]
    readable = dict(zip(texts, opens(texts), strict=True))
    sections: dict[str, list[str]] = {name: [] for name in ("Answered", *_SECTIONS)}
    for line in filter(None, [readable[line] for line in answered]):
        if len(line) <= room:
            sections["Answered"].append(f"- {line}")
            room -= len(line) + 3
    heads = []
    for passage in passages:
        passage.keep(readable)
        heads.append(passage.head(room // 2))
        room -= len(heads[-1]) + 2 * bool(heads[-1])
    sizes = [size_of(passage.paragraphs) for passage in passages]
    found = [""] * len(passages)
    # equal shares, but who needs less, or whose list is too long, leaves the rest to longer and later ones
    for left, at in enumerate(sorted(range(len(found)), key=sizes.__getitem__)):
        found[at] = fitted(passages[at].paragraphs, room // (len(found) - left))
        room -= len(found[at]) + 2 * bool(found[at])
    for passage, head, text in zip(passages, heads, found, strict=True):
        if head and (text or (passage.section == "Commits" and passage.heading != UNSHARED)):
            sections[passage.section].append(f"{head}\n\n{text}".rstrip())
    between = {"Answered": "\n"}
    told = [(name, between.get(name, _GAP).join(some)) for name, some in sections.items() if some]
    return _GAP.join([f"## {name}\n\n{text}" for name, text in told])


def _first(passages: Sequence[_Passage], room: int) -> list[_Passage]:
    """Return the first passages that there is room for, each as a whole or with its share."""
    needed = accumulate(one.size for one in passages)
    return [
        one
        for one, size in zip(passages, needed, strict=True)
        if size <= room or one is passages[0]
    ]


def _telling(turns: Sequence[_Passage]) -> list[_Passage]:
    """Return turns, the last first; behind the others those that name little which no later one names."""
    known = set[str]()
    ranked: tuple[list[_Passage], list[_Passage]] = [], []
    for one in reversed(turns):
        names = {name for paragraph in one.paragraphs for name in names_in(paragraph.text)}
        ranked[len(names - known) < _FEW_NAMES].append(one)
        known |= names
    return [*ranked[0], *ranked[1]]


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
    footers: list[Meta] = []
    supersede: dict[Supersession, None] = {}
    for item in part.items:
        fact = id_of_text(item.text, {one.id for one in new}, taken, words)
        entity = (item.entity,) if item.entity else ()
        new.append(NewFact(item.text, fact, item.kind, item.tags, entity))
        footers.append(_footers(item, part))
        supersede.update(dict.fromkeys(Supersession(old, fact) for old in item.supersedes))
    made = tuple(one.id for one in new)
    if trust != SUPERSEDE:
        for old, fact in supersede:
            asked = f"Does `{old}` still hold? A session said otherwise: `{fact}`."
            thread = id_of_text(asked, {one.id for one in new}, taken, words)
            new.append(NewFact(asked, thread, THREAD_KIND))
            footers.append((("conflicts", f"{old}, {fact}"),))
        supersede.clear()
    lines = observed_lines(part.observations)
    observed = "\n".join(("## Observed\n", *lines)) if lines else ""
    request = Request(
        title=_title(part),
        body=_GAP.join(filter(None, (part.told, observed))),
        agent=HOSTS[part.host].agent,
        new=tuple(new),
        supersede=tuple(supersede),
        anyway=True,
    )
    draft = compose(request, SessionDraft(header=part.header), taken, words)
    events = list(draft.events)
    for place, more in enumerate(footers):
        born = events[place]
        assert isinstance(born, FactCreated)
        events[place] = born._replace(meta=order_meta((*born.meta, *more)))
    return draft._replace(events=(*events, *part.references), made=made)


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


def _is_agents(item: Item, part: Part) -> bool:
    return any(turn.at == item.at and turn.role == "assistant" for turn in part.turns)


def _footers(item: Item, part: Part) -> Meta:
    """Return what a fact says of where it comes from, whose words they are, and of its end."""
    by_agent = _is_agents(item, part)
    # a person is quoted where they asked for it, and by no model
    quoted = item.quote if by_agent or part.extractor == SOURCES else ""
    quote = shortened(footer_value(quoted), _QUOTE_CHARS)
    name = footer_value(part.transcript.name) if part.transcript else ""
    source: Meta = (
        ("source", " ".join(filter(None, (name, str(item.at), quote and f'"{quote}"')))),
    )
    ends = footer_value(item.obsolete_when)
    source += (("by", HOSTS[part.host].agent),) if by_agent else ()
    return (*source, ("obsolete_when", ends)) if ends else source


def _title(part: Part) -> str:
    """Say what the log is of: what was told, else its first fact, else when it was, and where."""
    about = part.title or next((one.text for one in part.items if not _is_agents(one, part)), "")
    return shortened(prose(about or session_name(part)).lstrip(MARKS), TITLE_CHARS)


def session_name(part: Part) -> str:
    """Name a session by its day and its files: `Session of 28 November: 2 files in web/`."""
    times = [*[one.at for one in part.observations], *[turn.when for turn in part.turns]]
    named = f"Session of {day_named(max(times))}" if max(times, default=0) > 0 else "Session"
    paths = paths_of([one for one in part.observations if one.kind == "edit"])
    folder = posixpath.commonpath([posixpath.dirname(one) for one in paths]) if paths else ""
    files = f": {len(paths)} file{'s' * (len(paths) != 1)}" if paths else ""
    return f"{named}{files}" + (f" in {folder}/" if folder else "")


def day_named(at: int) -> str:
    """Return the local day of a moment, `28 November`; milliseconds since 1970."""
    return datetime.fromtimestamp(min(at, _LATEST_MS) / 1000).strftime("%d %B").lstrip("0")


#: So many lines tell what was observed, and so many paths stand on one.
LINES, PATHS = 20, 12
_EXIT_AT_END = re.compile(r" \((exit -?\d{1,6})\)\Z")
#: What is told first where there is no room for all.
_ORDER = ("edit", "git", "test", "task", "package", "file")
#: The last millisecond that a stamp can say.
_LATEST_MS = 253_402_300_799_999


class _Folded(Record):
    """What was done once or several times in the same way."""

    at: int
    kind: str
    text: str


def observed_lines(observations: Sequence[Observation]) -> list[str]:
    """Return the lines that tell of observations, in the order of their first times."""
    edits = [one for one in observations if one.kind == "edit" and one.paths]
    found = _edits(edits)
    same: dict[tuple[str, str, bool], list[Observation]] = {}
    for one in observations:
        if one.kind != "edit" or not one.paths:
            said = _EXIT_AT_END.sub("", one.what)
            ended = bool(_EXIT_AT_END.search(one.what))  # its code is no word of one that has none
            same.setdefault((one.kind, said, ended), []).append(one)
    for (kind, about, _), some in same.items():
        where = [path for path in some[0].paths if path not in about]
        about += f" · {', '.join(where[:PATHS])}" if where else ""
        found.append(_Folded(some[0].at, kind, about + _ends(some)))
    if len(found) > LINES:
        ranked = sorted(
            found, key=lambda one: (_ORDER.index(one.kind) if one.kind in _ORDER else 9, one.at)
        )
        found, rest = ranked[: LINES - 1], ranked[LINES - 1 :]
        kinds = dict.fromkeys(one.kind for one in rest)
        counts = [f"{sum(one.kind == kind for one in rest)} {kind}" for kind in kinds]
        found.append(_Folded(_LATEST_MS, "", f"and more: {', '.join(counts)}"))
    found.sort(key=lambda one: one.at)
    return [f"- {_when(one.at)}{prose(one.text)}" for one in found]


def _edits(edits: Sequence[Observation]) -> list[_Folded]:
    verbs: dict[str, list[str]] = {}
    first: dict[str, int] = {}
    for one in edits:
        verb, _, _ = one.what.partition(" ")
        for path in one.paths:
            verbs.setdefault(path, []).append(verb)
            first.setdefault(path, one.at)
    told = [_edited(path, said) for path, said in verbs.items()]
    paths = list(verbs)
    found = []
    for begin in range(0, len(told), PATHS):
        some = told[begin : begin + PATHS]
        found.append(_Folded(first[paths[begin]], "edit", "edited " + ", ".join(some)))
    return found


def _edited(path: str, verbs: Sequence[str]) -> str:
    """Tell of a path how often it was written, and that it was made or deleted."""
    notes = ["new"] * (verbs[0] == "wrote") + ["deleted"] * (verbs[-1] == "deleted")
    notes += [f"{len(verbs)} times"] * (len(verbs) > 1)
    return f"{path} ({', '.join(notes)})" if notes else path


def _ends(some: Sequence[Observation]) -> str:
    """Tell the exit codes with which something ended first and last, and how often it was done."""
    codes = [found[1] for one in some if (found := _EXIT_AT_END.search(one.what))]
    told = f": {', then '.join(dict.fromkeys((codes[0], codes[-1])))}" if codes else ""
    return told + (f" ({len(some)} times)" if len(some) > 1 else "")


def _when(at: int) -> str:
    if at == _LATEST_MS:
        return ""
    return ended_of(stamp_of(max(0, min(at, _LATEST_MS))))[:16].replace("T", " ") + " "


def paths_of(observations: Iterable[Observation]) -> list[str]:
    """Return the paths that observations name, each once."""
    return list(dict.fromkeys(path for one in observations for path in one.paths))
