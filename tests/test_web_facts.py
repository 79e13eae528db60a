"""The pages that people read most: what holds, one fact, a search, a session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from ledger.errors import NotFound
from ledger.model.event import Event, FactCreated, FactReferenced, FactUpdated, ThreadClosed
from ledger.model.ids import version_id
from memory.api import Memory
from memory.recall.recall_values import Filters
from memory.write.draft import SessionDraft
from projection.document.page_renderer import render
from projection.lifecycle.transitions import fading, left_of
from rituals.serve.web.html.templates import Renderer
from rituals.serve.web.html.word_differences import word_differences, words_of
from rituals.serve.web.page_value import Page
from rituals.serve.web.pages import fact_page, facts_page, now_page, search_page, session_page
from rituals.serve.web.tip_view.tip_view import TipView, TipViews
from tests.conftest import Repo, Run
from tests.test_secrets_scanner import token as github_token
from tests.test_web_html import Read, frame_of

Tip = Callable[[], TipView]


@pytest.fixture
def tip(repo: Repo) -> Iterator[Tip]:
    """Return the tip of the home as it stands."""
    memory, views = Memory.open(str(repo.path), agent="claude"), TipViews()
    yield lambda: views.of(memory)
    memory.close()


def told(tip: TipView, page: Page) -> str:
    """Return a page as a browser is sent it."""
    return Renderer().render(page, frame_of(tip))


def text_of(html: str) -> str:
    """Return the words of a page's main part, parted by single blanks."""
    return " ".join(Read(html[html.index("<main") : html.index("</main>")]).text.split())


def append(tip: Tip, title: str, *events: Event) -> str:
    """Append a log and return its stem."""
    draft = SessionDraft(title, f"It went: {title}.", events, anyway=True)
    return tip().memory.append(draft).stem


def test_each_list_says_how_a_fact_is_known(tip: Tip) -> None:
    """By the words of `show` and `why`."""
    meta = (("kind", "decision"), ("entity", "Quay"))
    append(tip, "One", FactCreated("ferry", "The ferry waits for the tide.", "", meta))
    pages = (now_page.now(tip(), {}), search_page.search(tip(), {"q": "ferry"}), facts_page.facts(tip(), {"entity": "Quay"}))  # fmt: skip
    assert ["said by claude" in text_of(told(tip(), page)) for page in pages] == [True] * 3


def test_now_has_the_sections_and_facts_of_the_published_page(tip: Tip) -> None:
    """In its order; the most used first."""
    append(tip, "One", FactCreated("a", "Rule A.", "", (("kind", "invariant"),)), FactCreated("b", "It is B."),
           FactCreated("c", "It is C."))  # fmt: skip
    append(tip, "Two", FactReferenced("c"))
    page = now_page.now(tip(), {})
    published = re.findall(r"^## (.+)$", render(tip().state.view()), re.MULTILINE)
    titles = [one.title for one in page.values["sections"]]
    assert titles == [one for one in published if one in titles]
    assert [[one.fact.id for one in part.facts] for part in page.values["sections"]] == [
        ["a"],
        ["c", "b"],
    ]
    html = told(tip(), page)
    assert html.count('class="row fact"') == 3
    assert "1 session ago" in html


def test_now_is_filtered_by_words_tier_and_section(tip: Tip) -> None:
    """Words may stand in the id or in the text, in any case; the address has all of it."""
    append(tip, "One", FactCreated("retry-queue", "Webhooks retry.", "", (("kind", "invariant"),)),
           FactCreated("other", "Orders STAY."))  # fmt: skip

    def shown(**asked: str) -> list[str]:
        page = now_page.now(tip(), asked)
        return [one.fact.id for part in page.values["sections"] for one in part.facts]

    assert shown() == ["retry-queue", "other"]
    assert shown(q="QUEUE webhooks") == ["retry-queue"]
    assert shown(q="queue orders") == []
    assert shown(q="stay", tier="working") == ["other"]
    assert shown(tier="core") == ["retry-queue"]
    (title,) = [one.title for one in now_page.now(tip(), {"q": "stay"}).values["sections"]]
    assert shown(section=title) == ["other"]
    html = told(tip(), now_page.now(tip(), {"q": "stay", "tier": "working"}))
    assert 'value="stay"' in html
    assert '<a class="chip" aria-current="true" href="/?q=stay">' in html
    assert "No live fact is so." in told(tip(), now_page.now(tip(), {"agent": "<b>"}))
    assert "There is no tier &lt;b&gt;" in told(tip(), now_page.now(tip(), {"tier": "<b>"}))


