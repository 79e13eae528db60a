"""A cache is nobody's truth: missing, damaged, of another user or time, or lying, it changes no answer.

Its files are opaque here: each is damaged as bytes, and each command answers as it does where there is none.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.api import Memory
from tests.conftest import as_left, examples
from tests.test_format import VECTORS
from tests.world import IN_TREE, KINDS, OWN_BRANCH, OWN_REPOSITORY, Answer, Place, World

COMMANDS = (
    ("show",), ("status",), ("recall", "ledger", "shop"), ("brief", "--agent", "codex"), ("why", "fact-2"), ("log",),
    ("recall", "--level", "timeline"), ("show", "--about", "Shop"), ("show", "--list"),
)  # fmt: skip
SOME = COMMANDS[:4]
WORDS = ("counted", "weighed", "sold", "packed")


def make_shop(world: World, kind: str = OWN_BRANCH) -> Place:
    """A home with some logs and something in every file of its cache."""

    def make(apart: World) -> None:
        shop = apart.home(kind)
        for number, word in enumerate(WORDS):
            says = f"The ledger of the shop says what was {word}."
            shop.note(f'id=fact-{number} entity="Shop, Ledger" fact: {says}')
        twice = "--update", "fact-1", "The ledger says so twice.", "--supersede", "fact-0=fact-3"
        shop.session("Twice", *twice)

    world.laid(f"shop {kind}", make)
    return world.place("a")


def cache_of(shop: Place) -> Path:
    return shop.common / "diurna/cache"


def answers(shop: Place, commands: tuple[tuple[str, ...], ...] = SOME) -> list[str]:
    """Return what commands say, at one time."""
    now = shop.clock.now_ms
    found = []
    for command in commands:
        shop.clock.now_ms = now
        found.append(shop.run(*command).out)
    shop.clock.now_ms = now
    return found


def cold(shop: Place, commands: tuple[tuple[str, ...], ...] = SOME) -> list[str]:
    """Return what commands say without any file; then each is written."""
    shutil.rmtree(cache_of(shop), ignore_errors=True)
    return answers(shop, commands)


# ---- damage, as bytes
# ------------------------------------------------------------------------------------------

_PAGE = 4096
Damage = Callable[[random.Random, bytes], bytes]


def _flip(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _page(rng: random.Random, data: bytes, by: Callable[[int], bytes]) -> bytes:
    at = rng.randrange(-(-len(data) // _PAGE)) * _PAGE
    return data[:at] + by(len(data[at : at + _PAGE])) + data[at + _PAGE :]


DAMAGES: dict[str, Damage] = {
    "a bit": _flip, "bits": lambda rng, data: _flip(rng, _flip(rng, data)), "emptied": lambda rng, data: b"",
    "zeroed": lambda rng, data: _page(rng, data, bytes), "noise": lambda rng, data: _page(rng, data, rng.randbytes),
    "cut": lambda rng, data: data[: rng.randrange(len(data))], "junk": lambda rng, data: data + rng.randbytes(_PAGE),
    "other": lambda rng, data: b"SQLite format 3\0" + rng.randbytes(5000), "text": lambda rng, data: b"# Continuity\n\n- A lie.\n",
}  # fmt: skip


def files_of(shop: Place) -> list[Path]:
    return [
        path for path in sorted(cache_of(shop).iterdir()) if path.is_file() and path.stat().st_size
    ]


@pytest.mark.deep(but=("0-a bit", "0-emptied", "0-zeroed", "0-cut", "0-other"))
@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("seed", range(examples(1, 40)))
def test_m2_damage_changes_no_answer(world: World, kind: str, seed: int) -> None:
    """Every file in turn, its time set back or not, before commands that begin with another one each time; also a write."""
    shop, rng = make_shop(world), random.Random(f"{kind} {seed}")
    said = cold(shop, COMMANDS)
    for number, name in enumerate([one.name for one in files_of(shop)]):
        file = cache_of(shop) / name
        if not file.is_file() or not file.stat().st_size:
            continue
        before = file.stat()
        with file.open("r+b") as there:
            data = DAMAGES[kind](rng, there.read())
            there.seek(0)
            there.write(data)
            there.truncate()
        if rng.random() < 0.5:
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        first = (number + seed) % len(COMMANDS)
        some = (COMMANDS[first:] + COMMANDS[:first])[:1]
        assert answers(shop, some) == [said[COMMANDS.index(one)] for one in some], name
    file = files_of(shop)[0]
    file.write_bytes(DAMAGES[kind](rng, file.read_bytes()))
    shop.holds([shop.note("id=new fact: It holds all the same.")])
    assert set(shop.texts()) == {"new", *(f"fact-{number}" for number in range(len(WORDS)))}


def _beside(shop: Place, suffix: str) -> None:
    """Plant what SQLite would take for a part of the file: of a real transaction that changed it."""
    (file,) = [
        one for one in files_of(shop) if one.name.endswith(".sqlite") and "view" not in one.name
    ]
    copy = shop.world.folder / "copy.sqlite"
    shutil.copyfile(file, copy)
    base = sqlite3.connect(copy, isolation_level=None)
    if suffix == "-wal":
        base.execute("PRAGMA journal_mode=WAL")
    else:
        base.execute("PRAGMA cache_size=1")
        base.execute("BEGIN IMMEDIATE")
    base.execute("UPDATE facts SET id = id || 'x'" if suffix == "-journal" else "DELETE FROM facts")
    shutil.copyfile(f"{copy}{suffix}", f"{file}{suffix}")
    base.close()


def _exchanged(shop: Place, _: str) -> None:
    """Put the files of another branch in the place of this one's, with their stamps."""
    shop.git("branch", "other", f"{shop.branch}~3")
    other = shop.fork("other")
    other.git("update-ref", f"refs/heads/{shop.branch}", f"{shop.branch}~3")
    shutil.rmtree(cache_of(other))
    answers(other, COMMANDS[:3])
    for file in files_of(other):
        shutil.copy2(file, cache_of(shop) / file.name)


