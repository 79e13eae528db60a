"""`edit`, `close`, `forget` and `note --replace`: what everybody types to correct a memory."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo, Run, laid_once
from tests.terminals import Terminal
from tests.web_client import client_of
from tests.world import World

ROOT = Path(__file__).parent.parent


@laid_once
def known(repo: Repo, run: Run) -> None:
    """Three facts and a thread."""
    texts = ("id=uv decision: We use pip.", "id=two CI has two cores.", "id=key The key is here.",
             "id=cold thread: Why is it cold?", "id=job task: Wire it.")  # fmt: skip
    assert run("note", *texts).code == 0


def fact(run: Run, id: str) -> dict[str, Any]:
    found: dict[str, Any] = run("show", id, "--json").json["facts"][0]
    return found


#: What is typed, what is piped, of which fact -> the keys that it has then, and what is said.
DONE: dict[str, tuple[tuple[str, ...], str, str, dict[str, object], str]] = {
    "edit": (("edit", "uv", "We use uv."), "", "uv", {"text": "We use uv.", "kind": "decision"},
             "uv says now: We use uv."),
    "edit -": (("edit", "uv", "-"), "We use uv.\nLocked.\n", "uv", {"text": "We use uv.\nLocked."}, "Locked."),
    "edit --kind": (("edit", "two", "--kind", "rule"), "", "two",
                    {"text": "CI has two cores.", "kind": "convention"}, "two is of the kind convention"),
    "edit --kind of a lesson": (("edit", "uv", "--kind", "gotcha"), "", "uv", {"kind": "fact", "tags": ["lesson"]},
                                "uv has the tags lesson"),
    "edit --entity and --tags": (
        ("edit", "uv", "--entity", "Build,  CI", "--tags", "lock"), "", "uv",
        {"meta": {"entity": "Build, CI"}, "tags": ["lock"]}, "uv is about Build, CI",
    ),
    "close": (("close", "cold", "--reason", "A cold start."), "", "cold", {"closed": True}, "cold is closed"),
    "false": (("forget", "two", "--false"), "", "two", {"invalidated": True}, "two is false now"),
    "replaced": (("forget", "uv", "--replaced-by", "two"), "", "uv", {"superseded_by": ["two"]},
                 "two replaces uv"),
    "withhold": (("forget", "key", "--withhold"), "", "key", {"redacted": True}, "the text of key is withheld"),
    "archive": (("forget", "two", "--archive"), "", "two", {"tier": "archived"}, "two goes into the archive"),
    "replace": (("note", "id=new decision: We use uv.", "--replace", "uv"), "", "uv", {"superseded_by": ["new"]},
                "superseded  uv → new"),
    "replace two": (("note", "id=new We use uv.", "--replace", "uv,two"), "", "two", {"superseded_by": ["new"]},
                    "superseded  uv → new"),
    "replace by another kind": (("note", "id=new We use uv.", "--kind", "stack", "--replace", "uv"), "", "new",
                                {"kind": "stack"}, "superseded  uv → new"),
    "replace in a pipe": (("note", "--replace", "uv"), "- id=new We use uv.\n", "new", {"kind": "decision"},
                          "superseded  uv → new"),
}  # fmt: skip


@pytest.mark.parametrize("case", DONE)
def test_each_verb_is_one_log(case: str, known: Repo, run: Run) -> None:
    """A dry run changes nothing; then one log says it, with its reason; again there is nothing to do."""
    arguments, piped, id, keys, said = DONE[case]
    before = known.shape()
    assert run(*arguments, "--dry-run", stdin=piped.encode()).code == 0 and known.shape() == before
    logs = len(run("log", "--json").json["sessions"])
    ran = run(*arguments, stdin=piped.encode())
    assert ran.code == 0 and said in ran.out, ran
    assert len(run("log", "--json").json["sessions"]) == logs + 1
    now = fact(run, id)
    assert {key: now[key] for key in keys} == keys
    if "--reason" in arguments:
        assert arguments[-1] in run("why", id).out
    after = known.shape()
    again = run(*arguments, stdin=piped.encode())
    if case not in ("archive", "withhold", "edit --kind of a lesson"):
        assert again.code == 0 and ("nothing to do" in again.out or "already" in again.out), again
    assert known.shape() == after
    assert run("check", "--ci").code == 0


def on_terminal(folder: Path, *arguments: str, editor: str = "false") -> Terminal:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "EDITOR": editor, "TERM": "dumb"}
    environment.pop("VISUAL", None)
    return Terminal([sys.executable, "-m", "rituals", *arguments], folder, environment)


def test_an_edit_opens_the_editor(known: Repo, run: Run, tmp_path: Path) -> None:
    """On a terminal the text is changed there; left as it is, there is nothing to do."""
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i.old "s/pip/uv/" "$1"\n')
    editor.chmod(0o755)
    for said in ("uv says now: We use uv.", "uv says so already"):
        terminal = on_terminal(known.path, "edit", "uv", editor=str(editor))
        assert terminal.finish() == 0 and said in terminal.shown
    assert fact(run, "uv")["text"] == "We use uv."


@pytest.mark.parametrize(
    ("letter", "more", "key"),
    [("f", (), "invalidated"), ("r", ("two",), "superseded_by"), ("q", None, "")],
)
def test_forget_asks_which_way(
    letter: str, more: tuple[str, ...] | None, key: str, known: Repo, run: Run
) -> None:
    """On a terminal the text and the four ways are shown; whoever quits changes nothing."""
    before = known.shape()
    terminal = on_terminal(known.path, "forget", "uv")
    assert "uv: We use pip." in terminal.answer("[?]", letter)
    if more is None:
        assert terminal.finish() == 0 and known.shape() == before
        return
    for fact_id in more:
        terminal.answer("by which fact", fact_id)
    terminal.answer("why", "It was a trial.")
    assert terminal.finish() == 0
    assert fact(run, "uv")[key] and "It was a trial." in run("why", "uv").out


#: Ways to replace a fact or its text, as (what is typed, what is piped): `NEW` stands for what is said anew.
WAYS: dict[str, tuple[tuple[str, ...], str]] = {
    "note": (("note", "old -> id=new NEW decision: Calls are tried twice."), ""),
    "note --replace": (("note", "id=new NEW Calls are tried twice.", "--replace", "old"), ""),
    "piped": (("note",), "old -> id=new NEW lesson: Calls are tried twice.\n"),
    "append": (
        ("append", "--new", "id=new NEW fact: Calls are tried twice.", "--supersede", "old=new"),
        "",
    ),
    "edit": (("edit", "old", "Calls are tried twice.", "NEW"), ""),
    "another kind": (("edit", "old", "Calls are tried twice.", "--kind", "stack", "NEW"), ""),
}


@pytest.mark.parametrize("way", [*WAYS, "from JSON", "the page", "a form"])
def test_what_replaces_a_fact_keeps_what_is_not_said_anew(world: World, way: str) -> None:
    """Entity, tags, role, what it serves; what is said anew stands alone, what ended the old text goes."""
    rng = random.Random(way)
    home = world.home(facts={"goal": "vision: Calm nights."})
    home.note(
        "id=old entity='Pay API, Hooks' tags=net,slow,lesson role=coder serves=goal until='date 2030-01-01' fact: So."
    )
    anew = rng.choice(({}, {"tags": "fast"}, {"entity": "Redis"}))
    said, piped = WAYS.get(way, ((), ""))
    keys = " ".join(f"{key}={value}" for key, value in anew.items())
    if said[:1] == ("edit",):
        said = (*said[:-1], *[word for key, value in anew.items() for word in (f"--{key}", value)])
    if said:
        home.run(*[one.replace("NEW", keys) for one in said], stdin=piped.replace("NEW", keys))
    elif way == "from JSON":
        names = {key: [value] for key, value in anew.items()}
        new = {"id": "new", "text": "Calls are tried twice.", **names}
        home.session("T", new=[new], supersede=[{"old": "old", "new": "new"}])
    elif way == "the page":
        anew = {}
        home.run("check", "--publish")
        path = "memory/continuity.md"
        home.write(path, home.read(path).replace("- So.", "- Calls are tried twice."))
        home.run("check", "--absorb")
    else:
        anew = {key: value for key, value in anew.items() if key == "entity"}
        client = client_of(home.folder, writes=True).login()
        fields = {
            "token": client.form_token(),
            "id": "old",
            "text": "Calls are tried twice.",
            **anew,
        }
        assert client.post("/act/replace", fields).status == 303
    facts = {
        one["id"]: one for one in home.show().values() if one["text"] == "Calls are tried twice."
    }
    ((id, fact),) = facts.items()
    tags = [anew["tags"]] if "tags" in anew else ["net", "slow"]
    assert sorted({*fact["tags"]} - {"lesson"}) == tags, fact
    assert fact["meta"]["entity"] == anew.get("entity", "Pay API, Hooks")
    assert (fact["meta"]["role"], fact["meta"]["serves"]) == ("coder", "goal")
    assert ("until" in fact["meta"]) == (id == "old")
