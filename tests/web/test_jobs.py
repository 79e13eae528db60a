"""The fourteen jobs of a lead: each from the start page, its clicks counted, and what the page says held against the command line.

`JOBS` has the most clicks that each may take; typing is none. What only reads is a smoke of the gate.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.conftest import Served, Server
from tests.web.homes import FORGE
from tests.web.looking import tab_to
from tests.world import git, run

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

LOOK, WRITE, UNDO = "Preview", "Save", 1
DECIDED = ("Created", "Updated")


class Lead:
    """Somebody at the start page of a home, whose clicks count.

    Args:
        page: of the browser.
        served: the home.
    """

    def __init__(self, page: Page, served: Served) -> None:
        self.page, self.served, self.clicks = page, served, 0
        served.open(page)

    def click(self, what: Locator | str) -> None:
        """Click on a thing, or on the first button or link of a whole name."""
        if isinstance(what, str):
            button = self.page.get_by_role("button", name=what, exact=True)
            what = button.or_(self.page.get_by_role("link", name=what, exact=True)).first
        what.click()
        self.clicks += 1

    def keys(self, *keys: str) -> None:
        """Press keys, one after the other; a word is typed."""
        for key in keys:
            self.page.keyboard.press(key) if len(
                key
            ) == 1 or key == "Enter" else self.page.keyboard.type(key)

    def says(self, *command: str) -> Any:
        """Return what a command says of the same home."""
        answer = run(*command, "--json", "--home", str(self.served.folder))
        assert answer.code == 0, answer
        return json.loads(answer.out)

    def facts(self, *options: str) -> dict[str, Any]:
        """Return the facts of the home by id, as the command line has them."""
        return {one["id"]: one for one in self.says("show", *options)["facts"]}

    def ids(self, within: str = ".row") -> list[str]:
        """Return the ids that rows of the page are about."""
        return self.page.locator(f"{within} .whole").all_inner_texts()

    def write(self, **typed: str) -> Locator:
        """Fill in a form, look at what it records, and write it; nothing is written before."""
        for label, text in typed.items():
            self.page.get_by_label(label.replace("_", " "), exact=False).first.fill(text)
        if typed:
            self.click(LOOK)
        before = git(self.served.folder, "rev-parse", "HEAD")
        expect(self.page.get_by_text("Nothing is written yet.")).to_be_visible()
        expect(self.page.get_by_label("The log")).to_contain_text("## ")
        expect(self.page.locator("main code.command").last).to_contain_text("diurna ")
        assert git(self.served.folder, "rev-parse", "HEAD") == before
        self.click(WRITE)
        return self.recorded()

    def recorded(self) -> Locator:
        """Return the notice of what was recorded."""
        notice = self.page.get_by_role("status", name="Recorded")
        expect(notice).to_be_visible()
        return notice

    def undo(self) -> None:
        """Take back what was recorded a moment ago, by one more click."""
        self.click(self.recorded().get_by_role("button", name="Undo"))
        expect(self.recorded()).to_contain_text("Undo: ")
        self.clicks -= UNDO

    def start(self) -> None:
        """Go back to the start page, with nothing counted."""
        self.page.goto(self.served.address + "/")
        self.clicks = 0


def what_was_decided_and_by_whom(lead: Lead) -> None:
    """Each change of a decision stands in its own week, with its own person and text."""
    lead.click("Decisions")
    told = [" ".join(one.split()) for one in lead.page.locator(".row").all_inner_texts()]
    facts = lead.facts()
    said = [
        (id, event)
        for id, fact in facts.items() if fact["kind"] == "decision"
        for event in lead.says("why", id)["events"] if event["event"] in DECIDED
    ]  # fmt: skip
    assert len(told) == len(said)
    for id, event in said:
        head = f"{event['author']}, with {event['agent']} {event['date'][:10]} {id} "
        assert any(one.startswith(head) and event["text"] in one for one in told), (head, told)


def all_about_a_topic(lead: Lead) -> None:
    """By a word, without a click; by the name of an entity; what is false stands apart and says so."""
    lead.keys("/", "webhook", "Enter")
    expect(lead.page.locator("#hits h2").first).to_contain_text("What holds")
    hits = {one["id"]: one for one in lead.says("recall", "webhook", "--superseded")["facts"]}
    assert lead.clicks == 0 and set(lead.ids("#hits .row:not(:has(a[href^='/session']))")) == set(
        hits
    )
    assert lead.ids(".found.gone") == [id for id, one in hits.items() if one["false"]]
    expect(lead.page.locator(".found.gone")).to_contain_text("replaced by webhook-retries")
    lead.start()
    lead.click("Work")
    lead.click("Facts")
    lead.click(lead.page.get_by_text("Filter", exact=True))
    lead.page.get_by_label("Entity").fill("Payments API")
    expect(lead.page.locator(".asked-for")).to_contain_text("Payments API")
    about = lead.facts("--about", "Payments API").values()
    assert set(lead.ids()) == {one["id"] for one in about if not one["false"]}


def what_was_true_at_a_release(lead: Lead) -> None:
    """The list as it stood then, in the words of then."""
    lead.click("Health")
    lead.click(lead.page.locator("svg.moments a", has_text="v1.1"))
    expect(lead.page.locator("#facts .asked-for")).to_contain_text("as of v1.1")
    then = lead.facts("--as-of", "v1.1")
    gone = ("archived", "superseded")
    assert set(lead.ids()) == {id for id, one in then.items() if one["tier"] not in gone}
    assert "five" in then["webhook-retries"]["text"]
    expect(lead.page.locator(".row", has_text="five times")).to_contain_text("2026-09-03")


def where_a_wrong_idea_came_from(lead: Lead) -> None:
    """Who said it, what replaced it, and what was built on it while it stood."""
    lead.keys("/", "24 hours", "Enter")
    lead.click(lead.page.locator(".found.gone .whole"))
    said = lead.says("why", "price-cache")
    birth = next(one for one in said["events"] if one["event"] == "Created")
    chain = lead.page.locator(".chain > li", has_text="Created")
    expect(chain).to_contain_text(f"{birth['author']}, with {birth['agent']}, {birth['date'][:10]}")
    expect(lead.page.locator("main")).to_contain_text("truth stands instead")
    assert said["false"] and said["instead"] == ["truth"]
    built = lead.page.locator(".built")
    expect(built).to_contain_text("The page asks once a day")
    used = next(one for one in said["events"] if one["event"] == "Referenced")
    expect(built).to_contain_text(f"{used['title']} used it, {used['agent']}, {used['date'][:10]}")


def a_contradiction_is_settled(lead: Lead) -> None:
    """Both sides, who and when, a button each; then the next card has the focus."""
    every = {one["id"]: one for one in lead.says("conflicts")["contradictions"]}
    lead.click(lead.page.get_by_role("link", name=f"{len(every)} contradictions to resolve"))
    card, following = (
        lead.page.locator("article.card").nth(0),
        lead.page.locator("article.card").nth(1),
    )
    expect(card).to_be_in_viewport()
    id = (card.get_attribute("id") or "").removeprefix("c-")
    for side in every[id]["choices"]:
        expect(card).to_contain_text(side["person"])
        expect(card).to_contain_text(side["date"][:10])
    follows = following.get_attribute("id")
    lead.click(card.get_by_role("button").first)
    expect(lead.recorded()).to_contain_text(f"Resolve {id}")
    expect(lead.page.locator(f"#{follows}")).to_be_focused()
    assert {one["id"] for one in lead.says("conflicts")["contradictions"]} == set(every) - {id}
    lead.undo()
    assert {one["id"] for one in lead.says("conflicts")["contradictions"]} == set(every)


def twelve_invariants_are_confirmed(lead: Lead) -> None:
    """Those that are due, with one log."""
    before = lead.says("status")
    due = before["confirm"]["due"]
    lead.click(lead.page.get_by_role("navigation", name="Pages").get_by_role("link", name="Review"))
    lead.click(f"tick all {len(due)}")
    lead.click("Confirm what is ticked")
    lead.recorded()
    now = lead.says("status")
    assert len(due) == 12 and now["confirm"]["due"] == [] and now["logs"] == before["logs"] + 1
    lead.undo()
    assert lead.says("status")["confirm"]["due"] == due


def stalled_threads_are_closed(lead: Lead) -> None:
    """With one log; no task is."""
    tasks, before = lead.says("task", "list", "--all"), lead.facts()
    lead.click(lead.page.get_by_role("navigation", name="Pages").get_by_role("link", name="Review"))
    lead.click("tick all 71")
    lead.click("Close what is ticked")
    expect(lead.recorded()).to_contain_text("and 70 more")
    closed = [id for id, one in lead.facts().items() if one["closed"] and not before[id]["closed"]]
    assert len(closed) == 71 and {before[id]["kind"] for id in closed} == {"thread"}
    assert lead.says("task", "list", "--all") == tasks
    lead.undo()
    assert not any(lead.facts()[id]["closed"] for id in closed)


def facts_that_nobody_used(lead: Lead) -> None:
    """The words lead where the number does."""
    lead.click("Health")
    lead.click("never used")
    live = [one for one in lead.facts().values() if one["tier"] not in ("archived", "superseded")]
    assert set(lead.ids()) == {one["id"] for one in live if one["uses"] < 2}
    expect(lead.page.locator("#facts [role=status]")).to_have_text(f"{len(lead.ids())} facts")


def a_fact_is_added(lead: Lead) -> None:
    """From the bar of any page; undone by one click more."""
    lead.click("Note")
    lead.page.get_by_label("Kind").select_option("fact")
    notice = lead.write(What_holds="A shop sends at most 90 orders a second.", About="Payments API")
    expect(notice).to_contain_text("diurna append --type edit")
    made = next(one for one in lead.facts().values() if "90 orders" in one["text"])
    assert (made["kind"], made["meta"]["entity"]) == ("fact", "Payments API")
    expect(notice.get_by_role("link", name=made["id"])).to_be_visible()
    lead.undo()
    assert lead.facts()[made["id"]]["false"]


def reworded(lead: Lead) -> None:
    """In words of one's own, from the page of the fact."""
    lead.click("webhook-retries")
    lead.click("Reword")
    lead.write(What_it_says_from_now_on="Webhooks retry ten times.")
    assert lead.facts()["webhook-retries"]["text"] == "Webhooks retry ten times."
    lead.undo()
    assert "five" in lead.facts()["webhook-retries"]["text"]


