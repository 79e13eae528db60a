"""Find by which commits the work of logs came into the code, and record what is new (B7 to B9).

Asked are HEAD and the trunk, here and as it was fetched last. What was found is kept for the answers of
this clone (`memory.cache.landed_work`), and recorded for those who never had the branch. Nobody waits for
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.environment import monotonic
from ledger.errors import DiurnaError
from ledger.git.ancestry import Lacking, lacking
from ledger.git.landings import ASKED_FILE, Asked, History, Landing, Work, history, search
from ledger.git.repository import head
from ledger.model.event import Event, WorkLanded, WorkReverted
from ledger.model.log_names import stamp_of
from ledger.model.session import EDIT
from ledger.wal.atomic_files import make_folder, plain_bytes, replace_file
from memory import Memory, SessionDraft, Settled, Works, read_heads, settle_landings, works_of
from rituals.decide.recorded_endings import trunk_tips

#: How long one turn may take; the rest has the next one.
SECONDS = 10.0
_TITLE_CHARS = 100


def record(memory: Memory, seconds: float = SECONDS) -> str:
    """Find what landed of the logs of a home, and record it; say what is new, in words.

    In-tree nothing is asked: a log comes with its work. Nor is it in a clone whose history is cut.
    """
    works, told = memory.ask(lambda cache: (works_of(memory.home, cache), cache.landed()))
    return _Round(memory, works, seconds).run(told) if works is not None and works.logs else ""


class _Round:
    """One turn."""

    def __init__(self, memory: Memory, works: Works, seconds: float) -> None:
        self._memory, self._home, self._works = memory, memory.home, works
        self._repository = memory.home.repository
        self._git = self._repository.git()
        self._until = monotonic() + seconds
        self._kept = read_heads(memory.home)
        asked = plain_bytes(f"{self._repository.commondir}/{ASKED_FILE}") or b""
        self._asked = Asked(asked.decode("ascii", "replace"))
        self._histories: dict[str, History] = {}
        self._verdicts: dict[tuple[str, str, str], Landing | None] = {}

    def run(self, told: Iterable[tuple[str, str, str, str]]) -> str:
        """Ask as far as the time goes, keep, record; `told` is what logs say already.

        Those that nobody asked about come first; the others have their turns, by the head.
        """
        kept = self._kept
        asked = {*self._works.known, *[one.commit for one in kept.settled.values()]} - {""}
        trunk = trunk_tips(self._repository, self._works.trunk)
        targets = dict.fromkeys(filter(None, [*trunk, head(self._repository)[1]]))
        lacks = {target: lacking(self._git, target, asked) for target in targets}
        new = [log for log in self._works.logs if log.stem not in kept.points]
        old = [log for log in self._works.logs if log.stem in kept.points]
        turn = int(next(iter(lacks), "0")[:6], 16) % max(len(old), 1)
        points: dict[str, str] = {}
        landings: dict[str, Landing] = {}
        news: list[tuple[str, Event]] = []
        for log in (*new, *old[turn:], *old[:turn]):
            if monotonic() > self._until:
                break
            point = kept.points.get(log.stem, "")
            landing = self._standing(point, lacks) if point else None
            if landing is None:
                work = self._works.of(log)
                point = work.point if work is not None else ""
                verdicts = (self._verdict(work, target) for target in lacks if work is not None)
                landing = next((verdict for verdict in verdicts if verdict is not None), None)
            points[log.stem] = point
            if landing is None:
                continue
            landings[point] = landing
            if any(log.commit in lack.missing for lack in lacks.values()):
                continue  # it can not be proved
            known = {commit for stem, _, commit, _ in told if stem == log.stem}
            # of the trunk, or fast-forwarded: who was not there can not say
            fresh = log.branch != self._works.trunk
            fresh = fresh and any(log.commit in self._history(one).line for one in lacks)
            # where HEAD has the commit that its header names, it has the work
            plain = not fresh and landing.commit == point == log.commit
            if landing.commit not in known and not plain:
                news.append((log.branch, WorkLanded(log.stem, landing.commit, landing.how)))
            if landing.reverted and landing.reverted not in known:
                news.append((log.branch, WorkReverted(log.stem, landing.reverted)))
        settle_landings(
            self._home, {one: self._settled(how) for one, how in landings.items()}, points
        )
        if (text := self._asked.text()) is not None:
            make_folder(self._home.state_dir)
            path = f"{self._repository.commondir}/{ASKED_FILE}"
            replace_file(path, text.encode("utf-8", "surrogateescape"), 0o600)
        if not news:
            return ""
        branches = dict.fromkeys([branch for branch, _ in news])
        title = f"What became of work on {', '.join(branches)}"[:_TITLE_CHARS]
        events = tuple([event for _, event in news])
        self._memory.hold(SessionDraft(title, "", events, type=EDIT, anyway=True), again=True)
        landed = sum(isinstance(one, WorkLanded) for one in events)
        counts = ((landed, "landing"), (len(events) - landed, "revert"))
        return ", ".join(f"{many} {name}{'s' * (many > 1)}" for many, name in counts if many)

    def _standing(self, point: str, lacks: Mapping[str, Lacking]) -> Landing | None:
        """Return how the work of a point landed, where that is known and stands as it was."""
        told = self._kept.settled.get(point)
        if told is None or told.reverted:
            return None
        target = next((one for one, lack in lacks.items() if lack.has(told.commit)), "")
        stands = target and not self._history(target).reverted(told.commit)
        return Landing(told.commit, told.how) if stands else None

    def _verdict(self, work: Work, target: str) -> Landing | None:
        """Say how some work came into a commit, None where it did not, as far as that was found out."""
        key = (work.point, work.tip, target)
        if key in self._verdicts:
            return self._verdicts[key]
        told, landing = self._history(target), None
        asked = self._asked.before(work, told)
        try:
            landing = search(self._git, work, told, asked=asked) if asked != target else None
            if landing is None:
                self._asked.note(work, target)
        except DiurnaError:  # files are not here: nobody can say
            pass
        self._verdicts[key] = landing if landing is not None and landing.commit else None
        return self._verdicts[key]

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
