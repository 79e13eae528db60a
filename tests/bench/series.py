"""Play one real history through the hooks, and say what memory would have spared its people.

`python -m tests.bench.series SHARED SESSIONS [--answers FOLDER] [--closings FILE] [--objects GIT] [--kept
RUN]` makes a home on a branch, plays each transcript of SESSIONS (`prepare.py` of `SHARED/bench/series`
makes them) as its host would, and prints how many events of `history.py` there a brief, a prompt or a
tool's answer told in time, and what else is measured. With `--answers` it is played once more, and each
question at a stop is answered as is written there; with `--closings` so is what the questions name: a line
is `SESSION QUESTION LINE`, as `9 2 done verubi`, and question 0 is the one of the start. A line is refused,
and counted, where the question did not name each id that it ends. Hooks run in this process and have a
minute each, what they leave to others is done at once, and the clock goes by turns: the table is the same
on every machine. Patterns are loose: `--kept` writes what was told, to be read.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import Repo
from tests.host_door import Door, Session, context
from tests.world import OWN_BRANCH, Place, World

#: Minutes: a call of a tool, from the start of a session to the next one, and a turn.
TOOL_MINUTES, APART, TURN = 1 / 15, 3 * 60, 5
#: What stands for no prompt of a person; tools whose calls a hook hears of.
_HOSTS_OWN = ("<command-", "<local-command", "[Request interrupted", "<task-notification", "<bash-")
_TOOLS = "Bash Edit Write MultiEdit NotebookEdit AskUserQuestion Task Agent".split()
#: A session of so many turns is a long one; so many prompts are a day, and so many days need nothing.
LONG, DAY, DAYS = 6, 60, 5
#: What stands in the place of an item that repeats a person.
WITHHELD = "(not shared)"
WHERE = ("brief", "prompt", "tool")
_ITEM = re.compile(r"^ {0,3}(\d+)[.)] +(\S.*)$")
#: What was asked, session and number of the question -> what is piped into `note`, and which lines end facts.
Answers = Mapping[tuple[int, int], str]
Closings = Mapping[tuple[int, int], Sequence[str]]


class Told(NamedTuple):
    """What an agent was told."""

    session: int  #: number of the session in the history
    turn: int  #: number of the last prompt until then, from 1; 0 for the start
    where: str  #: one of `WHERE`; `question` and `answered` stand beside them
    text: str  #: as the model gets it


class Player:
    """Plays sessions of Claude in a home, one after the other.

    Args:
        place: the home's clone.
        door: its hooks.
        answers: to the questions at stops.
        closings: to what the questions name.
    """

    def __init__(self, place: Place, door: Door, answers: Answers, closings: Closings) -> None:
        self._place, self._door, self._answers, self._closings = place, door, answers, closings
        self._minutes = 0.0
        self.told: list[Told] = []
        #: lines that end what their question did not name
        self.refused: list[str] = []
        #: session -> what was typed; the turns at whose end a question came; what the agent said
        self.typed: dict[int, list[str]] = {}
        self.asked: dict[int, list[int]] = {}
        self.reports: dict[int, list[str]] = {}

    def play(self, number: int, transcript: Path) -> None:
        """Play a session to its end, and commit as a person does behind it."""
        lines = [json.loads(line) for line in transcript.read_text("utf-8").splitlines() if line]
        path = self._open(number, number * APART)
        here, was = str(self._place.folder), lines[0]["sessionId"]
        calls: dict[str, Any] = {}
        report = ""
        with path.open("w", encoding="utf-8") as file:
            for line in lines:
                whole = json.dumps(line).replace(lines[0]["cwd"], here).replace(was, path.stem)
                said = json.loads(whole)
                if typed := _typed(said):
                    self._stop(number, report)
                    report = ""
                    self._prompt(number, typed)
                now = datetime.fromtimestamp(int(os.environ["DIURNA_NOW"]) / 1000, UTC)
                file.write(
                    json.dumps({**said, "timestamp": f"{now:%Y-%m-%dT%H:%M:%S}.000Z"}) + "\n"
                )
                file.flush()
                for block in said["message"]["content"]:
                    if isinstance(block, str):
                        break
                    if block["type"] == "text" and said["type"] == "assistant":
                        report = block["text"]
                        self.reports[number].append(report)
                    elif block["type"] == "tool_use":
                        calls[block["id"]] = block
                    elif block.get("tool_use_id") in calls:
                        self._tool(number, calls[block["tool_use_id"]], block)
        self._stop(number, report)
        self._hook("end", 1, reason="other")
        self._place.write("work.txt", f"{number}\n")
        self._place.commit_all(f"Work of session {number}")
        self._place.run("capture", json=False, code=None)

    def day(self, number: int, prompts: Sequence[str]) -> list[Told]:
        """Start a session in which these are typed and nothing is done; return what it is told."""
        before = len(self.told)
        self._open(number, self._minutes + 60)
        for prompt in prompts:
            self._prompt(number, prompt)
        return self.told[before:]

    def _open(self, number: int, at: float) -> Path:
        """Start a session; return its transcript."""
        id, here = f"{number:08d}-0000-4000-8000-00000000bbbb", str(self._place.folder)
        folder = self._place.world.user / ".claude/projects" / re.sub("[^A-Za-z0-9]", "-", here)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{id}.jsonl"
        path.touch()
        self._minutes = max(self._minutes, at)
        os.environ.update(CLAUDECODE="1", CLAUDE_CODE_ENTRYPOINT="cli", CLAUDE_CODE_SESSION_ID=id)
        self._session = Session(self._door, "claude", id, {"transcript_path": str(path)})
        self.typed[number], self.asked[number], self.reports[number] = [], [], []
        told = context(self._hook("start", 1, source="startup"))
        self._tell(number, "brief", told)
        self._answer(number, 0, told.partition("These overlap")[2])
        return path

    def _hook(self, meaning: str, minutes: float, **said: object) -> bytes:
        """Call a hook; then so many minutes pass."""
        self._door.at(self._minutes)
        self._place.clock.now_ms = int(os.environ["DIURNA_NOW"])
        self._minutes += minutes
        return self._session.hook(meaning, **said)

    def _tell(self, number: int, where: str, answer: bytes | str) -> None:
        text = answer if isinstance(answer, str) else context(answer)
        if text.strip():
            self.told.append(Told(number, len(self.typed[number]), where, text))

    def _prompt(self, number: int, typed: str) -> None:
        self.typed[number].append(typed)
        self._tell(number, "prompt", self._hook("prompt", TURN / 2, prompt=typed))

    def _tool(self, number: int, call: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Say how a call ended."""
        if call["name"] not in _TOOLS:
            return
        content = result.get("content") or ""
        out = content if isinstance(content, str) else "\n".join(one["text"] for one in content)
        given = {"tool_name": call["name"], "tool_input": call["input"], "tool_use_id": call["id"]}
        if result.get("is_error"):
            answer = self._hook("failure", TOOL_MINUTES, error=out[:2000], **given)
        else:
            given["tool_response"] = {"stdout": out, "stderr": "", "interrupted": False}
            answer = self._hook("tool", TOOL_MINUTES, **given)
        self._tell(number, "tool", answer)

    def _stop(self, number: int, report: str) -> None:
        """End a turn, where there is one; answer what is asked."""
        if not self.typed[number]:
            return
        ends = {"stop_hook_active": False, "last_assistant_message": report}
        said = json.loads(self._hook("stop", TURN / 2, **ends))
        if said.get("decision") != "block":
            return
        self.asked[number].append(len(self.typed[number]))
        self._tell(number, "question", said["reason"])
        if self._answer(number, len(self.asked[number]), said["reason"]):
            self._hook("stop", 1, stop_hook_active=True, last_assistant_message="Noted.")

    def _answer(self, session: int, question: int, asked: str) -> bool:
        """Answer a question as it says; tell whether there is an answer."""
        lines = [self._answers.get((session, question), "")]
        for line in self._closings.get((session, question), ()):
            ids = re.findall(r"[\w-]+", re.sub(r"^(done|wrong) | -> .*", "", line))
            known = all(re.search(rf"(?<![\w-]){id}:", asked) for id in ids)
            (lines if known else self.refused).append(line)
        answer = "\n".join(filter(None, lines))
        if answer:
            said = re.search(r"diurna (note --agent [\w-]+)", asked)
            words = said[1].split() if said else ["note"]
            done = self._place.run(*words, stdin=answer, json=False, code=None)
            self._tell(session, "answered", f"{answer}\n=> {done}")
        return bool(answer)


