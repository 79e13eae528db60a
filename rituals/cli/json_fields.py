"""Choose fields of a `--json` answer: `--json=id,text` gives these of each object in its main list.

An option whose value may be missing would take the next argument for it: `show --json some-id`. So a value
is what stands behind `=`, or an argument that can be nothing else: names with commas between, one of them
known. Neither an id nor the path of a file looks so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import click

from ledger.errors import WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    Lists = Mapping[str, Sequence[str]]

_OPTION = "--json"
#: The fields of a fact (`rituals.answers.json_objects.fact_object`), of a finding, and of a neighbour.
_FACT = (
    "branch circle closed contradiction created denied false here how id instead invalidated "
    "kind landed last_used marks meta moves origin point quarter reason redacted rivals "
    "state superseded_by supersedes tags text text_here tier uses verified versions"
)
_FINDING = "code file hint line message severity"
_EDGE = (
    "branch closed direction edge entity exists false here how id instead kind landed line marks "
    "point text_here tier via"
)
#: The main list of each command's answer, or of each of its answers, with the fields of its objects.
LISTS = {
    "recall": {"hits": "agent branch closed date false here how id instead kind known known_by landed "
               "line marks parts passage point score stem text text_here tier tokens whole"},
    "show": {"facts": f"{_FACT} known known_by"},
    "why": {
        "events": "agent author by commit created date event evidence path remark source stem text title "
        "version via waiting was",
        "versions": "agent commit date event number stands stem text title version was",
        "decisions": "branch by closed false here how id instead kind landed marks outcome point text "
        "text_here",
    },
    "task": {"tasks": "claimant contradiction depends goal id left line owner priority since stale state "
             "waits workstream"},
    "log": {"sessions": "about agent ended path role stem title tokens type user verdict waiting"},
    "view": {"sections": "level lines title", "views": "does name"},
    "review": {"questions": "evidence facts fresh key proposal rule said"},
    "conflicts": {"contradictions": "choices id kind resolve said"},
    "check": {"findings": f"{_FINDING} key"},
    "ls": {"facts": "branch closed contradiction false here how id instead kind known known_by landed "
           "line marks point state text_here tier"},
    "entity": {"entities": "facts false name spellings", "facts": _FACT},
    "links": dict.fromkeys(("near", "far", "farther"), _EDGE),
    "timeline": {"sessions": "agent anchor ended facts stem summary title tokens type"},
    "report": {"facts": "agent born born_session id kind last_used moments reason rests shown tier told "
               "uses"},
    "learn": {"proposals": "diff evidence id key kind marks places sessions source text"},
    "doctor": {"findings": _FINDING},
    "verify": {"findings": f"{_FINDING} key"},
    "lint": {"findings": f"{_FINDING} key"},
    "impact": {"findings": _FINDING},
    "capture": {"sessions": "attempts host logs said session"},
    "finding": {"findings": "id line outcome path rule state symbol text times_regressed"},
}  # fmt: skip


def lists_of(command: click.Command) -> Lists:
    """Return the main lists of a command's answer with the fields of their objects, {} for none."""
    return {key: names.split() for key, names in LISTS.get(command.name or "", {}).items()}


def values_of(command: click.Command) -> dict[str, int]:
    """Return the options of a command that take values, each with how many."""
    return {
        name: option.nargs
        for option in command.params
        if isinstance(option, click.Option) and not (option.is_flag or option.count)
        for name in option.opts
    }


def taken(command: click.Command, arguments: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Take the names of fields out of the arguments of a command.

    Returns:
        The arguments, with `--json` alone; and the names, () where none are given.

    Raises:
        WrongUsage: there is no such field.
    """
    lists = lists_of(command)
    known = {name for names in lists.values() for name in names}
    values = values_of(command)
    rest: list[str] = []
    fields: list[str] = []
    bare = False  # the last argument was `--json` alone
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            return [*rest, argument, *waiting], tuple(fields)
        name, equals, said = argument.partition("=")
        if name == _OPTION and equals:
            if not known:
                raise _nothing_to_choose()
            rest.append(_OPTION)
            fields += _named(said, lists)
        elif bare and _are_fields(argument, known):
            fields += _named(argument, lists)
        else:
            rest += [argument, *islice(waiting, values.get(argument, 0))]
        bare = argument == _OPTION
    return rest, tuple(fields)


def selected(values: Mapping[str, Any], lists: Lists, fields: tuple[str, ...]) -> dict[str, object]:
    """Return the main list of an answer, with the chosen fields of each object, and nothing else.

    Raises:
        WrongUsage: this answer has no such list, or another one than the fields are of.
    """
    found: dict[str, object] = {}
    for key in [key for key in lists if key in values]:
        _check(fields, lists[key])
        found[key] = [{name: row[name] for name in fields if name in row} for row in values[key]]
    if not found:
        raise _nothing_to_choose()
    return found


def _are_fields(argument: str, known: set[str]) -> bool:
    names = argument.split(",")
    plain = all(name.replace("_", "a").isalpha() and name.islower() for name in names)
    return len(names) > 1 and plain and not known.isdisjoint(names)


def _named(said: str, lists: Lists) -> list[str]:
    names = [name for name in (part.strip() for part in said.split(",")) if name]
    every = sorted({name for known in lists.values() for name in known})
    _check(names or [""], every)
    return names


def _check(names: Sequence[str], known: Sequence[str]) -> None:
    """Check that all names are known."""
    wrong = [name for name in names if name not in known]
    if wrong:
        said = f"there is no field {', '.join(wrong)}" if any(wrong) else "no field is named"
        raise WrongUsage(said, where=_OPTION, hint=f"fields: {', '.join(known)}")


def _nothing_to_choose() -> WrongUsage:
    said = "this answer has no list whose fields could be chosen"
    return WrongUsage(said, where=_OPTION, hint="leave the fields out: --json gives all of it")
