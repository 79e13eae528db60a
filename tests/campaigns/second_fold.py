"""The product against a second reader that was written from FORMAT.md alone.

`python -m tests.campaigns.second_fold --ledgers 10000 --seed N` makes up that many ledgers with every kind of
event: sealed, hand-written, date-only logs and twins, in a few instants, events in any written order. Their
bytes are committed in a random order of arrival; whenever memory is asked, and from nothing at the end, `show
--json` must be what `tests.second_fold` answers.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from rituals.cli.app import main as diurna
from tests.second_fold import SEALED, TASK_STATES, answer, keyed, version_of
from tests.world import git, lay

IDS = ("a", "b", "c", "d", "e")
TEXTS = ("One.", "Two.", "Three.", "Four.")
VERSIONS = tuple(map(version_of, TEXTS))
TYPES = ("work",) * 6 + ("continued",) * 3 + ("review", "import", "edit", "checkpoint")
DAYS = ("2026-03-30", "2026-03-31", "2026-04-01", "2026-06-30", "2026-07-01")
FOOTERS = (
    "", "", "", "", "kind: thread", "kind: thread", "kind: invariant", "kind: task", "kind: task | owner: x",
    "kind: task", "kind: finding", "kind: pattern", "kind: pattern", "kind: decision | tags: x, y",
    "own: value",
    "own: another", "kind: my kind | supersedes: b, the pass", "serves: the pass!", "serves: a c",
)  # fmt: skip
TOLD = (
    "created: 2026-03-31", "created: 2026-03-31 | origin: 2026-03-31-100300", "origin: 2026-02-01-090000",
    "kind: thread | created: 2026-04-01", "origin: somewhere", "origin: 2026-03-31-words | by: Bo",
    "counted: 7 2026-04-01 - working", "counted: -1 2026-03-31 2026-03-31-words", "counted: 3 2026-04-01",
    "counted: 1234567890 2026-04-01 -",
)  # fmt: skip
#: What the logs of a ledger say, drawn by its theme: letters of `_said`.
THEMES = {
    "anything": "CUUSSXRPPPMMLH", "texts": "CUUUUU", "threads": "CUUUUccoo", "truth": "CUUSSIIRR",
    "tasks": "CMMMMco",
    "age": "Crr", "judged": "CHHHr", "circles": "CSSSSSSR",
}  # fmt: skip
_OPEN = ("kind: thread", "kind: thread", "kind: handoff", "")
_OF_THEME = {"threads": _OPEN, "tasks": ("kind: task",), "judged": ("kind: pattern",)}
REMARKS = (
    "", "pytest -q: exit 0", "src/a.py:3", "Judge", "judge", "it did", "make (exit 300)", "x.y:0", "rc=1",
)  # fmt: skip
#: What stands beside a use (W13), and what only looks like it.
PROOFS = (
    "",
    "",
    "opened",
    "named 12, by the agent: “as b says, c”",
    "followed 7: “x → y”",
    "seen (so)",
)
PLAIN = (
    "Referenced", "Referenced", "Reactivated", "Archived", "Reopened", "Verified", "Promoted", "Demoted",
    "Redacted", "Reinstated", "Closed", "Invalidated",
)  # fmt: skip


def sealed(stamp: str, data: bytes) -> str:
    """Name a log by its stamp and bytes (3.1)."""
    seal = base64.b32encode(hashlib.sha256(data).digest()).decode().lower()[:26]
    return f"{stamp}-{seal}"


def path_of(stem: str) -> str:
    """Where a log lies."""
    return f"sessions/{stem[:7]}/{stem[8:10]}/{stem}.md"


def log_bytes(
    header: Mapping[str, str], bullets: Sequence[str], facts: Sequence[tuple[str, str, str, str]]
) -> bytes:
    """Write a log (3.2); a fact is its id, text, checkbox and footer."""
    lines = ["---", *(f"{key}: {value}" for key, value in header.items() if value), "---", "# T"]
    if bullets:
        lines += ["", "## Memory References", "", *(f"- {one}" for one in bullets)]
    if facts:
        lines += ["", "## Facts", ""]
    for id, text, box, footer in facts:
        lines.append(f"- {f'[{box}] ' if box else ''}{text}")
        lines.append(f"  <!-- id: {id}{' | ' if footer else ''}{footer} -->")
    return "\n".join([*lines, ""]).encode()


def made_up(
    rng: random.Random, most: int = 24, texts: Sequence[str] = TEXTS, theme: str = "anything"
) -> dict[str, bytes]:
    """Make the files of a ledger up, the policy first; their order is that of their arrival."""
    sizes = sorted(rng.choices(range(6), k=3))
    sizes += sorted(rng.choices(range(4), k=3)) if rng.randrange(2) else [0, 0, 0]
    names = ("working", "active", "archive", "working_days", "active_days", "archive_days")
    windows = "".join(f"{name} = {size}\n" for name, size in zip(names, sizes, strict=True))
    lasting = rng.choice(
        ("", "", "[kinds.decision]\ndecays = false\n", "[kinds.fact]\ndecays = false\n")
    )
    files = {"diurna.toml": f'format = 1\nproject = "p"\n[windows]\n{windows}{lasting}'.encode()}
    ids = IDS if theme in ("anything", "circles") else IDS[: rng.choice((1, 2, 3))]
    if theme == "age" and rng.randrange(2):
        ids = tuple(f"f{number}" for number in range(20))  # most are born once, and never again
    stems: list[str] = []
    for _ in range(rng.randint(1 if theme == "anything" else most // 2, most)):
        type = rng.choice(TYPES)
        data = log_bytes(_header(rng, type), *_said(rng, type, stems, texts, ids, theme))
        instant = f"{rng.choice(DAYS)}-10{rng.randrange(6):02d}00"
        words = f"{instant[:10]}-{rng.choice(('words', '2577', '10-a'))}"
        stem = rng.choice((instant, f"{instant}-words", instant[:10], words))
        if rng.randrange(10) < 7:
            stem = sealed(f"{instant}{rng.randrange(2):03d}", data)
        place = path_of(stem)
        if place in files:  # two logs of one name
            place = f"sessions/twins/{len(files)}/{stem}.md"
        files[place] = data
        stems.append(stem)
    return files


def _header(rng: random.Random, type: str) -> dict[str, str]:
    """Make up who wrote a log; most say little of it."""
    told = {"agent": rng.choice(("x", "y", "claude-code")), "type": "" if type == "work" else type}
    if type == "continued" or rng.randrange(3) == 0:
        told["role"], told["session"] = rng.choice(("", "judge", "a | b")), rng.choice("st")
        told["branch"] = rng.choice(("", "main", "feat/x"))
    if rng.randrange(12) == 0:
        told |= {"session": "s", "host": "codex", "extractor": "sources", "transcript": "t 0-9"}
    return told


def _said(
    rng: random.Random,
    type: str,
    stems: Sequence[str],
    texts: Sequence[str],
    ids: Sequence[str],
    theme: str,
) -> tuple[list[str], list[tuple[str, str, str, str]]]:
    """Make up what one log says; of each id it brings at most one text, as a log can."""
    bullets: list[str] = []
    facts: list[tuple[str, str, str, str]] = []
    brought: set[str] = set()

    def behind(id: str, **named: Sequence[str] | None) -> str:
        return id + "".join(f" ({key} {', '.join(some)})" for key, some in named.items() if some)

    for _ in range(rng.randint(0, 6 if theme == "anything" else 3)):
        id, kind, was = rng.choice(ids), rng.choice(THEMES[theme]), _some(rng, VERSIONS, 2)
        if kind in "CU":
            if id in brought:
                continue
            brought.add(id)
            footers = _OF_THEME.get(theme, FOOTERS)
            footers = (*footers, *TOLD) if type == "import" and kind == "C" else footers
            box = rng.choice(("", "", " ", "x"))
            facts.append((id, rng.choice(texts), box, rng.choice(footers)))
            knew = _some(rng, stems, 2) if rng.randrange(3) == 0 else None
            bullets.append(
                f"Created: {id}" if kind == "C" else f"Updated: {behind(id, was=was, said=knew)}"
            )
        elif kind == "S":
            new = rng.choice(ids if rng.randrange(9) else ("pending",))
            bullets.append(f"Superseded: {behind(f'{id} → {new}', was=was)}")
        elif kind in "XIc":
            verb = {"X": rng.choice(("Closed", "Invalidated")), "I": "Invalidated", "c": "Closed"}[
                kind
            ]
            named = was if rng.randrange(4) else None
            if verb == "Closed" and named and rng.randrange(2):
                named = (*named, *(_some(rng, stems, 3) or ()))
            bullets.append(f"{verb}: {behind(id, was=named)}")
        elif kind == "o":
            bullets.append(f"Reopened: {id}")
        elif kind == "R" and stems:
            verb = rng.choice(("Reinstated", "Withdrawn"))
            bullets.append(f"{verb}: {behind(id, said=_some(rng, stems, 3))}")
        elif kind in "Pr":
            verb = rng.choice(PLAIN) if kind == "P" else "Referenced"
            proof = rng.choice(PROOFS) if verb == "Referenced" else ""
            bullets.append(f"{verb}: {id}" + (f" — {proof}" if proof else ""))
        elif kind == "M":
            seen = rng.choice((None, ("none",), _some(rng, stems, 3)))
            remark = rng.choice(("", " — so be it"))
            bullets.append(
                f"Moved: {behind(f'{id} → {rng.choice(TASK_STATES)}', was=seen)}{remark}"
            )
        elif kind == "L":
            verb, remark = rng.choice(("Landed", "Reverted")), rng.choice(("", " — patch"))
            bullets.append(f"{verb}: {id} → {'4f2a91c0' * 5}{remark}")
        elif kind == "H":
            verb, remark = rng.choice(("Helped", "Ignored")), rng.choice(REMARKS)
            bullets.append(f"{verb}: {id}" + (f" — {remark}" if remark else ""))
    rng.shuffle(bullets)
    rng.shuffle(facts)
    return bullets, facts


def _some(rng: random.Random, values: Sequence[str], most: int) -> tuple[str, ...] | None:
    """Choose a few of them, or say nothing."""
    if not values or rng.randrange(4) == 0:
        return None
    return tuple(rng.sample(sorted(set(values)), min(len(set(values)), rng.randint(1, most))))


class BareHome:
    """A home in a bare repository, of which commits are made from bytes."""

    def __init__(self, folder: Path, branch: str = "main") -> None:
        self.folder, self.branch = folder, branch
        init = ("init", "-q", "--bare", "--template=", "-b", branch)
        lay(f"bare {branch}", folder, lambda at: git(at.parent, *init, at.name))
        self.marks = 0

    def commit(self, files: Mapping[str, bytes], gone: Iterable[str] = ()) -> None:
        """Add files to the tip, and take others away."""
        self.marks += 1
        stream = b"commit refs/heads/%s\ncommitter A <a@b.invalid> %d +0000\ndata 0\n" % (
            self.branch.encode(), 1_790_000_000 + self.marks,
        )  # fmt: skip
        if self.marks > 1:
            stream += b"from refs/heads/%s^0\n" % self.branch.encode()
        for path in gone:
            stream += b"D %s\n" % path.encode()
        for path, data in files.items():
            stream += b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)
        git(self.folder, "fast-import", "--quiet", data=stream)

    def ask(self, *command: str) -> Any:
        """Ask the command line, in this process; return its JSON."""
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            diurna([*command, "--json", "--home", str(self.folder)])
        return json.loads(printed.getvalue())


#: What the place of HEAD adds to an answer, which is no function of the logs.
OF_HEAD = ("here", "branch", "point", "landed", "how", "text_here", "marks")


def normal(told: dict[str, Any]) -> dict[str, Any]:
    """An answer without what HEAD adds; what a text replaced has no order."""
    for fact in told["facts"]:
        for key in OF_HEAD:
            fact.pop(key, None)
        for version in fact["versions"]:
            version["was"].sort()
    return told


def unlike(where: str, first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """Say where two answers differ."""
    found = [f"{where}: {key} is {first[key]!r}, or {second[key]!r}"
             for key in second if key != "facts" and first[key] != second[key]]  # fmt: skip
    one = {fact["id"]: fact for fact in first["facts"]}
    two = {fact["id"]: fact for fact in second["facts"]}
    found += [f"{where}: {sorted(one)} are facts, or {sorted(two)}"] * (one.keys() != two.keys())
    for id in one.keys() & two.keys():
        found += [f"{where}: {key} of {id} is {one[id].get(key)!r}, or {two[id].get(key)!r}"
                  for key in one[id].keys() | two[id].keys() if one[id].get(key) != two[id].get(key)]  # fmt: skip
    return found


def cold_differences(files: dict[str, bytes], folder: Path) -> list[str]:
    """Compare both readers of a ledger that came at once."""
    home = BareHome(folder)
    home.commit(files)
    return unlike("at once", normal(home.ask("show")), answer(files))


def differences(files: dict[str, bytes], rng: random.Random, folder: Path) -> list[str]:
    """Compare both readers: whenever memory is asked between commits, of a moment of the past, and from nothing."""
    home, found = BareHome(folder), list[str]()
    left, now = list(files), dict[str, bytes]()
    while left:
        batch = {path: files[path] for path in left[: rng.choice((2, 5, 12, 24))]}
        now, left = now | batch, left[len(batch) :]
        home.commit(batch)
        if rng.randrange(3) == 0:
            found += unlike(f"{len(now)} files", normal(home.ask("show")), answer(now))
    found += unlike("warm", normal(home.ask("show")), answer(files))
    for key in [one for one in keyed(files) if SEALED.fullmatch(one)][:1]:
        found += unlike(
            f"as of {key}", normal(home.ask("show", "--as-of", key)), answer(files, key)
        )
    found += home.ask("check", "--replay")["cache_differs"]
    cold = BareHome(folder.with_suffix(".cold"))
    cold.commit(dict(sorted(files.items())))
    return found + unlike("cold", normal(cold.ask("show")), answer(files))


def main(arguments: list[str]) -> int:
    """Compare the readers on as many ledgers as asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.second_fold",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ledgers", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--logs", type=int, default=24, help="at most so many in a ledger")
    chosen = parser.parse_args(arguments)
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    begun, counts, wrong = time.monotonic(), Counter[str](), 0
    for number in range(chosen.ledgers):
        rng = random.Random(f"{chosen.seed} {number}")
        files = made_up(rng, chosen.logs, theme=rng.choice(list(THEMES)))
        with tempfile.TemporaryDirectory() as folder:
            found = differences(files, rng, Path(folder, "home"))
        for fact in answer(files)["facts"]:
            counts["facts"] += 1
            for what in "contradiction denied moves circle false redacted closed".split():
                counts[what] += bool(fact[what])
            counts["archived"] += bool(fact["reason"]) and not fact["false"]
        counts["logs"] += len(files) - 1
        if found:
            wrong += 1
            print(f"ledger {number} of seed {chosen.seed}:", *found[:8], sep="\n  ", flush=True)
        if (number + 1) % 1000 == 0:
            print(f"{number + 1} ledgers, {wrong} differ", flush=True)
    told = ", ".join(f"{count} {what}" for what, count in counts.items())
    took = time.monotonic() - begun
    print(f"second fold: {chosen.ledgers} ledgers ({told}): {wrong} differ, {took:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
