"""Answer a moment: what memory has on a prompt, on a command that breaks a rule, on a file.

A file is told when it is read, which agents do before they change it; what is against changing one, when
it is changed.
"""

from __future__ import annotations

from rituals.hosts.adapters import FAILURE, PROMPT
from rituals.hosts.context.moment_index import MomentIndex, can_be_kept, is_prompt, opened
from rituals.hosts.moments import Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rituals.hosts.context.session_news import Needed
    from rituals.hosts.observed.shell import Simple

#: What is kept of a fact's text for a line, which shows less.
_TEXT_CHARS = 400
_OFF = "off"
#: How much more a failure has to have of a passage than a prompt, and how much names a session.
_SURER, _NAME_CHARS = 8.0, 50
#: Programs that change the files that they are given, and those that only read them.
_CHANGE = frozenset("vi vim nvim nano emacs ed ex tee rm mv cp truncate patch".split())
_READ = frozenset("cat sed head tail less more bat nl perl awk".split())
#: Of those, the ones that change them by an option `-i`, and what may stand before its letter.
_IN_PLACE, _LETTERS = frozenset(("sed", "perl")), "-nprsElu"


def needed_at(moment: Moment, commondir: str, top: str = "") -> tuple[Needed | None, bool]:
    """Return what memory has on an event, None for nothing, and whether its index is out of date."""
    at_prompt = moment.event == PROMPT
    if at_prompt and not is_prompt(moment.prompt):
        return None, False
    index = opened(commondir, moment.folder, words=at_prompt or moment.event == FAILURE)
    if index is None:
        return _answer(moment) if at_prompt else None, can_be_kept()
    told = index.said("moment")[:1] == "1"
    if not at_prompt:
        found = _rules(moment, index, top)
    else:
        found = _answer(moment) if told and index.may_answer(moment.prompt) else None
    return found or (_said_before(moment, commondir, index) if told else None), False


def _said_before(moment: Moment, commondir: str, index: MomentIndex) -> Needed | None:
    """Return the passages of logs that have much of a prompt, or very much of what a shell failed with."""
    text, said = moment.prompt, moment.answer
    failed = moment.event == FAILURE
    if failed:
        from rituals.hosts.observed.tool_input import SHELLS

        text = "\n".join(map(str, said.values())) if isinstance(said, dict) else str(said)
        text *= moment.tool.lower() in SHELLS
    found = index.passages(text, sure=_SURER if failed else 1.0)
    if not found:
        return None
    from ledger.wal.kept_asks import asks_in, shown_title
    from projection.brief.wording import shortened, untagged
    from rituals.hosts.context.session_news import PASSAGES_CHARS, SAID, Needed

    asks, told = asks_in(commondir), list[tuple[str, str, str]]()
    for place, day, part, title, session, words in found:
        name = f"“{shortened(shown_title(title, session, asks), _NAME_CHARS)}”"
        about = name if part in ("", title) else f"{part} of {name}"
        told.append((place, untagged(f"{day}, {about}"), words))
    return Needed(tuple(told), SAID, len(told), PASSAGES_CHARS, whole=True)


def _rules(moment: Moment, index: MomentIndex, top: str) -> Needed | None:
    from rituals.hosts.observed import tool_input

    _, command, file, most, characters = index.said("moment").split(" ")
    tool, rows, broken = moment.tool.lower(), list[str](), list[str]()
    if tool in tool_input.SHELLS:
        line = tool_input.line_in(moment.given)
        broken, rows = _of_line(moment, index, line, top, command != _OFF, file == "1")
    elif file == "1" and tool in tool_input.WRITING | tool_input.READING and index.said("files"):
        paths = tool_input.inside(tool_input.paths_given(moment), top, moment.cwd or moment.folder)
        rows = rows_at(index, paths, changed=tool in tool_input.WRITING)
    facts = {row: index.said(f"#{row}").split("\t") for row in (*broken, *rows)}
    found = [(fact[0], fact[1], fact[2]) for fact in facts.values() if len(fact) == 3]
    against = tuple([facts[row][0] for row in broken])
    if found:
        found = _marked(moment, found, at_file=tool not in tool_input.SHELLS)
        told = {id for id, _, _ in found}
        against = tuple([id for id in against if id in told])
    if not found:
        return None

    from rituals.hosts.context.session_news import RULE, Needed

    return Needed(tuple(found), RULE, int(most), int(characters), against)


