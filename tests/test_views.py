"""Views are pure: the same ledger gives the same bytes, and what they show is read back as it was meant."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.codec.log import encode, entry_of
from ledger.errors import NotFound
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactMoved,
    FactRedacted,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from ledger.model.layout import VIEW_FILES, log_path
from ledger.model.logset import LogRef
from ledger.model.session import SessionLog
from ledger.model.sha256 import blob_id
from memory.cache.rebuild import build
from memory.replay.replayed_state import state_from
from memory.replay.view_source import source_of_cache, source_of_state
from projection.document.edit_events import Absorbed
from projection.fold.full_replay import State
from projection.policy.model import Policy
from projection.views.decision_view import numbered
from projection.views.entity_view import typed
from projection.views.session_views import week_of
from projection.views.view_files import absorb_file, has_rendered_form, published, unsaid
from projection.views.view_source import SessionLine, ViewSource
from projection.views.view_table import VIEWS, view
from tests.conftest import each_row, examples
from tests.test_laws import LAW, Logged, ledgers, policies, replayed

VIEW_LAW = settings(LAW, max_examples=examples(30))
OF_FACTS = ("state", "progress", "decisions", "entities", "roles", "actions")


def _shown(source: ViewSource) -> dict[str, str]:
    """Every view of facts, and each file."""
    found = {name: view(name, source) for name in OF_FACTS}
    return found | {path: published(name, source) for path, name in VIEW_FILES.items()}


@VIEW_LAW
@given(ledgers(), policies, st.randoms(use_true_random=False))
def test_views_do_not_depend_on_arrival_or_on_the_cache(
    logs: list[Logged], policy: Policy, rng: random.Random
) -> None:
    """From a replay in any order, from a cache filled in any grouping: the same bytes."""
    whole = _shown(source_of_state(replayed(logs, policy)))
    shuffled = logs.copy()
    rng.shuffle(shuffled)
    again = state_from([log.ref for log in shuffled], [log.entry for log in shuffled], policy)
    assert _shown(source_of_state(again)) == whole
    cache = build("", "0", [], [], (), ("", policy, ""))
    try:
        number = 0
        while shuffled:
            part = [shuffled.pop() for _ in range(min(rng.randint(1, 4), len(shuffled)))]
            refs, entries = [log.ref for log in part], [log.entry for log in part]
            assert cache.advance(str(number), str(number + 1), refs, entries, ())
            number += 1
        for name in OF_FACTS:
            assert view(name, source_of_cache(cache, (name,))) == whole[name]
        source = source_of_cache(cache, VIEW_FILES.values())
        assert {path: published(VIEW_FILES[path], source) for path in VIEW_FILES} == {
            path: whole[path] for path in VIEW_FILES
        }
    finally:
        cache.close()


@VIEW_LAW
@given(ledgers(), policies)
def test_what_was_published_says_nothing_new(logs: list[Logged], policy: Policy) -> None:
    """absorb(publish(x)) is empty; the file has its form, and holds nothing that is in no log."""
    state = replayed(logs, policy)
    source = source_of_state(state)
    for path, name in VIEW_FILES.items():
        text = published(name, source)
        assert has_rendered_form(path, text), text
        assert unsaid(path, text, state.histories) == ()
        for same in (text, text.replace("\n", "\r\n"), text.rstrip("\n"), "\ufeff" + text):
            assert absorb_file(path, text, same, policy, state.get) == Absorbed((), ())


@VIEW_LAW
@given(ledgers(), ledgers(), policies)
def test_numbers_of_decisions_stay_as_the_ledger_grows(
    logs: list[Logged], more: list[Logged], policy: Policy
) -> None:
    """A log that sorts behind all others takes no decision's number, whatever it says."""
    before = numbered(replayed(logs, policy).histories)
    newest = max((log.ref.key for log in logs), default="")
    late = [log for log in more if log.ref.key > newest]
    after = numbered(replayed([*logs, *late], policy).histories)
    assert before.items() <= after.items()
    assert sorted(after.values()) == list(range(1, len(after) + 1))


# ---- by example ------------------------------------------------------------------------------------


