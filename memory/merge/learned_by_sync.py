"""Define what a sync of two tips comes to, what arrives with it, and what of it is left to git."""

from __future__ import annotations

from ledger.errors import ObjectMissing, SyncRefused
from ledger.git.cli import EMPTY_TREE
from ledger.git.git_objects import Objects
from ledger.git.repository import branch_tips, config_value, head
from ledger.home import IN_TREE, OWN_BRANCH, Home, pointed
from ledger.model import layout
from ledger.model.event import FactRedacted
from ledger.model.finding_codes import Finding
from ledger.model.log_names import FILE_MODE, LogRef, log_refs
from ledger.model.record import TYPE_CHECKING, Record, cached
from memory.replay.read_logs import LogReading, read_all
from projection.document.archive_pages import summary_of
from projection.fold.fact_history import Fact
from projection.fold.fold import collect, merged, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.model.session import Entry
    from ledger.remote.tree_merge import Joined
    from memory.replay.tip_snapshot import Snapshot
    from projection.fold.full_replay import State
    from projection.policy.model import Policy

#: What can be said of a fact: it is new, has a new text, is false now, is closed, is contested now.
CHANGES = "new", "updated", "superseded", "closed", "contradiction"
#: What is said of a fact (`CHANGES`), its id, and how its text begins.
Change = tuple[tuple[str, ...], str, str]

#: How two tips stand to each other.
SAME, AHEAD, BEHIND, APART = "same", "ahead", "behind", "apart"

_PULL_HINT = "join them with `git pull`, then `git push`: git joins ledgers without conflicts"
_PURGED_HINT = (
    "a person decides which history holds for all. A fresh clone of the one without it has nothing of it; "
    "`diurna append FILE` says there again what only another clone has"
)


class SyncPlan(Record):
    """What two tips come to."""

    relation: str  #: how ours stands to theirs
    ours: str  #: the tip here, "" for none
    theirs: str  #: the tip there, "" for none
    tip: str  #: the commit that both sides are to have
    came: tuple[LogRef, ...] = ()  #: the logs that are new here
    agents: tuple[str, ...] = ()  #: who wrote them
    went: int = 0  #: how many logs are new there
    learned: tuple[Change, ...] = ()  #: what the logs that came change in memory
    findings: tuple[Finding, ...] = ()  #: what a person should know
    #: what the logs that came say, where they are all that changes the state
    reading: LogReading | None = None
    #: a file of the code that only our commits change: git sends those for their author
    here: str = ""
    there: str = ""  #: one that commits of theirs change: git brings those, so nothing is joined
    base: str = ""  #: where both histories part, "" for nowhere, or in several places


def learned(snapshot: Snapshot, tip: str, entries: Sequence[Entry]) -> tuple[Change, ...]:
    """Tell what logs change; `tip` is the commit without them, "" for none."""
    news = collect(entries)
    known = snapshot.cache(tip).some_histories(news) if tip else {}
    named = []
    for name, history in merged(known, news).items():
        before = resolve(name, known[name]) if name in known else None
        after = resolve(name, history)
        if after is None:
            continue
        contested = _contested(after) and not (before and _contested(before))
        is_so = (
            before is None,
            before is not None and after.text != before.text and not contested,
            after.false and not (before and before.false),
            before is not None and after.closed and not before.closed,
            contested,
        )
        if said := tuple([change for change, one in zip(CHANGES, is_so, strict=True) if one]):
            named.append((said, name, summary_of(after)))
    named.sort(key=lambda one: (CHANGES.index(one[0][0]), one[1]))
    return tuple(named)


def _contested(fact: Fact) -> bool:
    return len(fact.heads) > 1 or len(fact.superseded_by) > 1 or fact.circular or fact.torn


def code_beside(home: Home, bases: list[str], tip: str) -> str:
    """Return a file outside of the home that commits of one side change, "" where none is.

    Such commits are for git and their author: a sync neither sends them nor brings them into a work tree.
    `bases` are the merge bases of both sides; `tip` is the side's, "" for none.
    """
    if home.kind != IN_TREE or not tip:
        return ""
    git = home.repository.git()
    rest = f":(top,exclude,literal){home.prefix.rstrip('/')}"
    for base in bases or [EMPTY_TREE]:
        said = git.run("diff-tree", "-r", "-z", "--name-only", base, tip, "--", ":(top)", rest)
        if name := said.decode("utf-8", "replace").partition("\0")[0]:
            return name
    return ""


def former_places(home: Home) -> tuple[str, ...]:
    """Return the prefixes at which the memory stood before, where a branch here says so; mostly none.

    It may have stood in the usual folder, where this clone notes it, and where HEAD has a pointer to.
    """
    if home.kind != OWN_BRANCH:
        return ()
    where, now = home.repository, head(home.repository)[1]
    places = [layout.TREE_PREFIX, config_value(where, "moved")]
    named, tips = tuple(dict.fromkeys(filter(None, places))), {*branch_tips(where), now} - {""}
    try:
        with Objects(where) as objects:
            pointer = now and objects.find(now, layout.TREE_POINTER)
            if pointer and (place := pointed(objects.read(pointer).decode("utf-8", "replace"))):
                named = (*named, place)
            moved = any(
                objects.find(tip, place + layout.MOVED_FILE) for tip in tips for place in named
            )
    except ObjectMissing:
        return ()
    return named if moved else ()


