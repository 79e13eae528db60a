"""Ledgers that Hypothesis makes up of values of the product, for tests that still ask its insides."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from itertools import accumulate
from typing import cast

from hypothesis import settings
from hypothesis import strategies as st

from ledger.codec.log import encode, entry_of
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
from memory.replay.replayed_state import state_from
from projection.fold.full_replay import State
from projection.policy.model import BUILT_IN_KINDS, PUBLISHABLE, Policy, Views, Windows
from tests.conftest import examples

LAW = settings(max_examples=examples(40, 100), deadline=timedelta(seconds=20), print_blob=True)
VIEW_LAW = settings(LAW, max_examples=examples(30))
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


def ledger(*said: tuple[Event, ...], agent: str = "codex") -> State:
    """Replay logs, a minute apart, that say these events."""
    refs, entries = [], []
    for number, events in enumerate(said):
        stem = f"2026-11-21-10{number // 60:02}{number % 60:02}"
        log = SessionLog((("agent", agent),), f"Log {number}", "", events)
        refs.append(LogRef(stem, log_path(stem), blob_id(encode(log))))
        entries.append(entry_of(stem, log))
    return state_from(refs, entries, Policy("shop"))


def of_kind(id: str, text: str, kind: str, *more: tuple[str, str]) -> FactCreated:
    """A fact of a kind."""
    return FactCreated(id, text, "", (("kind", kind), *more))