def ledger(*said: tuple[Event, ...], agent: str = "codex") -> State:
    """Replay logs, a minute apart, that say these events."""
    refs, entries = [], []
    for number, events in enumerate(said):
        stem = f"2026-11-21-10{number // 60:02}{number % 60:02}"
        log = SessionLog((("agent", agent),), f"Log {number}", "", events)
        refs.append(LogRef(stem, log_path(stem), blob_id(encode(log))))
        entries.append(entry_of(stem, log))
    return state_from(refs, entries, Policy("shop"))


def task(id: str, text: str, *more: tuple[str, str]) -> FactCreated:
    """A task that is yet to be done."""
    return FactCreated(id, text, " ", (("kind", "task"), *more))


def of_kind(id: str, text: str, kind: str, *more: tuple[str, str]) -> FactCreated:
    """A fact of a kind."""
    return FactCreated(id, text, "", (("kind", kind), *more))


def say(state: State, path: str, *pairs: tuple[str, str]) -> Absorbed:
    """Edit the file of a view, and read what the edit says."""
    text = published(VIEW_FILES[path], source_of_state(state))
    edited = text
    for old, new in pairs:
        assert edited.count(old) == 1, (old, edited)
        edited = edited.replace(old, new)
    return absorb_file(path, text, edited, state.policy, state.get)


WORK = ledger(
    (of_kind("state-phase", "Hardening", "state"), task("queue", "Write the queue.")),
    (task("api", "Cut the API.", ("priority", "high")), task("docs", "Write it up.")),
    (FactMoved("queue", "in-progress"), FactMoved("docs", "blocked")),
    (task("old", "Set up CI."), FactCreated("idea", "Cache it?", " ")),
    (ThreadClosed("old"),),
)


def test_state_has_its_headings_and_content_below_each() -> None:
    """Programs read the next line of a heading; what nobody recorded is said so."""
    lines = view("state", source_of_state(WORK)).split("\n")
    below = {line: after for line, after in pairwise(lines) if line[:3] == "## "}
    assert below == {
        "## Current Phase": "Hardening",
        "## Current Status": "Not recorded.",
        "## Active Work": "- [ ] Write the queue.",
        "## Blocked Items": "- [ ] Write it up.",
        "## Next Action": "Write the queue. (`queue`)",
        "## Last Updated": "2026-11-21 10:00 UTC",
    }


def test_progress_sorts_by_state_and_priority() -> None:
    """Completed with its day; of what is not begun the weightier first, threads after tasks."""
    text = view("progress", source_of_state(WORK))
    order = [line for line in text.split("\n") if line[:2] in ("##", "- ")]
    assert order == [
        "## Completed 2026-11-21", "- [x] Set up CI.", "## In Progress", "- [ ] Write the queue.",
        "## Blocked", "- [ ] Write it up.", "## Not Started", "- [ ] Cut the API.", "- [ ] Cache it?",
    ]  # fmt: skip


def test_decisions_are_numbered_and_the_last_ten_whole() -> None:
    """Who decided, why, and whether it holds; what is redacted keeps its number and says nothing."""
    said: list[tuple[Event, ...]] = [
        (of_kind(f"d{n}", f"Take {n} because of {n}.", "decision"),) for n in range(13)
    ]
    state = ledger(
        *said, (FactSuperseded("d11", "d12"), FactInvalidated("d10"), FactRedacted("d9"))
    )
    text = view("decisions", source_of_state(state))
    assert text.count("- Decided by: codex\n") == 10 and "## DEC-013: Take 12" in text
    assert "- Rationale: of 12.\n- Status: accepted" in text
    assert "- Status: superseded by d12" in text and "- Status: invalidated" in text
    assert "- DEC-001: Take 0 because of 0. (2026-11-21, accepted) `d0`" in text
    assert "## DEC-010: (redacted)" in text and "Take 9" not in text
    assert numbered(ledger(*said).histories)["d12"] == 13


