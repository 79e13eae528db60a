"""Write the text of an answer from its object, by a layout: lines that name fields of it.

`{id:yellow}  {title}[ ({type})]` is a line. It is left out where a field is empty, and so is what stands
in `[]`, where 0 is empty, too. `{!name}` is there where the field is not; true is there without a text.
Behind a name stand, in this order: `#log` counts logs; `~` writes a stem in short; `%16` cuts, `<9` fills
up to so many characters, `>4` sets a text in; `^` takes its first line alone; `|else` stands for an empty
one; `:bold` is the style. Lines that begin with `facts|` are told once for each of the facts, with the
fields of that one (`{}` for what has none, `{n}` its number) over the others; `facts:9|` tells nine and
counts the rest; `!facts|` is for where there are none, `?facts|` once for where there are. A line that
begins with `# ` is a heading, of facts above the first only. A key that begins with `=` is of the text
alone.
"""

from __future__ import annotations

from itertools import groupby

from ledger.model.record import TYPE_CHECKING, cached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from rituals.cli.output import Line, Piece


class Layout(str):
    """How the text of an answer is written from its object."""


def lines_of(
    layout: str, values: Mapping[str, Any], short: Callable[[str], str] = str
) -> Iterator[Line]:
    """Yield the lines of an object; `short` writes a stem as people read it."""
    for part, inner in _parts(layout):
        if part is None:
            for line in inner.split("\n"):
                title = line.removeprefix("# ")
                found = _filled(_parsed(title), values, short, zero=True)
                if (
                    found is None
                    or (title and not found)
                    or (title != line and values.get("n", 1) > 1)
                ):
                    continue
                if title != line:
                    first, *found = found
                    found = ["\n", (first, "bold") if isinstance(first, str) else first, *found]
                yield tuple(found)
            continue
        how, name, most = part
        there = _at(values, name)
        there = bool(there) == (how == "?") if how else there
        rows = there if isinstance(there, list | tuple) else [there] if there else []
        for number, row in enumerate(rows[: int(most)] if most else rows, 1):
            fields = row if isinstance(row, dict) else {}
            yield from lines_of(inner, {**values, "": row, "n": number, **fields}, short)
        if most and len(rows) > int(most):
            yield f"  and {len(rows) - int(most):,} more"


def _at(values: Mapping[str, Any], path: str) -> Any:
    there: Any = values
    for name in path.split(".") if "." in path else (path,):
        there = there.get(name) if there else None
    return there


@cached(256)
def _parts(layout: str) -> list[tuple[tuple[str, str, str] | None, str]]:
    """Return the lines that stand together: of which field each time, None for none, and what they say."""
    told: list[tuple[tuple[str, str, str] | None, str]] = []
    for line in layout.split("\n"):
        said, bar, inner = line.partition("|")
        how = said[:1] if said[:1] in ("!", "?") else ""
        name, _, most = said[len(how) :].partition(":")
        plain = bar and name.strip(".=").replace("_", "a").isalnum()
        told.append(((how, name, most), inner) if plain else (None, line))
    return [
        (part, "\n".join([line for _, line in lines]))
        for part, lines in groupby(told, lambda one: one[0])
    ]


@cached(256)
def _parsed(line: str) -> list[Any]:
    """Return the texts of a line, fields in their parts, and a list of both for what stands in `[]`."""
    found: list[Any] = []
    for number, text in enumerate(line.replace("]", "[").split("[")):
        first, *fields = text.split("{")
        tokens: list[Any] = [first]
        for field in fields:
            said, _, behind = field.partition("}")
            tokens += [_field(said), behind]
        tokens = [one for one in tokens if one]
        found += [tokens] if number % 2 else tokens
    return found


def _field(said: str) -> tuple[str | None, ...]:
    """Return the parts of a field: `!`, name, noun, `~`, how, width, what else or None, style."""
    said, _, style = said.partition(":")
    said, bar, other = said.partition("|")
    how = next((sign for sign in "%<>^" if sign in said), "")
    said, _, width = said.partition(how) if how else (said, "", "")
    said, stem, _ = said.partition("~")
    name, _, noun = said.partition("#")
    absent = name[:1] == "!"
    return "!" * absent, name[absent:], noun, stem, how, width, other if bar else None, style


def _filled(
    tokens: list[Any], values: Mapping[str, Any], short: Callable[[str], str], *, zero: bool
) -> list[Piece] | None:
    """Return the pieces of a line, None where a field of it is empty; `zero` says that 0 is not."""
    found: list[Piece] = []
    for token in tokens:
        if isinstance(token, str):
            found.append(token)
        elif isinstance(token, list):
            found += _filled(token, values, short, zero=False) or ()
        else:
            text = _written(token, values, short, zero=zero)
            if text is None:
                return None
            found.append((text, token[-1]) if token[-1] else text)
    return found


def _written(
    field: tuple[str, ...], values: Mapping[str, Any], short: Callable[[str], str], *, zero: bool
) -> str | None:
    absent, name, noun, stem, how, width, other, _ = field
    there = _at(values, name)
    if absent:
        return None if there else ""
    if not there and not (zero and there == 0 and there is not False):
        if other is None:
            return None
        there = other
    if noun:
        number = there if isinstance(there, int) else len(there)
        return f"{number:,} {noun}{'s' * (number != 1)}"
    if there is True:
        return ""
    text = ", ".join(map(str, there)) if isinstance(there, list | tuple) else str(there)
    text = short(text) if stem else text
    match how:
        case "%":
            text = text[: int(width)]
        case "<":
            text = text.ljust(int(width))
        case "^":
            text = text.partition("\n")[0]
        case ">":
            text = "\n".join([f"{' ' * int(width)}{line}".rstrip() for line in text.split("\n")])
    return text
