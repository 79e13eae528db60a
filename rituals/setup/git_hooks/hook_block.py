"""Put our block into a git hook, find it again, and take it out with no byte of the rest changed.

The block stands behind the first line and runs the whole hook once more, without itself, before Diurna
does anything: so what was there runs as it did, with its input, output, `exec` and exit code.
"""

from __future__ import annotations

import shlex

_BEGIN = "# >>> diurna >>> put in by `diurna init --hooks`; `diurna init --no-hooks` takes it out\n"
_OWN = "# (the file is ours, too)\n"
_NO_END = "# (the line above had no end)\n"
_END = "# <<< diurna <<<\n"
_FIRST_LINE = "#!/bin/sh\n"
#: The variable that keeps the hook, and Diurna, from running the block again (fault:K9).
GUARD = "DIURNA_HOOK"
_BODY = """\
if [ -z "${{{guard}-}}" ]; then
  diurna_status=0
  {guard}=1 "$0" "$@" || diurna_status=$?
{first}  if [ -x {program} ]; then
    {guard}=1 {command} hook {event} "$@" </dev/null || :
  elif command -v diurna >/dev/null 2>&1; then
    {guard}=1 diurna hook {event} "$@" </dev/null || :
  fi
  exit "$diurna_status"
fi
"""
#: Before a commit that the hook itself lets be: does a log wait? A shell says so in a moment.
_WAITS = """\
  diurna_held="$(git rev-parse --git-common-dir)/diurna/spool/held"
  if [ "$diurna_status" != 0 ] || ! ls -p "$diurna_held" 2>/dev/null | grep -qv /; then
    exit "$diurna_status"
  fi
"""
_SHELLS = ("sh", "bash", "dash", "ksh", "zsh")


def with_block(hook: bytes | None, event: str, command: tuple[str, ...]) -> bytes:
    """Return a hook with our block in it; a block that is there is put anew.

    The hook is the file's bytes, None when there is no file, and the event its name, one of ours. The
    command is how Diurna is run on this machine: an absolute path, and arguments.
    """
    rest = without_block(hook) if hook is not None else None
    marks = "" if rest is not None else _OWN
    if rest is None:
        rest = _FIRST_LINE.encode()
    at = rest.find(b"\n") + 1 if rest.startswith(b"#!") else 0
    lead = b""
    if rest.startswith(b"#!") and not at:
        at, lead, marks = len(rest), b"\n", marks + _NO_END
    body = _BODY.format(
        guard=GUARD, event=event, program=shlex.quote(command[0]), command=shlex.join(command),
        first=_WAITS if event == "pre-commit" else "",
    )  # fmt: skip
    block = (_BEGIN + marks + body + _END).encode("utf-8", "surrogateescape")
    return rest[:at] + lead + block + rest[at:]


def without_block(hook: bytes) -> bytes | None:
    """Return a hook without our block; None where the whole file was ours."""
    begin, end = _span(hook)
    if begin < 0:
        return hook
    marks = hook[begin:end].split(b"\n", 3)[1:3]
    lead = 1 if _NO_END.encode().rstrip() in marks else 0
    rest = hook[: begin - lead] + hook[end:]
    ours = _OWN.encode().rstrip() in marks and rest == _FIRST_LINE.encode()
    return None if ours else rest


def has_block(hook: bytes) -> bool:
    """Tell whether our block is in a hook."""
    return _span(hook)[0] >= 0


def is_shell(hook: bytes) -> bool:
    """Tell whether a hook is a script of a shell that understands the block."""
    if b"\0" in hook:
        return False
    if not hook.startswith(b"#!"):
        return True  # git lets `sh` run it
    line = hook[2:].split(b"\n", 1)[0]
    if b"\r" in line:
        return False
    words = [word.rsplit(b"/", 1)[-1].decode("ascii", "replace") for word in line.split()]
    if words[:1] == ["env"]:
        words = [word for word in words[1:] if word[:1] != "-"]
    return bool(words) and words[0] in _SHELLS


def _span(hook: bytes) -> tuple[int, int]:
    """Return where our block begins and ends, (-1, -1) where there is none."""
    mark = _BEGIN[: _BEGIN.index(" put in")].encode()
    begin = 0 if hook.startswith(mark) else hook.find(b"\n" + mark) + 1
    end = hook.find(b"\n" + _END.encode(), begin)
    if end < 0 or not (begin or hook.startswith(mark)):
        return -1, -1
    return begin, end + 1 + len(_END)
