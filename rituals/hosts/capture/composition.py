"""Compose the log of what a session left: what was observed, what was learned, and the words that say so.

A captured log tells the team no more than the policy lets it: no prompt stands in it whole, and what comes
from outside stands on lines where it can be no heading, no fact and no comment.
"""

from __future__ import annotations

from ledger.codec.fact_blocks import order_meta
from ledger.escape import prose
from ledger.model.event import FactCreated
from ledger.model.order import ended_of, stamp_of
from ledger.model.record import Record
from ledger.model.shown import SHOWN_KEY
from memory.write.birth_footers import footer_value
from memory.write.draft import SessionDraft
from projection.brief.plain_text import shortened
from projection.policy.model import DIGEST, SUPERSEDE, THREAD_KIND
from rituals.hosts.adapters import HOSTS
from rituals.record.compose import compose, id_of_text
from rituals.record.request import NewFact, Request, Supersession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ledger.model.event import Meta
    from ledger.model.reach import Span
    from rituals.hosts.extraction.items import Item
    from rituals.hosts.observed.spool import Observation
    from rituals.hosts.transcripts.slices import Turn

#: How many observations one log tells of.
OBSERVED_LINES = 200
_PATHS, _TITLE_CHARS, _QUOTE_CHARS = 5, 60, 300
#: What an agent said is digested from its end: it sums up there what it did.
#: What begins something else than a sentence: a heading, a list, code, a checkbox, HTML.
_MARKS = "#>`~-=*+_<|[] "
_DIGESTED_CHARS, _POINT_CHARS, _POINTS = 16_000, 300, 5


class Part(Record):
    """A part of a session that one log tells.

    Args:
        host: key of `HOSTS`.
        session: the host's id, as the header names it.
        extractor: what found the items.
        observed: the span of the observations, None for none.
        transcript: the span of the transcript, None for none.
        observations: that were not told yet.
        turns: what was said.
        items: what was learned and memory does not have.
        waiting: how many more wait until a person lets them in.
        shown: which facts the session was shown (`ledger.model.shown`), "" for none.
    """

    host: str
    session: str
    extractor: str
    observed: Span | None
    transcript: Span | None
    observations: tuple[Observation, ...]
    turns: tuple[Turn, ...]
    items: tuple[Item, ...]
    waiting: int = 0
    shown: str = ""

    @property
    def header(self) -> tuple[tuple[str, str], ...]:
        """What its log says of where it comes from (FORMAT.md, W13)."""
        spans = (("observed", self.observed), ("transcript", self.transcript))
        said = (("host", self.host), ("session", self.session), ("extractor", self.extractor))
        told = (*said, *((key, str(span)) for key, span in spans if span is not None))
        return (*told, (SHOWN_KEY, self.shown)) if self.shown else told


def draft_of_part(
    part: Part, keep: str, trust: str, taken: Callable[[str, str], bool], words: Mapping[str, str]
) -> SessionDraft:
    """Make the draft of a part of a session.

    Args:
        part: what it tells.
        keep: `TOLD` or `DIGEST`.
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
            new.append(
                NewFact(
                    asked, id_of_text(asked, {one.id for one in new}, taken, words), THREAD_KIND
                )
            )
            footers.append((("conflicts", f"{old}, {fact}"),))
        supersede.clear()
    request = Request(
        title=_title(part),
        body="\n\n".join([piece for piece in (*_digest(part, keep), _observed(part)) if piece]),
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
    return draft._replace(events=tuple(events), made=made)


def storable(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return items whose texts a fact can have: on one line, and beginning nothing but a sentence."""
    fit = [item._replace(text=sentence_of(item.text)) for item in items]
    return tuple([item for item in fit if item.text])


def sentence_of(text: str) -> str:
    """Put a text on a line that begins nothing but a sentence, or a word of code."""
    line = prose(text)
    bare = line.lstrip(_MARKS)
    code = line[: len(line) - len(bare)].endswith("`") and bare.count("`") % 2
    return f"`{bare}" if code else bare


def _is_agents(item: Item, part: Part) -> bool:
    """Tell whether the words that bear an item out are the agent's."""
    return any(turn.at == item.at and turn.role == "assistant" for turn in part.turns)


def _footers(item: Item, part: Part) -> Meta:
    """Return what a fact says of where it comes from, whose words they are, and of its end."""
    transcript = part.transcript
    quote = footer_value(item.quote)
    quote = shortened(quote, _QUOTE_CHARS)
    name = footer_value(transcript.name) if transcript else ""
    source: Meta = (("source", f'{name} {item.at} "{quote}"'.strip()),)
    ends = footer_value(item.obsolete_when)
    source += (("by", HOSTS[part.host].agent),) if _is_agents(item, part) else ()
    return (*source, ("obsolete_when", ends)) if ends else source


def _title(part: Part) -> str:
    """Say what the log is of: its first fact, else the files that were worked on."""
    paths = dict.fromkeys(path for one in part.observations for path in one.paths)
    names = ", ".join([path.rpartition("/")[2] for path in paths])
    # what an agent retells is nobody's decision, and no name for what was done
    about = next((one.text for one in part.items if not _is_agents(one, part)), names)
    about = about or (part.observations[0].what if part.observations else "what was said")
    shown = shortened(prose(about), _TITLE_CHARS)
    return f"{HOSTS[part.host].agent}: {shown}"


def _observed(part: Part) -> str:
    """Write the section of observations, a line each."""
    lines = [observed_line(one) for one in part.observations]
    return "## Observed\n\n" + "\n".join(lines) if lines else ""


def observed_line(one: Observation) -> str:
    """Write an observation on a line: when and what, where, and why it was kept."""
    shown = [path for path in one.paths if path not in one.what][:_PATHS]
    more = len(one.paths) - _PATHS
    where = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    pieces = (f"{one.kind}: {one.what}", where, one.why, one.where)
    when = ended_of(stamp_of(max(0, min(one.at, _LATEST_MS))))
    return f"- {when} " + " · ".join([said for piece in pieces if (said := prose(piece))])


#: The last millisecond that a stamp can say.
_LATEST_MS = 253_402_300_799_999


def _digest(part: Part, keep: str) -> Iterator[str]:
    """Yield what the agent's words come to, where the policy keeps it, and what waits for a person.

    The person's words are not in it: prompts are never stored whole, and many are short.
    """
    if keep == DIGEST and part.turns:
        from projection.text.digest import gist

        said = [turn.text for turn in part.turns if turn.role == "assistant" and turn.text]
        found = gist("\n\n".join(said)[-_DIGESTED_CHARS:])
        yield _cut(found.summary, 2 * _POINT_CHARS)
        recorded = {item.quote for item in part.items}  # which the log has anyway
        for heading, quotes in (("The agent said", found.decisions), ("To do", found.actions)):
            more = [quote.text for quote in quotes if quote.text not in recorded][:_POINTS]
            lines = [f"- {_cut(text, _POINT_CHARS)}" for text in more]
            yield f"{heading}:\n\n" + "\n".join(lines) if lines else ""
    if part.waiting:
        facts = "A fact waits" if part.waiting == 1 else f"{part.waiting} facts wait"
        yield f"{facts} until a person lets them in."


def _cut(text: str, limit: int) -> str:
    """Put the beginning of a text on a line that begins nothing of ours."""
    line = prose(text[: 4 * limit]).lstrip(_MARKS)
    return shortened(line, limit)
