"""COMMANDS.md, made of the commands: what their help says, and the keys of real answers."""

from __future__ import annotations

import inspect
import textwrap
from typing import TYPE_CHECKING

import click

from rituals.cli.command_builder import command_of, help_of
from rituals.cli.command_registry import GROUPS, Entry, available, shown
from rituals.cli.command_words import with_ways

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: What stands above this line is written by hand.
GENERATED = "<!-- What follows is written by tests/test_commands_page.py. -->\n"
#: What every command takes, or every writer; the head of the page says so.
_COMMON = frozenset(("--json", "--home", "--no-pager", "--help", "--dry-run"))
_WIDTH = 130


def page(head: str, keys: Mapping[str, list[str]]) -> str:
    """Write the page anew.

    `head` is the page as it is, or its beginning; `keys` are of the answers of each command, as
    `tests.command_answers.shape` writes them.
    """
    lines = [head.partition(GENERATED)[0] + GENERATED]
    told: dict[str, str] = {}  # keys, and the first command that has them
    for group in GROUPS:
        lines.append(f"# {group}\n")
        for entry in available():
            if entry.group == group:
                lines += [*_section(entry), *_keys(entry.name, keys.get(entry.name, []), told), ""]
    return "\n".join(lines)


def _section(entry: Entry) -> Iterator[str]:
    command = with_ways(command_of(entry.name), entry.name)
    context = click.Context(command, info_name=f"diurna {entry.name}")
    said, examples = _told(*help_of(entry.name))
    yield f"## {entry.name}\n"
    if shown(entry.name) != entry.name:
        yield f"Today people type `diurna {shown(entry.name)}`.\n"
    yield "\n\n".join(said)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)[1:]])
    yield "\n".join(dict.fromkeys(["```sh", usage, *examples])) + "\n```"
    for option in command.params:
        record = option.get_help_record(context)
        if record and isinstance(option, click.Option) and _COMMON.isdisjoint(option.opts):
            yield f"- `{record[0]}`: {record[1]}"


def _keys(name: str, keys: list[str], told: dict[str, str]) -> list[str]:
    text = "\n".join(keys)
    first = told.setdefault(text, name)
    if not keys or (first != name and len(keys) > 1):
        return [f"\nIts `--json` has the keys of [{first}](#{first})."] * bool(keys)
    return ["```keys", text, "```"]


def _told(*helps: str | None) -> tuple[list[str], list[str]]:
    """Return the paragraphs of a command's help, and its examples."""
    said, examples = [], []
    texts = [inspect.cleandoc(text) for text in helps if text]
    for paragraph in "\n\n".join(texts).split("\n\n"):
        if not paragraph.startswith("\b\n"):
            said.append(textwrap.fill(" ".join(paragraph.split()), _WIDTH, break_on_hyphens=False))
            continue
        title, *lines = paragraph[2:].split("\n")
        if title.startswith("Example"):
            examples += textwrap.dedent("\n".join(lines)).splitlines()
        else:
            said.append("\n".join([title, "", *[f"- {line.strip()}" for line in lines]]))
    return said, examples
