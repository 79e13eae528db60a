"""Word what an agent is asked at a stop, and know it again: hosts put it where a person's words stand."""

from __future__ import annotations

BEGINS = "Memory: what must the next session know"
REQUEST = f"""\
{BEGINS} that code and docs don't say (decision and why, lesson, rule, open end)? \
At most 3 lines that stand alone, or `nothing`. Replace an id.
diurna note <<'END'
title: what was done
lesson: …, because …
asked: its question
ID -> decision: …
done ID
used ID, ID
END
"""
