"""Clones join: the union of their logs, whoever joins and in whatever order, and one side's word for all else."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.codec.fast_read import read_entry
from ledger.git.git_objects import entries, with_files
from ledger.model.ids import blob_id
from ledger.model.layout import CONTINUITY_FILE
from ledger.model.log_names import log_refs
from ledger.remote.tree_merge import Joined
from memory.cache.cache_file import Cache
from memory.cache.rebuild import build
from memory.merge.page_update import render_pages
from memory.replay.state_as_of import state_of
from memory.worktree.rendered_pages import Rendering, projection_files
from projection.document.page_parser import has_rendered_form
from projection.policy.toml import read_policy
from tests.campaigns.second_fold import log_bytes, made_up, path_of, sealed
from tests.conftest import examples
from tests.world import OWN_REPOSITORY, Place, World

BODIES = [
    log_bytes({"agent": f"of-{one}"}, [f"Created: {one}"], [(one, f"The text of {one}.", "", "")])
    for one in "abcd"
]
STAMPS = ("2026-11-21-083012417", "2026-11-22-090000000")
#: Logs of which the name proves the bytes, and names that prove nothing.
PROVEN = {path_of(sealed(stamp, body)): body for stamp in STAMPS for body in BODIES[:2]}
OPEN = ("sessions/2026-11/21/2026-11-21-083012.md", "sessions/2026-11-22.md")


def that_had(world: World, files: Mapping[str, str | bytes]) -> list[Place]:
    """Two clones that have met with files of one of them."""

    def make(apart: World) -> None:
        first, second = apart.team(OWN_REPOSITORY, "b")
        first.plant(dict(files))
        first.sync()
        second.sync()

    world.laid(f"met {files}", make)
    return [world.place("a"), world.place("b", "b")]


def parted(world: World) -> list[Place]:
    """Two clones, each with a log that the other has not."""

    def make(apart: World) -> None:
        for place in apart.team(OWN_REPOSITORY, "b"):
            name = place.folder.name
            place.note(f"id=of-{name} fact: Webhooks of {name} retry.")

    world.laid("parted", make)
    return [world.place("a"), world.place("b", "b")]


def held(place: Place) -> dict[str, bytes]:
    """The logs of the tip."""
    return {one: place.show_file(one) for one in place.tree() if one.startswith("sessions/")}


def met(*places: Place) -> dict[str, bytes]:
    """Let clones sync until they have met; return the logs, which are the same in all of them."""
    for place in (*places, *places[:-1]):
        place.sync()
    assert len({place.git("rev-parse", "HEAD^{tree}") for place in places}) == 1
    return held(places[0])


@pytest.mark.deep(reason="what_stands_when_two_met has a row of each")
@pytest.mark.parametrize("clones", [2, 3])
@settings(max_examples=examples(1, 20))
@given(seed=st.integers(0, 1 << 32))
def test_h1_h2_h8_e6_whoever_joins_in_whatever_order_it_is_one_tree(clones: int, seed: int) -> None:
    """No log is lost; of a proven one the proven bytes stand, and of a name that proves nothing all bodies do."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, World(Path(folder)) as world:
        places = world.team(OWN_REPOSITORY, *"bc"[: clones - 1])
        every: list[dict[str, bytes]] = []
        for place in places:
            files = {path: body for path, body in PROVEN.items() if rng.randrange(2)}
            if rng.randrange(3) == 0:  # other bytes under a proven name
                files[rng.choice(list(PROVEN))] = BODIES[2]
            files |= {path: rng.choice(BODIES[2:]) for path in OPEN if rng.randrange(2)}
            if files:
                place.plant(files)
            every.append(files)
        rng.shuffle(places)
        found = met(*places)
        for path, body in PROVEN.items():
            brought = [files[path] for files in every if path in files]
            if body in brought:
                assert found[path] == body
        for path in OPEN:
            bodies = {files[path] for files in every if path in files}
            stem = path.rpartition("/")[2]
            assert {data for name, data in found.items() if name.endswith(stem)} == bodies
        assert set(places[0].texts()) == {
            one for one, body in zip("abcd", BODIES, strict=True) if body in found.values()
        }


