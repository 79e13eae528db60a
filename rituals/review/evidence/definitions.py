"""Find functions, classes and constants whose definition a commit took away after a fact named them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ledger.escape import prose
from ledger.git.code_history import Code, Lost
from projection.lifecycle.review_threads import key_of
from projection.text.claims import NAME
from rituals.review.evidence.audit_subjects import Named
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


def name_questions(named: Iterable[Named], code: Code) -> list[Question]:
    """Ask about names of code that stand nowhere in it any more."""
    return [_question(one, lost, code) for one, lost in taken_names(named, code)]


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


def _question(one: Named, lost: Lost, code: Code) -> Question:
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
