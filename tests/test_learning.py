"""`diurna learn`: what it proposes, the bar, what memory has already, and that nothing is written unasked."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.codec.validate import problems
from ledger.errors import WriteRefused
from ledger.model.session import SessionLog
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.hosts.capture.composition import storable
from rituals.hosts.quoted_items import Item
from rituals.review.learning.agents_file import HEADING, with_item
from rituals.review.learning.learning_plan import PROPOSALS, birth_of, plan_learning
from rituals.review.learning.learning_record import ACCEPT, REJECT, Answer, record_answers
from rituals.review.learning.offer import CANDIDATE, SOURCES, Offer
from rituals.review.review_plan import plan_review
from tests.campaigns import forks
from tests.conftest import Repo, Run, each_row
from tests.terminals import Terminal

LESSON = "Lesson: parallel tests must pin the settings snapshot before any test body runs."
RULING = "Maintainer decision: refunds must never bypass the audit queue."
DAY = "Lesson: we merged the pages, released them at noon, and published the news."
NOISE = "Merged PR #17 as 4f2a91cc, released v1.2.3, 58 suites green."


def log(run: Run, title: str, *lines: str) -> None:
    """Append a work session whose prose says some lines."""
    body = "\n\n".join(lines).encode()
    assert run("append", "--title", title, "--body", "-", stdin=body).code == 0


def learned(run: Run, *options: str) -> Any:
    """What `diurna learn` says in JSON."""
    return run("learn", "--json", *options).json


def texts(run: Run, *options: str) -> list[str]:
    """The texts that it proposes."""
    return [one["text"] for one in learned(run, *options)["proposals"]]


@pytest.fixture
def taught(repo: Repo, run: Run) -> Repo:
    """Sessions that teach a lesson, a decision that is said twice, and much that is of one day."""
    log(run, "Start", NOISE, DAY, LESSON)
    log(run, "Refunds", RULING, "Built the queue and verified it.")
    log(
        run,
        "More",
        "Maintainer decision: refunds must never bypass the audit queue, in any service.",
    )
    return repo


def test_logs_teach_lessons_and_decisions(taught: Repo, run: Run) -> None:
    """What recurs comes first, each with its four marks and a diff; what is of one day is not proposed."""
    found = learned(run)
    first, second = found["proposals"]
    assert (
        first["source"] == "decision" and "audit queue" in first["text"] and first["sessions"] == 2
    )
    assert second["text"] == LESSON.removeprefix("Lesson: ").capitalize()
    assert second["kind"] == "pattern" and second["marks"]["recurs"] is False
    for one in (first, second):
        assert set(one["marks"]) == {"recurs", "undocumented", "unseen", "usable"}
        assert one["source"] in SOURCES and len(one["evidence"]) == 4
        assert one["diff"][0] == f"+ - {one['text']}" and f"learned: {one['key']}" in one["diff"][1]
        stem, _, line = one["places"][0].rpartition(":")
        (path,) = (taught.path / "memory").rglob(f"{stem}.md")
        assert one["text"][1:] in path.read_text().split("\n")[int(line) - 1]


def test_headings_and_corrections_tell_what_a_sentence_is(repo: Repo, run: Run) -> None:
    """Below "Decisions" and "What I learned", and where a person corrected; what was redacted is none."""
    log(
        run, "Checkout", "## Decisions", "- Use PostgreSQL locks for payouts rather than Redis locks.",
        "## What I learned", "- The test database needs `TZ=UTC`, otherwise the date tests flake.",
        "- The user corrected me: amounts are integer cents everywhere, never floats.",
        "## Next", "- The docs must never be forgotten before any release.",
        "## Rest", "Lesson: the token ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 must never be printed.",
    )  # fmt: skip
    log(
        run,
        "Refunds",
        "Amounts are integer cents everywhere, never floats, so decimals are refused.",
    )
    found = [
        (one["source"], one["text"].split()[0], one["sessions"])
        for one in learned(run)["proposals"]
    ]
    assert found == [("correction", "Amounts", 2), ("lesson", "The", 1), ("decision", "Use", 1)]


def test_the_same_ledger_gives_the_same(
    taught: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No clock takes part, and listing changes nothing."""
    shape, before = taught.shape(), run("learn", "--json").out
    monkeypatch.setenv("DIURNA_NOW", "1999999999999")
    assert run("learn", "--json").out == before
    assert run("learn", "--dry-run").code == 0 and run("learn").code == 0
    assert taught.shape() == shape


