"""Choose the name under which a client's logs are written."""

from __future__ import annotations

from typing import Any

from ledger.model.record import Record
from ledger.model.sha256 import sha256

_NAME_CHARS = 60
_CONNECTION, _CONNECTION_CHARS = "mcp-session-id", 32


class Caller(Record):
    """Who calls."""

    agent: str = ""  #: who writes, "" for the default of the process
    host: str = ""  #: the program the agent runs in, "" where that is the agent, or not known
    #: the host session that the connection belongs to, else the connection; "" for none
    session: str = ""


def caller(agent: str, client: str, session: str = "") -> Caller:
    """Say who calls.

    `agent` is the name that was given to the server, "" for none; `client` is what the client calls
    itself, and may be anything; `session` is of the connection, "" for none.
    """
    name = plain_name(client)
    return Caller(agent or name, name if agent and name != agent else "", session)


def connection_of(request: Any) -> str:
    """Name the connection of an HTTP request; "" where the client keeps none.

    By a hash: whoever knows the id itself can speak for that client.
    """
    known = request.headers.get(_CONNECTION, "") if request is not None else ""
    return sha256(known.encode()).hexdigest()[:_CONNECTION_CHARS] if known else ""


def plain_name(said: str) -> str:
    """Make a name that can stand in a log's header: a few plain characters on one line."""
    kept = "".join(
        char if char.isascii() and (char.isalnum() or char in "._-") else " " for char in said
    )
    return " ".join(kept.split())[:_NAME_CHARS].strip(" .-")
