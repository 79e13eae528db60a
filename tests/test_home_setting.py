"""`git config diurna.home PATH`: a home in another repository, without a variable in each shell."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ledger.git.cli import Git
from ledger.home import discover
from rituals.hosts import hook_answer
from rituals.hosts.capture import detached
from tests.conftest import Repo, Run


@pytest.fixture
def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own configuration, which holds includes as many do."""
    path = tmp_path / "users"
    (tmp_path / "more").write_text("[core]\n\tabbrev = 12\n")
    path.write_text(
        '[user]\n\tname = Ada\n[include]\n\tpath = more\n[includeIf "gitdir:/x/"]\n\tpath = gone\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(path))
    return path


@pytest.fixture
def team(tmp_path: Path, bare_repo: Repo, users: Path, run: Run) -> Path:
    """A home beside the code, in a repository of its own."""
    assert run("init", str(tmp_path / "team")).code == 0
    return tmp_path / "team"


def named(run: Run, *options: str) -> tuple[str, str]:
    """Return which repository has the home, and what named it."""
    home = run("status", "--json", *options).json["home"]
    return home["repository"], home["named"]


def test_which_home_wins(
    team: Path,
    bare_repo: Repo,
    tmp_path: Path,
    users: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The option, the variable, the clone's setting, a home found by looking, the user's setting."""
    assert run("status").code == 1
    subprocess.run(["git", "config", "--global", "diurna.home", str(team)], check=True)
    assert named(run) == (str(team), "diurna.home")
    assert run("init").code == 0  # nobody's setting hides a home of the project's own
    assert named(run) == (str(bare_repo.path), "")
    bare_repo.git(
        "config", "diurna.home", "../team"
    )  # of the clone's folder, wherever one stands in it
    (bare_repo.path / "deep").mkdir()
    bare_repo.git("worktree", "add", "-q", str(tmp_path / "else" / "where"))
    for folder in (bare_repo.path, bare_repo.path / "deep", tmp_path / "else" / "where"):
        monkeypatch.chdir(folder)
        assert named(run) == (str(team), "diurna.home")
    assert named(run, "--home", str(bare_repo.path)) == (str(bare_repo.path), "--home")
    monkeypatch.setenv("DIURNA_HOME", str(bare_repo.path))
    assert named(run) == (str(bare_repo.path), "$DIURNA_HOME")
    assert "named by $DIURNA_HOME" in run("status").out
    assert run("check", "--json").json["home"]["named"] == "$DIURNA_HOME"


@pytest.mark.parametrize("file", ["--local", "--global"])
@pytest.mark.parametrize("place", ["gone", "empty"])
def test_a_folder_without_a_home_is_an_error(
    file: str, place: str, team: Path, bare_repo: Repo, tmp_path: Path, run: Run
) -> None:
    """It is said, with what to do, and nothing is made there."""
    (tmp_path / "empty").mkdir()
    subprocess.run(["git", "config", file, "diurna.home", str(tmp_path / place)], check=True)
    for command in (("note", "decision: We ship."), ("status",), ("sync",)):
        ran = run(*command)
        assert ran.code == 1
        assert "diurna.home of git's configuration names" in ran.err
        assert str(tmp_path / place) in ran.err
        assert "hint:" in ran.err
    assert (sorted((tmp_path / "empty").iterdir()), (tmp_path / "gone").exists()) == ([], False)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("", 0),
        ("[include]\n\tpath = more\n", 0),
        ("[diurna]\n\thome = PLACE\n", 0),
        ("[DIURNA]\n\tHome = PLACE\n", 0),
        ('[diurna]\n\thome = "PLACE"\n', 1),
        ("[diurna] home = PLACE\n", 1),
        ("[include]\n\tpath = more\n[diurna]\n\thome = PLACE\n", 1),
        ("[include]\n\tpath = told\n", 1),
    ],
)
def test_the_setting_is_what_git_says(
    text: str, asked: int, team: Path, tmp_path: Path, users: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the form; and where nothing is named, or in the form that git writes, no process is started."""
    users.write_text(text.replace("PLACE", str(team)))
    (tmp_path / "told").write_text(f"[diurna]\n\thome = {team}\n")
    said = subprocess.run(
        ["git", "config", "--global", "--includes", "--get", "diurna.home"], capture_output=True
    ).stdout.decode().strip()  # fmt: skip
    started = []
    start = Git.start

    def counted(git: Git, *words: str) -> object:
        started.append(words)
        return start(git, *words)

    monkeypatch.setattr(Git, "start", counted)
    (tmp_path / "plain").mkdir()
    try:
        found = discover(str(tmp_path / "plain")).repository.top
    except Exception:  # noqa: BLE001 - there is none
        found = ""
    assert (found, len(started)) == (said, asked)


def test_hooks_find_it(
    team: Path, bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session in the code starts with what the home holds, and what it does is kept there."""
    bare_repo.git("config", "diurna.home", str(team))
    assert run("note", "id=retries decision: Webhooks retry three times.").code == 0
    assert bare_repo.git("rev-list", "--count", "HEAD").strip() == "1"
    monkeypatch.setattr(hook_answer, "START_SECONDS", 60)
    monkeypatch.setattr(hook_answer, "OTHER_SECONDS", 60)
    monkeypatch.setattr(detached, "run", lambda arguments, folder: None)

    def answer(event: str, **said: object) -> bytes:
        data = json.dumps({"session_id": "s-1", "cwd": str(bare_repo.path), **said}).encode()
        monkeypatch.setattr(hook_answer, "_read", lambda: data)
        call = hook_answer.Call("claude", event, {"HOME": str(bare_repo.path)})
        text = call.answer()
        call.follow_up()
        return text

    assert b"Webhooks retry three times." in answer("SessionStart", source="startup")
    given = {"file_path": str(bare_repo.path / "code.py"), "content": "x = 1\n"}
    answer("PostToolUse", tool_name="Write", tool_input=given, tool_response={"ok": True})
    seen = [one for one in (team / ".git" / "diurna" / "observed").rglob("*") if one.is_file()]
    assert any(b"code.py" in one.read_bytes() for one in seen)
    assert not (bare_repo.path / ".git" / "diurna").exists()
