"""Diurna beside what else people use: `python -m tests.bench.peers [--folder KEPT] [--shared SHARED]`.

Installs the peers of `peers.toml`, each into a folder of its own, lets each have 1,000 and 10,000 facts of made-up
words, and prints a table. Times are processor time of all processes of a call, taken in turn, medians. A peer that
can not be installed is skipped and says why; so is the quality of answers where `SHARED/bench/facts` is not there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

from memory.api import Memory
from tests.bench.__main__ import ROOT
from tests.bench.organisations import speaker
from tests.bench.recall import MERCURY, ledger_of, questions_of
from tests.bench.web import processor_seconds, rss_mib

Peer = dict[str, Any]  #: a table of `peers.toml`, with its `name`
Fact = tuple[str, str]  #: a name, and a text that begins with it
#: Seconds of the processor, and what came of it.
Ran = tuple[float, subprocess.CompletedProcess[str]]
SIZES = (1_000, 10_000)
CALLS, WRITERS, EACH, KILLS, APART = 20, 8, 12, 20, 5
_MOST_SECONDS = 1_800  #: for an installation, and for a call
_PERSON = "[user]\nname = Bench\nemail = bench@example.invalid\n[init]\ndefaultBranch = main\n"


def mib(folder: Path) -> float:
    """Return the mebibytes that a folder takes on the disk."""
    return sum(one.lstat().st_blocks for one in folder.rglob("*")) / 2048


def filled(given: Any, names: dict[str, Any]) -> Any:
    """Return a value of `peers.toml` with the words in braces filled in."""
    if isinstance(given, dict):
        return {key: filled(value, names) for key, value in given.items()}
    if isinstance(given, list):
        return [filled(value, names) for value in given]
    return given.format(**names) if isinstance(given, str) else given


def install(peer: Peer, folder: Path) -> str:
    """Install a peer where it is not there yet, Diurna always; return its version and its MB.

    Raises:
        subprocess.SubprocessError: it can not be installed.
    """
    kept, package = folder / "installed.txt", peer.get("package", "")
    if not package or (kept.exists() and package != "diurna"):
        return kept.read_text() if package else ""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    node = Path(shutil.which("node") or "/none").resolve().parent.parent
    if (node / "include/node").exists():  # what node compiles with, else it asks the network
        environment["npm_config_nodedir"] = str(node)

    def run(*argv: str | Path) -> str:
        how: dict[str, Any] = {"cwd": folder, "env": environment, "timeout": _MOST_SECONDS}
        return str(subprocess.run(argv, capture_output=True, text=True, check=True, **how).stdout)

    if package.startswith("@"):
        allowed = {"private": True, "allowScripts": {peer.get("compiles", "none"): True}}
        (folder / "package.json").write_text(json.dumps(allowed))
        run("npm", "install", "--no-audit", "--no-fund", package)
        of_it = folder / "node_modules" / package / "package.json"
        version = json.loads(of_it.read_text())["version"]
    else:
        run("uv", "venv", "--python", sys.executable, ".")
        here = "--python=bin/python"
        what = ("--refresh-package=diurna", ROOT) if package == "diurna" else (package,)
        run("uv", "pip", "install", here, *what)
        version = re.findall("Version: (.*)", run("uv", "pip", "show", here, package))[0]
    kept.write_text(f"{version}; {mib(folder):.0f}")
    return kept.read_text()


class Place:
    """A machine of one person: a repository of code and the memory of a peer, begun by command `lines`."""

    def __init__(
        self, peer: Peer, tools: Path, home: Path, lines: list[str], **given: object
    ) -> None:
        self.peer, self.home, self.code, self.name = peer, home, home / "code", peer["name"]
        self.session = ""  #: the last that was started
        npm = peer.get("package", "").startswith("@")
        bin = tools / peer["name"] / ("node_modules/.bin" if npm else "bin")
        fts, grep = Path(__file__).with_name("fts.py"), shutil.which("rg") or "grep"
        self._names = {"home": home, "bin": bin, "fts": fts, "grep": grep, "python": sys.executable}
        out = ("GIT_", "DIURNA_", "PYTHONDONT")  # what is installed is compiled
        environment = {k: v for k, v in os.environ.items() if not k.startswith(out)}
        environment |= {"HOME": str(home), "MEMORY_FILE_PATH": f"{home}/memory.jsonl"}
        environment["PATH"] = f"{bin}:{os.environ['PATH']}"
        self.how: dict[str, Any] = {"cwd": self.code, "env": environment, "text": True}
        self.code.mkdir(parents=True)
        (home / ".gitconfig").write_text(_PERSON)
        for line in ("git init -q", "git commit -q --allow-empty -m Begin", *lines):
            self.run(line, "", data="", **given)

    def given(self, value: Any, text: str = "", **given: object) -> Any:
        """Return a value of `peers.toml` for a text."""
        one, two, *_ = [*sorted(re.findall(r"\w+", text), key=len)[::-1], "", ""]
        return filled(value, {**self._names, "text": text, "one": one, "two": two, **given})

    def argv(self, line: str, text: str = "", **given: object) -> list[str]:
        """Return the words of a command line."""
        return [str(self.given(word, text, **given)) for word in shlex.split(line)]

    def run(self, line: str, text: str = "", *, data: str = "", **given: object) -> Ran:
        """Run a command to its end."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        argv, how = self.argv(line, text, **given), {**self.how, "timeout": _MOST_SECONDS}
        done = subprocess.run(argv, input=data, capture_output=True, **how)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done

    def tell(self, fact: Fact) -> Ran:
        """Write a fact by the command for it."""
        return self.run(self.peer["write"], fact[1], name=fact[0])

    def has(self, facts: list[Fact]) -> int:
        """Return how many of some facts it shows."""
        shown = set(re.findall(r"[\w-]+", self.run(self.peer["shown"])[1].stdout))
        return sum(name in shown for name, _ in facts)

    def fill(self, facts: list[Fact]) -> Place:
        """Have facts, by what is as quick as the peer offers, or by copies of what one write left."""
        if pattern := self.peer.get("copies"):
            (first, said), *others = facts
            self.tell(facts[0])
            [path] = self.home.glob(pattern)
            made = path.read_text()
            for number, (name, text) in enumerate(others):
                stem = path.stem.replace(first, name)
                stem = f"m-{number:08x}" if stem == path.stem else stem
                copy = made.replace(path.stem, stem).replace(said, text).replace(first, name)
                path.with_name(stem + path.suffix).write_text(copy)
            self.run(f"sh -c 'cd {path.parent} && git add -A && git commit -q -m Fill'")
        elif line := self.peer.get("load"):
            file, lines = self.home.with_suffix(".jsonl"), self.home.with_suffix(".txt")
            lines.write_text("".join(f"- {text}\n" for _, text in facts))
            with file.open("w") as each:
                for id, said in facts:
                    one = {"id": id, "name": id, "text": said, "observations": [said]}
                    print(json.dumps(one), file=each)
            self.run(line, file=file, lines=lines)
        else:
            with closing(Server(self)) as server:
                for name, text in facts:
                    server.call("tell", text, name=name)
        if "shown" in self.peer and self.has(facts) < len(facts):
            raise RuntimeError(f"{self.name} has {self.has(facts)} of {len(facts)} facts")
        return self


