"""Paths and names that a commit took away are marked with it in every answer; nothing else is marked."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from ledger.git.code_history import Code
from ledger.home import discover
from memory.api import Memory
from memory.cache.broken_truth import truth_of
from memory.cache.broken_truth_file import read, truth_path
from projection.document.fact_remarks import Gone
from rituals.review import truth_marks
from rituals.serve.web.html.templates import Renderer
from rituals.serve.web.pages import fact_page, search_page
from rituals.serve.web.tip_view.tip_view import TipViews
from tests.conftest import Repo, Run
from tests.mcp_clients import ask, connected, open_home
from tests.test_web_html import frame_of
from tests.told_sessions import unbriefed

#: Behind the clock of the tests, by which facts are written.
AFTER = "2026-11-22T12:00:00Z"
EACH = 20
FOLDERS = ("api", "billing", "core", "jobs")


def commit(repo: Repo, subject: str, when: str = AFTER) -> str:
    """Commit all that is in the work tree; return the id in short."""
    repo.git("add", "-A")
    os.environ["GIT_COMMITTER_DATE"] = when
    try:
        repo.git("commit", "-q", "-m", subject)
    finally:
        del os.environ["GIT_COMMITTER_DATE"]
    return repo.git("rev-parse", "HEAD").strip()[:7]


def note(run: Run, **facts: str) -> None:
    """Record facts by their ids."""
    new = [
        part
        for id, text in facts.items()
        for part in ("--new", f"id={id.replace('_', '-')} {text}")
    ]
    assert run("append", "--again", "--title", "What holds", *new).code == 0


def marks(repo: Repo) -> dict[str, tuple[Gone, ...]]:
    """Look anew; return what readers are told, by the ids of facts."""
    home = discover(str(repo.path))
    truth_marks.make(home)
    found: dict[str, list[Gone]] = {}
    for one in truth_of(home):
        found.setdefault(one.fact, []).append(one.gone)
    return {id: tuple(some) for id, some in found.items()}


def text_of(number: int, path: str) -> str:
    """Return how a fact speaks of a file, in one of the ways in which people do."""
    ways = (
        f"decision: Retries of webhooks are counted in `{path}`.",
        f"invariant: Keep {path} free of imports.",
        f"convention: What `{path}` exports is documented there.",
        f"fact: The limits are read by `{path}:12` at the start.",
        f"stack: `{path.rpartition('/')[2]}` holds the schema.",
    )
    return ways[number % len(ways)]


def body(number: int) -> str:
    """Return a file that no other one is like."""
    return "".join(f"line {number} {at * number}\n" for at in range(20))


def test_planted_drifts_are_marked_with_their_commit(repo: Repo, run: Run) -> None:
    """Of 60 facts about 60 files 20 were removed and 20 moved; each says by which commit, and 20 none."""
    paths = [f"src/{FOLDERS[n % 4]}/part_{n}.py" for n in range(3 * EACH)]
    for number, path in enumerate(paths):
        repo.write(path, body(number))
    commit(repo, "All of it", "2026-11-01T12:00:00Z")
    note(run, **{f"about_{number}": text_of(number, path) for number, path in enumerate(paths)})
    removed, moved, touched = (paths[at::3] for at in range(3))
    by: dict[str, str] = {}
    for at in range(0, EACH, 5):
        for path in removed[at : at + 5]:
            (repo.path / path).unlink()
        by |= dict.fromkeys(removed[at : at + 5], commit(repo, "Drop some"))
        for path in moved[at : at + 5]:
            (repo.path / "lib").mkdir(exist_ok=True)
            (repo.path / path).rename(repo.path / "lib" / Path(path).name)
        by |= dict.fromkeys(moved[at : at + 5], commit(repo, "Move some"))
    for path in touched:
        repo.write(path, "print('other')\n")
    commit(repo, "Touch the rest")
    found = marks(repo)
    drifts = right = 0
    for number, path in enumerate(paths):
        mine = found.get(f"about-{number}", ())
        alone = number % 5 == 4  # its name without a folder: that of a moved one is there as before
        if path in touched or (path in moved and alone):
            assert not mine, path
            continue
        drifts += 1
        said = path.rpartition("/")[2] if alone else path
        now = f"lib/{path.rpartition('/')[2]}" if path in moved else ""
        code = "renamed" if now else "gone"
        right += mine == (Gone(code, said, by[path], "2026-11-22", now),)
    assert drifts == 2 * EACH - 4
    assert right >= 0.95 * drifts


@pytest.fixture
def drifted(repo: Repo, run: Run) -> str:
    """A fact about a file that is gone, one about a moved one, one about a name; return the commit."""
    for name, text in (
        ("src/pay.py", body(3)),
        ("src/mail.py", body(5)),
        ("src/shop.py", "def charge_card(sum):\n    return sum\n"),
    ):
        repo.write(name, text)
    commit(repo, "Begin", "2026-11-01T12:00:00Z")
    note(
        run,
        gone="decision: Walrus payments are checked in `src/pay.py` before the order is kept.",
        moved="decision: Walrus mail goes out through `src/mail.py`, never by hand.",
        named="decision: Walrus cards are charged by `charge_card()` alone.",
        holds="decision: Walrus code begins in `code.py`.",
    )
    (repo.path / "src/pay.py").unlink()
    (repo.path / "lib").mkdir()
    (repo.path / "src/mail.py").rename(repo.path / "lib/post.py")
    repo.write("src/shop.py", "def pay(sum):\n    return sum\n")
    return commit(repo, "Take it away")


def test_gone_renamed_and_nowhere(repo: Repo, drifted: str) -> None:
    """Each with its commit and day, a moved one with its path now; what holds is not marked."""
    assert marks(repo) == {
        "gone": (Gone("gone", "src/pay.py", drifted, "2026-11-22"),),
        "moved": (Gone("renamed", "src/mail.py", drifted, "2026-11-22", "lib/post.py"),),
        "named": (Gone("nowhere", "charge_card", drifted, "2026-11-22"),),
    }


def test_every_answer_says_so(repo: Repo, run: Run, drifted: str) -> None:
    """`recall`, `ls`, `show`, `why`, `links` and MCP's objects, as text and as JSON."""
    marks(repo)
    said = f"(src/pay.py is gone since {drifted}, 2026-11-22)"
    mark = {
        "code": "gone", "subject": "src/pay.py", "commit": drifted, "date": "2026-11-22", "now": "",
    }  # fmt: skip
    for command in (
        ("recall", "walrus", "payments"),
        ("recall", "--ids", "gone"),
        ("recall", "--ids", "gone", "--level", "timeline"),
        (
            "show",
            "--list",
        ),
        ("why", "gone"),
    ):
        assert said in run(*command).out, command
    assert f"| marks: {said[1:-1]} -->" in run("show", "gone").out
    assert "marks:" not in run("show", "holds").out
    assert f"src/mail.py is lib/post.py since {drifted}, 2026-11-22" in run("show", "--list").out

    def of(answer: Any) -> dict[str, list[dict[str, str]]]:
        return {one["id"]: one["marks"] for one in answer}

    hits = run("recall", "walrus", "--json").json["hits"]
    assert of(hits)["gone"] == [mark]
    assert of(hits)["holds"] == []
    assert of(run("show", "--list", "--json").json["facts"])["gone"] == [mark]
    assert of(run("show", "gone", "--json").json["facts"])["gone"] == [mark]
    assert run("why", "gone", "--json").json["marks"] == [mark]
    assert run("show", "--links", "gone", "--json").json["marks"] == [mark]


