"""Go through what Diurna claims of a host: sessions of the real program in one project, and what became of them."""

from __future__ import annotations

import html
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.campaigns.hosts.model import Turn, offered, said
from tests.campaigns.hosts.programs import PROGRAMS
from tests.campaigns.hosts.questions import asked_at_a_stop
from tests.campaigns.hosts.session import SECONDS, Place, Session

#: What the model of the first session decides, and nobody records but the boundary.
DECISION = "Sessions live in Redis, because the web servers share nothing."
#: What the model of the first session records by itself, and says as well.
OWN = "Invoices are numbered per year, because the auditors ask for it."
#: What stands in the files of hosts before Diurna comes.
BEFORE = {
    "AGENTS.md": b"# House rules\n\nBe kind.",
    ".claude/settings.json": b'{\n\t"permissions": {"allow": ["Bash(ls:*)"]},\n\t"hooks": {}\n}\n',
    ".gemini/settings.json": b'{"ui": {"hideTips": true}}',
    ".qwen/settings.json": b'{\r\n  "ui": {},\r\n  "$version": 4\r\n}\r\n',  # else Qwen writes that
    ".codex/config.toml": b"# mine\nhide_agent_reasoning = true\n",
    "opencode.json": b'{ "$schema": "https://opencode.ai/config.json" }\n',
}
#: What is told when it is needed.
_NEEDED = (
    "id=webhooks decision: Webhooks of the payment provider are retried three times, with jitter.",
    "id=no-wc convention: Lines are counted with ripgrep, never wc.",
    "id=whole invariant: `src/main.py` keeps its names, which others import.",
)
#: Where hosts that can deny a command keep their hooks in a project.
_FACTS = 40
_EDITED, _SHARED, _KILLED = "src/pay.py", "src/tax.py", "src/killed.py"


