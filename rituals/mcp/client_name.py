"""Choose the name under which a client's logs are written."""

from __future__ import annotations

from ledger.model.record import Record

_NAME_CHARS = 60


class Caller(Record):
    """Who calls.

    Args:
        agent: who writes, "" for the default of the process.
        host: the program the agent runs in, "" where that is the agent, or not known.
    """

    agent: str = ""
    host: str = ""


def caller(agent: str, client: str) -> Caller:
    """Say who calls.

    Args:
        agent: the name that was given to the server, "" for none.
        client: what the client calls itself; it may be anything.
    """
    name = plain_name(client)
    return Caller(agent or name, name if agent and name != agent else "")


def plain_name(said: str) -> str:
    """Make a name that can stand in a log's header: a few plain characters on one line."""
    kept = "".join(
        char if char.isascii() and (char.isalnum() or char in "._-") else " " for char in said
    )
    return " ".join(kept.split())[:_NAME_CHARS].strip(" .-")
