"""Read decision records: whether one holds, and what was decided, in the words of its own section.

The forms are MADR, Nygard's with that of adr-tools, and log4brains: a title, a status, and a section for
the decision, which is kept whole. What a record has no form for is not guessed: one that is not accepted,
or that says its status otherwise, is left out and named. All is read from git, never from the work tree,
so that `path:line@commit` is true.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ledger.codec.outline import NO_TEXT, document_text
from ledger.errors import NotFound, WrongUsage
from ledger.escape import visible
from ledger.git.code_history import Code
from ledger.git.repository import find_repository
from ledger.home import OWN_REPOSITORY, Home, code_of
from ledger.model.log_names import is_date
from ledger.model.record import Record
from rituals.intake.intake_items import Item, LeftOut, Reading
from rituals.intake.markdown_sections import Section, front_matter, led, sections, whole

#: What the facts of documents have as their source, since before there was another way to read these.
SOURCE = "harvest"
ACCEPTED, SUPERSEDED, UNCLEAR, TEMPLATE = "accepted", "superseded", "unclear", "template"
#: Larger ones are no documents that somebody wrote.
_LIMIT_BYTES = 128 << 10
COMMIT_CHARS = 12  #: name a commit for good
_AT_ONCE = 500  #: documents that are in memory
_NONE = "no decision record: no status, or no section that decides"
_LARGE = f"larger than {_LIMIT_BYTES >> 10} KiB"
_MARKDOWN = (".md", ".markdown")
#: Files of rules, which agents read at every start.
_RULES = re.compile(
    r"(?:^|/)(?:(?:AGENTS|CLAUDE|GEMINI|CONVENTIONS|CONTRIBUTING|\.(?:cursor|windsurf|cline)rules)(?:\.md)?"
    r"|\.github/copilot-instructions\.md|\.(?:claude|cursor|windsurf|cline|roo|github)/(?:rules|instructions)/.*"
    r"\.mdc?)$"
)
_FOLDER = re.compile(
    r"(?:.*[-_])?(?:adrs?|madr|decisions?|(?:design-)?decision[-_]?(?:records?|logs?))$",
    re.IGNORECASE,
)
_NAME = re.compile(r"adr[-_ ]?\d", re.IGNORECASE)
#: What an agent is told when somebody calls it says nothing of the project.
_PROMPT = re.compile(
    r"(?:^|/)\.[^/]+/(?:.*/)?(?:commands?|agents?|prompts?|chatmodes?|skills?|workflows)/"
    r"|(?:^|/)SKILL\.md$|\.(?:prompt|chatmode|agent)\.md$",
    re.IGNORECASE,
)
_NO_RECORD = re.compile(r"(?:changelog|.*\btemplate\b.*)$", re.IGNORECASE)
#: Folders whose documents are somebody else's, made by a program, or only show something.
_FOREIGN = frozenset(
    "node_modules bower_components vendor vendored third_party third-party site-packages .venv deps dist "
    "build site _site target archive archived attic examples example samples demo fixtures fixture test "
    "tests integration-tests testdata templates template snapshots __snapshots__".split()
)  # fmt: skip
#: The words of a status, in the order in which they count.
_STATES = tuple(
    (state, re.compile(words, re.IGNORECASE))
    for state, words in (
        (SUPERSEDED, r"(?<!partially )(?<!partly )(?:super[sc]|replac)ed ?by|^\W*(?:super[sc]|replac)ed"),
        ("rejected", r"\b(?:rejected|declined|withdrawn|cancell?ed|denied|not (?:approved|adopted))\b"),
        ("deprecated", r"\b(?:deprecated|obsolete|retired|abandoned|reverted|no longer|outdated)\b"),
        ("proposed", r"\b(?:not (?:yet )?(?:accepted|decided)|to be \w+ed|pending|(?:in|under) review)\b"),
        (ACCEPTED, r"\b(?:accepted|approved|adopted|agreed|implemented|decided|done|final|active)\b|✅"),
        ("proposed", r"\b(?:proposed|proposal|draft|rfc|open|wip|discussion|deferred|postponed|hold)\b"),
    )
)  # fmt: skip
_CHOICE = re.compile(
    r"\b(?:proposed|rejected|accepted|deprecated|draft)\b\s*[|/,…}]", re.IGNORECASE
)
_PLACEHOLDER = re.compile(r"[\[{<].*[\]}>]$")
_NUMBERING = re.compile(
    r"(?:(?:ADR|decision(?: record)?)[-\s#:]*\d[\d.]*\s*[-–—:.)]*|#?\d[\d.]*\s*[-–—:.)]+)\s+(?=\S)",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"(?:the |our |final )?(?:decisions?(?: (?:outcome|made|taken))?|entscheidung|décision|decisión)$",
    re.IGNORECASE,
)
_STATUS = re.compile(r"(?:(?:decision|adr) )?(?:status|state)$", re.IGNORECASE)
#: A line of the head that says something of the record: `* Status: accepted`, `**Date:** 2024-03-04`.
_LABEL = re.compile(
    r"[\s>|*+-]*_*(status|state|decision status|date|supersedes|superseded[- ]by)[*_]*\s*[:|][\s*_]*(.+)",
    re.IGNORECASE,
)
_TAKES = re.compile(r"\b(?:super[sc]edes|replaces|obsoletes)\b:?\s*(.{3,200})", re.IGNORECASE)
_TAKEN = re.compile(
    r"\b(?:super[sc]eded|replaced|obsoleted)[-\s]?by\b:?\s*(.{3,200})", re.IGNORECASE
)
_FILE = re.compile(r"[\w./-]*\w\.(?:md|markdown)\b")
_PREFIXED = re.compile(r"\b(?:ADR|DEC|D)[-\s#_]*0*(\d{1,5})\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\d-])0*(\d{1,5})(?![\d-])")
_DAY = re.compile(r"\b(\d{4})-?(\d{2})-?(\d{2})(?!\d)")


class Decision(Record):
    """What a record says."""

    #: `ACCEPTED`, `SUPERSEDED`, …; `UNCLEAR` where its status has none of the known words
    state: str
    status: str  #: as it says it, "" where it says none
    line: int  #: on which the decision begins; 1 where there is none
    text: str  #: its title and the section that decides, "" where no section does
    at: str = ""  #: its date, "" where it says none
    takes: tuple[str, ...] = ()  #: numbers and files of records that it takes the place of
    taken: tuple[str, ...] = ()  #: numbers and files of those that take its place


class Records(Record):
    """What one reading of a repository's decision records brought."""

    commit: str  #: that was read
    read: int  #: how many documents were looked into
    readable: tuple[tuple[str, int], ...]  #: rules files, which an agent can read, and their bytes
    reading: Reading  #: the decisions that hold


