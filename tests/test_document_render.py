"""The files of the projection: golden text, order, sections, safety of footers, the archive."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.model.event import Meta
from projection.document.archive_pages import pages
from projection.document.page_parser import parse, unparse
from projection.document.page_renderer import footer_value, render
from projection.fold.fact_history import Fact, Version
from projection.fold.projection_state import (
    CLOSED,
    FADED,
    INVALIDATED,
    SUPERSEDED,
    LiveView,
    Standing,
    Summary,
)
from projection.policy.model import BUILT_IN_KINDS, Kind, Policy
from tests.conftest import each_row

STEM = "2026-06-01-101500123-0c1d2e3f4a5b"
LATER = "2026-06-27-080000000-ffeeddccbbaa"
SUMMARY = Summary(42, 40, LATER, "ab" * 32, LATER, "claude-code", STEM, "")


def fact(
    id: str,
    *texts: str,
    kind: str = "fact",
    meta: Meta = (),
    created: str = "2026-06-01",
    uses: int = 1,
    closed: bool = False,
    supersedes: tuple[str, ...] = (),
    superseded_by: tuple[str, ...] = (),
    verified: str = "",
    redacted: bool = False,
    rivals: tuple[str, ...] = (),
) -> Fact:
    """A fact whose versions are `texts`, named 00000000, 00000001 and so on."""
    heads = tuple(Version(f"{n:08x}", text, STEM) for n, text in enumerate(texts))
    return Fact(
        id, kind, heads, meta, created, STEM, "2026-06-27", uses, STEM, LATER, closed=closed,
        superseded_by=superseded_by, supersedes=supersedes, verified=verified, redacted=redacted,
        rivals=rivals,
    )  # fmt: skip


def view(*standings: Standing, policy: Policy | None = None) -> LiveView:
    """A live view of these standings under the project `payments-api`."""
    return LiveView(
        SUMMARY,
        policy or Policy("payments-api"),
        tuple(s for s in standings if s.live),
        tuple(s.fact for s in standings if s.fact.contradicted),
        (1, 2, 3, 4, 5, 6),
    )


GOLDEN = """\
# Continuity — payments-api

> Diurna computes this file from the session logs. Edit its bullets: before it is written again, the edit \
becomes a log of its own, and what is not understood is named and left as it is.

- Sessions: 40
- Last session: 2026-06-27-080000000-ffeeddccbbaa (claude-code)
- Last review: 2026-06-01-101500123-0c1d2e3f4a5b
- Last invariant check: none
- Facts: 1 core, 2 working, 3 active, 4 archive-candidate, 5 archived, 6 superseded

## Contradictions

- `api-timeouts`: 2 versions stand, none wins; `Updated: api-timeouts (was 00000000, 00000001)` with \
the text that holds resolves it.
  - version `00000000` of 2026-06-01-101500123-0c1d2e3f4a5b
  - version `00000001` of 2026-06-01-101500123-0c1d2e3f4a5b

- `old-queue`: 2 successors stand, none wins; superseding or invalidating all but one of them \
resolves it.
  - successor `queue-a`
  - successor `queue-b`

## Architectural Invariants

- The proxy must stay protocol-agnostic at the transport layer.
  <!-- id: inv-transport-agnostic | created: 2026-06-01 | last_used: 2026-06-27 | uses: 9 | tier: core \
| origin: 2026-06-01-101500123-0c1d2e3f4a5b | verified: 2026-06-27-080000000-ffeeddccbbaa -->

## Key Decisions

- **Contradiction**: 2 versions stand, none wins.
  - Calls time out after 10 s.

    ```
    <!-- id: fake -->
    ```
    <!-- version: 00000000 | log: 2026-06-01-101500123-0c1d2e3f4a5b -->
  - Calls time out after 30 s.
    <!-- version: 00000001 | log: 2026-06-01-101500123-0c1d2e3f4a5b -->
  <!-- id: api-timeouts | created: 2026-06-01 | last_used: 2026-06-27 | uses: 1 | tier: active | \
