"""Learn what a sentence about a person is from sentences that were written for it, and say how well.

`python -m tests.campaigns.person_model` writes `ledger/secrets/person_model.bin` from the files beside it in
`person/`: `words.txt` has words by kind; of each language there are lines with `{one|or|another}` and `$SLOT`
(`=SLOT words`), personal ones (`P`), those about the work (`J`) and requests that stand with both (`W`); each
`set-*.txt` has 90 to 150 of both sorts that another had written unseen. With them goes what this repository's
own documents say, which is about no person. The same files give the same bytes. `--check` leaves out each set
in turn and scores it: it takes a minute or two.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import math
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import compress

from ledger.secrets.person_statements import MODEL, PARTS, PLACES, PersonModel, place

ROOT = Path(__file__).parents[2]
SOURCES = Path(__file__).with_name("person")
Row = tuple[str, int]
_JOINS = {
    "de": (", weil ", " und ", ", ", ", also "), "en": (", so ", " because ", " since ", ", ", " and "),
    "es": (" porque ", ", así que ", ", ", " y "), "fr": (" parce que ", ", donc ", ", ", " et "),
    "pt": (" porque ", ", então ", ", ", " e "), "ru": (", потому что ", ", ", ", поэтому "),
    "zh": ("，", "，所以", "，因为"),
}  # fmt: skip
_ORDERS, _ROUNDS, _RATE, _SHRINK, _SETS, _DOCUMENTS = 4, 5, 0.3, 0.005, 2, 3500


def made() -> dict[str, Any]:
    """The words by kind, as the model has them."""
    found: dict[str, str] = {}
    name = ""
    for line in (SOURCES / "words.txt").read_text().splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif not line.startswith("#"):
            found[name] = f"{found[name]} {line}" if name in found else line
    signs = {name[6:]: found.pop(name) for name in list(found) if name.startswith("SIGNS_")}
    return {"quiet": found.pop("QUIET"), "signs": signs, "kinds": found, "bias": 0.0}


def written(seed: int = 7) -> Iterator[Row]:
    """Yield what the lines with alternatives say: each alternative at least about once."""
    chance = random.Random(seed)
    for path in sorted(SOURCES.glob("??.txt")):
        slots: dict[str, str] = {}
        left: dict[str, list[str]] = {}
        said: dict[str, list[str]] = {"P": [], "J": [], "W": []}
        for line in path.read_text().splitlines():
            kind, _, text = line.partition(" ")
            if kind[0] == "=":
                slots[kind[1:]] = text
                continue
            sizes = [len(one.split("|")) for one in re.findall(r"\{([^{}]*)\}", text)]
            times = min(
                80, int(max(sizes, default=1) * (1.6 if len(sizes) > 1 or "$" in text else 1))
            )
            for _ in range(max(4 if kind == "W" or "$" in text else 1, times)):
                said[kind].append(_chosen(text, slots, left, chance))
        joins, wishes, work = _JOINS[path.stem], said["W"] or [""], said["J"]
        for text in said["P"]:
            yield _typed(text, chance), 1
            other = chance.choice(wishes if chance.random() < 0.65 and said["W"] else work)
            if chance.random() < 0.1:
                parts = [text, other] if chance.random() < 0.4 else [other, text]
                yield _typed(chance.choice(joins).join(parts), chance), 1
        for text in work:
            yield _typed(text, chance), 0
            if chance.random() < 0.3:
                other = chance.choice(wishes if chance.random() < 0.35 and said["W"] else work)
                yield _typed(chance.choice(joins).join([text, other]), chance), 0


def documents(model: PersonModel) -> list[Row]:
    """What this repository's pages and docstrings say, but for examples of what people say."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found: list[str] = []
    for name in listed.stdout.split():
        if name.endswith(".md"):
            text = re.sub(r"^(```.*?^```|\|.*?)$", "", (ROOT / name).read_text(), flags=re.M | re.S)
            for part in re.split(r"\n\s*\n|\n(?=[-*] )", text):
                found += re.split(r"(?<=[.!?])\s+", " ".join(part.split()).lstrip("-*# "))
        elif name.endswith(".py") and "secrets" not in name and "test_person" not in name:
            for node in ast.walk(ast.parse((ROOT / name).read_text())):
                if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                    found.append(" ".join((ast.get_docstring(node) or "").split("\n\n")[0].split()))
    own = 0
    for kind in ("ME", "MY", "KIN", "HEALTH"):
        own |= 1 << model.kinds.index(kind)
    kept = [
        one for one in sorted(set(found))
        if 12 < len(one) < 300 and not set(one) & set('"“”') and not model.weigh(one)[1] & own
    ]  # fmt: skip
    random.Random(3).shuffle(kept)
    return [(one, 0) for one in kept[:_DOCUMENTS]]


