"""New texts that name days from today, days that do not exist and files that are not there are told, never refused."""

from __future__ import annotations

import re

import pytest

from tests.world import OWN_REPOSITORY, World

_TOLD = re.compile(
    r"^\w+ (says|names) |, which is not there|, which no reader can date|: there is no such day"
)
DAYS: tuple[tuple[str, str], ...] = (
    ("Yesterday we moved to uv.", "'Yesterday': 2026-11-20"),
    ("The queue was replaced two weeks ago.", "'two weeks ago': 2026-11-07"),
    ("We move to Redis next week.", "'next week'"),
    ("Gestern umgestellt auf uv.", "'Gestern'"),
    ("It parses `yesterday` and 'last week' and \"tomorrow\".", ""),
    ("Yesterday's numbers are kept; the last week of a month is frozen.", ""),
    ("Logs older than 3 days ago go, and more than 2 weeks ago, too.", ""),
    ("~~~\nyesterday 2026-02-30\n~~~\nThis is it.", ""),
    ("Released on February 30, due 2026-02-30 and April 31, 2026.", "2026-02-30, February 30, April 31, 2026"),
    ("Due 2028-02-29, April 30, 31 May; we may 30 users, version 2026-02-30-rc and v1.2026-02-30.", ""),
)  # fmt: skip

FILES: tuple[tuple[str, str], ...] = (
    ("Sums are made in `src/pya.py`.", "src/pya.py"),
    ("Sums are made in `a/pya.py`, `src/p?y.py` and `src/pay.py`.", "a/pya.py"),
    ("Sums are made in `rc/pay.py`.", "rc/pay.py"),
    ("It is in `app/src/pay.py:12`, `new/way.py`, `/src/pya.py` and `.github/pya.py`.", ""),
    ("The file `old/gone.py` was removed long ago in spring. See https://example.org/a/b.py and `x/a.py` or `y/b.py`.", "x/a.py, y/b.py"),
)  # fmt: skip


@pytest.mark.parametrize("rows", [DAYS, FILES], ids=["days", "files"])
def test_what_is_told_of_a_new_text(world: World, rows: tuple[tuple[str, str], ...]) -> None:
    """Which day it is, where it is one, and files that are nowhere, at any depth; of an update, too."""
    shop = world.home(facts={"old": "It was so."})
    shop.write("app/src/pay.py", "pass\n")
    shop.git("add", "app")
    shop.write("new/way.py", "pass\n")
    apart = world.home(OWN_REPOSITORY, "apart")
    for number, (text, told) in enumerate(rows):
        done = ["--update", "old", text] if number % 2 else ["--new", f"id=x {text}"]
        append = ("append", "--dry-run", "--anyway", "--title", "T", *done)
        said = [
            _TOLD.sub("", one["message"]) + one["hint"].partition("say the day")[2]
            for one in shop.run(*append).json["findings"]
        ]
        assert ", ".join(said) == told
        assert "no-such-file" not in apart.run(*append).codes()
