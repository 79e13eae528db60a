"""Ledgers of before are read as before: every event, header and footer keeps its meaning.

`tests/ledgers/` holds made ledgers as earlier releases wrote them: a line with path and length stands before
the bytes of each file. The digests are of what commit 839547a6 said of them, who had the same answers as the
one that these were taken from: what `export events` reads of each log, `show --json` of each fact, and how
far patterns came. What asks, shows and writes may go; a digest may not change. `python -m
tests.test_ledgers_of_before worked-0` prints the lines behind one, for comparing two commits.
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
    "by-hand-0": "44be45ad3716ef80",
    "by-hand-1": "58080aa537dd3bcf",
    "captured-0": "b574ba03dcba821a",
    "captured-1": "d689445795722613",
    "everything-0": "5d5b29852d7323cf",
    "everything-1": "711a0a4ec41c92ea",
    "imported-0": "b661152c2a51e4f5",
    "imported-1": "4d3e5ba38fb55d15",
    "reviewed-0": "b3c348393fde936c",
    "reviewed-1": "7fde2cdda397f867",
    "tasks-0": "97672e813bdc8666",
    "tasks-1": "4e00624616aaa5de",
    "withheld-0": "7541294dc10124bc",
    "withheld-1": "ec29cf99072d1636",
    "worked-0": "c7df145246e4cda6",
    "worked-1": "cfd30fe4bcb45135",
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
    logs = [
        json.loads(line) for line in run("export", "events", "--home", str(folder)).out.splitlines()
    ]
    for log in logs:
        log.pop(
            "text", None
        )  # of what can not be written again from its events: the bytes that are there
    lines = [json.dumps(log, sort_keys=True) for log in logs]
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
    wanted = [rf"^- {verb}: " for verb in VERBS if verb != "Withdrawn"] + [
        rf"^{key}: " for key in HEADERS
    ]
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
