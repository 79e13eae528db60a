"""Read the lines of a note: facts, what they replace, what is done, wrong or was used, and a title.

Agents write as they like: bullets, bold words, code fences, wrapped lines, another case or language. A
line without a form is a text of its own, goes on with the one above it, or is prose: none is lost.
"""

from __future__ import annotations

from ledger.model.ids import is_fact_id
from ledger.model.record import Record
from ledger.secrets.match import expression
from projection.policy.model import THREAD_KIND
from rituals.record.option_values import (
    ASKED,
    DONE,
    KEYS,
    TITLE,
    kind_of,
    line_of,
    private_last,
    says_nothing,
)

FACT, PROSE = "fact", "prose"
_BULLET = expression(r"(?:[-*+•–—]|\(?\d{1,9}[.)])[ \t]+(?=\S)")
_BOX = expression(r"(?:[-*+][ \t]+)?\[([ xX✓✔]?)\][ \t]+")
_HEADING = expression(r"#{1,6}[ \t]+")
_FENCE = expression(
    r"[ \t]*(?:```+|~~~+)[ \t]*(?:text|txt|plain|plaintext|md|markdown|sh|bash|shell|console|yaml)?[ \t]*"
)
#: What stands around all of a text.
_MARKED = expression(r"(?s)(\*\*|__|`|\*|\")(.+)\1")
#: What stands around a word that begins a line, and what may end it.
_MARKS = "*_`"
_HEAD = expression(r"(?P<mark>[*_`]{0,3})(?P<word>[^\W\d_][^\n:\uff1a*_`\[\]]{0,30}?)"
                  r"(?:[:\uff1a](?P=mark)|[*_`]{0,3}[ \t]*(?:[:\uff1a]|[-–—](?=\s)))[ \t]*")  # fmt: skip
