"""Python processes that start at once: each is forked from one that has loaded Diurna and git's library.

Loading takes a fresh interpreter longer than most of what a test wants from it. What a test says of the start
itself, of the streams or of what is loaded needs a fresh one: `subprocess`. A shell's script has them by the
program that `put_program` writes: it hands over its arguments, environment and streams, and waits.
"""

from __future__ import annotations

import atexit
import fcntl
import io
import json
import marshal
import os
import pkgutil
import runpy
import select
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
LOADED = (
    "memory.api", "pygit2", "rituals.cli.app", "rituals.cli.entry", "rituals.sync.sync_rounds",
    "ledger.git.committer", "ledger.git.pygit2_store", "memory.worktree.tree_update",
    "memory.write.spool_commits",
    "hashlib", "resource",
)  # fmt: skip
#: Packages of which it has loaded each module: commands load them when they need them, each of them anew.
PACKAGES = (
    "ledger.git", "ledger.secrets", "memory.cache", "memory.edits", "memory.query", "memory.recall",
    "memory.repair",
    "memory.replay", "memory.worktree", "memory.write", "rituals.answers", "rituals.check",
    "rituals.cli.commands",
    "rituals.cli", "rituals.decide", "rituals.hosts", "rituals.record", "rituals.sync",
)  # fmt: skip
#: What a server of pages has loaded that serves already.
WEB = (
    "rituals.cli.commands.web", "rituals.serve.web.web_launch",
    "rituals.serve.web.server.web_app", "rituals.serve.web.site", "rituals.review.review_plan",
    "uvicorn.protocols.http.h11_impl",
)  # fmt: skip
_STARTING = threading.Lock()
_pids: list[int] = []  #: of the process that all are forked from
_loading: list[float] = []  #: seconds that it took to load, which nobody asked of it
#: The program of `put_program`, with nothing loaded that a bare interpreter has not.
_PROGRAM = """\
import _socket, array, marshal, os, sys
asked = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
asked.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDBUF, 1 << 20)
asked.connect({name!r})
job = ["-m", "rituals", *sys.argv[1:]], os.getcwd(), dict(os.environ), False, {loaded}
streams = array.array("i", [0, 1, 2])
asked.sendmsg([marshal.dumps(job)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
asked.recv(4)
code = int.from_bytes(asked.recv(4) or b"\\1", sys.byteorder, signed=True)
os._exit(code if code >= 0 else 128 - code)
"""


class Forked:
    """A process: as `subprocess.Popen`, with its standard output and error as bytes in two pipes.

    Args:
        arguments: of the interpreter, `-c SCRIPT …` or `-m MODULE …`.
        cwd: where it runs.
        env: its whole environment.
        start_new_session: whether it leads a group of its own.
        loaded: modules that it finds loaded, as do all that are forked behind it.
        spoken_to: whether it has a standard input: a pipe, `stdin`.
        terminal: where all its streams are; it leads a group of its own, and Ctrl-C reaches it.
    """

    def __init__(
        self, arguments: Sequence[str], cwd: str | Path, env: Mapping[str, str], *, start_new_session: bool = False,
        loaded: Sequence[str] = (), spoken_to: bool = False, terminal: int | None = None,
    ) -> None:  # fmt: skip
        ends = [os.pipe() for _ in range(3)]
        alone = start_new_session or terminal is not None
        job = (list(arguments), str(cwd), dict(env), alone, list(loaded))
        given = [write for _, write in ends]
        if terminal is not None:
            for unused in given[:2]:
                os.close(unused)
            given[:2] = [os.dup(terminal) for _ in range(3)]
        self.stdin: IO[bytes] | None = None
        if spoken_to:
            read, write = os.pipe()
            given.insert(0, read)
            self.stdin = os.fdopen(write, "wb")
        try:
            socket.send_fds(_server(), [json.dumps(job).encode()], given)
        finally:
            for end in given:
                os.close(end)
        self.stdout: IO[bytes] = os.fdopen(ends[0][0], "rb")
        self.stderr: IO[bytes] = os.fdopen(ends[1][0], "rb")
        self._status: IO[bytes] = os.fdopen(ends[2][0], "rb")
        self.pid: int = struct.unpack("i", self._status.read(4))[0]
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; return the exit code, or less than 0 for a signal.

        Raises:
            TimeoutError: it goes on for longer.
        """
        if self.returncode is None:
            if not self._is_told(timeout):
                raise TimeoutError(self.pid)
            self.returncode = struct.unpack("i", self._status.read(4))[0]
            self._status.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return what `wait` does, where it has ended."""
        return self.wait() if self.returncode is not None or self._is_told(0) else None

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.returncode is None and not self._is_told(0):
            os.kill(self.pid, number)

    def _is_told(self, timeout: float | None) -> bool:
        """Wait until its end is told; `select` would refuse a descriptor above 1023."""
        poll = select.poll()
        poll.register(self._status, select.POLLIN)
        return bool(poll.poll(None if timeout is None else timeout * 1000))

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Close its input and return what it says, once it has ended; its standard error should be short."""
        if self.stdin:
            with suppress(BrokenPipeError):
                self.stdin.close()
        with self.stdout, self.stderr:
            said = self.stdout.read(), self.stderr.read()
        self.wait(timeout)
        return said


def run(
    arguments: Sequence[str], cwd: str | Path, env: Mapping[str, str], data: bytes = b"", *, loaded: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """Run one to its end, with a little of data on its standard input."""
    forked = Forked(arguments, cwd, env, loaded=loaded, spoken_to=bool(data))
    if forked.stdin:
        forked.stdin.write(data)
    out, err = forked.communicate()
    return subprocess.CompletedProcess(list(arguments), forked.wait(), out.decode(), err.decode())


def put_program(path: Path, loaded: Sequence[str] = ()) -> None:
    """Write a program for shells: it is `diurna`, and starts at once."""
    _server()
    script = _PROGRAM.format(name=_address(os.getpid()), loaded=list(loaded))
    command = shlex.join([sys.executable, "-I", "-S", "-c", script])
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    path.chmod(0o755)


@cache
def program() -> str:
    """Return the path of one such program, for all tests of this process."""
    folder = tempfile.mkdtemp(prefix="program-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    put_program(Path(folder, "diurna"))
    return f"{folder}/diurna"


def _address(pid: int) -> str:
    """Return where the process listens that belongs to a process of tests: in no folder (`unix(7)`)."""
    return f"\0diurna-forks-{pid}"


def _server() -> socket.socket:
    """Return the line to the process that all are forked from: one, also for several threads at once."""
    with _STARTING:
        return _started()


def processor_time() -> float:
    """Return the seconds of the processor that the one took which all are forked from, with those that ended.

    What it loads once is left out.
    """
    try:
        told = Path(f"/proc/{_pids[-1]}/stat").read_text().rsplit(")", 1)[1].split()
    except (IndexError, OSError):  # none was asked for, or this system does not tell
        return 0.0
    return sum(map(int, told[11:15])) / os.sysconf("SC_CLK_TCK") - _loading[-1]


@cache
def _started() -> socket.socket:
    """Start it; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (ours, theirs):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    programs = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    programs.bind(_address(os.getpid()))
    programs.listen(100)
    given = [theirs.fileno(), programs.fileno()]
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.campaigns.forks", *map(str, given)],
        pass_fds=given, stdin=subprocess.DEVNULL, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    theirs.close()
    programs.close()
    _loading.append(struct.unpack("d", ours.recv(8))[0])
    _pids.append(child.pid)
    atexit.register(child.wait)
    atexit.register(ours.close)  # the last one is called first
    return ours


