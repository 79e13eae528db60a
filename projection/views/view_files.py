"""Write a view as the file that stands beside `continuity.md`, and tell such files from others.

Its last line is that of `continuity.md`: by it drift shows, and an edit finds what it began from (P7).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from ledger.codec.fact_blocks import tidy
from ledger.model.event import Event, FactCreated, FactMoved, FactUpdated
from ledger.model.findings import Finding
from ledger.model.layout import FORMAT_VERSION, VIEW_FILES
from ledger.model.verbs import BLOCKED, IN_PROGRESS, may_follow
from projection.document import unlogged_lines as page_files
from projection.document.changed_block import COMPUTED, moves_in
from projection.document.edit_events import NOTHING as NOTHING
from projection.document.edit_events import Absorbed, absorb, absorb_choice
from projection.document.kind_sections import Places
from projection.document.page_parser import AFTER_FOOTER, NO_BULLET, Block, Parsed, parse
from projection.document.page_renderer import machine, section_title
from projection.fold.fact_history import Fact, History
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.policy.model import STATE_KIND, TASK_KIND, Policy
from projection.views import decision_view
from projection.views.view_page import ViewSource, write
from projection.views.view_parser import NOTE, ViewText, parse_view
from projection.views.view_table import (
    ACTIVE_WORK,
    BLOCKED_ITEMS,
    COMPLETED,
    FACTS,
    NOT_STARTED,
    STUCK,
    UNDER_WAY,
    page_of,
)

Known = Callable[[str], Standing | None]
#: A finding: what is wrong, the line, and what to do.
Said = tuple[str, int, str]


#: The kind of a new bullet, by view and heading.
_KINDS = {
    "state": dict.fromkeys((ACTIVE_WORK, BLOCKED_ITEMS), TASK_KIND)
    | dict.fromkeys(FACTS, STATE_KIND),
    "progress": dict.fromkeys(
        (COMPLETED, UNDER_WAY, STUCK, NOT_STARTED),
        TASK_KIND,
    ),
    "decisions": {decision_view.EARLIER: decision_view.KIND},
}
#: The state of a task below a heading, where a person can put it there.
_STATES = dict.fromkeys((ACTIVE_WORK, UNDER_WAY), IN_PROGRESS)
_STATES |= dict.fromkeys((BLOCKED_ITEMS, STUCK), BLOCKED)
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
    return COMPLETED if section.startswith(f"{COMPLETED} ") else section


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
        if block.section in FACTS and not block.mark:
            blocks.append(block._replace(id=FACTS[block.section]))
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


#: What a person can always do about a page that Diurna does not understand.
WAY_OUT = (
    "or `diurna check --publish --discard-edits` writes the page anew and keeps this one beside git"
)
#: What a merge leaves around two sides.
_MARKER = re.compile(r"^(?:<<<<<<<|>>>>>>>) ", re.M)
#: What of a view is computed, line by line.
_COMPUTED = re.compile(
    r"#{2,3} .*|None( yet)?\.|Never\.|Not recorded\.|\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?|.* \(`[a-z0-9.-]+`\)"
    r"|- (Date|Decided by|Rationale|Status|Reworded|Superseded by .*|Marked as false|Holds again): .*"
    r"|- DEC-\d{3,}: .* `[a-z0-9.-]+`"
)


def published(name: str, source: ViewSource) -> str:
    """Write a view as its file."""
    summary = source.summary
    last = machine(FORMAT_VERSION, summary.logs, summary.newest, summary.digest)
    return f"{write(page_of(name, source)._replace(note=NOTE))}\n{last}\n"


def has_rendered_form(path: str, text: str) -> bool:
    """Tell whether a projection file is one that rendering may have written: nothing else stands in it."""
    if path not in VIEW_FILES:
        return page_files.has_rendered_form(path, text)
    found = parse_view(path, text)
    ours = found.title.startswith(VIEW_FILES[path].capitalize()) and found.machine is not None
    return ours and found.note == NOTE and not found.noticed and not _strange(found)


def unsaid(path: str, text: str, histories: Mapping[str, History]) -> tuple[Finding, ...]:
    """Name what stands in a projection file and in no log, by line."""
    if path not in VIEW_FILES:
        return page_files.unsaid(path, text, histories)
    found = parse_view(path, text)
    said = [*found.noticed, *page_files.unsaid_blocks(path, found.blocks, histories)]
    said += [page_files.unsaid_line(path, line) for line in _strange(found)]
    if found.note not in ("", NOTE) or not found.title:
        said.append(page_files.unsaid_line(path, 1))
    return tuple(sorted(said, key=lambda one: one.line))


def withheld(path: str, text: str, fact_of: Callable[[str], Fact | None]) -> list[Finding]:
    """Name what a projection file shows and was redacted since, by line."""
    if path not in VIEW_FILES:
        return page_files.withheld(path, text, fact_of)
    return page_files.withheld_blocks(path, parse_view(path, text).blocks, fact_of)


def _strange(found: ViewText) -> list[int]:
    """Return the numbers of the lines that stand there and are neither computed nor of a fact."""
    lines = [*found.frame]
    for one in found.loose:
        lines += [(one.block.line + number, line) for number, line in enumerate(one.lines)]
    return [number for number, line in lines if line and not _COMPUTED.fullmatch(line)]


def absorb_file(
    path: str,
    base: str,
    edited: str,
    policy: Policy,
    known: Callable[[str], Standing | None],
    *,
    file: str = "",
) -> Absorbed:
    """Read what a person's edit of a projection file says.

    `path` is in the home, `continuity.md` or that of a view; `base` is the file as it was rendered;
    `known` gives the facts as they stand in the ledger now. `file` is its name in findings, "" for its
    path.
    """
    if path in VIEW_FILES:
        return absorb_view(path, base, edited, policy, known, file=file or path)
    return absorb(base, edited, policy, known, file=file or path)


def read_edit(path: str, base: str | None, edited: str, now: State, *, file: str = "") -> Absorbed:
    """Read what a person's edit of a projection file says, wherever the file stands (A7).

    `base` is the file as it was rendered, None where nobody knows; `file` is its name in findings, ""
    for its path.
    """
    marker = _MARKER.search(edited)
    if base is None or marker is not None:  # of two sides what is new in either counts
        left = unsaid(path, edited, now.histories)
        if left and marker is not None and file:  # of a committed one, `check` names each
            line = edited.count("\n", 0, marker.start()) + 1
            hint = "keep the lines that hold, and take those with the markers away"
            what = "a merge conflict marker"
            left = (Finding("conflict-in-projection", what, path, line, hint), *left)
        found = Absorbed((), tuple([one._replace(file=file or path) for one in left]))
    else:
        found = absorb_file(path, base, edited, now.policy, now.get, file=file)
    return found._replace(findings=with_way_out(found.findings))


def left_said(path: str, text: str, policy: Policy) -> Absorbed:
    """Name what stands around the facts of a file of which a log says what events can say."""
    if path in VIEW_FILES:
        found = parse_view(path, text)
        lines = _strange(found)
    else:
        parsed, noticed = parse(text, file=path)
        titles = {section_title(policy, kind.name) for kind in policy.kinds}
        said = [one for one in noticed if one.message not in (AFTER_FOOTER, NO_BULLET)]
        lines = [one.line for one in said]
        lines += [one.line for one in parsed.blocks if not one.id and one.section not in titles]
    left = tuple([page_files.unsaid_line(path, line) for line in sorted(lines)])
    return Absorbed((), with_way_out(left))


def with_way_out(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Let the first of some findings name the command that is always a way out."""
    if not findings:
        return ()
    first, *others = findings
    return (first._replace(hint=f"{first.hint}; {WAY_OUT}" if first.hint else WAY_OUT), *others)
