"""What a session used is proved, written with its evidence, counted once, and never a copy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ledger.codec.log import decode
from ledger.model.event import FactCreated, FactRedacted, FactReferenced
from ledger.model.evidence import FOLLOWED, NAMED, OPENED, RESTATED, proof_in
from ledger.model.record import Record
from memory.api import Memory
from memory.write.draft import SessionDraft
from memory.write.duplicate_check import said_already
from memory.write.opened_facts import MOST_USES, _path, note_opened, opened_by
from projection.compare.restatements import Restatements
from rituals.cli.app import main as diurna
from rituals.hosts import processes
from rituals.hosts.capture.boundary import Asked, boundary
from rituals.hosts.capture.deeds import Known
from rituals.hosts.capture.uses import uses
from rituals.hosts.silence import begin as fall_silent
from rituals.hosts.transcripts.turns import Turn
from rituals.record.answer_lines import answer_of
from rituals.record.note_lines import lines_of
from rituals.record.request import Request
from tests.campaigns import uses as campaign
from tests.campaigns.homes import OWN_REPOSITORY, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.captured_sessions import AT, SESSION, TALK, captured_texts, observe, say, tell
from tests.conftest import each_row

RETRY = Known("retry-three", "decision", "Webhooks retry three times with jitter.")
CENTS = Known(
    "pay-cents", "invariant", "Amounts are stored as integer cents; never use float for money."
)
UV = Known("uv", "convention", "Dependencies are installed with uv, not pip.")
NODE = Known("node-22", "stack", "CI and production run Node 22; Node 18 is not supported.")
FACTS = (RETRY, CENTS, UV, NODE)
IDS = [one.id for one in FACTS]


def turns(*said: tuple[str, str]) -> list[Turn]:
    """Turns as ("user" | "assistant" | "bash" | "write", text)."""
    found = []
    for at, (who, text) in enumerate(said):
        if who == "bash":
            found.append(Turn("tool", "", at, "Bash", given=text))
        elif who == "write":
            given = json.dumps({"file_path": "src/a.py", "content": text})
            found.append(Turn("tool", "", at, "Write", given=given))
        else:
            found.append(Turn(who, text, at))
    return found


def used(*said: tuple[str, str], shown: list[str] | None = None) -> list[tuple[str, str, int]]:
    found = uses(FACTS, turns(*said), IDS if shown is None else shown)
    return [(one.id, one.how, one.at) for one in found]


@each_row(
    "said, how",
    [
        (("assistant", "As memory says (retry-three), they retry."), NAMED),
        (("user", "Work on [[retry-three]] please."), NAMED),
        (("bash", "diurna show retry-three"), OPENED),
        (("bash", "cd web && env A=b diurna recall --ids retry-three,pay-cents"), OPENED),
        (("assistant", "Stock webhooks retry three times with jitter, like the others."), RESTATED),
        (("user", "remember: webhooks retry three times, with jitter"), RESTATED),
    ],
)
def test_use_is_proved(said: tuple[str, str], how: str) -> None:
    """Opened by its id, named, or said again: whoever does it."""
    assert ("retry-three", how, 0) in used(said)


def test_an_mcp_get_opens() -> None:
    given = json.dumps({"ids": ["pay-cents"]})
    opened = Turn("tool", "", 7, "mcp__diurna__get", given=given)
    assert [one[:3] for one in uses(FACTS, [opened], ())] == [("pay-cents", OPENED, 7)]


def test_a_command_in_parts_is_read() -> None:
    """As Codex writes it."""
    given = json.dumps({"command": ["bash", "-lc", "diurna show pay-cents"]})
    opened = Turn("tool", "", 7, "shell", given=given)
    assert [one[:3] for one in uses(FACTS, [opened], ())] == [("pay-cents", OPENED, 7)]


def test_followed_is_only_what_was_shown() -> None:
    """A number with its word, or the program that a rule prescribes; not where nobody had told of it."""
    change, command = ("write", "node-version: 22"), ("bash", "uv pip install rich")
    assert used(change, command) == [("uv", FOLLOWED, 1), ("node-22", FOLLOWED, 0)]
    assert used(change, command, shown=[]) == []


@each_row(
    "said",
    [
        (("bash", "kubectl drain node-22-eu"), ("assistant", "node-22-eu is drained; see ops/retry-three.md")),
        (("write", "redis_url = 1"), ("assistant", "I used uv run, on the branch feat/retry-three, then retry please.")),
        (("user", "how many times do webhooks retry, three times with jitter?"),),
        (("user", "is retry-three still right?"),),
        (("user", "from now on webhooks retry five times with jitter"), ("assistant", "Changed it to five.")),
        (("user", "webhooks retry five times with jitter"),),
        (("write", "tip: float = 0.0"), ("assistant", "Amounts are integer cents, and money is never a float here.")),
        (("bash", "pip install rich"), ("assistant", "Dependencies are installed with uv, not pip.")),
        (("write", "node-version: 18"),),
        (("bash", "cat docs/uv.md"), ("bash", "grep -r 'Node 22' .")),
        (("bash", "diurna recall webhooks retry"), ("bash", "diurna show --list"), ("bash", "diurna brief")),
    ],
)  # fmt: skip
def test_what_proves_nothing(said: tuple[tuple[str, str], ...]) -> None:
    """Longer names, questions, changes, other numbers, broken rules, programs that look, and lists."""
    assert used(*said) == []


CACHE = "Cache the parsed invoices in Redis to make the export faster"


@pytest.mark.parametrize(
    "fact",
    [
        Known("cache-try", "attempt", f"{CACHE}.", tried=CACHE),
        Known("cache-try", "fact", f"{CACHE}; it did not help.", tried=CACHE),
    ],
)
def test_to_try_again_is_no_use(fact: Known) -> None:
    """A repeated mistake keeps its fact no longer; who says that it failed uses it."""
    again = "I cache the parsed invoices in Redis to make the export faster."
    for who in ("assistant", "user"):
        assert uses([fact], turns((who, again)), ()) == ()
    (use,) = uses([fact], turns(("assistant", f"Before, it failed to {CACHE.lower()}.")), ())
    assert use.how == RESTATED
    assert uses([fact._replace(tried="")], turns(("assistant", again)), ())
    key = Known(
        "try-key",
        "fact",
        "Setting CACHE_AHEAD=1 was tried and failed.",
        tried="Setting CACHE_AHEAD=1",
    )
    assert uses([key], turns(("write", "CACHE_AHEAD=1")), [key.id]) == ()
    (use,) = uses([key], turns(("assistant", "As try-key says, that fails.")), ())
    assert use.how == NAMED


def test_to_break_a_rule_is_no_use() -> None:
    """Neither what the agent says of it nor another command that fits it counts then."""
    rule = Known(
        "no-stash", "convention", "Put work aside in a commit on a branch, never with git stash."
    )
    said = ("assistant", "Work is put aside in a commit on a branch, never with git stash.")
    (use,) = uses([rule], turns(said), ())
    assert use.how == RESTATED
    assert uses([rule], turns(said, ("bash", "cd web && git stash -q")), ()) == ()
    warns = UV._replace(meta=(("warns", "easy_install"),))
    assert (
        uses([warns], turns(("bash", "uv pip install rich"), ("bash", "easy_install rich")), ["uv"])
        == ()
    )
    kept = uses([warns], turns(("bash", "uv pip install rich"), ("bash", "ls")), ["uv"])
    assert [one.how for one in kept] == [FOLLOWED]


def test_what_a_tool_answered_is_never_read() -> None:
    answered = Turn("tool", "", 0, "Bash", given="cat notes", result=f"{RETRY.text} (retry-three)")
    assert uses(FACTS, [answered], IDS) == ()


def test_a_recital_proves_nothing() -> None:
    """Who says more than five facts at once lists what memory has."""
    facts = [
        Known(f"fact-{word}", "decision", f"The {word} service keeps its {word} records for {number} days.")
        for number, word in enumerate("invoice ledger parcel ticket voucher tenant audit".split(), 11)
    ]  # fmt: skip
    one = Turn("assistant", " ".join(fact.text for fact in facts[:5]), 0)
    many = Turn("assistant", "\n".join(f"- {fact.id}: {fact.text}" for fact in facts), 0)
    assert len(uses(facts, [one], ())) == 5
    assert uses(facts, [many], ()) == ()
    assert (
        uses(
            facts,
            [Turn("tool", "", 0, "Bash", given="diurna show " + " ".join(f.id for f in facts))],
            (),
        )
        == ()
    )


def test_a_log_has_twenty_uses_at_most() -> None:
    facts = [Known(f"fact-{n}", "decision", f"The number {n} is special.") for n in range(30)]
    said = [Turn("assistant", f"I kept fact-{n}.", n) for n in range(30)]
    opened = [f"fact-{n}" for n in range(25, 30)]
    found = uses(facts, said, (), opened)
    assert len(found) == MOST_USES
    assert [one.id for one in found[:5]] == opened


def test_a_copy_says_nothing_beside() -> None:
    """A text that says more than a fact, or the opposite, is no copy of it."""
    known = Restatements([(one.id, one.text) for one in FACTS])
    assert known.copied_in("The webhooks are retried three times, with jitter.") == "retry-three"
    for text in (
        "Webhooks retry five times with jitter.",
        "Webhooks never retry three times with jitter.",
        "Do webhooks retry three times with jitter?",
        "Webhooks retry three times with jitter, but partners in Asia get theirs through the relay queue at night.",
    ):
        assert known.copied_in(text) == "", text


class Scene(Record):
    """A home with two facts, and what is said in it."""

    home: Path
    memory: Memory

    def session(self, number: int, *said: str, role: str = "assistant") -> str:
        name = f"87bdddb9-cbd9-45fd-89ce-{number:012d}"
        transcript = self.home.parent / f"{name}.jsonl"
        observe(self.home, 1, session=name)
        say(transcript, *said, role=role)
        tell(self.memory, transcript, session=name)
        return name

    def uses(self, id: str) -> int:
        return self.memory.state()[id].fact.uses

    def remarks(self) -> list[tuple[str, str]]:
        logs = [decode(text.encode(), sealed=True)[0] for text in captured_texts(self.memory)]
        return [
            (event.id, event.remark)
            for log in logs
            for event in log.events
            if isinstance(event, FactReferenced)
        ]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    home = tmp_path / "home"
    make_home(home, OWN_REPOSITORY)
    memory = open_memory(home)
    born = tuple(
        FactCreated(one.id, one.text, meta=(("kind", one.kind),)) for one in (RETRY, CENTS)
    )
    memory.append(SessionDraft(title="What holds", events=born))
    return Scene(home, memory)


def test_used_fact_stays(scene: Scene) -> None:
    """24 captured sessions name, open and obey one fact: it stays; the other one, only there, fades."""
    for number in range(24):
        scene.session(number, "The new hooks follow retry-three, so they retry three times.")
    assert scene.uses("retry-three") == 25
    state = scene.memory.state()
    assert state["retry-three"].tier in ("working", "active")
    assert state["pay-cents"].tier == "core"  # an invariant never fades
    assert scene.uses("pay-cents") == 1


def test_restated_is_no_copy(scene: Scene) -> None:
    """Who asks again to remember what memory has uses it: no second fact says so."""
    others = ("Remember that webhooks are retried three times, with jitter.",
              "Please keep in mind that every webhook retries three times with jitter.",
              "From now on webhooks retry three times with jitter.")  # fmt: skip
    for number, text in enumerate(others * 3):
        scene.session(number, text, role="user")
    assert len(scene.memory.state().standings()) == 2
    assert scene.uses("retry-three") == 10


def test_the_past_uses_nothing(scene: Scene) -> None:
    """A session from before the hooks that says a fact again leaves its log, and counts none (O6)."""
    transcript = scene.home.parent / f"{SESSION}.jsonl"
    say(transcript, "Remember that webhooks are retried three times, with jitter.", role="user")
    say(transcript, f"It follows retry-three. {TALK}")
    past = Asked("claude", SESSION, str(transcript), past=AT - 86_400_000)
    assert len(boundary(scene.memory, past, {}).logs) == 1
    assert scene.uses("retry-three") == 1 and scene.remarks() == []


def test_use_once_a_session(scene: Scene) -> None:
    """Five boundaries of one session that name an id count once; the evidence is the first."""
    for _ in range(5):
        scene.session(1, "I keep to retry-three.")
    assert scene.uses("retry-three") == 2
    (remark,) = scene.remarks()
    assert remark == ("retry-three", "named 0, by the agent: “I keep to retry-three.”")


def test_a_failed_attempt_that_is_noted_again_is_new(scene: Scene) -> None:
    """It is neither dropped as known nor counted as a use; said to have failed it is."""
    born = FactCreated("cache-try", f"{CACHE}.", meta=(("kind", "attempt"), ("outcome", "failed")))
    scene.memory.append(SessionDraft(title="Tried", events=(born,)))
    scene.session(1, f"I {CACHE.lower()}.", TALK)
    assert scene.uses("cache-try") == 1
    again = "Caching the parsed invoices in Redis makes the export faster."
    assert said_already(scene.memory.snapshot, again) == ""
    scene.memory.append(
        SessionDraft(title="Right", events=(FactCreated("plain", f"{CACHE} of March."),))
    )
    assert said_already(scene.memory.snapshot, f"{again[:-1]} of March.") in ("", "plain")


def test_a_short_session_that_uses_something_is_told(scene: Scene) -> None:
    """Little was said and nothing observed: a use is worth a log, and nothing else is."""
    transcript = scene.home.parent / f"{SESSION}.jsonl"
    say(transcript, "Fine.")
    assert tell(scene.memory, transcript).logs == ()
    say(transcript, "It keeps to retry-three.")
    assert len(tell(scene.memory, transcript).logs) == 1
    assert scene.uses("retry-three") == 2 and tell(scene.memory, transcript).logs == ()


def test_a_quote_passes_the_gates(scene: Scene) -> None:
    """A secret, or what is about a person, is beside no reference; the use counts all the same."""
    token = "ghp_" + "hTg5Kq8zWv2xRb7mPf3yLd9sJc6nQa4tEu1w"
    scene.session(1, f"retry-three with GITHUB_TOKEN={token} works.")
    scene.session(2, "My wife has cancer, so retry-three has to wait.", role="user")
    remarks = [remark for _, remark in scene.remarks()]
    assert len(remarks) == 2 and scene.uses("retry-three") == 3
    assert not any(token in remark or "wife" in remark for remark in remarks)


@pytest.mark.parametrize(
    "more",
    [
        "",
        ", as it has been for all of us from the start of it, and as it is to be for those who will be with us, without them",
    ],
)
def test_use_of_redacted(scene: Scene, more: str) -> None:
    """Neither the evidence nor the sentence that restates it is shown or found once the fact is redacted."""
    said = f"In the plum service webhooks retry three times with jitter as well{more}."
    name = scene.session(1, f"{said}\n\n{TALK}")
    assert "plum" in str(scene.memory.why("retry-three")) and scene.memory.recall("plum").hits
    scene.memory.append(SessionDraft(title="Out", events=(FactRedacted("retry-three"),)))
    memory = open_memory(scene.home)
    assert "plum" not in str(memory.why("retry-three")) and not memory.recall("plum").hits
    assert all("plum" not in line.title for line in memory.log())
    assert memory.state()["retry-three"].fact.uses >= 2
    again = scene.session(2, said, TALK)
    assert name != again and sum("plum" in text for text in captured_texts(memory)) == 1


def test_opened_is_noted_and_written(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a session opens by id is named by its next log, whoever writes it, once; a retry says nothing more."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    monkeypatch.chdir(scene.home)
    commondir = scene.memory.home.repository.commondir
    assert diurna(["show", "retry-three"]) == 0
    assert diurna(["recall", "--ids", "retry-three"]) == 0
    assert diurna(["why", "pay-cents"]) == 0
    assert diurna(["show"]) == 0 and diurna(["recall", "webhooks"]) == 0
    assert {id for _, id in opened_by(commondir, SESSION)} == {"retry-three", "pay-cents"}
    for _ in range(2):
        assert diurna(["note", "decision: Exports are written to S3 at night."]) == 0
    assert diurna(["note", "wrong pay-cents"]) == 0
    memory = open_memory(scene.home)
    (remark,) = [
        step.remark for step in memory.why("retry-three").steps if step.event == "Referenced"
    ]
    assert remark == "opened" and memory.state()["retry-three"].fact.uses == 2
    assert len(memory.log()) == 3


@pytest.mark.parametrize("line", ("show", "recall --ids", "why", "recall --level timeline"))
def test_each_way_to_open_a_fact_is_noted(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Whatever command is given the id."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    monkeypatch.chdir(scene.home)
    assert diurna([*line.split(), "pay-cents"]) == 0
    commondir = scene.memory.home.repository.commondir
    assert {id for _, id in opened_by(commondir, SESSION)} == {"pay-cents"}


def test_what_is_not_noted_as_opened(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's session, a silent one, more than five at once, hooks that are off, a disk that refuses."""
    home, commondir = scene.memory.home, scene.memory.home.repository.commondir
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    processes.note_opening(home, ["retry-three"])
    processes.note_opening(home, [f"fact-{n}" for n in range(6)], SESSION)
    processes.note_opening(home, ["../../etc", ""], SESSION)
    monkeypatch.setenv("DIURNA_HOOKS", "off")
    processes.note_opening(home, ["retry-three"], SESSION)
    monkeypatch.delenv("DIURNA_HOOKS")
    fall_silent(commondir, str(scene.home), SESSION, 1)
    processes.note_opening(home, ["retry-three"], SESSION)
    assert opened_by(commondir, SESSION) == []
    folder = Path(commondir, "diurna/news")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "s.opened").symlink_to(scene.home / "elsewhere")
    note_opened(home, "s", ["retry-three"], 1)
    assert not (scene.home / "elsewhere").exists() and opened_by(commondir, "s") == []


