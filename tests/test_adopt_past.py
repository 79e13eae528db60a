"""The past of an adopted ledger: what its pages said before, by the commits that wrote it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.codec.log import canonical, entry_of
from ledger.codec.validate import problems
from ledger.model.event import FactArchived, FactCreated, FactUpdated
from ledger.model.logset import LogRef
from ledger.model.order import milliseconds_of
from ledger.model.session import SessionLog
from memory.api import Memory
from memory.replay.replayed_state import state_from
from projection.fold.fact_history import Fact
from projection.policy.model import CLOSABLE, Policy
from rituals.check.check_runner import verify
from rituals.intake.adopt import page_versions
from rituals.intake.adopt.adopted_past import (
    CHECK,
    REVIEW,
    Held,
    _of_commit,
    _of_rituals,
    confirmed,
    held_by,
    held_in,
    past_of,
)
from rituals.intake.adopt.adoption import plan_adoption
from rituals.intake.adopt.import_logs import events_of, said_by
from rituals.intake.adopt.page_versions import PageCommit, PageReader
from rituals.intake.adopt.read_facts import FactPage, ImportedFact
from tests.conftest import each_row
from tests.replayed_pages import replay_pages
from tests.small_ledgers import MERCURY, adopt, git, needs_mercury, write_ledger

if TYPE_CHECKING:
    from tests.conftest import Run

RETRY = "- Webhooks retry {}.\n  <!-- id: webhook-retry | created: 2026-05-02 | uses: 1 | tier: active -->\n"
THREAD = "- [{}] Ask about the limits.\n  <!-- id: ask-limits | created: 2026-05-03 | uses: 1 -->\n"
GONE = "- A fact that went.\n  <!-- id: it-went | created: 2026-05-03 | uses: 1 -->\n"
REVIEWED = "## Project State\n\n- **last_review:** 2026-05-04 | through 2026-05-04-090000.md\n\n"
LOG = "# Session\n\n**Agent:** Claude Code (Opus)\n\nWe worked.\n\n## Memory References\n\n- {}\n"


def _page(*facts: str, more: str = "") -> str:
    threads = "".join(one for one in facts if one.startswith("- ["))
    return (
        "# Continuity — shop\n\n" + more + "## Key Decisions\n\n"
        + "".join(one for one in facts if not one.startswith("- ["))
        + (f"\n## Open Threads\n\n{threads}" if threads else "")
    )  # fmt: skip


def _commit(folder: Path, day: str, subject: str, author: str = "Ann") -> str:
    """Commit all that is there at noon of a day."""
    when = f"{day}T12:00:00Z"
    who = {"GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "Bob",
           "GIT_COMMITTER_EMAIL": "b@b", "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}  # fmt: skip
    git(folder, "add", "-A")
    subprocess.run(
        ["git", "-C", str(folder), "commit", "-q", "--allow-empty", "-m", subject],
        env={**os.environ, **who}, check=True,
    )  # fmt: skip
    return git(folder, "rev-parse", "HEAD").strip()


def _grown(folder: Path) -> Path:
    """Make a ledger whose page grew by five commits in another folder's name, and is edited now."""
    git_folder = folder
    git_folder.mkdir(exist_ok=True)
    git(git_folder, "init", "-q", "-b", "main")
    folder = git_folder / "old"
    write_ledger(folder, {
        "continuity.md": _page(RETRY.format("twice")),
        "sessions/2026-05-02-090000.md": LOG.format("Created: webhook-retry"),
    })  # fmt: skip
    _commit(git_folder, "2026-05-02", "Retries")
    write_ledger(folder, {
        "continuity.md": _page(RETRY.format("twice"), GONE, THREAD.format(" ")),
        "sessions/2026-05-03-090000.md": LOG.format("Created: ask-limits, it-went"),
    })  # fmt: skip
    _commit(git_folder, "2026-05-03", "Ask", "Cid")
    git(git_folder, "mv", "old/memory", "memory")
    _commit(git_folder, "2026-05-04", "move the memory")
    page = _page(RETRY.format("three times"), THREAD.format("x"), more=REVIEWED)
    write_ledger(git_folder, {
        "continuity.md": page,
        "sessions/2026-05-04-090000.md": LOG.format("Referenced: webhook-retry"),
        "sessions/2026-05-06-090000.md": LOG.format("Referenced: it-went"),
    })  # fmt: skip
    _commit(
        git_folder,
        "2026-05-05",
        "More retries, token=" + "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    )
    return git_folder


def test_texts_bear_the_time_and_the_author_of_the_commits_that_wrote_them(
    tmp_path: Path, run: Run
) -> None:
    """`history`, `why`, `show --as-of` and `diff` reach back, across the rename of the folder."""
    folder = _grown(tmp_path)
    ran = run("adopt", str(folder))
    assert ran.code == 0, ran.err
    assert (
        "brought what they said before, 4 texts by 3 commits since 2026-05-02, each at its time and by "
        "its author" in ran.out.replace("\n", " ")
    )
    home = ("--home", str(folder / "memory"))
    told = run("why", "--versions", "webhook-retry", "--json", *home).json
    assert [(one["agent"], one["date"][:10]) for one in told["versions"]] == [
        ("Ann", "2026-05-02"), ("Ann", "2026-05-05"),
    ]  # fmt: skip
    then = run("show", "webhook-retry", "--as-of", "2026-05-04", *home).out
    assert "retry twice" in then
    assert "retry three times" in run("show", "webhook-retry", *home).out
    assert "- [ ] Ask" in run("show", "ask-limits", "--as-of", "2026-05-04", *home).out
    assert "- [x] Ask" in run("show", "ask-limits", *home).out
    changed = run("diff", "2026-05-04", *home).out
    assert "corrected webhook-retry (new text)" in changed
    assert "learned   ask-limits" not in changed
    assert "by Cid" in run("why", "ask-limits", *home).out
    steps = run("why", "ask-limits", "--json", *home).json["events"]
    past = next(one for one in steps if one["version"])
    asked = git(folder, "log", "--format=%H", "--author=Cid").strip()
    assert past["commit"] and asked.startswith(
        past["commit"]
    )  # the true one, not that of the adoption
    assert (past["author"], past["via"]) == ("Cid", "adoption")
    gone = run("show", "it-went", "--json", *home).json["facts"][0]
    assert (gone["text"], gone["reason"]) == ("A fact that went.", "archived")
    listed = run("log", "--json", *home).json["sessions"]
    assert [one["agent"] for one in listed if one["type"] == "work"] == ["Claude Code"] * 4
    assert [one["title"] for one in listed if one["type"] == "work"] == ["We worked"] * 4
    assert not [one for one in listed if "ghp_" in one["title"]]
    review = [one for one in listed if one["type"] == "review"]
    assert [(one["stem"][:20], one["agent"]) for one in review] == [
        ("2026-05-04-090000001", "Claude Code")
    ]
    assert run("status", *home).out.count("1 since the last") == 1
    assert run("replay", "--check", *home).code == 0


def _told(fact: Fact) -> tuple[object, ...]:
    return (
        fact.id, fact.kind, {one.text for one in fact.heads}, fact.meta, fact.created, fact.origin[:20],
        fact.last_used, fact.uses, fact.closed, fact.superseded_by, fact.invalidated_at[:0],
        fact.promoted, fact.contradicted,
    )  # fmt: skip


def _compared(memory: Memory, plain: Memory) -> None:
    """Hold the state of a ledger that was adopted with its past to that without it."""
    with_past, without = memory.state(), plain.state()
    assert with_past.summary.sessions == without.summary.sessions
    for before in without.standings():
        after = with_past[before.fact.id]
        assert _told(after.fact) == _told(before.fact)
        assert after[1:] == before[1:]  # tier, reason, page
    away = [one for one in with_past.standings() if one.fact.id not in without]
    assert all(one.reason == "archived" for one in away)  # and these no page has any more
    assert memory.cold_state().standings() == with_past.standings()
    assert not [one for one in verify(memory) if one.severity == "error"]


def _without_history(folder: Path, into: Path) -> Path:
    shutil.copytree(folder, into, ignore=shutil.ignore_patterns(".git"))
    return into


def test_the_past_changes_nothing_of_today(tmp_path: Path) -> None:
    """Uses, tiers, texts and pages are those of an adoption without a history."""
    folder = _grown(tmp_path / "a")
    page = folder / "memory" / "continuity.md"
    text = page.read_text().replace("three times", "four times")  # and is not committed
    page.write_text(text.replace(THREAD.format("x"), ""))
    plain = _without_history(folder, tmp_path / "b")
    memory, other = adopt(folder)[1], adopt(plain)[1]
    assert memory.state()["webhook-retry"].fact.text == "Webhooks retry four times."
    assert memory.state()["ask-limits"].reason == "archived"  # the page has it no more
    _compared(memory, other)
    memory.close()
    other.close()


@needs_mercury
def test_the_replayed_history_of_a_real_ledger(tmp_path: Path) -> None:
    """188 commits: the drafts are there at their times, and nothing of today is another."""
    (tmp_path / "a").mkdir()
    drafts = {
        "port-bottom-up-faithful": ("(draft)", "(again)"),
        "ot-event-over-http": ("(so far)",),
    }
    commits = replay_pages(MERCURY / "memory", tmp_path / "a", drafts)
    assert len(commits) == 188
    plain = _without_history(tmp_path / "a", tmp_path / "b")
    (plan, memory), other = adopt(tmp_path / "a"), adopt(plain)[1]
    history = memory.state().histories["port-bottom-up-faithful"]
    texts = [
        (stem[:10], (event.text or "").split("\n")[0][-7:])
        for stem, _, event, _ in history.acts
        if isinstance(event, FactCreated | FactUpdated) and event.text
    ]
    assert texts == [
        ("2026-07-15", "(draft)"),
        ("2026-07-15", "(again)"),
        ("2026-07-16", "sure in"),
    ] or ([words for _, words in texts][:2] == ["(draft)", "(again)"] and len(texts) == 3)
    assert {log.agent for log in plan.past if log.commit} == {"Ann Author"}
    _compared(memory, other)
    verified = memory.state()["inv-never-couple-functions"].fact.verified
    assert verified.startswith("2026-07-26-014908001-")
    assert memory.state().summary.last_review.startswith("2026-08-14-005444001-")
    memory.close()
    other.close()


def test_a_branch_is_told_by_its_own_commits(tmp_path: Path) -> None:
    """A text belongs to the commit that first had it, not to the merge; a merge says which one holds."""
    git(tmp_path, "init", "-q", "-b", "main")
    write_ledger(tmp_path, {"continuity.md": _page(RETRY.format("once"))})
    _commit(tmp_path, "2026-05-01", "one")
    git(tmp_path, "checkout", "-q", "-b", "side")
    write_ledger(tmp_path, {"continuity.md": _page(RETRY.format("twice"))})
    _commit(tmp_path, "2026-05-02", "side", "Cid")
    git(tmp_path, "checkout", "-q", "main")
    write_ledger(tmp_path, {"continuity.md": _page(RETRY.format("thrice"), GONE)})
    _commit(tmp_path, "2026-05-03", "main", "Dee")
    who = ("-c", "user.name=M", "-c", "user.email=m@m")
    git(tmp_path, *who, "merge", "-q", "-s", "ours", "--no-commit", "side")
    write_ledger(tmp_path, {"continuity.md": _page(RETRY.format("twice"), GONE)})
    _commit(tmp_path, "2026-05-04", "merged", "Mia")
    plan = plan_adoption(str(tmp_path))
    told = [(one.agent, [getattr(e, "text", "") for e in one.events]) for one in plan.past]
    assert told == [
        ("Ann", ["Webhooks retry once."]), ("Cid", ["Webhooks retry twice."]),
        ("Dee", ["Webhooks retry thrice.", "A fact that went."]), ("Mia", ["Webhooks retry twice."]),
    ]  # fmt: skip


def test_a_commit_of_the_end_of_time_is_dated_by_the_one_before(tmp_path: Path) -> None:
    """A clock that stands at the last second of the year 9999 says nothing about when a text was written."""
    git(tmp_path, "init", "-q", "-b", "main")
    write_ledger(tmp_path, {"continuity.md": _page(RETRY.format("once"))})
    _commit(tmp_path, "2026-05-01", "one")
    write_ledger(tmp_path, {"continuity.md": _page(RETRY.format("twice"))})
    _commit(tmp_path, "2026-05-02", "two")
    late = ("--amend", "--date=@253402300799 +0000", "-m", "two")
    git(tmp_path, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", *late)
    one, two = plan_adoption(str(tmp_path)).past
    assert two.at_ms == one.at_ms + 1


def test_thread_files_and_the_archive_have_a_past(tmp_path: Path) -> None:
    """A fact keeps its history when it goes from the page to a file of its own, or to the archive."""
    git(tmp_path, "init", "-q", "-b", "main")
    write_ledger(tmp_path, {
        "continuity.md": _page(RETRY.format("once"), THREAD.format(" ")),
        "sessions/2026-05-01-090000.md": LOG.format("Created: webhook-retry, ask-limits"),
    })  # fmt: skip
    _commit(tmp_path, "2026-05-01", "one")
    write_ledger(tmp_path, {
        "continuity.md": _page(),
        "open-threads/thread-ask-limits.md": THREAD.format(" ").replace("Ask", "Ask Eve"),
        "archive/2026-Q2.md": "# Archive\n\n" + RETRY.format("never"),
    })  # fmt: skip
    _commit(tmp_path, "2026-05-02", "two", "Cid")
    plan, memory = adopt(tmp_path)
    told = [(one.agent, sorted(getattr(e, "text", "") for e in one.events)) for one in plan.past]
    assert told == [
        ("Ann", ["Ask about the limits.", "Webhooks retry once."]),
        ("Cid", ["Ask Eve about the limits.", "Webhooks retry never."]),
    ]  # fmt: skip
    assert memory.state()["ask-limits"].fact.text == "Ask Eve about the limits."
    assert memory.state()["ask-limits"].fact.open
    memory.close()


def test_a_box_of_long_ago_is_no_obstacle(tmp_path: Path, run: Run) -> None:
    """A done thread that became a convention: it was closed then, and is a convention now."""
    git(tmp_path, "init", "-q", "-b", "main")
    done = "## Open Threads\n\n- [x] Money in cents.\n  <!-- id: t-one | uses: 1 -->\n"
    write_ledger(tmp_path, {"continuity.md": done})
    _commit(tmp_path, "2026-05-01", "Done", "Ann")
    rule = "## Conventions\n\n- Money in cents.\n  <!-- id: t-one | uses: 1 -->\n"
    write_ledger(tmp_path, {"continuity.md": rule})
    moved = _commit(tmp_path, "2026-05-02", "A rule", "Cid")
    ran = run("adopt", str(tmp_path))
    assert ran.code == 0, ran.err
    home = ("--home", str(tmp_path / "memory"))
    (then,) = run("show", "t-one", "--as-of", "2026-05-01T18:00", "--json", *home).json["facts"]
    assert (then["kind"], then["closed"]) == ("thread", True)
    (now,) = run("show", "t-one", "--json", *home).json["facts"]
    assert (now["kind"], now["closed"]) == ("convention", False)
    why = run("why", "t-one", "--json", *home).json["events"]
    assert [one["author"] for one in why] == ["Ann", "Cid"] and moved.startswith(why[1]["commit"])


def test_a_shallow_history_is_said(tmp_path: Path) -> None:
    """What was cut off can not date a text, and a finding says so."""
    folder = _grown(tmp_path / "a")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", str(tmp_path / "b"))
    found = plan_adoption(str(tmp_path / "b")).findings
    assert [one.code for one in found if one.code == "history-cut"] == ["history-cut"]


def test_a_page_that_git_lost_says_nothing(tmp_path: Path) -> None:
    """A version whose object is missing takes no fact away, and a finding names it."""
    folder = _grown(tmp_path)
    blob = git(folder, "rev-parse", "HEAD~1:memory/continuity.md").strip()
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    plan = plan_adoption(str(folder))
    assert [one.message[:29] for one in plan.findings if one.code == "history-cut"] == [
        "2 commits have pages that thi"
    ]
    assert [log.agent for log in plan.past if log.commit] == ["Ann", "Ann"]


def test_lines_that_tell_of_reviews_and_checks() -> None:
    """Both forms of `through` are read, and a date alone is the end of its day."""
    page = (
        "- **last_review:** 2026-08-14 | through 2026-08-14-005444.md\n"
        "- **last_invariant_check:** 2026-07-26 | 2026-07-26-014908 (all five)\n"
        "- **last_review**: (none yet)\n- last_review: 2026-08-01\n"
    )
    found = [(one.what, one.at_ms, one.through) for one in held_in(page)]
    assert found == [
        (REVIEW, milliseconds_of("2026-08-14-005444") + 1, "2026-08-14-005444"),
        (CHECK, milliseconds_of("2026-07-26-014908") + 1, "2026-07-26-014908"),
        (REVIEW, milliseconds_of("2026-08-02") - 1, ""),
    ]


def test_session_logs_tell_of_reviews() -> None:
    """Through the log that heading or window name, never one of later; else through itself."""
    section = b"# S\n\n## Memory Review%s\n\n- **Window:** %s\n"
    logs = [
        ("2026-07-19-165609", section % (b" (2026-07-19, through 2026-07-19-165609)", b"")),
        (
            "2026-07-24-031514",
            section % (b"", b"sessions 2026-07-23-015546 through 2026-07-24-025820"),
        ),
        ("2026-07-25-000000", section % (b"", b"none")),
        ("2026-07-26-000000", section % (b"", b"through 2026-08-24-025820")),
        ("2026-07-27-000000", b"# S\n\nThe `## Memory Review` comes later.\n"),
    ]
    assert [one.through for one in held_by(logs)] == [
        "2026-07-19-165609", "2026-07-24-025820", "2026-07-25-000000", "2026-07-26-000000",
    ]  # fmt: skip


def _fact(id: str, text: str, mark: str) -> ImportedFact:
    kind = "thread" if mark else "fact"
    return ImportedFact(id, text, kind, mark, "", "", "", "", "continuity.md", 1, "live", 0)


def test_what_a_check_confirmed() -> None:
    """The facts that its line names; else what never decays, by its kind or its tier, and was there by then."""
    known = [
        _fact(id, "One.", "")._replace(kind=kind, tier=tier, created=created)
        for id, kind, tier, created in (
            ("core-fact", "fact", "core", "2026-07-01"), ("core-late", "fact", "core", "2026-08-01"),
            ("inv-old", "invariant", "active", "2026-07-26"), ("plain", "fact", "active", "2026-07-01"),
        )
    ]  # fmt: skip
    held = Held(CHECK, 0, "", "2026-07-26 all", "continuity.md")
    assert confirmed(held, known) == ["core-fact", "inv-old"]
    named = held._replace(note="2026-07-26 core-late and no-such")
    assert confirmed(named, known) == ["core-late"]


_PAGES = st.dictionaries(
    st.sampled_from(["a-a", "b-b", "c-c"]),
    st.tuples(st.sampled_from(["One.", "Two.", "Three."]), st.just("")),
)


@given(st.lists(_PAGES, min_size=1, max_size=8))
def test_after_each_commit_the_texts_are_those_of_its_page(
    versions: list[dict[str, tuple[str, str]]],
) -> None:
    """A straight history: whatever a page says, the events so far say it too."""
    commits, pages = [], {}
    for number, version in enumerate(versions):
        before = (str(number - 1),) if number else ()
        commits.append(PageCommit(str(number), before, "A", number, "s", ()))
        pages[str(number)] = {id: _fact(id, *said) for id, said in version.items()}
    past = past_of(commits, pages, pages[str(len(versions) - 1)], said_by([]))
    events = {commit.id: said for commit, said in past.logs}
    stands: dict[str, str] = {}
    for number, version in enumerate(versions):
        for event in events.get(str(number), ()):
            if isinstance(event, FactCreated | FactUpdated):
                assert stands.get(event.id) != event.text  # nothing is said twice
                assert isinstance(event, FactCreated) == (event.id not in stands)
                stands[event.id] = event.text or ""
        assert {id: stands[id] for id in version} == {id: text for id, (text, _) in version.items()}
    assert set(past.gone) == set(stands) - set(versions[-1])


_KINDS = ("thread", "convention", "decision", "task", "fact")
_BOXED = st.dictionaries(
    st.sampled_from(["a-a", "b-b"]),
    st.tuples(st.sampled_from(["One.", "Two."]), st.sampled_from(_KINDS), st.sampled_from("x ")),
)


def _boxed(text: str, kind: str, mark: str) -> ImportedFact:
    closable = kind in CLOSABLE
    return _fact("a-a", text, mark if closable else "")._replace(kind=kind)


@given(st.lists(_BOXED, min_size=1, max_size=6), _BOXED)
def test_whatever_a_fact_was_it_is_told_as_it_was(
    versions: list[dict[str, tuple[str, str, str]]], now: dict[str, tuple[str, str, str]]
) -> None:
    """Texts, kinds and boxes of any past stand in logs, and leave what the pages of today say."""
    commits, pages = [], {}
    for number, version in enumerate(versions):
        before = (str(number - 1),) if number else ()
        commits.append(PageCommit(str(number), before, "A", number, "s", ()))
        pages[str(number)] = {id: _boxed(*one)._replace(id=id) for id, one in version.items()}
    today = {id: _boxed(*one)._replace(id=id) for id, one in now.items()}
    said = said_by([])
    past = past_of(commits, pages, today, said)
    logs = [list(events) for _, events in past.logs]
    away = [FactArchived(id) for id in past.standing if id not in today]
    logs += events_of(list(today.values()), said, {}, past.standing, away)[0]
    entries = []
    for number, events in enumerate(logs):
        log = SessionLog((("type", "import"),), "Import", "", tuple(events))
        assert not problems(canonical(log)), events
        entries.append(entry_of(f"2026-01-01-0000{number:02}000-aaaa", canonical(log)))
    refs = [LogRef(one.stem, "", "") for one in entries]
    state = state_from(refs, entries, Policy("p"))
    for id, fact in today.items():
        found = state[id].fact
        told = (found.text, found.kind, found.closed, found.contradicted)
        assert told == (fact.text, fact.kind, fact.mark == "x", False)
    assert not [one for one in state.findings() if one.code == "not-a-thread"]


_LINES = [
    "- Item.", "  <!-- id: a-a | uses: 1 -->", "<!-- id: b-b | uses: 1 -->", "", "", "## Key Decisions",
    "### Sub", "# T", "> quote", "Text.", "  # in", "- [ ] open", "- [x] done", "    code", "- - -", "---",
    "* star", "1. one", "`<!-- id: c-c | x: y -->`", "  - nested", "    <!-- id: d-d | u: 1 -->",
    "\t- tab", "- Said. <!-- id: e-e | kind: stack -->", "```", "<!-- more", "-->", "## Open Threads",
]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(_LINES), max_size=14), min_size=1, max_size=3))
def test_a_page_that_is_read_in_pieces_is_read_as_the_whole(pages: list[list[str]]) -> None:
    """However it is cut, and whatever was read before: the same facts, but for their lines."""
    reader = PageReader()
    for lines in pages:
        data = "\n".join(lines).encode()
        whole = FactPage("continuity.md", data, []).facts()
        assert [one._replace(line=0) for one in reader.facts("continuity.md", data)] == [
            one._replace(line=0) for one in whole
        ]


