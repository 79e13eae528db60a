"""Find passages of the documents of a repository as its HEAD has them, and show them.

They have an index of their own beside that of the logs; it knows them by path, as that knows logs by stem.
It is made anew where a document changed since, and not while they are the same, whatever else was
committed.
Documents are no memory: nothing of them is a fact, and no use of them is counted.
"""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.git.repository import head
from ledger.home import OWN_BRANCH, Home
from ledger.model.ids import sha256
from ledger.model.layout import ARCHIVE_DIR, EDITABLE, SESSIONS_DIR
from ledger.model.record import TYPE_CHECKING, cached
from memory.cache.stamp import sqlite3
from memory.recall.bm25_ranking import search
from memory.recall.fts_tables import Index, IndexDamaged, LogRow, Mark
from memory.recall.index_catch_up import IndexFile, fill, write_mark
from memory.recall.passage_hits import Passages
from memory.recall.recall_values import Answer, Hit
from memory.recall.word_lookups import Lookups
from memory.replay.tip_snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: What documents end in, in whatever folder they lie; those of rules have names without an end, too.
ENDINGS = (".md", ".mdc", ".markdown", ".rst", ".adoc", ".asciidoc")
_RULES = (".cursorrules", ".windsurfrules", ".clinerules")
#: Folders of other people's work, which nobody here wrote; a pattern of the policy that names one counts.
_BROUGHT = "node_modules vendor vendored third_party third-party site-packages .venv venv".split()
#: Both as git takes them.
_KNOWN = [
    *[f":(top,glob,icase)**/*{end}" for end in (*ENDINGS, *_RULES)],
    *[f":(top,exclude,glob)**/{folder}/**" for folder in _BROUGHT],
]
#: What agents read and write comes first, where there are too many.
_FIRST = "AGENTS. CLAUDE. GEMINI. README. .cursor .windsurf .cline .github .roo".split()
#: So much of a document is read, and so many of them; beyond that they are left out, and said.
DOCUMENT_LIMIT_BYTES = 1 << 20
DOCUMENTS_LIMIT = 2000
#: So many documents that are no text are named.
_NAMED = 5
#: So much of what a question says a passage has to say that is shown though nobody asked for documents.
_MOST_OF_IT = 0.6


