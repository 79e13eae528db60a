"""Check what this clone is set up with: settings and attributes of git, permissions, captures, its place.

Settings of git may collect objects too early, or never flush them (fault:B9); attributes may change files
of the home in plain commands (fault:H14); what is kept beside the objects is nobody else's (fault:L15).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from ledger.environment import variables
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE, MOVED_FILE, STATE_DIR
from ledger.model.sha256 import blob_id
from memory.replay.replayed_state import cold_state
from memory.worktree.merge_drivers import plan_drivers
from memory.worktree.projection_files import changes, projection_files
from projection.document.page_renderer import render
from projection.policy.model import OFF
from rituals.check.doctor.doctor_values import REBUILD, SET, TIGHTEN, Noticed, mended_by
from rituals.check.survey import Survey
from rituals.hosts.capture.capture_notes import FAILED, attempts
from rituals.hosts.capture.stamps import QUIET_MS, sessions, told_of
from rituals.hosts.observed.observation_spool import spool_of
from rituals.hosts.user_settings import settings
from rituals.setup.foreign_attributes import attribute_findings
from rituals.setup.strays import strays

#: So many observations may wait behind their boundary.
UNTRIED = 25
_NOW = "`diurna capture` does it now"
_ASKED = r"^(gc\.pruneexpire|gc\.(.*\.)?reflogexpire(unreachable)?|core\.fsync|core\.fsyncmethod)$"
#: Times that git takes for "at once", or that a slow write may outlast.
_AT_ONCE = ("now", "all", "0")
_SOON = ("second", "minute")
#: What `core.fsync` must not leave out.
_FLUSHED = frozenset(
    "loose-object pack pack-metadata reference objects derived-metadata committed added all "
    "default".split()
)


def attributes_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Compare the attributes that are in force, and this clone's driver, with what the format asks for."""
    yield from attribute_findings(survey.home, survey.policy[1].view_files)
    if plan_drivers(survey.home, survey.policy[1].view_files).steps:
        said = "this clone has no driver that keeps a plain `git pull` out of the projection"
        step = "set the driver and its attributes in this clone"
        yield mended_by("attributes-missing", said, SET, step, then="sets it")


def capture_noticed(survey: Survey) -> Iterator[Finding]:
    """Say that the last attempt failed, that what should read sessions can not, and what waits untried."""
    if survey.policy[1].capture.keep == OFF:
        return
    commondir = survey.home.repository.commondir
    kept = attempts(commondir)
    if kept and kept[-1].outcome == FAILED:
        last = kept[-1]
        said = f"the session {last.session} of {last.host} could not be recorded: {last.said}"
        yield Finding("capture-failed", said, hint=f"the next boundary tries again; {_NOW}")
    wrong = settings(variables()).wrong
    if wrong:
        hint = "until it is mended no model reads the sessions; it is your own file"
        yield Finding("capture-settings", wrong, hint=hint)
    untried = 0
    for session in sessions(commondir):
        told = told_of(commondir, session.host, session.session)
        waiting, _ = spool_of(commondir, session.host, session.session).since(told.size)
        untried += sum([seen.at < survey.now_ms - QUIET_MS for seen in waiting])
    if untried > UNTRIED:
        said = f"{untried} observations wait that no boundary has tried to record"
        hint = f"hooks should have; `diurna install` writes them; {_NOW}"
        yield Finding("capture-waits", said, hint=hint)


def moved_noticed(survey: Survey) -> Iterator[Finding]:
    """Tell of logs in the old place, which a sync joins, and of a home that is an old place itself."""
    home = survey.home
    found = strays(survey.memory)
    if found:
        many = "1 log stands" if len(found) == 1 else f"{len(found)} logs stand"
        said = f"{many} where this memory was before it moved"
        yield Finding("home-moved", said, hint="`diurna sync` joins them")
    tip = home.tip()
    if tip and home.repository.git().resolve(f"{tip}:{home.prefix}{MOVED_FILE}")[0]:
        said = f"this memory moved: {home.prefix}{MOVED_FILE} says where it is"
        hint = "what is recorded here is joined to it by `diurna sync` there"
        yield Finding("home-moved", said, MOVED_FILE, hint=hint)


