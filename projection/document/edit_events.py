"""Turn a person's edit of `continuity.md` into events (A4; FORMAT.md, A1, A3 and A8).

Pure and three-way: the edit is what differs between the text that Diurna wrote (the base) and the text as
it stands; what the ledger says by now only leaves out what it says already. So `FactUpdated.was` names the
versions that the person saw, and a change made elsewhere meanwhile shows as a contradiction.

Nothing that a person wrote is dropped: it is an event, or a finding that stops it all. What they took away
of what is computed (title, note, counts, footers) is put back by the next rendering.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ledger.codec.canonical_draft import problems
from ledger.codec.fact_blocks import order_meta, tidy
from ledger.codec.outline_by_lines import code_lines
from ledger.model import event as log_events
from ledger.model.finding_codes import Finding
from ledger.model.ids import version_id
from ledger.model.layout import CONTINUITY_FILE
from ledger.model.record import Record
from ledger.model.session import SessionLog, says_personal
from projection.document.changed_block import (
    COMPUTED,
    Places,
    closed_in,
    flowed,
    new_meta,
    new_text,
    seen_in,
    surroundings,
    unstack,
)
from projection.document.page_parser import AFTER_FOOTER, NO_BULLET, Block, parse
from projection.document.page_renderer import COMPUTED_KEYS, LEAD
from projection.fold.live_view import Standing
from projection.policy.model import CLOSABLE, CONTRADICTIONS, DEFAULT_KIND, TASK_KIND, Policy
from projection.text.normalize import id_of_subject, subject_words

#: Gives the fact of an id where it stands now, None when there is none.
Known = Callable[[str], Standing | None]

_RANK = {kind: rank for rank, kind in enumerate(log_events.VERBS.values())}
_CORE = "core"
_ID = re.compile(r"\bid\s*:\s*([a-z0-9][a-z0-9.-]*)")
#: What only footers hold, also where an editor made a dash of two hyphens.
_PIECE = re.compile(
    r"<!\s*(?:--|[–—])|(?:--|[–—])>"
    r"|(?:\||^)\s*(?:created|last_used|uses|tier|origin|verified|heads|moves)\s*:\s"
)


class Absorbed(Record):
    """What an edit says."""

    #: in canonical order; none where the ledger says it all, or something was not understood
    events: tuple[log_events.Event, ...]
    findings: tuple[Finding, ...]  #: what was not understood, by line


def absorb(
    base: str, edited: str, policy: Policy, known: Known, *, file: str = CONTINUITY_FILE
) -> Absorbed:
    """Read what a person's edit of a rendered file says.

    `base` is the file as it was rendered; `known` gives the facts as they stand in the ledger now.
    """
    if base == edited:
        return Absorbed((), ())
    reader = _Reader(base, edited.replace("\r\n", "\n"), policy, known, file)
    reader.read()
    if reader.findings:
        return Absorbed((), tuple(sorted(reader.findings, key=lambda one: one.line)))
    return Absorbed(tuple(sorted(reader.events, key=lambda event: _RANK[type(event)])), ())


def _words(block: Block) -> tuple[str, str, str]:
    """Return what tells one bullet without a footer from another."""
    return block.section, block.mark, tidy(block.text)


class _Reader:
    """Compares two readings of the file; one per edit."""

    def __init__(self, base: str, text: str, policy: Policy, known: Known, file: str) -> None:
        self._base, self._lines, self._file = base, text.split("\n"), file
        self._before, _ = parse(base)
        self._after, noticed = parse(text, file=file)
        self._policy, self._known = policy, known
        self._places = Places(policy, self._before.blocks)
        self._headings = {line[3:].strip() for line in self._lines if line[:3] == "## "}
        footers = [pair for one in self._before.blocks for pair in one.footer]
        self._words = subject_words("\n".join([value for key, value in footers if key == "entity"]))
        self._made: set[str] = set()  #: ids of new bullets
        self._said: list[str] = []  #: texts that are new
        self.events: list[log_events.Event] = []
        self.findings = [one for one in noticed if one.message not in (AFTER_FOOTER, NO_BULLET)]

    def read(self) -> None:
        """Compare the facts of the page with those of its base, then what is computed around them."""
        there = {block.id: block for block in self._before.blocks if block.id}
        gone = self._changed(there)
        if gone and self._before.machine and not self._after.machine:
            more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
            said = f"the last line of the file is missing, and so is {next(iter(gone))}{more}"
            hint = "put the last line back: by it Diurna knows that the file was saved as a whole"
            self._find(said, len(self._lines), hint)
            return
        self._doubt(gone)
        for id, block in gone.items():
            standing = self._known(id)
            if standing is not None and not standing.fact.false:
                seen = seen_in(block, standing.fact)
                self.events.append(log_events.FactInvalidated(id, was=seen))
        for found in surroundings(self._before, self._after, self._lines, self._places.titles):
            self._find(*found)

    def _changed(self, there: dict[str, Block]) -> dict[str, Block]:
        """Read what the facts of the page say; return those of the base that are gone."""
        gone = dict(there)
        new: list[Block] = []
        nameless = {_words(block) for block in self._before.blocks if not block.id}
        blocks, orphans = unstack(self._after.blocks, there)
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
                now = next((one for one in blocks if one.id == twin.id), twin)
                if tidy(now.text) != tidy(twin.text):  # else it is said twice, and said
                    hint = (
                        f"keep each text with its footer; that of {twin.id} is on line {now.line}"
                    )
                    self._find(
                        f"the footer of {twin.id} stands under another text now", block.line, hint
                    )
            else:
                self._born(block)
        for block in (*orphans, *self._after.orphans):
            if block.text:
                hint = f"write `- ` before what is to stand of {block.id}, or take it away with its footer"
                self._find(f"a part of the bullet of {block.id} is left", block.line, hint)
            elif block.id not in there:
                hint = "write its bullet above it, or take it away"
                self._find(f"{NO_BULLET}: {block.id}", block.line, hint)
        return gone

    def _doubt(self, gone: dict[str, Block]) -> None:
        """Find the facts that look gone and may not be: of which a text or a footer is still there."""
        known = set(self._base.split("\n"))
        said = {line.strip() for text in self._said for line in text.split("\n")}
        for number, line in enumerate(self._lines, 1):
            for id in _ID.findall(line) if gone and line not in known else ():
                if id in gone:
                    hint = "put its footer back as it was, in a line of its own below its bullet"
                    self._find(f"the footer of {id} can not be read", number, hint)
        for id, block in gone.items():
            left = said.intersection([line.strip() for line in block.text.split("\n")]) - {""}
            there = [n for n, line in enumerate(self._lines, 1) if line.strip(" -*+") in left]
            if left:
                hint = "keep each text together with its footer, or take both away"
                message = f"a line of {id} is left, whose footer is gone"
                self._find(message, min(there, default=1), hint)

    def _amended(self, before: Block, after: Block) -> None:
        """Compare a fact with what the person made of it."""
        standing, id = self._known(before.id), before.id
        if standing is None or after.section == CONTRADICTIONS != before.section:
            if after != before._replace(line=after.line):
                self._find(f"{id} can not be changed here", after.line, COMPUTED)
            return
        fact = standing.fact
        meta = tuple([one for one in new_meta(before, after, self._find) if one not in fact.meta])
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
        others = [version for version in was if version in heads and version != version_id(text)]
        if text and version_id(text) in heads and not others:
            text = ""  # it is said already
        if (text or meta) and fact.redacted:
            hint = "write what may be said as a bullet of its own"
            said = f"{id} is redacted; nothing that is said of it is shown again"
            self._find(said, after.line, hint)
            return
        if meta and not text:  # whatever text stands by now goes on standing
            text, was = fact.heads[0].text, (fact.heads[0].id,)
        if text:  # with the mark that the person saw (F8)
            mark = before.mark if old in CLOSABLE and kind in CLOSABLE else ""
            update = log_events.FactUpdated(id, text, was, mark, order_meta(meta))
            self._add(update, after, before.text)
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
            seen = closed_in(before, fact) if old in CLOSABLE else None
            done, again = log_events.ThreadClosed(id, was=seen), log_events.ThreadReopened(id)
            self.events.append(done if closed else again)

    def _is_personal(self, meta: log_events.Meta, block: Block) -> bool:
        """Find a fact that is only one person's where others share the home: no log of it is made."""
        found = says_personal(meta) and not self._policy.personal
        if found:
            said = f"{block.id or 'a bullet'} is only one person's, and others share this home"
            hint = "take it out here, and record it in your own: `diurna note --personal TEXT`"
            self._find(said, block.line, hint)
        return found

    def _new_tier(self, before: Block, after: Block, kind: str) -> None:
        """Read `tier: core`, written or taken out; no other tier can be set."""
        old, new = before.get("tier"), after.get("tier")
        standing = self._known(before.id)
        if old == new or standing is None or not after.footer:
            return
        if new == _CORE:
            if not standing.fact.promoted:
                self.events.append(log_events.FactPromoted(before.id))
        elif old == _CORE and self._policy.kind(kind).decays:
            if standing.fact.promoted:
                self.events.append(log_events.FactDemoted(before.id))
        elif new and old == _CORE:
            hint = f"facts of kind {kind} never fade; to let it, give it another kind"
            self._find(f"{before.id} can not be taken out of core", after.line, hint)
        elif new:
            hint = "tiers are computed; a person can set `tier: core`, and take it back"
            self._find(f"the tier of {before.id} can not be set to {new}", after.line, hint)

    def _born(self, block: Block) -> None:
        """Read a bullet that the base has not."""
        kind, text = self._places.kind_of_new(block), tidy(block.text)
        if not block.section:
            hint = f"write it under a heading: {', '.join(self._places.titles)}"
            self._find("a bullet that stands in no section", block.line, hint)
        elif block.section not in self._places.titles:
            pass  # a finding of its heading, or of the parser
        elif not text:
            self._find("a bullet without a text", block.line, "write one, or take the bullet away")
        elif kind not in self._places.kinds:
            self._unknown_kind(kind, block)
        elif text.startswith(LEAD):
            hint = "put its footer back, or leave one text in place of them all"
            self._find("a contradiction without its footer", block.line, hint)
        elif standing := self._known(block.id) if block.id else None:
            if not standing.live or standing.fact.text != text:
                hint = "choose another id, or leave the footer out: Diurna makes one of the text"
                self._find(f"the id {block.id} belongs to a fact of the ledger", block.line, hint)
        elif not block.id and not any(map(str.isalnum, text)):
            hint = "give it one below the text: `  <!-- id: my-id -->`"
            self._find("no id can be made from this text", block.line, hint)
        elif id := block.id or self._new_id(text):
            self._made.add(id)
            meta = [pair for pair in block.footer if pair[0] not in COMPUTED_KEYS and all(pair)]
            if self._is_personal(tuple(meta), block):
                return
            meta += [("kind", kind)] * (kind != DEFAULT_KIND)
            mark = block.mark or (" " if kind in CLOSABLE else "")
            self._add(log_events.FactCreated(id, text, mark, order_meta(meta)), block)
            if block.get("tier") == _CORE:
                self.events.append(log_events.FactPromoted(id))

    def _new_id(self, text: str) -> str:
        """Make the first of `id`, `id-2`… that stands for nothing else; "" if it is said already."""
        made, number = id_of_subject(text, self._words), 1
        while True:
            id = made if number == 1 else f"{made}-{number}"
            standing = None if id in self._made else self._known(id)
            if id not in self._made and standing is None:
                return id
            if standing is not None and standing.live and standing.fact.text == text:
                if not any(block.id == id for block in self._before.blocks):
                    self._made.add(id)  # an absorption that was cut short said it already
                    return ""
            number += 1

    def _lost_heading(self, before: Block, after: Block) -> bool:
        """Tell whether a fact stands in the section before its own because the heading between is gone."""
        if before.section in self._headings or after.section not in self._headings:
            return False  # it was moved
        sections = list(dict.fromkeys(block.section for block in self._before.blocks))
        above = sections[: sections.index(before.section)]
        there = [section for section in above if section in self._headings]
        return there[-1:] == [after.section]

    def _add(
        self, event: log_events.FactCreated | log_events.FactUpdated, block: Block, before: str = ""
    ) -> None:
        """Take an event in, unless a log could not hold it."""
        text = event.text or ""
        self._said.append(text)
        lines, known = text.split("\n"), before.split("\n")
        pieces = [n for n, line in enumerate(lines) if _PIECE.search(line) and line not in known]
        if pieces and not code_lines(lines).issuperset(pieces):
            hint = (
                "put the line back as it was; a footer that is meant as text goes into a code fence"
            )
            self._find("a piece of a footer stands in this text", block.line, hint)
            return
        refused = problems(SessionLog((("agent", "edit"), ("type", "edit")), "Edit", "", (event,)))
        if refused:
            hint = refused[0].hint or "write it in another way"
            self._find(refused[0].message, block.line, hint, refused[0].code)
        else:
            self.events.append(event)

    def _unknown_kind(self, kind: str, block: Block) -> None:
        hint = f"kinds: {', '.join(self._places.kinds)}; diurna.toml can name more"
        self._find(f"there is no kind {kind}", block.line, hint, "unknown-kind")

    def _find(self, message: str, line: int, hint: str, code: str = "hand-edited") -> None:
        self.findings.append(Finding(code, message, self._file, line, hint))
