"""`diurna check --ci` and the look for secrets at `append`: transcripts on real repositories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import formed, laid_once
from tests.planted_secrets import ALNUM, Draw

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

TOKEN = "ghp_" + Draw(21).some(ALNUM, 36)
PASSWORD = Draw(22).some(ALNUM, 14)
FOREIGN = "memory/sessions/2026-07-01-101500.md"
ROOT = Path(__file__).parent.parent
WAIVE = (
    "if it was ever used, replace it where it is valid; a line with `diurna: allow-secret` is kept"
)


def everything(repo: Repo) -> bytes:
    """Return all that is on the disk below a repository, and all objects of git."""
    files = [path.read_bytes() for path in repo.path.rglob("*") if path.is_file()]
    names = repo.git("cat-file", "--batch-all-objects", "--batch-check").splitlines()
    objects = [
        repo.git("cat-file", "-p", name.split()[0]).encode() for name in names if "tree" not in name
    ]
    return b"\n".join(files + objects)


@laid_once
def foreign(repo: Repo, run: Run) -> None:
    """A home with a log that another tool wrote, with a token and a home folder in it."""
    repo.write(FOREIGN, f"# T\n\ntoken {TOKEN}\nin /home/alice/shop\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "by hand")
    assert run("check", "--publish").code == 0


# ---- append ---------------------------------------------------------------------------------------


def test_l9_append_redacts_before_anything_is_stored(repo: Repo, run: Run) -> None:
    """The kind takes the place of the value everywhere, in the id made of the text too, and it is said."""
    prose = repo.path / "prose.md"
    prose.write_text(f"Ran it.\n\n```sh\nexport DB_PASSWORD={PASSWORD}\n```\n")
    ran = run(
        "append",
        "--title",
        f"With {TOKEN}",
        "--new",
        f"The token is {TOKEN}.",
        "--body",
        "@prose.md",
    )
    prose.unlink()
    assert ran.code == 0
    assert formed(ran.err) == (
        "warning: a github-token in the title was not stored: ghp_…(40)\n"
        "warning: a credential in line 4 of the prose was not stored: …(14)\n"
        "warning: a github-token in the text of domena was not stored: ghp_…(40)\n"
        f"hint: {WAIVE}\n"
    )
    assert (
        ran.said
        == "STEM  written to memory/sessions/2026-11/21/STEM.md (not committed)\ncreated  domena\n"
    )
    stored = repo.git("show", "HEAD")
    assert "# With [redacted: github-token]" in stored
    assert "export DB_PASSWORD=[redacted: credential]" in stored
    kept = everything(repo)
    assert TOKEN.encode() not in kept and PASSWORD.encode() not in kept
    assert TOKEN.lower().replace("_", "-").encode() not in kept


@pytest.mark.parametrize("form", ["file", "stdin", "json", "quick"])
def test_l9_every_way_in_is_guarded(form: str, repo: Repo, run: Run, spawn: Run) -> None:
    """A file, standard input, JSON and the quick path give the same redacted log."""
    log = f"# T\n\nIt is {TOKEN}.\n".encode()
    if form == "file":
        (repo.path / "log.md").write_bytes(log)
        ran = run("append", "log.md")
        (repo.path / "log.md").unlink()
    elif form == "stdin":
        ran = run("append", "-", stdin=log)
    elif form == "json":
        said = json.dumps({"title": "T", "body": f"It is {TOKEN}."})
        ran = run("append", "--from-json", "-", stdin=said.encode())
    else:
        ran = spawn("append", "-", stdin=log, DIURNA_HOME=str(repo.path / "memory"))
    assert ran.code == 0
    assert "warning: a github-token in the prose was not stored: ghp_…(40)\n" in ran.err or (
        "warning: a github-token in line 1 of the prose was not stored: ghp_…(40)\n" in ran.err
    )
    assert TOKEN not in ran.out + ran.err
    assert "It is [redacted: github-token]." in repo.git("show", "HEAD")
    assert TOKEN.encode() not in everything(repo)


def test_append_strict_refuses_and_changes_nothing(repo: Repo, run: Run) -> None:
    """`--strict` refuses, says what stands where, and not even the spool has it."""
    before = repo.shape()
    ran = run("append", "--strict", "--new", f"id=a Use {TOKEN}.", "--title", f"On {TOKEN}")
    assert (ran.code, ran.out) == (1, "")
    hint = "hint: take it out, or write `diurna: allow-secret` on its line where it is none\n"
    assert ran.err == (
        "diurna: append: a github-token in the title: ghp_…(40) (and 1 more)\n"
        f"{hint}also: a github-token in the text of a: ghp_…(40)\n{hint}"
    )
    assert repo.shape() == before
    assert TOKEN.encode() not in everything(repo)
    data = run("append", "--strict", "--new", f"id=a Use {TOKEN}.", "--json").json
    assert [one["code"] for one in data["error"]["findings"]] == ["secret-found"]
    assert TOKEN not in json.dumps(data)


def test_policy_can_refuse_and_redact(repo: Repo, run: Run) -> None:
    """`[privacy]` in the committed policy makes every append strict, and home folders `~`."""
    policy = repo.path / "memory/diurna.toml"
    text = policy.read_text().replace('secrets  = "redact"', 'secrets  = "refuse"')
    policy.write_text(text.replace('personal = "warn"', 'personal = "redact"'))
    repo.git("commit", "-qam", "policy")
    assert run("append", "--new", f"id=a Use {TOKEN}.").code == 1
    ran = run("append", "--new", "id=a In /home/alice/shop, says ada@engines.co.uk.")
    assert ran.code == 0
    assert ran.err == ("warning: the path of a home folder in the text of a was redacted\n")
    assert "- In ~/shop, says ada@engines.co.uk." in repo.git("show", "HEAD")


def test_a_secret_in_an_id_is_refused(repo: Repo, run: Run) -> None:
    """An id can not be redacted, so the log is refused, and the id is not repeated."""
    secret = "dapi" + Draw(23).some("0123456789abcdef", 32)
    ran = run("append", "--new", f"id={secret} A fact.")
    assert ran.code == 1
    assert "a databricks-token where no text can be changed: dapi…(36)" in ran.err
    assert secret not in ran.err


def test_a_retry_of_a_redacted_log_is_known(repo: Repo, run: Run) -> None:
    """The same draft again is answered with the same log."""
    log = f"# T\n\nIt is {TOKEN}.\n".encode()
    first, again = run("append", "-", stdin=log), run("append", "-", stdin=log)
    assert again.out.startswith(first.out.split()[0] + "  already recorded")


def test_l14_messages_quote_no_secret(repo: Repo, run: Run) -> None:
    """A draft that is refused for another reason is quoted without its secrets."""
    log = f"# T\n\n## Memory References\n\n- Touched: {TOKEN}\n".encode()
    text, data = run("append", "-", stdin=log), run("append", "-", "--json", stdin=log)
    assert text.code == data.code == 1
    assert "no known event: Touched: [redacted: github-token]" in text.err
    assert TOKEN not in text.err + data.out + data.err


def test_an_edit_is_absorbed_without_its_secret(repo: Repo, run: Run) -> None:
    """A token that a person wrote into continuity.md enters no log and no object, and is said."""
    run("append", "--new", "id=a One.")
    run("check", "--publish")
    continuity = repo.path / "memory/continuity.md"
    continuity.write_text(continuity.read_text().replace("One.", f"One {TOKEN}."))
    dry = run("check", "--absorb", "--dry-run")
    assert "One [redacted: github-token]." in dry.out
    ran = run("check", "--absorb")
    assert ran.code == 0
    assert "warning: a github-token in the text of a was not stored: ghp_…(40)" in ran.err
    assert TOKEN not in dry.out + dry.err + ran.out + ran.err
    assert TOKEN.encode() not in everything(repo)


def test_texts_of_an_imported_ledger_are_guarded(bare_repo: Repo, run: Run) -> None:
    """The texts of its pages are redacted; the other tool's logs stay byte for byte."""
    log = f"# S\n\nUsed {TOKEN}.\n\n## Memory References\n\n- Created: use-it\n"
    bare_repo.write("memory/sessions/2026-07-01-101500.md", log)
    bare_repo.write(
        "memory/continuity.md",
        f"# Continuity — shop\n\n## Facts\n\n- Use {TOKEN}.\n"
        "  <!-- id: use-it | created: 2026-07-01 | last_used: 2026-07-01 | uses: 1 | tier: active -->\n",
    )
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-qm", "theirs")
    ran = run("import", "ledger", ".", "--write")
    assert ran.code == 0, ran.err
    assert "a github-token in the text of use-it was not stored" in ran.err
    assert TOKEN not in (bare_repo.path / "memory/continuity.md").read_text()
    assert (bare_repo.path / "memory/sessions/2026-07-01-101500.md").read_text() == log
    assert "secret-found" in [
        one["code"] for one in run("check", "--ci", "--json").json["findings"]
    ]


