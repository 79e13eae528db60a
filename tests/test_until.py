"""A commit or a day ends a fact that says so: seen at that commit in every answer, recorded once, the same for all."""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.git.repository import find_repository
from ledger.home import checked_out_home, discover
from memory.api import Memory
from memory.cache import broken_truth as kept_truth
from memory.cache.broken_truth import truth_of, with_ends
from memory.cache.broken_truth_file import Kept, Wait, read, truth_path
from memory.replay.head_view import here_of
from projection.text.until_conditions import FORMS, until_in, until_of
from rituals.decide.recorded_endings import record_ended
from rituals.review import truth_marks
from rituals.review.clone_questions import CHECK_FAILS
from rituals.review.review_plan import plan_review
from tests.campaigns.until import PREDICATES, History, differences
from tests.conftest import Repo, Run
from tests.dated_commits import commit, note

GOOD = (
    "tag v5*", "tag 2.0", "merged feature/x", "Merged main", "gone src/pay.py", "has lib/", "gone `my file.txt`",
    'file package.json has "react": "19', 'file a lacks "b c"', "file a has b", r'file a has "x \"y\""',
    "version react >= 19 in package.json", "version junit == v5.9.1 in pom.xml", "version x <2 in a/b",
    "date 2027-01-31", "date 2028-02-29",
)  # fmt: skip
BAD = (
    "", "soon", "when we move", "tag", "tag a b", "merged a b", "merged -x", "merged a..b", "merged x.lock",
    "gone", "gone src/a b", "gone /etc/passwd", "gone ../x", "has .git/config", "gone a//b", "has a\nb",
    "file a has", 'file a has ""', 'file a says "x"', f'file a has "{"x" * 201}"', "file ../a has x",
    "version react 19 in package.json", "version react >= 1.2.3.4.5 in a", "version >= 2 in a",
    "date 2027-02-30", "date tomorrow", "date 2027-1-1", "run make", "$(date)", "gone", "until v5",
)  # fmt: skip


def test_forms_that_parse_and_words_that_do_not() -> None:
    """Each form in its ways; an escape, a path outside, a day that does not exist and prose are none."""
    assert all(until_in(said) for said in GOOD)
    assert [said for said in BAD if until_in(said)] == []
    found = until_in(r'file a has "x \"y\""')
    assert found and found.text == 'x "y"'
    for said, right in (
        (("until", "gone a"), True), (("obsolete_when", "gone soon"), False), (("until", "soon"), False),
        (("obsolete_when", "gone src/pay.py"), True), (("obsolete_when", "merged upstream"), False),
        (("obsolete_when", "date 2027-01-31"), True),
    ):  # fmt: skip
        assert bool(until_of((said,))[1]) is right, said


@given(st.text(max_size=60), st.sampled_from([one.partition(" ")[0] for one in GOOD]))
def test_whatever_is_written_reads_or_is_refused(rest: str, form: str) -> None:
    """Nothing is raised, and what reads names no place outside of the repository."""
    found = until_in(f"{form} {rest}")
    if found is not None:
        assert found.place and found.place[0] != "/" and ".." not in found.place.split("/")
        assert found.said.isprintable()


@pytest.mark.parametrize("seed", range(3))
def test_histories_end_facts_at_the_exact_commit(tmp_path: Path, seed: int) -> None:
    """Some forty predicates in a history each, against a model that goes through all commits (a campaign does more)."""
    assert list(differences(tmp_path / "code", 40 + seed, 16)) == []


@pytest.mark.deep(reason="histories_end_facts_at_the_exact_commit is the small one")
@pytest.mark.parametrize("seed", range(2))
def test_to_and_fro_between_branches_tells_what_looking_anew_tells(
    tmp_path: Path, seed: int
) -> None:
    """From HEAD to HEAD of one history, in any order: what was known before changes no answer."""
    rng = random.Random(seed)
    history = History(rng, 24)
    ids = history.written(tmp_path / "code")
    repository = find_repository(str(tmp_path / "code"))
    assert repository is not None
    home = checked_out_home(repository, "")
    waits = tuple(
        Wait(f"{number}-{birth}", "v", said, ids[birth], history.commits[birth].seconds)
        for birth in rng.sample(range(len(ids)), 3)
        for number, said in enumerate(PREDICATES)
    )
    nothing = Kept("", "", ())
    kept = nothing
    for at in [rng.choice(ids) for _ in range(6)]:
        kept = with_ends(home, kept, waits, ("", at))
        anew = with_ends(home, nothing, waits, ("", at))
        assert {one for known, one in kept.ends if known == at} == {one for _, one in anew.ends}


