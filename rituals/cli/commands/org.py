"""Run `diurna org`: read the ledgers of an organisation, and say who may read what."""

from __future__ import annotations

import os

from ledger.environment import data_folder
from ledger.errors import WrongUsage
from rituals.cli.context import STDIN, Invocation
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rituals.org.org_database import Connection

#: Each action with the words that it takes, at least and at most (-1 for any number), and its own options.
_TAKES: Mapping[str, tuple[int, int, str]] = {
    "init": (0, 1, ""), "add": (1, -1, "team reader"), "work": (0, -1, "once mirrors"),
    "readers": (1, -1, ""), "status": (0, 0, ""), "rebuild": (1, -1, "forget mirrors"),
}  # fmt: skip
ACTIONS = tuple(_TAKES)


def org(call: Invocation, /, action: str, words: tuple[str, ...], **given: Any) -> None:
    """Run `diurna org`."""
    _check(action, words, given)
    from rituals.org.org_database import SCHEMA, connect_owner, initialise, place_of, told

    if action == "init":
        new = initialise(place_of(words[0] if words else ""))
        said = f"the schema is of number {SCHEMA}" + ("" if new else ", as it was")
        return _tell(call, {"schema": SCHEMA, "new": new}, said)
    with connect_owner() as base, told():
        _run(call, base, action, words, given)
    if action == "work":
        from rituals.org.org_reading import work

        work(place_of(), _mirrors(call, given), once=given["once"])


def _run(
    call: Invocation,
    base: Connection[Any],
    action: str,
    words: tuple[str, ...],
    given: dict[str, Any],
) -> None:
    from rituals.org import org_ledgers as ledgers

    if action == "status":
        found = ledgers.status(base)
        return _tell(call, found, "\n".join(ledgers.status_lines(found)))
    if action == "add":
        named = ledgers.listed(_listed(call, words), call.folder())
        new = ledgers.add(base, named, given["team"], given["reader"])
        said = "" if given["reader"] else "; nobody may read them yet: `diurna org readers`"
        return _tell(call, {"added": new}, f"{counted(len(new), 'ledger')} will be read{said}")
    if action == "readers":
        name, ledger = words[0], ledgers.ledger_named(base, words[0])
        if words[1:]:
            ledgers.set_readers(base, ledger, _listed(call, words[1:]))
        roles = ledgers.readers_of(base, ledger)
        said = f"{name} is read by {', '.join(roles) or 'nobody'}"
        return _tell(call, {"ledger": name, "readers": roles}, said)
    numbers = [ledgers.ledger_named(base, one) for one in words]
    if action == "work":
        return ledgers.wish(base, numbers)
    said = "made anew when `diurna org work` comes to it"
    if given["forget"]:
        from rituals.org.org_mirror import forget

        for one in numbers:
            ledgers.forget_ledger(base, one)
            forget(_mirrors(call, given), one)
        said = "forgotten"
    else:
        ledgers.wish(base, numbers, "rebuild")
    _tell(call, {"ledgers": words, "forgotten": given["forget"]}, f"{', '.join(words)} is {said}")


def _listed(call: Invocation, words: Sequence[str]) -> list[str]:
    """Return what is named; - is what stands on standard input, a line each."""
    if tuple(words) != (STDIN,):
        return list(words)
    lines = call.text(STDIN).split("\n")
    return [line.strip() for line in lines if line.strip()]


def _check(action: str, words: tuple[str, ...], given: Mapping[str, Any]) -> None:
    """Refuse what an action does not take."""
    if action not in _TAKES:
        raise WrongUsage(f"there is no `org {action}`", hint=f"actions: {', '.join(ACTIONS)}")
    least, most, options = _TAKES[action]
    if len(words) < least or 0 <= most < len(words):
        raise WrongUsage(f"`org {action}` takes other words", hint="diurna org --help")
    for key, value in given.items():
        if value not in ("", (), None, False) and key not in options.split():
            raise WrongUsage(f"--{key} does not go with `org {action}`", hint="diurna org --help")


def _mirrors(call: Invocation, given: Mapping[str, Any]) -> str:
    """Return the folder of the mirrors."""
    where = given["mirrors"] or f"{data_folder()}/diurna-org"
    return os.path.normpath(os.path.join(call.folder(), where))


def _tell(call: Invocation, values: Mapping[str, object], said: str) -> None:
    """Answer with values, or in lines."""
    if call.json:
        call.out.answer(values)
    for line in said.split("\n") if not call.json else ():
        call.out.line(line)
