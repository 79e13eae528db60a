"""Redaction (F9, L2, L3, fault:E7): what is withheld is said by no door, and kept nowhere beside git."""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from tests.asked_doors import Doors, leaks
from tests.world import COMMITTED, IN_TREE, OWN_BRANCH, OWN_REPOSITORY, Place, World

#: Words that stand nowhere else: in two texts of a fact, in the title, prose and remarks of a log, in the
#: footer of the fact, and beside its id.
TEXT, LATER, WORDS = "zanzibarquokka", "ultramarineferret", "heliotropemarmot"
NAMED, BESIDE = "vermilionpangolin", "cobaltcapybara"
TOKENS = (TEXT, LATER, WORDS, NAMED, BESIDE)
#: What spelling help would name if an index had it.
MISSPELLED = "zanzibarqoukka ultramarineferet heliotropemramot vermilionpangolim cobaltcapibara"
#: Of the first text: the beginning of its digest.
VERSION = hashlib.sha256(f"The code of the vault is {TEXT} for now.".encode()).hexdigest()[:8]
LOGS = (
    """# First

## Memory References

- Created: plain

## Facts

- Orders are kept a year.
  <!-- id: plain -->
""",
    f"""# The vault

## Memory References

- Created: vault (as {BESIDE} said)

## Facts

- [ ] The code of the vault is {TEXT} for now.
  <!-- id: vault | kind: thread | tags: safe, {NAMED} | entity: {NAMED} Vault | role: {NAMED} | serves: plain, {NAMED}! | source: told by {NAMED} | floor: {NAMED} -->
""",
    f"""# Again

## Memory References

- Updated: vault ({BESIDE})
- Referenced: plain

## Facts

- The code is {LATER} by now.
  <!-- id: vault | floor: {NAMED} 2 -->
""",
    f"# About {WORDS}\n\nWe saw the {WORDS} at noon.\n\nAnd left.\n\n## Memory References\n\n- Referenced: plain\n",
    f"""# After

## Memory References

- Referenced: vault (the password is {BESIDE})
- Verified: vault ({BESIDE})
- Created: old
- Superseded: old → vault ({BESIDE} has it)

## Facts

- It is kept on paper.
  <!-- id: old -->
""",
    "# Beyond\n\n## Memory References\n\n- Referenced: vault, plain (a remark that stays)\n",
)  # fmt: skip


class Told:
    """A ledger with a fact and a log that are to be redacted: the points of its past, and its doors."""

    def __init__(self, world: World, *, redacted: bool = False) -> None:
        make = (lambda apart: Told(apart).redact()) if redacted else _tell
        world.laid(f"a ledger of which something is redacted: {redacted}", make)
        self.home = world.place("told")
        self.stems = sorted(self.home.logs())
        world.clock.go(days=1)
        self.points = [self.stems[2], self.stems[3][:10], self.home.git("rev-parse", "HEAD")]

    def redact(self, *targets: str) -> None:
        """Redact the fact and the log."""
        self.home.run("redact", *(targets or ("vault", self.stems[3])), "--reason", "Private.")

    def doors(self, points: int = 3) -> Doors:
        """What is asked, at so many points of time."""
        return Doors(
            self.home, fact="vault", other="plain",
            stems=(self.stems[0], self.stems[1], self.stems[3]), points=self.points[:points],
            words=("code vault", MISSPELLED), names=("vermilionpangolim", "safe"),
            versions=(VERSION,),
        )  # fmt: skip

    def path(self, number: int) -> str:
        """Return where a log lies."""
        stem = self.stems[number]
        return f"sessions/{stem[:7]}/{stem[8:10]}/{stem}.md"


def _tell(world: World) -> None:
    """Make the ledger; all of it can be found there."""
    home = world.place("told").init(IN_TREE)
    home.set_policy(paced=False)
    slip = f"# Code\n\nThe vault is red.\n\nThe code of the vault is {TEXT} for now.\n"
    home.write("AGENTS.md", slip)
    home.commit_all("a slip")
    for log in LOGS:
        home.append(log)
    home.run("check", "--publish")
    assert all(home.run("recall", token, "--superseded").json["hits"] for token in TOKENS[:4])
    assert NAMED in home.text("show", "vault") and BESIDE in home.text("why", "vault")
    home.text("brief", "--task", TEXT)


@pytest.fixture
def told(world: World) -> Told:
    return Told(world)


@pytest.fixture
def redacted(world: World) -> Told:
    return Told(world, redacted=True)


