"""Verify: whether the ledger at the tip is all that was ever committed to it, and what it says holds.

Everything is read from git anew; no cache is asked. What is wrong comes back as findings, errors first.
What history took from the ledger can be planned and added again (`restore_plan`, `restore`). Keeps
L1 to L5 of FORMAT.md (durability catalogue, E1 to E11 and E14).

The only thing written is `<common git directory>/diurna/checkpoint`: the tip at which each branch was last
found whole, against which a rewritten history shows. Longer than most modules, since each check is short
and they share one survey of the ledger.
"""

from __future__ import annotations

import os

from ledger.disk import make_folder, replace_file
from ledger.errors import DiurnaError, GitFailed, NotFound
from ledger.findings import CODES, ERROR, INFO, WARNING, Finding, severe
from ledger.history import (
    DELETED,
    MODIFIED,
    MOVED,
    Alteration,
    Damage,
    altered,
    damages,
    sealed_blobs,
)
from ledger.layout import (
    CONTINUITY_FILE,
    FORMAT_VERSION,
    POLICY_FILE,
    SESSIONS_DIR,
    STATE_DIR,
    log_path,
    stem_of,
)
from ledger.logset import log_refs
from ledger.order import breaks_seal, is_sealed, is_stem
from ledger.values import Record
from memory.api import Memory, edited_findings
from memory.checkout import work_file
from memory.publish import (
    changes,
    committed_projection,
    drift_findings,
    projection_files,
    refuse_unwritable,
)
from memory.reading import read_all
from memory.record import ahead_by_a_day
from memory.states import state_from
from projection.parse import machine_line, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ledger.gitcli import Git
    from ledger.home import Home
    from ledger.logset import LogRef
    from projection.policy import Policy
    from projection.replay import State

    Progress = Callable[[int, int], None]

_RANK = {ERROR: 0, WARNING: 1, INFO: 2}
_CODE_OF = {MODIFIED: "log-modified", DELETED: "log-deleted", MOVED: "log-moved"}
_FILE_MODE = "100644"
_TREE_MODE = "040000"
#: How many names a message lists before it says how many more there are.
_NAMES = 5
_RESTORE_HINT = "`diurna verify --restore` adds its first bytes again"


class Checkpoint(Record):
    """Where a branch was last found whole: the commit, how many logs it had, and their digest."""

    commit: str
    logs: int
    digest: str


class _Listing(Record):
    """What stands below `sessions/` at the tip, by path relative to the home."""

    rows: tuple[tuple[str, str, str], ...]
    standing: Mapping[str, str]
    findings: tuple[Finding, ...]


