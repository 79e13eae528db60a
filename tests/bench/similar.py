"""Looking for similar and opposite facts: `python -m tests.bench.similar [FACTS] [RUNS]` prints seconds as JSON.

The facts are sentences of made-up words, of which few are common and most are rare, as in any language.
The times are those of the processor, so that other work on the machine counts for little.
"""

from __future__ import annotations

import gc
import itertools
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ledger.model.event import FactCreated
from ledger.model.logset import LogRef
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.cache.rebuild import build
from memory.cache.word_index import WordIndex
from memory.query.live_pairs import compare_facts
from memory.write.duplicate_check import notice_in
from projection.fold.fold import collect, resolve
from projection.policy.model import Policy

_HEADS = "b c d f g k l m n p r s t v z br tr pl st".split()
_TAILS = "a e i o u ai ou".split()
_GLUE = "the a is in of to and for must when with on by from".split()
_WORDS = 6000


def sentences(seed: int = 1) -> Iterator[str]:
    """Yield made-up facts of 7 to 16 words that carry something."""
    rng = random.Random(seed)
    made = (
        "".join(rng.choice(_HEADS) + rng.choice(_TAILS) for _ in range(rng.randint(2, 4)))
        for _ in range(_WORDS)
    )
    words = list(dict.fromkeys(made))
    weights = list(itertools.accumulate(1 / (rank + 12) for rank in range(len(words))))
    while True:
        said: list[str] = []
        for word in rng.choices(words, cum_weights=weights, k=rng.randint(7, 16)):
            said += [rng.choice(_GLUE), word] if rng.random() < 0.5 else [word]
        yield " ".join(said).capitalize() + f" {rng.randint(2, 90)} s."


def born(number: int, text: str) -> Entry:
    """Return what a log says that creates one fact."""
    stem = f"2026-01-01-{number:09}-{number:012x}"
    name = f"fact-{number}"
    return Entry(stem, True, "a", "work", (name,), (FactCreated(name, text),))


def timed(once: Callable[[], object]) -> float:
    """Return the processor's seconds for one call."""
    start = time.process_time()
    once()
    return time.process_time() - start


def ledger(folder: Path, texts: list[str]) -> Cache:
    """Return a cache of as many logs as there are texts."""
    entries = [born(number, text) for number, text in enumerate(texts)]
    refs = [
        LogRef(entry.stem, f"sessions/{entry.stem}.md", f"{number:040x}")
        for number, entry in enumerate(entries)
    ]
    return build(str(folder / "cache"), "c" * 40, refs, entries, (), ("", Policy(), ""))


def measured(count: int, runs: int) -> dict[str, float]:
    """Measure a write-time check, a review with 100 changed facts, and all pairs."""
    source = sentences()
    texts = list(itertools.islice(source, count))
    rng = random.Random(2)
    with tempfile.TemporaryDirectory() as folder:
        cache = ledger(Path(folder), texts)
        first = timed(WordIndex(cache).follow)
        fresh, alike = [], []
        for number in range(runs):
            new = born(count + number, next(source))
            fresh.append(timed(lambda new=new: notice_in(cache, new)))  # type: ignore[misc]
            new = born(count + number, rng.choice(texts).replace(" is ", " was "))
            alike.append(timed(lambda new=new: notice_in(cache, new)))  # type: ignore[misc]
        words = WordIndex(cache).words()
        histories = collect([born(number, text) for number, text in enumerate(texts)])
        facts = {name: fact for name in words if (fact := resolve(name, histories[name]))}
        changed = [f"fact-{number}" for number in range(0, count, max(1, count // 100))]
        review = timed(lambda: compare_facts(facts, words, changed))
        every = timed(lambda: compare_facts(facts, words))
        cache.close()
    return {
        "first": first,
        "fresh": statistics.median(fresh),
        "alike": statistics.median(alike),
        "review": review,
        "all": every,
    }


if __name__ == "__main__":
    gc.disable()
    numbers = [int(argument) for argument in sys.argv[1:]] or [10_000, 200]
    print(json.dumps(measured(*(*numbers, 200)[:2])))
