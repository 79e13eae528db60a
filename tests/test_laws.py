"""The laws of replay, against ledgers that Hypothesis makes up; `test_second_fold` has what the format says.

500 examples of each law of merging, 200 of the others; `python -m tests.campaigns.laws` tries 10,000.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from functools import cache, reduce
from itertools import accumulate
from pathlib import Path
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.codec.log import entry_of
from ledger.model.event import (
    Event,
    FactArchived,
    FactCreated,
    FactDemoted,
    FactHelped,
    FactIgnored,
    FactInvalidated,
    FactMoved,
    FactPromoted,
    FactReactivated,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    ThreadReopened,
    WorkDropped,
    WorkLanded,
)
from ledger.model.ids import version_id
from ledger.model.layout import log_path
from ledger.model.logset import LogRef
from ledger.model.session import Entry, SessionLog
from ledger.model.sha256 import blob_id
from ledger.model.task_states import STATES
from memory.cache.cache_file import Cache
from memory.cache.rebuild import build
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.replayed_state import Follower, state_from, state_of
from memory.write.draft import SessionDraft
from projection.document.archive_pages import pages
from projection.document.page_renderer import render
from projection.fold.fold import collect, merge
from projection.fold.full_replay import State
from projection.fold.projection_state import (
    LiveView,
    log_digest,
    merge_summaries,
    set_digest,
    summarise,
)
from projection.policy.model import BUILT_IN_KINDS, PUBLISHABLE, Policy, Views, Windows
from tests.campaigns.homes import Clock, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import examples
from tests.test_remote_tree_merge import Objects, united

#: `python -m tests.campaigns.laws` asks for 10,000.
LAW = settings(max_examples=examples(40, 100), deadline=timedelta(seconds=20), print_blob=True)
MERGE_LAW = settings(LAW, max_examples=examples(40, 200))
IDS = ("a", "b", "c", "d", "e", "f")
TEXTS = ("One.", "Two.", "Three.")
VERSIONS = tuple(version_id(text) for text in TEXTS)
AGENTS = ("ada", "bob", "cyd")
TYPES = ("work",) * 6 + ("continued",) * 3 + ("review", "import", "edit", "checkpoint")
#: Few instants, so that logs meet in one and fall before, between and after one another.
STAMPS = tuple(
    f"2026-{month:02d}-{day:02d}-10{minute:02d}00"
    for month, day in ((3, 30), (3, 31), (4, 1), (6, 30), (7, 1))
    for minute in range(8)
)

ids = st.sampled_from(IDS)
texts = st.sampled_from((*TEXTS, None))
marks = st.sampled_from(("", "", " ", "x"))
plain_meta = st.sampled_from(
    (
        (),
        (),
        (("kind", "thread"),),
        (("kind", "task"),),
        (("kind", "task"), ("owner", "ada")),
        (("kind", "invariant"),),
        (("kind", "decision"), ("tags", "x, y")),
        (("own", "value"),),
    )
)
import_meta = st.sampled_from(
    (
        (("created", "2026-03-31"),),
        (("created", "2026-03-31"), ("origin", "2026-03-31-100300")),
        (("kind", "thread"), ("created", "2026-04-01")),
        (("created", "2026-03-31"), ("counted", "7 2026-04-01 - working")),
        (("counted", "-2 2026-04-01 2026-04-01-090000"),),
    )
)


def events(meta: st.SearchStrategy[tuple[tuple[str, str], ...]]) -> st.SearchStrategy[Event]:
    """Any event."""
    simple = st.sampled_from(
        (
            FactReferenced, FactReferenced, FactReferenced, FactInvalidated, FactReactivated,
            ThreadClosed, ThreadReopened, FactVerified, FactPromoted, FactDemoted, FactRedacted,
            FactReinstated, FactArchived,
        )
    )  # fmt: skip
    was = st.one_of(
        st.none(), st.lists(st.sampled_from(VERSIONS), min_size=1, max_size=2).map(tuple)
    )
    said = st.lists(st.sampled_from(STAMPS), min_size=1, max_size=12, unique=True).map(tuple)
    seen = st.one_of(st.none(), st.just(()), said)
    closed = st.one_of(
        was, st.builds(lambda *both: sum(both, ()), was.map(lambda one: one or ()), said)
    )
    knew = st.one_of(st.none(), st.none(), said)
    return st.one_of(
        st.builds(lambda kind, fact: cast(Event, kind(fact)), simple, ids),
        st.builds(FactCreated, ids, texts, marks, meta),
        st.builds(FactCreated, ids, st.sampled_from(TEXTS), marks, meta),
        st.builds(FactUpdated, ids, texts, was, marks, plain_meta, st.just(""), knew),
        st.builds(FactUpdated, ids, texts, was, marks, plain_meta, st.just(""), knew),
        st.builds(ThreadClosed, ids, st.just(""), closed),
        st.builds(FactMoved, ids, st.sampled_from(STATES), st.just(""), seen),
        st.builds(FactMoved, ids, st.sampled_from(STATES), st.just(""), seen),
        st.builds(FactHelped, ids, st.sampled_from(("", "pytest: exit 0", "a.py:3"))),
        st.builds(FactIgnored, ids, st.sampled_from(("", "judge", "odd | role"))),
        st.builds(FactReinstated, ids, st.just(""), said),
        st.builds(WorkLanded, ids, st.just("4f2a91c0" * 5)),
        st.builds(WorkDropped, ids),
        st.builds(FactInvalidated, ids, st.just(""), was),
        st.builds(FactSuperseded, ids, ids, st.just(""), was),
        st.builds(FactSuperseded, ids, ids, st.just(""), was),
    )


class Logged:
    """One made-up log: its reference and bytes, what it holds, and what the fold gets of it."""

    def __init__(
        self, ref: LogRef, type: str, acts: tuple[Event, ...], entry: Entry, data: bytes = b""
    ) -> None:
        self.ref = ref
        self.data = data
        self.type = type
        self.acts = acts
        self.entry = entry

    def __repr__(self) -> str:
        return f"{self.ref.key} {self.type} {self.acts}"


def _as_read(said: list[Event]) -> tuple[Event, ...]:
    """What a log can say: of an id it brings one text at most, and footers stand beside a text (S12)."""
    found: list[Event] = []
    brought: set[str] = set()
    for act in said:
        if isinstance(act, FactCreated | FactUpdated):
            if act.text is None or act.id in brought:
                act = act._replace(text=None, mark="", meta=())
            else:
                brought.add(act.id)
        found.append(act)
    return tuple(found)


# Made once: a strategy that is made anew for each draw takes more time than all that the laws ask.
_keys = st.tuples(st.sampled_from(STAMPS), st.sampled_from(("", "000-0123456789ab", "-x")))
_types, _agents = st.sampled_from(TYPES), st.sampled_from(AGENTS)
_origins = st.sampled_from(
    ((), (), (("role", "judge"), ("session", "s"), ("branch", "main")), (("branch", "main"),))
)
_acts = st.lists(events(plain_meta), max_size=5, unique=True)
_import_acts = st.lists(events(import_meta | plain_meta), max_size=5, unique=True)
_twin_acts = st.lists(events(plain_meta), max_size=3, unique=True)
_one_in_ten = st.integers(0, 9)


@cache
def _key_lists(most: int) -> st.SearchStrategy[list[tuple[str, str]]]:
    return st.lists(_keys, max_size=most, unique=True)


@st.composite
def ledgers(draw: st.DrawFn, most: int = 14) -> list[Logged]:
    """A set of logs in an order of arrival that is not the ledger's."""
    keys = draw(_key_lists(most))
    found = []
    for number, (stamp, tail) in enumerate(keys):
        stem = stamp + tail
        type = draw(_types)
        acts = _as_read(draw(_import_acts if type == "import" else _acts))
        kind = () if type == "work" else (("type", type),)
        header = (("agent", draw(_agents)), *kind, *draw(_origins))
        entry = entry_of(stem, SessionLog(header, "T", "", acts))
        data = f"{number} {stem}".encode()
        ref = LogRef(stem, log_path(stem), blob_id(data))
        found.append(Logged(ref, type, acts, entry, data))
    # two logs may bear one stem and differ: the second is keyed by its blob too
    if found and draw(_one_in_ten) == 0:
        twin = found[0]
        key = f"{twin.ref.key}~{blob_id(b'twin')}"
        acts = _as_read(draw(_twin_acts))
        entry = entry_of(key, SessionLog((("agent", "eve"),), "T", "", acts))
        ref = LogRef(key, twin.ref.path, blob_id(b"twin"))
        found.append(Logged(ref, "work", acts, entry, b"twin"))
    return found