def moved_away(home: Home, tip: str) -> str:
    """Return the file by which a side says that memory is elsewhere, "" where it is still here."""
    if home.kind != IN_TREE or not tip:
        return ""
    names = [f"{tip}:{home.prefix}{name}" for name in (layout.MOVED_FILE, layout.POLICY_FILE)]
    said, stays = home.repository.git().resolve(*names)
    return home.prefix + layout.MOVED_FILE if said and not stays else ""


def hand_written(
    snapshot: Snapshot, tips: tuple[str, str], joined: Joined, policy: Policy
) -> dict[str, set[str]]:
    """Return, by tip, the projection paths that people wrote there, which have to stay (P5).

    `joined` is what both commits come to; its logs are those of both.
    """
    from ledger.remote.tree_merge import write_joined
    from memory.worktree.page_authorship import left_alone

    home = snapshot.home
    tree = cached(1)(lambda: write_joined(home.repository, joined))

    @cached(1)
    def state() -> State:
        from memory.replay.state_as_of import cold_state

        return cold_state(snapshot, tree())

    left = {tip: left_alone(home, tip, state, policy, tree=tree) for tip in tips}
    return {tip: {one.file for one in found} for tip, found in left.items() if found}


def refuse_modes(home: Home, ours: str, tip: str) -> None:
    """Leave links, executables and submodules in a work tree to git.

    Raises:
        SyncRefused: there is one among the changes.
    """
    if home.kind in (IN_TREE, OWN_BRANCH) or not home.checked_out:
        return
    for letter, mode, _, path in home.repository.git().differences(ours, tip, "."):
        if letter != "D" and mode != FILE_MODE and not path.startswith(layout.SESSIONS_DIR + "/"):
            raise SyncRefused(f"{path} is no ordinary file (mode {mode})", hint=_PULL_HINT)


def refuse_purged(
    snapshot: Snapshot,
    ours: str,
    theirs: str,
    bases: Sequence[str],
    entries: Sequence[Entry] | None = None,
) -> None:
    """Refuse to join two tips of which one has logs that were taken out of the history of the other.

    A log that stands in `bases`, where both began, is in both histories; `entries` is what the logs say
    that came from there, None to read them.

    Raises:
        SyncRefused: one has; nothing was changed.
    """
    home, git = snapshot.home, snapshot.home.repository.git()
    folder = home.prefix + layout.SESSIONS_DIR
    rows = Objects(home.repository).differences(ours, theirs, folder)
    cache = snapshot.cache(ours)
    came, _ = log_refs(
        [(mode, blob, p) for letter, mode, blob, p in rows if letter != "D"], home.prefix
    )
    here = [path[len(home.prefix) :] for letter, _, _, path in rows if letter != "A"]
    if not here and not cache.redacted:
        return
    only_here = {layout.stem_of(path) for path in here}
    said_here: set[tuple[str, str]] = set()
    said_there: set[tuple[str, str]] = set()
    for history in cache.some_histories(sorted(cache.redacted)).values():
        for stem, _, event, _ in history.acts:
            if isinstance(event, FactRedacted):
                said_here.update(event.held)
                said_there.update(event.held if stem not in only_here else ())
    if entries is None:
        entries = read_all(home, came).entries
    for entry in entries:
        for event in entry.acts:
            said_there.update(event.held if isinstance(event, FactRedacted) else ())
    refs = [ref for path in here if (ref := cache.log_ref(layout.stem_of(path))) is not None]
    for where, other, logs, said in (
        ("on the remote", "here", refs, said_there),
        ("here", "on the remote", came, said_here),
    ):
        suspect = [ref for ref in logs if (ref.stem, ref.blob) in said]
        common = {path for base in bases if suspect for _, _, path in git.tree_files(base, folder)}
        gone = [ref.stem for ref in suspect if home.prefix + ref.path not in common]
        if gone:
            more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
            raise SyncRefused(
                f"{gone[0]}{more} was redacted and taken out of the history {where}, and the history "
                f"{other} still has it; joined, it would be in both again",
                hint=_PURGED_HINT,
            )


def expected(snapshot: Snapshot, tip: str, reading: LogReading) -> tuple[Finding, ...]:
    """Return what was noticed in logs, but that a purge put other bytes in the place of a redacted one's.

    `tip` is what the logs come to, "" for nothing; where history has the first bytes of a log, `reading`
    is of those.
    """
    if not any(one.code == "seal-broken" for one in reading.findings):
        return reading.findings
    from memory.redaction.withheld_texts import held_logs

    held = set(held_logs(snapshot.cache(tip)) if tip else ())
    for entry in reading.entries:
        for event in entry.acts:
            held.update(event.held if isinstance(event, FactRedacted) else ())
    stems = {stem for stem, _ in held}
    purged = {
        one.path for one in reading.refs if one.stem in stems and (one.stem, one.blob) not in held
    }
    return tuple(
        [one for one in reading.findings if one.code != "seal-broken" or one.file not in purged]
    )
