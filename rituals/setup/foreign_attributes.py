"""Find attributes of git's that undo what the files of a home ask for (fault:H14).

Diurna's own join reads no attribute. A plain `git merge` or `git checkout` does, and the last line that
matches wins: one of the user's, or of a file further down, may undo what the format asks for.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.home import Home
from ledger.model import layout
from ledger.model.findings import Finding
from memory.worktree.merge_drivers import DRIVER, VIEW_DRIVER

_NOT_SET = ("unspecified", "unset")
#: Nothing merges these, or our driver does; logs keep their bytes.
_MERGE = {"merge": ("unset", DRIVER, VIEW_DRIVER)}
_BYTES = {
    "text": ("unset",),
    "filter": _NOT_SET,
    "ident": _NOT_SET,
    "working-tree-encoding": _NOT_SET,
}
_LOG = layout.log_path("2026-01-01-000000000-aaaaaaaaaaaaaaaaaaaaaaaaaa")
#: path -> attribute -> values that do no harm.
_WANTED = {
    layout.CONTINUITY_FILE: {**_BYTES, **_MERGE},
    layout.ARCHIVE_INDEX: {**_BYTES, **_MERGE},
    layout.archive_page("2026-Q1"): {**_BYTES, **_MERGE},
    _LOG: _BYTES,
}


def attribute_findings(home: Home, views: Iterable[str] = ()) -> tuple[Finding, ...]:
    """Say where git would merge or convert files of a home in its own way, in this work tree.

    `views` are the files of views that are published there.
    """
    if not home.checked_out:
        return ()
    known = _WANTED | {path: {**_BYTES, **_MERGE} for path in views}
    asked = "".join(f"{home.prefix}{path}\0" for path in known)
    said = home.repository.git().run(
        "check-attr", "-z", "--stdin", *_BYTES, *_MERGE, check=False,
        data=asked.encode("utf-8", "surrogateescape"),
    )  # fmt: skip
    fields = said.decode("utf-8", "surrogateescape").split("\0")
    found: dict[str, Finding] = {}
    for full, name, value in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        path = full[len(home.prefix) :]
        if value in known[path].get(name, (value,)):
            continue
        shown, where = ("session logs", "sessions") if path == _LOG else (path, path)
        which = path if path in layout.VIEW_FILES else ""
        found.setdefault(f"{name}={value} {which}", _finding(name, value, shown, where, full))
    return tuple(found.values())


def _finding(name: str, value: str, shown: str, where: str, full: str) -> Finding:
    if value == "unspecified":
        hint = (
            f"`diurna init` commits a missing {layout.ATTRIBUTES_FILE}; in one that is there, put back "
            "the lines that section 7 of the format gives"
        )
        if shown in layout.VIEW_FILES:
            place = full.removesuffix(shown) + layout.ATTRIBUTES_FILE
            hint = f"add a line to {place}: {shown} -text -merge linguist-generated"
        message = f"git may change or merge {shown}: `-{name}` is not in force"
        return Finding("attributes-missing", message, where, hint=hint)
    does = "merged" if name == "merge" else "converted"
    return Finding(
        "merge-attribute",
        f"git attributes say {name}={value} for {shown}: in a plain git command they are {does} in "
        "another way than Diurna's",
        where,
        hint=f"`git check-attr -a {full}` tells; the last line that matches counts",
    )
