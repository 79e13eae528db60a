"""Ask a model by the program of a host that the user has a subscription of.

The program runs in an empty folder, with Diurna's hooks off and without tools that could do what a session
tells it to: what was said is data. When its time is up, it ends with all that it started.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import tempfile

from ledger.environment import monotonic, working_directory
from rituals.hosts.extraction.extractor_failure import NoAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 90.0
ANSWER_BYTES = 1 << 20
#: What leaves a program no hands: no tools, or none that run commands or reach out; and no trace of it.
_CLAUDE = "--strict-mcp-config --no-session-persistence"
_CODEX = (
    "--sandbox read-only -c features.shell_tool=false -c web_search=disabled --skip-git-repo-check"
    " --ephemeral"
)
#: The name in a log, and the command.
PROGRAMS = {
    "claude": ("claude -p", ("claude", "-p", "--tools", "", *_CLAUDE.split())),
    "codex": ("codex exec -", ("codex", "exec", *_CODEX.split(), "-")),
}
#: By these a program would take itself for a part of the session that called us.
_OF_THE_SESSION = (
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "CLAUDE_PID", "CLAUDE_ENV_FILE", "CODEX_THREAD_ID",
    "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
)  # fmt: skip


def ask_program(name: str, prompt: str, environment: Mapping[str, str]) -> str:
    """Return what one of `PROGRAMS` answers on its standard output to a prompt on its standard input.

    Its environment is that of the process but for what ties it to a session.

    Raises:
        NoAnswer: there is none.
    """
    command = PROGRAMS[name][1]
    found = _found(command[0], environment)
    variables = {key: value for key, value in environment.items() if key not in _OF_THE_SESSION}
    variables["DIURNA_HOOKS"] = "off"
    with tempfile.TemporaryFile() as said, tempfile.TemporaryDirectory() as folder:
        said.write(prompt.encode("utf-8", "replace"))
        said.seek(0)
        heard, out = os.pipe()
        try:
            process = subprocess.Popen(  # noqa: S603 - one of two commands
                (found, *command[1:]), cwd=folder, env=variables, start_new_session=True,
                stdin=said, stdout=out, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, ValueError) as problem:
            os.close(heard)
            raise NoAnswer(f"it does not start ({type(problem).__name__})") from None
        finally:
            os.close(out)
        try:
            answer, code = _heard(heard, process)
        finally:
            _end(process)
            os.close(heard)
    text = answer.decode("utf-8", "replace")
    if code:
        raise NoAnswer(f"exit code {code}", text)
    return text


def _found(name: str, environment: Mapping[str, str]) -> str:
    """Return the program, from no folder of the project that we are in.

    Raises:
        NoAnswer: it is not there.
    """
    here = os.path.join(os.path.realpath(working_directory()), "")
    folders = [one for one in environment.get("PATH", "").split(os.pathsep) if os.path.isabs(one)]
    outside = [
        one for one in folders if not os.path.join(os.path.realpath(one), "").startswith(here)
    ]
    found = shutil.which(name, path=os.pathsep.join(outside))
    if found is None:
        raise NoAnswer("it is not installed")
    return found


def _heard(file: int, process: subprocess.Popen[bytes]) -> tuple[bytes, int]:
    """Return what a program says, and its exit code.

    Raises:
        NoAnswer: it says too much, or does not end in time.
    """
    deadline = monotonic() + SECONDS
    parts: list[bytes] = []
    size = 0
    while select.select([file], [], [], max(0.0, deadline - monotonic()))[0]:
        part = os.read(file, 1 << 16)
        if not part:
            try:
                return b"".join(parts), process.wait(max(0.0, deadline - monotonic()))
            except subprocess.TimeoutExpired:
                break
        parts.append(part)
        size += len(part)
        if size > ANSWER_BYTES:
            raise NoAnswer("its answer is too large")
    raise NoAnswer(f"it took more than {SECONDS:g} seconds")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass  # all of it has ended
    process.wait()
