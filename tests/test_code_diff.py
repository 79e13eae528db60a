"""What a diff of code is read as."""

from __future__ import annotations

import os

import pytest

from ledger.git.cli import Git
from ledger.git.code_diff import code_diff
from ledger.git.code_history import Change, Code
from ledger.git.landing_evidence import Budget, between, patches_of
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
    (one,) = patches_of(git, Budget(60.0), "-1")
    (patch,) = between(git, Budget(60.0), [(base, "HEAD")])
    assert one.files == patch.files and one.id() == patch.id()
    assert {path.decode(): [line[:8] for line in some] for path, some in patch.files.items()} == {
        "-- a.py": [b"----a/x", b" +++b/y", b" @@-1+1@", b"+three=3", b"+zzzzzzz", b"+five=5"],
        "a b/ü x.py": [b"-one=1", b" two=2"], "bin": [b"index 83"], "code.py": [b"new mode"],
        "moved.py": [b"+one=1"], 'one "line.py': [b"+six=6"], "another": [b"+Subproj"],
    }  # fmt: skip
    assert patch.lines().total() == 8 and patch.lines()[b"moved.py", b"+one=1"] == 1


def test_what_is_too_much_is_left_out_and_said(bare_repo: Repo) -> None:
    """A file of too many lines, or too many of them; a patch, a blob, a time that is up."""
    git, budget, late = Git(str(bare_repo.path)), Budget(60.0), Budget(0.0)
    for number in range(16):
        bare_repo.write(f"gen/{number:02}.py", f"{'x' * 90}\n" * (3900 + (number == 0)))
    bare_repo.write("big.py", "y\n" * 4001)
    for step in ("much", "little"):
        bare_repo.write("code.py", f"{step}\n")
        bare_repo.git("add", "-A")
        bare_repo.git("commit", "-q", "-m", step)
    read = {one.path: len(one.lines) for one in code_diff(git, "HEAD~2", "HEAD~")}
    assert (read["big.py"], sorted(read.values())) == (0, [0, 0, 2, *[3900] * 15])
    assert [one.paths for one in patches_of(git, budget, "-2")] == [{b"code.py"}] and budget.cut
    with pytest.raises(TimeoutError):
        patches_of(git, late, "-1")
    assert late.cut
    assert not Change("", 5, "").is_behind(5000) and Change("", 5, "").is_behind(5001)
    sizes = ((1 << 20) + 1, 1 << 20, 9)
    paths = [bare_repo.write(f"{size}.txt", "z" * size) for size in sizes]
    blobs = [bare_repo.git("hash-object", "-w", str(path)).strip() for path in paths]
    found = Code(git, "HEAD").contents([*blobs, "0" * 40])
    assert sorted(map(len, found.values())) == [9, 1 << 20]
