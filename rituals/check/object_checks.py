"""Check for objects that git has lost (fault:A15, fault:A16, fault:B9), and for attributes of git.

Diurna's own join reads no attribute. A plain `git merge` or `git checkout` does, and the last line that
matches wins: one of the user's may undo what the format asks for (fault:H14).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from ledger.errors import DiurnaError
from ledger.git.repository import is_shallow
from ledger.home import Home
from ledger.model import layout
from ledger.model.findings import Finding
from ledger.model.logset import LogRef, log_refs
from memory.repair.pruned_commits import copies, lost_objects
from memory.replay.read_logs import read_all, unreadable
from memory.worktree.merge_drivers import DRIVER, plan_drivers
from rituals.check.check_registry import Survey
from rituals.check.doctor_runner import FETCH, FIX_HINT, REMAKE, SET, Noticed, Remedy, mended_by


def recent_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of commits, trees and files of recent writes that are gone."""
    lost = lost_objects(survey.home)
    if not lost:
        return
    named = ", ".join(f"{what} {oid[:12]}" for what, oid in lost[:3])
    more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
    yield mended_by(
        "object-lost",
        f"git has lost what recent commits of Diurna's are made of: {named}{more}",
        REMAKE,
        f"write again what recent commits are made of ({len(lost)})",
        then="writes it again, byte for byte, from what is kept beside the spool",
    )


def shape_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of a cut history, and of repositories that objects are borrowed from and that are gone."""
    repository = survey.home.repository
    if is_shallow(repository):
        said = "this clone is shallow: provenance and `diurna check` end where it begins"
        yield Finding("history-cut", said, hint="git fetch --unshallow")
    try:
        with open(
            f"{repository.commondir}/objects/info/alternates",
            encoding="utf-8",
            errors="surrogateescape",
        ) as file:
            lenders = [line.strip() for line in file if line.strip() and line[:1] != "#"]
    except OSError:
        return
    for lender in lenders:
        if not os.path.isdir(os.path.join(repository.commondir, "objects", lender)):
            yield Finding(
                "unsupported-repository",
                f"objects are borrowed from {lender}, which is not there",
                hint="bring that repository back, or say in .git/objects/info/alternates "
                "where it is now",
            )


def tip_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell that the branch points to a commit that git does not have."""
    home = survey.home
    tip = home.tip()
    if not tip or home.repository.git().resolve(f"{tip}^{{tree}}")[0]:
        return
    if any(oid == tip for _, oid in lost_objects(home)):
        return  # told already, with its remedy
    said = f"{home.branch or 'HEAD'} points to the commit {tip}, which is missing or damaged"
    hint = "fetch it from a clone that has it; `git reflog` lists where the branch stood before"
    yield Finding("unreadable", said, hint=hint)


def logs_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of each committed log whose bytes git can not read, and where they may come from."""
    lost, odd = lost_logs(survey)
    yield from odd
    for ref in lost:
        finding = unreadable(ref)
        found = next(copies(survey.home, ref.path, ref.blob), None)
        if found is not None:
            source = "from the copy that is here"
        elif survey.home.repository.git().run("remote", check=False).strip():
            source = "from the remote, if it has it"
        else:
            yield finding
            continue
        hint = FIX_HINT.format(f"writes it again {source}; all other logs are read")
        step = f"bring back {ref.path} {source}"
        yield Noticed(finding._replace(hint=hint), Remedy(FETCH, step, f"{ref.blob} {ref.path}"))


def lost_logs(survey: Survey) -> tuple[list[LogRef], list[Finding]]:
    """Return the logs at the tip that git can not read, and what was noticed on the way."""
    home = survey.home
    listing = survey.listing(home.tip())
    refs, _ = log_refs(listing.rows, home.prefix)
    odd = list(listing.findings)
    if survey.deep:
        reading = read_all(home, refs, survey.progress)
        bad = {one.file for one in reading.findings if one.code == "unreadable"}
        return [ref for ref in refs if ref.path in bad], odd
    objects = f"{home.repository.commondir}/objects"
    lost, packed = [], []
    for ref in refs:
        try:
            if not os.stat(f"{objects}/{ref.blob[:2]}/{ref.blob[2:]}").st_size:
                lost.append(ref)
        except OSError:
            packed.append(ref)
    if packed:
        try:
            there = home.repository.git().resolve(*[ref.blob for ref in packed])
        except DiurnaError:  # git stops at a damaged object: read each
            reading = read_all(home, packed, survey.progress)
            bad = {one.file for one in reading.findings if one.code == "unreadable"}
            there = ["" if ref.path in bad else ref.blob for ref in packed]
        lost += [ref for ref, found in zip(packed, there, strict=True) if not found]
    return sorted(lost), odd


def twins_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of files of the home that a case-blind file system holds only one of (fault:F10)."""
    seen: dict[str, str] = {}
    for _, _, path in survey.listing(survey.home.tip()).rows:
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            yield Finding(
                "case-twins",
                f"{other} and {path} differ only in upper and lower case; on a case-blind file "
                "system one hides the other",
                path[len(survey.home.prefix) :],
                hint="give one of them another name with git mv",
            )


_NOT_SET = ("unspecified", "unset")
#: Nothing merges these, or our driver does; logs keep their bytes.
_MERGE = {"merge": ("unset", DRIVER)}
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


def attributes_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Compare the attributes that are in force, and this clone's driver, with what the format asks for."""
    yield from attribute_findings(survey.home, survey.policy[1].view_files)
    if plan_drivers(survey.home).steps:
        said = "this clone has no driver that keeps a plain `git pull` out of the projection"
        step = "set the driver and its attributes in this clone"
        yield mended_by("attributes-missing", said, SET, step, then="sets it")


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
