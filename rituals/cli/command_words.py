"""Let a visible command do what another does, by a word of its own: `show --list` runs `ls`.

The table is `command_registry.WAYS`. A word is taken out of the arguments before anything is parsed, and
the other command runs on the rest: it has one body, one answer, and the name that scripts know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import click

from rituals.cli.command_registry import FIRST, WAYS, Way, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    Load = Callable[[str], click.Command | None]

#: The options that every command takes; those of a way stand before them.
_COMMON = "json"


def ways_of(name: str) -> list[Way]:
    """Return the ways of a command whose other command is there."""
    return [way for way in WAYS if way.command == name and find(way.calls[0])]


def does(way: Way) -> str:
    """Say in a line what a way does."""
    entry = find(way.calls[0])
    return way.does or (entry.does if entry else "")


def words_of(name: str) -> dict[str, str]:
    """Return the ways of a command that are no options, each with what it does."""
    return {way.word: does(way) for way in ways_of(name) if way.word[:1].isalpha()}


def with_ways(command: click.Command, name: str) -> click.Command:
    """List the options of a command's ways in its help, and offer them where a shell completes."""
    known = {opt for param in command.params for opt in (*param.opts, *param.secondary_opts)}
    ways = [way for way in ways_of(name) if way.word[:1] == "-" and way.word not in known]
    place = next((at for at, one in enumerate(command.params) if one.name == _COMMON), 0)
    command.params[place:place] = [
        click.Option([way.word], metavar=way.value or None, is_flag=not way.value,
                     expose_value=False, help=does(way))
        for way in ways
    ]  # fmt: skip
    return command


def taken_way(arguments: list[str], load: Load) -> tuple[str, list[str]]:
    """Return what was called, for the help, and the arguments of the command that answers.

    The arguments go from the name of a command on; `load` gives a command by its name.
    """
    name, rest = arguments[0], arguments[1:]
    for way in ways_of(name):
        if way.word and not any(one.partition("=")[0] == way.word for one in rest):
            continue
        for place, word, value in _said(rest, way, load):
            if way.word in (word, FIRST):
                if way.kept:
                    return name, [*way.calls, *rest]
                left = [*rest[:place], *way.calls[1:], *value, *rest[place + 1 :]]
                return f"{name} {word}", [way.calls[0], *left]
    return name, arguments


def values_of(command: click.Command) -> dict[str, int]:
    """Return the options of a command that take values, each with how many."""
    return {
        name: option.nargs
        for option in command.params
        if isinstance(option, click.Option) and not (option.is_flag or option.count)
        for name in option.opts
    }


def _said(rest: list[str], way: Way, load: Load) -> Iterator[tuple[int, str, list[str]]]:
    """Yield what may be the word of a way: where it stands, and the value behind its `=`."""
    takes: dict[str, int] = {}
    for one in (load(way.calls[0]), load(way.command)):
        takes |= values_of(one) if one is not None else {}
    option, skip = way.word[:1] == "-", 0
    for place, argument in enumerate(rest):
        if argument == "--":
            for word in rest[place + 1 : place + 2] if not option else ():
                yield place + 1, word, []
            return
        if skip:
            skip -= 1
            continue
        name, equals, value = argument.partition("=")
        if option or argument[:1] != "-":
            yield place, name, [value] * bool(equals)
        if not option and argument[:1] != "-":
            return  # a word that is no option stands first
        skip = 0 if equals or name == way.word else takes.get(name, 0)
