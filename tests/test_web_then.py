"""How it was after any session: the same as a replay of the logs up to it, without one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.model.event import FactRedacted
from projection.lifecycle.lives import lives_of
from projection.lifecycle.past import Past
from projection.policy.model import Policy
from tests.test_laws import Logged, ledgers, policies, replayed


def past_of(logs: list[Logged], policy: Policy) -> tuple[Past, frozenset[str]]:
    """Return the past of some logs, and what of them is withheld."""
    redacted = {act.id for log in logs for act in log.acts if isinstance(act, FactRedacted)}
    withheld, entries = frozenset(redacted), [log.entry for log in logs]
    now = replayed(logs, policy, withheld)
    return Past(now, lives_of(entries, policy), entries, withheld), withheld


@settings(max_examples=120, print_blob=True)
@given(ledgers(), policies)
def test_each_session_is_what_a_replay_up_to_its_end_says(
    logs: list[Logged], policy: Policy
) -> None:
    """Facts, texts, where each stands, and the counts by tier; births that an import tells, too."""
    past, withheld = past_of(logs, policy)
    keys = sorted(log.ref.key for log in logs)
    for session in range(len(past.work) + 1):
        behind = past.work[session] if session < len(past.work) else "~"
        upto = [log for log in logs if log.ref.key < behind]
        state = replayed(upto, policy, withheld)
        view, then = state.view(), past.at(session)
        assert then.live == view.live
        assert then.tiers == view.tiers
        assert then.stem == max([key for key in keys if key < behind], default="")
        assert past.session_of(then.stem) == session


@settings(max_examples=60, print_blob=True)
@given(ledgers(), policies, st.integers(0, 14))
def test_what_came_since_is_what_was_not_there(
    logs: list[Logged], policy: Policy, session: int
) -> None:
    """Learned is what is there now and was not then; nothing that is called faded is live."""
    past, withheld = past_of(logs, policy)
    session = min(session, len(past.work))
    behind = past.work[session] if session < len(past.work) else "~"
    before = replayed([log for log in logs if log.ref.key < behind], policy, withheld)
    now, since = replayed(logs, policy, withheld), past.since(session)
    assert set(since.learned) == set(now) - set(before)
    known = {*since.corrected, *since.faded, *since.closed}
    assert known <= set(before)
    reworded = {one for one in before if before[one].fact.heads != now[one].fact.heads}
    false = {one for one in before if now[one].fact.false and not before[one].fact.false}
    assert reworded | false <= set(since.corrected)
    faded = {
        one for one in before
        if before[one].live and now[one].tier == "archived" and not now[one].fact.archived_at
        and before[one].tier != "archived"
    }  # fmt: skip
    assert faded - set(since.corrected) <= set(since.faded)
    assert all(now[one].tier == "archived" for one in since.faded)
    done = {one for one in before if now[one].fact.closed and not before[one].fact.closed}
    assert done <= set(since.closed)
