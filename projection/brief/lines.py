"""Write a fact, what happened to one or a session as one short line (F9: nothing withheld)."""

from __future__ import annotations

from projection.brief import values
from projection.brief.inert_text import label, plain, shortened, title_of
from projection.document.fact_remarks import Mark
from projection.document.page_renderer import NO_TEXT, REDACTED, ordered
from projection.fold.fact_history import Fact

#: How many characters of a text are shown in a brief of `_USUAL_CHARS`, of what a task asks for in one of
#: `_ASKED_USUAL_CHARS`; and of a shorter one at least.
_TEXT_CHARS = {
    values.ASKED: 260, values.CONTRADICTIONS: 300, values.HANDED: 1200, values.INVARIANTS: 180,
    values.THREADS: 180, values.DECISIONS: 190, values.ROLE: 190, values.REST: 190, values.AGAIN: 160,
    values.PASSAGES: 720,    values.SESSIONS: 260,
}  # fmt: skip
LEAST_TEXT_CHARS, _MOST_CHARS, _OTHERS_CHARS = 100, 300, 160
_USUAL_CHARS, _ASKED_USUAL_CHARS = 7500, 5000
#: Of the first that a task asks for more is shown, of many that must hold less.
_FIRST, _FIRST_CHARS, _MANY, _MANY_CHARS = 3, 520, 8, 150
#: What a footer calls a fact, in so many characters on one line.
TITLE_KEY, TITLE_CHARS = "title", 120
#: What stems written by hand may take.
_STEM_CHARS = 48
#: So many sides of what is disputed are told.
_SIDES = 4


def text_chars(section: str, nth: int, budget_chars: int) -> int:
    """Return how many characters of a text the nth line of a section has in a brief of so many."""
    chars, usual = _TEXT_CHARS.get(section, _OTHERS_CHARS), _USUAL_CHARS
    if section == values.PASSAGES:
        return chars  # whole, or not at all
    if section == values.ASKED:
        chars, usual = _FIRST_CHARS if nth < _FIRST else chars, _ASKED_USUAL_CHARS
    elif section == values.INVARIANTS and nth >= _MANY:
        chars = _MANY_CHARS
    return max(LEAST_TEXT_CHARS, min(chars, chars * budget_chars // usual))


def line_of(item: values.Item, chars: int = _MOST_CHARS) -> values.Line:
    """Write an item as a line, with so many characters of its text."""
    if isinstance(item, values.Stated):
        return _fact_line(item, chars)
    if isinstance(item, values.News):
        return _news_line(item, chars)
    stem, said = stem_said(item.stem), shortened(plain(item.said), chars)
    return values.Line(stem, item.kind, "", item.day, stem, said, by=label(item.by))


def _fact_line(one: values.Stated, chars: int) -> values.Line:
    fact = one.about
    newest = ordered(fact.heads)[-1]
    date, stem = fact.created, fact.origin
    if newest.parents or not stem:
        date, stem = fact.clock(newest.stem)[:10], newest.stem
    title = "" if fact.contradicted or fact.redacted else called(fact)
    if title:
        cut = title != title_of(fact.text, len(fact.text))[0]
        said = f"{title} …" if cut else title
    else:
        said, cut = (
            (disputed(fact, chars), True) if fact.contradicted else title_of(shown(fact), chars)
        )
    return values.Line(
        fact.id, label(fact.kind), one.standing.tier, date, stem_said(stem), said, by=one.by,
        state=one.state, mark=Mark(fact.closed, fact.false, fact.rivals), cut=cut, title=bool(title),
    )  # fmt: skip


def called(fact: Fact) -> str:
    """Return what the footer of a fact calls it, "" where it calls it nothing."""
    title = next((value for key, value in fact.meta if key == TITLE_KEY), "")
    return plain(title) if len(title) <= TITLE_CHARS else ""


def _news_line(news: values.News, chars: int) -> values.Line:
    now, change = news.now, news.what
    fact = now.fact if now else None
    kind, tier = (label(now.fact.kind), now.tier) if now else ("", "")
    day = (fact.clock(news.stem) if fact else news.stem)[:10]
    if change == values.SUPERSEDED:
        fact = news.replacing
        change += f" by {news.successor}" if news.successor else ""
        if news.successor and news.mark.false and news.mark.instead != (news.successor,):
            change += f"; {' and '.join(news.mark.instead[:_SIDES]) or 'nothing'} stands instead"
    said, cut = title_of(shown(fact), chars) if fact else (NO_TEXT, False)
    if fact and fact.false and news.what != values.INVALIDATED:
        said = f"(false) {said}"
    elif fact and fact.closed and news.what not in values.CLOSINGS:
        said = f"(closed) {said}"
    return values.Line(
        news.fact, kind, tier, day, stem_said(news.stem), said, change, label(news.by),
        mark=news.mark, cut=cut,
    )  # fmt: skip


def shown(fact: Fact) -> str:
    """Return what may be shown of a fact's text."""
    return REDACTED if fact.redacted else fact.text or NO_TEXT


def disputed(fact: Fact, chars: int) -> str:
    """Say on one line what stands against what in a fact, with some characters of each side."""

    def part(text: str) -> str:
        return REDACTED if fact.redacted else shortened(plain(text), chars * 2 // 3)

    said = []
    if len(fact.heads) > 1:
        sides = [
            f"[{one.id} of {fact.clock(one.stem)[:10]}] {part(one.text)}"
            for one in fact.heads[:_SIDES]
        ]
        said.append(f"{len(fact.heads)} versions stand: {'; '.join(sides)}")
    if len(fact.rivals) > 1:
        said.append(f"{len(fact.rivals)} successors stand: {', '.join(fact.rivals[:_SIDES])}")
    if fact.circular:
        said.append(f"a circle of supersessions with {', '.join(fact.circle[:_SIDES])}")
    if fact.denied:
        by = ", ".join([new or "nothing" for _, new in fact.denied[:_SIDES]])
        unknowing = "by somebody who did not know this text"
        said.append(f"called false (replaced by {by}) {unknowing}: {part(fact.heads[0].text)}")
    if fact.torn:
        sides = [f"{one.state} by {label(one.agent) or 'nobody named'} in {stem_said(one.stem)}"
                 for one in fact.moves[:_SIDES]]  # fmt: skip
        said.append(f"{len(fact.moves)} moves stand: {'; '.join(sides)}")
    if fact.opposed:
        against = f"stands against {', '.join(fact.opposed[:_SIDES])}"
        said.append(f"{against}: {part(fact.text)}" if len(fact.heads) == 1 else against)
    return "; ".join(said)


def stem_said(stem: str) -> str:
    """Return a stem as it is shown: whole, but where somebody made a very long one."""
    return shortened(stem, _STEM_CHARS)
