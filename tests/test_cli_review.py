"""`diurna review`: transcripts on real repositories, on a terminal and without one, alone and in a race."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledger.home import discover
from ledger.model.event import FactCreated
from memory import Memory, SessionDraft
from memory.api import Memory as Api
from rituals.cli.context import Invocation
from rituals.review.review_plan import plan_review as make_plan
from rituals.review.review_record import alone
from tests.conftest import NOW_MS, Ran, Repo, formed, laid_once
from tests.dated_commits import commit

if TYPE_CHECKING:
    from tests.conftest import Run

POLICY = """\
[review]
every = 2
verify_invariants_every = 2
"""


def prepare(repo: Repo, run: Run) -> None:
    """Give the home a policy with small limits, and two sessions."""
    policy = (repo.path / "memory/diurna.toml").read_text().split("[review]")[0]
    repo.write("memory/diurna.toml", policy + POLICY)
    repo.git("commit", "-qam", "policy")
    ran = run(
        "append", "--title", "Start", "--new", "id=inv invariant: Orders are never deleted.",
        "--new", "id=hello decision: The greeting stands in `code.py`.",
    )  # fmt: skip
    assert ran.code == 0
    assert run("append", "--title", "Go on", "--ref", "hello").code == 0
    assert run("append", "--title", "Go on", "--ref", "hello", "--again").code == 0


@laid_once
def shop(repo: Repo, run: Run) -> None:
    """A home with small limits that was worked in."""
    prepare(repo, run)


@pytest.fixture
def terminal(run: Run) -> Run:
    """Run the command line on something that passes for a terminal, with lines typed into it."""

    def typed(*arguments: str, stdin: bytes = b"") -> Ran:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Invocation, "interactive", lambda _: True)
            return run(*arguments, stdin=stdin)

    return typed


def test_review_raises_threads_and_publishes(repo: Repo, run: Run) -> None:
    """Without a terminal: one log, what needs a person as threads, the projection published; then nothing."""
    repo.publish_when("review")
    prepare(repo, run)
    assert (
        not (repo.path / "memory/continuity.md").exists() or run("status", "--json").json["drift"]
    )
    ran = run("review")
    assert (ran.code, ran.err) == (0, "")
    (thread,) = [word for word in ran.out.split() if word.startswith("review-invariant-due-")]
    thread = thread.rstrip(":")
    assert ran.said.replace(thread, "THREAD") == (
        "STEM  written, not committed\n"
        "Reviewed    3 work sessions since the beginning\n"
        "Raised      THREAD: `diurna review --confirm` each of these, or say what holds: nobody did for long.\n"
    )
    assert run("check", "--publish").code == 0
    assert f"id: {thread}" in (repo.path / "memory/continuity.md").read_text()
    stem = ran.out.split()[0]
    (path,) = repo.path.glob(f"memory/sessions/*/*/{stem}*.md")
    log = path.read_text()
    assert "\ntype: review\n" in log and "\n# Memory review\n\n## Memory Review\n" in log
    assert "- inv: never confirmed; 2 work sessions went by.\n" in log
    assert run("check", "--ci").out == "all in order\n"
    shape = repo.shape()
    again = run("review")
    assert again.code == 0
    assert again.said == "nothing new since STEM; 1 question still open\n"
    assert repo.shape() == shape


def test_review_dry_run_changes_nothing(shop: Repo, run: Run) -> None:
    """The plan is printed, as text and as JSON; nothing changes."""
    shape = shop.shape()
    ran = run("review", "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("would append a review log:\n## Memory Review\n")
    assert "- Due: 3 sessions since the last (every 2)\n" in ran.out
    assert "\nRaised      review-invariant-due-" in ran.out
    answer = run("review", "--dry-run", "--json").json
    assert answer["format"] == 1 and answer["dry_run"] and answer["stem"] == ""
    assert answer["due"] == ["3 sessions since the last (every 2)"]
    (question,) = answer["questions"]
    assert (question["rule"], question["facts"], question["fresh"]) == (
        "invariant-due",
        ["inv"],
        True,
    )
    assert answer["raised"] == [f"review-invariant-due-{answer['raised'][0][-8:]}"]
    assert shop.shape() == shape


def test_review_twice_on_the_same_ledger_is_the_same_bytes(
    shop: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two clones of one ledger, reviewed at the same instant by the same agent, get the same log."""
    clone = tmp_path / "clone"
    shop.git("clone", "-q", str(shop.path), str(clone))
    mine = run("review", "--json").json
    monkeypatch.chdir(clone)
    theirs = run("review", "--json").json
    assert mine["stem"] == theirs["stem"] != ""