# ---- lint -----------------------------------------------------------------------------------------


def test_lint_of_a_clean_home(repo: Repo, run: Run) -> None:
    """Nothing to say, in every form."""
    run("append", "--new", "id=a One.")
    ran = run("check", "--ci")
    assert (ran.code, ran.out, ran.err) == (0, "all in order\n", "")
    assert run("check", "--ci", "--strict").code == 0
    clean = {"format": 1, "ok": True, "findings": []}
    assert run("check", "--ci", "--json").json == clean
    assert run("check", "--ci", "--format", "github").out == ""


def test_lint_formats_for_machines(foreign: Repo, run: Run) -> None:
    """JSON and annotations say the same, relative to the repository, and no value."""
    ran = run("check", "--ci", "--json")
    assert ran.code == 1 and ran.json["ok"] is False
    assert [(one["code"], one["line"]) for one in ran.json["findings"]] == [
        ("secret-found", 3),
        ("personal-data", 4),
    ]
    assert TOKEN not in ran.out + ran.err
    ran = run("check", "--ci", "--format", "github")
    assert (ran.code, ran.err) == (1, "")
    error, warning = ran.out.splitlines()
    start = f"::error file={FOREIGN},line=3,title=diurna secret-found::a github-token: ghp_…(40)%0Ahint: "
    assert error.startswith(start)
    assert warning.startswith(f"::warning file={FOREIGN},line=4,title=diurna personal-data::")


