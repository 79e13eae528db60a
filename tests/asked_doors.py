"""Every door of a home is asked: each command with each option, each tool of the server, each export, each method.

The commands, tools and methods are those that there are, so a new one is asked by itself; an argument of a
name that nobody wrote down here is a `KeyError`. What a door says is for the test to judge: that a word
stands in none of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ledger.errors import DiurnaError
from memory.api import Memory
from projection.views.view_table import VIEWS
from rituals.cli.app import command_of
from rituals.cli.operation import ENTRIES
from tests.world import Place

#: Commands that do not answer from this ledger, and why.
ELSEWHERE = {
    "init": "makes a home",
    "hook": "is called by git and by hosts",
    "org": "its rows are walked in test_org_worker",
    "mcp": "serves until it is stopped; its tools are asked here",
    "web": "serves until it is stopped; its pages are those of `export site`",
    "install": "writes settings of other programs",
    "completion": "prints a script; what it completes with is read off the cache",
}
#: What stands in the help for the value of an option that is no point of time.
_NO_POINT = frozenset(
    'NAME KIND TIER TAG ROLE TEXT FILE FILE|- ID,… LEVEL FORMAT TYPE PATH SIDE CHARACTERS N REASON "KIND:'
    " OLD=NEW ID SESSION HOST".split()
)
#: Methods of `Memory` that write, or answer nothing of what was said.
_WRITE = frozenset(
    "append drain remake commit_files join absorb absorb_first absorb_committed publish write_projection close open "
    "occasion identity asker kept waiting bring_back hold held append_now put_back write_page".split()
)
Said = Iterator[tuple[object, str]]


class Doors:
    """The doors of a home, and what is asked there.

    Args:
        home: the home.
        fact: the id of a fact that is asked about.
        other: of another one.
        stems: of two logs at least.
        points: of time: stems, beginnings of them, commits.
        words: what is looked for, also misspelled.
        versions: of texts of the fact.
        names: of entities and tags.
    """

    def __init__(
        self, home: Place, *, fact: str, other: str, stems: Sequence[str], points: Sequence[str],
        words: Sequence[str], versions: Sequence[str] = (), names: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.home, self.fact, self.other = home, fact, other
        self.stems, self.points, self.words = stems, points, words
        self.versions, self.names = versions, names or words

    def _path(self, stem: str) -> str:
        (found,) = self.home.folder.rglob(f"{stem}.md")
        return str(found)

    def arguments(self, command: str, name: str) -> list[list[str]]:
        """Return what an argument of a command may be.

        Raises:
            KeyError: nobody wrote that down.
        """
        first, log = self.stems[0], self.stems[-1]
        words = [[word] for word in self.words]
        spans = [f"{self.points[0]}..", f"{first}..{self.points[0]}", f"{self.points[-1]}..{log}"]
        if (command, name) == ("view", "name"):
            name = "view"
        known: Mapping[str, list[list[str]]] = {
            "id": [[self.fact]],
            "ids": [[self.fact], [self.other, self.fact]],
            "targets": [[self.fact], [log]],
            "version": [[one] for one in self.versions] + [["--reason", "Private."]],
            "texts": words,
            "text": [["The vault has another code."]],
            "stems": [[], [first], [log]],
            "patterns": [[], [self.fact], ["*", self.words[0].split()[0]]],
            "query": words,
            "name": [[self.fact], *([one] for one in self.names)],
            "view": [[one] for one in VIEWS],
            "anchor": [[self.fact], [log], *words],
            "what": [[first], [log], [self._path(log)]],
            "range": [[one] for one in spans],
            "file": [[self._path(first)]],  # what is appended is shown as it is
            "files": [[], [self._path(log)]],
            "switch": [["on"], ["off"], []],
            "paths": [[], [str(self.home.folder)]],
            "shell": [["bash"]],
            "action": [["list"]],
            "source": [["jsonl"]],  # what another tool says is not of this memory
            **{key: [[]] for key in ("remote", "findings", "words", "message", "argument", "dir")},
        }
        return known[name]

    def lines(self) -> list[list[str]]:
        """Return every command line: each argument, each option by itself, at each point of time."""
        found: list[list[str]] = []
        for entry in ENTRIES:
            if entry.name not in ELSEWHERE:
                found += self._lines_of(entry.name, command_of(entry.name))
        return found

    def _lines_of(self, name: str, command: click.Command) -> Iterator[list[str]]:
        base: list[list[str]] = [[]]
        options = [one for one in command.params if isinstance(one, click.Option)]
        for one in command.params:
            if isinstance(one, click.Argument):
                values = self.arguments(name, one.name or "")
                base = [[*before, *more] for before in base for more in values]
        required: list[str] = []
        for option in options:
            if option.required:
                required += [option.opts[0], "Private."]
            elif option.name == "dry_run":
                required += ["--dry-run"]
        yield from ([name, *line, *required] for line in base)
        last = base[-1] if name == "recall" else base[0]
        for option in options:
            if option.required or option.name in ("dry_run", "help", "home", "http"):
                continue
            if option.is_flag:
                yield [name, *last, *required, option.opts[0]]
            elif isinstance(option.type, click.Choice):
                for choice in option.type.choices:
                    yield [name, *last, *required, option.opts[0], str(choice)]
            elif _NO_POINT.isdisjoint((option.metavar or "").split()):
                for point in self.points:
                    for line in base:
                        yield [name, *line, *required, option.opts[0], point]
                        yield [name, *line, *required, option.opts[0], point, "--json"]

    def commands(self, lines: Sequence[list[str]]) -> Said:
        """Ask command lines; none fails by a fault of ours."""
        for line in lines:
            ran = self.home.run(*line, code=None, json=False)
            assert ran.code != 3, (line, ran.err)
            yield line, ran.out + ran.err

    def _values(self, name: str) -> list[Any]:
        """Return what a parameter of a tool or a method may be."""
        first, log = self.stems[0], self.stems[-1]
        if name in ("as_of", "since", "until", "start", "end"):
            return list(self.points)
        known: Mapping[str, list[Any]] = {
            "query": list(self.words),
            "fact": [self.fact],
            "id": [self.fact],
            "name": [self.fact, *self.names],
            "ids": [[self.fact], [log]],
            "stem": [first, log],
            "anchor": [self.fact, log],
            "text": [Path(self._path(first)).read_text()],
            "level": ["index", "timeline", "full"],
            "task": list(self.words),
            "kinds": [("thread",)],
            "facts": [()],
            "edited": [("continuity.md",)],
            "title": ["Of no use"],
            "superseded": [True],
            "within": ["facts", "sessions", "docs"],
            "question": [lambda cache: (cache.view(), cache.fact(self.fact), cache.findings())],
        }
        return known.get(name, [])

    def _asked(self, needed: Sequence[str], names: Sequence[str]) -> list[dict[str, Any]]:
        need = {name: self._values(name)[0] for name in needed}
        others = ({**need, name: value} for name in names for value in self._values(name))
        return [need, *(given for given in others if given != need)]

    def tools(self) -> Said:
        """Ask each tool of the server, with each of its parameters."""
        import anyio

        from tests.mcp_clients import connected, open_home

        said: list[tuple[object, str]] = []

        async def story() -> None:
            async with connected(self.home.folder, open_home) as client:
                for tool in (await client.list_tools()).tools:
                    schema = tool.input_schema
                    for given in self._asked(
                        schema.get("required", []), list(schema["properties"])
                    ):
                        result = await client.call_tool(tool.name, given)
                        said.append(((tool.name, given), result.model_dump_json()))

        anyio.run(story)
        assert len(said) > 20
        yield from said

    def methods(self) -> Said:
        """Ask each method of the library, with each of its parameters."""
        with closing(Memory.open(str(self.home.folder))) as memory:
            for name, method in inspect.getmembers(Memory, inspect.isfunction):
                if name.startswith("_") or name in _WRITE:
                    continue
                parameters = list(inspect.signature(method).parameters.values())[1:]
                needed = [one.name for one in parameters if one.default is inspect.Parameter.empty]
                for given in self._asked(needed, [one.name for one in parameters]):
                    try:
                        answer = getattr(memory, name)(**given)
                        if hasattr(answer, "standings"):
                            answer = answer.standings(), answer.view(), answer.findings()
                        yield (name, given), repr(answer)
                    except DiurnaError as problem:
                        yield (name, given), str(problem)

    def exports(self, folder: Path) -> Said:
        """Write the pages and the notes, and read every file of them."""
        for form in ("site", "vault"):
            self.home.run("export", form, str(folder / form), json=False)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield (
                    path.relative_to(folder),
                    f"{path.name}\n{path.read_bytes().decode('utf-8', 'replace')}",
                )


def leaks(said: Said, words: Sequence[str]) -> list[object]:
    """Return the doors that say one of the words, and how."""
    return [(door, text[:200]) for door, text in said if any(word in text for word in words)]