@pytest.mark.deep(reason="test_web_html weighs a small page")
def test_now_is_light_however_many_facts_live(tip: Tip) -> None:
    """At most 40 KB; what is left out is a link away, and an address of a site."""
    long = "This is said in so many words that nobody reads them to their end. " * 9
    append(tip, "One", *[FactCreated(f"fact-with-a-long-name-{n}", f"Number {n}. {long}", "",
           (("kind", ("fact", "decision", "convention")[n % 3]),)) for n in range(100)])  # fmt: skip
    page = now_page.now(tip(), {})
    html = told(tip(), page)
    assert len(html.encode()) <= 40_000  # style and script are weighed by `test_a_page_is_light`
    shown = [len(one.facts) for one in page.values["sections"]]
    assert sum(shown) <= 50 < sum(shown) + len(shown)
    assert sum([one.total for one in page.values["sections"]]) == 100
    assert len(re.findall(r'href="/\?section=', html)) == 3
    for one in page.values["sections"]:
        whole = now_page.now(tip(), {"section": one.title})
        assert len(whole.values["sections"][0].facts) == one.total


def test_now_says_what_needs_somebody(tip: Tip, repo: Repo) -> None:
    """Counts that lead to the review; nothing where nothing waits, and in an empty home what to do."""
    assert "Nothing is remembered yet" in told(tip(), now_page.now(tip(), {}))
    first = append(tip, "One", FactCreated("limit", "Ten."))
    assert "attention" not in told(tip(), now_page.now(tip(), {}))
    was = (version_id("Ten."),)
    for text in ("Twenty.", "Thirty."):
        append(tip, text, FactUpdated("limit", text, was))
    assert first
    said = text_of(told(tip(), now_page.now(tip(), {})))
    assert "1 contradiction to resolve" in said


def test_why_is_told_newest_first_and_uses_are_folded(tip: Tip) -> None:
    """A run of plain uses is one; a use with a remark stands for itself."""
    append(tip, "Born", FactCreated("a", "It is A."))
    for number in range(3):
        append(tip, f"Used {number}", FactReferenced("a"))
    append(tip, "Said", FactReferenced("a", "it saved a day"))
    append(tip, "Again", FactReferenced("a"))
    page = fact_page.fact(tip(), {"id": "a"})
    assert [(one.run, len(one.steps)) for one in page.values["told"]] == [
        (True, 1), (False, 1), (True, 3), (False, 1)
    ]  # fmt: skip
    assert [step.title for step in page.values["told"][2].steps] == ["Used 2", "Used 1", "Used 0"]
    said = text_of(told(tip(), page))
    assert "Used in 3 sessions" in said
    assert said.index("Again") < said.index("it saved a day") < said.index("Born")


def test_a_text_is_compared_with_those_that_it_replaced(tip: Tip) -> None:
    """Not with the one before it in the ledger: two that did not know of each other changed the same one."""
    append(tip, "Born", FactCreated("a", "Ten seconds."))
    was = (version_id("Ten seconds."),)
    append(tip, "One", FactUpdated("a", "Twenty seconds.", was))
    append(tip, "Two", FactUpdated("a", "Thirty seconds.", was))
    append(tip, "Both", FactUpdated("a", "Forty seconds.", None))
    changes = [one.changes for one in fact_page.fact(tip(), {"id": "a"}).values["told"]]
    assert [[(before, after) for _, before, after in one] for one in changes] == [
        [("Twenty seconds.", "Forty seconds."), ("Thirty seconds.", "Forty seconds.")],
        [("Ten seconds.", "Thirty seconds.")],
        [("Ten seconds.", "Twenty seconds.")],
        [],
    ]
    html = told(tip(), fact_page.fact(tip(), {"id": "a"}))
    assert "<del>Ten</del><ins>Thirty</ins> seconds." in html


