"""No machine brings what is about a person into a home that others share, whichever way it comes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ledger.home import discover, personal_folder
from ledger.model.event import FactCreated
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.hosts.capture import boundary as bounds
from rituals.hosts.capture.composition import observed_lines
from rituals.hosts.capture.gates import PersonalGate
from rituals.hosts.context.compaction_checkpoint import save
from rituals.hosts.extraction import Extraction
from rituals.hosts.handed_messages import keep_messages
from rituals.hosts.moments import Moment, file_name
from rituals.hosts.observed.admission import admitted
from rituals.hosts.observed.observation_spool import Observation, spool_of
from rituals.hosts.quoted_items import Item
from rituals.hosts.user_settings import Settings
from rituals.setup.home_setup import apply_setup, plan_personal
from tests.campaigns.homes import IN_TREE, KINDS, OWN_BRANCH, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.captured_sessions import AT, SESSION, TALK, captured_texts, say, tell
from tests.conftest import NOW_MS, Repo, Run, holders

#: Stands in every sentence; each is one that a machine takes for a decision, a preference or a rule.
MARK = "Quillfeather"
SENTENCES = {
    "health": f"I decided to work lying down from now on, my back is worse since the {MARK} surgery.",
    "family": f"My daughter {MARK} has asthma, so we never deploy on Wednesdays.",
    "pay": f"I decided never to work weekends again, {MARK} pays me 40k a year.",
    "plans": f"I decided to leave the company for {MARK} in May.",
    "place": f"From now on I live in {MARK}, so always use my time zone.",
    "opinion": f"We decided never to ask {MARK} again, he is lazy and his code is awful.",
    "taste": f"I prefer short answers without emojis, as {MARK} gives them.",
    "third": f"We decided to wait, because Tom {MARK} is on sick leave with burnout.",
    "kept": f"We decided to skip the {MARK} audit, please keep that between us.",
}
WORK = "We decided that webhooks retry three times, because the broker is slow."
each = pytest.mark.parametrize("topic", SENTENCES)


def observation(what: str, kind: str = "decision") -> Observation:
    """One that an older version left in a spool."""
    return Observation(AT, kind, "agent said “decided”", what, (), "toolu-1", "toolu-1")


@each
@pytest.mark.parametrize("kind", KINDS)
def test_a_captured_session_tells_nothing_of_it(tmp_path: Path, topic: str, kind: str) -> None:
    """Neither fact, digest, title, observed line nor anything beside git; and the answer counts it."""
    home, transcript, said = tmp_path / "home", tmp_path / f"{SESSION}.jsonl", SENTENCES[topic]
    make_home(home, kind)
    spool_of(str(home / ".git"), "claude", SESSION).add(observation(WORK, "edit"), str(home))
    say(transcript, TALK)
    say(transcript, said, WORK, role="user")
    say(transcript, f"{TALK}\n\n{said} I noted it.\n\n{WORK}")
    memory = open_memory(home)
    shown = tell(memory, transcript, dry_run=True)
    outcome = tell(memory, transcript)
    assert "webhooks" in "".join(captured_texts(memory)) and MARK not in "".join(
        captured_texts(memory)
    )
    counted = sum(one.personal for one in outcome.attempts)
    assert counted or topic == "kept"  # which was cut out of the transcript before
    assert [one.personal for one in shown.attempts] == [one.personal for one in outcome.attempts]
    assert holders(home, MARK) == []


@each
def test_what_an_older_spool_has_is_not_told(tmp_path: Path, topic: str) -> None:
    """An observation that was kept before there was a gate becomes no line, no title and no subject."""
    home = tmp_path / "home"
    make_home(home, OWN_BRANCH)
    spool = spool_of(str(home / ".git"), "claude", SESSION)
    spool.add(observation(f"git commit: {SENTENCES[topic]}", "git"), str(home))
    memory = open_memory(home)
    outcome = tell(memory)
    assert [(one.observed, one.personal) for one in outcome.attempts] == [(0, 1)]
    assert holders(home / ".git" / "objects", MARK) == [] and captured_texts(memory) == []


@each
def test_nothing_of_it_is_observed(topic: str) -> None:
    """No word of a person, an agent, a task or a commit; that there was a commit is the work's."""
    said = SENTENCES[topic]
    for moment in (
        Moment("claude", "prompt", "s", "/w", prompt=said),
        Moment("claude", "stop", "s", "/w", message=f"Done. {said}"),
        Moment("claude", "task", "s", "/w", task=said),
        Moment("claude", "tool", "s", "/w", tool="TaskCreate", given={"subject": said}),
        Moment("claude", "tool", "s", "/w", tool="TodoWrite",
               given={"todos": [{"content": said, "status": "completed"}]}),
    ):  # fmt: skip
        assert admitted(moment, "/w") is None
    committed = Moment("claude", "tool", "s", "/w", tool="Bash",
                       given={"command": f'git commit -m "{said}"'})  # fmt: skip
    seen = admitted(committed, "/w")
    assert seen is not None and seen.what == "git commit"


