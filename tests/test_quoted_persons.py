"""No machine quotes a person, nor what an agent repeats of them, and none tells a verdict that no host gave."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import NOW_MS, Run, examples, holders
from tests.host_door import MINUTE, TALK, Door, named, policy, say
from tests.host_door import door as door
from tests.test_ways_in import MARK, SENTENCES, WORK, by_mcp, capture, hook
from tests.world import IN_TREE, KINDS, OWN_REPOSITORY, World

#: Of what persons type here, and of what an agent says by itself: no word of one is a word of the other.
TYPED = "alpha bravo charlie delta echo foxtrot größe élan don't слово дата नमस्ते".split()
OWN = "one two three four five six seven eight nine ten".split()
WIDE = "我的女儿得了哮喘所以从来不上班每个月拿三万块钱"
RUN = 6


def words_of(text: str) -> list[str]:
    """The words of a text, as a reader parts them."""
    return re.findall(r"[^\s.,;:!?*_`\"()\[\]>#|-]+", text.casefold())


def runs(text: str) -> set[tuple[str, ...]]:
    words = words_of(text)
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


def wide_runs(text: str) -> set[str]:
    said = re.sub(r"[^\u4e00-\u9fff]", "", text)
    return {said[at : at + 12] for at in range(len(said) - 11)}


@st.composite
def sessions(draw: Any) -> tuple[list[str], list[str], list[str]]:
    """What a person types, what an agent says, and those of its sentences that repeat nothing."""
    some = st.lists(st.sampled_from(TYPED), min_size=3, max_size=14).map(" ".join)
    wide = st.lists(st.sampled_from(WIDE), min_size=5, max_size=30).map("".join)
    prompts = draw(st.lists(st.one_of(some, wide), min_size=1, max_size=5))
    said, kept = [], []
    for number in range(draw(st.integers(1, 12))):
        own = " ".join(draw(st.lists(st.sampled_from(OWN), min_size=2, max_size=5)))
        quoted = ""
        if draw(st.booleans()):
            words = draw(st.sampled_from(prompts))
            parts = words.split() if " " in words else list(words)
            size = draw(st.integers(1, len(parts)))
            at = draw(st.integers(0, len(parts) - size))
            glue = draw(st.sampled_from([" ", " **", ", ", "\n"])) if " " in words else ""
            quoted = glue.join(parts[at : at + size])
            quoted = draw(st.sampled_from([quoted, quoted.upper(), f"“{quoted}”"]))
        sentence = f"N{number} {own} {quoted}".rstrip() + "."
        said.append(sentence)
        typed = {run for one in prompts for run in runs(one)}
        wides = {run for one in prompts for run in wide_runs(one)}
        if not quoted and not (runs(sentence) & typed or wide_runs(sentence) & wides):
            kept.append(sentence)
    return prompts, said, kept


@settings(max_examples=examples(4, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sessions(), st.sampled_from([" ", "\n", "\n\n", "\n- "]), st.booleans())
def test_no_run_of_what_was_typed_is_shared(
    door: Door, run: Run, told: tuple[list[str], list[str], list[str]], between: str, early: bool
) -> None:
    """Whatever was typed, before or behind: no six words in a row of it, no twelve signs; each other sentence stays."""
    prompts, said, kept = told
    path = door.repo.path.parent / "t.jsonl"
    path.unlink(missing_ok=True)
    say(path, *prompts[: len(prompts) if early else 1], role="user")
    say(path, between.join(said) + "\n\n" + TALK)
    say(path, *prompts[1:], role="user")
    session = door.session()
    for number, one in enumerate(said[:3]):
        session.runs(f"git commit -m 'N{number} {one}'", 0)
    session.tool("TodoWrite", todos=[{"content": one, "status": "completed"} for one in said])
    session.stop(f"We decided that {said[-1]}")
    shown = run("capture", *named(path), "--show")
    assert shown.code == 0, shown.err
    assert runs(shown.out).isdisjoint({one for prompt in prompts for one in runs(prompt)})
    assert wide_runs(shown.out).isdisjoint({one for prompt in prompts for one in wide_runs(prompt)})
    turns = " ".join(shown.out.partition("## Turns")[2].split())
    assert [one for one in kept if one not in turns] == []


@pytest.mark.deep(only="own-repository")
@pytest.mark.parametrize("kind", KINDS)
def test_no_door_shows_what_a_person_said(world: World, kind: str) -> None:
    """24 private sentences in ten languages, each said again by the agent: no commit, page, export, tool or log has one."""
    home = world.home(kind, policy={"keep": "told"} if kind == IN_TREE else {})
    transcript = say(world.folder / "s1.jsonl", TALK)
    say(transcript, *SENTENCES, "Go on with the webhooks.", role="user")
    say(transcript, "\n\n".join([TALK, *SENTENCES, f"- {SENTENCES[3]} So it is.", WORK]))
    hook(home, "claude", "Stop", transcript, last_assistant_message=f"We decided: {SENTENCES[1]}")
    capture(home, transcript)
    home.run("capture", "--land", code=None)
    home.run("check", "--publish")
    assert "webhooks retry" in home.text("recall", "webhooks retry broker")
    own = home.common / "diurna"
    clone = {
        str(path)
        for path in own.rglob("*")
        if path.parts[-2] in ("said", "observed", "checkpoints")
    }
    assert set(holders(home.folder, MARK)) <= {*clone, str(own / "asks.jsonl")}
    out = world.folder / "out"
    words = {IN_TREE: f"vault {out}", OWN_REPOSITORY: f"site {out} --allow-shallow"}.get(
        kind, "events"
    )
    ran = home.run("export", *words.split(), code=None, json=False)
    assert MARK not in ran.out + ran.err and holders(out, MARK) == []
    assert out.is_dir() or "webhooks retry" in ran.out
    asked = {"query": "webhooks asthma Quillfeather"}
    for answer in by_mcp(home, ("brief", {}), ("recall", asked), ("status", {})):
        assert MARK not in answer.out


def test_asks_are_shared_where_the_policy_says_so(door: Door, run: Run) -> None:
    """A line each, of at most 120 characters, and no more by the agent's mouth; a secret withholds it."""
    policy(door.repo, 'keep = "told"\nasks = true')
    path = door.repo.path.parent / "t.jsonl"
    long = f"Please {' '.join(TYPED[:8] * 4)} now."
    say(path, long, role="user")
    say(path, f"{' '.join(TYPED[:8])} is done. The queue is keyed by tenant.\n\n{TALK}")
    say(path, "The token is ghp_" + "hTg5Kq8zWv2xRb7mPf3yLd9sJc6nQa4tEu1w", role="user")
    say(path, f"{TALK} It is set.")
    text = run("capture", *named(path), "--show").out
    asks = re.findall(r"(?m)^> (.*)$", text)
    assert [len(one) <= 120 and long.startswith(one.rstrip("…")) for one in asks] == [True]
    assert "is done" not in text and "The queue is keyed by tenant." in text and "hTg5K" not in text


