"""Keep what a host hands over that writes no transcript: opencode has its messages in a database.

Its plugin hands them over at the end of a turn and before a compaction. They stand in a file of the
session's own under the git directory, for its user alone, without secrets, for a week behind the last one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence

from ledger.environment import now_seconds
from ledger.secrets.match import without_private
from ledger.secrets.scanner import without_secrets
from rituals.hosts.capture.typed_words import hidden_runs
from rituals.hosts.host_events import Moment, file_name
from rituals.hosts.session_files import open_file, sweep
from rituals.hosts.silence import Silence, heard, silences
from rituals.hosts.transcripts.turns import HIDDEN, USER, mapping, when_said

SAID_DIR = "diurna/said"
#: Of what a moment hands over at most so much is kept, and a file so long behind its last line.
_BYTES, _KEPT_SECONDS = 1 << 20, 7 * 86_400
#: What lies deeper in what a tool was given is not kept.
_DEPTH = 6


def kept_in(commondir: str, moment: Moment) -> str:
    """Return the path of the file of a session's messages."""
    return f"{commondir}/{SAID_DIR}/{file_name(moment.host, moment.session)}.jsonl"


def keep_messages(commondir: str, moment: Moment) -> None:
    """Keep the messages that a moment hands over, in the session's file, of too many the newest.

    They are the `messages` of its input, each as opencode's API gives it.

    Raises:
        OSError: the disk refused.
    """
    data, room = b"", _BYTES
    for line in reversed([*_lines(moment, silences(commondir))]):
        room -= len(line)
        if room < 0:
            break
        data = line + data
    if data:
        file = open_file(kept_in(commondir, moment), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(file, b"\n" + data)  # behind a line that a full disk cut off, too
        finally:
            os.close(file)
        sweep(f"{commondir}/{SAID_DIR}", now_seconds() - _KEPT_SECONDS)  # of sessions long over


def _lines(moment: Moment, known: Sequence[Silence]) -> Iterator[bytes]:
    """Yield a line for each message, and one for what of a person's words nothing may keep."""
    messages = moment.given.get("messages")
    for message in messages if isinstance(messages, list) else ():
        if not isinstance(message, dict) or not isinstance(message.get("parts"), list):
            continue
        parts = [part for part in message["parts"] if isinstance(part, dict)]
        info, clean = message.get("info"), _clean(parts)
        open = heard(known, moment.session, moment.folder, when_said(message))
        if mapping(info).get("role") == USER and not (open and clean == parts):
            texts = [text for part in parts if isinstance(text := part.get("text"), str)]
            runs = [{"text": run} for run in hidden_runs("\n".join(texts))]
            yield json.dumps({"info": {"role": HIDDEN}, "parts": runs}).encode() + b"\n"
        if open:
            yield json.dumps({"info": info, "parts": clean}).encode() + b"\n"


def _clean(value: object, depth: int = -1) -> object:
    """Return a part without what of its texts nothing may keep."""
    if isinstance(value, str):
        return without_secrets(without_private(value))
    if depth == _DEPTH:
        return None
    if isinstance(value, dict):
        return {key: _clean(one, depth + 1) for key, one in value.items()}
    return [_clean(one, depth + 1) for one in value] if isinstance(value, list) else value
