"""What a diff of code is read as."""

from __future__ import annotations

import os

import pytest

from ledger.git.cli import Git
from ledger.git.code_diff import code_diff
from ledger.git.code_history import Change, Code
from ledger.git.landings import History, Search, Work
from tests.conftest import Repo


def test_a_diff_is_read_whatever_its_files_are(bare_repo: Repo) -> None:
    """Odd names, binary files, links, mode changes and huge lines; what moved counts on neither side."""
    git, where = Git(str(bare_repo.path)), bare_repo.path
    bare_repo.write("a b/ü x.py", "one = 1\ntwo = 2\n")
    bare_repo.write("-- a.py", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n")
    (where / "bin").write_bytes(b"\0\1\2")
    os.symlink("code.py", where / "link")
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-q", "-m", "one")
    base = git.resolve("HEAD")[0]
    bare_repo.write("a b/ü x.py", "two = 2\n")
    bare_repo.write("-- a.py", "+++ b/y\n@@ -1 +1 @@\nthree = 3\n" + "z" * 900 + "\nfive = 5\n")
    bare_repo.write('one "line.py', "six = 6\n")
    bare_repo.write("moved.py", "one = 1\n")
    (where / "bin").write_bytes(b"\0\1\2\3")
    (where / "code.py").chmod(0o755)
    bare_repo.git("add", "-A")
    bare_repo.git("update-index", "--add", "--cacheinfo", f"160000,{base},another")
    bare_repo.git("commit", "-q", "-m", "two")
    beside = {one.path: len(one.lines) for one in code_diff(git, base, "HEAD", "a b/")}
    assert beside["moved.py"] == 1, "what lies outside is no place that it came from"
    found = {one.path: one for one in code_diff(git, base, "HEAD")}
    assert found.keys() == {"a b/ü x.py", "-- a.py", "moved.py", "bin", "code.py", 'one "line.py'}
    lines = {
        path: [(one.number, one.text, one.added) for one in some.lines]
        for path, some in found.items()
    }
    assert lines["moved.py"] == lines["bin"] == lines["code.py"] == lines["a b/ü x.py"] == []
    assert lines["-- a.py"] == [
        (1, "--- a/x", False),
        (3, "three = 3", True),
        (5, "five = 5", True),
    ]
    assert lines['one "line.py'] == [(1, "six = 6", True)]
    assert found["bin"].size == -1 and found["moved.py"].before == ""
    looking = Search(git, Work(base), History([], base), seconds=60.0)
    (one,), (patch,) = looking.patches("-1"), looking.between([(base, "HEAD")])
    assert one.id == patch.id and one.lines == patch.lines == 10
    assert one.paths == patch.paths == {os.fsencode(path) for path in (*found, "another")}


def test_what_is_too_much_is_left_out_and_said(bare_repo: Repo) -> None:
    """A file of too many lines, or too many of them; a patch, a blob, a time that is up."""
    git = Git(str(bare_repo.path))
    for number in range(16):
        bare_repo.write(f"gen/{number:02}.py", f"{'x' * 90}\n" * (3900 + (number == 0)))
    bare_repo.write("big.py", "y\n" * 4001)
    for step in ("much", "little"):
        bare_repo.write("code.py", f"{step}\n")
        bare_repo.git("add", "-A")
        bare_repo.git("commit", "-q", "-m", step)
    read = {one.path: len(one.lines) for one in code_diff(git, "HEAD~2", "HEAD~")}
    assert (read["big.py"], sorted(read.values())) == (0, [0, 0, 2, *[3900] * 15])
    looking, late = [Search(git, Work(""), History([], ""), seconds=at) for at in (60.0, 0.0)]
    assert [one.paths for one in looking.patches("-2")] == [{b"code.py"}] and looking.cut
    with pytest.raises(TimeoutError):
        late.patches("-1")
    assert late.cut
    assert not Change("", 5, "").is_behind(5000) and Change("", 5, "").is_behind(5001)
    sizes = ((1 << 20) + 1, 1 << 20, 9)
    paths = [bare_repo.write(f"{size}.txt", "z" * size) for size in sizes]
    blobs = [bare_repo.git("hash-object", "-w", str(path)).strip() for path in paths]
    found = Code(git, "HEAD").contents([*blobs, "0" * 40])
    assert sorted(map(len, found.values())) == [9, 1 << 20]
