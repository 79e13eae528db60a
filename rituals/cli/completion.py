"""Complete command lines in a shell: click knows commands and options, the cache ids, kinds and agents.

A shell calls this with every press of Tab: it reads the cache as it lies there, asks git for nothing,
writes nothing, and says nothing of what is wrong.
"""

from __future__ import annotations

import re

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
)

from memory.cache.name_lookup import AGENTS, ENTITIES, IDS, KINDS, STEMS, THREADS, names
from rituals.cli.context import Invocation
from rituals.cli.operation import Parameter

VARIABLE = "_DIURNA_COMPLETE"
#: What an option takes, by its name, and what stands in the place of a word: `[ID]...`.
_OPTIONS = {
    "agent": (AGENTS,), "kind": (KINDS,), "entity": (ENTITIES,), "close": (THREADS,), "task": (IDS,),
    "owner": (AGENTS,), "to": (AGENTS,), "about": (IDS,), "ids": (IDS, STEMS), "as_of": (STEMS,),
    "since": (STEMS,), "until": (STEMS,), "session": (),
}  # fmt: skip
_PLACES = {
    "ID": (IDS,), "IDS": (IDS,), "OLD": (IDS,), "STEM": (STEMS,), "NAME": (ENTITIES,), "FILE": ("file",),
    "PATH": ("dir",), "DIR": ("dir",),
}  # fmt: skip
#: Words that mean the same for an option as for a word; a NAME of an option may be any name.
_OF_OPTIONS = frozenset(("ID", "OLD", "FILE", "PATH"))
_FILES = ("file", "dir")
#: What every shell takes as it stands: a name with anything else in it is not offered.
_PLAIN = re.compile(r"\w[\w.@+:/-]*")


def answer(group: click.Group, call: Invocation) -> int:
    """Print the script for a shell, or the completions of what is typed; whatever is wrong is silent."""
    shell, _, what = call.completion.partition("_")
    kind = _SHELLS.get(shell)
    if kind is None or what not in ("source", "complete"):
        return 1
    asked = kind(group, {"obj": call}, "diurna", VARIABLE)
    try:
        call.out.text(asked.source() if what == "source" else f"{asked.complete()}\n")
    except Exception:  # noqa: BLE001 - a line of somebody who is typing is no place for it
        return 1
    return 0


def script(shell: str) -> str:
    """Return the script by which a shell completes command lines of Diurna."""
    group = click.Group("diurna")
    return _SHELLS[shell](group, {}, "diurna", VARIABLE).source()


class _Names(ShellComplete):
    """Completes what stands behind `=`, too."""

    #: Whether the shell takes what stands behind `=` for a word of its own.
    parts_at_equals = False

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return what the word that is being typed may become."""
        option, equals, _ = incomplete.partition("=")
        found = super().get_completions(args, incomplete)
        if equals and option.startswith("--") and not self.parts_at_equals:
            for item in found:
                item.value = f"{option}={item.value}"
        return found


class _Bash(_Names, BashComplete):
    parts_at_equals = True

    def get_completion_args(self) -> tuple[list[str], str]:
        """Join again what bash parted at `=`."""
        args, incomplete = super().get_completion_args()
        if args[-1:] == ["="] and incomplete != "=" and args[-2:-1]:
            return args[:-2], f"{args[-2]}={incomplete}"
        if incomplete == "=" and args:
            return args[:-1], f"{args[-1]}="
        return args, incomplete


class _Zsh(_Names, ZshComplete):
    pass


class _Fish(_Names, FishComplete):
    pass


_SHELLS: dict[str, type[_Names]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def offered(call: Invocation, row: Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer names and files for a word or an option; of a list with commas the last is being typed."""
    words = re.findall(r"[A-Z]+", row.metavar)
    sources = _OPTIONS.get(row.key) if not row.word else None
    if sources is None:
        some = words if row.word else [word for word in words[:1] if word in _OF_OPTIONS]
        sources = tuple([source for word in some for source in _PLACES.get(word, ())])
    before, comma, begin = incomplete.rpartition(",")
    files = [CompletionItem(incomplete, type=one) for one in sources if one in _FILES]
    asked = [source for source in sources if source not in _FILES]
    home = call.find_home() if asked else None
    return (
        [CompletionItem(name) for name in row.offers if name.startswith(incomplete)]
        + files
        + [  # bash forgets at a file what was offered before, and offers files where nothing is
            CompletionItem(f"{before}{comma}{name}", help=kind or None)
            for source in asked
            if home is not None
            for name, kind in names(home, source, begin)
            if _PLAIN.fullmatch(name)
        ]
    )
