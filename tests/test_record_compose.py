"""How a new fact is said on one line: kind, id, names and text, as `append --new` and `note` read it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import each_row, examples
from tests.world import Answer, World


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Answer]]:
    """Say what would be recorded of a new fact."""
    with World(tmp_path_factory.mktemp("new")) as world:
        home = world.home()
        yield lambda text: home.run("append", "--title", "T", "--new", text, "--dry-run", code=None)


def facts(answer: Answer) -> str:
    """Return the block of the one fact, without a made id."""
    block = str(answer.json["log"]).partition("## Facts\n\n")[2]
    made = answer.json["facts"][0]
    return block.replace(f"id: {made} ", "id: ID ").replace(f"id: {made} |", "id: ID |")


@each_row(
    "text, block",
    [
        ("decision: Use git.", "- Use git.\n  <!-- id: ID | kind: decision -->\n"),
        ("Decision:Use git.", "- Use git.\n  <!-- id: ID | kind: decision -->\n"),
        ("Use git.", "- Use git.\n  <!-- id: ID -->\n"),
        ("fact: x", "- x\n  <!-- id: ID -->\n"),
        ("thread:  Why?\n\nReally?", "- [ ] Why?\n\n  Really?\n  <!-- id: ID | kind: thread -->\n"),
        ("TODO: fix it", "- [ ] fix it\n  <!-- id: ID | kind: thread -->\n"),
        ("rule: Sign it.", "- Sign it.\n  <!-- id: ID | kind: convention -->\n"),
        ("task: Wire it.", "- [ ] Wire it.\n  <!-- id: ID | kind: task -->\n"),
        ("entity=Redis,API decision: tags=perf Cache it.",
         "- Cache it.\n  <!-- id: ID | kind: decision | tags: perf | entity: Redis, API -->\n"),
        ('entity="Payments API",Redis tags="a b" decision: The log said "no".',
         '- The log said "no".\n  <!-- id: ID | kind: decision | tags: a b | entity: Payments API, Redis -->\n'),
        ('tags=5 fact: x', '- x\n  <!-- id: ID | tags: 5 -->\n'),
        ("priority=high owner=ada task: Wire it.",
         "- [ ] Wire it.\n  <!-- id: ID | kind: task | priority: high | owner: ada -->\n"),
    ],
)  # fmt: skip
def test_a_new_fact_is_read(new: Callable[[str], Answer], text: str, block: str) -> None:
    """`kind: text`, with names before or behind the kind; an id that is said is taken as it is."""
    answer = new(text)
    assert (answer.code, answer.json["findings"], facts(answer)) == (0, [], block)
    assert new(f"id=own {text}").json["facts"] == ["own"]


@each_row(
    "text",
    [
        "Note: it is slow.", "CI: two cores.", "retries=3 is enough", "https://example.org is down",
        "The rule: never twice.", "src/main.py: holds the loop", "kind of slow: the proxy", "todo",
        "Use a=b in queries: it is short", "x= is a sign", "A::b is a name", "https://x.org is down",
        "Use HTTP only: never FTP.", "The payments decision: we keep Stripe.",
    ],
)  # fmt: skip
def test_what_reads_as_it_was_meant_is_a_text(new: Callable[[str], Answer], text: str) -> None:
    """Texts with colons and signs stay texts, of kind fact, without a remark; behind a kind any text does."""
    for said in (text, f"fact: {text}"):
        answer = new(said)
        assert (answer.code, answer.codes(), facts(answer)) == (
            0,
            [],
            f"- {text}\n  <!-- id: ID -->\n",
        ), said


@each_row(
    "text, said",
    [
        ("insight: fix it", "there is no kind insight"), ("Tassk: fix it", "did you mean `task: …`?"),
        ("decison: Use git.", "did you mean `decision: …`?"), ("Decison: Use git.", "did you mean `decision: …`?"),
        ("fact: howto: x", ""), ("fact: todo: fix it", ""),
    ],
)  # fmt: skip
def test_what_looks_like_a_kind_is_told(new: Callable[[str], Answer], text: str, said: str) -> None:
    """It stays in the text, and the remark has the right spelling."""
    answer = new(text)
    told = [f"{one['message']} {one['hint']}" for one in answer.json["findings"]]
    assert answer.code == 0 and text.removeprefix("fact: ") in facts(answer)
    assert (len(told), said in "".join(told)) == (bool(said), True)


#: Of each key the last value that may be, and one that is more.
BOUNDS = (
    ("warns", "w" * 200, "w" * 201), ("warns", "none", "?"), ("warns", "a,b", "a,,b"), ("asked", "a" * 300, "a" * 301),
    ("title", "t" * 120, "t" * 121), ("salience", "1", "0"), ("salience", "10", "11"), ("salience", "5", "x"),
    ("iteration", "9" * 9, "9" * 10), ("iteration", "0", "-1"), ("outcome", "worked", "done"),
    ("depends", "a,b-c", "A"),
)  # fmt: skip


def test_what_is_said_beside_a_fact_has_its_bounds(world: World) -> None:
    """The last that may be is taken; whatever is more is refused, and each is named."""
    home = world.home()
    drafts = [
        {"new": [{"id": f"fact-{at}", "text": f"Fact {at}.", "footers": {row[0]: row[side]}}
                 for at, row in enumerate(BOUNDS)]}
        for side in (1, 2)
    ]  # fmt: skip
    taken, refused = (
        home.run("append", "--from-json", "-", "--dry-run", stdin=json.dumps(draft), code=code).json
        for draft, code in zip(drafts, (0, 1), strict=True)
    )
    assert len(taken["facts"]) == len(BOUNDS)
    assert [one["message"] for one in refused["error"]["findings"]] == [
        f"fact-{at}: `{key}` is {beyond[:40]!r}" for at, (key, _, beyond) in enumerate(BOUNDS)
    ]


@settings(max_examples=examples(20, 200))
@given(st.text(alphabet='ab=:" decisonrl', max_size=40))
def test_any_text_is_judged(new: Callable[[str], Answer], text: str) -> None:
    """It is a fact, or refused with a way on; saying the kind first is one, but for an `=`."""
    answer = new(text)
    assert answer.code in (0, 1, 2) and (answer.code == 0 or answer.json["error"]["hint"])
    if answer.code == 0:
        assert facts(answer).startswith("- ")
    words = text.strip(' =:"')
    if "=" not in text and words:
        assert new(f"id=own fact: {text}").code == 0


@given(st.binary(max_size=80) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(("title", "new", "text", "kind", "refs", "id", "close", "x")), inner, max_size=3),
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_g6_json_is_total(json_home: Any, data: bytes) -> None:
    """Any bytes give a log or a typed failure."""
    answer = json_home.run("append", "--from-json", "-", "--dry-run", stdin=data, code=None)
    assert answer.code == 0 or answer.said in ("DraftRefused", "WrongUsage")


@pytest.fixture(scope="module")
def json_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with World(tmp_path_factory.mktemp("json")) as world:
        yield world.home()
