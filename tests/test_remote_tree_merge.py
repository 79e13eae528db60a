"""The join of two tips: the laws of the union under Hypothesis, and three-way for everything else."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.git.trees import FILE, FOLDER, entries
from ledger.model.order import seal
from ledger.model.sha256 import blob_id, sha1
from ledger.remote.tree_merge import Joined, Sides, join, unite, with_files
from tests.conftest import examples

#: `DIURNA_LAW_EXAMPLES` asks for more.
LAW = settings(max_examples=examples(60, 200), deadline=None)
STAMPS = [f"2026-11-2{day}-08301241{day}" for day in range(4)]
PREFIXES = ("", "memory/")


class Objects:
    """An object store in memory."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def read(self, oid: str) -> bytes:
        return self.held[oid]

    def blob(self, data: bytes) -> str:
        oid = blob_id(data)
        self.held[oid] = data
        return oid

    def tree(self, files: Mapping[str, bytes]) -> str:
        """Store a tree of paths; the empty one is "", as for a folder that is not there."""
        root, written = with_files(
            self.read, "", [(path, self.blob(data)) for path, data in files.items()]
        )
        self.held.update(written)
        return root

    def files(self, tree: str, path: str = "") -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for mode, name, oid in entries(self.held[tree]) if tree else []:
            here = path + name.decode()
            if mode == FOLDER.encode():
                found.update(self.files(oid.hex(), here + "/"))
            else:
                found[here] = self.held[oid.hex()]
        return found

    def keep(self, joined: Joined) -> str:
        self.held.update(joined.written)
        return joined.tree


def sealed(stamp: str, data: bytes) -> str:
    stem = seal(stamp, data)
    return f"{stem[:7]}/{stem[8:10]}/{stem}.md"


@st.composite
def sessions(draw: st.DrawFn) -> dict[str, bytes]:
    """A `sessions/` folder: sealed logs, some with wrong bytes, and unsealed ones that may differ."""
    bodies = st.sampled_from([b"a\n", b"b\n", b"c\n"])
    files: dict[str, bytes] = {}
    for stamp in draw(st.lists(st.sampled_from(STAMPS), max_size=3)):
        data = draw(bodies)
        files[sealed(stamp, data)] = draw(st.sampled_from([data, data, b"tampered\n", b"worse\n"]))
    for stamp in draw(st.lists(st.sampled_from(STAMPS), max_size=3)):
        files[f"{stamp[:17]}.md"] = draw(bodies)
    if draw(st.booleans()):
        files["README"] = draw(bodies)
    return files


def united(store: Objects, *trees: str) -> str:
    tree = trees[0]
    for other in trees[1:]:
        tree = store.keep(unite(store.read, tree, other))
    return tree


@LAW
@given(sessions(), sessions(), sessions())
def test_h8_the_union_is_commutative_associative_and_idempotent(
    one: dict[str, bytes], two: dict[str, bytes], three: dict[str, bytes]
) -> None:
    """Any order and any grouping of joins comes to the same tree."""
    store = Objects()
    a, b, c = store.tree(one), store.tree(two), store.tree(three)
    assert united(store, a, b) == united(store, b, a)
    assert united(store, a, a) == a
    assert united(store, united(store, a, b), a) == united(store, a, b)
    assert united(store, united(store, a, b), c) == united(store, a, united(store, b, c))


@LAW
@given(sessions(), sessions())
def test_h1_the_union_loses_no_log(one: dict[str, bytes], two: dict[str, bytes]) -> None:
    """Every path stays; all bytes stay, but those that the name of their own log proves wrong."""
    store = Objects()
    joined = unite(store.read, store.tree(one), store.tree(two))
    found = store.files(store.keep(joined))
    assert found.keys() >= one.keys() | two.keys()
    left = {double.other for double in joined.doubles if not double.twin}
    for files in (one, two):
        for path, data in files.items():
            name = path.rsplit("/", 1)[-1]
            kept = [body for at, body in found.items() if at.rsplit("/", 1)[-1] == name]
            assert data in kept or blob_id(data) in left
    for oid in left:
        assert store.held[oid] in (b"tampered\n", b"worse\n")


def test_h2_the_same_log_on_both_sides_is_there_once() -> None:
    store = Objects()
    a = store.tree({sealed(STAMPS[0], b"a\n"): b"a\n"})
    b = store.tree({sealed(STAMPS[0], b"a\n"): b"a\n", sealed(STAMPS[1], b"b\n"): b"b\n"})
    joined = unite(store.read, a, b)
    assert joined.tree == b
    assert joined.doubles == ()


def test_e6_a_seal_decides_between_two_bodies() -> None:
    """Of a sealed log the bytes that its name proves stand, whoever brings them."""
    store = Objects()
    path = sealed(STAMPS[0], b"a\n")
    good, bad = store.tree({path: b"a\n"}), store.tree({path: b"tampered\n"})
    for sides in ((good, bad), (bad, good)):
        joined = unite(store.read, *sides)
        assert joined.tree == good
        (double,) = joined.doubles
        assert (double.path, double.twin) == (f"sessions/{path}", "")


def test_e6_both_bodies_of_an_unsealed_log_are_kept() -> None:
    store = Objects()
    name = "2026-11-21-083012.md"
    joined = unite(store.read, store.tree({name: b"a\n"}), store.tree({name: b"b\n"}))
    first, second = sorted([b"a\n", b"b\n"], key=blob_id)
    twin = f"twins/{blob_id(second)}/{name}"
    assert store.files(store.keep(joined)) == {name: first, twin: second}
    assert joined.doubles[0].twin == f"sessions/{twin}"


