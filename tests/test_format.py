"""Each rule of FORMAT.md, and each of Diurna alone, has vectors in `tests/format/`: what is there, is done, is then.

A vector is a heading with its rule, and steps; `deep` above them leaves it to the deep run. A step begins at
the margin; what is indented below belongs to it.

    log STEM                     a log of these bytes lies in the ledger; `STAMP-*` is sealed by its bytes
    said STEM [TYPE] [key=value] the same, written short: `Verb: ids` and `id [x] = text | key: value`
    file PATH, plant PATH        a file of the home, in the work tree alone or committed; `delete PATH`, `gone PATH` take one away
    home [KIND], clone NAME, in NAME, on NAME   a home with code or without, a clone, which of them, and a branch
    clock days=1                 time goes by
    edit PATH | old | new        a person edits a file; `code PATH` commits one of the code, `commit` all that lies there;
                                 `old PATH`: a file was written long ago; `by-itself`: what is due is done (R13)
    dies WORDS | COMMAND         a process that is killed at its first step with these words (`WORDS #4`: its fourth)
    when WORDS | DOES | COMMAND  something else happens at that step: an error such as `ENOSPC`, or `$ …`: what a shell does
    locked FILE | COMMAND        another process holds a lock in the git directory; `lose REVISION`: git lost an object
    refuses COMMAND              ends with 1 and leaves everything as it is
    $ COMMAND                    must end with 0 (`$1`: with 1, `$?`: with anything); what its JSON says stands below
    % COMMAND                    the same for people: words that are printed, or with `not:` before them are not
    git COMMAND, has PATH        what git prints, what is in a file; `is PATH` is all of it; `lacks PATH`: there is none
    twice                        a second reader (`tests.second_fold`) says the same of these bytes

`{1}` is the stem of the first log that a vector names or records, `{b1}` the id of its bytes, `{HEAD}` git's.
A line of what a JSON says is `path/to/value = text`: of lists the ids, codes or stems of their items, `~`
asks for a part.

Of the faults those of logs and policies are among them (group E; fault:M7, fault:M8, fault:M9, fault:M10);
fault:E12 and fault:E13 are about signatures, which this version neither makes nor checks.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.campaigns.second_fold import BareHome, normal, path_of, sealed, unlike
from tests.second_fold import VERBS, answer, blob_id
from tests.world import DIED, OWN_REPOSITORY, Answer, Place, World, run

ROOT = Path(__file__).parents[1]
_RULE = re.compile(r"(?m)^- \*\*([A-Z]\d+)\*\*")
_STEP = re.compile(r"(?m)^(\S.*)\n((?:(?: {4}.*)?\n)*)")
_NAMES = ("id", "code", "stem", "rule", "name", "file")


class Step(NamedTuple):
    """What is done, and what is below it."""

    verb: str
    rest: str
    body: str


class Vector(NamedTuple):
    """The steps of one heading."""

    rule: str
    id: str
    steps: tuple[Step, ...]
    marks: list[pytest.MarkDecorator]


def read() -> Iterator[Vector]:
    """Read the vectors of all files."""
    for file in sorted((ROOT / "tests" / "format").glob("[0-9]*.md")):
        for part in re.split(r"(?m)^### ", file.read_text(encoding="utf-8"))[1:]:
            title, _, text = part.partition("\n")
            steps = []
            marks = [pytest.mark.deep] * text.startswith("deep\n")
            for found in _STEP.finditer(text.removeprefix("deep\n").split("\n## ")[0] + "\n"):
                verb, _, rest = found[1].partition(" ")
                steps.append(Step(verb, rest.strip(), _dedented(found[2])))
            rule = title.split(":")[0].strip()
            name = title.removeprefix(rule).strip(" :")
            yield Vector(rule, f"{rule} {name}".strip(), tuple(steps), marks)


def _dedented(body: str) -> str:
    return re.sub(r"(?m)^ {4}", "", body).rstrip("\n") + "\n" if body.strip() else ""


VECTORS = list(read())


def test_each_rule_has_vectors() -> None:
    """Of the rules of Diurna alone, `tests.lint` knows."""
    rules = set(_RULE.findall((ROOT / "ledger" / "FORMAT.md").read_text(encoding="utf-8")))
    assert rules - {vector.rule for vector in VECTORS} == set()


def test_the_second_reader_knows_each_verb() -> None:
    """In the order of the table."""
    text = (ROOT / "ledger" / "FORMAT.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"(?m)^\| (?:Fact|Thread|Work)\w+ \| `(\w+):", text)) == VERBS


@pytest.mark.parametrize(
    "vector", [pytest.param(one, id=one.id, marks=one.marks) for one in VECTORS]
)
def test_vectors(vector: Vector, world: World) -> None:
    """What the format says is what is done, behind a mark (fault:G2), in two sections (fault:G12), too."""
    player = Player(world)
    for step in vector.steps:
        player.play(step)


class Player:
    """Plays the steps of a vector.

    What it knows of a ledger that was made of bytes alone is `files`; where a home is made, `place` is where
    commands are given.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.files: dict[str, bytes] = {"diurna.toml": b'format = 1\nproject = "p"\n'}
        self.names: dict[str, str] = {}
        self.bare: BareHome | None = None
        self.place: Place | None = None
        self.fresh: dict[str, bytes | None] = dict(self.files)
        self.answers: dict[tuple[str, ...], Answer] = {}  # of these bytes, as they are now
        self.plays = {
            "log": self.log, "said": self.said, "plant": self.plant, "file": self.file, "gone": self.gone,
            "home": self.home, "clone": self.clone, "in": self.inside, "on": self.on, "clock": self.clock,
            "git": self.git, "has": self.has, "twice": self.twice, "%": self.printed, "edit": self.edit,
            "code": self.code, "commit": self.commit_all, "dies": self.dies, "refuses": self.refuses, "lacks": self.lacks,
            "is": self.exactly, "old": self.old, "when": self.dies, "git?": self.git,
            "by-itself": self.by_itself, "locked": self.locked, "delete": self.delete, "lose": self.lose,
        }  # fmt: skip

    def play(self, step: Step) -> None:
        """Do a step."""
        filled = Step(step.verb, self.fill(step.rest), self.fill(step.body))
        if step.verb[0] == "$":
            self.command(filled)
        else:
            self.plays[step.verb](filled)

    def fill(self, text: str) -> str:
        """Put stems and the ids of bytes in their places."""
        if "{HEAD}" in text:
            text = text.replace("{HEAD}", self.here.git("rev-parse", "HEAD"))
        return re.sub(r"\{(b?\d+)\}", lambda found: self.names[found[1]], text)

    @property
    def here(self) -> Place:
        """The home in which commands are given."""
        assert self.place is not None
        return self.place

    def name(self, stem: str, data: bytes = b"") -> None:
        number = len([one for one in self.names if one[0] != "b"]) + 1
        self.names |= {str(number): stem, f"b{number}": blob_id(data)}

    # ---- what is there ------------------------------------------------------------------------------

    def put(self, path: str, data: bytes) -> None:
        if self.place is None:
            self.files[path] = self.fresh[path] = data
        else:
            self.place.plant({path: data})

    def log(self, step: Step) -> None:
        data = step.body.encode("utf-8", "surrogateescape")
        data = re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), data)
        stem, _, place = step.rest.partition(" at ")
        stem = sealed(stem[:-2], data) if stem.endswith("-*") else stem
        self.name(stem, data)
        self.put(place or path_of(stem), data)

    def said(self, step: Step) -> None:
        stem, *more = step.rest.split(" ", 1)
        words = shlex.split(more[0]) if more else []
        header = dict(word.split("=", 1) for word in words if "=" in word)
        types = [word for word in words if "=" not in word]
        if stem.endswith("-*"):
            ended = f"{stem[:10]}T{stem[11:13]}:{stem[13:15]}:{stem[15:17]}.{stem[17:20]}Z"
            header = {"ended": ended} | header
        header = {"agent": "ada"} | header | ({"type": types[0]} if types else {})
        bullets, facts = [], []
        for line in step.body.splitlines():
            fact = re.fullmatch(r"([a-z0-9.-]+)(?: \[([ x])\])? = ([^|]*?)( \|.*)?", line)
            if fact is None:
                bullets.append(f"- {line}\n")
                continue
            box = f"[{fact[2]}] " if fact[2] else ""
            facts.append(f"- {box}{fact[3]}\n  <!-- id: {fact[1]}{fact[4] or ''} -->\n")
        text = "".join(f"{key}: {value}\n" for key, value in header.items())
        text = f"---\n{text}---\n# T\n"
        text += f"\n## Memory References\n\n{''.join(bullets)}" if bullets else ""
        text += f"\n## Facts\n\n{''.join(facts)}" if facts else ""
        self.log(Step("log", stem, text))

    def plant(self, step: Step) -> None:
        self.put(step.rest, step.body.encode())

    def file(self, step: Step) -> None:
        self.here.write(step.rest, step.body)

    def gone(self, step: Step) -> None:
        path = path_of(step.rest) if (stem := step.rest) in self.names.values() else stem
        if self.place is None:
            del self.files[path]
            self.fresh[path] = None
        else:
            self.place.plant({path: None})

    def home(self, step: Step) -> None:
        kind, _, rest = step.rest.partition(" ")
        policy = dict(word.split("=") for word in rest.split())
        values = {key: int(value) if value.isdigit() else value for key, value in policy.items()}
        self.place = self.world.home(kind or OWN_REPOSITORY, policy=values)

    def clone(self, step: Step) -> None:
        if not self.here.git("remote"):
            self.here.join(self.world.hub())
        self.place = self.here.clone(step.rest)

    def inside(self, step: Step) -> None:
        self.place = self.world.place(step.rest)

    def on(self, step: Step) -> None:
        new = not self.here.git("branch", "--list", step.rest)
        self.here.git("switch", "-q", *(["-c"] if new else []), step.rest)

    def clock(self, step: Step) -> None:
        self.world.clock.go(**{key: float(value) for key, value in [step.rest.split("=")]})

    def edit(self, step: Step) -> None:
        path, old, new = (part.strip().replace("\\n", "\n") for part in step.rest.split("|", 2))
        if old not in self.here.read(path):  # a person edits what was published
            self.here.run("check", "--publish")
        text = self.here.read(path)
        assert old in text, text
        self.here.write(path, text.replace(old, new, 1))

    def by_itself(self, step: Step) -> None:
        self.here.aside()

    def old(self, step: Step) -> None:
        os.utime(self.here.folder / step.rest, (0, 0))

    def code(self, step: Step) -> None:
        self.here.write(step.rest, step.body)
        self.here.git("add", "-f", step.rest)
        self.here.git("commit", "-q", "-m", f"code {step.rest}", "--", step.rest)

    def commit_all(self, step: Step) -> None:
        self.here.commit_all(step.rest or "by hand")

    def dies(self, step: Step) -> None:
        on, *does, command = step.rest.split(" | ")
        on, _, number = on.partition(" #")
        words = shlex.split(command)
        done = self.here.at_step(int(number or 1), *(does or ["die"]), *words, on=on)
        assert does or done.code == DIED, f"{done}"

    def delete(self, step: Step) -> None:
        (self.here.folder / step.rest).unlink()

    def locked(self, step: Step) -> None:
        name, _, command = step.rest.partition(" | ")
        with open(self.here.common / name, "a", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.command(step._replace(verb="$1", rest=command))

    def lose(self, step: Step) -> None:
        object = self.here.git("rev-parse", step.rest)
        (self.here.common / "objects" / object[:2] / object[2:]).unlink()

    def refuses(self, step: Step) -> None:
        before = self.shape()
        self.command(step._replace(verb="$1"))
        assert self.shape() == before

    def shape(self) -> dict[str, object]:
        """What a refused command leaves; a fetch may have moved what is known of a remote."""
        found = self.here.shape()
        refs = str(found.pop("refs")).splitlines()
        return found | {"own": [one for one in refs if "refs/remotes/" not in one]}

    # ---- what is asked ------------------------------------------------------------------------------

    def ask(self, step: Step, *more: str) -> Answer:
        words = shlex.split(step.rest)
        stdin = ""
        if "<" in words:
            stdin, step = step.body, step._replace(body="")
            words.remove("<")
        if self.place is not None:
            return self.place.run(*words, *more, code=None, json=False, stdin=stdin)
        home = self.commit()
        asked = (*words, *more, stdin)
        if asked not in self.answers:
            self.answers[asked] = run(*words, *more, "--home", str(home.folder), stdin=stdin)
        return self.answers[asked]

    def commit(self) -> BareHome:
        """Commit what came since, in a ledger of bytes alone."""
        self.bare = self.bare or BareHome(self.world.folder / "bare.git")
        if self.fresh:
            self.answers.clear()
            added = {path: data for path, data in self.fresh.items() if data is not None}
            self.bare.commit(added, self.fresh.keys() - added.keys())
        self.fresh = {}
        return self.bare

    def command(self, step: Step) -> None:
        done = self.ask(step, "--json")
        wanted = {"$": 0, "$?": done.code}.get(step.verb, int(step.verb[1:].strip("?") or 0))
        assert done.code == wanted, f"{step.rest}: {done}"
        told = _read_json(done.out)
        if isinstance(told, Mapping):
            for stem in [told["stem"]] if told.get("stem") else told.get("stems", []):
                self.name(stem)
        if "<" in step.rest.split():
            return
        for line in step.body.splitlines():
            path, relation, value = re.split(r" ([=~]|!~)(?: |$)", f"{line} ", maxsplit=1)
            found = _found(told, path.split("/"))
            value = value.strip()
            holds = {"=": found == value, "~": value in found, "!~": value not in found}[relation]
            assert holds, f"{step.rest}: {path} is {found!r}, wanted {relation} {value!r}"

    def printed(self, step: Step) -> None:
        done = self.ask(step)
        _holds(done.out + done.err, step.body)

    def git(self, step: Step) -> None:
        code, out = self.here.tries(*shlex.split(step.rest))
        assert code == 0 or step.verb == "git?", out
        if step.body:
            assert out.strip() == step.body.strip()

    def has(self, step: Step) -> None:
        text = self.here.read(step.rest)
        _holds(text, step.body)

    def exactly(self, step: Step) -> None:
        assert self.here.read(step.rest) == step.body

    def lacks(self, step: Step) -> None:
        assert not (self.here.folder / step.rest).exists()

    def twice(self, step: Step) -> None:
        told = self.ask(Step("$", "show", ""), "--json").json
        assert unlike("second reader", normal(told), answer(self.files)) == []


def _holds(text: str, lines: str) -> None:
    """Look for each line in a text; one that begins with `not:` must not be there."""
    for line in lines.replace("\\n", "\0").splitlines():
        absent, words = line.startswith("not: "), line.removeprefix("not: ").replace("\0", "\n")
        assert (words in text) is not absent, f"{line}\n{text}"


def _read_json(out: str) -> Any:
    try:
        return json.loads(out)
    except ValueError:
        return {"printed": out}


def _found(value: Any, path: list[str]) -> str:
    """What stands at a path, as a line says it."""
    for at, key in enumerate(path):
        if isinstance(value, list):
            if key.isdigit():
                value = value[int(key)] if int(key) < len(value) else ""
                continue
            named = [one for one in value if key in (_name(one), one)]
            value = named[0] if named else "(none)"
        elif isinstance(value, Mapping):
            value = value.get(key, "(none)")
        else:
            return f"(nothing at {'/'.join(path[: at + 1])})"
    return _shown(value)


def _name(value: Any) -> str:
    if isinstance(value, Mapping):
        return next((str(value[key]) for key in _NAMES if key in value), "")
    return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(_name(one) for one in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(one)}" for key, one in value.items())
    return str(value).strip()
