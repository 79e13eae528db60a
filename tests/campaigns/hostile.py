"""Every command, tool, page and hook on somebody else's ledger: `python -m tests.campaigns.hostile`.

Ledgers of 3,000 facts whose shape is hostile (`tests.hostile_ledgers`) are asked everything: each command that click
knows, bare and with each of its options, those that write on a copy, as well as with `--dry-run`; each tool of the
MCP server; each page of `diurna web` and the site; each event of a host's hooks, on a new cache and a cold one. What
counts is the time of the processor, of the call and its children. None may take more than five seconds, a hook half
a second. Each is asked of half as many facts, too: the table at the end says shape × command, with how often the
time of the half it took, and what went wrong. What answers "no" (1) is listed; any other end is a fault.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from rituals.cli import command_registry
from rituals.cli.command_builder import command_of
from rituals.cli.command_table import TAKES
from rituals.cli.option_table import PLAIN, Option
from tests.bench.ledgers import WORDS
from tests.campaigns.forks import ROOT
from tests.campaigns.homes import git, sealed_environment
from tests.hostile_ledgers import SHAPES, lay

COUNT, SECONDS, HOOK_SECONDS = 3000, 5.0, 0.5
#: Below this a doubling says nothing.
FLOOR_SECONDS = 0.5
#: What ends with 1 where it found an error; all else that does not end with 0 gave no answer.
FINDING = ("check",)
#: A call that takes longer is ended.
_LIMIT_SECONDS = 60
_MADE = re.compile(r"<!-- id: f(\d+)")
Run = Callable[[], object]
#: What is no question to a ledger, or does not end by itself; the pages and the tools are asked by themselves.
SKIPPED = {"web": "--port", "mcp": "", "org": "", "completion": ""}
#: What stands for a parameter, by its metavar or, before that, by command and name; a new one has to be told here.
VALUES: dict[str, tuple[str, ...]] = {
    "ID": ("f1", "f{last}"), "ID|STEM": ("f1", "{stem}"), "[ID|STEM]": ("f1",), "[ID]": ("f1", "f{last}"),
    "ID…": ("f1",), "ID,…": ("f0,f1,f{last}",), "[ID]...": ("f1", "f{last}"), "ID...": ("f1",),
    "ID|STEM...": ("f1", "f{last}"), "IDS": ("f1,f2",), "ID=STATE": ("f1=done",), "ID=EVIDENCE": ("f1=pytest -q: exit 0",),
    "ID[=ROLE]": ("f1=coder",), "OLD=NEW": ("f1=f2", "f{last}=f0"), "ID TEXT": ("f1\0Another text of the queue.",),
    '"KIND: TEXT"': ("decision: We use the queue for orders and the cache 7.",),
    "TEXT": ("the queue and the cache",), "[TEXT]...": ("decision: We use the queue for orders and the cache 7.",),
    "[QUERY]": ("the queue and the cache", "f1", "{word}"),
    "[DATE|ENTITY]": ("2026-09-21",), "[STEM|FILE|-|A..B]": ("{stem}",), "WHEN": ("2026-09-21",), "POINT": ("{stem}",),
    "TIME": ("10000h",), "NAME": ("payments",), "NAMES": ("payments, billing",), "ROLE": ("coder",), "KIND": ("decision",), "TAG": ("billing",),
    "N": ("50",), "CHARACTERS": ("40000",), "STATE": ("todo",), "SIDE": ("1",), "WORD": ("pass",), "TYPE": ("review",),
    "SESSION": ("s1",), "HOST": ("claude",), "PATH": (".",), "[PATH]...": ("{vault}",), "FILE": ("{note}",),
    "[FILE]": ("{note}",), "FILE|-": ("-",), "DIR": ("{out}",), "[DIR]": ("{out}",), "URL": ("https://x.example",),
    "[HOST]...": ("claude",), "FORMAT": ("json",),
    "task action": ("list", "add\0Another text of the queue.", "start\0f1", "move\0f1\0blocked", "done\0f1", "handoff\0f1", "pick"),
    "task words": (), "import source": ("events", "jsonl", "claude"),
    "import paths": (), "view name": ("state", "progress", "decisions", "sessions", "daily", "weekly", "actions",
    "entities", "roles"), "sync remote": (), "conflicts choose": ("1\0f0", "2\0f0"), "conflicts state": ("todo\0f0",), "conflicts text": ("So.\0f0",), "append file": ("{note}",),
    "append from_json": (), "conflicts file": ("{note}\0f0",), "init dir": ("{out}",), "hook event": ("post-merge",), "hook arguments": ("0",),
    "capture why": ("end",), "why id": ("f0", "f1", "f{last}"), "show hops": ("3",), "edit text": ("Another text of the queue.",),
    "review ids": (), "note rule": (), "note path": (), "note symbol": (), "note role": (), "append tokens": ("7",),
    "recall branches": ("main",), "export what": ("events", "vault"),
    "brief task": ("the queue and the cache", "f1", "f{last}"), "check files": ("{note}",), "review accept": (),
    "undo stems": ("{stem}",), "init tree": ("notes",), "note asked": ("How is the queue wired?",), "edit until": ("tag v5*",), "[ID|STEM]...": ("f1", "f{last}"),
}  # fmt: skip
#: What a command or its first argument needs beside it, so as to be no mistake of form.
_WITH = {
    "recall": ("the queue and the cache",), "append": ("--title", "So", "--ref", "f1"), "export vault": ("{out}",), "import events": ("{events}",),
    "import jsonl": ("{items}",), "show --links": ("f1",), "show --about": ("Payments",), "log --changes": ("{first}..{stem}",),
    "review --confirm": ("f1",), **{f"conflicts --{one}": ("f0",) for one in ("resolve", "closed")},
    "check --diff": ("HEAD~1",), "edit --restore": ("--reason", "So."),
    "check --accept": ("unknown-id", "--reason", "So."), "check --unaccept": ("unknown-id", "--reason", "So."),
    "check --accept-all": ("--reason", "So."), "forget --archive": ("--reason", "So."), "forget --back": ("--reason", "So."),
}  # fmt: skip
#: What reads, of a command that writes: it takes no `--dry-run`.
_READING = (
    "task", "task --json", "task list", "export events", "conflicts", "conflicts f1", "conflicts --json",
    "conflicts --agent", "conflicts --title",
)  # fmt: skip


class Call(NamedTuple):
    """One call.

    Args:
        name: as it is told.
        run: does it, in a process of its own.
        copied: it may write, and has a copy of the home.
        limit: of its processor time, in seconds.
    """

    name: str
    run: Run
    copied: bool = False
    limit: float = SECONDS


class Took(NamedTuple):
    """How long a call took, and how it ended.

    Args:
        seconds: of the processor, with its children.
        code: that it ended with; that of a signal is negative.
        answered: whether it did what it was asked for: what is refused at once is not fast.
    """

    seconds: float
    code: int
    answered: bool


class Ledger(NamedTuple):
    """A home with a shape, and what calls need to know of it."""

    folder: Path
    names: dict[str, str]


def ledger_of(top: Path, shape: str, count: int) -> Ledger:
    """Make the home, and the files that calls read."""
    folder = top / "home"
    stems = lay(folder, shape, count)
    git(top, "init", "-q", "--bare", "-b", "main", "hub.git")
    git(folder, "remote", "add", "origin", "../hub.git")
    git(folder, "push", "-q", "-u", "origin", "main")
    with (top / "events.jsonl").open("w") as events:
        asked = [sys.executable, "-P", "-m", "rituals", "export", "events"]
        subprocess.run(
            asked, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=events, check=True
        )
    shutil.rmtree(folder / ".git" / "diurna")  # nothing is known of it yet
    (top / "items.jsonl").write_text(
        "".join([json.dumps({"text": f"The {word} is what it was."}) + "\n" for word in WORDS])
    )
    made = [int(one) for body in SHAPES[shape](count) for one in _MADE.findall(body)]
    (top / "note.md").write_text(
        "# A note\n\nThe queue.\n\n## Memory References\n\n- Referenced: f1\n"
    )
    names = {
        "last": str(max(made, default=0)), "stem": stems[-1], "first": stems[0], "note": str(top / "note.md"),
        "out": str(top / "out"), "vault": str(top / "note.md"),
        "events": str(top / "events.jsonl"), "items": str(top / "items.jsonl"), "word": "webhook",
    }  # fmt: skip
    return Ledger(folder, names)


def command_lines(
    names: dict[str, str], *, options: bool
) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield every command line, and whether it may write: the commands are those that click knows."""
    for entry in command_registry.ENTRIES:
        command = command_of(entry.name)
        params = [one for one in command.params if one.name not in ("home", "no_pager")]
        writes = any(one.name == "dry_run" for one in params)
        if entry.name in SKIPPED:
            continue
        needed = [one for one in params if one.required]
        said = [[entry.name]]
        for one in needed:
            said = [[*line, *more] for line in said for more in _given(entry.name, one, names)]
        bare = [[*line, *_beside(names, *{line[0], " ".join(line[:2])})] for line in said]
        lines = list(bare)
        for one in params:
            if one in needed or one.name == "dry_run":
                continue
            if isinstance(one, click.Argument):
                more = [[*said[0], *words] for words in _given(entry.name, one, names)]
                lines += [[*line, *_beside(names, " ".join(line[:2]))] for line in more]
            elif options or one.name == "json":
                first = [*bare[0], *_mode_of(entry.name, one, names)]
                more = [[*first, *words] for words in _given(entry.name, one, names)]
                lines += [[*line, *_beside(names, f"{entry.name} {line[-1]}")] for line in more]
        for line in lines:
            if line in bare or not writes:
                yield tuple(line), writes
            if writes and " ".join(line[:2]) not in _READING and not _looks(entry.name, line):
                yield (*line, "--dry-run"), False


