"""A type of event takes four places: two throw-away ones are written into a copy of the sources, and work.

The places are those of the table in `ledger.model.event`. Nothing else of the copy is touched: the codec, the
fast path, the checks of drafts, the cache, `why`, the timeline and the JSON answers know the new verbs then.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.model.event import VERBS
from tests.conftest import Ran, Repo

ROOT = Path(__file__).resolve().parents[1]
EVENT, FOLD, FORMAT = "ledger/model/event.py", "projection/fold/fold.py", "ledger/FORMAT.md"

#: Place, file, what stands there, and what is written before it.
PLACES = (
    ("class", EVENT, "Event = (\n", '''
def is_shelf(text: str) -> bool:
    return text in ("todo", "done")


@verb(
    "Shelved",
    also=("went",),
    arrow=Arrow("state", ("Shelved to {}", ""), fits=is_shelf, called="state"),
    namings=(_WAS,),
    tied=True,
)
class FactShelved(Record):
    """The task has another state now."""

    id: str
    state: str
    remark: str = ""
    was: tuple[str, ...] | None = None


@verb("Praised", opposite=(FactRedacted,))
class FactPraised(Record):
    """The pattern praised."""

    id: str
    remark: str = ""


'''),
    ("union", EVENT, "    | FactIgnored\n", "    | FactShelved\n    | FactPraised\n"),
    ("arm", FOLD, "            case FactVerified():\n", '''            case FactShelved():
                self._meta["state"] = event.state
            case FactPraised():
                self._meta["praised"] = event.remark
'''),
    ("arm", FOLD, "    FactPromoted,\n", "    FactPraised,\n    FactShelved,\n"),  # its import
    ("row", FORMAT, "\n`Reinstated`, `Archived`, `Moved`", '''| FactShelved | `Shelved: a → done (was h)` | the task has another state |
| FactPraised | `Praised: a` | it praised |
'''),
)  # fmt: skip
LOG = """# Two

## Memory References

- Referenced: node
- Shelved: node → todo
- Shelved: node -> done (was 0123abcd, 89abcdef) — at last
- Praised: node, slow — twice
- Praised: tests
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources with two more types of event."""
    made = tmp_path_factory.mktemp("sources")
    for package in ("ledger", "projection", "memory", "rituals"):
        shutil.copytree(
            ROOT / package, made / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    for _, file, before, added in PLACES:
        text = (made / file).read_text()
        assert text.count(before) == 1, (file, before)
        (made / file).write_text(text.replace(before, added + before))
    return made


#: Runs a command for each line of its input, and says what it said.
COMMANDS = """
import contextlib, io, json, sys
from rituals.cli.app import main
for line in sys.stdin:
    arguments, given = json.loads(line)
    sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode()))
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = main(arguments)
    print(json.dumps([code, *[one.buffer.getvalue().decode() for one in streams]]), flush=True)
"""


@pytest.fixture
def diurna(copy: Path, bare_repo: Repo) -> Iterator[Callable[..., Ran]]:
    """Run commands of the copy, all in one process."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", COMMANDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, env={**os.environ, "PYTHONPATH": str(copy)},
    ) as process:  # fmt: skip

        def run(*arguments: str, stdin: str = "") -> Ran:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps([arguments, stdin]) + "\n")
            process.stdin.flush()
            ran = Ran(*json.loads(process.stdout.readline()))
            assert ran.code == 0, ran.err
            return ran

        yield run


def said(copy: Path, script: str, **values: Any) -> Any:
    """Return what a script prints that imports the copy."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, json.dumps(values)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(copy)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_places_are_four() -> None:
    """As many as the docstring of the events says, and as its table has rows."""
    assert len({place for place, *_ in PLACES}) == 4
    table = (ROOT / EVENT).read_text().partition('"""\n\nfrom')[0]
    assert len(re.findall(r"^\| ", table, re.MULTILINE)) == 1 + 4


def test_formats_table_has_every_verb(copy: Path) -> None:
    """In the canonical order; of the copy too."""
    rows = re.compile(r"^\| ((?:Fact|Thread|Work)\w+) \| `(\w+):", re.MULTILINE)
    known = [(kind.__name__, verb) for verb, kind in VERBS.items()]
    assert rows.findall((ROOT / FORMAT).read_text()) == known
    more = [("FactShelved", "Shelved"), ("FactPraised", "Praised")]
    assert rows.findall((copy / FORMAT).read_text()) == known + more


