"""Stand where `diurna` is on PATH, and write down how each hook was called and what it answered.

A hook runs in this process, below the end of it: its parent has to be the host. Anything else becomes
Diurna itself.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time


def main() -> int:
    """Run Diurna."""
    if sys.argv[1:2] != ["hook"]:
        os.execv(sys.executable, [sys.executable, "-P", "-m", "rituals", *sys.argv[1:]])  # noqa: S606
    begun = time.time()
    given = b"" if os.isatty(0) else sys.stdin.buffer.read()
    out = os.dup(1)
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(given)
        source.seek(0)
        os.dup2(source.fileno(), 0)
        os.dup2(target.fileno(), 1)
        from rituals.hosts import hook_answer

        hook_answer.OTHER_SECONDS = 2.0, 2.0  # this machine does other things
        code = hook_answer.run(sys.argv[2], sys.argv[3], os.environ)
        sys.stdout.flush()
        target.seek(0)
        answer = target.read()
    os.dup2(out, 1)
    took = time.time() - begun
    line = {"at": begun, "event": sys.argv[3], "host": sys.argv[2], "code": code, "took": took,
            "given": given.decode("utf-8", "replace"), "answer": answer.decode("utf-8", "replace")}  # fmt: skip
    log = os.open(os.environ["DIURNA_LAB_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(log, json.dumps(line).encode() + b"\n")
    os.write(1, answer)
    return code


if __name__ == "__main__":
    sys.exit(main())
