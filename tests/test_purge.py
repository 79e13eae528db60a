"""`redact --purge` (F9, L3): the history is written anew without what was withheld, and nothing else is lost."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from memory.api import Memory
from tests.conftest import Repo, Run, make_repository

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
    assert run("publish").code == 0
    repo.git("clone", "-q", "--bare", str(repo.path), str(repo.path.parent / "hub"))
    repo.git("remote", "add", "origin", str(repo.path.parent / "hub"))
    repo.git("fetch", "-q")
    repo.git("worktree", "add", "-q", str(repo.path.parent / "aside"), "side")
    return stem


def shown(run: Run) -> list[str]:
    """Return what memory answers of everything."""
    asked = (("show",), ("why", "vault"), ("ls", "--all"), ("archive",))
    return [run(*words).out for words in asked]


def without_ids(text: str) -> str:
    """Return an answer without the commits and digests that it names."""
    return re.sub(r"\b[0-9a-f]{7,64}\b", "-", text)


def test_no_command_of_git_finds_it(repo: Repo, run: Run) -> None:
    """Texts, footers, titles, prose and messages are gone from all references; what is not withheld is not."""
    stem = told(repo, run)
    trees = {one: repo.git("rev-parse", f"{one}:app.py") for one in ("main", "old", "v1")}
    old = lines(repo, "rev-parse", "old")
    authors = lines(repo, "log", "--format=%an %ae %ad %cn %cd %P".replace(" %P", ""), "main")
    assert run("redact", "vault", stem, "--reason", "Private.").code == 0
    assert run("publish").code == 0
    before = [without_ids(one) for one in shown(run)]
    aside = lines(repo, "-C", str(repo.path.parent / "aside"), "status", "--porcelain")
    assert aside == []
    dry = run("redact", "vault", stem, "--reason", "Private.", "--purge", "--dry-run")
    assert dry.code == 0 and "refs/heads/main" in dry.out and "--force-with-lease=main:" in dry.out
    assert run("redact", "vault", stem, "--reason", "Private.", "--purge").code == 2
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
    for command in (("verify",), ("replay", "--check")):
        assert run(*command).code == 0, run(*command)
    assert run("publish").code == 0
    assert [without_ids(one) for one in shown(run)] == before
    assert run("absorb").out.startswith("nothing")
    assert run("append", "--title", "Later", "--ref", "plain").code == 0
    assert run("verify").code == 0 and run("doctor").code in (0, 1)
    again = run("redact", "vault", stem, "--reason", "Private.", "--purge", "--yes")
    assert again.code == 0 and "leads to it any more" in again.out
    backup = repo.path.parent / "back"
    repo.git("clone", "-q", "--mirror", ran.json["purge"]["backup"], str(backup))
    assert WORDS[0] in Repo(backup).git("log", "--all", "-p")


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
    assert run("redact", "vault", "--reason", "Private.", "--purge", "--yes").code == 0
    assert repo.git("rev-parse", "main") == code
    assert WORDS[0] not in repo.git("log", "--all", "-p")
    assert run("verify").code == 0 and run("replay", "--check").code == 0
    assert "Orders are kept." in run("show").out
    assert Memory.open(str(repo.path)).state()["vault"].fact.redacted