DAY = 24 * 60
ENDS: dict[str, Callable[[Door, Run], object]] = {
    "thirty days": lambda door, run: door.at(31 * DAY),
    "a silence": lambda door, run: run("private", "on"),
    "what it says is redacted": lambda door, run: [
        run("note", "id=cache fact: The cache is in the tree."), run("redact", "cache", "--reason", "x"),
    ],
    "no more hooks": lambda door, run: run("install", "--remove"),
}  # fmt: skip


@pytest.mark.parametrize("end", ENDS)
def test_what_was_asked_for_stays_in_the_clone_until_it_ends(
    door: Door, run: Run, end: str
) -> None:
    """For its user's eyes; the next session is told, and no log, page, export or command has it."""
    kept = door.repo.path / ".git/diurna/asks.jsonl"
    path = door.repo.path.parent / "t.jsonl"
    say(
        path,
        "Why is it slow? <private>Quillfeather is ill.</private> The cache is in the tree.",
        role="user",
    )
    say(path, f"It is moved.\n\n{TALK}")
    door.session("claude", "s-1").edits("src/a.py")
    assert run("capture", *named(path)).code == 0
    assert kept.stat().st_mode & 0o777 == 0o600 and MARK not in kept.read_text()
    assert "“Why is it slow?" in door.session("codex", "next").start()
    for words in ("log --json", "show", "export events", "status", "recall moved --json"):
        assert "slow?" not in run(*words.split()).out, words
    assert "Why is it slow?" in run("recall", "moved").out, "as `log` calls it in this clone"
    ENDS[end](door, run)
    assert "slow?" not in door.session("codex", "later").start()
    assert end == "thirty days" or not kept.exists() or "slow" not in kept.read_text()


def test_what_was_redacted_is_not_kept_again_beside_git(door: Door, run: Run) -> None:
    """Said again by a person and an agent, in a commit, a task, a decision: nothing has it."""
    said = "The customer Quillfeather pays two million for the shipment."
    run("note", f"id=gone fact: {said}")
    run("redact", "gone", "--reason", "x")
    path = door.repo.path.parent / "s-1.jsonl"
    say(path, said, f"What do we do? {said}", role="user")
    say(path, f"{TALK}\n\n{said}")
    session = door.session(transcript_path=str(path))
    session.start()
    session.runs(f"git commit -m '{said}'", 0)
    session.tool("TodoWrite", todos=[{"content": said, "status": "completed"}])
    session.stop(f"We decided so. {said} We decided that {said}")
    session.prompt(said)
    door.at(1)
    told = session.hook("precompact", trigger="auto").decode() + session.start("compact")
    assert "git commit" in told and MARK not in told
    assert run("capture").code == 0
    assert holders(door.repo.path / ".git/diurna", MARK) == []