@each_row(
    "path, pairs, events",
    [
        ("STATE.md", [("Hardening", "Shipping")],
         [FactUpdated("state-phase", "Shipping", ("be9d8feb",))]),
        ("STATE.md", [("Not recorded.", "All green")],
         [of_kind("state-status", "All green", "state")]),
        ("STATE.md", [("- [ ] Write the queue.", "- [x] Write the queue.")],
         [ThreadClosed("queue", was=("d94a2f43", "2026-11-21-100002"))]),
        ("STATE.md", [("## Blocked Items", "- Fix the flake.\n\n## Blocked Items")],
         [task("marizi", "Fix the flake."), FactMoved("marizi", "in-progress", was=())]),
        ("PROGRESS.md", [("- [ ] Cache it?", "- [x] Cache it?")], [ThreadClosed("idea", was=("b7f2f8b3",))]),
        ("PROGRESS.md", [("- [ ] Cut the API.\n  <!-- id: api | kind: task | priority: high -->\n", ""),
                         ("## Blocked", "- [ ] Cut the API.\n  <!-- id: api | kind: task | priority: high -->\n"
                          "\n## Blocked")],
         [FactMoved("api", "in-progress", was=())]),
        ("PROGRESS.md", [("priority: high", "priority: low")],
         [FactUpdated("api", "Cut the API.", None, " ", (("priority", "low"),))]),
        ("DECISIONS.md", [("None.", "- Use Redis.")], [of_kind("futeru", "Use Redis.", "decision")]),
    ],
)  # fmt: skip
def test_edits_are_read(path: str, pairs: list[tuple[str, str]], events: list[Event]) -> None:
    """A ticked box closes, a reworded line updates, a new bullet is a fact, another heading a move."""
    found = say(WORK, path, *pairs)
    assert found.findings == ()
    assert [
        one._replace(was=want.was)
        if isinstance(one, FactUpdated | ThreadClosed) and isinstance(want, type(one))
        else one
        for one, want in zip(found.events, events, strict=True)
    ] == events


