"""From options and JSON to a draft: values in, values out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import DraftRefused, WrongUsage
from ledger.model.event import (
    FactCreated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from memory.write.draft import SessionDraft
from projection.policy.model import BUILT_IN_KINDS
from projection.text.fact_ids import id_of_subject
from rituals.record.draft_composer import compose
from rituals.record.json_request import JsonDraft, read_json
from rituals.record.option_values import parse_ids, parse_new, parse_supersede, slip
from rituals.record.request import NewFact, Request, Supersession, Update
from rituals.record.slips import refuse
from tests.conftest import each_row

KINDS = tuple(kind.name for kind in BUILT_IN_KINDS)


def _nothing_taken(_id: str, _text: str) -> bool:
    return False


@each_row(
    "text, kind, fact, said",
    [
        ("decision: Use git.", "decision", "", "Use git."),
        ("Decision:Use git.", "decision", "", "Use git."),
        ("Use git.", "fact", "", "Use git."),
        ("fact: x", "fact", "", "x"),
        ("Note: it is slow.", "fact", "", "Note: it is slow."),
        ("https://example.org is down", "fact", "", "https://example.org is down"),
        ("id=use-git decision: Use git.", "decision", "use-git", "Use git."),
        ("decision: id=use-git Use git.", "decision", "use-git", "Use git."),
        ("thread:  Why?\n\nReally?", "thread", "", "Why?\n\nReally?"),
        ("TODO: fix it", "thread", "", "fix it"),
        ("id=x rule: Sign it.", "convention", "x", "Sign it."),
        ("task: Wire it.", "task", "", "Wire it."),
        ("id=x", "fact", "x", ""),
        ("", "fact", "", ""),
    ],
)
def test_parse_new(text: str, kind: str, fact: str, said: str) -> None:
    """`kind: text` with an optional id; what is no kind belongs to the text."""
    assert parse_new(text, KINDS) == NewFact(said, fact, kind)


def test_parse_new_takes_names() -> None:
    """What a fact is about, and its tags, stand before its text; a text that looks alike stays one."""
    made = parse_new("id=hot entity=Redis,API decision: tags=perf Cache it.", KINDS)
    assert made == NewFact("Cache it.", "hot", "decision", ("perf",), ("Redis", "API"))
    assert parse_new("retries=3 is enough", KINDS).text == "retries=3 is enough"


def test_parse_new_takes_names_with_blanks() -> None:
    """A value in double quotes may hold blanks, whole or in parts; a lone mark is a mark."""
    made = parse_new('entity="Payments API",Redis tags="a b" decision: He said "no".', KINDS)
    assert made == NewFact('He said "no".', "", "decision", ("a b",), ("Payments API", "Redis"))
    assert parse_new('tags=5" fact: x', KINDS).tags == ("5",)


@each_row(
    "text, said",
    [
        ("insight: fix it", "there is no kind insight"),
        ("Tassk: fix it", "did you mean `task: …`?"),
        ("decison: Use git.", "did you mean `decision: …`?"),
        ("Decison: Use git.", "did you mean `decision: …`?"),
        ("source=judge pattern: Cite the line.", "a new fact has no key source="),
        ("pattern: source=judge Cite the line.", "a new fact has no key source="),
        ("prioriy=high task: Wire it.", "did you mean priority=?"),
        ("depend=a,b task: Wire it.", "did you mean depends=?"),
        ("task: prioriy=high Wire it.", "did you mean priority=?"),
        ("task: prio=high Wire it.", "put it in back-ticks: `prio=…`"),
        ("kind=decision Use git.", "`decision: TEXT`"),
        ("tag=api fact: It is slow.", "did you mean tags=?"),
        ("entty=API It is slow.", "did you mean entity=?"),
        ("colour=red decision: Use git.", "keys: id=, tags=, entity="),
        ("id=a id=b fact: Twice.", "id= stands twice"),
        ("entity=Payments API decision: It is slow.", 'quotes: entity="Payments API"'),
        ("id=a entity=Payments API v2 decision: It is slow.", 'entity="Payments API v2"'),
    ],
)
def test_what_is_no_kind_and_no_key_is_a_slip(text: str, said: str) -> None:
    """It is named, with the right spelling and how it is written where it belongs to the text."""
    found = slip(text, (*KINDS, "open-question"))
    assert found is not None
    assert said in f"{found.message} {found.hint}"


@each_row(
    "text",
    [
        "decision: Use git.", "Use git.", "Note: it is slow.", "CI: two cores.", "retries=3 is enough",
        "https://example.org is down", "The rule: never twice.", "src/main.py: holds the loop",
        "fact: todo: fix it", "decision: DEBUG=1 turns it on.", 'entity="Payments API" decision: x',
        "id=x entity=API,Redis Use HTTP only: never FTP.", "Use a=b in queries: it is short", "", ":",
        "a::b is a name", "x=", "kind of slow: the proxy", "todo",
        "The payments decision: we keep Stripe.",
    ],
)  # fmt: skip
def test_what_reads_as_it_was_meant_is_no_slip(text: str) -> None:
    """Texts with colons and signs stay texts."""
    assert slip(text, KINDS) is None


@given(st.text(alphabet='ab=:" decisonrl', max_size=60))
def test_slip_is_total(text: str) -> None:
    """Any text is judged, and saying the kind first is always a way out."""
    found = slip(text, KINDS)
    assert found is None or found.hint
    if "=" not in text:
        assert slip(f"fact: {text}", KINDS) is None


@given(st.text(max_size=60))
def test_parse_new_is_total(text: str) -> None:
    """Any text is read as something, and its kind is always known."""
    assert parse_new(text, KINDS).kind in KINDS


def test_parse_ids() -> None:
    """Ids come one by one or as comma lists; each counts once."""
    assert parse_ids(("a, b", "c", "a,,", " ")) == ("a", "b", "c")


def test_parse_supersede() -> None:
    """OLD=NEW, and nothing less."""
    assert parse_supersede(" a = b ") == Supersession("a", "b")
    for text in ("a", "a=", "=b", ""):
        with pytest.raises(WrongUsage) as caught:
            parse_supersede(text)
        assert "--supersede OLD=NEW" in caught.value.hint


def test_ids_are_made_from_texts_and_are_unique() -> None:
    """The same words give -2, -3… where an id stands for something else."""
    new = tuple(NewFact("Retry twice.", "", "fact") for _ in range(2))
    draft = compose(
        Request(new=new),
        None,
        lambda fact, _: fact == "retry-twice",
        {"retry": "retry", "twice": "twice"},
    )
    assert [event.id for event in draft.events] == ["retry-twice-2", "retry-twice-3"]


def test_ids_of_one_text_said_many_times_are_made_in_time() -> None:
    """Each begins where the one before it ended; a number that something else has is passed over."""

    def taken(fact: str, text: str) -> bool:
        return fact.endswith("-3")

    new = tuple([NewFact("Wait.")] * 5000)
    ids = [event.id for event in compose(Request(new=new), None, taken, {}).events]
    assert ids[:4] == [ids[0], f"{ids[0]}-2", f"{ids[0]}-4", f"{ids[0]}-5"]
    assert ids[-1] == f"{ids[0]}-5001"


def test_a_chosen_id_is_never_changed() -> None:
    """`id=` is taken as it is; `append` refuses it where it exists."""
    draft = compose(Request(new=(NewFact("x", "mine", "fact"),)), None, lambda *_: True, {})
    assert draft.events == (FactCreated("mine", "x"),)


def test_compose_on_top_of_a_file() -> None:
    """Options add to a file's events and win over its header and title."""
    base = SessionDraft(
        "Old", "Prose.", (FactReferenced("a"),), "bob", "review", (("role", "r"), ("own", "1"))
    )
    request = Request(
        title="New",
        role="builder",
        refs=("b",),
        new=(NewFact("Why so slow?", "", "thread", ("perf",)),),
        update=(Update("c", " text \n"),),
        supersede=(Supersession("d", "e"),),
        close=("f",),
    )
    made = id_of_subject("Why so slow?", {"slow": "slow"})
    draft = compose(request, base, _nothing_taken, {"slow": "slow", "perf": "perf"})
    assert draft == SessionDraft(
        "New",
        "Prose.",
        (
            FactReferenced("a"),
            FactReferenced("b"),
            FactCreated(made, "Why so slow?", " ", (("kind", "thread"), ("tags", "perf"))),
            FactUpdated("c", "text"),
            FactSuperseded("d", "e"),
            ThreadClosed("f"),
        ),
        "bob",
        "review",
        (("own", "1"), ("role", "builder")),
        (made,),
    )


