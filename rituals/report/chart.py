"""Draw the picture of a report: facts by tier over work sessions, stacked, as SVG.

The same report gives the same bytes. The ground is transparent, and all colours are of middle lightness,
so that it can be read on a light page and on a dark one.
"""

from __future__ import annotations

from projection.fold.projection_state import TIERS
from rituals.report.lifecycle_report import Course, Report

#: The mark of our pictures. It stands in the first lines of the file.
MARKER = "<!-- made by diurna report -->"
_WIDTH, _HEIGHT = 920, 440
_LEFT, _TOP, _PLOT_WIDTH, _PLOT_HEIGHT = 64, 72, 640, 296
_RIGHT, _BOTTOM = _LEFT + _PLOT_WIDTH, _TOP + _PLOT_HEIGHT
_INK, _GRID = "#757c86", "#8b929c"
_COLOURS = dict(
    zip(TIERS, ("#7c5cc4", "#3d8fd1", "#2f8f6b", "#c98a1b", "#8b929c", "#c4544f"), strict=True)
)
_TITLE_CHARS = 60


def picture(report: Report, kind: str = "") -> str:
    """Draw a report; `kind` is the one that it is limited to, "" for all."""
    course = report.course
    totals = [sum(column) for column in zip(*[row for _, row in course.tiers], strict=True)]
    step = _step(max(totals, default=0), 6)
    top = max(step, -(-max(totals, default=0) // step) * step)
    name = report.project if len(report.project) <= _TITLE_CHARS else report.project[:59] + "…"
    title = f"{name}: {f'{kind} facts' if kind else 'facts'} by tier"
    span = f"{course.sessions[-1] - course.sessions[0] + 1 if course.sessions[-1] else 0}"
    said = f"{span} work session{'' if span == '1' else 's'}"
    if course.dates[-1]:
        said += f", {course.dates[0]} to {course.dates[-1]}"
    ends = ", ".join(f"{row[-1]} {tier}" for tier, row in course.tiers)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        MARKER,
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" font-family="system-ui, sans-serif" '
        f'font-size="12" fill="{_INK}">',
        f"<title>{_escaped(title)}</title>",
        f"<desc>{_escaped(f'{said}; at the end {ends}.')}</desc>",
        _text(_LEFT, 28, title, 'font-size="18" font-weight="600"'),
        _text(_LEFT, 48, said),
        *_areas(course, top),
        *_rows(top, step),
        *_columns(course, report.work),
        *_legend(course),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _areas(course: Course, top: int) -> list[str]:
    """Draw the tiers on top of each other; a count holds until the next point of time."""
    edges = [_edge(course, session) for session in course.sessions] + [_RIGHT]
    floor = [0] * len(course.sessions)
    lines = []
    for tier, row in course.tiers:
        ceiling = [low + count for low, count in zip(floor, row, strict=True)]
        if any(row):
            above = _stairs(ceiling, edges, top)
            below = _stairs(floor[::-1], edges[::-1], top)
            lines.append(
                f'<path fill="{_COLOURS[tier]}" d="M{_LEFT} {_BOTTOM}{above}{below}Z">'
                f"<title>{tier}: {row[-1]}</title></path>"
            )
        floor = ceiling
    return lines


def _stairs(levels: list[int], edges: list[int], top: int) -> str:
    """Draw a line that keeps each level from one edge to the next."""
    path, before = "", -1
    for level, edge in zip(levels, edges[1:], strict=True):
        y = _height(level, top)
        if y == before:
            path = path[: path.rindex("H")]
        else:
            path += f"V{y}"
        path += f"H{edge}"
        before = y
    return path


def _rows(top: int, step: int) -> list[str]:
    lines = []
    for level in range(0, top + 1, step):
        y = _height(level, top)
        opacity = "1" if not level else "0.35"
        lines.append(
            f'<path stroke="{_GRID}" stroke-opacity="{opacity}" d="M{_LEFT} {y}H{_RIGHT}"/>'
        )
        lines.append(_text(_LEFT - 8, y + 4, str(level), 'text-anchor="end"'))
    lines.append(_text(_LEFT - 8, _TOP - 10, "facts", 'text-anchor="end"'))
    return lines


def _columns(course: Course, work: tuple[str, ...]) -> list[str]:
    """Draw the scale of sessions, with the date of each that is named."""
    first, last = course.sessions[0], course.sessions[-1]
    step = _step(last - first + 1, 7)
    named = [number for number in range(first, last) if number % step == 0 or number == first]
    # the ends are always named; what would run into them is not
    named = [
        number for number in named
        if last - number >= step * 2 // 3 and (number == first or number - first >= step * 2 // 3)
    ]  # fmt: skip
    lines = []
    for number in dict.fromkeys((*named, last)):
        x = (_edge(course, number) + _edge(course, number + 1)) // 2
        lines.append(f'<path stroke="{_GRID}" d="M{x} {_BOTTOM}v5"/>')
        lines.append(_text(x, _BOTTOM + 19, str(number), 'text-anchor="middle"'))
        if number:
            date = work[number - 1][:10]
            lines.append(_text(x, _BOTTOM + 34, date, 'text-anchor="middle" font-size="10"'))
    middle = (_LEFT + _RIGHT) // 2
    return [*lines, _text(middle, _BOTTOM + 54, "work sessions", 'text-anchor="middle"')]


def _legend(course: Course) -> list[str]:
    """Name the tiers, in the order in which they lie on each other, with the counts at the end."""
    lines = [_text(_RIGHT + 24, _TOP - 10, "at the end")]
    for place, (tier, row) in enumerate(reversed(course.tiers)):
        y = _TOP + 8 + place * 24
        lines.append(
            f'<rect x="{_RIGHT + 24}" y="{y}" width="12" height="12" fill="{_COLOURS[tier]}"/>'
        )
        lines.append(_text(_RIGHT + 42, y + 10, f"{tier} {row[-1]}"))
    return lines


def _edge(course: Course, session: int) -> int:
    first, last = course.sessions[0], course.sessions[-1]
    return _LEFT + _PLOT_WIDTH * (session - first) // (last - first + 1)


def _height(level: int, top: int) -> int:
    return _BOTTOM - _PLOT_HEIGHT * level // top


def _step(span: int, most: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20… that divides a span into so many parts at most."""
    unit = 1
    while True:
        for factor in (1, 2, 5):
            if span <= factor * unit * most:
                return factor * unit
        unit *= 10


def _text(x: int, y: int, said: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}"{" " if more else ""}{more}>{_escaped(said)}</text>'


def _escaped(text: str) -> str:
    """Write a text as XML; what XML can not hold becomes U+FFFD."""
    kept = "".join([one if _allowed(ord(one)) else "\ufffd" for one in text])
    return kept.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _allowed(code: int) -> bool:
    """Tell whether XML 1.0 has a place for a character (its production 2), other than for controls."""
    return 0x20 <= code < 0x7F or 0xA0 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF
