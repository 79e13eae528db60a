"""Show how a memory lives, draw that, and say what each word and picture of the pages means."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from html import escape
from math import log10

from projection.fold.live_view import ARCHIVED_TIERS, TIERS
from projection.lifecycle.tier_changes import fading
from projection.policy.model import Windows
from rituals.serve.web.pages.facts_page import listed
from rituals.serve.web.tip_view import Asked, Page, TipView

#: A mark below the tiers: after which session, its name, and how an address names the point.
Tick = tuple[int, str, str]


#: How many points of time the table has, and how many lines each list, at most.
_ROWS, _LINES = 24, 12
#: The months that are named below the tiers.
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def health(tip: TipView, asked: Asked) -> Page:
    """Return the page of how a memory lives."""
    report, course = tip.report, tip.report.course
    soon = fading(tip.standings.values(), tip.state.decay, tip.state.policy)
    values = {
        "report": report,
        "unused": len([*listed(tip, "never")]),
        "live": [one for one in course.tiers if one[0] not in ARCHIVED_TIERS],
        "points": [
            (course.sessions[at], course.dates[at], [row[at] for _, row in course.tiers])
            for at in reversed(evenly(len(course.sessions), _ROWS))
        ],
        "marks": marks_of(tip),
        "soon": soon,
        "paced": bool(tip.state.policy.windows.archive_days),
        "most": _LINES,
    }
    return Page("health", "Health", values)


def marks_of(tip: TipView) -> tuple[list[Tick], list[Tick]]:
    """Return what stands below the tiers: the releases, and where each month and year begins."""
    releases = [(bisect_right(tip.state.work, at), name, name) for name, at in tip.releases]
    months: dict[str, Tick] = {}
    for session, stem in enumerate(tip.state.work):
        name = stem[:4] if stem[5:7] == "01" else _MONTHS[int(stem[5:7]) - 1]
        months.setdefault(stem[:7], (session, name, stem[:7]))
    return releases, list(months.values())


_WIDTH, _HEIGHT = 860, 220
#: Room for the numbers on the left, above, on the right, and for the dates below.
_LEFT, _TOP, _RIGHT, _BELOW = 48, 8, 4, 24
#: How many points are drawn and how many dates are written at most.
_POINTS, _DATES = 120, 6


def tier_areas(dates: Sequence[str], tiers: Sequence[tuple[str, Sequence[int]]]) -> str:
    """Draw tiers as areas; the first one lies at the bottom.

    Dates go from the oldest on; a tier has its name, and a count for each date.
    """
    chosen = evenly(len(dates), _POINTS)
    sums = [0] * len(chosen)
    edges: list[tuple[str, int, list[int]]] = []
    for name, row in tiers:
        sums = [under + row[place] for under, place in zip(sums, chosen, strict=True)]
        edges.append((name, row[-1] if row else 0, sums))
    top = max([1, *sums])
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BELOW
    across = [
        _LEFT + (right - _LEFT) * number // max(len(chosen) - 1, 1) for number in range(len(chosen))
    ]
    if len(chosen) == 1:
        across, edges = [_LEFT, right], [(name, now, row * 2) for name, now, row in edges]

    def level(count: int) -> int:
        return round(bottom - count * (bottom - _TOP) / top)

    areas = []
    for name, now, row in reversed(edges):  # each one covers what lies below it
        line = "L".join([f"{x} {level(count)}" for x, count in zip(across, row, strict=True)])
        areas.append(
            f'<path class="t-{name}" d="M{_LEFT} {bottom}L{line}V{bottom}z">'
            f"<title>{name}: {now:,} now</title></path>"
        )
    grid = "".join(
        f'<path class="grid" d="M{_LEFT} {level(count)}H{right}"/>'
        f'<text x="{_LEFT - 6}" y="{level(count) + 4}" text-anchor="end">{count:,}</text>'
        for count in steps(top)
    )
    return (
        f'<svg class="areas" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-label="Facts by tier over time; the table below has the numbers">'
        f"{''.join(areas)}{grid}{_said([dates[place] for place in chosen], across, _HEIGHT - 6)}</svg>"
    )


def evenly(count: int, most: int) -> list[int]:
    """Choose at most so many of some places, the first and the last one among them."""
    points = min(count, most)
    return [(count - 1) * point // max(points - 1, 1) for point in range(points)]


def steps(top: int) -> range:
    """Return round numbers up to another one, six of them at most: 0, 20, 40, 60."""
    unit = 10 ** int(log10(top))
    step = next(one for one in (unit // 5, unit // 2, unit, 2 * unit) if one and top // one <= 5)
    return range(0, top + 1, step)


def _said(dates: Sequence[str], across: Sequence[int], y: int) -> str:
    """Write some of the dates below, each once."""
    chosen = evenly(len(dates), _DATES)
    anchors = {len(chosen) - 1: "end", 0: "start"}
    first = {dates[place]: (at, place) for at, place in reversed([*enumerate(chosen)])}
    return "".join([
        f'<text x="{across[place]}" y="{y}" text-anchor="{anchors.get(at, "middle")}">{day}</text>'
        for day, (at, place) in sorted(first.items(), key=lambda one: one[1])
    ])  # fmt: skip


_ROW_HIGH = 17  #: how high a row of names is
#: How much of the width a letter takes, in per cent: the picture scrolls where it would be narrower.
_LETTER = 1.0
#: From here to the edges a name stands beside its mark.
_EDGE = 6.0
_NAME_CHARS = 20


def ticks(rows: Sequence[Sequence[Tick]], sessions: int, url: Callable[..., str]) -> str:
    """Draw marks in rows, oldest first; a name that has no room is left out, of older ones first.

    Places are in per cent, so this is as wide as what stands above it. Each is said by a field beside it,
    too: the keyboard passes it by.
    """
    shown = [row for row in rows if row]
    parts = []
    for number, row in enumerate(shown):
        below, free = number * _ROW_HIGH, 101.0
        for session, name, at in reversed(row):
            x = 100 * session / max(sessions, 1)
            short = name if len(name) <= _NAME_CHARS else f"{name[: _NAME_CHARS - 1]}…"
            anchor = "start" if x < _EDGE else "end" if x > 100 - _EDGE else "middle"
            wide = _LETTER * (len(short) + 1)
            left, said = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor], ""
            if 0 <= left <= free - wide:
                free = left
                place = f'x="{x:.2f}%" y="{below + 15}" text-anchor="{anchor}"'
                said = f"<text {place}>{escape(short)}</text>"
            parts.append(
                f'<a href="{url("/facts", as_of=at)}" tabindex="-1"><title>{escape(name)}</title>'
                f'<line x1="{x:.2f}%" x2="{x:.2f}%" y1="{below}" y2="{below + 5}"/>{said}</a>'
            )
    return (
        f'<svg class="moments" width="100%" height="{_ROW_HIGH * len(shown)}" role="group"'
        f' aria-label="Tags and months">{"".join(parts)}</svg>'
    )


#: What people call the tiers, where that is not their name.
TIER_WORDS = {tier: tier for tier in TIERS} | {"archive-candidate": "fading"}


#: Where a fact stands, in one of them; `{working}`, `{active}` and `{archive}` are windows of the policy.
TIERS_SAID = tuple(zip(TIER_WORDS.values(), (
    "It never fades: its kind lasts, as an invariant does, or a review made it so.",
    "New: it came in the last {working}, and was used once at most.",
    "In use: somebody used or confirmed it in the last {active}. Open threads stay here.",
    "Nobody used it for longer. After {archive} without a use it goes to the archive.",
    "Nobody used it for {archive}, it is done, or somebody put it away. It is still found.",
    "It does not hold any more: another fact took its place, or somebody said that it is false.",
), strict=True))  # fmt: skip
WORDS = (
    ("fact", "One sentence or more that memory keeps, with an id of its own."),
    ("session", "One log: what an agent or a person did, and what it taught. Work sessions make "
         "facts older; imports, reviews and talk that is continued do not."),
    ("used", "A session names the fact. That keeps it from fading."),
    ("sessions ago", "How many work sessions came after the one that used or confirmed the "
         "fact last."),
    ("sessions left", "How many more work sessions without a use it takes until the fact is "
         "archived."),
    ("confirmed", "A person or an agent looked, and it holds. That counts as a use."),
    ("decided", "A person said so."),
    ("said", "An agent recorded it."),
    ("quoted", "A machine found it in the words of a session."),
    ("imported", "It came from another tool or a document."),
    ("live", "It stands in one of the first four tiers, and agents are shown it."),
    ("faded", "It went to the archive because nobody used it."),
    ("closed", "The thread, task or finding is done."),
    ("false now", "It was replaced, or called false. Search finds it, marked as false."),
    ("stands", "It is what holds, also beside others that say otherwise."),
    ("contradicted", "Two sides stand against each other, and nobody decided yet. Review "
         "asks which one holds."),
    ("resting", "It was shown to sessions so often without a use that briefs leave it out."),
    ("never used again", "No session behind the one that brought the fact names it."),
    ("never used", "It is live, and no session behind the one that brought it names it."),
    ("as of", "The list as it stood at the end of a day, or at a tag, a commit or a log."),
    ("thread", "A question or a piece of work that is open until somebody closes it."),
    ("review", "Questions that memory asks people now and then, such as whether an invariant "
         "still holds."),
)  # fmt: skip
PICTURES = (
    ("areas", "How many facts stood in each tier, session after session; the newest on the "
         "right."),
    ("marks below them", "Tags and months: each leads to what held at the end of it."),
)  # fmt: skip
_SAID = dict((*WORDS, *PICTURES, *TIERS_SAID))
#: What stands where a policy is not at hand.
_PLAIN = {
    "working": "few work sessions",
    "active": "work sessions",
    "archive": "many work sessions",
}


def meaning(word: str, windows: Windows | None = None) -> str:
    """Say what a word means, with the windows of a policy; "" for one that is not explained."""
    said = _PLAIN
    if windows is not None:
        said = {name: _window(*windows.of(name)) for name in _PLAIN}
    return _SAID.get(word, "").format(**said)


def _window(sessions: int, days: int) -> str:
    return f"{sessions} work sessions" + (f" (and {days} work days)" if days else "")


def help(tip: TipView, asked: Asked) -> Page:
    """Return the page that explains the others."""
    windows = tip.state.policy.windows
    groups = {
        title: [(word, meaning(word, windows)) for word, _ in terms]
        for title, terms in (("Tiers", TIERS_SAID), ("Pictures", PICTURES), ("Words", WORDS))
    }
    withheld = sum([one.fact.redacted for one in tip.standings.values()])
    return Page("help", "Help", {"groups": groups, "tiers": [*TIER_WORDS], "withheld": withheld})
