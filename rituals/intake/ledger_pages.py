"""Read the memory folder of another implementation of the format: its logs, and the facts of its pages.

Its session logs are logs (FORMAT.md, section 3), but name facts by id alone: the texts stand in
`continuity.md` and the archive. A page is read as an edited page of ours is. Where a bullet with a footer
closes a list, the list is its text. What no footer claims is given back whole, with its heading.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from glob import glob
from itertools import pairwise

from ledger.codec.outline import document_text
from ledger.errors import NotFound
from ledger.model import layout
from ledger.model.event import Meta
from ledger.model.ids import is_fact_id
from ledger.model.log_names import is_date, is_stem
from ledger.model.record import Record
from ledger.model.session import CLOSABLE, LOG_LIMIT_BYTES
from projection.document.footer_reader import read_footer
from projection.document.page_parser import Block, parse
from projection.policy.model import DELIBERATE, THREAD_KIND, VISION_KIND, Kind, Windows
from projection.text.normalize import id_of_subject

_VISION, _POLICY, _LOGS = "vision.md", "decay-policy.md", f"{layout.SESSIONS_DIR}/"
_PLACES = (
    layout.CONTINUITY_FILE,
    _VISION,
    _POLICY,
    f"{_LOGS}**/*.md",
    f"{layout.ARCHIVE_DIR}/*.md",
)
_WINDOW = re.compile(r"\b(working|active|archive)_window:[ \t]*([0-9]{1,6})(?![0-9])")
#: Footer keys that are no fact's own: they are read here, or computed.
_COMPUTED = frozenset(
    "id kind created origin last-used uses tier superseded-by reason verified heads moves".split()
)
_KEY = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+)*")


class PageFact(Record):
    """A fact as a page shows it; what its footer does not say is "", or `uses` -1."""

    id: str
    text: str
    kind: str
    mark: str  #: its checkbox: "" none, " " open, "x" closed
    meta: Meta  #: what its footer says of its own
    created: str
    origin: str  #: a stem
    uses: int
    last_used: str  #: a date
    tier: str
    successor: str  #: the id of what took its place
    place: str  #: `file:line`

    @property
    def archived(self) -> bool:
        """Whether it stands in the archive."""
        return self.place.startswith(f"{layout.ARCHIVE_DIR}/")


class OtherLedger(Record):
    """What such a folder holds; `root` is its real path, all paths are from there on."""

    root: str
    files: tuple[tuple[str, bytes], ...]
    facts: tuple[PageFact, ...]  #: each id once: live ones first
    loose: tuple[tuple[str, str], ...]  #: (file and heading, text) that no footer claims
    windows: Windows  #: in sessions
    left: tuple[str, ...]  #: what is no plain file, or too large


def find_ledger(directory: str) -> str:
    """Return the real path of the memory folder that was named, or of the one in it."""
    given = os.path.realpath(directory)
    for root in (os.path.realpath(f"{given}/{layout.TREE_PREFIX}"), given):
        logs = glob(f"{_LOGS}**/*.md", root_dir=root, recursive=True)
        if os.path.isfile(f"{root}/{layout.CONTINUITY_FILE}") or any(
            is_stem(layout.stem_of(one)) for one in logs
        ):
            return root
    raise NotFound(
        f"{directory} holds no {layout.CONTINUITY_FILE} and no session log",
        hint="name the memory folder of the other ledger, or the one that holds it",
    )


def read_ledger(
    root: str, kinds: Iterable[Kind], progress: Callable[[int, int], None]
) -> OtherLedger:
    """Read the memory folder `root`; progress is told how many of how many files are read.

    What is no plain file, or larger than a log can be, is left.
    """
    read: list[tuple[str, bytes]] = []
    left: list[str] = []
    found = [path for one in _PLACES for path in glob(one, root_dir=root, recursive=True)]
    paths = sorted(
        [path for path in found if not path.startswith(_LOGS) or is_stem(layout.stem_of(path))]
    )
    for number, path in enumerate(paths):
        progress(number, len(paths))
        place = f"{root}/{path}"
        plain = os.path.realpath(place) == place and os.path.isfile(place)
        if plain and os.path.getsize(place) <= LOG_LIMIT_BYTES:
            with open(place, "rb") as file:
                read.append((path, file.read()))
        else:
            left.append(path)
    reader, windows = _Pages(kinds), dict[str, int]()
    for path, data in sorted(read, key=lambda one: one[0].startswith(layout.ARCHIVE_DIR)):
        text = "" if path.startswith(_LOGS) else document_text(data)
        if text is None:
            left.append(path)
        elif path == _POLICY:
            windows = {match[1]: int(match[2]) for match in reversed([*_WINDOW.finditer(text)])}
        elif not path.startswith(_LOGS):
            reader.read(path, text)
    asked = Windows(**windows)
    active = max(asked.active, asked.working)
    return OtherLedger(
        root, tuple(read), tuple(reader.facts.values()), tuple(reader.loose),
        asked._replace(active=active, archive=max(asked.archive, active)), tuple(left),
    )  # fmt: skip


class _Pages:
    """Reads the pages of one ledger.

    Args:
        kinds: of the policy; their sections tell what a fact below them is.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._kinds = {one.section.lower(): one.name for one in kinds if one.name not in DELIBERATE}
        self.facts: dict[str, PageFact] = {}
        self.loose: list[tuple[str, str]] = []

    def read(self, file: str, text: str) -> None:
        """Read one page; the index of the archive has no facts."""
        if file == _VISION:
            self._vision(text.split("\n"))
        elif file != layout.ARCHIVE_INDEX:
            self._page(file, text, text.split("\n"))

    def _page(self, file: str, text: str, lines: list[str]) -> None:
        parsed, noticed = parse(text, file=file)
        starts = [block.line for block in (*parsed.blocks, *parsed.orphans)]
        starts += [one.line for one in noticed if one.code == "hand-edited"]
        starts += [number for number, line in enumerate(lines, 1) if line[:1] == "#"]
        ends = dict(pairwise(sorted({*starts, len(lines) + 1})))
        claimed: set[int] = set()

        def claim(fact: PageFact, blocks: Iterable[Block]) -> None:
            if fact.text and self.facts.setdefault(fact.id, fact) is fact:
                for one in blocks:
                    claimed.update(range(one.line, ends[one.line]))

        above: list[Block] = []  # bullets without a footer that touch the next one
        for block in parsed.blocks:
            last = above[-1:]
            if last and (ends[last[0].line] != block.line or block.section != last[0].section):
                above = []
            if block.id:
                listed = [*([] if block.mark else above), block]
                claim(_fact_of(file, block, self._kind_of(file, block), listed), listed)
            touches = not block.id and not block.mark and lines[ends[block.line] - 2].strip()
            above = [*above, block] if touches else []
        for block in parsed.blocks:
            kind = self._kind_of(file, block)
            if kind and not block.id and block.line not in claimed:
                made = block._replace(id=id_of_subject(block.text, {}))
                claim(_fact_of(file, made, kind, [made]), [block])
        self._keep(file, lines, claimed)

    def _kind_of(self, file: str, block: Block) -> str:
        """Return the kind of the section that a block of `continuity.md` stands in, "" for none."""
        words = block.section.lower().replace(" and ", " & ")
        for title, kind in self._kinds.items() if file == layout.CONTINUITY_FILE else ():
            if words.startswith(title) and not words[len(title) : len(title) + 1].isalnum():
                return kind
        return THREAD_KIND if block.mark and file == layout.CONTINUITY_FILE else ""

    def _vision(self, lines: list[str]) -> None:
        """Read the vision: the quoted note that has its footer, and the first section behind it."""
        bare = [line.lstrip("> ") for line in lines]
        at = next((n for n, line in enumerate(bare) if read_footer(line)), len(lines) - 1)
        footer = read_footer(bare[at]) or ()
        sections = [n for n, line in enumerate(lines) if line.startswith("## ")] + [len(lines)] * 2
        note = [line for n, line in enumerate(bare[: sections[0]]) if n != at and line[:1] != "#"]
        text = "\n".join([*note, *lines[sections[0] + 1 : sections[1]]]).strip()
        id = dict(footer).get("id", "")
        if is_fact_id(id):
            block = Block("", id, "", re.sub(r"\n{3,}", "\n\n", text), footer, (), at + 1)
            self.facts.setdefault(id, _fact_of(_VISION, block, VISION_KIND, [block]))

    def _keep(self, file: str, lines: list[str], claimed: set[int]) -> None:
        """Keep what no fact claims, by heading, but for the note below the title, rules and blanks."""
        heading, rows = "", list[str]()
        for number, line in enumerate([*lines, "## "], 1):
            if number not in claimed and line[:1] == "#":
                text = "\n".join(rows).strip("\n")
                if text.strip("-*_=# \n"):
                    self.loose.append((f"{file}, {heading}" if heading else file, text))
                heading, rows = line.lstrip("#").strip() * (line[:2] == "##"), []
            elif number not in claimed and (heading or line[:1] != ">"):
                rows.append(line)