def _replaced(shop: Place, how: str) -> None:
    for file in files_of(shop):
        if ".sqlite" not in file.name or (how == "pipe" and file.suffix != ".stamp"):
            continue
        file.unlink()
        if how == "pipe":
            os.mkfifo(file)
        elif how == "link":
            file.symlink_to(shop.world.folder / "nowhere")


@pytest.mark.parametrize(
    ("damage", "how"),
    [
        (_beside, "-journal"),
        (_beside, "-wal"),
        (_exchanged, ""),
        (_replaced, "pipe"),
        (_replaced, "link"),
        (_replaced, "gone"),
    ],
    ids=["journal", "log", "other branch", "pipe", "link", "gone"],
)
def test_m1_m2_what_stands_in_its_place_or_beside_it_changes_no_answer(
    world: World, damage: Callable[[Place, str], None], how: str
) -> None:
    """A pipe holds nobody up either."""
    shop = make_shop(world)
    said = cold(shop)
    damage(shop, how)
    assert answers(shop) == said


@pytest.mark.parametrize("kind", KINDS)
def test_m4_warm_is_cold(world: World, kind: str) -> None:
    shop = make_shop(world, kind)
    every = COMMANDS if kind == OWN_BRANCH else SOME
    assert cold(shop, every) == answers(shop, every)


