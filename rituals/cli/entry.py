"""Start the console script: answer the plain forms at once, load the command line for the rest.

Starting Python costs 11 ms; click, pygit2 and the other libraries up to 220 more.
"""

from __future__ import annotations

import gc
import os
import sys

from ledger.environment import stay_offline, variables


def main() -> int:
    """Run the command line; return its exit code."""
    gc.disable()  # a command ends before looking for cycles pays; among 100,000 logs it takes a second
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"]:
        stay_offline()
    if arguments[:1] == ["hook"] and len(arguments) == 3:
        from rituals.hosts.adapters import HOSTS

        if arguments[1] in HOSTS:
            from rituals.hosts.hook_answer import run as answer

            # an agent waits, and nothing is left to do: taking Python down takes an eighth of all
            os._exit(answer(arguments[1], arguments[2], variables()))
    from rituals.cli import fast_path as quick

    try:
        code = quick.run(arguments, variables())
        if code is not None:
            gc.freeze()  # else the end of the process looks for cycles in all that goes with it
            return code
        from rituals.cli.app import main as run
    except BaseException as problem:  # noqa: BLE001 - reported, each of them, in one place
        return quick.report(problem, arguments)
    return run(arguments)
