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
from hypothesis import HealthCheck, given
from hypothesis import settings as setting
from hypothesis import strategies as st

from tests.conftest import Repo, Run, examples
from tests.host_door import EVENTS
from tests.pages import GUIDE

SKILLS = [
    f"diurna-{one}" for one in ("remember", "recall", "review", "handover", "harvest", "learn")
]
#: Where each host keeps its hooks in a project, and how a hook is written there.
FILES = {
    "claude": ".claude/settings.json", "codex": ".codex/hooks.json", "copilot": ".github/hooks/diurna.json",
    "gemini": ".gemini/settings.json", "qwen": ".qwen/settings.json", "cursor": ".cursor/hooks.json",
}  # fmt: skip
#: What the hosts call the tools that change something or read a file; Codex's agent reads by the shell.
TOOLS = {
    "claude": ("Bash", "Write", "Edit", "NotebookEdit", "apply_patch", "Read"), "codex": ("Bash", "apply_patch"),
    "copilot": ("bash", "create", "edit", "view"), "gemini": ("run_shell_command", "write_file", "replace", "read_file"),
    "qwen": ("run_shell_command", "write_file", "edit", "read_file"), "cursor": ("Shell", "Write", "Read"),
}  # fmt: skip
PLAIN = sorted(EVENTS)


def guarded(command: str) -> str:
    """The same bytes in every release to come: a host trusts a command by its hash."""
    return f"command -v diurna >/dev/null 2>&1 && {command} 2>/dev/null || exit 0"


COMMANDS = {host: guarded(f"diurna hook {host} {EVENTS[host]['start']}") for host in FILES}


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


def contents(folder: Path) -> dict[str, bytes]:
    return {path: data for path, data in tree(folder).items() if data is not None}


# ---- the laws ----------------------------------------------------------------------------------------

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
LAW = setting(
    max_examples=examples(4, 80), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def install(run: Run, host: str, user: bool, *more: str) -> int:
    return run("install", *more, host, *(["--user"] if user else [])).code


@pytest.fixture
def place(
    bare_repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[bool], Path]:
    """Empty the project, or the user's folder; return which of both is written to."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))

    def empty(user: bool) -> Path:
        top = home if user else bare_repo.path
        for path in top.iterdir() if top.exists() else ():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        put(home, ".local/state/diurna/informed", b"")  # that the user was told what is kept
        return top

    return empty


#: The files of each host that an install writes into, in a project and in the user's folder.
WRITTEN: dict[tuple[str, bool], tuple[str, ...]] = {}


def written(run: Run, place: Callable[[bool], Path], host: str, user: bool) -> tuple[str, ...]:
    if (host, user) not in WRITTEN:
        top = place(user)
        assert install(run, host, user) == 0
        WRITTEN[host, user] = tuple(
            path for path in contents(top) if path.endswith((".json", ".toml", ".md"))
        )
        assert install(run, host, user, "--remove") == 0
    return WRITTEN[host, user]


@LAW
@given(
    host=st.sampled_from(sorted(EVENTS)), user=st.booleans(), texts=st.lists(laid_out(), min_size=3, max_size=3), toml=_TOML,
    lines=_LINES, there=st.lists(st.booleans(), min_size=4, max_size=4),
)  # fmt: skip
def test_what_was_there_before_is_there_again(
    run: Run, place: Callable[[bool], Path], host: str, user: bool, texts: list[bytes], toml: bytes, lines: bytes, there: list[bool]
) -> None:  # fmt: skip
    """Also where there was nothing; a second run changes nothing; all else in a file says what it said."""
    paths = [path for path in written(run, place, host, user) if "SKILL" not in path]
    top = place(user)
    for path, data, is_there in zip(paths, [*texts, lines], there, strict=False):
        if is_there:
            put(
                top,
                path,
                toml if path.endswith(".toml") else lines if path.endswith(".md") else data,
            )
    before = contents(top)
    code = install(run, host, user)
    after = contents(top)
    for path, data in before.items():
        if path.endswith(".json") and after[path] != data:
            old, new = (json.loads(one.decode("utf-8-sig")) for one in (data, after[path]))
            assert _without_ours(new, old) == old
    assert install(run, host, user) == code and contents(top) == after
    install(run, host, user, "--remove")
    assert contents(top) == before


def _without_ours(new: Any, old: Any) -> Any:
    """Take what is ours out of a value, and what was made to hold it."""
    if isinstance(new, list):
        kept = [one for one in new if "diurna" not in json.dumps(one)]
        return kept
    if not isinstance(new, dict):
        return new
    found = {}
    for key, value in new.items():
        if isinstance(old, dict) and key in old:
            found[key] = _without_ours(value, old[key]) if value != old[key] else value
        elif key in ("version", "$schema"):
            continue
        elif "diurna" not in json.dumps({key: value}):
            found[key] = value
    return found


@st.composite
def rewritten(draw: st.DrawFn, found: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A file as its host writes it anew, and what in it is not ours."""
    theirs: dict[str, Any] = {}
    groups = {"hooks": [{"type": "command", "command": "theirs"}]}
    for key in draw(st.lists(st.sampled_from(["$version", "$schema", "model", "z"]), unique=True)):
        found[key] = theirs[key] = draw(st.sampled_from([4, "x", {"y": [1]}]))
    for event in (
        draw(st.lists(st.sampled_from(sorted(found.get("hooks") or {})), unique=True))
        if found.get("hooks")
        else ()
    ):
        found["hooks"][event].insert(draw(st.sampled_from([0, 1])), groups)
        theirs.setdefault("hooks", {})[event] = [groups]
    for name in ("mcpServers", "mcp"):
        if name in found and draw(st.booleans()):
            found[name]["other"] = {"command": "x"}
            theirs[name] = {"other": {"command": "x"}}
        if name in found and draw(st.booleans()):
            found[name]["diurna"]["disabled"] = False
    if draw(st.booleans()):
        for listed in (found.get("hooks") or {}).values():
            for one in listed:
                for handler in one.get("hooks", [one]):
                    if "diurna" in json.dumps(handler):
                        handler |= {"name": "memory", "timeout": 60}

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shuffled(value[key]) for key in draw(st.permutations(sorted(value)))}
        return [shuffled(one) for one in value] if isinstance(value, list) else value

    text = json.dumps(
        shuffled(found) if draw(st.booleans()) else found,
        indent=draw(st.sampled_from([None, 2, 4, "\t"])),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": ")])),
    )
    for char in draw(st.lists(st.sampled_from("><&"))):
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text + draw(st.sampled_from(["", "\n"])), theirs


