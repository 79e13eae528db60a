"""No shape of a ledger is slow or misread, whoever wrote it: work grows with what there is, counted in calls.

Each shape says valid things, so that they reach whatever reads facts; what is hostile is how they hang
together, or how much of one thing there is. `python -m tests.deep` asks everything of every shape, in larger
ones.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

import pytest

from tests.conftest import examples, sampled
from tests.processor_time import of_no_item, steps
from tests.world import Place, World, sealed

WORDS = "queue order cache webhook retry payment invoice index broker timeout ledger schema".split()


def log(
    facts: Iterable[tuple[str, str, str]] = (), did: Iterable[str] = (), verb: str = "Created"
) -> str:
    """Write a log that makes or updates facts of (id, text, rest of the footer), and does more."""
    facts = list(facts)
    lines = [f"{verb}: {id}" for id, _, _ in facts] + list(did)
    blocks = [f"- {text}\n  <!-- id: {id}{rest and ' | ' + rest} -->\n" for id, text, rest in facts]
    told = "\n## Facts\n\n" + "".join(blocks) if blocks else ""
    return "# A log\n\n## Memory References\n\n" + "".join(f"- {line}\n" for line in lines) + told


def words(number: int) -> str:
    return " ".join(random.Random(number).choices(WORDS, k=8)) + f" {number}."


def some(number: int, count: int) -> str:
    return " ".join(f"f{one}" for one in random.Random(number).sample(range(count), min(8, count)))


def facts(
    count: int,
    text: Callable[[int], str] = words,
    rest: Callable[[int], str] = lambda n: "kind: decision",
) -> str:
    """Make facts f0, f1 … in one log."""
    return log([(f"f{number}", text(number), rest(number)) for number in range(count)])


def over(*pairs: tuple[int, int]) -> str:
    """Let facts supersede each other, in one log."""
    return log(did=[f"Superseded: f{old} → f{new}" for old, new in pairs])


def chain(count: int) -> list[tuple[int, int]]:
    return [(number, number + 1) for number in range(count - 1)]


def kind(said: str) -> Callable[[int], list[str]]:
    """Return a shape of facts of a footer, where `{n}`, `{next}` and `{some}` stand for what they name."""
    return lambda count: [
        facts(
            count,
            rest=lambda n: said.format(n=n, next=f"f{n + 1}", some=some(n, count), half=n // 2),
        )
    ]


def texts(text: Callable[[int], str]) -> Callable[[int], list[str]]:
    return lambda count: [facts(count, text)]


def rows(*pairs: Callable[[int], Iterable[tuple[int, int]]]) -> Callable[[int], list[str]]:
    return lambda count: [facts(count), *(over(*made(count)) for made in pairs)]


def again(first: str, each: Callable[[int], str]) -> Callable[[int], list[str]]:
    """Return a shape of one or two facts of which every log says something."""
    return lambda count: [first, *(each(number) for number in range(1, count))]


_TASK = log([("f0", "Wire the queue.", "kind: task")])
SHAPES: dict[str, Callable[[int], list[str]]] = {
    "nothing between them": texts(words),
    "a chain of supersessions": rows(chain),
    "a chain, shuffled": rows(lambda n: random.Random(7).sample(chain(n), n - 1)),
    "a chain, a log each": lambda n: [log([(f"f{i}", words(i), "")], [f"Superseded: f{i - 1} → f{i}"] * bool(i)) for i in range(n)],
    "a circle": rows(lambda n: [*chain(n), (n - 1, 0)]),
    "circles of two": rows(lambda n: chain(n)[::2], lambda n: [(new, old) for old, new in chain(n)[::2]]),
    "all superseded by one": rows(lambda n: [(i, 0) for i in range(1, n)]),
    "one superseded by all": rows(lambda n: [(0, i) for i in range(1, n)]),
    "half by one, that by the other half": rows(lambda n: [(i, 0) for i in range(1, n // 2)], lambda n: [(0, i) for i in range(n // 2, n)]),
    "layers of five, each by all of the next": rows(lambda n: [(at + a, at + 5 + b) for at in range(0, n - 9, 5) for a in range(5) for b in range(5)]),
    "superseded by what there is not": lambda n: [facts(n), log(did=[f"Superseded: f{i} → gone-{i}" for i in range(n)])],
    "conflicts and serves at random": kind("kind: decision | serves: {some} | conflicts: {some}"),
    "all conflict with one": kind("kind: decision | conflicts: f0 | serves: f0"),
    "all link to one": texts(lambda i: f"See [[f0]] and [[f1]] {i}."),
    "a chain of links": texts(lambda i: f"It goes on in [[f{i + 1}]]."),
    "a chain of serves": kind("kind: decision | serves: {next}"),
    "the same words": texts(lambda i: f"We use the queue for orders and the cache {i}."),
    "the same words, reordered": texts(lambda i: " ".join(random.Random(i).sample(WORDS, 10)) + "."),
    "one text": texts(lambda i: "Webhooks retry three times, with jitter."),
    "opposites": texts(lambda i: f"We {('always', 'never')[i % 2]} retry webhooks of {WORDS[i // 2 % len(WORDS)]}."),
    "tasks that depend in a chain": kind("kind: task | depends: {next}"),
    "tasks that depend on many": kind("kind: task | serves: f0 | depends: {some}"),
    "attempts about each other": kind("kind: attempt | about: {next} f0 | outcome: failed | iteration: {n}"),
    "findings of one place": kind("kind: finding | rule: null | path: src/a.py | symbol: run"),
    "questions that expect many": kind("kind: question | expect: {some}"),
    "one entity and tag on all": kind("kind: decision | tags: billing | entity: Payments"),
    "many entities": kind("kind: decision | entity: E{n}, E{half}"),
    "updates that know of nothing": again(log([("f0", "The first.", "")]), lambda i: log([("f0", words(i), "")], verb="Updated").replace("f0\n", "f0 (was 5eba7aaa)\n", 1)),
    "updates in a row": again(log([("f0", "The first.", "")]), lambda i: log([("f0", words(i), "")], verb="Updated")),
    "moves of one task": again(_TASK, lambda i: log(did=[f"Moved: f0 → {('in-progress', 'blocked')[i % 2]}"])),
    "claims of one task": again(_TASK, lambda i: log(did=["Moved: f0 → in-progress (was none)"])),
    "closed and reopened": again(log([("f0", "What about it?", "kind: thread")]), lambda i: log(did=[("Reopened: f0", "Closed: f0")[i % 2]])),
    "all named by all logs": lambda n: [facts(12), *[log(did=["Referenced: " + ", ".join(f"f{i}" for i in range(12))]) for _ in range(n)]],
    "all helped in one log": lambda n: [facts(n, rest=lambda i: "kind: pattern"), log(did=["Helped: " + ", ".join(f"f{i}" for i in range(n)) + " (pytest -q: exit 0)"])],
    "redacted": lambda n: [facts(n), log(did=["Redacted: " + ", ".join(f"f{i}" for i in range(n // 2))])],
    "many ids in one log": lambda n: [facts(2), log(did=["Referenced: " + ", ".join(f"id-{i}-{'x' * 60}" for i in range(3 * n))])],
    "open brackets": texts(lambda i: "[[a|" * 60 + str(i)), "combining marks": texts(lambda i: "a" + "\u0301\u0316" * 60 + str(i)),
    "very long lines": texts(lambda i: f"{i} " + "word " * 80), "markdown that nests": texts(lambda i: "> - **a `[x](" * 20 + str(i)),
    "paths of code": texts(lambda i: f"`src/part_{i}/module.py` calls `run_{i}()` of commit {i:07x}."),
}  # fmt: skip
COMMANDS = (
    ("show",), ("show", "--list", "-a"), ("brief", "--task", "the queue"), ("recall", "queue", "webhook"), ("status",), ("review",),
    ("recall", "--level", "timeline"), ("show", "--links", "f0"), ("why", "f0"), ("conflicts",), ("view", "state"),
    ("note", "id=new fact: The queue retries webhooks."), ("check", "--replay"), ("task", "list"), ("log",), ("show", "--about"),
)  # fmt: skip


def placed(bodies: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Give bodies of logs the head and the path of a log, a minute apart."""
    after = ""
    for number, body in enumerate(bodies):
        at = datetime.fromtimestamp(1_790_000_000 + 60 * number, UTC)
        head = f"---\nagent: mallory\nended: {at:%Y-%m-%dT%H:%M:%S.000Z}\n{after}---\n"
        data = (head + body).encode()
        stem = f"{at:%Y-%m-%d-%H%M%S000}-{sealed(data)}"
        after = f"after: {stem}\n"
        yield f"sessions/{at:%Y-%m/%d}/{stem}.md", data


