"""Damage what the cache keeps in every way: each answer must be that of a fresh one, and no command may fail.

`python -m tests.campaigns.corruptions` damages one or more files under `.git/diurna/cache` of a home on an own branch,
in place, 4,000 times: bits flipped, pages zeroed, swapped or filled with noise, files cut, lengthened, deleted, emptied,
put back to bytes of an earlier time (with or without their stamp), exchanged with those of another branch, rows changed
by SQL, journals and write-ahead logs of other times planted beside; in every second case the file's own time is set
back. After each `show`, `status`, `recall`, `brief`, `why`, `log`, `timeline`, `show --about` and `append` run, each as a process
of its own, beginning with another one each time, and are compared with what they answer without any cache. Prints a
line for each kind, and the first wrong answers; ends with 1 on any.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import ledger
import memory
import projection
import rituals
from ledger.home import Home, branch_home, discover
from ledger.model.event import FactCreated, FactSuperseded, FactUpdated
from ledger.model.layout import JOURNAL_FILE
from ledger.model.record import Record
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.cli import entry
from tests.campaigns.homes import OWN_BRANCH, START_MS, Clock, git, make_home, sealed_environment

#: Fixed: what is written twice on one tip is the same commit.
_NOW = str(START_MS + 90_000_000)
_LOGS, _TOLD = 60, 10
_PAGE = 4096
_DRAFT = """# The last word

Nothing to add.

## Memory References

- Referenced: fact-7
- Created: last-word

## Facts

- The ledger of the shop closes at noon.
  <!-- id: last-word | entity: Shop -->
