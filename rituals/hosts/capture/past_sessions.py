"""Find the sessions that a folder has seen before hooks were there: hosts keep their transcripts.

Each host has a place of its own for them under the user's folder, and their first lines say whose session
it is and where it worked. opencode has a database instead, of which nothing is read here.
"""

from __future__ import annotations

import os
import re
from glob import escape, iglob
from stat import S_ISREG

from ledger.environment import now_ms
from ledger.model.record import Record
from ledger.model.sha256 import sha256
from rituals.hosts.capture.stamps import QUIET_MS, Seen
from rituals.hosts.payloads import read_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: How much of a transcript is read to learn whose it is.
_HEAD_BYTES = 256 << 10


class _Place(Record):
    """Where a host keeps transcripts, and what their first lines say."""

    variable: str  #: of the environment that names the host's folder
    folder: str  #: under the user's, where the variable names none
    #: a pattern below it; `{name}` stands for the folder that was worked in, in Claude's spelling
    files: str
    #: the keys on the way to the session's id; none where the file is called after it
    session: tuple[str, ...]
    #: the keys on the way to the folder that was worked in, or to its digest
    worked: tuple[str, ...]


_PLACES = {
    "claude": _Place(
        "CLAUDE_CONFIG_DIR", ".claude", "projects/{name}*/*.jsonl", (), ("cwd",)
    ),
    "codex": _Place(
        "CODEX_HOME", ".codex", "*sessions/**/rollout-*.jsonl", ("payload", "id"), ("payload", "cwd")
    ),
    "copilot": _Place(
        "COPILOT_HOME", ".copilot", "session-state/*/events.jsonl",
        ("data", "sessionId"), ("data", "context", "cwd"),
    ),
    "gemini": _Place(
        "GEMINI_CLI_HOME", ".gemini", "tmp/*/chats/*.jsonl", ("sessionId",), ("projectHash",)
    ),
    "qwen": _Place(
        "QWEN_HOME", ".qwen", "projects/{name}*/chats/*.jsonl", (), ("cwd",)
    ),
}  # fmt: skip


def past_sessions(folder: str, user: str, environment: Mapping[str, str]) -> list[Seen]:
    """Return the sessions that worked in a folder or below it, the oldest first; none that is alive.

    `user` is the user's folder; `environment` may name the hosts' folders.
    """
    top, latest = os.path.realpath(folder), now_ms() - QUIET_MS
    found: list[Seen] = []
    for host, place in _PLACES.items():
        base = environment.get(place.variable, "") or f"{user}/{place.folder}"
        pattern = place.files.format(name=re.sub(r"[^A-Za-z0-9]", "-", top))
        for path in iglob(f"{escape(base)}/{pattern}", recursive=True):
            about = os.lstat(path)
            at = about.st_mtime_ns // 1_000_000
            if S_ISREG(about.st_mode) and at < latest and (said := _session(path, place, top)):
                found.append(Seen(host, said, top, path, at))
    return sorted(found, key=lambda one: (one.at, one.host, one.session))


def _session(path: str, place: _Place, top: str) -> str:
    """Return the id of the session whose transcript it is; "" where it worked elsewhere, or has a task."""
    try:
        with open(path, "rb") as file:
            lines = file.read(_HEAD_BYTES).split(b"\n")
    except OSError:
        return ""
    for line in lines:
        said = read_object(line) or {}
        session = _at(said, place.session) or os.path.basename(path).removesuffix(".jsonl")
        worked, source = _at(said, place.worked), _at(said, ("payload", "source"))
        if said.get("isSidechain") or isinstance(source, dict):
            return ""
        if isinstance(session, str) and isinstance(worked, str):
            here = worked == sha256(top.encode()).hexdigest()
            real = os.path.realpath(worked) if os.path.isabs(worked) else ""
            return session if here or real == top or real.startswith(f"{top}/") else ""
    return ""


def _at(said: object, keys: tuple[str, ...]) -> object:
    """Return what stands behind some keys; None for nothing, and without keys."""
    for key in keys:
        said = said.get(key) if isinstance(said, dict) else None
    return said if keys else None
