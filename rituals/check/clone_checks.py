"""Check this clone: locks, attributes of git, captures, spools, its place, its caches, what others lack.

Attributes may change files of the home in plain commands (fault:H14); locks of the dead stop git
(fault:B5 to fault:B7).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import unquote

from ledger.environment import variables
from ledger.git.repository import Repository, read_reference, remote_branches
from ledger.home import OWN_BRANCH, Home, branch_home
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE, MOVED_FILE, POLICY_FILE, STATE_DIR, stem_of
from ledger.model.order import is_stem, stamp_of
from ledger.wal.git_locks import is_left
from ledger.wal.spool import Spool
from memory.api import Memory
from memory.replay.replayed_state import cold_state
from memory.replay.upstream_homes import upstreams
from memory.worktree.projection_files import projection_files
from projection.document.page_renderer import render
from projection.policy.model import OFF
from rituals.check.check_registry import Survey
from rituals.check.doctor_runner import COMMIT, MOVE, REBUILD, Noticed, mended_by
from rituals.hosts.capture.stamps import QUIET_MS, last_failure, unfinished
from rituals.hosts.user_settings import settings
from rituals.setup.move import strays

#: How long a captured log may wait without a word of the doctor's.
_LONG_MS = 7 * 86_400_000


def spool_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of logs that wait in spools of other homes of the repository, or for long."""
    home = survey.home
    state = f"{home.repository.commondir}/{STATE_DIR}"
    own = os.path.basename(home.spool_folder)
    try:
        folders = sorted(os.listdir(state))
    except OSError:
        return
    yield from _held_long(survey)
    for name in folders:
        if name == own or name.partition("@")[0] != "spool":
            continue
        spool = Spool(f"{state}/{name}")
        left = sorted([*spool.waiting(), *spool.held()])
        if not left:
            continue
        many = "1 log waits" if len(left) == 1 else f"{len(left)} logs wait"
        branch = unquote(name.partition("@")[2])
        if branch and _is_home(survey, branch):
            yield mended_by(
                "spool-leftover",
                f"{many} for the home on the branch {branch}: {left[0]}",
                COMMIT,
                f"commit what waits for the home on {branch} ({len(left)})",
                then="commits it there",
                target=branch,
            )
            continue
        whose = f"a home on the branch {branch}" if branch else "a home in a work tree"
        yield Finding(
            "spool-leftover",
            f"{many} in {state}/{name} for {whose}, which is not there: {left[0]}",
            hint=f"`diurna append {state}/{name}/{left[0]}` says it again in this home; the "
            "copy stays",
        )