def decision_of(text: str, name: str = "") -> Decision | None:
    """Read a document, which has that name, as a decision record; None for what is none."""
    fields, body, first = front_matter(text)
    found = sections(body, first)
    titled = next((at for at, one in enumerate(found) if one.level), 0)
    if not titled:
        return None
    title = found[titled].titles[-1]
    below = [at for at, one in enumerate(found) if at > titled and one.level > found[titled].level]
    decides = next((at for at in below if _is(found[at], _DECISION)), 0)
    head = "\n".join([one.text for one in found[: titled + 1]])
    told = dict(fields)
    for label in filter(None, map(_LABEL.match, head.split("\n"))):
        told.setdefault(label[1].lower().replace(" ", "-"), label[2].strip(" |*_"))
    about = next((found[at].text for at in below if _is(found[at], _STATUS)), "")
    named = [told[key] for key in ("status", "state", "decision-status") if told.get(key)]
    status = " ".join((named or [about.partition("\n\n")[0]])[0].split())
    if not (status or decides) or _PLACEHOLDER.match(title):
        return None
    state = _state_of(status, head)
    if state == TEMPLATE:
        return None
    takes, taken = (
        [one[1] for one in pattern.finditer(f"{status}\n{about}")] + [told.get(key, "")]
        for pattern, key in ((_TAKES, "supersedes"), (_TAKEN, "superseded-by"))
    )
    if any(taken) and state in (ACCEPTED, UNCLEAR):
        state = SUPERSEDED
    days = [_DAY.search(one) for one in (told.get("date", ""), status, title, name)]
    dates = ["-".join(day.groups()) for day in days if day]
    bare = _NUMBERING.sub("", title, count=1).strip(" .:#") or title
    decided = whole(found, decides) if decides else ""
    return Decision(
        state, status, found[decides].line if decided else 1,
        led(bare, decided) if decided else "", next(filter(is_date, dates), ""),
        _names(takes), _names(taken),
    )  # fmt: skip


