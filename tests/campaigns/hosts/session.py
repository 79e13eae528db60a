"""Run one session of a program against a script, and tell what its model and its hooks were told."""

from __future__ import annotations

import fcntl
import html
import json
import os
import shlex
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ledger.model.record import Record
from rituals.hosts.adapters import HOSTS
from tests.campaigns.hosts import recorder
from tests.campaigns.hosts.model import Model, Turn, offered, said
from tests.campaigns.hosts.programs import PROGRAMS, Lab
from tests.campaigns.hosts.terminal import on_terminal, seen

#: How long a session may take: the machine may be busy.
SECONDS = 120


class Session(Record):
    """What became of a session."""

    asked: tuple[dict[str, Any], ...]  #: the requests of the model, in their order
    hooks: tuple[dict[str, Any], ...]  #: each call of a hook, as the recorder wrote it down
    code: int | None  #: how the program ended; None where it had to be ended
    out: Path  #: where its output is

    def told(self) -> list[str]:
        """Return the text of each request, without what hosts escape."""
        return [html.unescape(said(one)) for one in self.asked]

    def last(self) -> str:
        """Return the text of the last request that offers tools: all of the conversation."""
        texts = [html.unescape(said(one)) for one in self.asked if offered(one)]
        return texts[-1] if texts else ""

    def failures(self) -> list[str]:
        """Return the hooks that failed: not 0, not one object, or longer than their host waits."""
        return [found for one in self.hooks if (found := _failure(one))]


class Place:
    """A project, a user's folder, and the sessions in them.

    Args:
        folder: empty.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.top, self.home = folder / "shop", folder / "home"
        self._count = 0
        for path in (self.top, self.home, folder / "bin"):
            path.mkdir(parents=True)
        wrapper = folder / "bin/diurna"
        words = shlex.join([sys.executable, "-P", str(Path(recorder.__file__))])
        wrapper.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        wrapper.chmod(0o755)
        # programs whose shell begins a login take PATH from there
        (self.home / ".profile").write_text(f'PATH="{folder / "bin"}:$PATH"\n')
        self.path = f"{folder / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        self.git("init", "-q", "-b", "main")
        (self.top / "README.md").write_text("# A shop\n")
        (self.top / "src").mkdir()
        (self.top / "src/main.py").write_text("SHOP = 1\n")
        self.git("add", "README.md", "src")
        self.git("commit", "-qm", "first")

    def git(self, *arguments: str) -> str:
        """Run git in the project."""
        return self._run("git", *arguments)

    def diurna(self, *arguments: str) -> str:
        """Run Diurna in the project; return what it printed."""
        return self._run(sys.executable, "-P", "-m", "rituals", *arguments)

    def warm(self, host: str) -> None:
        """Have the brief ready: on a busy machine it is made for the second session of a host."""
        start = next(iter(HOSTS[host].events))
        given = json.dumps({"cwd": str(self.top), "session_id": "warm"})
        self._run(sys.executable, "-P", "-m", "rituals", "hook", host, start, given=given)
        self.settle()

    def _run(self, *arguments: str, given: str = "") -> str:
        environment = {
            "PATH": self.path, "HOME": str(self.home), "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Lab", "GIT_AUTHOR_EMAIL": "lab@example.org", "GIT_COMMITTER_NAME": "Lab",
            "GIT_COMMITTER_EMAIL": "lab@example.org",
        }  # fmt: skip
        done = subprocess.run(
            arguments, cwd=self.top, env=environment, capture_output=True, text=True, timeout=120,
            input=given,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{shlex.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def session(
        self, host: str, *turns: Turn, prompt: str = "Go on.", aside: str = "A title",
        again: bool = False, kill_when: Any = None, attended: bool = False,
    ) -> Session:  # fmt: skip
        """Run a session.

        Args:
            host: a key of `PROGRAMS`.
            turns: what the model says.
            prompt: of the person.
            aside: what the model says of the session.
            again: behind the last one of the program.
            kill_when: asked ten times a second; once it is true the program is killed with all that it started.
            attended: on a terminal, as a person has it; only `kill_when` ends it.
        """
        self._count += 1
        out = self.folder / f"{self._count:02d}-{host}"
        out.mkdir()
        with Model(turns, aside) as model:
            lab = Lab(self.home, self.top, out, model.url, self.path)
            start = PROGRAMS[host].start(lab, prompt, again)
            if attended:
                code = _ended(*on_terminal(seen(host, start), self.top, out), kill_when)
                return self._session(model, out, code)
            with open(out / "stdout", "wb") as said_, open(out / "stderr", "wb") as problems:
                process = subprocess.Popen(
                    start.arguments, cwd=self.top, env=dict(start.environment), start_new_session=True,
                    stdin=subprocess.DEVNULL, stdout=said_, stderr=problems,
                )  # fmt: skip
                code = _ended(process, kill_when)
            return self._session(model, out, code)

    def _session(self, model: Model, out: Path, code: int | None) -> Session:
        asked = tuple(model.asked)
        for number, one in enumerate(asked):
            (out / f"asked-{number:02d}.json").write_text(json.dumps(one, indent=1))
        log = out / "hooks.jsonl"
        hooks = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return Session(asked, tuple(hooks), code, out)

    def program(self, host: str, *words: str) -> str:
        """Run a command of a program in the project; return what it said."""
        lab = Lab(self.home, self.top, self.folder, "http://127.0.0.1:9", self.path)
        start = PROGRAMS[host].start(lab, "", False)
        done = subprocess.run(
            [start.arguments[0], *words], cwd=self.top, env=dict(start.environment), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{host} {shlex.join(words)}: {done.stdout[-200:]}")
        return done.stdout

    def rest(self) -> None:
        """Let a quarter of an hour pass for the sessions: one that left no sign for so long is over."""
        for folder in ("observed", "captured"):
            for path in (self.top / ".git/diurna" / folder).glob("*.*"):
                at = path.stat().st_mtime - 900
                os.utime(path, (at, at))

    def settle(self, seconds: float = 60.0) -> None:
        """Wait until nothing works any more that a hook left behind."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and _work_below(self.top):
            time.sleep(0.1)


