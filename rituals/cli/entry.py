"""Start the console script: answer the plain forms at once, load the command line for the rest.

Starting Python costs 11 ms; click, pygit2 and the other libraries up to 220 more.
"""

from __future__ import annotations

import gc
import os
import sys

from ledger.environment import variables
from rituals.cli import fast_path as quick


def main() -> int:
    """Run the command line; return its exit code."""
    gc.disable()  # a command ends before looking for cycles pays; among 100,000 logs it takes a second
    arguments = sys.argv[1:]
    try:
        code = quick.run(arguments, variables())
        if code is not None:
            if arguments[0] == "hook":
                os._exit(
                    code
                )  # an agent waits, and nothing is left: to take Python down takes an eighth
            gc.freeze()  # else the end of the process looks for cycles in all that goes with it
            return code
        from rituals.cli.app import main as run
    except BaseException as problem:  # noqa: BLE001 - reported, each of them, in one place
        return quick.report(problem, arguments)
    return run(arguments)
