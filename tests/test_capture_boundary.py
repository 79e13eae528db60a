"""A boundary tells what a session left in one log, once, whatever comes between."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from ledger.codec.log import decode
from ledger.errors import Busy, StorageFailed
from ledger.home import personal_folder
from ledger.model.event import FactCreated, FactSuperseded
from ledger.model.order import ended_of, stamp_of
from ledger.model.session import SessionLog
from ledger.model.session_headers import SHOWN_IDS, shown_in
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.hosts.capture import boundary as bounds
from rituals.hosts.capture import untold_session
from rituals.hosts.capture.capture_notes import attempts, note_attempt
from rituals.hosts.capture.stamps import stamp
from rituals.hosts.context.session_news import begin, note_shown
from rituals.hosts.extraction import Extraction
from rituals.hosts.moments import Moment, file_name
from rituals.hosts.observed.observation_spool import spool_of
from rituals.hosts.quoted_items import KINDS as KINDS_OF_FACTS
from rituals.hosts.quoted_items import Item
from rituals.hosts.transcripts.slices import Slice
from rituals.hosts.user_settings import Settings
from rituals.setup.home_setup import apply_setup, plan_personal
from tests.campaigns.homes import IN_TREE, KINDS, OWN_REPOSITORY, git, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.captured_sessions import (
    AT,
    SESSION,
    TALK,
    captured_texts,
    commit,
    marks_in,
    observe,
    say,
    spans_of,
    tell,
    told_of,
)
from tests.conftest import NOW_MS, holders

TOKEN = "hTg5Kq8zWv2xRb7mPf3yLd9sJc6nQa4tEu1w"
ASKED = "Remember that webhooks retry three times with jitter, because the broker is slow."
FACT = "Webhooks retry three times with jitter, because the broker is slow."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    make_home(tmp_path / "home", OWN_REPOSITORY)
    return tmp_path / "home"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / f"{SESSION}.jsonl"


def logs_of(memory: Memory) -> list[SessionLog]:
    return [decode(text.encode(), sealed=True)[0] for text in captured_texts(memory)]


def marks(count: int) -> list[str]:
    return sorted(f"toolu-{number}" for number in range(count))


class Extractor:
    """Stands for one that costs money: it answers what it is told to, and counts how often it is asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *items: Item, failed: int = 0) -> None:
        self.items, self.failed, self.asked = items, failed, 0
        self.known: list[tuple[str, str]] = []
        monkeypatch.setattr(bounds, "extract", self)
        monkeypatch.setattr(bounds, "settings", lambda _: Settings(("http",)))

    def __call__(
        self,
        part: Slice,
        known: list[tuple[str, str]],
        settings: Settings,
        environment: object,
        kinds: Sequence[str] = KINDS_OF_FACTS,
    ) -> Extraction:
        assert {item.kind for item in self.items} <= set(kinds)
        if not settings.extractors:
            return Extraction((), "sources")
        self.asked += 1
        self.known = known
        if self.asked <= self.failed:
            return Extraction((), "http:model", failed="its answer has no array: Sure!")
        return Extraction(self.items, "http:model", dropped=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_is_one_log(tmp_path: Path, transcript: Path, kind: str) -> None:
    """It says whose it is, how far it tells, what was observed, and what was learned with its source."""
    home = tmp_path / "home"
    make_home(home, kind)
    memory = open_memory(home)
    observe(home, 3)
    say(transcript, "Why does it fail?", role="user")
    say(transcript, "I look.", TALK)
    outcome = tell(memory, transcript)
    (text,) = captured_texts(memory)
    log, findings = decode(text.encode(), sealed=True)
    assert findings == ()
    assert (log.get("agent"), log.get("host"), log.type) == ("claude-code", "claude", "work")
    assert (log.get("session"), log.get("extractor")) == (SESSION, "sources")
    began = spool_of(str(home / ".git"), "claude", SESSION).read().began
    assert log.get("observed") == f"{began} 0-3"
    assert log.get("transcript") == f"{transcript.name} 0-{transcript.stat().st_size}"
    when = ended_of(stamp_of(AT))[:16].replace("T", " ")
    edited = ", ".join([f"src/toolu-{number}.py (new)" for number in range(3)])
    assert f"## Observed\n\n- {when} edited {edited}\n" in text
    asked = "> Why does it fail?\n\n" * (kind != IN_TREE)
    assert f"## Turns\n\n### Turn 1 of 1\n\n{asked}{TALK.strip()}\n" in text
    assert "I look." not in text and log.events == ()
    assert [stem for stem, _ in outcome.logs] == [line.stem for line in memory.log()]
    assert tell(memory, transcript).said == "nothing new"
    assert told_of(memory) == marks(3)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_person_asks_to_be_remembered_is_a_fact_of_theirs(
    tmp_path: Path, transcript: Path, kind: str
) -> None:
    """It is decided, and its evidence are their words at their byte; with `facts = "off"` there is none."""
    home = tmp_path / "home"
    make_home(home, kind)
    memory = open_memory(home)
    say(transcript, TALK)
    say(transcript, ASKED, role="user")
    outcome = tell(memory, transcript, dry_run=True)
    assert [one.facts for one in outcome.attempts] == [1]
    tell(memory, transcript)
    (standing,) = memory.view().live
    assert standing.fact.text == FACT
    at = transcript.read_bytes().index(b'{"type": "user"')
    assert dict(standing.fact.meta)["source"] == f'{transcript.name} {at} "{ASKED}"'
    assert tell(memory, transcript).said == "nothing new"


def test_what_a_session_was_shown_stands_in_its_logs(home: Path, transcript: Path) -> None:
    """Each fact in one of them, as many as a log names; of the others how many there were."""
    memory = open_memory(home)
    name = file_name("claude", SESSION)
    begin(memory.home, name)("- stay (invariant, core): Orders stay.\n- once (fact): Once.")
    observe(home, 1)
    say(transcript, TALK)
    assert "shown: stay, once\n" in tell(memory, transcript, dry_run=True).logs[0][1].decode()
    tell(memory, transcript)
    observe(home, 1, first=1)
    tell(memory, transcript)
    many = "\n".join(f"- n-{number} (fact): x" for number in range(350))
    note_shown(memory.home.repository.commondir, name, f"- stay (invariant): x\n{many}")
    observe(home, 1, first=2)
    tell(memory, transcript)
    observe(home, 1, first=3)
    tell(memory, transcript)
    first, second, third, last = [shown_in(log.get("shown")) for log in logs_of(memory)]
    assert (first, second, last) == ((("stay", "once"), 0), ((), 0), ((), 0))
    assert (third[0][0], len(third[0]), third[1]) == ("n-0", SHOWN_IDS, 150)
    assert not any(
        finding
        for text in captured_texts(memory)
        for finding in decode(text.encode(), sealed=True)[1]
    )


def test_what_comes_later_is_told_alone(home: Path, transcript: Path) -> None:
    """The next log goes on where the last one ended, and is more of the same work session."""
    memory = open_memory(home)
    for number in range(3):
        observe(home, 2, first=2 * number)
        say(transcript, f"{TALK} Part {number}.")
        tell(memory, transcript)
    assert told_of(memory) == marks(6)
    assert [log.type for log in logs_of(memory)] == ["work", "continued", "continued"]
    for key in ("observed", "transcript"):
        spans = spans_of(memory, key)
        assert [start for _, start, _ in spans] == [0, *[end for _, _, end in spans[:-1]]]


def test_nothing_is_told_of_a_session_that_did_nothing(home: Path, transcript: Path) -> None:
    """A short conversation is none; one of more than 400 characters is, also without an observation."""
    memory = open_memory(home)
    assert tell(memory, "").said == "nothing new"
    say(transcript, "x" * untold_session.TALK_CHARS)
    assert tell(memory, transcript).said == "nothing new"
    say(transcript, TALK)
    (stem,) = tell(memory, transcript).logs
    assert spans_of(memory, "transcript") == [(transcript.name, 0, transcript.stat().st_size)]
    assert spans_of(memory, "observed") == []
    assert len(stem) == 2


def test_in_tree_a_conversation_of_which_nothing_is_kept_leaves_no_log(
    tmp_path: Path, transcript: Path
) -> None:
    """It is noted as told, so that nobody reads it twice."""
    home = tmp_path / "home"
    make_home(home, IN_TREE)
    memory = open_memory(home)
    say(transcript, "Go on, and tell nothing. " * 20, role="user")
    say(transcript, "Done.")
    assert [one.outcome for one in tell(memory, transcript).attempts] == ["nothing"]
    assert tell(memory, transcript).attempts == ()
    assert captured_texts(memory) == []


def test_more_than_a_log_holds_makes_several(home: Path) -> None:
    """Each tells of 200 lines, and every observation stands in one of them; torn lines count as none."""
    memory = open_memory(home)
    observe(home, 150)
    path = spool_of(str(home / ".git"), "claude", SESSION).path
    with open(path, "ab") as file:
        file.write(b'{"torn\n\n')
    observe(home, 271, first=150)
    tell(memory)
    assert told_of(memory) == marks(421)
    counts = [len(marks_in(text)) for text in captured_texts(memory)]
    assert all(text.count("\n- ") <= 20 for text in captured_texts(memory))
    assert counts == [200, 200, 21]
    assert [end for _, _, end in spans_of(memory, "observed")] == [202, 402, 423]


@pytest.mark.parametrize("lost", [(), ("note",), ("cache",), ("note", "cache")])
def test_a_repeated_boundary_tells_nothing(home: Path, lost: tuple[str, ...]) -> None:
    """The ledger is the watermark: without notes and caches it is as well known."""
    memory = open_memory(home)
    observe(home, 3)
    tell(memory)
    memory.close()
    for file in (home / ".git/diurna").rglob("*"):
        if file.is_file() and (
            ("note" in lost and file.suffix == ".told")
            or ("cache" in lost and "cache" in file.parts)
        ):
            file.unlink()
    assert tell(open_memory(home)).said == "nothing new"


def test_a_branch_without_the_log_does_not_tell_again(tmp_path: Path) -> None:
    """What was told on one branch is not told on another one, nor what waits, whatever is merged later."""
    home = tmp_path / "home"
    make_home(home, IN_TREE)
    git(home, "branch", "other")
    observe(home, 2)
    tell(open_memory(home))
    git(home, "checkout", "-q", "other")
    assert tell(open_memory(home)).said == "nothing new"
    observe(home, 1, first=2)
    tell(open_memory(home))
    git(home, "checkout", "-q", "main")
    memory = open_memory(home)
    memory.drain()
    git(home, "merge", "-q", "other", "-m", "join")
    assert told_of(open_memory(home)) == marks(3)


def test_what_waits_is_told(tmp_path: Path) -> None:
    """Behind a commit of a person's that is not pushed a log waits, and counts as told without a note."""
    home = tmp_path / "home"
    make_home(home, IN_TREE)
    commit(home, "code.py")
    memory = open_memory(home)
    observe(home, 2)
    outcome = tell(memory)
    assert memory.held() == [stem for stem, _ in outcome.logs]
    for file in (home / ".git/diurna/captured").glob("*.told"):
        file.unlink()
    assert tell(open_memory(home)).said == "nothing new"
    memory.drain()
    assert tell(open_memory(home)).said == "nothing new"
    assert told_of(open_memory(home)) == marks(2)


def test_two_at_once_make_one(home: Path) -> None:
    """Whoever comes second finds nothing left."""
    observe(home, 5)
    said: list[str] = []
    threads = [
        threading.Thread(target=lambda: said.append(tell(open_memory(home)).said)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["", "nothing new", "nothing new", "nothing new"]
    assert told_of(open_memory(home)) == marks(5)


def test_two_hosts_with_one_session_id_are_two(home: Path) -> None:
    """Each has its own observations and its own watermark."""
    memory = open_memory(home)
    observe(home, 2)
    observe(home, 3, host="codex")
    tell(memory)
    tell(memory, host="codex")
    assert told_of(memory) == sorted([*marks(2), *marks(3)])
    assert [log.get("agent") for log in logs_of(memory)] == ["claude-code", "codex"]


def test_a_spool_that_began_anew_is_told_from_its_start(home: Path) -> None:
    """It goes when the ledger has everything in it, a day behind its newest line, and a new one counts anew."""
    memory = open_memory(home)
    observe(home, 3, at=AT - untold_session.SPOOL_MS)
    spool = spool_of(str(home / ".git"), "claude", SESSION)
    tell(memory)
    assert not os.path.exists(spool.path)
    observe(home, 1, first=3)
    tell(memory)
    assert told_of(memory) == marks(4)
    assert len({name for name, _, _ in spans_of(memory, "observed")}) == 2


def test_a_spool_stays_until_the_ledger_has_it(tmp_path: Path) -> None:
    """What waits is not in the ledger yet."""
    home = tmp_path / "home"
    make_home(home, IN_TREE)
    commit(home, "code.py")
    memory = open_memory(home)
    observe(home, 3, at=AT - untold_session.SPOOL_MS)
    tell(memory)
    assert os.path.exists(spool_of(str(home / ".git"), "claude", SESSION).path)
    memory.drain()
    tell(memory)
    assert not os.path.exists(spool_of(str(home / ".git"), "claude", SESSION).path)


def test_a_transcript_that_began_anew_is_told_once(home: Path, transcript: Path) -> None:
    """A file that shrank is another one under the same name; it is read from its start, and then no more."""
    memory = open_memory(home)
    say(transcript, TALK * 3)
    tell(memory, transcript)
    for _ in range(2):
        transcript.unlink()
        say(transcript, f"{TALK} Again.")
        tell(memory, transcript)
        assert tell(memory, transcript).said == "nothing new"
        say(transcript, TALK)
        tell(memory, transcript)
        assert tell(memory, transcript).said == "nothing new"
    names = [name.removeprefix(transcript.name) for name, _, _ in spans_of(memory, "transcript")]
    assert names == ["", "~2", "~2", "~3", "~3"]


@pytest.mark.parametrize("odd", ["missing", "folder", "pipe", "link", "closed"])
def test_an_odd_transcript_costs_nothing(home: Path, transcript: Path, odd: str) -> None:
    """What is no file of ours is not waited for, and the observations are told all the same."""
    if odd == "folder":
        transcript.mkdir()
    elif odd == "pipe":
        os.mkfifo(transcript)
    elif odd == "link":
        say(transcript.with_suffix(".x"), TALK)
        transcript.symlink_to(transcript.with_suffix(".x"))
    elif odd == "closed":
        say(transcript, TALK)
        transcript.chmod(0)
    memory = open_memory(home)
    observe(home, 2)
    tell(memory, transcript)
    assert told_of(memory) == marks(2)
    if odd != "closed" or os.geteuid():
        assert spans_of(memory, "transcript") == []


def test_a_transcript_is_known_from_its_stamp(home: Path, transcript: Path) -> None:
    """Whoever comes when the host is gone reads the one that a hook saw."""
    stamp(str(home / ".git"), Moment("claude", "stop", SESSION, str(home), str(transcript)))
    say(transcript, TALK)
    memory = open_memory(home)
    tell(memory)
    assert [name for name, _, _ in spans_of(memory, "transcript")] == [transcript.name]


def test_the_agent_s_own_log_is_not_repeated(home: Path, transcript: Path) -> None:
    """A fact that looking first finds is left out, and both logs are one work session."""
    memory = open_memory(home)
    born = FactCreated("webhook-retries", FACT, "", (("kind", "decision"),))
    own = SessionDraft("Retries", "", (born,), "ada", header=(("session", SESSION),))
    memory.append(own)
    observe(home, 1)
    say(transcript, ASKED, role="user")
    say(transcript, TALK)
    outcome = tell(memory, transcript)
    assert [(one.facts, one.known) for one in outcome.attempts] == [(0, 1)]
    (log,) = logs_of(memory)
    assert (log.type, log.events) == ("continued", ())
    assert told_of(memory) == marks(1)


@pytest.mark.parametrize("trust", ["thread", "supersede"])
def test_what_speaks_against_a_fact(
    home: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch, trust: str
) -> None:
    """It becomes a thread that names both, or where the policy trusts it the successor."""
    policy(home, f'trust = "{trust}"')
    memory = open_memory(home)
    memory.append(
        SessionDraft("Old", "", (FactCreated("retries", "Webhooks retry twice, at once."),))
    )
    item = Item("decision", "Webhooks retry three times.", "three times", supersedes=("retries",))
    extractor = Extractor(monkeypatch, item)
    say(transcript, TALK, "three times")
    tell(memory, transcript)
    assert extractor.known == [("retries", "Webhooks retry twice, at once.")]
    (log,) = logs_of(memory)
    threads = [e for e in log.events if isinstance(e, FactCreated) and ("kind", "thread") in e.meta]
    ended = [event for event in log.events if isinstance(event, FactSuperseded)]
    if trust == "thread":
        assert [dict(one.meta)["conflicts"] for one in threads] == ["retries, laduge"]
        assert ended == []
    else:
        assert [(one.id, one.new) for one in ended] == [("retries", "laduge")]
        assert threads == []


def policy(home: Path, lines: str) -> None:
    """Set `[capture]` in the policy of an own repository."""
    file = home / "diurna.toml"
    file.write_text(file.read_text() + f"\n[capture]\n{lines}\n")
    git(home, "commit", "-q", "-am", "policy")


def test_what_is_personal_goes_nowhere(
    home: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands in no log and in no file; the answer counts it."""
    Extractor(monkeypatch, Item("preference", "Ada likes tea at four.", "tea", personal=True))
    say(transcript, TALK, "tea")
    outcome = tell(open_memory(home), transcript)
    assert [(one.facts, one.personal, one.dropped) for one in outcome.attempts] == [(0, 1, 1)]
    for file in home.rglob("*"):
        assert not file.is_file() or b"tea at four" not in file.read_bytes()
    assert "tea at four" not in "".join(captured_texts(open_memory(home)))


def test_what_is_personal_goes_to_the_persons_own_home(
    home: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Once, and after a dry run too; nothing of it is in the home of the project, nor beside it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    apply_setup(plan_personal(""), lambda: NOW_MS).close()
    Extractor(monkeypatch, Item("preference", "Ada likes tea at four.", "tea", personal=True))
    say(transcript, TALK, "tea")
    memory = open_memory(home)
    tell(memory, transcript, dry_run=True)
    for _ in range(2):
        tell(memory, transcript)
    assert [one.fact.text for one in Memory.open(personal_folder()).view().live] == [
        "Ada likes tea at four."
    ]
    assert holders(home, "tea at four") == []


@pytest.mark.parametrize("line", ['approve = "ask"', 'facts = "off"'])
def test_no_fact_where_the_policy_lets_none_in(
    home: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """No model is asked then either, and what was told is told."""
    policy(home, line)
    extractor = Extractor(monkeypatch, Item("decision", "Webhooks retry.", "three times", at=7))
    say(transcript, ASKED, role="user")
    say(transcript, TALK, f"{TALK} three times")
    memory = open_memory(home)
    tell(memory, transcript)
    (log,) = logs_of(memory)
    assert (log.events, extractor.asked) == ((), 0)
    assert "three times" in log.prose


def test_off_is_off(home: Path) -> None:
    """With `keep = "off"` nothing is written anywhere, and what was observed stays where it is."""
    policy(home, 'keep = "off"')
    observe(home, 30)
    assert tell(open_memory(home)).said == "capture is off in diurna.toml"
    assert captured_texts(open_memory(home)) == []
    assert not (home / ".git/diurna/captured").exists()


def test_an_answer_that_was_paid_for_is_kept(
    home: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the log could not be recorded, the next boundary records the same answer, and asks nobody."""
    extractor = Extractor(
        monkeypatch, Item("decision", "Webhooks retry three times.", "three times")
    )
    say(transcript, TALK, "three times")
    memory = open_memory(home)
    with monkeypatch.context() as full:
        full.setattr(
            Memory, "hold", lambda *_, **__: (_ for _ in ()).throw(StorageFailed("disk full"))
        )
        with pytest.raises(StorageFailed):
            tell(memory, transcript)
    assert [one.said for one in attempts(str(home / ".git"))] == ["disk full"]
    end = transcript.stat().st_size
    say(transcript, f"{TALK} And more.")
    assert tell(memory, transcript).said == ""
    assert extractor.asked == 2  # for the part, and for what came behind it
    assert next((start, end) for _, start, end in spans_of(memory, "transcript")) == (0, end)
    assert next(len(log.events) for log in logs_of(memory)) == 1
    assert not list((home / ".git/diurna/captured").glob("*.answer"))


def test_showing_pays_once(home: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was shown is what is written, by the same answer."""
    extractor = Extractor(
        monkeypatch, Item("decision", "Webhooks retry three times.", "three times")
    )
    say(transcript, TALK, "three times")
    memory = open_memory(home)
    shown = tell(memory, transcript, dry_run=True)
    assert captured_texts(memory) == []
    assert (
        tell(memory, transcript, dry_run=True).logs[0][1].split(b"---")[2]
        == (shown.logs[0][1].split(b"---")[2])
    )
    tell(memory, transcript)
    assert captured_texts(memory)[0].encode().split(b"---")[2] == shown.logs[0][1].split(b"---")[2]
    assert extractor.asked == 1


def test_a_failure_is_tried_three_times_and_then_it_is_told_without(
    home: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes no log, and what was observed waits with it; each attempt is kept."""
    extractor = Extractor(monkeypatch, failed=9)
    observe(home, 2)
    say(transcript, TALK)
    memory = open_memory(home)
    for _ in range(2):
        assert tell(memory, transcript).said == "its answer has no array: Sure!"
        assert captured_texts(memory) == []
    tell(memory, transcript)
    assert told_of(memory) == marks(2)
    assert (extractor.asked, logs_of(memory)[0].get("extractor")) == (3, "sources")
    kept = attempts(str(home / ".git"))
    assert [one.outcome for one in kept] == ["failed", "failed", "written"]
    assert kept[0].said == "its answer has no array: Sure!"


def test_the_last_fifty_attempts_are_kept(home: Path) -> None:
    """And no more; a line that can not be read is none."""
    observe(home, 1)
    tell(open_memory(home))
    (first,) = attempts(str(home / ".git"))
    assert (first.outcome, first.observed, first.why) == ("written", 1, "stop")
    for number in range(52):
        note_attempt(str(home / ".git"), first._replace(at=number))
    kept = attempts(str(home / ".git"))
    assert [one.at for one in kept] == list(range(2, 52))
    path = home / ".git/diurna/captured/attempts.jsonl"
    path.write_bytes(path.read_bytes() + b'{"at": "x"}\n[\n\xff\n')
    assert attempts(str(home / ".git")) == kept


def test_a_log_that_must_hold_no_secret_is_told_without_it(home: Path) -> None:
    """Nobody is there to take it out where the policy would refuse the log."""
    file = home / "diurna.toml"
    file.write_text(file.read_text().replace('secrets  = "redact"', 'secrets  = "refuse"'))
    git(home, "commit", "-q", "-am", "policy")
    spool = spool_of(str(home / ".git"), "claude", SESSION)
    observe(home, 1)
    held = spool.read().observations[0]
    said = "export password=hTg5-Kq8z-Wv2x-Rb7m"
    spool.add(held._replace(kind="package", what=said, paths=(), once="other"))
    memory = open_memory(home)
    tell(memory)
    assert told_of(memory) == marks(1) and "export" in captured_texts(memory)[0]
    assert "hTg5-Kq8z" not in captured_texts(memory)[0]


def test_another_boundary_is_waited_for_and_no_longer(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever holds the session's lock for too long is left alone."""
    monkeypatch.setattr(bounds, "LOCK_SECONDS", 0.01)
    observe(home, 1)
    inner: list[str] = []
    begun = bounds._Boundary.tell

    def twice(self: bounds._Boundary) -> bounds.Outcome:
        try:
            bounds.boundary(open_memory(home), bounds.Asked("claude", SESSION), {})
        except Busy as problem:
            inner.append(problem.message)
        return begun(self)

    monkeypatch.setattr(bounds._Boundary, "tell", twice)
    tell(open_memory(home))
    assert len(inner) == 1
    assert told_of(open_memory(home)) == marks(1)


@pytest.mark.parametrize(
    "name", ["ghp_" + TOKEN + ".jsonl", "a\nb.jsonl", "x" * 230 + ".jsonl", " .jsonl"]
)
def test_a_name_that_no_header_holds_is_told_by_its_digest(
    home: Path, tmp_path: Path, name: str
) -> None:
    """One that looks like a secret, has a line break, or is too long; it is told once all the same."""
    path = tmp_path / name
    say(path, TALK)
    memory = open_memory(home)
    tell(memory, path)
    assert tell(memory, path).said == "nothing new"
    (file,) = (home / ".git/diurna/captured").glob("*.told")
    file.unlink()
    assert tell(open_memory(home), path).said == "nothing new"
    assert "ghp_" not in captured_texts(memory)[0]