def _serve(asked: socket.socket, programs: socket.socket) -> None:
    for name in LOADED:
        import_module(name)
    for package in PACKAGES:
        folder = import_module(package).__path__
        for found in pkgutil.iter_modules(folder, f"{package}."):
            import_module(found.name)
    asked.send(struct.pack("d", time.process_time()))
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([asked.fileno(), programs.fileno(), ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            _tell_ends(running)
        if asked.fileno() in ready:
            said, given, _, _ = socket.recv_fds(asked, 1 << 20, 4)
            if not said:
                return
            job = json.loads(said)
        elif programs.fileno() in ready:
            program, _ = programs.accept()
            said, given, _, _ = socket.recv_fds(program, 1 << 20, 3)
            if not said:  # it was killed before it asked
                program.close()
                continue
            given.append(program.detach())
            job = [*marshal.loads(said)]  # noqa: S302 - of a program of ours
        else:
            continue
        for name in job.pop():
            with suppress(ImportError):  # the process will say so itself
                import_module(name)
        pid = os.fork()
        if pid == 0:
            for fd in (asked.detach(), programs.detach(), ended, wake, *running.values()):
                os.close(fd)
            _start(job, given)
        *streams, running[pid] = given
        for fd in streams:
            os.close(fd)


def _tell_ends(running: dict[int, int]) -> None:
    """Tell how each process ended that did."""
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        told = running.pop(pid)
        try:
            os.write(told, struct.pack("i", os.waitstatus_to_exitcode(status)))
        except BrokenPipeError:
            pass  # nobody waits for it any more
        os.close(told)


def _start(job: list[Any], given: Sequence[int]) -> NoReturn:
    """Be the process that is asked for."""
    arguments, cwd, env, session = job
    *read, out, err, status = given
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if session:
        os.setsid()
    os.write(status, struct.pack("i", os.getpid()))
    for fd, place in [(fd, 0) for fd in read] + [(out, 1), (err, 2)]:
        os.dup2(fd, place)
    for fd in given:
        os.close(fd)
    if session and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8")
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            io.FileIO(fd, "w", closefd=False),
            "utf-8",
            line_buffering=os.isatty(fd),
            write_through="PYTHONUNBUFFERED" in env,
        )
        for fd in (1, 2)
    )
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    os._exit(_run(arguments))


def _run(arguments: list[str]) -> int:
    """Do what the interpreter would; return its exit code."""
    option, what, *more = arguments
    code = 0
    try:
        if option == "-c":
            sys.argv = ["-c", *more]
            exec(what, {"__name__": "__main__"})  # noqa: S102 - the script of a test
        else:
            sys.argv = [what, *more]
            runpy.run_module(what, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - an interpreter prints whatever it is
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return code


if __name__ == "__main__":
    _serve(*(socket.socket(fileno=int(one)) for one in sys.argv[1:]))
