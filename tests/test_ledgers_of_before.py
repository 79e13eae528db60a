"""Ledgers of before are read as before: every event, header and footer keeps its meaning.

`tests/ledgers/` holds made ledgers as earlier releases wrote them: a line with path and length stands before the
bytes of each file. The digests are of what commit 839547a6 said of them, who had the same answers as the one that
these were taken from: what `export events` reads of each log, `show --json` of each fact, and how far patterns came.
What asks, shows and writes may go; a digest may not change. `python -m tests.test_ledgers_of_before worked-0` prints
the lines behind one, for comparing two commits.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path

import pytest

from tests.campaigns.second_fold import BareHome, normal, unlike
from tests.second_fold import VERBS, answer
from tests.world import run

LEDGERS = Path(__file__).with_name("ledgers")
DIGESTS = {
    "by-hand-0": "4f38f6e04173f925",
    "by-hand-1": "7da3c025d20b15a9",
    "captured-0": "7f891edb9467ae2d",
    "captured-1": "006ae8232242cc03",
    "everything-0": "ea3b6d96011daeeb",
    "everything-1": "3282f42011450e2e",
    "imported-0": "7ec88669c77a48da",
    "imported-1": "c8738af32d3a18d7",
    "reviewed-0": "1422dc155c5f2fe8",
    "reviewed-1": "3d30e1d5d4304c9a",
    "tasks-0": "9638bc2145afea3a",
    "tasks-1": "4a4814797e4f3b50",
    "withheld-0": "4bc23ceddbe9b8fe",
    "withheld-1": "81cb5f6f66f3298e",
    "worked-0": "bc010d1da3776ed2",
    "worked-1": "ed8406e536af07fa",
}
#: Every type of log, header key and footer that a log has had.
HEADERS = (
    "agent", "ended", "after", "type", "role", "host", "model", "session", "started", "branch", "commit", "dirty",
    "extractor", "observed", "transcript", "verdict", "about", "tokens", "source", "through", "undoes", "redoes", "kept",
    "took", "shown", "told", "characters", "asked", "answered", "quiz", "unanswered",
)  # fmt: skip
FOOTERS = (
    "kind", "tags", "entity", "role", "supersedes", "serves", "conflicts", "source", "created", "origin", "priority",
    "owner", "goal", "workstream", "depends", "from", "to", "confidence", "about", "outcome", "iteration", "rule", "path",
    "symbol", "expect", "salience", "title", "until", "check", "obsolete_when", "misfit", "note", "asked", "warns",
    "personal", "by", "key", "imported", "learned", "own-key", "review", "keys",
)  # fmt: skip


def files_of(name: str) -> dict[str, bytes]:
    """Read a ledger."""
    data, files = (LEDGERS / f"{name}.ledger").read_bytes(), dict[str, bytes]()
    while data:
        path, _, size = data[4 : data.index(b"\n")].decode().rpartition(" ")
        start = data.index(b"\n") + 1
        files[path], data = data[start : start + int(size)], data[start + int(size) + 1 :]
    return files


def told(home: BareHome) -> list[str]:
    """What is said of a ledger, in lines."""
    folder = home.folder
    lines = run("export", "events", "--home", str(folder)).out.splitlines()
    lines += [json.dumps(fact, sort_keys=True) for fact in normal(home.ask("show"))["facts"]]
    return lines + run("view", "roles", "--home", str(folder)).out.splitlines()


@pytest.mark.parametrize("name", sorted(file.stem for file in LEDGERS.iterdir()))
def test_a_ledger_of_before_says_what_it_said(name: str, tmp_path: Path) -> None:
    """Each log and each fact of it; what is sealed the second reader reads as well."""
    files, home = files_of(name), BareHome(tmp_path / "home")
    home.commit(files)
    assert hashlib.sha256("\n".join(told(home)).encode()).hexdigest()[:16] == DIGESTS[name]
    if not name.startswith(("by-hand", "everything")):
        assert unlike(name, normal(home.ask("show")), answer(files)) == []


def test_they_have_all_that_a_log_can_say() -> None:
    """Each verb, type, header key and footer."""
    text = b"\n".join(file.read_bytes() for file in LEDGERS.iterdir()).decode("utf-8", "replace")
    wanted = [rf"^- {verb}: " for verb in VERBS] + [rf"^{key}: " for key in HEADERS]
    wanted += [
        rf"^type: {type}$" for type in ("continued", "review", "import", "edit", "checkpoint")
    ]
    wanted += [rf"<!-- .*\b{key}: .*-->" for key in FOOTERS]
    assert [one for one in wanted if not re.search(one, text, re.MULTILINE)] == []


def main(names: list[str]) -> int:
    """Print the lines of ledgers."""
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            home = BareHome(Path(folder, "home"))
            home.commit(files_of(name))
            print(*told(home), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