def _fact_of(file: str, block: Block, kind: str, listed: list[Block]) -> PageFact:
    """Return a fact by its bullet, or by the list that its bullet closes."""
    said = {key.replace("_", "-"): value.strip("`*[] ") for key, value in block.footer}
    text, mark = block.text, block.mark
    if len(listed) > 1:
        items = ["- " + one.text.replace("\n", "\n  ") for one in listed]
        text = "\n".join([f"{block.section}:", *items])
    if is_fact_id(said.get("kind", "")):
        kind = said["kind"]
    elif mark and kind not in CLOSABLE:
        kind = THREAD_KIND
    mark = mark or (" " if kind in CLOSABLE else "")
    origin = said.get("origin", "").rpartition("/")[2].removesuffix(".md")
    created, last_used = said.get("created", ""), said.get("last-used", "")
    uses, successor = said.get("uses", ""), said.get("superseded-by", "")
    counted = uses.isascii() and uses.isdigit() and len(uses) < 10
    meta = [
        (key, " ".join(value.split()))
        for key, value in dict(block.footer).items()
        if key.replace("_", "-") not in _COMPUTED and _KEY.fullmatch(key) and value.strip()
    ]
    return PageFact(
        block.id, text, kind, mark, tuple(meta), created if is_date(created) else "",
        origin if is_stem(origin) else "", int(uses) if counted else -1,
        last_used if is_date(last_used) else "", said.get("tier", "").lower(),
        successor if is_fact_id(successor) else "", f"{file}:{block.line}",
    )  # fmt: skip