def replaced(lead: Lead) -> None:
    """By another fact, which is about the same."""
    lead.click("webhook-retries")
    lead.click("Replace")
    lead.write(What_holds_now="Webhooks retry for a day.")
    facts = lead.facts()
    by = facts[facts["webhook-retries"]["superseded_by"][0]]
    assert by["text"] == "Webhooks retry for a day."
    assert by["meta"]["entity"] == facts["webhook-retries"]["meta"]["entity"]
    lead.undo()
    assert lead.facts()["webhook-retries"]["superseded_by"] == []


def withheld(lead: Lead) -> None:
    """For good: its words are nowhere any more."""
    lead.click("webhook-retries")
    lead.click("Withhold")
    lead.write(Why="a name")
    assert lead.facts()["webhook-retries"]["redacted"]
    expect(lead.page.locator("main")).not_to_contain_text("with jitter")


def a_task_is_given(lead: Lead) -> None:
    """To somebody by name, with its goal."""
    lead.click("Work")
    lead.click("Add a task")
    lead.write(What="Rotate the key of the bank", For="codex")
    made = next(one for one in lead.says("task", "list")["tasks"] if "Rotate" in one["line"])
    assert made["owner"] == "codex"


def who_works_on_what(lead: Lead) -> None:
    """Each open task by its title, with its state and whoever has it."""
    lead.click("Work")
    for task in lead.says("task", "list")["tasks"]:
        row = lead.page.locator(
            ".row", has=lead.page.get_by_role("link", name=task["id"], exact=True)
        )
        expect(row.first).to_contain_text(task["line"])
        for name in filter(None, (task["owner"], task["claimant"])):
            expect(row.first).to_contain_text(name)


