"""Keep what a compaction would lose of a session, and give it back to the agent behind it.

A checkpoint is one small file for each session: the task, what was decided, which files are
changed, what was done and what came next. Secrets are put out of it before it is written.
What the user asked last is in no file of ours: it is read off the host's transcript when it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ledger.environment import monotonic, now_ms
from ledger.home import Home, discover
from ledger.model.record import Record
from memory import hides_text
from projection.brief.inert_text import enveloped, shortened
from rituals.hosts.context.other_sessions import clock, outcomes, safe
from rituals.hosts.host_events import CHECKPOINTS_DIR, Moment
from rituals.hosts.session_files import read_record, write_record

#: How much a compaction is told to keep, and the agent is given behind it.
_CHARS = 1_500
_KEEP = "The summary has to keep this of the session"
_RESTORED = "Context restored"
_REQUESTS, _REQUEST_CHARS, _FILES, _ACTS, _DECISIONS = 3, 300, 15, 20, 8
_LINE_CHARS, _PATH_CHARS, _LOOKED_CHARS = 160, 80, 4_000
#: How long it looks for more.
_SECONDS = 0.8
#: Begins the observation of a task that was made, the others say that one is done; and what was done.
_NEW, _DID = "new: ", "Did: "


class Checkpoint(Record):
    """What is kept of a session."""

    at: int = 0  #: when, milliseconds since 1970
    #: lines of its task, what was decided, said last, changed and done, the newest last
    lines: tuple[str, ...] = ()


def save(moment: Moment, home: Home) -> str:
    """Keep a checkpoint before a compaction; return what its summary has to keep, "" for nothing."""
    until, hidden, lines = monotonic() + _SECONDS, hides_text(home), list[str]()
    for begins, texts in _gathered(moment, home):
        lines += [begins + text for text in texts if text and not hidden(text)]
        if monotonic() > until:
            break  # what is slow comes last
    checkpoint = Checkpoint(now_ms(), tuple(lines))
    try:
        write_record(_path(home.repository.commondir, moment), checkpoint)
    except OSError:
        pass  # a disk that refuses
    return _told(_KEEP, checkpoint, _requests(moment, hidden))


def restored(commondir: str, moment: Moment) -> str:
    """Return what a session is given behind its compaction, the same bytes each time; "" for nothing.

    Raises:
        HomeNotFound: where it works there is none.
    """
    checkpoint = read_record(_path(commondir, moment), Checkpoint())
    if not checkpoint.at:
        return ""
    requests = _requests(moment, hides_text(discover(moment.folder)))
    return _told(_RESTORED, checkpoint, requests)


def _path(commondir: str, moment: Moment) -> str:
    return f"{commondir}/{CHECKPOINTS_DIR}/{moment.files}"


def _requests(moment: Moment, hidden: Callable[[str], bool]) -> list[str]:
    """Return what the user asked last, the newest first."""
    from rituals.hosts.transcripts.slices import newest_turns

    turns = newest_turns(moment.host, moment.transcript)
    asked = [turn.text for turn in turns if turn.role == "user" and not turn.asked]
    texts = [_short(text, _REQUEST_CHARS) for text in reversed(asked[-_REQUESTS:])]
    return [text for text in texts if text and not hidden(text)]


def _gathered(moment: Moment, home: Home) -> Iterator[tuple[str, list[str]]]:
    """Yield what there is to keep, what is at hand first: how lines begin, and their texts."""
    from memory import changed_files
    from rituals.hosts.observation_spool import spool_of
    from rituals.hosts.silence import audible
    from rituals.hosts.transcripts.slices import newest_turns

    seen = spool_of(home.repository.commondir, moment.host, moment.session).read().observations()
    did = outcomes(seen[-_ACTS:])
    yield _DID, [f"{safe(said, _LINE_CHARS)} ({clock(at, did[-1][1])})" for said, at in did]
    tasks = [act.what for act in seen if act.kind == "task"]
    ended = {task.partition(": ")[2] for task in tasks if not task.startswith(_NEW)}
    begun = [task[len(_NEW) :] for task in tasks if task.startswith(_NEW)]
    yield "Task: ", [_short(task) for task in begun if task not in ended][-1:]
    newest = newest_turns(moment.host, moment.transcript)
    heard = audible(newest, home.repository.commondir, moment.session, moment.folder)
    turns = [turn for turn in heard if turn.text and turn.role != "host"]
    decided = [f"{turn.asked} → {turn.text}" for turn in turns if turn.asked]
    decided = [_short(answer) for answer in dict.fromkeys(decided)]
    yield "Decided: ", decided[-_DECISIONS:]
    reports = [turn.text for turn in turns if turn.role == "assistant"]
    last = moment.message or (reports[-1] if reports else "")
    yield "Last said: ", [_short(last.strip().rpartition("\n\n")[2], _REQUEST_CHARS)]
    files = ", ".join([_short(path, _PATH_CHARS) for path in changed_files(home)[:_FILES]])
    yield "Changed and not committed: ", [files]


def _short(text: str, chars: int = _LINE_CHARS) -> str:
    """Return the start of what somebody said on one line, without secrets."""
    from ledger.secrets.scanner import without_secrets

    return safe(shortened(without_secrets(text[:_LOOKED_CHARS]), _REQUEST_CHARS), chars)


def _told(title: str, checkpoint: Checkpoint, requests: list[str]) -> str:
    """Write a checkpoint as lines, as many as there is room for, weightiest first."""
    asked = [f"Asked {'before' if at else 'last'}: {line}" for at, line in enumerate(requests)]
    lines = [*asked, *[line for line in checkpoint.lines if not line.startswith(_DID)]]
    room, shown = _CHARS - len(enveloped(title, (), "")), list[str]()
    for line in (*lines, *[line for line in reversed(checkpoint.lines) if line.startswith(_DID)]):
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    # the newest acts are kept, and the newest stands last
    acts = shown[len(lines) :][::-1]
    return enveloped(title, [*shown[: len(lines)], *acts], "") if shown else ""
