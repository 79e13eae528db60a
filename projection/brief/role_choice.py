"""Tell which facts are for one role alone, and which the role that asks has for itself.

A fact whose footer names roles is shown to these alone. What a tag names, or a log of a role brought, is
for the role as well, but for others too; only notes and patterns that none but logs of a role brought are
kept from other roles.
"""

from __future__ import annotations

from ledger.model.record import Record
from projection.policy.model import PATTERN_KIND, THREAD_KIND
from projection.text.role_names import role_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from projection.fold.fact_history import Fact
    from projection.policy.model import Learning

#: What comes first for a role, and what a log of the role does not bring to it.
NOTE_KINDS = ("note", PATTERN_KIND)
_KINDS_OF_OTHERS = ("decision", "invariant", THREAD_KIND)
#: About how many characters a token has.
_TOKEN_CHARS = 4
_NOBODY: frozenset[str] = frozenset()


class RoleNotes(Record):
    """What some facts are to the role that asks."""

    #: ids of those that are for it: by footer, by tag, or as notes of its logs
    own: frozenset[str] = _NOBODY
    alone: frozenset[str] = _NOBODY  #: ids of those among them whose footer names it
    others: frozenset[str] = _NOBODY  #: ids of those that are not for it


def roles_of(fact: Fact) -> frozenset[str]:
    """Return the roles that a fact is for alone; none for one that everybody may know."""
    for key, value in fact.meta:
        if key == "role":
            return role_names(value)
    return _NOBODY


def is_note(fact: Fact) -> bool:
    """Tell whether a fact that a log of a role brought is a note of it: no other section is for it."""
    return fact.kind not in _KINDS_OF_OTHERS


def chars_for(asked: str, learning: Learning) -> int:
    """Return how many characters what a role learned may have in its brief.

    The policy counts in tokens.
    """
    adversarial = role_names(", ".join(learning.adversarial))
    usual = adversarial.isdisjoint(role_names(asked))
    return _TOKEN_CHARS * (learning.role_tokens if usual else learning.adversarial_tokens)


def is_summary(fact: Fact, asked: str) -> bool:
    """Tell whether a fact for a role sums up what it knows, by its id `role-ROLE-summary` or its tag."""
    if fact.kind == PATTERN_KIND and "summary" in _tags(fact):
        return True
    parts = ["".join([c if c.isalnum() else " " for c in one]) for one in role_names(asked)]
    return fact.id in ["-".join(["role", *part.split(), "summary"]) for part in parts]


def role_notes(
    facts: Iterable[Fact], asked: str, brought: Mapping[str, frozenset[str]]
) -> RoleNotes:
    """Sort facts by whom they are for.

    `asked` is the role that asks, "" for none; several may be parted by commas. `brought` is what the
    logs that brought a note say as their role, by its id; "" for a log without one.
    """
    own, alone, others = set(), set(), set()
    roles = role_names(asked)
    for fact in facts:
        named = roles_of(fact)
        if named:
            if roles.isdisjoint(named):
                others.add(fact.id)
            else:
                own.add(fact.id)
                alone.add(fact.id)
        elif roles:
            said = [role_names(one) for one in brought.get(fact.id, ())]
            if not roles.isdisjoint([*_tags(fact), *frozenset().union(*said)]):
                own.add(fact.id)
            elif fact.kind in NOTE_KINDS and said and all(said):
                others.add(fact.id)
    return RoleNotes(frozenset(own), frozenset(alone), frozenset(others))


def _tags(fact: Fact) -> frozenset[str]:
    return next((role_names(value) for key, value in fact.meta if key == "tags"), _NOBODY)