def a_reason_in_the_forge(lead: Lead) -> None:
    """The commit and the log of an event lead there; the text can be pasted elsewhere with its source."""
    lead.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    lead.click("webhook-retries")
    said = next(
        one for one in lead.says("why", "webhook-retries")["events"] if one["event"] == "Updated"
    )
    event = lead.page.locator(".chain > li", has_text="Updated")
    expect(event).to_contain_text(f"{said['author']}, with {said['agent']}")
    commit = event.get_by_role("link", name=said["commit"]).get_attribute("href") or ""
    sha = git(lead.served.folder, "rev-parse", said["commit"]).strip()
    log = event.get_by_role("link", name="log", exact=True).get_attribute("href")
    assert commit == f"{FORGE}/commit/{sha}" and log == f"{FORGE}/blob/{sha}/{said['path']}"
    lead.click("as text")
    pasted = lead.page.evaluate("navigator.clipboard.readText()")
    assert pasted.startswith(f"{said['text']}\n\ndecision webhook-retries, Ada") and log in pasted


def two_weeks_are_compared(lead: Lead) -> None:
    """Counts beside each other, each decision as a change; any two weeks by their days."""
    lead.click("Decisions")
    lead.click("compare")
    heads = lead.page.locator("thead th")
    weeks = [("2026-08-24", "2026-08-30"), ("2026-08-31", "2026-09-06")]
    expect(heads).to_have_text([" to ".join(one) for one in weeks])
    for column, (since, until) in enumerate(weeks):
        logs = lead.says("log", "--since", since, "--until", until)["sessions"]
        cell = lead.page.locator("tr", has_text="Work sessions").locator("td").nth(column)
        expect(cell).to_have_text(str(sum(one["type"] == "work" for one in logs)))
    expect(lead.page.locator(".side").last).to_contain_text("three → five")


