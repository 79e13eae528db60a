"""Ask about all that facts name and the code has no more, or has otherwise (R4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ledger.escape import prose
from ledger.git.code_history import Churn, Code
from projection.fold.projection_state import Standing
from projection.text.claims import COMMIT, FOLDER, MODULE, NAME, PATH
from rituals.review.manifests import manifest_questions
from rituals.review.named_things import Named, Taken, named_by, taken_names, taken_paths, used_ms
from rituals.review.questions import Question, question

_SHOWN_CHARS = 80
#: A file changed a lot when this many of its lines are gone, and at least half of all.
LOT_LINES = 40


def evidence_questions(standings: Iterable[Standing], code: Code) -> list[Question]:
    """Ask about everything that live facts name and that is no longer there."""
    named = named_by(standings)
    if not named:
        return []
    files = code.files()
    return [
        *[_taken_question(one, code) for one in taken_paths(named, code, files)],
        *[_taken_question(one, code) for one in taken_names(named, code)],
        *manifest_questions(named, code, files),
        *commit_questions(named, code),
        *churn_questions(named, code, files),
    ]


def commit_questions(named: Iterable[Named], code: Code) -> Iterator[Question]:
    """Ask about commits that no branch or tag leads to: rebased, squashed or dropped.

    A commit of which the repository has nothing may be of another one and is no finding.
    """
    wanted = [(one.fact.id, one.claim.subject) for one in named if one.claim.kind == COMMIT]
    stray = code.stray(commit for _, commit in wanted)
    for fact, commit in wanted:
        if commit in stray:
            yield question(
                "commit-stray", fact, commit,
                said=f"{fact} names the commit {commit}, which is not in the history.",
                evidence=(
                    f"neither {code.commit[:7]} nor any branch or tag descends from it",
                    f"it is {prose(stray[commit].said)}",
                ),
                proposal="name the commit that took its place",
            )  # fmt: skip


def churn_questions(
    named: Iterable[Named], code: Code, files: Mapping[str, str]
) -> Iterator[Question]:
    """Ask about files of which most lines changed since the fact that names them was last used.

    `files` has the paths of the repository and their blob ids.
    """
    wanted = _found(named, files)
    if not wanted:
        return
    since = min(used_ms(one.fact) for one, _ in wanted)
    changes: dict[str, list[Churn]] = {}
    for churn in code.churn(sorted({path for _, path in wanted}), since):
        changes.setdefault(churn.path, []).append(churn)
    heavy = {
        path for path, some in changes.items() if sum(one.deleted for one in some) >= LOT_LINES
    }
    contents = code.contents([files[path] for path in heavy])
    for fact, path in [(one.fact, path) for one, path in wanted if path in heavy]:
        later = [churn for churn in changes[path] if churn.change.is_behind(used_ms(fact))]
        deleted, added = sum(one.deleted for one in later), sum(one.added for one in later)
        now = contents.get(files[path], b"").count(b"\n")
        then = max(now - added + deleted, 1)
        if deleted >= LOT_LINES and 2 * deleted >= then:
            newest = f"the newest change is {prose(later[0].change.said)}"
            yield question(
                "code-changed", fact.id, path, fact.anchor, said=f"{fact.id} names `{prose(path)}`.",
                evidence=(f"{deleted} lines of {then} are gone since, {added} came; {newest}",),
                proposal="read it again, and reference it if it still holds",
            )  # fmt: skip


def _found(named: Iterable[Named], files: Iterable[str]) -> list[tuple[Named, str]]:
    """Return what names one file and no other, with its path."""
    places: dict[str, list[str]] = {}
    for path in files:
        places.setdefault(path.rpartition("/")[2], []).append(path)
    wanted = []
    for one in [one for one in named if one.claim.kind == PATH]:
        subject = one.claim.subject
        fits = places.get(subject.rpartition("/")[2], ())
        fits = [path for path in fits if f"/{path}".endswith(f"/{subject}")]
        if subject in fits or len(fits) == 1:
            wanted.append((one, subject if subject in fits else fits[0]))
    return wanted


def _taken_question(taken: Taken, code: Code) -> Question:
    claim, fact, at = taken.named.claim, taken.named.fact.id, code.commit[:7]
    subject, old, now = prose(claim.subject), prose(taken.path), prose(taken.now)
    said, proposal = "which is gone", "say what holds now, or that the fact is false"
    what = {PATH: "the file ", FOLDER: "the folder ", MODULE: "the module ", NAME: ""}[claim.kind]
    looked = f"no path ends in `{subject}` at {at}"
    went = f"`{old}` moved to `{prose(taken.moved)}`" if taken.moved else f"`{old}` was deleted"
    if claim.kind == NAME:
        line = prose(taken.line)[:_SHOWN_CHARS].replace("`", "'")
        said = "which is gone from the code"
        looked, went = f"no code at {at} has the word `{subject}`", f"`{line}` left `{old}`"
    elif now:
        what, said, proposal = "", f"which is `{now}` now", f"let the text say `{now}`"
        went = f"`{old}` became `{prose(taken.moved)}`"
    return Question(
        taken.rule, taken.key, (fact,), f"{fact} names {what}`{subject}`, {said}.",
        (looked, f"{went} in {prose(taken.change.said)}"), proposal,
        swaps=((claim.subject, taken.now),) if now else (),
    )  # fmt: skip
