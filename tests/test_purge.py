"""`redact --purge` (F9, L3): the history is written anew without what was withheld, and nothing else is lost."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.conftest import sampled
from tests.world import IN_TREE, OWN_BRANCH, Place, World

#: Stand in two texts of a fact, in a footer, a remark, the title and prose of a log, and a person's message.
WORDS = ("zanzibarquokka", "ultramarineferret", "vermilionpangolin", "heliotropemarmot")
TEXT, LATER = f"The code of the vault is {WORDS[0]} for now.", f"The code is {WORDS[1]} by now."
PURGE = ("redact", "vault", "--reason", "Private.", "--purge", "--yes")
SIGNED = "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n not one\n -----END PGP SIGNATURE-----\n\n"


def history(home: Place) -> str:
    """Return all that git has of all references: messages and patches."""
    return home.git("log", "--all", "-p", "-m", "--format=raw%n%B")


def told(world: World) -> tuple[Place, str]:
    """Make a history with code, a merge, tags, a signature, a remote and a work tree; return the stem of a log to redact."""
    home = world.home(IN_TREE)
    home.write("app.py", "one = 1\n")
    home.commit_all("The first of the code")
    home.session("First", "--new", "id=plain Orders are kept a year.")
    home.git("branch", "old")
    home.session(TEXT, "--new", f"id=vault tags={WORDS[2]} decision: {TEXT}")
    home.git("commit", "-q", "--allow-empty", "-m", f"Code\n\nas agreed: {TEXT}\nand more")
    home.git("switch", "-qc", "side")
    home.session("Again", "--update", "vault", LATER, "--ref", "plain")
    home.git("switch", "-q", "main")
    home.write("app.py", "one = 1\ntwo = 2\n")
    home.commit_all("The second of the code")
    home.git("merge", "-q", "--no-edit", "side")
    home.git("tag", "-a", "v1", "-m", "The first release")
    home.git("tag", "light")
    stem = home.session(f"About {WORDS[3]}", body=f"We saw the {WORDS[3]} at noon.", refs=["plain"])
    raw = home.git("cat-file", "commit", "HEAD").replace("\n\n", SIGNED, 1) + "\n"
    made = home.git("hash-object", "-t", "commit", "-w", "--stdin", data=raw.encode())
    home.git("update-ref", "refs/heads/main", made)
    home.run("check", "--publish")
    home.git("clone", "-q", "--bare", str(home.folder), str(world.folder / "hub"))
    home.git("remote", "add", "origin", str(world.folder / "hub"))
    home.git("fetch", "-q")
    home.git("worktree", "add", "-q", str(world.folder / "aside"), "side")
    return home, stem


def shown(home: Place) -> list[str]:
    """Return what memory answers of everything, without the commits and digests that it names."""
    asked = (["show"], ["why", "vault"], ["show", "--list", "--all"])
    return [re.sub(r"\b[0-9a-f]{7,64}\b", "-", home.text(*words)) for words in asked]


@pytest.mark.deep(reason="an_own_branch is the small one")
def test_no_command_of_git_finds_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts, footers, titles, prose and messages are gone from all references; what is not withheld is not."""
    home, stem = told(world)
    aside = world.place("aside")
    purge = ("redact", "vault", stem, "--reason", "Private.", "--purge")
    trees = {one: home.git("rev-parse", f"{one}:app.py") for one in ("main", "old", "v1")}
    old, authors = home.git("rev-parse", "old"), ("log", "--format=%an %ae %ad %cn %cd", "main")
    before_authors = home.git(*authors).split("\n")
    purged = home.logs()[stem]
    home.run("redact", "vault", stem, "--reason", "Private.")
    home.run("check", "--publish")
    before = shown(home)
    dry = home.text(*purge, "--dry-run")
    assert "refs/heads/main" in dry and "origin/main still has it" in dry and "force" not in dry
    with monkeypatch.context() as terminal:
        terminal.setattr("rituals.cli.context.Invocation.interactive", lambda _: True)
        tip = home.git("rev-parse", "main")
        home.run(*purge, stdin=b"\n", code=None, json=False)
        assert home.git("rev-parse", "main") == tip, "who types nothing has agreed to nothing"
    late = home.git("rev-parse", "main")
    home.run(*purge, "--yes")
    home.git("branch", "late", late)  # as where a kill let some references move, and not all
    home.run(*purge, "--yes")
    said = history(home)
    assert [word for word in WORDS if word in said] == []
    for word in WORDS:
        for name in home.git("for-each-ref", "--format=%(refname)").split("\n"):
            assert home.tries("grep", "-q", word, name)[0] == 1, (word, name)
    assert "and more" in said and "gpgsig" in home.git("rev-list", "--all", "--header")
    assert {one: home.git("rev-parse", f"{one}:app.py") for one in trees} == trees
    assert home.git("rev-parse", "old") == old, "what has nothing of it stays"
    assert set(before_authors) <= set(home.git(*authors).split("\n"))
    assert len(home.git("rev-list", "--merges", "main").split()) == 1
    assert home.git("cat-file", "-t", "v1") == "tag"
    assert home.git("status", "--porcelain", "-uno") == aside.git("status", "--porcelain") == ""
    for options in (["--ci"], ["--replay"], ["--publish"]):
        home.run("check", *options)
    assert shown(home) == before
    assert home.text("check", "--absorb").startswith("nothing")
    copies = [home.common / "diurna/spool" / name for name in (stem, f"kept/{stem}")]
    for copy in copies:  # of another process, or of a backup of the machine
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(purged)
    home.session("Later", "--ref", "plain")
    home.run("check", "--ci")
    home.run("check", code=None)
    assert not any(copy.exists() for copy in copies)
    assert not any(word in history(home) for word in WORDS)
    assert "leads to it any more" in home.text(*purge, "--yes")


