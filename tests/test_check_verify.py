"""Verify: what it finds beyond the table of faults, in what order, and what it leaves alone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.world import KINDS, OWN_BRANCH, OWN_REPOSITORY, Place, World

USE_X = {"use-x": "Use X always."}


def found(place: Place, *codes: str) -> list[dict[str, Any]]:
    """What verify says, of some codes only if some are given."""
    said = place.run("check", "--ci", code=None).json["findings"]
    return [one for one in said if not codes or one["code"] in codes]


def codes(place: Place) -> list[str]:
    return [one["code"] for one in found(place)]


def restored(place: Place, **more: Any) -> Any:
    return place.run("check", "--restore", **more).json["restored"]


def logs(place: Place) -> list[str]:
    """The paths of the committed logs, oldest first."""
    return sorted(place.git("ls-files", f"{place.prefix}sessions/2*").split())


def refer(place: Place, title: str = "Later") -> str:
    """Record a session that names the fact; return the log's path in the home."""
    return str(place.run("append", "--title", title, "--ref", "use-x").json["path"])


def uses(place: Place) -> int:
    return int(place.show()["use-x"]["uses"])


def object_file(place: Place, name: str) -> Path:
    oid = place.git("rev-parse", name)
    return place.common / "objects" / oid[:2] / oid[2:]


@pytest.fixture
def home(world: World) -> Place:
    """A home of its own with two logs."""
    made = world.home(OWN_REPOSITORY, facts=USE_X)
    refer(made)
    return made


# ---- what is whole --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_ledger_has_no_finding(world: World, kind: str) -> None:
    """In every kind of home; nothing of the repository's own changes."""
    place = world.home(kind, facts=USE_X)
    before = place.shape()
    assert found(place) == []
    assert place.shape() == before


def test_an_unborn_branch_has_nothing_to_check(world: World) -> None:
    """A home without a commit is no error."""
    place = world.place("one")
    place.folder.mkdir()
    place.git("init", "-q", "-b", "main")
    place.write("diurna.toml", "format = 1\n")
    assert {one["severity"] for one in found(place)} <= {"warning", "info"}


def test_errors_come_first_and_the_order_is_fixed(home: Place) -> None:
    """By severity, then file, line and code; the same every time."""
    home.write("sessions/2026-11-20-101500.md", "## Memory References\n\n- Closed: use-x, nobody\n")
    home.write("sessions/junk.txt", "x")
    home.write(logs(home)[0], "not what it was")
    home.commit_all()
    said = found(home)
    ranks = [("error", "warning", "info").index(one["severity"]) for one in said]
    assert ranks == sorted(ranks)
    assert said == found(home)
    errors = [one["code"] for one in said if one["severity"] == "error"]
    assert errors == ["log-modified", "seal-broken"]
    assert {"unknown-id", "not-a-thread", "bad-name"} <= {one["code"] for one in said}


# ---- history --------------------------------------------------------------------------------------

#: What befalls a log in one commit after the other (`w` other bytes, `b` its own, `-` away, `>x` moved into
#: a folder), and what is said in the end.
PASTS = (
    ("w", "log-modified"), ("w b", ""), ("-", "log-deleted"), ("- b", ""), ("- w", "log-modified"),
    (">x", "log-moved"), (">x >.", ""), (">x >y", "log-moved"), (">x w", "log-modified"), (">x -", "log-deleted"),
    (">x >y >.", ""),
)  # fmt: skip


def test_what_stands_at_the_tip_judges_what_history_did(world: World) -> None:
    """One finding for each log, whatever was done to it on the way; none when its bytes are back."""
    home = world.home(OWN_REPOSITORY)
    names = [f"2026-11-{10 + at}-101500.md" for at in range(len(PASTS))]
    texts = {name: f"# Log {name}\n\n{name[8:10] * 40}\n" for name in names}
    places = {name: Path("sessions") for name in names}
    home.plant({f"sessions/{name}": text for name, text in texts.items()})
    for step in range(3):
        for name, (past, _) in zip(names, PASTS, strict=True):
            does = [*past.split(), "", ""][step]
            file = home.folder / places[name] / name
            if does[:1] == ">":
                places[name] = Path("sessions") / does[1:]
                (home.folder / places[name]).mkdir(exist_ok=True)
                file.rename(home.folder / places[name] / name)
            elif does == "-":
                file.unlink()
            elif does:
                file.write_text(texts[name] if does == "b" else "# Something else\n")
        home.commit_all(f"step {step}")
    said = found(home, "log-modified", "log-deleted", "log-moved")
    expected = [(code, name) for name, (_, code) in zip(names, PASTS, strict=True) if code]
    assert sorted((one["code"], Path(one["file"]).name) for one in said) == sorted(expected)


