"""Define what a sync of two tips comes to, what arrives with it, and what of it is left to git."""

from __future__ import annotations

from _collections_abc import Sequence

from ledger.errors import ObjectMissing
from ledger.git.cli import EMPTY_TREE
from ledger.git.git_objects import Objects
from ledger.git.repository import branch_tips, config_value, head
from ledger.home import IN_TREE, OWN_BRANCH, Home, pointed
from ledger.model.finding_codes import Finding
from ledger.model.layout import MOVED_FILE, POLICY_FILE, TREE_POINTER, TREE_PREFIX
from ledger.model.log_names import LogRef
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.replay.read_logs import LogReading
from memory.replay.tip_snapshot import Snapshot
from projection.document.archive_pages import summary_of
from projection.fold.fact_history import Fact
from projection.fold.fold import collect, merged, resolve

#: What can be said of a fact: it is new, has a new text, is false now, is closed, is contested now.
CHANGES = "new", "updated", "superseded", "closed", "contradiction"
#: What is said of a fact (`CHANGES`), its id, and how its text begins.
Change = tuple[tuple[str, ...], str, str]

#: How two tips stand to each other.
SAME, AHEAD, BEHIND, APART = "same", "ahead", "behind", "apart"


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
        if after is not None and (said := _changes(before, after)):
            named.append((said, name, summary_of(after)))
    named.sort(key=lambda one: (CHANGES.index(one[0][0]), one[1]))
    return tuple(named)


def _changes(before: Fact | None, after: Fact) -> tuple[str, ...]:
    contested = _contested(after) and not (before and _contested(before))
    is_so = (
        before is None,
        before is not None and after.text != before.text and not contested,
        after.false and not (before and before.false),
        before is not None and after.closed and not before.closed,
        contested,
    )
    return tuple([change for change, one in zip(CHANGES, is_so, strict=True) if one])


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
    places = [TREE_PREFIX, config_value(where, "moved")]
    named, tips = tuple(dict.fromkeys(filter(None, places))), {*branch_tips(where), now} - {""}
    try:
        with Objects(where) as objects:
            pointer = now and objects.find(now, TREE_POINTER)
            if pointer and (place := pointed(objects.read(pointer).decode("utf-8", "replace"))):
                named = (*named, place)
            moved = any(objects.find(tip, place + MOVED_FILE) for tip in tips for place in named)
    except ObjectMissing:
        return ()
    return named if moved else ()


def moved_away(home: Home, tip: str) -> str:
    """Return the file by which a side says that memory is elsewhere, "" where it is still here."""
    if home.kind != IN_TREE or not tip:
        return ""
    names = [f"{tip}:{home.prefix}{name}" for name in (MOVED_FILE, POLICY_FILE)]
    said, stays = home.repository.git().resolve(*names)
    return home.prefix + MOVED_FILE if said and not stays else ""
