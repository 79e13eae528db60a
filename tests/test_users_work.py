"""The user's own work is never touched (faults of group D). fault:D9, hooks managers, is in `test_setup_git_hooks`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pygit2
import pytest

from ledger.errors import EditNotUnderstood, HandEdited, WaitsInSpool
from ledger.git.cli import Git
from ledger.git.commit_record import FALLBACK_EMAIL, FALLBACK_NAME, Commit
from ledger.git.process import Running
from ledger.git.pygit2_store import Store
from ledger.home import Home
from ledger.model.findings import INFO
from tests.campaigns.homes import (
    EMAIL,
    IN_TREE,
    NAME,
    OWN_BRANCH,
    OWN_REPOSITORY,
    assert_sound,
    draft,
    git,
    logs_in,
    make_home,
    open_memory,
    shape,
    user_repository,
    users_files,
)
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.repository_shapes import both_writers, every_kind, kinds_and_writers


def home_with_users_files(folder: Path, kind: str) -> Home:
    """Make a home of a kind in a repository that also holds a user's committed files."""
    home = make_home(folder, kind)
    if kind == OWN_REPOSITORY:
        (folder / "code.py").write_text("print(0)\n")
        (folder / "docs").mkdir()
        (folder / "docs" / "guide.md").write_text("how to\n")
        git(folder, "add", "code.py", "docs")
        git(folder, "commit", "-q", "-m", "code")
    return home


def staged_work(folder: Path) -> None:
    """Leave a bit of everything that a user can have staged."""
    (folder / "code.py").write_text("print('staged')\n")
    (folder / "new.py").write_text("new\n")
    git(folder, "add", "code.py", "new.py")
    git(folder, "mv", "docs/guide.md", "docs/manual.md")
    (folder / "later.py").write_text("later\n")
    git(folder, "add", "--intent-to-add", "later.py")
    git(folder, "update-index", "--chmod=+x", "new.py")


def commits_only_ours(home: Home, old: str, new: str) -> list[str]:
    """Return the rows of what a commit changed, all of them checked to be the home's own files."""
    rows = git(home.repository.where, "diff-tree", "-r", "--name-status", "--no-renames", old, new)
    ours = ("sessions/", "continuity.md", "archive/")
    found = rows.rstrip("\n").split("\n")
    for row in found:
        letter, path = row.split("\t")
        assert path.startswith(home.prefix), row
        inside = path[len(home.prefix) :]
        assert inside.startswith(ours), row
        assert letter == "A" or not inside.startswith("sessions/"), row
    return found


# ---- fault:D1, fault:D2 ---------------------------------------------------------------------------


@kinds_and_writers
def test_d1_staged_changes_are_not_swept_in_and_stay_staged(
    tmp_path: Path, kind: str, writer: str
) -> None:
    """The commit is made from the tip's tree, never from the index."""
    folder = tmp_path / "home"
    home = home_with_users_files(folder, kind)
    staged_work(folder)
    staged = git(folder, "diff", "--cached", "--raw", "-p")
    status = git(folder, "status", "--porcelain")
    assert len(status.split("\n")) == 5
    old = home.tip()
    memory = open_memory(folder, writer)
    receipt = memory.append(draft("a"))
    assert commits_only_ours(home, old, receipt.commit)
    assert git(folder, "diff", "--cached", "--raw", "-p") == staged
    assert git(folder, "status", "--porcelain") == status
    git(folder, "commit", "-q", "-m", "what was staged")
    assert_sound(home, [receipt.stem])