def _mode_of(command: str, param: click.Parameter, names: dict[str, str]) -> list[str]:
    """Return the option without which another one says nothing, and what that needs."""
    rows = [
        row
        for row in TAKES.get(command, ())
        if isinstance(row, Option) and param.opts[0] in row.name.split()
    ]
    modes = rows[0].goes.split() if rows else []
    if not modes or PLAIN in modes:
        return []
    return [f"--{modes[0]}", *_beside(names, f"{command} --{modes[0]}")]


def _looks(command: str, line: list[str]) -> bool:
    """Tell whether a line is of a mode that writes nothing."""
    rows = [row for row in TAKES[command] if isinstance(row, Option)]
    (dry_run,) = [row for row in rows if row.name == "--dry-run"]
    modes = {row.sets for row in rows if row.key == "mode"} - set(dry_run.goes.split())
    return bool(dry_run.goes) and any(word[2:] in modes for word in line)


def _given(command: str, param: click.Parameter, names: dict[str, str]) -> list[list[str]]:
    """Return the ways in which a parameter stands on a command line."""
    option = [param.opts[0]] if isinstance(param, click.Option) else []
    if isinstance(param, click.Option) and (param.is_flag or param.count):
        return [option]
    choices = [(one,) for one in getattr(param.type, "choices", ())]
    known = VALUES.get(f"{command} {param.name}")
    if known is None and choices:
        known = tuple(str(one) for (one,) in choices if one)
    if known is None:
        known = VALUES.get(param.metavar or (param.name or "").upper())
    if known is None:
        raise AssertionError(
            f"say in VALUES what stands for {command} {param.name} ({param.metavar})"
        )
    return [[*option, *one.format(**names).split("\0")] for one in known]