"""
APPEND = ("append", "DRAFT")
COMMANDS = (
    ("show",),
    ("status",),
    ("recall", "ledger", "shop"),
    ("brief", "--agent", "codex"),
    ("why", "fact-7"),
    ("log",),
    (
        "recall",
        "--level",
        "timeline",
    ),
    ("show", "--about", "Shop"),
    APPEND,
)


class Ran(Record):
    """What a command did."""

    code: int
    out: str
    err: str


class Outcome(Record):
    """What came of one corruption: of which kind and file, whether it was told, and what was wrong."""

    kind: str
    file: str
    told: bool
    faults: tuple[str, ...]


# ---- a home with something in every file ------------------------------------------------------------


def make_shop(folder: Path) -> Home:
    """Make a home with a few dozen logs, and another branch with others."""
    home = make_home(folder / "shop", OWN_BRANCH)
    _fill(home, _LOGS, "fact")
    git(home.repository.where, "branch", "other", "memory~20")
    other = branch_home(home.repository, "other")
    _fill(other, 10, "other")
    (folder / "draft.md").write_text(_DRAFT)
    return home


def _fill(home: Home, count: int, name: str) -> None:
    opened = Memory(home, agent="codex", clock=Clock(), in_process=True)
    for number in range(count):
        text = f"The ledger of the shop holds {number} {name}s, as counted by hand."
        events = [FactCreated(f"{name}-{number}", text, meta=(("entity", "Shop, Ledger"),))]
        acts: list[FactCreated | FactUpdated | FactSuperseded] = [*events]
        if number % 7 == 3:
            acts.append(FactUpdated(f"{name}-{number - 1}", f"{text} Twice."))
        if number % 11 == 5:
            acts.append(FactSuperseded(f"{name}-{number - 3}", f"{name}-{number}"))
        opened.append(SessionDraft(f"Count {number}", f"Counted the {name}s again.", tuple(acts)))
    opened.state()
    opened.recall("ledger")
    opened.close()


class Shop:
    """One home that is damaged again and again.

    Args:
        folder: of `make_shop`.
        rng: chooses.
    """

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder, self.rng = folder, rng
        self.home = discover(str(folder / "shop"))
        self.other = branch_home(self.home.repository, "other")
        self.kept = Path(self.home.cache_file).parent
        self._other_is_whole = False
        self.tip = self.home.tip()
        #: What the same files held at an earlier time: the branch without its last logs.
        self.earlier: dict[str, bytes] = {}
        self.answers = {False: self.fresh(()), True: self.fresh((APPEND,))}
        git(self.home.repository.where, "update-ref", "refs/heads/memory", f"{self.tip}~9")
        self.warm()
        self.run(("status",))
        for path in self._files():
            self.earlier[path.name] = path.read_bytes()
        self._catch_journals()
        self.restore()

    def _catch_journals(self) -> None:
        """Keep what stands beside a file while it is written: a journal that is hot, and a log."""
        for suffix in (".sqlite", ".recall"):
            copy = str(self.folder / "copy.sqlite")
            shutil.copyfile(self.home.cache_file + suffix, copy)
            base = sqlite3.connect(copy, isolation_level=None)
            base.execute("PRAGMA cache_size=1")
            base.execute("BEGIN IMMEDIATE")
            base.execute("UPDATE logs SET stem = stem || 'x'")
            self.earlier[suffix + "-journal"] = Path(copy + "-journal").read_bytes()
            base.execute("ROLLBACK")
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("DELETE FROM logs")
            self.earlier[suffix + "-wal"] = Path(copy + "-wal").read_bytes()
            base.close()

    def fresh(self, before: tuple[tuple[str, ...], ...]) -> dict[tuple[str, ...], Ran]:
        """Return what each command answers without any cache, behind others."""
        found: dict[tuple[str, ...], Ran] = {}
        for command in COMMANDS:
            self.restore()
            for one in before:
                self.run(one)
            shutil.rmtree(self.kept, ignore_errors=True)
            self._other_is_whole = False
            found[command] = self.run(command)
        self.restore()
        return found

    def restore(self) -> None:
        """Bring the branch back to where it stood."""
        git(self.home.repository.where, "update-ref", "refs/heads/memory", self.tip)

    def warm(self) -> None:
        """Let every file be written and stamped."""
        for command in (("recall", "ledger"), ("show",), ("brief", "--agent", "codex")):
            self.run(command)
        if not self._other_is_whole:
            opened = Memory(self.other)
            opened.recall("ledger")
            opened.close()
            self._other_is_whole = True

    def run(self, command: tuple[str, ...]) -> Ran:
        """Run a command as a process of its own, forked from this one."""
        arguments = [str(self.folder / "draft.md") if one == "DRAFT" else one for one in command]
        paths = [self.folder / name for name in ("out", "err")]
        child = os.fork()
        if not child:
            code = 99
            try:
                os.chdir(self.home.folder)
                for number, path in enumerate(paths, 1):
                    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                sys.argv = ["diurna", *arguments]
                try:
                    code = entry.main()
                except SystemExit as end:
                    code = end.code if isinstance(end.code, int) else 98
                for stream in (sys.stdout, sys.stderr):
                    stream.flush()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        out, err = (path.read_bytes().decode("utf-8", "replace") for path in paths)
        return Ran(os.waitstatus_to_exitcode(status), out, err)

    # ---- damage -------------------------------------------------------------------------------------

    def _files(self) -> list[Path]:
        """Return the files of the branch that is read."""
        name = Path(self.home.cache_file).name
        return [
            path
            for path in sorted(self.kept.iterdir())
            if path.name.startswith(name) and path.is_file() and path.stat().st_size
        ]

    def damage(self, kind: str) -> str:
        """Damage one file, or a file and its stamp; return its suffix."""
        file = self.rng.choice(self._files())
        before = file.stat()
        DAMAGES[kind](self, file)
        self._other_is_whole &= kind != "other branch"
        if self.rng.random() < 0.5 and file.is_file():
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        return file.name.removeprefix(Path(self.home.cache_file).name)

    def inflict(self, number: int, kind: str, asked: int = len(COMMANDS)) -> Outcome:
        """Damage the files once and ask so many commands; say what came of it."""
        self.restore()
        self.warm()
        journal = Path(self.home.repository.commondir, JOURNAL_FILE)
        noted = journal.stat().st_size if journal.exists() else 0
        file = self.damage(kind)
        first = number % len(COMMANDS)
        faults = []
        appended = False
        for command in (COMMANDS[first:] + COMMANDS[:first])[:asked]:
            ran, expected = self.run(command), self.answers[appended][command]
            appended |= command == APPEND
            if ran.code != expected.code:
                faults.append(f"{command[0]}: exit code {ran.code}: {ran.err.strip()[-300:]}")
            elif ran.out != expected.out:
                faults.append(f"{command[0]}: another answer")
            elif command == APPEND and self.home.tip() == self.tip:
                faults.append("append: nothing is there")
        told = journal.exists() and journal.stat().st_size > noted
        return Outcome(kind, file, told, tuple(faults))


def _write(file: Path, data: bytes) -> None:
    """Write into a file that stays the same file."""
    with open(file, "r+b" if file.exists() else "wb") as there:
        there.write(data)
        there.truncate()


def _changed(change: Callable[[random.Random, bytearray], object]) -> Callable[[Shop, Path], None]:
    def done(shop: Shop, file: Path) -> None:
        data = bytearray(file.read_bytes())
        change(shop.rng, data)
        _write(file, bytes(data))

    return done


def _flip(rng: random.Random, data: bytearray) -> None:
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _page(rng: random.Random, data: bytearray) -> slice:
    start = rng.randrange(-(-len(data) // _PAGE)) * _PAGE
    return slice(start, min(start + _PAGE, len(data)))


def _zero(rng: random.Random, data: bytearray) -> None:
    page = _page(rng, data)
    data[page] = bytes(page.stop - page.start)


def _noise(rng: random.Random, data: bytearray) -> None:
    page = _page(rng, data)
    data[page] = rng.randbytes(page.stop - page.start)


def _swap(rng: random.Random, data: bytearray) -> None:
    one, two = _page(rng, data), _page(rng, data)
    data[one], data[two] = data[two], data[one]


def _cut(rng: random.Random, data: bytearray) -> None:
    del data[rng.randrange(len(data)) :]


def _junk(rng: random.Random, data: bytearray) -> None:
    data += rng.randbytes(rng.choice((1, 100, _PAGE, 3 * _PAGE)))


def _earlier(shop: Shop, file: Path) -> None:
    _write(file, shop.earlier.get(file.name, b"of no earlier time"))


def _earlier_pair(shop: Shop, file: Path) -> None:
    """Put a file and its stamp back."""
    name = file.name.removesuffix(".stamp")
    for one in (name, name + ".stamp"):
        if one in shop.earlier:
            _write(shop.kept / one, shop.earlier[one])


def _mixed(shop: Shop, file: Path) -> None:
    """Put single pages back, as after a crash of the machine."""
    old, data = shop.earlier.get(file.name, bytes(_PAGE)), bytearray(file.read_bytes())
    for start in range(0, min(len(old), len(data)), _PAGE):
        if shop.rng.random() < 0.3:
            data[start : start + _PAGE] = old[start : start + _PAGE]
    _write(file, bytes(data))


def _exchanged(shop: Shop, file: Path) -> None:
    """Exchange a file, and in every second case its stamp too, with that of another branch, by its name."""
    mine, theirs = shop.home.cache_file, shop.other.cache_file
    suffix = file.name.removeprefix(Path(mine).name).removesuffix(".stamp")
    for one in (suffix, suffix + ".stamp")[: shop.rng.choice((1, 2))]:
        here, there = Path(mine + one), Path(theirs + one)
        if here.exists() and there.exists():
            aside = here.with_suffix(".aside")
            here.rename(aside)
            there.rename(here)
            aside.rename(there)
        elif here.exists():
            here.unlink()


#: What SQLite itself is made to do: the file, and the statement.
_STATEMENTS = (
    (".sqlite", "DELETE FROM facts WHERE id = 'fact-7'"),
    (".sqlite", "UPDATE facts SET history = (SELECT history FROM facts WHERE id = 'fact-9')"),
    (".sqlite", "UPDATE facts SET state = 3"),
    (".sqlite", "UPDATE logs SET entry = (SELECT entry FROM logs WHERE number = 1)"),
    (".sqlite", "UPDATE meta SET value = x'00'"),
    (".sqlite", "DELETE FROM newest"),
    (".sqlite", "PRAGMA user_version = 7"),
    (".recall", "UPDATE logs SET passages = (SELECT passages FROM logs LIMIT 1)"),
    (".recall", "DELETE FROM recent_data WHERE id > 10"),
    (".recall", "DELETE FROM logs WHERE number % 3 = 0"),
    (".recall", "UPDATE logs SET day = '1999-01-01'"),
)


def _with_sql(shop: Shop, file: Path) -> None:
    """Change rows as SQLite itself would."""
    there = [one for one in _STATEMENTS if Path(shop.home.cache_file + one[0]).is_file()]
    suffix, statement = shop.rng.choice(there)
    base = sqlite3.connect(shop.home.cache_file + suffix)
    # a file that an earlier damage emptied is still so where no command had to open it
    with contextlib.closing(base), contextlib.suppress(sqlite3.DatabaseError), base:
        base.execute(statement)


def _beside(shop: Shop, file: Path) -> None:
    """Plant a journal or a write-ahead log of another time beside a file."""
    suffix = shop.rng.choice((".sqlite", ".recall")) + shop.rng.choice(("-journal", "-wal"))
    data = bytearray(shop.earlier[suffix])
    if shop.rng.random() < 0.3:
        _flip(shop.rng, data)
    Path(shop.home.cache_file + suffix).write_bytes(bytes(data))


def _deleted(shop: Shop, file: Path) -> None:
    file.unlink()


def _emptied(shop: Shop, file: Path) -> None:
    _write(file, b"")


def _folder(shop: Shop, file: Path) -> None:
    """Put a link or noise in the place of a file."""
    data = file.read_bytes()
    file.unlink()
    if shop.rng.random() < 0.5:
        file.symlink_to(shop.folder / "nowhere")
    else:
        file.write_bytes(shop.rng.randbytes(len(data)))


DAMAGES: dict[str, Callable[[Shop, Path], None]] = {
    "bits": _changed(_flip),
    "zeroed": _changed(_zero),
    "noise": _changed(_noise),
    "swapped": _changed(_swap),
    "cut": _changed(_cut),
    "junk": _changed(_junk),
    "earlier": _earlier,
    "earlier pair": _earlier_pair,
    "mixed": _mixed,
    "other branch": _exchanged,
    "rows": _with_sql,
    "beside": _beside,
    "deleted": _deleted,
    "emptied": _emptied,
    "replaced": _folder,
}
#: Of these there are more: they are what happens.
OFTEN = ("bits", "bits", "bits", "zeroed", "swapped", "cut")


# ---- the campaign -----------------------------------------------------------------------------------


def corrupt(
    folder: Path, count: int, seed: int, told: bool = False, asked: int = len(COMMANDS)
) -> list[Outcome]:
    """Damage the files of one home so many times; return what so many commands then made of each."""
    _load_all()
    make_shop(folder)
    rng = random.Random(seed)
    shop = Shop(folder, rng)
    kinds = [*DAMAGES, *OFTEN]
    found = []
    for number in range(count):
        kind = kinds[number] if number < len(kinds) else rng.choice(kinds)
        outcome = shop.inflict(number, kind, asked)
        found.append(outcome)
        if told and outcome.faults:
            print(f"  {outcome.kind} {outcome.file}: {'; '.join(outcome.faults)}", flush=True)
    return found


def _load_all() -> None:
    """Load what commands load, once and not in each process that is forked."""
    for package in (ledger, projection, memory, rituals):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)


def table(outcomes: list[Outcome]) -> str:
    """Say by kind: how many, how many were told, and how many answers were wrong."""
    lines = [f"{'kind':<14}{'runs':>6}{'told':>6}{'wrong':>6}"]
    for kind in DAMAGES:
        some = [one for one in outcomes if one.kind == kind]
        wrong, told = sum(len(one.faults) for one in some), sum(one.told for one in some)
        lines.append(f"{kind:<14}{len(some):>6}{told:>6}{wrong:>6}")
    files = Counter(one.file for one in outcomes)
    lines.append("files: " + ", ".join(f"{name} {count}" for name, count in sorted(files.items())))
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.corruptions", description=__doc__
    )
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--part", default="", help=argparse.SUPPRESS
    )  # where a job puts its outcomes
    chosen = parser.parse_args(arguments)
    begun = time.monotonic()
    gc.disable()
    with tempfile.TemporaryDirectory() as temporary:
        if chosen.part:
            os.environ.update(sealed_environment(temporary), DIURNA_NOW=_NOW)
            found = corrupt(Path(temporary), chosen.count, chosen.seed, told=True)
            Path(chosen.part).write_text(json.dumps([tuple(one) for one in found]))
            return 0
        parts = [f"{temporary}/{number}.json" for number in range(chosen.jobs)]
        share = -(-chosen.count // chosen.jobs)
        jobs = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.campaigns.corruptions", "--count", str(share)]
                + ["--seed", str(chosen.seed * 1000 + number), "--part", part]
            )
            for number, part in enumerate(parts)
        ]
        failed = [job.wait() for job in jobs]
        if any(failed):
            return 2
        outcomes = [Outcome(*one) for part in parts for one in json.loads(Path(part).read_text())]
    print(table(outcomes))
    wrong = sum(bool(one.faults) for one in outcomes)
    threes = sum("exit code 3" in fault for one in outcomes for fault in one.faults)
    print(
        f"corruptions: {len(outcomes)}, each before {len(COMMANDS)} commands: {wrong} with wrong answers, "
        f"{threes} ends with 3, {time.monotonic() - begun:.0f} s"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
