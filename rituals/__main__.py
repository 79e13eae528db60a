"""Run the command line by `python -P -m rituals`, where the console script is not on the path.

`-P` keeps the working directory out of the module path: a user's repository has a folder `memory/`
of its own.
"""

from __future__ import annotations

import sys

from rituals.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
