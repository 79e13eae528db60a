"""Say what stands around the brief at the start of a session.

Behind a compaction its checkpoint comes first. What other sessions of this machine did of late comes last,
in the room that the brief leaves; some is kept free for it.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms
from rituals.hosts.context.other_sessions import failing_key, said_key
from rituals.hosts.moments import file_name
from rituals.hosts.observed.observation_spool import spools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.hosts.moments import Moment
    from rituals.hosts.observed.observation_spool import Observation, Spool

#: What is kept free behind the brief where others did something of late, and in what steps before it.
_LATELY_CHARS, _STEP = 800, 200
_LATELY = "Lately in other sessions"
_OBSERVATIONS, _DAY_MS = 20, 86_400_000
#: By how many letters of what was decided it is found in the brief.
_SAME_CHARS = 40
#: How much of a spool is looked through, and where there are enough observations already.
_TAIL_BYTES, _END_BYTES = 6 << 10, 1 << 10


class Around:
    """What stands around a brief.

    Args:
        commondir: the common git directory.
        moment: the start of the session.
    """

    def __init__(self, commondir: str, moment: Moment) -> None:
        self.before, self._host = "", moment.host
        if moment.session and moment.source in ("compact", "resume"):
            from rituals.hosts.context.compaction_checkpoint import restored

            self.before = restored(commondir, moment)
        self._acts = _newest(commondir, moment)
        #: What a session knows when it was told this, and when it was told.
        self.told: dict[str, int] = {}

    @property
    def room(self) -> int:
        """How many characters are not the brief's; few values, since a brief is kept for each."""
        used = -(-(len(self.before) + 2) // _STEP) * _STEP if self.before else 0
        return used + (_LATELY_CHARS if self._acts else 0)

    def behind(self, chars: int, size: int, brief: str = "") -> str:
        """Return what others did of late, in so many characters and bytes; "" for nothing.

        What was decided and stands in the brief is not told a second time.
        """
        if not self._acts:
            return ""
        from projection.brief.envelope import enveloped
        from rituals.hosts.context.session_wording import (
            DECISION,
            ROUTINES,
            act,
            mark,
            routine,
            states,
            tested,
            who,
        )

        by_spool: dict[str, tuple[str, list[Observation]]] = {}
        for spool, one in reversed(self._acts):  # oldest first
            by_spool.setdefault(spool.path, (who(spool.host, self._host), []))[1].append(one)
        newest, whole = self._acts[0][1].at, mark(brief, len(brief))
        lines: list[tuple[int, str, dict[str, int]]] = []
        for path, (by, seen) in by_spool.items():
            name = os.path.basename(path)
            for state in states(seen):
                at, kind, what = state.one.at, state.one.kind, state.what
                said = mark(what, _SAME_CHARS) if kind == DECISION else ""
                if kind not in ROUTINES and not (said and said in whole):
                    known = {said_key(what): at} if said else {}
                    known |= {failing_key(name, what): at} if state.failed else {}
                    lines.append((at, act(by, state, newest), known))
            failing = {
                failing_key(name, one.what): one.one.at for one in tested(seen) if one.failed
            }
            lines.append((seen[-1].at, routine(by, seen, newest), failing))
        frame = len(enveloped(_LATELY, (), ""))
        chars, size = chars - frame, size - frame
        kept: dict[str, int] = {}
        # the newest are told; what is decided goes before what is done all the time
        for at, line, known in sorted(lines, key=lambda one: (" changed " in one[1], -one[0])):
            chars, size = chars - len(line) - 1, size - len(line.encode("utf-8", "replace")) - 1
            if chars < 0 or size < 0:
                break
            if line:
                kept[line] = at
                self.told.update(known)
        listed = sorted(kept, key=lambda line: kept[line])
        return enveloped(_LATELY, listed, "") if kept else ""


def _newest(commondir: str, moment: Moment) -> list[tuple[Spool, Observation]]:
    """Return the newest observations of other sessions of the last day, newest first."""
    since = now_ms() - _DAY_MS
    own = f"/{file_name(moment.host, moment.session)}.jsonl"
    found: list[tuple[Spool, Observation]] = []
    others = [spool for spool in spools(commondir) if not spool.path.endswith(own)]
    for spool in others[:_OBSERVATIONS]:  # each of them has one at least
        least = found[-1][1].at if len(found) == _OBSERVATIONS else since
        if spool.changed_ms < least:
            break  # this one, and all behind it, were written to before
        start = max(0, spool.size - (_TAIL_BYTES if least == since else _END_BYTES))
        found += [(spool, one) for one in spool.since(start)[0] if one.at >= least]
        found.sort(key=lambda pair: (-pair[1].at, pair[0].path))
        del found[_OBSERVATIONS:]
    return found
