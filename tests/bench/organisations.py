"""Made ledgers of an organisation: `python -m tests.bench.organisations FOLDER --ledgers 2000 --logs 500`.

Each ledger draws three quarters of its words from a region of a made-up vocabulary that is its own, and the
rest from all of it, by how common a word is, as in a language (Zipf). With `--text FOLDER` it is whole
sentences of a region of the texts there, and a quarter from anywhere. With `--sibling LEDGER` one ledger in
50 says what the texts of that folder say, half of it in partly other words. The same seed gives the same
bytes.
"""

from __future__ import annotations

import argparse
import random
import re
from bisect import bisect
from collections.abc import Callable
from functools import cache, partial
from itertools import accumulate, product
from multiprocessing import Pool
from pathlib import Path

from tests.bench.ledgers import generate, logs

_STARTS = "b br c ch d dr f fl g gr h j k l m n p pl qu r s sh sl st t tr v w z".split()
_MIDDLES = "a ai e ea i o ou u".split()
_ENDS = "b ck d g l ll m n nd p r rt s st t x".split()
_TOPIC = 600
#: Of one ledger: so many sentences that follow each other. One in so many ledgers is a sibling.
_REGION, _SIBLINGS = 400, 50
_SENTENCE = re.compile(r"[A-Z`][\w ,;:'\"()/.+=`-]{30,400}[\w)`][.!?](?=\s)")


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


@cache
def sentences(folder: str) -> list[str]:
    """Return the sentences of the texts of a folder, in order."""
    paths = sorted(one for one in Path(folder).rglob("*") if one.suffix in (".md", ".txt", ".rst"))
    texts = (" ".join(one.read_text("utf-8", "replace").split()) + " " for one in paths)
    return [one.rstrip(".!?") for text in texts for one in _SENTENCE.findall(text)]


def quoter(seed: int, folder: str, reworded: float = 0.0) -> Callable[[random.Random, int], str]:
    """Return what says sentences of a region, so many words of them or up to five times as many."""
    every = sentences(folder)
    start = 0 if reworded else random.Random(seed).randrange(max(1, len(every) - _REGION))
    own = every if reworded else every[start : start + _REGION]

    def say(rng: random.Random, count: int) -> str:
        said: list[str] = []
        while len(said) < count:
            words = rng.choice(own if rng.random() < 0.75 else every).split()
            if rng.random() < reworded:
                other = rng.choice(every).split()
                words = [rng.choice(other) if rng.random() < 0.3 else one for one in words]
            said += words
        return " ".join(said[: 5 * count])

    return say


def make(folder: str, count: int, text: str, sibling: str, number: int) -> str:
    """Make one ledger, where it is not there yet; return its folder."""
    path = Path(folder) / f"ledger-{number:05d}"
    if not path.exists():
        say = quoter(number, text) if text else speaker(number)
        if sibling and number % _SIBLINGS == _SIBLINGS - 1:
            say = quoter(number, sibling, 0.5)
        generate(path, count, contents=logs(count, number, say), packed=False)
    return str(path)


def main() -> None:
    """Make them, on all cores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--ledgers", type=int, default=2000)
    parser.add_argument("--logs", type=int, default=500)
    parser.add_argument("--text", default="", help="a folder of texts whose sentences are drawn")
    parser.add_argument("--sibling", default="", help="a folder of texts that one in 50 quotes")
    asked = parser.parse_args()
    one = partial(make, asked.folder, asked.logs, asked.text, asked.sibling)
    with Pool() as pool:
        made = pool.map(one, range(asked.ledgers), chunksize=4)
    (Path(asked.folder) / "ledgers.txt").write_text("".join(f"{one}\n" for one in made))


if __name__ == "__main__":
    main()
