"""Find by which commits the work of logs came into the code, and record what is new (FORMAT.md, B7 to B9).

Asked are HEAD and the trunk, here and as it was fetched last. What was found is kept for the answers of
this clone (`memory.cache.here`), and recorded for those who never had the branch. Nobody waits for it.
"""

from __future__ import annotations

from ledger.environment import monotonic, now_ms
from ledger.errors import GitFailed, ObjectMissing
from ledger.git.ancestry import lacking, whole_ids
from ledger.git.landing.asked import ASKED_FILE, Asked
from ledger.git.landing.messages import History, history
from ledger.git.landing.points import Points, Seen, Written
from ledger.git.landing.search import ANCESTOR, Landing, Work, search
from ledger.git.landing.sightings import TIPS_FILE, noted, now, recalled, tips_text
from ledger.git.repository import head, is_shallow, read_reference, remote_branches
from ledger.home import OWN_BRANCH
from ledger.model.event import Event, WorkLanded, WorkReverted
from ledger.model.ids import is_object
from ledger.model.order import milliseconds_of, stamp_of
from ledger.model.record import Record
from ledger.model.session import EDIT
from ledger.wal.atomic_files import make_folder, plain_bytes, replace_file
from memory.cache.here import Settled, read, settle
from memory.cache.truth_file import has_code
from memory.replay.outside import trunk_of
from memory.write.draft import SessionDraft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.api import Memory

#: How long one turn may take; the rest has the next one.
SECONDS = 10.0


class Found(Record):
    """What became of the work of one log."""

    stem: str
    branch: str
    header: str  #: the commit of its header
    work: Work | None  #: None where nothing is committed yet
    landing: Landing | None = None
    whole: bool = True  #: its objects are here, so that it can be proved


def record(memory: Memory, seconds: float = SECONDS) -> str:
    """Find what landed of the logs of a home, and record it; say what is new, in words.

    In-tree nothing is asked: a log comes with its work. Nor is it in a clone whose history is cut.
    """
    home = memory.home
    if home.kind != OWN_BRANCH or not has_code(home) or is_shallow(home.repository):
        return ""
    return _Round(memory, seconds).run()