def _beside(names: dict[str, str], *starts: str) -> list[str]:
    """Return what lines that start so need beside it."""
    return [one.format(**names) for start in starts for one in _WITH.get(start, ())]


def commands(ledger: Ledger, *, options: bool) -> Iterator[Call]:
    """Yield the calls of the command line, as `diurna` starts them."""
    from rituals.cli.app import main

    for line, writes in command_lines(ledger.names, options=options):
        shown = " ".join(line).replace(str(ledger.folder.parent), "…")
        yield Call(shown, partial(_quiet, main, list(line)), writes)


def _quiet(main: Callable[[list[str]], int], line: list[str]) -> object:
    from rituals.cli import fast_path

    code = fast_path.run(line, os.environ)
    return main(line) if code is None else code


def hooks(ledger: Ledger) -> Iterator[Call]:
    """Yield the events of a session of Claude's."""
    from rituals.hosts import hook_answer
    from tests.bench.__main__ import SAID

    for event, said in SAID.items():
        payload = json.dumps(
            {"session_id": "s", "cwd": str(ledger.folder), "hook_event_name": event, **said}
        )

        def run(event: str = event, payload: str = payload) -> None:
            read, write = os.pipe()
            os.write(write, payload.encode())
            os.close(write)
            os.dup2(read, 0)
            sys.stdin = open(0, closefd=False)  # noqa: SIM115
            hook_answer.run("claude", event, os.environ)

        yield Call(f"hook {event}", run, copied=True, limit=HOOK_SECONDS)


