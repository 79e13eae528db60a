"""List session logs as one line each, with who wrote them and when, as far as that is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from ledger.environment import now_ms
from ledger.git.committer import FALLBACK_EMAIL
from ledger.git.repository import cut_commits
from ledger.home import Home
from ledger.model.instants import lies
from ledger.model.layout import COMMIT_SUBJECT, EDITED_KEY, SESSIONS_DIR, stem_of
from ledger.model.log_names import (
    LogRef,
    ahead_by_a_day,
    ended_of,
    instant_of,
    is_sealed,
    key_of,
    milliseconds_of,
    stamp_in,
    stamp_of,
)
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import EDIT, SessionLog
from memory.cache.schema import IMPORT
from memory.query.visible_logs import logs_of
from memory.redaction.withheld_texts import ids_in
from memory.replay.reader_marks import Outdated, brought_by
from memory.replay.tip_snapshot import Snapshot

#: How a log came, where not by a commit of whoever wrote it: a squash, or a commit by hand; what an older
#: ledger's own history says; and that the history here does not go back so far.
SQUASH, ADOPTION, CUT = "squash", "adoption", "cut"
_REMARKS = {
    SQUASH: "author unknown (squashed or hand-made commit)",
    ADOPTION: "taken over",
    CUT: "the history is cut here, so nobody knows the commit",
}
#: So many paths are given to git by name; for more, it looks at all logs.
_MOST_PATHS = 50
_FIELDS = "%x00%H%x00%an%x00%ae%x00%at%x00%ct%x00%s%x00%b"
_HEX = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
#: Diurna says in a subject how many logs its commit brings, where they are several.
_COUNTED = re.compile(r"(\d+) ")
#: What forges put behind the subject of a squash, and git before its message.
_OF_FORGE = re.compile(r"\(#\d+\)$|\(![0-9]+\)$")
_OF_GIT = "Squashed commit"


class Origin(Record):
    """Which commit brought a log, and who wrote that log; `author` is "" where nobody can tell.

    `via` says how it came: "" with a commit of its author's, else `SQUASH`, `ADOPTION` or `CUT`. Of a cut
    history `commit` is the oldest one here that has the log. `at` is when its author made the commit, in
    seconds since 1970, 0 where nobody knows.
    """

    commit: str = ""
    author: str = ""
    via: str = ""
    at: int = 0

    @property
    def named(self) -> str:
        """The commit, as people read it; "" where the history is cut before it."""
        return "" if self.via == CUT else self.commit[:7]

    @property
    def remark(self) -> str:
        """What people have to know of the commit, "" for nothing."""
        return _REMARKS.get(self.via, "")

    @property
    def said(self) -> str:
        """What people read behind the name of a log; "" of one that no commit has."""
        by = f" by {self.author}" if self.author else ""
        commit = f"commit {self.named}{by}" if self.named else ""
        return ", ".join(filter(None, (commit, self.remark)))


class Origins(Record):
    """Which commits brought the logs of a tip, by path; `cut` are the commits where the history ends."""

    tip: str
    commits: Mapping[str, Origin]
    cut: frozenset[str] = frozenset()


def seen_at(stamp: str, brought: Origin, now: int) -> str:
    """Return when something was written, as a stamp, never later than this machine's clock, `now`.

    What is more than a day ahead was told by a clock that is wrong: the commit's date stands for it, ""
    where that is ahead, too. `now` is in milliseconds since 1970.
    """
    at = milliseconds_of(stamp)
    if at > now and ahead_by_a_day(stamp, now):
        at = brought.at * 1000
        return stamp_of(at) if 0 < at <= now else ""
    return stamp_of(now) if at > now else stamp


def origins_of(
    home: Home, refs: Collection[LogRef], kept: Origins | None = None
) -> Mapping[str, Origin]:
    """Return which commit brought each of some logs, by path; git is asked unless that is kept.

    Logs that no commit has yet are left out. `kept` is what a process knows; of an earlier tip, or of
    one cut elsewhere, it counts for nothing.
    """
    tip = home.tip()
    if not tip or not refs:
        return {}
    cut = cut_commits(home.repository)
    if kept is not None and (kept.tip, kept.cut) == (tip, cut):
        return kept.commits
    few = [home.prefix + ref.path for ref in refs] if len(refs) <= _MOST_PATHS else None
    return _brought(home, refs, tip, cut, few)


def all_origins(
    home: Home, tip: str, refs: Collection[LogRef], kept: Origins | None = None
) -> Origins:
    """Walk the whole history of a ledger once; only what is new where a tip before it is kept."""
    cut, known, commits = cut_commits(home.repository), dict[str, Origin](), tip
    if kept is not None and kept.cut == cut and home.repository.git().holds(tip, kept.tip):
        known, commits = dict(kept.commits), f"{kept.tip}..{tip}"
    fresh = [ref for ref in refs if ref.path not in known]
    if tip and fresh:
        known |= _brought(home, fresh, commits, cut)
    return Origins(tip, known, cut)


def _brought(
    home: Home,
    refs: Iterable[LogRef],
    commits: str,
    cut: frozenset[str],
    paths: Sequence[str] | None = None,
) -> dict[str, Origin]:
    """Find for each log the commit that put its bytes there first; children are listed before parents."""
    # all of both sides of a merge; of the merge itself what none of its parents has
    status, listing, _ = home.repository.git().call(
        "--no-replace-objects", "--literal-pathspecs", "log", f"--format={_FIELDS}", "-z",
        "--topo-order", "--full-history", "--full-diff", "-c", "--raw", "--no-abbrev", "--no-renames",
        "--diff-filter=AMD", commits, "--", *(paths or [home.prefix + SESSIONS_DIR]),
    )  # fmt: skip
    if status:  # git has not all that it would take
        return {ref.path: Origin(via=CUT) for ref in refs}
    wanted = {(home.prefix + ref.path, ref.blob): ref for ref in refs}
    found: dict[str, Origin] = {}
    moved: dict[tuple[str, str], list[LogRef]] = {}
    for commit, fields, rows in _blocks(listing.decode("utf-8", "replace")):
        added = sum(f"/{SESSIONS_DIR}/" in f"/{path}" for row, path in rows if row[-1] == "A")
        gone = {row.split(" ")[2]: path for row, path in rows if row[-1] == "D"}
        for row, path in rows:
            ref = wanted.get((path, row.split(" ")[-2]))
            if ref is None or (ref.path in found and found[ref.path].commit in cut):
                continue
            before = gone.get(ref.blob, "")
            if before.endswith(ref.path):  # the home was moved; it was written before
                moved.setdefault((f"{commit}^", before.removesuffix(ref.path)), []).append(ref)
            # what a merge itself put there, as a twin under another name, is of neither side
            author = "" if row[:2] == "::" else _author(fields, stem_of(ref.path), added)
            if commit in cut or (cut and not author):  # a squash's work may lie behind the cut
                found[ref.path] = Origin(commit, via=CUT)
            else:
                at = int(fields[2] or 0)
                found[ref.path] = Origin(commit, author, "" if author else SQUASH, at)
    for (earlier, prefix), some in moved.items():
        found |= _brought(home._replace(prefix=prefix), some, earlier, cut)
    return found


def _author(fields: Sequence[str], stem: str, added: int) -> str:
    """Return who wrote a log that a commit brought: its author, unless others' work was melded into it.

    A sealed log was first committed by Diurna, on the machine of whoever wrote it, under a subject that
    outlives rebases and cherry-picks. Under any other message it was brought by a squash, or by hand.
    `added` is how many logs the commit brought.
    """
    author, mail, at, made, subject, body = fields
    if mail == FALLBACK_EMAIL or _OF_FORGE.search(subject):
        return ""
    if not subject.startswith(COMMIT_SUBJECT) or body.strip():
        return "" if is_sealed(stem) or _OF_GIT in subject else author
    counted = _COUNTED.match(subject, len(COMMIT_SUBJECT))
    said = int(counted[1][:9]) if counted else 1
    # as Diurna makes it, a commit bears one time twice; melded since, it brings more than it says
    return author if added <= max(1, said) or at == made else ""


def _blocks(listing: str) -> Iterator[tuple[str, list[str], list[tuple[str, str]]]]:
    """Take a listing of git apart: each commit, its fields, and its (row, path)."""
    tokens, place = listing.split("\0"), 0
    while place < len(tokens):
        commit = tokens[place].lstrip("\n")
        if not _HEX.fullmatch(commit):
            place += 1
            continue
        fields, rows = tokens[place + 1 : place + 7], list[tuple[str, str]]()
        place += 7
        while place + 1 < len(tokens) and (row := tokens[place].lstrip("\n"))[:1] == ":":
            rows.append((row, tokens[place + 1]))
            place += 2
        yield commit, fields, rows


if TYPE_CHECKING:
    from memory.query.reader import Reader


class LogLine(Record):
    """One session log in a list. `ended` is as the log says, or its stamp; it may wait yet.

    `user` is for whom the agent worked, or what was asked for, where a log by hand says so. A log of
    somebody who judges has a `verdict`, and says in which `role` and `about` which facts.
    """

    stem: str
    agent: str
    title: str
    ended: str
    type: str
    path: str
    waiting: bool = False
    role: str = ""
    verdict: str = ""
    about: tuple[str, ...] = ()
    tokens: int = 0
    user: str = ""
    session: str = ""


def lines_of(snapshot: Snapshot, stems: Iterable[str]) -> dict[str, LogLine]:
    """Return what a list says of some logs, by stem; those that are not there are left out."""
    refs = snapshot.cache().known([*map(key_of, stems)])
    return {line.stem: line for line in _lines(snapshot, [*refs.values()])}


def log_lines(
    reader: Reader, agent: str = "", since: str = "", until: str = "", limit: int = 0
) -> tuple[LogLine, ...]:
    """List session logs, newest first.

    Args:
        reader: of the home.
        agent: only of this agent.
        since: only from this time or stem on.
        until: only up to this time (a day is all of it) or stem.
        limit: at most so many, 0 for all.

    Raises:
        NotFound: a bound is neither a time nor a stem.
    """
    since, until = reader.bounds(since, until)
    chosen: list[LogRef] = []
    for ref, entry in reader.cache().entries_since(since[:10]):
        if (agent and entry.agent != agent) or not lies(entry.stem, entry.clock, since, until):
            continue
        chosen.append(ref)
        if limit and len(chosen) == limit:
            break
    return tuple(_lines(reader.snapshot, chosen))


def _lines(snapshot: Snapshot, refs: list[LogRef]) -> Iterable[LogLine]:
    waits, outdated = snapshot.waiting(), Outdated(snapshot.cache())
    when = shown_times(snapshot, refs)
    for ref, log in logs_of(snapshot, refs):
        title = outdated.line(ref.key, log.title, [*brought_by(log.events), *ids_in(log.events)])
        about: tuple[str, ...] = ()
        tokens, verdict = 0, log.get("verdict")
        if verdict:
            about = tuple(filter(None, map(str.strip, log.get("about").split(","))))
            said = log.get("tokens")
            tokens = int(said) if said.isascii() and said.isdigit() and len(said) < 16 else 0
        yield LogLine(
            ref.stem, log.get("agent"), title, when(ref, log), log.type, ref.path,
            ref.key in waits, log.get("role"), verdict, about, tokens, log.get("user"),
            log.get("session"),
        )  # fmt: skip


def writers(
    snapshot: Snapshot, stems: Iterable[str], kept: Origins | None = None
) -> dict[str, Origin]:
    """Return who wrote each of some logs, by stem; none of a log that no commit has yet."""
    cache = snapshot.cache()
    refs = [*cache.known([*map(key_of, stems)]).values()]
    brought = origins_of(snapshot.home, refs, kept)
    refs = [ref for ref in refs if ref.path in brought]
    found = {ref.stem: brought[ref.path] for ref in refs}
    # of all others the header says nothing of who wrote them (`told_by`), so it is not read
    telling = [ref for ref in refs if (of := cache.entry(ref.key)) and of.type in (IMPORT, EDIT)]
    for ref, log in logs_of(snapshot, telling):
        found[ref.stem] = told_by(log.header, brought[ref.path])
    return found


def told_by(header: Iterable[tuple[str, str]], brought: Origin) -> Origin:
    """Return where the words of a log come from: from the commit that its header tells of, where it does.

    That is one of an adopted ledger's past (FORMAT.md, O6), or one in which a person edited a page (A9).
    Of any other log the header says at which commit of the code somebody worked.
    """
    said = dict(header)
    commit, kind = said.get("commit", ""), said.get("type", "")
    edited = kind == EDIT and EDITED_KEY in said and "branch" not in said
    if commit and (edited or (kind == IMPORT and "source" not in said)):
        return Origin(commit, said.get("agent", ""), ADOPTION if kind == IMPORT else brought.via)
    return brought


def shown_times(
    snapshot: Snapshot, refs: Iterable[LogRef], brought: Mapping[str, Origin] | None = None
) -> Callable[[LogRef, SessionLog], str]:
    """Return what tells when a log ended, as far as that is known (`seen_at`).

    `brought` is which commits brought the logs, where that was asked already.
    """
    now = now_ms()
    far = [ref for ref in refs if ahead_by_a_day(ref.stem, now)]
    if brought is None:
        brought = origins_of(snapshot.home, far)

    def shown(ref: LogRef, log: SessionLog) -> str:
        said = ended_at(ref.stem, log)
        stamp = stamp_in(said) or key_of(ref.stem)
        seen = seen_at(stamp, brought.get(ref.path, Origin()), now)
        return said if seen == stamp else seen and ended_of(seen)

    return shown


def ended_at(stem: str, log: SessionLog) -> str:
    """Return when a session ended: as its log says, else its stamp."""
    return log.get("ended") or instant_of(stem)
