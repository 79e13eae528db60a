"""A second fold: sections 4 and 5 of FORMAT.md word for word, simple and slow, for comparing with the first.

It was written from the text alone and shares nothing with `projection/`: where the two differ, either is wrong.
Everything is asked anew of the whole list of logs; nothing is kept up and nothing is fast.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cached_property
from typing import NamedTuple

from ledger.model.event import (
    Event,
    FactArchived,
    FactCreated,
    FactDemoted,
    FactHelped,
    FactIgnored,
    FactInvalidated,
    FactMoved,
    FactPromoted,
    FactReactivated,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    ThreadReopened,
    WorkDropped,
    WorkLanded,
    WorkReverted,
)

#: The event table of 3.3.
TABLE: tuple[type[Event], ...] = (
    FactReferenced, FactCreated, FactUpdated, FactSuperseded, FactInvalidated, FactReactivated,
    ThreadClosed, ThreadReopened, FactVerified, FactPromoted, FactDemoted, FactRedacted,
    FactReinstated, FactArchived, FactMoved, FactHelped, FactIgnored, WorkLanded, WorkDropped,
    WorkReverted,
)  # fmt: skip
#: Those of them that name a log, and no fact.
OF_LOGS = (WorkLanded, WorkDropped, WorkReverted)
#: The states of a task, as F11 lists them.
TASK_STATES = ("todo", "in-progress", "handoff-ready", "blocked", "done", "cancelled")
#: The kinds that can be closed (F7).
CLOSED_KINDS = ("thread", "task", "handoff", "finding")


#: The types whose names are uses (F4).
USING = ("work", "continued")
#: The footers that hold ids.
OF_IDS = ("supersedes", "serves", "conflicts")


class Log(NamedTuple):
    """A log as it was read: its key, its type, what it says, and what its header says of who wrote it."""

    key: str
    type: str
    events: tuple[Event, ...]
    agent: str = ""
    session: str = ""
    branch: str = ""
    role: str = ""


class Windows(NamedTuple):
    """The windows of the policy."""

    working: int
    active: int
    archive: int
    working_days: int = 0
    active_days: int = 0
    archive_days: int = 0


class Known(NamedTuple):
    """What is known of a fact, and where it stands."""

    kind: str
    footer: dict[str, str]
    texts: list[tuple[str, str, str]]
    created: str
    origin: str
    uses: int
    last_used: str
    closed: bool
    closed_at: str
    superseded_by: tuple[str, ...]
    supersedes: tuple[str, ...]
    invalidated: str
    promoted: bool
    verified: str
    redacted: bool
    rivals: tuple[str, ...]
    circle: tuple[str, ...]
    denied: tuple[tuple[str, str], ...]
    contradicted: bool
    moves: tuple[tuple[str, str, str, str], ...]
    helps: tuple[tuple[str, str, str], ...]
    ignores: tuple[tuple[str, str], ...]
    tier: str
    reason: str
    page: str


Step = tuple[str, Event]


class SecondFold:
    """Answers for a set of logs.

    Args:
        logs: in any order.
        windows: of the policy.
        lasting: the kinds that do not decay.
    """

    def __init__(self, logs: Iterable[Log], windows: Windows, lasting: Iterable[str]) -> None:
        facts = [
            log._replace(events=tuple(one for one in log.events if not isinstance(one, OF_LOGS)))
            for log in logs  # 3.3: what names a log is in no history
        ]
        self.logs = sorted(facts, key=lambda log: log.key)  # O1
        self.windows, self.lasting = windows, frozenset(lasting)
        self.log = {log.key: log for log in self.logs}
        self.steps: list[Step] = [
            (log.key, event) for log in self.logs for event in in_one_log(log.events)
        ]
        self.work = [log.key for log in self.logs if log.type == "work"]

    def ids(self) -> set[str]:
        """Every id that is named."""
        found = {event.id for _, event in self.steps}
        return found | {event.new for _, event in self.steps if isinstance(event, FactSuperseded)}

    def facts(self) -> dict[str, Known]:
        """What is known of every fact; pending ids are left out."""
        return {id: self.known(id) for id in sorted(self.ids()) if self.is_fact(id)}

    def said(self, id: str) -> list[Step]:
        """What is said of an id, in ledger order."""
        return [(key, event) for key, event in self.steps if event.id == id]

    def texts_said(self, id: str) -> list[tuple[str, FactCreated | FactUpdated]]:
        return [
            (key, event)
            for key, event in self.said(id)
            if isinstance(event, FactCreated | FactUpdated) and event.text is not None
        ]

    def is_fact(self, id: str) -> bool:
        return bool(self.texts_said(id))

    # ---- F3 and F8 --------------------------------------------------------------------------------

    def standing(self, id: str, *, thread: bool) -> dict[str, tuple[str, str]]:
        """What stands at the end: version -> (text, log)."""
        heads: dict[str, tuple[str, str]] = {}
        ever: dict[str, tuple[str, str]] = {}  # as they stand, or last stood
        came: dict[str, list[tuple[str, tuple[str, ...]]]] = {}  # (log, what it named) each time
        closing: tuple[str, tuple[str, ...]] | None = None
        settled: set[str] = set()

        def by_closing() -> dict[str, tuple[str, str]]:
            named = closing[1] if closing else ()
            return {
                one: ever[one]
                for one in named
                if one in ever and one not in heads and one not in settled
            }

        for key, event in self.said(id):
            if isinstance(event, ThreadReopened):
                closing = None
            elif isinstance(event, ThreadClosed):
                closing, settled = (key, event.was or ()), set()
                for times in came.values():
                    for log, named in times:
                        settled |= set(named) if log == key else set()
            if not isinstance(event, FactCreated | FactUpdated) or event.text is None:
                continue
            version, stands = version_of(event.text), {**heads, **by_closing()}
            named = names_of(event, stands)
            if closing and isinstance(event, FactUpdated):
                both = set(named) & set(heads) and set(named) & set(by_closing())
                if closing[0] == key or event.mark == "x" or event.was is None or both:
                    settled |= set(named)
            gone = {
                one
                for one in named
                if one != version and not came_unseen(one, named, came.get(one, []), stands)
            }
            heads = {one: head for one, head in heads.items() if one not in gone}
            heads[version] = ever[version] = heads.get(version, (event.text, key))
            came.setdefault(version, []).append((key, named))
        return {**heads, **by_closing()} if thread and closing else heads

    # ---- F11 --------------------------------------------------------------------------------------

    def moves(self, id: str) -> list[tuple[str, str]]:
        """What stands of the moves of a task: (key, state)."""
        if self.kind(id) != "task":
            return []
        standing: list[tuple[str, str]] = []
        boxes = 0
        for key, event in self.said(id):
            named: tuple[str, ...] | None = None
            if isinstance(event, FactMoved):
                state, named = event.state, event.was
            elif isinstance(event, ThreadClosed):
                state = "done"
                named = None if event.was is None else event.was
            elif isinstance(event, ThreadReopened):
                state = "todo"
            elif isinstance(event, FactCreated) and event.mark:
                boxes += 1
                if boxes > 1 or event.mark != "x":
                    continue
                state, named = "done", ()
            else:
                continue
            standing = [
                (log, stood)
                for log, stood in standing
                if log == key or (named is not None and stem_of(log) not in named)
            ]
            if (key, state) not in standing:
                standing.append((key, state))
        return sorted(standing, key=lambda move: (move[0], TASK_STATES.index(move[1])))

    def torn(self, id: str) -> bool:
        moves = self.moves(id)
        claims = {key for key, state in moves if state == "in-progress"}
        return len({state for _, state in moves}) > 1 or len(claims) > 1

    # ---- F12 --------------------------------------------------------------------------------------

    def helps(self, id: str) -> list[tuple[str, str, str]]:
        """(key, context, form of the evidence) of the logs in which a fact helped."""
        found: dict[str, tuple[str, str, str]] = {}
        for key, event in self.said(id):
            form = evidence(event.remark) if isinstance(event, FactHelped) else ""
            if form and key not in found:
                found[key] = (key, f"{self.log[key].session} {self.log[key].branch}", form)
        return list(found.values())

    def ignores(self, id: str) -> tuple[tuple[str, str], ...]:
        found = []
        for key, event in self.said(id):
            if isinstance(event, FactIgnored):
                said = [event.remark.strip().lower(), self.log[key].role.strip().lower()]
                found.append((key, next(filter(is_id, said), "")))
        return tuple(dict.fromkeys(found))

    # ---- F5 ---------------------------------------------------------------------------------------

    def birth(self, id: str) -> tuple[str, str, str]:
        """(created, origin, what age counts from)."""
        births = [(key, event) for key, event in self.said(id) if isinstance(event, FactCreated)]
        for _, event in births:
            footer = dict(event.meta)
            told, origin = footer.get("created", ""), footer.get("origin", "")
            if is_stem(origin):
                return told if is_date(told) else origin[:10], origin, key_of(origin)
            if is_date(told):
                return told, "", f"{told}-~"  # behind every log of that day
        key = births[0][0] if births else self.texts_said(id)[0][0]
        return key[:10], key, key

    def counted(self, id: str) -> tuple[int, str, str, bool] | None:
        """What another tool counted, where it counts (F4): uses, and until a later use date, place, new."""
        more, told = 0, None
        for key, event in reversed(self.said(id)):
            if isinstance(event, FactCreated):
                form = r"(-?[0-9]{1,9}) ([0-9-]{10}) (\S+)( working)?"
                found = re.fullmatch(form, dict(event.meta).get("counted", ""))
                if found and is_date(found[2]) and (found[3] == "-" or is_stem(found[3])):
                    place = f"{found[2]}-~" if found[3] == "-" else key_of(found[3])
                    later = any(name > key for name in self.naming(id))
                    more, told = int(found[1]), None if later else (found[2], place, bool(found[4]))
        return None if not more and told is None else (more, *(told or ("", "", False)))

    def footer(self, id: str) -> dict[str, str]:
        footer: dict[str, str] = {}
        for _, event in reversed(self.said(id)):
            if isinstance(event, FactCreated):
                footer.update(event.meta)
        for _, event in self.said(id):
            if isinstance(event, FactUpdated):
                footer.update(event.meta)
        births = ("created", "origin", "counted")
        return {key: value for key, value in footer.items() if key not in births}

    def box(self, id: str) -> tuple[str, str]:
        """The checkbox at birth and its log."""
        for key, event in self.said(id):
            if isinstance(event, FactCreated) and event.mark:
                return event.mark, key
        return "", ""

    # ---- F4, F7 -----------------------------------------------------------------------------------

    def naming(self, id: str) -> list[str]:
        """The logs that use an id."""
        return [log.key for log in self.logs if log.type in USING and names(log, id)]

    def last(self, id: str, *kinds: type[Event]) -> Step | None:
        found = [step for step in self.said(id) if isinstance(step[1], kinds)]
        return found[-1] if found else None

    # ---- F6 and F10 -------------------------------------------------------------------------------

    def taken_back(self, id: str, key: str) -> bool:
        return any(
            key < back if event.said is None else stem_of(key) in event.said
            for back, event in self.said(id)
            if isinstance(event, FactReinstated)
        )

    @cached_property
    def supersessions(
        self,
    ) -> tuple[list[tuple[str, FactSuperseded]], list[tuple[str, FactSuperseded]]]:
        """Those that count, and those left out because they close a circle."""
        count: list[tuple[str, FactSuperseded]] = []
        left: list[tuple[str, FactSuperseded]] = []
        for key, event in self.steps:
            if not isinstance(event, FactSuperseded) or self.taken_back(event.id, key):
                continue
            reached = {event.new}
            while True:
                more = {one.new for _, one in count if one.id in reached} - reached
                if not more:
                    break
                reached |= more
            (left if event.id in reached else count).append((key, event))
        return count, left

    def calls(self, id: str) -> list[tuple[str, str, tuple[str, ...] | None]]:
        """What calls a fact false and was neither taken back nor left out: (log, successor, versions)."""
        count, _ = self.supersessions
        return [
            (key, event.new if isinstance(event, FactSuperseded) else "", event.was)
            for key, event in self.said(id)
            if (isinstance(event, FactSuperseded) and (key, event) in count)
            or (isinstance(event, FactInvalidated) and not self.taken_back(id, key))
        ]

    def denying(self, id: str) -> list[tuple[str, str, tuple[str, ...] | None]]:
        """Of these, all where a head is known to none of them, else none."""
        calls = self.calls(id)
        for version in self.standing(id, thread=self.closed(id)[0]):
            if not any(self.knows(id, version, call) for call in calls):
                return calls
        return []

    def knows(self, id: str, version: str, call: tuple[str, str, tuple[str, ...] | None]) -> bool:
        log, _, named = call
        if named is None or version in named:
            return True
        for key, event in self.texts_said(id):
            if version_of(event.text or "") == version:
                if key == log:
                    return True
                if isinstance(event, FactUpdated):
                    if stem_of(log) in (event.said or ()):
                        return True
                    if event.was is None and key > log:
                        return True
        return False

    def false(self, id: str) -> bool:
        return bool(self.calls(id)) and not self.denying(id)

    # ---- all of it --------------------------------------------------------------------------------

    def kind(self, id: str) -> str:
        kind = self.footer(id).get("kind") or ("thread" if self.box(id)[0] else "fact")
        return "fact" if self.redacted(id) and not is_id(kind) else kind  # F9

    def redacted(self, id: str) -> bool:
        return self.last(id, FactRedacted) is not None

    def closed(self, id: str) -> tuple[bool, str]:
        if self.kind(id) not in CLOSED_KINDS:
            return False, ""
        if self.kind(id) == "task":
            moves = self.moves(id)
            closing = bool(moves) and {state for _, state in moves} <= {"done", "cancelled"}
            return closing, max(key for key, _ in moves) if closing else ""
        word = self.last(id, ThreadClosed, ThreadReopened)
        if word is not None:
            return (True, word[0]) if isinstance(word[1], ThreadClosed) else (False, "")
        mark, key = self.box(id)
        return (True, key) if mark == "x" else (False, "")

    def known(self, id: str) -> Known:
        """All that is known of a fact."""
        kind, (closed, closed_at) = self.kind(id), self.closed(id)
        texts = self.standing(id, thread=closed)
        created, origin, born = self.birth(id)
        naming = self.naming(id)
        denied, calls = self.denying(id), self.calls(id)
        calls = [] if denied else calls
        by = distinct(new for _, new, _ in calls if new)
        invalidated = [key for key, new, _ in calls if not new]
        count, left = self.supersessions
        rivals = sorted(one for one in by if self.is_fact(one) and not self.false(one))
        rivals = rivals if len(rivals) > 1 else []
        circle = distinct(one.new for _, one in left if one.id == id != one.new)
        promotion = self.last(id, FactPromoted, FactDemoted)
        verified = self.last(id, FactVerified)
        promoted = promotion is not None and isinstance(promotion[1], FactPromoted)
        away = self.away(id)
        more, told, since, new = self.counted(id) or (0, "", "", False)
        uses, used = max(len(naming) + more, 0), since or (naming or [born])[-1]
        young = (since if new else "") if since else born * (uses <= 1)
        tier = self.tier(bool(calls), away, promoted, kind, closed, young, used)
        reason, page = self.place(tier, calls, away, closed, closed_at, used)
        footer = {key: value for key, value in self.footer(id).items() if key != "kind"}
        redacted = self.redacted(id)
        if redacted:  # F9
            footer = {key: ids_of(footer[key]) for key in footer if key in OF_IDS}
            footer = {key: value for key, value in footer.items() if value}
        return Known(
            kind=kind,
            footer=footer,
            texts=sorted(
                (version, "(redacted)" if redacted else text, key)
                for version, (text, key) in texts.items()
            ),
            created=created,
            origin=origin,
            uses=uses,
            last_used=told or (naming[-1][:10] if naming else created),
            closed=closed,
            closed_at=closed_at,
            superseded_by=by,
            supersedes=distinct(one.id for _, one in count if one.new == id),
            invalidated=invalidated[0] if invalidated else "",
            promoted=promoted,
            verified=verified[0] if verified else "",
            redacted=redacted,
            rivals=tuple(rivals),
            circle=circle,
            denied=tuple((key, new) for key, new, _ in denied),
            contradicted=len(texts) > 1
            or bool(rivals)
            or bool(denied)
            or bool(circle and not calls)
            or self.torn(id),
            moves=tuple(
                (state, key, self.log[key].agent, self.log[key].session)
                for key, state in self.moves(id)
            ),
            helps=tuple(self.helps(id)),
            ignores=self.ignores(id),
            tier=tier,
            reason=reason,
            page=page,
        )

    # ---- section 5 --------------------------------------------------------------------------------

    def away(self, id: str) -> str:
        """The log that put a fact into the archive by hand, "" if none did or it came back (T6)."""
        word = self.last(id, FactArchived, FactReactivated)
        if word is None or isinstance(word[1], FactReactivated):
            return ""
        return "" if any(key > word[0] for key in self.naming(id)) else word[0]

    def behind(self, point: str) -> list[str]:
        """The work logs behind a place."""
        return [key for key in self.work if key > point]

    def passed(self, point: str, window: str) -> str:
        """The work log with which a window was passed since a place, "" if none did (T8)."""
        sessions, days = getattr(self.windows, window), getattr(self.windows, f"{window}_days")
        later: set[str] = set()
        for at, key in enumerate(self.behind(point), 1):
            later |= {key[:10]} - {point[:10]}
            if at > sessions and (not days or len(later) > days):
                return key
        return ""

    def tier(
        self,
        false: bool,
        away: str,
        promoted: bool,
        kind: str,
        closed: bool,
        young: str,
        used: str,
    ) -> str:
        if false:
            return "superseded"
        if away:
            return "archived"
        if promoted or kind in self.lasting:
            return "core"
        if young and not self.passed(young, "working"):
            found = "working"
        elif not self.passed(used, "active"):
            found = "active"
        elif not self.passed(used, "archive"):
            found = "archive-candidate"
        else:
            found = "archived"
        if kind in CLOSED_KINDS and not closed and found in ("archive-candidate", "archived"):
            return "active"
        return found

    def place(
        self,
        tier: str,
        calls: list[tuple[str, str, tuple[str, ...] | None]],
        away: str,
        closed: bool,
        closed_at: str,
        used: str,
    ) -> tuple[str, str]:
        """Why and on which page a fact is archived (T2, T4)."""
        if calls:
            by = [key for key, new, _ in calls if new]
            return ("superseded", quarter(by[0])) if by else ("invalidated", quarter(calls[0][0]))
        if away:
            return "archived", quarter(away)
        crossed = []
        if closed and self.passed(closed_at, "archive"):
            crossed.append(self.passed(closed_at, "archive"))
        if tier == "archived":
            crossed.append(self.passed(used, "archive"))
        if not crossed:
            return "", ""
        return "closed" if closed else "faded", quarter(min(crossed))


def evidence(remark: str) -> str:
    """The form of the evidence beside a fact (F12): `place`, `command` or nothing."""
    for word in remark.split():
        bare = re.sub(r"^[()\[\]{}<>,;`'\"]+|[()\[\]{}<>,;`'\".]+$", "", word)
        found = re.fullmatch(r"([^:]*?)(?::|#L)([0-9]{1,9})(?:[:-].*)?", bare, re.DOTALL)
        if found and int(found[2]) and re.search(r"[./]", found[1]) and found[1][-1] not in "./":
            if any(char.isalpha() for char in found[1]):
                return "place"
    words = re.split(r"[()\[\]{}<>,;:=→`'\"\s]+", remark.lower().strip("()[]{}<>,;:=→`'\" \t"))
    said = " ".join(words)
    codes = re.finditer(
        r"(?:^| )(?:exit|exits|exited|exitcode|exit-code|exit_code|rc)(?: (?:code|status|with))* ([0-9]{1,3})(?= |$)",
        said,
    )
    ends = any(int(code[1]) < 256 and code[0].strip() != said for code in codes)
    return "command" if ends else ""


def in_one_log(events: Iterable[Event]) -> list[Event]:
    """The order in which events of one log count (C6)."""

    def place(event: Event) -> tuple[int, str, str, tuple[str, ...]]:
        new = event.new if isinstance(event, FactSuperseded) else ""
        named: tuple[str, ...] = ()
        if isinstance(event, FactSuperseded | FactUpdated | ThreadClosed):
            named = event.was or ()
        return TABLE.index(type(event)), event.id, new, named

    return sorted(events, key=place)


def names_of(event: FactCreated | FactUpdated, stands: Iterable[str]) -> tuple[str, ...]:
    """The versions that an event names (F3)."""
    if isinstance(event, FactCreated):
        return ()
    return tuple(stands) if event.was is None else event.was


def came_unseen(
    version: str,
    named: Sequence[str],
    came: Sequence[tuple[str, tuple[str, ...]]],
    stands: Iterable[str],
) -> bool:
    """Whether a version came up again in place of one that is named too and does not stand (F3)."""
    if len(came) < 2:
        return False
    replaced = came[-1][1]
    return any(other in replaced and other not in stands for other in named if other != version)


def names(log: Log, id: str) -> bool:
    """Whether a log names an id, in a way that is a use (F4)."""
    for event in log.events:
        if isinstance(event, FactSuperseded):
            if event.new == id:
                return True
        elif event.id == id and not isinstance(event, FactInvalidated | FactArchived | FactIgnored):
            return True
    return False


def distinct(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))


def version_of(text: str) -> str:
    """A version id (3.3)."""
    left = re.fullmatch(r"\(redacted ([0-9a-f]{8})\)", text)  # what a purge left of another
    return left[1] if left else hashlib.sha256(text.encode()).hexdigest()[:8]


def is_date(text: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_id(text: str) -> bool:
    """Whether a text is a fact id (3.3)."""
    return (
        len(text) <= 80 and re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", text, re.ASCII) is not None
    )


def ids_of(value: str) -> str:
    """The ids among what a footer of ids holds (S13), as they are shown."""
    return ", ".join(one for one in re.split(r"[,\s]+", value) if is_id(one))


def is_stem(text: str) -> bool:
    """Whether a text is a name of 3.1, sealed or not: a date, and what may follow it."""
    return is_date(text[:10]) and re.fullmatch(r"(-[a-z0-9\-_.]+)?", text[10:]) is not None


def key_of(stem: str) -> str:
    """Where a name sorts (O1)."""
    timed = re.fullmatch(r"([01]\d|2[0-3])([0-5]\d){2}.*", stem[11:], re.ASCII | re.DOTALL)
    return stem if len(stem) == 10 or timed else f"{stem[:10]}+{stem[11:]}"


def stem_of(key: str) -> str:
    """The name of a log by its key (O1, L4)."""
    return key.split("~")[0].replace("+", "-")


def quarter(key: str) -> str:
    return f"{key[:4]}-Q{(int(key[5:7]) + 2) // 3}"