@pytest.mark.deep(reason="test_an_own_branch and the vectors of L6 are the small ones")
def test_a_clone_that_follows_a_purged_branch_keeps_nothing_of_it(world: World) -> None:
    """By whatever git: its own log, which nobody took out, comes back, and what was purged does not (L6)."""
    one, two = world.team(OWN_BRANCH, "two", facts={"vault": TEXT, "plain": "Plain."})
    two.note("id=mine fact: Mine.")
    one.run(*PURGE)
    one.git("push", "-q", "-f", "origin", "memory")
    two.git("fetch", "-q", "origin", "+memory:memory")
    two.text("status")
    two.git("reflog", "expire", "--expire=now", "--all")
    two.git("gc", "-q", "--prune=now")
    assert (two.texts()["mine"], two.texts()["vault"]) == ("Mine.", "(redacted)")
    assert WORDS[0] not in history(two) and two.check("--ci") == []


#: What a person has begun: (do it, take it back, what the refusal names).
IN_THE_WAY: tuple[tuple[Callable[[Place], object], tuple[str, ...], str], ...] = (
    (lambda home: home.write("app.py", "mine"), ("checkout", "app.py"), "app.py"),
    (lambda home: (home.write("app.py", "mine"), home.git("add", "app.py")), ("reset", "-q", "--hard"), "app.py"),
    (lambda home: (home.write("app.py", "mine"), home.git("stash")), ("stash", "drop", "-q"), "refs/stash"),
    (lambda home: home.git("switch", "-q", "--detach"), ("switch", "-q", "main"), "detached"),
)  # fmt: skip


@pytest.mark.deep(reason="an_own_branch is the small one")
def test_what_is_a_persons_is_in_the_way(world: World) -> None:
    """An edit, a staged file, a stash, a detached HEAD: refused and said why, and nothing changed."""
    home, _ = told(world)
    for change, back, why in IN_THE_WAY:
        change(home)
        before = home.shape()
        ran = home.run(*PURGE, code=1)
        assert why in ran.err and home.shape() == before
        home.git(*back)
    home.run(*PURGE)