def tools(ledger: Ledger) -> Iterator[Call]:
    """Yield questions to the tools of the MCP server."""
    import anyio

    from rituals.serve.mcp.tools import TOOLS
    from tests.mcp_clients import connected, open_home

    last = f"f{ledger.names['last']}"
    asked: dict[str, list[dict[str, object]]] = {
        "brief": [{}, {"task": "f1"}, {"task": "the queue and the cache"}],
        "recall": [
            {"query": "the queue and the cache", "limit": 50, "level": level, "superseded": True}
            for level in ("index", "timeline", "full")
        ],
        "get": [{"ids": ["f0", "f1", last], "level": level} for level in ("timeline", "full")],
        "append": [{"title": "So", "refs": ["f1"], "new": [{"text": "We use the queue for orders and the cache 7."}]}],
        "resolve": [{"id": "f1"}, {"id": "f0", "text": "One text."}],
        "task": [{}, {"action": "pick"}, {"action": "start", "id": "f0"}],
        "learn": [{}],
        "status": [{}],
    }  # fmt: skip

    async def call(tool: str, arguments: dict[str, object]) -> None:
        async with connected(Path.cwd(), open_home) as client:
            await client.call_tool(tool, arguments)

    for tool in TOOLS:
        for arguments in asked[tool.name]:
            run = partial(anyio.run, call, tool.name, arguments)
            yield Call(f"mcp {tool.name} {json.dumps(arguments)[:60]}", run, copied=tool.writes)


def pages(ledger: Ledger) -> Iterator[Call]:
    """Yield the pages, each of a server that has just begun, and the site."""
    from rituals.cli.app import main
    from rituals.serve.web.pages.page_table import ROWS

    last = ledger.names["last"]
    parts = {
        "id": ("f0", "f1", f"f{last}"), "stem": (ledger.names["first"], ledger.names["stem"]),
    }  # fmt: skip
    asked = {
        "/search": ("/search?q=the+queue+and+the+cache",),
        "/timeline": ("/timeline", "/timeline?around=f1", f"/timeline?around=f{last}"),
    }
    for row in ROWS:
        part = row.path.partition("{")[2].rstrip("}")
        addresses = asked.get(row.path) or [row.path.replace(f"{{{part}}}", one) for one in parts.get(part, ("",))]  # fmt: skip
        for address in addresses:
            yield Call(f"page {address}", partial(_get, address))
    yield Call("export site", partial(main, ["export", "site", f"{ledger.names['out']}-site"]))


def _get(address: str) -> None:
    from tests.web_client import client_of

    client_of(Path.cwd()).login().get(address)


def measured(call: Call, home: Path, *, profile: str = "") -> Took:
    """Run a call in a process of its own; return what it and its children took, and how it ended."""
    folder = home
    if call.copied:
        folder = home.parent / "copy"
        shutil.copytree(home, folder, symlinks=True)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code: object = 3
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (_LIMIT_SECONDS, _LIMIT_SECONDS))
            signal.alarm(10 * _LIMIT_SECONDS)  # what waits for ever takes no time
            os.chdir(folder)
            null = os.open(os.devnull, os.O_RDWR)
            for place in (0, 1, 2):
                os.dup2(null, place)
            gc.disable()
            code = _profiled(call.run, profile) if profile else call.run()
        except SystemExit as ended:
            code = ended.code
        finally:
            os._exit(code if type(code) is int else 0)
    _, status, used = os.wait4(child, 0)
    if call.copied:
        shutil.rmtree(folder, ignore_errors=True)
    code = os.waitstatus_to_exitcode(status)
    answered = not code or (code == 1 and call.name.split()[0] in FINDING)
    return Took(used.ru_utime + used.ru_stime, code, answered)


def _profiled(run: Run, path: str) -> object:
    import cProfile

    profiler = cProfile.Profile()
    try:
        return profiler.runcall(run)
    finally:
        profiler.dump_stats(path)


def calls(ledger: Ledger, chosen: argparse.Namespace) -> list[Call]:
    """Return every call whose name has one of some words between bars, behind what makes the cache."""
    cold = Call("cold status", partial(ask, ["status"]))
    warm = Call("recall, the first", partial(ask, ["recall", "queue"]))
    found = [*hooks(ledger), *commands(ledger, options=chosen.options), *tools(ledger), *pages(ledger)]  # fmt: skip
    found = [one for one in found if any(word in one.name for word in chosen.only.split("|"))]
    first = {_command(one): one for one in reversed(found)}
    if chosen.first:
        found = [one for one in found if first[_command(one)] is one]
    return [cold, warm, *found]


