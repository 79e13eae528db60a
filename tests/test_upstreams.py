"""Homes of others: fetched by sync, read beside one's own, never written, and hostile at times."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path

import pytest

from ledger.home import IN_TREE, OWN_REPOSITORY, discover
from ledger.model.layout import FETCHED_FILE
from memory.query.reader import Reader
from memory.replay.upstream_homes import note_of, upstream_folder, upstream_homes, upstreams
from projection.policy.model import Policy, Upstream
from rituals.serve.mcp import tools
from rituals.serve.mcp.arguments import Caller
from rituals.sync.sync_report import Brought, Report
from rituals.sync.upstream_fetch import sync_all
from tests.campaigns.homes import git, hermetic, make_home
from tests.conftest import Repo, Run, make_repository
from tests.teams import Clone

__all__ = ["hermetic"]

URL = "https://git.example.org/team/memory.git#main"


@pytest.mark.parametrize("prefix", ("", "memory/"))
def test_what_was_fetched_is_told_by_one_note(repo: Repo, prefix: str) -> None:
    """With its name, where in it the home is, and when; nothing of one that the policy names no more."""
    home = discover(str(repo.path))
    policy = Policy(upstream=(Upstream("org", URL), Upstream("other", URL)))
    assert upstream_homes(home, Policy()) == () == upstream_homes(home, policy)
    note = Path(upstream_folder(home, "org")) / FETCHED_FILE
    note.parent.mkdir(parents=True)
    note.write_bytes(note_of(URL, prefix, 1_790_000_000.4))
    ((name, there, fetched_at),) = upstream_homes(home, policy)
    assert (name, there.prefix, fetched_at) == ("org", prefix, 1_790_000_000.0)
    assert there.kind == (IN_TREE if prefix else OWN_REPOSITORY) and not there.checked_out
    assert [one.fetched_at for one in upstreams(home, policy)] == [fetched_at, 0.0]
    elsewhere = Policy(upstream=(Upstream("org", URL + "2"),))
    assert upstream_homes(home, elsewhere) == ()


@pytest.mark.parametrize("note", (b"", b"\n", b"x .\n", b"1 ../x\n", b"1 .", b"\xff" * 9000))
def test_a_note_that_says_nothing_is_none(repo: Repo, note: bytes) -> None:
    """Whatever stands in it."""
    home = discover(str(repo.path))
    path = Path(upstream_folder(home, "org")) / FETCHED_FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(note if note.endswith(b".") is False else note + b"\nelsewhere\n")
    assert upstream_homes(home, Policy(upstream=(Upstream("org", URL),))) == ()


# ---- fetched by sync --------------------------------------------------------------------------------


class Organisation:
    """A home of others, and a team's that names it; all of it real repositories.

    Args:
        folder: where they are.
        policy: of the team, what stands behind `[upstream]`.
    """

    def __init__(self, folder: Path, policy: str = 'org = "../org.git"') -> None:
        self.hub, self.theirs = folder / "org.git", Clone(folder / "org")
        make_home(self.theirs.folder, OWN_REPOSITORY)
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.hub))
        self.theirs.git("remote", "add", "origin", str(self.hub))
        self.theirs.create("no-pii", "No personal data in logs.")
        self.theirs.sync()
        self.team = Clone(folder / "shop")
        make_home(self.team.folder, OWN_REPOSITORY)
        self.name(policy)

    def name(self, policy: str, allow: bool = True) -> None:
        """Let the team's policy name others."""
        path = self.team.folder / "diurna.toml"
        path.write_text(f"[upstream]\n{policy}\n")
        self.team.git("commit", "-q", "--allow-empty", "-am", "read others")
        self.team.git("config", "protocol.file.allow", "always" if allow else "user")

    def sync(self) -> Report:
        return sync_all(self.team.memory)

    def read(self) -> tuple[str, ...]:
        """The facts that can be read of others."""
        memory = self.team.memory
        policy = memory.snapshot.tip.ask(lambda cache: cache.policy)
        return tuple(
            f"{name}/{fact}"
            for name, home, _ in upstream_homes(memory.home, policy)
            for fact in sorted(Reader(home).state())
        )