class _Round:
    """One turn.

    Args:
        memory: the home.
        seconds: how long it may take.
    """

    def __init__(self, memory: Memory, seconds: float) -> None:
        self._memory, self._home = memory, memory.home
        self._repository = memory.home.repository
        self._git = self._repository.git()
        self._until = monotonic() + seconds
        self._kept = read(memory.home)
        asked = plain_bytes(f"{self._repository.commondir}/{ASKED_FILE}") or b""
        self._asked = Asked(asked.decode("ascii", "replace"), self._git)
        self._histories: dict[str, History] = {}
        self._verdicts: dict[tuple[str, str, str], Landing | None] = {}

    def run(self) -> str:
        """Ask, keep, record."""
        places, policy, told = self._memory.snapshot.ask(
            lambda cache: (cache.places(), cache.policy, cache.landed())
        )
        if not places:
            return ""
        trunk = trunk_of(self._home, policy.trunk)
        found = list(self._found(places, trunk))
        points = {one.stem: one.work.point if one.work else "" for one in found}
        settled = {
            one.work.point: self._settled(one.landing)
            for one in found
            if one.work is not None and one.landing is not None
        }
        settle(self._home, settled, points)
        self._note(ASKED_FILE, self._asked.text())
        events = tuple(_news(found, told))
        if not events:
            return ""
        branches = dict.fromkeys(one.branch for one in found if one.stem in {e.id for e in events})
        title = f"What became of work on {', '.join(list(branches)[:5])}"[:100]
        draft = SessionDraft(title, "", events, type=EDIT, anyway=True)
        self._memory.hold(draft, again=True)
        landed = sum(isinstance(one, WorkLanded) for one in events)
        reverts = len(events) - landed
        said = [f"{landed} landing{'s' * (landed > 1)}"] if landed else []
        return ", ".join(said + ([f"{reverts} revert{'s' * (reverts > 1)}"] if reverts else []))

    def _found(
        self, places: Iterable[tuple[int, str, str, int, str]], trunk: str
    ) -> Iterable[Found]:
        """Yield what became of each log, newest first, as far as the time goes."""
        rows = sorted(places, key=lambda row: row[1], reverse=True)
        whole = whole_ids(self._git, {row[2] for row in rows})
        logs = [
            Written(stem, whole[commit] or commit, branch, milliseconds_of(stem), bool(dirty))
            for _, stem, commit, dirty, branch in rows
            if whole[commit] is not None and (whole[commit] or is_object(commit))
        ]
        points = Points(self._git, self._sightings(), trunk)
        known = frozenset([*[log.commit for log in logs], *self._kept.points.values()])
        targets = self._targets(trunk)
        works = {log: points.work(log, known) for log in logs}
        asked = {one.point for one in works.values() if one}
        asked |= {one.commit for one in self._kept.settled.values()} - {""}
        lacks = {target: lacking(self._git, target, asked) for target in targets}
        held = {
            target: asked - lack.outside - lack.missing - lack.unknown
            for target, lack in lacks.items()
        }
        for log in logs:
            if monotonic() > self._until:
                return
            work = works[log]
            one = Found(log.stem, log.branch, log.commit, work)
            if work is None:
                yield one
                continue
            missing = any(work.point in lack.missing for lack in lacks.values())
            landing = None
            for target in targets:
                landing = self._verdict(work, target, held[target])
                if landing is not None:
                    break
            yield one._replace(landing=landing, whole=not missing)

    def _targets(self, trunk: str) -> list[str]:
        """Return the commits that are asked: those of the trunk, here and fetched, and HEAD."""
        references = [f"refs/heads/{trunk}", *remote_branches(self._repository, trunk)]
        ids = [read_reference(self._repository, one) for one in references if trunk]
        return list(dict.fromkeys(filter(None, [*ids, head(self._repository)[1]])))

    def _sightings(self) -> list[Seen]:
        """Return where branches are and were, and note where they are."""
        known, current = noted(self._repository), now(self._repository, now_ms())
        self._note(TIPS_FILE, tips_text(known, current))
        return [*known, *recalled(self._repository), *current]

    def _note(self, name: str, text: str | None) -> None:
        """Write one of the notes beside git, where it changed."""
        if text is not None:
            make_folder(self._home.state_dir)
            path = f"{self._repository.commondir}/{name}"
            replace_file(path, text.encode("utf-8", "surrogateescape"), 0o600)

    def _verdict(self, work: Work, target: str, held: set[str]) -> Landing | None:
        """Say how some work came into a commit, None where it did not, as far as that was found out."""
        key = (work.point, work.tip, target)
        if key not in self._verdicts:
            self._verdicts[key] = self._search(work, target, held)
        return self._verdicts[key]

    def _search(self, work: Work, target: str, held: set[str]) -> Landing | None:
        told = self._kept.settled.get(work.point)
        past = self._history(target)
        for commit, how in (
            (work.point, ANCESTOR),
            *([(told.commit, told.how)] if told and told.commit else []),
        ):
            if commit in held and not past.reverted(commit):
                return Landing(past.standing(commit), how)
        asked = self._asked.before(work, target)
        if asked == target:
            return None
        try:
            found = search(self._git, work, past, asked=asked)
        except (GitFailed, ObjectMissing):  # files are not here: nobody can say
            return None
        if found is None:
            self._asked.note(work, target)
        return found if found is not None and found.commit else None

    def _history(self, target: str) -> History:
        if target not in self._histories:
            self._histories[target] = history(self._git, target)
        return self._histories[target]

    def _settled(self, landing: Landing) -> Settled:
        when = ""
        for one in self._histories.values():
            if landing.reverted in one.told:
                when = stamp_of(one.told[landing.reverted].seconds * 1000)[:10]
        return Settled(landing.commit, landing.how, landing.reverted, when)


def _news(found: Iterable[Found], told: Iterable[tuple[str, str, str, str]]) -> Iterable[Event]:
    """Yield what is to be recorded: once for each log and commit, and nothing that a header says."""
    said: dict[str, set[str]] = {}
    for stem, _, commit, _ in told:
        said.setdefault(stem, set()).add(commit)
    for one in found:
        landing, known = one.landing, said.get(one.stem, set())
        if landing is None or not one.whole:
            continue
        if landing.commit not in known and landing.commit != one.header:
            yield WorkLanded(one.stem, landing.commit, landing.how)
        if landing.reverted and landing.reverted not in known:
            yield WorkReverted(one.stem, landing.reverted)
