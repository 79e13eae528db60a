"""The console script: answers what it can at once, and loads the command line for the rest.

Starting Python costs 11 ms, and click, pygit2 and the other libraries up to 220 more. `diurna show` with
nothing new since the last run is the text of the last run, checked against the branch's commit; `show`
and `append` in their plain forms need no library at all. Everything else goes to `rituals.cli.app`.
"""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line; return its exit code."""
    arguments = sys.argv[1:]
    if arguments == ["show"] and not sys.stdout.isatty():
        text = _shown()
        if text is not None:
            return _print(text)
    from rituals.cli.app import main as run

    return run(arguments)


def _shown() -> bytes | None:
    """Return what `diurna show` prints, or None when the whole command line is needed for it."""
    try:
        from memory.shown import continuity

        return continuity(os.environ.get("DIURNA_HOME") or os.getcwd())
    except Exception:  # noqa: BLE001 - whatever it is, the command line says it properly
        return None


def _print(data: bytes) -> int:
    """Write to standard output."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except BrokenPipeError:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
