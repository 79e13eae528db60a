"""Ledgers that mean harm by their shape: what somebody else's clone may hold, at any size.

Each shape gives the bodies of logs for a number of facts. What they say is valid, so that it reaches whatever
reads facts; what is hostile is how it hangs together, or how much of one thing there is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ledger.model.order import ended_of, seal, stamp_of
from tests.bench.ledgers import WORDS, generate

START_MS = 1_790_000_000_000  # 2026-09-21
#: How many ids one log of a shape brings at most, so that no limit of a log cuts it.
_A_LOG = 2000
_STATES = ("in-progress", "blocked")
Shape = Callable[[int], Iterable[str]]
SHAPES: dict[str, Shape] = {}


def _shape(name: str) -> Callable[[Shape], Shape]:
    def add(shape: Shape) -> Shape:
        SHAPES[name] = shape
        return shape

    return add


def lay(folder: Path, shape: str, count: int) -> list[str]:
    """Make a repository with a home in `memory/`, whose facts have a shape; return the stems of its logs."""
    stems = generate(
        folder, 0, branch="main", prefix="memory/", contents=sealed(SHAPES[shape](count))
    )
    return stems


def sealed(bodies: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Give bodies of logs the head and the name of a log, a minute apart."""
    before = ""
    for number, body in enumerate(bodies):
        at = stamp_of(START_MS + number * 60_000)
        after = f"after: {before}\n" if before else ""
        data = f"---\nagent: mallory\nended: {ended_of(at)}\n{after}---\n{body}".encode()
        before = seal(at, data)
        yield before, data


def _log(
    facts: Iterable[tuple[str, str, str]] = (), did: Iterable[str] = (), updated: str = ""
) -> str:
    """Write a log that makes facts of (id, text, rest of the footer), or updates them, and does more."""
    made = [(f"- {text}\n", id, f" | {rest}" if rest else "") for id, text, rest in facts]
    verb = "" if not made else "- Created: " + ", ".join([id for _, id, _ in made]) + "\n"
    lines = updated or verb
    bullets = lines + "".join([f"- {one}\n" for one in did])
    blocks = "".join([f"{text}  <!-- id: {id}{rest} -->\n" for text, id, rest in made])
    return f"# A log\n\n## Memory References\n\n{bullets}" + (
        f"\n## Facts\n\n{blocks}" if blocks else ""
    )


def _text(number: int) -> str:
    rng = random.Random(number)
    return " ".join(rng.choices(WORDS, k=8)) + f" {number}."


def _facts(
    count: int,
    text: Callable[[int], str] = _text,
    rest: Callable[[int], str] = lambda _: "kind: decision",
) -> Iterator[str]:
    """Make facts f0, f1 … in as few logs as hold them."""
    bodies: list[tuple[str, str, str]] = []
    size = 0
    for number in range(count):
        bodies.append((f"f{number}", text(number), rest(number)))
        size += len(bodies[-1][1]) * 4 + 100
        if len(bodies) == _A_LOG or size > 900_000:
            yield _log(bodies)
            bodies, size = [], 0
    if bodies:
        yield _log(bodies)


