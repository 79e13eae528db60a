"""Every command asked for JSON, in two clones of a small ledger: the answers that COMMANDS.md describes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rituals.cli.command_table import TAKES
from rituals.cli.option_table import Option
from rituals.hosts.observed.observation_spool import Observation, spool_of

if TYPE_CHECKING:
    from tests.conftest import Ran

#: A word of what is only the user's, and the folder that it may stand in.
OWN, OWN_FOLDER = "Quillfeather", "own"
Answers = dict[str, list[Any]]
#: Objects whose keys are names of the ledger: path -> what the keys are.
KEYED = {
    "counted.findings": "CODE",
    "course.tiers": "TIER",
    "did": "VERB",
    "events[].meta": "KEY",
    "facts[].meta": "KEY",
    "facts[].remarks": "KEY",
    "kinds": "KIND",
    "marks": "ID",
    "pace.agents": "AGENT",
    "sessions[].facts": "VERB",
    "tiers": "TIER",
    "verdicts[].counts": "VERDICT",
}

#: The options by which a command answers with other keys.
MODES = {
    name: [row.name.split()[-1] for row in rows if isinstance(row, Option) and row.key == "mode"]
    for name, rows in TAKES.items()
}


class Recorder:
    """Runs commands, and keeps what they answer.

    Args:
        run: the fixture `run`.
    """

    def __init__(self, run: Callable[..., Ran]) -> None:
        self._run = run
        self.answers: Answers = {}

    def __call__(
        self, command: str, *arguments: str, stdin: str = "", refused: bool = False
    ) -> Any:
        """Run a command with `--json` and return its answer, that of a failure where one is meant."""
        ran = self._run(command, *arguments, "--json", stdin=stdin.encode())
        assert ran.out, (command, arguments, ran.err)
        answer = json.loads(ran.out)
        assert ("error" in answer) is refused, (command, arguments, answer)
        modes = [*MODES.get(command, ()), "--level", "timeline"]
        mode = " ".join([command, *[one for one in arguments if one in modes]])
        self.answers.setdefault("failure" if refused else mode, []).append(answer)
        return answer

    def printed(self, *arguments: str) -> str:
        """Run a command and return what it prints."""
        return self._run(*arguments).out


def _record(tell: Recorder) -> tuple[str, str]:
    """Make a home with facts of many kinds; return the stems of its first two logs."""
    tell("init", "--project", "shop")
    first = tell(
        "append", "--title", "Ship the webhooks", "--agent", "claude-code", "--role", "coder",
        "--new", 'id=webhook-once entity="Payments API" decision: A webhook is sent once.',
        "--new", "id=orders-stay invariant: Orders are never deleted; see [[webhook-once]].",
        "--new", "id=storm thread: Can a retry storm starve workers? → serves: webhook-retries",
    )  # fmt: skip
    second = tell(
        "append", "--title", "Webhooks were lost", "--agent", "codex", "--ref", "orders-stay",
        "--new", 'id=webhook-retries entity="Payments API, Redis" note=soon decision: Webhooks retry thrice.',
        "--supersede", "webhook-once=webhook-retries",
    )  # fmt: skip
    tell("note", "id=uv decision: We use uv.")
    tell("undo", "--dry-run")
    tell("undo")
    tell("undo", "--redo")
    tell("undo")
    tell("note", "id=twin decision: Webhooks retry thrice.", "--dry-run")
    tell("append", "--new", "id=twin decision: Webhooks retry thrice.", "--dry-run")
    tell("append", "--ref", "nobody", "--anyway")
    tell("append", "--from-json", "-", stdin='{"title": "Tidy", "close": ["storm"]}')
    tell("append", "--from-json", "-", stdin='{"titel": "Tidy"}', refused=True)
    tell("append", "--title", "Key", "--body", "-", stdin="password = 'hTg5-Kq8z-Wv2x-Rb7m'\n")
    return first["stem"], second["stem"]


def _keep_own(tell: Recorder) -> None:
    """Make a personal home, and record in it what is in no answer and no file of the others' from then on."""
    tell("init", "--personal", "--dry-run")
    tell("init", "--personal")
    tell("note", "--personal", f"id=own-way preference: {OWN} likes webhooks with retries.")
    tell(
        "append", "--title", "Both", "--ref", "orders-stay,own-way",
        "--new", f"personal=true preference: {OWN} reads short answers.",
    )  # fmt: skip
    tell("append", "--ref", "personal/own-way", "--dry-run")


