"""No shape of a ledger is slow: four times as many facts take at most seven times as long, whoever wrote them.

Processor time of commands as processes. The gate takes the shapes that once took minutes, at small sizes; `python -m
tests.campaigns.hostile` asks everything of every shape.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.codec.log import decode
from ledger.model import packed
from ledger.model.event import Event, FactCreated, FactSuperseded
from ledger.model.order import stem_in
from ledger.model.packed import unpack_event
from ledger.model.session import Entry
from memory.api import Memory, SessionDraft
from memory.cache import queries, schema
from memory.cache.queries import Questions
from memory.query import entity_graph, live_pairs, resident
from memory.recall.hits import outdated_hits
from projection.compare.candidates import (
    CANDIDATES,
    bits_of,
    levels_of,
    most_of,
    numbers_in,
    shortlist,
)
from projection.compare.pair_comparison import Claim, Opposition, opposition
from projection.compare.restatements import Restatements
from projection.document.fact_remarks import instead_of, mark_of
from projection.fold.fact_history import Act, Fact, History
from projection.fold.falsity import Edge
from projection.fold.fold import resolve
from projection.graph.graph_neighbours import NEAR
from projection.text.normalize import index_words
from rituals.cli import command_registry
from rituals.cli.commands.review import answer_lines
from rituals.review.review_plan import Plan
from rituals.review.review_question import Question
from rituals.review.review_record import Outcome
from rituals.serve.web.pages import review_page, session_page
from rituals.serve.web.tip_view.tip_view import TipViews
from tests.campaigns import hostile
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import each_row, sampled
from tests.hostile_ledgers import SHAPES, sealed
from tests.processor_time import steps
from tests.test_cache_word_index import compare

_SMALL, _TIMES = 300, 4
#: Below this a comparison says nothing but how the machine is.
_FLOOR_SECONDS = 0.5
_GROWS = 7.0
#: What a shape once made slow.
_CALLS = {
    "a chain, shuffled": (["recall", "--level", "timeline"], ["show", "--list", "-a"]),
    "half superseded by one, that by the other half": (["brief", "--task", "the queue"], ["show", "--json"]),
    "layers of ten, each superseded by all of the next": (["show", "--list", "-a"],),
}  # fmt: skip


@pytest.mark.deep(reason="every_shape_is_read_without_a_fault is the small one")
@pytest.mark.parametrize("shape", _CALLS)
def test_what_a_clone_holds_takes_no_more_than_its_size(shape: str, tmp_path: Path) -> None:
    """The best of up to three: a loaded machine may stumble, work that is not linear fails each time."""
    homes = [
        hostile.ledger_of(tmp_path / str(count), shape, count).folder
        for count in (_SMALL, _SMALL * _TIMES)
    ]
    for line in _CALLS[shape]:
        for _ in range(3):
            call = hostile.Call("", partial(hostile.ask, line))
            took = [hostile.measured(call, home) for home in homes]
            assert all(one.answered for one in took), (line, took)
            once, more = [one.seconds for one in took]
            if more <= _GROWS * max(once, _FLOOR_SECONDS):
                break
        else:
            raise AssertionError(f"{line}: {once:.2f} s, of four times as many: {more:.2f} s")


@pytest.mark.deep(reason="what_many_hang_on_is_read_a_few_times is the small one")
@pytest.mark.parametrize("shape", ["a chain of supersessions", "nothing between them"])
def test_a_site_takes_no_more_than_its_pages(shape: str, tmp_path: Path) -> None:
    """A page reads neither all logs again nor a whole row; part of the time is the same for any site."""
    tops = [tmp_path / str(count) for count in (60, 240)]
    homes = [hostile.ledger_of(top, shape, int(top.name)).folder for top in tops]
    for _ in range(3):
        took = []
        for top, home in zip(tops, homes, strict=True):
            line = ["export", "site", str(top / "site")]
            call = hostile.Call("", partial(hostile.ask, line))
            took.append(hostile.measured(call, home).seconds)
            assert (top / "site" / "index.html").exists()
        if took[1] <= 3 * took[0]:
            break
    else:
        raise AssertionError(f"{took[0]:.2f} s, of four times as many: {took[1]:.2f} s")


def _logs_asked_for(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows by each log that the cache is asked for."""
    asked: list[str] = []
    plain = Questions.entry

    def counting(cache: Questions, stem: str) -> Entry | None:
        asked.append(stem)
        return plain(cache, stem)

    monkeypatch.setattr(Questions, "entry", counting)
    return asked


