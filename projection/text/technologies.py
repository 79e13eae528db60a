"""List what a project chooses one of: a line of `technologies.txt` holds the alternatives of one sort.

An indent continues a line. `=` joins the names of one alternative, `_` the words of one. What has a `!`
is an everyday word too, and counts only where it is written as a name, telling nothing from its like.
"""

from __future__ import annotations

import os

with open(os.path.splitext(__file__)[0] + ".txt", encoding="utf-8") as _file:
    FAMILIES = _file.read().rstrip().replace("\n  ", " ").split("\n")
