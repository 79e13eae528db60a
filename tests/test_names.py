"""The start of an id or a stem stands for what alone begins so, in every question and in all that is written."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.codec.log import decode
from ledger.errors import DraftRefused, NotFound
from ledger.home import discover
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from memory.api import Memory
from memory.query.visible_logs import digest
from memory.query.why_fact import provenance
from memory.write.draft import SessionDraft, named_ids
from tests.conftest import Repo, Run

IDS = ("a", "ab", "abc-one", "abc-two", "b.x", "b.y", "retry", "retry-queue", "retry-queue-2", "z")
#: Only named so far: nobody has a text for it.
DANGLING = "abc"
STARTS = st.sampled_from(sorted({one[:n] for one in IDS for n in range(1, len(one) + 1)}))


@pytest.fixture
def memory(repo: Repo) -> Memory:
    """A home with these ids, open; no test here writes to it."""
    found = Memory.open(str(repo.path), agent="claude-code")
    born = [FactCreated(one, f"The text of {one}.", " ", (("kind", "thread"),)) for one in IDS]
    dangling = FactReferenced(DANGLING)
    found.append(SessionDraft("First", events=(*born, dangling), anyway=True))
    return found


def meant(start: str) -> list[str]:
    """What a start may stand for, worked out the long way."""
    return [start] if start in (*IDS, DANGLING) else [one for one in IDS if one.startswith(start)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=STARTS)
def test_one_start_means_one_fact(memory: Memory, start: str) -> None:
    """A whole id always wins; one that alone begins so is taken; several are told, and none is taken."""
    may = meant(start)
    if len(may) > 1:
        with pytest.raises(NotFound, match="begins several facts") as caught:
            memory.named(start)
        assert all(one in caught.value.hint for one in may[:3])
    else:
        assert memory.named(start) == may[0]
        assert provenance(memory, start).id == may[0]


EVENTS: st.SearchStrategy[Event] = st.one_of(
    STARTS.map(FactReferenced),
    STARTS.map(lambda one: FactUpdated(one, "New.")),
    STARTS.map(FactInvalidated),
    STARTS.map(ThreadClosed),
    STARTS.map(lambda one: FactSuperseded(one, "brand-new")),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(event=EVENTS)
def test_a_log_holds_whole_ids(memory: Memory, event: Event) -> None:
    """Whatever start a draft names, the log says the whole id, or nothing is written."""
    may, born = meant(event.id), FactCreated("brand-new", "New.")
    draft = SessionDraft("Next", events=(event, born))
    refused = len(may) > 1 or may == [DANGLING]
    if refused and not isinstance(event, FactReferenced):
        with pytest.raises(DraftRefused):
            memory.append(draft, dry_run=True)
        return
    receipt = memory.append(draft, dry_run=True)
    written = named_ids(decode(receipt.data, sealed=True, file=receipt.stem)[0].events)
    left_out = isinstance(event, FactReferenced) and len(may) > 1
    assert set(written) == {"brand-new", *(() if left_out else may)}
    assert left_out == any("left out" in one.message for one in receipt.findings)


@pytest.mark.parametrize(
    "words",
    [
        ("show", "web"), ("why", "web"), ("why", "web", "--versions"), ("show", "--links", "web"),
        ("recall", "--ids", "web"), ("recall", "--level", "timeline", "web"), ("conflicts", "web"), ("review", "--confirm", "web"),
        ("forget", "--archive", "web", "--reason", "R."), ("redact", "web", "--reason", "R.", "--dry-run"),
        ("task", "start", "do-"), ("task", "done", "do-"), ("task", "handoff", "do-", "--next", "N."),
        ("task", "add", "More.", "--depends", "do-"), ("append", "--ref", "web"),
        ("append", "--close", "thr"), ("append", "--supersede", "web=orders-stay"),
        ("note", "thread: T.", "--ref", "web"), ("note", "done thr"), ("note", "web -> fact: T."),
        ("brief", "--task", "do-"), ("edit", "web", "It is sent twice."), ("close", "thr", "thread-one"),
        ("forget", "web", "--replaced-by", "ord"), ("note", "fact: Twice.", "--replace", "web"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_command_takes_a_start(words: tuple[str, ...], repo: Repo, run: Run) -> None:
    """What takes an id takes the start of one, and what it records says the whole id."""
    run("append", "--new", "id=webhook-once decision: A webhook is sent once.",
        "--new", "id=orders-stay invariant: Orders are never deleted.",
        "--new", "id=thread-one thread: Is one retry enough?",
        "--new", "id=do-it task: Do it.", "--move", "do-it=in-progress")  # fmt: skip
    ran = run(*words)
    assert ran.code == 0, ran.err
    log = run("log", "-n", "1", "--json").json["sessions"][0]["path"]
    text = (repo.path / "memory" / log).read_text()
    assert not [
        line for line in text.split("\n") if line.rstrip().endswith((" web", " do-", " thr"))
    ]


def test_a_log_is_shown_by_its_stem(repo: Repo, run: Run) -> None:
    """`show STEM` shows it whole, by the start of its name too; a log has no kind."""
    stem: str = run("note", "--json", "--title", "Ship it", "id=fast fact: It is fast.").json[
        "stem"
    ]
    for name in (stem, stem[:19]):
        assert "It is fast." in run("show", name).out
    assert run("show", stem, "fast", "--json").json["hits"][0]["id"] == stem
    assert "shown whole" in run("show", stem, "--kind", "fact").err
    assert run("show", "2020-01-01").code == 1


def test_a_short_stem_is_one_log(repo: Repo) -> None:
    """As short as tells it from all others, to a tenth of a second at least; whatever takes a stem takes it."""
    start = 1_795_249_812_000
    now = iter([start + step for step in (0, 1, 2, 300, 310, 1_000, 60_000)])
    memory = Memory(discover(str(repo.path)), clock=lambda: next(now, start + 90_000))
    made = [memory.append(SessionDraft(f"Log {n}"), again=True).stem for n in range(6)]
    shorts = [memory.short(stem) for stem in made]
    assert len(set(shorts)) == len(made)
    for stem, short in zip(made, shorts, strict=True):
        assert digest(memory.snapshot, short).stem == stem
        assert 18 <= len(short) <= 21
        assert len(short) == 18 or sum(one.startswith(short[:-1]) for one in made) > 1


def test_a_brief_takes_the_start_of_a_task(repo: Repo, run: Run) -> None:
    """One word that begins a task is that task; any other word is asked for as it is."""
    run(
        "append",
        "--new",
        "id=do-it task: Wire the retry queue.",
        "--new",
        "id=wire-rule fact: Copper.",
    )
    assert run("brief", "--task", "do-i").out.count("Wire the retry queue.") == 1
    whole, begun = [run("brief", "--task", one).out for one in ("do-it", "do-i")]
    nonce = r"[0-9a-f]{16}"
    assert re.sub(nonce, "N", whole) == re.sub(nonce, "N", begun)
    assert run("brief", "--task", "d").code == run("brief", "--task", "wir").code == 0
