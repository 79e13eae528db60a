"""Try what agents' programs call: whether a hook answers, and the server of MCP its handshake."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable

from ledger.environment import variables

_HOOK_SECONDS, _SERVER_SECONDS = 10, 30
_HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "diurna-doctor", "version": "1"},
    },
}


def on_path(folders: Iterable[str]) -> str:
    """Return which `diurna` a host finds in its folders of programs, "" for none."""
    found = (f"{folder}/diurna" for folder in folders if os.path.isabs(folder))
    return next((path for path in found if os.access(path, os.X_OK)), "")


def hook_fails(program: str, host: str, event: str) -> str:
    """Return why a hook does not answer as it has to, "" where it does; nothing is told by it.

    The host is a key of `HOSTS`, the event one of its own.
    """
    environment = {**variables(), "DIURNA_HOOKS": "off"}
    command = [program, "hook", host, event]
    try:
        done = subprocess.run(  # noqa: S603 - the same that hosts call
            command, input=b"{}", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
            env=environment, timeout=_HOOK_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"does not answer within {_HOOK_SECONDS} seconds"
    except OSError as problem:
        return f"can not be run ({problem.strerror})"
    if done.returncode:
        return f"ends with {done.returncode}"
    return "" if isinstance(_object(done.stdout), dict) else "answers no JSON object"


def server_fails(program: str, folder: str) -> str:
    """Return why the MCP server, started in a folder, does not answer the handshake, "" where it does."""
    said = json.dumps(_HANDSHAKE).encode() + b"\n"
    try:
        done = subprocess.run(  # noqa: S603 - the same that hosts call
            [program, "mcp"], input=said, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            check=False, cwd=folder, timeout=_SERVER_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"does not answer within {_SERVER_SECONDS} seconds"
    except OSError as problem:
        return f"can not be run ({problem.strerror})"
    answers = [_object(line) for line in done.stdout.splitlines()]
    if any(isinstance(one, dict) and "result" in one for one in answers):
        return ""
    return "does not answer; is its extra installed (`diurna[mcp]`)?"


def _object(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        return None