def _is(section: Section, pattern: re.Pattern[str]) -> bool:
    """Tell whether a heading, without its number and marks, is of a kind."""
    return pattern.match(re.sub(r"^[^A-Za-z]+", "", section.titles[-1]).rstrip(" :*#")) is not None


def _state_of(status: str, head: str) -> str:
    """Return the state that a status says; without one a record holds, where its head speaks of none."""
    if not status:
        return UNCLEAR if re.search(r"\bstatus\b", head, re.IGNORECASE) else ACCEPTED
    if len(_CHOICE.findall(status)) > 1 or status.endswith("?"):
        return TEMPLATE
    status = re.sub(r"~~.*?~~", "", status)
    if _STATES[0][1].search(status):
        return SUPERSEDED
    told = (re.sub(r"\([^)]*\)?", " ", status), status)  # what stands in brackets tells less
    return next((state for one in told for state, role in _STATES if role.search(one)), UNCLEAR)


def _names(said: Iterable[str]) -> tuple[str, ...]:
    """Return what names other records, each once: their files, else their numbers."""
    found: dict[str, None] = {}
    for text in said:
        files = [match.rpartition("/")[2] for match in _FILE.findall(text)]
        numbers = _PREFIXED.findall(text) or _NUMBER.findall(text)[:1]
        for name in files or [str(int(number)) for number in numbers]:
            found.setdefault(name)
    return tuple(found)


def is_record(path: str) -> bool:
    """Tell by its path whether a document is a decision record."""
    *folders, name = path.split("/")
    stem, ending = os.path.splitext(name)
    if ending.lower() not in _MARKDOWN or _NO_RECORD.match(stem):
        return False
    above = folders[-2:-1] if stem.lower() in ("readme", "index") else folders[-2:]
    return bool(_NAME.match(stem) or any(map(_FOLDER.match, above)))


def read_records(home: Home, paths: Sequence[str], progress: Callable[[int, int], None]) -> Records:
    """Read the decision records that HEAD has; nothing is written.

    Args:
        home: the memory that is to know of them.
        paths: files and folders; what a person names is read, whatever it is called. Nothing means
            all that are records by their path.
        progress: told how many documents are read, and of how many.

    Raises:
        NotFound: there is no code to read, or a path that it does not have.
        WrongUsage: the paths are of another repository.
    """
    code, under = code_at(home, paths)
    files, everything = code.files(), not under or "" in under
    if everything:
        wanted = [path for path in sorted(files) if is_record(path) and is_own(path, files)]
    else:
        wanted = [path for path in sorted(files) if any(_is_below(path, one) for one in under)]
    left_out: list[LeftOut] = []
    records: dict[str, Decision] = {}
    sizes = code.sizes([files[path] for path in wanted])
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        data = code.contents([files[path] for path in some])
        for path in some:
            text = document_text(data.get(files[path], b""))
            small = sizes[files[path]] <= _LIMIT_BYTES
            found = decision_of(text, path.rpartition("/")[2]) if small and text else None
            if found is not None and (found.status or is_record(path)):
                records[path] = found
            else:
                why = _NONE if text is not None else NO_TEXT
                left_out.append(LeftOut(path, why if small else _LARGE))
        progress(start + len(some), len(wanted))
    items, passed = _items(records, code)
    reading = Reading(SOURCE, items, (*left_out, *passed), decided=True)
    rules = [path for path in sorted(files) if _RULES.search(path) and is_own(path, files)]
    bytes = code.sizes([files[path] for path in rules]) if everything else {}
    readable = [(path, bytes[files[path]]) for path in rules if files[path] in bytes]
    return Records(code.commit, len(wanted), tuple(readable), reading)