def _held_long(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of captured logs that wait for so long that nobody but this clone will have them soon."""
    held = [stem for stem in survey.memory.held() if stem < stamp_of(survey.now_ms - _LONG_MS)]
    if held and not survey.home.plain:
        many = "1 captured log waits" if len(held) == 1 else f"{len(held)} captured logs wait"
        why = survey.memory.obstacle()
        yield mended_by(
            "captured-waiting",
            f"{many} for more than a week{f': {why}' if why else ''}",
            COMMIT,
            f"commit what was captured ({len(held)})",
            then="commits it, and so does the next append",
        )


def _is_home(survey: Survey, branch: str) -> bool:
    repository = survey.home.repository
    if not read_reference(repository, f"refs/heads/{branch}"):
        return False
    found = branch_home(repository, branch)
    if survey.home.kind == OWN_BRANCH and survey.home.branch == branch:
        return False
    return bool(repository.git().resolve(f"{found.reference}:{POLICY_FILE}")[0])


#: So many sessions of which no log tells are named.
_NAMED = 5
_NOW = "`diurna capture` does it now"
_COMMON = ("HEAD.lock", "packed-refs.lock", "config.lock", "shallow.lock", "index.lock")
_OF_WORK_TREE = ("HEAD.lock", "index.lock", "config.worktree.lock", "ORIG_HEAD.lock")
#: After how long what is here of another home is called old.
_STALE_DAYS = 30
_WEEK_MS = 7 * 24 * 3600 * 1000


def lock_files(repository: Repository) -> list[str]:
    """List the lock files of git: of all work trees, of references, of the configuration."""
    common = repository.commondir
    found = [f"{common}/{name}" for name in _COMMON]
    gitdirs = [repository.gitdir]
    try:
        gitdirs += [
            f"{common}/worktrees/{name}" for name in sorted(os.listdir(common + "/worktrees"))
        ]
    except OSError:
        pass
    found += [f"{gitdir}/{name}" for gitdir in gitdirs for name in _OF_WORK_TREE]
    for folder, _, names in os.walk(common + "/refs"):
        found += [f"{folder}/{name}" for name in sorted(names) if name.endswith(".lock")]
    return [path for path in dict.fromkeys(found) if os.path.lexists(path)]


def lock_noticed(survey: Survey) -> Iterator[Noticed]:
    """Name the locks that nobody holds any more; they can be moved aside."""
    repository = survey.home.repository
    for path in lock_files(repository):
        if is_left(repository, path):
            yield mended_by(
                "lock-left",
                f"{path} belongs to no running process",
                MOVE,
                f"move {path} aside, into {repository.commondir}/diurna/stale",
                then="moves it aside",
                target=path,
            )


def capture_noticed(survey: Survey) -> Iterator[Finding]:
    """Say that the last attempt failed, that what should read sessions can not, and what waits untried."""
    if survey.policy[1].capture.keep == OFF:
        return
    commondir = survey.home.repository.commondir
    if failed := last_failure(commondir):
        yield Finding("capture-failed", failed, hint=f"the next boundary tries again; {_NOW}")
    wrong = settings(variables()).wrong
    if wrong:
        hint = "until it is mended no model reads the sessions; it is your own file"
        yield Finding("capture-settings", wrong, hint=hint)
    late = [one for one in unfinished(commondir) if one.at < survey.now_ms - QUIET_MS]
    if late:
        named = [f"{one.host} {one.session}" for one in late[:_NAMED]]
        named += [f"{len(late) - _NAMED} more"] * (len(late) > _NAMED)
        hint = f"the next start of any session records what others left; {_NOW}"
        yield Finding("capture-waits", f"no log tells of {', '.join(named)}", hint=hint)


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
    wrong = [path for path, _ in cold.changes(warm.blobs)]
    if (
        view.encode("utf-8", "surrogateescape") != cold.bodies[CONTINUITY_FILE]
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
    from memory.recall.index_catch_up import index_differs, index_file

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


def tracking_branch(home: Home) -> str:
    """Return the remote-tracking reference of the home's branch, "" where there is none."""
    if not home.reference:
        return ""
    said = home.repository.git().run(
        "rev-parse", "--symbolic-full-name", f"{home.branch}@{{upstream}}", check=False
    )
    name = said.decode("utf-8", "surrogateescape").strip()
    return name or next(iter(remote_branches(home.repository, home.branch)), "")


def unsent_noticed(survey: Survey) -> Iterator[Finding]:
    """Tell of logs older than a week that no remote has, as far as this clone knows."""
    home = survey.home
    if not home.repository.git().run("remote", check=False).strip():
        return  # nobody to share with is no fault
    upstream = tracking_branch(home)
    before = stamp_of(survey.now_ms - _WEEK_MS)
    there = _stems(survey, read_reference(home.repository, upstream) if upstream else "")
    old = sorted(stem for stem in _stems(survey, home.tip()) - there if stem < before)
    if not old:
        return
    many = "1 log" if len(old) == 1 else f"{len(old)} logs"
    verb = "is" if len(old) == 1 else "are"
    where = upstream.removeprefix("refs/remotes/")
    told = f"not in {where}" if where else f"on no remote: {home.branch} was never pushed"
    said = f"{many} of more than a week ago {verb} {told}; the oldest is {old[0]}"
    yield Finding("not-pushed", said, hint="`diurna sync` shares them")


def mirrors_noticed(at: Survey | Memory) -> Iterator[Finding]:
    """Tell of remotes that take every reference along, those too by which logs that went are kept."""
    keys, told = r"^remote\..*\.(mirror|push|fetch)$", set[str]()
    rows = (
        at.home.repository.git().text("config", "-z", "--get-regexp", keys, check=False).split("\0")
    )
    for key, is_set, value in (row.partition("\n") for row in rows if row):
        name = key[7 : key.rindex(".")]
        off = is_set and value.lower() in ("", "false", "no", "off", "0")
        every = not off if key.endswith(".mirror") else value.lstrip("+").startswith("refs/*:")
        if every and name not in told:
            told.add(name)
            said = f"{name} mirrors every reference: a push sends logs that were taken off a branch"
            said = f"{said}, and a fetch that prunes lets go of them"
            hint = "let `remote.….push` and `.fetch` name the branches, and `.mirror` be false"
            yield Finding("mirrored", said, hint=hint)


def upstreams_noticed(survey: Survey) -> Iterator[Finding]:
    """Tell of homes of others that were never fetched, or not for a month."""
    now = survey.now_ms / 1000
    for one in upstreams(survey.home, survey.policy[1]):
        if one.home is None or one.days(now) > _STALE_DAYS:
            said = f"{one.name}, which the policy names as upstream, was {one.age(now)}"
            yield Finding("upstream-stale", said, hint="`diurna sync` fetches it")


def _stems(survey: Survey, tip: str) -> set[str]:
    if not tip:
        return set()
    rows = survey.listing(tip).rows
    return {stem for _, _, path in rows if is_stem(stem := stem_of(path))}