def test_a_pipe_writes_nothing_and_asking_raises_threads_once(taught: Repo, run: Run) -> None:
    """Without a terminal nothing is written; `--ask` raises open threads, no fact, and each once."""
    keys = [one["key"] for one in learned(run)["proposals"]]
    shape = taught.shape()
    assert run("learn", "--ask", "--dry-run").out.startswith("would raise review-learn-")
    assert taught.shape() == shape
    asked = learned(run, "--ask")
    assert asked["raised"] == [f"review-learn-{key}" for key in keys] and asked["commit"]
    facts = run("ls", "--all", "--json").json["facts"]
    assert {one["kind"] for one in facts} == {"thread"}
    assert learned(run, "--ask")["raised"] == []
    assert run("learn", "--ask").out == "nothing new is to be asked\n"
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
    given = {kept.key: Answer(ACCEPT, "Refunds go through audit."), dropped.key: Answer(REJECT)}
    outcome = record_answers(memory, plan, given)
    assert outcome.receipt is not None and outcome.rejected == (dropped.key,)
    (fact,) = [memory.standing(name).fact for name in outcome.facts]
    assert fact.text == "Refunds go through audit." and dict(fact.meta)["learned"] == kept.key
    assert memory.standing(f"review-learn-{dropped.key}").fact.closed
    assert memory.log()[0].type == "edit"
    memory.close()
    log(run, "Again", RULING, LESSON.replace("any test body", "each test body"))
    assert texts(run) == []


ANSWERS = "[a]ccept, [e]dit, [r]eject, [l]ater, [q]uit, [?]"


def test_a_person_answers_on_a_terminal(taught: Repo, run: Run) -> None:
    """One accepted in other words, the help, one left for later: asked again the next time, and then rejected."""
    environment = {**os.environ, "TERM": "dumb"}
    command = [forks.program(), "learn"]
    typed = Terminal(command, taught.path, environment)
    assert "audit queue" in typed.answer(ANSWERS, "?")
    typed.answer(ANSWERS, "e")
    typed.answer("(Enter opens an editor)", "Refunds go through audit.")
    typed.answer(ANSWERS, "l")
    assert typed.finish() == 0 and "Learned" in typed.shown
    assert "Refunds go through audit." in run("show").out
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


def test_what_a_live_fact_says_or_denies_is_named(taught: Repo, run: Run) -> None:
    """A duplicate and a contradiction are held back by name, and never proposed as new."""
    new = ("id=audit-refunds decision: Refunds must never bypass the audit queue.",
           "id=pin-late convention: Parallel tests must not pin the settings snapshot before any test body runs.")  # fmt: skip
    assert (
        run("append", "--title", "Known", *[part for one in new for part in ("--new", one)]).code
        == 0
    )
    found = learned(run)
    assert found["proposals"] == []
    assert {(one["id"], one["how"]) for one in found["held"]} == {
        ("audit-refunds", "says it"), ("pin-late", "contradicts it"),
    }  # fmt: skip


