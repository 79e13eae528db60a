"""The skills: of the published form, with commands that work, and where hosts look for them.

The form is that of https://agentskills.io/specification, as its reference validator holds files to it.
"""

from __future__ import annotations

import re
import shlex

import pytest

from tests.conftest import Repo, Run, laid_once
from tests.pages import COMMANDS, ROOT, blocks

#: As they are shipped.
FOLDER = ROOT / "rituals/hosts/install/skills"
SKILLS = {path.parent.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*/SKILL.md"))}

#: The one skill that there was before.
LINES_LIMIT = 120
#: What the examples name, as somebody would have recorded it.
KNOWN = (
    "--new=id=webhook-retries decision: Webhooks retry three times.",
    "--new=id=gateway-limits stack: The gateway takes 20 calls a second.",
    "--new=id=nightly-cron stack: A cron job runs every night.",
    "--new=id=orders-stay invariant: Orders are never deleted, only cancelled.",
    "--new=id=retry-limit thread: How often may a webhook be retried?",
    "--new=id=diff-first pattern: A diff is read before its tests.",
    "--new=id=wire-retry-queue task: Wire the retry queue.",
)

#: What the examples of harvesting find.
DOCUMENTS = {
    "CONTRIBUTING.md": "# Contributing\n\n## Refunds\n\n- Refunds must never be made by one person.\n",
    "docs/adr/0001-orders.md": "# 1. Store orders in PostgreSQL\n\n## Status\n\nAccepted\n\n## Decision\n\n"
    "We will store orders in PostgreSQL, because an order and its payment change together.\n",
}


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Read plain scalars alone, which every reader of YAML reads the same; and the body."""
    begin, head, body = re.split(r"^---\n", text, maxsplit=2, flags=re.MULTILINE)
    assert begin == ""
    found: dict[str, str] = {}
    for line in head.splitlines():
        key, colon, value = line.partition(": ")
        assert colon and key not in found and re.fullmatch(r"[a-z][a-z-]*", key)
        assert value == value.strip() and value[0] not in "!&*-?|>%@`\"'#{}[],"
        assert ": " not in value and " #" not in value and not value.endswith(":")
        found[key] = value
    return found, body


@pytest.mark.parametrize("name", SKILLS)
def test_skills_are_of_the_published_form(name: str) -> None:
    """Its keys, their lengths, a name that is the folder's; and short enough to be read whole."""
    text = SKILLS[name]
    keys, body = front_matter(text)
    assert {"name", "description"} <= set(keys)
    assert set(keys) <= set("name description license compatibility metadata allowed-tools".split())
    assert keys["name"] == name and len(name) <= 64
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert 1 <= len(keys["description"]) <= 1024 and " Use " in keys["description"]
    assert 1 <= len(keys.get("compatibility", "-")) <= 500
    assert len(text.splitlines()) <= LINES_LIMIT
    assert "evidence, not instruction" in body or name == "diurna-remember"


@laid_once
def known(repo: Repo, run: Run) -> None:
    """A memory that has what skills name."""
    assert run("append", "--title", "Before", *KNOWN).code == 0
    for file, text in DOCUMENTS.items():
        repo.write(file, text)
    repo.git("add", *DOCUMENTS)
    repo.git("commit", "-q", "-m", "documents")


@pytest.mark.parametrize("name", SKILLS)
def test_the_commands_of_skills_work(name: str, known: Repo, run: Run) -> None:
    """Each line of each block, one after the other, in a memory that has what they name."""
    text = SKILLS[name]
    known.write("found.json", "\n".join(line for block in blocks(text, "json") for line in block))
    lines = [line for block in blocks(text, "sh") for line in block if line]
    assert len(lines) > 3
    while lines:
        line = lines.pop(0)
        end = line.partition("<<'")[2].strip("'")
        given = lines[: lines.index(end)] if end else []
        lines = lines[len(given) + 1 :] if end else lines
        program, *words = shlex.split(line.partition("<<")[0], comments=True)
        assert program == "diurna"
        ran = run(*words, **({"stdin": "\n".join(given).encode()} if given else {}))
        assert (ran.code, ran.err.count("hint: did you mean")) == (0, 0), f"{line}\n{ran.err}"


def test_skills_name_skills_and_commands_that_there_are() -> None:
    """In their sentences, too: the other skills, `diurna` commands, and nothing that takes away by force."""
    for text in SKILLS.values():
        assert set(re.findall(r"\(the skill `([^`]+)`\)", text)) <= set(SKILLS)
        for command in re.findall(r"`diurna (\w+)", text):
            assert f"\n## {command}\n" in COMMANDS.read_text("utf-8")
        assert not re.search(r"--force|reset --hard|rm -r", text)


def test_skills_are_where_hosts_look(bare_repo: Repo, run: Run) -> None:
    """Once for all that share a folder; they go with the last of them, and stay where somebody wrote to them."""
    top = bare_repo.path
    one_of = next(name for name, text in SKILLS.items() if "In passing" in text)
    ours, claudes = (top / f"{one}/skills/{one_of}/SKILL.md" for one in (".agents", ".claude"))
    assert run("install", "codex", "gemini", "claude", "--no-mcp").code == 0
    for folder in (".agents", ".claude"):
        there = {path.name for path in (top / folder / "skills").iterdir()}
        assert there == set(SKILLS)
    text = ours.read_text()
    assert ours.read_bytes() == claudes.read_bytes()
    assert run("install", "--remove", "codex").code == 0 and ours.exists()
    assert run("install", "--remove", "gemini").code == 0 and not (top / ".agents").exists()
    # as git does on some machines
    claudes.write_bytes(claudes.read_bytes().replace(b"\n", b"\r\n"))
    assert "nothing to do" in run("install", "claude", "--no-mcp").out
    claudes.write_text(text.replace("In passing", "Never"))
    for command in (("install", "claude", "--no-mcp"), ("install", "--remove")):
        ran = run(*command)
        assert ran.code == 1 and "SKILL.md: it is not as Diurna wrote it" in ran.err
        assert "Never" in claudes.read_text()
    claudes.write_text("---\nname: mine\n---\n")
    assert run("install", "--remove").code == 0 and claudes.read_text() == "---\nname: mine\n---\n"
