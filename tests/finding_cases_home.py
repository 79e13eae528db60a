"""Findings about projections, the repository and secrets."""

from __future__ import annotations

import os

from tests.conftest import NOW_MS
from tests.finding_case import LOG, REFERENCES, Arguments, Prepare, Shop, by_hand, case

# ---- projection and repository --------------------------------------------------------------------


@case(
    "policy-invalid",
    "warning: diurna.toml:1: unknown key `bogus` (known here: format, project, publish, trunk, personal, "
    "push, windows, review, privacy, recall, capture, views, brief, commit, background, branches, learning, moment, upstream, kinds)",
    "the defaults are in force until it is mended and committed",
    also=("drift",),
)
def _(shop: Shop) -> Arguments:
    shop.put("diurna.toml", "bogus = 1\n")
    shop.commit()
    return ("check", "--ci")


@case(
    "policy-deprecated",
    'info: diurna.toml: `[capture] approve = "ask"` lets no fact wait any more; none comes in by itself',
    'say `facts = "off"` instead',
)
def _(shop: Shop) -> Arguments:
    policy = (shop.home / "diurna.toml").read_text()
    shop.put("diurna.toml", policy + 'approve = "ask"\n')  # its last table is [capture]
    shop.commit()
    return ("check", "--ci")


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
    return ("check", "--ci")


@case(
    "drift",
    "warning: continuity.md differs from the replay",
    "run `diurna check --publish`",
    exit_code=1,
)
def _(shop: Shop) -> Arguments:
    shop.run("append", "--title", "Second", "--new", "id=use-y Use Y.")
    return ("check", "--replay")


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
    return ("check", "--ci")


@case(
    "hand-edited",
    "warning: archive/INDEX.md was edited by hand; it was left as it is and not published",
    "record what the edit says with `diurna note TEXT`, and put it back as git has it; "
    "or `diurna check --publish --discard-edits` writes it anew and keeps this one beside git",
)
def _(shop: Shop) -> Arguments:
    shop.put("archive/INDEX.md", "# Archive\n")
    shop.commit()
    shop.put("archive/INDEX.md", "mine\n")
    return ("check", "--ci")


@case("absorbed", "info: the edit of continuity.md became the log STEM, Updated: use-x")
def _(shop: Shop) -> Arguments:
    shop.publish_when("append")
    text = (shop.home / "continuity.md").read_text()
    shop.put("continuity.md", text.replace("- Use X.", "- Use X or Y."))
    return ("append", "--title", "Next")


@case(
    "conflict-in-projection",
    "error: continuity.md:4: continuity.md holds a merge conflict marker",
    "`diurna check --publish` computes the file anew; both sides' logs count",
    exit_code=1,
    also=("hand-edited",),
)
def _(shop: Shop) -> Arguments:
    shop.put("continuity.md", "# Continuity — shop\n\nProse.\n<<<<<<< ours\n")
    shop.commit()
    return ("check", "--ci")


@case(
    "spool-waiting",
    "warning: 1 log waits to be committed: STEM",
    "the next Diurna command that writes commits what waits",
)
def _(shop: Shop) -> Arguments:
    shop.git("checkout", "-q", "--detach")
    assert shop.run("append", "--title", "Second").code == 1
    return ("check", "--ci")


@case(
    "index-busy",
    "warning: what was committed stands, and git's index could not follow: fatal: Unable to create "
    "'TOP/.git/index.lock': File exists.",
    "the next Diurna command that writes sets the entry; until then `git status` shows the file "
    "as deleted",
)
def _(shop: Shop) -> Arguments:
    for module in ("checkout_update", "checkout"):
        shop.monkeypatch.setattr(f"memory.worktree.{module}.INDEX_TRIES", 1)
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
    "fades-soon",
    "info: 1 fact fades within 5 work days, unless used: use-x",
    "`diurna status` names them; a log that uses one keeps it",
)
def _(shop: Shop) -> Arguments:
    policy = (shop.home / "diurna.toml").read_text()
    shorter = policy.replace("active_days  = 10", "active_days  = 4").replace("= 20", "= 8", 1)
    shop.put("diurna.toml", shorter.replace("archive_days = 30", "archive_days = 4"))
    shop.commit()
    shop.monkeypatch.setenv("DIURNA_NOW", str(NOW_MS + 86_400_000))
    return ("append", "--title", "Second")


@case(
    "unsigned", "info: commit.gpgsign is set, and the commit is not signed: the key did not answer"
)
def _(shop: Shop) -> Arguments:
    shop.git("config", "commit.gpgsign", "true")
    shop.git("config", "gpg.program", "false")
    return ("append", "--title", "Second")