@kinds_and_writers
def test_d2_dirty_and_untracked_files_are_untouched(tmp_path: Path, kind: str, writer: str) -> None:
    """Edited, deleted, ignored and untracked files keep their bytes, times and places."""
    folder = tmp_path / "home"
    home = home_with_users_files(folder, kind)
    assert set(users_files(folder)) >= {"code.py", "docs/guide.md"}
    (folder / "code.py").write_text("print('half done')\n")
    (folder / "docs" / "guide.md").unlink()
    (folder / "scratch.txt").write_text("untracked\n")
    (folder / "secret.env").write_text("ignored\n")
    exclude = Path(home.repository.commondir) / "info/exclude"
    exclude.write_text(exclude.read_text() + "*.env\n")
    beside = folder / home.prefix / "notes.md"
    if kind != OWN_BRANCH:
        beside.write_text("mine, beside the logs\n")
        (folder / home.prefix / "sessions").mkdir(exist_ok=True)
        (folder / home.prefix / "sessions" / "draft.txt").write_text("mine too\n")
    ours = (".gitattributes", "continuity.md", "diurna.toml")
    files = {name: data for name, data in users_files(folder).items() if name not in ours}
    times = {name: (folder / name).stat().st_mtime_ns for name in files}
    status = git(folder, "status", "--porcelain", "-uall", "--ignored=matching")
    old = home.tip()
    receipt = open_memory(folder, writer).append(draft("a"))
    memory = open_memory(folder, writer)
    memory.publish()
    assert commits_only_ours(home, old, memory.home.tip())
    assert git(folder, "status", "--porcelain", "-uall", "--ignored=matching") == status
    after = users_files(folder)
    assert {name: after[name] for name in files} == files
    assert {name: (folder / name).stat().st_mtime_ns for name in files} == times
    if kind != OWN_BRANCH:
        assert beside.read_text() == "mine, beside the logs\n"
    assert_sound(home, [receipt.stem])


@both_writers
def test_d2_a_file_of_the_user_where_a_log_would_be_written_stays(
    tmp_path: Path, writer: str
) -> None:
    """An untracked file of the very name that a log gets is not written over."""
    folder = tmp_path / "home"
    make_home(folder)
    receipt = open_memory(folder, writer).append(draft("a"), dry_run=True)
    path = folder / "memory" / receipt.path
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")
    # the clocks of both start at the same time, so this is the same log
    made = open_memory(folder, writer).append(draft("a"))
    assert made.stem == receipt.stem
    assert path.read_text() == "mine\n"
    assert git(folder, "status", "--porcelain") == f" M memory/{receipt.path}\n"
    assert logs_in(open_memory(folder).home)[made.stem] == made.data


# ---- fault:D3 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [IN_TREE, OWN_REPOSITORY])
@both_writers
def test_d3_our_files_are_never_shown_as_staged_deleted(
    tmp_path: Path, kind: str, writer: str
) -> None:
    """After a commit that git did not make itself, exactly our index entries follow it."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    before = set(git(folder, "ls-files", "-s").split("\n"))
    memory = open_memory(folder, writer)
    receipt = memory.append(draft("a"))
    memory.publish()
    assert git(folder, "status", "--porcelain") == ""
    after = set(git(folder, "ls-files", "-s").split("\n"))
    changed = {line.split("\t")[1] for line in before ^ after}
    assert changed == {home.prefix + receipt.path, home.prefix + "continuity.md"}


def _give_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("checkout", "checkout_update"):
        monkeypatch.setattr(f"memory.worktree.{module}.INDEX_TRIES", 1)


@both_writers
def test_d3_an_entry_that_could_not_follow_is_said_and_follows_later(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the index locked by the user's git, the log is committed; the next write sets the entry."""
    folder = tmp_path / "home"
    home = make_home(folder)
    staged_work(folder)
    status = git(folder, "status", "--porcelain")
    _give_up_at_once(monkeypatch)
    lock = folder / ".git" / "index.lock"
    lock.touch()
    memory = open_memory(folder, writer)
    receipt = memory.append(draft("a"))
    assert [finding.code for finding in receipt.findings] == ["index-busy"]
    assert lock.exists(), "a lock of the user's git is not ours to take"
    assert receipt.stem in logs_in(home)
    lock.unlink()
    assert f"D  memory/{receipt.path}" in git(folder, "status", "--porcelain")
    second = memory.append(draft("b"))
    assert second.findings == ()
    assert git(folder, "status", "--porcelain") == status


