"""Define what is known of one fact: its history (what logs said) and the fact (what that means).

A `History` is an element of a commutative monoid: `fold.merge` joins two histories of one fact from
disjoint sets of logs, so logs may arrive in any order and any grouping. A `Fact` is a pure function of a
history; its tier needs the position in the ledger too (`live_view`). Which of its texts stand follows from
its births, updates and closings in ledger order, and from what each of these names (F3 and F8).
"""

from __future__ import annotations

from ledger.model.event import WITHDRAWABLE, Event, FactWithdrawn, Meta
from ledger.model.ids import version_id
from ledger.model.log_names import is_date, is_stem, key_of, latest_seen, stem_in
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.verbs import IN_PROGRESS, TODO, either
from projection.policy.model import CLOSABLE, TASK_KIND, THREAD_KIND

if TYPE_CHECKING:
    from collections.abc import Container, Iterable


class Counted(Record):
    """What was counted before, as the log `at` of an import says (FORMAT.md, F4).

    `uses` are so many more than logs tell, or fewer; `last` is the date of the last one, and `since` the
    place from which disuse counts, until a log behind `at` uses the fact; `fresh` says whether it counts
    as a new one until then.
    """

    uses: int = 0
    last: str = ""
    since: str = ""
    fresh: bool = False
    at: str = ""


UNCOUNTED = Counted()


def counted_in(value: str, at: str = "") -> Counted:
    """Read the footer `counted` of a log; what is no such says nothing."""
    uses, last, since, *more = (*value.split(" "), "", "")[:5]
    digits = uses.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and is_date(last)):
        return UNCOUNTED
    if more not in ([""], ["", ""], ["working", ""]) or not (since == "-" or is_stem(since)):
        return UNCOUNTED
    # "~" sorts after every stem of that day
    place = last + "~" if since == "-" else key_of(since)
    return Counted(int(uses), last, place, more[0] != "", at)


#: Stands for every text of a redacted fact.
REDACTED_TEXT = "(redacted)"
NO_TEXT = "(no text)"
#: How the id of a thread starts that a review raised, and the footer key of the rule that found it.
THREAD_PREFIX, RULE_KEY = "review-", "review"


class Signature(Record):
    """Who wrote a log, by its header; "" for what it does not say."""

    agent: str = ""
    session: str = ""
    branch: str = ""
    role: str = ""
    type: str = ""


NOBODY = Signature()


class Act(Record):
    """One event of one log that changes more than a count; sorts by (stem, seq).

    `by` is given where it counts who said it (`ledger.model.event.SIGNED`, and a ticked box at birth).
    """

    stem: str
    seq: int
    event: Event
    by: Signature = NOBODY


class History(Record):
    """What logs said of one fact.

    `uses` counts the logs that use it (F4), `last` is the newest of them ("" if none), `acts` are the
    events that name it, in ledger order; `FactSuperseded` stands in the history of both facts. `clocks`
    are (key, stamp) of those of these logs whose names are not the time of their writers' clocks (O2).
    """

    uses: int = 0
    last: str = ""
    acts: tuple[Act, ...] = ()
    clocks: tuple[tuple[str, str], ...] = ()

    def counting(self) -> History:
        """Return it without what later logs withdrew (F15)."""
        gone: set[str] = set()
        for stem, _, event, _ in reversed(self.acts):
            if type(event) is FactWithdrawn and stem_in(stem) not in gone:
                gone.update(event.said or ())
        if not gone:
            return self
        acts = [
            act
            for act in self.acts
            if type(act.event) not in WITHDRAWABLE or stem_in(act.stem) not in gone
        ]
        return self._replace(acts=tuple(acts))

    def timed(self, clocks: Iterable[tuple[str, str]]) -> History:
        """Return it with the clocks of its acts and its last use: no other days are shown."""
        told = {self.last, *[act.stem for act in self.acts]}
        return self._replace(clocks=tuple(sorted([one for one in clocks if one[0] in told])))


class Version(Record):
    """One text of a fact: where it came from and what it replaced."""

    id: str
    text: str
    stem: str
    parents: tuple[str, ...] = ()


class Move(Record):
    """A move of a task that stands: to which state, and who wrote the log that says so.

    `stem` is the key of that log; `agent` and `session` are "" where its header does not say.
    """

    state: str
    stem: str
    agent: str = ""
    session: str = ""


