"""Files of a site: every address has one of its own on every system."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from rituals.serve.web.site import safe_name

names = st.text(min_size=1, max_size=300) | st.sampled_from(
    [
        "con",
        "con.md",
        "NUL",
        "com1",
        "lpt9.x",
        "..",
        ".",
        "a.",
        "a ",
        "A",
        "a/b",
        "a~b",
        "é",
        "e\u0301",
        "🔥",
    ]
)
#: What no system gives a file: Windows' devices, a dot or blank at the end, anything but these.
DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


@given(names)
@example("..")
@example("con")
@example("COM1.txt")
@example("x" * 255)
@example("a..b")
def test_a_name_is_one_on_every_system(name: str) -> None:
    """No separator, no device, no dot at its end, nothing that a disk folds, and short."""
    found = safe_name(name)
    assert re.fullmatch(r"[a-z0-9._~-]{1,80}", found)
    assert not DEVICE.match(found + ".html")
    assert ".." not in found and found[0] not in ".-" and found[-1] not in ".-"


@given(names, names)
@example("Payments API", "payments api")
@example("a-b", "a b")
@example("é", "e\u0301")
def test_two_names_have_two_files(one: str, other: str) -> None:
    """Also where a disk does not tell capitals apart, and for names that bear the form of a made one."""
    assert (one == other) == (safe_name(one) == safe_name(other))
    made = safe_name(one)
    assert one == made or safe_name(made) != made, "a name can not take the place of a made one"