LOG_A, LOG_B = list(PROVEN)[:2]
#: What both have, what one and what the other has of it then (None: deleted), and what stands when they met.
JOINS: dict[str, tuple[dict[str, str | None], dict[str, str | None], dict[str, str | None]]] = {
    "each side's change is taken": ({"README": "new"}, {"more/notes": "n"}, {"README": "new", "more/notes": "n"}),
    "E2: a log that one side deleted stays": ({LOG_A: None}, {"x": "1"}, {LOG_A: BODIES[0].decode(), "x": "1"}),
    "a file that one side deleted goes": ({"README": None}, {"x": "1"}, {"README": None, "x": "1"}),
    "a folder in the place of a log hides nothing, nor other bytes a proven one": (
        {OPEN[0]: "a\n", LOG_A: "no", LOG_B: "a"}, {f"{OPEN[0]}/x.md": "b\n", LOG_B: BODIES[1].decode(), "x/y": "c"},
        {f"{OPEN[0]}/x.md": "b\n", LOG_A: BODIES[0].decode(), LOG_B: BODIES[1].decode(), "x/y": "c"},
    ),
}  # fmt: skip


@pytest.mark.deep(only="a folder", reason="the other rows join, too")
@pytest.mark.parametrize("case", JOINS)
def test_what_stands_when_two_met(world: World, case: str) -> None:
    """Below `sessions/` there is no base: absence is no deletion; everywhere else both sides are joined."""
    first, second = that_had(world, {LOG_A: BODIES[0], "README": "r"})
    ours, theirs, expected = JOINS[case]
    first.plant(ours)
    second.plant(theirs)
    met(second, first)
    tree = first.tree()
    for path, data in expected.items():
        assert (path in tree) == (data is not None)
        assert data is None or first.show_file(path).decode() == data
    if "folder" in case:
        assert sorted(held(first).values()) == sorted([b"a\n", b"b\n", *BODIES[:2]])


@pytest.mark.parametrize(
    ("ours", "theirs"), [("README", "README"), ("diurna.toml", "diurna.toml"), ("README", None)]
)
def test_h7_a_file_changed_on_both_sides_is_a_persons(
    world: World, ours: str, theirs: str | None
) -> None:
    """It is named, and nothing moves."""
    first, second = that_had(world, {LOG_A: BODIES[0], "README": "r"})
    policy = first.read("diurna.toml")
    first.plant({ours: f"{policy}# ours\n"})
    second.plant({theirs or "README": f"{policy}# theirs\n" if theirs else None})
    first.sync()
    before = second.tip()
    assert ours in second.run("sync", code=1).err and second.tip() == before


def test_j2_a_mode_that_is_not_read_takes_no_logs_place(world: World) -> None:
    """A link or an executable of the same bytes."""
    first, second = world.team(OWN_REPOSITORY, "b")
    for place, mode in ((first, "100644"), (second, "100755")):
        blob = place.git("hash-object", "-w", "--stdin", data=BODIES[0])
        place.git("update-index", "--add", "--cacheinfo", f"{mode},{blob},{OPEN[0]}")
        place.git("commit", "-q", "-m", mode)
        place.git("checkout", "-q", "HEAD", "--", OPEN[0])
    for place in (first, second, first):
        place.sync()
        assert place.git("ls-tree", "HEAD", OPEN[0]).startswith("100644") or place is second


