"""Homes of others that are read beside one's own: what `[upstream]` names, `diurna sync` fetches, and nothing writes to."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.world import IN_TREE, OWN_REPOSITORY, World

DAY = 86_400


class Organisation:
    """A home of others, whose hub a team's own home names."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.laid("an organisation", self._make)
        self.theirs, self.hub, self.team = map(world.place, ("theirs", "org.git", "shop"))
        self.policy = self.team.show_file("diurna.toml").decode()
        self.name('org = "../org.git"')

    @staticmethod
    def _make(apart: World) -> None:
        facts = {"no-pii": "invariant: No personal data in logs."}
        apart.home(OWN_REPOSITORY, "theirs", facts=facts).join(apart.hub("org.git"))
        apart.home(OWN_REPOSITORY, "shop", facts={"ours": "fact: This is ours."})

    def name(self, policy: str, allow: bool = True) -> None:
        """Let the team's policy name others."""
        self.team.plant({"diurna.toml": f"{self.policy}\n[upstream]\n{policy}\n"})
        self.team.git("config", "protocol.file.allow", "always" if allow else "user")

    def sync(self) -> Any:
        return self.team.sync()

    def create(self, text: str) -> None:
        self.theirs.note(text)
        self.theirs.sync()

    def hits(self, *words: str) -> list[str]:
        """Return the facts that the team's recall finds."""
        found = self.team.run("recall", *words).json["hits"]
        return [hit["id"] for hit in found if ":" not in hit["id"]]

    def read(self) -> list[str]:
        return sorted(self.hits("data", "--in", "upstream"))

    @property
    def fetched(self) -> Path:
        return self.team.folder / ".git/diurna/upstream/org.git"


@pytest.fixture
def org(world: World) -> Organisation:
    return Organisation(world)


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_home_of_others_is_fetched_and_read(org: Organisation) -> None:
    """Also without a remote of one's own; what is new there comes with the next sync; nothing goes there."""
    assert org.read() == []
    report = org.sync()
    assert [(one["name"], one["logs"], one["new"]) for one in report["upstreams"]] == [
        ("org", 1, 1)
    ], report
    assert not any(report[key] for key in ("agents", "went", "tries", "ahead", "kept", "dry_run"))
    assert org.read() == ["org/no-pii"]
    org.create("id=grpc decision: Services send data by gRPC.")
    before = everything(org.hub.folder)
    assert org.sync()["upstreams"][0]["new"] == 1 and org.sync()["upstreams"][0]["new"] == 0
    assert org.read() == ["org/grpc", "org/no-pii"]
    assert everything(org.hub.folder) == before
    assert set(org.team.texts()) == {"ours"} and "no-pii" not in org.team.page()
    assert org.fetched.stat().st_mode & 0o077 == 0
    for wrong in (("nowhere",), ("--dry-run",)):
        assert org.team.run("sync", *wrong, code=1).said == "NoRemote"


def test_beside_a_remote_of_its_own(org: Organisation) -> None:
    """The own sync goes on whatever becomes of the others, and a policy that came by it counts at once."""
    org.team.join(org.world.hub("own.git"), sync=False)
    org.hub.folder.rename(org.hub.folder.with_suffix(".away"))
    org.team.note("It is away.")
    answer = org.team.run("sync")
    assert "upstream-stale" in answer.codes()
    (told,) = answer.json["upstreams"]
    assert "org.git is not there" in told.pop("problem")
    assert told == {"name": "org", "url": "../org.git", "logs": 0, "new": 0}
    org.hub.folder.with_suffix(".away").rename(org.hub.folder)
    late = org.team.clone("late")
    late.git("config", "protocol.file.allow", "always")
    assert late.sync()["upstreams"][0]["logs"] == 1
    assert late.run("sync", "--dry-run").json["upstreams"] == []


