"""The pages of the work: tasks and findings tell what their commands tell."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from rituals.serve.web.pages import tasks_page
from tests.campaigns.homes import lay
from tests.conftest import NOW_MS, Repo, Run
from tests.web_client import Client, client_of

HOUR_MS = 3_600_000


def words(page: str) -> str:
    """Return what a page says, without markup."""
    main = page.partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub(r"<[^>]*>", " ", f"<main{main}").split())


@pytest.fixture
def home(repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A home with tasks in each state, handoffs, notes of roles, and entities."""

    def make(path: Path) -> None:
        shutil.copytree(repo.path, path, symlinks=True)
        monkeypatch.chdir(path)
        work(run, monkeypatch)

    folder = tmp_path / "work"
    lay("a home with work", folder, make)
    monkeypatch.chdir(folder)
    return Repo(folder)


def work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Record it, in the working directory."""

    def tell(*arguments: str) -> None:
        ran = run(*arguments)
        assert ran.code == 0, ran.err

    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS - 2 * HOUR_MS))
    tell("task", "add", "Wire the queue", "--id", "wire", "--priority", "high")
    tell("task", "start", "wire")
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS))
    monkeypatch.setenv("DIURNA_AGENT", "codex")
    tell("task", "add", "Measure it", "--id", "measure", "--depends", "wire")
    tell("task", "add", "Say it <b>aloud</b>", "--id", "say", "--priority", "low")
    tell("task", "add", "Give it away", "--id", "give")
    tell("task", "start", "give")
    tell("task", "handoff", "give", "--to", "judge", "--done", "Half of it.", "--next", "The rest.")
    tell("task", "add", "Forget it", "--id", "forget")
    tell("task", "move", "forget", "cancelled")
    tell(
        "append", "--title", "Learn",
        "--new", 'id=judge-a role=judge pattern: Ask for the figures first.',
        "--new", 'id=judge-b role="judge, coder" fact: The bench needs two cores.',
        "--new", 'id=old-api entity="Payments API" fact: The API answers in XML.',
        "--new", 'id=new-api entity="payments-api, Redis" fact: The API answers in JSON.',
        "--new", 'id=slash entity="a/b?c#d %2F" fact: A name may hold anything.',
        "--supersede", "old-api=new-api",
    )  # fmt: skip
    monkeypatch.setenv("DIURNA_AGENT", "claude-code")


@pytest.fixture
def browser(home: Repo) -> Client:
    """A browser of that home."""
    return client_of(home.path).login()


def test_tasks_stand_by_what_can_be_done_with_them(browser: Client, home: Repo, run: Run) -> None:
    """In progress, handed over, to do, waiting and for what; the rest is folded; all that the list has."""
    page = browser.get("/tasks").text
    said = words(page)
    headings = re.findall(r"<h2>([\w ]+) <small>(\d+)</small>", page)
    assert headings == [("In progress", "1"), ("Handed over", "1"), ("To do", "1"), ("Waiting", "1")]  # fmt: skip
    assert "4 tasks open. Next for whoever asks: say ; diurna task pick --start claims it." in said
    assert "measure waits for wire (in-progress)" in said
    assert "wire high Ada by claude-code, since 2026-11-21 06:30 stale" in said
    assert "1 task done, cancelled or put away" in said
    assert "forget cancelled 2026-11-21" in said
    assert "<b>aloud" not in page
    listed = json.loads(run("task", "list", "--all", "--json").out)["tasks"]
    assert {one["id"] for one in listed} == set(
        re.findall(r'<p class="meta"><a class="id" href="/fact/([^"]+)"', page)
    )
    stale = {one["id"] for one in listed if one["stale"]}
    assert stale == {"wire"}
    assert page.count("stale:") == len(stale)


def test_the_next_task_is_the_one_that_pick_gives(browser: Client, run: Run) -> None:
    """What was handed to a role is nobody else's."""
    assert "say" in run("task", "pick").out
    assert "asks: say" in words(browser.get("/tasks").text)


def test_a_task_goes_on_by_forms(browser: Client, home: Repo, run: Run) -> None:
    """With `--write` the board and the task's own page have its forms; without, the commands."""
    read = browser.get("/tasks").text
    assert "diurna task done wire" in words(read)
    assert "diurna task start give" in words(read)
    assert 'method="post"' not in read and "/write/" not in read
    writer = client_of(home.path, writes=True).login()
    page = writer.get("/tasks").text
    assert page.count('action="/preview/done"') == 1
    assert page.count('action="/preview/start"') == 3  # what was handed over, is to do, and waits
    assert "/write/hand-over?id=wire" in page and "/write/add-task?" in page
    own = writer.get("/fact/wire").text
    assert 'action="/preview/done"' in own and "It still holds" not in own
    fields = {"token": writer.form_token(), "next": "/tasks", "id": "wire"}
    seen = writer.post("/preview/done", fields)
    assert "Move wire to done" in seen.text and "diurna task done wire" in seen.text
    assert writer.post("/act/done", fields).status == 303
    listed = json.loads(run("task", "list", "--state", "done", "--json").out)["tasks"]
    assert [one["id"] for one in listed] == ["wire"]
    after = writer.get("/tasks").text
    assert 'action="/preview/done"' not in after
    assert "In progress" not in after