def test_a_diff_is_of_the_words_that_people_read() -> None:
    """Not of markup, nor of where lines were wrapped; what stayed is cut between words."""
    before = (
        "**Retries** are for\nwebhooks, see [the *queue*](https://example.org).\n\n- ten\n- two"
    )
    after = "Retries are for webhooks,\nsee the `queue`.\n\n- ten\n- three"
    assert words_of(before) == "Retries are for webhooks, see the queue.\nten\ntwo"
    assert word_differences(before, after) == (
        "Retries are for webhooks, see the queue.\nten\n<del>two</del><ins>three</ins>"
    )
    assert "set otherwise" in word_differences("**a**\nb", "a *b*")
    words = " ".join([f"word{number}" for number in range(99)])
    gap = word_differences(f"{words} old {words}", f"{words} new {words}").split("<del>")[0]
    assert re.fullmatch(r'<span class="gap"> … </span>(word\d+ )+', gap)


def test_each_event_has_a_place_of_its_own(tip: Tip) -> None:
    """Also two of one log, and each of a run of uses: a link to one leads to it for good."""
    append(tip, "Born", FactCreated("a", "Is it?", " ", (("kind", "thread"),)))
    append(tip, "Both", FactUpdated("a", "Is it ten?"), ThreadClosed("a"))
    for number in range(3):
        append(tip, f"Used {number}", FactReferenced("a"))
    page = fact_page.fact(tip(), {"id": "a"})
    places = [place for one in page.values["told"] for place in one.places]
    assert len(set(places)) == len(page.values["why"].steps) == 6
    html = told(tip(), page)
    for place in places:
        assert html.count(f'id="{place}"') == html.count(f'href="#{place}"') == 1
    append(tip, "Later", FactReferenced("a"))
    later = fact_page.fact(tip(), {"id": "a"}).values["told"]
    assert [place for one in later for place in one.places][1:] == places


def test_what_was_built_on_a_false_fact_is_said(tip: Tip, run: Run) -> None:
    """Facts that name it, and sessions that used it, with what came of them; not what came behind its end."""
    append(tip, "Guess", FactCreated("price-cache", "Prices live for 24 hours."))
    append(
        tip, "Page", FactReferenced("price-cache"), FactCreated("page", "The page asks once a day.")
    )
    append(
        tip,
        "Link",
        FactCreated("linked", "As [[price-cache]] says."),
        FactCreated("named", "By price-cache."),
    )
    append(tip, "Other", FactCreated("other", "Not price-cache-too."))
    assert fact_page.fact(tip(), {"id": "price-cache"}).values["built"] is None
    assert run("append", "--title", "True", "--new", "id=truth It is one hour, not as [[price-cache]] said.",
               "--supersede", "price-cache=truth").code == 0  # fmt: skip
    append(tip, "Behind", FactReferenced("price-cache"))
    page = fact_page.fact(tip(), {"id": "price-cache"})
    built = page.values["built"]
    assert [one.id for one in built.facts] == ["linked", "named"]
    came = [
        (session.title, how, [one.id for one in facts]) for session, how, facts in built.readers
    ]
    assert came == [("Page", "used", ["page"])]
    said = text_of(told(tip(), page))
    assert "What was built on it while it stood until 20" in said
    assert "2 facts that name it" in said
    append(tip, "Alone", FactCreated("alone", "Nobody asks."))
    assert run("forget", "alone", "--false", "--reason", "no").code == 0
    assert "no fact names it, and no session used it" in text_of(
        told(tip(), fact_page.fact(tip(), {"id": "alone"}))
    )


def test_a_contradicted_fact_shows_its_sides_and_no_joined_text(tip: Tip) -> None:
    """Who said what stands beside each other; what would be confirmed is not clear, so nothing is offered."""
    append(tip, "Born", FactCreated("a", "Ten seconds."))
    was = (version_id("Ten seconds."),)
    append(tip, "One", FactUpdated("a", "Twenty seconds.", was))
    append(tip, "Two", FactUpdated("a", "Thirty seconds.", was))
    html = told(tip(), fact_page.fact(tip(), {"id": "a"}))
    assert html.count('class="card side"') == 2
    assert "Resolve it in the review" in html
    assert "diurna review --confirm" not in html
    said = text_of(html)
    assert said.index("Contradicted changed on several sides") < said.index("Thirty seconds.")
    assert "Twenty seconds. Thirty seconds." not in said
    assert "Thirty seconds. Twenty seconds." not in said
    html = told(tip(), now_page.now(tip(), {}))
    assert html.count('class="side card text clamp"') == 2, "no side is left out among what holds"
    assert "Twenty seconds." in html and "Thirty seconds." in html
    assert html.count(">contradicted</span>") == 1