class Journey:
    """The sessions of a host in one project, and the next host's behind them.

    Args:
        folder: empty.
        host: a key of `PROGRAMS`.
        other: another one.
    """

    def __init__(self, folder: Path, host: str, other: str) -> None:
        self.host, self.other = host, other
        self.place = Place(folder)
        self._sessions: list[Session] = []

    def cells(self) -> Iterator[tuple[str, str]]:
        """Go; name each claim with "ok", or with what is wrong or what the host can not."""
        self._prepare()
        for claim, check in CLAIMS.items():
            try:
                yield claim, check(self)
            except Exception as problem:  # noqa: BLE001 - one claim less is no reason to leave the others
                yield claim, f"FAILS: {type(problem).__name__}: {str(problem)[:200]}"

    def _prepare(self) -> None:
        place = self.place
        place.diurna("init")
        facts = [
            f"--new=decision: Service {number} answers within {number} milliseconds, as was promised."
            for number in range(1, _FACTS + 1)
        ]
        place.diurna("append", "--title", "Promises", "--agent", "bob", *facts)
        for name, data in BEFORE.items():
            path = place.top / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        self._start = self._files()
        for host in (self.host, self.other):
            where = ["--user"] if PROGRAMS[host].user else []
            place.diurna("install", host, *where)
            place.warm(host)

    def _files(self) -> dict[str, bytes]:
        """Return all files of the project and of hosts' settings that Diurna may have written."""
        folders = ".claude .codex .copilot .gemini .qwen .agents .opencode .github".split()
        top = self.place.top
        names = [
            top / "AGENTS.md",
            top / "GEMINI.md",
            top / "CLAUDE.md",
            top / ".mcp.json",
            top / "opencode.json",
        ]
        names += [
            path
            for one in folders
            for path in (top / one).rglob("*")
            if "node_modules" not in path.parts
        ]
        names += list((self.place.home / ".copilot").glob("hooks/*"))
        return {str(path): path.read_bytes() for path in names if path.is_file()}

    def run(self, host: str, *turns: Turn, **more: object) -> Session:
        """Run a session, and wait for what it left behind."""
        session = self.place.session(host, *turns, **more)  # type: ignore[arg-type]
        self._sessions.append(session)
        self.place.settle()
        return session

    def brief_is_whole(self) -> str:
        """The first session: it reads, edits, commits, records, decides."""
        host, top = PROGRAMS[self.host], self.place.top
        note = f"diurna note 'decision: {OWN}'"
        self.first = self.run(
            self.host,
            Turn("I look first.", (host.looked(f"{top}/README.md"),), seconds=5),
            *host.recalled("Service 7 promised"),
            Turn("I write it.", (host.written(f"{top}/{_EDITED}", "PAY = 1"),)),
            Turn("I commit and record.", (host.run(f"git add src && git commit -qm pay && {note}"),)),
            Turn(f"Done. {OWN}\n\nDecision: {DECISION}"),
            prompt="Where should sessions live? Decide it, and write the payment module.",
        )  # fmt: skip
        return _whole(self.first)

    def server_answers(self) -> str:
        """The tools of MCP are listed, and `recall` was called and answered."""
        listed = "".join(self.first.told())
        if "recall" not in listed or "append" not in listed:
            return "FAILS: the tools are not listed"
        names = {name for one in self.first.asked for name in offered(one)}
        here = any(name.endswith("recall") for name in names)
        if "recorded memory" not in self.first.last().rpartition("I look first.")[2]:
            return f"FAILS: recall was not answered (offered: {here})"
        return "ok"

    def moments_are_told(self) -> str:
        """A question is answered in the first request, a broken rule and a file in the next, each once."""
        program, place = PROGRAMS[self.host], Place(self.place.folder / "moments")
        place.diurna("init")
        place.diurna("install", self.host, "--no-mcp", *(["--user"] if program.user else []))
        long = " So it was decided, after a long talk about what else could be done." * 40
        place.diurna("note", *[fact + long for fact in _NEEDED])  # none stands whole in a brief
        place.warm(self.host)
        session = place.session(
            self.host,
            Turn("I count.", (program.run("wc -l src/main.py"),)),
            Turn("I count again.", (program.run("wc -c src/main.py"),)),
            Turn("I look.", (program.looked(f"{place.top}/src/main.py"),)),
            Turn("I look again.", (program.looked(f"{place.top}/src/main.py"),)),
            Turn("Done."),
            prompt="How often are webhooks of the payment provider retried?",
        )
        self._sessions.append(session)
        asked = [html.unescape(said(one)) for one in session.asked if offered(one)]
        found = {
            id: [text.count(f"- {id} ({kind}, 20") for text in asked]
            for id, kind in (
                ("webhooks", "decision"),
                ("no-wc", "convention"),
                ("whole", "invariant"),
            )
        }
        # the first look runs `wc` on a file that the last rule constrains, and does not read it
        wanted = {"webhooks": 0, "no-wc": 1, "whole": 3}
        wrong = [
            f"{id} {counts}"
            for id, counts in found.items()
            if counts != [int(number >= wanted[id]) for number in range(len(asked))]
        ]
        return "ok" if len(asked) == 5 and not wrong else f"FAILS: {len(asked)} requests, {wrong}"

    def decision_reaches_another_host(self) -> str:
        """The other host's session begins with what the first one decided."""
        self.place.warm(self.other)
        second = self.run(self.other, Turn("Done."), prompt="What holds?")
        if DECISION in _context(second):
            return "ok"
        self.place.settle()
        self.place.warm(self.other)
        third = self.run(self.other, Turn("Done."), prompt="What holds now?")
        if DECISION in _context(third):
            return "ok, a session later: this host does not tell when a session ends"
        self.place.rest()
        self.run(self.other, Turn("Done."), prompt="What now?")
        self.place.warm(self.other)
        later = self.run(self.other, Turn("Done."), prompt="What now?")
        if DECISION in _context(later):
            return "ok, ten minutes later: this host does not tell when a session ends"
        return f"FAILS: not in the {len(_context(later))} characters that {self.other} was told"

    def collision_is_told_once(self) -> str:
        """Two sessions at once: one hears that the other one changed the file that it works on, one time."""
        host, other, place = PROGRAMS[self.host], PROGRAMS[self.other], self.place
        path, done = place.top / _SHARED, place.folder / "done"

        def change() -> None:
            end = time.monotonic() + SECONDS
            while not path.exists() and time.monotonic() < end:
                time.sleep(0.1)
            turns = Turn("I take it away.", (other.run(f"rm {_SHARED}"),)), Turn("Done.")
            self._sessions.append(place.session(self.other, *turns, prompt="Take it away."))
            done.touch()

        second = threading.Thread(target=change)
        second.start()
        session = place.session(
            self.host,
            Turn("I write it.", (host.written(str(path), "A = 1"),)),
            Turn("I look.", (host.run("git status --short"),), until=done),
            Turn("I commit.", (host.run("git commit -q --allow-empty -m looked"),)),
            Turn("I commit again.", (host.run("git commit -q --allow-empty -m again"),)),
            Turn("Done."),
            prompt="Write the tax module.",
        )
        second.join()
        self._sessions.append(session)
        place.settle()
        lines = session.last().splitlines()
        names = f"- {self.other} ", f"- another {self.other} "
        news = [line for line in lines if line.startswith(names) and _SHARED in line]
        return "ok" if len(news) == 1 else f"FAILS: told {len(news)} times"

    def compaction_keeps(self) -> str:
        """What is said before a compaction reaches the summary, and the checkpoint stands behind it."""
        program = PROGRAMS[self.host]
        if program.silent:
            return f"can not: {program.silent}"
        if program.compact:
            session = self.run(self.host, prompt=program.compact, again=True, aside=_SUMMARY)
        else:
            look = program.run("ls src")
            turns = (Turn("I look.", (look,)), Turn("I look again.", (look,), tokens=program.tokens),
                     Turn("And again.", (look,)), Turn("Done."))  # fmt: skip
            session = self.run(self.host, *turns, prompt="Look again.", again=True, aside=_SUMMARY)
        after = self.run(self.host, Turn("Well."), prompt="Go on.", again=True)
        before = [one for one in session.hooks if one["event"].lower() == "precompact"
                  or one["event"].endswith("compacting")]  # fmt: skip
        if not before:
            return "FAILS: no hook was called before the compaction"
        starts = [_text(one["answer"]) for one in (*session.hooks, *after.hooks)]
        restored = [text for text in starts if "Context restored" in text]
        there = any(text in "".join((*session.told(), *after.told())) for text in restored)
        words = _text(before[0]["answer"])
        summary = not words or any(words.strip() in text for text in session.told())
        if not (summary and there):
            return f"FAILS: in the summary {summary}, restored {bool(restored)}, reaches the model {there}"
        return "ok" if words else "ok, restored; nothing that its hook says reaches the summary"

    def nothing_is_told_twice(self) -> str:
        """What the agent recorded by itself is in memory once, whatever the boundary read."""
        self.place.diurna("capture")
        found = json.loads(self.place.diurna("show", "--list", "--json"))
        texts = [fact["line"] for fact in found["facts"]]
        counts = [sum(one in text for text in texts) for one in (OWN, DECISION)]
        return "ok" if counts == [1, 1] else f"FAILS: {counts[0]} and {counts[1]} times"

    def kill_loses_nothing(self) -> str:
        """The host is killed behind an edit; what it did is in memory once."""
        program, log = PROGRAMS[self.host], self.place.folder
        path = f"{self.place.top}/{_KILLED}"

        def edited() -> bool:
            logs = sorted(log.glob("*/hooks.jsonl"))
            calls = logs[-1].read_text().splitlines() if logs else []
            return any(_KILLED in line and "ool" in json.loads(line)["event"] for line in calls)

        turns = Turn("I write.", (program.written(path, "K = 1"),)), Turn("Done.", seconds=60)
        self.run(self.host, *turns, prompt="Write it.", kill_when=edited)
        self.place.diurna("capture")
        self.place.diurna("capture", "--land")
        found = self.place.git("grep", "-c", _KILLED, "HEAD", "--", "memory/sessions").splitlines()
        lines = sum(int(one.rpartition(":")[2]) for one in found)
        return "ok" if lines == 1 else f"FAILS: {lines} lines in {len(found)} logs"

    def missing_program_disturbs_nobody(self) -> str:
        """Whoever has the files and no `diurna`, or one that knows no hooks, works as if there were none."""
        program, told = PROGRAMS[self.host], "All is well here."
        place = Place(self.place.folder / "without")
        place.diurna("init")
        place.diurna("install", self.host, "--no-mcp", *(["--user"] if program.user else []))
        diurna = place.folder / "bin/diurna"
        for older in (True, False):
            diurna.write_text("#!/bin/sh\necho 'Error: No such command' >&2\nexit 2\n")
            if not older:
                diurna.unlink()
            session = place.session(
                self.host, Turn("I look.", (program.run("ls src"),)), Turn(told)
            )
            said_ = (session.out / "stdout").read_text() + (session.out / "stderr").read_text()
            words = ("diurna: ", "No such command", "Execution blocked", "hook exited")
            wrong = [one for one in words if one.lower() in said_.lower()]
            if told not in said_ or len(session.asked) < 2 or wrong:
                return f"FAILS: {'older' if older else 'missing'}: {len(session.asked)} requests, {wrong}"
        return "ok"

    def uninstall_restores(self) -> str:
        """Every file has the bytes of before, and none is left over."""
        self.place.diurna("install", "--remove")
        self.place.diurna("install", "--remove", "--user")
        found = self._files()
        differs = sorted(set(found.items()) ^ set(self._start.items()))
        mine = [name for name, _ in differs if not _of_the_host(name)]
        return "ok" if not mine else f"FAILS: {', '.join(dict.fromkeys(mine))}"

    def question_is_asked(self) -> str:
        """At a stop worth it, once, and whatever the agent does with it."""
        return asked_at_a_stop(self.place.folder / "asked", self.host)

    def hooks_do_not_fail(self) -> str:
        """Every call of a hook ended with 0, with one object, within its host's time."""
        calls = sum(len(one.hooks) for one in self._sessions)
        failures = [found for one in self._sessions for found in one.failures()]
        if failures:
            return f"FAILS: {len(failures)} of {calls}: {failures[0]}"
        return f"ok ({calls} calls)" if calls else "FAILS: no hook was called"


