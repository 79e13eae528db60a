"""A scripted day: what a session of 60 prompts is told in all, beside two others that are as busy."""

from __future__ import annotations

import pytest

from rituals.hosts import hook_answer, session_start
from tests.conftest import NOW_MS, Repo, Run
from tests.host_day import PROMPTS, RECORDED, Day


@pytest.mark.deep(reason="test_hosts_news has each moment of it")
def test_a_day_is_told_in_few_words(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The brief of a full memory, the rule and all news: 9,000 characters at most."""
    monkeypatch.delenv("DIURNA_AGENT")
    monkeypatch.setattr(hook_answer, "START_SECONDS", 60)
    monkeypatch.setattr(hook_answer, "OTHER_SECONDS", 60)
    run("note", *[f"decision: Rule {number} " + "is long and plain. " * 9 for number in range(60)])
    day = Day(repo.path, monkeypatch, NOW_MS)
    day.play()
    first, *rest = day.told
    assert (first.event, session_start.START_CHARS - 300 < len(first.text)) == (
        "SessionStart",
        True,
    )
    lines = [line for one in rest for line in one.text.split("\n")[2:-1]]
    assert len(set(lines)) == len(lines)  # nothing twice
    assert [line for line in lines if "after you did" in line] == [
        "- codex edited src/orders/part_2.py 7 minutes ago, after you did",
        "- gemini edited src/orders/part_7.py 1 minute ago, after you did",
        "- codex edited src/orders/part_7.py 3 minutes ago, after you did",
    ]
    assert sum(" new, says " in line for line in lines) == len(RECORDED)
    assert sum("git stash" in line for line in lines) == 1
    assert len(rest) < PROMPTS // 2  # most prompts are silent, and so is every tool
    assert sum(len(one.text) for one in day.told) <= 9_000
