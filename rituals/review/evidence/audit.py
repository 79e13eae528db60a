"""Put the questions about all facts together to git in one batch."""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.git.code_history import Code
from ledger.git.repository import find_repository, head
from ledger.home import OWN_REPOSITORY
from rituals.review.evidence.changed import churn_questions, commit_questions
from rituals.review.evidence.definitions import name_questions
from rituals.review.evidence.manifest_claims import manifest_questions
from rituals.review.evidence.paths import path_questions
from rituals.review.evidence.subjects import named_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.home import Home
    from projection.fold.state import Standing
    from rituals.review.question import Question


def code_of(home: Home, path: str = "") -> Code | None:
    """Return the code that a ledger is about; None where it has none.

    In-tree and own-branch homes stand in its repository; a repository of their own has none unless one is
    named.

    Args:
        home: of the ledger.
        path: a folder in a code repository, "" for the home's own.

    Raises:
        NotFound: there is no repository with a commit at `path`.
    """
    if not path:
        if home.kind == OWN_REPOSITORY:
            return None
        commit = head(home.repository)[1]
        return Code(home.repository.git(), commit, home.prefix) if commit else None
    repository = find_repository(path)
    commit = head(repository)[1] if repository else ""
    if repository is None or not commit:
        raise NotFound(
            f"there is no git repository with a commit at {path}",
            where="--code",
            hint="name a folder in the repository whose code this memory is about",
        )
    same = repository.commondir == home.repository.commondir
    return Code(repository.git(), commit, home.prefix if same else "")


def evidence_questions(standings: Iterable[Standing], code: Code) -> list[Question]:
    """Ask about everything that live facts name and the code no longer has."""
    named = named_by(standings)
    if not named:
        return []
    files = code.files()
    return [
        *path_questions(named, code, files),
        *name_questions(named, code),
        *manifest_questions(named, code, files),
        *commit_questions(named, code),
        *churn_questions(named, code, files),
    ]
