"""Ask the real programs' agents at a stop: they answer, refuse, fail, answer nonsense, are killed, or are alone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from rituals.hosts.adapters import HOSTS, STOP, meaning
from rituals.hosts.stop_request import counts
from tests.campaigns.hosts.model import Turn
from tests.campaigns.hosts.programs import PROGRAMS
from tests.campaigns.hosts.session import Place, Session

#: Worth a question; no program takes it for a loop.
REPORT = " ".join(
    f"Part {n} of the proxy buffers what it gets, so stream {7 * n} was late." for n in range(30)
)
ANSWER = "title: Streams\nlesson: nginx buffers $HOME, because gzip is on.\nuv -> decision: We use uv.\nused cores\n"
NONSENSE = "%%% -> ??: \n- - -\ndone\nthe moon is -> cheese\n"
#: How long a session may take, and how often one is tried: a hook that is late on a busy machine says
#: nothing.
_SECONDS, _TRIES = 45, 3


class _Case:
    """One session in a project of its own."""

    def __init__(self, folder: Path, host: str) -> None:
        self.host, self.program = host, PROGRAMS[host]
        self.place = Place(folder)
        self.place.diurna("init")
        self.place.diurna(
            "note", "id=uv decision: We use pip.", "id=cores CI has two cores.", "--agent", "bob"
        )
        self.place.diurna("install", host, "--no-mcp", *(["--user"] if self.program.user else []))
        self.place.warm(host)

    def run(
        self, *turns: Turn, stops: int = 2, attended: bool = True, again: bool = False
    ) -> Session:
        """Run a session until so many stops were answered; 0 for one that was asked."""
        since, before = time.monotonic(), len(self._stops())

        def over() -> bool:
            found = self._stops()[before:]
            done = any("block" in one for one in found) if not stops else len(found) >= stops
            return done or time.monotonic() - since > _SECONDS

        session = self.place.session(
            self.host, *turns, attended=attended, kill_when=over, again=again
        )
        self.place.settle()
        return session

    def _stops(self) -> list[str]:
        found = []
        for log in sorted(self.place.folder.glob("[0-9][0-9]-*/hooks.jsonl")):
            for line in log.read_text().splitlines():
                one = json.loads(line)
                if meaning(one["host"], one["event"]) == STOP:
                    found.append(one["answer"])
        return found

    @property
    def asked(self) -> tuple[int, int, int]:
        """How often the program heard the question; how often it was asked and answered, as is noted."""
        blocks = sum("block" in one for one in self._stops())
        folder = self.place.top / ".git/diurna/captured"
        stem = next((one.stem for one in folder.glob("*.asked")), f"{self.host}-")
        return blocks, *counts(str(self.place.top / ".git"), self.host, stem.partition("-")[2])

    @property
    def facts(self) -> str:
        """What memory holds."""
        return self.place.diurna("show")

    def note(self, said: str) -> Turn:
        """Return the turn in which the agent answers."""
        return Turn("", (self.program.run(f"diurna note <<'END'\n{said}END\n"),))


def _answers(case: _Case) -> bool:
    case.run(Turn(REPORT), case.note(ANSWER), Turn("Recorded."))
    there = "nginx buffers $HOME, because gzip is on." in case.facts and "We use uv." in case.facts
    return there and "We use pip." not in case.facts and case.asked == (1, 1, 1)


def _refuses(case: _Case) -> bool:
    case.run(Turn(REPORT), Turn("I will not."))
    return case.asked == (1, 1, 0)


def _says_nothing(case: _Case) -> bool:
    case.run(Turn(REPORT), case.note("nothing\n"), Turn("Nothing."))
    return case.asked == (1, 1, 1) and case.facts.count("<!-- id:") == 2


def _fails(case: _Case) -> bool:
    case.run(
        Turn(REPORT), Turn("", (case.program.run("diurna-that-is-not-there"),)), Turn("It failed.")
    )
    return case.asked == (1, 1, 0)


def _talks_nonsense(case: _Case) -> bool:
    case.run(Turn(REPORT), case.note(NONSENSE), Turn("There."))
    return case.asked == (1, 1, 1) and "We use pip." in case.facts


def _is_killed(case: _Case) -> bool:
    case.run(Turn(REPORT), Turn("Late.", seconds=60), stops=0)
    asked = case.asked
    case.run(Turn("A short one."), stops=1, again=True)
    return asked == case.asked == (1, 1, 0)


def _is_alone(case: _Case) -> bool:
    session = case.run(Turn(REPORT), stops=9, attended=False)
    return session.code == 0 and case.asked[:2] == (0, 0)


CASES: dict[str, Callable[[_Case], bool]] = {
    "answers": _answers, "refuses": _refuses, "nothing": _says_nothing, "fails": _fails,
    "nonsense": _talks_nonsense, "killed": _is_killed, "alone": _is_alone,
}  # fmt: skip


def asked_at_a_stop(folder: Path, host: str) -> str:
    """Return "ok", or what is wrong of the sessions of a host in which the agent is asked."""
    if not HOSTS[host].asks:
        return "can not: its stop takes no question"
    wrong = []
    for name, check in CASES.items():
        tries = (_Case(folder / f"{name}-{number}", host) for number in range(_TRIES))
        if not any(check(case) for case in tries):
            wrong.append(name)
    return "ok" if not wrong else f"FAILS: {', '.join(wrong)}"
