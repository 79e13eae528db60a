"""Ledgers of before are read as before: every event, header and footer keeps its meaning.

The digests are of what commit 839547a6 said of made ledgers: of each log what is read of it, and of
each fact its texts, kind, footers, tier and all that the events did to it. What asks, shows and
writes may go; a digest may not change. `python -m tests.test_ledgers_of_before "worked 0"` prints
the lines behind a digest, for comparing two commits.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.codec.log import decode
from ledger.model.event import VERBS, FactCreated, FactUpdated, written
from ledger.model.order import is_sealed
from ledger.model.session import HEADER_KEYS, META_KEYS, TYPES, SessionLog
from memory.api import Memory
from projection.fold.projection_state import Standing
from tests.campaigns.homes import git
from tests.conftest import Run
from tests.ledgers_of_before import SHAPES, Files, made, policy

SEEDS = range(6)
#: Of each shape, the first 16 digits of the digest of each seed; and one of further seeds.
DIGESTS: dict[str, tuple[str, ...]] = {
    "worked": (
        "6bcead61d09d0833",
        "332f83fb95538a5e",
        "701ae9b3ddad4228",
        "529af424ae7a4b35",
        "120b6bcdf68e3e6a",
        "5ba2920da880ce63",
    ),
    "tasks": (
        "df3170597d1da846",
        "a02a73717f83b23d",
        "3290e8337a0b281f",
        "9408cdc5333bf7f1",
        "ca28b268e09065f9",
        "3adb17319dec07b9",
    ),
    "captured": (
        "a55d2121160e1044",
        "11e01ee04ff7d060",
        "9df0b21d9782c910",
        "3d03f96bfc43c24f",
        "1c454afbdbdbccdb",
        "f06135e10e245ccf",
    ),
    "imported": (
        "154206bf07dcb0cd",
        "86e532aca560cc13",
        "69ce585c5b7a1657",
        "00e65dd323ca310c",
        "6ce42a4eaed8fdcc",
        "c6ee87197131a640",
    ),
    "reviewed": (
        "e99668e204a254ed",
        "3f369e968dcf72cd",
        "adde713eaf6171e4",
        "5987440d24401440",
        "cb71e52b24502a95",
        "4f233accfafa773d",
    ),
    "withheld": (
        "90ac56376baf173c",
        "de6888fc3cbd39dd",
        "fc9a46e49db2799c",
        "42a3c8c7a169e1de",
        "de21acced4f24278",
        "c75d190aae7ea723",
    ),
    "by hand": (
        "74d383651f7e3adf",
        "f9c1784bd9304845",
        "d1c533de693aed17",
        "a30f7859f364e1f2",
        "beb332888cd55ae0",
        "8852f654e1e865d5",
    ),
    "everything": (
        "707b22a40ded202f",
        "c1d39665d0f206fe",
        "9f24ee07d35af94c",
        "8c88f832e6be9336",
        "e372ff7ed2875e07",
        "034b232e9672a57a",
    ),
}
FURTHER: dict[str, str] = {
    "worked": "33378166273869cc",
    "tasks": "6aa60698289f096e",
    "captured": "eba0cca6fdd07a00",
    "imported": "25fb934846f471f5",
    "reviewed": "5755acddf4cd7db8",
    "withheld": "ed58c666bb5405da",
    "by hand": "14f21b359c369c31",
    "everything": "b0a6461f71bbe7df",
}

SHOWN = ("id", "text", "kind", "tier", "meta", "tags", "state", "known", "known_by", "redacted")
STATED = (
    "kind", "meta", "created", "origin", "uses", "last_used", "closed", "closed_at",
    "superseded_by", "supersedes", "invalidated_at", "promoted", "verified", "redacted", "rivals",
    "circle", "denied", "contradicted", "archived_at", "ignores",
)  # fmt: skip
#: With those of S14, and those by which answers and imports are known again.
FOOTERS = (
    *META_KEYS, "priority", "owner", "goal", "workstream", "depends", "from", "to", "confidence",
    "about", "outcome", "iteration", "rule", "path", "symbol", "expect", "salience", "title",
    "until", "check", "obsolete_when", "misfit", "note", "asked", "warns", "personal", "by", "key",
    "imported", "learned", "review", "keys",
)  # fmt: skip
HEADERS = (
    *HEADER_KEYS, "shown", "told", "characters", "asked", "answered", "verdict", "about", "tokens",
    "quiz", "unanswered", "source", "through", "undoes", "redoes", "kept", "took",
)  # fmt: skip


def lay_ledger(folder: Path, files: Files, rules: bytes) -> None:
    """Put a ledger into a repository of its own, as git alone would."""
    for name, data in {"diurna.toml": rules, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.invalid")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "a ledger of before")


def read(path: str, data: bytes) -> SessionLog:
    """Read a log as the ledger does."""
    return decode(data, sealed=is_sealed(path.rsplit("/", 1)[1].removesuffix(".md")))[0]


def said_in(path: str, data: bytes) -> Iterator[str]:
    """Yield what is read of a log: its header, its words, its events and what stands beside."""
    log = read(path, data)
    yield f"{path}: {json.dumps([log.header, log.title, log.prose])}"
    words = {kind: word for word, kind in VERBS.items()}
    for event in log.events:
        beside = {
            name: value
            for name in ("text", "mark", "meta", "was", "said", "held", "remark")
            if (value := getattr(event, name, None))
        }
        yield f"  {words[type(event)]} {written(event)} {json.dumps(beside)}"


def stands(standing: Standing) -> str:
    """Tell of a fact all that the events did to it, and where it stands."""
    fact = standing.fact
    said = {name: getattr(fact, name) for name in STATED}
    said["versions"] = [[one.id, one.text, one.stem, sorted(one.parents)] for one in fact.heads]
    said["moves"] = [[one.state, one.stem, one.agent, one.session] for one in fact.moves]
    said["helps"] = [[one.stem, one.context, one.evidence] for one in fact.helps]
    said["place"] = [standing.tier, standing.reason, standing.quarter]
    return f"{fact.id}: {json.dumps(said, sort_keys=True)}"


def told(folder: Path, shape: str, seed: int) -> list[str]:
    """Lay a ledger, and return what is read of its logs and what the library says of its facts."""
    files = made(shape, seed)
    lay_ledger(folder, files, policy(seed))
    lines = [line for path in sorted(files) for line in said_in(path, files[path])]
    memory = Memory.open(str(folder))
    try:
        return lines + [stands(one) for one in memory.state().standings()]
    finally:
        memory.close()


def digest(lines: list[str]) -> str:
    """Return the first 16 digits of the digest of some lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def shown(facts: list[dict[str, object]]) -> list[str]:
    """Tell of facts what an answer in JSON says of their texts, footers, tier and state."""
    lines = [json.dumps({key: fact[key] for key in SHOWN}, sort_keys=True) for fact in facts]
    return sorted(lines)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_ledger_of_before_says_what_it_said(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, shape: str, seed: int
) -> None:
    """What its logs say, what the library knows of its facts, and what `show --json` answers."""
    lines = told(tmp_path / "ledger", shape, seed)
    monkeypatch.chdir(tmp_path / "ledger")
    lines += shown(run("show", "--json").json["facts"])
    assert digest(lines) == DIGESTS[shape][seed]


