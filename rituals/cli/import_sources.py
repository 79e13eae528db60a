"""Name what `diurna import` takes: other tools, documents, and what another home exported."""

from __future__ import annotations

import os

import click

from ledger.environment import working_directory
from rituals.cli.command_words import words_of
from rituals.intake.sources.source_table import DOCUMENTS, SOURCES

EVENTS = "events"
_DOES = words_of("import") | {one.name: one.does for one in SOURCES}
NAMES = (*_DOES, *DOCUMENTS, EVENTS)
_WIDTH = max(map(len, NAMES))
LISTED = "\n".join(
    [
        "\b", "Sources:", *[f"  {name:<{_WIDTH}}  {does}" for name, does in _DOES.items()],
        f"  {', '.join(DOCUMENTS)}: the documents in which these keep rules and memory banks",
        f"  {'PATH':<{_WIDTH}}  a document or a folder of them, whatever it is called",
    ]
)  # fmt: skip


class SourceName(click.Choice[str]):
    """One of the names, or a path that is there."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or the path as it was typed."""
        there = value not in self.choices and os.path.exists(
            os.path.join(working_directory(), value)
        )
        return value if there else super().convert(value, param, ctx)
