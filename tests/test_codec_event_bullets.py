"""How the references section is read: strictly for sealed logs, tolerantly for all others."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from ledger.codec.event_bullets import read_references, write_references
from ledger.codec.fast_read import read_entry, scan
from ledger.codec.log import decode, encode, entry_of
from ledger.model.event import FactReferenced
from tests.conftest import each_row

MERCURY = Path(__file__).resolve().parents[2] / "shared" / "ledgers" / "mercury"


TABLE = (Path(__file__).parent / "references.md").read_text(encoding="utf-8").replace("\\t", "\t")


@each_row("mode, text, said", [
    (mode, re.sub("(?m)^    ", "", text).strip("\n"), said)
    for mode, rows in re.findall(r"(?ms)^## ([\w ]+)\n(.*?)(?=^## |\Z)", TABLE)
    for text, said in re.findall(r"((?:(?:    .*)?\n)+)((?:>.*\n)+)", rows)
])  # fmt: skip
def test_what_a_section_says(mode: str, text: str, said: str) -> None:
    """The event table, its leniencies and findings; verbs, bullets and paragraphs; whole logs."""
    if mode in ("strict", "tolerant"):
        events, findings = read_references(text.split("\n"), strict=mode == "strict")
        told = write_references(tuple(events))
    else:
        log, found = decode(text.encode(), sealed=mode == "sealed")
        told, findings = encode(log).decode().rstrip("\n").split("\n"), list(found)
        data, stem = f"{text}\n".encode(), "2026-11-21-083012417-000000000000"
        fast, plain = scan(stem, data), encode(log) == data and not found
        if mode == "sealed" and (fast or plain):
            assert fast == entry_of(stem, log), "what is canonical is read without a parser"
    told += [f"! {one.code} {one.line}" for one in findings]
    assert [line[2:] for line in said.splitlines()] == [
        line.rstrip() for line in told or ["nothing"]
    ]


def test_many_ids_take_several_bullets() -> None:
    """At most a hundred ids share a bullet; all are read back."""
    events = tuple(FactReferenced(f"fact-{n}") for n in range(250))
    lines = write_references(events)
    assert len(lines) == 3
    assert read_references(lines, strict=True) == (list(events), [])


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
