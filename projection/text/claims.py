r"""Find what the text of a fact names that can be looked for in a code repository.

Only what is said of the present: a clause that tells of something removed, renamed or missing, that gives
an example, or that speaks of another repository claims nothing, and neither do fenced code, globs,
placeholders, links to other places and paths outside the repository. Pure; whether a claim still holds is
for the evidence audit to say.
"""

from __future__ import annotations

import re

from ledger.codec.outline_by_lines import prose_lines
from ledger.model.record import Record

PATH, FOLDER, MODULE, NAME = "path", "folder", "module", "name"


class Claim(Record):
    """One thing that a text names."""

    #: `path` (of a file), `folder`, `module` (`python -m`), `name` (of a function, class or constant)
    kind: str
    subject: str  #: what to look for


#: What is longer names nothing. A pattern that begins with a run of characters begins where it does, or
#: has a limit: else each place of a long run would be a start of its own.
_LIMIT_CHARS = 1000
#: Ends of file names that stand without a folder.
_EXTENSIONS = (
    "py|pyi|rs|go|js|jsx|ts|tsx|mjs|cjs|java|kt|kts|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|ex|exs|erl|hs|ml|lua|sh|bash|"
    "zsh|ps1|sql|proto|graphql|html|css|scss|vue|svelte|md|mdx|rst|txt|adoc|json|jsonc|yaml|yml|toml|ini|cfg|conf|xml|"
    "csv|env|lock|gradle|mk|cmake|tf|ipynb|properties|mdc"
)  # fmt: skip
_FILE = re.compile(rf"^[\w@+.-]*[\w+-]\.(?:{_EXTENSIONS})$", re.ASCII)
_DOTTED = re.compile(r"^\.[a-z]*(?:rc|ignore|env|config|attributes|version)(?:\.\w+)?$")
_SLASHED = re.compile(r"^[\w+.-]+(?:/[\w@+.-]+)*/?$", re.ASCII)
_ROOTED = re.compile(
    rf"(?<![\w/~.:@+-])(?:\./)?(?:[\w+-][\w+.-]*/)+[\w+.-]+\.(?:{_EXTENSIONS})\b(?![/\w])", re.ASCII
)
_POSITION = re.compile(r"(?:::?[\w.\[\]-]+)+$|#L?\d+(?:-L?\d+)?$")
_DEFINED = re.compile(
    r"^(?:pub |async |export |static |abstract )*"
    r"(?:def|class|fn|func|function|struct|enum|trait|interface|type|const|macro|mod)"
    r"\s+([A-Za-z_]\w*)", re.ASCII,
)  # fmt: skip
_NAMED = re.compile(
    r"^[A-Za-z_]\w*(?:(?:::|\.|#|->)[A-Za-z_]\w*)*(\(.*\)|!)?$", re.ASCII | re.DOTALL
)
_SPAN = re.compile(rf"(?<!`)(`+)(?!`)(.{{1,{_LIMIT_CHARS}}}?)(?<!`)\1(?!`)", re.DOTALL)
_ELSEWHERE = re.compile(
    r"\b[a-z][a-z0-9+.-]{0,20}://\S+|\bwww\.\S+|\b[\w.+-]{1,64}@[\w-]+\.[\w.]+|"
    r"\b[\w.-]{1,40}/[\w.-]{1,100}(?:@|:(?=[\w.-]{1,100}/))[\w./-]+",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<=[.!?])\s+(?=[A-Z`*_(\[\"'])|"
    r";\s+|(?<!\s)\s+[—–]\s+|\n\s*\n|\n\s*(?=[-*+] |\d+[.)] )"
)

#: Clauses with these words claim nothing about the present of this repository.
_SILENT = re.compile(
    # gone, and the author knew it
    r"\b(?:removed?|removes|removing|removal|deleted?|deletes|deleting|deletion|dropped|drops|dropping|"
    r"gone|renamed|retired?|former|formerly|no longer|any ?more|used to|legacy|deprecated|previously|"
    r"moved (?:to|from|out|into)|replaced (?:by|with)|superseded|obsolete|instead of|rather than|not yet|"
    r"was called|were called|(?:once|originally) lived|got rid of|rid of|"
    # never meant to be there
    r"there (?:is|are|was|were) no|no such|"
    r"(?:does|do|must|should|did|will) ?n[o']t (?:exist|add|create|bring|need|have)|"
    r"never (?:add|create|commit|existed)|without an?|"
    # an example
    r"e\.g\.|eg\.|for example|for instance|such as|"
    # another repository
    r"upstream(?:'s| has| keeps| calls| uses| names| repo\w*| project)|"
    r"(?:in|of|from|at) upstream|vendored|"
    r"(?:other|another|separate|external|sister|sibling|private|public|their|template|"
    r"legacy|old|java|official) repo(?:sitor(?:y|ies))?s?|"
    r"in the [\w`.-]+ (?:repo|repository|project|codebase|fork)\b|"
    r"[\w`.-]{1,40}'s (?:repo|repository|own|fork))(?!\w)",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\b(?:in )?(?:this|our|the same) (?:repo|repository|project|codebase)\b", re.IGNORECASE
)
_INTERPRETERS = frozenset(
    "python python3 node bash sh zsh ruby deno tsx ts-node pytest uv poetry cat source".split()
)


