"""The planted set in full: kinds of secrets, the places of a log they stand in, and how they are disguised."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ledger.model.event import FactCreated, FactReferenced
from ledger.model.session import SessionLog
from tests.planted_kinds import Make
from tests.planted_secrets import Draw

Disguise = Callable[[str], str]


def _split(value: str, by: str) -> str:
    """Put something into a value twice, near its front and behind its midst; into a short one once."""
    if len(value) < 20:
        return value[: len(value) // 2] + by + value[len(value) // 2 :]
    first, second = min(7, len(value) // 3), len(value) * 3 // 5
    return value[:first] + by + value[first:second] + by + value[second:]


def _each(value: str, form: Callable[[str], str]) -> str:
    """Write every fifth character of a value in another form."""
    return "".join([form(char) if at % 5 == 1 else char for at, char in enumerate(value)])


DISGUISES: dict[str, Disguise] = {
    "plain": lambda value: value,
    "ansi": lambda value: _split(value, "\x1b[1;31m"),
    "markdown": lambda value: "".join(
        [f"\\{char}" if char in "_-.!#*+~" else char for char in value]
    ),
    "zero-width": lambda value: _split(value, "\u200b"),
    "soft-hyphen": lambda value: _split(value, "\u00ad"),
    "wrapped": lambda value: _split(value, "\n"),
    "unicode-escapes": lambda value: _each(value, lambda char: f"\\u{ord(char):04x}"),
    "entities": lambda value: _each(value, lambda char: f"&#{ord(char)};"),
    "concatenated": lambda value: _split(value, '" + "'),
}
#: What a place makes of a snippet; where it is on one line, no wrapped value stands there.
ONE_LINE = ("title", "footer", "remark", "header", "table")


class Planted(NamedTuple):
    """One secret in one place: `parts` of the value as they stand in the text."""

    kind: str
    place: str
    disguise: str
    snippet: str
    parts: tuple[str, ...]


def plant(kind: str, make: Make, place: str, disguise: str, draw: Draw) -> Planted:
    """Draw a secret, disguise it and put it into its snippet."""
    snippet, value = make(draw)
    said = DISGUISES[disguise](value)
    if disguise == "concatenated":
        snippet = _quoted(snippet)
    if place == "url" and snippet == "@@":
        snippet = "https://x.test/a?t=@@&n=1"
    if place == "table":
        snippet = f"| key | {snippet} |"
    if place == "code":
        snippet = f"```sh\nexport A=1\n{snippet}\n```"
    return Planted(kind, place, disguise, snippet.replace("@@", said), _parts(value, disguise))


def _quoted(snippet: str) -> str:
    """Put the word of a snippet that holds the value into quotes, where it has none."""
    at = snippet.index("@@")
    start = 1 + max([snippet.rfind(char, 0, at) for char in " \"'`|"])
    if "://" not in snippet[start:at] and "${" not in snippet[start:at]:
        start = max(start, 1 + max([snippet.rfind(char, 0, at) for char in "={"]))
    end = min(
        [stop for stop in (snippet.find(char, at) for char in " \"'`|,;") if stop >= 0]
        or [len(snippet)]
    )
    if snippet[start - 1 : start] in ('"', "'", "`") and start:
        return snippet[: start - 1] + '"' + snippet[start:end] + '"' + snippet[end + 1 :]
    return f'{snippet[:start]}"{snippet[start:end]}"{snippet[end:]}'


def _parts(value: str, disguise: str) -> tuple[str, ...]:
    """Return what of a value must not be left: all of it, or each piece of some length."""
    if disguise in ("unicode-escapes", "entities", "markdown", "plain"):
        said = DISGUISES[disguise](value)
        return (said, said[len(said) // 2 :][:24])
    pieces = sorted(_split(value, "\0").split("\0"), key=len)
    return (pieces[-1], *[piece for piece in pieces[:-1] if len(piece) > 7])


PLACES = ("title", "prose", "text", "footer", "remark", "header", "code", "table", "url")


def logs(kinds: dict[str, Make], seed: int) -> list[tuple[SessionLog, list[Planted]]]:
    """Make logs that hold each kind in each disguise in each place: one log for each kind and disguise."""
    draw = Draw(seed)
    made = []
    for kind, make in kinds.items():
        for disguise in DISGUISES:
            put = {
                place: plant(kind, make, place, disguise, draw)
                for place in PLACES
                if disguise != "wrapped" or place not in ONE_LINE
            }
            made.append((_log(put), list(put.values())))
    return made


def _log(put: dict[str, Planted]) -> SessionLog:
    """Put each secret into its place."""
    said = {place: one.snippet for place, one in put.items()}
    prose = "\n\n".join(
        [said[place] for place in ("prose", "code", "table", "url") if place in said]
    )
    footer = (("source", said["footer"]),) if "footer" in said else ()
    events = (
        FactReferenced("relied-on", remark=said.get("remark", "")),
        FactCreated("born", f"What was found.\n{said['text']}", "", footer),
    )
    header = (("agent", "a"), *((("host", said["header"]),) if "header" in said else ()))
    return SessionLog(header, said.get("title", "A title"), prose, events)


def leftover(log: SessionLog, planted: list[Planted]) -> list[Planted]:
    """Return the secrets of which a part can still be read where it was put."""
    created = log.events[1]
    assert isinstance(created, FactCreated)
    held = {
        "title": log.title,
        "text": created.text or "",
        "footer": repr(dict(created.meta).get("source", "")).replace("\\\\", "\\"),
        "remark": log.events[0].remark,
        "header": log.get("host"),
    }
    return [
        one for one in planted if any(part in held.get(one.place, log.prose) for part in one.parts)
    ]
