"""Complete command lines in a shell: click knows commands and options, the cache ids, kinds and agents.

A shell calls this with every press of Tab: it reads the cache as it lies there, asks git for nothing,
writes nothing, and says nothing of what is wrong.
"""

from __future__ import annotations

import re

import click
from click.shell_completion import CompletionItem, get_completion_class, shell_complete

from memory import AGENTS, ENTITIES, IDS, KINDS, STEMS, THREADS, names_like
from rituals.cli.context import Invocation
from rituals.cli.operation import Parameter

VARIABLE = "_DIURNA_COMPLETE"
_FILES = ("file", "dir")
#: What is offered for an option, by its name, and for what stands in the place of a word: `[ID]...`.
_SOURCES = {
    name: source
    for written, source in (
        ("agent owner to", AGENTS),
        ("kind", KINDS),
        ("entity ENTITY", ENTITIES),
        ("close", THREADS),
        ("task about ID IDS OLD", IDS),
        ("as_of since until STEM", STEMS),
        ("FILE", "file"),
        ("PATH DIR", "dir"),
        ("session", ""),
    )
    for name in written.split()
}
#: What every shell takes as it stands: a name with anything else in it is not offered.
_PLAIN = re.compile(r"\w[\w.@+:/-]*")


def answer(group: click.Group, call: Invocation) -> int:
    """Print the script for a shell, or the completions of what is typed; whatever is wrong is silent."""
    try:
        return shell_complete(group, {"obj": call}, "diurna", VARIABLE, call.completion)
    except Exception:  # noqa: BLE001 - a line of somebody who is typing is no place for it
        return 1


def script(shell: str) -> str:
    """Return the script by which a shell completes command lines of Diurna."""
    kind = get_completion_class(shell)
    assert kind is not None, "the command names the shells that there are"
    return kind(click.Group("diurna"), {}, "diurna", VARIABLE).source()


def offered(call: Invocation, row: Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer names and files for a word or an option; of a list with commas the last is being typed."""
    places = re.findall(r"[A-Z]+", row.metavar)
    named = [row.key] if row.key in _SOURCES else places if row.word else places[:1]
    sources = [_SOURCES[one] for one in named if _SOURCES.get(one)]
    before, comma, begin = incomplete.rpartition(",")
    found = [CompletionItem(name) for name in row.offers if name.startswith(incomplete)]
    # bash forgets at a file what was offered before, and offers files where nothing is
    found += [CompletionItem(incomplete, type=one) for one in sources if one in _FILES]
    for source in [one for one in sources if one not in _FILES]:
        told = names_like(call.find_home(), source, begin)
        found += [
            CompletionItem(f"{before}{comma}{name}", help=kind or None)
            for name, kind in told
            if _PLAIN.fullmatch(name)
        ]
    return found