_SUMMARY = "<summary>What was done so far.</summary>"
CLAIMS: dict[str, Callable[[Journey], str]] = {
    "brief whole": Journey.brief_is_whole,
    "MCP": Journey.server_answers,
    "moments": Journey.moments_are_told,
    "decision in another host": Journey.decision_reaches_another_host,
    "collision once": Journey.collision_is_told_once,
    "compaction": Journey.compaction_keeps,
    "nothing twice": Journey.nothing_is_told_twice,
    "kill": Journey.kill_loses_nothing,
    "without diurna": Journey.missing_program_disturbs_nobody,
    "uninstall": Journey.uninstall_restores,
    "question": Journey.question_is_asked,
    "hooks": Journey.hooks_do_not_fail,
}


def _whole(session: Session) -> str:
    text = _context(session)
    if not text:
        return "FAILS: the start answered nothing"
    if any(text.strip() in one for one in session.told()):
        return "ok"
    return f"FAILS: {len(text)} characters were answered, and did not reach the model whole"


def _context(session: Session) -> str:
    """Return what the start of a session answered."""
    for one in session.hooks:
        if one["event"].lower() == "sessionstart" or one["event"].endswith("system.transform"):
            return _text(one["answer"])
    return ""


def _text(answer: str) -> str:
    """Return the context of an answer."""
    try:
        found = json.loads(answer)
    except ValueError:
        return answer
    inner = found.get("hookSpecificOutput", found)
    return str(inner.get("additionalContext", ""))


def _of_the_host(name: str) -> bool:
    """Tell whether the program itself wrote a file meanwhile."""
    return name.endswith((".gitignore", "package.json", "package-lock.json", "bun.lock"))