def marks(repo: Repo) -> dict[str, str]:
    """Look anew; return what readers are told, by the ids of facts."""
    home = discover(str(repo.path))
    truth_marks.make(home)
    return told(repo)


def told(repo: Repo) -> dict[str, str]:
    """Return what readers are told, by the ids of facts."""
    return {one.fact: one.gone.said for one in truth_of(discover(str(repo.path)))}


def test_readers_see_it_where_nothing_is_done_by_itself(repo: Repo, run: Run) -> None:
    """As in CI or a fresh clone: an answer tells what ended, also of a fact that came since; looking anew agrees."""
    for number, name in enumerate(("pay", "send")):
        repo.write(f"src/{name}.py", "pass\n")
        commit(repo, "Begin", f"2026-11-0{number + 1}T12:00:00Z")
        note(run, **{name: f"until='gone src/{name}.py' decision: {name.title()} by hand."})
        assert "ended" not in run("show", name).out
        (repo.path / f"src/{name}.py").unlink()
        by = commit(repo, "Gone")
        assert f"marks: ended by {by}, gone src/{name}.py" in run("show", name).out
        assert f"(ended by {by}" in run("recall", f"{name} by hand").out
    found = told(repo)
    assert set(found) == {"pay", "send"} and marks(repo) == found


def test_a_check_fails_at_the_commit_that_breaks_it(repo: Repo, run: Run) -> None:
    """It marks and asks, and records nothing; who confirms begins anew; only what files tell can be one."""
    repo.write("src/queue.py", "pass\n")
    repo.write("package.json", '{"react": "18.2"}\n')
    commit(repo, "Begin", "2026-11-01T12:00:00Z")
    note(
        run,
        path="check='has src/queue.py' decision: One module holds the queue.",
        text="check='file package.json has \"react\"' stack: We use React.",
        version="check='version react < 19 in package.json' stack: We stay on React 18.",
        old="check='gone src/old.py' fact: There is no old way.",
        ask="check='has src/queue.py' thread: Should the queue be a file?",
    )
    assert marks(repo) == {}
    repo.write("package.json", '{"react": "19.0"}\n')
    repo.write("src/old.py", "pass\n")
    first = commit(repo, "React 19")
    repo.git("rm", "-q", "src/queue.py", "package.json")
    second = commit(repo, "No queue")
    found = {id: said.partition(", ")[0] for id, said in marks(repo).items()}
    fails = "its check fails since "
    assert found == {
        "path": fails + second, "text": fails + second, "version": fails + first, "old": fails + first,
        "ask": fails + second,
    }  # fmt: skip
    with contextlib.closing(Memory(discover(str(repo.path)))) as memory:
        assert record_ended(memory) == ()
        asked = [one for one in plan_review(memory).fresh if one.rule == CHECK_FAILS]
    does = {one.facts[0]: one.does[0].partition(":")[0] for one in asked}
    assert does.pop("ask") == "Closed"
    assert does == dict.fromkeys(("old", "path", "text", "version"), "Invalidated")
    assert run("review", "--confirm", "old").code == 0
    assert set(marks(repo)) == {"path", "text", "version", "ask"}
    for bad in ("tag v5*", "merged x", "date 2027-01-31", "check has a", "make test", "soon"):
        assert until_in(f"check {bad}") is None
        assert run("note", f"check='{bad}' fact: X is so.").code == 1


def test_until_ends_at_the_merge_not_inside_it(repo: Repo, run: Run) -> None:
    """What came by a merge ends at the merge, and stays ended when it is taken back; a branch that moves on, too."""
    repo.write("src/pay.py", "pass\n")
    commit(repo, "Begin", "2026-11-01T12:00:00Z")
    note(
        run,
        pay="until='gone src/pay.py' decision: Pay by hand.",
        queue="until='merged feature/x' decision: The queue is in memory.",
    )
    repo.git("switch", "-qc", "feature/x")
    (repo.path / "src/pay.py").unlink()
    commit(repo, "No pay")
    inside = marks(repo)
    assert set(inside) == {"pay"}  # on the branch itself it has ended with the commit
    repo.git("switch", "-q", "main")
    assert told(repo) == {}
    repo.write("more.py", "pass\n")
    commit(repo, "More")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge branch 'feature/x'", "feature/x")
    merge = repo.git("rev-parse", "HEAD")[:7]
    day = repo.git("show", "-s", "--format=%cs", "HEAD").strip()
    right = {
        "pay": f"ended by {merge}, gone src/pay.py, {day}",
        "queue": f"ended by {merge}, merged feature/x, {day}",
    }
    assert told(repo) == right
    repo.git("revert", "--no-edit", "-m", "1", "HEAD")
    assert told(repo) == right
    assert marks(repo) == right