def _typed(said: Mapping[str, Any]) -> str:
    """Return what a person typed, "" where a line of a transcript is anything else."""
    text = said["message"]["content"]
    if said["type"] != "user" or not isinstance(text, str) or text.lstrip().startswith(_HOSTS_OWN):
        return ""
    return text.strip()


# ---- what is made of it --------------------------------------------------------------------------------


def units(text: str) -> Iterator[str]:
    """Yield what stands together in a text, an item with what goes on below it, in lower case."""
    held: list[str] = []
    for line in [*text.lower().split("\n"), ""]:
        if held and (not line.strip() or line.startswith(("- ", "#", "<"))):
            yield "\n".join(held)
            held = []
        if line.strip():
            held.append(line)


def told_of(event: Sequence[Any], player: Player) -> dict[str, str]:
    """Return where an event was told, and the words: before a person said it, or in the turn of its error."""
    number, kind, _, _, keys, _, fragment = event
    typed = player.typed.get(number, [])
    last = next((at for at, one in enumerate(typed, 1) if fragment in one.lower()), len(typed))
    last -= kind.startswith("user")
    found: dict[str, str] = {}
    for one in player.told:
        if one.session == number and one.turn <= last and one.where in WHERE:
            for unit in units(one.text):
                if all(re.search(key, unit) for key in keys):
                    found.setdefault(one.where, unit)
    return found


