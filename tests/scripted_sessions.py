"""Scripted sessions of people and agents, as transcripts of hosts, with what is to be found in them.

`tests/sessions/*.txt`: a session begins with `=== NUMBER HOST: what it is about`, a turn with `U| ` (a person), `A| ` (an
agent) or `T| ` (a tool), and goes on to the next one. `{{D:…}}` marks a decision, `C` a correction, `P` a preference,
`O` what is left open; everything else is noise. Sessions with an even number are held out: nothing is tuned
by looking at them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rituals.hosts.extraction.items import Item
from rituals.hosts.transcripts.slices import Slice, read_slice

FOLDER = Path(__file__).parent / "sessions"
#: As which kinds of facts each may be found.
KINDS = {
    "D": {"decision", "convention"},
    "C": {"decision", "fact", "convention", "preference", "invariant"},
    "P": {"preference", "convention"},
    "O": {"thread"},
}
_MARK = re.compile(r"\{\{([DCPO]):(.*?)\}\}", re.DOTALL)


class Plant(NamedTuple):
    """What is to be found: its category, the number of its turn, and its words."""

    category: str
    turn: int
    text: str


class Script(NamedTuple):
    """A session: (role, text) of each turn, and what is planted in it."""

    number: int
    host: str
    title: str
    turns: tuple[tuple[str, str], ...]
    plants: tuple[Plant, ...]

    @property
    def is_held_out(self) -> bool:
        """Nothing is tuned by it."""
        return self.number % 2 == 0


def scripts() -> list[Script]:
    """All sessions, by number."""
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for part in path.read_text().split("=== ")[1:]:
            head, _, body = part.partition("\n")
            about, _, title = head.partition(": ")
            number, host = about.split()
            turns: list[tuple[str, str]] = []
            plants: list[Plant] = []
            for place, text in enumerate(re.split(r"^(?=[UAT]\| )", body, flags=re.MULTILINE)[1:]):
                said = text[3:].strip()
                plants += [Plant(mark[1], place, mark[2]) for mark in _MARK.finditer(said)]
                turns.append((text[0], _MARK.sub(r"\2", said)))
            found.append(Script(int(number), host, title, tuple(turns), tuple(plants)))
    return sorted(found)


def written(script: Script, folder: Path) -> tuple[Slice, list[int]]:
    """Write a session as its host would, and read it.

    Returns:
        The slice, and at which byte each turn's line starts.
    """
    path = folder / f"{script.number}.jsonl"
    starts, at = [], 0
    with path.open("wb") as file:
        for place, (role, text) in enumerate(script.turns):
            starts.append(at)
            line = json.dumps(_LINES[script.host](role, text, str(place))).encode() + b"\n"
            at += file.write(line)
    found = read_slice(script.host, str(path), 0)
    assert found is not None and found.end == at
    return found, starts


def _claude(role: str, text: str, name: str) -> dict[str, Any]:
    kind = "user" if role == "U" else "assistant"
    block = {"type": "tool_use", "name": text} if role == "T" else {"type": "text", "text": text}
    return {"type": kind, "uuid": name, "message": {"role": kind, "content": [block]}}


def _codex(role: str, text: str, name: str) -> dict[str, Any]:
    kind = "user" if role == "U" else "assistant"
    block = {"type": "input_text" if role == "U" else "output_text", "text": text}
    item = {"type": "message", "id": name, "role": kind, "content": [block]}
    return {
        "type": "response_item",
        "payload": {"type": "function_call", "name": text} if role == "T" else item,
    }


def _copilot(role: str, text: str, name: str) -> dict[str, Any]:
    if role == "U":
        return {"type": "user.message", "data": {"content": text}}
    said = {"content": "", "toolRequests": [{"name": text}]} if role == "T" else {"content": text}
    return {"type": "assistant.message", "data": {"messageId": name, **said}}


def _gemini(role: str, text: str, name: str) -> dict[str, Any]:
    said = {"content": "", "toolCalls": [{"name": text}]} if role == "T" else {"content": text}
    return {"id": name, "type": "user" if role == "U" else "gemini", **said}


def _qwen(role: str, text: str, name: str) -> dict[str, Any]:
    part = {"functionCall": {"name": text}} if role == "T" else {"text": text}
    return {
        "type": "user" if role == "U" else "assistant",
        "uuid": name,
        "message": {"parts": [part]},
    }


_LINES = {"claude": _claude, "codex": _codex, "copilot": _copilot, "gemini": _gemini, "qwen": _qwen}


class Score(NamedTuple):
    """How well items match what was planted: planted, given, right ones; what was missed and made up."""

    planted: int
    given: int
    right: int
    missed: tuple[Plant, ...]
    noise: tuple[Item, ...]

    @property
    def recall(self) -> float:
        """The part of what was planted that was found."""
        return self.right / self.planted

    @property
    def precision(self) -> float:
        """The part of what was found that was planted."""
        return self.right / self.given

    def __add__(self, other: object) -> Score:
        """Sum up."""
        assert isinstance(other, Score)
        return Score(
            self.planted + other.planted, self.given + other.given, self.right + other.right,
            self.missed + other.missed, self.noise + other.noise,
        )  # fmt: skip


def score(script: Script, starts: Sequence[int], items: Sequence[Item]) -> Score:
    """Match items with what was planted, each once: of its kind, in its turn, most of its words."""
    missed, noise = list(script.plants), []
    for item in items:
        for plant in missed:
            if (
                item.kind in KINDS[plant.category]
                and item.at == starts[plant.turn]
                and _is_alike(item.quote, plant.text)
            ):
                missed.remove(plant)
                break
        else:
            noise.append(item)
    right = len(script.plants) - len(missed)
    return Score(len(script.plants), len(items), right, tuple(missed), tuple(noise))


def _is_alike(quote: str, planted: str) -> bool:
    one, other = (set(re.findall(r"\w+", text.lower())) for text in (quote, planted))
    least = 0.4 if one <= other or other <= one else 0.6
    return len(one & other) >= least * max(len(one), len(other))
