"""`diurna check --accept`: a baseline in the ledger, so that what is new stands out, in every clone."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledger.home import discover
from ledger.model.findings import Finding
from memory.api import Memory
from rituals.check.baseline import key_of
from rituals.check.verify.branch_checkpoint import checkpoint
from tests.conftest import each_row, laid_once
from tests.planted_secrets import ALNUM, Draw
from tests.small_ledgers import needs_mercury, place_mercury

if TYPE_CHECKING:
    from tests.conftest import Ran, Repo, Run

OLD = "sessions/2026-07-01-101500.md"
TOKEN = "ghp_" + Draw(21).some(ALNUM, 36)
WHY = "What the old tool left."


def tally(run: Run, command: str = "check --ci") -> tuple[int, list[str], list[str]]:
    """Return the exit code, the codes that stand open and those that are accepted."""
    ran = run(*command.split(), "--json")
    return (
        ran.code,
        [one["code"] for one in ran.json["findings"]],
        [one["code"] for one in ran.json["accepted"]],
    )


def keys(run: Run, code: str, command: str = "check --ci") -> list[str]:
    ran = run(*command.split(), "--json")
    assert "findings" in ran.json, ran.out
    found = ran.json["findings"]
    return [one["key"] for one in found if one["code"] == code]


@laid_once
def old(repo: Repo, run: Run) -> None:
    """A home with a log of before: unknown ids, a secret, an address, and one that somebody rewrote."""
    repo.publish_when("review")  # what comes by git is no drift then
    run("append", "--new", "id=a One.")
    run("check", "--publish")
    repo.write(
        f"memory/{OLD}",
        f"# T\n\ntoken {TOKEN} of a@b.co\n\n## Memory References\n\n- Referenced: nobody, no-one\n",
    )
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "old")
    log = repo.path / "memory" / OLD
    log.write_text(log.read_text() + "\nMore.\n")
    repo.git("commit", "-qam", "tamper")


@pytest.mark.deep(reason="one_by_its_key_or_the_start_of_it is the small one")
def test_all_of_today_is_accepted_and_what_is_new_stands_out(old: Repo, run: Run) -> None:
    """`verify` and `lint` end with 0 and count; a new finding is named alone."""
    assert run("check", "--ci").code == run("check", "--ci").code == run("check").code == 1
    check, lint = run("check", "--json").json, run("check", "--ci", "--json").json
    assert [one for one in check["findings"] if one["key"]] == lint["findings"]
    before = old.shape()
    dry = run("check", "--accept-all", "--reason", WHY, "--dry-run")
    assert (dry.code, old.shape()) == (0, before)
    ran = run("check", "--accept-all", "--reason", WHY)
    assert ran.code == 0, ran.err
    assert f"{OLD}: a github-token: ghp_…(40)" in ran.out.replace(f"{OLD}:3", OLD)
    assert TOKEN not in ran.out + ran.err
    assert run("check", "--ci").out == "all in order, 3 accepted (1 log-modified)\n"
    lint = run("check", "--ci", "--strict")
    assert (lint.code, lint.err) == (0, "")
    assert lint.out == "all in order, 5 accepted (1 log-modified, 1 secret-found)\n"
    assert run("check", "--json").json["accepted"]
    check = run("check", "--json")
    assert (check.code, check.json["accepted"]) == (
        0,
        run("check", "--ci", "--json").json["accepted"],
    )
    assert "\naccepted  " in run("check", "--all").out
    assert run("review", "--dry-run", "--json").json["verified"] == []
    old.write(
        "memory/sessions/2026-07-02-101500.md", "# T\n\n## Memory References\n\n- Referenced: new\n"
    )
    old.git("add", "-A")
    old.git("commit", "-q", "-m", "new")
    assert tally(run)[1] == ["unknown-id"]
    assert "new is named" in run("check", "--ci").err
    assert run("check", "--ci").out == "0 errors, 1 other finding, 3 accepted (1 log-modified)\n"
    again = run("check", "--accept-all", "--reason", WHY)
    assert "unknown-id:" in again.out
    nothing = run("check", "--accept-all", "--reason", WHY)
    assert nothing.code == 0
    assert nothing.out == "nothing to do: there is no open finding that a log can accept\n"


def test_the_log_reads_well_and_is_the_persons(old: Repo, run: Run) -> None:
    """Type `edit`, the reason first, then the section; nothing else moves."""
    tiers = run("show", "--json").out
    stem = run("check", "--accept", "unknown-id", "--reason", WHY, "--agent", "Ada", "--json").json[
        "stem"
    ]
    path = f"sessions/{stem[:7]}/{stem[8:10]}/{stem}.md"
    text = (old.path / "memory" / path).read_text()
    assert "\ntype: edit\n" in text and text.startswith("---\nagent: Ada\n")
    assert f"\n# Accept 2 findings\n\n{WHY}\n\n## Accepted Findings\n\n- `unknown-id:" in text
    assert f"` {OLD}: nobody is named and no log has brought a text for it\n" in text
    assert json.loads(tiers)["facts"] == run("show", "--json").json["facts"]
    assert run("check", "--ci", "--json").json["findings"][0]["code"] == "log-modified"


def test_one_by_its_key_or_the_start_of_it(old: Repo, run: Run) -> None:
    """What else stands open stays open; the same again does nothing."""
    first, second = keys(run, "unknown-id")
    assert run("check", "--accept", first[:23], "--reason", WHY).code == 0
    assert keys(run, "unknown-id") == [second]
    again = run("check", "--accept", first, "--reason", WHY)
    assert (again.code, again.out) == (0, "nothing to do: accepted already\n")
    ran = run("check", "--ci", "--all")
    assert f"accepted  {first[:23]}  {OLD}: n" in ran.out
    assert f"          by claude-code on 2026-11-21: {WHY}\n" in ran.out
    assert f"warning   {second[:23]}  {OLD}: n" in ran.out
    one = next(one for one in run("check", "--ci", "--json").json["accepted"])
    assert (one["key"], one["by"], one["on"], one["reason"]) == (
        first,
        "claude-code",
        "2026-11-21",
        WHY,
    )


def test_two_findings_of_one_tampered_log_are_accepted(repo: Repo, run: Run) -> None:
    """Of one whose seal tells, too, where the second finding leaves its hint to the first."""
    repo.publish_when("review")
    run("append", "--title", "T", "--new", "id=a One.")
    (log,) = (repo.path / "memory" / "sessions").rglob("*.md")
    log.write_text(log.read_text() + "\nMore.\n")
    repo.git("commit", "-qam", "tamper")
    run("check", "--accept-all", "--reason", WHY)
    code, open_, accepted = tally(run)
    assert (code, open_) == (0, [])
    assert {"log-modified", "seal-broken"} <= set(accepted)
    assert run("check", "--ci").code == 0 and WHY in run("check", "--ci", "--all").out


def test_it_can_be_taken_back(old: Repo, run: Run) -> None:
    """By a log of its own; the last word counts, also to accept it again."""
    (key,) = keys(run, "log-modified")
    assert run("check", "--accept", key, "--reason", WHY).code == 0
    assert run("check", "--ci").code == 0
    back = run("check", "--unaccept", key, "--reason", "It was no accident.", "--dry-run")
    assert (back.code, run("check", "--ci").code) == (0, 0)
    back = run("check", "--unaccept", key[:20], "--reason", "It was no accident.")
    assert (back.code, run("check", "--ci").code) == (0, 1)
    assert "## Findings No Longer Accepted" in old.git("show", "HEAD")
    gone = run("check", "--unaccept", key, "--reason", WHY)
    assert gone.code == 1 and "is not accepted" in gone.err
    assert run("check", "--accept", key, "--reason", WHY).code == 0
    assert run("check", "--ci").code == 0


def test_what_was_taken_back_stays_so_when_git_packs(old: Repo, run: Run) -> None:
    """The last word counts, wherever git keeps the objects of the logs: the older one in a pack, say."""
    (key,) = keys(run, "log-modified")
    assert run("check", "--accept", key, "--reason", WHY).code == 0
    old.git("repack", "-qad")
    assert run("check", "--unaccept", key, "--reason", WHY).code == 0
    assert keys(run, "log-modified") == [key] and tally(run)[2] == []


def test_an_accepted_error_that_changes_is_new(old: Repo, run: Run) -> None:
    """Other bytes of the log, other bytes of the policy, another line of the projection."""
    run("check", "--accept-all", "--reason", WHY)
    log = old.path / "memory" / OLD
    log.write_text(log.read_text() + "\nEven more.\n")
    old.git("commit", "-qam", "again")
    code, found, _ = tally(run)
    assert (code, found) == (1, ["log-modified", "unknown-id", "unknown-id"])
    assert "secret-found" in tally(run)[1]


def test_a_secret_in_the_projection_keeps_its_key_while_pages_change(repo: Repo, run: Run) -> None:
    """Lines move with each publish, and the key does not; another secret of the same look is new."""
    other = "ghp_" + Draw(22).some(ALNUM, 36)

    def write(name: str, token: str) -> None:
        repo.write(
            f"memory/sessions/{name}.md",
            f"# T\n\n## Memory References\n\n- Created: z-{name[-2:]}\n\n## Facts\n\n"
            f"- Say {token}.\n  <!-- id: z-{name[-2:]} -->\n",
        )
        repo.git("add", "-A")
        repo.git("commit", "-q", "-m", "by hand")
        run("check", "--publish")

    write("2026-07-01-101500", TOKEN)
    assert tally(run)[1] == ["secret-found", "secret-found"]
    run("check", "--accept", "secret-found", "--reason", "Revoked.")
    assert tally(run)[:2] == (0, [])
    run("append", "--new", "id=a One.", "--new", "id=b Two.")
    run("check", "--publish")
    assert tally(run) == (0, [], ["secret-found", "secret-found"])
    write("2026-07-01-101501", other)
    code, found, accepted = tally(run)
    assert (code, len(accepted)) == (1, 2)
    assert found == ["secret-found", "secret-found"]


def test_every_clone_honours_it_and_keeps_a_checkpoint(
    old: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in the logs: a fresh clone, cold or warm, says the same; what is whole is remembered."""
    run("check", "--accept-all", "--reason", WHY)
    mine = [tally(run), tally(run)]
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(old.path), str(clone)], check=True)
    monkeypatch.chdir(clone)
    assert [tally(run), tally(run, "lint")] == mine
    assert checkpoint(discover(str(clone))) is not None