@both_writers
def test_d3_an_entry_that_could_not_follow_waits_on_its_branch(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another branch that is checked out meanwhile gets nothing of it, and back on its own it is whole."""
    folder = tmp_path / "home"
    make_home(folder)
    git(folder, "branch", "side/branch")
    _give_up_at_once(monkeypatch)
    lock = folder / ".git" / "index.lock"
    lock.touch()
    first = open_memory(folder, writer).append(draft("a"))
    assert [finding.code for finding in first.findings] == ["index-busy"]
    lock.unlink()
    git(folder, "checkout", "-q", "-f", "side/branch")
    second = open_memory(folder, writer).append(draft("b"))
    assert second.findings == ()
    assert first.path not in git(folder, "ls-files", "-s")
    assert git(folder, "diff", "--cached", "--name-only") == ""
    git(folder, "checkout", "-q", "-f", "main")
    third = open_memory(folder, writer).append(draft("c"))
    assert third.findings == ()
    assert git(folder, "status", "--porcelain") == ""
    assert not list((folder / ".git" / "diurna").glob("index-pending*"))


@both_writers
def test_d3_an_entry_that_the_branch_has_otherwise_by_now_is_let_go(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody with git alone moved the branch on: the index is not set back to what it was."""
    folder = tmp_path / "home"
    make_home(folder, OWN_REPOSITORY)
    memory = open_memory(folder, writer)
    memory.append(draft("a"))
    _give_up_at_once(monkeypatch)
    lock = folder / ".git" / "index.lock"
    lock.touch()
    memory.append(draft("b"))
    lock.unlink()
    assert list((folder / ".git" / "diurna").glob("index-pending@*"))
    git(folder, "reset", "-q", "--hard")
    page = folder / "continuity.md"
    page.write_text(page.read_text().replace("The text of a.", "Other words."))
    git(folder, "commit", "-q", "-a", "-m", "by hand")
    receipt = open_memory(folder, writer).append(draft("c"))
    assert "hand-edited" not in [finding.code for finding in receipt.findings]
    assert git(folder, "status", "--porcelain") == ""
    assert open_memory(folder).state()["a"].fact.text == "Other words."


@both_writers
def test_d3_an_own_branch_that_somebody_checked_out_follows_there(
    tmp_path: Path, writer: str
) -> None:
    """A linked worktree on the ledger's branch must not show (and then commit) our logs as deleted."""
    folder = tmp_path / "home"
    make_home(folder, OWN_BRANCH)
    git(folder, "worktree", "add", "-q", str(tmp_path / "looking"), "memory")
    (tmp_path / "looking" / "mine.txt").write_text("mine\n")
    git(tmp_path / "looking", "add", "mine.txt")
    receipt = open_memory(folder, writer).append(draft("a"))
    assert git(tmp_path / "looking", "status", "--porcelain") == "A  mine.txt\n"
    assert (tmp_path / "looking" / receipt.path).read_bytes() == receipt.data
    assert git(folder, "status", "--porcelain") == ""


# ---- fault:D4 -------------------------------------------------------------------------------------


@every_kind
def test_d4_a_commit_that_drops_a_users_file_is_refused_before_the_ref_moves(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the tree was built by, its difference to the tip may only touch our own paths."""
    folder = tmp_path / "home"
    home = home_with_users_files(folder, kind)
    if kind == OWN_BRANCH:  # a file of somebody else on the ledger's branch
        open_memory(folder).commit_files([("code.py", b"theirs\n")], "by hand")
    right = Store._tree

    def dropping(store: Store, wanted: Commit) -> str | None:
        tree = store._git[right(store, wanted) or ""]
        builder = store._git.TreeBuilder(tree.peel(pygit2.Tree))
        builder.remove("code.py")
        return str(builder.write())

    monkeypatch.setattr(Store, "_tree", dropping)
    before = shape(folder)
    memory = open_memory(folder, "pygit2")
    with pytest.raises(WaitsInSpool, match=r"code\.py") as refused:
        memory.append(draft("a"))
    assert shape(folder) == before
    monkeypatch.undo()
    later = open_memory(folder, "fast-import")
    assert later.waiting() == [refused.value.stem]
    later.drain()
    assert_sound(home, [refused.value.stem])
    assert git(folder, "cat-file", "-e", f"{home.reference}:code.py") == ""


@both_writers
def test_d4_something_of_the_users_where_our_folders_go_is_not_replaced(
    tmp_path: Path, writer: str
) -> None:
    """A committed file, link or submodule named as our folder stays; the log waits and says why."""
    folder = tmp_path / "home"
    home = make_home(folder)
    (folder / "memory" / "sessions").symlink_to("../docs")
    git(folder, "add", "memory/sessions")
    git(folder, "commit", "-q", "-m", "a link")
    before = shape(folder)
    with pytest.raises(WaitsInSpool, match=r"memory/sessions is no folder") as refused:
        open_memory(folder, writer).append(draft("a"))
    assert shape(folder) == before
    git(folder, "rm", "-q", "memory/sessions")
    git(folder, "commit", "-q", "-m", "no link")
    later = open_memory(folder, writer)
    later.append(draft("b"))
    assert refused.value.stem in logs_in(home)
    assert git(folder, "status", "--porcelain") == ""


@kinds_and_writers
def test_d4_every_commit_differs_from_the_one_before_in_our_files_alone(
    tmp_path: Path, kind: str, writer: str
) -> None:
    """However deep and many the user's files are, the trees beside ours are the very same objects."""
    folder = tmp_path / "home"
    home = home_with_users_files(folder, kind)
    for name in (
        "memories/a.md",
        "mem",
        "memory.md",
        "a/b/c/d/sessions/e.md",
        'docs/\u00e4 "b"\n.md',
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("nowhere")
    git(folder, "add", "-A")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendored")
    git(folder, "commit", "-q", "-m", "all sorts")
    memory = open_memory(folder, writer)
    tips = [memory.home.tip()]
    for name in ("a", "b"):
        tips.append(memory.append(draft(name)).commit)
    tips.append(memory.publish()[1] or tips[-1])
    for old, new in pairwise(dict.fromkeys(tips)):
        assert commits_only_ours(home, old, new)


# ---- fault:D5 -------------------------------------------------------------------------------------

EDIT = "\n- The user's own words.\n"
#: Loose prose: no event can say it.
LOOSE = "\nThe user's own words.\n"


@both_writers
def test_d5_a_hand_edited_projection_is_absorbed(tmp_path: Path, writer: str) -> None:
    """Where each append publishes, the edit is a log of the user before the agent's own is committed."""
    folder = tmp_path / "home"
    home = make_home(folder, OWN_REPOSITORY)
    memory = open_memory(folder, writer)
    memory.append(draft("a"))
    file = folder / "continuity.md"
    file.write_text(file.read_text() + EDIT)
    receipt = memory.append(draft("b"))
    assert [(one.code, one.file) for one in receipt.findings] == [("absorbed", "continuity.md")]
    (line,) = [line for line in memory.log() if line.type == "edit"]
    assert line.agent == NAME and line.stem < receipt.stem
    assert_sound(home, [line.stem, receipt.stem])
    assert file.read_text() == memory.continuity()
    assert "The user's own words." in file.read_text() and "The text of b." in file.read_text()
    assert git(folder, "status", "--porcelain") == ""
    assert memory.edited() == () and memory.drift() == ()


@both_writers
def test_d5_an_edit_that_says_nothing_is_left_alone_and_said(tmp_path: Path, writer: str) -> None:
    """The log is committed, the edited file is not, the finding has its line, and publish refuses."""
    folder = tmp_path / "home"
    home = make_home(folder, OWN_REPOSITORY)
    memory = open_memory(folder, writer)
    memory.append(draft("a"))
    file = folder / "continuity.md"
    file.write_text(file.read_text() + LOOSE)
    edited = file.read_bytes()
    line = edited.decode().split("\n").index(LOOSE.strip()) + 1
    blob = git(folder, "rev-parse", "HEAD:continuity.md")
    receipt = memory.append(draft("b"))
    assert [(one.code, one.where) for one in receipt.findings] == [
        ("hand-edited", f"continuity.md:{line}"),
        ("hand-edited", "continuity.md"),
    ]
    assert_sound(home, [receipt.stem])
    assert git(folder, "rev-parse", "HEAD:continuity.md") == blob
    assert file.read_bytes() == edited
    assert git(folder, "status", "--porcelain") == " M continuity.md\n"
    assert memory.edited() == ("continuity.md",)
    before = shape(folder)
    for refused in (memory.publish, memory.absorb):
        with pytest.raises(EditNotUnderstood, match="this text is no part of a fact") as caught:
            refused()
        assert caught.value.where == f"continuity.md:{line}"
    with pytest.raises(HandEdited, match=r"continuity\.md was edited by hand"):
        memory.write_projection(memory.state())
    assert shape(folder) == before
    git(folder, "checkout", "--", "continuity.md")
    assert memory.publish()[0] == ("continuity.md",)
    assert "The text of b." in file.read_text()


@both_writers
def test_d5_an_edit_that_is_staged_or_committed_is_the_users_too(
    tmp_path: Path, writer: str
) -> None:
    """A staged edit is not swept in by an append, and a committed one that says nothing stays as it is."""
    folder = tmp_path / "home"
    make_home(folder)
    git(folder, "checkout", "-q", "-b", "feature")
    memory = open_memory(folder, writer)
    memory.append(draft("a"))
    memory.publish()
    file = folder / "memory" / "continuity.md"
    file.write_text(file.read_text() + EDIT)
    git(folder, "add", "memory/continuity.md")
    receipt = memory.append(draft("b"))
    assert receipt.findings == ()  # beside the trunk, an append publishes nothing
    assert git(folder, "status", "--porcelain") == "M  memory/continuity.md\n"
    assert memory.publish()[0] == ("continuity.md",)
    assert git(folder, "status", "--porcelain") == ""
    assert "The user's own words." in file.read_text() and "The text of b." in file.read_text()
    file.write_text(file.read_text() + LOOSE)
    git(folder, "add", "memory/continuity.md")
    before = shape(folder)
    with pytest.raises(EditNotUnderstood):
        memory.publish()
    assert shape(folder) == before
    git(folder, "commit", "-q", "-m", "by hand")
    assert memory.edited() == ()
    wrote = file.read_bytes()
    before = shape(folder)
    with pytest.raises(EditNotUnderstood, match="it stays") as refused:
        memory.publish()
    line = wrote.decode().split("\n").index(LOOSE.strip()) + 1
    assert refused.value.where == f"continuity.md:{line}"
    assert (shape(folder), file.read_bytes()) == (before, wrote)
    file.write_text(file.read_text().replace(LOOSE, ""))
    git(folder, "commit", "-q", "-a", "-m", "it went elsewhere")
    memory.append(draft("c"))
    assert memory.publish()[0] == ("continuity.md",)
    assert "The text of c." in file.read_text()


@both_writers
def test_d5_a_hand_edited_mirror_is_absorbed(tmp_path: Path, writer: str) -> None:
    """`.memory/continuity.md` of an own branch is what people see and edit there."""
    folder = tmp_path / "home"
    home = make_home(folder, OWN_BRANCH)
    memory = open_memory(folder, writer)
    assert memory.append(draft("a")).findings == ()
    file = folder / ".memory" / "continuity.md"
    file.write_text(file.read_text() + EDIT)
    receipt = memory.append(draft("b"))
    assert [(one.code, one.file) for one in receipt.findings] == [
        ("absorbed", ".memory/continuity.md")
    ]
    assert file.read_text() == memory.continuity()
    assert "The user's own words." in file.read_text() and "The text of b." in file.read_text()
    assert git(folder, "show", f"{home.branch}:continuity.md") == file.read_text()
    assert git(folder, "status", "--porcelain") == ""


@both_writers
def test_d5_a_mirror_that_says_nothing_is_left_alone_and_said(tmp_path: Path, writer: str) -> None:
    """The branch goes on without it, and nothing writes over it."""
    folder = tmp_path / "home"
    home = make_home(folder, OWN_BRANCH)
    memory = open_memory(folder, writer)
    memory.append(draft("a"))
    file = folder / ".memory" / "continuity.md"
    file.write_text(file.read_text() + LOOSE)
    edited = file.read_bytes()
    receipt = memory.append(draft("b"))
    assert [(one.code, one.file) for one in receipt.findings] == [
        ("hand-edited", ".memory/continuity.md"),
        ("hand-edited", ".memory/continuity.md"),
    ]
    assert receipt.findings[0].line
    assert file.read_bytes() == edited
    assert "The text of b." in git(folder, "show", f"{home.branch}:continuity.md")
    before = shape(folder)
    with pytest.raises(EditNotUnderstood) as caught:
        memory.publish()
    assert caught.value.where.startswith(".memory/continuity.md:")
    with pytest.raises(HandEdited, match=r"\.memory/continuity\.md"):
        memory.write_projection(memory.state())
    assert shape(folder) == before
    file.unlink()
    assert memory.append(draft("c")).findings == ()
    assert "The text of c." in file.read_text()


# ---- fault:D6, fault:D7 ---------------------------------------------------------------------------

HOOKS = """
applypatch-msg commit-msg post-checkout post-commit post-index-change post-rewrite pre-auto-gc
pre-commit prepare-commit-msg reference-transaction update post-update pre-receive push-to-checkout
fsmonitor-watchman
""".split()


@kinds_and_writers
@pytest.mark.parametrize("place", ["hooks", "husky"])
def test_d6_the_users_hooks_do_not_run_on_our_commits(
    tmp_path: Path, kind: str, writer: str, place: str
) -> None:
    """No hook, wherever it is configured, is started by an append or a publish."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    hooks = Path(home.repository.gitdir) / "hooks" if place == "hooks" else folder / ".husky"
    hooks.mkdir(exist_ok=True)
    rang = tmp_path / "rang"
    for name in HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {rang}\nexit 1\n")
        (hooks / name).chmod(0o755)
    if place == "husky":
        git(folder, "config", "core.hooksPath", ".husky")
        git(folder, "config", "core.fsmonitor", str(hooks / "fsmonitor-watchman"))
    memory = open_memory(folder, writer)
    receipt = memory.append(draft("a"))
    memory.publish()
    memory.state()
    assert not rang.exists(), rang.read_text()
    assert_sound(home, [receipt.stem])
    git(folder, "update-ref", "refs/tried", "HEAD", check=False)
    assert rang.exists(), "the hooks of this test do run when git itself is asked"


@pytest.mark.parametrize("setting", ["true", "yes", "1", None])
@both_writers
def test_d7_a_key_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, writer: str, setting: str | None
) -> None:
    """The commit is made without it, the receipt says `unsigned`, and the key is not asked at once again."""
    folder = tmp_path / "home"
    home = make_home(folder)
    asked = tmp_path / "asked"
    gpg = tmp_path / "gpg"
    gpg.write_text(f"#!/bin/sh\ntouch {asked}\nexit 1\n")
    gpg.chmod(0o755)
    git(folder, "config", "gpg.program", str(gpg))
    git(folder, "config", "user.signingkey", "ABCDEF")
    if setting:
        git(folder, "config", "commit.gpgsign", setting)
    else:
        config = folder / ".git" / "config"
        config.write_text(config.read_text() + "[commit]\n\tgpgSign\n")
    memory = open_memory(folder, writer)
    receipt = memory.append(draft("a"))
    (found,) = receipt.findings
    assert found.code == "unsigned"
    assert found.severity == INFO
    assert "commit.gpgsign" in found.message
    assert asked.exists()
    asked.unlink()
    assert [one.code for one in memory.append(draft("b")).findings] == ["unsigned"]
    assert not asked.exists()
    assert "gpgsig" not in git(folder, "cat-file", "-p", "HEAD")
    assert_sound(home, [receipt.stem])
    git(folder, "commit", "--allow-empty", "-m", "signed", check=False)
    assert asked.exists(), "git itself would have asked"


def signing_program(folder: Path) -> Path:
    """Make a program that signs as gpg does, and tells it as git reads it."""
    program = folder / "signs"
    program.write_text(
        "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\n"
        "echo '-----BEGIN PGP SIGNATURE-----'; echo; echo proof; echo '-----END PGP SIGNATURE-----'\n"
    )
    program.chmod(0o755)
    return program


@both_writers
def test_d7_git_signs_our_commits_where_the_user_says_so(tmp_path: Path, writer: str) -> None:
    """With commit.gpgsign; a commit that a prune took is made again with its signature, under its id."""
    folder = tmp_path / "home"
    home = make_home(folder)
    git(folder, "config", "gpg.program", str(signing_program(tmp_path)))
    git(folder, "config", "commit.gpgsign", "true")
    memory = open_memory(folder, writer)
    receipt = memory.append(draft("a"))
    assert receipt.findings == ()
    body = git(folder, "cat-file", "commit", "HEAD")
    assert "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n proof\n" in body
    commit = git(folder, "rev-parse", "HEAD").strip()
    (folder / ".git/objects" / commit[:2] / commit[2:]).unlink()
    assert open_memory(folder, writer).remake() == [commit]
    assert git(folder, "cat-file", "commit", "HEAD") == body
    assert_sound(home, [receipt.stem])


@pytest.mark.parametrize("setting", ["false", "no", "off", "0", ""])
def test_d7_without_commit_gpgsign_nothing_is_said(tmp_path: Path, setting: str) -> None:
    """Nor where it is set to false, and the last setting wins."""
    folder = tmp_path / "home"
    make_home(folder)
    git(folder, "config", "commit.gpgsign", "true")
    git(folder, "config", "--add", "commit.gpgsign", setting)
    assert open_memory(folder).append(draft("a")).findings == ()


def test_d7_a_staged_log_is_for_the_user_to_sign(tmp_path: Path) -> None:
    """`--stage` makes no commit of ours, so there is nothing to say about its signature or author."""
    folder = tmp_path / "home"
    make_home(folder)
    git(folder, "config", "commit.gpgsign", "true")
    git(folder, "config", "--unset", "user.name")
    assert open_memory(folder).append(draft("a"), stage=True).findings == ()


@both_writers
def test_d7_asking_for_it_costs_no_more_processes(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Name, address and signing are one question to git, once for an open home."""
    folder = tmp_path / "home"
    make_home(folder)
    memory = open_memory(folder, writer)
    memory.append(draft("a"))
    spawned: list[tuple[str, ...]] = []
    right = Git.start

    def counting(git: Git, *arguments: str, more: dict[str, str] | None = None) -> Running:
        spawned.append(arguments)
        return right(git, *arguments, more=more)

    monkeypatch.setattr(Git, "start", counting)
    open_memory(folder, writer).append(draft("b"))
    asked = [call for call in spawned if call[0] == "config" and "diurna" not in call[-1]]
    assert len(asked) == 1
    spawned.clear()
    memory.append(draft("c"))
    assert [call for call in spawned if call[0] == "config"] == []


# ---- fault:D8 -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "email", "author", "missing"),
    [
        (NAME, EMAIL, f"{NAME} <{EMAIL}>", ""),
        ("", "", f"{FALLBACK_NAME} <{FALLBACK_EMAIL}>", "user.name"),
        ("", EMAIL, f"{FALLBACK_NAME} <{EMAIL}>", "user.name"),
        (NAME, "", f"{NAME} <{FALLBACK_EMAIL}>", "user.email"),
    ],
)
@both_writers
def test_d8_without_a_name_a_fixed_identity_commits_and_is_stated(
    tmp_path: Path, writer: str, name: str, email: str, author: str, missing: str
) -> None:
    """The same on every machine, never made up from the login or the host; the receipt says so."""
    folder = tmp_path / "home"
    home = make_home(user_repository(folder, named=False))
    for key, value in (("user.name", name), ("user.email", email)):
        if value:
            git(folder, "config", key, value)
    memory = open_memory(folder, writer)
    receipt = memory.append(draft("a"))
    said = git(folder, "log", "-1", "--format=%an <%ae>%n%cn <%ce>", receipt.commit)
    assert said == f"{author}\n{author}\n"
    if missing:
        (found,) = receipt.findings
        assert found.code == "fallback-identity"
        assert missing in found.message
        assert author in found.message
        assert missing in found.hint
    else:
        assert receipt.findings == ()
    assert_sound(home, [receipt.stem])
    reflog = git(folder, "log", "-g", "-1", "--format=%gn <%ge>", "main")
    assert reflog == f"{author}\n"


@both_writers
def test_d8_a_hostile_name_can_not_forge_a_header(tmp_path: Path, writer: str) -> None:
    """A name with a line break or brackets is cleaned, not refused."""
    folder = tmp_path / "home"
    home = make_home(folder)
    git(folder, "config", "user.name", "Ada\ncommitter Eve <eve@e> 0 +0000\n<x>")
    receipt = open_memory(folder, writer).append(draft("a"))
    committer = git(folder, "log", "-1", "--format=%cn|%ce", receipt.commit)
    assert committer == f"Ada committer Eve eve@e 0 +0000 x|{EMAIL}\n"
    assert_sound(home, [receipt.stem])
