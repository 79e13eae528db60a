"""Read every version of the pages of a ledger out of git, with its facts, who wrote it and when.

All sides of merges are walked, as far as they led to what stands now: a text belongs to the commit that
first had it, not to the merge that brought it. Where the folder was renamed, or moved to another place,
the walk goes on under its old name. Reads only, and bounds what it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.git.cli import Git
from ledger.git.commit_record import clean_name
from ledger.model.findings import Finding
from ledger.model.record import Record
from rituals.intake.adopt.adopted_files import (
    ARCHIVE,
    ARCHIVE_INDEX,
    CONTINUITY,
    FILE_LIMIT_BYTES,
    THREADS,
    VISION,
    text_of,
)
from rituals.intake.adopt.adoption_source import Ground
from rituals.intake.adopt.read_facts import FactPage, ImportedFact, facts_of

COMMITS_LIMIT = 5_000
BYTES_LIMIT = 256 << 20  #: of all distinct versions together
_MOVES_LIMIT = 8  #: of the folder
_LATEST_SECONDS = 253_402_300_799
_FOLDERS = (ARCHIVE, THREADS)
_FILES = (CONTINUITY, VISION)
_TREE, _FILE = "40000", "100"  #: how modes are or begin
_ID_BYTES = 20
_ITEM = re.compile(r"\n- (?![- ])")
_FOOTER = re.compile(r"  +<!-- id: [a-z0-9]+(?:[.-][a-z0-9]+)* \|[^\n]* -->")


class PageCommit(Record):
    """A commit that changed a page."""

    id: str  #: of the commit
    parents: tuple[str, ...]  #: ids of those before it that changed a page, () for the first
    author: str  #: who wrote it
    at_ms: int  #: when it was written, never before its parents, in milliseconds since 1970
    subject: str  #: the first line of its message
    #: (file, blob id) of all pages as it has them, in the order of names
    files: tuple[tuple[str, str], ...]


def page_commits(ground: Ground) -> tuple[tuple[PageCommit, ...], tuple[Finding, ...]]:
    """List the commits that changed a page, parents before children, each later than the one before.

    Returns:
        The commits, and what of the history is not there or too much.
    """
    if ground.repository is None or not ground.tip:
        return (), ()
    git = ground.repository.git()
    found: dict[str, PageCommit] = {}
    start, prefix, child = ground.tip, ground.prefix, ""
    for _ in range(_MOVES_LIMIT):
        rows = _walk(git, prefix, start)
        if child and rows:
            found[child] = found[child]._replace(parents=(rows[0].id,))
        found.update({row.id: row for row in rows if row.id not in found})
        child, prefix = _moved(git, prefix, [row.id for row in rows if not row.parents])
        if not child:
            break
        start = f"{child}^"
    findings = []
    if git.run("rev-parse", "--is-shallow-repository", check=False).strip() == b"true" and found:
        said = "the history is shallow: texts are dated by the oldest commit that is there"
        findings.append(Finding("history-cut", said, CONTINUITY))
    kept = _within_limits(git, _in_time(found))
    if len(kept) < len(found):
        said = f"{len(found)} commits changed the pages; the {len(kept)} newest are read"
        findings.append(Finding("history-cut", said, CONTINUITY))
    return kept, tuple(findings)


def versions(ground: Ground, commits: tuple[PageCommit, ...]) -> Iterator[tuple[str, bytes | None]]:
    """Yield (blob id, bytes) of each version of each page, once; None where the clone lacks it."""
    if ground.repository is None:
        return
    wanted = list(dict.fromkeys([blob for commit in commits for _, blob in commit.files]))
    for first in range(0, len(wanted), 64):
        part = wanted[first : first + 64]
        yield from zip(part, ground.repository.git().blobs(part), strict=True)


def _walk(git: Git, prefix: str, start: str) -> list[PageCommit]:
    """List the commits that changed pages of a folder, newest first, with the pages that each has."""
    paths = [f":(top,literal){prefix}{name}" for name in (*_FILES, *_FOLDERS)]
    listing = git.run(
        "log", "--no-show-signature", "--encoding=UTF-8", "--parents", "--date-order",
        f"-n{COMMITS_LIMIT}", "--format=%H%x00%P%x00%an%x00%at%x00%s", start, "--", *paths,
    )  # fmt: skip
    rows = [line.split("\0", 4) for line in listing.decode("utf-8", "replace").split("\n")]
    rows = [row for row in rows if len(row) == 5]
    tops = git.resolve(*[f"{row[0]}:{prefix.rstrip('/')}" for row in rows])
    above = _trees(git, {oid for oid in tops if oid})
    below = _trees(
        git, {tree[name] for tree in above.values() for name in _FOLDERS if name in tree}
    )
    found = []
    for top, (commit, parents, author, date, subject) in zip(tops, rows, strict=True):
        here = above.get(top, {})
        files = [(name, here[name]) for name in _FILES if name in here]
        for folder in _FOLDERS:
            rest = below.get(here.get(folder, ""), {})
            files += [(f"{folder}/{name}", rest[name]) for name in rest if name.endswith(".md")]
        seconds = int(date) if date.isdigit() and int(date) < _LATEST_SECONDS else 0
        found.append(PageCommit(
            commit, tuple(parents.split()), clean_name(author), seconds * 1000, subject,
            tuple(sorted(files)),
        ))  # fmt: skip
    return found


def _trees(git: Git, oids: set[str]) -> dict[str, dict[str, str]]:
    """Read what stands in some trees: the object id of each file and folder, by name."""
    found: dict[str, dict[str, str]] = {}
    for oid, data in zip(sorted(oids), git.blobs(sorted(oids)), strict=True):
        rows: dict[str, str] = {}
        at, tree = 0, data or b""
        while (end := tree.find(b"\0", at)) >= 0:  # `<mode> SP <name> NUL <id>`
            mode, _, name = tree[at:end].decode("utf-8", "replace").partition(" ")
            at = end + 1 + _ID_BYTES
            if mode[:3] == _FILE or (mode == _TREE and name in _FOLDERS):
                rows[name] = tree[end + 1 : at].hex()
        found[oid] = rows
    return found


def _moved(git: Git, prefix: str, firsts: list[str]) -> tuple[str, str]:
    """Return the commit that renamed the folder, and what it was called before; "" for none."""
    page = prefix + CONTINUITY
    for first in firsts:
        listing = git.run(
            "diff-tree", "-r", "-M", "-z", "--no-commit-id", "--name-status", "--diff-filter=R",
            first, check=False,
        )  # fmt: skip
        fields = listing.decode("utf-8", "surrogateescape").split("\0")
        for status, old, new in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            folder, _, name = old.rpartition("/")
            if status[:1] == "R" and new == page and name == CONTINUITY:
                return first, folder + "/" if folder else ""
    return "", prefix


def _in_time(found: dict[str, PageCommit]) -> list[PageCommit]:
    """Order commits by when they were written; none is before its parents, and no two at one moment."""
    times: dict[str, int] = {}
    todo = list(found)
    while todo:
        commit = found[todo[-1]]
        waiting = [one for one in commit.parents if one in found and one not in times]
        if waiting:
            todo += waiting
            continue
        before = [times[one] + 1 for one in commit.parents if one in times]
        times[todo.pop()] = max([commit.at_ms, *before])
    ordered: list[PageCommit] = []
    last = -1
    for id in sorted(found, key=lambda one: (times[one], one)):
        last = max(times[id], last + 1)
        ordered.append(found[id]._replace(at_ms=last))
    return ordered


def _within_limits(git: Git, commits: list[PageCommit]) -> tuple[PageCommit, ...]:
    """Leave out the oldest where there are too many, or too much of them to be read."""
    blobs = list(dict.fromkeys([blob for one in reversed(commits) for _, blob in one.files]))
    sizes = dict(zip(blobs, git.sizes(blobs), strict=True)) if blobs else {}
    room, counted, kept = BYTES_LIMIT, set[str](), 0
    for commit in reversed(commits[-COMMITS_LIMIT:]):
        fresh = [blob for _, blob in commit.files if blob not in counted]
        room -= sum([sizes[blob] for blob in fresh])
        if room < 0:
            break
        counted.update(fresh)
        kept += 1
    whole = {blob for blob, size in sizes.items() if size <= FILE_LIMIT_BYTES}
    return tuple(
        one._replace(files=tuple([pair for pair in one.files if pair[1] in whole]))
        for one in commits[len(commits) - kept :]
    )


class PageReader:
    """Reads versions of pages, of which most of the text is the same from one to the next.

    A list item that stands in the first column behind a blank line, or behind the footer of another one,
    begins anew, whatever was above it, but for the headings that it stands below. So a page is cut there,
    and each piece is read once below its headings. A page with code fences, or with comments of several
    lines, which may hide such a line, is read as a whole. The facts of pieces have no true line.
    """

    def __init__(self) -> None:
        self._read: dict[
            tuple[str, str, str], tuple[list[ImportedFact], list[tuple[int, str]]]
        ] = {}

    def facts(self, file: str, data: bytes) -> list[ImportedFact]:
        """Read the facts of a version of a page."""
        text = text_of(data).replace("\r\n", "\n").replace("\r", " ")
        whole = file in (VISION, ARCHIVE_INDEX) or file.startswith(f"{THREADS}/")
        if whole or "```" in text or "~~~" in text or _hides_lines(text):
            return facts_of(file, data, [])
        found: list[ImportedFact] = []
        above: list[tuple[int, str]] = []
        for piece in _pieces(text):
            context = "".join([f"{'#' * level} {title}\n\n" for level, title in above])
            known = self._read.get((file, context, piece))
            if known is None:
                page = FactPage(file, (context + piece).encode(), [])
                headings = [(one.level, one.title) for one in page.headings[len(above) :]]
                known = self._read[file, context, piece] = page.facts(), headings
            found += known[0]
            for level, title in known[1]:
                above = [one for one in above if one[0] < level] + [(level, title)]
        return found


def _pieces(text: str) -> list[str]:
    found: list[str] = []
    begin = 0
    for match in _ITEM.finditer(text):
        end = match.start()
        above = text[text.rfind("\n", 0, end) + 1 : end]
        if not above or _FOOTER.fullmatch(above):
            found.append(text[begin : end + 1])
            begin = end + 1
    return [*found, text[begin:]]


def _hides_lines(text: str) -> bool:
    """Tell whether a comment goes on behind its line."""
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at)
        if end < 0 or "\n" in text[at:end]:
            return True
        at = text.find("<!--", end)
    return False
