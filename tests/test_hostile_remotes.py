"""A remote or a neighbour that means harm (faults of group J)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ledger.errors import DiurnaError, ObjectTooLarge, SyncRefused, UnsupportedRepository
from ledger.git.cli import Git
from ledger.git.commit_record import Identity
from ledger.git.git_objects import Objects, merge_commit
from ledger.model.order import seal
from memory.brief.brief_place import changed_files
from rituals.check.check_registry import verify
from tests.campaigns.homes import (
    OWN_REPOSITORY,
    fsck,
    git,
    hermetic,
    logs_in,
    open_memory,
    user_repository,
)
from tests.conftest import Run
from tests.teams import Clone, MakeTeam, SyncedTeam, make_team, pair

__all__ = ["hermetic", "make_team", "pair"]
Pair = tuple[SyncedTeam, Clone, Clone]
STEM = "2026-11-21-083012417"


def plant(clone: Clone, *rows: tuple[str, str, str]) -> str:
    """Commit entries of any mode and name, (mode, object id, path), and push them."""
    listed = "".join(f"{mode} {oid}\t{path}\0" for mode, oid, path in rows)
    clone.git("read-tree", "HEAD")
    git(clone.folder, "update-index", "-z", "--index-info", data=listed.encode())
    tree = clone.git("write-tree")
    made = clone.git("commit-tree", "-p", "HEAD", "-m", "planted", tree)
    clone.git("push", "-q", "origin", f"{made}:main")
    return made


def blob(clone: Clone, data: bytes) -> str:
    return git(clone.folder, "hash-object", "-w", "--stdin", data=data).strip()


def test_j2_only_ordinary_files_are_read(pair: Pair) -> None:
    """A link, an executable and a submodule among the logs: named, never read, never in the work tree."""
    _, one, two = pair
    link, code = blob(two, b"/etc/passwd"), blob(two, b"---\nagent: eve\n---\n# E\n")
    rows = [
        ("120000", link, f"sessions/2026-11/21/{seal(STEM, b'a')}.md"),
        ("100755", code, f"sessions/2026-11/21/{seal(STEM, b'b')}.md"),
        ("160000", two.tip(), f"sessions/2026-11/21/{seal(STEM, b'c')}.md"),
    ]
    plant(two, *rows)
    one.create("alpha")
    report = one.sync()
    assert report.came == ()
    found = [finding.file for finding in verify(one.memory) if finding.code == "not-a-file"]
    assert sorted(found) == sorted(path for _, _, path in rows)
    for _, _, path in rows:
        assert not os.path.lexists(one.folder / path)
    assert one.facts() == {"alpha"}


@pytest.mark.parametrize("path", ["continuity.md", "diurna.toml", "notes/x"])
def test_j2_a_link_in_the_place_of_another_file_is_left_to_git(pair: Pair, path: str) -> None:
    _, one, two = pair
    plant(two, ("120000", blob(two, b"/etc/passwd"), path))
    before = one.tip()
    with pytest.raises(SyncRefused, match="no ordinary file"):
        one.sync()
    assert one.tip() == before
    assert not (one.folder / path).is_symlink()


@pytest.mark.parametrize("what", ["continuity.md", "sessions", "archive"])
def test_j3_nothing_is_written_through_a_link_of_the_work_tree(
    pair: Pair, tmp_path: Path, what: str
) -> None:
    """A file or folder of the home that leads elsewhere: what it leads to stays as it is."""
    _, one, two = pair
    outside = tmp_path / "outside"
    if what == "continuity.md":
        outside.write_text("mine\n")
        (one.folder / what).unlink()
    else:
        outside.mkdir()
        (outside / "mine").write_text("mine\n")
        if (one.folder / what).exists():
            (one.folder / what).rename(tmp_path / "moved")
    (one.folder / what).symlink_to(outside)
    two.create("beta")
    two.append("more")
    two.sync()
    try:
        one.sync()
    except DiurnaError as problem:
        assert problem.hint  # a refusal is as good
    else:
        assert one.facts() == {"beta"}
    if what == "continuity.md":
        assert outside.read_text() == "mine\n"
    else:
        assert [path.name for path in outside.iterdir()] == ["mine"]


def test_j4_a_log_of_many_megabytes_is_named_and_not_read(pair: Pair) -> None:
    """It stays in the ledger, for a union drops nothing; its size is looked at before its bytes."""
    _, one, two = pair
    data = b"---\nagent: eve\n---\n# E\n\n" + b"\0" * (2 << 20)
    plant(two, ("100644", blob(two, data), f"sessions/2026-11/21/{seal(STEM, data)}.md"))
    one.create("alpha")
    report = one.sync()
    assert [finding.code for finding in report.findings] == ["too-large"]
    assert one.facts() == {"alpha"}


def test_j4_a_bomb_is_refused_by_its_size(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """What only somebody who means harm calls a log does not get into the branch."""
    monkeypatch.setattr("memory.merge.tip_merge.LIMIT_BYTES", 4 << 20)
    _, one, two = pair
    data = b"\0" * (5 << 20)  # 5 kB on the way
    plant(two, ("100644", blob(two, data), f"sessions/2026-11/21/{seal(STEM, data)}.md"))
    before = one.tip()
    with pytest.raises(SyncRefused, match=r"has 5242880 bytes, which is no session log"):
        one.sync()
    assert one.tip() == before


def test_j4_an_object_is_asked_for_its_size_first(tmp_path: Path) -> None:
    """What is over the limit is not taken into memory, and the next question is answered."""
    folder = user_repository(tmp_path / "here")
    large = git(folder, "hash-object", "-w", "--stdin", data=b"\0" * (3 << 20)).strip()
    small = git(folder, "hash-object", "-w", "--stdin", data=b"small").strip()
    with Objects(Git(str(folder))) as objects:
        with pytest.raises(ObjectTooLarge) as caught:
            objects.read(large, 1 << 20)
        assert caught.value.size == 3 << 20
        assert objects.read(small) == b"small"


def test_j5_of_many_references_one_is_fetched(pair: Pair) -> None:
    """Ten thousand branches and tags of the remote's: none but the home's comes here."""
    team, one, two = pair
    two.create("beta")
    two.sync()
    tip = team.there()
    rows = [f"{tip} refs/heads/b{n:05}\n{tip} refs/tags/t{n:05}\n" for n in range(5000)]
    (team.hub / "packed-refs").write_text(
        "# pack-refs with: peeled fully-peeled sorted \n"
        + "".join(sorted("".join(rows).splitlines(True), key=lambda row: row[41:]))
    )
    one.git("config", "--add", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    before = set(one.git("for-each-ref", "--format=%(refname)").split())
    one.sync()
    assert set(one.git("for-each-ref", "--format=%(refname)").split()) == before
    assert one.facts() == {"beta"}


def test_j5_names_that_no_disk_takes_stop_nobody(pair: Pair) -> None:
    """A path of 4,000 characters is no log and no file here; everybody else's memory goes on."""
    _, one, two = pair
    plant(two, ("100644", blob(two, b"x"), f"sessions/{'n' * 4000}.md"))
    one.create("alpha")
    one.sync()
    one.create("beta")
    one.sync()
    assert one.facts() == {"alpha", "beta"}
    codes = [finding.code for finding in verify(one.memory)]
    assert "bad-name" in codes