#: working <= active <= archive, in sessions and in days, as `diurna.toml` demands.
windows = st.builds(
    lambda sessions, days: Windows(*accumulate(sessions), *accumulate(days)),
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)),
    st.just((0, 0, 0)) | st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 2)),
)
policies = st.builds(
    lambda w, lasting, names: Policy(
        project="laws",
        views=Views(names),
        windows=w,
        kinds=tuple(
            kind._replace(decays=kind.decays and kind.name != lasting) for kind in BUILT_IN_KINDS
        ),
    ),
    windows,
    st.sampled_from(("", "", "decision", "fact")),
    st.sampled_from(((), (), PUBLISHABLE)),
)


def replayed(
    logs: Sequence[Logged], policy: Policy, withheld: frozenset[str] = frozenset()
) -> State:
    """Replay from nothing, in ledger order, as a cold reading does."""
    ordered = sorted(logs, key=lambda log: log.ref.key)
    return state_from(
        [log.ref for log in ordered], [log.entry for log in ordered], policy, withheld=withheld
    )


def normal(view: LiveView) -> tuple[object, ...]:
    """A view without the order of its sets."""
    return (
        view.summary,
        view.policy,
        sorted(view.live, key=lambda standing: standing.fact.id),
        sorted(view.contradicted, key=lambda fact: fact.id),
        view.tiers,
    )