class Help(Record):
    """A log in which a fact helped, as its evidence shows.

    `context` is the session and the branch of the log, with a blank between; `evidence` the form of what
    shows it (`ledger.model.evidence`): the words themselves are for `diurna why`.
    """

    stem: str
    context: str
    evidence: str


#: Of a block its first line, its footer and a blank one; and the longest line of a fact in a brief.
_AROUND_LINES, _BRIEF_CHARS = 3, 220


class Fact(Record):
    """What the ledger says of a fact.

    `heads` are the versions that stand (two or more: a contradiction, none wins); `born` is where age
    counts from and `anchor` where disuse counts from, both as something that compares with stems.
    `circle` are the successors whose supersession was left out, because it closes a circle. `denied` are
    (log, successor or "") of what calls it false and does not count, because it did not know what stands.
    `archived_at` is the log that put it away by hand, as long as nothing brought it back. `moves` are
    those of a task that stand, in ledger order; none for what is no task. `helps` are the logs in which it
    helped, `ignores` (log, role) of those who had no use for it. `counted` is what
    an import tells of uses before it. `opposed` are the facts that a footer sets against it
    (`projection.fold.falsity`); `clocks` are those of its history.
    """

    id: str
    kind: str
    heads: tuple[Version, ...]
    meta: Meta
    created: str
    origin: str
    last_used: str
    uses: int
    born: str
    anchor: str
    closed: bool = False
    closed_at: str = ""
    superseded_by: tuple[str, ...] = ()
    superseded_at: str = ""
    supersedes: tuple[str, ...] = ()
    invalidated_at: str = ""
    promoted: bool = False
    verified: str = ""
    redacted: bool = False
    rivals: tuple[str, ...] = ()
    circle: tuple[str, ...] = ()
    denied: tuple[tuple[str, str], ...] = ()
    archived_at: str = ""
    moves: tuple[Move, ...] = ()
    helps: tuple[Help, ...] = ()
    ignores: tuple[tuple[str, str], ...] = ()
    counted: Counted = UNCOUNTED
    opposed: tuple[str, ...] = ()
    clocks: tuple[tuple[str, str], ...] = ()
    #: what is told of a later time was told by a wrong clock; "" where all is believed
    latest: str = ""

    def clock(self, stem: str) -> str:
        """Return when a log of its history was written, by its writer's clock: a stamp, or the name."""
        told = dict(self.clocks).get(stem, stem)
        return "" if self.latest and told > self.latest else told

    def seen(self, now_ms: int) -> Fact:
        """Return it as it is shown: of a clock that was more than a day ahead no day is known (O4)."""
        latest = latest_seen(now_ms)
        days = [day if day <= latest else "" for day in (self.created, self.last_used)]
        return self._replace(latest=latest, created=days[0], last_used=days[1])

    @property
    def text(self) -> str:
        """The text, or all standing versions one after the other, or a withheld mark."""
        if self.redacted:
            return REDACTED_TEXT
        return "\n\n".join([version.text for version in self.heads])

    @property
    def versions(self) -> tuple[Version, ...]:
        """Its standing versions in the order in which they are shown: by log, then by id."""
        heads = self.heads
        return tuple(sorted(heads, key=lambda one: (one.stem, one.id))) if heads[1:] else heads

    @property
    def raised(self) -> bool:
        """Whether a review raised it."""
        named = self.kind == THREAD_KIND and self.id.startswith(THREAD_PREFIX)
        return named and any(key == RULE_KEY for key, _ in self.meta)

    @property
    def extent(self) -> tuple[int, int]:
        """How many lines it takes in `continuity.md`, and at most how many characters of a brief."""
        texts = [] if self.redacted else [version.text.count("\n") for version in self.heads]
        lines = sum(texts) + (2 * len(texts) if len(texts) > 1 else 0) + _AROUND_LINES
        return lines, min(len(f"- {self.id}: {self.text}"), _BRIEF_CHARS) + 1

    @property
    def young(self) -> str:
        """Where its age counts from as long as it may be `working`, "" once it was used for that."""
        if self.counted.at and self.anchor == self.counted.since:
            return self.anchor if self.counted.fresh else ""
        return self.born if self.uses <= 1 else ""

    @property
    def false(self) -> bool:
        """Superseded or invalidated."""
        return bool(self.superseded_by or self.invalidated_at)

    @property
    def contradicted(self) -> bool:
        """Whether something stands against something, and nobody decided."""
        return self.torn_apart or bool(self.opposed)

    @property
    def torn_apart(self) -> bool:
        """Several versions, live successors or moves stand, or a circle, or it was reworded as well."""
        return (
            len(self.heads) > 1
            or bool(self.rivals or self.denied)
            or (bool(self.circle) and not self.false)
            or (len(self.moves) > 1 and self.torn)
        )

    @property
    def open(self) -> bool:
        """Of a kind that is open or closed, and not closed."""
        return self.kind in CLOSABLE and not self.closed

    @property
    def states(self) -> tuple[str, ...]:
        """The state of each move of a task that stands, `todo` without one; () for what is no task."""
        if self.kind != TASK_KIND:
            return ()
        return tuple([move.state for move in self.moves]) or (TODO,)

    @property
    def state(self) -> str:
        """The state of a task; several that stand are joined by " or "."""
        return either(self.states)

    @property
    def torn(self) -> bool:
        """Moves stand that differ in state, or several logs claim the task."""
        if len(self.moves) < 2:
            return False
        return len(set(self.states)) > 1 or IN_PROGRESS in self.states

    @property
    def circular(self) -> bool:
        """Something supersedes it that it supersedes, and nothing else calls it false."""
        return bool(self.circle) and not self.false


