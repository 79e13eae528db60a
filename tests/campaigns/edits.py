"""People's edits of `continuity.md`: `python -m tests.campaigns.edits --examples 10000 --homes 1000`.

The pages of random ledgers are edited at random (`tests/edited_pages.py`). Of each example the law of
`tests/test_edited_pages.py` is asked; of each home, whether an edit that was committed comes to what it comes
to uncommitted, and whether what the commands hint at leads back to a page in step, with no word lost.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from ledger.home import OWN_BRANCH
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.cli.app import main as diurna
from tests.campaigns.homes import IN_TREE, git, make_home, open_memory, sealed_environment
from tests.edited_pages import Page, edit, ledger

#: What is found of a page that is in step all the same.
_IN_STEP = ("over-size", "attributes-missing")
_COMMAND = re.compile(r"`diurna ([^`]*)`")
_MOST_HINTS = 2


class Ran(NamedTuple):
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def hinted(self) -> list[str]:
        """The command that its first hint names which can be given as it stands."""
        hints = [line for line in self.err.split("\n") if line.startswith("hint: ")]
        for found in (one for line in hints for one in _COMMAND.findall(line)):
            if not re.search(r"[A-Z…]{2}|\.\.\.", found):
                return str(found).split()
        return []


def run(*arguments: str) -> Ran:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = diurna(list(arguments))
    return Ran(code, out.getvalue(), err.getvalue())


def copy_in(folder: Path, kind: str) -> Path:
    """Return the copy of the page that people edit."""
    return folder / (".memory" if kind == OWN_BRANCH else "memory") / "continuity.md"


def begin(folder: Path, kind: str, seed: int) -> Page:
    """Make a home with a random ledger, and edit its page at random, on paper."""
    rng = random.Random(seed)
    make_home(folder, kind)
    memory = open_memory(folder)
    policy = memory.home.repository.git().run(
        "show", f"{memory.home.reference}:{memory.home.prefix}diurna.toml"
    )
    when = rng.choice((b"append", b"trunk", b"trunk", b"review"))
    memory.commit_files([("diurna.toml", policy.replace(b'"trunk"', b'"%s"' % when))], "policy")
    file, older = copy_in(folder, kind), ""
    for number, events in enumerate(ledger(rng)):
        older = file.read_text() if file.exists() else ""
        memory.append(SessionDraft(f"Log {number}", "", events, anyway=True))
        memory.publish()
    memory.close()
    return edit(Page(file.read_text(), rng, older))


def commit(folder: Path, kind: str, text: str) -> None:
    """Commit a page as a person does, of a branch that is never checked out as a forge does."""
    data = text.encode("utf-8", "surrogateescape")
    if kind != OWN_BRANCH:
        copy_in(folder, kind).write_bytes(data)
        git(folder, "commit", "-q", "-a", "-m", "Update continuity.md")
        return
    other = folder.parent / f"{folder.name}-page"
    git(folder, "worktree", "add", "-q", str(other), "memory")
    (other / "continuity.md").write_bytes(data)
    git(other, "commit", "-q", "-a", "-m", "Update continuity.md")
    git(folder, "worktree", "remove", "--force", str(other))


def wrong_with_page() -> list[dict[str, str]]:
    """Return what doctor says of pages here."""
    found = json.loads(run("check", "--json").out)["findings"]
    of_pages = [one for one in found if one["file"].endswith("continuity.md")]
    return [one for one in of_pages if one["code"] not in _IN_STEP]


def follow(first: tuple[str, ...]) -> list[str]:
    """Give a command, then what the hints name, until the page is in step; return all that was given."""
    given, ran = [" ".join(first)], run(*first)
    for _ in range(_MOST_HINTS):
        wrong = wrong_with_page()
        if not wrong:
            break
        hints = "\n".join(f"hint: {one['hint']}" for one in wrong)
        then = (
            Ran(0, "", hints).hinted
            if given == ["check"]
            else ran.hinted or Ran(0, "", hints).hinted
        )
        assert then, (given, ran, wrong)
        ran = run(*then)
        given.append(" ".join(then))
    return given


def facts_of(memory: Memory) -> dict[str, object]:
    """Return what holds."""
    return {
        id: (
            sorted(head.text for head in one.fact.heads), one.fact.false, one.fact.closed, one.fact.kind,
            one.fact.promoted, one.fact.meta, one.fact.contradicted,
        )
        for id, one in ((one.fact.id, one) for one in memory.state().standings())
    }  # fmt: skip


def try_home(folder: Path, kind: str, seed: int) -> Counter[str]:
    """Let one edit be made in a home: uncommitted, committed, and committed with another typed on top.

    Returns:
        What became of it.

    Raises:
        AssertionError: something was lost, touched, stuck, or judged in two ways.
    """
    os.environ["DIURNA_NOW"] = str(1_795_249_812_417)
    begun = folder / "begun"
    page = begin(begun, kind, seed)
    if page.text == page.base:
        return Counter({"the same": 1})
    before = facts_of(open_memory(begun))
    ends = {}
    for how in ("typed", "committed", "typed on top"):
        here = folder / how
        shutil.copytree(begun, here, symlinks=True)
        if how != "typed":
            commit(here, kind, page.text)
        if how == "typed on top":
            if kind == OWN_BRANCH:
                continue  # the mirror does not show yet what a forge committed
            edit(page, 1)
        if how != "committed":
            copy_in(here, kind).write_bytes(page.text.encode("utf-8", "surrogateescape"))
        ends[how] = _end(here, page, before, (kind, seed, how, page.did, page.touched))
    assert ends["typed"][:2] == ends["committed"][:2], (kind, seed, page.did, ends)
    _, kept, given = ends["typed"]
    return Counter({"kept beside git" if kept else "absorbed": 1, f"{given - 1} hints": 1})


def _end(
    here: Path, page: Page, before: dict[str, object], told: tuple[object, ...]
) -> tuple[dict[str, object], bool, int]:
    """Follow the hints of a home, and check what they lead to.

    Returns:
        What holds then, whether a page was let go, and how many commands were given.
    """
    os.chdir(here)
    given = follow(
        (("check", "--absorb"), ("check", "--publish"), ("check",))[page.rng.randrange(3)]
    )
    assert not wrong_with_page(), (told, given, wrong_with_page())
    assert run("check", "--publish").code == 0, (told, given)  # what is published on request alone
    for option in ("--publish", "--absorb"):
        again = run("check", option)
        assert again.code == 0 and "nothing to do" in again.out, (told, given, again)
    memory = open_memory(here)
    after = facts_of(memory)
    untouched = before.keys() - page.touched
    assert {id: after[id] for id in untouched} == {id: before[id] for id in untouched}, told
    let_go = (here / ".git/diurna/dropped").glob("*")
    kept = [one.read_text("utf-8", "surrogateescape") for one in let_go]
    logs = git(here, "grep", "-h", "-e", "zq", memory.home.tip(), check=False)
    for word in page.typed:
        assert word not in page.text or any(word in one for one in (logs, *kept)), (told, word)
    return after, bool(kept), len(given)


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.edits", description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000)
    parser.add_argument("--homes", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    from tests.test_edited_pages import check

    started, broken, ends = time.monotonic(), 0, Counter[str]()
    for seed in range(chosen.seed, chosen.seed + chosen.examples):
        try:
            ends["understood" if check(seed) else "refused"] += 1
        except AssertionError as problem:
            broken += 1
            print(f"example {seed}: {str(problem)[:400]}")
    back = os.getcwd()
    for seed in range(chosen.seed, chosen.seed + chosen.homes):
        with tempfile.TemporaryDirectory() as folder:
            os.environ.update(sealed_environment(folder))
            try:
                ends += try_home(Path(folder), (IN_TREE, OWN_BRANCH)[seed % 2], seed)
            except AssertionError as problem:
                broken += 1
                print(f"home {seed}: {str(problem)[:800]}")
            finally:
                os.chdir(back)
    print(f"edits: {dict(ends)}, {broken} broken, {time.monotonic() - started:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
