"""What git does with the home's files: attributes and the merge driver, ours and others' (H14)."""

from __future__ import annotations

from ledger.findings import Finding
from ledger.layout import ARCHIVE_INDEX, ATTRIBUTES_FILE, CONTINUITY_FILE, SESSIONS_DIR
from memory.drivers import DRIVER
from rituals.doctor.case import SET, Noticed, mended_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rituals.doctor.case import Case

_LOG = f"{SESSIONS_DIR}/2000-01/01/2000-01-01-000000000-000000000000.md"
_ASKED = ("text", "merge", "filter", "ident", "working-tree-encoding")
_UNSET = ("unspecified", "unset")


def attributes_noticed(case: Case) -> Iterator[Noticed]:
    """Compare the attributes that are in force with those that the format asks for."""
    home = case.home
    if not home.checked_out:
        return  # git never checks the files out, and never merges them in a work tree
    git = home.repository.git()
    paths = [home.prefix + path for path in (_LOG, CONTINUITY_FILE, ARCHIVE_INDEX)]
    said = git.run("check-attr", "-z", *_ASKED, "--", *paths)
    fields = said.decode("utf-8", "surrogateescape").split("\0")
    found = {
        (path, name): value
        for path, name, value in zip(fields[0::3], fields[1::3], fields[2::3], strict=False)
    }
    open_to_change = [path for path in paths if found.get((path, "text")) != "unset"]
    if open_to_change:
        more = f" (core.autocrlf is {crlf})" if (crlf := _autocrlf(case)) else ""
        yield Noticed(
            Finding(
                "attributes-missing",
                f"git may change line ends below {home.prefix or '/'}: `-text` is not in force"
                f"{more}",
                ATTRIBUTES_FILE,
                hint=f"`diurna init` commits a missing {ATTRIBUTES_FILE}; in one that is there, "
                "put back the lines that the format gives in its section 7",
            )
        )
    pages = paths[1:]
    merges = {found.get((path, "merge"), "") for path in pages}
    driver = git.run("config", "--get", f"merge.{DRIVER}.driver", check=False).strip()
    if merges == {DRIVER} and driver:
        pass
    elif merges <= {DRIVER, *_UNSET}:
        yield mended_by(
            "attributes-missing",
            "this clone has no driver that keeps a plain `git pull` out of the projection",
            SET,
            f"set merge.{DRIVER} and its attribute in this clone",
            then="sets it",
        )
    else:
        other = ", ".join(sorted(merges - {DRIVER, *_UNSET}))
        yield _foreign(
            f"a plain `git pull` merges the projection with `merge={other}`", home.prefix
        )
    logs = found.get((paths[0], "merge"), "unspecified")
    if logs not in _UNSET:
        yield _foreign(f"a plain `git pull` merges session logs with `merge={logs}`", home.prefix)
    for name in ("filter", "ident", "working-tree-encoding"):
        values = {found.get((path, name), "unspecified") for path in paths}
        other = ", ".join(sorted(values - set(_UNSET)))
        if other:
            yield _foreign(f"git rewrites files of the home by `{name}={other}`", home.prefix)


def _autocrlf(case: Case) -> str:
    said = case.home.repository.git().run("config", "--get", "core.autocrlf", check=False)
    value = said.decode("utf-8", "replace").strip()
    return "" if value == "false" else value


def _foreign(said: str, prefix: str) -> Noticed:
    return Noticed(
        Finding(
            "foreign-attributes",
            f"{said}; `diurna sync` does not",
            hint=f"let that attribute stop short of {prefix or 'this repository'}, or sync with "
            "`diurna sync`",
        )
    )