@pytest.mark.parametrize("host", ["claude", "opencode"])
@pytest.mark.parametrize("how", ["tag", "silence"])
def test_what_was_private_is_not_said_by_the_agent(
    door: Door, run: Run, host: str, how: str
) -> None:
    """Also in a later turn, and where the host's words are handed over without it."""
    path = door.repo.path.parent / "t.jsonl"
    said = f"My daughter {MARK} has asthma, so we never deploy on Wednesdays."
    turns = [(f"<private>{said}</private> Go on." if how == "tag" else said, "user"), (f"It is so. {TALK}", "assistant"),
             (f"As you said: {said} The queue is slow.\n\n{TALK}", "assistant")]  # fmt: skip
    session = door.session(
        host, "s", **({"transcript_path": str(path)} if host == "claude" else {})
    )
    for number, (text, role) in enumerate(turns):
        door.at(3 * number)
        if how == "silence":
            run("private", "off" if number else "on")
        door.at(3 * number + 1)
        at, parts = NOW_MS + (3 * number + 1) * MINUTE, [{"type": "text", "text": text}]
        info = {"id": str(number), "role": role, "time": {"created": at}}
        say(path, text, role=role, timestamp=at)
        door.at(3 * number + 2)
        handed = {"tool_input": {"messages": [{"info": info, "parts": parts}]}}
        session.stop("", **(handed if host == "opencode" else {}))
    shown = run("capture", "--session=s", f"--host={host}", "--show").out
    assert "The queue is slow." in shown and "As you said" not in shown


# ---- verdicts ------------------------------------------------------------------------------------------


def answers(code: int, printed: str) -> dict[str, tuple[object, int | None]]:
    """What hosts say of a command that printed something and ended with a code: the answer, and the code it tells."""
    lines = f"Command: x\nDirectory: (root)\nOutput: {printed}\nError: (none)\nExit Code: {code}\nSignal: (none)"
    shell = f"{printed}\n<shellId: 0 completed with exit code {code}>"
    return {
        "claude": ({"stdout": printed, "stderr": ""}, None),
        "claude failing": (f"Exit code {code}\n{printed}", code),
        "claude killed": (f"Command timed out\n{printed}", None),
        "codex": (printed, None),
        "codex before": (json.dumps({"output": printed, "metadata": {"exit_code": code}}), code),
        "copilot": ({"textResultForLlm": shell, "resultType": "success"}, code),
        "gemini": ({"llmContent": f"Output: {printed}\nProcess Group PGID: 7"}, None),
        "gemini failing": (
            {"llmContent": f"Output: {printed}\nExit Code: {code}\nSignal: (none)"},
            code,
        ),
        "qwen": ({"llmContent": lines}, code),
        "opencode": ({"output": printed, "exit": code}, code),
        "opencode without": ({"output": printed}, None),
    }


PRINTED = st.sampled_from(
    ["2 failed, 10 passed", "12 passed", "Exit code 0\nok", "Exit Code: 1\nmore", "", "FAILED", '{"exit": 0}',
     '{"exit_code": 1, "x": 2}', "with exit code 0>\nok", "npm ERR! code 1", "All tests passed"]
)  # fmt: skip


@settings(max_examples=examples(2, 80), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 255),
    PRINTED,
    st.sampled_from(["pytest -q", "npm test", "cargo test", "make test"]),
)
def test_no_verdict_without_an_exit_code(
    door: Door, run: Run, code: int, printed: str, command: str
) -> None:
    """In each host: what a command printed is no word of its host, and no log, title or brief says how it ended."""
    for name, (answer, told) in answers(code, printed).items():
        host, _, how = name.partition(" ")
        mine = door.session(host, session=f"{host}-{code}-{abs(hash((printed, command, how)))}")
        mine.tool("Bash", answer, command=command)
        shown = run("capture", "--session", mine.id, "--host", host, "--show").out
        line = next(one for one in shown.split("\n") if one.startswith("- ") and command in one)
        assert line.partition(command)[2] == (f": exit {told}" if told is not None else ""), name
        title = shown.partition("\n# ")[2].partition("\n")[0]
        assert "exit" not in title and not re.search(r"passed|failed", shown), name