# ---- secrets and personal data --------------------------------------------------------------------


#: Made up when the tests run, so that no scanner takes this file for a leak.
_TOKEN = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0" * 2


def linted(data: str) -> Prepare:
    """Commit a log that somebody wrote by hand, and lint."""
    prepare = by_hand(data)

    def prepared(shop: Shop) -> Arguments:
        prepare(shop)
        return ("check", "--ci")

    return prepared


case(
    "secret-found",
    f"error: {LOG}:3: a github-token: ghp_…(44)",
    "replace it where it is valid: git's history holds it for good; "
    "a line with `diurna: allow-secret` is none",
    exit_code=1,
)(linted(f"# T\n\nIt is {_TOKEN}.\n"))


case("secret-waived", f"info: {LOG}:3: 1 line looks like a secret and says that it is none")(
    linted(f"# T\n\nIt is {_TOKEN}, which is made up. <!-- diurna: allow-secret -->\n")
)


case(
    "personal-data",
    f"warning: {LOG}:3: the path of a home folder",
    'with `personal = "keep"` below [privacy] in diurna.toml nothing is said of these',
)(linted("# T\n\nIt is in /home/alice/shop.\n"))


case(
    "personal-statement",
    "warning: a reads as if it were about a person (the speaker), and others share this home",
    "`diurna redact a --reason WHY` withholds it; history still has it, and others may too",
)(linted(f"# T\n\n{REFERENCES}- Created: a\n\n## Facts\n\n- My knees hurt.\n  <!-- id: a -->\n"))


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
    "`diurna check --absorb` makes a log of it; `diurna check --absorb --dry-run` shows which",
)
def _(shop: Shop) -> Arguments:
    text = (shop.home / "continuity.md").read_text()
    shop.put("continuity.md", text.replace("- Use X.", "- Use X or Y."))
    return ("check", "--ci")


# ---- what memory has on a change of the code ------------------------------------------------------


def changed(fact: str, path: str, before: str, *after: str) -> Prepare:
    """Note a fact, commit a file, change it by commits of a branch, and ask about these."""

    def prepare(shop: Shop) -> Arguments:
        shop.put(f"../{path}", before)
        shop.commit()
        if fact:
            shop.run("note", fact)
        shop.git("switch", "-q", "-c", "feature")
        for text in after:
            shop.put(f"../{path}", text)
            shop.commit()
        return ("check", "--diff", "main...HEAD", *("--untold",) * (not fact))

    return prepare


_BODIES = "".join([f"def {name}():\n" + "    work(%d)\n" * 6 for name in ("pick_job", "park_job")])
_WORKED = [_BODIES % (*range(start, start + 12),) for start in (0, 12)]

case(
    "change-gone",
    "warning: code.py:1: gate names `PaymentGate`, which this takes away",
    "say what holds now, or that it is false: `diurna edit`, `diurna forget`",
)(
    changed(
        "id=gate Cards go through `PaymentGate`.", "code.py", "class PaymentGate:\n    pass\n", ""
    )
)

case(
    "change-breaks",
    "warning: ship.sh:1: uv (convention): Use uv, not pip. — this runs `pip install requests`",
)(changed("id=uv convention: Use uv, not pip.", "ship.sh", "\n", "pip install requests\n"))

case(
    "change-version",
    "warning: react says react 18; package.json says 19.0",
    "let the text say react 19.0",
)(changed("id=react The pages are built with react 18.", "package.json",
          '{"dependencies": {"react": "^18.2"}}', '{"dependencies": {"react": "^19.0"}}'))  # fmt: skip

case(
    "change-decided",
    "info: jobs.py:2: jobs (decision): `pick_job` and `park_job` share one store. — changed: pick_job, park_job",
)(changed("id=jobs decision: `pick_job` and `park_job` share one store.", "jobs.py", *_WORKED))

case(
    "change-ends",
    "info: pages ends with this: react >= 19 in package.json",
    "by commit COMMIT",
)(changed('id=pages until="version react >= 19 in package.json" Pages wait.', "package.json",
          '{"dependencies": {"react": "18.2"}}\n', '{"dependencies": {"react": "19.0"}}\n'))  # fmt: skip

case(
    "change-untold",
    "info: 5 commits, and no session log tells of them: record what was decided?",
    '`diurna note "decision: …"` records it',
)(changed("", "code.py", "", *["x = 1\n" * 120 + "y = 2\n" * many for many in range(5)]))