@pytest.mark.parametrize("topic", [one for one in SENTENCES if one != "kept"])  # no model gets that
@pytest.mark.parametrize("flagged", [False, True])
def test_whatever_a_model_says_of_it(
    tmp_path: Path, topic: str, flagged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quote, the sentence around a quote, an entity or a condition is enough; and it is told none of it."""
    home, transcript, said = tmp_path / "home", tmp_path / f"{SESSION}.jsonl", SENTENCES[topic]
    make_home(home, IN_TREE)
    items = (
        Item("decision", "The team works otherwise.", said, personal=flagged),
        Item("decision", "It was decided.", MARK, at=0, personal=flagged),
        Item("decision", said, "x", personal=flagged),
        Item("decision", "Something holds.", "x", obsolete_when=said, personal=flagged),
    )
    monkeypatch.setattr(bounds, "settings", lambda _: Settings(("http",)))
    sent: list[object] = []

    def extract(*given: object) -> Extraction:
        sent.append(given)
        return Extraction(items, "http:model")

    monkeypatch.setattr(bounds, "extract", extract)
    say(transcript, f"{TALK} {said}\n\n{WORK}")
    memory = open_memory(home)
    outcome = tell(memory, transcript)
    assert [(one.facts, one.personal) for one in outcome.attempts] == [(0, 5)]
    assert WORK in repr(sent) and MARK not in repr(sent)
    assert holders(home, MARK) == []


@each
def test_a_checkpoint_keeps_nothing_of_it(tmp_path: Path, topic: str) -> None:
    """What was said last, decided and begun is kept beside git without it; of the work it is kept."""
    home, transcript, said = tmp_path / "home", tmp_path / f"{SESSION}.jsonl", SENTENCES[topic]
    make_home(home, IN_TREE)
    say(transcript, said, role="user")
    say(transcript, f"{WORK}\n\n{said}")
    moment = Moment("claude", "precompact", SESSION, str(home), str(transcript))
    kept = home / ".git/diurna/checkpoints" / f"{file_name('claude', SESSION)}.json"
    for message in (said, f"{said} {WORK}", WORK):
        kept.unlink(missing_ok=True)
        save(moment._replace(message=message), discover(str(home)))
        assert holders(home / ".git" / "diurna", MARK) == []
    assert "webhooks retry" in kept.read_text()


@each
def test_what_opencode_hands_over_becomes_no_log(tmp_path: Path, topic: str) -> None:
    """It stays in the file that only its user can read."""
    home = tmp_path / "home"
    make_home(home, OWN_BRANCH)
    said = [TALK, f"{TALK}\n\n{SENTENCES[topic]}\n\n{WORK}"]
    given = {"messages": [
        {"info": {"id": str(number), "role": "assistant"}, "parts": [{"type": "text", "text": text}]}
        for number, text in enumerate(said)
    ]}  # fmt: skip
    path = keep_messages(str(home / ".git"), Moment("opencode", "stop", SESSION, given=given))
    memory = open_memory(home)
    tell(memory, path, host="opencode")
    assert "webhooks" in "".join(captured_texts(memory))
    assert holders(home / ".git" / "objects", MARK) == holders(
        home / ".git" / "diurna" / "captured", MARK
    )
    assert MARK not in "".join(captured_texts(memory))


def test_it_goes_to_the_persons_own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is one; the answer says how much that was."""
    home, transcript = tmp_path / "home", tmp_path / f"{SESSION}.jsonl"
    make_home(home, OWN_BRANCH)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    apply_setup(plan_personal(""), lambda: NOW_MS).close()
    say(transcript, TALK)
    say(
        transcript,
        f"Remember that {SENTENCES['family'].lower()}",
        f"Remember that {WORK}",
        role="user",
    )
    (attempt,) = tell(open_memory(home), transcript).attempts
    assert (attempt.facts, attempt.personal, attempt.owned) == (1, 1, 1)
    assert [one.fact.text for one in Memory.open(personal_folder()).view().live] == [
        SENTENCES["family"].lower().capitalize()
    ]
    assert holders(home, MARK.lower()) == []


@pytest.mark.parametrize(
    "again",
    [
        "As your notes say, Wensleydale mornings are for reviews only. I go on with the broker.",
        "So Wensleydale mornings are only for reviews, as I was told; the broker is next.",
        "We decided that reviews happen on Wensleydale mornings only.",
    ],
)
def test_what_the_brief_told_does_not_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: str
) -> None:
    """A fact of the person's own home that an agent repeats, word for word or nearly, is in no log."""
    home, transcript = tmp_path / "home", tmp_path / f"{SESSION}.jsonl"
    make_home(home, OWN_BRANCH)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    apply_setup(plan_personal(""), lambda: NOW_MS).close()
    own = Memory.open(personal_folder())
    born = FactCreated("mornings", "Wensleydale mornings are for reviews only.")
    own.append(SessionDraft("Mine", events=(born,)))
    say(transcript, TALK)
    say(transcript, f"{again}\n\n{WORK}\n\n{TALK}")
    memory = open_memory(home)
    tell(memory, transcript)
    assert "broker" in "".join(captured_texts(memory))
    assert "Wensleydale" not in "".join(captured_texts(memory))