def sets() -> list[list[Row]]:
    """The sets that somebody else wrote: sentences, and whether each is personal."""
    return [
        [
            (line.split(" ", 2)[2], int(line[0] == "P"))
            for line in path.read_text().splitlines()
        ]
        for path in sorted(SOURCES.glob("set-*.txt"))
    ]  # fmt: skip


def learn(rows: list[tuple[list[int], int]]) -> tuple[list[float], float]:
    """Return the weights that tell both sorts apart: the mean of what several orders of the rows teach."""
    learned = [_learn(rows, random.Random(order)) for order in range(_ORDERS)]
    weights = [sum(one) / _ORDERS for one in zip(*[weights for weights, _ in learned], strict=True)]
    return weights, sum([bias for _, bias in learned]) / _ORDERS


def _learn(rows: list[tuple[list[int], int]], chance: random.Random) -> tuple[list[float], float]:
    """Learn from rows in some order, by steps that shrink as a feature is seen."""
    weights, seen, bias = [0.0] * PLACES, [0.01] * PLACES, 0.0
    rows = list(rows)
    for _ in range(_ROUNDS):
        chance.shuffle(rows)
        for places, personal in rows:
            total = bias + sum([weights[one] for one in places])
            wrong = 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))) - personal
            bias -= 0.01 * wrong
            for one in places:
                step = wrong + _SHRINK * weights[one]
                seen[one] += step * step
                weights[one] -= _RATE * step / math.sqrt(seen[one])
    return weights, bias


def packed(
    words: dict[str, object], weights: list[float], bias: float
) -> tuple[dict[str, object], bytes]:
    """Return what the file has, the weights rounded to parts of one."""
    small = [max(-127, min(127, round(one * PARTS))) for one in weights]
    return words | {"bias": round(bias, 3)}, bytes([one % 256 for one in small])


def _chosen(
    text: str, slots: dict[str, str], left: dict[str, list[str]], chance: random.Random
) -> str:
    def one_of(found: re.Match[str]) -> str:
        said = found[1] if found[1] is not None else slots[found[2]]
        rest = left.setdefault(said, [])
        if not rest:
            rest += said.split("|")
            chance.shuffle(rest)
        return rest.pop()

    before = ""
    while before != text:
        before, text = text, re.sub(r"\{([^{}]*)\}|\$([A-Z]+)", one_of, text)
    return text


def _typed(text: str, chance: random.Random) -> str:
    """Return a sentence as somebody may type it: with a capital and a point, or without."""
    text = text[0].upper() + text[1:] if chance.random() < 0.5 else text
    return text + "." if chance.random() < 0.4 else text


def _scored(model: PersonModel, rows: list[Row]) -> str:
    found = [(model.weigh(text)[0], personal) for text, personal in rows]
    return "  ".join(
        f"{bar:+.2f}: {sum(w <= bar for w, p in found if p)}/{sum(w > bar for w, p in found if not p)}"
        for bar in (-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0)
    )


def main() -> None:
    """Write the file, or score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="score each set by what the others teach"
    )
    args = parser.parse_args()
    words = made()
    plain = PersonModel(words, bytes(PLACES))
    common = [*written(), *documents(plain)]
    cache = {text: [place(one) for one in plain.features(text)] for text, _ in common}
    own = sets()
    for rows in own:
        cache |= {text: [place(one) for one in plain.features(text)] for text, _ in rows}
    print(
        f"{sum(p for _, p in common)} personal, {sum(not p for _, p in common)} of the work, {len(own)} sets"
    )
    for left_out in range(len(own)) if args.check else [None]:
        rows = common + _SETS * [
            one for at, some in enumerate(own) if at != left_out for one in some
        ]
        head, weights = packed(words, *learn([(cache[text], personal) for text, personal in rows]))
        model = PersonModel(head, memoryview(weights).cast("b"))
        if left_out is None:
            MODEL.write_bytes(
                compress(json.dumps(head, ensure_ascii=False).encode() + b"\n" + weights, 9)
            )
            print(f"{MODEL.name}: {MODEL.stat().st_size:,} bytes")
        tested = own if left_out is None else [own[left_out]]
        print("leaked/lost", left_out, _scored(model, list(itertools.chain(*tested))))


if __name__ == "__main__":
    main()
