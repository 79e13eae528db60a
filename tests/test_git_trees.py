"""Tree objects as bytes: what is put in and taken out, and that nothing else changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ledger.git import trees

NAMES = st.binary(min_size=1, max_size=6).filter(lambda name: not set(name) & {0, 47})
ENTRIES = st.dictionaries(
    NAMES,
    st.tuples(
        st.sampled_from(("100644", "100755", "120000", "40000", "160000")),
        # ids that look like an entry's beginning: a name found inside an id must not count
        st.one_of(
            st.binary(min_size=20, max_size=20),
            NAMES.map(lambda name: (b"x 40000 " + name + b"\0").ljust(20, b"\0")[:20]),
        ),
    ),
    max_size=12,
)


def built(entries: dict[bytes, tuple[str, bytes]]) -> bytes:
    """Write a tree as git sorts it."""
    rows = sorted(
        entries.items(), key=lambda row: row[0] + b"/" if row[1][0] == trees.FOLDER else row[0]
    )
    return b"".join(mode.encode() + b" " + name + b"\0" + oid for name, (mode, oid) in rows)


@given(ENTRIES, NAMES, st.sampled_from((trees.FILE, trees.FOLDER)))
def test_an_entry_goes_where_git_sorts_it(
    entries: dict[bytes, tuple[str, bytes]], name: bytes, mode: str
) -> None:
    """Putting, looking up and taking agree with a dictionary, whatever the bytes."""
    raw = built(entries)
    oid = bytes(range(20))
    put = trees.put(raw, name, mode, oid.hex())
    assert put == built({**entries, name: (mode, oid)})
    assert trees.lookup(put, name) == (mode, oid.hex())
    rest = {key: value for key, value in entries.items() if key != name}
    assert trees.take(put, name) == built(rest)
    assert trees.lookup(built(rest), name) is None
    assert {(one, found) for _, one, found in trees.entries(put)} == {
        (key, value[1]) for key, value in {**entries, name: (mode, oid)}.items()
    }
