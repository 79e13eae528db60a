"""A captured log tells what was said for people to read, whole, and with nothing that is read as a fact."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Repo, Run, examples
from tests.host_door import TALK, Door, named, policy, say
from tests.host_door import door as door

STORIES = Path(__file__).parent / "hosts" / "told.md"
Lines = list[dict[str, object]]


def stories() -> Iterator[tuple[str, list[tuple[str, str]], str]]:
    """The name of each session, what was said in it by whom, and what its log tells."""
    for story in re.split(r"^## (?=.*\n@)", STORIES.read_text(), flags=re.MULTILINE)[1:]:
        name, *parts = re.split(r"\n(?=@)", story)
        turns = [(who[1:], said) for who, _, said in (one.partition("\n") for one in parts)]
        yield name, turns[:-1], turns[-1][1].strip("\n")


def played(turns: list[tuple[str, str]]) -> Lines:
    """Return the lines of a transcript of Claude in which that was said and done."""
    lines: Lines = []
    for number, (who, said) in enumerate(turns):
        kind, _, named = who.partition(" ")
        if kind in ("user", "long", "agent"):
            said *= 100 if kind == "long" else 1
            lines.append(_message({"type": "text", "text": said}, kind != "agent"))
        elif kind == "title":
            lines.append({"type": "custom-title", "customTitle": said})
        elif kind == "queued":
            lines.append({"type": "queue-operation", "operation": "enqueue", "content": said})
        else:
            command, _, result = said.partition("\n=> ")
            name = named or "Bash"
            given: dict[str, object] = {"command": command}
            if "tool" in kind:
                given = json.loads(said)
            if kind in ("answer", "typed"):
                options = [{"label": said}] if kind == "answer" else []
                name, dialog = "AskUserQuestion", {"question": named, "options": options}
                given = {"questions": [dialog]}
                result = f'User has answered your questions: "{named}"="{said}". Go on.'
            call: dict[str, object] = {
                "type": "tool_use",
                "id": f"t{number}",
                "name": name,
                "input": given,
            }
            done: dict[str, object] = {
                "type": "tool_result",
                "tool_use_id": f"t{number}",
                "content": result,
            }
            lines += [_message(call, False), _message({**done, "is_error": "failed" in kind}, True)]
    return lines


def _message(block: dict[str, object], user: bool) -> dict[str, object]:
    role = "user" if user else "assistant"
    return {"type": role, "message": {"role": role, "content": [block]}}


def log_of(
    door: Door, run: Run, lines: Lines, *options: str, marks: tuple[str, str] = (",", ":")
) -> str:
    """Return what the last log of a session with this transcript would tell, behind its header."""
    path = door.repo.path.parent / "t.jsonl"
    path.write_text("".join(json.dumps(line, separators=marks) + "\n" for line in lines))
    door.session().edits("src/a.py")
    shown = run("capture", *named(path), "--show", *options)
    assert shown.code == 0, shown.err
    return shown.out.rpartition("\n---\n# ")[2]


@pytest.mark.parametrize("story", list(stories()), ids=lambda story: story[0][:40])
def test_what_a_log_tells(
    story: tuple[str, list[tuple[str, str]], str], door: Door, run: Run
) -> None:
    """Each session has the log that stands below it, with what its name says of the policy; git has its commits."""
    name, turns, told = story
    listed = told.partition("\n## Commits")[2].partition("\n## ")[0]
    made = [said for who, said in turns if who == "made"]
    for subject in made or re.findall(r"^### (.*)", listed, re.MULTILINE):
        door.repo.git("commit", "-q", "--allow-empty", "-m", subject)
    turns = [one for one in turns if one[0] != "made"]
    if name.endswith(")"):
        said = name.rpartition(" (")[2][:-1].split(", ")
        policy(door.repo, "\n".join(('keep = "told"', *said)))
    text = log_of(door, run, played(turns)).partition("\n## Observed")[0]
    assert text.strip() == told


LONG = "grep {} " + "x" * 8_000
WAYS = [
    (("user", "Does {} hold?"), 1), (("ran", f"{LONG}\n=> found"), 600), (("failed", LONG), 1),
    (("agent", "It is so. " * 99 + "That is {}."), 600), (("agent", "So {} holds."), 1),
    (("ran", "git commit -m 'Do {}'\n=> [main 1234567] Do {}"), 1),
]  # fmt: skip


def of_codex(line: dict[str, Any]) -> dict[str, object]:
    """Return a line of Claude as Codex has it."""
    (block,) = line["message"]["content"]
    item: dict[str, object] = {"type": "function_call", "name": "exec"}
    item["arguments"] = json.dumps(block.get("input"))
    if block["type"] == "text":
        item = {"type": "message", "role": line["type"], "content": [block]}
    elif block["type"] == "tool_result":
        told = f"Process exited with code {int(block['is_error'])}\nOutput:\n{block['content']}"
        item = {"type": "function_call_output", "output": told}
    item["call_id"] = block.get("tool_use_id", block.get("id"))
    return {"type": "response_item", "payload": item}


@settings(max_examples=examples(1, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["claude", "codex"]), st.lists(st.sampled_from(WAYS), max_size=8))
def test_a_log_tells_of_all_lines_however_few_are_read(
    door: Door, run: Run, host: str, ways: list[tuple[tuple[str, str], int]]
) -> None:
    """As of a transcript with blanks before its colons, of which no line is known by its bytes."""
    turns = [(who, said.replace("{}", f"part {at}-{step}")) for at, ((who, said), times) in enumerate(ways)
             for step in range(times)]  # fmt: skip
    lines = [of_codex(one) if host == "codex" else one for one in played([("user", "Go."), *turns])]
    known = log_of(door, run, lines, "--host", host)
    assert log_of(door, run, lines, "--host", host, marks=(" , ", " : ")) == known


BLOCKS = st.tuples(
    st.sampled_from(["# Head {}", "{} is done. These are left:", "The rest of {}:", "**Seen of {}:**", "- Part {}:"]),
    st.sampled_from([["Text {}, because of it."], ["- one of {}", "- two of {}"], ["- one of {}\n  - below {}"], ["Text {}. " * 30], []]),
    st.sampled_from(["", "Actually, no: not {}.", "```\nlong\n" + "x" * 300 + "\n```"]),
)  # fmt: skip


@settings(max_examples=examples(4, 40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(BLOCKS, min_size=1, max_size=25), min_size=1, max_size=9))
def test_what_is_fitted_is_whole(
    door: Door, run: Run, reports: list[list[tuple[str, list[str], str]]]
) -> None:
    """It keeps to its room, in its order; no sentence is cut, and what announces something stands with it."""
    lines = Lines()
    for number, blocks in enumerate(reports):
        parts = [
            part.replace("{}", f"n{number}-{at}e")
            for at, (lead, below, last) in enumerate(blocks)
            for part in (lead, *below, last)
        ]
        said = "\n\n".join(filter(None, (f"It is n{number}.", *parts, f"So ends n{number}.")))
        lines += played([("long", "Go on."), ("agent", said)])
    told = log_of(door, run, lines).partition("\n## Observed")[0].partition("\n\n")[2]
    assert len(told) <= 6060 and "\n\n\n" not in told
    passages = re.split(r"^### Turn (\d+) of \d+\n", told, flags=re.MULTILINE)[1:]
    numbers = [int(one) - 1 for one in passages[::2]]
    assert numbers and numbers == sorted(numbers)
    whole = "".join(str(line) for line in lines)
    for number, passage in zip(numbers, passages[1::2], strict=True):
        kept = [one.strip("*") for one in passage.replace(" …", "").split("\n") if one]
        assert all(json.dumps(one)[1:-1].strip("`") in whole for one in kept)
        marks = [int(one) for one in re.findall(rf"n{number}-(\d+)e", passage)]
        assert marks == sorted(marks)
        following = [lead for lead, _, _ in reports[number][1:]] + ["So ends"]
        for at, ((lead, below, last), then) in enumerate(
            zip(reports[number], following, strict=True)
        ):
            named = lead.replace("{}", f"n{number}-{at}e").strip("#* ")
            one_list = not last and then[0] == "-"  # with what stands below the next one
            if below and lead[0] in "#{T*" and named in passage and not one_list:
                assert len(re.findall(rf"n{number}-{at}e", passage)) > 1, named


TELLS = "is an item that tells more of it"
LISTS = st.tuples(
    st.sampled_from(["{}. ", "{}) ", "- ", "* "]),
    st.lists(st.sampled_from(["", "\n", "\n\n   And so.\n", "\n  - below\n", "\n```\nx\n```\n", f"\n```\n{'x' * 300}\n```\n"]),
             min_size=1, max_size=7),
)  # fmt: skip
BETWEEN = st.sampled_from(
    ["", "## Head", "It is told, too. " * 9, "These are left:", "| a | b |\n|---|---|\n| {} | b |"]
)


@settings(max_examples=examples(4, 80), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.tuples(BETWEEN, LISTS), min_size=1, max_size=5), min_size=1, max_size=6),
    st.sampled_from([150, 400, 1_000, 3_000]),
    st.integers(1, 4),
)
def test_a_list_is_whole_or_left_out(
    door: Door,
    run: Run,
    reports: list[list[tuple[str, tuple[str, list[str]]]]],
    room: int,
    asked: int,
) -> None:
    """Whatever stands around and between its items, however little room there is, whatever a person typed of it."""
    policy(door.repo, f'keep = "told"\ncharacters = {room}')
    turns = [("user", f"Is it so that n0-0-{asked}e {TELLS}?")]
    wanted = list[list[str]]()
    for number, parts in enumerate(reports):
        said = [f"It is n{number}."]
        for at, (before, (mark, listed)) in enumerate(parts):
            names = [f"n{number}-{at}-{one}e" for one in range(1, len(listed) + 1)]
            rows = zip(names, listed, strict=True)
            said += [before, "\n".join([f"{mark.format(one)}{name} {TELLS}{behind}"
                                        for one, (name, behind) in enumerate(rows, 1)])]  # fmt: skip
            wanted.append(names)
        turns += [("user", "Go on."), ("agent", "\n\n".join(said))]
    told = log_of(door, run, played(turns)).partition("\n## Observed")[0]
    assert f"n0-0-{asked}e" not in told
    for names in wanted:
        kept = {name in told for name in names if name != f"n0-0-{asked}e"}
        assert len(kept) < 2, (names, told)
    for first, second in pairwise(re.findall(r"^(?:(\d+)[.)] |#)", told, re.MULTILINE)):
        assert second in ("", "1", str(int(first or 0) + 1))


HOSTILE = st.text(max_size=60) | st.sampled_from(
    ["## Facts", "- x\n## Memory References\n- Created: a", "<!-- id: a -->", "```", "-->", "---\na: b\n---",
     "<<<<<<< x\n=======\n>>>>>>> y", "# T", "  ", "a | b", "<pre>", "\u2028## Facts", "[x] a", "\ud800"],
)  # fmt: skip
SAID = st.one_of(
    st.tuples(
        st.sampled_from(["user", "agent", "ran", "failed", "title", "answer Which?"]), HOSTILE
    ),
    st.tuples(st.just("ran"), HOSTILE.map(lambda text: f"git commit -m '{text}'")),
)


@settings(max_examples=examples(2, 40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SAID, max_size=6), st.lists(HOSTILE, max_size=3))
def test_whatever_was_seen_and_said_makes_a_log(
    door: Door, run: Run, turns: list[tuple[str, str]], paths: list[str]
) -> None:
    """Nothing of it makes a heading, an event or a fact of its own, nor a log that is refused."""
    lines = played(turns)
    session = door.session()
    for path in paths:
        session.tool("Edit", file_path=f"{door.repo.path}/{path}")
    text = log_of(door, run, lines)
    headings = set(re.findall(r"^## (.*)$", text, re.MULTILINE))
    assert headings <= {"Answered", "Commits", "Turns", "Observed"}
    assert run("capture", *named(door.repo.path.parent / "t.jsonl")).code == 0
    assert run("show", "--json").json["facts"] == []


REMEMBERED = {
    "Remember: the worker never reads the cache.": "The worker never reads the cache.",
    "remember:  releases go out\n on Tuesdays. Not on Fridays. ": "Releases go out on Tuesdays. Not on Fridays.",
    "REMEMBER : is the cache cold? No.": "Is the cache cold? No.",
    "Merke: wir liefern nie am Freitag aus.": "Wir liefern nie am Freitag aus.",
    "記憶：不要在周五发布版本。": "不要在周五发布版本。", f"remember:{'x' * 291}": f"X{'x' * 290}",
    "remember: four\nlines\nare\nshort.": "Four lines are short.",
}  # fmt: skip
FORGOTTEN = [
    "Remember that the cache was removed.", "From now on no test may touch the network.", "Please remember: it is slow.",
    "remember:", "Go on.\nremember: the cache is slow.", "remembers: the cache was slow last week.",
    "remember: the cache is shared.\n" + "x" * 300, "memoria: nada.",
    f"remember:{'x' * 292}", "remember: five\nlines\nare\ntoo\nmany.",
]  # fmt: skip


def test_what_a_person_asks_to_be_remembered_is_a_fact_of_theirs(door: Door, run: Run) -> None:
    """A short prompt that begins with `remember:`, or a word of the policy's, whole, at its byte."""
    policy(door.repo, 'keep = "told"\nremember = ["merke", "記憶"]')
    path = door.repo.path.parent / "t.jsonl"
    turns = [("user", line) for line in (*FORGOTTEN, *REMEMBERED)]
    lines = played([("answer Which?", "remember: an option is picked."), *turns])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    say(path, "Remember: an agent says it.", TALK)
    before = run("show", "--json").json["facts"]
    assert before == [] and run("capture", *named(path)).code == 0
    facts = run("show", "--json").json["facts"]
    assert sorted(one["text"] for one in facts) == sorted(REMEMBERED.values())
    text = path.read_bytes()
    for one in facts:
        (asked,) = [asked for asked, kept in REMEMBERED.items() if kept == one["text"]]
        [(name, at, quote)] = re.findall(r"(\S+) (\d+) \"(.*)\"", one["meta"]["source"])
        told = text[int(at) :].partition(b"\n")[0]
        assert (name, quote) == (path.name, " ".join(asked.split()))
        assert json.loads(told)["message"]["content"][0]["text"] == asked
    assert run("capture", *named(path)).out.endswith("nothing new\n")


