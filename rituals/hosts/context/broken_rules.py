"""Tell which commands of a line of shell break what rules speak against (`projection.text.command_rules`).

What a command says in a message or in a document that it is given is no command.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from rituals.hosts.shell import Simple

ANY, TO_SHELL = "", "|sh"
#: Begins what a command has not that breaks the rule, nor is it run by it: what the rule asks for.
ASKED_FOR = "~"
#: Names of branches and of places, which are no first words of what a program is given.
_PLACES = frozenset("main master trunk production prod staging release".split())
#: What is given to a program that only tells something, where a rule is against all of it.
_TELLS = frozenset("--version -V --help help version list ls show info search --dry-run".split())
_SHELLS = ("sh", "bash", "zsh")
#: The same by another name, for all programs that have it.
_SAME = {"i": "install"}
_SHORT = {"--force": "f"}


def broken(
    line: str,
    commands: Iterable[Simple],
    against: Mapping[str, Iterable[tuple[str, ...]]],
) -> list[str]:
    """Return the rules that a line of shell breaks, each once, by what they are known.

    `against` has by program rules, each with what the program is given by which it is broken.
    """
    rules: dict[str, None] = {}
    for command in commands:
        by = [posixpath.basename(word) for word in command.by]
        if by[:1] == ["command"] and "-v" in by:
            continue  # it only asks where a program is
        for name, rest in [*_programs_of(command), (ANY, command.words[1:])]:
            for rule, *given in against.get(name, ()):
                asked = [word[1:] for word in given if word[:1] == ASKED_FOR]
                flags = [word for word in asked if word[:1] == "-"]
                if any(word in by for word in asked):
                    continue
                if any(_is_flag(word, flag) for word in rest for flag in flags):
                    continue
                if _breaks(rest, [word for word in given if word[:1] != ASKED_FOR], line):
                    rules[rule] = None
    return list(rules)


def _programs_of(command: Simple) -> list[tuple[str, tuple[str, ...]]]:
    """Return the programs that a simple command runs, each with what it is given: `sudo`, `npm`."""
    programs = []
    for words in (command.words, (*command.by, *command.words)) if command.by else (command.words,):
        start = next((at for at, word in enumerate(words) if "=" not in word), 0)
        name, rest = posixpath.basename(words[start]), words[start + 1 :]
        bare = name.rstrip("0123456789.") or name
        programs += [(program, rest) for program in dict.fromkeys((name, bare))]
        if bare == "python" and "-m" in rest[:-1]:
            at = rest.index("-m") + 1
            programs.append((rest[at], rest[at + 1 :]))
    return programs


def _breaks(rest: Sequence[str], named: Sequence[str], line: str) -> bool:
    """Tell whether a program is given what a rule names behind it, in a line of shell."""
    if not named:
        return not any(word in _TELLS for word in rest[:2])
    if TO_SHELL in named:
        parts = [part.replace("sudo ", " ").split()[:1] for part in line.split("|")[1:]]
        return any(posixpath.basename(word) in _SHELLS for part in parts for word in part)
    plain = [_SAME.get(word, word) for word in rest if word[:1] != "-"]
    many = next((n for n, word in enumerate(named) if not _is_plain(word)), len(named))
    first = [_SAME.get(word, word) for word in named[:many]]
    at = next((at for at in (0, 1) if plain[at : at + many] == first), -1)
    behind = (*rest[-1:], *plain[at + many :][:1])
    if many and (at < 0 or (many == len(named) and not _TELLS.isdisjoint(behind))):
        return False
    return all(any(_is_given(word, wanted) for word in rest) for wanted in named[many:])


def _is_plain(word: str) -> bool:
    return word.replace("-", "").isalpha() and word[:1] != "-" and word not in _PLACES


def _is_given(word: str, wanted: str) -> bool:
    """Tell whether a word of a command is what a rule names, or has it."""
    if word[:1] == "-" or wanted[:1] == "-":
        return _is_flag(word, wanted)
    wanted = wanted.strip(":/")
    if wanted.endswith("/*"):
        wanted = wanted[:-2]
    path = word.removeprefix("./").rstrip("/")
    parts = word.replace("=", ":").replace("@", ":").replace("/", ":").split(":")
    return (
        path == wanted
        or path.startswith(f"{wanted}/")
        or path.endswith(f"/{wanted}")
        or ("/" not in wanted and wanted in parts)
        or ("*" in wanted and fnmatchcase(path, wanted))
    )


def _is_flag(word: str, wanted: str) -> bool:
    """Tell whether a flag is the one that a rule names, among others perhaps: `-am` has `-a`."""
    if word == wanted or word.startswith(f"{wanted}="):
        return True
    letters = _SHORT.get(wanted, "" if wanted[:2] == "--" else wanted[1:])
    return bool(letters) and word[:1] == "-" and word[:2] != "--" and set(letters) <= set(word[1:])