@pytest.mark.deep(but=(OWN_BRANCH, IN_TREE))
@pytest.mark.parametrize("kind", KINDS)
def test_m4_m5_a_cache_of_another_time_is_brought_on_or_built_anew(world: World, kind: str) -> None:
    """The branch went back for good, or on past it; and it is deleted between two questions."""
    shop = make_shop(world, kind)
    now = cold(shop)
    kept = shop.world.folder / "kept"
    shutil.copytree(cache_of(shop), kept)
    tip = shop.tip()
    reset = ("reset", "-q", "--hard")
    move = ("update-ref", f"refs/heads/{shop.branch}") if kind == OWN_BRANCH else reset
    shop.git("update-ref", "-d", f"refs/diurna/seen/{shop.branch}", ok=False)
    shop.git(*move, f"{tip}~2")
    before = answers(shop)
    assert before != now
    shutil.rmtree(cache_of(shop))
    assert answers(shop) == before
    shop.git(*move, tip)
    assert answers(shop) == now
    shutil.rmtree(cache_of(shop))
    shutil.copytree(kept, cache_of(shop))
    assert answers(shop) == now


#: What SQLite itself is made to do, and is stamped as if a fault of Diurna's own had done it.
LIES = (
    "DELETE FROM facts WHERE id = 'fact-2'", "UPDATE meta SET value = x'00'", "UPDATE facts SET history = x'a900000000'",
    "DELETE FROM meta WHERE key = 'head'", "UPDATE meta SET value = x'4e' WHERE key = 'head'", "DROP TABLE facts",
    "UPDATE meta SET value = x'e907000000' WHERE key = 'version'",
)  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_m3_m5_a_lie_that_no_stamp_tells_is_noticed_or_found_by_replay(
    world: World, lie: str
) -> None:
    """What can not be read is built anew with a word; what can is named by `check --replay`, and the ledger is right."""
    shop = make_shop(world, OWN_REPOSITORY)
    page = shop.text("show")
    said = cold(shop)
    (file,) = [one for one in files_of(shop) if one.name.endswith("@.sqlite")]
    with sqlite3.connect(file) as base:
        base.execute(lie)
    base.close()
    as_left(file)
    if lie is LIES[0]:
        answer = shop.run("check", "--replay", code=1)
        assert "the cache gives another continuity.md than the ledger" in answer.out + answer.err
        file.rename(file.with_name("aside"))
        shop.run("check", "--replay")
    else:
        answer = shop.run("show")
        assert "built anew" in answer.err or "version" in lie
        assert answer.out == said[0]
    assert shop.text("show") == page
    assert answers(shop) == said


# ---- whose it is
# ---------------------------------------------------------------------------------------------------


def test_m2_l15_what_another_user_wrote_is_not_believed(world: World) -> None:
    """Signed with another key, in a folder that a clone or a share brought."""
    shop = make_shop(world)
    said = cold(shop)
    evil = shop.fork("evil")
    with World(world.folder / "theirs") as theirs:
        theirs.clock.now_ms = shop.clock.now_ms
        other = Place(theirs, evil.folder)
        other.session("Lie", "--update", "fact-2", "A lie is told.")
        other.git("update-ref", f"refs/heads/{shop.branch}", shop.tip())
        shutil.rmtree(cache_of(other), ignore_errors=True)
        answers(other)
        for file in cache_of(other).glob("*.sqlite"):
            with sqlite3.connect(file) as base:
                for table, column in (("facts", "history"), ("meta", "value"), ("logs", "entry")):
                    if base.execute(
                        "SELECT 1 FROM sqlite_master WHERE name = ?", (table,)
                    ).fetchone():
                        base.execute(f"UPDATE {table} SET {column} = x'63'")  # noqa: S608 - of this test
            as_left(file)
    shutil.rmtree(cache_of(shop))
    shutil.copytree(cache_of(evil), cache_of(shop))
    assert answers(shop) == said


def test_m2_l15_the_key_is_its_owners_alone(world: World) -> None:
    """One that is cut, empty, open to others or elsewhere is made anew."""
    shop = make_shop(world)
    said = cold(shop, COMMANDS[:2])
    (key,) = (world.user / ".local/state/diurna").glob("key*")
    assert key.stat().st_size == 32 and key.stat().st_mode & 0o777 == 0o600
    mine = key.read_bytes()
    for wrong in (mine[:20], b""):
        key.write_bytes(wrong)
        assert answers(shop, COMMANDS[:2]) == said
        assert key.stat().st_size == 32
    key.chmod(0o644)  # others could read it
    assert answers(shop, COMMANDS[:2]) == said
    assert key.read_bytes() != mine and key.stat().st_mode & 0o777 == 0o600
    key.unlink()
    key.symlink_to(world.folder / "elsewhere")
    (world.folder / "elsewhere").write_bytes(mine)
    assert answers(shop, COMMANDS[:2]) == said


