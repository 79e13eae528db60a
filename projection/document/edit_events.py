"""Turn a person's edit of `continuity.md` into events (A4; FORMAT.md, A1, A3 and A8).

Pure and three-way: the edit is what differs between the text that Diurna wrote (the base) and the text as
it stands; what the ledger says by now only leaves out what it says already. So `FactUpdated.was` names the
versions that the person saw, and a change made elsewhere meanwhile shows as a contradiction.

Nothing that a person wrote is dropped: it is an event, or a finding that stops it all. What they took away
of what is computed (title, note, counts, footers) is put back by the next rendering.
"""

from __future__ import annotations

from collections.abc import Callable

from ledger.codec.fact_blocks import order_meta, tidy
from ledger.codec.validate import problems
from ledger.model import event as log_events
from ledger.model.findings import Finding
from ledger.model.ids import version_id
from ledger.model.layout import CONTINUITY_FILE
from ledger.model.record import Record
from ledger.model.session import SessionLog, says_personal
from projection.document.bullet_ids import NewIds
from projection.document.changed_block import (
    COMPUTED,
    broken,
    closed_in,
    doubts,
    flowed,
    left_below,
    narrowed,
    new_meta,
    new_text,
    seen_in,
    surroundings,
    unstack,
)
from projection.document.kind_sections import Places
from projection.document.page_parser import AFTER_FOOTER, NO_BULLET, Block, Parsed, parse
from projection.document.page_renderer import COMPUTED_KEYS, LEAD
from projection.fold.projection_state import Standing
from projection.policy.model import CLOSABLE, CONTRADICTIONS, DEFAULT_KIND, TASK_KIND, Policy

#: Gives the fact of an id where it stands now, None when there is none.
Known = Callable[[str], Standing | None]

_RANK = {kind: rank for rank, kind in enumerate(log_events.VERBS.values())}
_CORE = "core"


class Absorbed(Record):
    """What an edit says."""

    #: in canonical order; none where the ledger says it all, or something was not understood
    events: tuple[log_events.Event, ...]
    findings: tuple[Finding, ...]  #: what was not understood, by line


NOTHING = Absorbed((), ())


def absorb(
    base: str, edited: str, policy: Policy, known: Known, *, file: str = CONTINUITY_FILE
) -> Absorbed:
    """Read what a person's edit of a rendered file says.

    `base` is the file as it was rendered; `known` gives the facts as they stand in the ledger now.
    """
    if base == edited:
        return NOTHING
    before, _ = parse(base)
    after, noticed = parse(narrowed(edited), file=file)
    reader = _Reader(before, after, edited, policy, known, file, Places(policy, before.blocks))
    reader.findings += [one for one in noticed if one.message not in (AFTER_FOOTER, NO_BULLET)]
    reader.read(base, [one.line for one in noticed if one.message == AFTER_FOOTER])
    return reader.absorbed()


def absorb_choice(
    before: Parsed, after: Parsed, places: Places, policy: Policy, known: Known, file: str
) -> Absorbed:
    """Read what the edit of a page says that shows a choice of facts: what it lacks is not taken back.

    `before` is the page as it was rendered, `after` as it stands; `places` are its headings, and
    `known` gives the facts as they stand in the ledger now.
    """
    reader = _Reader(before, after, "", policy, known, file, places)
    reader.read_facts()
    return reader.absorbed()


def _words(block: Block) -> tuple[str, str, str]:
    """Return what tells one bullet without a footer from another."""
    return block.section, block.mark, tidy(block.text)


