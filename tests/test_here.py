"""What HEAD has of a memory that lives on a branch of its own (FORMAT.md, B1 to B6)."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.git.ancestry import lacking
from ledger.home import discover
from memory.cache.head_store import NOTHING, Settled, Told, here_path, keep, read, settle
from memory.query.open_snapshot import open_snapshot
from memory.replay.head_view import Here, here_known, here_of
from memory.replay.unlanded_work import without
from projection.document.branch_remarks import differing
from projection.fold.fact_history import History
from projection.fold.fold import collect, resolve
from tests.conftest import Repo, Run, each_row, examples
from tests.made_histories import Logged, ledgers


def tick() -> None:
    """Let a minute pass, for git and for who records."""
    now = int(os.environ["DIURNA_NOW"]) + 60_000
    os.environ.update(DIURNA_NOW=str(now), GIT_COMMITTER_DATE=f"{now // 1000} +0000")


@pytest.fixture
def shop(bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose memory has a branch of its own, with two decisions of `main`."""
    monkeypatch.setenv("DIURNA_NOW", "1798761600000")  # behind the commits of the builder
    monkeypatch.setenv("GIT_COMMITTER_DATE", "")
    tick()
    assert run("init", "--branch", "memory").code == 0
    note(run, "id=api-timeouts decision: All outbound calls time out after 10 s.")
    note(run, "id=queue-mem decision: The queue is kept in memory.")
    return bare_repo


def note(run: Run, text: str) -> None:
    """Record a fact."""
    tick()
    assert run("note", text).code == 0


def work(shop: Repo, name: str = "more") -> str:
    """Commit something; return its id."""
    tick()
    shop.write(f"{name}.py", f"{name}\n")
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", name)
    return shop.git("rev-parse", "HEAD").strip()


def branch_off(shop: Repo, run: Run) -> None:
    """Work on `feature/x`: a commit, another text, a successor, a fact; and go back to `main`."""
    shop.git("switch", "-qc", "feature/x")
    work(shop)
    tick()
    assert (
        run("edit", "api-timeouts", "All outbound calls time out after 5 s.", "--reason", "r").code
        == 0
    )
    ran = run(
        "append", "--title", "Redis", "--new", "id=queue-redis decision: The queue is kept in Redis.",
        "--supersede", "queue-mem=queue-redis",
    )  # fmt: skip
    assert ran.code == 0
    tick()
    shop.git("switch", "-q", "main")


def seen(shop: Repo) -> Here:
    """Return what is elsewhere, from here."""
    home = discover(str(shop.path))
    return open_snapshot(home).ask(lambda cache: here_of(home, cache))


def said(shop: Repo) -> dict[str, str]:
    """Return the marks by fact."""
    return {id: row.said for id, row in seen(shop).rows.items()}


def test_what_is_elsewhere_is_told_and_what_landed_is_plain(shop: Repo, run: Run) -> None:
    """On `main` three facts are marked, on the branch none, and none once it was merged."""
    branch_off(shop, run)
    marks = {
        "api-timeouts": "feature/x: after 5 s", "queue-redis": "not here yet: feature/x",
        "queue-mem": "feature/x replaces it by queue-redis",
    }  # fmt: skip
    assert said(shop) == marks
    shop.git("switch", "-q", "feature/x")
    assert said(shop) == {}
    shop.git("switch", "-q", "--detach", "main")
    assert said(shop) == marks
    shop.git("switch", "-q", "main")
    work(shop, "beside")
    tick()
    shop.git("merge", "-q", "--no-ff", "-m", "m", "feature/x")
    assert said(shop) == {}


def test_first_log_on_a_fresh_branch_is_not_here_by_its_parent(shop: Repo, run: Run) -> None:
    """What is recorded before the first commit has the trunk's for its own, and is of the branch."""
    shop.git("switch", "-qc", "feature/x")
    note(run, "id=queue-redis decision: The queue is kept in Redis.")
    shop.git("switch", "-q", "main")
    assert said(shop) == {"queue-redis": "feature/x, not committed yet"}