_BRACKETED = expression(
    r"[*_`]{0,3}[\[【](?P<word>[^\W\d_][^\n\[\]]{0,30})[\]】][*_`]{0,3}[:\uff1a]?[ \t]*"
)
_ARROWS = ("->", "=>", "→", "⇒", "➜", "➔")
_ARROW = expression(r"(?P<ids>[^\s=][^\n]{0,300}?)[ \t]*(?:-{1,2}>|=>|→|⇒|➜|➔)[ \t]*")
_IDS = expression(r"[,;\u3001\uff0c]\s*(?:(?:and|und|et|e|и|和)\s+)?|\s+(?:and|und|et|e|и|和|&)\s+")
_BREAKS = expression(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_HEREDOC = expression(r"\$?[ \t]*diurna[ \t]+note\b[^\n]*<<-?[ \t]*['\"]?(\w+)['\"]?[ \t]*")
_ENDS = ("END", "EOF")
_SENTENCE_END = tuple(".!?…:;。\uff01\uff1f\uff1a\uff1b)\"'`»”")
#: A line that is so long was probably wrapped.
_WRAPPED_CHARS = 60


class Line(Record):
    """One line of a note, with the lines that go on with it."""

    what: str  #: `FACT`, `TITLE`, `DONE`, `WRONG`, `USED`, `ASKED` or `PROSE`
    text: str  #: as `--new` takes it, without marks; of ids what stands behind them
    ids: tuple[str, ...] = ()  #: that a fact replaces, or that the line is about
    said: str = ""  #: as it was written
    plain: bool = False  #: it names neither a kind nor a key


def lines_of(piped: str, kinds: tuple[str, ...]) -> tuple[Line, ...]:
    """Return the lines of a note in their order; none where it says that there is nothing to remember."""
    piped = piped.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    text = _BREAKS.sub("\n", piped.removeprefix("\ufeff"))
    lines = _bare(dedent(text.expandtabs(4)).strip("\n").split("\n"), kinds)

    def nothing(one: Line) -> bool:
        head, _, behind = one.text.partition(":")
        return one.what == FACT and says_nothing(behind if kind_of(head, kinds)[0] else one.text)

    return tuple(one for one in _read(lines, kinds) if not nothing(one))


def line_read(text: str, kinds: tuple[str, ...]) -> Line:
    """Read one text by its form, with the lines that go on with it."""
    first, newline, rest = private_last(text).partition("\n")
    first = first.strip()
    box = _BOX.match(first) if first.startswith(("[", "-", "*", "+")) else None
    kind = "" if box is None else DONE if box[1].strip() else THREAD_KIND
    first = first[box.end() if box else 0 :].removeprefix("> ").lstrip()
    more = f"{newline}{rest}".rstrip()
    word, behind = _head(first)
    if word and kind_of(word, kinds)[0]:
        return Line(FACT, f"{word}: {behind}{more}", said=text)
    line = line_of(word)
    if line in (TITLE, ASKED) and behind:
        marked = _MARKED.fullmatch(behind)
        return Line(line, " ".join(f"{marked[2] if marked else behind}{more}".split()), said=text)
    verb = line or line_of(first.partition(" ")[0])
    if verb not in ("", TITLE, ASKED):
        about = _about(verb, behind if line else first.partition(" ")[2], colon=bool(line))
        if about:
            return about._replace(text=f"{about.text}{more}".strip(), said=text)
    key, _, value = first.partition("=")
    keyed = key in KEYS and value[:1].strip() != ""
    arrow = _ARROW.match(first) if not keyed and any(one in first for one in _ARROWS) else None
    ids = _ids(arrow["ids"]) if arrow else ()
    if arrow and ids:
        new = line_read(first[arrow.end() :] + more, kinds)
        if new.what == FACT and new.text.strip():
            return Line(FACT, new.text, ids, text, new.plain)
    if kind == DONE:
        ids = tuple([one for one in _ids(first) if "-" in one])
        return Line(DONE if ids else PROSE, "" if ids else f"done: {first}{more}", ids, text)
    told = f"{kind}: {first}{more}" if kind else f"{first}{more}"
    return Line(FACT, told, (), text, not (kind or keyed))


def _head(first: str) -> tuple[str, str]:
    """Return the word before a colon or a dash, without marks, and what stands behind; "" for none."""
    for at, char in enumerate(first):  # without marks it is quickly seen
        if char in "*_`[]【":
            break
        dash = char in "-–—" and first[at + 1 : at + 2].isspace()
        if at and (char in ":\uff1a" or dash):
            return first[:at].strip(), first[at + 1 :].lstrip(" \t")
        if (at > 30 and char not in " \t") or not (at or (char.isalnum() and not char.isdecimal())):
            return "", ""
    else:
        return "", ""
    head = _BRACKETED.match(first) or _HEAD.match(first)
    if head is None:
        return "", ""
    behind, mark = first[head.end() :], head.groupdict().get("mark") or ""
    if mark and head[0].count(mark) == 1 and behind.endswith(mark):
        behind = behind.removesuffix(mark)  # all of the line is bold
    return head["word"].strip(), behind


def dedent(text: str) -> str:
    """Take away the blanks that begin each line of a text."""
    from textwrap import dedent  # it has regular expressions, and most notes are one line

    return dedent(text)


def _read(lines: list[str], kinds: tuple[str, ...]) -> list[Line]:
    """Gather what belongs together, and read each by its form."""
    groups: list[tuple[str, list[str]]] = []  # what gives a group its form -> its lines
    section = ""
    gap, fence = True, False
    for line in lines:
        bullet, stripped = _BULLET.match(line.strip()), line.strip()
        within = fence
        if _FENCE.fullmatch(line):
            fence = not fence
        if not stripped:
            if groups and (within or groups[-1][0] == "bullet"):
                groups[-1][1].append("")
            gap = True
            continue
        bare = stripped[bullet.end() :] if bullet else _HEADING.sub("", stripped)
        formed = not within and _is_formed(bare, kinds)
        if _HEADING.match(line) and not within and not formed:
            word = bare.strip(f"{_MARKS}:\uff1a ")
            section = word if kind_of(word, kinds)[0] else ""
            groups.append(("section" if section else "heading", [bare]))
        elif formed or (bullet and not within and line[:2].strip()):
            bare = bare if formed or not section else f"{section}: {bare}"
            groups.append(("bullet" if bullet else "form", [bare]))
        elif groups and (within or _goes_on(line, gap, *groups[-1])):
            groups[-1][1].append(line)
        else:
            groups.append(("line", [f"{section}: {stripped}" if section else stripped]))
        gap = False
    found: list[Line] = []
    titled = False
    for how, parts in groups:
        text = f"{parts[0]}\n{dedent(chr(10).join(parts[1:]))}".rstrip()
        if how == "heading" or (how == "line" and text.endswith((":", "\uff1a"))):
            found.append(Line(PROSE, text, said=text))
        elif how != "section":
            found.append(line_read(text, kinds))
            titled = titled or found[-1].what == TITLE
    first = [how for how, _ in groups if how != "section"]
    if "heading" in first and not titled:  # it is the title
        place = first.index("heading")
        found[place] = found[place]._replace(what=TITLE)
    return found


def _goes_on(line: str, gap: bool, how: str, above: list[str]) -> bool:
    """Tell whether a line without a form goes on with the group above it."""
    if how not in ("form", "bullet"):
        return False
    if _FENCE.fullmatch(line):
        return True
    indented = not line[:2].strip()
    if how == "bullet":
        return indented or not gap
    last = above[-1].rstrip()
    if gap or line_of(last.partition(":")[0]):
        return False
    return indented or len(last) >= _WRAPPED_CHARS or not last.endswith(_SENTENCE_END)


def _is_formed(text: str, kinds: tuple[str, ...]) -> bool:
    """Tell whether a line begins with a kind, a key or a verb, or names what it replaces."""
    read = line_read(text, kinds)
    return bool(read.what != FACT or read.ids or not read.plain)


def _bare(lines: list[str], kinds: tuple[str, ...]) -> list[str]:
    """Take away what only carries an answer: fences around it, and the command that was to read it."""
    called = next((one for one in lines if one.strip()), "")
    heredoc = _HEREDOC.fullmatch(called.strip())
    if heredoc:
        lines = lines[lines.index(called) + 1 :]
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    if lines and lines[-1].strip() in (*_ENDS, heredoc[1] if heredoc else ""):
        lines = lines[:-1]
    fences = [place for place, line in enumerate(lines) if _FENCE.fullmatch(line)]
    carry: set[int] = set()
    for first, last in zip(fences[::2], [*fences[1::2], len(lines)], strict=False):
        inside = [line.strip() for line in lines[first + 1 : last]]
        alone = not any(line.strip() for line in lines[:first])
        if alone or any(
            _is_formed(_BULLET.sub("", line, count=1), kinds) for line in inside if line
        ):
            carry |= {first, last}
    if not carry:
        return lines
    left = ["" if place in carry else line for place, line in enumerate(lines)]
    return _bare(dedent("\n".join(left)).split("\n"), kinds)


def _about(verb: str, said: str, *, colon: bool) -> Line | None:
    """Read what is said of some ids; None where the words are no ids but a sentence."""
    whole = _ids(said)
    if whole and (colon or len(whole) > 1 or "-" in whole[0] or "`" in said or said.islower()):
        return Line(verb, "", whole)
    first, _, rest = said.strip().partition(" ")
    one = _ids(first)
    marked = first.endswith((":", ",")) or rest[:1] in ("(", "-", "–", "—") or first[:1] == "`"
    if one and (marked or "-" in one[0]):
        return Line(verb, rest.strip(), one)
    return None


def _ids(said: str) -> tuple[str, ...]:
    """Return the ids that a text consists of, () where it holds anything else."""
    parts = [part.strip() for part in _IDS.split(said.strip(" .")) if part.strip()]
    blanks = [word for part in parts for word in part.split()]
    if len(blanks) > len(parts) and all("-" in word for word in blanks):
        parts = blanks
    parts = [part.strip(f"{_MARKS}[]()\"'.:").lower() for part in parts]
    good = parts and all(is_fact_id(part.removeprefix("personal/")) for part in parts)
    return tuple(dict.fromkeys(parts)) if good else ()
