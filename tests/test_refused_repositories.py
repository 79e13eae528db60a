"""Repositories that are refused in a sentence, with nothing in them changed (fault:C11 to fault:C18)."""

from __future__ import annotations

import os
import shutil
import sys
import zlib
from itertools import product
from pathlib import Path

import pytest

from ledger.errors import CorruptRepository, HomeNotFound, UnsupportedRepository, WriteRefused
from ledger.home import discover
from ledger.model.findings import severe
from memory.query.last_answers import continuity
from rituals.check.check_registry import verify
from rituals.setup.home_setup import plan_setup
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    START_MS,
    WRITERS,
    Clock,
    assert_sound,
    draft,
    git,
    make_home,
    open_memory,
    shape,
    user_repository,
)
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import Repo, Run, sampled
from tests.repository_shapes import (
    ROOT,
    both_writers,
    edit_config,
    git_files,
    kinds_and_writers,
    refused_everywhere,
)

# ---- fault:C11 ------------------------------------------------------------------------------------


def test_c11_outside_a_repository_there_is_no_home(tmp_path: Path) -> None:
    """The sentence names the folder and the way to make one."""
    with pytest.raises(HomeNotFound, match=str(tmp_path)) as missing:
        discover(str(tmp_path))
    assert "diurna init" in missing.value.hint
    assert list(tmp_path.iterdir()) == []


def test_c11_the_search_ends_at_the_repository_that_holds_the_folder(tmp_path: Path) -> None:
    """A home in an enclosing repository belongs to that one."""
    make_home(tmp_path / "home")
    inner = user_repository(tmp_path / "home" / "vendor" / "inner")
    with pytest.raises(HomeNotFound, match="vendor/inner"):
        discover(str(inner / "docs"))
    assert discover(str(tmp_path / "home" / "docs")).repository.top == str(tmp_path / "home")


def test_c11_the_search_ends_at_a_ceiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`GIT_CEILING_DIRECTORIES` means for us what it means for git."""
    folder = tmp_path / "home"
    make_home(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", f"/nowhere:{folder}")
    with pytest.raises(HomeNotFound):
        discover(str(folder / "docs"))
    assert discover(str(folder)).repository.top == str(folder), "not the working directory itself"


def test_c11_a_memory_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    """It may lead into any ledger of this machine: the user says which one is meant."""
    make_home(tmp_path / "other", OWN_REPOSITORY)
    folder = user_repository(tmp_path / "home")
    (folder / "memory").symlink_to("../other")
    before = shape(tmp_path / "other")
    with pytest.raises(HomeNotFound, match="memory is a link") as refused:
        discover(str(folder))
    assert str(tmp_path / "other") in refused.value.hint
    with pytest.raises(WriteRefused, match="left as it is"):
        plan_setup(str(folder), "", "", "p")
    assert shape(tmp_path / "other") == before


# ---- fault:C12, fault:C13, fault:C14 --------------------------------------------------------------


def test_c12_a_sha256_repository_is_refused_in_a_sentence(tmp_path: Path) -> None:
    """Both writers name objects by SHA-1; the hint is a home of its own beside it."""
    git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main", "home")
    git(tmp_path / "home", "config", "user.name", "Ada")
    git(tmp_path / "home", "config", "user.email", "a@example.invalid")
    git(tmp_path / "home", "commit", "-q", "--allow-empty", "-m", "first")
    refused_everywhere(tmp_path / "home", "stores its objects as sha256", hint="diurna init ../")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("refStorage = reftable", "stores its references as reftable"),
        ("relativeWorktrees = true", "uses the extension relativeworktrees"),
        ("somethingNew", "uses the extension somethingnew"),
    ],
    ids=["c13", "c14-known-to-a-newer-git", "c14-unheard-of"],
)
def test_c13_c14_an_extension_we_do_not_know_is_refused_by_name(
    tmp_path: Path, setting: str, said: str
) -> None:
    """Git's own rule: who does not understand an extension must not touch the repository."""
    folder = tmp_path / "home"
    make_home(folder)
    config = folder / ".git" / "config"
    sound = config.read_text()
    edit_config(folder, f"repositoryformatversion = 1\n[extensions]\n\t{setting}\n[core]")
    changed = config.read_bytes()
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(UnsupportedRepository, match=said) as refused:
        discover(str(folder))
    assert "diurna init ../" in refused.value.hint
    with pytest.raises(UnsupportedRepository, match=said):
        plan_setup(str(folder), "", "memory", "p")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == files
    assert config.read_bytes() == changed
    config.write_text(sound)
    assert discover(str(folder)).kind == IN_TREE


