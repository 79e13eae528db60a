"""`redact --purge` (F9, L3): the history is written anew without what was withheld, and nothing else is lost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.errors import SyncRefused
from ledger.model.event import FactReferenced
from memory.api import Memory
from rituals.sync.backoff import Timer
from rituals.sync.sync_rounds import sync
from tests.campaigns.calls import strace_works
from tests.campaigns.forks import ROOT
from tests.conftest import Repo, Run, make_repository, sampled
from tests.teams import Team

#: Stand in two texts of a fact, in a footer, a remark, the title and prose of a log, and a person's message.
WORDS = ("zanzibarquokka", "ultramarineferret", "vermilionpangolin", "heliotropemarmot")
TEXT, LATER = f"The code of the vault is {WORDS[0]} for now.", f"The code is {WORDS[1]} by now."


def lines(repo: Repo, *words: str) -> list[str]:
    """Return what git prints, a line each."""
    return repo.git(*words).splitlines()


def told(repo: Repo, run: Run) -> str:
    """Make a history with code, a merge, tags, a signature and a remote; return the stem of a log to redact."""
    repo.write("app.py", "one = 1\n")
    repo.git("add", "app.py")
    repo.git("commit", "-qm", "The first of the code")
    assert run("append", "--title", "First", "--new", "id=plain Orders are kept a year.").code == 0
    repo.git("branch", "old")
    said = f"id=vault tags={WORDS[2]} decision: {TEXT}"
    assert run("append", "--title", TEXT, "--new", said).code == 0
    repo.git("commit", "-q", "--allow-empty", "-m", f"Code\n\nas agreed: {TEXT}\nand more")
    repo.git("switch", "-qc", "side")
    assert run("append", "--title", "Again", "--update", "vault", LATER, "--ref", "plain").code == 0
    repo.git("switch", "-q", "main")
    repo.write("app.py", "one = 1\ntwo = 2\n")
    repo.git("commit", "-qam", "The second of the code")
    repo.git("merge", "-q", "--no-edit", "side")
    repo.git("tag", "-a", "v1", "-m", "The first release")
    repo.git("tag", "light")
    prose = repo.path.parent / "prose.md"
    prose.write_text(f"# About {WORDS[3]}\n\nWe saw the {WORDS[3]} at noon.\n")
    stem = str(run("append", str(prose), "--ref", "plain", "--json").json["stem"])
    head = lines(repo, "rev-parse", "HEAD")[0]
    raw = repo.git("cat-file", "commit", head).replace(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n not one\n -----END PGP SIGNATURE-----\n\n",
        1,
    )
    made = subprocess.run(
        ["git", "-C", str(repo.path), "hash-object", "-t", "commit", "-w", "--stdin"],
        input=raw.encode(), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    repo.git("update-ref", "refs/heads/main", made)
    assert run("check", "--publish").code == 0
    repo.git("clone", "-q", "--bare", str(repo.path), str(repo.path.parent / "hub"))
    repo.git("remote", "add", "origin", str(repo.path.parent / "hub"))
    repo.git("fetch", "-q")
    repo.git("worktree", "add", "-q", str(repo.path.parent / "aside"), "side")
    return stem


def shown(run: Run) -> list[str]:
    """Return what memory answers of everything."""
    asked = (("show",), ("why", "vault"), ("show", "--list", "--all"), ("forget", "vault"))
    return [run(*words).out for words in asked]


def without_ids(text: str) -> str:
    """Return an answer without the commits and digests that it names."""
    return re.sub(r"\b[0-9a-f]{7,64}\b", "-", text)


@pytest.mark.deep(reason="an_own_branch is the small one")
def test_no_command_of_git_finds_it(repo: Repo, run: Run) -> None:
    """Texts, footers, titles, prose and messages are gone from all references; what is not withheld is not."""
    stem = told(repo, run)
    trees = {one: repo.git("rev-parse", f"{one}:app.py") for one in ("main", "old", "v1")}
    old = lines(repo, "rev-parse", "old")
    authors = lines(repo, "log", "--format=%an %ae %ad %cn %cd %P".replace(" %P", ""), "main")
    (path,) = (repo.path / "memory").rglob(f"*{stem}*.md")
    purged = path.read_bytes()
    assert run("redact", "vault", stem, "--reason", "Private.").code == 0
    assert run("check", "--publish").code == 0
    before = [without_ids(one) for one in shown(run)]
    aside = lines(repo, "-C", str(repo.path.parent / "aside"), "status", "--porcelain")
    assert aside == []
    dry = run("redact", "vault", stem, "--reason", "Private.", "--purge", "--dry-run")
    assert (
        dry.code == 0 and "refs/heads/main" in dry.out and "main of origin still has it" in dry.out
    )
    assert "force" not in dry.out
    assert run("redact", "vault", stem, "--reason", "Private.", "--purge").code == 2
    with pytest.MonkeyPatch.context() as terminal:
        terminal.setattr("rituals.cli.context.Invocation.interactive", lambda _: True)
        tip = repo.git("rev-parse", "main")
        run("redact", "vault", stem, "--reason", "Private.", "--purge", stdin=b"\n")
        assert repo.git("rev-parse", "main") == tip, "who types nothing has agreed to nothing"
    ran = run("redact", "vault", stem, "--reason", "Private.", "--purge", "--yes", "--json")
    assert ran.code == 0, ran.err
    said = repo.git("log", "--all", "-p", "-m", "--format=raw%n%B")
    assert [word for word in WORDS if word in said] == []
    for word in WORDS:
        for tree in lines(repo, "for-each-ref", "--format=%(refname)"):
            done = subprocess.run(
                ["git", "-C", str(repo.path), "grep", "-q", word, tree], capture_output=True
            )
            assert done.returncode == 1, (word, tree)
    assert "and more" in said and "gpgsig" in repo.git("rev-list", "--all", "--header")
    assert {one: repo.git("rev-parse", f"{one}:app.py") for one in trees} == trees
    assert lines(repo, "rev-parse", "old") == old, "what has nothing of it stays"
    assert set(authors) <= set(lines(repo, "log", "--format=%an %ae %ad %cn %cd", "main"))
    assert len(lines(repo, "rev-list", "--merges", "main")) == 1
    assert lines(repo, "cat-file", "-t", "v1") == ["tag"]
    assert repo.git("status", "--porcelain", "-uno") == ""
    assert repo.git("-C", str(repo.path.parent / "aside"), "status", "--porcelain") == ""
    for command in (
        ("check", "--ci"),
        ("check", "--replay"),
    ):
        assert run(*command).code == 0, run(*command)
    assert run("check", "--publish").code == 0
    assert [without_ids(one) for one in shown(run)] == before
    assert run("check", "--absorb").out.startswith("nothing")
    copies = [repo.path / ".git/diurna/spool" / name for name in (stem, f"kept/{stem}")]
    for copy in copies:  # of another process, or of a backup of the machine
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(purged)
    assert run("append", "--title", "Later", "--ref", "plain").code == 0
    assert run("check", "--ci").code == 0 and run("check").code in (0, 1)
    assert not any(copy.exists() for copy in copies)
    assert not any(word in repo.git("log", "--all", "-p") for word in WORDS)
    again = run("redact", "vault", stem, "--reason", "Private.", "--purge", "--yes")
    assert again.code == 0 and "leads to it any more" in again.out
    backup = repo.path.parent / "back"
    repo.git("clone", "-q", "--mirror", ran.json["purge"]["backup"], str(backup))
    assert WORDS[0] in Repo(backup).git("log", "--all", "-p")


@pytest.mark.deep(reason="an_own_branch is the small one")
def test_what_is_a_persons_is_in_the_way(repo: Repo, run: Run) -> None:
    """An edit, a staged file, a stash, a detached HEAD: refused and said why, and nothing changed."""
    told(repo, run)
    purge = ("redact", "vault", "--reason", "Private.", "--purge", "--yes")
    for change, back, why in (
        (lambda: repo.write("app.py", "mine"), ("checkout", "app.py"), "app.py"),
        (lambda: (repo.write("app.py", "mine"), repo.git("add", "app.py")),
         ("reset", "-q", "--hard"), "app.py"),
        (lambda: (repo.write("app.py", "mine"), repo.git("stash")), ("stash", "drop", "-q"), "refs/stash"),
        (lambda: repo.git("switch", "-q", "--detach"), ("switch", "-q", "main"), "detached"),
    ):  # fmt: skip
        change()
        before = repo.shape()
        ran = run(*purge)
        assert ran.code == 1 and why in ran.err, ran
        assert repo.shape() == before
        repo.git(*back)
    assert run(*purge).code == 0


def test_an_own_branch(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code's branches do not move; the branch of the memory does."""
    repo = make_repository(tmp_path / "shop")
    repo.write("app.py", "one = 1\n")
    repo.git("add", "app.py")
    repo.git("commit", "-qm", "Code")
    monkeypatch.chdir(repo.path)
    assert run("init", "--branch", "memory").code == 0
    code = repo.git("rev-parse", "main")
    assert run("note", f"id=vault decision: {TEXT}", "id=plain Orders are kept.").code == 0
    old = lines(repo, "rev-parse", "memory")[0]
    assert run("redact", "vault", "--reason", "Private.", "--purge", "--yes").code == 0
    repo.git("branch", "late", old)
    assert WORDS[0] in repo.git("log", "--all", "-p"), (
        "as where a kill let some references move, and not all"
    )
    assert run("redact", "vault", "--reason", "Private.", "--purge", "--yes").code == 0
    assert repo.git("rev-parse", "main") == code
    assert WORDS[0] not in repo.git("log", "--all", "-p")
    assert run("check", "--ci").code == 0 and run("check", "--replay").code == 0
    assert "Orders are kept." in run("show").out
    assert Memory.open(str(repo.path)).state()["vault"].fact.redacted


