"""Generated ledgers for the benchmark: real git repositories of sealed, canonical session logs.

Logs of 2 to 4 KB, 3 to 8 references each, up to 2 new facts, some supersessions, updates and threads;
one commit a log, written through `git fast-import`, packed at the end. The same seed gives the same
bytes.
"""

from __future__ import annotations

import hashlib
import random
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

WORDS = (
    "retry queue webhook timeout proxy cache ledger order schema index worker batch stream token "
    "deploy canary flag metric trace span route broker shard replica quota limit cursor fixture "
    "parser render digest merge branch commit policy window review archive thread session fact "
    "jitter backoff socket buffer encoder migration tenant invoice payment refund audit billing"
).split()
KINDS = ("decision", "convention", "fact", "pattern", "stack", "reference", "thread", "fact")
AGENTS = ("claude-code", "codex", "gemini", "aider")
START_MS = 1_696_118_400_000  # 2023-10-01T00:00:00Z; 100,000 logs end in September 2026


def sentence(rng: random.Random, words: int) -> str:
    """Return some words."""
    return " ".join(rng.choices(WORDS, k=words))


def logs(
    count: int, seed: int = 7, sentence: Callable[[random.Random, int], str] = sentence
) -> Iterator[tuple[str, bytes]]:
    """Yield `count` (stem, bytes) in ledger order; `sentence` says so many words."""
    from ledger.model.log_names import seal, stamp_of

    rng = random.Random(seed)
    known: list[str] = []
    texts: dict[str, str] = {}
    dead: set[str] = set()
    threads: list[str] = []
    previous = ""
    ms = START_MS
    for number in range(count):
        ms += rng.randint(120_000, 1_740_000)
        at = stamp_of(ms)
        ended = f"{at[:10]}T{at[11:13]}:{at[13:15]}:{at[15:17]}.{at[17:20]}Z"
        head = [f"agent: {AGENTS[number % 4]}", f"ended: {ended}"]
        if previous:
            head.append(f"after: {previous}")
        recent = known[-60:]
        alive = [i for i in recent if i not in dead] or recent
        named = rng.sample(alive, min(len(alive), rng.randint(3, 8))) if alive else []
        created: list[tuple[str, str, str]] = []
        for _ in range(rng.choice((0, 1, 1, 2))):
            fact = f"{rng.choice(WORDS)}-{rng.choice(WORDS)}-{len(known)}"
            kind = rng.choice(KINDS)
            if rng.random() < 0.002:
                kind = "invariant"
            text = sentence(rng, 14).capitalize() + "."
            known.append(fact)
            texts[fact] = text
            created.append((fact, kind, text))
        lines = []
        if named:
            lines.append("- Referenced: " + ", ".join(named))
        if created:
            lines.append("- Created: " + ", ".join(fact for fact, _, _ in created))
        updated: list[tuple[str, str]] = []
        if named and rng.random() < 0.03:
            fact = named[0]
            was = hashlib.sha256(texts[fact].encode()).hexdigest()[:8]
            texts[fact] = sentence(rng, 15).capitalize() + "."
            updated.append((fact, texts[fact]))
            lines.append(f"- Updated: {fact} (was {was})")
        if created and alive and rng.random() < 0.05:
            old = alive[0]
            if old not in dead and old not in named:
                dead.add(old)
                lines.append(f"- Superseded: {old} → {created[0][0]}")
        threads = [fact for fact in threads if fact not in dead]
        closing = threads[:-15]
        if closing:
            lines.append("- Closed: " + ", ".join(closing))
            threads = threads[-15:]
        threads += [fact for fact, kind, _ in created if kind == "thread"]
        blocks = []
        for fact, kind, text in created:
            mark = "[ ] " if kind == "thread" else ""
            suffix = "" if kind == "fact" else f" | kind: {kind}"
            blocks.append(f"- {mark}{text}\n  <!-- id: {fact}{suffix} -->\n")
        blocks += [f"- {text}\n  <!-- id: {fact} -->\n" for fact, text in updated]
        target = rng.randint(2000, 4000)
        prose = []
        size = 0
        while size < target - 500:
            line = sentence(rng, 13).capitalize() + "."
            prose.append(line)
            size += len(line) + 1
            if rng.random() < 0.1:
                prose.append("")
        body = "---\n" + "\n".join(head) + "\n---\n"
        body += f"# {sentence(rng, 6).capitalize()}\n\n" + "\n".join(prose).strip() + "\n"
        if lines:
            body += "\n## Memory References\n\n" + "\n".join(lines) + "\n"
        if blocks:
            body += "\n## Facts\n\n" + "".join(blocks)
        data = body.encode()
        stem = seal(at, data)
        previous = stem
        yield stem, data


def generate(
    directory: Path, count: int, *, branch: str = "memory", prefix: str = "", seed: int = 7,
    publish: str = "review", contents: Iterable[tuple[str, bytes]] | None = None,
    packed: bool = True,
) -> list[str]:  # fmt: skip
    """Make a repository with a packed ledger of `count` logs, or of the given ones; return their stems."""
    directory.mkdir(parents=True, exist_ok=True)
    run = subprocess.run
    run(["git", "init", "-q", "-b", branch if prefix else "main", str(directory)], check=True)
    if not prefix:
        run(["git", "-C", str(directory), "config", "diurna.branch", branch], check=True)
    # no garbage collection begins in the middle of a measurement
    for key, value in (
        ("user.name", "Bench"),
        ("user.email", "bench@example.invalid"),
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
    ):
        run(["git", "-C", str(directory), "config", key, value], check=True)
    child = subprocess.Popen(
        ["git", "-C", str(directory), "-c", "core.fsync=none", "fast-import", "--quiet", "--done"],
        stdin=subprocess.PIPE,
    )
    assert child.stdin is not None
    out = child.stdin

    def commit(number: int, files: list[tuple[str, bytes]]) -> None:
        message = f"session {number}".encode()
        out.write(f"commit refs/heads/{branch}\nmark :1\n".encode())
        out.write(f"committer Bench <bench@example.invalid> {1696118400 + number} +0000\n".encode())
        out.write(b"data %d\n%s\n" % (len(message), message))
        if number:
            out.write(b"from :1\n")
        for path, data in files:
            out.write(f"M 100644 inline {prefix}{path}\ndata {len(data)}\n".encode())
            out.write(data + b"\n")

    from ledger.model.layout import ATTRIBUTES, ATTRIBUTES_FILE, POLICY_FILE
    from ledger.model.log_names import log_path

    policy = f'format = 1\nproject = "bench"\npublish = "{publish}"\ntrunk = "{branch}"\n'.encode()
    commit(0, [(POLICY_FILE, policy), (ATTRIBUTES_FILE, ATTRIBUTES.encode())])
    stems = []
    for number, (stem, data) in enumerate(contents or logs(count, seed), 1):
        commit(number, [(log_path(stem), data)])
        stems.append(stem)
    out.write(b"done\n")
    out.close()
    if child.wait():
        raise RuntimeError("git fast-import failed")
    if prefix:
        run(["git", "-C", str(directory), "reset", "-q", "--hard"], check=True)
    if packed:
        run(["git", "-C", str(directory), "gc", "-q"], check=True)
    return stems
