"""Start each program: its arguments, its environment, and the settings that keep it away from the network."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ledger.model.record import Record
from tests.campaigns.hosts.model import SEARCH, Call, Turn
from tests.campaigns.hosts.packages import program


class Lab(Record):
    """Where a session of a program runs."""

    home: Path  #: the user's folder
    top: Path  #: the project
    out: Path  #: for what is written down of it
    url: str  #: of the model
    path: str  #: of programs; `diurna` is in it


class Start(Record):
    """How a program is started."""

    arguments: tuple[str, ...]  #: with the program
    environment: Mapping[str, str]  #: all of it


class Program(Record):
    """One program."""

    #: how it is started with a prompt, anew or behind its last session
    start: Callable[[Lab, str, bool], Start]
    shell: str  #: its tool that runs a command
    #: its tool that writes a file, and how that wants the path and the text, "" for a patch
    write: tuple[str, str, str]
    #: its tool that reads a file, and how that wants the path; "" where its shell does that
    read: tuple[str, str] = ("", "")
    key: str = "command"  #: how the shell wants the command
    #: Diurna is installed in the user's own files, where the server of MCP stands
    user: bool = False
    #: the tool by which it finds the tools of a server, "" where those are offered like any other
    search: str = ""
    #: the tool by which it calls such a tool, "" where that is offered once it was found
    deferred: str = ""
    compact: str = ""  #: the prompt that makes it compact; "" where it does so by itself
    tokens: int = 0  #: how much is used so that it compacts by itself
    silent: str = ""  #: why nothing of a compaction can be told, "" for nothing

    def run(self, command: str) -> Call:
        """Return the call of its shell."""
        more = {} if self.key == "cmd" else {"description": "Do it"}
        return Call(self.shell, {self.key: command, **more})

    def written(self, path: str, text: str) -> Call:
        """Return the call of its tool that writes a text of one line to an absolute path."""
        tool, where, what = self.write
        if where:
            return Call(tool, {where: path, what: text + "\n"})
        return Call(tool, f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch")

    def looked(self, path: str) -> Call:
        """Return the call of its tool that reads a file, by its absolute path."""
        tool, where = self.read
        return Call(tool, {where: path}) if tool else self.run(f"cat {path}")

    def recalled(self, query: str, server: str = "diurna") -> tuple[Turn, ...]:
        """Return the turns in which the model asks Diurna's server, by the name that it has there."""
        tool, given = f"mcp__{server}__recall", {"query": query}
        wanted = "diurna recall" if self.search == SEARCH else f"select:{tool}"
        found = (Turn("", (Call(self.search, {"query": wanted}),)),) if self.search else ()
        if self.deferred:
            return *found, Turn("", (Call(self.deferred, {"name": tool, "arguments": given}),))
        name = f"mcp__{server}/recall" if self.key == "cmd" else "recall"
        return *found, Turn("", (Call(name, given),))


