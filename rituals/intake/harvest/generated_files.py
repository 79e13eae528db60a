"""Read which files `.gitattributes` calls generated or vendored, from the tree itself.

git 2.39 reads attributes of a work tree or an index alone, and a harvest reads a commit. Only the two
attributes by which hosts know such files are looked at; the last line that matches decides, as in git.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

FILE = ".gitattributes"
_MARKS = re.compile(r"(-?)linguist-(?:generated|vendored)(?:=(\w+))?$")


class Marked:
    """The files that attributes call generated or vendored.

    Args:
        files: the bytes of every `.gitattributes`, by path.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._rules: list[tuple[re.Pattern[str], bool]] = []
        for path in sorted(files, key=lambda path: path.count("/")):
            folder = path.removesuffix(FILE)
            for line in files[path].decode("utf-8", "replace").split("\n"):
                pattern, *attributes = line.split() or [""]
                if pattern[:1] in ("", "#", "["):
                    continue
                for attribute in attributes:
                    mark = _MARKS.match(attribute)
                    if mark:
                        on = not mark[1] and mark[2] not in ("false", "0")
                        self._rules.append((_pattern(folder, pattern), on))

    def among(self, paths: Iterable[str]) -> frozenset[str]:
        """Return which paths are generated or vendored."""
        if not self._rules:
            return frozenset()
        return frozenset([path for path in paths if self._marks(path)])

    def _marks(self, path: str) -> bool:
        return next((on for pattern, on in reversed(self._rules) if pattern.match(path)), False)


def _pattern(folder: str, glob: str) -> re.Pattern[str]:
    """Turn a pattern of `.gitattributes` into one of whole paths."""
    anywhere = "/" not in glob.rstrip("/")
    parts = re.split(r"(\*\*/|/\*\*$|\*|\?)", glob.strip('"').lstrip("/"))
    known = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    body = "".join([known.get(part) or re.escape(part) for part in parts])
    return re.compile(re.escape(folder) + ("(?:.*/)?" if anywhere else "") + body + "$")
