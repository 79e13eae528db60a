"""What is exported beside a site: a vault that Obsidian opens, events that give the same logs to the byte.

A vault's front matter is YAML, its links lead to notes, and nobody's file is touched. Of events a line that
was changed refuses them all.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.campaigns.second_fold import BareHome, made_up, sealed
from tests.conftest import Repo, Run, each_row, examples
from tests.web.homes import MERCURY, bring_in

_SCALAR = re.compile(
    r'"(?:[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*"|-?\d+|true|false'
)
_LINK = re.compile(r"(?<!\\)\[\[([^\[\]|#\n]*)(?:[|#][^\[\]\n]*)?\]\]")
NOTE = re.compile(r"(?:(?:facts|daily|entities)/)?@?[A-Za-z0-9][A-Za-z0-9.-]*\.md")


def front_matter(text: str) -> dict[str, object]:
    """Read front matter, strictly: a flat map of quoted strings, numbers, booleans and lists of these."""
    head, end, _ = text.removeprefix("---\n").partition("\n---\n")
    assert text.startswith("---\n") and end
    found: dict[str, object] = {}
    for line in head.split("\n"):
        key, colon, value = line.partition(": ")
        assert colon and re.fullmatch(r"[a-z_][a-z0-9_-]*", key) and key not in found, line
        if value[:1] == "[":
            parts = _SCALAR.findall(value[1:-1])
            assert value[-1:] == "]" and ", ".join(parts) == value[1:-1], line
            found[key] = [json.loads(part) for part in parts]
        else:
            assert _SCALAR.fullmatch(value), line
            found[key] = json.loads(value)
    return found


def without_code(text: str) -> str:
    """Return a note without its code, in which links are none."""
    blocks = r"(?ms)^ {0,3}(```|~~~).*?(?:^ {0,3}\1[`~]*\s*$|\Z)|^ {4}[^\n]*$|`[^`\n]*`"
    return re.sub(blocks, "·", text)


def check(folder: Path) -> dict[str, str]:
    """Hold a vault to what its readers expect, and return its notes."""
    notes = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.md")}
    names = [path.rpartition("/")[2].removesuffix(".md") for path in notes]
    assert len({name.casefold() for name in names}) == len(names), names
    for path, text in notes.items():
        assert NOTE.fullmatch(path) and path.rpartition("/")[2].split(".")[0] not in (
            "con",
            "nul",
            "com1",
        )
        assert front_matter(text), path
        for target in _LINK.findall(without_code(text)):
            assert target in names, (path, target)
    return notes


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exports")


def _home(place: Path, files: dict[str, bytes]) -> BareHome:
    name = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    made = (place / name).exists()
    home = BareHome(place / name)
    if not made:
        home.commit(files)
    return home


SMALL = settings(
    max_examples=examples(3, 40), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@SMALL
@given(st.integers(0, 10**9))
def test_any_ledger_makes_a_sound_vault(place: Path, run: Run, seed: int) -> None:
    """Front matter parses, names are unique on every file system, no link is dead; a second export writes nothing."""
    home = _home(place, made_up(random.Random(seed)))
    folder = place / f"vault-{home.folder.name}"
    asked = "export", "vault", str(folder), "--json", "--home", str(home.folder)
    assert run(*asked).code == 0
    check(folder)
    assert run(*asked).json["written"] == []


_ODD = st.text('aAäß[]|#^\\`/.:*?"<>\u202e\u2028\x85\ufeff\U0001f600 -', max_size=12)
STAMP = "2026-11-21-083012417"


@SMALL
@given(st.lists(_ODD, max_size=3), _ODD, _ODD)
def test_odd_texts_and_entities(
    place: Path, run: Run, names: list[str], text: str, tag: str
) -> None:
    """Whatever a fact says, and whatever it is about."""
    about = ", ".join(" ".join(name.split()) for name in names).replace("|", "")
    log = (
        "---\nagent: a\n---\n# T\n\n## Memory References\n\n- Created: a, b\n\n## Facts\n\n"
        f"- [[b]] [[{text}]] ![[b]] [[b|{text}]]\n  <!-- id: a | kind: fact | entity: {about} -->\n"
        f"- x {text}\n  <!-- id: b | kind: fact | tags: {tag.replace('|', '')} -->\n"
    ).encode()
    home = _home(
        place, {"diurna.toml": b"format = 1\n", f"sessions/2026-11/21/{sealed(STAMP, log)}.md": log}
    )
    folder = place / f"vault-{home.folder.name}"
    assert run("export", "vault", str(folder), "--home", str(home.folder)).code == 0
    check(folder)


def test_a_vault_has_what_holds_and_nothing_that_is_withheld(repo: Repo, run: Run) -> None:
    """An id that is a device, a day or a note at the top gets a name of its own; notes of roles stand in one."""
    ids = ("con", "state", "2026-11-21", "aux.x", "state-fact", "memory")
    new = [f"id={id} fact: See [[{other}]]." for id, other in zip(ids, ids[::-1], strict=True)]
    new += ["id=gone entity=person/Smith fact: Mr. Smith pays.", "id=mine role=judge pattern: Judges see this.",
            "id=old decision: One.", "id=new decision: Two."]  # fmt: skip
    words = [word for one in new for word in ("--new", one)]
    assert run("append", "--title", "T", *words, "--supersede", "old=new").code == 0
    assert run("redact", "gone", "--reason", "a name").code == 0
    folder = repo.path.parent / "vault"
    assert run("export", "vault", str(folder)).code == 0
    notes = check(folder)
    assert "facts/state-fact-fact.md" in notes and "facts/con-fact.md" in notes
    assert (
        "[[state-fact-fact|state]]" in notes["facts/aux.x-fact.md"] + notes["facts/state-fact.md"]
    )
    assert not any("Smith" in text for text in notes.values())
    assert [path for path, text in notes.items() if "Judges" in text] == ["ROLES.md"]
    assert "Superseded by: [[new]]" in notes["facts/old.md"]


def test_a_second_vault_writes_nothing_and_what_a_person_wrote_stays(repo: Repo, run: Run) -> None:
    """What changed is written, what is gone is removed, what somebody changed is named."""
    run("note", "decision: id=go Go to [[there]].", "fact: id=there There. ")
    folder = repo.path.parent / "vault"
    planned = run("export", "vault", str(folder), "--dry-run", "--json").json["written"]
    assert planned and not folder.exists()
    run("export", "vault", str(folder))
    assert set(check(folder)) == set(planned)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.md")}
    assert run("export", "vault", str(folder), "--json").json["written"] == []
    assert before == {path: path.stat().st_mtime_ns for path in folder.rglob("*.md")}
    gone = (folder / "facts/go.md").read_bytes()
    for path in ("facts/gone.md", "notes/x.md"):  # ours in a folder of ours, and elsewhere
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(gone)
    (folder / "facts/mine.md").write_text("# Mine\n")
    (folder / "facts/go.md").write_bytes(gone + b"\nMore.\n")
    ran = run("export", "vault", str(folder), "--json")
    assert ran.code == 1 and ran.json["removed"] == ["facts/gone.md"]
    assert [one["code"] for one in ran.json["findings"]] == [
        "hand-edited"
    ] and "facts/go.md is there" in ran.err
    assert (folder / "facts/go.md").read_bytes().endswith(b"More.\n") and (
        folder / "notes/x.md"
    ).exists()
    assert (folder / "facts/mine.md").read_text() == "# Mine\n"


def test_folders_in_which_no_vault_can_be(repo: Repo, run: Run) -> None:
    """The home, git's folder, a file, a folder whose parts are links: refused, and nothing is written."""
    run("note", "fact: One.")
    repo.write("file", "mine\n")
    (repo.path / "linked").mkdir()
    (repo.path / "linked" / "facts").symlink_to(repo.path / "memory")
    before = sorted(repo.path.rglob("*.md"))
    for place in ("memory/vault", ".git/vault", "memory", "file", "linked"):
        ran = run("export", "vault", place)
        assert ran.code == 1 and "hint: name a folder outside" in ran.err, place
    assert sorted(repo.path.rglob("*.md")) == before