def said(value: Any) -> Any:
    """What a value says, without containers that hold nothing, and stamps of hosts."""
    if isinstance(value, dict):
        kept = {
            key: said(one)
            for key, one in value.items()
            if key not in ("$version", "$schema", "version")
        }
        return {key: one for key, one in kept.items() if one not in ({}, [])}
    return [said(one) for one in value] if isinstance(value, list) else value


@LAW
@given(host=st.sampled_from(PLAIN), user=st.booleans(), mine=st.booleans(), data=st.data())
def test_what_a_host_wrote_is_all_that_stays(
    run: Run, place: Callable[[bool], Path], host: str, user: bool, mine: bool, data: st.DataObject
) -> None:
    """Whatever it reorders, adds and lays out anew: no doubled hook, nothing of ours behind, all of theirs there."""
    paths = [path for path in written(run, place, host, user) if path.endswith(".json")]
    top = place(user)
    for path in paths if mine else ():
        put(top, path, b'{"own": {"deep": [1, {}]}}')
    assert install(run, host, user) == 0
    theirs: dict[str, dict[str, Any]] = {}
    for path in paths:
        text, theirs[path] = data.draw(rewritten(json.loads((top / path).read_text())))
        (top / path).write_text(text)
    texts = contents(top)
    assert install(run, host, user) == 0 and contents(top) == texts
    assert install(run, host, user, "--remove") == 0
    for path in paths:
        left = (top / path).read_text() if (top / path).exists() else "{}"
        assert "diurna" not in left
        assert said(json.loads(left)) == said(
            theirs[path] | ({"own": {"deep": [1, {}]}} if mine else {})
        )


_TABLES = {
    "": 'model = "x"\n', "tui": "[tui]\ntheme = 'a # b'\n", "list": "[list]\nlong = [\n  1,\n  # two\n  2,\n]\n",
    "text": '[text]\nsaid = """\n[mcp_servers.diurna]\ncommand = "no"\n"""\n',
    "other": "[mcp_servers.other]\ncommand = 'y'\n", "nux": "[tui.nux]\nseen = 1\n",
    "many": "[[many]]\na = 1\n[[many]]\na = 2\n",
}  # fmt: skip
_OURS = 'command = "diurna"\nargs = ["mcp"]\n'