class Texts:
    """The versions that stand, by id; `heads` is right after every step."""

    def __init__(self) -> None:
        self.heads: dict[str, Version] = {}
        self.first = ""  #: the log that brought the first
        self._replaced: dict[str, tuple[str, ...]] = {}  # by what stands, when it last came
        self._again: set[str] = set()  # what came more than once
        self._known: dict[str, Version] = {}
        self._closed_at = ""
        self._closed: tuple[str, ...] = ()
        self._settled: set[str] = set()
        self._latest: tuple[str, tuple[str, ...]] = ("", ())

    def bring(
        self, text: str | None, stem: str, was: tuple[str, ...] | None, *, knew: bool = False
    ) -> None:
        """Let a text stand; the versions it replaces no longer do, unless they come up again later.

        A version that came up again by replacing another of them is not among what this writer saw: to
        them the other one stood. So two who chose differently between the same versions both stand.
        `text` is None where the log holds none. `was` are the versions it replaces, None for all that
        stand; `knew`: whether its writer knew that the thread was closed.
        """
        if text is None:
            return
        self.first = self.first or stem
        made = version_id(text)
        stand = self.standing()
        parents = tuple(stand) if was is None else was
        gone = [
            parent
            for parent in parents
            if parent != made and not self._unseen(parent, parents, stand)
        ]
        seen = stand.keys() & parents
        if (
            was is None
            or knew
            or stem == self._closed_at
            or 0 < len(seen & self.heads.keys()) < len(seen)
        ):
            self._settled.update(parents)  # who names both sides has seen both
        for parent in gone:
            self.heads.pop(parent, None)
        first = self.heads.pop(made, None)
        if made in self._known:
            self._again.add(made)
        self.heads[made] = self._known[made] = first or Version(made, text, stem, parents)
        self._replaced[made] = parents
        self._latest = stem, parents

    def _unseen(self, version: str, named: Iterable[str], stand: Container[str]) -> bool:
        """Tell whether a version came up again, in place of one that an update names as standing."""
        if version not in self._again:
            return False  # it came once, so whoever names it has seen how
        replaced = self._replaced[version]
        return any(one != version and one in replaced and one not in stand for one in named)

    def close(self, stem: str, was: tuple[str, ...] | None) -> None:
        """Note what a closing closed; "" reopens.

        `was` are the versions that whoever closed it saw, None where it is not said.
        """
        self._closed_at, self._closed = stem, was or ()
        latest, parents = self._latest  # perhaps it was reworded and closed in one log
        self._settled = set(parents) if latest == stem else set()

    def standing(self) -> dict[str, Version]:
        """Return what stands of a closed thread: also what was closed, and reworded unaware of that."""
        found = dict(self.heads)
        for version in self._closed:
            if version not in self._settled and version in self._known:
                found[version] = self._known[version]
        return found
