"""`import ledger`: facts, footers and tiers as the pages of another tool show them, and counted on from there."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from tests.conftest import Repo, Run
from tests.web.homes import MERCURY, copy_memory

WINDOWS = {"working": 3, "active": 8, "archive": 20}
FOOTER = re.compile(r"^[> ]*<!-- (id: [^>]*) -->$", re.MULTILINE)
KINDS = ("in place", "branch", "elsewhere")


def write_ledger(folder: Path, files: dict[str, str]) -> Path:
    """Write a small ledger into `folder/memory`."""
    for name, text in files.items():
        path = folder / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "memory"


def footer(id: str, more: str = "uses: 1 | tier: active", created: str = "2026-01-01") -> str:
    """Write a footer as the reference tool does."""
    return f"  <!-- id: {id} | created: {created} | last_used: {created} | {more} -->\n"


def log(*references: str) -> str:
    """Write a session log with some bullets."""
    return "# Session\n\n## Memory References\n\n" + "".join(f"- {line}\n" for line in references)


def footers(*pages: Path) -> dict[str, dict[str, str]]:
    """Read the footers of pages as they stand there, by id."""
    found = {}
    for page in pages:
        for said in FOOTER.findall(page.read_text()):
            pairs = dict(part.split(": ", 1) for part in said.split(" | "))
            found[pairs["id"]] = pairs
    return found


def of_pages(memory: Path) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, str]]]:
    """Read what is live and what is archived on the pages of a memory folder."""
    live = [page for page in (memory / "continuity.md", memory / "vision.md") if page.exists()]
    return footers(*live), footers(*sorted((memory / "archive").glob("2*.md")))


def shown(run: Run, *home: str) -> dict[str, dict[str, object]]:
    """Return what the command line says of every fact, by id."""
    ids = [one["id"] for one in run("show", "--list", "--all", "--json", *home).json["facts"]]
    return {one["id"]: one for one in run("show", *ids, "--json", *home).json["facts"]}


def bring(repo: Repo, run: Run, kind: str, theirs: Path) -> None:
    """Bring a memory folder into a home of a kind, whose working directory is the repository."""
    if kind != "elsewhere":
        repo.git("add", "-A")
        repo.git("commit", "-qm", "theirs")
    if kind != "in place":
        made = ("--branch", "memory") if kind == "branch" else ("--folder", "memory")
        assert run("init", *made).code == 0
    before = {path: path.read_bytes() for path in theirs.rglob("sessions/**/*.md")}
    ran = run("import", "ledger", str(theirs), "--write")
    assert ran.code == 0, ran.err
    assert before == {path: path.read_bytes() for path in before}
    assert before.keys() == {path for path in theirs.rglob("sessions/**/*.md") if path in before}


def expected(
    said: dict[str, str], sessions: list[str], after: list[set[str]], open_: bool
) -> tuple[str, int]:
    """Work out tier and uses of a live fact from its footer, and which ids each later session named."""
    tier, uses, id = said["tier"], int(said["uses"]), said["id"]
    if tier == "core":
        return "core", uses + sum(id in named for named in after)
    behind = sum(day > said["last_used"] for day in sessions)
    low, high = {"working": (0, 3), "active": (0, 8), "archive-candidate": (9, 20)}[tier]
    idle, fresh = min(max(behind, low), high), tier == "working"
    for named in after:
        idle += 1
        if id in named:
            idle, uses, fresh = 0, uses + 1, False
    if fresh and idle <= WINDOWS["working"]:
        return "working", uses
    found = next(
        (name for name, most in (("active", 8), ("archive-candidate", 20)) if idle <= most),
        "archived",
    )
    return ("active" if open_ else found), uses


def check(run: Run, theirs: Path, after: list[set[str]]) -> None:
    """Hold every fact to the page that it came from, and to what was worked since."""
    live, archived = of_pages(theirs)
    days = sorted(path.name[:10] for path in theirs.rglob("sessions/**/*.md"))
    page = (theirs / "continuity.md").read_text() if (theirs / "continuity.md").exists() else ""
    here = shown(run)
    assert here.keys() == live.keys() | archived.keys()
    for id, said in live.items():
        box = re.search(rf"^- \[(.)\](?:(?!^- ).)*?<!-- id: {re.escape(id)} ", page, re.M | re.S)
        tier, uses = expected(said, days, after, bool(box and box[1] == " "))
        found = here[id]
        assert (found["tier"], found["uses"]) == (tier, uses), (said, found)
        assert found["created"] == said["created"]
        if not any(id in named for named in after):
            assert found["last_used"] == said["last_used"]
    for id, said in archived.items():
        found = here[id]
        if not any(id in named for named in after):
            assert found["tier"] == ("superseded" if said["tier"] == "superseded" else "archived")
            assert (found["created"], found["last_used"]) == (said["created"], said["last_used"])
            assert found["uses"] == int(said["uses"])


@pytest.mark.deep(reason="the made ledger of the other tests here is the small one")
@pytest.mark.skipif(not MERCURY.is_dir(), reason="the shared ledgers are not here")
@pytest.mark.deep(reason="what_was_counted_counts_on is the small one")
@pytest.mark.parametrize("kind", KINDS)
def test_the_real_ledger_is_as_its_pages_show_it(
    bare_repo: Repo, run: Run, tmp_path: Path, kind: str
) -> None:
    """All 80 facts, live and archived, and the tiers after 20 more sessions; a second import brings nothing."""
    theirs = copy_memory(MERCURY, tmp_path / "theirs" if kind == "elsewhere" else bare_repo.path)
    kept = copy_memory(MERCURY, tmp_path / "kept")
    bring(bare_repo, run, kind, theirs)
    check(run, kept, [])
    assert len(shown(run)) == 80
    assert "nothing new" in run("import", "ledger", str(theirs), "--write").out
    used = ["thread-set-config-plugin", "port-bottom-up-faithful", "bp-foundation-to-ui"]
    after = [{used[number % 3]} if number in (0, 7, 14, 16) else set[str]() for number in range(20)]
    for number, named in enumerate(after):
        used_here = [word for id in sorted(named) for word in ("--ref", id)]
        assert run("append", "--title", f"Session {number}", *used_here).code == 0
    check(run, kept, after)
    real = {path.name: path.read_bytes() for path in (MERCURY / "memory/sessions").iterdir()}
    assert real.items() <= {path.name: path.read_bytes() for path in theirs.rglob("*.md")}.items()


def small(folder: Path) -> Path:
    """Write a ledger of another tool with one of each thing that its pages can have."""
    days = [date(2026, 1, number).isoformat() for number in range(1, 29)]
    files = {f"sessions/{day}-101500.md": log("Referenced: used-one") for day in days}
    files["sessions/2026-01-28-111500.md"] = log("Updated: done-thread", "Created: used-one")
    files["decay-policy.md"] = "- working_window: 3\n- active_window: 8\n- archive_window: 20\n"
    late = "tier: {} | uses: {} | origin: 2026-01-02-101500.md"
    files["continuity.md"] = (
        "# Continuity — shop\n\n> A note of the tool. `<!-- id: kebab-id | uses: N -->`\n\n"
        "## Project State\n\n- **status:** a unicorn of words\n\n"
        "## Key Decisions\n\n- Used.\n" + footer("used-one", late.format("active", 28), "2026-01-02")
        + "\n- Idle, and the page is stale.\n" + footer("idle-one", late.format("active", 3), "2026-01-03")
        + "\n- Born lately.\n" + footer("young-one", "tier: working | uses: 4", "2026-01-10")
        + "\n- Nobody gave this a footer.\n\n"
        "## Conventions\n\n- First of a list.\n- Second,\n  in two lines.\n- Last.\n"
        + footer("listed-one", late.format("archive-candidate", 2), "2026-01-12")
        + "\n## Open Threads\n\n- [x] Done.\n" + footer("done-thread", "tier: working | uses: 1", "2026-01-27")
        + "- [ ] Open.\n" + footer("open-thread", "tier: working | uses: 5", "2026-01-02")
        + "\n## Team\n\nA paragraph <!-- with a comment --> of nobody.\n"
    )  # fmt: skip
    files["vision.md"] = (
        "# Vision\n\n> The north star.\n>\n> <!-- id: vision-shop | created: 2026-01-01 | "
        "last_used: 2026-01-01 | uses: 1 | tier: core -->\n\n## Pitch\n\nSell **everything**.\n\n## More\n\nNo.\n"
    )
    files["archive/2026-Q1.md"] = (
        "# Archive\n\n## 2026-01-20 — faded\n\n- Faded late.\n" + footer("away-one", created="2026-01-28")
        + "- Old.\n" + footer("old-one", "uses: 1 | tier: superseded | superseded-by: used-one")
    )  # fmt: skip
    files["archive/INDEX.md"] = "# Index\n\n- away-one — Faded late — faded — 2026-Q1.md\n"
    return write_ledger(folder, files)


@pytest.mark.deep(reason="what_was_counted_counts_on is the small one")
@pytest.mark.parametrize("kind", KINDS)
def test_a_ledger_stands_as_its_pages_show_it(
    bare_repo: Repo, run: Run, tmp_path: Path, kind: str
) -> None:
    """Facts, ids, tiers, uses and days; what has no footer is a fact of its section, or text of the log."""
    theirs = small(tmp_path / "theirs" if kind == "elsewhere" else bare_repo.path)
    kept = small(tmp_path / "kept")
    bring(bare_repo, run, kind, theirs)
    made = [one for one in shown(run).values() if one["text"] == "Nobody gave this a footer."]
    assert [(one["kind"], one["tier"]) for one in made] == [("decision", "working")]
    (kept / "vision.md").write_text((kept / "vision.md").read_text() + f"> <!-- id: {made[0]['id']} | "
        f"created: {made[0]['created']} | last_used: {made[0]['last_used']} | uses: 0 | tier: working -->\n")  # fmt: skip
    check(run, kept, [])
    here = shown(run)
    assert here["listed-one"]["text"] == (
        "Conventions:\n- First of a list.\n- Second,\n  in two lines.\n- Last."
    )
    assert here["vision-shop"]["text"] == "The north star.\n\nSell **everything**."
    assert {id: one["kind"] for id, one in here.items() if id.endswith(("thread", "shop"))} == {
        "done-thread": "thread", "open-thread": "thread", "vision-shop": "vision",
    }  # fmt: skip
    assert here["old-one"]["superseded_by"] == ["used-one"]
    (stem,) = [
        one["stem"] for one in run("log", "--json").json["sessions"] if one["type"] == "import"
    ]
    said = run("show", stem).out
    assert "> - **status:** a unicorn of words" in said and "comment --&gt;" not in said
    assert "> A paragraph &lt;!-- with a comment --> of nobody." in said and "kebab-id" not in said
    assert run("import", "ledger", str(theirs), "--json", "--write").json["facts"] == []
    after = [{"away-one"}, {"done-thread", "open-thread"}, set[str](), {"used-one"}]
    for number, named in enumerate(after):
        refs = [word for id in sorted(named) for word in ("--ref", id)]
        assert run("append", "--title", f"Session {number}", *refs).code == 0
    check(run, kept, after)
    assert shown(run)["away-one"]["tier"] == "active"
    assert run("check").code == 0


def test_what_was_counted_counts_on(bare_repo: Repo, run: Run) -> None:
    """A fact is as its page shows it, whatever the logs tell, until work names it; the pages are written anew."""
    logs = {f"sessions/2026-01-{day}-101500.md": log("Referenced: idle") for day in range(10, 22)}
    page = "# Continuity\n\n## Facts\n\n- Idle.\n" + footer("idle", "tier: active | uses: 7")
    page += "- Stays.\n" + footer("stays", "tier: working | uses: 3", "2026-01-02")
    theirs = write_ledger(bare_repo.path, {**logs, "continuity.md": page})
    bring(bare_repo, run, "in place", theirs)

    def standing() -> list[tuple[object, ...]]:
        found = run("show", "idle", "stays", "--json").json["facts"]
        return [(one["uses"], one["last_used"], one["tier"]) for one in found]

    assert standing() == [(7, "2026-01-01", "active"), (3, "2026-01-02", "working")]
    assert run("append", "--title", "T", "--ref", "stays").code == 0
    assert standing() == [(7, "2026-01-01", "archive-candidate"), (4, "2026-11-21", "active")]
    assert run("check", "--publish").code == 0
    assert footers(theirs / "continuity.md")["stays"]["uses"] == "4"


@pytest.mark.deep(reason="what_was_counted_counts_on is the small one")
def test_a_plan_and_a_refusal_change_nothing(bare_repo: Repo, run: Run, tmp_path: Path) -> None:
    """Nothing is written unasked, over what history has not, on a detached HEAD, or outside of git."""
    theirs = small(bare_repo.path)
    bare_repo.git("add", "memory/sessions")
    bare_repo.git("commit", "-qm", "some of it")
    before = bare_repo.shape()
    ran = run("import", "ledger", ".", "--write")
    assert ran.code == 1 and "not committed as it stands" in ran.err and bare_repo.shape() == before
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-qm", "all of it")
    before = bare_repo.shape()
    for words in ((), ("--dry-run",), ("--dry-run", "--write"), ("--json",)):
        ran = run("import", "ledger", "memory", *words)
        assert ran.code == 0 and bare_repo.shape() == before
    assert ran.json["dry_run"] and len(ran.json["facts"]) == 10 and ran.json["sessions"] == 29
    bare_repo.git("checkout", "-q", "--detach")
    ran = run("import", "ledger", ".", "--write")
    assert ran.code == 1 and "HEAD is detached" in ran.err and not (theirs / "diurna.toml").exists()
    bare_repo.git("checkout", "-q", "main")
    for folder, said in (
        (small(tmp_path / "alone"), "in no work tree"),
        (tmp_path, "holds no continuity.md"),
    ):
        ran = run("import", "ledger", str(folder), "--write")
        assert ran.code == 1 and said in ran.err
    assert run("import", "ledger").code == run("import", "ledger", "a", "b").code == 2


@pytest.mark.deep(reason="what_was_counted_counts_on is the small one")
def test_what_was_cut_short_is_finished(bare_repo: Repo, run: Run, tmp_path: Path) -> None:
    """The page of the other tool is written anew though its facts are known; a log of another name stays out."""
    theirs = small(bare_repo.path)
    page = (theirs / "continuity.md").read_text()
    bring(bare_repo, run, "in place", theirs)
    ours = (theirs / "continuity.md").read_text()
    (theirs / "continuity.md").write_text(page)
    bare_repo.git("commit", "-qam", "the page of before")
    assert "10 facts known already" in run("import", "ledger", ".", "--write").out
    assert (theirs / "continuity.md").read_text() == ours
    other = small(tmp_path / "other")
    (other / "sessions/2026-01-05-101500.md").write_text("# Another session\n")
    (other / "sessions/2026-01-06-101500.md").unlink()
    (other / "sessions/2026-01-06-101500.md").symlink_to(tmp_path / "nowhere")
    said = run("import", "ledger", str(other), "--json").json
    assert said["left_out"] == ["sessions/2026-01-06-101500.md", "sessions/2026-01-05-101500.md"]
    assert (said["arriving"], said["facts"]) == ([], [])