@needs_mercury
def test_the_pages_of_a_real_ledger_are_read_in_pieces() -> None:
    """Both its pages have the same facts so."""
    for file in ("continuity.md", "archive/2026-Q3.md"):
        data = (MERCURY / "memory" / file).read_bytes()
        reader = PageReader()
        for _ in range(2):
            assert [one._replace(line=0) for one in reader.facts(file, data)] == [
                one._replace(line=0) for one in FactPage(file, data, []).facts()
            ]
        assert len(reader._read) > 20


_ODD = st.lists(
    st.sampled_from(["<!--", "-->", "```", "## ", "- ", "<div>", "\x85", "\u202e", " through ", "2026-08-14-005444"]),
    max_size=6,
).map("".join)  # fmt: skip


@given(_ODD, _ODD)
def test_whatever_git_and_pages_say_a_log_can_hold_it(said: str, who: str) -> None:
    """Subjects, authors and lines of pages never stand in the way of an adoption."""
    logs = _of_commit(PageCommit("a" * 40, (), who, 5, said, ()), [FactCreated("a-a", "Text.")])
    page = f"- **last_review:** 2026-08-14 {said}\n- **last_invariant_check:** {who}\n"
    held = held_in(page) + held_by(
        [("2026-08-14-005444", f"# S\n\n## Memory Review{said}\n{who}".encode())]
    )
    for log in [*logs, *_of_rituals(held, [], {"2026-08-14-005444": who})]:
        header = (("agent", log.agent), ("type", log.type))
        assert not problems(canonical(SessionLog(header, log.title, log.prose, log.events)))


