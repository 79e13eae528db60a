"""Findings about logs, the set of them, and what their facts say together."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ledger.model.ids import version_id
from ledger.model.layout import log_path
from ledger.model.order import seal
from ledger.model.session import IDS_LIMIT, LINE_LIMIT_BYTES, LOG_LIMIT_BYTES
from tests.conftest import make_repository
from tests.finding_case import LOG, REFERENCES, Arguments, Shop, born, by_hand, case, sealed

# ---- what a session log says ----------------------------------------------------------------------


case(
    "not-utf8",
    f"warning: {LOG}:3: not UTF-8; unreadable bytes are shown as U+FFFD",
    "save as UTF-8",
)(by_hand(b"# T\n\n\xff\n"))


case("nul-byte", f"warning: {LOG}:3: a NUL byte; it is read as U+FFFD", "take it out")(
    by_hand(b"# T\n\na\0b\n")
)


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


case("too-many-ids", f"warning: {LOG}: {IDS_LIMIT + 2} ids; the limit is {IDS_LIMIT}")(
    by_hand(REFERENCES + f"- Referenced: {', '.join(['use-x'] * (IDS_LIMIT // 2 + 1))}\n" * 2)
)


case(
    "unclosed-fence",
    f"warning: {LOG}:3: a code fence is never closed",
    "close it with the same fence",
)(by_hand("# T\n\n```\nx\n"))


case("unclosed-comment", f"warning: {LOG}:3: a comment or HTML block is never closed", "close it")(
    by_hand("# T\n\n<!-- x\n")
)


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


case("bad-date", f"warning: {LOG}:8: created: 2026-02-30 is no calendar date; it is left out")(
    by_hand(born("- A.\n  <!-- id: a | created: 2026-02-30 -->\n"))
)


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


case("repeated-section", f"info: {LOG}:3: `## Memory References` stands more than once")(
    by_hand(f"{REFERENCES}{REFERENCES}- Referenced: use-x\n")
)


case("section-suffix", f"info: {LOG}:1: `## Memory References (late)` is read")(
    by_hand("## Memory References (late)\n\n- Referenced: use-x\n")
)


@case(
    "not-canonical",
    "diurna: append: unknown type of log: dream",
    "one of work, continued, review, import, edit, checkpoint",
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


case("date-only-name", "info: sessions/2026-11-20.md has no time of day in its name")(
    by_hand("# T\n", "sessions/2026-11-20.md")
)


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
    return ("check", "--ci")


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
    shop.monkeypatch.setattr("ledger.model.order.SEAL_CHARS", 3)
    made: dict[str, str] = {}
    for number in range(9999):
        text = f"---\nended: 2026-11-20T10:15:00.000Z\n---\n# Number {number}\n"
        stem = seal("2026-11-20-101500000", text.encode())
        if made.setdefault(stem, text) != text:
            break
    shop.put(log_path(stem), made[stem])
    shop.put(f"sessions/{stem}.md", text)
    shop.commit()
    return ("check", "--ci")


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
    return ("check", "--ci")


@case(
    "log-deleted",
    "error: sessions/2026-11/21/STEM.md was deleted, in commit COMMIT by Ada on 2026-11-21",
    "`diurna check --restore` adds its first bytes again",
    exit_code=1,
    also=("drift",),
)
def _(shop: Shop) -> Arguments:
    (shop.home / shop.log).unlink()
    shop.commit()
    return ("check", "--ci")


@case(
    "log-moved",
    "error: sessions/2026-11/21/STEM.md was moved to sessions/STEM.md, in commit COMMIT by Ada on "
    "2026-11-21",
    "it counts where it is, and is whole again once it is back at sessions/2026-11/21/STEM.md: "
    "git mv memory/sessions/STEM.md memory/sessions/2026-11/21/STEM.md",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    (shop.home / shop.log).rename(shop.home / "sessions" / Path(shop.log).name)
    shop.commit()
    return ("check", "--ci")


@case(
    "log-edited",
    "warning: sessions/2026-11/21/STEM.md differs in the work tree from what is committed; the "
    "committed bytes count",
    "say what is new in a new log (`diurna append`), and put this one back as git has it",
)
def _(shop: Shop) -> Arguments:
    shop.put(shop.log, "# Other\n")
    return ("check", "--ci")


@case(
    "log-uncommitted",
    f"info: {LOG} stands in the work tree and is not committed; it does not count yet",
    f"git add memory/{LOG}, and commit",
)
def _(shop: Shop) -> Arguments:
    shop.put(LOG, "# T\n")
    return ("check", "--ci")


@case(
    "not-a-file",
    f"warning: {LOG} has mode 120000; only ordinary files are read",
    "a link, a submodule or an executable is never a session log",
)
def _(shop: Shop) -> Arguments:
    (shop.home / LOG).symlink_to("../diurna.toml")
    shop.commit()
    return ("check", "--ci")


@case(
    "unreadable",
    "error: the bytes of sessions/2026-11/21/STEM.md (object COMMIT) are missing from the "
    "repository or damaged",
    "fetch them from a clone that has them; all other logs are read",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    shop.object_file(f"HEAD:memory/{shop.log}").unlink()
    return ("check", "--ci")


@case(
    "history-cut",
    "info: the history is shallow: what was done to logs before it begins was not checked",
    "git fetch --unshallow",
)
def _(shop: Shop) -> Arguments:
    shop.git("clone", "-q", "--depth", "1", f"file://{shop.path}", f"{shop.path}-clone")
    return ("check", "--ci", "--home", f"{shop.path}-clone")


@case(
    "history-rewritten",
    "error: the history of main was rewritten since COMMIT, without 1 log: STEM",
    "`diurna check --restore` adds them again",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    shop.run("append", "--title", "Second")
    assert shop.run("check", "--ci").code == 0
    shop.git("reset", "-q", "--hard", "HEAD~1")
    return ("check", "--ci")


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
    "`diurna conflicts use-x` shows them, `diurna conflicts use-x --choose SIDE` says which holds",
)(by_hand(born("- Never use X.\n  <!-- id: use-x -->\n", "use-x")))


case(
    "supersession-cycle",
    f"warning: {LOG}: b → a would close a circle; this edge is left out",
    "`diurna conflicts b --choose SIDE` says which of them holds",
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


case(
    "task-move",
    f"warning: {LOG}: use-x was moved to done and is of kind fact",
    "an update whose footer says `kind: task` makes it a task",
)(by_hand(f"{REFERENCES}- Moved: use-x → done\n"))


case(
    "no-evidence",
    f"warning: {LOG}: use-x is said to have helped, without evidence; that counts as a reference",
    "evidence is a command with its exit code, `pytest -q: exit 0`, or a place, `src/api.py:42`",
)(by_hand(f"{REFERENCES}- Helped: use-x (very much)\n"))


@case(
    "evidence-gone",
    f"warning: {LOG}: use-x is said to have helped at src/x.py:3, which is not at COMMIT",
    "the help still counts; `diurna why` tells who said it, and `--ignored` speaks against it",
)
def _(shop: Shop) -> Arguments:
    commit = shop.git("rev-parse", "HEAD").strip()
    text = f"---\nagent: a\ncommit: {commit[:12]}\n---\n{REFERENCES}- Helped: use-x (src/x.py:3)\n"
    return by_hand(text)(shop)


@case(
    "landed-unproven",
    "warning: sessions/2026-11/21/STEM.md: STEM is said to have landed in COMMIT (squash), "
    "which does not hold its work",
    "`diurna show STEM` tells who recorded it; where that commit is, the work counts as if it were",
)
def _(shop: Shop) -> Arguments:
    other = make_repository(shop.path.parent / "other")
    shop.monkeypatch.chdir(other.path)
    shop.run("init", "--branch", "memory")
    other.git("switch", "-qc", "feature/x")
    other.write("x.py", "x = 1\n")
    other.git("add", "-A")
    other.git("commit", "-q", "-m", "x")
    stem = shop.run("note", "decision: Use X.", "--json").json["stem"]
    other.git("switch", "-q", "main")
    commit = other.git("rev-parse", "HEAD").strip()
    said = f"# Forged\n\n{REFERENCES}- Landed: {stem} → {commit} (squash)\n"
    shop.run("append", "-", stdin=said.encode())
    return ("check", "--ci", "--home", str(other.path))


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


case("unknown-version", "info: sessions/2026-11-21-101500.md: use-x has no version 01234567 (yet)")(
    by_hand(
        f"{REFERENCES}- Updated: use-x (was {version_id('Use X.')}, 01234567)\n\n"
        "## Facts\n\n- Use X and Y.\n  <!-- id: use-x -->\n",
        "sessions/2026-11-21-101500.md",
    )
)


@case("note-line", "info: all 4 texts are recorded; 3 that matter most are read sooner")
def _(shop: Shop) -> Arguments:
    return (
        "note",
        "Logs are in UTC.",
        "The port is 8080.",
        "The cache is cold.",
        "Builds take a minute.",
    )


@case(
    "withheld-text",
    "diurna: append: the text of b says what was redacted here",
    "a redaction is for good; say what may be known in other words",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    shop.run("note", "id=a fact: The vault is below the stairs.")
    shop.run("redact", "a", "--reason", "Private.")
    return ("append", "--title", "Again", "--new", "id=b The vault is below the stairs!")


@case(
    "similar-fact",
    "warning: y is similar to `use-x` (100)",
    "say `--ref use-x` or `--update use-x TEXT` instead; where both are recorded, "
    "`diurna append --supersede y=use-x` makes one of them",
)
def _(shop: Shop) -> Arguments:
    return ("append", "--title", "Second", "--new", "id=y We use X.")


@case(
    "opposite-fact",
    'warning: use-spaces contradicts `use-tabs`: "spaces" against "tabs"',
    "if use-tabs is false now, say so: `diurna append --supersede use-tabs=use-spaces`",
)
def _(shop: Shop) -> Arguments:
    shop.run("append", "--new", "id=use-tabs Indent with tabs.")
    return ("append", "--title", "Third", "--new", "id=use-spaces Indent with spaces.")


@case(
    "relative-date",
    "info: moved says 'yesterday', which no reader can date",
    "say the day: 2026-11-20",
)
def _(shop: Shop) -> Arguments:
    return ("append", "--title", "Moved", "--new", "id=moved We moved to uv yesterday.")


@case(
    "no-such-file",
    "info: pay names src/pya.py, which is not there",
    "paths begin at the top of the repository; what is not written yet may be left as it is",
)
def _(shop: Shop) -> Arguments:
    return ("append", "--title", "Pay", "--new", "id=pay Sums are made in `src/pya.py`.")


@case(
    "until-unseen",
    "info: way: has code.py is true already",
    "it is seen once that was otherwise in between",
)
def _(shop: Shop) -> Arguments:
    return ("append", "--title", "Way", "--new", "id=way until='has code.py' There is one way.")


case(
    "personal-item",
    "error: a is only one person's (`personal: true`), and others share this home",
    "`diurna redact ID --reason WHY` withholds it; history still has it, and others may too",
    exit_code=1,
)(by_hand(born("- A.\n  <!-- id: a | personal: true -->\n")))


@case(
    "personal-log",
    "info: would be recorded in your own home by the log STEM: kudovo",
    "`--home personal` looks at it",
)
def _(shop: Shop) -> Arguments:
    shop.monkeypatch.setenv("XDG_DATA_HOME", str(shop.path.parent / "data"))
    assert shop.run("init", "--personal").code == 0
    return ("note", "--dry-run", "personal=true A cat.")
