"""Read the evidence that a fact helped: a command with its exit code, or a place in the code.

And write and read the evidence that it was used (W13). What counts is the form alone (FORMAT.md, F12), so
that everybody counts the same; whether the place is there, an append and `diurna check --ci` look. No
regular expression takes part: the quick path loads none.
"""

from __future__ import annotations

from ledger.model.event import OPENED
from ledger.model.ids import WITHHELD, is_fact_id
from ledger.model.record import Record

#: The forms of evidence.
COMMAND, PLACE = "command", "place"
_EXITS = frozenset(("exit", "exits", "exited", "exit-code", "exit_code", "exitcode", "rc"))
#: What may stand between such a word and the number.
_BETWEEN = frozenset(("code", "status", "with"))
#: What parts words, beside blanks, and what surrounds a place.
_PARTING = str.maketrans(dict.fromkeys("()[]{}<>,;:=→`'\"", " "))
_AROUND = "()[]{}<>,;`'\""
_MOST_CODE = 255
_LINE_DIGITS, _AT_DIGITS = 9, 15


#: How a fact is used: asked for by its id, named, said again to set right, said in other words, done.
NAMED, CORRECTED, RESTATED, FOLLOWED = "named", "corrected", "restated", "followed"
HOWS = (OPENED, NAMED, CORRECTED, RESTATED, FOLLOWED)

#: What stands before the questions behind which a fact was used.
ASKED_MARK = ", asked “"


class Proof(Record):
    """The evidence that a session used a fact."""

    how: str  #: one of `HOWS`
    #: the byte at which the line of the transcript starts that proves it; -1 where none does
    at: int
    by: str  #: "person" or "agent", whose words they are; "" where nobody said a word
    words: str  #: that were said, run or written; "" where others may not read them
    #: behind which questions it was used: the last one, which so found it, and before it those that
    #: were asked in vain
    asked: tuple[str, ...]

    @property
    def remark(self) -> str:
        """What stands beside the id."""
        where = f" {self.at}" if self.at >= 0 else ""
        by = f", by the {self.by}" if self.by else ""
        asked = f"{ASKED_MARK}{'”, “'.join(self.asked)}”" if self.asked else ""
        return f"{self.how}{where}{by}{asked}" + (f": “{self.words}”" if self.words else "")


def proof_in(remark: str) -> Proof | None:
    """Return the evidence of use that a remark is, None where it is another one."""
    head, _, words = remark.partition(": “")
    head, _, asked = head.partition(ASKED_MARK)
    said, _, by = head.partition(", by the ")
    how, _, at = said.partition(" ")
    if how not in HOWS or by not in ("", "person", "agent"):
        return None
    if at and not _is_number(at, _AT_DIGITS):
        return None
    questions = tuple(asked.removesuffix("”").split("”, “")) if asked else ()
    return Proof(how, int(at or -1), by, words.removesuffix("”"), questions)


def form_of(remark: str) -> str:
    """Return the form of the evidence beside a fact, "" where it is none."""
    if remark[:1] == WITHHELD:
        return remark[1:]
    return PLACE if _names_place(remark) else COMMAND if _is_command(remark) else ""


def _names_place(remark: str) -> bool:
    """Tell whether a remark names a line as `path:line`, also `path:line:column` or `path:3-9`."""
    for word in remark.split():
        bare = word.lstrip(_AROUND).rstrip(_AROUND + ".")
        path, colon, rest = bare.replace("#L", ":").partition(":")
        line = rest.partition(":")[0].partition("-")[0]
        # a path has a dot or a slash, and a letter
        named = {".", "/"} & {*path} and any(map(str.isalpha, path)) and path[-1] not in "./"
        if colon and named and _is_number(line, _LINE_DIGITS) and int(line):
            return True
    return False


def role_in(remark: str) -> str:
    """Return the role that the remark beside an ignored fact names, "" where it is none."""
    role = remark.strip().lower()
    return role if is_fact_id(role) else ""


def _is_command(remark: str) -> bool:
    """Tell whether a remark names a command and the code that it ended with."""
    words = remark.lower().translate(_PARTING).split()
    for place, word in enumerate(words):
        if word in _EXITS:
            at = place + 1
            while at < len(words) and words[at] in _BETWEEN:
                at += 1
            code = words[at] if at < len(words) else ""
            if _is_number(code, 3) and int(code) <= _MOST_CODE:
                return place > 0 or at + 1 < len(words)
    return False


def _is_number(text: str, digits: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= digits