class Server:
    """An MCP server of a place, asked over its standard input."""

    def __init__(self, place: Place) -> None:
        pipe, null, argv = subprocess.PIPE, subprocess.DEVNULL, place.argv(place.peer["served"])
        self._process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=null, **place.how)
        self.began, self._number, self._place = time.perf_counter(), 0, place
        self.pid = self._process.pid
        assert self._process.stdin and self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout
        who = {"clientInfo": {"name": "bench", "version": "1"}, "capabilities": {}}
        self.ask("initialize", protocolVersion="2025-06-18", **who)
        self._send(method="notifications/initialized")

    def _send(self, **message: object) -> None:
        self._in.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._in.flush()

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Send a request; return the result."""
        self._number += 1
        self._send(id=self._number, method=method, params=params)
        for line in self._out:
            answer = json.loads(line) if line.startswith("{") else {}
            if answer.get("id") == self._number:
                result: dict[str, Any] = answer.get("result", {"isError": True})
                if result.get("isError"):
                    raise RuntimeError(f"{self._place.name} {method}: {line[:300]}")
                return result
        raise RuntimeError(f"{self._place.name}: its server ended")

    def call(self, kind: str, text: str, name: str = "") -> str:
        """Call the tool that tells or asks; return the texts of its answer."""
        given = self._place.given(self._place.peer[kind], text, name=name)
        result = self.ask("tools/call", name=given.pop("tool"), arguments=given)
        return "\n".join([one.get("text", "") for one in result["content"]])

    def took(self, kind: str, facts: list[Fact]) -> tuple[float, int]:
        """Return the milliseconds of the processor of one of some calls, and how many answers have their name."""
        begun = processor_seconds(self.pid)
        right = sum(name in self.call(kind, text, name) for name, text in facts)
        return 1000 * (processor_seconds(self.pid) - begun) / len(facts), right

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def made(count: int, begin: str = "f", seed: int = 0) -> list[Fact]:
    """Return facts of fourteen made-up words, the common ones more often, as in a language."""
    say, rng = speaker(1), random.Random(seed or count)
    return [(f"{begin}{n}x{n}", f"{begin}{n}x{n} {say(rng, 14)}") for n in range(count)]


class Table:
    """The rows of peers that are installed in `tools`, with homes in `work`; `runs` of each call count."""

    def __init__(self, peers: list[Peer], tools: Path, work: Path, runs: int) -> None:
        self.peers, self.tools, self.work, self.runs = peers, tools, work, runs

    def row(self, what: str, cells: dict[str, str]) -> None:
        """Print a row."""
        each = [cells.get(peer["name"], "") for peer in self.peers]
        print(f"| {what} | {' | '.join(each)} |", flush=True)

    def place(self, peer: Peer, name: str) -> Place:
        """Return a new home of a peer."""
        home = self.work / peer["name"] / name
        return Place(peer, self.tools, home, peer.get("setup", []))

    def processes(self, places: list[Place], facts: list[Fact]) -> None:
        """Call each as a process, in turn."""
        rng, new = random.Random(1), iter(made(10 * self.runs * len(places), "w", len(facts)))
        for one in places:
            one.tell(next(new))
            one.run(one.peer.get("search", "true"), facts[0][1])
        size, before = f"{len(facts):,}", {one.name: mib(one.home) for one in places}
        right: Counter[tuple[str, str]] = Counter()

        def call(place: Place, what: str, kind: str) -> Ran:
            done = place.tell(next(new)) if kind == "write" or what == behind else None
            if done and kind == "write":
                return done
            name, text = rng.choice(facts)
            said = " ".join(text.split()[2::2])
            place.session = f"s{rng.random()}" if kind == "start" else place.session
            given = {"session_id": place.session, "cwd": str(place.code), "prompt": said}
            ran = place.run(place.peer[kind], said, data=json.dumps({**given, "source": "startup"}))
            right[kind, place.name] += name in ran[1].stdout
            return ran

        begun, behind = "start of a session", "the same behind a write"
        kinds = {"write": "write", "search": "search", begun: "start", behind: "start"}
        for what, kind in {**kinds, "a prompt": "prompt"}.items():
            those = [one for one in places if kind in one.peer]
            ran = [{one.name: call(one, what, kind) for one in those} for _ in range(self.runs)]
            half = {n: 1000 * statistics.median(one[n][0] for one in ran) for n in ran[0]}
            said = {n: f"{one:.0f}; {one / half['bare Python']:.1f}" for n, one in half.items()}
            self.row(f"{what}, {size}, process, ms; × bare Python", said)
            if kind in ("search", "prompt"):
                said = {n: f"{right[kind, n]} of {self.runs}" for n in half}
                self.row(f"answers with the fact whose words are given, {size}", said)
            if what == begun:
                said = {name: f"{len(one.stdout):,}" for name, (_, one) in ran[-1].items()}
                self.row(f"characters that it is told, {size}", said)
            if what == "write":
                more = {one.name: (mib(one.home) - before[one.name]) / len(ran) for one in those}
                said = {name: f"{before[name]:.1f}; {1024 * one:.0f}" for name, one in more.items()}
                self.row(f"on the disk, {size}, MB; KB of one more", said)

    def servers(self, places: list[Place], facts: list[Fact]) -> None:
        """Ask each as a server."""
        asked = [(name, " ".join(text.split()[2::2])) for name, text in facts[:CALLS]]
        rows: dict[str, dict[str, str]] = {}
        for place in places:
            with closing(Server(place)) as server:
                tools = len(json.dumps(server.ask("tools/list")["tools"], ensure_ascii=False))
                wall = time.perf_counter() - server.began
                begun = f"{1000 * processor_seconds(server.pid):.0f}; {1000 * wall:.0f}; {tools:,}"
                write, _ = server.took("tell", made(CALLS, "m", 3))
                search, right = server.took("ask", asked)
                for what, said in (
                    ("start of its server, ms; of wall; characters of tools", begun),
                    (f"write, MCP, mean of the first {CALLS}, ms", f"{write:.1f}"),
                    (f"search, MCP, ms; right of {CALLS}", f"{search:.1f}; {right}"),
                    ("memory of its server, MiB", f"{rss_mib(server.pid):.0f}"),
                ):
                    rows.setdefault(what, {})[place.name] = said
        for what, cells in rows.items():
            self.row(f"{what}, {len(facts):,}", cells)

    def writers(self, peer: Peer) -> str:
        """Let eight write at once; return how many facts are there, and lost though the write said yes."""
        place, facts = self.place(peer, "at once"), made(WRITERS * EACH)
        with ThreadPoolExecutor(WRITERS) as pool:
            ran = list(pool.map(place.tell, facts))
        told = [fact for fact, (_, one) in zip(facts, ran, strict=True) if not one.returncode]
        return f"{place.has(facts)}; {len(told) - place.has(told)}"

    def kills(self, peer: Peer) -> str:
        """Kill writes at moments of their time; return killed, found, and lost though the write said yes."""
        place, (first, last, *facts), told = self.place(peer, "killed"), made(KILLS + 2), []
        place.tell(first)
        start = time.perf_counter()
        place.tell(last)
        usual = time.perf_counter() - start
        quiet: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
        for number, fact in enumerate(facts):
            argv = place.argv(peer["write"], fact[1], name=fact[0])
            process = subprocess.Popen(argv, **place.how, **quiet, start_new_session=True)
            try:
                told += [fact] * (process.wait(usual * (0.1 + number / KILLS)) == 0)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        broken = "; the next write fails" * bool(place.tell(("after", "after all"))[1].returncode)
        return f"{KILLS - len(told)}; {place.has(facts)}; {len(told) - place.has(told)}{broken}"

    def apart(self, peer: Peer, kind: str = "write") -> str:
        """Let two machines write apart, or edit one fact, then sync in turn; return what each has, and failures."""
        hub = self.work / peer["name"] / f"{kind}.git"
        lines = ["git init -q --bare -b main {hub}", *peer["first"]]
        one = Place(peer, self.tools, hub.with_name(f"{kind}-one"), lines, hub=hub)
        one.tell(("before", "before all"))
        one.run(peer["sync"])
        two = Place(peer, self.tools, hub.with_name(f"{kind}-two"), peer["second"], hub=hub)
        facts = made(2 * APART if kind == "write" else 2)
        for number, (name, text) in enumerate(facts):
            (one, two)[number % 2].run(peer[kind], text, name=name)
        code = max([abs(place.run(peer["sync"])[1].returncode) for place in (one, two, one, two)])
        return f"{one.has(facts)}, {two.has(facts)}{f'; a sync ends with {code}' * bool(code)}"

    def quality(self, shared: Path) -> None:
        """Ask the questions of a set: a right fact first, among three, and nothing where none is right."""
        memory = Memory.open(str(ledger_of(MERCURY, shared, self.tools / "recall")))
        texts = {one.fact.id: one.fact.text for one in memory.state().standings()}
        memory.close()
        facts = [(id, " ".join(f"{id}: {text}".split())) for id, text in texts.items()]
        longest = "|".join(sorted(texts, key=len)[::-1])
        known, cells = re.compile(rf"(?<![\w-])(?:{longest})(?![\w-])"), {}
        for peer in [
            one for one in self.peers if {"shown", "search"} <= one.keys() or "ask" in one
        ]:
            place, asked = self.place(peer, "quality").fill(facts), []
            line = peer.get("search", "")
            with nullcontext() if line else closing(Server(place)) as server:
                for one in questions_of(MERCURY, shared):
                    words = one["question"]
                    said = server.call("ask", words) if server else place.run(line, words)[1].stdout
                    asked.append(({*one["gold"]}, list(dict.fromkeys(known.findall(said)))))
            shares = [
                *[[bool(gold & {*ids[:most]}) for gold, ids in asked if gold] for most in (1, 3)],
                [not ids for gold, ids in asked if not gold],
            ]
            cells[place.name] = "; ".join(f"{statistics.fmean(share):.2f}" for share in shares)
        self.row(f"{len(facts)} facts of {MERCURY}: right first; among three; silent", cells)


def main() -> None:
    """Install, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "diurna-peers")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--runs", type=int, default=11)
    given = parser.parse_args()
    every = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    tools, said, skipped = given.folder.resolve(), {}, {}
    for name, peer in every.items():
        try:
            said[name] = install(peer, tools / name)
        except (OSError, subprocess.SubprocessError) as problem:
            skipped[name] = f"{problem} {getattr(problem, 'stderr', None) or ''}"
    peers = [{"name": name, **every[name]} for name in said]
    print(f"| | {' | '.join(said)} |\n|---|{'---|' * len(said)}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        table = Table(peers, tools, Path(work), given.runs)
        table.row("version; MB of its installation", said)
        for size in SIZES:
            facts = made(size)
            places = []
            for peer in peers:
                try:
                    places.append(table.place(peer, str(size)).fill(facts))
                except (RuntimeError, subprocess.SubprocessError) as problem:
                    skipped[f"{peer['name']}, {size:,}"] = str(problem)
            table.processes([one for one in places if "write" in one.peer], facts)
            table.servers([one for one in places if "served" in one.peer], facts)
        for what, key, call in (
            (f"{WRITERS} writers, {WRITERS * EACH} facts: there; lost", "shown", table.writers),
            (f"{KILLS} writes, most killed: killed; there; lost", "shown", table.kills),
            (f"two machines apart, {2 * APART} facts: on each", "sync", table.apart),
            ("both edit one: texts on each", "edit", lambda one: table.apart(one, "edit")),
        ):
            table.row(what, {peer["name"]: call(peer) for peer in peers if key in peer})
        if (given.shared / "bench/facts").is_dir():
            table.quality(given.shared)
        else:
            skipped["quality"] = f"there is no {given.shared}/bench/facts"
    for name, why in skipped.items():
        print(f"\nskipped: {name}: {why.strip()[-300:]}")


if __name__ == "__main__":
    main()
