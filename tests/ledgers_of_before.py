"""Made ledgers as earlier releases wrote them: every verb, header and footer of FORMAT.md, as bytes.

Nothing of the product writes them: the text is put together here, and sealed here. So a ledger
stays the same to the byte, whatever Diurna writes by then.
"""

from __future__ import annotations

import base64
import hashlib
import random
from collections.abc import Callable, Sequence

#: A log by its path below the home, and its bytes.
Files = dict[str, bytes]

_KINDS = (
    "vision", "invariant", "stack", "decision", "convention", "fact", "state", "pattern", "task",
    "handoff", "thread", "attempt", "finding", "question", "preference", "reference", "",
    "house rule",
)  # fmt: skip
_SUBJECTS = (
    "The billing job", "Each importer", "The search index", "The mail queue", "A nightly export",
    "The login page", "The rate limiter", "Every migration", "The ledger of stock",
    "The picture cache",
)  # fmt: skip
_CLAIMS = (
    "runs twice a day, at six", "asks the database once and keeps the answer",
    "is rebuilt from git alone", "must never see a card number",
    "waits for the lock, then gives up after `30 s`", "is written in Rust 1.80",
    "belongs to the team [[harbour]]", "reads `src/app/config.py`", "has no retries",
    "answers in 200 ms — or says so", "ends with the release 2.4.0\n\n  and not a day before",
    "is measured:\n\n  ```\n  - Created: not-an-event\n  ```",
)  # fmt: skip
_STATES = ("todo", "in-progress", "handoff-ready", "blocked", "done", "cancelled")
_COMMITS = ("4f2a91c0d5e6b7f8a9b0c1d2e3f405162738495a", "0" * 39 + "1", "c0ffee" * 6 + "abcd")
_AGENTS = ("claude-code", "codex", "Ada", "Lin Chen", "diurna", "gemini-cli", "")
_BRANCHES = ("main", "feat/retry", "fix/ü")
_ROLES = ("judge", "validator", "planner", "a | b")
_EVIDENCE = (
    "pytest -q: exit 0", "src/api.py:42", "see src/api.py#L42-48.", "make check exited with code 1",
    "it did", "http://x.invalid:80", "rc=1",
)  # fmt: skip
_USED = (
    "", "named", "opened", "named 12, by the agent: “as it says, twice”",
    "followed 7: “wait → give up”", "restated 80, by the person: “never retry”",
    "corrected 9, by the person, asked “who waits”: “it waits”",
    "opened 40, asked “what runs at six”, “when”",
)  # fmt: skip
#: What one kind of fact or another bore, whether or not anything asks for it by now.
_FOOTERS = (
    "tags: api, #Web Hooks", "entity: Mail-Queue, search index", "role: judge",
    "supersedes: f-1, the old one", "serves: f-1, f-2", "conflicts: f-3",
    "source: docs/adr/0004.md:12@4f2a91c", "created: 2026-01-03", "origin: 2026-01-03-090000",
    "priority: high", "owner: Lin Chen", "goal: ship", "workstream: intake", "depends: f-1, f-4",
    "from: planner", "to: codex", "confidence: 0.8", "about: f-2", "outcome: failed",
    "iteration: 3", "rule: no-unwrap", "path: src/lib.rs", "symbol: Queue::push", "expect: f-2 f-5",
    "salience: 9", "title: How the queue ends", "until: tag v2.*", "until: date 2026-09-01",
    "check: file src/a.py has \"x = 1\"", "obsolete_when: version rust >= 1.90 in Cargo.toml",
    "misfit: not since the move", "note: said in passing", "asked: who runs it; when does it run",
    "warns: pip install, pip3 install", "personal: true", "personal: no", "by: Ada",
    "key: obsidian Queue.md#3", "imported: 12ab34cd", "learned: 0011aabb", "own-key: kept as it is",
    "review: overlap", "keys: 0011aabb, 99ffee00",
)  # fmt: skip


def sealed(stamp: str, data: bytes) -> str:
    """Return the path of a sealed log (FORMAT.md, 3.1)."""
    seal = base64.b32encode(hashlib.sha256(data).digest()).decode().lower()[:26]
    return f"sessions/{stamp[:7]}/{stamp[8:10]}/{stamp}-{seal}.md"


def _version(text: str) -> str:
    return hashlib.sha256(text.replace("\n  ", "\n").encode()).hexdigest()[:8]


