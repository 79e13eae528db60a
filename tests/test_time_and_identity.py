"""Clocks that go wrong, commits of odd times, and ids that look like others (faults of group F)."""

from __future__ import annotations

import json
import os
from itertools import permutations

import pytest

from tests.conftest import sampled
from tests.world import EMAIL, IN_TREE, NAME, OWN_REPOSITORY, Place, World, sealed

HOUR, DAY = 3600, 24 * 3600


@pytest.fixture
def shop(world: World) -> Place:
    return world.home(OWN_REPOSITORY, facts={"use-x": "convention: Use X always."})


def pull(shop: Place, other: Place) -> None:
    shop.git("pull", "-q", "--no-rebase", "--no-edit", str(other.folder), "main")


def other_clone(shop: Place) -> Place:
    shop.git("clone", "-q", ".", str(shop.world.folder / "two"))
    other = shop.world.place("two")
    other.git("config", "user.name", NAME)
    other.git("config", "user.email", EMAIL)
    return other


def reword(shop: Place, text: str) -> str:
    return shop.session("Reword", "--update", "use-x", text)


def stem_of(stamp: str, data: bytes) -> str:
    return f"{stamp}-{sealed(data)}"


def test_f2_a_clock_far_ahead_is_flagged_and_wins_nothing(shop: Place) -> None:
    """A log of 2099 counts; against a change that it has not seen it is one of two versions, and agreed is agreed."""
    other, now = other_clone(shop), shop.clock.now_ms
    shop.clock.now_ms = 4_070_908_800_000
    ahead = reword(other, "Use X in 2099.")
    assert "clock-ahead" not in other.check("--ci")
    shop.clock.now_ms = now
    here = reword(shop, "Use X now.")
    pull(shop, other)
    versions = {one["text"] for one in shop.show()["use-x"]["versions"]}
    assert versions >= {"Use X in 2099.", "Use X now."} and shop.show()["use-x"]["contradiction"]
    found = {one["code"]: one for one in shop.run("check", "--ci", code=None).json["findings"]}
    assert found["clock-ahead"]["severity"] == "warning" and ahead in str(found["clock-ahead"])
    later = reword(shop, "Use X, agreed.")
    assert here < ahead < later
    assert shop.texts()["use-x"] == "Use X, agreed." and not shop.show()["use-x"]["contradiction"]


@pytest.mark.parametrize(("back", "flagged"), [(DAY - 60, False), (DAY + 60, True)])
def test_f2_a_day_ahead_is_tolerated(shop: Place, back: int, flagged: bool) -> None:
    shop.clock.go(seconds=-back)
    assert ("clock-ahead" in shop.check("--ci")) is flagged


@pytest.mark.parametrize("hosts", [("", ""), ("mercury", "venus")])
def test_f3_f4_two_sessions_in_one_millisecond_are_both_kept(
    shop: Place, hosts: tuple[str, str]
) -> None:
    """The name holds a hash of the content; `host` tells agents of one name on two machines apart."""
    other, stems, now = other_clone(shop), [], shop.clock.now_ms
    for place, title, host in zip(
        (shop, other), ("Mine", "Mine" if hosts[0] else "Theirs"), hosts, strict=True
    ):
        shop.clock.now_ms = now
        stems.append(place.session(title, "--ref", "use-x", *(["--host", host] if host else [])))
    assert stems[0][:20] == stems[1][:20] and stems[0] != stems[1]
    pull(shop, other)
    shop.holds(stems)
    assert shop.show()["use-x"]["uses"] == 3
    assert not hosts[0] or all(
        f"host: {host}\n".encode() in shop.logs()[stem]
        for host, stem in zip(hosts, stems, strict=True)
    )


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "UTC"])
def test_f5_times_are_utc_whatever_the_zone(shop: Place, zone: str) -> None:
    """The night in which a zone sets its clock back has no instant twice."""
    shop.clock.now_ms = 1_792_887_000_000 + 40 * DAY * 1000
    stamps: list[str] = []
    for _ in range(2):
        stamps.append(
            shop.process("note", f"It is {len(stamps)}.", env={"TZ": zone}).json["stem"][:20]
        )
        shop.clock.go(seconds=HOUR - 1)
    assert stamps == ["2026-12-04-001001000", "2026-12-04-011001000"]
    assert b"ended: 2026-12-04T01:10:01.000Z\n" in [*shop.logs().values()][-1]