@LAW
@given(
    order=st.permutations([*_TABLES, "diurna"]), count=st.integers(0, len(_TABLES)),
    more=st.booleans(), crlf=st.booleans(), bom=st.booleans(),
)  # fmt: skip
def test_a_table_is_found_wherever_its_host_put_it(
    run: Run, place: Callable[[bool], Path], order: list[str], count: int, more: bool, crlf: bool, bom: bool
) -> None:  # fmt: skip
    """With keys and tables below it: all else says what it said, and a second install does nothing."""
    top = place(True)
    names = [name for name in order if name == "diurna" or name in list(_TABLES)[:count]]
    names.sort(key=lambda name: name != "")
    extra = "enabled = true\n" if more else ""
    ours = f"[mcp_servers.diurna]\n{extra}{_OURS}"
    if more:
        ours += "[mcp_servers.diurna.tools.recall]\napproval = 'auto'\n"
    text = "".join([ours if name == "diurna" else _TABLES[name] for name in names])
    wanted = tomllib.loads("".join([_TABLES[name] for name in names if name != "diurna"]))
    data = (b"\xef\xbb\xbf" if bom else b"") + text.replace("\n", "\r\n" if crlf else "\n").encode()
    path = put(top, ".codex/config.toml", data)
    assert install(run, "codex", True) == 0 and path.read_bytes() == data
    assert install(run, "codex", True, "--remove") == 0
    left = path.read_bytes() if path.exists() else b""
    found = tomllib.loads(left.decode("utf-8-sig").replace("\r\n", "\n"))
    if not found.get("mcp_servers", 1):
        del found["mcp_servers"]
    assert found == wanted and path.exists() == bool(left.strip())


def test_what_a_host_left_of_ours_comes_back_and_what_a_person_made_stays(
    run: Run, place: Callable[[bool], Path]
) -> None:
    """A stamp of the host alone keeps no file of ours; a server in a form that is not ours to edit is named."""
    top = place(True)
    path = put(
        top, ".codex/config.toml", b'[mcp_servers]\ndiurna = {command = "diurna", args = ["mcp"]}\n'
    )
    before = path.read_bytes()
    assert install(run, "codex", True, "--remove") == 1 and path.read_bytes() == before
    top = place(False)
    for host, name, key in (
        ("qwen", ".qwen/settings.json", "$version"),
        ("opencode", "opencode.json", "$schema"),
    ):
        assert install(run, host, False) == 0
        found = json.loads((top / name).read_text())
        (top / name).write_text(json.dumps({**found, key: found.get(key, 4)}, indent=2) + "\n")
        assert install(run, host, False, "--remove") == 0 and not (top / name).exists()
        for data in (b'{"%s": 4}' % key.encode(), b"{\n}\n", b'{ "mcp": {}, "hooks": {} }'):
            put(top, name, data)
            assert (install(run, host, False), install(run, host, False, "--remove")) == (0, 0)
            assert (top / name).read_bytes() == data
            (top / name).unlink()