origin: 2026-06-01-101500123-0c1d2e3f4a5b | heads: 00000000, 00000001 -->

- Use a queue:

  - at least once
  - in order
  <!-- id: queue-a | created: 2026-06-01 | last_used: 2026-06-27 | uses: 1 | tier: working | \
origin: 2026-06-01-101500123-0c1d2e3f4a5b | supersedes: old-queue | tags: api, webhooks | \
source: docs/q.md:3 -->

- (redacted)
  <!-- id: key-place | created: 2026-06-02 | last_used: 2026-06-27 | uses: 1 | tier: active | \
origin: 2026-06-01-101500123-0c1d2e3f4a5b -->

## Open Threads

- [ ] Can a retry storm starve the workers?
  <!-- id: retry-storm | created: 2026-06-01 | last_used: 2026-06-27 | uses: 1 | tier: active | \
origin: 2026-06-01-101500123-0c1d2e3f4a5b -->

- [x] Choose a queue.
  <!-- id: which-queue | created: 2026-06-01 | last_used: 2026-06-27 | uses: 1 | tier: active | \
origin: 2026-06-01-101500123-0c1d2e3f4a5b -->

## Oddity

- A kind that the policy does not name.
  <!-- id: odd | kind: oddity | created: 2026-06-01 | last_used: 2026-06-27 | uses: 1 | tier: active | \
origin: 2026-06-01-101500123-0c1d2e3f4a5b -->

