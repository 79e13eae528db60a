"""The fold says what a second one says that was written from FORMAT.md alone, cold and through a cache."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.build import build
from memory.states import state_of
from projection.policy import Policy
from tests.campaigns.second_fold import compare, differences, made_up, main, said_by
from tests.second_fold import Known, Log, SecondFold, Windows
from tests.test_laws import LAW, Logged, ledgers, policies, replayed


def second(logs: list[Logged], policy: Policy) -> dict[str, Known]:
    """Fold a made-up ledger the slow way."""
    lasting = [kind.name for kind in policy.kinds if not kind.decays]
    told = [Log(log.ref.key, log.type, log.acts) for log in logs]
    return SecondFold(told, Windows(*policy.windows), lasting).facts()


@settings(LAW, max_examples=max(300, LAW.max_examples))
@given(ledgers(), policies, st.integers(0, 14))
def test_two_folds_agree(logs: list[Logged], policy: Policy, cut: int) -> None:
    """Texts, use, birth, truth, last words, tiers, pages, contradictions; also in a cache that met them late."""
    expected = second(logs, policy)
    assert compare("cold", said_by(replayed(logs, policy).standings()), expected) == []
    refs, entries = [log.ref for log in logs], [log.entry for log in logs]
    cache = build("", "0", refs[:cut], entries[:cut], (), ("", policy, ""))
    try:
        assert cache.advance("0", "1", refs[cut:], entries[cut:], ())
        assert compare("warm", said_by(state_of(cache).standings()), expected) == []
    finally:
        cache.close()


def test_two_folds_agree_on_what_is_read_from_bytes() -> None:
    """Sealed and hand-written logs and twins, events in any written order, log by log into a cache."""
    for seed in range(40):
        rng = random.Random(seed)
        assert differences(made_up(rng), rng) == [], seed


def test_the_campaign_counts(capsys) -> None:  # type: ignore[no-untyped-def]
    assert main(["--ledgers", "3", "--seed", "7", "--logs", "6"]) == 0
    assert "second fold: 3 ledgers" in capsys.readouterr().out
