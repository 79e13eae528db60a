"""Write a fact as one short line of a brief, without anything that commands or hides.

What is withheld is not shown (FORMAT.md, F9).
"""

from __future__ import annotations

from projection.brief import brief_values as values
from projection.brief.single_line import label, plain, shortened, title_of
from projection.document.fact_remarks import Mark
from projection.document.page_renderer import NO_TEXT, REDACTED, ordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fold.fact_history import Fact
    from projection.fold.projection_state import Standing

#: How many characters of a text are shown in a brief of `_USUAL_CHARS`, of what a task asks for in one of
#: `_ASKED_USUAL_CHARS`; and of a shorter one at least.
_TEXT_CHARS = {
    values.ASKED: 260, values.CONTRADICTIONS: 300, values.HANDED: 1200, values.INVARIANTS: 180,
    values.THREADS: 180, values.DECISIONS: 220, values.ROLE: 220, values.REST: 220, values.SESSIONS: 140,
}  # fmt: skip
LEAST_TEXT_CHARS, _MOST_CHARS, _OTHERS_CHARS, _USUAL_CHARS = 100, 300, 160, 7500
_ASKED_USUAL_CHARS = 5000
#: Of the first that a task asks for more is shown, of many that must hold less.
_FIRST, _FIRST_CHARS, _MANY, _MANY_CHARS = 3, 520, 8, 150
#: What a footer calls a fact, in so many characters on one line.
TITLE_KEY, TITLE_CHARS = "title", 120
#: What stems written by hand may take, and names where there is little room.
_STEM_CHARS, _SHORT_STEM_CHARS, _SHORT_CHARS = 48, 11, 12


def text_chars(section: str, nth: int, budget_chars: int) -> int:
    """Return how many characters of a text the nth line of a section has in a brief of so many."""
    chars = _TEXT_CHARS.get(section, _OTHERS_CHARS)
    if section == values.ASKED and nth < _FIRST:
        chars = _FIRST_CHARS
    elif section == values.INVARIANTS and nth >= _MANY:
        chars = _MANY_CHARS
    usual = _ASKED_USUAL_CHARS if section == values.ASKED else _USUAL_CHARS
    return max(LEAST_TEXT_CHARS, min(chars, chars * budget_chars // usual))


def line_of(item: values.Item, chars: int = _MOST_CHARS) -> values.Line:
    """Write a fact, what happened to one, or a session as a line, with so many characters of its text."""
    if isinstance(item, values.News):
        return _news_line(item, chars)
    if isinstance(item, values.Stated):
        return _fact_line(item.standing, chars)._replace(state=item.state, by=item.by)
    if isinstance(item, values.Session):
        stem, said = stem_said(item.stem), shortened(plain(item.said), chars)
        return values.Line(stem, "session", "", item.stem[:10], stem, said, by=label(item.by))
    return _fact_line(item, chars)


def _fact_line(one: Standing, chars: int) -> values.Line:
    fact = one.fact
    newest = ordered(fact.heads)[-1]
    date, stem = fact.created, stem_said(fact.origin)
    if newest.parents or not fact.origin:
        date, stem = newest.stem[:10], stem_said(newest.stem)
    said, cut = (disputed(fact, chars), True) if fact.contradicted else title_of(shown(fact), chars)
    title = "" if fact.contradicted or fact.redacted else called(fact)
    if title:
        cut = title != title_of(fact.text, len(fact.text))[0]
        said = f"{title} …" if cut else title
    mark = Mark(fact.closed, fact.false, fact.rivals)
    return values.Line(
        fact.id, label(fact.kind), one.tier, date, stem, said, mark=mark, cut=cut, title=bool(title),
    )  # fmt: skip


def called(fact: Fact) -> str:
    """Return what the footer of a fact calls it, "" where it calls it nothing."""
    title = next((value for key, value in fact.meta if key == TITLE_KEY), "")
    return plain(title) if len(title) <= TITLE_CHARS else ""


def _news_line(news: values.News, chars: int) -> values.Line:
    now = news.now
    change = news.what
    if news.what == values.SUPERSEDED and news.successor:
        change = f"superseded by {news.successor}"
        if news.mark.false and news.mark.instead != (news.successor,):
            change += f"; {' and '.join(news.mark.instead[:4]) or 'nothing'} stands instead"
    fact = news.replacing if news.what == values.SUPERSEDED else now.fact if now else None
    said, cut = title_of(shown(fact), chars) if fact else (NO_TEXT, False)
    if fact and fact.false and news.what != values.INVALIDATED:
        said = f"(false) {said}"
    elif fact and fact.closed and news.what not in values.CLOSINGS:
        said = f"(closed) {said}"
    kind, tier = (now.fact.kind, now.tier) if now else ("", "")
    return values.Line(
        news.fact, label(kind), tier, news.stem[:10], stem_said(news.stem), said, change,
        label(news.by), mark=news.mark, cut=cut,
    )  # fmt: skip


def shown(fact: Fact) -> str:
    """Return what may be shown of a fact's text."""
    return REDACTED if fact.redacted else fact.text or NO_TEXT


def disputed(fact: Fact, chars: int) -> str:
    """Say on one line what stands against what in a fact, with some characters of each side."""
    said = []
    if len(fact.heads) > 1:
        sides = [
            f"[{version.id} of {version.stem[:10]}] "
            + (REDACTED if fact.redacted else shortened(plain(version.text), chars * 2 // 3))
            for version in fact.heads[:4]
        ]
        said.append(f"{len(fact.heads)} versions stand: {'; '.join(sides)}")
    if len(fact.rivals) > 1:
        said.append(f"{len(fact.rivals)} successors stand: {', '.join(fact.rivals[:4])}")
    if fact.circular:
        said.append(f"a circle of supersessions with {', '.join(fact.circle[:4])}")
    if fact.denied:
        by = ", ".join([new or "nothing" for _, new in fact.denied[:4]])
        now = REDACTED if fact.redacted else shortened(plain(fact.heads[0].text), chars * 2 // 3)
        unknowing = "by somebody who did not know this text"
        said.append(f"called false (replaced by {by}) {unknowing}: {now}")
    if fact.torn:
        sides = [
            f"{move.state} by {label(move.agent) or 'nobody named'} in {stem_said(move.stem)}"
            for move in fact.moves[:4]
        ]
        said.append(f"{len(fact.moves)} moves stand: {'; '.join(sides)}")
    return "; ".join(said)


def stem_said(stem: str) -> str:
    """Return a stem as it is shown: whole, but where somebody made a very long one."""
    return shortened(stem, _STEM_CHARS)


def cut_short(place: values.Place) -> values.Place:
    """Shorten the names in what is said of where the ledger stands."""
    project, agent = (shortened(one, _SHORT_CHARS) for one in (place.project, place.agent))
    newest, last = (shortened(one, _SHORT_STEM_CHARS) for one in (place.newest, place.last))
    place = place._replace(project=project, agent=agent, newest=newest, last=last)
    return place._replace(by="", role="", known="")
