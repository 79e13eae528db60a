"""Find what facts name and a commit took away of the code; ask about it (R4), and mark it (R12).

The marks are shown by every answer, of the archive too. Nobody waits for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ledger.escape import prose
from ledger.git.code_history import DOCUMENTS, Change, Code, Lost, Removal
from ledger.home import Home, code_of
from ledger.model.log_names import milliseconds_of
from ledger.model.record import Record
from ledger.wal.user_key import digest, user_key
from memory import (
    Cache,
    EndingFact,
    Lack,
    Truths,
    ending_facts,
    has_code,
    open_snapshot,
    read_truths,
    state_of,
    with_ends,
    write_truths,
)
from projection.document.fact_remarks import GONE, NOWHERE, RENAMED, Gone
from projection.fold.fact_history import Fact
from projection.fold.live_view import Standing
from projection.lifecycle.review_due import key_of, raised_threads
from projection.text.claims import FOLDER, MODULE, NAME, PATH, Claim, claims
from rituals.review.questions import Question, answered_keys

#: What stands before a name that is defined there; `#define` and annotations of types included.
_DEFINES = (
    r"(?:\b(?:def|class|fn|func|function|struct|enum|trait|interface|type|const|let|var|val|static|macro_rules!|"
    r"mod|module|record|protocol|union|typedef|sub|CREATE (?:TABLE|VIEW|FUNCTION))\s+"
    r"(?:\([^)]*\)\s*)?|#define\s+|"
    r"^\s*(?:(?:public|private|protected|static|final|async|export|abstract|override|virtual|inline|readonly)\s+)+"
    r"(?:[\w<>\[\],.*&:?]+\s+)*)"
)
_SHOWN_CHARS = 80
_WHAT = {PATH: "the file ", FOLDER: "the folder ", MODULE: "the module ", NAME: ""}


class Named(Record):
    """One thing that a fact names."""

    fact: Fact  #: that names it
    claim: Claim  #: what it names
    written_ms: int  #: when that text was written; what history did before is no news to its author

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that it names, any of which will do."""
        if self.claim.kind == MODULE:
            base = self.claim.subject.replace(".", "/")
            return f"{base}.py", base
        return (self.claim.subject,)


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


def named_by(standings: Iterable[Standing], *, faded: bool = False) -> list[Named]:
    """Return what live facts name in code.

    Disputed, redacted and closed ones are left to their dispute or rest; what a review raised is about
    others. `faded` takes those of the archive, too.
    """
    facts = [one.fact for one in standings if faded or one.live]
    return [
        Named(fact, claim, written)
        for fact in facts
        if not (fact.false or fact.redacted or fact.closed or fact.raised) and len(fact.heads) == 1
        for written in (_written_ms(fact),)
        for claim in claims(fact.text)
    ]


def _written_ms(fact: Fact) -> int:
    """Return when a text was written; what an import brought, when the fact was born."""
    head = fact.heads[0]
    imported = not head.parents and fact.origin != head.stem
    return milliseconds_of(fact.born if imported else head.stem)


def taken_paths(named: Iterable[Named], code: Code) -> list[Taken]:
    """Find the paths that were there and are not any more.

    A path may be written from the top of the repository or by its last parts alone; a folder of one part
    is one of the top. It is there while any path ends in it. One that the repository ignores by now may be
    on the disk alone. Gone without a commit that took it away after the text was written is no finding.
    """
    wanted = [one for one in named if one.claim.kind != NAME]
    known = _ends(code.files()) if wanted else frozenset()
    missing = [one for one in wanted if known.isdisjoint(one.paths)]
    if not missing:
        return []
    since = min(one.written_ms for one in missing)
    ends: dict[str, list[Removal]] = {}
    for removal in code.removed({path for one in missing for path in one.paths}, since):
        for end in _ends([removal.path]):
            ends.setdefault(end, []).append(removal)
    newest: list[tuple[Named, Removal]] = []
    for one in missing:
        top = (
            f"{one.claim.subject}/"
            if one.claim.kind == FOLDER and "/" not in one.claim.subject
            else ""
        )
        gone = [removal for path in one.paths for removal in ends.get(path, ())]
        fits = [
            removal
            for removal in gone
            if removal.change.is_behind(one.written_ms) and removal.path.startswith(top)
        ]
        newest += [(one, removal) for removal in fits[:1]]
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


def _ends(paths: Iterable[str]) -> frozenset[str]:
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
        if lost.name.isupper() or _defines(lost.name, lost.line):
            definitions.setdefault(lost.name, []).append(lost)
    taken = []
    for one in missing:
        lines = definitions.get(one.claim.subject, ())
        behind = [lost for lost in lines if lost.change.is_behind(one.written_ms)]
        taken += [Taken(one, lost.path, lost.change, line=lost.line) for lost in behind[:1]]
    return taken