@pytest.mark.deep(only="1")
@pytest.mark.parametrize("step", [90, 1])
def test_no_command_shows_what_is_redacted_at_any_point_of_time(redacted: Told, step: int) -> None:
    """Whatever is asked of a command that the registry names, on standard output or error (F9)."""
    lines = redacted.doors().lines()
    assert len(lines) > 100
    assert leaks(redacted.doors().commands(lines[::step]), TOKENS) == []


@pytest.fixture(scope="module")
def _mcp() -> None:
    pytest.importorskip("mcp")
    import_module("tests.mcp_clients")


@pytest.mark.deep(reason="no_method_of_memory_returns_it is the small one")
@pytest.mark.parametrize("points", [1, 3])
def test_no_tool_of_the_server_shows_it(_mcp: None, redacted: Told, points: int) -> None:
    """Each tool, with each of its parameters that can be about the past."""
    assert leaks(redacted.doors(points).tools(), TOKENS) == []


@pytest.mark.deep(only="3")
@pytest.mark.parametrize("points", [1, 3])
def test_no_method_of_memory_returns_it(redacted: Told, points: int) -> None:
    """The library's door withholds as the command line does."""
    said = list(redacted.doors(points).methods())
    assert {"state", "recall", "brief"} <= {door[0] for door, _ in said if isinstance(door, tuple)}
    assert leaks(iter(said), TOKENS) == []


@pytest.mark.deep(reason="no_method_of_memory_returns_it is the small one")
def test_no_export_holds_it(told: Told, tmp_path: Path) -> None:
    """Pages and notes that were written before lose it with the next export."""
    folder = tmp_path / "exports"
    assert leaks(told.doors().exports(folder), TOKENS), "what is not redacted is shown"
    told.redact()
    assert leaks(told.doors().exports(folder), TOKENS) == []


def test_spelling_help_knows_no_withheld_word(told: Told) -> None:
    """A word near a withheld one is looked for as it is; near one that may be shown, it is helped."""
    assert TEXT in told.home.run("recall", "zanzibarqoukka").out
    told.redact()
    for word in MISSPELLED.split():
        ran = told.home.run("recall", word)
        assert not [token for token in TOKENS if token in ran.out + ran.err]
    for point in told.points:
        assert told.home.run("recall", TEXT, "--as-of", point).json["hits"] == []


def test_what_holds_no_free_text_is_shown_of_a_redacted_fact(told: Told) -> None:
    """Id, kind, dates, counts and ids that it names, now and then; its entity is unknown, other remarks stay."""
    told.home.run("show", "--about", f"{NAMED} Vault")
    told.redact()
    for asked in ([], ["--as-of", told.points[0]]):
        out = told.home.run("show", "vault", *asked).json
        (fact,) = out.get("facts", [out])
        assert (fact["id"], fact["kind"], fact["text"]) == ("vault", "thread", "(redacted)")
        assert "plain" in str(fact) and told.stems[1][:10] in str(fact)
    for name in (f"{NAMED} Vault", "safe"):
        told.home.run("show", "--about", name, code=1)
    assert "a remark that stays" in told.home.text("why", "plain")
    assert "supersedes" in told.home.text("why", "vault").lower()


# ---- what comes after it, and whatever form it has -------------------------------------------------------


def test_what_is_said_of_it_later_is_withheld_too(redacted: Told) -> None:
    """By an update, with new keys and names, and a remark; said again, the redaction takes out its copies."""
    told = redacted
    token = "tangerinebadger"
    told.home.append(
        f"# More\n\n## Memory References\n\n- Updated: vault (see {token})\n- Referenced: vault (or {token})\n\n## Facts\n\n"
        f"- It is {token} now.\n  <!-- id: vault | tags: {token} | entity: {token} | cellar: {token} | supersedes: old, {token}! -->\n"
    )
    for line in (["show", "vault"], ["show"], ["why", "vault"], ["show", "--about"], ["recall", "open"], ["brief"],
                 ["status"], ["recall", token], ["brief", "--task", token]):  # fmt: skip
        ran = told.home.run(*line, code=None, json=False)
        assert token not in (ran.out + ran.err).replace(f"for: {token}", ""), line
    assert len(told.home.run("redact", "vault", "--reason", "Again.").json["events"]) == 1
    assert kept_with(told.home, token, *TOKENS) == []
    assert token not in told.home.read("memory/continuity.md")
    assert told.home.run("redact", "vault", "--reason", "Again.").json["already"]


