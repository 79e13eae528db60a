"""Gather what facts name; find what of it a commit or a change takes away, and where it went (R4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from ledger.git.code_diff import FileDiff
from ledger.git.code_history import DOCUMENTS, Change, Code, Lost, Removal
from ledger.model.order import milliseconds_of
from ledger.model.record import Record
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.lifecycle.review_due import is_raised, key_of
from projection.text.claims import FOLDER, MODULE, NAME, PATH, Claim, claims

#: What stands before a name that is defined there; `#define` and annotations of types included.
_DEFINES = (
    r"(?:\b(?:def|class|fn|func|function|struct|enum|trait|interface|type|const|let|var|val|static|macro_rules!|"
    r"mod|module|record|protocol|union|typedef|sub|CREATE (?:TABLE|VIEW|FUNCTION))\s+"
    r"(?:\([^)]*\)\s*)?|#define\s+|"
    r"^\s*(?:(?:public|private|protected|static|final|async|export|abstract|override|virtual|inline|readonly)\s+)+"
    r"(?:[\w<>\[\],.*&:?]+\s+)*)"
)
#: So many changed lines change a file; fewer touch it.
LEAST_LINES = 10
_IMPORT = re.compile(r"(?:import|from|use|using|package|#include)\b[^=(]*$|from .* import\b")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
#: The name of a class, which in some languages has a file of its own.
_CLASS = re.compile(r"^[A-Z]\w*[a-z]")
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures|e2e)/|(?:^|/)(?:test_|conftest\.)[^/]*$|"
    r"[._-](?:test|spec)s?\.\w+$|Tests?\.\w+$"
)
#: A line of a file that differs, by its number.
Place = tuple[FileDiff, int]


class Named(Record):
    """One thing that a fact names."""

    fact: Fact  #: that names it
    claim: Claim  #: what it names
    written_ms: int  #: when that text was written; what history did before is no news to its author


def named_by(standings: Iterable[Standing], *, faded: bool = False) -> list[Named]:
    """Return what live facts name.

    Disputed, redacted and closed ones are left to their dispute or rest; what a review raised is about
    others. `faded` takes those of the archive, too.
    """
    return [
        Named(fact, claim, written)
        for fact in asked_about(standings, faded=faded)
        for written in (written_ms(fact),)
        for claim in claims(fact.text)
    ]


def asked_about(standings: Iterable[Standing], *, faded: bool = False) -> list[Fact]:
    """Return the facts that the audit asks about: those that live (or faded), undisputed."""
    return [
        standing.fact
        for standing in standings
        if (faded or standing.live)
        and not (standing.fact.false or standing.fact.redacted or standing.fact.closed)
        and len(standing.fact.heads) == 1
        and not is_raised(standing.fact)
    ]


def written_ms(fact: Fact) -> int:
    """Return when the text of a fact was written, in milliseconds since 1970.

    What an import brought was written when the fact was born, as far as anybody knows.
    """
    head = fact.heads[0]
    imported = not head.parents and fact.origin != head.stem
    return milliseconds_of(fact.born if imported else head.stem)


def used_ms(fact: Fact) -> int:
    """Return when a fact was last used or written, in milliseconds since 1970."""
    return max(written_ms(fact), milliseconds_of(fact.anchor))


class Taken(Record):
    """A path or a name of code that a commit took away after a fact named it."""

    named: Named  #: what it is, and the fact
    path: str  #: of the file that went, the newest one of a folder, or that defined the name
    change: Change  #: the commit
    moved: str = ""  #: where the commit moved that file, "" for nowhere
    now: str = ""  #: the path as the fact would name it now, "" where it is gone
    line: str = ""  #: that defined the name

    @property
    def rule(self) -> str:
        """The rule of the review that asks about it."""
        if self.now:
            return "file-renamed"
        return {FOLDER: "folder-gone", NAME: "name-gone"}.get(self.named.claim.kind, "file-gone")

    @property
    def key(self) -> str:
        """The key of that question."""
        return key_of(self.rule, self.named.fact.id, self.named.claim.subject)


def taken_paths(named: Iterable[Named], code: Code, files: Iterable[str]) -> list[Taken]:
    """Find the paths that were there and are not any more.

    A path may be written from the top of the repository or by its last parts alone. It is there while any
    path ends in it. One that the repository ignores by now may be on the disk alone. Gone without a commit
    that took it away after the text was written is no finding.
    """
    wanted = [one for one in named if one.claim.kind in (PATH, FOLDER, MODULE)]
    known = known_ends(files) if wanted else frozenset()
    missing = [(one, paths_of(one)) for one in wanted if known.isdisjoint(paths_of(one))]
    if not missing:
        return []
    since = min(one.written_ms for one, _ in missing)
    ends: dict[str, list[Removal]] = {}
    for removal in code.removed({path for _, paths in missing for path in paths}, since):
        for end in known_ends([removal.path]):
            ends.setdefault(end, []).append(removal)
    newest: list[tuple[Named, Removal]] = []
    for one, paths in missing:
        behind = [
            removal
            for path in paths
            for removal in ends.get(path, ())
            if removal.change.is_behind(one.written_ms)
        ]
        newest += [(one, removal) for removal in behind[:1]]
    ignored = code.ignored(removal.path for _, removal in newest)
    newest = [pair for pair in newest if pair[1].path not in ignored]
    renames = code.renames({removal.change.commit for _, removal in newest})
    taken = []
    for one, removal in newest:
        moved, written = renames.get((removal.change.commit, removal.path), ""), one.claim.subject
        now = moved if one.claim.kind == PATH and moved in known else ""
        if written != removal.path:  # as it was written: from the top, or by as many last parts
            now = "/".join(now.split("/")[-(written.count("/") + 1) :])
        taken.append(Taken(one, removal.path, removal.change, moved, now))
    return taken


def known_ends(paths: Iterable[str]) -> frozenset[str]:
    """Return every file and folder of some paths, from the top and by each of their last parts."""
    ends: set[str] = set()
    folders: set[str] = set()
    for path in paths:
        parts = path.split("/")
        for end in range(len(parts), 0, -1):
            whole = "/".join(parts[:end])
            if end < len(parts):
                if whole in folders:
                    break  # and so are the folders above it
                folders.add(whole)
            ends.add(whole)
            ends.update(["/".join(parts[begin:end]) for begin in range(1, end)])
    return frozenset(ends)


def paths_of(one: Named) -> tuple[str, ...]:
    """Return the paths that a claim of one names, any of which will do."""
    if one.claim.kind == MODULE:
        base = one.claim.subject.replace(".", "/")
        return f"{base}.py", base
    return (one.claim.subject,)


def taken_names(named: Iterable[Named], code: Code) -> list[Taken]:
    """Find the names of code that stand nowhere in it any more, each with the newest definition of it.

    Documents do not count, neither for a name nor against it. A name whose definition no commit took away
    after the text was written is no finding: it may be of a library, or of another repository. For a name
    in capitals, a setting of the environment, any line of code counts as its definition.
    """
    wanted = [one for one in named if one.claim.kind == NAME]
    present = code.present(one.claim.subject for one in wanted)
    missing = [one for one in wanted if one.claim.subject not in present]
    if not missing:
        return []
    since = min(one.written_ms for one in missing)
    definitions: dict[str, list[Lost]] = {}
    for lost in code.lost({one.claim.subject for one in missing}, since):
        if lost.name.isupper() or defines(lost.name, lost.line):
            definitions.setdefault(lost.name, []).append(lost)
    taken = []
    for one in missing:
        lines = definitions.get(one.claim.subject, ())
        behind = [lost for lost in lines if lost.change.is_behind(one.written_ms)]
        taken += [Taken(one, lost.path, lost.change, line=lost.line) for lost in behind[:1]]
    return taken


def defines(name: str, line: str) -> bool:
    """Tell whether a line of code with a name in it defines it."""
    word = re.escape(name)
    return declares(name, line) or bool(
        re.search(rf"^\s*[\"']?{word}[\"']?\s*(?::[^:=]|:?=[^=])", line + " ")
    )


def declares(name: str, line: str) -> bool:
    """Tell whether a line begins the function, class or the like of a name: no plain assignment."""
    return bool(re.search(rf"{_DEFINES}{re.escape(name)}\b", line))


def changed_code(files: Iterable[FileDiff]) -> list[FileDiff]:
    """Leave out documents, tests and lines that import, in which a change decides nothing."""
    return [
        one._replace(lines=tuple([line for line in one.lines if not _IMPORT.match(line.text)]))
        for one in files
        if one.path.rpartition(".")[2].lower() not in DOCUMENTS and not _TESTS.search(one.path)
    ]


def changed_names(files: Iterable[FileDiff], wanted: Collection[str]) -> dict[str, list[Place]]:
    """Return where names are changed: their definition, what is within it, or the file of a class.

    That a line only uses a name is no change of it.
    """
    places: dict[str, list[Place]] = {}
    for file in files:
        stem = file.path.rpartition("/")[2].partition(".")[0]
        if _CLASS.search(stem) and stem in wanted and len(file.lines) >= LEAST_LINES:
            places.setdefault(stem, []).append((file, file.lines[0].number))
        for line in file.lines:
            # a line that came and defines it is of another one, or the one that went had it
            own = () if line.added else _defined(line.text, wanted, defines)
            for word in {*own, *_defined(line.within, wanted, declares)}:
                places.setdefault(word, []).append((file, line.number))
    return places


def lost_names(files: Iterable[FileDiff], wanted: Collection[str]) -> dict[str, Place]:
    """Return the names whose definition a line took away, and where; in capitals any line is one."""
    places: dict[str, Place] = {}
    for file in files:
        for line in file.lines if wanted else ():
            for word in () if line.added else set(_WORD.findall(line.text)).intersection(wanted):
                if word.isupper() or defines(word, line.text):
                    places.setdefault(word, (file, line.number))
    return places


def _defined(text: str, wanted: Collection[str], test: Callable[[str, str], bool]) -> list[str]:
    return [word for word in set(_WORD.findall(text)).intersection(wanted) if test(word, text)]
