"""`diurna review --learn`: what was met again and again, promotions, and that nothing is written unasked."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.campaigns import forks
from tests.conftest import Repo, Run, laid_once
from tests.terminals import Terminal
from tests.web_client import client_of

HEADING = "## Learned"


def reported(run: Run, rule: str, text: str, path: str) -> str:
    """Report a bug; return its id."""
    said = run("note", "--rule", rule, "--path", path, text, "--json")
    assert said.code == 0, said.err
    return str(said.json["finding"]["id"])


def learned(run: Run, *options: str) -> Any:
    """What `diurna review --learn` says in JSON."""
    return run("review", "--learn", "--json", *options).json


def texts(run: Run, *options: str) -> list[str]:
    """The texts that it proposes."""
    return [one["text"] for one in learned(run, *options)["proposals"]]


@laid_once
def taught(repo: Repo, run: Run) -> None:
    """Four findings of one rule, a bug that came back, and one that was met once."""
    race = "race", "lock is not held", "src/q.py"
    bug = reported(run, *race)
    for number in range(4):
        reported(run, "no-timeout", "request without a timeout", f"src/{number}.py")
    reported(run, "typo", "one word", "README.md")
    assert run("append", "--close", bug).code == 0
    assert reported(run, *race) == bug


def test_the_same_ledger_gives_the_same(
    taught: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No clock takes part, and listing changes nothing."""
    shape, before = taught.shape(), run("review", "--learn", "--json").out
    monkeypatch.setenv("DIURNA_NOW", "1999999999999")
    assert run("review", "--learn", "--json").out == before
    assert run("review", "--learn", "--dry-run").code == 0 and run("review", "--learn").code == 0
    assert taught.shape() == shape


def test_the_page_of_the_review_has_the_commands(taught: Repo, run: Run) -> None:
    """Each proposal stands there folded, with what lets it in."""
    keys = [one["key"] for one in learned(run)["proposals"]]
    page = (
        client_of(taught.path)
        .login()
        .get("/review")
        .text.partition('<details class="less" id="learned">')[2]
    )
    accepted = re.findall(r"<code[^>]*>diurna review --learn --accept (\w+)</code>", page)
    assert accepted == keys != []


def test_a_pipe_writes_nothing_and_asking_raises_threads_once(taught: Repo, run: Run) -> None:
    """Without a terminal nothing is written; `--ask` raises open threads, no fact, and each once."""
    keys = [one["key"] for one in learned(run)["proposals"]]
    shape = taught.shape()
    assert run("review", "--learn", "--ask", "--dry-run").out.startswith(
        "would raise review-learn-"
    )
    assert taught.shape() == shape
    asked = learned(run, "--ask")
    assert asked["raised"] == [f"review-learn-{key}" for key in keys]
    facts = run("show", "--list", "--all", "--json").json["facts"]
    assert {one["kind"] for one in facts} == {"finding", "thread"}
    assert learned(run, "--ask")["raised"] == []
    assert run("review", "--learn", "--ask").out == "nothing new is to be asked\n"
    assert [one["key"] for one in learned(run)["proposals"]] == keys
    assert run("append", "--close", asked["raised"][0]).code == 0
    assert [one["key"] for one in learned(run)["proposals"]] == keys[1:]


def test_a_review_leaves_the_threads_of_learn_alone(taught: Repo, run: Run) -> None:
    """What learn asks is no settled question of a review."""
    raised = learned(run, "--ask")["raised"]
    assert raised and run("review", "--yes").code == 0
    facts = {
        one["id"]: one["closed"] for one in run("show", "--list", "--all", "--json").json["facts"]
    }
    assert [facts[one] for one in raised] == [False] * len(raised)


