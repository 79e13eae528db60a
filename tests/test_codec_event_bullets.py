"""How the references section is read: strictly for sealed logs, tolerantly for all others."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.codec.event_bullets import read_references, write_references
from ledger.codec.log import decode, read_entry
from ledger.model.event import (
    Event,
    FactCreated,
    FactHelped,
    FactInvalidated,
    FactRedacted,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    ThreadReopened,
)
from tests.conftest import each_row, examples

LAWS = settings(max_examples=examples(100, 300), deadline=None)
MERCURY = Path(__file__).resolve().parents[2] / "shared" / "ledgers" / "mercury"


def strict(text: str) -> tuple[list[Event], list[str]]:
    events, findings = read_references(text.split("\n"), strict=True)
    return events, [finding.code for finding in findings]


def tolerant(text: str) -> list[Event]:
    return read_references(text.split("\n"), strict=False)[0]


R = FactReferenced
STRICT: dict[str, list[Event]] = {
    "- Referenced:a, b-c": [R("a"), R("b-c")],
    "- referenced: `a`, [[b.c]], **d**": [R("a"), R("b.c"), R("d")],
    "- Referenced: a (because, b), c": [R("a", "because, b"), R("c")],
    "- Referenced: a — because, b (c)": [R("a", "because, b (c)")],
    "- Created: (none, a unchanged)": [],
    "- (none)": [],
    "- Updated: a (was 0123abcd), b (was 0123abcd, 89abcdef) — why": [
        FactUpdated("a", None, ("0123abcd",)),
        FactUpdated("b", None, ("0123abcd", "89abcdef"), remark="why"),
    ],
    "- Superseded: a -> b, c → d": [FactSuperseded("a", "b"), FactSuperseded("c", "d")],
    "- Superseded: a, b → c": [FactSuperseded("a", "c"), FactSuperseded("b", "c")],
    "- Superseded: a (invalidated)": [FactInvalidated("a")],
    "- Superseded: a (invalidated: wrong) (so) — why": [FactInvalidated("a", "wrong — so — why")],
    "- Invalidated: a": [FactInvalidated("a")],
    "- Invalidated: a - why, b": [FactInvalidated("a", "why, b")],
    f"- Redacted: a (held 2026-05-02 {'0' * 40}, 2026-05-03-x {'a' * 40}) — why": [
        FactRedacted("a", "why", (("2026-05-02", "0" * 40), ("2026-05-03-x", "a" * 40)))
    ],
    "- Redacted: a (held 2026-05-02 x), b": [
        FactRedacted("a", "held 2026-05-02 x"),
        FactRedacted("b"),
    ],
    "- CLOSED: a\n- Reopened: b": [ThreadClosed("a"), ThreadReopened("b")],
    "- Created:\n  - a\n  - b (x)": [FactCreated("a", None), FactCreated("b", None, remark="x")],
}


@each_row("text", list(STRICT))
def test_canonical_forms_and_leniencies(text: str) -> None:
    """The event table of the format and its few leniencies are read without findings."""
    assert strict(text) == (STRICT[text], [])


@each_row(
    "text, code",
    [
        ("- Touched: a", "unknown-verb"),
        ("- `a`", "unknown-verb"),
        ("- Referenced: A-b", "bad-id"),
        ("- Referenced: a b", "bad-id"),
        ("- Referenced: a.", "bad-id"),
        ("- Referenced: a\u0435", "bad-id"),
        ("- Superseded: a", "bad-event"),
        ("- Superseded: a (invalidated2 of 3)", "bad-event"),
        ("- Superseded: a by b", "bad-id"),
        ("Referenced: a", "bad-event"),
        ("> - Referenced: a", "bad-event"),
        ("\t- Referenced: a", "bad-event"),
        ("```\n- Referenced: a\n```", "bad-event"),
        ("- Referenced: (x)", "bad-event"),
        ("- Referenced: b <!-- a -->", "bad-event"),
    ],
)
def test_what_is_not_canonical_is_a_finding(text: str, code: str) -> None:
    """A sealed log that says something else yields a finding, and the rest is read."""
    events, findings = read_references(f"{text}\n\n- Closed: z".split("\n"), strict=True)
    assert [(one.code, one.line) for one in findings] == [(code, 1)]
    assert events[-1] == ThreadClosed("z")
    assert len(events) == 1 + text.count("b <!--")


TOLERANT: dict[str, list[Event]] = {
    "- Created (seeded this session): `a-b`": [FactCreated("a-b", None)],
    "Created (seeded at enable):\n\n- `a` (x)\n- `b`": [
        FactCreated("a", None, remark="x"),
        FactCreated("b", None),
    ],
    "- Thread updated: a": [FactUpdated("a", None)],
    "- Touched: a\n- Corrected (substance): b": [FactUpdated("a", None), FactUpdated("b", None)],
    "- Referenced / closed: a": [R("a"), ThreadClosed("a")],
    "- helped + closed: a, b (x)": [
        *(FactHelped("a", "x"), ThreadClosed("a"), FactHelped("b", "x"), ThreadClosed("b", "x")),
    ],
    "- New:a": [FactCreated("a", None)],
    "- Verified: a": [FactVerified("a")],
    "- **Applied:** `a`": [R("a")],
    "- **Archived (faded):** `a`\n- Tier changes: b": [],
    "- `thread-x` — fulfilled, b-c": [R("thread-x", "fulfilled, b-c")],
    "- thread-x — closed2 of 3": [R("thread-x", "closed2 of 3")],
    "- thread-x (closed: done)": [ThreadClosed("thread-x", "closed: done")],
    "- thread-x — created (again)": [FactCreated("thread-x", None, remark="created (again)")],
    "- thread-x — substance updated": [FactUpdated("thread-x", None, remark="substance updated")],
    "- port-bottom-up-faithful (map-dont-mirror)": [
        R("port-bottom-up-faithful", "map-dont-mirror")
    ],
    "- `a-b` was so, `c`, `d` was": [R("a-b", "was so"), R("c")],
    "- so, a-b": [],
    "[[a-b]], `c`\n\n- d-e: closed today": [R("a-b"), R("c"), ThreadClosed("d-e", "closed today")],
    "- referenced: the `a-b` thing, single": [R("a-b"), R("single")],
    "- referenced: `a` and `b-c`": [R("a"), R("b-c")],
    "- referenced: a., `b-c` was so": [R("a"), R("b-c", "was so")],
    "(none — `a-b` stays)": [],
    "- referenced: none": [],
    "Referenced: `a`,\n`b`\n\nCo-Authored-By: X": [R("a"), R("b")],
    "Also: fixed the a-b thing": [],
    "- Superseded: a by b": [FactSuperseded("a", "b")],
    "- Superseded: `a` → `b`": [FactSuperseded("a", "b")],
    "### Created\n\n- a": [FactCreated("a", None)],
}


@each_row("text", list(TOLERANT))
def test_what_hand_written_logs_say(text: str) -> None:
    """Verbs, bullets and paragraphs of real logs are read as they were meant."""
    assert tolerant(text) == TOLERANT[text]


def test_many_ids_take_several_bullets() -> None:
    """At most a hundred ids share a bullet; all are read back."""
    events = tuple(R(f"fact-{n}") for n in range(250))
    lines = write_references(events)
    assert len(lines) == 3
    assert read_references(lines, strict=True) == (list(events), [])


@LAWS
@given(
    st.lists(
        st.sampled_from(
            "- |* |  - |\n|\n\n|  |Referenced|created|Superseded|Updated|: |:|a|b-c|`|``|**|[[|]]|(|)|(was |"
            "00000000|,| — |—|->|→| |(none|<!--|-->|>|#|```\n|~~~\n|none|closed|+|/|é|\u2028|\t|and".split(
                "|"
            )
        ),
        max_size=40,
    ).map("".join)
)
@example("- \n  - ")
def test_reading_is_total(text: str) -> None:
    """Neither reading raises, whatever stands in the section."""
    for mode in (True, False):
        read_references(text.split("\n"), strict=mode)


def test_real_ledger_is_counted_as_the_reference_counts() -> None:
    """On 188 real logs every count of the reference is met, but for facts it leaves untouched."""
    if not MERCURY.is_dir():
        pytest.skip("the real ledger is not here")
    expected = json.loads((MERCURY / "expected.json").read_text("utf-8"))["expected"]
    uses: Counter[str] = Counter()
    for path in sorted((MERCURY / "memory" / "sessions").glob("*.md")):
        entry, findings = read_entry(path.stem, path.read_bytes())
        assert {finding.code for finding in findings} <= {"bad-id", "unknown-verb"}
        decode(path.read_bytes(), sealed=True)
        uses.update(entry.named)
    differing = {id for id, fact in expected.items() if str(uses[id]) != fact["uses"]}
    # core facts keep their footers, and three threads and the template are never referenced
    assert differing == {
        "inv-never-couple-functions", "inv-telemetry-presentation-parity", "kebab-id",
        "thread-release-4-11-5-rust", "thread-tutorial-14-decision-rust", "thread-v4-11-1-lockstep",
    }  # fmt: skip