def _work(tell: Recorder, folder: Path) -> None:
    """Add tasks, claim one, and hand it over."""
    tell("task", "add", "Wire the queue", "--id", "wire", "--owner", "claude-code")
    tell("task", "add", "Measure it", "--id", "measure", "--depends", "wire")
    tell("task")
    tell("task", "start", "wire", "--dry-run")
    tell("task", "start", "wire")
    tell("task", "start", "wire")
    tell("task", "handoff", "wire", "--done", "All of it.")
    tell("task", "pick")


def _ask(tell: Recorder, folder: Path, stem: str) -> None:
    """Ask whatever can be asked without changing anything."""
    for arguments in ((), ("webhook-once",), ("--as-of", stem)):
        tell("show", *arguments)
    tell("brief", "--agent", "codex", "--task", "retry webhooks")
    tell("brief", "--for", "coder")
    tell("recall", "webhooks retry", "--explain")
    tell("recall", "webhooks", "--superseded")
    tell("recall", "--ids", "webhook-once", "--level=timeline")
    tell("recall", "--ids", "webhook-once,orders-stay", "--level=full")
    tell("recall", "xyzzy")
    tell("recall", "webhooks", "--yours")
    for fact in ("webhook-once", "webhook-retries", "orders-stay"):
        tell("why", fact)
        tell("show", "--links", fact)
        tell("why", fact, "--versions")
    tell("why", "memory/continuity.md:3")
    tell("why", "memory/continuity.md")
    tell("show", "--links", "storm", "--hops", "3")
    tell("show", "--list", "--all")
    tell("show", "--about")
    tell("show", "--about", "Payments API")
    tell("view")
    for name in ("state", "decisions", "daily"):
        tell("view", name)
    tell("log")
    tell("recall", "--level", "timeline", "webhook-once")
    tell("recall", "--level", "timeline", "2026-01-01")
    tell("log", stem)
    notes = folder / "notes.md"
    notes.write_text("# Notes\n\nAda decided: we use Redis 7.\n\n- [ ] Measure `retry()` again.\n")
    tell("log", str(notes))
    notes.unlink()
    tell("log", "--changes", f"{stem}..")
    tell("review", "--report")
    exported = folder / "events"
    exported.write_text(tell.printed("export", "events"))
    tell("import", "events", str(exported), "--dry-run")
    exported.unlink()
    lines = folder / "facts.jsonl"
    lines.write_text('{"id": "m1", "text": "Invoices are numbered per country."}\n')
    tell("import", "jsonl", str(lines))
    lines.unlink()
    vault = folder.parent / "vault"
    (vault / "MEMORY.md").mkdir(parents=True)
    tell("export", "vault", str(vault))
    tell("completion", "fish")
    tell("hook", "post-merge")
    seen = Observation(1_790_000_000_000, "edit", "writes a file", "wrote retry.py", ("retry.py",))
    spool_of(str(folder / ".git"), "claude", "s1").add(seen, str(folder))
    tell("private", "on")
    tell("private", "off")
    tell("capture", "--show")
    tell("capture")
    broken = folder / ".claude" / "settings.json"
    broken.parent.mkdir()
    broken.write_text("{", encoding="utf-8")
    tell("install", "claude", "codex")
    broken.unlink()
    tell("install", "--remove")