def test_answers_are_remembered(taught: Repo, run: Run) -> None:
    """Accepted in other words, by the key alone: it is not asked again, also when it is said again; other keys write nothing."""
    before = run("show", "--list", "--json").out
    keys = [one["key"] for one in learned(run)["proposals"]]
    for wrong in (("zz",), ("",), (keys[0], "--ask")):
        assert run("review", "--learn", "--accept", *wrong, "--text", "y").code != 0
        assert run("show", "--list", "--json").out == before
    assert run("review", "--learn", "--text", "x").code != 0
    (key,) = [one["key"] for one in learned(run)["proposals"] if "no-timeout" in one["text"]]
    ran = run("review", "--learn", "--accept", key[:12], "--text", "Each call has a timeout.")
    assert ran.code == 0 and "Learned" in ran.out
    assert run("log", "--json").json["sessions"][0]["type"] == "edit"
    (fact,) = [one for one in run("show", "--json").json["facts"] if one["kind"] != "finding"]
    assert (fact["text"], fact["meta"]["learned"]) == ("Each call has a timeout.", key)
    reported(run, "no-timeout", "request without a timeout", "src/new.py")
    assert [one["key"] for one in learned(run)["proposals"]] == [one for one in keys if one != key]


ANSWERS = "[a]ccept, [r]eject, [l]ater, [q]uit, [?]"


def test_a_person_answers_on_a_terminal(taught: Repo, run: Run) -> None:
    """One accepted, the help, one left for later: asked again the next time, and then rejected."""
    environment = {**os.environ, "TERM": "dumb"}
    command = [forks.program(), "review", "--learn"]
    typed = Terminal(command, taught.path, environment)
    assert "check for no-timeout" in typed.answer(ANSWERS, "?")
    typed.answer(ANSWERS, "a")
    typed.answer(ANSWERS, "l")
    assert typed.finish() == 0 and "Learned" in typed.shown
    (left,) = texts(run)
    again = Terminal(command, taught.path, environment)
    assert left in again.answer(ANSWERS, "r")
    assert again.finish() == 0 and "Rejected" in again.shown
    assert texts(run) == []


def test_what_a_document_says_is_not_proposed(taught: Repo, run: Run) -> None:
    """In the code's own documents it is no news to anybody."""
    said = next(text for text in texts(run) if "race" in text)
    taught.write("AGENTS.md", f"# Agents\n\n{said}\n")
    taught.git("add", "AGENTS.md")
    taught.git("commit", "-qm", "docs")
    assert len(texts(run)) == 1 and "race" not in texts(run)[0]


# ---- promotion ------------------------------------------------------------------------------------


@laid_once
def worth(repo: Repo, run: Run) -> None:
    """A convention that two agents use, which a review found worth promoting."""
    new = "id=retry-rule convention: Always use `retry_three` in `webhooks.py`, never 4 attempts."
    assert run("append", "--title", "Start", "--new", new).code == 0
    repo.write("AGENTS.md", "# Agents\n\nRead the docs.\n")
    repo.git("add", "AGENTS.md")
    repo.git("commit", "-qm", "agents")
    for number in range(6):
        agent = ("codex", "claude-code")[number % 2]
        assert (
            run("append", "--title", f"Work {number}", "--agent", agent, "--ref", "retry-rule").code
            == 0
        )


def promotion(run: Run) -> Any:
    (found,) = learned(run)["promotions"]
    return found


def test_a_promotion_writes_the_file_and_is_offered_once(worth: Repo, run: Run) -> None:
    """The work tree alone is written, what a person did not commit stays, and the log remembers it."""
    agents = worth.write("AGENTS.md", "# Agents\n\nRead the docs. Mine, uncommitted.\n")
    offered = promotion(run)
    assert offered["path"] == "AGENTS.md" and "+- Always use" in str(offered["diff"])
    assert run("review", "--learn", "--accept", offered["key"]).code == 0
    text = agents.read_text()
    assert "Mine, uncommitted." in text and f"{HEADING}\n\n- Always use `retry_three`" in text
    assert worth.git("status", "--porcelain").split() == ["M", "AGENTS.md"]
    assert learned(run)["promotions"] == []
    agents.write_text("# Agents\n")  # what a person took out again is not offered again
    assert learned(run)["promotions"] == []