@pytest.fixture
def org(tmp_path: Path, hermetic: None) -> Organisation:
    return Organisation(tmp_path)


def everything(folder: Path) -> dict[str, bytes]:
    """The bytes of all files, git's too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_home_of_others_is_fetched_and_read(org: Organisation) -> None:
    """Also without a remote of one's own; what is new there comes with the next sync; nothing goes there."""
    assert org.read() == ()
    report = org.sync()
    assert (report.remote, report.findings) == ("", ())
    assert report.upstreams == (Brought("org", "../org.git", 1, 1),)
    assert org.read() == ("org/no-pii",)
    org.theirs.create("grpc")
    org.theirs.sync()
    before = everything(org.hub)
    org.team.create("ours")
    assert org.sync().upstreams == (Brought("org", "../org.git", 2, 1),)
    assert org.sync().upstreams == (Brought("org", "../org.git", 2, 0),)
    assert org.read() == ("org/grpc", "org/no-pii")
    assert everything(org.hub) == before
    assert org.team.facts() == {"ours"} and "no-pii" not in org.team.memory.continuity()
    folder = org.team.folder / ".git/diurna/upstream/org.git"
    assert git(folder, "rev-list", "--count", "HEAD").strip() == "1"
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / FETCHED_FILE).stat().st_mode & 0o077 == 0


def test_beside_a_remote_of_its_own(org: Organisation, tmp_path: Path) -> None:
    """The own sync goes on whatever becomes of the others, and a policy that came by it counts at once."""
    own = tmp_path / "own.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(own))
    org.team.git("remote", "add", "origin", str(own))
    org.team.create("ours")
    shutil.move(str(org.hub), str(org.hub) + ".away")
    report = org.sync()
    assert report.went == 1 and [one.code for one in report.findings] == ["upstream-stale"]
    assert report.upstreams[0].problem and org.read() == ()
    shutil.move(str(org.hub) + ".away", str(org.hub))
    git(tmp_path, "clone", "-q", str(own), "late")
    late = Clone(tmp_path / "late")
    late.git("config", "protocol.file.allow", "always")
    assert sync_all(late.memory).upstreams == (Brought("org", "../org.git", 1, 1),)
    assert sync_all(late.memory, dry_run=True).upstreams == ()


def test_offline_what_was_fetched_last_is_read(org: Organisation, run: Run) -> None:
    """Its age is said by `status`, and by `doctor` once it is old; a sync says that it is away."""
    org.sync()
    shutil.rmtree(org.hub)
    report = org.sync()
    assert [one.code for one in report.findings] == ["upstream-stale"]
    assert report.findings[0].message.endswith("; what is read of it was fetched today")
    assert org.read() == ("org/no-pii",)
    home = str(org.team.folder)
    assert "reads     org (fetched today)" in run("status", "--home", home).out
    note = org.team.folder / ".git/diurna/upstream/org.git/diurna/fetched"
    note.write_bytes(note_of("../org.git", "", note.stat().st_mtime - 45.5 * 86_400))
    assert "reads     org (fetched 45 days ago)" in run("status", "--home", home).out
    assert run("status", "--home", home, "--json").json["reads"][0]["age"] == "fetched 45 days ago"
    told = run("check", "--home", home, "--json").json["findings"]
    assert "org, which the policy names as upstream, was fetched 45 days ago" in [
        one["message"] for one in told
    ]
    ran = run("sync", "--home", home)
    assert ran.code == 0 and "org was not fetched" in ran.err


