"""Turn a person's edit of a view into events, as `edit_events` does for `continuity.md`.

A view shows a choice of facts, and a fact that is missing in it is not taken back: that is said in
`continuity.md`. What stands in the page and is computed counts as it was; another line there is a finding.
"""

from __future__ import annotations

from ledger.codec.fact_blocks import tidy
from ledger.model.event import Event, FactCreated, FactMoved, FactUpdated
from ledger.model.findings import Finding
from ledger.model.layout import VIEW_FILES
from ledger.model.task_states import BLOCKED, IN_PROGRESS, may_follow
from projection.document.changed_block import moves_in
from projection.document.edit_events import Absorbed, absorb_choice
from projection.document.frame import COMPUTED
from projection.document.kind_sections import Places
from projection.document.page_parser import AFTER_FOOTER, Parsed
from projection.policy.model import STATE_KIND, TASK_KIND
from projection.views import decision_view, state_view
from projection.views.view_parser import parse_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from projection.document.page_parser import Block
    from projection.fold.projection_state import Standing
    from projection.policy.model import Policy
    from projection.views.view_parser import ViewText

    Known = Callable[[str], Standing | None]
    #: A finding: what is wrong, the line, and what to do.
    Said = tuple[str, int, str]

#: The kind of a new bullet, by view and heading.
_KINDS = {
    "state": dict.fromkeys((state_view.ACTIVE_WORK, state_view.BLOCKED_ITEMS), TASK_KIND)
    | dict.fromkeys(state_view.FACTS, STATE_KIND),
    "progress": dict.fromkeys(
        (state_view.COMPLETED, state_view.UNDER_WAY, state_view.STUCK, state_view.NOT_STARTED),
        TASK_KIND,
    ),
    "decisions": {decision_view.EARLIER: decision_view.KIND},
}
#: The state of a task below a heading, where a person can put it there.
_STATES = dict.fromkeys((state_view.ACTIVE_WORK, state_view.UNDER_WAY), IN_PROGRESS)
_STATES |= dict.fromkeys((state_view.BLOCKED_ITEMS, state_view.STUCK), BLOCKED)
_GONE = "a view shows facts and takes none back: `diurna append --invalidate {id}` says that it is false"


def absorb_view(
    path: str, base: str, edited: str, policy: Policy, known: Known, *, file: str
) -> Absorbed:
    """Read what a person's edit of a view says.

    `base` is the file as it was rendered; `known` gives the facts as they stand in the ledger now.
    """
    if base == edited:
        return Absorbed((), ())
    before, after = parse_view(path, base), parse_view(path, edited, file)
    kinds = _KINDS[VIEW_FILES[path]]
    blocks, strange = _read(before, after, kinds)
    headings = _Headings(kinds, policy, before.blocks)
    was, now = _parsed(before, before.blocks), _parsed(after, blocks)
    found = absorb_choice(was, now, headings, policy, known, file)
    moves, moved_wrong = _moves(before, blocks, found.events, known)
    strange += moved_wrong
    if after.title not in ("", before.title) or after.note not in ("", before.note):
        strange.append(("its head was changed", 1, COMPUTED))
    findings = [*found.findings, *[one for one in after.noticed if one.message != AFTER_FOOTER]]
    findings += [Finding("hand-edited", what, file, line, hint) for what, line, hint in strange]
    findings.sort(key=lambda one: one.line)
    return Absorbed((*found.events, *moves), tuple(findings))


class _Headings(Places):
    """The headings of a view, with the kind of a new bullet below each."""

    def __init__(self, kinds: Mapping[str, str], policy: Policy, blocks: Iterable[Block]) -> None:
        super().__init__(policy, ())
        self._known = tuple([kind.name for kind in policy.kinds])
        self._kinds = {title: [kind] for title, kind in kinds.items()}
        for block in blocks:
            self._kinds.setdefault(block.section, [])

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds that the policy names."""
        return self._known

    def kind_after(self, before: Block, after: Block) -> str:
        """Return the kind of a block: a heading of a view says nothing of it."""
        return after.get("kind") or self.kind(before)


def _parsed(view: ViewText, blocks: Iterable[Block]) -> Parsed:
    return Parsed(view.title, "", view.note, (), (), tuple(blocks), view.machine)


def _heading(section: str) -> str:
    """Return a heading without the day that may stand in it."""
    return state_view.COMPLETED if section.startswith(f"{state_view.COMPLETED} ") else section


def _read(
    before: ViewText, after: ViewText, kinds: Mapping[str, str]
) -> tuple[list[Block], list[Said]]:
    """Return the facts of the page as it stands, with what a person added, and what is neither."""
    computed = {line for _, line in before.frame}
    computed.update(line for one in before.loose for line in one.lines)
    there = {block.id: block for block in before.blocks}
    blocks, strange = list(after.blocks), []
    for one in after.loose:
        block = one.block._replace(section=_heading(one.block.section) or decision_view.EARLIER)
        if all(line in computed for line in one.lines if line):
            continue
        if block.section in state_view.FACTS and not block.mark:
            blocks.append(block._replace(id=state_view.FACTS[block.section]))
        elif block.section in kinds and one.lines[0][:2] == "- ":
            blocks.append(block)
        else:
            strange.append(_no_part(block.line, kinds))
    strange += [_no_part(line, kinds) for line, said in after.frame if said not in computed]
    ids, texts = {block.id for block in blocks}, {tidy(block.text) for block in blocks}
    for id, block in there.items():
        if id not in ids and tidy(block.text) not in texts:
            strange.append((f"{id} was taken out", 1, _GONE.format(id=id)))
    return blocks, strange


def _no_part(line: int, kinds: Mapping[str, str]) -> Said:
    said = ", ".join([title for title in kinds if title])
    return "this text is no part of a fact", line, f"write it as a bullet (`- ...`) under {said}"


def _moves(
    before: ViewText, blocks: Iterable[Block], events: Iterable[Event], known: Known
) -> tuple[list[Event], list[Said]]:
    """Read to which state a person put tasks, by the headings that they stand under now."""
    there = {block.id: block for block in before.blocks}
    born: dict[str, list[str]] = {}
    for event in events:
        if isinstance(event, FactCreated):
            born.setdefault(event.text or "", []).append(event.id)
    touched = {event.id for event in events if not isinstance(event, FactUpdated)}
    moves: list[Event] = []
    wrong: list[Said] = []
    for block in blocks:
        wanted = _STATES.get(block.section, "")
        was = there.get(block.id)
        if was is None:
            made = born.get(tidy(block.text), [])
            id = made.pop(0) if made else ""
            if id and wanted and block.mark != "x":
                moves.append(FactMoved(id, wanted, was=()))
            continue
        if block.mark and not was.mark:
            wrong.append((f"{block.id} has no checkbox", block.line, COMPUTED))
        if _heading(block.section) == _heading(was.section) or block.id in touched:
            continue
        standing = known(block.id)
        if standing is not None and standing.fact.kind == TASK_KIND and wanted:
            states = standing.fact.states
            if wanted in states and len(states) == 1:
                continue
            if wanted in may_follow(states):
                moves.append(FactMoved(block.id, wanted, was=moves_in(was)))
                continue
        said = f"{block.id} stands under another heading, which it can not be moved to"
        wrong.append((said, block.line, "put it back where it stood"))
    return moves, wrong