#: The name of a file among the logs -> what is told of it.
NAMES = {
    "2026-11-20-240000000": "date-only-name", "2026-11-20-235960000": "date-only-name", "2026-02-30-101500": "bad-name",
    "2026-13-01": "bad-name", "26-1-1": "bad-name", "2026-11-20-101500-Refactor": "bad-name", "2026-11-20-101500": "",
}  # fmt: skip


@pytest.mark.parametrize(
    "said", sampled(["yesterday", "2026-11-21 10:00 CET", "2099-01-01T00:00:00+14:00"], 2)
)
def test_f5_f10_only_a_name_with_a_true_time_orders(shop: Place, said: str) -> None:
    """What a log says of its time moves it nowhere; what is no date names no log, and nothing is raised."""
    files, wanted = {}, {}
    for number, (name, code) in enumerate(NAMES.items()):
        body = (
            f"---\nended: {said}\n---\n# T{number}\n\n## Memory References\n\n- Referenced: use-x\n"
        )
        stem = stem_of(name, body.encode()) if len(name) == 20 else name
        files[f"sessions/{stem}.md"], wanted[f"sessions/{stem}.md"] = body, code
    shop.plant(files)
    found = shop.run("check", "--ci", code=None).json["findings"]
    codes = {one["file"]: one["code"] for one in found if one["code"] in wanted.values()}
    assert codes == {file: code for file, code in wanted.items() if code}
    counts = 1 + len([code for code in wanted.values() if code != "bad-name"])
    fact = shop.show()["use-x"]
    assert len(shop.run("log").json["sessions"]) == fact["uses"] == counts
    assert fact["last_used"] == "2026-11-21"


@pytest.mark.deep(but=("-1", "9"))
@pytest.mark.parametrize("seconds", ["-1", "0", "1099511627776", "99999999999999999999"])
def test_f6_commit_times_play_no_part(shop: Place, seconds: str) -> None:
    """A history whose commits lie before 1970 or far in the future is read alike, blamed alike, and written on."""

    def commit(tree: str, parents: list[str], at: str) -> str:
        lines = [f"tree {tree}", *[f"parent {one}" for one in parents]]
        lines += [f"{role} M <m@example.org> {at} +0000" for role in ("author", "committer")]
        data = "\n".join([*lines, "", "a log", ""]).encode()
        return shop.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", data=data)

    reword(shop, "Use X mostly.")
    doomed = shop.run("append", "--title", "Third", "--ref", "use-x").json["path"]
    said = shop.page()
    parents: list[str] = []
    for one in shop.git("rev-list", "--reverse", "HEAD").split("\n"):
        parents = [commit(shop.git("rev-parse", f"{one}^{{tree}}"), parents, seconds)]
    shop.git("reset", "-q", "--hard", parents[0])
    assert shop.page() == said
    shop.warm_is_cold()
    assert shop.check("--ci") == []
    shop.git("rm", "-q", doomed)
    culprit = commit(shop.git("write-tree"), parents, "1")
    shop.git("reset", "-q", "--hard", commit(shop.git("write-tree"), [culprit], seconds))
    (deleted,) = [
        one
        for one in shop.run("check", "--ci", code=None).json["findings"]
        if one["code"] == "log-deleted"
    ]
    assert culprit[:12] in deleted["message"]
    assert shop.run("note", "It goes on.").json["commit"] == shop.tip()


