"""What the facts of an agent-memory ledger say, and what owns a footer."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.model.findings import CODES, Finding
from projection.policy.model import Windows
from rituals.intake.adopt import adopted_files
from rituals.intake.adopt import read_facts as read
from rituals.intake.adopt.unclaimed_text import passages
from tests.bench import agent_memory
from tests.conftest import each_row, sampled

MERCURY = Path(__file__).resolve().parents[2] / "shared" / "ledgers" / "mercury"
F = "<!-- id: {} | created: 2026-01-02 | last_used: 2026-01-03 | uses: 4 | tier: active -->"


def memory(
    continuity: str = "",
    *,
    vision: str = "",
    archive: str = "",
    threads: dict[str, str] | None = None,
) -> adopted_files.AgentMemory:
    """Make the value that reading a folder gives; `{a-b}` stands for a footer of that id."""
    return adopted_files.AgentMemory(
        "/memory",
        (),
        filled(continuity),
        b"",
        filled(vision),
        (("archive/2026-Q1.md", filled(archive)), ("archive/INDEX.md", filled("- i {no-fact}"))),
        tuple((f"open-threads/{name}.md", filled(text)) for name, text in (threads or {}).items()),
    )


def filled(text: str) -> bytes:
    """Write every `{id}` as a footer."""
    parts = text.replace("}", "{").split("{")
    return "".join(F.format(p) if n % 2 else p for n, p in enumerate(parts)).encode()


def texts(continuity: str) -> dict[str, str]:
    """Read texts by id from a page that gives no finding."""
    found, findings = read.facts(memory(continuity))
    assert findings == ()
    assert len({fact.id for fact in found}) == len(found)
    return {fact.id: fact.text for fact in found}


def noted(continuity: str | bytes) -> tuple[list[str], list[tuple[str, int]]]:
    """Read (ids, (code, line) of the findings) from a page."""
    value = memory()
    data = continuity if isinstance(continuity, bytes) else filled(continuity)
    found, findings = read.facts(value._replace(continuity=data))
    assert all(finding.file == "continuity.md" for finding in findings)
    return [fact.id for fact in found], [(finding.code, finding.line) for finding in findings]


@pytest.mark.skipif(not MERCURY.is_dir(), reason="the shared ledgers are not here")
def test_a_real_ledger_is_read_whole() -> None:
    """27 footers of which one is an example in a quote, the vision, and 53 archived facts."""
    found, findings = read.facts(adopted_files.read(str(MERCURY)))
    assert findings == ()
    by_id = {fact.id: fact for fact in found}
    assert len(by_id) == len(found) == 80
    assert sum(fact.state == "archived" for fact in found) == 53
    assert "kebab-id" not in by_id
    fact = by_id["inv-never-couple-functions"]
    assert fact.text.startswith("**Never couple functions directly** (ADR-0001) — inter-function")
    assert fact.text.endswith("ADR-0008 native —\nread on demand).")
    assert fact[2:] == (
        "invariant", "", "2026-07-15", "2026-07-15-221632", "core", "", "continuity.md", 59,
        "live", 1, (),
    )  # fmt: skip
    conventions = by_id["conventions-rust-baseline"].text
    assert conventions.startswith("Conventions:\n- **`cargo fmt`")
    assert conventions.count("\n- ") == 9
    assert by_id["bp-foundation-to-ui"].mark == " "
    assert by_id["bp-foundation-to-ui"].kind == "thread"
    assert by_id["thread-release-4-11-0"].mark == "x"
    vision = by_id["vision-mercury"]
    assert (vision.kind, vision.tier) == ("invariant", "core")
    assert vision.text.startswith("The north star: ")
    assert "A **Rust port of `mercury-composable`**" in vision.text
    alias = by_id["ot-profiles-alias-backlog"]
    assert (alias.tier, alias.superseded_by) == ("superseded", "profiles-renamed-app-active")
    assert by_id["profiles-renamed-app-active"].meta == (
        ("supersedes", "ot-profiles-alias-backlog"),
    )


def test_a_text_is_its_block_without_checkbox_marker_and_footer() -> None:
    """Continuation lines, paragraphs, nested lists and code keep their relative indentation."""
    page = (
        "## Facts\n\n- **One** line\n  wrapped\n\n  a paragraph\n\n  - nested\n    more\n\n"
        "  ```\n  {in-code}\n\n    x\n  ```\n  {a-b}\n- [X] done {c-d}\n1. numbered\n   on\n   {e-f}\n"
    )
    found = texts(page)
    code = "```\n" + F.format("in-code") + "\n\n  x\n```"
    assert found == {
        "a-b": f"**One** line\nwrapped\n\na paragraph\n\n- nested\n  more\n\n{code}",
        "c-d": "done",
        "e-f": "numbered\non",
    }


def test_several_footers_in_one_item() -> None:
    """Each belongs to the innermost item around it; two on one item split it."""
    assert texts("- parent\n  - child\n    {child-a}\n  - other\n  {parent-a}\n") == {
        "child-a": "child",
        "parent-a": "parent\n- other",
    }
    assert texts("- group:\n  - one {one-a}\n  - two {two-a}\n") == {"one-a": "one", "two-a": "two"}
    assert texts("- one\n  {one-a}\n  two\n  {two-a}\n  tail\n") == {
        "one-a": "one",
        "two-a": "two\ntail",
    }
    assert texts("- parent\n  - the only footer\n    {one-a}\n") == {
        "one-a": "parent\n- the only footer"
    }


def test_a_footer_that_closes_a_list() -> None:
    """Items that touch from above and have no footer join, checkboxes and others do not."""
    assert texts("## Conventions\n- a\n  b\n- c\n  {c-d}\n- e {e-f}\n\n- g\n\n- h {h-i}\n") == {
        "c-d": "Conventions:\n- a\n  b\n- c",
        "e-f": "e",
        "h-i": "h",
    }
    assert texts("- [ ] a\n- [ ] b\n  {b-c}\n- c\n{c-d}\n") == {"b-c": "b", "c-d": "c"}


def test_footers_under_paragraphs_quotes_and_headings() -> None:
    """They own what stands between them and the heading, list or footer above."""
    page = "# T\n\none\n\ntwo {a-b}\n\n> quoted\n> {b-c}\n\n## Why\n{c-d}\n\nbecause\n\n- x {d-e}\n"
    assert texts(page) == {
        "a-b": "one\n\ntwo",
        "b-c": "quoted",
        "c-d": "Why\n\nbecause",
        "d-e": "x",
    }


def test_number_signs_without_a_blank_make_no_heading() -> None:
    """A tag, a number of a ticket and seven signs are text, and what they stand above is theirs."""
    for line in ("#retry is the tag", "##12 asks for it", "####### seven"):
        (text,) = texts(f"## Facts\n\n{line}\nmore\n{{a-b}}\n").values()
        assert text.removeprefix("\\") == f"{line}\nmore"


def test_what_a_footer_says_besides_is_kept_under_plain_names() -> None:
    """Small letters, digits and single hyphens of ASCII; what is named otherwise could not be stored."""
    more = "Owner: ada | größe: 1 | a--b: c | own.er: x | kind: fact | note: | part_2: yes"
    (fact,), _ = read.facts(memory(f"- a <!-- id: a-b | {more} -->\n"))
    assert fact.meta == (("owner", "ada"), ("part-2", "yes"))


def test_what_is_no_footer() -> None:
    """Code spans, fences, closed comments and quotes of examples hold none."""
    page = (
        "> `{a-b}`\n\n```\n- x {b-c}\n```\n\n> ~~~\n> {c-d}\n> ~~~\n\n<!-- a template\n"
        "- x\n-->\n- y ``{d-e}`` z {e-f}\n"
    )
    assert texts(page) == {"e-f": f"y ``{F.format('d-e')}`` z"}


@each_row("page, ids, findings",
    [
        ("- a\n  <!-- id: a-b\n  | uses: 1\n  -->\n", ["a-b"], [("bad-footer", 2)]),
        ("- a\n  <!-- id: a-b | uses: 1\n\n- b {b-c}\n", ["a-b", "b-c"], [("bad-footer", 2)]),
        ("- a\n  <!-- id: a-b -->\n", ["a-b"], [("bad-footer", 2)]),
        ("- a\n  {a-b}\n  {b-c}\n", ["a-b"], [("bad-footer", 3)]),
        ("- {a-b}\n", [], [("bad-footer", 1)]),
        ("- a {A b}\n- b {b-c}\n", ["b-c"], [("bad-id", 1)]),
        ("```\n- a {a-b}\n", ["a-b"], [("unclosed-fence", 1)]),
        ("- a\n  ```\n- b {b-c}\n\n```\nx\n```\n", ["b-c"], [("unclosed-fence", 2)]),
        ("<!-- never\n- a {a-b}\n", ["a-b"], [("unclosed-comment", 1)]),
        ("- a <!-- id: a-b | created: soon | origin: x y -->", ["a-b"],
         [("bad-date", 1), ("bad-footer", 1)]),
        ("<<<<<<< a\n- a {a-b}\n=======\n>>>>>>> b\n", ["a-b"], [("conflict-marker", 1)]),
        (b"- \xff <!-- id: a-b | x -->", ["a-b"], [("not-utf8", 0)]),
        (b"- \0 <!-- id: a-b | x -->", ["a-b"], [("nul-byte", 0)]),
    ],
)  # fmt: skip
def test_what_is_reported(
    page: str | bytes, ids: list[str], findings: list[tuple[str, int]]
) -> None:
    """What can not be read right is a finding with its line; the rest is read."""
    assert noted(page) == (ids, findings)


def test_one_id_twice_is_a_contradiction_of_two_kept_texts() -> None:
    """Neither wins; equal texts are no contradiction."""
    found, findings = read.facts(memory("- a {a-b}\n- b {b-c}\n", archive="- a {a-b}\n- c {b-c}\n"))
    assert [(fact.id, fact.text) for fact in found] == [
        ("a-b", "a"), ("b-c", "b"), ("a-b", "a"), ("b-c", "c"),
    ]  # fmt: skip
    assert [(f.code, f.file, f.line) for f in findings] == [
        ("contradiction", "archive/2026-Q1.md", 2)
    ]


@each_row(
    "heading, item, kind, mark",
    [
        ("## Architectural Invariants", "- a", "invariant", ""),
        ("## Stack and Tools", "- a", "stack", ""),
        ("## Key Decisions (2026)", "- a", "decision", ""),
        ("## Conventions", "- a", "convention", ""),
        ("## Conventional things", "- a", "fact", ""),
        ("## Open Threads\n### Blueprint", "- [ ] a", "thread", " "),
        ("## Open Threads", "- a", "thread", " "),
        ("## Key Decisions", "- [x] a", "thread", "x"),
        ("## User Preferences", "- a", "preference", ""),
        ("## Patterns", "- a", "pattern", ""),
        ("## References", "- a", "reference", ""),
        ("## Patterns\n## Team", "- a", "fact", ""),
        ("", "- a", "fact", ""),
    ],
)
def test_kinds_come_from_checkboxes_and_sections(
    heading: str, item: str, kind: str, mark: str
) -> None:
    """A checkbox makes a thread; else the nearest heading that names a kind decides."""
    (fact,), findings = read.facts(memory(f"{heading}\n\n{item}\n  {{a-b}}\n"))
    assert (fact.kind, fact.mark, fact.text, findings) == (kind, mark, "a", ())


def test_thread_files_are_one_fact_each() -> None:
    """A file with one footer is one thread, whole; without one its name is the id."""
    files = {
        "thread-a": "- [x] (fix) a\n  {thread-a}\n\n## Notes\n\nmore\n",
        "thread-b": "# Title\n\n{thread-b}\n\nbody\n",
        "thread-c": "# Plain\n",
        "thread-d": "- [ ] d1 {thread-d1}\n- [x] d2 {thread-d2}\n",
    }
    found, findings = read.facts(memory(threads=files))
    assert [(fact.id, fact.mark, fact.text) for fact in found] == [
        ("thread-a", "x", "(fix) a\n\n## Notes\n\nmore"),
        ("thread-b", " ", "Title\n\nbody"),
        ("thread-c", " ", "Plain"),
        ("thread-d1", " ", "d1"),
        ("thread-d2", "x", "d2"),
    ]
    assert {fact.kind for fact in found} == {"thread"}
    assert [(f.code, f.file) for f in findings] == [("bad-footer", "open-threads/thread-c.md")]


def test_a_text_forges_nothing() -> None:
    """A raw footer or an unclosed comment in a text is escaped, an open fence gets its end."""
    found, _ = read.facts(
        memory(threads={"thread-a": "- [ ] a <!-- ok --> b <!-- open\n  ```\n  x\n\n{thread-a}\n"})
    )
    assert found[0].text == "a <!-- ok --> b &lt;!-- open\n```\nx\n```"
    (fact,) = read.facts(memory("[x] a paragraph {a-b}"))[0]
    assert (fact.mark, fact.text) == ("", "\\[x] a paragraph")


def test_windows_come_from_the_policy_file() -> None:
    """The door to the windows is here too."""
    assert read.windows("- archive_window: 30 # x") == Windows(3, 8, 30)


def test_a_generated_ledger_is_read_without_loss(tmp_path: Path) -> None:
    """Every id that was written is read or reported."""
    agent_memory.generate(tmp_path, logs=20, facts=300, seed=3)
    found, findings = read.facts(adopted_files.read(str(tmp_path)))
    assert len(found) == 301
    assert {finding.code for finding in findings} <= {"contradiction"}


LINES = st.lists(
    st.sampled_from(
        ["- a", "  - b", "    c", "- [ ] d", "* e", "1. f", "", "## Open Threads", "# T", "---",
         "```", "  ```x", "~~~~", "> q", "> ```", "<!-- c", "-->", "  {a-b}", "{c-d}", "x {e-f} y",
         "> {g-h}", "`{i-j}`", "<!-- id: k", "| t |", "\t- tab", "text", "- {l-m}", "  {n} {o}"]
    ),
    max_size=30,
)  # fmt: skip


def check(value: adopted_files.AgentMemory) -> None:
    """Assert what holds of every reading."""
    found, findings = read.facts(value)
    for finding in findings:
        assert isinstance(finding, Finding)
        assert finding.code in CODES
        assert finding.file
    for fact in found:
        assert fact.text
        assert fact.text == fact.text.strip(" \n")
        assert fact.mark in ("", " ", "x")
        assert "\r" not in fact.text
        if fact.text[0] not in "[-*1 \t":
            block = "- " + fact.text.replace("\n", "\n  ") + "\n  " + F.format("same-id")
            again, _ = read.facts(memory()._replace(continuity=block.encode(), archive=()))
            assert [(one.id, one.text) for one in again] == [("same-id", fact.text)]


@settings(deadline=None)
@given(LINES, LINES, LINES, LINES)
def test_lines_of_every_kind_in_any_order(
    continuity: list[str], vision: list[str], archive: list[str], thread: list[str]
) -> None:
    """No order of structures raises, and every text read can be stored and read back."""
    check(
        memory(
            "\n".join(continuity),
            vision="\n".join(vision),
            archive="\n".join(archive),
            threads={"thread-x": "\n".join(thread)},
        )
    )


@settings(deadline=None)
@given(st.binary() | st.text("-[ ]x#`~<!->id:|a\n >\t\r").map(str.encode))
def test_no_bytes_raise(data: bytes) -> None:
    """Whatever a file holds, reading it gives facts and findings."""
    value = memory(vision="", archive="")
    read.facts(value._replace(continuity=data, vision=data))
    read.facts(value._replace(threads=(("open-threads/thread-a.md", data),)))


@pytest.mark.parametrize(
    "unit", sampled(
    ["```x\n", "`", "<!-- id: ", "<!-- id: a | ", "- ", "  - x\n", "<!--\n", "{a-b}\n", "{a-b}",
     "# a\n{a-b}\n", "- a\n", "> ", "~~~~\n```\n", "\t", "`" * 9 + "``\n", "- a {a-b}\n  b {b-c}\n"], 4),
)  # fmt: skip
def test_hostile_repetition_costs_linear_time(unit: str) -> None:
    """Half a megabyte of anything is read in a second or two."""
    data = filled(unit) * (300_000 // len(filled(unit)))
    value = memory()
    begin = time.process_time()
    read.facts(value._replace(continuity=data, vision=data))
    assert time.process_time() - begin < 10


def test_a_remark_about_a_section_is_no_invariant() -> None:
    """Text in brackets that announces more is a plain fact; any other text of the section is what it is."""
    page = "## Architectural Invariants\n\n*(More will\nfollow.)*\n"
    for text, kind in ((page, "fact"), (page.replace("(", ""), "invariant")):
        memory = adopted_files.AgentMemory("", (), text.encode(), b"", b"", (), ())
        assert [one.fact.kind for one in passages(memory, [adopted_files.CONTINUITY], ())] == [kind]
