"""Who wrote what, and when: as git counts people, as each machine's clock says, and in local days."""

from __future__ import annotations

import random
import re
from datetime import datetime, timedelta
from html import unescape
from zoneinfo import ZoneInfo

import pytest

from ledger.model.log_names import stamp_of
from memory import Memory, SessionDraft
from tests.conftest import examples
from tests.web_client import client_of, main_of
from tests.world import OWN_REPOSITORY, Place, World, sealed

HOUR, DAY, YEAR = 3600, 86_400, 365 * 86_400
#: What the environment says, what the configuration says.
PEOPLE: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "environment": ({"AUTHOR_NAME": "Cy", "AUTHOR_EMAIL": "cy@a.test"}, {"author.name": "Ed"}),
    "committer": ({"COMMITTER_NAME": "Di", "COMMITTER_EMAIL": "di@a.test"}, {}),
    "half": ({"AUTHOR_NAME": "Cy"}, {"author.email": "ed@a.test", "committer.name": "Flo"}),
    "settings": ({}, {"author.name": "Ed", "author.email": "ed@a.test", "committer.email": "f@a.test"}),
    "as git cleans": ({"AUTHOR_NAME": " J. <R>. ", "AUTHOR_EMAIL": "", "COMMITTER_NAME": "Ünal,"}, {}),
    "mail": ({"EMAIL": "e@a.test"}, {"user.email": ""}),
    "a date": ({"AUTHOR_DATE": "2020-01-02T03:04:05 +0200"}, {}),
    "dates": ({"AUTHOR_DATE": "@1700000000 -0330", "COMMITTER_DATE": "@1700000000 -0330"}, {}),
}  # fmt: skip
_SAID = "%an|%ae|%cn|%ce|{}|{}"


@pytest.mark.parametrize("way", ["command", "library"])
@pytest.mark.parametrize("who", PEOPLE)
def test_a_commit_is_by_whom_git_says(world: World, who: str, way: str) -> None:
    """Git itself is asked, in the same place; `why` names the author, and `undo` knows its own."""
    home, (environment, settings) = world.home(OWN_REPOSITORY), PEOPLE[who]
    for key, value in settings.items():
        home.git("config", *([key, value] if value else ["--unset", key]))
    env = {("" if key == "EMAIL" else "GIT_") + key: one for key, one in environment.items()}
    form = _SAID.format(
        *("%ad" * (f"{one}_DATE" in environment) for one in ("AUTHOR", "COMMITTER"))
    )
    with home._standing(env):
        if way == "command":
            home.run("note", "id=a fact: One.")
        else:
            Memory.open(".").append(SessionDraft(title="One."))
        said = home.git("log", "-1", f"--format={form}", "--date=raw")
        home.git("commit", "-q", "--allow-empty", "-m", "by git")
        assert said == home.git("log", "-1", f"--format={form}", "--date=raw")
    if way == "command":
        step = home.run("why", "a").json["events"][0]
        assert (step["author"], step["via"]) == (said.split("|")[0], "")
        assert home.run("undo", "--dry-run", env=env, code=None).code == 0


def told(home: Place, *query: str) -> list[dict[str, str]]:
    """Return the changes of the page of decisions, newest first."""
    now = home.clock.now_ms
    client = client_of(home.folder, open_memory=lambda one: Memory(one, clock=lambda: now)).login()
    page = main_of(client.get("/decisions?" + "&".join(query)).text)
    rows = []
    for one in page.split("<article")[1:]:
        words = re.sub(
            r"\s+",
            " ",
            unescape(re.sub(r"<[^>]+>", " ", one.partition(">")[2].partition("</article")[0])),
        ).strip()
        by, day, fact, rest = re.fullmatch(
            r"(\w+)\W.*?(\d{4}-\d\d-\d\d|day not known) ([\w-]+) (.*)", words
        ).groups()  # type: ignore[union-attr]
        rows.append({"by": by, "day": day, "fact": fact, "said": rest})
    return rows