_HEAD = "# T\n\n## Memory References\n\n"
#: Logs that name each other's facts: whatever comes first, the same holds in the end, and what is
#: missing is told.
PENDING = {
    "a successor": (("- Created: old\n\n## Facts\n\n- Old.\n  <!-- id: old -->\n", "- Superseded: old → new\n",
                     "- Created: new\n\n## Facts\n\n- New.\n  <!-- id: new -->\n"), "unknown-id"),
    "what was false": (("- Created: new\n- Superseded: old → new\n\n## Facts\n\n- New.\n  <!-- id: new -->\n",
                        "- Created: old\n\n## Facts\n\n- Old.\n  <!-- id: old -->\n"), "unknown-id"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("which", "order"),
    [
        (which, order)
        for which, (logs, _) in PENDING.items()
        for order in permutations(range(len(logs)))
    ],
)
def test_f7_what_nobody_has_seen_yet_is_pending_and_resolves(
    world: World, which: str, order: tuple[int, ...]
) -> None:
    """In any order in which the logs arrive."""
    logs, code = PENDING[which]
    shop, codes = world.home(), []
    for turn in order:
        data = (_HEAD + logs[turn]).encode()
        shop.plant({f"sessions/2026-09/21/{stem_of(f'2026-09-21-10000000{turn}', data)}.md": data})
        if order == tuple(sorted(order)) or turn == order[-1]:
            codes.append({*shop.check("--ci")} & {"unknown-id"})
    facts = shop.show()
    assert (facts["old"]["superseded_by"], facts["old"]["tier"]) == (["new"], "superseded")
    assert facts["new"]["tier"] != "superseded" and codes[-1] == set()
    assert order != tuple(sorted(order)) or {code} in codes


LOOKALIKES = (
    "us\u0435-x", "\u0440roxy", "use\u2010x", "use\u00adx", "use-\u04451", "caf\u00e9", "cafe\u0301", "use\uff0dx",
    "\uff55se-x", "use-\u2460", "use-\u0661", "Use-X",
)  # fmt: skip


def test_f8_f9_f10_what_looks_like_an_id_is_none(shop: Place) -> None:
    """No letters of other scripts, no form of Unicode, no case: each costs only itself, and is told with its line."""
    logs = [f"{_HEAD}- Referenced: {text}, use-x\n".encode() for text in LOOKALIKES]
    stems = [stem_of(f"2026-11-21-0900000{at:02}", data) for at, data in enumerate(logs)]
    files = [f"sessions/2026-11/21/{stem}.md" for stem in stems]
    shop.plant(dict(zip(files, logs, strict=True)))
    bad = [
        one
        for one in shop.run("check", "--ci", code=None).json["findings"]
        if one["code"] == "bad-id"
    ]
    assert sorted(one["line"] for one in bad) == [5] * len(LOOKALIKES)
    assert set(shop.show()) == {"use-x"}
    assert shop.show()["use-x"]["uses"] == 1 + len(LOOKALIKES)
    paths = shop.git("ls-files").split("\n")
    assert len({path.lower() for path in paths}) == len(paths), (
        "no two collide on a disk that sees no case"
    )


NO_IDS = ["..", ".", "-rf", "--help", "a/b", "a\\b", "con.", ".git", "a..b", "a b", "~", "x" * 10_240,
          *sampled(LOOKALIKES, 6)]  # fmt: skip


@pytest.mark.parametrize("part", range(4))
def test_f11_what_is_no_id_is_refused_before_anything_is_written(shop: Place, part: int) -> None:
    """Wherever it stands; and no path is made of one."""
    before = shop.shape()
    for text in NO_IDS[part::4]:
        for option in (f"--close={text}", f"--supersede=use-x={text}", f"--invalidate={text}"):
            assert shop.run("append", "--title", "T", option, code=None).code in (1, 2), option
        update = ("append", "--title", "T", "--update", text, "Text.")
        assert shop.run(*update, code=None).code in (1, 2), text
        new = json.dumps({"title": "T", "new": [{"id": text, "text": "Text."}]})
        shop.run("append", "--from-json", "-", "--dry-run", stdin=new, code=1)
    assert shop.shape() == before
    assert not [name for name in os.listdir(shop.folder) if name.startswith("x")]


def test_f11_an_id_that_some_system_reserves_is_harmless(world: World) -> None:
    shop = world.home(IN_TREE)
    shop.note("id=con fact: It is one.", "id=nul fact: It is another.")
    assert set(shop.show()) == {"con", "nul"}
    assert not [
        path for path in shop.git("ls-files").split("\n") if "con." in path or "nul" in path
    ]
