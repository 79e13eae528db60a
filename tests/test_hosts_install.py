"""`diurna install` and `diurna install --remove`: what was there before is there again, to the byte."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as setting
from hypothesis import strategies as st

from rituals.cli.context import Invocation
from rituals.hosts.adapters import HOSTS
from rituals.hosts.install import marked_text
from rituals.hosts.install.host_files import GROUND_RULE, SKILLS, entries, files_of
from rituals.hosts.install.install_plan import apply_plan, plan_install, plan_removal
from rituals.hosts.moments import moment
from rituals.hosts.user_settings import settings
from tests.conftest import Repo, Run, examples
from tests.pages import GUIDE

#: Each host's hook as its documents have it: the file, and where in it the command stands.
SHAPES: dict[str, tuple[str, tuple[str | int, ...]]] = {
    "claude": (".claude/settings.json", ("hooks", "SessionStart", 0, "hooks", 0, "command")),
    "codex": (".codex/hooks.json", ("hooks", "SessionStart", 0, "hooks", 0, "command")),
    "copilot": (".github/hooks/diurna.json", ("hooks", "sessionStart", 0, "bash")),
    "gemini": (".gemini/settings.json", ("hooks", "SessionStart", 0, "hooks", 0, "command")),
    "qwen": (".qwen/settings.json", ("hooks", "SessionStart", 0, "hooks", 0, "command")),
    "cursor": (".cursor/hooks.json", ("hooks", "sessionStart", 0, "command")),
}
CALLS = {
    "claude": "diurna hook claude SessionStart", "codex": "diurna hook codex SessionStart",
    "copilot": "diurna hook copilot sessionStart", "gemini": "diurna hook gemini SessionStart",
    "qwen": "diurna hook qwen SessionStart", "cursor": "diurna hook cursor sessionStart",
}  # fmt: skip


def guarded(command: str) -> str:
    """The same bytes in every release to come: a host trusts a command by its hash."""
    return f"command -v diurna >/dev/null 2>&1 && {command} 2>/dev/null || exit 0"


COMMANDS = {host: guarded(command) for host, command in CALLS.items()}


def tree(folder: Path) -> dict[str, bytes | None]:
    """All files with their bytes, and all folders, but for git's."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if ".git" not in path.relative_to(folder).parts
    }


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def at(found: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        found = found[step]
    return found


# ---- the law -----------------------------------------------------------------------------------------

_NAMES = st.sampled_from(["a", "hooks", "mcpServers", "SessionStart", 'k "q"', "ü", ""])
_PLAIN = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["x", "}{", '"', "\\", "ü, ]"])
)
_VALUES = st.recursive(
    _PLAIN,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=2),
    max_leaves=6,
)
_GROUPS = st.lists(
    st.just({"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}) | st.just({}),
    max_size=2,
)
_HOOKS = st.dictionaries(st.sampled_from(["SessionStart", "Stop"]), _GROUPS, max_size=2)
_SERVERS = st.dictionaries(st.sampled_from(["other", "one more"]), _VALUES, max_size=2)
_OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "z": _VALUES,
        "hooks": _HOOKS | _VALUES,
        "mcpServers": _SERVERS | _VALUES,
        "version": st.just(1),
    },
)


@st.composite
def laid_out(draw: st.DrawFn) -> bytes:
    """An object as people and programs lay it out."""
    text = json.dumps(
        draw(_OBJECTS),
        indent=draw(st.sampled_from([None, 0, 1, 2, 4, "\t"])),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")])),
        ensure_ascii=draw(st.booleans()),
    )
    if draw(st.booleans()):
        text = text.replace("{}", draw(st.sampled_from(["{ }", "{\n}", "{\t}"]))).replace(
            "[]", "[ ]"
        )
    text = draw(st.sampled_from(["", "\n", " "])) + text + draw(st.sampled_from(["", "\n", "\n\n"]))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