@pytest.mark.parametrize("where", ("../org.git", "file://{}"))
def test_a_path_of_this_machine_takes_the_users_leave(org: Organisation, where: str) -> None:
    """As git has it for what a repository names; the same of what git never allows."""
    org.name(f'org = "{where.format(org.hub)}"', allow=False)
    (problem,) = org.sync().findings
    assert "git takes such a path from users alone" in problem.message
    assert "protocol.file.allow always" in problem.hint and org.read() == ()
    org.team.git("config", "protocol.file.allow", "always")
    assert not org.sync().findings and org.read() == ("org/no-pii",)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ext::sh -c 'touch {}/ran'", "it could run a command"),
        ("--upload-pack=touch {}/ran", "it could run a command"),
        ("-u{}/x", "it could run a command"),
        ("fd::7", "it could run a command"),
        ("../org.git#--all", "no memory in|names no branch|has no branch"),
        ("../org.git#../../x", "names no branch"),
        ("../org.git#gone", "there is no memory in"),
        ("../empty.git", "there is no memory in"),
        ("../code", "there is no memory in"),
        ("../nothing", "nothing is at"),
    ],
)
def test_what_is_no_home_is_refused(org: Organisation, tmp_path: Path, url: str, said: str) -> None:
    """With a reason and nothing run; what was fetched under that name before is not taken for it."""
    org.sync()
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    make_repository(tmp_path / "code")
    org.name(f'org = "{url.format(tmp_path)}"')
    (problem,) = org.sync().findings
    assert re.search(said, problem.message), problem.message
    assert problem.code == "upstream-stale" and org.read() == ()
    assert not (tmp_path / "ran").exists()