def test_offline_what_was_fetched_last_is_read_and_its_age_is_said(org: Organisation) -> None:
    org.sync()
    shutil.rmtree(org.hub.folder)
    answer = org.team.run("sync")
    (stale,) = [one for one in answer.json["findings"] if one["code"] == "upstream-stale"]
    assert stale["message"].endswith("; what is read of it was fetched today")
    assert org.read() == ["org/no-pii"] and "org (fetched today)" in org.team.text("status")
    note = org.fetched / "diurna/fetched"
    then = int(note.stat().st_mtime - 45.5 * DAY)
    note.write_bytes(re.sub(rb"^\d+", str(then).encode(), note.read_bytes()))
    os.utime(note, (then, then))
    assert org.team.status()["reads"][0]["age"] == "fetched 45 days ago"
    told = org.team.run("check", code=None).json["findings"]
    assert any(re.search(r"was fetched \d\d days ago", one["message"]) for one in told), told
    for wrong in (b"", b"x .\n", b"1 ../x\n", b"\xff" * 9000):
        note.write_bytes(wrong)
        org.team.run("status")
    org.team.run("recall", "data")


@pytest.mark.parametrize("where", ["../org.git", "file://{}"])
def test_j8_a_path_of_this_machine_takes_the_users_leave(org: Organisation, where: str) -> None:
    """As git has it for what a repository names."""
    org.name(f'org = "{where.format(org.hub.folder)}"', allow=False)
    (problem,) = [one for one in org.sync()["findings"] if one["code"] == "upstream-stale"]
    assert "git takes such a path from users alone" in problem["message"]
    assert "protocol.file.allow always" in problem["hint"] and org.read() == []


@pytest.mark.deep(only=("-u", "fd::", "../org.git#--all"))
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ext::sh -c 'touch {}/ran'", "it could run a command"), ("--upload-pack=touch {}/ran", "it could run a command"),
        ("-u{}/x", "it could run a command"), ("fd::7", "it could run a command"), ("../org.git#../../x", "names no branch"),
        ("../org.git#--all", "no memory in|names no branch|has no branch"), ("../org.git#gone", "there is no memory in"),
        ("../empty.git", "there is no memory in"), ("../code", "there is no memory in"), ("../nothing", "nothing is at"),
    ],
)  # fmt: skip
def test_j10_what_is_no_home_is_refused(org: Organisation, url: str, said: str) -> None:
    """With a reason and nothing run; what was fetched under that name before is not taken for it."""
    org.sync()
    org.world.hub("empty.git")
    org.world.repository("code")
    org.name(f'org = "{url.format(org.world.folder)}"')
    (problem,) = [one for one in org.sync()["findings"] if one["code"] == "upstream-stale"]
    assert re.search(said, problem["message"]), problem
    assert org.read() == [] and not (org.world.folder / "ran").exists()


@pytest.mark.parametrize("own", ["", "core.sshCommand", "GIT_SSH_COMMAND", "GIT_SSH"])
def test_i3_over_ssh_nobody_is_asked(
    org: Organisation, monkeypatch: pytest.MonkeyPatch, own: str
) -> None:
    """For a password or a key; whoever says by which command ssh is reached has said how, too."""
    given = org.world.folder / "given"
    says = f'#!/bin/sh\necho "$@" >{given}\nfor last; do :; done\nexec sh -c "$last"\n'
    script = org.team.write(".git/bin/ssh", says)
    script.chmod(0o755)
    if "." in own:
        org.team.git("config", own, str(script))
    elif own:
        monkeypatch.setenv(own, str(script))
    else:
        monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    org.name(f'org = "ssh://there{org.hub.folder}"')
    assert org.sync()["upstreams"][0]["logs"] == 1
    assert ("BatchMode=yes" in given.read_text()) != bool(own)