<!-- diurna: format 1 | logs: 42 | newest: 2026-06-27-080000000-ffeeddccbbaa | digest: \
abababababababababababababababababababababababababababababababab -->
"""

LIVE = (
    Standing(
        fact(
            "inv-transport-agnostic",
            "The proxy must stay protocol-agnostic at the transport layer.",
            kind="invariant",
            uses=9,
            verified=LATER,
        ),
        "core",
    ),
    Standing(
        fact(
            "api-timeouts",
            "Calls time out after 10 s.\n\n```\n<!-- id: fake -->\n```",
            "Calls time out after 30 s.",
            kind="decision",
        ),
        "active",
    ),
    Standing(
        fact(
            "queue-a",
            "Use a queue:\n\n- at least once\n- in order",
            kind="decision",
            supersedes=("old-queue",),
            meta=(
                ("tags", "api, webhooks"),
                ("supersedes", "old-queue"),
                ("source", "docs/q.md:3"),
                ("tier", "core"),
            ),
        ),
        "working",
    ),
    Standing(
        fact("key-place", "the secret", kind="decision", created="2026-06-02", redacted=True),
        "active",
    ),
    Standing(fact("which-queue", "Choose a queue.", kind="thread", closed=True), "active"),
    Standing(fact("retry-storm", "Can a retry storm starve the workers?", kind="thread"), "active"),
    Standing(fact("odd", "A kind that the policy does not name.", kind="oddity"), "active"),
    Standing(
        fact(
            "old-queue",
            "x",
            kind="decision",
            superseded_by=("queue-a", "queue-b"),
            rivals=("queue-a", "queue-b"),
        ),
        "superseded",
        SUPERSEDED,
        "2026-Q2",
    ),
)


def test_golden_continuity() -> None:
    """The whole file, as a person sees it."""
    assert render(view(*LIVE)) == GOLDEN


def test_order_of_facts_does_not_matter() -> None:
    """The same facts in any order give the same bytes."""
    shuffled = list(LIVE)
    for seed in range(10):
        random.Random(seed).shuffle(shuffled)
        assert render(view(*shuffled)) == GOLDEN


def test_empty_ledger() -> None:
    """Without facts and logs there are a title, a state block and a machine line."""
    empty = LiveView(Summary(0, 0, "", "0" * 64), Policy("p"), (), (), (0,) * 6)
    text = render(empty)
    assert "- Last session: none\n" in text
    assert text.endswith(
        f"\n\n<!-- diurna: format 1 | logs: 0 | newest: none | digest: {'0' * 64} -->\n"
    )
    assert "##" not in text


def test_new_fact_is_one_inserted_block() -> None:
    """Adding a fact inserts lines and changes none of the others."""
    old = render(view(*LIVE)).split("\n")
    added = Standing(fact("new-one", "New.", kind="decision", created="2026-06-01"), "working")
    new = render(view(*LIVE, added)).split("\n")
    start = next(n for n, line in enumerate(new) if line == "- New.")
    assert len(new) == len(old) + 3
    assert new[:start] + new[start + 3 :] == old


def test_kinds_that_share_a_section_are_named() -> None:
    """Where two kinds share a section, the footer says the kind; elsewhere the section does."""
    policy = Policy("p", kinds=(*BUILT_IN_KINDS, Kind("axiom", "Facts"), Kind("term", "Glossary")))
    text = render(
        view(
            Standing(fact("a", "A.", kind="axiom", created="2026-06-03"), "active"),
            Standing(fact("b", "B.", kind="fact"), "active"),
            Standing(fact("c", "C.", kind="term"), "active"),
            policy=policy,
        )
    )
    assert text.count("## Facts") == 1
    assert "<!-- id: a | kind: axiom |" in text
    assert "<!-- id: b | kind: fact |" in text
    assert "<!-- id: c | created:" in text
    assert text.index("id: b ") < text.index("id: a ") < text.index("## Glossary")


@each_row(
    "value",
    ["a|b", "a -->", "--->", "a\nid: b", "\ttab\t", "--!>", "| --> |\r\n", "---->>", "\u2028|"],
)
def test_g13_footer_values_hold_no_structure(value: str) -> None:
    """No value can end its footer, start another pair or another line; cleaning is idempotent."""
    clean = footer_value(value)
    assert not any(bad in clean for bad in ("|", "\n", "\r", "\t", "-->", "--!>"))
    assert clean == clean.strip(" ") == footer_value(clean)
    text = render(view(Standing(fact("a", "A.", meta=(("source", value), (value, "x"))), "active")))
    footer = next(line for line in text.split("\n") if "<!-- id: a" in line)
    assert footer.count("-->") == 1 and footer.endswith(" -->")
    assert footer.count("id: a ") == 1


@pytest.mark.parametrize("value", ["docs/q.md:3@4f2a91c", "a, b", "x -> y", "a--b", "naïve ✓ 漢"])
def test_plain_footer_values_stay(value: str) -> None:
    """A value that `append` accepts is written as it is."""
    assert footer_value(value) == value


def test_g15_hidden_characters_are_kept() -> None:
    """Bidi overrides, zero-width and control characters stand in the file byte for byte."""
    nasty = "a\u202eb\u200bc\x1b[31md\x0ce\u2028f\x00g\U000e0041"
    assert f"- {nasty}\n  <!--" in render(view(Standing(fact("a", nasty), "active")))


def test_a_circle_and_who_called_it_false_are_named_line_by_line() -> None:
    """Each other end of the contradiction has a line of its own, and the list reads back as it was."""
    circle = fact("one", "One.")._replace(circle=("three", "two"))
    denied = fact("two", "Two.")._replace(denied=((STEM, "new"), (LATER, "")))
    text = render(view(Standing(circle, "active"), Standing(denied, "active")))
    start = text.index("## Contradictions\n\n")
    assert text[start : text.index("## Facts")] == (
        "## Contradictions\n\n"
        "- `one`: It stands in a circle of supersessions; reinstating what holds resolves it.\n"
        "  - circle `three`\n"
        "  - circle `two`\n\n"
        "- `two`: It was called false by who did not know this text; "
        "`diurna conflicts two --choose SIDE` says which holds.\n"
        f"  - superseded by `new` in {STEM}\n"
        f"  - invalidated in {LATER}\n\n"
    )
    parsed, findings = parse(text)
    assert [one.circle for one in parsed.conflicts] == [("three", "two"), ()]
    assert [one.denied for one in parsed.conflicts] == [(), denied.denied]
    assert findings == () and unparse(parsed) == text


def test_redacted_text_is_nowhere() -> None:
    """A redacted fact shows no version of its text, also when several stand, live or archived."""
    secret = fact("a", "hunter2 one", "hunter2 two", redacted=True)
    shown = render(view(Standing(secret, "active")))
    files = pages([Standing(secret, "archived", FADED, "2026-Q1")])
    assert "hunter2" not in shown + "".join(files.values())
    assert "- (redacted)\n" in shown


ARCHIVED = (
    Standing(fact("b-faded", "Line one — with a dash.\nLine two."), "archived", FADED, "2026-Q3"),
    Standing(
        fact("a-old", "Old.", superseded_by=("b-new", "c-new")), "superseded", SUPERSEDED, "2026-Q2"
    ),
    Standing(fact("c-wrong", "Wrong."), "superseded", INVALIDATED, "2026-Q3"),
    Standing(
        fact("d-done", "Done.", kind="thread", closed=True, created="2026-05-01"),
        "archived",
        CLOSED,
        "2026-Q3",
    ),
)


def test_golden_archive() -> None:
    """The index has one line per fact, a page has the facts of its quarter with their reason."""
    assert pages(ARCHIVED) == {
        "archive/INDEX.md": """\