def privacy_noticed(survey: Survey) -> Iterator[Noticed]:
    """Name the topmost folders of ours that other users can look into."""
    repository = survey.home.repository
    shared = repository.git().run("config", "--get", "core.sharedRepository", check=False)
    if shared.strip() not in (b"", b"false", b"umask", b"0"):
        return  # the owner of the repository wants a group to write to it
    for top in dict.fromkeys((repository.commondir, repository.gitdir)):
        folder = f"{top}/{STATE_DIR}"
        try:
            open_to_others = stat.S_IMODE(os.stat(folder).st_mode) & 0o077
        except OSError:
            continue
        if open_to_others:
            said = f"other users of this machine can look into {folder}, where logs wait"
            step = f"tighten {folder} to its owner"
            yield mended_by(
                "open-to-others", said, TIGHTEN, step, then="keeps it to its owner", target=folder
            )


def settings_noticed(survey: Survey) -> Iterator[Finding]:
    """Name each setting that is in force here and endangers the ledger."""
    out = survey.home.repository.git().run("config", "-z", "--get-regexp", _ASKED, check=False)
    rows = [row.partition("\n") for row in out.decode("utf-8", "surrogateescape").split("\0")]
    for key, value in sorted({key: value.strip() for key, _, value in rows if key}.items()):
        if key == "gc.pruneexpire" and _is_soon(value):
            said = (
                f"gc.pruneExpire is {value}: `git gc` deletes what a writer has not referred to yet"
            )
            hint = "let it outlive every write: git config gc.pruneExpire 2.weeks.ago"
        elif key.startswith("gc.") and "reflogexpire" in key and _is_soon(value):
            said = (
                f"{key} is {value}: where a branch stood before is forgotten at once, and can not "
                "be brought back"
            )
            hint = f"keep it long enough to notice a mistake: git config {key} 30.days.ago"
        elif key == "core.fsync" and _leaves_out(value):
            said = (
                f"core.fsync is {value}: git does not flush what it commits, and a power cut may "
                "take it (a log is safe in the spool until Diurna has flushed it)"
            )
            hint = "let git flush: git config core.fsync committed"
        elif key == "core.fsyncmethod" and value.lower() == "writeout-only":
            said = (
                "core.fsyncMethod is writeout-only: git leaves what it commits in the disk's cache, "
                "and a power cut may take it"
            )
            hint = "let git flush: git config core.fsyncMethod fsync"
        else:
            continue
        yield Finding("git-setting", said, hint=hint)


def _is_soon(value: str) -> bool:
    lower = value.lower()
    return lower in _AT_ONCE or any(word in lower for word in _SOON)


def _leaves_out(value: str) -> bool:
    parts = [part.strip().lower() for part in value.split(",")]
    return "none" in parts or any(part[:1] == "-" and part[1:] in _FLUSHED for part in parts)


def cache_noticed(survey: Survey) -> Iterator[Noticed]:
    """Compare what the cache says with a replay that does not ask it; the ledger is right (fault:M5)."""
    memory = survey.memory
    tip = survey.home.tip()
    if not survey.deep or not tip:
        return
    warm = projection_files(memory.tip_state())
    view = render(memory.ask(lambda cache: cache.view(), committed=True))
    replayed = cold_state(memory.snapshot.tip, tip, survey.progress)
    if any(finding.code == "unreadable" for finding in replayed.findings()):
        return  # the cache may well know what a lost log says
    cold = projection_files(replayed)
    wrong = [
        path for path, _ in changes(cold, {path: blob_id(data) for path, data in warm.items()})
    ]
    if (
        view.encode("utf-8", "surrogateescape") != cold[CONTINUITY_FILE]
        and CONTINUITY_FILE not in wrong
    ):
        wrong.insert(0, CONTINUITY_FILE)
    if wrong:
        yield mended_by(
            "cache-differs",
            f"the cache disagrees with the ledger: {', '.join(wrong)}",
            REBUILD,
            "rebuild the cache from the ledger",
            then="rebuilds it from the ledger, which is right",
        )


def index_noticed(survey: Survey) -> Iterator[Noticed]:
    """Compare the index of recall with one that is made of the ledger now (fault:M5)."""
    from memory.recall.index.index_catch_up import index_file
    from memory.recall.index.index_check import index_differs

    if not survey.deep or not survey.home.tip():
        return
    if index_differs(survey.memory.snapshot, survey.progress):
        yield mended_by(
            "cache-differs",
            "the index of recall disagrees with the ledger",
            REBUILD,
            "rebuild the index of recall from the ledger",
            then="rebuilds it from the ledger, which is right",
            target=index_file(survey.home),
        )
