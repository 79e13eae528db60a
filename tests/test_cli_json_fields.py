"""`--json=FIELD,…`: what is chosen, that no argument is eaten, and that the fields are those of real answers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.cli.command_builder import command_of
from rituals.cli.json_fields import LISTS, lists_of, taken
from tests.conftest import Repo, Run, laid_once
from tests.pages import COMMANDS

LISTING = {name: command_of(name) for name in LISTS}


@laid_once
def shop(repo: Repo, run: Run) -> None:
    """Two facts, one of them an entity's."""
    new = (
        "--new",
        "id=retries decision: Webhooks retry.",
        "--new",
        "id=text thread: What is id,text?",
    )
    assert run("append", "--title", "Ship", *new).code == 0


def test_chosen_fields_are_those_of_the_whole_answer(shop: Repo, run: Run) -> None:
    """The objects of the main list have these fields, with the values of the whole answer."""
    whole = run("show", "--json").json
    for words in (
        ["--json=id,text,tier"],
        ["--json", "id,text,tier"],
        ["--json=id", "--json=text, tier"],
    ):
        ran = run("show", *words)
        assert ran.json == {
            "format": 1,
            "facts": [{key: one[key] for key in ("id", "text", "tier")} for one in whole["facts"]],
        }, words
    assert run("show", "--json=id", "retries").json["facts"] == [{"id": "retries"}]
    assert run("log", "--json=title").json == {"format": 1, "sessions": [{"title": "Ship"}]}
    assert run("recall", "--json=id,kind", "webhooks").json["hits"][0] == {
        "id": "retries", "kind": "decision",
    }  # fmt: skip


def test_the_quick_path_chooses_the_same(shop: Repo, run: Run, spawn: Run) -> None:
    """What answers without click leaves the choice of fields to the command line."""
    for words in (
        ("recall", "--json", "id,kind", "webhooks"), ("recall", "webhooks", "--json=id"),
        ("recall", "--json", "webhooks,jitter"), ("recall", "webhooks", "--json"),
    ):  # fmt: skip
        assert spawn(*words).out == run(*words).out, words
    assert '"score"' not in spawn("recall", "--json", "id,kind", "webhooks").out


def test_no_argument_is_eaten(shop: Repo, run: Run) -> None:
    """What stands behind `--json` is an argument of the command, whatever fields have its name."""
    assert run("show", "--json", "text").json == run("show", "text", "--json").json
    assert [one["id"] for one in run("show", "--json", "text").json["facts"]] == ["text"]
    assert run("recall", "--json", "id").json["query"] == "id"
    assert run("recall", "--json", "webhooks,jitter").json["query"] == "webhooks,jitter"
    assert run("recall", "--json", "--", "id,text").json["query"] == "id,text"
    assert run("timeline", "--json", "retries", "--before", "1h").json["anchor"]["id"] == "retries"


def test_a_field_that_is_none(shop: Repo, run: Run) -> None:
    """It is wrong usage, said before anything is done, and those there are are named."""
    for words in (["--json=id,txt"], ["--json", "id,txt"]):
        ran = run("show", *words)
        assert (
            ran.code == 2
            and "diurna: --json: there is no field txt\nhint: fields: branch," in ran.err
        )
        assert ran.json["error"]["message"] == "there is no field txt"
    assert "no field is named" in run("show", "--json=").err
    ran = run("why", "retries", "--json=number,event")
    assert ran.code == 2 and "there is no field number" in ran.err
    (session,) = run("log", "--json=stem").json["sessions"]
    ran = run("log", session["stem"], "--json=title")
    assert ran.code == 2 and "this answer has no list whose fields could be chosen" in ran.err
    ran = run("append", "--new", "It is not written.", "--json=stem")
    assert ran.code == 2 and "this answer has no list whose fields could be chosen" in ran.err
    assert run("log", "--json=title").json["sessions"] == [{"title": "Ship"}]


def test_failures_stay_whole(shop: Repo, run: Run) -> None:
    """A failure says what it always says."""
    assert set(run("show", "nobody", "--json=id").json["error"]) == {
        "code",
        "message",
        "where",
        "hint",
    }


@pytest.mark.skipif(not COMMANDS.exists(), reason="this is about the source tree")
def test_fields_are_those_of_real_answers() -> None:
    """The keys blocks of COMMANDS.md, which are written from answers, have the same fields for each list."""
    page = COMMANDS.read_text(encoding="utf-8")
    assert len(LISTING) > 10
    for name, command in LISTING.items():
        (section,) = re.findall(rf"^## {name}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
        for key, fields in lists_of(command).items():
            (row,) = re.findall(rf"^{key}\[\]: (.*)$", section, re.MULTILINE)
            real = {re.split(r"[.\[?]", one)[0] for one in row.split(", ")}
            assert sorted(real) == sorted(fields), (name, key)


WORDS = st.sampled_from(
    [
        "--json",
        "some-id",
        "text",
        "id text",
        "retry",
        "-n",
        "5",
        "--kind",
        "decision",
        "--agent",
        "a.b",
        "x=y",
    ]
)


@pytest.mark.parametrize("name", LISTING)
@given(st.lists(WORDS, max_size=6), st.booleans())
def test_arguments_without_fields_stay_as_they_are(name: str, words: list[str], end: bool) -> None:
    """A command line that names no fields reaches click unchanged; one that does, without them alone."""
    command = LISTING[name]
    assert taken(command, words) == (words, ())
    field = next(iter(lists_of(command).values()))[0]
    values = {"-n", "--kind", "--agent"}
    if not (words and words[-1] in values) and "--json" not in words[-1:]:
        assert taken(command, [*words, f"--json={field}"]) == ([*words, "--json"], (field,))
    if end:
        assert taken(command, ["--", *words, f"--json={field}"])[1] == ()


def test_the_value_of_another_option_is_its_own() -> None:
    """`--agent --json=id` is an odd name, and no choice of fields."""
    command = command_of("log")
    assert taken(command, ["--agent", "--json=stem"]) == (["--agent", "--json=stem"], ())
    assert taken(command, ["--agent", "--json", "stem,title"])[1] == ()