@pytest.mark.parametrize("home", ["/proc", "relative"])
def test_k8_without_a_key_nothing_is_kept_and_nothing_believed(world: World, home: str) -> None:
    """No home folder: the same answers, worked out anew, without a word."""
    shop = make_shop(world)
    said = cold(shop)
    before = {file.name: file.read_bytes() for file in files_of(shop)}
    env = {"HOME": home, "XDG_STATE_HOME": home if home == "relative" else ""}
    now = shop.clock.now_ms
    for command, wanted in zip(SOME, said, strict=True):
        shop.clock.now_ms = now
        answer = shop.run(*command, env=env)
        assert (answer.out, answer.err) == (wanted, "")
    assert {file.name: file.read_bytes() for file in files_of(shop)} == before


def test_m2_a_copied_folder_is_read_anew(world: World) -> None:
    """It is no damage, but neither is it what was stamped; and files are nobody's else to read."""
    shop = make_shop(world)
    said = cold(shop)
    copy = shop.fork("copy")
    shop.clock.now_ms -= 1000
    for command, wanted in list(zip(SOME, said, strict=True))[:3]:
        answer: Answer = copy.run(*command)
        assert answer.json.keys() == shop.run(*command).json.keys(), wanted
    assert copy.texts() == shop.texts()
    assert {file.stat().st_mode & 0o077 for file in files_of(shop)} == {0}


# ---- bugs are no damage
# ----------------------------------------------------------------------------------------------

ASKED = {
    ("show",): "memory.cache.cache_file.Cache.view",
    ("show", "--about"): "memory.query.home_views.entities_of",
    ("append", "--title", "Two", "--new", "Other words."): "memory.write.near_facts._compared",
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "bug"),
    [(one, KeyError) for one in ASKED]
    + [(("show",), one) for one in (IndexError, TypeError, ValueError)],
)
def test_a_bug_in_a_question_is_a_bug(
    world: World, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], bug: type[Exception]
) -> None:
    """It ends with 3 and names itself; the cache is closed, not called damaged, nor built anew."""
    shop = make_shop(world)
    shop.run("recall", "ledger")
    before = {file.name: file.stat().st_ino for file in cache_of(shop).glob("*.sqlite")}

    def fails(*_: object, **__: object) -> None:
        raise bug("a bug")

    with monkeypatch.context() as broken:
        broken.setattr(ASKED[command], fails)
        answer = shop.run(*command, code=3, json=False)
    files = [os.path.realpath(one) for one in Path("/proc/self/fd").glob("*")]
    assert [file for file in files if file.startswith(str(cache_of(shop)))] == []
    assert f"a bug in Diurna ({bug.__name__})" in answer.err and "cache" not in answer.err
    assert {file.name: file.stat().st_ino for file in cache_of(shop).glob("*.sqlite")} == before
    shop.run(*command)


# ---- the words that new facts are compared by
# ---------------------------------------------------------------------------

TABS, SPACES = "Indent with tabs.", "Indent with spaces."


def compared(shop: Place, *options: str) -> list[str]:
    """Return what a dry run of an append finds near."""
    near = shop.run("append", "--title", "New", "--dry-run", *options).json["near"]
    return [one["id"] for one in near]