@pytest.mark.deep(reason="an_own_branch is the small one")
def test_what_was_purged_before_it_was_sent_is_no_fault_where_it_arrives(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is told to fetch what was withheld; a log that somebody else changed is still named."""
    team = Team(tmp_path)
    one = team.one
    one.create("plain")
    one.sync()
    two, three = team.clone("two"), team.clone("three")
    one.create("vault", TEXT)
    other = one.create("quay", "The quay closes at noon.")
    monkeypatch.chdir(one.folder)
    assert run("redact", "vault", "--reason", "Private.", "--purge", "--yes").code == 0
    one.sync()
    two.append("Mine", FactReferenced("plain"))
    for clone in (two, three):
        assert [one.code for one in clone.sync().findings] == []
        assert clone.memory.state()["vault"].fact.redacted
    (path,) = one.folder.glob(f"**/{other}.md")
    path.write_bytes(path.read_bytes().replace(b"noon", b"nine"))
    four = team.clone("four")
    one.git("add", "-A")
    one.git("commit", "-q", "--amend", "--no-edit")
    assert [said.code for said in one.memory.state().findings()] != []
    one.git("push", "-q", "--force", "origin", "HEAD:main")
    assert {said.code for said in four.sync().findings} & {"seal-broken", "log-edited"}


@pytest.mark.deep(reason="test_redaction::no_sync_brings_back_what_was_purged is the small one")
def test_an_old_clone_brings_nothing_back(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a push of the new history a sync of an old clone is refused on both sides; a new one has no word."""
    team = Team(tmp_path)
    one = team.one
    one.create("plain")
    one.create("vault", TEXT)
    one.sync()
    two = team.clone("two")
    monkeypatch.chdir(one.folder)
    ran = run("redact", "vault", "--reason", "Private.", "--purge", "--yes", "--json")
    assert ran.code == 0, ran.err
    (left,) = ran.json["purge"]["afterwards"]
    old = re.fullmatch(r"main of origin still has it, at (\w{12}): .*", left)
    assert old is not None
    one.git("push", "-q", f"--force-with-lease=main:{old[1]}", "origin", "main")
    two.append("Mine", FactReferenced("plain"))
    before, hub = two.git("rev-parse", "HEAD"), Repo(team.hub).git("rev-parse", "main")
    with pytest.raises(SyncRefused, match="was redacted and taken out of the history"):
        sync(two.memory, "", timer=Timer(sleep=lambda seconds: None))
    assert two.git("rev-parse", "HEAD") == before
    assert Repo(team.hub).git("rev-parse", "main") == hub
    three = team.clone("three")
    assert WORDS[0] not in three.git("log", "--all", "-p")
    three.append("Later", FactReferenced("plain"))
    three.sync()
    one.sync()
    assert one.git("rev-parse", "HEAD") == three.git("rev-parse", "HEAD")
    assert run("check", "--ci").code == 0


@pytest.mark.deep(
    reason="test_redaction::a_cleaning_that_was_killed_is_gone_on_with is the small one"
)
@pytest.mark.parametrize(
    "kill",
    sampled([f"{call} {n}" for call in ("rename", "link", "unlink") for n in range(1, 9)], 7),
)
def test_a_kill_loses_nothing_and_the_same_command_goes_on(repo: Repo, run: Run, kill: str) -> None:
    """SIGKILL at a call that changes something: whatever a person commits then, no log goes and no word is shown."""
    if not strace_works():
        pytest.skip("strace is not here or may not trace")
    assert run("append", "--title", "First", "--new", f"id=vault decision: {TEXT}").code == 0
    repo.git("tag", "-a", "v1", "-m", "one")
    assert run("append", "--title", "Later", "--ref", "vault").code == 0
    assert run("redact", "vault", "--reason", "Private.").code == 0
    logs = set(lines(repo, "ls-tree", "-r", "--name-only", "HEAD", "memory/sessions"))
    call, number = kill.split()
    purge = ("redact", "vault", "--reason", "Private.", "--purge", "--yes")
    subprocess.run(
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=SIGKILL:when={number}",
         sys.executable, "-P", "-m", "rituals", *purge],
        cwd=repo.path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
    )  # fmt: skip
    subprocess.run(["git", "-C", str(repo.path), "commit", "-qam", "mine"], capture_output=True)
    assert logs <= set(lines(repo, "ls-tree", "-r", "--name-only", "HEAD", "memory/sessions"))
    assert WORDS[0] not in run("show").out
    git = repo.path / ".git"
    assert not [one for one in git.rglob("*.lock") if "diurna" not in one.parts]
    ran = run(*purge)
    assert ran.code == 0, ran.err
    assert WORDS[0] not in repo.git("log", "--all", "-p", "-m")
    assert run("check", "--ci").code == 0
    repo.git("fsck", "--no-dangling")


def test_an_id_that_tells_is_said(repo: Repo, run: Run) -> None:
    """What a person called so stays; and a reason that repeats the text is refused."""
    run("note", "id=bob-miller-sick-leave fact: Bob Miller is on sick leave until March.")
    again = run("redact", "bob-miller-sick-leave", "--reason", "Bob Miller is on sick leave.")
    assert again.code == 2 and "the reason contains what is to be withheld" in again.err
    ran = run("redact", "bob-miller-sick-leave", "--reason", "Private.")
    assert ran.code == 0 and "the id bob-miller-sick-leave says words of it too" in ran.err
    assert "bob-miller" not in repo.git("log", "--format=%B")
    assert "bob" not in run("log").out.lower()
