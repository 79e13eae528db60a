# ruff: noqa: F811 - a fixture of another file is named as an argument
"""What an agent is told of others and of its own past are states: the last outcome of each thing, with its time."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as setting
from hypothesis import strategies as st

from ledger.environment import now_ms
from ledger.home import discover
from rituals.hosts import hook_answer
from rituals.hosts.adapters import HOSTS
from rituals.hosts.context.compaction_checkpoint import restored, save
from rituals.hosts.context.session_wording import clock, states
from rituals.hosts.moments import Moment, moment
from rituals.hosts.observed.observation_spool import Observation, spool_of
from rituals.hosts.session_start import Around
from tests.conftest import NOW_MS, Repo, Run, examples
from tests.test_hosts_checkpoint import Ask, ask, did, payload  # noqa: F401 - a fixture
from tests.test_hosts_news import MINUTE, Session

_COMMANDS = ("pytest -q", "npm test", "cargo test --all", "uv add httpx", "git push")
_KINDS = {"uv add httpx": "package", "git push": "git"}
_OUTCOME = re.compile(
    r"(pytest -q|npm test|cargo test --all|uv add httpx|git push) \(exit (\d+)\) \((?:[\d-]+ )?(\d\d:\d\dZ)\)"
)
#: Which command was run and how it ended, some in one line of shell, and whether the listener is told behind it.
_RUNS = st.lists(
    st.tuples(st.lists(st.tuples(st.sampled_from(_COMMANDS), st.integers(0, 1)), min_size=1, max_size=2), st.booleans()),
    min_size=1, max_size=8,
)  # fmt: skip


def _observed(runs: list[tuple[str, int]], at: int) -> Observation:
    what = "; ".join(f"{command} (exit {code})" for command, code in runs)
    return Observation(at, _KINDS.get(runs[0][0], "test"), "", what)


def _last(found: list[Observation]) -> dict[str, str]:
    """The last outcome of each command, by itself."""
    said: dict[str, str] = {}
    for one in found:
        for command, code in re.findall(r"([^;]+?) \(exit (\d+)\)", one.what):
            said[command.strip()] = code
    return said


@setting(max_examples=examples(25, 60), deadline=None)
@given(runs=_RUNS)
def test_law_the_last_outcome_is_what_is_told(
    tmp_path_factory: pytest.TempPathFactory, runs: Any
) -> None:
    """At the start of another session, at its prompts, before a compaction and behind it."""
    repo = Repo(tmp_path_factory.mktemp("law"))
    repo.git("init", "-q", "-b", "main")
    mine, other = Session(repo, "claude", "5"), Session(repo, "codex", "9")
    begun = now_ms() - 10 * 3_600_000
    found: list[Observation] = []
    for number, (commands, _) in enumerate(runs):
        found.append(_observed(commands, begun + number * 31 * MINUTE))
        spool_of(other.commondir, "codex", "9").add(found[-1], str(repo.path))
    last = _last(found)
    assert {one.what: one.said.rpartition("(exit ")[2][:-1] for one in states(found)} == last
    text = Around(mine.commondir, mine.moment("start")).behind(7_000, 9_000)
    told = _OUTCOME.findall(text)
    assert {command: code for command, code, _ in told}.items() <= last.items()
    assert len(told) == len({command for command, _, _ in told})
    wrong = {command for command, code in last.items() if code != "0"}
    assert wrong <= {command for command, _, _ in told} or re.search(r" and \d more", text)
    for at in [at for _, _, at in told]:
        assert at in {clock(one.at, found[-1].at)[-6:] for one in found}


@setting(max_examples=examples(20, 40), deadline=None)
@given(runs=_RUNS)
def test_law_what_a_listener_believes_is_so(
    tmp_path_factory: pytest.TempPathFactory, runs: Any
) -> None:
    """Told at any of its prompts; what it heard at its start counts, too."""
    repo = Repo(tmp_path_factory.mktemp("law"))
    repo.git("init", "-q", "-b", "main")
    repo.write("memory/diurna.toml", "")
    mine, other = Session(repo, "claude", "5"), Session(repo, "codex", "9")
    mine.start()
    believed: dict[str, str] = {}
    found: list[Observation] = []
    heard = ""
    for number, (commands, asked) in enumerate([*runs, ([("git push", 0)], True)]):
        at = NOW_MS + (number + 1) * 31 * MINUTE
        found.append(_observed(commands, at))
        other.did(found[-1].kind, found[-1].what, at=at)
        if asked:
            text = mine.told(at)
            heard += text
            for command, code in re.findall(r"([a-z][^;,:]+?) \(exit (\d+)\)", text):
                believed[command.strip()] = code
    last = _last(found)
    assert {one: code for one, code in believed.items() if last[one] != code} == {}
    wrong = {one for one, code in last.items() if code != "0"}
    assert wrong <= set(believed) or re.search(r" and \d more", heard)


def test_a_failure_that_passed_since_is_told_as_passed(
    ask: Ask, repo: Repo, run: Run, tmp_path: Path
) -> None:
    """By the brief of another session, by the checkpoint of its own, each with its time."""
    now = now_ms()
    for number, code in enumerate((1, 1, 0)):
        did(repo, "codex", "9", "test", f"pytest -q (exit {code})", at=now - 60_000 * (9 - number))
        did(
            repo,
            "codex",
            "9",
            "task",
            ("new: Mend it", "done: Mend it", "done: Mend it")[number],
            at=now - 50 + number,
        )
    told = ask("SessionStart", payload(repo, "5", source="startup"))
    assert "pytest -q (exit 0) (" in told and "(exit 1)" not in told
    assert told.count("Mend it") == 1 and "done: Mend it" in told
    own = Moment("codex", "precompact", "9", str(repo.path))
    home = discover(str(repo.path))
    for text in (save(own, home), restored(home.repository.commondir, own)):
        assert "Did: pytest -q (exit 0) (" in text and "(exit 1)" not in text


def test_what_lately_told_is_no_news(ask: Ask, repo: Repo, run: Run) -> None:
    """Neither the decision when its log lands, nor the test that failed."""
    did(
        repo, "codex", "9", "decision", "We decided to keep the amounts in cents and not in floats."
    )
    did(repo, "codex", "9", "test", "pytest -q (exit 1)")
    told = ask("SessionStart", payload(repo, "5", source="startup"))
    assert "amounts in cents" in told and "pytest -q (exit 1)" in told
    run(
        "note",
        "decision: We decided to keep the amounts in cents and not in floats.",
        "--session",
        "9",
        "--agent",
        "codex",
    )
    assert ask("UserPromptSubmit", payload(repo, "5", prompt="go")) == ""
    run("note", "decision: Orders are numbered per year.", "--session", "9", "--agent", "codex")
    assert "per year" in ask("UserPromptSubmit", payload(repo, "5", prompt="go"))


# ---- one start, one brief ------------------------------------------------------------------------------


def test_two_hooks_for_one_start_give_one_brief(
    ask: Ask, repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Codex and Copilot run the user's hooks and the project's; the others merge them."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    run("note", "decision: Orders are numbered per year.")
    for host in ("codex", "copilot", "claude"):
        event, key = HOSTS[host].start, {"source": "startup"}
        for user in (False, True):
            assert run("install", host, "--no-mcp", *(["--user"] if user else [])).code == 0
        said = [_raw(ask, event, {**payload(repo, f"both-{host}"), **key}, host) for _ in range(2)]
        assert ["per year" in one for one in said] == [True, host == "claude"]
        resumed = _raw(ask, event, {**payload(repo, f"both-{host}"), "source": "resume"}, host)
        assert "per year" in resumed  # another start
    assert run("install", "--remove", "codex", "--user").code == 0
    assert (
        run("install", "--remove", "claude").code
        == run("install", "--remove", "claude", "--user").code
        == 0
    )
    said = [
        _raw(ask, "SessionStart", {**payload(repo, "one"), "source": "startup"}, "codex")
        for _ in range(2)
    ]
    assert all("per year" in one for one in said)


def _raw(ask: Ask, event: str, given: object, host: str) -> str:
    """What a host is answered, in whatever form."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hook_answer, "START_SECONDS", 60)
        patch.setattr(hook_answer, "OTHER_SECONDS", 60)
        patch.setattr(hook_answer, "_read", lambda: json.dumps(given).encode())
        call = hook_answer.Call(host, event, dict(os.environ))
        answer = call.answer()
        call.was_heard()
    return answer.decode()


