"""Run `diurna org`: read the ledgers of an organisation, and say who may read what."""

from __future__ import annotations

import os

from ledger.environment import data_folder
from ledger.errors import WrongUsage
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rituals.org.org_clashes import Clash
    from rituals.org.org_database import Connection
    from rituals.org.org_search import Asker

#: Each action with the words that it takes, at least and at most (-1 for any number), and its own options.
_TAKES: Mapping[str, tuple[int, int, str]] = {
    "init": (0, 1, ""),
    "add": (1, -1, "team reader forge"),
    "work": (0, 0, "jobs once mirrors listen"),
    "read": (1, -1, ""),
    "rebuild": (1, -1, ""),
    "forget": (1, -1, ""),
    "vacuum": (1, 1, "mirrors"),
    "readers": (1, -1, "forge"),
    "team": (1, -1, ""),
    "token": (1, 1, ""),
    "status": (0, 0, ""),
    "clashes": (0, 0, "team repo differ"),
}
ACTIONS = tuple(_TAKES)
#: What is told of each side of a clash, and where there is none.
_SIDE = "name url team commit path id kind tier text created agent author known known_by"
_NONE = ("contradict each other", "chose differently")
_WISHED = {"read": "is read", "rebuild": "is made anew", "forget": "is forgotten"}


def org(call: Invocation, /, action: str, words: tuple[str, ...], **given: Any) -> None:
    """Run `diurna org`."""
    _check(action, words, given)
    from rituals.org.org_database import WORKER, connect, initialise, place_of, told

    if action == "init":
        before, now = initialise(place_of(words[0] if words else ""))
        return _tell(
            call, {"before": before, "schema": now},
            f"the schema is of number {now}" + (", as it was" if before == now else ""),
        )  # fmt: skip
    if action == "work":
        from rituals.org.org_worker import Setting, work

        setting = Setting(
            place_of(), _mirrors(call, given), given["jobs"], "", given["listen"] or ""
        )
        work(setting, once=given["once"])
        return
    if action == "clashes":
        return _clashes(call, given)
    with connect("", WORKER) as base, told():
        _run(call, base, action, words, given)


def _run(
    call: Invocation,
    base: Connection[Any],
    action: str,
    words: tuple[str, ...],
    given: dict[str, Any],
) -> None:
    from rituals.org import org_registry as registry

    if action == "status":
        from rituals.org.org_status import status, status_lines

        found = status(base)
        if call.json:
            return call.out.answer(found)
        for line in status_lines(found):
            call.out.line(line)
        return
    if action == "add":
        return _add(call, base, words, given)
    if action == "team":
        registry.set_team(base, words[0], words[1:])
        return _tell(
            call, {"team": words[0], "people": words[1:]}, f"{words[0]} is {_people(words[1:])}"
        )
    if action == "token":
        made = registry.make_token(base, words[0])
        return _tell(call, {"person": words[0], "token": made}, made)
    if action == "readers":
        kind, ledger = given["forge"] or "", registry.ledger_named(base, words[0])
        was = registry.set_readers(base, ledger, words[1:], kind)
        said = (
            f"{words[0]} is read by {_people(words[1:])}"
            + "; its forge is not asked any more" * was
        )
        return _tell(
            call,
            {"ledger": words[0], "readers": words[1:]},
            f"{words[0]} is read by whom its forge says" if kind else said,
        )
    if action == "vacuum":
        from rituals.org.org_vacuum import vacuum

        done = vacuum(base, registry.ledger_named(base, words[0]), _mirrors(call, given))
        for step in done if not call.json else ():
            call.out.line(step)
        return call.out.answer({"ledger": words[0], "steps": done}) if call.json else None
    from rituals.org.org_jobs import wish

    wish(base, [registry.ledger_named(base, one) for one in words], action)
    _tell(call, {"ledgers": words, "wish": action}, f"{', '.join(words)} {_WISHED[action]} next")


def _clashes(call: Invocation, given: Mapping[str, Any]) -> None:
    """List what ledgers that one may read say against each other."""
    from memory.recall.hits.snippets import one_line
    from rituals.org.org_clashes import clashes
    from rituals.org.org_recall import OrgReader, fact_text
    from rituals.org.org_search import link_of

    def ask(asker: Asker) -> list[tuple[Clash, ...]]:
        wanted = {"team": given["team"] or "", "repo": given["repo"] or ""}
        return [
            clashes(asker, **wanted, chosen=chosen)
            for chosen in (given["differ"], not given["differ"])
        ]

    reader = OrgReader()
    try:
        found, others = reader.ask(ask)
    finally:
        reader.close()
    if call.json:

        def side(row: dict[str, Any]) -> dict[str, object]:
            return {**{key: row[key] for key in _SIDE.split()}, "link": link_of(row)}

        listed = [
            {
                **fields_of(one, "entity subject reason"),
                "sides": [side(one.first), side(one.second)],
            }
            for one in found
        ]
        return call.out.answer({"clashes": listed, "others": len(others)})
    for one in found:
        call.out.line((one.entity, "bold"), f": {one.reason}")
        for row in (one.first, one.second):
            call.out.indented(fact_text(row, one_line(row["text"])), "  ")
    if not found:
        call.out.talk("no two ledgers that you may read " + _NONE[given["differ"]])
    if others and not given["differ"]:
        call.out.talk(
            f"{counted(len(others), 'more pair')}: what a repository does itself (--differ)"
        )


def _add(
    call: Invocation, base: Connection[Any], words: tuple[str, ...], given: dict[str, Any]
) -> None:
    """Register repositories, and those of organisations by a forge's API."""
    from rituals.org import org_registry as registry
    from rituals.org.org_forge import ForgeApi, is_organisation

    new, kind = [], given["forge"] or ""
    forges = [ForgeApi(kind, word) for word in words if kind or is_organisation(word)]
    others = [word for word in words if not kind and not is_organisation(word)]
    for forge in forges:
        new += registry.add_listed(base, forge, given["team"], given["reader"])
    if others:
        named = registry.listed(others, call.folder())
        new += registry.add(base, named, given["team"], given["reader"])
    said = f"{counted(len(new), 'ledger')} will be read"
    if not given["reader"]:
        said += (
            "; by whom, their forge says" if forges and not others else "; nobody may read them yet"
        )
    _tell(call, {"added": new}, said)


def _check(action: str, words: tuple[str, ...], given: Mapping[str, Any]) -> None:
    """Refuse what an action does not take.

    Raises:
        WrongUsage: there is no such action, or it takes something else.
    """
    if action not in _TAKES:
        raise WrongUsage(f"there is no `org {action}`", hint=f"actions: {', '.join(ACTIONS)}")
    least, most, options = _TAKES[action]
    if len(words) < least or 0 <= most < len(words):
        raise WrongUsage(f"`org {action}` takes other words", hint="diurna org --help")
    for key, value in given.items():
        if value not in ("", (), None, False, 1) and key not in options.split():
            raise WrongUsage(f"--{key} does not go with `org {action}`", hint="diurna org --help")


def _people(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nobody"


def _mirrors(call: Invocation, given: Mapping[str, Any]) -> str:
    """Return the folder of the mirrors."""
    where = given["mirrors"] or f"{data_folder()}/diurna-org"
    return os.path.normpath(os.path.join(call.folder(), where))


def _tell(call: Invocation, values: Mapping[str, object], said: str) -> None:
    """Answer with values or in a line."""
    if call.json:
        call.out.answer(values)
    else:
        call.out.line(said)