def main(arguments: list[str]) -> int:
    """Ask everything of every shape, at half a size and at that size; print a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.hostile", description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--once", action="store_true", help="at that size alone")
    parser.add_argument("--shape", default="", help="words of names of shapes, with | between")
    parser.add_argument("--only", default="", help="words of names of calls, with | between")
    parser.add_argument("--above", type=float, default=SECONDS / 2, help="tell what takes longer")
    parser.add_argument("--first", action="store_true", help="the first form of each command alone")
    parser.add_argument("--options", action="store_true", help="also each option alone")
    parser.add_argument("--profile", default="", help="a file for the profile of the last call")
    chosen = parser.parse_args(arguments)
    counts = (chosen.count,) if chosen.once else (chosen.count // 2, chosen.count)
    table: dict[str, dict[str, Row]] = {}
    for shape in SHAPES:
        if any(word in shape for word in chosen.shape.split("|")):
            rows = _rows(*[_sweep(shape, count, chosen) for count in counts])
            _tell(shape, rows, chosen.above)
            table[shape] = _worst(rows)
    print(*_table(table, chosen.above), sep="\n")
    return any(row.wrong for rows in table.values() for row in rows.values())


class Row(NamedTuple):
    """What a call took of half as many facts, where they were asked, and of all."""

    call: Call
    half: Took | None
    took: Took

    @property
    def wrong(self) -> str:
        """What is wrong with it: it was late, it broke, or the campaign does not know its form."""
        if self.took.seconds > self.call.limit:
            return "LATE"
        broke = self.took.code not in (0, 1)
        return f"ENDED WITH {self.took.code}" if broke and not self.took.answered else ""

    @property
    def told(self) -> str:
        """Its seconds, and how often those of half as many where that says anything."""
        seconds = f"{self.took.seconds:.1f}"
        if self.half is None or self.half.seconds < FLOOR_SECONDS:
            return seconds
        return f"{seconds} ×{self.took.seconds / self.half.seconds:.1f}"


def _rows(*sweeps: list[tuple[Call, Took]]) -> list[Row]:
    halves = [took for _, took in sweeps[0]] if len(sweeps) > 1 else [None] * len(sweeps[0])
    return [Row(call, half, took) for half, (call, took) in zip(halves, sweeps[-1], strict=True)]


def _tell(shape: str, rows: list[Row], above: float) -> None:
    """Print what took long, what went wrong, and what was refused: that says nothing of an answer."""
    for row in rows:
        if row.wrong or row.took.seconds > min(above, row.call.limit):
            print(f"{shape:32} {row.told:>12} s  {row.call.name}  {row.wrong}", flush=True)
    refused = [row.call.name for row in rows if row.took.code == 1 and not row.took.answered]
    print(f"{shape:32} {len(rows)} calls, refused: {', '.join(refused) or 'none'}", flush=True)


def _command(call: Call) -> str:
    """Return the command, tool, page or hook that a call is one form of."""
    words = call.name.split()
    if words[0] == "page":
        return "/" + re.split(r"[/?]", words[1])[1]
    return " ".join(words[:2]) if words[0] in ("hook", "mcp", "cold", "web") else words[0]


def _worst(rows: list[Row]) -> dict[str, Row]:
    """Return of each command the row that is wrong, or slowest."""
    found: dict[str, Row] = {}
    for row in rows:
        name = _command(row.call)
        found[name] = max(found.get(name, row), row, key=lambda one: (bool(one.wrong), one.took.seconds))  # fmt: skip
    return found


def _table(table: dict[str, dict[str, Row]], above: float) -> Iterator[str]:
    """Write shape × command; one that is never slow is no column."""
    names = {name: None for rows in table.values() for name in rows}
    slow = [name for name in names if any(rows[name].wrong or rows[name].took.seconds > above / 2 for rows in table.values() if name in rows)]  # fmt: skip
    yield "| " + " | ".join(["shape", *slow, "all others"]) + " |"
    yield "|---" * (len(slow) + 2) + "|"
    for shape, rows in table.items():
        cells = [rows[name].told + "!" * bool(rows[name].wrong) for name in slow]
        rest = max([row.took.seconds for name, row in rows.items() if name not in slow], default=0)
        yield "| " + " | ".join([shape, *cells, f"≤ {rest:.1f}"]) + " |"
    wrong = sum(bool(row.wrong) for rows in table.values() for row in rows.values())
    yield f"{wrong} of {sum(map(len, table.values()))} cells are wrong (!)"


def _sweep(shape: str, count: int, chosen: argparse.Namespace) -> list[tuple[Call, Took]]:
    top = Path(tempfile.mkdtemp(prefix="diurna-hostile-"))
    os.environ.update(sealed_environment(str(top)))
    try:
        ledger = ledger_of(top, shape, count)
        asked = calls(ledger, chosen)
        return [(one, measured(one, ledger.folder, profile=chosen.profile)) for one in asked]
    finally:
        shutil.rmtree(top, ignore_errors=True)


def ask(line: list[str]) -> object:
    """Answer a command line."""
    from rituals.cli.app import main

    return main(line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