def what_an_agent_reads_and_why(lead: Lead) -> None:
    """Each line of the brief for a task, in its order, and the sections say why."""
    lead.click("Brief")
    lead.page.get_by_label("Task").fill("retry the webhooks")
    expect(lead.page.locator("#brief section", has_text="For this task")).to_be_visible()
    brief, facts = lead.says("brief", "--task", "retry the webhooks"), lead.facts()
    lines = [one["id"] for part in brief["sections"] for one in part.get("facts", ())]
    shown = lead.page.locator("#brief .meta > a.id").all_inner_texts()
    assert shown == [id for id in lines if id in facts]
    expect(lead.page.locator("#brief section > .meta").first).to_be_visible()


#: (what does it, in which home, the most clicks), those that only read first: they are smokes.
JOBS = (
    (what_was_decided_and_by_whom, "plain", 1),
    (all_about_a_topic, "plain", 3),
    (what_was_true_at_a_release, "plain", 2),
    (where_a_wrong_idea_came_from, "people", 1),
    (facts_that_nobody_used, "plain", 2),
    (who_works_on_what, "plain", 1),
    (a_reason_in_the_forge, "plain", 2),
    (two_weeks_are_compared, "plain", 3),
    (what_an_agent_reads_and_why, "plain", 3),
    (a_contradiction_is_settled, "crowded", 2),
    (twelve_invariants_are_confirmed, "crowded", 3),
    (stalled_threads_are_closed, "crowded", 3),
    (a_fact_is_added, "plain", 5),
    (reworded, "plain", 4),
    (replaced, "plain", 4),
    (withheld, "plain", 4),
    (a_task_is_given, "plain", 4),
)
_READ = JOBS.index((a_contradiction_is_settled, "crowded", 2))


@pytest.mark.parametrize(
    ("job", "name", "most", "write"),
    [
        pytest.param(
            *one, at >= _READ, id=one[0].__name__, marks=[pytest.mark.smoke] * (at < _READ)
        )
        for at, one in enumerate(JOBS)
    ],
)
def test_a_job(
    server: Server, page: Page, job: Callable[[Lead], None], name: str, most: int, write: bool
) -> None:
    lead = Lead(page, server(name, write=write))
    job(lead)
    assert lead.clicks <= most


def test_the_desk_by_keys_alone(server: Server, page: Page) -> None:
    """`g` and a letter, Tab and Enter write a fact and take it back; `j`, `1`, `a`, `y`, `u` answer the review."""
    lead = Lead(page, server("crowded", write=True))
    lead.keys("g", "a")
    expect(page.get_by_label("What holds")).to_be_focused()
    lead.keys("Shops are open on Sundays.")
    tab_to(page, page.get_by_role("button", name=LOOK))
    lead.keys("Enter")
    expect(page.get_by_role("button", name=WRITE)).to_be_focused()
    lead.keys("Enter")
    expect(lead.recorded()).to_contain_text("Sundays")
    lead.keys("u")
    expect(lead.recorded()).to_contain_text("Undo: ")

    lead.keys("g", "r")
    expect(page.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    lead.keys("j", "1")
    expect(lead.recorded()).to_contain_text("Resolve")
    lead.keys("e")  # opens the words of the card that has the focus now
    expect(page.locator("article:focus-within textarea")).to_be_focused()
    lead.keys("y", "1", "u")  # where somebody writes no key answers
    assert len(lead.says("conflicts")["contradictions"]) == 6
    page.goto(f"{lead.served.address}/review?rule=thread-stalled")
    lead.keys("j", "y")
    expect(lead.recorded()).to_contain_text("Close ")
    lead.keys("a")
    expect(page.locator(".tick input:checked")).to_have_count(70)
    lead.keys("j", "y")
    expect(lead.recorded()).to_contain_text("and 69 more")
    assert lead.clicks == 0


def test_the_desk_without_a_script(server: Server, page: Page, browser: Browser) -> None:
    """Looked at, gone back, changed, written, undone: by ordinary forms; a refusal keeps what was typed."""
    served = server("plain", write=True)
    served.open(page)
    with browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    ) as context:
        lead = Lead(context.new_page(), served)
        bare = lead.page
        lead.click("webhook-retries")
        lead.click("Mark as false")
        for instead, why in (("nobody-knows", ""), ("", "it <does> not")):
            bare.get_by_label("What holds instead").fill(instead)
            bare.get_by_label("Why does it not hold?").fill(why)
            lead.click(LOOK)
            if instead:
                expect(bare.get_by_role("alert")).to_contain_text("There is no fact nobody-knows")
                expect(bare.get_by_label("What holds instead")).to_have_value(instead)
        lead.click("Go back")
        expect(bare.get_by_label("Why does it not hold?")).to_have_value("it <does> not")
        lead.click(LOOK)
        expect(lead.write()).to_contain_text("webhook-retries is false now")
        lead.undo()
        assert not lead.facts()["webhook-retries"]["false"]