@pytest.mark.parametrize("how", ["ours", "evil"])
def test_a_merge_that_drops_a_log_is_named(home: Place, how: str) -> None:
    """Also when it is the same as one of its parents."""
    home.git("checkout", "-q", "-b", "side")
    path = refer(home, "Third")
    home.git("checkout", "-q", "main")
    refer(home, "Fourth")
    if how == "ours":
        home.git("merge", "-q", "-s", "ours", "-m", "both", "side")
    else:
        home.git("merge", "-q", "--no-commit", "side")
        home.git("rm", "-q", "-f", path)
        home.git("commit", "-q", "-m", "both")
    (one,) = found(home, "log-deleted")
    assert one["file"] == path
    assert home.tip()[:12] in one["message"]
    assert restored(home) == [path]
    assert found(home, "log-deleted") == []


def test_a_merge_that_carries_on_a_deletion_is_not_blamed(home: Place) -> None:
    """The commit that did it is named."""
    home.git("checkout", "-q", "-b", "side")
    home.git("rm", "-q", logs(home)[0])
    culprit = home.commit_all("clean")
    home.git("checkout", "-q", "main")
    refer(home, "Fourth")
    home.git("merge", "-q", "-m", "both", "side")
    (one,) = found(home, "log-deleted")
    assert culprit[:12] in one["message"]


def test_a_log_made_a_link_or_an_executable_is_changed(home: Place) -> None:
    """It is read no more, so that it is named by more than its mode."""
    first, second = logs(home)
    (home.folder / first).chmod(0o755)
    (home.folder / second).unlink()
    (home.folder / second).symlink_to("/etc/passwd")
    home.commit_all()
    one, other = found(home, "log-deleted", "log-modified")
    assert (one["code"], one["file"]) == ("log-deleted", first)
    assert (other["code"], other["file"]) == ("log-deleted", second)
    assert "given mode 100755" in one["message"] and "given mode 120000" in other["message"]
    assert {one["file"] for one in found(home, "not-a-file")} == {first, second}


def test_replaced_objects_and_pathspec_signs_hide_nothing(world: World) -> None:
    """`git replace` does not reach verify, and a prefix is a plain text."""
    place = world.home(facts=USE_X)
    place.git("mv", "memory", "mem[o]*")
    place.commit_all("move the home")
    path = place.git("ls-files", ":(literal)mem[o]*/sessions")
    place.git("rm", "-q", "--", f":(literal){path}")
    place.commit_all("clean")
    place.write("code.py", "x = 2\n")
    place.commit_all("code")
    place.git("replace", "--graft", "HEAD", "HEAD~2")
    assert "clean" not in place.git("log", "--format=%s")
    (one,) = found(Place(world, place.folder / "mem[o]*"), "log-deleted")
    assert f"mem[o]*/{one['file']}" == path


def test_a_missing_commit_leaves_the_rest_of_history_checked(home: Place) -> None:
    """The object is named; what is newer is still looked at (fault:C18)."""
    missing = home.git("rev-parse", "HEAD~2")
    home.git("rm", "-q", logs(home)[0])
    home.commit_all("clean")
    object_file(home, missing).unlink()
    said = found(home, "unreadable", "log-deleted")
    assert {one["code"] for one in said} == {"unreadable", "log-deleted"}
    assert any(missing in one["message"] for one in said)


@pytest.mark.deep(but="2-garbage")
@pytest.mark.parametrize("data", [b"garbage", b""], ids=["garbage", "gone"])
@pytest.mark.parametrize("count", [2, 70])
def test_a_damaged_log_is_named_and_the_others_are_read(
    home: Place, count: int, data: bytes
) -> None:
    """A loose object that is gone or full of garbage costs only its own log (fault:C18)."""
    for number in range(count):
        home.note(f"id=fact-{number} fact: Number {number} stands.")
    path = logs(home)[3]
    blob = home.git("rev-parse", f"HEAD:{path}")
    file = object_file(home, blob)
    file.unlink()
    if data:
        file.write_bytes(data)
    (one,) = found(home, "unreadable")
    assert (one["file"], one["severity"]) == (path, "error")
    assert blob in one["message"]
    shutil.rmtree(home.common / "diurna/cache")
    expected = {"use-x", *(f"fact-{number}" for number in range(count) if number != 1)}
    assert home.texts().keys() == expected