class Maker:
    """Writes the logs of one ledger, each a while behind the last."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.files: Files = {}
        self.ids: list[str] = []
        self.stems: list[str] = []
        #: of each fact its versions, and the logs that brought or moved it
        self.versions: dict[str, list[str]] = {}
        self.touched: dict[str, list[str]] = {}
        self.day = 0
        self._events: list[str] = []
        self._blocks: list[str] = []
        self._named: list[str] = []

    def one(self, values: Sequence[str]) -> str:
        """Draw one value."""
        return values[self.rng.randrange(len(values))]

    def sometimes(self, of: int = 3) -> bool:
        """Say yes each so many times."""
        return not self.rng.randrange(of)

    def known(self) -> str:
        """Return the id of a fact: of one that was brought, or seldom of none."""
        return "f-pending" if not self.ids or self.sometimes(25) else self.one(self.ids)

    def sentence(self) -> str:
        """Make a text up."""
        return f"{self.one(_SUBJECTS)} {self.one(_CLAIMS)}."

    def event(self, bullet: str, *ids: str) -> None:
        """Let the next log say something of facts."""
        self._events.append(f"- {bullet}")
        self._named += ids

    def text(self, id: str, text: str, footers: Sequence[str] = (), box: str = "") -> None:
        """Let the next log bring a text."""
        self._blocks.append(f"- {box}{text}\n  <!-- {' | '.join([f'id: {id}', *footers])} -->")
        self.versions.setdefault(id, []).append(_version(text))
        self._named.append(id)

    def born(
        self, kind: str | None = None, footers: Sequence[str] | None = None, id: str = ""
    ) -> str:
        """Let the next log create a fact; return its id."""
        id = id or f"f-{len(self.ids) + 1}"
        kind = self.one(_KINDS) if kind is None else kind
        said = [self.one(_FOOTERS) for _ in range(self.rng.randrange(4))]
        footers = list(
            {one.split(":")[0]: one for one in said}.values() if footers is None else footers
        )
        box = (
            self.one(("", "", "[ ] ", "[x] ")) if kind in ("task", "thread", "finding", "") else ""
        )
        self.text(id, self.sentence(), [f"kind: {kind}"] * bool(kind) + footers, box)
        self.event(f"Created: {id}")
        self.ids.append(id)
        return id

    def was(self, id: str, *, moves: bool = False) -> str:
        """Return what somebody saw of a fact: no version, some, or logs of its moves."""
        seen = list(self.versions.get(id, ()))[-self.rng.randrange(1, 3) :]
        if moves:
            seen += self.touched.get(id, ())[-self.rng.randrange(1, 3) :]
        return f" (was {', '.join(seen)})" if seen and not self.sometimes(4) else ""

    def write(
        self, header: Sequence[str] = (), title: str = "Work", prose: str = "", name: str = ""
    ) -> str:
        """Write the log with what was said since the last one; return its stem."""
        self.day += self.rng.randrange(3)
        month, day = divmod(self.day, 28)
        count = len(self.files)
        clock = f"{10 + count // 60 % 12:02d}:{count % 60:02d}:{self.rng.randrange(60):02d}"
        stamp = f"2026-{month + 1:02d}-{day + 1:02d}-{clock.replace(':', '')}"
        said = [f"agent: {agent}"] if (agent := self.one(_AGENTS)) else []
        if not name:
            milliseconds = f"{self.rng.randrange(1000):03d}"
            said.append(f"ended: {stamp[:10]}T{clock}.{milliseconds}Z")
            if self.stems and self.sometimes(2):
                said.append(f"after: {self.stems[-1]}")
            stamp += milliseconds
        parts = ["---\n" + "\n".join([*said, *header]) + "\n---\n"] if said or header else []
        parts.append(f"# {title}\n")
        parts += [f"\n{prose}\n"] if prose else []
        if self._events:
            parts.append("\n## Memory References\n\n" + "\n".join(self._events) + "\n")
        if self._blocks:
            parts.append("\n## Facts\n\n" + "\n".join(self._blocks) + "\n")
        data = "".join(parts).encode()
        path = f"sessions/{name.format(stamp[:10], stamp)}.md" if name else sealed(stamp, data)
        return self.put(path, data)

    def put(self, path: str, data: bytes) -> str:
        """Take a log in under its path; return its stem."""
        self.files[path] = data
        stem = path.rsplit("/", 1)[1].removesuffix(".md")
        self.stems.append(stem)
        for id in dict.fromkeys(self._named):
            self.touched.setdefault(id, []).append(stem)
        self._events, self._blocks, self._named = [], [], []
        return stem


def _work(maker: Maker) -> None:
    """A session: facts are born and used."""
    for _ in range(maker.rng.randrange(3)):
        maker.born()
    for _ in range(maker.rng.randrange(4)):
        id = maker.known()
        remark = maker.one(_USED)
        maker.event(f"Referenced: {id}" + f" ({remark})" * bool(remark), id)
    header = []
    if maker.sometimes(2):
        header = [f"branch: {maker.one(_BRANCHES)}", f"commit: {maker.one(_COMMITS)}"]
        header += ["dirty: yes"] if maker.sometimes() else []
    maker.write(header, prose=maker.sentence() if maker.sometimes(2) else "")


def _session(maker: Maker) -> None:
    """More work of a session, as its host and role."""
    id = maker.known()
    maker.event(f"Helped: {id}, {maker.known()} ({maker.one(_EVIDENCE)})")
    maker.event(
        f"Ignored: {maker.known()}" + maker.one(("", " (judge)", " (Validator)", " (no use)"))
    )
    header = ["type: continued"] if maker.sometimes(2) else []
    header += [
        f"role: {maker.one(_ROLES)}",
        "host: claude-code",
        "model: opus",
        f"session: {maker.one('stuv')}",
    ]
    maker.write([*header, "started: 2026-01-01T09:00:00.000Z", f"branch: {maker.one(_BRANCHES)}"])


def _update(maker: Maker) -> None:
    """A text is replaced: what the writer saw, what it did not see, or a version of nobody's."""
    id = maker.known()
    said = maker.touched.get(id, ())[-1:]
    naming = maker.one((maker.was(id), maker.was(id), "", " (was 0a1b2c3d)"))
    naming += f" (said {said[0]})" if said and maker.sometimes() else ""
    maker.event(f"Updated: {id}{naming}")
    footers = [maker.one(_FOOTERS)] if maker.sometimes(2) else []
    maker.text(id, maker.sentence(), footers, maker.one(("", "", "", "[x] ")))
    maker.write()