def test_agents_and_pages_are_told(repo: Repo, drifted: str) -> None:
    """MCP's `recall`, `get` and `brief`, and the pages of a fact and of a search."""
    marks(repo)
    said = f"src/pay.py is gone since {drifted}, 2026-11-22"

    async def story() -> None:
        async with connected(repo.path, open_home) as client:
            for hits in (
                (await ask(client, "recall", query="walrus payments"))["hits"],
                (await ask(client, "get", ids=["gone"]))["hits"],
            ):
                hit = next(one for one in hits if one["id"] == "gone")
                assert hit["text"].endswith(f"({said})")
                assert hit["marks"][0]["commit"] == drifted
            assert said in (await ask(client, "brief"))["text"]

    anyio.run(story)
    memory = Memory.open(str(repo.path), agent="claude")
    tip = TipViews().of(memory)
    for page in (
        fact_page.fact(tip, {"id": "gone"}),
        search_page.search(tip, {"q": "walrus payments"}),
    ):
        assert said in Renderer().render(page, frame_of(tip))
    memory.close()


@pytest.mark.parametrize("kept", [False, True])
def test_a_brief_marks_and_lets_what_holds_stand_first(
    repo: Repo, run: Run, spawn: Run, drifted: str, kept: bool
) -> None:
    """In every form, also where the brief of before was kept; a task asks for a marked fact all the same."""

    def brief(*arguments: str) -> str:
        return (spawn if kept else run)("brief", *arguments).out

    if kept:
        assert "is gone" not in brief()
        assert brief() == brief()
    marks(repo)
    said = f"src/pay.py is gone since {drifted}, 2026-11-22"
    lines = [line for line in brief().split("\n") if line[:2] == "- "]
    assert lines[0].startswith("- holds")
    assert sum(line.endswith(f"is kept. ({said})") for line in lines) == 1
    assert f"({said})" in brief("--task", "check the walrus payments")
    sections = json.loads(brief("--json"))["sections"]
    facts = {one["id"]: one for section in sections for one in section["facts"]}
    assert [one["subject"] for one in facts["gone"]["marks"]] == ["src/pay.py"]
    assert facts["moved"]["marks"][0]["now"] == "lib/post.py"
    assert "marks" not in facts["holds"]
    assert len(brief("--budget", "1000")) <= 1000


