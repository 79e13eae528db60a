"""Name every path, ref, marker and attribute that Diurna uses, once.

Paths are relative to the prefix of a home, with `/` between their parts.
"""

from __future__ import annotations

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
CACHE_VERSION = 68
