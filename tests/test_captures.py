"""What boundaries leave: the stories of `tests/hosts/captures.md`, each step with all that comes of it.

Here is looked at rituals.hosts.capture.session_boundary, rituals.hosts.capture.session_choice,
rituals.hosts.capture.session_marks, rituals.hosts.capture.privacy_gates,
rituals.hosts.capture.fact_uses and ledger.wal.kept_asks.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo, Run
from tests.host_door import TALK, Door, Session, door, policy, say
from tests.test_hosts_extraction import GOOD, Model
from tests.test_hosts_told import Stage, steps

__all__ = ["door"]

STORIES = (Path(__file__).parent / "hosts" / "captures.md").read_text(encoding="utf-8")
_HOOKS = {"ends": "end", "precompacts": "precompact", "delegated": "subagent_stop"}
_APART, _SHOWN = ("at", "said", "host", "session"), ("show", "private", "check", "log")
_SAID = (
    "type",
    "session",
    "observed",
    "transcript",
    "shown",
    "told",
    "characters",
    "asked",
    "answered",
)


class Captures(Stage):
    """A clone whose logs, and what hooks left to processes of their own, are looked at after each step."""

    def __init__(self, door: Door, run: Run, patch: pytest.MonkeyPatch) -> None:
        super().__init__(door, run)
        self._patch, self._logs, self._left = patch, set[str](), 0
        self._top, self._own = door.repo.path.parent, door.repo.path / ".git/diurna"
        self._model: Model | None = None

    def session(self, who: str) -> Session:
        """Return a session; with `*` behind it its hooks name its transcript."""
        if who not in self._sessions:
            host, _, _ = who.strip("*").partition("/")
            name = who.strip("*").replace("/", "-")
            more = {"transcript_path": self._transcript(who)} if who.endswith("*") else {}
            self._sessions[who] = self.door.session(host, name, **more)
        return self._sessions[who]

    def _transcript(self, who: str) -> str:
        return f"{self._top}/{who.strip('*').replace('/', '-')}.jsonl"

    def does(self, who: str, verb: str, what: str) -> str:
        """Let somebody do something; return what comes of it, a line each."""
        what = what.replace("{talk}", TALK.strip()).replace("{top}", str(self._top))
        lines: list[str] = []
        if verb in ("hears", "answers"):
            role, now = {"hears": "user"}.get(verb, "assistant"), int(os.environ["DIURNA_NOW"])
            say(Path(self._transcript(who)), what, role=role, timestamp=now)
        elif verb in _HOOKS:
            given = {"reason": "other", "trigger": "auto", **json.loads(what or "{}")}
            self.session(who).hook(_HOOKS[verb], **given)
        elif who == "model":
            self._model = self._model or Model(self.door, self.run, self._patch)
            found = json.loads(what) if what[:1] == "[" else None
            self._model.answers(what if found is None else [GOOD | one for one in found])
        elif who == "policy":
            policy(self.door.repo, f"{verb} {what}".replace("; ", "\n"))
        elif who == "own":
            own = Repo(self._top / "data/diurna/personal")
            own.git("config", "user.name", "Ada")
            own.git("config", "user.email", "ada@example.org")
            policy(own, f"{verb} {what}", "diurna.toml")
        elif who == "you":
            lines = self._did(verb, what)
        else:
            super().does(who, verb, what)
        return "\n".join((*lines, *self._new()))

    def _did(self, verb: str, what: str) -> list[str]:
        path, _, text = what.partition(" ")
        if verb == "lose":
            for one in self._own.rglob(what):
                one.unlink()
        elif verb == "put":
            (self._own / path).parent.mkdir(exist_ok=True)
            (self._own / path).write_text(text)
        elif verb == "are":  # where programs look for it
            self._patch.setenv(path, text)
        elif verb == "see":
            kept = [one for at in what.split() for one in self._own.glob(at)]
            return sorted([f"{one.relative_to(self._own)}{_lines(one)}" for one in kept])
        elif verb == "capture":
            return self._captured(shlex.split(what))
        else:
            ran = self.run(verb, *shlex.split(what))
            assert ran.code == 0, ran.err
            shown = (ran.err or ran.out).replace(str(self._top), "..")
            return shown.split("\n") if verb in _SHOWN else []
        return []

    def _captured(self, words: list[str]) -> list[str]:
        """Return what became of sessions; `--of WHO` names one, and its transcript."""
        if words[:1] == ["--of"]:
            mine, path = self.session(words[1]), self._transcript(words[1])
            words[:2] = ["--host", mine.host, "--session", mine.id, "--transcript", path]
        found = self.run("capture", *words, "--json").json
        if "error" in found:
            return [str(found["error"]["message"]).replace(str(self._top), "..")]
        return [line for one in found["sessions"] for line in _outcome(one)] or ["nothing new"]

    def _new(self) -> list[str]:
        """Return the boundaries that hooks started, and the logs that came."""
        left, self._left = self.door.left[self._left :], len(self.door.left)
        lines = [f"$ {' '.join(one)}".replace(str(self._top), "..") for one in left]
        every = {one.stem: one for one in self._top.rglob("2026-*-*-*")}
        texts = [every[name].read_text() for name in every.keys() - self._logs]
        # some are of one moment
        told = sorted([_told(text) for text in texts if "\nhost: " in text])
        self._logs |= every.keys()
        return [*lines, *(line for log in told for line in log)]


def _lines(file: Path) -> str:
    """Return how many lines a file of lines has."""
    return f" {len(file.read_bytes().splitlines())}" if file.suffix == ".jsonl" else ""


def _outcome(one: dict[str, Any]) -> list[str]:
    """Return why nothing came of a session, and the attempts, with what is not 0 of them."""
    lines = [one["said"]] * bool(one["said"])
    for attempt in one["attempts"]:
        told = {key: value for key, value in attempt.items() if value and key not in _APART}
        outcome, why, by = told.pop("outcome"), told.pop("why"), told.pop("extractor", "")
        counts = [f"{value} {key}" for key, value in told.items()]
        lines.append(", ".join((f"{outcome} ({why}, {by})", *counts)))
    return [f"{one['host']} {one['session']}: {line}" for line in lines]


def _told(text: str) -> list[str]:
    """Return what a log is of, with what its header says, and its headings and events."""
    pairs = dict(re.findall(r"(?m)^(\w+): (.*)$", text.partition("\n---\n")[0]))
    pairs["observed"] = pairs.get("observed", "").rpartition(" ")[2]
    pairs["characters"] = re.sub(r"\d+", "#", pairs.get("characters", ""))
    said = ", ".join(f"{key} {pairs[key]}" for key in _SAID if pairs.get(key))
    title = re.findall(r"(?m)^# (.*)$", text)[0]
    return [f"{title} ({said})", *re.findall(r"(?m)^(?:###|>|- Created:|- Ref\w+:) .*$", text)]


@pytest.mark.parametrize("story", STORIES.split("\n## ")[1:], ids=lambda story: story[:40])
def test_what_comes_of_a_boundary(
    door: Door, run: Run, monkeypatch: pytest.MonkeyPatch, story: str
) -> None:
    """Each step is followed by exactly the lines below it: attempts, logs, their events, processes."""
    stage = Captures(door, run, monkeypatch)
    for minute, who, verb, what, expected in steps(story):
        door.at(float(minute))
        came = [one for one in stage.does(who, verb, what).split("\n") if one]
        assert came == expected, (minute, who, verb, what)
    assert signal.alarm(0) == 0  # no limit of time is left behind