def _keep(tell: Recorder, folder: Path) -> None:
    """Decide, edit, redact, review and check."""
    tell("review", "--confirm", "orders-stay")
    tell("edit", "--restore", "webhook-once", "--reason", "It was a test.", "--dry-run")
    tell("edit", "webhook-retries", "Webhooks retry four times.", "--dry-run")
    tell("edit", "webhook-retries", "--kind", "gotcha", "--dry-run")
    tell("close", "storm", "--dry-run")
    tell("forget", "webhook-retries", "--false", "--dry-run")
    tell("forget", "storm", "--withhold", "--dry-run")
    tell("forget", "--archive", "nobody", "--reason", "Nobody asks.", refused=True)
    tell("forget", "--archive", "webhook-retries", "--reason", "Nobody asks.")
    tell("forget", "webhook-retries", "--back", "--reason", "Somebody asks.")
    tell("append", "--update", "webhook-retries", "Webhooks retry five times.")
    version = tell("why", "webhook-retries", "--versions")["versions"][0]["version"]
    tell("edit", "--restore", "webhook-retries", version)
    tell("check", "--publish", "--dry-run")
    page = folder / "memory" / "continuity.md"
    page.write_text(page.read_text() + "\nStray words.\n")
    tell("check", "--publish", "--discard-edits")
    tell("check", "--publish")
    page.write_text(page.read_text().replace("retry thrice", "retry four times"))
    tell("status")
    tell("check", "--absorb", "--dry-run")
    tell("check", "--absorb")
    tell("redact", "storm", "--reason", "It names a customer.", "--dry-run")
    tell("redact", "storm", "--reason", "It names a customer.")
    tell("redact", "storm", "--reason", "It names a customer.", "--purge", "--dry-run")
    bug = tell("note", "--rule", "flaky", "--path", "tests/a.py", "finding: it fails alone")
    tell("append", "--close", bug["finding"]["id"], "--verdict", "pass", "--role", "judge",
         "--about", bug["finding"]["id"], "--tokens", "900")  # fmt: skip
    tell("log", "-n", "3")
    tell("note", "--rule", "flaky", "--path", "tests/a.py", "finding: it fails alone")
    tell("review", "--learn")
    tell("review", "--dry-run")
    tell("review", "--yes")
    tell("review", "--report")
    tell("check", "--replay")
    tell("check", "--ci")
    tell("check", "--restore", "--dry-run")
    tell("check", "--deep")


