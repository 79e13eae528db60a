"""Say at which commands a rule will be told that was recorded just now, so that its author corrects it."""

from __future__ import annotations

import os

from ledger.environment import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from projection.text.command_rules import Breach

#: Words of a log without which nothing in it is such a rule: no grammar is loaded for it.
_SIGNS = (
    b"never", b"n't", b"n\xe2\x80\x99t", b" not ", b" no ", b"No ", b"avoid", b"instead of",
    b" over ", b"gone", b"deprecated", b"forbidden", b"banned", b"retired", b"warns:", b"Not ",
    b"Avoid", b"Never", b"Instead", b"rather than", b"Rather",
)  # fmt: skip


def told_at(data: bytes) -> list[tuple[str, str]]:
    """Return what of a log's bytes is a rule, as (its id, the commands that it will be told at)."""
    if not any(sign in data for sign in _SIGNS):
        return []
    from ledger.codec.log import decode
    from ledger.model.event import FactCreated, FactUpdated
    from projection.text.command_rules import WARNS_KEY, breaches

    found = []
    for event in decode(data, sealed=True)[0].events:
        if isinstance(event, FactCreated | FactUpdated) and event.text:
            meta = dict(event.meta)
            warns = meta.get(WARNS_KEY, "")
            rules = breaches(meta.get("kind", ""), event.text, warns)
            said = [f"`{one}`" for one in rules if warns or is_command(one, event.text)]
            found += [(event.id, ", ".join(said))] if said else []
    return found


def is_command(one: Breach, text: str) -> bool:
    """Tell whether what a rule speaks against is surely a command, and no other word of a sentence."""
    from projection.text.command_rules import ANY, EDITS
    from rituals.hosts.observed.shell import RUNNERS
    from rituals.hosts.observed.shell_outcomes import PROGRAMS

    program = one.program
    return (
        program in (ANY, EDITS, "git")
        or program in PROGRAMS
        or program in RUNNERS
        or f"`{program}" in text
        or any(word[:1] == "-" for word in one.given)
        or _is_here(program, variables().get("PATH", "").split(":"))
    )


def _is_here(program: str, folders: Iterable[str]) -> bool:
    return any(os.access(f"{folder}/{program}", os.X_OK) for folder in folders if folder[:1] == "/")