# ---- events ---------------------------------------------------------------------------------------


def sessions_of(home: str | Path) -> set[tuple[str, str]]:
    """Return the logs of a home, by name and the hash of their bytes."""
    told = subprocess.check_output(["git", "-C", str(home), "ls-tree", "-r", "HEAD"], text=True)
    rows = [line.split("\t") for line in told.splitlines() if "sessions/" in line]
    return {(path.rpartition("/")[2], row.split()[2]) for row, path in rows}


def second(repo: Repo, run: Run) -> tuple[str, str]:
    """Make a second home, once; return the options that name it."""
    folder = repo.path.parent / "elsewhere"
    if not folder.exists():
        repo.git("init", "-q", str(folder))
        assert run("init", str(folder)).code == 0
    return "--home", str(folder)


@pytest.mark.deep(reason="import_gives_the_same_state_and_nothing_twice is the small one")
@settings(max_examples=examples(8, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**9), st.binary(max_size=300))
def test_any_logs_come_back_to_the_byte(place: Path, run: Run, seed: int, data: bytes) -> None:
    """Whatever a log holds, its line gives it back, in ASCII, and one line."""
    files = made_up(random.Random(seed)) | {"sessions/by hand/2026-11-21-notes.md": data}
    home = _home(place, files)
    lines = run("export", "events", "--home", str(home.folder)).out
    assert lines.isascii()
    other = _home(place, {"diurna.toml": b"format = 1\n", "of": home.folder.name.encode()})
    assert run("import", "events", "-", "--home", str(other.folder), stdin=lines.encode()).code == 0
    assert sessions_of(other.folder) == sessions_of(home.folder)


