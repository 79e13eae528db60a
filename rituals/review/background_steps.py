"""Do by itself what is due: small steps, one process at a time, a minute at most (R13).

Nothing is decided, pushed, fetched or published, and no person's file is written. Each step can be killed
at any moment and made again: what it keeps beside git is replaced whole, and logs go the way of captured
ones (W14). What fails is noted as a hook's fault is, and the next step has its turn. What is due once a
day is loaded once a day.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence

from ledger.environment import monotonic, now_ms, stay_offline, working_directory
from ledger.errors import Busy, DiurnaError
from ledger.home import Home, discover
from ledger.model.layout import MAINTAIN_FILE
from ledger.model.record import Record
from ledger.wal.atomic_files import Lock, make_folder
from memory import Memory, truth_of
from rituals.decide.recorded_endings import record_ended
from rituals.hosts.due_steps import is_daily_due, is_stale, last_run, note_run, obstacle
from rituals.hosts.session_files import note_fault
from rituals.review import code_questions, recorded_landings

#: How long all steps may take together, on a clock that only goes forward.
SECONDS = 60.0
#: How long vectors are made in one turn.
_MEANING_SECONDS = 20.0
#: How often what moved meanwhile is followed at once.
_ROUNDS = 3


class Step(Record):
    """A small part of what is done: at most some seconds, and killed without harm."""

    name: str
    do: Callable[[Memory], str | None]  #: does it, and says what came of it, if it is new
    daily: bool = True  #: due once a day; else wherever code or ledger moved


def _mark(memory: Memory) -> str:
    before = {one.fact for one in truth_of(memory.home)}
    code_questions.make_marks(memory.home)
    new = len({one.fact for one in truth_of(memory.home)} - before)
    return f"{new} fact{'s name' if new > 1 else ' names'} what is gone" if new else ""


def _end(memory: Memory) -> str:
    ended = len(record_ended(memory, hold=True))
    return f"{ended} fact{'s' * (ended > 1)} ended" if ended else ""


def _forget(memory: Memory) -> None:
    from rituals.hosts.capture.session_choice import tidy

    tidy(memory)


def _index(memory: Memory) -> None:
    from memory import ask_once

    ask_once(memory.snapshot, lambda cache, index: True)


def _weigh(memory: Memory) -> None:
    from memory import make_vectors

    make_vectors(memory.snapshot, _MEANING_SECONDS)


def _verify(memory: Memory) -> str:
    from ledger.model.finding_codes import ERROR
    from rituals.check.check_registry import VERIFY, made

    errors = sum(1 for one in made(memory, VERIFY) if one.severity == ERROR)
    return f"{errors} error{'s' * (errors > 1)}: `diurna check`" if errors else "verified"


#: In this order; of those that are due once a day, first the one whose turn was longest ago.
STEPS = (
    Step("landings", recorded_landings.record, daily=False),
    Step("facts that ended", _end, daily=False),
    Step("marks of what is gone", _mark, daily=False),
    Step("meaning of facts", _weigh, daily=False),
    Step("what sessions left", _forget),
    Step("the index of recall", _index),
    Step("verify", _verify),
)


def work(home: Home, steps: Sequence[Step] = STEPS, clock: Callable[[], float] = monotonic) -> bool:
    """Do for a home what is due; tell whether it was this process's turn.

    It is not where another process is at it, or something is in the way. `clock` gives seconds.
    """
    make_folder(home.state_dir)
    try:
        with Lock(f"{home.repository.commondir}/{MAINTAIN_FILE}", wait_seconds=0.0):
            memory = Memory(home, lasting=False)
            try:
                if obstacle(home, memory.policy.background.run):
                    return False
                _take(memory, steps, clock)
            finally:
                memory.close()
    except Busy:
        return False
    return True


def _take(memory: Memory, steps: Sequence[Step], clock: Callable[[], float]) -> None:
    """Take the steps that are due, one after the other, until the time is up; the lock is held."""
    home, began, at = memory.home, clock(), now_ms()
    last = last_run(home)
    did: list[str] = []
    due = is_daily_due(last, at)
    if due:
        last = last._replace(daily=at)

    def take(step: Step) -> None:
        """Take one step, noted before: one that kills this process has its next turn behind the others."""
        nonlocal last
        if clock() - began >= SECONDS or obstacle(home):
            return
        tried = (*[one for one in last.tried if one != step.name], step.name)
        tried = tried if step.daily else last.tried
        last = last._replace(doing=step.name, doing_at=now_ms(), tried=tried)
        note_run(home, last)
        try:
            said = step.do(memory)
        except (DiurnaError, OSError) as problem:
            note_fault(home.repository.commondir, f"{step.name}, by itself: {problem!r}")
            said = f"{step.name} failed"
        if said and said not in did:
            did.append(said)

    for rounds in range(_ROUNDS):
        if rounds and not is_stale(home):
            break
        for step in steps:
            if not step.daily:
                take(step)
    turns = {name: place for place, name in enumerate(last.tried)}
    daily = [one for one in steps if one.daily] if due else []
    for step in sorted(daily, key=lambda one: turns.get(one.name, -1)):
        take(step)
    if due or did:
        took = int((clock() - began) * 1000)
        last = last._replace(at=at, took_ms=took, did=tuple(did))
    note_run(home, last._replace(doing="", doing_at=0))


def _main() -> None:
    """Do what is due for the home in the working directory, and be gone in a minute, whatever hangs."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    stay_offline()
    home = discover(working_directory())
    try:
        work(home)
    except (DiurnaError, OSError) as problem:
        note_fault(home.repository.commondir, f"what is due, by itself: {problem!r}")


if __name__ == "__main__":
    _main()
