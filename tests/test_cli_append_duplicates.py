"""`diurna append` looks first: transcripts."""

from __future__ import annotations

import pytest

from ledger.model.order import milliseconds_of
from tests.conftest import Repo, Run

LIMIT = "Outbound calls time out after 10 s."


@pytest.fixture(autouse=True)
def _home(repo: Repo, run: Run) -> None:
    ran = run(
        "append", "--title", "One", "--new", f"id=api-timeouts decision: {LIMIT}",
        "--new", "id=inv-loop invariant: Handlers must not block the event loop.",
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")


def archive(run: Run, fact: str) -> None:
    """Let a fact fade."""
    for number in range(22):
        assert run("append", "--title", f"Day {number}").code == 0
    assert run("show", fact, "--json").json["facts"][0]["tier"] == "archived"


def test_a_similar_fact_is_named(run: Run) -> None:
    """The log is recorded; a warning names the fact, how similar it is, and what to say instead."""
    ran = run(
        "append",
        "--title",
        "Two",
        "--new",
        "id=http Outbound HTTP calls time out after ten seconds.",
    )
    assert (ran.code, ran.said) == (0, "STEM  committed in COMMIT on main\ncreated  http\n")
    assert ran.err == (
        "warning: http is similar to `api-timeouts` (92)\n"
        "hint: say `--ref api-timeouts` or `--update api-timeouts TEXT` instead; where both are "
        "recorded, `diurna append --supersede http=api-timeouts` makes one of them\n"
    )


@pytest.mark.deep(reason="the other tests here have facts that hold")
def test_an_archived_fact_is_named_too(run: Run) -> None:
    """What faded is not forgotten."""
    archive(run, "api-timeouts")
    ran = run(
        "append",
        "--title",
        "Two",
        "--new",
        "id=http Outbound HTTP calls time out after ten seconds.",
    )
    assert ran.code == 0
    assert ran.err.startswith(
        "warning: http is similar to `api-timeouts` (92), archived\nhint: say `--reactivate api-timeouts` or "
    )


def test_a_contradicted_invariant_comes_first(run: Run) -> None:
    """Contradictions come before likenesses, and those of what never fades before all others."""
    ran = run(
        "append", "--title", "Two", "--new", "id=a Outbound HTTP calls time out after 10 s.",
        "--new", "id=b Outbound calls time out after one minute.",
        "--new", "id=c Handlers may block the event loop.",
    )  # fmt: skip
    assert ran.code == 0
    assert [line for line in ran.err.splitlines() if line.startswith("warning")] == [
        'warning: c contradicts invariant `inv-loop`: "block" against "not block"',
        'warning: b contradicts `a`: "one minute" against "10 s"',
        'warning: b contradicts `api-timeouts`: "one minute" against "10 s"',
        "warning: a is similar to `api-timeouts` (92)",
    ]
    assert (
        "hint: if inv-loop is false now, say so: `diurna append --supersede inv-loop=c`\n"
        in ran.err
    )


OPPOSITE = ("append", "--title", "Two", "--new", "id=b Outbound calls time out after 60 s.")


def test_strict_refuses_and_changes_nothing(repo: Repo, run: Run) -> None:
    """With --strict it is an error; text and JSON say all of it."""
    before = repo.shape()
    command = (*OPPOSITE, "--strict")
    ran = run(*command)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        'diurna: append: b contradicts `api-timeouts`: "60 s" against "10 s"\n'
        "hint: if api-timeouts is false now, say so: `diurna append --supersede api-timeouts=b`\n"
    )
    ran = run(*command, "--json")
    assert ran.code == 1
    assert [finding["code"] for finding in ran.json["error"]["findings"]] == ["opposite-fact"]
    assert repo.shape() == before
    assert run(*command, "--supersede", "api-timeouts=b").code == 0


def test_json_carries_the_findings(run: Run) -> None:
    """A script gets code, severity, message and hint, of a dry run too."""
    command = (*OPPOSITE, "--json")
    for arguments in ((*command, "--dry-run"), command):
        (found,) = run(*arguments).json["findings"]
        assert (found["code"], found["severity"]) == ("opposite-fact", "warning")
        assert found["message"] == 'b contradicts `api-timeouts`: "60 s" against "10 s"'


def test_an_id_made_from_a_text_never_doubles_a_fact(repo: Repo, run: Run) -> None:
    """The same text under an id that nobody chose is refused, live or archived; a chosen id is told."""
    before = repo.shape()
    ran = run("append", "--title", "Two", "--new", "outbound calls time out after **10 s**")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"diurna: append: `api-timeouts` says just that: {LIMIT}\n"
        "hint: say `--ref api-timeouts`; for a second fact with this text choose an id: "
        '`--new "id=… …"`\n'
    )
    assert repo.shape() == before
    ran = run("append", "--title", "Two", "--new", "id=mine outbound calls time out after 10 s")
    assert ran.code == 0
    assert ran.err.startswith("warning: mine is similar to `api-timeouts` (100)\n")


@pytest.mark.deep(reason="the other tests here have facts that hold")
def test_an_archived_fact_is_not_doubled_either(run: Run) -> None:
    """The hint brings it back."""
    archive(run, "api-timeouts")
    ran = run("append", "--title", "Two", "--new", LIMIT)
    assert ran.code == 1
    assert ran.err == (
        f"diurna: append: `api-timeouts` in the archive says just that: {LIMIT}\n"
        "hint: say `--reactivate api-timeouts`; for a second fact with this text choose an id: "
        '`--new "id=… …"`\n'
    )
    assert run("append", "--title", "Two", "--reactivate", "api-timeouts").code == 0


def test_what_is_false_may_be_said_again(run: Run) -> None:
    """Superseded and invalidated facts are not held against a new one."""
    assert run("append", "--title", "Two", "--invalidate", "api-timeouts").code == 0
    ran = run("append", "--title", "Three", "--strict", "--new", LIMIT)
    assert (ran.code, ran.err) == (0, "")


def test_a_retry_is_still_a_retry(run: Run) -> None:
    """The same command twice is one log, whatever it repeats."""
    command = ("append", "--title", "Two", "--new", "Uploads are limited to 10 MB.", "--json")
    stem = run(*command).json["stem"]
    again = run(*command)
    assert (again.code, again.json["already"], again.json["stem"]) == (0, True, stem)


def test_after_ten_minutes_it_is_no_retry(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same is one log up to that millisecond, and another log after it (W6)."""
    command = ("append", "--title", "Two", "--ref", "inv-loop", "--json")
    stem = run(*command).json["stem"]
    for later_ms, already in ((600_000, True), (600_001, False)):
        monkeypatch.setenv("DIURNA_NOW", str(milliseconds_of(stem) + later_ms))
        again = run(*command).json
        assert (again["already"], again["stem"] == stem) == (already, already)


def test_the_quick_way_tells_the_same(spawn: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`diurna append -` without the libraries of the command line looks first, too."""
    log = (
        "# Two\n\n## Memory References\n\n- Created: b\n\n## Facts\n\n"
        "- Outbound calls time out after 60 s.\n  <!-- id: b -->\n"
    )
    monkeypatch.delenv("DIURNA_NOW")  # the quick way has no clock but the machine's
    ran = spawn("append", "-", stdin=log.encode())
    assert ran.code == 0, ran.err
    assert ran.err.startswith(
        'warning: b contradicts `api-timeouts`: "60 s" against "10 s"\nhint: '
    )
