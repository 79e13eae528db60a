"""Answer a moment: what memory has on a prompt, on a command that breaks a rule, on a file.

A file is told when it is read, which agents do before they change it; what is against changing one, when
it is changed. A command breaks what rules speak against (`projection.text.command_rules`); what it says
in a message or in a document that it is given is no command.
"""

from __future__ import annotations

import posixpath

from ledger.model.record import TYPE_CHECKING, Record
from rituals.hosts.adapters import FAILURE, PROMPT
from rituals.hosts.context.moment_index import MomentIndex, opened
from rituals.hosts.host_events import Moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ledger.home import Home
    from rituals.hosts.shell import Simple

    Told = tuple[str, str, str]

ANSWER, RULE = "Memory on this", "Memory has a rule on this"
#: What stands above passages, how many characters they have with it, and how many one session hears.
SAID, PASSAGES_CHARS, _PASSAGES = "Said before, in sessions that are over", 800, 4
#: A text that is shorter says too little, and a longer one is to be asked for.
_LEAST_CHARS, _MOST_CHARS = 60, 240
#: How a prompt begins that nobody typed as one: a command of the host, or what it wrote itself.
_NO_PROMPT = ("/", "<", "!")
#: How much more a failure has to have of a passage than a prompt, and how much names a session.
_SURER, _NAME_CHARS = 8.0, 50
#: Programs that change the files that they are given, those that do by an option with `i`, and those that
#: only read them.
_CHANGE = frozenset("vi vim nvim nano emacs ed ex tee rm mv cp truncate patch".split())
_IN_PLACE = frozenset(("sed", "perl"))
_READ = frozenset("cat head tail less more bat nl awk".split())


class Needed(Record):
    """What memory has on a moment."""

    #: (id, what it is, its text) of each, best first, on a line each; behind the id of a rule that was
    #: broken `!`: it is told although it was shown
    facts: tuple[Told, ...]
    title: str  #: what they are
    most: int  #: so many are told at most
    characters: int  #: and in so many, with their envelope
    #: these are no facts but passages of logs by their places, told whole or not
    whole: bool = False

    def lines(self, known: Collection[str]) -> tuple[list[str], list[str]]:
        """Return the lines to tell a session, and by what it is known that it was told the facts in them.

        `known` has ids of facts that stand whole in its context, and that of what was told.
        """
        most = self.most
        if self.whole:
            most = max(0, min(most, _PASSAGES - sum([":" in one for one in known])))
        fresh = [fact for fact in self.facts if fact[0] not in known][:most]
        if not fresh:
            return [], []
        from projection.brief.inert_text import enveloped, shortened

        room = self.characters - len(enveloped(self.title, (), ""))
        lines: list[str] = []
        for place, (key, about, text) in enumerate(fresh):
            begun = f"- {key.rstrip('!')} ({about}): "
            share = room // (len(fresh) - place) - 1 - len(begun)
            chars = len(text) if self.whole else max(min(share, _MOST_CHARS), _LEAST_CHARS)
            line = begun + shortened(text, chars)
            if len(line) >= room:
                break
            lines.append(line)
            room -= len(line) + 1
        return lines, [key for key, _, _ in fresh[: len(lines)]]


def needed_at(moment: Moment, commondir: str, top: str = "") -> tuple[Needed | None, bool]:
    """Return what memory has on an event, None for nothing, and whether its index is out of date."""
    asks, asked = moment.event == PROMPT, moment.prompt.lstrip()
    if asks and (not asked or asked.startswith(_NO_PROMPT)):
        return None, False
    index = opened(commondir, moment.folder)
    if index is None:
        return _answer(moment) if asks else None, True
    if not asks:
        found = _rules(moment, index, top)
    else:
        found = _answer(moment) if index.prompt and index.may_answer(moment.prompt) else None
    return found or (_said_before(moment, commondir, index) if index.prompt else None), False


def _answer(moment: Moment) -> Needed | None:
    from ledger.errors import HomeNotFound
    from ledger.home import discover
    from memory import answers_to

    try:
        home = discover(moment.folder)
        policy, facts = answers_to(home, moment.prompt)
    except HomeNotFound:
        return None
    told = tuple(_marked(home, facts)) if facts else ()
    return Needed(told, ANSWER, policy.facts, policy.characters) if told else None


