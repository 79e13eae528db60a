"""`diurna review --learn`: what was met again and again, promotions, and that nothing is written unasked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import WriteRefused
from memory.api import Memory
from memory.write.draft import SessionDraft
from projection.work.finding_facts import BugFound
from rituals.review.finding_reports import report
from rituals.review.learning_plan import (
    ACCEPT,
    PROPOSALS,
    REJECT,
    Answer,
    plan_learning,
    record_answers,
)
from rituals.review.promotions import HEADING, with_item
from rituals.review.review_plan import plan_review
from tests.campaigns import forks
from tests.conftest import Repo, Run, each_row
from tests.terminals import Terminal


def reported(repo: Repo, *bugs: BugFound) -> list[str]:
    """Report bugs; return their ids."""
    memory = Memory.open(str(repo.path))
    taken = report(memory, bugs, SessionDraft("")).taken
    memory.close()
    return [one.bug.id for one in taken]


def learned(run: Run, *options: str) -> Any:
    """What `diurna review --learn` says in JSON."""
    return run("review", "--learn", "--json", *options).json


def texts(run: Run, *options: str) -> list[str]:
    """The texts that it proposes."""
    return [one["text"] for one in learned(run, *options)["proposals"]]


@pytest.fixture
def taught(repo: Repo, run: Run) -> Repo:
    """Four findings of one rule, a bug that came back, and one that was met once."""
    race = BugFound("race", "lock is not held", "src/q.py")
    rest = [BugFound("no-timeout", "request without a timeout", f"src/{n}.py") for n in range(4)]
    bug, *_ = reported(repo, race, *rest, BugFound("typo", "one word", "README.md"))
    assert run("append", "--close", bug).code == 0
    assert reported(repo, race) == [bug]
    return repo


def test_the_same_ledger_gives_the_same(
    taught: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No clock takes part, and listing changes nothing."""
    shape, before = taught.shape(), run("review", "--learn", "--json").out
    monkeypatch.setenv("DIURNA_NOW", "1999999999999")
    assert run("review", "--learn", "--json").out == before
    assert run("review", "--learn", "--dry-run").code == 0 and run("review", "--learn").code == 0
    assert taught.shape() == shape


def test_a_pipe_writes_nothing_and_asking_raises_threads_once(taught: Repo, run: Run) -> None:
    """Without a terminal nothing is written; `--ask` raises open threads, no fact, and each once."""
    keys = [one["key"] for one in learned(run)["proposals"]]
    shape = taught.shape()
    assert run("review", "--learn", "--ask", "--dry-run").out.startswith(
        "would raise review-learn-"
    )
    assert taught.shape() == shape
    asked = learned(run, "--ask")
    assert asked["raised"] == [f"review-learn-{key}" for key in keys] and asked["commit"]
    facts = run("show", "--list", "--all", "--json").json["facts"]
    assert {one["kind"] for one in facts} == {"finding", "thread"}
    assert learned(run, "--ask")["raised"] == []
    assert run("review", "--learn", "--ask").out == "nothing new is to be asked\n"
    assert [one["key"] for one in learned(run)["proposals"]] == keys
    assert run("append", "--close", asked["raised"][0]).code == 0
    assert [one["key"] for one in learned(run)["proposals"]] == keys[1:]


def test_a_review_leaves_the_threads_of_learn_alone(taught: Repo, run: Run) -> None:
    """What learn asks is no settled question of a review."""
    assert learned(run, "--ask")["raised"]
    with_threads = plan_review(Memory.open(str(taught.path)))
    assert with_threads.settled == ()


def test_answers_become_one_log_and_are_remembered(taught: Repo, run: Run) -> None:
    """Accepted in other words, and rejected: neither is asked again, also when it is said again."""
    memory = Memory.open(str(taught.path), agent="ada")
    plan = plan_learning(memory)
    kept, dropped = plan.proposals
    given = {kept.key: Answer(ACCEPT, "Each call has a timeout."), dropped.key: Answer(REJECT)}
    outcome = record_answers(memory, plan, given)
    assert outcome.receipt is not None and outcome.rejected == (dropped.key,)
    (fact,) = [memory.standing(name).fact for name in outcome.facts]
    assert fact.text == "Each call has a timeout." and dict(fact.meta)["learned"] == kept.key
    assert memory.standing(f"review-learn-{dropped.key}").fact.closed
    assert memory.log()[0].type == "edit"
    memory.close()
    reported(taught, BugFound("no-timeout", "request without a timeout", "src/new.py"))
    assert texts(run) == []


ANSWERS = "[a]ccept, [e]dit, [r]eject, [l]ater, [q]uit, [?]"


