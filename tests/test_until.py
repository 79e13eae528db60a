"""A commit or a day ends a fact that says so: seen at that commit in every answer, recorded once, the same for all."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projection.text.until_conditions import FORMS, until_in, until_of
from tests.campaigns.until import differences
from tests.conftest import examples, sampled
from tests.world import KINDS, OWN_BRANCH, Place, World

GOOD = (
    "tag v5*", "tag 2.0", "merged feature/x", "Merged main", "gone src/pay.py", "has lib/", "gone `my file.txt`",
    'file package.json has "react": "19', 'file a lacks "b c"', "file a has b", r'file a has "x \"y\""',
    "version react >= 19 in package.json", "version junit == v5.9.1 in pom.xml", "version x <2 in a/b",
    "date 2027-01-31", "date 2028-02-29",
)  # fmt: skip
BAD = (
    "", "soon", "when we move", "tag", "tag a b", "merged a b", "merged -x", "merged a..b", "merged x.lock",
    "gone", "gone src/a b", "gone /etc/passwd", "gone ../x", "has .git/config", "gone a//b", "has a\nb",
    "file a has", 'file a has ""', 'file a says "x"', f'file a has "{"x" * 201}"', "file ../a has x",
    "version react 19 in package.json", "version react >= 1.2.3.4.5 in a", "version >= 2 in a",
    "date 2027-02-30", "date tomorrow", "date 2027-1-1", "run make", "$(date)", "gone", "until v5",
)  # fmt: skip


def test_forms_that_parse_and_words_that_do_not() -> None:
    """Each form in its ways; an escape, a path outside, a day that does not exist and prose are none."""
    assert all(until_in(said) for said in GOOD)
    assert [said for said in BAD if until_in(said)] == []
    found = until_in(r'file a has "x \"y\""')
    assert found and found.text == 'x "y"'
    for said, right in (
        (("until", "gone a"), True), (("obsolete_when", "gone soon"), False), (("until", "soon"), False),
        (("obsolete_when", "gone src/pay.py"), True), (("obsolete_when", "merged upstream"), False),
        (("obsolete_when", "date 2027-01-31"), True),
    ):  # fmt: skip
        assert bool(until_of((said,))[1]) is right, said


@given(st.text(max_size=60), st.sampled_from([one.partition(" ")[0] for one in GOOD]))
def test_whatever_is_written_reads_or_is_refused(rest: str, form: str) -> None:
    """Nothing is raised, and what reads names no place outside of the repository."""
    found = until_in(f"{form} {rest}")
    if found is not None:
        assert found.place and found.place[0] != "/" and ".." not in found.place.split("/")
        assert found.said.isprintable()


@pytest.mark.parametrize("seed", range(2))
def test_histories_end_facts_at_the_exact_commit(tmp_path: Path, seed: int) -> None:
    """Some thirty predicates in a history each, against a model that goes through all commits."""
    assert list(differences(tmp_path / "code", 40 + seed, 10)) == []


# ---- at the door: what a history of commits ends ---------------------------------------------------------

STORIES = dict(
    story.split("\n", 1)
    for story in Path(__file__).with_name("until.md").read_text("utf-8").split("\n## ")[1:]
)


def told(home: Place) -> dict[str, str]:
    """What has ended, or fails its check, by which commit."""
    found = {}
    for id, fact in home.show().items():
        for mark in fact["marks"]:
            if mark["code"] in ("ended", "fails"):
                found[id] = mark["commit"] + "!" * (mark["code"] == "fails")
    return found


def play(home: Place, story: str) -> dict[str, str]:
    """Play a story; return the commits that it names."""
    named: dict[str, str] = {}
    for line in filter(None, map(str.strip, story.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "git":
            home.git(*shlex.split(rest))
        elif word == "diurna":
            home.run(*shlex.split(rest))
        elif word == "+":
            home.write(rest, "pass\n")
            home.git("add", rest)
            home.git("commit", "-q", "-m", "More")
        elif word == "-":
            home.git("rm", "-q", rest)
            home.git("commit", "-q", "-m", "Less")
        elif rest == "=":
            named[word] = home.git("rev-parse", "HEAD")[:7]
        elif word == "?":
            pairs = [one.split() for one in rest.split(",") if one]
            right = {id: named[by.rstrip("!")] + "!" * by.endswith("!") for id, by in pairs}
            assert told(home) == right, (line, named)
        else:
            home.run("note", f"id={word.rstrip(':')} {rest}")
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            os.environ[name] = f"{home.clock.now_ms // 1000 + 1} +0000"
        home.clock.go(seconds=60)
    return named


@pytest.mark.parametrize(("name", "kind"), sampled(product(STORIES, KINDS[:2]), 2, deep=1))
def test_what_ends_at_which_commit(world: World, name: str, kind: str) -> None:
    """Seen at once, in every answer, wherever HEAD goes; with a cache and without."""
    home = world.home(kind)
    play(home, STORIES[name])
    before = told(home)
    for one in (home.common / "diurna").glob("cache/truth*"):
        one.write_bytes(one.read_bytes()[:-9] + b"damaged!!")
    assert told(home) in (before, {})  # a damaged file says nothing
    shutil.rmtree(home.common / "diurna/cache")
    assert told(home) == before


def test_a_head_that_is_known_asks_nothing_of_git(world: World) -> None:
    """A new HEAD is looked through once, then kept, to and fro between branches too."""
    home = world.home()
    play(home, "+ src/pay.py\npay: until='gone src/pay.py' fact: Pay by hand.\ngit switch -qc old")
    play(
        home,
        "git switch -q main\n- src/pay.py\nlast =\n? pay last\ngit switch -q old\n?\ngit switch -q main",
    )
    told(home)
    with world.git_does(":") as file:
        assert set(told(home)) == {"pay"}
    assert not [
        row for row in file.read_text().splitlines() if row.startswith(("log", "diff", "rev-list"))
    ]


def test_every_answer_puts_what_has_ended_behind(world: World) -> None:
    """`recall`, `show`, `why`, the brief and JSON say by which commit; it stands behind all others, in no section."""
    home = world.home()
    named = play(home, """
        + src/pay.py
        ended: until='gone src/pay.py' invariant: Walrus payments, walrus payments are checked by hand.
        holds: fact: Somebody thinks of walrus payments, too, when there is time for it.
        day: until='date 2026-11-22' convention: Walrus words are blue.
        later: until='date 2999-11-24' convention: Walrus words are short.
        - src/pay.py
        last =
    """)  # fmt: skip
    home.clock.go(days=2)

    said = f"ended by {named['last']}, gone src/pay.py, 2026-11-21"
    hits = [one["id"] for one in home.run("recall", "walrus payments").json["hits"]]
    assert hits.index("holds") < hits.index("ended")
    for command in (("recall", "walrus"), ("show", "--list"), ("show", "ended"), ("why", "ended")):
        assert said in home.text(*command), command
    assert "ended on 2026-11-22" in home.text("show", "day")
    assert "ended" not in home.text("show", "later")
    (mark,) = home.show()["ended"]["marks"]
    assert mark == {
        "code": "ended", "subject": "gone src/pay.py", "commit": named["last"], "date": "2026-11-21", "now": "",
    }  # fmt: skip
    sections = home.run("brief").json["sections"]
    ids = {one["name"]: {fact["id"] for fact in one["facts"]} for one in sections}
    assert ids.pop("rest") >= {"ended", "day"}
    assert not any({"ended", "day"} & found for found in ids.values())


#: Checks, each with what says of the versions and the file of a commit that it holds.
CHECKS: dict[str, Callable[[str, bool], bool]] = {
    "version react < 19 in package.json": lambda react, _: react == "18.2",
    'file package.json has "19.0"': lambda react, _: react == "19.0",
    'file package.json lacks "19.0"': lambda react, _: react == "18.2",
    "has src/pay.py": lambda _, pay: pay,
    "gone src/pay.py": lambda _, pay: not pay,
    "has no/such": lambda _, pay: False,
}


@pytest.mark.parametrize("seed", range(examples(2, 20)))
def test_a_check_is_marked_where_it_fails_at_head_and_nowhere_else(world: World, seed: int) -> None:
    """Whatever was looked at before: broken, mended, on another branch, said behind the last look."""
    rng, home = random.Random(seed), world.home(OWN_BRANCH)
    holds: dict[str, tuple[str, bool]] = {}
    left = list(enumerate(CHECKS))
    rng.shuffle(left)
    said: dict[str, Callable[[str, bool], bool]] = {}
    for at in range(3):
        if holds:
            home.git("checkout", "-q", rng.choice(sorted(holds)))
        react, pay = rng.choice(["", "18.2", "19.0"]), rng.random() < 0.5
        files = {
            "package.json": f'{{"react": "{react}"}}\n' * bool(react),
            "src/pay.py": "pay\n" * pay,
        }
        for path, text in {**files, "n": f"{at}\n"}.items():
            if text:
                home.write(path, text)
            else:
                (home.folder / path).unlink(missing_ok=True)
        home.commit_all("Change")
        holds[home.git("rev-parse", "HEAD")] = react, pay
        for number, check in [left.pop() for _ in range(min(len(left), rng.randint(0, 2)))]:
            home.note(f"id=c{number} check='{check}' fact: It is so.")
            said[f"c{number}"] = CHECKS[check]
        if rng.random() < 0.5:
            home.run("sync", code=None)  # it keeps what has ended
        for _ in range(2):
            head = rng.choice(sorted(holds))
            home.git("checkout", "-q", head)
            assert set(told(home)) == {id for id, one in said.items() if not one(*holds[head])}


def test_a_check_that_fails_asks_and_is_confirmed(world: World) -> None:
    """It records nothing; who confirms begins anew."""
    home = world.home()
    play(
        home,
        "+ a.py\nold: check='has a.py' fact: There is a.\nask: check='has a.py' thread: Is a right?\n- a.py",
    )
    before = home.tip()
    asked = home.run("review", "--dry-run", code=None).json
    assert "check" in json.dumps(asked) and home.tip() == before
    home.run("review", "--confirm", "old")
    assert set(told(home)) == {"ask"}


def test_until_refused_lists_forms(world: World) -> None:
    """Of an agent's log, as of what is typed (refusals.txt)."""
    home = world.home()
    new = {"text": "It is so.", "id": "a", "footers": {"until": "when we move"}}
    log = json.dumps({"title": "T", "new": [new]})
    answer = home.run("append", "--from-json", "-", stdin=log, code=1)
    assert "`until` is 'when we move'" in answer.err and FORMS in answer.err
    home.write("b.py", "")
    home.git("add", "b.py")
    home.git("commit", "-q", "-m", "b")
    assert "is true already" in home.run("note", "id=c until='has b.py' fact: One way.").err