# ---- each host ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", FILES)
def test_every_event_is_entered_by_the_hosts_own_name(bare_repo: Repo, run: Run, host: str) -> None:
    """Where it looks, once, with a limit above our own; a hook of a tool names those that change or read a file."""
    ran = run("install", host, "--no-mcp")
    assert ran.code == 0 and "`diurna init` makes a home" in ran.err
    whole = json.loads((bare_repo.path / FILES[host]).read_text())
    found = whole["hooks"]
    assert sorted(found) == sorted(EVENTS[host].values()) and whole.get("version", 1) == 1
    assert ("version" in whole) is (host in ("copilot", "cursor"))
    second = 1000 if host == "gemini" else 1
    for event, groups in found.items():
        (group,) = groups
        (handler,) = group.get("hooks", groups)
        assert handler["bash" if host == "copilot" else "command"] == guarded(
            f"diurna hook {host} {event}"
        )
        limit = handler["timeoutSec" if host == "copilot" else "timeout"]
        assert limit == (3 if event in ("SessionEnd", "sessionEnd") else 5) * second
        assert ("matcher" in group) is ("tool" in event.lower())
        for tool, asked in (
            *[(one, True) for one in TOOLS[host]],
            ("Grep", False),
            ("glob", False),
            ("WebSearch", False),
        ):
            assert "matcher" not in group or bool(re.fullmatch(group["matcher"], tool)) is asked
    assert "nothing to do" in run("install", host, "--no-mcp").out
    rules = next(one for one in bare_repo.path.glob("*.md"))
    rules.write_bytes(b"# Theirs\n" + rules.read_bytes() + b"\nMore of theirs.\n")
    assert run("install", "--remove").code == 0
    assert rules.read_bytes() == b"# Theirs\n\nMore of theirs.\n"


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh", "fish", "ksh"])
def test_a_hook_without_diurna_is_silent_and_ends_with_0(tmp_path: Path, shell: str) -> None:
    """(fault:K5) Also where there is one that knows no such hook; and where there is one it has input and output."""
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

    commands = [
        guarded(f"diurna hook {host} {event}") for host in FILES for event in EVENTS[host].values()
    ]
    for command in commands if shell == "sh" else commands[:1]:
        assert ran(command) == (0, b"", b"")
    command = COMMANDS["claude"]
    diurna = put(tmp_path, "diurna", b"#!/bin/sh\necho 'no such command' >&2\nexit 2\n")
    diurna.chmod(0o755)
    assert ran(command) == (0, b"", b"")
    diurna.write_text('#!/bin/sh\nread said; echo "$said $*"\n')
    assert ran(command) == (0, b"given hook claude SessionStart\n", b"")
    diurna.write_text("#!/nowhere/python\n")  # of a folder that somebody deleted
    assert ran(command)[:2] == (0, b"")


def test_servers_are_where_hosts_read_them(bare_repo: Repo, run: Run) -> None:
    """One entry each, for those that read one in a project."""
    assert run("install", *EVENTS).code == 0
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
    assert calls[2][0]["prompt"] == "go" and calls[6][0]["last_assistant_message"] == "Well done."
    handed: list[Any] = [calls[at][0]["tool_input"]["messages"] for at in (4, 6)]
    assert all(one["info"].pop("time")["created"] > 1e12 for listed in handed for one in listed)
    assert [(one["info"]["id"], one["info"]["role"], len(one["parts"])) for listed in handed for one in listed] == [
        ("m", "user", 1), ("c1", "assistant", 1), ("c2", "assistant", 1), ("title", "host", 1), ("aborted", "host", 0),
        ("p", "assistant", 1),
    ]  # fmt: skip
    state = {"input": {"command": "make"}, "output": "made", "metadata": {"exit": 0}}
    assert handed[0][2]["parts"] == [{"type": "tool", "tool": "bash", "state": state}]
    tool = {
        key: calls[3][0][key] for key in ("tool_name", "tool_input", "tool_use_id", "tool_response")
    }
    assert [*tool.values()] == ["bash", {"command": "make"}, "c2", {"output": "made", "exit": 0}]
    assert {event for _, event in calls} == set(EVENTS["opencode"].values())


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
process.exit() // else it waits for the time limit of what could not be started
"""


def test_the_plugin_is_what_is_installed(bare_repo: Repo, run: Run, tmp_path: Path) -> None:
    """Hooks, skill and server of the one table, in Claude's format and by Agent Plugins 1.0.0."""
    out = tmp_path / "out"
    ran = run("install", "--export", str(out))
    assert ran.code == 0 and "--plugin-dir" in ran.err
    assert run("install", "claude").code == 0
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
    assert set(hosts) == set(PLAIN)
    meanings = [("start", "prompt", "tool", "stop"), ("failure",), ("precompact",), ("end",),
                ("subagent_start", "subagent_stop"), ("task",)]  # fmt: skip
    for row, wanted in zip(rows[head + 2 :], meanings, strict=False):
        for host, cell in zip(hosts, row[1:], strict=True):
            has = set(wanted) <= set(EVENTS[host])
            assert (cell != "") == has, (host, row[0])