_LINES = st.lists(
    st.sampled_from([b"a", b"\n", b"\r\n", b"\r", b"# x", b"\xff", b"<!--"]), max_size=5
).map(b"".join)
_TOML = st.sampled_from(
    [
        b"",
        b"\n",
        b'model = "x"',
        b'model = "x"\r\n[a]\r\nb = 1\r\n',
        b"[mcp_servers.other]\ncommand = 'x'\n# end",
    ]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")


@setting(max_examples=examples(20, 120))
@given(
    host=st.sampled_from(sorted(HOSTS)), user=st.booleans(), texts=st.lists(laid_out(), min_size=2, max_size=2),
    toml=_TOML, lines=_LINES, there=st.lists(st.booleans(), min_size=3, max_size=3),
)  # fmt: skip
def test_what_was_there_before_is_there_again(
    folder: Path,
    host: str,
    user: bool,
    texts: list[bytes],
    toml: bytes,
    lines: bytes,
    there: list[bool],
) -> None:
    """Also where there was nothing; a second run changes nothing; all else in a file says what it said."""
    shutil.rmtree(folder)
    folder.mkdir()
    paths = dict.fromkeys(one.path for one in files_of(host, user=user) if not one.whole)
    for path, data, is_there in zip(paths, texts, there, strict=False):
        if is_there:
            put(folder, path, toml if path.endswith(".toml") else data)
    if there[2]:
        put(folder, HOSTS[host].rule, lines)
    before = tree(folder)
    plan = plan_install(str(folder), (host,), user=user, servers=True)
    apply_plan(plan, user=user)
    for change in plan.changes:
        if change.file.endswith(".json") and change.before is not None:
            old, new = (
                json.loads((one or b"").decode("utf-8-sig"))
                for one in (change.before, change.after)
            )
            for file in files_of(host, user=user):
                for entry in file.entries if file.path == change.file else ():
                    _take_out(new, old, entry.path, entry.is_ours)
            assert new == old
    after = tree(folder)
    again = plan_install(str(folder), (host,), user=user, servers=True)
    assert not again.changes and again.left == plan.left and tree(folder) == after
    apply_plan(plan_removal(str(folder), (host,), user=user), user=user)
    found = tree(folder)
    assert {path: data for path, data in found.items() if data is not None} == {
        path: data for path, data in before.items() if data is not None
    }
    assert user or found == before


def _take_out(new: Any, old: Any, path: tuple[str, ...], ours: Any) -> None:
    """Take an entry out of a value, by itself."""
    key, *rest = path
    if isinstance(new, dict if key == "[]" else list):
        return  # somebody's own form, which was left alone
    if key == "[]":
        new[:] = [one for one in new if not ours(one)]
    elif not rest:
        if ours(new.get(key)) and key not in old:
            del new[key]
    elif isinstance(new.get(key), dict | list):
        missing = key not in old
        _take_out(new[key], old.get(key, {}), tuple(rest), ours)
        if missing and not new[key]:
            del new[key]


@pytest.mark.parametrize("host", SHAPES)
def test_what_a_person_added_since_stays(tmp_path: Path, host: str) -> None:
    """In the same file, in the same list, beside our handler: whatever laid it out anew."""
    base = str(tmp_path)
    apply_plan(plan_install(base, (host,), user=False, servers=False), user=False)
    path = tmp_path / SHAPES[host][0]
    found = json.loads(path.read_text())
    found["theirs"] = {"x": [1]}
    groups = at(found, SHAPES[host][1][:2])
    groups.insert(0, {"matcher": "theirs"})
    if "hooks" in groups[1]:
        groups[1]["hooks"].append({"type": "command", "command": "theirs"})
    path.write_text(json.dumps(found, indent=4))
    rules = (
        tmp_path / HOSTS[host].rule
        if (tmp_path / HOSTS[host].rule).exists()
        else tmp_path / "AGENTS.md"
    )
    rules.write_bytes(b"# Theirs\n" + rules.read_bytes() + b"\nMore of theirs.\n")
    apply_plan(plan_removal(base, (host,), user=False), user=False)
    left = json.loads(path.read_text())
    assert COMMANDS[host] not in path.read_text() and left["theirs"] == {"x": [1]}
    kept = at(left, SHAPES[host][1][:2])
    assert kept[0] == {"matcher": "theirs"}
    assert kept[1:] == (
        [{"hooks": [{"type": "command", "command": "theirs"}]}] if "hooks" in groups[1] else []
    )
    assert rules.read_bytes() == b"# Theirs\n\nMore of theirs.\n"


# ---- each host ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", SHAPES)
def test_each_host_finds_its_hook(bare_repo: Repo, run: Run, host: str) -> None:
    """Where it looks, in its form; the command is the same bytes in every release and is answered."""
    ran = run("install", host, "--no-mcp")
    assert ran.code == 0 and "`diurna init` makes a home" in ran.err
    name, path = SHAPES[host]
    found = json.loads((bare_repo.path / name).read_text(encoding="utf-8"))
    assert at(found, path) == COMMANDS[host]
    assert CALLS[host].split()[2:] == [host, HOSTS[host].start]
    if host in ("copilot", "cursor"):
        assert found["version"] == 1
    before = tree(bare_repo.path)
    assert "nothing to do" in run("install", host, "--no-mcp").out
    assert tree(bare_repo.path) == before
    assert run("install", "--remove").code == 0
    assert list(tree(bare_repo.path)) == ["code.py"]


#: Each host's own names of the events that it is asked to call, in the order of a session.
EVENTS = {
    "claude": "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure PreCompact Stop SubagentStart SubagentStop "
    "TaskCompleted SessionEnd",
    "codex": "SessionStart UserPromptSubmit PostToolUse PreCompact Stop SubagentStart SubagentStop SessionEnd",
    "copilot": "sessionStart userPromptSubmitted postToolUse postToolUseFailure preCompact agentStop subagentStart "
    "subagentStop sessionEnd",
    "gemini": "SessionStart BeforeAgent AfterTool AfterAgent SessionEnd",
    "qwen": "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure PreCompact Stop SubagentStart SubagentStop "
    "SessionEnd",
    "cursor": "sessionStart beforeSubmitPrompt postToolUse postToolUseFailure preCompact stop subagentStart subagentStop "
    "sessionEnd",
}  # fmt: skip


@pytest.mark.parametrize("host", SHAPES)
def test_every_event_is_entered_by_the_hosts_own_name(tmp_path: Path, host: str) -> None:
    """Once, with a limit above our own; a hook of a tool names those that change something or read a file."""
    apply_plan(plan_install(str(tmp_path), (host,), user=False, servers=False), user=False)
    found = json.loads((tmp_path / SHAPES[host][0]).read_text())["hooks"]
    assert sorted(found) == sorted(EVENTS[host].split())
    second = 1000 if host == "gemini" else 1
    for event, groups in found.items():
        (group,) = groups
        (handler,) = group.get("hooks", groups)
        command = handler.get("bash" if host == "copilot" else "command")
        assert command == guarded(f"diurna hook {host} {event}")
        limit = handler["timeoutSec" if host == "copilot" else "timeout"]
        assert limit == (3 if event in ("SessionEnd", "sessionEnd") else 5) * second
        if "tool" in event.lower():
            for searching in ("Grep", "glob", "web_fetch", "WebSearch"):
                assert not re.fullmatch(group["matcher"], searching)
            for asking in (*CHANGING[host], *READING[host]):
                assert re.fullmatch(group["matcher"], asking)
        else:
            assert "matcher" not in group


#: What the hosts call the tools that read a file; Codex's agent does so by the shell.
READING = {
    "claude": ("Read",), "codex": (), "copilot": ("view",), "gemini": ("read_file",), "qwen": ("read_file",),
    "cursor": ("Read",),
}  # fmt: skip
#: What the hosts call the tools that change something.
CHANGING = {
    "claude": ("Bash", "Write", "Edit", "NotebookEdit", "apply_patch"), "codex": ("Bash", "apply_patch"),
    "copilot": ("bash", "create", "edit"), "gemini": ("run_shell_command", "write_file", "replace"),
    "qwen": ("run_shell_command", "write_file", "edit"), "cursor": ("Shell", "Write"),
}  # fmt: skip


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh", "fish", "ksh"])
def test_a_hook_without_diurna_is_silent_and_ends_with_0(tmp_path: Path, shell: str) -> None:
    """Also where there is one that knows no such hook; and where there is one it has input and output."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not here")
    (tmp_path / shell).symlink_to(program)
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path)}

    def ran(command: str) -> tuple[int, bytes, bytes]:
        done = subprocess.run(
            [program, "-c", command], env=environment, input=b"given", capture_output=True, timeout=60,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    commands = {
        entry.command
        for host in HOSTS
        if HOSTS[host].form
        for entry in entries(host, before=("hooks",))
    }
    assert len(commands) == sum(len(HOSTS[host].events) for host in HOSTS if HOSTS[host].form)
    for command in commands if shell == "sh" else sorted(commands)[:1]:
        assert ran(command) == (0, b"", b"")
    command = COMMANDS["claude"]
    diurna = put(tmp_path, "diurna", b"#!/bin/sh\necho 'no such command' >&2\nexit 2\n")
    diurna.chmod(0o755)
    assert ran(command) == (0, b"", b"")
    diurna.write_text('#!/bin/sh\nread said; echo "$said $*"\n')
    assert ran(command) == (0, b"given hook claude SessionStart\n", b"")
    diurna.write_text("#!/nowhere/python\n")  # of a folder that somebody deleted
    assert ran(command)[:2] == (0, b"")


def test_a_start_that_a_person_changed_is_theirs(tmp_path: Path) -> None:
    """Another limit, or a handler of theirs in the same group: the other events come beside it."""
    group = {"hooks": [{"type": "command", "command": COMMANDS["claude"], "timeout": 60}]}
    put(
        tmp_path, ".claude/settings.json", json.dumps({"hooks": {"SessionStart": [group]}}).encode()
    )
    apply_plan(plan_install(str(tmp_path), ("claude",), user=False, servers=False), user=False)
    found = json.loads((tmp_path / ".claude/settings.json").read_text())["hooks"]
    assert found["SessionStart"] == [group] and sorted(found) == sorted(EVENTS["claude"].split())


def test_a_file_of_another_release_is_replaced(tmp_path: Path) -> None:
    """By its stamp; a word in it that is not ours, and it stays."""
    path = ".opencode/plugin/diurna.js"
    put(tmp_path, path, marked_text.stamped("// older\n", "// ").encode())
    plan = plan_install(str(tmp_path), ("opencode",), user=False, servers=False)
    assert [one.file for one in plan.changes][:1] == [path] and not plan.left
    put(tmp_path, path, marked_text.stamped("// older\n", "// ").replace("older", "mine").encode())
    plan = plan_install(str(tmp_path), ("opencode",), user=False, servers=False)
    assert [one.file for one in plan.left] == [path]


def test_servers_are_where_hosts_read_them(bare_repo: Repo, run: Run) -> None:
    """One entry each, for those that read one in a project."""
    assert run("install", *HOSTS, "--mcp").code == 0
    server = {"command": "diurna", "args": ["mcp"]}
    for name in (".mcp.json", ".gemini/settings.json", ".qwen/settings.json", ".cursor/mcp.json"):
        assert json.loads((bare_repo.path / name).read_text())["mcpServers"] == {
            "diurna": server
        }, name
    assert tomllib.loads((bare_repo.path / ".codex/config.toml").read_text()) == {
        "mcp_servers": {"diurna": server}
    }
    opencode = json.loads((bare_repo.path / "opencode.json").read_text())["mcp"]["diurna"]
    assert opencode == {"type": "local", "command": ["diurna", "mcp"], "enabled": True}
    assert '{\n  "' in (bare_repo.path / ".cursor/mcp.json").read_text()
    assert run("install", "--remove").code == 0
    assert list(tree(bare_repo.path)) == ["code.py"]


@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_the_plugin_puts_the_brief_into_the_system_prompt(
    bare_repo: Repo, run: Run, tmp_path: Path
) -> None:
    """Once a session, and again after a compaction; what happens is handed over, and no `diurna` is silence."""
    assert run("install", "opencode", "--no-mcp").code == 0
    plugin = tmp_path / "plugin.mjs"
    shutil.copy(bare_repo.path / ".opencode/plugin/diurna.js", plugin)
    fake = put(
        tmp_path,
        "bin/diurna",
        b'#!/bin/sh\ncat >>"$LOG"; echo >>"$LOG"; echo "$@" >>"$LOG"\necho "{\\"additionalContext\\": \\"told\\"}"\n',
    )
    fake.chmod(0o755)
    script = f"import {{ Diurna }} from {json.dumps(str(plugin))}\n{SESSION}"
    log = tmp_path / "log"
    environment = {**os.environ, "LOG": str(log)}
    node = str(shutil.which("node"))
    for search_path, told in ((f"{fake.parent}:{os.environ['PATH']}", "told"), ("/nowhere", "")):
        done = subprocess.run(
            [node, "--input-type=module", "-e", script], capture_output=True, check=True, timeout=60,
            env={**environment, "PATH": search_path},
        )  # fmt: skip
        answer = json.loads(done.stdout)
        assert answer["system"] == [told] * 4 if told else answer["system"] == []
        assert [one.get("text") for one in answer["parts"]] == ["go", *([told] if told else [])]
        assert answer["outputs"] == ["looked", f"made\n\n{told}" if told else "made"]
        assert answer["context"] == ([told] if told else []) and answer["env"] == {
            "DIURNA_SESSION": "a"
        }
    said = log.read_text().splitlines()
    calls = [
        (json.loads(one), said[at + 1].split()[2]) for at, one in enumerate(said) if one[0] == "{"
    ]
    assert {one["cwd"] for one, _ in calls} == {os.getcwd()}
    start = "experimental.chat.system.transform"
    assert [event for _, event in calls] == [
        start, start, "chat.message", "tool.execute.after", "experimental.session.compacting", start, "session.idle",
    ]  # fmt: skip
    assert [one["source"] for one, event in calls if event == start] == [
        "startup",
        "startup",
        "compact",
    ]
    moments = [moment("opencode", event, one, {}) for one, event in calls]
    assert moments[2].prompt == "go" and moments[6].message == "Well done."
    handed: list[Any] = [moments[at].given["messages"] for at in (4, 6)]
    assert all(one["info"].pop("time")["created"] > 1e12 for listed in handed for one in listed)
    given = {"command": "make"}
    assert handed == [
        [
            {"info": {"id": "m", "role": "user"}, "parts": [{"type": "text", "text": "go"}]},
            {
                "info": {"id": "c1", "role": "assistant"},
                "parts": [
                    {
                        "type": "tool",
                        "tool": "grep",
                        "state": {"input": given, "output": "looked", "metadata": {}},
                    }
                ],
            },
            {
                "info": {"id": "c2", "role": "assistant"},
                "parts": [
                    {
                        "type": "tool",
                        "tool": "bash",
                        "state": {"input": given, "output": "made", "metadata": {"exit": 0}},
                    }
                ],
            },
            {
                "info": {"id": "title", "role": "host"},
                "parts": [{"type": "text", "text": "Make it"}],
            },
        ],
        [
            {"info": {"id": "aborted", "role": "host"}, "parts": []},
            {
                "info": {"id": "p", "role": "assistant"},
                "parts": [{"type": "text", "text": "Well done."}],
            },
        ],
    ]
    assert (moments[3].tool, moments[3].given, moments[3].once) == (
        "bash",
        {"command": "make"},
        "c2",
    )
    assert moments[3].answer == {"output": "made", "exit": 0}
    assert {one.event for one in moments} == set(HOSTS["opencode"].events.values())


#: A session of opencode as its plugin sees it: two sessions, a prompt, two calls of tools, a compaction.
SESSION = """
const hooks = await Diurna({ directory: process.cwd() }), output = { system: [] }
const start = hooks["experimental.chat.system.transform"]
for (const sessionID of ["a", "a", "b"]) await start({ sessionID }, output)
const parts = [{ type: "text", text: "go" }]
await hooks["chat.message"]({ sessionID: "a" }, { message: { id: "m" }, parts })
const outputs = [{ output: "looked" }, { output: "made", metadata: { exit: 0 } }]
const call = (tool, callID) => ({ tool, sessionID: "a", callID, args: { command: "make" } })
await hooks["tool.execute.after"](call("grep", "c1"), outputs[0])
await hooks["tool.execute.after"](call("bash", "c2"), outputs[1])
for (const title of ["New session - 2026", "Make it", "Make it"])
  await hooks.event({ event: { type: "session.updated", properties: { sessionID: "a", info: { title } } } })
const compacting = { context: [] }, shell = { env: {} }
await hooks["experimental.session.compacting"]({ sessionID: "a" }, compacting)
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "a" } } })
await start({ sessionID: "a" }, output)
const error = { name: "MessageAbortedError" }
await hooks.event({ event: { type: "session.error", properties: { sessionID: "a", error } } })
await hooks["experimental.text.complete"]({ sessionID: "a", partID: "p" }, { text: "Well done." })
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "a" } } })
await hooks["shell.env"]({ cwd: ".", sessionID: "a" }, shell)
const told = outputs.map((one) => one.output)
console.log(JSON.stringify({ ...output, parts, outputs: told, ...compacting, ...shell }))
"""


# ---- the plugin of marketplaces -----------------------------------------------------------------------


def test_the_plugin_is_what_is_installed(bare_repo: Repo, run: Run, tmp_path: Path) -> None:
    """Hooks, skill and server of the one table, in Claude's format and by Agent Plugins 1.0.0."""
    out = tmp_path / "out"
    ran = run("install", "--export", str(out))
    assert ran.code == 0 and "--plugin-dir" in ran.err
    assert run("install", "claude", "--mcp").code == 0
    top = bare_repo.path

    def read(path: Path) -> Any:
        return json.loads(path.read_text())

    assert read(out / "hooks/hooks.json")["hooks"] == read(top / ".claude/settings.json")["hooks"]
    assert read(out / ".mcp.json") == read(top / ".mcp.json")
    portable = out / "agent-plugins/diurna"
    for skill in (f"skills/{name}/SKILL.md" for name in SKILLS):
        assert (out / skill).read_bytes() == (portable / skill).read_bytes()
        assert (out / skill).read_bytes() == (top / ".claude" / skill).read_bytes()
    manifest, market = (
        read(out / ".claude-plugin/plugin.json"),
        read(out / ".claude-plugin/marketplace.json"),
    )
    assert market["plugins"][0]["name"] == market["name"] == manifest["name"] == "diurna"
    # closed schemas: no key that the format does not have
    about, servers = read(portable / "plugin.json"), read(portable / "mcp.json")
    assert set(about) <= {"$schema", "name", "version", "description", "author", "license"}
    assert about["$schema"].endswith("/1.0.0/plugin.schema.json") and about["name"] == "diurna"
    assert servers["$schema"].endswith("/1.0.0/mcp.schema.json") and set(servers) == {
        "$schema",
        "mcpServers",
    }
    assert servers["mcpServers"] == {
        "diurna": {"type": "stdio", "command": "diurna", "args": ["mcp"]}
    }