@pytest.mark.deep(reason="what_ends_at_which_commit is the small one")
def test_what_ended_is_recorded_once_and_is_the_same_for_all(world: World) -> None:
    """By a commit of the trunk alone, by either clone before it hears of the other; undone, it holds."""
    home, other = world.team(OWN_BRANCH, "b")
    other.git("branch", "-q", "memory", "origin/memory", ok=False)
    other.run("init", "--branch", "memory")
    play(home, """
        + src/pay.py
        pay: until='gone src/pay.py' decision: Pay by hand.
        todo: until='gone src/pay.py' thread: Is pay going to go?
        day: until='date 2026-11-20' fact: It was so.
        git push -q origin main
        git switch -qc release/4
        + fix.py
        git switch -qc feature/x main
        - src/pay.py
    """)  # fmt: skip
    assert {"pay", "todo"} <= told(home).keys()
    assert [line.partition(",")[0] for line in home.sync()["ended"]] == ["day ended on 2026-11-20"]
    other.sync()
    named = play(
        home,
        """
        git switch -q main
        git merge -q --no-ff -m "Bring it" feature/x
        last =
        git push -q origin main
    """,
    )
    other.git("pull", "-q", "origin", "main")
    lines = [home.sync()["ended"], other.sync()["ended"]]
    by = [f"{id} ended by {named['last']}" for id in ("pay", "todo")]
    assert [sorted(one.partition(",")[0] for one in found) for found in lines if found] == [
        by
    ] * sum(map(bool, lines))
    for place in (home, other):
        assert place.sync()["ended"] == []
        shown = place.show()
        assert shown["pay"]["false"] and shown["todo"]["closed"]
    assert "Closed  by diurna" in home.text("why", "todo")
    home.git("switch", "-q", "release/4")
    assert not home.show()["pay"]["false"], "where HEAD has not the commit that ended it, it holds"
    assert home.show("--everywhere")["pay"]["false"]


def test_a_cut_history_says_nothing(world: World) -> None:
    """A shallow clone can not tell when, and says nothing of it."""
    home = world.home()
    play(home, "a: until='has b.py' fact: There is no b.\n+ b.py\nlast =\n? a last")
    home.git("clone", "-q", "--depth", "1", f"file://{home.folder}", str(world.folder / "cut"))
    assert told(world.place("cut")) == {}