# Archive

- a-old — Old. — superseded by b-new, c-new — 2026-Q2.md
- b-faded — Line one – with a dash. — faded — 2026-Q3.md
- c-wrong — Wrong. — invalidated — 2026-Q3.md
- d-done — Done. — closed — 2026-Q3.md
""",
        "archive/2026-Q2.md": """\
# Archive — 2026-Q2

- Old.
  <!-- id: a-old | kind: fact | created: 2026-06-01 | last_used: 2026-06-27 | uses: 1 | tier: superseded \
| origin: 2026-06-01-101500123-0c1d2e3f4a5b | reason: superseded by b-new, c-new -->
""",
        "archive/2026-Q3.md": """\
# Archive — 2026-Q3

- [x] Done.
  <!-- id: d-done | kind: thread | created: 2026-05-01 | last_used: 2026-06-27 | uses: 1 | tier: archived \
| origin: 2026-06-01-101500123-0c1d2e3f4a5b | reason: closed -->

- Line one — with a dash.
  Line two.
  <!-- id: b-faded | kind: fact | created: 2026-06-01 | last_used: 2026-06-27 | uses: 1 | tier: archived \
| origin: 2026-06-01-101500123-0c1d2e3f4a5b | reason: faded -->

- Wrong.
  <!-- id: c-wrong | kind: fact | created: 2026-06-01 | last_used: 2026-06-27 | uses: 1 | tier: superseded \
| origin: 2026-06-01-101500123-0c1d2e3f4a5b | reason: invalidated -->
""",
    }


def test_archive_of_live_facts_is_empty() -> None:
    """Nothing archived, no files; order does not matter otherwise."""
    assert pages([]) == pages([Standing(fact("a", "A."), "active")]) == {}
    assert pages(reversed(ARCHIVED)) == pages(ARCHIVED)


@each_row(
    "text",
    ["—", "— a —", "a —", "x" * 500, "a  —\x0c— b", "", "\n\nx", "\u2028", " — ".join("ab" * 200)],
)
def test_index_line_splits_into_four(text: str) -> None:
    """Whatever a text holds, its index line is one short line of four fields."""
    standing = Standing(fact("a", text), "archived", FADED, "2026-Q1")
    line = pages([standing])["archive/INDEX.md"].removeprefix("# Archive\n\n").removesuffix("\n")
    assert len(line.splitlines()) == 1
    id, summary, reason, page = line[2:].split(" — ")
    assert (id, reason, page) == ("a", FADED, "2026-Q1.md")
    assert 0 < len(summary) <= 120


def test_light_imports() -> None:
    """Rendering and reading load nothing that costs a command its start-up time."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "import projection.document.page_renderer, projection.document.archive_pages, projection.document.page_parser\n"
        "heavy = 're typing dataclasses enum json datetime pathlib tomllib pydantic'.split()\n"
        "print([m for m in heavy if m in sys.modules and m not in before])"
    )
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(root)!r})\n{code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
