"""A command that is stopped before each call that changes a file: what stands there then is what a death there leaves.

A filter of the kernel's (seccomp) hands the calls of the command, and of all that it starts, to us before they are made;
one goes on when we have looked. None else changes anything meanwhile: its calls wait for us too.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

#: Numbers of x86-64, and which argument is the file: a path (behind a folder's descriptor or not), or a descriptor.
_CALLS = {
    1: ("write", "descriptor", 0), 18: ("pwrite64", "descriptor", 0), 20: ("writev", "descriptor", 0),
    77: ("ftruncate", "descriptor", 0), 76: ("truncate", "path", 0),
    82: ("rename", "path", 1), 264: ("renameat", "at", 2), 316: ("renameat2", "at", 2),
    86: ("link", "path", 1), 265: ("linkat", "at", 2), 88: ("symlink", "path", 1),
    87: ("unlink", "path", 0), 263: ("unlinkat", "at", 0), 84: ("rmdir", "path", 0),
    83: ("mkdir", "path", 0), 258: ("mkdirat", "at", 0), 2: ("open", "path", 0), 257: ("openat", "at", 0),
}  # fmt: skip
#: Of the calls that open: only where they make or empty a file. Where their flags are.
_OPENS = {2: 1, 257: 2}
_FLAGS = os.O_CREAT | os.O_TRUNC
_ALLOW, _ASK = 0x7FFF0000, 0x7FC00000
_RECEIVE, _ANSWER, _GO_ON = 0xC0502100, 0xC0182101, 1
_HERE = 0xFFFFFF9C
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _filter() -> bytes:
    load, equal, any_of, answer = 0x20, 0x15, 0x45, 0x06
    lines = []
    for number in _CALLS:
        lines.append((load, 0, 0, 0))
        if number in _OPENS:
            lines += [(equal, 0, 3, number), (load, 0, 0, 16 + 8 * _OPENS[number])]
            lines += [(any_of, 0, 1, _FLAGS), (answer, 0, 0, _ASK)]
        else:
            lines += [(equal, 0, 1, number), (answer, 0, 0, _ASK)]
    return b"".join(struct.pack("HBBI", *line) for line in [*lines, (answer, 0, 0, _ALLOW)])


def stop_at_each(
    command: Sequence[str],
    where: Path,
    environment: Mapping[str, str],
    look: Callable[[str, str], None],
) -> int:
    """Run a command, and `look` at call and path before each of its changing calls; return the exit code.

    Raises:
        OSError: The kernel does not let calls be stopped.
    """
    ours, its = socket.socketpair()
    child = os.fork()
    if not child:
        _become(command, where, environment, its)
    its.close()
    _, found, _, _ = socket.recv_fds(ours, 1, 1)
    ours.close()
    if not found:
        os.waitpid(child, 0)
        raise OSError("calls can not be stopped here")
    try:
        _listen(found[0], look)
    finally:
        os.close(found[0])
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _become(
    command: Sequence[str], where: Path, environment: Mapping[str, str], its: socket.socket
) -> None:
    try:
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silence, stream)
        os.chdir(where)
        program = _filter()
        asked = _Program(len(program) // 8, program)
        _LIBC.prctl(38, 1, 0, 0, 0)  # nothing that it starts gets more rights
        listener = _LIBC.syscall(317, 1, 8, ctypes.byref(asked))
        if listener >= 0:
            socket.send_fds(its, [b"."], [listener])
            os.execvpe(command[0], list(command), environment)  # noqa: S606 - it is ours
    finally:
        os._exit(127)


def _listen(listener: int, look: Callable[[str, str], None]) -> None:
    waiting, last = select.poll(), 0
    waiting.register(listener, select.POLLIN)
    while True:
        events = waiting.poll()
        if not events[0][1] & select.POLLIN:
            return  # all have ended
        asked = bytearray(80)
        try:
            fcntl.ioctl(listener, _RECEIVE, asked)
        except OSError:  # it was killed, or a signal took it back
            continue
        mark, process, _, number, _, _, *arguments = struct.unpack("QIIiIQ6Q", asked)
        try:
            path = _path(process, number, arguments)
        except OSError:
            path = ""
        if path:
            if last != process:
                time.sleep(0.005)  # what was let go on before is made by then
            look(_CALLS[number][0], path)
        last = process
        try:
            fcntl.ioctl(listener, _ANSWER, bytearray(struct.pack("QqiI", mark, 0, 0, _GO_ON)))
        except FileNotFoundError:
            continue  # as above


def _path(process: int, number: int, arguments: Sequence[int]) -> str:
    _, form, at = _CALLS[number]
    if form == "descriptor":
        found = os.readlink(f"/proc/{process}/fd/{arguments[at]}")
        return found if found.startswith("/") else ""
    name = _string(process, arguments[at + (form == "at")])
    if name.startswith("/"):
        return name
    folder = arguments[at] & 0xFFFFFFFF if form == "at" else _HERE
    start = "cwd" if folder == _HERE else f"fd/{folder}"
    return os.path.normpath(os.path.join(os.readlink(f"/proc/{process}/{start}"), name))


def _string(process: int, address: int) -> str:
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        found = b""
        while b"\0" not in found:
            # never beyond a page that may be the last
            more = memory.read(4096 - (address + len(found)) % 4096)
            if not more:
                break
            found += more
    return os.fsdecode(found.split(b"\0", 1)[0])