@each_row(
    "arguments, code, said",
    [
        (("--accept", "unknown-id:0000", "--reason", "r"), 1, "today's are: log-modified:"),
        (("--accept", "drift", "--reason", "r"), 1, "there is no finding drift now"),
        (("--accept", "log-uncommitted", "--reason", "r"), 1, "no log can accept it"),
        (("--accept", "unknown-id:", "--reason", "r"), 1, "is the start of 2 keys"),
        (("--unaccept", "unknown-id", "--reason", "r"), 1, "is not accepted"),
        (("--accept", "--reason", "r"), 2, "name the findings"),
        (("--accept", "unknown-id"), 2, "a reason is needed"),
        (("--accept", "unknown-id", "--reason", " "), 2, "a reason is needed"),
        (("unknown-id",), 2, "FINDING goes with --accept"),
        (("--accept", "--unaccept", "unknown-id", "--reason", "r"), 2, "exclude each other"),
        (("--reason", "r"), 2, "--reason goes with"),
    ],
)
def test_what_is_not_there_is_never_accepted(
    old: Repo, run: Run, arguments: tuple[str, ...], code: int, said: str
) -> None:
    """Refused with today's keys; nothing is written."""
    old.write("memory/sessions/2026-07-03-101500.md", "# T\n")
    before = old.shape()
    ran: Ran = run("check", "--ci", *arguments)
    assert (ran.code, said in ran.err) == (code, True), ran.err
    assert old.shape() == before