def test_kinds_that_look_misspelled_are_told() -> None:
    """A kind that the policy does not name is told, and so is text like one."""
    new = (NewFact("x", "", "decison"), NewFact("decison: x"), NewFact("y"))
    found = refuse(Request(new=new), KINDS, options=False)
    assert [finding.code for finding in found] == ["unknown-kind", "unknown-kind"]
    assert found[0].hint.startswith("did you mean decision? kinds: vision, invariant, ")
    assert found[1].hint == "did you mean decision?"


@each_row(
    "request_, option, key",
    [
        (Request(refs=("ok", "A b")), "--ref", "refs.1"),
        (Request(close=("A b",)), "--close", "close.0"),
        (Request(new=(NewFact("x", "A b"),)), "--new", "new.0.id"),
        (Request(update=(Update("A b", "x"),)), "--update", "update.0.id"),
        (Request(move=(("A b", "done"),)), "--move", "move"),
        (Request(supersede=(Supersession("A b", "ok"),)), "--supersede", "supersede.0.old"),
        (Request(supersede=(Supersession("ok", "A b"),)), "--supersede", "supersede.0.new"),
    ],
)
def test_what_is_no_id_is_refused_where_it_stands(request_: Request, option: str, key: str) -> None:
    """By the option on the command line, by the key in JSON; a fact without an id gets one."""
    for place, options in ((option, True), (key, False)):
        with pytest.raises(DraftRefused) as caught:
            refuse(request_, KINDS, options=options)
        (found,) = caught.value.findings
        assert (found.code, found.message) == ("bad-id", f"{place}: not a fact id: 'A b'")


