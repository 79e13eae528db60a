"""The user's own work is never touched (faults of group D)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from ledger.model.event import FactCreated
from memory import Memory, SessionDraft
from tests.conftest import sampled
from tests.world import (
    COMMITTING,
    EMAIL,
    FOLDER,
    KINDS,
    NAME,
    OWN_BRANCH,
    OWN_REPOSITORY,
    Place,
    World,
)

#: A command of its own, or a process that goes on.
COMMAND, LIBRARY = WRITERS = ("command", "library")
FALLBACK = "Diurna <diurna@localhost.invalid>"


def append(home: Place, writer: str, name: str) -> tuple[str, list[str]]:
    """Record a fact; return the stem and the codes of what was found on the way."""
    if writer == COMMAND:
        answer = home.run("append", "--title", name, "--new", f"id={name} The text of {name}.")
        return str(answer.json["stem"]), answer.codes()
    memory = Memory.open(str(home.folder), agent="claude-code")
    try:
        receipt = memory.append(SessionDraft(name, "", (FactCreated(name, f"The text of {name}."),)))  # fmt: skip
        return receipt.stem, [one.code for one in receipt.findings]
    finally:
        memory.close()


def staged(at: Place) -> None:
    """A bit of everything that a user can have staged."""
    at.write("code.py", "print('staged')\n")
    at.write("new.py", "new\n")
    at.git("add", "code.py", "new.py")
    at.git("mv", "docs/guide.md", "docs/manual.md")
    at.write("later.py", "later\n")
    at.git("add", "--intent-to-add", "later.py")
    at.git("update-index", "--chmod=+x", "new.py")
    at.write("new.py", "new, then edited\n")


def dirty(at: Place) -> None:
    """Edited, deleted, ignored and untracked files, also beside memory's own."""
    at.write("code.py", "print('half done')\n")
    (at.folder / "docs/guide.md").unlink()
    at.write("scratch.txt", "untracked\n")
    at.write("secret.env", "ignored\n")
    with (at.common / "info/exclude").open("a") as exclude:
        exclude.write("*.env\n")
    if at.kind != OWN_BRANCH:
        at.write(f"{at.prefix}notes.md", "mine, beside the logs\n")
        at.write(f"{at.prefix}sessions/draft.txt", "mine too\n")


def all_sorts(at: Place) -> None:
    """However deep and odd what is committed is."""
    for name in (
        "memories/a.md",
        "mem",
        "memory.md",
        "a/b/c/d/sessions/e.md",
        'docs/\u00e4 "b"\n.md',
    ):
        at.write(name, name)
    at.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    (at.folder / "link").symlink_to("nowhere")
    at.git("add", "-A")
    at.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendored")
    at.git("commit", "-q", "-m", "all sorts")


def commits_only_ours(home: Place, old: str) -> None:
    """Check that each commit since another one has changed the home's own files alone, and taken away no log."""
    ours = tuple(home.prefix + name for name in ("sessions/", "continuity.md", "archive/"))
    rows = home.git("log", "--format=", "--name-status", "--no-renames", f"{old}..{home.tip()}")
    for row in rows.split("\n"):
        letter, path = row.split("\t")
        assert path.startswith(ours) and (letter == "A" or "/sessions/" not in f"/{path}"), row


def with_code(world: World, kind: str) -> Place:
    """Make a home in a repository that also holds a user's committed files."""
    home = world.home(kind)
    if kind == OWN_REPOSITORY:
        for name in ("code.py", "docs/guide.md"):
            home.write(name, "theirs\n")
        home.commit_all("code")
    return home


@pytest.mark.parametrize(
    ("work", "kind", "writer"), sampled(product((staged, dirty, all_sorts), KINDS, WRITERS), 5)
)
def test_d1_d2_d3_d4_what_the_user_has_stays_as_it_is(
    world: World, work: Callable[[Place], None], kind: str, writer: str
) -> None:
    """What is staged is not swept in and stays staged; edited, untracked and ignored files keep bytes, times, places.

    The commit is made from the tip's tree, never from the index, and after it exactly our index entries
    follow.
    """
    home = with_code(world, kind)
    work(home)
    old = home.tip()

    def mine() -> object:
        files = home.users_files()
        times = {name: (home.folder / name).lstat().st_mtime_ns for name in files}
        return (
            files, times, home.git("diff", "--cached", "--raw", "-p"), home.git("diff"),
            home.git("status", "--porcelain", "-uall", "--ignored=matching"),
        )  # fmt: skip

    before = mine()
    stem, _ = append(home, writer, "a")
    home.run("check", "--publish")
    assert mine() == before
    commits_only_ours(home, old)
    home.git("commit", "-q", "--allow-empty", "-m", "what was staged")
    home.holds([stem])
    assert "The text of a." in home.show_file("continuity.md").decode()


