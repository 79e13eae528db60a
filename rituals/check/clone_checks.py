"""Check this clone: locks, objects that git has lost, git's attributes, captures, spools, caches, remotes.

Locks of the dead stop git (fault:B5 to fault:B7), lost objects are written again (fault:A15, fault:A16,
fault:B9), and attributes may change files of the home in plain commands: of two lines that match the last
one wins, and that may be the user's (fault:H14).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from urllib.parse import unquote

from ledger.environment import variables
from ledger.errors import StorageFailed, WriteRefused
from ledger.git.repository import Repository, cut_commits, read_reference, tracking_branch
from ledger.home import OWN_BRANCH, Home, branch_home
from ledger.model import layout
from ledger.model.finding_codes import Finding
from ledger.model.layout import LOCK_FILE, MOVED_FILE, POLICY_FILE, STATE_DIR, stem_of
from ledger.model.log_names import LogRef, is_stem, log_path, stamp_of
from ledger.remote.remote import choose_remote
from ledger.remote.transport import fetch_blobs
from ledger.wal.atomic_files import Lock, make_folder, try_unlink
from ledger.wal.git_locks import clear_left_lock, is_left, journal
from ledger.wal.spool import Spool
from memory import (
    PAGE_DRIVER,
    Memory,
    apply_drivers,
    blobs,
    clear_damaged,
    file_copies,
    lost_objects,
    plan_drivers,
    projection_files,
    store_blob,
    unreadable,
    upstreams,
)
from projection.document.page_renderer import render
from projection.policy.model import OFF
from rituals.check.check_registry import (
    COMMIT,
    FETCH,
    MOVE,
    REBUILD,
    REMAKE,
    SET,
    Noticed,
    Survey,
    mended,
)
from rituals.hosts.capture.session_marks import QUIET_MS, last_failure, unfinished
from rituals.hosts.user_settings import settings
from rituals.setup.move import strays

_LOCK_WAIT_SECONDS = 5.0
#: So many sessions of which no log tells are named, and so many objects.
_NAMED = 5
_NOW = "`diurna capture` does it now"
_COMMON = ("HEAD.lock", "packed-refs.lock", "config.lock", "shallow.lock", "index.lock")
_OF_WORK_TREE = ("HEAD.lock", "index.lock", "config.worktree.lock", "ORIG_HEAD.lock")
#: After how long what is here of another home is called old.
_STALE_DAYS = 30
_WEEK_MS = 7 * 24 * 3600 * 1000


def lock_noticed(survey: Survey) -> Iterator[Noticed]:
    """Name the locks that nobody holds any more; they can be moved aside."""
    repository = survey.home.repository
    for path in _lock_files(repository):
        if is_left(repository, path):
            found = Finding("lock-left", f"{path} belongs to no running process")
            step = f"move {path} aside, into {repository.commondir}/diurna/stale"
            yield mended(found, "moves it aside", MOVE, step, partial(_move, survey.home, path))


def _lock_files(repository: Repository) -> list[str]:
    """List the lock files of git: of all work trees, of references, of the configuration."""
    common, trees = repository.commondir, f"{repository.commondir}/worktrees"
    there = sorted(os.listdir(trees)) if os.path.isdir(trees) else []
    gitdirs = [repository.gitdir, *[f"{trees}/{name}" for name in there]]
    found = [f"{common}/{name}" for name in _COMMON]
    found += [f"{gitdir}/{name}" for gitdir in gitdirs for name in _OF_WORK_TREE]
    for folder, _, names in os.walk(common + "/refs"):
        found += [f"{folder}/{name}" for name in sorted(names) if name.endswith(".lock")]
    return [path for path in dict.fromkeys(found) if os.path.lexists(path)]


def _move(home: Home, path: str) -> None:
    """Move a lock aside that still belongs to nobody."""
    make_folder(home.state_dir)
    with Lock(f"{home.repository.commondir}/{LOCK_FILE}", _LOCK_WAIT_SECONDS):
        if os.path.lexists(path) and clear_left_lock(home.repository, path) is None:
            raise WriteRefused(f"{path} has an owner by now")


def recent_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of a cut history, and of commits, trees and files of recent writes that are gone."""
    if cut_commits(survey.home.repository):
        said = "this clone is shallow: provenance and `diurna check` end where it begins"
        yield Finding("history-cut", said, hint="git fetch --unshallow")
    lost = lost_objects(survey.home)
    if not lost:
        return
    shown = ", ".join(f"{what} {oid[:12]}" for what, oid in lost[:_NAMED])
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    said = f"git has lost what recent commits of Diurna's are made of: {shown}{more}"
    then = "writes it again, byte for byte, from what is kept beside the spool"
    step = f"write again what recent commits are made of ({len(lost)})"
    found = Finding("object-lost", said)
    yield mended(found, then, REMAKE, step, partial(_remake, survey.memory))


