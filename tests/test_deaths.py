"""A command of Diurna's is killed, and a person goes on: no commit of theirs takes a log out, no lock stops them."""

from __future__ import annotations

import json
import os
import time

import pytest

from tests.conftest import Repo, Run, diagonal, sampled
from tests.world import COMMITTING, DIED, FOLDER, IN_TREE, OWN_BRANCH, OWN_REPOSITORY, World

#: What a person does right behind the death, as git takes it.
PERSONS = {
    "commit": ("commit -q -m theirs",),
    "commit -a": ("commit -q -a -m theirs",),
    "add -A": ("add -A", "commit -q -m theirs"),
    "amend": ("commit -q --amend -m theirs",),
    "stash": ("stash -q", "stash pop -q", "commit -q -a -m theirs"),
    "other files": ("commit -q -m theirs -o code.py",),
}
#: Where a command dies: words of its steps, as `World.steps` tells them.
STEPS = (
    ".git/objects/", "git update-index", "git update-ref", "write pipe:",
    "sessions/2", "continuity.md", "replace .git/diurna/written", "rename .git/diurna/spool", "ftruncate .git/diurna/lock",
)  # fmt: skip
DEEDS = {
    "note": ("note", "id=second fact: Queues drain."),
    "redact": ("redact", "word", "--reason", "a slip"),
    "undo": ("undo",),
    "sync": ("sync",),
    "publish": ("check", "--publish"),
    "absorb": ("check", "--absorb"),
}
DEATHS = [
    (deed, step, behind, kind, person)
    for deed in DEEDS for step in STEPS for behind in (False, True)
    for kind in (OWN_REPOSITORY, OWN_BRANCH, FOLDER) for person in PERSONS
]  # fmt: skip


@pytest.mark.parametrize(
    ("deed", "step", "behind", "kind", "person"), sampled(DEATHS, 499, deep=61)
)
def test_no_commit_of_a_persons_deletes_a_log(
    world: World, deed: str, step: str, behind: bool, kind: str, person: str
) -> None:
    """Right behind the death, with no command of Diurna's between; what they staged is theirs, and the next one works."""
    home = world.home(
        kind, facts={"first": "fact: Webhooks retry.", "word": "fact: The zqtrout swims."}
    )
    if deed == "sync":
        home.join(world.hub(), sync=False)
    home.write("code.py", "print('theirs')\n")
    home.git("add", "code.py")
    home.git("commit", "-q", "-n", "-m", "code")
    home.write("staged.txt", "theirs\n")
    home.git("add", "staged.txt")
    home.write("code.py", "print('changed')\n")
    page = (
        home.folder
        / {OWN_BRANCH: ".memory", OWN_REPOSITORY: ""}.get(kind, "memory")
        / "continuity.md"
    )
    if deed == "absorb" and page.exists():
        page.write_text(page.read_text().replace("Webhooks retry.", "Webhooks retry thrice."))
    died = home.at_step(1, "die", *DEEDS[deed], on=step, behind=behind).code == DIED
    assert died or kind != OWN_REPOSITORY or deed != "redact"
    before = home.logs()
    for words in PERSONS[person]:
        code, told = home.tries(*words.split())
        assert code == 0 or ".lock" in told or "nothing to commit" in told, told
    assert before.items() <= home.logs().items()
    stem = home.note("id=later fact: Carts expire.")
    home.run("check", "--fix", code=None)
    assert {*before, *([stem] if kind != FOLDER else [])} <= home.logs().keys()
    shown = home.run("show")
    texts = {one["id"]: one["text"] for one in shown.json["facts"]}
    assert {"first", "word", "later"} <= texts.keys()
    assert texts["word"] == "The zqtrout swims." or "zqtrout" not in shown.out + home.text("brief")
    assert not [one for one in home.common.rglob("*.lock") if "diurna" not in one.parts]
    assert home.fsck() == []


@pytest.mark.parametrize(
    ("step", "kind"),
    diagonal((".git/objects/", "git update-ref", "sessions/2"), (*COMMITTING, IN_TREE)),
)
def test_a_redaction_withholds_from_the_moment_it_is_recorded(
    world: World, kind: str, step: str
) -> None:
    """Nobody could commit it yet; what lands later says the same."""
    home = world.home(kind, facts={"word": "fact: The zqotter swims."})
    home.at_step(1, "die", *DEEDS["redact"], on=step, behind=True)
    assert "zqotter" not in home.text("show") + home.text("recall", "zqotter", code=None)
    home.note("id=next fact: Queues drain.")
    assert home.texts()["word"] == "(redacted)" and home.waiting() == home.fsck() == []
    assert any(b"- Redacted: word" in data for data in home.logs().values())


def test_no_redaction_lies_beside_a_page_that_shows_its_text(world: World) -> None:
    """Whenever it dies: `git add -A` takes both, and then no command has a reason to write the page anew."""
    home = world.home(OWN_REPOSITORY, facts={"word": "fact: The zqotter swims."})
    watch = 'grep -rlq "Redacted: word" sessions && grep -q zqotter continuity.md && touch .git/seen; true'
    home.at_step(0, f"$ {watch}", *DEEDS["redact"])
    assert not (home.folder / ".git/seen").exists()
    assert "zqotter" not in home.read("continuity.md")


