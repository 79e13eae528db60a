"""Tell which commits HEAD does not hold: one walk for all of them, never one for each."""

from __future__ import annotations

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ledger.git.cli import Git

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
        """Return both answers about one commit."""
        return Lacking(
            {**self.whole, **other.whole},
            self.outside | other.outside,
            self.missing | other.missing,
            self.unknown | other.unknown,
        )


def whole_ids(git: Git, names: Collection[str]) -> Mapping[str, str | None]:
    """Return the whole ids of commits by what names them; "" for what is not there, None for several."""
    asked = sorted(names)
    if not asked:
        return {}
    lines = "".join(f"{one}^{{commit}}\n" for one in asked).encode()
    said = git.run("cat-file", "--batch-check=%(objectname)", data=lines).decode().split("\n")
    found: dict[str, str | None] = {}
    for name, line in zip(asked, said, strict=False):
        several = line.endswith(" ambiguous")
        found[name] = None if several else "" if " " in line else line
    return found


def lacking(git: Git, commit: str, names: Collection[str]) -> Lacking:
    """Tell what of some commits another one does not hold; names of seven digits or more will do."""
    odd = frozenset([one for one in names if not _is_id(one)])
    whole = whole_ids(git, [one for one in names if one not in odd])
    there = sorted({one for one in whole.values() if one})
    lines = "".join(f"{one}\n" for one in there) + f"^{commit}\n"
    said = git.run("rev-list", "--stdin", data=lines.encode()) if there else b""
    not_held = frozenset(said.decode().split())
    return Lacking(
        {name: one for name, one in whole.items() if one},
        frozenset([name for name, one in whole.items() if one in not_held]),
        frozenset([name for name, one in whole.items() if one == ""]),
        odd | {name for name, one in whole.items() if one is None},
    )


def _is_id(name: str) -> bool:
    return LEAST <= len(name) <= WHOLE and not name.strip("0123456789abcdef")
