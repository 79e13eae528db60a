"""The fold against a second one that was written from FORMAT.md alone.

`python -m tests.campaigns.second_fold --ledgers 10000 --seed N` makes up that many ledgers with every kind of event:
sealed, hand-written, date-only logs and twins, in a few instants, events in any written order. Each is read from its
bytes, replayed cold, and brought into a cache log by log in a random order of arrival; both must say of every fact what
`tests.second_fold` says.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence

from ledger.codec.log import decode, encode, read_entry
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
    Meta,
    ThreadClosed,
    ThreadReopened,
    WorkLanded,
    WorkReverted,
)
from ledger.model.ids import version_id
from ledger.model.layout import log_path
from ledger.model.logset import LogRef
from ledger.model.order import is_sealed, key_of, seal, stem_in
from ledger.model.session import Entry, SessionLog
from ledger.model.sha256 import blob_id
from ledger.model.task_states import STATES
from memory.cache.rebuild import build
from memory.replay.replayed_state import state_from, state_of
from projection.fold.full_replay import State
from projection.fold.projection_state import TIERS, LiveView, Standing
from projection.policy.model import BUILT_IN_KINDS, Policy
from projection.policy.model import Windows as PolicyWindows
from tests.second_fold import Known, Log, SecondFold, Windows

IDS = ("a", "b", "c", "d", "e")
TEXTS = ("One.", "Two.", "Three.", "Four.")
VERSIONS = tuple(version_id(text) for text in TEXTS)
TYPES = ("work",) * 6 + ("continued",) * 3 + ("review", "import", "edit", "checkpoint")
DAYS = ("2026-03-30", "2026-03-31", "2026-04-01", "2026-06-30", "2026-07-01")
METAS: tuple[Meta, ...] = (
    (), (), (), (), (("kind", "thread"),), (("kind", "thread"),), (("kind", "invariant"),),
    (("kind", "task"),), (("kind", "task"), ("owner", "x")), (("kind", "task"),), (("kind", "finding"),),
    (("kind", "decision"), ("tags", "x, y")), (("own", "value"),), (("own", "another"),),
    (("kind", "my kind"), ("supersedes", "b, the pass")), (("serves", "the pass!"),), (("serves", "a c"),),
)  # fmt: skip
TOLD: tuple[Meta, ...] = (
    (("created", "2026-03-31"),), (("created", "2026-03-31"), ("origin", "2026-03-31-100300")),
    (("kind", "thread"), ("created", "2026-04-01")), (("origin", "somewhere"),),
    (("counted", "7 2026-04-01 - working"),), (("counted", "-1 2026-03-31 2026-03-31-words"),),
    (("counted", "3 2026-04-01"),),
    (("origin", "2026-02-01-090000"),), (("origin", "2026-03-31-words"),),
)  # fmt: skip
REMARKS = (
    "",
    "pytest -q: exit 0",
    "src/a.py:3",
    "Judge",
    "judge",
    "it did",
    "make (exit 300)",
    "x.y:0",
    "rc=1",
)
#: What stands beside a use (W13), and what only looks like it.
PROOFS = (
    "",
    "",
    "opened",
    "named 12, by the agent: “as b says, c”",
    "followed 7: “x → y”",
    "seen (so)",
)
PLAIN: tuple[type[Event], ...] = (
    FactReferenced, FactReferenced, FactReactivated, FactArchived, ThreadReopened, FactVerified, FactPromoted,
    FactDemoted, FactRedacted, FactReinstated, ThreadClosed, FactInvalidated,
)  # fmt: skip


class Case:
    """One made-up ledger: its logs as they were read by either side, and a policy."""

    def __init__(self) -> None:
        self.refs: list[LogRef] = []
        self.entries: list[Entry] = []
        self.logs: list[Log] = []
        self.data: list[bytes] = []
        self.policy = Policy()

    def add(self, key: str, data: bytes) -> None:
        """Take a log in as it is read from its bytes."""
        sealed = is_sealed(stem_in(key))
        entry, _ = read_entry(key, data)
        log, _ = decode(data, sealed=sealed)
        self.refs.append(LogRef(key, log_path(stem_in(key)), blob_id(data)))
        self.data.append(data)
        self.entries.append(entry)
        said = [log.get(name) for name in ("agent", "session", "branch", "role")]
        self.logs.append(Log(key, log.type, log.events, *said))

    def second(self, count: int | None = None) -> dict[str, Known]:
        """What the second fold says of the first so many logs."""
        lasting = [kind.name for kind in self.policy.kinds if not kind.decays]
        return SecondFold(self.logs[:count], Windows(*self.policy.windows[:6]), lasting).facts()


def made_up(rng: random.Random, most: int = 24) -> Case:
    """Make a ledger up; the order of its logs is that of their arrival."""
    case = Case()
    sizes = sorted(rng.choices(range(6), k=3))
    sizes += sorted(rng.choices(range(4), k=3)) if rng.randrange(2) else ()
    lasting = rng.choice(("", "", "decision", "fact"))
    case.policy = Policy(
        windows=PolicyWindows(*sizes),
        kinds=tuple(
            kind._replace(decays=kind.decays and kind.name != lasting) for kind in BUILT_IN_KINDS
        ),
    )
    taken: set[str] = set()
    for _ in range(rng.randint(1, most)):
        type = rng.choice(TYPES)
        header = _header(rng, type)
        said = [stem_in(ref.key) for ref in case.refs]
        data = encode(SessionLog(header, "T", "", _events(rng, type, said)))
        instant = f"{rng.choice(DAYS)}-10{rng.randrange(6):02d}00"
        shape = rng.randrange(10)
        if shape < 7:
            key = seal(f"{instant}{rng.randrange(2):03d}", data)
        else:
            words = f"{instant[:10]}-{rng.choice(('words', '2577', '10-a'))}"
            key = key_of(rng.choice((instant, f"{instant}-words", instant[:10], words)))
        if key in taken:  # two logs of one name, or one log twice
            key = f"{key}~{blob_id(data)}"
        if key not in taken:
            taken.add(key)
            case.add(key, data)
    return case


def _header(rng: random.Random, type: str) -> tuple[tuple[str, str], ...]:
    """Make up who wrote a log; most say little of it."""
    said = {"agent": rng.choice("xyz"), "type": "" if type == "work" else type}
    if type == "continued" or rng.randrange(3) == 0:
        said["role"], said["session"] = rng.choice(("", "judge", "a | b")), rng.choice("st")
        said["branch"] = rng.choice(("", "main", "feat/x"))
    order = ("agent", "type", "role", "session", "branch")
    return tuple((key, said[key]) for key in order if said.get(key))


def _events(rng: random.Random, type: str, stems: Sequence[str]) -> tuple[Event, ...]:
    """Make up what one log says; of each id it brings at most one text, as a log can."""
    found: list[Event] = []
    brought: set[str] = set()
    for _ in range(rng.randint(0, 6)):
        id, kind = rng.choice(IDS), rng.randrange(14)
        was = _some(rng, VERSIONS, 2)
        if kind < 3 and id not in brought:
            brought.add(id)
            text = rng.choice(TEXTS)
            mark = rng.choice(("", "", " ", "x"))
            meta = rng.choice((*METAS, *TOLD) if type == "import" else METAS)
            if kind < 1:
                found.append(FactCreated(id, text, mark, meta))
            else:
                said = _some(rng, stems, 2) if rng.randrange(3) == 0 else None
                meta = rng.choice(METAS)
                found.append(FactUpdated(id, text, was, mark, meta, said=said))
        elif kind < 5:
            new = rng.choice(IDS if rng.randrange(9) else ("pending",))
            found.append(FactSuperseded(id, new, was=was))
        elif kind < 6:
            named = was if rng.randrange(3) else None
            which = rng.choice((ThreadClosed, FactInvalidated))
            if which is ThreadClosed and named and rng.randrange(2):
                named = (*named, *(_some(rng, stems, 3) or ()))
            found.append(which(id, "", named))
        elif kind < 7 and stems and rng.randrange(2):
            found.append(FactReinstated(id, said=_some(rng, stems, 3)))
        elif kind < 10:
            plain = rng.choice(PLAIN)(id)  # type: ignore[call-arg]
            used = isinstance(plain, FactReferenced)
            found.append(plain._replace(remark=rng.choice(PROOFS)) if used else plain)
        elif kind < 12:
            seen = rng.choice((None, (), _some(rng, stems, 3)))
            found.append(FactMoved(id, rng.choice(STATES), rng.choice(("", "so be it")), seen))
        elif kind < 13:
            of_log = rng.choice((WorkLanded, WorkReverted))
            found.append(of_log(id, "4f2a91c0" * 5, rng.choice(("", "patch"))))
        else:
            said_of = rng.choice((FactHelped, FactIgnored))
            found.append(said_of(id, rng.choice(REMARKS)))
    rng.shuffle(found)
    return tuple(found)


def _some(rng: random.Random, values: Sequence[str], most: int) -> tuple[str, ...] | None:
    """Choose a few of them, or say nothing."""
    if not values or rng.randrange(4) == 0:
        return None
    return tuple(rng.sample(values, min(len(values), rng.randint(1, most))))


def said_by(standings: Sequence[Standing]) -> dict[str, Known]:
    """What the first fold says, in the words of the second."""
    found = {}
    for standing in standings:
        fact = standing.fact
        found[fact.id] = Known(
            fact.kind, dict(fact.meta), sorted((head.id, head.text, head.stem) for head in fact.heads),
            fact.created, fact.origin, fact.uses, fact.last_used, fact.closed, fact.closed_at,
            fact.superseded_by, fact.supersedes, fact.invalidated_at, fact.promoted, fact.verified,
            fact.redacted, fact.rivals, fact.circle, fact.denied, fact.contradicted,
            tuple((move.state, move.stem, move.agent, move.session) for move in fact.moves),
            tuple((one.stem, one.context, one.evidence) for one in fact.helps), fact.ignores,
            standing.tier, standing.reason, standing.quarter,
        )  # fmt: skip
    return found


def view_of(view: LiveView) -> tuple[list[str], dict[str, int]]:
    """What a live view holds: the ids in it, and how many facts stand in each tier."""
    return [one.fact.id for one in view.live], dict(zip(TIERS, view.tiers, strict=True))


def expected_view(facts: dict[str, Known]) -> tuple[list[str], dict[str, int]]:
    """The same, counted out."""
    tiers = [known.tier for known in facts.values()]
    live = sorted(id for id, known in facts.items() if not known.reason)
    return live, {tier: tiers.count(tier) for tier in TIERS}


def cold(case: Case) -> State:
    """Replay a case from nothing."""
    return state_from(case.refs, case.entries, case.policy)


def differences(case: Case, rng: random.Random) -> list[str]:
    """Compare both folds, cold and through a cache that meets the logs in this order, batch by batch."""
    expected = case.second()
    found = compare("cold", said_by(cold(case).standings()), expected)
    begun = rng.randrange(len(case.refs))
    cache = build("", "0", case.refs[:begun], case.entries[:begun], (), ("", case.policy, ""))
    try:
        seen, number = begun, 0
        while seen < len(case.refs):
            upto = min(len(case.refs), seen + rng.choice((1, 1, 1, 2, 5)))
            refs, entries = case.refs[seen:upto], case.entries[seen:upto]
            if not cache.advance(str(number), str(number + 1), refs, entries, ()):
                return [*found, "the cache did not move"]
            seen, number = upto, number + 1
            if rng.randrange(3) == 0:
                state = state_of(cache)
                found += compare(
                    f"warm, {seen} logs", said_by(state.standings()), case.second(seen)
                )
        found += compare("warm", said_by(state_of(cache).standings()), expected)
        for where, view in (("cold", cold(case).view()), ("warm", cache.view())):
            if view_of(view) != expected_view(expected):
                found.append(f"the {where} view: {view_of(view)}, or {expected_view(expected)}")
        for id in expected:
            if cache.fact(id) != cold(case).fact(id):
                found.append(f"the cache alone differs about {id}")
    finally:
        cache.close()
    return found


def compare(where: str, first: dict[str, Known], second: dict[str, Known]) -> list[str]:
    """Say where two folds differ."""
    if first == second:
        return []
    found = [f"{where}: {sorted(first)} are facts, or {sorted(second)}"] * (
        first.keys() != second.keys()
    )
    for id in first.keys() & second.keys():
        for field, one, two in zip(Known._fields, first[id], second[id], strict=True):
            if one != two:
                found.append(f"{where}: {field} of {id}: the fold says {one!r}, the second {two!r}")
    return found


def main(arguments: list[str]) -> int:
    """Compare the folds on as many ledgers as asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.second_fold",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ledgers", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--logs", type=int, default=24, help="at most so many in a ledger")
    chosen = parser.parse_args(arguments)
    begun, counts, wrong = time.monotonic(), Counter[str](), 0
    for number in range(chosen.ledgers):
        rng = random.Random(f"{chosen.seed} {number}")
        case = made_up(rng, chosen.logs)
        found = differences(case, rng)
        for known in said_by(cold(case).standings()).values():
            counts["facts"] += 1
            counts["of them contradicted"] += known.contradicted
            counts["denied"] += bool(known.denied)
            counts["moved"] += bool(known.moves)
            counts["helped or ignored"] += bool(known.helps or known.ignores)
            counts["in circles"] += bool(known.circle)
            counts["false"] += known.tier == "superseded"
            counts["archived otherwise"] += bool(known.reason) and known.tier != "superseded"
        counts["logs"] += len(case.refs)
        counts["events"] += sum(len(log.events) for log in case.logs)
        if found:
            wrong += 1
            print(f"ledger {number} of seed {chosen.seed}:", *found[:8], sep="\n  ", flush=True)
        if (number + 1) % 1000 == 0:
            print(f"{number + 1} ledgers, {wrong} differ", flush=True)
    said = ", ".join(f"{count} {what}" for what, count in counts.items())
    took = time.monotonic() - begun
    print(f"second fold: {chosen.ledgers} ledgers ({said}): {wrong} differ, {took:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
