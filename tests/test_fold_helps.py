"""What helped and what was ignored is counted, by the form of its evidence alone (FORMAT.md, F12 and Y6)."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ledger.codec.log import decode, encode, entry_of
from ledger.model.event import Event, FactCreated, FactHelped, FactIgnored, FactRedacted
from ledger.model.evidence import COMMAND, PLACE, Place, form_of, place_in, role_in
from ledger.model.ids import is_fact_id
from ledger.model.session import Entry, SessionLog
from projection.fold.fact_history import Fact, Help
from projection.fold.fold import collect, merged, resolve
from projection.fold.withholding import withheld_entry, withheld_history
from projection.lifecycle.pattern_standing import (
    ACTIVE,
    CANDIDATE,
    DEPRECATED,
    OBSERVED,
    VERIFIED,
    pattern_standing,
)
from projection.policy.model import Learning
from tests.conftest import each_row

BORN = FactCreated("p", "Pin the clock.", "", (("kind", "pattern"), ("role", "builder")))
GREEN = "pytest -q: exit 0"


def log(number: int, *events: Event, role: str = "", session: str = "", branch: str = "") -> Entry:
    said = (("role", role), ("session", session), ("branch", branch))
    header = (("agent", "a"), *[pair for pair in said if pair[1]])
    return entry_of(f"2026-11-21-1000{number:02d}", SessionLog(header, "T", "", events))


def folded(*entries: Entry) -> Fact:
    whole = collect(entries)
    for cut in range(len(entries) + 1):
        first, second = collect(entries[cut:]), collect(entries[:cut])
        assert {**first, **merged(first, second)} == whole
    found = resolve("p", whole["p"])
    assert found is not None
    return found


@each_row("remark, form",
    [
        ("pytest -q: exit 0", COMMAND), ("`pytest -q` (exit 1)", COMMAND), ("exit 0: make test", COMMAND),
        ("pytest -q, exit code 0", COMMAND), ("cargo test → exit status 101", COMMAND),
        ("ruff check exited with 2", COMMAND), ("npm test; rc=0", COMMAND), ("make exit_code=0", COMMAND),
        ("src/api.py:42", PLACE), ("see `./a/b.rs:1:7`, there", PLACE), ("api.go:10-12", PLACE),
        ("(docs/x.md#L3)", PLACE), ("Makefile.in:999999999", PLACE), ("größe/ü.py:3", PLACE),
        ("", ""), ("exit 0", ""), ("exit", ""), ("exit 256 pytest", ""), ("no exit from here", ""), ("it helped", ""),
        ("src/api.py", ""), ("src/api.py:0", ""), ("a:3", ""), ("10.0.0.1:80", ""), ("12:30", ""),
        ("http://x.y:80/a.py:3", ""), ("a.py:12345678901", ""), ("a.py:x", ""), ("a.py:\u0661", ""), ("pytest exit ²", ""),
    ],
)  # fmt: skip
def test_what_is_evidence(remark: str, form: str) -> None:
    """A command with its exit code, or a path with a line; nothing else, whatever it sounds like."""
    assert form_of(remark) == form


@given(st.text(max_size=80), st.integers(0, 10**10), st.sampled_from("ab"))
def test_any_remark_is_judged(words: str, line: int, path: str) -> None:
    """A place in any words is one with a line that there can be; a role is read as itself, and has the form of an id."""
    without = " ".join(
        word for word in words.split() if not {":", "#"} & set(word) and "exit" not in word.lower()
    )
    assume(form_of(without) == "")
    there = 0 < line < 10**9
    assert form_of(f"{without} src/{path}.py:{line}") == (PLACE if there else "")
    role = role_in(words)
    assert role_in(role) == role and (not role or is_fact_id(role))


def test_a_place_begins_at_the_top() -> None:
    """What stands around it and behind the line is passed over."""
    assert place_in("in `./a/b.rs:7:1`.") == Place("a/b.rs", 7)
    assert place_in(".github/ci.yml:2") == Place(".github/ci.yml", 2)
    assert place_in("a.py:3-9") == place_in("a.py#L3") == Place("a.py", 3)


def test_each_log_counts_once_with_its_context() -> None:
    """A session on a branch is one context; a help without evidence is a use and nothing more."""
    fact = folded(
        log(1, BORN),
        log(2, FactHelped("p", GREEN), FactHelped("p", "a.py:3"), session="s", branch="main"),
        log(3, FactHelped("p", "a.py:3"), session="s", branch="main"),
        log(4, FactHelped("p", "it did"), session="t"),
        log(5, FactHelped("p", GREEN)),
    )
    assert fact.helps == (
        Help("2026-11-21-100002", "s main", COMMAND), Help("2026-11-21-100003", "s main", PLACE),
        Help("2026-11-21-100005", " ", COMMAND),
    )  # fmt: skip
    assert fact.uses == 5


def test_an_ignored_fact_is_not_used() -> None:
    """The role is that of the remark, else of the log; odd names are the log's."""
    fact = folded(
        log(1, BORN), log(2, FactIgnored("p", "Judge"), FactIgnored("p", "judge")),
        log(3, FactIgnored("p"), role="auditor"), log(4, FactIgnored("p", "no | role!"), role="sentinel"),
        log(5, FactIgnored("p", "👻")),
    )  # fmt: skip
    assert [role for _, role in fact.ignores] == ["judge", "auditor", "sentinel", ""]
    assert fact.uses == 1