@pytest.mark.parametrize(
    ("shape", "line"),
    [
        ("all superseded by one", ["recall", "--level", "timeline"]),
        ("one superseded by all", ["why", "f0"]),
    ],
)
def test_what_many_hang_on_is_read_a_few_times(
    shape: str, line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One fact or one log of so many events, asked for by each of as many facts: events are counted."""
    count = 300
    monkeypatch.chdir(hostile.ledger_of(tmp_path, shape, count).folder)
    Memory.open(".", agent="claude").state()  # what makes the cache reads all in its own way
    read: list[int] = []

    def resolving(fact: str, history: History, cut: frozenset[Edge] = frozenset()) -> Fact | None:
        read.append(len(history.acts))
        return resolve(fact, history, cut)

    def unpacking(event: tuple[Any, ...]) -> Event:
        read.append(1)
        return unpack_event(event)

    monkeypatch.setattr(queries, "resolve", resolving)
    monkeypatch.setattr(packed, "unpack_event", unpacking)
    monkeypatch.setattr(schema, "unpack_event", unpacking)
    assert not hostile.ask(line)
    assert count < sum(read) <= 20 * count


@pytest.mark.deep(reason="links_read_a_log_once_for_all_its_facts is the small one")
def test_what_stands_instead_is_looked_for_once_for_all_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each session of a row of supersessions leads to its end; another log leads further."""
    count = 60
    home = hostile.ledger_of(tmp_path, "a chain, a log each", count).folder
    asked: list[str] = []
    plain = Questions.fact

    def counting(cache: Questions, fact: str) -> Fact | None:
        asked.append(fact)
        return plain(cache, fact)

    memory = Memory.open(str(home), agent="claude")
    tip = TipViews().of(memory)
    monkeypatch.setattr(Questions, "fact", counting)
    for entry in tip.entries:
        session_page.session(tip, {"stem": stem_in(entry.stem)})
    assert len(tip.entries) == count and len(asked) <= 12 * count

    def instead() -> tuple[str, ...]:
        first = memory.state().fact("f0")
        assert first is not None
        return memory.marks([first])["f0"].instead

    last = f"f{count - 1}"
    assert instead() == (last,)
    events = (FactCreated("end", "So it is."), FactSuperseded(last, "end"))
    memory.append(SessionDraft(title="The end", events=events))
    assert instead() == ("end",)
    memory.close()


def test_the_pages_of_a_review_ask_once_what_nobody_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of its pages together: each shows a dozen of thousands."""
    home = hostile.ledger_of(tmp_path, "nothing between them", 120).folder
    asked: list[int] = []
    plain: Callable[[Plan], tuple[Question, ...]] = vars(Plan)["unanswered"].fget

    def counting(plan: Plan) -> tuple[Question, ...]:
        asked.append(1)
        return plain(plan)

    monkeypatch.setattr(Plan, "unanswered", property(counting))
    memory = Memory.open(str(home), agent="claude")
    tip = TipViews().of(memory)
    review_page.review(tip, {})
    starts = [
        (rule, start) for rule, some in tip.questions.items() for start in range(0, len(some), 12)
    ]
    told = [review_page.review(tip, {"rule": rule, "from": str(at)}) for rule, at in starts]
    memory.close()
    cards = [one.question.key for page in told for one in page.values["group"].cards]
    assert len(starts) > 5 and len(asked) == 1
    assert cards == [one.key for some in tip.questions.values() for one in some]
    assert sorted(cards) == sorted({one.key for one in plain(tip.plan)})


def test_links_read_a_log_once_for_all_its_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One log brought them all, and each of them asks who informed it."""
    home = hostile.ledger_of(tmp_path, "all link to one", 60).folder
    asked = _logs_asked_for(monkeypatch)
    memory = Memory.open(str(home), agent="claude")
    assert len(memory.links("f0").near) >= 59
    memory.close()
    assert len(asked) == len(set(asked))


def test_what_a_review_raises_is_told_in_steps_that_grow_with_it() -> None:
    """Six times as many threads: 36 times as many, where each is held against all."""

    def taken(count: int) -> int:
        threads = tuple([FactCreated(f"review-stale-{number}", "So?", mark=" ") for number in range(count)])  # fmt: skip
        outcome = Outcome(cast(Plan, None), events=(*threads, FactCreated("other", "So.")))
        lines = answer_lines(outcome)
        assert len(lines) == count + 1 and sum(line.startswith("Raised") for line in lines) == count
        return steps(lambda: answer_lines(outcome))

    once, more = taken(500), taken(3000)
    assert more <= 7 * once, (once, more)


def test_the_campaign_knows_what_stands_for_each_parameter() -> None:
    """A command or an option that comes anew is asked, too, or the campaign ends at once."""
    names = dict.fromkeys(("last", "stem", "first", "note", "out", "vault", "events", "items", "word"), "1")  # fmt: skip
    asked = {line[0] for line, _ in hostile.command_lines(names, options=True)}
    assert asked == {one.name for one in command_registry.ENTRIES} - hostile.SKIPPED.keys()


def test_a_command_that_is_refused_is_not_fast(tmp_path: Path) -> None:
    """What ends at once with an error, or with a signal, says nothing of how long an answer takes."""
    ends = {"recall": 1, "show": 2, "check": 1, "log": 0}
    answered = {name: hostile.measured(hostile.Call(name, partial(int, code)), tmp_path).answered for name, code in ends.items()}  # fmt: skip
    assert answered == {"recall": False, "show": False, "check": True, "log": True}
    fault = hostile.measured(hostile.Call("log", partial(int, "no number")), tmp_path)
    assert (fault.code, fault.answered) == (3, False)


@pytest.mark.deep(only=("redacted", "superseded b", "layers of te"))
@pytest.mark.parametrize(
    "shape",
    [
        "a chain, a log each", "a circle", "half superseded by one, that by the other half", "redacted",
        "superseded by what there is not", "updates of one fact that know of nothing", "all helped in one log",
        "closed and reopened, reinstated and invalidated", "layers of ten, each superseded by all of the next",
    ],
)  # fmt: skip
def test_whoever_asks_of_many_facts_is_told_what_is_told_of_each_alone(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no more than a few logs are kept, and of a row its nearest part is part of the whole."""
    home = hostile.ledger_of(tmp_path, shape, 24).folder
    memory = Memory.open(str(home), agent="claude")
    tip = TipViews().of(memory)
    assert tip.origins
    for kept in (100_000, 0):
        monkeypatch.setattr(resident, "_MOST_EVENTS", kept)
        for fact in sampled(sorted(tip.facts), 3):
            whole = memory.why(fact)
            assert memory.why(fact, tip.resident) == whole
            near = memory.why(fact, tip.resident, 3)
            assert set(near.chain) <= set(whole.chain) and len(near.chain) <= 6
            assert near.further == (len(near.chain) < len(whole.chain))
            links = tip.graph.links(fact)
            if links.near or links.standing:
                assert links == memory.links(fact)
            assert tip.graph.links(fact, most=5).far == links.far[:5]
    memory.close()


@each_row("shape", SHAPES)
def test_every_shape_is_read_without_a_fault(shape: str) -> None:
    """What is hostile about it is no mistake of form, which a reader would leave out."""
    for stem, data in sealed(SHAPES[shape](60)):
        assert {one.code for one in decode(data, sealed=True, file=stem)[1]} <= {"unknown-id"}


def _times(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, size: Callable[..., int]) -> list[int]:  # fmt: skip
    """Return a list that grows with each call of a function by how much it was given."""
    plain, done = getattr(owner, name), list[int]()

    def counting(*arguments: Any, **named: Any) -> Any:
        done.append(size(*arguments))
        return plain(*arguments, **named)

    monkeypatch.setattr(owner, name, counting)
    return done


def test_links_follow_rows_that_part_and_meet_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten ways lead on from each fact: a way for each of them is ten times as many at each step."""
    count = 60
    home = hostile.ledger_of(tmp_path, "layers of ten, each superseded by all of the next", count).folder  # fmt: skip
    read = _times(monkeypatch, entity_graph._Facts, "read", lambda _, facts: len(facts))
    memory = Memory.open(str(home), agent="claude")
    assert len(memory.links("f0").near) == 10
    memory.close()
    assert count <= sum(read) <= 5 * count


@pytest.mark.deep(reason="a_brief_reads_a_log_once_however_much_it_brings is the small one")
def test_the_pages_of_sessions_read_a_text_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One fact has as many texts as there are sessions, and each page asks which of them hold."""
    count = 60
    home = hostile.ledger_of(tmp_path, "updates of one fact in a row", count).folder
    memory = Memory.open(str(home), agent="claude")
    tip = TipViews().of(memory)
    read = _times(monkeypatch, outdated_hits, "_sentences_of", len)
    for entry in tip.entries:
        session_page.session(tip, {"stem": stem_in(entry.stem)})
    memory.close()
    assert count <= len(read) <= 4 * count


@pytest.mark.deep(reason="links_read_a_log_once_for_all_its_facts is the small one")
@pytest.mark.parametrize(("shape", "more"), [("all link to one", 50), ("all helped in one log", 0)])
def test_a_page_shows_so_many_links(
    shape: str, more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """It says how many more there are; what so many share says nothing, and is no link."""
    monkeypatch.chdir(hostile.ledger_of(tmp_path, shape, NEAR + 50).folder)
    hostile.ask(["show", "--links", "f0"])
    assert (f"… and {more} more: --json has all" in capfd.readouterr().out) is bool(more)
    hostile.ask(["export", "site", "site"])
    assert (f"and {more} more" in Path("site/fact/f0.html").read_text()) is bool(more)
    memory = Memory.open(".", agent="claude")
    links = TipViews().of(memory).graph.links("f0", most=5)
    assert (len(links.near), links.more) == ((NEAR, more) if more else (0, 0))
    assert len(memory.links("f0").near) == len(links.near) + links.more
    memory.close()


@given(st.lists(st.sets(st.integers(0, 300), max_size=90), max_size=9))
def test_facts_with_most_words_are_counted_as_bits(words: list[set[int]]) -> None:
    """As by counting them one by one, whatever share the words have of each other."""
    shared = Counter(number for some in words for number in some)
    bits = [bits_of(sorted(some), 301) for some in words]
    assert sorted(most_of(bits)) == sorted(shortlist(shared))
    levels = {n: count for count, level in levels_of(bits) for n in numbers_in(level)}
    assert levels == shared


def test_what_is_said_again_is_looked_for_as_bits() -> None:
    """A sentence takes no step for each fact, also where all have the same few words."""
    rng = random.Random(7)
    words = [f"word{place}" for place in range(50)]
    facts = [(f"f{place}", " ".join(rng.sample(words, 8))) for place in range(20_000)]
    new = " ".join(f"other{place}" for place in range(12))
    said = [f"{' '.join(rng.sample(words, 6))} {new}" for _ in range(400)]
    known = Restatements(facts)
    assert steps(lambda: [known.said_in(one) for one in said]) < 1000 * len(said)
    assert not any(known.said_in(one) for one in said)


def _fact(id: str, *instead: str) -> Fact:
    return Fact(id, "fact", (), (), "", "", "", 0, "", "", superseded_by=instead)


def test_marks_of_one_state_say_what_each_says_alone() -> None:
    """Also where rows part and meet again, where an end is unknown, and where many stand instead."""
    many = [f"m{number}" for number in range(20)]
    rows = {"a": ("b", "c"), "b": ("d",), "c": ("d", "e"), "d": ("f", "gone"), "e": ("e2",), "star": (*many,), "g": ("star",)}  # fmt: skip
    facts = {id: _fact(id, *rows.get(id, ())) for id in [*rows, "f", "e2", *many]}
    met: dict[str, tuple[str, ...]] = {}
    for fact in facts.values():
        assert mark_of(fact, facts.get, met) == mark_of(fact, facts.get)
    assert instead_of(facts["a"], facts.get, met) == ("e2", "f")
    assert instead_of(_fact("x", "gone"), facts.get) == ()
    assert mark_of(facts["g"], facts.get).instead == tuple(sorted(many))
    assert mark_of(facts["g"], facts.get).said.endswith("and 12 more stands instead")


@pytest.mark.deep(reason="a_few_equal_texts_are_compared_in_pairs is the small one")
@pytest.mark.parametrize("shape", ["one text", "the same words", "the same words, reordered"])
def test_a_review_of_equal_texts_compares_each_with_one(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs are counted, not seconds; who says what so many say is still told, each by one pair."""
    count = 1600
    home = hostile.ledger_of(tmp_path, shape, count).folder
    compared: list[tuple[str, str]] = []
    plain = opposition

    def counting(one: Claim, two: Claim) -> Opposition | None:
        compared.append((one.fact.id, two.fact.id))
        return plain(one, two)

    monkeypatch.setattr(live_pairs, "opposition", counting)
    memory = Memory.open(str(home), agent="claude")
    found = compare(memory.snapshot)
    memory.close()
    told = [(one.one, one.two) for one in found.overlaps]
    told += [(one.one, one.two) for one in found.oppositions]
    assert len(compared) <= 3 * count
    assert len({name for pair in told for name in pair}) == count
    assert len(told) <= len(compared)


@pytest.mark.parametrize(("count", "told"), [(CANDIDATES, 190), (CANDIDATES + 1, CANDIDATES)])
def test_a_few_equal_texts_are_compared_in_pairs(count: int, told: int) -> None:
    """Only where there are more than a fact has candidates one of them stands for the others."""
    told_in = [Act("2026-11-20-1000000000-0123456789ab", 0, FactCreated(f"f{n}", "Webhooks retry with jitter.")) for n in range(count)]  # fmt: skip
    facts = {act.event.id: resolve(act.event.id, History(acts=(act,))) for act in told_in}
    known = {name: fact for name, fact in facts.items() if fact is not None}
    words = {name: list(index_words(fact.text)) for name, fact in known.items()}
    assert len(live_pairs.compare_facts(known, words).overlaps) == told
    last = live_pairs.compare_facts(known, words, [max(known)]).overlaps
    assert last and all(max(known) in (one.one, one.two) for one in last)


def test_a_brief_reads_a_log_once_however_much_it_brings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose side of a contradiction comes first says the header of a log, which may bring thousands."""
    home = hostile.ledger_of(tmp_path, "contradictions", 60).folder
    memory = Memory.open(str(home), agent="claude")
    asked = _logs_asked_for(monkeypatch)
    memory.brief()
    memory.close()
    assert asked and len(asked) <= 12


def test_a_long_row_is_cut_where_people_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """`why` prints the nearest supersessions and says that there are more; `--json` has all."""
    monkeypatch.chdir(hostile.ledger_of(tmp_path, "a chain of supersessions", 250).folder)
    hostile.ask(["why", "f249"])
    lines = capfd.readouterr().out.splitlines()
    assert sum(" → " in line for line in lines) == 100
    assert any("f248 → f249" in line for line in lines) and "--json" in lines[-1]
    hostile.ask(["why", "f249", "--json"])
    assert len(json.loads(capfd.readouterr().out)["chain"]) == 249