def _put(path: Path, said: Mapping[str, Any] | str) -> None:
    """Write a program's settings, beside what is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(said, str):
        path.write_text(said)
        return
    there = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**there, **said}, indent=2) + "\n")


def _environment(lab: Lab, **more: str) -> dict[str, str]:
    return {
        "PATH": lab.path, "HOME": str(lab.home), "LANG": "C.UTF-8", "TERM": "xterm-256color",
        "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DIURNA_LAB_LOG": str(lab.out / "hooks.jsonl"),
        "GIT_AUTHOR_NAME": "Lab", "GIT_AUTHOR_EMAIL": "lab@example.org", "GIT_COMMITTER_NAME": "Lab",
        "GIT_COMMITTER_EMAIL": "lab@example.org", **more,
    }  # fmt: skip


def _claude(lab: Lab, prompt: str, again: bool) -> Start:
    allowed = "Bash Write Edit Read Task Agent mcp__diurna".split()
    _put(
        lab.home / ".claude/settings.json",
        {"permissions": {"allow": allowed}, "enableAllProjectMcpServers": True},
    )
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    key = "key-of-the-lab-for-the-model"
    state = lab.home / ".claude.json"
    if not state.exists():
        _put(state, {"hasCompletedOnboarding": True, "projects": {str(lab.top): trusted},
                     "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []}})  # fmt: skip
    environment = _environment(
        lab, ANTHROPIC_API_KEY=key, ANTHROPIC_BASE_URL=lab.url, DISABLE_ERROR_REPORTING="1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
    )  # fmt: skip
    more = ["--continue"] if again else []
    arguments = ["-p", "--output-format", "stream-json", "--verbose", *more, prompt]
    debug = ["--debug-file", str(lab.out / "debug.log")]
    return Start((str(program("claude")), *debug, *arguments), environment)


def _codex(lab: Lab, prompt: str, again: bool) -> Start:
    path = lab.home / ".codex/config.toml"
    if not path.exists():
        _put(path, _CODEX.replace("TOP", str(lab.top)))
    options = ["--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust"]
    options += ["-c", f'model_providers.lab.base_url="{lab.url}/v1"']
    more = ["resume", "--last"] if again else []
    arguments = ("exec", *options, *more, prompt)
    return Start(
        (str(program("codex")), *arguments), _environment(lab, LAB_KEY="x", RUST_LOG="warn")
    )


#: The port of the model is another one each time.
_CODEX = """\
model = "gpt-5.5"
model_provider = "lab"
model_auto_compact_token_limit = 100000
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
[analytics]
enabled = false
[model_providers.lab]
name = "lab"
base_url = "http://127.0.0.1:9/v1"
wire_api = "responses"
env_key = "LAB_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."TOP"]
trust_level = "trusted"
"""


def _copilot(lab: Lab, prompt: str, again: bool) -> Start:
    options = ["--allow-all-tools", "--allow-all-paths", "--no-auto-update", "--log-dir",
               str(lab.out / "logs"), "--log-level", "debug"]  # fmt: skip
    options += ["--continue"] if again else ["--trust-folder"]
    if not (lab.home / ".copilot/config.json").exists():  # later it has comments
        _put(lab.home / ".copilot/config.json", {"trusted_folders": [str(lab.top)]})
    environment = _environment(
        lab, COPILOT_OFFLINE="true", COPILOT_PROVIDER_BASE_URL=f"{lab.url}/v1", COPILOT_MODEL="gpt-5.4",
        COPILOT_PROVIDER_API_KEY="x", COPILOT_AUTO_UPDATE="false",
    )  # fmt: skip
    return Start((str(program("copilot")), *options, "-p", prompt), environment)


def _gemini(lab: Lab, prompt: str, again: bool) -> Start:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "telemetry": {"enabled": False}, "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }  # fmt: skip
    _put(lab.home / ".gemini/settings.json", settings)
    options = ["-m", "gemini-2.5-pro", "--yolo", "--skip-trust", "--output-format", "json"]
    options += ["--resume", "latest"] if again else []
    environment = _environment(
        lab, GEMINI_API_KEY="x", GOOGLE_GEMINI_BASE_URL=lab.url, GEMINI_TELEMETRY_ENABLED="false"
    )
    return Start((str(program("gemini")), *options, "-p", prompt), environment)


def _qwen(lab: Lab, prompt: str, again: bool) -> Start:
    settings = {
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
        "telemetry": {"enabled": False}, "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True}, "model": {"name": "played"},
    }  # fmt: skip
    _put(lab.home / ".qwen/settings.json", settings)
    options = ["--yolo", "--output-format", "json", *(["--continue"] if again else [])]
    environment = _environment(
        lab, OPENAI_API_KEY="x", OPENAI_BASE_URL=f"{lab.url}/v1", OPENAI_MODEL="played"
    )
    environment["PATH"] = f"{program('node').parent}:{lab.path}"
    return Start((str(program("qwen")), *options, "-p", prompt), environment)


def _link(there: str, here: str) -> None:
    """Link a file, or copy it to another disk."""
    try:
        os.link(there, here)
    except OSError:
        shutil.copy2(there, here)


def _opencode(lab: Lab, prompt: str, again: bool) -> Start:
    model = {"name": "Played", "tool_call": True, "limit": {"context": 200000, "output": 8000}}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "lab", "models": {"played": model},
                "options": {"baseURL": f"{lab.url}/v1", "apiKey": "x"}}  # fmt: skip
    settings = {"autoupdate": False, "share": "disabled", "model": "lab/played", "small_model": "lab/played",
                "permission": {"*": "allow"}, "provider": {"lab": provider}}  # fmt: skip
    for folder in (lab.home / ".config/opencode", lab.top / ".opencode"):
        if not (folder / "node_modules").exists():  # else it asks the network for it, for minutes
            there = program("opencode-plugin").parents[2]
            shutil.copytree(there, folder, copy_function=_link, dirs_exist_ok=True, symlinks=True)
    _put(lab.home / ".config/opencode/opencode.json", settings)
    environment = _environment(
        lab, OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_MODELS_FETCH="1",
        OPENCODE_DISABLE_LSP_DOWNLOAD="1"
    )  # fmt: skip
    more = ["--continue"] if again else []
    arguments = ("run", "--print-logs", "--log-level", "INFO", *more, prompt)
    return Start((str(program("opencode")), *arguments), environment)


PROGRAMS = {
    "claude": Program(
        _claude, "Bash", ("Write", "file_path", "content"), ("Read", "file_path"),
        search="ToolSearch", compact="/compact",
    ),
    "codex": Program(
        _codex, "exec_command", ("apply_patch", "", ""), key="cmd", search=SEARCH, tokens=190_000,
    ),
    "copilot": Program(
        _copilot, "bash", ("apply_patch", "", ""), ("view", "path"), user=True, tokens=1_000_000,

    ),
    "gemini": Program(
        _gemini, "run_shell_command", ("write_file", "file_path", "content"), ("read_file", "file_path"),
        silent="its hook comes before every call of the model",
    ),
    "qwen": Program(
        _qwen, "run_shell_command", ("write_file", "file_path", "content"), ("read_file", "file_path"),
        search="tool_search", deferred="tool_call", compact="/compress",
    ),
    "opencode": Program(
        _opencode, "bash", ("write", "filePath", "content"), ("read", "filePath"), tokens=199_000
    ),
}  # fmt: skip
