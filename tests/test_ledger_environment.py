"""The clock, the environment's variables and the working directory are read in one module."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conftest import each_row

ROOT = Path(__file__).parent.parent
READER = Path("ledger/environment.py")
#: Module or class -> what of it reads the clock, the variables or the working directory.
READS = {
    "os": {"environ", "environb", "getenv", "getenvb", "getcwd", "getcwdb"},
    "path": {"expanduser", "expandvars"},
    "Path": {"cwd", "home"},
    "time": {
        "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
        "process_time", "thread_time", "clock_gettime", "clock_gettime_ns",
    },
    "datetime": {"now", "today", "utcnow"},
    "date": {"today"},
}  # fmt: skip
#: Functions of `time` that read the clock when they get fewer arguments than this.
UNTIMED = {"gmtime": 1, "localtime": 1, "ctime": 1, "asctime": 1, "strftime": 2}


def reads(source: str) -> list[int]:
    """The lines that read what only one module may."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(ast.Name("time"), name), args=args) if len(
                args
            ) < UNTIMED.get(name, 0):
                found.append(node.lineno)
            case ast.Attribute(ast.Name(owner) | ast.Attribute(_, owner), name) if (
                name in READS.get(owner, ())
            ):
                found.append(node.lineno)
            case ast.ImportFrom(module=str(module)) if any(
                one.name in READS.get(module.rpartition(".")[2], ()) for one in node.names
            ):
                found.append(node.lineno)
    return found


def test_nobody_else_reads_them() -> None:
    """What depends on where and when it runs gets that from one module, or as an argument."""
    sources = [
        path.relative_to(ROOT)
        for package in ("ledger", "projection", "memory", "rituals")
        for path in (ROOT / package).rglob("*.py")
    ]
    assert READER in sources
    found = {
        str(path): lines
        for path in sources
        if path != READER and (lines := reads((ROOT / path).read_text()))
    }
    assert found == {}
    assert reads((ROOT / READER).read_text())


@each_row(
    "line",
    [
        "import os; os.environ['A']", "import os; os.getcwd()", "import os; os.getenv('A')",
        "import os; os.path.expanduser('~')", "from os import environ", "from os.path import expanduser",
        "import time; time.time()", "import time; time.gmtime()", "from time import monotonic",
        "import datetime; datetime.datetime.now()", "from pathlib import Path; Path.cwd()",
    ],
)  # fmt: skip
def test_a_reader_is_found(line: str) -> None:
    """Each way of reading is seen, and converting a time that was given is none."""
    assert reads(line) == [1]
    assert reads("import time; time.gmtime(0); time.strftime('%Y', time.gmtime(0))") == []
