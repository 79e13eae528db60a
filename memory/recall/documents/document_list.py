"""List the documents of a commit that recall knows: all that people write, and what the policy names."""

from __future__ import annotations

import re

from ledger.home import OWN_BRANCH
from ledger.model.layout import ARCHIVE_DIR, EDITABLE, SESSIONS_DIR
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home

#: What documents end in, in whatever folder they lie; those of rules have names without an end, too.
ENDINGS = (".md", ".mdc", ".markdown", ".rst", ".adoc", ".asciidoc")
_RULES = (".cursorrules", ".windsurfrules", ".clinerules")
#: What agents read and write comes first, where there are too many.
_FIRST = re.compile(
    r"(?:^|/)(?:(?:AGENTS|CLAUDE|GEMINI|README)\.|\.(?:cursor|windsurf|cline|github|roo))"
)
#: Folders of other people's work, which nobody here wrote; a pattern of the policy that names one counts.
_BROUGHT = frozenset(
    "node_modules vendor vendored third_party third-party site-packages .venv venv".split()
)
#: So much of a document is read, and so many of them; beyond that they are left out, and said.
DOCUMENT_LIMIT_BYTES = 1 << 20
DOCUMENTS_LIMIT = 2000


class Document(Record):
    """One document: its path from the top of the repository, and the blob that holds it."""

    path: str
    blob: str


def documents_at(
    home: Home, commit: str, patterns: tuple[str, ...]
) -> tuple[tuple[Document, ...], int]:
    """Return the documents of a commit, by path, and how many are left out for their size or number.

    What the home itself is made of is none: logs and projections are recalled as what they are.
    `commit` is of the repository, whatever branch the ledger is on; "" for none.
    """
    if not commit:
        return (), 0
    git = home.repository.git()
    wanted = [_pattern(one) for one in patterns]
    own = [home.prefix + one for one in (f"{SESSIONS_DIR}/", f"{ARCHIVE_DIR}/", *EDITABLE)]
    if home.kind == OWN_BRANCH:  # nothing of it is in HEAD
        own = []
    found = [
        Document(path, blob)
        for mode, blob, path in git.tree_files(commit)
        if mode[:3] == "100"
        and not any(path == one or (one[-1] == "/" and path.startswith(one)) for one in own)
        and (_is_document(path) or any(one.match(path) for one in wanted))
    ]
    sizes = git.sizes([one.blob for one in found])
    small = [
        one for one, size in zip(found, sizes, strict=True) if 0 < size <= DOCUMENT_LIMIT_BYTES
    ]
    small.sort(key=lambda one: (not _FIRST.search(one.path), one.path.count("/"), one.path))
    empty = sum([not size for size in sizes])
    kept = sorted(small[:DOCUMENTS_LIMIT])
    return tuple(kept), len(found) - len(kept) - empty


def _is_document(path: str) -> bool:
    if not path.lower().endswith((*ENDINGS, *_RULES)):
        return False
    return _BROUGHT.isdisjoint(path.split("/")[:-1])


def _pattern(said: str) -> re.Pattern[str]:
    """Read a pattern as `.gitignore` has them: without a slash it is a name in any folder.

    `**` stands for any folders, a slash at the end for all that is in a folder.
    """
    said = said.removeprefix("./")
    if "/" not in said.rstrip("/"):
        said = f"**/{said}"
    if said[-1] == "/":
        said += "**"
    parts = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    found = re.split(r"(\*\*/|\*\*|\*|\?)", said)
    return re.compile("".join([parts.get(one) or re.escape(one) for one in found]) + r"\Z", re.S)
