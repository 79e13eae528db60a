"""Know the words that a project has for names: of the files in its repository, and of entities.

Ids of facts are no source: before they were made of such words they were made of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.git.repository import head
from ledger.home import OWN_REPOSITORY, Home
from memory.cache.cache_file import Cache
from projection.text.fact_ids import subject_words

#: So many files are looked at.
_FILES = 5_000


def project_words(home: Home, cache: Cache, more: Iterable[str] = ()) -> dict[str, str]:
    """Return the words of which ids of a home's facts may be made (`subject_words`).

    `more` are names beside those, of what is about to be recorded. Of a home that has a repository of
    its own the files are nobody's but Diurna's.
    """
    commit = "" if home.kind == OWN_REPOSITORY else head(home.repository)[1]
    files = home.repository.git().tree_files(commit, "")[:_FILES] if commit else []
    ours = home.prefix
    paths = [path for _, _, path in files if not (ours and path.startswith(ours))]
    return subject_words([*paths, *[about for about, _, _ in cache.abouts()], *more])
