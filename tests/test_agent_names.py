"""The names of agents' programs, by which a log that one of them wrote passes for no person's (F13)."""

from __future__ import annotations

from projection.fold.testimony import AGENTS
from rituals.hosts.adapters import HOSTS
from tests.second_fold import AGENTS as SECOND


def test_they_are_those_of_the_hosts() -> None:
    """So none of them passes for a person; the second reader knows the same."""
    assert {host.agent for host in HOSTS.values()} <= AGENTS == set(SECOND)