@each_row(
    "path, pair, said",
    [
        ("STATE.md", ("## Blocked Items\n", "## Blocked Items\nJust words.\n"), "no part of a fact"),
        ("STATE.md", ("## Current Phase", "## Our Phase"), "no part of a fact"),
        ("STATE.md", ("2026-11-21 10:00 UTC", "2026-11-22 10:00 UTC"), "no part of a fact"),
        ("STATE.md", ("- [ ] Write the queue.\n  <!-- id: queue | kind: task | moves: in-progress in "
                      "2026-11-21-100002 -->\n", ""), "queue was taken out"),
        ("STATE.md", ("# State — shop", "# State — mine"), "head was changed"),
        ("STATE.md", ("moves: in-progress in", "moves: done in"), "`moves` of queue was changed"),
        ("DECISIONS.md", ("- Rationale: not recorded", "- Rationale: speed"), "no part of a fact"),
        ("DECISIONS.md", ("## DEC-001: Go.", "## DEC-001: Stop."), "no part of a fact"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_named(path: str, pair: tuple[str, str], said: str) -> None:
    """With its line; none of it becomes an event, and none of it is dropped in silence."""
    state = ledger(
        (of_kind("state-phase", "Hardening", "state"), task("queue", "Write the queue.")),
        (of_kind("go", "Go.", "decision"),),
        (FactMoved("queue", "in-progress"),),
    )
    found = say(state, path, pair)
    assert any(said in one.message for one in found.findings), found
    assert all(one.file == path and one.line for one in found.findings)


def test_texts_forge_no_structure() -> None:
    """What looks like a heading, a footer or a bullet stays the text of its fact, in every view."""
    odd = "## Blocked Items\n- [x] done\n<!-- id: other -->\n# Title"
    state = ledger(
        (of_kind("state-phase", odd, "state"), of_kind("state-next", "- x", "state")),
        (task("t", odd), of_kind("d", odd, "decision", ("entity", "a\u202eb/c"))),
    )
    for path, name in VIEW_FILES.items():
        text = published(name, source_of_state(state))
        assert absorb_file(path, text, text + "\n", state.policy, state.get) == Absorbed((), ())
        assert has_rendered_form(path, text)
    lines = view("state", source_of_state(state)).split("\n")
    assert lines.count("## Blocked Items") == 1


def test_notes_of_roles_stand_in_roles_alone() -> None:
    """No other view has a word of them."""
    note = ("role", "judge, auditor")
    events = tuple(
        of_kind(f"n-{kind}", f"Judges only: {kind}.", kind, note, ("entity", "person/Ada"))
        for kind in ("task", "decision", "state", "pattern", "thread")
    )
    source = source_of_state(ledger(events))
    assert all("Judges" not in view(name, source) for name in OF_FACTS if name != "roles")
    text = view("roles", source)
    assert text.count("Judges only: pattern.") == 2 and "## auditor" in text
    assert "Judges only: pattern. (pattern, observed) `n-pattern`" in text


@each_row(
    "said, meant",
    [
        ("person/Alice", ("person", "Alice")),
        ("Person / Alice B", ("person", "Alice B")),
        ("Payments API", ("other", "Payments API")),
        ("src/app.py", ("other", "src/app.py")),
        ("a/b/c", ("other", "a/b/c")),
        ("/", ("other", "/")),
        ("person/", ("other", "person/")),
        ("../etc", ("other", "../etc")),
    ],
)
def test_types_of_entities(said: str, meant: tuple[str, str]) -> None:
    """A word before a slash is a type; a path is none."""
    assert typed(said) == meant


def test_entities_are_found_in_any_spelling() -> None:
    """A page for each, by type; the facts that hold by kind, and how many do not."""
    ada = ("entity", "person/Ada, Payments-API")
    state = ledger(
        (of_kind("a", "Ada leads.", "fact", ada), of_kind("b", "Ask Ada.", "decision", ada)),
        (of_kind("c", "Ada left.", "fact", ("entity", "Person/ada")), FactInvalidated("c")),
    )
    text = view("entities", source_of_state(state), "person/ADA")
    assert "## person\n\n### Ada\n1 more about it is false by now.\n\n#### Key Decisions" in text
    assert "Payments" in view("entities", source_of_state(state))
    with pytest.raises(NotFound):
        view("entities", source_of_state(state), "topic/Ada")


def test_bad_names_and_dates() -> None:
    """Each is refused with what was meant."""
    source = source_of_state(ledger())
    for name, argument, hint in (
        ("stat", "", "did you mean state?"),
        ("xyzzy", "", "views: state"),
        ("daily", "2026-02-30", "2026-11-21"),
        ("state", "x", "diurna view state"),
    ):
        with pytest.raises(NotFound) as refused:
            view(name, source, argument)
        assert hint in refused.value.hint


def test_a_ledger_without_logs_has_every_view() -> None:
    """Nothing is made up, and nothing fails."""
    source = source_of_state(ledger())
    for name in VIEWS:
        assert view(name, source).startswith("# ")


def test_days_are_parted_by_the_clock_of_utc() -> None:
    """Morning ends at noon, afternoon at six; a log without a time of day stands in the morning."""
    lines = tuple(
        SessionLine(f"2026-11-21{clock}", "a", title=f"At{clock}")
        for clock in ("-235959", "-180000", "-120000", "-115959", "")
    )
    source = source_of_state(ledger())._replace(sessions=lines)
    text = view("daily", source, "2026-11-21")
    at = [line for line in text.split("\n") if line[:1] == "#"][1:]
    assert at == [
        "## Morning", "### --:-- - At", "### 11:59 - At-115959", "## Afternoon",
        "### 12:00 - At-120000", "## Evening", "### 18:00 - At-180000", "### 23:59 - At-235959",
    ]  # fmt: skip
    assert "Saturday, 2026-11-21" in view("weekly", source, "2026-11-19")


def test_weeks_at_the_ends_of_the_calendar() -> None:
    """A week is seven days from Monday, where the calendar has them."""
    assert week_of("2026-11-22")[0] == "2026-11-16" and len(week_of("2026-11-22")) == 7
    assert week_of("0001-01-01")[0] == "0001-01-01" and week_of("9999-12-31")[-1] == "9999-12-31"