#: Bullets that name a redacted id, as people write them; a word stands beside it.
BULLETS = (
    "- Referenced: vault (cobaltcapybara)",
    "- Referenced: plain, vault — cobaltcapybara",
    "- Verified: plain\n- Closed: vault (was 01234567)\n  (or cobaltcapybara, that\n  is)",
    "- Created:\n  - plain (it stays)\n  - vault (cobaltcapybara)",
    "- `vault` cobaltcapybara said so",
    "- Superseded: plain → vault — cobaltcapybara",
    "\nvault has the password cobaltcapybara.",
    "- Touched: vault, with cobaltcapybara",
    "- Referenced (cobaltcapybara): vault",
    "- Referenced: plain, vault says cobaltcapybara",
    "- Created:\n  - plain (it stays)\n  - The vault has cobaltcapybara!",
)


def test_no_bullet_keeps_a_word_beside_a_redacted_id(world: World) -> None:
    """However a person wrote it: neither the whole log nor a question shows it; other words stay on their lines."""
    home = world.home(OWN_REPOSITORY, facts={"vault": "Of old.", "plain": "Plain."})
    text = "# A\n\nIt went well.\n\n## Memory References\n\n- Referenced: plain (here)\n- Verified: vault\n{}\n\n## Facts\n\n- A text.\n  {}\n"
    footer = "<!-- id: vault | kind: fact | tags: cobaltcapybara, x | serves: plain -->"
    logs = {
        f"2026-05-{number:02}": text.format(one, footer) for number, one in enumerate(BULLETS, 1)
    }
    home.plant({f"sessions/{stem}.md": log for stem, log in logs.items()})
    assert BESIDE in str(home.run("recall", "--ids", "2026-05-01").json)
    home.run("redact", "vault", "--reason", "Private.")
    hits = home.run("recall", "--ids", ",".join(logs)).json["hits"]
    assert len(hits) == len(BULLETS)
    for hit, log in zip(hits, logs.values(), strict=True):
        assert BESIDE not in hit["text"] and "- A text." not in hit["text"]
        assert hit["text"].strip("\n").count("\n") == log.strip("\n").count("\n")
        assert "- Referenced: plain (here)\n" in hit["text"] and "It went well." in hit["text"]
        assert "id: vault" not in hit["text"] or "serves: plain" in hit["text"]
    assert home.run("recall", BESIDE).json["hits"] == []


TITLES = {
    "short": "hunter2",
    "long": "The keys of the vault lie under the gammaferret stone behind the deltamarmot mill.",
}
GONE = (
    "hunter2", "- hunter2", "  - [ ] hunter2", "- [x] hunter2", "[X] hunter2", "Task: hunter2", "Undo: hunter2",
    "The keys of the vault lie under…", "x: The keys of the vault lie un… (a)",
)  # fmt: skip
STAYS = (
    "hunter22",
    "- [ ] say hunter2",
    "A mill… The keys of the vault",
    "The keys of the vault are…",
    "Task: hunt",
)


def test_a_text_is_withheld_where_it_stands_alone_or_is_cut(world: World) -> None:
    """As a line, a bullet, a title that cuts it, also behind what was done; within a longer line it may be any word."""
    home = world.home(OWN_REPOSITORY)
    for id, text in TITLES.items():
        home.note(f"id={id} decision: {text}")
        if id == "short":
            home.run("undo")
    log = (
        "# {}\n\n"
        + "\n".join((*GONE, *STAYS))
        + "\n\n## Memory References\n\n- Referenced: short, long\n"
    )
    logs = {
        f"2026-05-{n:02}": log.format(line) for n, line in enumerate((*GONE[-3:], *STAYS[-2:]), 1)
    }
    home.plant({f"sessions/{stem}.md": text for stem, text in logs.items()})
    assert "hunter2" in home.text("log") and home.run("recall", "gammaferret").json["hits"]
    home.run("redact", *TITLES, "--reason", "Private.")
    shown = [
        hit["text"].split("\n") for hit in home.run("recall", "--ids", ",".join(logs)).json["hits"]
    ]
    for lines in shown:
        assert not set(lines) & set(GONE) and set(lines) >= set(STAYS)
    titles = [lines[0] for lines in shown]
    assert titles[:3] == ["", "", ""] and titles[3:] == [f"# {line}" for line in STAYS[-2:]]
    for words in (
        ["log"],
        ["recall", "gammaferet"],
        ["why", "short", "--versions"],
        ["why", "long"],
        ["undo", "--dry-run"],
    ):
        ran = home.run(*words, code=None, json=False)
        assert "gammaferret" not in ran.out + ran.err and "hunter2\n" not in ran.out, words
    assert kept_with(home, "gammaferret", "deltamarmot") == []


