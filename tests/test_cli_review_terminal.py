"""`diurna review` on a real terminal: help, quitting, and what follows a "no"."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.conftest import Repo, Run, laid_once
from tests.terminals import Terminal

CHECKOUT = Path(__file__).parent.parent
POLICY = "\n[review]\nevery = 3\nverify_invariants_every = 2\n"
FIRST = "[a]ccept, [r]eject, [l]ater, [q]uit, [?]"
NEXT = FIRST


@laid_once
def shop(repo: Repo, run: Run) -> None:
    """Three invariants that nobody confirmed for three sessions; a review is due."""
    policy = (repo.path / "memory/diurna.toml").read_text().split("[review]")[0]
    repo.write("memory/diurna.toml", policy + POLICY)
    repo.git("commit", "-qam", "policy")
    facts = [f"id={name} invariant: {text}" for name, text in
             (("a", "Orders stay."), ("b", "Money is an integer."), ("c", "Clocks are UTC."))]  # fmt: skip
    new = [word for fact in facts for word in ("--new", fact)]
    assert run("append", "--title", "Start", *new).code == 0
    for number in range(3):
        assert run("append", "--title", f"Work {number}").code == 0


@pytest.fixture
def typed(shop: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A review on a terminal."""
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i.old "s/integer/integer of cents/" "$1"\n')
    editor.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "EDITOR": str(editor), "TERM": "dumb"}
    environment.pop("VISUAL", None)
    return Terminal([sys.executable, "-m", "rituals", "review"], shop.path, environment)


def reviewed(run: Run) -> tuple[int, bool, dict[str, int]]:
    """Return how many sessions there are since the last review, whether one is due, and what it asks."""
    said = run("status", "--json").json
    return (
        said["review"]["since"],
        said["review"]["due"],
        run("review", "--dry-run", "--json").json["asks"],
    )


@pytest.mark.deep(reason="test_cli_review has it without a terminal")
def test_whoever_quits_keeps_what_was_answered(shop: Repo, typed: Terminal, run: Run) -> None:
    """`q` records the answers and says what was not asked; the review stays due, and asks the rest."""
    assert reviewed(run) == (4, True, {"invariant-due": 3})
    assert "3 questions;" in typed.answer(FIRST, "a")
    typed.answer(NEXT, "q")
    assert typed.finish() == 0
    assert "Verified    a\n" in typed.shown and "Raised" not in typed.shown
    assert "Not asked   2 questions: 2 invariant-due\n" in typed.shown
    assert (
        "hint: the review does not count as held; `diurna review` asks what is left" in typed.shown
    )
    assert reviewed(run) == (4, True, {"invariant-due": 2})
    (log, *_) = run("log", "--json").json["sessions"]
    assert (log["type"], log["title"]) == ("edit", "Memory review, left before the end")
    text = (shop.path / "memory" / log["path"]).read_text()
    assert "- Answered: 1 of 3. 2 questions were not asked." in text
    assert run("check", "--ci").code == 0
    assert len(run("review", "--dry-run", "--json").json["questions"]) == 2


def test_whoever_quits_at_once_leaves_nothing(shop: Repo, typed: Terminal, run: Run) -> None:
    """Without an answer no log is written, and nothing is raised."""
    head = shop.git("rev-parse", "HEAD:memory/sessions")
    typed.answer(FIRST, "q")
    assert typed.finish() == 0
    assert "nothing was answered, so nothing was recorded\n" in typed.shown
    assert shop.git("rev-parse", "HEAD:memory/sessions") == head
    assert reviewed(run) == (4, True, {"invariant-due": 3})


def test_later_is_an_answer_of_who_quits(shop: Repo, typed: Terminal, run: Run) -> None:
    """What was left for later is raised; what was not asked is not."""
    typed.answer(FIRST, "l")
    typed.answer(NEXT, "q")
    assert typed.finish() == 0
    (raised,) = run("show", "--kind", "thread", "--json").json["facts"]
    assert "- a: never confirmed" in raised["text"] and "- b:" not in raised["text"]
    assert reviewed(run)[1:] == (True, {"invariant-due": 3})


def test_help(shop: Repo, typed: Terminal, run: Run) -> None:
    """`?` explains the letters that are offered and asks again."""
    typed.answer(FIRST, "?")
    shown = typed.answer(FIRST, "l")
    assert "  a  accept: record what stands behind `accept:`" in shown
    typed.answer(NEXT, "a")
    typed.answer("3/3 Invariants to confirm", "")  # Enter: later
    typed.expect("written, not committed")
    assert typed.finish() == 0
    assert reviewed(run) == (0, False, {"invariant-due": 2})


def test_no_raises_a_question(shop: Repo, typed: Terminal, run: Run) -> None:
    """An invariant that somebody does not confirm is asked about by a thread."""
    typed.answer(FIRST, "a")
    typed.answer(NEXT, "r")
    typed.answer(NEXT, "a")
    assert typed.finish() == 0
    facts = {one["id"]: one for one in run("show", "--json").json["facts"]}
    (thread,) = [one for one in facts.values() if one["kind"] == "thread"]
    assert thread["text"] == "Does b still hold?" and thread["meta"]["about"] == "b"
    assert not facts["b"]["false"] and not facts["b"]["verified"]
    assert reviewed(run) == (0, False, {"invariant-due": 1})
    assert run("check", "--ci").out == "all in order\n"