def test_a_moment_marks_and_is_silent_at_a_file(
    repo: Repo, run: Run, drifted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a prompt and a command with the mark; at a file what names a path that is gone is not told."""
    for name in ("src/bank.py", "src/fees.py"):
        repo.write(name, body(9))
    commit(repo, "Bank", "2026-11-22T13:00:00Z")
    note(
        run,
        uv="convention: Use uv, not pip, for packages; `src/fees.py` shows how.",
        bank="invariant: Never change `src/bank.py` without `src/fees.py`.",
    )
    session = unbriefed(str(repo.path), monkeypatch)

    def told(name: str, marked: bool) -> None:
        mine = session("claude", name)
        mine.start()
        line = mine.run("pip install requests")
        assert "- uv (convention, 20" in line
        assert ("src/fees.py is gone since" in line) is marked
        line = mine.tool("Read", file_path=f"{repo.path}/src/bank.py")
        assert ("- bank (" in line) is not marked
        line = mine.prompt("Where are walrus payments checked before the order is kept?")
        assert f"2026-11-21, src/pay.py is gone since {drifted}, 2026-11-22): Walrus" in line

    marks(repo)
    told("one", marked=False)
    (repo.path / "src/fees.py").unlink()
    commit(repo, "No fees", "2026-11-22T14:00:00Z")
    marks(repo)
    told("two", marked=True)


def test_a_mark_ends_with_the_text_and_with_what_came_back(
    repo: Repo, run: Run, drifted: str
) -> None:
    """At once, before anybody looks anew: reworded, redacted, or the path is in the work tree again."""
    assert set(marks(repo)) == {"gone", "moved", "named"}
    home = discover(str(repo.path))

    def told() -> set[str]:
        answer = run("show", "--list", "--json").json["facts"]
        return {one["id"] for one in answer if one["marks"]}

    repo.write("src/pay.py", "pass\n")
    assert told() == {"moved", "named"}
    assert (
        run("append", "--title", "New", "--update", "moved", "Walrus mail goes by post.").code == 0
    )
    assert told() == {"named"}
    commit(repo, "It came back")
    assert set(marks(repo)) == {"named"}
    assert run("redact", "named", "--reason", "private", "--yes").code == 0
    assert told() == set()
    kept = Path(truth_path(home))
    assert not kept.exists() or b"charge_card" not in kept.read_bytes()


def test_the_review_answers_a_mark_away(repo: Repo, run: Run, drifted: str) -> None:
    """What a person closed as answered is marked no more."""
    marks(repo)
    assert run("review", "--yes").code == 0
    threads = [
        one["id"]
        for one in run("show", "--kind", "thread", "--json").json["facts"]
        if one["meta"].get("about") == "gone"
    ]
    assert len(threads) == 1
    assert set(marks(repo)) == {"gone", "moved", "named"}
    assert run("append", "--title", "Answered", "--close", threads[0]).code == 0
    assert set(marks(repo)) == {"moved", "named"}


def test_what_is_no_drift(repo: Repo, run: Run) -> None:
    """A branch's name, a file that nobody tracked, one ignored now, and what was gone before it was said."""
    repo.write("src/old.py", "pass\n")
    repo.write("notes/local.md", "pass\n")
    commit(repo, "Begin", "2026-11-01T12:00:00Z")
    (repo.path / "src/old.py").unlink()
    commit(repo, "Drop it", "2026-11-02T12:00:00Z")
    note(
        run,
        branch="fact: Work goes on in `feature/walrus.py` and `fix/pay`.",
        never="fact: Settings are in `config/never.toml`.",
        before="fact: Sums are made in `src/old.py`.",
        local="fact: Notes are in `notes/local.md`.",
    )
    repo.git("rm", "-q", "--cached", "notes/local.md")
    repo.write(".gitignore", "notes/\n")
    commit(repo, "Ignore notes")
    assert marks(repo) == {}


def test_a_history_that_is_cut_marks_nothing(
    repo: Repo, run: Run, drifted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shallow clone does not know which commit it was, and says nothing of it."""
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "cut"))
    monkeypatch.chdir(tmp_path / "cut")
    assert marks(Repo(tmp_path / "cut")) == {}
    assert run("recall", "walrus").code == 0


def test_looking_again_gives_what_looking_anew_gives(repo: Repo, run: Run, drifted: str) -> None:
    """By the history since the last time alone, with what was asked then; a file of no use is not read."""
    home = discover(str(repo.path))
    marks(repo)
    for step in range(3):
        repo.write(f"src/more_{step}.py", body(step))
        commit(repo, f"More {step}", "2026-11-22T13:00:00Z")
        note(run, **{f"more_{step}": f"fact: Walrus step {step} is in `src/more_{step}.py`."})
        if step:
            (repo.path / f"src/more_{step - 1}.py").unlink()
        repo.write("src/shop.py", body(7 + step))
        commit(repo, f"Less {step}", f"2026-11-22T14:0{step}:00Z")
        again = marks(repo)
        kept = read(home, whole=True)
        Path(truth_path(home)).unlink()
        assert again == marks(repo)
        assert read(home, whole=True) == kept
    assert set(again) == {"gone", "moved", "named", "more-0", "more-1"}
    data = bytearray(Path(truth_path(home)).read_bytes())
    data[-1] ^= 1
    Path(truth_path(home)).write_bytes(data)
    assert read(home) is not None
    assert read(home, whole=True) is None
    data[data.index(b"pay.py")] ^= 1
    Path(truth_path(home)).write_bytes(data)
    assert not truth_of(home)


def test_only_what_happened_since_is_asked_again(
    repo: Repo, run: Run, drifted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no code changed, what was found before is neither looked for in the history nor in the code."""
    marks(repo)
    false = [part for id in ("gone", "moved", "named") for part in ("--invalidate", id)]
    assert run("append", "--title", "Answered", *false).code == 0
    marks(repo)
    note(run, words="fact: Walruses say nothing of code.")
    monkeypatch.setattr(Code, "_log", lambda *_, **__: pytest.fail("history was read"))
    monkeypatch.setattr(Code, "present", lambda *_: pytest.fail("code was searched"))
    assert marks(repo) == {}
