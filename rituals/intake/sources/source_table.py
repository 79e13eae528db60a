"""List every source that `diurna import` reads: a new one is one row here, and its module.

A module has two functions. `places(ground)` names what lies where the tool keeps it by default and
belongs to this project; it opens nothing of another one. `read(place, ground, left)` yields the items of
one place, never writes there, bounds what it takes (`rituals.intake.sources.source_files`), and adds to
`left` what it passes over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType

from ledger.model.record import Record
from rituals.intake.intake_items import LeftOut, Reading


class Ground(Record):
    """Where a project lies, and what its user's tools go by."""

    project: str  #: the top of the work tree, an absolute path
    user: str  #: the user's home folder
    #: of the environment, some of which say where a tool keeps its data
    variables: Mapping[str, str]


class Source(Record):
    """One tool that memories come from."""

    name: str  #: what the user types, and the header `source` of the log
    lies: str  #: where it keeps them, as the help says it
    does: str  #: what is read, in at most 60 characters

    def reader(self) -> ModuleType:
        """Load the module that reads it."""
        return import_module(f"rituals.intake.sources.{self.name.replace('-', '_')}")


#: In the order of the help.
SOURCES = (
    Source(
        "claude", "~/.claude/projects/PROJECT/memory, CLAUDE.md",
        "Claude Code's auto memory of this project, and CLAUDE.md",
    ),
    Source(
        "codex", "~/.codex/memories/MEMORY.md",
        "Codex's memories, as far as they apply to this project",
    ),
    Source(
        "claude-mem", "~/.claude-mem/claude-mem.db",
        "decisions, discoveries and causes of bugs of this project",
    ),
    Source(
        "basic-memory", "the project's folder of notes",
        "observations and relations of its notes, and short notes",
    ),
    Source(
        "memorize", "~/.memorize/projects/ID",
        "memories, accepted decisions, rules and open tasks",
    ),
    Source(
        "mem0", "the folder of its history.db",
        "memories with their earlier texts, and who they are of",
    ),
    Source("memoryforge", ".mind", "MemoryForge's decisions, and what is open in .mind"),
    Source("memex", "life, .memory-3layer", "the facts of items.json, daily notes, MEMORY.md"),
    Source("openmemory", "an export that you name", "OpenMemory's export: its zip, or a file of it"),
    Source("jsonl", "a file that you name", "JSON lines, an object each: its text, and what else it has"),
)  # fmt: skip


#: Tools that keep what they know in documents of the repository, and where: these are harvested.
DOCUMENTS = {
    "cursor": (".cursor/rules", ".cursorrules"),
    "cline": ("memory-bank", ".clinerules"),
    "roo": ("memory-bank", ".roo"),
    "windsurf": (".windsurf", ".windsurfrules"),
    "copilot": (".github/copilot-instructions.md", ".github/instructions"),
    "agents": ("AGENTS.md",),
}


def source_named(name: str) -> Source | None:
    """Return a source by its name, None where there is none of it."""
    return next((one for one in SOURCES if one.name == name), None)


def read_source(
    source: Source, named: Sequence[str], ground: Ground
) -> tuple[Reading, tuple[str, ...]]:
    """Read a source: the absolute paths that were named, or else the places where it lies by default.

    Returns:
        What it brought, and the places that were read.
    """
    reader = source.reader()
    places: tuple[str, ...] = tuple(named) or reader.places(ground)
    left = list[LeftOut]()
    items = [item for place in places for item in reader.read(place, ground, left)]
    return Reading(source.name, tuple(items), tuple(left)), places