class _Reader:
    """Compares two readings of the file; one per edit."""

    def __init__(
        self,
        before: Parsed,
        after: Parsed,
        text: str,
        policy: Policy,
        known: Known,
        file: str,
        places: Places,
    ) -> None:
        self._before, self._after, self._file = before, after, file
        self._lines = text.split("\n")
        self._policy, self._known = policy, known
        self._places = places
        self._ids = NewIds(known, before.blocks)
        #: blocks that say something new, with their text in the base
        self._said: list[tuple[Block, str]] = []
        self._headings = {line[3:].strip() for line in self._lines if line[:3] == "## "}
        self._orphans: list[Block] = []
        self.events: list[log_events.Event] = []
        self.findings: list[Finding] = []

    def absorbed(self) -> Absorbed:
        """Return what was read: all that the edit says, or why that can not be told."""
        if self.findings:
            return Absorbed((), tuple(sorted(self.findings, key=lambda one: one.line)))
        return Absorbed(tuple(sorted(self.events, key=lambda event: _RANK[type(event)])), ())

    def read_facts(self) -> tuple[dict[str, Block], dict[str, Block]]:
        """Compare the facts; return those of the base, and those of them that are gone."""
        gone = {block.id: block for block in self._before.blocks if block.id}
        there = dict(gone)
        new: list[Block] = []
        nameless = {_words(block) for block in self._before.blocks if not block.id}
        blocks, self._orphans = unstack(self._after.blocks, there)
        self._orphans += self._after.orphans
        for block in blocks:
            if block.id in gone:
                self._amended(gone.pop(block.id), block)
            elif not block.id and _words(block) in nameless:
                continue  # a base that a person wrote: a log says it
            elif block.id not in there:  # a second block of one id is a finding of the parser
                new.append(block)
        texts: dict[str, list[Block]] = {}
        for block in there.values():
            texts.setdefault(flowed(block.text), []).append(block)
        for block in new:
            alike = [] if block.id else texts.get(flowed(block.text), [])
            twin = next((one for one in alike if one.id in gone), alike[0] if alike else None)
            if twin is not None and twin.id in gone:  # only its footer was taken away
                self._amended(gone.pop(twin.id), block)
            elif twin is not None and twin.section == block.section:
                self._repeated(twin, block)
            else:
                self._born(block)
        for block in self._orphans:
            if block.text:
                hint = f"write `- ` before what is to stand of {block.id}, or take it away with its footer"
                self._find(f"a part of the bullet of {block.id} is left", block.line, hint)
            elif block.id not in there:
                hint = "write its bullet above it, or take it away"
                self._find(f"{NO_BULLET}: {block.id}", block.line, hint)
        return there, gone

    def read(self, base: str, followed: list[int]) -> None:
        """Compare the facts of the page with those of its base, then what is computed around them.

        `base` is the page as it was rendered; `followed` are the lines of footers that text follows.
        """
        there, gone = self.read_facts()
        if gone and self._before.machine and not self._after.machine:
            said = f"the last line of the file is missing, and so is {self._named(list(gone))}"
            hint = "put the last line back: by it Diurna knows that the file was saved as a whole"
            self._find(said, len(self._lines), hint)
            gone = {}  # the file may have been cut short
        for doubt in (
            *left_below(base, self._lines, followed),
            *doubts(gone, self._said, base, self._lines, self._orphans),
        ):
            self._find(*doubt)
        for id in gone:
            standing = self._known(id)
            if standing is not None and not standing.fact.false:
                self.events.append(
                    log_events.FactInvalidated(id, was=seen_in(there[id], standing.fact))
                )
        touched = {event.id for event in self.events}
        self.findings += surroundings(
            self._before, self._after, self._lines, self._places.titles, self._known, touched,
            self._file,
        )  # fmt: skip

    def _amended(self, before: Block, after: Block) -> None:
        """Compare a fact with what the person made of it."""
        standing = self._known(before.id)
        if standing is None or after.section == CONTRADICTIONS != before.section:
            if after != before._replace(line=after.line):
                self._find(f"{before.id} can not be changed here", after.line, COMPUTED)
            return
        fact, id = standing.fact, before.id
        meta = tuple(pair for pair in new_meta(before, after, self._find) if pair not in fact.meta)
        if self._is_personal(meta, after):
            return
        kind, old = self._places.kind_after(before, after), self._places.kind(before)
        if kind != old and not after.get("kind") and self._lost_heading(before, after):
            hint = f"put the line `## {before.section}` back where it stood"
            self._find(f"the heading above {id} was taken away", after.line, hint)
            return
        if kind != old and kind not in self._places.kinds:
            self._unknown_kind(kind, after)
            return
        if kind != old and fact.kind != kind:
            meta = (("kind", kind), *meta)
        text, was = new_text(before, after, self._find)
        heads = [version.id for version in fact.heads]
        if text and version_id(text) in heads and not any(
            version in heads for version in was if version != version_id(text)
        ):  # fmt: skip
            text = ""  # it is said already
        if (text or meta) and fact.redacted:
            self._find(
                f"{id} is redacted; nothing that is said of it is shown again",
                after.line,
                "write what may be said as a bullet of its own",
            )
            return
        if meta and not text:  # whatever text stands by now goes on standing
            text, was = fact.heads[0].text, (fact.heads[0].id,)
        if text:
            mark = (
                before.mark if old in CLOSABLE and kind in CLOSABLE else ""
            )  # what the person saw (F8)
            self._add(
                log_events.FactUpdated(id, text, was, mark, order_meta(meta)), after, before.text
            )
        self._new_tier(before, after, kind)
        if kind not in CLOSABLE:
            return
        if old in CLOSABLE and not after.mark:
            hint = "write `[ ]` or `[x]` before it; to make something else of it, move it"
            self._find(f"the {kind} {id} has lost its checkbox", after.line, hint)
            return
        closed, was_closed = after.mark == "x", before.mark == "x"
        other = kind not in (old, fact.kind)  # what closed it before says nothing of the new kind
        newly = other and (TASK_KIND in (old, kind) or old not in CLOSABLE)
        if newly or closed not in (was_closed, fact.closed):
            done = log_events.ThreadClosed(
                id, was=closed_in(before, fact) if old in CLOSABLE else None
            )
            self.events.append(done if closed else log_events.ThreadReopened(id))

    def _is_personal(self, meta: log_events.Meta, block: Block) -> bool:
        """Find a fact that is only one person's where others share the home: no log of it is made."""
        found = says_personal(meta) and not self._policy.personal
        if found:
            said = f"{block.id or 'a bullet'} is only one person's, and others share this home"
            hint = "take it out here, and record it in your own: `diurna note --personal TEXT`"
            self._find(said, block.line, hint)
        return found

    def _new_tier(self, before: Block, after: Block, kind: str) -> None:
        old, new = before.get("tier"), after.get("tier")
        standing = self._known(before.id)
        if old == new or standing is None or not after.footer:
            return
        if new == _CORE:
            if not standing.fact.promoted:
                self.events.append(log_events.FactPromoted(before.id))
        elif old == _CORE:
            if self._policy.kind(kind).decays:
                if standing.fact.promoted:
                    self.events.append(log_events.FactDemoted(before.id))
            elif new:
                hint = f"facts of kind {kind} never fade; to let it, give it another kind"
                self._find(f"{before.id} can not be taken out of core", after.line, hint)
        elif new:
            hint = "tiers are computed; a person can set `tier: core`, and take it back"
            self._find(f"the tier of {before.id} can not be set to {new}", after.line, hint)

    # ---- new facts --------------------------------------------------------------------------------

    def _born(self, block: Block) -> None:
        """Read a bullet that the base has not."""
        kind, text, id = self._places.kind_of_new(block), tidy(block.text), block.id
        if block.section == CONTRADICTIONS and CONTRADICTIONS not in self._places.titles:
            return  # a finding of the parser
        if not block.section:
            hint = f"write it under a heading: {', '.join(self._places.titles)}"
            self._find("a bullet that stands in no section", block.line, hint)
            return
        if block.section not in self._places.titles:
            return  # a finding of its heading
        if not text:
            self._find("a bullet without a text", block.line, "write one, or take the bullet away")
            return
        if kind not in self._places.kinds:
            self._unknown_kind(kind, block)
            return
        if text.startswith(LEAD):
            hint = "put its footer back, or leave one text in place of them all"
            self._find("a contradiction without its footer", block.line, hint)
            return
        standing = self._known(id) if id else None
        if standing is not None:
            if not standing.live or standing.fact.text != text:
                hint = "choose another id, or leave the footer out: Diurna makes one of the text"
                self._find(f"the id {id} belongs to a fact of the ledger", block.line, hint)
            return
        if not id:
            try:
                id = self._ids.free(text)
            except ValueError:
                hint = "give it one below the text: `  <!-- id: my-id -->`"
                self._find("no id can be made from this text", block.line, hint)
                return
            if not id:
                return
        self._ids.made.add(id)
        meta = [pair for pair in block.footer if pair[0] not in COMPUTED_KEYS and all(pair)]
        if self._is_personal(tuple(meta), block):
            return
        if kind != DEFAULT_KIND:
            meta.append(("kind", kind))
        mark = block.mark or (" " if kind in CLOSABLE else "")
        self._add(log_events.FactCreated(id, text, mark, order_meta(meta)), block)
        if block.get("tier") == _CORE:
            self.events.append(log_events.FactPromoted(id))

    def _repeated(self, twin: Block, block: Block) -> None:
        """Read a bullet without a footer that says what a fact of the base said."""
        now = next((one for one in self._after.blocks if one.id == twin.id), twin)
        if tidy(now.text) == tidy(twin.text):
            return  # said twice is said
        hint = f"keep each text together with its footer; that of {twin.id} is on line {now.line}"
        self._find(f"the footer of {twin.id} stands under another text now", block.line, hint)

    # ---- saying it --------------------------------------------------------------------------------

    def _lost_heading(self, before: Block, after: Block) -> bool:
        """Tell whether a fact stands in the section before its own because the heading between is gone."""
        if before.section in self._headings or after.section not in self._headings:
            return False  # it was moved; the headings of a view say nothing
        sections = list(dict.fromkeys(block.section for block in self._before.blocks))
        above = sections[: sections.index(before.section)]
        there = [section for section in above if section in self._headings]
        return there[-1:] == [after.section]

    def _add(
        self, event: log_events.FactCreated | log_events.FactUpdated, block: Block, before: str = ""
    ) -> None:
        """Take an event in, unless a log could not hold it."""
        self._said.append((block, before))
        line = block.line
        if broken(event.text or "", before):
            hint = (
                "put the line back as it was; a footer that is meant as text goes into a code fence"
            )
            self._find("a piece of a footer stands in this text", line, hint)
            return
        refused = problems(SessionLog((("agent", "edit"), ("type", "edit")), "Edit", "", (event,)))
        if refused:
            hint = refused[0].hint or "write it in another way"
            self.findings.append(
                Finding(refused[0].code, refused[0].message, self._file, line, hint)
            )
        else:
            self.events.append(event)

    def _unknown_kind(self, kind: str, block: Block) -> None:
        hint = f"kinds: {', '.join(self._places.kinds)}; diurna.toml can name more"
        self.findings.append(
            Finding("unknown-kind", f"there is no kind {kind}", self._file, block.line, hint)
        )

    def _find(self, message: str, line: int, hint: str) -> None:
        self.findings.append(Finding("hand-edited", message, self._file, line, hint))

    def _named(self, ids: list[str]) -> str:
        return ids[0] if len(ids) == 1 else f"{ids[0]} and {len(ids) - 1} more"
