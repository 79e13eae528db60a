"""Name every path, ref, marker and attribute that Diurna uses, once, and find the logs among paths.

Paths are relative to the prefix of a home, with `/` between their parts.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.findings import Finding
from ledger.model.log_stamps import has_time, is_sealed, is_stem, key_of, stem_in
from ledger.model.record import Record

FORMAT_VERSION = 1
#: How many characters a brief has where nobody says, and the fewest that one may have.
BRIEF_CHARS, LEAST_BRIEF_CHARS = 7500, 1000

POLICY_FILE = "diurna.toml"
SESSIONS_DIR = "sessions"
#: The header key of a log that says what a person's edit says: the blob id of the edited file.
EDITED_KEY = "edited"
CONTINUITY_FILE = "continuity.md"
#: The files of the views that a policy can publish, each with the view's name.
VIEW_FILES = {"STATE.md": "state", "PROGRESS.md": "progress", "DECISIONS.md": "decisions"}
#: What people edit, and Diurna reads back.
EDITABLE = (CONTINUITY_FILE, *VIEW_FILES)
ARCHIVE_DIR = "archive"
ARCHIVE_INDEX = "archive/INDEX.md"
ATTRIBUTES_FILE = ".gitattributes"
#: The in-tree prefix, the default branch of an own-branch home, and where that one is mirrored.
TREE_PREFIX = "memory/"
#: At the top of a repository: names the folder of its in-tree home, where that is not `memory/`.
TREE_POINTER = ".diurna-home"
DEFAULT_BRANCH = "memory"
#: Where the home of what is only the user's is, below the folder for a user's data.
PERSONAL_FOLDER = "diurna/personal"
MIRROR_DIR = ".memory"

#: Keeps the bytes of logs, and keeps git from merging what is recomputed (FORMAT.md, M1 and M2).
ATTRIBUTES = (
    "# Written by Diurna: logs keep their bytes; projections are recomputed, never merged.\n"
    "sessions/** -text\n"
    "continuity.md -text -merge linguist-generated\n"
    "archive/** -text -merge linguist-generated\n"
)

#: Begins the message of every commit of Diurna's.
COMMIT_SUBJECT = "diurna: "

#: Below them a clone keeps a branch's tip as it was seen last, a remote's, and the logs that went (L6).
SEEN, SENT, LOST = "refs/diurna/seen/", "refs/diurna/sent/", "refs/diurna/lost/"

#: Under the common git directory; all but the spool, what was observed and the candidates can be deleted.
STATE_DIR = "diurna"
SPOOL_DIR = "diurna/spool"
LOCK_FILE = "diurna/lock"
#: Homes of others, each a bare repository with a note of when it was fetched from where.
UPSTREAM_DIR = "diurna/upstream"
UPSTREAM_BRANCH = "upstream"
FETCHED_FILE = "diurna/fetched"
CACHE_DIR = "diurna/cache"
#: Changes when something is hidden: what was made before is not served any more.
HIDDEN_FILE = "diurna/hidden"
#: Which sessions are silent.
SILENCES_FILE = "diurna/private"
#: What persons asked agents for, a line each.
ASKS_FILE = "diurna/asks.jsonl"
#: What a hook looks up at a prompt or a tool, for each folder that sessions work in.
MOMENT_FILE = "diurna/cache/moment"
#: What facts name and the code no longer has, for each work tree.
TRUTH_FILE = "diurna/cache/truth"
#: The lock of what is done by itself, and what it did last, for each home.
MAINTAIN_FILE, MAINTAINED_FILE = "diurna/maintain", "diurna/maintained"
#: What HEAD has not of the work that logs tell of, for each own branch.
HERE_FILE = "diurna/cache/here"
REVIEW_LOCK_FILE = "diurna/review"
#: Held while an append looks whether its host session has a log already (W12).
SESSION_LOCK_FILE = "diurna/session"
JOURNAL_FILE = "diurna/journal.log"
#: What failed in a hook of a host.
HOOK_FAULTS_FILE = "diurna/hooks.log"
#: What is known of sessions that are captured, below the git directory: a few small files of each.
CAPTURED_DIR = "diurna/captured"
#: The fetch or push under way.
TRANSFER_FILE = "diurna/transfer"
#: Under the git directory of the work tree.
ABSORB_LOCK_FILE = "diurna/absorb"
#: Where pages are kept that a person edited and let go, below the folder of what Diurna keeps.
DROPPED_DIR = "dropped"
CONFIG_BRANCH = "diurna.branch"
#: The prefix of an in-tree home that moved: on branches that still have its files it is no home here.
CONFIG_MOVED = "diurna.moved"
#: In the place that a memory was moved from: says where it is.
MOVED_FILE = "MOVED.md"


def log_path(stem: str) -> str:
    """Return where a log of this stem or key lives: `sessions/YYYY-MM/DD/<stem>.md`, unsealed flat."""
    from ledger.model.log_stamps import is_sealed

    if not is_sealed(stem):
        return f"{SESSIONS_DIR}/{stem.replace('+', '-')}.md"
    return f"{SESSIONS_DIR}/{stem[:7]}/{stem[8:10]}/{stem}.md"


def kept_as(kept: str, reference: str) -> str:
    """Return the reference that keeps something of a branch; no branch's is a folder of another's."""
    return kept + as_name(reference.removeprefix("refs/heads/"))


def as_name(text: str) -> str:
    """Make one file name of a branch or path, reversibly."""
    return text.replace("%", "%25").replace("/", "%2F")


def beside_git(commondir: str, kept: str) -> str:
    """Return the file with the logs that a reference keeps, and last where it leads (L6)."""
    return f"{commondir}/{kept.removeprefix('refs/')}"


def stem_of(path: str) -> str:
    """Return the stem of a log's path, or "" for a file that is not markdown."""
    name = path[path.rfind("/") + 1 :]
    return name[:-3] if name.endswith(".md") else ""