def _share(tell: Recorder, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Say different things in two clones, bring them together, and settle it."""

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], check=True, capture_output=True)

    bare, other = folder.parent / "shop.git", folder.parent / "other"
    tell("sync", refused=True)  # there is no remote
    git("init", "-q", "--bare", "-b", "main", str(bare))
    git("remote", "add", "origin", str(bare))
    git("push", "-q", "-u", "origin", "main")
    git("clone", "-q", str(bare), str(other))
    tell("append", "--update", "webhook-retries", "Webhooks retry six times.")
    tell("sync")
    monkeypatch.chdir(other)
    for key, value in (("name", "Bob"), ("email", "bob@example.invalid")):
        git("config", f"user.{key}", value)
    tell("append", "--agent", "bob", "--update", "webhook-retries", "Webhooks retry seven times.")
    tell("sync", "--dry-run")
    tell("sync")
    tell("status")
    assert len(tell("conflicts")["contradictions"]) == 1
    tell("brief")
    tell("show", "webhook-retries")
    tell("conflicts", "webhook-retries", "--text", "Webhooks retry six times, with jitter.")


def _check(tell: Recorder, folder: Path) -> None:
    """Find something wrong."""
    log = next((folder / "memory" / "sessions").rglob("*.md"))
    text = log.read_text()
    log.write_text(text + "edited\n")
    subprocess.run(["git", "commit", "-qam", "edited"], check=True, capture_output=True)
    tell("check", "--ci")
    tell("check")
    tell("check", "--ci")
    tell("check")
    tell("status")
    tell("check", "--restore")
    subprocess.run(
        ["git", "switch", "-q", "-c", "side"], check=True
    )  # where appends do not publish
    tell("append", "--title", "Aside")
    tell("check", "--replay")
    tell("check", "--publish")
    log.with_name("2026-11-20-101500.md").write_text("# T\n\nIt is in /home/alice/shop.\n")
    subprocess.run(["git", "add", "-A"], check=True)
    subprocess.run(["git", "commit", "-qm", "by hand"], check=True)
    tell("check", "--diff", "HEAD~1")


def _import_ledger(tell: Recorder, folder: Path) -> None:
    """Bring in a page and a log that another tool wrote."""
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    sessions = folder / "memory" / "sessions"
    sessions.mkdir(parents=True)
    (folder / "memory" / "continuity.md").write_text(
        "# Continuity\n\n## Key Decisions\n\n- Use Redis.\n"
        "  <!-- id: use-redis | created: 2026-01-01 | last-used: 2026-01-01 | uses: 9 -->\n"
    )
    (sessions / "2026-01-02-100000.md").write_text(
        "# Queue\n\n## Memory References\n\n- Referenced: use-redis\n"
    )
    subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
    git = ("git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run([*git, "commit", "-qm", "theirs"], check=True)
    for more in (("--dry-run",), ("--write",)):
        tell("import", "ledger", str(folder), *more)


def _records(tell: Recorder, folder: Path) -> None:
    """Take in decision records: new, against what memory says, and changed since."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    record = folder / "docs" / "adr" / "0001-queue.md"
    record.parent.mkdir(parents=True)
    record.write_text(
        "# Queue\n\nStatus: accepted\n\n## Decision\n\nEvery webhook must retry three times.\n"
    )
    (record.parent / "0002-mail.md").write_text("# Mail\n\nStatus: proposed\n")
    home = ("--home", str(folder))
    git = ("git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "Documents"], check=True)
    tell("init", str(folder))
    tell("note", *home, "Every webhook must retry five times.")
    tell("import", *home, "docs", "--write")
    record.write_text(record.read_text().replace("three", "seven"))
    subprocess.run([*git, "commit", "-qam", "Wait"], check=True)
    tell("import", *home, "docs")


def gather(run: Callable[..., Ran], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Run it all; return the answers by command, those of failures under `failure`.

    The folder is a repository without a home, where the process stands.
    """
    tell = Recorder(run)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder.parent / OWN_FOLDER))
    _, stem = _record(tell)
    _keep_own(tell)
    _work(tell, folder)
    _ask(tell, folder, stem)
    _keep(tell, folder)
    _share(tell, folder, monkeypatch)
    _check(tell, folder.parent / "other")
    _records(tell, folder.parent / "documented")
    _import_ledger(tell, folder.parent / "handed-down")
    return tell.answers


def shape(answers: list[Any]) -> list[str]:
    """Write the keys of some objects, a line for each object in them: path, then its keys.

    A key ends in `[]` where it holds a list, and in `?` where not every such object has it.
    """
    seen: dict[str, list[dict[str, set[str]]]] = {}

    def look(value: Any, path: str) -> str:
        if isinstance(value, list):
            ends = {look(one, f"{path}[]") for one in value}
            return "[]" + max(ends, default="")
        if not isinstance(value, dict):
            return ""
        if path in KEYED:
            ends = {look(one, f"{path}.{KEYED[path]}") for one in value.values()}
            return f".{KEYED[path]}{max(ends, default='')}"
        keys = {key: {look(one, f"{path}.{key}".lstrip("."))} for key, one in value.items()}
        seen.setdefault(path, []).append(keys)
        return ""

    for answer in answers:
        look(answer, "")
    lines = []
    for path, objects in seen.items():
        keys: dict[str, set[str]] = {}
        for one in objects:
            for key, ends in one.items():
                keys.setdefault(key, set()).update(ends)
        told = [
            f"{key}{max(ends, key=len)}{'' if all(key in one for one in objects) else '?'}"
            for key, ends in sorted(keys.items())
        ]
        lines.append(f"{path or '.'}: {', '.join(told)}")
    return sorted(lines, key=lambda line: (not line.startswith(".:"), line))