def test_what_held_a_text_is_named_by_stem_and_blob(world: World) -> None:
    """Anything else is refused before it is stored."""
    home = world.home(IN_TREE, facts={"a": "A text."})
    for held in ("no stem " + "0" * 40, "2026-05-02 " + "g" * 40, "2026-05-02 " + "0" * 39):
        log = f"# T\n\n## Memory References\n\n- Redacted: a\n\n## Facts\n\n- (redacted)\n  <!-- id: a | held: {held} -->\n"
        before = home.shape()
        ran = home.append(log, code=None)
        assert ran.code and home.shape() == before


# ---- what lies beside git ------------------------------------------------------------------------------


def packed_in(data: bytes) -> Iterator[bytes]:
    """Yield what a note of commits holds of whole objects, packed as hexadecimal."""
    for one in data.split(b"\0"):
        if len(one) > 40 and one[:4] == b"7801" and not one.strip(b"0123456789abcdef"):
            yield zlib.decompress(bytes.fromhex(one.decode()))


def kept_with(home: Place, *tokens: str) -> list[str]:
    """Return the files of Diurna's under a git directory, and its mirror, in which a token stands."""
    found = []
    git = home.common
    for path in sorted([*git.rglob("diurna*/**/*"), *(git.parent / ".memory").rglob("*")]):
        if path.is_file():
            data = path.read_bytes()
            texts = [data, *packed_in(data)]
            if any(token.encode() in text for token in tokens for text in texts):
                found.append(path.relative_to(git.parent).as_posix())
    return found


#: What sessions of hosts and people leave beside git, of which the last one is missed by nobody.
LEFT = {
    "observed/a": f'{{}}\n{{"said": "The code is {LATER} by now."}}\n{{}}\n',
    "captured/a": f'{{"items": [{{"text": "The code is {LATER} by now."}}, {{"text": "Kept."}}]}}',
    "candidates/a": f'{{"items": "The code is {LATER} by now.',
    "dropped/page.md": f"One.\nThe code is {LATER} by now.\nTwo.\n",
    "checkpoints/a": f"The code is {LATER} by now.",
}


def test_nothing_that_is_kept_beside_git_holds_it(told: Told) -> None:
    """Caches, index, briefs, copies in the spool, notes of faults, what was set aside or left half written."""
    git, state = told.home.common, told.home.common / "diurna"
    (state / "bug-1.log").write_text(
        f"Traceback\n  text='The code is {LATER} by now.'\nIt is kept on paper.\n"
    )
    for name, data in LEFT.items():
        (state / name).parent.mkdir(exist_ok=True)
        (state / name).write_text(data)
    (state / "stale").mkdir(exist_ok=True)
    told.home.run("recall", "anything")
    blob = told.home.git("rev-parse", f"HEAD:memory/{told.path(1)}")
    (state / "stale" / f"objects%2F{blob[:2]}%2F{blob[2:]}.17").write_bytes(b"damaged")
    for left in ("0.sqlite.1234.tmp", "1.sqlite-journal"):
        (state / "cache" / left).write_text(TEXT)
        os.utime(state / "cache" / left, (0, 0))
    before = kept_with(told.home, *TOKENS)
    for ending in (".sqlite", ".recall", ".tmp"):
        assert any(name.endswith(ending) for name in before), before
    assert any("kept/" in name for name in before), before
    told.redact()
    for command in (["show"], ["recall", "code"], ["brief"], ["status"]):
        told.home.text(*command)
        assert kept_with(told.home, *TOKENS) == []
    assert (state / "bug-1.log").read_text() == "Traceback\n(redacted)\nIt is kept on paper.\n"
    assert not list((git / "diurna/stale").iterdir())
    files = {name: (state / name).read_text() for name in LEFT if (state / name).exists()}
    assert [*files] == [*LEFT][:-1]
    assert files["captured/a"] == '{"items": [{"text": "Kept."}]}' and not files["candidates/a"]
    spaced = files["observed/a"]
    assert spaced.split() == ["{}", "(redacted)", "{}"] and len(spaced) == len(LEFT["observed/a"])
    assert files["dropped/page.md"] == "One.\n(redacted)\nTwo.\n"


