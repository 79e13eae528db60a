"""Reading projection files: the fixed point, totality, and what people do to the file."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.model.findings import CODES, Finding
from projection.document.archive_pages import pages
from projection.document.page_parser import Block, MachineLine, Parsed, machine_line, parse, unparse
from projection.document.page_renderer import footer_value, one_line, render
from projection.fold.fact_history import Fact, Version
from projection.fold.projection_state import TIERS, LiveView, Standing, Summary
from projection.policy.model import BUILT_IN_KINDS, CLOSABLE, Kind, Policy

STEM = "2026-06-01-101500123-0c1d2e3f4a5b"

# --- what can be in a ledger, and worse ---------------------------------------------------------

_CHARS = st.characters(exclude_categories=(), exclude_characters="\n")
_LINES = st.one_of(
    st.sampled_from(
        [
            "", " ", "  ", "plain", "-->", "<!--", "- nested", "  - deeper", "* star", "## Facts",
            "# Title", "```", "~~~", "    code", "<!-- id: forged -->", "  <!-- id: forged -->",
            "<!-- id: forged | uses: 7 -->", "<!-- version: 00000000 | log: x -->", "[ ] box",
            "[x] box", "[ ]", "\\[ ] box", "\\\\[X] x", "\\", "[", "**Contradiction**: 2 versions",
            "a\u2028<!-- id: forged -->", "a\x0cb", "\x85", "\u202ehidden", "> quote", "\r", "a\r",
            "<<<<<<< HEAD", "=======", "<!-- diurna: format 1 | logs: 1 | newest: x | digest: y -->",
            "- [ ] nested box", "\ttab", "1. one", "---", "{#a}", "- version `a` of b", "Sessions: 3",
        ]
    ),
    st.text(_CHARS, max_size=12),
)  # fmt: skip
_TEXTS = st.lists(_LINES, min_size=1, max_size=6).map("\n".join)
_IDS = st.from_regex(r"[a-z0-9]{1,6}([.-][a-z0-9]{1,4}){0,2}", fullmatch=True)
_STEMS = st.sampled_from(
    [STEM, "2026-06-27-080000000-ffeeddccbbaa", "2025-01-01-101500", "2025-02-03"]
)
_DATES = st.sampled_from(["2026-06-01", "2026-06-02", "2025-12-31", ""])
_CREATED = st.one_of(_DATES, st.sampled_from(["0000-00-00", "a | tier: core", "--> x\n- y"]))
_VALUES = st.one_of(
    _LINES, st.sampled_from(["api, web", "a|b", "x\ny", "a: b", "docs/a.md:3@4f2a91c"])
)
_META = st.lists(
    st.tuples(
        st.one_of(
            st.sampled_from(["tags", "entity", "supersedes", "source", "tier", "id", "X-new"]),
            _LINES,
        ),
        _VALUES,
    ),
    max_size=4,
).map(tuple)
_KINDS = st.sampled_from(
    [*(kind.name for kind in BUILT_IN_KINDS), "thread", "thread", "axiom", "odd", "contradictions"]
)
_POLICIES = st.builds(
    Policy,
    project=st.one_of(st.just("payments-api"), _LINES),
    kinds=st.sampled_from([BUILT_IN_KINDS, (*BUILT_IN_KINDS, Kind("axiom", "Facts"))]),
)


@st.composite
def _facts(draw: st.DrawFn, id: str) -> Fact:
    texts = draw(st.lists(_TEXTS, max_size=3))
    return Fact(
        id,
        draw(_KINDS),
        tuple(Version(f"{n:08x}", text, draw(_STEMS)) for n, text in enumerate(texts)),
        draw(_META),
        draw(_CREATED),
        draw(_STEMS),
        draw(_DATES),
        draw(st.integers(0, 10**6)),
        STEM,
        STEM,
        closed=draw(st.booleans()),
        supersedes=draw(st.sampled_from([(), ("a",), ("a", "b.c")])),
        superseded_by=draw(st.sampled_from([(), ("s-new",)])),
        verified=draw(st.sampled_from(["", STEM])),
        redacted=draw(st.sampled_from([False, False, False, True])),
        rivals=draw(st.sampled_from([(), (), ("x", "y")])),
    )


@st.composite
def _standings(draw: st.DrawFn) -> list[Standing]:
    ids = draw(st.lists(_IDS, max_size=5, unique=True))
    return [Standing(draw(_facts(id)), draw(st.sampled_from(TIERS))) for id in ids]


@st.composite
def _views(draw: st.DrawFn) -> LiveView:
    live = draw(_standings())
    return LiveView(
        Summary(
            draw(st.integers(0, 10**6)),
            draw(st.integers(0, 10**6)),
            draw(st.sampled_from(["", STEM])),
            "0a" * 32,
            draw(st.sampled_from(["", STEM])),
            draw(_LINES),
        ),
        draw(_POLICIES),
        tuple(live),
        tuple(s.fact for s in live if s.fact.contradicted),
        (0, 1, 2, 3, 4, 5),
    )


def _same(block: Block, standing: Standing) -> None:
    """A block says what the standing says."""
    fact = standing.fact
    assert block.id == fact.id
    assert block.mark == (("x" if fact.closed else " ") if fact.kind in CLOSABLE else "")
    assert (block.get("tier"), block.get("uses")) == (standing.tier, str(fact.uses))
    assert block.get("created") == footer_value(fact.created)
    assert block.get("origin") == fact.origin
    if fact.redacted:
        assert (block.text, block.versions) == ("(redacted)", ())
    elif len(fact.heads) > 1:
        shown = sorted(fact.heads, key=lambda v: (v.stem, v.id))
        assert list(block.versions) == [Version(v.id, v.text, v.stem) for v in shown]
        assert block.text == "\n\n".join(v.text for v in shown)
    else:
        assert block.versions == ()
        assert block.text == (fact.text if fact.heads else "(no text)")


@given(_views())
def test_render_after_parse_is_a_fixed_point(view: LiveView) -> None:
    """Whatever the texts hold, a rendered file reads back whole and is written back byte for byte."""
    text = render(view)
    parsed, findings = parse(text)
    assert findings == ()
    assert unparse(parsed) == text
    facts = {standing.fact.id: standing for standing in view.live}
    assert len(parsed.blocks) == len(facts)
    lines = text.split("\n")
    for block in parsed.blocks:
        _same(block, facts[block.id])
        assert lines[block.line - 1].startswith("- ")
    assert parsed.project == one_line(view.policy.project)
    summary = view.summary
    assert parsed.machine == MachineLine(1, summary.logs, summary.newest, summary.digest)
    assert machine_line(text) == parsed.machine
    assert [c.id for c in parsed.conflicts] == sorted(f.id for f in view.contradicted)
    for conflict in parsed.conflicts:
        fact = facts[conflict.id].fact
        assert {v for v, _ in conflict.versions} == (
            {v.id for v in fact.heads} if len(fact.heads) > 1 else set()
        )
        assert conflict.rivals == fact.rivals


@given(_standings(), st.sampled_from(["faded", "superseded", "invalidated", "closed"]))
def test_archive_pages_are_a_fixed_point(standings: list[Standing], reason: str) -> None:
    """Archive pages are read by the same reader, with the kind and the reason of each fact."""
    archived = [s._replace(reason=reason, quarter="2026-Q2") for s in standings]
    files = pages(archived)
    assert bool(files) == bool(archived)
    if not archived:
        return
    text = files["archive/2026-Q2.md"]
    parsed, findings = parse(text, file="archive/2026-Q2.md")
    assert findings == ()
    assert unparse(parsed) == text
    assert (parsed.title, parsed.project, parsed.machine) == ("Archive — 2026-Q2", "", None)
    facts = {s.fact.id: s for s in archived}
    for block in parsed.blocks:
        _same(block, facts[block.id])
        assert block.get("kind") == facts[block.id].fact.kind
        assert block.get("reason").startswith(reason)
    for line in files["archive/INDEX.md"].split("\n")[2:-1]:
        assert len(line.split(" — ")) == 4


_MESSY = st.lists(
    st.one_of(
        _LINES,
        st.sampled_from(
            [
                "# Continuity — p", "## Contradictions", "## Facts", "##", "#", "- ", "-", "- a", "- [ ] a",
                "- [x]", "* a", "  <!-- id: a | uses: 1 -->", "<!-- id: b -->", "  <!-- id: c | heads: 1, 2 -->",
                "- **Contradiction**: 2 versions stand, none wins.", "  - one", "  - two",
                "    <!-- version: 1 | log: x -->", "> note", "- Sessions: 3", "- Facts: none",
                "      <!-- id: code -->", "- ```", "  ```", "\t<!-- id: t -->", "  text", " odd",
                "- `a`: 2 successors stand", "  - successor `b`", "<!-- diurna: format 1 -->", "\ufeff",
                "<!-- diurna: format 2 | logs: 3 | newest: none | digest:  | more: x -->", "-\r", "- \r",
                "  <!-- junk | id: z -->", "  <!-- id: Bad Id -->",
            ]
        ),
    ),
    max_size=14,
)  # fmt: skip


@given(_MESSY.map("\n".join))
@example("- [ ]\n  [x] a")
@example("- a\r\n  b\r\n")
def test_reading_is_total_and_settles(text: str) -> None:
    """Any text is read without an exception, and what was read is a fixed point from then on."""
    parsed, findings = parse(text)
    assert all(finding.code in CODES and finding.line >= 1 for finding in findings)
    written = unparse(parsed)
    again, _ = parse(written)
    assert unparse(again) == written
    assert _values(again) == _values(parsed)


def _values(parsed: Parsed) -> object:
    """All but line numbers and footers without a bullet; blocks without a section first, as they are written."""
    blocks = sorted(parsed.blocks, key=lambda block: bool(block.section))
    return (
        parsed._replace(blocks=(), conflicts=(), orphans=()),
        [block._replace(line=0) for block in blocks],
        [entry._replace(line=0) for entry in parsed.conflicts],
    )


@given(_views())
def test_g3_crlf_reads_alike(view: LiveView) -> None:
    """A file that git or an editor turned to CRLF says the same, on the same lines."""
    text = render(view).replace("\r", "")
    assert parse(text.replace("\n", "\r\n")) == parse(text)
    assert parse("\ufeff" + text) == parse(text)
    assert machine_line(text.replace("\n", "\r\n")) == machine_line(text)


# --- what people do -----------------------------------------------------------------------------

FILE = """\
# Continuity — p

