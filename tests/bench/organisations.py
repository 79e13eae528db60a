"""Made ledgers of an organisation: `python -m tests.bench.organisations FOLDER --ledgers 2000 --logs 500`.

Each ledger draws three quarters of its words from a region of a made-up vocabulary that is its own, and the
rest from all of it, by how common a word is, as in a language (Zipf). The same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
import random
from bisect import bisect
from collections.abc import Callable
from functools import partial
from itertools import accumulate, product
from multiprocessing import Pool
from pathlib import Path

from tests.bench.ledgers import generate, logs

_STARTS = "b br c ch d dr f fl g gr h j k l m n p pl qu r s sh sl st t tr v w z".split()
_MIDDLES = "a ai e ea i o ou u".split()
_ENDS = "b ck d g l ll m n nd p r rt s st t x".split()
_TOPIC = 600


def vocabulary(count: int = 20_000) -> list[str]:
    """Return made-up words, the common ones first."""
    rng = random.Random(31)
    one = ["".join(parts) for parts in product(_STARTS, _MIDDLES, _ENDS)]
    rng.shuffle(one)
    two = [f"{rng.choice(one)}{rng.choice(one)}" for _ in range(2 * count)]
    return list(dict.fromkeys(one[: count // 10] + two))[:count]


def speaker(seed: int) -> Callable[[random.Random, int], str]:
    """Return what says so many words of one ledger's language."""
    words = vocabulary()
    rng = random.Random(seed)
    topic = rng.sample(words, _TOPIC)
    shares = [
        list(accumulate([1 / (place + 3) for place in range(len(some))])) for some in (topic, words)
    ]

    def say(rng: random.Random, count: int) -> str:
        said = []
        for _ in range(count):
            own = rng.random() < 0.75
            some, share = (topic, shares[0]) if own else (words, shares[1])
            said.append(some[bisect(share, rng.random() * share[-1])])
        return " ".join(said)

    return say


def make(folder: str, count: int, number: int) -> str:
    """Make one ledger, where it is not there yet; return its folder."""
    path = Path(folder) / f"ledger-{number:05d}"
    if not path.exists():
        generate(path, count, contents=logs(count, number, speaker(number)), packed=False)
    return str(path)


def main() -> None:
    """Make them, on all cores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--ledgers", type=int, default=2000)
    parser.add_argument("--logs", type=int, default=500)
    asked = parser.parse_args()
    one = partial(make, asked.folder, asked.logs)
    with Pool() as pool:
        made = pool.map(one, range(asked.ledgers), chunksize=4)
    (Path(asked.folder) / "ledgers.txt").write_text("".join(f"{one}\n" for one in made))


if __name__ == "__main__":
    main()