def _false(maker: Maker) -> None:
    """A fact is superseded, called false, or both are taken back."""
    id, new = maker.known(), maker.known()
    kind = maker.rng.randrange(5)
    if kind == 0:
        new = maker.born()
    if kind < 3:
        maker.event(f"Superseded: {id} → {new}{maker.was(id)}", id, new)
    elif kind == 3:
        maker.event(
            maker.one((f"Invalidated: {id}{maker.was(id)}", f"Superseded: {id} (invalidated)")), id
        )
    else:
        said = maker.touched.get(id, ())[-2:]
        maker.event(f"Reinstated: {id}" + f" (said {', '.join(said)})" * bool(said), id)
    maker.write(["type: edit"] if kind > 2 else [])


def _decided(maker: Maker) -> None:
    """A person promotes, archives, confirms, or takes that back."""
    id = maker.known()
    word = maker.one(("Promoted", "Demoted", "Archived", "Reactivated", "Verified", "Reopened"))
    maker.event(f"{word}: {id}", id)
    maker.write([f"type: {maker.one(('edit', 'review'))}"], "Decided")


def _closed(maker: Maker) -> None:
    """A thread is closed with what stood, or opened again."""
    id = maker.known()
    maker.event(
        maker.one((f"Closed: {id}{maker.was(id)}", f"Closed: {id} — said so", f"Reopened: {id}")),
        id,
    )
    maker.write(["type: edit"] if maker.sometimes(2) else [])


def _tasks(maker: Maker) -> None:
    """Tasks move, by what was seen or not, and are handed over."""
    tasks = [id for id in maker.ids if id.startswith("t-")]
    if len(tasks) < 3:
        task = maker.born("task", ["priority: low", "owner: Ada"], f"t-{len(maker.ids) + 1}")
        maker.born("handoff", [f"serves: {task}", "to: codex", "from: planner"])
    else:
        id = maker.one(tasks)
        seen = maker.touched.get(id, ())[-maker.rng.randrange(1, 3) :]
        naming = maker.one(
            ("", " (was none)", f" (was {', '.join(seen)})", f" (was {', '.join(seen)})")
        )
        maker.event(
            maker.one(
                (
                    f"Moved: {id} → {maker.one(_STATES)}{naming}",
                    f"Closed: {id}{maker.was(id, moves=True)}",
                )
            ),
            id,
        )
        if maker.sometimes():
            handoff = maker.known()
            maker.event(f"Closed: {handoff}{maker.was(handoff)} — received", handoff)
    maker.write([f"session: {maker.one('stuv')}"] if maker.sometimes(2) else [])