def _marked(
    moment: Moment, facts: Iterable[tuple[str, str, str]], *, at_file: bool = False
) -> list[tuple[str, str, str]]:
    """Say of facts what they name that is gone; at a file such a one is not told, nor what ended."""
    from ledger.home import discover
    from memory.query.open_snapshot import open_snapshot
    from memory.replay.reader_marks import marks_known
    from projection.document.fact_remarks import is_ended, is_gone

    marks, found = marks_known(discover(moment.folder), open_snapshot), []
    for id, about, text in facts:
        gone, text = marks.named(id, text)
        if gone:
            from projection.brief.wording import plain, untagged

            about += f", {untagged(plain(gone[0].said))}"
        if not ((at_file and is_gone(gone)) or is_ended(gone)):
            found.append((id, about, text))
    return found


def _of_line(
    moment: Moment, index: MomentIndex, line: str, top: str, command: bool, file: bool
) -> tuple[list[str], list[str]]:
    """Return the numbers of the rules that a line of shell breaks, and of those of its files."""
    signs = index.said("programs").split() if command else []
    ends = index.said("files").split("\0") if file else []
    signs = [sign for sign in signs if sign in line]
    named = any(end and end in line for end in ends)
    if not (signs or named):
        return [], []
    from rituals.hosts.observed import tool_input
    from rituals.hosts.observed.shell import joined, read

    commands = read(line)
    rows: list[str] = []
    for one in commands if named else ():
        program = one.words[0].rpartition("/")[2]
        if program in _CHANGE | _READ:
            changed = program in _CHANGE or (
                program in _IN_PLACE
                and any(word[:1] == "-" and word.lstrip(_LETTERS)[:1] == "i" for word in one.words)
            )
            folder = f"{tool_input.start_folder(moment)}/{joined('', one.folder)}"
            rows += rows_at(index, tool_input.inside(one.words[1:], top, folder), changed=changed)
    where = (
        tool_input.inside((tool_input.start_folder(moment),), top, moment.folder)[:1]
        if signs
        else []
    )
    return rows_broken(index, line, commands, signs, "".join(where)), rows


def rows_broken(
    index: MomentIndex, line: str, commands: Iterable[Simple], signs: Sequence[str], where: str
) -> list[str]:
    """Return the numbers of the rules that a line breaks; `signs` are the words to look at."""
    if not signs:
        return []
    from rituals.hosts.context.broken_rules import ANY, Against, broken

    against: dict[str, list[Against]] = {}
    for name in (ANY, *signs):
        for rule in filter(None, index.said(f"${name}").split("\0")):
            row, *given = rule.split(" ")
            against.setdefault(name, []).append(Against(row, tuple(given)))
    return broken(line, commands, against, where)


def rows_at(index: MomentIndex, paths: Iterable[str], *, changed: bool) -> list[str]:
    """Return the numbers of the rules that speak of files or of a folder that they are in."""
    rows: list[str] = []
    for path in paths:
        while path:
            rows += index.said(f"@{path}").split()
            if changed:
                rows += index.said(f"!{path}").split()
            path = path.rpartition("/")[0]
    return rows


def _answer(moment: Moment) -> Needed | None:
    from ledger.errors import HomeNotFound
    from ledger.home import discover
    from memory.query.prompt_facts import answers_to
    from projection.brief.wording import label, plain, untagged

    try:
        policy, found = answers_to(discover(moment.folder), moment.prompt)
    except HomeNotFound:
        return None
    facts = []
    for one in found:
        about = [label(one.standing.fact.kind), *one.marks, one.date]
        text = untagged(plain(one.text(_TEXT_CHARS)))
        facts.append((one.id, ", ".join(about), text))
    told = tuple(_marked(moment, facts)) if facts else ()
    from rituals.hosts.context.session_news import Needed

    return Needed(told, most=policy.facts, characters=policy.characters) if told else None