def test_each_change_of_a_decision_is_told_once(world: World) -> None:
    """By its own person, day and reason, with the words that changed; a filter finds it by them."""
    home = world.home(OWN_REPOSITORY)
    home.note("id=tries decision: Webhooks are tried three times, with jitter.")
    home.git("config", "user.name", "Bo")
    home.clock.go(days=30)
    home.run("edit", "tries", "Webhooks are tried five times, with jitter.", "--reason", "Shops asked.", "--agent", "codex")  # fmt: skip
    home.clock.go(days=1)
    home.note("tries -> decision: id=often Webhooks are tried for a day.")
    home.git("config", "user.name", "Cy")
    home.run("forget", "often", "--false", "--reason", "It was a test.")
    wanted = [
        ("Cy", "2026-12-22", "often", "marked as false", "It was a test."),
        ("Bo", "2026-12-22", "often", "Replaced tries", "tried five times"),
        ("Bo", "2026-12-21", "tries", "three → five", "Shops asked."),
        ("Ada", "2026-11-21", "tries", "superseded by often", "tried three times"),
    ]
    rows = told(home)
    assert [(one["by"], one["day"], one["fact"]) for one in rows] == [one[:3] for one in wanted]
    for row, (*_, did, words) in zip(rows, wanted, strict=True):
        assert did in row["said"] and words in row["said"], row
    assert [one["by"] for one in told(home, "person=Bo")] == ["Bo", "Bo"]
    assert [one["fact"] for one in told(home, "agent=codex")] == ["tries"]
    assert told(home, "since=2026-12-21", "until=2026-12-21") == rows[2:3]
    view = home.text("view", "decisions")
    assert "Reworded: 2026-12-21 (Shops asked.), it said: Webhooks are tried three times" in view


#: How far a clock is off, in seconds, drawn for each clone anew.
OFF = (-YEAR, -HOUR, -2, 0, 0, 3, 70, 600, 30 * HOUR, YEAR)


@pytest.mark.parametrize("seed", range(examples(3)))
def test_f1_a_clock_takes_no_author_and_no_day_away(world: World, seed: int) -> None:
    """Each change once, by whom its commit says, in the order of the stems, on no day that is yet to come."""
    draw = random.Random(seed)
    home = world.home(OWN_REPOSITORY, facts={"x": "decision: It is 0."})
    true = home.clock.now_ms
    stems = [*home.logs()]
    clocks = [true]
    for number in range(1, 5):
        off = draw.choice(OFF)
        home.clock.now_ms = true + number * 1000 + off * 1000
        clocks.append(home.clock.now_ms)
        by = draw.choice(("Ada", "Bo", "Cy"))
        env = {"GIT_AUTHOR_NAME": by, "GIT_COMMITTER_NAME": by}
        stems.append(home.run("edit", "x", f"It is {number}.", env=env).json["stem"])
    home.clock.now_ms = true + 10_000
    assert stems == sorted(stems)
    steps = [one for one in home.run("why", "x").json["events"] if one["text"]]
    assert [one["stem"] for one in steps] == stems
    authors = home.git("log", "--reverse", "--format=%an", "--", "sessions").split("\n")
    assert [one["author"] for one in steps] == authors
    now = stamp_of(home.clock.now_ms + 1000)
    assert all(
        one["date"] <= f"{now[:10]}T{now[11:13]}:{now[13:15]}:{now[15:17]}.{now[17:]}Z"
        for one in steps
    )
    rows = told(home)
    assert len(rows) == len(stems)
    assert all(one["day"] <= now[:10] or one["day"][:3] == "day" for one in rows)
    assert sum("is stamped" in one["message"] for one in home.run("check", "--ci", code=None).json["findings"]) <= 1  # fmt: skip
    assert "stamp-moved" not in home.check("--ci")
    since = home.run("log", "--since", "2026-11-21", env={"TZ": "UTC"}).json["sessions"]
    assert len(since) == sum(f"{stamp_of(at)[:10]}" >= "2026-11-21" for at in clocks)


#: A day or an instant, and no part of a name.
_SHOWN = re.compile(r"(?<![\w:/-])(\d{4}-\d\d-\d\d)(?![\d:+-]|~)")
DOORS = (
    "show", "show --list", "show near far", "recall --level full far", "why far", "show --about shop", "log", "recall near --in facts", "recall words",
    "recall near --level timeline", "recall --level full near", "task list", "brief", "why near", "why do-it",     "view decisions", "view state", "view progress", "view daily", "view daily 2026-11-21", "recall 2026-11-21 --level timeline",
)  # fmt: skip
PAGES = ("/", "/facts", "/decisions", "/tasks", "/log", "/fact/near", "/fact/far", "/fact/chosen", "/health")  # fmt: skip


@pytest.mark.parametrize("way", ["text", "run", "web"])
def test_what_follows_a_clock_that_is_ahead_has_its_own_day(world: World, way: str) -> None:
    """At each door, in print and in JSON, no day is later than the machine's clock; the page is as it is replayed."""
    home = world.home(OWN_REPOSITORY)
    true = home.clock.now_ms
    home.clock.now_ms += YEAR * 1000
    home.note("id=far entity=shop fact: Far words.", "id=oak decision: Choose elm.")
    home.clock.now_ms = true + 5000
    stem = home.note("id=near entity=shop fact: Near the words.", "id=do-it task: Do it.", "id=chosen decision: Choose ash.")  # fmt: skip
    home.run("task", "start", "do-it")
    home.run("edit", "near", "Nearer the words.")
    home.run("edit", "chosen", "Choose oak.")
    home.append("---\nagent: b\n---\n# More words\n\n## Memory References\n\n- Referenced: near\n- Verified: chosen\n")  # fmt: skip
    assert stem[:4] == "2027"
    if way == "web":
        client = client_of(home.folder, open_memory=lambda one: Memory(one, clock=lambda: true + 5000)).login()  # fmt: skip
        shown = {page: re.sub(r"<[^>]+>", " ", main_of(client.get(page).text)) for page in (*PAGES, f"/session/{stem}")}  # fmt: skip
    else:
        shown = {door: str(getattr(home, way)(*door.split())) for door in DOORS}
        for door, rows in (("recall near", "hits"), ("log", "sessions")):
            span = "--since", "2026-11-21", "--until", "2026-11-21"
            assert home.run(*door.split(), *span).json[rows]
        assert all("More words" in shown[door] for door in DOORS if "2026-11-21" in door)
    shown["show"] = re.sub("<!-- id: (far|oak) .*", "", shown.get("show", ""))
    late = [(door, text[max(at.start() - 60, 0) : at.end()]) for door, text in shown.items() for at in _SHOWN.finditer(text) if at[1] > "2026-11-22"]  # fmt: skip
    assert not late


ZONES = "UTC Europe/Berlin America/Los_Angeles Asia/Kathmandu Pacific/Apia Pacific/Kiritimati Africa/Cairo".split()


@pytest.mark.parametrize("zone", ZONES)
def test_a_day_is_a_local_one(world: World, zone: str) -> None:
    """What `--since` and `--until` leave of logs around midnights, of a change of the clock too."""
    home, draw, logs = world.home(OWN_REPOSITORY), random.Random(zone), dict[str, datetime]()
    files: dict[str, str] = {}
    for _ in range(24):
        day = datetime(2026, *draw.choice(((3, 29), (4, 24), (10, 25), (11, 1), (7, 15))), tzinfo=ZoneInfo(zone))  # fmt: skip
        at = day + timedelta(days=draw.choice((-1, 0, 1)), seconds=draw.choice((-1, 0, 1, 40_000)))
        data = f"---\nagent: a\n---\n# {len(files)}\n\nWords.\n"
        stem = f"{stamp_of(round(at.timestamp() * 1000))}-{sealed(data.encode())}"
        files[f"sessions/{stem[:7]}/{stem[8:10]}/{stem}.md"], logs[stem] = data, at
    for on in (15, 16):  # a name without a time is of that day, wherever it is read
        files[f"sessions/2026-07/{on}/2026-07-{on}-notes.md"] = "# T\n\nWords.\n"
        logs[f"2026-07-{on}-notes"] = datetime(2026, 7, on, 12, tzinfo=ZoneInfo(zone))
    home.plant(files)
    for name in draw.sample(
        sorted({f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d}" for at in logs.values()}), 3
    ):
        found = home.run("log", "--since", name, "--until", name, env={"TZ": zone}).json["sessions"]
        on_it = {
            one for one, at in logs.items() if f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d}" == name
        }
        assert {one["stem"] for one in found} == on_it, name


@pytest.mark.parametrize("kind", ["in-tree", "own-branch"])
def test_a_tag_of_the_code_stands_for_its_date(world: World, kind: str) -> None:
    """Where its commit has no memory; every door says so, and finds what held then."""
    home = world.home(kind)
    home.note("id=retry decision: Retry three times.")
    made = home.clock.now_ms // 1000  # a log of the same second counts
    tree = home.git("mktree")
    home.clock.go(hours=1)
    for name, at in (("v0", made - YEAR), ("v1", made)):
        env = {"GIT_AUTHOR_DATE": f"@{at} +0000", "GIT_COMMITTER_DATE": f"@{at} +0000"}
        with home._standing(env):
            home.git("tag", name, home.git("commit-tree", "-m", name, tree))
    home.run("edit", "retry", "Retry five times.")
    for name, facts in (("v0", []), ("v1", ["Retry three times."])):
        hits, shown = home.run("recall", "retry", "--in", "facts", "--as-of", name), home.run("show", "--as-of", name)  # fmt: skip
        assert [one["text"] for one in shown.json["facts"]] == facts
        assert len(hits.json["hits"]) == len(facts)
        for said in (str(hits.json["notes"]), str(shown.json["findings"])):
            assert f"{name} has no memory of its own; this is as of its date" in said