def _requested(maker: Maker) -> None:
    """What another project asked for was accepted as a task, or declined."""
    digest = hashlib.sha256(f"{maker.rng.random()}".encode()).hexdigest()[:12]
    footers = [f"source: request orders {digest}"]
    if maker.sometimes(2):
        task = maker.born("task", [*footers, "by: orders"], f"t-{len(maker.ids) + 1}")
        maker.write(["type: edit"], "Accepted a request", "> from: orders\n> asked: 2026-01-04")
        maker.event(f"Moved: {task} → {maker.one(('in-progress', 'done'))} (was none)", task)
    else:
        task = maker.born("task", footers, f"t-{len(maker.ids) + 1}")
        maker.event(f"Moved: {task} → cancelled (was none)", task)
    maker.write(["type: edit"] if maker.sometimes(2) else [])


def _landed(maker: Maker) -> None:
    """The work of logs came into a branch, was taken back, or came to nothing."""
    for stem in maker.stems[-2:]:
        commit = maker.one(_COMMITS)
        maker.event(
            maker.one((f"Landed: {stem} → {commit} — patch", f"Landed: {stem} → {commit}",
                       f"Reverted: {stem} → {commit}", f"Dropped: {stem} — feat/retry"))
        )  # fmt: skip
    id = maker.known()
    ended = maker.one((*_COMMITS, "2026-09-01"))
    maker.event(f"{maker.one(('Invalidated', 'Closed'))}: {id}{maker.was(id)} (ended {ended})", id)
    maker.write(["type: edit", "branch: main", f"commit: {maker.one(_COMMITS)}"], "Landed")


def _withheld(maker: Maker) -> None:
    """A fact or a log is redacted, and a purge left its mark."""
    id = maker.known()
    held = maker.touched.get(id, ())[:1]
    naming = f" (held {held[0]} {maker.one(_COMMITS)})" if held and maker.sometimes(2) else ""
    kind = maker.rng.randrange(3)
    if kind == 0 and maker.stems:
        maker.event(f"Redacted: {maker.one(maker.stems)}")
    elif kind == 1:
        purged = maker.born("fact", (), f"p-{len(maker.ids) + 1}")
        maker._blocks[-1] = f"- (redacted 0a1b2c3d)\n  <!-- id: {purged} -->"
        maker.event(f"Redacted: {purged}", purged)
    else:
        maker.event(f"Redacted: {id}{naming}", id)
    maker.write(["type: edit"], "Withheld")


def _captured(maker: Maker) -> None:
    """A session of a host that Diurna told by itself."""
    for _ in range(2):
        id = maker.known()
        maker.event(f"Referenced: {id} ({maker.one(_USED[3:])})", id)
    if maker.sometimes(2):
        maker.born("decision", ["by: Ada", "source: transcript abc 120"])
    begin = maker.rng.randrange(1000)
    header = [
        f"type: {maker.one(('work', 'continued', 'checkpoint'))}", "host: codex",
        f"session: {maker.one('stuv')}", f"branch: {maker.one(_BRANCHES)}",
        f"commit: {maker.one(_COMMITS)}",
        f"extractor: {maker.one(('sources', 'rules', 'http:small-model', 'claude -p'))}",
        f"observed: 1790000000000 {begin}-{begin + 9}",
        f"transcript: abc.jsonl {begin}-{begin + 900}",
        f"shown: {maker.known()}, {maker.known()}, +4", f"told: {maker.known()}, +1",
        "characters: 900, told 120", "asked: 2", "answered: 1",
    ]  # fmt: skip
    header = [line for line in header if line != "type: work"]
    turns = "## Answered\n\n- Which queue? → The old one.\n\n## Turns\n\n### Turn 1 of 2\n\n"
    turns += "The queue was slow.\n\n## Observed\n\n- src/api.py: edited"
    maker.write(header, "The queue", turns)