@pytest.mark.parametrize("kind", [FOLDER, OWN_REPOSITORY])
def test_d2_a_file_of_the_user_where_a_log_would_be_written_stays(world: World, kind: str) -> None:
    """An untracked file of the very name that a log gets is not written over."""
    home = world.home(kind)
    command = ("append", "--title", "a", "--new", "id=a The text of a.")
    path = home.run(*command, "--dry-run").json["path"]
    home.write(home.prefix + path, "mine\n")
    world.clock.go(seconds=-1)
    assert home.run(*command).json["path"].endswith(path)
    assert home.read(home.prefix + path) == "mine\n"
    said = "?? memory/sessions/" if kind == FOLDER else f" M {path}"
    assert home.git("status", "--porcelain") == said


# ---- fault:D3 -------------------------------------------------------------------------------------


@pytest.fixture
def busy(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[[Place], str]:
    """Append while the user's git has the index; return the path of the log."""

    def busy(home: Place) -> str:
        name = f"late-{len(home.logs())}"
        with monkeypatch.context() as patch:
            for module in ("index_entries", "tree_update"):
                patch.setattr(f"memory.worktree.{module}.INDEX_TRIES", 1)
            lock = home.write(".git/index.lock", "")
            stem, found = append(home, COMMAND, name)
        assert found == ["index-busy"] and stem in home.logs()
        assert lock.exists(), "a lock of the user's git is not ours to take"
        lock.unlink()
        return f"{home.prefix}sessions/{stem[:7]}/{stem[8:10]}/{stem}.md"

    return busy


@pytest.mark.parametrize("writer", WRITERS)
def test_d3_an_entry_that_could_not_follow_follows_later(
    world: World, writer: str, busy: Callable[[Place], str]
) -> None:
    """The next write sets the entry; it waits on its own branch, and another that is checked out gets nothing of it."""
    home = with_code(world, OWN_REPOSITORY)
    home.git("branch", "side/branch")
    staged(home)
    status = home.git("status", "--porcelain")
    path = busy(home)
    assert f"D  {path}" in home.git("status", "--porcelain")
    assert append(home, writer, "b")[1] == [] and home.git("status", "--porcelain") == status
    path = busy(home)
    home.git("checkout", "-q", "-f", "side/branch")
    assert append(home, writer, "c")[1] == []
    assert path not in home.git("ls-files") and home.git("diff", "--cached", "--name-only") == ""
    home.git("checkout", "-q", "-f", "main")
    assert append(home, writer, "d")[1] == []
    assert home.git("status", "--porcelain", "-uno") == ""


def test_d3_an_entry_that_the_branch_has_otherwise_by_now_is_let_go(
    world: World, busy: Callable[[Place], str]
) -> None:
    """Somebody with git alone moved the branch on: the index is not set back to what it was."""
    home = world.home(OWN_REPOSITORY, facts={"a": "The text of a."})
    busy(home)
    home.git("reset", "-q", "--hard")
    page = home.read("continuity.md")
    home.plant({"continuity.md": page.replace("The text of a.", "Other words.")})
    assert append(home, COMMAND, "c")[1] == []
    home.run("check", "--absorb")
    assert home.git("status", "--porcelain") == "" and home.texts()["a"] == "Other words."


@pytest.mark.parametrize("writer", WRITERS)
def test_d3_an_own_branch_that_somebody_checked_out_follows_there(
    world: World, writer: str
) -> None:
    """A linked worktree on memory's branch does not show (and then commit) our logs as deleted."""
    home = world.home(OWN_BRANCH)
    home.git("worktree", "add", "-q", str(world.folder / "looking"), "memory")
    looking = world.place("looking")
    looking.write("mine.txt", "mine\n")
    looking.git("add", "mine.txt")
    stem, _ = append(home, writer, "a")
    assert looking.git("status", "--porcelain") == "A  mine.txt"
    assert looking.read(f"sessions/{stem[:7]}/{stem[8:10]}/{stem}.md") == home.logs()[stem].decode()
    assert home.git("status", "--porcelain") == ""


# ---- fault:D4 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("writer", WRITERS)
def test_d4_something_of_the_users_where_our_folders_go_is_not_replaced(
    world: World, writer: str
) -> None:
    """A committed link named as our folder stays; the log waits and says why."""
    home = with_code(world, OWN_REPOSITORY)
    (home.folder / "sessions").symlink_to("docs")
    home.commit_all("a link")
    before = home.shape()
    if writer == COMMAND:
        refused = home.run("append", "--title", "a", code=1)
        assert "sessions is no folder" in refused.err and refused.said == "WaitsInSpool"
    else:
        with pytest.raises(Exception, match="sessions is no folder"):
            append(home, writer, "a")
    assert home.shape() == before
    (waits,) = home.waiting()
    home.git("rm", "-q", "sessions")
    home.git("commit", "-q", "-m", "no link")
    stem, _ = append(home, writer, "b")
    home.holds([waits, stem])
    assert home.git("status", "--porcelain") == ""


# ---- fault:D5 -------------------------------------------------------------------------------------

EDIT = "\n- The user's own words.\n"
#: Loose prose: no event can say it.
LOOSE = "\nThe user's own words.\n"


@pytest.mark.parametrize(("kind", "writer"), sampled(product(COMMITTING, WRITERS), 3))
def test_d5_a_hand_edited_page_is_absorbed_or_left_alone(
    world: World, kind: str, writer: str
) -> None:
    """No append touches it; what it says is a log of the user, what says nothing stays, is named, and is not written over."""
    home = world.home(kind, facts={"a": "The text of a."})
    path = (".memory/" if kind == OWN_BRANCH else home.prefix) + "continuity.md"
    home.write(path, home.read(path) + EDIT)
    stem, found = append(home, writer, "b")
    assert found == [] and EDIT in home.read(path)
    home.run("check", "--publish")
    edit, noted = home.run("log", "-n", "2").json["sessions"]
    assert (edit["type"], edit["agent"], noted["stem"]) == ("edit", NAME, stem)
    assert home.read(path) == home.page() and "own words." in home.page()
    assert home.git("status", "--porcelain") == ""
    home.write(path, home.read(path) + LOOSE)
    edited = home.read(path)
    assert append(home, writer, "c")[1] == [] and home.read(path) == edited
    before, line = home.shape(), edited.split("\n").index(LOOSE.strip()) + 1
    for command in ("--publish", "--absorb"):
        refused = home.run("check", command, code=1)
        assert refused.said == "EditNotUnderstood" and refused.json["error"]["where"].endswith(f"continuity.md:{line}")  # fmt: skip
    assert home.shape() == before
    (home.folder / path).unlink()
    append(home, writer, "d")
    home.run("check", "--publish")
    assert "The text of d." in home.read(path)


def test_d5_an_edit_that_is_staged_or_committed_is_the_users_too(world: World) -> None:
    """A staged edit is not swept in by an append, and a committed one that says nothing stays as it is."""
    home = world.home(facts={"a": "The text of a."})
    path = "memory/continuity.md"
    home.git("checkout", "-q", "-b", "feature")
    home.write(path, home.read(path) + EDIT)
    home.git("add", path)
    assert append(home, COMMAND, "b")[1] == []  # beside the trunk, an append publishes nothing
    assert home.git("status", "--porcelain") == f"M  {path}"
    home.run("check", "--publish")
    assert home.git("status", "--porcelain") == "" and "own words." in home.read(path)
    home.write(path, home.read(path) + LOOSE)
    home.git("add", path)
    for committed in (False, True):
        if committed:
            home.git("commit", "-q", "-m", "by hand")
        before = home.shape()
        assert home.run("check", "--publish", code=1).said == "EditNotUnderstood"
        assert home.shape() == before
    home.write(path, home.read(path).replace(LOOSE, ""))
    home.git("commit", "-q", "-a", "-m", "it went elsewhere")
    append(home, COMMAND, "c")
    home.run("check", "--publish")
    assert "The text of c." in home.read(path)


# ---- fault:D6, fault:D7 ---------------------------------------------------------------------------

HOOKS = """
applypatch-msg commit-msg post-checkout post-commit post-index-change post-rewrite pre-auto-gc
pre-commit prepare-commit-msg reference-transaction update post-update pre-receive push-to-checkout
fsmonitor-watchman
""".split()


@pytest.mark.parametrize(
    ("kind", "writer", "place"),
    sampled(product((FOLDER, *COMMITTING), WRITERS, (".git/hooks", ".husky")), 6),
)
def test_d6_the_users_hooks_do_not_run_on_our_commits(
    world: World, kind: str, writer: str, place: str
) -> None:
    """No hook, wherever it is configured, is started by an append or a publish."""
    home = world.home(kind)
    rang = world.folder / "rang"
    for name in HOOKS:
        hook = home.write(f"{place}/{name}", f"#!/bin/sh\necho {name} >> {rang}\nexit 1\n")
        hook.chmod(0o755)
    if place == ".husky":
        home.git("config", "core.hooksPath", ".husky")
        home.git("config", "core.fsmonitor", str(home.folder / ".husky/fsmonitor-watchman"))
    stem, _ = append(home, writer, "a")
    home.run("check", "--publish")
    home.show()
    assert not rang.exists(), rang.read_text()
    home.git("update-ref", "refs/tried", "HEAD", ok=False)
    assert rang.exists(), "the hooks of this test do run when git itself is asked"
    assert stem in {*home.logs(), *home.waiting()}


def program(world: World, text: str) -> str:
    """Make a program that git calls to sign."""
    path = world.folder / "signs"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("setting", ["true", "1", None])
@pytest.mark.parametrize("writer", WRITERS)
def test_d7_a_key_that_does_not_answer_is_not_waited_for(
    world: World, writer: str, setting: str | None
) -> None:
    """The commit is made without it, which is said, and the key is not asked at once again."""
    home = world.home(OWN_REPOSITORY)
    asked = world.folder / "asked"
    home.git("config", "gpg.program", program(world, f"touch {asked}\nexit 1"))
    home.git("config", "user.signingkey", "ABCDEF")
    if setting:
        home.git("config", "commit.gpgsign", setting)
    else:
        home.write(".git/config", home.read(".git/config") + "[commit]\n\tgpgSign\n")
    stem, found = append(home, writer, "a")
    assert found == ["unsigned"] and asked.exists()
    asked.unlink()
    assert append(home, writer, "b")[1] == ["unsigned"] and not asked.exists()
    assert "gpgsig" not in home.git("cat-file", "-p", "HEAD")
    home.holds([stem])
    home.git("commit", "--allow-empty", "-m", "signed", ok=False)
    assert asked.exists(), "git itself would have asked"


@pytest.mark.parametrize("writer", WRITERS)
def test_d7_git_signs_our_commits_where_the_user_says_so(world: World, writer: str) -> None:
    """With commit.gpgsign; a commit that a prune took is made again with its signature, under its id.

    A staged log is for the user to sign, and the last setting counts.
    """
    home = world.home(OWN_REPOSITORY)
    signs = "cat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'; echo; echo proof"
    home.git(
        "config", "gpg.program", program(world, f"{signs}; echo '-----END PGP SIGNATURE-----'")
    )
    home.git("config", "commit.gpgsign", "true")
    stem, found = append(home, writer, "a")
    assert found == []
    body, commit = home.git("cat-file", "commit", "HEAD"), home.git("rev-parse", "HEAD")
    assert "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n proof\n" in body
    (home.folder / ".git/objects" / commit[:2] / commit[2:]).unlink()
    home.run("check", "--fix")
    assert home.git("cat-file", "commit", "HEAD") == body
    home.holds([stem])
    home.git("config", "gpg.program", "false")
    home.git("config", "--add", "commit.gpgsign", "off")
    assert append(home, writer, "b")[1] == []


# ---- fault:D8 -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "email", "author", "missing"),
    [
        (NAME, EMAIL, f"{NAME} <{EMAIL}>", ""),
        ("", "", FALLBACK, "user.name"),
        ("", EMAIL, f"Diurna <{EMAIL}>", "user.name"),
        (NAME, "", f"{NAME} <diurna@localhost.invalid>", "user.email"),
        ("Ada\ncommitter Eve <eve@e> 0 +0000\n<x>", EMAIL, f"Ada committer Eve eve@e 0 +0000 x <{EMAIL}>", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("writer", WRITERS)
def test_d8_without_a_name_a_fixed_identity_commits_and_is_stated(
    world: World, writer: str, name: str, email: str, author: str, missing: str
) -> None:
    """The same on every machine, never made up from the login or the host; a hostile name can not forge a header."""
    home = world.home(OWN_REPOSITORY)
    for key, value in (("user.name", name), ("user.email", email)):
        home.git("config", key, value) if value else home.git("config", "--unset", key)
    stem, found = append(home, writer, "a")
    assert found == ["fallback-identity"] * bool(missing)
    assert home.git("log", "-1", "--format=%an <%ae>%n%cn <%ce>") == f"{author}\n{author}"
    assert home.git("log", "-g", "-1", "--format=%gn <%ge>", "main") == author
    if missing:
        told = home.run("append", "--title", "b", json=False).err
        assert missing in told and author in told and f"hint: git config {missing} " in told
    home.holds([stem])
    folder = world.home(FOLDER, "folder")
    folder.git("config", "--unset", "user.name")
    assert append(folder, writer, "a")[1] == [], "nothing is committed"
