"""New texts that name files that are not there are told, never refused."""

from __future__ import annotations

import re

from tests.world import OWN_REPOSITORY, World

_TOLD = re.compile(r"^\w+ names |, which is not there")
FILES: tuple[tuple[str, str], ...] = (
    ("Sums are made in `src/pya.py`.", "src/pya.py"),
    ("Sums are made in `a/pya.py`, `src/p?y.py` and `src/pay.py`.", "a/pya.py"),
    ("Sums are made in `rc/pay.py`.", "rc/pay.py"),
    ("It is in `app/src/pay.py:12`, `new/way.py`, `/src/pya.py` and `.github/pya.py`.", ""),
    ("The file `old/gone.py` was removed long ago in spring. See https://example.org/a/b.py and `x/a.py` or `y/b.py`.", "x/a.py, y/b.py"),
)  # fmt: skip


def test_what_is_told_of_a_new_text(world: World) -> None:
    """Files that are nowhere, at any depth; of an update, too."""
    shop = world.home(facts={"old": "It was so."})
    shop.write("app/src/pay.py", "pass\n")
    shop.git("add", "app")
    shop.write("new/way.py", "pass\n")
    apart = world.home(OWN_REPOSITORY, "apart")
    for number, (text, told) in enumerate(FILES):
        done = ["--update", "old", text] if number % 2 else ["--new", f"id=x {text}"]
        append = ("append", "--dry-run", "--anyway", "--title", "T", *done)
        said = [_TOLD.sub("", one["message"]) for one in shop.run(*append).json["findings"]]
        assert ", ".join(said) == told
        assert "no-such-file" not in apart.run(*append).codes()