def code_at(home: Home, paths: Sequence[str]) -> tuple[Code, tuple[str, ...]]:
    """Return the code to read, and what of it, from its top on; nothing means all of it."""
    if home.kind == OWN_REPOSITORY and not paths:
        raise NotFound(
            "this memory is a repository of its own, and has no documents of a project",
            where="PATH",
            hint="name the folder of the code: diurna import docs PATH",
        )
    code = None if paths else code_of(home)
    where = ""
    under = []
    for path in paths:
        folder = os.path.realpath(path)
        inside = folder
        while inside and not os.path.isdir(inside):
            inside = os.path.dirname(inside)
        repository = find_repository(inside)
        if repository is None or not repository.top:
            raise NotFound(f"{path} is in no git repository", where="PATH", hint="name a document")
        if where not in ("", repository.commondir):
            raise WrongUsage("the paths are in several repositories", hint="name those of one")
        foreign = repository.commondir != home.repository.commondir
        if foreign and home.kind != OWN_REPOSITORY:
            raise WrongUsage(
                f"{path} is in another repository than this memory",
                hint="run it in a home of that repository; `diurna init` makes one",
            )
        where = repository.commondir
        code = code or code_of(home, inside if foreign else "", "PATH")
        inner = os.path.relpath(folder, repository.top).replace(os.sep, "/")
        under.append("" if inner == "." else inner)
    if code is None:
        raise NotFound("there is no commit yet", where="HEAD", hint="commit the documents first")
    for path in under:
        if path and not any(one == path or one.startswith(path + "/") for one in code.files()):
            raise NotFound(
                f"HEAD ({code.commit[:7]}) has nothing at {path}",
                where="PATH",
                hint="only what is committed is read",
            )
    return code, tuple(under)


def is_own(path: str, files: Collection[str]) -> bool:
    """Tell whether a document is the repository's own: of no ledger in it, and no prompt or template."""
    *folders, name = path.split("/")
    above = ["/".join(folders[: at + 1]) for at in range(len(folders))]
    return (
        not _PROMPT.search(path)
        and not _NO_RECORD.match(os.path.splitext(name)[0])
        and _FOREIGN.isdisjoint([folder.lower() for folder in folders])
        and not any(f"{folder}/continuity.md" in files for folder in above)
    )


def _is_below(path: str, named: str) -> bool:
    """Tell whether a person who named a file or folder named this document."""
    inner = path[len(named) + 1 :].lower().split("/") if path.startswith(f"{named}/") else []
    below = bool(inner) and inner[-1].endswith(_MARKDOWN) and _FOREIGN.isdisjoint(inner[:-1])
    return path == named or below


def _items(records: Mapping[str, Decision], code: Code) -> tuple[tuple[Item, ...], list[LeftOut]]:
    """Return the decisions that hold, with what each takes the place of, and what does not hold."""
    keys: dict[tuple[str, str], str] = {}
    for path in records:
        folder, _, file = path.rpartition("/")
        number = re.search(r"\d{1,5}", file)
        keys[folder, file] = path
        if number:
            keys.setdefault((folder, str(int(number[0]))), path)
    replaces: dict[str, list[str]] = {}
    for path, one in records.items():
        folder = path.rpartition("/")[0]
        if one.state == ACCEPTED:
            replaces.setdefault(path, []).extend(
                [keys.get((folder, name), path) for name in one.takes]
            )
        elif one.state == SUPERSEDED:
            for name in one.taken[:1]:
                replaces.setdefault(keys.get((folder, name), path), []).append(path)
    gone = {old for new, some in replaces.items() for old in some if old != new}
    items, left_out = [], []
    for path, one in records.items():
        place = f"{path}:{one.line}"
        state = SUPERSEDED if path in gone and one.state == ACCEPTED else one.state
        if state != ACCEPTED:
            left_out.append(LeftOut(place, f"a decision that is {state}"))
        elif not one.text:
            left_out.append(LeftOut(place, "an accepted decision, but no section has it"))
        else:
            others = [other for other in dict.fromkeys(replaces.get(path, ())) if other != path]
            author, day = code.written_by(path, one.line)
            items.append(
                Item(
                    path, visible(one.text), "decision", at=one.at or day, author=author,
                    place=f"{place}@{code.commit[:COMMIT_CHARS]}", replaces=tuple(others),
                )
            )  # fmt: skip
    return tuple(items), left_out