@pytest.mark.parametrize("how", ["too much", "silent"])
def test_i6_j4_one_that_sends_too_much_or_nothing_holds_nothing_up(
    org: Organisation, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """What was here of it stays, and the next one is fetched."""
    org.sync()
    if how == "too much":
        monkeypatch.setattr("ledger.remote.transport.NEWEST_LIMIT_MB", 1)
        org.theirs.write("huge", os.urandom(3 << 20))
        org.theirs.commit_all("huge")
        org.theirs.git("push", "-q", "origin", "main")
        messages = [one["message"] for one in org.sync()["findings"]]
        assert "sends more than 1 MB" in messages[0] and not list(org.fetched.rglob("tmp_*"))
    else:
        monkeypatch.setattr("ledger.remote.transport.ASK_SECONDS", 0.3)
        with socket.create_server(("127.0.0.1", 0)) as server:
            org.name(
                f'mute = "git://127.0.0.1:{server.getsockname()[1]}/memory.git"\norg = "../org.git"'
            )
            messages = [one["message"] for one in org.sync()["findings"]]
        assert "mute was not fetched" in messages[0]
    assert org.read() == ["org/no-pii"]


def test_a_default_branch_that_is_gone_is_looked_for(org: Organisation) -> None:
    """Among the usual names; where none is there, that is said."""
    org.hub.git("symbolic-ref", "HEAD", "refs/heads/gone")
    org.sync()
    assert org.read() == ["org/no-pii"]
    org.hub.git("branch", "-m", "main", "other")
    org.name('org = "../org.git"')
    assert "it has no branch to look at" in str(org.sync()["findings"])


def test_which_branch_and_folder_of_others_is_read(org: Organisation) -> None:
    """One that is named, a home beside code, and a history that was rewritten."""
    org.hub.git("branch", "-m", "main", "other")
    app = org.world.home(
        IN_TREE, "app", facts={"one": "fact: The first service sends data by gRPC."}
    )
    kept = app.tip()
    app.note("id=two fact: The second service sends data by gRPC.")
    org.name('app = "../app#main"\norg = "../org.git#other"')
    report = org.sync()
    assert [one["logs"] for one in report["upstreams"]] == [2, 1], report
    assert org.read() == ["app/one", "app/two", "org/no-pii"]
    app.git("reset", "-q", "--hard", kept)
    org.sync()
    assert org.read() == ["app/one", "org/no-pii"]


def test_a3_a_killed_fetch_is_in_nobodys_way(org: Organisation) -> None:
    """Its locks are taken away by the next one; settings of the user's own reach the remote, other ones do not."""
    org.name('org = "https://git.example.org/org.git"')
    org.team.git("config", f"url.{org.hub.folder}.insteadOf", "https://git.example.org/org.git")
    org.team.git("config", "core.sshCommand", "false")
    org.sync()
    for name in (
        "shallow.lock",
        "HEAD.lock",
        "refs/heads/upstream.lock",
        "refs/diurna/arrived.lock",
    ):
        (org.fetched / name).parent.mkdir(exist_ok=True)
        (org.fetched / name).touch()
    org.create("id=grpc decision: Services send data by gRPC.")
    org.sync()
    assert org.read() == ["org/grpc", "org/no-pii"]


# ---- asked beside one's own
# ---------------------------------------------------------------------------------


@pytest.fixture
def asked(org: Organisation) -> Organisation:
    """A team that has read of others, and knows something of its own about the same."""
    org.create("id=retries fact: Retries of webhooks are jittered.")
    org.sync()
    org.team.note("id=webhook-retries fact: Our webhooks have three retries.")
    return org


def test_what_others_hold_stands_behind_ones_own(asked: Organisation) -> None:
    """Under their name; a third of the places and what is free, and where one's own is asked, none."""
    assert asked.hits("retries", "-n", "2") == ["webhook-retries", "org/retries"]
    assert asked.hits("retries", "-n", "1") == ["webhook-retries"]
    for only in (("--in", "facts"), ("--as-of", "2030-01-01")):
        assert asked.hits("retries", *only) == ["webhook-retries"]
    assert asked.hits("retries", "--kind", "invariant") == []
    assert asked.hits("personal data in logs") == ["org/no-pii"]
    asked.team.note(
        "id=late fact: Late webhooks are no retries.", "id=few fact: Few retries are needed."
    )
    mixed = asked.hits("retries", "--kind", "fact", "-n", "3")
    assert (len(mixed), mixed[2]) == (3, "org/retries"), "theirs is one of three, not one more"


def test_what_others_hold_is_shown_by_its_name_and_nothing_changes(asked: Organisation) -> None:
    """A fact, a passage and a log by `recall --ids`, a fact by `show` and `why`; a write to it is refused."""
    team = asked.team
    hits = team.run("recall", "--in", "upstream", "retries", "--kind", "session").json["hits"]
    passage = hits[0]["id"]
    wanted = ["org/no-pii", passage, "webhook-retries", passage.partition(":")[0]]
    assert [
        hit["id"] for hit in team.run("recall", "--ids", ",".join(wanted)).json["hits"]
    ] == wanted
    assert "No personal data in logs." in team.text("show", "org/no-pii")
    told = team.text("why", "org/no-pii")
    assert told.startswith("org/no-pii  said by ") and "commit" not in told
    for wrong, said in (
        (("show", "org/none"), "there is no fact none"), (("show", "gone/none"), "there is no home gone here"),
        (("why", "gone/none"), "there is no home gone here"), (("recall", "--ids", "gone/none"), "there is no memory gone/none"),
    ):  # fmt: skip
        assert said in team.run(*wrong, code=1).err
    before = everything(asked.hub.folder), team.tip()
    for command in (
        ("check",),
        ("append", "--title", "A", "--ref", "org/no-pii"),
        ("review", "--confirm", "org/no-pii"),
    ):
        team.run(*command, code=None)
    assert (everything(asked.hub.folder), team.tip()) == before


def test_a_model_asks_others_too(org: Organisation) -> None:
    """By the same tools, and by the ids that they give; a server sees what a sync brought meanwhile."""
    pytest.importorskip("mcp")
    import anyio

    from tests.mcp_clients import ask, connected, open_home

    async def story() -> None:
        async with connected(org.team.folder, open_home) as client:

            async def found(query: str) -> list[str]:
                hits = (await ask(client, "recall", query=query))["hits"]
                return [hit["id"] for hit in hits if ":" not in hit["id"]]

            assert await found("personal data") == []
            org.sync()
            assert await found("personal data") == ["org/no-pii"]
            (hit,) = (await ask(client, "get", ids=["org/no-pii"]))["hits"]
            assert "No personal data in logs." in hit["text"]

    anyio.run(story)


def test_c18_one_that_can_not_be_read_is_told(asked: Organisation) -> None:
    """One's own is answered all the same; what nobody fetched is named with what to do."""
    shutil.rmtree(asked.fetched / "objects")
    shutil.rmtree(asked.fetched / "diurna/cache")
    assert "Our webhooks have three retries." in asked.team.text("recall", "retries")
    assert "Our webhooks have three" in asked.team.process("brief", json=False).out
    assert "org can not be asked" in asked.team.run("recall", "--in", "upstream", "retries").out
    shutil.rmtree(asked.fetched.parent)
    assert asked.hits("retries") == ["webhook-retries"]
    answer = asked.team.run("recall", "--in", "upstream", "retries")
    assert "`diurna sync` fetches them" in answer.out


@pytest.mark.deep(reason="the other tests here have it without a redaction")
def test_what_others_redact_goes_with_the_next_sync(asked: Organisation) -> None:
    """From the answers, and from all that was kept of it beside what was fetched."""
    token = "zanzibarqoukka"
    asked.create(f"id=vault fact: The key of the vault is {token}.")
    asked.sync()

    def kept() -> list[Path]:
        found = (asked.team.folder / ".git/diurna").rglob("cache/*")
        return [one for one in found if one.is_file() and token.encode() in one.read_bytes()]

    assert asked.hits(token) == ["org/vault"] and kept()
    asked.theirs.run("redact", "vault", "--reason", "a slip")
    asked.theirs.sync()
    asked.sync()
    for command in (("recall", token), ("show", "org/vault"), ("why", "org/vault"), ("brief",)):
        assert token not in asked.team.process(*command, code=None, json=False).out
    assert not kept()
