"""Tree objects as bytes: what is put in and taken out, and that nothing else changes."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from ledger.git import git_objects as trees

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


@given(ENTRIES, NAMES)
def test_a_tree_is_read_and_written_as_git_sorts_it(
    entries: dict[bytes, tuple[str, bytes]], name: bytes
) -> None:
    """Whatever the bytes; what looks like an entry inside an id is none."""
    rows = sorted(entries.items(), key=lambda row: row[0] + b"/" * (row[1][0] == trees.FOLDER))
    raw = b"".join(mode.encode() + b" " + name + b"\0" + oid for name, (mode, oid) in rows)
    found = trees.entries(raw)
    assert found == {one: (mode, oid.hex()) for one, (mode, oid) in entries.items()}
    assert trees.written(found) == raw
    at = trees.find(lambda _: raw, "root", os.fsdecode(name))
    assert at == found.get(name, ("", ""))[1]