def test_a_correction_takes_the_place_of_what_it_denies(repo: Repo, run: Run) -> None:
    """The diff has both; accepted, the old fact is superseded. What never decays is named, and left alone."""
    new = ("id=deploys decision: Production always deploys from the release branch.",
           "id=money invariant: Money is stored in floats.")  # fmt: skip
    assert (
        run("append", "--title", "Start", *[part for one in new for part in ("--new", one)]).code
        == 0
    )
    log(run, "Told", "The user corrected me: production never deploys from the release branch.",
        "The user corrected me: money is never stored in floats.")  # fmt: skip
    found = learned(run)
    (one,) = found["proposals"]
    assert one["diff"][0] == "- - Production always deploys from the release branch."
    assert one["diff"][2] == "+ - Production never deploys from the release branch."
    assert [(held["id"], held["how"]) for held in found["held"]] == [("money", "contradicts it")]
    memory = Memory.open(str(repo.path))
    outcome = record_answers(memory, plan_learning(memory), {one["key"]: Answer(ACCEPT)})
    assert memory.standing("deploys").fact.superseded_by == outcome.facts
    memory.close()


def test_what_a_document_says_is_not_proposed(taught: Repo, run: Run) -> None:
    """The bar: documented in the code's own documents, it is no news to anybody."""
    taught.write("AGENTS.md", "# Agents\n\n" + LESSON + "\n")
    taught.git("add", "AGENTS.md")
    taught.git("commit", "-qm", "docs")
    assert all("snapshot" not in text for text in texts(run))


def test_since_is_a_log_that_is_there(taught: Repo, run: Run) -> None:
    """Older logs count as repetitions only; a stem that is not there, or no time, is refused."""
    stems = [one["stem"] for one in run("log", "--json").json["sessions"]]
    assert [text.split()[0] for text in texts(run, "--since", stems[0])] == ["Maintainer"]
    assert learned(run, "--since", stems[0])["proposals"][0]["sessions"] == 2
    for wrong in ("2026-01-01-120000000-aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense"):
        ran = run("learn", "--since", wrong)
        assert ran.code == 1 and "hint:" in ran.err


def test_withheld_words_are_not_proposed(taught: Repo, run: Run) -> None:
    """A redacted log teaches nothing."""
    stems = [one["stem"] for one in run("log", "--json").json["sessions"]]
    assert run("redact", stems[-1], "--reason", "names a customer").code == 0
    assert all("snapshot" not in text for text in texts(run))


TOLD = """## Answered

- Keep the merge layer, or cut it? → Keep the merge layer for the append-only case (Recommended)
- Where should the callers live? → Help me understand what each of them costs, would you?
- Shall I go on? → Yes

## Turns

### Turn 1 of 2

> Retries must never be made by the client, in any service.

> should the client always retry?

> go on

The directory stays behind as an untracked file, because the release tool counts what git does not know.
Look at the second run.

- This is so because the other one was slow, and nobody minds it very much at all here.

```
Builds are made in a clean folder, because what is left of the last one breaks the signature.
```

### Turn 2 of 2

Done, all of it. 因为缓存目录没有被忽略，所以发布工具在构建之前会拒绝继续执行后面的所有步骤，直到目录被移到别的位置。
"""
OFFERED = [
    "Keep the merge layer, or cut it? → Keep the merge layer for the append-only case",
    "The directory stays behind as an untracked file, because the release tool counts what git does not know.",
    "因为缓存目录没有被忽略，所以发布工具在构建之前会拒绝继续执行后面的所有步骤，直到目录被移到别的位置。",
]


def capture(repo: Repo, body: str = TOLD, session: str = "s1") -> str:
    """Record the log that a session of a host left; return its name."""
    memory = Memory.open(str(repo.path))
    header = (("host", "claude"), ("session", session), ("transcript", f"{session}.jsonl 0-900"))
    stem = memory.append(SessionDraft("Work", body, (), "claude-code", header=header)).stem
    memory.close()
    return stem


def test_candidates_are_found_in_captured_logs(repo: Repo, run: Run) -> None:
    """Dialogs, reports with a reason, at most three a session, each with its place; the log says no fact."""
    capture(repo)
    found = learned(run)["proposals"]
    assert sorted(one["text"] for one in found) == sorted(OFFERED)
    assert {one["source"] for one in found} == {CANDIDATE}
    assert run("ls", "--json").json["facts"] == []
    assert not (repo.path / ".git/diurna/candidates").exists()
    capture(
        repo,
        "## Turns\n\n### Turn 1 of 1\n\n> Retries must never be made by the client, please.\n",
        "s2",
    )
    assert "Retries must never be made by the client, please." in texts(run)


