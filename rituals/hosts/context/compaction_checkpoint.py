"""Keep what a compaction would lose of a session, and give it back to the agent behind it.

A checkpoint is one file of JSON for each session: the task, the state of the project, what was decided,
which files are changed, what was done and what came next. Secrets are put out of it before it is written.
What the user asked last is in no file of ours: it is read off the host's transcript when it is told.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

from ledger.environment import monotonic, now_ms
from ledger.errors import StorageFailed, WriteRefused
from ledger.home import Home, discover
from memory.query.open_snapshot import hides
from projection.brief.wording import enveloped, shortened
from rituals.hosts.context.session_wording import clock, path_said, safe, states
from rituals.hosts.moments import Moment, file_name
from rituals.hosts.observed.observation_spool import Observation
from rituals.hosts.payloads import files_in, read_file

CHECKPOINTS_DIR = "diurna/checkpoints"
#: What a compaction is told to keep, and what the agent is given behind it.
KEEP_CHARS, RESTORED_CHARS = 1_500, 1_800
_KEEP = "The summary has to keep this of the session"
_RESTORED = "Context restored"
_REQUESTS, _REQUEST_CHARS, _FILES, _ACTS, _DECISIONS = 3, 300, 15, 20, 8
_LINE_CHARS, _LOOKED_CHARS = 160, 4_000
#: Two compactions within this time are one.
_DEBOUNCE_MS = 5_000
_KEPT = 10
#: How long it looks for more, and through how much for decisions.
_SECONDS = 0.8
#: Begins the observation of a task that was made; the others say that one is done.
_NEW = "new: "


def save(moment: Moment, home: Home) -> str:
    """Keep a checkpoint before a compaction; return what its summary has to keep, "" for nothing."""
    path = _path(home.repository.commondir, moment)
    now = now_ms()
    found = read_file(path)
    at = found.get("at")
    if not isinstance(at, int) or not 0 <= now - at < _DEBOUNCE_MS:
        found = {"at": now, "host": moment.host, "session": moment.session}
        until, hidden = monotonic() + _SECONDS, hides(home)
        for key, value in _gathered(moment, home):
            found[key] = _shown(value, hidden)
            if monotonic() > until:
                break  # what is slow comes last
        _write(path, found)
    return _enveloped(_KEEP, {**found, "requests": _requests(moment, home)}, KEEP_CHARS)


def restored(commondir: str, moment: Moment) -> str:
    """Return what a session is given behind its compaction, the same bytes each time; "" for nothing.

    Raises:
        HomeNotFound: where it works there is none.
    """
    found = read_file(_path(commondir, moment))
    if isinstance(found.get("at"), int):
        found = {**found, "requests": _requests(moment, discover(moment.folder))}
    return _enveloped(_RESTORED, found, RESTORED_CHARS)


def _shown(value: object, hidden: Callable[[str], bool]) -> object:
    """Return a value of a checkpoint without texts that say again what is withheld."""
    if isinstance(value, str):
        return "" if hidden(value) else value
    if isinstance(value, list):
        return [one for one in value if not hidden(one["what"] if isinstance(one, dict) else one)]
    return value


def _requests(moment: Moment, home: Home) -> object:
    from rituals.hosts.transcripts.slices import newest_turns

    turns = newest_turns(moment.host, moment.transcript)
    asked = [turn.text for turn in turns if turn.role == "user" and not turn.asked]
    return _shown([_short(one) for one in asked[-_REQUESTS:]], hides(home))


def _path(commondir: str, moment: Moment) -> str:
    return f"{commondir}/{CHECKPOINTS_DIR}/{file_name(moment.host, moment.session)}.json"


def _gathered(moment: Moment, home: Home) -> Iterator[tuple[str, object]]:
    """Yield what there is to keep, what is at hand first."""
    from memory.brief.brief_place import changed_files
    from memory.query.open_snapshot import open_snapshot
    from rituals.hosts.context.ledger_news import state_line
    from rituals.hosts.observed.observation_spool import spool_of
    from rituals.hosts.silence import audible
    from rituals.hosts.transcripts.slices import newest_turns

    seen = spool_of(home.repository.commondir, moment.host, moment.session).read().observations
    acts = [{"at": one.at, "kind": one.kind, "what": one.what, "paths": one.paths} for one in seen]
    yield "acts", acts[-_ACTS:]
    found = newest_turns(moment.host, moment.transcript)
    heard = audible(found, home.repository.commondir, moment.session, moment.folder)
    turns = [turn for turn in heard if turn.text and turn.role != "host"]
    said = [turn.text for turn in turns if turn.role == "assistant"]
    tasks = [one.what for one in seen if one.kind == "task"]
    ended = {one.partition(": ")[2] for one in tasks if not one.startswith(_NEW)}
    open_ = [
        one[len(_NEW) :] for one in tasks if one.startswith(_NEW) and one[len(_NEW) :] not in ended
    ]
    yield "task", _short(open_[-1]) if open_ else ""
    last = moment.message or (said[-1] if said else "")
    yield "next", _short(last.strip().rpartition("\n\n")[2])
    snapshot = open_snapshot(home)
    try:
        yield "state", snapshot.ask(lambda cache: state_line(cache, untagged=True))
    finally:
        snapshot.close()
    yield "files", [_short(one) for one in changed_files(home)[:_FILES]]
    decided = [f"{turn.asked} → {turn.text}" for turn in turns if turn.asked]
    yield "decisions", list(filter(None, map(_short, dict.fromkeys(decided))))[-_DECISIONS:]


def _short(text: str) -> str:
    """Return the start of what somebody said, without secrets."""
    from ledger.secrets.scanner import without_secrets

    return shortened(without_secrets(text[:_LOOKED_CHARS]), _REQUEST_CHARS)


def _enveloped(title: str, found: Mapping[str, object], chars: int) -> str:
    """Write a checkpoint as lines, as many as there is room for, weightiest first."""
    room = chars - len(enveloped(title, (), ""))
    did, kept = _did(found), list[str]()
    lines = [*_lines(found), *reversed(did)]
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    first = len(lines) - len(did)  # the newest acts are kept, and the newest stands last
    return enveloped(title, [*kept[:first], *reversed(kept[first:])], "") if kept else ""


def _lines(found: Mapping[str, object]) -> Iterator[str]:
    requests, task = _texts(found, "requests"), _text(found, "task")
    if task and task not in requests:
        yield f"Task: {safe(task, _LINE_CHARS)}"
    if state := _text(found, "state"):
        yield safe(state)
    for number, request in enumerate(reversed(requests)):
        yield f"Asked {'before' if number else 'last'}: {safe(request, _REQUEST_CHARS)}"
    for decision in _texts(found, "decisions"):
        yield f"Decided: {safe(decision, _LINE_CHARS)}"
    if following := _text(found, "next"):
        yield f"Last said: {safe(following, _REQUEST_CHARS)}"
    if files := _texts(found, "files"):
        yield f"Changed and not committed: {', '.join(map(path_said, files))}"


def _did(found: Mapping[str, object]) -> list[str]:
    acts = found.get("acts")
    seen = [
        Observation(at, kind, "", what)
        for one in (acts if isinstance(acts, list) else ())
        if isinstance(one, dict) and isinstance(at := one.get("at"), int)
        and (what := _text(one, "what")) and (kind := _text(one, "kind"))
    ]  # fmt: skip
    told = states(seen)
    newest = told[-1].one.at if told else 0
    return [f"Did: {safe(one.said, _LINE_CHARS)} ({clock(one.one.at, newest)})" for one in told]


def _text(found: Mapping[str, object], key: str) -> str:
    value = found.get(key)
    return value if isinstance(value, str) else ""


def _texts(found: Mapping[str, object], key: str) -> list[str]:
    value = found.get(key)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _write(path: str, found: Mapping[str, object]) -> None:
    """Keep a checkpoint, and the newest of the others; a disk that refuses is no reason to fail."""
    import json

    from ledger.wal.atomic_files import make_folder, replace_file

    folder = os.path.dirname(path)
    try:
        make_folder(folder)
        replace_file(path, json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"), 0o600)
        aged = sorted([(written, name) for name, _, written in files_in(folder)], reverse=True)
        for _, old in aged[_KEPT:]:
            os.unlink(f"{folder}/{old}")
    except (OSError, StorageFailed, WriteRefused):
        pass
