"""People and their editors at work on `continuity.md`: random ledgers, and edits of every kind of their page.

An edit says which facts it touched and which words it typed, so that a law can tell what must have
happened to all others, and to these. `tests/test_edited_pages.py` and `tests.campaigns.edits` use it.
"""

from __future__ import annotations

import itertools
import random
import re
import textwrap
from collections.abc import Callable
from typing import NamedTuple

from ledger.model.event import (
    Event,
    FactArchived,
    FactCreated,
    FactPromoted,
    FactRedacted,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from ledger.model.ids import version_id

_WORDS = (
    "the queue keeps every order for seven days and drops none of them unless a worker says so "
    "sessions are signed with a salt of their own blueprints live in one folder retries wait longer "
    "each time money is counted in cents nobody writes to the replica clocks may differ by a minute"
).split()
_KINDS = ("fact", "decision", "invariant", "convention", "preference", "thread", "fact", "decision")
_FOOTER = re.compile(r"^\s*<!--\s*id:\s*([a-z0-9][a-z0-9.-]*)")
_BULLET = re.compile(r"^[-*+] ")


def _sentence(rng: random.Random) -> str:
    words = [rng.choice(_WORDS) for _ in range(rng.randint(2, 24))]
    return " ".join(words).capitalize() + rng.choice(
        (".", ".", ".", "", "?", " — “so be it”.", " 🦀.")
    )


def _text(rng: random.Random) -> str:
    text = _sentence(rng)
    if rng.random() < 0.35:
        text += rng.choice(
            (
                "\n" + _sentence(rng),
                "\n\n" + _sentence(rng),
                "\n\n- " + _sentence(rng) + "\n- " + _sentence(rng),
                "\n\n```sh\ngit  log --oneline\n\n# a comment\n```",
                "\n" + "\n".join(textwrap.wrap(_sentence(rng), 30)),
            )
        )
    return text


def ledger(rng: random.Random) -> list[tuple[Event, ...]]:
    """Return the events of some logs: facts of several kinds, some of them changed, false or contested."""
    facts = [f"f{number}-{rng.choice(_WORDS)}" for number in range(rng.randint(2, 9))]
    first: list[Event] = []
    texts: dict[str, str] = {}
    for id in facts:
        kind = rng.choice(_KINDS)
        texts[id] = text = _text(rng)
        mark = rng.choice((" ", "x")) if kind == "thread" else ""
        meta = ((("kind", kind),) if kind != "fact" else ()) + (
            (("tags", "api"),) * (rng.random() < 0.2)
        )
        first.append(FactCreated(id, text, mark, meta))
    logs: list[tuple[Event, ...]] = [tuple(first)]
    for id in facts:
        what = rng.random()
        seen = (version_id(texts[id]),)
        if what < 0.12:
            logs.append((FactUpdated(id, _sentence(rng), seen),))
        elif what < 0.2:  # two who do not know of each other
            logs.append((FactUpdated(id, "One says " + _sentence(rng), seen),))
            logs.append((FactUpdated(id, "Another says " + _sentence(rng), seen),))
        elif what < 0.25:
            logs.append((FactPromoted(id),))
        elif what < 0.29 and id != facts[0]:
            logs.append((FactSuperseded(id, facts[0], was=seen),))
        elif what < 0.32:
            logs.append((FactArchived(id),))
        elif what < 0.35:
            logs.append((FactRedacted(id),))
        elif what < 0.38 and any(
            isinstance(one, FactCreated) and (one.id, one.mark) == (id, " ") for one in first
        ):
            logs.append((ThreadClosed(id, was=seen),))
    return logs


class Shown(NamedTuple):
    """A fact on a page: its id, and the lines from its bullet to behind its footer."""

    id: str
    start: int
    end: int


class Page:
    """A page that is edited.

    Args:
        text: as Diurna wrote it.
        rng: chooses.
        older: what Diurna wrote there before, "" for nothing.
    """

    def __init__(self, text: str, rng: random.Random, older: str = "") -> None:
        self.base, self.older, self.rng = text, older, rng
        self.lines = text.split("\n")
        self.touched: set[str] = set()
        self.typed: list[str] = []
        self.did: list[str] = []
        self.everything = {one.id for one in self.facts()}

    @property
    def text(self) -> str:
        """The page as it stands."""
        return "\n".join(self.lines)

    def word(self) -> str:
        """Type a word that stands nowhere else."""
        self.typed.append(f"zq{self.rng.randrange(10**8):08d}")
        return self.typed[-1]

    def facts(self) -> list[Shown]:
        """Find the facts whose bullets have their footers."""
        found, start = [], -1
        for number, line in enumerate(self.lines):
            if _BULLET.match(line):
                start = number
            elif line.startswith("#"):
                start = -1
            elif (
                line.lstrip().startswith("<!--") and start >= 0
            ):  # an editor may spread it over lines
                rest = self.lines[number:]
                last = next((n for n, one in enumerate(rest) if "-->" in one), len(rest) - 1)
                if match := _FOOTER.match(" ".join(map(str.strip, rest[: last + 1]))):
                    found.append(Shown(match[1], start, number + last + 1))
                    start = -1
        return found

    def fact(self) -> Shown | None:
        """Choose a fact, and touch it."""
        facts = self.facts()
        chosen = self.rng.choice(facts) if facts else None
        if chosen:
            self.touched.add(chosen.id)
        return chosen

    def touch_lines(self, begin: int, end: int) -> None:
        """Touch the facts that lines belong to."""
        self.touched |= {one.id for one in self.facts() if one.start < end and begin < one.end}

    def headings(self) -> list[int]:
        """Return the lines of the headings of sections."""
        return [
            n
            for n, line in enumerate(self.lines)
            if line[:3] == "## " and line != "## Contradictions"
        ]


def _delete_bullet_line(page: Page) -> None:
    if one := page.fact():
        del page.lines[one.start]


def _delete_text(page: Page) -> None:
    if one := page.fact():
        del page.lines[one.start : one.end - 1]


def _delete_footer(page: Page) -> None:
    if one := page.fact():
        del page.lines[one.end - 1]


def _delete_both(page: Page) -> None:
    if one := page.fact():
        del page.lines[one.start : one.end]


def _delete_half(page: Page) -> None:
    if one := page.fact():
        at = page.rng.randrange(one.start, one.end)
        begin, end = (one.start, at) if page.rng.random() < 0.5 else (at, one.end)
        del page.lines[begin:end]


def _move(page: Page) -> None:
    if (one := page.fact()) and page.headings():
        block = page.lines[one.start : one.end]
        del page.lines[one.start : one.end]
        at = page.rng.choice(page.headings()) + 1
        page.lines[at:at] = ["", *block]


def _move_line(page: Page) -> None:
    """Move one line up or down, as an editor does by a key."""
    if not (facts := page.facts()):
        return
    at = page.rng.choice([n for one in facts for n in range(one.start, one.end)])
    to = max(0, min(len(page.lines) - 1, at + page.rng.choice((-3, -2, -1, 1, 2, 3))))
    page.touch_lines(min(at, to) - 1, max(at, to) + 2)
    page.lines.insert(to, page.lines.pop(at))


def _reorder(page: Page) -> None:
    facts = page.facts()
    pairs = [
        (a, b) for a, b in itertools.pairwise(facts)
        if not any(line[:2] == "##" for line in page.lines[a.end : b.start])
    ]  # fmt: skip
    if pairs:
        one, two = page.rng.choice(pairs)
        lines = page.lines
        lines[one.start : two.end] = [
            *lines[two.start : two.end], *lines[one.end : two.start], *lines[one.start : one.end]
        ]  # fmt: skip


def _reword(page: Page) -> None:
    if one := page.fact():
        at = page.rng.randrange(one.start, one.end - 1)
        words = page.lines[at].split(" ")
        words.insert(page.rng.randint(min(2, len(words)), len(words)), page.word())
        page.lines[at] = " ".join(words)


def _rewrite(page: Page) -> None:
    if one := page.fact():
        page.lines[one.start : one.end - 1] = [f"- Now it is {page.word()}."]


def _append_words(page: Page) -> None:
    if one := page.fact():
        page.lines[one.end - 1 : one.end - 1] = page.rng.choice(
            (
                [f"  And {page.word()}."],
                ["", f"  A paragraph, {page.word()}."],
                [f"and {page.word()}"],
            )
        )


def _below_footer(page: Page) -> None:
    if one := page.fact():
        page.touched |= page.everything  # moved afterwards, it stands below the footer of another
        page.lines.insert(one.end, f"  below, {page.word()}")


def _cut_footer(page: Page) -> None:
    if one := page.fact():
        line = page.lines[one.end - 1]
        at = page.rng.randrange(3, len(line))
        page.lines[one.end - 1] = page.rng.choice(
            (line[:at], "  " + line[at:], line[: at // 2] + line[at:])
        )


def _tick(page: Page) -> None:
    for one in page.facts():
        line = page.lines[one.start]
        if line[2:5] in ("[ ]", "[x]") and page.rng.random() < 0.7:
            page.touched.add(one.id)
            page.lines[one.start] = line[:2] + ("[x]" if line[3] == " " else "[ ]") + line[5:]


def _core(page: Page) -> None:
    if one := page.fact():
        line = page.lines[one.end - 1]
        page.lines[one.end - 1] = re.sub(
            r"tier: [a-z-]+", page.rng.choice(("tier: core", "tier: active")), line
        )


def _computed(page: Page) -> None:
    if one := page.fact():
        page.lines[one.end - 1] = re.sub(r"uses: \d+", "uses: 99", page.lines[one.end - 1])


def _other_id(page: Page) -> None:
    if one := page.fact():
        page.lines[one.end - 1] = page.lines[one.end - 1].replace(
            f"id: {one.id}", f"id: {one.id}-b"
        )


def _paste_twice(page: Page) -> None:
    if one := page.fact():
        block = page.lines[one.start : one.end]
        at = page.rng.choice([one.end, *[n + 1 for n in page.headings()]])
        page.lines[at:at] = ["", *(block if page.rng.random() < 0.6 else block[:-1])]


def _paste_footer(page: Page) -> None:
    facts = page.facts()
    if len(facts) > 1:
        one, two = page.rng.sample(facts, 2)
        page.touched |= {one.id, two.id}
        line = page.lines[one.end - 1]
        page.lines[two.end - page.rng.randint(0, 1) : two.end] = (
            [line] if page.rng.random() < 0.5 else [line, line]
        )


def _prose(page: Page) -> None:
    at = page.rng.randrange(len(page.lines))
    page.touch_lines(at - 1, at + 1)
    page.lines[at:at] = page.rng.choice(
        ([page.word()], ["", f"Words of {page.word()}, from elsewhere.", ""], ["", "| a | b |", f"| {page.word()} |", ""],
         ["", "```", page.word(), "```", ""], ["", f"> {page.word()}"], [f"1. {page.word()}"])
    )  # fmt: skip


def _add(page: Page) -> None:
    if page.headings():
        at = page.rng.choice(page.headings()) + 1
        page.lines[at:at] = [
            "",
            page.rng.choice(("- ", "* ", "- [ ] ", "-   ")) + f"A new one, {page.word()}.",
        ]


def _new_section(page: Page) -> None:
    page.lines += ["", "## Lunch", "", f"- The canteen has {page.word()}."]


def _rename_heading(page: Page) -> None:
    if page.headings():
        page.touched |= page.everything
        at = page.rng.choice(page.headings())
        page.lines[at] = page.rng.choice(
            (f"## Ideas {page.word()}", "### " + page.lines[at][3:], "## Facts", "")
        )


def _swap_sections(page: Page) -> None:
    places = page.headings()
    if len(places) > 1:
        last = next(
            (n for n, line in enumerate(page.lines) if line.startswith("<!-- diurna")),
            len(page.lines),
        )
        cuts = [n for n in [*places, last] if n <= last]
        parts = [page.lines[a:b] for a, b in itertools.pairwise(cuts)]
        page.rng.shuffle(parts)
        page.lines[cuts[0] : last] = [line for part in parts for line in part]


def _markers(page: Page) -> None:
    if one := page.fact():
        block = page.lines[one.start : one.end]
        mine = [f"- Mine is {page.word()}.", block[-1]]
        page.lines[one.start : one.end] = [
            "<<<<<<< HEAD",
            *block,
            "=======",
            *mine,
            ">>>>>>> theirs",
        ]


def _truncate(page: Page) -> None:
    text = "\n".join(page.lines)
    at = page.rng.randrange(len(text))
    page.touched |= page.everything
    page.lines = text[:at].split("\n")


def _no_machine(page: Page) -> None:
    page.lines = [line for line in page.lines if not line.startswith("<!-- diurna")]


def _crlf(page: Page) -> None:
    page.lines = [line + "\r" for line in page.lines]


def _mixed_ends(page: Page) -> None:
    page.lines = [line + "\r" * page.rng.randint(0, 1) for line in page.lines]


def _bom(page: Page) -> None:
    page.lines[0] = "\ufeff" + page.lines[0]


def _trailing(page: Page) -> None:
    page.lines = [line + " " * page.rng.randint(0, 2) for line in page.lines]


def _stars(page: Page) -> None:
    mark = page.rng.choice("*+")
    page.lines = [mark + line[1:] if _BULLET.match(line) else line for line in page.lines]


def _wide(page: Page) -> None:
    """Bullets with a tab stop of four, as older formatters write them."""
    lines, inside = [], False
    for line in page.lines:
        bullet = _BULLET.match(line)
        inside = bool(bullet) or (inside and line[:1] in ("", " "))
        lines.append(
            f"{line[0]}   {line[2:]}" if bullet else "  " + line if inside and line else line
        )
    page.lines = lines


def _numbers(page: Page) -> None:
    page.touched |= page.everything
    page.lines = [re.sub(_BULLET, f"{n}. ", line) for n, line in enumerate(page.lines)]


def _indented(page: Page) -> None:
    page.touched |= page.everything
    pad = page.rng.choice(("  ", "    ", "\t"))
    page.lines = [pad + line if line else line for line in page.lines]


def _footers_in(page: Page) -> None:
    pad = page.rng.choice(("", " ", "   ", "    ", "\t", "         "))
    if len(pad) > 5:
        page.touched |= page.everything
    page.lines = [pad + line.lstrip() if _FOOTER.match(line) else line for line in page.lines]


def _dense(page: Page) -> None:
    """Take the empty lines between blocks away."""
    ends = {one.end for one in page.facts()}
    page.lines = [line for n, line in enumerate(page.lines) if line or n not in ends]


def _airy(page: Page) -> None:
    page.lines = re.sub(r"\n\n(?=- |#|>|<)", "\n\n\n", page.text).split("\n")


def _parted(page: Page) -> None:
    page.lines = [
        one for line in page.lines for one in (("", line) if _FOOTER.match(line) else (line,))
    ]


def _rewrap(page: Page) -> None:
    width, inside = page.rng.choice((40, 72, 80)), False
    lines: list[str] = []
    for line in page.lines:
        if line.lstrip()[:3] == "```":
            inside = not inside
        plain = not inside and line[:1] in "- " and "<!--" not in line and len(line) > width
        if plain and line[:2] in ("- ", "  ") and "`" not in line:
            indent = re.match(r" *(?:- )?", line)
            lines += textwrap.wrap(
                line,
                width,
                subsequent_indent=" " * len(indent[0] if indent else ""),
                break_long_words=False,
                break_on_hyphens=False,
            )
        else:
            lines.append(line)
    page.lines = lines


def _smart(page: Page) -> None:
    page.touched |= page.everything
    page.lines = [line.replace("--", "—").replace("'", "’") for line in page.lines]


def _comments(page: Page) -> None:
    def other(line: str) -> list[str]:
        inner = line.strip()[4:-3].strip()
        return page.rng.choice(
            ([f"  <!--{inner}-->"], ["  <!--", f"    {inner}", "  -->"], [f"  <!--   {inner.replace(' | ', '|')}   -->"],
             ["  <!-- " + inner.replace(" | ", "\n    | ") + " -->"])
        )  # fmt: skip

    lines = [
        other(line) if _FOOTER.match(line) and line.endswith("-->") else [line]
        for line in page.lines
    ]
    page.lines = "\n".join(one for part in lines for one in part).split("\n")


def _joined(page: Page) -> None:
    """Join two lines, as an editor does by a key."""
    if one := page.fact():
        at = page.rng.randrange(one.start, one.end)
        if at + 1 < len(page.lines):
            page.touch_lines(at, at + 2)
            page.lines[at : at + 2] = [page.lines[at] + " " + page.lines[at + 1].lstrip()]


def _delete_range(page: Page) -> None:
    begin = page.rng.randrange(len(page.lines))
    end = min(len(page.lines), begin + page.rng.randint(1, 7))
    page.touch_lines(begin, end)
    if any(line[:1] == "#" for line in page.lines[begin:end]):
        page.touched |= page.everything
    del page.lines[begin:end]


def _swap_lines(page: Page) -> None:
    at = page.rng.randrange(len(page.lines) - 1) if len(page.lines) > 1 else 0
    page.touch_lines(at - 1, at + 3)
    if any(line[:1] == "#" for line in page.lines[at : at + 2]):
        page.touched |= page.everything
    page.lines[at : at + 2] = page.lines[at : at + 2][::-1]


def _cut_across(page: Page) -> None:
    """Delete from within one fact into the next."""
    text = "\n".join(page.lines)
    begin = page.rng.randrange(max(1, len(text) - 2))
    end = min(len(text), begin + page.rng.randint(1, 400))
    first = text.count("\n", 0, begin)
    last = text.count("\n", 0, end)
    page.touch_lines(first, last + 1)
    if "#" in text[begin:end] or page.lines[first][:1] == "#" or page.lines[last][:1] == "#":
        page.touched |= page.everything
    page.lines = (text[:begin] + text[end:]).split("\n")


def _sorted(page: Page) -> None:
    page.touched |= page.everything
    page.lines.sort()


def _older(page: Page) -> None:
    if page.older:
        page.lines = page.older.split("\n")


def _twice(page: Page) -> None:
    page.lines += page.lines


def _head(page: Page) -> None:
    at = page.rng.randrange(min(9, len(page.lines)))
    page.lines[at] += f" {page.word()}"


def _contradictions(page: Page) -> None:
    if "## Contradictions" in page.lines:
        at = page.lines.index("## Contradictions")
        if page.rng.random() < 0.5:
            del page.lines[at]
        else:
            page.lines.insert(at + 1, f"- Settled, {page.word()}.")


Edit = Callable[[Page], None]
#: Edits that say nothing: every fact holds, and nothing is in the way.
QUIET: dict[str, Edit] = {
    name.strip("_"): edit
    for name, edit in {
        "reorder": _reorder, "swap_sections": _swap_sections, "no_machine": _no_machine, "crlf": _crlf, "bom": _bom,
        "trailing": _trailing, "stars": _stars, "airy": _airy, "parted": _parted, "rewrap": _rewrap, "dense": _dense,
        "comments": _comments, "mixed_ends": _mixed_ends, "wide": _wide, "older": _older,
    }.items()
}  # fmt: skip
#: Edits that say something, or can not be understood.
LOUD: dict[str, Edit] = {
    edit.__name__.strip("_"): edit
    for edit in (
        _delete_bullet_line, _delete_text, _delete_footer, _delete_both, _delete_half, _move, _move_line, _reword,
        _rewrite, _append_words, _below_footer, _cut_footer, _tick, _core, _computed, _other_id, _paste_twice,
        _paste_footer, _prose, _add, _new_section, _rename_heading, _markers, _truncate, _numbers, _indented,
        _footers_in, _smart, _joined, _delete_range, _swap_lines, _cut_across, _sorted, _twice, _head, _contradictions,
    )
}  # fmt: skip
EDITS = {**LOUD, **QUIET}


def edit(page: Page, most: int = 3) -> Page:
    """Edit a page at random, in one way or in several after one another."""
    rng = page.rng
    for _ in range(rng.choice((1, 1, 1, 2, 2, most))):
        name = rng.choice(sorted(LOUD) if rng.random() < 0.75 else sorted(QUIET))
        page.did.append(name)
        EDITS[name](page)
        if not page.lines:
            page.lines = [""]
    return page
