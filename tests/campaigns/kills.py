"""Commands that are killed in a home while a person's git is at work there: nothing is lost, nothing twice.

`python -m tests.campaigns.kills --kills 1000 --seed 1` prints what was done, and ends with 1 if anything did
not hold. Each kill is at a step that changes files or starts a process, before or behind it.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.host_door import named, say
from tests.world import DIED, FOLDER, World

#: What a person does meanwhile, as git takes it.
PERSONS = (
    "add -A; commit -q -m theirs", "commit -q -a -m theirs", "stash -q -u; stash pop -q",
    "stash -q -u; stash drop -q",
    "checkout -q side; checkout -q main", "clean -q -f -d -x", "add -A; reset -q --hard", "add -A; reset -q",
    "add memory; commit -q -m theirs memory; checkout -q side; checkout -q main",
)  # fmt: skip
DEEDS = ("note", "note", "note", "task", "capture", "capture", "redact", "publish")
#: How many kills one home sees.
_A_HOME = 40


class Campaign:
    """Kills in one home, from a seed.

    Args:
        world: where it is.
        number: the seed.
        kind: of home.
    """

    def __init__(self, world: World, number: int, kind: str) -> None:
        self.rng = random.Random(number)
        self.home = world.home(kind)
        self.home.git("branch", "side")
        self.transcript = world.folder / "s.jsonl"
        self.facts: list[str] = []
        self.hidden: set[str] = set()
        self.counts = Counter[str]()
        self.parts = 0

    def words(self, deed: str, number: int) -> tuple[str, ...]:
        """Return a command."""
        if deed == "task":
            return ("task", "add", f"Task {number} is done.", "--id", f"f{number}")
        if deed == "capture":
            say(self.transcript, f"Does part {self.parts} hold?", role="user")
            say(self.transcript, f"Part {self.parts} holds.")
            self.parts += 1
            return (
                "capture",
                *named(self.transcript, "s"),
                "--why",
                self.rng.choice(("end", "precompact")),
            )
        if deed == "redact":
            fact = self.rng.choice(self.facts or ["none"])
            self.hidden.add(fact)
            return ("redact", fact, "--reason", "a slip")
        return (
            ("check", "--publish")
            if deed == "publish"
            else ("note", f"id=f{number} fact: Fact {number} is told.")
        )

    def kill(self, number: int) -> None:
        """Kill a command, let it be given again, and look."""
        deed, person = self.rng.choice(DEEDS), self.rng.choice(PERSONS)
        words = self.words(deed, number)
        (self.home.folder / "code.py").write_text(f"print({number})\n")
        script = f"sleep 0.{self.rng.randrange(25):02}; git " + "; git ".join(person.split("; "))
        beside = subprocess.Popen(
            ["sh", "-c", script],
            cwd=self.home.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        step, behind = self.rng.randrange(1, 60), self.rng.random() < 0.5
        died = self.home.at_step(step, "die", *words, behind=behind)
        while died.code != DIED and step > 1:
            step //= 2
            died = self.home.at_step(step, "die", *words, behind=behind)
        beside.wait()
        self.counts["kills"] += died.code == DIED
        self.counts[deed] += died.code == DIED
        again = self.home.run(*words, code=None)
        self.home.git("checkout", "-q", "main")
        if deed in ("note", "task"):
            assert again.code == 0, again
            self.facts.append(f"f{number}")
        self.look(f"{deed}, step {step}, behind {behind}, beside `{person}`")

    def look(self, what: str) -> None:
        """Count what is lost and what is twice."""
        home = self.home
        shown, logs = home.texts(), home.logs("HEAD")
        files = [
            *(home.folder / home.prefix / "sessions").rglob("2*.md"),
            *(home.common / "diurna/spool").rglob("2*"),
        ]
        logs |= {
            one.name.removesuffix(".md"): one.read_bytes()
            for one in files
            if one.is_file() and len(one.name) > 40 and one.parent.name != "at"
        }
        whole = b"\n".join(logs.values()) + b"\n"
        for fact in self.facts:
            made = re.compile(rf"Created: {fact}\b".encode())
            holding = [stem for stem, data in logs.items() if made.search(data)]
            gone, twice = fact not in shown, len(holding) != 1
            wrong = fact in self.hidden and "(redacted)" not in shown.get(fact, "")
            self.counts.update(LOST=gone, DOUBLED=twice, SHOWN=wrong)
            if gone or twice or wrong:
                print(f"{fact}: gone {gone}, in {holding}, shown {wrong} after {what}", flush=True)
        for part in range(self.parts):
            if (many := whole.count(f"\nPart {part} holds.\n".encode())) > 1:
                self.counts["DOUBLED"] += 1
                print(f"part {part}: {many} times after {what}", flush=True)

    def end(self) -> None:
        """Look whether each part of the session is told, and whether git finds a fault."""
        self.home.run("capture", *named(self.transcript, "s"))
        told = "".join(
            self.home.text("log", one["stem"])
            for one in self.home.run("log", "-n", "999").json["sessions"]
        )
        lost = [part for part in range(self.parts) if f"Part {part} holds." not in told]
        self.counts.update(LOST=len(lost), faults=len(self.home.fsck()))
        if lost:
            print(f"parts {lost} are not told", flush=True)


def run(kills: int, seed: int, kind: str = FOLDER) -> Counter[str]:
    """Kill so many commands; return what came of it."""
    counts = Counter[str](LOST=0, DOUBLED=0, SHOWN=0)
    while counts["kills"] < kills:
        with tempfile.TemporaryDirectory() as folder, World(Path(folder)) as world:
            campaign = Campaign(world, seed * 1_000_000 + counts["homes"], kind)
            for number in range(min(_A_HOME, kills - counts["kills"])):
                campaign.kill(number)
            campaign.end()
        counts += Counter(homes=1)
        counts.update(campaign.counts)
    return counts


def main(arguments: list[str]) -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", default=FOLDER, help="of home")
    chosen = parser.parse_args(arguments)
    begun, counts = time.monotonic(), run(chosen.kills, chosen.seed, chosen.kind)
    told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    print(f"kills: {told}; {time.monotonic() - begun:.0f} s")
    return int(any(counts[name] for name in ("LOST", "DOUBLED", "SHOWN", "faults")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