def test_import_gives_the_same_state_and_nothing_twice(repo: Repo, run: Run) -> None:
    """The digest, the facts and the page are the same; a second import commits nothing."""
    run("note", "decision: Webhooks retry three times.", "thread: Measure it.")
    run("append", "--update", "laduge", "Webhooks retry twice.")
    repo.write("memory/sessions/notes/2026-11-20-101500.md", "# By hand\r\n\r\nText \xe9.\r\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "by hand")
    lines = run("export", "events").out
    said = [json.loads(line) for line in lines.splitlines()]
    assert all(one["title"] and "text" in one for one in said[1:])
    file = repo.path.parent / "events.ndjson"
    file.write_text(lines)
    home = second(repo, run)
    plan = run("import", "events", str(file), "--dry-run", "--json", *home).json
    assert plan["logs"] == 3 and len(plan["new"]) == 3 and plan["commits"] == []
    assert len(run("import", "events", str(file), "--json", *home).json["commits"]) >= 1
    assert sessions_of(home[1]) == sessions_of(repo.path)
    assert run("check", "--publish").code == 0
    for asked in (("show", "--list", "--all", "--json"), ("check", "--replay", "--json")):
        ours, theirs = run(*asked).json, run(*asked, *home).json
        for one in (ours, theirs):
            one.pop("project", None)
            for fact in one["facts"] if asked[0] == "show" else ():
                fact.pop("here", None)
        assert ours == theirs, asked
    again = run("import", "events", "-", *home, stdin=lines.encode())
    assert "0 logs imported" in again.out and "3 are here already" in again.out


def test_two_names_for_one_place(repo: Repo, run: Run) -> None:
    """A log written by hand whose name another one has here stands beside it, and both are read."""
    name = "sessions/2026-11-20-101500.md"
    repo.write(f"memory/{name}", "# One\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "one")
    lines = run("export", "events").out
    home = second(repo, run)
    other = Path(home[1], name)
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_text("# Two\n")
    who = ("-c", "user.name=B", "-c", "user.email=b@example.invalid")
    for arguments in (("add", "-A"), (*who, "commit", "-qm", "two")):
        repo.git("-C", home[1], *arguments)
    assert run("import", "events", "-", *home, stdin=lines.encode()).code == 0
    assert len(sessions_of(home[1])) == 2
    assert run("check", "--replay", "--json", *home).json["logs"] == 2
    assert "0 logs imported" in run("import", "events", "-", *home, stdin=lines.encode()).out


def line_of(path: str, blob: str = "", **said: str) -> str:
    return json.dumps({"path": path, "blob": blob, **said})


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


_NAME = sealed(STAMP, b"one")
_PLACE = f"sessions/2026-11/21/{_NAME}.md"


@each_row("line, said", [
    ("[1]", "no JSON object"), ("[" * 100_000, "no JSON object"), ("x", "no JSON object"), ("{}", "names no path"),
    (line_of("sessions/../x.md"), "no place of a session log"), (line_of("sessions/x.md"), "no place of a session log"),
    (line_of("continuity.md"), "no place of a session log"), (line_of("sessions/a\0/2026-11-21.md"), "control character"),
    (line_of("sessions/2026-11-21.md"), "holds no bytes"), (line_of("sessions/2026-11-21.md", text="x"), "not the log"),
    (line_of("sessions/2026-11-21.md", base64="!"), "holds no bytes"),
    (line_of(_PLACE, blob(b"two"), text="two"), "sealed with"),
    (line_of(f"sessions/{_NAME}.md", blob(b"one"), text="one"), "belongs"),
    (line_of("sessions/2026-11-21.md", blob(b"two"), base64=base64.b64encode(b"one").decode()), "not the log"),
])  # fmt: skip
def test_one_hostile_line_refuses_all(repo: Repo, run: Run, line: str, said: str) -> None:
    """It is named, and the refusal says why; nothing was written."""
    home = second(repo, run)
    before = sessions_of(home[1])
    sent = f'{{"kind": "diurna-events", "version": 1, "logs": 1}}\n{line}\n'
    refused = run("import", "events", "-", *home, stdin=sent.encode())
    assert refused.code == 1 and said in refused.err and ":2" in refused.err
    assert sessions_of(home[1]) == before


def test_what_was_changed_or_cut_short_is_refused(repo: Repo, run: Run) -> None:
    run("note", "decision: Webhooks retry three times.")
    run("note", "decision: Orders stay in memory.")
    lines, home = run("export", "events").out.splitlines(), second(repo, run)
    for changed, place in (
        (lines[1:], 1), ([lines[0].replace('"version": 1', '"version": 2'), *lines[1:]], 1),
        ([lines[0], lines[1].replace("Webhooks", "webhooks"), *lines[2:]], 2), ([*lines, "x"], 4), (lines[:-1], 2),
    ):  # fmt: skip
        refused = run("import", "events", "-", *home, stdin=("\n".join(changed) + "\n").encode())
        assert refused.code == 1 and f":{place}" in refused.err, changed
    assert sessions_of(home[1]) == set()


@pytest.mark.deep(reason="the other tests here have small ledgers")
@pytest.mark.skipif(not MERCURY.is_dir(), reason="the shared ledgers are not here")
def test_the_real_ledger(bare_repo: Repo, run: Run, tmp_path: Path) -> None:
    """Imported, it is a vault without a dead link, and its events arrive whole."""
    bring_in(MERCURY, bare_repo.path)
    assert run("export", "vault", str(tmp_path / "vault")).code == 0
    assert len(check(tmp_path / "vault")) > 100
    home = second(bare_repo, run)
    assert run("import", "events", "-", *home, stdin=run("export", "events").out.encode()).code == 0
    assert sessions_of(home[1]) == sessions_of(bare_repo.path)
