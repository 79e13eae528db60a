"""Files of a site: every address has one of its own on every system, and links lead from file to file."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rituals.serve.web.export.site_links import NOT_HERE, Links, file_of, safe_name

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


@pytest.mark.parametrize(
    "address, file",
    [
        ("/", "index.html"),
        ("/review", "review.html"),
        ("/fact/webhook-once", "fact/webhook-once.html"),
        ("/timeline?at=2026-11-21", "timeline/at.2026-11-21.html"),
        ("/session/2026-05-01-101500_x", "session/2026-05-01-101500_x.html"),
    ],
)
def test_plain_addresses_have_plain_files(address: str, file: str) -> None:
    """A person can read them."""
    assert file_of(address) == file


@given(st.lists(names, min_size=1, max_size=8, unique=True))
def test_links_lead_to_their_files(given_names: list[str]) -> None:
    """From every page to every other one, by a relative path that has to be decoded in no way."""
    addresses = [
        "/",
        "/timeline",
        *(f"/fact/{quote(one, '', errors='replace')}" for one in given_names),
    ]
    links = Links(addresses, {"/static/diurna.css": "abc"})
    for here in addresses:
        write = links.inside(posixpath.dirname(file_of(here)))
        for there in addresses:
            said = write(f"{there}#place")
            path, place = said.split("#")
            assert place == "place"
            assert unquote(path) == path and not urlsplit(path).scheme
            folder = posixpath.dirname(file_of(here))
            assert posixpath.normpath(posixpath.join(folder, path)) == file_of(there)


def test_what_has_no_page_is_said_to_have_none() -> None:
    """Rather than a dead link; a query that a script reads stays behind the page's name."""
    made = Links(["/", "/search", "/timeline?at=a", "/timeline"], {"/static/diurna.css": "abc"})
    links = made.inside("fact")
    assert made("/") == "index.html"
    assert links("/fact/gone") == f"../{NOT_HERE}"
    assert links("/search?q=a%20b") == "../search.html?q=a%20b"
    assert links("/timeline?at=a") == "../timeline/at.a.html"
    assert links("/timeline?at=b/..//c#d") == "../timeline.html?at=b/..//c#d"
    assert links("/static/diurna.css") == "../static/diurna.css?abc"