def _edges(pairs: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Let facts supersede each other, as few logs as hold them."""
    lines = [f"Superseded: f{old} → f{new}" for old, new in pairs]
    for start in range(0, len(lines), _A_LOG):
        yield _log(did=lines[start : start + _A_LOG])


def _chain(count: int) -> list[tuple[int, int]]:
    return [(number, number + 1) for number in range(count - 1)]


@_shape("nothing between them")
def _plain(count: int) -> Iterator[str]:
    yield from _facts(count)


@_shape("a chain of supersessions")
def _chained(count: int) -> Iterator[str]:
    yield from _facts(count)
    yield from _edges(_chain(count))


@_shape("a chain, shuffled")
def _shuffled(count: int) -> Iterator[str]:
    yield from _facts(count)
    yield from _edges(random.Random(7).sample(_chain(count), count - 1))


@_shape("a chain, a log each")
def _chained_logs(count: int) -> Iterator[str]:
    for number in range(count):
        did = [f"Superseded: f{number - 1} → f{number}"] if number else []
        yield _log([(f"f{number}", _text(number), "kind: decision")], did)


@_shape("a circle")
def _circle(count: int) -> Iterator[str]:
    yield from _facts(count)
    yield from _edges([*_chain(count), (count - 1, 0)])


@_shape("circles of two")
def _circles(count: int) -> Iterator[str]:
    yield from _facts(count)
    pairs = [(number, number + 1) for number in range(0, count - 1, 2)]
    yield from _edges([*pairs, *[(new, old) for old, new in pairs]])


@_shape("all superseded by one")
def _star_in(count: int) -> Iterator[str]:
    yield from _facts(count)
    yield from _edges([(number, 0) for number in range(1, count)])


@_shape("one superseded by all")
def _star_out(count: int) -> Iterator[str]:
    yield from _facts(count)
    yield from _edges([(0, number) for number in range(1, count)])


@_shape("half superseded by one, that by the other half")
def _hub(count: int) -> Iterator[str]:
    yield from _facts(count)
    half = count // 2
    yield from _edges([(number, 0) for number in range(1, half)])
    yield from _edges([(0, number) for number in range(half, count)])


@_shape("layers of ten, each superseded by all of the next")
def _layers(count: int) -> Iterator[str]:
    yield from _facts(count)
    yield from _edges(
        [
            (layer + old, layer + 10 + new)
            for layer in range(0, count - 19, 10)
            for old in range(10)
            for new in range(10)
        ]
    )


@_shape("superseded by what there is not")
def _pending(count: int) -> Iterator[str]:
    yield from _facts(count)
    lines = [f"Superseded: f{number} → gone-{number}" for number in range(count)]
    lines += [f"Superseded: gone-{number} → gone-{number + 1}" for number in range(count)]
    for start in range(0, len(lines), _A_LOG):
        yield _log(did=lines[start : start + _A_LOG])


def _others(number: int, count: int) -> list[str]:
    return [f"f{one}" for one in random.Random(number).sample(range(count), min(20, count))]


@_shape("conflicts, serves and links at random")
def _clique(count: int) -> Iterator[str]:
    def rest(number: int) -> str:
        names = " ".join(_others(number, count))
        return f"kind: decision | serves: {names} | conflicts: {names}"

    def text(number: int) -> str:
        return " ".join([f"[[{one}]]" for one in _others(number + 1, count)]) + f" {number}"

    yield from _facts(count, text, rest)


@_shape("all conflict with one")
def _against_one(count: int) -> Iterator[str]:
    yield from _facts(count, rest=lambda _: "kind: decision | conflicts: f0 | serves: f0")


@_shape("all link to one")
def _links_to_one(count: int) -> Iterator[str]:
    yield from _facts(count, lambda number: f"See [[f0]] and [[f1]] {number}.")


@_shape("the same words")
def _same_words(count: int) -> Iterator[str]:
    yield from _facts(count, lambda number: f"We use the queue for orders and the cache {number}.")


@_shape("the same words, reordered")
def _reordered(count: int) -> Iterator[str]:
    yield from _facts(
        count, lambda number: " ".join(random.Random(number).sample(WORDS[:12], 10)) + "."
    )


@_shape("one text")
def _one_text(count: int) -> Iterator[str]:
    yield from _facts(count, lambda _: "Webhooks retry three times, with jitter.")


@_shape("opposites")
def _opposites(count: int) -> Iterator[str]:
    says = ("We always retry webhooks of", "We never retry webhooks of")
    yield from _facts(
        count, lambda number: f"{says[number % 2]} {WORDS[number // 2 % len(WORDS)]}."
    )


@_shape("a chain of links")
def _deep_links(count: int) -> Iterator[str]:
    yield from _facts(count, lambda number: f"It goes on in [[f{number + 1}]].")


@_shape("a chain of serves")
def _deep_serves(count: int) -> Iterator[str]:
    yield from _facts(count, rest=lambda number: f"kind: decision | serves: f{number + 1}")


@_shape("tasks that depend in a chain")
def _depends(count: int) -> Iterator[str]:
    yield from _facts(count, rest=lambda number: f"kind: task | depends: f{number + 1}")


@_shape("tasks that serve one, and depend on many")
def _wide_tasks(count: int) -> Iterator[str]:
    yield from _facts(
        count,
        rest=lambda number: (
            f"kind: task | serves: f0 | depends: {' '.join(_others(number, count))}"
        ),
    )


@_shape("handoffs of one task")
def _handoffs(count: int) -> Iterator[str]:
    yield from _facts(
        count,
        rest=lambda number: "kind: handoff | serves: f0 | to: codex" if number else "kind: task",
    )


@_shape("attempts about each other")
def _attempts(count: int) -> Iterator[str]:
    yield from _facts(
        count,
        rest=lambda n: f"kind: attempt | about: f{n + 1} f0 | outcome: failed | iteration: {n}",
    )


@_shape("findings of one place")
def _findings(count: int) -> Iterator[str]:
    yield from _facts(
        count, rest=lambda _: "kind: finding | rule: null | path: src/a.py | symbol: run"
    )


@_shape("questions that expect all")
def _questions(count: int) -> Iterator[str]:
    yield from _facts(
        count,
        lambda number: f"How does {WORDS[number % len(WORDS)]} work {number}?",
        lambda number: f"kind: question | expect: {' '.join(_others(number, count))}",
    )


@_shape("one entity and tag on all")
def _one_entity(count: int) -> Iterator[str]:
    yield from _facts(count, rest=lambda _: "kind: decision | tags: billing | entity: Payments")


@_shape("an entity in many spellings")
def _spellings(count: int) -> Iterator[str]:
    def rest(number: int) -> str:
        bits = f"{number:016b}"
        name = "".join(
            [
                a.upper() if b == "1" else a
                for a, b in zip("paymentsinterface", bits + "0", strict=True)
            ]
        )
        return f"kind: decision | entity: {name}"

    yield from _facts(count, rest=rest)


@_shape("many entities on one, and one on each pair")
def _many_entities(count: int) -> Iterator[str]:
    yield from _facts(count, rest=lambda n: f"kind: decision | entity: E{n}, E{n + 1}, E{n // 2}")


@_shape("updates of one fact that know of nothing")
def _heads(count: int) -> Iterator[str]:
    yield _log([("f0", "The first text.", "kind: decision")])
    for number in range(1, count):
        yield _log([("f0", _text(number), "")], updated="- Updated: f0 (was 5eba7aaa)\n")


@_shape("updates of one fact in a row")
def _versions(count: int) -> Iterator[str]:
    yield _log([("f0", "The first text.", "kind: decision")])
    for number in range(1, count):
        yield _log([("f0", _text(number), "")], updated="- Updated: f0\n")


@_shape("contradictions")
def _contradictions(count: int) -> Iterator[str]:
    yield from _facts(count)
    for start in range(0, count, _A_LOG):
        some = range(start, min(start + _A_LOG, count))
        updated = "".join([f"- Updated: f{number} (was 5eba7aaa)\n" for number in some])
        yield _log([(f"f{n}", _text(n + count), "") for n in some], updated=updated)


@_shape("moves of one task")
def _moves(count: int) -> Iterator[str]:
    yield _log([("f0", "Wire the queue.", "kind: task")])
    for number in range(1, count):
        yield _log(did=[f"Moved: f0 → {_STATES[number % 2]}"])


@_shape("claims of one task")
def _claims(count: int) -> Iterator[str]:
    yield _log([("f0", "Wire the queue.", "kind: task")])
    for _ in range(1, count):
        yield _log(did=["Moved: f0 → in-progress (was none)"])


@_shape("closed and reopened, reinstated and invalidated")
def _back_and_forth(count: int) -> Iterator[str]:
    yield _log([("f0", "What about the queue?", "kind: thread"), ("f1", "So.", "kind: decision")])
    pairs = (("Closed: f0", "Invalidated: f1"), ("Reopened: f0", "Reinstated: f1"))
    for number in range(1, count):
        yield _log(did=pairs[number % 2])


@_shape("all named by all logs")
def _named_by_all(count: int) -> Iterator[str]:
    facts = min(count, 60)
    yield from _facts(facts)
    for _ in range(count // 4):
        yield _log(did=["Referenced: " + ", ".join([f"f{number}" for number in range(facts)])])


@_shape("all helped in one log")
def _helped(count: int) -> Iterator[str]:
    yield from _facts(count, rest=lambda _: "kind: pattern")
    names = [f"f{number}" for number in range(count)]
    for start in range(0, count, 500):
        yield _log(did=[f"Helped: {', '.join(names[start : start + 500])} (pytest -q: exit 0)"])


@_shape("ten thousand ids in one log")
def _many_ids(count: int) -> Iterator[str]:
    names = [f"id-{number}-{'x' * 60}" for number in range(count * 10 // 3)]
    lines = [
        f"Referenced: {', '.join(names[start : start + 100])}"
        for start in range(0, len(names), 100)
    ]
    yield _log([("f0", "A text.", "kind: decision")], lines)


@_shape("redacted")
def _redacted(count: int) -> Iterator[str]:
    yield from _facts(count)
    names = [f"f{number}" for number in range(count // 2)]
    for start in range(0, len(names), 500):
        yield _log(did=[f"Redacted: {', '.join(names[start : start + 500])}"])


@_shape("open brackets")
def _brackets(count: int) -> Iterator[str]:
    yield from _facts(max(count // 75, 2), lambda number: "[[a|" * 5000 + str(number))


@_shape("combining marks")
def _marks(count: int) -> Iterator[str]:
    yield from _facts(max(count // 75, 2), lambda number: "a" + "\u0301\u0316" * 5000 + str(number))


@_shape("very long lines")
def _long_lines(count: int) -> Iterator[str]:
    yield from _facts(max(count // 75, 2), lambda number: f"{number} " + "word " * 4000)


@_shape("markdown that nests")
def _nested(count: int) -> Iterator[str]:
    yield from _facts(max(count // 75, 2), lambda number: "> - **a `[x](" * 1500 + str(number))


@_shape("paths and names of code")
def _paths(count: int) -> Iterator[str]:
    yield from _facts(
        count, lambda n: f"`src/part_{n}/module.py` calls `run_{n}()` of commit {n:07x}."
    )