def test_evidence_behind_the_last_id_is_that_of_all() -> None:
    """In parentheses and behind a dash; written out it stands beside each."""
    text = "# T\n\n## Memory References\n\n- Helped: a, b (pytest: exit 0)\n- Ignored: c (judge), d — builder\n"
    log, findings = decode(text.encode(), sealed=True)
    assert not findings
    assert log.events == (
        FactHelped("a", "pytest: exit 0"), FactHelped("b", "pytest: exit 0"),
        FactIgnored("c", "judge"), FactIgnored("d", "builder"),
    )  # fmt: skip
    assert decode(encode(log), sealed=True)[0].events == log.events


def _counted(helps: int, contexts: int, ignores: tuple[str, ...] = ()) -> str:
    entries = [log(1, BORN)]
    entries += [
        log(2 + n, FactHelped("p", GREEN), session=f"s{n % contexts}") for n in range(helps)
    ]
    entries += [log(40 + n, FactIgnored("p", role)) for n, role in enumerate(ignores)]
    return pattern_standing(folded(*entries), Learning())


@each_row("helps, contexts, standing",
    [
        (0, 1, OBSERVED), (1, 1, OBSERVED), (2, 1, CANDIDATE), (3, 1, CANDIDATE), (3, 2, VERIFIED),
        (5, 2, VERIFIED), (4, 3, VERIFIED), (5, 3, ACTIVE), (9, 1, CANDIDATE),
    ],
)  # fmt: skip
def test_a_pattern_rises_by_evidence_in_contexts(helps: int, contexts: int, standing: str) -> None:
    """As the table of the design has it."""
    assert _counted(helps, contexts) == standing


@pytest.mark.parametrize(
    ("helps", "ignores", "standing"),
    [
        (0, ("builder",) * 2, OBSERVED), (0, ("builder",) * 3, DEPRECATED), (0, ("judge",), DEPRECATED),
        (5, ("judge", "auditor"), ACTIVE), (5, ("judge", "auditor", "x", "y"), DEPRECATED),
        (1, ("judge",), OBSERVED), (1, ("sentinel", "x"), DEPRECATED),
    ],
)  # fmt: skip
def test_a_pattern_falls_by_ignores(helps: int, ignores: tuple[str, ...], standing: str) -> None:
    """Where weighted ignores exceed the helps by three; who validates weighs three."""
    assert _counted(helps, 3, ignores) == standing


def test_thresholds_are_the_policys() -> None:
    """With other thresholds the same facts stand otherwise, and none of them changes."""
    fact = folded(
        log(1, BORN), log(2, FactHelped("p", GREEN)), log(3, FactIgnored("p", "red-team"))
    )
    assert pattern_standing(fact, Learning()) == OBSERVED
    assert pattern_standing(fact, Learning(candidate=1)) == CANDIDATE
    strict = Learning(validators=("red-team",), validator_weight=9)
    assert pattern_standing(fact, strict) == DEPRECATED


def test_what_is_withheld_counts_as_before() -> None:
    """Of a redacted fact, and beside one, no word of the evidence is left, and its form is (F9)."""
    words = "cat /home/ada/secret.txt: exit 0"
    entries = [
        log(1, BORN), log(2, FactHelped("p", words), FactHelped("q", words)),
        log(3, FactIgnored("p", "judge")), log(4, FactIgnored("p", "my own words"), role="sentinel"),
    ]  # fmt: skip
    before = folded(*entries)
    for gone in ({"p"}, {"q"}, {"2026-11-21-100002"}):
        bare = [withheld_entry(entry, gone) for entry in entries]
        assert "ada" not in repr(bare)
        after = folded(*bare)
        assert (after.helps, after.ignores) == (before.helps, before.ignores)
    history = withheld_history(collect(entries)["p"])
    assert "ada" not in repr(history) and "my own words" not in repr(history)
    found = resolve("p", history)
    assert found is not None and found.helps == before.helps and found.ignores == before.ignores
    redacted = folded(*entries, log(9, FactRedacted("p")))
    assert "ada" not in repr(redacted) and redacted.helps == before.helps
