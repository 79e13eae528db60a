"""The reference tool's counting: against its own output, and against a slow oracle."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import NotFound
from projection.policy.model import Windows
from rituals.intake.adopt import adopted_files, compat
from tests.bench import agent_memory
from tests.conftest import each_row

MERCURY = Path(__file__).resolve().parents[2] / "shared" / "ledgers" / "mercury"


def footers(memory: adopted_files.AgentMemory) -> dict[str, compat.Footer]:
    """Compute the footers of a ledger by id."""
    found = compat.footers(
        memory.logs,
        adopted_files.text_of(memory.continuity),
        adopted_files.text_of(memory.policy),
        [adopted_files.text_of(data) for _, data in memory.threads],
    )
    return {footer.id: footer for footer in found}


def oracle(
    logs: dict[str, str], continuity: str, windows: tuple[int, int, int]
) -> dict[str, tuple[str, str, str, str]]:
    """Compute (tier, uses, created, last_used) fact by fact, log by log, from the rule table."""
    pattern = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
    stems = sorted(logs)
    result = {}
    lines = continuity.split("\n")
    for number, line in enumerate(lines):
        for footer in re.findall(r"<!--\s*id:([^\n]*?)-->", line):
            if "|" not in footer:
                continue
            id, *pairs = [part.strip() for part in footer.split("|")]
            values = dict(pair.split(": ", 1) for pair in pairs if ": " in pair)
            tier, created = values.get("tier", ""), values.get("created", "")
            result[id] = (tier, values.get("uses", ""), created, values.get("last_used", ""))
            naming = []
            for stem in stems:
                text = logs[stem].replace("\r\n", "\n").split("\n")
                at = [n for n, row in enumerate(text) if row.rstrip() == "## Memory References"]
                section = []
                for row in text[at[0] + 1 :] if at else []:
                    if row.startswith("## "):
                        break
                    section.append(row)
                if id in pattern.findall("\n".join(section)):
                    naming.append(stem)
            if not naming or tier in ("core", "superseded"):
                continue
            boxed, indent = False, -1
            for row in lines[: number + 1]:
                bullet = re.match(r"( *)[-*+] (\[[ xX]\])?", row)
                if bullet and bullet[2] and row.lstrip()[0] == "-":
                    boxed, indent = bullet[2] == "[ ]", len(bullet[1])
                elif bullet and len(bullet[1]) <= indent:
                    boxed, indent = False, -1
            if not boxed:
                age = sum(stem[:10] > created for stem in stems)
                since = len(stems) - 1 - stems.index(naming[-1])
                if age <= windows[0] and len(naming) <= 1:
                    tier = "working"
                else:
                    tier = "active" if since <= windows[1] else "archive-candidate"
            result[id] = (tier, str(len(naming)), created, naming[-1][:10])
    return result


@pytest.mark.skipif(not MERCURY.is_dir(), reason="the shared ledgers are not here")
def test_a_real_ledger_is_computed_as_the_reference_tool_computes_it() -> None:
    """All 27 footers of a ledger of 188 logs are what the reference tool writes."""
    expected = json.loads((MERCURY / "expected.json").read_text())["expected"]
    got = {
        id: {
            "created": footer.created,
            "last_used": footer.last_used,
            "uses": footer.uses,
            "tier": footer.tier,
        }
        for id, footer in footers(adopted_files.read(str(MERCURY))).items()
    }
    assert got == expected


@pytest.mark.parametrize("seed", range(6))
def test_the_index_equals_facts_times_logs(tmp_path: Path, seed: int) -> None:
    """One pass over the logs gives what asking every log for every fact gives."""
    agent_memory.generate(tmp_path, logs=60, facts=50, seed=seed)
    memory = adopted_files.read(str(tmp_path))
    logs = {stem: data.decode() for stem, data in memory.logs}
    assert len(logs) == 61
    got = {id: tuple(footer)[1:] for id, footer in footers(memory).items()}
    assert got == oracle(logs, memory.continuity.decode(), (3, 8, 20))
    assert {footer[0] for footer in got.values()} >= {"active", "archive-candidate"}


NAIVE = re.compile(rb"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")


@settings(deadline=None)
@given(st.text("ab1-A. \n").map(str.encode))
def test_the_linear_pattern_finds_what_the_reference_pattern_finds(data: bytes) -> None:
    """The possessive pattern and the reference's own agree on every text."""
    assert compat._IDS.findall(data) == NAIVE.findall(data)


def test_hostile_runs_of_letters_cost_linear_time() -> None:
    """A megabyte without a hyphen, which is quadratic for the reference's pattern, is quick."""
    for run in (b"a", b"a-", b"-a", b"1a", b"<!-- id: "):
        data = b"## Memory References\n" + run * (1 << 20)
        compat.footers([("2026-01-01-000000", data)], "- a\n<!-- id: a-b | uses: 1 -->\n", "")
    compat.footers([], "<!-- id: a | " * (1 << 18), "working_window:" * (1 << 18))


LOGS = [
    ("2026-01-01-000000", b"## Memory References\n- a-b\n### x\nx-y\n# z\nq-r\n## Next\nn-o\n"),
    ("2026-01-02-000000", b"text ## Memory References\n- a-b\n## Memory References (more)\na-b\n"),
    ("2026-01-03-000000", b"## memory references\n- a-b\n"),
    (
        "2026-01-04-000000",
        b"## Memory References \r\n(none, a-b unchanged)\r\n\r\n## Memory Review",
    ),
    ("2026-01-05-000000", b"\n## Memory References\nCa-b3x-y\n## Memory References\nq-r"),
]


