"""Take back what logs did, by a log of its own: the last one, or all of a session; redo does it again."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.model.log_names import LogRef, stem_in
from ledger.model.session import BY_KEY, Entry
from memory import Memory, log_named
from projection.fold.reversal import Irreversible, TakenBack, told_by
from rituals.decide.decision import Decision
from rituals.decide.reversing_events import Past, Undoing

#: Of how many logs git is asked at once who committed them; how many an undo can name in its header.
_ASKED, _MOST = 200, 1000


def undoing(memory: Memory, agent: str = "") -> Undoing:
    """Plan to take back the last log of an agent that stands and was committed by who commits here.

    `agent` is "" for who opened this home: what they said in the name of others is theirs, too.

    Raises:
        NotFound: there is no such log.
        Irreversible: it changed no fact, or nothing of it can be taken back.
    """
    past = Past(memory)
    first: Undoing | None = None
    own = False
    for ref, entry in _own(memory, agent):
        own = True
        if told_by(entry) is not None or ref.stem in past.undone or (first and not entry.acts):
            continue
        plan = past.plan((ref,), TakenBack((ref.stem,), again=False))
        if plan.decision.events or plan.left:
            return _some(plan)
        first = first or plan  # it changed no fact: the one before it is meant
    if first:
        return _some(first)
    me, who = memory.identity(), agent or memory.asker()
    hint = "`diurna log -n 5` lists the newest logs; `--agent NAME` says whose last one is meant"
    said = f"no log of {who} was committed by {me.name} <{me.email}>"
    if own:
        hint = "`diurna undo --redo` does the last one again"
        said = f"all logs of {who} by {me.name} <{me.email}> are taken back"
    raise NotFound(said, hint=hint)


def redoing(memory: Memory, agent: str = "") -> Undoing:
    """Plan to do again what the last undo of an agent took back; the arguments are those of `undoing`.

    Raises:
        NotFound: there is no undo that is not done again.
        Irreversible: nothing of it can be done again.
    """
    past = Past(memory)
    for ref, entry in _own(memory, agent):
        said = told_by(entry)
        stems = [stem for stem in said.stems if past.undone.get(stem) == ref.key] if said else []
        if said and stems and not said.again:
            meant = said._replace(stems=tuple(stems), again=True)
            refs = tuple([one for one, _ in past.logs if one.stem in stems])
            return _some(past.plan(refs, meant, ref.key))._replace(undo=ref.stem)
    hint = "`diurna undo` takes back your last log"
    raise NotFound(f"no undo of {agent or memory.asker()} waits to be done again", hint=hint)


def step_back_from(memory: Memory, stem: str) -> Undoing:
    """Plan to take back one's own last log, or where that is an undo, to do again what it took back.

    `stem` is of the log that is meant.

    Raises:
        DiurnaError: as `undoing` and `redoing`; or another log came behind it.
    """
    ref = memory.cache().log_ref(stem)
    logs = memory.cache().entries_since(ref.key) if ref else []
    last = told_by(logs[-1][1]) if logs else None
    plan = redoing(memory) if last and not last.again else undoing(memory)
    stems = tuple([one.stem for one in plan.logs])
    meant = plan.undo or (stem if last and stems == last.stems else stems[-1])
    if meant != stem:
        raise DiurnaError(
            f"the last log here is {memory.short(meant)} by now, and not the one that was shown",
            hint="`diurna undo --dry-run` says what would be taken back",
        )
    return plan


def taking_back(
    memory: Memory, stems: tuple[str, ...], session: str, agent: str, since: str
) -> Undoing:
    """Plan to take back logs that are named, and what was derived from them.

    They are named by their stems, or the start of some; or by the session or agent that wrote them, and
    by a time from which on, as people write it; "" for each that is not said.

    Raises:
        NotFound: there are no such logs.
        Irreversible: nothing of them can be taken back.
        WrongUsage: one is an undo, or they are too many.
    """
    past, cache = Past(memory), memory.cache()
    keys, begin = {log_named(cache, stem).key for stem in stems}, memory.bounds(since, "")[0]
    agent = agent or ("" if session or stems else memory.asker())
    chosen = []
    for ref, entry in past.logs:
        fits = ref.key in keys if keys else ref.key >= begin
        if not fits or session not in ("", entry.session) or agent not in ("", entry.agent):
            continue
        if told_by(entry) is None:
            chosen.append(ref)
        elif keys:
            hint = "`diurna undo --redo` does again what it took back"
            raise WrongUsage(f"{memory.short(ref.stem)} is an undo", hint=hint)
    if not chosen:
        hint = "`diurna log` lists them; `diurna log --json` tells their sessions"
        raise NotFound("no log fits", hint=hint)
    standing = [ref for ref in chosen if ref.stem not in past.undone]
    if len(standing) > _MOST:
        hint = f"name at most {_MOST}, the newest first"
        raise WrongUsage(f"{len(standing)} logs are too many for one undo", hint=hint)
    if not standing:
        by = stem_in(past.undone[chosen[0].stem])
        already = f"taken back before, by {memory.short(by)}; `diurna undo --redo` does it again"
        return Undoing(Decision("Undo", already=already), ())
    meant = TakenBack(tuple([ref.stem for ref in standing]), again=False)
    return _some(past.plan(tuple(standing), meant, derived=True))


def _some(plan: Undoing) -> Undoing:
    """Return a plan that does something."""
    if not plan.decision.events:
        raise Irreversible(plan.decision.already, hint=plan.decision.hints[0])
    return plan


def _own(memory: Memory, agent: str) -> Iterator[tuple[LogRef, Entry]]:
    """Yield the logs of an agent that were committed by who commits here, newest first.

    `agent` is "" for who opened this home.
    """
    me, waits, asker = memory.identity(), memory.snapshot.waiting(), memory.asker()
    home = memory.home

    def fits(entry: Entry) -> bool:
        said_by = dict(entry.reported).get(BY_KEY, entry.agent)
        return entry.agent == agent if agent else said_by == asker

    logs = [pair for pair in memory.cache().entries_since("") if fits(pair[1])]
    for start in range(0, len(logs), _ASKED):
        some = logs[start : start + _ASKED]
        paths = [home.prefix + ref.path for ref, _ in some]
        brought = ("--name-only", "--no-renames", "--diff-filter=A", "-z", home.tip(), "--", *paths)
        listing = home.repository.git().text("log", "--format=%x01%ae", *brought)
        mine: set[str] = set()
        for block in listing.split("\x01")[1:]:
            address, _, names = block.partition("\0")
            mine.update(names.replace("\n", "\0").split("\0") if address == me.email else ())
        for ref, entry in some:  # what waits was recorded in this clone
            if ref.stem in waits or home.prefix + ref.path in mine:
                yield ref, entry