@pytest.mark.deep(reason="test_not_true_any_more has it at the command line")
def test_what_does_not_hold_says_so_first(tip: Tip, run: Run) -> None:
    """Superseded with what stands instead, invalidated, closed, put away: before the text, each in words."""
    append(tip, "One", *[FactCreated(name, f"It is {name}.") for name in ("old", "false", "away")],
           FactCreated("ask", "Is it?", " ", (("kind", "thread"),)))  # fmt: skip
    assert run("append", "--title", "Two", "--new", "id=new It is new.", "--supersede", "old=new",
               "--invalidate", "false", "--close", "ask").code == 0  # fmt: skip
    assert run("forget", "--archive", "away", "--reason", "nobody asks").code == 0
    for name, words in (
        ("old", "It does not hold: it was superseded. new stands instead."),
        ("false", "It does not hold: it was invalidated."),
        ("ask", "This is closed."),
        ("away", "It is in the archive: somebody put it away."),
    ):
        said = text_of(told(tip(), fact_page.fact(tip(), {"id": name})))
        assert words in said, (name, said)
        assert said.index(words) < said.index("Is it?" if name == "ask" else f"It is {name}.")
    assert "diurna edit old --restore" in told(tip(), fact_page.fact(tip(), {"id": "old"}))
    assert "diurna forget away --back" in told(tip(), fact_page.fact(tip(), {"id": "away"}))


def test_a_redacted_fact_shows_no_word(tip: Tip, run: Run) -> None:
    """Neither of what it says, nor of what it said, nor in the session that brought it."""
    append(tip, "One", FactCreated("a", "The villain is Xaver."), FactCreated("b", "It is B."))
    stem = append(tip, "Two", FactUpdated("a", "The villain is Yorick."))
    assert run("redact", "a", "--reason", "a name of a person").code == 0
    html = told(tip(), fact_page.fact(tip(), {"id": "a"}))
    assert "Its words are withheld" in html
    assert "a name of a person" in text_of(html), "the reason is said"
    assert "diurna review --confirm" not in html
    for entry in tip().entries:
        html += told(tip(), session_page.session(tip(), {"stem": entry.stem}))
    html += told(tip(), session_page.session(tip(), {"stem": stem}))
    html += told(tip(), search_page.search(tip(), {"q": "villain", "level": "full"}))
    assert "Xaver" not in html
    assert "Yorick" not in html
    assert "It is B." in html


def test_an_id_without_a_text_has_a_page_and_what_nobody_names_has_none(tip: Tip) -> None:
    """What logs name is shown with its events; a link leads only where there is a page."""
    append(tip, "One", FactCreated("a", "See [[ghost]] and [[nobody]]."))
    append(tip, "Two", FactReferenced("ghost"))
    page = fact_page.fact(tip(), {"id": "ghost"})
    said = text_of(told(tip(), page))
    assert "an id without a text" in said
    assert re.search(r"Used \w+ by claude, 20", said)  # the person whom git knows, and the agent
    html = told(tip(), fact_page.fact(tip(), {"id": "a"}))
    assert 'href="/fact/ghost"' in html
    assert 'href="/fact/nobody"' not in html
    with pytest.raises(NotFound):
        fact_page.fact(tip(), {"id": "nobody"})


def test_the_card_says_when_a_fact_fades(tip: Tip) -> None:
    """As the review forecasts it; what never fades says that."""
    append(
        tip,
        "One",
        FactCreated("a", "It is A."),
        FactCreated("b", "Rule.", "", (("kind", "invariant"),)),
    )
    for number in range(12):
        append(tip, f"Other {number}")
    view = tip()
    policy = view.state.policy
    expected = {one.id: one for one in fading(view.state.standings(), view.state.decay, policy)}
    left = left_of(view.standings["a"], view.state.decay, policy)
    assert left is not None
    assert expected.get("a", left) == left
    assert f"after {left.left} sessions unused" in text_of(
        told(view, fact_page.fact(view, {"id": "a"}))
    )
    assert "never by itself" in text_of(told(view, fact_page.fact(view, {"id": "b"})))


