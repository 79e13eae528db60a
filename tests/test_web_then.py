"""How it was after any session: the same as a replay of the logs up to it, without one."""

from __future__ import annotations

import json
import re
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.codec.log import entry_of
from ledger.errors import NotFound
from ledger.model.event import Event, FactCreated, FactRedacted
from ledger.model.session import SessionLog
from memory.api import Memory
from projection.fold.fact_history import REDACTED_TEXT
from projection.fold.fold import collect
from projection.fold.full_replay import State
from projection.fold.projection_state import NOTHING
from projection.lifecycle.lives import lives_of
from projection.lifecycle.past_states import Past
from projection.policy.model import Policy
from rituals.serve.web.export.site_data import Parts, past_data
from rituals.serve.web.html.html_markdown import line
from rituals.serve.web.html.templates import Renderer
from rituals.serve.web.pages.then_page import then
from rituals.serve.web.pictures.ticks_picture import NARROW, WIDE, Tick, ticks
from rituals.serve.web.tip_view.tip_view import TipViews
from tests.conftest import Repo, Run
from tests.test_laws import Logged, ledgers, policies, replayed
from tests.test_web_html import frame_of


def past_of(logs: list[Logged], policy: Policy) -> tuple[Past, frozenset[str]]:
    """Return the past of some logs, and what of them is withheld."""
    redacted = {act.id for log in logs for act in log.acts if isinstance(act, FactRedacted)}
    withheld, entries = frozenset(redacted), [log.entry for log in logs]
    now = replayed(logs, policy, withheld)
    return Past(now, lives_of(entries, policy), entries, withheld), withheld


@settings(max_examples=120, print_blob=True)
@given(ledgers(), policies)
def test_each_session_is_what_a_replay_up_to_its_end_says(
    logs: list[Logged], policy: Policy
) -> None:
    """Facts, texts, where each stands, and the counts by tier; births that an import tells, too."""
    past, withheld = past_of(logs, policy)
    keys = sorted(log.ref.key for log in logs)
    for session in range(len(past.work) + 1):
        behind = past.work[session] if session < len(past.work) else "~"
        upto = [log for log in logs if log.ref.key < behind]
        state = replayed(upto, policy, withheld)
        view, then = state.view(), past.at(session)
        assert then.live == view.live
        assert then.tiers == view.tiers
        assert then.stem == max([key for key in keys if key < behind], default="")
        assert past.session_of(then.stem) == session


@settings(max_examples=60, print_blob=True)
@given(ledgers(), policies, st.integers(0, 14))
def test_what_came_since_is_what_was_not_there(
    logs: list[Logged], policy: Policy, session: int
) -> None:
    """Learned is what is there now and was not then; nothing that is called faded is live."""
    past, withheld = past_of(logs, policy)
    session = min(session, len(past.work))
    behind = past.work[session] if session < len(past.work) else "~"
    before = replayed([log for log in logs if log.ref.key < behind], policy, withheld)
    now, since = replayed(logs, policy, withheld), past.since(session)
    assert set(since.learned) == set(now) - set(before)
    known = {*since.corrected, *since.faded, *since.closed}
    assert known <= set(before)
    reworded = {one for one in before if before[one].fact.heads != now[one].fact.heads}
    false = {one for one in before if now[one].fact.false and not before[one].fact.false}
    assert reworded | false <= set(since.corrected)
    faded = {
        one for one in before
        if before[one].live and now[one].tier == "archived" and not now[one].fact.archived_at
        and before[one].tier != "archived"
    }  # fmt: skip
    assert faded - set(since.corrected) <= set(since.faded)
    assert all(now[one].tier == "archived" for one in since.faded)
    done = {one for one in before if now[one].fact.closed and not before[one].fact.closed}
    assert done <= set(since.closed)


def test_what_is_redacted_was_withheld_all_along() -> None:
    """Also at the end of sessions before the redaction, when everybody could read it."""
    said: tuple[Event, ...] = (FactCreated("a", "Mr. Smith pays."), FactRedacted("a"))
    entries = [
        entry_of(f"2026-05-0{day}-100000", SessionLog((), "T", "", (event,)))
        for day, event in enumerate(said, 1)
    ]
    policy = Policy()
    now = State(collect(entries), [entry.stem for entry in entries], NOTHING, policy)
    past = Past(now, lives_of(entries, policy), entries, frozenset({"a"}))
    for session in (1, 2):
        standing = past.standing("a", session)
        assert standing is not None and standing.fact.redacted
        assert [version.text for version in standing.fact.heads] == [REDACTED_TEXT]


def asked(memory: Memory, at: str) -> dict[str, Any]:
    """Return what the page shows of a point."""
    return dict(then(TipViews().of(memory), {"at": at}).values)


