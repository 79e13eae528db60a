"""The home of what is only yours: where it is, how it is made, and that it is nobody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledger.home import personal_folder, personal_home
from memory.brief.brief_place import Wish
from memory.query.last_answers import brief
from tests.conftest import Repo, holders, make_repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for a user's data; nothing is in it yet."""
    folder = tmp_path / "data"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder / "diurna" / "personal"


def test_made_anywhere_and_once(
    data: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made outside of any repository, for its user's eyes, says what it is, and is made once."""
    monkeypatch.chdir(tmp_path)
    planned = run("init", "--personal", "--dry-run")
    assert (planned.code, planned.err) == (0, "")
    assert planned.out.startswith(
        f"would make a git repository in {data}\nwould commit diurna.toml\n"
    )
    assert not data.exists() and personal_home() is None
    done = run("init", "--personal")
    assert done.code == 0 and done.out.startswith(f"made a git repository in {data}\n")
    assert data.stat().st_mode & 0o777 == data.parent.stat().st_mode & 0o777 == 0o700
    assert "\npersonal = true  #" in (data / "diurna.toml").read_text()
    home = personal_home()
    assert home is not None and home.folder == str(data)
    again = run("init", "--personal")
    assert again.out == f"nothing to do: {data} has a home\n" and again.code == 0


def test_from_within_a_repository(data: Path, repo: Repo, run: Run) -> None:
    """A home of the repository that it is made in is another one, and nothing changes there."""
    before = repo.shape()
    assert run("init", "--personal").code == 0
    assert run("note", "--home", "personal", "id=tabs preference: Tabs, not blanks.").code == 0
    assert repo.shape() == before
    assert "Tabs, not blanks." in run("show", "--home", "personal").out
    assert "Tabs, not blanks." not in run("show").out


def test_a_home_directory_in_git(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who keeps a whole home directory in git gets a repository in it, of which that one holds nothing."""
    outer = make_repository(tmp_path / "home")
    monkeypatch.setenv("XDG_DATA_HOME", str(outer.path / ".local" / "share"))
    monkeypatch.chdir(outer.path)
    assert run("init", "--personal").code == 0
    home = personal_home()
    assert home is not None and home.repository.top == personal_folder()
    outer.git("add", "-A")
    assert "diurna.toml" not in outer.git("ls-files")


def test_named_by_the_environment(
    data: Path, repo: Repo, run: Run, spawn: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`DIURNA_HOME=personal` names it too, on the quick path as well; a folder of that name is `./personal`."""
    (repo.path / "personal").mkdir()
    refused = run("show", "--home", "personal")
    assert (refused.code, refused.err) == (
        1, "diurna: --home: you have no personal home\nhint: `diurna init --personal` makes one\n",
    )  # fmt: skip
    assert run("init", "--personal").code == 0
    assert spawn("show", DIURNA_HOME="personal").out.startswith("# Continuity — personal\n")
    assert run("show", "--home", "./personal").out.startswith("# Continuity — shop\n")


@pytest.mark.parametrize("more", [("--branch", "x"), ("folder",)])
def test_its_place_is_given(more: tuple[str, ...], data: Path, repo: Repo, run: Run) -> None:
    """It is in no other folder, and on no branch."""
    ran = run("init", "--personal", *more)
    assert ran.code == 2 and "has its own place" in ran.err
    assert not data.exists()


def test_a_home_that_is_not_personal_stays(data: Path, tmp_path: Path, run: Run) -> None:
    """A home that somebody made in its place is not taken for it, nor changed."""
    assert run("init", str(data)).code == 0
    ran = run("init", "--personal")
    assert ran.code == 1 and "has a home that is not personal" in ran.err
    assert "personal = true" not in (data / "diurna.toml").read_text()


@pytest.fixture
def own(data: Path, run: Run) -> Path:
    """A personal home with one preference."""
    assert run("init", "--personal").code == 0
    assert run("note", "--home", "personal", "id=tabs preference: Tabs, not blanks.").code == 0
    return data


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_brief_shows_the_top_of_it(
    form: tuple[str, ...], own: Path, repo: Repo, run: Run
) -> None:
    """Five facts of it stand in a brief, each under the name of its home, within the budget."""
    run("note", "decision: Webhooks retry three times.")
    for number in range(7):
        weight = f"salience={number + 1}"
        run("note", "--home", "personal", f"id=way-{number} {weight} preference: Way {number}.")
    text = run("brief", *form, "--budget", "2500").out
    assert len(text) <= 2500
    assert [f"personal/way-{number}" in text for number in range(7)] == [False] * 3 + [True] * 4
    assert text.index("personal/way-6") < text.index("personal/way-3")
    assert "Yours, in no shared memory" in text and "Webhooks retry" in text


def test_a_kept_brief_follows_it(own: Path, repo: Repo, run: Run) -> None:
    """A brief that is kept is kept for one state of it, in it, and nothing of it below the repository."""
    first = kept_brief(repo)
    assert "- personal/tabs (preference" in first and kept_brief(repo) == first
    assert run("append", "--home", "personal", "--update", "tabs", "Tabs of eight.").code == 0
    assert "Tabs of eight." in kept_brief(repo)
    assert holders(repo.path, "Tabs") == []
    assert any(path.suffix == ".briefs" for path in (own / ".git/diurna/cache").iterdir())


def test_a_redaction_in_the_repository_reaches_the_briefs_kept_aside(
    own: Path, repo: Repo, run: Run
) -> None:
    """What is redacted here is gone from the briefs that the personal home keeps of here."""
    run("note", "id=oops decision: The customer is Zephyrine.")
    assert "Zephyrine" in kept_brief(repo)
    assert holders(own, "Zephyrine")
    assert run("redact", "oops", "--reason", "A name.").code == 0
    assert holders(own, "Zephyrine") == []


def kept_brief(repo: Repo) -> str:
    """Return the brief as the quick path gives it, and keep it."""
    return (brief(str(repo.path), Wish("codex")) or b"").decode()


def test_a_sync_sends_it_only_when_told(own: Path, repo: Repo, run: Run, tmp_path: Path) -> None:
    """A remote of it gets nothing by a plain sync, which fetches; all of it with `--push` or `push = true`."""
    bare, home = tmp_path / "own.git", Repo(own)
    repo.git("init", "-q", "--bare", "-b", "main", str(bare))
    home.git("remote", "add", "origin", str(bare))
    kept = run("sync", "--home", "personal")
    assert (
        kept.code == 0
        and "1 log, only yours, not sent; `diurna sync --home personal --push`" in kept.err
    )
    assert Repo(bare).git("for-each-ref") == ""
    assert run("sync", "--home", "personal", "--push").out.startswith("went  1 log")
    assert holders(bare, "Tabs, not blanks")
    run("note", "--personal", "preference: Blue, not green.")
    assert run("sync", "--home", "personal", "--json").json["kept"] == 1
    assert not holders(bare, "Blue, not green")
    policy = own / "diurna.toml"
    policy.write_text(policy.read_text().replace("# push   = true", "push = true"))
    home.git(
        "-c", "user.name=Ada", "-c", "user.email=a@example.invalid", "commit", "-qam", "send it"
    )
    assert run("sync", "--home", "personal").code == 0 and holders(bare, "Blue, not green")


def test_a_sync_of_it_brings_what_another_machine_sent(
    own: Path, repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clone in its place on another machine is the personal home there, and both join without a push."""
    bare, home = tmp_path / "own.git", Repo(own)
    repo.git("init", "-q", "--bare", "-b", "main", str(bare))
    home.git("remote", "add", "origin", str(bare))
    run("sync", "--home", "personal", "--push")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "laptop"))
    repo.git("clone", "-q", str(bare), personal_folder())
    assert run("init", "--personal").code == 0
    assert run("note", "--personal", "preference: Blue, not green.").code == 0
    assert run("sync", "--home", "personal", "--push").code == 0
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    run("note", "--personal", "preference: Red wine.")
    assert run("sync", "--home", "personal").code == 0
    shown = run("show", "--home", "personal").out
    assert all(text in shown for text in ("Tabs, not blanks.", "Blue, not green.", "Red wine."))
    assert not holders(bare, "Red wine")


def test_a_policy_elsewhere_that_says_personal_means_nothing(
    data: Path, repo: Repo, run: Run
) -> None:
    """A shared home is not made personal by its policy: it takes no such fact, and is sent."""
    policy = repo.path / "memory" / "diurna.toml"
    policy.write_text(
        policy.read_text().replace("\n\n[windows]", "\npersonal = true\n\n[windows]", 1)
    )
    repo.git("commit", "-qam", "mine now")
    assert "personal = true" in policy.read_text()
    ran = run("note", "personal=true A cat.")
    assert ran.code == 1 and "only one person's" in ran.err


def test_invariants_upstream_stand_below_their_name(
    data: Path, repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The invariants of a home that the policy names are in a brief, with whose they are; nothing else is."""
    org = tmp_path / "org"
    assert run("init", str(org)).code == 0
    run(
        "note",
        "--home",
        str(org),
        "id=no-keys invariant: No keys in logs.",
        "decision: Tea, not coffee.",
    )
    policy = repo.path / "memory" / "diurna.toml"
    policy.write_text(policy.read_text() + f'\n[upstream]\norg = "{org}"\n')
    repo.git("commit", "-qam", "upstream")
    repo.git("config", "protocol.file.allow", "always")
    ran = run("sync")
    text = kept_brief(repo)
    assert "## Invariants of org, fetched 20" in text, (ran.out, ran.err)
    assert "- org/no-keys (2026-11-21): No" in text and "Tea" not in text
    run("note", "--home", str(org), "id=stay invariant: Orders stay.")
    assert "org/stay" not in kept_brief(repo)
    run("sync")
    assert "org/stay" in kept_brief(repo) and "org/stay" in run("brief").out


def test_recall_asks_it_when_told(own: Path, repo: Repo, run: Run) -> None:
    """With `--yours` its hits stand beside those of the home, under its name; else no search knows of it."""
    run("note", "id=indent decision: Code is indented with tabs and never blanks.")
    both = run("recall", "--yours", "tabs", "--json").json
    assert [one["id"] for one in both["facts"]] == ["indent", "personal/tabs"]
    assert "personal/tabs  " in run("recall", "tabs", "--yours").out
    for plain in (run("recall", "tabs"), run("recall", "tabs", "-n", "50", "--level", "full")):
        assert "not blanks" not in plain.out and "indent" in plain.out
    assert "Tabs, not blanks." in run("recall", "--ids", "personal/tabs").out
    assert "Tabs, not blanks." in run("show", "personal/tabs").out
    assert holders(repo.path, "Tabs, not") == []


def test_recall_says_that_there_is_none(data: Path, repo: Repo, run: Run) -> None:
    """Who has no home of their own is told how to make one, and answered all the same."""
    run("note", "id=indent decision: Code is indented with tabs.")
    ran = run("recall", "tabs", "--yours")
    assert ran.code == 0 and "indent" in ran.out and "`diurna init --personal` makes one" in ran.err