@pytest.mark.parametrize(
    ("name", "slow", "command"),
    sampled(
        [
            (name, slow, command)
            for name in ("HEAD.lock", "refs/heads/main.lock", "index.lock", "config.lock")
            for slow in (0, 20)
            for command in ("status", "show", "hook", "append")
        ],
        6,
    ),
)
def test_whatever_comes_next_takes_the_locks_of_the_dead_away(
    repo: Repo, run: Run, spawn: Run, name: str, command: str, slow: int
) -> None:
    """A read and a hook, too; nobody waits for a write. A lock that cannot be ours stays."""
    assert run("note", "id=first fact: Something is told.").code == 0
    run("show")
    state, tip = repo.path / ".git/diurna", repo.git("rev-parse", "HEAD").strip()
    (state / "lock").write_text(f"1 refs/heads/main {tip}\n")
    noted = time.time() - slow  # its git came to that so much later
    os.utime(state / "lock", (noted, noted))
    lock, other = repo.path / ".git" / name, repo.path / ".git/refs/heads/other.lock"
    lock.touch()
    other.touch()
    if command == "hook":
        said = json.dumps({"session_id": "s", "cwd": str(repo.path), "source": "startup"}).encode()
        assert spawn("hook", "claude", "SessionStart", stdin=said).code == 0
        until = time.monotonic() + 30
        while (lock.exists() or (state / "lock").stat().st_size) and time.monotonic() < until:
            time.sleep(0.02)
    else:
        assert (
            run(*(("note", "id=next fact: More.") if command == "append" else (command,))).code == 0
        )
    assert not lock.exists() and other.exists()
    repo.write("code.py", "print('theirs')\n")
    repo.git("commit", "-q", "-a", "-m", "theirs")


def test_where_all_references_were_to_move_all_their_locks_go(repo: Repo, run: Run) -> None:
    """Those of other work trees, too; what was there before is somebody else's."""
    assert run("note", "id=first fact: Something is told.").code == 0
    repo.git("worktree", "add", "-q", str(repo.path.parent / "aside"), "-b", "side")
    git, tip = repo.path / ".git", repo.git("rev-parse", "HEAD").strip()
    theirs = git / "refs/tags/v0.lock"
    theirs.touch()
    noted = time.time()
    os.utime(theirs, (noted - 5, noted - 5))
    (git / "diurna/lock").write_text(f"1 every refs/heads/main {tip} {tip}\n")
    ours = "refs/tags/v1", "refs/remotes/origin/main", "packed-refs", "worktrees/aside/index"
    for name in ours:
        (git / f"{name}.lock").parent.mkdir(parents=True, exist_ok=True)
        (git / f"{name}.lock").touch()
    assert run("show").code == 0
    assert [one for one in git.rglob("*.lock") if "stale" not in one.parts] == [theirs]


@pytest.mark.parametrize("staged", [False, True])
def test_what_a_dead_join_showed_goes_though_the_person_went_on(
    repo: Repo, run: Run, staged: bool
) -> None:
    """The join can not come about any more, and an untracked log would stop the person's own pull."""
    assert run("note", "id=first fact: Something is told.").code == 0
    base, path = repo.git("rev-parse", "HEAD").strip(), "memory/sessions/2026-01-01-000000.md"
    repo.git("checkout", "-q", "-b", "theirs")
    repo.write(path, "# Session\n")
    repo.git("add", path)
    repo.git("commit", "-q", "-m", "came")
    made = repo.git("rev-parse", "HEAD").strip()
    repo.git("checkout", "-q", "-")
    repo.write(path, "# Session\n")  # the join shows it, and dies
    if staged:
        repo.git("add", path)
    (repo.path / ".git/diurna/lock").write_text(
        f"1 {repo.git('symbolic-ref', 'HEAD').strip()} {base} {made}\n"
    )
    repo.write("code.py", "print('theirs')\n")
    repo.git("add", "code.py")
    repo.git("commit", "-q", "-m", "theirs", "-o", "code.py")
    assert run("status").code == 0
    assert not (repo.path / path).exists() and repo.git("status", "--porcelain") == ""
    repo.git("merge", "-q", "--no-edit", "theirs")


@pytest.mark.parametrize(("step", "moves"), diagonal(
    ("ftruncate .git/diurna/lock", "git diff-index", "unlink sessions/2", "git update-index"),
    ("git update-ref refs/heads/main {}", "git add -A; git commit -qm theirs --allow-empty"),
))  # fmt: skip
def test_a_branch_that_moves_meanwhile_keeps_its_logs(world: World, step: str, moves: str) -> None:
    """Whoever moves it to what the dead writer showed, while the next command takes that back."""
    home = world.home(OWN_REPOSITORY, facts={"first": "fact: Webhooks retry."})
    home.at_step(1, "die", "note", "fact: Queues drain.", on="git update-index", behind=True)
    made = (home.common / "diurna/lock").read_text().split()[3]
    home.at_step(1, f"$ {moves.format(made)}", "status", on=step)
    assert home.git("status", "--porcelain") == "" and len(home.texts()) == 2


def test_a_lock_of_somebody_elses_is_left_to_them(repo: Repo, run: Run) -> None:
    """Without a death nothing is looked for, and one from before the note is not the dead one's."""
    lock = repo.path / ".git/index.lock"
    lock.touch()
    assert run("status").code == 0 and lock.exists()
    os.utime(lock, (lock.stat().st_mtime - 3600,) * 2)
    (repo.path / ".git/diurna/lock").write_text("1 refs/heads/main 0\n")
    assert run("status").code == 0 and lock.exists()