def test_the_page_says_what_held_and_what_became_of_it(repo: Repo, run: Run) -> None:
    """Texts as they were, and beside each what no longer holds."""
    lines = [
        ("--new", "id=retries decision: Webhooks retry three times.", "--new", "id=a fact: A holds."),
        ("--update", "retries", "Webhooks retry five times."),
        ("--new", "id=b fact: B holds.", "--supersede", "a=b"),
    ]  # fmt: skip
    for number, said in enumerate(lines):
        assert run("append", "--title", f"Session {number}", *said).code == 0
    memory = Memory.open(str(repo.path))
    first = asked(memory, "1")
    held = {one.then.fact.id: one for part in first["sections"] for one in part.facts}
    assert held["retries"].then.fact.text == "Webhooks retry three times."
    assert held["retries"].became == "reworded"
    assert held["a"].became == "superseded by b"
    assert {one.word: one.facts for one in first["since"]} == {
        "learned": ("b",), "corrected": ("a", "retries"), "faded": (), "closed": (),
    }  # fmt: skip
    assert asked(memory, "0")["sections"] == []
    last = asked(memory, "3")
    assert [one.total for one in last["since"]] == [0, 0, 0, 0]
    assert not any(one.became for part in last["sections"] for one in part.facts)
    assert all(then == now for _, then, now in last["tiers"])
    assert asked(memory, "99")["session"] == 3
    assert asked(memory, memory.state().work[1])["session"] == 2
    assert asked(memory, memory.state().work[0][:10])["session"] == 3
    for odd in ("never", "-1", "1.5", "²"):
        with pytest.raises(NotFound):
            asked(memory, odd)
    memory.close()


def test_a_release_a_branch_and_a_commit_are_points_too(repo: Repo, run: Run) -> None:
    """Each as `show --as-of` has it: also where a branch has other logs than those before its last one."""

    def append(title: str, *said: str) -> None:
        assert run("append", "--title", title, *said).code == 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", "2020-02-03T04:05:06Z")
        repo.git("tag", "before", repo.git("commit-tree", "-m", "empty", "HEAD^{tree}").strip())
    append("One", "--new", "id=a fact: Ten seconds.", "--new", "id=gone fact: It goes.")
    repo.git("tag", "-a", "v1", "-m", "a release")
    repo.git("tag", "of-a-tree", "HEAD^{tree}")
    repo.git("tag", '"><script>x</script>')
    repo.git("branch", "side")
    append("Two", "--update", "a", "Twenty seconds.")
    main = repo.git("rev-parse", "--abbrev-ref", "HEAD").strip()
    repo.git("checkout", "-q", "side")
    append("Three", "--new", "id=b fact: On the side.")
    repo.git("checkout", "-q", main)
    append("Four", "--new", "id=c fact: Behind it.", "--supersede", "gone=c")
    repo.git("checkout", "-q", "side")
    repo.git("merge", "-q", "--no-edit", main)
    repo.git("checkout", "-q", main)
    memory = Memory.open(str(repo.path))
    for at, session, by_time, replayed_alone in (
        ("v1", 1, False, False), ("HEAD~1", 2, False, False), ("side", 3, False, True),
        ("before", 0, True, False), (repo.git("rev-parse", "v1^{}").strip()[:9], 1, False, False),
    ):  # fmt: skip
        page = asked(memory, at)
        point = page["point"]
        assert (point.session, point.by_time, point.state is not None) == (
            session,
            by_time,
            replayed_alone,
        ), at
        live = {one.then.fact.id for part in page["sections"] for one in part.facts}
        if not by_time:
            assert live == {one.fact.id for one in memory.state(at).view().live}, at
    page = asked(memory, "side")
    held = {one.then.fact.id: one.became for part in page["sections"] for one in part.facts}
    assert held["b"] == "not known here"
    assert [one.name for one in asked(memory, "v1")["releases"]] == ["v1", "before"]
    for odd in ("of-a-tree", "v9", "HEAD~99", "-v1", "v1\nHEAD", "main..side", ":/One"):
        with pytest.raises(NotFound):
            asked(memory, odd)
    memory.close()


def test_all_that_came_since_is_listed_with_its_words(repo: Repo, run: Run) -> None:
    """In parts of forty; what was reworded beside what it was, what is false with what replaced it."""
    many = [word for n in range(95) for word in ("--new", f"id=more-{n} fact: More, number {n}.")]
    for number, said in enumerate((
        ("--new", "id=a fact: Ten seconds.", "--new", "id=old fact: It was so.", "--new", "id=no fact: Never."),
        ("--update", "a", "Twenty seconds."), ("--new", "id=new fact: It is so.", "--supersede", "old=new", "--invalidate", "no"),
        many,
    )):  # fmt: skip
        assert run("append", "--title", f"Session {number}", *said).code == 0
    memory = Memory.open(str(repo.path))

    def listed(**more: str) -> dict[str, Any]:
        return dict(then(TipViews().of(memory), {"at": "1", **more}).values)

    corrected = listed(list="corrected")["changed"]
    assert {one.now.fact.id: (one.word, one.before) for one in corrected} == {
        "a": ("reworded", "Ten seconds."), "old": ("superseded by new", ""), "no": ("invalidated", ""),
    }  # fmt: skip
    seen = []
    for number in (1, 2, 3):
        page = listed(list="learned", page=str(number))
        assert (page["page"], page["pages"], page["total"]) == (number, 3, 96)
        seen += [one.now.fact.id for one in page["changed"]]
    assert sorted(seen) == sorted(["new", *[f"more-{n}" for n in range(95)]])
    assert listed(list="learned", page="99")["page"] == 3
    assert listed(list="learned", page="x")["page"] == 1
    assert listed(list="<b>")["listed"] == ""
    html = Renderer().render(
        then(TipViews().of(memory), {"at": "1", "list": "corrected"}),
        frame_of(TipViews().of(memory)),
    )
    assert "<del>Ten</del><ins>Twenty</ins> seconds." in html
    memory.close()