@pytest.mark.deep(reason="a_ledger_of_before_says_what_it_said is the small one")
@pytest.mark.parametrize("shape", SHAPES)
def test_further_ledgers_say_what_they_said(tmp_path: Path, shape: str) -> None:
    lines = [line for seed in range(6, 12) for line in told(tmp_path / str(seed), shape, seed)]
    assert digest(lines) == FURTHER[shape]


def test_the_made_ledgers_have_all_that_a_log_can_say() -> None:
    """Each verb of the union, type of log, header key and footer occurs, and more than once."""
    found: dict[str, int] = {}
    for shape in SHAPES:
        for seed in SEEDS:
            files = made(shape, seed)
            assert len(files) >= 30
            for path, data in files.items():
                log = read(path, data)
                met = [log.type, *(f"{key}:" for key, _ in log.header)]
                met += [type(event).__name__ for event in log.events]
                for event in log.events:
                    if isinstance(event, FactCreated | FactUpdated):
                        met += [f"{key}=" for key, _ in event.meta]
                for name in met:
                    found[name] = found.get(name, 0) + 1
    wanted = [kind.__name__ for kind in VERBS.values()] + list(TYPES)
    wanted += [f"{key}:" for key in HEADERS] + [f"{key}=" for key in FOOTERS]
    assert [name for name in wanted if found.get(name, 0) < 3] == []


def test_a_difference_shows(tmp_path: Path) -> None:
    """A digest tells of one word in a text, one footer, and one event more."""
    files = made("worked", 0)
    before = digest([line for path in files for line in said_in(path, files[path])])
    path = next(path for path in files if b"## Facts" in files[path])
    for old, new in (
        (b"id: f-1 ", b"id: f-1 | own: x "),
        (b"# Work", b"# Walk"),
        (b"Created: f-1", b"Verified: f-1"),
    ):
        changed = {**files, path: files[path].replace(old, new, 1)}
        assert digest([line for at in files for line in said_in(at, changed[at])]) != before, old


def main(names: list[str]) -> int:
    """Print the lines of ledgers (`"worked 0"`), but for those of `show --json`."""
    os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
    for name in names:
        shape, seed = name.rsplit(" ", 1)
        with tempfile.TemporaryDirectory() as folder:
            print(*told(Path(folder), shape, int(seed)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