def test_it_is_fast_enough() -> None:
    """A session of a megabyte of words beside 500 facts takes a fraction of a second."""
    facts = [
        Known(f"fact-{n}", "decision", f"Service {n} keeps its tokens in vault {n % 7}, never in the {n % 13} table.")
        for n in range(500)
    ]  # fmt: skip
    text = (
        "The retry queue and the broker were looked at, and the export is slower than it was before. "
        * 10
    )
    said = [Turn("assistant", f"{text} {n}", n) for n in range(1_000)]
    uses(facts, said, [one.id for one in facts])


@pytest.mark.parametrize(
    "text",
    ["retry-three " * 20_000, "retry-three? " * 20_000, "a-" * 125_000, "a_" * 125_000 + "-", "`" * 250_000,
     "webhooks retry three times with jitter " * 6_000, "x. " * 75_000, "[[" * 125_000],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    """Whatever a quarter of a megabyte of it says; the same as a fact, a command and a change."""
    uses(
        FACTS,
        [Turn("assistant", text, 0), *turns(("bash", text[:16_000]), ("write", text[:3_999]))],
        IDS,
    )
    told = Known("long", "convention", f"Never {text[:60_000]}")
    uses(
        [told], turns(("assistant", "Never do it again, ever."), ("write", text[:3_999])), ["long"]
    )


@pytest.mark.skipif(not campaign.BENCH.is_dir(), reason="the shared bench is not here")
def test_the_labelled_pairs() -> None:
    """Of what is seen nearly all is right, and most of what is there is seen."""
    seen = campaign.seen_in(campaign.rows(campaign.BENCH / "moment/uses.jsonl"))
    assert seen.precision >= campaign.PRECISION, seen.wrong
    assert seen.recall >= campaign.RECALL and not seen.others, seen.missed


def test_a_fact_is_found_by_how_it_is_asked_for(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By `--asked`, a line of an answer, or a key; nothing shows the words, and they go with a redaction."""
    monkeypatch.chdir(scene.home)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    assert (
        diurna(
            [
                "note",
                "--asked",
                "which zebra do we ship",
                "id=ship-it decision: Parcels go by rail.",
            ]
        )
        == 0
    )
    assert (
        diurna(
            ["note", 'asked="where is the walrus; walrus place" id=kept-there Backups are in Oslo.']
        )
        == 0
    )
    assert diurna(["note", "--asked", "x", "One fact is here.", "Another fact is there."]) == 2
    memory = open_memory(scene.home)
    for word, id in (("zebra", "ship-it"), ("walrus", "kept-there")):
        assert [hit.id for hit in memory.recall(word).hits] == [id]
    capsys.readouterr()
    for shown in (["show"], ["show", "--json"], ["show", "ship-it"], ["show", "--list", "--json"], ["brief"],
                  ["why", "ship-it"], ["why", "ship-it", "--json"], ["view", "entities"],
                  ["recall", "zebra", "--json"], ["recall", "--ids", "ship-it,kept-there"]):  # fmt: skip
        diurna(shown)
    said = capsys.readouterr().out
    assert "Parcels" in said and "walrus" not in said
    assert "which zebra" not in said
    assert diurna(["redact", "ship-it", "--yes"]) in (0, 2)
    memory.append(SessionDraft(title="Out", events=(FactRedacted("ship-it"),)))
    assert not open_memory(scene.home).recall("zebra").hits


def test_a_line_of_an_answer_says_how_it_is_asked_for(scene: Scene) -> None:
    lines = lines_of(
        "decision: Parcels go by rail.\nasked: which zebra; zebra\nasked: shipping", ("decision",)
    )
    answer = answer_of(scene.memory, lines, Request(), asked=False)
    (new,) = answer.request.new
    assert new.text == "Parcels go by rail." and dict(new.footers) == {
        "asked": "which zebra; zebra; shipping"
    }
    alone = lines_of("asked: which zebra", ("decision",))
    assert (
        answer_of(scene.memory, alone, Request(), asked=False).request.body
        == "> asked: which zebra"
    )


def test_what_a_tool_opens_is_named_by_the_log_of_a_tool(scene: Scene) -> None:
    """An agent without capture and command line: `get`, then `append`, of one session."""
    pytest.importorskip("mcp")
    from rituals.serve.mcp.arguments import AppendAsked, Caller
    from rituals.serve.mcp.tools import append, get

    caller = Caller("codex", "codex", "s-9")
    get(scene.memory, caller, ids=["retry-three"])
    get(scene.memory, Caller("codex", "codex", "another"), ids=["retry-three"])
    append(scene.memory, caller, AppendAsked.model_validate({"title": "Hooks"}))
    append(scene.memory, caller, AppendAsked.model_validate({"title": "More hooks"}))
    memory = open_memory(scene.home)
    assert memory.state()["retry-three"].fact.uses == 2
    (step,) = [one for one in memory.why("retry-three").steps if one.event == "Referenced"]
    assert step.proof is not None and step.proof.how == OPENED


def test_a_number_of_any_length_is_read(tmp_path: Path) -> None:
    """What somebody wrote into a log, or left beside git, ends no command."""
    long = "9" * 5000
    assert proof_in(f"named {long}") is None
    name = Path(_path(str(tmp_path), "s"))
    name.parent.mkdir(parents=True, exist_ok=True)
    name.write_text(f"{long} fact-a\n12 fact-b\n")
    assert opened_by(str(tmp_path), "s") == [(12, "fact-b")]
