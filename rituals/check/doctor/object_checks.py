"""Check for objects that git has lost, of commits and of logs (fault:A15, fault:A16, fault:B9)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ledger.errors import DiurnaError
from ledger.git.repository import is_shallow
from ledger.model.findings import Finding
from ledger.model.logset import LogRef, log_refs
from memory.repair.pruned_commits import copies, lost_objects
from memory.replay.read_logs import read_all, unreadable
from rituals.check.doctor.fix import FETCH, FIX_HINT, REMAKE, Noticed, Remedy, mended_by
from rituals.check.survey import Survey


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
