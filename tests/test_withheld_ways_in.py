"""What was withheld never comes back (F9): each way in is tried with the words of a redacted fact and log."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("mcp")

import anyio

from ledger.codec.log import decode
from ledger.errors import DraftRefused
from ledger.home import discover
from memory.api import Memory
from rituals.cli.context import Invocation
from rituals.hosts.observed.observation_spool import spool_of
from rituals.review.review_plan import plan_review
from rituals.serve.web.actions.form_fields import Fields
from rituals.serve.web.actions.form_table import Notices
from tests.campaigns.homes import lay_in_place
from tests.captured_sessions import SESSION, captured_texts, observe, say, tell
from tests.conftest import NOW_MS, Repo, Run, holders, make_repository
from tests.mcp_clients import connected, open_home, refused
from tests.small_ledgers import write_ledger
from tests.test_capture_past import claude, keep, spelled
from tests.test_cli_review import shop

#: Says a decision, stands in a transcript, and is redacted as a fact.
SAID = "We decided to pay the customer Zebulon Quark two million for the broken shipment."
#: Stands in an observation of the session.
SEEN = "zqtranswombat"
WORD = "Zebulon"
TRANSCRIPT = f"{SESSION}.jsonl"
#: What a person says of a commit.
BY_HAND = "by hand"


class Redacted:
    """A repository in which a session was captured, and its fact and log were redacted."""

    def __init__(self, repo: Repo, run: Run, transcript: Path, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.repo, self.run, self.transcript = repo, run, transcript

    def make(self) -> None:
        """Capture and redact."""
        repo, run, transcript = self.repo, self.run, self.transcript
        policy = repo.path / "memory" / "diurna.toml"
        policy.write_text(policy.read_text().replace('keep = "told"', 'keep = "digest"'))
        repo.git("commit", "-qam", "keep")
        say(transcript, "Please go on.", role="user")
        say(transcript, f"Remember that {SAID[0].lower()}{SAID[1:]}", role="user")
        say(transcript, f"It works now. {SAID} It is done.")
        observe(repo.path, 2, mark=lambda number: f"{SEEN}-{number}")
        memory = self.memory()
        tell(memory, transcript)
        seen = {"host": "claude", "session": SESSION, "folder": str(repo.path)}
        stamp = repo.path / f".git/diurna/captured/claude-{SESSION}.seen"
        stamp.write_text(json.dumps({**seen, "transcript": str(transcript)}))
        asked, told = captured_texts(memory)
        assert WORD in asked and WORD in told and SEEN in told
        memory.drain()
        for stem in sorted([log.stem for log in memory.log()]):
            ran = run("redact", stem, "--reason", "Private.")
            assert ran.code == 0, ran.err
        assert WORD not in self.shown()

    def memory(self) -> Memory:
        """Open the home."""
        return Memory(discover(str(self.repo.path)), in_process=False)

    def shown(self) -> str:
        """Return what memory shows of all facts and logs, and what it proposes."""
        asked = (
            ("show",),
            ("show", "--list", "--all"),
            ("log",),
            ("brief",),
            ("review", "--learn"),
            ("conflicts",),
            ("review",),
        )
        answers = [self.run(*words) for words in asked]
        return "\n".join(ran.out + ran.err for ran in answers)


@pytest.fixture
def redacted(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> Redacted:
    """As it was when it was made, in one place: the capture knows where the transcript lies."""

    def make(folder: Path) -> None:
        shutil.move(repo.path, folder / "shop")
        monkeypatch.chdir(folder / "shop")
        Redacted(Repo(folder / "shop"), run, folder / TRANSCRIPT, monkeypatch).make()

    folder = lay_in_place("redacted", make)
    monkeypatch.chdir(folder / "shop")
    return Redacted(Repo(folder / "shop"), run, folder / TRANSCRIPT, monkeypatch)


def by_note(at: Redacted) -> None:
    for text in (f"decision: {SAID}", f"fact: {SAID.lower()} indeed", SAID.rstrip(".") + "!"):
        ran = at.run("note", text)
        assert ran.code == 1 and "says what was redacted here" in ran.err and WORD not in ran.err


def by_append(at: Redacted) -> None:
    for words in (
        ("--title", SAID),
        ("--title", "T", "--body", "-"),
        ("--title", "T", "--new", SAID),
    ):
        assert at.run("append", *words, stdin=f"Once. {SAID}\n".encode()).code == 1
    draft = {"title": "T", "new": [{"text": SAID}]}
    assert at.run("append", "--from-json", "-", stdin=json.dumps(draft).encode()).code == 1


def by_task(at: Redacted) -> None:
    assert at.run("task", "add", SAID).code == 1


def by_an_edit(at: Redacted) -> None:
    page = at.repo.path / "memory" / "continuity.md"
    at.run("check", "--publish")
    before = page.read_text()
    page.write_text(before.replace("## Facts\n", f"## Facts\n\n- {SAID}\n", 1))
    assert page.read_text() != before
    assert at.run("check", "--absorb").code == 1
    page.write_text(before)


def by_a_committed_edit(at: Redacted) -> None:
    page = at.repo.path / "memory" / "continuity.md"
    at.run("check", "--publish")
    said = page.read_text().replace("## Facts\n", f"## Facts\n\n- Kept.\n- {SAID}\n", 1)
    page.write_text(said)
    at.repo.git("commit", "-qam", BY_HAND)
    for option in ("--absorb", "--publish"):
        ran = at.run("check", option)
        assert ran.code == 1 and page.read_text() == said, ran
        assert "redacted here" in ran.err and "--discard-edits" in ran.err and WORD not in ran.err
    assert at.run("check", "--publish", "--discard-edits").code == 0
    assert WORD not in page.read_text()


def by_learning(at: Redacted) -> None:
    assert WORD not in at.run("review", "--learn").out
    assert at.run("review", "--learn", "--ask").code == 0
    assert WORD not in at.run("review", "--learn", "--json").out


def proposed(at: Redacted) -> str:
    """Let there be a proposal; return its key."""
    for path in ("a.py", "b.py", "c.py"):
        ran = at.run("note", "--rule", "unclean", "--path", path, "what is left stays")
        assert ran.code == 0, ran.err
    (one,) = at.run("review", "--learn", "--json").json["proposals"]
    return str(one["key"])


def by_accepting(at: Redacted) -> None:
    ran = at.run("review", "--learn", "--accept", proposed(at), "--text", SAID)
    assert ran.code == 1 and "redacted here" in ran.err


def by_the_past(at: Redacted) -> None:
    user = Path.home()
    lines = [*claude(str(at.repo.path))]
    file = keep(user, f".claude/projects/{spelled(at.repo.path)}/s9.jsonl", lines)
    say(file, f"Why? {SAID}", role="user")
    say(file, SAID, "Another thing was done, and nobody minds. " * 12)
    os.utime(file, (NOW_MS / 1000 - 40 * 86_400,) * 2)
    ran = at.run("capture", "--past", "--write")
    assert ran.out.endswith("told in 1 log\n"), ran


def by_mcp(at: Redacted) -> None:
    async def story() -> None:
        async with connected(at.repo.path, open_home) as client:
            for arguments in ({"title": SAID}, {"title": "T", "new": [{"text": SAID}]}):
                assert WORD not in await refused(client, "append", **arguments)

    anyio.run(story)


def by_a_form(at: Redacted) -> None:
    shop(at.repo, at.run)
    assert at.run("note", "id=clean thread: Sweep it.").code == 0
    own, learn = ("text", SAID), ("key", proposed(at))
    asked = plan_review(at.memory()).unanswered[0]
    key = ("key", asked.key)
    for name, *pairs in (
        ("close", ("id", "clean"), ("reason", SAID)),
        ("archive", ("id", "clean"), ("reason", SAID)),
        ("note", own),
        ("note", ("text", "It holds."), ("body", SAID)),
        ("reword", ("id", "clean"), own),
        ("replace", ("id", "clean"), own),
        ("deny", ("id", "clean"), ("reason", SAID)),
        ("add-task", ("text", "Sweep"), ("risk", SAID)),
        ("report-finding", ("rule", "r"), own),
        ("learn", learn, ("say", "accept"), own),
        ("answer", key, ("say", "reword"), ("id", "inv"), own),
        ("answer", key, ("say", "ask"), own),
    ):
        with pytest.raises(DraftRefused, match="redacted here"):
            Notices().record(at.memory(), name, Fields(tuple(pairs)))


def by_an_answer(at: Redacted) -> None:
    shop(at.repo, at.run)
    at.patch.setattr(Invocation, "interactive", lambda self: True)
    for typed in ("r\nw\n{}\nq\n", "r\nt\n{}\nq\n"):
        ran = at.run("review", stdin=typed.format(SAID).encode())
        assert ran.code == 1 and "redacted here" in ran.err, ran


def by_the_transcript_again(at: Redacted) -> None:
    memory = at.memory()
    say(at.transcript, f"As memory says: {SAID}", role="user")
    say(at.transcript, SAID, "Another thing was done, and nobody minds. " * 12)
    tell(memory, at.transcript)
    tell(memory, at.transcript, session="another")
    for text in captured_texts(memory):
        stem = decode(text.encode(), sealed=True)[0]
        assert WORD not in text or (stem.get("session") == SESSION and SEEN in text)


def by_import(at: Redacted) -> None:
    file = at.repo.path.parent / "facts.jsonl"
    file.write_text(json.dumps({"id": "m1", "text": SAID, "kind": "decision"}) + "\n")
    ran = at.run("import", "jsonl", str(file), "--write")
    assert ran.code == 0 and "redacted here" in ran.out


def by_events(at: Redacted) -> None:
    other = str(make_repository(at.repo.path.parent / "other").path)
    assert at.run("init", other).code == 0
    for text in (f"decision: {SAID}", "fact: Nobody minds this one."):
        assert at.run("note", text, "--home", other).code == 0
    lines = at.run("export", "events", "--home", other).out.encode()
    ran = at.run("import", "events", "-", stdin=lines)
    assert ran.code == 0 and "1 log imported" in ran.out and "1 left out" in ran.out
    assert "standard input:2" in ran.err and "says what was redacted here" in ran.err
    again = at.run("import", "events", "-", "--json", stdin=lines).json
    assert again["commits"] == [] and [one["line"] for one in again["left_out"]] == [2]


def by_a_ledger(at: Redacted) -> None:
    page = f"# Continuity\n\n## Key Decisions\n\n- {SAID}\n"
    said = f"# Continuity\n\n{SAID}\n\n## Facts\n\n- Nobody minds that one.\n"
    for folder, text in (("old", page), ("older", said)):
        files = {"continuity.md": text, "sessions/2026-01-01-000000.md": f"# S\n\n{SAID}\n"}
        write_ledger(at.repo.path.parent / folder, files)
        ran = at.run("import", "ledger", f"../{folder}", "--write")
        assert ran.code == 0 and "left out: sessions/2026-01-01-000000.md" in ran.out, ran


def by_a_record(at: Redacted) -> None:
    at.repo.write(
        "docs/adr/0001-pay.md", f"# Pay\n\n## Status\n\nAccepted\n\n## Decision\n\n{SAID}\n"
    )
    at.repo.git("add", "docs")
    at.repo.git("commit", "-qm", "a record")
    assert at.run("import", "docs", "--write").code == 0


def beside_git(at: Redacted) -> None:
    for word in (WORD, SEEN):
        assert holders(at.repo.path / ".git" / "diurna", word) == []
    spool = spool_of(str(at.repo.path / ".git"), "claude", SESSION).read()
    assert (spool.count, spool.observations) == (2, ())


@pytest.mark.parametrize(
    "way",
    [beside_git, by_note, by_append, by_task, by_an_edit, by_a_committed_edit, by_learning, by_accepting,
     by_the_transcript_again, by_the_past, by_import, by_events, by_a_ledger, by_a_record,
     by_mcp, by_a_form, by_an_answer],
)  # fmt: skip
def test_no_way_leads_in_again(redacted: Redacted, way: Callable[[Redacted], None]) -> None:
    """Refused where somebody means it, left out where a machine gathers it; shown nowhere, and in no commit."""
    tip = redacted.repo.git("rev-parse", "HEAD").strip()
    way(redacted)
    assert WORD not in redacted.shown()
    new = redacted.repo.git(
        "log", "-p", "--invert-grep", f"--grep={BY_HAND}", f"{tip}..HEAD", "--", "memory", ":!docs"
    )
    added = [line for line in new.splitlines() if line.startswith("+")]
    assert [line for line in added if WORD in line] == []
    assert redacted.run("check", "--ci").code == 0