class Documents:
    """Answers questions about the documents of one repository.

    Args:
        snapshot: of the home.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._home = snapshot.home
        self._kept = IndexFile(snapshot.home.cache_file + ".docs.recall")
        self._lookups = cached(2)(Lookups)
        #: texts that were redacted: no line that has one is shown
        self._gone: tuple[str, ...] = ()

    def close(self) -> None:
        """Close the index."""
        self._kept.close()

    def found(
        self, query: str, level: str, limit: int, explain: bool, *, surely: bool = False
    ) -> Answer:
        """Find the passages that answer a question, best first.

        With `surely` those that say most of it, as it is spelled.
        """
        least, index = _MOST_OF_IT if surely else 0.0, self._followed()
        if not index.totals.logs:
            return Answer(notes=self._notes(index))
        found = search(self._lookups(index, self._language, surely), query)
        best = [one for one in found.passages if one.covered >= least]
        hits = Passages(index, self._shown).behind([], best, level, limit, explain)
        return Answer(tuple(hits), (*found.notes, *self._notes(index)))

    def get(self, places: Sequence[str], level: str) -> dict[str, Hit]:
        """Return passages by `PATH:LINE`.

        Raises:
            NotFound: recall knows no such document, or it has no such line.
        """
        index = self._followed()
        found = {}
        for said in places:
            path, _, line = said.rpartition(":")
            if not index.number_of(path):
                raise NotFound(
                    f"{path} is no document that recall knows",
                    hint="`[recall] files` of the policy names documents, as HEAD has them",
                )
            hit = Passages(index, self._shown).hit(index.row_at(path, int(line)), level)
            if hit is None:
                raise NotFound(
                    f"{path} has no passage at line {line}",
                    hint=f"`diurna recall --in docs {path}`",
                )
            found[said] = hit._replace(id=said)
        return found

    def _shown(self, documents: Sequence[LogRow]) -> Iterable[tuple[str, str]]:
        blobs = [one.blob for one in documents]
        texts = zip(blobs, self._texts(blobs), strict=True)
        return [(blob, text) for blob, text in texts if text is not None]

    def _texts(self, blobs: Sequence[str]) -> list[str | None]:
        """Return the texts of documents, without lines that were redacted; None for what is no text."""
        from ledger.codec.outline import document_text

        texts = [document_text(data or b"") for data in self._home.repository.git().blobs(blobs)]
        if not self._gone:
            return texts
        from memory.redaction.withheld_texts import without_lines

        return [text and without_lines(text, self._gone) for text in texts]

    def _notes(self, index: Index) -> tuple[str, ...]:
        if not index.totals.logs:
            return ("HEAD has no document, and `[recall] files` of the policy names none",)
        from ledger.codec.outline import NO_TEXT

        left = index.mark.skipped
        notes = [f"{left} documents are left out: too large, or too many"] if left else []
        notes += [f"{path} is not read: {NO_TEXT}" for path in index.value("bare", tuple)[:_NAMED]]
        return tuple(notes)

    # ---- the index --------------------------------------------------------------------------------

    def _followed(self) -> Index:
        """Return the index of the documents as HEAD has them now."""
        snapshot, self._gone = self._snapshot.tip, ()
        cache = snapshot.cache()
        policy, redacted = cache.policy.recall, cache.redacted
        if redacted:
            from memory.redaction.withheld_texts import withheld_texts

            self._gone = snapshot.ask(lambda cache: withheld_texts(self._home, cache, redacted))
        # what an index depends on beside its documents
        state = *policy.files, "", *sorted(redacted), ""
        commit = head(self._home.repository)[1]
        at = _digest(commit, *state)
        try:
            index = self._kept.opened()
        except IndexDamaged:
            index = None
        if index is None or index.mark.generation != at:
            documents, left = documents_at(self._home, commit, policy.files)
            blobs = [f"{blob} {path}" for path, blob in documents.items()]
            index = self._brought(index, documents, Mark(_digest(*state, *blobs), at, 0, left))
        self._language = policy.language
        return index

    def _brought(self, index: Index | None, documents: Mapping[str, str], mark: Mark) -> Index:
        """Bring an index to some documents; in memory where the disk takes nothing, or others write."""
        from memory.recall.log_reader import indexed_document

        def filled(base: sqlite3.Connection) -> None:
            texts = dict(zip(documents, self._texts([*documents.values()]), strict=True))
            logs = [indexed_document(*one, texts[one[0]] or "") for one in documents.items()]
            bare = [path for path in texts if texts[path] is None]
            fill(base, mark, [*documents], [logs], bare=bare)

        if index is None or index.mark.digest != mark.digest:
            index = self._kept.make(filled)
            return index if index.mark == mark else self._kept.make(filled, kept=False)
        try:  # they are those of another commit
            index.change(lambda: write_mark(index.base, mark, index.totals))
        except IndexDamaged:
            pass
        return index


def _digest(*said: str) -> str:
    return sha256("\0".join(said).encode("utf-8", "surrogateescape")).hexdigest()


def documents_at(home: Home, commit: str, patterns: Iterable[str]) -> tuple[dict[str, str], int]:
    """Return path -> blob of the documents of a commit, and how many are left out for size or number.

    What the home itself is made of is none: logs and projections are recalled as what they are.
    `commit` is of the repository, whatever branch the ledger is on; "" for none.
    """
    found: dict[str, str] = {}
    git = home.repository.git()
    own = () if home.kind == OWN_BRANCH else (SESSIONS_DIR, ARCHIVE_DIR, *EDITABLE)
    passed_over = [f":(top,exclude,literal){home.prefix}{one}" for one in own]
    for wanted in (_KNOWN, [_named(one) for one in patterns]):
        if wanted and commit:
            rows = git.differences("", commit, *wanted, *passed_over)
            found |= {path: blob for _, mode, blob, path in rows if mode[:3] == "100"}
    sizes = dict(zip(found, git.sizes(list(found.values())), strict=True))
    small = [path for path in found if 0 < sizes[path] <= DOCUMENT_LIMIT_BYTES]
    later = {path: not any(f"/{one}" in f"/{path}" for one in _FIRST) for path in small}
    small.sort(key=lambda path: (later[path], path.count("/"), path))
    kept = sorted(small[:DOCUMENTS_LIMIT])
    left = sum([bool(size) for size in sizes.values()]) - len(kept)
    return {path: found[path] for path in kept}, left


def _named(said: str) -> str:
    """Read a pattern as `.gitignore` has them: without a slash it is a name in any folder.

    `**` stands for any folders, a slash at the end for all that is in a folder.
    """
    said = said.removeprefix("./")
    anywhere = "" if "/" in said.rstrip("/") else "**/"
    return f":(top,glob){anywhere}{said}" + "**" * said.endswith("/")
