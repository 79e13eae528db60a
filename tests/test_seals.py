"""Attacks on the names of logs: bytes made to fit a seal, logs put in another's place or under another stamp.

With the seal shortened, what takes 2^65 hashes takes some hundred.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import count

import pytest

from ledger.codec.log import encode
from ledger.model.event import FactCreated
from ledger.model.layout import log_path
from ledger.model.order import ended_of, seal
from ledger.model.session import SessionLog
from ledger.model.sha256 import blob_id
from tests.conftest import Repo, Run

STAMP = "2026-11-20-101500000"
LATER = "2026-11-21-070000000"
HONEST, POISON = "Deploys need two approvals.", "Deploys need nobody."


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seals of 15 bits."""
    monkeypatch.setattr("ledger.model.order.SEAL_CHARS", 3)


def log(text: str, salt: int, stamp: str = STAMP) -> bytes:
    """Write the canonical log of somebody who chooses a title."""
    header = (("agent", "mallory"), ("ended", ended_of(stamp)))
    return encode(SessionLog(header, f"Notes {salt}", "", (FactCreated("deploys", text),)))


def pair(higher: bool) -> tuple[str, bytes, bytes]:
    """Make two logs of one stem; the blob of the poisoned one has the higher id, or the lower one."""
    made: dict[str, bytes] = {}
    for salt in count():
        for text in (HONEST, POISON):
            data = log(text, salt)
            stem = seal(STAMP, data)
            other = made.setdefault(stem, data)
            if (HONEST.encode() in data) != (HONEST.encode() in other):
                honest, poison = (data, other) if HONEST.encode() in data else (other, data)
                if (blob_id(poison) > blob_id(honest)) == higher:
                    return stem, honest, poison
    raise AssertionError


def put(repo: Repo, path: str, data: bytes, message: str) -> None:
    """Commit a file of the home by hand."""
    file = repo.path / "memory" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    repo.git("add", "-A", "memory/sessions")
    repo.git("commit", "-q", "-m", message, "--author", "Mallory <m@example.invalid>")


def told(run: Run, *command: str) -> dict[str, list[str]]:
    """Return the messages of a check by their codes."""
    found: dict[str, list[str]] = {}
    for one in run(*(command or ("check", "--ci")), "--json").json["findings"]:
        found.setdefault(one["code"], []).append(one["message"])
    return found


def answers(run: Run, stem: str) -> Iterator[str]:
    """Say all that a reader of the ledger is told about the fact and the log."""
    for command in (
        ("show",), ("show", "deploys"), ("brief",), ("why", "deploys"), ("log", stem),
        ("recall", "deploys need"), ("recall", "--level", "timeline", stem), ("check", "--replay",),
    ):  # fmt: skip
        yield run(*command).out


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize("warm", [False, True])
def test_bytes_that_fit_do_not_take_the_place_of_those_first_committed(
    short: None, repo: Repo, run: Run, warm: bool, higher: bool
) -> None:
    """28: a collision swapped in place is told, nobody is served it, and `--restore` does nothing."""
    stem, honest, poison = pair(higher)
    put(repo, log_path(stem), honest, "notes")
    if warm:
        assert HONEST in run("show").out
    put(repo, log_path(stem), poison, "typo")
    said = list(answers(run, stem))
    assert not any(POISON in one for one in said)
    assert all(HONEST in one for one in (said[0], said[1], said[2]))
    for command in (("check",), ("check", "--ci")):
        assert run(*command).code == 1
        found = told(run, *command)
        assert any("those first committed are read" in one for one in found["seal-collision"])
        assert any("by Mallory" in one for one in found["seal-collision"])
        assert "log-modified" in found
    before = repo.shape()
    assert run("check", "--restore").code == 1
    assert repo.shape() == before
    assert (repo.path / "memory" / log_path(stem)).read_bytes() == poison


@pytest.mark.parametrize("higher", [False, True])
def test_what_was_reverted_stays_reverted(short: None, repo: Repo, run: Run, higher: bool) -> None:
    """29: after a revert the honest bytes stand; the other ones are told and not brought back."""
    stem, honest, poison = pair(higher)
    put(repo, log_path(stem), honest, "notes")
    put(repo, log_path(stem), poison, "typo")
    repo.git("revert", "--no-edit", "HEAD")
    assert not any(POISON in one for one in answers(run, stem))
    assert list(told(run)) == ["seal-collision", "drift", "weak-seal"]
    assert run("check", "--restore").code == 1
    assert (repo.path / "memory" / log_path(stem)).read_bytes() == honest
    repo.git("rm", "-q", f"memory/{log_path(stem)}")
    repo.git("commit", "-q", "-m", "tidy")
    assert run("check", "--restore").code == 1  # nobody can tell which of them is right
    assert {"log-deleted", "seal-collision"} <= set(told(run))


@pytest.mark.parametrize("higher", [False, True])
def test_two_logs_of_one_name_that_both_fit_are_both_read(
    short: None, repo: Repo, run: Run, higher: bool
) -> None:
    """They contradict each other, and are an error that names both (L4)."""
    stem, honest, poison = pair(higher)
    put(repo, log_path(stem), honest, "notes")
    put(repo, f"sessions/{stem}.md", poison, "notes too")
    shown = run("show").out
    assert HONEST in shown and POISON in shown
    found = told(run)
    assert {"duplicate-stem", "seal-collision", "contradiction"} <= set(found)
    assert run("check", "--restore").code == 1