@pytest.mark.parametrize(
    ("id", "uses", "last_used"),
    [
        ("a-b", "2", "2026-01-04"),
        ("x-y", "1", "2026-01-01"),
        ("q-r", "1", "2026-01-01"),
        ("n-o", "9", "old"),
        ("a-b3x-y", "1", "2026-01-05"),
    ],
)
def test_section_and_id_rules(id: str, uses: str, last_used: str) -> None:
    """Headings, ends of sections and ids are taken as the reference tool takes them."""
    text = f"- x\n  <!-- id: {id} | created: 2026-01-01 | last_used: old | uses: 9 | tier: t -->\n"
    (footer,) = compat.footers(LOGS, text, "")
    assert (footer.uses, footer.last_used) == (uses, last_used)


def pinned(continuity: str) -> bool:
    """Tell whether the fact `a-b` keeps its tier, by a footer that would not."""
    text = continuity.replace("F", "<!-- id: a-b | created: 2026-01-01 | tier: kept -->")
    return compat.footers(LOGS, text, "")[-1].tier == "kept"


@each_row(
    "continuity, kept",
    [
        ("- [ ] a\n  F", True),
        ("- [ ] a F", True),
        ("- [x] a\n  F", False),
        ("- [ ] a\n  - deeper\n  F", True),
        ("- [ ] a\n- same\n  F", False),
        ("  - [ ] a\n- lower\n  F", False),
        ("- [ ] a\n  - [x] nested\n  F", False),
        ("- [x] a\n  - [ ] nested\n  F", True),
        ("- [ ] a\n\n## Heading\n\ntext F", True),
    ],
)
def test_what_pins_a_fact(continuity: str, kept: bool) -> None:
    """The nearest checkbox before a footer decides, unless a bullet of its level is between."""
    assert pinned(continuity) is kept


def test_footer_forms() -> None:
    """Code counts; several lines, no end, or no `|` make no fact; the last of two ids wins."""
    text = (
        "`<!-- id: in-code | uses: 1 -->`\n<!-- id: two |\nuses: 1 -->\n<!-- id: bare-id -->\n"
        "<!-- id: open-end | uses: 1\n<!-- id: twice | uses: 1 --> <!-- id: twice | uses: 2 -->\n"
    )
    assert [(f.id, f.uses) for f in compat.footers([], text, "")] == [
        ("in-code", "1"),
        ("twice", "2"),
    ]


def test_windows_are_the_first_number_of_each_name() -> None:
    """The first `name: number` counts, what is missing is 3, 8, 20."""
    assert compat.windows("") == Windows(3, 8, 20)
    text = "- working_window: 5 # x\nworking_window: 6\narchive_window > 9\nactive_window:  07\n"
    assert compat.windows(text) == Windows(5, 7, 20)
    assert compat.windows("archive_window: " + "9" * 9999).archive == 10**9


def test_a_fact_per_thread_file_is_read() -> None:
    """The texts of `open-threads/` count as more of `continuity.md`."""
    thread = "- [ ] x\n<!-- id: a-b | tier: kept | uses: 0 -->\n"
    assert compat.footers(LOGS, "", "", [thread]) == (
        compat.Footer("a-b", "kept", "2", "", "2026-01-04"),
    )


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.text(), st.binary())),
    st.text("-[ ]x<!>id:|ab\n "),
    st.text() | st.text("working_du:0123 "),
)
def test_no_text_raises(logs: list[tuple[str, bytes]], continuity: str, policy: str) -> None:
    """Whatever the files hold, there is an answer."""
    logs = [(stem, b"## Memory References\n" + data) for stem, data in logs]
    for footer in compat.footers(logs, continuity, policy):
        assert all(isinstance(value, str) for value in footer)


def test_layout_reads_either_folder_and_follows_no_link_outside(tmp_path: Path) -> None:
    """The memory folder is found from above or itself; links out and pipes are reported."""
    home = tmp_path / "repo"
    agent_memory.generate(home, logs=3, facts=4)
    (tmp_path / "secret.md").write_text("secret")
    sessions = home / "memory" / "sessions"
    (sessions / "2026-01-01-000000.md").symlink_to(tmp_path / "secret.md")
    (sessions / "2026-01-02-000000.md").symlink_to(home / "memory" / "vision.md")
    (sessions / "folder.md").mkdir()
    os.mkfifo(sessions / "pipe.md")
    memory = adopted_files.read(str(home))
    assert memory == adopted_files.read(str(home / "memory"))
    stems = [stem for stem, _ in memory.logs]
    assert len(stems) == 5
    assert stems == sorted(stems)
    assert "2026-01-02-000000" in stems
    assert [finding.file for finding in memory.findings] == [
        "sessions/2026-01-01-000000.md",
        "sessions/folder.md",
        "sessions/pipe.md",
    ]


def test_layout_refuses_what_is_no_ledger_and_what_is_too_large(tmp_path: Path) -> None:
    """Both failures name the path and what to do; nothing is written."""
    with pytest.raises(NotFound) as missing:
        adopted_files.read(str(tmp_path))
    assert "agent-memory" in str(missing.value)
    assert missing.value.hint
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "continuity.md").write_text("x")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "memory").symlink_to(tmp_path / "outside")
    with pytest.raises(NotFound):
        adopted_files.read(str(tmp_path / "repo"))
    large = tmp_path / "outside" / "vision.md"
    large.write_bytes(b"x" * (adopted_files.FILE_LIMIT_BYTES + 1))
    with pytest.raises(adopted_files.TooLarge) as refused:
        adopted_files.read(str(tmp_path / "outside"))
    assert refused.value.where == "vision.md"
    large.write_bytes(b"x" * adopted_files.FILE_LIMIT_BYTES)
    assert (
        len(adopted_files.read(str(tmp_path / "outside")).vision) == adopted_files.FILE_LIMIT_BYTES
    )
