"""Show what answers a question: what holds, what was held to be true and is not, and what was said."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf

from ledger.model.log_names import key_of
from memory import FACTS, SESSIONS, Answer, Filters, Hit, ScorePart
from projection.fold.fact_links import folded
from projection.fold.live_view import ARCHIVED_TIERS
from projection.text.clipping import one_line
from rituals.serve.web.pages.filter_bar import FilterBar, filter_bar
from rituals.serve.web.tip_view import Asked, Page, TipView, number_in

#: How many facts and passages are shown, how many more each time, and how many at most; and how many false
#: facts are shown unless they are asked for.
_HITS, _MORE, _MOST, _FALSE = 10, 40, 300, 10
#: What people call the places; "" stands for both.
PLACES = {"": "everything", FACTS: "facts", SESSIONS: "sessions"}
#: What the parts of a score come to in words, by name; "" where a part says nothing worth reading.
WHY: dict[str, Callable[[float], str]] = {
    "word after word": lambda value: "words stand one after the other as you typed them" if value else "",
    "before": lambda value: "what it took the place of has words of the question" if value else "",
    "meaning": lambda value: "it means something alike" if value else "",
    "neighbours": lambda value: "what stands beside it answers, too" if value > 0 else "",
    "session": lambda value: "its session as a whole is about that" if value else "",
    "listed": lambda value: "it lists files and commands, so it counts less" if value < 1 else "",
    "live": lambda value: "it has not faded" if value > 1 else "it has faded, so it counts less",
    "open": lambda value: "it is open, as you ask for" if value > 1 else "",
}  # fmt: skip


def search(tip: TipView, asked: Asked) -> Page:
    """Return the page of a question; the home of a person is never asked."""
    words, within = asked.get("q", "").strip(), asked.get("in", "")
    within = within if within in PLACES else ""
    bar, tip = filter_bar(tip, asked, "/search", kept={"q": words, "in": within})
    many = min(max(number_in(asked, "hits"), _HITS), _MOST)
    found = _answers(tip, words, many, within, bar) if words else Answer()
    true = [hit for hit in found.facts if not hit.mark.false]
    over = [hit for hit in true if hit.mark.closed or hit.tier in ARCHIVED_TIERS]
    groups = {
        "What holds": [hit for hit in true if hit not in over],
        "Said once, and false": [hit for hit in found.facts if hit.mark.false],
        "Done, or in the archive": over,
        "What was said": list(found.passages),
    }
    said = f" {folded(words)} "
    values = {
        "bar": bar,
        "q": words,
        "within": within,
        "places": PLACES,
        "found": found,
        "marked": sorted(
            {word for hit in found.hits for part in hit.parts for word in part.remark.split(", ")}
        ),
        "groups": {title: hits for title, hits in groups.items() if hits},
        "many": many,
        "standings": tip.standings,
        # where there are fewer than so many, all of them are shown
        "more": str(min(many + _MORE, _MOST))
        * any(len(hits) >= many < _MOST for hits in groups.values()),
        #: whose names stand in the question
        "entities": [one for one in tip.entities if (name := folded(one)) and f" {name} " in said],
        "why": why,
        "untitled": untitled,
    }
    return Page("search", words or "Search", values)


def why(parts: Iterable[ScorePart]) -> list[str]:
    """Say in words why a hit stands where it does."""
    said = [f"it has {part.remark}" for part in parts if part.name == "words" and part.remark]
    said += [WHY[part.name](part.value) for part in parts if part.name in WHY]
    return [one for one in dict.fromkeys(said) if one]


def untitled(hit: Hit) -> str:
    """Return the line of a hit without what stands above it: its title, or that it is false."""
    if hit.mark.false:
        return hit.line.removeprefix(f"{hit.mark.whole}: ")
    title = one_line(hit.title, 60)
    return (title and hit.line.removeprefix(title).lstrip(" /:")) or hit.line


def _answers(tip: TipView, words: str, many: int, within: str, bar: FilterBar) -> Answer:
    """Ask memory; what a person wrote is picked out of all that answers."""

    def asks(field: str) -> tuple[str, ...]:
        return tuple(filter(None, [bar.asks(field)]))

    filters = Filters(
        kinds=asks("kind"), tiers=asks("tier"), entities=asks("entity"), agents=asks("agent"),
        roles=asks("role"), since=bar.begin, until=bar.end, superseded=bool(bar.asks("false")),
        within=within, as_of=bar.asks("as_of"),
    )  # fmt: skip
    person = bar.asks("person")
    limit = (_MOST if person else many) * (1 if within else 2)
    found = tip.memory.recall(words, limit=limit, filters=filters, explain=True, model_bytes=inf)
    if not (filters.superseded or filters.as_of or within == SESSIONS):
        # what is false of what would be told if nothing were
        every = filters._replace(superseded=True, within=FACTS)
        false = tip.memory.recall(words, limit=limit, filters=every, explain=True)
        told = tuple([hit for hit in false.facts if hit.mark.false][:_FALSE])
        found = found._replace(hits=found.hits + told)
    if person:
        hits = [one for one in found.hits if tip.persons.get(key_of(one.stem)) == person]
        found = found._replace(hits=tuple(hits))
    return found