def test_head_known_spawns_nothing(shop: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is kept by HEAD, also behind logs that were written at this very HEAD."""
    branch_off(shop, run)
    marks = said(shop)
    note(run, "id=uv convention: Use uv, not pip.")
    monkeypatch.setattr("ledger.git.cli.Git.start", None)
    home = discover(str(shop.path))
    snapshot = open_snapshot(home)
    rows = snapshot.ask(lambda cache: here_of(home, cache)).rows
    assert {id: row.said for id, row in rows.items()} == marks


def test_worktrees_two_heads_two_answers(shop: Repo, run: Run) -> None:
    """They share the file, and not the answer."""
    branch_off(shop, run)
    shop.git("worktree", "add", "-q", "../other", "feature/x")
    other = Repo(shop.path.parent / "other")
    assert (len(said(shop)), said(other), len(said(shop))) == (3, {}, 3)
    assert {(one.branch, len(one.facts)) for one in read(discover(str(shop.path))).told} == {
        ("main", 3), ("feature/x", 0),
    }  # fmt: skip


def test_what_landed_is_here_and_what_was_reverted_is_not(shop: Repo, run: Run) -> None:
    """Landings are kept by point, whatever id they have here."""
    branch_off(shop, run)
    point = shop.git("rev-parse", "feature/x").strip()
    squash = work(shop, "squash")
    home = discover(str(shop.path))
    settle(home, {point: Settled(squash, "squash")}, {})
    assert said(shop) == {}
    shop.git("switch", "-qc", "other", "HEAD~1")
    work(shop, "other")
    assert len(said(shop)) == 3
    shop.git("switch", "-q", "main")
    revert = work(shop, "revert")
    settle(home, {point: Settled(squash, "squash", revert, "2026-11-12")}, {})
    for _ in range(2):
        assert said(shop)["queue-redis"] == f"reverted by {revert[:7]}, 2026-11-12"
        note(run, "id=uv convention: Use uv, not pip.")


def test_bisect_marks_no_line(shop: Repo, run: Run) -> None:
    """Where HEAD is an ancestor of the trunk nothing is marked, and one line says so."""
    for name in ("one", "two"):
        work(shop, name)
        note(run, f"id=after-{name} decision: The {name} of the parts is done first.")
    shop.git("switch", "-q", "--detach", "HEAD~2")
    here = seen(shop)
    assert (here.rows, here.line) == ({}, "HEAD is 2 commits behind main: 2 facts are newer")


def test_ambiguous_seven_digits_unknown(shop: Repo) -> None:
    """What names several commits, or is no id, is never guessed; what names none is missing."""
    git = discover(str(shop.path)).repository.git()
    head = shop.git("rev-parse", "HEAD").strip()
    found = lacking(git, head, {head[:7], "0" * 40, head[:3], "main"})
    assert found.whole == {head[:7]: head}
    assert (found.outside, found.missing) == (frozenset(), frozenset(["0" * 40]))
    assert found.unknown == {head[:3], "main"}


def test_shallow_says_it_can_not_tell(shop: Repo, run: Run) -> None:
    """Behind the cut of a shallow clone nothing is known to be elsewhere."""
    branch_off(shop, run)
    (shop.path / ".git" / "shallow").write_text(shop.git("rev-parse", "main"))
    shop.git("branch", "-qD", "feature/x")
    shop.git("reflog", "expire", "--expire=now", "--all")
    shop.git("gc", "-q", "--prune=now")
    here = seen(shop)
    home = discover(str(shop.path))
    fact = open_snapshot(home).ask(lambda cache: cache.fact("queue-redis"))
    assert fact is not None and here.rows == {} and here.is_unknown(fact)


def test_the_file_is_read_as_it_was_written_or_not_at_all(shop: Repo) -> None:
    """Whatever others wrote into it counts for nothing."""
    home = discover(str(shop.path))
    told = Told(
        "a" * 40,
        "main",
        "t",
        "",
        "g",
        7,
        (("stem", ""),),
        ("s",),
        0,
        "main",
        False,
        frozenset(("c",)),
        (),
    )
    settle(home, {"b" * 40: Settled("c" * 40, "squash")}, {"stem": ""})
    keep(home, told)
    kept = read(home)
    assert (kept.of("a" * 40, "main", "t"), kept.points) == (told, {"stem": ""})
    assert kept.settled == {"b" * 40: Settled("c" * 40, "squash")}
    with open(here_path(home), "ab") as file:
        file.write(b"x")
    assert read(home) == NOTHING


def test_main_keeps_its_text_while_feature_x_rewords_it(shop: Repo, run: Run) -> None:
    """Every answer has the text that holds here first, and says what the branch says."""
    branch_off(shop, run)
    line = "All outbound calls time out after 10 s. (feature/x: after 5 s)"
    assert f"- api-timeouts: {line}\n" in run("brief").out
    assert line in run("recall", "outbound calls time out").out
    assert line in run("show", "--list").out
    shown = run("show", "api-timeouts").out
    assert "- All outbound calls time out after 10 s.\n" in shown
    assert " | marks: feature/x: after 5 s -->" in shown
    assert run("why", "api-timeouts").out.startswith("api-timeouts")
    (fact,) = run("show", "api-timeouts", "--json").json["facts"]
    assert (fact["here"], fact["branch"], fact["point"], fact["text_here"]) == (
        "no", "feature/x", shop.git("rev-parse", "feature/x").strip(), fact["text"],
    )  # fmt: skip
    for command in (("show", "api-timeouts"), ("brief",), ("recall", "outbound calls time out")):
        assert "after 5 s." in run(*command, "--everywhere").out
    shop.git("merge", "-q", "feature/x")
    for command in (("show", "api-timeouts"), ("brief",), ("recall", "outbound calls time out")):
        said = run(*command).out
        assert "after 5 s." in said and "feature/x" not in said


def test_supersession_elsewhere_leaves_the_old_one_standing_here(shop: Repo, run: Run) -> None:
    """The old one is told as it holds here, with what replaces it there, and before that one."""
    branch_off(shop, run)
    old = "The queue is kept in memory. (feature/x replaces it by queue-redis)"
    new = "The queue is kept in Redis. (not here yet: feature/x)"
    brief = run("brief").out
    assert 0 < brief.index(old) < brief.index(new)
    hits = run("recall", "queue", "kept", "--json").json["hits"]
    assert [(hit["id"], hit["false"], hit["here"]) for hit in hits[:2]] == [
        ("queue-mem", False, "no"), ("queue-redis", False, "no"),
    ]  # fmt: skip
    assert hits[0]["line"] == old and hits[1]["line"] == new
    assert "superseded" not in run("show", "--list").out


def test_in_tree_squash_marks_nothing(repo: Repo, run: Run) -> None:
    """Beside the code a log of HEAD's tree is here, whatever commit its header names (B4)."""
    repo.git("switch", "-qc", "feature/x")
    repo.write("more.py", "")
    repo.git("add", "more.py")
    repo.git("commit", "-qm", "more")
    assert run("note", "id=queue-redis decision: The queue is kept in Redis.").code == 0
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--squash", "feature/x")
    repo.git("commit", "-qm", "squash")
    repo.git("branch", "-qD", "feature/x")
    for command in (("brief",), ("recall", "queue"), ("show", "queue-redis")):
        said = run(*command).out
        assert "kept in Redis." in said and "feature/x" not in said
    assert run("show", "queue-redis", "--json").json["facts"][0]["here"] == "yes"


def test_replay_bytes_same_at_every_head(shop: Repo, run: Run) -> None:
    """The replay, its page and its digest know nothing of HEAD (B1)."""
    branch_off(shop, run)
    said = [(run("show").out, run("check", "--replay", "--json").json)]
    for head in ("feature/x", "main~0"):
        shop.git("switch", "-q", "--detach", head)
        said.append((run("show").out, run("check", "--replay", "--json").json))
    assert said[0] == said[1] == said[2]


def test_a_policy_that_does_not_follow_marks_nothing(shop: Repo, run: Run) -> None:
    """`[branches] follow = false` tells all as all branches have it."""
    branch_off(shop, run)
    shop.git("worktree", "add", "-q", "../memory", "memory")
    policy = shop.path.parent / "memory" / "diurna.toml"
    policy.write_text(policy.read_text() + "\n[branches]\nfollow = false\n")
    Repo(policy.parent).git("commit", "-qam", "policy")
    assert seen(shop).said == ""
    assert "after 5 s." in run("brief").out


def test_a_brief_marks_five_and_counts_the_rest(shop: Repo, run: Run) -> None:
    """What is elsewhere never crowds out what is here; over a quarter of it is one line."""
    shop.git("switch", "-qc", "feature/x")
    work(shop)
    words = "alder beech cedar fig hazel larch maple oak pine rowan sorrel willow".split()
    new = [
        w for one in words[:8] for w in ("--new", f"id={one} decision: The {one} is for {one}ing.")
    ]
    assert run("append", "--title", "Trees", *new).code == 0
    shop.git("switch", "-q", "main")
    brief = run("brief").out
    assert brief.count("(not here yet: feature/x)") == 5
    assert "3 more facts are not here yet." in brief
    shop.git("switch", "-q", "feature/x")
    new = [
        w for one in words[8:] for w in ("--new", f"id={one} decision: The {one} is for {one}ing.")
    ]
    assert run("append", "--title", "Trees", *new, "--new", "id=yew decision: Yew bows.").code == 0
    shop.git("switch", "-q", "main")
    brief = run("brief").out
    assert "not here yet" not in brief
    assert "13 facts are of work that HEAD does not hold." in brief


def test_who_writes_here_answers_what_holds_here(shop: Repo, run: Run) -> None:
    """An edit on `main` replaces both texts, and takes nothing back that a branch said against a fact."""
    branch_off(shop, run)
    work(shop, "beside")
    for id, text in {
        "api-timeouts": "All outbound calls time out after 8 s.",
        "queue-mem": "The queue is kept in shared memory.",
    }.items():
        assert run("edit", id, text, "--reason", "r").code == 0
    shown = run("show", "--list").out
    assert "time out after 8 s." in shown and "kept in shared memory. (feature/x" in shown
    assert "contradicted" not in shown
    shop.git("switch", "-q", "feature/x")
    assert "time out after 8 s." not in (listed := run("show", "--list", "--all").out)
    assert "All outbound calls time out after 5 s. (main: after 8 s" in listed
    assert "superseded by queue-redis" in listed


def test_head_that_only_went_on_spawns_nothing(
    shop: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit on top of what held all holds all; one that was amended is asked of git."""
    assert said(shop) == {}
    for amend, asked in (((), False), (("--amend",), True)):
        shop.write("code.py", f"{amend}\n")
        shop.git("commit", "-qam", "more", *amend)
        home = discover(str(shop.path))
        assert (here_known(home) is None) is asked
    assert said(shop) == {}


def test_a_brief_says_nothing_more_of_a_branch_that_is_long_gone(
    shop: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two weeks behind its end the review asks; every other answer goes on marking it."""
    branch_off(shop, run)
    shop.git("branch", "-qD", "feature/x")
    assert "not here yet: feature/x" in run("brief").out
    later = int(os.environ["DIURNA_NOW"]) + 16 * 86_400_000
    monkeypatch.setattr("memory.replay.unlanded_work.now_ms", lambda: later)
    note(run, "id=uv convention: Use uv, not pip.")
    brief = run("brief").out
    assert "feature/x" not in brief and "time out after 10 s." in brief and "Redis" not in brief
    assert "(not here yet: feature/x)" in run("show", "--list").out


def test_what_was_told_of_one_head_spares_nothing_of_another(shop: Repo, run: Run) -> None:
    """To and fro between branches, it is what is found without anything that is kept."""
    branch_off(shop, run)
    work(shop, "beside")
    note(run, "id=beside decision: Work beside it is of main.")
    shop.git("switch", "-qc", "other", "HEAD~1")
    work(shop, "other")
    note(run, "id=other decision: Other work is of another branch.")
    for head in ("main", "feature/x", "other", "main", "feature/x~1", "feature/x"):
        tick()
        shop.git("switch", "-q", "--detach", head)
        told = said(shop)
        os.unlink(here_path(discover(str(shop.path))))
        assert said(shop) == told and (told or head == "feature/x~1")
        if head == "other":
            os.unlink(here_path(discover(str(shop.path))))


@settings(max_examples=examples(25, 60), deadline=None)
@given(ledgers(), st.data())
def test_what_holds_here_is_the_fold_of_the_logs_that_are_here(
    logs: list[Logged], data: st.DataObject
) -> None:
    """A fact without the logs elsewhere is that of a ledger which never had them (B2)."""
    stems = [one.ref.key for one in logs]
    outside = data.draw(st.sets(st.sampled_from(stems)) if stems else st.just(set()))
    whole = collect([one.entry for one in logs])
    rest = collect([one.entry for one in logs if one.ref.key not in outside])
    for id, history in whole.items():
        found = without(id, history, outside, frozenset())
        there = resolve(id, rest.get(id, History()))
        said = [
            one and (one.heads, one.superseded_by, one.invalidated_at) for one in (found, there)
        ]
        assert said[0] == said[1]


@each_row("text, other, part", (
    ("Retry after 3 s and then give up.", "Retry after 5 s and then give up.", "after 5"),
    ("Two hosts run the jobs.", "Three hosts run the jobs.", "Three"),
    ("Port 80 is open.", "Port 81 is open.", "Port 81 is open"),
))  # fmt: skip
def test_what_differs_is_told_with_the_word_before_it(text: str, other: str, part: str) -> None:
    """Of the first word on, and as long as few words behind it are the same."""
    assert differing(text, other) == part