def test_until_true_at_birth_waits(repo: Repo, run: Run) -> None:
    """What is true when it is said must become false first."""
    note(run, new="until='gone src/new.py' fact: There is no new way yet.")
    commit_file(repo, "a.py")
    assert marks(repo) == {}
    commit_file(repo, "src/new.py")
    assert told(repo) == {}
    (repo.path / "src/new.py").unlink()
    last = commit(repo, "Gone again")
    assert told(repo)["new"].startswith(f"ended by {last}")


def commit_file(repo: Repo, path: str) -> str:
    """Commit a new file."""
    repo.write(path, "pass\n")
    return commit(repo, f"Add {path}")


def test_a_branch_that_was_moved_forward_and_one_nobody_worked_on(repo: Repo, run: Run) -> None:
    """A fast-forward ends at the last commit of the branch; a fresh branch at a commit of the line never."""
    note(
        run,
        x="until='merged feature/x' fact: X waits.",
        y="until='merged feature/y' fact: Y waits.",
    )
    commit_file(repo, "a.py")
    repo.git("branch", "feature/y")
    repo.git("switch", "-qc", "feature/x")
    commit_file(repo, "b.py")
    tip = commit_file(repo, "c.py")
    assert marks(repo) == {}  # no branch is merged into itself
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--ff-only", "feature/x")
    commit_file(repo, "d.py")
    assert {id: said[:16] for id, said in told(repo).items()} == {"x": f"ended by {tip}"}