@given(st.lists(st.tuples(st.integers(0, 40), st.text(max_size=30)), max_size=30))
def test_names_below_the_slider_stand_apart(marks: list[tuple[int, str]]) -> None:
    """None above another one, on the narrowest screen; each mark has its link, and no name is markup."""
    rows = [[Tick(session, name, name) for session, name in sorted(marks)]]
    svg = ticks(rows, 40, lambda path, at: f"/then?{len(at)}")
    assert svg.count("<line") == len(marks)
    names = re.findall(
        r'<text( class="roomy")? x="([\d.]+)%" y="15" text-anchor="(\w+)">([^<]*)</text>', svg
    )
    for letter, there in ((WIDE, names), (NARROW, [one for one in names if not one[0]])):
        spans = []
        for _, x, anchor, name in there:
            wide = letter * len(unescape(name))
            left = float(x) - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
            spans.append((left, left + wide))
        spans.sort()
        assert all(one[1] <= other[0] + 0.01 for one, other in pairwise(spans))
    assert set(re.findall(r"<(\w+)", svg)) <= {"svg", "a", "title", "line", "text"}


def test_nothing_of_a_redacted_fact_is_shown_of_any_time(repo: Repo, run: Run) -> None:
    """Not even of the time before it was redacted."""
    assert run("append", "--title", "One", "--new", "id=key fact: The key is swordfish.").code == 0
    assert run("append", "--title", "Two").code == 0
    assert run("redact", "key", "--reason", "It leaked.").code == 0
    memory = Memory.open(str(repo.path))
    (section,) = asked(memory, "1")["sections"]
    assert section.facts[0].then.fact.text == "(redacted)"
    assert "swordfish" not in str(asked(memory, "1"))
    memory.close()


def test_a_site_holds_the_same_past(repo: Repo, run: Run) -> None:
    """Of each session the same facts, texts and tiers, read as the script of the page reads them."""
    lines = [
        ("--new", "id=retries decision: Webhooks retry three times.", "--new", "id=a fact: A holds."),
        ("--new", "id=t thread: Is it fast?", "--new", "id=key fact: The key is swordfish."),
        ("--update", "retries", "Webhooks retry five times."),
        ("--new", "id=b fact: B holds.", "--supersede", "a=b", "--close", "t"),
        *[() for _ in range(45)],
    ]  # fmt: skip
    for number, said in enumerate(lines):
        assert run("append", "--title", f"Session {number}", *said).code == 0
    assert run("redact", "key", "--reason", "It leaked.").code == 0
    memory = Memory.open(str(repo.path))
    tip = TipViews().of(memory)
    script = past_data(tip, lambda address: address).decode()
    assert "swordfish" not in script
    held = json.loads(script.partition("=")[2].rstrip(";\n"))
    for session in range(len(tip.work) + 1):
        found, tiers = {}, [0] * 6
        for id, *_, turns in held["facts"]:
            now = [turn for turn in turns if turn[0] <= session][-1:]
            for _, tier, section, _, texts in now:
                tiers[tier] += 1
                if section >= 0:
                    found[id] = ["".join(held["texts"][text]) for text in texts]
        past = tip.past.at(session)
        assert tiers == list(past.tiers)
        assert found == {one.fact.id: [head.text for head in one.fact.heads] for one in past.live}
    memory.close()


def test_a_text_is_taken_apart_to_what_a_script_may_make() -> None:
    """Texts, and elements with a text and where they lead; nothing is markup any more."""
    text = (
        "Use `a<b`, *not* <b>that</b> of **[[b]]** or [there](http://x.org/?a=1&b=2)\nnow  \nthen"
    )
    parts = Parts(line(text, lambda id: f"../{id}.html")).parts
    assert parts == [
        "Use ", ["code", "a<b"], ", ", ["em", "not"], " <b>that</b> of ",
        ["a", "b", "../b.html"], " or ", ["a", "there", "http://x.org/?a=1&b=2"], "\nnow", "\n",
        "\nthen",
    ]  # fmt: skip
