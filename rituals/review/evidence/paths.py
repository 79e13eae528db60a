"""Gather what facts name; find files and names that a commit took away since, and where they went (R4)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ledger.escape import prose
from ledger.git.code_history import Code, Lost, Removal
from ledger.model.order import milliseconds_of
from ledger.model.record import Record
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.lifecycle.review_threads import is_raised, key_of
from projection.text.claims import FOLDER, MODULE, NAME, PATH, Claim, claims
from rituals.review.review_question import Question, question

#: What stands before a name that is defined there; `#define` and annotations of types included.
_DEFINES = (
    r"(?:\b(?:def|class|fn|func|function|struct|enum|trait|interface|type|const|let|var|val|static|macro_rules!|"
    r"mod|module|record|protocol|union|typedef|sub|CREATE (?:TABLE|VIEW|FUNCTION))\s+"
    r"(?:\([^)]*\)\s*)?|#define\s+|"
    r"^\s*(?:(?:public|private|protected|static|final|async|export|abstract|override|virtual|inline|readonly)\s+)+"
    r"(?:[\w<>\[\],.*&:?]+\s+)*)"
)
_SHOWN_CHARS = 80


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
    """A path that a commit took away after a fact named it."""

    named: Named  #: the path, and the fact
    removal: Removal  #: of the file, or of the newest one of a folder
    moved: str  #: where the commit moved that file, "" for nowhere
    now: str  #: the path as the fact would name it now, "" where it is gone

    @property
    def rule(self) -> str:
        """The rule of the review that asks about it."""
        if self.now:
            return "file-renamed"
        return "folder-gone" if self.named.claim.kind == FOLDER else "file-gone"

    @property
    def key(self) -> str:
        """The key of that question."""
        return key_of(self.rule, self.named.fact.id, self.named.claim.subject)


def path_questions(named: Iterable[Named], code: Code, files: Iterable[str]) -> list[Question]:
    """Ask about paths that were there and are not any more."""
    return [_question(one, code) for one in taken_paths(named, code, files)]


def taken_paths(named: Iterable[Named], code: Code, files: Iterable[str]) -> list[Taken]:
    """Find the paths that were there and are not any more.

    A path may be written from the top of the repository or by its last parts alone. It is there while any
    path ends in it. One that the repository ignores by now may be on the disk alone. Gone without a commit
    that took it away after the text was written is no finding.
    """
    wanted = [one for one in named if one.claim.kind in (PATH, FOLDER, MODULE)]
    if not wanted:
        return []
    known = known_ends(files)
    missing = [(one, paths_of(one)) for one in wanted if known.isdisjoint(paths_of(one))]
    if not missing:
        return []
    since = min(one.written_ms for one, _ in missing)
    removals = list(code.removed({path for _, paths in missing for path in paths}, since))
    ends: dict[str, list[Removal]] = {}
    for removal in removals:
        for end in known_ends([removal.path]):
            ends.setdefault(end, []).append(removal)
    found = []
    for one, paths in missing:
        taken = [
            removal
            for path in paths
            for removal in ends.get(path, ())
            if removal.change.is_behind(one.written_ms)
        ]
        if taken:
            found.append((one, taken))
    ignored = code.ignored(removal.path for _, taken in found for removal in taken)
    newest = [(one, taken[0]) for one, taken in found if taken[0].path not in ignored]
    renames = code.renames({removal.change.commit for _, removal in newest})
    return [_taken(one, removal, renames, known) for one, removal in newest]


def known_ends(paths: Iterable[str]) -> frozenset[str]:
    """Return every file and folder of some paths, from the top and by each of their last parts."""
    found: set[str] = set()
    folders: set[str] = set()
    for path in paths:
        parts = path.split("/")
        for end in range(len(parts), 0, -1):
            whole = "/".join(parts[:end])
            if end < len(parts):
                if whole in folders:
                    break  # and so are the folders above it
                folders.add(whole)
            found.add(whole)
            found.update(["/".join(parts[begin:end]) for begin in range(1, end)])
    return frozenset(found)


def paths_of(one: Named) -> tuple[str, ...]:
    """Return the paths that a claim of one names, any of which will do."""
    if one.claim.kind == MODULE:
        base = one.claim.subject.replace(".", "/")
        return f"{base}.py", base
    return (one.claim.subject,)


def _taken(
    one: Named, removal: Removal, renames: dict[tuple[str, str], str], known: frozenset[str]
) -> Taken:
    moved = renames.get((removal.change.commit, removal.path), "")
    stays = one.claim.kind == PATH and moved in known
    now, written = moved if stays else "", one.claim.subject
    if written != removal.path:  # as it was written: from the top, or by as many last parts
        now = "/".join(now.split("/")[-(written.count("/") + 1) :])
    return Taken(one, removal, moved, now)


def _question(taken: Taken, code: Code) -> Question:
    claim, fact, removal = taken.named.claim, taken.named.fact.id, taken.removal
    subject, old, commit = prose(claim.subject), prose(removal.path), prose(removal.change.said)
    looked = f"no path ends in `{subject}` at {code.commit[:7]}"
    if taken.now:
        now = prose(taken.now)
        return Question(
            taken.rule, taken.key, (fact,), f"{fact} names `{subject}`, which is `{now}` now.",
            (looked, f"`{old}` became `{prose(taken.moved)}` in {commit}"),
            f"let the text say `{now}`", swaps=((claim.subject, taken.now),),
        )  # fmt: skip
    what = {PATH: "file", FOLDER: "folder", MODULE: "module"}[claim.kind]
    went = f"moved to `{prose(taken.moved)}`" if taken.moved else "was deleted"
    return Question(
        taken.rule, taken.key, (fact,), f"{fact} names the {what} `{subject}`, which is gone.",
        (looked, f"`{old}` {went} in {commit}"), "say what holds now, or that the fact is false",
    )  # fmt: skip


def name_questions(named: Iterable[Named], code: Code) -> list[Question]:
    """Ask about names of code that stand nowhere in it any more."""
    return [_name_question(one, lost, code) for one, lost in taken_names(named, code)]


def name_key(one: Named) -> str:
    """Return the key of the question about a name that is gone."""
    return key_of("name-gone", one.fact.id, one.claim.subject)


def taken_names(named: Iterable[Named], code: Code) -> list[tuple[Named, Lost]]:
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
    found = []
    for one in missing:
        taken = [
            lost
            for lost in definitions.get(one.claim.subject, ())
            if lost.change.is_behind(one.written_ms)
        ]
        if taken:
            found.append((one, taken[0]))
    return found


def defines(name: str, line: str) -> bool:
    """Tell whether a line of code with a name in it defines it."""
    word = re.escape(name)
    return declares(name, line) or bool(
        re.search(rf"^\s*[\"']?{word}[\"']?\s*(?::[^:=]|:?=[^=])", line + " ")
    )


def declares(name: str, line: str) -> bool:
    """Tell whether a line begins the function, class or the like of a name: no plain assignment."""
    return bool(re.search(rf"{_DEFINES}{re.escape(name)}\b", line))


def _name_question(one: Named, lost: Lost, code: Code) -> Question:
    name, fact = prose(one.claim.subject), one.fact.id
    line = prose(lost.line)[:_SHOWN_CHARS].replace("`", "'")
    return question(
        "name-gone", fact, one.claim.subject,
        said=f"{fact} names `{name}`, which is gone from the code.",
        evidence=(
            f"no code at {code.commit[:7]} has the word `{name}`",
            f"`{line}` left `{prose(lost.path)}` in {prose(lost.change.said)}",
        ),
        proposal="say what holds now, or that the fact is false",
    )  # fmt: skip