def test_a_head_that_is_known_asks_nothing_of_git(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new HEAD is looked through once, then kept, to and fro between branches too; a damaged file says nothing."""
    repo.write("src/pay.py", "pass\n")
    commit(repo, "Begin", "2026-11-01T12:00:00Z")
    note(run, pay="until='gone src/pay.py' fact: Pay by hand.")
    assert marks(repo) == {}
    repo.git("switch", "-qc", "old")
    repo.git("switch", "-q", "main")
    (repo.path / "src/pay.py").unlink()
    commit(repo, "Drop it")
    assert set(told(repo)) == {"pay"}
    repo.git("switch", "-q", "old")
    assert told(repo) == {}
    with monkeypatch.context() as patch:
        patch.setattr("ledger.git.cli.Git.start", lambda *_, **__: pytest.fail("git was asked"))
        assert told(repo) == {}
    repo.git("switch", "-q", "main")
    with monkeypatch.context() as patch:
        patch.setattr("ledger.git.cli.Git.start", lambda *_, **__: pytest.fail("git was asked"))
        assert set(told(repo)) == {"pay"}
    home = discover(str(repo.path))
    kept = read(home, whole=True)
    assert kept is not None
    truth_marks.make(home)
    again = read(home, whole=True)
    assert again is not None
    assert (again.heads, again.ends) == (kept.heads, kept.ends)
    data = bytearray(Path(truth_path(home)).read_bytes())
    data[data.index(b"gone src")] ^= 1
    Path(truth_path(home)).write_bytes(data)
    assert told(repo) == {}


def test_a_tag_and_a_branch_that_move_while_head_does_not(repo: Repo, run: Run) -> None:
    """They are seen at once: a release is often tagged right behind its commit."""
    note(run, v="until='tag v5*' fact: The old way stays.", x="until='merged x' fact: X waits.")
    assert marks(repo) == {}
    commit_file(repo, "a.py")
    first = commit_file(repo, "b.py")
    assert told(repo) == {}
    repo.git("tag", "v5.0")
    assert {id: said[:26] for id, said in told(repo).items()} == {
        "v": f"ended by {first}, tag v5.0"
    }
    repo.git("tag", "-d", "v5.0")
    assert told(repo) == {}
    repo.git(
        "tag", "-m", "late", "v5.1", "HEAD~2"
    )  # of the birth's own commit, made behind the birth
    assert set(told(repo)) == {"v"}


def test_every_answer_puts_what_has_ended_behind(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`recall`, `show`, `why`, the brief and JSON say by which commit; it stands behind all others, in no section."""
    repo.write("src/pay.py", "pass\n")
    commit(repo, "Begin", "2026-11-01T12:00:00Z")
    note(
        run,
        ended="until='gone src/pay.py' invariant: Walrus payments, walrus payments are checked by hand.",
        holds="fact: Somebody thinks of walrus payments, too, when there is time for it.",
        day="until='date 2026-11-22' convention: Walrus words are blue.",
        later="until='date 2026-11-24' convention: Walrus words are short.",
    )
    (repo.path / "src/pay.py").unlink()
    last = commit(repo, "Drop it")
    marks(repo)
    monkeypatch.setattr(kept_truth, "now_ms", lambda: 1_795_392_000_000)  # 2026-11-23
    said = f"ended by {last}, gone src/pay.py, 2026-11-22"
    hits = run("recall", "walrus payments", "--json").json["hits"]
    assert [one["id"] for one in hits if one["kind"] != "passage"][-2:] == ["ended", "day"][:2] or [
        one["id"] for one in hits
    ].index("holds") < [one["id"] for one in hits].index("ended")
    for command in (("recall", "walrus"), ("show", "--list"), ("show", "ended"), ("why", "ended")):
        assert said in run(*command).out, command
    assert "ended on 2026-11-22" in run("show", "day").out
    assert "ended" not in run("show", "later").out.replace("uses", "")
    marked = run("show", "ended", "--json").json["facts"][0]["marks"]
    assert marked == [{"code": "ended", "subject": "gone src/pay.py", "commit": last,
                       "date": "2026-11-22", "now": ""}]  # fmt: skip
    sections = {
        one["name"]: [fact["id"] for fact in one["facts"]]
        for one in json.loads(run("brief", "--json").out)["sections"]
    }
    assert sections.pop("rest")[-2:] in (["ended", "day"], ["day", "ended"])
    assert not any({"ended", "day"} & set(ids) for ids in sections.values())


def test_until_refused_lists_forms(repo: Repo, run: Run) -> None:
    """Typed for a fact it is refused, with the forms; in a log of an agent's it is left out, and told."""
    before = repo.shape()
    for command in (
        ("note", "id=a until=soon fact: It is so."),
        ("append", "--title", "T", "--new", "id=a until='gone /etc' fact: It is so."),
    ):
        ran = run(*command)
        assert ran.code and FORMS in ran.err, command
    assert repo.shape() == before
    new = {"text": "It is so.", "id": "a", "footers": {"until": "when we move"}}
    path = repo.write("log.json", json.dumps({"title": "T", "new": [new]}))
    ran = run("append", "--from-json", str(path))
    assert ran.code == 0
    assert "`until` can not be read: 'when we move'; it is left out" in ran.err
    assert FORMS in ran.err
    assert "until" not in run("show", "a", "--json").json["facts"][0]["meta"]


def recorded(folder: Path, **how: bool) -> list[str]:
    """Record what has ended; return the facts, with by what."""
    memory = Memory.open(str(folder), agent="claude")
    try:
        found = record_ended(memory, **how)
        assert how or not record_ended(memory), "once"
        return sorted(one.line.partition(",")[0] for one in found)
    finally:
        memory.close()


def test_what_ended_is_recorded_once_and_only_on_the_trunk(bare_repo: Repo, run: Run) -> None:
    """Not by a commit of a branch, nor by one that nobody merged; a thread is closed; undone, it holds."""
    repo = bare_repo
    assert run("init", "--branch", "memory").code == 0
    repo.write("src/pay.py", "pass\n")
    commit(repo, "Begin", "2026-11-01T12:00:00Z")
    note(
        run,
        pay="until='gone src/pay.py' decision: Pay by hand.",
        todo="until='gone src/pay.py' thread: Is pay going to go?",
        words="obsolete_when='gone src/pay.py' fact: Pay has words.",
        day="until='date 2026-11-20' fact: It was so.",
    )
    repo.git("switch", "-qc", "feature/x")
    (repo.path / "src/pay.py").unlink()
    commit(repo, "No pay")
    assert set(marks(repo)) == {"day", "pay", "todo", "words"}
    assert recorded(repo.path, dry_run=True) == ["day ended on 2026-11-20"]
    assert recorded(repo.path) == ["day ended on 2026-11-20"]
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Bring it", "feature/x")
    whole = repo.git("rev-parse", "HEAD").strip()
    repo.git("switch", "-q", "feature/x")
    assert recorded(repo.path) == [f"{id} ended by {whole[:7]}" for id in ("pay", "todo", "words")]
    said = run("why", "pay").out
    assert "Invalidated  by diurna" in said
    assert f"remark: ended {whole}" in said
    assert "Closed  by diurna" in run("why", "todo").out
    assert marks(repo) == {}
    repo.git("switch", "-q", "main")
    stem = run("why", "pay", "--json").json["events"][-1]["stem"]
    assert run("undo", stem, "--yes").code == 0
    assert run("show", "pay").code == 0
    assert recorded(repo.path) == []
    assert marks(repo) == {}  # whoever takes it back wants it to hold


def test_until_two_clones_one_outcome(
    bare_repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both record it before they hear of each other: one fact that is false, the same bytes of replay."""
    repo = bare_repo
    assert run("init", "--branch", "memory").code == 0
    note(run, pay="until='has b.py' fact: There is no b.")
    commit_file(repo, "b.py")
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "remote"))
    repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    repo.git("fetch", "-q", "origin")
    repo.git("clone", "-q", str(tmp_path / "remote"), str(tmp_path / "other"))
    other = Repo(tmp_path / "other")
    other.git("config", "user.name", "Bob")
    other.git("config", "user.email", "bob@example.invalid")
    lines = []
    for one in (repo, other):
        monkeypatch.chdir(one.path)
        assert one is repo or run("init", "--branch", "memory").code == 0
        lines += recorded(one.path)
    assert lines == [lines[0]] * 2
    for one in (repo, other, repo):
        monkeypatch.chdir(one.path)
        assert run("sync").code == 0, one
    pages = []
    for one in (repo, other):
        monkeypatch.chdir(one.path)
        pages.append(run("check", "--replay").out)
        assert recorded(one.path) == []
        assert run("why", "pay", "--json").json["false"]
    assert pages[0] == pages[1]


def test_until_ended_on_main_holds_on_release(bare_repo: Repo, run: Run) -> None:
    """It is false for all; where HEAD has not the commit that ended it, what is here says that it holds."""
    repo = bare_repo
    assert run("init", "--branch", "memory").code == 0
    repo.write("src/pay.py", "pass\n")
    commit(repo, "Begin", "2026-11-01T12:00:00Z")
    note(run, pay="until='gone src/pay.py' decision: Pay by hand.")
    repo.git("switch", "-qc", "release/4")
    commit_file(repo, "fix.py")
    repo.git("switch", "-q", "main")
    (repo.path / "src/pay.py").unlink()
    last = commit(repo, "No pay")
    assert recorded(repo.path) == [f"pay ended by {last}"]
    for branch, holds in (("release/4", True), ("main", False)):
        repo.git("switch", "-q", branch)
        memory = Memory.open(str(repo.path), agent="claude")
        with memory.snapshot.cache() as cache:
            fact = cache.fact("pay")
            assert fact is not None
            assert fact.false
            assert here_of(memory.home, cache).shown(cache, fact).false is not holds
        memory.close()


def test_a_footer_is_given_later_and_told_where_it_is_true_already(repo: Repo, run: Run) -> None:
    """By `edit --until`, from that commit on; other words are refused with the forms."""
    note(run, a="fact: There is no b yet.")
    commit_file(repo, "b.py")
    ran = run("edit", "a", "--until", "soon")
    assert ran.code
    assert FORMS in ran.err
    assert run("edit", "a", "--until", "gone b.py").code == 0
    assert run("show", "a", "--json").json["facts"][0]["meta"]["until"] == "gone b.py"
    assert marks(repo) == {}
    ran = run("note", "id=c until='has b.py' fact: There is one way.")
    assert "c: has b.py is true already" in ran.err
    (repo.path / "b.py").unlink()
    last = commit(repo, "No b")
    assert {id: said[:16] for id, said in told(repo).items()} == {"a": f"ended by {last}"}


def test_a_cut_history_says_nothing(repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """A shallow clone can not tell when, and says nothing of it."""
    note(run, a="until='has b.py' fact: There is no b.")
    commit_file(repo, "b.py")
    assert set(marks(repo)) == {"a"}
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "cut")], check=True)  # fmt: skip
    monkeypatch.chdir(tmp_path / "cut")
    assert marks(Repo(tmp_path / "cut")) == {}
