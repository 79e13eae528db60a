"""Moves, helps and ignores by command line and JSON: what is recorded, and what is refused with a way on."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import Repo, Run, laid_once

TASK = "id=wire priority=high owner=ada Wire the queue."


@laid_once
def home(repo: Repo, run: Run) -> None:
    """A home with a task, a pattern, a thread, and some code that is committed."""
    repo.write("src/api.py", "one\ntwo\nthree\n")
    repo.git("add", "src")
    repo.git("commit", "-q", "-m", "code")
    ran = run(
        "append", "--new", f"task: {TASK}", "--new", "pattern: id=pin role=builder Pin the clock.",
        "--new", "thread: id=storm Why so slow?",
    )  # fmt: skip
    assert ran.code == 0, ran.err


def fact(run: Run, id: str) -> Any:
    return json.loads(run("show", id, "--json").out)["facts"][0]


def test_an_undone_move_is_where_it_was(home: Repo, run: Run) -> None:
    """Also out of a state that nothing follows; done again it is there again."""
    for state in ("in-progress", "done"):
        assert run("append", "--title", state, "--move", f"wire={state}").code == 0
    assert "wire is in-progress again" in run("undo").out
    assert fact(run, "wire")["state"] == "in-progress"
    assert run("undo", "--redo").code == 0
    assert fact(run, "wire")["state"] == "done"
    for state in ("in-progress", "todo"):
        assert run("undo").code == 0
        assert fact(run, "wire")["state"] == state


def test_json_names_what_is_no_footer(home: Repo, run: Run) -> None:
    """By its place, with the key that was meant; what nobody knows is the writer's own and kept."""

    def said(footers: object, **more: object) -> tuple[int, str]:
        new = {"text": "Do it.", "kind": "task", "id": "it", "footers": footers}
        data = json.dumps({"title": "T", "new": [new], **more}).encode()
        ran = run("append", "--from-json", "-", stdin=data)
        return ran.code, ran.err

    before = home.shape()
    for footers, words in (
        ({"Priority": "low"}, "did you mean priority?"),
        ({"depend": "wire"}, "did you mean depends?"),
        ({"origin": "2026-01-01"}, "only imports may say `origin`"),
        ({"a|b": "x"}, "`a` is not `key: value`"),
        ({"mine": "a | b"}, "the value of mine would end early"),
        ({"owner": 3}, "should be a valid string"),
        (["owner"], "should be an object"),
    ):
        code, err = said(footers)
        assert code == 1 and words in err, err
    assert home.shape() == before
    assert said({"owner": "ada", "depends": "wire, storm", "colour": "red"})[0] == 0
    assert fact(run, "it")["meta"] == {"colour": "red", "depends": "wire, storm", "owner": "ada"}
