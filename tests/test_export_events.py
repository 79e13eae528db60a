"""What `diurna export events` writes gives, imported, the same logs to the byte, or nothing at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.codec.log import encode
from ledger.model.event import FactCreated, FactReferenced, FactUpdated
from ledger.model.layout import log_path
from ledger.model.order import seal
from ledger.model.session import SessionLog
from ledger.model.sha256 import blob_id
from memory.api import Memory
from rituals.report.event_lines import log_line, read_line
from tests.conftest import Repo, Run, each_row
from tests.small_ledgers import bring_in, needs_mercury, place_mercury

_STAMP = "2026-11-21-083012417"
_WORDS = st.text("ab`→#-:|<>!\u00e9\u2028\\\"'{}[] 0", max_size=30)


def _sealed(data: bytes) -> str:
    return log_path(seal(_STAMP, data))


@given(st.binary(max_size=400), st.booleans())
def test_any_bytes_come_back(data: bytes, sealed: bool) -> None:
    """Whatever a log holds, its line gives it back; ASCII, and one line."""
    path = _sealed(data) if sealed else "sessions/by hand/2026-11-21-notes.md"
    line = log_line(path, data)
    assert line.isascii() and "\n" not in line
    assert read_line(line.encode()) == (path, data)


@given(_WORDS, _WORDS, _WORDS)
def test_a_canonical_log_is_said_by_its_events(title: str, prose: str, text: str) -> None:
    """Its line repeats no bytes: header, title, prose and events are all of it."""
    title, text = " ".join(title.split()) or "T", " ".join(text.split()) or "x"
    events = (
        FactReferenced("b"),
        FactCreated("a-b", text, "", (("kind", "decision"),)),
        FactUpdated("c", text, ("3fa9c1d2",)),
    )
    log = SessionLog((("agent", "codex"), ("ended", "x")), title, prose.strip(), events)
    data = encode(log)
    said = json.loads(log_line(_sealed(data), data))
    if "text" not in said:
        assert said["title"] == title and said["events"][1]["meta"] == [["kind", "decision"]]
    plain = encode(log._replace(prose="Plain.", title="Plain", events=(FactReferenced("b"),)))
    assert "text" not in json.loads(log_line(_sealed(plain), plain))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(st.data())
def test_a_line_that_was_changed_is_refused(data: st.DataObject) -> None:
    """Another value of any key is refused by a sentence, or says the same log all the same."""
    body = encode(SessionLog((("agent", "a"),), "T", "Prose.", (FactReferenced("b"),)))
    said = json.loads(log_line(_sealed(body), body))
    key = data.draw(st.sampled_from([*said, "text", "base64"]))
    said[key] = data.draw(_JSON)
    try:
        found = read_line(json.dumps(said).encode())
    except ValueError as problem:
        assert str(problem)
    else:
        assert found == (_sealed(body), body)


@each_row(
    "line, said",
    [
        (b"[1]", "no JSON object"),
        (b"\xff{}", "no JSON object"),
        (b"[" * 100_000, "no JSON object"),
        (b"{}", "names no path"),
        (b'{"path": "sessions/../x.md", "blob": ""}', "no place of a session log"),
        (b'{"path": "sessions/x.md", "blob": ""}', "no place of a session log"),
        (b'{"path": "continuity.md", "blob": ""}', "no place of a session log"),
        (b'{"path": "sessions/a\\u0000/2026-11-21.md", "blob": ""}', "control character"),
        (b'{"path": "sessions/2026-11-21.md", "blob": ""}', "make no log"),
        (b'{"path": "sessions/2026-11-21.md", "blob": "", "text": "x"}', "not the log"),
        (b'{"path": "sessions/2026-11-21.md", "blob": "", "base64": "!"}', "no base64"),
    ],
)
def test_hostile_lines(line: bytes, said: str) -> None:
    """None is read, and each refusal says why."""
    with pytest.raises(ValueError, match=said):
        read_line(line)


def test_a_seal_and_its_place_are_held_to() -> None:
    """A sealed log is not taken under a name that its bytes do not prove, nor anywhere else."""
    name = log_path(seal(_STAMP, b"one"))
    said = {"path": name, "blob": blob_id(b"two"), "text": "two"}
    with pytest.raises(ValueError, match="sealed with"):
        read_line(json.dumps(said).encode())
    said = {"path": f"sessions/{name.rpartition('/')[2]}", "blob": blob_id(b"one"), "text": "one"}
    with pytest.raises(ValueError, match="belongs"):
        read_line(json.dumps(said).encode())


def _other(repo: Repo, run: Run) -> tuple[str, ...]:
    """Make a second home; return the options that name it."""
    folder = repo.path.parent / "elsewhere"
    repo.git("init", "-q", str(folder))
    assert run("init", str(folder)).code == 0
    return "--home", str(folder)


def test_import_gives_the_same_state_and_nothing_twice(repo: Repo, run: Run) -> None:
    """The digest, the facts and the page are the same; a second import commits nothing."""
    run("note", "decision: Webhooks retry three times.", "thread: Measure it.")
    run("append", "--update", "laduge", "Webhooks retry twice.")
    repo.write("memory/sessions/notes/2026-11-20-101500.md", "# By hand\r\n\r\nText \xe9.\r\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "by hand")
    lines = run("export", "events").out
    file = repo.path.parent / "events.ndjson"
    file.write_text(lines)
    home = _other(repo, run)
    plan = run("import", "events", str(file), "--dry-run", "--json", *home).json
    assert plan["logs"] == 3 and len(plan["new"]) == 3 and plan["commits"] == []
    assert len(run("import", "events", str(file), "--json", *home).json["commits"]) >= 1
    assert run("export", "events", *home).out.split("\n")[1:] == lines.split("\n")[1:]
    ours, theirs = Memory.open(str(repo.path)), Memory.open(home[1])
    assert ours.state().summary == theirs.state().summary
    assert ours.state().standings() == theirs.state().standings()
    assert not theirs.drift()
    tip = theirs.home.tip()
    again = run("import", "events", "-", *home, stdin=lines.encode())
    assert "0 logs imported" in again.out and "3 are here already" in again.out
    assert theirs.home.tip() == tip


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: lines[1:], 1),
        (lambda lines: [lines[0].replace('"version": 1', '"version": 2'), *lines[1:]], 1),
        (lambda lines: [lines[0], lines[1].replace("Webhooks", "webhooks"), *lines[2:]], 2),
        (lambda lines: [*lines, "x"], 4),
        (lambda lines: lines[:-1], 2),
    ],
    ids=["no-head", "newer", "another-text", "no-json", "cut-short"],
)
def test_one_refused_line_refuses_all(repo: Repo, run: Run, change: object, line: int) -> None:
    """The line is named, the code is 1, and nothing was written."""
    run("note", "decision: Webhooks retry three times.")
    run("note", "decision: Orders stay in memory.")
    lines = run("export", "events").out.splitlines()
    file = repo.path.parent / "events.ndjson"
    file.write_text("\n".join(change(lines)) + "\n")  # type: ignore[operator]
    home = _other(repo, run)
    tip = Memory.open(home[1]).home.tip()
    refused = run("import", "events", str(file), *home)
    assert refused.code == 1 and f"events.ndjson:{line}" in refused.err
    assert Memory.open(home[1]).home.tip() == tip


def test_two_names_for_one_place(repo: Repo, run: Run) -> None:
    """A log written by hand whose name another one has here stands beside it, and both are read."""
    name = "sessions/2026-11-20-101500.md"
    repo.write(f"memory/{name}", "# One\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "one")
    lines = run("export", "events").out
    home = _other(repo, run)
    other = Path(Memory.open(home[1]).home.folder) / name
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_text("# Two\n")
    who = ("-c", "user.name=B", "-c", "user.email=b@example.invalid")
    for arguments in (("add", "-A"), (*who, "commit", "-qm", "two")):
        repo.git("-C", home[1], *arguments)
    assert run("import", "events", "-", *home, stdin=lines.encode()).code == 0
    assert Memory.open(home[1]).state().summary.logs == 2
    assert "0 logs imported" in run("import", "events", "-", *home, stdin=lines.encode()).out


@pytest.mark.deep(reason="the other tests here have a small ledger")
@needs_mercury
def test_a_ledger_of_another_tool(bare_repo: Repo, run: Run) -> None:
    """The real one, imported, arrives whole."""
    bring_in(place_mercury(bare_repo.path))
    lines = run("export", "events").out
    home = _other(bare_repo, run)
    assert run("import", "events", "-", *home, stdin=lines.encode()).code == 0
    ours, theirs = Memory.open(str(bare_repo.path)), Memory.open(home[1])
    assert ours.state().summary == theirs.state().summary
