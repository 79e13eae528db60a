"""Tell the kind of a fact from its section of `continuity.md`."""

from __future__ import annotations

from collections.abc import Iterable

from projection.document.page_parser import Block
from projection.document.page_renderer import section_title
from projection.policy.model import CLOSABLE, THREAD_KIND, Policy


class Places:
    """The sections that a policy and a rendered file have, with their kinds.

    Args:
        policy: names kinds and their sections.
        blocks: of the rendered file; they may be of kinds that the policy does not name.
    """

    def __init__(self, policy: Policy, blocks: Iterable[Block]) -> None:
        self._kinds: dict[str, list[str]] = {}
        for kind in policy.kinds:
            self._kinds.setdefault(section_title(policy, kind.name), []).append(kind.name)
        for block in blocks:
            there = self._kinds.setdefault(block.section, [])
            if block.get("kind") and block.get("kind") not in there:
                there.append(block.get("kind"))

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of all sections, in rendering order."""
        return tuple(self._kinds)

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds, in rendering order."""
        return tuple(dict.fromkeys(kind for there in self._kinds.values() for kind in there))

    def kind(self, block: Block) -> str:
        """Return the kind of a block: what its footer says, else what its section implies."""
        there = self._kinds.get(block.section, [])
        return block.get("kind") or (there[0] if there else "")

    def kind_of_new(self, block: Block) -> str:
        """Return the kind of a block that a person added; a checkbox makes a thread of what has none."""
        kind = self.kind(block)
        if block.get("kind") or kind in CLOSABLE or not block.mark:
            return kind
        return THREAD_KIND

    def kind_after(self, before: Block, after: Block) -> str:
        """Return the kind of a block that a person may have moved, ticked or given a kind."""
        old, said = self.kind(before), after.get("kind")
        if said and said != before.get("kind"):
            return said
        if after.section != before.section:
            there = self._kinds.get(after.section, [])
            return old if old in there or not there else there[0]
        boxed = after.mark and not before.mark and old not in CLOSABLE
        return THREAD_KIND if boxed else old