def ledger_of(world: World, shape: str, count: int) -> Place:
    """Make a home whose facts have a shape."""
    made = world.home("own-branch", f"n{count}")
    made.plant(dict(placed(SHAPES[shape](count))))
    return made


@pytest.mark.parametrize("shape", sampled(SHAPES, 4))
def test_every_shape_is_read_without_a_fault_warm_and_cold(world: World, shape: str) -> None:
    """What is hostile about it is no mistake of form, which a reader would leave out."""
    shop = ledger_of(world, shape, 12)
    assert shop.show().keys() <= {f"f{number}" for number in range(12)}
    assert shop.run("show").json["logs"] == len(SHAPES[shape](12))
    shop.warm_is_cold()
    assert shop.run("check", "--replay", code=None).json["cache_differs"] == []
    severe = [
        one
        for one in shop.run("check", "--ci", code=None).json["findings"]
        if one["severity"] == "error"
    ]
    assert {one["code"] for one in severe} <= {"supersession-cycle", "contradiction"}, severe


CASES = [
    (shape, COMMANDS[(at + turn) % len(COMMANDS)])
    for at, shape in enumerate(SHAPES)
    for turn in range(examples(1, 99) // 50 * 15 + 1)
]


@pytest.mark.parametrize(("shape", "command"), sampled(CASES, 6))
def test_g8_g10_h4_work_grows_no_faster_than_what_there_is(
    world: World, shape: str, command: tuple[str, ...]
) -> None:
    """Of twice as many facts it takes at most twice as many steps more: a square would be four times as many."""
    counts = [5, 10, 20] if examples(1, 9) == 1 else [40, 80, 160]
    shops = [ledger_of(world, shape, count) for count in counts]
    with of_no_item():  # the first loads what the others find loaded
        shops[0].run(*command, code=None)
    took = []
    for shop in shops:
        shutil.rmtree(shop.common / "diurna/cache", ignore_errors=True)
        took.append(steps(lambda shop=shop: shop.run(*command, code=None)))  # type: ignore[misc]
    less, more = took[1] - took[0], took[2] - took[1]
    assert more <= 3 * max(less, took[0] // 8), took


def test_g9_a_page_shows_so_many_and_says_that_there_are_more(world: World) -> None:
    """A long row is cut where people read it; `--json` has all."""
    shop = ledger_of(world, "a chain of supersessions", 300)
    printed = shop.text("why", "f0")
    assert 5 < printed.count(" → ") < 299
    assert len(shop.run("why", "f0").out) > len(printed)
    shop = ledger_of(world, "all link to one", 200)
    assert len(shop.text("show", "--links", "f0").splitlines()) < 200