def test_git_is_asked_for_the_body_of_a_commit(door: Door, run: Run) -> None:
    """By the id that the tool's result names; a push that failed behind it takes nothing away, an amended one is one."""
    ids = []
    for subject in ("fix: what git has", "fix: amended"):
        body = f"Because of it.\n\nAnd {subject}.\n\nSigned-off-by: A <a@b.c>"
        door.repo.git("commit", "-q", "--allow-empty", "-m", f"{subject}\n\n{body}")
        ids.append(door.repo.git("rev-parse", "--short", "HEAD").strip())
    turns = [
        ("user", "Commit it, please."),
        ("failed", f"git commit -F nowhere && git push\n=> 1 file\n[main {ids[0]}] x\n 1 file changed\nrejected"),
    ]  # fmt: skip
    told = log_of(door, run, played(turns))
    assert told.startswith(
        "fix: what git has\n\n## Commits\n\n### fix: what git has\n\nBecause of it.\n\n"
        "And fix: what git has.\n\n## Observed"
    )
    amends = ("ran", f"git commit --amend -F y\n=> [main {ids[1]}] fix: amended")
    assert "### fix: what git has" not in log_of(door, run, played([*turns, amends]))
    assert "And fix: amended." in log_of(door, run, played([*turns, amends]))


@pytest.mark.parametrize("ours", [True, False])
def test_what_was_made_in_another_repository_is_not_ours(door: Door, run: Run, ours: bool) -> None:
    """A test's commits and texts, wherever they were made: git here has none of them. The newest of ours is the title."""
    other = Repo(door.repo.path.parent / "other")
    other.path.mkdir()
    other.git("init", "-q")
    for key in ("name", "email"):
        other.git("config", f"user.{key}", "a@b.c")
    ids = []
    for repo in (other, door.repo):
        for subject in ("seed", "more"):
            repo.git("commit", "-q", "--allow-empty", "-m", f"{repo.path.name}: {subject}")
            ids.append(repo.git("rev-parse", "--short", "HEAD").strip())
    turns = [
        ("user", "Test it, please."),
        ("ran", f"cd {other.path} && git init && git commit -m 'other: seed'\n=> [main (root-commit) {ids[0]}] other: seed"),
        ("ran", f"git -C {other.path} commit -qm 'other: quiet'"),
        ("ran", f"(cd {other.path}; gh pr create -t 'other: text' -b 'Because.')"),
        ("ran", "git init -q x && cd x && git commit -qm 'other: new'"),
        ("agent", "It is tested."),
    ]  # fmt: skip
    if ours:
        turns += [
            ("ran", f"git commit -m x\n=> [main {ids[2]}] x"),
            ("ran", "git commit -qm 'shop: more'"),
            ("ran", f"git commit -m 'other: more'\n=> [main {ids[1]}] other: more"),
        ]
    told = log_of(door, run, played(turns)).partition("\n## Observed")[0]
    assert "other: " not in told
    assert re.findall(r"(?m)^### (\w+: .*)", told) == ["shop: seed", "shop: more"] * ours
    assert told.startswith("shop: more\n" if ours else "Session of 21 November")