def archive_page(quarter: str) -> str:
    """Return the path of an archive page; a quarter is written `2026-Q4`."""
    return f"{ARCHIVE_DIR}/{quarter}.md"


def quarter_of(stem: str) -> str:
    """Return the quarter of a stem or date, `YYYY-Qn`."""
    return f"{stem[:4]}-Q{(int(stem[5:7]) + 2) // 3}"


#: Of everything that is kept in the cache folder. Raise it with every change of the cache's tables, of
#: packed forms, of how logs are read, or of the fold, the tiers, the rendering and the brief.
CACHE_VERSION = 60


FILE_MODE = "100644"
#: Files that people and tools put beside logs, and that mean nothing.
_BESIDE = ("INDEX", "README", ".gitkeep")


class LogRef(Record):
    """One log of the set.

    `key` is what `key_of` makes of the stem; when two logs share a stem and differ in bytes, the second
    and later ones (by blob id) have `~<blob>` behind it, which still sorts right behind it.
    """

    key: str
    path: str
    blob: str

    @property
    def stem(self) -> str:
        """The log's name."""
        return stem_in(self.key)


def log_refs(
    rows: Iterable[tuple[str, str, str]], prefix: str
) -> tuple[list[LogRef], tuple[Finding, ...]]:
    """Return the logs among files, in ledger order, and what else was there.

    Rows are (mode, blob id, path from the repository's root) of files below the sessions folder; paths
    in the result are relative to `prefix`, the home's.
    """
    cut = len(prefix)
    by_stem: dict[str, LogRef] = {}
    twins: dict[str, list[LogRef]] = {}
    findings: list[Finding] = []
    for mode, blob, full in rows:
        path = full[cut:]
        stem = stem_of(path)
        sealed = is_sealed(stem)
        if mode != FILE_MODE or not sealed:
            finding = _odd(mode, path, stem)
            if finding is not None:
                findings.append(finding)
                if finding.code != "date-only-name":
                    continue
            elif not is_stem(stem):
                continue
        ref = LogRef(stem if sealed else key_of(stem), path, blob)
        if stem in by_stem:
            twins.setdefault(stem, [by_stem[stem]]).append(ref)
        else:
            by_stem[stem] = ref
    for stem, refs in twins.items():
        distinct = {ref.blob: ref for ref in sorted(refs, reverse=True)}
        first, *others = [distinct[blob] for blob in sorted(distinct)]
        by_stem[stem] = first
        for ref in others:
            key = f"{ref.key}~{ref.blob}"
            by_stem[key] = ref._replace(key=key)
            both = " and ".join(sorted((ref.path, first.path)))
            said = f"{both} are both named {stem} and differ; both are read"
            hint = "if one of them is a copy that was changed, say so in a new log"
            findings.append(Finding("duplicate-stem", said, ref.path, hint=hint))
    return sorted(by_stem.values()), tuple(findings)


def _odd(mode: str, path: str, stem: str) -> Finding | None:
    if mode != FILE_MODE:
        return Finding(
            "not-a-file",
            f"{path} has mode {mode}; only ordinary files are read",
            path,
            hint="a link, a submodule or an executable is never a session log",
        )
    if not is_stem(stem):
        name = path[path.rfind("/") + 1 :]
        if stem in _BESIDE or name in _BESIDE:
            return None
        return Finding(
            "bad-name",
            f"{path} is not named like a session log and is not read",
            path,
            hint=f"logs are named {SESSIONS_DIR}/YYYY-MM-DD-HHMMSS.md; diurna append names them",
        )
    if not has_time(stem):
        return Finding("date-only-name", f"{path} has no time of day in its name", path)
    return None