def _defines(name: str, line: str) -> bool:
    """Tell whether a line of code with a name in it defines it."""
    word = re.escape(name)
    assigned = rf"^\s*[\"']?{word}[\"']?\s*(?::[^:=]|:?=[^=])"
    return bool(re.search(rf"{_DEFINES}{word}\b", line) or re.search(assigned, line + " "))


def evidence_questions(standings: Iterable[Standing], code: Code) -> list[Question]:
    """Ask about everything that live facts name and that is no longer there."""
    named, at, asked = named_by(standings), code.commit[:7], list[Question]()
    for taken in (*taken_paths(named, code), *taken_names(named, code)):
        claim, fact = taken.named.claim, taken.named.fact.id
        subject, old, now = prose(claim.subject), prose(taken.path), prose(taken.now)
        gone, proposal = "which is gone", "say what holds now, or that the fact is false"
        looked = f"no path ends in `{subject}` at {at}"
        went = f"`{old}` moved to `{prose(taken.moved)}`" if taken.moved else f"`{old}` was deleted"
        if claim.kind == NAME:
            line = prose(taken.line)[:_SHOWN_CHARS].replace("`", "'")
            gone = "which is gone from the code"
            looked, went = f"no code at {at} has the word `{subject}`", f"`{line}` left `{old}`"
        elif now:
            gone, proposal = f"which is `{now}` now", f"let the text say `{now}`"
            went = f"`{old}` became `{prose(taken.moved)}`"
        said = f"{fact} names {'' if now else _WHAT[claim.kind]}`{subject}`, {gone}."
        evidence = looked, f"{went} in {prose(taken.change.said)}"
        swaps = ((claim.subject, taken.now),) if now else ()
        asked.append(Question(taken.rule, taken.key, (fact,), said, evidence, proposal, (), swaps))
    return asked


def make_marks(home: Home) -> None:
    """Make the marks of a home anew for its work tree, where it has code and can keep them.

    A partial clone has none: to look into its history would fetch it.
    """
    able = has_code(home) and user_key() and not home.repository.promisor
    code = code_of(home) if able else None
    if code is None:
        return
    tip = home.tip()  # before it is read: what moves meanwhile is seen
    before = read_truths(home) or Truths("", "", ())

    def asked(cache: Cache) -> tuple[list[Standing], list[EndingFact], str]:
        return list(state_of(cache).standings()), ending_facts(home, cache), cache.summary.digest

    standings, waits, said = open_snapshot(home).ask(asked)
    known = with_ends(home, before, waits)
    lacks, digests = _lacks(standings, code, before)
    marks = known._replace(code=code.commit, tip=tip, said=said, lacks=lacks, asked=digests)
    write_truths(home, marks)


def _lacks(
    standings: Iterable[Standing], code: Code, before: Truths
) -> tuple[tuple[Lack, ...], tuple[str, ...]]:
    """Find what is gone of what facts name; return, too, by what is known again what is there.

    What was there at an earlier commit (`before`) is looked for in the history since then alone.
    """
    standings = list(standings)
    named = named_by(standings, faded=True)
    answered = answered_keys(raised_threads(standing.fact for standing in standings))
    asked = frozenset(before.asked)
    since = code.since(before.code) if asked else None
    fresh = [one for one in named if since is None or _digest(one) not in asked]
    taken = [*taken_paths(fresh, code), *taken_names(fresh, code)]
    changed = (code.changed_since(before.code) or ()) if since else ()
    if since and changed:
        known = [one for one in named if _digest(one) in asked]
        taken += taken_paths(known, since)
        if any(path.rpartition(".")[2].lower() not in DOCUMENTS for path in changed):
            taken += taken_names(known, since)
    lacks = []
    for one in [one for one in taken if one.key not in answered]:
        fact, subject, now = one.named.fact, prose(one.named.claim.subject), prose(one.now)
        is_name = one.named.claim.kind == NAME
        how = NOWHERE if is_name else RENAMED if now else GONE
        gone = Gone(how, subject, one.change.short, one.change.date, now)
        lacks.append(Lack(fact.id, fact.heads[0].id, "" if is_name else one.path, gone))
    lacking = {(one.fact, one.gone.subject) for one in lacks}
    rest = [one for one in named if (one.fact.id, prose(one.claim.subject)) not in lacking]
    return tuple(sorted(lacks)), tuple(sorted(map(_digest, rest)))


def _digest(one: Named) -> str:
    """Return what tells a claim of one text from all others."""
    said = f"{one.fact.id}\0{one.fact.heads[0].id}\0{one.claim.kind}\0{one.claim.subject}"
    return digest(said.encode("utf-8", "surrogatepass"))[:16]
