"""Every finding code as a person and a script meet it: command, output and exit code.

`CASES` is the table of transcripts. Each case makes ready a home that has one log and one fact, and names
the command; the table says which line of the text form tells of it, which hint follows, and the exit code.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.findings import CODES, ERROR
from ledger.ids import version_id
from ledger.order import seal
from ledger.session import IDS_LIMIT, LINE_LIMIT_BYTES, LOG_LIMIT_BYTES
from rituals.cli.app import main
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


def sealed(text: str) -> Prepare:
    """Commit a log whose name proves its bytes, as another writer of the format would."""
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
    "warning: sessions/2026-11/20/STEM.md:5: no known event: Touched: use-x",
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
)(by_hand("# T\n", "sessions/2026-11/20/2026-11-20-101500000-0123456789ab.md"))


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
    'append the text that holds: diurna append --update use-x "…"',
)(by_hand(born("- Never use X.\n  <!-- id: use-x -->\n", "use-x")))
case(
    "supersession-cycle",
    f"warning: {LOG}: b → a would close a circle; this edge is left out",
    "append a log that says which of b and a holds",
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
    "review, kinds)",
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
    "hand-edited",
    "warning: continuity.md was edited by hand; it was left as it is and not published",
    "`diurna absorb` makes a log of the edit; with --dry-run it says what it understands",
)
def _(shop: Shop) -> Arguments:
    shop.put("continuity.md", "mine\n")
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
    "warning: continuity.md:4: continuity.md holds a merge conflict marker",
    "`diurna publish` computes the file anew; both sides' logs count",
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
    shop.monkeypatch.setattr("memory.checkout._INDEX_TRIES", 1)
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
_READERS = ("verify", "replay")
#: What differs from run to run, behind what `formed` puts by its name.
_VOLATILE = (
    (re.compile(r"/[^' ]*/(?:text|json)/shop\b"), "TOP"),
    (re.compile(r"\b[0-9a-f]{12}\b|(?<=came with )[0-9a-f]{7}\b"), "COMMIT"),
    (re.compile(r"(?<=\.lock\.)\d{19}\b"), "NANOSECONDS"),
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