def test_the_comparison_follows_every_change_of_what_holds(world: World) -> None:
    """What a log settles itself, what a reset or another clone took back, and a cache that is gone."""
    shop = world.home(OWN_REPOSITORY, facts={"use-tabs": f"fact: {TABS}"})
    opposite = ("--new", f"id=a {SPACES}")
    before = shop.tip()
    assert compared(shop, *opposite) == ["use-tabs"]
    for settled in (
        ("--supersede", "use-tabs=a"),
        ("--invalidate", "use-tabs"),
        ("--update", "use-tabs", "Makefiles have tabs."),
    ):
        assert compared(shop, *opposite, *settled) == []
    assert compared(shop, "--update", "use-tabs", SPACES) == []
    assert compared(shop, *opposite, "--type", "import") == []
    assert compared(
        shop, "--new", "id=b Retry three times.", "--new", "id=c Retries are done 3 times."
    ) == ["b"]
    shop.session("No", "--invalidate", "use-tabs")
    assert compared(shop, *opposite) == []
    shop.git("reset", "-q", "--hard", before)
    assert compared(shop, *opposite) == ["use-tabs"]


@pytest.mark.parametrize("seed", range(examples(1, 12)))
def test_what_was_followed_log_by_log_is_what_is_built_at_once(world: World, seed: int) -> None:
    """Facts are born, reworded, replaced, taken back and redacted: the same pairs are near, whatever the cache lived through."""
    rng, shop = random.Random(seed), world.home()
    things, verbs = ("orders", "queues", "webhooks"), ("retried", "stored", "deleted")
    known: list[str] = []
    for number in range(8):
        text = f"{rng.choice(things).title()} are {rng.choice(('', 'never '))}{rng.choice(verbs)} {rng.randrange(3)} times."
        act = rng.choice(("new", "new", "update", "forget", "redact")) if known else "new"
        if act == "new":
            known.append(f"f{number}")
            shop.note(f"id=f{number} fact: {text}")
        elif act == "update":
            shop.session("On", "--update", rng.choice(known), text)
        elif act == "forget":
            shop.session("On", "--invalidate", known.pop())
        else:
            shop.run("redact", known.pop(), "--reason", "r")
    said = [f"{thing.title()} are {verb} once." for thing in things for verb in verbs[:2]]
    new = [word for at, text in enumerate(said) for word in ("--new", f"id=p{at} {text}")]
    probes = ("append", "--title", "P", *new, "--dry-run")
    followed = shop.run(*probes).json["near"]
    shutil.rmtree(cache_of(shop))
    assert shop.run(*probes).json["near"] == followed


def test_many_logs_are_read_as_few(world: World) -> None:
    """Of those that were changed, beside a twin, or lost, it is said; progress is told."""
    home = world.home(OWN_REPOSITORY)
    stems = [home.note(f"id=f{number} fact: It is number {number}.") for number in range(2)]
    one, two = (f"sessions/{stem[:7]}/{stem[8:10]}/{stem}.md" for stem in stems)
    names = [f"sessions/{2026 + n // 49}-05-01-n{n}.md" for n in range(95)]
    (pair,) = (one.steps for one in VECTORS if one.id.startswith("L4 two logs"))
    fit = {f"sessions/{n}/{step.rest[:33]}.md": step.body for n, step in enumerate(pair[:2])}
    fit[f"sessions/twins/{stems[1]}.md"] = home.show_file(two).decode() + "More.\n"
    home.plant({name: f"# N\n\nIt is {name}.\n" for name in names} | fit | {one: "# Other\n"})
    blob = home.git("rev-parse", f"HEAD:{names[3]}")
    (home.common / "objects" / blob[:2] / blob[2:]).unlink()

    said = home.run("check", "--ci", code=None).out
    codes = ("seal-broken", "unreadable", "seal-collision")
    assert [said.count(code) for code in codes] == [2, 1, 1]
    shutil.rmtree(home.common / "diurna/cache")
    told: list[tuple[int, ...]] = []
    Memory(Memory.open(str(home.folder)).home, progress=lambda *one: told.append(one)).state()
    assert told == [(number, 100) for number in range(0, 100, 2)]
