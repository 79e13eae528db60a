"""The fold says what a second one says that was written from FORMAT.md alone, cold and through a cache."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.codec.log import encode
from ledger.model.event import Event, FactCreated, FactInvalidated, FactReinstated, FactSuperseded
from ledger.model.session import SessionLog
from memory.cache.rebuild import build
from memory.replay.replayed_state import state_of
from projection.policy.model import Policy
from tests.campaigns.homes import OWN_REPOSITORY, git, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.campaigns.second_fold import (
    Case,
    cold,
    compare,
    differences,
    expected_view,
    made_up,
    main,
    said_by,
    view_of,
)
from tests.conftest import each_row, examples
from tests.second_fold import Known, Log, SecondFold, Windows
from tests.test_laws import LAW, Logged, ledgers, policies, replayed


def second(logs: list[Logged], policy: Policy) -> dict[str, Known]:
    """Fold a made-up ledger the slow way."""
    lasting = [kind.name for kind in policy.kinds if not kind.decays]
    told = [
        Log(
            log.ref.key, log.type, log.acts, log.entry.agent, log.entry.session, log.entry.branch,
            log.entry.role,
        )
        for log in logs
    ]  # fmt: skip
    return SecondFold(told, Windows(*policy.windows[:6]), lasting).facts()


@settings(LAW, max_examples=examples(60, 300))
@given(ledgers(), policies, st.integers(0, 14))
def test_two_folds_agree(logs: list[Logged], policy: Policy, cut: int) -> None:
    """Texts, use, birth, truth, last words, tiers, pages, contradictions; also in a cache that met them late."""
    expected = second(logs, policy)
    assert compare("cold", said_by(replayed(logs, policy).standings()), expected) == []
    assert view_of(replayed(logs, policy).view()) == expected_view(expected)
    refs, entries = [log.ref for log in logs], [log.entry for log in logs]
    cache = build("", "0", refs[:cut], entries[:cut], (), ("", policy, ""))
    try:
        assert cache.advance("0", "1", refs[cut:], entries[cut:], ())
        assert compare("warm", said_by(state_of(cache).standings()), expected) == []
        assert view_of(cache.view()) == expected_view(expected)
    finally:
        cache.close()


def test_two_folds_agree_on_what_is_read_from_bytes() -> None:
    """Sealed and hand-written logs and twins, events in any written order, log by log into a cache."""
    for seed in range(examples(20, 40)):
        rng = random.Random(seed)
        assert differences(made_up(rng), rng) == [], seed


def test_two_folds_agree_on_a_home_in_git(tmp_path: Path) -> None:
    """Commits that anybody may have made bring logs in a random order; each time memory is opened anew."""
    for seed in range(3):
        rng = random.Random(f"home {seed}")
        case = made_up(rng, 16)
        while any("~" in ref.key for ref in case.refs):
            case = made_up(rng, 16)
        folder = tmp_path / str(seed)
        make_home(folder, OWN_REPOSITORY)
        for count, (ref, data) in enumerate(zip(case.refs, case.data, strict=True), 1):
            place = folder / ref.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            if rng.randrange(3) and count < len(case.refs):
                continue
            git(folder, "add", "sessions")
            git(folder, "commit", "-q", "-m", "logs")
            memory = open_memory(folder)
            state = memory.state()
            case.policy = state.policy
            assert compare("git", said_by(state.standings()), case.second(count)) == [], (
                seed,
                count,
            )
            assert view_of(memory.snapshot.cache().view()) == expected_view(case.second(count))
            memory.close()


WORK, OLD, EDGE = 30, "2026-05-01-100000", "2026-05-11-100000"


@each_row(
    "type, stem, event, tier",
    [
        ("work", OLD, FactCreated("a", "A"), "archived"),
        ("work", OLD, FactCreated("a", "A", "", (("kind", "invariant"),)), "core"),
        ("work", OLD, FactCreated("a", "A", "", (("kind", "thread"),)), "active"),
        ("work", OLD, FactCreated("a", "A", " "), "active"),
        ("edit", OLD, FactCreated("a", "A"), "archived"),
        ("edit", "2026-05-28-100000", FactCreated("a", "A"), "working"),
        ("edit", "2026-05-15-100000", FactCreated("a", "A"), "archive-candidate"),
        ("work", EDGE, FactCreated("a", "A"), "archive-candidate"),
    ],
)
def test_the_cold_view_of_a_fact_with_one_event(
    type: str, stem: str, event: Event, tier: str
) -> None:
    """Old and young, of a lasting kind or a thread, named by a work log or by none: as counted out."""
    case = Case()
    for day in range(1, WORK + 1):
        case.add(f"2026-05-{day:02d}-110000", encode(SessionLog((), "T", "", ())))
    header = () if type == "work" else (("type", type),)
    case.add(stem, encode(SessionLog(header, "T", "", (event,))))
    expected = case.second()
    assert expected["a"].tier == tier
    assert view_of(cold(case).view()) == expected_view(expected)
    assert compare("cold", said_by(cold(case).standings()), expected) == []


def test_an_older_supersession_that_comes_late_is_taken_back_in_a_warm_cache_too() -> None:
    """A sync brings logs that sort before the one that took everything before it back."""
    said: list[tuple[str, Event]] = [
        ("2026-05-01-100000", FactCreated("a", "A")),
        ("2026-05-04-100000", FactReinstated("a")),
        ("2026-05-02-100000", FactSuperseded("a", "b")),
        ("2026-05-03-100000", FactInvalidated("a")),
    ]
    case = Case()
    for key, event in said:
        case.add(key, encode(SessionLog((), "T", "", (event,))))
    for begun in range(4):
        refs, entries = case.refs, case.entries
        cache = build("", "0", refs[:begun], entries[:begun], (), ("", case.policy, ""))
        for at in range(begun, 4):
            tips = str(at - begun), str(at + 1 - begun)
            assert cache.advance(*tips, [refs[at]], [entries[at]], ())
        found = cache.fact("a")
        assert found is not None and not found.false
        assert compare("warm", said_by(state_of(cache).standings()), case.second()) == []
        cache.close()


def test_the_campaign_counts(capsys) -> None:  # type: ignore[no-untyped-def]
    assert main(["--ledgers", "3", "--seed", "7", "--logs", "6"]) == 0
    assert "second fold: 3 ledgers" in capsys.readouterr().out
