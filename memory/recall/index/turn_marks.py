"""Define what the index keeps of a turn beside its words: who speaks, and what it gives away."""

from __future__ import annotations

#: Whose turns are replies, and whose words they answer.
REPLIERS = frozenset("assistant ai bot agent model claude codex gpt chatgpt copilot gemini".split())
ASKERS = frozenset("user human customer".split())

#: What a turn gives away of itself: that it asks, that it tells a time, that it tells a number.
ASKING, TIMED, NUMBERED = 1, 2, 4