def told(state: State) -> tuple[object, ...]:
    """Everything a state says, and the bytes it is rendered to."""
    archived = [standing for standing in state.standings() if not standing.live]
    return (
        state.standings(),
        normal(state.view()),
        sorted(map(repr, state.findings())),
        render(state.view()),
        pages(archived),
    )


# ---- arrival ---------------------------------------------------------------------------------------


@MERGE_LAW
@given(ledgers(), policies, st.randoms(use_true_random=False))
def test_replay_does_not_depend_on_arrival_or_grouping(
    logs: list[Logged], policy: Policy, rng: random.Random
) -> None:
    """replay(a ∪ b) is the same whatever arrived when, and in how many parts it was folded."""
    whole = replayed(logs, policy)
    shuffled = logs.copy()
    rng.shuffle(shuffled)
    again = state_from([log.ref for log in shuffled], [log.entry for log in shuffled], policy)
    assert told(again) == told(whole)
    parts: list[list[Logged]] = [[] for _ in range(rng.randint(1, 4))]
    for log in shuffled:
        rng.choice(parts).append(log)
    histories = collect(())
    summary = summarise((), set_digest(()))
    for part in parts:
        for fact, news in collect([log.entry for log in part]).items():
            known = histories.get(fact)
            histories[fact] = news if known is None else merge(news, known)
        digest = set_digest(log_digest(log.ref.key, log.ref.blob) for log in part)
        summary = merge_summaries(summary, summarise([log.entry for log in part], digest))
    work = sorted(log.entry.stem for log in logs if log.entry.work)
    assert told(State(histories, work, summary, policy)) == told(whole)


@MERGE_LAW
@given(ledgers(), st.randoms(use_true_random=False))
def test_merging_histories_is_commutative_and_associative(
    logs: list[Logged], rng: random.Random
) -> None:
    """Histories of disjoint sets of logs form a commutative monoid."""
    third = len(logs) // 3
    rng.shuffle(logs)
    a, b, c = (
        collect([log.entry for log in part])
        for part in (logs[:third], logs[third : 2 * third], logs[2 * third :])
    )
    for fact in set(a) & set(b):
        assert merge(a[fact], b[fact]) == merge(b[fact], a[fact])
    for fact in set(a) & set(b) & set(c):
        left = merge(merge(a[fact], b[fact]), c[fact])
        assert left == merge(a[fact], merge(b[fact], c[fact]))


@MERGE_LAW
@given(ledgers(), policies, st.randoms(use_true_random=False))
def test_joining_ledgers_is_a_union_of_what_they_know(
    logs: list[Logged], policy: Policy, rng: random.Random
) -> None:
    """Trees of logs that overlap, joined in any order and grouping: one state, with every id of each."""
    store = Objects()
    by_place = {
        (log.ref.path.removeprefix("sessions/"), log.ref.blob): log
        for log in logs
        if log.ref.key == log.ref.stem  # two logs of one name: `test_remote_tree_merge` has them
    }
    parts: tuple[dict[str, bytes], ...] = ({}, {}, {})
    for (path, _), log in by_place.items():
        for part in rng.sample(parts, rng.randint(1, 3)):
            part[path] = log.data
    a, b, c = (store.tree(part) for part in parts)

    def known(tree: str) -> State:
        files = store.files(tree)
        return replayed([by_place[path, blob_id(data)] for path, data in files.items()], policy)

    joined = united(store, a, b, c)
    whole = told(known(joined))
    assert whole == told(replayed(list(by_place.values()), policy))
    for way in (
        united(store, c, b, a),
        united(store, united(store, b, c), a),
        united(store, joined, b, joined),
    ):
        assert told(known(way)) == whole
    ids = set(known(joined).histories)
    for tree in (a, b, c):
        state = known(tree)
        assert set(state.histories) <= ids
        for fact in state.histories:
            assert not state.fact(fact) or known(joined).fact(fact)


@LAW
@given(ledgers(), st.randoms(use_true_random=False))
def test_the_digest_of_a_set_does_not_depend_on_order(
    logs: list[Logged], rng: random.Random
) -> None:
    """Any order and any grouping of a set of logs give one digest; another set gives another."""
    terms = [log_digest(log.ref.key, log.ref.blob) for log in logs]
    whole = set_digest(terms)
    rng.shuffle(terms)
    cut = rng.randint(0, len(terms))
    parts = (set_digest(terms[:cut]), set_digest(terms[cut:]))
    assert set_digest(terms) == whole
    assert set_digest(int(part, 16) for part in parts) == whole
    if terms:
        assert set_digest(terms[1:]) != whole