def test_a_person_answers_on_a_terminal(taught: Repo, run: Run) -> None:
    """One accepted in other words, the help, one left for later: asked again the next time, and then rejected."""
    environment = {**os.environ, "TERM": "dumb"}
    command = [forks.program(), "review", "--learn"]
    typed = Terminal(command, taught.path, environment)
    assert "check for no-timeout" in typed.answer(ANSWERS, "?")
    typed.answer(ANSWERS, "e")
    typed.answer("(Enter opens an editor)", "Each call has a timeout.")
    typed.answer(ANSWERS, "l")
    assert typed.finish() == 0 and "Learned" in typed.shown
    assert "Each call has a timeout." in run("show").out
    (left,) = texts(run)
    again = Terminal(command, taught.path, environment)
    assert left in again.answer(ANSWERS, "r")
    assert again.finish() == 0 and "Rejected" in again.shown
    assert texts(run) == []
    idle = Terminal(command, taught.path, environment)
    assert idle.finish() == 0 and "nothing to learn" in idle.shown


def test_nothing_answered_writes_nothing(taught: Repo, run: Run) -> None:
    """No answer, no log."""
    memory = Memory.open(str(taught.path))
    shape = taught.shape()
    assert record_answers(memory, plan_learning(memory), {}).receipt is None
    assert taught.shape() == shape


def test_what_a_document_says_is_not_proposed(taught: Repo, run: Run) -> None:
    """In the code's own documents it is no news to anybody."""
    said = next(text for text in texts(run) if "race" in text)
    taught.write("AGENTS.md", f"# Agents\n\n{said}\n")
    taught.git("add", "AGENTS.md")
    taught.git("commit", "-qm", "docs")
    assert len(texts(run)) == 1 and "race" not in texts(run)[0]


def test_accepting_by_key(taught: Repo, run: Run) -> None:
    """The proposal of a key alone, in other words too; any other key writes nothing."""
    facts = run("show", "--list", "--json").json["facts"]
    keys = [one["key"] for one in learned(run)["proposals"]]
    for wrong in (
        ("--accept", "zz"),
        ("--accept", ""),
        ("--text", "x"),
        ("--accept", keys[0], "--ask"),
    ):
        assert (
            run("review", "--learn", *wrong, "--text", "y").code != 0
            and run("show", "--list", "--json").json["facts"] == facts
        )
    ran = run("review", "--learn", "--accept", keys[0][:12], "--text", "Each call has a timeout.")
    assert ran.code == 0 and "Learned" in ran.out
    assert "Each call has a timeout." in run("recall", "timeout of calls").out
    assert [one["key"] for one in learned(run)["proposals"]] == keys[1:]


_WORDS = st.text(max_size=60)


@given(st.none() | _WORDS.map(str.encode), st.text("ab `*_#", min_size=1).filter(str.strip))
def test_a_file_loses_nothing_and_has_an_item_once(before: bytes | None, text: str) -> None:
    """All lines of the file stay in their order, and writing again changes nothing."""
    after = with_item(before, f"- {text.strip()}")
    assert with_item(after, f"- {text.strip()}") == after
    rest = iter(after.decode().split("\n"))
    kept = (before or b"").decode().split("\n")
    assert all(line.rstrip("\r") in (one.rstrip("\r") for one in rest) for line in kept[:-1])


# ---- promotion ------------------------------------------------------------------------------------


@pytest.fixture
def worth(repo: Repo, run: Run) -> Repo:
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
    return repo


def test_a_promotion_writes_the_file_and_is_offered_once(worth: Repo, run: Run) -> None:
    """The work tree alone is written, what a person did not commit stays, and the log remembers it."""
    agents = worth.write("AGENTS.md", "# Agents\n\nRead the docs. Mine, uncommitted.\n")
    memory = Memory.open(str(worth.path))
    plan = plan_learning(memory)
    (promotion,) = plan.promotions
    assert promotion.path == "AGENTS.md" and "+- Always use" in "\n".join(promotion.diff)
    outcome = record_answers(memory, plan, {promotion.key: Answer(ACCEPT)})
    text = agents.read_text()
    assert "Mine, uncommitted." in text and f"{HEADING}\n\n- Always use `retry_three`" in text
    assert outcome.written == ("AGENTS.md",) and memory.standing("retry-rule").fact.promoted
    assert worth.git("status", "--porcelain").split() == ["M", "AGENTS.md"]
    assert plan_learning(memory).promotions == ()
    agents.write_text("# Agents\n")
    assert plan_learning(memory).promotions == (), (
        "what a person took out again is not offered again"
    )
    memory.close()


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
    """A file that was changed meanwhile, a folder, a link, bytes: refused, and neither log nor file."""
    agents = worth.path / "AGENTS.md"
    memory = Memory.open(str(worth.path))
    shapes: list[tuple[str, Callable[[], object]]] = [
        ("folder", agents.mkdir),
        ("link", lambda: agents.symlink_to("code.py")),
        ("bytes", lambda: agents.write_bytes(b"\xff\xfe\0")),
    ]
    plan = plan_learning(memory)
    agents.write_text("# Other\n")
    for name, shape in (("changed", agents.touch), *shapes):
        if name != "changed":
            agents.rmdir() if name == "link" else agents.unlink()
            shape()
            plan = plan_learning(memory)
            assert plan.promotions[0].refused, name
        before = worth.shape()
        with pytest.raises(WriteRefused):
            record_answers(memory, plan, {plan.promotions[0].key: Answer(ACCEPT)})
        assert worth.shape() == before, name
    assert not memory.standing("retry-rule").fact.promoted
    assert (worth.path / "code.py").read_text() == "print('hello')\n"
    memory.close()


