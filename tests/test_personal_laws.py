"""The law of what is only the user's: whatever is done in two clones, no shared place ever holds it."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.brief.brief_place import Wish
from memory.query.last_answers import brief
from rituals.cli.app import main
from rituals.hosts.moments import Moment
from rituals.hosts.session_start import context
from tests.conftest import NOW_MS, Repo, examples, holders, make_repository

#: Begins every word of what is only the user's.
OWN = "Quillfeather"
_LOG = """# Both

## Memory References

- Created: shared-{n}, own-{n}

## Facts

- Fact {n} of the team.
  <!-- id: shared-{n} -->

- {word} is mine.
  <!-- id: own-{n} | personal: true -->
"""


class Day:
    """Two clones of a team's repository, the remote between them, and the home of who works there."""

    def __init__(self, root: Path) -> None:
        self.root, self.own = root, root / "data" / "diurna" / "personal"
        self.planted: list[str] = []
        self.clock = NOW_MS
        self.shop = make_repository(root / "team" / "shop")
        bare = root / "team" / "shop.git"
        self.at(self.shop)
        assert self("init") == self("init", "--personal") == 0
        self.shop.git("init", "-q", "--bare", "-b", "main", str(bare))
        self.shop.git("remote", "add", "origin", str(bare))
        self.shop.git("push", "-q", "-u", "origin", "main")
        self.shop.git("clone", "-q", str(bare), str(root / "team" / "other"))
        self.other = Repo(root / "team" / "other")
        self.plant("note", "--personal", "id=mine preference: {} likes tabs.")

    def at(self, repo: Repo) -> None:
        """Go to a clone."""
        os.chdir(repo.path)

    def __call__(self, *arguments: str, stdin: str = "") -> int:
        """Run a command, a minute after the one before; return its exit code."""
        self.clock += 60_000
        os.environ["DIURNA_NOW"] = str(self.clock)
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
        out = io.TextIOWrapper(io.BytesIO(), write_through=True)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            return main(list(arguments))

    def plant(self, *arguments: str, stdin: str = "") -> None:
        """Run a command with a new word of the user's in it; remember the word where it was taken."""
        word = f"{OWN}{len(self.planted)}x"
        said = [one.format(word) for one in arguments]
        if self(*said, stdin=stdin.format(n=len(self.planted), word=word)) == 0:
            self.planted.append(word)

    def do(self, what: str) -> None:
        """Do one thing of a day."""
        number = str(len(self.planted))
        if what == "note":
            self("note", f"decision: Queue {number} of the shop is drained at {self.clock}.")
        elif what == "yours":
            self.plant("note", "--personal", "preference: {} at noon.")
        elif what == "mixed":
            self.plant("append", "--title", "Both", "--new", f"Door {number} is {self.clock} wide.",
                       "--new", "personal=true preference: {} in blue.", "--ref", "personal/mine")  # fmt: skip
        elif what == "file":
            self.plant("append", "-", stdin=_LOG)
        elif what == "update":
            self.plant("append", "--update", "mine", "{} likes tabs.")
        elif what == "repeat":  # in the prose, too: refused as a whole
            self(
                "append",
                "--body",
                "-",
                "--new",
                f"personal=true {OWN} repeats it.",
                stdin=f"{OWN} repeats it.",
            )
        elif what == "brief":
            assert OWN.encode() in (brief(".", Wish("codex")) or b"")
            text, told = context(Moment("claude", "start", "s1", os.getcwd()), {})
            assert OWN in text and told is not None
            told()
        elif what == "take":
            file = self.root / "events"
            with file.open("w") as out, contextlib.redirect_stdout(out):
                main(["export", "--home", "personal", "events"])
            assert self("import", "events", str(file)) == 1
        elif what == "vault":
            self("export", "vault", str(self.root / "team" / "vault"))
        elif what == "review":
            self("review", "--yes")
        elif what == "recall":
            assert self("recall", "--yours", OWN + "*") == self("recall", "queue") == 0
        elif what == "switch":
            self.at(self.other if Path.cwd() == self.shop.path else self.shop)
        else:
            self(what)


_DONE = st.sampled_from(
    "note yours mixed file update repeat brief take vault review recall switch sync publish lint".split()
)


@pytest.mark.deep(reason="test_ways_in has one way at a time")
@settings(
    max_examples=examples(4), deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(st.lists(_DONE, min_size=5, max_size=8))
def test_no_shared_place_ever_holds_it(monkeypatch: pytest.MonkeyPatch, done: list[str]) -> None:
    """Neither a file nor an object of either clone, of the remote, or of a vault; and theirs has all of it."""
    with monkeypatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setenv("XDG_DATA_HOME", f"{folder}/data")
        patch.setenv("DIURNA_AGENT", "claude-code")
        patch.setenv("DIURNA_NOW", str(NOW_MS))
        patch.setattr(sys, "stdin", sys.stdin)
        patch.chdir(folder)
        day = Day(Path(folder))
        for what in (*done, "brief", "sync"):
            day.do(what)
        assert holders(day.root / "team", OWN) == []
        assert all(holders(day.own, word) for word in day.planted)
        patch.chdir("/")