def verify(memory: Memory, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Check the whole ledger; return what is wrong, errors first.

    Remembers the tip when no error is found, so that a later rewriting of the history shows.

    Args:
        memory: the home, open.
        progress: told how far it is, as (done, total).
    """
    home = memory.home
    tip = home.tip()
    listing = _list(home, tip)
    refs, odd = log_refs(listing.rows, home.prefix)
    found = [*listing.findings, *_name_writers(home, tip, odd, listing.standing)]
    snapshot = memory.snapshot
    policy_blob = snapshot.policy_blob(tip)
    _, policy, problem = snapshot.read_policy(policy_blob)
    found += _policy_findings(home, tip, policy_blob, policy, problem)
    reading = read_all(home, refs, _part(progress, 0))
    state = state_from(reading.refs, reading.entries, policy, reading.findings)
    found += _placed(state.findings(), refs)
    found += _clock_findings(refs, memory.occasion().now_ms)
    damaged, unreadable = _damaged(home, tip, listing.standing, _part(progress, 1))
    found += unreadable
    found += [_damage_finding(home, one) for one in damaged]
    found += _projection_findings(home, tip, state, refs)
    if home.checked_out:
        found += _work_tree_findings(home, listing)
        found += edited_findings(memory.edited())
    found += _spool_findings(memory.waiting())
    found += _rewritten_findings(home, tip, listing.standing, {one.path for one in damaged})
    ordered = tuple(sorted(dict.fromkeys(found), key=_order))
    if tip and not severe(ordered):
        _remember(home, Checkpoint(tip, len(refs), state.summary.digest))
    return ordered


def _order(finding: Finding) -> tuple[int, str, int, str, str]:
    severity = CODES[finding.code][0]
    return (_RANK[severity], finding.file, finding.line, finding.code, finding.message)


def _part(progress: Progress | None, half: int) -> Progress | None:
    """Let one half of the work tell how far the whole is."""
    if progress is None:
        return None
    return lambda done, total: progress(half * 500 + done * 500 // max(total, 1), 1000)


# ---- what is there --------------------------------------------------------------------------------


def _list(home: Home, tip: str) -> _Listing:
    """List what is below `sessions/`, past folders that can not be read."""
    if not tip:
        return _Listing((), {}, ())
    git = home.repository.git()
    folder = home.prefix + SESSIONS_DIR
    findings: list[Finding] = []
    try:
        rows = git.tree_files(tip, folder)
    except GitFailed:
        rows = list(_walk(home, git, f"{tip}:{home.prefix}", "", findings))
    cut = len(home.prefix)
    standing = {path[cut:]: blob for mode, blob, path in rows if mode == _FILE_MODE}
    return _Listing(tuple(rows), standing, tuple(findings))


def _walk(
    home: Home, git: Git, tree: str, path: str, findings: list[Finding]
) -> Iterator[tuple[str, str, str]]:
    """List a tree folder by folder; one that is missing is a finding and hides only itself."""
    status, out, _ = git.call("ls-tree", "-z", tree)
    if status:
        findings.append(_lost_folder(home, tree, path))
        return
    for row in out.decode("utf-8", "surrogateescape").split("\0"):
        meta, tab, name = row.partition("\t")
        if not tab or (not path and name != SESSIONS_DIR):
            continue
        mode, _, one = meta.split(" ")
        inner = f"{path}/{name}" if path else name
        if mode == _TREE_MODE:
            yield from _walk(home, git, one, inner, findings)
        else:
            yield mode, one, home.prefix + inner


def _lost_folder(home: Home, tree: str, path: str) -> Finding:
    """Name a folder's missing object and, where an earlier cache knows, the logs in it."""
    from memory.cache import CACHE_ERRORS, CacheUnusable, open_cache

    known: list[str] = []
    try:
        cache = open_cache(home.cache_file + ".sqlite")
    except CacheUnusable:
        pass
    else:
        try:
            known = [ref.stem for ref in cache.log_refs() if ref.path.startswith(path + "/")]
        except CACHE_ERRORS:
            pass
        finally:
            cache.close()
    said = f"; it held {_listed(known)}" if known else ""
    return Finding(
        "unreadable",
        f"the folder {path or home.prefix or '/'} (object {tree}) is missing from the repository, "
        f"and with it all logs below it{said}",
        path,
        hint="fetch it from a clone that has it; all other logs are read",
    )


def _name_writers(
    home: Home, tip: str, odd: Iterable[Finding], standing: Mapping[str, str]
) -> Iterator[Finding]:
    """Say of two logs of one name who committed which."""
    git = home.repository.git()
    for finding in odd:
        if finding.code != "duplicate-stem":
            yield finding
            continue
        stem = stem_of(finding.file)
        said = []
        for path in sorted(path for path in standing if stem_of(path) == stem):
            line = git.run(
                "--literal-pathspecs", "log", "-1", "--diff-filter=A", "--no-show-signature",
                "--format=%h by %an", tip, "--", home.prefix + path, check=False,
            )  # fmt: skip
            words = line.decode("utf-8", "replace").strip()
            said.append(f"{path} came with {words}" if words else path)
        yield finding._replace(
            message=f"two logs are named {stem} and differ; both are read: {'; '.join(said)}",
            hint="if one of them is a copy that was changed, say so in a new log",
        )


def _placed(findings: Iterable[Finding], refs: Sequence[LogRef]) -> Iterator[Finding]:
    """Put findings on the file a log really is, where it lies elsewhere than it would be put."""
    elsewhere = {guess: ref.path for ref in refs if (guess := log_path(ref.key)) != ref.path}
    for finding in findings:
        at = elsewhere.get(finding.file)
        yield finding if at is None else finding._replace(file=at)


def _policy_findings(
    home: Home, tip: str, blob: str, policy: Policy, problem: str
) -> Iterator[Finding]:
    if tip and not blob:
        listed = home.repository.git().tree_files(tip, home.prefix + POLICY_FILE)
        if listed:
            yield Finding(
                "unreadable",
                f"{POLICY_FILE} (object {listed[0][1]}) is missing from the repository; "
                "the defaults are in force",
                POLICY_FILE,
                hint="fetch it from a clone that has it",
            )
            return
    if problem:
        yield Finding(
            "policy-invalid", problem, POLICY_FILE, hint="mend it and commit it; memory goes on"
        )
    if policy.format > FORMAT_VERSION:
        yield _newer_format(POLICY_FILE, policy.format)


def _newer_format(path: str, version: int) -> Finding:
    return Finding(
        "newer-format",
        f"{path} has format {version}; this Diurna knows {FORMAT_VERSION}",
        path,
        hint="install a newer Diurna; this one reads what it can",
    )


def _clock_findings(refs: Iterable[LogRef], now_ms: int) -> Iterator[Finding]:
    for ref in refs:
        if ahead_by_a_day(ref.stem, now_ms):
            yield Finding(
                "clock-ahead",
                f"{ref.stem} is stamped more than a day ahead of this clock",
                ref.path,
                hint="check both clocks; it keeps its place, and later logs sort after it",
            )


def _spool_findings(waiting: Sequence[str]) -> Iterator[Finding]:
    if waiting:
        yield Finding(
            "spool-waiting",
            f"{_listed(waiting)} waiting to be committed",
            hint="the next Diurna command that writes commits what waits",
        )


def _listed(stems: Sequence[str]) -> str:
    """Write `2 logs: a, b`, and no more than a few names."""
    more = f" and {len(stems) - _NAMES} more" if len(stems) > _NAMES else ""
    noun = "log" if len(stems) == 1 else "logs"
    return f"{len(stems)} {noun}: {', '.join(stems[:_NAMES])}{more}"


# ---- what history did -----------------------------------------------------------------------------


def _damaged(
    home: Home, tip: str, standing: Mapping[str, str], progress: Progress | None
) -> tuple[tuple[Damage, ...], tuple[Finding, ...]]:
    """Find the logs that history altered and that are not whole at the tip."""
    changed, findings = altered(home, tip, progress)
    stood: dict[str, list[str]] = {}
    for change in changed:
        blobs = stood.setdefault(change.path, [standing.get(change.path, "")])
        blobs += (change.blob_before, change.blob_after)
    return damages(changed, standing, sealed_blobs(home, stood)), findings


def _damage_finding(home: Home, damage: Damage) -> Finding:
    cause = damage.cause
    path = damage.path
    if damage.kind == MOVED:
        said = f"{path} was moved to {damage.now}"
        hint = f"it counts where it is, and is whole again once it stands at {path}"
        if home.checked_out:
            hint += f": git mv {home.prefix}{damage.now} {home.prefix}{path}"
    elif cause.mode_after not in ("", _FILE_MODE):
        said = f"{path} was given mode {cause.mode_after}, with which it is not read"
        hint = _restore_hint(damage)
    elif damage.kind == DELETED:
        said = f"{path} was deleted"
        hint = _restore_hint(damage)
    else:
        at = f" (it stands at {damage.now} now)" if damage.now != path else ""
        said = f"{path} was changed after it was committed{at}"
        hint = _restore_hint(damage)
    return Finding(_CODE_OF[damage.kind], f"{said}, {_by(cause, damage.changes)}", path, hint=hint)


def _restore_hint(damage: Damage) -> str:
    if damage.sound:
        return _RESTORE_HINT
    return f"`git cat-file blob {damage.first}` prints what it said first"


def _by(cause: Alteration, times: int) -> str:
    more = f" ({times} changes in all)" if times > 1 else ""
    who = cause.author or "an unknown author"
    return f"in commit {cause.commit[:12]} by {who} on {cause.date[:10]}{more}"


# ---- the projection -------------------------------------------------------------------------------


def _projection_findings(
    home: Home, tip: str, state: State, refs: Sequence[LogRef]
) -> Iterator[Finding]:
    committed = committed_projection(home, tip)
    git = home.repository.git()
    bodies = dict(zip(committed, git.blobs(committed.values()), strict=True))
    for path, blob in committed.items():
        data = bodies[path]
        if data is None:
            yield Finding(
                "unreadable",
                f"{path} (object {blob}) is missing from the repository",
                path,
                hint="`diurna publish` computes it anew",
            )
        else:
            yield from _conflict_findings(path, data)
        here = work_file(home, path) if home.checked_out else None
        if here is not None and here != data:
            yield from _conflict_findings(path, here)
    if state.policy.publish == "append":
        if tip:
            yield from drift_findings([p for p, _ in changes(projection_files(state), committed)])
        return
    data = bodies.get(CONTINUITY_FILE)
    machine = machine_line((data or b"").decode("utf-8", "replace"))
    if machine is None:
        return
    if machine.format > FORMAT_VERSION:
        yield _newer_format(CONTINUITY_FILE, machine.format)
    elif machine.newest and all(machine.newest != ref.key for ref in refs):
        yield Finding(
            "drift",
            f"{CONTINUITY_FILE} was published from a ledger with the log {machine.newest}, which "
            "this one does not have",
            CONTINUITY_FILE,
            hint="fetch and merge the branch that has it, or run `diurna publish`",
        )


def _conflict_findings(path: str, data: bytes) -> Iterator[Finding]:
    if b"<<<<<<<" not in data and b">>>>>>>" not in data:
        return
    _, noticed = parse(data.decode("utf-8", "replace"), file=path)
    for finding in noticed:
        if finding.code == "conflict-in-projection":
            yield finding._replace(
                message=f"{path} holds a merge conflict marker",
                hint="`diurna publish` computes the file anew; both sides' logs count",
            )


# ---- the work tree --------------------------------------------------------------------------------


def _work_tree_findings(home: Home, listing: _Listing) -> Iterator[Finding]:
    """Compare the logs in the work tree with the committed ones (E4)."""
    standing = listing.standing
    tracked = {path[len(home.prefix) :] for _, _, path in listing.rows}
    here: set[str] = set()
    for path, ordinary in _work_files(home.folder, SESSIONS_DIR):
        here.add(path)
        stem = stem_of(path)
        if path in standing:
            if is_stem(stem) and not (ordinary and _same(home, path, standing[path])):
                yield _edited(path, "differs in the work tree from what is committed")
        elif path in tracked or not stem:
            continue
        elif is_stem(stem):
            yield Finding(
                "log-uncommitted",
                f"{path} stands in the work tree and is not committed; it does not count yet",
                path,
                hint=f"git add {home.prefix}{path}, and commit",
            )
        else:
            odd = log_refs([(_FILE_MODE, "", home.prefix + path)], home.prefix)[1]
            yield from odd
    missing = [path for path in standing if path not in here and is_stem(stem_of(path))]
    if missing:
        skipped = _skipped(home)
        for path in missing:
            if home.prefix + path not in skipped:
                yield _edited(path, "is missing from the work tree")


def _edited(path: str, said: str) -> Finding:
    return Finding(
        "log-edited",
        f"{path} {said}; the committed bytes count",
        path,
        hint="say what is new in a new log (`diurna append`), and put this one back as git has it",
    )


def _same(home: Home, path: str, blob: str) -> bool:
    from ledger.digest import blob_id

    data = work_file(home, path)
    return data is not None and blob_id(data) == blob


def _work_files(top: str, folder: str) -> Iterator[tuple[str, bool]]:
    """Yield (path, whether it is an ordinary file) of everything below a folder; follows no link."""
    todo = [folder]
    while todo:
        inner = todo.pop()
        try:
            if os.path.islink(f"{top}/{inner}"):
                continue
            with os.scandir(f"{top}/{inner}") as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in listed:
            path = f"{inner}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                todo.append(path)
            else:
                yield path, entry.is_file(follow_symlinks=False)


def _skipped(home: Home) -> set[str]:
    """Return the paths that a sparse checkout leaves out of the work tree."""
    folder = home.prefix + SESSIONS_DIR
    out = home.repository.git().run(
        "--literal-pathspecs", "ls-files", "-t", "-z", "--full-name", "--", folder, check=False
    )
    rows = out.decode("utf-8", "surrogateescape").split("\0")
    return {row[2:] for row in rows if row[:2] == "S "}


# ---- a history that was rewritten -----------------------------------------------------------------


def _checkpoint_file(home: Home) -> str:
    return f"{home.repository.commondir}/{STATE_DIR}/checkpoint"


def _checkpoint_lines(home: Home) -> dict[str, str]:
    """Return `<reference>@<prefix>` -> the rest of its line."""
    try:
        with open(_checkpoint_file(home), encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    except OSError:
        return {}
    parted = (line.partition("\t") for line in lines)
    return {name: rest for name, tab, rest in parted if tab}


def checkpoint(home: Home) -> Checkpoint | None:
    """Return where this home's branch was last found whole, None when that is not known."""
    if not home.reference:
        return None
    words = _checkpoint_lines(home).get(f"{home.reference}@{home.prefix}", "").split(" ")
    if len(words) != 3 or not words[1].isdigit():
        return None
    commit, logs, digest = words
    if len(commit) != 40 or commit.strip("0123456789abcdef"):
        return None
    return Checkpoint(commit, int(logs), digest)


def _remember(home: Home, point: Checkpoint) -> None:
    """Note that the branch is whole; a disk that refuses is no reason to fail."""
    if not home.reference or checkpoint(home) == point:
        return
    lines = _checkpoint_lines(home)
    lines[f"{home.reference}@{home.prefix}"] = f"{point.commit} {point.logs} {point.digest}"
    text = "".join(f"{name}\t{rest}\n" for name, rest in sorted(lines.items()))
    path = _checkpoint_file(home)
    try:
        make_folder(os.path.dirname(path))
        replace_file(path, text.encode("utf-8", "surrogateescape"), 0o600)
    except DiurnaError:
        pass


def _lost_since(home: Home, tip: str, standing: Mapping[str, str]) -> dict[str, str] | None:
    """Return path -> blob of the logs that the last good tip had and this one has not.

    None when the history was rewritten and the old commit is gone, so that nobody can name them.
    Empty when the tip descends from it: then history tells what became of each log.
    """
    point = checkpoint(home)
    if point is None or not tip:
        return {}
    git = home.repository.git()
    if git.resolve(f"{point.commit}^{{commit}}")[0] != point.commit:
        return None if len(_logs(standing)) < point.logs else {}
    status, _, _ = git.call(
        "--no-replace-objects", "merge-base", "--is-ancestor", point.commit, tip
    )
    if status == 0:
        return {}
    before = _list(home, point.commit).standing
    kept = {(stem_of(path), blob) for path, blob in standing.items()}
    return {
        path: blob
        for path, blob in before.items()
        if is_stem(stem_of(path)) and (stem_of(path), blob) not in kept
    }


def _logs(standing: Mapping[str, str]) -> set[tuple[str, str]]:
    return {(stem_of(path), blob) for path, blob in standing.items() if is_stem(stem_of(path))}


def _rewritten_findings(
    home: Home, tip: str, standing: Mapping[str, str], known: set[str]
) -> Iterator[Finding]:
    """Tell that logs went with a rewritten history (E8, E9); changed commit ids alone are fine."""
    lost = _lost_since(home, tip, standing)
    point = checkpoint(home)
    if point is None or lost == {}:
        return
    before = f"the history of {home.branch} was rewritten since {point.commit[:12]}"
    if lost is None:
        yield Finding(
            "history-rewritten",
            f"{before}: it had {point.logs} logs then and has {len(_logs(standing))} now",
            hint="fetch the missing logs from a clone that has them",
        )
        return
    stems = sorted(stem_of(path) for path in lost if path not in known)
    if stems:
        yield Finding(
            "history-rewritten",
            f"{before}, without {_listed(stems)}",
            hint="`diurna verify --restore` adds them again",
        )


# ---- putting back ---------------------------------------------------------------------------------


def restore_plan(memory: Memory) -> tuple[tuple[str, bytes], ...]:
    """Find the first bytes of sealed logs that were deleted or changed since, by path.

    Looks in the history of the tip and at the tip that was last found whole. A log that stands
    somewhere with the bytes its name proves is left alone, and so are unsealed ones.
    """
    home = memory.home
    tip = home.tip()
    standing = _list(home, tip).standing
    found, _ = _damaged(home, tip, standing, None)
    wanted = {one.path: one.first for one in found if one.kind != MOVED and one.sound}
    for path, blob in (_lost_since(home, tip, standing) or {}).items():
        if is_sealed(stem_of(path)):
            wanted.setdefault(path, blob)
    paths = sorted(wanted)
    contents = home.repository.git().blobs([wanted[path] for path in paths])
    return tuple(
        (path, data)
        for path, data in zip(paths, contents, strict=True)
        if data is not None and not breaks_seal(stem_of(path), data)
    )


def restore(memory: Memory) -> tuple[str, ...]:
    """Commit again what `restore_plan` finds; return the paths.

    The work tree follows where its copy is missing or the one that was committed; an edit that nobody
    committed stays.

    Raises:
        NotFound: there is nothing to put back.
        WriteRefused: the repository is in no state to be committed to; nothing changed.
    """
    plan = restore_plan(memory)
    if not plan:
        raise NotFound(
            "no session log is missing or changed whose first bytes are known",
            hint="`diurna verify` tells what is wrong",
        )
    home = memory.home
    refuse_unwritable(home)
    standing = _list(home, home.tip()).standing
    stale = []
    if home.checked_out:
        stale = [p for p, _ in plan if p in standing and _same(home, p, standing[p])]
    memory.commit_files(plan, f"diurna: put back {len(plan)} session log(s) as first committed")
    for path, data in plan:
        if path in stale:
            replace_file(f"{home.folder}/{path}", data)
    return tuple(path for path, _ in plan)
