"""Adoption of a real ledger: in place, nothing lost, and every difference said."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import DiurnaError
from ledger.model.event import FactCreated
from memory.api import Memory
from projection.policy.model import Review, Windows
from projection.policy.toml import read_policy
from rituals.check.check_runner import verify
from rituals.intake.adopt import adopted_files
from rituals.intake.adopt import read_facts as read
from rituals.intake.adopt.adoption import plan_adoption
from tests.bench import agent_memory

if TYPE_CHECKING:
    from tests.conftest import Repo, Run
from tests.small_ledgers import (
    MERCURY,
    PAGE,
    ROOT,
    adopt,
    footer,
    git,
    log,
    needs_mercury,
    place_mercury,
    tree_of,
    write_ledger,
)

# ---- the reference tool's footers ---------------------------------------------------------------


@needs_mercury
def test_the_command_prints_what_the_reference_tool_computes(run: Run) -> None:
    """All 27 footers of a real ledger are those of its own tool, value for value, as text."""
    expected = json.loads((MERCURY / "expected.json").read_text())["expected"]
    ran = run("adopt", str(MERCURY), "--compat", "--json")
    assert (ran.code, ran.json["format"], ran.err) == (0, 1, "")
    assert {fact.pop("id"): fact for fact in ran.json["facts"]} == expected
    lines = run("adopt", str(MERCURY), "--compat").out.splitlines()
    assert len(lines) == 27
    assert (
        "<!-- id: kebab-id | created: YYYY-MM-DD | last_used: YYYY-MM-DD | uses: N | tier: active -->"
        in lines
    )


@needs_mercury
def test_compat_loads_no_heavy_library() -> None:
    """The comparison of two tools starts neither pydantic nor pygit2 nor markdown-it."""
    code = (
        "import sys; from rituals.cli.app import main;"
        f"assert main(['adopt', {str(MERCURY)!r}, '--compat']) == 0;"
        "heavy = {'pydantic', 'pygit2', 'markdown_it', 'rapidfuzz', 'sqlite3'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_what_is_no_such_ledger_is_refused(run: Run, tmp_path: Path) -> None:
    """A folder without a ledger, and a missing one, exit with 1 and a hint."""
    for folder in (tmp_path, tmp_path / "missing"):
        for more in ([], ["--compat"]):
            ran = run("adopt", str(folder), *more)
            assert (ran.code, ran.out) == (1, "")
            assert "agent-memory layout" in ran.err
            assert "hint: " in ran.err


# ---- a real ledger ------------------------------------------------------------------------------


@needs_mercury
def test_a_committed_ledger_is_adopted_in_place(bare_repo: Repo, run: Run) -> None:
    """One commit; logs untouched, all texts there, cold equals warm, nothing of the user's moved."""
    place_mercury(bare_repo.path)
    bare_repo.git("add", "memory")
    bare_repo.git("commit", "-q", "-m", "memory of another tool")
    bare_repo.write("code.py", "print('edited')\n")
    bare_repo.write("staged.py", "1\n")
    bare_repo.git("add", "staged.py")
    before = bare_repo.git("status", "--porcelain", "-uall")
    ran = run("adopt", ".", "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["logs"], len(ran.json["facts"]), len(ran.json["commits"])) == (188, 85, 1)
    assert bare_repo.git("status", "--porcelain", "-uall") == before
    for path in sorted((MERCURY / "memory" / "sessions").iterdir()):
        name = f"memory/sessions/{path.name}"
        assert (bare_repo.path / name).read_bytes() == path.read_bytes()
    changed = bare_repo.git("diff", "--stat", "--name-status", "HEAD~1", "--", "memory/sessions")
    assert {line[0] for line in changed.splitlines()} == {"A"}
    shown = {fact["id"]: fact for fact in run("show", "--json").json["facts"]}
    facts, _ = read.facts(adopted_files.read(str(MERCURY)))
    assert len(facts) == 80
    for fact in facts:
        assert shown[fact.id]["text"] == fact.text
        assert shown[fact.id]["created"] == fact.created
        assert fact.origin in ("", shown[fact.id]["origin"])  # "": the log that says `Created`
    assert run("replay", "--check").code == 0
    memory = Memory.open(str(bare_repo.path))
    assert memory.drift() == ()
    cold, warm = memory.cold_state(), memory.state()
    assert cold.standings() == warm.standings()
    assert cold.summary == warm.summary
    assert not [one for one in verify(memory) if one.severity == "error"]
    memory.close()
    shape = bare_repo.shape()
    again = run("adopt", ".")
    assert (again.code, again.out) == (0, f"already adopted: {bare_repo.path}/memory\n")
    assert bare_repo.shape() == shape


@needs_mercury
def test_verify_finds_no_error_in_what_adopt_made(bare_repo: Repo, run: Run) -> None:
    """`diurna adopt` of a real ledger in git, then `diurna verify`: no error, and it goes on from there."""
    place_mercury(bare_repo.path)
    bare_repo.git("add", "memory")
    bare_repo.git("commit", "-q", "-m", "memory of another tool")
    ran = run("adopt", ".")
    assert ran.code == 0
    *steps, committed = ran.out.splitlines()
    assert steps[0] == "wrote memory/diurna.toml with the windows 3/8/20"
    assert committed == f"committed in {bare_repo.git('rev-parse', 'HEAD')[:7]} on main"
    assert ran.err.endswith("from now on `diurna append` writes the logs\n")
    checked = run("verify", "--json")
    assert (checked.code, checked.json["ok"]) == (0, True)
    assert not [one for one in checked.json["findings"] if one["severity"] == "error"]
    assert run("replay", "--check").code == 0
    assert run("append", "--title", "After", "--new", "decision: We moved here.").code == 0
    assert run("publish").code == 0
    assert run("verify").code == 0
    again = run("adopt", ".")
    assert (again.code, again.err) == (0, "")
    assert again.out == f"already adopted: {bare_repo.path}/memory\n"


@needs_mercury
def test_an_uncommitted_ledger_is_committed_as_it_is(bare_repo: Repo, run: Run) -> None:
    """The first commit keeps logs and pages byte for byte, the second adopts; no other file goes in."""
    place_mercury(bare_repo.path)
    head = bare_repo.git("rev-parse", "HEAD").strip()
    assert run("adopt", "memory").code == 0
    kept, adopted = bare_repo.git("rev-list", "--reverse", f"{head}..HEAD").split()
    names = bare_repo.git("ls-tree", "-r", "--name-only", kept).splitlines()
    assert len(names) == 1 + 188 + 3
    for name in names:
        if name.startswith("memory/"):
            data = subprocess.run(
                ["git", "-C", str(bare_repo.path), "show", f"{kept}:{name}"], capture_output=True
            ).stdout
            assert data == (MERCURY / name).read_bytes()
    assert bare_repo.git("status", "--porcelain", "-uall").splitlines() == [
        "?? memory/decay-policy.md",
        "?? memory/vision.md",
    ]
    assert bare_repo.git("log", "-1", "--format=%s", adopted).startswith("diurna: adopt")


@needs_mercury
def test_a_ledger_outside_of_git_gets_a_repository(tmp_path: Path, run: Run) -> None:
    """`git init` is part of the plan; with memory/ named itself the home is the repository's root."""
    above = place_mercury(tmp_path / "above")
    ran = run("adopt", str(above))
    assert ran.code == 0
    assert ran.out.startswith(f"made a git repository in {above}\n")
    assert (above / ".git").is_dir()
    assert 'publish = "trunk"' in (above / "memory" / "diurna.toml").read_text()
    assert 'trunk   = "main"' in (above / "memory" / "diurna.toml").read_text()
    within = place_mercury(tmp_path / "within") / "memory"
    assert run("adopt", str(within)).code == 0
    assert (within / ".git").is_dir()
    assert 'publish = "append"' in (within / "diurna.toml").read_text()
    for folder in (above, within):
        memory = Memory.open(str(folder))
        assert len(memory.state()) == 85
        assert not [one for one in verify(memory) if one.severity == "error"]
        memory.close()


@needs_mercury
@pytest.mark.parametrize("ground", ["committed", "uncommitted", "no repository"])
def test_a_dry_run_changes_nothing(tmp_path: Path, run: Run, ground: str) -> None:
    """It prints the plan and the differences; files, index, references stay as they are."""
    folder = place_mercury(tmp_path / "r")
    if ground != "no repository":
        git(folder, "init", "-q")
    if ground == "committed":
        git(folder, "add", ".")
        git(folder, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "-m", "base")
    files = tree_of(folder)
    inside = sorted(str(path) for path in folder.rglob(".git/**/*"))
    ran = run("adopt", str(folder), "--dry-run", "--json")
    assert ran.code == 0
    assert ran.json["steps"]
    assert (ran.json["commits"], ran.json["stems"], ran.json["dry_run"]) == ([], [], True)
    assert tree_of(folder) == files
    assert sorted(str(path) for path in folder.rglob(".git/**/*")) == inside
    assert (folder / ".git").exists() == (ground != "no repository")


#: (fact, field): the right value and the start of the reason, each checked by hand in the logs.
BY_HAND = {
    # the example in the header's quote
    ("kebab-id", "fact"): ("none", "a footer in code"),
    # 19 logs name it as an id behind a verb, from 2026-07-15-222242 to 2026-08-14-005444
    ("inv-never-couple-functions", "uses"): ("19", "the reference never counts what is core"),
    ("inv-never-couple-functions", "last_used"): ("2026-08-14", "the reference never updates"),
    # no references section has it: 2026-08-07-150018 names it in prose only
    ("thread-tutorial-14-decision-rust", "uses"): ("0", "no log names it"),
    # closed 2026-07-30-181400, the last log that names it, 42 logs before the end
    ("thread-release-4-11-0", "tier"): ("archived", "not named within the archive window"),
    # `- [ ]`, named twice, so never `working`
    ("bp-foundation-to-ui", "tier"): ("active", "an open thread is at least active"),
}


@needs_mercury
def test_every_difference_from_the_reference_has_its_reason(tmp_path: Path) -> None:
    """Differences checked by hand are listed with the right value; what is equal is not listed."""
    plan = plan_adoption(str(place_mercury(tmp_path)))
    listed = {(one.fact, one.field): one for one in plan.differences}
    assert len(listed) == len(plan.differences) == 17
    for key, (right, reason) in BY_HAND.items():
        assert listed[key].right == right
        assert listed[key].reason.startswith(reason)
    assert ("conventions-rust-baseline", "uses") not in listed  # 107 logs, and 107 it is
    assert ("port-bottom-up-faithful", "tier") not in listed
    assert {one.finding.code for one in plan.differences} == {"adopt-differs"}


# ---- what counts, by small ledgers --------------------------------------------------------------


CASES = [
    (["Referenced: b-c (see a-b)"], "1", "0", "1 x a remark in parentheses"),
    (["(none, a-b unchanged)"], "1", "0", "1 x behind `(none …)`"),
    (["Referenced: xa-b"], "0", "0", ""),
    (["Referenced: xA-a-b"], "1", "0", ""),
    (["Superseded: a-b → b-c"], "1", "0", ""),
    (["Archived: a-b"], "1", "0", "1 x under a verb that is no use"),
    (["Referenced: `a-b`", "Updated: [[a-b]]"], "1", "1", ""),
]


@pytest.mark.parametrize(("bullets", "reference", "right", "reason"), CASES)
def test_why_counts_differ(
    tmp_path: Path, bullets: list[str], reference: str, right: str, reason: str
) -> None:
    """Each rule of the table is named as the reason where it is the reason."""
    files = {
        "continuity.md": "## Key Decisions\n\n- a\n" + footer("a-b", "uses: 0 | tier: active")
        + "- b\n" + footer("b-c"),
        "sessions/2026-01-01-000000.md": log(*bullets),
    }  # fmt: skip
    plan = plan_adoption(str(write_ledger(tmp_path, files)))
    found = {one.field: one for one in plan.differences if one.fact == "a-b"}
    uses = found.get("uses")
    assert (uses.reference if uses else right) == (reference if uses else right)
    assert (uses.right if uses else reference) == right
    if reason:
        assert uses is not None
        assert uses.reason == reason


def test_a_heading_with_a_suffix_and_an_id_with_dots_count(tmp_path: Path) -> None:
    """What the reference does not see counts, and the reason is said."""
    files = {
        "continuity.md": "## Key Decisions\n\n- a\n" + footer("a-b") + "- r\n" + footer("rel-4.6"),
        "sessions/2026-01-01-000000.md": log("Referenced: rel-4.6")
        + "\n## Memory References (addendum)\n\n- Referenced: a-b\n",
        "sessions/2026-01-02-000000.md": log("Referenced: a-b"),
        "sessions/README.md": log("Referenced: a-b"),
    }
    plan = plan_adoption(str(write_ledger(tmp_path, files)))
    uses = {one.fact: one for one in plan.differences if one.field == "uses"}
    assert "a-b" not in uses  # one too few by the suffix, one too many by the README: both say 2
    assert [entry.stem for entry in plan.entries] == ["2026-01-01-000000", "2026-01-02-000000"]
    (tmp_path / "memory/sessions/README.md").unlink()
    plan = plan_adoption(str(tmp_path))
    uses = {one.fact: one for one in plan.differences if one.field == "uses"}
    assert (uses["a-b"].reference, uses["a-b"].right) == ("1", "2")
    assert uses["a-b"].reason == "1 x a second references section"


def test_why_a_tier_is_another_one(tmp_path: Path) -> None:
    """Files that are no logs make a fact older in the reference; or the newest log that names it is another."""
    ids = {"more-files": "active", "other-days": "active"}
    files = {
        "continuity.md": "## Key Decisions\n\n"
        + "".join(f"- {id}\n{footer(id, 'uses: 0 | tier: active')}" for id in ids),
        "decay-policy.md": "working_window: 0\nactive_window: 2\narchive_window: 9\n",
        "sessions/2026-01-01-000000.md": log("Referenced: more-files, other-days"),
        "sessions/2026-01-02-000000.md": log("(none, other-days unchanged)"),
        "sessions/2026-01-03-000000.md": log("Referenced: more-files"),
        "sessions/2026-01-05-000000.md": log()
        + "\n## Memory References (addendum)\n\n- Referenced: other-days\n",
        "sessions/NOTES.md": "# Notes\n",
        "sessions/README.md": "# What is here\n",
    }  # fmt: skip
    plan = plan_adoption(str(write_ledger(tmp_path, files)))
    tiers = {one.fact: one for one in plan.differences if one.field == "tier"}
    assert {id: one.right for id, one in tiers.items()} == ids
    assert tiers["more-files"].reason == "6 files are 4 work logs"
    assert tiers["other-days"].reason == "by the other count"


def test_what_the_file_knows_beside_the_texts_comes_in(tmp_path: Path) -> None:
    """Core, false and closed facts, kinds, unknown footer keys, two texts of one id."""
    files = {
        "continuity.md": "# Continuity — shop\n\n## Architectural Invariants\n\n- i\n"
        + footer("inv-a", "uses: 1 | tier: core")
        + "## Key Decisions\n\n- core\n" + footer("dec-core", "uses: 1 | tier: core | owner: ada")
        + "- twice, live\n" + footer("dec-twice")
        + "## Open Threads\n\n- [ ] open\n" + footer("thr-open") + "- [x] done\n"
        + footer("thr-done", "uses: 1 | tier: active | serves: vision-x"),
        "archive/2026-Q1.md": "\n## Faded\n\n- old\n"
        + footer("dec-old", "uses: 1 | tier: superseded | superseded-by: dec-core")
        + "- wrong\n" + footer("dec-wrong", "uses: 1 | tier: active")
        + "- gone\n" + footer("dec-gone", "uses: 1 | tier: superseded")
        + "- twice, archived\n" + footer("dec-twice"),
        "archive/INDEX.md": "# Archive Index\n\n- dec-wrong — wrong — invalidated (Ada) — 2026-Q1.md\n",
        "decay-policy.md": "working_window: 2\nactive_window: 5\narchive_window: 9\n"
        "- review_every: 7\n- continuity_max_facts: 31\n",
        "sessions/2026-01-01-000000.md": log("Created: thr-open", "Closed: thr-open, thr-done"),
        "sessions/2026-01-02-000000.md": log("Reopened: thr-done"),
    }  # fmt: skip
    plan, memory = adopt(write_ledger(tmp_path, files))
    state = memory.state()
    assert state["inv-a"].tier == "core"
    assert not state["inv-a"].fact.promoted
    assert state["dec-core"].fact.promoted
    assert dict(state["dec-core"].fact.meta) == {"owner": "ada"}
    assert state["dec-old"].fact.superseded_by == ("dec-core",)
    assert state["dec-wrong"].reason == "invalidated"
    assert state["dec-gone"].reason == "invalidated"
    twice = state["dec-twice"].fact
    assert [version.text for version in twice.heads] == ["twice, live", "twice, archived"]
    assert len(plan.imports) == 2
    assert not state["thr-open"].fact.closed
    assert state["thr-done"].fact.closed
    assert state["thr-open"].fact.origin == "2026-01-01-000000"
    said = [step for step in plan.steps if step.startswith(("close ", "reopen "))]
    assert said == [
        "close thr-done: continuity.md ticks it, and the logs reopened it",
        "reopen thr-open: continuity.md shows it open, and the logs closed it",
    ]
    policy = read_policy((tmp_path / "memory" / "diurna.toml").read_bytes())
    assert (policy.project, policy.windows) == ("shop", Windows(2, 5, 9))
    assert policy.review == Review(every=7, max_facts=31)
    codes = {one.code for one in verify(memory) if one.severity == "error"}
    assert not codes
    assert "contradiction" in {one.code for one in memory.state().findings()}
    memory.close()


def test_text_without_a_footer_does_not_vanish(tmp_path: Path) -> None:
    """It becomes facts of their section's kind; header, template notes and `(none …)` do not."""
    plan, memory = adopt(write_ledger(tmp_path, {"continuity.md": PAGE}))
    state = memory.state()
    found = {id: (state[id].fact.kind, state[id].fact.text) for id in state}
    assert found == {
        "dec-one": ("decision", "One with a footer."),
        "project-state": (
            "fact",
            "**Project State**\n\n- **status:** alpha\n- **repo:** here\n\nSeeded from a prototype.",
        ),
        "stack-and-tools": ("stack", "Python 3.11."),
        "rinusi": (
            "decision", "A decision nobody gave a footer.\nIt has a second line.",
        ),
        "revadu": ("decision", "The id is wrong."),
        "giruro": ("thread", "An open thread without a footer."),
    }  # fmt: skip
    said = [step for step in plan.steps if "which has no footer" in step]
    assert said[0] == "import continuity.md:10, which has no footer, as `project-state` (fact)"
    assert len(said) == 5
    assert "One with a footer." in (tmp_path / "memory" / "continuity.md").read_text()
    memory.close()


# ---- laws ---------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=8)
@given(
    st.integers(min_value=0, max_value=40),
    st.integers(min_value=1, max_value=60),
    st.integers(min_value=0, max_value=10**6),
    st.booleans(),
)
def test_no_adoption_loses_a_log_or_a_text(logs: int, facts: int, seed: int, in_git: bool) -> None:
    """Whatever the ledger: logs keep their bytes, every text stands, cold equals warm."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        agent_memory.generate(folder, logs, facts, seed)
        if in_git:
            git(folder, "init", "-q")
        before = tree_of(folder / "memory" / "sessions")
        known, _ = read.facts(adopted_files.read(directory))
        plan, memory = adopt(folder)
        after = tree_of(folder / "memory" / "sessions")
        assert {name: after[name] for name in before} == before
        tip = git(folder, "ls-tree", "-r", "--name-only", "HEAD", "memory/sessions").splitlines()
        assert len(tip) == logs + len(plan.imports) + len(plan.past)
        state = memory.state()
        for fact in known:
            assert fact.text in [version.text for version in state[fact.id].fact.heads]
        assert memory.cold_state().standings() == state.standings()
        assert memory.drift() == ()
        assert plan_adoption(directory).already
        memory.close()


UNITS = st.lists(
    st.sampled_from(
        ["- w{n}\n", "  - w{n}\n", "  w{n}\n", "w{n}\n", "\n", "> w{n}\n", "- [ ] w{n}\n", "## W w{n}\n",
         "```\nw{n}\n```\n", "- w{n}\n  ```\n  w{n}\n", "~~~ w{n}\n", "| w{n} |\n", "1. w{n}\n",
         "  <!-- id: f{n} | uses: 1 | tier: active -->\n", "w{n} <!-- id: G {n} | uses: 1 -->\n",
         "<!-- id: h{n} | a: b\n", "<!-- open w{n}\n", "    w{n}\n", "### Open Threads\n", "---\n",
         "## Key Decisions\n", "## Project State\n", "- [x] w{n}\n<!-- id: k{n} | tier: core -->\n",
         "- x{n}\n- w{n}\n  <!-- id: same-id | uses: 1 -->\n", "\tw{n}\n", "  # w{n}\n", "<w{n}>\n"]
    ),
    max_size=24,
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(UNITS, UNITS)
def test_every_word_of_the_pages_enters_the_ledger(live: list[str], archived: list[str]) -> None:
    """No order of structures makes a word of the replaced pages vanish, or makes a log refused."""
    with tempfile.TemporaryDirectory() as directory:
        pages = [
            "## Start\n"
            + "".join(unit.replace("{n}", f"{name}{n}") for n, unit in enumerate(units))
            for name, units in (("a", live), ("b", archived))
        ]
        write_ledger(Path(directory), {"continuity.md": pages[0], "archive/2026-Q1.md": pages[1]})
        plan = plan_adoption(directory)
        texts = "\n".join(
            event.text or ""
            for events in plan.imports
            for event in events
            if isinstance(event, FactCreated)
        )
        for name, units in (("a", live), ("b", archived)):
            for n, unit in enumerate(units):
                if "w{n}" in unit and not unit.startswith(("#", "  #")):
                    assert f"w{name}{n}" in texts, (unit, pages, texts)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=200))
def test_no_page_is_too_odd(text: str) -> None:
    """Whatever the page holds, there is a plan, or a refusal that says why."""
    with tempfile.TemporaryDirectory() as directory:
        page = "## Key Decisions\n\n- " + text + "\n" + footer("a-b")
        (Path(directory) / "sessions").mkdir()
        (Path(directory) / "continuity.md").write_bytes(page.encode("utf-8", "replace"))
        try:
            plan_adoption(directory)
        except DiurnaError as refusal:
            raise AssertionError(refusal) from refusal


def test_many_facts_are_brought_by_several_logs(tmp_path: Path) -> None:
    """No import log is over the limits; the parts bring everything, in one order."""
    blocks = [f"- {'word ' * 400}{n}\n" + footer(f"fact-{n:04}") for n in range(900)]
    long_line = "- " + "x" * 200_000 + "\n" + footer("fact-long")
    files = {"continuity.md": "## Key Decisions\n\n" + "".join(blocks) + long_line}
    plan, memory = adopt(write_ledger(tmp_path / "once", files))
    assert len(plan.imports) == 4
    state = memory.state()
    assert len(state) == 901
    assert state["fact-long"].fact.text.replace("\n", "") == "x" * 200_000
    again = plan_adoption(str(write_ledger(tmp_path / "again", files)))
    assert again.imports == plan.imports
    memory.close()


def test_what_was_noticed_is_said_by_kind_in_few_lines(tmp_path: Path, run: Run) -> None:
    """At most 15 lines, each kind with its count and examples; `-v` and JSON have every one of them."""
    page = "## Key Decisions\n\n" + "".join(
        f"- Fact {n}.\n{footer(f'fact-{n}')}" for n in range(40)
    )
    write_ledger(tmp_path, {
        "continuity.md": page + "- No. <!-- id: Not An Id | uses: 1 -->\n",
        "sessions/2026-01-01-090000.md": log(*["Referenced: Stack & Tools, nobody-knows"] * 9),
        "sessions/2026-01-02-090000.md": log("Referenced: The stack", "Referenced: who-is-this"),
        "sessions/2026-01-03.md": log("Fiddled: fact-1"),
    })  # fmt: skip
    ran = run("adopt", str(tmp_path), "--dry-run")
    lines = ran.err.splitlines()
    assert 3 < len(lines) <= 15
    assert (
        "warning: 10 names are not fact ids, and skipped: Stack & Tools (9 times), The stack"
        in lines
    )
    assert (
        "warning: 2 ids are named, and no page has a text for them: nobody-knows, who-is-this"
        in lines
    )
    assert "warning: continuity.md:83: 'Not An Id' is no fact id; not imported" in lines
    assert lines[-1].startswith("hint: -v names each")
    found = run("adopt", str(tmp_path), "--dry-run", "--json").json["findings"]
    full = run("adopt", str(tmp_path), "--dry-run", "-v").err
    assert len(found) > 50
    assert all(one["message"] in full for one in found)


def test_of_many_steps_of_one_sort_a_few_are_said(tmp_path: Path, run: Run) -> None:
    """Each passage without a footer is a step; `-v` and JSON have all of them."""
    page = "".join(f"## Notes {n}\n\nThe port of service {n} is {8000 + n}.\n\n" for n in range(9))
    write_ledger(tmp_path, {
        "continuity.md": f"## Key Decisions\n\n- Fact.\n{footer('fact-1')}\n{page}",
        "sessions/2026-01-01-090000.md": log("Referenced: fact-1"),
    })  # fmt: skip
    said = run("adopt", str(tmp_path), "--dry-run").out
    assert said.count("which has no footer") == 5
    assert "and 4 more like these (-v names each)" in said.splitlines()
    assert run("adopt", str(tmp_path), "--dry-run", "-v").out.count("which has no footer") == 9