def test_a_log_that_can_not_be_recorded_puts_the_file_back(
    worth: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is as it was where the append is refused."""
    memory = Memory.open(str(worth.path))
    plan = plan_learning(memory)
    before = (worth.path / "AGENTS.md").read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise WriteRefused("no")

    monkeypatch.setattr(memory, "append", refuse)
    with pytest.raises(WriteRefused):
        record_answers(memory, plan, {plan.promotions[0].key: Answer(ACCEPT)})
    assert (worth.path / "AGENTS.md").read_bytes() == before
    memory.close()


@each_row(
    "before, after",
    [
        (None, b"## Learned\n\n- one\n"),
        (b"", b"## Learned\n\n- one\n"),
        (b"# A", b"# A\n\n## Learned\n\n- one\n"),
        (b"# A\r\n", b"# A\r\n\r\n## Learned\r\n\r\n- one\r\n"),
        (b"## Learned\n\n- zero\n\n## Next\n", b"## Learned\n\n- zero\n- one\n\n## Next\n"),
        (b"## Learned\n\n- zero", b"## Learned\n\n- zero\n- one"),
        (b"# A\n\nOne.\n", b"# A\n\nOne.\n"),
    ],
)  # fmt: skip
def test_an_item_goes_behind_the_others(before: bytes | None, after: bytes) -> None:
    """Under our heading, in the line ends of the file; what the file says already is not said twice."""
    assert with_item(before, "- one") == after
    assert with_item(after, "- one") == after


# ---- what auditors find ---------------------------------------------------------------------------


def test_what_auditors_find_again_and_again_is_offered(repo: Repo, run: Run) -> None:
    """Three findings of one rule, a bug that came back, and three failed verdicts; two are no habit."""
    for number in range(3):
        said = ("--rule", "no-timeout", "--path", f"src/{number}.py", "request without a timeout")
        assert run("note", *said).code == 0
    back = ("note", "--rule", "race", "--path", "src/q.py", "lock is not held")
    bug = run(*back, "--json").json["finding"]["id"]
    assert run("append", "--close", bug).code == 0 and run(*back).code == 0
    assert run("note", "--rule", "typo", "one word").code == 0
    assert run("note", "thread: id=retry Retry queue", "thread: id=cart Cart").code == 0
    for number, (fact, role) in enumerate(
        (("retry", "judge"),) * 3 + (("cart", "judge"), ("cart", "builder"))
    ):
        verdict = (
            "--verdict",
            "fail",
            "--about",
            fact,
            "--role",
            role,
            "--title",
            f"No test, {number}",
        )
        assert run("append", *verdict).code == 0
    found = learned(run)["proposals"]
    assert {one["source"] for one in found} == {"finding", "verdict"}
    texts = " ".join(one["text"] for one in found)
    assert len(found) == 3 and "no-timeout" in texts and "race" in texts and "`retry`" in texts


def test_seven_at_once(repo: Repo, run: Run) -> None:
    """Those met most often come first, and the others are counted."""
    bugs = [
        BugFound(f"rule-{number}", f"number {number} is broken", f"src/{place}.py")
        for number in range(PROPOSALS + 1)
        for place in range(3 + (number == PROPOSALS))
    ]
    reported(repo, *bugs)
    said = learned(run)
    assert (len(said["proposals"]), said["more"]) == (PROPOSALS, 1)
    assert f"rule-{PROPOSALS}" in said["proposals"][0]["text"]
    assert (
        run("redact", said["proposals"][0]["places"][0], "--reason", "names a customer").code == 0
    )
    after = learned(run)  # what is withheld is in no proposal
    assert (len(after["proposals"]), after["more"]) == (PROPOSALS, 0)
    assert not any(f"rule-{PROPOSALS}" in one["text"] for one in after["proposals"])