def test_c14_a_newer_repository_format_is_refused(tmp_path: Path) -> None:
    """A format version that this Diurna does not know."""
    make_home(tmp_path / "home")
    edit_config(tmp_path / "home", "repositoryformatversion = 2")
    with pytest.raises(UnsupportedRepository, match="repository format 2"):
        discover(str(tmp_path / "home"))


@both_writers
def test_c14_harmless_extensions_are_no_reason_to_refuse(tmp_path: Path, writer: str) -> None:
    """`worktreeConfig` comes with every sparse checkout, `preciousObjects` with shared stores."""
    folder = tmp_path / "home"
    make_home(folder)
    edit_config(
        folder,
        "repositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n"
        "\tpreciousObjects = true\n\tobjectFormat = sha1\n[core]",
    )
    memory = open_memory(folder, writer)
    assert_sound(memory.home, [memory.append(draft("a")).stem])


# ---- fault:C15, fault:C16 -------------------------------------------------------------------------


@pytest.mark.parametrize("whose", ["all", "the work tree's top"])
def test_c15_a_repository_of_another_user_is_explained_and_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    """The message tells of `safe.directory`; the check itself stays git's, and we never set it."""
    folder = tmp_path / "home"
    make_home(folder)
    # what git's own tests use to have another owner without being root; it survives only in a wrapper
    real = shutil.which("git")
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin" / "git"
    wrapper.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {real} "$@"\n')
    wrapper.chmod(0o755)
    right = os.stat

    def stat(path: str, *rest: object, **more: object) -> os.stat_result:
        found = right(path, *rest, **more)  # type: ignore[arg-type]
        if whose == "all" or path == str(folder):
            return os.stat_result((*found[:4], found.st_uid + 1, *found[5:]))
        return found

    before = shape(folder)
    with monkeypatch.context() as other:
        other.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
        other.setattr("ledger.git.repository.os.stat", stat)
        with pytest.raises(UnsupportedRepository, match="belongs to another user") as refused:
            discover(str(folder))
        assert f"safe.directory {folder}" in refused.value.hint
        with pytest.raises(UnsupportedRepository, match="belongs to another user"):
            plan_setup(str(folder), "", "memory", "p")
        # who follows the hint is let in
        other.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "trusting"))
        (tmp_path / "trusting").write_text(f"[safe]\n\tdirectory = {folder}\n")
        assert discover(str(folder)).kind == IN_TREE
    assert shape(folder) == before
    sources = [path.read_text() for path in ROOT.glob("[lmpr]*/**/*.py")]
    assert len(sources) > 50
    assert not [
        text for text in sources if "safe.directory=" in text or "set_owner_validation" in text
    ]


ASTRAY = {
    "GIT_DIR": ".git",
    "GIT_COMMON_DIR": ".git",
    "GIT_WORK_TREE": "",
    "GIT_INDEX_FILE": ".git/index",
    "GIT_OBJECT_DIRECTORY": ".git/objects",
}


