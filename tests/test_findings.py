"""Every finding code as a person and a script meet it: command, output and exit code.

`CASES` is the table of transcripts. Each case makes ready a home that has one log and one fact, and names
the command; the table says which line of the text form tells of it, which hint follows, and the exit code.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.model import order
from ledger.model.findings import CODES, ERROR
from ledger.model.ids import version_id
from ledger.model.layout import log_path
from ledger.model.order import seal
from ledger.model.session import IDS_LIMIT, LINE_LIMIT_BYTES, LOG_LIMIT_BYTES
from rituals.cli.app import main
from tests.campaigns.homes import as_left
from tests.conftest import NOW_MS, Repo, Run, formed, make_repository

LOG = "sessions/2026-11-20-101500.md"
REFERENCES = "## Memory References\n\n"
#: When this machine's user commits, whatever its clock says.
_DATE = "2026-11-21T12:00:00Z"


class Shop(Repo):
    """A repository with a home in `memory/`, and the command line in it."""

    def __init__(self, path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(path)
        self.run, self.monkeypatch = run, monkeypatch
        self.home = path / "memory"

    @property
    def log(self) -> str:
        """The path of the log that every home has, relative to the home."""
        (name,) = self.git("ls-files", "memory/sessions/2026-11/21").splitlines()
        return name.removeprefix("memory/")

    def put(self, name: str, data: str | bytes) -> None:
        """Write a file of the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)

    def commit(self) -> None:
        """Commit everything, as a user does."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "by hand", "--date", _DATE)

    def object_file(self, spec: str) -> Path:
        """Return where git keeps an object."""
        name = self.git("rev-parse", spec).strip()
        return self.path / ".git/objects" / name[:2] / name[2:]


Arguments = tuple[str, ...]
Prepare = Callable[[Shop], Arguments]


class Case(NamedTuple):
    """One transcript.

    Args:
        prepare: makes the home ready and returns the command line.
        said: the line of the text form, stems and commits put by their names.
        hint: what stands on the `hint:` line behind it, "" where there is none.
        exit_code: of both forms.
        also: other codes that the command can not but report, too.
    """

    prepare: Prepare
    said: str
    hint: str
    exit_code: int
    also: tuple[str, ...]


CASES: dict[str, Case] = {}


def case(
    code: str, said: str, hint: str = "", *, exit_code: int = 0, also: tuple[str, ...] = ()
) -> Callable[[Prepare], Prepare]:
    """Put a case into the table."""

    def enter(prepare: Prepare) -> Prepare:
        assert code not in CASES
        CASES[code] = Case(prepare, said, hint, exit_code, also)
        return prepare

    return enter


def by_hand(data: str | bytes, path: str = LOG) -> Prepare:
    """Commit a log that somebody wrote by hand, and verify."""

    def prepare(shop: Shop) -> Arguments:
        shop.put(path, data)
        shop.commit()
        return ("verify",)

    return prepare


def sealed(text: str, ended: str = "2026-11-20T10:15:00.000Z") -> Prepare:
    """Commit a log whose name proves its bytes, as another writer of the format would."""
    text = f"---\nended: {ended}\n---\n{text}"
    stem = seal("2026-11-20-101500000", text.encode())
    return by_hand(text, f"sessions/2026-11/20/{stem}.md")


def born(blocks: str, fact: str = "a") -> str:
    """Write a log that creates a fact, with these blocks."""
    return f"{REFERENCES}- Created: {fact}\n\n## Facts\n\n{blocks}"


# ---- what a session log says ----------------------------------------------------------------------

case(
    "not-utf8",
    f"warning: {LOG}:3: not UTF-8; unreadable bytes are shown as U+FFFD",
    "save as UTF-8",
)(by_hand(b"# T\n\n\xff\n"))
case(
    "nul-byte",
    f"warning: {LOG}:3: a NUL byte; it is read as U+FFFD",
    "take it out",
)(by_hand(b"# T\n\na\0b\n"))
case(
    "too-large",
    f"error: {LOG} has {LOG_LIMIT_BYTES + 2} bytes; not read",
    "say it again in several logs",
    exit_code=1,
)(by_hand(b"x\n" * (LOG_LIMIT_BYTES // 2 + 1)))
case(
    "line-too-long",
    f"warning: {LOG}:1: {LINE_LIMIT_BYTES + 1} bytes; the limit is {LINE_LIMIT_BYTES}",
    "break the line",
)(by_hand("x" * (LINE_LIMIT_BYTES + 1)))
case(
    "too-many-ids",
    f"warning: {LOG}: {IDS_LIMIT + 2} ids; the limit is {IDS_LIMIT}",
)(by_hand(REFERENCES + f"- Referenced: {', '.join(['use-x'] * (IDS_LIMIT // 2 + 1))}\n" * 2))
case(
    "unclosed-fence",
    f"warning: {LOG}:3: a code fence is never closed",
    "close it with the same fence",
)(by_hand("# T\n\n```\nx\n"))
case(
    "unclosed-comment",
    f"warning: {LOG}:3: a comment or HTML block is never closed",
    "close it",
)(by_hand("# T\n\n<!-- x\n"))
case(
    "too-complex",
    f"warning: {LOG}:1: too large to decide what is code",
    "indent no fence and no comment",
)(by_hand(" <!--\n" + "- a b c\n" * 60_000))
case(
    "conflict-marker",
    f"error: {LOG}:1: merge conflict markers; nothing that this log says counts",
    "say it again in a new log",
    exit_code=1,
)(by_hand("<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"))
case(
    "front-matter",
    f"warning: {LOG}:2: not `key: value`: agent",
    "the header is flat, one pair a line",
)(by_hand("---\nagent\n---\n# T\n"))
case(
    "unknown-verb",
    "warning: sessions/2026-11/20/STEM.md:8: no known event: Touched: use-x",
    "write `- Referenced: id, id`, or another verb of the format",
)(sealed(f"# T\n\n{REFERENCES}- Touched: use-x\n"))
case(
    "bad-id",
    f"warning: {LOG}:3: not a fact id: Use_X",
    "ids are lower-case words joined by hyphens or dots",
)(by_hand(f"{REFERENCES}- Referenced: Use_X\n"))
case(
    "bad-event",
    f"warning: {LOG}:3: superseded by what? use-x",
    "write `- Superseded: old → new`, or `- Invalidated: old`",
)(by_hand(f"{REFERENCES}- Superseded: use-x\n"))
case(
    "bad-footer",
    f"warning: {LOG}:3: a fact without a footer",
    "end it with `  <!-- id: some-id -->`",
)(by_hand("## Facts\n\n- A fact.\n"))
case(
    "bad-date",
    f"warning: {LOG}:8: created: 2026-02-30 is no calendar date; it is left out",
)(by_hand(born("- A.\n  <!-- id: a | created: 2026-02-30 -->\n")))
case(
    "fact-without-event",
    f"warning: {LOG}:3: no event names the fact a",
    "add `- Created: a` or `- Updated: a` to the references",
)(by_hand("## Facts\n\n- A.\n  <!-- id: a -->\n"))
case(
    "event-without-fact",
    "warning: sessions/2026-11/20/STEM.md: `## Facts` has no block for use-x",
    "add one that ends with `<!-- id: use-x -->`",
)(sealed(f"# T\n\n{REFERENCES}- Updated: use-x\n"))
case(
    "duplicate-block",
    f"warning: {LOG}:9: a second block for a; the first counts",
    "give it an id of its own",
)(by_hand(born("- A.\n  <!-- id: a -->\n- B.\n  <!-- id: a -->\n")))
case(
    "repeated-section",
    f"info: {LOG}:3: `## Memory References` stands more than once",
)(by_hand(f"{REFERENCES}{REFERENCES}- Referenced: use-x\n"))
case(
    "section-suffix",
    f"info: {LOG}:1: `## Memory References (late)` is read",
)(by_hand("## Memory References (late)\n\n- Referenced: use-x\n"))


@case(
    "not-canonical",
    "diurna: append: unknown type of log: dream",
    "one of work, review, import, edit, checkpoint",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    return ("append", "--title", "T", "--type", "dream")


# ---- the set of logs ------------------------------------------------------------------------------

case(
    "bad-name",
    "warning: sessions/notes.md is not named like a session log and is not read",
    "logs are named sessions/YYYY-MM-DD-HHMMSS.md; diurna append names them",
)(by_hand("# T\n", "sessions/notes.md"))
case(
    "date-only-name",
    "info: sessions/2026-11-20.md has no time of day in its name",
)(by_hand("# T\n", "sessions/2026-11-20.md"))


@case(
    "duplicate-stem",
    "error: two logs are named STEM and differ; both are read: sessions/STEM.md came with COMMIT "
    "by Ada; sessions/2026-11/21/STEM.md came with COMMIT by Ada",
    "if one of them is a copy that was changed, say so in a new log",
    exit_code=1,
    also=("seal-broken", "contradiction"),
)
def _(shop: Shop) -> Arguments:
    copy = f"sessions/{Path(shop.log).name}"
    shop.put(copy, (shop.home / shop.log).read_text().replace("Use X.", "Never use X."))
    shop.commit()
    return ("verify",)


case(
    "seal-broken",
    "error: the bytes of sessions/2026-11/20/STEM.md are not those it was sealed with, and history "
    "has no others",
    "fetch the log from a clone that has it",
    exit_code=1,
)(by_hand("# T\n", "sessions/2026-11/20/2026-11-20-101500000-aaaaaaaaaaaaaaaaaaaaaaaaaa.md"))
case(
    "stamp-moved",
    "error: sessions/2026-11/20/STEM.md: the log says that it ended at 2026-11-19T10:15:00.000Z, and its "
    "name 2026-11-20T10:15:00.000Z; it is read in its name's place",
    "a sealed log keeps its name; `git log -- <file>` tells who committed this one",
    exit_code=1,
)(sealed("# T\n", "2026-11-19T10:15:00.000Z"))


@case(
    "weak-seal",
    "info: 1 log: STEM: sealed with 48 bits, as Diurna did before; other bytes can be made to fit",
    "new logs have a longer seal; what git's history has of these is compared",
)
def _(shop: Shop) -> Arguments:
    text = "---\nended: 2026-11-20T10:15:00.000Z\n---\n# T\n"
    mark = hashlib.sha256(text.encode()).hexdigest()[:12]
    return by_hand(text, f"sessions/2026-11/20/2026-11-20-101500000-{mark}.md")(shop)


@case(
    "seal-collision",
    "error: sessions/2026-11/20/STEM.md and sessions/STEM.md differ and fit one seal; all are read",
    exit_code=1,
    also=("duplicate-stem", "weak-seal"),
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr(order, "SEAL_CHARS", 3)
    made: dict[str, str] = {}
    for number in range(9999):
        text = f"---\nended: 2026-11-20T10:15:00.000Z\n---\n# Number {number}\n"
        stem = seal("2026-11-20-101500000", text.encode())
        if made.setdefault(stem, text) != text:
            break
    shop.put(log_path(stem), made[stem])
    shop.put(f"sessions/{stem}.md", text)
    shop.commit()
    return ("verify",)


@case(
    "log-modified",
    f"error: {LOG} was changed after it was committed, in commit COMMIT by Ada on 2026-11-21",
    "`git cat-file blob COMMIT` prints what it said first",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    for text in ("# T\n", "# Other\n"):
        shop.put(LOG, text)
        shop.commit()
    return ("verify",)


@case(
    "log-deleted",
    "error: sessions/2026-11/21/STEM.md was deleted, in commit COMMIT by Ada on 2026-11-21",
    "`diurna verify --restore` adds its first bytes again",
    exit_code=1,
    also=("drift",),
)
def _(shop: Shop) -> Arguments:
    (shop.home / shop.log).unlink()
    shop.commit()
    return ("verify",)


@case(
    "log-moved",
    "error: sessions/2026-11/21/STEM.md was moved to sessions/STEM.md, in commit COMMIT by Ada on "
    "2026-11-21",
    "it counts where it is, and is whole again once it stands at sessions/2026-11/21/STEM.md: "
    "git mv memory/sessions/STEM.md memory/sessions/2026-11/21/STEM.md",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    (shop.home / shop.log).rename(shop.home / "sessions" / Path(shop.log).name)
    shop.commit()
    return ("verify",)


@case(
    "log-edited",
    "warning: sessions/2026-11/21/STEM.md differs in the work tree from what is committed; the "
    "committed bytes count",
    "say what is new in a new log (`diurna append`), and put this one back as git has it",
)
def _(shop: Shop) -> Arguments:
    shop.put(shop.log, "# Other\n")
    return ("verify",)


@case(
    "log-uncommitted",
    f"info: {LOG} stands in the work tree and is not committed; it does not count yet",
    f"git add memory/{LOG}, and commit",
)
def _(shop: Shop) -> Arguments:
    shop.put(LOG, "# T\n")
    return ("verify",)


@case(
    "not-a-file",
    f"warning: {LOG} has mode 120000; only ordinary files are read",
    "a link, a submodule or an executable is never a session log",
)
def _(shop: Shop) -> Arguments:
    (shop.home / LOG).symlink_to("../diurna.toml")
    shop.commit()
    return ("verify",)


@case(
    "unreadable",
    "error: the bytes of sessions/2026-11/21/STEM.md (object COMMIT) are missing from the "
    "repository or damaged",
    "fetch them from a clone that has them; all other logs are read",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    shop.object_file(f"HEAD:memory/{shop.log}").unlink()
    return ("verify",)


@case(
    "history-cut",
    "info: the history is shallow: what was done to logs before it begins was not checked",
    "git fetch --unshallow",
)
def _(shop: Shop) -> Arguments:
    shop.git("clone", "-q", "--depth", "1", f"file://{shop.path}", f"{shop.path}-clone")
    return ("verify", "--home", f"{shop.path}-clone")


@case(
    "history-rewritten",
    "error: the history of main was rewritten since COMMIT, without 1 log: STEM",
    "`diurna verify --restore` adds them again",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    shop.run("append", "--title", "Second")
    assert shop.run("verify").code == 0
    shop.git("reset", "-q", "--hard", "HEAD~1")
    return ("verify",)


case(
    "clock-ahead",
    "warning: sessions/2026-11-23-101500.md: 2026-11-23-101500 is stamped more than a day ahead of "
    "this clock",
    "check both clocks; it keeps its place, and later logs sort after it",
)(by_hand("# T\n", "sessions/2026-11-23-101500.md"))


# ---- what the facts say together ------------------------------------------------------------------

case(
    "unknown-id",
    f"warning: {LOG}: nobody is named and no log has brought a text for it",
    "it counts from the moment a log creates it with a text",
)(by_hand(f"{REFERENCES}- Referenced: nobody\n"))
case(
    "contradiction",
    "warning: use-x has 2 versions that stand side by side: "
    f"{version_id('Never use X.')}, {version_id('Use X.')}",
    "`diurna conflicts use-x` shows them, `diurna resolve use-x` says which holds",
)(by_hand(born("- Never use X.\n  <!-- id: use-x -->\n", "use-x")))
case(
    "supersession-cycle",
    f"warning: {LOG}: b → a would close a circle; this edge is left out",
    "`diurna resolve b` says which of them holds",
    also=("contradiction",),
)(
    by_hand(
        "## Memory References\n\n- Superseded: a → b, b → a\n- Created: a, b\n\n"
        "## Facts\n\n- A.\n  <!-- id: a -->\n- B.\n  <!-- id: b -->\n"
    )
)
case(
    "not-a-thread",
    f"warning: {LOG}: use-x was closed or reopened and is of kind fact",
    "an update whose footer says `kind: thread` makes it a thread",
)(by_hand(f"{REFERENCES}- Closed: use-x\n"))


@case(
    "false-fact",
    "warning: use-x is false: use-y superseded it",
    "`diurna why use-x` tells when and by whom; reference its successor",
)
def _(shop: Shop) -> Arguments:
    shop.run("append", "--new", "id=use-y Use Y.", "--supersede", "use-x=use-y")
    return ("append", "--title", "Third", "--ref", "use-x")


case(
    "unknown-kind",
    "warning: a is of kind rumour, which the policy does not name",
    "add [kinds.rumour] with a section to diurna.toml",
)(by_hand(born("- A.\n  <!-- id: a | kind: rumour -->\n")))
case(
    "unknown-version",
    "info: sessions/2026-11-21-101500.md: use-x has no version 01234567 (yet)",
)(
    by_hand(
        f"{REFERENCES}- Updated: use-x (was {version_id('Use X.')}, 01234567)\n\n"
        "## Facts\n\n- Use X and Y.\n  <!-- id: use-x -->\n",
        "sessions/2026-11-21-101500.md",
    )
)


@case(
    "similar-fact",
    "warning: y is similar to `use-x` (100)",
    "say `--ref use-x` or `--update use-x TEXT` instead; where both are recorded, "
    "`--supersede y=use-x` makes one of them",
)
def _(shop: Shop) -> Arguments:
    return ("append", "--title", "Second", "--new", "id=y We use X.")


@case(
    "opposite-fact",
    'warning: use-spaces contradicts `use-tabs`: "spaces" against "tabs"',
    "if use-tabs is false now, say `--supersede use-tabs=use-spaces`, in this log or the next",
)
def _(shop: Shop) -> Arguments:
    shop.run("append", "--new", "id=use-tabs Indent with tabs.")
    return ("append", "--title", "Third", "--new", "id=use-spaces Indent with spaces.")


# ---- projection and repository --------------------------------------------------------------------


@case(
    "policy-invalid",
    "warning: diurna.toml:1: unknown key `bogus` (known here: format, project, publish, windows, "
    "review, privacy, kinds)",
    "the defaults are in force until it is mended and committed",
    also=("drift",),
)
def _(shop: Shop) -> Arguments:
    shop.put("diurna.toml", "bogus = 1\n")
    shop.commit()
    return ("verify",)


@case(
    "newer-format",
    "error: diurna.toml has format 7; this Diurna knows 1",
    "install a newer Diurna; this one reads what it can",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    policy = (shop.home / "diurna.toml").read_text()
    shop.put("diurna.toml", policy.replace("format  = 1", "format  = 7"))
    shop.commit()
    return ("verify",)


@case(
    "drift",
    "warning: continuity.md differs from the replay",
    "run `diurna publish`",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    shop.run("append", "--title", "Second", "--new", "id=use-y Use Y.")
    return ("replay", "--check")


@case(
    "over-size",
    "info: continuity.md is over the limits of the policy: 16 of 2 lines",
    "`diurna review` asks what may go; the limits are below [review] in diurna.toml",
    also=("review-due",),
)
def _(shop: Shop) -> Arguments:
    policy = (shop.home / "diurna.toml").read_text()
    shop.put("diurna.toml", policy.replace("max_lines = 600", "max_lines = 2", 1))
    shop.commit()
    return ("lint",)


@case(
    "hand-edited",
    "warning: archive/INDEX.md was edited by hand; it was left as it is and not published",
    "record what the edit says with `diurna append`, and put it back as git has it",
)
def _(shop: Shop) -> Arguments:
    shop.put("archive/INDEX.md", "# Archive\n")
    shop.commit()
    shop.put("archive/INDEX.md", "mine\n")
    return ("verify",)


@case(
    "absorbed",
    "info: the edit of continuity.md became the log STEM, Updated: use-x",
)
def _(shop: Shop) -> Arguments:
    policy = (shop.home / "diurna.toml").read_text()
    assert '"review"' in policy
    shop.put("diurna.toml", policy.replace('"review"', '"append"'))
    shop.commit()
    text = (shop.home / "continuity.md").read_text()
    shop.put("continuity.md", text.replace("- Use X.", "- Use X or Y."))
    return ("append", "--title", "Next")


@case(
    "conflict-in-projection",
    "error: continuity.md:4: continuity.md holds a merge conflict marker",
    "`diurna publish` computes the file anew; both sides' logs count",
    exit_code=1,
    also=("hand-edited",),
)
def _(shop: Shop) -> Arguments:
    shop.put("continuity.md", "# Continuity — shop\n\nProse.\n<<<<<<< ours\n")
    shop.commit()
    return ("verify",)


@case(
    "spool-waiting",
    "warning: 1 log waits to be committed: STEM",
    "the next Diurna command that writes commits what waits",
)
def _(shop: Shop) -> Arguments:
    shop.git("checkout", "-q", "--detach")
    assert shop.run("append", "--title", "Second").code == 1
    return ("verify",)


@case(
    "index-busy",
    "warning: what was committed stands, and git's index could not follow: fatal: Unable to create "
    "'TOP/.git/index.lock': File exists.",
    "the next Diurna command that writes sets the entry; until then `git status` shows the file "
    "as deleted",
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr("memory.worktree.checkout._INDEX_TRIES", 1)
    (shop.path / ".git/index.lock").touch()
    return ("append", "--title", "Second")


@case(
    "stale-lock",
    "info: TOP/.git/refs/heads/main.lock belonged to no living process and was moved to "
    "TOP/.git/diurna/stale/refs%2Fheads%2Fmain.lock.NANOSECONDS",
)
def _(shop: Shop) -> Arguments:
    lock = shop.path / ".git/refs/heads/main.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    return ("append", "--title", "Second")


@case(
    "object-mended",
    "info: the object COMMIT of sessions/2026-11/21/STEM.md was lost and was written again from "
    "the spool",
)
def _(shop: Shop) -> Arguments:
    lost = shop.object_file(f"HEAD:memory/{shop.log}")
    lost.chmod(0o644)
    lost.write_bytes(b"")
    return ("append", "--title", "Second")


@case(
    "log-dropped",
    "warning: STEM was committed on main, and a commit that was begun beside that left it out; it is "
    "committed again",
)
def _(shop: Shop) -> Arguments:
    index = shop.path / ".git/index"
    before = index.read_bytes()
    shop.run("append", "--title", "Second")
    after = index.read_bytes()
    index.write_bytes(before)
    shop.git("commit", "-q", "--allow-empty", "-m", "begun before")
    index.write_bytes(after)
    return ("append", "--title", "Third")


@case(
    "merge-attribute",
    "warning: git attributes say merge=union for continuity.md: in a plain git command they are merged "
    "in another way than Diurna's",
    "`git check-attr -a memory/continuity.md` tells; the last line that matches counts",
)
def _(shop: Shop) -> Arguments:
    with (shop.path / ".git/info/attributes").open("a") as file:
        file.write("continuity.md merge=union\n")
    return ("init",)


@case("cache-rebuilt", "info: the cache was unusable and was built anew")
def _(shop: Shop) -> Arguments:
    for file in (shop.path / ".git/diurna/cache").iterdir():
        file.write_bytes(b"garbage")
    return ("append", "--title", "Second")


@case(
    "fallback-identity",
    "info: git has no user.name; commits are made by Diurna <ada@example.invalid>",
    "git config user.name YOURS",
)
def _(shop: Shop) -> Arguments:
    shop.git("config", "--unset", "user.name")
    return ("append", "--title", "Second")


@case(
    "review-due",
    "info: a review is due: 2 of 2 work sessions",
    "run `diurna review`; `diurna review --dry-run` shows what it would do",
)
def _(shop: Shop) -> Arguments:
    policy = (shop.home / "diurna.toml").read_text()
    shop.put("diurna.toml", policy.replace("every = 10", "every = 2", 1))
    shop.commit()
    return ("append", "--title", "Second")


@case(
    "unsigned",
    "info: commit.gpgsign is set, and the commit is not signed: Diurna never waits for a key",
)
def _(shop: Shop) -> Arguments:
    shop.git("config", "commit.gpgsign", "true")
    return ("append", "--title", "Second")


# ---- this machine ---------------------------------------------------------------------------------


def on_path(shop: Shop, *folders: str | Path) -> Arguments:
    """Let nothing be called but what is in some folders, and git; and run the doctor."""
    here = os.path.dirname(shutil.which("git") or "")
    shop.monkeypatch.setenv("PATH", os.pathsep.join([*map(str, folders), here]))
    return ("doctor",)


def script(path: Path, text: str) -> None:
    """Write a program."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@case(
    "git-unusable",
    "error: this is git version 2.20.1; Diurna needs git 2.30 or newer",
    "install a newer git; nothing in the repository has to change",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    tools = shop.path.parent / "tools"
    git = shutil.which("git")
    script(
        tools / "git",
        f'case "$*" in *" version") echo git version 2.20.1;; *) exec {git} "$@";; esac',
    )
    return on_path(shop, tools)