def _ended(process: subprocess.Popen[bytes], kill_when: Any) -> int | None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            return process.returncode
        if kill_when is not None and kill_when():
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return process.returncode if kill_when is not None else None


def _work_below(top: Path) -> bool:
    """Tell whether a Diurna works in a project."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            stands = os.readlink(folder / "cwd")
        except OSError:
            continue
        ours = any(b"diurna" in one or one == b"rituals" or b"recorder.py" in one for one in words)
        if ours and f"{stands}/".startswith(f"{top}/"):
            return True
    return False


def _failure(hook: dict[str, Any]) -> str:
    who = f"{hook['host']} {hook['event']}"
    if hook["code"]:
        return f"{who} ended with {hook['code']}"
    if hook["took"] > (3 if "end" in hook["event"].lower() else 5):
        return f"{who} took {hook['took']:.1f} s"
    if hook["event"] == "PreCompact" and not hook["answer"].startswith("{"):
        return ""  # words for the summary
    try:
        one = isinstance(json.loads(hook["answer"]), dict)
    except ValueError:
        one = False
    return "" if one else f"{who} answered {hook['answer'][:80]!r}"


def is_alone() -> bool:
    """Tell whether this process has a network of its own."""
    return bool(os.environ.get("DIURNA_LAB_ALONE"))


def without_network(campaign: str = "tests.campaigns.hosts") -> None:
    """Go where there is no network but loopback, and run a campaign there with the same arguments.

    Raises:
        OSError: this machine does not let us.
    """
    if not is_alone():
        flags = "-n" if os.geteuid() == 0 else "-rn"
        subprocess.run(["unshare", flags, "true"], check=True, capture_output=True)
        os.environ["DIURNA_LAB_ALONE"] = "1"
        again = [sys.executable, "-m", campaign, *sys.argv[1:]]
        os.execvp("unshare", ["unshare", flags, *again])  # noqa: S606
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        up = struct.pack("16sh", b"lo", 0x1 | 0x40)  # IFF_UP and IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS
