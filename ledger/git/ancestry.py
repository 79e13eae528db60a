"""Tell which commits HEAD does not hold, and which lines of files commits do not have.

One walk or two git calls for all of them, never one for each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ledger.git.cli import SEVERAL, Git
from ledger.model.evidence import Place
from ledger.model.record import Record

#: A place at a commit, by its id or the start of it.
At = tuple[str, Place]
_LEAST_DIGITS = 4


def missing(git: Git, wanted: Iterable[At]) -> frozenset[At]:
    """Return the places that are not at their commits; of a commit that is not there nothing is said."""
    hexes = [one for one in dict.fromkeys(wanted) if not one[0].strip("0123456789abcdef")]
    asked = [one for one in hexes if len(one[0]) >= _LEAST_DIGITS]
    if not asked:
        return frozenset()
    specs = [f"{commit}^{{commit}}" for commit, _ in asked]
    specs += [f"{commit}:{place.path}" for commit, place in asked]
    named = git.named(specs)
    blobs = [oid if kind == "blob" else "" for kind, oid in named[len(asked) :]]
    known = dict.fromkeys(filter(None, blobs))
    files = [data or b"" for data in git.blobs(known)]
    counts = [data.count(b"\n") + (data[-1:] not in (b"", b"\n")) for data in files]
    sizes = dict(zip(known, counts, strict=True))  # of lines, also of one that no line feed ends
    rows = zip(asked, named, blobs, strict=False)
    return frozenset(
        [
            one
            for one, (kind, _), blob in rows
            if kind == "commit" and one[1].line > sizes.get(blob, 0)
        ]
    )


#: Digits of a whole id; of fewer than `LEAST` nothing is told.
WHOLE, LEAST = 40, 7


class Lacking(Record):
    """What a commit does not hold of what was asked."""

    whole: Mapping[str, str]  #: the whole ids of what is there, by what names it
    outside: frozenset[str]  #: what is there, and no ancestor of it
    missing: frozenset[str]  #: what names no object
    unknown: frozenset[str]  #: what names several, or is no id

    def has(self, name: str) -> bool:
        """Tell whether it holds a commit that was asked for."""
        return name in self.whole and name not in self.outside

    def joined(self, other: Lacking) -> Lacking:
        """Return what it holds of what was asked both times; what was missing or unknown then."""
        there = {**self.whole, **other.whole}
        return self._replace(whole=there, outside=self.outside | other.outside)


def whole_ids(git: Git, names: Collection[str]) -> Mapping[str, str | None]:
    """Return the whole ids of commits by what names them; "" for what is not there, None for several."""
    asked = list(names)
    found = git.named(f"{one}^{{commit}}" for one in asked) if asked else []
    return {
        name: None if kind == SEVERAL else oid
        for name, (kind, oid) in zip(asked, found, strict=True)
    }


def lacking(git: Git, commit: str, names: Collection[str]) -> Lacking:
    """Tell what of some commits another one does not hold; names of seven digits or more will do."""
    odd = frozenset(
        [one for one in names if not LEAST <= len(one) <= WHOLE or one.strip("0123456789abcdef")]
    )
    whole = whole_ids(git, [one for one in names if one not in odd])
    there = {name: one for name, one in whole.items() if one}
    lines = "".join(f"{one}\n" for one in {*there.values()}) + f"^{commit}\n"
    said = git.run("rev-list", "--stdin", data=lines.encode()) if there else b""
    not_held = frozenset(said.decode().split())
    return Lacking(
        there,
        frozenset([name for name, one in there.items() if one in not_held]),
        frozenset([name for name, one in whole.items() if one == ""]),
        odd | {name for name, one in whole.items() if one is None},
    )