def test_an_export_leaves_other_files_alone(bare_repo: Repo, run: Run, tmp_path: Path) -> None:
    """A second one changes nothing; a file that says something else is named and stays."""
    mine = put(tmp_path, "out/README.md", b"# Mine\n")
    ran = run("install", "--export", str(tmp_path / "out"), "--dry-run")
    assert ran.code == 1 and tree(tmp_path / "out") == {"README.md": b"# Mine\n"}
    mine.unlink()
    assert run("install", "--export", str(tmp_path / "out")).code == 0
    assert "nothing to do" in run("install", "--export", str(tmp_path / "out")).out
    assert run("install", "claude", "--export", str(tmp_path / "out")).code == 2
    assert list(tree(bare_repo.path)) == ["code.py"]


def test_the_page_says_what_each_host_has() -> None:
    """The table of AGENTS.md is the one of the adapters."""
    page = (GUIDE / "AGENTS.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()]
    head = next(at for at, row in enumerate(rows) if row[:2] == ["", "Claude"])
    hosts = [name.lower() for name in rows[head][1:]]
    assert set(hosts) == set(HOSTS) - {"antigravity"}
    meanings = [("start", "prompt", "tool", "stop"), ("failure",), ("precompact",), ("end",),
                ("subagent_start", "subagent_stop"), ("task",)]  # fmt: skip
    for row, wanted in zip(rows[head + 2 :], meanings, strict=False):
        for host, cell in zip(hosts, row[1:], strict=True):
            has = set(wanted) <= set(HOSTS[host].events.values())
            assert (cell != "") == has, (host, row[0])


# ---- the rule ----------------------------------------------------------------------------------------


def test_the_rule_stands_where_it_is_read(bare_repo: Repo, run: Run) -> None:
    """AGENTS.md; for Claude CLAUDE.md where there is one of its own, for Gemini GEMINI.md."""
    assert len(GROUND_RULE.whole.splitlines()) <= 12
    top = bare_repo.path
    assert run("install", "claude", "codex", "gemini", "--no-mcp").code == 0
    block = GROUND_RULE.whole.encode() + b"\n"
    assert (top / "AGENTS.md").read_bytes() == (top / "GEMINI.md").read_bytes() == block
    assert not (top / "CLAUDE.md").exists()
    # another host still reads it
    assert run("install", "--remove", "claude").code == 0
    assert (top / "AGENTS.md").exists() and not (top / ".claude").exists()
    assert run("install", "--remove", "codex", "gemini").code == 0
    assert list(tree(top)) == ["code.py"]
    (top / "CLAUDE.md").write_text("Be kind.\n")
    assert run("install", "claude", "--no-mcp").code == 0
    assert (top / "CLAUDE.md").read_text() == f"Be kind.\n\n{GROUND_RULE.whole}\n"
    assert not (top / "AGENTS.md").exists()
    assert run("install", "--remove", "claude").code == 0
    (top / "AGENTS.md").write_text("All of it.\n")
    (top / "CLAUDE.md").unlink()
    (top / "CLAUDE.md").symlink_to("AGENTS.md")
    assert run("install", "claude", "--no-mcp").code == 0
    assert (top / "CLAUDE.md").is_symlink() and (top / "AGENTS.md").read_text().count(
        "diurna:begin"
    ) == 1
    assert run("install", "--remove", "claude").code == 0
    assert (top / "AGENTS.md").read_text() == "All of it.\n"


def test_a_block_that_a_person_edited_is_left_alone(bare_repo: Repo, run: Run) -> None:
    """And named, by both commands; so is one whose other mark is lost."""
    assert run("install", "codex", "--no-mcp").code == 0
    path = bare_repo.path / "AGENTS.md"
    for odd in (
        path.read_text().replace("Ask before", "Never ask before"),
        path.read_text().replace("diurna:end", "end"),
    ):
        path.write_text(odd)
        for options in ((), ("--remove",)):
            ran = run("install", *options, "codex")
            assert ran.code == 1 and "AGENTS.md: it " in ran.err and "by hand" in ran.err
            assert path.read_text() == odd


# ---- what is left alone --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b'{"a": 1, // why\n}', b'{"a": 1,}', b"[]", b'{"hooks": null}', b'{"hooks": {"SessionStart": {}}}',
     b'{"a": 1, "a": 2}', b"\xff\xfe{\0}\0", b'{"a": NaN}', b"[" * 100_000],
    ids=range(11),
)  # fmt: skip
def test_a_file_that_can_not_be_read_is_named_and_left_alone(
    bare_repo: Repo, run: Run, text: bytes
) -> None:
    """With what to add by hand; the other files go on."""
    path = put(bare_repo.path, ".claude/settings.json", text)
    ran = run("install", "claude", "--no-mcp")
    assert ran.code == 1 and path.read_bytes() == text
    assert ".claude/settings.json: it " in ran.err and COMMANDS["claude"] in ran.err
    assert (bare_repo.path / "AGENTS.md").exists()
    answer = run("install", "claude", "--no-mcp", "--json").json
    assert [one["file"] for one in answer["left"]] == [".claude/settings.json"] and answer[
        "files"
    ] == []
    assert run("install", "--remove").code == 0 and path.read_bytes() == text
    if text:
        path.write_bytes(text + COMMANDS["claude"].encode())  # whatever it is, it may be ours
        ran = run("install", "--remove")
        assert ran.code == 1 and ".claude/settings.json: it " in ran.err and "by hand" in ran.err
        assert path.read_bytes() == text + COMMANDS["claude"].encode()