def test_lint_strict_fails_on_warnings(repo: Repo, run: Run) -> None:
    """A warning ends lint with 0, and with 1 under --strict; a notice never fails it."""
    run("append", "--new", "id=a In /home/alice/shop.")
    assert run("check", "--ci").code == 0
    for form in ((), ("--format", "github"), ("--json",)):
        assert run("check", "--ci", "--strict", *form).code == 1
    assert run("check", "--ci", "--strict", "--json").json["ok"] is False


def test_lint_changes_nothing(foreign: Repo, run: Run) -> None:
    """A reader writes nothing into the repository."""
    before = foreign.shape()
    for form in ((), ("--format", "github"), ("--json",)):
        run("check", "--ci", *form)
    assert foreign.shape() == before


def test_lint_files_before_they_are_appended(
    bare_repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drafts are checked with and without a home, and named as they were given."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "draft.md").write_text(f"# T\n\nIt is {TOKEN}.\n")
    (tmp_path / "good.md").write_text("# T\n\nIt works.\n")
    ran = run("check", "--ci", "draft.md", "good.md")
    assert (ran.code, ran.out) == (1, "1 error, 0 other findings\n")
    assert ran.err.startswith("error: draft.md:3: a github-token: ghp_…(40)\n")
    assert run("check", "--ci", "good.md").out == "all in order\n"
    ran = run("check", "--ci", "missing.md")
    assert ran.code == 1 and "there is no such file" in ran.err
    ran = run("check", "--ci", "--format", "github", "draft.md")
    assert ran.out.startswith("::error file=draft.md,line=3,")


@pytest.mark.skipif(not (ROOT / ".pre-commit-hooks.yaml").exists(), reason="the source tree's")
def test_hook_and_action_call_what_there_is(run: Run) -> None:
    """The pre-commit hooks and the composite action name this command and options that it has."""
    options = {word.strip(",") for word in run("check", "--help").out.split() if word[:2] == "--"}
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert [line for line in hooks.splitlines() if "entry:" in line] == [
        "  entry: diurna check --ci"
    ] * 2
    action = (ROOT / ".github/actions/lint/action.yml").read_text()
    used = {word for word in action.replace(")", " ").replace("(", " ").split() if word[:2] == "--"}
    assert used - options == {"--quiet"}
    assert "check --ci --format github" in action