def test_one_that_sends_too_much_is_not_read_to_its_end(
    org: Organisation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was here of it stays."""
    org.sync()
    (org.theirs.folder / "huge").write_bytes(os.urandom(3 << 20))
    org.theirs.git("add", "huge")
    org.theirs.git("commit", "-q", "-m", "huge")
    org.theirs.git("push", "-q", "origin", "main")
    monkeypatch.setattr("ledger.remote.transport.NEWEST_LIMIT_MB", 1)
    (problem,) = org.sync().findings
    assert "sends more than 1 MB" in problem.message and org.read() == ("org/no-pii",)
    assert not list((org.team.folder / ".git/diurna/upstream/org.git").rglob("tmp_*"))


def test_one_that_is_silent_holds_nothing_up(
    org: Organisation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given up soon, and the next one is fetched."""
    monkeypatch.setattr("ledger.remote.transport.ASK_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        org.name(f'mute = "git://127.0.0.1:{port}/memory.git"\norg = "../org.git"')
        (problem,) = org.sync().findings
    assert "mute was not fetched" in problem.message and org.read() == ("org/no-pii",)


def test_a_hub_whose_default_branch_is_not_there(org: Organisation) -> None:
    """As `git init --bare` makes one, and another branch is pushed to it."""
    git(org.hub, "symbolic-ref", "HEAD", "refs/heads/gone")
    assert not org.sync().findings and org.read() == ("org/no-pii",)
    git(org.hub, "branch", "-m", "main", "other")
    org.name('org = "../org.git#other"')
    assert not org.sync().findings and org.read() == ("org/no-pii",)
    org.name('org = "../org.git"')
    (problem,) = org.sync().findings
    assert "it has no branch to look at" in problem.message


def test_a_killed_fetch_is_in_nobodys_way(org: Organisation) -> None:
    """The locks of git that it left are taken away by the next one."""
    org.sync()
    folder = org.team.folder / ".git/diurna/upstream/org.git"
    for name in (
        "shallow.lock",
        "HEAD.lock",
        "refs/heads/upstream.lock",
        "refs/diurna/arrived.lock",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    org.theirs.create("grpc")
    org.theirs.sync()
    assert not org.sync().findings and len(org.read()) == 2


def test_a_home_in_a_folder_and_one_that_was_rewritten(org: Organisation, tmp_path: Path) -> None:
    """A repository of code with its memory in it, of which no history is fetched; logs may go, too."""
    make_home(tmp_path / "app", IN_TREE)
    app = Clone(tmp_path / "app")
    app.create("one")
    kept = app.tip()
    app.create("two")
    branch = app.git("branch", "--show-current")
    org.name(f'app = "../app#{branch}"\norg = "../org.git"')
    assert [one.logs for one in org.sync().upstreams] == [2, 1]
    assert org.read() == ("app/one", "app/two", "org/no-pii")
    app.git("reset", "-q", "--hard", kept)
    assert org.sync().upstreams[0] == Brought("app", f"../app#{branch}", 1, 0)
    assert org.read() == ("app/one", "org/no-pii")


def test_settings_of_the_repository_reach_the_remote(org: Organisation) -> None:
    """The user's own `url.*.insteadOf`, for instance; not what concerns the repository itself."""
    org.name('org = "https://git.example.org/org.git"')
    org.team.git("config", f"url.{org.hub}.insteadOf", "https://git.example.org/org.git")
    org.team.git("config", "core.sshCommand", "false")
    assert org.sync().upstreams == (Brought("org", "https://git.example.org/org.git", 1, 1),)


# ---- asked beside one's own ---------------------------------------------------------------------------


@pytest.fixture
def asked(org: Organisation, monkeypatch: pytest.MonkeyPatch) -> Organisation:
    """A team that has read of others, and knows something of its own about the same."""
    org.theirs.create("retries", "Retries of webhooks are jittered.")
    org.theirs.sync()
    org.sync()
    org.team.create("webhook-retries", "Our webhooks have three retries.")
    monkeypatch.chdir(org.team.folder)
    return org


def hits(run: Run, *words: str) -> list[str]:
    ran = run("recall", *words, "--json")
    assert ran.code == 0, ran.err
    return [hit["id"] for hit in ran.json["hits"] if ":" not in hit["id"]]


def test_what_others_hold_stands_behind_ones_own(asked: Organisation, run: Run) -> None:
    """Under their name; a third of the places and what is free, and where one's own is asked, none."""
    assert hits(run, "retries of webhooks") == ["webhook-retries", "org/retries"]
    assert hits(run, "retries", "-n", "3") == ["webhook-retries", "org/retries"]
    assert hits(run, "retries", "-n", "2") == ["webhook-retries", "org/retries"]
    assert hits(run, "retries", "-n", "1") == ["webhook-retries"]
    for one in (("--in", "facts"), ("--as-of", "2030-01-01")):
        assert hits(run, "retries", *one) == ["webhook-retries"]
    assert hits(run, "retries", "--kind", "invariant") == []
    assert hits(run, "personal data in logs") == ["org/no-pii"]
    said = run("recall", "retries").out
    assert "\norg/retries  fact" in said
    for id, text in (("late", "Late webhooks are no retries."), ("few", "Few retries are needed.")):
        asked.team.create(id, text)
    mixed = hits(run, "retries", "--kind", "fact", "-n", "3")
    assert (len(mixed), mixed[2]) == (3, "org/retries"), "theirs is one of three, not one more"
    ran = run("recall", "--in", "upstream", "retries", "--json")
    assert {hit["id"].partition("/")[0] for hit in ran.json["hits"]} == {"org"}


def test_what_others_hold_is_shown_by_its_name(asked: Organisation, run: Run) -> None:
    """A fact, a passage and a whole log by `recall --ids`, and a fact by `show` and `why`."""
    ran = run("recall", "--in", "upstream", "retries", "--kind", "session", "--json")
    passage = ran.json["hits"][0]["id"]
    stem = passage.partition(":")[0]
    wanted = ["org/no-pii", passage, "webhook-retries", stem]
    shown = run("recall", "--ids", ",".join(wanted), "--json").json["hits"]
    assert [hit["id"] for hit in shown] == wanted
    assert "No personal data in logs." in run("show", "org/no-pii").out
    told = run("why", "org/no-pii").out
    assert told.startswith("org/no-pii  said by org\n") and "commit" not in told
    assert "No personal data" in run("why", "org/no-pii", "--versions").out
    for wrong, said in (
        (("show", "org/none"), "there is no fact none"),
        (("show", "gone/none"), "there is no home gone here"),
        (("why", "gone/none"), "there is no home gone here"),
        (("recall", "--ids", "gone/none"), "there is no memory gone/none"),
    ):
        ran = run(*wrong)
        assert ran.code == 1 and said in ran.err
    assert run("show", "org/no-pii", "webhook-retries").code == 2


def test_questions_change_nothing_there_or_here(asked: Organisation, run: Run) -> None:
    """No byte of theirs, and no reference of what was fetched; a write to it is refused."""
    fetched = asked.team.folder / ".git/diurna/upstream/org.git"
    before = everything(asked.hub), git(fetched, "show-ref"), asked.team.tip()
    for command in (
        ("recall", "retries"), ("recall", "--in", "upstream", "retries"), ("show", "org/no-pii"),
        ("why", "org/no-pii"), ("status",), ("check",), ("brief",), ("check", "--ci",), ("check", "--publish",),
        ("append", "--title", "A", "--ref", "org/no-pii"), ("review", "--confirm", "org/no-pii"),
    ):  # fmt: skip
        run(*command)
    assert (everything(asked.hub), git(fetched, "show-ref"), asked.team.tip()) == before
    assert "no-pii" not in run("show").out


def test_a_home_of_others_that_can_not_be_read_is_told(asked: Organisation, run: Run) -> None:
    """And one's own is answered all the same; what nobody fetched is named with what to do."""
    shutil.rmtree(asked.team.folder / ".git/diurna/upstream/org.git/objects")
    shutil.rmtree(asked.team.folder / ".git/diurna/upstream/org.git/diurna/cache")
    ran = run("recall", "retries")
    assert ran.code == 0 and "Our webhooks have three retries." in ran.out
    shutil.rmtree(asked.team.folder / ".git/diurna/upstream")
    assert hits(run, "retries") == ["webhook-retries"]
    assert "`diurna sync` fetches them" in run("recall", "--in", "upstream", "retries").err


def test_a_model_asks_others_too(org: Organisation) -> None:
    """By the same tools, and by the ids that they give; a server sees what a sync brought meanwhile."""
    memory = org.team.memory
    assert not tools.recall(memory, Caller(), query="data")["hits"]
    org.sync()
    found = tools.recall(memory, Caller(), query="personal data")
    assert [hit["id"] for hit in found["hits"] if ":" not in hit["id"]] == ["org/no-pii"]
    got = tools.get(memory, Caller(), ids=["org/no-pii"])
    assert "No personal data in logs." in got["hits"][0]["text"]
    org.theirs.create("grpc", "Services speak gRPC.")
    org.theirs.sync()
    org.sync()
    found = tools.recall(memory, Caller(), query="gRPC services")
    assert [hit["id"] for hit in found["hits"] if ":" not in hit["id"]] == ["org/grpc"]
    memory.close()


@pytest.mark.deep(reason="the other tests here have it without a redaction")
def test_what_others_redact_goes_with_the_next_sync(asked: Organisation, run: Run) -> None:
    """From the answers, and from all that was kept of it beside what was fetched."""
    token = "zanzibarqoukka"
    asked.theirs.create("vault", f"The key of the vault is {token}.")
    asked.theirs.sync()
    asked.sync()
    folder = asked.team.folder / ".git/diurna"

    def kept() -> list[Path]:
        return [one for one in folder.rglob("cache/*") if token.encode() in one.read_bytes()]

    assert hits(run, token) == ["org/vault"] and kept()
    home = str(asked.theirs.folder)
    assert run("redact", "vault", "--reason", "a slip", "--home", home).code == 0
    asked.theirs.sync()
    asked.sync()
    for command in (("recall", token), ("show", "org/vault"), ("why", "org/vault"), ("brief",)):
        assert token not in run(*command).out
    assert not kept()