@kinds_and_writers
def test_c16_variables_that_point_elsewhere_do_not_lead_us_astray(
    tmp_path: Path, kind: str, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a hook of another repository: our calls go where the working directory is."""
    folder, other = tmp_path / "home", user_repository(tmp_path / "other")
    home = make_home(folder, kind)
    before = shape(other)
    for name, place in ASTRAY.items():
        monkeypatch.setenv(name, str(other / place))
    monkeypatch.setenv("GIT_NAMESPACE", "astray")
    monkeypatch.setenv("GIT_PREFIX", "docs/")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    memory = open_memory(folder, writer)
    receipt = memory.append(draft("a"))
    memory.publish()
    assert memory.state()["a"].fact.uses == 1
    for name in [name for name in os.environ if name.startswith("GIT_") and "CONFIG" not in name]:
        monkeypatch.delenv(name)
    assert shape(other) == before
    assert_sound(home, [receipt.stem])
    assert git(folder, "status", "--porcelain") == ""


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
@both_writers
def test_c16_an_append_from_a_real_hook_works(tmp_path: Path, kind: str, writer: str) -> None:
    """Git runs hooks with its variables set, and `commit -a` with an index of its own."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    script = tmp_path / "hook.py"
    script.write_text(
        f"import os, sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "assert 'GIT_INDEX_FILE' in os.environ\n"
        "from tests.campaigns.homes import draft, open_memory\n"
        f"print(open_memory('.', {writer!r}).append(draft('a')).stem)\n"
    )
    hook = folder / ".git" / "hooks" / "post-commit"
    hook.write_text(f'#!/bin/sh\nexec {sys.executable} -P {script} > "{tmp_path}/stem"\n')
    hook.chmod(0o755)
    (folder / "code.py").write_text("print('changed')\n")
    git(folder, "commit", "-q", "-a", "-m", "code")
    stem = (tmp_path / "stem").read_text().strip()
    assert_sound(home, [stem])
    assert git(folder, "status", "--porcelain") == ""
    code = git(folder, "log", "-1", "--format=%s", "--", "code.py")
    assert code == "code\n"


# ---- fault:C17, fault:C18 -------------------------------------------------------------------------


@kinds_and_writers
def test_c17_missing_alternates_are_named_and_nothing_changes(
    tmp_path: Path, kind: str, writer: str
) -> None:
    """A clone that borrows its objects, when the other is gone: said with its place; all comes back."""
    make_home(tmp_path / "home", kind)
    first = open_memory(tmp_path / "home", writer).append(draft("a"))
    git(tmp_path, "clone", "-q", "--shared", "home", "clone")
    clone = tmp_path / "clone"
    if kind == OWN_BRANCH:
        git(clone, "branch", "-q", "memory", "origin/memory")
        git(clone, "config", "diurna.branch", "memory")
    before = git_files(clone)
    (tmp_path / "home").rename(tmp_path / "moved")
    memory = open_memory(clone, writer)
    for action in (lambda: memory.append(draft("b")), memory.continuity, memory.publish):
        with pytest.raises(CorruptRepository, match=str(tmp_path / "home")) as refused:
            action()
        assert "alternate" in refused.value.message
        assert "info/alternates" in refused.value.hint
    assert git_files(clone) == before
    (tmp_path / "moved").rename(tmp_path / "home")
    receipt = open_memory(clone, writer).append(draft("b"))
    assert_sound(discover(str(clone)), [first.stem, receipt.stem])


def object_file(folder: Path, spec: str) -> tuple[str, Path]:
    """Return the id and the file of a loose object."""
    one = git(folder, "rev-parse", "--verify", spec).strip()
    path = folder / ".git" / "objects" / one[:2] / one[2:]
    assert path.is_file()
    return one, path


DAMAGES = {
    "missing": None,
    "garbled": b"garbage",
    "empty": b"",
    "other bytes": zlib.compress(b"blob 2\0hi"),
}


@pytest.mark.parametrize(("kind", "writer", "damage"), sampled(product(KINDS, WRITERS, DAMAGES), 7))
def test_c18_a_damaged_log_is_named_and_all_others_are_read(
    tmp_path: Path, kind: str, writer: str, damage: str
) -> None:
    """Its object and path are said, answers are marked incomplete, and nothing incomplete is published."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    memory = open_memory(folder, writer)
    stems = [memory.append(draft(name)).stem for name in ("a", "b", "c")]
    memory.publish()
    whole = memory.continuity()
    shutil.rmtree(folder / ".git" / "diurna" / "cache")
    shutil.rmtree(
        Path(home.spool_folder, "kept")
    )  # from its copy there it would come back (fault:A16)
    path = f"sessions/2026-09/21/{stems[1]}.md"
    one, file = object_file(folder, f"{home.reference}:{home.prefix}{path}")
    file.chmod(0o644)
    sound = file.read_bytes()
    wrong = DAMAGES[damage]
    if wrong is None:
        file.unlink()
    else:
        file.write_bytes(wrong)
    memory = open_memory(folder, writer, Clock(START_MS + 60_000))
    (found,) = [one for one in memory.state().findings() if one.code == "unreadable"]
    assert found.severity == "error"
    assert found.file == path
    assert one in found.message
    assert {standing.fact.id for standing in memory.state().standings()} == {"a", "c"}
    projection = f"{home.reference}:{home.prefix}continuity.md"
    published = git(folder, "rev-parse", projection)
    receipt = memory.append(draft("d"))
    assert receipt.findings == (found,)
    assert receipt.stem in git(folder, "ls-tree", "-r", "--name-only", home.reference)
    with pytest.raises(CorruptRepository, match=one):
        memory.publish()
    assert git(folder, "rev-parse", projection) == published, "what it says of b is not dropped"
    assert found in verify(memory)
    assert {standing.fact.id for standing in memory.state().standings()} == {"a", "c", "d"}
    file.write_bytes(sound)
    shutil.rmtree(folder / ".git" / "diurna" / "cache")
    memory = open_memory(folder, writer)
    assert not severe(verify(memory))
    memory.publish()
    assert "The text of b." in whole
    assert_sound(home, [*stems, receipt.stem])


def test_c18_the_command_line_marks_an_answer_as_incomplete(repo: Repo, run: Run) -> None:
    """`show` prints what can be read, and says on stderr once what can not."""
    draft = (
        b"# T\n\n## Memory References\n\n- Created: %s\n\n## Facts\n\n- Text.\n  <!-- id: %s -->\n"
    )
    for name in (b"a", b"b"):
        assert run("append", "-", stdin=draft % (name, name)).code == 0
    path = repo.git("ls-files", "memory/sessions").split("\n")[0]
    one, file = object_file(repo.path, f"HEAD:{path}")
    file.unlink()
    shutil.rmtree(repo.path / ".git" / "diurna" / "cache")
    for arguments in (["show"], ["show", "--json"], ["status"], ["check", "--ci"]):
        ran = run(*arguments)
        assert (ran.out + ran.err).count(one) == 1, arguments
    assert continuity(str(repo.path)) is None, "the short way leaves it to the command line"
    assert "<!-- id: b " in run("show").out


@pytest.mark.parametrize("what", ["the day's folder", "sessions", "the root", "the commit"])
@both_writers
def test_c18_a_missing_tree_or_commit_stops_with_its_name(
    tmp_path: Path, writer: str, what: str
) -> None:
    """Without them nobody can tell which logs there are: nothing is read as if there were none."""
    folder = tmp_path / "home"
    home = make_home(folder)
    receipt = open_memory(folder, writer).append(draft("a"))
    shutil.rmtree(folder / ".git" / "diurna" / "cache")
    (Path(home.spool_folder) / "kept/commits").unlink()  # or it is made again, see fault:B9
    spec = {
        "the day's folder": "HEAD:memory/sessions/2026-09/21",
        "sessions": "HEAD:memory/sessions",
        "the root": "HEAD^{tree}",
        "the commit": "HEAD",
    }[what]
    one, file = object_file(folder, spec)
    named = home.tip() if what in ("the root", "the commit") else one
    file.rename(tmp_path / "away")
    before = git_files(folder)
    memory = open_memory(folder, writer)
    for action in (memory.continuity, memory.publish, lambda: memory.append(draft("b"))):
        with pytest.raises(CorruptRepository, match=named) as refused:
            action()
        assert "git fsck" in refused.value.hint
    assert git_files(folder) == before
    (tmp_path / "away").rename(file)
    second = open_memory(folder, writer).append(draft("b"))
    assert_sound(home, [receipt.stem, second.stem])