def test_h9_h10_h11_both_peers_make_one_commit_and_settle(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No identity, clock or zone is in it; a plain merge keeps ours, and what is published then is a replay's."""
    first, second = parted(world)
    first.git("fetch", "-q", str(second.folder), "+main:refs/remotes/origin/main")
    ours = first.read("continuity.md")
    first.git("merge", "-q", "--no-edit", "refs/remotes/origin/main")
    assert first.read("continuity.md") == ours
    first.git("reset", "-q", "--hard", "HEAD~1")
    copy = first.fork("copy")
    copy.git("config", "user.name", "Somebody Else")
    copy.git("config", "commit.encoding", "latin-1")
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    second.sync()
    tip = first.sync()["commit"]
    monkeypatch.setenv("TZ", "America/Caracas")
    assert copy.run("sync", "--dry-run").json["commit"] in (tip, copy.tip())
    second.sync()
    assert second.tip() == first.sync()["commit"] == tip, "no commit more than needed"
    assert first.read("continuity.md") == first.page()


def test_h13_a_log_that_was_renamed_is_not_followed(world: World) -> None:
    """One side renames a log and changes it: it stays where its name says, with the bytes it had."""
    first, second = that_had(world, {LOG_A: BODIES[0], "README": "r"})
    moved = LOG_A.replace("2026-11", "2026-12")
    second.plant({LOG_A: None, moved: BODIES[0] + b"\nAnd more.\n"})
    first.note("id=gamma fact: Webhooks retry.")
    first.git("config", "merge.renames", "copies")
    found = met(second, first)
    assert found[LOG_A] == BODIES[0] and moved in found
    assert {"a", "gamma"} <= first.texts().keys()


def test_h14_drivers_of_others_mean_nothing_to_our_join(world: World) -> None:
    """They are not run and change no byte; what plain git would do with them is said."""
    first, second = parted(world)
    ran = world.folder / "ran"
    second.git("config", "merge.evil.driver", f"touch {ran}; echo gotcha >%A")
    second.git("config", "merge.default", "evil")
    for way in ("clean", "smudge"):
        second.git("config", f"filter.evil.{way}", f"touch {ran}; cat")
    assert "merge-attribute" not in second.check()
    with (second.folder / ".git/info/attributes").open("a") as file:
        file.write("*.md merge=union\n*.md filter=evil\n")
    first.sync()
    second.sync()
    assert second.texts().keys() == {"of-a", "of-b"} and not ran.exists()
    said = str(second.run("check", code=None).json["findings"])
    assert all(one in said for one in ("merge-attribute", "merge=union", "filter=evil"))


@pytest.mark.parametrize("closed", [False, True])
def test_h4_a_chain_and_a_circle_are_followed_without_recursion(world: World, closed: bool) -> None:
    """Only the end of a row is live; of a circle the newest edge alone is cut."""
    home, size = world.home(OWN_REPOSITORY), 1100
    ids = [f"f{number:04}" for number in range(size)]
    said = [f"Superseded: {old} → {new}" for old, new in pairwise(ids)]
    born = log_bytes({"agent": "a"}, [f"Created: {one}" for one in ids],
                     [(one, f"The text of {one}.", "", "") for one in ids])  # fmt: skip
    files = {path_of(sealed(STAMPS[0], born)): born}
    row = log_bytes({"agent": "a", "type": "edit"}, said, [])
    files[path_of(sealed("2026-11-21-093012417", row))] = row
    if closed:
        last = log_bytes({"agent": "a", "type": "edit"}, [f"Superseded: {ids[-1]} → {ids[0]}"], [])
        files[path_of(sealed(STAMPS[1], last))] = last
    home.plant(files)
    shown = home.show()
    assert [one for one in ids if not shown[one]["false"]] == [ids[-1]]
    assert shown[ids[-1]]["circle"] == ([ids[0]] if closed else [])


BLOBS = {blob_id(body): body for body in (*BODIES, b"")}
LOGS = st.dictionaries(
    st.sampled_from((*PROVEN, *OPEN, f"{OPEN[0]}/x.md")), st.sampled_from(sorted(BLOBS)), max_size=5
).filter(lambda files: not {OPEN[0], f"{OPEN[0]}/x.md"} <= set(files))
#: What was at a path, what one side made of it, "" for nothing, and which one.
REST = st.dictionaries(
    st.sampled_from(("README", "more/notes", "archive/a.md")),
    st.tuples(*[st.sampled_from(["", *BLOBS])] * 2, st.sampled_from((1, 2))),
)


def files_of(objects: Mapping[str, bytes], tree: str, path: str = "") -> dict[str, str]:
    """Path -> blob id of what is in a tree."""
    found: dict[str, str] = {}
    for name, (mode, oid) in entries(objects[tree]).items() if tree else ():
        here = path + name.decode()
        found |= files_of(objects, oid, here + "/") if mode == "40000" else {here: oid}
    return found


@settings(max_examples=examples(30, 2000))
@given(st.tuples(LOGS, LOGS, LOGS), REST)
@example(({}, {}, {}), {"archive/a.md": (min(BLOBS), "", 1)})
def test_h1_h2_h8_a_join_is_one_tree_whoever_makes_it(
    sides: tuple[dict[str, str], ...], rest: dict[str, tuple[str, str, int]]
) -> None:
    """Below `sessions/` no bytes are lost but what a name proves wrong; else who changed it has the word."""
    objects, roots = dict(BLOBS), []
    for number, files in enumerate(sides):
        files |= {path: now if number == who else was for path, (was, now, who) in rest.items()}
        root, made = with_files(objects.__getitem__, "", files.items())
        objects |= made
        assert files_of(objects, root) == {path: blob for path, blob in files.items() if blob}
        roots.append(root)
    base, one, two = roots
    joined, turned = [
        Joined(objects.__getitem__, (*pair, base), "", lambda _: False, False)
        for pair in ((one, two), (two, one))
    ]
    assert (joined.tree, joined.doubles, []) == (turned.tree, turned.doubles, joined.clashes)
    objects |= joined.written
    found = files_of(objects, joined.tree)
    assert [found.get(path, "") for path in rest] == [now for _, now, _ in rest.values()]
    for path in {*sides[1], *sides[2]} - {*rest}:
        there = {side[path] for side in sides[1:] if path in side}
        if path in PROVEN:
            assert found[path] == min({blob_id(PROVEN[path])} & there or there)
        else:
            assert there <= {found[name] for name in found if name.endswith(path[-5:])}
            assert found.get(path) in there or path == OPEN[0]
        assert len(there) < 2 or path in [double.path for double in joined.doubles]
    for _, kept, other, twin in joined.doubles:
        assert kept != other and (not twin or twin.split("/")[2] == other)
    again = Joined(objects.__getitem__, (joined.tree, two, two), "", lambda _: False, False)
    assert again.tree == joined.tree


# ---- H10: what is rendered of the union -----------------------------------------------------------------


@pytest.mark.parametrize("theme", ["age", "anything", "threads", "truth"])
@pytest.mark.parametrize("seed", range(examples(5, 400)))
def test_h10_pages_brought_on_are_pages_rendered_whole(theme: str, seed: int) -> None:
    """Whatever logs come in whatever order, of which some are late."""
    rng = random.Random(f"pages {theme} {seed}")
    files = made_up(rng, 40, theme=theme)
    policy = read_policy(files.pop("diurna.toml"))
    listed = log_refs([("100644", blob_id(files[path]), path) for path in files], "")[0]
    logs = [(one, read_entry(one.key, files[one.path])[0]) for one in listed if one.key == one.stem]
    logs.sort(key=lambda one: (rng.randrange(4) == 0, one[0].key))
    cache = build("", "0", [], [], (), ("", policy, ""))
    stored: dict[str, bytes] = {}
    there: Mapping[str, str] = {}

    def both(union: Cache) -> tuple[Rendering, Rendering]:
        return render_pages(union, there, stored.__getitem__), projection_files(state_of(union))

    while logs:
        refs, entries = zip(*[logs.pop(0) for _ in logs[: rng.randint(1, 6)]], strict=True)
        rendered, whole = cache.supposing(refs, entries, both) or pytest.fail("it moved")
        assert rendered.blobs == whole.blobs and rendered.bodies.items() <= whole.bodies.items()
        before = stored.get(there.get(CONTINUITY_FILE, ""), b"").decode()
        parts = (page := whole.bodies[CONTINUITY_FILE].decode()).split("\n\n")
        doubled = rng.choice([part for part in parts if "<!-- id: " in part] or ["- No."])
        parts.insert(rng.randrange(len(parts)), doubled)
        for text in (page, "\n\n".join(parts)):
            known, alone = (has_rendered_form(CONTINUITY_FILE, text, one) for one in (before, ""))
            assert known == alone == (text == page), text
        there = whole.blobs
        stored |= {there[one]: data for one, data in whole.bodies.items()}
        cache.keep_archive(rendered.archive)
        cache.advance(cache.commit, str(len(logs)), refs, entries, ())