def test_j6_names_can_not_command_a_terminal(
    pair: Pair, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bidi override in a remote's name is shown, not obeyed."""
    _, one, _ = pair
    monkeypatch.chdir(one.folder)
    ran = run("sync", "ori\u202egin")
    assert ran.code == 1
    assert "\u202e" not in ran.err
    assert "ori\\u202egin" in ran.err


def test_j7_drivers_that_a_remote_names_do_not_run(pair: Pair, tmp_path: Path) -> None:
    """Attributes that ask for filters and merge drivers that this user happens to have set up."""
    _, one, two = pair
    ran = tmp_path / "ran"
    for key in (
        "filter.evil.smudge",
        "filter.evil.clean",
        "merge.evil.driver",
        "diff.evil.command",
    ):
        one.git("config", key, f"sh -c 'touch {ran}; cat'")
    text = "* filter=evil merge=evil diff=evil\n"
    plant(two, ("100644", blob(two, text.encode()), ".gitattributes"))
    one.create("alpha")
    one.sync()
    one.create("beta")
    one.sync()
    assert not ran.exists()
    assert one.facts() == {"alpha", "beta"}


def test_j9_hooks_in_the_repository_are_never_run(pair: Pair, tmp_path: Path) -> None:
    """Neither those in the git directory nor a folder that the configuration names."""
    _, one, two = pair
    ran = tmp_path / "ran"
    names = (
        "pre-commit", "post-commit", "post-merge", "post-checkout", "pre-push", "post-rewrite",
        "reference-transaction", "post-index-change", "pre-auto-gc", "fsmonitor-watchman",
    )  # fmt: skip
    for folder in (one.folder / ".git" / "hooks", one.folder / ".githooks"):
        folder.mkdir(exist_ok=True)
        for name in names:
            (folder / name).write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
            (folder / name).chmod(0o755)
    two.create("beta")
    two.sync()
    memory = one.memory
    one.create("alpha")
    one.sync()
    memory.home.repository.git().configure("config", "core.hooksPath", ".githooks")
    two.sync()
    two.create("delta")
    two.sync()
    one.create("gamma")
    one.sync()
    assert not ran.exists()
    assert one.facts() == {"alpha", "beta", "gamma", "delta"}


def test_j11_a_hostile_configuration_runs_nothing(pair: Pair, tmp_path: Path) -> None:
    """Settings of the repository's own that name programs: none is started by a sync, or by asking."""
    _, one, two = pair
    ran = tmp_path / "ran"
    for key in ("core.fsmonitor", "core.pager", "core.editor", "core.askPass", "pager.fetch",
                "sequence.editor", "gpg.program", "diff.external", "interactive.diffFilter",
                "core.alternateRefsCommand", "diff.log.textconv", "merge.log.driver"):  # fmt: skip
        one.git("config", key, f"touch {ran}; true")
    for key in ("commit.gpgSign", "push.gpgSign", "tag.gpgSign", "submodule.recurse",
                "log.showSignature"):  # fmt: skip
        one.git("config", key, "true")
    Path(one.folder, ".git/info/attributes").write_text("* diff=log merge=log\n")
    hooks = Path(one.folder, ".git/hooks")
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "pre-push", "post-index-change", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    two.create("beta")
    two.sync()
    Clone.create(one, "alpha")
    one.sync()
    # signed, as people do: a log that shows signatures would ask the program about it
    git = one.memory.home.repository.git()
    raw = git.run("cat-file", "commit", one.tip()).replace(b"\n\n", b"\ngpgsig x\n\n", 1)
    signed = git.run("hash-object", "-t", "commit", "-w", "--stdin", data=raw).decode().strip()
    assert git.run("log", "-1", "--format=%H", signed).decode().strip() == signed
    assert one.memory.brief(task="alpha").text
    assert not ran.exists()
    assert one.facts() == {"alpha", "beta"}


def test_j11_the_filters_of_a_repository_are_not_asked_which_files_changed(
    pair: Pair, tmp_path: Path
) -> None:
    """Git compares by them what may have changed: for the brief of a task, and before a ledger is imported."""
    _, one, _ = pair
    ran = tmp_path / "ran"
    (one.folder / ".gitattributes").write_text("* filter=evil\n*.b filter=slow\n")
    for name in ("x.a", "x.b"):
        (one.folder / name).write_text("before\n")
    one.git("add", "-A")
    one.git("commit", "-qm", "x")
    for key in ("evil.clean", "evil.smudge", "slow.process"):
        one.git("config", f"filter.{key}", f"touch {ran}; cat")
    one.git("config", "filter.evil.required", "true")
    for name in ("x.a", "x.b"):
        (one.folder / name).write_text("behind\n")
    git = one.memory.home.repository.git()
    assert changed_files(one.memory.home) == ("x.a", "x.b")
    assert git.status("--", "x.b") == [" M x.b"]
    one.git("config", "filter.a=b.clean", f"touch {ran}; cat")
    with pytest.raises(UnsupportedRepository, match="a=b"):
        git.status()
    assert changed_files(one.memory.home) == ()
    assert not ran.exists()


def test_j13_a_name_can_not_forge_a_header(tmp_path: Path, make_team: MakeTeam) -> None:
    """Line breaks and angle brackets in names and messages end up in no other line of a commit."""
    evil = Identity("Eve\nparent " + "0" * 40 + "\n\nforged", "e@x>\ncommitter <")
    raw = merge_commit("1" * 40, ("2" * 40, "3" * 40), evil, 1, "join")
    head = raw.decode().partition("\n\n")[0].split("\n")
    assert [line.split(" ")[0] for line in head] == [
        "tree",
        "parent",
        "parent",
        "author",
        "committer",
    ]
    team = make_team(OWN_REPOSITORY)
    one = team.one
    one.git("config", "user.name", "Eve\ncommitter Mallory <m@example.invalid> 1 +0000")
    one.create("alpha")
    one.sync()
    head = one.git("cat-file", "commit", one.tip()).partition("\n\n")[0].split("\n")
    assert [line.split(" ")[0] for line in head] == ["tree", "parent", "author", "committer"]
    assert fsck(one.memory.home) == []
    memory = open_memory(one.folder)
    memory._agent = "eve\nrole: admin"
    from memory.write.draft import SessionDraft

    try:
        stem = memory.append(SessionDraft("T", "It went.")).stem
    except DiurnaError:
        return
    assert b"\nrole: admin" not in logs_in(memory.home)[stem]