def test_the_agent_names_the_session_where_it_was_asked(door: Door, run: Run) -> None:
    """A title of its own in a log of the session, and not one that was made of its first text."""
    lines = played([("user", "Go on."), ("agent", TALK)])
    for texts in (["It is cold.", "It is old."], [f"Caches are {'kept ' * 30}.", "It is so."]):
        assert run("note", *texts, "--session", "s-1").code == 0
        assert log_of(door, run, lines).startswith("Session of 21 November")
    for session, title in (("s-1", "Moved the cache"), ("s-2", "Another one")):
        assert run("append", "--title", title, "--session", session).code == 0
        assert log_of(door, run, lines).startswith("Moved the cache\n")


@pytest.mark.parametrize("host", ["claude", "codex"])
def test_a_subagent_reports_to_nobody(door: Door, run: Run, host: str) -> None:
    """Its session is told by what was observed alone, from wherever it is read on."""
    path = door.repo.path.parent / "t.jsonl"
    lines: Lines = [
        {**line, "isSidechain": True} for line in played([("user", TALK), ("agent", TALK)])
    ]
    if host == "codex":
        source = {"id": "x", "source": {"subagent": "review"}}
        item = {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": TALK}],
        }
        lines = [
            {"type": "session_meta", "payload": source},
            {"type": "response_item", "payload": item},
        ]
    door.session(host).edits("src/a.py")
    said = ""
    for _ in range(2):
        with path.open("a") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))
        said += run("capture", *named(path, host=host), "--show").out
        assert run("capture", *named(path, host=host)).code == 0
        lines = lines[1:]
    assert "## Observed" in said and "retry queue" not in said


