"""Define the states of a task, and which may follow which.

No state follows one that closes a task: `Reopened` brings it back to `todo`. A ticked box
(`Closed`) makes it `done` from anywhere.
"""

from __future__ import annotations

TODO, IN_PROGRESS, HANDOFF_READY, BLOCKED, DONE, CANCELLED = STATES = (
    "todo", "in-progress", "handoff-ready", "blocked", "done", "cancelled",
)  # fmt: skip
#: The states that close a task.
CLOSING = frozenset((DONE, CANCELLED))
#: Which states may follow each.
FOLLOWS: dict[str, frozenset[str]] = {
    TODO: frozenset((IN_PROGRESS, BLOCKED, CANCELLED)),
    IN_PROGRESS: frozenset((HANDOFF_READY, DONE, BLOCKED, CANCELLED)),
    HANDOFF_READY: frozenset((IN_PROGRESS, DONE, CANCELLED)),
    BLOCKED: frozenset((IN_PROGRESS, HANDOFF_READY, CANCELLED)),
    DONE: frozenset(),
    CANCELLED: frozenset(),
}


def is_state(text: str) -> bool:
    """Tell whether a text is a state of a task."""
    return text in FOLLOWS


def either(states: tuple[str, ...]) -> str:
    """Write states, each once."""
    return " or ".join(dict.fromkeys(states))


def may_follow(states: tuple[str, ...]) -> tuple[str, ...]:
    """Return the states that may follow those of the moves answered; of several one may stay."""
    found = {state for one in states for state in FOLLOWS[one]}
    if len(states) > 1:
        found.update(states)
    return tuple([state for state in STATES if state in found and state != TODO])
