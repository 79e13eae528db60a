"""The laws of the codec, what a draft is refused for, and what reading tolerates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.codec.canonical_draft import problems, read_draft
from ledger.codec.fact_blocks import tidy
from ledger.codec.fast_read import scan
from ledger.codec.log import canonical, decode, encode, entry_of
from ledger.errors import DraftRefused
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
    WorkDropped,
    WorkLanded,
)
from ledger.model.session import HEADER_KEYS, SessionLog
from tests.conftest import each_row, examples

LAWS = settings(max_examples=examples(80, 300), deadline=None)
STEM = "2026-11-21-083012417-000000000000"

#: The log that the document of the format shows.
EXAMPLE = re.findall(
    r"(?ms)^```markdown\n(---\n.*?^)```$",
    (Path(__file__).parents[1] / "ledger" / "FORMAT.md").read_text(),
)[0]

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12)
pieces = st.sampled_from([
    "text", "- x", "- [ ] y", "## Facts", "## Next", "# T", "```", "~~~", "<!-- c -->", "<!--", "-->",
    "<!-- id: forged -->", "    <!-- id: code -->", "  in", "", "", "---", "> q", "<div>", "- Created: a",
    "=======", "<<<<<<< x", "\u2028", "\x0c", "é", "[x]", "\t tab", "end ", "| a", "1. one", " ## Facts",
    "## Memory References", "* * *", "👩‍💻", "\ufeff", "\x85",
])  # fmt: skip
paragraphs = st.lists(st.one_of(pieces, words), max_size=6).map("\n".join)
ids = st.sampled_from(["a", "b-c", "d.e-1", "thread-x", "4.6.2", "none", "was", "id"])
remarks = st.one_of(
    st.just(""),
    words,
    st.sampled_from(["so (x), b", "a → b", "x — y", "(none)", "`b-c`", "a -> b"]),
)
versions = st.one_of(st.none(), st.lists(st.sampled_from(["01234567", "89abcdef"]), min_size=1, max_size=2).map(tuple))  # fmt: skip
stems = st.one_of(st.none(), st.lists(st.sampled_from([STEM, "2026-05-01-101500-word", "2026-05-02"]), min_size=1, max_size=2).map(tuple))  # fmt: skip
held = st.lists(st.tuples(st.sampled_from([STEM, "2026-05-02"]), st.sampled_from(["0123456789" * 4, "f" * 40])), max_size=2).map(tuple)  # fmt: skip
metas = st.lists(
    st.tuples(
        st.sampled_from(["kind", "tags", "source", "x-new", "created", "id", "Kind"]),
        st.one_of(st.sampled_from(["thread", "api, web", "2026-02-30", "a|b", "-->", "a: b", " "]), words),
    ),
    max_size=3,
).map(tuple)  # fmt: skip
marks = st.sampled_from(["", "", " ", "x"])
events = st.one_of(
    st.builds(FactReferenced, ids, remarks),
    st.builds(FactCreated, ids, paragraphs, marks, metas, remarks),
    st.builds(FactUpdated, ids, paragraphs, versions, marks, metas, remarks, stems),
    st.builds(FactSuperseded, ids, ids, remarks, versions),
    st.builds(FactInvalidated, ids, remarks, versions),
    st.builds(ThreadClosed, ids, remarks, versions),
    st.builds(ThreadReopened, ids, remarks),
    st.builds(FactReinstated, ids, remarks, stems),
    st.builds(FactRedacted, ids, remarks, held),
    st.builds(WorkLanded, ids, st.sampled_from(["4f2a91c0" * 5, "4f2a91c", "a"]), remarks),
    st.builds(WorkDropped, ids, remarks),
)
headers = st.lists(
    st.tuples(st.sampled_from([*HEADER_KEYS, "x-new"]), st.one_of(st.just("work"), words)), max_size=4
).map(tuple)  # fmt: skip
logs = st.builds(
    SessionLog, headers, st.one_of(st.just("A title"), words), paragraphs,
    st.lists(events, max_size=5).map(tuple),
)  # fmt: skip


@LAWS
@given(logs)
def test_what_problems_accepts_reads_back_as_it_was(log: SessionLog) -> None:
    """decode∘encode is the identity on every log without problems, and both readers agree."""
    for candidate in (log, canonical(log)):
        if not problems(candidate):
            data = encode(candidate)
            assert decode(data, sealed=True) == (candidate, ())
            assert encode(decode(data, sealed=True)[0]) == data
            entry = scan(STEM, data)
            assert entry is None or entry == entry_of(STEM, candidate)


simple_texts = st.lists(st.sampled_from(["One line.", "", "- nested", "```\n<!-- id: q -->\n```", "é 👩‍💻"]),
                        min_size=1, max_size=4).map("\n".join).map(tidy).filter(bool)  # fmt: skip
none = st.just("")
simple_events = st.lists(
    st.one_of(
        st.builds(
            FactCreated, ids, simple_texts, st.just(" "), st.just((("kind", "thread"),)), none
        ),
        st.builds(FactUpdated, ids, simple_texts, versions, none, st.just(()), none, stems),
        st.builds(FactSuperseded, ids, st.just("new"), none, versions),
        st.builds(FactInvalidated, ids, none, versions),
        st.builds(FactReferenced, ids, st.sampled_from(["", "so (x), b", "a → b", "x — y"])),
        st.builds(ThreadClosed, ids, none, versions),
        st.builds(FactReinstated, ids, none, stems),
        st.builds(FactRedacted, ids, st.sampled_from(["", "why (so)"]), held),
    ),
    max_size=6,
    unique_by=lambda event: event.id,
).map(tuple)


@LAWS
@given(
    simple_events, st.sampled_from(["", "Prose.", "```\n## Facts\n```", "<div>\n\n## Next\n\nx"])
)
def test_ordinary_logs_have_no_problems(events: tuple[Event, ...], prose: str) -> None:
    """What agents ordinarily write is accepted, and the fast path reads it."""
    log = SessionLog((("agent", "a"),), "Title", prose, events)
    assert problems(log) == ()
    assert scan(STEM, encode(log)) == entry_of(STEM, log)


@LAWS
@given(st.one_of(paragraphs.map(str.encode), st.binary(max_size=60), logs.filter(
    lambda log: not any("\ud800" <= c <= "\udfff" for c in repr(log))).map(encode)))  # fmt: skip
def test_reading_and_drafting_are_total(data: bytes) -> None:
    """Any bytes are read without raising; a draft is stored canonically or refused."""
    decode(data, sealed=True)
    decode(data, sealed=False)
    try:
        log = read_draft(data)
    except DraftRefused as refused:
        assert refused.findings
    else:
        assert problems(log) == ()
        assert decode(encode(log), sealed=True) == (log, ())


@LAWS
@given(logs)
def test_a_draft_loses_no_word(log: SessionLog) -> None:
    """Every word of an accepted draft stands in the stored log."""
    data = encode(log)
    try:
        stored = encode(read_draft(data)).decode()
    except DraftRefused:
        return
    # what says nothing goes: an empty section, an empty header value, `type: work`
    gone = set("## facts memory references type: work --- - | —".split())
    metas = [pair for event in log.events for pair in getattr(event, "meta", ())]
    gone.update(f"{key.lower()}:" for key, value in (*log.header, *metas) if not value.strip())
    words = [set(text.lower().replace(",", " ").split()) for text in (data.decode(), stored)]
    assert words[0] - words[1] <= gone


def test_the_example_of_the_format_is_canonical() -> None:
    """The log shown in the format document reads and writes back byte for byte."""
    data = EXAMPLE.encode()
    log, findings = decode(data, sealed=True)
    assert findings == ()
    assert encode(log) == data
    assert problems(log) == ()
    assert scan(STEM, data) == entry_of(STEM, log)
    assert entry_of(STEM, log).named == (
        "post-only-mutations", "webhook-fire-forget", "webhook-retry-queue", "api-timeouts",
    )  # fmt: skip


def created(text: str = "A text.", **changes: object) -> SessionLog:
    event = FactCreated("a-fact", text)._replace(**changes)  # type: ignore[arg-type]
    return SessionLog((), "T", "", (event,))


GOOD = created()
REFUSED: list[tuple[str, SessionLog]] = [
    ("the title is empty", GOOD._replace(title="")),
    ("the title holds a line break or control character", GOOD._replace(title="a\x1b[2J")),
    ("agent holds a line break or control character", GOOD._replace(header=(("agent", "a\u2028b"),))),
    ("agent is empty", GOOD._replace(header=(("agent", ""),))),
    ("the key agent stands twice; the first counts", GOOD._replace(header=(("agent", "a"), ("agent", "b")))),
    ("the header, title or prose does not read back as it is", GOOD._replace(header=(("branch", "a"), ("agent", "b")))),
    ("not `key: value`: a b: c", GOOD._replace(header=(("a b", "c"),))),
    ("unknown type of log: dream", GOOD._replace(header=(("type", "dream"),))),
    ("the header, title or prose does not read back as it is", GOOD._replace(header=(("type", "work"),))),
    ("a code fence is never closed", GOOD._replace(prose="```\nx")),
    ("a comment or HTML block is never closed", GOOD._replace(prose="<!-- x")),
    ("the prose holds a section `## facts`", GOOD._replace(prose="## facts")),
    ("merge conflict markers; nothing that this log says counts", GOOD._replace(prose="<<<<<<< a\nx\n=======\ny\n>>>>>>> b")),
    ("merge conflict markers; nothing that this log says counts", GOOD._replace(prose="<<<<<<< a\n```\n=======\n```\n>>>>>>> b")),
    ("a carriage return can not be stored", GOOD._replace(prose="a\rb")),
    ("a NUL byte; it is read as U+FFFD", GOOD._replace(prose="a\0b")),
    ("a lone surrogate can not be stored", GOOD._replace(prose="a\ud800b")),
    ("the header, title or prose does not read back as it is", GOOD._replace(prose="\na")),
    ("1200090 bytes; the limit is 1048576", GOOD._replace(prose="a b\n" * 300_000)),
    ("70000 bytes; the limit is 65536", GOOD._replace(prose="a" * 70_000)),
    ("10001 ids; the limit is 10000", GOOD._replace(events=tuple(FactReferenced(f"a{n}") for n in range(10_001)))),
    ("not a fact id: 'A'", created(id="A")),
    ("a-fact has no text", created(text="")),
    ("a has no text", GOOD._replace(events=(FactUpdated("a", None),))),
    ("the text of a-fact holds a footer of its own", created("a\n<!-- id: b -->\nc")),
    ("the text of a-fact holds a footer of its own", created("<!-- id: b -->")),
    ("the text of a-fact holds a footer of its own", created("a\n    <!-- id: b -->\nc")),
    ("in the text of a-fact", created("a\n```\nb")),
    ("the text of a-fact has blanks around it or at the end of a line", created("a ")),
    ("the text of a-fact has blanks around it or at the end of a line", created(" a")),
    ("the text of a-fact begins with a rule", created("- -")),
    ("an event or a fact does not read back as it is", created("[x] a")),
    ("a-fact has a checkbox and is of kind fact, which is never closed", created(mark="x")),
    ("a-fact: the value of tags would end early", created(meta=(("tags", "a | kind: b"),))),
    ("a-fact: the value of tags would end early", created(meta=(("tags", "a -->"),))),
    ("a-fact: the value of tags would end early", created(meta=(("tags", "a\nb"),))),
    ("the key id stands twice; the first counts", created(meta=(("id", "b"),))),
    ("a-fact: only imports may say `created`", created(meta=(("created", "2026-02-03"),))),
    ("the remark beside a-fact is not one line", created(remark="a\n- Closed: b")),
    ("an event or a fact does not read back as it is", created(remark="a ")),
    ("`Created: a` and `Updated: a` stand in one log", GOOD._replace(
        events=(FactCreated("a", "x"), FactUpdated("a", "y", ("01234567",)))
    )),
    ("`Closed: a` and `Reopened: a` stand in one log", GOOD._replace(events=(ThreadClosed("a"), ThreadReopened("a")))),
    ("`Created: a` stands twice", GOOD._replace(events=(FactCreated("a", "x"), FactCreated("a", "y")))),
    ("`Closed: a` stands twice", GOOD._replace(events=(ThreadClosed("a"), ThreadClosed("a")))),
    ("a can not be superseded by itself", GOOD._replace(events=(FactSuperseded("a", "a"),))),
    ("`Updated: a` names no version ['xyz']", GOOD._replace(events=(FactUpdated("a", "x", ("xyz",)),))),
]  # fmt: skip


@each_row("said, log", REFUSED)
def test_what_can_not_be_stored_is_named(said: str, log: SessionLog) -> None:
    """Each of these logs is refused, in these words."""
    assert "; ".join([one.message for one in problems(log)]) == said


def test_what_can_be_stored() -> None:
    """Imports carry their dates, threads their checkboxes, unknown keys stay."""
    meta = (("kind", "thread"), ("created", "2026-02-03"), ("x-new", "1"))
    log = created("a\n\n    <!-- id: in-code -->\n\nb", mark="x", meta=meta)
    assert problems(log._replace(header=(("type", "import"), ("x-new", "a: b")))) == ()
    quoted = "```\n<<<<<<< a\n=======\n>>>>>>> b\n```"
    assert problems(GOOD._replace(prose=quoted)) == ()
    assert read_draft(b"---\n---\n# T\n").title == "T"
    assert problems(GOOD._replace(prose="text <!-- c --> `## Facts`\n\n<b>\n\n## Factory")) == ()


@each_row(
    "draft, said",
    [
        ("# T\n\nx \udcff\n\0", "not-utf8:3 nul-byte:4"),
        ("---\nagent: a\nagent: b\n: c\n\nx y: z\ntype: work\n---\n", "front-matter:3 front-matter:4 front-matter:6"),
        ("---\nagent: a", "front-matter:1"),
        ("```\nx\n```\n<<<<<<< a\n=======\n>>>>>>> b", "conflict-marker:4"),
        ("<!-- a\n\n<?php\n\n~~~\nx", "unclosed-comment:1 unclosed-comment:3 unclosed-fence:5"),
        ("## memory references (x)\n- Dreamt: a\n\n## Memory References\nprose\n- Closed: b, (c), A",
         "section-suffix:1 repeated-section:4 unknown-verb:2 bad-event:5 bad-event:6 bad-id:6"),
        ("## Memory References\n- Referenced: b <!-- a -->\n\n  > q\n\n```\ncode\n```\n- Superseded: a, b",
         "bad-event:6 bad-event:4 bad-event:2 bad-event:9 bad-event:9"),
        ("## Memory References\n- Created: a, b\n## Facts" + "\n- x\n  <!-- id: a -->" * 2 + "\n- y\n- z",
         "bad-footer:8 bad-footer:9 duplicate-block:6 event-without-fact:0"),
        ("## Facts\n\n- x\n  <!-- id: a | no | id: b -->\n- y\n  <!-- id: c | created: 2026-02-30 -->\n\n- z\n  w\n\n  <!-- id: d -->",
         "bad-footer:4 bad-footer:4 bad-date:6 fact-without-event:3 fact-without-event:5 fact-without-event:8"),
        ("## Facts\nstray\n- x\n\n  y\nlazy\n  <!-- id: A -->\n\n- [ ]\n  <!-- id: e -->\nstray\nmore\n+\n\nz",
         "bad-footer:2 bad-id:7 bad-footer:10 bad-footer:11 bad-footer:13 bad-footer:15"),
    ],
)  # fmt: skip
def test_a_draft_is_refused_with_its_lines(draft: str, said: str) -> None:
    """What a draft is refused for names the file and the lines."""
    data = draft.encode("utf-8", "surrogateescape")
    found = decode(data, sealed=True, file="draft.md")[1]
    assert " ".join([f"{one.code}:{one.line}" for one in found]) == said
    with pytest.raises(DraftRefused) as refused:
        read_draft(data, "draft.md")
    assert {one.file for one in (*found, *refused.value.findings)} == {"draft.md"}