def _remake(memory: Memory) -> None:
    if not memory.remake():
        raise StorageFailed("nothing could be written again")
    memory.snapshot.rebuilt()


def tip_noticed(survey: Survey) -> Iterator[Finding]:
    """Tell that the branch points to a commit that git does not have."""
    home, tip = survey.home, survey.tip
    if not tip or home.repository.git().resolve(f"{tip}^{{tree}}")[0]:
        return
    if all(oid != tip for _, oid in lost_objects(home)):  # else it is told, with its remedy
        said = f"{home.branch or 'HEAD'} points to the commit {tip}, which is missing or damaged"
        hint = "fetch it from a clone that has it; `git reflog` lists where the branch stood before"
        yield Finding("unreadable", said, hint=hint)


def logs_noticed(survey: Survey) -> Iterator[Noticed]:
    """Tell of each committed log whose bytes git can not read, and where they may come from."""
    where, spooled = survey.home.repository, set(survey.home.spool.held())
    read = {one.path for one in survey.reading.refs if one.stem not in spooled}
    large = {one.file for one in survey.reading.findings if one.code == "too-large"}
    has_remote = bool(where.git().run("remote", check=False).strip())
    for ref in survey.logs[0]:
        if ref.path in read or ref.path in large:
            continue
        if ref.stem in spooled and [*blobs(where, [ref.blob])] != [None]:  # what is there twice
            continue
        here = any(file_copies(survey.home, ref.path, ref.blob))
        if here or has_remote:
            source = "from the copy that is here" if here else "from the remote, if it has it"
            then = f"writes it again {source}; all other logs are read"
            step, do = f"bring back {ref.path} {source}", partial(_bring_back, survey, ref)
            yield mended(unreadable(ref), then, FETCH, step, do)


def _bring_back(survey: Survey, ref: LogRef) -> None:
    """Write a log's object again, from a copy here or from the remote."""
    home = survey.home
    data = next(file_copies(home, ref.path, ref.blob), None)
    source = "a copy that was here"
    if data is None:
        git = home.repository.git()
        remote = choose_remote(git, home.branch)
        source = remote.shown
        data = fetch_blobs(git, remote, [ref.blob], home.state_dir).get(ref.blob)
    if data is None:
        raise StorageFailed(f"{source} does not have the object {ref.blob}")
    commondir = home.repository.commondir
    with Lock(f"{commondir}/{LOCK_FILE}", _LOCK_WAIT_SECONDS):
        clear_damaged(home, ref.blob)
        store_blob(home, data)
    journal(commondir, f"the object {ref.blob} of {ref.path} was written from {source}")
    survey.memory.snapshot.rebuilt()


_NOT_SET = ("unspecified", "unset")
#: Attribute -> values that do no harm: nothing merges pages, or our driver does; all keep their bytes.
_HARMLESS = {
    "text": ("unset",),
    "filter": _NOT_SET,
    "ident": _NOT_SET,
    "working-tree-encoding": _NOT_SET,
    "merge": ("unset", PAGE_DRIVER),
}
_LOG = log_path("2026-01-01-000000000-aaaaaaaaaaaaaaaaaaaaaaaaaa")
_PAGES = (layout.CONTINUITY_FILE, layout.ARCHIVE_INDEX, layout.archive_page("2026-Q1"))


