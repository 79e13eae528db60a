"""A commit's message is nobody's sentence (W17): no way to write takes a word of one into it."""

from __future__ import annotations

import json

import pytest

from ledger.model.event import FactCreated, FactUpdated
from ledger.model.session import Entry
from memory.write.commit_files import commit_subject
from tests.world import OWN_REPOSITORY, Place, World

#: Stands in every text, title, remark and reason that the commands below are given.
WORD = "quokkaberry"


def entry(*acts: FactCreated | FactUpdated, agent: str = "codex", type: str = "work") -> Entry:
    """Return what is read of a log."""
    return Entry("s", True, agent, type, (), acts)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (
            [
                entry(
                    FactCreated("a", "T", meta=(("kind", "thread"),)),
                    FactCreated("b", "T", meta=(("kind", "decision"),)),
                    FactCreated("c", "T", meta=(("kind", "decision"),)),
                    FactUpdated("d", "T"),
                )
            ],
            "diurna: 2 decisions, 1 thread, 1 updated by codex",
        ),
        ([entry()], "diurna: session log by codex"),
        ([entry(type="review")], "diurna: review by codex"),
        ([entry(FactCreated("a", "T")), entry(agent="claude")], "diurna: 2 session logs: 1 fact"),
        ([entry(), entry()], "diurna: 2 session logs by codex"),
        ([entry(agent="Bob who is ill")], "diurna: session log"),
        ([entry(agent="A" * 24)], f"diurna: session log by {'a' * 24}"),
        ([entry(agent="a" * 25)], "diurna: session log"),
        ([entry(type="review"), entry(type="import")], "diurna: 2 session logs by codex"),
        ([entry(FactCreated("a", "T", meta=(("kind", WORD),)))], "diurna: 1 fact by codex"),
    ],
)
def test_what_was_done_to_how_many_facts(entries: list[Entry], said: str) -> None:
    """Kinds of the format, verbs of the format, and an agent's name where it is a name."""
    assert commit_subject(entries) == said


@pytest.fixture
def known(world: World) -> Place:
    """A home that was told of it."""
    home = world.home(OWN_REPOSITORY)
    words = f"decision: {WORD} is how we say no.", f"thread: What of {WORD}?"
    home.note(*words)
    own = ("--new", f"id=own invariant: Own {WORD}.", "--agent", f"{WORD} sat here all day long")
    home.run("append", "--title", f"About {WORD}", *own)
    return home


def say(home: Place, *lines: tuple[str, ...]) -> str:
    """Give commands; return all messages of commits and reflogs: no word that was said is in one."""
    for words in lines:
        home.run(*words)
    said = home.git("log", "--all", "--reflog", "--format=%B%n%gs")
    assert WORD not in said + home.git("reflog", "--all")
    return said


def test_no_command_puts_a_sentence_into_a_commit(known: Place) -> None:
    """What is said to each command that commits stands in no message, and in no reflog."""
    said = say(
        known,
        ("append", "--title", f"More {WORD}", "--update", "own", f"Own {WORD} more."),
        ("task", "add", f"Feed the {WORD}", "--id", f"feed-{WORD}"),
        ("task", "start", f"feed-{WORD}"),
        ("review", "--confirm", "own"),
        ("append", "--title", f"No {WORD}", "--invalidate", "own"),
        ("undo",),
    )  # fmt: skip
    assert "diurna: 1 decision, 1 thread" in said


def test_nor_does_one_that_takes_it_away(known: Place) -> None:
    page = known.folder / "continuity.md"
    page.write_text(page.read_text().replace("is how we say no", f"{WORD} is how we say it"))
    draft = known.folder / "draft.json"
    draft.write_text(json.dumps({"title": f"{WORD} again", "new": [{"text": f"A {WORD} came."}]}))
    said = say(
        known, ("check", "--absorb"), ("append", "--from-json", str(draft)),
        ("forget", "--archive", "own", "--reason", f"No {WORD}."),
        ("redact", "own", "--reason", f"It is {WORD}."),
        ("check", "--publish",),
    )  # fmt: skip
    assert "diurna: 1 redacted" in said