def test_a_task_says_what_it_goes_by(home: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it is done, what may go wrong, what is open, who is at it since when, and what was left for the next."""
    for arguments in (
        ("task", "add", "Ship it", "--id", "ship", "--criterion", "It is <fast>.", "--risk", "It melts.",
         "--question", "Which key?", "--owner", "codex"),
        ("task", "start", "ship", "--take-over"),
    ):  # fmt: skip
        assert run(*arguments).code == 0
    browser = client_of(home.path).login()
    for address in ("/tasks", "/fact/ship"):
        said = words(browser.get(address).text)
        assert "done when It is &lt;fast&gt;." in said and "may go wrong It melts." in said
        assert "open Which key?" in said and "Ada by claude-code, since 2026-11-21 08:30" in said
    assert words(browser.get("/fact/ship").text).count("in-progress") >= 1
    give = words(browser.get("/fact/give").text)
    assert "handoff-ready" in give and "Done: Half of it. Next: The rest." in give


def test_how_long_nobody_was_seen_is_the_real_time(browser: Client) -> None:
    """Two hours, and not half an hour."""
    assert "stale: no sign of them for 2 hours" in words(browser.get("/tasks").text)
    spans = {59_000: "0 minutes", 60_000: "1 minute", 119 * 60_000: "2 hours", 35 * HOUR_MS: "35 hours",
             47 * HOUR_MS: "2 days", 5000 * 24 * HOUR_MS: "5,000 days"}  # fmt: skip
    assert {ms: tasks_page.span(ms) for ms in spans} == spans


def test_of_very_many_tasks_the_first_are_shown(
    home: Repo, browser: Client, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page stays small, and says how many more there are and which command has them."""
    assert run("task", "add", "One more", "--id", "more").code == 0
    monkeypatch.setattr(tasks_page, "TASKS", 1)
    page = browser.get("/tasks").text
    assert "To do <small>2</small>" in page
    assert "1 more: diurna task list" in words(page)
    assert '<a class="id" href="/fact/more">' in page  # of two alike the older one has the place
    assert page.count('<li class="row"') == 5


def test_an_empty_home_says_what_to_do(repo: Repo) -> None:
    """One calm sentence, and a command."""
    page = client_of(repo.path).login().get("/tasks")
    assert page.status == 200
    assert "diurna task add" in page.text
    assert len(re.findall(r"<p class=\"lead\">", page.text)) == 1
    assert "<h2>" not in page.text.partition("<main")[2].partition("</main>")[0]


def test_findings_are_a_list_of_their_kind(browser: Client, home: Repo, run: Run) -> None:
    """Each with what became of it; where forms are, one reports another."""
    for rule in ("flaky", "unsafe"):
        said = ("--rule", rule, "--path", f"src/{rule}.py", f"finding: It is {rule}.")
        assert run("note", *said).code == 0
    facts = json.loads(run("show", "--kind", "finding", "--json").out)["facts"]
    ids = {one["meta"]["rule"]: one["id"] for one in facts}
    assert run("close", ids["unsafe"]).code == 0
    page = browser.get("/facts?list=all&kind=finding").text
    assert set(re.findall(r'href="/fact/([^"]+)"', page)) == set(ids.values())
    assert "/write/report-finding" not in page
    writes = client_of(home.path, writes=True).login()
    assert "/write/report-finding" in writes.get("/facts?kind=finding").text
    assert "/write/report-finding" not in writes.get("/facts").text


def test_hints_keep_the_case_of_commands_and_ids(browser: Client) -> None:
    """A sentence begins with a capital; a command and an id are written as they are typed."""
    from rituals.serve.web.html.templates import Renderer

    assert '<p class="lead">There is no page' in browser.get("/nowhere").text
    writer = Renderer()
    writer._facts = ("forty",)
    for said in (
        "diurna append --new",
        "forty is no side",
        "old-api holds",
        "`diurna undo` does it",
    ):
        assert writer.sentence(said) == said
    assert writer.sentence("tick what holds") == "Tick what holds"