def test_caches_of_other_branches_and_the_mirror_go_with_it(told: Told, world: World) -> None:
    """Whoever redacts in one work tree cleans what was kept for the branch of another; so does an own branch."""
    home, side = told.home, world.place("side")
    home.git("branch", "feature")
    home.git("worktree", "add", "-q", str(side.folder), "feature")
    assert LATER in side.text("show", "vault") and side.run("recall", LATER).json["hits"]
    told.redact()
    assert kept_with(home, *TOKENS) == []
    side.git("merge", "-q", "main")
    assert "(redacted)" in side.text("show", "vault") and kept_with(home, *TOKENS) == []


def test_the_mirror_is_cleaned_too(world: World) -> None:
    """An own branch that publishes by hand: what stood in the work tree."""
    home = world.home(
        OWN_BRANCH, facts={"vault": f"The code is {TEXT} for now."}, policy={"publish": "review"}
    )
    home.run("check", "--publish")
    assert any(name.startswith(".memory/") for name in kept_with(home, TEXT))
    home.run("redact", "vault", "--reason", "Private.")
    assert kept_with(home, TEXT) == []
    assert "(redacted)" in home.read(".memory/continuity.md")


@pytest.mark.deep(only="whole")
@pytest.mark.parametrize("most", [1, pytest.param(999, id="whole")])
def test_a_cleaning_that_was_killed_is_gone_on_with(told: Told, most: int) -> None:
    """At any step beside git: the next commands do the rest, also such as only read where the redaction is in git."""
    redact = ("redact", "vault", told.stems[3], "--reason", "Private.")
    steps = told.home.fork("counted").steps(*redact)
    cleaning = [number for number, line in enumerate(steps, 1) if "diurna/" in line]
    for step in cleaning[-2:-1] if most == 1 else cleaning:
        torn = told.home.fork(f"torn-{step}")
        torn.at_step(step, "die", *redact)
        for left in (torn.common / "diurna/cache").glob("*.tmp"):
            os.utime(left, (0, 0))  # a young one may be of a process that lives
        for _ in range(2):  # the first may leave what a lock was about to guard to the second
            assert "orders" in torn.text("show", "plain").lower()
        if not any(b"- Redacted: vault" in data for data in torn.logs().values()):
            torn.run(*redact)  # nothing was acknowledged, and it is not in git
            torn.note("id=next It goes on.")  # what waits is committed with it
        assert kept_with(torn, *TOKENS) == [], steps[step - 1]
        assert "(redacted)" in torn.text("show", "vault")


@pytest.mark.parametrize("way", ["sync", "pull"])
def test_a_redaction_cleans_the_other_clones_when_it_arrives(world: World, way: str) -> None:
    """By a sync, and by a plain `git pull`: the first command that reads the event."""
    one, two = world.team(IN_TREE, "two", facts={"vault": f"The code is {TEXT} for now."})
    assert two.run("recall", TEXT).json["hits"] and kept_with(two, TEXT)
    one.run("redact", "vault", "--reason", "Private.")
    one.sync()
    assert kept_with(one, TEXT) == []
    two.sync() if way == "sync" else two.git("pull", "-q", "--no-rebase", "origin", "main")
    assert two.run("recall", "code").json["hits"] == []
    assert kept_with(two, TEXT) == []


# ---- logs that may go, and others ------------------------------------------------------------------------


def errors(home: Place) -> set[str]:
    """Return the files that a check of the history names as faulty."""
    found = home.run("check", "--ci", code=None).json["findings"]
    return {one["file"] for one in found if one["severity"] == "error"}


@pytest.mark.deep(reason="a_redaction_of_other_bytes_allows_nothing is the small one")
def test_a_redacted_log_may_be_deleted_and_no_other(told: Told) -> None:
    """By a commit of its own as by a purge; what the redaction does not name is told and comes back."""
    home = told.home
    told.redact()
    for number in (1, 3, 4, 5):
        home.plant({told.path(number): None}, "gone")
        home.run("check", "--publish")
        assert errors(home) == ({told.path(5)} if number == 5 else set())
    home.run("check", "--restore")
    home.run("check", "--publish")
    assert errors(home) == set()
    assert not (home.folder / "memory" / told.path(1)).exists()


def test_a_redaction_of_other_bytes_allows_nothing(told: Told) -> None:
    """The event names a log by its stem and its bytes; a wrong blob id is no leave to delete it."""
    sly = f"# Sly\n\n## Memory References\n\n- Redacted: plain (held {told.stems[4]} {'0' * 40})\n"
    told.home.append(sly, code=None)
    told.home.plant({told.path(5): None}, "gone")
    told.home.run("check", "--publish")
    assert errors(told.home) == {told.path(5)}