def _in_this_process(patch: pytest.MonkeyPatch) -> None:
    for name in ("fork", "setsid", "dup2"):
        patch.setattr(os, name, lambda *given: 0)
    patch.setattr(os, "_exit", lambda code: None)


def test_a_start_that_was_late_is_told_at_the_first_prompt(
    ask: Ask, repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole, with its empty lines, and once; a start that comes in time meanwhile makes it needless."""
    run("note", "decision: Orders are numbered per year.")
    whole = ask("SessionStart", payload(repo, "6", source="startup"))
    for again in (False, True):
        session = f"late-{again}"
        started = payload(repo, session, source="startup")
        with monkeypatch.context() as patch:
            patch.setattr(hook_answer, "START_SECONDS", 0)
            patch.setattr(hook_answer, "_read", lambda given=started: json.dumps(given).encode())
            call = hook_answer.Call("claude", "SessionStart", dict(os.environ))
            patch.setattr(call, "_answer", _too_long(call, started))
            assert call.answer() == hook_answer.NOTHING
            _in_this_process(patch)
            call.follow_up()
        if again:
            assert "per year" in ask("SessionStart", started)
        told = ask("UserPromptSubmit", payload(repo, session, prompt="go"))
        assert told == ("" if again else told) and (again or _plain(told) == _plain(whole))
        assert ask("UserPromptSubmit", payload(repo, session, prompt="go on")) == ""


def _too_long(call: Any, given: dict[str, str]) -> Any:
    def answer() -> bytes:
        call._said = moment("claude", "SessionStart", given, dict(os.environ))
        raise hook_answer.TookTooLong

    return answer


def _plain(text: str) -> str:
    return re.sub(r"[0-9a-f]{16}", "", text)


def test_a_host_that_does_not_start_again_is_given_back_at_the_prompt(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, ask: Ask
) -> None:
    """Copilot, behind its compaction: the checkpoint and the brief, once."""
    run("note", "decision: Orders are numbered per year.")
    own = payload(repo, "7")
    _raw(ask, "sessionStart", {**own, "source": "new"}, "copilot")
    did(repo, "copilot", "7", "git", "git push origin main")
    with monkeypatch.context() as patch:
        patch.setattr(hook_answer, "COMPACT_SECONDS", 60)
        patch.setattr(hook_answer, "_read", lambda: json.dumps(own).encode())
        call = hook_answer.Call("copilot", "preCompact", dict(os.environ))
        assert call.answer() == hook_answer.NOTHING
        _in_this_process(patch)
        patch.setattr("rituals.hosts.capture.detached.spawn", lambda *given, **more: None)
        call.follow_up()
    told = _raw(ask, "userPromptSubmitted", {**own, "prompt": "go on"}, "copilot")
    assert "Context restored" in told and "git push origin main" in told and "per year" in told
    assert _raw(ask, "userPromptSubmitted", {**own, "prompt": "and on"}, "copilot") == "{}\n"
    assert [name for name, host in HOSTS.items() if not host.restarts] == ["copilot"]


def test_a_helper_of_claudes_own_is_no_subagent(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs some to compact, without a type; what a subagent says counts as before."""
    given = {
        **payload(repo, "5"),
        "agent_id": "a1",
        "last_assistant_message": "We decided to use cents.",
    }
    for kind, event in (("", "other"), ("general-purpose", "subagent_stop")):
        assert moment("claude", "SubagentStop", {**given, "agent_type": kind}, {}).event == event
    spawned: list[Moment] = []
    monkeypatch.setattr(
        "rituals.hosts.capture.detached.spawn", lambda said, **more: spawned.append(said)
    )
    monkeypatch.setattr(hook_answer, "OTHER_SECONDS", 60)
    for kind, many in (("", 0), ("general-purpose", 1)):
        monkeypatch.setattr(
            hook_answer,
            "_read",
            lambda kind=kind: json.dumps({**given, "agent_type": kind}).encode(),
        )
        call = hook_answer.Call("claude", "SubagentStop", dict(os.environ))
        assert call.answer() == hook_answer.NOTHING
        call.follow_up()
        seen = spool_of(str(repo.path / ".git"), "claude", "5").read().observations
        assert len(spawned) == len(seen) == many


# ---- started below ---------------------------------------------------------------------------------------


def test_install_says_who_hears_nothing_in_a_folder_below(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Claude, Gemini and Qwen; not at the top, and not with the hooks of the user."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    ran = run("install", "claude", "codex", "qwen", "--no-mcp")
    assert "claude, qwen: the hooks of a project run where it is started at the top" in ran.err
    assert "`diurna install claude qwen --user`" in ran.err
    (repo.path / "deep/er").mkdir(parents=True)
    monkeypatch.chdir(repo.path / "deep/er")
    assert "at the top" not in run("install", "claude", "--user", "--no-mcp").err