@pytest.mark.parametrize(
    "text", [b"a = ", b"mcp_servers = {}\n", b"mcp_servers = 1\n", b"\xff"], ids=range(4)
)
def test_toml_that_no_table_can_be_added_to_is_left_alone(
    bare_repo: Repo, run: Run, text: bytes
) -> None:
    """Broken, or with its servers in a form that a table would break."""
    path = put(bare_repo.path, ".codex/config.toml", text)
    ran = run("install", "codex", "--mcp")
    assert ran.code == 1 and path.read_bytes() == text and "mcp_servers.diurna" in ran.err
    assert (bare_repo.path / ".codex/hooks.json").exists()


def test_a_server_of_that_name_is_a_persons(bare_repo: Repo, run: Run) -> None:
    """It is neither written over nor taken away."""
    mine = b'{"mcpServers": {"diurna": {"command": "mine"}}}'
    toml = b"[mcp_servers.diurna]\ncommand = 'mine'\n"
    put(bare_repo.path, ".mcp.json", mine)
    put(bare_repo.path, ".codex/config.toml", toml)
    assert run("install", "claude", "codex", "--mcp").code == 0
    assert run("install", "--remove").code == 0
    assert tree(bare_repo.path) == {
        "code.py": b"print('hello')\n", ".mcp.json": mine, ".codex": None, ".codex/config.toml": toml,
    }  # fmt: skip