def purged_by_hand(home: Place, blobs: Sequence[str], replace: str = "") -> None:
    """Rewrite the history as a person would with the files that `redact` named, and forget the old one."""
    rows = []
    for row in home.git("fast-export", "--no-data", "--all").split("\n"):
        words = row.split(" ", 3)
        if words[0] == "M" and words[2] in blobs:
            if not replace:
                continue
            text = re.sub(replace, "gone", home.git("cat-file", "blob", words[2])) + "\n"
            words[2] = home.git("hash-object", "-w", "--stdin", data=text.encode())
        rows.append(" ".join(words))
    home.git("fast-import", "--quiet", "--force", data="\n".join([*rows, ""]).encode())
    home.git("reset", "-q", "--hard")
    home.git("reflog", "expire", "--expire=now", "--all")
    home.git("gc", "-q", "--prune=now")


def objects_with(home: Place, *tokens: str) -> bool:
    """Tell whether a token stands in an object, reachable or not."""
    said = home.git_bytes("cat-file", "--batch", "--batch-all-objects", "--buffer")
    return any(token.encode() in said for token in tokens)


@pytest.mark.deep(reason="no_sync_brings_back_what_was_purged is the small one")
@pytest.mark.parametrize("replace", ["", f"{TEXT}|{LATER}"])
def test_a_purged_text_never_comes_back(told: Told, replace: str) -> None:
    """Redacted, taken out of the history, collected: no later command writes it again (fault:E7)."""
    home = told.home
    told.redact("vault")
    named = home.run("redact", "vault", "--reason", "Private.").json["git"]["files"]
    slip = home.git("rev-parse", "HEAD:AGENTS.md")  # outside the home: it is its author's to purge
    purged_by_hand(home, [*named, slip], replace)
    assert not objects_with(home, TEXT, LATER)
    for number in range(2):
        assert (
            "warning" not in home.run("append", "--title", f"Later {number}", "--ref", "plain").err
        )
        home.run("check", "--publish")
        assert errors(home) == set()
        home.git("gc", "-q", "--prune=now")
    assert "nothing to restore" in home.run("check", "--restore", json=False).err
    home.run("check", "--fix", code=None)
    for command in (
        ["show"],
        ["recall", "code vault"],
        ["log"],
        ["brief"],
        ["status"],
        ["review", "--yes"],
    ):
        home.text(*command)
    assert not objects_with(home, TEXT, LATER) and kept_with(home, TEXT, LATER) == []
    assert home.texts()["plain"] == "Orders are kept a year."


@pytest.mark.deep(reason="a_redaction_of_other_bytes_allows_nothing is the small one")
def test_only_the_logs_that_a_redaction_names_may_go(told: Told) -> None:
    """Another log that goes with them is an error as ever."""
    os.environ[COMMITTED] = ""
    told.redact()
    assert errors(told.home) == set()
    gone = told.home.git("rev-parse", f"HEAD:memory/{told.path(5)}")
    purged_by_hand(told.home, [gone])
    assert "history-rewritten" in told.home.check("--ci")


def test_no_sync_brings_back_what_was_purged(world: World) -> None:
    """A remote that has the old history still, or a clone with it: a person has to decide."""

    def make(apart: World) -> None:
        one, two = apart.team(IN_TREE, "two", facts={"plain": "Plain."})
        one.note(f"id=vault The code is {TEXT} for now.")
        one.sync()
        two.sync()
        blobs = one.run("redact", "vault", "--reason", "Private.").json["git"]["files"]
        one.sync()
        two.session("Mine", "--ref", "plain")
        purged_by_hand(one, blobs)

    world.laid("a purged clone, and one that is not", make)
    one, two = world.place("a"), world.place("two", "two")
    assert not objects_with(one, TEXT)
    hub = world.place("hub.git")
    for late in (one, two):
        if late is two:
            one.git("push", "-q", "--force", "origin", "main")
        before = late.git("rev-parse", "HEAD"), hub.git("rev-parse", "main")
        for options in ((), ("--adopt",)):
            ran = late.run("sync", *options, code=1)
            assert "was redacted and taken out of the history" in ran.err
        assert (late.git("rev-parse", "HEAD"), hub.git("rev-parse", "main")) == before
        assert "refs/diurna/lost" not in late.git("for-each-ref")