def _imported(maker: Maker) -> None:
    """What another tool or a page held came in, with the births that it tells of."""
    birth = ["created: 2025-11-0" + str(maker.rng.randrange(1, 9))]
    birth += (
        ["origin: 2025-11-02-1015" + maker.one(("00", "00-k3v7wq2xn5yt"))]
        if maker.sometimes(2)
        else []
    )
    tool = maker.one(("obsidian", "claude-mem", "memory.json", "ledger"))
    footers = [
        f"source: {tool}:Queue.md:3",
        *birth,
        f"key: {tool} {len(maker.ids)}",
        "imported: 12ab34cd",
        "by: Lin",
    ]
    maker.born(maker.one(_KINDS), footers)
    maker.born("thread", [], f"changed-twice-{maker.rng.randrange(16**8):08x}")
    id = maker.known()
    maker.event(
        maker.one((f"Archived: {id}", f"Verified: {id}", f"Updated: {id}{maker.was(id)}")), id
    )
    if maker._events[-1].startswith("- Updated"):
        maker.text(id, maker.sentence(), [f"source: {tool}:Queue.md:4", "imported: 99ffee00"])
    through = [f"through: {maker.one(_COMMITS)}"] if maker.sometimes(2) else []
    maker.write(
        ["type: import", f"commit: {maker.one(_COMMITS)}", f"source: {tool}", *through], "Imported"
    )


def _review(maker: Maker) -> None:
    """A review was held: its quiz, its questions as threads, answers, what was learned."""
    rule = maker.one(("overlap", "contradiction", "learn", "obsolete", "branch-dropped"))
    key = f"{maker.rng.randrange(16**8):08x}"
    footers = [f"review: {rule}", f"keys: {key}", f"about: {maker.known()}, {maker.known()}"]
    maker.born("thread", footers, f"{maker.one(('review-' + rule, 'critique'))}-{key}")
    if maker.sometimes(2):
        maker.born("convention", [f"learned: {key}"])
    maker.event(f"Verified: {maker.known()}")
    prose = f"## Memory Review\n\n- {rule} `{key}`: {maker.sentence()}\n\n## Quiz\n\n3 of 4"
    maker.write(
        ["type: review", "quiz: 3/4", f"unanswered: {maker.known()}, purpose"], "Review", prose
    )


def _accepted(maker: Maker) -> None:
    """Findings were accepted, a judge said something of work, a finding came up again."""
    finding = "`unknown-id:" + f"{maker.rng.randrange(16**8):08x}" * 4 + "`"
    section = maker.one(("Accepted Findings", "Findings No Longer Accepted"))
    maker.write(
        ["type: edit"], "Accepted", f"## {section}\n\nKnown since the move.\n\n- {finding} words"
    )
    found = maker.born("finding", ["rule: no-unwrap", "path: src/lib.rs", "symbol: push"],
                       f"finding-{maker.rng.randrange(16**8):08x}")  # fmt: skip
    maker.event(f"Referenced: {maker.known()}, {found} (seen again)")
    verdict = [f"verdict: {maker.one(('pass', 'fail'))}", f"about: {maker.known()}", "tokens: 1200"]
    maker.write(["role: judge", *verdict], "Judged")


def _undone(maker: Maker) -> None:
    """An undo and a redo, with what they kept and took."""
    id = maker.known()
    maker.event(
        maker.one(
            (f"Reinstated: {id}", f"Archived: {id}", f"Reopened: {id}", f"Invalidated: {id}")
        ),
        id,
    )
    header = (
        [f"{maker.one(('undoes', 'redoes'))}: {', '.join(maker.stems[-2:])}"] if maker.stems else []
    )
    maker.write(["type: edit", *header, f"kept: {maker.known()}", f"took: {maker.known()}"], "Undo")


