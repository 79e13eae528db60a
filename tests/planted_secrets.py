"""Planted texts: secrets of many kinds, drawn anew from a seed, and texts that only look like one.

They stand in `tests/secrets/*.txt`, a text a line behind its kind; `⏎` and `⇥` are a line break and a tab.
What is to be found stands in `⟦…⟧`, what is drawn in `⟨…⟩`: so no whole token stands in a file, no scanner
flags the repository, and no value was ever anybody's.
"""

from __future__ import annotations

import base64
import random
import re
import string
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent / "secrets"
ALNUM = string.ascii_letters + string.digits
_CLASSES = {
    "alnum": ALNUM,
    "word": ALNUM + "_-",
    "b64": ALNUM + "+/",
    "letter": string.ascii_letters,
    "low": string.ascii_lowercase,
    "up": string.ascii_uppercase,
    "num": string.digits,
    "1to9": "123456789",
    "2to9": "23456789",
    "hex": "0123456789abcdef",
    "hexup": "0123456789ABCDEF",
    "upnum": string.ascii_uppercase + string.digits,
    "lownum": string.ascii_lowercase + string.digits,
    "base32": string.ascii_uppercase + "234567",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
_WORDS = (
    "hunter sommer winter dragon sunflower kitchen tiger mango copper harbour velvet pepper rocket falcon "
    "maple thunder walnut cobalt lantern granite juniper orchid marble pelican saffron timber"
).split()
_FOREIGN = "été Grüner осень montaña maçã Straße весна niño".split()
_CALLED = "Prod Staging Live Team Office Lager Shop Home".split()
_FRAMES = (
    "The deploy broke because {} was revoked.",
    "Set it:\n\n```sh\nexport KEY={}\n```\n",
    '{{"value": "{}", "n": 1}}',
    "- Used `{}` for the call\n  <!-- id: a -->",
)


class Planted(NamedTuple):
    """A secret in its surroundings; `value` is what must not be seen any more."""

    kind: str
    text: str
    value: str


class Draw:
    """Draws made-up values from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def some(self, chars: str, count: int) -> str:
        """Draw characters; at least one letter and one digit where there are both."""
        while True:
            drawn = "".join(self._random.choices(chars, k=count))
            kinds = (any(c.isdigit() for c in drawn), any(c.isalpha() for c in drawn))
            mixed = any(c.isdigit() for c in chars) and any(not c.isdigit() for c in chars)
            if count < 8 or all(kinds) or not mixed:
                if drawn[-1] not in "-_+/" and drawn[0] not in "-_+/":
                    return drawn

    def written(self, pattern: str) -> str:
        """Draw what a pattern leaves open, the innermost first."""
        count = 1
        while count:
            pattern, count = re.subn("⟨([^⟨⟩]*)⟩", lambda found: self._drawn(found[1]), pattern)
        return pattern.replace("⏎", "\n").replace("⇥", "\t")

    def _drawn(self, what: str) -> str:
        if what.startswith("64 "):
            return base64.b64encode(what[3:].encode()).decode()
        if what.startswith("64u "):
            return base64.urlsafe_b64encode(what[4:].encode()).decode().rstrip("=")
        if what == "secret":
            return self._password()
        name, _, count = what.rpartition("*")
        if name == "pass":  # what a generator makes
            return self.written(f"⟨low*3⟩⟨up*2⟩⟨num*2⟩⟨alnum*{int(count) - 7}⟩")
        name, _, more = name.partition("+")
        return self.some(_CLASSES[name] + more, int(count))

    def _password(self) -> str:
        """Make a password as people make one: words, a year or a number, a sign."""
        draw = self._random
        one, two = draw.sample(_WORDS, 2)
        number, year, called = (
            str(draw.randint(2, 98)),
            str(draw.randint(1988, 2027)),
            draw.choice(_CALLED),
        )
        return draw.choice(
            (
                f"{one}{number}-{called}-{year[2:]}", f"{one}-{year}-{called}", f"{one.title()}{year}!",
                f"{one}_{two}_{number}", f"{one.title()}{two.title()}#{number[0]}", f"{one}{year}",
                f"{one}-{two}-{number}", f"{called}.{one.title()}.{number}", f"{one.title()}&{two}{number}",
                f"{one[:4]}3{one[4:]}_{two.title()}!", f"{one.title()}-{two.title()}-{year}",
                f"{draw.choice(_FOREIGN)}-{one}-{number}",
            )
        )  # fmt: skip


def patterns(file: str, *sections: str) -> list[tuple[str, str]]:
    """Return the lines of some sections of a file, or of all: what stands before the tab, and the text."""
    lines: list[tuple[str, str]] = []
    asked = not sections
    for line in (_FOLDER / f"{file}.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            asked = not sections or line[3:] in sections
        elif asked and line and not line.startswith("# "):
            kind, tab, text = line.partition("\t")
            lines.append((kind, text) if tab else ("", kind))
    return lines


def planted(seed: int, file: str, *sections: str) -> list[Planted]:
    """Draw each line once."""
    draw, drawn = Draw(seed), []
    for kind, pattern in patterns(file, *sections):
        front, value, end = re.split("[⟦⟧]", draw.written(pattern))
        drawn.append(Planted(kind, front + value + end, value))
    return drawn


def tokens(seed: int) -> list[Planted]:
    """Draw each kind of token that a vendor marks, once in each frame."""
    drawn = [planted(seed * 100 + number, "kinds", "tokens") for number in range(len(_FRAMES))]
    return [
        one._replace(text=frame.format(one.text))
        for frame, every in zip(_FRAMES, drawn, strict=True)
        for one in every
    ]


def others(seed: int) -> list[Planted]:
    """Draw secrets that their surroundings give away: assignments, blocks, addresses, encodings."""
    return planted(seed, "kinds", "others")