def test_what_the_code_belies_is_not_promoted(worth: Repo, run: Run) -> None:
    """A fact that names a file which is gone is a question of the review, and no line for agents."""
    worth.write("webhooks.py", "")
    worth.git("add", "webhooks.py")
    worth.git("commit", "-qm", "there")
    later = {**os.environ, "GIT_COMMITTER_DATE": "2030-01-01T00:00:00Z"}
    worth.git("rm", "-q", "webhooks.py")
    subprocess.run(["git", "commit", "-qm", "gone"], cwd=worth.path, env=later, check=True)
    assert learned(run)["promotions"] == []


def test_a_file_that_can_not_be_written_changes_nothing(worth: Repo, run: Run) -> None:
    """A folder, a link, bytes: refused, and neither log nor file."""
    agents = worth.path / "AGENTS.md"
    shapes: list[tuple[str, Callable[[], object]]] = [
        ("folder", agents.mkdir),
        ("link", lambda: agents.symlink_to("code.py")),
        ("bytes", lambda: agents.write_bytes(b"\xff\xfe\0")),
    ]
    for name, shape in shapes:
        agents.rmdir() if name == "link" else agents.unlink()
        shape()
        before, key = worth.shape(), promotion(run)["key"]
        assert run("review", "--learn", "--accept", key).code != 0, name
        assert worth.shape() == before, name
    assert (worth.path / "code.py").read_text() == "print('hello')\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"## Learned\n\n- ONE\n"), (b"# A", b"# A\n\n## Learned\n\n- ONE\n"),
        (b"# A\r\n", b"# A\r\n\r\n## Learned\r\n\r\n- ONE\r\n"),
        (b"## Learned\n\n- zero\n\n## Next\n", b"## Learned\n\n- zero\n- ONE\n\n## Next\n"),
        (b"## Learned\n\n- zero", b"## Learned\n\n- zero\n- ONE"),
    ],
)  # fmt: skip
def test_an_item_goes_behind_the_others(worth: Repo, run: Run, before: bytes, after: bytes) -> None:
    """Under our heading, in the line ends of the file, and no line of it is lost."""
    (worth.path / "AGENTS.md").write_bytes(before)
    assert run("review", "--learn", "--accept", promotion(run)["key"]).code == 0
    said = "Always use `retry_three` in `webhooks.py`, never 4 attempts."
    assert (worth.path / "AGENTS.md").read_bytes().replace(said.encode(), b"ONE") == after


# ---- what auditors find ---------------------------------------------------------------------------


def test_what_auditors_find_again_and_again_is_offered(repo: Repo, run: Run) -> None:
    """Three findings of one rule, and a bug that came back; two are no habit."""
    for number in range(3):
        said = ("--rule", "no-timeout", "--path", f"src/{number}.py", "request without a timeout")
        assert run("note", *said).code == 0
    back = ("note", "--rule", "race", "--path", "src/q.py", "lock is not held")
    bug = run(*back, "--json").json["finding"]["id"]
    assert run("append", "--close", bug).code == 0 and run(*back).code == 0
    assert run("note", "--rule", "typo", "one word").code == 0
    found = learned(run)["proposals"]
    texts = " ".join(one["text"] for one in found)
    assert len(found) == 2 and "no-timeout" in texts and "race" in texts


@laid_once
def many(repo: Repo, run: Run) -> None:
    """Findings of eight rules, three of each and four of the last."""
    for number in range(8):
        for place in range(3 + (number == 7)):
            reported(run, f"rule-{number}", f"number {number} is broken", f"src/{place}.py")


def test_seven_at_once(many: Repo, run: Run) -> None:
    """Those met most often come first, and the others are counted; what is withheld is in no proposal."""
    said = learned(run)
    assert (len(said["proposals"]), said["more"]) == (7, 1)
    assert "rule-7" in said["proposals"][0]["text"]
    assert (
        run("redact", said["proposals"][0]["places"][0], "--reason", "names a customer").code == 0
    )
    after = learned(run)
    assert (len(after["proposals"]), after["more"]) == (7, 0)
    assert not any("rule-7" in one["text"] for one in after["proposals"])