def test_code_names_another_repository(
    bare_repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home of its own has no code to be held against until --code names it."""
    home = tmp_path / "team"
    assert run("init", str(home)).code == 0
    monkeypatch.chdir(home)
    assert run("append", "--title", "T", "--new", "id=f See `code.py` and more.").code == 0
    bare_repo.git("rm", "-q", "code.py")
    commit(bare_repo, "Drop it")
    assert run("review", "--dry-run", "--json").json["questions"] == []
    answer = run("review", "--code", str(bare_repo.path), "--dry-run", "--json").json
    assert [one["rule"] for one in answer["questions"]] == ["file-gone"]


def test_walk_accepts_rejects_and_leaves(shop: Repo, run: Run, terminal: Run) -> None:
    """On a terminal each finding is asked about; answers become ordinary events, silence a thread."""
    more = ("--new", "id=two invariant: Twice.", "--ref", "ghost", "--anyway")
    assert run("append", "--title", "More", *more).code == 0
    assert run("append", "--title", "More", "--again").code == 0
    assert run("append", "--title", "Even more", "--again").code == 0
    ran = terminal("review", stdin=b"a\nr\nl\n")
    assert ran.code == 0, ran.err
    assert "3 questions; what you leave for later stays open as a thread\n" in ran.err
    assert "1/3 Invariants to confirm\ninv: never confirmed; 5 work sessions went by.\n" in ran.err
    assert (
        "  │ Orders are never deleted.\nproposal: it still holds\naccept: Verified: inv\n"
        in ran.err
    )
    assert "[a]ccept, [r]eject, [l]ater, [q]uit" in ran.err
    assert "Verified    inv\n" in ran.out
    assert "Raised      review-id-dangling-" in ran.out
    assert ": Does two still hold?\n" in ran.out
    again = terminal("review", stdin=b"q\n")
    assert "2 questions; what you leave" in again.err
    assert again.said == (
        "nothing new since STEM; 2 questions still open\n"
        "Checked     1 warning; `diurna check` names them\n"
    )
    assert run("note", "id=ghost It is there.").code == 0
    open_still = "Settled, and still open (1): review-id-dangling-"
    assert open_still in run("review", "--dry-run").out
    settled = terminal("review", stdin=b"l\na\n")
    assert "2/2 Settled\nreview-id-dangling-" in settled.err and "Closed      " in settled.out


def test_yes_asks_nothing(shop: Repo, run: Run, terminal: Run) -> None:
    """--yes on a terminal raises threads and decides nothing."""
    ran = terminal("review", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert "Raised      review-invariant-due-" in ran.out
    assert run("show", "inv", "--json").json["facts"][0]["verified"] == ""


def test_walk_that_is_interrupted_changes_nothing(
    shop: Repo, run: Run, terminal: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever leaves in the middle (end of input, Ctrl-C) leaves the ledger as it was, and the lock free."""
    shape = shop.shape()
    ran = terminal("review", stdin=b"")
    assert ran.code == 130
    assert shop.shape() == shape
    assert run("review", "--yes").code == 0


def test_an_edit_is_absorbed_first(shop: Repo, run: Run) -> None:
    """What a person edited in continuity.md is a log before the plan is made."""
    assert run("check", "--publish").code == 0
    file = shop.path / "memory/continuity.md"
    file.write_text(file.read_text().replace("never deleted", "never, ever deleted"))
    ran = run("review")
    assert ran.code == 0
    assert formed(ran.err) == "info: the edit of continuity.md became the log STEM, Updated: inv\n"
    assert "never, ever deleted" in file.read_text()
    file.write_text(file.read_text().replace("# Continuity", "# Something else"))
    shape = shop.shape()
    assert run("review").code == 1
    assert shop.shape() == shape


def test_b11_one_review_at_a_time(shop: Repo, run: Run) -> None:
    """The second says that there is one, and changes nothing."""
    memory = Memory.open(str(shop.path))
    shape = shop.shape()
    with alone(memory.home):
        ran = run("review")
        plan = run("review", "--dry-run")
    assert ran.code == 1
    assert ran.err.startswith("diurna: review: a review of this ledger is under way: ")
    assert ran.err.endswith("can be seen with `diurna review --dry-run`\n")
    assert plan.code == 0
    assert shop.shape() == shape
    assert run("review").code == 0
    memory.close()


def test_k18_a_review_that_was_outrun_is_made_again(
    shop: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that lands between plan and log is in the plan that is applied."""
    plans = []

    def slow(memory: Api, code_path: str = "", progress: object = None) -> object:
        plan = make_plan(memory, code_path)
        plans.append(plan.sessions_since)
        if len(plans) == 1:
            other = Memory(discover(str(shop.path)), clock=lambda: NOW_MS + 60_000)
            other.append(SessionDraft("Meanwhile"))
            other.close()
        return plan

    monkeypatch.setattr("rituals.review.review_record.plan_review", slow)
    ran = run("review")
    assert ran.code == 0, ran.err
    assert plans == [3, 4]
    assert "Reviewed    4 work sessions since the beginning\n" in ran.out
    assert run("log", "--json").json["sessions"][0]["type"] == "review"
    assert run("check", "--ci").out == "all in order\n"


def test_a_review_that_is_always_outrun_gives_up(
    shop: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so, and nothing of it is left in the spool."""
    count = iter(range(100))

    def slow(memory: Api, code_path: str = "", progress: object = None) -> object:
        plan = make_plan(memory, code_path)
        shop.git("commit", "-q", "--allow-empty", "-m", f"code {next(count)}")
        return plan

    monkeypatch.setattr("rituals.review.review_record.plan_review", slow)
    ran = run("review")
    assert ran.code == 1
    assert "moved while it was being looked at" in ran.err
    assert not list((shop.path / ".git/diurna/spool").glob("2026*"))
    monkeypatch.undo()


def test_own_branch(bare_repo: Repo, run: Run) -> None:
    """On a branch of its own the code is what HEAD has, and the log goes to the branch."""
    assert run("init", "--branch", "memory").code == 0
    assert run("append", "--title", "T", "--new", "id=f See `code.py` and more.").code == 0
    bare_repo.git("rm", "-q", "code.py")
    commit(bare_repo, "Drop it")
    ran = run("review")
    assert ran.code == 0
    assert "Raised      review-file-gone-" in ran.out
    assert "committed in" in ran.out and " on memory\n" in ran.out
    assert bare_repo.git("status", "--porcelain") == ""


def grow(run: Run, *numbers: int) -> list[str]:
    """Record sessions with a fact each; return what each says on standard error."""
    rows = [("--title", f"S{one}", "--new", f"id=f{one} Fact {one}.") for one in numbers]
    return [run("append", *row).err for row in rows]


@laid_once
def grown(repo: Repo, run: Run) -> None:
    """A home for two facts, with nine."""
    policy = (repo.path / "memory/diurna.toml").read_text()
    repo.write("memory/diurna.toml", policy.replace("# max_facts = 60", "max_facts = 2"))
    repo.git("commit", "-qam", "policy")
    assert grow(run, *range(9)) == [""] * 9


def test_append_and_status_say_when_a_review_is_due(grown: Repo, run: Run) -> None:
    """An append says so once, when it makes one due; status says it as long as it is."""
    tenth, eleventh = grow(run, 9, 10)
    due = "info: a review is due: 10 sessions since the last (every 10); 10 facts (limit 2)\n"
    assert tenth.startswith(due) and eleventh == ""
    answer = run("status", "--json").json["review"]
    assert (answer["due"], answer["since"], answer["facts"]) == (True, 11, 11)
    assert "due: 11 sessions since the last (every 10); 11 facts (limit 2)\n" in run("status").out
    assert run("review").code == 0
    assert run("status", "--json").json["review"]["due"] is False


@pytest.fixture
def small_logs(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Record facts that a review asks much about, then let logs be small; return the keys it asks."""
    said = "Webhooks retry three times, with jitter."
    memory = Memory.open(str(repo.path))
    born = tuple([FactCreated(f"f{n}", said, "", (("kind", "decision"),)) for n in range(5)])
    memory.append(SessionDraft("Start", "", born, anyway=True))
    keys = {one.key for one in make_plan(memory).fresh}
    assert len(keys) > 6, keys
    for module in ("ledger.model.session", "rituals.review.review_record"):
        monkeypatch.setattr(f"{module}.LOG_LIMIT_BYTES", 3000)
    monkeypatch.setattr("rituals.review.review_record._HEADER_BYTES", 300)
    return keys


def test_what_is_too_much_for_one_log_waits_for_the_next_review(
    repo: Repo, run: Run, small_logs: set[str]
) -> None:
    """No log is refused, nothing is lost, nothing is raised twice; the last of them is the review."""
    left = len(small_logs)
    raised: list[str] = []
    while left:
        before = run("review", "--dry-run", "--json").json
        said = run("review", "--json")
        assert (said.code, said.json["raised"]) == (0, before["raised"]), said.err
        assert said.json["unasked"] == before["unasked"] == left - len(said.json["raised"])
        assert said.json["raised"], "each review goes on"
        left -= len(said.json["raised"])
        raised += said.json["raised"]
        assert before["since"] == "", "a part counts as no review"
    assert sorted(one.rpartition("-")[2] for one in raised) == sorted(small_logs)
    again = run("review", "--json").json
    assert again["nothing_new"] and again["since"] == said.json["stem"]


def test_answers_that_are_too_much_for_one_log(
    repo: Repo, terminal: Run, small_logs: set[str]
) -> None:
    """The first of a person's answers are recorded; the others are asked again, and that is said."""
    answered = 0
    while answered < len(small_logs):
        ran = terminal("review", stdin=b"l\n" * 50)
        raised = ran.out.count("\nRaised ")
        assert ran.code == 0 and raised, ran.err
        answered += raised
        waits = f"\nNot asked   {len(small_logs) - answered} questions: " in ran.out
        assert waits == ("`diurna review` asks what is left" in ran.out + ran.err)
        assert waits == (answered < len(small_logs))


def test_an_empty_ledger_has_nothing_to_review(repo: Repo, run: Run) -> None:
    """Nothing new, and no log."""
    ran = run("review")
    assert ran.code == 0
    assert ran.out.startswith("nothing new since the beginning\n")
    assert json.loads(run("review", "--json").out)["nothing_new"] is True
