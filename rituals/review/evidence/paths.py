"""Find files, folders and modules that a commit took away after a fact named them, and where they went."""

from __future__ import annotations

from ledger.escape import prose
from projection.lifecycle.review_threads import key_of
from projection.text.claims import FOLDER, MODULE, PATH
from rituals.review.evidence.subjects import Named
from rituals.review.question import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.git.code_history import Code, Removal


def path_questions(named: Iterable[Named], code: Code, files: Iterable[str]) -> list[Question]:
    """Ask about paths that were there and are not any more.

    A path may be written from the top of the repository or by its last parts alone. It is there while any
    path ends in it. One that the repository ignores by now may be on the disk alone. Gone without a commit
    that took it away after the text was written is no finding.

    Args:
        named: what facts name.
        code: the code repository.
        files: its paths.
    """
    wanted = [one for one in named if one.claim.kind in (PATH, FOLDER, MODULE)]
    if not wanted:
        return []
    known = known_ends(files)
    missing = [(one, _paths(one)) for one in wanted if known.isdisjoint(_paths(one))]
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
            if removal.change.seconds * 1000 > one.written_ms
        ]
        if taken:
            found.append((one, taken))
    ignored = code.ignored(removal.path for _, taken in found for removal in taken)
    found = [(one, taken) for one, taken in found if taken[0].path not in ignored]
    renames = code.renames({removal.change.commit for _, taken in found for removal in taken})
    return [_question(one, taken, renames, known, code) for one, taken in found]


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


def _paths(one: Named) -> tuple[str, ...]:
    if one.claim.kind == MODULE:
        base = one.claim.subject.replace(".", "/")
        return f"{base}.py", base
    return (one.claim.subject,)


def _question(
    one: Named,
    taken: list[Removal],
    renames: dict[tuple[str, str], str],
    known: frozenset[str],
    code: Code,
) -> Question:
    subject, fact = one.claim.subject, one.fact.id
    newest = taken[0]
    looked = f"no path ends in `{prose(subject)}` at {code.commit[:7]}"
    new = renames.get((newest.change.commit, newest.path), "")
    if one.claim.kind == PATH and new in known:
        better = _shorter(subject, newest.path, new)
        return Question(
            "file-renamed",
            key_of("file-renamed", fact, subject),
            (fact,),
            f"{fact} names `{prose(subject)}`, which is `{prose(better)}` now.",
            (
                looked,
                f"`{prose(newest.path)}` became `{prose(new)}` in {prose(newest.change.said)}",
            ),
            f"let the text say `{prose(better)}`",
            swaps=((subject, better),),
        )
    rule = "folder-gone" if one.claim.kind == FOLDER else "file-gone"
    what = {PATH: "file", FOLDER: "folder", MODULE: "module"}[one.claim.kind]
    went = f"`{prose(newest.path)}` was deleted in {prose(newest.change.said)}"
    if new:
        went = f"`{prose(newest.path)}` moved to `{prose(new)}` in {prose(newest.change.said)}"
    return Question(
        rule,
        key_of(rule, fact, subject),
        (fact,),
        f"{fact} names the {what} `{prose(subject)}`, which is gone.",
        (looked, went),
        "say what holds now, or that the fact is false",
    )


def _shorter(written: str, old: str, new: str) -> str:
    """Write the new path as the old one was written: from the top, or by as many last parts."""
    if written == old:
        return new
    return "/".join(new.split("/")[-(written.count("/") + 1) :])