def test_only_a_log_of_type_edit_accepts_and_code_only_quotes(old: Repo, run: Run) -> None:
    """A work log, or a section inside a fence, accepts nothing; a malformed bullet costs itself."""
    first, second = keys(run, "unknown-id")
    section = f"## Accepted Findings\n\n- `{first}` x\n"
    old.write("memory/sessions/2026-08-01-101500.md", f"# T\n\n{section}")
    old.write(
        "memory/sessions/2026-08-02-101500.md", f"---\ntype: edit\n---\n# T\n\n```\n{section}```\n"
    )
    old.git("add", "-A")
    old.git("commit", "-q", "-m", "by hand")
    assert keys(run, "unknown-id") == [first, second]
    old.write(
        "memory/sessions/2026-08-03-101500.md",
        f"---\ntype: edit\nagent: Eve\n---\n# T\n\nBecause.\n\n{section}- {second}\n- `{second[:-1]}`\n",
    )
    old.git("add", "-A")
    old.git("commit", "-q", "-m", "by hand")
    assert keys(run, "unknown-id") == [second]
    (one,) = run("check", "--ci", "--json").json["accepted"]
    assert (one["by"], one["reason"]) == ("Eve", "Because.")


def test_words_of_a_withheld_log_are_not_shown(old: Repo, run: Run) -> None:
    """What it accepts counts as before; its reason is withheld."""
    stem = run("check", "--accept", "unknown-id", "--reason", WHY, "--json").json["stem"]
    assert run("redact", stem, "--reason", "r").code == 0
    ran = run("check", "--ci", "--all")
    assert "accepted  unknown-id:" in ran.out
    assert WHY not in ran.out


