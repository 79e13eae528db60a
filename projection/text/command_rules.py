r"""Read of a rule which commands break it: what it speaks against, as a program with what it is given.

The grammar is small, and is meant to stay so: it reads the words behind a negation up to the end of the
clause. What it does not find the writer of a rule says, in the footer `warns`.
"""

from __future__ import annotations

import re

from ledger.model.record import Record

#: What the footer says: programs with what they are given, parted by commas; or that there are none.
WARNS_KEY, SILENT = "warns", "none"
#: The kinds of facts that can be rules.
RULE_KINDS = frozenset(("convention", "invariant", "preference", "decision", "stack"))
#: In the place of a program: any one; and what changes files.
ANY, EDITS = "", "!"
#: Stands for a shell at the end of a pipe.
TO_SHELL = "|sh"
#: How much of a text is read, and how many paths of a sentence.
_TEXT_CHARS, _MOST_PATHS = 2_000, 3

_SPAN = re.compile(r"`([^`\n]{1,200})`")
_CLAUSE = re.compile(
    r"[;,!?()]|[:.](?=\s|$)|\s[—–]\s|\n|\b(?:but|because|always|goes|except|unless)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"(?<![\w-])(never|don['’]t|do\s+not|must\s+not|mustn['’]t|avoid|not|no|instead\s+of|rather\s+than|"
    r"(?<=\s)over)(?![\w-])",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\b(?:(?:is|are)\s+(?:gone|deprecated|forbidden|banned|retired|not\s+(?:used|allowed))|"
    r"must\s+not\s+be\s+used)\b",
    re.IGNORECASE,
)
#: What says of these behind them on what a program is not used.
_USED = ("used", "allowed", "forbidden", "banned")
_EDIT = re.compile(
    r"\b(?:edit(?:s|ed|ing)?|modif(?:y|ied)|touch(?:ed)?|hand-edit\w*)\b", re.IGNORECASE
)
#: Behind "no" an edit is forbidden that stands right there; "makes no phantom edit" forbids none.
_EDITS = re.compile(rf"^\s*(?:(?:manual|hand|direct|more)[\s-]+)?{_EDIT.pattern}", re.IGNORECASE)
_WORD = re.compile(r"\x00\d+\x00|[^\s`\"'“”]+")
_COMMAND = re.compile(r"[a-z][a-z-]+")
_PROGRAM = re.compile(r"\.?/?[a-z][a-z0-9._+-]*")
_PATH = re.compile(r"[\w.*-]*/[\w./*-]+|[\w*-]+\.[a-z][a-z0-9]{0,4}|\.[a-z][\w.-]+")
#: Words in front of a program, and words that begin another one.
_BEFORE = frozenset(
    "use using run running call calling invoke install with by through via plain bare raw directly the a"
    " an any".split()
)
_AGAIN = frozenset("use run with by or and nor via through".split())
#: Words behind a program that say nothing of what it is given.
_FLUFF = frozenset(
    """
    a against an and any anymore anything anywhere at be branch branches by command commands dev
    directly ever file files for from hand here in inside into is it its local manually more of on
    onto or our own plain please public published repo shared straight the this to under used via when
    where with within without
    """.split()
)
_FOLDERS = (["folder"], ["directory"], ["dir"])
#: Words behind a program that speak against it for some purpose alone: which commands that are, the
#: writer says in the footer.
_ONLY = frozenset(("for", "on", "without"))
_PLACES = frozenset("main master trunk production prod staging release".split())
#: What git is told to do where nobody names it, by the word.
_VERBS = {
    "force": ("push", "--force"), "force-push": ("push", "--force"), "amend": ("commit", "--amend"),
    "squash": ("merge", "--squash"),
    **{verb: (verb,) for verb in "commit push merge rebase stash".split()},
}  # fmt: skip
_STEMS = {
    "committing": "commit", "commits": "commit", "pushing": "push", "pushes": "push", "merging": "merge",
    "merges": "merge", "rebasing": "rebase", "rebases": "rebase", "stashing": "stash", "amending": "amend",
    "squashing": "squash", "force-pushing": "force-push",
}  # fmt: skip


class Breach(Record):
    """Commands that break a rule."""

    program: str  #: that they run; `ANY`, or `EDITS` of the paths that are given
    #: what each of them is given: first words that follow each other, then flags, paths, names
    given: tuple[str, ...] = ()


def breaches(kind: str, text: str, warns: str = "") -> tuple[Breach, ...]:
    """Return which commands break a rule, each once; () for what is no rule.

    `warns` is the fact's footer, "" for none.
    """
    if warns:
        parts = [part.split() for part in warns.split(",") if part.strip() not in ("", SILENT)]
        return tuple([Breach(words[0], tuple(words[1:])) for words in parts])
    return stated(text) if kind in RULE_KINDS else ()


def stated(text: str) -> tuple[Breach, ...]:
    """Return which commands break what a text says."""
    spans: list[str] = []

    def kept(match: re.Match[str]) -> str:
        spans.append(match[1])
        return f" \0{len(spans) - 1}\0 "

    found: dict[Breach, None] = {}
    marked = _SPAN.sub(kept, text[:_TEXT_CHARS].replace("\0", " ")).replace("**", "")
    for clause in re.split(r"(?<=[.!?])\s+(?=[A-Z\x00])|\n\s*\n", marked):
        for breach in _of_sentence(clause, spans):
            found.setdefault(breach)
    return tuple(found)


def _of_sentence(text: str, spans: list[str]) -> list[Breach]:
    found: list[Breach] = []
    edited = False
    for clause in _CLAUSE.split(text):
        _, *zones = _AGAINST.split(clause)
        for against, zone in zip(zones[::2], zones[1::2], strict=True):
            if (_EDITS if against.lower() == "no" else _EDIT).search(zone):
                edited = True
            else:
                found += _of_zone(_words(zone, spans))
        gone = _GONE.search(clause)
        if gone:
            before = _AGAINST.split(clause[: gone.start()])[-1].lower()
            behind = clause[gone.end() :] if gone[0].lower().endswith(_USED) else ""
            found += _of_zone(_words(before + behind, spans))
    if edited:
        words = [word for words in _words(text, spans) for word in words]
        paths = [word for word in words if _PATH.fullmatch(word)]
        found += [Breach(EDITS, (path.rstrip("/*"),)) for path in paths[:_MOST_PATHS]]
    return found


def _words(zone: str, spans: list[str]) -> list[list[str]]:
    """Return the words of a zone; those of code stand together."""
    return [
        spans[int(word.strip("\0"))].split() if word[0] == "\0" else [word.rstrip(".…")]
        for word in _WORD.findall(zone)
    ]


def _of_zone(items: list[list[str]]) -> list[Breach]:
    """Read what a rule speaks against."""
    items = [item for item in items if item and item[0]]
    if not items:
        return []
    if items[0][0].lower() in ("pipe", "piping"):
        return _piped([word for item in items for word in item])
    flags = [item for item in items if item[0][:2] == "--"]
    if flags and len(flags) == len([item for item in items if item[0].lower() not in _FLUFF]):
        return [Breach(ANY, (flag,)) for item in flags for flag in item]
    found: list[Breach] = []
    starts = [
        at
        for at, item in enumerate(items)
        if not at or len(item) > 1 or (items[at - 1][0].lower() in _AGAIN and item[0][:1] != "-")
    ]
    for start, end in zip(starts, [*starts[1:], len(items)], strict=True):
        while start < end - 1 and items[start][0].lower() in _BEFORE and len(items[start]) == 1:
            start += 1
        breach = _breach(items[start], items[start + 1 : end])
        found += [] if breach is None else [breach]
    return found


def _breach(head: list[str], rest: list[list[str]]) -> Breach | None:
    """Read one program, and what is said of it behind."""
    program = head[0]
    plain = [word for item in rest for word in item]
    lower = _STEMS.get(program.lower(), program.lower())
    verb = _VERBS.get(lower) if len(head) == 1 else None
    if verb is not None:
        if lower == "force" and plain[:1] and _STEMS.get(plain[0], plain[0]) == "push":
            plain = plain[1:]
        given = _given(plain)
        unknown = [word for word in plain if word.lower() not in _FLUFF and word not in given]
        sure = len(verb) > 1 or given or verb == ("stash",)
        return Breach("git", (*verb, *given)) if sure and not unknown else None
    if not _PROGRAM.fullmatch(program) or program in _FLUFF | _BEFORE | _AGAIN:
        return None
    if len(head) > 1:
        return Breach(program, (*head[1:], *_given(plain)))
    names_one = plain[1:2] not in _FOLDERS and bool(plain) and _is_command(plain[0])
    command = plain[:1] if names_one else []
    if not _ONLY.isdisjoint(plain):
        return None
    return Breach(program, (*command, *_given(plain[len(command) :])))


def _is_command(word: str) -> bool:
    """Tell whether a word behind a program may be its command: not one of the sentence's own."""
    return bool(_COMMAND.fullmatch(word)) and word not in _FLUFF | _PLACES


def _given(words: list[str]) -> tuple[str, ...]:
    """Return the flags, paths, places and folders among some words."""
    found = [
        word
        for at, word in enumerate(words)
        if (word[:1] in ("-", ":") and len(word) > 1)
        or _PATH.fullmatch(word)
        or word in _PLACES
        or words[at + 1 : at + 2] in _FOLDERS
    ]
    return tuple(found)


def _piped(words: list[str]) -> list[Breach]:
    """Read `pipe curl into sh`."""
    shells = {"sh", "bash", "zsh", "shell"}
    into = next((at for at, word in enumerate(words) if word in ("into", "to", "in")), 0)
    if into and not shells.isdisjoint(words[into:]):
        named = [word for word in words[1:into] if word not in _FLUFF]
        return [Breach(word, (TO_SHELL,)) for word in named if _PROGRAM.fullmatch(word)]
    return []