READ = """
import json, sys
from ledger.codec.event_bullets import read_references, write_references
from ledger.codec.fast_read import scan
from ledger.codec.log import decode, encode, entry_of
from ledger.codec.validate import problems, read_draft
from ledger.model.packed import pack_entry, unpack_entry
log = read_draft(json.loads(sys.argv[1])["log"].encode())
data, stem = encode(log), "2026-11-21-083012417-" + "a" * 26
assert decode(data, sealed=True) == (log, ())
entry = scan(stem, data)
assert entry == entry_of(stem, log), entry
assert unpack_entry(pack_entry(entry)) == entry
loose, _ = read_references(["- Went: node → done"], strict=False)
wrong = [read_references([line], strict=True)[1] for line in ("- Shelved: node", "- Shelved: node → away")]
event = log.events[1]
refused = [
    [finding.message for finding in problems(log._replace(events=(one,)))]
    for one in (event._replace(state="away"), event._replace(was=("no version",)))
]
print(json.dumps({
    "bullets": write_references(log.events), "named": entry.named, "loose": [str(one) for one in loose],
    "wrong": [[one.message for one in found] for found in wrong], "refused": refused,
}))
"""


def test_the_codec_and_the_fast_path_read_it(copy: Path) -> None:
    """Both the same, packed and unpacked; drafts are held to its grammar, hand-written logs to its words."""
    found = said(copy, READ, log=LOG)
    assert found["bullets"] == [
        "- Referenced: node",
        "- Shelved: node → todo",
        "- Shelved: node → done (was 0123abcd, 89abcdef) — at last",
        "- Praised: node",
        "- Praised: slow — twice",
        "- Praised: tests",
    ]
    assert found["named"] == ["node", "slow", "tests"]
    assert found["loose"] == ["FactShelved(id='node', state='done', remark='', was=None)"]
    assert found["wrong"] == [["shelved to what? node"], ["not a state: away"]]
    assert found["refused"] == [
        ["not a state: 'away'"],
        ["`Shelved: node` names no version ['no version']"],
    ]


@pytest.mark.deep(reason="the_codec_and_the_fast_path_read_it is the small one")
def test_a_home_records_it_and_tells_it(diurna: Callable[..., Ran], bare_repo: Repo) -> None:
    """Appended, folded, kept in the cache, and told by `show`, `why` and the timeline as by the replay."""
    diurna("init")
    news = [f"id={name} pattern {name} holds." for name in ("node", "slow", "tests")]
    diurna("append", "--title", "One", *[part for new in news for part in ("--new", new)])
    receipt = diurna("append", "-", "--json", stdin=LOG).json
    shelved = {"shelved": ["node → todo", "node → done"], "praised": ["node", "slow", "tests"]}
    assert receipt["did"] == shelved
    for _ in range(2):  # from the cache, and once it is gone, from the ledger
        (fact,) = diurna("show", "node", "--json").json["facts"]
        assert dict(fact["meta"])["state"] == "done"
        steps = diurna("why", "node", "--json").json["events"]
        assert [step["event"] for step in steps] == [
            "Created", "Referenced", "Shelved to todo", "Shelved to done", "Praised",
        ]  # fmt: skip
        assert [step["remark"] for step in steps[2:4]] == ["", "at last"]
        assert "Shelved to done" in diurna("why", "node").out
        assert "shelved node → todo, node → done" in diurna("recall", "--level", "timeline").out
        diurna("check", "--publish")
        diurna("check", "--replay")
        shutil.rmtree(bare_repo.path / ".git/diurna/cache")


FORGOTTEN = """
from ledger.model.event import verb
from ledger.model.record import Record
from ledger.model.session import Entry
from projection.fold.fold import collect, resolve

@verb("Odd")
class Odd(Record):
    id: str
    remark: str = ""

(history,) = collect([Entry("2026-11-21", True, "", "work", ("a",), (Odd("a"),))]).values()
try:
    resolve("a", history)
except AssertionError as problem:
    print('"%s"' % str(problem)[:12])
"""


def test_the_fold_asks_for_its_arm(copy: Path) -> None:
    """A type that `match` does not know is never passed over."""
    assert said(copy, FORGOTTEN) == "not an event"
