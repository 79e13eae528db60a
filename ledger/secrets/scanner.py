"""Find the secrets of a text, say what may be shown of them, and write the text without them.

Text in, places out; no value ever leaves but in the text that it was in. Without backtracking, and cheap
enough for every append: a rule is asked only where its mark stands (fault:G23, fault:L9, fault:L10,
fault:L12). `rules` asks them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate

from ledger.secrets.entropy import is_wordy
from ledger.secrets.match import OPAQUE, Hit, View, apart, hit, place_in_source
from ledger.secrets.unmask import chained, unmasked

#: On a line with one of these nothing is a secret. All but the first are those of other scanners.
WAIVERS = (
    "diurna: allow-secret", "lint:allow-secret-material", "gitleaks:allow", "pragma: allowlist secret",
)  # fmt: skip


def find_secrets(text: str) -> tuple[Hit, ...]:
    """Find all secrets of a text, in order, also those on lines that are waived."""
    from ledger.secrets.rules import find  # `re` is not for the fast path

    return _look(text, find)


def find_all(text: str) -> tuple[Hit, ...]:
    """Find secrets and home folders; of what is both, the secret."""
    from ledger.secrets.rules import find, find_home_folders

    return _look(text, lambda said, lines=True: [*find(said, lines), *find_home_folders(said)])


def _look(text: str, find: Callable[..., list[Hit]]) -> tuple[Hit, ...]:
    """Look through a text as it stands, and as it reads unmasked."""
    found = find(text)
    said, views = unmasked(text)
    masked = _placed(find(said), views) if views else []
    chain = chained(said)
    if chain is not None:
        # what has no mark might begin anywhere: not across lines, and nothing across two pieces
        whole = []
        for one in find(chain.text, False):
            start = chain.text.rfind("\n\n", 0, one.end) + 1
            if one.rule != OPAQUE and start <= one.start:
                cut = chain.cut_before(one.end)
                if cut > one.start and is_wordy(chain.text[cut : one.end]):
                    if any(
                        start + other.end == cut for other in find(chain.text[start:cut], False)
                    ):
                        one = one._replace(end=cut)  # a plain word only follows it
                whole.append(one)
        masked = _placed(whole, [*views, chain]) + masked  # before a half of it
    return apart(_widened(masked, found) + found) if masked else apart(found)


def _widened(masked: list[Hit], found: list[Hit]) -> list[Hit]:
    """Let what was found masked cover what was found of it as the text stands."""
    plain = apart(found)
    starts, ends = [one.start for one in plain], [one.end for one in plain]
    wide = []
    for one in masked:
        for other in plain[bisect_right(ends, one.start) : bisect_left(starts, one.end)]:
            start, end = min(one.start, other.start), max(one.end, other.end)
            one = hit(one.rule, start, end, one.shown.rpartition("…")[0])
        wide.append(one)
    return wide


def _placed(found: list[Hit], views: list[View]) -> list[Hit]:
    """Return the places in a text of what was found in a view of it."""
    return [
        hit(one.rule, *place_in_source(views, one.start, one.end), one.shown.rpartition("…")[0])
        for one in found
    ]


class Lines:
    """The lines of a text, for places in it: each is looked up in steps, and judged once."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        self._starts = list(accumulate([len(line) + 1 for line in lines], initial=0))
        tagged = (
            number for number, line in enumerate(lines, 1) if any(tag in line for tag in WAIVERS)
        )
        self._waived = frozenset(tagged)

    def number(self, place: Hit) -> int:
        """Return the line on which a value begins, 1-based."""
        return bisect_right(self._starts, place.start)

    def is_waived(self, place: Hit) -> bool:
        """Tell whether the line on which a value begins says that it is none."""
        return self.number(place) in self._waived

    def held(self, places: Iterable[Hit]) -> tuple[Hit, ...]:
        """Return those places that no line waives."""
        return tuple([place for place in places if not self.is_waived(place)])


def redacted(text: str, places: tuple[Hit, ...]) -> str:
    """Replace each value by its kind: `[redacted: github-token]`; a home folder by `~`."""
    parts: list[str] = []
    at = 0
    for place in places:
        parts += (text[at : place.start], stand_in(place.rule))
        at = place.end
    return "".join(parts) + text[at:]


def stand_in(rule: str) -> str:
    """Return what stands in the place of a value."""
    return "~" if rule == "home-path" else f"[redacted: {rule}]"


def nameable(text: str) -> str:
    """Return a text without secrets and home folders, from which a public name can be made."""
    places = find_all(text)
    return redacted(text, Lines(text).held(places)) if places else text


def without_secrets(text: str) -> str:
    """Return a text without its secrets: for what is printed, and for names that are made of it."""
    places = find_secrets(text)
    return redacted(text, Lines(text).held(places)) if places else text
