"""Find commits that left the history, and files that changed a lot since a fact was last used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.escape import prose
from ledger.git.code_history import Churn, Code
from projection.lifecycle.review_threads import key_of
from projection.text.claims import COMMIT, PATH
from rituals.review.evidence.audit_subjects import Named, used_ms
from rituals.review.review_question import Question

#: A file changed a lot when this many of its lines are gone, and at least half of all.
LOT_LINES = 40


def commit_questions(named: Iterable[Named], code: Code) -> list[Question]:
    """Ask about commits that no branch or tag leads to: rebased, squashed or dropped.

    A commit of which the repository has nothing may be of another one and is no finding.
    """
    wanted = [one for one in named if one.claim.kind == COMMIT]
    stray = code.stray(one.claim.subject for one in wanted)
    return [
        Question(
            "commit-stray",
            key_of("commit-stray", one.fact.id, one.claim.subject),
            (one.fact.id,),
            f"{one.fact.id} names the commit {one.claim.subject}, which is not in the history.",
            (
                f"neither {code.commit[:7]} nor any branch or tag descends from it",
                f"it is {prose(stray[one.claim.subject].said)}",
            ),
            "name the commit that took its place",
        )
        for one in wanted
        if one.claim.subject in stray
    ]


def churn_questions(named: Iterable[Named], code: Code, files: Mapping[str, str]) -> list[Question]:
    """Ask about files of which most lines changed since the fact that names them was last used.

    `files` has the paths of the repository and their blob ids.
    """
    wanted = _found(named, files)
    if not wanted:
        return []
    since = min(used_ms(one.fact) for one, _ in wanted)
    changes: dict[str, list[Churn]] = {}
    for churn in code.churn(sorted({path for _, path in wanted}), since):
        changes.setdefault(churn.path, []).append(churn)
    heavy = {
        path for path, some in changes.items() if sum(one.deleted for one in some) >= LOT_LINES
    }
    contents = code.contents([files[path] for path in heavy])
    found = []
    for one, path in wanted:
        if path not in heavy:
            continue
        used = used_ms(one.fact)
        later = [churn for churn in changes[path] if churn.change.is_behind(used)]
        deleted = sum(churn.deleted for churn in later)
        added = sum(churn.added for churn in later)
        now = contents.get(files[path], b"").count(b"\n")
        then = max(now - added + deleted, 1)
        if deleted < LOT_LINES or 2 * deleted < then:
            continue
        fact = one.fact.id
        found.append(
            Question(
                "code-changed",
                key_of("code-changed", fact, path, one.fact.anchor),
                (fact,),
                f"{fact} names `{prose(path)}`.",
                (
                    f"{deleted} lines of {then} are gone since, {added} came; "
                    f"the newest change is {prose(later[0].change.said)}",
                ),
                "read it again, and reference it if it still holds",
            )
        )
    return found


def _found(named: Iterable[Named], files: Iterable[str]) -> list[tuple[Named, str]]:
    """Return what names one file and no other, with its path."""
    places: dict[str, list[str]] = {}
    for path in files:
        places.setdefault(path.rpartition("/")[2], []).append(path)
    found = []
    for one in named:
        subject = one.claim.subject
        if one.claim.kind != PATH:
            continue
        there = [
            path
            for path in places.get(subject.rpartition("/")[2], ())
            if path == subject or path.endswith("/" + subject)
        ]
        if subject in there:
            there = [subject]
        if len(there) == 1:
            found.append((one, there[0]))
    return found
