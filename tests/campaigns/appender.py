"""A process that appends one markdown log by the library, as a running host process does.

`python -m tests.campaigns.appender FILE` in a folder of a home; prints the stem, and reports as the command
line does.
"""

from __future__ import annotations

import os
import sys


def append(path: str) -> int:
    """Append the log in a file to the home of the working directory; return the exit code."""
    try:
        from ledger.codec.canonical_draft import read_draft
        from ledger.errors import DiurnaError
        from ledger.home import discover
        from memory.api import Memory
        from memory.write.draft import draft_of

        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as problem:
            raise DiurnaError(problem.strerror or str(problem), where=path) from problem
        memory = Memory(discover("."), agent="tester", lasting=True)
        receipt = memory.append(draft_of(read_draft(data, path)))
        os.write(1, receipt.stem.encode() + b"\n")
    except BaseException as problem:  # noqa: BLE001 - the one translation says what it is
        from rituals.cli import context, exit_codes

        return exit_codes.said(problem, context.Invocation(["append", path]))
    return 0


if __name__ == "__main__":
    sys.exit(append(sys.argv[1]))