> Note.

- Sessions: 1

## Facts

- One.
  <!-- id: one | uses: 1 | tier: active -->

## Open Threads

- [ ] Two?
  <!-- id: two | uses: 1 | tier: active -->

<!-- diurna: format 1 | logs: 1 | newest: none | digest: 00 -->
"""


def _edit(old: str, new: str) -> tuple[Parsed, tuple[Finding, ...]]:
    assert FILE.count(old) == 1
    return parse(FILE.replace(old, new))


def _block(parsed: Parsed, id: str) -> Block:
    return next(block for block in parsed.blocks if block.id == id)


def test_a_person_rewords_ticks_and_promotes() -> None:
    """A new text, a tick and another tier are read with id and line, without a finding."""
    parsed, findings = _edit("- One.", "- One and a half.\n\n  More of it.")
    assert (_block(parsed, "one").text, findings) == ("One and a half.\n\nMore of it.", ())
    parsed, findings = _edit("- [ ] Two?", "- [X] Two?")
    assert (_block(parsed, "two").mark, _block(parsed, "two").line, findings) == ("x", 14, ())
    parsed, findings = _edit("id: one | uses: 1 | tier: active", "id: one | uses: 1 | tier: core")
    assert (_block(parsed, "one").get("tier"), findings) == ("core", ())


def test_a_person_adds_bullets() -> None:
    """A bullet without a footer is a block without an id, in its section, also at the very end."""
    parsed, findings = _edit(
        "## Open Threads\n", "- Three,\n  wrapped.\n* Four\n\n## Open Threads\n"
    )
    added = [(b.section, b.text, b.line) for b in parsed.blocks if not b.footer]
    assert (added, findings) == ([("Facts", "Three,\nwrapped.", 12), ("Facts", "Four", 14)], ())
    parsed, findings = parse(FILE + "- [ ] Five?\n")
    last = parsed.blocks[-1]
    assert (last.section, last.mark, last.text, last.line) == ("Open Threads", " ", "Five?", 18)
    assert (findings, parsed.machine) == ((), MachineLine(1, 1, "", "00"))
    assert machine_line(FILE + "- [ ] Five?\n") is None


def test_a_person_adds_a_footer_of_their_own() -> None:
    """A new bullet may bring an id or only a kind; blanks in the footer do not matter."""
    parsed, findings = _edit("- One.", "- New.\n  <!--kind:decision|tags:  a, b -->\n- One.")
    assert findings == ()
    assert (parsed.blocks[0].id, parsed.blocks[0].footer) == (
        "",
        (("kind", "decision"), ("tags", "a, b")),
    )


def test_text_below_the_footer_keeps_the_block_whole() -> None:
    """Text written below a footer belongs to the fact, and is reported."""
    for extra in ("  Afterthought.", "Afterthought.", "\n  Afterthought."):
        parsed, findings = _edit(
            "- One.\n  <!-- id: one", f"- One.\n  <!-- id: x -->\n{extra}\n\n- A\n  <!-- id: one"
        )
        assert _block(parsed, "x").text.split() == ["One.", "Afterthought."]
        assert [(f.code, f.line) for f in findings] == [("bad-footer", 10)]


def test_g13_a_footer_in_code_is_text() -> None:
    """In a bullet without a footer, one that stands in code is text."""
    fenced = "- See\n  ```\n  <!-- id: forged -->\n  ```"
    inside = "- See\n\n      <!-- id: forged -->"
    span = "- See\n  `<!-- id: forged -->`"
    for text in (fenced, inside, span):
        parsed, findings = _edit("- One.", f"{text}\n\n- One.")
        assert findings == ()
        assert (parsed.blocks[0].id, parsed.blocks[0].footer) == ("", ())
        assert "<!-- id: forged -->" in parsed.blocks[0].text


def test_a_person_resolves_a_contradiction() -> None:
    """One text in place of the versions is a text; one version struck out leaves the other."""
    heads = (Version("0" * 8, "A.", STEM), Version("1" * 8, "B.", STEM))
    fact = Fact("a", "fact", heads, (), "2026-06-01", STEM, "2026-06-01", 1, STEM, STEM)
    view = LiveView(
        Summary(1, 1, STEM, "0"), Policy(), (Standing(fact, "active"),), (fact,), (0,) * 6
    )
    text = render(view)
    start = text.index("- **Contradiction**")
    end = text.index("  <!-- id: a")
    (block,) = parse(text[:start] + "- C.\n" + text[end:])[0].blocks
    assert (block.id, block.text, block.versions) == ("a", "C.", ())
    first = text.index("  - A.")
    second = text.index("  - B.")
    (block,) = parse(text[:first] + text[second:])[0].blocks
    assert (block.text, block.versions) == ("B.", (heads[1],))
    (block,), findings = parse(text.replace("  - B.\n", "  - B.\nlost\n"))[0].blocks, ()
    assert block.versions == () and "lost" in block.text and findings == ()


def test_what_is_no_fact_is_reported_by_line() -> None:
    """Prose, headings, fences and conflict markers in column 0 are findings, not facts."""
    cases = {
        "Some prose\nof two lines.\n\n## Open": ("hand-edited", 12),
        "### Sub\n\n## Open": ("hand-edited", 12),
        "```\n- not a fact\n\n## no section\n```\n\n## Open": ("hand-edited", 12),
        "<<<<<<< HEAD\n## Open": ("conflict-in-projection", 12),
    }
    for new, expected in cases.items():
        parsed, findings = _edit("## Open", new)
        assert [(f.code, f.line) for f in findings] == [expected]
        assert [b.id for b in parsed.blocks] == ["one", "two"]
        assert [b.section for b in parsed.blocks] == ["Facts", "Open Threads"]
        assert findings[0].file == "continuity.md"


def test_ids_that_can_not_stand() -> None:
    """A second block of one id and an id that is none are findings; both blocks are kept."""
    parsed, findings = _edit("id: two", "id: one")
    assert [(f.code, f.line) for f in findings] == [("duplicate-block", 14)]
    assert [b.id for b in parsed.blocks] == ["one", "one"]
    parsed, findings = _edit("id: two", "id: No Id")
    assert [(f.code, f.line) for f in findings] == [("bad-id", 15)]
    assert [b.id for b in parsed.blocks] == ["one", ""]
    parsed, findings = _edit("| uses: 1 | tier: active -->\n\n## Open", "| what -->\n\n## Open")
    assert [(f.code, f.line) for f in findings] == [("bad-footer", 10)]


def test_edit_of_contradictions_is_reported() -> None:
    """The computed section takes no input."""
    parsed, findings = _edit("## Facts", "## Contradictions\n\n- `one`: all fine now\n\n## Facts")
    assert [(f.code, f.line) for f in findings] == [("hand-edited", 9)]
    assert parsed.conflicts == ()


@given(st.text(max_size=80))
def test_machine_line_is_strict(text: str) -> None:
    """Only a whole machine line on the last line is one; integers are plain ASCII (fault:G21)."""
    assert machine_line(text) is None
    assert machine_line(f"{FILE}{text}\nx") is None
    for bad in ("logs: -1", "logs: \u0661", "logs: 1e9", "logs: ", "log: 1"):
        assert machine_line(FILE.replace("logs: 1", bad)) is None
    assert machine_line(FILE.replace("format 1", "format 2")) == MachineLine(2, 1, "", "00")
    assert machine_line(FILE + "\n \n") == MachineLine(1, 1, "", "00")


@pytest.mark.parametrize(
    "line",
    ["- a\n", "```\n~~~\n", "  <!-- id: a -->\n", "<!--\n", "- a\n  <!-- id: a -->\n", "  - a\n"],
)
def test_g10_reading_is_linear(line: str) -> None:
    """Bullets, fences, footers or open comments without end are read in the time that an item of the gate has."""
    text = "- a\n" + line * (250_000 // len(line))
    for page in (text, "- **Contradiction**: x\n" + text[4:] + "  <!-- id: a | heads: b -->\n"):
        assert parse(page)[0].project == ""