def test_nothing_outside_is_written(bare_repo: Repo, run: Run, tmp_path: Path) -> None:
    """By a link of a file or a folder, dangling or not; a link within the project is followed and stays."""
    outside = tmp_path / "outside"
    put(outside, "settings.json", b"{}")
    top = bare_repo.path
    (top / ".claude").symlink_to(outside)
    (top / ".codex").mkdir()
    (top / ".codex/hooks.json").symlink_to("nothing.json")
    ran = run("install", "claude", "codex", "--no-mcp")
    assert ran.code == 1 and "elsewhere" in ran.err and "link to nothing" in ran.err
    assert tree(outside) == {"settings.json": b"{}"} and os.listdir(top / ".codex") == [
        "hooks.json"
    ]
    assert run("install", "--remove").code == 0
    assert tree(outside) == {"settings.json": b"{}"} and (top / ".codex/hooks.json").is_symlink()
    (top / ".codex/hooks.json").unlink()
    put(top, "shared/hooks.json", b'{"hooks": {}}')
    (top / ".codex/hooks.json").symlink_to("../shared/hooks.json")
    assert run("install", "codex", "--no-mcp").code == 0
    assert COMMANDS["codex"] in (top / "shared/hooks.json").read_text()
    assert run("install", "--remove", "codex").code == 0
    assert (top / ".codex/hooks.json").is_symlink()
    assert (top / "shared/hooks.json").read_bytes() == b'{"hooks": {}}'


def test_a_read_only_file_stays_and_a_mode_is_kept(bare_repo: Repo, run: Run) -> None:
    """A file that its owner wrote-protected is named."""
    path = put(bare_repo.path, ".claude/settings.json", b"{}\n")
    path.chmod(0o444)
    ran = run("install", "claude", "--no-mcp")
    assert ran.code == 1 and "read-only" in ran.err and path.read_bytes() == b"{}\n"
    path.chmod(0o600)
    assert run("install", "claude", "--no-mcp").code == 0
    assert path.stat().st_mode & 0o777 == 0o600 and COMMANDS["claude"] in path.read_text()


# ---- the command -------------------------------------------------------------------------------------


def test_a_dry_run_shows_each_file_and_changes_nothing(bare_repo: Repo, run: Run) -> None:
    """As a diff that git applies."""
    put(bare_repo.path, ".claude/settings.json", b'{\r\n\t"model": "x"\r\n}')
    before = tree(bare_repo.path)
    ran = run("install", "claude", "--no-mcp", "--dry-run")
    assert ran.code == 0 and tree(bare_repo.path) == before
    assert "would write .claude/settings.json" in ran.out and "would make AGENTS.md" in ran.out
    assert "+++ .claude/settings.json" in ran.out and COMMANDS["claude"] in ran.out
    said = run("install", *HOSTS, "--no-mcp", "--dry-run").err
    assert "Codex asks once" not in said
    assert "claude, codex, copilot, gemini, qwen: when it stops" in said
    answer = run("install", "claude", "--no-mcp", "--dry-run", "--json").json
    did = [one["did"] for one in answer["files"]]
    assert answer["dry_run"] and did == ["write", *["make"] * len(SKILLS), "make"]
    assert run("install", "claude", "--no-mcp").code == 0
    assert run("install", "--remove", "--dry-run").code == 0
    assert run("install", "--remove").code == 0
    assert tree(bare_repo.path) == before