def test_a_candidate_is_let_in_with_its_place_and_words(repo: Repo, run: Run) -> None:
    """In a person's own words where they have some; what is refused leaves a hash and no log."""
    stem = capture(repo)
    memory = Memory.open(str(repo.path))
    plan = plan_learning(memory)
    by_text = {one.offer.item.text: one for one in plan.proposals}
    first, second, third = [by_text[text] for text in OFFERED]
    logs = len(run("log", "--json").json["sessions"])
    done = record_answers(memory, plan, {second.key: Answer(REJECT)})
    assert done.receipt is None and done.rejected == (second.key,)
    assert len(run("log", "--json").json["sessions"]) == logs
    kept = repo.path / ".git/diurna/candidates/refused"
    assert kept.read_text() == f"{second.key}\n" and kept.stat().st_mode & 0o777 == 0o600
    given = {first.key: Answer(ACCEPT, "The merge layer stays."), third.key: Answer(REJECT)}
    done = record_answers(memory, plan_learning(memory), given)
    (fact,) = run("show", *done.facts, "--json").json["facts"]
    assert fact["text"] == "The merge layer stays."
    place, quote = fact["meta"]["source"].split(" ", 1)
    assert place == first.offer.places[0] and place.startswith(f"{stem}:")
    assert quote.startswith('"Keep the merge layer, or cut it? → Keep')
    memory.close()
    assert learned(run)["proposals"] == []
    assert len(kept.read_text().split()) == 2


def test_accepting_by_key(repo: Repo, run: Run) -> None:
    """The proposal of a key alone, in other words too; any other key writes nothing."""
    capture(repo)
    keys = [one["key"] for one in learned(run)["proposals"]]
    for wrong in (
        ("--accept", "zz"),
        ("--accept", ""),
        ("--text", "x"),
        ("--accept", keys[0], "--ask"),
    ):
        assert (
            run("learn", *wrong, "--text", "y").code != 0
            and run("ls", "--json").json["facts"] == []
        )
    ran = run("learn", "--accept", keys[0][:12], "--text", "The merge layer stays.")
    assert ran.code == 0 and "Learned" in ran.out
    assert "The merge layer stays." in run("recall", "merge layer").out
    assert [one["key"] for one in learned(run)["proposals"]] == keys[1:]


def test_candidates_are_no_threads_and_end_with_their_log(repo: Repo, run: Run) -> None:
    """Asking raises none of them, and a redaction of the log takes them all."""
    stem = capture(repo)
    assert run("learn", "--ask").code == 0 and run("ls", "--json").json["facts"] == []
    assert len(texts(run)) == 3
    assert run("redact", stem, "--reason", "names a customer").code == 0
    assert texts(run) == []


def test_the_newest_sessions_have_candidates(repo: Repo, run: Run) -> None:
    """Older ones are forgotten by themselves; `--since` asks for fewer."""
    say_one = "## Turns\n\n### Turn 1 of 1\n\nThe w{0} worker is slow on purpose, because w{0} would flood the rest.\n"
    stems = [capture(repo, say_one.format(f"{number:02}"), f"s{number}") for number in range(23)]
    found = learned(run)
    assert len(found["proposals"]) + found["more"] == 20
    assert learned(run, "--since", stems[-2])["more"] + len(texts(run, "--since", stems[-2])) == 2


def test_what_is_about_a_person_is_no_candidate(repo: Repo, run: Run) -> None:
    """Not in the sentence, and not in the words that it was found in."""
    capture(
        repo,
        "## Answered\n\n- Who is on call? → Lena Berger is on sick leave until her surgery in May\n",
    )
    assert texts(run) == []


def test_what_waited_in_an_older_release_is_still_offered(repo: Repo, run: Run) -> None:
    """Its files stay as they are; an answer is remembered; what is broken harms nobody."""
    folder = repo.path / ".git/diurna/candidates"
    folder.mkdir(parents=True)
    items = [
        {"kind": "decision", "text": f"The {name} worker retries {number} times.", "quote": "yes"}
        for number, name in enumerate(("mail", "billing"), 3)
    ]
    text = json.dumps({"host": "claude", "session": "s1", "items": [*items, 1, {"kind": 3}]})
    (folder / "claude-s1.json").write_text(text)
    (folder / "a.json").write_text("{")
    (folder / "b.json").symlink_to("/etc/passwd")
    (folder / "c.json").mkdir()
    (folder / "d.json").write_text(
        json.dumps(
            {
                "items": [
                    {
                        "kind": "decision",
                        "text": "# Heading <!-- id: x --> \x1b[2J always use `make`",
                        "quote": "q",
                    }
                ]
            }
        )
    )
    said = texts(run)
    assert len(said) == 3 and any(one.startswith("Heading < !-- id: x -- >") for one in said)
    memory = Memory.open(str(repo.path))
    plan = plan_learning(memory)
    record_answers(memory, plan, {one.key: Answer(REJECT) for one in plan.proposals})
    memory.close()
    assert texts(run) == [] and (folder / "claude-s1.json").read_text() == text


def test_ten_thousand_that_wait_are_seven_proposals(repo: Repo, run: Run) -> None:
    """So many cost seconds, not minutes, and at most seven are proposed."""
    folder = repo.path / ".git/diurna/candidates"
    folder.mkdir(parents=True)
    items = [{"kind": "decision", "text": f"The w{number:05} worker must retry {number} times.", "quote": "q"}
             for number in range(10_000)]  # fmt: skip
    (folder / "a.json").write_text(json.dumps({"session": "s", "items": items}))
    found = learned(run)
    assert len(found["proposals"]) == PROPOSALS and found["more"] > 100


_WORDS = st.text(max_size=60)
ITEMS = st.builds(
    Item, kind=_WORDS, text=_WORDS, quote=_WORDS, entity=_WORDS, tags=st.tuples(_WORDS, _WORDS),
    obsolete_when=_WORDS, misfit=_WORDS,
)  # fmt: skip


@given(ITEMS, _WORDS)
def test_whatever_waits_can_be_stored_or_is_not_offered(item: Item, part: str) -> None:
    """Whoever wrote the candidate, the fact that it would become is canonical."""
    for fit in storable([item]):
        offer = Offer(CANDIDATE, fit, (f"{part} 0",), 1, frozenset(("s",)))
        log = SessionLog((("agent", "a"),), "T", "", (birth_of(offer, "x", "decision"),))
        assert problems(log) == ()


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
        assert run("finding", "report", *said).code == 0
    back = ("finding", "report", "--rule", "race", "--path", "src/q.py", "lock is not held")
    bug = run(*back, "--json").json["findings"][0]["id"]
    assert run("append", "--close", bug).code == 0 and run(*back).code == 0
    assert run("finding", "report", "--rule", "typo", "one word").code == 0
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
    assert {one["source"] for one in found} == {"finding"}
    texts = " ".join(one["text"] for one in found)
    assert len(found) == 3 and "no-timeout" in texts and "race" in texts and "`retry`" in texts


def test_of_too_many_offers_those_that_weigh_most_are_considered(
    taught: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever they come from: a habit that auditors found three times gives way to a ruling that recurs."""
    for number in range(3):
        said = ("--rule", "typo", "--path", f"src/{number}.py", "one word")
        assert run("finding", "report", *said).code == 0
    assert {one["source"] for one in learned(run)["proposals"]} == {"finding", "decision", "lesson"}
    monkeypatch.setattr("rituals.review.learning.learning_plan._CONSIDERED", 1)
    assert [one["source"] for one in learned(run)["proposals"]] == ["decision"]