def _by_hand(maker: Maker) -> None:
    """A log that a person wrote: other verbs, heads in bold, any name."""
    id, other = maker.known(), maker.known()
    bullets = (
        f"Touched: `{id}`, [[{other}]]", f"Corrected: {id}", f"Resolved: {id} — at last",
        f"{id} — used it", f"Re-verified: {id} (asked Lin)", f"Superseded: {id} -> {other}",
        "Archived: 4", "Tier changes: none", f"relied on: {id}, {other}", "(none)", f"{id}",
        "Faded: two of them", f"New: {other}",
    )  # fmt: skip
    for _ in range(maker.rng.randrange(1, 4)):
        maker.event(maker.one(bullets), id, other)
    if maker.sometimes(2):
        maker.born()
        maker._events[-1] = maker._events[-1].replace(
            "Created", maker.one(("New", "Added", "Born", "created"))
        )
    head = maker.one(
        (
            "",
            "**Agent:** Claude Code (Opus)\n**User:** asked for the queue",
            "**Lightweight:** a chat",
        )
    )
    names = ("{0}", "{0}-notes-{1}", "deep/er/{1}", "{1}-words", "{0}-5pm", "2026-02/{0}-1015")
    maker.write(
        (), maker.one(("Session 12", "The queue by hand", "2026-01-05")), head, maker.one(names)
    )


def _damaged(maker: Maker) -> None:
    """Bytes as editors, merges and tools of others leave them; what is good in them counts."""
    id = maker.known()
    maker.event(f"Referenced: {id}, notes.md, Not An Id", id)
    maker.event(
        maker.one(("Levitated: " + id, "Created: f-no-text", f"Updated: {id} (was not-a-version)"))
    )
    born = maker.born()
    maker._blocks.append(
        maker.one(
            (f"- Twice.\n  <!-- id: {born} -->", "- No event.\n  <!-- id: f-lone -->", "- Plain.")
        )
    )
    prose = maker.one(
        ("```\nnever closed", "<!-- never closed", "    ## Facts\n\nindented", "a\u2028## Facts")
    )
    stem = maker.write((), "Odd bytes", prose, "{1}-odd")
    path = next(reversed(maker.files))
    data = maker.files[path]
    marked = b"<<<<<<< ours\n" + data + b"=======\n" + data + b">>>>>>> theirs\n"
    broken = (data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data, data.replace(b"Odd", b"\xff\xfe"), marked,
              data.rstrip(b"\n"), data)  # fmt: skip
    maker.files[path] = broken[maker.rng.randrange(len(broken))]
    if maker.sometimes():  # another file of the same stem
        maker.files[f"sessions/twin/{stem}.md"] = maker.files[path] + b"\nMore.\n"


Scene = Callable[[Maker], None]
_CORE: tuple[Scene, ...] = (_work, _work, _work, _session, _update, _false, _decided, _closed)
#: What sort of ledger it is, by its name: the scenes that its logs are drawn from.
SHAPES: dict[str, tuple[Scene, ...]] = {
    "worked": _CORE,
    "tasks": (*_CORE, _tasks, _tasks, _tasks, _requested, _landed),
    "captured": (_work, _captured, _captured, _session, _update, _landed, _tasks, _decided),
    "imported": (_imported, _imported, _work, _update, _false, _decided, _closed),
    "reviewed": (*_CORE, _review, _review, _accepted, _undone, _landed),
    "withheld": (*_CORE, _withheld, _withheld, _captured, _undone),
    "by hand": (_by_hand, _by_hand, _by_hand, _work, _update, _closed, _damaged),
    "everything": (
        *_CORE, _tasks, _requested, _landed, _withheld, _captured, _imported, _review, _accepted, _undone, _by_hand,
        _damaged,
    ),
}  # fmt: skip


def made(shape: str, seed: int) -> Files:
    """Make the logs of a ledger, at least 30: path below the home -> bytes."""
    maker = Maker(f"{shape} {seed}")
    scenes = SHAPES[shape]
    for _ in range(5):
        _work(maker)
    while len(maker.files) < 32 + seed % 3 * 12:
        scenes[maker.rng.randrange(len(scenes))](maker)
    return maker.files


def policy(seed: int) -> bytes:
    """Return the policy of a ledger: short windows, by sessions and by days."""
    rng = random.Random(f"policy {seed}")
    sizes = sorted(rng.randrange(1, 24) for _ in range(3))
    days = [0, 0, 0] if seed % 2 else sorted(rng.randrange(9) for _ in range(3))
    lines = ["format = 1", 'project = "made"', "", "[windows]"]
    for name, size, least in zip(("working", "active", "archive"), sizes, days, strict=True):
        lines += [f"{name} = {size}", f"{name}_days = {least}"]
    lines += ["", '[kinds."house-rule"]', 'section = "House Rules"', "decays = false", ""]
    return "\n".join(lines).encode()