def test_hosts_that_are_found_are_listed(
    bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By their program or their folder; nothing is changed until one is named."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    put(tmp_path, "bin/codex", b"#!/bin/sh\n").chmod(0o755)
    (tmp_path / "home/.qwen").mkdir(parents=True)
    (bare_repo.path / ".cursor").mkdir()
    ran = run("install")
    assert ran.code == 0 and ran.err == "hint: diurna install codex qwen cursor\n"
    assert run("install", "--json").json["hosts"] == ["codex", "qwen", "cursor"]
    assert sorted(tree(bare_repo.path)) == [".cursor", "code.py"]
    assert run("install", "emacs").code == 2


@pytest.fixture
def person(
    bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Any]:
    """A person at a terminal, on a machine with Claude and Cursor; answers come in their order."""
    monkeypatch.setattr(Invocation, "interactive", lambda call: True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in (".claude", ".cursor"):
        (tmp_path / "home" / name).mkdir(parents=True)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return lambda *command, says: run(*command, stdin="".join(f"{one}\n" for one in says).encode())


def test_a_person_is_asked(bare_repo: Repo, person: Callable[..., Any], tmp_path: Path) -> None:
    """For each host that is found, where its logs land, and who reads sessions; and is told what is kept."""
    assert person("install", says="nn").out == "nothing is installed\n"
    ran = person("install", "--no-mcp", says=["n", "y", "n", ""])
    assert ran.code == 0 and "branch of its own" in ran.err and "`diurna init` makes" in ran.err
    assert "diurna capture --show" in ran.err and "on this machine" in ran.err
    assert not (bare_repo.path / ".claude/settings.json").exists()
    assert COMMANDS["cursor"] in (bare_repo.path / ".cursor/hooks.json").read_text()
    assert not (tmp_path / "home/.config").exists()  # nobody needs no configuration
    assert not bare_repo.git("branch", "--list", "memory")
    ran = person("install", "claude", "--no-mcp", says=["y", "codex"])
    assert ran.code == 0 and "memory" in bare_repo.git("branch", "--list", "memory")
    config = tmp_path / "home/.config/diurna/config.toml"
    assert config.stat().st_mode & 0o777 == 0o600
    assert settings({"HOME": str(tmp_path / "home")}).extractors == ("codex",)
    assert "who reads?" not in person("install", "claude", "--mcp", says="").err


def test_an_endpoint_is_asked_for(
    bare_repo: Repo, person: Callable[..., Any], tmp_path: Path
) -> None:
    """With its address, its model and the variable of its key; without an address nothing is written."""
    home = tmp_path / "home"
    said = ["y", "http", "ftp://x", "m", ""]
    ran = person("install", "claude", "--no-mcp", says=said)
    assert ran.code == 1 and "https://" in ran.err and not (home / ".config").exists()
    said = ["http", "https://models.example.org/v1", "small", "MODEL_KEY"]
    assert person("install", "cursor", "--no-mcp", says=said).code == 0
    found = settings({"HOME": str(home)})
    assert found.extractors == ("http",) and not found.wrong
    assert (found.url, found.model, found.key_variable) == (
        "https://models.example.org/v1",
        "small",
        "MODEL_KEY",
    )


def test_init_offers_the_branch_and_the_hosts(
    bare_repo: Repo, person: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, to a person; whoever names a branch or has a home is asked for less."""
    ran = person("init", says=["", "y", "n", "nobody"])
    assert ran.code == 0 and "on a branch of its own, memory?" in ran.err
    assert (
        "memory" in bare_repo.git("branch", "--list", "memory")
        and not (bare_repo.path / "memory").exists()
    )
    assert COMMANDS["claude"] in (bare_repo.path / ".claude/settings.json").read_text()
    assert not (bare_repo.path / ".cursor").exists()
    assert "install for" not in person("init", "--branch", "memory", says="").err
    assert "install for" not in person("init", "--branch", "other", "--dry-run", says="").err


def test_for_the_user_nothing_of_the_project_is_touched(
    bare_repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And without it nothing above the work tree; outside of one only the user's files can be meant."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    project = tree(bare_repo.path)
    assert run("install", *HOSTS, "--user", "--mcp").code == 0
    assert tree(bare_repo.path) == project
    assert COMMANDS["claude"] in (home / ".claude/settings.json").read_text()
    assert (home / ".config/opencode/plugin/diurna.js").exists()
    assert run("install", "--remove", "--user").code == 0
    noted = ".local/state/diurna/informed"  # that the user was told what is kept
    assert [name for name, data in tree(home).items() if data is not None] == [noted]
    assert run("install", "claude").code == 0
    assert [name for name, data in tree(home).items() if data is not None] == [noted]
    monkeypatch.chdir(tmp_path)
    ran = run("install", "claude")
    assert ran.code == 1 and "--user" in ran.err


def test_doctor_names_what_is_not_as_it_was_written(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By host and file, of the project and of the user; and nothing of hosts that nobody installed for."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    put(tmp_path, "bin/diurna", b"#!/bin/sh\necho '{}'\n").chmod(0o755)

    def told() -> list[str]:
        found = run("check", "--json").json["findings"]
        return [one["message"] for one in found if one["code"].startswith("host-")]

    assert told() == []
    assert run("install", "opencode", "claude", "--no-mcp").code == 0
    assert run("install", "opencode", "--user", "--no-mcp").code == 0
    assert told() == []
    plugin = tmp_path / "home/.config/opencode/plugin/diurna.js"
    plugin.write_text(plugin.read_text() + "// mine\n")
    path = repo.path / "AGENTS.md"
    path.write_text(path.read_text().replace("Ask before", "Never ask before"))
    edited = f"{path} was edited between the marks of Diurna's block"
    edited_plugin = f"opencode: {plugin} is not as Diurna wrote it"
    assert set(told()) == {f"claude: {edited}", f"opencode: {edited}", edited_plugin}
    before = plugin.read_bytes()
    for options in ((), ("--remove",)):
        ran = run("install", *options, "opencode", "--user")
        assert ran.code == 1 and plugin.read_bytes() == before
        assert "once it has another name" in ran.err
    assert run("install", "--remove").code == 1
    skills = [tmp_path / f"home/.agents/skills/{name}/SKILL.md" for name in SKILLS]
    missing = "opencode: what `diurna install opencode --user` writes is not in"
    assert set(told()) == {edited_plugin, *(f"{missing} {skill}" for skill in skills)}