def attributes_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Compare the attributes that are in force, and this clone's driver, with what the format asks for."""
    yield from attribute_findings(survey.home, survey.policy[1].view_files)
    if plan_drivers(survey.home).steps:
        said = "this clone has no driver that keeps a plain `git pull` out of the projection"
        step = "set the driver and its attributes in this clone"
        found, home = Finding("attributes-missing", said), survey.home
        yield mended(found, "sets it", SET, step, lambda: apply_drivers(home, plan_drivers(home)))


def attribute_findings(home: Home, views: Iterable[str] = ()) -> tuple[Finding, ...]:
    """Say where git would merge or convert files of a home in its own way, in this work tree.

    `views` are the files of views that are published there.
    """
    if not home.checked_out:
        return ()
    asked = "".join(f"{home.prefix}{path}\0" for path in (_LOG, *_PAGES, *views))
    data = asked.encode("utf-8", "surrogateescape")
    git = home.repository.git()
    rows = git.text("check-attr", "-z", "--stdin", *_HARMLESS, check=False, data=data)
    fields = rows.split("\0")
    found: dict[str, Finding] = {}
    for full, name, value in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        path = full[len(home.prefix) :]
        if value in _HARMLESS[name] or (path == _LOG and name == "merge"):
            continue
        shown, where = ("session logs", "sessions") if path == _LOG else (path, path)
        code, said = "merge-attribute", f"git attributes say {name}={value} for {shown}"
        hint = f"a plain git command follows them; `git check-attr -a {full}` tells the last that matches"
        if value == "unspecified":
            code = "attributes-missing"
            said = f"git may change or merge {shown}: `-{name}` is not in force"
            lines = f"the lines of {layout.ATTRIBUTES_FILE}"
            hint = f"put back {lines} that section 7 of the format gives"
        found.setdefault(f"{name}={value}", Finding(code, said, where, hint=hint))
    return tuple(found.values())


def spool_noticed(survey: Survey) -> Iterator[Finding | Noticed]:
    """Tell of logs that wait in spools of other homes of the repository."""
    home = survey.home
    state = f"{home.repository.commondir}/{STATE_DIR}"
    for name in sorted(os.listdir(state)) if os.path.isdir(state) else ():
        if name == os.path.basename(home.spool_folder) or name.partition("@")[0] != "spool":
            continue
        spool, branch = Spool(f"{state}/{name}"), unquote(name.partition("@")[2])
        left = sorted([*spool.waiting(), *spool.held()])
        if not left:
            continue
        many = "1 log waits" if len(left) == 1 else f"{len(left)} logs wait"
        if branch and _is_home(home, branch):
            said = f"{many} for the home on the branch {branch}: {left[0]}"
            found, do = Finding("spool-leftover", said), partial(_drain, survey, branch)
            step = f"commit what waits for the home on {branch} ({len(left)})"
            yield mended(found, "commits it there", COMMIT, step, do)
        else:
            whose = f"a home on the branch {branch}" if branch else "a home in a work tree"
            said = f"{many} in {state}/{name} for {whose}, which is not there: {left[0]}"
            hint = f"`diurna append {state}/{name}/{left[0]}` says it again in this home; the copy stays"
            yield Finding("spool-leftover", said, hint=hint)


def _is_home(home: Home, branch: str) -> bool:
    reference, own = f"refs/heads/{branch}", home.kind == OWN_BRANCH and home.branch == branch
    there = not own and read_reference(home.repository, reference)
    return bool(there and home.repository.git().resolve(f"{reference}:{POLICY_FILE}")[0])


def _drain(survey: Survey, branch: str) -> None:
    """Commit what waits for the home on another branch."""
    home = branch_home(survey.home.repository, branch)
    with closing(Memory(home, clock=lambda: survey.now_ms, lasting=False)) as other:
        other.drain()


def capture_noticed(survey: Survey) -> Iterator[Finding]:
    """Say that the last attempt failed, that what should read sessions can not, and what waits untried."""
    if survey.policy[1].capture.keep == OFF:
        return
    commondir = survey.home.repository.commondir
    if failed := last_failure(commondir):
        yield Finding("capture-failed", failed, hint=f"the next boundary tries again; {_NOW}")
    if wrong := settings(variables()).wrong:
        hint = "until it is mended no model reads the sessions; it is your own file"
        yield Finding("capture-settings", wrong, hint=hint)
    late = [one for one in unfinished(commondir) if one.at < survey.now_ms - QUIET_MS]
    if late:
        shown = [f"{one.host} {one.session}" for one in late[:_NAMED]]
        shown += [f"{len(late) - _NAMED} more"] * (len(late) > _NAMED)
        hint = f"the next start of any session records what others left; {_NOW}"
        yield Finding("capture-waits", f"no log tells of {', '.join(shown)}", hint=hint)