def test_a_key_knows_code_place_bytes_and_what() -> None:
    """Each part changes it; a line counts only beside bytes, a hint and a severity never."""
    one = Finding("unknown-id", "x is named", "sessions/a.md", 3)
    known = key_of(one, "1" * 40)
    assert known.startswith("unknown-id:") and len(known) == len("unknown-id:") + 32
    assert key_of(one._replace(hint="h"), "1" * 40) == known
    others = [
        key_of(one, "2" * 40),
        key_of(one),
        key_of(one._replace(file="sessions/b.md"), "1" * 40),
        key_of(one._replace(message="y is named"), "1" * 40),
        key_of(one._replace(line=4), "1" * 40),
        key_of(one._replace(about="z"), "1" * 40),
    ]
    assert len({known, *others}) == 7
    assert key_of(one._replace(line=9)) == key_of(one)


def test_many_old_findings_are_counted_where_they_are_not_the_subject(repo: Repo, run: Run) -> None:
    """`verify` names each and says what a baseline does; `doctor` counts; `status` has numbers alone."""
    many = ", ".join(f"nobody-{number}" for number in range(12))
    repo.publish_when("review")
    run("append", "--new", "id=a One.")
    repo.write(f"memory/{OLD}", f"# T\n\n## Memory References\n\n- Referenced: {many}\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "old")
    verify = run("check", "--ci")
    assert verify.err.count("is named and no log has brought a text") == 12
    assert "`diurna check --accept-all --reason TEXT`" in verify.err
    doctor = run("check")
    assert doctor.out == "0 errors, 12 other findings\n"
    assert doctor.err == (
        "hint: 12 findings are about what logs and facts say: `diurna check --all` names them\n"
    )
    assert len(run("check", "--json").json["findings"]) == 12
    ran = run("check", "--accept", "unknown-id", "--reason", WHY)
    assert ran.out.count("accepted: unknown-id:") == 12
    assert run("check", "--ci").out == "all in order, 12 accepted\n"
    assert run("check", "--ci").err == ""


@pytest.mark.deep
@needs_mercury
def test_ci_on_an_adopted_ledger_can_be_green(bare_repo: Repo, run: Run) -> None:
    """A real ledger: adopted, everything accepted once, `lint --strict` ends with 0."""
    place_mercury(bare_repo.path)
    bare_repo.git("add", "memory")
    bare_repo.git("commit", "-q", "-m", "memory of another tool")
    assert run("import", "ledger", ".").code == 0
    open_now = tally(run)[1]
    ran = run("check", "--accept-all", "--reason", WHY)
    assert ran.code == 0, ran.err
    code, found, accepted = tally(run)
    assert (code, found) == (0, [one for one in open_now if one in ("review-due", "over-size")])
    assert len(accepted) == len(open_now) - len(found)
    memory = Memory(discover(str(bare_repo.path)))
    assert memory.state().summary.digest
    memory.close()