def _said_before(moment: Moment, commondir: str, index: MomentIndex) -> Needed | None:
    """Return the passages of logs that have much of a prompt, or very much of what a shell failed with."""
    text, said, sure = moment.prompt, moment.answer, 1.0
    if moment.event == FAILURE:
        from rituals.hosts.observation_filter import SHELLS

        text = "\n".join(map(str, said.values())) if isinstance(said, dict) else str(said)
        text, sure = text * (moment.tool.lower() in SHELLS), _SURER
    found = index.passages_on(text, sure=sure)
    if not found:
        return None
    from ledger.wal.kept_asks import asks_in, shown_title
    from projection.brief.inert_text import shortened, untagged

    asks = asks_in(commondir)
    told: list[Told] = []
    for place, day, part, title, session, words in found:
        name = f"“{shortened(shown_title(title, session, asks), _NAME_CHARS)}”"
        about = name if part in ("", title) else f"{part} of {name}"
        told.append((place, untagged(f"{day}, {about}"), words))
    return Needed(tuple(told), SAID, len(told), PASSAGES_CHARS, whole=True)


def _rules(moment: Moment, index: MomentIndex, top: str) -> Needed | None:
    """Return the rules that a line of shell breaks, and those that speak of the files of a tool."""
    from rituals.hosts.observation_filter import READING, SHELLS, WRITING, inside, paths_given

    tool, rows, rules = moment.tool.lower(), list[str](), index.rules
    if tool in SHELLS:
        rows = _of_line(moment, index, top)
    elif index.file and tool in WRITING | READING:
        paths = inside(paths_given(moment), top, moment.cwd or moment.folder)
        rows = rules.at(paths, changed=tool in WRITING)
    if not rows:
        return None
    from ledger.home import discover

    facts = [rules.facts[row] for row in dict.fromkeys([row.lstrip("!") for row in rows])]
    found = _marked(discover(moment.folder), facts, at_file=tool not in SHELLS)
    broken = {rules.facts[row[1:]][0] for row in rows if row[0] == "!"}
    keyed = tuple([(id + "!" * (id in broken), about, text) for id, about, text in found])
    return Needed(keyed, RULE, index.most, index.characters) if keyed else None


def _of_line(moment: Moment, index: MomentIndex, top: str) -> list[str]:
    """Return the rules that a line of shell breaks, behind `!`, and those of its files, by numbers."""
    from rituals.hosts.observation_filter import inside, line_in, start_folder

    line, rules = line_in(moment.given), index.rules
    signed = index.command and any(sign in line for sign in rules.signs)
    named = index.file and rules.names_in(line)
    if not (signed or named):
        return []
    from rituals.hosts.shell import joined, read

    commands, start = read(line), start_folder(moment)
    rows: list[str] = []
    for one in commands if named else ():
        program = one.words[0].rpartition("/")[2]
        if program in _CHANGE | _IN_PLACE | _READ:
            changed = program in _CHANGE
            if program in _IN_PLACE:
                changed = any(word[:1] == "-" and "i" in word for word in one.words)
            paths = inside(one.words[1:], top, f"{start}/{joined('', one.folder)}")
            rows += rules.at(paths, changed=changed)
    against = broken(line, commands, rules.against) if signed else []
    return [*[f"!{row}" for row in against], *rows]


def _marked(home: Home, facts: Iterable[Told], *, at_file: bool = False) -> list[Told]:
    """Say of facts what they name that is gone; at a file such a one is not told, nor what ended."""
    from memory import marks_known, open_snapshot
    from projection.brief.inert_text import plain, untagged
    from projection.document.fact_remarks import is_ended, is_gone

    marks, found = marks_known(home, open_snapshot), []
    for id, about, text in facts:
        gone, text = marks.named(id, text)
        if gone:
            about += f", {untagged(plain(gone[0].said))}"
        if not ((at_file and is_gone(gone)) or is_ended(gone)):
            found.append((id, about, text))
    return found


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
    line: str, commands: Iterable[Simple], against: Mapping[str, Iterable[tuple[str, ...]]]
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
    from fnmatch import fnmatchcase

    wanted = wanted.strip(":/").removesuffix("/*")
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