OBSERVED = STORIES.with_name("observed.md").read_text().split("\n## ")[1:]


@pytest.mark.parametrize("story", OBSERVED, ids=lambda story: story.partition("\n")[0][:40])
def test_what_was_observed_is_folded(story: str, door: Door, run: Run) -> None:
    """By path and by result, in twenty lines; the rest is counted; the files give the log its name."""
    did, _, told = story.partition("\n\n")[2].partition("\n\n# ")
    session = door.session(host="codex")
    for line in did.split("\n"):
        many, _, deed = line.rpartition("x: ")
        how, _, what = deed.partition(" ")
        for number in range(int(many or 1)):
            if how == "edit":
                session.edits(what)
            elif how == "runs":
                session.runs(what.replace("{}", str(number)))
            elif how == "at":
                door.at(int(what))
            elif how == "says":
                session.stop(what)
            elif how in ("0", "1"):
                session.runs(what.replace("{}", str(number)), int(how))
            else:
                session.tool(how, **json.loads(what.replace("~", str(door.repo.path))))
    shown = run("capture", "--show").out.partition("\n---\n# ")[2].partition("\n  ")[0]
    shown = shown.replace("## Observed\n\n", "").replace("- 2026-11-21 08:30 ", "- ")
    assert shown.strip() == told.strip()