def test_a_missing_folder_is_named_with_the_logs_it_held(home: Place) -> None:
    """What an earlier cache knows of it is said; the other folders are read (fault:C18)."""
    home.clock.go(days=40)
    refer(home)
    lost = Path(logs(home)[0])
    tree = home.git("rev-parse", f"HEAD:{lost.parent}")
    object_file(home, tree).unlink()
    (one,) = [one for one in found(home, "unreadable") if one["file"] == str(lost.parent)]
    assert tree in one["message"] and lost.stem in one["message"]


# ---- what the logs say ----------------------------------------------------------------------------


def test_findings_stand_at_the_file_where_the_log_is(home: Place) -> None:
    """A sealed log that lies elsewhere is named where it lies."""
    path = home.run("append", "--title", "Named", "--ref", "nobody", "--anyway").json["path"]
    (home.folder / path).rename(home.folder / "sessions" / Path(path).name)
    home.commit_all()
    (one,) = found(home, "unknown-id")
    assert (home.folder / one["file"]).is_file()


def test_a_missing_policy_object_is_told_as_such(home: Place) -> None:
    """It is not taken for a policy that was never committed."""
    object_file(home, "HEAD:diurna.toml").unlink()
    said = found(home, "unreadable", "policy-invalid")
    assert [(one["code"], one["file"]) for one in said] == [("unreadable", "diurna.toml")]


def test_drift_is_told_where_the_projection_should_be_in_step(home: Place) -> None:
    """A home that publishes with each append; a file that was cut short is a hand edit, committed or not."""
    home.write("continuity.md", "# Continuity — a\n")
    assert codes(home) == ["hand-edited"]
    home.commit_all()
    assert codes(home) == ["drift", "hand-edited"]


@pytest.mark.parametrize("why", ["review", "another branch"])
def test_lag_is_no_drift_where_appends_do_not_publish(world: World, why: str) -> None:
    """Only a projection made from a log that the ledger has not is."""
    place = world.home(facts=USE_X, policy={"publish": "review"} if why == "review" else None)
    if why == "another branch":
        place.git("switch", "-q", "-c", "side")
    path = place.run("edit", "use-x", "Use X mostly.").json["path"]
    assert codes(place) == []
    place.run("check", "--publish")
    place.git("rm", "-q", path)
    place.commit_all()
    (one,) = found(place, "drift")
    assert Path(path).stem in one["message"]


def test_a_sparse_checkout_is_not_an_edit(world: World) -> None:
    """Logs that git was told to leave out of the work tree are not missing."""
    place = world.home(facts=USE_X)
    place.git("sparse-checkout", "set", "--no-cone", "/*", "!/memory/sessions/")
    assert not (place.folder / "memory/sessions").exists()
    assert codes(place) == []


def test_links_in_the_work_tree_are_not_followed(home: Place) -> None:
    """A log that became a link differs, whatever the link leads to."""
    path = home.folder / logs(home)[0]
    elsewhere = home.folder.with_name("elsewhere.md")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    (home.folder / "sessions/loop").symlink_to(home.folder / "sessions")
    assert codes(home) == ["log-edited"]


# ---- rewritten histories and putting back ---------------------------------------------------------


def test_restore_refuses_where_it_must_not_commit(home: Place) -> None:
    """On a detached HEAD nothing changes."""
    home.git("rm", "-q", logs(home)[0])
    home.commit_all()
    home.git("checkout", "-q", "--detach")
    before = home.shape()
    assert "HEAD is detached" in home.run("check", "--restore", code=1).err
    assert home.shape() == before


def test_restore_leaves_an_uncommitted_edit_alone(home: Place) -> None:
    """The committed bytes are put right, and what the user is doing stays."""
    path = logs(home)[0]
    first = home.show_file(path)
    home.plant({path: "changed and committed\n"})
    home.write(path, "changed again\n")
    home.write("staged.txt", "x")
    home.git("add", "staged.txt")
    assert restored(home) == [path]
    assert home.read(path) == "changed again\n"
    assert home.show_file(path) == first
    assert home.git("diff", "--cached", "--name-only") == "staged.txt"
    assert codes(home) == ["log-edited"]


def test_restore_works_on_a_branch_that_is_not_checked_out(world: World) -> None:
    """The work tree of the code is not touched."""
    place = world.home(OWN_BRANCH, facts=USE_X)
    place.run(
        "append", "--title", "Second", "--supersede", "use-x=use-y", "--new", "id=use-y Use Y."
    )
    path = next(one for one in sorted(place.tree()) if one.startswith("sessions/2"))
    place.plant({path: None}, "clean")
    assert [one["file"] for one in found(place, "log-deleted")] == [path]
    before = place.users_files(), place.git("status", "--porcelain")
    assert restored(place, code=None) == [path]
    assert found(place, "log-deleted") == []
    assert (place.users_files(), place.git("status", "--porcelain")) == before
