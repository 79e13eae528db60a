"""Make open threads of the points of a critique, and close them as applied or rejected.

The id of a thread is made of its point's words, so the same critique read again says nothing new.
"""

from __future__ import annotations

import re

from ledger.codec.fact_blocks import tidy
from ledger.codec.fenced_code import code_ranges
from ledger.errors import DiurnaError, WrongUsage
from ledger.model.event import Event, FactCreated, ThreadClosed
from ledger.model.sha256 import sha256
from ledger.secrets.scanner import nameable
from memory.api import Memory
from projection.policy.model import THREAD_KIND
from rituals.decide.decision import Decision, titled
from rituals.record.event_reasons import because

TAG = "critique"
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_BULLET = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_BOX = re.compile(r"\[([ xX])\][ \t]+")
_RULE = re.compile(r"[ \t]*([-*_])[ \t]*(\1[ \t]*){2,}$")
_ID_HEX = 8


class _Section:
    """What stands below one heading: its items, or what is said in paragraphs."""

    def __init__(self, level: int = 0, heading: str = "") -> None:
        self.level, self.heading = level, heading
        self.items: list[list[str]] = []
        self.paragraphs: list[str] = []
        self._indent = 0
        self._in_item = False

    def add(self, line: str, *, code: bool) -> None:
        """Take a line."""
        found = None if code else _BULLET.match(line)
        indent = len(found[1].expandtabs(4)) if found else 0
        if found and not (self.items and self._in_item and indent > self._indent + 1):
            self.items.append([line[found.end() :].rstrip()])
            self._indent, self._in_item = indent, True
        elif self._in_item and (not line.strip() or line[:1].isspace() or self.items[-1][-1]):
            self.items[-1].append(line.rstrip())
        else:
            self._in_item = False
            self.paragraphs.append(line.rstrip())

    def points(self, *, title: bool) -> list[str]:
        """Return its points; a title's paragraphs are about all of it."""
        if self.items:
            return [text for text in map(_item_text, self.items) if text]
        said = tidy("\n".join(self.paragraphs))
        return [f"{self.heading}: {said}"] if self.heading and said and not title else []


def points_in(text: str) -> tuple[str, ...]:
    """Return the points of a critique, each once: items of lists, and headings with text below them.

    What is indented below an item belongs to it; a ticked one is settled already.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    code = {number for start, end in code_ranges(lines) for number in range(start, end)}
    sections = [_Section()]
    for number, line in enumerate(lines):
        heading = None if number in code else _HEADING.match(line)
        below = sections[-1].paragraphs
        if heading:
            sections.append(_Section(len(heading[1]), heading[2]))
        elif number not in code and _UNDERLINE.match(line) and below and below[-1]:
            sections.append(_Section(1 if "=" in line else 2, below.pop()))
        elif number in code or not _RULE.match(line):
            sections[-1].add(line, code=number in code)
    several = len([one for one in sections if one.level]) > 1
    found = [point for one in sections for point in one.points(title=one.level == 1 and several)]
    return tuple(dict.fromkeys(found))


def _item_text(lines: list[str]) -> str:
    box = _BOX.match(lines[0])
    if box and box[1] != " ":
        return ""
    first = lines[0][box.end() :] if box else lines[0]
    rest = [line for line in lines[1:] if line.strip()]
    margin = min([len(line) - len(line.lstrip()) for line in rest], default=0)
    said = tidy("\n".join([first, *[line[margin:] if line else "" for line in lines[1:]]]))
    return said if any(map(str.isalnum, said)) else ""


def id_of(point: str) -> str:
    """Return the id of the thread of a point: of its words, whatever their case and spacing."""
    said = " ".join(point.casefold().split())
    return f"{TAG}-{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:_ID_HEX]}"


def raising(memory: Memory, text: str, source: str, task: str = "") -> Decision:
    """Plan to make a thread of each point that memory does not have.

    The text is markdown; `source` is a word for where it is from, `task` what it is about, "" for none.

    Raises:
        WrongUsage: there is no point in it.
        NotFound: there is no such task.
    """
    points = {id_of(point): point for point in points_in(text)}
    if not points:
        raise WrongUsage(
            "no point is found in it", where=source,
            hint="points are bullets, numbered items, and headings with text below them",
        )  # fmt: skip
    if task:
        task = memory.standing(task).fact.id
    cache = memory.cache()
    fresh = {id: point for id, point in points.items() if cache.fact(id) is None}
    known = len(points) - len(fresh)
    title = f"Critique: {len(fresh)} {'point' if len(fresh) == 1 else 'points'}"
    if not fresh:
        return Decision(title, already=f"memory has all {len(points)} points of it")
    meta = [("kind", THREAD_KIND), ("tags", TAG)]
    if task:
        meta.append(("serves", task))
    if name := " ".join(nameable(source).replace("|", " ").replace("-->", " ").split()):
        meta.append(("source", name[:100]))
    events: tuple[Event, ...] = tuple(
        [FactCreated(id, point, " ", tuple(meta)) for id, point in fresh.items()]
    )
    does = [f"{id}: {point.split(chr(10))[0]}" for id, point in fresh.items()]
    if known:
        does.append(f"{known} more {'is' if known == 1 else 'are'} known already")
    hint = '`diurna critique --applied ID "WHY"` closes one, and so does --rejected'
    return Decision(title, tuple(does), events, hints=(hint,))


def settling(memory: Memory, applied: dict[str, str], rejected: dict[str, str]) -> Decision:
    """Plan to close threads, and to say of each (by id) whether it was applied or rejected, and why.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: one is no open thread.
        WrongUsage: one is both, or no reason is given.
    """
    both = applied.keys() & rejected.keys()
    if both:
        raise WrongUsage(f"{min(both)} is applied and rejected at once")
    events: list[Event] = []
    does = []
    for word, given in (("applied", applied), ("rejected", rejected)):
        for id, why in given.items():
            fact = memory.standing(id).fact
            id = fact.id
            if not why.strip():
                raise WrongUsage(f"no reason is given for {id}", where=f"--{word}")
            if fact.kind != THREAD_KIND or fact.closed or fact.false:
                said = "closed already" if fact.closed else "false" if fact.false else fact.kind
                hint = f"`diurna why {id}` tells more"
                raise DiurnaError(f"{id} is no open thread: {said}", hint=hint)
            does.append(f"{id} is {word}: {' '.join(why.split())}")
            events.append(because(ThreadClosed(id), f"{word}: {why}"))
    verb = "Apply" if not rejected else "Reject" if not applied else "Settle"
    title = titled(verb, tuple([event.id for event in events]))
    return Decision(title, tuple(does), tuple(events), reason="\n".join(f"- {one}" for one in does))
