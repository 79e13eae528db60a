"""The plan of a review as a pure function of logs: what it asks, once, and what answers make of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactPromoted,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
)
from ledger.model.layout import BRIEF_CHARS
from ledger.model.log_names import LogRef, stamp_of
from ledger.model.session import Entry
from memory.replay.state_as_of import state_from
from projection.lifecycle.promotion import (
    Worth,
    paragraphs_of,
    sessions_using,
    worth_promoting,
)
from projection.lifecycle.review_due import Size, key_of, reasons
from projection.lifecycle.tier_changes import Change, Fading
from projection.policy.model import Policy, Review, Windows
from rituals.review.questions import Question, threads_for
from rituals.review.review_answers import ACCEPT, REJECT, events_of
from rituals.review.review_plan import Plan, plan_of

START_MS = 1_780_000_000_000
HOUR_MS = 3_600_000
SMALL = Policy(
    windows=Windows(1, 2, 4),
    review=Review(
        every=5, max_facts=0, max_lines=0, closed_thread_lines=0, verify_invariants_every=0,
        stale_thread_after=0,
    ),
)  # fmt: skip


def limits(**changed: int) -> Policy:
    """Return the small policy with other limits of a review."""
    return SMALL._replace(review=SMALL.review._replace(**changed))


def new(name: str, text: str = "", kind: str = "fact", mark: str = "", **meta: str) -> FactCreated:
    """Create a fact."""
    mark = mark or (" " if kind == "thread" else "")
    return FactCreated(name, text or f"The fact {name}.", mark, (("kind", kind), *meta.items()))


class Book:
    """A ledger in the making."""

    def __init__(self, policy: Policy = SMALL) -> None:
        self.policy = policy
        self.logs: list[tuple[LogRef, Entry]] = []

    def log(
        self, *events: Event | str, agent: str = "a", type: str = "work", hours: int = 1
    ) -> str:
        """Append a log; a plain id is a reference."""
        number = len(self.logs)
        stem = f"{stamp_of(START_MS + number * hours * HOUR_MS)}-{number:012x}"
        acts = tuple(event for event in events if not isinstance(event, str))
        named: dict[str, None] = {}
        for event in events:
            if isinstance(event, str):
                named.setdefault(event)
            elif isinstance(event, FactSuperseded):
                named.setdefault(event.new)
            elif not isinstance(event, FactInvalidated):
                named.setdefault(event.id)
        entry = Entry(stem, type == "work", agent, type, tuple(named), acts)
        self.logs.append((LogRef(stem, f"{stem}.md", f"{number:040x}"), entry))
        return stem

    def idle(self, count: int) -> None:
        """Append sessions that name nothing."""
        for _ in range(count):
            self.log()

    def plan(self) -> Plan:
        """Plan a review."""
        state = state_from([r for r, _ in self.logs], [e for _, e in self.logs], self.policy)
        return plan_of("tip", state, self.logs, None)

    def review(self, **given: str) -> Plan:
        """Plan a review and append its log, with answers by fact id; return the plan."""
        plan = self.plan()
        answers = {one.key: given[one.facts[0]] for one in plan.unanswered
                   if one.facts and one.facts[0] in given}  # fmt: skip
        answers.update({one.id: given[one.id] for one in plan.settled if one.id in given})
        self.log(*events_of(plan, answers), type="review")
        return plan


def rules(plan: Plan) -> dict[str, list[str]]:
    """Return the ids that each rule asks about."""
    found: dict[str, list[str]] = {}
    for one in plan.questions:
        found.setdefault(one.rule, []).append(one.facts[0] if one.facts else "")
    return found


# ---- what time did --------------------------------------------------------------------------------


def test_a_first_review_tells_where_things_stand() -> None:
    """Without an earlier review there is nothing to compare with; what fades next is told."""
    book = Book()
    book.log(new("a"), new("b"))
    book.idle(3)
    plan = book.plan()
    assert plan.ageing.born == () and plan.ageing.changed == ()
    assert plan.ageing.fading == (Fading("a", 2), Fading("b", 2))
    assert plan.due == () and plan.sessions_since == 4


def test_what_changed_since_the_last_review() -> None:
    """Tiers that changed, facts that faded, threads that were swept, what became false or came back."""
    book = Book()
    book.log(new("keep"), new("fade"), new("wrong"), new("right"), new("job", kind="thread"))
    book.idle(5)
    book.log("keep", ThreadClosed("job"))
    book.review()
    book.log(FactSuperseded("wrong", "right"), new("young"))
    book.idle(1)
    plan = book.plan()
    assert plan.ageing.born == ("young",)
    assert Change("right", "archived", "active") in plan.ageing.changed
    assert Change("wrong", "archived", "superseded") in plan.ageing.changed
    assert plan.ageing.false == ("wrong",)
    assert plan.ageing.returned == ("right",)
    book.idle(4)
    plan = book.plan()
    assert plan.ageing.swept == ("job",)
    assert plan.ageing.faded == ("keep", "young")
    assert "keep" not in [one.id for one in plan.ageing.fading]


def test_fading_names_how_many_sessions_are_left() -> None:
    """After so many more sessions that do not name it, and no earlier, a fact is archived."""
    book = Book()
    book.log(new("a"), "a")
    book.log("a")
    left = {one.id: one.left for one in book.plan().ageing.fading}["a"]
    for number in range(1, left + 1):
        book.idle(1)
        state = book.plan().state
        assert state["a"].live == (number < left)


# ---- what it asks ---------------------------------------------------------------------------------


def test_invariants_are_due_and_confirmed() -> None:
    """What never decays is asked about after so many sessions, as one thread, and again after as many."""
    book = Book(limits(verify_invariants_every=3))
    book.log(
        new("inv", kind="invariant"), new("held", kind="decision"), new("north", kind="vision")
    )
    book.log(FactPromoted("held"), new("other"))
    book.idle(1)
    assert rules(book.plan()) == {}
    book.idle(1)
    plan = book.review()
    assert rules(plan) == {"invariant-due": ["held", "inv", "north"]}
    assert len(threads_for(plan.fresh)) == 1
    assert book.plan().nothing_new
    book.idle(3)  # another round: the first thread still asks
    assert book.plan().fresh == ()
    book.log(FactVerified("inv"), FactVerified("north"))
    assert rules(book.plan()) == {"invariant-due": ["held"]}
    plan = book.review(held=ACCEPT)
    assert book.plan().state["held"].fact.verified
    assert book.plan().state[plan.raised[0].id].fact.closed


def test_an_updated_invariant_was_looked_at() -> None:
    """A text that somebody wrote anew needs no confirmation yet."""
    book = Book(limits(verify_invariants_every=3))
    first = new("inv", kind="invariant")
    book.log(first)
    book.idle(2)
    book.log(FactUpdated("inv", "Otherwise.", None))
    book.idle(2)
    assert rules(book.plan()) == {}
    book.idle(1)
    assert rules(book.plan()) == {"invariant-due": ["inv"]}


def test_a_rejected_invariant_is_asked_about_again_a_round_later() -> None:
    """Rejecting says: not now; after as many sessions more it is asked anew."""
    book = Book(limits(verify_invariants_every=3))
    book.log(new("inv", kind="invariant"))
    book.idle(3)
    book.review(inv=REJECT)
    book.idle(2)
    assert book.plan().unanswered == ()
    book.idle(1)
    assert [one.facts for one in book.plan().fresh] == [("inv",)]


def test_the_threads_of_a_review_never_stall() -> None:
    """A review asks nothing about what reviews asked."""
    book = Book(limits(stale_thread_after=3, verify_invariants_every=3))
    book.log(new("inv", kind="invariant"))
    book.idle(3)
    book.review()
    book.idle(9)
    assert set(rules(book.plan())) == {"invariant-due"}
    assert book.plan().size.facts == 0


def test_closed_threads_with_too_much_text() -> None:
    """Over the limit the long ones are named; accepting keeps the first lines."""
    book = Book(limits(closed_thread_lines=10))
    story = "Done and dusted.\n\n" + "\n".join(f"Line {n}." for n in range(12))
    book.log(new("long", story, "thread", "x"), new("short", "Done.", "thread", "x"))
    assert rules(book.plan()) == {"thread-wordy": ["long"]}
    book.review(long=ACCEPT)
    assert book.plan().state["long"].fact.text == "Done and dusted."
    assert rules(book.plan()) == {}


def test_old_dangling_ids_are_history() -> None:
    """An id that nobody named within the archive window is not asked about."""
    book = Book()
    book.log("ghost")
    book.idle(3)
    assert rules(book.plan()) == {"id-dangling": ["ghost"]}
    book.idle(1)
    assert rules(book.plan()) == {}


# ---- once, and the answers ------------------------------------------------------------------------


def test_two_swaps_of_one_text_become_one_update() -> None:
    """Accepting two renames of one fact updates it once, and only whole paths."""
    book = Book()
    book.log(new("f", "See `a/b.py`, `a/c.py`, and `x/a/b.py`."))
    plan = book.plan()
    asked = tuple(
        Question(
            "file-renamed",
            key_of("file-renamed", "f", old),
            ("f",),
            "said",
            swaps=((old, renamed),),
        )
        for old, renamed in (("a/b.py", "n/b.py"), ("a/c.py", "n/c.py"))
    )
    plan = plan._replace(questions=asked, fresh=asked)
    events = events_of(plan, {one.key: ACCEPT for one in asked})
    assert events == (FactUpdated("f", "See `n/b.py`, `n/c.py`, and `x/a/b.py`."),)


def test_many_questions_of_a_rule_share_threads() -> None:
    """A rule that shares a thread spells out a dozen, each with its evidence on the same line, and names the rest."""
    why = ("named by 3 logs", "closed by none")
    asked = [
        Question("thread-stalled", key_of("thread-stalled", id), (id,), f"{id} stalled.", why[n:])
        for n, id in enumerate([f"t{n}" for n in range(60)])
    ]
    first, second = threads_for(asked)
    assert len(dict(first.meta)["keys"].split(", ")) == 50
    assert (first.text or "").endswith("t48, t49") and "- and 38 more: t12, t13" in (
        first.text or ""
    )
    assert len(dict(second.meta)["keys"].split(", ")) == 10
    assert (first.text or "").split("\n")[1:4] == [
        "- t0 stalled. named by 3 logs; closed by none", "- t1 stalled. closed by none", "- t2 stalled.",
    ]  # fmt: skip


# ---- due, promotion -------------------------------------------------------------------------


def test_reasons() -> None:
    """Due by lines, by lines of closed threads; never by size alone at once."""
    review, large = Review(max_lines=600, closed_thread_lines=150), Size(0, 601, 151)
    lines = ("601 lines (limit 600)", "151 lines of closed threads (limit 150)")
    assert (reasons(1, large, review), reasons(0, large, review)) == (lines, ())
    assert reasons(1, Size(0, 600, 150), review) == ()


@given(st.lists(st.integers(1, 400), max_size=30), st.integers(1, 12))
def test_what_a_brief_has_room_for(chars: list[int], every: int) -> None:
    """As many facts as lines of their length make a brief; what is due is said once for so many sessions."""
    book = Book()
    book.log(*[new(f"f-{number}", "x" * size) for number, size in enumerate(chars)])
    room = book.plan().size.room
    lines = [min(len(f"- f-{number}: ") + size, 220) + 1 for number, size in enumerate(chars)]
    assert room * sum(lines) <= BRIEF_CHARS * len(lines) < (room + 1) * sum(lines) or not lines
    assert not lines or room > 0
    said = [since for since in range(3 * every + 1) if Review(every).newly_due(since)]
    assert said == [every, 2 * every, 3 * every]


def test_what_is_worth_promoting() -> None:
    """What several agents use lately, or one often, is of a kind that rules are of, and no document has."""
    book = Book(Policy())
    rule = "Always call `retry_all()` in `src/queue.py`; never sleep 30 seconds."
    book.log(new("rule", rule, "convention"), new("vague", "Things went fine.", "fact"),
             new("known", "Money is kept in integer cents always.", "convention"), new("job", kind="thread"))  # fmt: skip
    for agent in "abcab":
        book.log("rule", "vague", "known", "job", agent=agent)
    standings = book.plan().state.standings()
    users: dict[str, Any] = {name: {"a": 1, "b": 1} for name in ("rule", "known", "vague", "job")}
    ever = {name: {"a": 2, "b": 2, "c": 1} for name in users}
    documents = paragraphs_of(["# Money\n\nMoney is kept in integer cents, always.\n"])
    assert worth_promoting(standings, documents, users, ever) == (Worth("rule", 2, 2),)
    assert worth_promoting(standings, documents, {"rule": {"a": 2}}, ever) == ()
    assert worth_promoting(standings, documents, {"rule": {"a": 3}}, ever) == (Worth("rule", 3, 1),)
    assert worth_promoting(standings, documents, users, {"rule": {"a": 4}}) == ()


def test_sessions_that_use_a_fact_are_counted_once() -> None:
    """What continues a session adds it to the facts that its first log does not use, in any order."""
    said = [
        ("work", "a", "s1", ("x",)), ("continued", "a", "s1", ("x", "y")), ("continued", "a", "s1", ("y",)),
        ("work", "b", "s1", ("x",)), ("work", "a", "", ("x",)), ("edit", "a", "s2", ("x",)),
        ("work", "a", "s3", ("x",)), ("work", "a", "s3", ("x",)),
    ]  # fmt: skip
    entries = [
        Entry(f"2026-11-21-10{n:02}00", type == "work", agent, type, named, (), session)
        for n, (type, agent, session, named) in enumerate(said)
    ]
    for ordered in (entries, entries[::-1]):
        assert sessions_using(ordered) == {"x": {"a": 4, "b": 1}, "y": {"a": 1}}


def test_a_promotion_is_asked_about_and_accepted() -> None:
    """A fact that several agents use lately is proposed; accepting makes it core."""
    book = Book(Policy())
    book.log(new("rule", "Always call `retry_all()` in `queue.py`; never twice.", "pattern"))
    for agent in "abcab":
        book.log("rule", agent=agent)
    plan = book.plan()
    assert plan.questions[0].said == "rule is worth promoting to AGENTS.md."
    book.review(rule=ACCEPT)
    assert book.plan().state["rule"].tier == "core"
    assert rules(book.plan()) == {}


# ---- pairs ----------------------------------------------------------------------------------------


def test_what_says_the_same_is_asked_about() -> None:
    """Facts that repeat each other are asked about once, and while that stands open; two values are none."""
    book = Book()
    book.log(new("timeout", "The HTTP client times out after 30 seconds."),
             new("limit", "The HTTP client times out after 60 seconds."),
             new("cents", "All amounts of money are kept in integer cents."),
             new("money", "All amounts of money are kept in integer cents, always."))  # fmt: skip
    plan = book.review()
    assert rules(plan) == {"overlap": ["cents"]} and len(threads_for(plan.fresh)) == 1
    after = book.plan()  # neither side is new, and the thread stands open
    assert after.nothing_new and after.settled == ()
    assert {one.rule for one in after.unanswered} == {"overlap"}
    book.review(cents=ACCEPT)
    state = book.plan().state
    assert {state["cents"].tier, state["money"].tier} & {"superseded"}
    assert book.plan().unanswered == () and book.plan().settled == ()


def test_only_pairs_with_a_new_side_are_compared() -> None:
    """What a review saw without finding anything is compared again only with what is new."""
    book = Book()
    book.log(new("cents", "All amounts of money are kept in integer cents."))
    book.review()
    book.log(new("money", "All amounts of money are kept in integer cents, always."))
    assert rules(book.plan()) == {"overlap": ["cents"]}
    closed = FactCreated(
        "review-overlap-x", "Seen.", "x", (("kind", "thread"), ("review", "overlap"))
    )
    book.log(closed, type="review")
    assert rules(book.plan()) == {}
