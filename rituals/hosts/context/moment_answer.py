"""Answer a moment: what memory has on a prompt, on a command that breaks a rule, on a file.

A file is told when it is read, which agents do before they change it; what is against changing one, when
it is changed.
"""

from __future__ import annotations

from ledger.model.record import Record
from rituals.hosts.adapters import FAILURE, PROMPT
from rituals.hosts.context.moment_index import MomentIndex, opened
from rituals.hosts.moments import Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ledger.home import Home

    Told = tuple[str, str, str]

ANSWER, RULE = "Memory on this", "Memory has a rule on this"
#: What stands above passages, how many characters they have with it, and how many one session hears.
SAID, PASSAGES_CHARS, _PASSAGES = "Said before, in sessions that are over", 800, 4
#: A text that is shorter says too little, and a longer one is to be asked for.
_LEAST_CHARS, _MOST_CHARS = 60, 240
#: What is kept of a fact's text for a line, which shows less.
_TEXT_CHARS = 400
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
        from projection.brief.wording import enveloped, shortened

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
    from memory.query.prompt_facts import answers_to
    from projection.brief.wording import label, plain, untagged

    try:
        home = discover(moment.folder)
        policy, found = answers_to(home, moment.prompt)
    except HomeNotFound:
        return None
    facts = [
        (
            one.id,
            ", ".join([label(one.standing.fact.kind), *one.marks, one.date]),
            untagged(plain(one.text(_TEXT_CHARS))),
        )
        for one in found
    ]
    told = tuple(_marked(home, facts)) if facts else ()
    return Needed(told, ANSWER, policy.facts, policy.characters) if told else None


def _said_before(moment: Moment, commondir: str, index: MomentIndex) -> Needed | None:
    """Return the passages of logs that have much of a prompt, or very much of what a shell failed with."""
    text, said, sure = moment.prompt, moment.answer, 1.0
    if moment.event == FAILURE:
        from rituals.hosts.admission import SHELLS

        text = "\n".join(map(str, said.values())) if isinstance(said, dict) else str(said)
        text, sure = text * (moment.tool.lower() in SHELLS), _SURER
    found = index.passages_on(text, sure=sure)
    if not found:
        return None
    from ledger.wal.kept_asks import asks_in, shown_title
    from projection.brief.wording import shortened, untagged

    asks = asks_in(commondir)
    told: list[Told] = []
    for place, day, part, title, session, words in found:
        name = f"“{shortened(shown_title(title, session, asks), _NAME_CHARS)}”"
        about = name if part in ("", title) else f"{part} of {name}"
        told.append((place, untagged(f"{day}, {about}"), words))
    return Needed(tuple(told), SAID, len(told), PASSAGES_CHARS, whole=True)


def _rules(moment: Moment, index: MomentIndex, top: str) -> Needed | None:
    """Return the rules that a line of shell breaks, and those that speak of the files of a tool."""
    from rituals.hosts.admission import READING, SHELLS, WRITING, inside, paths_given

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
    from rituals.hosts.admission import inside, line_in, start_folder

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
    if not signed:
        return rows
    from rituals.hosts.context.broken_rules import broken

    return [*[f"!{row}" for row in broken(line, commands, rules.against)], *rows]


def _marked(home: Home, facts: Iterable[Told], *, at_file: bool = False) -> list[Told]:
    """Say of facts what they name that is gone; at a file such a one is not told, nor what ended."""
    from memory.query.reader import open_snapshot
    from memory.replay.reader_marks import marks_known
    from projection.brief.wording import plain, untagged
    from projection.document.fact_remarks import is_ended, is_gone

    marks, found = marks_known(home, open_snapshot), []
    for id, about, text in facts:
        gone, text = marks.named(id, text)
        if gone:
            about += f", {untagged(plain(gone[0].said))}"
        if not ((at_file and is_gone(gone)) or is_ended(gone)):
            found.append((id, about, text))
    return found