def test_a_secret_that_a_page_held_once_does_not_come_back(tmp_path: Path) -> None:
    """It is redacted in the texts of the past, too, and said."""
    git(tmp_path, "init", "-q", "-b", "main")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    write_ledger(tmp_path, {"continuity.md": _page(RETRY.format(f"with {secret}"))})
    _commit(tmp_path, "2026-05-01", "one")
    write_ledger(tmp_path, {"continuity.md": _page(RETRY.format("without"))})
    _commit(tmp_path, "2026-05-02", "two")
    plan, memory = adopt(tmp_path)
    assert [one.code for one in plan.findings if one.severity != "info"] == ["secret-redacted"]
    first = plan.past[0].events[0]
    assert isinstance(first, FactCreated)
    assert first.text == "Webhooks retry with [redacted: github-token]."
    assert not [path for path in tmp_path.rglob("*.md") if secret in path.read_text()]
    memory.close()


def test_a_title_by_hand_does_not_repeat_what_was_redacted(tmp_path: Path, run: Run) -> None:
    """`log` names user and agent, and no words of a fact that is withheld since."""
    git(tmp_path, "init", "-q", "-b", "main")
    words = "The key lies under the mat of the second house"
    page = f"## Key Decisions\n\n- {words}.\n  <!-- id: key-place | created: 2026-05-01 | uses: 1 -->\n"
    text = f"# Session\n\n**Agent:** Codex\n**User:** Eve\n\n{words}.\n\n## Memory References\n\n- Created: key-place\n"
    write_ledger(tmp_path, {"continuity.md": page, "sessions/2026-05-01-090000.md": text})
    _commit(tmp_path, "2026-05-01", "one")
    home = ("--home", str(tmp_path / "memory"))
    assert run("adopt", str(tmp_path)).code == 0
    assert f"2026-05-01-090000  Codex for Eve  {words}" in run("log", *home).out
    assert run("log", "--json", *home).json["sessions"][-1]["user"] == "Eve"
    assert run("redact", "key-place", "--reason", "It moved.", *home).code == 0
    for asked in (
        ("log",),
        ("log", "--json"),
        ("timeline", "2026-05-01-090000"),
        ("why", "key-place"),
    ):
        assert "under the mat" not in run(*asked, *home).out, asked


@each_row("blobs, left", (("aaa", 3), ("abc", 2), ("abb", 3)))
def test_the_newest_versions_are_read_as_far_as_there_is_room(
    monkeypatch: pytest.MonkeyPatch, blobs: str, left: int
) -> None:
    """Each text counts once, however many commits have it."""
    monkeypatch.setattr(page_versions, "BYTES_LIMIT", 120)
    commits = [PageCommit(blob, (), "A", 0, "s", (("page.md", blob),)) for blob in blobs]
    git: Any = SimpleNamespace(sizes=lambda ids: [60 for _ in ids])
    assert page_versions._within_limits(git, commits) == tuple(commits[3 - left :])
