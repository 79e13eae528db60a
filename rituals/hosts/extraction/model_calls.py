"""Ask a model: over HTTP, at any endpoint that speaks as OpenAI's does, or by the program of a host.

Nothing follows a redirect, so neither the key nor what was said goes to an address that the user did not
name. A program runs in an empty folder, with Diurna's hooks off and without tools that could do what a
session tells it to. The time is that of the whole exchange; a program ends with all that it started.
"""

from __future__ import annotations

import json
import os
import queue
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException

from ledger.environment import monotonic, working_directory
from rituals.hosts.extraction.model_exchange import NoAnswer
from rituals.hosts.user_settings import Settings

SECONDS = 20.0
ANSWER_BYTES = 1 << 20


def ask_endpoint(prompt: str, settings: Settings, environment: Mapping[str, str]) -> str:
    """Return what the model answers.

    It is asked once more only where nothing can have been charged the first time. Settings name
    endpoint, model and the variable with the key.

    Raises:
        NoAnswer: there is none.
    """
    request = _request(prompt, settings, environment)
    try:
        return _content(_in_time(request))
    except NoAnswer as failure:
        if not failure.free:
            raise
    return _content(_in_time(request))


def _request(
    prompt: str, settings: Settings, environment: Mapping[str, str]
) -> urllib.request.Request:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if settings.key_variable:
        key = environment.get(settings.key_variable, "").strip()
        if not key or not key.isprintable() or not key.isascii():
            raise NoAnswer(f"${settings.key_variable} has no key")
        headers["Authorization"] = f"Bearer {key}"
    body = {
        "model": settings.model,
        "temperature": 0,
        "messages": [{"role": "user", "content": prompt}],
    }
    url = settings.url.rstrip("/") + "/chat/completions"
    try:
        return urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - http(s) alone
    except ValueError:
        raise NoAnswer("its url is none") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Let a redirect be the error that it is."""


def _in_time(request: urllib.request.Request) -> bytes:
    """Exchange in a thread that is left alone when the time is up."""
    done: queue.SimpleQueue[bytes | NoAnswer] = queue.SimpleQueue()
    threading.Thread(target=lambda: done.put(_exchange(request)), daemon=True).start()
    try:
        found = done.get(timeout=SECONDS)
    except queue.Empty:
        raise NoAnswer(f"it took more than {SECONDS:g} seconds") from None
    if isinstance(found, NoAnswer):
        raise found
    return found


def _exchange(request: urllib.request.Request) -> bytes | NoAnswer:
    """Return the body of the answer, or why there is none."""
    try:
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=SECONDS) as answer:
            body: bytes = answer.read(ANSWER_BYTES + 1)
        return body if len(body) <= ANSWER_BYTES else NoAnswer("its answer is too large")
    except urllib.error.HTTPError as error:
        why = f"status {error.code}"
        error.close()
        return NoAnswer(why, free=error.code == 429 or error.code >= 500)
    except TimeoutError:
        return NoAnswer(f"it took more than {SECONDS:g} seconds")
    except urllib.error.URLError as error:
        return NoAnswer("it can not be reached", str(error.reason), free=True)
    except (OSError, HTTPException, ValueError) as error:
        return NoAnswer(f"the exchange broke off ({type(error).__name__})")


def _content(body: bytes) -> str:
    """Return the text of an answer."""
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        content = None
    if isinstance(content, list):  # of parts
        content = "".join([str(part.get("text", "")) for part in content if isinstance(part, dict)])
    if not isinstance(content, str):
        raise NoAnswer("its answer has no message", body[:1000].decode("utf-8", "replace"))
    return content


PROGRAM_SECONDS = 90.0
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
    """Return the program, from no folder of the project that we are in."""
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
    """Return what a program says, and its exit code."""
    deadline = monotonic() + PROGRAM_SECONDS
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
    raise NoAnswer(f"it took more than {PROGRAM_SECONDS:g} seconds")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass  # all of it has ended
    process.wait()
