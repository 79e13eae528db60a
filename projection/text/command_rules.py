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
#: Stands for a shell at the end of a pipe; begins words of which the command or its folder has one; what
#: it has not, nor is run by.
TO_SHELL, ONE_OF, NOT = "|sh", "?", "~"
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
#: "is not touched" tells what happens, and forbids only where the same clause says to what.
_TELLS = re.compile(r"\b(?:is|are|was|were)\s+not$", re.IGNORECASE)
_WORD = re.compile(r"\x00\d+\x00|[^\s`\"'“”]+")
#: What is done, and no program: "never moved".
_VERB_FORM = re.compile(r"[a-z]{3,}(?:ed|ing)")
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
_PLACES = frozenset("main master trunk production prod staging release".split())
#: Programs whose commands are of two words.
_DEEP = {"gh": 2, "docker": 2, "sudo": 2, "gcloud": 2, "aws": 2}
_FOLDERS = frozenset(("folder", "directory", "dir"))
#: Words in front of what a program is used on; of those, in front of what it is used for.
_OBJECT = frozenset(
    "against at below for from in inside into of on onto over to under within".split()
)
_ARTICLES, _PURPOSE, _PLACED = (
    ("the", "a", "an"),
    "for",
    ("in", "on", "from", "at", "inside", "within", "into", "under"),
)
#: What ends that, and what says that another program is for the same purpose.
_OBJECT_ENDS = frozenset(
    "are as be if is than that was were when where which while who without".split()
)
_INSTEAD = re.compile(r"\b(?:use|prefer)\b", re.IGNORECASE)
#: Where somebody works, which no command says.
_CIRCUMSTANCES = frozenset(
    """
    agent agents box branch branches case ci circumstance circumstances code codebase computer container
    containers env environment environments global hook hooks host job jobs laptop laptops linux machine
    machines macos monorepo pipeline pipelines project projects python reason repo repos repository runner
    runners sandbox script scripts session shell system team terminal vm windows work workflow workflows
    workspace workstation
    """.split()
)
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
#: Programs whose names are words that sentences have: they are meant where nothing else is said.
_COMMON = frozenset(
    "make go find time test cut sort kill watch less more date at type "
    "source install head tail which file link mount top patch".split()
)
#: What a shell has as well, and a sentence means otherwise: "is not read", "never set it".
_ACTS = frozenset("free join look open read set split wait who".split())


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
    clauses = [_AGAINST.split(clause) for clause in _CLAUSE.split(text)]
    purpose = not any(_INSTEAD.search(before) for before, *_ in clauses)
    for clause, (first, *zones) in zip(_CLAUSE.split(text), clauses, strict=True):
        before = first
        for against, zone in zip(zones[::2], zones[1::2], strict=True):
            tells = bool(_TELLS.search(f"{before}{against}"))
            before = zone
            if (_EDITS if against.lower() == "no" else _EDIT).search(zone):
                edited = edited or not tells or "\0" in clause or bool(_PATH.search(clause))
            else:
                found += _of_zone(_words(zone, spans), purpose)
        gone = _GONE.search(clause)
        if gone:
            before = _AGAINST.split(clause[: gone.start()])[-1].lower()
            behind = clause[gone.end() :] if gone[0].lower().endswith(_USED) else ""
            found += _of_zone(_words(before + behind, spans), purpose)
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


def _of_zone(items: list[list[str]], purpose: bool) -> list[Breach]:
    """Read what a rule speaks against, and if only for a purpose, which."""
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
        breach = _breach(items[start], items[start + 1 : end], purpose)
        found += [] if breach is None else [breach]
    return found


def _breach(head: list[str], rest: list[list[str]], purpose: bool) -> Breach | None:
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
    in_code = len(head) > 1
    if not _PROGRAM.fullmatch(program) or program in _FLUFF | _BEFORE | _AGAIN:
        return None
    says_more = sum(word not in _FLUFF for word in plain) > 1
    act = program in _ACTS or _VERB_FORM.fullmatch(program)
    if not in_code and (act or (program in _COMMON and says_more)):
        return None
    if in_code:
        return Breach(program, (*head[1:], *_given_to(plain, purpose)))
    behind = 0
    while behind < _DEEP.get(program, 1) and _is_command(plain, behind):
        behind += 1
    return Breach(program, (*plain[:behind], *_given_to(plain[behind:], purpose)))


def _given_to(words: list[str], purpose: bool) -> tuple[str, ...]:
    """Return what is said of a program behind it: what it is given, and what it is used on."""
    low = [word.lower() for word in words]
    starts = [
        at
        for at, word in enumerate(low)
        if word in _OBJECT | _OBJECT_ENDS
        or (word in _ARTICLES and not (at and low[at - 1] in _OBJECT))
    ]
    found = [*_given(words[: starts[0] if starts else len(words)])]
    for start, end in zip(starts, [*starts, len(words)][1:], strict=True):
        first, said = low[start], words[start + 1 : end]
        given = _given(said)
        if first == "without":
            found += [NOT + word for word in given if word[:1] == "-"]
            continue
        named = [word.lower() for word in said if word.lower() not in _FLUFF | _FOLDERS]
        sure = [word for word in given if word[:1] in ("-", ":") or word in _PLACES]
        if sure or first in _OBJECT_ENDS or (first in _ARTICLES and given):
            found += given
        elif first in _PLACED and not _CIRCUMSTANCES.isdisjoint(named):
            continue
        elif named and (purpose or first != _PURPOSE):
            found.append(ONE_OF + "|".join([word.replace("|", "") for word in named]))
    return tuple(found)


def _is_command(words: list[str], at: int) -> bool:
    """Tell whether a word behind a program may be its command: not one of the sentence's own."""
    return (
        at < len(words)
        and _COMMAND.fullmatch(words[at]) is not None
        and words[at] not in _FLUFF | _PLACES | _OBJECT | _OBJECT_ENDS
        and not _follows(words, at)
    )


def _follows(words: list[str], at: int) -> bool:
    return len(words) > at + 1 and words[at + 1] in _FOLDERS


def _given(words: list[str]) -> tuple[str, ...]:
    """Return the flags, paths, places and folders among some words."""
    found = [
        word
        for at, word in enumerate(words)
        if (word[:1] in ("-", ":") and len(word) > 1)
        or _PATH.fullmatch(word)
        or word in _PLACES
        or _follows(words, at)
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