def numbered(text: str) -> list[set[tuple[int, str]]]:
    """Return the numbered lists of a text, each as its items' numbers and first words."""
    found: list[set[tuple[int, str]]] = []
    last = 0
    for line in text.split("\n"):
        if line.startswith("#"):
            last = 0
        if item := _ITEM.match(line):
            if not last or int(item[1]) <= last:
                found.append(set())
            last = int(item[1])
            found[-1].add((last, item[2][:20].strip()))
    return found


def _lacks(one: set[tuple[int, str]], wholes: Sequence[set[tuple[int, str]]]) -> bool:
    """Tell whether a list lacks an item of each of those that it may be of; what is withheld is there."""
    known = {number for number, text in one if text == WITHHELD}
    return bool(wholes) and all(any(at not in known for at, _ in two - one) for two in wholes)


class Run:
    """A history that was played: `rows` are the table, and `keep` writes all that may be read."""

    def __init__(self, given: argparse.Namespace, answers: Answers, closings: Closings) -> None:
        self._events = runpy.run_path(str(given.shared / "bench/series/history.py"))["EVENTS"]
        lines = (given.shared / "bench/sessions/prompts.jsonl").read_text("utf-8").splitlines()
        foreign = [json.loads(line)["prompt"] for line in lines]
        with tempfile.TemporaryDirectory() as folder, World(Path(folder)) as world:
            place = world.repository("r")
            objects = f"{given.objects.resolve()}/objects\n" if given.objects else ""
            place.write(".git/objects/info/alternates", objects)
            place.init(OWN_BRANCH)
            place.run("install", "claude", json=False)
            place.commit_all("diurna")
            with pytest.MonkeyPatch.context() as patch:
                player = Player(place, Door(Repo(place.folder), patch), answers, closings)
                for transcript in sorted(given.sessions.glob("[0-9]*.jsonl")):
                    player.play(int(transcript.stem), transcript)
                self._asked, self._player = dict(player.asked), player
                self._typed = [one for said in player.typed.values() for one in said]
                self.titles, facts = place.text("log"), place.text("show", "--list")
                self._facts, self._status = facts.splitlines(), place.text("status")
                self._hits = [place.text("recall", "-n", "12", one[5]) for one in self._events]
                self._logs = {stem: log.decode() for stem, log in sorted(place.logs().items())}
                self._day = player.day(90, self._typed[:: max(1, len(self._typed) // DAY)][:DAY])
                days = [foreign[day * DAY :][:DAY] for day in range(DAYS)]
                self._others = [player.day(91 + day, some) for day, some in enumerate(days)]

    def rows(self) -> Iterator[tuple[str, object]]:
        """Yield what was measured."""
        found = [told_of(event, self._player) for event in self._events]
        for where in WHERE:
            yield f"events told in time by the {where}", sum(where in one for one in found)
        yield "events told in time, of all", f"{sum(map(bool, found))} of {len(found)}"
        unasked = [one for day in self._others for one in day if one.where == "prompt"]
        yield "told at a prompt that needs nothing", f"{len(unasked)} of {DAYS * DAY}"
        ran = {
            stem: int(log.partition("\nsession: ")[2][:8] or 0) for stem, log in self._logs.items()
        }
        answered = 0
        for event, answer in zip(self._events, self._hits, strict=True):
            hits = re.split(r"\n(?=\S+(?::\d+)?  )", answer)
            names = [re.split("[: ]", hit)[0] for hit in hits]
            logs = [max([ran[one] for one in ran if one.startswith(name)] or [0]) for name in names]
            before = [hit for hit, log in zip(hits, logs, strict=True) if log < event[0]][:5]
            answered += any(all(re.search(key, hit.lower()) for key in event[4]) for hit in before)
        yield "obvious questions, by the first five hits", f"{answered} of {len(found)}"
        own, *others = [sum(len(one.text) for one in day) for day in (self._day, *self._others)]
        yield f"characters in a day of {DAY} prompts: its own, others", f"{own}, {max(others)}"
        brief = next(one.text for one in self._day if one.where == "brief")
        threads = brief.partition("## Open threads")[2].partition("\n## ")[0].count("\n- ")
        figures = f"{len(self._facts)}; {threads}; {len(brief)}"
        yield "facts; open threads in the brief; its characters", figures
        turns = {session: len(self._player.typed[session]) for session in self._asked}
        long = {one: at for one, at in self._asked.items() if turns[one] >= LONG}
        late = sum(bool(at) and at[-1] >= 0.9 * turns[one] for one, at in long.items())
        yield "long sessions asked behind 90 % of the turns", f"{late} of {len(long)}"
        each = [f"{','.join(map(str, at)) or '-'}/{turns[one]}" for one, at in long.items()]
        yield "when each was asked, of its turns", " ".join(each)
        yield "lines that end what no question named", "; ".join(self._player.refused) or 0
        yield "logs; their characters", f"{len(self._logs)}; {sum(map(len, self._logs.values()))}"
        reports = self._player.reports.values()
        wholes = [one for said in reports for text in said for one in numbered(text)]
        lists = [one for log in self._logs.values() for one in numbered(log)]
        lacking = sum([_lacks(one, [whole for whole in wholes if whole & one]) for one in lists])
        yield "numbered lists that lack an item", f"{lacking} of {len(lists)}"

    def keep(self, folder: Path) -> None:
        """Write what was told, the logs, the facts, and what told each event."""
        folder.mkdir(parents=True, exist_ok=True)
        texts = {f"{stem}.md": log for stem, log in self._logs.items()}
        told = [f"=== {one[0]} {one[1]} {one[2]}\n{one[3]}\n" for one in self._player.told]
        events = [f"{one[0]} {one[2]}\n  {told_of(one, self._player)}\n" for one in self._events]
        texts |= {"told.txt": "\n".join(told), "events.txt": "".join(events)}
        texts["facts.txt"] = "\n".join([*self._facts, "", self._status, self.titles])
        for name, text in texts.items():
            (folder / name).write_text(text)


def main() -> None:
    """Play, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--answers", type=Path, help="to questions: a file SESSION.json each")
    parser.add_argument("--closings", type=Path, help="to what the questions name: see above")
    parser.add_argument("--objects", type=Path, help="git directory with the history's commits")
    parser.add_argument("--kept", type=Path, help="folder for what is to be read")
    given = parser.parse_args()
    files = sorted(given.answers.glob("*.json")) if given.answers else []
    answers = {
        (int(file.stem), int(question)): text
        for file in files
        for question, text in json.loads(file.read_text()).items()
    }
    closings: dict[tuple[int, int], list[str]] = {}
    for line in given.closings.read_text().splitlines() if given.closings else ():
        session, question, said = line.split(" ", 2)
        closings.setdefault((int(session), int(question)), []).append(said)
    plays: dict[str, tuple[Answers, Closings]] = {"without": ({}, {})}
    plays |= {"answers": (answers, closings)} if answers else {}
    for name, play in plays.items():
        run = Run(given, *play)
        print(f"| {name} | |\n|---|---|")
        for what, figure in run.rows():
            print(f"| {what} | {figure} |")
        print(run.titles, flush=True)
        if given.kept:
            run.keep(given.kept / name)


if __name__ == "__main__":
    main()