# ---- warm = cold -----------------------------------------------------------------------------------


class FollowedCache(Snapshot):
    """A snapshot of a cache that the test brings forward itself."""

    def __init__(self, kept: Cache) -> None:
        self.kept = kept

    def cache(self, tip: str | None = None) -> Cache:
        """Return it as it stands."""
        return self.kept


@LAW
@given(ledgers(), policies, st.lists(st.integers(1, 4), min_size=14, max_size=14))
def test_a_warm_cache_equals_a_cold_replay(
    logs: list[Logged], policy: Policy, steps: list[int]
) -> None:
    """However the logs came in, late ones and circles among them, the cache says what a replay says."""
    first = sorted(logs[: steps[0] - 1], key=lambda log: log.ref.key)
    cache = build(
        "", "0", [log.ref for log in first], [log.entry for log in first], (), ("", policy, "")
    )
    follower = Follower(FollowedCache(cache))
    seen, number = len(first), 0
    try:
        for step in steps:
            so_far = logs[:seen]
            cold = replayed(so_far, policy)
            assert normal(cache.view()) == normal(cold.view())
            assert render(cache.view()) == render(cold.view())
            assert told(state_of(cache)) == told(cold)
            assert told(follower.state()) == told(cold)
            for fact in IDS:
                assert cache.fact(fact) == cold.fact(fact)
            if seen == len(logs):
                break
            batch = logs[seen : seen + step]
            refs, entries = [log.ref for log in batch], [log.entry for log in batch]
            # the state with logs on top that are not committed yet
            assert told(state_of(cache, refs, entries)) == told(
                replayed(logs[: seen + step], policy)
            )
            before = {s.fact.id: s.tier for s in cold.standings()}
            clock = cache.clock()
            assert cache.advance(str(number), str(number + 1), refs, entries, ())
            seen, number = min(seen + step, len(logs)), number + 1
            after = {s.fact.id: s.tier for s in replayed(logs[:seen], policy).standings()}
            named = {fact for log in batch for fact in (*log.entry.named, *_mentioned(log.acts))}
            moved = {fact for fact, tier in after.items() if before.get(fact) != tier}
            found = set(cache.crossing(clock, cache.clock()))
            cut = {fact for edge in cache.cut ^ cold.cut for fact in edge[2:]}
            assert moved <= found | named | cut
    finally:
        cache.close()


def _mentioned(acts: tuple[Event, ...]) -> set[str]:
    found = {act.id for act in acts}
    return found | {act.new for act in acts if isinstance(act, FactSuperseded)}


# ---- the past -------------------------------------------------------------------------------------


@LAW
@given(ledgers(), policies)
def test_as_of_a_log_is_the_replay_of_the_logs_up_to_it(logs: list[Logged], policy: Policy) -> None:
    """What comes after the first n logs changes nothing that their replay says, but what it redacts."""
    ordered = sorted(logs, key=lambda log: log.ref.key)
    cache = build(
        "", "0", [log.ref for log in logs], [log.entry for log in logs], (), ("", policy, "")
    )
    try:
        kept = sorted(cache.entries(), key=lambda row: row[1].key)
        for n in range(len(ordered) + 1):
            refs, entries = [row[1] for row in kept[:n]], [row[2] for row in kept[:n]]
            then = state_from(refs, entries, policy, withheld=cache.redacted)
            assert told(then) == told(replayed(ordered[:n], policy, cache.redacted))
            if n:
                newest = reduce(max, (log.ref.key for log in ordered[:n]))
                assert then.summary.newest == newest
    finally:
        cache.close()


def test_as_of_a_stem_asks_git_for_nothing_newer(tmp_path: Path) -> None:
    """In a real home, `--as-of` each stem shows what was shown when that log was the newest."""
    make_home(tmp_path / "r")
    memory = open_memory(tmp_path / "r", clock=Clock())
    shown = {}
    rng = random.Random(3)
    for number in range(10):
        acts: list[Event] = [FactCreated(f"f-{number}", f"Text {number}.")]
        if number:
            acts.append(FactReferenced(f"f-{rng.randrange(number)}"))
        if number == 5:
            acts.append(FactSuperseded("f-1", "f-5"))
        if number == 7:
            acts.append(FactUpdated("f-2", "Another text."))
        receipt = memory.append(SessionDraft(f"Log {number}", "", tuple(acts)))
        shown[receipt.stem] = (memory.continuity(), receipt.commit)
    for stem, (text, commit) in shown.items():
        assert render(memory.state(stem).view()) == text
        assert render(memory.state(commit).view()) == text
    memory.close()
