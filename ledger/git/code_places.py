"""Look whether lines of files are there at commits of the code: many at once, in two git calls."""

from __future__ import annotations

from ledger.model.evidence import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.git.cli import Git

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