def moved_noticed(survey: Survey) -> Iterator[Finding]:
    """Tell of logs in the old place, which a sync joins, and of a home that is an old place itself."""
    home, tip = survey.home, survey.tip
    if found := strays(survey.memory):
        many = "1 log stands" if len(found) == 1 else f"{len(found)} logs stand"
        said = f"{many} where this memory was before it moved"
        yield Finding("home-moved", said, hint="`diurna sync` joins them")
    if tip and home.repository.git().resolve(f"{tip}:{home.prefix}{MOVED_FILE}")[0]:
        said = f"this memory moved: {home.prefix}{MOVED_FILE} says where it is"
        hint = "what is recorded here is joined to it by `diurna sync` there"
        yield Finding("home-moved", said, MOVED_FILE, hint=hint)


def caches_noticed(survey: Survey) -> Iterator[Noticed]:
    """Compare what the caches say with a replay that does not ask them; the ledger is right (fault:M5)."""
    from memory import index_differs, index_file

    memory, then = survey.memory, "rebuilds it from the ledger, which is right"
    if not survey.tip or any(one.code == "unreadable" for one in survey.state.findings()):
        return  # the cache may well know what a lost log says
    cold = projection_files(survey.state)
    wrong = [path for path, _ in cold.changes(projection_files(memory.tip_state()).blobs)]
    page = render(memory.ask(lambda cache: cache.view(), committed=True))
    if page.encode("utf-8", "surrogateescape") != cold.bodies[layout.CONTINUITY_FILE]:
        wrong = list(dict.fromkeys((layout.CONTINUITY_FILE, *wrong)))
    if wrong:
        found = Finding("cache-differs", f"the cache disagrees with the ledger: {', '.join(wrong)}")
        step = "rebuild the cache from the ledger"
        yield mended(found, then, REBUILD, step, memory.snapshot.rebuilt)
    if index_differs(memory.snapshot, survey.progress):
        found = Finding("cache-differs", "the index of recall disagrees with the ledger")
        step = "rebuild the index of recall from the ledger"
        do = partial(try_unlink, index_file(survey.home))
        yield mended(found, then, REBUILD, step, do)


def unsent_noticed(survey: Survey) -> Iterator[Finding]:
    """Tell of logs older than a week that no remote has, as far as this clone knows."""
    home = survey.home
    if not home.repository.git().run("remote", check=False).strip():
        return  # nobody to share with is no fault
    upstream = tracking_branch(home.repository, home.branch) if home.reference else ""
    before = stamp_of(survey.now_ms - _WEEK_MS)
    there = _stems(survey, read_reference(home.repository, upstream) if upstream else "")
    old = sorted(stem for stem in _stems(survey, survey.tip) - there if stem < before)
    if old:
        many = f"{len(old)} logs of more than a week ago are"
        many = "1 log of more than a week ago is" if len(old) == 1 else many
        where = upstream.removeprefix("refs/remotes/")
        told = f"not in {where}" if where else f"on no remote: {home.branch} was never pushed"
        said = f"{many} {told}; the oldest is {old[0]}"
        yield Finding("not-pushed", said, hint="`diurna sync` shares them")


def _stems(survey: Survey, tip: str) -> set[str]:
    rows = survey.listing(tip).rows if tip else ()
    return {stem for _, _, path in rows if is_stem(stem := stem_of(path))}


def mirrors_noticed(at: Survey | Memory) -> Iterator[Finding]:
    """Tell of remotes that take every reference along, those too by which logs that went are kept."""
    keys, told = r"^remote\..*\.(mirror|push|fetch)$", set[str]()
    git = at.home.repository.git()
    rows = git.text("config", "-z", "--get-regexp", keys, check=False).split("\0")
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