def test_a_place_taken_by_force_does_not_hide_a_twin() -> None:
    """A neighbour that puts other bytes where a twin belongs only moves its own."""
    store = Objects()
    name = "2026-11-21-083012.md"
    first, second = sorted([b"a\n", b"b\n"], key=blob_id)
    twin = f"twins/{blob_id(second)}/{name}"
    one = store.tree({name: first, twin: b"squatter\n"})
    found = store.files(united(store, one, store.tree({name: second})))
    assert found[twin] == second
    assert b"squatter\n" in found.values()


def test_a_folder_in_the_place_of_a_log_hides_nothing() -> None:
    store = Objects()
    name = "2026-11-21-083012.md"
    one, two = store.tree({name: b"a\n"}), store.tree({f"{name}/x": b"b\n"})
    assert united(store, one, two) == united(store, two, one)
    found = store.files(united(store, one, two))
    assert sorted(found.values()) == [b"a\n", b"b\n"]


def test_a_mode_that_is_not_read_loses_against_an_ordinary_file() -> None:
    """fault:J2: a link or an executable of the same bytes never takes a log's place."""
    store = Objects()
    oid = store.blob(b"a\n")
    trees = []
    for mode in ("100755", FILE, "120000"):
        raw = f"{mode} 2026-11-21-083012.md".encode() + b"\0" + bytes.fromhex(oid)
        tree = sha1(b"tree %d\0" % len(raw) + raw).hexdigest()
        store.held[tree] = raw
        trees.append(tree)
    assert united(store, *trees) == united(store, *reversed(trees)) == trees[1]


# ---- everything else: three-way -------------------------------------------------------------------

LOG_A, LOG_B = sealed(STAMPS[0], b"a\n"), sealed(STAMPS[1], b"b\n")


def joined_files(
    base: Mapping[str, bytes] | None,
    one: Mapping[str, bytes],
    two: Mapping[str, bytes],
    prefix: str = "",
    *,
    second: bool = False,
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    store = Objects()

    def placed(files: Mapping[str, bytes]) -> str:
        return store.tree({prefix + path: data for path, data in files.items()})

    bases = () if base is None else (placed(base),)
    sides = Sides(placed(one), placed(two), bases)

    def derived(path: str) -> bool:
        return path in ("continuity.md", "archive/INDEX.md")

    joined = join(store.read, sides, prefix, derived, second)
    found = store.files(store.keep(joined))
    return {path.removeprefix(prefix): data for path, data in found.items()}, joined.clashes


@pytest.mark.parametrize("prefix", PREFIXES)
def test_one_sided_changes_are_taken_and_logs_united(prefix: str) -> None:
    base = {"diurna.toml": b"1", "README": b"r", f"sessions/{LOG_A}": b"a\n"}
    one = {**base, "diurna.toml": b"2"}
    two = {**base, "README": b"new", f"sessions/{LOG_B}": b"b\n", "more/notes": b"n"}
    expected = {**two, "diurna.toml": b"2"}
    assert joined_files(base, one, two, prefix) == (expected, ())
    assert joined_files(base, two, one, prefix) == (expected, ())


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_clash_names_the_file(prefix: str) -> None:
    base = {"diurna.toml": b"1"}
    _, clashes = joined_files(base, {"diurna.toml": b"2"}, {"diurna.toml": b"3"}, prefix)
    assert clashes == (f"{prefix}diurna.toml",)


def test_a_file_deleted_here_and_changed_there_is_a_clash() -> None:
    base = {"notes": b"1", "x": b"x"}
    assert joined_files(base, {"x": b"x"}, {"notes": b"2", "x": b"x"})[1] == ("notes",)
    assert joined_files(base, {"x": b"x"}, base) == ({"x": b"x"}, ())


@pytest.mark.parametrize("prefix", PREFIXES)
def test_e2_a_log_deleted_on_one_side_stays(prefix: str) -> None:
    """There is no base below `sessions/`: absence is no deletion."""
    base = {"diurna.toml": b"1", f"sessions/{LOG_A}": b"a\n"}
    gone = {"diurna.toml": b"1"}
    assert joined_files(base, base, gone, prefix)[0] == base
    assert joined_files(base, gone, base, prefix)[0] == base


def test_h11_projection_files_come_from_one_side_and_never_clash() -> None:
    base = {"continuity.md": b"0", "archive/INDEX.md": b"0", "archive/own": b"0"}
    one = {"continuity.md": b"1", "archive/INDEX.md": b"1", "archive/own": b"0"}
    two = {"continuity.md": b"2", "archive/INDEX.md": b"0", "archive/own": b"2"}
    expected = {"continuity.md": b"1", "archive/INDEX.md": b"1", "archive/own": b"2"}
    assert joined_files(base, one, two) == (expected, ())
    expected = {**expected, "continuity.md": b"2"}
    assert joined_files(base, one, two, second=True) == (expected, ())


def test_h7_without_a_base_everything_is_an_addition() -> None:
    one = {"diurna.toml": b"1", f"sessions/{LOG_A}": b"a\n"}
    two = {"diurna.toml": b"1", f"sessions/{LOG_B}": b"b\n", "notes": b"n"}
    assert joined_files(None, one, two) == ({**one, **two}, ())
    assert joined_files(None, one, {**two, "diurna.toml": b"2"})[1] == ("diurna.toml",)


def test_h13_no_rename_is_followed() -> None:
    """A log moved on one side stands in both places: moving is not understood, so nothing is lost."""
    base = {f"sessions/{LOG_A}": b"a\n"}
    moved = {f"sessions/{LOG_B}": b"a\n"}
    assert joined_files(base, base, moved)[0] == {**base, **moved}