def test_the_rule_stands_where_it_is_read(bare_repo: Repo, run: Run) -> None:
    """AGENTS.md; for Claude CLAUDE.md where there is one of its own, for Gemini GEMINI.md."""
    top = bare_repo.path
    assert run("install", "claude", "codex", "gemini", "--no-mcp").code == 0
    block = (top / "AGENTS.md").read_text()
    assert (top / "GEMINI.md").read_text() == block and len(block.splitlines()) <= 12
    assert not (top / "CLAUDE.md").exists()
    # another host still reads it
    assert run("install", "--remove", "claude").code == 0
    assert (top / "AGENTS.md").exists() and not (top / ".claude").exists()
    assert run("install", "--remove", "codex", "gemini").code == 0
    assert list(tree(top)) == ["code.py"]
    (top / "CLAUDE.md").write_text("Be kind.\n")
    assert run("install", "claude", "--no-mcp").code == 0
    assert (top / "CLAUDE.md").read_text() == f"Be kind.\n\n{block}"
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
    ran = run("install", "codex")
    assert ran.code == 1 and path.read_bytes() == text and "mcp_servers.diurna" in ran.err
    assert (bare_repo.path / ".codex/hooks.json").exists()


def test_a_server_of_that_name_is_a_persons(bare_repo: Repo, run: Run) -> None:
    """It is neither written over nor taken away."""
    mine = b'{"mcpServers": {"diurna": {"command": "mine"}}}'
    toml = b"[mcp_servers.diurna]\ncommand = 'mine'\n"
    put(bare_repo.path, ".mcp.json", mine)
    put(bare_repo.path, ".codex/config.toml", toml)
    assert run("install", "claude", "codex").code == 0
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


def test_a_dry_run_shows_each_file_and_changes_nothing(bare_repo: Repo, run: Run) -> None:
    """As a diff that git applies."""
    put(bare_repo.path, ".claude/settings.json", b'{\r\n\t"model": "x"\r\n}')
    before = tree(bare_repo.path)
    ran = run("install", "claude", "--no-mcp", "--dry-run")
    assert ran.code == 0 and tree(bare_repo.path) == before
    assert "would write .claude/settings.json" in ran.out and "would make AGENTS.md" in ran.out
    assert "+++ .claude/settings.json" in ran.out and COMMANDS["claude"] in ran.out
    said = run("install", *EVENTS, "--no-mcp", "--dry-run").err
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
    monkeypatch.setattr("rituals.cli.context.Invocation.interactive", lambda call: True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in (".claude", ".cursor"):
        (tmp_path / "home" / name).mkdir(parents=True)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return lambda *command, says: run(*command, stdin="".join(f"{one}\n" for one in says).encode())


def test_a_person_is_asked(bare_repo: Repo, person: Callable[..., Any], tmp_path: Path) -> None:
    """For each host that is found; and is told what is kept, and what makes a home."""
    assert person("install", says="nn").out == "nothing is installed\n"
    ran = person("install", "--no-mcp", says=["n", "y"])
    assert ran.code == 0 and "`diurna init` makes" in ran.err
    assert "diurna capture --show" in ran.err
    assert not (bare_repo.path / ".claude/settings.json").exists()
    assert COMMANDS["cursor"] in (bare_repo.path / ".cursor/hooks.json").read_text()
    assert not bare_repo.git("branch", "--list", "memory")


def test_init_offers_the_branch_and_the_hosts(
    bare_repo: Repo, person: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, to a person; whoever names a branch or has a home is asked for less."""
    ran = person("init", says=["", "n", "y", "n"])
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
    assert run("install", *EVENTS, "--user").code == 0
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


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("echo '{}'", ""), ('test "$DIURNA_HOOKS $*" = "off hook codex SessionStart" && echo "{}"', ""),
        ("echo '{}'; exit 3", "ends with 3"), ("echo hello", "answers no JSON object"), ("echo '[]'", "answers no JSON object"),
    ],
)  # fmt: skip
def test_doctor_tries_a_hook_as_hosts_do(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, why: str
) -> None:
    """It has to answer with 0 and one object; the first program on PATH is asked, so that nothing is told."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    put(tmp_path, "bin/diurna", f"#!/bin/sh\n{said}\n".encode()).chmod(0o755)
    assert run("install", "codex", "--no-mcp").code == 0
    found = [
        one["message"]
        for one in run("check", "--json").json["findings"]
        if one["code"].startswith("host-")
    ]
    assert any(why in one for one in found) if why else found == []
