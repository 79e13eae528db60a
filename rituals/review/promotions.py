"""Propose facts for the files that every agent of a repository reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from ledger.git.code_history import Code
from ledger.model.event import FactPromoted
from ledger.model.session import Entry
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.lifecycle.promotion import PROMOTE, Score, candidates, scores, sessions_using
from projection.text.claims import FOLDER, PATH, claims
from rituals.review.review_question import Question, question

_DOCUMENTS = (".md", ".mdx", ".mdc", ".rst", ".txt", ".adoc")
#: Files that agents read at every start, best first, and folders of rules.
READ_FIRST = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")
_RULE_FOLDERS = (".claude/rules/", ".cursor/rules/", ".github/instructions/")
_MARKS = ("undocumented", "reusable", "specific", "used", "unlike")
#: The most documents that are read, nearest to the top first.
_MOST_DOCUMENTS = 400


def score_facts(
    state: State, standings: Sequence[Standing], entries: Sequence[Entry], code: Code | None
) -> tuple[Score, ...]:
    """Score the facts that could be promoted; documents are read only where there are some.

    `standings` are all facts of the ledger; `entries` are its logs, in any order.
    """
    if not candidates(standings):
        return ()
    documents = documents_of(code)
    window = state.policy.windows.archive
    since = state.work[-window] if len(state.work) > window else ""
    users = sessions_using(entry for entry in entries if entry.stem >= since)
    return scores(
        standings, None if documents is None else documents.values(), users, sessions_using(entries)
    )


def documents_of(code: Code | None) -> dict[str, str] | None:
    """Return the texts of the code's documents by path, nearest to the top first; None without code."""
    if code is None:
        return None
    files = code.files()
    paths = sorted((path.count("/"), path) for path in files if path.endswith(_DOCUMENTS))
    chosen = [path for _, path in paths[:_MOST_DOCUMENTS]]
    texts = code.contents([files[path] for path in chosen])
    return {
        path: texts[files[path]].decode("utf-8", "replace")
        for path in chosen
        if files[path] in texts
    }


def promotion_questions(
    found: Sequence[Score], state: State, doubted: AbstractSet[str], files: Mapping[str, str]
) -> Iterator[Question]:
    """Ask about the facts that are worth promoting.

    `doubted` has the ids that another question is about already; `files` has the paths of the code.
    """
    for score in found:
        fact = state.fact(score.id)
        if score.proposal == PROMOTE and fact is not None and fact.id not in doubted:
            marks = ", ".join([f"{name} {getattr(score, name)}" for name in _MARKS])
            where = target_file(fact.text, files)
            yield question(
                "promotion", fact.id, said=f"{fact.id} is worth promoting to {where}.",
                evidence=(f"{score.total} of 10: {marks}",),
                proposal=f"write it into {where}, and keep it as core",
                accept=(FactPromoted(fact.id),),
            )  # fmt: skip


def target_file(text: str, files: Mapping[str, str]) -> str:
    """Return the file in which agents would read a fact.

    That is the nearest file for agents above the one folder that the text names; else a rules file of its
    own, where the repository keeps rules and the text names a folder; else the file at the top.
    """
    named = [one.subject for one in claims(text) if one.kind in (PATH, FOLDER)]
    folders = {_folder_of(one, files) for one in named} - {""}
    folder = next(iter(folders)) if len(folders) == 1 else ""
    if folder:
        parts = folder.split("/")
        for end in range(len(parts), 0, -1):
            for name in READ_FIRST[:2]:
                nearer = f"{'/'.join(parts[:end])}/{name}"
                if nearer in files:
                    return nearer
        for rules in _RULE_FOLDERS:
            if any(path.startswith(rules) for path in files):
                ending = ".mdc" if "cursor" in rules else ".md"
                return f"{rules}{parts[-1]}{ending}"
    return next((name for name in READ_FIRST if name in files), READ_FIRST[0])


def _folder_of(named: str, files: Mapping[str, str]) -> str:
    """Return the folder of a path that is there, "" where it is not or lies at the top."""
    if named in files:
        return named.rpartition("/")[0]
    return named if any(path.startswith(named + "/") for path in files) else ""