def claims(text: str) -> tuple[Claim, ...]:
    """Return what a text names, each once, in the order met."""
    found: dict[Claim, None] = {}
    # wrapped lines become one, paragraphs and items stay apart
    apart = re.sub(r"\n\s*\n", "\n\n", "\n".join(prose_lines(text)))
    joined = re.sub(r"(?<!\n)\n(?!\n|\s*(?:[-*+] |\d+[.)] ))", " ", apart)
    for clause in _CLAUSE.split(_ELSEWHERE.sub(" ", joined)):
        # the words around the code tell, not those in it: `legacy_mail.py` is a name
        said = _ROOTED.sub("code", _SPAN.sub("code", clause))
        if _SILENT.search(_HERE.sub(" ", said)):
            continue
        for match in _SPAN.finditer(clause):
            found |= dict.fromkeys(_of_span(" ".join(match[2].split())))
        for match in _ROOTED.finditer(_SPAN.sub(" ", clause)):
            found.setdefault(Claim(PATH, _bared(match[0])))
    return tuple(found)


def _of_span(span: str) -> list[Claim]:
    """Read one code span; a long one is a listing, and names nothing."""
    defined = _DEFINED.match(span)
    if defined:
        return [Claim(NAME, defined[1])]
    if " " in span and not _NAMED.match(span):
        return _of_command(span.split(" "))
    return _of_word(span)


def _of_word(word: str) -> list[Claim]:
    path = _path(word)
    if path:
        return [path]
    named = _NAMED.match(word)
    if not named:
        return []
    chain = word[: named.start(1)] if named[1] else word
    last = re.split(r"::|\.|#|->", chain)[-1]
    certain = bool(named[1])
    inner = last.strip("_")  # with underscores or humps it is written as only code writes it
    if len(last) >= 4 and (certain or "_" in inner or re.search(r"[a-z][A-Z]", inner)):
        return [Claim(NAME, last)]
    return []


def _path(word: str) -> Claim | None:
    """Read a word as a path of this repository; None when it is none."""
    if set(word) & set("*?<>{}$|\\,;\"'()=") or "..." in word or "//" in word:
        return None
    bare = _POSITION.sub("", word)
    if not bare or bare[0] in "/~@" or bare.startswith("../") or bare in (".", "./"):
        return None
    bare = _bared(bare)
    if bare.endswith("/"):
        return Claim(FOLDER, bare[:-1]) if _SLASHED.match(bare) and bare.strip("/.") else None
    if "/" not in bare:
        return Claim(PATH, bare) if _FILE.match(bare) or _DOTTED.match(bare) else None
    if not _SLASHED.match(bare) or not {"foo", "bar", "path", "your"}.isdisjoint(bare.split("/")):
        return None
    return Claim(PATH if _FILE.match(bare.rpartition("/")[2]) else FOLDER, bare)


def _of_command(words: list[str]) -> list[Claim]:
    """Read a code span of several words as a command."""
    while words and (
        words[0] in ("$", "sudo", "time", "uv", "poetry", "run") or re.match(r"^\w+=\S*$", words[0])
    ):
        if words[:2] != ["uv", "run"] and words[0] in ("uv", "poetry") and words[1:2] != ["run"]:
            return []
        words = words[1:]
    if len(words) < 2:
        return []
    program, rest = words[0], words[1:]
    if program.startswith("python") and "-m" in rest[:-1]:
        module = rest[rest.index("-m") + 1]
        named = re.match(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$", module)
        return [Claim(MODULE, module)] if named else []
    if program not in _INTERPRETERS and not program.startswith("./") and not _FILE.match(program):
        return []
    paths = [_path(word) for word in words if not word.startswith("-")]
    # what follows the first are arguments, often of other places
    return [path for path in paths if path is not None and path.kind == PATH][:1]


def _bared(path: str) -> str:
    return path[2:] if path.startswith("./") else path