def test_an_own_branch(world: World) -> None:
    """Behind a plan and a yes; the code's branches do not move, the memory's does."""
    home = world.home(OWN_BRANCH)
    home.git("branch", "of\u2028two-lines")
    code = home.git("rev-parse", "main")
    home.note(f"id=vault decision: {TEXT}", "id=plain Orders are kept.")
    home.git("tag", "-a", "v1", "-m", "One", "memory")
    home.git("tag", "-a", "v2", "-m", f"Two: {TEXT}", "v1")
    home.git("tag", "-a", "v3", "-m", "Three", "memory:diurna.toml")
    old, named = (
        home.tip(),
        ("for-each-ref", "--format=%(refname) %(objecttype) %(*objecttype)", "refs/tags"),
    )
    tags = home.git(*named), home.git("rev-parse", "v3")
    plan = home.text(*PURGE, "--dry-run")
    assert "refs/heads/memory" in plan and code not in plan and WORDS[0] not in plan
    home.run(*PURGE[:-1], code=2)
    assert home.tip() == old
    backup = home.run(*PURGE).json["purge"]["backup"]
    home.git("clone", "-q", "--mirror", backup, str(world.folder / "backup"))
    assert WORDS[0] in history(world.place("backup"))
    assert home.git("rev-parse", "main") == code
    assert WORDS[0] not in history(home) + home.git("cat-file", "-p", "v2")
    assert (home.git(*named), home.git("rev-parse", "v3")) == tags
    assert home.git("merge-base", "v2", "memory") == home.git("rev-parse", "v1^{commit}")
    home.run("check", "--ci")
    assert home.texts() == {"plain": "Orders are kept.", "vault": "(redacted)"}


@pytest.mark.deep(reason="an_own_branch is the small one")
def test_what_was_purged_before_it_was_sent_is_no_fault_where_it_arrives(world: World) -> None:
    """Nobody is told to fetch what was withheld; a log that somebody else changed is still named."""
    one, two, three = world.team(IN_TREE, "two", "three", facts={"plain": "Plain."})
    one.note(f"id=vault {TEXT}")
    other = one.note("id=quay The quay closes at noon.")
    one.run(*PURGE)
    one.sync()
    two.session("Mine", "--ref", "plain")
    for clone in (two, three):
        assert clone.sync()["findings"] == []
        assert clone.texts()["vault"] == "(redacted)"
    (path,) = one.folder.glob(f"**/{other}.md")
    four = one.clone("four")
    path.write_bytes(path.read_bytes().replace(b"noon", b"nine"))
    one.git("add", "-A")
    one.git("commit", "-q", "--amend", "--no-edit")
    assert one.check("--ci")
    one.git("push", "-q", "--force", "origin", "HEAD:main")
    codes = {found["code"] for found in four.sync(code=None)["findings"]}
    assert codes & {"seal-broken", "log-edited"}


@pytest.mark.deep(
    reason="test_redaction::a_cleaning_that_was_killed_is_gone_on_with is the small one"
)
def test_a_kill_loses_nothing_and_the_same_command_goes_on(world: World) -> None:
    """A death at a step: whatever a person commits then, no log goes, no word is shown, and the purge can be done."""
    home = world.home(IN_TREE)
    home.note(f"id=vault decision: {TEXT}")
    home.git("tag", "-a", "v1", "-m", "one")
    home.session("Later", "--ref", "vault")
    home.run("redact", "vault", "--reason", "Private.")
    logs = set(home.logs())
    steps = home.fork("counted").steps(*PURGE)
    for step in sampled(range(1, len(steps) + 1), max(1, len(steps) // 12)):
        torn = home.fork(f"torn-{step}")
        torn.at_step(step, "die", *PURGE)
        torn.tries("commit", "-qam", "mine")
        assert logs <= set(torn.logs()), steps[step - 1]
        assert WORDS[0] not in torn.text("show")
        assert not [one for one in torn.common.rglob("*.lock") if "diurna" not in one.parts]
        torn.run(*PURGE)
        assert WORDS[0] not in history(torn), steps[step - 1]
        torn.run("check", "--ci")
        assert torn.fsck() == []


def test_an_id_that_tells_is_said(world: World) -> None:
    """What a person called so stays; and a reason that repeats the text is refused."""
    home, named = world.home(IN_TREE), "bob-miller-sick-leave"
    home.note(f"id={named} fact: Bob Miller is on sick leave until March.")
    again = home.run("redact", named, "--reason", "Bob Miller is on sick leave.", code=2)
    assert "the reason contains what is to be withheld" in again.err
    ran = home.run("redact", named, "--reason", "Private.", json=False)
    assert f"the id {named} says words of it too" in ran.err
    assert "bob-miller" not in home.git("log", "--format=%B")
    assert "bob" not in home.text("log").lower()