@case(
    "library-unusable",
    "warning: this is pygit2 1.2.3 with libgit2 0.9; Diurna needs 1.19 or newer",
    "reinstall Diurna in an environment of its own; short commands work without the library",
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr("ledger.git.pygit2_store.versions", lambda: ("1.2.3", "0.9"))
    return on_path(shop)


@case(
    "several-installed",
    "warning: TOP/../one/diurna is the `diurna` that runs; TOP/../two/diurna may be another version",
    "hooks and other shells may find another one first; keep one of them on PATH, or keep them at "
    "the same version",
)
def _(shop: Shop) -> Arguments:
    folders = [shop.path / ".." / name for name in ("one", "two")]
    for folder in folders:
        script(folder / "diurna", "true")
    return on_path(shop, *folders)


@case(
    "disk-nearly-full",
    "warning: the disk of TOP/.git has COUNT MiB left",
    "free some space there; an append that finds none changes nothing",
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr("rituals.check.doctor.machine._FREE_BYTES", 1 << 80)
    return on_path(shop)


@case(
    "shared-disk",
    "warning: TOP/.git is on a nfs4 file system, where a lock may not reach other machines",
    "write from one machine at a time there; better, a clone on a local disk and `diurna sync`",
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr("rituals.check.doctor.machine.file_system", lambda *_: "nfs4")
    return on_path(shop)


@case(
    "no-home",
    "warning: no Diurna home at or above TOP",
    "run `diurna init` here to make one, or name one with --home PATH",
)
def _(shop: Shop) -> Arguments:
    shutil.rmtree(shop.path)
    make_repository(shop.path)
    shop.monkeypatch.chdir(shop.path)
    return on_path(shop)


@case(
    "unsupported-repository",
    "error: objects are borrowed from /nowhere/objects, which is not there",
    "bring that repository back, or say in .git/objects/info/alternates where it is now",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    (shop.path / ".git/objects/info/alternates").write_text("/nowhere/objects\n")
    return on_path(shop)


@case(
    "lock-left",
    "warning: TOP/.git/index.lock is 60 min old and belongs to no living process",
    "`diurna doctor --fix` moves it aside",
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setattr("ledger.wal.locks._git_commands", lambda: iter(()))
    lock = shop.path / ".git/index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 3610,) * 2)
    return on_path(shop)


@case(
    "lock-held",
    "info: TOP/.git/index.lock is COUNT s old, and a git process may be at work",
    "wait for it to end, and look again",
)
def _(shop: Shop) -> Arguments:
    (shop.path / ".git/index.lock").touch()
    return on_path(shop)


@case(
    "object-lost",
    "error: git has lost what recent commits of Diurna's are made of: commit COMMIT",
    "`diurna doctor --fix` writes it again, byte for byte, from what is kept beside the spool",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    shop.object_file("HEAD").unlink()
    return on_path(shop)


@case(
    "case-twins",
    "warning: memory/sessions/Notes and memory/sessions/notes differ only in upper and lower case; "
    "on a case-blind file system one hides the other",
    "give one of them another name with git mv",
    also=("bad-name", "bad-name"),
)
def _(shop: Shop) -> Arguments:
    blob = shop.git("rev-parse", "HEAD:memory/diurna.toml").strip()
    for name in ("Notes", "notes"):  # as on another machine: this one's disk may hold one of them
        entry = f"100644,{blob},memory/sessions/{name}"
        shop.git("update-index", "--add", "--cacheinfo", entry)
    shop.git("commit", "-q", "-m", "twins")
    return on_path(shop)


@case(
    "spool-leftover",
    "warning: 1 log waits in TOP/.git/diurna/spool@other for a home on the branch other, which is not "
    "there: STEM",
    "`diurna append TOP/.git/diurna/spool@other/STEM` says it again in this home; the copy stays",
)
def _(shop: Shop) -> Arguments:
    stem = Path(shop.log).stem
    left = shop.path / ".git/diurna/spool@other" / stem
    left.parent.mkdir()
    left.write_bytes((shop.home / shop.log).read_bytes())
    return on_path(shop)


@case(
    "spool-part",
    "warning: TOP/.git/diurna/spool/STEM was never written whole: its writer was killed before it said "
    "that the log is recorded",
    "`diurna doctor --fix` moves it aside",
)
def _(shop: Shop) -> Arguments:
    stem = seal("2026-11-20-101500000", b"# As it was meant")
    part = shop.path / ".git/diurna/spool" / stem
    part.write_bytes(b"# As it")
    os.utime(part, (0, 0))
    return on_path(shop)


@case(
    "git-setting",
    "warning: gc.pruneExpire is now: `git gc` deletes what a writer has not referred to yet",
    "let it outlive every write: git config gc.pruneExpire 2.weeks.ago",
)
def _(shop: Shop) -> Arguments:
    shop.git("config", "gc.pruneExpire", "now")
    return on_path(shop)


@case(
    "attributes-missing",
    "warning: this clone has no driver that keeps a plain `git pull` out of the projection",
    "`diurna doctor --fix` sets it",
)
def _(shop: Shop) -> Arguments:
    shop.git("config", "--unset", "merge.diurna-ours.driver")
    return on_path(shop)


@case(
    "open-to-others",
    "warning: other users of this machine can look into TOP/.git/diurna, where logs wait",
    "`diurna doctor --fix` keeps it to its owner",
)
def _(shop: Shop) -> Arguments:
    (shop.path / ".git/diurna").chmod(0o755)
    return on_path(shop)


@case(
    "cache-differs",
    "error: the cache says something else than the ledger: continuity.md",
    "`diurna doctor --fix` builds it anew from the ledger, which is right",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    (file,) = (shop.path / ".git/diurna/cache").glob("*.sqlite")
    with sqlite3.connect(file) as cache:
        cache.execute("DELETE FROM facts")
    cache.close()
    as_left(file)
    return (*on_path(shop), "--deep")


@case(
    "not-pushed",
    "warning: 1 log of more than a week ago is on no remote: main was never pushed; the oldest is STEM",
    "`diurna sync` shares them",
)
def _(shop: Shop) -> Arguments:
    shop.git("remote", "add", "origin", "/nowhere/shop.git")
    shop.monkeypatch.setenv("DIURNA_NOW", str(NOW_MS + 8 * 86_400_000))
    return on_path(shop)


@case(
    "check-failed",
    "warning: git's settings could not be checked: RuntimeError: broken",
    "mend what else is told, and look again",
)
def _(shop: Shop) -> Arguments:
    def broken(_: object) -> None:
        raise RuntimeError("broken")

    shop.git("config", "gc.pruneExpire", "now")
    shop.monkeypatch.setattr("rituals.check.doctor.git_settings._is_soon", broken)
    return on_path(shop)


# ---- secrets and personal data --------------------------------------------------------------------

#: Made up when the tests run, so that no scanner takes this file for a leak.
_TOKEN = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0" * 2


def linted(data: str) -> Prepare:
    """Commit a log that somebody wrote by hand, and lint."""
    prepare = by_hand(data)

    def prepared(shop: Shop) -> Arguments:
        prepare(shop)
        return ("lint",)

    return prepared


case(
    "secret-found",
    f"error: {LOG}:3: a github-token: ghp_…(44)",
    "replace it where it is valid: git's history holds it for good; "
    "a line with `diurna: allow-secret` is none",
    exit_code=1,
)(linted(f"# T\n\nIt is {_TOKEN}.\n"))
case(
    "secret-waived",
    f"info: {LOG}:3: 1 line looks like a secret and says that it is none",
)(linted(f"# T\n\nIt is {_TOKEN}, which is made up. <!-- diurna: allow-secret -->\n"))
case(
    "personal-data",
    f"warning: {LOG}:3: the path of a home folder",
    'with `personal = "keep"` below [privacy] in diurna.toml nothing is said of these',
)(linted("# T\n\nIt is in /home/alice/shop.\n"))


@case(
    "secret-redacted",
    "warning: a github-token in the title was not stored: ghp_…(44)",
    "if it was ever used, replace it where it is valid; a line with `diurna: allow-secret` is kept",
)
def _(shop: Shop) -> Arguments:
    return ("append", "--title", f"With {_TOKEN}")


@case(
    "undeclared-edit",
    "warning: continuity.md:14: the edit says `Updated: use-x`, and no log does",
    "`diurna absorb` makes a log of it; `diurna absorb --dry-run` shows which",
)
def _(shop: Shop) -> Arguments:
    text = (shop.home / "continuity.md").read_text()
    shop.put("continuity.md", text.replace("- Use X.", "- Use X or Y."))
    return ("lint",)


# ---- adoption -------------------------------------------------------------------------------------


@case(
    "adopt-differs",
    "info: continuity.md: `a-b` uses: the reference tool says 1, right is 0 (1 x under a verb that "
    "is no use)",
)
def _(shop: Shop) -> Arguments:
    other = make_repository(shop.path.parent / "other")
    footer = "created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: active"
    fact = f"- A.\n  <!-- id: a-b | {footer} -->\n"
    other.write("memory/continuity.md", f"## Key Decisions\n\n{fact}")
    other.write("memory/sessions/2026-01-01-000000.md", f"# S\n\n{REFERENCES}- Archived: a-b\n")
    return ("adopt", "--dry-run", str(other.path))


# ---- the transcripts ------------------------------------------------------------------------------

#: Commands that change nothing: asked twice, they say the same twice.
_READERS = ("verify", "replay", "doctor")
_READERS = ("verify", "lint", "replay")
#: What differs from run to run, behind what `formed` puts by its name.
_VOLATILE = (
    (re.compile(r"/[^' ]*/(?:text|json)/shop\b"), "TOP"),
    (re.compile(r"\b[0-9a-f]{12}\b|(?<=came with )[0-9a-f]{7}\b"), "COMMIT"),
    (re.compile(r"(?<=\.lock\.)\d{19}\b"), "NANOSECONDS"),
    (re.compile(r"(?<=has )\d+(?= MiB)|\d+(?= s old)"), "COUNT"),
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a home, one log in it and its projection, made once."""
    repo = make_repository(tmp_path_factory.mktemp("model") / "shop")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repo.path)
        patch.setenv("DIURNA_NOW", str(NOW_MS))
        assert main(["init"]) == 0
        assert main(["append", "--title", "First", "--new", "id=use-x Use X."]) == 0
        assert main(["publish"]) == 0
    return repo.path


@pytest.fixture
def shop(
    model: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Shop]:
    """Make a copy of the model in a folder of this name, and go there."""
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS))
    monkeypatch.setenv("DIURNA_AGENT", "claude-code")

    def copied(folder: str) -> Shop:
        shop = Shop(tmp_path / folder / model.name, run, monkeypatch)
        shutil.copytree(model, shop.path)
        monkeypatch.chdir(shop.path)
        return shop

    return copied


def lines_of(text: str) -> list[str]:
    """Cut text into lines, with what differs from run to run put by its name."""
    text = formed(text)
    for pattern, name in _VOLATILE:
        text = pattern.sub(name, text)
    return text.split("\n")


@pytest.mark.parametrize("code", CASES)
def test_code_is_told(code: str, shop: Callable[[str], Shop], run: Run) -> None:
    """Text and JSON tell it once and nothing else, with its hint; an error ends `verify` with 1."""
    one = CASES[code]
    arguments = one.prepare(shop("text"))
    text = run(*arguments)
    if arguments[0] not in _READERS:
        arguments = one.prepare(shop("json"))
    data = run(*arguments, "--json")
    assert (text.code, data.code) == (one.exit_code, one.exit_code), text.err

    lines = lines_of(text.err)
    assert lines.count(one.said) == 1, text.err
    behind = lines[lines.index(one.said) + 1]
    assert behind == f"hint: {one.hint}" if one.hint else not behind.startswith("hint: ")

    found = data.json["error" if "error" in data.json else "findings"]
    found = found["findings"] if isinstance(found, dict) else found
    assert sorted(finding["code"] for finding in found) == sorted((code, *one.also))
    told = [line for line in lines if line.startswith(("error: ", "warning: ", "info: "))]
    assert len(told) == (0 if "error" in data.json else len(found)), "each of them once"
    (named,) = (finding for finding in found if finding["code"] == code)
    assert named["severity"] == CODES[code][0]
    if arguments[0] == "verify":
        assert one.exit_code == any(finding["severity"] == ERROR for finding in found)
    if not one.said.startswith("diurna: "):
        where = f"{named['file']}:{named['line']}" if named["line"] else named["file"]
        said = named["message"] if where in named["message"] else f"{where}: {named['message']}"
        assert lines_of(f"{named['severity']}: {said}") == [one.said]
    assert lines_of(named["hint"]) == [one.hint]


def test_every_code_has_its_transcript() -> None:
    """A code that no command tells is dead; one without a case here is not shown to be told."""
    assert set(CASES) == set(CODES)
