"""Run `diurna org`: read the ledgers of an organisation, and say who may read what."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ledger.environment import data_folder
from ledger.errors import WrongUsage
from rituals.cli.context import STDIN, Invocation
from rituals.cli.operation import option, word
from rituals.cli.output import counted

#: Each action with how many words it takes, at least and at most (-1 for any number).
_WORDS = {
    "init": (0, 1), "add": (1, -1), "work": (0, -1), "readers": (1, -1), "status": (0, 0),
    "rebuild": (1, -1),
}  # fmt: skip


def org(
    call: Invocation, *,
    action: str = word("[ACTION]", default="status", offers=_WORDS),
    words: tuple[str, ...] = word("[WORD]..."),
    team: str = option("add: whose they are.", "NAME", goes="add"),
    reader: tuple[str, ...] = option(
        "add: a role who may read them. Repeatable.", "ROLE", many=True, goes="add"),
    once: bool = option("work: end when nothing is due.", goes="work"),
    forget: bool = option("rebuild: take them out, with all of their rows.", goes="rebuild"),
    mirrors: str = option(
        "work, rebuild: where the ledgers are fetched to.", "FOLDER", goes="work rebuild"),
) -> None:  # fmt: skip
    """Read the ledgers of an organisation into PostgreSQL, for questions over all of them.

    git stays the only place where anything is written; what is read is made again from it at any time.

    $DIURNA_ORG says where the database is, without a password. `init [URL]` makes its tables; whoever
    does so, and the members of that role, manage ledgers. `add REPOSITORY…` registers URLs, folders, what
    a file has, one a line, or - for standard input. `work [LEDGER…]` reads what falls due, and these at
    once, as often beside itself as you like. `readers LEDGER [ROLE…]` sets the roles of the server that
    may read one, - for standard input, and shows them. `rebuild` makes a ledger's rows anew, and `status`
    says what failed.

    Examples:
      diurna org init postgresql://db.example/org
      gh repo list acme --json url --jq '.[].url' | diurna org add - --reader engineers
      diurna org work
    """
    if action not in _WORDS:
        raise WrongUsage(f"there is no `org {action}`", hint=f"actions: {', '.join(_WORDS)}")
    least, most = _WORDS[action]
    if len(words) < least or 0 <= most < len(words):
        raise WrongUsage(f"`org {action}` takes other words", hint="diurna org --help")
    from rituals.org import org_ledgers as ledgers
    from rituals.org.org_database import SCHEMA, connect_owner, initialise, place_of, told

    if action == "init":
        new = initialise(place_of(words[0] if words else ""))
        said = f"schema version {SCHEMA}" + ("" if new else ", unchanged")
        return call.answer({"schema": SCHEMA, "new": new}, [said])
    where = os.path.normpath(os.path.join(call.folder(), mirrors or f"{data_folder()}/diurna-org"))
    with connect_owner() as base, told():
        if action == "add":
            named = ledgers.listed(_listed(call, words), call.folder())
            added = ledgers.add(base, named, team, reader)
            said = "" if reader else "; nobody may read them yet: `diurna org readers`"
            call.answer({"added": added}, [f"{counted(len(added), 'ledger')} will be read{said}"])
        elif action == "rebuild":
            from rituals.org.org_reading import forget as forget_mirror

            for ledger in [ledgers.ledger_named(base, one) for one in words]:
                if forget:
                    ledgers.forget_ledger(base, ledger)
                    forget_mirror(where, ledger)
                else:
                    ledgers.wish(base, [ledger], "rebuild")
            said = "forgotten" if forget else "made anew when `diurna org work` comes to it"
            values = {"ledgers": words, "forgotten": forget}
            call.answer(values, [f"{', '.join(words)} is {said}"])
        elif action == "work":
            ledgers.wish(base, [ledgers.ledger_named(base, one) for one in words])
        elif action == "status":
            found = ledgers.status(base)
            call.answer(found, ledgers.status_lines(found))
        else:
            ledger = ledgers.ledger_named(base, words[0])
            if words[1:]:
                ledgers.set_readers(base, ledger, _listed(call, words[1:]))
            asked = "SELECT role FROM org.reader WHERE ledger = %s ORDER BY role"
            roles = [row[0] for row in base.execute(asked, (ledger,))]
            said = f"{words[0]} is read by {', '.join(roles) or 'nobody'}"
            call.answer({"ledger": words[0], "readers": roles}, [said])
    if action == "work":
        from rituals.org.org_reading import work

        work(place_of(), where, once=once)


def _listed(call: Invocation, words: Sequence[str]) -> list[str]:
    """Return what is named; - is what stands on standard input, a line each."""
    if tuple(words) != (STDIN,):
        return list(words)
    lines = call.text(STDIN).split("\n")
    return [line.strip() for line in lines if line.strip()]