@pytest.mark.parametrize("place", ["in place", "beside", "rewritten"])
def test_a_foreign_log_that_fits_one_of_many_names(
    short: None, repo: Repo, run: Run, place: str
) -> None:
    """30: what it says of its own end is not the stamp, also where a rewritten history has no other bytes."""
    stems: dict[str, str] = {}
    for number in range(40):
        data = log(f"Number {number}.", number, stamp := f"2026-11-20-1015{number:02}000")
        stems[seal(stamp, data)[21:]] = seal(stamp, data)
        file = repo.path / "memory" / log_path(seal(stamp, data))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "many")
    foreign = (log(POISON, salt, "2026-11-19-120000000") for salt in count())
    stem, data = next(
        (stems[mark], data) for data in foreign if (mark := seal(STAMP, data)[21:]) in stems
    )
    put(repo, f"sessions/{stem}.md" if place == "beside" else log_path(stem), data, "sync")
    if place == "rewritten":
        repo.git("checkout", "-q", "--orphan", "fresh")
        repo.git("commit", "-q", "-m", "squashed")
        repo.git("branch", "-q", "-M", "main")
    assert run("check", "--ci").code == 1
    found = told(run)
    assert ("seal-collision" in found) == (place != "rewritten")
    assert ("stamp-moved" in found) == (place != "in place")
    assert (POISON in run("show").out) == (place != "in place")


def test_an_old_log_under_a_later_stamp_is_told(repo: Repo, run: Run) -> None:
    """A full seal proves the bytes and not the time; it is read in its name's place and an error."""
    data = log(HONEST, 1)
    put(repo, log_path(seal(STAMP, data)), data, "notes")
    moved = log_path(seal(LATER, data))
    put(repo, moved, data, "sync")
    for command in (("check",), ("check", "--ci")):
        assert run(*command).code == 1
        (said,) = told(run, *command)["stamp-moved"]
        assert ended_of(STAMP) in said and ended_of(LATER) in said
    alone = run("check", "--ci", f"memory/{moved}")
    assert (alone.code, "stamp-moved" in run("check", "--ci", f"memory/{moved}", "--json").out) == (
        1,
        True,
    )
    assert run("show", "deploys", "--json").code == 0


@pytest.mark.parametrize(
    "header", ["", "ended: 2026-11-20T10:15:00Z\n", "agent: a\n", "ended: never\n"]
)
def test_a_sealed_log_says_when_it_ended(repo: Repo, run: Run, header: str) -> None:
    """Without that its seal fits every stamp; what stands below the front matter says nothing."""
    front = f"---\n{header}---\n" if header else ""
    data = f"{front}# T\n\nended: {ended_of(STAMP)}\n---\n".encode()
    put(repo, log_path(seal(STAMP, data)), data, "notes")
    assert set(told(run)) == {"stamp-moved", "drift"}


def test_short_seals_are_told_once(repo: Repo, run: Run) -> None:
    """A ledger from before is in order, and says how many of its logs have them."""
    for number in range(3):
        data = log("Text.", number, stamp := f"2026-11-20-10150{number}000")
        data = data.replace(b"deploys", b"fact-%d" % number)
        put(repo, log_path(f"{stamp}-{hashlib.sha256(data).hexdigest()[:12]}"), data, "notes")
    (said,) = told(run)["weak-seal"]
    assert said.startswith("3 logs:")
    assert run("check", "--ci").code == 0
    assert "fact-2" in run("show").out


def test_people_read_the_start_of_a_stem_and_every_command_takes_it(repo: Repo, run: Run) -> None:
    """Machine forms keep the whole one; what people are shown can be pasted into any command."""
    stem = run("append", "--title", "Log", "--new", "fact: id=use-x Use X.", "--json").json["stem"]
    short = stem[:18]
    for command in (
        ("log",),
        ("why", "use-x"),
        ("why", "--versions", "use-x"),
        ("log", stem),
        ("recall", "--level", "timeline", "use-x"),
    ):
        said = run(*command).out
        assert short in said and stem not in said, command
        assert stem in run(*command, "--json").out, command
    for taking in (
        ("log", short), ("recall", "--level", "timeline", short), ("show", "use-x", "--as-of", short),
        ("log", "--changes", f"{short}..{short}"), ("recall", "--ids", short), ("recall", "use", "--as-of", short),
        ("recall", "use", "--since", short), ("recall", "use", "--until", short),
        ("log", "--since", short), ("log", "--until", short), ("review", "--report", "--until", short),
        ("redact", short, "--reason", "It is private.", "--words-only", "--dry-run"),
    ):  # fmt: skip
        ran = run(*taking)
        assert ran.code == 0, (taking, ran.err)
    assert "Use X." in run("show", "use-x", "--as-of", short).out
    assert "Use X." in run("recall", "use", "--as-of", short).out
    assert len(run("log", "--since", short, "--until", short, "--json").json["sessions"]) == 1
    assert run("check", "--publish").code == 0
    assert stem in (repo.path / "memory/continuity.md").read_text()


def test_a_start_that_several_logs_share_is_refused_with_their_names(repo: Repo, run: Run) -> None:
    """And as many characters are shown as tell them apart."""
    made: dict[str, tuple[str, bytes]] = {}
    for salt in count():
        data = log("Text.", salt).replace(b"deploys", b"fact-%d" % salt)
        stem = seal(STAMP, data)
        other, earlier = made.setdefault(stem[:26], (stem, data))
        if other != stem:
            break
    put(repo, log_path(stem), data, "notes")
    put(repo, log_path(other), earlier, "notes")
    shown = [line.split("  ")[0] for line in run("log").out.splitlines()]
    assert len(set(shown)) == 2
    assert all(len(one) >= 27 and run("log", one).code == 0 for one in shown)
    for taking in (
        ("log",),
        (
            "recall",
            "--level",
            "timeline",
        ),
        ("show", "--as-of"),
        ("recall", "--ids"),
        ("redact", "--reason", "x"),
    ):
        refused = run(*taking, stem[:26])
        assert (refused.code, stem in refused.err and other in refused.err) == (1, True), taking