# ---- JSON -----------------------------------------------------------------------------------------


def test_json_says_everything() -> None:
    """Every key of the JSON draft arrives in the request."""
    data = {
        "title": "t", "body": "b", "agent": "a", "session": "s", "role": "r", "model": "m",
        "host": "h", "refs": ["x"], "new": [{"text": "n", "kind": "stack", "id": "i", "tags": ["g"],
                              "footers": {"salience": "7"}}],
        "update": [{"id": "u", "text": "v"}], "supersede": [{"old": "o", "new": "p"}],
        "invalidate": ["q"], "close": ["c"], "reopen": ["d"], "reactivate": ["e"], "anyway": True,
        "move": {"k": "done"}, "helped": {"l": "a.py:1"}, "ignored": {"n": ""},
        "verdict": "pass", "about": "x", "tokens": "9",
    }  # fmt: skip
    assert set(data) == set(JsonDraft.model_fields)
    assert read_json(json.dumps(data).encode(), "draft.json") == Request(
        "t", "b", "a", "r", "h", "m", "s", ("x",), (NewFact("n", "i", "stack", ("g",), (), (("salience", "7"),)),),
        (Update("u", "v"),), (Supersession("o", "p"),), ("q",), ("c",), ("d",), ("e",), True, "",
        (("k", "done"),), (("l", "a.py:1"),), (("n", ""),), "pass", "x", "9",
    )  # fmt: skip


@each_row(
    "data, said",
    [
        (b"", "Invalid JSON"),
        (b"{", "Invalid JSON"),
        (b'{"title": "\\ud800"}', "Invalid JSON"),
        (b'{"title": "\\uZZZZ"}', "Invalid JSON"),
        (b'{"title": "\xff"}', "Invalid JSON"),
        (b"[" * 100_000, "Invalid JSON"),
        (b"[]", "object"),
        (b'{"titel": "x"}', "titel"),
        (b'{"title": 3}', "title"),
        (b'{"new": [{"text": "x", "knd": "y"}]}', "new.0.knd"),
        (b'{"new": [{"kind": "y"}]}', "new.0.text"),
        (b'{"refs": "a"}', "refs"),
    ],
)
def test_g6_json_that_can_not_be_meant(data: bytes, said: str) -> None:
    """Invalid JSON, lone surrogates, unknown keys and wrong types are one typed failure."""
    with pytest.raises(DraftRefused) as caught:
        read_json(data, "draft.json")
    assert caught.value.where == "draft.json"
    assert said in caught.value.message


@given(st.binary(max_size=200))
def test_g6_json_is_total(data: bytes) -> None:
    """Any bytes give a request or a typed failure."""
    try:
        read_json(data, "x")
    except DraftRefused:
        pass
