"""A user commits with plain git beside appends; no log may stay lost, and no commit of the user's.

`python -m tests.campaigns.commits --appends 300` appends so often in a new in-tree home, by a new process
each time, while another makes commits as fast as git can. Prints what was dropped, brought back and lost;
ends with 1 on any loss. Both sides take what time they take, so no seed can repeat a run.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ledger.home import discover
from ledger.model.record import Record
from memory.api import Memory
from tests.campaigns.homes import IN_TREE, KINDS, git, logs_in, make_home, sealed_environment
from tests.campaigns.riding import make_riding_home

ROOT = Path(__file__).resolve().parents[2]
_COMMITS = (
    "i=0; while :; do i=$((i+1)); echo $i > busy.py; git add busy.py 2>&-; "
    "git commit -q -m user-$i 2>&- && echo done; done"
)
_STEM = re.compile(r"^(\S+)  (?:committed in|waits for) ", re.MULTILINE)
#: An in-tree home whose logs go with the user's commits.
RIDING = "riding"


class Outcome(Record):
    """What a run left behind: counts, and what is lost."""

    appended: int
    committed: int
    dropped: int
    lost: tuple[str, ...]
    commits_lost: int


def race(folder: Path, kind: str, appends: int) -> Outcome:
    """Append beside commits of a user, or with them; return what became of both."""
    if kind == RIDING:
        make_riding_home(folder)
    else:
        make_home(folder, kind)
    environment = sealed_environment(str(folder.parent))
    (folder / "seed.py").write_text("")
    user = subprocess.Popen(
        ["sh", "-c", _COMMITS], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    stems: list[str] = []
    dropped = 0
    try:
        for number in range(appends):
            done = subprocess.run(
                [sys.executable, "-P", "-m", "rituals", "append", "--title", f"On {number}",
                 "--new", f"id=fact-{number} The text of number {number}."],
                cwd=folder, env=environment, capture_output=True, text=True,
            )  # fmt: skip
            stems += _STEM.findall(done.stdout)
            dropped += done.stderr.count("left it out")
    finally:
        os.killpg(user.pid, 15)
        said, _ = user.communicate()
    home = discover(str(folder))
    (folder / ".git/index.lock").unlink(missing_ok=True)  # of the user's git that was ended
    memory = Memory(home, in_process=False)
    memory.bring_back()
    dropped += len(memory.snapshot.notes)
    memory.close()
    there = {*logs_in(home), *memory.held()}
    subjects = git(folder, "log", "--format=%s").split("\n")
    made = said.count("done")
    missing = made - sum(line.startswith("user-") for line in subjects)
    lost = tuple(stem for stem in stems if not any(full.startswith(stem) for full in there))
    return Outcome(len(stems), made, dropped, lost, max(0, missing))


def main() -> int:
    """Run the campaign; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--appends", type=int, default=100)
    parser.add_argument(
        "--kind",
        choices=[RIDING, *[kind for kind in KINDS if "branch" not in kind]],
        default=IN_TREE,
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        found = race(Path(directory) / "home", asked.kind, asked.appends)
    print(
        f"commits: {found.appended} appended beside {found.committed} commits, {found.dropped} dropped and "
        f"brought back, {len(found.lost)} lost, {found.commits_lost} commits lost"
    )
    return 1 if found.lost or found.commits_lost else 0


if __name__ == "__main__":
    sys.exit(main())