def test_an_import_leaves_it_out(repo: Repo, run: Run) -> None:
    """Of whatever source and kind."""
    rows: list[dict[str, object]] = [
        {"id": topic, "text": said, "kind": "decision"} for topic, said in SENTENCES.items()
    ]
    rows += [
        {"id": "work", "text": WORK},
        {"id": "tag", "text": "Webhooks.", "tags": ["my salary"]},
    ]
    repo.write("facts.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    done = run("import", "jsonl", "facts.jsonl", "--write", "--json").json
    assert (done["personal"], [one["text"] for one in done["new"]]) == (len(SENTENCES) + 1, [WORK])
    assert holders(repo.path / ".git", MARK) == []


def test_a_decision_record_leaves_it_out(repo: Repo, run: Run) -> None:
    """Though the document is everybody's already: memory does not spread it."""
    for number, said in enumerate(SENTENCES.values()):
        record = f"# Rule {number}\n\nStatus: accepted\n\n## Decision\n\n{said}\n"
        repo.write(f"docs/adr/{number:04}-rule.md", record)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "Rules")
    assert run("import", "docs", "--write").code == 0
    assert MARK not in run("show", "--all").out


@each
def test_who_writes_it_on_purpose_is_told(repo: Repo, run: Run, topic: str) -> None:
    """It is recorded, and `lint` names it until it is redacted."""
    done = run("note", f"id=mine decision: {SENTENCES[topic]}")
    assert done.code == 0 and "warning: mine reads as if it were about a person" in done.err
    assert "`diurna note --personal`" in done.err
    found = [
        one
        for one in run("check", "--ci", "--json").json["findings"]
        if one["code"] == "personal-statement"
    ]
    assert found[0]["message"].startswith("mine reads as if")
    assert found[0]["hint"].startswith("`diurna redact mine --reason WHY`")
    assert run("redact", "mine", "--reason", "private").code == 0
    assert "personal-statement" not in run("check", "--ci", "--json").out


@pytest.mark.parametrize("cue", ["from now on", "don't", "prefer", "never use"])
def test_no_word_of_ours_makes_a_line_personal(repo: Repo, run: Run, cue: str) -> None:
    """What capture lets in, `lint` does not name for the words that an observed line begins with."""
    works = ("Pin the versions of the actions.", "We decided to drop the installer.")
    for said, named in ((works, 0), ((*works, SENTENCES["health"]), 1)):
        seen = [
            Observation(AT + 60_000 * number, "decision", f"user said “{cue}”", one)
            for number, one in enumerate(said)
        ]
        body = "## Observed\n\n" + "\n".join(observed_lines(seen)) + "\n"
        run("append", "--title", "Day", "--body", "-", stdin=body.encode())
        found = [one["code"] for one in run("check", "--ci", "--json").json["findings"]]
        assert found.count("personal-statement") == named


@each
@pytest.mark.parametrize("way", ["append", "handoff", "tool"])
def test_whichever_way_somebody_writes_it(repo: Repo, run: Run, topic: str, way: str) -> None:
    """A log, a handoff and what an agent records by its tool are warned of as a note is."""
    said = SENTENCES[topic]
    if way == "append":
        done = run("append", "--title", "A day", "--body", "-", "--json", stdin=said.encode()).json
    elif way == "handoff":
        run("task", "add", "Wire it", "--id", "wire")
        run("task", "start", "wire", "--session", "s1")
        done = run("task", "handoff", "wire", "--to", "judge", "--next", "Measure it.",
                   "--warning", said, "--session", "s1", "--json").json  # fmt: skip
    else:
        pytest.importorskip("mcp")
        import anyio

        from tests.mcp_clients import ask, connected, open_home

        async def story() -> dict[str, Any]:
            async with connected(repo.path, open_home) as client:
                new = {"text": said, "kind": "decision", "id": "mine"}
                return await ask(client, "append", title="A day", new=[new])

        done = anyio.run(story)
    assert [one["code"] for one in done["findings"]].count("personal-statement") == 1


def test_paragraphs_are_closed_one_by_one() -> None:
    """Each text keeps its place, and what is about the work is told beside what is not."""
    work, own = "The cache is keyed by tenant.\n\n", "My daughter has asthma.\n"
    gate = PersonalGate(["Blueprints lie in the attic"])
    assert gate.open_paragraphs([work + own, own, work]) == ([work, "", work], 2)
    assert gate.open_paragraphs(["The blueprints lie in the attic."]) == ([""], 1)
