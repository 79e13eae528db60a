"""Which commands say what: the same state gives the same finding in all that look, and `status` counts it.

The states are those of `tests.test_findings`: one for each code that a home, a clone or a machine can show.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.model.finding_codes import CODES
from tests import test_findings as states
from tests.conftest import Repo, Run, sampled
from tests.finding_case import CASES, Shop

CI = "check --ci"
WHOLE = {"check", CI, "review"}
model, shop = states.model, states.shop  # fixtures
DOCTOR = {"check"}
LINT = {"check", CI}
DUE = {"check", CI, "review"}
#: What only the doing of something tells, never a look at what stands.
OF_ACTS = frozenset(
    "not-canonical false-fact similar-fact until-unseen absorbed index-busy stale-lock object-mended "
    "cache-rebuilt fallback-identity unsigned secret-redacted private-part no-home check-failed "
    "log-dropped note-line personal-log withheld-text change-gone change-breaks "
    "change-decided change-ends as-of-date".split()
)
#: Which commands tell of a planted state.
TOLD: dict[str, set[str]] = {
    **dict.fromkeys(
        "not-utf8 nul-byte too-large line-too-long too-many-ids unclosed-fence unclosed-comment "
        "too-complex conflict-marker front-matter unknown-verb bad-id bad-event bad-footer bad-date "
        "fact-without-event event-without-fact duplicate-block repeated-section section-suffix bad-name "
        "date-only-name duplicate-stem seal-broken seal-collision stamp-moved not-a-file unknown-id contradiction "
        "supersession-cycle not-a-thread task-move no-evidence unknown-kind policy-invalid policy-deprecated newer-format "
        "drift conflict-in-projection spool-waiting undeclared-edit hand-edited".split(),
        WHOLE,
    ),
    **dict.fromkeys(
        "log-modified log-deleted log-moved log-edited log-uncommitted history-cut history-rewritten "
        "clock-ahead personal-item "
        "unreadable".split(),  # of a lost log the cache knows what it said
        WHOLE,
    ),
    **dict.fromkeys("secret-found secret-waived personal-data".split(), LINT),
    **dict.fromkeys("review-due over-size".split(), DUE),
    **dict.fromkeys(
        "git-unusable host-command host-files "
        "host-faults "
        "unsupported-repository lock-left object-lost home-moved spool-leftover "
        "capture-failed capture-settings capture-waits "
        "attributes-missing merge-attribute cache-differs mirrored not-pushed upstream-stale".split(),
        DOCTOR,
    ),
}


def _plant(code: str, shop: Shop) -> tuple[str, ...]:
    """Make the state of a code; return the options that name its home."""
    case = CASES["over-size" if code == "review-due" else code]
    if code == "unreadable":
        shop.run("show")  # the cache of a copied folder is built anew, and has the log then
    arguments = case.prepare(shop)
    at = arguments.index("--home") if "--home" in arguments else -1
    return arguments[at : at + 2] if at >= 0 else ()


Said = set[tuple[str, str, str, int]]


def _said(run: Run, command: str, *more: str) -> tuple[set[str], Said]:
    """Return the codes that a command says, and the findings that it names one by one, each once."""
    option = {"review": ("--dry-run",), "check": ("--deep",)}.get(command, ())
    ran = run(*command.split(), *option, "--json", *more)
    answer = json.loads(ran.out)
    if "error" in answer:
        return set(), set()
    found = answer["verified" if command == "review" else "findings"]
    named = [(one["code"], one["severity"], one["file"], one["line"]) for one in found]
    messages = [(*where, one["message"]) for where, one in zip(named, found, strict=True)]
    assert len(messages) == len(set(messages)), command
    said = set(named)
    return {code for code, *_ in said}, said


@pytest.mark.deep(but=tuple(sampled(sorted(TOLD.keys() - {"too-large"}), 8)))
@pytest.mark.parametrize("code", sorted(TOLD))
def test_a_state_is_told_by_the_commands_of_the_table(
    code: str, shop: Callable[[str], Shop], run: Run
) -> None:
    """And by those alone; where several name it, with one severity, file and line."""
    home = _plant(code, shop("agree"))
    told = {command: _said(run, command, *home) for command in sorted(WHOLE)}
    assert {command for command, (codes, _) in told.items() if code in codes} == TOLD[code]
    named = [
        {one for one in said if one[0] == code}
        for command, (_, said) in told.items()
        if command in TOLD[code]
    ]
    assert all(one == named[0] for one in named), named
    mine = {one for one in _said(run, "status", *home)[1] if one[0] == code}
    assert mine <= set().union(*named), "status says nothing else"
    assert not told[CI][0] - told["check"][0], "a check of everything says all that --ci says"


def test_every_code_has_its_row() -> None:
    """The table here and the codes are of one mind."""
    assert TOLD.keys() | OF_ACTS == CODES.keys()
    assert not TOLD.keys() & OF_ACTS


def test_review_says_what_verify_found_and_goes_on(repo: Repo, run: Run) -> None:
    """A log that somebody rewrote: the error in full, the rest counted, and the review is held."""
    path: str = run("append", "--new", "id=a One.", "--ref", "nobody", "--anyway", "--json").json[
        "path"
    ]
    repo.write(path, (repo.path / path).read_text() + "\nMore.\n")
    repo.git("commit", "-q", "-a", "-m", "tamper")
    verified = run("check", "--ci", "--json").json["findings"]
    dry = run("review", "--dry-run", "--json").json
    assert [one for one in dry["verified"] if one["code"] != "review-due"] == verified
    ran = run("review")
    assert ran.code == 0
    assert "Checked     2 errors, 1 warning; `diurna check` names them\n" in ran.out
    assert f"error: {path.removeprefix('memory/')} was changed after it was committed" in ran.err
    assert "nobody is named" not in ran.err
    assert Path(path).stem in ran.err
