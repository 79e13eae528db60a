"""Odd content of logs, from wrong encodings to forged footers (faults of group G; fault:G4 is tested with git)."""

from __future__ import annotations

import pytest

from ledger.codec.canonical_draft import problems, read_draft
from ledger.codec.fact_blocks import read_facts
from ledger.codec.fast_read import read_entry, scan
from ledger.codec.log import decode, encode, entry_of
from ledger.model.event import (
    Event,
    FactCreated,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from ledger.model.ids import is_fact_id, is_version_id
from ledger.model.session import IDS_LIMIT, LINE_LIMIT_BYTES, LOG_LIMIT_BYTES, SessionLog
from tests.conftest import each_row

STEM = "2026-11-21-083012417-000000000000"
REFERENCES = "## Memory References\n\n"
FACT = SessionLog((), "T", "", (FactCreated("a", "A text."),))


def read(text: str | bytes) -> tuple[tuple[Event, ...], list[str]]:
    """Read a sealed log; return its events and the codes of its findings."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    log, findings = decode(data, sealed=True)
    assert read_entry(STEM, data)[0] == entry_of(STEM, log)
    return log.events, [finding.code for finding in findings]


def referenced(*ids: str) -> tuple[Event, ...]:
    return tuple(FactReferenced(id) for id in ids)


def test_g3_line_ends_are_read_alike() -> None:
    """LF, CR LF, lone CR and mixtures of them say the same."""
    text = f"---\nagent: x\n---\n# t\n\np\n\n{REFERENCES}- Created: a\n\n## Facts\n\n- x\n  y\n  <!-- id: a -->\n"
    logs = [decode(text.replace("\n", end).encode(), sealed=True) for end in ("\n", "\r\n", "\r")]
    mixed = text.replace("\n", "\r\n", 5).encode()
    assert logs[0] == logs[1] == logs[2] == decode(mixed, sealed=True)
    assert encode(read_draft(mixed)) == text.encode()


def test_g5_nul_is_read_as_replacement_and_never_written() -> None:
    """A NUL is shown as U+FFFD, flagged, and refused at append."""
    events, codes = read(f"a\0b\n\n{REFERENCES}- Referenced: a\n")
    assert (events, codes) == (referenced("a"), ["nul-byte"])
    assert decode(b"a\0b", sealed=True)[0].prose == "a\ufffdb"
    assert [p.code for p in problems(FACT._replace(prose="a\0b"))] == ["nul-byte"]


def test_g6_lone_surrogates_are_refused() -> None:
    """A lone surrogate is a finding when written and when read, never a traceback."""
    assert [p.code for p in problems(FACT._replace(prose="a\ud800"))] == ["not-canonical"]
    assert read(f"\ud800\n\n{REFERENCES}- Referenced: a\n") == (referenced("a"), ["not-utf8"])


@pytest.mark.deep(reason="g10_deep_nesting_is_linear is the small one")
def test_g8_a_megabyte_of_list_lines_is_read_in_time() -> None:
    """As much list as a log may hold is read by the line scanner, even where that is in doubt."""
    lines = "- a b c\n" * (LOG_LIMIT_BYTES // 8 - 20)
    assert read(f" <!--\n{lines}\n")[1] == ["too-complex"]
    assert read(f"{REFERENCES}- Referenced: a\n\n## x\n{lines}") == (referenced("a"), [])
    read(f"{REFERENCES}{lines}")
    read(f"## Facts\n\n{lines}")


def test_g9_long_lines_and_many_ids_are_limited() -> None:
    """A line over the limit and ids over the limit are reported and not read; the rest is."""
    long = ", ".join(["ab"] * (LINE_LIMIT_BYTES // 4 + 1))
    events, codes = read(f"{REFERENCES}- Closed: z\n- Referenced: {long}\n- Referenced: a\n")
    assert (events, codes) == ((ThreadClosed("z"), FactReferenced("a")), ["line-too-long"])
    many = "".join(f"- Referenced: a{n}\n" for n in range(IDS_LIMIT + 5))
    events, codes = read(REFERENCES + many)
    assert (len(events), codes) == (IDS_LIMIT, ["too-many-ids"])
    fact = "- x\n  " + "y" * LINE_LIMIT_BYTES + "y\n  <!-- id: a -->\n"
    assert read(f"{REFERENCES}- Created: a\n\n## Facts\n\n{fact}")[1] == [
        "line-too-long", "line-too-long", "event-without-fact",
    ]  # fmt: skip


@each_row("piece", ["> ", "- ", "1. ", "[", "(", "*", "`", "<", "<!--", "  ", "\t- "])
def test_g10_deep_nesting_is_linear(piece: str) -> None:
    """Quotes, lists and brackets nested thousands deep neither recurse nor hide what follows."""
    deep = piece * 10_000
    stairs = "".join(f"{'  ' * n}- x\n" for n in range(300))
    for doubt in ("", "- a\n\n ```\n ```\n"):
        log = f"{doubt}{deep}\n{stairs}\nx\n\n{REFERENCES}- Referenced: a\n- Created: b ({deep}\n"
        events, _ = read(log)
        assert events[0] == FactReferenced("a")
    read(f"## Facts\n\n- {deep}\n  {deep}\n  <!-- {deep}")


@each_row(
    "fake",
    [
        "```\n{}\n```", "~~~~\n```\n{}\n~~~~", "> {}", "<!--\n{}\n-->", "    {}", "- x\n\n      {}",
        "<div>\n{}\n", "<pre>\n\n{}\n</pre>", "- x\n  {}", "1. x\n\n   ```\n   {}\n   ```", "`{}`",
        " ```\n{}\n ```", "<span>\n{}\n", "- x\n  - ```\n    {}",
    ],
)  # fmt: skip
def test_g11_only_real_headings_count(fake: str) -> None:
    """References in code, quotes, comments and lists are none; the real section is found."""
    hidden = fake.format("## Memory References\n\n- Created: fake\n".split("\n")[0])
    bullets = fake.format("- Created: fake")
    for text in (f"{hidden}\n\n{bullets}\n", f"{bullets}\n\n{hidden}\n"):
        assert read(f"{text}\n{REFERENCES}- Referenced: a\n")[0] == referenced("a")


@each_row(
    "text, meta",
    [
        ("a\n<!-- id: b -->", ()),
        ("a\n  <!-- id: b | kind: core -->\nc", ()),
        ("<!-- id: b -->", ()),
        ("a", (("tags", "x -->"),)),
        ("a", (("tags", "x | id: b"),)),
        ("a", (("tags", "x\n- y"),)),
        ("a", (("tags", "x\u2028y"),)),
        ("a\n\n```\n  <!-- id: b -->", ()),
    ],
)
def test_g13_footers_can_not_be_forged(text: str, meta: tuple[tuple[str, str], ...]) -> None:
    """A raw footer in a text and structure in a value are refused at append."""
    assert problems(FACT._replace(events=(FactCreated("a", text, "", meta),)))


def test_g13_footers_in_code_are_text() -> None:
    """A footer that a text quotes in code is read back as text."""
    text = "Write\n\n```\n- [x] b\n  <!-- id: b | kind: core -->\n```\n\n-- and `<!-- id: c -->` | id: d"
    log = FACT._replace(events=(FactCreated("a", text),))
    assert problems(log) == ()
    assert read(encode(log)) == (log.events, [])


@each_row("char", ["\u2028", "\u2029", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85"])
def test_g14_only_line_feeds_break_lines(char: str) -> None:
    """No other character begins a line, so none can forge a heading, bullet or footer."""
    text = f"x{char}## Memory References{char}y{char}- b{char}  <!-- id: c -->"
    log = SessionLog((), "T", text, (FactReferenced("r", f"x{char}y"), FactCreated("a", text)))
    assert problems(log)  # the remark has to stay on one line
    log = log._replace(events=(FactReferenced("r"), FactCreated("a", text)))
    assert problems(log) == ()
    assert read(encode(log)) == (log.events, [])


@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\u2066", "\U000e0041", "\u200d"])
def test_g15_hidden_characters_are_kept(char: str) -> None:
    """What can not be seen is kept in the ledger; showing it is the brief's business."""
    log = FACT._replace(prose=f"a{char}b", events=(FactCreated("a", f"x{char}y"),))
    assert problems(log) == ()
    assert read(encode(log)) == (log.events, [])
    assert not is_fact_id(f"a{char}b")


def test_g16_every_character_is_kept() -> None:
    """Emoji, combining characters and planes beyond the first stay byte for byte."""
    text = "👩‍💻 e\u0301 é \U0001d518 \ufeff ﷽ 한"
    log = SessionLog((("agent", text),), text, text, (FactCreated("a", text, remark=text),))
    assert problems(log) == ()
    assert decode(encode(log), sealed=True) == (log, ())


def test_g17_a_comment_around_facts_is_closed_by_its_own_end() -> None:
    """The end of a footer ends the footer alone; facts commented out with `-->` are hidden."""
    facts = "- x\n  <!-- id: a -->\n"
    log = f"# t\n\n<!--\n{REFERENCES}- Created: a\n\n{facts}\n-->\n\n{REFERENCES}- Referenced: b\n"
    assert read(log) == (referenced("b"), [])


def test_g19_what_a_newer_version_wrote_is_kept() -> None:
    """Unknown header and footer keys survive a rewrite; unknown verbs are counted, not guessed."""
    text = f"---\nagent: a\nx-new: 1\n---\n# t\n\n{REFERENCES}- Created: a\n\n## Facts\n\n- x\n  <!-- id: a | kind: fact | x-new: 1 -->\n"
    log, findings = decode(text.encode(), sealed=True)
    assert (findings, encode(log)) == ((), text.encode())
    assert read(f"{REFERENCES}- Merged: a\n- Closed: b\n") == (
        (ThreadClosed("b"),),
        ["unknown-verb"],
    )
    log, _ = decode(b"---\ntype: dream\n---\n# t\n", sealed=True)
    assert (log.type, entry_of(STEM, log).work) == ("dream", False)


def test_g20_sloppy_footers_are_normalised() -> None:
    """Duplicate keys, tabs, trailing spaces and a missing last newline have one reading."""
    lines = "- x  \n\ty \n  <!--\tID:a|tags:\tb,  c  | kind : z |tags: q| entity: -->  ".split("\n")
    blocks, findings = read_facts(lines)
    assert [(b.id, b.text, b.meta) for b in blocks] == [
        ("a", "x\ny", (("kind", "z"), ("tags", "b,  c")))
    ]
    assert [finding.code for finding in findings] == ["bad-footer"]
    log = f"---\nagent:  a \nagent: b\ntype : edit\n---\n# t\n\n{REFERENCES}- Referenced: a"
    read_back, found = decode(log.encode(), sealed=True)
    assert read_back.header == (("agent", "a"), ("type", "edit"))
    assert [finding.code for finding in found] == ["front-matter"]
    assert read_back.events == referenced("a")


@pytest.mark.parametrize("value", ["-1", "1e999", "NaN", "٣", "9" * 5000])
def test_g21_numbers_in_footers_of_a_log_mean_nothing(value: str) -> None:
    """A log's footer can not set a count, and nothing but ASCII digits makes a version or date."""
    events, codes = read(
        f"{REFERENCES}- Created: a\n\n## Facts\n\n- x\n  <!-- id: a | uses: {value} | created: {value} -->\n"
    )
    assert (events, codes) == ((FactCreated("a", "x", "", (("uses", value),)),), ["bad-date"])
    assert not is_version_id("٣" * 8)
    assert read(f"{REFERENCES}- Updated: a (was {value})\n")[0] == (
        FactUpdated("a", None, None, remark=f"was {value}"),
    )


@pytest.mark.parametrize(
    "date", ["0000-00-00", "2026-02-30", "2026-2-3", "yesterday", "\uff12\uff10\uff12\uff16-01-01"]
)
def test_g22_impossible_dates_are_reported_and_the_fact_is_kept(date: str) -> None:
    """A date that is none is left out with a finding; the fact stays."""
    facts = f"## Facts\n\n- x\n  <!-- id: a | kind: fact | created: {date} -->\n"
    events, codes = read(f"---\ntype: import\n---\n# t\n\n{REFERENCES}- Created: a\n\n{facts}")
    assert (events, codes) == ((FactCreated("a", "x", "", (("kind", "fact"),)),), ["bad-date"])


@pytest.mark.deep(only=("- x\\n  <!-- ", "\\n\\n- a"))
@pytest.mark.parametrize(
    "piece",
    ["<!--", "<!-- -", "-->", "(", "`", "[[", "**", "a-", " — ", "→", "- ", "|", "```\n", "<a b\n",
     "\n\n- a", "  \n", "<!-- id: a -->\n", "- x\n  <!-- id: a -->\n", "## Facts\n", "---\n", ": "],
)  # fmt: skip
def test_g23_no_input_is_slow(piece: str) -> None:
    """What backtracking parsers choke on is within the seconds that any item has, many times over."""
    hostile = piece * (12_000 // len(piece))
    for before in (
        "",
        "# t\n\n",
        REFERENCES,
        f"{REFERENCES}- Referenced: ",
        "## Facts\n\n- x\n  ",
    ):
        for text in (before + hostile, f" ```\n{before}{hostile}\n"):
            for sealed in (True, False):
                decode(text.encode(), sealed=sealed)
            scan(STEM, text.encode())


def test_superseded_ids_are_one_pair() -> None:
    """An arrow in a remark is no supersession."""
    assert read(f"{REFERENCES}- Superseded: a → b — was a → c\n")[0] == (
        FactSuperseded("a", "b", "was a → c"),
    )
