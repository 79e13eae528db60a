"""COMMANDS.md, made of the commands: what their help says, and the keys of real answers."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from rituals.cli.app import command_of
from rituals.cli.operation import ENTRIES, GROUPS, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: What stands above this line is written by hand.
GENERATED = "<!-- What follows is written by tests/test_commands_page.py. -->\n"
#: What every command takes, or every writer; the head of the page says so.
_COMMON = frozenset(("--json", "--home", "--no-pager", "--help", "--dry-run"))
_WIDTH = 130
#: The head of the page has them once for all answers.
_OF_A_FINDING = "findings[]: code, file, hint, line, message, severity"


def page(head: str, keys: Mapping[str, list[str]]) -> str:
    """Write the page anew.

    `head` is the page as it is, or its beginning; `keys` are of the answers of each command, as
    `tests.command_answers.shape` writes them.
    """
    lines = [head.partition(GENERATED)[0] + GENERATED]
    for group in GROUPS:
        lines.append(f"# {group}\n")
        for entry in ENTRIES:
            if entry.group == group:
                lines += _section(entry)
                lines += _keys([(one, keys[one]) for one in keys if one.split()[0] == entry.name])
                lines.append("")
    return "\n".join(lines)


def _section(entry: Entry) -> Iterator[str]:
    command = command_of(entry.name)
    context = click.Context(command, info_name=f"diurna {entry.name}")
    said, examples = _told(command.help or "")
    yield f"## {entry.name}\n"
    yield "\n\n".join(said)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)[1:]])
    yield "\n".join(dict.fromkeys(["```sh", usage, *examples])) + "\n```"
    options = [
        f"`{record[0]}`: {record[1]}"
        for option in command.params
        if isinstance(option, click.Option) and _COMMON.isdisjoint(option.opts)
        if (record := option.get_help_record(context))
    ]
    if options:
        yield textwrap.fill(" · ".join(options), _WIDTH, break_on_hyphens=False)


def _keys(answers: list[tuple[str, list[str]]]) -> list[str]:
    """Return the keys of a command's answers; an object that stands above already is left out."""
    told: set[str] = set()
    lines: list[str] = []
    for name, keys in answers:
        first, *rest = keys
        lines.append(f"{name}{first.removeprefix('.')}")
        alike: dict[str, list[str]] = {}
        for one in rest:
            if one not in told and not one.endswith(_OF_A_FINDING):
                path, _, said = one.partition(": ")
                alike.setdefault(said, []).append(path)
        lines += [f"  {', '.join(paths)}: {said}" for said, paths in alike.items()]
        told.update(rest)
    return ["```keys", *lines, "```"] if lines else []


def _told(help: str) -> tuple[list[str], list[str]]:
    """Return the paragraphs of a command's help, and its examples."""
    said, examples = [], []
    for paragraph in help.split("\n\n"):
        if not paragraph.startswith("\b\n"):
            said.append(textwrap.fill(" ".join(paragraph.split()), _WIDTH, break_on_hyphens=False))
            continue
        title, *lines = paragraph[2:].split("\n")
        if title.startswith("Example"):
            examples += textwrap.dedent("\n".join(lines)).splitlines()
        else:
            said.append("\n".join([title, "", *[f"- {line.strip()}" for line in lines]]))
    return said, examples