@pytest.mark.deep(reason="test_web_lists is the small one")
def test_a_search_parts_what_holds_from_what_was_said(
    tip: Tip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranked and explained; a person's own home is never asked, whatever the address says."""
    append(tip, "The queue broke", FactCreated("queue", "The queue holds ten orders."))
    asked: list[Filters] = []
    recall = Memory.recall

    def listening(memory: Memory, query: str, **how: object) -> object:
        asked.append(how["filters"])  # type: ignore[arg-type]
        return recall(memory, query, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Memory, "recall", listening)
    for level in ("", "index", "timeline", "full", "nonsense"):
        page = search_page.search(tip(), {"q": "queue", "level": level, "in": "", "yours": "1"})
        html = told(tip(), page)
        said = text_of(html)
        assert said.index("What holds 1") < said.index("What was said")
        assert 'href="/fact/queue"' in html
        assert "Why this rank" in said
    for within in ("facts", "sessions", "upstream", "me"):
        page = search_page.search(tip(), {"q": "queue", "in": within})
        assert page.values["within"] == (within if within in ("facts", "sessions") else "")
    assert not any(one.yours or one.within == "upstream" for one in asked)
    assert "Nothing answers that." in told(tip(), search_page.search(tip(), {"q": "zebra"}))
    count = len(asked)
    assert "What holds" not in told(tip(), search_page.search(tip(), {"q": "  "}))
    assert len(asked) == count


def test_a_session_says_what_it_did_and_stands_in_a_row(tip: Tip) -> None:
    """What it made, changed and used, with what became of that; the one before and the one behind."""
    first = append(tip, "First", FactCreated("a", "It is A."), FactCreated("b", "It is B."))
    second = append(tip, "Second", FactUpdated("a", "It is a better A."), FactReferenced("b"))
    third = append(tip, "Third")
    page = session_page.session(tip(), {"stem": second})
    assert [page.values[name].title for name in ("before", "behind")] == ["First", "Third"]
    html = told(tip(), page)
    assert f'href="/session/{first}" rel="prev"' in html
    assert f'href="/session/{third}" rel="next"' in html
    said = text_of(html)
    assert "fact, rewordedIt is a better A. a used b" in said
    assert "used b" in said
    assert re.match(
        r"\w+, \d+ \w+ 20\d\d, \d\d:\d\d UTC Second \w+ by claudecommit [0-9a-f]{7}", said
    )
    for once in (
        "It went: Second.",
        "It is a better A.",
        "Second claude",
        "← First 20",
        " → Third",
    ):
        assert said.count(once) <= 1, once
    assert "<!--" not in said
    assert page.title == "Second"
    assert session_page.session(tip(), {"stem": second[:22]}).values["entry"].stem == second
    with pytest.raises(NotFound):
        session_page.session(tip(), {"stem": "2001-01-01"})
    with pytest.raises(NotFound):
        session_page.session(tip(), {"stem": "me/a"})


def test_secrets_of_old_logs_are_on_no_page(tip: Tip, repo: Repo) -> None:
    """A log by hand, and a fact, from before secrets were looked for."""
    secret = github_token()
    folder = repo.path / "memory" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "2026-01-02-030405.md").write_text(
        f"# It uses {secret}\n\nThe queue uses {secret}.\n\n## Memory References\n\n- Created: old\n\n"
        f"## Facts\n\n- The queue uses {secret}.\n  <!-- id: old | source: {secret} -->\n"
    )
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "by hand")
    view = tip()
    html = told(view, session_page.session(view, {"stem": "2026-01-02-030405"}))
    html += told(view, fact_page.fact(view, {"id": "old"})) + told(view, now_page.now(view, {}))
    for level in ("index", "timeline", "full"):
        html += told(view, search_page.search(view, {"q": "queue", "level": level}))
    assert "The queue uses" in html
    assert secret not in html
